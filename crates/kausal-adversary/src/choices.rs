//! Named random choices: everything random about a model goes through here and is recorded under a name, so that a
//! model can be made again with some choices replaced by simpler ones. That is all `reduce` needs to know of families.

use std::collections::BTreeMap;

use crate::random::Random;

/// What kind of choice it was, with what a simpler one is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number within bounds.
    Number {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// One of so many, the first of them the simplest.
    Pick {
        /// How many there are.
        count: usize,
        /// The number of the simplest.
        first: usize,
    },
}

/// A recorded choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Its kind.
    pub kind: Kind,
    /// What was chosen.
    pub value: f64,
}

/// Choices by name.
pub type Record = BTreeMap<String, Choice>;

/// Where a generator gets its choices from.
pub struct Choices {
    random: Random,
    given: BTreeMap<String, f64>,
    replays: bool,
    record: Record,
}

impl Choices {
    /// Random ones.
    pub fn new(random: Random) -> Self {
        Choices { random, given: BTreeMap::new(), replays: false, record: Record::new() }
    }

    /// Those given, and the simplest for all others.
    pub fn given(values: BTreeMap<String, f64>) -> Self {
        Choices { random: Random::new(0), given: values, replays: true, record: Record::new() }
    }

    /// What was chosen.
    pub fn into_record(self) -> Record {
        self.record
    }

    fn choose(&mut self, name: &str, kind: Kind, draw: impl Fn(&mut Random) -> f64, simplest: f64) -> f64 {
        debug_assert!(!self.record.contains_key(name), "two choices are called {name}");
        let value = match (self.replays, self.given.get(name)) {
            (true, Some(value)) => match kind {
                Kind::Number { low, high } => value.clamp(low, high),
                Kind::Pick { count, first } => value.clamp(first as f64, (first + count - 1) as f64),
            },
            (true, None) => simplest,
            (false, _) => draw(&mut self.random),
        };
        self.record.insert(name.to_owned(), Choice { kind, value });
        value
    }

    /// Uniform between two bounds.
    pub fn number(&mut self, name: &str, low: f64, high: f64) -> f64 {
        let middle = 0.5 * (low + high);
        self.choose(name, Kind::Number { low, high }, |r| low + (high - low) * r.unit(), middle)
    }

    /// With a uniform logarithm between two positive bounds.
    pub fn scale(&mut self, name: &str, low: f64, high: f64) -> f64 {
        let draw = |r: &mut Random| low * (high / low).powf(r.unit());
        self.choose(name, Kind::Number { low, high }, draw, (low * high).sqrt())
    }

    /// A whole number from `first` to `last`.
    pub fn count(&mut self, name: &str, first: usize, last: usize) -> usize {
        let count = last - first + 1;
        let kind = Kind::Pick { count, first };
        self.choose(name, kind, |r| (first + r.below(count)) as f64, first as f64) as usize
    }

    /// One of several, the first the simplest.
    pub fn pick<'a, T>(&mut self, name: &str, of: &'a [T]) -> &'a T {
        &of[self.count(name, 0, of.len() - 1)]
    }

    /// Yes with the given probability.
    pub fn flag(&mut self, name: &str, probability: f64) -> bool {
        let kind = Kind::Pick { count: 2, first: 0 };
        self.choose(name, kind, |r| f64::from(r.unit() < probability), 0.0) > 0.5
    }
}
