//! Machine code in memory, and the call into it: the only unsafe lines of this crate.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use cranelift_jit::JITModule;

use crate::plan::Extents;

/// What [`crate::jit`] compiles: values, `pre` values, scratch memory, outputs, time.
type Function = unsafe extern "C" fn(*mut f64, *const f64, *mut f64, *mut f64, f64);

/// The code of one chunk, and what it touches.
#[derive(Debug)]
pub(crate) struct Entry {
    pub extents: Extents,
    pub scratch: usize,
    pub functions: Vec<*const u8>,
}

/// A chunk as it is run, with the memory its code is in.
pub(crate) struct Chunk {
    extents: Extents,
    scratch: usize,
    /// Its only function, or its first one.
    first: Function,
    others: Vec<Function>,
    _memory: Arc<CodeMemory>,
}

/// Owns executable memory, and is kept for that only; the lock is never taken while code runs.
struct CodeMemory(ManuallyDrop<Mutex<JITModule>>);

/// The code of an empty chunk.
unsafe extern "C" fn nothing(_: *mut f64, _: *const f64, _: *mut f64, _: *mut f64, _: f64) {}

/// Chunks from their functions. The addresses are those of functions of the module, compiled with the signature of [`Function`].
pub(crate) fn chunks(module: JITModule, entries: Vec<Entry>) -> Vec<Chunk> {
    let memory = Arc::new(CodeMemory(ManuallyDrop::new(Mutex::new(module))));
    let chunk = |entry: Entry| {
        let mut functions = entry
            .functions
            .into_iter()
            // SAFETY: a finalized function of the module, which has this signature (jit::signature); it stays in
            // place until the module is freed, when the last chunk that holds the memory is dropped.
            .map(|address| unsafe { std::mem::transmute::<*const u8, Function>(address) });
        let first = functions.next().unwrap_or(nothing);
        Chunk {
            extents: entry.extents,
            scratch: entry.scratch,
            first,
            others: functions.collect(),
            _memory: memory.clone(),
        }
    };
    entries.into_iter().map(chunk).collect()
}

impl Chunk {
    /// How much scratch memory it needs.
    pub fn scratch(&self) -> usize {
        self.scratch
    }

    /// Runs it. Small models do little else than come here, so the way to a single function is a short one.
    #[inline(always)]
    pub fn run(&self, values: &mut [f64], pre: &[f64], time: f64, scratch: &mut [f64], outputs: &mut [f64]) {
        let Chunk { extents, scratch: needed, first, others, .. } = self;
        let missing = values.len() < extents.values
            || pre.len() < extents.pre
            || outputs.len() < extents.outputs
            || scratch.len() < *needed;
        if missing {
            too_short([
                ("values", values.len(), extents.values),
                ("pre values", pre.len(), extents.pre),
                ("outputs", outputs.len(), extents.outputs),
                ("scratch memory", scratch.len(), *needed),
            ]);
        }
        let (values, pre) = (values.as_mut_ptr(), pre.as_ptr());
        let (scratch, outputs) = (scratch.as_mut_ptr(), outputs.as_mut_ptr());
        // SAFETY: the code reads and writes elements below the extents only (they are the largest index of
        // any load or store of the plan it was made from), and all four arrays were checked against them.
        // The arrays are borrowed for this call and do not overlap.
        unsafe {
            first(values, pre, scratch, outputs, time);
        }
        if !others.is_empty() {
            // SAFETY: as above.
            unsafe { run_all(others, values, pre, scratch, outputs, time) };
        }
    }
}

#[cold]
#[inline(never)]
fn too_short(arrays: [(&str, usize, usize); 4]) -> ! {
    for (name, len, needed) in arrays {
        assert!(len >= needed, "{name} are too short for this code: {len} instead of {needed}");
    }
    unreachable!("one of them is");
}

/// The other functions of a long chunk.
///
/// # Safety
/// As for the first one: the arrays are as long as the extents of the chunk say.
#[inline(never)]
unsafe fn run_all(
    functions: &[Function],
    values: *mut f64,
    pre: *const f64,
    scratch: *mut f64,
    outputs: *mut f64,
    time: f64,
) {
    for function in functions {
        // SAFETY: promised by the caller.
        unsafe { function(values, pre, scratch, outputs, time) };
    }
}

/// What [`crate::jit::routine`] compiles: inputs, outputs, work memory and how much of it is left, the flag that ends it; gives
/// 0 if all went well.
type Called = unsafe extern "C" fn(*const f64, *mut f64, *mut f64, i64, *const bool) -> i64;

/// The code of a function.
#[derive(Debug)]
pub(crate) struct FunctionEntry {
    pub address: *const u8,
    pub inputs: usize,
    pub outputs: usize,
}

/// Owns executable memory of functions.
pub(crate) struct FunctionMachine {
    entries: Vec<(Called, usize, usize)>,
    /// What the code reads at its address.
    _constants: Box<[f64]>,
    module: ManuallyDrop<Mutex<JITModule>>,
}

impl FunctionMachine {
    /// The addresses are those of functions of the module, compiled with the signature of [`Called`].
    pub fn new(module: JITModule, entries: Vec<FunctionEntry>, constants: Box<[f64]>) -> Self {
        let entries = entries
            .into_iter()
            .map(|entry| {
                // SAFETY: a finalized function of the module with this signature (jit::routine::signature); it
                // stays in place until the module is freed, when this struct is dropped.
                let function = unsafe { std::mem::transmute::<*const u8, Called>(entry.address) };
                (function, entry.inputs, entry.outputs)
            })
            .collect();
        FunctionMachine { entries, _constants: constants, module: ManuallyDrop::new(Mutex::new(module)) }
    }

    /// How many numbers a function takes and gives.
    pub fn sizes(&self, function: usize) -> (usize, usize) {
        let (_, inputs, outputs) = self.entries[function];
        (inputs, outputs)
    }

    /// Calls a function; did all go well? Not where it was ended by the flag.
    pub fn call(
        &self,
        function: usize,
        args: &[f64],
        outputs: &mut [f64],
        work: &mut [f64],
        interrupt: &AtomicBool,
    ) -> bool {
        let (code, takes, gives) = self.entries[function];
        assert!(args.len() == takes && outputs.len() == gives, "the function has other arguments or outputs");
        // SAFETY: the code reads as many arguments and writes as many outputs as the routine has, which was checked,
        // at places that are known or checked before they are used; it uses no more work memory than it is told
        // there is, reads constants that live as long as `self`, and reads the flag, one byte, which others may write: a byte is
        // read as a whole. The arrays and the flag are borrowed for this call and do not overlap.
        unsafe {
            let (out, left) = (outputs.as_mut_ptr(), work.len() as i64);
            code(args.as_ptr(), out, work.as_mut_ptr(), left, interrupt.as_ptr()) == 0
        }
    }
}

impl Drop for FunctionMachine {
    fn drop(&mut self) {
        // SAFETY: as for `CodeMemory`: all calls go through `call`, which borrows `self`.
        unsafe { free(&mut self.module) };
    }
}

/// Frees the memory of a module.
///
/// # Safety
/// The module is not used again, and none of its functions is running or will be called.
unsafe fn free(module: &mut ManuallyDrop<Mutex<JITModule>>) {
    // SAFETY: promised by the caller.
    unsafe {
        let module = ManuallyDrop::take(module);
        let module = module.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        module.free_memory();
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: no chunk has it any more, so no function of it can be running or be called later: all calls go through
        // `run`, which borrows a chunk.
        unsafe { free(&mut self.0) };
    }
}
