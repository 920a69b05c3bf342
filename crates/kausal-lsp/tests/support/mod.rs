//! A client: starts a server in this process, sends what an editor sends, and waits for what comes back.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kausal_lsp::serve;
use kausal_model::Files;
use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};

/// The disk alone.
pub struct Disk;

impl Files for Disk {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(folder).ok()?;
        let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Some(names)
    }
    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }
}

/// An editor.
pub struct Client {
    connection: Connection,
    next: i32,
    /// Notifications that nobody waited for.
    pub notes: Vec<Notification>,
    server: Option<std::thread::JoinHandle<Result<(), String>>>,
}

#[allow(dead_code)]
impl Client {
    /// Starts a server for a folder.
    pub fn start(root: &Path, utf8: bool) -> Client {
        let (client, server) = Connection::memory();
        let server = std::thread::spawn(move || serve(server, Arc::new(|| Box::new(Disk)), Vec::new()));
        let mut this = Client { connection: client, next: 0, notes: Vec::new(), server: Some(server) };
        let encodings = if utf8 { json!(["utf-8", "utf-16"]) } else { json!(["utf-16"]) };
        let uri = format!("file://{}", root.display());
        this.request(
            "initialize",
            json!({"rootUri": uri, "capabilities": {"general": {"positionEncodings": encodings}}}),
        );
        this.notify("initialized", json!({}));
        this
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        let n = Notification { method: method.to_owned(), params };
        self.connection.sender.send(n.into()).expect("the server listens");
    }

    /// Sends a request without waiting; gives its number.
    pub fn send(&mut self, method: &str, params: Value) -> i32 {
        self.next += 1;
        let request = Request { id: self.next.into(), method: method.to_owned(), params };
        self.connection.sender.send(request.into()).expect("the server listens");
        self.next
    }

    /// Sends a request and waits for its answer; errors are answers, too.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, id: i32) -> Value {
        loop {
            match self.receive() {
                Message::Response(r) if r.id == id.into() => {
                    return r.response_result.unwrap_or_else(|e| json!({"error": e.message}));
                }
                Message::Notification(n) => self.notes.push(n),
                _ => {}
            }
        }
    }

    fn receive(&self) -> Message {
        self.connection.receiver.recv_timeout(Duration::from_secs(120)).expect("an answer within two minutes")
    }

    /// Waits for diagnostics of a version of a buffer.
    pub fn diagnostics(&mut self, uri: &str, version: i64) -> Value {
        let is_it = |n: &Notification| {
            n.method == "textDocument/publishDiagnostics"
                && n.params["uri"] == uri
                && n.params["version"] == version
        };
        loop {
            if let Some(at) = self.notes.iter().position(is_it) {
                return self.notes.remove(at).params["diagnostics"].clone();
            }
            if let Message::Notification(n) = self.receive() {
                self.notes.push(n);
            }
        }
    }

    /// Waits until diagnostics of this version hold what is asked for.
    pub fn diagnostics_until(&mut self, uri: &str, version: i64, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let found = self.diagnostics(uri, version);
            if holds(&found) {
                return found;
            }
        }
    }

    /// Opens a buffer.
    pub fn open(&mut self, uri: &str, text: &str) {
        let item = json!({"uri": uri, "languageId": "modelica", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}));
    }

    /// Replaces a range given by lines and columns.
    pub fn edit(&mut self, uri: &str, version: i64, from: (u32, u32), to: (u32, u32), text: &str) {
        let at = |(line, character): (u32, u32)| json!({"line": line, "character": character});
        let change = json!({"range": {"start": at(from), "end": at(to)}, "text": text});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}),
        );
    }

    /// Ends the server.
    pub fn end(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        let server = self.server.take().expect("it was started");
        server.join().expect("no fault").expect("a good end");
    }
}
