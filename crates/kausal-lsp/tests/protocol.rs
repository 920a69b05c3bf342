//! What goes over the wire, as snapshots: a small package in a folder, two buffers, and every request once.

mod support;

use std::path::PathBuf;

use serde_json::{Value, json};
use support::Client;

const PACKAGE: &str = "within;
package P \"A package\"
  connector Pin \"A pin\"
    Real v(unit = \"V\");
    flow Real i(unit = \"A\");
  end Pin;
  type R = Real(unit = \"Ohm\", min = 0);
  function f \"Square\"
    input Real u \"Argument\";
    output Real y;
  algorithm
    y := u^2;
  end f;
end P;
";

const A: &str = "within P;
model A \"Resistor\"
  parameter R resistance = 2 \"Resistance\";
  Pin p, n;
  Real voltage, w;
equation
  voltage = p.v - n.v;
  voltage = resistance*p.i;
  p.i + n.i = 0;
  w = f(voltage);
end A;
";

const B: &str = "within P;
model B
  A a(resistance = 3);
  A b;
  Real z;
equation
  connect(a.p, b.n);
  connect(a.n, b.p);
  a.p.v = 0;
  z = a.voltage + b.voltages;
end B;
";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("kausal-lsp-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("P")).unwrap();
        for (file, text) in [("package.mo", PACKAGE), ("A.mo", A), ("B.mo", B)] {
            std::fs::write(path.join("P").join(file), text).unwrap();
        }
        Folder(path)
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}/P/{file}", self.0.display())
    }

    /// JSON as text, one line for each part of the answer, without what is of this machine.
    fn show(&self, value: &Value) -> String {
        let text = match value {
            Value::Array(items) => items.iter().map(|i| format!("- {}\n", sorted(i))).collect::<String>(),
            other => format!("{}\n", sorted(other)),
        };
        text.replace(&format!("file://{}", self.0.display()), "file:///")
    }
}

/// JSON with the fields of objects in the order of their names, however they are kept.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), sorted(value)))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn at(uri: &str, line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

#[test]
fn every_request() {
    let folder = Folder::new("every");
    let (a, b) = (folder.uri("A.mo"), folder.uri("B.mo"));
    let mut client = Client::start(&folder.0, false);
    client.open(&a, A);
    client.open(&b, B);
    let mut trace = String::new();
    let wrong = client.diagnostics_until(&b, 1, |d| d.as_array().is_some_and(|d| !d.is_empty()));
    trace += &format!("## diagnostics of B\n{}", folder.show(&wrong));
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}});
    let merge = |mut base: Value, more: Value| {
        let more = more.as_object().cloned().unwrap_or_default();
        base.as_object_mut().unwrap().extend(more);
        base
    };
    let requests = [
        ("textDocument/hover", at(&a, 7, 15)),
        ("textDocument/hover", at(&a, 9, 6)),
        ("textDocument/definition", at(&b, 9, 9)),
        ("textDocument/typeDefinition", at(&b, 9, 6)),
        ("textDocument/definition", at(&b, 2, 8)),
        ("textDocument/references", merge(at(&a, 4, 8), json!({"context": {"includeDeclaration": true}}))),
        ("textDocument/documentHighlight", at(&a, 4, 8)),
        ("textDocument/prepareRename", at(&a, 1, 6)),
        ("textDocument/rename", merge(at(&a, 1, 6), json!({"newName": "Res"}))),
        ("textDocument/rename", merge(at(&a, 1, 6), json!({"newName": "end"}))),
        ("textDocument/documentSymbol", at(&b, 0, 0)),
        ("workspace/symbol", json!({"query": "pi"})),
        ("textDocument/completion", at(&b, 9, 8)),
        ("textDocument/completion", at(&b, 2, 6)),
        ("textDocument/completion", at(&b, 6, 15)),
        ("textDocument/signatureHelp", at(&a, 9, 8)),
        ("textDocument/semanticTokens/full", at(&b, 0, 0)),
        ("textDocument/inlayHint", merge(at(&a, 0, 0), json!({"range": range}))),
        ("textDocument/codeLens", at(&a, 0, 0)),
        ("textDocument/foldingRange", at(&a, 0, 0)),
        (
            "textDocument/selectionRange",
            merge(at(&a, 0, 0), json!({"positions": [{"line": 6, "character": 12}]})),
        ),
        (
            "textDocument/codeAction",
            merge(at(&b, 0, 0), json!({"range": range, "context": {"diagnostics": []}})),
        ),
        ("textDocument/prepareTypeHierarchy", at(&a, 1, 6)),
        ("textDocument/prepareCallHierarchy", at(&a, 9, 6)),
        ("textDocument/unknown", at(&a, 0, 0)),
    ];
    for (method, params) in requests {
        let answer = client.request(method, params);
        trace += &format!("## {method}\n{}", folder.show(&answer));
    }
    let item = client.request("textDocument/prepareCallHierarchy", at(&a, 9, 6))[0].clone();
    let calls = client.request("callHierarchy/incomingCalls", json!({"item": item}));
    trace += &format!("## callHierarchy/incomingCalls\n{}", folder.show(&calls));
    client.edit(&a, 2, (8, 0), (8, 0), "voltage := 3;\n");
    let wrong = client.diagnostics(&a, 2);
    trace += &format!("## an assignment among equations\n{}", folder.show(&wrong));
    let actions = client.request("textDocument/codeAction", merge(at(&a, 0, 0), json!({"range": range})));
    trace += &format!("## its fix\n{}", folder.show(&actions));
    client.edit(&a, 3, (8, 0), (9, 0), "");
    client.edit(&a, 4, (3, 2), (3, 2), "   ");
    let edits = client.request("textDocument/formatting", at(&a, 0, 0));
    trace += &format!("## formatting\n{}", folder.show(&edits));
    client.end();
    insta::assert_snapshot!("every_request", trace);
}

/// The buffer counts, also for other files, saved or not.
#[test]
fn buffers_count() {
    let folder = Folder::new("buffers");
    let (a, b) = (folder.uri("A.mo"), folder.uri("B.mo"));
    let mut client = Client::start(&folder.0, true);
    client.open(&b, B);
    client.diagnostics_until(&b, 1, |d| d.as_array().is_some_and(|d| !d.is_empty()));
    client.open(&a, A);
    // The variable that is missing is declared in the other buffer.
    client.edit(&a, 2, (4, 17), (4, 17), ", voltages");
    let place = client.request("textDocument/definition", at(&b, 9, 22));
    assert_eq!(place["uri"], Value::from(a.as_str()), "{place}");
    client.edit(&b, 2, (9, 0), (9, 0), " ");
    let right = client.diagnostics_until(&b, 2, |d| !d.to_string().contains("no element voltages"));
    assert!(!right.to_string().contains("K0202"), "{right}");
    client.end();
}

/// Edits of one buffer interrupt the check of another: it is made all the same.
#[test]
fn every_buffer_is_checked_in_the_end() {
    let folder = Folder::new("many");
    let mut client = Client::start(&folder.0, true);
    let uris: Vec<String> = (0..24).map(|k| folder.uri(&format!("C{k}.mo"))).collect();
    for (k, uri) in uris.iter().enumerate() {
        client
            .open(uri, &format!("within P;\nmodel C{k}\n  A a;\n  Real x;\nequation\n  x = 1;\nend C{k};\n"));
    }
    for (k, uri) in uris.iter().enumerate() {
        client.edit(uri, 2, (5, 6), (5, 7), &format!("missing{k}"));
    }
    for (k, uri) in uris.iter().enumerate() {
        client.diagnostics_until(uri, 2, |d| d.to_string().contains(&format!("missing{k}")));
    }
    client.end();
}

/// A request that was cancelled is answered as cancelled, and the next one as ever.
#[test]
fn cancelled() {
    let folder = Folder::new("cancelled");
    let a = folder.uri("A.mo");
    let mut client = Client::start(&folder.0, true);
    client.open(&a, A);
    let ids: Vec<i32> = (0..50).map(|_| client.send("textDocument/hover", at(&a, 7, 15))).collect();
    client.notify("$/cancelRequest", json!({"id": ids[49]}));
    for id in ids {
        let answer = client.answer(id);
        assert!(answer["contents"].is_object() || answer["error"] == "cancelled", "{answer}");
    }
    assert!(client.request("textDocument/hover", at(&a, 7, 15))["contents"].is_object());
    client.end();
}

/// Random edits: the server answers, and what it says in the end is what a fresh one says.
#[test]
fn random_edits() {
    let folder = Folder::new("random");
    let a = folder.uri("A.mo");
    let mut client = Client::start(&folder.0, true);
    client.open(&a, A);
    let mut text: Vec<String> = A.lines().map(str::to_owned).collect();
    let pieces =
        ["x", ";", " end ", "(", ")", "\"", "model M", "// ", "/*", "equation ", ".", "Real q; ", "é€😀"];
    let mut seed = 7u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n.max(1)
    };
    let mut version = 1;
    for i in 0..300 {
        version += 1;
        let line = next(text.len());
        let length = text[line].len();
        let mut from = next(length + 1);
        while !text[line].is_char_boundary(from) {
            from -= 1;
        }
        let mut to = if next(2) == 0 { from } else { (from + next(6)).min(length) };
        while !text[line].is_char_boundary(to) {
            to += 1;
        }
        let piece = if to > from { "" } else { pieces[next(pieces.len())] };
        text[line].replace_range(from..to, piece);
        client.edit(&a, version, (line as u32, from as u32), (line as u32, to as u32), piece);
        if i % 10 == 0 {
            for method in
                ["completion", "hover", "signatureHelp", "foldingRange", "documentSymbol", "codeLens"]
            {
                let answer =
                    client.request(&format!("textDocument/{method}"), at(&a, line as u32, from as u32));
                assert!(answer.get("error").is_none(), "{method}: {answer}");
            }
        }
        if i % 60 == 59 {
            text = A.lines().map(str::to_owned).collect();
            version += 1;
            let all =
                json!({"textDocument": {"uri": a, "version": version}, "contentChanges": [{"text": A}]});
            client.notify("textDocument/didChange", all);
        }
    }
    client.notes.clear();
    version += 1;
    client.edit(&a, version, (6, 2), (6, 3), "w");
    let edited = client.diagnostics_until(&a, version, |d| d.to_string().contains("woltage"));
    client.end();
    let mut fresh = Client::start(&folder.0, true);
    let changed = A.replacen("voltage = p.v", "woltage = p.v", 1);
    fresh.open(&a, &changed);
    let found = fresh.diagnostics_until(&a, 1, |d| d.to_string().contains("woltage"));
    fresh.end();
    assert_eq!(edited, found);
}

const MENDED: &str = "within P;
model C
  connector Signal = input Real;
  connector Result = output Real;
  block Gain
    Signal u;
    Result y;
  equation
    y = 2*u;
  end Gain;
  model World
    parameter Real g = 9.81;
  end World;
  model Mass
    outer World world;
    Real f = world.g;
  end Mass;
  Gain first, second;
  Mass mass;
  World many[2](g = 3);
  parameter Real half = 1/2 + many[1].g;
  parameter Real third = 1/(2 + c);
  constant Real c = 1;
  Real km(unit = \"km\") = 1;
  Real m(unit = \"m\");
  Real kg(unit = \"kg\");
equation
  m = km;
  kg = m;
  connect(first.y, second.u);
end C;
";

/// What diagnostics advise is done by quick fixes, also what only the classes know; values of parameters are hints.
#[test]
fn fixes_from_classes() {
    let folder = Folder::new("fixes");
    let c = folder.uri("C.mo");
    let mut client = Client::start(&folder.0, true);
    client.open(&c, MENDED);
    client.diagnostics_until(&c, 1, |d| d.to_string().contains("K0610"));
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 40, "character": 0}});
    let asked = json!({"textDocument": {"uri": c}, "range": range, "context": {"diagnostics": []}});
    let actions = client.request("textDocument/codeAction", asked.clone());
    let mut told = String::new();
    for action in actions.as_array().unwrap() {
        let edit = &action["edit"]["changes"][&c][0];
        let start = &edit["range"]["start"];
        let (title, text) = (action["title"].as_str().unwrap(), &edit["newText"]);
        told += &format!("{title} -> {}:{} {text}\n", start["line"], start["character"]);
    }
    let hints = client.request("textDocument/inlayHint", asked);
    for hint in hints.as_array().unwrap() {
        told += &format!("hint {} {}\n", hint["position"]["line"], hint["label"]);
    }
    client.end();
    let expected = "Add `connect(second.y, first.u);` -> 27:2 \"connect(second.y, first.u);\\n  \"
Add `first.u = 0;` -> 27:2 \"first.u = 0;\\n  \"
Add `inner P.C.World world;` -> 17:2 \"inner P.C.World world;\\n  \"
Insert `each` -> 19:16 \"each \"
Convert to \"m\": 1000*km -> 27:6 \"1000*km\"
Convert to \"km\": 0.001*m -> 27:2 \"0.001*m\"
Declare m in \"km\" -> 24:16 \"\\\"km\\\"\"
Declare km in \"m\" -> 23:17 \"\\\"m\\\"\"
Declare kg in \"m\" -> 25:17 \"\\\"m\\\"\"
Declare m in \"kg\" -> 24:16 \"\\\"kg\\\"\"
hint 21 \"= 0.333333\"
";
    assert_eq!(told, expected);
}

/// A buffer that is closed without saving is gone from the names of the workspace, too; a change of the disk below an open buffer
/// does not count.
#[test]
fn the_disk_counts_where_no_buffer_is() {
    let folder = Folder::new("closed");
    let a = folder.uri("A.mo");
    let mut client = Client::start(&folder.0, true);
    let symbols = |client: &mut Client, query: &str| {
        client.request("workspace/symbol", json!({"query": query})).as_array().map_or(0, Vec::len)
    };
    client.open(&a, &A.replace("model A", "model Unsaved").replace("end A", "end Unsaved"));
    assert_eq!(symbols(&mut client, "Unsaved"), 1);
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": a, "type": 2}]}));
    assert_eq!(symbols(&mut client, "Unsaved"), 1);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": a}}));
    assert_eq!(symbols(&mut client, "Unsaved"), 0);
    std::fs::remove_file(folder.0.join("P/B.mo")).unwrap();
    let gone = json!({"changes": [{"uri": folder.uri("B.mo"), "type": 3}]});
    client.notify("workspace/didChangeWatchedFiles", gone);
    let left = client.request("workspace/symbol", json!({"query": "B"}));
    assert!(!left.to_string().contains("\"name\":\"B\""), "{left}");
    client.end();
}

/// Who calls a function is found in files that nobody has asked for before, in several of them.
#[test]
fn callers_in_files_that_were_not_read() {
    let folder = Folder::new("callers");
    for name in ["D", "E"] {
        let text = format!("within P;\nmodel {name}\n  Real y = f(time);\nend {name};\n");
        std::fs::write(folder.0.join(format!("P/{name}.mo")), text).unwrap();
    }
    let package = folder.uri("package.mo");
    let mut client = Client::start(&folder.0, true);
    client.open(&package, PACKAGE);
    // The names of the workspace are known behind this.
    client.request("workspace/symbol", json!({"query": "f"}));
    let item = client.request("textDocument/prepareCallHierarchy", at(&package, 7, 11))[0].clone();
    assert_eq!(item["name"], "f");
    let calls = client.request("callHierarchy/incomingCalls", json!({"item": item}));
    let mut callers: Vec<&str> =
        calls.as_array().unwrap().iter().filter_map(|c| c["from"]["name"].as_str()).collect();
    callers.sort_unstable();
    assert_eq!(callers, ["A", "D", "E"]);
    client.end();
}
