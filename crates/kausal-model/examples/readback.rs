//! `readback FOLDER JSON [FILTER] [--write FOLDER]`: flattens every model of the reference list, prints the flat model,
//! reads the text back and prints it again. Both texts must be the same (the text stands alone: it is read without the
//! library). One line per model for which this fails, with the first line that differs; `--write` keeps both texts of
//! those models.

mod common;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use kausal_model::{NoFiles, Workspace, print_flat};

use common::workspace;
use kausal_syntax::Diagnostic;

/// What became of one model.
enum Outcome {
    Same,
    /// The model itself has errors.
    NotFlat(String),
    /// The text has errors when it is read.
    Unreadable(String, String),
    /// Both texts.
    Differs(String, String),
    Panicked,
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let write = args.iter().position(|a| a == "--write").and_then(|at| {
        args.remove(at);
        (at < args.len()).then(|| args.remove(at))
    });
    let [folder, json, rest @ ..] = args.as_slice() else {
        eprintln!("usage: readback FOLDER JSON [FILTER] [--write FOLDER]");
        std::process::exit(2);
    };
    let filter = rest.first().map_or("", String::as_str);
    let text = std::fs::read_to_string(json).unwrap_or_default();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut flatten, mut print) = (0.0, 0.0);
    let mut ws = workspace(folder);
    for name in text.lines().filter_map(model_name).filter(|name| name.contains(filter)) {
        let outcome = catch_unwind(AssertUnwindSafe(|| readback(&mut ws, name, (&mut flatten, &mut print))));
        let outcome = outcome.unwrap_or_else(|_| {
            ws = workspace(folder);
            Outcome::Panicked
        });
        *counts.entry(report(name, &outcome, write.as_deref())).or_default() += 1;
    }
    for (what, n) in counts {
        println!("{n:5} {what}");
    }
    println!("flattening {flatten:.1} s, printing {print:.1} s");
}

fn readback(ws: &mut Workspace, name: &str, (flatten, print): (&mut f64, &mut f64)) -> Outcome {
    let begin = Instant::now();
    let (flat, diagnostics) = ws.flatten(name);
    *flatten += begin.elapsed().as_secs_f64();
    let Some(flat) = flat else { return Outcome::NotFlat(first_error(&diagnostics)) };
    let begin = Instant::now();
    let text = print_flat(&flat);
    *print += begin.elapsed().as_secs_f64();
    drop(flat);
    let mut alone = Workspace::new(Box::new(NoFiles));
    let (classes, diagnostics) = alone.add_source("flat.mo", &text);
    if !diagnostics.is_empty() {
        return Outcome::Unreadable(placed(&alone, &diagnostics), text);
    }
    let Some(class) = classes.first() else { return Outcome::Unreadable("no class".to_owned(), text) };
    let (again, diagnostics) = alone.flatten(class);
    let Some(again) = again else { return Outcome::Unreadable(placed(&alone, &diagnostics), text) };
    let second = print_flat(&again);
    if second == text { Outcome::Same } else { Outcome::Differs(text, second) }
}

fn first_error(diagnostics: &[Diagnostic]) -> String {
    let first = diagnostics.iter().find(|d| d.is_error()).or(diagnostics.first());
    first.map_or(String::new(), |d| format!("{} {}", d.code, d.message))
}

/// The first error with the line it points to.
fn placed(ws: &Workspace, diagnostics: &[Diagnostic]) -> String {
    let label = diagnostics.iter().find(|d| d.is_error()).and_then(|d| d.labels.first());
    let line = label.map_or(String::new(), |l| {
        let (line, _) = ws.sources().line_column(l.location.source, l.location.span.start);
        let text = ws.sources().get(l.location.source).text.lines().nth(line - 1).unwrap_or_default();
        format!("\n  {line}: {}", short(text))
    });
    first_error(diagnostics) + &line
}

fn short(line: &str) -> String {
    let mut text: String = line.trim().chars().take(200).collect();
    if line.trim().chars().count() > 200 {
        text.push('…');
    }
    text
}

/// The first differing line, from a little before the place where it differs.
fn difference(first: &str, second: &str) -> String {
    let mut second = second.lines();
    for (i, a) in first.lines().enumerate() {
        let b = second.next().unwrap_or("(end)");
        if a != b {
            let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count().saturating_sub(60);
            let tail = |t: &str| short(&t.chars().skip(same).collect::<String>());
            return format!("line {}\n  - {}\n  + {}", i + 1, tail(a), tail(b));
        }
    }
    "the second text is longer".to_owned()
}

fn report(name: &str, outcome: &Outcome, write: Option<&str>) -> &'static str {
    let keep = |suffix: &str, text: &str| {
        if let Some(folder) = write
            && let Err(e) = std::fs::write(format!("{folder}/{name}.{suffix}.mo"), text)
        {
            eprintln!("{folder}: {e}");
        }
    };
    match outcome {
        Outcome::Same => "read back to the same text",
        Outcome::NotFlat(why) => {
            println!("fails     {name}: {why}");
            "not flattened"
        }
        Outcome::Unreadable(why, text) => {
            println!("unread    {name}: {why}");
            keep("1", text);
            "cannot be read back"
        }
        Outcome::Differs(first, second) => {
            println!("differs   {name}: {}", difference(first, second));
            keep("1", first);
            keep("2", second);
            "read back to another text"
        }
        Outcome::Panicked => {
            println!("panics    {name}");
            "panicked"
        }
    }
}

/// `"model": "…"` of one line.
fn model_name(line: &str) -> Option<&str> {
    Some(line.split_once("\"model\": \"")?.1.split_once('"')?.0)
}
