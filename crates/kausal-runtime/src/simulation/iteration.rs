//! What happens at an event: the discrete section is evaluated until nothing changes (specification section 8.6).

use kausal_solver::Reason;
use kausal_symbolic::VarId;
use kausal_translate::program::{Kind, Step};

use super::RunError;
use super::transport::at_start;
use crate::machine::{Failure, Machine, Mode, Stop};

/// Event iterations at one instant before giving up.
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
    let outcome = iterate(machine);
    machine.due.fill(None);
    machine.anchor_outputs();
    outcome
}

fn iterate(machine: &mut Machine) -> Result<Option<String>, RunError> {
    let t = machine.time;
    let mut restless = Vec::new();
    for _ in 0..EVENT_ROUNDS {
        match round(machine, &mut restless) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(Stop::Terminate(message)) => return Ok(Some(message)),
            Err(stop) => return Err(RunError::Event(t, stop)),
        }
    }
    Err(RunError::EventLoop(t, restless))
}

/// One evaluation of everything; did something change that calls for another?
fn round(machine: &mut Machine, restless: &mut Vec<VarId>) -> Result<bool, Stop> {
    let model = machine.model().clone();
    let program = &model.program;
    for pre in &program.pre {
        machine.values[pre.slot.index()] = machine.pre[pre.variable.index()];
    }
    let outcome = machine.run(&model.discrete, Mode::Event);
    machine.starting = false;
    outcome?;
    finite(machine)?;
    whole(machine)?;
    restless.clear();
    for &v in &program.discrete_variables {
        let (new, old) = (machine.values[v.index()], &mut machine.pre[v.index()]);
        if new != *old {
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
    for (v, value) in std::mem::take(&mut machine.reinits) {
        machine.values[v.index()] = value;
        changed = true;
    }
    Ok(changed)
}

/// Are all variables of the model finite numbers? Parameters are looked at when they are computed.
pub(crate) fn finite(machine: &Machine) -> Result<(), Stop> {
    finite_where(machine, |kind| !matches!(kind, Kind::Parameter | Kind::Helper | Kind::Alias(_)))
}

/// Are all Integer variables whole numbers, small enough to be exact?
pub(crate) fn whole(machine: &Machine) -> Result<(), Stop> {
    /// Beyond it numbers next to each other are more than one apart.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let wrong = |v: &&VarId| {
        let value = machine.values[v.index()];
        value.fract() != 0.0 || value.abs() > LARGEST
    };
    match machine.model().integers.iter().find(wrong) {
        Some(&v) => Err(Stop::NotInteger(v, machine.values[v.index()])),
        None => Ok(()),
    }
}

fn finite_where(machine: &Machine, looked_at: impl Fn(&Kind) -> bool) -> Result<(), Stop> {
    let variables = &machine.model().program.variables;
    // Nearly always all are, and that is seen faster without asking which.
    if machine.values.chunks(64).all(|part| part.iter().fold(true, |all, v| all & v.is_finite())) {
        return Ok(());
    }
    let wrong = machine
        .values
        .iter()
        .zip(variables)
        .position(|(value, var)| !value.is_finite() && looked_at(&var.kind));
    let Some(wrong) = wrong else { return Ok(()) };
    let unknowns = vec![VarId(wrong as u32)];
    Err(Stop::Failed(Failure { reason: Reason::NotFinite, unknowns, residual: None }))
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
    machine.run(&model.parameters, Mode::Initial)?;
    finite_where(machine, |kind| matches!(kind, Kind::Parameter))?;
    if let Some(flag) = program.initial_flag {
        machine.values[flag.index()] = 1.0;
    }
    if let Some(lambda) = program.homotopy {
        machine.values[lambda.index()] = 1.0;
    }
    solve_with_delays(machine)?;
    machine.check_initial()?;
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
fn solve_with_delays(machine: &mut Machine) -> Result<(), Stop> {
    const ROUNDS: usize = 100;
    let model = machine.model().clone();
    for _ in 0..ROUNDS {
        machine.run(&model.initial, Mode::Initial)?;
        let mut changed = at_start(machine);
        for delay in &model.program.delays {
            let (new, old) = (machine.values[delay.input.index()], machine.values[delay.variable.index()]);
            changed |= (new - old).abs() > 1e-12 * new.abs().max(old.abs());
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
