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
//! The matrix depends on `h` in any way, so a new one means a new Jacobian; for a few variables that costs little. A small
//! correction is believed as there: with a matrix that was seen to contract, for residuals of about that size.

use serde::{Deserialize, Serialize};

use crate::classical::{Correction, NEAR_SOLUTION, Trust};
use crate::error::{ModelError, Reason, Recoverable};
use crate::jacobian::Jacobian;
use crate::linear::{Factor, Singular};
use crate::newton::{AsFunction, NonlinearSystem};
use crate::weights::{first_not_finite, norm, rounding};

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
    /// Small corrections are believed by their size alone: for several stages that are solved together, nearly each step has a
    /// matrix of its own.
    pub by_size: bool,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// What the matrix has been seen to do, and whether the last solution was evaluated and seen to be near.
    trust: Trust,
    seen_near: bool,
    /// For each row one over what its entries make of the error weights: residuals in units that stay the same with the matrix.
    row_sizes: Vec<f64>,
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
            trust: Trust::default(),
            seen_near: false,
            row_sizes: zeros(),
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

    /// Is `z`, the solution found last, one? Where the matrix is older than the step, it is seen by one more evaluation: with a
    /// matrix that is too large by far each guess looks like a solution, but no correction is much smaller than the one before.
    pub fn confirm<S: StepSystem>(
        &mut self,
        system: &mut S,
        request: &ChordRequest,
        z: &[f64],
    ) -> Result<bool, ModelError> {
        let Some(gamma) = self.gamma.filter(|_| self.steps > 0 && !self.seen_near) else { return Ok(true) };
        self.before.copy_from_slice(&self.correction);
        self.evaluate(system, z)?;
        self.find_correction(self.scale_for(request.h, gamma));
        let (last, next) = (norm(request.weights, &self.before), norm(request.weights, &self.correction));
        let right = next <= NEAR_SOLUTION * last || next <= rounding(request.weights, z);
        if !right {
            self.work.failures += 1;
            self.reset();
        }
        Ok(right)
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
        let mut this: Option<Correction> = None;
        self.seen_near = false;
        for iteration in 1..=request.most_iterations {
            if !std::mem::take(&mut ahead) {
                self.find_correction(scale);
            }
            let next = self.observed(request, this.as_ref());
            let verified = this.is_some_and(|before| self.trust.learn(&before, &next));
            // Where nobody estimates errors one correction at least is evaluated.
            let harmless = verified || next.is_harmless();
            let solved = next.residual == 0.0 || request.by_size || request.finest.is_some();
            let believed = solved || harmless && self.trust.covers(&next, verified);
            this = Some(next);
            self.apply_correction(z)?;
            let foresees = (request.finest.is_none() || iteration > 1) && (measures || drift == 0.0);
            let predicted = if foresees { system.predict(&self.correction) } else { None };
            // Enough, were it believed; and nothing better will come.
            let (mut doubted, mut hopeless) = (false, false);
            if let Some(size) = predicted {
                if !measures && iteration > 1 && request.finest.is_none() {
                    self.rate = (RATE_MEMORY * self.rate).max(size / last);
                }
                let error = size * self.expected_rate(slowest, drift, measures);
                let small = measures && size <= aim && request.finest.is_none();
                hopeless = size > DIVERGENCE * last || iteration == request.most_iterations;
                let allowed = if hopeless { request.allowed() } else { aim };
                let enough = small || error <= allowed && !due;
                if enough && believed {
                    self.predicted += u32::from(!small);
                    system.finish(z);
                    return Ok(());
                }
                doubted = enough;
                if hopeless && !enough {
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
                hopeless = size.states > DIVERGENCE * last || iteration == request.most_iterations;
                let enough = request.aim(part_of(AIM_EVALUATED));
                doubted = error <= if hopeless { request.allowed() } else { enough };
                if doubted && believed {
                    return Ok(());
                }
                left = error;
            }
            if doubted && self.leads_near(request, &next, scale, ahead, z) {
                return Ok(());
            }
            // What does not lead there at once may be far out on an exponential function, and come nearer slowly.
            if doubted || hopeless {
                break;
            }
            last = size.states;
        }
        Err(Recoverable::new(Reason::NoConvergence).into())
    }

    /// The correction that is known, with the residual it was made from, after the one before it in the same step.
    fn observed(&self, request: &ChordRequest, before: Option<&Correction>) -> Correction {
        let size = norm(request.weights, &self.correction);
        let residual = norm(&self.row_sizes, &self.residual);
        match before {
            Some(before) => Correction::after(before, size, residual),
            None => Correction { size, residual, ratio: 0.0 },
        }
    }

    /// The residual is that behind the last correction: is what it asks for so much less that this one led near the solution?
    fn leads_near(
        &mut self,
        request: &ChordRequest,
        last: &Correction,
        scale: f64,
        ahead: bool,
        z: &[f64],
    ) -> bool {
        if !ahead {
            self.before.copy_from_slice(&self.correction);
            self.find_correction(scale);
        }
        let next = self.observed(request, Some(last));
        if !ahead {
            self.correction.copy_from_slice(&self.before);
        }
        // A matrix that was made for this step is right but for rounding.
        let is_rounding = self.steps == 0 && next.size <= rounding(request.weights, z);
        self.seen_near = next.residual == 0.0 || self.trust.learn(last, &next) || is_rounding;
        self.seen_near
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
        self.trust = Trust::default();
        self.before.clear();
        self.before.extend(weights.iter().map(|w| 1.0 / w));
        self.jacobian.row_sizes(&self.before, &mut self.row_sizes);
        self.row_sizes.iter_mut().for_each(|size| *size = if *size > 0.0 { 1.0 / *size } else { 1.0 });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
