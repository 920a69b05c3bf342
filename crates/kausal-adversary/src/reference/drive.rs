//! Follows a hybrid system through time: short steps, guards at the ends and in the middle of each, bisection from the
//! step's beginning where one has become positive, so that no interpolation enters.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::hybrid::{Cause, Hybrid, Method, State};
use super::{exponential, extrapolation, radau};
use crate::random::Random;

/// Why the reference does not answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// Events follow each other without end.
    Chattering(f64),
    /// A step cannot be made.
    Stuck(f64),
    /// It takes too long.
    Slow,
    /// Two runs of different fineness do not agree.
    Disagrees,
    /// Errors of the size of the tolerance change the result altogether.
    Sensitive,
}

/// Disturbances all along the run.
#[derive(Clone, Debug)]
pub struct Kicks {
    /// Relative to the sizes of the states.
    pub size: f64,
    /// Sizes of the states.
    pub scales: Vec<f64>,
    /// How far apart.
    pub every: f64,
    /// Signs; without it all are positive.
    pub signs: Option<Random>,
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// Where it ends.
    pub stop: f64,
    /// Instants of results, increasing, the first at 0 or later.
    pub times: &'a [f64],
    /// The longest step.
    pub longest: f64,
    /// Error per step, relative to the sizes of the states.
    pub tolerance: f64,
    /// Derivatives are larger by this part: a defect of the solution.
    pub defect: f64,
    /// Disturbances, if any.
    pub kicks: Option<Kicks>,
    /// Longer is too slow.
    pub limit: Duration,
}

/// A switch, with the signals before and after it.
#[derive(Clone, Debug)]
pub struct Event {
    /// When.
    pub time: f64,
    /// Signals before it.
    pub before: Vec<f64>,
    /// Signals after it.
    pub after: Vec<f64>,
}

/// A run of the reference.
#[derive(Clone, Debug)]
pub struct Course {
    /// Signals at the instants of the plan.
    pub values: Vec<Vec<f64>>,
    /// States there.
    pub states: Vec<State>,
    /// Switches.
    pub events: Vec<Event>,
    /// The largest magnitude of each state.
    pub largest: Vec<f64>,
}

/// Switches at one instant; more is an endless loop.
const CHAIN: usize = 200;
/// Events within one step's length; more is chattering or an accumulation point.
const BURST: usize = 1000;

/// Follows the system.
pub fn follow(model: &dyn Hybrid, plan: &Plan) -> Result<Course, Doubt> {
    let mut run = Run::new(model, plan);
    run.go()
}

struct Run<'a> {
    model: &'a dyn Hybrid,
    plan: &'a Plan<'a>,
    sizes: Vec<f64>,
    algebraic: Vec<bool>,
    largest: Vec<f64>,
    /// The last length of a part of a step that was accurate enough.
    part: f64,
    cache: HashMap<(Vec<i64>, u64), Vec<Vec<f64>>>,
    events: Vec<Event>,
    guards: Vec<f64>,
    began: Instant,
    signs: Option<Random>,
}

impl<'a> Run<'a> {
    fn new(model: &'a dyn Hybrid, plan: &'a Plan<'a>) -> Self {
        let sizes = model.sizes();
        Run {
            model,
            plan,
            largest: vec![0.0; sizes.len()],
            sizes,
            algebraic: model.algebraic(),
            part: plan.longest,
            cache: HashMap::new(),
            events: Vec::new(),
            guards: Vec::new(),
            began: Instant::now(),
            signs: plan.kicks.as_ref().and_then(|k| k.signs.clone()),
        }
    }

    fn go(&mut self) -> Result<Course, Doubt> {
        let plan = self.plan;
        let mut state = self.model.start();
        let mut t = 0.0;
        let (mut values, mut states) = (Vec::new(), Vec::new());
        let mut next_kick = plan.kicks.as_ref().map_or(f64::INFINITY, |k| 0.37 * k.every);
        // The start: guards decide, and nothing counts as an event.
        self.settle(t, &mut state)?;
        self.events.clear();
        self.note(&state.x);
        let mut burst = (0.0, 0);
        loop {
            while values.len() < plan.times.len() && plan.times[values.len()] <= t {
                values.push(self.model.outputs(t, &state));
                states.push(state.clone());
            }
            if t >= plan.stop || values.len() == plan.times.len() {
                break;
            }
            if self.began.elapsed() > plan.limit {
                return Err(Doubt::Slow);
            }
            let instant = self.model.next_instant(t, &state);
            let output = plan.times.get(values.len()).copied().unwrap_or(plan.stop);
            let target = output.min(plan.stop).min(instant).min(next_kick);
            let end = if target - t <= 1.001 * plan.longest { target } else { t + plan.longest };
            let known = self.events.len();
            let (reached, switched) = self.step(t, end, &mut state)?;
            t = reached;
            self.note(&state.x);
            if !switched && t == instant {
                let before = self.model.outputs(t, &state);
                self.model.switch(t, &mut state, Cause::Instant);
                self.record(t, before, &state);
                self.settle(t, &mut state)?;
            }
            if !switched && t == next_kick {
                self.kick(&mut state);
                next_kick += plan.kicks.as_ref().map_or(f64::INFINITY, |k| k.every);
                self.settle(t, &mut state)?;
            }
            if self.events.len() > known {
                burst = if t - burst.0 > plan.longest { (t, 0) } else { (burst.0, burst.1 + 1) };
                if burst.1 > BURST {
                    return Err(Doubt::Chattering(t));
                }
            }
        }
        Ok(Course { values, states, events: std::mem::take(&mut self.events), largest: self.largest.clone() })
    }

    fn note(&mut self, x: &[f64]) {
        self.largest.iter_mut().zip(x).for_each(|(l, x)| *l = l.max(x.abs()));
    }

    fn record(&mut self, time: f64, before: Vec<f64>, state: &State) {
        let after = self.model.outputs(time, state);
        self.events.push(Event { time, before, after });
    }

    fn kick(&mut self, state: &mut State) {
        let Some(kicks) = &self.plan.kicks else { return };
        for i in 0..state.x.len() {
            if self.sizes[i] > 0.0 && !self.algebraic[i] {
                let down = self.signs.as_mut().is_some_and(|random| random.unit() < 0.5);
                let sign = if down { -1.0 } else { 1.0 };
                state.x[i] += sign * kicks.size * kicks.scales[i];
            }
        }
    }

    fn positive(&mut self, t: f64, d: &[i64], x: &[f64]) -> Option<usize> {
        self.guards.clear();
        self.model.guards(t, d, x, &mut self.guards);
        self.guards.iter().position(|g| *g > 0.0)
    }

    /// Switches until no guard is positive.
    fn settle(&mut self, t: f64, state: &mut State) -> Result<(), Doubt> {
        for _ in 0..CHAIN {
            let Some(k) = self.positive(t, &state.d, &state.x) else { return Ok(()) };
            let before = self.model.outputs(t, state);
            self.model.switch(t, state, Cause::Guard(k));
            self.record(t, before, state);
        }
        Err(Doubt::Chattering(t))
    }

    /// One step, or up to the first guard in it. Where it ended, and whether there was a switch.
    fn step(&mut self, t: f64, end: f64, state: &mut State) -> Result<(f64, bool), Doubt> {
        let mut end = end;
        for _ in 0..30 {
            let h = end - t;
            self.guards.clear();
            self.model.guards(t, &state.d, &state.x, &mut self.guards);
            let first = self.guards.clone();
            if first.is_empty() {
                state.x = self.advance(t, &state.x, &state.d, h)?;
                return Ok((end, false));
            }
            let half = self.advance(t, &state.x, &state.d, 0.5 * h)?;
            if self.positive(t + 0.5 * h, &state.d, &half).is_some() {
                return self.locate(t, 0.5 * h, state);
            }
            let middle = self.guards.clone();
            let last_x = self.advance(t + 0.5 * h, &half, &state.d, 0.5 * h)?;
            if self.positive(end, &state.d, &last_x).is_some() {
                return self.locate(t, h, state);
            }
            // A parabola through the three values that comes near zero asks for shorter steps: nothing may hide in between.
            let hides = first.iter().zip(&middle).zip(&self.guards).any(|((a, m), b)| {
                let (slope, bend) = (b - a, 2.0 * (a + b - 2.0 * m));
                let at = -slope / (2.0 * bend);
                bend < 0.0 && at.abs() < 0.5 && {
                    let top = m + slope * at + bend * at * at;
                    top > -0.2 * (top - a.min(*b)).abs() && *m < 0.0
                }
            });
            if !hides || h < 0.02 * self.plan.longest {
                state.x = last_x;
                return Ok((end, false));
            }
            end = t + 0.5 * h;
        }
        Err(Doubt::Stuck(t))
    }

    /// The first instant in `(t, t + h]` with a positive guard, by bisection; the switches there.
    fn locate(&mut self, t: f64, h: f64, state: &mut State) -> Result<(f64, bool), Doubt> {
        let (mut low, mut high) = (0.0, h);
        let mut at_high = self.advance(t, &state.x, &state.d, h)?;
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if t + middle <= t + low || t + middle >= t + high {
                break;
            }
            let x = self.advance(t, &state.x, &state.d, middle)?;
            if self.positive(t + middle, &state.d, &x).is_some() {
                high = middle;
                at_high = x;
            } else {
                low = middle;
            }
        }
        state.x = at_high;
        self.settle(t + high, state)?;
        Ok((t + high, true))
    }

    fn advance(&mut self, t: f64, x: &[f64], d: &[i64], h: f64) -> Result<Vec<f64>, Doubt> {
        if h <= 0.0 {
            return Ok(x.to_vec());
        }
        if self.model.method() == Method::Exponential {
            let key = (d.to_vec(), h.to_bits());
            if !self.cache.contains_key(&key) {
                let mut flow = self.model.affine(d).ok_or(Doubt::Stuck(t))?;
                for i in (0..x.len()).filter(|&i| self.sizes[i] > 0.0) {
                    flow.a[i].iter_mut().for_each(|a| *a *= 1.0 + self.plan.defect);
                    flow.b[i] *= 1.0 + self.plan.defect;
                }
                if self.cache.len() > 200 {
                    self.cache.clear();
                }
                self.cache.insert(key.clone(), exponential::propagator(&flow, h));
            }
            return self.cache.get(&key).map(|p| exponential::apply(p, x)).ok_or(Doubt::Stuck(t));
        }
        let (mut done, mut x) = (0.0, x.to_vec());
        let mut part = self.part.min(h);
        while done < h {
            if self.began.elapsed() > self.plan.limit {
                return Err(Doubt::Slow);
            }
            let left = h - done;
            let length = if part >= 0.999 * left { left } else { part.min(0.5 * left) };
            let (tried, error) = self.try_step(t + done, &x, d, length);
            if error <= 1.0 {
                x = tried;
                done = if length == left { h } else { done + length };
                if length == part {
                    self.part = part;
                }
            }
            // Order 5 (or 11): a cautious exponent for both.
            let factor = if error.is_finite() { 0.85 * error.max(1e-6).powf(-1.0 / 6.0) } else { 0.2 };
            part = length * factor.clamp(0.2, 3.0);
            if error <= 1.0 {
                self.part = part.max(self.part.min(h));
            }
            if error > 1.0 && part <= 1e-14 * (t.abs() + h) {
                return Err(Doubt::Stuck(t + done));
            }
        }
        Ok(x)
    }

    /// A step and its error in units of what is allowed.
    fn try_step(&self, t: f64, x: &[f64], d: &[i64], h: f64) -> (Vec<f64>, f64) {
        let rate = |t: f64, x: &[f64], dx: &mut [f64]| {
            self.model.rate(t, d, x, dx);
            for i in (0..x.len()).filter(|&i| self.sizes[i] > 0.0 && !self.algebraic[i]) {
                dx[i] *= 1.0 + self.plan.defect;
            }
        };
        let judge = |x: &[f64], error: &mut dyn Iterator<Item = f64>| {
            let mut worst: f64 = 0.0;
            for (i, error) in error.enumerate() {
                let size = self.largest[i].max(x[i].abs()).max(1e-3 * self.sizes[i]).max(1e-300);
                let part = error / (self.plan.tolerance * size);
                worst = if part.is_finite() { worst.max(part) } else { f64::INFINITY };
            }
            worst
        };
        if self.model.method() == Method::Extrapolation {
            let (next, error) = extrapolation::step(&rate, t, x, h);
            let worst = judge(x, &mut error.into_iter());
            return (next, worst);
        }
        let sizes: Vec<f64> = self.sizes.iter().zip(&self.largest).map(|(s, l)| s.max(*l)).collect();
        let equations = radau::Equations { f: &rate, algebraic: &self.algebraic, sizes: &sizes };
        let whole = equations.step(t, x, h);
        let halves =
            equations.step(t, x, 0.5 * h).and_then(|middle| equations.step(t + 0.5 * h, &middle, 0.5 * h));
        match (whole, halves) {
            (Some(whole), Some(halves)) => {
                let worst = judge(x, &mut whole.iter().zip(&halves).map(|(a, b)| (a - b).abs() / 31.0));
                (halves, worst)
            }
            _ => (x.to_vec(), f64::INFINITY),
        }
    }
}
