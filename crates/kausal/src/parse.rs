//! `kausal parse`: reads files and directory trees, in parallel, and says what is wrong with them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kausal_syntax::{Ast, Diagnostic, Location, SourceId, Sources, Span, Symbol, classic, modelica};
use rayon::prelude::*;

/// What was read.
#[derive(Debug, Default)]
pub struct ParseReport {
    /// How many files.
    pub files: usize,
    /// How many bytes of text.
    pub bytes: u64,
    /// How many class definitions, nested ones included.
    pub classes: usize,
    /// What is wrong, by file in the order of the paths.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts the diagnostics point into: those with something to say only.
    pub sources: Sources,
}

impl ParseReport {
    /// How many errors there are.
    pub fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|d| d.is_error()).count()
    }
}

/// Parses files and trees of files (`.mo` and `.dym`). Whatever cannot be read is a diagnostic; the rest is
/// still read. Trees are dropped as soon as they are counted.
pub fn parse_paths(paths: &[PathBuf]) -> ParseReport {
    let mut found = Found::default();
    for path in paths {
        found.add(path);
    }
    let outcomes: Vec<Outcome> = found.files.par_iter().map(|path| parse_file(path)).collect();
    let mut report = ParseReport { diagnostics: found.diagnostics, ..ParseReport::default() };
    let mut known: Vec<(PathBuf, HashSet<String>)> = Vec::new();
    for (path, outcome) in found.files.iter().zip(outcomes) {
        report.files += 1;
        report.bytes += outcome.bytes;
        report.classes += outcome.classes;
        if !outcome.diagnostics.is_empty() {
            let id = report.sources.add(path.display().to_string(), outcome.text);
            report.diagnostics.extend(outcome.diagnostics.into_iter().map(|d| moved(d, id)));
        }
        if let Some(names) = outcome.package_members
            && let Some(dir) = path.parent()
        {
            known.push((dir.to_path_buf(), names));
        }
    }
    for (dir, members) in known {
        check_package_order(&dir, &members, &mut report);
    }
    report
}

/// What one file gave.
struct Outcome {
    bytes: u64,
    classes: usize,
    text: Arc<str>,
    diagnostics: Vec<Diagnostic>,
    /// Of a `package.mo`: the names declared in it.
    package_members: Option<HashSet<String>>,
}

fn parse_file(path: &Path) -> Outcome {
    let mut outcome =
        Outcome { bytes: 0, classes: 0, text: Arc::from(""), diagnostics: Vec::new(), package_members: None };
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            outcome
                .diagnostics
                .push(Diagnostic::error("K0901", format!("cannot read {}: {error}", path.display())));
            return outcome;
        }
    };
    outcome.bytes = bytes.len() as u64;
    let text: Arc<str> = match String::from_utf8(bytes) {
        Ok(text) => Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text)),
        Err(error) => {
            outcome.diagnostics.push(not_text(path, error.utf8_error().valid_up_to()));
            return outcome;
        }
    };
    if text.trim().is_empty() {
        outcome.diagnostics.push(
            Diagnostic::error("K0903", format!("{} is empty: it defines no class", path.display()))
                .help("write a class definition, or remove the file"),
        );
        return outcome;
    }
    let is_classic = path.extension().is_some_and(|e| e == "dym");
    let parse = if is_classic { classic::parse } else { modelica::parse }(SourceId(0), text.clone());
    outcome.classes = parse.ast.classes.len();
    outcome.diagnostics = parse.diagnostics;
    outcome.text = text;
    if path.file_name().is_some_and(|n| n == "package.mo") {
        outcome.package_members = Some(members(&parse.ast));
    }
    outcome
}

fn not_text(path: &Path, valid_up_to: usize) -> Diagnostic {
    Diagnostic::error("K0902", format!("{} is not UTF-8 text (from byte {valid_up_to} on)", path.display()))
        .help("Modelica files are UTF-8; was a binary file or an older encoding saved under this name?")
}

/// The names declared in the outermost class of a `package.mo`.
fn members(ast: &Ast) -> HashSet<String> {
    use kausal_syntax::ast::{ClassBody, Element};
    let mut names = HashSet::new();
    for &root in &ast.roots {
        if let ClassBody::Long(body) = &ast.classes[root].body {
            for element in &body.elements {
                let symbol: Symbol = match element {
                    Element::Class(id) => ast.classes[*id].name.symbol,
                    Element::Component(id) => ast.components[*id].name.symbol,
                    Element::Import(_) | Element::Extends(_) => continue,
                };
                names.insert(symbol.as_str().to_owned());
            }
        }
    }
    names
}

/// Every name in `package.order` should be a file, a folder or a member of `package.mo` (section 13.4.1).
fn check_package_order(dir: &Path, members: &HashSet<String>, report: &mut ParseReport) {
    let path = dir.join("package.order");
    let Ok(text) = fs::read_to_string(&path) else { return };
    let mut missing = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let name = line.trim();
        let known = name.is_empty()
            || members.contains(name)
            || dir.join(format!("{name}.mo")).is_file()
            || dir.join(name).join("package.mo").is_file();
        if !known {
            missing.push((name.to_owned(), Span::new(start, start + line.trim_end().len() as u32)));
        }
        start += line.len() as u32;
    }
    if missing.is_empty() {
        return;
    }
    let id = report.sources.add(path.display().to_string(), text);
    for (name, span) in missing {
        report.diagnostics.push(
            Diagnostic::warning("K0905", format!("package.order names {name}, which is not in the package"))
                .at(Location { source: id, span }, "no such file, folder or declaration")
                .help("remove the line, or add the class"),
        );
    }
}

/// The diagnostic with its places in another source.
fn moved(mut d: Diagnostic, source: SourceId) -> Diagnostic {
    for label in &mut d.labels {
        label.location.source = source;
    }
    d
}

/// Files found below the given paths.
#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

impl Found {
    fn add(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                let before = self.files.len();
                self.walk(path);
                if self.files.len() == before && self.diagnostics.is_empty() {
                    self.diagnostics.push(
                        Diagnostic::error("K0906", format!("no .mo or .dym file below {}", path.display()))
                            .help("name a Modelica file, or the folder of a library"),
                    );
                }
            }
            Ok(_) => self.files.push(path.to_path_buf()),
            Err(error) => {
                self.diagnostics
                    .push(Diagnostic::error("K0901", format!("cannot read {}: {error}", path.display())));
            }
        }
    }

    /// All model files below `root`, sorted by path. A folder that contains itself through a link is read once.
    fn walk(&mut self, root: &Path) {
        let mut stack = vec![(root.to_path_buf(), Vec::new())];
        while let Some((dir, above)) = stack.pop() {
            let real = match fs::canonicalize(&dir) {
                Ok(real) => real,
                Err(error) => {
                    self.unreadable(&dir, &error);
                    continue;
                }
            };
            if above.contains(&real) {
                self.diagnostics.push(
                    Diagnostic::error("K0904", format!("{} is a link to a folder it lies in", dir.display()))
                        .help("remove the link; the folder itself was read"),
                );
                continue;
            }
            let mut above: Vec<PathBuf> = above;
            above.push(real);
            let entries = match fs::read_dir(&dir).and_then(|entries| entries.collect::<Result<Vec<_>, _>>())
            {
                Ok(entries) => entries,
                Err(error) => {
                    self.unreadable(&dir, &error);
                    continue;
                }
            };
            let mut paths: Vec<PathBuf> = entries.into_iter().map(|e| e.path()).collect();
            paths.sort();
            let mut folders = Vec::new();
            for path in paths {
                let is_model = path.extension().is_some_and(|e| e == "mo" || e == "dym");
                match fs::metadata(&path) {
                    Ok(meta) if meta.is_dir() => folders.push(path),
                    Ok(meta) if is_model && meta.is_file() => self.files.push(path),
                    Ok(_) => {}
                    // A link that leads nowhere matters only where a model should be.
                    Err(error) if is_model => self.unreadable(&path, &error),
                    Err(error) if is_link_loop(&path) => self.unreadable(&path, &error),
                    Err(_) => {}
                }
            }
            for folder in folders.into_iter().rev() {
                stack.push((folder, above.clone()));
            }
        }
    }

    fn unreadable(&mut self, path: &Path, error: &std::io::Error) {
        self.diagnostics.push(Diagnostic::error("K0901", format!("cannot read {}: {error}", path.display())));
    }
}

/// A link that ends in itself.
fn is_link_loop(path: &Path) -> bool {
    // The kind of this error has no stable name; its text is the operating system's.
    fs::metadata(path).is_err_and(|e| e.to_string().contains("symbolic link"))
}
