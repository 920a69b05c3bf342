//! Straight-line code: compile once, run often.
//!
//! ```
//! use kausal_codegen::{Backend, Compiler, Memory};
//! use kausal_symbolic::{Op, Pool, VarId};
//! use kausal_translate::program::Assign;
//!
//! let mut pool = Pool::new();
//! let (x, y) = (VarId(0), VarId(1));
//! let (value, three) = (pool.var(x), pool.constant(3.0));
//! let product = pool.op(Op::Mul, &[value, three]);
//!
//! let mut compiler = Compiler::new(&pool, Backend::Jit);
//! let chunk = compiler.add(&[Assign { variable: y, value: product, equation: None }])?;
//! let code = compiler.finish()?;
//!
//! let mut scratch = code.scratch();
//! let mut values = [2.0, 0.0];
//! code.run(chunk, &mut Memory { values: &mut values, pre: &[], time: 0.0, scratch: &mut scratch });
//! assert_eq!(values[1], 6.0);
//! # Ok::<(), kausal_codegen::Error>(())
//! ```
//!
//! [`Code`] is immutable and shared between threads; a run owns its arrays. Running allocates nothing.
//! A string is the index of its [`TextId`](kausal_symbolic::TextId) as a number.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kausal_symbolic::{ExprId, Pool, VarId};
use kausal_translate::program::Assign;

use crate::interpreter::{Assembler, ByteCode};
use crate::jit::{self, Constants, Effort};
use crate::machine;
use crate::plan::{self, Plan};
use crate::tangent;
use crate::tape::{Line, Writer};
use crate::tiered::Tiered;

/// How code is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The interpreter at first, and machine code as soon as the run is long enough for it to pay.
    Auto,
    /// Machine code; where there is none for this machine, the interpreter, and [`Code::note`] says so.
    Jit,
    /// Machine code with Cranelift's own optimisations: longer to compile, seldom faster.
    JitOptimised,
    /// Byte code.
    Interpreter,
}

/// Names a chunk of a [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId(pub u32);

/// Why there is no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An expression that is not allowed in a program.
    Unsupported(String),
    /// No machine code can be made.
    NoMachineCode(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unsupported(what) => write!(f, "code cannot be made for {what}"),
            Error::NoMachineCode(why) => write!(f, "no machine code: {why}"),
        }
    }
}

impl std::error::Error for Error {}

/// What a run reads and writes.
#[derive(Debug)]
pub struct Memory<'a> {
    /// One number per variable.
    pub values: &'a mut [f64],
    /// The values before the event; empty if no `pre` is read.
    pub pre: &'a [f64],
    /// The clock.
    pub time: f64,
    /// From [`Code::scratch`] of the code that is run.
    pub scratch: &'a mut Scratch,
}

/// Working memory of one thread for one [`Code`].
#[derive(Clone, Debug)]
pub struct Scratch {
    owner: u64,
    cells: Vec<f64>,
    /// Those of machine code that has taken the place of interpreted code.
    promoted: Vec<f64>,
}

impl Scratch {
    pub(crate) fn cells(&mut self) -> &mut [f64] {
        &mut self.cells
    }

    /// The memory of machine code that has taken the place of interpreted code: constants, and at least as many cells as it needs.
    #[inline]
    pub(crate) fn promoted<'a>(
        &mut self,
        needed: usize,
        constants: impl FnOnce() -> &'a [f64],
    ) -> &mut [f64] {
        if self.promoted.len() < needed {
            self.promote(needed, constants());
        }
        &mut self.promoted
    }

    #[cold]
    fn promote(&mut self, needed: usize, constants: &[f64]) {
        if self.promoted.is_empty() {
            self.promoted.extend_from_slice(constants);
        }
        self.promoted.resize(needed.max(constants.len()), 0.0);
    }
}

/// Collects chunks.
pub struct Compiler<'p> {
    writer: Writer<'p>,
    backend: Backend,
    plans: Vec<Plan>,
}

impl<'p> Compiler<'p> {
    /// For expressions of this pool.
    pub fn new(pool: &'p Pool, backend: Backend) -> Self {
        Compiler { writer: Writer::new(pool), backend, plans: Vec::new() }
    }

    /// Adds assignments, done in this order: one may read what an earlier one assigned.
    pub fn add(&mut self, assignments: &[Assign]) -> Result<ChunkId, Error> {
        let written =
            assignments.iter().try_for_each(|assign| self.writer.assign(assign.variable, assign.value));
        self.close(written)
    }

    /// Adds expressions whose values go to an array of outputs, for [`Code::evaluate`].
    pub fn add_outputs(&mut self, expressions: &[ExprId]) -> Result<ChunkId, Error> {
        let written =
            (0..).zip(expressions).try_for_each(|(k, &expression)| self.writer.output(k, expression));
        self.close(written)
    }

    /// Adds the derivatives of assignments, in the direction that the derivatives of their variables have. `slot` names
    /// where the derivative of a variable is; variables without one are constant. To be run after the assignments.
    pub fn add_tangent(
        &mut self,
        assignments: &[Assign],
        slot: &dyn Fn(VarId) -> Option<VarId>,
    ) -> Result<ChunkId, Error> {
        let written =
            assignments.iter().try_for_each(|assign| self.writer.assign(assign.variable, assign.value));
        self.close_tangent(written, slot)
    }

    /// Adds the derivatives of expressions, for [`Code::evaluate`]. See [`Compiler::add_tangent`].
    pub fn add_output_tangents(
        &mut self,
        expressions: &[ExprId],
        slot: &dyn Fn(VarId) -> Option<VarId>,
    ) -> Result<ChunkId, Error> {
        let written =
            (0..).zip(expressions).try_for_each(|(k, &expression)| self.writer.output(k, expression));
        self.close_tangent(written, slot)
    }

    fn close_tangent(
        &mut self,
        written: Result<(), Error>,
        slot: &dyn Fn(VarId) -> Option<VarId>,
    ) -> Result<ChunkId, Error> {
        if let Err(error) = written {
            self.writer.abandon();
            return Err(error);
        }
        let tape = tangent::tangent(&self.writer.finish(), slot);
        self.plans.push(plan::plan(tape));
        Ok(ChunkId(self.plans.len() as u32 - 1))
    }

    fn close(&mut self, written: Result<(), Error>) -> Result<ChunkId, Error> {
        if let Err(error) = written {
            self.writer.abandon();
            return Err(error);
        }
        self.plans.push(plan::plan(self.writer.finish()));
        Ok(ChunkId(self.plans.len() as u32 - 1))
    }

    /// How many operations all chunks have, common ones counted once a chunk.
    pub fn operations(&self) -> usize {
        let computed = |line: &&Line| matches!(line, Line::Unary(..) | Line::Binary(..) | Line::If(..));
        self.plans.iter().map(|plan| plan.tape.lines.iter().filter(computed).count()).sum()
    }

    /// Makes the code of all chunks.
    pub fn finish(self) -> Result<Code, Error> {
        static OWNERS: AtomicU64 = AtomicU64::new(0);
        let owner = OWNERS.fetch_add(1, Ordering::Relaxed);
        let effort = match self.backend {
            Backend::Interpreter => return Ok(interpreted(owner, &self.plans, None)),
            Backend::Auto if jit::is_possible() => {
                let (tiered, scratch) = Tiered::new(self.plans);
                return Ok(Code { owner, engine: Engine::Tiered(Box::new(tiered)), scratch, note: None });
            }
            Backend::Auto => Effort::Quick,
            Backend::Jit => Effort::Quick,
            Backend::JitOptimised => Effort::Optimised,
        };
        match jit::target(effort) {
            Err(error) => {
                let note = format!("{error}; the model is interpreted");
                Ok(interpreted(owner, &self.plans, Some(note)))
            }
            Ok(isa) => {
                let constants = Constants::new(&self.plans);
                let plans: Vec<&Plan> = self.plans.iter().collect();
                let chunks = jit::compile(&isa, &constants, &plans, &AtomicBool::new(false))?;
                let mut scratch = constants.values;
                let needed = chunks.iter().map(machine::Chunk::scratch).max().unwrap_or(0);
                scratch.resize(scratch.len().max(needed), 0.0);
                Ok(Code { owner, engine: Engine::Machine(chunks), scratch, note: None })
            }
        }
    }
}

fn interpreted(owner: u64, plans: &[Plan], note: Option<String>) -> Code {
    let mut assembler = Assembler::default();
    plans.iter().for_each(|plan| assembler.add(plan));
    let (codes, scratch) = assembler.finish();
    Code { owner, engine: Engine::Interpreter(codes), scratch, note }
}

/// Code of many chunks, ready to run.
pub struct Code {
    owner: u64,
    engine: Engine,
    /// What fresh scratch memory holds.
    scratch: Vec<f64>,
    note: Option<String>,
}

enum Engine {
    Machine(Vec<machine::Chunk>),
    Interpreter(Vec<ByteCode>),
    Tiered(Box<Tiered>),
}

impl Code {
    /// Fresh working memory, to be kept by whoever runs this code.
    pub fn scratch(&self) -> Scratch {
        Scratch { owner: self.owner, cells: self.scratch.clone(), promoted: Vec::new() }
    }

    /// Runs assignments.
    ///
    /// # Panics
    /// If an array is shorter than the largest slot used, or the scratch memory is of another code.
    #[inline(always)]
    pub fn run(&self, chunk: ChunkId, memory: &mut Memory<'_>) {
        self.at_once(chunk, memory, &mut []);
    }

    /// Runs a chunk of [`Compiler::add_outputs`].
    ///
    /// # Panics
    /// Like [`Code::run`].
    pub fn evaluate(&self, chunk: ChunkId, memory: &mut Memory<'_>, outputs: &mut [f64]) {
        self.at_once(chunk, memory, outputs);
    }

    /// Small models do little else: where steps are executed it is a part of the loop.
    #[inline(always)]
    fn at_once(&self, chunk: ChunkId, memory: &mut Memory<'_>, outputs: &mut [f64]) {
        assert!(memory.scratch.owner == self.owner, "scratch memory of another code");
        match &self.engine {
            Engine::Machine(chunks) => {
                let Memory { values, pre, time, scratch } = memory;
                chunks[chunk.0 as usize].run(values, pre, *time, scratch.cells(), outputs);
            }
            Engine::Tiered(tiered) => tiered.run(chunk.0 as usize, memory, outputs),
            Engine::Interpreter(codes) => codes[chunk.0 as usize].run(memory, outputs),
        }
    }

    /// Why this is not the back end that was asked for.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Is it machine code, by now?
    pub fn is_machine_code(&self) -> bool {
        match &self.engine {
            Engine::Machine(_) => true,
            Engine::Interpreter(_) => false,
            Engine::Tiered(tiered) => tiered.is_promoted(),
        }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("machine_code", &self.is_machine_code()).finish_non_exhaustive()
    }
}

const _: () = {
    const fn shareable<T: Send + Sync>() {}
    shareable::<Code>();
};
