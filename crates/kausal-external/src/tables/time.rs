//! Tables over time, with events where the curve is not smooth.
//!
//! A model asks for the [next event](TimeTable::next_event) at every event, and passes its answer with every look-up. The
//! piece of the curve a look-up uses is the one that ends at that next event, whatever rounding says about the time: just
//! before an event the left limit holds, from the event on the right one. Nothing is remembered between calls.

use serde::{Deserialize, Serialize};

use super::curve::{Curve, Place};
use super::{Extrapolation, Jet, interval, nearly_equal, outside, wrap};
use crate::frame::Outcome;

/// Where events are inside the table: `Modelica.Blocks.Types.TimeEvents`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeEvents {
    /// At every point.
    Always,
    /// At points that are there twice.
    AtDiscontinuities,
    /// Only where the table begins and ends.
    None,
}

/// A table over time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TimeTable {
    pub curve: Curve,
    /// Before it the value is zero.
    start: f64,
    /// The table's abscissas are relative to this time.
    shift: f64,
    /// The pieces between events, in order; relative times.
    pieces: Vec<Piece>,
}

/// A part of the table between two events.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Piece {
    begin: f64,
    end: f64,
    /// The intervals it has: first to last.
    first: usize,
    last: usize,
}

/// What a model reads as "never".
const NEVER: f64 = f64::MAX;

impl TimeTable {
    pub fn new(curve: Curve, start: f64, shift: f64, events: TimeEvents) -> TimeTable {
        let pieces = pieces(&curve.x, events);
        TimeTable { curve, start, shift, pieces }
    }

    /// The first event after a time.
    pub fn next_event(&self, time: f64) -> f64 {
        if time < self.start && !nearly_equal(time, self.start) {
            return self.start;
        }
        if self.curve.x.len() < 2 {
            return NEVER;
        }
        let (low, high) = self.curve.range();
        let after = |t: f64| t > time && !nearly_equal(t, time);
        if self.curve.extrapolation == Extrapolation::Periodic {
            let period = high - low;
            let turn = ((time - self.shift - low) / period).floor();
            // Rounding may put the time at the very end of the turn before.
            for turn in [turn - 1.0, turn, turn + 1.0] {
                let offset = self.shift + turn * period;
                if let Some(piece) = self.pieces.iter().find(|p| after(p.end + offset)) {
                    return piece.end + offset;
                }
            }
            return NEVER;
        }
        let ends = std::iter::once(low).chain(self.pieces.iter().map(|p| p.end));
        ends.map(|end| end + self.shift).find(|&end| after(end)).unwrap_or(NEVER)
    }

    /// Value and derivatives of a column, counted from 1, given the next event and what it was before this event.
    pub fn value(&self, column: usize, time: f64, next: f64, pre_next: f64) -> Outcome<Jet> {
        // The event at the start is still to come.
        let waiting = next == pre_next && next <= self.start;
        if time < self.start || waiting {
            return Ok([0.0; 3]);
        }
        let place = self.place(time, next)?;
        self.curve.at(column, place)
    }

    fn place(&self, time: f64, next: f64) -> Outcome<Place> {
        let t = time - self.shift;
        let (low, high) = self.curve.range();
        if self.curve.x.len() == 1 {
            return Ok(Place::Inside(0, t));
        }
        if self.curve.extrapolation == Extrapolation::Periodic {
            let wrapped = wrap((low, high), t);
            let right = if wrapped == high { low } else { wrapped };
            return Ok(self
                .inside(next, t)
                .unwrap_or_else(|| Place::Inside(interval(&self.curve.x, right), right)));
        }
        if next - self.shift <= low || nearly_equal(next - self.shift, low) {
            if t < low || nearly_equal(t, low) {
                return self.beyond(Place::Left(t.min(low)), time);
            }
        } else if let Some(place) = self.inside(next, t) {
            return Ok(place);
        }
        if t < low {
            return self.beyond(Place::Left(t), time);
        }
        if t >= high {
            return self.beyond(Place::Right(t), time);
        }
        Ok(Place::Inside(interval(&self.curve.x, t), t))
    }

    /// The place in the piece that ends at the next event, if there is one that goes with this relative time.
    fn inside(&self, next: f64, t: f64) -> Option<Place> {
        if next.abs() >= 1e60 {
            return None;
        }
        let (low, high) = self.curve.range();
        let mut end = next - self.shift;
        let mut offset = 0.0;
        if self.curve.extrapolation == Extrapolation::Periodic {
            let period = high - low;
            let turns = (end - high) / period;
            let whole = turns.round();
            let turns = if (turns - whole).abs() < 1e-9 { whole } else { turns.ceil() };
            offset = turns * period;
            end -= offset;
        }
        let tolerance = 1e-9 * (high - low).max(end.abs());
        let piece = self.pieces.get(self.pieces.partition_point(|p| p.end < end - tolerance))?;
        if piece.end > end + tolerance {
            return None;
        }
        let local = t - offset;
        // A time long before the piece: the next event is not that of this time.
        if local < piece.begin && local < piece.begin - 1e-6 * (high - low) {
            return None;
        }
        let local = local.clamp(piece.begin, piece.end);
        let place = interval(&self.curve.x, local).clamp(piece.first, piece.last);
        // At the end of a piece of constant segments the left limit holds.
        let at_end = local >= piece.end && self.curve.smoothness == super::Smoothness::Constant;
        Some(Place::Inside(place, if at_end { self.curve.x[place] } else { local }))
    }

    fn beyond(&self, place: Place, time: f64) -> Outcome<Place> {
        let (low, high) = self.curve.range();
        let t = time - self.shift;
        if self.curve.extrapolation != Extrapolation::None {
            return Ok(place);
        }
        if nearly_equal(t, low) {
            return Ok(Place::Inside(0, low));
        }
        if nearly_equal(t, high) {
            return Ok(Place::Inside(self.curve.x.len() - 2, high));
        }
        outside("time", time, (low + self.shift, high + self.shift))
    }
}

fn pieces(x: &[f64], events: TimeEvents) -> Vec<Piece> {
    let Some((&low, &high)) = x.first().zip(x.last()) else { return Vec::new() };
    let mut pieces = Vec::new();
    let (mut begin, mut first) = (low, 0);
    let twice = |i: usize| i + 1 < x.len() && nearly_equal(x[i], x[i + 1]);
    // Intervals without length at the beginning belong to the first piece only if nothing follows.
    while first + 2 < x.len() && twice(first) {
        first += 1;
    }
    let mut i = first;
    while i + 1 < x.len() {
        let end = x[i + 1];
        let is_event = match events {
            TimeEvents::Always => true,
            TimeEvents::AtDiscontinuities => twice(i + 1),
            TimeEvents::None => false,
        };
        if is_event && !nearly_equal(end, high) && end > begin {
            pieces.push(Piece { begin, end, first, last: i });
            while twice(i + 1) {
                i += 1;
            }
            (begin, first) = (end, i + 1);
        } else if nearly_equal(end, high) {
            pieces.push(Piece { begin, end: high, first, last: i });
            break;
        }
        i += 1;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::Smoothness;
    use super::*;
    use crate::frame::Matrix;
    use crate::test::rows;

    /// The example in the documentation of `Modelica.Blocks.Sources.CombiTimeTable`.
    fn example() -> Matrix {
        rows(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 4.0], [3.0, 9.0], [4.0, 16.0]])
    }

    fn table(
        data: &Matrix,
        s: Smoothness,
        e: Extrapolation,
        start: f64,
        shift: f64,
        events: TimeEvents,
    ) -> TimeTable {
        TimeTable::new(Curve::new(data, &[2], s, e, true).unwrap(), start, shift, events)
    }

    fn all_events(t: &TimeTable, from: f64, count: usize) -> Vec<f64> {
        let mut time = from;
        (0..count)
            .map(|_| {
                time = t.next_event(time);
                time
            })
            .collect()
    }

    #[test]
    fn the_documented_example() {
        let t = table(
            &example(),
            Smoothness::Linear,
            Extrapolation::Linear,
            0.0,
            0.0,
            TimeEvents::AtDiscontinuities,
        );
        assert_eq!(all_events(&t, 0.0, 3), [1.0, 4.0, NEVER]);
        // "time = 1.0: y = 0.0 (before event), 1.0 (after event); 1.5: 2.5; 2.0: 4.0; 5.0: 23.0"
        assert_eq!(t.value(1, 1.0, 1.0, 1.0).unwrap()[0], 0.0);
        assert_eq!(t.value(1, 1.0, 4.0, 1.0).unwrap()[0], 1.0);
        assert_eq!(t.value(1, 1.5, 4.0, 4.0).unwrap()[0], 2.5);
        assert_eq!(t.value(1, 2.0, 4.0, 4.0).unwrap()[0], 4.0);
        assert_eq!(t.value(1, 5.0, NEVER, NEVER).unwrap(), [23.0, 7.0, 0.0]);
        let t = table(&example(), Smoothness::Linear, Extrapolation::Linear, 0.0, 0.0, TimeEvents::Always);
        assert_eq!(all_events(&t, 0.0, 5), [1.0, 2.0, 3.0, 4.0, NEVER]);
        let t = table(&example(), Smoothness::Linear, Extrapolation::Linear, 0.0, 0.0, TimeEvents::None);
        assert_eq!(all_events(&t, 0.0, 2), [4.0, NEVER]);
    }

    #[test]
    fn start_and_shift() {
        let t = table(&example(), Smoothness::Linear, Extrapolation::Hold, 0.5, 2.0, TimeEvents::Always);
        assert_eq!(all_events(&t, 0.0, 4), [0.5, 2.0, 3.0, 4.0]);
        assert_eq!(t.value(1, 0.2, 0.5, 0.5).unwrap()[0], 0.0);
        // Between the start and the beginning of the table the first value is held.
        assert_eq!(t.value(1, 1.0, 2.0, 2.0).unwrap()[0], 0.0);
        assert_eq!(t.value(1, 4.5, 5.0, 5.0).unwrap()[0], 6.5);
        assert_eq!(t.value(1, 9.0, NEVER, NEVER).unwrap(), [16.0, 0.0, 0.0]);
    }

    #[test]
    fn steps_have_left_and_right_limits() {
        let data = rows(&[[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]);
        let t = table(&data, Smoothness::Constant, Extrapolation::Hold, 0.0, 0.0, TimeEvents::Always);
        assert_eq!(t.value(1, 1.0, 1.0, 1.0).unwrap()[0], 1.0);
        assert_eq!(t.value(1, 1.0, 2.0, 1.0).unwrap()[0], 2.0);
        assert_eq!(t.value(1, 2.0, 2.0, 2.0).unwrap()[0], 2.0);
        assert_eq!(t.value(1, 2.0, NEVER, 2.0).unwrap()[0], 3.0);
        // Rounding may put the time of the event just before it.
        assert_eq!(t.value(1, 1.0 - 1e-15, 2.0, 1.0).unwrap()[0], 2.0);
        assert_eq!(t.next_event(1.0 - 1e-15), 2.0);
    }

    #[test]
    fn periods() {
        let data = rows(&[[0.0, 0.0], [0.3, 3.0], [0.7, 7.0]]);
        let t = table(&data, Smoothness::Linear, Extrapolation::Periodic, 0.0, 0.0, TimeEvents::Always);
        let events = all_events(&t, 0.0, 7);
        for (got, want) in events.iter().zip([0.3, 0.7, 1.0, 1.4, 1.7, 2.1, 2.4]) {
            assert!((got - want).abs() < 1e-12, "{events:?}");
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        // The left limit at the end of a period, the right one after the event.
        close(t.value(1, events[1], events[1], events[1]).unwrap()[0], 7.0);
        close(t.value(1, events[1], events[2], events[1]).unwrap()[0], 0.0);
        close(t.value(1, 1.55, events[4], events[4]).unwrap()[0], 1.5);
        close(t.value(1, 2.0, events[5], events[5]).unwrap()[0], 6.0);
        let steps = table(&data, Smoothness::Constant, Extrapolation::Periodic, 0.0, 0.0, TimeEvents::Always);
        close(steps.value(1, events[1], events[1], events[1]).unwrap()[0], 3.0);
        close(steps.value(1, events[1], events[2], events[1]).unwrap()[0], 0.0);
    }

    #[test]
    fn no_extrapolation_is_an_error() {
        let t = table(&example(), Smoothness::Linear, Extrapolation::None, 0.0, 0.0, TimeEvents::Always);
        assert_eq!(t.value(1, 4.0, NEVER, 4.0).unwrap()[0], 16.0);
        assert!(t.value(1, 4.1, NEVER, NEVER).is_err());
    }

    #[test]
    fn smooth_curves_have_events_at_the_ends_only() {
        let data = rows(&[[1.0, 0.0], [2.0, 1.0], [3.0, 4.0], [4.0, 9.0]]);
        let t = table(&data, Smoothness::Akima, Extrapolation::Linear, 0.0, 0.0, TimeEvents::None);
        assert_eq!(all_events(&t, 0.0, 3), [1.0, 4.0, NEVER]);
        let jet = t.value(1, 2.5, 4.0, 4.0).unwrap();
        assert!((jet[0] - 2.25).abs() < 1e-12 && (jet[1] - 3.0).abs() < 1e-12);
        assert_eq!(t.value(1, 0.5, 1.0, 1.0).unwrap()[0], 0.0);
    }
}
