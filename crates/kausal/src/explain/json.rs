//! `kausal explain --json`: what the words say, for programs. What is counted (equations, operations, systems) is as in
//! `kausal translate --json`; here are the reasons, the equations of the loops and where they are written.

use kausal_model::FlatModel;
use kausal_model::flat::{Origin, Variability};
use kausal_syntax::Sources;
use kausal_translate::Program;
use kausal_translate::program::{Kind, SingularPart, Step, System};
use serde::Serialize;

use super::account::{Account, account};
use super::systems::{cost, how, kind, late_cost, mixed, systems, why_torn};
use super::{Extent, Writer};
use crate::render::JsonDiagnostic;
use crate::summary::{self, AlternativeSummary, Counts, Sections};

/// `kausal explain --json`.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// The model.
    pub model: String,
    /// Where the equations come from and where they went.
    #[serde(flatten)]
    pub account: Account,
    /// The states, with why.
    pub states: Vec<Because>,
    /// Sentences about what is not a state, and why.
    pub decisions: Vec<String>,
    /// What was differentiated.
    pub differentiated: Vec<String>,
    /// The loops.
    pub loops: Vec<Loop>,
    /// Where initial values come from.
    pub initial: Initial,
    /// What causes events.
    pub events: Events,
    /// Operations by section.
    pub operations: Sections,
}

/// A variable, with a reason.
#[derive(Debug, Serialize)]
pub struct Because {
    /// The variable.
    pub name: String,
    /// The reason.
    pub why: String,
}

/// An equation and where it is written.
#[derive(Debug, Serialize)]
pub struct Written {
    /// As the user reads it.
    pub equation: String,
    /// The component it belongs to; empty for the model itself.
    pub component: String,
    /// The file.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// How often it was differentiated.
    pub differentiated: u32,
}

/// A loop.
#[derive(Debug, Serialize)]
pub struct Loop {
    /// `parameters`, `initial`, `dynamics`, `outputs`, `discretized` or `events`.
    pub section: &'static str,
    /// `linear`, `nonlinear`, with conditions or without.
    pub kind: &'static str,
    /// How it is solved.
    pub how: &'static str,
    /// What is torn.
    pub tearing_variables: Vec<String>,
    /// Why that.
    pub why: Option<&'static str>,
    /// What must hold for them.
    pub residuals: Vec<Written>,
    /// All unknowns.
    pub unknowns: Vec<String>,
    /// All equations.
    pub equations: Vec<Written>,
    /// What an evaluation takes, or an iteration.
    pub cost: Counts,
    /// What is left to be computed where results are wanted.
    pub late: Counts,
    /// The ways to solve it that were considered.
    pub alternatives: Vec<AlternativeSummary>,
}

/// Where initial values come from.
#[derive(Debug, Serialize)]
pub struct Initial {
    /// Variables with `fixed = true`.
    pub fixed: Vec<String>,
    /// States with a start value that is not fixed.
    pub guessed: Vec<String>,
    /// States without one.
    pub free: Vec<String>,
    /// The initial equations.
    pub equations: Vec<Written>,
    /// Conditions that were not needed and must hold all the same.
    pub checks: Vec<String>,
}

/// What causes events.
#[derive(Debug, Serialize)]
pub struct Events {
    /// Conditions that are searched for.
    pub searched: usize,
    /// Instants known in advance.
    pub timed: usize,
    /// `sample` operators.
    pub clocks: usize,
    /// `when` clauses.
    pub when_clauses: usize,
}

/// A model without a unique solution.
#[derive(Debug, Serialize)]
pub struct Unsolvable {
    /// The model.
    pub model: String,
    /// The parts with too many equations or too few.
    pub singular: Vec<Part>,
    /// What was said about it.
    pub diagnostics: Vec<JsonDiagnostic>,
}

/// A part with too many equations or too few.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Its equations.
    pub equations: Vec<Written>,
    /// Its unknowns.
    pub unknowns: Vec<String>,
}

/// The explanation of a translation.
pub fn explanation(flat: &FlatModel, program: &Program, sources: &Sources) -> Explanation {
    let writer = Writer::new(flat, program, sources, Extent { equations: usize::MAX });
    let nothing: &[Step] = &[];
    let sections: [(&'static str, &[Step]); 5] = [
        ("parameters", &program.parameters),
        ("initial", &program.initial),
        ("dynamics", &program.dynamics),
        ("outputs", &program.outputs),
        ("discretized", program.discretized.as_ref().map_or(nothing, |d| &d.steps)),
    ];
    let loops = sections.iter().flat_map(|(section, steps)| {
        systems(&[steps]).into_iter().map(|system| one_loop(&writer, section, system))
    });
    let at_events = mixed(&program.discrete).into_iter().map(|system| one_loop(&writer, "events", system));
    Explanation {
        model: program.name.clone(),
        account: account(flat, program),
        states: program
            .states
            .iter()
            .map(|s| Because { name: writer.name(s.variable), why: writer.why_state(s.variable) })
            .collect(),
        decisions: program.report.decisions.clone(),
        differentiated: program.report.index_reduced.clone(),
        loops: loops.chain(at_events).collect(),
        initial: initial(&writer),
        events: Events {
            searched: program.relations.iter().filter(|r| r.timed.is_none()).count(),
            timed: program.time_events.len(),
            clocks: program.samples.len(),
            when_clauses: flat.whens.len(),
        },
        operations: summary::of(program, Default::default()).operations,
    }
}

/// What is known about a model without a unique solution.
pub fn unsolvable(
    model: &str,
    parts: &[SingularPart],
    diagnostics: Vec<JsonDiagnostic>,
    sources: &Sources,
) -> Unsolvable {
    let part = |part: &SingularPart| Part {
        equations: part.equations.iter().map(|(text, origin)| written(sources, text, origin, 0)).collect(),
        unknowns: part.unknowns.clone(),
    };
    Unsolvable { model: model.to_owned(), singular: parts.iter().map(part).collect(), diagnostics }
}

fn one_loop(writer: &Writer, section: &'static str, system: &System) -> Loop {
    let names = |list: &[kausal_symbolic::VarId]| list.iter().map(|v| writer.name(*v)).collect::<Vec<_>>();
    let equations = |list: &[kausal_translate::program::EquationRef]| {
        let one = |e: &kausal_translate::program::EquationRef| {
            let info = &writer.program.equations[e.0 as usize];
            let text = format!("{} = {}", writer.formula(info.lhs), writer.formula(info.rhs));
            written(writer.sources, &text, &info.origin, info.differentiated)
        };
        list.iter().map(one).collect::<Vec<_>>()
    };
    let torn =
        !system.tearing_variables.is_empty() && system.tearing_variables.len() < system.equations.len();
    Loop {
        section,
        kind: kind(system),
        how: how(system),
        tearing_variables: names(&system.tearing_variables),
        why: torn.then(|| why_torn(system)),
        residuals: equations(&system.residuals),
        unknowns: names(&system.unknowns),
        equations: equations(&system.equations),
        cost: cost(&writer.program.pool, system).into(),
        late: late_cost(writer.program, system).into(),
        alternatives: system.alternatives.iter().map(summary::alternative).collect(),
    }
}

fn initial(writer: &Writer) -> Initial {
    let (mut fixed, mut guessed, mut free) = (Vec::new(), Vec::new(), Vec::new());
    for (i, variable) in writer.flat.variables.iter().enumerate() {
        if variable.variability <= Variability::Parameter {
            continue;
        }
        let is_state = matches!(writer.program.variables.get(i).map(|v| v.kind), Some(Kind::State));
        match (variable.fixed == Some(true), variable.start.is_some()) {
            (true, _) => fixed.push(variable.name.clone()),
            (false, true) if is_state => guessed.push(variable.name.clone()),
            (false, false) if is_state => free.push(variable.name.clone()),
            _ => {}
        }
    }
    let equations = writer.flat.initial_equations.iter().map(|e| {
        let text = format!("{} = {}", writer.flat_formula(e.lhs), writer.flat_formula(e.rhs));
        written(writer.sources, &text, &e.origin, 0)
    });
    Initial {
        fixed,
        guessed,
        free,
        equations: equations.collect(),
        checks: writer.program.checks.iter().map(|c| c.text.clone()).collect(),
    }
}

/// An equation with its place.
pub(crate) fn written(sources: &Sources, text: &str, origin: &Origin, differentiated: u32) -> Written {
    let place = origin.location.map(|location| {
        let (line, _) = sources.line_column(location.source, location.span.start);
        (sources.get(location.source).name.clone(), line)
    });
    Written {
        equation: text.to_owned(),
        component: origin.component.clone(),
        file: place.as_ref().map(|(file, _)| file.clone()),
        line: place.map(|(_, line)| line),
        differentiated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn programs_read_what_people_read() {
        let mut session = Session::new();
        let flat = session.flatten("Kausal.Examples.Rectifier").expect("a correct model");
        let program = session.translate(&flat, &Default::default()).expect("a regular model");
        let said = serde_json::to_value(explanation(&flat, &program, session.sources())).unwrap();
        let went: u64 =
            said["went"].as_array().unwrap().iter().map(|w| w["equations"].as_u64().unwrap()).sum();
        assert_eq!(Some(went), said["equations"].as_u64());
        assert_eq!(said["states"][0]["name"], "capacitor.v");
        let dynamic = said["loops"].as_array().unwrap().iter().find(|l| l["section"] == "dynamics").unwrap();
        assert!(dynamic["equations"].as_array().unwrap().len() > 4);
        assert!(dynamic["equations"][0]["line"].as_u64().is_some_and(|line| line > 0), "{dynamic}");
        assert_eq!(said["initial"]["fixed"], serde_json::json!(["capacitor.v"]));
    }
}
