//! `kausal parse`: reads files and directory trees, in parallel, and says what is wrong with them.
//!
//! A Modelica file is parsed alone. The classic files of one folder are parsed together, because the meaning of
//! a line there depends on the cuts and paths of the classes it names, which may stand in the file next to it, or in the
//! built-in library.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kausal_external::read_regular;
use kausal_model::Files;
use kausal_syntax::{Ast, Diagnostic, Location, Parse, SourceId, Sources, Span, Symbol, classic, modelica};
use rayon::prelude::*;

use crate::files::{BUILT_IN, DiskAndBuiltIn, LARGEST};

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
    let files = &found.files;
    let mut outcomes: Vec<Outcome> =
        groups(files).into_par_iter().flat_map_iter(|group| parse_group(files, &group)).collect();
    outcomes.sort_by_key(|outcome| outcome.file);
    let mut report = ParseReport { diagnostics: found.diagnostics, ..ParseReport::default() };
    let mut registered: Vec<Option<SourceId>> = vec![None; files.len()];
    for outcome in &outcomes {
        report.files += 1;
        report.bytes += outcome.bytes;
        report.classes += outcome.classes;
        for diagnostic in &outcome.diagnostics {
            let mut diagnostic = diagnostic.clone();
            for label in &mut diagnostic.labels {
                // So far the source is the number of the file, perhaps another one than the diagnostic's.
                let file = label.location.source.0 as usize;
                label.location.source = *registered[file].get_or_insert_with(|| {
                    report.sources.add(files[file].display().to_string(), outcomes[file].text.clone())
                });
            }
            report.diagnostics.push(diagnostic);
        }
    }
    for outcome in &outcomes {
        if let Some(members) = &outcome.package_members
            && let Some(folder) = files[outcome.file].parent()
        {
            check_package_order(folder, members, &mut report);
        }
    }
    report
}

/// The model files among paths and in the folders among them, in their order, and what is wrong with the paths.
pub fn model_files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let mut found = Found::default();
    paths.iter().for_each(|path| found.add(path));
    (found.files, found.diagnostics)
}

/// The text of a file. Only regular files are read: reading a pipe or a device may never end. Files must be so
/// short that places in them can be counted.
///
/// # Errors
/// The diagnostic says why the file is no text that can be read.
pub fn read_text(path: &Path) -> Result<String, Diagnostic> {
    let meta = fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if !meta.is_file() {
        let what = if meta.is_dir() { "it is a folder" } else { "it is a pipe or a device, not a file" };
        return Err(cannot_read(path, &what));
    }
    if meta.len() >= u64::from(u32::MAX) {
        let what = format!("it has {} bytes; files may have up to 4 GB", meta.len());
        return Err(cannot_read(path, &what).help("split it into several files"));
    }
    let bytes = read_regular(path, LARGEST).map_err(|error| cannot_read(path, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let from = error.utf8_error().valid_up_to();
        Diagnostic::error("K0902", format!("{} is not UTF-8 text (from byte {from} on)", path.display()))
            .help("models are UTF-8 text; was a binary file or an older encoding saved under this name?")
    })
}

fn cannot_read(path: &Path, why: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error("K0901", format!("cannot read {}: {why}", path.display()))
}

/// What one file gave. Places in its diagnostics have the number of a file as their source.
struct Outcome {
    /// Its number.
    file: usize,
    bytes: u64,
    classes: usize,
    text: Arc<str>,
    diagnostics: Vec<Diagnostic>,
    /// Of a `package.mo`: the names declared in it.
    package_members: Option<HashSet<String>>,
}

/// The numbers of files that are parsed together.
fn groups(files: &[PathBuf]) -> Vec<Vec<usize>> {
    let mut groups = Vec::new();
    let mut classic_folders: BTreeMap<Option<&Path>, Vec<usize>> = BTreeMap::new();
    for (i, path) in files.iter().enumerate() {
        if is_classic(path) {
            classic_folders.entry(path.parent()).or_default().push(i);
        } else {
            groups.push(vec![i]);
        }
    }
    groups.extend(classic_folders.into_values());
    groups
}

fn is_classic(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "dym")
}

fn parse_group(files: &[PathBuf], group: &[usize]) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = group.iter().map(|&file| read(file, &files[file])).collect();
    let readable = outcomes.iter_mut().filter(|outcome| outcome.diagnostics.is_empty());
    let mut readable: Vec<&mut Outcome> = readable.collect();
    let texts: Vec<_> = readable.iter().map(|o| (SourceId(o.file as u32), o.text.clone())).collect();
    let classic = group.first().is_some_and(|&file| is_classic(&files[file]));
    let parses: Vec<Parse> = if classic {
        classic::parse_with(&mut built_in_classes(files.len()), &texts)
    } else {
        texts.into_iter().map(|(source, text)| modelica::parse(source, text)).collect()
    };
    for (outcome, parse) in readable.iter_mut().zip(parses) {
        outcome.classes = written_classes(&parse.ast);
        outcome.diagnostics = parse.diagnostics;
        if files[outcome.file].file_name().is_some_and(|n| n == "package.mo") {
            outcome.package_members = Some(members(&parse.ast));
        }
    }
    outcomes
}

/// The classic classes of the built-in library. Nothing is said about these, so their sources may have any numbers.
fn built_in_classes(first: usize) -> classic::Interfaces {
    let folder = format!("{BUILT_IN}/classic");
    let mut names = DiskAndBuiltIn.list(&folder).unwrap_or_default();
    names.retain(|name| name.ends_with(".dym"));
    names.sort();
    let texts: Vec<(SourceId, Arc<str>)> = (first as u32..)
        .zip(names)
        .filter_map(|(i, name)| Some((SourceId(i), DiskAndBuiltIn.read(&format!("{folder}/{name}"))?.into())))
        .collect();
    let mut known = classic::Interfaces::default();
    classic::parse_with(&mut known, &texts);
    known
}

fn read(file: usize, path: &Path) -> Outcome {
    let mut outcome = Outcome {
        file,
        bytes: 0,
        classes: 0,
        text: Arc::from(""),
        diagnostics: Vec::new(),
        package_members: None,
    };
    match read_text(path) {
        Ok(text) => {
            outcome.bytes = text.len() as u64;
            outcome.text = Arc::from(text.trim_start_matches('\u{feff}'));
            if outcome.text.trim().is_empty() {
                outcome.diagnostics.push(
                    Diagnostic::error("K0903", format!("{} is empty: it defines no class", path.display()))
                        .help("write a class definition, or remove the file"),
                );
            }
        }
        Err(diagnostic) => outcome.diagnostics.push(diagnostic),
    }
    outcome
}

/// How many classes stand in the text: those generated for classic cuts have no `model` before their name.
fn written_classes(ast: &Ast) -> usize {
    ast.classes.iter().filter(|(_, class)| class.span.start < class.name.span.start).count()
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
    if fs::symlink_metadata(&path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return;
    }
    let text = match read_text(&path) {
        Ok(text) => text,
        Err(diagnostic) => return report.diagnostics.push(diagnostic),
    };
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
                let before = (self.files.len(), self.diagnostics.len());
                self.walk(path);
                if (self.files.len(), self.diagnostics.len()) == before {
                    self.diagnostics.push(
                        Diagnostic::error("K0906", format!("no .mo or .dym file below {}", path.display()))
                            .help("name a Modelica file, or the folder of a library"),
                    );
                }
            }
            Ok(_) => self.files.push(path.to_path_buf()),
            Err(error) => self.diagnostics.push(cannot_read(path, &error)),
        }
    }

    /// All model files below `root`, folder by folder, each in the order of the names. However links lead, a
    /// folder is read once: where it lies, or at the first link to it when that is elsewhere.
    fn walk(&mut self, root: &Path) {
        let mut visited: HashSet<PathBuf> = HashSet::new();
        let mut folders = vec![(root.to_path_buf(), Vec::new())];
        // Links to folders wait until all folders that really lie here have been read.
        let mut links = VecDeque::new();
        while let Some((folder, above)) = folders.pop().or_else(|| links.pop_front()) {
            let real = match fs::canonicalize(&folder) {
                Ok(real) => real,
                Err(error) => {
                    self.diagnostics.push(cannot_read(&folder, &error));
                    continue;
                }
            };
            if above.contains(&real) {
                self.diagnostics.push(
                    Diagnostic::error(
                        "K0904",
                        format!("{} is a link to a folder it lies in", folder.display()),
                    )
                    .help("remove the link; the folder itself was read"),
                );
                continue;
            }
            if !visited.insert(real.clone()) {
                continue;
            }
            let mut above: Vec<PathBuf> = above;
            above.push(real);
            let entries =
                match fs::read_dir(&folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>()) {
                    Ok(entries) => entries,
                    Err(error) => {
                        self.diagnostics.push(cannot_read(&folder, &error));
                        continue;
                    }
                };
            let mut paths: Vec<PathBuf> = entries.into_iter().map(|e| e.path()).collect();
            paths.sort();
            let mut inside = Vec::new();
            for path in paths {
                let is_model = path.extension().is_some_and(|e| e == "mo" || e == "dym");
                match fs::metadata(&path) {
                    Ok(meta) if meta.is_dir() && path.is_symlink() => links.push_back((path, above.clone())),
                    Ok(meta) if meta.is_dir() => inside.push(path),
                    // What is no regular file is reported when it is read.
                    Ok(_) if is_model => self.files.push(path),
                    Ok(_) => {}
                    // A link that leads nowhere matters only where a model should be.
                    Err(error) if is_model || is_link_loop(&error) => {
                        self.diagnostics.push(cannot_read(&path, &error));
                    }
                    Err(_) => {}
                }
            }
            folders.extend(inside.into_iter().rev().map(|folder| (folder, above.clone())));
        }
    }
}

/// Is this the error of a link that ends in itself?
fn is_link_loop(error: &io::Error) -> bool {
    // The kind of this error has no stable name; its text is the operating system's.
    error.to_string().contains("symbolic link")
}
