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
/// A third of the runs take the default, as most users do.
const METHODS: [&str; 18] = [
    "",
    "",
    "",
    "",
    "",
    "",
    "--method bdf",
    "--method bdf",
    "--method radau",
    "--method esdirk4",
    "--method esdirk3",
    "--method rosenbrock",
    "--inline bdf",
    "--inline bdf",
    "--inline radau",
    "--inline rosenbrock",
    "--inline mixed",
    "--inline auto",
];
/// Methods whose steps are bounded by the fastest decay: for families without stiff models only.
const EXPLICIT: [&str; 2] = ["--method dopri5", "--method tsit5"];
const INTERVALS: [usize; 7] = [500, 50, 200, 1000, 20, 4000, 3];

/// Chooses; explicit methods only where models are not stiff.
pub fn choose(choices: &mut Choices, stiff: bool) -> Options {
    let tolerance = match choices.flag("option.tolerance.any", 0.3) {
        true => choices.scale("option.tolerance", 1e-8, 1e-3),
        false => *choices.pick("option.tolerance", &TOLERANCES),
    };
    let intervals = *choices.pick("option.intervals", &INTERVALS);
    let method = match !stiff && choices.flag("option.explicit", 0.1) {
        true => choices.pick("option.method", &EXPLICIT),
        false => choices.pick("option.method", &METHODS),
    };
    let mut arguments: Vec<String> = method.split_whitespace().map(str::to_owned).collect();
    for (name, words, probability) in [
        ("option.tearing", "--tearing off", 0.1),
        ("option.relaxing", "--relaxing off", 0.1),
        ("option.interpret", "--interpret", 0.1),
        ("option.jacobian", "--jacobian numeric", 0.05),
    ] {
        // Inlined steps have matrices of their own.
        let refused = name == "option.jacobian" && method.starts_with("--inline");
        if choices.flag(name, probability) && !refused {
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
