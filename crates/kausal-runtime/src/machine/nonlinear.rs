//! Nonlinear systems at run time: Newton's method and homotopy, chord iterations of an inlined step, sweeps.

use kausal_solver::acceleration::Acceleration;
use kausal_solver::bracket;
use kausal_solver::chord::{Change, Chord, ChordRequest, ChordWork, StepSystem};
use kausal_solver::homotopy::{self, ContinuationOptions};
use kausal_solver::linear::Pattern;
use kausal_solver::newton::{NewtonOptions, NonlinearSystem};
use kausal_solver::weights::{norm, sum_of_squares};
use kausal_solver::{ModelError, Reason};
use kausal_symbolic::VarId;
use kausal_translate::program::Iteration;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::branch_switch::Branch;
use super::{Demand, Failure, Linearized, Machine, Mode, Stop, cancellation, determined, guess};
use crate::compiled_model::{self, Exec};

/// Iteration variables of an inlined step that are neither states nor derivatives need this part of the exactness of
/// states: their errors reach these through the step size.
const NEAR: f64 = 0.01;
/// Whether digits are lost in a system of an inlined step is looked at once in so many times that it is solved.
const SOLVES_PER_LOOK: u32 = 64;

/// Memory of the iteration of one system of an inlined step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ChordSpace {
    chord: Chord,
    z: Vec<f64>,
    /// The solution that a step is linearised around.
    point: Vec<f64>,
    weights: Vec<f64>,
    /// How the iteration variables are weighed.
    weighed: Vec<Weighed>,
    /// There are states that follow from the iteration variables.
    follows: bool,
    /// The states that it computes, their places among the states, and their values when they were marked.
    tracked: Vec<VarId>,
    places: Vec<u32>,
    /// Their error weights.
    tracked_weights: Vec<f64>,
    marked: Vec<f64>,
    sensitivities: Sensitivities,
    /// By how much a correction moves them.
    predicted: Vec<f64>,
    /// How often it has been solved.
    solves: u32,
    /// The states that it computes have lost their digits.
    lost_digits: bool,
}

/// What the error weight of an iteration variable is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Weighed {
    /// The state with this place.
    State(u32),
    /// The derivative of the state with this place.
    Derivative(u32),
    /// Its own size.
    Itself,
}

/// Derivatives of tracked states, by their place, by iteration variables, as the last matrix had them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Sensitivities {
    entries: Vec<(u32, u32, f64)>,
    /// Where the derivatives are.
    slots: Vec<VarId>,
    /// The same column by column, where few of them are zero.
    dense: Option<Vec<f64>>,
    /// Of each tracked state: the size of what a correction changes in the iteration variables it depends on.
    squares: Vec<f64>,
}

impl Sensitivities {
    fn new(known: &[(usize, u32, VarId)], tracked: usize, n: usize) -> Self {
        let dense = (!known.is_empty() && 3 * known.len() >= tracked * n).then(|| vec![0.0; tracked * n]);
        Sensitivities {
            entries: known.iter().map(|s| (s.0 as u32, s.1, 0.0)).collect(),
            slots: known.iter().map(|s| s.2).collect(),
            squares: vec![0.0; tracked],
            dense,
        }
    }

    /// Takes the derivatives from their slots; not a number, and nothing is predicted with them, where they mean nothing.
    fn take(&mut self, values: &[f64], valid: bool, tracked: usize) {
        for (entry, slot) in self.entries.iter_mut().zip(&self.slots) {
            entry.2 = if valid { values[slot.index()] } else { f64::NAN };
        }
        if let Some(dense) = &mut self.dense {
            dense.fill(0.0);
            for &(place, k, slope) in &self.entries {
                dense[k as usize * tracked + place as usize] += slope;
            }
        }
    }

    /// The smallest change of the derivatives, in weighted iteration variables, by which a correction would have been seen to
    /// change the states by so much more (Broyden, *A class of methods for solving nonlinear simultaneous equations*,
    /// Mathematics of Computation 19, 1965). Corrections of consecutive steps are alike, so the next one is foreseen better.
    fn learn(&mut self, correction: &[f64], weights: &[f64], beyond: &[f64]) {
        let weighted = |k: usize| correction[k] * weights[k] * weights[k];
        let usable = |square: f64| square > 0.0 && square.is_finite();
        if let Some(dense) = &mut self.dense {
            let square: f64 = correction.iter().enumerate().map(|(k, c)| c * weighted(k)).sum();
            if usable(square) {
                for (k, column) in dense.chunks_exact_mut(beyond.len()).enumerate() {
                    let part = weighted(k) / square;
                    for (slope, beyond) in column.iter_mut().zip(beyond) {
                        *slope += part * beyond;
                    }
                }
            }
            return;
        }
        self.squares.fill(0.0);
        for &(place, k, _) in &self.entries {
            self.squares[place as usize] += correction[k as usize] * weighted(k as usize);
        }
        for (place, k, slope) in &mut self.entries {
            let square = self.squares[*place as usize];
            if usable(square) {
                *slope += beyond[*place as usize] * weighted(*k as usize) / square;
            }
        }
    }

    fn apply(&self, correction: &[f64], change: &mut [f64]) {
        change.fill(0.0);
        match &self.dense {
            Some(dense) => {
                // A few columns at a time: what is summed up stays in registers.
                const TOGETHER: usize = 6;
                let columns = dense.chunks(TOGETHER * change.len().max(1));
                for (columns, corrections) in columns.zip(correction.chunks(TOGETHER)) {
                    match corrections.len() {
                        1 => add_columns::<1>(columns, corrections, change),
                        2 => add_columns::<2>(columns, corrections, change),
                        3 => add_columns::<3>(columns, corrections, change),
                        4 => add_columns::<4>(columns, corrections, change),
                        5 => add_columns::<5>(columns, corrections, change),
                        _ => add_columns::<TOGETHER>(columns, corrections, change),
                    }
                }
            }
            None => {
                for &(place, k, slope) in &self.entries {
                    change[place as usize] += slope * correction[k as usize];
                }
            }
        }
    }
}

/// Adds multiples of columns that follow each other.
#[inline(always)]
fn add_columns<const N: usize>(columns: &[f64], factors: &[f64], sum: &mut [f64]) {
    let n = sum.len();
    let columns: [&[f64]; N] = std::array::from_fn(|k| &columns[k * n..][..n]);
    let factors: [f64; N] = std::array::from_fn(|k| factors[k]);
    for i in 0..n {
        let mut here = sum[i];
        for k in 0..N {
            here += columns[k][i] * factors[k];
        }
        sum[i] = here;
    }
}

/// Memory of the iteration of one nonlinear system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct NewtonSpace {
    solver: kausal_solver::newton::Newton,
    x: Vec<f64>,
    start: Vec<f64>,
    /// It has been looked at whether the equations determine the unknowns.
    examined: bool,
    /// Guesses have been fitted to start values.
    fitted: bool,
    branch: Branch,
}

impl Machine {
    /// Workspaces of the inlined step.
    pub(super) fn prepare_chords(&mut self) {
        let model = self.model.clone();
        let Some(inlined) = &model.discretized else { return };
        let stages = model.program.discretized.iter().flat_map(|d| &d.stages).flat_map(|stage| &stage.states);
        let count = model.program.states.len().max(1);
        let states = model.program.states.iter().chain(stages).enumerate();
        let mut weighed = FxHashMap::default();
        for (k, state) in states.clone() {
            weighed.insert(state.derivative, Weighed::Derivative((k % count) as u32));
        }
        // A derivative may be a state itself.
        weighed.extend(states.map(|(k, state)| (state.variable, Weighed::State((k % count) as u32))));
        let weighed = |v: &VarId| weighed.get(v).copied().unwrap_or(Weighed::Itself);
        for newton in &model.newtons[inlined.before.newtons..] {
            let n = newton.unknowns.len();
            let found = newton.all.iter().filter_map(|v| match weighed(v) {
                Weighed::State(place) => Some((*v, place)),
                _ => None,
            });
            let (tracked, places): (Vec<VarId>, Vec<u32>) = found.unzip();
            // No formula of the method is in it: it is solved as it is in the dynamics, and a smaller step does not help. What
            // is iterated inside is solved to the end each time.
            if tracked.is_empty() || newton.inner {
                self.chords.push(None);
                continue;
            }
            let mut system =
                TornSystem { machine: self, newton, mode: Mode::Continuous, stop: None, pivoted: false };
            let chord = Chord::new(&mut system).ok();
            let marked = vec![0.0; tracked.len()];
            let place = |v: VarId| tracked.iter().position(|t| *t == v);
            let known = newton.sensitivities.iter();
            let sensitivities: Vec<(usize, u32, VarId)> =
                known.filter_map(|&(v, k, slot)| Some((place(v)?, k, slot))).collect();
            let weighed: Vec<Weighed> = newton.unknowns.iter().map(weighed).collect();
            let space = chord.map(|chord| ChordSpace {
                follows: follows(&weighed, tracked.len()),
                weighed,
                places,
                tracked_weights: vec![0.0; tracked.len()],
                sensitivities: Sensitivities::new(&sensitivities, tracked.len(), n),
                predicted: vec![0.0; tracked.len()],
                chord,
                z: vec![0.0; n],
                point: vec![0.0; n],
                weights: vec![0.0; n],
                tracked,
                marked,
                solves: 0,
                lost_digits: false,
            });
            self.chords.push(space.map(Box::new));
        }
    }

    /// The iterations of the inlined step.
    pub(crate) fn chords(&mut self) -> impl Iterator<Item = &mut Chord> {
        self.chords.iter_mut().flatten().map(|space| &mut space.chord)
    }

    /// Are there states that follow from iteration variables of the inlined step, and none that are iterated on alone?
    pub(crate) fn follows_states(&self) -> bool {
        let mut spaces = self.chords.iter().flatten().peekable();
        spaces.peek().is_some() && spaces.all(|space| space.follows)
    }

    /// Work of these.
    pub(crate) fn chord_work(&self) -> ChordWork {
        let mut all = ChordWork::default();
        for work in self.chords.iter().flatten().map(|space| space.chord.work()) {
            all.iterations += work.iterations;
            all.residuals += work.residuals;
            all.jacobians += work.jacobians;
            all.failures += work.failures;
        }
        all
    }

    /// Workspaces of nonlinear systems; none where the pattern is singular.
    pub(super) fn prepare_newton(&mut self) {
        let model = self.model.clone();
        for newton in &model.newtons {
            if newton.iteration != Iteration::Newton {
                self.newtons.push(None);
                continue;
            }
            let n = newton.unknowns.len();
            let mut system =
                TornSystem { machine: self, newton, mode: Mode::Initial, stop: None, pivoted: false };
            let options = NewtonOptions { verify: newton.has_kinks, ..NewtonOptions::default() };
            let space =
                kausal_solver::newton::Newton::new(&mut system, options).ok().map(|solver| NewtonSpace {
                    solver,
                    x: vec![0.0; n],
                    start: vec![0.0; n],
                    examined: false,
                    fitted: false,
                    branch: Branch::default(),
                });
            self.newtons.push(space);
        }
        self.inner_slopes = vec![f64::NAN; model.newtons.len()];
    }

    /// The chord method on the iteration variables of an inlined step.
    pub(super) fn chord(&mut self, index: usize, place: usize) -> Result<(), Stop> {
        let model = self.model.clone();
        let newton: &compiled_model::Newton = &model.newtons[index];
        let Some(mut space) = self.chords[place].take() else {
            return Err(singular(&newton.unknowns));
        };
        let Demand { h, tolerance, most_iterations, persistence, finest, linearized, .. } = self.demand;
        for (k, v) in newton.unknowns.iter().enumerate() {
            let z = self.values[v.index()];
            space.z[k] = z;
            space.weights[k] = match space.weighed[k] {
                Weighed::State(i) => self.demand.weights[i as usize],
                Weighed::Derivative(i) => h.abs() * self.demand.weights[i as usize],
                Weighed::Itself => {
                    1.0 / (self.demand.relative * z.abs().max(model.program.variables[v.index()].nominal))
                }
            };
        }
        for (weight, place) in space.tracked_weights.iter_mut().zip(&space.places) {
            *weight = self.demand.weights[*place as usize];
        }
        let torn = TornSystem { machine: self, newton, mode: Mode::Continuous, stop: None, pivoted: false };
        let mut system = SteppingSystem {
            torn,
            sensitivities: &mut space.sensitivities,
            predicted: &mut space.predicted,
            tracked: &space.tracked,
            tracked_weights: &space.tracked_weights,
            follows: space.follows,
            marked: &mut space.marked,
            weights: &space.weights,
            weighed: &space.weighed,
        };
        let by_size = model.program.discretized.as_ref().is_some_and(|d| d.stages.len() > 1);
        let weights = &space.weights;
        let request = ChordRequest { h, weights, tolerance, most_iterations, persistence, finest, by_size };
        let outcome = match linearized {
            None => space.chord.solve(&mut system, &request, &mut space.z),
            Some(Linearized::AtPoint) => {
                space.chord.correct_with_new_matrix(&mut system, &request, &mut space.z)
            }
            Some(Linearized::Confirmed) => {
                let confirmed = space.chord.confirm(&mut system, &request, &space.z);
                confirmed.and_then(|right| match right {
                    true => Ok(()),
                    false => Err(ModelError::recoverable(Reason::NoConvergence)),
                })
            }
            Some(Linearized::Beside) => {
                space.z.copy_from_slice(&space.point);
                space.chord.correct_once(&mut system, &mut space.z)
            }
        };
        if linearized == Some(Linearized::AtPoint) {
            space.point.copy_from_slice(&space.z);
        }
        let stop = system.torn.stop.take();
        if outcome.is_ok() && !self.trusts && linearized.is_none() {
            let look = space.solves.is_multiple_of(SOLVES_PER_LOOK);
            space.solves = space.solves.wrapping_add(1);
            // States that were moved by their derivatives are not quite what follows.
            if look && self.put(newton, &space.z, Mode::Continuous).is_ok() {
                let mut torn =
                    TornSystem { machine: self, newton, mode: Mode::Continuous, stop: None, pivoted: false };
                space.lost_digits = cancellation::are_lost(&mut torn, &space.z, &space.tracked);
            }
        }
        let outcome = outcome.map_err(|error| match error {
            ModelError::Recoverable(e) => Stop::Failed(Failure {
                reason: e.reason,
                unknowns: newton.unknowns.clone(),
                residual: space.chord.largest_residual(),
            }),
            ModelError::Fatal(e) => stop.unwrap_or_else(|| Stop::Function(None, e.to_string())),
        });
        let lost_digits = space.lost_digits;
        self.chords[place] = Some(space);
        outcome?;
        match lost_digits {
            true => Err(lost(newton)),
            false => Ok(()),
        }
    }

    /// The one variable of a system inside another one. It is found to rounding, so that what is around sees a smooth function;
    /// where that fails the system around fails, too, and the step becomes smaller. The slope is kept as long as it serves.
    pub(super) fn inner_newton(&mut self, index: usize, mode: Mode) -> Result<(), Stop> {
        /// What may be left, relative to the variable.
        const SMALL: f64 = 1e-11;
        /// A slope serves as long as each correction is at most this part of the one before.
        const CONTRACTION: f64 = 0.05;
        const MOST: u32 = 20;
        let model = self.model.clone();
        let newton: &compiled_model::Newton = &model.newtons[index];
        let (&[unknown], &[residual], Some(_)) =
            (&newton.unknowns[..], &newton.residuals[..], &newton.jacobian)
        else {
            return self.newton(index, mode);
        };
        let nominal = model.program.variables[unknown.index()].nominal;
        let start = self.values[unknown.index()];
        let (mut x, mut last) = (start, f64::INFINITY);
        let mut slope = self.inner_slopes[index];
        let mut reason = Reason::NoConvergence;
        for _ in 0..MOST {
            let fallbacks = self.pivot_fallbacks;
            self.put(newton, &[x], mode)?;
            let here = self.values[residual.index()];
            if here == 0.0 {
                return Ok(());
            }
            let mut correction = -here / slope;
            if correction.is_nan() || correction.abs() > CONTRACTION * last {
                slope = self.inner_slope(newton, x, mode, fallbacks)?;
                self.inner_slopes[index] = slope;
                correction = -here / slope;
            }
            x += correction;
            // Corrections go on shrinking as they do.
            let rate = if last.is_finite() { correction.abs() / last } else { 1.0 };
            last = correction.abs();
            if !x.is_finite() {
                reason = if slope == 0.0 { Reason::SingularMatrix } else { Reason::NotFinite };
                break;
            }
            if last * rate.min(1.0) <= SMALL * x.abs().max(nominal) {
                return self.put(newton, &[x], mode);
            }
        }
        self.newton_failures += 1;
        self.values[unknown.index()] = start;
        self.inner_slopes[index] = f64::NAN;
        Err(Stop::Failed(Failure { reason, unknowns: newton.unknowns.clone(), residual: None }))
    }

    /// The derivative of the residual of a system of one unknown, which has just been evaluated at `x`; before that so many linear
    /// systems had been solved with pivoting.
    fn inner_slope(
        &mut self,
        newton: &compiled_model::Newton,
        x: f64,
        mode: Mode,
        fallbacks: u64,
    ) -> Result<f64, Stop> {
        let Some((steps, entries)) = &newton.jacobian else { return Ok(f64::NAN) };
        if self.pivot_fallbacks == fallbacks {
            self.run(steps, mode)?;
            return Ok(entries.iter().map(|entry| self.values[entry.2.index()]).sum());
        }
        // Derivatives of divisions that were not made mean nothing.
        let (unknown, residual) = (newton.unknowns[0].index(), newton.residuals[0].index());
        let here = self.values[residual];
        let nominal = self.model.program.variables[unknown].nominal;
        let distance = f64::EPSILON.sqrt() * x.abs().max(nominal);
        self.put(newton, &[x + distance], mode)?;
        Ok((self.values[residual] - here) / distance)
    }

    /// Newton's method on the iteration variables; homotopies where it fails.
    pub(super) fn newton(&mut self, index: usize, mode: Mode) -> Result<(), Stop> {
        let model = self.model.clone();
        let newton: &compiled_model::Newton = &model.newtons[index];
        if newton.iteration != Iteration::Newton {
            return self.sweeps(newton, mode);
        }
        let Some(mut space) = self.newtons[index].take() else {
            return Err(singular(&newton.unknowns));
        };
        for (x, v) in space.x.iter_mut().zip(&newton.unknowns) {
            *x = self.values[v.index()];
        }
        space.start.copy_from_slice(&space.x);
        let exact = self.exact || self.careful || mode != Mode::Continuous;
        let is_simplified = self.is_simplified;
        if self.one_step {
            let outcome = self.one_step(newton, &mut space, mode);
            self.newtons[index] = Some(space);
            return outcome;
        }
        let mut system = TornSystem { machine: self, newton, mode, stop: None, pivoted: false };
        let before = space.solver.work();
        let fitted = mode == Mode::Initial
            && !std::mem::replace(&mut space.fitted, true)
            && guess::fit(&mut system, &mut space.x);
        let mut outcome = space.solver.solve(&mut system, &mut space.x).map(|_| ());
        if fitted && matches!(outcome, Err(ModelError::Recoverable(_))) {
            space.x.copy_from_slice(&space.start);
            outcome = space.solver.solve(&mut system, &mut space.x).map(|_| ());
        }
        // Of several solutions at the start the one that is nearest to the start value, as far as that can be seen.
        let begins = mode == Mode::Initial && !is_simplified && !space.examined;
        if let (Ok(()), true, &[unknown]) = (&outcome, begins, &newton.unknowns[..])
            && space.start[0] != 0.0
            && model.program.variables[unknown.index()].start_said
            && let Ok(Some(root)) = bracket::nearer(&mut system, space.start[0], space.x[0])
        {
            space.x[0] = root;
        }
        if outcome.is_ok() && exact {
            space.start.copy_from_slice(&space.x);
            if space.solver.solve(&mut system, &mut space.x).is_err() {
                space.x.copy_from_slice(&space.start);
            }
        }
        if matches!(outcome, Err(ModelError::Recoverable(_))) {
            // Far from the solution a continuation may still lead there.
            space.x.copy_from_slice(&space.start);
            let options = ContinuationOptions::default();
            outcome =
                homotopy::solve(&mut system, &mut space.x, &options).map(|_| ()).map_err(|lost| lost.error);
        }
        let stop = system.stop.take();
        if outcome.is_ok() && exact && !space.examined && !is_simplified {
            space.examined = true;
            let open = determined::undetermined(&mut system, &space.x);
            if !open.is_empty() {
                self.note_undetermined(&newton.unknowns, open, mode);
            }
        }
        let outcome = match outcome {
            Ok(()) => {
                let x = std::mem::take(&mut space.x);
                let mut result = self.put(newton, &x, mode);
                let looked_at = self.written || mode != Mode::Continuous;
                let looked_at = looked_at && !self.trusts && !self.is_simplified;
                if result.is_ok() && looked_at {
                    result = self.keeps_digits(newton, &x, mode);
                }
                if result.is_ok() && mode == Mode::Continuous {
                    result = self.stay(newton, &mut space.branch, &x);
                }
                space.x = x;
                result
            }
            Err(ModelError::Recoverable(e)) => {
                let report = space.solver.report();
                for (start, v) in space.start.iter().zip(&newton.unknowns) {
                    self.values[v.index()] = *start;
                }
                Err(Stop::Failed(Failure {
                    reason: e.reason,
                    unknowns: newton.unknowns.clone(),
                    residual: report.residuals.first().copied(),
                }))
            }
            Err(ModelError::Fatal(e)) => Err(stop.unwrap_or_else(|| Stop::Function(None, e.to_string()))),
        };
        let after = space.solver.work();
        self.newton_iterations += after.iterations - before.iterations;
        self.newton_failures += after.failures - before.failures;
        self.newtons[index] = Some(space);
        outcome
    }

    /// One step of Newton's method from the values of the iteration variables.
    fn one_step(
        &mut self,
        newton: &compiled_model::Newton,
        space: &mut NewtonSpace,
        mode: Mode,
    ) -> Result<(), Stop> {
        let before = space.solver.work();
        let mut system = TornSystem { machine: self, newton, mode, stop: None, pivoted: false };
        let outcome = homotopy::advance(&mut space.solver, &mut system, &mut space.x);
        let stop = system.stop.take();
        self.newton_iterations += space.solver.work().iterations - before.iterations;
        match outcome {
            Ok(()) => self.put(newton, &space.x, mode),
            Err(ModelError::Recoverable(e)) => {
                let unknowns = newton.unknowns.clone();
                Err(Stop::Failed(Failure { reason: e.reason, unknowns, residual: None }))
            }
            Err(ModelError::Fatal(e)) => Err(stop.unwrap_or_else(|| Stop::Function(None, e.to_string()))),
        }
    }

    /// Fails where the solution just found lies on another branch than the one before it.
    fn stay(&mut self, newton: &compiled_model::Newton, branch: &mut Branch, x: &[f64]) -> Result<(), Stop> {
        let mut system =
            TornSystem { machine: self, newton, mode: Mode::Continuous, stop: None, pivoted: false };
        let stays = branch.follow(&mut system, x);
        if branch.is_lost() && !system.machine.trusts {
            return Err(lost(newton));
        }
        if stays {
            return Ok(());
        }
        branch.go_back(&mut system);
        self.newton_failures += 1;
        let unknowns = newton.unknowns.clone();
        Err(Stop::Failed(Failure { reason: Reason::NoConvergence, unknowns, residual: None }))
    }

    /// Fails where what is computed from the iteration variables means nothing.
    fn keeps_digits(&mut self, newton: &compiled_model::Newton, x: &[f64], mode: Mode) -> Result<(), Stop> {
        let mut system = TornSystem { machine: self, newton, mode, stop: None, pivoted: false };
        match cancellation::are_lost(&mut system, x, &newton.all) {
            true => Err(lost(newton)),
            false => Ok(()),
        }
    }

    /// After an event: systems that only outputs need are solved where the event has left them, so that it is known
    /// from which of their solutions they start. The values stay those of the event.
    pub(crate) fn anchor_outputs(&mut self) {
        self.events += 1;
        let model = self.model.clone();
        for step in &model.outputs {
            let Exec::Newton(index) = step else { continue };
            let all = &model.newtons[*index].all;
            let values: Vec<f64> = all.iter().map(|v| self.values[v.index()]).collect();
            let solved = self.newton(*index, Mode::Continuous).is_ok();
            let near = |(v, value): (&VarId, &f64)| {
                let (now, nominal) = (self.values[v.index()], model.program.variables[v.index()].nominal);
                (now - value).abs() <= 1e-3 * value.abs().max(nominal)
            };
            if (!solved || !all.iter().zip(&values).all(near))
                && let Some(space) = &mut self.newtons[*index]
            {
                space.branch = Branch::default();
            }
            all.iter().zip(&values).for_each(|(v, value)| self.values[v.index()] = *value);
        }
    }

    /// Successive substitution: sweep after sweep, until what the next ones would still change is small.
    pub(super) fn sweeps(&mut self, newton: &compiled_model::Newton, mode: Mode) -> Result<(), Stop> {
        /// Relative to the iteration variables.
        const TOLERANCE: f64 = 1e-10;
        /// Even a grid of a million nodes takes some thousands; what needs more does not converge.
        const MAX_SWEEPS: usize = 100_000;
        let nominal =
            newton.unknowns.iter().map(|v| self.model.program.variables[v.index()].nominal).collect();
        let start: Vec<f64> = newton.unknowns.iter().map(|v| self.values[v.index()]).collect();
        let mut x = start.clone();
        let mut change = vec![0.0; x.len()];
        let mut acceleration = Acceleration::new(nominal);
        let mut reason = Reason::NoConvergence;
        for _ in 0..MAX_SWEEPS {
            self.put(newton, &x, mode)?;
            change.iter_mut().zip(&newton.residuals).for_each(|(f, r)| *f = self.values[r.index()]);
            self.newton_iterations += 1;
            let sweep = acceleration.advance(&mut x, &mut change);
            if !sweep.change.is_finite() {
                reason = Reason::NotFinite;
                break;
            }
            if sweep.is_last(TOLERANCE) {
                // Everything else with the newest values.
                return self.put(newton, &x, mode);
            }
        }
        self.newton_failures += 1;
        for (start, v) in start.iter().zip(&newton.unknowns) {
            self.values[v.index()] = *start;
        }
        Err(Stop::Failed(Failure { reason, unknowns: newton.unknowns.clone(), residual: None }))
    }

    /// Gives the iteration variables their values and computes what follows from them.
    pub(super) fn put(&mut self, newton: &compiled_model::Newton, x: &[f64], mode: Mode) -> Result<(), Stop> {
        for (x, v) in x.iter().zip(&newton.unknowns) {
            self.values[v.index()] = *x;
        }
        if self.is_interrupted() {
            return Err(Stop::Interrupted);
        }
        self.run(&newton.steps, mode)
    }
}

/// A torn system as the solver sees it.
pub(super) struct TornSystem<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) newton: &'a compiled_model::Newton,
    mode: Mode,
    stop: Option<Stop>,
    /// Linear systems were solved with pivoting in the last evaluation.
    pivoted: bool,
}

impl TornSystem<'_> {
    /// The Jacobian by differences of the residuals, which are known at `x`.
    fn differences(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let n = x.len();
        let residuals = &self.newton.residuals;
        let here: Vec<f64> = residuals.iter().map(|v| self.machine.values[v.index()]).collect();
        let (mut moved, mut there) = (x.to_vec(), vec![0.0; n]);
        for (j, &at) in x.iter().enumerate() {
            moved[j] += f64::EPSILON.sqrt() * at.abs().max(self.nominal(j));
            self.residual(&moved, &mut there)?;
            let slope = |r: usize| (there[r] - here[r]) / (moved[j] - at);
            match &self.newton.pattern {
                Some(pattern) => {
                    let rows = pattern.column(j).iter();
                    values[pattern.range(j)].iter_mut().zip(rows).for_each(|(v, &r)| *v = slope(r as usize));
                }
                None => values[j * n..(j + 1) * n].iter_mut().enumerate().for_each(|(r, v)| *v = slope(r)),
            }
            moved[j] = at;
        }
        self.residual(x, &mut there)
    }

    /// The Jacobian where the system was evaluated last, at `x`.
    fn derivatives(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let n = self.n();
        let newton = self.newton;
        let Some((steps, entries)) = &newton.jacobian else {
            return Err(ModelError::fatal("this system has no Jacobian"));
        };
        // Derivatives of divisions that were not made mean nothing.
        if self.pivoted {
            return self.differences(x, values);
        }
        if let Err(stop) = self.machine.run(steps, self.mode) {
            return Err(self.failed(stop));
        }
        values.fill(0.0);
        for &(r, c, v) in entries {
            let (r, c) = (r as usize, c as usize);
            let place = match &newton.pattern {
                Some(pattern) => pattern.position(r, c).unwrap_or_default(),
                None => c * n + r,
            };
            values[place] += self.machine.values[v.index()];
        }
        Ok(())
    }

    fn put(&mut self, x: &[f64]) -> Result<(), ModelError> {
        let fallbacks = self.machine.pivot_fallbacks;
        let outcome = self.machine.put(self.newton, x, self.mode);
        self.pivoted = self.machine.pivot_fallbacks > fallbacks;
        outcome.map_err(|stop| self.failed(stop))
    }

    fn failed(&mut self, stop: Stop) -> ModelError {
        let recoverable = stop.recoverable();
        if !matches!(stop, Stop::Failed(_)) {
            self.stop = Some(stop);
        }
        match recoverable {
            Some(reason) => ModelError::recoverable(reason),
            None => ModelError::fatal("the model ended the run"),
        }
    }
}

impl NonlinearSystem for TornSystem<'_> {
    fn n(&self) -> usize {
        self.newton.unknowns.len()
    }

    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        self.put(x)?;
        for (r, v) in r.iter_mut().zip(&self.newton.residuals) {
            *r = self.machine.values[v.index()];
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<Pattern> {
        self.newton.pattern.clone()
    }

    fn has_jacobian(&self) -> bool {
        self.newton.jacobian.is_some()
    }

    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        self.put(x)?;
        self.derivatives(x, values)
    }

    fn nominal(&self, i: usize) -> f64 {
        self.machine.model.program.variables[self.newton.unknowns[i].index()].nominal
    }

    fn bounds(&self, i: usize) -> (f64, f64) {
        let var = &self.machine.model.program.variables[self.newton.unknowns[i].index()];
        (var.min, var.max)
    }
}

/// A torn system of an inlined step.
struct SteppingSystem<'a> {
    torn: TornSystem<'a>,
    tracked: &'a [VarId],
    tracked_weights: &'a [f64],
    follows: bool,
    marked: &'a mut [f64],
    sensitivities: &'a mut Sensitivities,
    predicted: &'a mut [f64],
    weights: &'a [f64],
    weighed: &'a [Weighed],
}

impl NonlinearSystem for SteppingSystem<'_> {
    fn n(&self) -> usize {
        self.torn.n()
    }
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        self.torn.residual(x, r)
    }
    fn jacobian_pattern(&self) -> Option<Pattern> {
        self.torn.jacobian_pattern()
    }
    fn has_jacobian(&self) -> bool {
        self.torn.has_jacobian()
    }
    /// The chord method wants its matrix where it has just evaluated the residuals.
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let pivoted = self.torn.pivoted;
        self.torn.derivatives(x, values)?;
        self.sensitivities.take(&self.torn.machine.values, !pivoted, self.tracked.len());
        Ok(())
    }
}

impl SteppingSystem<'_> {
    /// States say how exact the step is; what is neither a state nor a derivative must at least come near.
    fn others(&self, correction: &[f64]) -> f64 {
        let mut sum = 0.0;
        for ((c, w), weighed) in correction.iter().zip(self.weights).zip(self.weighed) {
            if *weighed == Weighed::Itself {
                sum += (NEAR * c * w) * (NEAR * c * w);
            }
        }
        sum
    }
}

impl StepSystem for SteppingSystem<'_> {
    fn computes_states(&self) -> bool {
        self.follows
    }

    fn mark(&mut self) {
        for (marked, v) in self.marked.iter_mut().zip(self.tracked) {
            *marked = self.torn.machine.values[v.index()];
        }
    }

    fn predict(&mut self, correction: &[f64]) -> Option<f64> {
        let machine = &*self.torn.machine;
        if self.sensitivities.entries.is_empty() || !machine.demand.may_predict {
            return None;
        }
        self.sensitivities.apply(correction, self.predicted);
        let sum = self.others(correction) + sum_of_squares(self.tracked_weights, self.predicted);
        Some((sum / machine.demand.states as f64).sqrt()).filter(|size| size.is_finite())
    }

    fn finish(&mut self, z: &[f64]) {
        let machine = &mut *self.torn.machine;
        machine.demand.predicted = true;
        for (z, v) in z.iter().zip(&self.torn.newton.unknowns) {
            machine.values[v.index()] = *z;
        }
        for ((marked, change), v) in self.marked.iter().zip(self.predicted.iter()).zip(self.tracked) {
            machine.values[v.index()] = marked + change;
        }
    }

    fn change(&mut self, correction: &[f64]) -> Change {
        let machine = &*self.torn.machine;
        if self.tracked.is_empty() {
            return Change { states: norm(self.weights, correction), unforeseen: 0.0 };
        }
        let foreseen = !self.sensitivities.entries.is_empty();
        if foreseen {
            self.sensitivities.apply(correction, self.predicted);
        }
        let (mut sum, mut unforeseen) = (self.others(correction), 0.0);
        let tracked = self.tracked.iter().zip(self.tracked_weights).zip(self.predicted.iter_mut());
        for (marked, ((v, weight), predicted)) in self.marked.iter_mut().zip(tracked) {
            let change = machine.values[v.index()] - *marked;
            sum += (change * weight) * (change * weight);
            *predicted = change - *predicted;
            unforeseen += (*predicted * weight) * (*predicted * weight);
            *marked = machine.values[v.index()];
        }
        if foreseen && self.computes_states() {
            self.sensitivities.learn(correction, self.weights, self.predicted);
        }
        let size = |sum: f64| (sum / machine.demand.states as f64).sqrt();
        Change { states: size(sum), unforeseen: if foreseen { size(unforeseen) } else { 0.0 } }
    }
}

/// Are fewer states iterated on than are tracked, or other variables as well? Their guesses are worse than those of states: what
/// a correction changes in the states says little then about what the next one would.
fn follows(weighed: &[Weighed], tracked: usize) -> bool {
    let count = |is: fn(&&Weighed) -> bool| weighed.iter().filter(is).count();
    count(|w| matches!(w, Weighed::State(_))) < tracked || count(|w| matches!(w, Weighed::Itself)) > 0
}

/// The failure of a system of which no digits are left.
fn lost(newton: &compiled_model::Newton) -> Stop {
    let unknowns = newton.unknowns.clone();
    Stop::Failed(Failure { reason: Reason::LostDigits, unknowns, residual: None })
}

/// The failure of a system without a unique solution.
pub(crate) fn singular(unknowns: &[VarId]) -> Stop {
    Stop::Failed(Failure { reason: Reason::SingularMatrix, unknowns: unknowns.to_vec(), residual: None })
}
