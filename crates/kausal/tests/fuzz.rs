//! Inputs that are almost right are read without a panic: a few of them; `bench/fuzz --minutes M` tries many.

#[path = "fuzz/targets.rs"]
mod targets;

use targets::{Seeds, TARGETS, input, read};

/// So many of each target; those that take long are fewer.
fn count(target: &str) -> u64 {
    match target {
        "model" => 60,
        "modelica" | "classic" | "stored" | "fmu" | "description" => 100,
        _ => 300,
    }
}

#[test]
fn almost_right_inputs() {
    let seeds = Seeds::new();
    let folder = tempfile::tempdir().unwrap();
    for target in TARGETS {
        for number in 0..count(target) {
            let data = input(target, number, &seeds, folder.path());
            let outcome = std::panic::catch_unwind(|| read(target, &data, folder.path()));
            assert!(outcome.is_ok(), "{target} {number}:\n{}", String::from_utf8_lossy(&data));
        }
    }
}
