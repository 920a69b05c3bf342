//! # kausal-edit: what is done to a picture, done to its text
//!
//! A diagram editor knows components, connections and parameters; a person's file has comments, an order and a layout. Here an
//! [`Edit`] of a class becomes the smallest changes of the text that say it: a component that is moved by one step to the right
//! changes the digits of two numbers.
//!
//! ```text
//! source        the text, its tree and its lexemes: places, lines, indentation
//! modifiers     modifications and annotations: `a(b = 1)` set and taken away
//! components    declarations: added, deleted, renamed, copied
//! placement     where components are: moved, turned, flipped
//! connections   connect equations and their lines, also those that follow a component
//! route         lines at right angles
//! pieces        changes of changes, put together
//! ```
//!
//! **The text is the model.** Nothing is printed from the tree: what an edit does not mean stays byte for byte. **An edit that
//! cannot be made is refused** with a reason, and the text stays.
//!
//! ```
//! use kausal_edit::{Edit, edit};
//! let text = "model M\n  Real x /* odd */ ( start=1 ); // kept\nend M;\n";
//! let set = Edit::Set { component: String::new(), path: "x.start".into(), value: Some("2".into()), is_final: false, base: None };
//! let done = edit(text, "M", &[set]).expect("x is there");
//! assert_eq!(done.text, "model M\n  Real x /* odd */ ( start=2 ); // kept\nend M;\n");
//! ```

mod components;
mod connections;
mod edit;
mod icon;
mod modifiers;
mod outline;
mod pieces;
mod placement;
pub mod route;
mod source;

pub use edit::{Axis, Edit, LayerName, Outcome, Refusal, edit, edit_source};
pub use icon::{Graphic, graphics};
pub use kausal_syntax::Span;
pub use modifiers::{redeclared, written};
pub use outline::{ConnectionOutline, Outline, Part, outline};
pub use pieces::{Change, apply, compose, invert};
pub use placement::{Placed, number};
pub use source::Source;

/// A point: x to the right, y up, in millimetres.
pub type Point = [f64; 2];
