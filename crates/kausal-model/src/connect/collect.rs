//! Finds all connections: `connect` in loops and decided `if` equations, and `Connections.branch` and its like.

use kausal_syntax::ast::{ClassKind, EquationKind, Expr, Variability};
use kausal_syntax::{Diagnostic, Location, ast};

use crate::class::{MemberKind, Reported, Res};
use crate::connect::links::{End, Link, Side};
use crate::connect::{deselect, overconstrained};
use crate::equation::Condition;
use crate::expr::place;
use crate::expr::reference::Cursor;
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::sink::Context;
use crate::{class, equation, instance, sink, tree, value};

/// Collects the connections of a list of equations.
pub fn collect_connections(fl: &mut Flattener<'_>, cx: Context<'_>, equations: &[ast::Equation]) {
    for equation in equations {
        let _ = collect_equation(fl, cx, equation);
    }
}

fn collect_equation(fl: &mut Flattener<'_>, cx: Context<'_>, equation: &ast::Equation) -> Res<()> {
    if is_state_machine_statement(cx.ast, equation) {
        fl.connections.with_states.insert(cx.scope.inst);
    }
    if !connects(cx.ast, equation) {
        return Ok(());
    }
    match &equation.kind {
        EquationKind::Connect(a, b) => {
            if deselect::is_deselected(fl, cx, a, b) {
                return Ok(());
            }
            let location = Location { source: cx.ast.source, span: equation.span };
            collect_connect(fl, cx, a, b, location)
        }
        EquationKind::For { iterators, body } => {
            collect_for(fl, cx, cx.ast.lists.iterators.get(*iterators), body)
        }
        EquationKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                match equation::condition(fl, cx.scope, *condition)? {
                    Condition::Known(true) => {
                        collect_connections(fl, cx, body);
                        return Ok(());
                    }
                    Condition::Known(false) => {}
                    Condition::Unknown(_) => {
                        let message = "whether a connection exists must be known at compile time";
                        let help = "make the condition a parameter; what switches in the run is a component with a Boolean input";
                        return Err(place::at_expr_helped(fl, cx.scope, *condition, "K0230", message, help));
                    }
                }
            }
            collect_connections(fl, cx, otherwise);
            Ok(())
        }
        EquationKind::Call(call) => overconstrained::collect_graph_call(fl, cx, *call),
        EquationKind::Equal(..) | EquationKind::When { .. } => Ok(()),
    }
}

fn collect_for(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    iterators: &[ast::Iterator],
    body: &[ast::Equation],
) -> Res<()> {
    let Some((first, rest)) = iterators.split_first() else {
        collect_connections(fl, cx, body);
        return Ok(());
    };
    fl.each_pass(cx.scope, first, place::IteratorBody::Equations(body), &mut |this, _| {
        collect_for(this, cx, rest, body)
    })
}

fn collect_connect(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    a: &ast::ComponentRef,
    b: &ast::ComponentRef,
    location: Location,
) -> Res<()> {
    if fl.collect_undeclared(cx, a, b, location)? {
        return Ok(());
    }
    let mark = fl.cx.diagnostics.len();
    let left = self::side(fl, cx, a);
    let right = self::side(fl, cx, b);
    if matches!((&left, &right), (Ok(None), _) | (_, Ok(None))) {
        // A connection to a component that is absent is gone, and its other side may be gone with it: a connector
        // array without elements, most often (specification section 4.4.5).
        let mut at = 0;
        fl.cx.diagnostics.retain(|d| {
            at += 1;
            at <= mark || d.code != "K0336"
        });
        if let (Err(_), _) | (_, Err(_)) = (&left, &right)
            && fl.cx.diagnostics.len() > mark
        {
            return Err(Reported);
        }
        return Ok(());
    }
    let (left, right) = (left?, right?);
    check_reach(fl, cx, a)?;
    check_reach(fl, cx, b)?;
    let (Some(left), Some(right)) = (left, right) else { return Ok(()) };
    for (side, reference) in [(&left, a), (&right, b)] {
        if let Some(end) = side.ends.first()
            && !is_connectable(fl, end.inst)
        {
            return Err(not_a_connector(fl, cx, reference, end.inst));
        }
    }
    if left.ends.len() != right.ends.len() || left.shape != right.shape {
        let message = format!(
            "connected arrays differ in size: {} and {}",
            value::sizes_text(&left.shape),
            value::sizes_text(&right.shape)
        );
        let mut diagnostic = Diagnostic::error("K0231", message).at(location, "connected here");
        for side in [&left, &right] {
            if let Some(info) = side.ends.first().and_then(|e| fl.inst(e.inst).info.as_ref()) {
                diagnostic = diagnostic.at(info.location, "declared here");
            }
        }
        return Err(fl.cx.report(diagnostic));
    }
    if left.ends == right.ends && !left.ends.is_empty() {
        let text = place::ref_text(cx.ast, a);
        // Not forbidden, and found in libraries; but never what was meant.
        let message = format!("{text} is connected to itself: this connection says nothing");
        let warning = Diagnostic::warning("K0245", message)
            .at(location, "connected here")
            .help("connect it to something else, or leave the connection out");
        instance::report_at_decl(fl, left.ends[0].inst, warning);
        return Ok(());
    }
    for (&a, &b) in left.ends.iter().zip(&right.ends) {
        fl.connections.links.push(Link { a, b, location, owner: cx.scope.inst, broken: false });
    }
    Ok(())
}

/// Only connectors of the class itself and of its components can be connected (specification section 9.1), not those
/// further inside: that would go around the component they are in.
fn check_reach(fl: &mut Flattener<'_>, cx: Context<'_>, reference: &ast::ComponentRef) -> Res<()> {
    let [first, second, rest @ ..] = cx.ast.lists.parts.get(reference.parts) else { return Ok(()) };
    let name = first.name.symbol;
    let Some(class::Found::Component { member, .. }) = fl.cx.find(cx.scope.klass, name) else {
        return Ok(());
    };
    let outer = fl.cx.component(&member)?;
    if is_connector_kind(outer.kind) || rest.is_empty() {
        return Ok(());
    }
    let members = fl.cx.members(outer.klass)?;
    let Some(&i) = members.index.get(&second.name.symbol) else { return Ok(()) };
    let MemberKind::Component(_) = members.items[i as usize].kind else { return Ok(()) };
    let inner = fl.cx.component(&members.items[i as usize])?;
    if is_connector_kind(inner.kind) {
        return Ok(());
    }
    let text = place::ref_text(cx.ast, reference);
    let second = second.name.symbol;
    let message =
        format!("{text} is out of reach: {second} is a component inside {name}, not a connector of it");
    let location = fl.cx.lib.location(cx.scope.file, reference.span);
    let class = fl.cx.name(outer.klass);
    let diagnostic = Diagnostic::error("K0244", message)
        .at(location, "connected here")
        .at(inner.location, "declared here")
        .help(format!("give {class} a connector of its own and connect it to {second} there"));
    Err(fl.cx.report(diagnostic))
}

/// The ends a reference stands for; `None` if they do not exist.
pub(super) fn side(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    reference: &ast::ComponentRef,
) -> Res<Option<Side>> {
    if let [only] = cx.ast.lists.parts.get(reference.parts)
        && only.name.symbol.as_str() == "time"
        && fl.cx.find(cx.scope.klass, only.name.symbol).is_none()
    {
        return Err(not_a_connector(fl, cx, reference, cx.scope.inst));
    }
    let cursor = fl.resolve_ref(cx.scope, cx.ast, reference)?;
    let outside = is_outside(fl, cx, reference)?;
    let end = |inst| End { inst, element: None, outside };
    Ok(Some(match cursor {
        Cursor::Disabled(_) => return Ok(None),
        Cursor::Inst(id) => match &fl.inst(id).node {
            tree::Node::Disabled => return Ok(None),
            tree::Node::Array(shape, elements) => {
                Side { shape: shape.to_vec(), ends: elements.iter().map(|&e| end(e)).collect() }
            }
            tree::Node::Leaf(_, shape) => Side { shape: shape.to_vec(), ends: vec![end(id)] }.spread(fl, id),
            _ => Side { shape: Vec::new(), ends: vec![end(id)] },
        },
        Cursor::Insts { shape, list, .. } => Side { shape, ends: list.into_iter().map(end).collect() },
        Cursor::Value(value) => {
            let shape = value.shape().to_vec();
            let mut scalars = Vec::new();
            value.scalars(&mut scalars);
            let mut ends = Vec::with_capacity(scalars.len());
            for e in scalars {
                let Some(var) = sink::as_variable(&fl.pool, e) else {
                    return Err(not_a_connector(fl, cx, reference, cx.scope.inst));
                };
                let (inst, offset) = fl.slots[var.index()];
                ends.push(End { inst, element: Some(offset), outside });
            }
            Side { shape, ends }
        }
        Cursor::Class(..) => return Err(not_a_connector(fl, cx, reference, cx.scope.inst)),
    }))
}

/// A connector, or a variable of an expandable one: there everything counts as a connector.
pub(super) fn is_connectable(fl: &Flattener<'_>, id: InstId) -> bool {
    let mut owner = Some(id);
    // A record in an expandable connector is connected whole, and so are its fields.
    while let Some(at) = owner {
        if instance::is_connector(fl, at) {
            return at == id || instance::is_expandable(fl, at);
        }
        owner = fl.inst(at).parent;
    }
    false
}

pub(super) fn not_a_connector(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    reference: &ast::ComponentRef,
    id: InstId,
) -> Reported {
    let text = place::ref_text(cx.ast, reference);
    let location = fl.cx.lib.location(cx.scope.file, reference.span);
    let mut diagnostic =
        Diagnostic::error("K0232", format!("{text} is not a connector")).at(location, "connected here");
    let inside: Vec<&str> = instance::known_children(fl, id)
        .filter(|&c| instance::is_connector(fl, c) && !fl.inst(c).protected)
        .map(|c| fl.inst(c).name.as_str())
        .collect();
    if let Some(names) = crate::advice::listed(&inside) {
        diagnostic = diagnostic.help(format!("connect a connector of it: it has {names}"));
    } else if fl.inst(id).info.as_ref().is_some_and(|i| i.leaf.is_some()) {
        diagnostic = diagnostic.help("variables are made equal by an equation: `a = b`");
    }
    instance::report_at_decl(fl, id, diagnostic)
}

/// Is the connector one of the component the equation is written in? An outer connector counts as such, wherever the
/// inner one is (specification section 9.2); a connector of an outer component does not.
pub fn is_outside(fl: &mut Flattener<'_>, cx: Context<'_>, reference: &ast::ComponentRef) -> Res<bool> {
    let parts = cx.ast.lists.parts.get(reference.parts);
    let Some(first) = parts.first() else { return Ok(false) };
    let Some(child) = instance::child(fl, cx.scope.inst, first.name.symbol)? else { return Ok(false) };
    Ok(instance::is_connector(fl, child))
}

/// Is there anything variable in a connector?
pub fn is_variable(fl: &Flattener<'_>, id: InstId) -> bool {
    fl.inst(id).variability > Variability::Parameter
}

impl Side {
    /// A leaf with dimensions: one end per scalar, so that it can meet single connectors.
    fn spread(self, this: &mut Flattener<'_>, id: InstId) -> Side {
        if self.shape.is_empty() {
            return self;
        }
        let count = instance::variables(this, id).map_or(0, |(_, n)| n);
        let first = self.ends[0];
        let ends = (0..count as u32).map(|i| End { element: Some(i), ..first }).collect();
        Side { shape: self.shape, ends }
    }
}

fn is_connector_kind(kind: ClassKind) -> bool {
    matches!(kind, ClassKind::Connector | ClassKind::ExpandableConnector)
}

/// Is it one of the statements that make components states?
fn is_state_machine_statement(ast: &kausal_syntax::Ast, equation: &ast::Equation) -> bool {
    let EquationKind::Call(call) = equation.kind else { return false };
    let Expr::Call { function, .. } = ast.exprs[call] else { return false };
    let parts = ast.lists.parts.get(function.parts);
    matches!(parts, [only] if matches!(only.name.symbol.as_str(), "transition" | "initialState"))
}

/// Does an equation hold connections anywhere?
fn connects(ast: &kausal_syntax::Ast, equation: &ast::Equation) -> bool {
    let any = |list: &[ast::Equation]| list.iter().any(|e| connects(ast, e));
    match &equation.kind {
        EquationKind::Connect(..) => true,
        EquationKind::Call(call) => match ast.exprs[*call] {
            Expr::Call { function, .. } => {
                let parts = ast.lists.parts.get(function.parts);
                parts.first().is_some_and(|p| p.name.symbol.as_str() == "Connections")
            }
            _ => false,
        },
        EquationKind::If { branches, otherwise } => branches.iter().any(|(_, b)| any(b)) || any(otherwise),
        EquationKind::For { body, .. } => any(body),
        EquationKind::Equal(..) | EquationKind::When { .. } => false,
    }
}
