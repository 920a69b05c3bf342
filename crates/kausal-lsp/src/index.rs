//! Names of all files of a workspace: what is asked for by name, and which files have a word at all.
//!
//! Files are parsed in parallel and their trees dropped; what stays is a few bytes for each class and each distinct word.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kausal_external::read_regular;
use kausal_syntax::ast::{ClassKind, Element};
use kausal_syntax::modelica::{LexemeKind, lexemes};
use kausal_syntax::{Ast, SourceId, Symbol, modelica};
use rayon::prelude::*;

use crate::lines::{Encoding, Lines};

/// Places in longer texts cannot be counted.
pub const MAX_TEXT: u64 = u32::MAX as u64 - 1;

/// A class of a file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: Symbol,
    /// The package and classes it is in.
    pub container: String,
    /// Its kind.
    pub kind: ClassKind,
    /// Its description.
    pub description: String,
    /// Can it be used as it is: is it not `partial`?
    pub partial: bool,
    /// The line and columns of its name.
    pub place: (u32, u32, u32),
    /// The names of its bases, as written.
    pub bases: Vec<Symbol>,
}

/// What is known of a file.
#[derive(Clone, Debug, Default)]
pub struct FileEntry {
    /// Its classes.
    pub classes: Vec<Entry>,
    /// Its words, sorted.
    words: Vec<Symbol>,
}

/// What is known of all files, by path.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// By path.
    pub files: BTreeMap<String, FileEntry>,
}

impl Index {
    /// Reads all model files below folders.
    pub fn read(folders: &[PathBuf], encoding: Encoding) -> Index {
        let mut paths = Vec::new();
        for folder in folders {
            walk(folder, &mut paths, 0);
        }
        let read = |path: &PathBuf| {
            let text = String::from_utf8(read_regular(path, MAX_TEXT).ok()?).ok()?;
            let parse = modelica::parse(SourceId(0), text.as_str().into());
            Some((path.to_str()?.to_owned(), FileEntry::new(&text, &parse.ast, encoding)))
        };
        Index { files: paths.par_iter().filter_map(read).collect::<Vec<_>>().into_iter().collect() }
    }

    /// The files that have a word, in order.
    pub fn with_word(&self, word: Symbol) -> Vec<String> {
        let has = |f: &FileEntry| f.words.binary_search_by_key(&word.as_str(), |w| w.as_str()).is_ok();
        self.files.iter().filter(|(_, f)| has(f)).map(|(path, _)| path.clone()).collect()
    }

    /// The files that have this word, in order.
    pub fn files_with(&self, word: &str) -> Vec<String> {
        self.with_word(Symbol::new(word))
    }

    /// Reads a text in the place of what a file had.
    pub fn replace(&mut self, path: &str, text: &str, encoding: Encoding) {
        let parse = modelica::parse(SourceId(0), text.into());
        self.files.insert(path.to_owned(), FileEntry::new(text, &parse.ast, encoding));
    }

    /// Classes whose names match: those that begin with it first, then those that have it, then those that have its letters in
    /// order.
    pub fn find(&self, query: &str, most: usize) -> Vec<(&str, &Entry)> {
        let query = query.to_lowercase();
        let mut found: Vec<(u32, usize, &str, &Entry)> = Vec::new();
        for (path, file) in &self.files {
            for entry in &file.classes {
                if let Some(rank) = rank(entry.name.as_str(), &entry.container, &query) {
                    found.push((rank, entry.name.as_str().len(), path, entry));
                }
            }
        }
        found.sort_by(|a, b| (a.0, a.1, a.3.name.as_str(), a.2).cmp(&(b.0, b.1, b.3.name.as_str(), b.2)));
        found.truncate(most);
        found.into_iter().map(|(_, _, path, entry)| (path, entry)).collect()
    }
}

fn rank(name: &str, container: &str, query: &str) -> Option<u32> {
    if query.is_empty() {
        return Some(3);
    }
    let lower = name.to_lowercase();
    if lower == *query {
        return Some(0);
    }
    if lower.starts_with(query) {
        return Some(1);
    }
    if lower.contains(query) {
        return Some(2);
    }
    if query.contains('.') {
        let full = format!("{container}.{name}").to_lowercase();
        return full.contains(query).then_some(2);
    }
    let mut letters = lower.chars();
    query.chars().all(|c| letters.any(|l| l == c)).then_some(4)
}

impl FileEntry {
    /// What is in a tree.
    pub fn new(text: &str, ast: &Ast, encoding: Encoding) -> FileEntry {
        let lines = Lines::new(text);
        let within = ast.within.map(|w| ast.name_text(w)).unwrap_or_default();
        let mut classes = Vec::new();
        let mut stack: Vec<(kausal_syntax::ast::ClassId, String)> =
            ast.roots.iter().rev().map(|&c| (c, within.clone())).collect();
        while let Some((id, container)) = stack.pop() {
            let class = &ast.classes[id];
            let name = class.name.symbol;
            if class.name.span.start >= class.name.span.end {
                continue;
            }
            let (line, from) = lines.position(text, class.name.span.start, encoding);
            let (_, to) = lines.position(text, class.name.span.end, encoding);
            let inside = if container.is_empty() { name.to_string() } else { format!("{container}.{name}") };
            let mut bases = Vec::new();
            match &class.body {
                kausal_syntax::ast::ClassBody::Long(body) => {
                    let mut nested = Vec::new();
                    for element in &body.elements {
                        match element {
                            Element::Class(c) => nested.push((*c, inside.clone())),
                            Element::Extends(e) => {
                                bases.extend(ast.lists.idents.get(e.base.parts).last().map(|i| i.symbol));
                            }
                            _ => {}
                        }
                    }
                    stack.extend(nested.into_iter().rev());
                }
                kausal_syntax::ast::ClassBody::Short(short) => {
                    bases.extend(ast.lists.idents.get(short.base.parts).last().map(|i| i.symbol));
                }
                _ => {}
            }
            classes.push(Entry {
                name,
                container,
                kind: class.kind,
                description: ast.description(&class.description),
                partial: class.partial,
                place: (line, from, to),
                bases,
            });
        }
        let ident = |l: &kausal_syntax::modelica::Lexeme| &text[l.span.start as usize..l.span.end as usize];
        let mut words: Vec<&str> =
            lexemes(text).iter().filter(|l| l.kind == LexemeKind::Ident).map(ident).collect();
        words.sort_unstable();
        words.dedup();
        FileEntry { classes, words: words.into_iter().map(Symbol::new).collect() }
    }
}

/// All `.mo` files below a folder.
fn walk(folder: &Path, out: &mut Vec<PathBuf>, depth: usize) {
    // Links may lead in a circle.
    if depth > 32 {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<std::fs::DirEntry> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        let hidden = entry.file_name().to_str().is_none_or(|n| n.starts_with('.') || n == "node_modules");
        if kind.is_dir() && !hidden {
            walk(&path, out, depth + 1);
        } else if path.extension().is_some_and(|e| e == "mo") && path.is_file() {
            out.push(path);
        }
    }
}
