//! Any text: the parser of the classic notation gives a tree and messages, all places lie in the text, and the tree
//! prints.
//!
//! `cargo +nightly fuzz run classic`

#![no_main]

use kausal_syntax::{SourceId, classic, print};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let parse = classic::parse(SourceId(0), text.into());
    for label in parse.diagnostics.iter().flat_map(|d| &d.labels) {
        let span = label.location.span;
        assert!(text.get(span.start as usize..span.end as usize).is_some());
    }
    print::modelica(&parse.ast);
    print::dump(&parse.ast);
});
