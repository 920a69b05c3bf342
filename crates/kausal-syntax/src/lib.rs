//! # kausal-syntax: from text to tree
//!
//! Two notations are read here, Modelica 3.6 (`.mo`, module [`modelica`]) and the classic Dymola notation of
//! the papers (`.dym`, module [`classic`]), and both become the same [`Ast`]. Below this room nobody knows
//! which notation a model came in.
//!
//! **Parsing never fails.** A parser returns a tree and a list of [`Diagnostic`]s; where the text is broken
//! the tree has [`ast::Expr::Error`] nodes or misses an element, and the parser goes on at the next place it
//! can trust.
//!
//! **This room does not know what a name means**: no lookup, no types, no files. Text comes in as a string,
//! registered in [`Sources`] so that every later room can point at it.

pub mod arena;
pub mod ast;
pub mod classic;
pub mod diagnostic;
pub mod modelica;
pub mod print;
pub mod source;
mod spelling;
pub mod symbol;

pub use ast::Ast;
pub use diagnostic::{Diagnostic, Severity};
pub use source::{Location, SourceId, Sources, Span};
pub use symbol::Symbol;

/// What a parser gives back: always a tree, and what was wrong with the text.
#[derive(Clone, Debug)]
pub struct Parse {
    /// The tree, complete as far as the text could be read.
    pub ast: Ast,
    /// What was wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parse {
    /// Was anything wrong?
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}
