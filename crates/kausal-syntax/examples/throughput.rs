//! How fast the Modelica parser reads, and how large its trees are.
//!
//! `cargo run --release -p kausal-syntax --example throughput [DIRECTORY]`
//!
//! Reads all `.mo` files below the directory (default: `MODELICAPATH`; without it, the files of `tests/good`
//! many times over) into memory, then parses them on one thread, several times. Prints the best and the median
//! throughput in MB (10^6 bytes) of text a second (of processor time where the system tells it, so that other
//! work on the machine does not count; of elapsed time elsewhere), and the bytes the trees hold for each byte of text: all that
//! is allocated and kept, the text itself and the table of names not counted.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kausal_syntax::{Parse, SourceId, modelica};

/// The system's allocator, with a count of the bytes in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all requests are handed on unchanged; the counter has no part in the memory given out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        IN_USE.fetch_add(new_size, Ordering::Relaxed);
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RUNS: usize = 15;

fn main() {
    let directory =
        std::env::args_os().nth(1).or_else(|| std::env::var_os("MODELICAPATH")).map(PathBuf::from);
    let texts = match &directory {
        Some(directory) => read_tree(directory),
        None => {
            let good = read_tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good"));
            std::iter::repeat_n(good, 200).flatten().collect()
        }
    };
    let bytes: usize = texts.iter().map(|t| t.len()).sum();

    let parse = |text: &Arc<str>| modelica::parse(SourceId(0), text.clone());
    // The first run also fills the table of names, which lives as long as the process.
    let errors: usize =
        texts.iter().map(|t| parse(t).diagnostics.iter().filter(|d| d.is_error()).count()).sum();

    let before = IN_USE.load(Ordering::Relaxed);
    let trees: Vec<Parse> = texts.iter().map(parse).collect();
    let held = IN_USE.load(Ordering::Relaxed) - before;
    drop(trees);

    let clock = Clock { start: Instant::now(), processor: processor_seconds().is_some() };
    let mut speeds: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = clock.seconds();
            for text in &texts {
                std::hint::black_box(parse(text));
            }
            bytes as f64 / 1e6 / (clock.seconds() - start)
        })
        .collect();
    speeds.sort_by(f64::total_cmp);

    let what = directory.map_or("tests/good, repeated".to_owned(), |d| d.display().to_string());
    println!("{what}: {} files, {:.2} MB, {errors} errors", texts.len(), bytes as f64 / 1e6);
    println!(
        "throughput: best {:.1} MB/s, median {:.1} MB/s of {RUNS} runs ({} time)",
        speeds[RUNS - 1],
        speeds[RUNS / 2],
        if clock.processor { "processor" } else { "elapsed" }
    );
    println!("memory: {held} bytes of trees, {:.2} times the text", held as f64 / bytes as f64);
}

/// Seconds of processor time of this thread, or since the beginning.
struct Clock {
    start: Instant,
    processor: bool,
}

impl Clock {
    fn seconds(&self) -> f64 {
        let processor = if self.processor { processor_seconds() } else { None };
        processor.unwrap_or_else(|| self.start.elapsed().as_secs_f64())
    }
}

/// What Linux says about this thread: nanoseconds on a processor come first.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    (nanoseconds > 0).then_some(nanoseconds as f64 / 1e9)
}

/// The texts of all `.mo` files below `directory`, in the order of their paths.
fn read_tree(directory: &Path) -> Vec<Arc<str>> {
    let mut paths = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "mo") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().filter_map(|p| std::fs::read_to_string(p).ok()).map(Arc::from).collect()
}
