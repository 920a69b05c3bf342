//! States that grow out of their tolerance by themselves.
//!
//! Below its absolute tolerance a state is not known: it may be ten times as large, or have the other sign. That does no harm
//! where it is driven by others afterwards, for then it is forgotten, nor where it goes on to decay. But what multiplies
//! itself (a population, a germ, an autocatalytic reaction, what diverges on the other side of zero) carries the error along
//! until it is large. So when a state comes out of its tolerance it is asked who made it grow: the derivatives are evaluated
//! once more with all such small states at zero. Where none of them grows without them, they grew by themselves, and all that
//! follows depends on digits nobody has computed.

use kausal_solver::OdeModel;
use kausal_symbolic::VarId;

use super::{Run, RunError};

/// A state has come out of its tolerance when it is this many times as large: one digit is then certain of what came in from
/// outside on the way, and a second one makes sure that it was not a step on the edge.
const OUTSIDE: f64 = 100.0;

/// A state is driven by others where they account for this part of its derivative.
const DRIVEN: f64 = 0.5;

/// What is known of small states.
#[derive(Debug, Default)]
pub(super) struct Emerging {
    /// States that have been below their tolerance and have not come out of it since.
    below: Vec<bool>,
    /// States that grew by themselves, and when.
    found: Vec<(usize, f64)>,
}

impl Emerging {
    /// Looks at the states at the end of a step: those that have come out of their tolerances.
    fn pass(&mut self, x: &[f64], tolerances: &[f64]) -> Vec<usize> {
        self.below.resize(x.len(), false);
        let mut out = Vec::new();
        for (i, ((below, x), tolerance)) in self.below.iter_mut().zip(x).zip(tolerances).enumerate() {
            if x.abs() < *tolerance {
                *below = true;
            } else if *below && x.abs() > OUTSIDE * tolerance {
                *below = false;
                out.push(i);
            }
        }
        out
    }

    /// Other states were selected: nothing is known of them.
    pub(super) fn forget(&mut self) {
        self.below.clear();
    }
}

impl Run {
    /// Notes the states that have grown out of their tolerances by themselves at the end of a step.
    pub(super) fn note_emerging(&mut self, t: f64) -> Result<(), RunError> {
        let Some(solver) = self.solver.as_mut() else { return Ok(()) };
        let out = self.emerging.pass(solver.x(), solver.weights().absolutes());
        if out.is_empty() {
            return Ok(());
        }
        let x = solver.x().to_vec();
        let side = solver.model_mut().model_mut();
        let group = |i: usize| side.sizes.get(i).map_or(0, |(group, _)| *group);
        let mut groups: Vec<usize> = out.iter().map(|&i| group(i)).collect();
        groups.sort_unstable();
        groups.dedup();
        let small = |i: &usize| self.emerging.below[*i] || out.contains(i);
        let members: Vec<Vec<usize>> =
            groups.iter().map(|&g| (0..x.len()).filter(|&i| group(i) == g).filter(small).collect()).collect();
        let (mut all, mut without) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        for members in members {
            let mut others = x.clone();
            members.iter().for_each(|&i| others[i] = 0.0);
            // What cannot be evaluated there says nothing; the machine is left at the solution.
            let known = side.rhs(t, &others, &mut without).is_ok();
            if side.rhs(t, &x, &mut all).is_err() || !known {
                continue;
            }
            let driven = |&i: &usize| without[i] * x[i] > 0.0 && without[i].abs() >= DRIVEN * all[i].abs();
            if members.iter().any(driven) {
                continue;
            }
            let grows = |i: &usize| out.contains(i) && all[*i] * x[*i] > 0.0;
            self.emerging.found.extend(members.iter().copied().filter(grows).map(|i| (i, t)));
        }
        Ok(())
    }

    /// The states that grew out of their tolerances by themselves, each with the first instant.
    pub(super) fn emerged(&self) -> Vec<(VarId, f64)> {
        let Some(solver) = &self.solver else { return Vec::new() };
        let states = &solver.model().model().states;
        let mut found: Vec<(VarId, f64)> = Vec::new();
        for &(i, t) in &self.emerging.found {
            if let Some((v, _)) = states.get(i)
                && !found.iter().any(|(other, _)| other == v)
            {
                found.push((*v, t));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Emerging;

    #[test]
    fn states_come_out_once() {
        let mut small = Emerging::default();
        let tolerances = [1e-6, 1e-6];
        assert_eq!(small.pass(&[1.0, 0.0], &tolerances), [0usize; 0]);
        assert_eq!(small.pass(&[1e-7, 1e-5], &tolerances), [0usize; 0]);
        assert_eq!(small.pass(&[-1e-3, 1e-5], &tolerances), [0]);
        assert_eq!(small.pass(&[-1.0, 1e-3], &tolerances), [1]);
        assert_eq!(small.pass(&[1.0, -1.0], &tolerances), [0usize; 0]);
    }
}
