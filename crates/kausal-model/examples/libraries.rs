//! `libraries [--search FOLDER]… [--filter TEXT] [--list] [--units] FOLDER…`: checks all examples of the libraries in the folders
//! given, as `kausal check` does. An example is a model, block or class with an `experiment` annotation that is not
//! partial. Packages the libraries use are looked for in the folders of `--search`. Prints one line per example that
//! fails, then per folder the share that checks and the first errors by code, the most frequent first. With `--units` the
//! units of the examples are checked instead: an example with a warning fails.

mod common;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use kausal_model::Workspace;
use kausal_model::class::annotation_modify;
use kausal_model::library::{DefId, Library};
use kausal_syntax::ast::ClassKind;
use kausal_syntax::{Diagnostic, Symbol};

/// Expressions and classes nest deeply in generated models.
const STACK: usize = 512 << 20;

/// Examples that take longer are named, in seconds.
const SLOW: f64 = 5.0;

struct Options {
    search: Vec<String>,
    filter: String,
    list: bool,
    units: bool,
    folders: Vec<String>,
}

/// What became of the examples of one folder.
#[derive(Default)]
struct Outcome {
    total: usize,
    right: usize,
    /// Code of the first error: how many, the message without numbers and names, an example each.
    codes: BTreeMap<String, Vec<(String, String)>>,
}

fn main() {
    let Some(options) = options() else {
        eprintln!("usage: libraries [--search FOLDER]… [--filter TEXT] [--list] FOLDER…");
        std::process::exit(2);
    };
    let work = move || run(&options);
    match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(thread) => {
            let _ = thread.join();
        }
        Err(e) => eprintln!("{e}"),
    }
}

fn options() -> Option<Options> {
    let mut options =
        Options { search: Vec::new(), filter: String::new(), list: false, units: false, folders: Vec::new() };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--search" => options.search.push(args.next()?),
            "--filter" => options.filter = args.next()?,
            "--list" => options.list = true,
            "--units" => options.units = true,
            _ => options.folders.push(arg),
        }
    }
    (!options.folders.is_empty()).then_some(options)
}

fn run(options: &Options) {
    let mut summary = Vec::new();
    for folder in &options.folders {
        let mut ws = workspace(folder, &options.search);
        let names: Vec<String> =
            examples(&mut ws, folder).into_iter().filter(|n| n.contains(&options.filter)).collect();
        if options.list {
            names.iter().for_each(|name| println!("{name}"));
            continue;
        }
        let mut outcome = Outcome::default();
        for name in names {
            let begin = Instant::now();
            outcome.total += 1;
            let error = catch_unwind(AssertUnwindSafe(|| match options.units {
                true => first_unit(&mut ws, folder, &name),
                false => first_error(&mut ws, folder, &name),
            }));
            let error = error.unwrap_or_else(|_| {
                ws = workspace(folder, &options.search);
                Some(("panic".to_owned(), String::new()))
            });
            match error {
                None => outcome.right += 1,
                Some((code, message)) => {
                    println!("fail {name}: {code} {message}");
                    outcome.codes.entry(code).or_default().push((name.clone(), message));
                }
            }
            let seconds = begin.elapsed().as_secs_f64();
            if seconds > SLOW {
                println!("slow {name}: {seconds:.1} s");
            }
        }
        summary.push((folder.clone(), outcome));
    }
    if !options.list {
        print(&summary);
    }
}

fn workspace(folder: &str, search: &[String]) -> Workspace {
    let mut ws = common::workspace(folder);
    search.iter().for_each(|folder| ws.add_folder(folder));
    ws
}

/// The code of the first error and the message with its place; `None` if the model checks.
fn first_error(ws: &mut Workspace, folder: &str, name: &str) -> Option<(String, String)> {
    let (flat, diagnostics) = ws.flatten(name);
    if let Some(d) = diagnostics.iter().find(|d| d.is_error()) {
        return Some((d.code.to_owned(), with_place(ws, folder, d)));
    }
    let counts = kausal_model::check::count(&flat?);
    let words = || format!("{} equations, {} unknowns", counts.equations, counts.unknowns);
    (!counts.balanced()).then(|| ("balance".to_owned(), words()))
}

/// The first unit warning; all are printed.
fn first_unit(ws: &mut Workspace, folder: &str, name: &str) -> Option<(String, String)> {
    let classes = ws.classes();
    let klass = classes.by_path(name)?;
    let found = kausal_model::units::check(classes, klass);
    for d in &found {
        println!("unit {} {}", d.code, with_place(ws, folder, d));
    }
    let first = found.first()?;
    Some((first.code.to_owned(), with_place(ws, folder, first)))
}

fn with_place(ws: &mut Workspace, folder: &str, d: &Diagnostic) -> String {
    let place = d.labels.first().map_or(String::new(), |l| {
        let (line, _) = ws.sources().line_column(l.location.source, l.location.span.start);
        format!(" [{}:{line}]", ws.sources().get(l.location.source).name.replace(folder, ""))
    });
    format!("{}{place}", d.message)
}

/// The full names of all examples in the packages of a folder.
fn examples(ws: &mut Workspace, folder: &str) -> Vec<String> {
    let lib = &mut ws.classes().lib;
    let mut roots: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .map(|n| n.split([' ', '.']).next().unwrap_or_default().to_owned())
        .collect();
    roots.sort();
    roots.dedup();
    let mut names = Vec::new();
    for root in roots {
        if let Some(def) = lib.root(Symbol::new(&root)) {
            below(lib, def, &mut names);
        }
    }
    names
}

fn below(lib: &mut Library, def: DefId, names: &mut Vec<String>) {
    let class = lib.class(def);
    let (kind, partial) = (class.kind, class.partial);
    let annotation = class.description.annotation;
    let runs = matches!(kind, ClassKind::Model | ClassKind::Block | ClassKind::Class) && !partial;
    let file = lib.def(def).file;
    if runs && annotation_modify(lib.ast_ref(file), annotation, "experiment").is_some() {
        names.push(lib.full_name(def));
    }
    for name in lib.child_names(def) {
        if let Some(child) = lib.child(def, name) {
            below(lib, child, names);
        }
    }
}

fn print(summary: &[(String, Outcome)]) {
    let (mut right, mut total) = (0, 0);
    for (folder, outcome) in summary {
        println!("\n{}", line(folder, outcome.right, outcome.total));
        let mut codes: Vec<_> = outcome.codes.iter().collect();
        codes.sort_by_key(|(_, found)| std::cmp::Reverse(found.len()));
        for (code, found) in codes {
            let (name, message) = &found[0];
            println!("{:6} {code}: {name}: {message}", found.len());
        }
        right += outcome.right;
        total += outcome.total;
    }
    println!("\n{}", line("all", right, total));
}

fn line(name: &str, right: usize, total: usize) -> String {
    let share = 100.0 * right as f64 / total.max(1) as f64;
    format!("{name}: {right} of {total} check ({share:.1} %)")
}
