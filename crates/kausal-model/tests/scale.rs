//! Flattening and printing take memory linear in the number of components: ten times the cells, ten times the bytes.
//!
//! Bytes are counted by the allocator, so the numbers are the same on every machine; time is measured by
//! `bench/flatten`.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use kausal_model::{FlatModel, NoFiles, Workspace, check, print_flat};

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

/// The flat model, and bytes asked for in all: whatever is done anew for every cell with all cells shows here.
fn flatten(cells: usize) -> (FlatModel, usize) {
    let text = include_str!("scale/ladder.mo").replace("n = 3", &format!("n = {cells}"));
    let before = TOTAL.load(Ordering::Relaxed);
    let mut workspace = Workspace::new(Box::new(NoFiles));
    workspace.add_source("ladder.mo", &text);
    let (flat, diagnostics) = workspace.flatten("Ladder");
    let flat = flat.unwrap_or_else(|| panic!("{diagnostics:?}"));
    (flat, TOTAL.load(Ordering::Relaxed) - before)
}

/// Bytes asked for to print a flat model.
fn print(flat: &FlatModel) -> usize {
    let before = TOTAL.load(Ordering::Relaxed);
    assert!(print_flat(flat).lines().count() > flat.equations.len());
    TOTAL.load(Ordering::Relaxed) - before
}

#[test]
fn bytes_grow_like_cells() {
    let (small, few) = flatten(200);
    let (large, many) = flatten(2000);
    // 15 equations a cell and 4 of the source.
    let equations = |flat: &FlatModel| check::count(flat).equations;
    assert_eq!((equations(&small), equations(&large)), (15 * 200 + 4, 15 * 2000 + 4));
    // Tables double now and then, and a part does not depend on the cells.
    assert!(many < 12 * few, "{few} bytes for 200 cells, {many} bytes for 2000 cells");
    let (few, many) = (print(&small), print(&large));
    assert!(many < 12 * few, "printed with {few} bytes for 200 cells, {many} bytes for 2000 cells");
}
