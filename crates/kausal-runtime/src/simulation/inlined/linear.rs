//! Linear systems `(I - gamma J) y = b` of an inlined model, for a Rosenbrock method.
//!
//! `y` is what a disturbance `b` of `old` does to an implicit step, in first order. So no Jacobian of the states is made: the
//! section of the step is evaluated with the disturbance and with its negative, each of its iterations is replaced by one correction
//! with the matrix of the point, and half of the difference says how far the states move. What contains states is not iterated, as
//! befits the method; only where the section cannot be evaluated, at a kink perhaps, a Jacobian of the states takes its place.

use kausal_solver::model::derivative_by_time;
use kausal_solver::weights::norm;
use kausal_solver::{ClassicalStep, LinearModel, ModelError, StepModel, StepRequest};
use serde::{Deserialize, Serialize};

use super::Inlined;
use crate::machine::Linearized;

/// States are varied by so many error weights, but by no less than this part of their size: what is left of large terms that cancel
/// is noise, and with less of a difference it would be seen in tight tolerances.
const DISTURBANCE: f64 = 0.5;
const LEAST_PART: f64 = 1e-4;

/// A point, `h` of the step that begins there, and what the implicit step with `gamma` makes of the point.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Point {
    t: f64,
    h: f64,
    gamma: f64,
    x: Vec<f64>,
    dx: Vec<f64>,
    weights: Vec<f64>,
    /// The section can be evaluated there.
    is_regular: bool,
    old: Vec<f64>,
    slopes: Vec<f64>,
    /// To both sides.
    moved: [Vec<f64>; 2],
}

impl LinearModel for Inlined {
    fn linearize(
        &mut self,
        t: f64,
        h: f64,
        x: &[f64],
        dx: &[f64],
        weights: &[f64],
        by_time: &mut [f64],
    ) -> Result<(), ModelError> {
        derivative_by_time(t, h, x, dx, by_time, |t, x, dx| self.derivative(t, x, dx))?;
        let point = &mut self.point;
        (point.t, point.h) = (t, h);
        for (own, given) in [(&mut point.x, x), (&mut point.dx, dx), (&mut point.weights, weights)] {
            own.clear();
            own.extend_from_slice(given);
        }
        Ok(())
    }

    fn prepare(&mut self, gamma: f64) -> Result<(), ModelError> {
        self.point.gamma = gamma;
        let mut same = std::mem::take(&mut self.point.moved[0]);
        same.resize(self.point.x.len(), 0.0);
        let outcome = self.move_from_point(None, Linearized::AtPoint, &mut same);
        self.point.moved[0] = same;
        self.point.is_regular = outcome.is_ok();
        Ok(())
    }

    fn solve(&mut self, b: &mut [f64]) {
        let size = norm(&self.point.weights, b);
        if size == 0.0 {
            return;
        }
        let disturbance = DISTURBANCE.max(LEAST_PART / self.tolerance);
        let scale = disturbance / size;
        let mut moved = std::mem::take(&mut self.point.moved);
        let mut solved = self.point.is_regular && scale.is_finite();
        for (moved, scale) in moved.iter_mut().zip([scale, -scale]) {
            moved.resize(b.len(), 0.0);
            solved = solved && self.move_from_point(Some((scale, b)), Linearized::Beside, moved).is_ok();
        }
        if solved {
            for (b, (ahead, back)) in b.iter_mut().zip(moved[0].iter().zip(&moved[1])) {
                *b = (ahead - back) / (2.0 * scale);
            }
        }
        self.point.moved = moved;
        if !solved {
            self.solve_by_jacobian(b);
        }
    }
}

impl Inlined {
    /// The implicit step that ends at the point, or beside it where what it begins with is disturbed.
    fn move_from_point(
        &mut self,
        disturbance: Option<(f64, &[f64])>,
        linearized: Linearized,
        moved: &mut [f64],
    ) -> Result<(), ModelError> {
        let mut point = std::mem::take(&mut self.point);
        point.old.clear();
        point.old.extend(point.x.iter().zip(&point.dx).map(|(x, dx)| x - point.gamma * dx));
        if let Some((scale, b)) = disturbance {
            point.old.iter_mut().zip(b).for_each(|(old, b)| *old += scale * b);
        }
        moved.copy_from_slice(&point.x);
        let mut slopes = std::mem::take(&mut point.slopes);
        slopes.clear();
        slopes.extend_from_slice(&point.dx);
        let request = StepRequest {
            t: point.t,
            h: point.gamma,
            old: &point.old,
            weights: &point.weights,
            tolerance: DISTURBANCE,
        };
        self.side.machine.demand.linearized = Some(linearized);
        let outcome = self.step(&request, moved, &mut slopes);
        self.side.machine.demand.linearized = None;
        point.slopes = slopes;
        self.point = point;
        outcome
    }

    /// The same with the Jacobian of the states: at a kink the step may have no solution.
    fn solve_by_jacobian(&mut self, b: &mut [f64]) {
        let Point { t, h, gamma, x, dx, weights, .. } = &self.point;
        let mut classical = ClassicalStep::new(&mut self.side);
        let mut by_time = vec![0.0; x.len()];
        let ready = classical
            .linearize(*t, *h, x, dx, weights, &mut by_time)
            .and_then(|()| classical.prepare(*gamma));
        match ready {
            Ok(()) => LinearModel::solve(&mut classical, b),
            Err(_) => b.fill(f64::NAN),
        }
    }
}
