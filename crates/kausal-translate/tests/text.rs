//! The text form of programs parses back.

mod support;

use kausal_translate::text::{brief, parse, write};
use kausal_translate::{Inline, Options, translate};

/// Both texts of a program read back to themselves, and what was read verifies.
fn round_trip(name: &str, program: &kausal_translate::Program) {
    for text in [write(program), brief(program)] {
        let again = parse(&text).unwrap_or_else(|error| {
            let line = text.lines().nth(error.line - 1).unwrap_or_default();
            panic!("{name}: {error}\n{line}")
        });
        let brief = !text.contains("\nreport ");
        let second = if brief { kausal_translate::text::brief(&again) } else { write(&again) };
        if second != text {
            let differing = text.lines().zip(second.lines()).find(|(a, b)| a != b);
            panic!("{name}: {differing:?}");
        }
        again.verify().unwrap_or_else(|faults| panic!("{name}:\n{faults}"));
    }
}

#[test]
fn examples_read_back() {
    let mut count = 0;
    for name in support::examples() {
        let Some(flat) = support::example(&name) else { continue };
        for inline in [Inline::Off, Inline::Bdf, Inline::Radau] {
            let options = Options { inline, ..Options::default() };
            let Some(program) = translate(&flat, &options).program else { continue };
            round_trip(&name, &program);
            count += 1;
        }
    }
    assert!(count > 100, "{count} programs");
}

#[test]
fn odd_names_and_numbers_read_back() {
    let program = support::program(
        "model M Real 'a b'(start = 1, fixed = true), time_[2], 'if'; parameter Real p = -1e-300, q = 1e300;
         parameter String s = \"a \\\"quoted\\\" word\\n\";
         equation der('a b') = -'a b'^2*3/(p - q) + (if 'a b' > 0.5 then 1 else -time_[1]);
         time_ = {min('a b', 2), noEvent(if 'a b' < 1 and not 'a b' > 2 or time < -1 then 1 else 2)};
         'if' = atan2('a b', -(time_[1] + 2)); assert('if' < 10, s); end M;",
        &Options::default(),
    );
    round_trip("M", &program);
}

#[test]
fn errors_name_their_place() {
    let error = |text: &str| parse(text).expect_err("refused").to_string();
    assert_eq!(error("program \"M\";\nvariable x Real;"), "line 2, column 12: : is expected");
    assert_eq!(
        error("variable x: Real state;\ndynamics { x := y; }"),
        "line 2, column 18: there is no variable y"
    );
    assert_eq!(error("variable x: Real state; dynamics {"), "line 1, column 35: a word is expected");
    assert_eq!(
        error("variable x: Real helper; dynamics { x := sin(1, 2); }"),
        "line 1, column 51: sin cannot have 2 arguments"
    );
    assert_eq!(
        error("variable x: Real helper; dynamics { x := \"a; }"),
        "line 1, column 42: a string without end"
    );
    // Parentheses without end are refused before the stack is.
    let deep = format!("variable x: Real helper; dynamics {{ x := {}x", "(".repeat(100_000));
    assert!(error(&deep).contains("too deep"));
}
