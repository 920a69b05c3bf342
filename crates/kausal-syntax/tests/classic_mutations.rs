//! Random changes to good files: whatever comes in, a tree and messages come out, no panic, no hang, and all
//! places named in messages are places in the text.

mod classic_support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use classic_support::files;
use kausal_syntax::{Parse, SourceId, classic};

/// A small generator (xorshift64*), so that a failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

#[rustfmt::skip]
const PIECES: [&str; 50] = [
    "model",
    "class",
    "end",
    "inherit",
    "parameter",
    "constant",
    "local",
    "cut",
    "main",
    "path",
    "node",
    "submodel",
    "connect",
    "at",
    "if",
    "then",
    "else",
    "elseif",
    "and",
    "not",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "-",
    "//",
    "\\",
    "/",
    "*",
    "=",
    ":=",
    "==",
    ",",
    ";",
    ".",
    "\n",
    "1.E-5",
    "99999999999999999999",
    "1e999",
    "x(3)",
    "der(x)",
    "Common",
    "Time",
    "\"",
    "é",
    "\u{0}",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(4) {
        let a = boundary(&text, random.below(text.len() + 1));
        let b = boundary(&text, (a + random.below(40)).min(text.len()));
        match random.below(6) {
            0 => text.replace_range(a..b, ""),
            1 => text.insert_str(a, PIECES[random.below(PIECES.len())]),
            2 => text.insert_str(a, &format!(" {} ", PIECES[random.below(PIECES.len())])),
            3 => text.replace_range(a..b, PIECES[random.below(PIECES.len())]),
            4 => {
                let copy = text[a..b].to_owned();
                let to = boundary(&text, random.below(text.len() + 1));
                text.insert_str(to, &copy);
            }
            _ => text.truncate(a),
        }
    }
    text
}

fn check_places(text: &str, parse: &Parse) {
    for label in parse.diagnostics.iter().flat_map(|d| &d.labels) {
        let (start, end) = (label.location.span.start as usize, label.location.span.end as usize);
        assert!(start <= end && end <= text.len(), "{start}..{end} of {}", text.len());
        assert!(text.is_char_boundary(start) && text.is_char_boundary(end));
    }
    for span in &parse.ast.expr_spans {
        assert!(span.start <= span.end && span.end as usize <= text.len());
    }
    let starts: Vec<u32> =
        parse.diagnostics.iter().filter_map(|d| d.labels.first()).map(|l| l.location.span.start).collect();
    assert!(starts.is_sorted(), "messages are in the order of the text");
}

#[test]
fn mutated_files() {
    const EACH: usize = 1_500;
    let good = files("good");
    let mut broken = 0;
    let mut total = 0;
    for (i, (name, path)) in good.iter().enumerate() {
        let original = std::fs::read_to_string(path).unwrap();
        for round in 0..EACH {
            let seed = 1 + (i * EACH + round) as u64;
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let text = mutate(&original, &mut random);
            let begin = Instant::now();
            let parse = classic::parse(SourceId(0), Arc::from(text.as_str()));
            assert!(begin.elapsed() < Duration::from_secs(10), "{name}, seed {seed}: too slow");
            check_places(&text, &parse);
            broken += usize::from(parse.has_errors());
            total += 1;
        }
    }
    assert!(total >= 5_000, "{total} mutations");
    // The mutations do break things, and they do not break everything.
    assert!(broken > total / 4 && broken < total, "{broken} of {total} had errors");
}

#[test]
fn random_pieces() {
    for seed in 1..3_000_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut text = String::from("model M\n");
        for _ in 0..random.below(60) {
            // The last piece is a zero byte, which ends the reading at once.
            text.push_str(PIECES[random.below(PIECES.len() - 1)]);
            text.push([' ', '\n', ' ', 'x'][random.below(4)]);
        }
        let parse = classic::parse(SourceId(0), Arc::from(text.as_str()));
        check_places(&text, &parse);
    }
}
