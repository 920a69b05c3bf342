//! The invariants of ARCHITECTURE.md that a reading of the sources can tell.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The rooms in the order of the pipeline: a crate depends on those before it only.
const ROOMS: [&str; 24] = [
    "workspace-hack",
    "kausal-pack",
    "kausal-syntax",
    "kausal-symbolic",
    "kausal-structure",
    "kausal-solver",
    "kausal-animate",
    "kausal-adversary",
    "kausal-external",
    "kausal-format",
    "kausal-model",
    "kausal-draw",
    "kausal-translate",
    "kausal-codegen",
    "kausal-gpu",
    "kausal-runtime",
    "kausal-lsp",
    "kausal-edit",
    "kausal",
    "kausal-fmi",
    "kausal-fmu",
    "kausal-python",
    "kausal-studio",
    "kausal-cli",
];

/// Where `unsafe` may stand: what calls compiled or foreign code, and what foreign code calls.
const UNSAFE: [&str; 11] = [
    // The allocator turns memory that is refused into a diagnostic.
    "kausal-cli/src/memory/allocator.rs",
    "kausal-codegen/src/machine.rs",
    "kausal-external/src/foreign/load.rs",
    "kausal-fmi/src/import/foreign.rs",
    "kausal-fmu/src/boundary.rs",
    "kausal-fmu/src/fmi2.rs",
    "kausal-fmu/src/fmi3.rs",
    "kausal-fmu/src/log.rs",
    "kausal-fmu/src/states.rs",
    // The driver of GPUs.
    "kausal-gpu/src/cuda.rs",
    "kausal-python/src/arrow.rs",
];

/// Rooms that know neither files nor the clock.
const WITHOUT_FILES: [&str; 14] = [
    "kausal-pack",
    "kausal-syntax",
    "kausal-symbolic",
    "kausal-structure",
    "kausal-solver",
    "kausal-animate",
    "kausal-format",
    "kausal-edit",
    "kausal-model",
    "kausal-draw",
    "kausal-translate",
    "kausal-codegen",
    "kausal-gpu",
    "kausal-runtime",
];

/// What panics on purpose: an index of the front door, like that of a map, and faults that tests ask for.
const PANICS: [&str; 3] =
    ["kausal/src/model/solution.rs", "kausal-cli/src/commands.rs", "kausal-cli/src/commands/simulate.rs"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The sources of all rooms by path, without comments, text in quotes, and tests.
fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let root = crates();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&root)
        .expect("the rooms")
        .map(|entry| entry.expect("a room").path().join("src"))
        .filter(|folder| folder.is_dir())
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name =
                    path.strip_prefix(&root).expect("below the rooms").to_string_lossy().replace('\\', "/");
                let tests =
                    name.ends_with("/test.rs") || name.ends_with("tests.rs") || name.contains("/tests/");
                if !tests {
                    found.insert(name, code(&std::fs::read_to_string(&path).expect("a text")));
                }
            }
        }
    }
    assert!(found.len() > 300, "{} files", found.len());
    found
}

/// A text up to its tests, without comments and what stands in quotes on one line.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let tests = |next: &&str| next.contains("mod tests") || next.trim_start().starts_with("#[path");
        if line.trim().starts_with("#[cfg(") && line.contains("test") && lines.peek().is_some_and(tests) {
            break;
        }
        let line = line.trim();
        if line.starts_with("//") {
            continue;
        }
        for (k, part) in line.split('"').enumerate() {
            if k % 2 == 0 {
                out.push_str(part);
                out.push(' ');
            }
        }
        out.push('\n');
    }
    out
}

/// Files that contain one of these words and are not excepted.
fn files_with(words: &[&str], allowed: &dyn Fn(&str) -> bool) -> Vec<String> {
    let sources = sources();
    let has = |text: &String| words.iter().any(|word| text.contains(word));
    sources.iter().filter(|(name, text)| has(text) && !allowed(name)).map(|(name, _)| name.clone()).collect()
}

#[test]
fn rooms_depend_on_those_before_them() {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(crates()).expect("the rooms") {
        let folder = entry.expect("a room").path();
        let Ok(text) = std::fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let room = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let own = ROOMS.iter().position(|&r| r == room);
        let own = own.unwrap_or_else(|| panic!("{room} has no place in the order of the rooms"));
        let dependencies = text.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        for line in dependencies.lines() {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if let Some(other) = ROOMS.iter().position(|&r| r == name)
                && other >= own
            {
                wrong.push(format!("{room} depends on {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn unsafe_stands_where_foreign_code_is_called() {
    let wrong = files_with(&["unsafe fn", "unsafe {", "unsafe impl", "unsafe extern"], &|name| {
        UNSAFE.contains(&name)
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_and_clock_are_behind_interfaces() {
    let inside = |name: &str| WITHOUT_FILES.contains(&name.split('/').next().unwrap_or_default());
    let wrong = files_with(
        &[
            "std::fs",
            "fs::read",
            "fs::write",
            "File::open",
            "File::create",
            "Instant::now",
            "SystemTime",
            "std::env::var",
        ],
        &|name| !inside(name),
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn production_code_does_not_panic_on_purpose() {
    let words = [".unwrap()", "panic!(", "todo!(", "unimplemented!("];
    let wrong = files_with(&words, &|name| PANICS.contains(&name) || name.starts_with("kausal-adversary/"));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tests_are_left_out_of_sources() {
    let text = "fn a() {}\n// unsafe {\nlet b = \"panic!(\";\n#[cfg(test)]\nmod tests {\n x.unwrap()\n}\n";
    let code = code(text);
    assert!(
        code.contains("fn a()")
            && !code.contains("unsafe")
            && !code.contains("panic")
            && !code.contains("unwrap")
    );
}
