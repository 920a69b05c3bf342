//! `kausal explain`.

use std::path::PathBuf;

use kausal::explain::{self, Extent, json, singular};
use kausal::store::unwritable;
use kausal::{Diagnostic, Session, render};

use super::{Outcome, model};
use crate::arguments::Explain;
use crate::output;

pub fn run(arguments: &Explain) -> Outcome {
    let mut session = model::session(&arguments.model);
    let mut arguments = arguments.clone();
    if !model::adopt(&mut session, &arguments.model, &mut arguments.translation) {
        return Outcome::Wrong;
    }
    let arguments = &arguments;
    if let Some(d) = model::contradiction(&arguments.translation) {
        output::show(&[d], session.sources());
        return Outcome::Misused;
    }
    explained(arguments, session).into()
}

fn explained(arguments: &Explain, mut session: Session) -> bool {
    let Some(flat) = model::flat(&mut session, &arguments.model) else {
        return not_written(arguments, &session, "the model has errors");
    };
    let name = flat.name.clone();
    let mut said = Vec::new();
    let Some((flat, program)) = model::program_of(&mut session, flat, &arguments.translation, &mut said)
    else {
        return unsolvable(arguments, &session, &name, &said);
    };
    let mut files: Vec<(&PathBuf, String)> = Vec::new();
    if let Some(path) = &arguments.html {
        files.push((path, explain::html::write(&flat, &program, session.sources(), &said)));
    }
    if let Some(path) = &arguments.matrix {
        files.push((path, explain::matrix::svg(&program)));
    }
    for (path, text) in &files {
        if !write(arguments, &session, path, text) {
            return false;
        }
    }
    if arguments.json {
        output::print_json(&json::explanation(&flat, &program, session.sources()));
    } else if files.is_empty() {
        let extent = Extent { equations: arguments.equations.unwrap_or_else(output::list_length) };
        output::say(&explain::text(&flat, &program, session.sources(), extent));
    }
    let seconds = session.seconds;
    output::detail(&format!(
        "reading {:.3} s, flattening {:.3} s, translation {:.3} s\n",
        seconds.load, seconds.flatten, seconds.translate
    ));
    true
}

/// A model without a unique solution: what usually causes it, and the parts on a page.
fn unsolvable(arguments: &Explain, session: &Session, model: &str, said: &[Diagnostic]) -> bool {
    let parts = session.singular();
    if arguments.json {
        let diagnostics = render::json(said, session.sources());
        output::print_json(&json::unsolvable(model, parts, diagnostics, session.sources()));
    } else {
        let mut codes: Vec<&str> = said.iter().map(|d| d.code).collect();
        codes.dedup();
        for advice in codes.iter().filter_map(|code| explain::advice(code)) {
            output::say(&format!("\n{}\n", wrapped(advice)));
        }
    }
    match &arguments.html {
        Some(path) if !parts.is_empty() => {
            let page = singular::page(model, parts, said, session.sources());
            write(arguments, session, path, &page);
            false
        }
        _ => not_written(arguments, session, "there is no translation to show"),
    }
}

/// Says which files there are not, and why.
fn not_written(arguments: &Explain, session: &Session, why: &str) -> bool {
    for path in arguments.html.iter().chain(&arguments.matrix) {
        let d = Diagnostic::note("K0907", format!("{} was not written: {why}", path.display()));
        output::show(&[d], session.sources());
    }
    false
}

fn write(arguments: &Explain, session: &Session, path: &PathBuf, text: &str) -> bool {
    if let Err(error) = std::fs::write(path, text) {
        return !output::show(&[unwritable(path, None, &error)], session.sources());
    }
    if !arguments.json {
        output::wrote(path);
    }
    true
}

/// A text in lines that fit into a terminal.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 98;
    let (mut out, mut column) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}
