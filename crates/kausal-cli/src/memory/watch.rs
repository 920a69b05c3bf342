//! Is there memory left? Asked by the allocator and by the thread that ends the program.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// How often memory is looked at: what is taken meanwhile is small beside any limit.
const OFTEN: Duration = Duration::from_millis(20);

/// In bytes.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);
/// Somebody looks, or will.
static WATCHED: AtomicBool = AtomicBool::new(false);
/// A request could not be granted, by the limit or by the system: who made it waits.
static REFUSED: AtomicU8 = AtomicU8::new(NOTHING);

const NOTHING: u8 = 0;
const BY_LIMIT: u8 = 1;
const BY_SYSTEM: u8 = 2;

thread_local! {
    /// This thread is the one that looks: what it needs for the end it gets.
    static WATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Why there is none.
#[derive(Clone, Copy)]
pub enum Exhausted {
    /// The limit, in megabytes.
    Limit(u64),
    /// The system gives no more.
    System,
}

/// From now on `end` is called when there is no memory left: above the limit, in megabytes, or where the system gives none.
pub fn begin(limit: Option<u64>, end: impl FnOnce(Exhausted) + Send + 'static) {
    let limit = limit.filter(|_| resident().is_some()).map(|limit| limit.saturating_mul(1 << 20));
    LIMIT.store(limit.unwrap_or(u64::MAX), Ordering::Relaxed);
    let watching = std::thread::Builder::new().spawn(move || {
        WATCHES.set(true);
        let is_above = |bytes: u64| resident().is_some_and(|taken| taken > bytes);
        while REFUSED.load(Ordering::Relaxed) == NOTHING && !limit.is_some_and(is_above) {
            std::thread::sleep(OFTEN);
        }
        end(match limit.filter(|_| REFUSED.load(Ordering::Relaxed) != BY_SYSTEM) {
            Some(bytes) => Exhausted::Limit(bytes >> 20),
            None => Exhausted::System,
        });
    });
    // It looks before long, even if it has not begun yet.
    WATCHED.store(watching.is_ok(), Ordering::Relaxed);
}

/// Would so many bytes more be above the limit?
pub fn exceeds(bytes: usize) -> bool {
    let limit = LIMIT.load(Ordering::Relaxed);
    limit != u64::MAX && !WATCHES.get() && resident().is_some_and(|taken| taken + bytes as u64 > limit)
}

/// A request cannot be granted: waits for the end of the program. It goes on where nobody would end it.
pub fn refuse(by_system: bool) {
    if !WATCHED.load(Ordering::Relaxed) || WATCHES.get() {
        return;
    }
    let by = if by_system { BY_SYSTEM } else { BY_LIMIT };
    // The first reason counts.
    let _ = REFUSED.compare_exchange(NOTHING, by, Ordering::Relaxed, Ordering::Relaxed);
    loop {
        std::thread::sleep(OFTEN);
    }
}

/// Bytes of memory this program has taken, where the system tells.
fn resident() -> Option<u64> {
    // Pages of 4 KB where they are the smallest; larger ones make the limit stricter in no way that matters.
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ').nth(1)?.parse::<u64>().ok().map(|pages| pages * PAGE)
}
