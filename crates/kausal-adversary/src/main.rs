//! `bench/adversary`: random models against independent truths, as long as one likes.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use kausal_adversary::campaign::{self, Campaign, Report};
use kausal_adversary::families::Family;

/// Random models against independent truths
#[derive(Parser)]
struct Arguments {
    /// The seed: the same models for the same seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// No new model after so many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// The number of the first model
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// So many models (default: 200, or as many as there is time for)
    #[arg(long)]
    models: Option<u64>,
    /// Threads
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Families to take (default: all); may be repeated
    #[arg(long)]
    family: Vec<String>,
    /// Write the counts and the findings as JSON
    #[arg(long)]
    json: Option<PathBuf>,
    /// Folder for the reduced models
    #[arg(long, default_value = "target/adversary")]
    findings: PathBuf,
    /// The program (default: beside this one)
    #[arg(long)]
    program: Option<PathBuf>,
    /// Runs of the program that take longer are hangs, in seconds
    #[arg(long, default_value_t = 60.0)]
    limit: f64,
    /// Do not reduce findings or write them
    #[arg(long)]
    no_reduce: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut families = Vec::new();
    for name in &arguments.family {
        match Family::ALL.iter().find(|f| f.name() == name) {
            Some(family) => families.push(*family),
            None => {
                let names: Vec<&str> = Family::ALL.iter().map(|f| f.name()).collect();
                eprintln!("there is no family {name}; families: {}", names.join(", "));
                return ExitCode::from(2);
            }
        }
    }
    if families.is_empty() {
        families = Family::ALL.to_vec();
    }
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("kausal"));
    let Some(program) = arguments.program.clone().or_else(beside).filter(|p| p.exists()) else {
        eprintln!("there is no program kausal beside this one: build it, or name it with --program");
        return ExitCode::from(2);
    };
    let models = arguments.models.unwrap_or(if arguments.minutes.is_some() { u64::MAX } else { 200 });
    let campaign = Campaign {
        seed: arguments.seed,
        from: arguments.from,
        models,
        time: arguments.minutes.map(|m| Duration::from_secs_f64(60.0 * m)),
        jobs: arguments.jobs.max(1),
        families,
        program,
        findings: (!arguments.no_reduce).then(|| arguments.findings.clone()),
        limit: Duration::from_secs_f64(arguments.limit),
    };
    let report = campaign::run(&campaign, &|finding| {
        let place = finding.file.as_deref().unwrap_or(&finding.command);
        say(&format!("{} {}: {}\n    {place}\n", finding.family, finding.model, finding.what));
    });
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    print(&report);
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&report).unwrap_or_default();
        if let Err(error) = std::fs::write(path, text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
    }
    if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Prints; that nobody reads any more is no reason to stop.
fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn print(report: &Report) {
    say(&format!(
        "{:<14} {:>7} {:>7} {:>9} {:>8} {:>7} {:>6} {:>6} {:>8} {:>10}\n",
        "family",
        "models",
        "right",
        "diagnosed",
        "failures",
        "silent",
        "warned",
        "hangs",
        "crashes",
        "discarded"
    ));
    for (name, c) in &report.families {
        let failures: u64 = c.failures.values().sum();
        let discarded: u64 = c.discarded.values().sum();
        let details: Vec<String> =
            c.failures.iter().chain(&c.discarded).map(|(reason, n)| format!("{reason} {n}")).collect();
        say(&format!(
            "{name:<14} {:>7} {:>7} {:>9} {failures:>8} {:>7} {:>6} {:>6} {:>8} {discarded:>10}  {}\n",
            c.models,
            c.right,
            c.diagnosed,
            c.silent_wrong,
            c.warned_wrong,
            c.hangs,
            c.crashes,
            details.join(", ")
        ));
    }
    say(&format!("seed {}, {:.0} s\n", report.seed, report.seconds));
}
