//! The C compiler, where there is one.

use std::fs;
use std::process::{Command, Output};

/// Compiles a C program with all warnings as errors and runs it in a folder with these files. `None`, and a
/// message, where there is no C compiler.
pub fn run(source: &str, files: &[(&str, &[u8])]) -> Option<Output> {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no C compiler");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("main.c"), source).unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let compiled = Command::new("cc")
        .args(["-O2", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.c", "-lm", "-o", "main"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}\n{source}", String::from_utf8_lossy(&compiled.stderr));
    Some(Command::new(folder.path().join("main")).current_dir(folder.path()).output().unwrap())
}

/// Numbers as bytes of this machine.
pub fn bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

/// Numbers from bytes of this machine.
pub fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|chunk| f64::from_ne_bytes(chunk.try_into().unwrap())).collect()
}
