//! States that grow out of their tolerance by themselves.
//!
//! Below its absolute tolerance a state is not known: it may be ten times as large, or have the other sign; and a little above it
//! few digits are known. That does no harm where it is driven by others afterwards, for then it is forgotten, nor where it goes on
//! to decay. But what multiplies itself (a population, a germ, an autocatalytic reaction, what diverges on the other side of
//! zero) carries the error along until it is large. So on the way back it is asked, with every digit that a state gains, who made it
//! grow: the derivatives are evaluated once more with all such small states at zero. What is left then is the work of others, in which
//! the error has no part: `x' = w + a*x` multiplies an error by `exp(a*t)`, and `x` by more. A mass that a spring tears off knows its
//! speed before friction, which falls with the speed, takes over. Where a state comes back with fewer digits than it should have, it
//! grew by itself, and all that follows depends on digits nobody has computed. What this does not see: a vibration that
//! builds up from nothing, for in it one state hands on to the other what it had.
//!
//! Error tests do not see what happens below tolerances, and an implicit step that is long enough holds what leaves zero, however
//! fast it does. The classical iteration often sees that by its matrix (`kausal_solver::classical`); inlined steps have none, and
//! the past of multistep methods hides it. So a step in which a state below its tolerance would have multiplied itself is taken
//! back and made shorter.

use kausal_solver::OdeModel;
use kausal_symbolic::VarId;
use serde::{Deserialize, Serialize};

use super::{RightSide, Run, RunError};

/// A state is small where one tolerance is so many times its share of the state. What is left of the digits there is what comes
/// back if nothing comes in from outside: an error of that many tolerances.
const SMALL: f64 = 100.0;
/// A digit: so many times as large a state is looked at again, and has come back where it was small.
const DIGIT: f64 = 10.0;
/// A step in which this was seen to be harmless makes the time to the next look twice as long, up to so many steps.
const MAX_TRUST: u32 = 32;

/// What is known of small states.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Emerging {
    /// What is known of each state, and the steps up to now.
    states: Vec<Smallness>,
    steps: u64,
    /// Implicit steps until one is looked at again, and how many it was the last time.
    wait: u32,
    trust: u32,
    /// States that grew by themselves, and when.
    found: Vec<(usize, f64)>,
}

/// When a state has been small: from a step up to another one, the last time. It may come back, until it has.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Smallness {
    since: u64,
    until: u64,
    waits: bool,
    /// The smallest size it has had since then, at least its tolerance.
    floor: f64,
    /// The size at which it was asked for the last time who made it grow.
    asked: f64,
    /// The size at which one tolerance would be its relative error: that at which it was smallest, times the growth since then that
    /// is that of others.
    known: f64,
    /// The size that must be known of it when it comes back.
    enough: f64,
}

impl Smallness {
    /// It has this size now, and this share of its derivative is that of others: what is known of it. Others act as much as before,
    /// itself in proportion to its size: `exp(a*t)` is the factor of its size divided by this one.
    fn grow(&mut self, size: f64, outside: f64) -> f64 {
        self.known *= 1.0 + outside * ((size / self.asked).max(1.0) - 1.0);
        self.asked = size;
        self.known
    }
}

/// A state that has gained a digit since it was smallest, or since it was asked for the last time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gain {
    state: usize,
    /// Is it as large now as what has come back?
    back: bool,
}

impl Emerging {
    /// Looks at the states at the end of a step: those that have gained a digit. Tolerances are this part of the sizes of states.
    fn pass(&mut self, x: &[f64], dx: &[f64], tolerances: &[f64], part: f64) -> Vec<Gain> {
        self.states.resize(x.len(), Smallness::default());
        self.steps += 1;
        let now = self.steps;
        let mut gains = Vec::new();
        // A tolerance near one has no digits to lose.
        let small = (1.0 / (SMALL * part)).max(1.0);
        for (i, (((state, x), dx), tolerance)) in
            self.states.iter_mut().zip(x).zip(dx).zip(tolerances).enumerate()
        {
            let size = x.abs();
            if size < small * tolerance {
                if !state.waits || state.until + 1 < now {
                    (state.since, state.floor) = (now, f64::INFINITY);
                }
                (state.until, state.waits) = (now, true);
                let size = size.max(*tolerance);
                if size < state.floor {
                    (state.floor, state.asked, state.known) = (size, size, size);
                }
            }
            state.enough = small * tolerance;
            let grows = state.waits && x * dx > 0.0 && state.known < state.enough;
            let back = size > DIGIT * small * tolerance;
            state.waits &= !back;
            if grows && (back || size > DIGIT * state.asked) {
                gains.push(Gain { state: i, back });
            }
        }
        gains
    }

    /// The states that were small as long as one that has come back, of which as little is known: it may have grown with them.
    /// Others were there when it began to grow, or came later.
    fn companions(&self, back: usize) -> Vec<bool> {
        let Smallness { since, until, .. } = self.states[back];
        let small = |s: &Smallness| s.until > 0 && s.since <= since && s.until >= until;
        let unknown = |s: &Smallness| s.known < s.enough;
        self.states.iter().enumerate().map(|(i, s)| i == back || small(s) && unknown(s)).collect()
    }

    /// Other states were selected: nothing is known of them.
    pub(super) fn forget(&mut self) {
        self.states.clear();
    }
}

impl Run {
    /// Notes the states that have grown out of their tolerances by themselves at the end of a step.
    pub(super) fn note_emerging(&mut self, t: f64) -> Result<(), RunError> {
        let Some(solver) = self.solver.as_mut() else { return Ok(()) };
        let weights = solver.weights();
        let gains = self.emerging.pass(solver.x(), solver.dx(), weights.absolutes(), weights.relative());
        if gains.is_empty() {
            return Ok(());
        }
        let (x, dx) = (solver.x().to_vec(), solver.dx().to_vec());
        let side = solver.model_mut().model_mut();
        for Gain { state, back } in gains {
            if self.emerging.found.iter().any(|(known, _)| *known == state) {
                continue;
            }
            let Some(growth) = growth(side, t, (&x, &dx), state, &self.emerging.companions(state)) else {
                // What cannot be evaluated says nothing.
                self.emerging.states[state].known = f64::INFINITY;
                continue;
            };
            let small = &mut self.emerging.states[state];
            if small.grow(x[state].abs(), growth.outside) < small.enough && back {
                self.emerging.found.extend(growth.states.into_iter().map(|i| (i, t)));
            }
        }
        Ok(())
    }

    /// Has an implicit step from `before` held a state below its tolerance that would have multiplied itself in it? Then it is taken
    /// back, and made shorter.
    pub(super) fn holds_what_grows(&mut self, before: f64, end: f64) -> Result<bool, RunError> {
        let Some(solver) = self.solver.as_mut() else { return Ok(false) };
        let whole = solver.t() == end && solver.t_old() == before;
        if solver.is_explicit() || !whole || self.settings.method.is_fixed_step() {
            return Ok(false);
        }
        let step = end - before;
        let (x, dx, tolerances) = (solver.x(), solver.dx(), solver.weights().absolutes());
        let fast = |i: &usize| {
            let (x, dx) = (x[*i], dx[*i]);
            x.abs() < tolerances[*i] && x * dx > 0.0 && step * dx.abs() > x.abs()
        };
        let rate = |i: &usize| dx[*i] / x[*i];
        let fastest = (0..x.len()).filter(fast).max_by(|i, j| rate(i).total_cmp(&rate(j)));
        let Some(fastest) = fastest else { return Ok(false) };
        self.emerging.wait = self.emerging.wait.saturating_sub(1);
        if self.emerging.wait > 0 {
            return Ok(false);
        }
        // What of its derivative is its own: the difference that one tolerance of it makes.
        let (x, tolerance) = (x.to_vec(), tolerances[fastest].copysign(x[fastest]));
        let side = solver.model_mut().model_mut();
        let mut slope_with = |value: f64| {
            let (mut other, mut slopes) = (x.clone(), vec![0.0; x.len()]);
            other[fastest] = value;
            side.rhs(end, &other, &mut slopes).ok().map(|()| slopes[fastest])
        };
        let (with, without) = (slope_with(tolerance), slope_with(0.0));
        // The machine is left at the solution.
        slope_with(x[fastest]);
        let rate = with.zip(without).map_or(0.0, |(with, without)| (with - without) / tolerance);
        if rate * step > 1.0 {
            self.emerging.trust = 0;
            self.shorten_step(before, before + 0.5 / rate)?;
            return Ok(true);
        }
        self.emerging.trust = (2 * self.emerging.trust).clamp(1, MAX_TRUST);
        self.emerging.wait = self.emerging.trust;
        Ok(false)
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

/// How a state grows.
struct Growth {
    /// The share of those that are not small with it, between zero and one.
    outside: f64,
    /// Those of its group that were small with it and grow, too.
    states: Vec<usize>,
}

/// Who makes a state at `x` grow? Others account for what is left of the growth when it is zero together with those of its group that
/// were small with it and grow as it does: for that of the one they act on. One that shrinks meanwhile hands on what it had, as in a
/// vibration. None: the model cannot be evaluated without them. The machine is left at `x`.
fn growth(
    side: &mut RightSide,
    t: f64,
    (x, dx): (&[f64], &[f64]),
    back: usize,
    small: &[bool],
) -> Option<Growth> {
    let group = |i: usize| side.sizes.get(i).map_or(0, |(group, _)| *group);
    let grows = |&i: &usize| small[i] && group(i) == group(back) && x[i] * dx[i] > 0.0;
    let states: Vec<usize> = (0..x.len()).filter(grows).collect();
    let (mut all, mut without) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let mut others = x.to_vec();
    states.iter().for_each(|&i| others[i] = 0.0);
    let known = side.rhs(t, &others, &mut without).is_ok();
    if side.rhs(t, x, &mut all).is_err() || !known {
        return None;
    }
    let shares = states.iter().map(|&i| (without[i] / all[i]).clamp(0.0, 1.0));
    let outside = shares.fold(0.0, f64::max);
    Some(Growth { outside, states })
}

#[cfg(test)]
mod tests {
    use super::{Emerging, Gain, Smallness};

    fn gain(state: usize, back: bool) -> Gain {
        Gain { state, back }
    }

    /// Tolerances of a millionth: a state below a hundredth of its size is small.
    #[test]
    fn states_come_back_once() {
        let mut small = Emerging::default();
        let mut pass = |x: &[f64]| {
            let gains = small.pass(x, x, &[1e-6, 1e-6], 1e-6);
            gains.iter().for_each(|gain| _ = small.states[gain.state].grow(x[gain.state].abs(), 0.0));
            gains
        };
        assert_eq!(pass(&[1.0, 0.0]), []);
        assert_eq!(pass(&[1e-7, 0.05]), [gain(1, false)]);
        assert_eq!(pass(&[-0.2, 0.05]), [gain(0, true)]);
        assert_eq!(pass(&[-1.0, 0.2]), [gain(1, true)]);
        assert_eq!(pass(&[1.0, -1.0]), []);
    }

    /// Each digit on the way back is looked at once; what fell again begins again.
    #[test]
    fn every_digit_is_asked_for() {
        let mut small = Emerging::default();
        let mut pass = |x: f64| {
            let gains = small.pass(&[x], &[x], &[1e-6], 1e-6);
            gains.iter().for_each(|_| _ = small.states[0].grow(x, 0.0));
            gains
        };
        assert_eq!(pass(1e-5), []);
        assert_eq!(pass(5e-5), []);
        assert_eq!(pass(2e-4), [gain(0, false)]);
        assert_eq!(pass(3e-4), []);
        assert_eq!(pass(4e-3), [gain(0, false)]);
        assert_eq!(pass(1e-6), []);
        assert_eq!(pass(2e-5), [gain(0, false)]);
        assert_eq!(pass(0.2), [gain(0, true)]);
    }

    /// What came from outside is known until the state is smaller than it was.
    #[test]
    fn what_was_driven_is_known() {
        let mut small = Emerging::default();
        small.pass(&[1e-4], &[1e-4], &[1e-6], 1e-6);
        assert_eq!(small.pass(&[2e-3], &[2e-3], &[1e-6], 1e-6), [gain(0, false)]);
        small.states[0].known = 0.02;
        assert_eq!(small.pass(&[9e-3], &[9e-3], &[1e-6], 1e-6), []);
        assert_eq!(small.pass(&[5e-4], &[5e-4], &[1e-6], 1e-6), []);
        assert_eq!(small.pass(&[0.05], &[0.05], &[1e-6], 1e-6), []);
        assert_eq!(small.pass(&[0.2], &[0.2], &[1e-6], 1e-6), []);
        assert_eq!(small.pass(&[1e-5], &[1e-5], &[1e-6], 1e-6), []);
        assert_eq!(small.pass(&[0.2], &[0.2], &[1e-6], 1e-6), [gain(0, true)]);
    }

    /// What shrinks again is not asked.
    #[test]
    fn only_what_grows_is_looked_at() {
        let mut small = Emerging::default();
        assert_eq!(small.pass(&[1e-6], &[1.0], &[1e-6], 1e-6), []);
        assert_eq!(small.pass(&[1e-3], &[-1.0], &[1e-6], 1e-6), []);
        assert_eq!(small.pass(&[1e-3], &[1.0], &[1e-6], 1e-6), [gain(0, false)]);
    }

    /// `x' = 1 + 3*x` multiplies errors by `exp(3*t)`, however often it is looked at.
    #[test]
    fn known_is_what_errors_leave() {
        let solution = |t: f64| 1e-6 * (3.0 * t).exp() + (3.0 * t).exp_m1() / 3.0;
        let mut state = Smallness { asked: 1e-6, known: 1e-6, ..Smallness::default() };
        for t in [1e-4, 1e-2, 0.5, 2.0] {
            let x = solution(t);
            let relative = 1e-6 / state.grow(x, 1.0 / (1.0 + 3.0 * x));
            let exact = 1e-6 * (3.0 * t).exp() / x;
            assert!((relative / exact - 1.0).abs() < 1e-12, "{t}: {relative} and not {exact}");
        }
    }

    /// The first is small when the second comes back, but was not when that became small.
    #[test]
    fn what_is_small_for_a_moment_is_no_companion() {
        let mut small = Emerging::default();
        let mut pass = |x: &[f64]| {
            let gains = small.pass(x, x, &[1e-6; 3], 1e-6);
            gains
                .into_iter()
                .filter(|gain| gain.back)
                .map(|gain| small.companions(gain.state))
                .collect::<Vec<_>>()
        };
        assert!(pass(&[0.05, 1e-3, 1e-3]).is_empty());
        assert_eq!(pass(&[1e-3, 0.2, 2e-3]), [[false, true, true]]);
        assert_eq!(pass(&[1e-3, 0.2, 0.2]), [[false, false, true]]);
    }

    /// A tenth: what is known at all is known.
    #[test]
    fn loose_tolerances_lose_no_digits() {
        let mut small = Emerging::default();
        assert_eq!(small.pass(&[0.2], &[0.2], &[0.1], 0.1), []);
        assert_eq!(small.pass(&[3.0], &[3.0], &[0.1], 0.1), []);
    }
}
