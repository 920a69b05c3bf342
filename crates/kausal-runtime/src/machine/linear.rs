//! Linear systems at run time: kernels that a solver factorises, straight-line solutions with their guards, and systems that
//! do not determine all their unknowns.

use kausal_solver::Reason;
use kausal_solver::linear::{Structure, inverse_norm1, norm1_dense, norm1_sparse, solve_deficient};
use kausal_symbolic::VarId;
use kausal_translate::program::Kind;

use super::{Failure, Halt, KernelSpace, Machine, Mode, Stop, Undetermined};
use crate::compiled_model::{Exec, Guard, Kernel, KernelFactor};

impl Machine {
    #[inline(never)]
    pub(super) fn solve(&mut self, index: usize, mode: Mode) -> Result<(), Halt> {
        if mode == Mode::Initial && self.pivoting.is_some() {
            return self.solve_looking(index, mode);
        }
        // Borrowed field by field: this is called for every small system in every evaluation.
        let Machine { model, kernels, values, written, .. } = &mut *self;
        let kernel = &model.kernels[index];
        let space = &mut kernels[kernel.factors_of];
        if !solve_in(kernel, space, values) {
            return self.solve_deficient(index, mode);
        }
        if mode == Mode::Continuous && !*written && space.unchecked > 0 {
            space.unchecked -= 1;
            return Ok(());
        }
        self.check_solution(index)
    }

    /// At the start, where a divisor was too small for a straight-line solution: a matrix that is singular but for rounding
    /// has factors, and what they give is no solution. If its equations do not contradict each other it is solved as one
    /// without full rank.
    fn solve_looking(&mut self, index: usize, mode: Mode) -> Result<(), Halt> {
        /// Matrices with a larger condition are looked at; rows and columns may differ in size.
        const ILL: f64 = 1e15;
        let model = self.model.clone();
        let kernel = &model.kernels[index];
        let values = |machine: &Machine| -> Vec<f64> {
            kernel.unknowns.iter().map(|v| machine.values[v.index()]).collect()
        };
        let put = |machine: &mut Machine, from: &[f64]| {
            kernel.unknowns.iter().zip(from).for_each(|(v, x)| machine.values[v.index()] = *x);
        };
        let before = values(self);
        let space = &mut self.kernels[kernel.factors_of];
        if !solve_in(kernel, space, &mut self.values) {
            return self.solve_deficient(index, mode);
        }
        let size = match &kernel.structure {
            Structure::Dense(_) => norm1_dense(kernel.n, &space.matrix),
            Structure::Sparse(pattern) => norm1_sparse(pattern, &space.matrix),
        };
        let inverse = match &mut space.factor {
            Some(KernelFactor::General(factor)) => inverse_norm1(factor, &mut vec![0.0; 2 * kernel.n]),
            _ => 0.0,
        };
        if size * inverse < ILL {
            return Ok(());
        }
        let solution = values(self);
        put(self, &before);
        let known = self.undetermined.len();
        if self.solve_deficient(index, mode).is_err() {
            self.undetermined.truncate(known);
            put(self, &solution);
        }
        Ok(())
    }

    /// A linear system without full rank: what it does not determine stays as near as can be to the values it has. At
    /// the start states are what is looked for, so they move first; what the system is torn at is what guesses are for,
    /// and moves last. Equations that contradict each other are an error.
    pub(super) fn solve_deficient(&mut self, index: usize, mode: Mode) -> Result<(), Halt> {
        const LARGEST: usize = 400;
        const STATES_FIRST: f64 = 1e6;
        const TORN_LAST: f64 = 1e-6;
        /// Values this part of their nominal ones are as good as zero when equations are added up.
        const SMALL: f64 = 1e-3;
        let model = self.model.clone();
        let kernel: &Kernel = &model.kernels[index];
        let n = kernel.n;
        let failed = |residual| {
            let (reason, unknowns) = (Reason::SingularMatrix, kernel.unknowns.clone());
            Halt::new(Stop::Failed(Failure { reason, unknowns, residual }))
        };
        if n > LARGEST {
            return Err(failed(None));
        }
        let mut a = vec![0.0; n * n];
        match &kernel.structure {
            Structure::Dense(_) => {
                for &(place, v) in &kernel.entries {
                    a[place] += self.values[v.index()];
                }
            }
            Structure::Sparse(pattern) => {
                let places: Vec<(usize, usize)> = pattern.iter().collect();
                for &(place, v) in &kernel.entries {
                    let (i, j) = places[place];
                    a[i + n * j] += self.values[v.index()];
                }
            }
        }
        let had = if self.in_rounds.is_none() { &self.values } else { &self.before_rounds };
        let guess: Vec<f64> = kernel
            .unknowns
            .iter()
            .map(|v| Some(had[v.index()]).filter(|x| x.is_finite()).unwrap_or(0.0))
            .collect();
        let mut r: Vec<f64> = kernel.rhs.iter().map(|v| self.values[v.index()]).collect();
        if a.iter().chain(&r).any(|v| !v.is_finite()) {
            let (reason, unknowns) = (Reason::NotFinite, kernel.unknowns.clone());
            return Err(Stop::Failed(Failure { reason, unknowns, residual: None }).into());
        }
        let nominal = |j: usize| model.program.variables[kernel.unknowns[j].index()].nominal;
        let mut magnitude: Vec<f64> = r.iter().map(|b| b.abs()).collect();
        for i in 0..n {
            for j in 0..n {
                let term = a[i + n * j] * guess[j];
                r[i] -= term;
                magnitude[i] += term.abs() + SMALL * a[i + n * j].abs() * nominal(j);
            }
        }
        let torn: &[VarId] = self.pivoting.map_or(&[], |guard| &model.guards[guard].torn);
        let weight: Vec<f64> = kernel
            .unknowns
            .iter()
            .zip(&guess)
            .map(|(v, x)| {
                let var = &model.program.variables[v.index()];
                let first = mode == Mode::Initial && var.kind == Kind::State;
                let last = mode == Mode::Initial && torn.contains(v);
                let part = if first { STATES_FIRST } else { 1.0 } * if last { TORN_LAST } else { 1.0 };
                x.abs().max(var.nominal) * part
            })
            .collect();
        let found = solve_deficient(&mut a, &mut r, &magnitude, &weight);
        if found.contradiction.is_some() && !self.disturbed {
            return Err(failed(found.contradiction));
        }
        for ((v, d), x) in kernel.unknowns.iter().zip(&r).zip(&guess) {
            self.values[v.index()] = x + d;
        }
        let open: Vec<VarId> = found.open.iter().map(|&j| kernel.unknowns[j]).collect();
        self.open_systems += u64::from(!open.is_empty());
        self.note_undetermined(&kernel.unknowns, open, mode);
        Ok(())
    }

    /// Each set of unknowns is told once, the first time that values were chosen for it.
    pub(super) fn note_undetermined(&mut self, unknowns: &[VarId], mut open: Vec<VarId>, mode: Mode) {
        // No results come from a step that is linearised.
        if self.demand.linearized.is_some() {
            return;
        }
        open.sort_unstable();
        if !open.is_empty() && !self.undetermined.iter().any(|u| u.open == open) {
            let (unknowns, time) = (unknowns.to_vec(), self.time);
            self.undetermined.push(Undetermined { unknowns, open, time, initial: mode == Mode::Initial });
        }
    }

    /// A straight-line solution, and the one with pivoting where a divisor is too small or digits are lost.
    #[inline(never)]
    pub(super) fn guarded(&mut self, steps: &[Exec], index: usize, mode: Mode) -> Result<(), Halt> {
        let taken = self.guards[index].plan.take();
        let guard = taken.unwrap_or_else(|| self.model.guards[index].clone());
        let outcome = self.guarded_by(&guard, steps, index, mode);
        self.guards[index].plan = Some(guard);
        outcome
    }

    fn guarded_by(&mut self, guard: &Guard, steps: &[Exec], index: usize, mode: Mode) -> Result<(), Halt> {
        use kausal_translate::program::Guard;
        let space = &mut self.guards[index];
        if space.gave_up {
            space.guess.clear();
            return self.pivoting(index, mode);
        }
        // Between events a guess that is a few evaluations old serves as well, unless it is needed every time.
        if mode != Mode::Continuous || self.written || space.fell_back || space.unchecked == 0 {
            let values = self.values.as_slice();
            space.guess.clear();
            space.guess.extend(guard.unknowns.iter().map(|v| values[v.index()]));
        }
        space.fell_back = false;
        if let Err(halt) = self.execute(steps, mode) {
            return if matches!(*halt, Stop::Failed(_)) { self.pivoting(index, mode) } else { Err(halt) };
        }
        let values = self.values.as_slice();
        let space = &mut self.guards[index];
        let mut holds = true;
        for (&(p, reference), largest) in guard.pivots.iter().zip(&mut space.largest) {
            let size = values[p.index()].abs();
            // Seldom, so that nothing is stored in most evaluations.
            if size > *largest && size.is_finite() {
                *largest = size;
            }
            let least = Guard::TINY * values[reference.index()].abs();
            holds &= size > 0.0 && size >= least && size >= Guard::VANISHING * *largest && size.is_finite();
        }
        if !holds {
            return self.pivoting(index, mode);
        }
        let space = &mut self.guards[index];
        // What is written down is looked at.
        if mode == Mode::Continuous && !self.written && space.unchecked > 0 {
            space.unchecked -= 1;
            return Ok(());
        }
        space.unchecked = Guard::OFTEN - 1;
        self.execute(&guard.check, mode)?;
        let value = |v: VarId| self.values[v.index()];
        // Where all terms of an equation are nearly zero, what is left of them is the rounding of the others.
        let largest = guard.residuals.iter().fold(0.0, |most: f64, &(_, size)| most.max(value(size)));
        let rounding = Guard::ROUNDING * largest;
        let solved = guard
            .residuals
            .iter()
            .all(|&(r, size)| value(r).abs() <= (Guard::LOST * value(size)).max(rounding));
        if solved && guard.sums.iter().all(|&(p, size)| value(p).abs() >= Guard::CANCELLED * value(size)) {
            return Ok(());
        }
        self.guards[index].gave_up = true;
        self.pivoting(index, mode)
    }

    /// Was a guarded system solved with pivoting the last time?
    pub(crate) fn fell_back(&self, guard: usize) -> bool {
        self.guards[guard].fell_back
    }

    pub(super) fn pivoting(&mut self, index: usize, mode: Mode) -> Result<(), Halt> {
        self.pivot_fallbacks += 1;
        self.guards[index].fell_back = true;
        let model = self.model.clone();
        let guard = &model.guards[index];
        for (v, guess) in guard.unknowns.iter().zip(&self.guards[index].guess) {
            self.values[v.index()] = *guess;
        }
        let outer = self.pivoting.replace(index);
        let outcome = self.execute(&guard.fallback, mode);
        self.pivoting = outer;
        outcome
    }

    /// Solves a linear system again, with the factors it has and another right side.
    pub(crate) fn solve_again(&mut self, index: usize, fill: impl FnOnce(&[f64], &mut [f64])) {
        let space = &mut self.kernels[index];
        fill(&self.values, &mut space.rhs);
        match &mut space.factor {
            Some(factor) if space.factored => factor.solve(&mut space.rhs),
            _ => space.rhs.fill(f64::NAN),
        }
    }

    /// Puts the last solution of a linear system into slots.
    pub(crate) fn scatter(&mut self, index: usize, slots: &[VarId]) {
        for (x, slot) in self.kernels[index].rhs.iter().zip(slots) {
            self.values[slot.index()] = *x;
        }
    }
}

/// Solves with the factors of the matrix, made anew where they do not hold; `false` where it is singular.
fn solve_in(kernel: &Kernel, space: &mut KernelSpace, values: &mut [f64]) -> bool {
    let Some(factor) = &mut space.factor else { return false };
    if !(kernel.constant && space.factored) {
        space.matrix.fill(0.0);
        for &(place, v) in &kernel.entries {
            space.matrix[place] += values[v.index()];
        }
        space.factored = factor.factor(&space.matrix).is_ok();
        if !space.factored {
            return false;
        }
    }
    for (b, v) in space.rhs.iter_mut().zip(&kernel.rhs) {
        *b = values[v.index()];
    }
    factor.solve(&mut space.rhs);
    for (x, v) in space.rhs.iter().zip(&kernel.unknowns) {
        values[v.index()] = *x;
    }
    true
}
