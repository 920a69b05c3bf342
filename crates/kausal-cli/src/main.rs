//! The command `kausal`: arguments in, text or JSON out. All work is done by the crate `kausal`.
//!
//! Exit code 0: done; 1: the model or the result is wrong (diagnostics on stderr); 2: wrong usage.

mod arguments;
mod commands;
mod interrupt;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    output::configure(arguments.manner);
    let code = commands::run(arguments.command);
    if output::is_broken() { ExitCode::FAILURE } else { code }
}
