//! The loop of the server: messages come in and go to the worker. It computes nothing, so that typing is never waited for.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use lsp_server::{Connection, Message, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::checker;
use crate::features::TOKEN_TYPES;
use crate::index::Index;
use crate::lines::{Encoding, path_of};
use crate::worker::{Event, Worker};
use crate::world::{MakeFiles, Places};

/// Requests that were not answered yet, and whether they are not wanted any more.
pub(crate) type Pending = Arc<Mutex<HashMap<RequestId, bool>>>;

/// Serves one client over stdin and stdout. `folders` are searched for libraries, besides those of the workspace.
pub fn serve_stdio(files: MakeFiles, folders: Vec<String>) -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    serve(connection, files, folders)?;
    threads.join().map_err(|e| e.to_string())
}

/// Serves one client.
pub fn serve(connection: Connection, files: MakeFiles, folders: Vec<String>) -> Result<(), String> {
    let (id, parameters) = connection.initialize_start().map_err(|e| e.to_string())?;
    let encoding = encoding_of(&parameters);
    let answer = json!({
        "capabilities": capabilities(encoding),
        "serverInfo": {"name": "kausal", "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, answer).map_err(|e| e.to_string())?;

    let roots = roots_of(&parameters);
    let mut search: Vec<String> = Vec::new();
    search.extend(folders);
    for root in &roots {
        // A workspace that is a package is found in the folder it is in.
        let is_package = root.join("package.mo").is_file();
        let folder = if is_package { root.parent().unwrap_or(root) } else { root };
        search.push(folder.to_string_lossy().into_owned());
    }
    let given = parameters["initializationOptions"]["libraries"].as_array();
    search.extend(given.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)));
    let places = Places { files, folders: search, buffers: Default::default() };

    let (events, inbox) = crossbeam_channel::unbounded::<Event>();
    let (work, todo) = crossbeam_channel::unbounded();
    let interrupt = Arc::new(AtomicBool::new(false));
    let pending: Pending = Default::default();
    {
        let (events, places, interrupt) = (events.clone(), places.clone(), interrupt.clone());
        let send = move |checked| events.send(Event::Checked(checked)).is_ok();
        spawn("checker", move || checker::run(places, encoding, &todo, &send, &interrupt))?;
    }
    {
        let (events, roots) = (events.clone(), roots.clone());
        spawn("index", move || {
            // Who waits for it must hear of it, whatever happened.
            let read = std::panic::catch_unwind(|| Index::read(&roots, encoding));
            let _ = events.send(Event::Indexed(read.unwrap_or_default()));
        })?;
    }
    let watches = &parameters["capabilities"]["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"];
    if watches == &Value::Bool(true) {
        let request =
            Request::new("watch".to_owned().into(), "client/registerCapability".to_owned(), watched());
        connection.sender.send(request.into()).map_err(|e| e.to_string())?;
    }
    let mut worker =
        Worker::new(places, encoding, connection.sender.clone(), work, interrupt.clone(), pending.clone());
    let working = spawn("worker", move || worker.run(&inbox))?;

    for message in &connection.receiver {
        match &message {
            Message::Request(request) if request.method == "shutdown" => {
                let answer = Response::new_ok(request.id.clone(), Value::Null);
                connection.sender.send(answer.into()).map_err(|e| e.to_string())?;
                continue;
            }
            Message::Request(request) => {
                pending.lock().unwrap_or_else(|e| e.into_inner()).insert(request.id.clone(), false);
            }
            Message::Notification(n) if n.method == "exit" => break,
            Message::Notification(n) if n.method == "$/cancelRequest" => {
                let id = &n.params["id"];
                let id = match id.as_i64() {
                    Some(number) => RequestId::from(number as i32),
                    None => RequestId::from(id.as_str().unwrap_or_default().to_owned()),
                };
                // One that was answered meanwhile is over.
                if let Some(cancelled) = pending.lock().unwrap_or_else(|e| e.into_inner()).get_mut(&id) {
                    *cancelled = true;
                }
                continue;
            }
            Message::Notification(n) if n.method == "textDocument/didChange" => {
                interrupt.store(true, Ordering::Relaxed);
            }
            _ => {}
        }
        if events.send(Event::Message(message)).is_err() {
            break;
        }
    }
    interrupt.store(true, Ordering::Relaxed);
    let _ = events.send(Event::Exit);
    working.join().map_err(|_| "the worker ended with a fault".to_owned())
}

/// How deep trees may be needs no more than this of a stack.
const STACK: usize = 64 << 20;

fn spawn(name: &str, f: impl FnOnce() + Send + 'static) -> Result<std::thread::JoinHandle<()>, String> {
    std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(f).map_err(|e| e.to_string())
}

/// The files whose changes by others the client shall tell.
fn watched() -> Value {
    let options = json!({"watchers": [{"globPattern": "**/*.mo"}, {"globPattern": "**/package.order"}]});
    let method = "workspace/didChangeWatchedFiles";
    json!({"registrations": [{"id": "watch", "method": method, "registerOptions": options}]})
}

fn encoding_of(parameters: &Value) -> Encoding {
    let offered = parameters["capabilities"]["general"]["positionEncodings"].as_array();
    match offered.into_iter().flatten().any(|e| e == "utf-8") {
        true => Encoding::Utf8,
        false => Encoding::Utf16,
    }
}

fn roots_of(parameters: &Value) -> Vec<PathBuf> {
    let folders = parameters["workspaceFolders"].as_array();
    let mut uris: Vec<&str> = folders.into_iter().flatten().filter_map(|f| f["uri"].as_str()).collect();
    if uris.is_empty() {
        uris.extend(parameters["rootUri"].as_str());
    }
    uris.into_iter().filter_map(path_of).map(|p| PathBuf::from(p.trim_end_matches('/'))).collect()
}

fn capabilities(encoding: Encoding) -> Value {
    json!({
        "positionEncoding": if encoding == Encoding::Utf8 { "utf-8" } else { "utf-16" },
        "textDocumentSync": {"openClose": true, "change": 2, "save": false},
        "completionProvider": {"triggerCharacters": [".", "(", "\""]},
        "hoverProvider": true,
        "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
        "definitionProvider": true,
        "declarationProvider": true,
        "typeDefinitionProvider": true,
        "implementationProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix"]},
        "codeLensProvider": {},
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "documentOnTypeFormattingProvider": {"firstTriggerCharacter": ";"},
        "renameProvider": {"prepareProvider": true},
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "inlayHintProvider": true,
        "callHierarchyProvider": true,
        "typeHierarchyProvider": true,
        "semanticTokensProvider": {
            "legend": {"tokenTypes": TOKEN_TYPES, "tokenModifiers": ["declaration"]},
            "full": true,
            "range": true,
        },
        "workspace": {"workspaceFolders": {"supported": true}},
    })
}
