//! What must come out, and how far from it is allowed.
//!
//! A run is made twice with different fineness; where the two disagree by more than a tenth of what is allowed the model is
//! left out. Two more runs get a disturbance of the size of the tolerance again and again, once always upwards and once with
//! random signs, and one has derivatives that are off by the tolerance throughout (a defect, which shifts phases): how far
//! they stray is how far a simulator may stray that makes an error of the size of the tolerance in its steps. That makes one
//! constant serve all families, and unstable models are not called wrong.

use std::time::Duration;

use super::drive::{Course, Doubt, Event, Kicks, Plan, follow};
use super::hybrid::Hybrid;
use crate::random::Random;

/// A small multiple of the tolerance: what is allowed beside the error that the disturbed runs show. Integrators control an
/// estimate of the error of a step, in a mean over the states (a factor of 2 for 5 states), which is right to a factor of
/// some units where higher derivatives change quickly, and interpolate between their steps.
pub const MULTIPLE: f64 = 20.0;
/// The tolerance up to which [`MULTIPLE`] is counted in tolerances. Below it steps become more: an integrator of order 5 makes
/// `tolerance^(-1/5)` times as many, each with an error of the size of the tolerance, and that many more errors add up.
const LOOSE: f64 = 1e-3;
/// How far the disturbed runs stray counts so many times: they are disturbed up to [`KICKS`] times, while integrators make up
/// to some thousand steps.
pub const DIVERGENCE: f64 = 5.0;
/// At most so many disturbances of random signs in a run.
const KICKS: f64 = 100.0;
/// Fewer where all go the same way: errors of steps are not all of one sign.
const UPWARD_KICKS: f64 = 30.0;
/// Signals that may be wrong by more than this part of their size tell nothing.
const TELLING: f64 = 0.3;
/// A signal that is smaller than this part of what is usual for its quantity in the model is measured by that part: the leakage
/// voltage of a blocked branch is no result.
const FAINT: f64 = 1e-3;

/// What kind of values a signal has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// Compared with a tolerance.
    Real,
    /// Booleans and Integers: equal or wrong.
    Whole,
}

/// The truth about a run.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Instants of results.
    pub times: Vec<f64>,
    /// Values by instant and signal.
    pub values: Vec<Vec<f64>>,
    /// How far off is allowed, by instant and signal.
    pub allowed: Vec<Vec<f64>>,
    /// Sizes of the signals.
    pub scales: Vec<f64>,
    /// Switches, each with how far it may be away.
    pub events: Vec<(Event, f64)>,
}

/// The truth of a model at the instants given, for a simulator with this tolerance.
pub fn certain(
    model: &dyn Hybrid,
    signals: &[Signal],
    times: &[f64],
    tolerance: f64,
    limit: Duration,
) -> Result<Truth, Doubt> {
    let stop = times.last().copied().unwrap_or(0.0);
    let pace = model.pace();
    let tolerance = tolerance * (LOOSE / tolerance).powf(0.2).max(1.0);
    let coarse_tolerance = (1e-2 * tolerance).clamp(1e-10, 1e-7);
    let plan =
        Plan { stop, times, longest: pace, tolerance: coarse_tolerance, defect: 0.0, kicks: None, limit };
    let coarse = follow(model, &plan)?;
    let fine_plan = Plan { longest: 0.43 * pace, tolerance: 0.1 * coarse_tolerance, ..plan.clone() };
    let fine = follow(model, &fine_plan)?;
    let every = (2.0 * pace).max(stop / UPWARD_KICKS);
    let kicks = Kicks { size: tolerance, scales: fine.largest.clone(), every, signs: None };
    let upward = follow(model, &Plan { kicks: Some(kicks.clone()), ..plan.clone() })?;
    let every = (2.0 * pace).max(stop / KICKS);
    let kicks = Kicks { signs: Some(Random::new(7)), every, ..kicks };
    let jittered = follow(model, &Plan { kicks: Some(kicks), ..plan.clone() })?;
    let slowed = follow(model, &Plan { defect: -tolerance, ..plan.clone() })?;
    judge(model, signals, times, tolerance, fine, &coarse, &[upward, jittered, slowed])
}

fn judge(
    model: &dyn Hybrid,
    signals: &[Signal],
    times: &[f64],
    tolerance: f64,
    fine: Course,
    coarse: &Course,
    disturbed: &[Course],
) -> Result<Truth, Doubt> {
    let stop = times.last().copied().unwrap_or(0.0);
    let common = model.signal_sizes();
    let scales: Vec<f64> = (0..signals.len())
        .map(|s| fine.values.iter().map(|v| v[s].abs()).fold(FAINT * common[s], f64::max))
        .collect();
    // Only events at which a signal jumps blur what is right beside them.
    let jumps = |course: &Course| -> Vec<Event> {
        let jump = |e: &Event| {
            (0..signals.len()).any(|s| (e.after[s] - e.before[s]).abs() > MULTIPLE * tolerance * scales[s])
        };
        course.events.iter().filter(|e| jump(e)).cloned().collect()
    };
    let others: Vec<Vec<Event>> = disturbed.iter().map(jumps).collect();
    let fine_events = jumps(&fine);
    let shifts = event_shifts(&fine_events, &jumps(coarse), &others, stop)?;
    let least = tolerance * model.pace() + 1e-9 * stop;
    let reach: Vec<f64> = shifts.iter().map(|s| DIVERGENCE * s + least).collect();
    let events: Vec<(Event, f64)> = fine_events.into_iter().zip(reach.iter().copied()).collect();
    let near = |t: f64| events.iter().any(|(e, w)| (e.time - t).abs() <= *w);
    let sizes = model.sizes();
    let mut strays = vec![vec![0.0f64; signals.len()]; times.len()];
    for k in 0..times.len() {
        if near(times[k]) {
            continue;
        }
        for s in 0..signals.len() {
            let most = disturbed.iter().map(|d| (d.values[k][s] - fine.values[k][s]).abs());
            strays[k][s] = most.fold(0.0, f64::max);
        }
        // What an error in a state makes of the signals at once.
        let algebraic = model.algebraic();
        for i in (0..sizes.len()).filter(|&i| sizes[i] > 0.0 && !algebraic[i]) {
            for sign in [-1.0, 1.0] {
                let mut state = fine.states[k].clone();
                state.x[i] += sign * tolerance * fine.largest[i];
                let moved = model.outputs(times[k], &state);
                for s in 0..signals.len() {
                    strays[k][s] = strays[k][s].max((moved[s] - fine.values[k][s]).abs());
                }
            }
        }
    }
    let width = 0.05 * stop;
    let mut allowed = vec![vec![0.0; signals.len()]; times.len()];
    for s in 0..signals.len() {
        let (mut from, mut to) = (0, 0);
        for k in 0..times.len() {
            while times[from] < times[k] - width {
                from += 1;
            }
            while to < times.len() && times[to] <= times[k] + width {
                to += 1;
            }
            let stray = strays[from..to].iter().map(|v| v[s]).fold(0.0, f64::max);
            allowed[k][s] = match signals[s] {
                Signal::Real => MULTIPLE * tolerance * scales[s] + DIVERGENCE * stray,
                Signal::Whole => 0.01 + DIVERGENCE * stray,
            };
        }
    }
    for k in (0..times.len()).filter(|&k| !near(times[k])) {
        for s in 0..signals.len() {
            if !((coarse.values[k][s] - fine.values[k][s]).abs() <= 0.1 * allowed[k][s] + 1e-300) {
                return Err(Doubt::Disagrees);
            }
        }
    }
    let tells = |s: usize| {
        let least = if signals[s] == Signal::Whole { 0.5 } else { TELLING * scales[s] };
        let vague = allowed.iter().filter(|a| a[s] > least).count();
        5 * vague <= times.len() && scales[s] > 0.0
    };
    if !(0..signals.len()).any(tells) {
        return Err(Doubt::Sensitive);
    }
    Ok(Truth { times: times.to_vec(), values: fine.values, allowed, scales, events })
}

/// How far each event moves in the other runs.
fn event_shifts(
    fine: &[Event],
    coarse: &[Event],
    disturbed: &[Vec<Event>],
    stop: f64,
) -> Result<Vec<f64>, Doubt> {
    let mut shifts = vec![0.0f64; fine.len()];
    for (other, doubt) in std::iter::once((coarse, Doubt::Disagrees))
        .chain(disturbed.iter().map(|d| (d.as_slice(), Doubt::Sensitive)))
    {
        let (ours, theirs) = (fine, other);
        let common = ours.len().min(theirs.len());
        for k in 0..common {
            shifts[k] = shifts[k].max((ours[k].time - theirs[k].time).abs());
        }
        // Events at the very end may happen in one run only.
        let farthest = shifts[..common].iter().copied().fold(1e-9 * stop, f64::max);
        let longer = if ours.len() > theirs.len() { ours } else { theirs };
        if longer[common..].iter().any(|e| stop - e.time > 10.0 * farthest) {
            return Err(doubt);
        }
        let late = shifts[common..].iter_mut();
        late.for_each(|s| *s = s.max(farthest));
    }
    Ok(shifts)
}
