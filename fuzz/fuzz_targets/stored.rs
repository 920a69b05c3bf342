//! Any bytes behind a right checksum: reading a stored model gives a program that verifies, or an error. Its other parts, too.
//!
//! `kausal translate MODEL -o fuzz/corpus/stored/m.kausal`, then `cargo +nightly fuzz run stored`

#![no_main]

use kausal_translate::stored;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    stored::seal(&mut bytes);
    if let Ok(read) = stored::read(&bytes) {
        let _ = read.rest.sources();
        let _ = read.rest.flat();
    }
});
