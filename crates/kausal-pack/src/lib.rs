//! # kausal-pack: what is shipped inside the program, compressed
//!
//! Pages, scripts and fonts are a tenth of the program as they are, and rarely wanted. Build scripts [`pack`] them; the program
//! unpacks them when they are asked for.
//!
//! ```
//! let script = "step(); ".repeat(100);
//! let packed = kausal_pack::pack(script.as_bytes());
//! assert!(packed.len() < 40);
//! assert_eq!(kausal_pack::unpack(&packed), script.as_bytes());
//! ```

use std::sync::OnceLock;

/// How hard is tried: more takes much longer and gains a hundredth.
const LEVEL: u8 = 9;

/// The bytes in fewer.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(bytes, LEVEL)
}

/// What was packed. Only what [`pack`] made is given here: of anything else nothing comes out.
pub fn unpack(packed: &[u8]) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec(packed).unwrap_or_default()
}

/// Something shipped, unpacked when it is first wanted.
pub struct Packed {
    packed: &'static [u8],
    whole: OnceLock<Vec<u8>>,
}

impl Packed {
    /// What [`pack`] made.
    pub const fn new(packed: &'static [u8]) -> Packed {
        Packed { packed, whole: OnceLock::new() }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.whole.get_or_init(|| unpack(self.packed))
    }

    /// The bytes as text; nothing where they are none.
    pub fn text(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_comes_back() {
        for bytes in [&b""[..], b"a", &[0; 100_000], "größer".as_bytes()] {
            assert_eq!(unpack(&pack(bytes)), bytes);
        }
        assert_eq!(unpack(b"\xff\xff\xff"), b"");
    }
}
