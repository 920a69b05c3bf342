//! Any text: the Modelica parser gives a tree and messages, all places lie in the text, and the tree prints; a tree
//! without errors prints as text that parses into the same tree.
//!
//! `cargo +nightly fuzz run modelica`

#![no_main]

use kausal_syntax::{SourceId, modelica, print};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let parse = modelica::parse(SourceId(0), text.into());
    for label in parse.diagnostics.iter().flat_map(|d| &d.labels) {
        let span = label.location.span;
        assert!(text.get(span.start as usize..span.end as usize).is_some());
    }
    let printed = print::modelica(&parse.ast);
    let dump = print::dump(&parse.ast);
    if !parse.has_errors() {
        let again = modelica::parse(SourceId(1), printed.into());
        assert!(!again.has_errors());
        assert_eq!(dump, print::dump(&again.ast));
    }
});
