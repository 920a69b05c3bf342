//! The explanation as a page: one file, nothing loaded from elsewhere.
//!
//! The incidence matrix (which equation has which unknown) as the model has it, sorted into blocks, and with the
//! tearing variables of each block last; the graph of the blocks; every loop in its torn form; operations by block and by
//! component; what a run took, with its curves, if there was one; the solved equations; the words of [`super::text`].
//! Formulas travel as text and become mathematics in the browser (`page/math.js`).

use std::collections::BTreeMap;
use std::fmt::Write;

use kausal_model::FlatModel;
use kausal_runtime::Statistics;
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::Sources;
use kausal_translate::Program;
use kausal_translate::program::{Form, Step, System};
use serde::Serialize;

use super::sorted::{Block, Sorted, sorted, steps};
use super::{Extent, Writer, considered};
use crate::plot::svg::escape;
use crate::plot::{self, svg};
use crate::result::Trajectory;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("page/math.js"),
    include_str!("page/matrix.js"),
    include_str!("page/graph.js"),
    include_str!("page/page.js"),
];
/// Characters of a formula, lines of a loop's computation, characters of the listing: what is longer is not read in a
/// browser.
const WIDTH: usize = 240;
const LINES: usize = 200;
const LISTING: usize = 1_000_000;
/// Loops of the initial problem that are shown.
const INITIAL: usize = 20;

#[derive(Serialize)]
struct Data<'a> {
    equations: Vec<String>,
    places: Vec<String>,
    unknowns: Vec<&'a str>,
    /// What the unknown of a row is assigned, where that is one formula.
    solved: Vec<String>,
    /// The columns of each row.
    entries: &'a [Vec<u32>],
    blocks: Vec<BlockData>,
    /// Rows and columns in the order of the model, and in blocks that are not torn.
    model: [Vec<u32>; 2],
    sorted: [&'a [u32]; 2],
    components: Vec<(String, u64)>,
}

#[derive(Serialize)]
struct BlockData {
    start: usize,
    size: usize,
    torn: usize,
    kind: &'static str,
    class: &'static str,
    how: &'static str,
    /// `mul`, `add`, `call`
    cost: [u64; 3],
    iterated: bool,
    is_loop: bool,
    /// The ways to solve it that were considered.
    ways: Vec<String>,
    /// What is computed, line by line.
    lines: Vec<String>,
}

/// A run to show in the report.
#[derive(Clone, Copy, Debug)]
pub struct RunShown<'a> {
    /// What it took.
    pub statistics: &'a Statistics,
    /// Where it started.
    pub start: f64,
    /// With which method.
    pub method: &'a str,
    /// With which tolerance.
    pub tolerance: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// What was recorded.
    pub trajectory: &'a Trajectory,
    /// Variables to plot; without any, a few that change.
    pub plot: &'a [String],
}

/// A page without what a run adds to it.
#[derive(Clone, Debug)]
pub struct Page(String);

/// Where the run goes: no other text of the page can contain it, because `{` is escaped there.
const RUN: &str = "{{run}}";

impl Page {
    /// Makes the page of a translation.
    pub fn new(flat: &FlatModel, program: &Program, sources: &Sources) -> Page {
        let writer = Writer { flat, program, sources, extent: Extent { equations: 0 } };
        let sorted = sorted(program);
        let json = serde_json::to_string(&data(&writer, &sorted)).unwrap_or_default();
        let words = super::text(flat, program, sources, Extent { equations: 20 });
        let mut listing = crate::listing(program);
        if listing.len() > LISTING {
            let at = (0..=LISTING).rev().find(|&at| listing.is_char_boundary(at)).unwrap_or(0);
            listing.truncate(at);
            listing.push_str("\n… kausal translate --listing prints all of it\n");
        }
        let braces = |text: String| text.replace("{{", "{&#123;");
        let page = PAGE
            .replace("{{title}}", &braces(escape(&program.name)))
            .replace("{{style}}", STYLE)
            .replace("{{script}}", &SCRIPTS.concat())
            .replace("{{lead}}", &braces(lead(&words)))
            .replace("{{initial}}", &braces(initial(&writer)))
            .replace("{{words}}", &braces(escape(&words)))
            .replace("{{listing}}", &braces(escape(&listing)));
        // `<` and `{` as escapes: no text of the model can end the script or stand for something else.
        let json = json.replace('<', "\\u003c").replace("{{", "{\\u007b");
        Page(page.replace("{{data}}", &json))
    }

    /// The page of a translation that was not run.
    pub fn without_run(self) -> String {
        let note = "<p class=\"soft\">Not run: <code>kausal simulate MODEL --report FILE</code> adds what a run took and its curves.</p>";
        self.0.replace(RUN, note)
    }

    /// The page with a run.
    pub fn with_run(self, run: &RunShown) -> String {
        self.0.replace(RUN, &shown(run))
    }
}

/// The page of a translation.
pub fn write(flat: &FlatModel, program: &Program, sources: &Sources) -> String {
    Page::new(flat, program, sources).without_run()
}

fn data<'a>(writer: &Writer<'a>, sorted: &'a Sorted<'a>) -> Data<'a> {
    let program = writer.program;
    let (mut equations, mut places) = (Vec::new(), Vec::new());
    let mut components: BTreeMap<String, u64> = BTreeMap::new();
    for row in &sorted.rows {
        let info = &program.equations[row.0 as usize];
        equations.push(format!("{} = {}", formula(writer, info.lhs), formula(writer, info.rhs)));
        let times = match info.differentiated {
            0 => "",
            1 => ", differentiated",
            _ => ", differentiated twice",
        };
        places.push(format!("{}{times}", writer.place(&info.origin).trim()));
        let part = info.origin.component.split('.').next().unwrap_or_default();
        let count = kausal_symbolic::count::shared_operations(&program.pool, &[info.lhs, info.rhs]).total();
        *components.entry(part.to_owned()).or_default() += count;
    }
    let mut components: Vec<(String, u64)> = components.into_iter().filter(|(_, n)| *n > 0).collect();
    components.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut solved = vec![String::new(); sorted.rows.len()];
    for block in &sorted.blocks {
        if let Step::Assign(a) = block.step {
            solved[block.start] = formula(writer, a.value);
        }
    }
    Data {
        model: [sorted.model_rows(), sorted.model_columns()],
        sorted: [&sorted.block_rows, &sorted.block_columns],
        unknowns: sorted.columns.iter().map(|v| program.variables[v.index()].name.as_str()).collect(),
        equations,
        places,
        solved,
        entries: &sorted.entries,
        blocks: sorted.blocks.iter().map(|b| block_data(writer, b)).collect(),
        components,
    }
}

fn block_data(writer: &Writer, block: &Block) -> BlockData {
    let system = block.system();
    BlockData {
        start: block.start,
        size: block.size,
        torn: block.torn,
        kind: block.kind,
        class: super::matrix::class(block.kind),
        how: block.how,
        cost: [block.cost.mul, block.cost.add, block.cost.call],
        iterated: system.is_some_and(|s| matches!(s.form, Form::Nonlinear(_))),
        is_loop: block.is_loop(),
        ways: system.map_or(Vec::new(), |s| s.alternatives.iter().map(considered).collect()),
        lines: system.map_or(Vec::new(), |s| lines(writer, s)),
    }
}

/// What a system computes: `v := …`, one line a step.
fn lines(writer: &Writer, system: &System) -> Vec<String> {
    let names = |list: &[VarId]| super::some(&list.iter().map(|v| writer.name(*v)).collect::<Vec<_>>());
    let all = steps(system);
    let mut lines = Vec::new();
    for step in all.iter().take(LINES) {
        lines.push(match step {
            Step::Assign(a) => format!("{} := {}", writer.name(a.variable), formula(writer, a.value)),
            Step::Solve(solve) => {
                let size = solve.unknowns.len();
                format!("solve {size} × {size} for {}", names(&solve.unknowns))
            }
            Step::System(inner) => {
                format!("solve a loop of {} for {}", inner.equations.len(), names(&inner.unknowns))
            }
            Step::Call(call) => {
                let outputs: Vec<VarId> = call.outputs.iter().filter_map(|v| *v).collect();
                format!("call {} for {}", writer.program.pool.function(call.function).name, names(&outputs))
            }
            _ => continue,
        });
    }
    if all.len() > LINES {
        lines.push(format!("… and {} more", all.len() - LINES));
    }
    lines
}

fn formula(writer: &Writer, e: ExprId) -> String {
    print_limited(&writer.program.pool, e, &|v| writer.name(v), WIDTH)
}

/// The first lines of the explanation, as the head of the page.
fn lead(words: &str) -> String {
    let lines = words.lines().take_while(|line| !line.is_empty());
    lines.map(|line| format!("<div>{}</div>", escape(line.trim()))).collect()
}

/// The loops of the initial problem; writing to a string cannot fail.
fn initial(writer: &Writer) -> String {
    let systems = super::systems(&[&writer.program.initial]);
    let mut out = String::new();
    if systems.is_empty() {
        return "<p>None.</p>".to_owned();
    }
    for (i, system) in systems.iter().take(INITIAL).enumerate() {
        let mut text = String::new();
        writer.one_loop(&mut text, &format!("at the start {}", i + 1), system);
        let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let _ = write!(
            out,
            "<details><summary>{}</summary><pre>{}</pre></details>",
            escape(title.trim()),
            escape(rest)
        );
    }
    if systems.len() > INITIAL {
        let _ = write!(out, "<p>… and {} more</p>", systems.len() - INITIAL);
    }
    out
}

/// What a run took, and its curves.
fn shown(run: &RunShown) -> String {
    let s = run.statistics;
    let rows = [
        ("from", format!("{} to {} s", run.start, s.end)),
        ("method", format!("{}, tolerance {:e}", run.method, run.tolerance)),
        ("steps", format!("{}, and {} rejected", s.steps, s.rejected)),
        ("evaluations of the model", s.rhs_evaluations.to_string()),
        ("Jacobians", s.jacobians.to_string()),
        ("Newton iterations", format!("{}, {} of them failed", s.newton_iterations, s.nonlinear_failures)),
        ("solved with pivoting after all", s.pivot_fallbacks.to_string()),
        ("events", format!("{} searched for, {} known in advance", s.state_events, s.time_events)),
        ("time it took", format!("{:.3} s", run.seconds)),
    ];
    let mut out = String::from("<table id=\"statistics\">");
    for (what, value) in rows {
        let _ = write!(out, "<tr><td>{what}</td><td>{}</td></tr>", escape(&value));
    }
    out.push_str("</table>\n");
    if let Some(message) = &s.terminated {
        let _ = writeln!(out, "<p>Ended by the model: {}</p>", escape(message));
    }
    match plot::of(run.trajectory, "", run.plot) {
        Ok(plot) => out.push_str(&svg::write(&plot)),
        Err(message) => {
            let _ = write!(out, "<p>{}</p>", escape(&message));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    fn page(run: bool) -> String {
        let mut session = Session::new();
        let text = "model M
  Real x(start = 1, fixed = true), a, b, 'c<d>{{run}}';
equation
  der(x) = a;
  a + sin(b) = x;
  a*b + b = 1;
  'c<d>{{run}}' = 2*a + b;
end M;";
        session.add_text("M.mo", text);
        let flat = session.flatten("M").expect("a correct model");
        let program = session.translate(&flat, &Default::default()).expect("a regular model");
        let page = Page::new(&flat, &program, session.sources());
        if !run {
            return page.without_run();
        }
        let (statistics, trajectory) =
            (Statistics { steps: 4711, ..Default::default() }, Trajectory::default());
        page.with_run(&RunShown {
            statistics: &statistics,
            start: 0.0,
            method: "bdf",
            tolerance: 1e-6,
            seconds: 0.5,
            trajectory: &trajectory,
            plot: &[],
        })
    }

    #[test]
    fn the_page_has_the_matrix_and_the_words() {
        let page = page(false);
        assert!(!page.contains("http") && !page.contains("{{") && !page.contains("c<d>"));
        assert_eq!(page.matches("</script>").count(), 2);
        let start = page.find("id=\"data\">").unwrap() + 10;
        let json = &page[start..start + page[start..].find("</script>").unwrap()];
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        let n = data["equations"].as_array().unwrap().len();
        for part in ["unknowns", "entries", "solved", "places"] {
            assert_eq!(data[part].as_array().unwrap().len(), n, "{part}");
        }
        let blocks = data["blocks"].as_array().unwrap();
        let the_loop = blocks.iter().find(|b| b["is_loop"] == true).expect("a loop");
        assert_eq!((&the_loop["class"], &the_loop["size"]), (&"nonlinear".into(), &2.into()));
        assert!(!the_loop["lines"].as_array().unwrap().is_empty());
        assert!(page.contains("Not run"));
    }

    #[test]
    fn a_run_is_shown() {
        let page = page(true);
        assert!(page.contains("<td>4711, and 0 rejected</td>") && page.contains("<svg"));
        assert!(!page.contains("Not run") && !page.contains("{{"));
    }
}
