//! One equation with one unknown, where Newton's method fails: look for a change of sign, then halve.
//!
//! The search goes outwards from the guess on both sides in growing steps, so the root found is one near the guess.
//! Between two points of different sign the Illinois rule (Dowell & Jarratt, *A modified regula falsi method*, BIT 11,
//! 1971) and bisection take turns, so steep and piecewise linear functions cost no more than smooth ones. A function
//! that jumps over zero has no root there and is not said to have one. Where the function is no number at the guess the search
//! begins at a point near it where it is one.

use crate::error::ModelError;
use crate::newton::NonlinearSystem;

/// The first steps are this part of the unknown's size.
const FIRST: f64 = 1e-6;
/// Steps grow by this factor.
const GROWTH: f64 = 2.0;
/// Up to this many times the size.
const LAST: f64 = 1e12;
/// A root is one where the function is smaller than this part of its values at the ends of the first bracket.
const JUMP: f64 = 1e-6;

/// A root of `F(x) = 0` near `guess`, or `None` where no change of sign is found. Only for one unknown.
pub fn solve<S: NonlinearSystem>(system: &mut S, guess: f64) -> Result<Option<f64>, ModelError> {
    search(system, guess, f64::INFINITY)
}

/// A root that is nearer to the guess than one that was found: Newton's method may jump over others. Only for one unknown.
pub fn nearer<S: NonlinearSystem>(system: &mut S, guess: f64, found: f64) -> Result<Option<f64>, ModelError> {
    // Just before what was found the function has the sign it has at the guess, if there is no other one between them.
    const BEFORE: f64 = 1.0 - 1e-3;
    let farthest = BEFORE * (found - guess).abs();
    if !(farthest > FIRST * guess.abs()) {
        return Ok(None);
    }
    let nearer = |root: &f64| (root - guess).abs() <= farthest;
    Ok(search(system, guess, farthest)?.filter(nearer))
}

/// Goes up to so far from the guess.
fn search<S: NonlinearSystem>(system: &mut S, guess: f64, farthest: f64) -> Result<Option<f64>, ModelError> {
    let (low, high) = system.bounds(0);
    let size = guess.abs().max(system.nominal(0).abs()).max(f64::MIN_POSITIVE);
    let Some((guess, middle)) = nearest(system, guess, size)? else { return Ok(None) };
    if middle == 0.0 {
        return Ok(Some(guess));
    }
    // The outermost point on each side that could be evaluated.
    let mut sides = [(guess, middle, -1.0, true), (guess, middle, 1.0, true)];
    let mut step = FIRST * size;
    while step <= LAST * size && sides.iter().any(|side| side.3) {
        let mut nearest: Option<f64> = None;
        for (x, f, direction, open) in &mut sides {
            if !*open {
                continue;
            }
            let next = (guess + *direction * step.min(farthest)).max(low).min(high);
            if next == *x {
                *open = false;
                continue;
            }
            let end = match value(system, next)? {
                Some(_) => next,
                None => {
                    *open = false;
                    last_inside(system, *x, next)?
                }
            };
            let Some(g) = value(system, end)? else { continue };
            if (g > 0.0) != (*f > 0.0)
                && let Some(root) = inside(system, (*x, *f), (end, g))?
                && nearest.is_none_or(|other| (root - guess).abs() < (other - guess).abs())
            {
                nearest = Some(root);
            }
            (*x, *f) = (end, g);
        }
        if nearest.is_some() {
            return Ok(nearest);
        }
        step *= GROWTH;
    }
    Ok(None)
}

/// The guess, or where it is none, like that of an exponential function far out, a point near it that is a beginning.
fn nearest<S: NonlinearSystem>(
    system: &mut S,
    guess: f64,
    size: f64,
) -> Result<Option<(f64, f64)>, ModelError> {
    if let Some(f) = value(system, guess)? {
        return Ok(Some((guess, f)));
    }
    let (low, high) = system.bounds(0);
    let mut step = FIRST * size;
    while step <= LAST * size {
        for x in [guess - step, guess + step] {
            if (low..=high).contains(&x)
                && let Some(f) = value(system, x)?
            {
                return Ok(Some((x, f)));
            }
        }
        step *= GROWTH;
    }
    Ok(None)
}

/// A point next to the end of the function's domain, between one inside and one outside.
fn last_inside<S: NonlinearSystem>(system: &mut S, inside: f64, outside: f64) -> Result<f64, ModelError> {
    const HALVINGS: u32 = 60;
    let (mut inside, mut outside) = (inside, outside);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (inside + outside);
        match value(system, middle)? {
            Some(_) => inside = middle,
            None => outside = middle,
        }
    }
    Ok(inside)
}

/// The function, where it is a number.
fn value<S: NonlinearSystem>(system: &mut S, x: f64) -> Result<Option<f64>, ModelError> {
    let mut r = [0.0];
    match system.residual(&[x], &mut r) {
        Ok(()) => Ok(r[0].is_finite().then_some(r[0])),
        Err(ModelError::Recoverable(_)) => Ok(None),
        Err(fatal) => Err(fatal),
    }
}

/// The root between two points of different sign.
fn inside<S: NonlinearSystem>(
    system: &mut S,
    mut a: (f64, f64),
    mut b: (f64, f64),
) -> Result<Option<f64>, ModelError> {
    const ROUNDS: u32 = 300;
    let size = a.1.abs().min(b.1.abs());
    // Values the secant uses; one that stays is halved.
    let (mut fa, mut fb) = (a.1, b.1);
    for round in 0..ROUNDS {
        let middle = 0.5 * (a.0 + b.0);
        if middle == a.0 || middle == b.0 {
            break;
        }
        let secant = b.0 - fb * (b.0 - a.0) / (fb - fa);
        let between = (secant - a.0) * (secant - b.0) < 0.0;
        let x = if round % 3 == 2 || !between { middle } else { secant };
        let Some(f) = value(system, x)? else { return Ok(None) };
        if f == 0.0 {
            return Ok(Some(x));
        }
        if (f > 0.0) == (b.1 > 0.0) {
            (b, fb) = ((x, f), f);
            fa *= 0.5;
        } else {
            (a, fa) = ((x, f), f);
            fb *= 0.5;
        }
    }
    let best = if a.1.abs() < b.1.abs() { a } else { b };
    Ok((best.1.abs() <= JUMP * size).then_some(best.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One<F>(F);

    impl<F: FnMut(f64) -> f64> NonlinearSystem for One<F> {
        fn n(&self) -> usize {
            1
        }
        fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            r[0] = self.0(x[0]);
            Ok(())
        }
    }

    #[test]
    fn steep_limiters() {
        // An amplifier of gain 15000 between ±15, fed back: x = limit(15000*(1e-3 - x/10)).
        let gain = |x: f64| x - (15000.0 * (1e-3 - 0.1 * x)).clamp(-15.0, 15.0);
        let wanted = 15.0 / 1501.0;
        for guess in [-20.0, 0.0, 1e-3, 300.0] {
            let root = solve(&mut One(gain), guess).unwrap().unwrap();
            assert!((root - wanted).abs() < 1e-12, "{root}");
        }
    }

    /// The current of a diode whose source has just turned round: at the guess its characteristic overflows.
    #[test]
    fn a_guess_at_which_there_is_no_value() {
        let voltage = |i: f64| 50.0 - 60.0 * (i - 0.3);
        let characteristic = |i: f64| i - 4e-10 * ((voltage(i) / 0.03).exp() - 1.0);
        assert!(!characteristic(0.0).is_finite());
        let root = solve(&mut One(characteristic), 0.0).unwrap().unwrap();
        assert!((voltage(root) - 0.03 * (root / 4e-10).ln_1p()).abs() < 1e-9, "{root}");
        assert_eq!(solve(&mut One(|_: f64| f64::NAN), 1.0).unwrap(), None);
    }

    #[test]
    fn what_has_no_root() {
        assert_eq!(solve(&mut One(|x: f64| x * x + 1.0), 0.3).unwrap(), None);
        // A jump over zero is no root.
        assert_eq!(solve(&mut One(|x: f64| if x < 0.1 { -1.0 } else { 1.0 }), 0.0).unwrap(), None);
        // Outside its domain a function has no sign.
        let root = solve(&mut One(|x: f64| x.ln() + 3.0), 1.0).unwrap().unwrap();
        assert!((root - (-3f64).exp()).abs() < 1e-14, "{root}");
    }
}
