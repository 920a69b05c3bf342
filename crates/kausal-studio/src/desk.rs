//! Texts that are edited, with their history, and the classes as they are drawn.
//!
//! An edit changes the text and what is known of the picture; the classes take the new text when somebody looks at them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use kausal::Session;
use kausal::browse::Listed;
use kausal::files::DiskAndBuiltIn;
use kausal_edit::{Change, Edit, Source, apply, compose, invert};
use serde_json::{Value, json};

use crate::failure::{Answer, Failure};
use crate::pictures::{self, Picture};
use crate::places::Places as Units;
use crate::studio::{MEMORY, Places};

/// Typing that goes on within this is one step of undo.
const TYPING: Duration = Duration::from_millis(1200);

/// Texts and pictures.
pub struct Desk {
    places: Places,
    session: Session,
    files: HashMap<String, File>,
    /// Files whose new text the session does not have.
    stale: Vec<String>,
    /// Pictures by class.
    pictures: HashMap<String, Picture>,
    /// Grows with every change of any text.
    pub epoch: u64,
}

/// A text.
pub struct File {
    /// The text.
    pub text: Arc<str>,
    /// Counts changes.
    pub version: u64,
    /// What the disk has.
    saved: Option<Arc<str>>,
    /// The text as it was read, if it was since it changed.
    source: Option<Arc<Source>>,
    undo: Vec<Step>,
    redo: Vec<Step>,
}

/// What takes a step back: lists of changes, to be made from the last to the first.
struct Step {
    lists: Vec<Vec<Change>>,
    at: Instant,
    typed: bool,
}

/// How a text came to change.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// By an edit of its own.
    Edited,
    /// By typing.
    Typed,
    /// Back.
    Undone,
    /// Forth again.
    Redone,
}

impl Desk {
    /// An empty desk.
    pub fn new(places: Places) -> Desk {
        let session = places.session();
        Desk { places, session, files: HashMap::new(), stale: Vec::new(), pictures: HashMap::new(), epoch: 0 }
    }

    /// Classes are read anew.
    pub fn forget(&mut self) {
        self.session = self.places.session();
        self.stale.clear();
        self.pictures.clear();
        self.epoch += 1;
    }

    /// The classes with all texts as they are now.
    pub fn session(&mut self) -> &mut Session {
        for file in std::mem::take(&mut self.stale) {
            if let Some(known) = self.files.get(&file) {
                self.session.replace_text(&file, &known.text);
            }
        }
        self.session.take_diagnostics();
        &mut self.session
    }

    /// A class as the tree has it.
    pub fn class(&mut self, class: &str) -> Result<Listed, Failure> {
        let found = self.session().listed_class(class);
        found.ok_or_else(|| Failure::missing(&format!("class {class}")))
    }

    /// A class of the tree for the page.
    pub fn node(&self, listed: &Listed) -> Value {
        let runs = matches!(listed.kind, "model" | "block" | "class") && !listed.partial;
        json!({
            "class": listed.class,
            "name": listed.name,
            "kind": listed.kind,
            "description": listed.description,
            "partial": listed.partial,
            "hasChildren": listed.has_children,
            "editable": self.places.is_editable(&listed.file),
            "runnable": runs,
            "experiment": listed.experiment,
            "obsolete": listed.obsolete,
        })
    }

    /// A text, opened where it was not.
    pub fn file(&mut self, path: &str) -> Result<&mut File, Failure> {
        if !self.files.contains_key(path) {
            // Only what the classes are made of is shown, not any file of the machine.
            let known = self.session().text_of(path);
            let text = match known {
                Some(text) => text,
                None if self.places.is_editable(path) => match kausal::files::read(&DiskAndBuiltIn, path) {
                    Some(text) => text.into(),
                    None => return Err(Failure::missing(&format!("file {path}"))),
                },
                None => return Err(Failure::forbidden(format!("{path} is not in an opened folder"))),
            };
            let saved = (!path.starts_with(MEMORY)).then(|| text.clone());
            let file = File { text, version: 1, saved, source: None, undo: Vec::new(), redo: Vec::new() };
            self.files.insert(path.to_owned(), file);
        }
        self.files.get_mut(path).ok_or_else(|| Failure::missing("such file"))
    }

    /// A text for the page.
    pub fn text(&mut self, path: &str) -> Answer {
        let editable = self.places.is_editable(path);
        let file = self.file(path)?;
        let units = Units::new(&file.text);
        let source = Source::new(&file.text);
        let within = source.ast.within.map(|w| source.ast.name_text(w)).unwrap_or_default();
        let mut classes = Vec::new();
        let mut names: HashMap<usize, String> = HashMap::new();
        for (id, class) in source.ast.classes.iter() {
            let outer = match class.parent {
                Some(parent) => names.get(&parent.index()).cloned().unwrap_or_default(),
                None => within.clone(),
            };
            let name = class.name.symbol.as_str();
            let full = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
            names.insert(id.index(), full.clone());
            classes.push(json!({
                "class": full,
                "kind": kausal::browse::word(class.kind),
                "from": units.unit(class.span.start),
                "to": units.unit(class.span.end),
            }));
        }
        Ok(json!({
            "file": path,
            "version": file.version,
            "text": &*file.text,
            "editable": editable,
            "dirty": file.is_dirty(),
            "classes": classes,
        }))
    }

    /// The texts that were changed: whether they are saved, and what can be taken back.
    pub fn texts(&self) -> Vec<Value> {
        let mut changed: Vec<(&String, &File)> = self
            .files
            .iter()
            .filter(|(_, f)| f.is_dirty() || !f.undo.is_empty() || !f.redo.is_empty())
            .collect();
        changed.sort_by_key(|(path, _)| *path);
        let one = |(path, f): (&String, &File)| {
            json!({
                "file": path, "dirty": f.is_dirty(), "canUndo": !f.undo.is_empty(), "canRedo": !f.redo.is_empty(),
            })
        };
        changed.into_iter().map(one).collect()
    }

    /// Changes a text; gives what the page has to know.
    pub fn commit(
        &mut self,
        path: &str,
        changes: Vec<Change>,
        manner: Manner,
        class: Option<&str>,
        names: &[String],
        begun: Instant,
    ) -> Answer {
        if !self.places.is_editable(path) {
            return Err(Failure::forbidden(format!(
                "{path} cannot be changed: it is not in an opened folder"
            )));
        }
        let file = self.file(path)?;
        let from = file.version;
        let units = Units::new(&file.text);
        let told: Vec<Value> = changes
            .iter()
            .map(|c| {
                let offset = units.unit(c.from);
                json!({"offset": offset, "length": units.unit(c.to) - offset, "insert": c.insert})
            })
            .collect();
        if !changes.is_empty() {
            let back = invert(&file.text, &changes);
            file.text = apply(&file.text, &changes).into();
            file.source = None;
            file.version += 1;
            file.remember(back, manner);
            let text = file.text.clone();
            self.places.buffers.write().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), text);
            if !self.stale.iter().any(|f| f == path) {
                self.stale.push(path.to_owned());
            }
            self.epoch += 1;
        }
        let diagram = match class {
            Some(class) => self.changed_picture(path, class, manner == Manner::Typed),
            None => Value::Null,
        };
        let class = class.map(str::to_owned);
        // What other classes look like may depend on this text, too.
        self.pictures.retain(|name, _| Some(name) == class.as_ref());
        let file = self.file(path)?;
        Ok(json!({
            "file": path,
            "version": file.version,
            "from": from,
            "changes": told,
            "diagram": diagram,
            "dirty": file.is_dirty(),
            "canUndo": !file.undo.is_empty(),
            "canRedo": !file.redo.is_empty(),
            "names": names,
            "milliseconds": begun.elapsed().as_secs_f64() * 1e3,
        }))
    }

    fn changed_picture(&mut self, path: &str, class: &str, typed: bool) -> Value {
        let Some(mut picture) = self.pictures.remove(class) else { return Value::Null };
        let Some(file) = self.files.get_mut(path) else { return Value::Null };
        let (source, version) = (file.source(), file.version);
        let change = pictures::update(&mut picture, &source, version, class, typed, self);
        if change.is_some() {
            self.pictures.insert(class.to_owned(), picture);
        }
        change.unwrap_or(Value::Null)
    }

    /// The diagram of a class.
    pub fn diagram(&mut self, class: &str) -> Answer {
        let begun = Instant::now();
        let listed = self.class(class)?;
        let editable = self.places.is_editable(&listed.file);
        let file = self.file(&listed.file)?;
        let (source, version) = (file.source(), file.version);
        let parts = self.session().parts(class, false);
        let parts = parts.ok_or_else(|| Failure::missing(&format!("class {class}")))?;
        let (picture, mut answer) = pictures::whole(&parts, &source, class);
        self.pictures.insert(class.to_owned(), picture);
        answer["file"] = json!(listed.file);
        answer["version"] = json!(version);
        answer["editable"] = json!(
            editable
                && matches!(
                    listed.kind,
                    "model" | "block" | "class" | "connector" | "record" | "package" | "expandable connector"
                )
        );
        answer["milliseconds"] = json!(begun.elapsed().as_secs_f64() * 1e3);
        Ok(answer)
    }

    /// Makes edits of a class.
    pub fn edit(&mut self, class: &str, edits: &[Value], version: Option<u64>) -> Answer {
        let begun = Instant::now();
        let listed = match self.pictures.get(class) {
            Some(picture) => picture.file.clone(),
            None => None,
        };
        let path = match listed {
            Some(path) => path,
            None => self.class(class)?.file,
        };
        let known = self.file(&path)?;
        if version.is_some_and(|v| v != known.version) {
            return Err(Failure::new(
                axum::http::StatusCode::CONFLICT,
                "conflict",
                "the text has changed meanwhile",
            ));
        }
        if !self.pictures.contains_key(class) {
            self.diagram(class)?;
        }
        if let Some(picture) = self.pictures.get_mut(class) {
            picture.file = Some(path.clone());
        }
        let mut asked = Vec::with_capacity(edits.len());
        for edit in edits {
            let mut edit: Edit =
                serde_json::from_value(edit.clone()).map_err(|e| Failure::bad(e.to_string()))?;
            self.complete(class, &mut edit);
            asked.push(edit);
        }
        let source = self.file(&path)?.source();
        let outcome = kausal_edit::edit_source(&source, class, &asked).map_err(|refusal| {
            Failure::new(axum::http::StatusCode::UNPROCESSABLE_ENTITY, "refused", refusal.0)
        })?;
        self.commit(&path, outcome.changes, Manner::Edited, Some(class), &outcome.names, begun)
    }

    /// What an edit leaves to us: names, lines, which base is meant.
    fn complete(&mut self, class: &str, edit: &mut Edit) {
        match edit {
            Edit::Add { type_name, stem, prefix, name, .. } => {
                if stem.is_none() && name.is_none() {
                    *stem = self.session().class_text(type_name, "defaultComponentName");
                }
                if prefix.is_none() {
                    *prefix = self.session().class_text(type_name, "defaultComponentPrefixes");
                }
            }
            Edit::Connect { a, b, points, color } => {
                if let Some(picture) = self.pictures.get(class) {
                    let (line, own) = picture.route(a, b);
                    *points = points.take().or(line);
                    *color = color.take().or(own);
                }
            }
            Edit::Set { component, path, base, .. } if component.is_empty() && base.is_none() => {
                let first = path.split('.').next().unwrap_or_default().to_owned();
                *base = self.session().base_of(class, &first);
            }
            Edit::Redeclare { component, name, kind, base, .. } => {
                let dialog = self.session().dialog(class, component);
                let entry = dialog.and_then(|d| d.entries.into_iter().find(|e| e.path == *name));
                if kind.is_none() {
                    *kind = entry.map(|e| e.class_kind).filter(|k| !k.is_empty());
                }
                if component.is_empty() && base.is_none() {
                    *base = self.session().base_of(class, name);
                }
            }
            _ => {}
        }
    }

    /// Typed changes.
    pub fn typed(&mut self, path: &str, version: u64, changes: &[Value], class: Option<&str>) -> Answer {
        let begun = Instant::now();
        let file = self.file(path)?;
        if version != file.version {
            return Err(Failure::new(
                axum::http::StatusCode::CONFLICT,
                "conflict",
                "the text has changed meanwhile",
            ));
        }
        let units = Units::new(&file.text);
        let mut list = Vec::new();
        let mut end = 0;
        for change in changes {
            let number = |name: &str| change[name].as_u64().and_then(|n| u32::try_from(n).ok());
            let (Some(offset), Some(length)) = (number("offset"), number("length")) else {
                return Err(Failure::bad("a change has offset and length"));
            };
            let (from, to) = (units.byte(offset), units.byte(offset.saturating_add(length)));
            if from < end || from > to {
                return Err(Failure::bad("changes are in order and do not overlap"));
            }
            end = to;
            let insert = change["insert"].as_str().unwrap_or_default().to_owned();
            list.push(Change { from, to, insert });
        }
        self.commit(path, list, Manner::Typed, class, &[], begun)
    }

    /// Takes the last step back, or makes it again.
    pub fn step(&mut self, path: &str, class: Option<&str>, back: bool) -> Answer {
        let begun = Instant::now();
        let file = self.file(path)?;
        let step = if back { file.undo.pop() } else { file.redo.pop() };
        let Some(step) = step else {
            return self.commit(path, Vec::new(), Manner::Undone, class, &[], begun);
        };
        let lists: Vec<Vec<Change>> = step.lists.into_iter().rev().collect();
        let changes = compose(&file.text, &lists);
        let manner = if back { Manner::Undone } else { Manner::Redone };
        self.commit(path, changes, manner, class, &[], begun)
    }

    /// Replaces the whole text where it is different: formatting.
    pub fn replace(&mut self, path: &str, new: &str, class: Option<&str>) -> Answer {
        let begun = Instant::now();
        let old = self.file(path)?.text.clone();
        let head = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
        let head =
            (0..=head).rev().find(|&i| old.is_char_boundary(i) && new.is_char_boundary(i)).unwrap_or(0);
        let most = old.len().min(new.len()) - head;
        let tail = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
        let is_boundary =
            |t: &usize| old.is_char_boundary(old.len() - t) && new.is_char_boundary(new.len() - t);
        let tail = (0..=tail).rev().find(is_boundary).unwrap_or(0);
        let change = Change {
            from: head as u32,
            to: (old.len() - tail) as u32,
            insert: new[head..new.len() - tail].to_owned(),
        };
        let changes = if old.as_ref() == new { Vec::new() } else { vec![change] };
        self.commit(path, changes, Manner::Edited, class, &[], begun)
    }

    /// Reads texts again that others have changed on the disk, where nobody edited them here: their versions.
    pub fn read_again(&mut self, paths: &[String]) -> Vec<(String, u64)> {
        let mut out = Vec::new();
        for path in paths {
            let Some(file) = self.files.get(path).filter(|f| !f.is_dirty()) else { continue };
            let Some(text) = kausal::files::read(&DiskAndBuiltIn, path) else { continue };
            if file.saved.as_deref() == Some(&text) || self.replace(path, &text, None).is_err() {
                continue;
            }
            if let Some(file) = self.files.get_mut(path) {
                file.saved = Some(text.into());
                out.push((path.clone(), file.version));
            }
        }
        out
    }

    /// Writes a text to the disk. What another program wrote there meanwhile is only lost to those who say so.
    pub fn save(&mut self, path: &str, overwrite: bool) -> Result<u64, Failure> {
        if !self.places.is_editable(path) || path.starts_with(MEMORY) {
            return Err(Failure::forbidden(format!("{path} cannot be written: open a folder for it")));
        }
        let file = self.file(path)?;
        let there = kausal::files::read(&DiskAndBuiltIn, path);
        if !overwrite && there.is_some_and(|text| file.saved.as_deref() != Some(&text) && *text != *file.text)
        {
            return Err(Failure::new(
                axum::http::StatusCode::CONFLICT,
                "changed-on-disk",
                format!("{path} was changed by another program since it was read here"),
            ));
        }
        // A file that somebody reads meanwhile is the old one or the new one.
        let beside = format!("{path}.kausal-{}", std::process::id());
        let written = kausal::store::write_new(Path::new(&beside), file.text.as_bytes())
            .and_then(|()| match std::fs::metadata(path) {
                Ok(known) => std::fs::set_permissions(&beside, known.permissions()),
                Err(_) => Ok(()),
            })
            .and_then(|()| std::fs::rename(&beside, Path::new(path)));
        if let Err(error) = written {
            let _ = std::fs::remove_file(&beside);
            let message = format!("cannot write {path}: {error}");
            return Err(Failure::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, "K0930", message));
        }
        file.saved = Some(file.text.clone());
        Ok(file.version)
    }

    /// A class of its own in a new file, or in a package.
    pub fn new_class(
        &mut self,
        name: &str,
        kind: &str,
        within: &str,
        description: &str,
        base: &str,
    ) -> Answer {
        let kinds = ["model", "block", "package", "connector", "record", "function", "class", "type"];
        let is_word = |word: &str| {
            word.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
                && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if !is_word(name) || !kinds.contains(&kind) || !base.split('.').all(|p| p.is_empty() || is_word(p)) {
            return Err(Failure::bad(format!("`{kind} {name}` is no class")));
        }
        let words = description.replace('\\', "\\\\").replace('"', "\\\"");
        let words = if words.is_empty() { String::new() } else { format!(" \"{words}\"") };
        let base = if base.is_empty() { String::new() } else { format!("  extends {base};\n") };
        let text = format!("{kind} {name}{words}\n{base}end {name};\n");
        let full = if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
        if self.session().listed_class(&full).is_some() {
            return Err(Failure::bad(format!("there is a class {full} already")));
        }
        if within.is_empty() {
            let opened = self.places.opened.read().unwrap_or_else(PoisonError::into_inner).first().cloned();
            let path = match opened {
                Some(folder) => folder.join(format!("{name}.mo")).to_string_lossy().into_owned(),
                None => format!("{MEMORY}/{name}.mo"),
            };
            if Path::new(&path).exists() {
                return Err(Failure::bad(format!("there is a file {path} already")));
            }
            let shared: Arc<str> = text.as_str().into();
            let buffers = &self.places.buffers;
            buffers.write().unwrap_or_else(PoisonError::into_inner).insert(path.clone(), shared.clone());
            let file = File {
                text: shared,
                version: 1,
                saved: None,
                source: None,
                undo: Vec::new(),
                redo: Vec::new(),
            };
            self.files.insert(path.clone(), file);
            self.forget();
            return Ok(json!({"class": full, "file": path}));
        }
        // In a package: before its annotation or end.
        let outer = self.class(within)?;
        let source = Source::new(&self.file(&outer.file)?.text);
        let inner = text.trim_end().replace('\n', "\n  ");
        let at = source
            .insertion_point(within)
            .ok_or_else(|| Failure::bad(format!("{within} cannot have classes in it")))?;
        let newline = if source.text.contains("\r\n") { "\r\n" } else { "\n" };
        let insert = format!("  {inner}\n").replace('\n', newline);
        let change = Change { from: at, to: at, insert };
        self.commit(&outer.file, vec![change], Manner::Edited, None, &[], Instant::now())?;
        self.forget();
        Ok(json!({"class": full, "file": outer.file}))
    }
}

impl File {
    /// The text as it is read.
    pub fn source(&mut self) -> Arc<Source> {
        self.source.get_or_insert_with(|| Arc::new(Source::new(&self.text))).clone()
    }

    fn is_dirty(&self) -> bool {
        self.saved.as_deref() != Some(&*self.text)
    }

    fn remember(&mut self, back: Vec<Change>, manner: Manner) {
        let at = Instant::now();
        let step = |lists, typed| Step { lists, at, typed };
        match manner {
            Manner::Undone => self.redo.push(step(vec![back], false)),
            Manner::Redone => self.undo.push(step(vec![back], false)),
            Manner::Typed => {
                self.redo.clear();
                match self.undo.last_mut() {
                    Some(last) if last.typed && last.at.elapsed() < TYPING => {
                        last.lists.push(back);
                        last.at = at;
                    }
                    _ => self.undo.push(step(vec![back], true)),
                }
            }
            Manner::Edited => {
                self.redo.clear();
                self.undo.push(step(vec![back], false));
            }
        }
    }
}
