//! Modelica 3.6: the complete grammar of the specification's appendix A.
//!
//! The text becomes tokens (`lexer`), the tokens a tree (`classes`, `modifiers`, `equations`, `expressions`), by
//! recursive descent with one token of decision almost everywhere. Two rules hold the error messages together:
//!
//! - A *slip* whose meaning is plain (`:=` for `=`, a forgotten `;`, `elsif`, …) is reported and read as it was
//!   meant; everything else leaves the element, equation or statement, and reading goes on behind its `;`
//!   (`misspelt`, `unexpected`, `slips`, `ends`, `recovery`). So one mistake is one message, and several mistakes are several.
//! - **The depth of the tree is limited** by [`MAX_DEPTH`], so nobody who walks it needs more than a thread's usual
//!   stack. Only chains of left-associative operators (`a + b + c + …`) may be longer: walk their left side in a
//!   loop.
//!
//! ```
//! use kausal_syntax::{SourceId, modelica};
//! let parse = modelica::parse(SourceId(0), "model M Real x; equation der(x) = -x; end M;".into());
//! assert!(parse.diagnostics.is_empty());
//! assert_eq!(parse.ast.classes[parse.ast.roots[0]].name.symbol.as_str(), "M");
//! ```

mod classes;
mod common_mistakes;
mod ends;
mod equations;
mod expressions;
mod lexemes;
mod lexer;
mod misspelt;
mod modifiers;
mod parser;
mod recovery;
mod token;
mod unexpected;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};
use crate::{Ast, Parse};

pub use lexemes::{Lexeme, LexemeKind, lexemes};
use parser::STOPPED;
pub use parser::{MAX_DEPTH, MAX_DIAGNOSTICS};

/// Is the word a keyword (specification section 2.3.3), and so no name?
///
/// ```
/// assert!(kausal_syntax::modelica::is_keyword("equation"));
/// assert!(!kausal_syntax::modelica::is_keyword("x"));
/// ```
pub fn is_keyword(word: &str) -> bool {
    token::word_kind(word.as_bytes()).is_keyword()
}

/// Parses one stored file (`.mo`).
///
/// A byte order mark at the beginning is skipped. At most [`MAX_DIAGNOSTICS`] errors are reported.
pub fn parse(source: SourceId, text: Arc<str>) -> Parse {
    if let Some(diagnostic) = unreadable(source, &text) {
        return Parse { ast: Ast::new(source, text), diagnostics: vec![diagnostic] };
    }
    let mut lexed = lexer::lex(source, &text);
    lexed.diagnostics.extend(misspelt::mend(source, &text, &mut lexed.tokens));
    let mut parser = parser::Parser::new(source, &text, &lexed.tokens);
    parser.cut_off = lexed.diagnostics.iter().any(|d| d.code == "K0107");
    parser.stored_definition();
    let (ast, mut diagnostics) = parser.finish();
    diagnostics.extend(lexed.diagnostics);
    // The message that reading stopped comes last.
    let place = |d: &Diagnostic| d.labels.first().map_or(u32::MAX, |l| l.location.span.start);
    diagnostics.sort_by_key(|d| (d.code == STOPPED, place(d)));
    Parse { ast, diagnostics }
}

/// What is no text, or too much of it.
fn unreadable(source: SourceId, text: &str) -> Option<Diagnostic> {
    if text.len() > u32::MAX as usize / 2 {
        return Some(Diagnostic::error("K0129", "this file is too large: more than 2 GB of text"));
    }
    let nul = text.find('\0')? as u32;
    Some(
        Diagnostic::error("K0131", "this is not a text file: it has a zero byte")
            .at(Location { source, span: Span::new(nul, nul + 1) }, "")
            .help("Modelica files are UTF-8 text; is the file in UTF-16, or binary?"),
    )
}
