//! Models and files that try to do harm, each with what must happen: see `attacks/README.md`.
//!
//! `KAUSAL_ATTACK=words cargo test --test attacks` runs those whose name has the words in it.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What nobody may read.
const SECRET: &str = "SECRET-7f3a";
/// Every attack is over by then, also on a machine that has other things to do.
const LATEST: Duration = Duration::from_secs(100);

/// Functions that touch more than numbers, as the standard library declares them.
const IO: &str = r#"package IO
  impure function show input String s; external "C" ModelicaInternal_print(s, ""); end show;
  impure function print input String s; input String file; external "C" ModelicaInternal_print(s, file); end print;
  function line input String file; output String s; protected Boolean e; algorithm (s, e) := lineOf(file, 1); end line;
  function lineOf input String file; input Integer n; output String s; output Boolean e;
    external "C" s = ModelicaInternal_readLine(file, n, e); end lineOf;
  function count input String file; output Integer n; external "C" n = ModelicaInternal_countLines(file); end count;
  impure function all input String file; protected String s[2]; algorithm s := allOf(file, 2); show(s[1] + s[2]); end all;
  function allOf input String file; input Integer n; output String s[n];
    external "C" ModelicaInternal_readFile(file, s, n); end allOf;
  impure function stat input String name; output Integer n; external "C" n = ModelicaInternal_stat(name); end stat;
  impure function env input String name; output String s; protected Boolean e; algorithm (s, e) := envOf(name, true); end env;
  impure function envOf input String name; input Boolean c; output String s; output Boolean e;
    external "C" ModelicaInternal_getenv(name, c, s, e); end envOf;
  impure function files input String name; output Integer n; external "C" n = ModelicaInternal_getNumberOfFiles(name); end files;
  impure function name input String folder; output String s; protected String names[1]; algorithm names := namesOf(folder, 1);
    s := names[1]; end name;
  impure function namesOf input String folder; input Integer n; output String s[n];
    external "C" ModelicaInternal_readDirectory(folder, n, s); end namesOf;
  function rows input String file; input String name; output Integer n; protected Integer size[2];
    algorithm size := sizes(file, name); n := size[1]; end rows;
  function sizes input String file; input String name; output Integer n[2];
    external "C" ModelicaIO_readMatrixSizes(file, name, n); end sizes;
  impure function matrix input String file; input String name; input Real a[:, :]; input Boolean append;
    protected Boolean b; algorithm b := written4(file, name, a, append, "4"); end matrix;
  impure function written4 input String file; input String name; input Real a[:, :]; input Boolean append; input String v;
    output Boolean b; external "C" b = ModelicaIO_writeRealMatrix(file, name, a, size(a, 1), size(a, 2), append, v); end written4;
  impure function written input String file; output Integer n; algorithm print("x", file); n := 1; end written;
  impure function copy input String a; input String b; external "C" ModelicaInternal_copyFile(a, b); end copy;
  impure function remove input String a; external "C" ModelicaInternal_removeFile(a); end remove;
  impure function move input String a; input String b; external "C" ModelicaInternal_rename(a, b); end move;
  impure function mkdir input String a; external "C" ModelicaInternal_mkdir(a); end mkdir;
  impure function rmdir input String a; external "C" ModelicaInternal_rmdir(a); end rmdir;
  impure function chdir input String a; external "C" ModelicaInternal_chdir(a); end chdir;
  impure function setenv input String a; input String b; algorithm setenvOf(a, b, true); end setenv;
  impure function setenvOf input String a; input String b; input Boolean c; external "C" ModelicaInternal_setenv(a, b, c); end setenvOf;
  impure function temporary output String s; external "C" s = ModelicaInternal_temporaryFileName(); end temporary;
  impure function system input String s; protected Integer n; algorithm n := systemOf(s); end system;
  impure function systemOf input String s; output Integer n; external "C" n = system(s); end systemOf;
  impure function exit input Integer n; external "C" exit(n); end exit;
  function full input String s; output String t; external "C" t = ModelicaInternal_fullPathName(s); end full;
  function resource input String s; output String t; external "C" t = ModelicaInternal_fullPathName(s); end resource;
  function length input String s; output Integer n; external "C" n = ModelicaStrings_length(s); end length;
end IO;
"#;

#[derive(Default)]
struct Attack {
    name: String,
    place: String,
    files: Vec<(String, String)>,
    with: Vec<String>,
    run: Option<Vec<String>>,
    more: Vec<String>,
    /// None: any of 0 and 1.
    exit: Option<i32>,
    says: Vec<String>,
    not: Vec<String>,
    makes: Vec<(String, String)>,
    changes: Vec<String>,
}

/// `\n`, `\r`, `\e`, `\u202e`, and `<<3*ab>>` for `ababab`.
fn expanded(text: &str, in_model: bool) -> String {
    let mut text = text.replace("\\e", "\u{1b}").replace("\\u202e", "\u{202e}");
    if !in_model {
        text = text.replace("\\n", "\n");
    }
    while let Some(begin) = text.find("<<") {
        let end = begin + text[begin..].find(">>").expect("<<3*ab>>");
        let (count, what) = text[begin + 2..end].split_once('*').expect("<<3*ab>>");
        let whole = what.repeat(count.parse().expect("a number"));
        text.replace_range(begin..end + 2, &whole);
    }
    text
}

fn attacks() -> Vec<Attack> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "txt"));
    files.sort();
    let mut attacks: Vec<Attack> = Vec::new();
    for file in files {
        let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let place = format!("{stem}.txt:{}", number + 1);
            if let Some(name) = line.strip_prefix('[') {
                let name = name.trim_end_matches(']').to_owned();
                attacks.push(Attack { name, place, exit: Some(1), ..Attack::default() });
                continue;
            }
            if line.is_empty() {
                continue;
            }
            let attack = attacks.last_mut().expect("an attack begins with its name");
            let (key, value) = line.split_once(": ").unwrap_or_else(|| panic!("{place}: {line}"));
            let words = || value.split(' ').map(str::to_owned).collect::<Vec<String>>();
            match key {
                "do" => {
                    let model = format!(
                        "model A\n  constant Real one = Lib.one;\nalgorithm\n  when initial() then\n    {value}\n  end when;\nend A;\n"
                    );
                    attack.files.push(("models/A.mo".into(), expanded(&model, true)));
                }
                "in" => attack
                    .files
                    .push(("models/A.mo".into(), expanded(&format!("model A\n  {value}\nend A;\n"), true))),
                "with" => attack.with.push(value.to_owned()),
                "run" => attack.run = Some(words()),
                "more" => attack.more = words(),
                "exit" => attack.exit = if value == "any" { None } else { Some(value.parse().unwrap()) },
                "says" => attack.says.push(value.to_owned()),
                "not" => attack.not.push(value.to_owned()),
                "makes" => {
                    let (file, text) = value.split_once(' ').expect("a file and what is in it");
                    attack.makes.push((file.to_owned(), text.to_owned()));
                }
                "changes" => attack.changes.push(value.to_owned()),
                _ => {
                    let name = key.strip_prefix("file ").unwrap_or_else(|| panic!("{place}: {line}"));
                    attack.files.push((expanded(name, false), expanded(value, false)));
                }
            }
        }
    }
    attacks
}

/// Something that is no text, by name.
fn fixture(work: &Path, what: &str) {
    let words: Vec<&str> = what.split(' ').collect();
    let at = |name: &str| work.join(name);
    match words[..] {
        ["folder", name] => fs::create_dir_all(at(name)).unwrap(),
        ["link", name, target] => std::os::unix::fs::symlink(target, at(name)).unwrap(),
        ["hard", name, target] => {
            if !at(target).exists() {
                fs::write(at(target), "").unwrap();
            }
            fs::hard_link(at(target), at(name)).unwrap();
        }
        ["pipe", name] => {
            assert!(Command::new("mkfifo").arg(at(name)).status().unwrap().success());
        }
        ["socket", name] => {
            // Paths of sockets are short: it is made here and moved.
            let short = tempfile::tempdir_in("/tmp").unwrap();
            let socket = short.path().join("s");
            drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
            fs::rename(socket, at(name)).unwrap();
        }
        ["picture", name] => fs::write(at(name), [b"\x89PNG\r\n\x1a\n", SECRET.as_bytes()].concat()).unwrap(),
        ["bytes", name] => fs::write(at(name), b"model B \xff\xfe end B;").unwrap(),
        ["huge", name] => fs::write(at(name), level_4("a", 0x7fff_ffff, 0x7fff_ffff, &[0; 16])).unwrap(),
        ["bomb", name] => fs::write(at(name), zlib_bomb()).unwrap(),
        ["columns", name] => {
            fs::write(at(name), b"PAR1\x15\x02\x19\xfc\xff\xff\xff\x7f\x0c\x00\x00\x00PAR1").unwrap()
        }
        _ => panic!("{what}"),
    }
}

/// A matrix of doubles in a MAT file of level 4.
fn level_4(name: &str, rows: i32, columns: i32, data: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for field in [0, rows, columns, 0, name.len() as i32 + 1] {
        out.extend(field.to_le_bytes());
    }
    out.extend(name.as_bytes());
    out.push(0);
    out.extend(data);
    out
}

/// A MAT file of version 7 whose only element is 258 MB of zeros, compressed to 1.6 MB: fixed codes, a zero, then copies of 258.
fn zlib_bomb() -> Vec<u8> {
    let mut bits: Vec<u8> = Vec::new();
    let mut push = |value: u32, count: u32| (0..count).for_each(|i| bits.push((value >> i & 1) as u8));
    let code =
        |value: u32, count: u32| (0..count).rev().fold(0, |out, i| out | (value >> i & 1) << (count - 1 - i));
    push(1, 1);
    push(1, 2);
    push(code(0x30, 8), 8);
    // Length 258 is code 285: eight bits from 192 on for 280; distance 1 is five zeros.
    for _ in 0..1_000_000 {
        push(code(0xc0 + 5, 8), 8);
        push(0, 5);
    }
    push(0, 7);
    let mut data = vec![0x78, 0x9c];
    data.extend(bits.chunks(8).map(|byte| byte.iter().enumerate().fold(0, |out, (i, bit)| out | bit << i)));
    let mut out = vec![b' '; 124];
    out.extend([0, 1, b'I', b'M']);
    out.extend(15u32.to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

/// All files below a folder with their content; links, pipes and the like by what they are.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            let name = path.strip_prefix(folder).unwrap().to_owned();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                found.insert(name, fs::read(&path).unwrap());
            } else {
                found.insert(name, format!("{kind:?} {:?}", fs::read_link(&path).ok()).into_bytes());
            }
        }
    }
    found
}

/// What went wrong, if anything.
fn attempt(attack: &Attack) -> Result<(), String> {
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path().canonicalize().unwrap();
    let work = scratch.join("work");
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(scratch.join("home/secret.txt"), SECRET);
    write(scratch.join("home/secret.mat"), SECRET);
    write(scratch.join("home/own.mo"), "model Own   Real x=time;end Own;");
    write(scratch.join("home/secret.png"), &format!("\u{89}PNG\r\n\u{1a}\n{SECRET}"));
    for (name, text) in [
        ("notes.txt", "notes of the user\n"),
        ("data.csv", "time,x\n0,1\n"),
        ("package.json", "{\"name\": \"mine\"}"),
        ("CMakeLists.txt", "project(mine)"),
        (".config/settings.json", "{}"),
        ("models/own.txt", "own words\n"),
        ("lib/IO.mo", IO),
        ("lib/Lib/package.mo", "package Lib constant Real one = 1; end Lib;"),
        ("lib/Lib/Resources/data.txt", "words of the library\n"),
    ] {
        write(work.join(name), text);
    }
    attack.with.iter().filter(|w| w.starts_with("folder")).for_each(|what| fixture(&work, what));
    for (name, text) in &attack.files {
        write(work.join(name), text);
    }
    attack.with.iter().filter(|w| !w.starts_with("folder")).for_each(|what| fixture(&work, what));
    let before = content(&scratch);

    let mut arguments = attack.run.clone().unwrap_or_else(|| vec!["simulate".into(), "models/A.mo".into()]);
    let of_models = [
        "check",
        "flatten",
        "translate",
        "explain",
        "simulate",
        "sweep",
        "linearize",
        "export",
        "doc",
        "draw",
    ];
    if of_models.contains(&arguments[0].as_str()) {
        arguments.extend(["--library".into(), "lib".into()]);
    }
    if !attack.more.contains(&"--timeout".to_owned()) {
        arguments.extend(["--timeout".into(), "60".into()]);
    }
    arguments.extend(attack.more.clone());
    let begin = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_kausal"))
        .current_dir(&work)
        .env_remove("MODELICAPATH")
        .env("HOME", scratch.join("home"))
        .stdin(Stdio::null())
        .args(&arguments)
        .output()
        .unwrap();
    let took = begin.elapsed();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));

    let mut wrong = String::new();
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            let _ = writeln!(wrong, "  {what}");
        }
    };
    if let Some(signal) = output.status.signal() {
        expect(false, &format!("it was ended by signal {signal}"));
    }
    let code = output.status.code().unwrap_or(-1);
    match attack.exit {
        Some(exit) => expect(code == exit, &format!("exit code {code} instead of {exit}")),
        None => expect(code == 0 || code == 1, &format!("exit code {code}")),
    }
    expect(took < LATEST, &format!("it took {took:?}"));
    expect(!said.contains("panicked"), "it panicked");
    expect(!said.contains(SECRET), "the secret was printed");
    let is_control = |c: char| c.is_control() && c != '\n' && c != '\t';
    expect(!said.contains(is_control), "it printed characters that control a terminal");
    for words in &attack.says {
        expect(said.contains(words.as_str()), &format!("it does not say: {words}"));
    }
    for words in &attack.not {
        expect(!said.contains(words.as_str()), &format!("it says: {words}"));
    }
    let after = content(&scratch);
    for (file, text) in &before {
        let name = file.strip_prefix("work").unwrap_or(file).to_string_lossy().into_owned();
        let may = attack.changes.contains(&name) || attack.makes.iter().any(|(made, _)| *made == name);
        // An output of the run may have been there before.
        expect(may || after.get(file) == Some(text), &format!("{} has changed", file.display()));
    }
    for (file, bytes) in &after {
        let name = file.strip_prefix("work").unwrap_or(file).to_string_lossy().into_owned();
        let beside = |made: &str| {
            made.rsplit_once('/').is_some_and(|(folder, _)| name.starts_with(&format!("{folder}/")))
        };
        let expected =
            before.contains_key(file) || attack.makes.iter().any(|(made, _)| *made == name || beside(made));
        expect(expected, &format!("{} was made", file.display()));
        let kept = before.contains_key(file) || !String::from_utf8_lossy(bytes).contains(SECRET);
        expect(kept, &format!("{} has the secret", file.display()));
    }
    for (name, text) in &attack.makes {
        let made = after.get(&Path::new("work").join(name)).map(|b| String::from_utf8_lossy(b).into_owned());
        expect(made.is_some_and(|t| t.contains(text.as_str())), &format!("{name} does not have: {text}"));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let shown: String = said.chars().take(1500).collect();
    Err(format!("{} [{}]: kausal {}\n{wrong}{shown}\n", attack.place, attack.name, arguments.join(" ")))
}

#[test]
fn all_hold() {
    let mut attacks = attacks();
    assert!(attacks.len() >= 120, "{} attacks", attacks.len());
    if let Ok(words) = std::env::var("KAUSAL_ATTACK") {
        attacks.retain(|attack| attack.name.contains(&words) || attack.place.contains(&words));
    }
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            while let Some(attack) = attacks.get(next.fetch_add(1, Ordering::Relaxed)) {
                failures.extend(attempt(attack).err());
            }
            failures
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{} of {} attacks:\n{}", failures.len(), attacks.len(), failures.join("\n"));
}
