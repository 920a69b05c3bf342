//! Text to people, JSON to programs.
//!
//! How much is said, and whether in colours, is set once at the start: colours on a terminal only, unless asked for,
//! and neither where `NO_COLOR` is set nor on a terminal that has none (`TERM=dumb`).

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use kausal::{Diagnostic, Sources, render};

use crate::arguments::{Color, Manner};

static MANNER: OnceLock<Manner> = OnceLock::new();

/// Sets how things are said; the first call counts.
pub fn configure(manner: Manner) {
    let _ = MANNER.set(manner);
}

fn manner() -> Manner {
    MANNER.get().copied().unwrap_or_default()
}

/// Are only errors wanted?
pub fn is_quiet() -> bool {
    manner().quiet
}

/// Colours on stderr?
fn is_colored() -> bool {
    match manner().color {
        Color::Always => true,
        Color::Never => false,
        // A variable that is set to nothing counts as not set.
        Color::Auto => {
            let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
            io::stderr().is_terminal() && !unwanted && !dumb
        }
    }
}

/// Shows diagnostics on stderr; were there errors?
pub fn show(diagnostics: &[Diagnostic], sources: &Sources) -> bool {
    let said: Vec<Diagnostic> = diagnostics.iter().filter(|d| d.is_error() || !is_quiet()).cloned().collect();
    if !said.is_empty() {
        let text = render::text(&said, sources, is_colored());
        // Nobody is left to tell when stderr is closed.
        let _ = io::stderr().write_all(text.as_bytes());
    }
    diagnostics.iter().any(Diagnostic::is_error)
}

/// Something could not be printed.
static BROKEN: AtomicBool = AtomicBool::new(false);

/// Could something not be printed?
pub fn is_broken() -> bool {
    BROKEN.load(Ordering::Relaxed)
}

/// Prints to stdout; a closed pipe is the reader's choice, a full disk is not.
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe && !BROKEN.swap(true, Ordering::Relaxed) => {
            eprintln!("error[K0918]: the output cannot be written: {error}");
        }
        _ => {}
    }
}

/// Prints what people want to know and may do without.
pub fn say(text: &str) {
    if !is_quiet() {
        print(text);
    }
}

/// Tells on stderr which file was written: stdout is for what was asked for.
pub fn wrote(path: &Path) {
    if !is_quiet() {
        let _ = writeln!(io::stderr(), "wrote {}", path.display());
    }
}

/// Is more wanted than usual?
pub fn is_verbose() -> bool {
    manner().verbose
}

/// Tells on stderr what only those want to know who ask for more.
pub fn detail(text: &str) {
    if manner().verbose {
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Prints one JSON object.
pub fn print_json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => print(&format!("{text}\n")),
        Err(error) => eprintln!("{error}"),
    }
}

/// `1 event`, `2 events`
pub fn counted(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Columns and rows of the terminal, or of a usual one.
pub fn size() -> (usize, usize) {
    if !io::stdout().is_terminal() {
        return (86, 18);
    }
    let (rows, columns) = console::Term::stdout().size();
    (usize::from(columns), usize::from(rows).saturating_sub(6))
}
