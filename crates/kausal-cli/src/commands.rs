//! What the commands do.

mod model;
mod parse;
mod results;
mod simulate;
mod verify;

use std::process::ExitCode;

use crate::arguments::Command;

/// Runs a command.
pub fn run(command: Command) -> ExitCode {
    let done = match command {
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Check(arguments) => model::check(&arguments),
        Command::Flatten(arguments) => model::flatten(&arguments),
        Command::Translate(arguments) => model::translate(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Compare(arguments) => results::compare(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::VerifyModel(arguments) => verify::model(&arguments),
        Command::Plot(arguments) => results::plot(&arguments),
        Command::Examples(arguments) => model::examples(&arguments),
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
