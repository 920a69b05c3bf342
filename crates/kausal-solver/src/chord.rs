//! The iteration inside an inlined step: the chord method on a few variables.
//!
//! A model that contains its own discretisation (*Inline integration*, Elmqvist, Otter & Cellier 1995) iterates on as few
//! variables as its structure allows and computes the rest from them. What [`ClassicalStep`](crate::ClassicalStep) does for all
//! of `x`, [`Chord`] does for these: one matrix is kept over many steps, small changes of `h` are made good by scaling the
//! correction, the iteration stops when the error that the observed rate of convergence predicts is below the tolerance, and
//! only a failure with a current matrix is one. Iterating on all of `x` it gives the same iterates.
//!
//! Where states follow from the iteration variables, more is done: corrections are foreseen instead of evaluated where that is
//! exact enough, and the iteration aims at a small part of the tolerance. See `Chord::iterate`.
//!
//! Convergence is measured on what the step is for, the states: by how much they changed since the last evaluation
//! ([`StepSystem`]). So it does not matter what is iterated on, and in which units.
//!
//! The matrix depends on `h` in any way, so a new one means a new Jacobian; for a few variables that costs little.

use crate::error::{ModelError, Reason, Recoverable};
use crate::jacobian::Jacobian;
use crate::linear::{Factor, Singular};
use crate::newton::{AsFunction, NonlinearSystem};
use crate::weights::{first_not_finite, norm};

/// Steps after which the matrix is made anew even if the iteration still converges.
const MAX_STEPS_PER_MATRIX: u32 = 30;
/// Relative change of `h` that is compensated by scaling the correction.
const MAX_DRIFT: f64 = 0.25;
/// A relative change of `h` below this is none.
const SAME_STEP: f64 = 1e-3;
/// A correction this much larger than the one before means divergence.
const DIVERGENCE: f64 = 1.0;
/// The remembered rate of convergence fades at most by this factor from one iteration to the next.
const RATE_MEMORY: f64 = 0.3;
/// No remembered rate is trusted beyond this: the next step may be less linear than the last.
const BEST_RATE: f64 = 0.01;
/// The same for a rate that was seen in one of the last few steps.
const BEST_SEEN: f64 = 1e-4;

/// After so many predicted corrections one is evaluated, to see how fast the iteration converges by now.
const PREDICTED: u32 = 4;
/// The same where what was seen before is below this part of what is believed at best.
const LONG_PREDICTED: u32 = 12;
const NEGLIGIBLE: f64 = 0.1;
/// Where states follow from the iteration variables the iteration aims at this part of the tolerance. The error of an iteration
/// on all states is spread over all equations; here it is that of a few, always the same, and quantities that the equations
/// preserve drift. Where it is hard to reach, the tolerance will do.
const AIM: f64 = 0.0015;
/// The same where the last correction is evaluated: then a system that comes behind reads more than states, and there is no
/// error of what corrections are said to do.
const AIM_EVALUATED: f64 = 0.0003;

/// The equations of a step for its iteration variables.
pub trait StepSystem: NonlinearSystem {
    /// Are there states that follow from the iteration variables? They are near their solution from the first evaluation on, and
    /// corrections tell little about how old the matrix is. Where all states are iterated on, the way they come is seen.
    fn computes_states(&self) -> bool {
        false
    }

    /// Remembers the states of the last evaluation.
    fn mark(&mut self);

    /// What changed in the states since they were marked; `correction` is what changed in the iteration variables. The states
    /// are marked anew.
    fn change(&mut self, correction: &[f64]) -> Change;

    /// The same before the evaluation, by derivatives of the states, where they are known; nothing is marked.
    fn predict(&mut self, correction: &[f64]) -> Option<f64> {
        let _ = correction;
        None
    }

    /// Moves the states as predicted: this correction was the last one.
    fn finish(&mut self, z: &[f64]) {
        let _ = z;
    }
}

/// Weighted sizes of what an evaluated correction has changed.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// In the states.
    pub states: f64,
    /// In the states, beyond what their derivatives said; zero where these are not known.
    pub unforeseen: f64,
}

/// What the iteration is told about the step.
#[derive(Clone, Copy, Debug)]
pub struct ChordRequest<'a> {
    /// The factor of the derivative.
    pub h: f64,
    /// Error weights of the iteration variables, for finite differences.
    pub weights: &'a [f64],
    /// The iteration may stop when its weighted error is at most this.
    pub tolerance: f64,
    /// Corrections before the iteration counts as too slow.
    pub most_iterations: u32,
    /// Iterations with a new matrix each, where the chord method has failed: for steps that cannot be repeated with a
    /// smaller size.
    pub persistence: u32,
    /// The iteration goes on until its error is this, or does not become smaller: for steps of one size, whose errors nobody
    /// estimates and which are to be those of the formula alone.
    pub finest: Option<f64>,
}

impl ChordRequest<'_> {
    /// The error at which the iteration is content, where that is `usual` for steps whose errors are estimated.
    fn aim(&self, usual: f64) -> f64 {
        self.finest.map_or(usual, |finest| finest.min(self.tolerance))
    }

    /// The error that will do where a smaller one is out of reach: none is below rounding.
    fn allowed(&self) -> f64 {
        self.tolerance.max(self.finest.unwrap_or(0.0))
    }
}

/// Work done by all solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChordWork {
    /// Iterations.
    pub iterations: u64,
    /// Evaluations of the residuals, those for finite differences included.
    pub residuals: u64,
    /// Matrices.
    pub jacobians: u64,
    /// Iterations that failed.
    pub failures: u64,
}

/// By which part corrections, and what they are said to do to the states, turned out to be wrong.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// With a new matrix: the equations are not linear.
    bent: f64,
    /// For each step of the age of the matrix; one where nothing is known.
    aging: f64,
    /// For each step since the derivatives of the states were made to fit; the same.
    fading: f64,
    /// The age of the matrix when that was.
    at: u32,
}

/// Two corrections in a row. With the matrix `M` in place of `A`, and corrections that are scaled by `s`, one of them, `c`, is
/// followed by `c - s M⁻¹ A c`.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// The second as a part of the first.
    ratio: f64,
    /// The part of the way to the solution that the first one was, as far as it can be seen along it: that of `s M⁻¹ A`.
    done: f64,
}

impl Progress {
    /// What is left after the first, as a part of it: this correction and all that follow. With a matrix that is too large by
    /// far corrections are small, and hardly become smaller.
    fn rate(self) -> f64 {
        if self.done > 0.0 { self.ratio / self.done.min(1.0) } else { f64::INFINITY }
    }
}

/// The chord method for systems of one structure. See the [module](self).
#[derive(Clone, Debug)]
pub struct Chord {
    jacobian: Jacobian,
    matrix: Factor,
    /// `h` of the matrix; `None` before the first and after a singular one.
    gamma: Option<f64>,
    steps: u32,
    rate: f64,
    /// What evaluated corrections have shown, where states follow from the iteration variables.
    seen: Option<Seen>,
    /// The best factor of corrections with the matrix for an `h`.
    learned: Option<(f64, f64)>,
    /// Corrections in a row that were predicted.
    predicted: u32,
    residual: Vec<f64>,
    correction: Vec<f64>,
    before: Vec<f64>,
    start: Vec<f64>,
    work: ChordWork,
}

impl Chord {
    /// Workspace for systems structured like this one. Fails when the pattern is singular whatever the values.
    pub fn new<S: NonlinearSystem>(system: &mut S) -> Result<Self, Singular> {
        let n = system.n();
        let jacobian = Jacobian::new(&AsFunction(system));
        let matrix = Factor::new(jacobian.structure())?;
        let zeros = || vec![0.0; n];
        Ok(Chord {
            jacobian,
            matrix,
            gamma: None,
            steps: 0,
            rate: 1.0,
            seen: None,
            learned: None,
            predicted: 0,
            residual: zeros(),
            correction: zeros(),
            before: zeros(),
            start: zeros(),
            work: ChordWork::default(),
        })
    }

    /// A step has been accepted: the matrix is one step older.
    pub fn accepted(&mut self) {
        self.steps += 1;
    }

    /// Nothing learned before holds any longer.
    pub fn reset(&mut self) {
        self.gamma = None;
        (self.rate, self.seen) = (1.0, None);
    }

    /// Work done so far.
    pub fn work(&self) -> ChordWork {
        self.work
    }

    /// The largest residual of the last iteration: its place and value.
    pub fn largest_residual(&self) -> Option<(usize, f64)> {
        let sizes = self.residual.iter().copied().enumerate();
        sizes.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
    }

    /// Solves from the guess in `z`. On exit the system was last evaluated at the solution.
    pub fn solve<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
    ) -> Result<(), ModelError> {
        self.start.copy_from_slice(z);
        let stale =
            |gamma: f64| self.steps >= MAX_STEPS_PER_MATRIX || (request.h / gamma - 1.0).abs() > MAX_DRIFT;
        let mut fresh = self.gamma.is_none_or(stale);
        loop {
            let attempt = self.attempt(system, request, z, fresh);
            match attempt {
                Ok(()) => return Ok(()),
                Err(ModelError::Recoverable(e)) => {
                    self.work.failures += 1;
                    z.copy_from_slice(&self.start);
                    if fresh {
                        return self.insist(system, request, z, e);
                    }
                    fresh = true;
                }
                Err(fatal) => return Err(fatal),
            }
        }
    }

    /// One correction from a guess near the solution, with a matrix that is made there: for a step that is linearised around
    /// this point.
    pub fn correct_with_new_matrix<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
    ) -> Result<(), ModelError> {
        self.evaluate(system, z)?;
        system.mark();
        self.new_matrix(system, request, z)?;
        self.correct(system, z)
    }

    /// One correction with the matrix there is: by how much the solution moves, in first order, where the equations are others
    /// than those that the matrix and the guess are from.
    pub fn correct_once<S: StepSystem>(&mut self, system: &mut S, z: &mut [f64]) -> Result<(), ModelError> {
        if self.gamma.is_none() {
            return Err(Recoverable::new(Reason::SingularMatrix).into());
        }
        self.evaluate(system, z)?;
        system.mark();
        self.correct(system, z)
    }

    /// One correction, where the residual at `z` is known.
    fn correct<S: StepSystem>(&mut self, system: &mut S, z: &mut [f64]) -> Result<(), ModelError> {
        self.find_correction(1.0);
        self.apply_correction(z)?;
        match system.predict(&self.correction) {
            Some(_) => {
                system.finish(z);
                Ok(())
            }
            None => self.evaluate(system, z),
        }
    }

    fn attempt<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
        fresh: bool,
    ) -> Result<(), ModelError> {
        self.evaluate(system, z)?;
        system.mark();
        if fresh {
            match self.new_matrix(system, request, z) {
                // What solves the equations is a solution, whatever their derivatives are.
                Err(ModelError::Recoverable(_)) if self.residual.iter().all(|r| *r == 0.0) => return Ok(()),
                made => made?,
            }
        }
        self.iterate(system, request, z)
    }

    /// The chord iteration, where the residual at `z` is known.
    ///
    /// The last correction is not evaluated where the derivatives of the states by the iteration variables say what it does
    /// to them. What is wrong then has two reasons: the matrix is old, and so are these derivatives. Both are seen where a
    /// correction is evaluated, and grow from step to step ([`Seen`]).
    fn iterate<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
    ) -> Result<(), ModelError> {
        let gamma = self.gamma.unwrap_or(request.h);
        let mut scale = self.scale_for(request.h, gamma);
        let learned = self.learned.is_some_and(|(h, _)| h == request.h);
        // Derivatives of states are as old as the matrix: they hold for its `h`.
        let drift = (request.h / gamma - 1.0).abs();
        let drift = if drift <= SAME_STEP || learned { 0.0 } else { drift };
        // No iteration converges faster than the drift of `h` lets stiff components.
        let slowest = if learned { 0.0 } else { (1.0 - request.h / gamma).abs() / (1.0 + request.h / gamma) };
        let measures = system.computes_states();
        let part_of = |part: f64| if measures { part * request.tolerance } else { request.tolerance };
        let aim = request.aim(part_of(AIM));
        let mut due = measures && self.predicted >= self.patience();
        let (mut last, mut left) = (f64::INFINITY, f64::INFINITY);
        // The next correction is known.
        let mut ahead = false;
        for iteration in 1..=request.most_iterations {
            if !std::mem::take(&mut ahead) {
                self.find_correction(scale);
            }
            self.apply_correction(z)?;
            // Where nobody estimates errors one correction at least is evaluated.
            let foresees = (request.finest.is_none() || iteration > 1) && (measures || drift == 0.0);
            let predicted = if foresees { system.predict(&self.correction) } else { None };
            if let Some(size) = predicted {
                if !measures && iteration > 1 && request.finest.is_none() {
                    self.rate = (RATE_MEMORY * self.rate).max(size / last);
                }
                let error = size * self.expected_rate(slowest, drift, measures);
                let small = measures && size <= aim && request.finest.is_none();
                let hopeless = size > DIVERGENCE * last || iteration == request.most_iterations;
                let allowed = if hopeless { request.allowed() } else { aim };
                if small || error <= allowed && !due {
                    self.predicted += u32::from(!small);
                    system.finish(z);
                    return Ok(());
                }
                if hopeless {
                    break;
                }
            }
            let size = match self.evaluate_correction(system, z) {
                // What is exact enough is not lost because it can be made no better.
                Err(ModelError::Recoverable(_)) if request.finest.is_some() && left <= request.tolerance => {
                    for (z, c) in z.iter_mut().zip(&self.correction) {
                        *z -= c;
                    }
                    return self.evaluate(system, z);
                }
                size => size?,
            };
            let measured = measures && size.states > aim || request.finest.is_some();
            if measured {
                self.before.copy_from_slice(&self.correction);
                self.find_correction(scale);
                ahead = true;
                let progress = self.progress(request);
                self.learn(progress.rate(), size.unforeseen / size.states);
                scale = self.learn_scale(request, scale, progress);
                due = false;
            } else if iteration > 1 && predicted.is_none() {
                self.rate = (RATE_MEMORY * self.rate).max(size.states / last);
            }
            if predicted.is_none() {
                // The rate is that of this step where it is measured.
                let best = if measured { BEST_SEEN } else { slowest.max(BEST_RATE) };
                let rate = if measured { self.rate } else { self.rate.min(1.0) };
                let error = size.states * rate.max(best);
                let hopeless = size.states > DIVERGENCE * last || iteration == request.most_iterations;
                let enough = request.aim(part_of(AIM_EVALUATED));
                if error <= if hopeless { request.allowed() } else { enough } {
                    return Ok(());
                }
                if hopeless {
                    break;
                }
                left = error;
            }
            last = size.states;
        }
        Err(Recoverable::new(Reason::NoConvergence).into())
    }

    /// The part of a correction that is expected to be wrong, where it is not evaluated.
    fn expected_rate(&self, slowest: f64, drift: f64, measures: bool) -> f64 {
        if !measures {
            return self.rate.max(slowest.max(BEST_RATE)).min(1.0);
        }
        self.seen_rate().max(slowest).max(drift).clamp(BEST_SEEN, 1.0)
    }

    fn seen_rate(&self) -> f64 {
        let Some(Seen { bent, aging, fading, at }) = self.seen else { return 1.0 };
        let (age, since) = (f64::from(self.steps), f64::from(self.steps - at.min(self.steps)));
        bent + aging * age + fading * since
    }

    /// How many corrections may be predicted in a row.
    fn patience(&self) -> u32 {
        if self.seen_rate() < NEGLIGIBLE * BEST_SEEN { LONG_PREDICTED } else { PREDICTED }
    }

    /// An evaluated correction has shown by which part it was wrong, and which part of the change of states was not foreseen.
    fn learn(&mut self, rate: f64, unforeseen: f64) {
        self.rate = if self.rate.is_finite() { rate.max(RATE_MEMORY * self.rate) } else { rate };
        let (rate, unforeseen) = (rate.min(1.0), unforeseen.min(1.0));
        let seen = self.seen;
        let at = seen.map_or(0, |seen| seen.at.min(self.steps));
        let per_step = |part: f64, steps: u32, before: Option<f64>| match (steps, before) {
            (0, before) => before.unwrap_or(1.0),
            (_, Some(before)) if before < 1.0 => (part / f64::from(steps)).max(RATE_MEMORY * before),
            _ => part / f64::from(steps),
        };
        self.seen = Some(Seen {
            bent: if self.steps == 0 { rate.max(unforeseen) } else { seen.map_or(0.0, |seen| seen.bent) },
            aging: per_step(rate, self.steps, seen.map(|seen| seen.aging)),
            fading: per_step(unforeseen, self.steps - at, seen.map(|seen| seen.fading)),
            at: self.steps,
        });
        self.predicted = 0;
    }

    /// The factor of corrections: what was learned with this `h`, or what serves stiff components when `h` has drifted.
    fn scale_for(&self, h: f64, gamma: f64) -> f64 {
        match self.learned {
            Some((learned, scale)) if learned == h => scale,
            _ => 2.0 / (1.0 + h / gamma),
        }
    }

    /// What two corrections in a row tell.
    fn progress(&self, request: &ChordRequest) -> Progress {
        let (mut square, mut along, mut next_square) = (0.0, 0.0, 0.0);
        for ((c, next), w) in self.before.iter().zip(&self.correction).zip(request.weights) {
            square += (c * w) * (c * w);
            along += (c * w) * ((c - next) * w);
            next_square += (next * w) * (next * w);
        }
        match square > 0.0 {
            true => Progress { ratio: (next_square / square).sqrt(), done: along / square },
            false => Progress { ratio: 0.0, done: 1.0 },
        }
    }

    /// The factor with which the correction before would have met the solution best; the one that follows is changed
    /// accordingly.
    fn learn_scale(&mut self, request: &ChordRequest, scale: f64, progress: Progress) -> f64 {
        let ratio = 1.0 / progress.done;
        let better = scale * ratio;
        if !(better > 0.5 && better < 2.0) {
            return scale;
        }
        self.correction.iter_mut().for_each(|c| *c *= ratio);
        self.learned = Some((request.h, better));
        better
    }

    /// Newton's method with a new matrix in each iteration. A correction is halved until the one that would follow with the
    /// same matrix is smaller, the natural test of monotonicity (Deuflhard, *Newton Methods for Nonlinear Problems*, §3.3): it
    /// does not depend on how the equations are written.
    fn insist<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
        failure: Recoverable,
    ) -> Result<(), ModelError> {
        let mut found = false;
        for iteration in 0..request.persistence {
            if iteration == 0 {
                self.evaluate(system, z)?;
                system.mark();
            }
            self.new_matrix(system, request, z)?;
            self.find_correction(1.0);
            // Where nothing does good any more, the last correction was the best.
            let Some(size) = self.damped_correction(system, request, z)? else { break };
            found = size <= request.allowed();
            if size <= request.aim(request.tolerance) {
                break;
            }
        }
        if found {
            return Ok(());
        }
        self.gamma = None;
        z.copy_from_slice(&self.start);
        Err(failure.into())
    }

    /// As much of the correction as does good; by how much it changed the states, infinity where that was a part of it only.
    /// Nothing where no part of it does good.
    fn damped_correction<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &mut [f64],
    ) -> Result<Option<f64>, ModelError> {
        const HALVINGS: u32 = 10;
        self.before.copy_from_slice(&self.correction);
        let from = z.to_vec();
        let length = norm(request.weights, &self.before);
        let mut part = 1.0;
        for _ in 0..HALVINGS {
            for ((z, from), c) in z.iter_mut().zip(&from).zip(&self.before) {
                *z = from + part * c;
            }
            self.work.iterations += 1;
            self.correction.iter_mut().zip(&self.before).for_each(|(c, b)| *c = part * b);
            match self.evaluate_correction(system, z) {
                Ok(size) => {
                    self.find_correction(1.0);
                    let next = norm(request.weights, &self.correction);
                    // Where the change is rounding it does not become smaller.
                    let near = part == 1.0 && size.states <= request.allowed();
                    if next <= (1.0 - part / 4.0) * length || near {
                        return Ok(Some(if part == 1.0 { size.states } else { f64::INFINITY }));
                    }
                }
                Err(ModelError::Recoverable(_)) => {}
                Err(fatal) => return Err(fatal),
            }
            part *= 0.5;
        }
        z.copy_from_slice(&from);
        self.evaluate(system, z)?;
        Ok(None)
    }

    /// The correction that the residual asks for.
    fn find_correction(&mut self, scale: f64) {
        for (c, r) in self.correction.iter_mut().zip(&self.residual) {
            *c = -scale * r;
        }
        self.matrix.solve(&mut self.correction);
    }

    fn apply_correction(&mut self, z: &mut [f64]) -> Result<(), ModelError> {
        self.work.iterations += 1;
        for (z, c) in z.iter_mut().zip(&self.correction) {
            *z += c;
        }
        match first_not_finite(z) {
            Some(component) => Err(Recoverable::at(Reason::NotFinite, component).into()),
            None => Ok(()),
        }
    }

    /// The evaluation behind a correction; by how much the states changed.
    fn evaluate_correction<S: StepSystem>(
        &mut self,
        system: &mut S,
        z: &[f64],
    ) -> Result<Change, ModelError> {
        self.evaluate(system, z)?;
        let size = system.change(&self.correction);
        match size.states.is_finite() {
            true => Ok(size),
            false => {
                let component = first_not_finite(&self.correction);
                Err(Recoverable { reason: Reason::NotFinite, component }.into())
            }
        }
    }

    fn evaluate<S: NonlinearSystem>(&mut self, system: &mut S, z: &[f64]) -> Result<(), ModelError> {
        self.work.residuals += 1;
        system.residual(z, &mut self.residual)?;
        match first_not_finite(&self.residual) {
            Some(component) => Err(Recoverable::at(Reason::NotFinite, component).into()),
            None => Ok(()),
        }
    }

    fn new_matrix<S: NonlinearSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &[f64],
    ) -> Result<(), ModelError> {
        let last = self.gamma.take().unwrap_or(request.h);
        self.work.jacobians += 1;
        let weights = request.weights;
        // Below the tolerance by far, above rounding errors by far.
        let increment =
            |j: usize| (f64::EPSILON.sqrt() * z[j].abs()).max(1e-3 / weights[j].max(f64::MIN_POSITIVE));
        let evaluations = self.jacobian.evaluate(&mut AsFunction(system), z, &self.residual, increment)?;
        self.work.residuals += evaluations;
        if first_not_finite(self.jacobian.values()).is_some() {
            return Err(Recoverable::new(Reason::NotFinite).into());
        }
        let factored = self.matrix.factor(self.jacobian.values());
        factored.map_err(|singular| Recoverable::at(Reason::SingularMatrix, singular.column))?;
        // What changes from step to step goes on to change so, by more in a longer step.
        if let Some(seen) = &mut self.seen {
            let longer = |part: f64| if part < 1.0 { (part * request.h / last).min(0.999) } else { part };
            *seen = Seen { aging: longer(seen.aging), fading: longer(seen.fading), at: 0, ..*seen };
        }
        (self.gamma, self.steps, self.rate, self.learned) = (Some(request.h), 0, 1.0, None);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::classical::ClassicalStep;
    use crate::model::{OdeModel, StepModel, StepRequest};
    use crate::weights::norm;

    /// `x = h f(x) + old` with all of `x` iterated on; where it was evaluated.
    struct Whole {
        h: f64,
        old: [f64; 2],
        asked: Vec<[f64; 2]>,
    }

    fn rate(x: &[f64], dx: &mut [f64]) {
        dx[0] = x[1];
        dx[1] = 50.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
    }

    impl NonlinearSystem for Whole {
        fn n(&self) -> usize {
            2
        }
        fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            let mut dx = [0.0; 2];
            self.asked.push([x[0], x[1]]);
            rate(x, &mut dx);
            for i in 0..2 {
                r[i] = x[i] - self.h * dx[i] - self.old[i];
            }
            Ok(())
        }
        fn has_jacobian(&self) -> bool {
            true
        }
        fn jacobian(&mut self, x: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
            let h = self.h;
            j.copy_from_slice(&[
                1.0,
                h * (100.0 * x[0] * x[1] + 1.0),
                -h,
                1.0 - h * 50.0 * (1.0 - x[0] * x[0]),
            ]);
            Ok(())
        }
    }

    /// The same right-hand side for the classical interface.
    struct Classical<'a> {
        asked: &'a RefCell<Vec<[f64; 2]>>,
    }

    impl OdeModel for Classical<'_> {
        fn n(&self) -> usize {
            2
        }
        fn rhs(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
            self.asked.borrow_mut().push([x[0], x[1]]);
            rate(x, dx);
            Ok(())
        }
        fn has_jacobian(&self) -> bool {
            true
        }
        fn jacobian(&mut self, _: f64, x: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
            j.copy_from_slice(&[0.0, -100.0 * x[0] * x[1] - 1.0, 1.0, 50.0 * (1.0 - x[0] * x[0])]);
            Ok(())
        }
        fn keeps_jacobian(&self) -> bool {
            false
        }
    }

    /// `der(x) + w³ + e^der(x) w = x` and `w + w⁵ = sin(x) der(x) + der(x)³`, iterated on `der(x)` and `w`.
    struct Implicit {
        h: f64,
        old: f64,
        asked: Vec<[f64; 2]>,
    }

    impl Implicit {
        fn residuals(d: f64, x: f64, w: f64) -> [f64; 2] {
            [d + w.powi(3) + d.exp() * w - x, w + w.powi(5) - x.sin() * d - d.powi(3)]
        }

        /// By der(x), x and w.
        fn slopes(d: f64, x: f64, w: f64) -> [[f64; 3]; 2] {
            let first = [1.0 + d.exp() * w, -1.0, 3.0 * w * w + d.exp()];
            [first, [-x.sin() - 3.0 * d * d, -x.cos() * d, 1.0 + 5.0 * w.powi(4)]]
        }
    }

    impl NonlinearSystem for Implicit {
        fn n(&self) -> usize {
            2
        }
        fn residual(&mut self, z: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            self.asked.push([z[0], z[1]]);
            r.copy_from_slice(&Implicit::residuals(z[0], self.h * z[0] + self.old, z[1]));
            Ok(())
        }
        fn has_jacobian(&self) -> bool {
            true
        }
        fn jacobian(&mut self, z: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
            let [a, b] = Implicit::slopes(z[0], self.h * z[0] + self.old, z[1]);
            j.copy_from_slice(&[a[0] + self.h * a[1], b[0] + self.h * b[1], a[2], b[2]]);
            Ok(())
        }
    }

    impl StepSystem for Implicit {
        fn mark(&mut self) {}
        fn change(&mut self, correction: &[f64]) -> Change {
            Change { states: norm(&[1e9; 2], correction), unforeseen: 0.0 }
        }
    }

    impl StepSystem for Whole {
        fn mark(&mut self) {}
        fn change(&mut self, correction: &[f64]) -> Change {
            Change { states: norm(&[1e6; 2], correction), unforeseen: 0.0 }
        }
    }

    /// The paper's special case of a pure ODE: the same iterates as in the classical interface, evaluation by evaluation. The
    /// oracle is `ClassicalStep`, told the same derivatives, and to make them anew with each matrix as this iteration does.
    #[test]
    fn all_of_x_gives_the_iterates_of_the_classical_interface() {
        let asked = RefCell::new(Vec::new());
        let mut classical = ClassicalStep::new(Classical { asked: &asked });
        let mut x = vec![2.0, 0.1];
        let mut z = x.clone();
        let weights = [1e6, 1e6];
        let mut system = Whole { h: 0.0, old: [0.0; 2], asked: Vec::new() };
        let mut chord = Chord::new(&mut system).unwrap();
        let mut iterated_twice = false;
        for step in 0..60 {
            // Steps that stay, drift, and change: matrices that are kept, scaled, and made anew.
            let h = [1e-3, 1.1e-3, 2e-3][step / 10 % 3];
            let old = [x[0], x[1]];
            let mut dx = vec![0.0; 2];
            let request = StepRequest { t: 0.0, h, old: &old, weights: &weights, tolerance: 0.04 };
            asked.borrow_mut().clear();
            classical.step(&request, &mut x, &mut dx).unwrap();
            classical.accepted(0.0, &x, &dx);
            (system.h, system.old) = (h, [z[0], z[1]]);
            system.asked.clear();
            let request = ChordRequest {
                h,
                weights: &weights,
                tolerance: 0.04,
                most_iterations: 3,
                persistence: 0,
                finest: None,
            };
            chord.solve(&mut system, &request, &mut z).unwrap();
            chord.accepted();
            // This iteration looks at the residual once more behind the last correction of an attempt; there are at most two.
            let asked = asked.borrow();
            assert!(system.asked.len() <= asked.len() + 2, "step {step}");
            iterated_twice |= asked.len() > 1;
            let mut own = system.asked.iter();
            let near = |a: f64, b: f64| (a - b).abs() < 1e-13 * (1.0 + a.abs());
            for a in asked.iter().chain([&[x[0], x[1]]]) {
                let found = own.any(|b| near(a[0], b[0]) && near(a[1], b[1]));
                assert!(found, "step {step}: {a:?} is not among {:?}", system.asked);
            }
        }
        assert!(iterated_twice, "some steps take more than one correction");
        assert_eq!(chord.work().iterations, classical.work().newton_iterations);
        assert_eq!(chord.work().jacobians, classical.work().jacobians);
    }

    /// The paper's other special case, an implicit DAE `F(der(x), x, w) = 0`: the iterates on `der(x)` and `w` are those of the
    /// classical interface of DAE solvers, which iterates on `x` and `w` with `der(x) = (x - old)/h`. For Newton's method, and
    /// the chord method, it makes no difference in which of two variables that are linear in each other it is written. The
    /// oracle is that iteration, written down.
    #[test]
    fn an_implicit_dae_gives_the_iterates_of_the_classical_interface() {
        // The first guess is off by a percent or so; the others are the last solution.
        let weights = [1e9, 1e9];
        let (mut x, mut d, mut w) = (1.0, 0.39, 0.38);
        for step in 0..20 {
            let h = 1e-2 * (1.0 + 0.05 * f64::from(step));
            let old = x;
            let mut system = Implicit { h, old, asked: Vec::new() };
            let mut chord = Chord::new(&mut system).unwrap();
            let mut z = [d, w];
            let request = ChordRequest {
                h,
                weights: &weights,
                tolerance: 0.1,
                most_iterations: 30,
                persistence: 0,
                finest: None,
            };
            chord.solve(&mut system, &request, &mut z).unwrap();
            // On x and w, with the matrix of the first guess.
            let (mut u, mut v) = (old + h * d, w);
            let rows = Implicit::slopes((u - old) / h, u, v);
            let [a, b] = rows.map(|[by_d, by_x, by_w]| [by_d / h + by_x, by_w]);
            let determinant = a[0] * b[1] - a[1] * b[0];
            assert!(system.asked.len() > 2, "step {step}: more than one correction");
            for asked in &system.asked {
                let (mapped, scale) = (old + h * asked[0], 1.0 + u.abs() + v.abs());
                let off = (mapped - u).abs().max((asked[1] - v).abs());
                assert!(off < 1e-12 * scale, "step {step}: {asked:?} instead of {u}, {v}");
                let r = Implicit::residuals((u - old) / h, u, v);
                u -= (r[0] * b[1] - r[1] * a[1]) / determinant;
                v -= (a[0] * r[1] - b[0] * r[0]) / determinant;
            }
            (d, w) = (z[0], z[1]);
            x = old + h * d;
        }
    }

    /// One equation for one state that follows from another variable.
    struct One<F> {
        equation: F,
    }

    impl<F: Fn(f64) -> f64> NonlinearSystem for One<F> {
        fn n(&self) -> usize {
            1
        }
        fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            r[0] = (self.equation)(x[0]);
            Ok(())
        }
    }

    impl<F: Fn(f64) -> f64> StepSystem for One<F> {
        fn computes_states(&self) -> bool {
            true
        }
        fn mark(&mut self) {}
        fn change(&mut self, correction: &[f64]) -> Change {
            Change { states: norm(&[1e6], correction), unforeseen: 0.0 }
        }
    }

    /// Where the equations do not depend on `h`, scaling corrections for its drift does harm. That is seen once.
    #[test]
    fn the_factor_of_corrections_is_learned() {
        let request = |h: f64| ChordRequest {
            h,
            weights: &[1e6],
            tolerance: 0.1,
            most_iterations: 10,
            persistence: 0,
            finest: None,
        };
        let mut chord = Chord::new(&mut One { equation: |z: f64| z }).unwrap();
        let mut evaluations = Vec::new();
        for (step, h) in [1.0, 1.2, 1.2].into_iter().enumerate() {
            let target = 1.0 + step as f64;
            let before = chord.work().residuals;
            let mut z = [target - 1.0];
            chord.solve(&mut One { equation: |z: f64| z - target }, &request(h), &mut z).unwrap();
            assert!((z[0] - target).abs() < 1e-9, "step {step}: {}", z[0]);
            evaluations.push(chord.work().residuals - before);
        }
        assert_eq!(chord.work().jacobians, 1, "one matrix for all");
        assert!(evaluations[2] < evaluations[1], "{evaluations:?}");
    }

    /// Corrections are small because the slope at the guess is large: that is no solution.
    #[test]
    fn small_corrections_that_do_not_shrink_are_no_solution() {
        // Steep below 1, and then as flat as the weight expects; the root is at 2.
        let equation = |z: f64| if z < 1.0 { 1e9 * (z - 1.0) - 1.0 } else { z - 2.0 };
        let mut system = One { equation };
        let mut chord = Chord::new(&mut system).unwrap();
        let mut request = ChordRequest {
            h: 1.0,
            weights: &[1e6],
            tolerance: 0.01,
            most_iterations: 12,
            persistence: 0,
            finest: Some(1e-8),
        };
        let mut z = [1.0 - 1e-6];
        assert!(chord.solve(&mut system, &request, &mut z).is_err());
        request.persistence = 30;
        chord.solve(&mut system, &request, &mut z).unwrap();
        assert!((z[0] - 2.0).abs() < 1e-12, "{}", z[0]);
    }

    #[test]
    fn a_root_that_is_far_away_needs_persistence() {
        struct Cube;
        impl NonlinearSystem for Cube {
            fn n(&self) -> usize {
                1
            }
            fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
                r[0] = x[0].powi(3) - 8.0;
                Ok(())
            }
        }
        impl StepSystem for Cube {
            fn mark(&mut self) {}
            fn change(&mut self, correction: &[f64]) -> Change {
                Change { states: norm(&[1e6], correction), unforeseen: 0.0 }
            }
        }
        let mut chord = Chord::new(&mut Cube).unwrap();
        let mut request = ChordRequest {
            h: 1.0,
            weights: &[1e6],
            tolerance: 0.1,
            most_iterations: 3,
            persistence: 0,
            finest: None,
        };
        let mut z = [5.0];
        assert!(chord.solve(&mut Cube, &request, &mut z).is_err());
        assert_eq!(z, [5.0], "the guess is kept");
        request.persistence = 20;
        chord.solve(&mut Cube, &request, &mut z).unwrap();
        assert!((z[0] - 2.0).abs() < 1e-6);
    }
}
