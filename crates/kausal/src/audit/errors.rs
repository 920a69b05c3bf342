//! How far two runs of the same model are apart, signal by signal.
//!
//! Both runs have rows at the same output points, and each has rows at its own events. Rows at the same instant are compared:
//! at an event of both what was before it and what is after it. Where an event comes a little earlier in one run than in the
//! other, a signal that jumps there is off by the whole jump in between although nothing but the instant is wrong. In such a
//! window a value is as far off as it is outside the range of what the other run had before its event, after it and now; the
//! shift is reported by itself.

use crate::result::Trajectory;

/// Where an event of the first run and its partner in the second are, if these differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub first: f64,
    pub second: f64,
}

/// Which rows of two runs are compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pairs: Vec<Pair>,
    /// Rows of the second run around its events that the pairs point at.
    around: Vec<u32>,
}

/// A row of the first run and what it is compared with.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: u32,
    second: u32,
    /// More rows of the second run, where the instant is in a window: a stretch of [`Rows::around`].
    from: u32,
    to: u32,
}

/// Rows of one instant.
#[derive(Clone, Copy, Debug)]
struct Group {
    time: f64,
    begin: u32,
    last: u32,
}

/// The largest distance of a column and where it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Largest {
    pub error: f64,
    pub at: f64,
}

impl Rows {
    /// Finds what is to be compared.
    pub fn new(first: &Trajectory, second: &Trajectory, windows: &[Window]) -> Rows {
        let (ours, theirs) = (groups(&first.time), groups(&second.time));
        let around = in_windows(&ours, &theirs, windows);
        let mut rows = Rows::default();
        let mut j = 0;
        for (i, group) in ours.iter().enumerate() {
            while j < theirs.len() && theirs[j].time < group.time {
                j += 1;
            }
            let Some(other) = theirs.get(j).filter(|other| other.time == group.time) else { continue };
            let from = rows.around.len() as u32;
            rows.around.extend_from_slice(&around[i]);
            let to = rows.around.len() as u32;
            rows.pairs.push(Pair { first: group.begin, second: other.begin, from, to });
            if group.last > group.begin || other.last > other.begin {
                rows.pairs.push(Pair { first: group.last, second: other.last, from, to });
            }
        }
        rows
    }

    /// How many rows are compared.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The distances of two columns: rows of the first one and how far they are off.
    fn distances<'a>(
        &'a self,
        ours: &'a [f64],
        theirs: &'a [f64],
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.pairs.iter().map(|pair| {
            let value = ours[pair.first as usize];
            let other = theirs[pair.second as usize];
            let (mut low, mut high) = (other, other);
            for row in &self.around[pair.from as usize..pair.to as usize] {
                let one = theirs[*row as usize];
                (low, high) = (low.min(one), high.max(one));
            }
            (pair.first as usize, (low - value).max(value - high).max(0.0))
        })
    }

    /// The largest distance; `time` are the instants of the first run.
    pub fn largest(&self, time: &[f64], ours: &[f64], theirs: &[f64]) -> Largest {
        self.distances(ours, theirs).fold(Largest::default(), |largest, (row, error)| {
            if error > largest.error { Largest { error, at: time[row] } } else { largest }
        })
    }

    /// The distance at each row of the first run. Between rows that are compared it is the larger one of these.
    pub fn band(&self, ours: &[f64], theirs: &[f64]) -> Vec<f64> {
        let mut band = vec![f64::NAN; ours.len()];
        for (row, error) in self.distances(ours, theirs) {
            band[row] = error;
        }
        let known: Vec<usize> = (0..band.len()).filter(|row| !band[*row].is_nan()).collect();
        let mut next = 0;
        for row in 0..band.len() {
            if next < known.len() && known[next] == row {
                next += 1;
                continue;
            }
            let before = next.checked_sub(1).map_or(0.0, |k| band[known[k]]);
            let after = known.get(next).map_or(0.0, |k| band[*k]);
            band[row] = before.max(after);
        }
        band
    }
}

/// The rows of each instant.
fn groups(time: &[f64]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (row, &time) in time.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if group.time == time => group.last = row as u32,
            _ => groups.push(Group { time, begin: row as u32, last: row as u32 }),
        }
    }
    groups
}

/// For each instant of the first run, the rows of the second one around the events in whose windows it is.
fn in_windows(ours: &[Group], theirs: &[Group], windows: &[Window]) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); ours.len()];
    for window in windows {
        let Ok(event) = theirs.binary_search_by(|g| g.time.total_cmp(&window.second)) else { continue };
        let (low, high) = (window.first.min(window.second), window.first.max(window.second));
        let begin = ours.partition_point(|g| g.time < low);
        for (group, rows) in ours[begin..].iter().zip(&mut around[begin..]) {
            if group.time > high {
                break;
            }
            rows.extend([theirs[event].begin, theirs[event].last]);
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trajectory(rows: &[(f64, f64)]) -> Trajectory {
        let (time, values) = rows.iter().copied().unzip();
        Trajectory { time, signals: Vec::new(), columns: vec![values] }
    }

    fn largest(first: &Trajectory, second: &Trajectory, windows: &[Window]) -> (f64, f64) {
        let rows = Rows::new(first, second, windows);
        let found = rows.largest(&first.time, &first.columns[0], &second.columns[0]);
        (found.error, found.at)
    }

    #[test]
    fn rows_of_one_instant_are_compared() {
        let first = trajectory(&[(0.0, 0.0), (1.0, 1.0), (1.5, 7.0), (2.0, 2.0)]);
        let second = trajectory(&[(0.0, 0.0), (1.0, 1.25), (1.25, -9.0), (2.0, 2.125)]);
        assert_eq!(largest(&first, &second, &[]), (0.25, 1.0));
        let rows = Rows::new(&first, &second, &[]);
        assert_eq!(rows.band(&first.columns[0], &second.columns[0]), [0.0, 0.25, 0.25, 0.125]);
    }

    /// A jump at 1 in one run and shortly after in the other: the point in between is no error, the level after it is.
    #[test]
    fn a_jump_that_comes_late_is_no_error_of_its_size() {
        let first = trajectory(&[(0.0, 0.0), (1.0, 0.0), (1.0, 10.0), (1.5, 10.0), (2.0, 10.0)]);
        let second = trajectory(&[(0.0, 0.0), (1.0, 0.0), (1.5, 0.0), (1.6, 0.0), (1.6, 10.5), (2.0, 10.5)]);
        assert_eq!(largest(&first, &second, &[]), (10.0, 1.0));
        let window = Window { first: 1.0, second: 1.6 };
        assert_eq!(largest(&first, &second, &[window]), (0.5, 2.0));
    }

    #[test]
    fn events_of_both_are_compared_before_and_after() {
        let first = trajectory(&[(0.0, 0.0), (1.0, 1.0), (1.0, -1.0)]);
        let second = trajectory(&[(0.0, 0.0), (1.0, 1.0), (1.0, -1.5)]);
        assert_eq!(largest(&first, &second, &[]), (0.5, 1.0));
    }
}
