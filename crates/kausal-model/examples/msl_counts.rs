//! `msl_counts FOLDER JSON [FILTER] [--markdown FILE]`: flattens every model of the reference list and compares the
//! number of equations. One line per model that differs, fails or has parts that are not balanced, then a table per
//! package; with `--markdown` the same as a document, the models that differ grouped by what can be said about the
//! difference.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use kausal_model::Workspace;
use kausal_model::check::Counts;

use common::workspace;

#[derive(Clone, Copy, Default)]
struct Row {
    agree: usize,
    balanced: usize,
    differ: usize,
    fail: usize,
}

/// What became of one model.
struct Model {
    name: String,
    expected: usize,
    seconds: f64,
    outcome: Outcome,
}

enum Outcome {
    /// Counted; and how many shapes of the visualisation it has.
    Flat(Counts, usize),
    /// The first error, and how many messages there are.
    Failed(String, usize),
    Panicked,
}

impl Model {
    fn agrees(&self) -> bool {
        matches!(&self.outcome, Outcome::Flat(c, _) if c.equations == self.expected && c.balanced())
    }

    fn balanced(&self) -> bool {
        matches!(&self.outcome, Outcome::Flat(c, _) if c.balanced())
    }

    fn package(&self) -> String {
        self.name.split('.').take(3).collect::<Vec<_>>().join(".")
    }

    /// What can be computed about a difference.
    fn cause(&self) -> String {
        match &self.outcome {
            Outcome::Panicked => "panics".to_owned(),
            Outcome::Failed(first, _) => {
                format!("fails with {}", first.split(' ').next().unwrap_or_default())
            }
            Outcome::Flat(c, _) if !c.balanced() => "not balanced".to_owned(),
            Outcome::Flat(c, shapes) => {
                let word = if c.equations < self.expected { "fewer" } else { "more" };
                let seen = if *shapes > 0 { "with visualised shapes" } else { "without visualised shapes" };
                format!("{word} equations, {seen}")
            }
        }
    }
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let markdown = args.iter().position(|a| a == "--markdown").and_then(|at| {
        args.remove(at);
        (at < args.len()).then(|| args.remove(at))
    });
    let [folder, json, rest @ ..] = args.as_slice() else {
        eprintln!("usage: msl_counts FOLDER JSON [FILTER] [--markdown FILE]");
        std::process::exit(2);
    };
    let filter = rest.first().map_or("", String::as_str);
    let text = std::fs::read_to_string(json).unwrap_or_default();
    let mut models = Vec::new();
    let mut ws = workspace(folder);
    for (name, expected) in text.lines().filter_map(entry).filter(|(name, _)| name.contains(filter)) {
        let begin = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| flatten(&mut ws, folder, &name)));
        let outcome = outcome.unwrap_or_else(|_| {
            ws = workspace(folder);
            Outcome::Panicked
        });
        let model = Model { name, expected, seconds: begin.elapsed().as_secs_f64(), outcome };
        report(&model);
        models.push(model);
    }
    print_tables(&models);
    if let Some(file) = markdown
        && let Err(e) = std::fs::write(&file, document(&models))
    {
        eprintln!("{file}: {e}");
        std::process::exit(1);
    }
}

fn flatten(ws: &mut Workspace, folder: &str, name: &str) -> Outcome {
    let (flat, diagnostics) = ws.flatten(name);
    for d in diagnostics.iter().filter(|d| d.code == "K0241") {
        println!("parts  {name}: {}", d.message);
    }
    if let Some(flat) = flat {
        let shapes = flat.variables.iter().filter(|v| v.name.ends_with(".shapeType")).count();
        return Outcome::Flat(kausal_model::check::count(&flat), shapes);
    }
    let first = diagnostics.iter().find(|d| d.is_error()).map(|d| {
        let place = d.labels.first().map_or(String::new(), |l| {
            let (line, _) = ws.sources().line_column(l.location.source, l.location.span.start);
            format!(" [{}:{line}]", ws.sources().get(l.location.source).name.replace(folder, ""))
        });
        format!("{} {}{place}", d.code, d.message)
    });
    Outcome::Failed(first.unwrap_or_default(), diagnostics.len())
}

fn report(model: &Model) {
    let Model { name, expected, seconds, outcome } = model;
    match outcome {
        Outcome::Flat(c, _) if !model.agrees() => {
            println!(
                "differ {name}: {} equations, {} unknowns, expected {expected}",
                c.equations, c.unknowns
            );
        }
        Outcome::Flat(..) => {}
        Outcome::Failed(first, n) => println!("fail   {name}: {first} ({n} messages)"),
        Outcome::Panicked => println!("panic  {name}"),
    }
    if *seconds > 2.0 {
        println!("slow   {name}: {seconds:.1} s");
    }
}

fn rows(models: &[Model]) -> BTreeMap<String, Row> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for model in models {
        let row = rows.entry(model.package()).or_default();
        row.balanced += usize::from(model.balanced());
        match model.outcome {
            Outcome::Flat(..) if model.agrees() => row.agree += 1,
            Outcome::Flat(..) => row.differ += 1,
            _ => row.fail += 1,
        }
    }
    rows
}

fn total(rows: &BTreeMap<String, Row>) -> Row {
    rows.values().fold(Row::default(), |a, b| Row {
        agree: a.agree + b.agree,
        balanced: a.balanced + b.balanced,
        differ: a.differ + b.differ,
        fail: a.fail + b.fail,
    })
}

fn print_tables(models: &[Model]) {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for model in models {
        if let Outcome::Failed(first, _) = &model.outcome {
            *reasons.entry(first).or_default() += 1;
        }
    }
    let mut reasons: Vec<(usize, &str)> = reasons.into_iter().map(|(r, n)| (n, r)).collect();
    reasons.sort_by(|a, b| b.cmp(a));
    if !reasons.is_empty() {
        println!("\nmost frequent first errors:");
    }
    for (n, reason) in reasons.iter().take(25) {
        println!("{n:5} {reason}");
    }
    println!("\n{:45} {:>6} {:>6} {:>6} {:>6}", "package", "agree", "bal.", "differ", "fail");
    let rows = rows(models);
    for (package, row) in rows.iter().map(|(p, r)| (p.as_str(), *r)).chain([("all", total(&rows))]) {
        println!("{package:45} {:6} {:6} {:6} {:6}", row.agree, row.balanced, row.differ, row.fail);
    }
}

/// The tables as Markdown.
fn document(models: &[Model]) -> String {
    let rows = rows(models);
    let mut text = String::from("| package | models | equal | balanced |\n| --- | --: | --: | --: |\n");
    for (package, row) in rows.iter().map(|(p, r)| (p.as_str(), *r)).chain([("all", total(&rows))]) {
        let count = row.agree + row.differ + row.fail;
        let _ = writeln!(text, "| {package} | {count} | {} | {} |", row.agree, row.balanced);
    }
    let mut groups: BTreeMap<String, Vec<&Model>> = BTreeMap::new();
    for model in models.iter().filter(|m| !m.agrees()) {
        groups.entry(model.cause()).or_default().push(model);
    }
    for (cause, models) in groups {
        let plural = if models.len() == 1 { "" } else { "s" };
        let _ = writeln!(text, "\n### {cause}: {} model{plural}\n", models.len());
        text.push_str(
            "| model | here | reference | difference | shapes |\n| --- | --: | --: | --: | --: |\n",
        );
        for model in models {
            let (here, difference, shapes) = match &model.outcome {
                Outcome::Flat(c, shapes) => {
                    let difference = c.equations as i64 - model.expected as i64;
                    (c.equations.to_string(), format!("{difference:+}"), shapes.to_string())
                }
                _ => Default::default(),
            };
            let _ =
                writeln!(text, "| {} | {here} | {} | {difference} | {shapes} |", model.name, model.expected);
        }
    }
    text
}

/// `"model": "…", "equations": n` of one line.
fn entry(line: &str) -> Option<(String, usize)> {
    let rest = line.split_once("\"model\": \"")?.1;
    let (model, rest) = rest.split_once('"')?;
    let rest = rest.split_once("\"equations\": ")?.1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((model.to_owned(), digits.parse().ok()?))
}
