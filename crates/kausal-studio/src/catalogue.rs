//! All classes by name, read once beside everything else: what a search finds, and which files have a word.

use std::path::PathBuf;

use kausal::files::{BUILT_IN, DiskAndBuiltIn};
use kausal_lsp::{Encoding, Index};

/// The names of everything.
#[derive(Default)]
pub struct Catalogue {
    index: Index,
}

impl Catalogue {
    /// Reads the built-in library and all files below folders.
    pub fn read(folders: &[String]) -> Catalogue {
        let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).filter(|f| f.is_dir()).collect();
        let mut index = Index::read(&folders, Encoding::Utf16);
        let mut todo = vec![BUILT_IN.to_owned()];
        while let Some(path) = todo.pop() {
            for name in kausal::files::list(&DiskAndBuiltIn, &path).unwrap_or_default() {
                let inner = format!("{}/{name}", path.trim_end_matches('/'));
                if name.ends_with(".mo") {
                    if let Some(text) = kausal::files::read(&DiskAndBuiltIn, &inner) {
                        index.replace(&inner, &text, Encoding::Utf16);
                    }
                } else if !name.contains('.') {
                    todo.push(inner);
                }
            }
        }
        Catalogue { index }
    }

    /// A text was edited.
    pub fn replace(&mut self, path: &str, text: &str) {
        self.index.replace(path, text, Encoding::Utf16);
    }

    /// The full names of classes that a query finds, best first. Several words have to be found each.
    pub fn search(&self, query: &str, most: usize) -> Vec<String> {
        let mut words = query.split_whitespace();
        let first = words.next().unwrap_or_default();
        let rest: Vec<String> = words.map(str::to_lowercase).collect();
        let wanted = if rest.is_empty() { most } else { 4000 };
        let mut out: Vec<String> = Vec::new();
        for (_, entry) in self.index.find(first, wanted) {
            let full = match entry.container.is_empty() {
                true => entry.name.to_string(),
                false => format!("{}.{}", entry.container, entry.name),
            };
            let lower = format!("{full} {}", entry.description).to_lowercase();
            if rest.iter().all(|word| lower.contains(word)) && !out.contains(&full) {
                out.push(full);
            }
            if out.len() >= most {
                break;
            }
        }
        out
    }

    /// The files that use a name.
    pub fn files_with(&self, word: &str) -> Vec<String> {
        self.index.files_with(word)
    }

    /// The classes that could take the place of something that fits a class: those whose bases, as they are written, lead there.
    pub fn extending(&self, class: &str, most: usize) -> Vec<(String, String)> {
        let last = class.rsplit('.').next().unwrap_or(class).to_owned();
        // What is declared within a model cannot be named from outside it (specification section 5.3.2).
        let full = |entry: &kausal_lsp::Entry| match entry.container.is_empty() {
            true => entry.name.to_string(),
            false => format!("{}.{}", entry.container, entry.name),
        };
        let classes = || self.index.files.values().flat_map(|f| &f.classes);
        let closed: std::collections::HashSet<String> =
            classes().filter(|e| e.kind != kausal_lsp::ClassKind::Package).map(full).collect();
        let is_open = |entry: &kausal_lsp::Entry| {
            let ends = entry.container.match_indices('.').map(|(at, _)| at).chain([entry.container.len()]);
            !ends.into_iter().any(|end| closed.contains(&entry.container[..end]))
        };
        let mut known = vec![last];
        let mut out: Vec<(String, String)> = Vec::new();
        // Bases of bases: as long as something is found.
        loop {
            let before = out.len();
            for entry in classes() {
                let is_like = entry.bases.iter().any(|b| known.iter().any(|k| k == b.as_str()));
                if !is_like || !is_open(entry) {
                    continue;
                }
                let full = full(entry);
                if out.iter().any(|(c, _)| *c == full) || out.len() >= most {
                    continue;
                }
                if !known.iter().any(|k| k == entry.name.as_str()) {
                    known.push(entry.name.to_string());
                }
                let words = if entry.partial { String::new() } else { entry.description.clone() };
                out.push((full, words));
            }
            if out.len() == before || out.len() >= most {
                return out;
            }
        }
    }
}
