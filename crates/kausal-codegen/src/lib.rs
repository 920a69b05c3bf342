//! # kausal-codegen: readers of a program
//!
//! A [`Program`](kausal_translate::Program) says what is computed, in order. Its straight-line parts become a
//! [`tape`]: one operation a line, common parts once, branches of `if` apart where they cost something. From
//! the tape come the three ways to run:
//!
//! ```text
//!  assignments ──tape──▶ plan ──▶ interpreter   byte code for a register machine
//!                          ├────▶ jit           machine code by Cranelift
//!                          └────▶ c             C11 text
//! ```
//!
//! All three do the same operations in the same order, so they agree bit for bit. [`chunk`] is the door:
//! [`Compiler`], [`Code`], [`Memory`]. Functions of the model take a way of their own, from their terms and
//! statements to simple code with known sizes, and from there to C and to machine code: [`function`].
//!
//! [`c`] writes a whole program as C, [`listing`] as the papers print it, [`count`] counts its operations.
//!
//! **This room does not know why the program looks as it does**, and it does not execute systems, `when`
//! clauses or events: who runs a program walks its steps and comes here for the straight-line parts.

pub mod c;
pub mod chunk;
pub mod count;
pub mod function;
mod interpreter;
mod jit;
pub mod listing;
mod machine;
mod plan;
mod routine;
pub mod scalar;
mod tangent;
pub mod tape;
mod tiered;

pub use chunk::{Backend, ChunkId, Code, Compiler, Error, Memory, Scratch};
pub use function::{Called, Functions, WorkMemory};
