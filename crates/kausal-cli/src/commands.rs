//! What the commands do.

mod explain;
mod model;
mod parse;
mod results;
mod shell;
mod simulate;
mod verify;

use std::process::ExitCode;

use crate::arguments::Command;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Done,
    /// The model or the result is wrong.
    Wrong,
    /// What was asked for makes no sense.
    Misused,
}

impl From<bool> for Outcome {
    fn from(done: bool) -> Outcome {
        if done { Outcome::Done } else { Outcome::Wrong }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::Wrong => ExitCode::FAILURE,
            Outcome::Misused => ExitCode::from(2),
        }
    }
}

/// Runs a command.
pub fn run(command: Command) -> ExitCode {
    let done = match command {
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Check(arguments) => model::check(&arguments),
        Command::Flatten(arguments) => model::flatten(&arguments),
        Command::Translate(arguments) => return model::translate(&arguments).into(),
        Command::Explain(arguments) => return explain::run(&arguments).into(),
        Command::Simulate(arguments) => return simulate::run(&arguments).into(),
        Command::Compare(arguments) => results::compare(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::VerifyModel(arguments) => verify::model(&arguments),
        Command::Plot(arguments) => results::plot(&arguments),
        Command::Examples(arguments) => model::examples(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
    };
    Outcome::from(done).into()
}
