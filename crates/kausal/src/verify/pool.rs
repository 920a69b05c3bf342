//! Processes that verify one model each: as many at a time as asked for, each with a limit in time and memory.
//!
//! A process writes a line `stage NAME` before each stage and its [`Outcome`] as JSON at last (and before it looks for the
//! reason of a difference: where that takes too long, there is none). Without the latter, how it ended says what happened: killed at its time limit, out of memory, or crashed.
//!
//! A process may start others (foreign code can): on Unix all of them are one group, which ends with the first one, and no
//! longer than a moment is waited for what others still hold open.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Outcome, Problem, Seconds, Stage, Verdict};

/// The processes that run now.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// So long is waited for the last words of a process that has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How processes are started and limited.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many run at a time.
    pub jobs: usize,
    /// Seconds of the clock for each.
    pub timeout: Duration,
    /// Megabytes of address space for each.
    pub memory: Option<u64>,
}

/// A model to verify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The model.
    pub model: String,
    /// Its reference file.
    pub reference: PathBuf,
}

/// The models a folder has references for, in alphabetical order.
pub fn jobs(folder: &Path, wanted: &dyn Fn(&str) -> bool) -> std::io::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let reference = entry?.path();
        if reference.extension().is_none_or(|e| e != "csv") {
            continue;
        }
        let Some(model) = reference.file_stem().and_then(|s| s.to_str()).map(str::to_owned) else { continue };
        if wanted(&model) {
            jobs.push(Job { model, reference });
        }
    }
    jobs.sort_by(|a, b| a.model.cmp(&b.model));
    Ok(jobs)
}

/// Runs `command` (a program and its arguments, made for each job) for all jobs; `done` is told each outcome
/// as it comes. Outcomes are in the order of the jobs.
pub fn run(
    jobs: &[Job],
    limits: &Limits,
    command: &(dyn Fn(&Job) -> Vec<OsString> + Sync),
    done: &(dyn Fn(&Outcome) + Sync),
) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<(usize, Outcome)>> = Mutex::new(Vec::with_capacity(jobs.len()));
    thread::scope(|scope| {
        for _ in 0..limits.jobs.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                while let Some((i, job)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(i).map(|job| (i, job))
                } {
                    let outcome = one(job, limits, &command(job));
                    done(&outcome);
                    match outcomes.lock() {
                        Ok(mut outcomes) => outcomes.push((i, outcome)),
                        Err(poisoned) => poisoned.into_inner().push((i, outcome)),
                    }
                }
            });
        }
    });
    let mut outcomes = match outcomes.into_inner() {
        Ok(outcomes) => outcomes,
        Err(poisoned) => poisoned.into_inner(),
    };
    outcomes.sort_by_key(|(i, _)| *i);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Runs one process and says what became of its model.
fn one(job: &Job, limits: &Limits, command: &[OsString]) -> Outcome {
    let start = Instant::now();
    let ended = match start_process(command, limits) {
        Ok(child) => watch(child, limits.timeout),
        Err(error) => Ended {
            problem: Some(("crash", format!("the process cannot start: {error}"))),
            ..Ended::default()
        },
    };
    let total = start.elapsed().as_secs_f64();
    if let Some(mut outcome) = ended.outcome {
        outcome.seconds.total = total - outcome.seconds.reason;
        return outcome;
    }
    let (code, message) = ended.problem.unwrap_or(("crash", "it ended without a word".into()));
    Outcome {
        model: job.model.clone(),
        verdict: Verdict::Fails,
        stage: ended.stage,
        error: Some(Problem { code: code.to_owned(), message, place: None }),
        signals: 0,
        deviations: Vec::new(),
        reason: None,
        size: None,
        work: None,
        seconds: Seconds { total, ..Seconds::default() },
        curves: Vec::new(),
    }
}

fn start_process(command: &[OsString], limits: &Limits) -> std::io::Result<Child> {
    let mut process = match limits.memory {
        // The shell sets the limit and is replaced by the program, which keeps it.
        Some(megabytes) if cfg!(unix) => {
            let mut shell = Command::new("sh");
            shell
                .arg("-c")
                .arg(format!("ulimit -v {} && exec \"$@\"", megabytes.saturating_mul(1024)))
                .arg("sh");
            shell.args(command);
            shell
        }
        _ => {
            let (program, arguments) = command
                .split_first()
                .ok_or_else(|| std::io::Error::new(std::io::ErrorKind::InvalidInput, "no program"))?;
            let mut process = Command::new(program);
            process.args(arguments);
            process
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    process.env("RAYON_NUM_THREADS", (cores / limits.jobs.max(1)).max(1).to_string());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    let child = process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    running().push(child.id());
    Ok(child)
}

fn running() -> MutexGuard<'static, Vec<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all processes that run now, with what they have started: for who ends the program itself.
pub fn stop_all() {
    running().drain(..).for_each(kill_group);
}

/// Ends what is left of the group of a process.
#[cfg(unix)]
fn kill_group(id: u32) {
    let group = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    // There may be nobody left.
    let _ = group.map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
}

#[cfg(not(unix))]
fn kill_group(_id: u32) {}

/// How a process ended.
struct Ended {
    outcome: Option<Outcome>,
    stage: Stage,
    problem: Option<(&'static str, String)>,
}

impl Default for Ended {
    fn default() -> Self {
        Ended { outcome: None, stage: Stage::Load, problem: None }
    }
}

/// What a process has said so far.
#[derive(Default)]
struct Heard {
    stage: Option<Stage>,
    outcome: Option<Outcome>,
    words: Vec<u8>,
}

/// Waits for a process, no longer than the limit.
fn watch(mut child: Child, timeout: Duration) -> Ended {
    let deadline = Instant::now() + timeout;
    let heard = Arc::new(Mutex::new(Heard::default()));
    let stdout = child.stdout.take().map(|out| {
        let heard = heard.clone();
        thread::spawn(move || listen(out, &heard))
    });
    let stderr = child.stderr.take().map(|err| {
        let heard = heard.clone();
        thread::spawn(move || last_words(err, &heard))
    });
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(pause),
            _ => {
                // It may have ended by itself just now.
                let _ = child.kill();
                kill_group(child.id());
                let _ = child.wait();
                break None;
            }
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    // What it has started ends with it; who has left the group is not waited for.
    kill_group(child.id());
    running().retain(|id| *id != child.id());
    let patience = Instant::now() + LAST_WORDS;
    while [&stdout, &stderr].into_iter().flatten().any(|t| !t.is_finished()) && Instant::now() < patience {
        thread::sleep(Duration::from_millis(1));
    }
    let heard = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
    let Heard { stage, outcome, words } = heard;
    let words = String::from_utf8_lossy(&words);
    let problem = match status {
        _ if outcome.is_some() => None,
        None => Some(("timeout", format!("stopped after {} s", timeout.as_secs_f64()))),
        Some(status) => Some(crashed(status, &words)),
    };
    Ended { outcome, stage: stage.unwrap_or(Stage::Load), problem }
}

/// What a process says on its standard output. Foreign code may write there, too.
fn listen(out: impl Read, heard: &Mutex<Heard>) {
    for line in BufReader::new(out).lines().map_while(Result::ok) {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = line.strip_prefix("stage ") {
            heard.stage = Stage::ALL.into_iter().find(|s| s.name() == name).or(heard.stage);
        } else if line.starts_with('{')
            && let Ok(outcome) = serde_json::from_str(&line)
        {
            heard.outcome = Some(outcome);
        }
    }
}

/// The last part of what a process says on its standard error.
fn last_words(mut err: impl Read, heard: &Mutex<Heard>) {
    const KEPT: usize = 16 * 1024;
    let mut buffer = [0u8; 4096];
    while let Ok(n @ 1..) = err.read(&mut buffer) {
        let kept = &mut heard.lock().unwrap_or_else(PoisonError::into_inner).words;
        kept.extend_from_slice(&buffer[..n]);
        if kept.len() > 2 * KEPT {
            let surplus = kept.len() - KEPT;
            kept.drain(..surplus);
        }
    }
}

/// What a process died of.
fn crashed(status: ExitStatus, words: &str) -> (&'static str, String) {
    if words.contains("error[K0525]")
        || words.contains("memory allocation of")
        || words.contains("out of memory")
    {
        return ("memory", "the memory limit was reached".into());
    }
    if words.contains("has overflowed its stack") {
        return ("crash", "stack overflow".into());
    }
    let mut lines = words.lines();
    if let Some(line) = lines.by_ref().find(|l| l.contains("panicked at")) {
        let place = line.split("panicked at ").nth(1).unwrap_or_default().trim_end_matches(':');
        return ("crash", format!("panic: {} ({place})", lines.next().unwrap_or_default()));
    }
    let last = words.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default();
    ("crash", if last.is_empty() { status.to_string() } else { format!("{status}: {last}") })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, timeout: f64, memory: Option<u64>) -> Outcome {
        let job = Job { model: "M".into(), reference: PathBuf::new() };
        let limits = Limits { jobs: 1, timeout: Duration::from_secs_f64(timeout), memory };
        let command = |_: &Job| vec!["sh".into(), "-c".into(), OsString::from(script)];
        run(&[job], &limits, &command, &|_| ()).remove(0)
    }

    fn problem(outcome: &Outcome) -> (&str, &str) {
        let p = outcome.error.as_ref().unwrap();
        (&p.code, &p.message)
    }

    #[test]
    fn a_process_that_hangs_is_stopped() {
        let outcome = shell("echo stage simulate; exec sleep 60", 0.3, None);
        assert_eq!(problem(&outcome), ("timeout", "stopped after 0.3 s"));
        assert_eq!((outcome.verdict, outcome.stage), (Verdict::Fails, Stage::Simulate));
        assert!(outcome.seconds.total < 10.0);
    }

    #[test]
    fn nobody_waits_for_what_a_process_has_started() {
        // Children hold the pipes open, one that the shell waits for and one that it does not.
        for (script, problem_code) in [("sleep 60", "timeout"), ("sleep 60 & exit 3", "crash")] {
            let outcome = shell(&format!("echo stage simulate; {script}; true"), 0.5, None);
            assert_eq!(problem(&outcome).0, problem_code, "{outcome:?}");
            assert_eq!(outcome.stage, Stage::Simulate);
            assert!(outcome.seconds.total < 10.0, "{script}: {}", outcome.seconds.total);
        }
    }

    #[test]
    fn a_process_that_crashes_says_how() {
        let outcome = shell(
            "echo stage flatten; echo \"thread 'main' has overflowed its stack\" >&2; kill -ABRT $$",
            9.0,
            None,
        );
        assert_eq!(problem(&outcome), ("crash", "stack overflow"));
        assert_eq!(outcome.stage, Stage::Flatten);
        let outcome = shell(
            "printf \"thread 'main' panicked at a.rs:1:2:\\nno way\\nnote: x\\n\" >&2; exit 101",
            9.0,
            None,
        );
        assert_eq!(problem(&outcome), ("crash", "panic: no way (a.rs:1:2)"));
        let outcome = shell("kill -SEGV $$", 9.0, None);
        assert!(problem(&outcome).1.contains("SIGSEGV"), "{outcome:?}");
    }

    #[test]
    fn the_memory_limit_reaches_the_process() {
        let outcome = shell("echo limit $(ulimit -v) >&2; exit 3", 9.0, Some(1000));
        assert!(problem(&outcome).1.ends_with("limit 1024000"), "{outcome:?}");
    }

    #[test]
    fn outcomes_come_in_order() {
        let job = |i: usize| Job { model: format!("M{i}"), reference: PathBuf::new() };
        let jobs: Vec<Job> = (0..8).map(job).collect();
        let limits = Limits { jobs: 4, timeout: Duration::from_secs(60), memory: None };
        let told = AtomicUsize::new(0);
        let command = |job: &Job| {
            let script = format!("sleep 0.0{}; exit 1", 9 - job.model[1..].parse::<usize>().unwrap());
            vec!["sh".into(), "-c".into(), script.into()]
        };
        let outcomes = run(&jobs, &limits, &command, &|_| {
            told.fetch_add(1, Ordering::Relaxed);
        });
        let names: Vec<String> = outcomes.into_iter().map(|o| o.model).collect();
        assert_eq!(names, jobs.iter().map(|j| j.model.clone()).collect::<Vec<_>>());
        assert_eq!(told.into_inner(), 8);
    }

    #[test]
    fn references_are_found_and_filtered() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["B.csv", "A.x.csv", "notes.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |wanted: &dyn Fn(&str) -> bool| -> Vec<String> {
            jobs(folder.path(), wanted).unwrap().into_iter().map(|j| j.model).collect()
        };
        assert_eq!(names(&|_| true), ["A.x", "B"]);
        assert_eq!(names(&|n| n == "B"), ["B"]);
        assert!(jobs(&folder.path().join("missing"), &|_| true).is_err());
    }
}
