//! File tests of the passes: `tests/passes/*.txt`.
//!
//! ```text
//! What it shows, in a sentence or two.
//! pass: alias
//! option: tearing=off
//! ---
//! model M … end M;
//! ---
//! what the model is after the pass
//! ```
//!
//! The input may be a program in its [text form](kausal_translate::text), too; then the pass is `verify`, and what comes out is
//! `correct` or the faults. `KAUSAL_PASSES=write cargo test -p kausal-translate --test passes` writes what comes out into
//! the files: read every difference before it is committed.

mod support;

use std::path::{Path, PathBuf};

use kausal_translate::{Commands, Inline, Loops, Options, Relaxing, Tearing, passes, text};

/// The parts of a file.
struct Case {
    head: String,
    pass: String,
    options: Options,
    input: String,
    expected: String,
}

fn case(content: &str) -> Case {
    let mut parts = content.splitn(3, "---\n");
    let mut next = || parts.next().unwrap_or_default().to_owned();
    let (head, input, expected) = (next(), next(), next());
    let mut options = Options::default();
    let mut pass = String::new();
    for line in head.lines() {
        if let Some(name) = line.strip_prefix("pass: ") {
            name.clone_into(&mut pass);
        } else if let Some((name, value)) = line.strip_prefix("option: ").and_then(|o| o.split_once('=')) {
            set(&mut options, name, value);
        }
    }
    Case { head, pass, options, input, expected }
}

fn set(options: &mut Options, name: &str, value: &str) {
    match (name, value) {
        ("tearing", "off") => options.tearing = Tearing::Off,
        ("tearing", "declared") => options.tearing = Tearing::Declared,
        ("relaxing", "off") => options.relaxing = Relaxing::Off,
        ("relaxing", "declared") => options.relaxing = Relaxing::Declared,
        ("loops", "jacobi") => options.loops = Loops::Jacobi,
        ("loops", "gauss-seidel") => options.loops = Loops::GaussSeidel,
        ("commands", commands) => options.commands = Commands::parse(commands).0,
        ("untorn", variable) => options.untorn.push(variable.to_owned()),
        ("inline", method) => {
            let found = Inline::ALL.iter().find(|(_, name)| *name == method);
            options.inline = found.unwrap_or_else(|| panic!("no method {method}")).0;
        }
        _ => panic!("no option {name}={value}"),
    }
}

/// What comes out.
fn outcome(case: &Case) -> String {
    if case.pass == "verify" {
        return match text::parse(&case.input) {
            Err(error) => format!("{error}\n"),
            Ok(program) => match program.verify() {
                Ok(()) => "correct\n".to_owned(),
                Err(faults) => format!("{faults}\n"),
            },
        };
    }
    let flat = support::flat(&case.input);
    passes::after(&case.pass, &flat, &case.options).unwrap_or_else(|said| format!("no program\n{said}"))
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "txt"));
    files.sort();
    files
}

#[test]
fn passes_do_what_their_files_say() {
    let writes = std::env::var("KAUSAL_PASSES").is_ok_and(|v| v == "write");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in files() {
        let content = std::fs::read_to_string(&path).expect("text");
        let case = case(&content);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let outcome = outcome(&case);
        count += 1;
        if outcome == case.expected {
            continue;
        }
        if writes {
            let content = format!("{}---\n{}---\n{outcome}", case.head, case.input);
            std::fs::write(&path, content).expect("written");
        } else {
            wrong.push(format!("{name}: expected\n{}but it is\n{outcome}", case.expected));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 80, "{count} files");
}
