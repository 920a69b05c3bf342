//! Algorithm sections (specification chapter 11): one function per section, called with what it reads; its outputs are
//! equated with what it assigns.
//!
//! A variable that is assigned begins with its start value, or with its previous value if it is discrete
//! (section 11.1.2). What depends on more than the values of variables (`pre`, `sample`, `initial`, `time`) is evaluated
//! outside and passed in. A `when` statement becomes an `if` on a rising condition: the condition is a further output,
//! an auxiliary Boolean variable, and its previous value a further input.

pub(crate) mod events;

use kausal_symbolic::function::{Dim, Subscript, Term};
use kausal_symbolic::{ExprId, FunctionId, Op, Pool, VarId, function as f};
use kausal_syntax::ast::{AlgorithmSection, ComponentRef, RefPart, Statement, StatementKind, Variability};
use kausal_syntax::{Ast, Symbol, ast};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::{Reported, Res};
use crate::connect::collect;
use crate::expr::reference::{Cursor, Sub};
use crate::expr::{place, reference};
use crate::flat::{Action, ActionKind, Equation, OriginKind, When, WhenBranch};
use crate::flattener::Flattener;
use crate::functions::context::{Effect, Lower, Outer};
use crate::functions::table::TVal;
use crate::functions::{context, table, term};
use crate::ids::InstId;
use crate::rules::statements;
use crate::sink::{Context, Sink};
use crate::tree::Scope;
use crate::value::{Ty, Value};
use crate::{bindings, class, fold, functions, instance, sink, tree};

/// Is it nothing but `when` statements?
fn is_when(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::When { .. } => true,
        StatementKind::For { body, .. } => body.iter().all(is_when),
        _ => false,
    }
}

impl Flattener<'_> {
    /// The variable a target or reference of an algorithm section begins with.
    pub(crate) fn outer_variable(&mut self, lo: &mut Lower, part: &RefPart) -> Res<Option<TVal>> {
        let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Ok(None) };
        let scope = Scope { klass: lo.klass, ..scope };
        match self.cx.find(lo.klass, part.name.symbol) {
            Some(class::Found::Component { owner, up, member }) => {
                let at = instance::instance_of(self, scope.inst, up, owner);
                match instance::child(self, at, member.name)? {
                    Some(child) => {
                        let child = instance::resolve(self, child)?;
                        outer_instance(self, lo, child).map(Some)
                    }
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// A reference to a variable of the model.
    pub(crate) fn lower_outer_ref(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        reference: &ComponentRef,
    ) -> Res<TVal> {
        let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Err(Reported) };
        let scope = Scope { klass: lo.klass, file: lo.file, ..scope };
        let parts = ast.lists.parts.get(reference.parts);
        let Some(first) = parts.first() else { return Err(Reported) };
        let Some(class::Found::Component { owner, up, member }) = self.cx.find(lo.klass, first.name.symbol)
        else {
            return term::lower_constant_ref(self, lo, ast, reference);
        };
        let at = instance::instance_of(self, scope.inst, up, owner);
        let Some(child) = instance::child(self, at, member.name)? else { return Err(Reported) };
        let mut id = instance::resolve(self, child)?;
        if self.inst(id).is_static {
            return term::lower_constant_ref(self, lo, ast, reference);
        }
        if self.inst(child).info.as_ref().is_some_and(|i| i.condition.is_some()) {
            reference::check_unconditional(self, scope, reference, child);
        }
        let mut i = 0;
        loop {
            let part = &parts[i];
            if lo.outer.as_ref().is_some_and(|o| o.arrays.contains_key(&id)) {
                let value = outer_instance(self, lo, id)?;
                if has_fields(&value, &parts[i + 1..]) {
                    return term::lower_parts_from(self, lo, ast, value, parts, i);
                }
            }
            match self.inst(id).node.clone() {
                tree::Node::Array(shape, elements) if !part.subscripts.is_empty() => {
                    let Some(subs) = known_subscripts(self, lo, scope, ast, part, &shape) else {
                        return lower_slice(self, lo, ast, reference);
                    };
                    let scalar: Option<Vec<usize>> = subs
                        .iter()
                        .map(|s| match s {
                            Sub::One(n) => Some(*n),
                            _ => None,
                        })
                        .collect();
                    match scalar {
                        Some(list) if list.len() == shape.len() => {
                            let offset = list.iter().zip(shape.iter()).fold(0, |at, (i, n)| at * n + i - 1);
                            let Some(&element) = elements.get(offset) else { return Err(Reported) };
                            id = element;
                        }
                        _ => return lower_slice(self, lo, ast, reference),
                    }
                }
                tree::Node::Array(..) => return lower_slice(self, lo, ast, reference),
                tree::Node::Leaf(..) => {
                    let value = outer_instance(self, lo, id)?;
                    return term::lower_parts_from(self, lo, ast, value, parts, i);
                }
                _ => {}
            }
            if i + 1 == parts.len() {
                return outer_instance(self, lo, id);
            }
            i += 1;
            let name = parts[i].name.symbol;
            id = match instance::child(self, id, name)? {
                Some(child) => instance::resolve(self, child)?,
                None => return term::lower_constant_ref(self, lo, ast, reference),
            };
        }
    }
}

/// Flattens an algorithm section.
pub fn algorithm(fl: &mut Flattener<'_>, cx: Context<'_>, section: &AlgorithmSection, sink: &mut Sink) {
    let _ = try_algorithm(fl, cx, section, sink);
}

fn try_algorithm(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    section: &AlgorithmSection,
    sink: &mut Sink,
) -> Res<()> {
    let name =
        if cx.component.is_empty() { "algorithm".to_owned() } else { format!("{}.algorithm", cx.component) };
    statements::check_when_places(fl, cx, section.initial, &section.statements)?;
    statements::check_loop_variables(fl, cx.scope.file, cx.ast, &section.statements)?;
    let mut lo = context::Lower::new(name, cx.scope.klass, cx.scope.file);
    let mut outer = Outer {
        scope: cx.scope,
        leaves: FxHashMap::default(),
        passed: FxHashMap::default(),
        values: FxHashMap::default(),
        args: Vec::new(),
        outputs: Vec::new(),
        arrays: FxHashMap::default(),
        assigned: FxHashSet::default(),
        kept: FxHashSet::default(),
        initial: section.initial,
        whens: 0,
        at_start: true,
        silent: 0,
        effects: Vec::new(),
    };
    scan_targets(fl, cx, &section.statements, &mut outer)?;
    lo.outer = Some(outer);
    let statements = fl.lower_statements(&mut lo, cx.ast, &section.statements)?;
    let Some(outer) = lo.outer.take() else { return Err(Reported) };
    if outer.outputs.is_empty() && statements.is_empty() {
        return Ok(());
    }
    lo.function.body = kausal_symbolic::function::Body::Algorithm(statements);
    lo.function.notes.impure = false;
    // Relations of an algorithm section cause events like those of equations (specification section 8.5).
    lo.function.notes.generate_events = true;
    let function = fl.pool.add_function(lo.function);
    let call = fl.pool.call(function, &outer.args);
    let origin = cx.origin(section.span, OriginKind::Algorithm);
    // What depends on nothing that varies is known.
    let known = literal_inputs(&fl.pool, function, &outer.args)
        .and_then(|args| kausal_symbolic::function::calls::constant_call(&mut fl.pool, function, &args));
    if outer.outputs.is_empty() {
        let mut has_when = false;
        crate::walk::statements(&section.statements, &mut |s| {
            has_when |= matches!(s.kind, StatementKind::When { .. });
        });
        if has_when && !section.initial {
            // `when` clauses with other conditions than initial() have outputs that remember these.
            // What the clause does is done at the first event, behind the initial problem, where initial() is false again.
            let initial = fl.pool.op(Op::Initial, &[]);
            let yes = fl.pool.constant(1.0);
            let args: Vec<ExprId> =
                outer.args.iter().map(|&arg| if arg == initial { yes } else { arg }).collect();
            let call = fl.pool.call(function, &args);
            let conditions = vec![initial];
            let actions = vec![Action { kind: ActionKind::Call(call), origin: origin.clone() }];
            let branches = vec![WhenBranch { conditions, actions }];
            sink.whens.push(When { branches, origin: origin.clone() });
        }
        // Assertions that always hold leave nothing to do.
        if known.is_none() && !(has_when && section.statements.iter().all(is_when)) {
            sink.actions.push(Action { kind: ActionKind::Call(call), origin });
        }
        return Ok(());
    }
    let known = known.map(|values| kausal_symbolic::function::layout::flatten(&mut fl.pool, &values));
    let mut k = 0;
    for variables in outer.outputs {
        for var in variables {
            let lhs = fl.pool.var(var);
            let rhs = match known.as_ref().and_then(|list| list.get(k as usize)) {
                Some(&value) => value,
                None => fl.pool.output(call, k),
            };
            k += 1;
            sink.equations.push(Equation { lhs, rhs, origin: origin.clone() });
        }
    }
    for Effect { flag, at_start, kind, origin: place } in outer.effects {
        let Some((flag, _)) = instance::variables(fl, flag) else { continue };
        let flag = fl.pool.var(flag);
        let conditions = vec![flag];
        let actions = vec![Action { kind, origin: place.clone() }];
        if at_start && !section.initial {
            let conditions = vec![fl.pool.op(Op::Initial, &[])];
            // Behind the initial problem, where the flag was set, it is that of before.
            let before = fl.pool.op(Op::Pre, &[flag]);
            let reached = ActionKind::If(before, actions.clone(), Vec::new());
            let actions = vec![Action { kind: reached, origin: place }];
            let branches = vec![WhenBranch { conditions, actions }];
            sink.whens.push(When { branches, origin: origin.clone() });
        }
        sink.whens.push(When { branches: vec![WhenBranch { conditions, actions }], origin: origin.clone() });
    }
    Ok(())
}

/// The inputs of a function whose scalar arguments are all numbers and strings.
fn literal_inputs(pool: &Pool, function: FunctionId, args: &[ExprId]) -> Option<Vec<f::Value<ExprId>>> {
    if !args.iter().all(|&e| bindings::is_literal(pool, e)) {
        return None;
    }
    let function = pool.function(function);
    let mut rest = args;
    let mut out = Vec::with_capacity(function.inputs.len());
    for &input in &function.inputs {
        let local = function.local(input);
        let shape: Option<Vec<usize>> = local
            .dims
            .iter()
            .map(|d| match d {
                Dim::Known(n) => Some(*n),
                _ => None,
            })
            .collect();
        let shape = shape?;
        let (own, others) = rest.split_at_checked(shape.iter().product())?;
        rest = others;
        let array = f::Array::from_vec(&shape, own.to_vec()).ok()?;
        out.push(match local.scalar {
            f::Scalar::String => f::Value::texts(array.map(|&e| match pool.node(e) {
                kausal_symbolic::Node::Text(t) => f::Text::Known(pool.text_of(t).into()),
                _ => f::Text::Expr(e),
            })),
            _ => array.into(),
        });
    }
    rest.is_empty().then_some(out)
}

/// Which variables are assigned, and which of them may be read before they are.
fn scan_targets(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    statements: &[Statement],
    outer: &mut Outer,
) -> Res<()> {
    let mut targets: Vec<(ComponentRef, bool)> = Vec::new();
    let mut collect = |list: &[Statement], in_when: bool| {
        crate::walk::statements(list, &mut |s| match &s.kind {
            StatementKind::Assign(target, _) => targets.push((*target, in_when)),
            StatementKind::AssignTuple { targets: list, .. } => {
                targets.extend(list.iter().flatten().map(|t| (*t, in_when)));
            }
            _ => {}
        });
    };
    collect(statements, false);
    crate::walk::statements(statements, &mut |s| {
        if let StatementKind::When { branches } = &s.kind {
            branches.iter().for_each(|(_, body)| collect(body, true));
        }
    });
    for (target, in_when) in targets {
        let mut leaves = Vec::new();
        target_leaves(fl, cx.scope, cx.ast, &target, &mut leaves)?;
        for &leaf in &leaves {
            if !outer.initial {
                check_assignable(fl, cx, &target, leaf)?;
            }
            outer.assigned.insert(leaf);
            note_arrays(fl, leaf, outer)?;
            if in_when {
                fl.when_leaves.insert(leaf);
            }
        }
    }
    let sure = sure_names(cx.ast, statements);
    for &leaf in &outer.assigned {
        if !is_surely_assigned(fl, cx.scope, leaf, &sure) {
            outer.kept.insert(leaf);
        }
    }
    Ok(())
}

/// Notes the arrays of components that an assigned variable is in.
fn note_arrays(fl: &mut Flattener<'_>, leaf: InstId, outer: &mut Outer) -> Res<()> {
    let mut at = leaf;
    while let Some(parent) = fl.inst(at).parent {
        if !fl.inst(at).subs.is_empty()
            && let Some(array) = {
                let name = fl.inst(at).name;
                instance::child(fl, parent, name)
            }?
        {
            outer.arrays.insert(array, None);
        }
        at = parent;
    }
    Ok(())
}

/// Only what varies can be assigned, and no input of the component itself.
fn check_assignable(fl: &mut Flattener<'_>, cx: Context<'_>, target: &ComponentRef, leaf: InstId) -> Res<()> {
    let inst = fl.inst(leaf);
    let own_input = inst.causality == kausal_syntax::ast::Causality::Input
        && (inst.parent == Some(cx.scope.inst) || collect::is_outside(fl, cx, target)?);
    let what = match fl.inst(leaf).variability {
        Variability::Constant => "a constant",
        Variability::Parameter => "a parameter",
        _ if own_input => "an input",
        _ => return Ok(()),
    };
    let text = place::ref_text(cx.ast, target);
    let location = fl.cx.lib.location(cx.scope.file, target.span);
    let message = format!("{text} is {what}: it cannot be assigned to");
    let diagnostic = kausal_syntax::Diagnostic::error("K0325", message).at(location, "assigned here");
    Err(instance::report_at_decl(fl, leaf, diagnostic))
}

fn is_surely_assigned(fl: &Flattener<'_>, scope: Scope, leaf: InstId, sure: &[Symbol]) -> bool {
    let inst = fl.inst(leaf);
    inst.parent == Some(scope.inst) && sure.contains(&inst.name)
}

fn target_leaves(
    fl: &mut Flattener<'_>,
    scope: Scope,
    ast: &Ast,
    target: &ComponentRef,
    out: &mut Vec<InstId>,
) -> Res<()> {
    let mut parts = ast.lists.parts.get(target.parts).to_vec();
    for part in &mut parts {
        part.subscripts = kausal_syntax::arena::List::EMPTY;
    }
    match fl.resolve_prefix(scope, ast, target, &parts)? {
        Cursor::Inst(id) => leaves_below(fl, id, out),
        Cursor::Insts { list, .. } => {
            for id in list {
                leaves_below(fl, id, out)?;
            }
            Ok(())
        }
        Cursor::Value(value) => {
            let mut scalars = Vec::new();
            value.scalars(&mut scalars);
            for e in scalars {
                if let Some(var) = sink::as_variable(&fl.pool, e) {
                    out.push(fl.slots[var.index()].0);
                }
            }
            Ok(())
        }
        _ => {
            let text = place::ref_text(ast, target);
            Err(fl.error_at("K0378", format!("{text} cannot be assigned to"), scope.file, target.span))
        }
    }
}

fn leaves_below(fl: &mut Flattener<'_>, id: InstId, out: &mut Vec<InstId>) -> Res<()> {
    let id = instance::resolve(fl, id)?;
    match fl.inst(id).node.clone() {
        tree::Node::Leaf(..) => out.push(id),
        tree::Node::Struct => {
            for child in instance::children(fl, id)? {
                leaves_below(fl, child, out)?;
            }
        }
        tree::Node::Array(_, elements) => {
            for &e in elements.iter() {
                leaves_below(fl, e, out)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// An instance as a value of the function.
fn outer_instance(fl: &mut Flattener<'_>, lo: &mut Lower, id: InstId) -> Res<TVal> {
    match fl.inst(id).node.clone() {
        tree::Node::Leaf(_, shape) => outer_leaf(fl, lo, id, &shape),
        tree::Node::Struct => {
            let klass = fl.inst(id).klass;
            let mut fields = Vec::new();
            for child in instance::children(fl, id)? {
                let child = instance::resolve(fl, child)?;
                if !matches!(fl.inst(child).node, tree::Node::Disabled) {
                    fields.push((fl.inst(child).name, outer_instance(fl, lo, child)?));
                }
            }
            Ok(table::TVal::Record { klass, rank: 0, fields })
        }
        tree::Node::Array(shape, elements) => match lo.outer.as_ref().and_then(|o| o.arrays.get(&id)) {
            Some(Some(value)) => Ok(value.clone()),
            Some(None) => {
                let path_here = fl.path(id);
                let value = outer_elements(fl, lo, &path_here, &shape, &elements)?;
                if let Some(outer) = &mut lo.outer {
                    outer.arrays.insert(id, Some(value.clone()));
                }
                Ok(value)
            }
            None => {
                let value = bindings::instance_value(fl, id)?;
                pass(fl, lo, &value)
            }
        },
        _ => {
            let path = fl.path(id);
            let diagnostic = kausal_syntax::Diagnostic::error(
                "K0318",
                format!("{path} is used, but its condition is false"),
            );
            Err(instance::report_at_decl(fl, id, diagnostic))
        }
    }
}

/// An array of components of which some variables are assigned: one local variable for each field, with the dimensions of
/// the array in front. Of components that are not records only what is assigned is in it.
fn outer_elements(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    path: &str,
    shape: &[usize],
    elements: &[InstId],
) -> Res<TVal> {
    let Some(&first) = elements.first() else { return Ok(table::TVal::Nothing) };
    let klass = fl.inst(first).klass;
    let record = instance::is_record(fl, first);
    let mut fields = Vec::new();
    for child in instance::children(fl, first)? {
        let name = fl.inst(child).name;
        let mut column = Vec::with_capacity(elements.len());
        for &element in elements {
            let Some(field) = instance::child(fl, element, name)? else { return Err(Reported) };
            column.push(instance::resolve(fl, field)?);
        }
        let mut leaves = Vec::new();
        for &field in &column {
            leaves_below(fl, field, &mut leaves)?;
        }
        let assigned = |o: &Outer| leaves.iter().any(|l| o.assigned.contains(l));
        if !record && !lo.outer.as_ref().is_some_and(assigned) {
            continue;
        }
        let path = format!("{path}.{name}");
        let value = match fl.inst(column[0]).node.clone() {
            tree::Node::Leaf(_, own) => outer_column(fl, lo, path, shape, &own, &column)?,
            tree::Node::Struct => outer_elements(fl, lo, &path, shape, &column)?,
            tree::Node::Array(own, _) => {
                let mut all = Vec::new();
                for &field in &column {
                    let tree::Node::Array(_, inner) = fl.inst(field).node.clone() else {
                        return Err(Reported);
                    };
                    all.extend_from_slice(&inner);
                }
                let full: Vec<usize> = shape.iter().chain(own.iter()).copied().collect();
                outer_elements(fl, lo, &path, &full, &all)?
            }
            _ => continue,
        };
        fields.push((name, value));
    }
    Ok(table::TVal::Record { klass, rank: shape.len(), fields })
}

/// One field of all elements of an array of components.
fn outer_column(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    path: String,
    shape: &[usize],
    own: &[usize],
    leaves: &[InstId],
) -> Res<TVal> {
    let info = fl.inst(leaves[0]).info.clone();
    let ty = info.and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
    let Some(outer) = &lo.outer else { return Err(Reported) };
    if !leaves.iter().any(|l| outer.assigned.contains(l)) {
        let value = bindings::array_value(fl, leaves[0], shape, leaves)?;
        return pass(fl, lo, &value);
    }
    let initial = outer.initial;
    let dims: Vec<Dim> = shape.iter().chain(own).map(|&n| Dim::Known(n)).collect();
    let local = lo.local(path.clone(), ty, dims.clone());
    lo.function.outputs.push(local);
    let input = lo.local(format!("{path}.before"), ty, dims);
    lo.function.inputs.push(input);
    let term = lo.term(Term::Local(input));
    lo.function.locals[local.0 as usize].initial = Some(term);
    let mut variables = Vec::new();
    let mut before = Vec::new();
    for &leaf in leaves {
        before.extend(value_before(fl, leaf, ty, initial)?);
        variables.extend(all_variables(fl, leaf)?);
    }
    if let Some(outer) = &mut lo.outer {
        outer.args.extend(before);
        outer.outputs.push(variables);
    }
    let term = lo.term(Term::Local(local));
    Ok(table::TVal::Plain { ty, rank: shape.len() + own.len(), term })
}

/// The variables of a leaf.
fn all_variables(fl: &mut Flattener<'_>, leaf: InstId) -> Res<Vec<VarId>> {
    let Some((first, count)) = instance::variables(fl, leaf) else { return Err(Reported) };
    Ok((0..count as u32).map(|i| VarId(first.0 + i)).collect())
}

fn outer_leaf(fl: &mut Flattener<'_>, lo: &mut Lower, id: InstId, shape: &[usize]) -> Res<TVal> {
    let Some(outer) = &lo.outer else { return Err(Reported) };
    if let Some(value) = outer.leaves.get(&id) {
        return Ok(value.clone());
    }
    let ty = fl.inst(id).info.as_ref().and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
    let dims: Vec<Dim> = shape.iter().map(|&n| Dim::Known(n)).collect();
    let path = fl.path(id);
    let value = if outer.assigned.contains(&id) {
        let kept = outer.kept.contains(&id);
        let local = lo.local(path.clone(), ty, dims.clone());
        lo.function.outputs.push(local);
        if kept {
            let before = value_before(fl, id, ty, outer_initial(lo))?;
            let input = lo.local(format!("{path}.before"), ty, dims);
            lo.function.inputs.push(input);
            let term = lo.term(Term::Local(input));
            lo.function.locals[local.0 as usize].initial = Some(term);
            if let Some(outer) = &mut lo.outer {
                outer.args.extend(before);
            }
        }
        let variables = all_variables(fl, id)?;
        if let Some(outer) = &mut lo.outer {
            outer.outputs.push(variables);
        }
        let term = lo.term(Term::Local(local));
        table::TVal::Plain { ty, rank: shape.len(), term }
    } else {
        let value = bindings::instance_value(fl, id)?;
        pass(fl, lo, &value)?
    };
    if let Some(outer) = &mut lo.outer {
        outer.leaves.insert(id, value.clone());
    }
    Ok(value)
}

/// The value an assigned variable has when the algorithm begins.
fn value_before(fl: &mut Flattener<'_>, id: InstId, ty: Ty, initial: bool) -> Res<Vec<ExprId>> {
    let Some((first, count)) = instance::variables(fl, id) else { return Err(Reported) };
    let discrete =
        ty != Ty::Real || fl.when_leaves.contains(&id) || fl.inst(id).variability == Variability::Discrete;
    let mut out = Vec::with_capacity(count);
    for i in 0..count as u32 {
        if discrete && !initial && fl.inst(id).variability > Variability::Parameter {
            let var = fl.pool.var(VarId(first.0 + i));
            out.push(fl.pool.op(Op::Pre, &[var]));
            continue;
        }
        out.push(match fold::start_value(fl, id, i)? {
            Some(e) => e,
            None if ty == Ty::String => fl.pool.text(""),
            None => fl.pool.constant(if matches!(ty, Ty::Enumeration(_)) { 1.0 } else { 0.0 }),
        });
    }
    Ok(out)
}

/// Passes a value of the model into the function; constants are embedded.
fn pass(fl: &mut Flattener<'_>, lo: &mut Lower, value: &Value) -> Res<TVal> {
    if bindings::is_constant(&fl.pool, value) {
        return term::embed(&mut fl.pool, lo, value);
    }
    match value {
        Value::Plain(ty, array) => {
            let key = array.data().to_vec();
            let known = lo.outer.as_ref().and_then(|o| o.passed.get(&key)).cloned();
            if let Some(known) = known
                && known.rank() == array.rank()
            {
                return Ok(known);
            }
            let dims = array.shape().iter().map(|&n| Dim::Known(n)).collect();
            let number = lo.function.inputs.len() + 1;
            let local = lo.local(format!("u{number}"), *ty, dims);
            let object =
                key.first().filter(|_| *ty == Ty::External).and_then(|&e| sink::as_variable(&fl.pool, e));
            if let Some(klass) = object.map(|var| fl.inst(fl.slots[var.index()].0).klass) {
                let class = functions::external_class(fl.cx, klass);
                lo.function.notes.external_classes.push((local, class));
            }
            lo.function.inputs.push(local);
            let term = lo.term(Term::Local(local));
            let value = table::TVal::Plain { ty: *ty, rank: array.rank(), term };
            if let Some(outer) = &mut lo.outer {
                outer.args.extend_from_slice(&key);
                outer.values.insert(local, (array.shape().to_vec(), key.clone()));
                outer.passed.insert(key, value.clone());
            }
            Ok(value)
        }
        Value::Record(record) => {
            let mut fields = Vec::with_capacity(record.fields.len());
            for (name, field) in &record.fields {
                fields.push((*name, pass(fl, lo, field)?));
            }
            Ok(table::TVal::Record { klass: record.klass, rank: record.shape.len(), fields })
        }
        other => term::embed(&mut fl.pool, lo, other),
    }
}

/// Subscripts that do not depend on loop variables of the algorithm.
fn known_subscripts(
    fl: &mut Flattener<'_>,
    lo: &Lower,
    scope: Scope,
    ast: &Ast,
    part: &RefPart,
    shape: &[usize],
) -> Option<Vec<Sub>> {
    let mut local = false;
    for &e in ast.lists.exprs.get(part.subscripts) {
        crate::walk::references(ast, e, &mut |r| {
            if let Some(p) = ast.lists.parts.get(r.parts).first() {
                local |= lo.env.get(&p.name.symbol).is_some_and(|v| !is_number(lo, v));
            }
        });
    }
    if local {
        return None;
    }
    let mark = fl.cx.diagnostics.len();
    match reference::subscripts(fl, scope, ast, part, shape, None) {
        Ok(subs) if !subs.iter().any(|s| matches!(s, Sub::Symbolic(_) | Sub::Symbolics(_))) => Some(subs),
        _ => {
            fl.cx.diagnostics.truncate(mark);
            None
        }
    }
}

/// A reference through an array of components: all elements are passed, subscripts choose among them.
fn lower_slice(fl: &mut Flattener<'_>, lo: &mut Lower, ast: &Ast, reference: &ComponentRef) -> Res<TVal> {
    let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Err(Reported) };
    let scope = Scope { klass: lo.klass, file: lo.file, ..scope };
    let mut parts = ast.lists.parts.get(reference.parts).to_vec();
    let given = parts.clone();
    for part in &mut parts {
        part.subscripts = kausal_syntax::arena::List::EMPTY;
    }
    let mut ranks = Vec::with_capacity(parts.len());
    let mut before = 0;
    let mut last = None;
    for n in 1..=parts.len() {
        let cursor = fl.resolve_prefix(scope, ast, reference, &parts[..n])?;
        let rank = match &cursor {
            Cursor::Inst(id) => match &fl.inst(*id).node {
                tree::Node::Leaf(_, shape) | tree::Node::Array(shape, _) => shape.len(),
                _ => 0,
            },
            Cursor::Insts { shape, .. } => shape.len(),
            Cursor::Value(value) => value.rank(),
            _ => 0,
        };
        ranks.push(rank - before);
        before = rank;
        last = Some(cursor);
    }
    let value = match last {
        Some(Cursor::Value(value)) => value,
        Some(Cursor::Inst(id)) => bindings::instance_value(fl, id)?,
        Some(Cursor::Insts { shape, list, .. }) if !list.is_empty() => {
            bindings::array_value(fl, list[0], &shape, &list)?
        }
        _ => return Err(Reported),
    };
    let mut used = Vec::new();
    value.scalars(&mut used);
    for e in used {
        if let Some(var) = sink::as_variable(&fl.pool, e)
            && lo.outer.as_ref().is_some_and(|o| o.assigned.contains(&fl.slots[var.index()].0))
        {
            let message = "an algorithm cannot use elements of an array of components that it assigns";
            return Err(fl.error_at("K0391", message, lo.file, reference.span));
        }
    }
    let value = pass(fl, lo, &value)?;
    let mut subs = Vec::new();
    let mut scalars = 0;
    for (part, rank) in given.iter().zip(&ranks) {
        if part.subscripts.is_empty() {
            subs.extend(std::iter::repeat_n(Subscript::All, *rank));
        } else {
            let (list, count) = term::lower_subscripts(fl, lo, ast, part, &value, subs.len())?;
            let missing = rank.saturating_sub(list.len());
            subs.extend(list);
            subs.extend(std::iter::repeat_n(Subscript::All, missing));
            scalars += count;
        }
    }
    Ok(value.map(-(scalars as isize), &mut |term, rank| {
        let mut all = subs.clone();
        all.resize(rank.max(subs.len()), Subscript::All);
        lo.term(Term::Index(term, all))
    }))
}

/// Is it a number known now, like the variable of an unrolled loop?
fn is_number(lo: &Lower, value: &TVal) -> bool {
    matches!(value, table::TVal::Plain { term, rank: 0, .. } if matches!(lo.function.term(*term), Term::Const(_)))
}

/// Does a value have the fields that these parts of a reference name?
fn has_fields(value: &TVal, parts: &[RefPart]) -> bool {
    let mut at = Some(value);
    for part in parts {
        at = at.and_then(|v| v.field(part.name.symbol));
    }
    at.is_some()
}

fn outer_initial(lo: &Lower) -> bool {
    lo.outer.as_ref().is_some_and(|o| o.initial)
}

/// Names of variables that are assigned as a whole, at the top of the algorithm and before they are read.
fn sure_names(ast: &Ast, statements: &[Statement]) -> Vec<Symbol> {
    let mut sure = Vec::new();
    let mut read: FxHashSet<Symbol> = FxHashSet::default();
    for statement in statements {
        let note = |e: ast::ExprId, read: &mut FxHashSet<Symbol>| {
            crate::walk::references(ast, e, &mut |r| {
                if let Some(p) = ast.lists.parts.get(r.parts).first() {
                    read.insert(p.name.symbol);
                }
            });
        };
        match &statement.kind {
            StatementKind::Assign(target, value) => {
                note(*value, &mut read);
                if let [part] = ast.lists.parts.get(target.parts)
                    && part.subscripts.is_empty()
                    && !read.contains(&part.name.symbol)
                {
                    sure.push(part.name.symbol);
                }
            }
            StatementKind::AssignTuple { targets, call } => {
                note(*call, &mut read);
                for target in targets.iter().flatten() {
                    if let [part] = ast.lists.parts.get(target.parts)
                        && part.subscripts.is_empty()
                        && !read.contains(&part.name.symbol)
                    {
                        sure.push(part.name.symbol);
                    }
                }
            }
            _ => {
                // Whatever is mentioned in a nested statement may be read there.
                let mut mention = |s: &Statement| match &s.kind {
                    StatementKind::Assign(target, value) => {
                        note(*value, &mut read);
                        if let Some(p) = ast.lists.parts.get(target.parts).first() {
                            read.insert(p.name.symbol);
                        }
                    }
                    StatementKind::AssignTuple { targets, call } => {
                        note(*call, &mut read);
                        for target in targets.iter().flatten() {
                            if let Some(p) = ast.lists.parts.get(target.parts).first() {
                                read.insert(p.name.symbol);
                            }
                        }
                    }
                    StatementKind::Call(e) => note(*e, &mut read),
                    StatementKind::If { branches, .. } | StatementKind::When { branches } => {
                        branches.iter().for_each(|(c, _)| note(*c, &mut read));
                    }
                    StatementKind::While { condition, .. } => note(*condition, &mut read),
                    StatementKind::For { iterators, .. } => {
                        for iterator in ast.lists.iterators.get(*iterators) {
                            if let Some(range) = iterator.range {
                                note(range, &mut read);
                            }
                        }
                    }
                    StatementKind::Break | StatementKind::Return => {}
                };
                crate::walk::statements(std::slice::from_ref(statement), &mut mention);
            }
        }
    }
    sure
}
