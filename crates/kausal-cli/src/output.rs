//! Text to people, JSON to programs.

use std::io::{self, IsTerminal, Write};

use kausal::{Diagnostic, Sources, render};

/// Shows diagnostics on stderr; were there errors?
pub fn show(diagnostics: &[Diagnostic], sources: &Sources) -> bool {
    if !diagnostics.is_empty() {
        let color = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let text = render::text(diagnostics, sources, color);
        // Nobody is left to tell when stderr is closed.
        let _ = io::stderr().write_all(text.as_bytes());
    }
    diagnostics.iter().any(Diagnostic::is_error)
}

/// Prints to stdout; a closed pipe is the reader's choice.
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints one JSON object.
pub fn print_json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => print(&format!("{text}\n")),
        Err(error) => eprintln!("{error}"),
    }
}
