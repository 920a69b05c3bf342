//! What the commands do.

mod doc;
mod draw;
mod explain;
mod export;
mod format;
mod import;
mod linearize;
mod lint;
mod lsp;
mod model;
mod parse;
mod results;
mod shell;
mod simulate;
mod studio;
mod sweep;
mod verify;
mod written;

use std::process::ExitCode;

use kausal::Sources;

use crate::arguments::Command;
use crate::output;

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

/// A name of a stage in this variable makes the program fail there as if by a fault of its own: for tests of what happens then.
const TEST_FAULT: &str = "KAUSAL_TEST_FAULT";

/// Is the program to fail in this stage?
fn is_to_fail(stage: &str) -> bool {
    std::env::var_os(TEST_FAULT).is_some_and(|wanted| wanted == stage)
}

/// Runs a command. A fault of this program is a diagnostic.
pub fn run(command: Command) -> Outcome {
    kausal::internal::silence();
    match kausal::internal::guarded(|| dispatch(command)) {
        Ok(outcome) => outcome,
        Err(fault) => {
            output::show(&[fault], &Sources::default());
            Outcome::Wrong
        }
    }
}

fn dispatch(command: Command) -> Outcome {
    if is_to_fail("command") {
        panic!("asked for by {TEST_FAULT}");
    }
    let done = match command {
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Format(arguments) => return format::run(&arguments),
        Command::Lint(arguments) => lint::lint(&arguments),
        Command::Fix(arguments) => lint::fix(&arguments),
        Command::Lsp(arguments) => lsp::run(&arguments),
        Command::Studio(arguments) => studio::run(&arguments),
        Command::Check(arguments) => model::check(&arguments),
        Command::Flatten(arguments) => model::flatten(&arguments),
        Command::Translate(arguments) => return model::translate(&arguments),
        Command::Doc(arguments) => doc::run(&arguments),
        Command::Draw(arguments) => draw::run(&arguments),
        Command::Explain(arguments) => return explain::run(&arguments),
        Command::Simulate(arguments) => return simulate::run(&arguments),
        Command::Sweep(arguments) => return sweep::run(&arguments),
        Command::Linearize(arguments) => return linearize::run(&arguments),
        Command::Export(arguments) => return export::run(&arguments),
        Command::Import(arguments) => return import::run(&arguments),
        Command::Compare(arguments) => results::compare(&arguments),
        Command::Recover(arguments) => results::recover(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::VerifyModel(arguments) => verify::model(&arguments),
        Command::Plot(arguments) => results::plot(&arguments),
        Command::Examples(arguments) => model::examples(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
    };
    Outcome::from(done)
}
