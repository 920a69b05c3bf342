//! The machine of a run where the run ended: a point to look at the model from.

use std::sync::Arc;

use kausal_solver::Reason;

use super::iteration::event;
use super::simulator::Simulator;
use super::{Observer, RunError, Settings, Statistics};
use crate::compiled_model::CompiledModel;
use crate::machine::{Failure, Machine, Stop};

/// Runs a model to its end, which may be its start, and gives its machine there.
pub fn simulate_to(
    model: Arc<CompiledModel>,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> (Statistics, Result<Machine, RunError>) {
    let mut simulator = Simulator::new(model.clone(), settings.clone());
    let outcome = simulator.initialise(observer);
    let outcome = outcome.and_then(|()| simulator.run_to_stop(observer));
    let outcome = outcome.and_then(|()| simulator.finish(observer));
    let statistics = simulator.statistics();
    let machine = outcome.and_then(|()| Ok(std::mem::replace(simulator.run.machine()?, Machine::new(model))));
    (statistics, machine)
}

/// Brings what is discrete in line with the continuous values of a machine; did anything change that the continuous part reads?
pub(crate) fn settle_event(machine: &mut Machine) -> Result<bool, Stop> {
    let model = machine.model().clone();
    let before: Vec<u64> = model.held.iter().map(|v| machine.values[v.index()].to_bits()).collect();
    match event(machine) {
        Ok(_) => {}
        Err(RunError::Event(_, stop)) => return Err(stop),
        Err(_) => {
            let unknowns = model.program.discrete_variables.clone();
            return Err(Stop::Failed(Failure { reason: Reason::NoConvergence, unknowns, residual: None }));
        }
    }
    Ok(model.held.iter().zip(&before).any(|(v, old)| machine.values[v.index()].to_bits() != *old))
}
