//! The states that are stiff where a run begins: for inlined steps that treat them alone implicitly.

use std::sync::Arc;

use kausal_solver::stiff::stiff_states;
use kausal_symbolic::VarId;

use crate::compiled_model::CompiledModel;
use crate::machine::{Machine, Stop};
use crate::simulation::start_jacobian;

/// A time constant below this part of the run is short: an explicit method would need more steps than a thousand or so.
const SHORT: f64 = 1e-3;

/// The stiff states of a model at its initial values, for a run of this length; all of them where the Jacobian is not known.
pub fn stiff_at_start(model: Arc<CompiledModel>, start: f64, stop: f64) -> Result<Vec<VarId>, Stop> {
    let states: Vec<VarId> = model.program.states.iter().map(|s| s.variable).collect();
    let length = (stop - start).abs();
    let jacobian = start_jacobian(Machine::new(model), start)?;
    Ok(match jacobian {
        Some(jacobian) if length > 0.0 => {
            let stiff = stiff_states(states.len(), &jacobian, 1.0 / (SHORT * length));
            states.into_iter().zip(stiff).filter(|(_, stiff)| *stiff).map(|(v, _)| v).collect()
        }
        _ => states,
    })
}
