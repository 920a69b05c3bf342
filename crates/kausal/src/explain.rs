//! What a translation did with a model, in words: where the equations went, which loops are left and how they are
//! solved, why these states, what was differentiated, where initial values come from, what causes events.
//!
//! Everything is said in the names and lines of the model. The facts are in the
//! [`Program`]; which start values are fixed is in the [`FlatModel`].

pub mod account;
pub mod html;
pub mod json;
pub mod matrix;
mod names;
pub mod singular;
pub mod sorted;
pub mod systems;

use std::collections::HashMap;
use std::fmt::Write;

use kausal_model::FlatModel;
use kausal_model::flat::{Origin, StateSelect, Variability};
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::Sources;
use kausal_translate::Program;
use kausal_translate::program::{EquationRef, Form, Kind, System};

use account::account;
use names::{Names, ranges};
use systems::{considered, costs, how, is_same, kind, mixed, operations, systems, what_is_left, why_torn};

/// Characters of a formula, names in a list.
const WIDTH: usize = 200;
const NAMES: usize = 12;
/// Kinds of loops.
const LOOPS: usize = 40;

/// How much is shown.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Equations of each loop.
    pub equations: usize,
}

/// The explanation.
pub fn text(flat: &FlatModel, program: &Program, sources: &Sources, extent: Extent) -> String {
    let writer = Writer::new(flat, program, sources, extent);
    let mut out = String::new();
    writer.equations(&mut out);
    writer.states(&mut out);
    writer.differentiated(&mut out);
    writer.loops(&mut out);
    writer.initial(&mut out);
    writer.events(&mut out);
    writer.clocks(&mut out);
    writer.cost(&mut out);
    out
}

struct Writer<'a> {
    flat: &'a FlatModel,
    program: &'a Program,
    sources: &'a Sources,
    extent: Extent,
    names: Names,
}

impl<'a> Writer<'a> {
    fn new(flat: &'a FlatModel, program: &'a Program, sources: &'a Sources, extent: Extent) -> Writer<'a> {
        Writer { flat, program, sources, extent, names: Names::new(program) }
    }
}

// Writing to a string cannot fail: results of `writeln!` are dropped throughout.
impl Writer<'_> {
    fn equations(&self, out: &mut String) {
        let account = account(self.flat, self.program);
        let _ = writeln!(
            out,
            "{}: {} for {}",
            self.program.name,
            counted(account.equations, "equation"),
            counted(account.unknowns, "unknown")
        );
        if account.equations == 0 {
            return;
        }
        let parts: Vec<String> = account.from.iter().map(|s| format!("{} {}", s.equations, s.what)).collect();
        let _ = writeln!(out, "  where they come from: {}", parts.join(", "));
        let _ = writeln!(out, "  where they went:");
        let width = account.equations.to_string().len();
        for went in &account.went {
            let words = went.fate.words(went.equations, went.loops);
            let _ = writeln!(out, "    {:width$} {words}", went.equations);
        }
        let mut added = Vec::new();
        if account.derivatives > 0 {
            added.push(format!("{} of equations (see below)", counted(account.derivatives, "derivative")));
        }
        if account.helpers > 0 {
            added.push(format!("{} for conditions, delays and the like", account.helpers));
        }
        if !added.is_empty() {
            let _ = writeln!(out, "  added and solved with them: {}", added.join(", "));
        }
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
        if states.len() <= NAMES {
            for state in states {
                let _ = writeln!(out, "  {}: {}", self.name(state.variable), self.why_state(state.variable));
            }
        } else {
            // Many have the same reason.
            let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
            for state in states {
                let (why, name) = (self.why_state(state.variable), self.name(state.variable));
                match reasons.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, names)) => names.push(name),
                    None => reasons.push((why, vec![name])),
                }
            }
            for (why, names) in &reasons {
                let _ = writeln!(out, "  {why}: {}", names.len());
                out.push_str(&wrapped(&ranges(names), "    "));
            }
        }
        for decision in united(&self.program.report.decisions) {
            let _ = writeln!(out, "  {}", shortened(&decision));
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
        let always = systems(&[&self.program.dynamics]).len();
        let once = systems(&[&self.program.parameters]);
        let initial = systems(&[&self.program.initial]);
        let mut before = match mixed(&self.program.discrete).len() {
            0 => String::new(),
            n => format!(", {n} with conditions at events"),
        };
        if !once.is_empty() {
            let _ = write!(before, ", {} once", once.len());
        }
        let late = match dynamic.len() - always {
            0 => String::new(),
            n => format!(", {n} where results are wanted"),
        };
        let _ = writeln!(
            out,
            "\nLoops: {always} in each evaluation{late}, {} at the start{before}",
            initial.len()
        );
        let titled = |i: usize| {
            let when = if i < always { "" } else { ", where results are wanted" };
            format!("loop {}{when}", i + 1)
        };
        self.some_loops(out, dynamic.iter().enumerate().map(|(i, s)| (titled(i), *s)).collect());
        self.inlined(out);
        self.at_events(out);
        let titled = |i: usize| format!("once, from parameters, {}", i + 1);
        self.some_loops(out, once.iter().enumerate().map(|(i, s)| (titled(i), *s)).collect());
        let (mut same, mut own) = (Vec::new(), Vec::new());
        for (i, system) in initial.iter().enumerate() {
            let title = format!("at the start {}", i + 1);
            match dynamic.iter().position(|d| is_same(d, system)) {
                Some(other) => same.push((title, other + 1)),
                None => own.push((title, *system)),
            }
        }
        for (title, other) in same.iter().take(self.most_loops()) {
            let _ = writeln!(out, "  {title}: the same equations as loop {other}, solved in the same way");
        }
        if same.len() > self.most_loops() {
            let more = same.len() - self.most_loops();
            let _ = writeln!(out, "  … and {more} more at the start with the equations of a loop above");
        }
        self.some_loops(out, own);
    }

    /// How many loops are shown one by one.
    fn most_loops(&self) -> usize {
        if self.extent.equations == usize::MAX { usize::MAX } else { LOOPS }
    }

    /// Loops, those that differ in numbers only (subscripts, lines) once, and not too many.
    fn some_loops(&self, out: &mut String, loops: Vec<(String, &System)>) {
        let everything = self.most_loops() == usize::MAX;
        let mut kinds: Vec<(String, Vec<usize>)> = Vec::new();
        let mut place: HashMap<String, usize> = HashMap::new();
        for (i, (title, system)) in loops.iter().enumerate() {
            let mut text = String::new();
            self.one_loop(&mut text, title, system);
            if everything {
                out.push_str(&text);
                continue;
            }
            let known = *place.entry(shape(&text)).or_insert_with(|| {
                kinds.push((text, Vec::new()));
                kinds.len() - 1
            });
            kinds[known].1.push(i);
        }
        for (text, members) in kinds.iter().take(LOOPS) {
            out.push_str(text);
            if let [_, others @ ..] = &members[..]
                && !others.is_empty()
            {
                let titles: Vec<String> = others.iter().map(|&i| loops[i].0.clone()).collect();
                let _ = writeln!(out, "    {} like it: {}", others.len(), some(&titles));
            }
        }
        if kinds.len() > LOOPS {
            let _ =
                writeln!(out, "  … and {} more kinds of loops (--verbose shows all)", kinds.len() - LOOPS);
        }
    }

    /// The loops of conditions and equations, which are iterated at events; between events the conditions are known.
    fn at_events(&self, out: &mut String) {
        let mixed = mixed(&self.program.discrete);
        for (i, system) in mixed.iter().enumerate() {
            let is_discrete = |v: &&VarId| {
                let kind = self.program.variables[v.index()].kind;
                kind == Kind::Discrete || self.program.relations.iter().any(|r| r.variable == **v)
            };
            let (discrete, continuous): (Vec<&VarId>, Vec<&VarId>) =
                system.unknowns.iter().partition(is_discrete);
            // The differences of the conditions say no more than the conditions.
            let shown = |v: &&&VarId| self.names.watched(***v).is_none();
            let names = |list: &[&VarId]| {
                some(&list.iter().filter(shown).map(|v| self.name(**v)).collect::<Vec<_>>())
            };
            let _ = writeln!(
                out,
                "  at events {}: {} ({}), {}",
                i + 1,
                counted(system.equations.len(), "equation"),
                kind(system),
                how(system)
            );
            let _ = writeln!(out, "    what switches: {}", names(&discrete));
            let _ = writeln!(out, "    solved anew each time: {}", names(&continuous));
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
        let titled = |i: usize| format!("inlined {}", i + 1);
        self.some_loops(out, systems.iter().enumerate().map(|(i, s)| (titled(i), *s)).collect());
    }

    fn one_loop(&self, out: &mut String, title: &str, system: &System) {
        let size = system.equations.len();
        let torn = system.tearing_variables.len();
        let _ = writeln!(out, "  {title}: {} ({}), {}", counted(size, "equation"), kind(system), how(system));
        if torn > 0 && torn < size {
            let names: Vec<String> = system.tearing_variables.iter().map(|v| self.name(*v)).collect();
            let _ = writeln!(
                out,
                "    torn at {}: with {} given, the other {} of {size} follow one from another; {}",
                some(&names),
                if torn == 1 { "it" } else { "them" },
                size - torn,
                what_is_left(system)
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
        let _ = writeln!(out, "    costs {}", costs(self.program, system));
        if !system.alternatives.is_empty() {
            let _ = writeln!(out, "    ways to solve it, with the prices that were compared:");
        }
        for way in &system.alternatives {
            let _ = writeln!(out, "      {}", considered(way));
        }
        let _ = writeln!(out, "    its equations:");
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
        let mut parameters = Vec::new();
        for (i, variable) in self.flat.variables.iter().enumerate() {
            if variable.variability <= Variability::Parameter {
                if variable.fixed == Some(false) && variable.variability == Variability::Parameter {
                    let start = variable.start.map_or_else(|| "0".to_owned(), |e| self.flat_formula(e));
                    parameters.push(format!("{} = {start}", variable.name));
                }
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
        // Derivatives that are states, because something else is not, have no declaration.
        let own = self.flat.variables.len();
        let selected = |v: VarId| self.program.state_sets.iter().any(|set| set.states.contains(&v));
        let derived =
            self.program.states.iter().map(|s| s.variable).filter(|v| v.index() >= own && !selected(*v));
        free.extend(derived.map(|v| self.program.variables[v.index()].name.clone()));
        let lines = [
            ("fixed", &fixed),
            ("states with a guess value (not fixed)", &guessed),
            ("states without a start value, 0 unless initial equations say otherwise", &free),
            (
                "parameters that are not fixed, with their start value unless initial equations say otherwise",
                &parameters,
            ),
        ];
        for (what, names) in lines {
            if !names.is_empty() {
                let _ = writeln!(out, "  {what}: {}", some(&ranges(names)));
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
        let listed = lines.iter().any(|(_, names)| !names.is_empty());
        if !listed && self.flat.initial_equations.is_empty() {
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

    fn clocks(&self, out: &mut String) {
        let p = self.program;
        if p.clocks.is_empty() {
            return;
        }
        let _ = writeln!(out, "\nClocks: {}", counted(p.clocks.len(), "base clock"));
        for base in &p.clocks {
            for (clock, k) in base.clocks.iter().zip(0u32..) {
                let own = base.pieces.iter().filter(|piece| piece.clock == k);
                let steps: usize = own.map(|piece| piece.steps.len()).sum();
                if steps == 0 {
                    continue;
                }
                let ticks = base.ticks(k, &p.pool, &|v| self.name(v));
                let method = clock.method.as_ref().map_or_else(String::new, |m| format!(", solved by {m}"));
                let place = self.place(&clock.origin);
                let steps = counted(steps, "step");
                let _ = writeln!(out, "  {}, {}: {ticks}, {steps}{method}{place}", base.name, clock.name);
            }
        }
    }

    fn cost(&self, out: &mut String) {
        let o = kausal_codegen::count::operations(self.program);
        let _ = writeln!(out, "\nCost");
        let inlined = self.program.discretized.as_ref().map(|_| ("each inlined step", o.discretized));
        let late = (o.outputs.total() > 0).then_some(("where results are wanted, besides", o.outputs));
        let sections = [
            ("once, from parameters", o.parameters),
            ("at the start", o.initial),
            ("each evaluation", o.dynamics),
        ];
        for (what, c) in sections.into_iter().chain(late).chain(inlined) {
            let _ = writeln!(out, "  {what}: {}", operations(c));
        }
    }

    fn name(&self, v: VarId) -> String {
        self.names.of(v).to_owned()
    }

    /// `lhs = rhs`, and where it is written.
    fn equation(&self, equation: EquationRef) -> String {
        let info = &self.program.equations[equation.0 as usize];
        let side = |e| print_limited(&self.program.pool, e, &|v| self.name(v), WIDTH);
        let differentiated = match differentiated(info.differentiated) {
            text if text.is_empty() => text,
            text => format!(", {text}"),
        };
        format!("{} = {}{}{differentiated}", side(info.lhs), side(info.rhs), self.place(&info.origin))
    }

    fn formula(&self, e: ExprId) -> String {
        print_limited(&self.program.pool, e, &|v| self.name(v), 10 * WIDTH)
    }

    fn flat_formula(&self, e: ExprId) -> String {
        print_limited(&self.flat.pool, e, &|v| self.flat.variables[v.index()].name.clone(), WIDTH)
    }

    /// `  (component, File.mo:12)`
    fn place(&self, origin: &Origin) -> String {
        match place(self.sources, origin) {
            place if place.is_empty() => place,
            place => format!("  ({place})"),
        }
    }
}

/// A text without its numbers: what loops that differ in subscripts only have in common.
fn shape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            _ => out.push(c),
        }
    }
    out
}

/// `component, File.mo:12`
fn place(sources: &Sources, origin: &Origin) -> String {
    let mut parts = Vec::new();
    if !origin.component.is_empty() {
        parts.push(origin.component.clone());
    }
    if let Some(location) = origin.location {
        let (line, _) = sources.line_column(location.source, location.span.start);
        let file = &sources.get(location.source).name;
        let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
        parts.push(format!("{file}:{line}"));
    }
    parts.join(", ")
}

/// `differentiated twice`, or nothing.
fn differentiated(times: u32) -> String {
    match times {
        0 => String::new(),
        1 => "differentiated".into(),
        2 => "differentiated twice".into(),
        n => format!("differentiated {n} times"),
    }
}

pub(crate) fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The first of many.
fn some(names: &[String]) -> String {
    if names.len() <= NAMES {
        return names.join(", ");
    }
    format!("{} and {} more", names[..NAMES].join(", "), names.len() - NAMES)
}

/// Sentences like `what: names (why)`; those that say the same about different names become one.
fn united(sentences: &[String]) -> Vec<String> {
    let mut groups: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for sentence in sentences {
        let (what, rest) = sentence.split_once(": ").unwrap_or(("", sentence));
        let (names, why) = rest.rfind(" (").map_or((rest, ""), |at| rest.split_at(at));
        match groups.iter_mut().find(|(w, y, _)| (*w, *y) == (what, why) && !what.is_empty()) {
            Some((_, _, list)) => list.push(names),
            None => groups.push((what, why, vec![names])),
        }
    }
    let sentence = |(what, why, names): (&str, &str, Vec<&str>)| {
        let colon = if what.is_empty() { "" } else { ": " };
        format!("{what}{colon}{}{why}", names.join(", "))
    };
    groups.into_iter().map(sentence).collect()
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

/// Names in lines that fit into a terminal.
fn wrapped(names: &[String], indent: &str) -> String {
    const LINE: usize = 100;
    let mut out = String::new();
    let mut line = indent.to_owned();
    for (i, name) in names.iter().enumerate() {
        let comma = if i + 1 < names.len() { "," } else { "" };
        if line.len() > indent.len() && line.chars().count() + name.chars().count() + 2 > LINE {
            let _ = writeln!(out, "{line}");
            line = indent.to_owned();
        }
        let space = if line.len() > indent.len() { " " } else { "" };
        let _ = write!(line, "{space}{name}{comma}");
    }
    let _ = writeln!(out, "{line}");
    out
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
        "K0404" => {
            "Equations that say the same. Usual causes: an equation written twice in other words, a circuit without \
             ground, a closed loop of gears or rods that is rigid in itself. Take one away and say what determines the \
             variables that are left."
        }
        "K0405" => {
            "Equations that exclude each other. Usual causes: two sources of a flow in series, two values given for one \
             quantity, a wrong sign or factor in one of them."
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
            "Loops: 1 in each evaluation",
            "nonlinear), solved by Newton's method",
            "(M.mo:9)",
            "fixed: x = 3",
            "states with a guess value (not fixed): y = 1",
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

    /// Thirty loops that differ in their subscripts only are one with twenty-nine like it.
    #[test]
    fn equal_loops_are_folded() {
        let said = explained(
            "model M Real x[30](each start = 1, each fixed = true), a[30](each start = 1), b[30]; equation \
             for i in 1:30 loop der(x[i]) = -a[i]; a[i] + sin(b[i]) = x[i]; b[i] = cos(a[i]); end for; end M;",
        );
        assert_eq!(said.matches("its equations:").count(), 1, "{said}");
        assert!(said.contains("29 like it: loop 2, loop 3"), "{said}");
        assert!(said.lines().count() < 100, "{said}");
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
    fn what_says_the_same_is_said_once() {
        let said = |list: &[&str]| united(&list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            said(&["no state: a (why)", "no state: b, c (why)", "no state: d (else)", "alone"]),
            ["no state: a, b, c (why)", "no state: d (else)", "alone"]
        );
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
