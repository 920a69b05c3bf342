//! What a translation did with a model, in words: where the equations went, which loops are left and how they are
//! solved, why these states, what was differentiated, where initial values come from, what causes events.
//!
//! Everything is said in the names and lines of the model. The facts are in the
//! [`Program`]; which start values are fixed is in the [`FlatModel`].

pub mod html;
pub mod matrix;
pub mod sorted;

use std::collections::HashSet;
use std::fmt::Write;

use kausal_model::FlatModel;
use kausal_model::flat::{Origin, OriginKind, StateSelect, Variability};
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::Sources;
use kausal_translate::Program;
use kausal_translate::program::{
    Alternative, EquationRef, Form, Iteration, Kind, LinearMethod, Step, System, Way,
};

use crate::summary;

/// Characters of a formula, names in a list.
const WIDTH: usize = 100;
const NAMES: usize = 12;

/// How much is shown.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Equations of each loop.
    pub equations: usize,
}

/// The explanation.
pub fn text(flat: &FlatModel, program: &Program, sources: &Sources, extent: Extent) -> String {
    let writer = Writer { flat, program, sources, extent };
    let mut out = String::new();
    writer.equations(&mut out);
    writer.states(&mut out);
    writer.differentiated(&mut out);
    writer.loops(&mut out);
    writer.initial(&mut out);
    writer.events(&mut out);
    writer.cost(&mut out);
    out
}

struct Writer<'a> {
    flat: &'a FlatModel,
    program: &'a Program,
    sources: &'a Sources,
    extent: Extent,
}

// Writing to a string cannot fail: results of `writeln!` are dropped throughout.
impl Writer<'_> {
    fn equations(&self, out: &mut String) {
        let report = &self.program.report;
        let _ = writeln!(
            out,
            "{}: {} equations for {} unknowns",
            self.program.name, report.equations, report.unknowns
        );
        let mut kinds = [0usize; 6];
        for equation in &self.flat.equations {
            kinds[match equation.origin.kind {
                OriginKind::Equation => 0,
                OriginKind::Binding => 1,
                OriginKind::Algorithm => 2,
                OriginKind::Connect => 3,
                OriginKind::FlowSum => 4,
                OriginKind::Unconnected => 5,
            }] += 1;
        }
        let names = [
            "written as equations",
            "in declarations",
            "of algorithms",
            "from connections",
            "sums of flows",
            "flows of open connectors",
        ];
        let parts: Vec<String> = kinds
            .iter()
            .zip(names)
            .filter(|(count, _)| **count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        if !parts.is_empty() {
            let _ = writeln!(out, "  where they come from: {}", parts.join(", "));
        }
        let systems = systems(&[&self.program.dynamics, &self.program.outputs]);
        let together: usize = systems.iter().map(|s| s.equations.len()).sum();
        let alone = assignments(&[&self.program.dynamics, &self.program.outputs], &systems);
        let more =
            if report.index_reduced.is_empty() { "" } else { " (with derivatives of some: see below)" };
        let _ = writeln!(
            out,
            "  where they went{more}: {} say that variables are equal or constant and are gone, {} are solved one by one, {} in {}",
            report.aliases,
            alone,
            together,
            counted(systems.len(), "loop")
        );
    }

    fn states(&self, out: &mut String) {
        let states = &self.program.states;
        if states.is_empty() {
            let _ = writeln!(
                out,
                "\nStates: none; everything follows from time and from what events left behind"
            );
            return;
        }
        let _ = writeln!(out, "\nStates: {}", states.len());
        for state in states {
            let name = self.name(state.variable);
            let _ = writeln!(out, "  {name}: {}", self.why_state(state.variable));
        }
        for decision in &self.program.report.decisions {
            let _ = writeln!(out, "  {}", shortened(decision));
        }
    }

    fn why_state(&self, v: VarId) -> String {
        if let Some(set) = self.program.state_sets.iter().find(|s| s.states.contains(&v)) {
            let names: Vec<String> = set.candidates.iter().map(|v| self.name(*v)).collect();
            return format!("stands for one of {}, whichever is best at the time", some(&names));
        }
        let prefer = match self.flat.variables.get(v.index()).map(|v| v.state_select) {
            Some(StateSelect::Always) => Some("the model says stateSelect = always"),
            Some(StateSelect::Prefer) => Some("the model prefers it (stateSelect = prefer)"),
            Some(StateSelect::Avoid) => Some("nothing else would do, although the model avoids it"),
            _ => None,
        };
        let derivative = format!("der({})", self.name(v));
        let written = if self.program.variables.iter().any(|v| v.name == derivative) {
            "the model has its derivative"
        } else {
            "its derivative came from differentiating equations"
        };
        match prefer {
            Some(prefer) => format!("{prefer}; {written}"),
            None => written.to_owned(),
        }
    }

    fn differentiated(&self, out: &mut String) {
        let twice: Vec<_> = self.program.equations.iter().filter(|e| e.differentiated > 0).collect();
        if self.program.report.index_reduced.is_empty() && twice.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "\nDifferentiated, because states depend on each other: {}",
            counted(self.program.report.index_reduced.len(), "equation")
        );
        let reduced = &self.program.report.index_reduced;
        for equation in reduced.iter().take(self.extent.equations) {
            let _ = writeln!(out, "  {equation}");
        }
        if reduced.len() > self.extent.equations {
            let mut components: Vec<String> = twice.iter().map(|e| e.origin.component.clone()).collect();
            components.sort();
            components.dedup();
            components.retain(|c| !c.is_empty());
            let places =
                if components.is_empty() { String::new() } else { format!("; in {}", some(&components)) };
            let _ = writeln!(out, "  … and {} more{places}", reduced.len() - self.extent.equations);
        }
        let never: Vec<String> = self
            .flat
            .variables
            .iter()
            .enumerate()
            .filter(|(i, v)| {
                let is_state = matches!(self.program.variables.get(*i).map(|v| v.kind), Some(Kind::State));
                v.variability == Variability::Continuous && !is_state && v.state_select >= StateSelect::Prefer
            })
            .map(|(_, v)| v.name.clone())
            .collect();
        if !never.is_empty() {
            let _ = writeln!(out, "  preferred as states, but determined by others: {}", some(&never));
        }
    }

    fn loops(&self, out: &mut String) {
        let dynamic = systems(&[&self.program.dynamics, &self.program.outputs]);
        let initial = systems(&[&self.program.initial]);
        let _ = writeln!(out, "\nLoops: {} in each step, {} at the start", dynamic.len(), initial.len());
        for (i, system) in dynamic.iter().enumerate() {
            self.one_loop(out, &format!("loop {}", i + 1), system);
        }
        self.inlined(out);
        for (i, system) in initial.iter().enumerate() {
            let title = format!("at the start {}", i + 1);
            match dynamic.iter().position(|d| is_same(d, system)) {
                Some(same) => {
                    let _ = writeln!(
                        out,
                        "  {title}: the same equations as loop {}, solved in the same way",
                        same + 1
                    );
                }
                None => self.one_loop(out, &title, system),
            }
        }
    }

    /// The loops of an inlined step.
    fn inlined(&self, out: &mut String) {
        let Some(discretized) = &self.program.discretized else { return };
        let systems = systems(&[&discretized.steps]);
        let _ = writeln!(
            out,
            "  in each step of {}, which is a part of the model now: {}",
            discretized.method,
            counted(systems.len(), "loop")
        );
        for (i, system) in systems.iter().enumerate() {
            self.one_loop(out, &format!("inlined {}", i + 1), system);
        }
    }

    fn one_loop(&self, out: &mut String, title: &str, system: &System) {
        let size = system.equations.len();
        let torn = system.tearing_variables.len();
        let _ = writeln!(out, "  {title}: {} ({}), {}", counted(size, "equation"), kind(system), how(system));
        if torn > 0 && torn < size {
            let names: Vec<String> = system.tearing_variables.iter().map(|v| self.name(*v)).collect();
            let left = match &system.form {
                Form::Linear { method: LinearMethod::Relaxed, .. } => "they are eliminated one after another",
                Form::Linear { method: LinearMethod::ClosedForm, .. } if torn == 1 => {
                    "the last one is a formula too"
                }
                Form::Linear { method: LinearMethod::ClosedForm, .. } => "the last ones are formulas too",
                _ => "only they are left to a solver",
            };
            let _ = writeln!(
                out,
                "    torn at {}: with {} given, the other {} of {size} follow one from another; {left}",
                some(&names),
                if torn == 1 { "it" } else { "them" },
                size - torn,
            );
            let _ = writeln!(
                out,
                "    why {}: {}",
                if torn == 1 { "this one" } else { "these" },
                why_torn(system)
            );
            for (i, residual) in system.residuals.iter().take(NAMES).enumerate() {
                let about = names.get(i).map_or(String::new(), |n| format!(" for {n}"));
                let _ = writeln!(out, "    what must hold{about}: {}", self.equation(*residual));
            }
        } else {
            let names: Vec<String> = system.unknowns.iter().map(|v| self.name(*v)).collect();
            let _ = writeln!(out, "    unknowns: {}", some(&names));
        }
        let steps = inner(system);
        let o = kausal_codegen::count::steps_operations(&self.program.pool, &steps);
        let each = if matches!(system.form, Form::Nonlinear(_)) { " for each iteration" } else { "" };
        let _ = writeln!(
            out,
            "    costs {} mul, {} add, {}{each}",
            o.mul,
            o.add,
            counted(o.call as usize, "call")
        );
        for way in &system.alternatives {
            let _ = writeln!(out, "    {}", considered(way));
        }
        for equation in system.equations.iter().take(self.extent.equations) {
            let _ = writeln!(out, "      {}", self.equation(*equation));
        }
        if size > self.extent.equations {
            let _ = writeln!(out, "      … and {} more", size - self.extent.equations);
        }
    }

    fn initial(&self, out: &mut String) {
        let _ = writeln!(out, "\nInitial values");
        let (mut fixed, mut guessed, mut free) = (Vec::new(), Vec::new(), Vec::new());
        for (i, variable) in self.flat.variables.iter().enumerate() {
            if variable.variability <= Variability::Parameter {
                continue;
            }
            let is_state = matches!(self.program.variables.get(i).map(|v| v.kind), Some(Kind::State));
            let start = variable.start.map(|e| format!("{} = {}", variable.name, self.flat_formula(e)));
            match (variable.fixed == Some(true), start) {
                (true, start) => fixed.push(start.unwrap_or_else(|| format!("{} = 0", variable.name))),
                (false, Some(start)) if is_state => guessed.push(start),
                (false, None) if is_state => free.push(variable.name.clone()),
                _ => {}
            }
        }
        let lines = [
            ("fixed", &fixed),
            ("states that start near a value, unless initial equations say otherwise", &guessed),
            ("states without a start value, 0 unless initial equations say otherwise", &free),
        ];
        for (what, names) in lines {
            if !names.is_empty() {
                let _ = writeln!(out, "  {what}: {}", some(names));
            }
        }
        let guesses = self.guesses();
        if !guesses.is_empty() {
            let _ = writeln!(out, "  where the iterations of nonlinear loops begin: {}", some(&guesses));
        }
        if !self.flat.initial_equations.is_empty() {
            let _ = writeln!(out, "  initial equations: {}", self.flat.initial_equations.len());
            for equation in self.flat.initial_equations.iter().take(self.extent.equations) {
                let text =
                    format!("{} = {}", self.flat_formula(equation.lhs), self.flat_formula(equation.rhs));
                let _ = writeln!(out, "    {text}{}", self.place(&equation.origin));
            }
        }
        for check in &self.program.checks {
            let _ = writeln!(out, "  not needed, but must hold: {}{}", check.text, self.place(&check.origin));
        }
        if fixed.is_empty() && guessed.is_empty() && free.is_empty() && self.flat.initial_equations.is_empty()
        {
            let _ = writeln!(out, "  nothing to choose: the equations determine everything");
        }
    }

    /// What the nonlinear loops of the initial problem iterate on, with the start values.
    fn guesses(&self) -> Vec<String> {
        let mut guesses = Vec::new();
        for system in systems(&[&self.program.initial]) {
            let Form::Nonlinear(nonlinear) = &system.form else { continue };
            for v in &nonlinear.unknowns {
                let start = self.flat.variables.get(v.index()).and_then(|v| v.start);
                let value = start.map_or("0 (no start value)".to_owned(), |e| self.flat_formula(e));
                guesses.push(format!("{} = {value}", self.name(*v)));
            }
        }
        guesses
    }

    fn events(&self, out: &mut String) {
        let p = self.program;
        let searched = p.relations.iter().filter(|r| r.timed.is_none()).count();
        if p.relations.is_empty()
            && p.samples.is_empty()
            && p.time_events.is_empty()
            && self.flat.whens.is_empty()
        {
            return;
        }
        let _ = writeln!(
            out,
            "\nEvents: {} searched for, {} at instants known in advance, {}, {}",
            counted(searched, "condition"),
            p.time_events.len(),
            counted(p.samples.len(), "clock"),
            counted(self.flat.whens.len(), "when clause")
        );
    }

    fn cost(&self, out: &mut String) {
        let s = summary::of(self.program, Default::default());
        let o = &s.operations;
        let _ = writeln!(out, "\nCost");
        let inlined = self.program.discretized.as_ref().map(|_| ("each inlined step", o.discretized));
        let sections = [
            ("once, from parameters", o.parameters),
            ("at the start", o.initial),
            ("each evaluation", o.dynamics),
        ];
        for (what, c) in sections.into_iter().chain(inlined) {
            let calls = counted(c.call as usize, "call");
            let _ = writeln!(out, "  {what}: {} mul, {} add, {calls}", c.mul, c.add);
        }
    }

    fn name(&self, v: VarId) -> String {
        self.program.variables[v.index()].name.clone()
    }

    /// `lhs = rhs`, and where it is written.
    fn equation(&self, equation: EquationRef) -> String {
        let info = &self.program.equations[equation.0 as usize];
        let side = |e| print_limited(&self.program.pool, e, &|v| self.name(v), WIDTH);
        let differentiated = match info.differentiated {
            0 => String::new(),
            1 => ", differentiated".into(),
            n => format!(", differentiated {n} times"),
        };
        format!("{} = {}{}{differentiated}", side(info.lhs), side(info.rhs), self.place(&info.origin))
    }

    fn flat_formula(&self, e: ExprId) -> String {
        print_limited(&self.flat.pool, e, &|v| self.flat.variables[v.index()].name.clone(), WIDTH)
    }

    /// `  (component, File.mo:12)`
    fn place(&self, origin: &Origin) -> String {
        let mut parts = Vec::new();
        if !origin.component.is_empty() {
            parts.push(origin.component.clone());
        }
        if let Some(location) = origin.location {
            let (line, _) = self.sources.line_column(location.source, location.span.start);
            let file = &self.sources.get(location.source).name;
            let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
            parts.push(format!("{file}:{line}"));
        }
        if parts.is_empty() { String::new() } else { format!("  ({})", parts.join(", ")) }
    }
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The first of many.
fn some(names: &[String]) -> String {
    if names.len() <= NAMES {
        return names.join(", ");
    }
    format!("{} and {} more", names[..NAMES].join(", "), names.len() - NAMES)
}

/// A sentence with a long list in it, with the first of the list.
fn shortened(sentence: &str) -> String {
    let names: Vec<&str> = sentence.split(", ").collect();
    if names.len() <= NAMES {
        return sentence.to_owned();
    }
    let reason = sentence.rfind(" (").map_or("", |at| &sentence[at..]);
    format!("{} and {} more{reason}", names[..NAMES].join(", "), names.len() - NAMES)
}

/// Equations that are solved alone: not those a system leaves to be computed where results are wanted.
fn assignments(sections: &[&[Step]], systems: &[&System]) -> usize {
    let together: HashSet<EquationRef> = systems.iter().flat_map(|s| s.equations.iter().copied()).collect();
    let assigned = sections.iter().flat_map(|s| s.iter()).filter_map(|step| match step {
        Step::Assign(a) => a.equation,
        _ => None,
    });
    assigned.filter(|e| !together.contains(e)).collect::<HashSet<_>>().len()
}

/// The systems of sections; of mixed ones the continuous part.
fn systems<'a>(sections: &[&'a [Step]]) -> Vec<&'a System> {
    let mut found = Vec::new();
    let mut stack: Vec<&Step> = sections.iter().rev().flat_map(|s| s.iter().rev()).collect();
    while let Some(step) = stack.pop() {
        let Step::System(system) = step else { continue };
        match &system.form {
            Form::Mixed { continuous, .. } if continuous.iter().any(|s| matches!(s, Step::System(_))) => {
                stack.extend(continuous.iter().rev());
            }
            _ => found.push(&**system),
        }
    }
    found
}

/// `torn: 3 left, 12 mul, 8 add, price 20 (taken)`
fn considered(way: &Alternative) -> String {
    let taken = if way.chosen { " (taken)" } else { "" };
    let note = if way.note.is_empty() { String::new() } else { format!("; {}", way.note) };
    if !way.price.is_finite() {
        return format!("{}: out of the question{note}", way.way.name());
    }
    let (name, left, mul, add, price) = (way.way.name(), way.left, way.mul, way.add, way.price);
    format!("{name}: {left} left, {mul} mul, {add} add, price {price:.0}{taken}{note}")
}

/// Do two systems consist of the same equations, torn at the same variables?
fn is_same(a: &System, b: &System) -> bool {
    fn sorted<T: Copy + Ord>(list: &[T]) -> Vec<T> {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    }
    sorted(&a.equations) == sorted(&b.equations)
        && sorted(&a.tearing_variables) == sorted(&b.tearing_variables)
        && how(a) == how(b)
}

/// Why the tearing variables are the ones they are.
fn why_torn(system: &System) -> &'static str {
    match system.alternatives.iter().find(|way| way.chosen).map(|way| way.way) {
        Some(Way::TornAsDeclared) => {
            "the model or a command declares it, and no way that is safe has a lower price"
        }
        Some(Way::Torn) => {
            "every other equation can then be solved without a division by zero, and no way that is safe has a lower price"
        }
        Some(Way::Relaxed) => {
            "the model declares the order with relax(), and no way that is safe has a lower price"
        }
        Some(_) => "no way that is safe has a lower price",
        None if matches!(system.form, Form::Nonlinear(_)) => {
            "every other equation can then be solved for one unknown without a division by zero"
        }
        None => "every other equation can then be solved without a division by zero",
    }
}

fn inner(system: &System) -> Vec<Step> {
    match &system.form {
        Form::Linear { steps, .. } => steps.clone(),
        Form::Nonlinear(n) => n.steps.clone(),
        Form::Mixed { continuous, discrete, .. } => continuous.iter().chain(discrete).cloned().collect(),
    }
}

fn kind(system: &System) -> &'static str {
    match &system.form {
        Form::Linear { .. } if system.mixed => "linear, with conditions",
        Form::Linear { .. } => "linear",
        Form::Nonlinear(_) if system.mixed => "nonlinear, with conditions",
        Form::Nonlinear(_) => "nonlinear",
        Form::Mixed { .. } => "conditions and equations",
    }
}

fn how(system: &System) -> &'static str {
    match &system.form {
        Form::Linear { method: LinearMethod::ClosedForm, .. } => "solved by formulas",
        Form::Linear { method: LinearMethod::Torn, symmetric: true, .. } => "torn, the rest symmetric",
        Form::Linear { method: LinearMethod::Torn, .. } => "torn, the rest by factorisation",
        Form::Linear { method: LinearMethod::Relaxed, .. } => "eliminated in a fixed order",
        Form::Linear { method: LinearMethod::Sparse, .. } => "factorised as a sparse matrix",
        Form::Nonlinear(n) => match n.iteration {
            Iteration::Newton => "solved by Newton's method",
            Iteration::Jacobi => "solved by substitution, with the values of the last sweep",
            Iteration::GaussSeidel => "solved by substitution, with the newest values",
        },
        Form::Mixed { .. } => "iterated until the conditions agree",
    }
}

/// What usually causes a singular model, by the code of its diagnostic.
pub fn advice(code: &str) -> Option<&'static str> {
    Some(match code {
        "K0401" => {
            "Too many equations. Usual causes: two sources fix the same quantity (voltages in parallel, speeds on one \
             shaft), a value given both by a connection and by an equation, an equation written twice. Take one away, \
             or put something with a property of its own between them (a resistance, a compliance)."
        }
        "K0402" => {
            "Too few equations. Usual causes: an input that nothing is connected to, a component without its own law, a \
             circuit without ground, a loop of pipes or masses in which only differences are determined. Connect it, or \
             say where it starts from."
        }
        "K0412" => {
            "States that depend on each other need derivatives. Usual causes: a table or an external function between \
             two positions. Give it a derivative annotation, or add an elasticity between the states."
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    fn explained(text_of: &str) -> String {
        let mut session = Session::new();
        session.add_text("M.mo", text_of);
        let flat = session.flatten("M").expect("a correct model");
        let program = session.translate(&flat, &Default::default()).expect("a regular model");
        text(&flat, &program, session.sources(), Extent { equations: 3 })
    }

    #[test]
    fn loops_states_and_starts_are_named() {
        let said = explained(
            "model M
  parameter Real R = 2;
  Real x(start = 3, fixed = true);
  Real y(start = 1);
  Real a, b;
equation
  der(x) = -x + a;
  der(y) = b;
  a + sin(b) = x;
  a*b + b = y;
  when x < 1 then
    reinit(x, 2);
  end when;
end M;",
        );
        for part in [
            "M: 4 equations for 4 unknowns",
            "States: 2\n  x: the model has its derivative",
            "Loops: 1 in each step",
            "nonlinear), solved by Newton's method",
            "(M.mo:9)",
            "fixed: x = 3",
            "unless initial equations say otherwise: y = 1",
            "Events: 1 condition searched for",
        ] {
            assert!(said.contains(part), "{part:?} is missing:\n{said}");
        }
    }

    /// The integration formula is one more equation of the model.
    #[test]
    fn inlined_steps_are_shown() {
        let mut session = Session::new();
        let flat = session.flatten("Kausal.Examples.TwoFilters").expect("a correct model");
        let options =
            kausal_translate::Options { inline: kausal_translate::Inline::Bdf, ..Default::default() };
        let program = session.translate(&flat, &options).expect("a regular model");
        let said = text(&flat, &program, session.sources(), Extent { equations: 3 });
        for part in ["in each step of bdf, which is a part of the model now: 2 loops", "old(slow.y)"] {
            assert!(said.contains(part), "{part:?} is missing:\n{said}");
        }
    }

    #[test]
    fn what_was_differentiated_is_shown() {
        let said = explained(
            "model M
  Real x(start = 1, fixed = true), y, f;
equation
  der(x) = y + f;
  der(y) = -f;
  x = 2*y;
end M;",
        );
        assert!(said.contains("Differentiated, because states depend on each other: 1 equation"), "{said}");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..20).map(|i| format!("x{i}")).collect();
        let said = shortened(&format!("not integrated: {} (no choice)", names.join(", ")));
        assert!(said.ends_with("x11 and 8 more (no choice)"), "{said}");
        assert_eq!(shortened("a, b (c)"), "a, b (c)");
    }

    #[test]
    fn singular_models_get_advice() {
        assert!(advice("K0401").is_some() && advice("K0402").is_some() && advice("K0510").is_none());
    }
}
