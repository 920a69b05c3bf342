//! What is most likely behind a model that is not balanced: variables that stand in no equation, variables that two
//! places give a value. The first ones are named; whether they are all is a question for matching, which comes later.

use kausal_symbolic::{ExprId, Node as Expression, Op, VarId};
use kausal_syntax::ast::Causality;
use kausal_syntax::diagnostic::Label;
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::FxHashSet;

use crate::check::{Counts, assigned_in, is_auxiliary};
use crate::flat::OriginKind;
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::sink::Sink;
use crate::{instance, sink};

/// So many variables are named.
const NAMED: usize = 3;

/// Adds the likely cause to a diagnostic about the whole model.
pub(super) fn with_cause(
    fl: &Flattener<'_>,
    diagnostic: Diagnostic,
    counts: Counts,
    sink: &Sink,
) -> Diagnostic {
    if counts.equations < counts.unknowns {
        with_unused(fl, diagnostic, sink)
    } else {
        with_twice(fl, diagnostic, sink)
    }
}

fn with_unused(fl: &Flattener<'_>, diagnostic: Diagnostic, sink: &Sink) -> Diagnostic {
    let mut used: FxHashSet<VarId> = FxHashSet::default();
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    for equation in sink.equations.iter().chain(sink.clocked.iter().flat_map(|w| &w.equations)) {
        let mut stack = vec![equation.lhs, equation.rhs];
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            match fl.pool.node(e) {
                Expression::Var(v) => {
                    used.insert(v);
                }
                Expression::Op(_, args) | Expression::Call(_, args) => stack.extend_from_slice(args),
                Expression::Output(call, _) => stack.push(call),
                _ => {}
            }
        }
    }
    for branch in sink.whens.iter().flat_map(|w| &w.branches) {
        assigned_in(&branch.actions, &mut used);
    }
    let is_open = |v: &VarId| {
        let leaf = fl.slots[v.index()].0;
        instance::is_unknown(fl, leaf)
            && !instance::is_given_outside(fl, leaf)
            && !used.contains(v)
            && !is_auxiliary(fl.inst(leaf).name.as_str())
    };
    let open: Vec<VarId> = (0..fl.slots.len() as u32).map(VarId).filter(is_open).collect();
    if open.is_empty() {
        return diagnostic;
    }
    let names: Vec<String> = open.iter().take(NAMED).map(|&v| instance::variable_name(fl, v)).collect();
    let mut diagnostic = diagnostic;
    if let Some(&v) = open.first() {
        let leaf = fl.slots[v.index()].0;
        let own = own_component(fl, leaf);
        let message = if own == leaf {
            "in no equation".to_owned()
        } else {
            format!("{} is in no equation", instance::variable_name(fl, v))
        };
        if let Some(info) = &fl.inst(own).info {
            first_label(&mut diagnostic, info.location, &message);
        }
    }
    let more = if open.len() > NAMED { " and others" } else { "" };
    let verb = if open.len() == 1 { "is" } else { "are" };
    diagnostic.help(format!("{}{more} {verb} in no equation", names.join(", ")))
}

/// Puts a place in front of the others.
fn first_label(diagnostic: &mut Diagnostic, location: Location, message: &str) {
    diagnostic.labels.insert(0, Label { location, message: message.to_owned() });
}

/// The component of the model itself that a variable is in, or the variable.
fn own_component(fl: &Flattener<'_>, leaf: InstId) -> InstId {
    let mut at = leaf;
    while let Some(parent) = fl.inst(at).parent
        && fl.inst(parent).parent.is_some()
    {
        at = parent;
    }
    at
}

/// A declaration with a value, a `when` clause or an algorithm determines its variable; an equation `x = …` besides is
/// likely to be the one too many, and so is one for an input that a connection gives its value. (Of two equations with `x`
/// on the left one may determine something else.) A value meant as a start value leaves nothing for `der(x) = …`.
fn with_twice(fl: &Flattener<'_>, mut diagnostic: Diagnostic, sink: &Sink) -> Diagnostic {
    let mut given: FxHashSet<VarId> = FxHashSet::default();
    for branch in sink.whens.iter().flat_map(|w| &w.branches) {
        assigned_in(&branch.actions, &mut given);
    }
    let of_kind = |kind: OriginKind| sink.equations.iter().filter(move |e| e.origin.kind == kind);
    let defined = |kind| of_kind(kind).filter_map(|e| sink::as_variable(&fl.pool, e.lhs));
    given.extend(defined(OriginKind::Binding));
    given.extend(defined(OriginKind::Algorithm));
    let mut connected: FxHashSet<VarId> = FxHashSet::default();
    for e in of_kind(OriginKind::Connect) {
        connected.extend([e.lhs, e.rhs].into_iter().filter_map(|side| sink::as_variable(&fl.pool, side)));
    }
    let is_input = |v: &VarId| {
        let leaf = fl.slots[v.index()].0;
        fl.inst(leaf).causality == Causality::Input && !instance::is_given_outside(fl, leaf)
    };
    for e in of_kind(OriginKind::Equation) {
        let sides = [e.lhs, e.rhs];
        let variable = |side: ExprId| sink::as_variable(&fl.pool, side);
        let help = if let Some(v) = variable(e.lhs).filter(|v| given.contains(v)) {
            format!("{} is given two values: leave one of them out", instance::variable_name(fl, v))
        } else if let Some(v) =
            sides.into_iter().filter_map(variable).find(|v| connected.contains(v) && is_input(v))
        {
            let name = instance::variable_name(fl, v);
            format!("{name} has its value from a connection: leave this equation or the connection out")
        } else if let Some(v) =
            sides.into_iter().filter_map(|side| differentiated(fl, side)).find(|v| given.contains(v))
        {
            let name = instance::variable_name(fl, v);
            format!(
                "the declaration of {name} gives its value at all times: a start value is written {name}(start = …)"
            )
        } else {
            continue;
        };
        if let Some(location) = e.origin.location.filter(|_| e.origin.component.is_empty()) {
            first_label(&mut diagnostic, location, "this equation");
        }
        return diagnostic.help(help);
    }
    diagnostic
}

/// The variable of `der(x)`.
fn differentiated(fl: &Flattener<'_>, e: ExprId) -> Option<VarId> {
    match fl.pool.node(e) {
        Expression::Op(Op::Der, args) => sink::as_variable(&fl.pool, *args.first()?),
        _ => None,
    }
}
