//! How the program is linked. On Linux with glibc it is loaded at a fixed address: the tables of a program that may lie
//! anywhere (18,000 pointers) would be adjusted at every start, which takes as long as translating a small model. And of
//! functions that are the same, as generic code makes them, one is kept: that is a thirtieth of the program, and nothing here
//! compares addresses of functions. Linkers that cannot do that are not asked.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// What lld and gold understand.
const FOLD: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && is("CARGO_CFG_TARGET_ARCH", "x86_64")
    {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        if can_fold().unwrap_or(false) {
            println!("cargo::rustc-link-arg-bins={FOLD}");
        }
    }
}

/// Can a program be linked so, by the compiler, the linker and the flags of this build?
fn can_fold() -> Option<bool> {
    let out = env::var_os("OUT_DIR")?;
    let (source, program) = (Path::new(&out).join("probe.rs"), Path::new(&out).join("probe"));
    std::fs::write(&source, "fn main() {}").ok()?;
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc.arg(&source).arg("-o").arg(&program).arg("--target").arg(env::var_os("TARGET")?);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("linker=");
        option.push(linker);
        rustc.arg("-C").arg(option);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    rustc.args(["-C", &format!("link-arg={FOLD}")]);
    let status = rustc.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    Some(status.ok()?.success())
}
