//! A [`Program`] as text that people read, and that parses back.
//!
//! ```text
//! program "M";
//! variable x: Real state = 1;
//! variable der(x): Real derivative;
//! equation der(x) = -x;
//! state x der(x);
//! dynamics {
//!   der(x) := -x @0;
//! }
//! ```
//!
//! [`write`] gives all of a program, [`brief`] leaves out what only reports need: places in sources, prices of ways not taken,
//! decisions. Parsing either gives a program with the same text ([`parse`]). Ids of variables and equations are kept;
//! expressions get new ids, because the text has those that are used only.
//!
//! | written | means |
//! | --- | --- |
//! | `a + b - c`, `2*x`, `(a*b)/c`, `x^2` | nodes as they are: parentheses are where nodes end, nothing is simplified |
//! | `add(a, 2)`, `neg(2)` | operators in forms that signs above would not give back |
//! | `` `a b` ``, `x#7` | a name with other characters; the variable 7, where several have the name |
//! | `$3` | an expression that is used in several places and long: `expression $3 = …;` |
//! | `@4` | solved from the equation 4 |

mod expression;
mod lexer;
mod parse;
mod parse_steps;
mod write;

pub use parse::{ParseError, parse};

use crate::program::Program;

/// All of a program.
pub fn write(program: &Program) -> String {
    write::text(program, write::Extent::All)
}

/// What is computed: without places in sources, and without what only reports need.
pub fn brief(program: &Program) -> String {
    write::text(program, write::Extent::Brief)
}

pub(crate) use expression::{Names, Shared, expression};
