//! How long it takes to flatten an array of connected RC cells, and how much memory.
//!
//! `cargo run --release -p kausal-model --example ladder [CELLS…]` (default: 1000 10000 100000)
//!
//! For each size: seconds of processor time where the system tells it (elapsed otherwise) for flattening and for printing
//! the flat model, the best of a few runs, and the most bytes in use at any time while flattening, all also per cell.
//! Linear means that the last columns do not grow.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kausal_model::{NoFiles, Workspace, check};

/// The system's allocator, with a count of the bytes in use and the most there were.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn note(more: usize, less: usize) {
    let now = IN_USE.fetch_add(more, Ordering::Relaxed) + more;
    PEAK.fetch_max(now, Ordering::Relaxed);
    IN_USE.fetch_sub(less, Ordering::Relaxed);
}

// SAFETY: all requests are handed on unchanged; the counters have no part in the memory given out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(new_size, layout.size());
        // SAFETY: as required of the caller.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000, 100_000];
    }
    println!(
        "{:>8} {:>10} {:>9} {:>9} {:>10} {:>12} {:>14} {:>12}",
        "cells", "equations", "seconds", "printing", "MB", "µs/cell", "printing/cell", "bytes/cell"
    );
    for n in sizes {
        let runs = (100_000 / n.max(1)).clamp(2, 5);
        let measured: Vec<Measured> = (0..runs).map(|_| flatten(n)).collect();
        let best = |of: fn(&Measured) -> f64| measured.iter().map(of).fold(f64::INFINITY, f64::min);
        let (flatten, print) = (best(|m| m.flatten), best(|m| m.print));
        let Measured { bytes, equations, .. } = measured[runs - 1];
        println!(
            "{n:8} {equations:10} {flatten:9.3} {print:9.3} {:10.1} {:12.2} {:14.2} {:12.0}",
            bytes as f64 / 1e6,
            flatten / n as f64 * 1e6,
            print / n as f64 * 1e6,
            bytes as f64 / n as f64
        );
    }
}

struct Measured {
    /// Seconds.
    flatten: f64,
    /// Seconds.
    print: f64,
    /// The most in use while flattening.
    bytes: usize,
    equations: usize,
}

fn flatten(cells: usize) -> Measured {
    let text = include_str!("../tests/scale/ladder.mo").replace("n = 3", &format!("n = {cells}"));
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (flatten, (flat, diagnostics)) = timed(|| {
        workspace.add_source("ladder.mo", &text);
        workspace.flatten("Ladder")
    });
    let bytes = PEAK.load(Ordering::Relaxed) - before;
    let Some(flat) = flat else {
        eprintln!("{diagnostics:?}");
        std::process::exit(1);
    };
    let (print, _) = timed(|| kausal_model::print_flat(&flat));
    Measured { flatten, print, bytes, equations: check::count(&flat).equations }
}

/// Seconds of processor time, or elapsed.
fn timed<T>(f: impl FnOnce() -> T) -> (f64, T) {
    let processor = processor_seconds();
    let start = Instant::now();
    let value = f();
    let elapsed = start.elapsed().as_secs_f64();
    let seconds = match (processor, processor_seconds()) {
        (Some(from), Some(to)) => to - from,
        _ => elapsed,
    };
    (seconds, value)
}

/// What Linux says about this thread: nanoseconds on a processor come first.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    (nanoseconds > 0).then_some(nanoseconds as f64 / 1e9)
}
