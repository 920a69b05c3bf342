//! The guide is true: every page of `docs/src` is worked through as a reader would, in a folder of its own.
//!
//! - A block of `modelica`, `dym` or `c` that begins with a comment that names a file (`// First.mo`) is written to that file;
//!   one without is part of a model the reader has seen: of the page, the tutorial or the library.
//! - In a block of `console`, lines after `$ ` are commands, run by a shell that finds `kausal`; what follows is what they
//!   print. `…` alone on a line stands for any lines, within one for any words; counts that change with every
//!   improvement of the solver, and times, are not compared. `console,fails` has commands that end with an error.
//! - A picture is one of the files that a command of the page wrote.
//! - Blocks of `python` and `octave` are run where those programs are there.
//! - `sh` is what a test cannot do: building and installing. It is on the page about that only.
//!
//! `KAUSAL_GUIDE=write cargo test -p kausal-cli --test guide` writes the pictures, the command reference, and what the
//! commands print (where the page has no `…`) into the guide.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn guide() -> PathBuf {
    root().join("docs/src")
}

fn writes() -> bool {
    std::env::var("KAUSAL_GUIDE").is_ok_and(|v| v == "write")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The pages of the guide, in the order of its summary: titles and files.
fn pages() -> Vec<(String, String)> {
    let summary = read(&guide().join("SUMMARY.md"));
    let links: Vec<(String, String)> = summary.lines().flat_map(links).collect();
    assert!(links.len() >= 10, "{links:?}");
    links
}

/// The links of a line: words and where they lead.
fn links(line: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(middle) = rest.find("](") {
        let Some(end) = rest[middle..].find(')') else { break };
        let words = rest[..middle].rfind('[').map_or("", |start| &rest[start + 1..middle]);
        found.push((words.to_owned(), rest[middle + 2..middle + end].to_owned()));
        rest = &rest[middle + end..];
    }
    found
}

/// A block between fences: where it begins, what the fence says, its lines.
struct Block {
    line: usize,
    kind: String,
    lines: Vec<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for (i, line) in text.lines().enumerate() {
        match (inside, line.strip_prefix("```")) {
            (false, Some(kind)) => {
                blocks.push(Block { line: i + 1, kind: kind.to_owned(), lines: Vec::new() });
                inside = true;
            }
            (true, Some(_)) => inside = false,
            (true, None) => blocks.last_mut().expect("there is one").lines.push(line.to_owned()),
            (false, None) => {}
        }
    }
    assert!(!inside, "a block has no end");
    blocks
}

/// Runs a command of the guide in a shell that finds the program.
fn shell(folder: &Path, command: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_kausal"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().expect("a folder").display());
    Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", path)
        .env("COLUMNS", "100")
        .env_remove("MODELICAPATH")
        .env_remove("NO_COLOR")
        .output()
        .expect("a shell")
}

/// What a command said.
fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&text).trim_matches('\n').trim_end().to_owned()
}

/// Words whose number before them depends on details of the numerics or on the machine.
const VARIES: [&str; 11] = [
    "steps,",
    "step,",
    "evaluation,",
    "evaluations,",
    "mul,",
    "add,",
    "add",
    "s",
    "Jacobians,",
    "rejected",
    "Newton",
];

/// A line with numbers that vary replaced, and without the dots of a curve.
fn masked(line: &str) -> String {
    let is_dots = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
    let line = line.split_once(is_dots).map_or(line, |(axis, _)| axis);
    let words: Vec<&str> = line.split(' ').collect();
    let mut out = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let next = words[i + 1..].iter().find(|w| !w.is_empty()).copied().unwrap_or_default();
        let number = word.trim_end_matches(',').parse::<f64>().is_ok();
        let last = i.checked_sub(1).map_or("", |k| words[k]);
        out.push(if number && (VARIES.contains(&next) || last == "price") { "#" } else { word });
    }
    out.join(" ").trim_end().to_owned()
}

/// Does a line read as wanted? `…` in it stands for anything.
fn line_matches(wanted: &str, line: &str) -> bool {
    let (wanted, line) = (masked(wanted), masked(line));
    let mut parts = wanted.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        let Some(at) = (if part.is_empty() { Some(rest.len()) } else { rest.find(part) }) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    rest.is_empty() || last.is_some_and(|part| !part.is_empty() && line.ends_with(part))
}

/// Do lines read as wanted? A line `…` stands for any number of lines.
fn matches(wanted: &[String], lines: &[&str]) -> bool {
    match wanted.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => (0..=lines.len()).any(|n| matches(rest, &lines[n..])),
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && matches(rest, others)),
    }
}

/// A page being worked through.
struct Reader {
    page: String,
    folder: tempfile::TempDir,
    /// All texts a reader has seen so far, without white space.
    seen: Vec<String>,
    failures: Vec<String>,
    /// What the page should say, for writing it anew.
    written: Vec<(usize, Vec<String>, Vec<String>)>,
}

fn condensed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

impl Reader {
    fn fail(&mut self, line: usize, what: impl Into<String>) {
        self.failures.push(format!("{}:{line}: {}", self.page, what.into()));
    }

    /// A model: a file, or a part of one the reader knows.
    fn model(&mut self, block: &Block) {
        let text = block.lines.join("\n") + "\n";
        let first = block.lines.first().map(String::as_str).unwrap_or_default();
        let name = first.trim_start_matches(['/', '{', ' ']).trim_end_matches(['}', ' ']);
        let is_file = [".mo", ".dym", ".c"].iter().any(|ending| name.ends_with(ending));
        if is_file && !name.contains(' ') {
            std::fs::write(self.folder.path().join(name), &text).expect("a file");
            self.seen.push(condensed(&text));
            return;
        }
        let part = condensed(&text);
        if !self.seen.iter().any(|seen| seen.contains(&part)) {
            self.fail(block.line, "this model is neither a file nor a part of one");
        }
    }

    fn console(&mut self, block: &Block) {
        let fails = block.kind.contains("fails");
        let starts: Vec<usize> =
            block.lines.iter().enumerate().filter(|(_, l)| l.starts_with("$ ")).map(|(i, _)| i).collect();
        if starts.first() != Some(&0) {
            self.fail(block.line, "a block of commands begins with one");
        }
        let mut fresh = Vec::new();
        for (k, &start) in starts.iter().enumerate() {
            let end = starts.get(k + 1).copied().unwrap_or(block.lines.len());
            let command = &block.lines[start][2..];
            let mut wanted = block.lines[start + 1..end].to_vec();
            while wanted.last().is_some_and(|l| l.trim().is_empty()) {
                wanted.pop();
            }
            let output = shell(self.folder.path(), command);
            let text = said(&output);
            let lines: Vec<&str> = if text.is_empty() { Vec::new() } else { text.lines().collect() };
            let at = block.line + 1 + start;
            if output.status.success() == fails {
                self.fail(at, format!("`{command}` ends with {}:\n{text}", output.status));
            } else if !matches(&wanted, &lines) && !writes() {
                self.fail(at, format!("`{command}` prints\n{text}\n--- and not\n{}", wanted.join("\n")));
            }
            fresh.push(block.lines[start].clone());
            if wanted.iter().any(|l| l.trim() == "…") || matches(&wanted, &lines) {
                fresh.extend(block.lines[start + 1..end].iter().cloned());
            } else {
                fresh.extend(lines.iter().map(|l| l.trim_end().to_owned()));
            }
        }
        self.written.push((block.line, block.lines.clone(), fresh));
    }

    /// A script, where there is something to run it.
    fn script(&mut self, block: &Block, program: &str, arguments: &[&str]) {
        let text = block.lines.join("\n");
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(arguments).arg(&text).env("MPLBACKEND", "agg");
        match command.output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let said = said(&output);
                if said.contains("No module named") {
                    eprintln!("skipped: {program}: {}", said.lines().last().unwrap_or_default());
                } else {
                    self.fail(block.line, said);
                }
            }
            Err(_) => eprintln!("skipped: there is no {program}"),
        }
    }

    /// Files that were copied or written by commands are known from then on.
    fn look_around(&mut self) {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder");
        for path in entries.filter_map(|e| Some(e.ok()?.path())) {
            if path.extension().is_some_and(|e| e == "mo" || e == "dym") {
                self.seen.push(condensed(&read(&path)));
            }
        }
    }

    /// A picture of the page is what a command wrote, as far as its words and its curves go.
    fn picture(&mut self, line: usize, target: &str) {
        let Some(name) = target.strip_prefix("pictures/") else {
            self.fail(line, format!("{target}: pictures stand in pictures/"));
            return;
        };
        // Pictures of the studio are made in a browser, by `studio/check --pictures`.
        if name.starts_with("studio-") && name.ends_with(".png") {
            match std::fs::metadata(guide().join(target)) {
                Ok(file) if file.len() <= 300_000 => {}
                Ok(file) => self.fail(line, format!("{target} has {} bytes", file.len())),
                Err(_) => self.fail(line, format!("{target} is missing: studio/check --pictures makes it")),
            }
            return;
        }
        let made = self.folder.path().join(name);
        if !made.exists() {
            self.fail(line, format!("no command of the page makes {name}"));
            return;
        }
        let kept = guide().join(target);
        if writes() {
            std::fs::create_dir_all(guide().join("pictures")).expect("a folder");
            std::fs::copy(&made, &kept).expect("a copy");
        }
        let (made, kept) = (read(&made), std::fs::read_to_string(&kept).unwrap_or_default());
        let drawn = |text: &str| -> Vec<String> {
            text.lines().filter(|l| l.starts_with("<text")).map(str::to_owned).collect()
        };
        if drawn(&made) != drawn(&kept) {
            self.fail(line, format!("{target} is not what the program draws now"));
        }
        if kept.len() > 100_000 {
            self.fail(line, format!("{target} has {} bytes", kept.len()));
        }
    }
}

fn library() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("library"), root().join("examples")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").filter_map(|e| Some(e.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "mo" || e == "dym") {
                found.push(condensed(&read(&path)));
            }
        }
    }
    found
}

/// Works through a page; what is wrong with it.
fn work_through(page: &str) -> Vec<String> {
    let path = guide().join(page);
    let text = read(&path);
    let mut reader = Reader {
        page: page.to_owned(),
        folder: tempfile::tempdir().expect("a folder"),
        seen: library(),
        failures: Vec::new(),
        written: Vec::new(),
    };
    for block in blocks(&text) {
        match block.kind.split([',', ' ']).next().unwrap_or_default() {
            "modelica" | "dym" | "c" => reader.model(&block),
            "console" => reader.console(&block),
            // Run by `python/tests/test_guide.py`, where the package is installed.
            "python" | "sh" if page == "python.md" => {}
            // FMPy is somebody else's: `bench/fmi/compare.py` does what the page says, where it is installed.
            "python" if page == "fmi-export.md" || page == "fmi-import.md" => {}
            // Settings of editors: editors/check runs the server with the one that is installed.
            "lua" | "toml" | "elisp" if page == "editor.md" => {}
            "python" => reader.script(&block, &std::env::var("PYTHON").unwrap_or("python3".into()), &["-c"]),
            "octave" => reader.script(&block, "octave-cli", &["--no-gui", "--no-history", "--eval"]),
            "sh" if page == "install.md" => {}
            // A documentation test of the crate kausal.
            "rust" if page == "rust.md" => {}
            "text" => {}
            other => reader.fail(block.line, format!("blocks of {other:?} are not checked")),
        }
        reader.look_around();
    }
    for (i, line) in text.lines().enumerate() {
        if line.contains("![") {
            for (_, target) in links(line) {
                reader.picture(i + 1, &target);
            }
        }
    }
    if writes() {
        let mut text = text;
        for (_, old, new) in &reader.written {
            text = text.replacen(&old.join("\n"), &new.join("\n"), 1);
        }
        std::fs::write(&path, text).expect("the page");
    }
    reader.failures
}

macro_rules! pages {
    ($($name:ident: $page:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                let failures = work_through($page);
                assert!(failures.is_empty(), "{}", failures.join("\n\n"));
            }
        )*

        /// Every page of the summary is worked through here, and every page is in the summary.
        #[test]
        fn all_pages_are_here() {
            let tested: BTreeSet<String> = [$($page),*].map(str::to_owned).into_iter().collect();
            let listed: BTreeSet<String> =
                pages().into_iter().map(|(_, file)| file).filter(|f| !f.starts_with("../")).collect();
            assert_eq!(tested, listed);
            let files = std::fs::read_dir(guide()).expect("the guide").filter_map(|e| e.ok()?.file_name().into_string().ok());
            let files: BTreeSet<String> = files.filter(|f| f.ends_with(".md") && f != "SUMMARY.md").collect();
            assert_eq!(files, listed);
        }
    };
}

pages! {
    introduction: "introduction.md",
    install: "install.md",
    first_model: "first-model.md",
    components: "components.md",
    tutorial: "tutorial.md",
    hybrid: "hybrid.md",
    initialisation: "initialisation.md",
    inputs: "inputs.md",
    sweep: "sweep.md",
    linearize: "linearize.md",
    studio: "studio.md",
    python: "python.md",
    clocked: "clocked.md",
    editor: "editor.md",
    format: "format.md",
    states: "states.md",
    lint: "lint.md",
    stored: "stored.md",
    fmi_export: "fmi-export.md",
    fmi_import: "fmi-import.md",
    permissions: "permissions.md",
    report: "report.md",
    singular: "singular.md",
    audit: "audit.md",
    drawing: "drawing.md",
    tearing: "tearing.md",
    inline_integration: "inline.md",
    real_time: "real-time.md",
    classic: "classic.md",
    external: "external.md",
    library_page: "library.md",
    results: "results.md",
    rust: "rust.md",
    commands: "commands.md",
    diagnostics: "diagnostics.md",
}

/// Links inside the guide lead somewhere, also to headings; pages begin with a title.
#[test]
fn links_lead_somewhere() {
    let mut failures = Vec::new();
    for (_, page) in pages() {
        let path = guide().join(&page);
        let text = read(&path);
        let prose = text.trim_start_matches("<!--").trim_start();
        if !text.starts_with("# ") && !prose.contains("\n# ") {
            failures.push(format!("{page}: no title"));
        }
        let mut inside = false;
        for (i, line) in text.lines().enumerate() {
            inside ^= line.starts_with("```");
            for (_, target) in links(line).into_iter().filter(|_| !inside) {
                let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
                if file.contains("://") {
                    continue;
                }
                let file =
                    if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
                if !file.exists() {
                    failures.push(format!("{page}:{}: {target} is not there", i + 1));
                } else if !heading.is_empty() && !headings(&read(&file)).contains(heading) {
                    failures.push(format!("{page}:{}: there is no heading {heading}", i + 1));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The anchors that headings get.
fn headings(text: &str) -> BTreeSet<String> {
    let titles = text.lines().filter(|l| l.starts_with('#')).map(|l| l.trim_start_matches('#').trim());
    let anchor = |title: &str| -> String {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    titles.map(anchor).collect()
}

/// Pictures of different pages have different names, on every file system, and none is left over.
#[test]
fn pictures_have_names_of_their_own() {
    let mut used = BTreeSet::new();
    for (_, page) in pages() {
        for line in read(&guide().join(&page)).lines().filter(|l| l.contains("![")) {
            for (words, target) in links(line) {
                assert!(words.len() > 10, "{page}: {target} has no description");
                let name = target.trim_start_matches("pictures/").to_lowercase();
                assert!(used.insert(name.clone()), "{page}: {name} is used twice");
            }
        }
    }
    let kept = std::fs::read_dir(guide().join("pictures")).expect("pictures");
    let kept: BTreeSet<String> =
        kept.map(|e| e.unwrap().file_name().to_string_lossy().to_lowercase()).collect();
    assert_eq!(kept, used);
}

/// The page about diagnostics has every code that appears in the program.
#[test]
fn every_code_is_explained() {
    let page = read(&guide().join("diagnostics.md"));
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for row in page.lines().filter(|l| l.starts_with("| `K")) {
        let cell = row.split('|').nth(1).unwrap_or_default();
        let codes: Vec<&str> = cell.split('`').filter(|c| c.starts_with('K')).collect();
        let number = |code: &str, digit: &str| code[1..].replace('x', digit).parse::<u32>().expect("a code");
        if cell.contains(" to ") {
            ranges.push((number(codes[0], "0"), number(codes[1], "9")));
        } else {
            ranges.extend(codes.iter().map(|c| (number(c, "0"), number(c, "9"))));
        }
    }
    let mut missing = BTreeSet::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").filter_map(|e| Some(e.ok()?.path())) {
            if path.is_dir() && !path.ends_with("tests") {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                for piece in read(&path).split("\"K").skip(1) {
                    let code = piece.get(..4).and_then(|c| c.parse::<u32>().ok());
                    let code = code.filter(|c| *c > 0 && piece[4..].starts_with('"'));
                    missing
                        .extend(code.filter(|c| !ranges.iter().any(|(from, to)| (from..=to).contains(&c))));
                }
            }
        }
    }
    assert!(missing.is_empty(), "docs/src/diagnostics.md says nothing about {missing:?}");
}

/// The command reference is what the program says about itself.
#[test]
fn command_reference_is_generated() {
    let output = shell(&root(), "kausal man --markdown");
    let made = String::from_utf8_lossy(&output.stdout).into_owned();
    let path = guide().join("commands.md");
    if writes() {
        std::fs::write(&path, &made).expect("the page");
    }
    let kept = read(&path);
    let differs = kept.lines().zip(made.lines()).find(|(a, b)| a != b);
    assert!(kept == made, "run `kausal man --markdown > docs/src/commands.md`: {differs:?}");
    for command in
        ["parse", "check", "flatten", "translate", "explain", "simulate", "compare", "verify", "plot"]
    {
        assert!(made.contains(&format!("## kausal {command}\n")), "{command}");
    }
}

/// Every step of the tutorial has its place, and its picture, in the guide.
#[test]
fn the_tutorial_is_shown() {
    let list = read(&root().join("examples/tutorial/README.md"));
    let page = read(&guide().join("tutorial.md"));
    let names: Vec<String> = list.lines().flat_map(links).map(|(name, _)| name).collect();
    assert!(names.len() >= 10);
    for name in names {
        assert!(page.contains(&format!("--copy {name}")), "{name} is copied");
        assert!(page.contains(&format!("(pictures/{name}.svg)")), "{name} has a picture");
    }
}

/// The commands of README.md work as they are printed, from the root of a clone. Results go elsewhere: what is written is
/// written to a folder that sees the repository.
#[test]
fn readme_is_true() {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(
        root().join("examples").canonicalize().expect("examples"),
        folder.path().join("examples"),
    )
    .expect("a link");
    let mut commands = 0;
    for block in blocks(&read(&root().join("README.md"))) {
        for line in &block.lines {
            let line =
                line.split(" #").next().unwrap_or_default().replace("cargo run --release -- ", "kausal ");
            if !line.starts_with("kausal ") || line.contains("path/to") {
                continue;
            }
            let output = shell(folder.path(), &line);
            assert!(output.status.success(), "{line}: {}", said(&output));
            commands += 1;
        }
    }
    assert!(commands >= 5, "{commands} commands");
    assert!(folder.path().join("rc.html").exists() || folder.path().join("rc.svg").exists());
}

/// The checks themselves can fail.
#[test]
fn outputs_are_compared() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let said = ["RC: 0 to 5, 76 steps, 99 evaluations, 0 events", "", "  loop 1: 4 equations"];
    assert!(matches(&lines("RC: 0 to 5, 80 steps, 1 evaluations, 0 events\n\n  loop 1: 4 equations"), &said));
    assert!(matches(&lines("RC: …\n…\n  loop 1: …"), &said));
    assert!(matches(&lines("…\n  loop … equations"), &said));
    assert!(!matches(
        &lines("RC: 0 to 6, 80 steps, 1 evaluations, 0 events\n\n  loop 1: 4 equations"),
        &said
    ));
    assert!(!matches(&lines("RC: …\n  loop 1: …"), &said));
    assert!(!matches(&lines("…\n  loop 1: 5 equations"), &said));
    assert!(!matches(&lines("RC: …"), &said));
}
