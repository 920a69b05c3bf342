//! `torn_sizes FIGURES.json [FILTER] [--markdown FILE] [--seconds N]`: translates every model of a list and puts the sizes of
//! its torn systems beside those of another tool, as Markdown.
//!
//! The list is JSON: objects with `model`, `lin_torn` and `nl_torn`. Libraries are found by MODELICAPATH. Compared is the sum of
//! what is left to solvers while the model runs (section `dynamics`), linear systems inside nonlinear ones included.
//!
//! Models are translated in a process of their own, this program again, which is ended when one takes too long: that model is
//! named, and the next process goes on behind it. The table has no times and no paths: the same everywhere.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use kausal::{Session, summary};

/// The argument by which the program calls itself.
const WORKER: &str = "--worker";

struct Arguments {
    figures: String,
    filter: String,
    markdown: Option<String>,
    limit: Duration,
}

struct Row {
    model: String,
    theirs: Vec<u64>,
    ours: Vec<u64>,
}

#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    missing: Vec<String>,
    slow: Vec<String>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|a| a == WORKER) {
        work();
        return ExitCode::SUCCESS;
    }
    let Some(arguments) = arguments(&args) else {
        eprintln!("usage: torn_sizes FIGURES.json [FILTER] [--markdown FILE] [--seconds N]");
        return ExitCode::from(2);
    };
    let Some(list) = read(&arguments.figures) else {
        eprintln!("{} is not a list of figures", arguments.figures);
        return ExitCode::FAILURE;
    };
    let table = match translated(list, &arguments) {
        Ok(table) => table,
        Err(error) => {
            eprintln!("no process for the translation: {error}");
            return ExitCode::FAILURE;
        }
    };
    let text = markdown(&table, arguments.limit);
    match &arguments.markdown {
        None => print!("{text}"),
        Some(file) => {
            if let Err(error) = std::fs::write(file, text) {
                eprintln!("{file}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn arguments(args: &[String]) -> Option<Arguments> {
    let mut plain = Vec::new();
    let (mut markdown, mut seconds) = (None, 60);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--markdown" => markdown = Some(args.next()?.clone()),
            "--seconds" => seconds = args.next()?.parse().ok()?,
            option if option.starts_with("--") => return None,
            other => plain.push(other.to_owned()),
        }
    }
    let mut plain = plain.into_iter();
    let figures = plain.next()?;
    let filter = plain.next().unwrap_or_default();
    let limit = Duration::from_secs(seconds);
    plain.next().is_none().then_some(Arguments { figures, filter, markdown, limit })
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

/// A process that translates one model after the other: names go in, sizes come out.
struct Worker {
    process: Child,
    names: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    fn start() -> std::io::Result<Worker> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(WORKER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || std::io::Error::other("no pipe");
        let names = process.stdin.take().ok_or_else(missing)?;
        let out = process.stdout.take().ok_or_else(missing)?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Worker { process, names, answers })
    }

    fn end(mut self) {
        // It may have ended by itself.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn translated(list: Vec<(String, Vec<u64>)>, arguments: &Arguments) -> std::io::Result<Table> {
    let mut table = Table::default();
    let mut worker = Worker::start()?;
    for (model, theirs) in list.into_iter().filter(|(model, _)| model.contains(&arguments.filter)) {
        let asked = writeln!(worker.names, "{model}").and_then(|()| worker.names.flush());
        let answer = match asked {
            Ok(()) => worker.answers.recv_timeout(arguments.limit),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        eprintln!("{model}\t{theirs:?}\t{answer:?}");
        match answer {
            Ok(line) => match sizes(&line) {
                Some(ours) => table.rows.push(Row { model, theirs, ours }),
                None => table.missing.push(model),
            },
            Err(error) => {
                std::mem::replace(&mut worker, Worker::start()?).end();
                match error {
                    RecvTimeoutError::Timeout => table.slow.push(model),
                    RecvTimeoutError::Disconnected => table.missing.push(model),
                }
            }
        }
    }
    worker.end();
    Ok(table)
}

/// `ok 3 2`, or anything else for a model that was not translated.
fn sizes(line: &str) -> Option<Vec<u64>> {
    line.strip_prefix("ok")?.split_whitespace().map(|n| n.parse().ok()).collect()
}

fn work() {
    let mut session = Session::new();
    session.add_modelica_path();
    for model in std::io::stdin().lines().map_while(Result::ok) {
        let answer = match ours(&mut session, &model) {
            Some(sizes) => sizes.iter().fold("ok".to_owned(), |text, n| format!("{text} {n}")),
            None => "none".to_owned(),
        };
        println!("{answer}");
    }
}

fn ours(session: &mut Session, model: &str) -> Option<Vec<u64>> {
    let flat = session.flatten(model);
    session.take_diagnostics();
    let program = session.translate(&flat?, &Default::default());
    session.take_diagnostics();
    let summary = summary::of(&program?, session.seconds);
    let systems = summary.systems.iter().filter(|s| s.section == "dynamics" && s.torn > 0);
    let mut sizes: Vec<u64> = systems.map(|s| s.torn as u64).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    Some(sizes)
}

fn markdown(table: &Table, limit: Duration) -> String {
    let sum = |sizes: &[u64]| sizes.iter().sum::<u64>();
    let text = |sizes: &[u64]| sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let good = table.rows.iter().filter(|r| sum(&r.ours) <= sum(&r.theirs)).count();
    let share = 100.0 * good as f64 / table.rows.len().max(1) as f64;
    let mut out = format!(
        "In {good} of {} models ({share:.1} %) the sum of the torn sizes is at most that of the other tool.\n",
        table.rows.len()
    );
    out.push_str("What is solved by formulas alone counts as nothing left; models with nothing left in both are not listed.\n\n");
    out.push_str("| model | theirs | ours | |\n| --- | --- | --- | --- |\n");
    for row in table.rows.iter().filter(|r| !r.ours.is_empty() || !r.theirs.is_empty()) {
        let verdict = match sum(&row.ours).cmp(&sum(&row.theirs)) {
            std::cmp::Ordering::Less => "fewer",
            std::cmp::Ordering::Equal => "",
            std::cmp::Ordering::Greater => "**more**",
        };
        out.push_str(&format!(
            "| {} | {} | {} | {verdict} |\n",
            row.model,
            text(&row.theirs),
            text(&row.ours)
        ));
    }
    let list = |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if !table.missing.is_empty() {
        let (n, names) = (table.missing.len(), list(&table.missing));
        out.push_str(&format!("\nNot translated ({n}): {names}.\n"));
    }
    if !table.slow.is_empty() {
        let (n, names) = (table.slow.len(), list(&table.slow));
        out.push_str(&format!("\nNot translated within {} s ({n}): {names}.\n", limit.as_secs()));
    }
    out
}
