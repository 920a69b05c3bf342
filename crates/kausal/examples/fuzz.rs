//! `bench/fuzz [--minutes M] [--seed S] [--target T] [--jobs J] [--memory MB]`: inputs that are almost right, one after another,
//! in processes of their own.
//!
//! A process reads inputs and says the number of each before it does. One that panics, dies or takes too long is ended and
//! begun anew behind that input, which is written to `target/fuzz`. Every input is made from its number again: `--target T
//! --only N` reads one.

#[path = "../tests/fuzz/targets.rs"]
mod targets;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use targets::{Seeds, TARGETS, input, read};

/// An input that takes more processor time hangs.
const LONGEST: Duration = Duration::from_secs(60);
/// Inputs that a process reads; then another one begins, so that what one leaves behind does not add up.
const EACH: u64 = 400;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    const KNOWN: [&str; 7] = ["--minutes", "--seed", "--target", "--jobs", "--memory", "--only", "--worker"];
    if let Some(unknown) = arguments.iter().step_by(2).find(|a| !KNOWN.contains(&a.as_str())) {
        eprintln!("{unknown} is none of {}", KNOWN.join(", "));
        return ExitCode::from(2);
    }
    let number = |name: &str, usual: f64| option(name).and_then(|v| v.parse().ok()).unwrap_or(usual);
    if let (Some(target), Some(first)) = (option("--target"), option("--worker")) {
        work(&target, first.parse().unwrap_or(0), EACH);
        return ExitCode::SUCCESS;
    }
    if let (Some(target), Some(only)) = (option("--target"), option("--only")) {
        work(&target, only.parse().unwrap_or(0), 1);
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&str> =
        TARGETS.into_iter().filter(|t| option("--target").is_none_or(|w| w == *t)).collect();
    let end = Instant::now() + Duration::from_secs_f64(60.0 * number("--minutes", 1.0));
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let (seed, jobs) = (number("--seed", 1.0) as u64, number("--jobs", cores) as usize);
    let memory = number("--memory", 2000.0) as u64;
    campaign(&wanted, end, seed, jobs, memory)
}

/// Counts of what happened.
#[derive(Default)]
struct Counts {
    inputs: AtomicU64,
    panics: AtomicU64,
    aborts: AtomicU64,
    hangs: AtomicU64,
    /// In megabytes.
    most: AtomicU64,
    found: Mutex<Vec<String>>,
}

fn campaign(wanted: &[&str], end: Instant, seed: u64, jobs: usize, memory: u64) -> ExitCode {
    let counts = Counts::default();
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while Instant::now() < end {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let target = wanted[k as usize % wanted.len()];
                    let first = (seed << 40) + k / wanted.len() as u64 * EACH;
                    batch(target, first, end, memory, &counts);
                }
            });
        }
    });
    let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
    for what in counts.found.lock().unwrap().iter() {
        println!("{what}");
    }
    println!(
        "inputs {}, panics {}, aborts {}, hangs {}, most memory {} MB (bound {memory} MB)",
        get(&counts.inputs),
        get(&counts.panics),
        get(&counts.aborts),
        get(&counts.hangs),
        get(&counts.most)
    );
    let bad = get(&counts.panics) + get(&counts.aborts) + get(&counts.hangs);
    if bad == 0 && get(&counts.most) <= memory { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads a batch of inputs in other processes, from the first one on.
fn batch(target: &str, first: u64, end: Instant, memory: u64, counts: &Counts) {
    let mut at = first;
    while at < first + EACH && Instant::now() < end {
        let Some((mut child, lines)) = start(target, at) else { return };
        let mut current = None;
        // What the process had worked when the current input began.
        let mut before = Duration::ZERO;
        let problem = loop {
            match lines.recv_timeout(LONGEST) {
                Ok(line) => match line.strip_prefix("input ").and_then(|n| n.parse::<u64>().ok()) {
                    Some(n) => {
                        before = worked(&child).unwrap_or_default();
                        if current.replace(n).is_some() {
                            counts.inputs.fetch_add(1, Ordering::Relaxed);
                        }
                        let taken = taken(&child);
                        counts.most.fetch_max(taken, Ordering::Relaxed);
                        if taken > memory {
                            break Some((&counts.aborts, "too much memory"));
                        }
                        if Instant::now() > end {
                            break None;
                        }
                    }
                    None if line == "panic" => break Some((&counts.panics, "panic")),
                    None => {}
                },
                // On a machine with other work an input may only have waited.
                Err(mpsc::RecvTimeoutError::Timeout)
                    if worked(&child).is_some_and(|t| t < before + LONGEST) => {}
                Err(mpsc::RecvTimeoutError::Timeout) => break Some((&counts.hangs, "hang")),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let done = child.wait().is_ok_and(|status| status.success());
                    if done && current.is_some() {
                        counts.inputs.fetch_add(1, Ordering::Relaxed);
                    }
                    break if done { None } else { Some((&counts.aborts, "abort")) };
                }
            }
        };
        // It may be gone already.
        let _ = child.kill();
        let _ = child.wait();
        match (problem, current) {
            (Some((count, what)), Some(number)) => {
                count.fetch_add(1, Ordering::Relaxed);
                counts.inputs.fetch_add(1, Ordering::Relaxed);
                counts
                    .found
                    .lock()
                    .unwrap()
                    .push(format!("{what}: {target} {number} ({})", keep(target, number).display()));
                at = number + 1;
            }
            _ => return,
        }
    }
}

/// A process that reads inputs, and what it says.
fn start(target: &str, first: u64) -> Option<(Child, mpsc::Receiver<String>)> {
    let mut child = Command::new(std::env::current_exe().ok()?)
        .args(["--target", target, "--worker", &first.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let out = child.stdout.take()?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    Some((child, receive))
}

/// The processor time of a process so far, where the system tells.
fn worked(child: &Child) -> Option<Duration> {
    /// What the kernel counts in (`USER_HZ`).
    const TICKS: u64 = 100;
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // Behind the name, which may have spaces and parentheses: utime and stime are the 12th and the 13th.
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?) * 1000 / TICKS))
}

/// The most memory a process has taken so far, in megabytes, where the system tells.
fn taken(child: &Child) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).map_or(0, |kb| kb / 1024)
}

/// Writes an input to where it can be looked at.
fn keep(target: &str, number: u64) -> PathBuf {
    let folder = Path::new("target/fuzz");
    let path = folder.join(format!("{target}-{number}"));
    let scratch = std::env::temp_dir().join(format!("kausal-fuzz-{}-{number}", std::process::id()));
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::create_dir_all(&scratch));
    if made.is_ok() {
        // A message without the file is still one.
        let _ = std::fs::write(&path, input(target, number, &Seeds::new(), &scratch));
    }
    let _ = std::fs::remove_dir_all(&scratch);
    path
}

/// Reads inputs, with the stack that the command has.
fn work(target: &str, first: u64, count: u64) {
    let seeds = Seeds::new();
    let scratch = std::env::temp_dir().join(format!("kausal-fuzz-{}", std::process::id()));
    if std::fs::create_dir_all(&scratch).is_err() {
        return;
    }
    for number in first..first + count {
        println!("input {number}");
        let _ = std::io::stdout().flush();
        let data = input(target, number, &seeds, &scratch);
        let outcome = std::panic::catch_unwind(|| read(target, &data, &scratch));
        if outcome.is_err() {
            println!("panic");
            break;
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
}
