//! Text to people, JSON to programs.
//!
//! How much is said, and whether in colours, is set once at the start: colours on a terminal only, unless asked for,
//! and neither where `NO_COLOR` is set nor on a terminal that has none (`TERM=dumb`).

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

/// Does the terminal say that it can neither colour nor overwrite?
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|v| v == "dumb")
}

/// Colours on stderr?
fn is_colored() -> bool {
    match manner().color {
        Color::Always => true,
        Color::Never => false,
        // A variable that is set to nothing counts as not set.
        Color::Auto => {
            let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
            io::stderr().is_terminal() && !unwanted && !is_dumb()
        }
    }
}

/// Shows diagnostics on stderr; were there errors?
pub fn show(diagnostics: &[Diagnostic], sources: &Sources) -> bool {
    let wanted = diagnostics.iter().filter(|d| d.is_error() || !is_quiet());
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    ERRORS.fetch_add(errors, Ordering::Relaxed);
    let room = MOST_SHOWN.saturating_sub(SHOWN.fetch_add(wanted.clone().count(), Ordering::Relaxed));
    // Of many, errors are shown before the rest.
    let mut said: Vec<&Diagnostic> = wanted.collect();
    if said.len() > room {
        said.sort_by_key(|d| !d.is_error());
        said.truncate(room);
    }
    let said: Vec<Diagnostic> = said.into_iter().cloned().collect();
    if !said.is_empty() {
        let text = render::text(&said, sources, is_colored());
        // Nobody is left to tell when stderr is closed.
        let _ = io::stderr().write_all(text.as_bytes());
    }
    errors > 0
}

/// Shows an error on stderr.
pub fn fail(error: &kausal::Error) {
    ERRORS.fetch_add(1, Ordering::Relaxed);
    let _ = writeln!(io::stderr(), "{error}");
}

/// Diagnostics that are shown; the rest are counted.
const MOST_SHOWN: usize = 100;
/// Diagnostics so far, also those that were not shown, and the errors among them.
static SHOWN: AtomicUsize = AtomicUsize::new(0);
static ERRORS: AtomicUsize = AtomicUsize::new(0);

/// Was an error said?
pub fn has_said_errors() -> bool {
    ERRORS.load(Ordering::Relaxed) > 0
}

/// Tells at the end how many diagnostics were not shown.
pub fn tell_rest() {
    let rest = SHOWN.load(Ordering::Relaxed).saturating_sub(MOST_SHOWN);
    if rest > 0 {
        let errors = ERRORS.load(Ordering::Relaxed);
        let _ = writeln!(
            io::stderr(),
            "{} more not shown; {} in all",
            counted(rest as u64, "diagnostic"),
            counted(errors as u64, "error")
        );
    }
}

/// Something could not be printed.
static BROKEN: AtomicBool = AtomicBool::new(false);

/// Could something not be printed?
pub fn is_broken() -> bool {
    BROKEN.load(Ordering::Relaxed)
}

/// Prints to stdout; a closed pipe is the reader's choice, a full disk is not.
pub fn print(text: &str) {
    let text = render::printable(text);
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
        let _ = writeln!(io::stderr(), "wrote {}", render::printable(&path.display().to_string()));
    }
    let is_page = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html"));
    if manner().open && is_page {
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        browse(whole.as_os_str());
    }
}

/// Opens a page or an address in the browser of the person, if there is one; where it is was said anyway.
pub fn browse(address: &std::ffi::OsStr) {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let started = Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut child) = started {
        std::thread::spawn(move || child.wait());
    }
}

/// How many entries of a list are shown: all with `--verbose`.
pub fn list_length() -> usize {
    if is_verbose() { usize::MAX } else { 20 }
}

/// Is more wanted than usual?
pub fn is_verbose() -> bool {
    manner().verbose
}

/// Tells on stderr what only those want to know who ask for more.
pub fn detail(text: &str) {
    if manner().verbose {
        let _ = io::stderr().write_all(render::printable(text).as_bytes());
    }
}

/// Prints one JSON object.
pub fn print_json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => print(&format!("{}\n", render::printable_json(&text))),
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
