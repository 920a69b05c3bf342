//! Deep nesting is an error, long chains are not; neither exhausts the stack of a thread (2 MB, the default that
//! tests run with), while parsing or printing.

use std::time::{Duration, Instant};

use kausal_syntax::{Parse, SourceId, modelica, print};

/// Texts that nest: before, one level, innermost, the end of one level, after.
const NESTED: &[(&str, &str, &str, &str, &str, &str)] = &[
    ("parentheses", "model M Real x = ", "(", "1", ")", "; end M;"),
    ("brackets", "model M Real x = ", "[", "1", "]", "; end M;"),
    ("braces", "model M Real x = ", "{", "1", "}", "; end M;"),
    ("calls", "model M Real x = ", "f(", "1", ")", "; end M;"),
    ("named arguments", "model M Real x = ", "f(a = ", "1", ")", "; end M;"),
    ("function arguments", "model M Real x = f(", "function g(a = ", "1", ")", "); end M;"),
    ("subscripts", "model M Real x = ", "y[", "1", "]", "; end M;"),
    ("reductions", "model M Real x = ", "sum(", "1", " for i in 1:2)", "; end M;"),
    ("ranges of loops", "model M Real x = ", "{1 for i in ", "1", "}", "; end M;"),
    ("conditions", "model M Real x = ", "if ", "a", " then 1 else 2", "; end M;"),
    ("if behind else", "model M Real x = ", "if a then 1 else ", "1", "", "; end M;"),
    ("all operators", "model M Real x = ", "a or b and not c == d + e*f^(", "1", ")", "; end M;"),
    ("signs", "model M Real x = ", "-(", "1", ")", "; end M;"),
    ("not", "model M Boolean x = ", "not (", "a", ")", "; end M;"),
    ("modifiers", "model M R x(", "a(", "b = 1", ")", "); end M;"),
    ("annotations", "model M annotation (", "A(", "b = 1", ")", "); end M;"),
    ("redeclared classes", "model M R x(", "redeclare model A = B(", "b = 1", ")", "); end M;"),
    ("redeclared components", "model M R x(", "redeclare A a(", "b = 1", ")", "); end M;"),
    ("classes", "", "model M ", "", " end M;", ""),
    ("if equations", "model M equation ", "if a then ", "x = 1;", " end if;", "end M;"),
    ("else branches", "model M equation ", "if a then x = 1; else ", "x = 2;", " end if;", "end M;"),
    ("for equations", "model M equation ", "for i in 1:2 loop ", "x = 1;", " end for;", "end M;"),
    ("when equations", "model M equation ", "when a then ", "x = 1;", " end when;", "end M;"),
    ("if statements", "model M algorithm ", "if a then ", "x := 1;", " end if;", "end M;"),
    ("for statements", "model M algorithm ", "for i in 1:2 loop ", "x := 1;", " end for;", "end M;"),
    ("while statements", "model M algorithm ", "while a loop ", "x := 1;", " end while;", "end M;"),
    ("when statements", "model M algorithm ", "when a then ", "x := 1;", " end when;", "end M;"),
];

fn nested(case: &(&str, &str, &str, &str, &str, &str), depth: usize) -> String {
    let (_, before, open, inner, close, after) = case;
    format!("{before}{}{inner}{}{after}", open.repeat(depth), close.repeat(depth))
}

fn parse(text: String) -> Parse {
    modelica::parse(SourceId(0), text.into())
}

#[test]
fn a_hundred_thousand_levels_are_one_error() {
    for case in NESTED {
        let start = Instant::now();
        let parse = parse(nested(case, 100_000));
        let codes: Vec<_> = parse.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["K0120"], "{}", case.0);
        print::modelica(&parse.ast);
        print::dump(&parse.ast);
        // It takes milliseconds; a parser that were quadratic here would take minutes.
        assert!(start.elapsed() < Duration::from_secs(20), "{}: {:?}", case.0, start.elapsed());
    }
}

#[test]
fn unclosed_levels_are_one_error() {
    for case in NESTED {
        let open = format!("{}{}", case.1, case.2.repeat(100_000));
        let parse = parse(open);
        let codes: Vec<_> = parse.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["K0120"], "{}", case.0);
    }
}

#[test]
fn prefixes_without_parentheses_do_not_exhaust_the_stack() {
    for prefix in ["not ", "- ", "+ ", ".- "] {
        let parse = parse(format!("model M Real x = {}1; end M;", prefix.repeat(100_000)));
        assert!(parse.has_errors(), "{prefix}");
    }
}

#[test]
fn the_deepest_allowed_trees_print_and_parse_again() {
    for case in NESTED {
        // The deepest nesting of this kind that is allowed.
        let mut low = 1;
        let mut high = modelica::MAX_DEPTH as usize + 1;
        while low + 1 < high {
            let middle = (low + high) / 2;
            if parse(nested(case, middle)).has_errors() { high = middle } else { low = middle }
        }
        assert!(low >= modelica::MAX_DEPTH as usize / 10, "{}: only {low} levels", case.0);
        let first = parse(nested(case, low)).ast;
        let second = parse(print::modelica(&first));
        // Printing writes no parentheses that are not needed.
        assert!(!second.has_errors() && print::same_tree(&first, &second.ast), "{}", case.0);
    }
}

#[test]
fn long_chains() {
    for (operator, count) in
        [("+", 100_000), ("*", 100_000), (" and ", 100_000), ("*b + ", 100_000), (" .- ", 100_000)]
    {
        let chain = vec!["a"; count].join(operator);
        let first = parse(format!("model M Real x = {chain}; equation {chain} = 0; end M;"));
        assert!(first.diagnostics.is_empty(), "{operator}: {:?}", first.diagnostics);
        let second = parse(print::modelica(&first.ast));
        assert!(print::same_tree(&first.ast, &second.ast), "{operator}");
    }
    // Parentheses needed all the way down the left side are nesting, and limited as such.
    let deep = format!("{}a{}", "(".repeat(500), " - b)*c".repeat(500));
    let first = parse(format!("model M Real x = {deep}; end M;"));
    assert!(first.diagnostics.is_empty(), "{:?}", first.diagnostics);
    assert!(print::same_tree(&first.ast, &parse(print::modelica(&first.ast)).ast));
}

#[test]
fn long_lists() {
    let items = vec!["a"; 100_000].join(", ");
    let strings = vec!["\"a\""; 50_000].join(" + ");
    let branches = " elseif a then 1".repeat(50_000);
    let text = format!(
        "model M R a {strings}; R x[3] = {{{items}}}; R y = f({items}); R z = if a then 1{branches} else 2; R {items}; end M;"
    );
    let first = parse(text);
    assert!(first.diagnostics.is_empty(), "{:?}", first.diagnostics);
    assert!(print::same_tree(&first.ast, &parse(print::modelica(&first.ast)).ast));
}
