//! Over all our own models and random changes to them: the same tree, formatted twice the same, no comment lost.

use std::path::{Path, PathBuf};

use kausal_format::{Unformatted, format};
use kausal_syntax::modelica::{Lexeme, LexemeKind, lexemes, parse};
use kausal_syntax::{SourceId, print};
use proptest::prelude::*;

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "mo") {
            out.push(path);
        }
    }
}

/// The models of this repository: library, examples, tests.
fn corpus() -> &'static [(PathBuf, String)] {
    static CORPUS: std::sync::OnceLock<Vec<(PathBuf, String)>> = std::sync::OnceLock::new();
    CORPUS.get_or_init(read_corpus)
}

fn read_corpus() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["library", "examples", "crates/kausal-syntax/tests", "crates/kausal-model/tests"] {
        files(&root.join(folder), &mut paths);
    }
    assert!(paths.len() > 150, "{}", paths.len());
    paths.into_iter().filter_map(|p| Some((p.clone(), std::fs::read_to_string(p).ok()?))).collect()
}

fn comments(text: &str) -> Vec<&str> {
    let is_comment = |l: &&Lexeme| matches!(l.kind, LexemeKind::LineComment | LexemeKind::BlockComment);
    let slice = |l: &Lexeme| text[l.span.start as usize..l.span.end as usize].trim_end();
    lexemes(text).iter().filter(is_comment).map(slice).collect()
}

/// What must hold for every text.
fn holds(text: &str) -> Result<bool, String> {
    let tree = |text: &str| parse(SourceId(0), text.into());
    let before = tree(text);
    let formatted = match format(text) {
        Ok(formatted) => formatted,
        Err(Unformatted::Errors(_)) if before.has_errors() => return Ok(false),
        Err(why) => return Err(format!("{why:?}")),
    };
    let after = tree(&formatted);
    if after.has_errors() || !print::same_tree(&before.ast, &after.ast) {
        return Err(format!("another tree:\n{formatted}"));
    }
    if comments(text) != comments(&formatted) {
        return Err(format!("comments differ:\n{formatted}"));
    }
    match format(&formatted) {
        Ok(again) if again == formatted => Ok(true),
        again => Err(format!("once:\n{formatted}\ntwice:\n{}", again.unwrap_or_default())),
    }
}

#[test]
fn the_corpus() {
    let mut formatted = 0;
    for (path, text) in corpus() {
        match holds(text) {
            Ok(done) => formatted += usize::from(done),
            Err(why) => panic!("{}: {why}", path.display()),
        }
    }
    assert!(formatted > 120, "{formatted}");
}

/// White space and comments that may stand between any two units.
const GAPS: [&str; 9] = [
    "\n",
    "\n\n\n",
    "  ",
    " // a comment  \n",
    "\n// a comment\n",
    " /* a */ ",
    "\n/* a */ ",
    " /* a\n b */",
    "\n\t",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Other white space and more comments anywhere in a good text: it is as good as before.
    #[test]
    fn other_gaps(file in 0usize..1000, changes in prop::collection::vec((any::<prop::sample::Index>(), 0..GAPS.len()), 1..40)) {
        let corpus = corpus();
        let (path, text) = &corpus[file % corpus.len()];
        let units = lexemes(text);
        prop_assume!(!units.is_empty() && !parse(SourceId(0), text.as_str().into()).has_errors());
        let mut places: Vec<(u32, usize)> = changes.iter().map(|(at, gap)| (units[at.index(units.len())].span.start, *gap)).collect();
        places.sort();
        places.dedup_by_key(|p| p.0);
        let mut changed = text.clone();
        for (at, gap) in places.into_iter().rev() {
            changed.insert_str(at as usize, GAPS[gap]);
        }
        match holds(&changed) {
            Ok(done) => prop_assert!(done, "{}:\n{changed}", path.display()),
            Err(why) => prop_assert!(false, "{}: {why}", path.display()),
        }
    }

    /// Words lost, doubled and swapped: whatever is still correct is formatted, and nothing panics.
    #[test]
    fn other_words(file in 0usize..1000, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3), 1..4)) {
        let corpus = corpus();
        let (path, text) = &corpus[file % corpus.len()];
        let mut words: Vec<&str> = lexemes(text).iter().map(|l| &text[l.span.start as usize..l.span.end as usize]).collect();
        prop_assume!(words.len() > 1);
        for (a, b, kind) in changes {
            let (a, b) = (a.index(words.len()), b.index(words.len()));
            match kind {
                0 if words.len() > 1 => { words.remove(a); }
                1 => words.insert(a, words[b]),
                _ => words.swap(a, b),
            }
        }
        let changed = words.join("\n");
        if let Err(why) = holds(&changed) {
            prop_assert!(false, "{}: {why}", path.display());
        }
    }
}

#[test]
fn byte_order_mark_and_line_ends_stay() {
    let text = "\u{feff}model M\r\nReal x \"a\r\nb\"; // c\r\nend M;\r\n";
    assert_eq!(format(text).unwrap(), "\u{feff}model M\r\n  Real x\r\n    \"a\r\nb\"; // c\r\nend M;\r\n");
}
