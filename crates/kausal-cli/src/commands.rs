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

/// Runs a command.
pub fn run(command: Command) -> ExitCode {
    let done = match command {
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Check(arguments) => model::check(&arguments),
        Command::Flatten(arguments) => model::flatten(&arguments),
        Command::Translate(arguments) => model::translate(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Compare(arguments) => results::compare(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::VerifyModel(arguments) => verify::model(&arguments),
        Command::Plot(arguments) => results::plot(&arguments),
        Command::Examples(arguments) => model::examples(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
