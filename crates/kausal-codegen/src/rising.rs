//! Code that is interpreted until machine code pays.
//!
//! Making machine code takes as long as interpreting the same code some thousand times. What runs once, and small models
//! with short runs, are over before that. So the interpreter begins, and counts its instructions; when it has taken about
//! as long as the compiler would, all chunks are compiled. Whatever the length of the run turns out to be, it takes at
//! most about twice as long as if that had been known before. Results do not depend on it: both give the same bits.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::chunk::Memory;
use crate::interpreter::{Assembler, ByteCode};
use crate::jit::{self, Effort};
use crate::machine::Machine;
use crate::plan::Plan;

/// What the compiler takes for any program, and for each instruction, in instructions of the interpreter. Estimates: a
/// factor of two in either costs a run little.
const START: i64 = 150_000;
const EACH: i64 = 2_000;

/// Chunks, interpreted at first.
pub(crate) struct Rising {
    codes: Vec<ByteCode>,
    /// Instructions until it pays to compile.
    left: AtomicI64,
    /// What to compile; taken then.
    plans: Mutex<Vec<Plan>>,
    /// Machine code with what its scratch memory holds at the start; none if it could not be made.
    machine: OnceLock<Option<(Machine, Vec<f64>)>>,
}

impl Rising {
    /// With what the scratch memory holds at the start.
    pub fn new(plans: Vec<Plan>) -> (Rising, Vec<f64>) {
        let mut assembler = Assembler::default();
        plans.iter().for_each(|plan| assembler.add(plan));
        let (codes, scratch) = assembler.finish();
        let all: usize = codes.iter().map(ByteCode::len).sum();
        let left = AtomicI64::new(START.saturating_add(EACH.saturating_mul(all as i64)));
        (Rising { codes, left, plans: Mutex::new(plans), machine: OnceLock::new() }, scratch)
    }

    /// Runs a chunk.
    pub fn run(&self, chunk: usize, memory: &mut Memory<'_>, outputs: &mut [f64]) {
        if let Some(Some((machine, scratch))) = self.machine.get() {
            memory.scratch.rise(scratch);
            return machine.run(chunk, memory, outputs);
        }
        let code = &self.codes[chunk];
        code.run(memory, outputs);
        let cost = code.len() as i64;
        if self.left.fetch_sub(cost, Ordering::Relaxed) < cost {
            self.machine.get_or_init(|| self.compile());
        }
    }

    fn compile(&self) -> Option<(Machine, Vec<f64>)> {
        let plans = std::mem::take(&mut *self.plans.lock().unwrap_or_else(PoisonError::into_inner));
        let isa = jit::target(Effort::Quick).ok()?;
        jit::compile(isa, &plans).ok()
    }

    /// Is it machine code by now?
    pub fn has_risen(&self) -> bool {
        matches!(self.machine.get(), Some(Some(_)))
    }
}

impl fmt::Debug for Rising {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rising").field("risen", &self.has_risen()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
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
        let ((rising, chunk), (plain, _)) = (make(Backend::Auto), make(Backend::Interpreter));
        assert!(!rising.is_machine_code());
        let (mut a, mut b) = ([0.7], [0.7]);
        let (mut a_scratch, mut b_scratch) = (rising.scratch(), plain.scratch());
        for _ in 0..200_000 {
            rising.run(chunk, &mut Memory { values: &mut a, pre: &[], time: 0.0, scratch: &mut a_scratch });
            plain.run(chunk, &mut Memory { values: &mut b, pre: &[], time: 0.0, scratch: &mut b_scratch });
            assert_eq!(a[0].to_bits(), b[0].to_bits());
            if a[0].abs() < 1e-6 {
                (a[0], b[0]) = (0.7, 0.7);
            }
        }
        assert!(rising.is_machine_code() || rising.note().is_some());
        // Memory that was made before works, and so does new memory.
        let mut fresh = rising.scratch();
        a[0] = 0.7;
        rising.run(chunk, &mut Memory { values: &mut a, pre: &[], time: 0.0, scratch: &mut fresh });
        assert_eq!(a[0], 0.7_f64.sin() / 3.0 + 0.7 * 0.7);
    }
}
