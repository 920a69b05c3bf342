//! `msl_counts FOLDER JSON [FILTER]`: flattens every model of the reference list and compares the number of
//! equations. One line per model that differs or fails, then a table per package.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use kausal_model::{Files, Workspace};

struct Disk;

impl Files for Disk {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(folder).ok()?;
        Some(entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect())
    }
    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }
}

fn workspace(folder: &str) -> Workspace {
    let mut workspace = Workspace::new(Box::new(Disk));
    workspace.add_folder(folder);
    workspace
}

#[derive(Default)]
struct Row {
    agree: usize,
    balanced: usize,
    differ: usize,
    fail: usize,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, json, rest @ ..] = args.as_slice() else {
        eprintln!("usage: msl_counts FOLDER JSON [FILTER]");
        std::process::exit(2);
    };
    let filter = rest.first().map_or("", String::as_str);
    let text = std::fs::read_to_string(json).unwrap_or_default();
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut ws = workspace(folder);
    for line in text.lines() {
        let Some((model, expected)) = entry(line) else { continue };
        if !model.contains(filter) {
            continue;
        }
        let package: Vec<&str> = model.split('.').take(3).collect();
        let row = rows.entry(package.join(".")).or_default();
        let begin = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let (flat, diagnostics) = ws.flatten(&model);
            let first = diagnostics.iter().find(|d| d.is_error()).map(|d| {
                let place = d.labels.first().map_or(String::new(), |l| {
                    let (line, _) = ws.sources().line_column(l.location.source, l.location.span.start);
                    format!(
                        " [{}:{line}]",
                        ws.sources().get(l.location.source).name.replace(folder.as_str(), "")
                    )
                });
                format!("{} {}{place}", d.code, d.message)
            });
            (flat.map(|f| kausal_model::check::count(&f)), first, diagnostics.len())
        }));
        let seconds = begin.elapsed().as_secs_f64();
        match outcome {
            Ok((Some(counts), ..)) => {
                if counts.balanced() {
                    row.balanced += 1;
                }
                if counts.equations == expected && counts.balanced() {
                    row.agree += 1;
                } else {
                    row.differ += 1;
                    println!(
                        "differ {model}: {} equations, {} unknowns, expected {expected}",
                        counts.equations, counts.unknowns
                    );
                }
            }
            Ok((None, first, n)) => {
                row.fail += 1;
                let first = first.unwrap_or_default();
                *reasons.entry(first.clone()).or_default() += 1;
                println!("fail   {model}: {first} ({n} messages)");
            }
            Err(_) => {
                row.fail += 1;
                println!("panic  {model}");
                ws = workspace(folder);
            }
        }
        if seconds > 2.0 {
            println!("slow   {model}: {seconds:.1} s");
        }
    }
    let mut reasons: Vec<(usize, String)> = reasons.into_iter().map(|(r, n)| (n, r)).collect();
    reasons.sort_by(|a, b| b.cmp(a));
    println!("\nmost frequent first errors:");
    for (n, reason) in reasons.iter().take(25) {
        println!("{n:5} {reason}");
    }
    println!("\n{:45} {:>6} {:>6} {:>6} {:>6}", "package", "agree", "bal.", "differ", "fail");
    let mut total = Row::default();
    for (package, row) in &rows {
        println!("{package:45} {:6} {:6} {:6} {:6}", row.agree, row.balanced, row.differ, row.fail);
        total.agree += row.agree;
        total.balanced += row.balanced;
        total.differ += row.differ;
        total.fail += row.fail;
    }
    println!("{:45} {:6} {:6} {:6} {:6}", "all", total.agree, total.balanced, total.differ, total.fail);
}

/// `"model": "…", "equations": n` of one line.
fn entry(line: &str) -> Option<(String, usize)> {
    let rest = line.split_once("\"model\": \"")?.1;
    let (model, rest) = rest.split_once('"')?;
    let rest = rest.split_once("\"equations\": ")?.1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((model.to_owned(), digits.parse().ok()?))
}
