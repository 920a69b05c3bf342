//! What a sweep keeps of each run: a few numbers instead of a trajectory.
//!
//! They are made of the same points that a result file of the run would have, so `max(x)` is the largest number in its column.
//! Integrals, means and instants follow the cubic polynomial through four neighbouring points: an error of the fourth order in
//! the distance of output points. At an event a new piece begins, for there signals jump and have kinks.

use kausal_runtime::Machine;
use kausal_symbolic::VarId;

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// The value of a variable where the run ended.
    Final(String),
    /// Its smallest value.
    Min(String),
    /// Its largest value.
    Max(String),
    /// Its mean over time.
    Mean(String),
    /// Its integral over time.
    Integral(String),
    /// The first instant at which it is larger, or smaller, than a number.
    When(String, Side, f64),
}

/// On which side of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Larger.
    Above,
    /// Smaller.
    Below,
}

impl Quantity {
    /// The variable it is about.
    pub fn variable(&self) -> &str {
        match self {
            Quantity::Final(x)
            | Quantity::Min(x)
            | Quantity::Max(x)
            | Quantity::Mean(x)
            | Quantity::Integral(x)
            | Quantity::When(x, ..) => x,
        }
    }

    /// Its column: `final(x)`, `time(x > 1)`.
    pub fn name(&self) -> String {
        match self {
            Quantity::Final(x) => format!("final({x})"),
            Quantity::Min(x) => format!("min({x})"),
            Quantity::Max(x) => format!("max({x})"),
            Quantity::Mean(x) => format!("mean({x})"),
            Quantity::Integral(x) => format!("integral({x})"),
            Quantity::When(x, Side::Above, bound) => format!("time({x} > {bound})"),
            Quantity::When(x, Side::Below, bound) => format!("time({x} < {bound})"),
        }
    }

    /// The same of another variable.
    pub(super) fn of(&self, name: &str) -> Quantity {
        let name = name.to_owned();
        match self {
            Quantity::Final(_) => Quantity::Final(name),
            Quantity::Min(_) => Quantity::Min(name),
            Quantity::Max(_) => Quantity::Max(name),
            Quantity::Mean(_) => Quantity::Mean(name),
            Quantity::Integral(_) => Quantity::Integral(name),
            Quantity::When(_, side, bound) => Quantity::When(name, *side, *bound),
        }
    }

    /// Reads a condition: `x > 1`, `x < 0.5`, or the name of a Boolean, which is true.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse_condition(text: &str) -> Result<Quantity, String> {
        let Some(at) = text.find(['<', '>']) else {
            let name = text.trim();
            let plain = !name.is_empty() && !name.contains('=');
            return match plain {
                true => Ok(Quantity::When(name.to_owned(), Side::Above, 0.5)),
                false => Err("write it as x > NUMBER, as x < NUMBER, or as the name of a Boolean".to_owned()),
            };
        };
        let side = if text[at..].starts_with('>') { Side::Above } else { Side::Below };
        let (name, bound) = (text[..at].trim(), text[at + 1..].trim().trim_start_matches('=').trim());
        match bound.parse::<f64>() {
            Ok(bound) if !name.is_empty() => Ok(Quantity::When(name.to_owned(), side, bound)),
            _ => Err("write it as x > NUMBER or x < NUMBER".to_owned()),
        }
    }
}

/// Where a value is found in a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Slot(VarId),
    /// This translation has no such variable.
    Missing,
}

impl Source {
    #[inline]
    fn read(self, machine: &Machine) -> f64 {
        match self {
            Source::Slot(v) => machine.value(v),
            Source::Missing => f64::NAN,
        }
    }
}

/// What is kept of each run, told once.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub quantities: Vec<Quantity>,
    /// Each variable once.
    pub variables: Vec<String>,
    /// Per quantity the place of its variable.
    places: Vec<usize>,
    /// The instants of trajectories and the places of their variables.
    pub grid: Vec<f64>,
    pub traced: Vec<usize>,
    /// Instants this close are the same.
    same: f64,
    /// Integrals or instants are wanted.
    pieces: bool,
    only_final: bool,
}

impl Kept {
    pub fn new(quantities: Vec<Quantity>, traced: &[String], grid: Vec<f64>, same: f64) -> Kept {
        let mut variables: Vec<String> = Vec::new();
        let mut place = |name: &str| {
            variables.iter().position(|known| known == name).unwrap_or_else(|| {
                variables.push(name.to_owned());
                variables.len() - 1
            })
        };
        let places = quantities.iter().map(|q| place(q.variable())).collect();
        let traced = traced.iter().map(|name| place(name)).collect();
        let in_pieces =
            |q: &Quantity| matches!(q, Quantity::Mean(_) | Quantity::Integral(_) | Quantity::When(..));
        let pieces = quantities.iter().any(in_pieces);
        let only_final = quantities.iter().all(|q| matches!(q, Quantity::Final(_)));
        Kept { quantities, variables, places, grid, traced, same, pieces, only_final }
    }

    /// Are only values at the end looked at?
    pub fn is_only_final(&self) -> bool {
        self.only_final
    }

    /// Per quantity the place of its variable.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Instants this close are the same.
    pub fn same(&self) -> f64 {
        self.same
    }

    /// How many numbers a trajectory has.
    pub fn trace(&self) -> usize {
        self.grid.len() * self.traced.len()
    }
}

/// Points that make up a polynomial.
const POINTS: usize = 4;

/// Follows the variables of one run; used for one run after the other.
#[derive(Clone, Debug)]
pub(super) struct Follower {
    now: Vec<f64>,
    last: f64,
    first: f64,
    started: bool,
    low: Vec<f64>,
    high: Vec<f64>,
    integrals: Vec<f64>,
    /// Per quantity.
    instants: Vec<f64>,
    /// The last points of the piece: instants, and values by variable.
    times: [f64; POINTS],
    points: Vec<[f64; POINTS]>,
    count: usize,
    /// Intervals between them that have been dealt with.
    done: usize,
    /// The trajectory, a row of variables for each instant, and how many instants have passed.
    pub trace: Vec<f64>,
    passed: usize,
}

impl Follower {
    pub fn new(kept: &Kept) -> Follower {
        let n = kept.variables.len();
        Follower {
            now: vec![f64::NAN; n],
            last: f64::NAN,
            first: f64::NAN,
            started: false,
            low: vec![f64::INFINITY; n],
            high: vec![f64::NEG_INFINITY; n],
            integrals: vec![0.0; n],
            instants: vec![f64::NAN; kept.quantities.len()],
            times: [0.0; POINTS],
            points: vec![[0.0; POINTS]; n],
            count: 0,
            done: 0,
            trace: vec![f64::NAN; kept.trace()],
            passed: 0,
        }
    }

    /// Another run begins.
    pub fn begin(&mut self) {
        self.now.fill(f64::NAN);
        (self.last, self.first, self.started) = (f64::NAN, f64::NAN, false);
        self.low.fill(f64::INFINITY);
        self.high.fill(f64::NEG_INFINITY);
        self.integrals.fill(0.0);
        self.instants.fill(f64::NAN);
        (self.count, self.done, self.passed) = (0, 0, 0);
        self.trace.fill(f64::NAN);
    }

    /// The values of an instant.
    pub fn read(&mut self, kept: &Kept, sources: &[Source], machine: &Machine) {
        for (value, source) in self.now.iter_mut().zip(sources) {
            *value = source.read(machine);
        }
        self.look(kept, machine.time);
    }

    /// The same, told as numbers.
    pub fn tell(&mut self, kept: &Kept, time: f64, values: impl Iterator<Item = f64>) {
        self.now.iter_mut().zip(values).for_each(|(now, value)| *now = value);
        self.look(kept, time);
    }

    fn look(&mut self, kept: &Kept, t: f64) {
        if !self.started {
            (self.first, self.started) = (t, true);
        }
        if !kept.is_only_final() {
            for (k, &value) in self.now.iter().enumerate() {
                self.low[k] = self.low[k].min(value);
                self.high[k] = self.high[k].max(value);
            }
        }
        if kept.pieces {
            self.follow(kept, t);
        }
        self.last = t;
        if kept.trace() > 0 {
            // At an event the values behind it count.
            while kept.grid.get(self.passed).is_some_and(|g| *g <= t + kept.same) {
                self.passed += 1;
            }
            if let Some(k) = self.passed.checked_sub(1)
                && (kept.grid[k] - t).abs() <= kept.same
            {
                let row = &mut self.trace[k * kept.traced.len()..][..kept.traced.len()];
                row.iter_mut().zip(&kept.traced).for_each(|(cell, &v)| *cell = self.now[v]);
            }
        }
    }

    fn follow(&mut self, kept: &Kept, t: f64) {
        if self.count > 0 && t <= self.last {
            self.close(kept);
            self.count = 0;
        }
        if self.count == 0 {
            // A jump, or the start: what holds now holds from here on.
            for (k, q) in kept.quantities.iter().enumerate() {
                if let Quantity::When(_, side, bound) = q
                    && self.instants[k].is_nan()
                    && is_beyond(self.now[kept.places[k]], *side, *bound)
                {
                    self.instants[k] = t;
                }
            }
            self.done = 0;
        }
        if self.count == POINTS {
            self.times.rotate_left(1);
            self.points.iter_mut().for_each(|points| points.rotate_left(1));
            (self.count, self.done) = (POINTS - 1, self.done - 1);
        }
        self.times[self.count] = t;
        self.points.iter_mut().zip(&self.now).for_each(|(points, value)| points[self.count] = *value);
        self.count += 1;
        if self.count == POINTS {
            // All but the last interval, which has a point behind it later.
            self.intervals(kept, POINTS - 2);
        }
    }

    /// The piece is over.
    fn close(&mut self, kept: &Kept) {
        self.intervals(kept, self.count.saturating_sub(1));
    }

    fn intervals(&mut self, kept: &Kept, end: usize) {
        let times = &self.times[..self.count];
        for i in self.done..end {
            let (a, b) = (times[i], times[i + 1]);
            for (points, sum) in self.points.iter().zip(&mut self.integrals) {
                // Exact for polynomials of this degree.
                let middle = interpolated(times, &points[..self.count], 0.5 * (a + b));
                *sum += (b - a) / 6.0 * (points[i] + 4.0 * middle + points[i + 1]);
            }
            for (k, q) in kept.quantities.iter().enumerate() {
                let Quantity::When(_, side, bound) = q else { continue };
                let points = &self.points[kept.places[k]][..self.count];
                if self.instants[k].is_nan() && is_beyond(points[i + 1], *side, *bound) {
                    self.instants[k] = crossing(times, points, i, *side, *bound);
                }
            }
        }
        self.done = self.done.max(end);
    }

    /// The numbers of the run, which is over.
    pub fn finish(&mut self, kept: &Kept, out: &mut Vec<f64>) {
        if kept.pieces {
            self.close(kept);
        }
        let length = self.last - self.first;
        out.extend(kept.quantities.iter().enumerate().map(|(k, q)| {
            let v = kept.places[k];
            match q {
                _ if !self.started => f64::NAN,
                Quantity::Final(_) => self.now[v],
                // Of what is not a number nothing is the largest.
                Quantity::Min(_) if self.low[v] == f64::INFINITY => f64::NAN,
                Quantity::Max(_) if self.high[v] == f64::NEG_INFINITY => f64::NAN,
                Quantity::Min(_) => self.low[v],
                Quantity::Max(_) => self.high[v],
                Quantity::Integral(_) => self.integrals[v],
                Quantity::Mean(_) if length > 0.0 => self.integrals[v] / length,
                Quantity::Mean(_) => self.now[v],
                Quantity::When(..) => self.instants[k],
            }
        }));
    }
}

fn is_beyond(value: f64, side: Side, bound: f64) -> bool {
    match side {
        Side::Above => value > bound,
        Side::Below => value < bound,
    }
}

/// The polynomial through points (Neville).
fn interpolated(times: &[f64], values: &[f64], t: f64) -> f64 {
    let mut p = [0.0; POINTS];
    let n = times.len();
    p[..n].copy_from_slice(values);
    for d in 1..n {
        for i in 0..n - d {
            p[i] = ((t - times[i + d]) * p[i] + (times[i] - t) * p[i + 1]) / (times[i] - times[i + d]);
        }
    }
    p[0]
}

/// Where it comes to be beyond a bound between points `i` and `i + 1`, by bisection to the last digit.
fn crossing(times: &[f64], values: &[f64], i: usize, side: Side, bound: f64) -> f64 {
    let (mut a, mut b) = (times[i], times[i + 1]);
    loop {
        let middle = 0.5 * (a + b);
        if middle <= a || middle >= b {
            return b;
        }
        if is_beyond(interpolated(times, values, middle), side, bound) {
            b = middle;
        } else {
            a = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_sine(points: usize) -> Vec<f64> {
        let x = || "x".to_owned();
        let quantities = vec![
            Quantity::Final(x()),
            Quantity::Min(x()),
            Quantity::Max(x()),
            Quantity::Mean(x()),
            Quantity::Integral(x()),
            Quantity::When(x(), Side::Above, 0.5),
            Quantity::When(x(), Side::Below, -2.0),
        ];
        let kept = Kept::new(quantities, &[], Vec::new(), 0.0);
        let mut follower = Follower::new(&kept);
        let mut out = Vec::new();
        // A run before it leaves nothing behind.
        follower.tell(&kept, 5.0, std::iter::once(9.0));
        follower.finish(&kept, &mut out);
        out.clear();
        follower.begin();
        for k in 0..=points {
            let t = 3.0 * k as f64 / points as f64;
            follower.tell(&kept, t, std::iter::once(t.sin()));
        }
        follower.finish(&kept, &mut out);
        out
    }

    /// ∫ sin from 0 to 3 is 1 - cos 3; sin(t) = 0.5 at π/6: errors fall with the fourth power of the distance.
    #[test]
    fn integrals_and_instants_are_of_fourth_order() {
        let exact = (1.0 - 3.0f64.cos(), std::f64::consts::FRAC_PI_6);
        let error = |n: usize| {
            let out = of_sine(n);
            ((out[4] - exact.0).abs(), (out[5] - exact.1).abs())
        };
        let (coarse, fine) = (error(40), error(160));
        assert!(coarse.0 < 1e-6 && fine.0 < coarse.0 / 200.0, "{coarse:?} {fine:?}");
        assert!(coarse.1 < 1e-5 && fine.1 < coarse.1 / 50.0, "{coarse:?} {fine:?}");
        let out = of_sine(40);
        assert_eq!(out[0], 3.0f64.sin());
        assert_eq!((out[1], out[3]), (0.0, out[4] / 3.0));
        assert!(out[2] <= 1.0 && out[6].is_nan());
    }

    /// A square wave: one up to 1, then three up to 2, exactly.
    #[test]
    fn jumps_are_not_smoothed() {
        let x = || "x".to_owned();
        let quantities = vec![Quantity::Integral(x()), Quantity::When(x(), Side::Above, 2.0)];
        let kept = Kept::new(quantities, &[x()], vec![0.5, 1.0, 2.0], 1e-9);
        let mut follower = Follower::new(&kept);
        for (t, value) in [(0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (1.0, 3.0), (1.5, 3.0), (2.0, 3.0)] {
            follower.tell(&kept, t, std::iter::once(value));
        }
        let mut out = Vec::new();
        follower.finish(&kept, &mut out);
        assert_eq!(out, [4.0, 1.0]);
        assert_eq!(follower.trace, [1.0, 3.0, 3.0]);
    }

    #[test]
    fn conditions_are_read() {
        let when = |name: &str, side, bound| Ok(Quantity::When(name.to_owned(), side, bound));
        assert_eq!(Quantity::parse_condition("a.x > 1e-3"), when("a.x", Side::Above, 1e-3));
        assert_eq!(Quantity::parse_condition("x<=-2"), when("x", Side::Below, -2.0));
        assert_eq!(Quantity::parse_condition("off"), when("off", Side::Above, 0.5));
        assert!(Quantity::parse_condition("x > y").is_err() && Quantity::parse_condition("> 1").is_err());
    }
}
