//! How a model is run: tolerance, method and switches, chosen at random like everything else.

use crate::choices::Choices;

/// Options of `kausal simulate`.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Relative tolerance.
    pub tolerance: f64,
    /// Number of output intervals.
    pub intervals: usize,
    /// Method and switches.
    pub arguments: Vec<String>,
}

const TOLERANCES: [f64; 4] = [1e-6, 1e-4, 1e-3, 1e-8];
const METHODS: [&str; 12] = [
    "",
    "",
    "",
    "",
    "",
    "",
    "--method bdf",
    "--method radau",
    "--method esdirk4",
    "--method rosenbrock",
    "--inline bdf",
    "--inline radau",
];
const INTERVALS: [usize; 4] = [500, 50, 200, 1000];

/// Chooses.
pub fn choose(choices: &mut Choices) -> Options {
    let tolerance = *choices.pick("option.tolerance", &TOLERANCES);
    let intervals = *choices.pick("option.intervals", &INTERVALS);
    let mut arguments: Vec<String> =
        choices.pick("option.method", &METHODS).split_whitespace().map(str::to_owned).collect();
    for (name, words, probability) in [
        ("option.tearing", "--tearing off", 0.1),
        ("option.relaxing", "--relaxing off", 0.1),
        ("option.interpret", "--interpret", 0.1),
    ] {
        if choices.flag(name, probability) {
            arguments.extend(words.split_whitespace().map(str::to_owned));
        }
    }
    Options { tolerance, intervals, arguments }
}

impl Options {
    /// As words of a command line.
    pub fn words(&self, stop: f64) -> Vec<String> {
        let mut words = vec![
            "--stop".to_owned(),
            format!("{stop:?}"),
            "--tolerance".to_owned(),
            format!("{:?}", self.tolerance),
            "--number-of-intervals".to_owned(),
            self.intervals.to_string(),
        ];
        words.extend(self.arguments.iter().cloned());
        words
    }

    /// The method alone, for counting.
    pub fn method(&self) -> String {
        match self.arguments.first().map(String::as_str) {
            Some("--method") => self.arguments[1].clone(),
            Some("--inline") => format!("inline {}", self.arguments[1]),
            _ => "auto".to_owned(),
        }
    }
}
