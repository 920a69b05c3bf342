//! Relations between events and at them, and systems with discrete unknowns: combinations of these are tried until one fits.

use std::sync::Arc;

use kausal_solver::Reason;
use kausal_solver::linear::DenseLu;
use kausal_symbolic::VarId;

use super::{Failure, Halt, Machine, Mode, Stop};
use crate::image::Exec;

/// A difference of numbers around one that is smaller than this is rounding.
const NOTHING: f64 = 1e-13;

/// What a difference has at least lost to rounding, as a part of the largest one there was.
const ROUNDING: f64 = 1e-10;

impl Machine {
    /// Gives a relation its value; did it change? At an event it keeps the value it has where the difference is zero
    /// but for rounding: the event finder has put it on the side it goes to.
    pub(super) fn relation(&mut self, index: u32, mode: Mode) -> bool {
        const SAME_INSTANT: f64 = 1e-11;
        let relation = self.model.program.relations[index as usize];
        let d = self.values[relation.difference.index()];
        let size = &mut self.magnitudes[index as usize];
        *size = size.max(d.abs());
        let rounding = self.rounding_of(index);
        let due = relation.timed.and_then(|event| self.due[event as usize]);
        let holds = match due {
            // At its own instant, but for rounding, a relation of time has the value it goes to.
            Some(slope) if d.abs() <= SAME_INSTANT * slope.abs() * self.time.abs().max(1e-3) => slope < 0.0,
            _ if self.foreseen[index as usize].is_some() && d.abs() <= rounding => {
                self.foreseen[index as usize] == Some(true)
            }
            _ if mode == Mode::Event && d.abs() <= rounding && relation.timed.is_none() => {
                return false;
            }
            _ if d.is_nan() => self.supposed.is_some_and(|one| one.is_none_or(|r| r == index)),
            _ if relation.or_equal => d <= 0.0,
            _ => d < 0.0,
        };
        let new = f64::from(u8::from(holds));
        let value = &mut self.values[relation.variable.index()];
        let changed = *value != new;
        *value = new;
        changed
    }

    /// Has a relation the value its difference says? One that is zero but for rounding says nothing, at the start either.
    pub(super) fn agrees(&mut self, index: u32, mode: Mode) -> bool {
        let relation = self.model.program.relations[index as usize];
        let d = self.values[relation.difference.index()];
        if mode == Mode::Initial && relation.timed.is_none() && d.abs() <= self.rounding_of(index) {
            return true;
        }
        !self.relation(index, mode)
    }

    /// The differences of relations, each with its sign, into `out`; their sizes are noted.
    pub(crate) fn differences(&mut self, functions: &[(VarId, f64)], relations: &[u32], out: &mut [f64]) {
        let (values, sizes) = (&self.values[..], &mut self.magnitudes[..]);
        for ((out, &(difference, sign)), &relation) in out.iter_mut().zip(functions).zip(relations) {
            let value = values[difference.index()];
            *out = sign * value;
            let size = &mut sizes[relation as usize];
            *size = if value.abs() > *size { value.abs() } else { *size };
        }
    }

    /// Up to this magnitude the difference of a relation may be rounding.
    pub(crate) fn rounding_of(&self, relation: u32) -> f64 {
        (ROUNDING * self.magnitudes[relation as usize]).max(NOTHING).max(self.noises[relation as usize])
    }

    /// A difference is rounding up to so many times what it changes by where the values are others, but no more than some part of
    /// its size.
    pub(crate) fn note_rounding(&mut self, relation: u32, others: &[f64], times: f64, most: f64) {
        let difference = self.model.program.relations[relation as usize].difference.index();
        let change = (self.values[difference] - others[difference]).abs();
        let bound = most * self.magnitudes[relation as usize].max(1.0);
        self.noises[relation as usize] = if change.is_finite() { (times * change).min(bound) } else { 0.0 };
    }

    /// The same for all relations, in order.
    pub(crate) fn roundings(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.magnitudes.len() as u32).map(|relation| self.rounding_of(relation))
    }

    /// Iterates relations and other discrete unknowns around the continuous part until nothing changes. At first
    /// all relations change at once. When that goes in circles, all combinations of a few relations are tried, those
    /// that change least first; of many, only the first one that differs changes per round (the least-index rule of
    /// K. G. Murty, *Note on a Bard-type scheme for solving the complementarity problem*, 1974).
    #[inline(never)]
    pub(super) fn mixed(
        &mut self,
        continuous: &[Exec],
        relations: &[u32],
        discrete: &[Exec],
        unknowns: &[VarId],
        written: &Arc<[VarId]>,
        mode: Mode,
    ) -> Result<(), Halt> {
        if mode == Mode::Continuous {
            return self.execute(continuous, mode);
        }
        let outermost = self.in_rounds.is_none();
        if outermost {
            for v in written.iter() {
                self.before_rounds[v.index()] = self.values[v.index()];
            }
            self.in_rounds = Some(written.clone());
        }
        let outcome = self.rounds(continuous, relations, discrete, unknowns, mode);
        if outermost {
            self.in_rounds = None;
        }
        outcome.map_err(Halt::new)
    }

    pub(super) fn rounds(
        &mut self,
        continuous: &[Exec],
        relations: &[u32],
        discrete: &[Exec],
        unknowns: &[VarId],
        mode: Mode,
    ) -> Result<(), Stop> {
        const TOGETHER: usize = 20;
        const ROUNDS: usize = 1000;
        const FEW: usize = 12;
        /// Rounds after which Real unknowns that do not come to rest are solved for.
        const ATTEMPTS: [usize; 3] = [2, 7, 15];
        let model = self.model.clone();
        let held: Vec<f64> = relations
            .iter()
            .map(|&r| self.values[model.program.relations[r as usize].variable.index()])
            .collect();
        for round in 0..ROUNDS {
            if round == TOGETHER && relations.len() <= FEW {
                if self.combinations(continuous, relations, discrete, unknowns, &held, mode)? {
                    return Ok(());
                }
                break;
            }
            let before: Vec<f64> = unknowns.iter().map(|v| self.values[v.index()]).collect();
            match self.run(continuous, mode) {
                Ok(()) => {}
                // What the relations say now has no solution: look for another combination.
                Err(Stop::Failed(failure)) if round < TOGETHER && relations.len() <= FEW => {
                    if self.combinations(continuous, relations, discrete, unknowns, &held, mode)? {
                        return Ok(());
                    }
                    return Err(Stop::Failed(failure));
                }
                Err(stop) => return Err(stop),
            }
            let mut changed = false;
            for &r in relations {
                if self.relation(r, mode) {
                    changed = true;
                    if round >= TOGETHER {
                        break;
                    }
                }
            }
            self.run(discrete, mode)?;
            let restless = |(v, old): (&VarId, &f64)| (self.values[v.index()] != *old).then_some(*v);
            let moved: Vec<VarId> = unknowns.iter().zip(&before).filter_map(restless).collect();
            if !changed && moved.is_empty() {
                return Ok(());
            }
            // Substitution alone finds numbers only where a round changes them less than the one before.
            let is_real = |v: &VarId| model.program.variables[v.index()].is_real();
            if !changed && ATTEMPTS.contains(&round) && moved.iter().all(is_real) {
                let reals: Vec<VarId> = unknowns.iter().copied().filter(is_real).collect();
                if self.settle(continuous, discrete, &reals, mode)? {
                    return Ok(());
                }
            }
        }
        let relations = relations.iter().map(|&r| model.program.relations[r as usize].variable);
        Err(Stop::Failed(Failure {
            reason: Reason::NoConvergence,
            unknowns: unknowns.iter().copied().chain(relations).collect(),
            residual: None,
        }))
    }

    /// Newton's method for discrete Real unknowns that depend on each other at an event: `u = g(u)`, where a round of the
    /// continuous and the discrete part is `g`; its derivatives by differences. Linear loops take two iterations. Was a
    /// solution found? Otherwise everything is as it was.
    fn settle(
        &mut self,
        continuous: &[Exec],
        discrete: &[Exec],
        unknowns: &[VarId],
        mode: Mode,
    ) -> Result<bool, Stop> {
        const LARGEST: usize = 200;
        const ITERATIONS: usize = 20;
        const TOLERANCE: f64 = 1e-12;
        const INCREMENT: f64 = 1e-4;
        let n = unknowns.len();
        if n == 0 || n > LARGEST {
            return Ok(false);
        }
        let kept = self.values.clone();
        let mut u: Vec<f64> = unknowns.iter().map(|v| self.values[v.index()]).collect();
        let mut matrix = vec![0.0; n * n];
        for _ in 0..ITERATIONS {
            let Some(here) = self.excess(continuous, discrete, unknowns, &u, mode)? else { break };
            let size = |u: f64| u.abs().max(1.0);
            if here.iter().zip(&u).all(|(r, &u)| r.abs() <= TOLERANCE * size(u)) {
                for (v, &u) in unknowns.iter().zip(&u) {
                    self.values[v.index()] = u;
                }
                self.run(continuous, mode)?;
                return Ok(true);
            }
            let mut known = true;
            for j in 0..n {
                let (old, step) = (u[j], INCREMENT * size(u[j]));
                u[j] += step;
                let there = self.excess(continuous, discrete, unknowns, &u, mode)?;
                let (step, there) = (u[j] - old, there.filter(|r| r.iter().all(|r| r.is_finite())));
                u[j] = old;
                let Some(there) = there else {
                    known = false;
                    break;
                };
                for i in 0..n {
                    matrix[j * n + i] = (there[i] - here[i]) / step;
                }
            }
            let mut lu = DenseLu::new(n);
            if !known || lu.factor(&matrix).is_err() {
                break;
            }
            let mut correction: Vec<f64> = here.iter().map(|r| -r).collect();
            lu.solve(&mut correction);
            u.iter_mut().zip(&correction).for_each(|(u, c)| *u += c);
        }
        self.values = kept;
        Ok(false)
    }

    /// By how much a round changes these unknowns; `None` where it has no solution.
    fn excess(
        &mut self,
        continuous: &[Exec],
        discrete: &[Exec],
        unknowns: &[VarId],
        u: &[f64],
        mode: Mode,
    ) -> Result<Option<Vec<f64>>, Stop> {
        for (v, &u) in unknowns.iter().zip(u) {
            self.values[v.index()] = u;
        }
        for part in [continuous, discrete] {
            match self.run(part, mode) {
                Ok(()) => {}
                Err(Stop::Failed(_)) => return Ok(None),
                Err(stop) => return Err(stop),
            }
        }
        Ok(Some(unknowns.iter().zip(u).map(|(v, u)| self.values[v.index()] - u).collect()))
    }

    /// Tries combinations of relations, beginning with those nearest to what was held; was a consistent one found?
    pub(super) fn combinations(
        &mut self,
        continuous: &[Exec],
        relations: &[u32],
        discrete: &[Exec],
        unknowns: &[VarId],
        held: &[f64],
        mode: Mode,
    ) -> Result<bool, Stop> {
        let model = self.model.clone();
        let mut masks: Vec<u32> = (0..1u32 << relations.len()).collect();
        masks.sort_by_key(|mask| mask.count_ones());
        for mask in masks {
            // What one combination led to is no guess for another.
            for v in self.in_rounds.iter().flat_map(|written| written.iter()) {
                self.values[v.index()] = self.before_rounds[v.index()];
            }
            for (k, &r) in relations.iter().enumerate() {
                let flip = mask >> k & 1 == 1;
                let v = model.program.relations[r as usize].variable.index();
                self.values[v] = if flip { 1.0 - held[k] } else { held[k] };
            }
            // Twice: what is computed from relations and the continuous part together must come to rest as well.
            self.run(discrete, mode)?;
            match self.run(continuous, mode) {
                Ok(()) => {}
                // A combination that has no solution is not the one.
                Err(Stop::Failed(_)) => continue,
                Err(stop) => return Err(stop),
            }
            let before: Vec<f64> = unknowns.iter().map(|v| self.values[v.index()]).collect();
            self.run(discrete, mode)?;
            let settled = unknowns.iter().zip(&before).all(|(v, old)| self.values[v.index()] == *old);
            if settled && relations.iter().all(|&r| self.agrees(r, mode)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
