//! Code that is interpreted until machine code pays.
//!
//! Making machine code takes as long as interpreting the same code some thousand times. What runs once, and small models
//! with short runs, are over before that. So the interpreter begins and counts how often it runs each chunk. Chunks that turn out
//! to be hot are compiled, and only they: on another core, while the interpreter goes on, so a run never waits for the compiler. That
//! begins early, at a part of what would pay on the same core: whoever runs that long will most likely run much longer. Where
//! there is one core only, the run waits, at the moment that makes it take at most twice as long as if its length had been known.
//! Results do not depend on when code changes hands: both give the same bits.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use cranelift_codegen::isa::OwnedTargetIsa;

use crate::chunk::Memory;
use crate::interpreter::{Assembler, ByteCode};
use crate::jit::{self, Constants, Effort};
use crate::machine::Chunk;
use crate::plan::Plan;

/// What the compiler takes for any program, in instructions of the interpreter. An estimate: a factor of two costs a run little.
const START: i64 = 150_000;
/// What it takes for an instruction, likewise: a chunk that was run so often could have been compiled.
const EACH: u32 = 2_000;
/// Another core begins when a chunk was run this part as often.
const EARLY: u32 = 4;
/// What was run this part as often as a hot chunk is compiled with it: it will be hot soon.
const NEARLY: u32 = 2;

/// Chunks, interpreted at first.
pub(crate) struct Tiered {
    codes: Vec<ByteCode>,
    /// How often each was interpreted.
    runs: Vec<AtomicU32>,
    /// Machine code, as far as there is any.
    chunks: Arc<[OnceLock<Chunk>]>,
    shared: Arc<Shared>,
    /// Who compiles, or has compiled.
    worker: Mutex<Option<JoinHandle<()>>>,
}

/// What the interpreter and the compiler on the other core share.
struct Shared {
    /// Instructions until it pays to compile anything.
    left: AtomicI64,
    /// What to compile; taken then.
    plans: Mutex<Vec<Option<Plan>>>,
    /// Those of all chunks, from when the first one is compiled.
    constants: OnceLock<Constants>,
    chunks: Arc<[OnceLock<Chunk>]>,
    /// Something is being compiled.
    is_busy: AtomicBool,
    /// Nobody waits for it any more.
    abandoned: AtomicBool,
}

impl Tiered {
    /// With what the scratch memory holds at the start.
    pub fn new(plans: Vec<Plan>) -> (Tiered, Vec<f64>) {
        let mut assembler = Assembler::default();
        plans.iter().for_each(|plan| assembler.add(plan));
        let (codes, scratch) = assembler.finish();
        let chunks: Arc<[OnceLock<Chunk>]> = plans.iter().map(|_| OnceLock::new()).collect();
        let shared = Shared {
            left: AtomicI64::new(START),
            constants: OnceLock::new(),
            chunks: chunks.clone(),
            plans: Mutex::new(plans.into_iter().map(Some).collect()),
            is_busy: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
        };
        let runs = codes.iter().map(|_| AtomicU32::new(0)).collect();
        (Tiered { codes, runs, chunks, shared: Arc::new(shared), worker: Mutex::new(None) }, scratch)
    }

    /// Runs a chunk.
    #[inline(always)]
    pub fn run(&self, chunk: usize, memory: &mut Memory<'_>, outputs: &mut [f64]) {
        let Some(compiled) = self.chunks[chunk].get() else { return self.interpret(chunk, memory, outputs) };
        let Memory { values, pre, time, scratch } = memory;
        let scratch = scratch.promoted(compiled.scratch(), || self.shared.constants());
        compiled.run(values, pre, *time, scratch, outputs);
    }

    #[inline(never)]
    fn interpret(&self, chunk: usize, memory: &mut Memory<'_>, outputs: &mut [f64]) {
        let code = &self.codes[chunk];
        code.run(memory, outputs);
        let cost = code.len() as i64;
        let runs = self.runs[chunk].fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let left = self.shared.left.fetch_sub(cost, Ordering::Relaxed);
        if runs >= EACH / EARLY && left < cost && !self.shared.is_busy.load(Ordering::Relaxed) {
            self.compile_hot(runs);
        }
    }

    /// Chunks that are hot by now become machine code.
    #[cold]
    #[inline(never)]
    fn compile_hot(&self, runs: u32) {
        let is_alone = is_single_core();
        if is_alone && runs < EACH || self.shared.is_busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let hot = (if is_alone { EACH } else { EACH / EARLY }) / NEARLY;
        let is_hot = |chunk: &usize| self.runs[*chunk].load(Ordering::Relaxed) >= hot;
        let batch: Vec<usize> = (0..self.runs.len()).filter(is_hot).collect();
        let shared = self.shared.clone();
        if is_alone {
            return shared.compile(&batch);
        }
        let work = move || shared.compile(&batch);
        match thread::Builder::new().name("machine code".to_owned()).spawn(work) {
            Ok(worker) => finish(lock(&self.worker).replace(worker)),
            Err(_) => self.shared.give_up(),
        }
    }

    /// Is any of it machine code by now?
    pub fn is_promoted(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.get().is_some())
    }
}

impl Drop for Tiered {
    /// No thread outlives the code it works for: a library with this in it may be unloaded next.
    fn drop(&mut self) {
        self.shared.abandoned.store(true, Ordering::Relaxed);
        finish(lock(&self.worker).take());
    }
}

/// Waits for a thread; if it has panicked, there is no machine code.
fn finish(worker: Option<JoinHandle<()>>) {
    if let Some(worker) = worker {
        worker.join().unwrap_or(());
    }
}

impl Shared {
    fn constants(&self) -> &[f64] {
        self.constants.get().map_or(&[], |constants| &constants.values)
    }

    /// Makes machine code of these chunks, as far as it has not been made.
    fn compile(&self, batch: &[usize]) {
        let mut plans = lock(&self.plans);
        let constants = self.constants.get_or_init(|| Constants::new(plans.iter().flatten()));
        let (places, taken): (Vec<usize>, Vec<Plan>) =
            batch.iter().filter_map(|&place| Some((place, plans[place].take()?))).unzip();
        drop(plans);
        let plans: Vec<&Plan> = taken.iter().collect();
        let made = isa().and_then(|isa| jit::compile(isa, constants, &plans, &self.abandoned).ok());
        let Some(made) = made else { return self.give_up() };
        for (place, chunk) in places.into_iter().zip(made) {
            // Nobody else has had its plan.
            self.chunks[place].get_or_init(|| chunk);
        }
        self.is_busy.store(false, Ordering::Release);
    }

    /// There will be no more machine code.
    fn give_up(&self) {
        self.left.store(i64::MAX, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The description of this machine, made once.
fn isa() -> Option<&'static OwnedTargetIsa> {
    static ISA: OnceLock<Option<OwnedTargetIsa>> = OnceLock::new();
    ISA.get_or_init(|| jit::target(Effort::Quick).ok()).as_ref()
}

/// Asked once: the answer takes longer than a small model runs.
fn is_single_core() -> bool {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from)) == 1
}

impl fmt::Debug for Tiered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tiered").field("promoted", &self.is_promoted()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use kausal_symbolic::{Op, Pool, VarId};
    use kausal_translate::program::Assign;

    use crate::chunk::{Backend, Compiler, Memory};

    /// Runs x := sin(x)/3 + x·x often enough for machine code to pay, and compares with the interpreter at each run.
    #[test]
    fn the_switch_changes_nothing() {
        let mut pool = Pool::new();
        let x = VarId(0);
        let (value, three) = (pool.var(x), pool.constant(3.0));
        let sine = pool.op(Op::Sin, &[value]);
        let third = pool.op(Op::Div, &[sine, three]);
        let square = pool.op(Op::Mul, &[value, value]);
        let sum = pool.op(Op::Add, &[third, square]);
        let assign = [Assign { variable: x, value: sum, equation: None }];
        let make = |backend| {
            let mut compiler = Compiler::new(&pool, backend);
            let chunk = compiler.add(&assign).unwrap();
            (compiler.finish().unwrap(), chunk)
        };
        let ((tiered, chunk), (plain, _)) = (make(Backend::Auto), make(Backend::Interpreter));
        assert!(!tiered.is_machine_code());
        let (mut a, mut b) = ([0.7], [0.7]);
        let (mut a_scratch, mut b_scratch) = (tiered.scratch(), plain.scratch());
        // The other core has its own pace.
        let begin = Instant::now();
        for k in 0.. {
            if k >= 200_000 && (tiered.is_machine_code() || begin.elapsed() > Duration::from_secs(60)) {
                break;
            }
            tiered.run(chunk, &mut Memory { values: &mut a, pre: &[], time: 0.0, scratch: &mut a_scratch });
            plain.run(chunk, &mut Memory { values: &mut b, pre: &[], time: 0.0, scratch: &mut b_scratch });
            assert_eq!(a[0].to_bits(), b[0].to_bits());
            if a[0].abs() < 1e-6 {
                (a[0], b[0]) = (0.7, 0.7);
            }
        }
        assert!(tiered.is_machine_code() || tiered.note().is_some());
        tiered.run(chunk, &mut Memory { values: &mut a, pre: &[], time: 0.0, scratch: &mut a_scratch });
        plain.run(chunk, &mut Memory { values: &mut b, pre: &[], time: 0.0, scratch: &mut b_scratch });
        assert_eq!(a[0].to_bits(), b[0].to_bits());
        // Memory that was made before works, and so does new memory.
        let mut fresh = tiered.scratch();
        a[0] = 0.7;
        tiered.run(chunk, &mut Memory { values: &mut a, pre: &[], time: 0.0, scratch: &mut fresh });
        assert_eq!(a[0], 0.7_f64.sin() / 3.0 + 0.7 * 0.7);
    }
}
