//! What a translation became, in numbers: for people and, as the command line contract says, for programs.

use kausal_symbolic::VarId;
use kausal_symbolic::count::Operations;
use kausal_translate::program::{Alternative, EquationRef, Form, Iteration, LinearMethod, Step, System};
use kausal_translate::{Program, flow};
use serde::Serialize;

use crate::count::papers_count;
use crate::explain::counted;
use crate::session::Seconds;

/// Does the inlined step of a program iterate on anything?
pub fn step_iterates(program: &Program) -> bool {
    let section = program.discretized.as_ref();
    section.is_some_and(|section| flow::iterates(&section.steps) || !section.substituted.is_empty())
}

/// `kausal translate --json`.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// The model.
    pub model: String,
    /// Scalar equations of the flat model.
    pub equations: usize,
    /// Scalar unknowns of the flat model.
    pub unknowns: usize,
    /// Variables eliminated as aliases.
    pub alias: usize,
    /// Continuous states.
    pub states: Vec<String>,
    /// Sets of states selected while running.
    pub dynamic_state_sets: usize,
    /// What was differentiated.
    pub index_reduced: Vec<String>,
    /// Systems of simultaneous equations.
    pub systems: Vec<SystemSummary>,
    /// The inlined integration, if any.
    pub inline: Option<InlineSummary>,
    /// Operations by section.
    pub operations: Sections,
    /// Seconds by phase.
    pub seconds: SecondsSummary,
}

/// One system of simultaneous equations.
#[derive(Debug, Serialize)]
pub struct SystemSummary {
    /// `parameters`, `initial`, `dynamics` (also what only results need) or `discretized`.
    pub section: &'static str,
    /// `linear` or `nonlinear`.
    pub kind: &'static str,
    /// It also has discrete unknowns.
    pub mixed: bool,
    /// Equations of the strongly connected block.
    pub size: usize,
    /// Unknowns left to a solver.
    pub torn: usize,
    /// How it is solved.
    pub method: &'static str,
    /// Is what is left symmetric?
    pub symmetric: bool,
    /// The tearing variables.
    pub tearing_variables: Vec<String>,
    /// The residue equations.
    pub residuals: Vec<String>,
    /// The ways it could be solved, with their prices.
    pub alternatives: Vec<AlternativeSummary>,
}

/// A way to solve a system.
#[derive(Debug, Serialize)]
pub struct AlternativeSummary {
    /// Which way.
    pub way: &'static str,
    /// Unknowns left to a solver.
    pub left: usize,
    /// `+` and `-` of each evaluation.
    pub add: u64,
    /// `*` and `/` of each evaluation.
    pub mul: u64,
    /// Operations done once.
    pub once: u64,
    /// What it counts in the comparison; none where it is out of the question.
    pub price: Option<f64>,
    /// Was it taken?
    pub chosen: bool,
    /// Why not, or what there is to know about it.
    pub note: String,
}

/// The inlined integration.
#[derive(Debug, Serialize)]
pub struct InlineSummary {
    /// Which formula.
    pub method: String,
    /// What Newton iterates on.
    pub iteration_variables: Vec<String>,
    /// What iterations inside that one iterate on, each by itself.
    pub inner_variables: Vec<String>,
}

/// Operations by section.
#[derive(Debug, Serialize)]
pub struct Sections {
    /// Once.
    pub parameters: Counts,
    /// At the start.
    pub initial: Counts,
    /// Each evaluation.
    pub dynamics: Counts,
    /// Besides, where results are wanted.
    pub outputs: Counts,
    /// Each round of an event.
    pub discrete: Counts,
    /// Each inlined step.
    pub discretized: Counts,
    /// As the papers count, over the sections.
    pub papers: PapersSummary,
}

/// [`papers_count`]
#[derive(Debug, Serialize)]
pub struct PapersSummary {
    /// Everything that is computed from states and parameters.
    pub total: Counts,
    /// What derivatives need of it.
    pub derivatives: Counts,
    /// Left out: the current into `Common`.
    pub common: Counts,
    /// Left out: what only the initial problem needs.
    pub initial: Counts,
}

/// Operations as the papers count them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// `+` and `-`
    pub add: u64,
    /// `*` and `/`
    pub mul: u64,
    /// Function calls.
    pub call: u64,
}

/// Seconds by phase.
#[derive(Debug, Serialize)]
pub struct SecondsSummary {
    /// Reading.
    pub load: f64,
    /// Flattening.
    pub flatten: f64,
    /// Translation.
    pub translate: f64,
    /// Machine code.
    pub codegen: f64,
}

/// Sums up a program.
pub fn of(program: &Program, seconds: Seconds) -> Summary {
    let mut systems = Vec::new();
    collect(program, &program.parameters, "parameters", &mut systems);
    collect(program, &program.initial, "initial", &mut systems);
    collect(program, &program.dynamics, "dynamics", &mut systems);
    collect(program, &program.outputs, "dynamics", &mut systems);
    let nothing: &[Step] = &[];
    let discretized = program.discretized.as_ref().map_or(nothing, |d| &d.steps);
    collect(program, discretized, "discretized", &mut systems);
    let report = &program.report;
    let operations = kausal_codegen::count::operations(program);
    let papers = papers_count(program);
    Summary {
        model: program.name.clone(),
        equations: report.equations,
        unknowns: report.unknowns,
        alias: report.aliases,
        states: program.states.iter().map(|s| name(program, s.variable)).collect(),
        dynamic_state_sets: program.state_sets.len(),
        index_reduced: report.index_reduced.clone(),
        systems,
        inline: program.discretized.as_ref().map(|d| InlineSummary {
            method: d.method.clone(),
            iteration_variables: iterated(&d.steps, false).map(|v| name(program, v)).collect(),
            inner_variables: iterated(&d.steps, true).map(|v| name(program, v)).collect(),
        }),
        operations: Sections {
            parameters: operations.parameters.into(),
            initial: operations.initial.into(),
            dynamics: operations.dynamics.into(),
            outputs: operations.outputs.into(),
            discrete: operations.discrete.into(),
            discretized: operations.discretized.into(),
            papers: PapersSummary {
                total: papers.total.into(),
                derivatives: papers.derivatives.into(),
                common: papers.common.into(),
                initial: papers.initial.into(),
            },
        },
        seconds: SecondsSummary {
            load: seconds.load,
            flatten: seconds.flatten,
            translate: seconds.translate,
            codegen: seconds.codegen,
        },
    }
}

/// The same in words, with at most so many entries of each list (states, differentiated equations, systems).
pub fn text(program: &Program, entries: usize) -> String {
    let s = of(program, Seconds::default());
    let mut out = format!(
        "{}: {}, {}, {}, {}\n",
        s.model,
        counted(s.equations, "equation"),
        counted(s.unknowns, "unknown"),
        if s.alias == 1 { "1 alias".to_owned() } else { format!("{} aliases", s.alias) },
        counted(s.states.len(), "state")
    );
    if !s.states.is_empty() {
        out.push_str(&format!("states: {}\n", some_of(&s.states, entries)));
    }
    for d in s.index_reduced.iter().take(entries) {
        out.push_str(&format!("differentiated: {d}\n"));
    }
    out.push_str(&left_out(s.index_reduced.len(), entries, "differentiated equations"));
    for system in s.systems.iter().take(entries) {
        let mixed = if system.mixed { ", mixed" } else { "" };
        out.push_str(&format!(
            "{}: {} system of {}{mixed}, {} left ({})",
            system.section,
            system.kind,
            counted(system.size, "equation"),
            system.torn,
            system.method
        ));
        if !system.tearing_variables.is_empty() {
            out.push_str(&format!(": {}", some_of(&system.tearing_variables, entries)));
        }
        out.push('\n');
    }
    out.push_str(&left_out(s.systems.len(), entries, "systems"));
    let o = &s.operations;
    let mut sections = vec![
        ("parameters", o.parameters),
        ("initial", o.initial),
        ("dynamics", o.dynamics),
        ("outputs", o.outputs),
    ];
    if s.inline.is_some() {
        sections.push(("discretized", o.discretized));
    }
    for (section, c) in sections {
        let calls = counted(c.call as usize, "call");
        out.push_str(&format!("{section}: {} mul, {} add, {calls}\n", c.mul, c.add));
    }
    out.push_str(&papers_line(&o.papers));
    out
}

/// The first entries of a list and how many more there are.
fn some_of(all: &[String], entries: usize) -> String {
    let shown = all[..all.len().min(entries)].join(", ");
    match all.len().saturating_sub(entries) {
        0 => shown,
        more => format!("{shown} and {more} more (--verbose lists all)"),
    }
}

/// A line for the rows of a list that are not shown.
fn left_out(all: usize, entries: usize, what: &str) -> String {
    match all.saturating_sub(entries) {
        0 => String::new(),
        more => format!("and {more} more {what} (--verbose lists all)\n"),
    }
}

/// Operations as the papers count them; parts are named where they are not empty.
fn papers_line(p: &PapersSummary) -> String {
    let some = |c: &Counts| c.mul + c.add > 0;
    let text = |c: &Counts| format!("{} MULT + {} ADD", c.mul, c.add);
    let mut out = format!("as the papers count: {}", text(&p.total));
    if p.derivatives != p.total {
        out.push_str(&format!(", of which derivatives need {}", text(&p.derivatives)));
    }
    let left_out = [(&p.common, "the current into Common"), (&p.initial, "the initial problem")];
    let left_out = left_out.iter().filter(|(c, _)| some(c)).map(|(c, of)| format!("{} for {of}", text(c)));
    let left_out: Vec<String> = left_out.collect();
    if !left_out.is_empty() {
        out.push_str(&format!("; not counted: {}", left_out.join(", ")));
    }
    out.push('\n');
    out
}

fn name(program: &Program, v: VarId) -> String {
    program.variables[v.index()].name.clone()
}

fn collect(program: &Program, steps: &[Step], section: &'static str, out: &mut Vec<SystemSummary>) {
    for step in steps {
        let Step::System(system) = step else { continue };
        match &system.form {
            Form::Mixed { continuous, .. } => {
                let before = out.len();
                collect(program, continuous, section, out);
                out[before..].iter_mut().for_each(|s| s.mixed = true);
            }
            Form::Linear { method, symmetric, .. } => {
                let method = match (method, symmetric) {
                    (LinearMethod::ClosedForm, _) => "closed-form",
                    (LinearMethod::Torn, true) => "torn-symmetric",
                    (LinearMethod::Torn, false) => "torn-dense",
                    (LinearMethod::Relaxed, _) => "relaxed",
                    (LinearMethod::Sparse, _) => "sparse",
                };
                out.push(one(program, system, section, "linear", method, *symmetric));
            }
            Form::Nonlinear(nonlinear) => {
                let method = match nonlinear.iteration {
                    Iteration::Newton => "torn-newton",
                    Iteration::Jacobi => "jacobi",
                    Iteration::GaussSeidel => "gauss-seidel",
                };
                out.push(one(program, system, section, "nonlinear", method, false));
                collect(program, &nonlinear.steps, section, out);
            }
        }
    }
}

fn one(
    program: &Program,
    system: &System,
    section: &'static str,
    kind: &'static str,
    method: &'static str,
    symmetric: bool,
) -> SystemSummary {
    let equation = |e: &EquationRef| {
        let info = &program.equations[e.0 as usize];
        let side = |e| kausal_symbolic::print::print_limited(&program.pool, e, &|v| name(program, v), 120);
        format!("{} = {}", side(info.lhs), side(info.rhs))
    };
    SystemSummary {
        section,
        kind,
        mixed: system.mixed,
        size: system.equations.len(),
        torn: left(system),
        method,
        symmetric,
        tearing_variables: system.tearing_variables.iter().map(|v| name(program, *v)).collect(),
        residuals: system.residuals.iter().map(equation).collect(),
        alternatives: system.alternatives.iter().map(alternative).collect(),
    }
}

/// Unknowns left to a solver: the iteration variables, or the unknowns of numerical kernels.
fn left(system: &System) -> usize {
    let Form::Linear { steps, .. } = &system.form else { return system.tearing_variables.len() };
    let kernels = steps.iter().filter_map(|step| match step {
        Step::Solve(solve) => Some(solve.unknowns.len()),
        _ => None,
    });
    kernels.sum()
}

pub(crate) fn alternative(a: &Alternative) -> AlternativeSummary {
    AlternativeSummary {
        way: a.way.name(),
        left: a.left,
        add: a.add,
        mul: a.mul,
        once: a.once,
        price: Some(a.price).filter(|p| p.is_finite()),
        chosen: a.chosen,
        note: a.note.clone(),
    }
}

/// What nonlinear systems iterate on, those that stand by themselves or those inside others.
fn iterated(steps: &[Step], inside: bool) -> impl Iterator<Item = VarId> {
    let mut stack: Vec<(&Step, bool)> = steps.iter().rev().map(|step| (step, false)).collect();
    let mut found = Vec::new();
    while let Some((step, is_inside)) = stack.pop() {
        let Step::System(system) = step else { continue };
        match &system.form {
            Form::Linear { .. } => {}
            Form::Mixed { continuous, .. } => {
                stack.extend(continuous.iter().rev().map(|step| (step, is_inside)));
            }
            Form::Nonlinear(nonlinear) => {
                if is_inside == inside {
                    found.extend(&system.tearing_variables);
                }
                stack.extend(nonlinear.steps.iter().rev().map(|step| (step, true)));
            }
        }
    }
    found.into_iter()
}

impl From<Operations> for Counts {
    fn from(o: Operations) -> Counts {
        Counts { add: o.add, mul: o.mul, call: o.call }
    }
}
