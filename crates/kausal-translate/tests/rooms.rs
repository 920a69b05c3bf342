//! The stages of the translation: what a stage imports lies before it, and within a stage no module depends on itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The stages in their order: each may import what stands before it.
const STAGES: [&str; 10] = [
    "options",
    "program",
    "equations",
    "prepare",
    "reduce",
    "blocks",
    "discretize",
    "sections",
    "clocks",
    "passes",
];

/// A module as it is imported, `stage::module`, with the text that is no test and no comment.
fn modules() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).expect("below the root").with_extension("");
            let name: Vec<&str> =
                name.iter().filter_map(|part| part.to_str()).filter(|&part| part != "mod").collect();
            let text = std::fs::read_to_string(&path).expect("a text");
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            if name != ["lib"] {
                let name = name[..name.len().min(2)].join("::");
                found.entry(name).or_insert_with(String::new).push_str(&code.join("\n"));
            }
        }
    }
    found
}

/// What a text imports by `crate::`: paths of at most two names.
fn imports(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        paths(rest, "", &mut found);
    }
    found
}

/// The paths a text begins with: `a::b`, or those of `a::{b, c::d}`.
fn paths(rest: &str, before: &str, found: &mut BTreeSet<String>) {
    let depth = usize::from(!before.is_empty());
    if let Some(inside) = rest.strip_prefix('{') {
        let (mut level, mut begin) = (0, 0);
        for (i, c) in inside.char_indices() {
            match c {
                '{' => level += 1,
                '}' if level == 0 => return paths(inside[begin..i].trim(), before, found),
                '}' => level -= 1,
                ',' if level == 0 => {
                    paths(inside[begin..i].trim(), before, found);
                    begin = i + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let name = &rest[..end];
    if name.is_empty() {
        return;
    }
    let path = if before.is_empty() { name.to_owned() } else { format!("{before}::{name}") };
    match rest[end..].strip_prefix("::") {
        Some(more) if depth == 0 => {
            found.insert(path.clone());
            paths(more, &path, found);
        }
        _ => {
            found.insert(path);
        }
    }
}

#[test]
fn stages_import_what_lies_before_them() {
    let modules = modules();
    let rank = |stage: &str| STAGES.iter().position(|&s| s == stage);
    let mut wrong = Vec::new();
    for (name, text) in &modules {
        let stage = name.split("::").next().unwrap_or(name);
        let own = rank(stage).unwrap_or_else(|| panic!("{stage} is no stage: give it a place in the order"));
        for import in imports(text) {
            let of = import.split("::").next().unwrap_or(&import);
            // `passes` runs the whole translation.
            let back =
                if of == "translate" { stage != "passes" } else { rank(of).is_none_or(|other| other > own) };
            if back {
                wrong.push(format!("{name} imports {import}"));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that point back:\n{}", wrong.join("\n"));
}

#[test]
fn no_module_depends_on_itself() {
    let modules = modules();
    let arrows: BTreeMap<&String, BTreeSet<String>> = modules
        .iter()
        .map(|(name, text)| {
            let own = |import: &String| import != name && modules.contains_key(import);
            (name, imports(text).into_iter().filter(own).collect())
        })
        .collect();
    // What has no arrows to something that is left leaves, until nothing does.
    let mut left: BTreeSet<&String> = modules.keys().filter(|name| name.contains("::")).collect();
    loop {
        let free: Vec<&String> =
            left.iter().copied().filter(|name| !arrows[name].iter().any(|to| left.contains(to))).collect();
        if free.is_empty() {
            break;
        }
        free.iter().for_each(|name| {
            left.remove(name);
        });
    }
    assert!(left.is_empty(), "modules that depend on themselves: {left:?}");
}

#[test]
fn imports_are_read() {
    let text =
        "use crate::blocks::{growth, plan::Plan};\nuse crate::program;\nlet x = crate::sort::is_discrete(1);";
    let expected = ["blocks", "blocks::growth", "blocks::plan", "program", "sort", "sort::is_discrete"]
        .map(str::to_owned);
    assert_eq!(imports(text), expected.into_iter().collect());
}
