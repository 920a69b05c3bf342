//! The thread that has the buffers and answers requests, one after the other. A request that was cancelled, or asks about a text
//! that has changed since it was sent, is not computed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender};
use kausal_external::read_regular;
use kausal_model::library::FileId;
use kausal_syntax::{Location, Severity, Symbol};
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::checker::{Checked, Text, Told, Work};
use crate::document::Document;
use crate::features;
use crate::index::{FileEntry, Index, MAX_TEXT};
use crate::lines::{Encoding, Lines, path_of, uri_of};
use crate::server::Pending;
use crate::world::{Places, World};

/// What the worker is told.
pub enum Event {
    /// By the client.
    Message(Message),
    /// By the checker.
    Checked(Checked),
    /// By who read the workspace.
    Indexed(Index),
    /// To end.
    Exit,
}

/// What is answered from the names of all files.
const OF_ALL_FILES: [&str; 6] = [
    "workspace/symbol",
    "textDocument/references",
    "textDocument/rename",
    "textDocument/implementation",
    "typeHierarchy/subtypes",
    "callHierarchy/incomingCalls",
];

/// Everything requests are answered from.
pub struct Worker {
    /// Buffers by address.
    pub documents: BTreeMap<String, Document>,
    /// Classes.
    pub world: World,
    /// Names of the workspace.
    pub index: Index,
    /// How columns are counted.
    pub encoding: Encoding,
    places: Places,
    out: Sender<Message>,
    work: Sender<Work>,
    /// Ends the check that is under way.
    interrupt: Arc<AtomicBool>,
    pending: Pending,
    is_indexed: bool,
    /// Requests that are answered from the whole index, until it is there, with the version of the text they ask about.
    put_off: Vec<(Request, Option<i64>)>,
    /// Files that changed while the index was read: it may have what they were before.
    changed_meanwhile: BTreeSet<String>,
    /// Edits that the classes do not have yet.
    stale: Vec<String>,
}

impl Worker {
    /// A worker without buffers.
    pub fn new(
        places: Places,
        encoding: Encoding,
        out: Sender<Message>,
        work: Sender<Work>,
        interrupt: Arc<AtomicBool>,
        pending: Pending,
    ) -> Worker {
        Worker {
            documents: BTreeMap::new(),
            world: World::new(places.clone()),
            index: Index::default(),
            encoding,
            places,
            out,
            work,
            interrupt,
            pending,
            is_indexed: false,
            put_off: Vec::new(),
            changed_meanwhile: BTreeSet::new(),
            stale: Vec::new(),
        }
    }

    /// Works until the end.
    pub fn run(&mut self, inbox: &Receiver<Event>) {
        let mut waiting: VecDeque<Event> = VecDeque::new();
        loop {
            // Edits that are here already come before anything is computed.
            waiting.extend(inbox.try_iter());
            let event = match waiting.pop_front() {
                Some(event) => event,
                None => match inbox.recv() {
                    Ok(event) => event,
                    Err(_) => return,
                },
            };
            match event {
                Event::Exit => return,
                Event::Checked(checked) => self.checked(checked),
                Event::Indexed(index) => self.indexed(index),
                Event::Message(Message::Notification(n)) => self.notified(&n),
                Event::Message(Message::Request(request)) => {
                    // What needs all files of a workspace that is being read is worth a moment, a rename in some of them would
                    // break the others; everything else goes on meanwhile.
                    if !self.is_indexed && OF_ALL_FILES.contains(&request.method.as_str()) {
                        let version = self.document(&request.params).map(|d| d.version);
                        self.put_off.push((request, version));
                        continue;
                    }
                    waiting.extend(inbox.try_iter());
                    let is_outdated = is_outdated(&request, &waiting);
                    self.request(request, is_outdated);
                }
                Event::Message(Message::Response(_)) => {}
            }
        }
    }

    fn indexed(&mut self, index: Index) {
        self.index = index;
        self.is_indexed = true;
        for path in std::mem::take(&mut self.changed_meanwhile) {
            self.index_file(path);
        }
        for document in self.documents.values() {
            let entry = FileEntry::new(&document.text, &document.ast, self.encoding);
            self.index.files.insert(document.path.clone(), entry);
        }
        for (request, version) in std::mem::take(&mut self.put_off) {
            let is_outdated = self.document(&request.params).map(|d| d.version) != version;
            self.request(request, is_outdated);
        }
    }

    fn request(&mut self, request: Request, is_outdated: bool) {
        let Request { id, method, params } = request;
        let was_cancelled = self.pending.lock().unwrap_or_else(|e| e.into_inner()).remove(&id) == Some(true);
        let refused = match (was_cancelled, is_outdated) {
            (true, _) => Some((ErrorCode::RequestCanceled, "cancelled")),
            (_, true) => Some((ErrorCode::ContentModified, "the text has changed since")),
            _ => None,
        };
        if let Some((code, words)) = refused {
            let _ = self.out.send(Response::new_err(id, code as i32, words.to_owned()).into());
            return;
        }
        let answer = catch_unwind(AssertUnwindSafe(|| {
            self.refresh();
            features::answer(self, &method, &params)
        }));
        let response = match answer {
            Ok(Ok(value)) => Response::new_ok(id, value),
            Ok(Err(message)) => Response::new_err(id, ErrorCode::MethodNotFound as i32, message),
            Err(_) => {
                self.world = World::new(self.places.clone());
                let message = format!("a fault of Kausal in {method}");
                Response::new_err(id, ErrorCode::InternalError as i32, message)
            }
        };
        let _ = self.out.send(response.into());
    }

    /// Gives the classes the texts of edited buffers.
    fn refresh(&mut self) {
        for uri in std::mem::take(&mut self.stale) {
            if let Some(d) = self.documents.get(&uri) {
                let (path, text) = (d.path.clone(), d.text.clone());
                self.world.change(&path, &text);
            }
        }
    }

    fn notified(&mut self, n: &Notification) {
        let document = &n.params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        let version = document["version"].as_i64().unwrap_or(0);
        match n.method.as_str() {
            "textDocument/didOpen" => {
                let Some(path) = path_of(&uri) else { return };
                let text = document["text"].as_str().unwrap_or_default();
                self.documents.insert(uri.clone(), Document::new(&uri, &path, version, text));
                self.edited(&uri);
            }
            "textDocument/didChange" => {
                let encoding = self.encoding;
                let changes = n.params["contentChanges"].as_array().cloned().unwrap_or_default();
                if let Some(d) = self.documents.get_mut(&uri) {
                    d.change(version, &changes, encoding);
                    self.edited(&uri);
                }
            }
            "textDocument/didClose" => {
                if let Some(d) = self.documents.remove(&uri) {
                    self.buffers(|buffers| {
                        buffers.remove(&d.path);
                    });
                    // What was not saved is gone: the file counts again.
                    self.index_file(d.path);
                    self.publish_empty(&uri);
                    self.reset();
                }
            }
            "workspace/didChangeWatchedFiles" => {
                for change in n.params["changes"].as_array().into_iter().flatten() {
                    let Some(path) = change["uri"].as_str().and_then(path_of) else { continue };
                    // A buffer counts, whatever the disk has.
                    if !self.documents.values().any(|d| d.path == path) {
                        self.index_file(path);
                    }
                }
                self.reset();
            }
            _ => {}
        }
    }

    /// Names of a file as it is on the disk.
    fn index_file(&mut self, path: String) {
        if !self.is_indexed {
            self.changed_meanwhile.insert(path);
            return;
        }
        match read_regular(Path::new(&path), MAX_TEXT).map(String::from_utf8) {
            Ok(Ok(text)) if path.ends_with(".mo") => {
                let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.as_str().into());
                self.index.files.insert(path, FileEntry::new(&text, &parse.ast, self.encoding));
            }
            _ => {
                self.index.files.remove(&path);
            }
        }
    }

    fn buffers(&self, f: impl FnOnce(&mut std::collections::HashMap<String, std::sync::Arc<str>>)) {
        f(&mut self.places.buffers.write().unwrap_or_else(|e| e.into_inner()));
    }

    /// Files came or went: classes are read again when they are asked for.
    fn reset(&mut self) {
        self.world.reset();
        self.stale.clear();
        let _ = self.work.send(Work::Reset);
        let uris: Vec<String> = self.documents.keys().cloned().collect();
        for uri in uris {
            self.check(&uri);
        }
    }

    fn edited(&mut self, uri: &str) {
        let Some(d) = self.documents.get(uri) else { return };
        let (path, text) = (d.path.clone(), d.text.clone());
        if self.is_indexed {
            self.index.files.insert(path.clone(), FileEntry::new(&text, &d.ast, self.encoding));
        }
        self.buffers(|buffers| {
            buffers.insert(path, text);
        });
        if !self.stale.iter().any(|u| u == uri) {
            self.stale.push(uri.to_owned());
        }
        self.publish(uri);
        self.check(uri);
    }

    fn check(&self, uri: &str) {
        let Some(d) = self.documents.get(uri).filter(|d| d.path.ends_with(".mo")) else { return };
        let (path, version, text, edited_at) = (d.path.clone(), d.version, d.text.clone(), d.edited_at);
        // Behind a syntax error much is missing that is only not read.
        if !d.syntax.iter().any(kausal_syntax::Diagnostic::is_error) {
            // What is under way is about an older text. The keystroke has interrupted it already, unless it began again while
            // this thread was busy with something else.
            self.interrupt.store(true, Ordering::Relaxed);
            let _ = self.work.send(Work::Text(Text { path, version, text, edited_at }));
        }
    }

    fn checked(&mut self, checked: Checked) {
        let found = self.documents.values_mut().find(|d| d.path == checked.path);
        let Some(d) = found.filter(|d| d.version == checked.version) else { return };
        if d.told != checked.told {
            d.told = checked.told;
            let uri = d.uri.clone();
            self.publish(&uri);
        }
    }

    /// All that is known to be wrong with a buffer: its syntax, and what the last check said.
    pub fn told(d: &Document) -> Vec<Told> {
        let has_syntax_errors = d.syntax.iter().any(kausal_syntax::Diagnostic::is_error);
        let syntax = d.syntax.iter().filter_map(|s| {
            let label = s.labels.first()?;
            Some(Told {
                span: label.location.span,
                severity: s.severity,
                code: s.code,
                message: s.message.clone(),
                label: label.message.clone(),
                help: s.help.clone(),
                related: Vec::new(),
                fixes: Vec::new(),
            })
        });
        let later = d.told.iter().filter(|_| !has_syntax_errors).cloned();
        syntax.chain(later).collect()
    }

    fn publish(&self, uri: &str) {
        let Some(d) = self.documents.get(uri).filter(|d| d.path.ends_with(".mo")) else { return };
        let diagnostics: Vec<Value> = Worker::told(d).iter().map(|t| self.diagnostic(d, t)).collect();
        self.notify(json!({"uri": d.uri, "version": d.version, "diagnostics": diagnostics}));
    }

    fn publish_empty(&self, uri: &str) {
        self.notify(json!({"uri": uri, "diagnostics": []}));
    }

    fn notify(&self, params: Value) {
        let n = Notification { method: "textDocument/publishDiagnostics".to_owned(), params };
        let _ = self.out.send(n.into());
    }

    /// A diagnostic as the protocol has it.
    pub fn diagnostic(&self, d: &Document, t: &Told) -> Value {
        let severity = match t.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Note => 3,
        };
        let mut message = t.message.clone();
        if !t.label.is_empty() {
            message.push_str(&format!("\n{}", t.label));
        }
        if let Some(help) = &t.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        let mut out = json!({
            "range": d.lines.range(&d.text, t.span, self.encoding),
            "severity": severity,
            "code": t.code,
            "source": "kausal",
            "message": message,
        });
        if !t.related.is_empty() {
            out["relatedInformation"] = Value::Array(t.related.clone());
        }
        out
    }

    /// The buffer a request is about.
    pub fn document(&self, params: &Value) -> Option<&Document> {
        self.documents.get(params["textDocument"]["uri"].as_str()?)
    }

    /// The file and the place in it that a request is about.
    pub fn cursor(&mut self, params: &Value) -> Option<(FileId, u32)> {
        let encoding = self.encoding;
        let d = self.document(params)?;
        let number = |name: &str| params["position"][name].as_u64().unwrap_or(0) as u32;
        let offset = d.lines.offset(&d.text, number("line"), number("character"), encoding);
        let path = d.path.clone();
        Some((self.world.file(&path)?, offset))
    }

    /// A place as the protocol has it; nothing for what is in no file.
    pub fn location(&mut self, location: Location) -> Option<Value> {
        let encoding = self.encoding;
        let source = self.world.model().sources().get(location.source);
        if source.name == "built-in" || source.name.starts_with("built-in:") {
            return None;
        }
        let range = Lines::new(&source.text).range(&source.text, location.span, encoding);
        Some(json!({"uri": uri_of(&source.name), "range": range}))
    }

    /// The files that have a word: of the workspace, and open ones.
    pub fn files_with(&self, word: Symbol) -> Vec<String> {
        let mut paths = self.index.with_word(word);
        for d in self.documents.values() {
            if !paths.contains(&d.path) && d.text.contains(word.as_str()) {
                paths.push(d.path.clone());
            }
        }
        paths
    }
}

/// Has the text that a request asks about been edited since? Its answer would be about places that are elsewhere now.
fn is_outdated(request: &Request, waiting: &VecDeque<Event>) -> bool {
    let uri = &request.params["textDocument"]["uri"];
    !uri.is_null()
        && waiting.iter().any(|event| match event {
            Event::Message(Message::Notification(n)) => {
                n.method == "textDocument/didChange" && n.params["textDocument"]["uri"] == *uri
            }
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker() -> (Worker, crossbeam_channel::Receiver<Message>) {
        let (out, answers) = crossbeam_channel::unbounded();
        let (work, _) = crossbeam_channel::unbounded();
        struct Nothing;
        impl kausal_model::Files for Nothing {
            fn list(&self, _: &str) -> Option<Vec<String>> {
                None
            }
            fn read(&self, _: &str) -> Option<String> {
                None
            }
        }
        let places = Places {
            files: Arc::new(|| Box::new(Nothing)),
            folders: Vec::new(),
            buffers: Default::default(),
        };
        (Worker::new(places, Encoding::Utf8, out, work, Default::default(), Default::default()), answers)
    }

    fn asked(id: i32, method: &str) -> Event {
        let params = json!({"query": "", "textDocument": {"uri": "file:///a.mo"}});
        Event::Message(Message::Request(Request::new(id.into(), method.to_owned(), params)))
    }

    /// Who asks for the symbols of a workspace that is being read waits for it, whether the index comes later or stands in the
    /// queue already; nobody else does.
    #[test]
    fn symbols_wait_for_the_index_and_nothing_waits_for_symbols() {
        let numbers = |events: Vec<Event>| {
            let (mut worker, answers) = worker();
            let (send, inbox) = crossbeam_channel::unbounded();
            for event in events {
                send.send(event).expect("room");
            }
            drop(send);
            worker.run(&inbox);
            let number = |m: Message| match m {
                Message::Response(r) => Some(r.id.to_string()),
                _ => None,
            };
            answers.try_iter().filter_map(number).collect::<Vec<_>>()
        };
        let index = || Event::Indexed(Index::default());
        let symbols = || asked(1, "workspace/symbol");
        let folds = || asked(2, "textDocument/foldingRange");
        assert_eq!(numbers(vec![symbols(), folds(), index()]), ["2", "1"]);
        assert_eq!(numbers(vec![index(), symbols(), folds()]), ["1", "2"]);
        assert_eq!(numbers(vec![symbols(), folds()]), ["2"]);
    }

    /// What changed on the disk while the index was read is read again: the index may have what was there before.
    #[test]
    fn an_index_does_not_bring_back_what_is_gone() {
        let folder = std::env::temp_dir().join(format!("kausal-lsp-index-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("A.mo").display().to_string();
        std::fs::write(&path, "model New end New;").expect("a file");
        let mut old = Index::default();
        old.replace(&path, "model Old end Old;", Encoding::Utf8);
        let (mut worker, _answers) = worker();
        let params = json!({"changes": [{"uri": uri_of(&path), "type": 2}]});
        worker.notified(&Notification { method: "workspace/didChangeWatchedFiles".to_owned(), params });
        worker.indexed(old);
        let names: Vec<&str> = worker.index.find("", 9).iter().map(|(_, e)| e.name.as_str()).collect();
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(names, ["New"]);
    }

    #[test]
    fn requests_about_edited_texts_are_outdated() {
        let about = |uri: &str| json!({"textDocument": {"uri": uri}});
        let request = |params: Value| Request::new(1.into(), "textDocument/hover".to_owned(), params);
        let told = |method: &str| {
            let n = Notification { method: method.to_owned(), params: about("file:///a.mo") };
            VecDeque::from([Event::Message(Message::Notification(n))])
        };
        assert!(is_outdated(&request(about("file:///a.mo")), &told("textDocument/didChange")));
        assert!(!is_outdated(&request(about("file:///b.mo")), &told("textDocument/didChange")));
        assert!(!is_outdated(&request(about("file:///a.mo")), &told("textDocument/didSave")));
        assert!(!is_outdated(&request(json!({"query": "a"})), &told("textDocument/didChange")));
        assert!(!is_outdated(&request(about("file:///a.mo")), &VecDeque::new()));
    }
}
