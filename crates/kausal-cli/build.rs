//! How the program is linked. On Linux with glibc it is loaded at a fixed address: the tables of a program that may lie
//! anywhere (18,000 pointers) would be adjusted at every start, which takes as long as translating a small model.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && is("CARGO_CFG_TARGET_ARCH", "x86_64")
    {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
