//! Relations between events and at them, and systems with discrete unknowns: combinations of these are tried until one fits.

use std::sync::Arc;

use kausal_solver::Reason;
use kausal_solver::linear::DenseLu;
use kausal_solver::newton::NewtonOptions;
use kausal_symbolic::VarId;

use super::{Failure, Halt, Machine, Mode, Stop};
use crate::compiled_model::Exec;
use crate::tolerances::RELATION_ROUNDING;

/// A difference of numbers around one that is smaller than this is rounding.
const NOTHING: f64 = 1e-13;

/// Of so many relations all combinations are tried, of more the same number of them.
const FEW: usize = 12;

impl Machine {
    /// Gives a relation its value; did it change? At an event it keeps the value it has where the difference is zero
    /// but for rounding: the event finder has put it on the side it goes to. Where `reinit` has changed it since, that is over: a
    /// current that was set to zero is not below zero any more.
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
            _ if mode == Mode::Event
                && d.abs() <= rounding
                && relation.timed.is_none()
                && self.located.get(index as usize).is_none_or(|located| *located == d) =>
            {
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
        (RELATION_ROUNDING * self.magnitudes[relation as usize])
            .max(NOTHING)
            .max(self.noises[relation as usize])
    }

    /// The largest that the difference of a relation has been.
    pub(crate) fn size_of(&self, relation: u32) -> f64 {
        self.magnitudes[relation as usize]
    }

    /// What the difference of a relation may change by through the last digits of the states alone.
    pub(crate) fn noise_of(&self, relation: u32) -> f64 {
        self.noises[relation as usize]
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
        let outcome = match outcome {
            Ok(()) if outermost && mode == Mode::Initial => {
                self.nearest(&Loop { continuous, relations, discrete, unknowns })
            }
            other => other,
        };
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
        /// Rounds after which Real unknowns that do not come to rest are solved for.
        const ATTEMPTS: [usize; 3] = [2, 7, 15];
        let model = self.model.clone();
        let loops = Loop { continuous, relations, discrete, unknowns };
        let held = self.held(relations);
        let told = self.undetermined.len();
        let mut approached = mode != Mode::Initial;
        if mode == Mode::Event && relations.iter().any(|r| self.folded.contains(r)) {
            let values = self.values.clone();
            if self.combinations(&loops, &held, mode, Wanted::Any)? {
                return Ok(());
            }
            self.values = values;
        }
        for round in 0..ROUNDS {
            if round == TOGETHER && relations.len() <= FEW {
                break;
            }
            let before: Vec<f64> = unknowns.iter().map(|v| self.values[v.index()]).collect();
            let open = self.open_systems;
            match self.run(continuous, mode) {
                Ok(()) => {}
                // At the start relations are what they happen to be.
                Err(Stop::Failed(_)) if !approached => {
                    approached = true;
                    self.undetermined.truncate(told);
                    self.approach(&loops, &held, mode)?;
                    continue;
                }
                // What the relations say now has no solution: look for another combination.
                Err(Stop::Failed(failure)) if round < TOGETHER => {
                    self.undetermined.truncate(told);
                    // A simplified problem is only a way to the actual one: where it is hard, the actual one is tried.
                    if !self.is_simplified && self.combinations(&loops, &held, mode, Wanted::Any)? {
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
                if self.open_systems != open {
                    return self.prefer_determined(&loops, &held, told, mode);
                }
                return Ok(());
            }
            // What a combination that is given up leaves open is nobody's concern.
            self.undetermined.truncate(told);
            // Substitution alone finds numbers only where a round changes them less than the one before.
            let is_real = |v: &VarId| model.program.variables[v.index()].is_real();
            if !changed && ATTEMPTS.contains(&round) && moved.iter().all(is_real) {
                let reals: Vec<VarId> = unknowns.iter().copied().filter(is_real).collect();
                if self.settle(continuous, discrete, &reals, mode)? {
                    return Ok(());
                }
            }
        }
        if self.combinations(&loops, &held, mode, Wanted::Any)? {
            return Ok(());
        }
        let relations = relations.iter().map(|&r| model.program.relations[r as usize].variable);
        Err(Stop::Failed(Failure {
            reason: Reason::NoConvergence,
            unknowns: unknowns.iter().copied().chain(relations).collect(),
            residual: None,
        }))
    }

    /// Newton's method with relations that follow each of its steps: where they are not what they will be, the equations they
    /// belong to need not have a solution, but the steps lead to where they change (L. Qi and J. Sun, *A nonsmooth version of
    /// Newton's method*, Mathematical Programming 58, 1993). Leaves values and relations as guesses.
    fn approach(&mut self, loops: &Loop, held: &[f64], mode: Mode) -> Result<(), Stop> {
        let magnitudes = self.magnitudes.clone();
        self.begin_again(loops, held);
        let model = self.model.clone();
        let difference = |r: &u32| model.program.relations[*r as usize].difference.index();
        let mut before: Vec<f64> = loops.relations.iter().map(|r| self.values[difference(r)]).collect();
        // As many steps as Newton's method has for one combination.
        for _ in 0..NewtonOptions::default().max_iterations {
            self.one_step = true;
            let outcome = self.run(loops.continuous, mode);
            self.one_step = false;
            match outcome {
                Ok(()) => {}
                Err(Stop::Failed(_)) => break,
                Err(stop) => return Err(stop),
            }
            let mut changed = false;
            for &r in loops.relations {
                changed |= self.relation(r, mode);
            }
            self.run(loops.discrete, mode)?;
            // Where another step like the last one would change no relation either, the rest is a matter of one combination.
            let mut calm = !changed;
            for (r, before) in loops.relations.iter().zip(&mut before) {
                let d = self.values[difference(r)];
                calm &= (d - *before).abs() <= d.abs();
                *before = d;
            }
            if calm {
                break;
            }
        }
        // What the way led to does not say how large a difference may be.
        self.magnitudes = magnitudes;
        Ok(())
    }

    /// Of several combinations that agree at the start, as those of a trigger do, takes the one whose solution is nearest to the
    /// start values. Where nonlinear equations are inside, that is left to their iteration, which begins there.
    fn nearest(&mut self, loops: &Loop) -> Result<(), Stop> {
        let n = loops.relations.len();
        if self.is_simplified || n > FEW || is_iterated(loops.continuous) {
            return Ok(());
        }
        let model = self.model.clone();
        let written = self.in_rounds.clone();
        let start = |v: &VarId| {
            let (start, var) = (self.before_rounds[v.index()], &model.program.variables[v.index()]);
            (var.start_said && var.is_real()).then(|| (v.index(), start, start.abs().max(var.nominal)))
        };
        let starts: Vec<_> = written.iter().flat_map(|list| list.iter()).filter_map(start).collect();
        if starts.is_empty() {
            return Ok(());
        }
        // A start value of zero is often what somebody wrote who did not know better: it decides where the others do not.
        let distance = |machine: &Machine| {
            let of = |zero: bool| {
                let chosen = starts.iter().filter(move |start| (start.1 == 0.0) == zero);
                chosen.map(|&(v, start, size)| ((machine.values[v] - start) / size).powi(2)).sum::<f64>()
            };
            [of(false), of(true)]
        };
        let nearer = |one: [f64; 2], other: [f64; 2]| match one[0] < (1.0 - RELATION_ROUNDING) * other[0] {
            true => true,
            // One that is as near is the same solution.
            false => {
                one[0] <= (1.0 + RELATION_ROUNDING) * other[0]
                    && one[1] < (1.0 - RELATION_ROUNDING) * other[1]
            }
        };
        let (told, magnitudes) = (self.undetermined.len(), self.magnitudes.clone());
        let mut best = (distance(self), self.values.clone());
        let held = self.held(loops.relations);
        let mut flips = Subsets::new(n);
        flips.next();
        while let Some(flipped) = flips.next() {
            // Assertions speak of the combination that is taken.
            self.is_simplified = true;
            let found = self.consistent(loops, &held, flipped, Mode::Initial);
            self.is_simplified = false;
            let off = distance(self);
            match found {
                Ok(Some(Wanted::Determined)) if nearer(off, best.0) => {
                    best = (off, self.values.clone());
                }
                Err(stop @ (Stop::Interrupted | Stop::Crash(_) | Stop::Terminate(_))) => return Err(stop),
                _ => {}
            }
            self.undetermined.truncate(told);
            self.magnitudes.copy_from_slice(&magnitudes);
        }
        // Matrices are those of the last combination.
        self.values = best.1;
        self.events += 1;
        self.run(loops.continuous, Mode::Initial)
    }

    /// What rounds compute, and the relations, as they were before.
    fn begin_again(&mut self, loops: &Loop, held: &[f64]) {
        for v in self.in_rounds.iter().flat_map(|written| written.iter()) {
            self.values[v.index()] = self.before_rounds[v.index()];
        }
        for (&r, held) in loops.relations.iter().zip(held) {
            let v = self.model.program.relations[r as usize].variable.index();
            self.values[v] = *held;
        }
    }

    /// The values of relations.
    fn held(&self, relations: &[u32]) -> Vec<f64> {
        let variable = |r: &u32| self.model.program.relations[*r as usize].variable.index();
        relations.iter().map(|r| self.values[variable(r)]).collect()
    }

    /// The relations have come to rest where the equations leave something open. At the instant of a commutation both ideal diodes
    /// may conduct: their loop of sources has no voltage just then, and nothing says how they share the current. A moment
    /// later it contradicts itself. So a combination that determines everything is taken where there is one.
    fn prefer_determined(&mut self, loops: &Loop, held: &[f64], told: usize, mode: Mode) -> Result<(), Stop> {
        let found = self.held(loops.relations);
        let (values, undetermined) = (self.values.clone(), self.undetermined.split_off(told));
        if self.combinations(loops, held, mode, Wanted::Determined)? {
            return Ok(());
        }
        self.values = values;
        self.undetermined.truncate(told);
        self.undetermined.extend(undetermined);
        for (&r, value) in loops.relations.iter().zip(found) {
            let variable = self.model.program.relations[r as usize].variable;
            self.values[variable.index()] = value;
        }
        Ok(())
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

    /// Tries combinations of relations, beginning with those nearest to what was held; was a consistent one found? One that leaves
    /// something open is taken only where none determines everything, and only if that will do.
    fn combinations(&mut self, loops: &Loop, held: &[f64], mode: Mode, wanted: Wanted) -> Result<bool, Stop> {
        const MOST: usize = 1 << FEW;
        let told = self.undetermined.len();
        let magnitudes = self.magnitudes.clone();
        let mut open = None;
        // Where nothing was found again and again, less and less is spent on it.
        let most = match wanted {
            Wanted::Any => MOST,
            Wanted::Determined => MOST >> self.fruitless.min(MOST.ilog2()),
        };
        let mut flips = Subsets::new(loops.relations.len());
        for _ in 0..most {
            let Some(flipped) = flips.next() else { break };
            match self.consistent(loops, held, flipped, mode)? {
                Some(Wanted::Determined) => {
                    self.fruitless = 0;
                    return Ok(true);
                }
                Some(Wanted::Any) if wanted == Wanted::Any && open.is_none() => open = Some(flipped.to_vec()),
                _ => {}
            }
            self.undetermined.truncate(told);
            // Nor does what it led to say how large a difference may be.
            self.magnitudes.copy_from_slice(&magnitudes);
        }
        self.fruitless += u32::from(wanted == Wanted::Determined);
        match open {
            Some(flipped) => Ok(self.consistent(loops, held, &flipped, mode)?.is_some()),
            None => Ok(false),
        }
    }

    /// Do the continuous part and the relations agree where these ones are not what was held? And is everything determined then?
    fn consistent(
        &mut self,
        loops: &Loop,
        held: &[f64],
        flipped: &[usize],
        mode: Mode,
    ) -> Result<Option<Wanted>, Stop> {
        let model = self.model.clone();
        // What one combination led to is no guess for another.
        self.begin_again(loops, held);
        for &k in flipped {
            let v = model.program.relations[loops.relations[k] as usize].variable.index();
            self.values[v] = 1.0 - held[k];
        }
        // Twice: what is computed from relations and the continuous part together must come to rest as well.
        self.run(loops.discrete, mode)?;
        let open = self.open_systems;
        match self.run(loops.continuous, mode) {
            Ok(()) => {}
            // A combination that has no solution is not the one.
            Err(Stop::Failed(_)) => return Ok(None),
            Err(stop) => return Err(stop),
        }
        let open = self.open_systems != open;
        let before: Vec<f64> = loops.unknowns.iter().map(|v| self.values[v.index()]).collect();
        self.run(loops.discrete, mode)?;
        let settled = loops.unknowns.iter().zip(&before).all(|(v, old)| self.values[v.index()] == *old);
        // What has crossed zero is there but for rounding, and goes to the side it was put on.
        let returns = |machine: &Machine, k: usize| {
            let r = loops.relations[k];
            let difference = machine.model.program.relations[r as usize].difference;
            machine.crossed.contains(&r) && machine.values[difference.index()].abs() <= machine.rounding_of(r)
        };
        // Where a solution ends, zero belongs to neither side: what goes on is away from it.
        let ends = |machine: &Machine, &r: &u32| {
            let difference = machine.model.program.relations[r as usize].difference;
            machine.folded.contains(&r) && machine.values[difference.index()].abs() <= machine.rounding_of(r)
        };
        let agree = settled
            && !flipped.iter().any(|&k| returns(self, k))
            && !loops.relations.iter().any(|r| ends(self, r))
            && loops.relations.iter().all(|&r| self.agrees(r, mode));
        Ok(agree.then_some(if open { Wanted::Any } else { Wanted::Determined }))
    }
}

/// A mixed system.
struct Loop<'a> {
    continuous: &'a [Exec],
    relations: &'a [u32],
    discrete: &'a [Exec],
    unknowns: &'a [VarId],
}

/// Are nonlinear equations among these steps?
pub(crate) fn is_iterated(steps: &[Exec]) -> bool {
    steps.iter().any(|step| match step {
        Exec::Newton(_) => true,
        Exec::Mixed { continuous, .. } => is_iterated(continuous),
        Exec::Guarded(steps, _) => is_iterated(steps),
        Exec::If(_, yes, no) => is_iterated(yes) || is_iterated(no),
        _ => false,
    })
}

/// Which combinations of relations will do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Also those that leave something open.
    Any,
    /// Those that determine everything.
    Determined,
}

/// The subsets of the first numbers, small ones first.
struct Subsets {
    n: usize,
    /// The last one; nothing before the first.
    chosen: Option<Vec<usize>>,
}

impl Subsets {
    fn new(n: usize) -> Subsets {
        Subsets { n, chosen: None }
    }

    fn next(&mut self) -> Option<&[usize]> {
        let Some(mut chosen) = self.chosen.take() else { return Some(self.chosen.insert(Vec::new())) };
        let size = chosen.len();
        // The last place that can move on; those behind it follow it.
        match (0..size).rev().find(|&k| chosen[k] + (size - k) < self.n) {
            Some(k) => {
                let first = chosen[k] + 1;
                (k..size).for_each(|j| chosen[j] = first + (j - k));
            }
            None if size == self.n => return None,
            None => chosen = (0..size + 1).collect(),
        }
        Some(self.chosen.insert(chosen))
    }
}

#[cfg(test)]
mod tests {
    use super::Subsets;

    #[test]
    fn subsets_come_once_each_small_ones_first() {
        for n in 0..7 {
            let (mut subsets, mut found) = (Subsets::new(n), Vec::new());
            while let Some(subset) = subsets.next() {
                found.push(subset.to_vec());
            }
            assert!(found.windows(2).all(|pair| pair[0].len() <= pair[1].len()));
            assert!(found.iter().flatten().all(|&k| k < n));
            let all = found.len();
            found.sort();
            found.dedup();
            assert_eq!((found.len(), all), (1 << n, 1 << n));
        }
    }
}
