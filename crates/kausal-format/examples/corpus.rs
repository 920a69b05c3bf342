//! Formats all `.mo` files below folders, in memory, and counts: same trees, twice the same, no comment lost.
//!
//! `cargo run --release -p kausal-format --example corpus -- DIR…`; exit code 1 where something does not hold.

use std::path::{Path, PathBuf};
use std::time::Instant;

use kausal_syntax::modelica::{LexemeKind, lexemes};
use kausal_syntax::{SourceId, modelica, print};

fn files(path: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "mo") {
            out.push(path);
        }
    }
}

fn comments(text: &str) -> Vec<&str> {
    let is_comment = |k| matches!(k, LexemeKind::LineComment | LexemeKind::BlockComment);
    let text_of = |span: kausal_syntax::Span| text[span.start as usize..span.end as usize].trim_end();
    lexemes(text).iter().filter(|l| is_comment(l.kind)).map(|l| text_of(l.span)).collect()
}

fn tree(text: &str) -> String {
    print::dump(&modelica::parse(SourceId(0), text.into()).ast)
}

fn main() -> std::process::ExitCode {
    let mut paths = Vec::new();
    for folder in std::env::args().skip(1) {
        files(Path::new(&folder), &mut paths);
    }
    let (mut bytes, mut seconds, mut parse_seconds) = (0, 0.0, 0.0);
    let (mut unchanged, mut wrong, mut other_tree, mut not_twice, mut lost, mut kept, mut long) =
        (0, 0, 0, 0, 0, 0, 0);
    for path in &paths {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let start = Instant::now();
        let has_errors = modelica::parse(SourceId(0), text.as_str().into()).has_errors();
        parse_seconds += start.elapsed().as_secs_f64();
        if has_errors {
            println!("{}: has syntax errors, left as it is", path.display());
            wrong += 1;
            continue;
        }
        let start = Instant::now();
        let formatted = kausal_format::format(&text);
        seconds += start.elapsed().as_secs_f64();
        bytes += text.len();
        let Ok(formatted) = formatted else {
            println!("{}: not formatted", path.display());
            other_tree += 1;
            continue;
        };
        unchanged += usize::from(formatted == text);
        if tree(&text) != tree(&formatted) {
            println!("{}: another tree", path.display());
            other_tree += 1;
        }
        if kausal_format::format(&formatted).ok().as_deref() != Some(&formatted) {
            println!("{}: formatted twice it is not the same", path.display());
            not_twice += 1;
        }
        let (before, after) = (comments(&text), comments(&formatted));
        kept += after.len();
        lost += usize::from(before != after);
        long += formatted.lines().filter(|l| l.chars().count() > kausal_format::WIDTH).count();
    }
    println!(
        "{} files, {bytes} bytes, {:.1} MB/s (parser alone {:.1} MB/s)",
        paths.len(),
        bytes as f64 / seconds / 1e6,
        bytes as f64 / parse_seconds / 1e6
    );
    println!(
        "{wrong} with syntax errors, {other_tree} with another tree, {not_twice} not the same when formatted twice"
    );
    println!(
        "{kept} comments kept, {lost} files that lost some; {unchanged} files in the style already; {long} long lines"
    );
    std::process::ExitCode::from(u8::from(other_tree + not_twice + lost > 0))
}
