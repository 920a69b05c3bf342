//! Packs the fonts.

use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for name in ["LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"] {
        let font = Path::new("fonts").join(name);
        println!("cargo::rerun-if-changed={}", font.display());
        std::fs::write(out.join(name), kausal_pack::pack(&std::fs::read(font)?))?;
    }
    Ok(())
}
