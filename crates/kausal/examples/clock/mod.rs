//! Seconds of computing, for measurements on machines that have other work.

use std::time::Instant;

/// Seconds that all threads of this process have computed, those that are over included; where the system does not tell,
/// seconds since the first call.
///
/// Linux counts them in hundredths ([proc_pid_stat(5)]: `utime` and `stime` in `sysconf(_SC_CLK_TCK)`, which is 100 on all its
/// machines): what is measured should take some tenths at least.
///
/// [proc_pid_stat(5)]: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
pub fn computed() -> f64 {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let begin = BEGIN.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/self/stat").ok().and_then(|text| {
        // The name of the program is in parentheses and may have spaces.
        let (_, fields) = text.rsplit_once(')')?;
        let mut fields = fields.split_whitespace().skip(11);
        let mut ticks = || fields.next()?.parse::<u64>().ok();
        Some((ticks()? + ticks()?) as f64 / 100.0)
    });
    told.unwrap_or_else(|| begin.elapsed().as_secs_f64())
}

/// So long a turn takes at least: hundredths are a fiftieth of it.
pub const TURN: f64 = 0.5;
