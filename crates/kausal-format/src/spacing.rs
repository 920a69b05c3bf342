//! Where there are spaces within a line: around `=`, sums, relations and words, behind commas; none within brackets,
//! around products and powers, before the parenthesis of a call.

use kausal_syntax::modelica::LexemeKind;

use crate::tokens::Token;

/// Decides for each token whether a space stands before it.
pub(crate) fn decide(items: &mut [Token]) {
    // Of the statement: `import A.*;` has a sign that is none.
    let mut in_import = false;
    // Is the token before a sign before an operand?
    let mut before_unary = false;
    // Is the token before a part of a name?
    for i in 0..items.len() {
        if i == 0 {
            in_import = items[i].text == "import";
            continue;
        }
        let (before, after) = items.split_at_mut(i);
        let (prev, this) = (&before[i - 1], &mut after[0]);
        if prev.text == ";" {
            in_import = false;
        }
        in_import |= this.text == "import";
        this.spaced = !before_unary && spaced(prev, this, in_import);
        before_unary = is_sign(this.text) && begins_operand(prev);
    }
}

fn is_sign(text: &str) -> bool {
    matches!(text, "+" | "-" | ".+" | ".-")
}

/// Does an operand begin behind it?
fn begins_operand(prev: &Token) -> bool {
    match prev.kind {
        LexemeKind::Sign => !matches!(prev.text, ")" | "]" | "}"),
        LexemeKind::Keyword => !matches!(prev.text, "end" | "true" | "false"),
        _ => false,
    }
}

/// May a name or a parenthesis follow without a space: a call, a subscript, a part of a name?
fn is_callable(prev: &Token) -> bool {
    match prev.kind {
        LexemeKind::Ident => true,
        LexemeKind::Keyword => matches!(
            prev.text,
            "der"
                | "connect"
                | "initial"
                | "enumeration"
                | "annotation"
                | "pure"
                | "operator"
                | "end"
                | "break"
        ),
        _ => matches!(prev.text, "]" | ")"),
    }
}

fn spaced(prev: &Token, this: &Token, in_import: bool) -> bool {
    match this.text {
        "," | ";" | ")" | "]" | "}" => return false,
        ":" => return false,
        // `. *` are two units, `.*` is one.
        "*" => return prev.text == ".",
        "/" | "^" => return false,
        ".*" if in_import => return false,
        "." => {
            let continues = prev.kind == LexemeKind::Ident || matches!(prev.text, "]" | ")");
            return !continues && begins_word(prev);
        }
        "(" | "[" => return !is_callable(prev) && begins_word(prev),
        _ => {}
    }
    begins_word(prev)
}

/// Does a space stand before a word behind this token?
fn begins_word(prev: &Token) -> bool {
    !matches!(prev.text, "(" | "[" | "{" | "." | ":" | "*" | "/" | "^")
}
