//! `torn_sizes FIGURES.json [FILTER]`: translates every model of a list and puts the sizes of its torn systems beside those of
//! another tool, as Markdown.
//!
//! The list is JSON: objects with `model`, `lin_torn` and `nl_torn`. Libraries are found by MODELICAPATH. Compared is the sum of
//! what is left to solvers while the model runs (section `dynamics`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use kausal::{Session, summary};

struct Row {
    model: String,
    theirs: Vec<u64>,
    ours: Vec<u64>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [figures, rest @ ..] = args.as_slice() else {
        eprintln!("usage: torn_sizes FIGURES.json [FILTER]");
        std::process::exit(2);
    };
    let filter = rest.first().map_or("", String::as_str);
    let Some(list) = read(figures) else {
        eprintln!("{figures} is not a list of figures");
        std::process::exit(1);
    };
    let mut rows = Vec::new();
    let mut missing = Vec::new();
    let mut session = fresh();
    for (model, theirs) in list.into_iter().filter(|(model, _)| model.contains(filter)) {
        match catch_unwind(AssertUnwindSafe(|| ours(&mut session, &model))) {
            Ok(Some((ours, seconds))) => {
                eprintln!("{model}\t{theirs:?}\t{ours:?}\t{seconds:.2}");
                rows.push(Row { model, theirs, ours });
            }
            Ok(None) => missing.push(model),
            Err(_) => {
                missing.push(model);
                session = fresh();
            }
        }
    }
    print(&rows, &missing);
}

fn fresh() -> Session {
    let mut session = Session::new();
    session.add_modelica_path();
    session
}

/// Models with the other tool's torn sizes, largest first.
fn read(path: &str) -> Option<Vec<(String, Vec<u64>)>> {
    let text = std::fs::read_to_string(path).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    let sizes = |entry: &serde_json::Value, key: &str| -> Vec<u64> {
        let list = entry[key].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(serde_json::Value::as_u64).filter(|n| *n > 0).collect()
    };
    let entries = json.as_array()?.iter().filter_map(|entry| {
        let mut theirs = sizes(entry, "lin_torn");
        theirs.extend(sizes(entry, "nl_torn"));
        theirs.sort_unstable_by(|a, b| b.cmp(a));
        Some((entry["model"].as_str()?.to_owned(), theirs))
    });
    Some(entries.collect())
}

fn ours(session: &mut Session, model: &str) -> Option<(Vec<u64>, f64)> {
    let flat = session.flatten(model);
    session.take_diagnostics();
    let start = Instant::now();
    let program = session.translate(&flat?, &Default::default());
    let seconds = start.elapsed().as_secs_f64();
    session.take_diagnostics();
    let summary = summary::of(&program?, session.seconds);
    let systems = summary.systems.iter().filter(|s| s.section == "dynamics" && s.torn > 0);
    let mut sizes: Vec<u64> = systems.map(|s| s.torn as u64).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    Some((sizes, seconds))
}

fn print(rows: &[Row], missing: &[String]) {
    let sum = |sizes: &[u64]| sizes.iter().sum::<u64>();
    let text = |sizes: &[u64]| sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let good = rows.iter().filter(|r| sum(&r.ours) <= sum(&r.theirs)).count();
    println!(
        "In {good} of {} models the sum of the torn sizes is at most that of the other tool",
        rows.len()
    );
    println!(
        "({:.1} %). {} models were not translated.\n",
        100.0 * good as f64 / rows.len().max(1) as f64,
        missing.len()
    );
    println!("What is solved by formulas alone counts as nothing left.\n");
    println!("| model | theirs | ours | |\n| --- | --- | --- | --- |");
    for row in rows.iter().filter(|r| !r.ours.is_empty() || !r.theirs.is_empty()) {
        let verdict = match sum(&row.ours).cmp(&sum(&row.theirs)) {
            std::cmp::Ordering::Less => "fewer",
            std::cmp::Ordering::Equal => "",
            std::cmp::Ordering::Greater => "**more**",
        };
        println!("| {} | {} | {} | {verdict} |", row.model, text(&row.theirs), text(&row.ours));
    }
    if !missing.is_empty() {
        println!("\nNot translated: {}.", missing.join(", "));
    }
}
