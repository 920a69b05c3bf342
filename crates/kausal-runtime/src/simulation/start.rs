//! The right-hand side where a run begins, for those who decide something by it.

use kausal_solver::{Method, OdeModel};

use super::RightSide;
use super::iteration::initialise;
use crate::jacobian::JacobianMode;
use crate::machine::{Machine, Stop};

/// The Jacobian of the right-hand side at the initial values, column-major; `None` where it cannot be evaluated.
pub(crate) fn start_jacobian(mut machine: Machine, start: f64) -> Result<Option<Vec<f64>>, Stop> {
    machine.time = start;
    initialise(&mut machine)?;
    machine.reselect();
    let mut side = RightSide::new(machine, JacobianMode::Auto, Method::Bdf);
    let (n, x) = (side.n(), side.state());
    let mut dense = vec![0.0; n * n];
    let outcome = match side.jacobian_pattern() {
        Some(pattern) => {
            let mut values = vec![0.0; pattern.entries()];
            let outcome = side.jacobian(start, &x, &mut values);
            pattern.iter().zip(values).for_each(|((i, j), value)| dense[i + n * j] = value);
            outcome
        }
        None => side.jacobian(start, &x, &mut dense),
    };
    Ok(outcome.is_ok().then_some(dense))
}
