//! `kausal parse` on good and bad files, folders and links: what it says, and with which exit code.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

const GOOD: &str = "model Good\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend Good;\n";

fn kausal(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kausal"));
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with files in it; folders on the way are made.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// What `kausal parse --json` says; the exit code is 1 exactly if there are errors.
fn json(folder: &Path, paths: &[&str]) -> Value {
    let output = kausal(folder, &[&["parse", "--json"], paths].concat());
    assert_eq!(stderr(&output), "");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object on stdout");
    let errors = report["errors"].as_u64().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(errors > 0)), "{report}");
    report
}

fn codes(report: &Value) -> Vec<&str> {
    report["diagnostics"].as_array().unwrap().iter().map(|d| d["code"].as_str().unwrap()).collect()
}

/// `files` were read, among them `classes` classes, and these codes came out.
fn check(folder: &Path, paths: &[&str], files: u64, classes: u64, expected: &[&str]) -> Value {
    let report = json(folder, paths);
    assert_eq!(codes(&report), expected, "{report}");
    assert_eq!((&report["files"], &report["classes"]), (&files.into(), &classes.into()), "{report}");
    report
}

#[test]
fn a_good_tree() {
    let f = folder(&[
        ("P/package.mo", "package P\n  constant Real c = 1;\nend P;\n"),
        ("P/package.order", "c\nA\nQ\n"),
        ("P/A.mo", "within P;\nmodel A\n  model Inner\n  end Inner;\nend A;\n"),
        ("P/Q/package.mo", "\u{feff}within P;\r\npackage Q\r\nend Q;\r\n"),
        ("P/Q/notes.txt", "no model"),
        ("R.dym", "model R\n  cut p (V / i)\n  V = 0\nend\n"),
    ]);
    let report = check(f.path(), &["."], 4, 5, &[]);
    let object = report.as_object().unwrap();
    let keys: Vec<&str> = object.keys().map(String::as_str).collect();
    for key in ["files", "bytes", "classes", "errors", "seconds", "diagnostics"] {
        assert!(keys.contains(&key), "{key} in {keys:?}");
    }
    let size = |name: &str| std::fs::metadata(f.path().join(name)).unwrap().len();
    let bytes: u64 = ["P/package.mo", "P/A.mo", "P/Q/package.mo", "R.dym"].into_iter().map(size).sum();
    assert_eq!(report["bytes"], bytes);

    let output = kausal(f.path(), &["parse", "P", "R.dym"]);
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with(&format!("4 files, {bytes} bytes, 5 classes, 0 errors, ")), "{text}");
}

#[test]
fn several_errors_with_their_places() {
    let broken = "model A\n  Real x\n  Real y;\nequation\n  x := 3;\n  y = 2;\nend B;\n";
    let f = folder(&[("A.mo", broken), ("Good.mo", GOOD)]);
    let report = check(f.path(), &["A.mo", "Good.mo"], 2, 2, &["K0102", "K0110", "K0114"]);
    let label = &report["diagnostics"][1]["labels"][0];
    assert_eq!(label["file"], "A.mo");
    let place = ["line", "column", "end_line", "end_column"].map(|key| label[key].as_u64().unwrap());
    assert_eq!(place, [5, 5, 5, 7]);

    let output = kausal(f.path(), &["parse", "A.mo", "Good.mo"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("error[K0102]: missing `;`\n --> A.mo:2:9\n"), "{text}");
    assert!(text.contains(" --> A.mo:5:5\n  |\n5 |   x := 3;\n  |     ^^ write `=`\n"), "{text}");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("2 files, "));
}

#[test]
fn junk_and_empty_files_are_one_error_each() {
    let f =
        folder(&[("Good.mo", GOOD), ("empty.mo", ""), ("empty.dym", " \n"), ("zero.mo", "\0\u{1}\u{2}\0")]);
    // All bytes there are, many times over: no valid UTF-8.
    let junk: Vec<u8> = (0..100_000_u32).map(|i| (i.wrapping_mul(i) % 251 + i) as u8).collect();
    std::fs::write(f.path().join("junk.mo"), &junk).unwrap();
    std::fs::write(f.path().join("junk.dym"), &junk).unwrap();
    let report = check(f.path(), &["."], 6, 1, &["K0903", "K0903", "K0902", "K0902", "K0131"]);
    let message = report["diagnostics"][2]["message"].as_str().unwrap();
    assert!(message.contains("junk.dym is not UTF-8 text"), "{message}");
}

#[test]
fn deep_nesting_is_one_error() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    for (open, close) in [("(", ")"), ("[", "]")] {
        let f = folder(&[
            ("a.mo", &format!("model A\n  Real x = {};\nend A;\n", deep(open, close))),
            ("b.dym", &format!("model B\n  local x\n  x = {}\nend\n", deep(open, close))),
            ("c.mo", GOOD),
        ]);
        check(f.path(), &["."], 3, 3, &["K0120", "K0161"]);
    }
}

#[test]
fn what_is_not_there_is_an_error_and_the_rest_is_read() {
    let f = folder(&[("Good.mo", GOOD), ("nothing/notes.txt", "")]);
    let report = check(f.path(), &["no.mo", "Good.mo", "no/folder"], 1, 1, &["K0901", "K0901"]);
    let message = report["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("cannot read no.mo: "), "{message}");
    check(f.path(), &["no.mo", "nothing"], 0, 0, &["K0901", "K0906"]);
}

#[test]
fn a_folder_may_be_called_like_a_file() {
    let f = folder(&[("x.mo/Good.mo", GOOD), ("y.mo", GOOD)]);
    check(f.path(), &["."], 2, 2, &[]);
    check(f.path(), &["x.mo"], 1, 1, &[]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_are_errors() {
    use std::os::unix::fs::symlink;
    let f = folder(&[("a/Good.mo", GOOD), ("b/Good.mo", GOOD)]);
    symlink(".", f.path().join("a/again")).unwrap();
    symlink("self", f.path().join("a/self")).unwrap();
    symlink("gone.mo", f.path().join("a/dangling.mo")).unwrap();
    symlink("nowhere", f.path().join("a/nowhere.txt")).unwrap();
    let report = check(f.path(), &["."], 2, 2, &["K0901", "K0901", "K0904"]);
    let message = report["diagnostics"][2]["message"].as_str().unwrap();
    assert!(message.contains("a/again is a link to a folder it lies in"), "{message}");
}

/// Every folder has a link to every other one: there are more ways through them than can be gone.
#[cfg(unix)]
#[test]
fn a_web_of_links_is_read_once() {
    let f = tempfile::tempdir().unwrap();
    for i in 0..12 {
        let inside = f.path().join(format!("f{i}"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(inside.join("Good.mo"), GOOD).unwrap();
        for j in 0..12 {
            std::os::unix::fs::symlink(format!("../f{j}"), inside.join(format!("to{j}"))).unwrap();
        }
    }
    let report = json(f.path(), &["."]);
    assert_eq!((&report["files"], &report["classes"]), (&12.into(), &12.into()));
    // One link of each folder leads to the folder itself.
    assert_eq!(codes(&report), ["K0904"; 12]);
}

/// Nobody writes into the pipe: reading it would never end.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_a_file() {
    let f = folder(&[("Good.mo", GOOD)]);
    let made = Command::new("mkfifo").arg(f.path().join("pipe.mo")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    check(f.path(), &["."], 2, 1, &["K0901"]);
    check(f.path(), &["pipe.mo"], 1, 0, &["K0901"]);
    let output = kausal(f.path(), &["simulate", "pipe.mo"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("not a file"), "{}", stderr(&output));
}

/// Permissions mean nothing to root; then there is nothing to see here.
#[cfg(unix)]
#[test]
fn an_unreadable_file_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let f = folder(&[("Good.mo", GOOD), ("locked.mo", GOOD)]);
    let locked = f.path().join("locked.mo");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&locked).is_ok() {
        return;
    }
    check(f.path(), &["."], 2, 1, &["K0901"]);
}

#[test]
fn classic_files_of_a_folder_belong_together() {
    let parts = "model class Part\n  cut p (V / i)  n (W / -i)\n  main path P <p - n>\n  V - W = i\nend\n";
    let circuit = "model Circuit\n  submodel (Part) A B\n  connect Common - A - B - Common\nend\n";
    let f = folder(&[("one/circuit.dym", circuit), ("one/parts.dym", parts), ("two/circuit.dym", circuit)]);
    check(f.path(), &["one"], 2, 2, &[]);
    check(f.path(), &["one/parts.dym", "one/circuit.dym"], 2, 2, &[]);
    let report = json(f.path(), &["."]);
    let diagnostics = report["diagnostics"].as_array().unwrap();
    assert!(!diagnostics.is_empty());
    for diagnostic in diagnostics {
        assert_eq!(diagnostic["labels"][0]["file"], "./two/circuit.dym", "{diagnostic}");
    }
}

#[test]
fn package_order_names_what_is_there() {
    let f = folder(&[
        ("package.mo", "package P\nend P;\n"),
        ("A.mo", "within P;\nmodel A\nend A;\n"),
        ("package.order", "A\nGone\n"),
    ]);
    let report = check(f.path(), &["."], 2, 2, &["K0905"]);
    assert_eq!(report["diagnostics"][0]["severity"], "warning");
    assert_eq!(report["diagnostics"][0]["labels"][0]["line"], 2);
    std::fs::write(f.path().join("package.order"), b"A\n\xff\xfe\n").unwrap();
    check(f.path(), &["."], 2, 2, &["K0902"]);
}

/// A hundred messages about a file of megabytes take no longer than a hundred about a short one, nearly.
#[test]
fn many_errors_in_a_large_file_are_shown_quickly() {
    let text = format!("model M\n{}end M;\n", "  Real x\n".repeat(300_000));
    let f = folder(&[("M.mo", &text)]);
    let start = Instant::now();
    let output = kausal(f.path(), &["parse", "M.mo"]);
    assert_eq!(output.status.code(), Some(1));
    // Less than a second; with the whole text for every message it was twenty, and a minute without optimisation.
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    assert!(stderr(&output).contains("M.mo:50:9"));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let f = folder(&[]);
    for arguments in [&["parse"][..], &["parse", "--nonsense", "x.mo"], &["pars", "x.mo"], &[]] {
        let output = kausal(f.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("Usage: kausal"), "{}", stderr(&output));
    }
}

/// Classes of the built-in classic library are known to files in that notation.
#[test]
fn classic_files_know_the_library() {
    let text = "model Circuit\n  submodel (Resistor) R (R = 10)\n  connect Common - R - Common\nend\n";
    let folder = folder(&[("circuit.dym", text), ("other.dym", "model Other\n  submodel (Nobody) N\nend\n")]);
    assert_eq!(json(folder.path(), &["circuit.dym"])["errors"], 0);
    assert_eq!(json(folder.path(), &["other.dym"])["diagnostics"][0]["code"], "K0165");
}
