//! The stages of the front end: what a stage imports lies before it or in it, no module depends on itself, and no type grows
//! into everything.
//!
//! Expressions need sizes, sizes need values, values need expressions. These calls back are the few methods of `Flattener`;
//! everything else is a free function that its module's name leads to, and so an import that is seen here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The stages in their order, each with its modules: the longest name that fits says where a module belongs.
const STAGES: [(&str, &[&str]); 9] = [
    (
        "classes",
        &[
            "advice",
            "annotation",
            "builtins",
            "class",
            "expr::defaults",
            "functions::externals",
            "ids",
            "library",
            "lookup",
            "modifier",
            "prelude",
            "value",
            "walk",
        ],
    ),
    (
        "tables",
        &[
            "budget",
            "check",
            "connect::links",
            "flat",
            "flattener",
            "functions::kept",
            "functions::table",
            "sink",
            "state_machine::plan",
            "state_machine::statements",
            "tree",
        ],
    ),
    (
        "instances",
        &["expr::arguments", "expr::place", "inner", "instance", "interface", "rules::size", "spending"],
    ),
    ("evaluation", &["bindings", "fold", "ranges"]),
    (
        "elaboration",
        &[
            "algorithm",
            "connect::collect",
            "connect::deselect",
            "connect::overconstrained",
            "connect::stream",
            "equation",
            "expr",
            "functions",
            "rules::kinds",
            "rules::modifiers",
            "rules::purity",
            "rules::statements",
            "state_machine",
        ],
    ),
    ("connections", &["connect"]),
    ("rules", &["rules"]),
    ("lowering", &["flatten", "print", "texts"]),
    ("views", &["units", "view", "workspace"]),
];

/// So many methods may a type have.
const MOST_METHODS: usize = 60;

/// The text of every file that is no test and no comment, by the name of its module.
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
                found.insert(name.join("::"), code.join("\n"));
            }
        }
    }
    found
}

/// Every path of a text that begins with `crate::`, `super::` or `self::`, as seen from the root.
fn paths(module: &str, text: &str) -> BTreeSet<String> {
    let above = module.rsplit_once("::").map_or("", |(above, _)| above);
    let mut found = BTreeSet::new();
    for (word, before) in [("crate::", ""), ("super::", above), ("self::", module)] {
        for (at, _) in text.match_indices(word) {
            let begins =
                text[..at].chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || "_:".contains(c)));
            if begins {
                leaves(&text[at + word.len()..], before, &mut found);
            }
        }
    }
    found
}

/// The paths a text begins with, whole: `a::b`, or those of `a::{b, c::d}`.
fn leaves(rest: &str, before: &str, found: &mut BTreeSet<String>) {
    if let Some(inside) = rest.strip_prefix('{') {
        let (mut level, mut begin) = (0, 0);
        for (i, c) in inside.char_indices() {
            match c {
                '{' => level += 1,
                '}' if level == 0 => return leaves(inside[begin..i].trim(), before, found),
                '}' => level -= 1,
                ',' if level == 0 => {
                    leaves(inside[begin..i].trim(), before, found);
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
        Some(more) => leaves(more, &path, found),
        None => {
            found.insert(path);
        }
    }
}

/// The module that a path leads into: the longest name of one that it begins with.
fn module_of<'a>(modules: &'a BTreeMap<String, String>, path: &str) -> Option<&'a str> {
    let fits = |name: &&String| {
        path.strip_prefix(name.as_str()).is_some_and(|r| r.is_empty() || r.starts_with("::"))
    };
    modules.keys().filter(fits).max_by_key(|name| name.len()).map(String::as_str)
}

/// Which modules each imports.
fn arrows(modules: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let of = |(name, text): (&'_ String, &String)| {
        paths(name, text).iter().filter_map(|path| module_of(modules, path)).filter(|to| to != name).collect()
    };
    modules.iter().map(|(name, text)| (name.as_str(), of((name, text)))).collect()
}

/// The stage of a module.
fn stage(module: &str) -> usize {
    let length = |names: &[&str]| {
        let fits =
            |name: &&&str| module.strip_prefix(**name).is_some_and(|r| r.is_empty() || r.starts_with("::"));
        names.iter().filter(fits).map(|name| name.len()).max()
    };
    let best = STAGES.iter().enumerate().filter_map(|(i, (_, names))| Some((length(names)?, i))).max();
    best.unwrap_or_else(|| panic!("{module} is in no stage: give it a place in the order")).1
}

#[test]
fn stages_import_what_lies_before_them() {
    let modules = modules();
    let mut wrong = Vec::new();
    for (from, imports) in arrows(&modules) {
        for to in imports.into_iter().filter(|to| stage(to) > stage(from)) {
            wrong.push(format!("{from} ({}) imports {to} ({})", STAGES[stage(from)].0, STAGES[stage(to)].0));
        }
    }
    assert!(wrong.is_empty(), "arrows that point back:\n{}", wrong.join("\n"));
}

#[test]
fn no_module_depends_on_itself() {
    let modules = modules();
    let arrows = arrows(&modules);
    // What has no arrows to something that is left leaves, until nothing does.
    let mut left: BTreeSet<&str> = arrows.keys().copied().collect();
    loop {
        let free: Vec<&str> =
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

/// What an `impl` line is for: `Type` in `impl<'a> Trait<X> for Type<'a> {`.
fn implemented(line: &str) -> String {
    let mut rest = line.trim_start_matches("impl");
    if rest.starts_with('<') {
        let mut depth = 0;
        let ends = |c: char| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0
        };
        rest = rest.find(ends).map_or("", |end| &rest[end + 1..]);
    }
    let name = rest.split(" for ").last().unwrap_or_default().trim_start_matches([' ', '&']);
    let name = name.split(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or_default().to_owned()
}

/// How many methods each type has, over all its `impl` blocks.
fn methods(modules: &BTreeMap<String, String>) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for text in modules.values() {
        let mut of = None;
        for line in text.lines() {
            if line.starts_with("impl") {
                of = Some(implemented(line));
            } else if line.starts_with('}') {
                of = None;
            }
            let words = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' '));
            if let (Some(of), Some(words)) = (&of, words)
                && (words.starts_with("fn ") || words.contains(" fn "))
            {
                *found.entry(of.clone()).or_insert(0) += 1;
            }
        }
    }
    found
}

#[test]
fn no_type_is_everything() {
    let found = methods(&modules());
    assert!(found.get("Classes").is_some_and(|&n| n > 20), "methods are counted: {found:?}");
    assert!(found.get("Flattener").is_some_and(|&n| n > 20), "methods are counted: {found:?}");
    let large: Vec<_> = found.iter().filter(|&(_, &n)| n > MOST_METHODS).collect();
    assert!(large.is_empty(), "types with more than {MOST_METHODS} methods: {large:?}");
}

#[test]
fn imports_are_read() {
    let text = "use crate::a::{b, c::{D, e}};\nuse super::f;\nlet x = crate::g::h(1);";
    let expected = ["a::b", "a::c::D", "a::c::e", "g::h", "m::f"].map(str::to_owned);
    assert_eq!(paths("m::n", text), expected.into_iter().collect());
}

#[test]
fn methods_are_counted() {
    let text = "impl<'w> Large<'w> {\n    pub fn a(&self) {}\n    fn b() {}\n}\nimpl From<X> for Large<'_> {\n    fn c() {}\n}\nfn d() {}";
    let found = methods(&BTreeMap::from([("m".to_owned(), text.to_owned())]));
    assert_eq!(found, BTreeMap::from([("Large".to_owned(), 3)]));
}
