//! How much memory a command may take.

mod allocator;
pub mod watch;

pub use allocator::Watched;

/// This part of the machine's memory, unless the user says otherwise: the rest is for everything else that runs.
const SHARE: f64 = 0.8;

/// The limit in megabytes: what was asked for (0: none), or a part of what the machine has.
pub fn limit(asked: Option<u64>) -> Option<u64> {
    match asked {
        Some(0) => None,
        Some(limit) => Some(limit),
        None => machine().map(|bytes| (bytes as f64 * SHARE) as u64 >> 20),
    }
}

/// Bytes of memory that the machine has, or the part of it this program is confined to; none where that cannot be known.
fn machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let total = line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? << 10;
    // Version 2 of control groups, and version 1.
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let confined = files.iter().filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    Some(confined.fold(total, u64::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert_eq!((limit(Some(0)), limit(Some(7))), (None, Some(7)));
        assert_eq!(limit(None).is_some(), machine().is_some());
    }
}
