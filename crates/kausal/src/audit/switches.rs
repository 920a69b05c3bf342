//! The conditions that change in a run, and which change in one run is which in another.
//!
//! A condition is a relation of the program, held between events. Its changes alternate, so those of two runs are two sequences
//! of instants; they are aligned like texts, by dynamic programming (Needleman and Wunsch 1970): as many pairs as possible,
//! and among such alignments the one with the smallest sum of shifts. What stays without a partner happened in one run only.

use kausal_runtime::Machine;

/// Changes that are kept of a run: what changes more often is chattering, and nobody compares it one by one.
const MAX_SWITCHES: usize = 1_000_000;

/// Alignments are looked for in a band this much wider than the difference of the lengths needs.
const SPARE_BAND: usize = 8;

/// A condition changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Switch {
    /// Its place among the relations of the program.
    pub relation: u32,
    /// When.
    pub time: f64,
    /// Does it hold from then on?
    pub holds: bool,
    /// There is an event at this instant. A condition that decides nothing at present is not searched for; that it has changed
    /// is seen at an output point, whenever that is.
    pub located: bool,
}

/// The changes of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct SwitchLog {
    last: Vec<bool>,
    /// The instant of the last record; an event has two.
    time: f64,
    pub switches: Vec<Switch>,
}

impl SwitchLog {
    /// Compares with what was recorded before.
    pub fn look(&mut self, machine: &Machine) {
        let relations = &machine.model().program.relations;
        let holds = |i: usize| machine.values[relations[i].variable.index()] != 0.0;
        let located = std::mem::replace(&mut self.time, machine.time) == machine.time;
        if self.last.len() != relations.len() {
            self.last = (0..relations.len()).map(holds).collect();
            return;
        }
        for (i, last) in self.last.iter_mut().enumerate() {
            let now = holds(i);
            if now != *last {
                *last = now;
                if self.switches.len() < MAX_SWITCHES {
                    let (relation, time) = (i as u32, machine.time);
                    self.switches.push(Switch { relation, time, holds: now, located });
                }
            }
        }
    }

    /// Not all of them were kept.
    pub fn is_full(&self) -> bool {
        self.switches.len() >= MAX_SWITCHES
    }

    /// Those of each relation, by their places in the log.
    fn by_relation(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.last.len()];
        for (i, switch) in self.switches.iter().enumerate() {
            found[switch.relation as usize].push(i);
        }
        found
    }
}

/// Changes of one run and their partners in another, by their places in the logs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alignment {
    pub pairs: Vec<(usize, usize)>,
    pub only_first: Vec<usize>,
    pub only_second: Vec<usize>,
}

/// Finds the partners of all changes.
pub(crate) fn align(first: &SwitchLog, second: &SwitchLog) -> Alignment {
    let mut found = Alignment::default();
    let (ours, theirs) = (first.by_relation(), second.by_relation());
    let none = Vec::new();
    for r in 0..ours.len().max(theirs.len()) {
        let (a, b) = (ours.get(r).unwrap_or(&none), theirs.get(r).unwrap_or(&none));
        let of = |log: &SwitchLog, places: &[usize]| -> Vec<Switch> {
            places.iter().map(|i| log.switches[*i]).collect()
        };
        let pairs = partners(&of(first, a), &of(second, b));
        let (mut left, mut right) = (vec![true; a.len()], vec![true; b.len()]);
        for (i, j) in pairs {
            (left[i], right[j]) = (false, false);
            found.pairs.push((a[i], b[j]));
        }
        found.only_first.extend(a.iter().zip(left).filter(|(_, alone)| *alone).map(|(i, _)| *i));
        found.only_second.extend(b.iter().zip(right).filter(|(_, alone)| *alone).map(|(j, _)| *j));
    }
    found
}

/// The best so far: pairs, and the sum of their shifts.
#[derive(Clone, Copy)]
struct Score(u32, f64);

impl Score {
    const WORST: Score = Score(0, f64::INFINITY);

    fn is_better(self, than: Score) -> bool {
        self.0 > than.0 || (self.0 == than.0 && self.1 < than.1)
    }
}

/// Pairs of two sequences of changes of one condition, ascending.
fn partners(a: &[Switch], b: &[Switch]) -> Vec<(usize, usize)> {
    let same_way = |i: usize, j: usize| a[i].holds == b[j].holds;
    if a.len() == b.len() && (0..a.len()).all(|i| same_way(i, i)) {
        return (0..a.len()).map(|i| (i, i)).collect();
    }
    // Row i has the columns from i - below to i + above, as far as there are some.
    let below = a.len().saturating_sub(b.len()) + SPARE_BAND;
    let above = b.len().saturating_sub(a.len()) + SPARE_BAND;
    let width = below + above + 1;
    if (a.len() + 1).saturating_mul(width) > 40 * MAX_SWITCHES {
        let common = a.len().min(b.len());
        return (0..common).filter(|&i| same_way(i, i)).map(|i| (i, i)).collect();
    }
    let at = |i: usize, j: usize| (j + below).checked_sub(i).filter(|k| *k < width).map(|k| i * width + k);
    let mut scores = vec![Score::WORST; (a.len() + 1) * width];
    let get = |scores: &[Score], i: usize, j: usize| at(i, j).map_or(Score::WORST, |k| scores[k]);
    let matched = |scores: &[Score], i: usize, j: usize| {
        let before = get(scores, i - 1, j - 1);
        Score(before.0 + 1, before.1 + (a[i - 1].time - b[j - 1].time).abs())
    };
    for i in 0..=a.len() {
        for j in i.saturating_sub(below)..=(i + above).min(b.len()) {
            let mut best = if i == 0 || j == 0 { Score(0, 0.0) } else { Score::WORST };
            let mut offer = |score: Score| {
                if score.is_better(best) {
                    best = score;
                }
            };
            if i > 0 {
                offer(get(&scores, i - 1, j));
            }
            if j > 0 {
                offer(get(&scores, i, j - 1));
            }
            if i > 0 && j > 0 && same_way(i - 1, j - 1) {
                offer(matched(&scores, i, j));
            }
            if let Some(k) = at(i, j) {
                scores[k] = best;
            }
        }
    }
    let (mut i, mut j, mut pairs) = (a.len(), b.len(), Vec::new());
    while i > 0 && j > 0 {
        let here = get(&scores, i, j);
        let is_here = |score: Score| score.0 == here.0 && score.1 == here.1;
        if same_way(i - 1, j - 1) && is_here(matched(&scores, i, j)) {
            pairs.push((i - 1, j - 1));
            (i, j) = (i - 1, j - 1);
        } else if is_here(get(&scores, i - 1, j)) {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(times: &[f64]) -> Vec<Switch> {
        let switch =
            |(i, time): (usize, &f64)| Switch { relation: 0, time: *time, holds: i % 2 == 0, located: true };
        times.iter().enumerate().map(switch).collect()
    }

    #[test]
    fn equal_sequences_are_partners_in_order() {
        let pairs = partners(&sequence(&[1.0, 2.0, 3.0]), &sequence(&[1.1, 2.1, 9.0]));
        assert_eq!(pairs, [(0, 0), (1, 1), (2, 2)]);
    }

    /// A pulse in between is missing; what comes after it is not shifted by one.
    #[test]
    fn a_missing_pulse_leaves_the_others_where_they_are() {
        let (whole, less) = (sequence(&[1.0, 1.1, 2.0, 2.1, 3.0, 3.1]), sequence(&[1.0, 1.1, 3.01, 3.1]));
        assert_eq!(partners(&whole, &less), [(0, 0), (1, 1), (4, 2), (5, 3)]);
        assert_eq!(partners(&less, &whole), [(0, 0), (1, 1), (2, 4), (3, 5)]);
        assert_eq!(partners(&whole, &[]), []);
    }

    #[test]
    fn what_is_alone_is_known() {
        let log = |times: &[f64]| SwitchLog { last: vec![false], time: 9.0, switches: sequence(times) };
        let found = align(&log(&[1.0, 1.1]), &log(&[]));
        assert_eq!((found.pairs.len(), found.only_first, found.only_second), (0, vec![0, 1], vec![]));
    }
}
