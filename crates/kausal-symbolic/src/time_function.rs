//! Functions of time: their value at an instant, and where value and slope lie over a span of time.
//!
//! A formula that reads `time` and otherwise only what is constant for a while (parameters, discrete variables between
//! events) is known for all of the future. [`TimeFunction`] evaluates such a formula on intervals of time, with its
//! derivative (interval arithmetic with automatic differentiation; Moore, Kearfott & Cloud, *Introduction to Interval
//! Analysis*, SIAM 2009, chapters 5 and 6), and [`TimeFunction::first_change`] finds the first instant at which it is on the
//! other side of zero by branch and bound: a span over which the enclosure stays on one side is skipped as a whole, one over
//! which the function is monotone is decided at its end, all others are halved. Nothing is sampled, so nothing is missed
//! between samples.
//!
//! Enclosures are not rounded outwards for sines: instants are found up to the rounding of time, which is coarser.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::interval::{self, Interval};
use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;

/// A formula of time, ready to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeFunction {
    parts: Vec<Part>,
    /// Places of operands among the parts.
    operands: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Number(f64),
    Held(VarId),
    Time,
    /// An operator on some of the operands; for powers, the exponent if it is a number.
    Operator(Op, u32, u32, Option<f64>),
}

/// Where a function and its derivative by time lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure {
    /// The function.
    pub value: Interval,
    /// Its derivative, where it has one; everything where it may jump.
    pub slope: Interval,
}

/// What [`TimeFunction::first_change`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// At this instant the function is on the other side, and before it is not.
    At(f64),
    /// There is none.
    None,
    /// There is none up to here; beyond it was too much work to say.
    NoneUntil(f64),
}

/// Spans that one search looks at: so many are a millisecond of work. Where they do not suffice, the function is sampled over this
/// part of the time ahead, at so many instants.
const MAX_SPANS: u32 = 1_000;
const SAMPLED_PART: f64 = 1e-3;
const SAMPLES: u32 = 64;

/// What is less than this part of the largest term of a sum is rounding: each operation errs by one unit.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

const ZERO: Interval = Interval { low: 0.0, high: 0.0, nonzero: false };
const UNIT: Interval = Interval { low: -1.0, high: 1.0, nonzero: false };

impl TimeFunction {
    /// The function that an expression is. `define` gives the formula of a variable that is computed from time; variables
    /// without one are constant for a while. `None` where the expression is no formula of numbers.
    pub fn new(pool: &Pool, expr: ExprId, define: &dyn Fn(VarId) -> Option<ExprId>) -> Option<TimeFunction> {
        let mut function = TimeFunction { parts: Vec::new(), operands: Vec::new() };
        let mut places: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut stack = vec![(expr, false)];
        while let Some((id, arguments_done)) = stack.pop() {
            if places.contains_key(&id) {
                continue;
            }
            let defined = match pool.node(id) {
                Node::Var(v) => define(v),
                _ => None,
            };
            if !arguments_done {
                stack.push((id, true));
                stack.extend(defined.iter().chain(pool.children(id)).map(|&child| (child, false)));
                continue;
            }
            let place = match (defined, pool.node(id)) {
                (Some(formula), _) => *places.get(&formula)?,
                (None, node) => {
                    let part = function.part(pool, node, &places)?;
                    function.parts.push(part);
                    function.parts.len() as u32 - 1
                }
            };
            places.insert(id, place);
        }
        // The last part is the function.
        let root = *places.get(&expr)? as usize;
        function.parts.truncate(root + 1);
        Some(function)
    }

    fn part(&mut self, pool: &Pool, node: Node, places: &FxHashMap<ExprId, u32>) -> Option<Part> {
        Some(match node {
            Node::Const(value) => Part::Number(value),
            Node::Var(v) => Part::Held(v),
            Node::Op(Op::Time, _) => Part::Time,
            Node::Op(op, _) if op.is_context_dependent() => return None,
            Node::Op(op, args) => {
                let from = self.operands.len() as u32;
                for arg in args {
                    self.operands.push(*places.get(arg)?);
                }
                let exponent = (op == Op::Pow).then(|| pool.as_constant(args[1])).flatten();
                Part::Operator(op, from, self.operands.len() as u32, exponent)
            }
            Node::Text(_) | Node::Call(..) | Node::Output(..) => return None,
        })
    }

    /// What it reads besides time.
    pub fn held(&self) -> impl Iterator<Item = VarId> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::Held(v) => Some(*v),
            _ => None,
        })
    }

    /// The places of all that is added to something.
    fn terms(&self) -> impl Iterator<Item = usize> + '_ {
        let sums = self.parts.iter().filter_map(|part| match part {
            &Part::Operator(Op::Add, from, to, _) => Some(from as usize..to as usize),
            _ => None,
        });
        sums.flat_map(|range| self.operands[range].iter().map(|&place| place as usize))
    }

    /// Does it read the clock at all?
    pub fn reads_time(&self) -> bool {
        self.parts.contains(&Part::Time)
    }

    /// Is there a periodic function in it?
    pub fn is_periodic(&self) -> bool {
        let periodic = |op: Op| {
            matches!(op, Op::Sin | Op::Cos | Op::Tan | Op::Floor | Op::Ceil | Op::Integer)
                || matches!(op, Op::Mod | Op::Rem | Op::IntegerDiv)
        };
        self.parts.iter().any(|part| matches!(part, Part::Operator(op, ..) if periodic(*op)))
    }

    /// Its value at an instant.
    pub fn value(&self, t: f64, held: &dyn Fn(VarId) -> f64) -> f64 {
        let mut results: Vec<f64> = Vec::with_capacity(self.parts.len());
        let mut arguments: Vec<f64> = Vec::new();
        for part in &self.parts {
            let result = match part {
                Part::Number(value) => *value,
                Part::Held(v) => held(*v),
                Part::Time => t,
                Part::Operator(op, from, to, _) => {
                    arguments.clear();
                    let operands = &self.operands[*from as usize..*to as usize];
                    arguments.extend(operands.iter().map(|&k| results[k as usize]));
                    op.eval(&arguments)
                }
            };
            results.push(result);
        }
        results.last().copied().unwrap_or(f64::NAN)
    }

    /// Where value and slope lie for all instants from `a` to `b`.
    pub fn enclose(&self, a: f64, b: f64, held: &dyn Fn(VarId) -> f64) -> Enclosure {
        self.enclose_in(a, b, held, &mut Vec::with_capacity(self.parts.len()))
    }

    /// The same with room to work in.
    pub fn enclose_in(
        &self,
        a: f64,
        b: f64,
        held: &dyn Fn(VarId) -> f64,
        results: &mut Vec<Enclosure>,
    ) -> Enclosure {
        results.clear();
        let mut arguments: SmallVec<[Enclosure; 4]> = SmallVec::new();
        let constant = |value: f64| Enclosure { value: point(value), slope: ZERO };
        for part in &self.parts {
            let result = match part {
                Part::Number(value) => constant(*value),
                Part::Held(v) => constant(held(*v)),
                Part::Time => Enclosure { value: Interval::new(a, b), slope: point(1.0) },
                Part::Operator(op, from, to, exponent) => {
                    arguments.clear();
                    let operands = &self.operands[*from as usize..*to as usize];
                    arguments.extend(operands.iter().map(|&k| results[k as usize]));
                    enclose(*op, &arguments, *exponent)
                }
            };
            results.push(result);
        }
        let nothing = Enclosure { value: Interval::ALL, slope: Interval::ALL };
        results.last().copied().unwrap_or(nothing)
    }

    /// The shortest time that a periodic function in it (`sin`, `mod`, `floor` and their kin) takes for a period at an instant;
    /// infinite where there is none. `results` is room to work in.
    pub fn shortest_period(&self, t: f64, held: &dyn Fn(VarId) -> f64, results: &mut Vec<Enclosure>) -> f64 {
        self.enclose_in(t, t, held, results);
        let mut shortest = f64::INFINITY;
        for part in &self.parts {
            let &Part::Operator(op, from, to, _) = part else { continue };
            let argument = |k: u32| self.operands[from as usize..to as usize].get(k as usize);
            let argument = |k: u32| argument(k).map(|&place| results[place as usize]);
            let turn = match op {
                Op::Sin | Op::Cos => TAU,
                Op::Tan => PI,
                Op::Floor | Op::Ceil | Op::Integer => 1.0,
                Op::Mod | Op::Rem | Op::IntegerDiv => argument(1).map_or(0.0, |a| a.value.low),
                _ => continue,
            };
            // What has no slope at this instant has one at the next.
            let speed = argument(0).map_or(0.0, |a| a.slope.low.abs().max(a.slope.high.abs()));
            let period = (turn / speed).abs();
            if period > 0.0 && speed.is_finite() {
                shortest = shortest.min(period);
            }
        }
        shortest
    }

    /// The parts whose shape steps have to follow: functions that are no straight lines, with all that jumps. Places among the
    /// results of [`TimeFunction::enclose_in`].
    pub fn shapes(&self) -> impl Iterator<Item = usize> + '_ {
        // Periods are told by `shortest_period`.
        let plain = |op: Op| {
            matches!(op, Op::Add | Op::Neg | Op::Mul | Op::NoEvent | Op::Smooth | Op::Sin | Op::Cos | Op::Tan)
        };
        let is_shape = move |part: &Part| matches!(part, Part::Operator(op, ..) if !plain(*op));
        self.parts.iter().enumerate().filter(move |(_, part)| is_shape(part)).map(|(place, _)| place)
    }

    /// The first instant after `from` and not after `to` at which `value < 0` (`value <= 0` with `or_equal`) is not `holds`, given
    /// that right behind `from` it is. Instants nearer to each other than `resolution` are the same.
    pub fn first_change(
        &self,
        from: f64,
        to: f64,
        holds: bool,
        or_equal: bool,
        resolution: f64,
        held: &dyn Fn(VarId) -> f64,
    ) -> Change {
        let at = |t: f64| {
            let value = self.value(t, held);
            (if or_equal { value <= 0.0 } else { value < 0.0 }) != holds && !value.is_nan()
        };
        let mut spans = vec![(from, to)];
        let mut looked = 0;
        let mut parts = Vec::with_capacity(self.parts.len());
        while let Some((a, b)) = spans.pop() {
            looked += 1;
            if looked > MAX_SPANS {
                return sampled(a, (a + SAMPLED_PART * (to - from)).min(to), to, resolution, at);
            }
            let Enclosure { value, slope } = self.enclose_in(a, b, held, &mut parts);
            let terms = self.terms().map(|place| size(parts[place].value)).fold(0.0, f64::max);
            if size(value) <= ROUNDING * terms {
                // Zero but for rounding: it stays where it is.
                continue;
            }
            let stays = match (holds, or_equal) {
                (true, true) => value.high <= 0.0,
                (true, false) => value.high < 0.0,
                (false, true) => value.low > 0.0,
                (false, false) => value.low >= 0.0,
            };
            if stays {
                continue;
            }
            let monotone = slope.low > 0.0 || slope.high < 0.0;
            let middle = 0.5 * (a + b);
            let resolved = b - a <= resolution || !(middle > a && middle < b);
            match (monotone || resolved, at(b)) {
                (true, false) => {}
                (true, true) => return Change::At(bisect(a, b, resolution, at)),
                (false, _) => spans.extend([(middle, b), (a, middle)]),
            }
        }
        Change::None
    }
}

/// The first of some instants in `(a, b]` at which a function has changed, located; `to` is where all ends.
fn sampled(a: f64, b: f64, to: f64, resolution: f64, changed: impl Fn(f64) -> bool) -> Change {
    let instant = |k: u32| a + (b - a) * f64::from(k) / f64::from(SAMPLES);
    match (1..=SAMPLES).find(|&k| changed(instant(k))) {
        Some(k) => Change::At(bisect(instant(k - 1), instant(k), resolution, changed)),
        None if b >= to => Change::None,
        None => Change::NoneUntil(b),
    }
}

/// The first instant in `(a, b]` at which a function that changes once has changed.
fn bisect(mut a: f64, mut b: f64, resolution: f64, changed: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = 0.5 * (a + b);
        if b - a <= resolution || !(middle > a && middle < b) {
            return b;
        }
        if changed(middle) {
            b = middle;
        } else {
            a = middle;
        }
    }
}

fn point(value: f64) -> Interval {
    if value.is_nan() { Interval::ALL } else { Interval::point(value) }
}

/// An operator on enclosures, by the rules of differentiation.
fn enclose(op: Op, args: &[Enclosure], exponent: Option<f64>) -> Enclosure {
    let values: SmallVec<[Interval; 4]> = args.iter().map(|a| a.value).collect();
    let value = range(op, &values, exponent);
    if args.iter().all(|a| a.slope == ZERO) {
        return Enclosure { value, slope: ZERO };
    }
    let times = |a: Interval, b: Interval| range(Op::Mul, &[a, b], None);
    let over = |a: Interval, b: Interval| range(Op::Div, &[a, b], None);
    let plus = |a: Interval, b: Interval| range(Op::Add, &[a, b], None);
    let minus = |a: Interval| range(Op::Neg, &[a], None);
    let square = |a: Interval| range(Op::Pow, &[a, Interval::point(2.0)], Some(2.0));
    let one = Interval::point(1.0);
    let slope = match (op, args) {
        (Op::Add, _) => args.iter().map(|a| a.slope).reduce(plus).unwrap_or(ZERO),
        (Op::Mul, _) => {
            let terms = (0..args.len()).map(|k| {
                let others = (0..args.len()).filter(|&j| j != k).map(|j| args[j].value);
                others.fold(args[k].slope, times)
            });
            terms.reduce(plus).unwrap_or(ZERO)
        }
        (Op::Neg, [a]) => minus(a.slope),
        (Op::Div, [a, b]) if b.slope == ZERO => over(a.slope, b.value),
        (Op::Div, [_, b]) if b.value.low <= 0.0 && b.value.high >= 0.0 => Interval::ALL,
        (Op::Div, [a, b]) => {
            over(plus(times(a.slope, b.value), minus(times(a.value, b.slope))), square(b.value))
        }
        (Op::Pow, [a, _]) if exponent.is_some() => {
            let n = exponent.unwrap_or(0.0);
            let lower = range(Op::Pow, &[a.value, point(n - 1.0)], Some(n - 1.0));
            times(times(point(n), lower), a.slope)
        }
        (Op::Sqrt, [a]) if a.value.low > 0.0 => over(a.slope, times(point(2.0), value)),
        (Op::Exp, [a]) => times(value, a.slope),
        (Op::Log, [a]) if a.value.low > 0.0 => over(a.slope, a.value),
        (Op::Sin, [a]) => times(range(Op::Cos, &[a.value], None), a.slope),
        (Op::Cos, [a]) => minus(times(range(Op::Sin, &[a.value], None), a.slope)),
        (Op::Atan, [a]) => over(a.slope, plus(one, square(a.value))),
        (Op::Tanh, [a]) => times(plus(one, minus(square(value))), a.slope),
        (Op::Sinh, [a]) => times(range(Op::Cosh, &[a.value], None), a.slope),
        (Op::Cosh, [a]) => times(range(Op::Sinh, &[a.value], None), a.slope),
        (Op::Abs, [a]) if a.value.low >= 0.0 => a.slope,
        (Op::Abs, [a]) if a.value.high <= 0.0 => minus(a.slope),
        (Op::Abs, [a]) => hull(a.slope, minus(a.slope)),
        (Op::Min, [a, b]) if a.value.high <= b.value.low => a.slope,
        (Op::Min, [a, b]) if b.value.high <= a.value.low => b.slope,
        (Op::Max, [a, b]) if a.value.low >= b.value.high => a.slope,
        (Op::Max, [a, b]) if b.value.low >= a.value.high => b.slope,
        (Op::Min | Op::Max, [a, b]) => hull(a.slope, b.slope),
        (Op::If, [c, a, _]) if c.value.low > 0.0 => a.slope,
        (Op::If, [c, _, b]) if c.value.high <= 0.0 => b.slope,
        (Op::NoEvent, [a]) | (Op::Smooth, [_, a]) | (Op::Homotopy, [a, _]) => a.slope,
        _ if value.low == value.high => ZERO,
        _ => Interval::ALL,
    };
    Enclosure { value, slope }
}

fn size(a: Interval) -> f64 {
    a.low.abs().max(a.high.abs())
}

fn hull(a: Interval, b: Interval) -> Interval {
    Interval::new(a.low.min(b.low), a.high.max(b.high))
}

/// Where an operator leads from intervals.
fn range(op: Op, args: &[Interval], exponent: Option<f64>) -> Interval {
    let truth = |yes: bool, no: bool| Interval::new(f64::from(u8::from(yes)), f64::from(u8::from(!no)));
    match (op, args) {
        (Op::Sin, &[a]) => sine(a),
        (Op::Cos, &[a]) => sine(Interval::new(a.low + FRAC_PI_2, a.high + FRAC_PI_2)),
        (Op::Less, &[a, b]) => truth(a.high < b.low, a.low >= b.high),
        (Op::LessEqual, &[a, b]) => truth(a.high <= b.low, a.low > b.high),
        (Op::Not, &[a]) => Interval::new(1.0 - a.high.clamp(0.0, 1.0), 1.0 - a.low.clamp(0.0, 1.0)),
        (Op::And, _) => Interval::new(least(args, |a| a.low), least(args, |a| a.high)),
        (Op::Or, _) => Interval::new(most(args, |a| a.low), most(args, |a| a.high)),
        (Op::If, &[c, a, _]) if c.low > 0.0 => a,
        (Op::If, &[c, _, b]) if c.high <= 0.0 => b,
        (Op::Mod, &[a, b])
            if b.low == b.high && b.low > 0.0 && (a.low / b.low).floor() == (a.high / b.low).floor() =>
        {
            let turns = (a.low / b.low).floor() * b.low;
            Interval::new(a.low - turns, a.high - turns)
        }
        _ => interval::apply(op, args, exponent),
    }
}

fn least(args: &[Interval], bound: impl Fn(&Interval) -> f64) -> f64 {
    args.iter().map(bound).fold(1.0, f64::min)
}

fn most(args: &[Interval], bound: impl Fn(&Interval) -> f64) -> f64 {
    args.iter().map(bound).fold(0.0, f64::max)
}

/// The sine of all angles of an interval: its ends, and the crests and troughs between them.
fn sine(a: Interval) -> Interval {
    let width = a.high - a.low;
    if width >= TAU || width.is_nan() {
        return UNIT;
    }
    // Is there an angle `from + k*2π` inside?
    let meets = |from: f64| ((a.low - from) / TAU).ceil() * TAU + from <= a.high;
    let (low, high) = (a.low.sin(), a.high.sin());
    Interval::new(
        if meets(-FRAC_PI_2) { -1.0 } else { low.min(high) },
        if meets(FRAC_PI_2) { 1.0 } else { low.max(high) },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `amplitude * sin(w*time + phase) - level`, with the level held as variable 0.
    fn wave(pool: &mut Pool, amplitude: f64, w: f64, phase: f64) -> ExprId {
        let (time, w, phase) = (pool.op(Op::Time, &[]), pool.constant(w), pool.constant(phase));
        let angle = pool.op(Op::Mul, &[w, time]);
        let angle = pool.op(Op::Add, &[angle, phase]);
        let sine = pool.op(Op::Sin, &[angle]);
        let amplitude = pool.constant(amplitude);
        let wave = pool.op(Op::Mul, &[amplitude, sine]);
        let level = pool.var(VarId(0));
        let level = pool.op(Op::Neg, &[level]);
        pool.op(Op::Add, &[wave, level])
    }

    fn changes(f: &TimeFunction, level: f64, to: f64) -> Vec<f64> {
        let held = move |_: VarId| level;
        let (mut t, mut holds) = (0.0, f.value(1e-9, &held) < 0.0);
        let mut found = Vec::new();
        while let Change::At(next) = f.first_change(t, to, holds, false, f64::EPSILON * to, &held) {
            found.push(next);
            (t, holds) = (next, !holds);
        }
        found
    }

    #[test]
    fn every_change_of_a_sine_is_found_whatever_the_horizon() {
        let mut pool = Pool::new();
        let e = wave(&mut pool, 1.0, TAU * 50.0, 0.1);
        let f = TimeFunction::new(&pool, e, &|_| None).unwrap();
        let found = changes(&f, 0.0, 10.0);
        // sin(2π 50 t + 0.1) = 0 at t = (kπ - 0.1)/(100π).
        assert_eq!(found.len(), 1000);
        for (k, t) in found.iter().enumerate() {
            let exact = ((k + 1) as f64 - 0.1 / std::f64::consts::PI) / 100.0;
            assert!((t - exact).abs() < 1e-14, "{k}: {t} {exact}");
        }
    }

    #[test]
    fn a_peak_of_a_millionth_of_the_time_is_found_and_one_that_is_missed_by_as_much_is_not() {
        let mut pool = Pool::new();
        let e = wave(&mut pool, 1.0, 1.0, 0.0);
        let f = TimeFunction::new(&pool, e, &|_| None).unwrap();
        // The sine is above cos(1e-6) for 2e-6 around π/2 and again a period later.
        assert_eq!(changes(&f, 1e-6f64.cos(), 10.0).len(), 4);
        assert_eq!(changes(&f, 1.0 + 1e-12, 1e5), []);
        assert_eq!(changes(&f, -1.0 - 1e-12, 1e5), []);
    }

    #[test]
    fn bumps_and_kinks() {
        let mut pool = Pool::new();
        // exp(-((t-3)/1e-4)^2) > 1/2 within 1e-4*sqrt(ln 2) of 3.
        let time = pool.op(Op::Time, &[]);
        let three = pool.constant(-3.0);
        let shifted = pool.op(Op::Add, &[time, three]);
        let (width, two) = (pool.constant(1e-4), pool.constant(2.0));
        let scaled = pool.op(Op::Div, &[shifted, width]);
        let square = pool.op(Op::Pow, &[scaled, two]);
        let negative = pool.op(Op::Neg, &[square]);
        let bump = pool.op(Op::Exp, &[negative]);
        let half = pool.constant(-0.5);
        let e = pool.op(Op::Add, &[bump, half]);
        let f = TimeFunction::new(&pool, e, &|_| None).unwrap();
        let found = changes(&f, 0.0, 1e4);
        let reach = 1e-4 * 2f64.ln().sqrt();
        assert_eq!(found.len(), 2);
        // Time is resolved to 1e4 times the rounding of one.
        assert!((found[0] - (3.0 - reach)).abs() < 1e-11 && (found[1] - (3.0 + reach)).abs() < 1e-11);
        // |t - 3| < 1e-9.
        let size = pool.op(Op::Abs, &[shifted]);
        let limit = pool.constant(-1e-9);
        let e = pool.op(Op::Add, &[size, limit]);
        let f = TimeFunction::new(&pool, e, &|_| None).unwrap();
        assert_eq!(changes(&f, 0.0, 1e4).len(), 2);
    }

    #[test]
    fn what_is_zero_for_long_changes_when_it_leaves_zero() {
        // max(0, time - 7)*3 > 0, that is not (… <= 0), from 7 on.
        let mut pool = Pool::new();
        let time = pool.op(Op::Time, &[]);
        let (seven, zero, three) = (pool.constant(-7.0), pool.constant(0.0), pool.constant(3.0));
        let late = pool.op(Op::Add, &[time, seven]);
        let late = pool.op(Op::Max, &[zero, late]);
        let e = pool.op(Op::Mul, &[three, late]);
        let f = TimeFunction::new(&pool, e, &|_| None).unwrap();
        let Change::At(t) = f.first_change(0.0, 10.0, true, true, 1e-15, &|_| 0.0) else { panic!() };
        assert!((t - 7.0).abs() < 1e-12, "{t}");
    }

    #[test]
    fn periods_of_what_turns() {
        let mut pool = Pool::new();
        let e = wave(&mut pool, 1.0, 4.0, 0.3);
        let f = TimeFunction::new(&pool, e, &|_| None).unwrap();
        let mut room = Vec::new();
        assert!((f.shortest_period(7.0, &|_| 0.0, &mut room) - TAU / 4.0).abs() < 1e-12);
        let time = pool.op(Op::Time, &[]);
        let f = TimeFunction::new(&pool, time, &|_| None).unwrap();
        assert_eq!(f.shortest_period(7.0, &|_| 0.0, &mut room), f64::INFINITY);
        // A chirp turns ever faster: sin(t^2) has the angular speed 2 t.
        let square = pool.op(Op::Mul, &[time, time]);
        let chirp = pool.op(Op::Sin, &[square]);
        let f = TimeFunction::new(&pool, chirp, &|_| None).unwrap();
        assert!((f.shortest_period(5.0, &|_| 0.0, &mut room) - TAU / 10.0).abs() < 1e-12);
    }

    #[test]
    fn enclosures_contain_values_and_slopes() {
        let mut pool = Pool::new();
        let e = wave(&mut pool, 2.0, 3.0, 0.4);
        let time = pool.op(Op::Time, &[]);
        let product = pool.op(Op::Mul, &[e, time]);
        let root = pool.constant(2.0);
        let shifted = pool.op(Op::Add, &[product, time, root]);
        let quotient = {
            let square = pool.op(Op::Mul, &[time, time]);
            let one = pool.constant(1.0);
            let below = pool.op(Op::Add, &[square, one]);
            pool.op(Op::Div, &[shifted, below])
        };
        let f = TimeFunction::new(&pool, quotient, &|_| None).unwrap();
        let held = |_: VarId| 0.3;
        for k in 0..200 {
            let (a, width) = (f64::from(k) * 0.05, 0.001 * f64::from(1 + k % 40));
            let Enclosure { value, slope } = f.enclose(a, a + width, &held);
            for j in 0..=10 {
                let t = a + width * f64::from(j) / 10.0;
                let x = f.value(t, &held);
                let dx = (f.value(t + 1e-6, &held) - f.value(t - 1e-6, &held)) / 2e-6;
                assert!(value.low - 1e-12 <= x && x <= value.high + 1e-12, "{t}");
                assert!(slope.low - 1e-6 <= dx && dx <= slope.high + 1e-6, "{t}: {dx} {slope:?}");
            }
        }
    }
}
