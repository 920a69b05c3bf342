//! State machines (specification chapter 17): `transition`, `initialState`, `activeState`, `ticksInState`, `timeInState`.
//!
//! A state is a component; the components that transitions join are a state machine. Here the statements are collected and
//! checked. When everything is flat, [`expand`](expand::expand) turns state machines into clocked equations, as section 17.3 of the
//! specification defines them: which state is active becomes an Integer variable, the equations of a state hold where it is
//! active, and what several states assign becomes one equation. Behind this room there are no state machines.

pub(crate) mod build;
pub(crate) mod expand;
pub(crate) mod expansion;
pub(crate) mod merge;
pub(crate) mod plan;
pub(crate) mod statements;

use kausal_symbolic::VarId;
use kausal_syntax::ast::{Causality, Expr};
use kausal_syntax::{Diagnostic, Location, ast};

use crate::class::{Classes, Reported, Res};
use crate::expr::arguments::Call;
use crate::expr::reference::Cursor;
use crate::expr::{arguments, place};
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::sink::Context;
use crate::state_machine::plan::{Edge, Machine, Plan, State};
use crate::state_machine::statements::{Statements, Transition};
use crate::value::{Ty, Value};
use crate::{instance, tree};

/// `transition(…)` and `initialState(…)` as equations; is it one of them?
pub(crate) fn state_machine_statement(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    call: ast::ExprId,
    name: &str,
    args: &[ast::Arg],
) -> Res<bool> {
    if !matches!(name, "transition" | "initialState") {
        return Ok(false);
    }
    let c = Call { scope: cx.scope, ast: cx.ast, expr: call, name, args };
    if cx.initial {
        return Err(misplaced_statement(fl, c));
    }
    let location = fl.cx.lib.location(cx.scope.file, cx.ast.span(call));
    if name == "initialState" {
        let [state] = statement_args(fl, c, ["state"], 1)?;
        let state = state_argument(fl, c, state)?;
        fl.state_machines.initial.push((state, location));
        return Ok(true);
    }
    let names = ["from", "to", "condition", "immediate", "reset", "synchronize", "priority"];
    let [from, to, condition, immediate, reset, synchronize, priority] = statement_args(fl, c, names, 3)?;
    let from = state_argument(fl, c, from)?;
    let to = state_argument(fl, c, to)?;
    let Some(written) = condition else { return Err(Reported) };
    let condition = fl.eval(cx.scope, written)?;
    let (Some(Ty::Boolean), Some(condition)) = (condition.ty(), condition.as_scalar()) else {
        let message = format!("the condition of a transition must be Boolean, not {}", condition.describe());
        return Err(place::at_expr(fl, cx.scope, written, "K0351", message));
    };
    let flag = |this: &mut Flattener<'_>, e: Option<ast::ExprId>, usual: bool, what: &str| match e {
        Some(e) => this.structural_bool(cx.scope, e, what),
        None => Ok(usual),
    };
    let immediate = flag(fl, immediate, true, "whether a transition is immediate")?;
    let reset = flag(fl, reset, true, "whether a transition resets")?;
    let synchronize = flag(fl, synchronize, false, "whether a transition synchronizes")?;
    let priority = match priority {
        Some(e) => {
            let number = fl.structural_number(cx.scope, e, "the priority of a transition")?;
            if number < 1.0 {
                let message = format!("the priority of a transition is at least 1, not {number}");
                return Err(place::at_expr(fl, cx.scope, e, "K0395", message));
            }
            number as u32
        }
        None => 1,
    };
    fl.state_machines.transitions.push(Transition {
        from,
        to,
        condition,
        immediate,
        reset,
        synchronize,
        priority,
        location,
    });
    Ok(true)
}

/// `activeState(s)`, `ticksInState()`, `timeInState()`: kept until it is known which machine is meant.
pub(crate) fn state_machine_query(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    let location = fl.cx.lib.location(c.scope.file, c.ast.span(c.expr));
    let (asked, ty) = match c.name {
        "activeState" => {
            let [state] = statement_args(fl, c, ["state"], 1)?;
            let state = state_argument(fl, c, state)?;
            fl.state_machines.queries.push((state, location));
            (state, Ty::Boolean)
        }
        "ticksInState" | "timeInState" if c.args.is_empty() => {
            let ty = if c.name == "ticksInState" { Ty::Integer } else { Ty::Real };
            (c.scope.inst, ty)
        }
        "ticksInState" | "timeInState" => return Err(arguments::wrong_args(fl, c)),
        _ => return Err(misplaced_statement(fl, c)),
    };
    let asked = fl.pool.constant(f64::from(asked.0));
    let outputs = fl.keep(c, &[Value::scalar(Ty::Integer, asked)], &[ty])?;
    outputs.into_iter().next().ok_or(Reported)
}

fn misplaced_statement(fl: &mut Flattener<'_>, c: Call<'_>) -> Reported {
    let message = format!("{} is an equation of its own, outside `when` and initial equations", c.name);
    place::at_expr(fl, c.scope, c.expr, "K0390", message)
}

/// Arguments by position or name, not evaluated; the first `needed` must be there.
fn statement_args<const N: usize>(
    fl: &mut Flattener<'_>,
    c: Call<'_>,
    names: [&str; N],
    needed: usize,
) -> Res<[Option<ast::ExprId>; N]> {
    let mut found = [None; N];
    for (i, arg) in c.args.iter().enumerate() {
        let at = match arg.name {
            Some(name) => names.iter().position(|n| *n == name.symbol.as_str()),
            None => Some(i),
        };
        match at {
            Some(at) if at < N && found[at].is_none() => found[at] = Some(arg.value),
            _ => return Err(arguments::wrong_args(fl, c)),
        }
    }
    if found[..needed].iter().any(Option::is_none) {
        return Err(arguments::wrong_args(fl, c));
    }
    Ok(found)
}

/// The component that is meant as a state.
fn state_argument(fl: &mut Flattener<'_>, c: Call<'_>, argument: Option<ast::ExprId>) -> Res<InstId> {
    let Some(e) = argument else { return Err(arguments::wrong_args(fl, c)) };
    if let Expr::Ref(reference) = c.ast.exprs[e]
        && let Cursor::Inst(id) = fl.resolve_ref(c.scope, c.ast, &reference)?
        && let id = instance::resolve(fl, id)?
        && matches!(fl.inst(id).node, tree::Node::Struct)
        && !fl.inst(id).is_static
    {
        return Ok(id);
    }
    let message = format!("{} needs a component that is a model or block", c.name);
    Err(place::at_expr(fl, c.scope, e, "K0393", message))
}

/// Which states and machines there are; what is wrong with them is reported.
pub(crate) fn plan_state_machines(fl: &mut Flattener<'_>) -> Plan {
    let Statements { transitions, initial, queries } = std::mem::take(&mut fl.state_machines);
    let queries = queries.into_iter().map(|(inst, location)| (inst, fl.path(inst), location)).collect();
    let mut plan = Plan { queries, ..Plan::default() };
    let mut insts: Vec<InstId> = Vec::new();
    let mentioned = transitions.iter().flat_map(|t| [t.from, t.to]).chain(initial.iter().map(|i| i.0));
    for inst in mentioned {
        if !insts.contains(&inst) {
            insts.push(inst);
        }
    }
    // States that transitions join are one machine.
    let mut group: Vec<usize> = (0..insts.len()).collect();
    let place = |inst: InstId| insts.iter().position(|&i| i == inst).unwrap_or_default();
    for t in &transitions {
        let (a, b) = (group[place(t.from)], group[place(t.to)]);
        group.iter_mut().filter(|g| **g == a.max(b)).for_each(|g| *g = a.min(b));
    }
    for (k, &inst) in insts.iter().enumerate() {
        let location = fl.inst(inst).info.as_ref().map(|info| info.location);
        let (path, outputs) = (fl.path(inst), outer_outputs(fl, inst));
        let around = None;
        plan.states.push(State { inst, path, location, around, machine: group[k], number: 0, outputs });
    }
    for s in 0..plan.states.len() {
        let parent = fl.inst(plan.states[s].inst).parent.map(|p| fl.path(p)).unwrap_or_default();
        plan.states[s].around = plan.state_of(&parent);
    }
    let mut groups = group.clone();
    groups.dedup_by(|a, b| a == b);
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        plan_machine(fl.cx, &mut plan, group, &transitions, &initial);
    }
    plan
}

fn plan_machine(
    cx: &mut Classes,
    plan: &mut Plan,
    group: usize,
    transitions: &[Transition],
    initial: &[(InstId, Location)],
) {
    let machine = plan.machines.len();
    let mut members: Vec<usize> = (0..plan.states.len())
        .filter(|&s| plan.states[s].number == 0 && plan.states[s].machine == group)
        .collect();
    let inst = |s: usize, plan: &Plan| plan.states[s].inst;
    let marked: Vec<&(InstId, Location)> =
        initial.iter().filter(|i| members.iter().any(|&s| inst(s, plan) == i.0)).collect();
    let own: Vec<&Transition> =
        transitions.iter().filter(|t| members.iter().any(|&s| inst(s, plan) == t.from)).collect();
    let names: Vec<&str> = members.iter().map(|&s| plan.states[s].path.as_str()).collect();
    match marked[..] {
        [_] => {}
        [] => {
            let message = format!("the state machine of {} has no initial state", names.join(", "));
            let mut d = Diagnostic::error("K0394", message).help("say where it begins: `initialState(s)`");
            if let Some(t) = own.first() {
                d = d.at(t.location, "one of its transitions");
            }
            cx.report(d);
        }
        [first, second, ..] => {
            let message = format!("the state machine of {} has two initial states", names.join(", "));
            cx.report(
                Diagnostic::error("K0394", message)
                    .at(first.1, "one")
                    .at(second.1, "another")
                    .help("leave out one of them, or the transitions between the two machines"),
            );
        }
    }
    let around = members.first().and_then(|&s| plan.states[s].around);
    if let Some(&other) = members.iter().find(|&&s| plan.states[s].around != around) {
        let (a, b) = (&plan.states[members[0]], &plan.states[other]);
        let message =
            format!("{} and {} are states of one machine, but not in the same state", a.path, b.path);
        let mut d = Diagnostic::error("K0393", message);
        for location in [a.location, b.location].into_iter().flatten() {
            d = d.at(location, "this state");
        }
        cx.report(d);
    }
    let first = marked.first().and_then(|i| members.iter().position(|&s| inst(s, plan) == i.0));
    members.swap(0, first.unwrap_or(0));
    for (k, &s) in members.iter().enumerate() {
        (plan.states[s].machine, plan.states[s].number) = (machine, k as u32 + 1);
    }
    let number = |id: InstId| {
        let found = members.iter().find(|&&s| inst(s, plan) == id);
        found.map_or(0, |&s| plan.states[s].number)
    };
    let mut edges: Vec<Edge> = own
        .into_iter()
        .map(|t| Edge { from: number(t.from), to: number(t.to), transition: t.clone() })
        .collect();
    edges.sort_by_key(|e| (e.from, e.transition.priority));
    for pair in edges.windows(2) {
        let [a, b] = pair else { continue };
        if a.from == b.from && a.transition.priority == b.transition.priority {
            let state = &plan.states[members[a.from as usize - 1]].path;
            let priority = a.transition.priority;
            let message = format!("two transitions leave {state} with priority {priority}");
            cx.report(
                Diagnostic::error("K0395", message)
                    .at(a.transition.location, "one")
                    .at(b.transition.location, "another")
                    .help("give them different priorities: the smallest one comes first"),
            );
        }
    }
    let first = &plan.states[members[0]];
    let (owner, name) = match first.path.rfind('.') {
        Some(dot) => first.path.split_at(dot + 1),
        None => ("", first.path.as_str()),
    };
    let prefix = format!("{owner}stateMachineOf_{name}");
    let location = marked.first().map(|i| i.1).or(first.location);
    plan.machines.push(Machine { states: members, around, prefix, transitions: edges, location });
}

/// The variables that a component may define although they are declared around it.
fn outer_outputs(fl: &mut Flattener<'_>, id: InstId) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut open = vec![id];
    while let Some(at) = open.pop() {
        for child in instance::below(fl, at) {
            let inst = fl.inst(child);
            match inst.node.clone() {
                tree::Node::Outer(inner) if inst.causality == Causality::Output => {
                    let Ok(inner) = instance::resolve(fl, inner) else { continue };
                    if let Some((first, count)) = instance::variables(fl, inner) {
                        found.extend((0..count as u32).map(|i| VarId(first.0 + i)));
                    }
                }
                tree::Node::Struct => open.push(child),
                tree::Node::Array(_, elements) => open.extend(elements.iter()),
                _ => {}
            }
        }
    }
    found
}
