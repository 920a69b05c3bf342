//! Functions at run time, as machine code where they fit.
//!
//! What fits: numbers and arrays of known sizes, loops, branches, calls of other such functions, recursion. What
//! does not (strings, foreign code, effects, sizes that depend on values) is left to the evaluator of
//! `kausal-symbolic`, and so is a function that fails, so that the evaluator can say why: code does not make
//! messages.
//!
//! ```
//! use kausal_codegen::{Backend, Called, Functions};
//! use kausal_symbolic::function::{Function, Scalar, Stmt};
//! use kausal_symbolic::{Op, Pool};
//!
//! let mut square = Function::named("square");
//! let x = square.input("x", Scalar::Real, &[]);
//! let y = square.output("y", Scalar::Real, &[]);
//! let term = square.local_term(x);
//! let product = square.op(Op::Mul, &[term, term]);
//! square.push(Stmt::assign(y, product));
//! let mut pool = Pool::new();
//! let id = pool.add_function(square);
//!
//! let functions = Functions::new(&pool, [id], Backend::Jit)?;
//! let (mut out, mut memory) = ([0.0], functions.memory());
//! assert_eq!(functions.call(id, &[3.0], &mut out, &mut memory), Called::Done);
//! assert_eq!(out, [9.0]);
//! # Ok::<(), kausal_codegen::Error>(())
//! ```

use std::fmt;

use kausal_symbolic::function::interrupt::Interrupt;
use kausal_symbolic::{FunctionId, Pool};

use crate::chunk::{Backend, Error};
use crate::jit::{self, Effort};
use crate::machine::FunctionMachine;
use crate::routine::{Routines, specialise};

/// Numbers of work memory: for the arrays of all functions that call each other.
const WORK: usize = 65_536;

/// The functions of a program as machine code.
#[derive(Default)]
pub struct Functions {
    machine: Option<FunctionMachine>,
    /// Where a function is among the routines, by its number.
    index: Vec<Option<usize>>,
    /// Why the others are not compiled.
    left: Vec<(FunctionId, String)>,
}

/// Working memory of one thread for calls of functions, and what ends them from outside.
#[derive(Clone, Debug)]
pub struct WorkMemory {
    numbers: Vec<f64>,
    interrupt: Interrupt,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// The outputs are there.
    Done,
    /// An assertion, a subscript, the depth of recursion or a request to end: the evaluator says which.
    Failed,
    /// There is no code for this function.
    NotCompiled,
}

impl Functions {
    /// Compiles functions that are called with all their scalar arguments, and all they call. With the interpreter
    /// as back end none is compiled.
    pub fn new(
        pool: &Pool,
        functions: impl IntoIterator<Item = FunctionId>,
        backend: Backend,
    ) -> Result<Functions, Error> {
        let mut routines = Routines::default();
        let mut compiled = Functions::default();
        for id in functions {
            match routines.closed(pool, id) {
                Ok(at) => compiled.put(id, at),
                Err(unfit) => compiled.left.push((id, unfit.0)),
            }
        }
        let isa = match backend {
            Backend::Interpreter => None,
            Backend::Jit | Backend::Auto => jit::target(Effort::Quick).ok(),
            Backend::JitOptimised => jit::target(Effort::Optimised).ok(),
        };
        match isa {
            Some(isa) if !routines.list.is_empty() => {
                let entries: Vec<usize> = compiled.index.iter().flatten().copied().collect();
                let (list, places) = specialise::narrowed(&routines.list, &entries);
                compiled.index.iter_mut().flatten().zip(places).for_each(|(at, place)| *at = place);
                compiled.machine = Some(jit::routine::compile(isa, &list)?);
            }
            _ => compiled.index.clear(),
        }
        Ok(compiled)
    }

    fn put(&mut self, id: FunctionId, at: usize) {
        let place = id.0 as usize;
        if place >= self.index.len() {
            self.index.resize(place + 1, None);
        }
        self.index[place] = Some(at);
    }

    /// Working memory, to be kept by whoever calls.
    pub fn memory(&self) -> WorkMemory {
        self.memory_of_run(&Interrupt::default())
    }

    /// The same for a run that can be ended from outside.
    pub fn memory_of_run(&self, interrupt: &Interrupt) -> WorkMemory {
        let numbers = vec![0.0; if self.machine.is_some() { WORK } else { 0 }];
        WorkMemory { numbers, interrupt: interrupt.clone() }
    }

    /// Calls a function with all its scalar arguments. Allocates nothing.
    pub fn call(&self, id: FunctionId, args: &[f64], outputs: &mut [f64], memory: &mut WorkMemory) -> Called {
        let (Some(machine), Some(&Some(at))) = (&self.machine, self.index.get(id.0 as usize)) else {
            return Called::NotCompiled;
        };
        if machine.sizes(at) != (args.len(), outputs.len()) {
            return Called::NotCompiled;
        }
        match machine.call(at, args, outputs, &mut memory.numbers, memory.interrupt.flag()) {
            true => Called::Done,
            false => Called::Failed,
        }
    }

    /// Functions that were not compiled, with the reason.
    pub fn left_to_the_evaluator(&self) -> impl Iterator<Item = (FunctionId, &str)> {
        self.left.iter().map(|(id, why)| (*id, why.as_str()))
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions")
            .field("compiled", &self.index.iter().flatten().count())
            .field("left", &self.left)
            .finish()
    }
}

const _: () = {
    const fn shareable<T: Send + Sync>() {}
    shareable::<Functions>();
};
