//! Compares a result with a reference: does every reference signal lie within a tube around the result?
//!
//! The tube has a width in value and a width in time. A point (t, r) of the reference lies in it when the
//! result takes, somewhere between t − δ and t + δ, a value within ε of r. The result counts as a polyline
//! that also runs along its jumps, so at an event every value between before and after is met, and an event a
//! little early or late does no harm. δ is a share of the reference's time span; ε is a share of the range of
//! the signal in the reference, plus a much smaller share of its magnitude, which is what is left for
//! constants, plus a tiny absolute width, which is what is left for what would be zero without rounding errors.
//!
//! The magnitude of a component of a vector in space, which is an array of three, is that of the vector: in a frame that is turned the
//! components are others, and an error that is as long is the same error, whichever of them shows it.
//!
//! Only points of the reference are looked at: it may be coarse, and what happens between its points is unknown.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::result::{Signal, Trajectory};

/// How far a result may be from its reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tube {
    /// Share of a signal's range.
    pub range: f64,
    /// Share of a signal's magnitude, added to it.
    pub magnitude: f64,
    /// In units of the signal, added to it: whatever is smaller is rounding errors.
    pub noise: f64,
    /// Share of the time span.
    pub time: f64,
}

impl Default for Tube {
    fn default() -> Self {
        Tube { range: 2e-3, magnitude: 1e-6, noise: 1e-12, time: 1e-3 }
    }
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// How many signals were compared.
    pub signals: usize,
    /// Those that do not agree, in the order of the reference.
    pub deviations: Vec<Deviation>,
}

impl Comparison {
    /// Do all signals agree?
    pub fn agrees(&self) -> bool {
        self.deviations.is_empty()
    }

    /// The signal that is farthest off; a missing one before all others.
    pub fn worst(&self) -> Option<&Deviation> {
        worst(&self.deviations)
    }
}

/// The deviation that is farthest off; a missing signal before all others.
pub fn worst(deviations: &[Deviation]) -> Option<&Deviation> {
    let mut worst = deviations.first()?;
    for d in &deviations[1..] {
        if d.amount() > worst.amount() {
            worst = d;
        }
    }
    Some(worst)
}

/// A signal that does not agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deviation {
    /// Its name.
    pub signal: String,
    /// In what way.
    pub kind: DeviationKind,
    /// Where it is outside for the first time.
    pub since: f64,
    /// Where it is farthest outside.
    pub time: f64,
    /// The reference there.
    pub reference: f64,
    /// The nearest value of the result around there, if there is one.
    pub result: Option<f64>,
    /// How far outside the tube, in units of the signal.
    pub excess: Option<f64>,
    /// The same as a share of the signal's range, or of its magnitude if it is constant.
    pub relative: Option<f64>,
}

impl Deviation {
    fn amount(&self) -> f64 {
        self.relative.unwrap_or(f64::INFINITY)
    }
}

/// In what way a signal does not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviationKind {
    /// The result does not have it.
    Missing,
    /// The result, or the reference, is not a finite number.
    Undefined,
    /// The result begins after the reference.
    Late,
    /// The result ends before the reference.
    Short,
    /// It leaves the tube.
    Outside,
}

/// Compares the wanted signals of a reference with a result.
pub fn compare(
    result: &Trajectory,
    reference: &Trajectory,
    tube: &Tube,
    wanted: &dyn Fn(&str) -> bool,
) -> Comparison {
    let by_name = names(result);
    let vectors = vectors(reference, &by_name);
    let mut comparison = Comparison { signals: 0, deviations: Vec::new() };
    for signal in reference.signals.iter().filter(|s| wanted(&s.name)) {
        comparison.signals += 1;
        let found = by_name.get(plain(&signal.name).as_str()).map(|&i| &result.signals[i]);
        let deviation = match found {
            Some(found) => {
                let vector = vector_of(&signal.name).and_then(|name| vectors.get(&name));
                one(result, found, reference, signal, vector.copied().unwrap_or(0.0), tube)
            }
            None => Some(Deviation {
                signal: signal.name.clone(),
                kind: DeviationKind::Missing,
                since: reference.time.first().copied().unwrap_or(0.0),
                time: reference.time.first().copied().unwrap_or(0.0),
                reference: if reference.time.is_empty() { 0.0 } else { reference.value(signal, 0) },
                result: None,
                excess: None,
                relative: None,
            }),
        };
        comparison.deviations.extend(deviation);
    }
    comparison
}

/// Signals by name, as [`plain`] has it.
pub fn names(trajectory: &Trajectory) -> HashMap<String, usize> {
    trajectory.signals.iter().enumerate().map(|(i, s)| (plain(&s.name), i)).collect()
}

/// A name as all tools can agree on: without spaces inside subscripts, and with `der` around the whole name.
///
/// ```
/// assert_eq!(kausal::compare::plain("a.der(x[1, 2])"), "der(a.x[1,2])");
/// ```
pub fn plain(name: &str) -> String {
    let name: String = name.chars().filter(|c| *c != ' ').collect();
    match name.split_once(".der(") {
        Some((before, inside)) => format!("der({before}.{inside}"),
        None => name,
    }
}

/// The array that a signal is an element of, if it has one subscript and that is its end.
fn vector_of(name: &str) -> Option<String> {
    let name = plain(name);
    let (vector, subscript) = name.strip_suffix(']')?.rsplit_once('[')?;
    subscript.parse::<u32>().ok().map(|_| vector.to_owned())
}

/// The largest value of any component of each vector of three that the reference has components of.
fn vectors(reference: &Trajectory, result: &HashMap<String, usize>) -> HashMap<String, f64> {
    let mut vectors: HashMap<String, f64> = HashMap::new();
    for signal in &reference.signals {
        let Some(vector) = vector_of(&signal.name) else { continue };
        let has = |k: u32| result.contains_key(&format!("{vector}[{k}]"));
        if has(1) && has(2) && has(3) && !has(4) {
            let size =
                reference.values(signal).iter().filter(|v| v.is_finite()).fold(0.0f64, |m, v| m.max(v.abs()));
            let largest = vectors.entry(vector).or_default();
            *largest = largest.max(size);
        }
    }
    vectors
}

/// One signal; `vector` is the magnitude of the vector it is a component of.
fn one(
    result: &Trajectory,
    found: &Signal,
    reference: &Trajectory,
    signal: &Signal,
    vector: f64,
    tube: &Tube,
) -> Option<Deviation> {
    let (values, wanted) = (result.values(found), reference.values(signal));
    let deviation = |kind, time, value, nearest: Option<f64>, excess: Option<f64>, scale: f64| Deviation {
        signal: signal.name.clone(),
        kind,
        since: time,
        time,
        reference: value,
        result: nearest,
        excess,
        relative: excess.map(|e| if scale > 0.0 { e / scale } else { e }),
    };
    let finite = || wanted.iter().copied().filter(|v| v.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if let Some(i) = wanted.iter().position(|v| !v.is_finite()).or((low > high).then_some(0)) {
        // There is nothing to agree with.
        let at = reference.time.get(i).copied().unwrap_or(0.0);
        let value = wanted.get(i).copied().unwrap_or(f64::NAN);
        return Some(deviation(DeviationKind::Undefined, at, value, None, None, 0.0));
    }
    let (range, magnitude) = (high - low, high.abs().max(low.abs()));
    let scale = if range > tube.magnitude * magnitude { range } else { magnitude };
    let width = tube.range * range + tube.magnitude * magnitude.max(vector) + tube.noise;
    let span = match (reference.time.first(), reference.time.last()) {
        (Some(first), Some(last)) => last - first,
        _ => 0.0,
    };
    let (within, rounding) = (tube.time * span, 1e-12 * span);
    if let Some(i) = values.iter().position(|v| !v.is_finite()) {
        let at = result.time[i];
        return Some(deviation(
            DeviationKind::Undefined,
            at,
            nearest_in_time(reference, &wanted, at),
            None,
            None,
            scale,
        ));
    }
    let mut window = Window::new(&result.time, &values);
    let mut here = Window::new(&result.time, &values);
    let mut around = Window::new(&reference.time, &wanted);
    let (start, end) = (result.time.first().copied(), result.time.last().copied());
    let mut worst: Option<Deviation> = None;
    for (&t, &r) in reference.time.iter().zip(&wanted).filter(|(_, r)| r.is_finite()) {
        let Some((low, high)) = window.range(t - within - rounding, t + within + rounding) else {
            let late = start.is_some_and(|start| start > t);
            let kind = if late { DeviationKind::Late } else { DeviationKind::Short };
            return Some(deviation(kind, t, r, None, None, scale));
        };
        let mut excess = (low - r).max(r - high) - width;
        // Where the result ends inside the window, a little late is as good as a little early: then the reference
        // may come to meet the result.
        if excess > 0.0 && (start > Some(t - within) || end < Some(t + within)) {
            let meeting = here.range(t - rounding, t + rounding).zip(around.range(t - within, t + within));
            if let Some(((low, high), (from, to))) = meeting {
                excess = excess.min((low - to).max(from - high) - width);
            }
        }
        if excess > worst.as_ref().and_then(|w| w.excess).unwrap_or(0.0) {
            let nearest = if r < low { low } else { high };
            let since = worst.map_or(t, |w| w.since);
            let here = deviation(DeviationKind::Outside, t, r, Some(nearest), Some(excess), scale);
            worst = Some(Deviation { since, ..here });
        }
    }
    worst
}

fn nearest_in_time(trajectory: &Trajectory, values: &[f64], at: f64) -> f64 {
    let i = trajectory.time.partition_point(|t| *t < at);
    values.get(i).or(values.last()).copied().unwrap_or(0.0)
}

/// Smallest and largest value of a polyline over a window that moves forward; every point enters and leaves
/// once, so a whole comparison takes time linear in the number of points.
struct Window<'a> {
    time: &'a [f64],
    values: &'a [f64],
    /// The first point after the window.
    end: usize,
    /// Points in the window with ascending values: each is the smallest of those after its predecessor.
    low: VecDeque<usize>,
    /// The same for the largest.
    high: VecDeque<usize>,
}

impl<'a> Window<'a> {
    fn new(time: &'a [f64], values: &'a [f64]) -> Self {
        Window { time, values, end: 0, low: VecDeque::new(), high: VecDeque::new() }
    }

    /// The values taken between `from` and `to`; `None` when the polyline is not there.
    fn range(&mut self, from: f64, to: f64) -> Option<(f64, f64)> {
        let values = self.values;
        while self.end < self.time.len() && self.time[self.end] <= to {
            while self.low.back().is_some_and(|&i| values[i] >= values[self.end]) {
                self.low.pop_back();
            }
            while self.high.back().is_some_and(|&i| values[i] <= values[self.end]) {
                self.high.pop_back();
            }
            self.low.push_back(self.end);
            self.high.push_back(self.end);
            self.end += 1;
        }
        for queue in [&mut self.low, &mut self.high] {
            while queue.front().is_some_and(|&i| self.time[i] < from) {
                queue.pop_front();
            }
        }
        let inside = self.low.front().zip(self.high.front()).map(|(&l, &h)| (values[l], values[h]));
        let begin = self.time.partition_point(|t| *t < from);
        // Where the edges of the window cut the polyline.
        [(begin, from), (self.end, to)]
            .into_iter()
            .filter_map(|(i, t)| self.between(i, t))
            .fold(inside, |range, v| Some(range.map_or((v, v), |(l, h)| (f64::min(l, v), f64::max(h, v)))))
    }

    /// The value at an instant between point `i` and the one before.
    fn between(&self, i: usize, t: f64) -> Option<f64> {
        if i == 0 || i >= self.time.len() {
            return None;
        }
        let (t0, t1) = (self.time[i - 1], self.time[i]);
        let share = (t - t0) / (t1 - t0);
        Some(self.values[i - 1] + share * (self.values[i] - self.values[i - 1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Values;

    fn trajectory(time: &[f64], values: &[f64]) -> Trajectory {
        Trajectory {
            time: time.to_vec(),
            signals: vec![Signal {
                name: "x".into(),
                unit: String::new(),
                description: String::new(),
                values: Values::Column(0, false),
            }],
            columns: vec![values.to_vec()],
        }
    }

    fn sampled(n: usize, f: impl Fn(f64) -> f64) -> Trajectory {
        let time: Vec<f64> = (0..=n).map(|i| i as f64 / n as f64).collect();
        let values: Vec<f64> = time.iter().map(|t| f(*t)).collect();
        trajectory(&time, &values)
    }

    fn check(result: &Trajectory, reference: &Trajectory) -> Option<Deviation> {
        compare(result, reference, &Tube::default(), &|_| true).deviations.pop()
    }

    #[test]
    fn an_offset_is_outside_a_shift_in_time_is_not() {
        let wave = |t: f64| (20.0 * t).sin();
        let reference = sampled(200, wave);
        // The range is 2: 0.2 % of it is 0.004.
        assert_eq!(check(&sampled(1000, |t| wave(t) + 0.0039), &reference), None);
        let off = check(&sampled(1000, |t| wave(t) + 0.05), &reference).unwrap();
        assert_eq!(off.kind, DeviationKind::Outside);
        assert!((off.excess.unwrap() - 0.046).abs() < 1e-3, "{off:?}");
        // A slope of 20 and a shift of 0.001: five times the width in value, but within the width in time.
        for shift in [0.001, -0.001] {
            assert_eq!(check(&sampled(1000, |t| wave(t - shift)), &reference), None);
            assert!(check(&sampled(1000, |t| wave(t - 3.0 * shift)), &reference).is_some());
        }
    }

    #[test]
    fn the_place_of_the_worst_point_is_named() {
        let reference = sampled(100, |t| t);
        let result = sampled(1000, |t| if (t - 0.5).abs() < 0.02 { t + 0.3 } else { t });
        let d = check(&result, &reference).unwrap();
        assert!((d.since - 0.49).abs() < 1e-9, "{d:?}");
        assert!((d.time - 0.5).abs() < 0.02 && (d.reference - d.time).abs() < 1e-12, "{d:?}");
        assert!((d.result.unwrap() - d.reference - 0.3).abs() < 2e-3);
        assert!((d.relative.unwrap() - 0.297).abs() < 3e-3);
    }

    #[test]
    fn events_have_two_values() {
        let step = |t: f64| f64::from(u8::from(t >= 0.5));
        let result = trajectory(&[0.0, 0.5, 0.5, 1.0], &[0.0, 0.0, 1.0, 1.0]);
        // The reference has the value before, after, or both at the instant itself.
        assert_eq!(check(&result, &trajectory(&[0.0, 0.5, 1.0], &[0.0, 0.0, 1.0])), None);
        assert_eq!(check(&result, &trajectory(&[0.0, 0.5, 1.0], &[0.0, 1.0, 1.0])), None);
        assert_eq!(check(&result, &trajectory(&[0.0, 0.5, 0.5, 1.0], &[0.0, 0.0, 1.0, 1.0])), None);
        // One sample off in a grid as fine as the width in time.
        assert_eq!(check(&sampled(1000, |t| step(t - 0.001)), &sampled(200, step)), None);
        assert!(check(&sampled(1000, |t| step(t - 0.01)), &sampled(200, step)).is_some());
        // A pulse that the result does not have.
        assert!(check(&result, &trajectory(&[0.0, 0.25, 1.0], &[0.0, 1.0, 1.0])).is_some());
    }

    #[test]
    fn constants_have_the_floor_only() {
        let reference = sampled(10, |_| 300.0);
        assert_eq!(check(&sampled(3, |_| 300.0 + 2e-4), &reference), None);
        let d = check(&sampled(3, |_| 300.0 + 4e-4), &reference).unwrap();
        assert!((d.excess.unwrap() - 1e-4).abs() < 1e-9 && (d.relative.unwrap() - 1e-4 / 300.0).abs() < 1e-9);
        assert_eq!(check(&sampled(3, |_| 0.0), &sampled(10, |_| 0.0)), None);
        assert!(check(&sampled(3, |_| 1e-9), &sampled(10, |_| 0.0)).is_some());
        // Rounding errors around zero.
        assert_eq!(check(&sampled(3, |t| 1e-15 * t), &sampled(10, |t| 3e-16 * (1.0 - t))), None);
        let mut parameter = sampled(3, |_| 0.0);
        parameter.signals[0].values = Values::Constant(300.0);
        assert_eq!(check(&parameter, &reference), None);
    }

    /// What is zero in one frame is not in another: an error of a component counts beside the vector.
    #[test]
    fn components_are_parts_of_their_vector() {
        let vector = |components: [f64; 3], count: usize| {
            let mut all = sampled(10, |t| components[0] * t);
            all.signals[0].name = "w[1]".into();
            for (k, c) in components.iter().enumerate().take(count).skip(1) {
                let one = sampled(10, |t| c * t);
                let signal = &one.signals[0];
                all.signals.push(Signal {
                    name: format!("w[{}]", k + 1),
                    values: Values::Column(k, false),
                    ..signal.clone()
                });
                all.columns.extend(one.columns.clone());
            }
            all
        };
        let off = |result: [f64; 3], count| {
            let comparison =
                compare(&vector(result, count), &vector([0.0, 4.0, 0.0], count), &Tube::default(), &|_| true);
            comparison.deviations.into_iter().map(|d| d.signal).collect::<Vec<_>>()
        };
        assert!(off([3e-6, 4.0, -3e-6], 3).is_empty());
        assert_eq!(off([5e-6, 4.0, 0.0], 3), ["w[1]"]);
        // Two numbers are no vector in space.
        assert_eq!(off([3e-6, 4.0, 0.0], 2), ["w[1]"]);
    }

    #[test]
    fn what_is_not_there_does_not_agree() {
        let reference = sampled(10, |t| t);
        let mut other = sampled(10, |t| t);
        other.signals[0].name = "y".into();
        assert_eq!(check(&other, &reference).unwrap().kind, DeviationKind::Missing);
        let short = trajectory(&[0.0, 0.6], &[0.0, 0.6]);
        let d = check(&short, &reference).unwrap();
        assert_eq!((d.kind, d.time), (DeviationKind::Short, 0.7));
        let late = trajectory(&[0.3, 1.0], &[0.3, 1.0]);
        assert_eq!(check(&late, &reference).unwrap().kind, DeviationKind::Late);
        let nan = trajectory(&[0.0, 0.5, 1.0], &[0.0, f64::NAN, 1.0]);
        assert_eq!(check(&nan, &reference).unwrap().kind, DeviationKind::Undefined);
        let empty =
            Trajectory { signals: reference.signals.clone(), columns: vec![Vec::new()], time: Vec::new() };
        assert_eq!(check(&empty, &reference).unwrap().kind, DeviationKind::Short);
    }

    #[test]
    fn names_may_differ_in_spaces_and_only_wanted_ones_count() {
        let mut reference = sampled(10, |t| t);
        reference.signals[0].name = "A[1, 2]".into();
        let mut result = sampled(10, |t| t);
        result.signals[0].name = "A[1,2]".into();
        assert_eq!(check(&result, &reference), None);
        let none = compare(&result, &reference, &Tube::default(), &|_| false);
        assert!(none.agrees() && none.signals == 0);
    }

    /// The moving window against looking at all points each time.
    #[test]
    fn the_window_is_right() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64
        };
        let mut time = vec![0.0];
        for _ in 0..300 {
            let step = random();
            time.push(time[time.len() - 1] + if step < 0.3 { 0.0 } else { step });
        }
        let values: Vec<f64> = time.iter().map(|_| random()).collect();
        let mut window = Window::new(&time, &values);
        let last = time[time.len() - 1];
        for k in 0..200 {
            let (from, to) = (last * k as f64 / 200.0 - 0.7, last * k as f64 / 200.0 + 0.7);
            let mut expected: Option<(f64, f64)> = None;
            let mut add = |v: f64| {
                let (l, h) = expected.unwrap_or((v, v));
                expected = Some((l.min(v), h.max(v)));
            };
            for i in 0..time.len() {
                if (from..=to).contains(&time[i]) {
                    add(values[i]);
                }
                for edge in [from, to] {
                    if i > 0 && time[i - 1] < edge && edge < time[i] {
                        let share = (edge - time[i - 1]) / (time[i] - time[i - 1]);
                        add(values[i - 1] + share * (values[i] - values[i - 1]));
                    }
                }
            }
            let found = window.range(from, to);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
            match (found, expected) {
                (Some(f), Some(e)) => assert!(close(f.0, e.0) && close(f.1, e.1)),
                (f, e) => assert_eq!(f, e),
            }
        }
    }
}
