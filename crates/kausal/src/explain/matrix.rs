//! The incidence matrix as a picture: as the model has it, sorted into blocks, and torn.

use std::fmt::Write;

use kausal_translate::Program;

use super::sorted::{Sorted, sorted};
use crate::plot::svg::escape;

/// Width of one matrix, the space between them, the room for titles and for the line below.
const SIDE: f64 = 230.0;
const GAP: f64 = 25.0;
const HEAD: f64 = 48.0;
const FOOT: f64 = 36.0;

/// Kinds of blocks, with colours that are distinguishable without colour vision.
const KINDS: [(&str, &str, &str); 4] = [
    ("explicit", "#7f7f7f", "solved alone"),
    ("linear", "#0072b2", "linear loop"),
    ("nonlinear", "#d55e00", "nonlinear loop"),
    ("mixed", "#cc79a7", "loop with conditions"),
];

/// The colour class of a kind of block.
pub fn class(kind: &str) -> &'static str {
    match kind {
        "explicit" => "explicit",
        kind if kind.contains("conditions") => "mixed",
        kind if kind.starts_with("nonlinear") => "nonlinear",
        _ => "linear",
    }
}

/// The picture as SVG; writing to a string cannot fail.
pub fn svg(program: &Program) -> String {
    let sorted = sorted(program);
    let (width, height) = (3.0 * SIDE + 2.0 * GAP + 20.0, HEAD + SIDE + FOOT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<style>.bg{{fill:#fff}}.ink{{fill:#222}}.frame{{fill:none;stroke:#999}}\
         @media (prefers-color-scheme: dark){{.bg{{fill:#16181d}}.ink{{fill:#ddd}}}}\
         @media print{{.bg{{fill:#fff}}.ink{{fill:#222}}}}</style>\n\
         <rect class=\"bg\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"ink\" x=\"10\" y=\"20\" font-size=\"15\" font-weight=\"600\">{}: {} left</text>\n",
        escape(&program.name),
        super::counted(sorted.rows.len(), "equation")
    );
    let blocks: Vec<u32> = (0..sorted.rows.len() as u32).collect();
    let views = [
        ("as written", sorted.model_rows(), sorted.model_columns()),
        ("sorted into blocks", sorted.block_rows.clone(), sorted.block_columns.clone()),
        ("torn", blocks.clone(), blocks),
    ];
    for (i, (title, rows, columns)) in views.iter().enumerate() {
        let left = 10.0 + i as f64 * (SIDE + GAP);
        let _ = writeln!(out, "<text class=\"ink\" x=\"{left}\" y=\"{}\">{title}</text>", HEAD - 7.0);
        one(&mut out, &sorted, left, i, rows, columns);
    }
    let mut x = 10.0;
    for (class_of, color, words) in KINDS {
        if sorted.blocks.iter().any(|b| class(b.kind) == class_of) {
            let y = HEAD + SIDE + 24.0;
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{color}\"/><text class=\"ink\" x=\"{}\" y=\"{y}\">{words}</text>",
                y - 9.0,
                x + 15.0
            );
            x += 30.0 + 7.2 * words.len() as f64;
        }
    }
    out.push_str("</svg>\n");
    out
}

/// One matrix: its frame, its blocks where it is sorted, its entries as one path for each kind.
fn one(out: &mut String, sorted: &Sorted, left: f64, view: usize, rows: &[u32], columns: &[u32]) {
    let n = sorted.rows.len().max(1);
    let cell = SIDE / n as f64;
    let mut column_at = vec![0; columns.len()];
    for (at, column) in columns.iter().enumerate() {
        column_at[*column as usize] = at;
    }
    let _ = writeln!(
        out,
        "<g transform=\"translate({left} {HEAD})\"><rect class=\"frame\" width=\"{SIDE}\" height=\"{SIDE}\"/>"
    );
    let square = |out: &mut String, start: usize, size: usize, color: &str, opacity: f64| {
        let (at, side) = (start as f64 * cell, size as f64 * cell);
        let _ = writeln!(
            out,
            "<rect x=\"{at:.2}\" y=\"{at:.2}\" width=\"{side:.2}\" height=\"{side:.2}\" fill=\"{color}\" fill-opacity=\"{opacity}\" stroke=\"{color}\"/>"
        );
    };
    if view > 0 {
        for block in sorted.blocks.iter().filter(|b| b.size > 1) {
            let color = color(block.kind);
            square(out, block.start, block.size, color, 0.12);
            if view == 2 && block.torn > 0 && block.torn < block.size {
                square(out, block.start + block.size - block.torn, block.torn, color, 0.25);
            }
        }
    }
    let mut kind_at = vec!["explicit"; n];
    for block in &sorted.blocks {
        kind_at[block.start..block.start + block.size].fill(class(block.kind));
    }
    // In units of cells, so that places are short numbers.
    let mark = 0.8f64.max(1.0 / cell);
    let along = format!("{mark:.1}");
    let along = along.trim_start_matches('0');
    let _ = writeln!(
        out,
        "<g transform=\"scale({cell:.5}) translate({:.3} .5)\" stroke-width=\"{mark:.2}\">",
        (1.0 - mark) / 2.0
    );
    for (class_of, color, _) in KINDS {
        let mut path = String::new();
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| kind_at[**row as usize] == class_of) {
            for column in &sorted.entries[*row as usize] {
                let _ = write!(path, "M{} {at}h{along}", column_at[*column as usize]);
            }
        }
        if !path.is_empty() {
            let _ = writeln!(out, "<path d=\"{path}\" stroke=\"{color}\"/>");
        }
    }
    out.push_str("</g></g>\n");
}

fn color(kind: &str) -> &'static str {
    KINDS.iter().find(|(name, ..)| *name == class(kind)).map_or("#7f7f7f", |(_, color, _)| color)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn three_matrices_with_all_entries() {
        let mut session = Session::new();
        let flat = session.flatten("Kausal.Examples.Rectifier").expect("a correct model");
        let program = session.translate(&flat, &Default::default()).expect("a regular model");
        let picture = svg(&program);
        let entries: usize = sorted(&program).entries.iter().map(Vec::len).sum();
        let marks: usize =
            picture.lines().filter(|l| l.starts_with("<path")).map(|l| l.matches('M').count()).sum();
        assert_eq!(marks, 3 * entries);
        for words in ["as written", "sorted into blocks", "torn", "linear loop", "solved alone"] {
            assert!(picture.contains(words), "{words}");
        }
        assert!(!picture.contains("NaN") && picture.len() < 20_000, "{} bytes", picture.len());
    }
}
