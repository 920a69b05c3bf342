//! A function with thousands of outputs is called once: memory grows like the outputs, not like their square.
//!
//! What counts is the most that is in use at a time, as the allocator sees it: the same number on every machine.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use kausal_translate::{Options, translate};

mod support;

/// The system's allocator, with a count of the bytes in use and of their maximum.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all requests are handed on unchanged; the counters have no part in the memory given out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes in use while a model with so many outputs of one function is translated.
fn peak(outputs: usize) -> usize {
    let text = format!(
        "model M
          function f input Real x; output Real y[{outputs}]; algorithm
            y[1] := x;
            while y[1] > 1 loop y[1] := y[1]/2; end while;
            for i in 2:{outputs} loop y[i] := y[i - 1] + x; end for;
          annotation(Inline = false); end f;
          Real x(start = 1, fixed = true);
          Real y[{outputs}] = f(x);
        equation
          der(x) = -y[{outputs}];
        end M;"
    );
    let flat = support::flat(&text);
    let before = IN_USE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let program = translate(&flat, &Options::default()).program.expect("a program");
    let most = MOST.load(Ordering::Relaxed) - before;
    program.verify().unwrap_or_else(|faults| panic!("{faults}"));
    most
}

#[test]
fn memory_grows_like_the_outputs() {
    let (few, many) = (peak(500), peak(4000));
    // Eight times as many; tables double now and then.
    assert!(many < 16 * few, "{few} bytes for 500 outputs, {many} for 4000");
}
