//! The language server of the editors, asked as an editor asks: diagnostics while one types, completion, definitions, what is
//! under the cursor.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use kausal::files::WithBuffers;
use kausal_edit::{Source, outline};
use kausal_lsp::{path_of, uri_of};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::places::{Places as Units, byte_of_unit};
use crate::studio::Places;

/// Nobody waits for a completion longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A language server.
pub struct Language {
    out: crossbeam_channel::Sender<Message>,
    waiting: Waiting,
    next: AtomicI32,
    open: Mutex<HashMap<String, u64>>,
    told: Told,
}

/// What was said last of each file, for pages that come later.
type Told = Arc<Mutex<HashMap<String, Value>>>;

type Waiting = Arc<Mutex<HashMap<RequestId, mpsc::Sender<Value>>>>;

impl Language {
    /// Starts one.
    pub fn new(places: Places, events: broadcast::Sender<Arc<str>>) -> Language {
        let (server, client) = Connection::memory();
        let (buffers, folders) = (places.buffers.clone(), places.search());
        let mut all = vec![kausal::files::BUILT_IN.to_owned()];
        all.extend(folders);
        std::thread::spawn(move || {
            let files = move || -> Box<dyn kausal::files::Files> { Box::new(WithBuffers(buffers.clone())) };
            let _ = kausal_lsp::serve(server, Arc::new(files), all);
        });
        let waiting = Waiting::default();
        let opened = places.opened.read().unwrap_or_else(PoisonError::into_inner).clone();
        let roots: Vec<Value> =
            opened.iter().map(|f| json!({"uri": uri_of(&f.to_string_lossy()), "name": "folder"})).collect();
        let language = Language {
            out: client.sender,
            waiting: waiting.clone(),
            next: AtomicI32::new(1),
            open: Mutex::default(),
            told: Told::default(),
        };
        let (heard, texts, told) = (client.receiver, places.buffers.clone(), language.told.clone());
        std::thread::spawn(move || {
            for message in &heard {
                match message {
                    Message::Response(response) => {
                        let asked =
                            waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&response.id);
                        if let Some(asked) = asked {
                            let _ = asked.send(response.response_result.unwrap_or(Value::Null));
                        }
                    }
                    Message::Notification(n) if n.method == "textDocument/publishDiagnostics" => {
                        let path = n.params["uri"].as_str().and_then(path_of).unwrap_or_default();
                        let text = texts.read().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
                        if let Some(text) = text {
                            let event = published(&path, &text, &n.params);
                            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                            match event["diagnostics"].as_array().is_some_and(|d| !d.is_empty()) {
                                true => told.insert(path, event["diagnostics"].clone()),
                                false => told.remove(&path),
                            };
                            drop(told);
                            let _ = events.send(event.to_string().into());
                        }
                    }
                    _ => {}
                }
            }
        });
        language.ask("initialize", json!({"capabilities": {}, "workspaceFolders": roots}));
        language.say("initialized", json!({}));
        language
    }

    /// Diagnostics of all files that have some.
    pub fn diagnostics(&self) -> Value {
        json!(*self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn say(&self, method: &str, params: Value) {
        let _ = self.out.send(Notification { method: method.to_owned(), params }.into());
    }

    fn ask(&self, method: &str, params: Value) -> Value {
        let id = RequestId::from(self.next.fetch_add(1, Ordering::Relaxed));
        let (send, receive) = mpsc::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), send);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        if self.out.send(request.into()).is_err() {
            return Value::Null;
        }
        let answer = receive.recv_timeout(PATIENCE).unwrap_or(Value::Null);
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        answer
    }

    /// A text is this now.
    pub fn text(&self, path: &str, version: u64, text: &str) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let uri = uri_of(path);
        match open.insert(path.to_owned(), version) {
            None => self.say(
                "textDocument/didOpen",
                json!({"textDocument": {"uri": uri, "languageId": "modelica", "version": version, "text": text}}),
            ),
            Some(known) if known != version => self.say(
                "textDocument/didChange",
                json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}),
            ),
            Some(_) => {}
        }
    }

    /// Other programs changed files.
    pub fn changed_on_disk(&self, paths: &[String]) {
        let changes: Vec<Value> = paths.iter().map(|p| json!({"uri": uri_of(p), "type": 2})).collect();
        self.say("workspace/didChangeWatchedFiles", json!({"changes": changes}));
    }

    fn at(&self, path: &str, text: &str, unit: u32) -> Value {
        let byte = Units::new(text).byte(unit) as usize;
        let start = text[..byte].rfind('\n').map_or(0, |i| i + 1);
        let line = text[..byte].matches('\n').count();
        let character = text[start..byte].encode_utf16().count();
        json!({"textDocument": {"uri": uri_of(path)}, "position": {"line": line, "character": character}})
    }

    /// What can be written at a place.
    pub fn completion(&self, path: &str, text: &str, unit: u32) -> Value {
        let answer = self.ask("textDocument/completion", self.at(path, text, unit));
        let units = Units::new(text);
        let byte = units.byte(unit) as usize;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = text[..byte].char_indices().rev().take_while(|(_, c)| is_word(*c)).last();
        let start = units.unit(start.map_or(byte, |(i, _)| i) as u32);
        let items = answer["items"].as_array().cloned().unwrap_or_default();
        let items: Vec<Value> = items
            .iter()
            .map(|item| {
                let kind = match item["kind"].as_u64() {
                    Some(7 | 22 | 13 | 8 | 25) => "class",
                    Some(9) => "package",
                    Some(3) => "function",
                    Some(5 | 6 | 10) => "component",
                    Some(14) => "keyword",
                    Some(20) => "literal",
                    Some(15) => "snippet",
                    _ => "other",
                };
                let edit = &item["textEdit"];
                let insert =
                    edit["newText"].as_str().or(item["insertText"].as_str()).or(item["label"].as_str());
                let documentation =
                    item["documentation"]["value"].as_str().or(item["documentation"].as_str());
                let place = |end: &str| {
                    let p = &edit["range"][end];
                    let (line, column) = (p["line"].as_u64()?, p["character"].as_u64()?);
                    Some(units.unit(byte_of_unit(text, line as usize, column as usize) as u32))
                };
                json!({
                    "label": item["label"],
                    "kind": kind,
                    "detail": item["detail"].as_str().unwrap_or_default(),
                    "documentation": documentation.unwrap_or_default(),
                    "insert": insert.unwrap_or_default(),
                    "from": place("start").unwrap_or(start),
                    "to": place("end").unwrap_or(unit),
                })
            })
            .collect();
        json!({"items": items})
    }

    /// Where what is at a place is declared: path, and a line with a column (both from 0).
    pub fn definition(&self, path: &str, text: &str, unit: u32) -> Option<(String, Value)> {
        let answer = self.ask("textDocument/definition", self.at(path, text, unit));
        let path = path_of(answer["uri"].as_str()?)?;
        Some((path, answer["range"].clone()))
    }

    /// What is said about what is at a place.
    pub fn hover(&self, path: &str, text: &str, unit: u32) -> Value {
        let answer = self.ask("textDocument/hover", self.at(path, text, unit));
        let Some(words) = answer["contents"]["value"].as_str() else { return json!({"found": null}) };
        let (from, to) = range(text, &answer["range"]).unwrap_or((unit, unit));
        json!({"found": {"from": from, "to": to, "markdown": words}})
    }

    /// The formatted text.
    pub fn formatted(&self, path: &str, text: &str) -> Option<String> {
        let params =
            json!({"textDocument": {"uri": uri_of(path)}, "options": {"tabSize": 2, "insertSpaces": true}});
        let answer = self.ask("textDocument/formatting", params);
        let mut out = text.to_owned();
        for edit in answer.as_array()?.iter().rev() {
            let place = |end: &str| {
                let p = &edit["range"][end];
                Some(byte_of_unit(text, p["line"].as_u64()? as usize, p["character"].as_u64()? as usize))
            };
            out.replace_range(place("start")?..place("end")?, edit["newText"].as_str()?);
        }
        Some(out)
    }
}

/// A range of lines and columns as UTF-16 places.
pub fn range(text: &str, range: &Value) -> Option<(u32, u32)> {
    let units = Units::new(text);
    let place = |end: &str| {
        let p = &range[end];
        let byte = byte_of_unit(text, p["line"].as_u64()? as usize, p["character"].as_u64()? as usize);
        Some(units.unit(byte as u32))
    };
    Some((place("start")?, place("end")?))
}

/// Diagnostics of a file for the page, with the components they are about.
fn published(path: &str, text: &str, params: &Value) -> Value {
    let list = params["diagnostics"].as_array().cloned().unwrap_or_default();
    let located = Located::new(path, text);
    let told: Vec<Value> = list
        .iter()
        .map(|d| {
            let (from, to) = range(text, &d["range"]).unwrap_or_default();
            let severity = match d["severity"].as_u64() {
                Some(1) => "error",
                Some(2) => "warning",
                _ => "note",
            };
            let words = d["message"].as_str().unwrap_or_default();
            let (message, help) = match words.split_once("\nhelp: ") {
                Some((message, help)) => (message, Some(help)),
                None => (words, None),
            };
            let (message, label) = message.split_once('\n').unwrap_or((message, ""));
            let mut out = json!({
                "severity": severity,
                "code": d["code"],
                "message": message,
                "label": label,
                "related": related(d),
            });
            if let Some(help) = help {
                out["help"] = json!(help);
            }
            located.place(&mut out, from, to);
            out
        })
        .collect();
    json!({"event": "diagnostics", "file": path, "version": params["version"], "diagnostics": told})
}

fn related(d: &Value) -> Vec<Value> {
    let list = d["relatedInformation"].as_array().cloned().unwrap_or_default();
    let one = |r: &Value| {
        let path = path_of(r["location"]["uri"].as_str()?)?;
        Some(json!({"file": path, "from": 0, "to": 0, "message": r["message"]}))
    };
    list.iter().filter_map(one).collect()
}

/// Finds classes and components by places in a text.
pub struct Located<'t> {
    path: &'t str,
    text: &'t str,
    units: Units,
    source: Source,
}

impl<'t> Located<'t> {
    /// In this text.
    pub fn new(path: &'t str, text: &'t str) -> Located<'t> {
        Located { path, text, units: Units::new(text), source: Source::new(text) }
    }

    /// The place at a line and a column (from 1, the latter in characters).
    pub fn unit(&self, line: usize, column: usize) -> u32 {
        self.units.unit(crate::places::byte_at(self.text, line, column) as u32)
    }

    /// Writes where something is: file, place, line, class and component.
    pub fn place(&self, out: &mut Value, from: u32, to: u32) {
        let byte = self.units.byte(from);
        let before = &self.text[..byte as usize];
        out["file"] = json!(self.path);
        out["from"] = json!(from);
        out["to"] = json!(to);
        out["line"] = json!(before.matches('\n').count() + 1);
        out["column"] = json!(before.chars().rev().take_while(|&c| c != '\n').count() + 1);
        let Some(class) = self.source.class_at(byte) else { return };
        out["class"] = json!(class);
        let Some(outline) = outline(&self.source, &class) else { return };
        let inside = |s: kausal_edit::Span| s.start <= byte && byte < s.end;
        let part = outline.components.iter().find(|p| inside(p.span)).map(|p| &p.name);
        let wire = outline.connections.iter().find(|c| inside(c.span)).map(|c| &c.id);
        if let Some(name) = part.or(wire) {
            out["component"] = json!(name);
        }
    }
}
