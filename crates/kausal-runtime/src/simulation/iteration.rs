//! What happens at an event: the discrete section is evaluated until nothing changes (specification section 8.6).

use kausal_solver::Reason;
use kausal_symbolic::VarId;
use kausal_symbolic::function::integers::is_inexact;
use kausal_translate::flow;
use kausal_translate::program::{Kind, Step};

use super::RunError;
use super::clocks::Clocks;
use super::homotopy;
use super::transport::at_start;
use crate::machine::{Failure, Machine, Mode, Stop};
use crate::tolerances::{has_moved, is_same_instant};
use crate::tunable::Once;

/// Event iterations at one instant before giving up, and as many more as there are discrete variables: each may wait for the
/// one before.
const EVENT_ROUNDS: usize = 100;

/// Iterates at the machine's instant; the message of `terminate`, if the model ends the run.
pub(crate) fn event(machine: &mut Machine) -> Result<Option<String>, RunError> {
    let model = machine.model().clone();
    let program = &model.program;
    // What is continuous has its left limit as `pre` value throughout the event.
    for pre in &program.pre {
        let discrete = matches!(program.variables[pre.variable.index()].kind, Kind::Discrete | Kind::Helper);
        if !discrete {
            machine.pre[pre.variable.index()] = machine.values[pre.variable.index()];
        }
    }
    Clocks::sample(machine);
    let outcome = iterate(machine);
    machine.due.fill(None);
    machine.foreseen.fill(None);
    machine.crossed.clear();
    machine.folded.clear();
    machine.located.clear();
    machine.anchor_outputs();
    outcome
}

fn iterate(machine: &mut Machine) -> Result<Option<String>, RunError> {
    let t = machine.time;
    let mut restless = Vec::new();
    let rounds = EVENT_ROUNDS + machine.model().program.discrete_variables.len();
    match Clocks::tick(machine) {
        Ok(()) => {}
        Err(Stop::Terminate(message)) => return Ok(Some(message)),
        Err(stop) => return Err(RunError::Event(t, stop)),
    }
    for _ in 0..rounds {
        let changed = round(machine, &mut restless);
        let changed = changed.and_then(|changed| Ok(Clocks::tick_risen(machine)? || changed));
        match changed {
            Ok(false) if begins_now(machine) => {}
            Ok(false) => return defined(machine).map(|()| None).map_err(|stop| RunError::Event(t, stop)),
            Ok(true) => {}
            Err(Stop::Terminate(message)) => return Ok(Some(message)),
            Err(stop) => return Err(RunError::Event(t, stop)),
        }
    }
    Err(RunError::EventLoop(t, restless))
}

/// Did the event put the instants of relations of time to this very one? Where `t0 = time` was set, `time > t0` does not hold at the
/// instant and holds right behind it: no later event would come to say so. Each becomes due once.
fn begins_now(machine: &mut Machine) -> bool {
    let model = machine.model().clone();
    if machine.due.is_empty() {
        return false;
    }
    let mut numbers = vec![0.0; model.schedule_len];
    machine.evaluate(model.schedule, &mut numbers);
    let now = machine.time;
    let mut begins = false;
    for (due, event) in machine.due.iter_mut().zip(numbers.chunks(2)) {
        if due.is_none() && is_same_instant(event[0], now) {
            *due = Some(event[1]);
            begins = true;
        }
    }
    begins
}

/// One evaluation of everything; did something change that calls for another?
fn round(machine: &mut Machine, restless: &mut Vec<VarId>) -> Result<bool, Stop> {
    let model = machine.model().clone();
    let program = &model.program;
    for pre in &program.pre {
        machine.values[pre.slot.index()] = machine.pre[pre.variable.index()];
    }
    machine.violated = None;
    let outcome = machine.run(&model.discrete, Mode::Event);
    machine.starting = false;
    let outcome = outcome
        .and_then(|()| finite(machine))
        .and_then(|()| whole(machine))
        .and_then(|()| machine.check_reinit_consistency());
    if let Err(stop) = outcome {
        let ends = matches!(stop, Stop::Terminate(_));
        return Err(machine.violated.take().filter(|_| !ends).map_or(stop, Stop::Assertion));
    }
    restless.clear();
    for &v in &program.discrete_variables {
        let (new, old) = (machine.values[v.index()], &mut machine.pre[v.index()]);
        // What is not a number is found where it is shown; in a branch that is not taken there may be some.
        if new != *old && !(new.is_nan() && old.is_nan()) {
            restless.push(v);
        }
        *old = new;
    }
    // The end comes once.
    if let Some(flag) = program.terminal_flag {
        machine.pre[flag.index()] = machine.values[flag.index()];
    }
    let mut changed = !restless.is_empty();
    for sample in &program.samples {
        changed |= machine.values[sample.variable.index()] != 0.0;
        machine.values[sample.variable.index()] = 0.0;
    }
    if !machine.reinits.is_empty() {
        machine.reinitialise();
        changed = true;
    }
    // What must hold all the time must hold when the event has come to rest: on the way there a state is still to be
    // reinitialised.
    match machine.violated.take() {
        Some(violated) if !changed => Err(Stop::Assertion(violated)),
        _ => Ok(changed),
    }
}

/// Does nothing depend on a relation of what is not a number? In a branch that is not taken, and behind `and`, there may be some.
fn defined(machine: &mut Machine) -> Result<(), Stop> {
    let model = machine.model().clone();
    let relations = (0..).zip(&model.program.relations);
    let unknown = |r: &kausal_translate::program::Relation| machine.values[r.difference.index()].is_nan();
    let unknown: Vec<u32> = relations.filter(|(_, r)| unknown(r)).map(|(i, _)| i).collect();
    if unknown.is_empty() || !differs(machine, None) {
        return Ok(());
    }
    let first = unknown.iter().copied().find(|&r| differs(machine, Some(r)));
    Err(Stop::Undefined(first.unwrap_or(unknown[0])))
}

/// Would anything the model says be different if these relations held? The machine is left as it was.
fn differs(machine: &mut Machine, relation: Option<u32>) -> bool {
    let model = machine.model().clone();
    let program = &model.program;
    let kept = (machine.values.clone(), machine.warnings.clone());
    machine.supposed = Some(relation);
    let outcome = machine.run(&model.discrete, Mode::Event);
    machine.supposed = None;
    machine.reinits.clear();
    machine.violated = None;
    let conditions = flow::nested(&program.discrete).into_iter().filter_map(|step| match step {
        Step::When(when) => Some(when.branches.iter().flat_map(|b| b.conditions.iter().copied())),
        _ => None,
    });
    let same = |v: usize| machine.values[v].to_bits() == kept.0[v].to_bits();
    // Behind the variables there may be derivatives.
    let variables = program.variables.iter().enumerate();
    let shown = variables.filter(|(_, var)| var.kind != Kind::Helper).map(|(v, _)| v);
    let differs = outcome.is_ok() && !conditions.flatten().map(|v| v.index()).chain(shown).all(same);
    (machine.values, machine.warnings) = kept;
    differs
}

/// Are all variables of the model finite numbers? Parameters are looked at when they are computed.
pub(crate) fn finite(machine: &Machine) -> Result<(), Stop> {
    finite_where(machine, |kind| !matches!(kind, Kind::Parameter | Kind::Helper | Kind::Alias(_)))
}

/// Are all Integers whole numbers, small enough to be exact?
pub(crate) fn whole(machine: &Machine) -> Result<(), Stop> {
    let wrong = |v: &&VarId| {
        let value = machine.values[v.index()];
        value.fract() != 0.0 || is_inexact(value)
    };
    match machine.model().integers.iter().find(wrong) {
        Some(&v) => Err(Stop::NotInteger(v, machine.values[v.index()])),
        None => Ok(()),
    }
}

fn finite_where(machine: &Machine, looked_at: impl Fn(&Kind) -> bool) -> Result<(), Stop> {
    let variables = &machine.model().program.variables;
    if all_finite(&machine.values) {
        return Ok(());
    }
    let bad = |v: usize| !machine.values[v].is_finite();
    let wrong = (0..variables.len()).find(|&v| match variables[v].kind {
        // What the translation added is looked at where the model shows it.
        Kind::Alias(alias) => {
            let target = &variables[alias.target.index()].kind;
            *target == Kind::Helper && bad(alias.target.index()) && looked_at(&Kind::Discrete)
        }
        ref kind => bad(v) && looked_at(kind),
    });
    let Some(wrong) = wrong else { return Ok(()) };
    let unknowns = vec![VarId(wrong as u32)];
    Err(Stop::Failed(Failure { reason: Reason::NotFinite, unknowns, residual: None }))
}

/// Nearly always all are, and that is seen faster without asking which: zero times a number is zero, but not times what is not
/// finite.
fn all_finite(values: &[f64]) -> bool {
    const LANES: usize = 8;
    let parts = values.chunks_exact(LANES);
    let mut sums = [0.0; LANES];
    parts.remainder().iter().zip(&mut sums).for_each(|(v, sum)| *sum += 0.0 * v);
    for part in parts {
        for k in 0..LANES {
            sums[k] += 0.0 * part[k];
        }
    }
    sums.iter().all(|sum| *sum == 0.0)
}

/// The variable that was the first to be not finite on the way to `last`: the others have it from there.
pub(crate) fn first_not_finite(machine: &Machine, last: VarId) -> VarId {
    let program = &machine.model().program;
    let wrong = |v: &VarId| {
        !machine.values[v.index()].is_finite() && program.variables[v.index()].kind != Kind::Helper
    };
    let found = program.dynamics.iter().find_map(|step| match step {
        Step::Assign(assign) => Some(assign.variable).filter(wrong),
        Step::System(system) => system.unknowns.iter().copied().find(|v| wrong(v)),
        _ => None,
    });
    found.unwrap_or(last)
}

/// Parameters, then the initial problem.
pub(crate) fn initialise(machine: &mut Machine) -> Result<(), Stop> {
    let model = machine.model().clone();
    let program = &model.program;
    machine.run_once(Once::Parameters)?;
    finite_where(machine, |kind| matches!(kind, Kind::Parameter))?;
    whole(machine)?;
    // Inputs had their start values up to here.
    machine.set_time(machine.time);
    if let Some(flag) = program.initial_flag {
        machine.values[flag.index()] = 1.0;
    }
    match program.homotopy {
        Some(lambda) => homotopy::solve(machine, lambda)?,
        None => solve_with_delays(machine)?,
    }
    machine.check_initial()?;
    machine.evaluate_bounds();
    machine.reinits.clear();
    for &v in &program.discrete_variables {
        machine.pre[v.index()] = machine.values[v.index()];
    }
    if let Some(flag) = program.initial_flag {
        machine.values[flag.index()] = 0.0;
    }
    Ok(())
}

/// Solves the initial problem; what is delayed has at the start the value it is delayed from, which is found by
/// repetition.
pub(super) fn solve_with_delays(machine: &mut Machine) -> Result<(), Stop> {
    const ROUNDS: usize = 100;
    let model = machine.model().clone();
    for _ in 0..ROUNDS {
        machine.run_once(Once::Initial)?;
        let mut changed = at_start(machine);
        for delay in &model.program.delays {
            let (new, old) = (machine.values[delay.input.index()], machine.values[delay.variable.index()]);
            changed |= has_moved(new, old);
            machine.values[delay.variable.index()] = new;
        }
        if !changed {
            return Ok(());
        }
    }
    if model.program.delays.is_empty() {
        return Ok(());
    }
    let unknowns = model.program.delays.iter().map(|d| d.input).collect();
    Err(Stop::Failed(Failure { reason: Reason::NoConvergence, unknowns, residual: None }))
}

#[cfg(test)]
mod tests {
    use super::all_finite;

    #[test]
    fn one_number_that_is_not_finite_is_seen_wherever_it_is() {
        for n in [0, 1, 7, 8, 9, 31] {
            let mut values = vec![-1e308; n];
            assert!(all_finite(&values));
            for i in 0..n {
                for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    values[i] = wrong;
                    assert!(!all_finite(&values), "{wrong} at {i} of {n}");
                }
                values[i] = 1e-320;
            }
        }
    }
}
