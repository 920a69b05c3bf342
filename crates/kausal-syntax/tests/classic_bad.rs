//! Broken files and the messages they must give.

mod classic_support;

use classic_support::{files, parse, show};

#[test]
fn bad_files() {
    for (name, path) in files("bad/classic") {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let (sources, parse) = parse(&text);
        assert!(!parse.diagnostics.is_empty(), "{name} is not broken");
        for diagnostic in &parse.diagnostics {
            assert!(
                ("K0150".."K0200").contains(&diagnostic.code),
                "{name}: {} is no code of this parser",
                diagnostic.code
            );
        }
        insta::assert_snapshot!(format!("bad_{name}"), show(&sources, &parse.diagnostics));
    }
}

/// The codes of the messages about a text.
fn codes(text: &str) -> Vec<&'static str> {
    parse(text).1.diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn nested_deeply() {
    const DEEP: usize = 100_000;
    let texts = [
        format!("model M\nx = {}1{}\nend\n", "(".repeat(DEEP), ")".repeat(DEEP)),
        format!("model M\nx = {}1{}\nend\n", "[".repeat(DEEP), "]".repeat(DEEP)),
        format!("model M\nx = {}1{}\nend\n", "f(".repeat(DEEP), ")".repeat(DEEP)),
        format!("model M\nx = {}1\nend\n", "-".repeat(DEEP)),
        format!("model M\nx = 1{}\nend\n", "^2".repeat(DEEP)),
        format!("model M\nx = {}1{}\nend\n", "if a then b else ".repeat(DEEP), ""),
        format!("model M\nx = {}\nend\n", "(".repeat(DEEP)),
        format!("model M\nconnect {}A{}\nend\n", "(".repeat(DEEP), ")".repeat(DEEP)),
    ];
    for text in texts {
        assert_eq!(codes(&text), ["K0161"], "{}…", &text[..40]);
    }
}

#[test]
fn long_but_flat() {
    const LONG: usize = 100_000;
    let texts = [
        format!("model M\nlocal x\nx = 1{}\nend\n", " + 1".repeat(LONG)),
        format!("model M\nlocal x\nx = f(1{})\nend\n", ", 1".repeat(LONG)),
        format!("model M\nnode N\nconnect N{}\nend\n", " - N".repeat(LONG)),
        format!("model M\nnode N\nconnect {}N\nend\n", "\\".repeat(LONG)),
        format!("model M\nlocal x{}\nend\n", "\nx = 1".repeat(LONG)),
    ];
    for text in texts {
        assert!(codes(&text).is_empty(), "{}…", &text[..40]);
    }
}

#[test]
fn long_chains_of_classes() {
    let mut text = String::from("model C0\nend\n");
    for i in 1..5_000 {
        text += &format!("model (C{}) C{i}\nend\n", i - 1);
    }
    let (_, parse) = parse(&text);
    assert!(parse.diagnostics.iter().all(|d| matches!(d.code, "K0166" | "K0199")));
    assert_eq!(parse.diagnostics.len(), 101, "one hundred and how many more");
}

#[test]
fn junk() {
    assert_eq!(codes(""), ["K0156"]);
    assert_eq!(codes("\n  { nothing }\n"), ["K0156"]);
    assert_eq!(codes("\u{0}\u{1}\u{2}PNG"), ["K0150"]);
    let bytes: Vec<u8> = (0..=255).cycle().take(4096).collect();
    assert_eq!(codes(&String::from_utf8_lossy(&bytes)), ["K0150"]);
    assert_eq!(codes("¶¶¶"), ["K0150"]);
}
