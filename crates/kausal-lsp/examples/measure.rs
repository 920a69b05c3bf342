//! Measures the server by a scripted client: cold start, diagnostics after keystrokes, completion, symbols, rename, memory.
//!
//! `cargo run --release -p kausal-lsp --example measure -- WORKSPACE [KEYSTROKES [RANDOM_EDITS]]`; with the Modelica Standard
//! Library 4.1.0 as workspace. Random edits compare the edited world with a fresh one.

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use kausal_lsp::{Buffers, Encoding, Places, World};
use serde_json::{Value, json};
use support::{Client, Disk};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "mo") {
            out.push(path);
        }
    }
}

/// Megabytes of memory this process has.
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0 / 1e6
}

fn say(what: &str, mut times: Vec<f64>, bound: &str) {
    times.sort_by(f64::total_cmp);
    let at = |p: f64| times[((times.len() - 1) as f64 * p) as usize];
    println!(
        "{what}: median {:.1} ms, p99 {:.1} ms, largest {:.1} ms of {} (asked for: {bound})",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().expect("a folder"));
    let keystrokes: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(200);
    let random: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut paths = Vec::new();
    files(&root, &mut paths);
    paths.sort();
    // The file whose length is nearest to 5,000 lines.
    let lines = |p: &PathBuf| std::fs::read_to_string(p).map_or(0, |t| t.lines().count());
    let path = paths.iter().min_by_key(|p| lines(p).abs_diff(5000)).expect("model files").clone();
    let text = std::fs::read_to_string(&path).expect("text");
    let uri = format!("file://{}", path.display());
    println!("workspace: {} files; edited: {} ({} lines)", paths.len(), path.display(), text.lines().count());

    let start = Instant::now();
    let ms = |t: Instant| t.elapsed().as_secs_f64() * 1e3;
    let mut client = Client::start(&root, true);
    let initialized = ms(start);
    client.open(&uri, &text);
    let first = client.diagnostics(&uri, 1);
    let opened = ms(start);
    client.request("workspace/symbol", json!({"query": "Resistor"}));
    println!(
        "cold start: initialized {initialized:.0} ms, diagnostics of the file {opened:.0} ms, all symbols {:.0} ms \
         (asked for: 1500 ms); {} diagnostics",
        ms(start),
        first.as_array().map_or(0, Vec::len)
    );
    println!("memory: {:.0} MB", memory());

    // A letter at the end of a line within the text, and away again.
    let mut version = 1;
    let body: Vec<usize> =
        text.lines().enumerate().filter(|(_, l)| l.trim_end().ends_with(';')).map(|(i, _)| i).collect();
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for i in 0..keystrokes {
        let line = body[(i * 7919) % body.len()] as u32;
        for (from, to, letter) in [(0, 0, "x"), (0, 1, "")] {
            version += 1;
            let start = Instant::now();
            client.edit(&uri, version, (line, from), (line, to), letter);
            client.diagnostics(&uri, version);
            first.push(ms(start));
            // The check in the background has what it needs behind a request; wait for calm now and then.
            if i % 20 == 0 && letter.is_empty() {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        }
    }
    say("diagnostics after a keystroke (syntax, and what is known)", first, "50 ms, p99 200 ms");
    // An equation with a name that does not exist, until that is said: the whole check of the file.
    let sections: Vec<usize> =
        text.lines().enumerate().filter(|(_, l)| l.trim() == "equation").map(|(i, _)| i + 1).collect();
    for i in 0..keystrokes.min(100) {
        let line = sections[(i * 7919) % sections.len()] as u32;
        version += 1;
        client.edit(&uri, version, (line, 0), (line, 0), "missing_ = 1;");
        let start = Instant::now();
        let deadline = Instant::now();
        let mut said = false;
        while deadline.elapsed().as_secs() < 3 && !said {
            std::thread::sleep(std::time::Duration::from_millis(1));
            client.request("textDocument/foldingRange", json!({"textDocument": {"uri": uri}}));
            said = client
                .notes
                .iter()
                .any(|n| n.params["version"] == version && n.params.to_string().contains("missing_"));
        }
        if said {
            then.push(ms(start));
        }
        version += 1;
        client.edit(&uri, version, (line, 0), (line, 13), "");
        client.notes.clear();
    }
    if !then.is_empty() {
        say("diagnostics after an equation (names and models of the file)", then, "50 ms, p99 200 ms");
    }
    println!("memory: {:.0} MB", memory());

    let position = |line: usize, character: usize| json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    let timed = |client: &mut Client, method: &str, params: Value| {
        let start = Instant::now();
        let answer = client.request(method, params);
        (start.elapsed().as_secs_f64() * 1e3, answer)
    };
    let mut times = Vec::new();
    for i in 0..keystrokes.min(100) {
        let line = body[(i * 104_729) % body.len()];
        times.push(timed(&mut client, "textDocument/completion", position(line, 0)).0);
        // Once more behind an edit: what is known about classes was forgotten.
        version += 1;
        client.edit(&uri, version, (line as u32, 0), (line as u32, 0), " ");
        client.diagnostics(&uri, version);
        times.push(timed(&mut client, "textDocument/completion", position(line, 0)).0);
    }
    say("completion", times, "50 ms");
    let queries = ["Res", "PID", "Mod", "x", "", "friction", "Modelica.Fluid"];
    let times =
        queries.iter().map(|q| timed(&mut client, "workspace/symbol", json!({"query": q})).0).collect();
    say("workspace symbols", times, "50 ms");
    let mut all = Vec::new();
    for method in ["documentSymbol", "foldingRange", "semanticTokens/full", "codeLens", "formatting"] {
        let (t, _) =
            timed(&mut client, &format!("textDocument/{method}"), json!({"textDocument": {"uri": uri}}));
        all.push(format!("{method} {t:.0} ms"));
    }
    println!("whole file: {}", all.join(", "));

    let icons = root.join("Modelica/Icons.mo");
    if let Ok(text) = std::fs::read_to_string(&icons) {
        let uri = format!("file://{}", icons.display());
        client.open(&uri, &text);
        let line = text.lines().position(|l| l.contains("package InterfacesPackage")).unwrap_or(0);
        let column = text.lines().nth(line).and_then(|l| l.find("InterfacesPackage")).unwrap_or(0);
        let place = json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": column + 2}, "newName": "Renamed"});
        let (t, answer) = timed(&mut client, "textDocument/rename", place.clone());
        let changes = answer["documentChanges"].as_array().map_or(0, Vec::len);
        println!("rename of Icons.InterfacesPackage: {t:.0} ms, {changes} files (asked for: 2000 ms)");
        let line = text.lines().position(|l| l.contains("partial package ExamplesPackage")).unwrap_or(0);
        let column = text.lines().nth(line).and_then(|l| l.find("ExamplesPackage")).unwrap_or(0);
        let place = json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": column + 2}, "newName": "Renamed"});
        let (t, answer) = timed(&mut client, "textDocument/rename", place);
        let changes = answer["documentChanges"].as_array().map_or(0, Vec::len);
        println!("rename of Icons.ExamplesPackage: {t:.0} ms, {changes} files (asked for: 2000 ms)");
    }
    println!("memory: {:.0} MB", memory());
    client.end();
    if random > 0 {
        // Whole checks flatten the models of the file: one of some hundred lines.
        let small = paths.iter().filter(|p| lines(p) > 300).min_by_key(|p| lines(p)).unwrap_or(&path);
        random_edits(&root, small, random);
    }
}

/// Random edits of a file, each analysed in the edited world; now and then compared with a fresh one: all that an editor is told
/// of the text, which is its syntax alone where that is broken.
fn random_edits(root: &Path, path: &Path, count: usize) {
    let name = path.display().to_string();
    let buffers = Buffers::default();
    let places = Places {
        files: Arc::new(|| Box::new(Disk)),
        folders: vec![root.display().to_string()],
        buffers: buffers.clone(),
    };
    let original = std::fs::read_to_string(path).expect("text");
    let mut text = original.clone();
    let mut seed = 1u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n.max(1)
    };
    let pieces = [
        "x", ";", " ", "end", "(", ")", "\"", "1", "model M", "\n", "Real y;", "//", "/*", "equation", ".",
        "extends ",
    ];
    let mut world = World::new(places.clone());
    let interrupt = Arc::new(AtomicBool::new(false));
    let (mut compared, mut different, mut told) = (0, 0, 0);
    let before = memory();
    for i in 0..count {
        // Texts that are nearly right are those people see most.
        if next(4) == 0 {
            text.clone_from(&original);
        }
        let mut at = next(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let kind = next(4);
        if kind == 0 {
            text.insert_str(at, pieces[next(pieces.len())]);
        } else if kind == 1 && lines.len() > 3 {
            // A whole line goes: what is declared or imported in it is missing elsewhere.
            let gone = next(lines.len());
            text = lines.iter().enumerate().filter(|(k, _)| *k != gone).map(|(_, l)| *l).collect();
        } else if kind == 2 {
            // A word becomes another word of the text.
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let words: Vec<&str> = text.split(|c| !word(c)).filter(|w| w.len() > 1).collect();
            let (old, new) = (words[next(words.len())].to_owned(), words[next(words.len())].to_owned());
            text = text.replacen(&old, &new, 1 + next(3));
        } else {
            let mut end = (at + 1 + next(12)).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            text.replace_range(at..end, "");
        }
        buffers.write().expect("lock").insert(name.clone(), text.as_str().into());
        world.change(&name, &text);
        // Texts with broken syntax as well: nobody is told of what is found there, but the world must not be another one.
        if i % (count / 1000).max(1) == 0 {
            let check = |w: &mut World| {
                kausal_lsp::check_file(w, &name, 0, Encoding::Utf8, &interrupt).unwrap_or_default()
            };
            let edited = check(&mut world);
            told += edited.len();
            let fresh = check(&mut World::new(places.clone()));
            compared += 1;
            if edited != fresh {
                different += 1;
                let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.as_str().into());
                println!(
                    "edit {i}: {} diagnostics, {} in a fresh world{}",
                    edited.len(),
                    fresh.len(),
                    if parse.has_errors() { "; its syntax is broken" } else { "" }
                );
                if let Some(folder) = std::env::var_os("KEEP") {
                    let _ = std::fs::write(Path::new(&folder).join(format!("{i}.mo")), &text);
                }
                let only = |a: &[kausal_lsp::Told], b: &[kausal_lsp::Told]| {
                    a.iter().find(|t| !b.contains(t)).cloned()
                };
                println!(
                    "  only edited: {:?}\n  only fresh: {:?}",
                    only(&edited, &fresh),
                    only(&fresh, &edited)
                );
            }
        }
    }
    println!(
        "{count} random edits of {name}, {compared} compared with a fresh world ({told} diagnostics), {different} different; memory {before:.0} to {:.0} MB",
        memory()
    );
}
