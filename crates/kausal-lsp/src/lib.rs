//! # kausal-lsp: models in an editor
//!
//! The language server: `kausal lsp` speaks the Language Server Protocol 3.17 over stdin and stdout.
//!
//! ```text
//! server     the loop: messages in, answers out; never computes anything
//! worker     one thread with the buffers and a World: answers requests in order, skips cancelled ones
//! checker    one thread with a World of its own: what is wrong with a buffer, interrupted by the next keystroke
//! index      names of all files of the workspace: symbols, and which file has which words
//! world      classes as the buffers have them, and what a name stands for
//! references all names of a file
//! features   one module for each kind of request
//! ```
//!
//! **Buffers count**, saved or not. **A fault in a request ends that request**: the classes are read anew and the server goes on.

mod checker;
mod document;
mod features;
mod fixes;
mod index;
mod lines;
mod lint;
mod references;
mod server;
mod worker;
mod world;

pub use checker::{Told, check_file, check_names, check_units};
pub use index::{Entry, FileEntry, Index};
pub use kausal_syntax::ast::ClassKind;
pub use lines::{Encoding, Lines, path_of, uri_of};
pub use lint::{fix, lint, lint_library, lint_text, lint_units};
pub use references::{Kind as ReferenceKind, Reference, references};
pub use server::{serve, serve_stdio};
pub use world::{Buffers, MakeFiles, Places, Resolved, Target, What, World};
