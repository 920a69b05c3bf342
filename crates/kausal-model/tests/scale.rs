//! Flattening takes memory linear in the number of components: ten times the cells, ten times the bytes.
//!
//! Bytes are counted by the allocator, so the numbers are the same on every machine; time is measured by
//! `bench/flatten`.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use kausal_model::{NoFiles, Workspace, check};

/// The system's allocator, with a count of all bytes ever asked for.
struct Counting;

static TOTAL: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all requests are handed on unchanged; the counter has no part in the memory given out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TOTAL.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Equations, and bytes asked for in all: whatever is done anew for every cell with all cells shows here.
fn flatten(cells: usize) -> (usize, usize) {
    let text = include_str!("scale/ladder.mo").replace("n = 3", &format!("n = {cells}"));
    let before = TOTAL.load(Ordering::Relaxed);
    let mut workspace = Workspace::new(Box::new(NoFiles));
    workspace.add_source("ladder.mo", &text);
    let (flat, diagnostics) = workspace.flatten("Ladder");
    let flat = flat.unwrap_or_else(|| panic!("{diagnostics:?}"));
    (check::count(&flat).equations, TOTAL.load(Ordering::Relaxed) - before)
}

#[test]
fn bytes_grow_like_cells() {
    let (small, few) = flatten(200);
    let (large, many) = flatten(2000);
    // 15 equations a cell and 4 of the source.
    assert_eq!((small, large), (15 * 200 + 4, 15 * 2000 + 4));
    // Tables double now and then, and a part does not depend on the cells.
    assert!(many < 12 * few, "{few} bytes for 200 cells, {many} bytes for 2000 cells");
}
