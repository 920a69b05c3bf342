//! Continuation: follow the solution of `H(x, λ) = 0` from an easy problem at `λ = 0` to the wanted one at
//! `λ = 1`.
//!
//! The curve is followed by its arc length, not by `λ`, so that it may turn back on its way (Allgower &
//! Georg, *Introduction to Numerical Continuation Methods*, §2 and §6): predict along the secant, correct
//! with Newton's method on the equations and the plane across the secant, lengthen the step when that was
//! easy, halve it when it failed.
//!
//! [`solve`] is the driver for hard starts: plain Newton first; for one unknown a change of sign; full Newton steps,
//! which settle piecewise linear equations; smallest corrections where the Jacobian has no full rank; a start moved
//! a little where the Jacobian is singular at the guess; then the Newton homotopy `F(x) - (1-λ) F(x₀)`, then the fixed-point
//! homotopy `λ F(x) + (1-λ) D (x - x₀)`. A model with a `homotopy` operator of its own implements
//! [`Homotopy`] and calls [`follow`].

use crate::bracket;
use crate::error::{ModelError, Reason, Recoverable};
use crate::jacobian::Jacobian;
use crate::linear::{Pattern, Structure, solve_deficient};
use crate::newton::{AsFunction, Newton, NewtonOptions, NewtonReport, NonlinearSystem};

/// A family of systems `H(x, λ) = 0`.
pub trait Homotopy {
    /// Number of unknowns.
    fn n(&self) -> usize;
    /// `r = H(x, λ)`.
    fn residual(&mut self, x: &[f64], lambda: f64, r: &mut [f64]) -> Result<(), ModelError>;
    /// The size of unknown `i` that is usual, a positive number.
    fn nominal(&self, i: usize) -> f64 {
        let _ = i;
        1.0
    }
    /// Smallest and largest value of unknown `i`.
    fn bounds(&self, i: usize) -> (f64, f64) {
        let _ = i;
        (f64::NEG_INFINITY, f64::INFINITY)
    }
    /// Where the Jacobian by `x` may differ from zero, for all λ.
    fn jacobian_pattern(&self) -> Option<Pattern> {
        None
    }
    /// Whether [`jacobian`](Self::jacobian) is there. Only without a pattern.
    fn has_jacobian(&self) -> bool {
        false
    }
    /// The derivatives by `x`, column-major, and by λ.
    fn jacobian(
        &mut self,
        x: &[f64],
        lambda: f64,
        values: &mut [f64],
        by_lambda: &mut [f64],
    ) -> Result<(), ModelError> {
        let _ = (x, lambda, values, by_lambda);
        Err(ModelError::fatal("this homotopy has no Jacobian"))
    }
}

/// Limits of a continuation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContinuationOptions {
    /// Options of the corrector.
    pub newton: NewtonOptions,
    /// First step along the curve, in units of the sizes of the unknowns and of λ.
    pub first_step: f64,
    /// Largest step.
    pub max_step: f64,
    /// Smallest step.
    pub min_step: f64,
    /// Largest number of steps.
    pub max_steps: u32,
}

impl Default for ContinuationOptions {
    fn default() -> Self {
        ContinuationOptions {
            newton: NewtonOptions::default(),
            first_step: 0.1,
            max_step: 10.0,
            min_step: 1e-7,
            max_steps: 2000,
        }
    }
}

/// A step this short meets a kink rather than another branch.
const SHORT: f64 = 1e-4;

/// Where a continuation stopped.
#[derive(Debug)]
pub struct Lost {
    /// The last λ reached.
    pub lambda: f64,
    /// What the corrector said there.
    pub report: Box<NewtonReport>,
    /// The error: recoverable, or the model's fatal one.
    pub error: ModelError,
}

/// How a solution was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Plain Newton.
    Newton,
    /// A change of sign, for one unknown.
    Bracket,
    /// Full Newton steps without damping.
    FullSteps,
    /// Smallest corrections: the Jacobian has no full rank.
    Smallest,
    /// Plain Newton from a start moved by a part of the nominal values: the Jacobian was singular at the
    /// guess.
    MovedStart,
    /// The Newton homotopy, in this many steps.
    NewtonHomotopy(u32),
    /// The fixed-point homotopy, in this many steps.
    FixedPointHomotopy(u32),
}

/// Solves `F(x) = 0` from a guess that may be bad. On failure `x` is the guess again, and the report is that
/// of plain Newton.
pub fn solve<S: NonlinearSystem>(
    system: &mut S,
    x: &mut [f64],
    options: &ContinuationOptions,
) -> Result<Route, Lost> {
    let n = system.n();
    let singular =
        |s: crate::linear::Singular| ModelError::from(Recoverable::at(Reason::SingularMatrix, s.column));
    let mut newton = match Newton::new(system, options.newton) {
        Ok(newton) => newton,
        Err(s) => {
            return Err(Lost { lambda: 1.0, report: Box::new(NewtonReport::empty(x)), error: singular(s) });
        }
    };
    let guess = x.to_vec();
    let error = match newton.solve(system, x) {
        Ok(_) => return Ok(Route::Newton),
        Err(error) => error,
    };
    let report = Box::new(newton.report());
    if let ModelError::Fatal(_) = error {
        return Err(Lost { lambda: 1.0, report, error });
    }

    if n == 1 {
        x.copy_from_slice(&guess);
        if let Some(root) = bracket::solve(system, guess[0]).map_err(|error| Lost {
            lambda: 1.0,
            report: report.clone(),
            error,
        })? {
            x[0] = root;
            return Ok(Route::Bracket);
        }
    }
    for (rank_may_fail, route) in [(false, Route::FullSteps), (true, Route::Smallest)] {
        x.copy_from_slice(&guess);
        match full_steps(system, x, options.newton.tolerance, rank_may_fail) {
            Ok(true) => return Ok(route),
            Ok(false) | Err(ModelError::Recoverable(_)) => {}
            Err(error) => return Err(Lost { lambda: 1.0, report, error }),
        }
    }

    // Zero is often just what nobody has thought about: a division by it says nothing about other points.
    let far: Option<&[f64]> = match error {
        ModelError::Recoverable(Recoverable { reason: Reason::SingularMatrix, .. }) => Some(&[]),
        ModelError::Recoverable(Recoverable {
            reason: Reason::NotFinite | Reason::OutsideDomain, ..
        }) => Some(&[1.0, -1.0, 10.0, 300.0]),
        _ => None,
    };
    if let Some(far) = far {
        for &part in [0.01, -0.01, 0.1, -0.1].iter().chain(far) {
            for i in 0..n {
                // Not the same for all: a symmetric start would stay symmetric.
                let size = guess[i].abs().max(system.nominal(i).abs());
                x[i] = guess[i] + part * size * (1.0 + 0.1 * (i % 7) as f64);
            }
            match newton.solve(system, x) {
                Ok(_) => return Ok(Route::MovedStart),
                Err(ModelError::Recoverable(_)) => {}
                Err(error) => return Err(Lost { lambda: 1.0, report: Box::new(newton.report()), error }),
            }
        }
    }

    x.copy_from_slice(&guess);
    let mut at_guess = vec![0.0; n];
    if system.residual(x, &mut at_guess).is_ok() && at_guess.iter().all(|r| r.is_finite()) {
        let mut homotopy = FromResidual { system, at_guess: &at_guess };
        match follow(&mut homotopy, x, options) {
            Ok(steps) => return Ok(Route::NewtonHomotopy(steps)),
            Err(Lost { error: ModelError::Fatal(e), lambda, report }) => {
                return Err(Lost { lambda, report, error: e.into() });
            }
            Err(_) => x.copy_from_slice(&guess),
        }
        let pull = newton.diagonal_scale();
        let mut homotopy = FromPoint { system, guess: &guess, pull: &pull };
        match follow(&mut homotopy, x, options) {
            Ok(steps) => return Ok(Route::FixedPointHomotopy(steps)),
            Err(Lost { error: ModelError::Fatal(e), lambda, report }) => {
                return Err(Lost { lambda, report, error: e.into() });
            }
            Err(_) => x.copy_from_slice(&guess),
        }
    }
    Err(Lost { lambda: 0.0, report, error })
}

/// Newton steps in full length, each the smallest correction where the Jacobian has no full rank; has it come to
/// rest at a solution? Steps without damping go astray easily, but on piecewise linear equations they only have to
/// meet the right piece.
fn full_steps<S: NonlinearSystem>(
    system: &mut S,
    x: &mut [f64],
    tolerance: f64,
    rank_may_fail: bool,
) -> Result<bool, ModelError> {
    const STEPS: u32 = 50;
    /// Smallest corrections converge to what the equations leave open, not to rounding errors.
    const LOOSE: f64 = 1e3;
    let mut jacobian = Jacobian::new(&AsFunction(system));
    if !matches!(jacobian.structure(), Structure::Dense(_)) {
        return Ok(false);
    }
    for _ in 0..STEPS {
        let Some(step) = smallest_step(system, &mut jacobian, x)? else { return Ok(false) };
        if step.rank < x.len() && !rank_may_fail {
            return Ok(false);
        }
        if step.change <= tolerance * LOOSE && !step.contradicts {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A Newton step of full length.
struct SmallestStep {
    rank: usize,
    /// Equations cannot all be met, to first order.
    contradicts: bool,
    /// The largest change, in units of the sizes of the unknowns.
    change: f64,
}

/// Moves `x` by a Newton step in full length, the smallest correction where the Jacobian has no full rank. `None` where that is
/// not finite.
fn smallest_step<S: NonlinearSystem>(
    system: &mut S,
    jacobian: &mut Jacobian,
    x: &mut [f64],
) -> Result<Option<SmallestStep>, ModelError> {
    let n = x.len();
    let mut r = vec![0.0; n];
    system.residual(x, &mut r)?;
    let scale: Vec<f64> = (0..n).map(|i| x[i].abs().max(system.nominal(i).abs())).collect();
    let increment = |j: usize| f64::EPSILON.sqrt() * scale[j];
    jacobian.evaluate(&mut AsFunction(system), x, &r, increment)?;
    let mut a = jacobian.values().to_vec();
    if r.iter().chain(&a).any(|v| !v.is_finite()) {
        return Ok(None);
    }
    let magnitude: Vec<f64> =
        (0..n).map(|i| r[i].abs() + (0..n).map(|j| a[i + n * j].abs() * scale[j]).sum::<f64>()).collect();
    let mut d: Vec<f64> = r.iter().map(|r| -r).collect();
    let found = solve_deficient(&mut a, &mut d, &magnitude, &scale);
    let mut change: f64 = 0.0;
    for i in 0..n {
        change = change.max(d[i].abs() / scale[i]);
        let (lower, upper) = system.bounds(i);
        x[i] = (x[i] + d[i]).max(lower).min(upper);
    }
    let step = SmallestStep { rank: found.rank, contradicts: found.contradiction.is_some(), change };
    Ok(change.is_finite().then_some(step))
}

/// One step of Newton's method where the equations may change before the next one: damped, or the smallest correction where the
/// Jacobian is singular. `x` stays where no step is an improvement.
pub fn advance<S: NonlinearSystem>(
    newton: &mut Newton,
    system: &mut S,
    x: &mut [f64],
) -> Result<(), ModelError> {
    match newton.advance(system, x) {
        Err(ModelError::Recoverable(Recoverable { reason: Reason::SingularMatrix, .. })) => {}
        outcome => return outcome,
    }
    let mut jacobian = Jacobian::new(&AsFunction(system));
    if matches!(jacobian.structure(), Structure::Dense(_)) {
        let guess = x.to_vec();
        if smallest_step(system, &mut jacobian, x)?.is_none() {
            x.copy_from_slice(&guess);
        }
    }
    Ok(())
}

/// Follows the curve from `λ = 0`, near the guess in `x`, to `λ = 1`. Returns the number of steps.
pub fn follow<H: Homotopy>(
    homotopy: &mut H,
    x: &mut [f64],
    options: &ContinuationOptions,
) -> Result<u32, Lost> {
    solve_at(homotopy, x, 0.0, options)?;
    let n = homotopy.n();
    // A point of the curve is (x, λ); lengths count x in units of its size.
    let mut point: Vec<f64> = x.iter().copied().chain([0.0]).collect();
    let mut scale = vec![1.0; n + 1];
    let mut tangent = vec![0.0; n + 1];
    tangent[n] = 1.0;
    // The direction of the first step is only guessed; any point found is good enough for a secant.
    let mut smallest_cosine = f64::NEG_INFINITY;
    let mut step = options.first_step;
    let mut target = vec![0.0; n + 1];
    for steps in 1..=options.max_steps {
        for i in 0..n {
            scale[i] = point[i].abs().max(homotopy.nominal(i).abs()).max(f64::MIN_POSITIVE);
        }
        for i in 0..=n {
            target[i] = point[i] + step * tangent[i] * scale[i];
        }
        if target[n] >= 1.0 {
            // As far along the tangent as λ = 1, then at λ = 1 exactly.
            let part = if tangent[n] > 0.0 { (1.0 - point[n]) / tangent[n] } else { step };
            for i in 0..n {
                x[i] = point[i] + part * tangent[i] * scale[i];
            }
            if solve_at(homotopy, x, 1.0, options).is_ok() {
                return Ok(steps);
            }
        } else {
            let predicted = target.clone();
            let mut system =
                OnPlane { homotopy: &mut *homotopy, predicted: &predicted, tangent: &tangent, scale: &scale };
            let corrected = Newton::new(&mut system, options.newton)
                .map_err(|s| ModelError::from(Recoverable::at(Reason::SingularMatrix, s.column)))
                .and_then(|mut newton| newton.solve(&mut system, &mut target));
            match corrected {
                Ok(solved) => {
                    // Where equations have a kink the curve has one too: after a short step any turn but back.
                    let smallest = if step < SHORT { smallest_cosine.min(-0.5) } else { smallest_cosine };
                    if turn(&point, &target, &mut tangent, &scale, smallest) {
                        smallest_cosine = 0.2;
                        point.copy_from_slice(&target);
                        let factor = if solved.iterations <= 3 {
                            2.0
                        } else if solved.iterations <= 6 {
                            1.2
                        } else {
                            0.7
                        };
                        step = (step * factor).min(options.max_step);
                        continue;
                    }
                }
                Err(ModelError::Fatal(e)) => {
                    return Err(Lost {
                        lambda: point[n],
                        report: Box::new(NewtonReport::empty(&point[..n])),
                        error: e.into(),
                    });
                }
                Err(ModelError::Recoverable(_)) => {}
            }
        }
        step *= 0.4;
        if step < options.min_step {
            break;
        }
    }
    x.copy_from_slice(&point[..n]);
    let error = Recoverable::new(Reason::NoConvergence).into();
    Err(Lost { lambda: point[n], report: Box::new(NewtonReport::empty(x)), error })
}

/// The new secant replaces the tangent unless it turns too sharply, which means the corrector has jumped to
/// another branch.
fn turn(from: &[f64], to: &[f64], tangent: &mut [f64], scale: &[f64], smallest_cosine: f64) -> bool {
    let length = from.iter().zip(to).zip(scale).map(|((a, b), s)| ((b - a) / s).powi(2)).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return false;
    }
    let old_length = tangent.iter().map(|t| t * t).sum::<f64>().sqrt();
    let mut cosine = 0.0;
    for i in 0..tangent.len() {
        cosine += tangent[i] / old_length * (to[i] - from[i]) / scale[i] / length;
    }
    if cosine < smallest_cosine {
        return false;
    }
    for i in 0..tangent.len() {
        tangent[i] = (to[i] - from[i]) / scale[i] / length;
    }
    true
}

fn solve_at<H: Homotopy>(
    homotopy: &mut H,
    x: &mut [f64],
    lambda: f64,
    options: &ContinuationOptions,
) -> Result<(), Lost> {
    let mut system = AtLambda { homotopy, lambda };
    match Newton::new(&mut system, options.newton) {
        Ok(mut newton) => match newton.solve(&mut system, x) {
            Ok(_) => Ok(()),
            Err(error) => Err(Lost { lambda, report: Box::new(newton.report()), error }),
        },
        Err(s) => Err(Lost {
            lambda,
            report: Box::new(NewtonReport::empty(x)),
            error: Recoverable::at(Reason::SingularMatrix, s.column).into(),
        }),
    }
}

struct AtLambda<'a, H> {
    homotopy: &'a mut H,
    lambda: f64,
}

impl<H: Homotopy> NonlinearSystem for AtLambda<'_, H> {
    fn n(&self) -> usize {
        self.homotopy.n()
    }
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        self.homotopy.residual(x, self.lambda, r)
    }
    fn has_jacobian(&self) -> bool {
        self.homotopy.has_jacobian()
    }
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let mut by_lambda = vec![0.0; x.len()];
        self.homotopy.jacobian(x, self.lambda, values, &mut by_lambda)
    }
    fn jacobian_pattern(&self) -> Option<Pattern> {
        self.homotopy.jacobian_pattern()
    }
    fn nominal(&self, i: usize) -> f64 {
        self.homotopy.nominal(i)
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        self.homotopy.bounds(i)
    }
}

/// The equations, and the plane across the tangent through the predicted point.
struct OnPlane<'a, H> {
    homotopy: &'a mut H,
    predicted: &'a [f64],
    tangent: &'a [f64],
    scale: &'a [f64],
}

impl<H: Homotopy> NonlinearSystem for OnPlane<'_, H> {
    fn n(&self) -> usize {
        self.homotopy.n() + 1
    }
    fn residual(&mut self, y: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        let n = self.homotopy.n();
        self.homotopy.residual(&y[..n], y[n], &mut r[..n])?;
        r[n] = (0..=n).map(|i| self.tangent[i] * (y[i] - self.predicted[i]) / self.scale[i]).sum();
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        self.homotopy.has_jacobian()
    }
    fn jacobian(&mut self, y: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let n = self.homotopy.n();
        let (mut inner, mut by_lambda) = (vec![0.0; n * n], vec![0.0; n]);
        self.homotopy.jacobian(&y[..n], y[n], &mut inner, &mut by_lambda)?;
        for j in 0..n {
            values[(n + 1) * j..(n + 1) * j + n].copy_from_slice(&inner[n * j..n * (j + 1)]);
        }
        values[(n + 1) * n..(n + 1) * n + n].copy_from_slice(&by_lambda);
        for j in 0..=n {
            values[(n + 1) * j + n] = self.tangent[j] / self.scale[j];
        }
        Ok(())
    }
    fn jacobian_pattern(&self) -> Option<Pattern> {
        let n = self.homotopy.n();
        let border = (0..=n).flat_map(|i| [(i, n), (n, i)]);
        self.homotopy.jacobian_pattern().map(|p| Pattern::new(n + 1, p.iter().chain(border)))
    }
    fn nominal(&self, i: usize) -> f64 {
        if i < self.homotopy.n() { self.homotopy.nominal(i) } else { 1.0 }
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        if i < self.homotopy.n() { self.homotopy.bounds(i) } else { (f64::NEG_INFINITY, f64::INFINITY) }
    }
}

/// `F(x) - (1-λ) F(x₀)`: the guess solves it at λ = 0.
struct FromResidual<'a, S> {
    system: &'a mut S,
    at_guess: &'a [f64],
}

impl<S: NonlinearSystem> Homotopy for FromResidual<'_, S> {
    fn n(&self) -> usize {
        self.system.n()
    }
    fn residual(&mut self, x: &[f64], lambda: f64, r: &mut [f64]) -> Result<(), ModelError> {
        self.system.residual(x, r)?;
        for (r, start) in r.iter_mut().zip(self.at_guess) {
            *r -= (1.0 - lambda) * start;
        }
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        self.system.has_jacobian() && self.system.jacobian_pattern().is_none()
    }
    fn jacobian(
        &mut self,
        x: &[f64],
        _: f64,
        values: &mut [f64],
        by_lambda: &mut [f64],
    ) -> Result<(), ModelError> {
        by_lambda.copy_from_slice(self.at_guess);
        self.system.jacobian(x, values)
    }
    fn jacobian_pattern(&self) -> Option<Pattern> {
        self.system.jacobian_pattern()
    }
    fn nominal(&self, i: usize) -> f64 {
        self.system.nominal(i)
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        self.system.bounds(i)
    }
}

/// `λ F(x) + (1-λ) D (x - x₀)`.
struct FromPoint<'a, S> {
    system: &'a mut S,
    guess: &'a [f64],
    pull: &'a [f64],
}

impl<S: NonlinearSystem> Homotopy for FromPoint<'_, S> {
    fn n(&self) -> usize {
        self.system.n()
    }
    fn residual(&mut self, x: &[f64], lambda: f64, r: &mut [f64]) -> Result<(), ModelError> {
        self.system.residual(x, r)?;
        for i in 0..x.len() {
            r[i] = lambda * r[i] + (1.0 - lambda) * self.pull[i] * (x[i] - self.guess[i]);
        }
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        self.system.has_jacobian() && self.system.jacobian_pattern().is_none()
    }
    fn jacobian(
        &mut self,
        x: &[f64],
        lambda: f64,
        values: &mut [f64],
        by_lambda: &mut [f64],
    ) -> Result<(), ModelError> {
        let n = x.len();
        self.system.residual(x, by_lambda)?;
        self.system.jacobian(x, values)?;
        values.iter_mut().for_each(|v| *v *= lambda);
        for i in 0..n {
            values[i + n * i] += (1.0 - lambda) * self.pull[i];
            by_lambda[i] -= self.pull[i] * (x[i] - self.guess[i]);
        }
        Ok(())
    }
    fn jacobian_pattern(&self) -> Option<Pattern> {
        self.system.jacobian_pattern().map(|p| p.with_diagonal())
    }
    fn nominal(&self, i: usize) -> f64 {
        self.system.nominal(i)
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        self.system.bounds(i)
    }
}
