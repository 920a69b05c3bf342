//! How far it is: a bar on a terminal, nothing in a pipe and nothing for what is over at once.

use std::io::{self, IsTerminal};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// What takes less is over before anybody looks.
const PATIENCE: Duration = Duration::from_millis(400);
/// How often the line changes.
const PAUSE: Duration = Duration::from_millis(100);
const PARTS: u64 = 1000;

/// The progress of a run through time.
pub struct Progress {
    bar: Option<ProgressBar>,
    from: f64,
    to: f64,
    begin: Instant,
    next: Instant,
    steps: u64,
}

impl Progress {
    /// Of a run from one instant to another.
    pub fn of_run(from: f64, to: f64) -> Progress {
        let begin = Instant::now();
        Progress { bar: bar(PARTS), from, to, begin, next: begin + PATIENCE, steps: 0 }
    }

    /// A step was made, up to an instant.
    pub fn advance(&mut self, time: f64) {
        self.steps += 1;
        let Some(bar) = &self.bar else { return };
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + PAUSE;
        let part = ((time - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        let spent = now.duration_since(self.begin).as_secs_f64();
        bar.set_message(message(time, self.to, self.steps, spent, part));
        bar.set_position((part * PARTS as f64) as u64);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The progress of many runs.
pub struct Counted {
    bar: Option<ProgressBar>,
    begin: Instant,
}

impl Counted {
    /// From now on.
    pub fn begin() -> Counted {
        Counted { bar: bar(PARTS), begin: Instant::now() }
    }

    /// So many of all are done, and that is left to be said.
    pub fn advance(&self, done: u64, total: u64, rest: &str) {
        let Some(bar) = &self.bar else { return };
        if self.begin.elapsed() > PATIENCE {
            bar.set_message(format!("{done} of {total} runs{rest}"));
            bar.set_position(done * PARTS / total.max(1));
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Does something that nobody knows the length of; where it takes long, a terminal sees that something is done.
pub fn waiting<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    let waiting = Waiting::begin(what);
    let result = work();
    drop(waiting);
    result
}

/// Something that nobody knows the length of, until this is dropped.
pub struct Waiting {
    watcher: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    /// From now on.
    pub fn begin(what: &'static str) -> Waiting {
        if !is_seen() {
            return Waiting { watcher: None };
        }
        let (done, wait) = mpsc::channel::<()>();
        let watcher = std::thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            let spinner = ProgressBar::new_spinner().with_message(what);
            while wait.recv_timeout(PAUSE) == Err(mpsc::RecvTimeoutError::Timeout) {
                spinner.tick();
            }
            spinner.finish_and_clear();
        });
        Waiting { watcher: Some((done, watcher)) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((done, watcher)) = self.watcher.take() {
            drop(done);
            // A watcher that failed has shown less, and nothing else has gone wrong.
            let _ = watcher.join();
        }
    }
}

/// Is there somebody to see a line that changes?
fn is_seen() -> bool {
    io::stderr().is_terminal() && !output::is_quiet() && !output::is_dumb()
}

/// A bar on stderr with so many parts, if somebody may see it.
pub fn bar(parts: u64) -> Option<ProgressBar> {
    if !is_seen() {
        return None;
    }
    let bar = ProgressBar::new(parts);
    if let Ok(style) = ProgressStyle::with_template("{bar:20} {percent:>3} %  {wide_msg}") {
        bar.set_style(style);
    }
    Some(bar)
}

fn message(time: f64, to: f64, steps: u64, spent: f64, part: f64) -> String {
    let left = if part > 0.0 { duration(spent * (1.0 - part) / part) } else { "?".into() };
    format!("time {} of {}, {steps} steps, {left} left", rounded(time), rounded(to))
}

/// Four digits are enough to see it move.
fn rounded(value: f64) -> String {
    let text = format!("{value:.3e}");
    match text.parse::<f64>() {
        Ok(v) if v == 0.0 || (1e-3..1e6).contains(&v.abs()) => v.to_string(),
        Ok(v) => format!("{v:e}"),
        Err(_) => text,
    }
}

/// Seconds as people say them.
pub fn duration(seconds: f64) -> String {
    if seconds < 100.0 {
        format!("{seconds:.0} s")
    } else if seconds < 6000.0 {
        format!("{:.0} min", seconds / 60.0)
    } else if seconds < 360_000.0 {
        format!("{:.0} h", seconds / 3600.0)
    } else {
        "days".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_line_says() {
        // A quarter in 10 s: three times as much is left.
        assert_eq!(message(2.5, 10.0, 12, 10.0, 0.25), "time 2.5 of 10, 12 steps, 30 s left");
        assert_eq!(message(0.0, 10.0, 0, 1.0, 0.0), "time 0 of 10, 0 steps, ? left");
        assert_eq!(duration(7200.0), "2 h");
        assert_eq!(duration(1e9), "days");
        assert_eq!((rounded(0.123456789), rounded(-1e9)), ("0.1235".into(), "-1e9".into()));
    }
}
