//! Running code allocates nothing.
#![allow(unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::functions::samples;
use common::{TIME, arrays, cook, recipe, values};
use kausal_codegen::{Backend, Compiler, Functions, Memory};
use kausal_symbolic::Pool;
use kausal_symbolic::function::layout;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: every call is passed on unchanged to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn chunks() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..20 {
        let (pool, assigns) = cook(&recipe(true).new_tree(&mut runner).unwrap().current());
        let (mut values, pre) = arrays(&values().new_tree(&mut runner).unwrap().current());
        for backend in [Backend::Interpreter, Backend::Jit] {
            let mut compiler = Compiler::new(&pool, backend);
            let chunk = compiler.add(&assigns).unwrap();
            let code = compiler.finish().unwrap();
            let mut scratch = code.scratch();
            let mut memory = Memory { values: &mut values, pre: &pre, time: TIME, scratch: &mut scratch };
            assert_eq!(allocations(|| code.run(chunk, &mut memory)), 0, "{backend:?}");
        }
    }
}

#[test]
fn functions() {
    let mut pool = Pool::new();
    let samples = samples(&mut pool);
    let functions = Functions::new(&pool, samples.iter().map(|sample| sample.id), Backend::Jit).unwrap();
    let mut memory = functions.memory();
    for sample in &samples {
        let mut out = vec![0.0; layout::Layout::of_outputs(pool.function(sample.id)).unwrap().len];
        for arguments in &sample.arguments {
            let count = allocations(|| _ = functions.call(sample.id, arguments, &mut out, &mut memory));
            assert_eq!(count, 0, "{}", sample.name);
        }
    }
}
