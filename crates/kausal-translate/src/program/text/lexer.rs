//! Words, numbers, strings and signs of the text form.

/// A piece of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A keyword or a name.
    Word(String),
    /// A name between backquotes.
    Name(String),
    /// A number without sign.
    Number(f64),
    /// A string.
    Text(String),
    /// A sign, of one or two characters.
    Sign(&'static str),
}

/// Signs, longer ones first.
const SIGNS: [&str; 24] = [
    ":=", "->", "<=", "<>", "==", "(", ")", "{", "}", ",", ";", ":", "=", "<", "+", "-", "*", "/", "^", "@",
    "#", "$", "_", ".",
];

/// Words that are no names of variables.
const KEYWORDS: [&str; 12] =
    ["if", "then", "else", "and", "or", "not", "time", "infinity", "nan", "call", "output", "of"];

/// Names that the translation makes: the word with its parentheses.
const WITH_PARENTHESES: [&str; 5] = ["der", "old", "pre", "initial", "terminal"];

/// Would the text be read as this one name?
pub(super) fn is_plain(name: &str) -> bool {
    !KEYWORDS.contains(&name) && word(name.as_bytes()) == Some(name.len())
}

/// How many bytes a word has that begins here: `a.b[1, 2].c`, `der(a.b)`.
fn word(bytes: &[u8]) -> Option<usize> {
    let is_letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut at = 0;
    loop {
        if !bytes.get(at).copied().is_some_and(is_letter) {
            return None;
        }
        let start = at;
        while bytes.get(at).copied().is_some_and(is_part) {
            at += 1;
        }
        // A lone underline is a sign.
        if &bytes[start..at] == b"_" {
            return None;
        }
        if start == 0
            && bytes.get(at) == Some(&b'(')
            && WITH_PARENTHESES.iter().any(|w| w.as_bytes() == &bytes[..at])
        {
            return parentheses(bytes, at);
        }
        while bytes.get(at) == Some(&b'[') {
            let len = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit() || **b == b',').count();
            if len == 0 || bytes.get(at + 1 + len) != Some(&b']') {
                return Some(at);
            }
            at += len + 2;
        }
        let goes_on = bytes.get(at) == Some(&b'.') && bytes.get(at + 1).copied().is_some_and(is_letter);
        if !goes_on {
            return Some(at);
        }
        at += 1;
    }
}

/// Where the parenthesis that opens here is closed.
fn parentheses(bytes: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, &b) in bytes.iter().enumerate().skip(from) {
        match b {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(i + 1),
            b')' => depth -= 1,
            b'`' | b';' | b'"' | b'\n' => return None,
            _ => {}
        }
    }
    None
}

/// The tokens of a text with the bytes at which they begin; or what is wrong, and where.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, (String, usize)> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let first = bytes[at];
        if first.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if first == b'"' {
            let (value, len) = string(rest).ok_or(("a string without end".to_owned(), at))?;
            out.push((Token::Text(value), at));
            at += len;
        } else if first == b'`' {
            let len = rest[1..].find('`').ok_or(("a name without end".to_owned(), at))?;
            out.push((Token::Name(rest[1..=len].to_owned()), at));
            at += len + 2;
        } else if first.is_ascii_digit() {
            let len = digits(bytes, at);
            let value = rest[..len].parse().map_err(|_| (format!("{} is no number", &rest[..len]), at))?;
            out.push((Token::Number(value), at));
            at += len;
        } else if let Some(len) = word(&bytes[at..]) {
            out.push((Token::Word(rest[..len].to_owned()), at));
            at += len;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            out.push((Token::Sign(sign), at));
            at += sign.len();
        } else {
            let c = rest.chars().next().unwrap_or(' ');
            return Err((format!("the character {c} has no meaning here"), at));
        }
    }
    Ok(out)
}

/// How many bytes an unsigned number has.
fn digits(bytes: &[u8], from: usize) -> usize {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = from;
    while digit(at) {
        at += 1;
    }
    if bytes.get(at) == Some(&b'.') && digit(at + 1) {
        at += 1;
        while digit(at) {
            at += 1;
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if digit(at + 1 + signed) {
            at += 1 + signed;
            while digit(at) {
                at += 1;
            }
        }
    }
    at - from
}

/// A string with its length in the text.
fn string(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Some((out, i + 1)),
            '\\' => out.push(match chars.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            }),
            c => out.push(c),
        }
    }
    None
}
