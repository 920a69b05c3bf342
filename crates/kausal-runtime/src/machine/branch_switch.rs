//! Has the iteration of a torn system gone over to another solution?
//!
//! A torn sequence that amplifies its iteration variables squeezes solutions that lie far apart in the model together:
//! a guess of the iteration variables that is off by little may then lead to another one, although all unknowns
//! together would have been a good guess. Between events the unknowns move along one branch of solutions, and the
//! determinant of the Jacobian has one sign on it; neighbouring branches have different ones (the degree of a map:
//! Ortega and Rheinboldt, *Iterative Solution of Nonlinear Equations in Several Variables*, §6.2). So where unknowns
//! of the sequence have moved much more than the iteration variables, the sign is looked at. A change fails like an
//! iteration without convergence: a smaller step comes nearer, and else the system is solved untorn. So it is where that
//! happens all the time, for steps that are small for this reason only lead nowhere.

use kausal_solver::linear::DenseLu;
use kausal_solver::newton::NonlinearSystem;
use serde::{Deserialize, Serialize};

use super::nonlinear::TornSystem;

/// Larger systems are not looked at.
const LARGEST: usize = 50;
/// A change of an unknown by this part of its size is worth a look, …
const FAR: f64 = 0.1;
/// … if it is so many times that of the iteration variables.
const AMPLIFIED: f64 = 1.5;
/// So many solutions on other branches are too many, if they are this part of all.
const MANY: u64 = 64;
const PART: u64 = 64;

/// What is known of the branch on which one system is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Branch {
    /// All unknowns at the last solution.
    last: Vec<f64>,
    /// Whether the determinant of the Jacobian is negative, where that was looked at.
    negative: Option<bool>,
    /// It has to be looked at again as soon as a solution is near the last one.
    stale: bool,
    /// Events up to the last solution: what was before the last one means nothing.
    events: u64,
    /// Solutions so far, and how many of them were on another branch.
    solutions: u64,
    leaps: u64,
}

impl Branch {
    /// Can the system be looked at?
    fn applies(system: &TornSystem) -> bool {
        let newton = system.newton;
        let torn = newton.all.len() > newton.unknowns.len();
        torn && newton.unknowns.len() <= LARGEST && system.has_jacobian() && newton.pattern.is_none()
    }

    /// Notes the solution `x`, to which an iteration converged; `false` if it lies on another branch than the last.
    pub(super) fn follow(&mut self, system: &mut TornSystem, x: &[f64]) -> bool {
        if !Branch::applies(system) {
            return true;
        }
        if self.events != system.machine.events {
            let Branch { solutions, leaps, .. } = *self;
            let events = system.machine.events;
            *self = Branch { events, solutions, leaps, stale: true, ..Branch::default() };
        }
        self.solutions += 1;
        let leapt = self.has_leapt(system);
        if leapt || self.stale {
            let negative = is_negative(system, x);
            if leapt && self.negative.is_some() && negative != self.negative {
                self.stale = true;
                self.leaps += 1;
                return false;
            }
            self.negative = negative;
            self.stale = false;
        }
        self.note(system);
        true
    }

    /// Do iterations lead to other branches again and again?
    pub(super) fn is_lost(&self) -> bool {
        self.leaps >= MANY && PART * self.leaps >= self.solutions
    }

    fn note(&mut self, system: &TornSystem) {
        self.last.clear();
        self.last.extend(system.newton.all.iter().map(|v| system.machine.values[v.index()]));
    }

    /// Gives all unknowns the values that they had at the last solution.
    pub(super) fn go_back(&self, system: &mut TornSystem) {
        for (v, last) in system.newton.all.iter().zip(&self.last) {
            system.machine.values[v.index()] = *last;
        }
    }

    /// Have unknowns of the sequence moved far, and much more than the iteration variables?
    fn has_leapt(&self, system: &TornSystem) -> bool {
        let variables = &system.machine.model.program.variables;
        let mut most = 0.0f64;
        let mut iterated = 0.0f64;
        for (v, last) in system.newton.all.iter().zip(&self.last) {
            let now = system.machine.values[v.index()];
            let size = now.abs().max(last.abs()).max(variables[v.index()].nominal);
            let change = (now - last).abs() / size;
            most = most.max(change);
            if change > iterated && system.newton.unknowns.contains(v) {
                iterated = change;
            }
        }
        most > FAR && most > AMPLIFIED * iterated
    }
}

/// The sign of the determinant of the Jacobian; none where it is singular.
fn is_negative(system: &mut TornSystem, x: &[f64]) -> Option<bool> {
    let mut lu = DenseLu::new(x.len());
    system.jacobian(x, lu.matrix_mut()).ok()?;
    lu.factor_in_place().ok()?;
    Some(lu.is_negative())
}
