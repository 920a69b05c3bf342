//! Rules about the equations of the whole model: parameters that need one another, values that vary more than
//! what they are given to, variables assigned in several `when` clauses, `reinit` of what is no state
//! (specification sections 3.7.5, 3.8, 4.4.4, 8.3.5 and 8.3.6).

use kausal_symbolic::function::Scalar;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::{ExprId, Node as Expression, Op, Pool, VarId};
use kausal_syntax::ast::{Causality, ClassKind, Variability};
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::assigned_in;
use crate::class::Res;
use crate::flat::{Action, ActionKind, Equation, OriginKind};
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::rules::{influence, purity};
use crate::sink::Sink;
use crate::value::{Ty, Value};
use crate::{bindings, builtins, fold, instance, sink, tree};

/// Checks the equations of the whole model.
pub(crate) fn check_flat(fl: &mut Flattener<'_>, sink: &Sink) {
    check_values(fl);
    if !is_clocked(&fl.pool) {
        check_discrete(fl, sink);
        // A `when` clause with errors is left out.
        if !fl.cx.diagnostics.iter().any(Diagnostic::is_error) {
            check_discrete_reals(fl, sink);
        }
    }
    check_cycles(fl);
    check_whens(fl, sink);
    check_pre(fl);
    purity::check_purity(fl, sink);
}

/// The leaves that have variables, in order.
fn leaves(fl: &Flattener<'_>) -> Vec<InstId> {
    let mut leaves: Vec<InstId> = Vec::new();
    for &(leaf, _) in &fl.slots {
        if leaves.last() != Some(&leaf) {
            leaves.push(leaf);
        }
    }
    leaves
}

/// The value of a constant is constant, that of a parameter a parameter.
fn check_values(fl: &mut Flattener<'_>) {
    for leaf in leaves(fl) {
        let inst = fl.inst(leaf);
        if inst.is_static || inst.variability == Variability::Continuous {
            continue;
        }
        let Some(info) = inst.info.clone() else { continue };
        if !bindings::has_binding(fl, leaf) {
            if fl.inst(leaf).variability == Variability::Constant {
                let message = format!("the constant {} has no value", fl.path(leaf));
                instance::report_at_decl(fl, leaf, Diagnostic::error("K0320", message));
            }
            continue;
        }
        let inst = fl.inst(leaf);
        let (own, real) = (inst.variability, info.leaf.is_none_or(|l| Ty::of(l.builtin) == Ty::Real));
        if own == Variability::Discrete && !real {
            continue;
        }
        let Ok(Some(value)) = fl.binding(leaf) else { continue };
        let Value::Plain(_, array) = &*value else { continue };
        let worst = array.data().iter().copied().find_map(|e| {
            let found = if own == Variability::Discrete { varies(fl, e) } else { fold::variability(fl, e) };
            (found > own).then_some((e, found))
        });
        let Some((e, found)) = worst else { continue };
        if fl.cx.diagnostics.iter().any(|d| d.labels.iter().any(|l| l.location == info.location)) {
            continue;
        }
        let culprit = first_variable(fl, e, own);
        let (own, found) = (variability_text(own), variability_text(found));
        let path = fl.path(leaf);
        let message = match culprit.map(|v| instance::variable_name(fl, v)) {
            Some(name) => format!("{path} is {own}, but its value depends on {name}, which is {found}"),
            None => format!("{path} is {own}, but its value is {found}"),
        };
        let mut diagnostic = Diagnostic::error("K0324", message);
        if let Some(place) = fl.own_binding(leaf) {
            let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
            diagnostic = diagnostic.at(fl.cx.lib.location(place.file, span), "this value");
        }
        diagnostic = diagnostic.at(info.location, "declared here");
        if let Some(other) = culprit.and_then(|v| fl.inst(fl.slots[v.index()].0).info.clone()) {
            diagnostic = diagnostic.at(other.location, "this varies");
        }
        fl.cx.report(diagnostic);
    }
}

/// Does the model use operators of clocked models? What is clocked there is not continuous, and which variables that
/// concerns is not known yet.
fn is_clocked(pool: &Pool) -> bool {
    let names = pool.functions().filter_map(|(_, f)| builtins::operator_name(f));
    names.into_iter().any(|name| name != "spatialDistribution")
}

/// A value that is written down lies between `min` and `max` (specification section 4.9.1), as far as those are too.
pub(crate) fn check_bounds(
    fl: &mut Flattener<'_>,
    leaf: InstId,
    value: &Option<Value>,
    min: &Option<Value>,
    max: &Option<Value>,
) {
    let Some(Value::Plain(_, values)) = value else { return };
    let element = |bound: &Option<Value>, i: usize| match bound {
        Some(Value::Plain(_, a)) if a.rank() == 0 => a.data().first().copied(),
        Some(Value::Plain(_, a)) => a.data().get(i).copied(),
        _ => None,
    };
    for (i, &e) in values.data().iter().enumerate() {
        let number = |e: Option<ExprId>| e.and_then(|e| fl.pool.as_constant(e));
        let Some(x) = number(Some(e)) else { continue };
        let (low, high) = (number(element(min, i)), number(element(max, i)));
        let (side, bound) = match (low.filter(|&b| x < b), high.filter(|&b| x > b)) {
            (Some(b), _) => ("below its minimum", b),
            (_, Some(b)) => ("above its maximum", b),
            _ => continue,
        };
        let message = format!("{} is {x}, {side} {bound}", fl.path(leaf));
        let mut warning = Diagnostic::warning("K0330", message);
        if let Some(place) = fl.own_binding(leaf) {
            let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
            warning = warning.at(fl.cx.lib.location(place.file, span), "this value");
        }
        instance::report_at_decl(fl, leaf, warning);
        return;
    }
}

/// Attributes do not vary: they are used before the model runs (specification section 4.9).
pub(crate) fn check_attribute(fl: &mut Flattener<'_>, leaf: InstId, name: &str, value: &Value) -> Res<()> {
    let Value::Plain(_, array) = value else { return Ok(()) };
    let varies = |this: &mut Flattener<'_>, e: ExprId| fold::variability(this, e) > Variability::Parameter;
    let Some(e) = array.data().iter().copied().find(|&e| varies(fl, e)) else { return Ok(()) };
    let path = fl.path(leaf);
    let culprit = first_variable(fl, e, Variability::Parameter);
    let why = match culprit {
        Some(v) => format!("but it depends on {}, which varies", instance::variable_name(fl, v)),
        None => "but it varies with time".to_owned(),
    };
    let message = format!("{name} of {path} must be known before the model runs, {why}");
    let mut diagnostic = Diagnostic::error("K0328", message)
        .help("use constants and parameters; a start value that depends on variables is an initial equation");
    let info = fl.inst(leaf).info.clone();
    if let Some(leaf) = info.as_ref().and_then(|i| i.leaf)
        && let Some((place, _)) = fl.cx.attribute(leaf.mods, kausal_syntax::Symbol::new(name))
    {
        let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
        diagnostic = diagnostic.at(fl.cx.lib.location(place.file, span), "this value");
    }
    Err(instance::report_at_decl(fl, leaf, diagnostic))
}

/// Is it a variable whose values are not numbers on a line: Boolean, Integer, String or of an enumeration?
fn is_discrete_valued(fl: &Flattener<'_>, leaf: InstId) -> bool {
    let inst = fl.inst(leaf);
    let leaf = inst.info.as_ref().and_then(|i| i.leaf);
    inst.variability > Variability::Parameter
        && leaf.is_some_and(|l| {
            matches!(Ty::of(l.builtin), Ty::Boolean | Ty::Integer | Ty::String | Ty::Enumeration(_))
        })
}

/// Is it an expression whose type is Real, as far as can be seen?
fn is_real(fl: &Flattener<'_>, e: ExprId) -> bool {
    let mut at = e;
    loop {
        match fl.pool.node(at) {
            Expression::Var(v) => {
                let leaf = fl.inst(fl.slots[v.index()].0).info.as_ref().and_then(|i| i.leaf);
                return leaf.is_none_or(|l| Ty::of(l.builtin) == Ty::Real);
            }
            Expression::Op(Op::If, args) => at = args[1],
            Expression::Op(Op::NoEvent | Op::Neg, args) => at = args[0],
            Expression::Op(Op::Smooth, args) => at = args[1],
            Expression::Op(Op::Add | Op::Mul, args) => match args.iter().find(|&&a| is_real_term(fl, a)) {
                Some(_) => return true,
                None => return false,
            },
            Expression::Op(Op::Time | Op::Der | Op::Div | Op::Delay, _) => return true,
            _ => return false,
        }
    }
}

fn is_real_term(fl: &Flattener<'_>, e: ExprId) -> bool {
    match fl.pool.node(e) {
        Expression::Var(v) => !is_discrete_valued(fl, fl.slots[v.index()].0),
        Expression::Op(op, _) => matches!(op, Op::Time | Op::Der | Op::Div | Op::Delay),
        _ => false,
    }
}

/// Integer fields of records that functions give, like the phase of a medium, may follow from what is continuous:
/// they become discrete by `integer`, which causes an event where the value jumps.
pub(crate) fn hold_integer_fields(fl: &mut Flattener<'_>, sink: &mut Sink) {
    for equation in &mut sink.equations {
        if !matches!(equation.origin.kind, OriginKind::Equation | OriginKind::Binding) {
            continue;
        }
        let (lhs, rhs) = (equation.lhs, equation.rhs);
        let value = match (is_integer_field(fl, lhs), is_integer_field(fl, rhs)) {
            (true, _) => &mut equation.rhs,
            (false, true) => &mut equation.lhs,
            (false, false) => continue,
        };
        let result = matches!(fl.pool.node(*value), Expression::Output(..) | Expression::Call(..));
        if result && varies(fl, *value) != Variability::Discrete {
            let half = fl.pool.constant(0.5);
            let sum = fl.pool.op(Op::Add, &[*value, half]);
            *value = fl.pool.op(Op::Integer, &[sum]);
        }
    }
}

/// Is it an Integer variable in a record?
fn is_integer_field(fl: &Flattener<'_>, e: ExprId) -> bool {
    let Expression::Var(v) = fl.pool.node(e) else { return false };
    let inst = fl.inst(fl.slots[v.index()].0);
    let leaf = inst.info.as_ref().and_then(|i| i.leaf);
    let around = inst.parent.and_then(|p| fl.inst(p).info.as_ref()).map(|i| i.kind);
    inst.variability > Variability::Parameter
        && leaf.is_some_and(|l| Ty::of(l.builtin) == Ty::Integer)
        && matches!(around, Some(ClassKind::Record | ClassKind::OperatorRecord))
}

/// Both sides of an equation between discrete values are discrete-time expressions (specification section 3.8.4), and so
/// is what algorithm sections assign to discrete values.
fn check_discrete(fl: &mut Flattener<'_>, sink: &Sink) {
    let sections = varying_in_sections(fl, sink);
    for equation in &sink.equations {
        let variable = |this: &Flattener<'_>, e| match this.pool.node(e) {
            Expression::Var(v) if is_discrete_valued(this, this.slots[v.index()].0) => Some(v),
            _ => None,
        };
        let (var, value) = match (variable(fl, equation.lhs), variable(fl, equation.rhs)) {
            (Some(v), _) => (v, equation.rhs),
            (None, Some(v)) => (v, equation.lhs),
            (None, None) => continue,
        };
        let continuous = match equation.origin.kind {
            // An equation between an Integer and a Real may determine the Real.
            OriginKind::Equation | OriginKind::Binding => {
                !is_real(fl, value) && varies(fl, value) != Variability::Discrete
            }
            OriginKind::Algorithm => sections.contains(&value),
            _ => false,
        };
        if continuous {
            report_continuous(fl, var, equation);
        }
    }
}

fn report_continuous(fl: &mut Flattener<'_>, var: VarId, equation: &Equation) {
    let (leaf, name) = (fl.slots[var.index()].0, instance::variable_name(fl, var));
    let ty = fl.inst(leaf).info.as_ref().and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
    let message =
        format!("{name} is {}, which changes at events only, but its value is continuous", ty.text());
    let mut diagnostic = Diagnostic::error("K0324", message)
        .help("let a relation outside noEvent decide when it changes, or assign it in a `when` clause");
    let place = match equation.origin.kind {
        OriginKind::Binding => fl.own_binding(leaf).map(|place| {
            let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
            fl.cx.lib.location(place.file, span)
        }),
        _ => equation.origin.location,
    };
    if let Some(place) = place {
        diagnostic = diagnostic.at(place, "this value");
    }
    instance::report_at_decl(fl, leaf, diagnostic);
}

/// The results of algorithm sections that vary between events.
fn varying_in_sections(fl: &mut Flattener<'_>, sink: &Sink) -> FxHashSet<ExprId> {
    let mut results: Vec<(ExprId, Vec<(usize, ExprId, VarId)>)> = Vec::new();
    for equation in sink.equations.iter().filter(|e| e.origin.kind == OriginKind::Algorithm) {
        if let (Expression::Output(call, k), Expression::Var(v)) =
            (fl.pool.node(equation.rhs), fl.pool.node(equation.lhs))
        {
            let result = (k as usize, equation.rhs, v);
            match results.last_mut().filter(|(last, _)| *last == call) {
                Some((_, list)) => list.push(result),
                None => results.push((call, vec![result])),
            }
        }
    }
    let mut found = FxHashSet::default();
    for (call, list) in results {
        if list.iter().any(|(_, _, v)| is_discrete_valued(fl, fl.slots[v.index()].0)) {
            varying_in_section(fl, call, &list, &mut found);
        }
    }
    found
}

/// The same for one section: its call, and its results with the variables they are for.
fn varying_in_section(
    fl: &mut Flattener<'_>,
    call: ExprId,
    results: &[(usize, ExprId, VarId)],
    found: &mut FxHashSet<ExprId>,
) {
    let Expression::Call(id, args) = fl.pool.node(call) else { return };
    let (args, function) = (args.to_vec(), fl.pool.function(id));
    if !function.notes.generate_events {
        return;
    }
    let (Some(inputs), Some(outputs)) = (Layout::of_inputs(function), Layout::of_outputs(function)) else {
        return;
    };
    let mut varying = Vec::new();
    for entry in inputs.entries.iter().filter(|entry| entry.scalar == Scalar::Real) {
        let own = args.get(entry.offset..entry.offset + entry.len).unwrap_or(&[]);
        if own.iter().any(|&arg| self::varies(fl, arg) == Variability::Continuous) {
            varying.push(entry.local);
        }
    }
    // What `when` statements assign, they assign at events.
    let mut held = Vec::new();
    for &(k, _, v) in results {
        let leaf = fl.slots[v.index()].0;
        if (fl.assigned_when.contains(&v) || fl.when_leaves.contains(&leaf))
            && let Some((entry, _)) = outputs.find(k)
        {
            held.push(entry.local);
        }
    }
    let locals = influence::varying(&fl.pool, fl.pool.function(id), &varying, &held);
    let varies = |k: usize| outputs.find(k).is_some_and(|(entry, _)| locals.contains(&entry.local));
    found.extend(results.iter().filter(|(k, ..)| varies(*k)).map(|(_, e, _)| *e));
}

/// What is declared `discrete` is assigned in a `when` clause (specification section 4.4.4); inputs, connectors and
/// what has a value of its own get theirs from elsewhere.
fn check_discrete_reals(fl: &mut Flattener<'_>, sink: &Sink) {
    // The algorithm sections of a flat model that was read back are calls of functions.
    let called: FxHashSet<VarId> = sink
        .equations
        .iter()
        .filter(|e| matches!(fl.pool.node(e.rhs), Expression::Output(..)))
        .filter_map(|e| sink::as_variable(&fl.pool, e.lhs))
        .collect();
    for leaf in leaves(fl) {
        let inst = fl.inst(leaf);
        let Some(info) = inst.info.clone() else { continue };
        let tree::Node::Leaf(Some(first), shape) = &inst.node else { continue };
        let (first, count) = (*first, shape.iter().product::<usize>() as u32);
        let is_real = info.leaf.is_some_and(|l| Ty::of(l.builtin) == Ty::Real);
        if info.variability != Variability::Discrete
            || !is_real
            || inst.is_static
            || inst.causality == Causality::Input
            || bindings::has_binding(fl, leaf)
            || instance::in_connector(fl, leaf)
            || fl.when_leaves.contains(&leaf)
            || count == 0
            || (0..count)
                .map(|i| VarId(first.0 + i))
                .any(|v| fl.assigned_when.contains(&v) || called.contains(&v))
        {
            continue;
        }
        let path = fl.path(leaf);
        let message = format!("{path} is declared discrete, but no `when` clause assigns it");
        let help = "assign it in a `when` clause, or leave out `discrete`";
        instance::report_at_decl(fl, leaf, Diagnostic::error("K0327", message).help(help));
    }
}

/// Continuous, unless every continuous part is inside a relation or something else that only jumps; inside `noEvent`
/// nothing jumps.
fn varies(fl: &mut Flattener<'_>, e: ExprId) -> Variability {
    let mut stack = vec![(e, false)];
    let mut seen = FxHashSet::default();
    while let Some((e, smooth)) = stack.pop() {
        if !seen.insert((e, smooth)) {
            continue;
        }
        match fl.pool.node(e) {
            Expression::Op(op, args) => match op {
                Op::Time | Op::Der | Op::Delay => return Variability::Continuous,
                Op::NoEvent => stack.extend(args.iter().map(|&a| (a, true))),
                op if influence::only_jumps(op, smooth) => {}
                _ => stack.extend(args.iter().map(|&a| (a, smooth))),
            },
            Expression::Var(v) => {
                let inst = fl.inst(fl.slots[v.index()].0);
                let real =
                    inst.info.as_ref().and_then(|i| i.leaf).is_none_or(|l| Ty::of(l.builtin) == Ty::Real);
                let discrete = fl.assigned_when.contains(&v)
                    || fl.when_leaves.contains(&fl.slots[v.index()].0)
                    || inst.variability < Variability::Continuous;
                if real && !discrete {
                    return Variability::Continuous;
                }
            }
            Expression::Call(function, args) => {
                match builtins::operator_name(fl.pool.function(function)) {
                    Some("spatialDistribution") => return Variability::Continuous,
                    Some(_) => {}
                    // Records hold both, and one result may depend on less than all arguments.
                    None if fl.pool.function(function).outputs.len() > 1 => {}
                    // Relations in it cause events, like those of an algorithm section.
                    None if fl.pool.function(function).notes.generate_events => {}
                    None => stack.extend(args.iter().map(|&a| (a, smooth))),
                }
            }
            Expression::Output(call, output) => match deciding(&fl.pool, call, output as usize) {
                Some(args) => stack.extend(args.into_iter().map(|a| (a, smooth))),
                None => stack.push((call, smooth)),
            },
            _ => {}
        }
    }
    Variability::Discrete
}

/// The arguments that decide one of several results of a call, where that can be said.
fn deciding(pool: &Pool, call: ExprId, output: usize) -> Option<Vec<ExprId>> {
    let Expression::Call(id, args) = pool.node(call) else { return None };
    let function = pool.function(id);
    let operator = builtins::operator_name(function).is_some();
    if operator || function.outputs.len() < 2 || function.notes.generate_events {
        return None;
    }
    let inputs = influence::inputs_of(function, output)?;
    inputs.iter().map(|&i| args.get(i).copied()).collect()
}

fn first_variable(fl: &Flattener<'_>, e: ExprId, above: Variability) -> Option<VarId> {
    let mut stack = vec![e];
    let mut seen = FxHashSet::default();
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        match fl.pool.node(e) {
            Expression::Var(v) if fl.inst(fl.slots[v.index()].0).variability > above => {
                return Some(v);
            }
            Expression::Op(_, args) | Expression::Call(_, args) => stack.extend(args.iter().rev()),
            Expression::Output(call, _) => stack.push(call),
            _ => {}
        }
    }
    None
}

/// Parameters whose values need one another.
fn check_cycles(fl: &mut Flattener<'_>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Open,
        Done,
    }
    let mut marks: FxHashMap<ExprId, Mark> = FxHashMap::default();
    for leaf in leaves(fl) {
        if fl.inst(leaf).variability > Variability::Parameter || !bindings::has_binding(fl, leaf) {
            continue;
        }
        let Some((first, count)) = instance::variables(fl, leaf) else { continue };
        for i in 0..count as u32 {
            let start = fl.pool.var(VarId(first.0 + i));
            let mut path: Vec<(ExprId, Vec<ExprId>)> = Vec::new();
            let mut next = Some(start);
            loop {
                if let Some(e) = next.take() {
                    match marks.get(&e) {
                        Some(Mark::Done) => {}
                        Some(Mark::Open) => {
                            let from = path.iter().position(|(p, _)| *p == e).unwrap_or(0);
                            let nodes: Vec<ExprId> = path[from..].iter().map(|(p, _)| *p).collect();
                            report_cycle(fl, &nodes);
                        }
                        None => {
                            marks.insert(e, Mark::Open);
                            let needs = self::needs(fl, e);
                            path.push((e, needs));
                        }
                    }
                }
                let Some((e, needs)) = path.last_mut() else { break };
                match needs.pop() {
                    Some(child) => next = Some(child),
                    None => {
                        marks.insert(*e, Mark::Done);
                        path.pop();
                    }
                }
            }
        }
    }
}

/// What must be known for an expression of parameters.
fn needs(fl: &mut Flattener<'_>, e: ExprId) -> Vec<ExprId> {
    match fl.pool.node(e) {
        Expression::Op(_, args) | Expression::Call(_, args) => args.to_vec(),
        Expression::Output(call, _) => vec![call],
        Expression::Var(v) => {
            let (leaf, offset) = fl.slots[v.index()];
            if fl.inst(leaf).variability > Variability::Parameter || !bindings::has_binding(fl, leaf) {
                return Vec::new();
            }
            match fl.binding(leaf) {
                Ok(Some(value)) => match &*value {
                    Value::Plain(_, array) => {
                        array.data().get(offset as usize).copied().into_iter().collect()
                    }
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn report_cycle(fl: &mut Flattener<'_>, nodes: &[ExprId]) {
    let vars: Vec<VarId> = nodes
        .iter()
        .filter_map(|&e| match fl.pool.node(e) {
            Expression::Var(v) => Some(v),
            _ => None,
        })
        .collect();
    let Some(&first) = vars.first() else { return };
    let names: Vec<String> = vars.iter().chain([&first]).map(|&v| instance::variable_name(fl, v)).collect();
    let location = fl.inst(fl.slots[first.index()].0).info.as_ref().map(|i| i.location);
    let known = fl
        .cx
        .diagnostics
        .iter()
        .any(|d| d.code == "K0315" && d.labels.first().map(|l| l.location) == location);
    if known {
        return;
    }
    let message = format!("the value of the parameter {} depends on itself: {}", names[0], names.join(" → "));
    let mut diagnostic = Diagnostic::error("K0315", message);
    for v in vars {
        if let Some(info) = &fl.inst(fl.slots[v.index()].0).info {
            diagnostic = diagnostic.at(info.location, "declared here");
        }
    }
    fl.cx.report(diagnostic);
}

/// One `when` clause per variable; `reinit` of states only.
fn check_whens(fl: &mut Flattener<'_>, sink: &Sink) {
    let mut first: FxHashMap<VarId, (usize, Option<Location>)> = FxHashMap::default();
    let mut reinits: Vec<(VarId, Option<Location>)> = Vec::new();
    for (i, when) in sink.whens.iter().enumerate() {
        let mut assigned = FxHashSet::default();
        for branch in &when.branches {
            assigned_in(&branch.actions, &mut assigned);
            reinits_in(&branch.actions, &mut reinits);
        }
        let mut assigned: Vec<VarId> = assigned.into_iter().collect();
        assigned.sort();
        for var in assigned {
            match first.get(&var) {
                Some(&(other, place)) if other != i => {
                    let name = instance::variable_name(fl, var);
                    let message = format!("{name} is assigned in two `when` clauses");
                    let mut diagnostic = Diagnostic::error("K0357", message)
                        .help("put the second one behind `elsewhen` of the first");
                    if let Some(location) = when.origin.location {
                        diagnostic = diagnostic.at(location, "assigned again here");
                    }
                    if let Some(location) = place {
                        diagnostic = diagnostic.at(location, "assigned here");
                    }
                    let id_here = fl.slots[var.index()].0;
                    instance::report_at_decl(fl, id_here, diagnostic);
                }
                Some(_) => {}
                None => {
                    first.insert(var, (i, when.origin.location));
                }
            }
        }
    }
    if reinits.is_empty() {
        return;
    }
    let mut differentiated = FxHashSet::default();
    for i in 0..fl.pool.len() as u32 {
        if let Expression::Op(Op::Der, args) = fl.pool.node(ExprId(i))
            && let Some(Expression::Var(v)) = args.first().map(|&a| fl.pool.node(a))
        {
            differentiated.insert(v);
        }
    }
    for (var, location) in reinits {
        if differentiated.contains(&var) {
            continue;
        }
        let name = instance::variable_name(fl, var);
        let message = format!("{name} cannot be reinitialised: it is not differentiated");
        let mut diagnostic = Diagnostic::error("K0358", message);
        if let Some(location) = location {
            diagnostic = diagnostic.at(location, "reinit here");
        }
        let id = fl.slots[var.index()].0;
        instance::report_at_decl(fl, id, diagnostic);
    }
}

/// Outside `when` only discrete variables have a value before an event (specification section 3.7.5).
fn check_pre(fl: &mut Flattener<'_>) {
    for (e, location) in std::mem::take(&mut fl.pre_uses) {
        let Some(var) = sink::as_variable(&fl.pool, e) else {
            if varies(fl, e) == Variability::Continuous {
                let message = "this has no value before an event: it is continuous";
                let help = "only what changes at events can be used in pre, edge and change outside `when`";
                fl.cx.report(Diagnostic::error("K0356", message).at(location, "outside `when`").help(help));
            }
            continue;
        };
        let leaf = fl.slots[var.index()].0;
        let inst = fl.inst(leaf);
        let real = inst.info.as_ref().and_then(|i| i.leaf).is_none_or(|l| Ty::of(l.builtin) == Ty::Real);
        if !real
            || inst.variability < Variability::Continuous
            || !matches!(inst.node, tree::Node::Leaf(..))
            || fl.assigned_when.contains(&var)
            || fl.when_leaves.contains(&leaf)
        {
            continue;
        }
        let name = instance::variable_name(fl, var);
        let message = format!("{name} has no value before an event: it is continuous");
        let help = format!("use it in a `when` clause, or assign {name} in one");
        let diagnostic = Diagnostic::error("K0356", message).at(location, "outside `when`").help(help);
        instance::report_at_decl(fl, leaf, diagnostic);
    }
}

fn reinits_in(actions: &[Action], out: &mut Vec<(VarId, Option<Location>)>) {
    for action in actions {
        match &action.kind {
            ActionKind::Reinit(var, _) => out.push((*var, action.origin.location)),
            ActionKind::If(_, a, b) => {
                reinits_in(a, out);
                reinits_in(b, out);
            }
            _ => {}
        }
    }
}

fn variability_text(v: Variability) -> &'static str {
    match v {
        Variability::Constant => "a constant",
        Variability::Parameter => "a parameter",
        Variability::Discrete => "discrete",
        Variability::Continuous => "continuous",
    }
}
