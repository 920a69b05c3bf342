//! Any text: the parser of the text form of programs gives a program or an error; the text of a program reads back to itself.
//!
//! `cargo +nightly fuzz run program`

#![no_main]

use kausal_translate::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(program) = text::parse(text) else { return };
    if program.verify().is_ok() {
        let written = text::write(&program);
        let again = text::parse(&written).expect("what was written");
        assert_eq!(text::write(&again), written);
    }
});
