//! Random changes to good files: whatever comes in, a tree and messages come out; no panic, no hang, all places
//! lie in the text, and the tree prints.

mod modelica_support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use kausal_syntax::{Parse, SourceId, modelica, print};
use modelica_support::{files, tests};

/// A small generator (splitmix64), so that a failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// What is inserted: keywords, signs, and things that are neither.
const PIECES: &[&str] = &[
    "algorithm",
    "and",
    "annotation",
    "block",
    "break",
    "class",
    "connect",
    "connector",
    "constant",
    "constrainedby",
    "der",
    "discrete",
    "each",
    "else",
    "elseif",
    "elsewhen",
    "encapsulated",
    "end",
    "enumeration",
    "equation",
    "expandable",
    "extends",
    "external",
    "false",
    "final",
    "flow",
    "for",
    "function",
    "if",
    "import",
    "impure",
    "in",
    "initial",
    "inner",
    "input",
    "loop",
    "model",
    "not",
    "operator",
    "or",
    "outer",
    "output",
    "package",
    "parameter",
    "partial",
    "protected",
    "public",
    "pure",
    "record",
    "redeclare",
    "replaceable",
    "return",
    "stream",
    "then",
    "true",
    "type",
    "when",
    "while",
    "within",
    "end if",
    "end for",
    "end when",
    "end while",
    "end;",
    "endif",
    "elsif",
    "else if",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    ":",
    "=",
    ":=",
    "==",
    "<>",
    "<",
    "<=",
    "+",
    "-",
    "*",
    "/",
    "^",
    ".+",
    ".*",
    "./",
    ".^",
    "!=",
    "&&",
    "||",
    "!",
    "**",
    "=<",
    "x",
    "x'",
    "'",
    "'q r'",
    "\"",
    "\"s\"",
    "\\",
    "\\\"",
    "1",
    "1,5",
    "2x",
    "1e",
    "1e999",
    ".5",
    "99999999999999999999",
    "//",
    "/*",
    "*/",
    "#",
    "\u{e9}",
    "\u{201c}",
    "\u{feff}",
    "\r",
    "\n",
    "\t",
    "\u{a0}",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The words and signs of a text with the blanks behind them: good enough to cut by.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut last = ' ';
    for (i, c) in text.char_indices() {
        let joins =
            c.is_whitespace() || c.is_alphanumeric() && (last.is_alphanumeric() || last == '_') || c == '_';
        if !joins && i > start {
            out.push(&text[start..i]);
            start = i;
        }
        last = c;
    }
    out.push(&text[start..]);
    out
}

fn mutate(text: &str, random: &mut Random) -> String {
    if random.below(2) == 0 {
        // By words.
        let mut words = pieces(text);
        for _ in 0..1 + random.below(3) {
            let (a, b) = (random.below(words.len()), random.below(words.len()));
            match random.below(5) {
                0 => {
                    words.remove(a);
                }
                1 => words.insert(a, words[a]),
                2 => words.swap(a, b),
                3 => words.insert(a, words[b]),
                _ => words.insert(a, random.pick(PIECES)),
            }
            if words.is_empty() {
                break;
            }
        }
        return words.concat();
    }
    // By bytes.
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(3) {
        let a = boundary(&text, random.below(text.len() + 1));
        let b = boundary(&text, (a + random.below(60)).min(text.len()));
        match random.below(7) {
            0 => text.replace_range(a..b, ""),
            1 => text.insert_str(a, random.pick(PIECES)),
            2 => text.insert_str(a, &format!(" {} ", random.pick(PIECES))),
            3 => text.replace_range(a..b, random.pick(PIECES)),
            4 => {
                let copy = text[a..b].to_owned();
                let to = boundary(&text, random.below(text.len() + 1));
                text.insert_str(to, &copy);
            }
            5 => {
                if let Some(c) = char::from_u32(random.below(0x250) as u32) {
                    text.insert(a, c);
                }
            }
            _ => text.truncate(a),
        }
    }
    text
}

/// What must hold for the result of any text.
fn check_parse(text: &str, parse: &Parse, context: &str) {
    assert!(parse.diagnostics.len() <= 2 * modelica::MAX_DIAGNOSTICS + 1, "{context}");
    for label in parse.diagnostics.iter().flat_map(|d| &d.labels) {
        let (start, end) = (label.location.span.start as usize, label.location.span.end as usize);
        assert!(text.get(start..end).is_some(), "{context}: {start}..{end} of {}", text.len());
    }
    for diagnostic in &parse.diagnostics {
        assert!(!diagnostic.message.is_empty() && !diagnostic.labels.is_empty(), "{context}");
    }
    let starts: Vec<u32> = parse.diagnostics.iter().map(|d| d.labels[0].location.span.start).collect();
    assert!(
        starts.is_sorted() || parse.diagnostics.iter().any(|d| d.code == "K0128"),
        "{context}: not in order"
    );
    for span in &parse.ast.expr_spans {
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{context}: {span:?}");
    }
    let printed = print::modelica(&parse.ast);
    let dump = print::dump(&parse.ast);
    if !parse.has_errors() {
        let again = modelica::parse(SourceId(1), printed.into());
        assert!(print::dump(&again.ast) == dump, "{context}: another tree behind printing");
    }
}

fn check(text: &str, context: &str) -> Parse {
    let start = Instant::now();
    let parse = modelica::parse(SourceId(0), Arc::from(text));
    assert!(start.elapsed() < Duration::from_secs(10), "{context}: too slow");
    check_parse(text, &parse, context);
    parse
}

#[test]
fn mutated_files() {
    const TOTAL: usize = 24_000;
    let good = files(&tests().join("good"), "mo");
    assert!(good.len() >= 12);
    let each = TOTAL.div_ceil(good.len());
    let (mut total, mut broken, mut messages) = (0, 0, 0);
    for (i, path) in good.iter().enumerate() {
        let original = std::fs::read_to_string(path).unwrap();
        assert!(!check(&original, "as it is").has_errors(), "{}", path.display());
        for round in 0..each {
            let seed = (i * each + round) as u64;
            let text = mutate(&original, &mut Random(seed));
            let parse = check(&text, &format!("{}, seed {seed}", path.display()));
            total += 1;
            if parse.has_errors() {
                broken += 1;
                messages += parse.diagnostics.len();
            }
        }
    }
    assert!(total >= 20_000, "{total} mutations");
    // The mutations do break things, and they do not break everything.
    assert!(broken > total / 2 && broken < total, "{broken} of {total} had errors");
    // One to three changes make a few messages, not a flood.
    println!("{total} mutations, {broken} broken, {:.2} messages for each", messages as f64 / broken as f64);
    assert!(messages < 5 * broken, "{messages} messages for {broken} broken files");
}

#[test]
fn random_pieces() {
    for seed in 0..4_000 {
        let mut random = Random(seed);
        let mut text =
            String::from(random.pick(&["", "model M ", "model M equation ", "function f algorithm "]));
        for _ in 0..random.below(80) {
            text.push_str(random.pick(PIECES));
            text.push_str(random.pick(&[" ", " ", "\n", "x ", ""]));
        }
        check(&text, &format!("seed {seed}"));
    }
}

#[test]
fn every_beginning_of_a_file() {
    let path = tests().join("good/Control.mo");
    let text = std::fs::read_to_string(path).unwrap();
    for (end, _) in text.char_indices() {
        check(&text[..end], &format!("the first {end} bytes"));
    }
}
