//! Keywords with a slip in their spelling, found by where they stand, before the parser takes them for names.
//!
//! Right texts have names at none of these places: at the beginning of a file; before the type and the name of a declaration
//! (`paramter Real x`); alone in a line before an equation or a declaration (`equaton`), or behind `initial`; before the name
//! of the class that is open, or the keyword of a block, and a `;` (`ned M;`). A name there that is nearly a keyword is one:
//! that is reported, and the text is read as it was meant. Everything else is left to the parser.

use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};
use crate::spelling::closest;

use super::parser::MAX_DIAGNOSTICS;
use super::token::{T, Token, word_kind};

/// What a file begins with.
const FIRST: [&str; 14] = [
    "within",
    "encapsulated",
    "partial",
    "class",
    "model",
    "record",
    "block",
    "connector",
    "type",
    "package",
    "function",
    "operator",
    "expandable",
    "final",
];

/// What stands before a type, or before the name of a class, within a class.
const PREFIXES: [&str; 25] = [
    "partial",
    "class",
    "model",
    "record",
    "block",
    "connector",
    "type",
    "package",
    "function",
    "encapsulated",
    "expandable",
    "parameter",
    "constant",
    "discrete",
    "input",
    "output",
    "flow",
    "stream",
    "replaceable",
    "redeclare",
    "final",
    "inner",
    "outer",
    "public",
    "protected",
];

/// What has a line of its own.
const SECTIONS: [&str; 4] = ["equation", "algorithm", "public", "protected"];

/// Makes keywords of names that are meant to be some; what is said about each.
pub(super) fn mend(source: SourceId, text: &str, tokens: &mut [Token]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut searches = MAX_DIAGNOSTICS;
    for i in 0..tokens.len() {
        if tokens[i].kind != T::Ident {
            continue;
        }
        let Some(candidates) = candidates(text, tokens, i, &mut searches) else { continue };
        let word = word(text, tokens[i]);
        let Some(keyword) = closest(word, candidates.iter().copied()) else { continue };
        let span = Span::new(tokens[i].start, tokens[i].end);
        let diagnostic =
            Diagnostic::error("K0101", format!("expected the keyword `{keyword}`, found `{word}`"))
                .at(Location { source, span }, format!("is `{keyword}` meant?"));
        diagnostics.push(if keyword.eq_ignore_ascii_case(word) {
            diagnostic.help("keywords are written in lower case")
        } else {
            diagnostic
        });
        tokens[i].kind = word_kind(keyword.as_bytes());
        if diagnostics.len() >= MAX_DIAGNOSTICS {
            break;
        }
    }
    diagnostics
}

fn word(text: &str, token: Token) -> &str {
    &text[token.start as usize..token.end as usize]
}

/// Which keywords can stand at a name that cannot.
fn candidates(
    text: &str,
    tokens: &[Token],
    i: usize,
    searches: &mut usize,
) -> Option<&'static [&'static str]> {
    let kind = |k: usize| tokens.get(k).map_or(T::Eof, |t| t.kind);
    let before = i.checked_sub(1).map(kind);
    let next = kind(i + 1);
    if before.is_none() {
        return (next == T::Ident || next.is_keyword()).then_some(&FIRST);
    }
    if !(next == T::Ident || next.is_keyword() || next == T::LParen) {
        return None;
    }
    let breaks = |k: usize| {
        let gap =
            tokens.get(k).map(|t| t.end as usize..tokens.get(k + 1).map_or(text.len(), |n| n.start as usize));
        gap.and_then(|gap| text.get(gap)).is_some_and(|gap| gap.contains('\n'))
    };
    let named = before.is_some_and(|b| b.starts_class() || b == T::Extends);
    let begins =
        breaks(i - 1) || matches!(before, Some(T::Semi)) || before.is_some_and(T::is_keyword) && !named;
    if !begins || named {
        return None;
    }
    let behind = kind(i + 2);
    if breaks(i) || before == Some(T::Initial) {
        return Some(&SECTIONS);
    }
    if next == T::Ident {
        if behind == T::Semi {
            return (breaks(i - 1) && is_open(text, tokens, i, searches)).then_some(&["end"]);
        }
        let declares = behind.is_keyword()
            && (behind.starts_declaration() || behind.starts_class() || behind.is_section());
        return (matches!(behind, T::Ident | T::Dot) || declares).then_some(&PREFIXES);
    }
    let block = matches!(next, T::If | T::For | T::When | T::While) && behind == T::Semi;
    block.then_some(&["end"])
}

/// Is the name behind the token at `i` that of a class that has begun and not ended?
fn is_open(text: &str, tokens: &[Token], i: usize, searches: &mut usize) -> bool {
    // Texts have many declarations without anything behind the name: only few words are nearly `end`.
    if closest(word(text, tokens[i]), ["end"]).is_none() || *searches == 0 {
        return false;
    }
    // A text with many such words is no text, and looking back for each of them would take long.
    *searches -= 1;
    let name = word(text, tokens[i + 1]);
    let open = tokens[..i].windows(2).filter(|pair| pair[1].kind == T::Ident && word(text, pair[1]) == name);
    open.fold(0i32, |open, pair| match pair[0].kind {
        kind if kind.starts_class() => open + 1,
        T::End => open - 1,
        _ => open,
    }) > 0
}
