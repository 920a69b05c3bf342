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
use kausal_syntax::{Diagnostic, Severity, Sources};
use kausal_translate::Program;
use kausal_translate::program::{Kind, Step, System};
use serde::Serialize;

use super::account::{Account, Fate, account};
use super::sorted::{Block, Sorted, When, sorted};
use super::systems::{considered, costs, steps};
use super::{Extent, Writer, differentiated, place};
use crate::audit::Audit;
use crate::plot::svg::escape;
use crate::plot::{self, svg};
use crate::result::Trajectory;

const PAGE: &str = include_str!("page/page.html");
pub(super) const STYLE: &str = include_str!("page/page.css");
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
/// Equations may be this long, as long as all together are not longer than that.
const LONG: usize = 6_000;
const ALL: usize = 1_500_000;
/// Loops of the initial problem that are shown.
const INITIAL: usize = 20;

#[derive(Serialize)]
struct Data<'a> {
    equations: Vec<String>,
    places: Vec<String>,
    unknowns: Vec<&'a str>,
    /// For some unknowns what they are for: the row, and the words.
    notes: BTreeMap<usize, String>,
    /// What the unknown of a row is assigned, where that is one formula.
    solved: Vec<String>,
    /// The columns of each row.
    entries: &'a [Vec<u32>],
    blocks: Vec<BlockData>,
    /// Rows and columns in the order of the model, and in blocks that are not torn.
    model: [Vec<u32>; 2],
    sorted: [&'a [u32]; 2],
    components: Vec<(String, u64)>,
    /// Operations that no block has for itself.
    shared: u64,
}

#[derive(Serialize)]
struct BlockData {
    start: usize,
    size: usize,
    torn: usize,
    kind: &'static str,
    class: &'static str,
    how: &'static str,
    /// All operations with all results.
    total: u64,
    /// What a loop costs, in words.
    costs: String,
    /// `once`, `always` or `late`
    when: &'static str,
    is_loop: bool,
    /// The ways to solve it that were considered.
    ways: Vec<String>,
    /// What a loop is called here and in the words.
    title: String,
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
    /// What its audit says.
    pub audit: Option<&'a Audit>,
}

/// A page without what a run adds to it.
#[derive(Clone, Debug)]
pub struct Page(String);

/// Where the run goes: no other text of the page can contain it, because `{` is escaped there.
const RUN: &str = "{{run}}";
/// The same for the lines at the top about the run and about warnings.
const TOOK: &str = "{{took}}";
const WARNED: &str = "{{warned}}";
/// Names of states at the top of the page.
const STATES_SHOWN: usize = 12;

impl Page {
    /// Makes the page of a translation.
    pub fn new(flat: &FlatModel, program: &Program, sources: &Sources) -> Page {
        let writer = Writer::new(flat, program, sources, Extent { equations: 40 });
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
            .replace("{{states}}", &braces(states(program)))
            .replace("{{lead}}", &braces(lead(&account(flat, program))))
            .replace("{{glossary}}", &braces(escape(&glossary(program))))
            .replace("{{initial}}", &braces(initial(&writer)))
            .replace("{{words}}", &braces(hanging(&words)))
            .replace("{{listing}}", &braces(escape(&listing)));
        // `<` and `{` as escapes: no text of the model can end the script or stand for something else.
        let json = json.replace('<', "\\u003c").replace("{{", "{\\u007b");
        Page(page.replace("{{data}}", &json))
    }

    /// The page of a translation that was not run.
    pub fn without_run(self) -> String {
        let note = "<p class=\"soft\">Not run: <code>kausal simulate MODEL --report FILE</code> adds what a run took and its curves.</p>";
        let took = "<li><b>Run</b> not run</li>";
        self.0.replace(RUN, note).replace(TOOK, took).replace(WARNED, "")
    }

    /// The page with what is to be warned of at its top.
    #[must_use]
    pub fn warned(self, said: &[Diagnostic]) -> Page {
        let mut out = String::new();
        let warnings: Vec<&Diagnostic> = said.iter().filter(|d| d.severity == Severity::Warning).collect();
        if !warnings.is_empty() {
            let _ = write!(out, "<li><b>{}</b></li>", super::counted(warnings.len(), "warning"));
        }
        for d in warnings {
            let _ = write!(out, "<li>{} <span class=\"soft\">{}</span></li>", escape(&d.message), d.code);
        }
        Page(self.0.replace(WARNED, &out.replace("{{", "{&#123;")))
    }

    /// The page with a run.
    pub fn with_run(self, run: &RunShown) -> String {
        let s = run.statistics;
        let took = format!(
            "<li><b>Run</b> {} to {} s in {}: {}, {}</li>",
            run.start,
            s.end,
            escape(&duration(run.seconds)),
            super::counted(s.steps as usize, "step"),
            super::counted((s.state_events + s.time_events) as usize, "event"),
        );
        self.0.replace(TOOK, &took).replace(WARNED, "").replace(RUN, &shown(run))
    }
}

/// The page of a translation, with what is to be warned of.
pub fn write(flat: &FlatModel, program: &Program, sources: &Sources, said: &[Diagnostic]) -> String {
    Page::new(flat, program, sources).warned(said).without_run()
}

fn data<'a>(writer: &'a Writer<'a>, sorted: &'a Sorted<'a>) -> Data<'a> {
    let program = writer.program;
    let (mut equations, mut places, mut notes) = (Vec::new(), Vec::new(), BTreeMap::new());
    // Long formulas are cut only where there are too many of them.
    let mut room = ALL;
    let mut whole = |e: ExprId| {
        let text = print_limited(&program.pool, e, &|v| writer.name(v), if room > 0 { LONG } else { WIDTH });
        room = room.saturating_sub(text.len());
        text
    };
    for (i, row) in sorted.rows.iter().enumerate() {
        let info = &program.equations[row.0 as usize];
        equations.push(format!("{} = {}", whole(info.lhs), whole(info.rhs)));
        let parts = [place(writer.sources, &info.origin), differentiated(info.differentiated)];
        places.push(parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", "));
        if let Some(condition) = writer.names.watched(sorted.columns[i]) {
            notes.insert(i, format!("watched: an event when {condition} becomes true or false"));
        }
    }
    let mut solved = vec![String::new(); sorted.rows.len()];
    for block in &sorted.blocks {
        if let Step::Assign(a) = block.step {
            solved[block.start] = whole(a.value);
        }
    }
    Data {
        model: [sorted.model_rows(), sorted.model_columns()],
        sorted: [&sorted.block_rows, &sorted.block_columns],
        unknowns: sorted.columns.iter().map(|v| writer.names.of(*v)).collect(),
        notes,
        equations,
        places,
        solved,
        entries: &sorted.entries,
        blocks: titles(program, sorted)
            .into_iter()
            .zip(&sorted.blocks)
            .map(|(title, b)| block_data(writer, b, title))
            .collect(),
        components: components(writer, sorted),
        shared: sorted.shared.total(),
    }
}

/// The operations of the blocks by component of the model. Those of a loop are shared out among its equations, by what is
/// written in each; the sum is that of the blocks.
fn components(writer: &Writer, sorted: &Sorted) -> Vec<(String, u64)> {
    let program = writer.program;
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for block in sorted.blocks.iter().filter(|b| b.when != When::Once) {
        let rows = &sorted.rows[block.start..block.start + block.size];
        let written = |row: &kausal_translate::program::EquationRef| {
            let info = &program.equations[row.0 as usize];
            kausal_symbolic::count::shared_operations(&program.pool, &[info.lhs, info.rhs]).total() + 1
        };
        let weights: Vec<u64> = rows.iter().map(written).collect();
        let (cost, all) =
            (u128::from(block.cost.total()), weights.iter().map(|w| u128::from(*w)).sum::<u128>());
        let (mut weighed, mut given) = (0u128, 0u128);
        for (row, weight) in rows.iter().zip(&weights) {
            weighed += u128::from(*weight);
            let until = cost * weighed / all.max(1);
            let component = &program.equations[row.0 as usize].origin.component;
            let part = component.split('.').next().unwrap_or_default();
            *sums.entry(part.to_owned()).or_default() += (until - given) as u64;
            given = until;
        }
    }
    let mut sums: Vec<(String, u64)> = sums.into_iter().filter(|(_, n)| *n > 0).collect();
    sums.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    sums
}

fn block_data(writer: &Writer, block: &Block, title: String) -> BlockData {
    let system = block.system();
    BlockData {
        start: block.start,
        size: block.size,
        torn: block.torn,
        kind: block.kind,
        class: super::matrix::class(block.kind),
        how: block.how,
        total: block.cost.total(),
        costs: system.map_or(String::new(), |s| costs(writer.program, s)),
        when: match block.when {
            When::Once => "once",
            When::Always => "always",
            When::Late => "late",
        },
        is_loop: block.is_loop(),
        title,
        ways: system.map_or(Vec::new(), |s| s.alternatives.iter().map(considered).collect()),
        lines: system.map_or(Vec::new(), |s| lines(writer, s)),
    }
}

/// What the loops are called, as in [`super::text`]; nothing for other blocks.
fn titles(program: &Program, sorted: &Sorted) -> Vec<String> {
    let inlined = program.discretized.is_some();
    let (mut once, mut always) = (0, 0);
    let mut late = super::systems::systems(&[&program.dynamics]).len();
    let title = |block: &Block| {
        let next = |words: &str, count: &mut usize| {
            *count += 1;
            format!("{words} {count}")
        };
        match block.when {
            _ if !block.is_loop() => String::new(),
            When::Once => next("once, from parameters,", &mut once),
            When::Always if inlined => next("inlined", &mut always),
            When::Always => next("loop", &mut always),
            When::Late => next("loop", &mut late),
        }
    };
    sorted.blocks.iter().map(title).collect()
}

/// What the names mean that the translation made.
fn glossary(program: &Program) -> String {
    const WORDS: [(&str, &str); 8] = [
        (
            "crossing",
            "the difference of the two sides of a condition: when its sign changes there is an event",
        ),
        ("step", "the value of floor, ceil, mod and the like, which changes at events"),
        ("sample", "true at the ticks of a clock"),
        ("delayed", "what a delay remembers"),
        ("delay", "the value of a delay"),
        ("when", "the condition of a when clause"),
        ("Q", "an intermediate result"),
        ("h", "the step of the integration"),
    ];
    let is_one = |name: &str, word: &str| {
        let number = name.strip_prefix(word);
        number.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()) && (word == "h") == n.is_empty())
    };
    let helpers = || program.variables.iter().filter(|v| v.kind == Kind::Helper);
    let used = WORDS.iter().filter(|(word, _)| helpers().any(|v| is_one(&v.name, word)));
    let mut words: Vec<String> =
        used.map(|(word, meaning)| {
            if *word == "h" { format!("h: {meaning}") } else { format!("{word}1, {word}2, …: {meaning}") }
        })
        .collect();
    if helpers().any(|v| v.name.starts_with("old(")) {
        words.push("old(x): the value of x at the last step".into());
    }
    if program.discretized.as_ref().is_some_and(|d| !d.stages.is_empty()) {
        words.push("x with a number in brackets above it: x at that stage inside of a step".into());
    }
    words.push("der(x): the derivative of x, written with a dot".into());
    format!("{}.", words.join("; "))
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

/// The states, by name as far as there is room.
fn states(program: &Program) -> String {
    let names: Vec<&str> =
        program.states.iter().map(|s| program.variables[s.variable.index()].name.as_str()).collect();
    let first = names.iter().take(STATES_SHOWN).map(|n| format!("<code>{}</code>", escape(n)));
    let first: Vec<String> = first.collect();
    let more = match names.len().saturating_sub(STATES_SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let words = if names.is_empty() {
        "none".to_owned()
    } else {
        format!("{}: {}{more}", names.len(), first.join(", "))
    };
    format!("<li><b>States</b> {words}</li>")
}

/// Where the equations come from, and where they went as a bar; writing to a string cannot fail.
fn lead(account: &Account) -> String {
    let from: Vec<String> = account.from.iter().map(|s| format!("{} {}", s.equations, s.what)).collect();
    let mut out = format!(
        "<p><b>{}</b> for <b>{}</b>: {}.</p>\n",
        super::counted(account.equations, "equation"),
        super::counted(account.unknowns, "unknown"),
        escape(&from.join(", "))
    );
    let (mut bar, mut list) = (String::new(), String::new());
    for went in &account.went {
        let (class, count) = (tone(went.fate), went.equations);
        let short = went.fate.short();
        let _ = write!(
            bar,
            "<span class=\"{class}\" style=\"flex-grow:{count}\" title=\"{count} {short}\"></span>"
        );
        let _ = write!(
            list,
            "<li><span class=\"key {class}\"></span><b>{count}</b> {}</li>",
            escape(&went.fate.words(count, went.loops))
        );
    }
    let _ = write!(
        out,
        "<div class=\"went\" aria-hidden=\"true\">{bar}</div>\n<ul class=\"legend\">{list}</ul>\n"
    );
    let mut added = Vec::new();
    if account.derivatives > 0 {
        added.push(format!("{} of equations", super::counted(account.derivatives, "derivative")));
    }
    if account.helpers > 0 {
        added.push(format!("{} for conditions, delays and the like", account.helpers));
    }
    if !added.is_empty() {
        let _ = write!(out, "<p class=\"soft\">Added and solved with them: {}.</p>", added.join(", "));
    }
    out
}

/// The colour class of what became of equations.
fn tone(fate: Fate) -> &'static str {
    match fate {
        Fate::Given | Fate::Same | Fate::Number | Fate::Derivative | Fate::Clock | Fate::Nowhere => "gone",
        Fate::Once | Fate::OnceLoop => "once",
        Fate::Alone => "explicit",
        Fate::Loop | Fate::LateLoop => "loop",
        Fate::Late => "late",
        Fate::Event | Fate::EventLoop | Fate::Tick => "mixed",
    }
}

/// The loops of the initial problem and those at events; writing to a string cannot fail.
fn initial(writer: &Writer) -> String {
    let systems = super::systems::systems(&[&writer.program.initial]);
    let mut out = String::new();
    if systems.is_empty() {
        out.push_str("<p class=\"soft\">None.</p>");
    }
    for (i, system) in systems.iter().take(INITIAL).enumerate() {
        let mut text = String::new();
        writer.one_loop(&mut text, &format!("at the start {}", i + 1), system);
        folded(&mut out, &text);
    }
    if systems.len() > INITIAL {
        let _ = write!(out, "<p>… and {} more</p>", systems.len() - INITIAL);
    }
    let mut at_events = String::new();
    writer.at_events(&mut at_events);
    if !at_events.is_empty() {
        out.push_str("<h3>With conditions, at events</h3>");
    }
    // A title is less indented than what belongs to it.
    let mut one = String::new();
    for line in at_events.lines() {
        if !line.starts_with("    ") && !one.is_empty() {
            folded(&mut out, &std::mem::take(&mut one));
        }
        let _ = writeln!(one, "{line}");
    }
    if !one.is_empty() {
        folded(&mut out, &one);
    }
    out
}

/// A text to be opened by its first line.
fn folded(out: &mut String, text: &str) {
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut title = title.trim().to_owned();
    if let Some(first) = title.get(..1).map(str::to_uppercase) {
        title.replace_range(..1, &first);
    }
    let title = escape(&title);
    let _ = write!(
        out,
        "<details><summary>{title}</summary><div class=\"lines\">{}</div></details>",
        hanging(rest)
    );
}

/// Lines of text, each indented as it is also where it is broken.
fn hanging(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let _ = writeln!(out, "<div style=\"margin-left:{indent}ch\">{}</div>", escape(words));
    }
    out
}

/// Seconds as people say them: `0.42 ms`, `1.3 s`.
fn duration(seconds: f64) -> String {
    let (value, unit) = if seconds < 1.0 { (1e3 * seconds, "ms") } else { (seconds, "s") };
    let digits = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.digits$} {unit}")
}

/// What a run took, and its curves.
fn shown(run: &RunShown) -> String {
    let s = run.statistics;
    let rows = [
        ("time", format!("{} to {} s", run.start, s.end)),
        ("method", format!("{}, tolerance {:e}", run.method, run.tolerance)),
        ("steps", format!("{}, and {} rejected", s.steps, s.rejected)),
        ("evaluations of the model", s.rhs_evaluations.to_string()),
        ("Jacobians", s.jacobians.to_string()),
        ("Newton iterations", format!("{}, {} of them failed", s.newton_iterations, s.nonlinear_failures)),
        ("solved with pivoting after all", s.pivot_fallbacks.to_string()),
        ("events", format!("{} searched for, {} known in advance", s.state_events, s.time_events)),
        ("time it took", duration(run.seconds)),
    ];
    let mut out = String::from("<table id=\"statistics\">");
    for (what, value) in rows {
        let _ = write!(out, "<tr><td>{what}</td><td>{}</td></tr>", escape(&value));
    }
    out.push_str("</table>\n");
    if let Some(message) = &s.terminated {
        let _ = writeln!(out, "<p>Ended by the model: {}</p>", escape(message));
    }
    if let Some(audit) = run.audit {
        let _ = writeln!(out, "<pre id=\"audit\">{}</pre>", escape(&audit.text()));
    }
    match plot::audited(run.trajectory, "", run.plot, run.audit) {
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
            audit: None,
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

    /// Loops have the same names and costs on the page and in the words.
    #[test]
    fn the_page_says_what_the_words_say() {
        // Chain leaves a part of its loop to the results, Divider has a loop that is solved once.
        for model in ["Kausal.Examples.Chain", "Kausal.Examples.Divider", "Kausal.Examples.Rectifier"] {
            let mut session = Session::new();
            let flat = session.flatten(model).expect("a correct model");
            let program = session.translate(&flat, &Default::default()).expect("a regular model");
            let words = super::super::text(&flat, &program, session.sources(), Extent { equations: 3 });
            let writer = Writer::new(&flat, &program, session.sources(), Extent { equations: 3 });
            let sorted = sorted(&program);
            let loops: Vec<_> = data(&writer, &sorted).blocks.into_iter().filter(|b| b.is_loop).collect();
            assert!(!loops.is_empty(), "{model}");
            for l in loops {
                let (at, costs) =
                    (format!("  {}: {} equations", l.title, l.size), format!("    costs {}\n", l.costs));
                let own =
                    words.split_once(&at).map(|(_, rest)| rest).unwrap_or_else(|| panic!("{at:?}: {words}"));
                assert_eq!(own.find("    costs "), own.find(&costs), "{costs:?}: {own}");
            }
        }
    }

    #[test]
    fn a_run_is_shown() {
        let page = page(true);
        assert!(page.contains("<td>4711, and 0 rejected</td>") && page.contains("<svg"));
        assert!(!page.contains("Not run") && !page.contains("{{"));
    }
}
