//! Broken files and the messages they must give.

mod modelica_support;

use std::time::{Duration, Instant};

use kausal_syntax::modelica::MAX_DIAGNOSTICS;
use modelica_support::{files, parse, show, tests};

#[test]
fn too_many_errors() {
    let text = format!("model M\n{}end M;\n", "  Real x = ;\n".repeat(100_000));
    let diagnostics = parse(&text).diagnostics;
    assert_eq!(diagnostics.len(), MAX_DIAGNOSTICS + 1);
    assert_eq!(diagnostics[MAX_DIAGNOSTICS].code, "K0128");
    let warnings = format!("model M String s = \"{}\"; end M;", "\\q".repeat(100_000));
    assert!(parse(&warnings).diagnostics.len() <= MAX_DIAGNOSTICS);
}

/// Texts on which a careless parser needs time that grows with the square of their length.
#[test]
fn time_is_linear() {
    const N: usize = 200_000;
    let texts = [
        format!("model M equation {} end M;", "if a then x = 1; end if; ".repeat(N)),
        format!("model M equation {} end M;", "for i loop if a then x = 1; end for; ".repeat(N)),
        format!("model M Real x = [{}1]; end M;", "1; ".repeat(N)),
        format!("model M Real x = [{}1]; end M;", "[1; 2]; ".repeat(N)),
        format!("model M Real x = [{}1; end M;", "[1; 2];\n".repeat(N)),
        format!("model M {} end M;", "x = f(a, b); ".repeat(N)),
        format!("model M Real x '\\'({}; end M;", "\\'(".repeat(N)),
        format!("model M Real x \"a{}; end M;", "\";\"b".repeat(N)),
        format!("model M Real x {}; end M;", "\"a\"b ".repeat(N)),
        format!("package P {} end P;", "end Q; ".repeat(N)),
        format!("model M\n{}end M;", "ned M;\n".repeat(N)),
        format!("package P\n{}end P;", "  end Q;\n".repeat(N)),
        format!("package P {}", "model A equation x = 1; ".repeat(N)),
        format!("model M equation x = {}1; end M;", "a'".repeat(N)),
        format!("model M Real x = {}; end M;", "é a ".repeat(N)),
        "\u{e9}".repeat(N),
        "'".repeat(N),
        "\"\n".repeat(N),
        "/*".repeat(N),
        "{}".repeat(N),
    ];
    for text in texts {
        let start = Instant::now();
        parse(&text);
        // Milliseconds if linear, minutes if not.
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}: {}…", start.elapsed(), &text[..60]);
    }
}

#[test]
fn bad_files() {
    let found = files(&tests().join("bad/modelica"), "mo");
    assert!(found.len() >= 60, "only {} files", found.len());
    for path in found {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let parse = parse(&text);
        assert!(!parse.diagnostics.is_empty(), "{name} is not broken");
        for diagnostic in &parse.diagnostics {
            assert!(("K0101".."K0150").contains(&diagnostic.code), "{name}: {}", diagnostic.code);
        }
        insta::assert_snapshot!(format!("bad_{name}"), show(&text, &parse.diagnostics));
    }
}
