//! The library stays in memory when an importing tool closes it: threads that make machine code may still run in it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    }
}
