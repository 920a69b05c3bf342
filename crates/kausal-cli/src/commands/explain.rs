//! `kausal explain`.

use std::path::PathBuf;

use kausal::explain::{self, Extent};
use kausal::store::unwritable;

use super::model;
use crate::arguments::Explain;
use crate::output;

pub fn run(arguments: &Explain) -> bool {
    let mut session = model::session(&arguments.model);
    let mut codes = Vec::new();
    let found = model::program_and_codes(&mut session, &arguments.model, &arguments.translation, &mut codes);
    let Some((flat, program)) = found else {
        codes.dedup();
        for advice in codes.iter().filter_map(|code| explain::advice(code)) {
            output::print(&format!("\n{}\n", wrapped(advice)));
        }
        return false;
    };
    let mut files: Vec<(&PathBuf, String)> = Vec::new();
    if let Some(path) = &arguments.html {
        files.push((path, explain::html::write(&flat, &program, session.sources())));
    }
    if let Some(path) = &arguments.matrix {
        files.push((path, explain::matrix::svg(&program)));
    }
    for (path, text) in &files {
        if let Err(error) = std::fs::write(path, text) {
            return !output::show(&[unwritable(path, None, &error)], session.sources());
        }
        output::say(&format!("wrote {}\n", path.display()));
    }
    if files.is_empty() {
        let extent = Extent { equations: arguments.equations };
        output::print(&explain::text(&flat, &program, session.sources(), extent));
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
