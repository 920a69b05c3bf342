//! The command `kausal`: arguments in, text or JSON out. All work is done by the crate `kausal`.
//!
//! Exit code 0: done; 1: the model or the result is wrong (diagnostics on stderr); 2: wrong usage; 130: ended by Ctrl-C.

mod arguments;
mod commands;
mod interrupt;
mod memory;
mod output;
mod progress;

use std::process::ExitCode;
use std::time::Duration;

use arguments::Command;
use clap::Parser;
use commands::Outcome;

#[global_allocator]
static ALLOCATOR: memory::Watched = memory::Watched;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    output::configure(arguments.manner);
    let (time, memory) = arguments.command.bounds();
    let runs = matches!(arguments.command, Command::Simulate(_) | Command::Sweep(_) | Command::Linearize(_));
    interrupt::begin(time.map(Duration::from_secs_f64), memory::limit(memory), runs);
    let outcome = commands::run(arguments.command);
    output::tell_rest();
    match outcome {
        _ if interrupt::asked() => ExitCode::from(interrupt::INTERRUPTED),
        // An error that was said is never a success.
        Outcome::Done if output::is_broken() || output::has_said_errors() => ExitCode::FAILURE,
        outcome => outcome.into(),
    }
}
