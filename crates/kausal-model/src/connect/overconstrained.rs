//! Overconstrained connections (specification section 9.4): a spanning tree decides which connections are equalities.
//!
//! Nodes are the overdetermined records or types (those with an `equalityConstraint` function) of connectors. Branches
//! inside components are always part of the tree, connections only as long as they close no loop; a connection that
//! would close one gives the residue of `equalityConstraint` instead.

use kausal_symbolic::ExprId;
use kausal_syntax::ast::{Arg, Expr};
use kausal_syntax::{Ast, Diagnostic, Symbol, ast};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::{Reported, Res};
use crate::connect::links;
use crate::connect::links::{Graph, Link, Partition};
use crate::expr::arguments::ValueArg;
use crate::expr::place;
use crate::expr::reference::Cursor;
use crate::flat::{Equation, Origin, OriginKind};
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::sink::Context;
use crate::tree::Scope;
use crate::value::{Ty, Value};
use crate::{bindings, class, instance, tree};

/// `Connections.branch` and its like.
pub(super) fn collect_graph_call(fl: &mut Flattener<'_>, cx: Context<'_>, call: ast::ExprId) -> Res<()> {
    let Expr::Call { function, args } = cx.ast.exprs[call] else { return Err(Reported) };
    let parts = cx.ast.lists.parts.get(function.parts);
    let Some(name) = parts.get(1).map(|p| p.name.symbol.as_str()) else { return Err(Reported) };
    let args = cx.ast.lists.args.get(args);
    let mut nodes = Vec::new();
    // Only those of `branch` are two; what comes behind the one of `potentialRoot` is its priority.
    let count = if name == "branch" { 2 } else { 1 };
    for arg in args.iter().take(count) {
        let Expr::Ref(reference) = cx.ast.exprs[arg.value] else { continue };
        match fl.resolve_ref(cx.scope, cx.ast, &reference)? {
            Cursor::Inst(id) if !matches!(fl.inst(id).node, tree::Node::Disabled) => nodes.push(id),
            Cursor::Disabled(_) | Cursor::Inst(_) => return Ok(()),
            _ => {}
        }
    }
    for &node in &nodes {
        if !is_overdetermined(fl, node) {
            let path = fl.path(node);
            let message = format!(
                "Connections.{name} needs a type or record with an equalityConstraint, which {path} has not"
            );
            let location = fl.cx.lib.location(cx.scope.file, cx.ast.span(call));
            let diagnostic = Diagnostic::error("K0236", message).at(location, "here");
            return Err(instance::report_at_decl(fl, node, diagnostic));
        }
    }
    match (name, nodes.as_slice()) {
        ("branch", &[a, b]) => {
            let (a, b) = (fl.connections.graph.node(a), fl.connections.graph.node(b));
            fl.connections.graph.branches.push((a, b));
        }
        ("root", &[a]) => {
            let a = fl.connections.graph.node(a);
            fl.connections.graph.roots.push(a);
        }
        ("potentialRoot", [a, ..]) => {
            let priority = match args.get(1) {
                Some(arg) => fl.structural_number(cx.scope, arg.value, "the priority of a potential root")?,
                None => 0.0,
            };
            let a = fl.connections.graph.node(*a);
            fl.connections.graph.potential.push((a, priority));
        }
        ("uniqueRoot", _) => {}
        _ => {
            let message = format!("Connections.{name} cannot be called like this");
            return Err(place::at_expr(fl, cx.scope, call, "K0236", message));
        }
    }
    Ok(())
}

/// Has the class of a component an `equalityConstraint`?
pub fn is_overdetermined(fl: &mut Flattener<'_>, id: InstId) -> bool {
    let klass = fl.inst(id).klass;
    if let Some(&known) = fl.connections.graph.overdetermined.get(&klass) {
        return known;
    }
    let found =
        matches!(fl.cx.find_in(klass, Symbol::new("equalityConstraint")), Some(class::Found::Class(_)));
    fl.connections.graph.overdetermined.insert(klass, found);
    found
}

/// Decides which connections are broken and which nodes are roots.
pub(super) fn build_tree(fl: &mut Flattener<'_>) {
    let links = fl.connections.links.clone();
    let mut edges: Vec<(InstId, InstId)> = Vec::new();
    for link in &links {
        let _ = overdetermined_pairs(fl, link.a.inst, link.b.inst, &mut edges);
    }
    if edges.is_empty() && fl.connections.graph.nodes.is_empty() {
        return;
    }
    let mut graph = std::mem::take(&mut fl.connections.graph);
    let edges: Vec<(u32, u32)> = edges.iter().map(|&(a, b)| (graph.node(a), graph.node(b))).collect();
    let count = graph.nodes.len();
    // One node more that stands for all definite roots.
    let anchor = count as u32;
    let mut sets = links::Partition::default();
    sets.grow(count + 1);
    let mut tree: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &root in &graph.roots {
        sets.unite(anchor, root);
        graph.chosen.insert(graph.nodes[root as usize]);
    }
    for &(a, b) in &graph.branches {
        sets.unite(a, b);
        tree[a as usize].push(b);
        tree[b as usize].push(a);
    }
    // The same connection written twice is one connection, not a loop.
    let mut known: FxHashSet<(u32, u32)> = FxHashSet::default();
    for &(a, b) in &edges {
        if !known.insert((a.min(b), a.max(b))) {
            continue;
        }
        if sets.unite(a, b) {
            tree[a as usize].push(b);
            tree[b as usize].push(a);
        } else {
            graph.broken.insert((graph.nodes[a as usize], graph.nodes[b as usize]));
        }
    }
    choose_roots(fl, &mut graph, &mut sets, anchor);
    graph.depth = vec![u32::MAX; count];
    let mut queue: std::collections::VecDeque<u32> = (0..count as u32)
        .filter(|&n| {
            let node = graph.nodes[n as usize];
            graph.chosen.contains(&node) || graph.open.contains(&node)
        })
        .inspect(|&n| graph.depth[n as usize] = 0)
        .collect();
    while let Some(n) = queue.pop_front() {
        for &next in &tree[n as usize] {
            if graph.depth[next as usize] == u32::MAX {
                graph.depth[next as usize] = graph.depth[n as usize] + 1;
                queue.push_back(next);
            }
        }
    }
    fl.connections.graph = graph;
}

fn choose_roots(fl: &mut Flattener<'_>, graph: &mut Graph, sets: &mut Partition, anchor: u32) {
    let rooted = sets.find(anchor);
    let mut best: FxHashMap<u32, (f64, u32)> = FxHashMap::default();
    for &(node, priority) in &graph.potential {
        let set = sets.find(node);
        let entry = best.entry(set).or_insert((priority, node));
        if priority < entry.0 {
            *entry = (priority, node);
        }
    }
    let mut outside: FxHashMap<u32, InstId> = FxHashMap::default();
    for n in 0..graph.nodes.len() as u32 {
        let node = graph.nodes[n as usize];
        if is_open(fl, node) {
            outside.entry(sets.find(n)).or_insert(node);
        }
    }
    for n in 0..graph.nodes.len() as u32 {
        let set = sets.find(n);
        if set == rooted || best.get(&set).is_some_and(|b| b.1 != n) {
            continue;
        }
        if let (Some(&node), false) = (outside.get(&set), best.contains_key(&set)) {
            if node == graph.nodes[n as usize] {
                graph.open.push(node);
            }
            continue;
        }
        if let std::collections::hash_map::Entry::Vacant(entry) = best.entry(set) {
            let node = graph.nodes[n as usize];
            let path = fl.path(node);
            let message = format!("no root is given for the connections of {path}; it is taken as one");
            let mut warning = Diagnostic::warning("K0234", message).help(
                "call Connections.root or Connections.potentialRoot for one of the connected components",
            );
            if let Some(place) = connected_at(fl, node) {
                warning = warning.at(place, "connected here");
            }
            instance::report_at_decl(fl, node, warning);
            entry.insert((0.0, n));
        }
        graph.chosen.insert(graph.nodes[n as usize]);
    }
}

/// Is it part of a connector of the model itself, which its surroundings connect?
fn is_open(fl: &Flattener<'_>, node: InstId) -> bool {
    let hidden = |id: InstId| fl.inst(id).info.as_ref().is_some_and(|i| i.protected);
    let mut at = Some(node);
    while let Some(id) = at {
        if hidden(id) {
            return false;
        }
        at = fl.inst(id).parent;
    }
    instance::in_connector(fl, node) && instance::is_top_level(fl, node)
}

/// How many variables of the model its surroundings decide because they belong to overdetermined types: of each tree of
/// connections that has no root here as many as the type has more than the residue of its `equalityConstraint`
/// (specification sections 4.7 and 9.4). A connector that is in no tree is one by itself.
pub(crate) fn decided_outside(fl: &mut Flattener<'_>, root: InstId) -> usize {
    let mut open = fl.connections.graph.open.clone();
    let mut stack = vec![root];
    while let Some(at) = stack.pop() {
        let is_connector = instance::in_connector(fl, at);
        if is_connector && is_overdetermined(fl, at) {
            if is_open(fl, at) && !fl.connections.graph.index.contains_key(&at) {
                open.push(at);
            }
            continue;
        }
        match fl.inst(at).node.clone() {
            tree::Node::Struct if at == root || is_connector || instance::is_connector(fl, at) => {
                stack.extend(instance::below(fl, at));
            }
            tree::Node::Array(_, elements) => stack.extend(elements.iter()),
            _ => {}
        }
    }
    open.into_iter().map(|node| surplus(fl, root, node)).sum()
}

/// Variables of an overdetermined type beyond the residue of its `equalityConstraint`.
fn surplus(fl: &mut Flattener<'_>, root: InstId, node: InstId) -> usize {
    let mut scalars = 0;
    let mut stack = vec![node];
    while let Some(at) = stack.pop() {
        match fl.inst(at).node.clone() {
            tree::Node::Leaf(_, shape) if instance::is_unknown(fl, at) => {
                scalars += shape.iter().product::<usize>()
            }
            tree::Node::Struct => stack.extend(instance::below(fl, at)),
            tree::Node::Array(_, elements) => stack.extend(elements.iter()),
            _ => {}
        }
    }
    let residue = self::residue(fl, root, node, node).map_or(0, |residue| residue.len());
    scalars.saturating_sub(residue)
}

/// The first connection of a component, or of one it is in.
fn connected_at(fl: &Flattener<'_>, id: InstId) -> Option<kausal_syntax::Location> {
    let mut owners = vec![id];
    while let Some(parent) = owners.last().and_then(|&at| fl.inst(at).parent) {
        owners.push(parent);
    }
    let touches = |end: &links::End| owners.contains(&end.inst);
    fl.connections.links.iter().find(|l| touches(&l.a) || touches(&l.b)).map(|l| l.location)
}

fn overdetermined_pairs(
    fl: &mut Flattener<'_>,
    a: InstId,
    b: InstId,
    out: &mut Vec<(InstId, InstId)>,
) -> Res<()> {
    let (a, b) = (instance::resolve(fl, a)?, instance::resolve(fl, b)?);
    if is_overdetermined(fl, a) {
        out.push((a, b));
        return Ok(());
    }
    match (fl.inst(a).node.clone(), fl.inst(b).node.clone()) {
        (tree::Node::Struct, tree::Node::Struct) => {
            for child in instance::below(fl, a) {
                let name = fl.inst(child).name;
                if matches!(fl.inst(child).node, tree::Node::Leaf(..)) && !is_overdetermined(fl, child) {
                    continue;
                }
                if let Some(other) = instance::child(fl, b, name)? {
                    overdetermined_pairs(fl, child, other, out)?;
                }
            }
        }
        (tree::Node::Array(_, x), tree::Node::Array(_, y)) => {
            for (&x, &y) in x.iter().zip(y.iter()) {
                overdetermined_pairs(fl, x, y, out)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The equations of a broken connection: the residue of `equalityConstraint` is zero.
pub(super) fn broken_equations(
    fl: &mut Flattener<'_>,
    link: &Link,
    a: InstId,
    b: InstId,
    out: &mut Vec<Equation>,
) -> Res<()> {
    for rhs in residue(fl, link.owner, a, b)? {
        let lhs = fl.pool.constant(0.0);
        let origin = Origin {
            component: fl.path(link.owner),
            location: Some(link.location),
            kind: OriginKind::Connect,
        };
        out.push(Equation { lhs, rhs, origin });
    }
    Ok(())
}

/// What `equalityConstraint` says about two components of an overdetermined type.
fn residue(fl: &mut Flattener<'_>, owner: InstId, a: InstId, b: InstId) -> Res<Vec<ExprId>> {
    let klass = fl.inst(a).klass;
    let Some(class::Found::Class(function)) = fl.cx.step(klass, Symbol::new("equalityConstraint")) else {
        return Err(Reported);
    };
    let args = [a, b]
        .into_iter()
        .map(|id| bindings::instance_value(fl, id).map(|value| ValueArg { name: None, value }))
        .collect::<Res<Vec<_>>>()?;
    let file = fl.cx.file(klass);
    let scope = Scope { klass, inst: owner, file, locals: fl.locals.len() as u32 };
    let outputs = fl.call_function(scope, ast::ExprId::new(0), function, args)?;
    let Some(Value::Plain(_, residue)) = outputs.into_iter().next() else { return Err(Reported) };
    Ok(residue.data().to_vec())
}

/// `Connections.isRoot(…)` and `Connections.rooted(…)`.
pub fn is_root(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    expr: ast::ExprId,
    args: &[Arg],
) -> Res<Value> {
    let Expr::Call { function, .. } = ast.exprs[expr] else { return Err(Reported) };
    let name = place::ref_text(ast, &function);
    let reference = match args {
        [arg] => match ast.exprs[arg.value] {
            Expr::Ref(reference) => reference,
            _ => return Err(place::at_expr(fl, scope, expr, "K0236", format!("{name} needs one component"))),
        },
        _ => return Err(place::at_expr(fl, scope, expr, "K0236", format!("{name} needs one component"))),
    };
    if !fl.connections.complete {
        let message = format!("{name} cannot be used here: connections are not known yet");
        return Err(place::at_expr(fl, scope, expr, "K0237", message));
    }
    let Cursor::Inst(id) = fl.resolve_ref(scope, ast, &reference)? else {
        return Err(place::at_expr(fl, scope, expr, "K0236", format!("{name} needs one component")));
    };
    let graph = &fl.connections.graph;
    let holds = if name.ends_with("isRoot") {
        graph.chosen.contains(&id)
    } else {
        match graph.index.get(&id) {
            None => true,
            Some(&n) => {
                let other = graph.branches.iter().find_map(|&(a, b)| match () {
                    () if a == n => Some(b),
                    () if b == n => Some(a),
                    () => None,
                });
                other.is_none_or(|m| graph.depth[n as usize] < graph.depth[m as usize])
            }
        }
    };
    let e = fl.pool.boolean(holds);
    Ok(Value::scalar(Ty::Boolean, e))
}
