//! Of the sources of a model, the lines that locations point to.
//!
//! Offsets and line numbers stay what they are: between the lines that are kept stand spaces and line ends, as many as there
//! were. Whoever gets a stored model sees the lines that its messages show, not the libraries it was made of.

use kausal_model::FlatModel;
use kausal_model::flat::{Action, ActionKind, Equation};
use kausal_syntax::{Location, Sources};
use serde::{Deserialize, Serialize};

use crate::program::Program;
use crate::program::Step;
use crate::program::flow;

/// The texts of all sources together, when they are restored: beyond it they are kept by name only.
const MAX_TEXT: usize = 64 << 20;

/// What is kept of a source.
#[derive(Clone, Debug, Default)]
pub(super) struct Excerpt {
    pub name: String,
    /// Bytes of the text; 0 where it is not kept.
    pub len: u32,
    pub pieces: Vec<Piece>,
}

/// Some lines, and what is left out before them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Piece {
    /// Bytes that are left out, line ends among them.
    skipped: u32,
    /// Line ends among them; the last of the bytes is one.
    lines: u32,
    text: String,
}

/// What is kept of all sources, by their ids.
pub(super) fn of(program: &Program, model: &FlatModel, sources: &Sources) -> Vec<Excerpt> {
    let mut all = locations(program);
    all.extend(locations_of_model(model));
    let count = all.iter().map(|l| l.source.0 as usize + 1).max().unwrap_or(0);
    let mut spans: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
    for l in all {
        spans[l.source.0 as usize].push((l.span.start as usize, l.span.end as usize));
    }
    let used = spans.iter().zip(0..).filter(|(spans, _)| !spans.is_empty());
    let bytes: usize = used.map(|(_, i)| sources.get(kausal_syntax::SourceId(i)).text.len()).sum();
    let excerpts = spans.into_iter().zip(0..).map(|(mut spans, i)| {
        if spans.is_empty() {
            return Excerpt::default();
        }
        let source = sources.get(kausal_syntax::SourceId(i));
        let name = source.name.clone();
        spans.sort_unstable();
        let pieces = if bytes <= MAX_TEXT { pieces(&source.text, &spans) } else { Vec::new() };
        Excerpt { name, len: source.text.len() as u32, pieces }
    });
    excerpts.collect()
}

/// The lines of a text that spans touch, in order.
fn pieces(text: &str, spans: &[(usize, usize)]) -> Vec<Piece> {
    let bytes = text.as_bytes();
    // Behind a line end, where lines begin.
    let begins = |at: usize| at == 0 || bytes[at - 1] == b'\n';
    let mut out: Vec<Piece> = Vec::new();
    let mut done = 0;
    for &(start, end) in spans {
        let (mut from, mut to) = (start.min(bytes.len()), end.min(bytes.len()));
        while !begins(from) {
            from -= 1;
        }
        while to < bytes.len() && (to == from || bytes[to - 1] != b'\n') {
            to += 1;
        }
        let from = from.max(done);
        if to <= from {
            continue;
        }
        let lines = bytes[done..from].iter().filter(|&&b| b == b'\n').count() as u32;
        let skipped = (from - done) as u32;
        match out.last_mut().filter(|_| skipped == 0) {
            Some(last) => last.text.push_str(&text[from..to]),
            None => out.push(Piece { skipped, lines, text: text[from..to].to_owned() }),
        }
        done = to;
    }
    out
}

/// The texts with their lines at their places.
pub(super) fn restored(excerpts: Vec<Excerpt>) -> Result<Sources, &'static str> {
    let total = excerpts.iter().fold(0_usize, |sum, e| sum.saturating_add(e.len as usize));
    let mut sources = Sources::default();
    for Excerpt { name, len, pieces } in excerpts {
        // Texts that were too long were not kept.
        let text = if total > MAX_TEXT { String::new() } else { padded(len as usize, &pieces)? };
        sources.add(name, text);
    }
    match total > MAX_TEXT {
        true => Err("they are too long"),
        false => Ok(sources),
    }
}

fn padded(len: usize, pieces: &[Piece]) -> Result<String, &'static str> {
    let mut text = String::with_capacity(len);
    for Piece { skipped, lines, text: kept } in pieces {
        let (skipped, lines) = (*skipped as usize, *lines as usize);
        if lines > skipped || text.len() + skipped + kept.len() > len {
            return Err("a line lies outside its text");
        }
        if let Some(before) = lines.checked_sub(1) {
            text.extend(std::iter::repeat_n('\n', before));
            text.extend(std::iter::repeat_n(' ', skipped - lines));
            text.push('\n');
        } else {
            text.extend(std::iter::repeat_n(' ', skipped));
        }
        text.push_str(kept);
    }
    text.extend(std::iter::repeat_n(' ', len - text.len()));
    Ok(text)
}

/// Does a location lie in its source?
pub(super) fn lies_in(location: &Location, lengths: &[u32]) -> bool {
    let (start, end) = (location.span.start, location.span.end);
    lengths.get(location.source.0 as usize).is_some_and(|&len| start <= end && end <= len)
}

/// All locations of a program.
pub(super) fn locations(program: &Program) -> Vec<Location> {
    let mut out: Vec<Location> = Vec::new();
    out.extend(program.equations.iter().filter_map(|e| e.origin.location));
    out.extend(program.bounds.iter().filter_map(|b| b.location));
    out.extend(program.checks.iter().filter_map(|c| c.origin.location));
    out.extend(program.checks.iter().filter_map(|c| c.settled));
    let inlined = program.discretized.iter().flat_map(|d| [Some(d), d.filter.as_deref()]).flatten();
    let inlined = inlined.flat_map(|d| [&d.factors, &d.steps].into_iter().chain(&d.crossings));
    let own = [&program.parameters, &program.initial, &program.dynamics, &program.outputs, &program.discrete];
    out.extend(program.clocks.iter().filter_map(|base| base.origin.location));
    out.extend(program.clocks.iter().flat_map(|base| &base.clocks).filter_map(|clock| clock.origin.location));
    let pieces = program.clocks.iter().flat_map(|base| base.pieces.iter().map(|piece| &piece.steps));
    let starts = program.clocks.iter().flat_map(|base| base.clocks.iter().map(|clock| &clock.initial));
    for step in flow::nested(own.into_iter().chain(inlined).chain(pieces).chain(starts).flatten()) {
        match step {
            Step::When(when) => out.extend(when.origin.location),
            Step::Assert(assert) => out.extend(assert.origin.location),
            _ => {}
        }
    }
    out
}

/// All locations of a flat model.
pub(super) fn locations_of_model(model: &FlatModel) -> Vec<Location> {
    let mut out: Vec<Location> = Vec::new();
    out.extend(model.variables.iter().flat_map(|v| [v.location, v.start_location]).flatten());
    let clocked = model.clocked.iter().flat_map(|w| &w.equations);
    let equations = model.equations.iter().chain(&model.initial_equations).chain(clocked);
    out.extend(equations.filter_map(|e: &Equation| e.origin.location));
    let mut open: Vec<&Action> = model.actions.iter().chain(&model.initial_actions).collect();
    for when in &model.whens {
        out.extend(when.origin.location);
        open.extend(when.branches.iter().flat_map(|b| &b.actions));
    }
    for when in &model.clocked {
        out.extend(when.origin.location);
        open.extend(&when.actions);
    }
    while let Some(action) = open.pop() {
        out.extend(action.origin.location);
        if let ActionKind::If(_, then, otherwise) = &action.kind {
            open.extend(then.iter().chain(otherwise));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use kausal_syntax::source::line_column;

    #[test]
    fn lines_keep_their_places() {
        let text = "model M\n  Real x;\n  Real größe;\nequation\n  der(x) = -größe;\n  größe = x;\nend M;\n";
        let span = |part: &str| text.find(part).map(|at| (at, at + part.len())).expect("part of it");
        let mut spans = vec![span("der(x) = -größe"), span("Real größe"), span("größe = x")];
        spans.sort_unstable();
        let again = padded(text.len(), &pieces(text, &spans)).expect("what was written");
        assert_eq!(again.len(), text.len());
        for (start, end) in spans {
            assert_eq!(again[start..end], text[start..end]);
            assert_eq!(line_column(&again, start as u32), line_column(text, start as u32));
        }
        assert!(!again.contains("end M") && !again.contains("model M"));
    }

    #[test]
    fn lengths_of_files_are_not_trusted() {
        let far = Piece { skipped: u32::MAX, lines: 0, text: String::new() };
        assert!(padded(10, std::slice::from_ref(&far)).is_err());
        let huge = Excerpt { name: "M.mo".to_owned(), len: u32::MAX, pieces: vec![far] };
        assert!(restored(vec![huge]).is_err());
        assert!(padded(10, &[Piece { skipped: 1, lines: 2, text: String::new() }]).is_err());
    }
}
