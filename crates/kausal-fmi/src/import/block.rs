//! Writes the Modelica block of an FMU.
//!
//! ```text
//! derivatives, indicators, outputs    functions of epoch, time, states, inputs
//! when a crossing, an instant, …      the next epoch begins: states, next event
//! ```
//!
//! What the block needs besides the variables of the FMU is named `fmu…`, with as many underscores as make it unlike all of those.
//! Inputs go into an event with the values that they had before it: otherwise two FMUs that are connected both ways would be an
//! algebraic loop of discrete variables.

use std::collections::HashSet;
use std::fmt::Write;

use kausal_syntax::modelica::{LexemeKind, lexemes};

use super::Fmu;
use super::host::NEVER;
use super::instance::is_continuous;
use super::interface::{Causality, Element, Role, Type, Variability, Variable};
use crate::description::identifier;
use crate::units;

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The name of its class.
    pub name: String,
    /// The text.
    pub text: String,
    /// Variables that Modelica has no types for, or that cannot be passed.
    pub left_out: Vec<String>,
}

/// Functions that the block calls.
const FUNCTIONS: &str = include_str!("functions.mo");

/// How a variable is seen by the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A parameter.
    Parameter,
    /// An input between events.
    Input,
    /// An input that takes effect at events.
    DiscreteInput,
    /// The state with this number.
    State,
    /// It follows from time, states and inputs.
    Computed,
    /// It changes at events.
    Held,
}

struct Writer<'a> {
    fmu: &'a Fmu,
    role: Role,
    /// The place of the first element of each variable.
    first: Vec<usize>,
    parts: Vec<Option<Part>>,
    /// What names of the block's own begin with.
    own: String,
    out: String,
}

/// The block of an FMU. Without `locals` it has parameters, inputs, outputs and states only.
pub fn write(fmu: &Fmu, role: Role, locals: bool) -> Block {
    let interface = &fmu.interface;
    let mut left_out = Vec::new();
    let of_states = |of: fn(&(Element, Element)) -> usize| -> HashSet<usize> {
        match role {
            Role::ModelExchange => interface.states.iter().map(of).collect(),
            Role::CoSimulation => HashSet::new(),
        }
    };
    let state_variables = of_states(|((variable, _), _)| *variable);
    let derivatives = of_states(|(_, (variable, _))| *variable);
    let indicators: HashSet<usize> = interface.indicator_variables.iter().copied().collect();
    let mut part = |(place, v): (usize, &Variable)| {
        // They are for whoever integrates, where they are nothing else.
        if indicators.contains(&place)
            && v.causality == Causality::Local
            && !state_variables.contains(&place)
            && !derivatives.contains(&place)
        {
            return None;
        }
        // It is the derivative of a variable of the block, and known as that.
        if v.causality == Causality::Local
            && derivatives.contains(&place)
            && !state_variables.contains(&place)
        {
            return None;
        }
        let part = part(v, state_variables.contains(&place), role, locals)?;
        let text_passes = part == Part::Parameter && v.len() <= 1;
        if !v.ty.is_known() || v.ty == Type::String && !text_passes || v.is_empty() {
            left_out.push(v.name.clone());
            return None;
        }
        Some(part)
    };
    let parts = interface.variables.iter().enumerate().map(&mut part).collect();
    let mut own = "fmu".to_owned();
    while interface.variables.iter().any(|v| v.name.starts_with(&own)) {
        own.push('_');
    }
    let name = identifier(interface.name.rsplit('.').next().unwrap_or_default());
    let first = interface.first_places();
    let mut writer = Writer { fmu, role, first, parts, own, out: String::new() };
    writer.block(&name);
    Block { name, text: writer.out, left_out }
}

fn part(v: &Variable, is_state: bool, role: Role, locals: bool) -> Option<Part> {
    let continuous = is_continuous(v.variability, v.ty) && role == Role::ModelExchange;
    match v.causality {
        Causality::Independent => None,
        Causality::StructuralParameter => None,
        Causality::Parameter => Some(Part::Parameter),
        Causality::Input if continuous => Some(Part::Input),
        Causality::Input => Some(Part::DiscreteInput),
        _ if is_state => Some(Part::State),
        Causality::Output if continuous => Some(Part::Computed),
        Causality::Output => Some(Part::Held),
        Causality::Local | Causality::CalculatedParameter if !locals => None,
        _ if continuous => Some(Part::Computed),
        _ => Some(Part::Held),
    }
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str("  ");
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn of(&self, wanted: Part) -> Vec<usize> {
        (0..self.parts.len()).filter(|v| self.parts[*v] == Some(wanted)).collect()
    }

    /// All elements of some variables.
    fn elements(&self, variables: &[usize]) -> Vec<Element> {
        let of = |&v: &usize| (0..self.fmu.interface.variables[v].len()).map(move |k| (v, k));
        variables.iter().flat_map(of).collect()
    }

    /// An element as an expression.
    fn name(&self, (variable, element): Element) -> String {
        let v = &self.fmu.interface.variables[variable];
        indexed(&quoted(&v.name), v, element)
    }

    /// The same as a number.
    fn as_number(&self, element: Element, around: impl Fn(String) -> String) -> String {
        let name = around(self.name(element));
        match self.fmu.interface.variables[element.0].ty {
            Type::Boolean => format!("if {name} then 1.0 else 0.0"),
            _ => name,
        }
    }

    /// Places as an array of Integers; of none, one that stands for nothing.
    fn places(&self, elements: &[Element]) -> String {
        match elements.is_empty() {
            true => "{-1}".to_owned(),
            false => list(elements.iter().map(|(v, k)| (self.first[*v] + k).to_string())),
        }
    }

    /// Values as an array of Reals; of none, one zero.
    fn values(&self, elements: &[Element], around: impl Fn(String) -> String) -> String {
        match elements.is_empty() {
            true => "{0.0}".to_owned(),
            false => list(elements.iter().map(|element| self.as_number(*element, &around))),
        }
    }

    fn block(&mut self, name: &str) {
        let interface = &self.fmu.interface;
        let (description, tool) = (interface.description.clone(), interface.tool.clone());
        let comment = match description.is_empty() {
            true => format!("FMU {}", interface.name),
            false => description,
        };
        let _ = writeln!(self.out, "block {name} {}", string(&comment));
        self.declare();
        let (role, file) = (self.role, self.fmu.path.display().to_string());
        let own = self.own.clone();
        self.line(&format!("parameter String {own}File = {} \"The FMU\";", string(&file)));
        self.line(&format!(
            "parameter Real {own}Tolerance = 0 \"Relative tolerance that the FMU is told; 0: none\";"
        ));
        if role == Role::CoSimulation {
            let experiment = interface.experiment;
            let length = experiment.stop.unwrap_or(1.0) - experiment.start.unwrap_or(0.0);
            let step = experiment.step.unwrap_or(length / 500.0);
            let step = if step > 0.0 { step } else { 0.01 };
            self.line(&format!(
                "parameter Real communicationInterval(unit = \"s\", min = 0) = {step:?} \"Distance of communication points\";"
            ));
        }
        self.out.push_str("protected\n");
        self.out.push_str(&FUNCTIONS.replace("fmu_", &format!("{own}_")));
        self.instance();
        match role {
            Role::ModelExchange => self.exchange(),
            Role::CoSimulation => self.co_simulation(),
        }
        let made = format!(
            "Written by kausal import{}.",
            if tool.is_empty() { String::new() } else { format!(" from an FMU of {tool}") }
        );
        let experiment = self.experiment();
        self.line(&format!("annotation({experiment}Documentation(info = {}));", string(&made)));
        let _ = writeln!(self.out, "end {name};");
    }

    fn experiment(&self) -> String {
        let experiment = self.fmu.interface.experiment;
        let entry = |name: &str, value: Option<f64>| {
            value.filter(|v| v.is_finite()).map(|v| format!("{name} = {v:?}"))
        };
        let entries: Vec<String> = [
            entry("StartTime", experiment.start),
            entry("StopTime", experiment.stop),
            entry("Tolerance", experiment.tolerance.filter(|tolerance| *tolerance > 0.0)),
        ]
        .into_iter()
        .flatten()
        .collect();
        match entries.is_empty() {
            true => String::new(),
            false => format!("experiment({}), ", entries.join(", ")),
        }
    }

    /// The variables of the FMU.
    fn declare(&mut self) {
        for place in 0..self.parts.len() {
            let Some(part) = self.parts[place] else { continue };
            let v = &self.fmu.interface.variables[place];
            let prefix = match (part, v.causality) {
                (Part::Parameter, _) => "parameter ",
                // Their changes are events.
                (Part::DiscreteInput, _) if v.ty.is_real() && self.role == Role::ModelExchange => {
                    "discrete input "
                }
                (_, Causality::Input) => "input ",
                (_, Causality::Output) => "output ",
                _ => "",
            };
            let ty = modelica_type(v.ty);
            let sizes = match v.sizes.is_empty() {
                true => String::new(),
                false => format!("[{}]", v.sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
            };
            let attributes = attributes(v, part);
            let value = match part {
                Part::Parameter => start(v).map_or(String::new(), |value| format!(" = {value}")),
                _ => String::new(),
            };
            let comment =
                if v.description.is_empty() { String::new() } else { format!(" {}", string(&v.description)) };
            let line = format!("{prefix}{ty} {}{sizes}{attributes}{value}{comment};", quoted(&v.name));
            self.line(&line);
            if self.has_start_parameter(place) {
                let v = &self.fmu.interface.variables[place];
                let name = quoted(&format!("{}_start", v.name));
                let value = start(v).unwrap_or_default();
                let line = format!(
                    "parameter {ty} {name}{sizes} = {value} \"Start value of {}\";",
                    comment_text(&v.name)
                );
                self.line(&line);
            }
        }
    }

    /// Values that can be given to it before it is initialised, besides those of parameters and inputs.
    fn has_start_parameter(&self, place: usize) -> bool {
        let v = &self.fmu.interface.variables[place];
        let is_own = matches!(self.parts[place], Some(Part::State | Part::Computed | Part::Held));
        let settable = v.exact && v.variability > Variability::Constant && v.ty != Type::String;
        let name = format!("{}_start", v.name);
        is_own
            && settable
            && v.start.is_some()
            && !self.fmu.interface.variables.iter().any(|v| v.name == name)
    }

    fn instance(&mut self) {
        let interface = &self.fmu.interface;
        let (mut places, mut values) = (Vec::new(), Vec::new());
        let (mut text_places, mut texts) = (Vec::new(), Vec::new());
        for place in 0..self.parts.len() {
            let v = &interface.variables[place];
            let name = match self.parts[place] {
                Some(Part::Parameter) => quoted(&v.name),
                Some(_) if self.has_start_parameter(place) => quoted(&format!("{}_start", v.name)),
                _ => continue,
            };
            for k in 0..v.len() {
                let name = indexed(&name, v, k);
                let flat = (self.first[place] + k).to_string();
                if v.ty == Type::String {
                    text_places.push(flat);
                    texts.push(name);
                } else {
                    places.push(flat);
                    values.push(if v.ty == Type::Boolean {
                        format!("if {name} then 1.0 else 0.0")
                    } else {
                        name
                    });
                }
            }
        }
        let or = |list_of: Vec<String>, none: &str| {
            if list_of.is_empty() { none.to_owned() } else { list(list_of.into_iter()) }
        };
        let role = u8::from(self.role == Role::CoSimulation);
        let (own, token) = (self.own.clone(), string(&interface.token));
        let (places, values) = (or(places, "{-1}"), or(values, "{0.0}"));
        let (text_places, texts) = (or(text_places, "{-1}"), or(texts, "{\"\"}"));
        self.line(&format!(
            "{own}_Instance {own} = {own}_Instance({own}File, {role}, {token}, {own}Tolerance, {places}, {values}, {text_places}, {texts});"
        ));
        self.line(&format!("parameter Real {own}_start(fixed = false) \"Start time\";"));
        self.line(&format!("Integer {own}_epoch(start = 0, fixed = true) \"Counts events\";"));
        self.line(&format!("Boolean {own}_ended(start = false, fixed = true) \"The FMU ends the run\";"));
    }

    /// What changes at events only.
    fn held(&mut self) -> Vec<String> {
        let own = self.own.clone();
        let mut equations = Vec::new();
        for (kind, what) in [("Real", "reals"), ("Integer", "integers"), ("Boolean", "booleans")] {
            let of_kind = |v: &&usize| modelica_type(self.fmu.interface.variables[**v].ty) == kind;
            let variables: Vec<usize> = self.of(Part::Held).iter().filter(of_kind).copied().collect();
            let elements = self.elements(&variables);
            if elements.is_empty() {
                continue;
            }
            let n = elements.len();
            self.line(&format!("{kind} {own}_{what}[{n}];"));
            equations.push(format!(
                "{own}_{what} = {own}_held_{what}({own}, {own}_epoch, {own}_start, {});",
                self.places(&elements)
            ));
            for (k, element) in elements.iter().enumerate() {
                equations.push(format!("{} = {own}_{what}[{}];", self.name(*element), k + 1));
            }
        }
        equations
    }

    fn exchange(&mut self) {
        let own = self.own.clone();
        let interface = &self.fmu.interface;
        let states: Vec<Element> = interface.states.iter().map(|(state, _)| *state).collect();
        let (nx, nz) = (states.len(), interface.indicators);
        let directional = interface.exchange.as_ref().is_some_and(|kind| kind.directional);
        let along = if directional { "_along" } else { "" };
        let inputs = self.elements(&self.of(Part::Input));
        let discrete = self.elements(&self.of(Part::DiscreteInput));
        let plain = |name: String| name;
        let pre = |name: String| format!("pre({name})");
        let (places, u) = (self.places(&inputs), self.values(&inputs, plain));
        let x = self.values(&states, plain);
        let mut equations = self.held();
        let at = format!("{own}, {own}_epoch, time, {x}, {places}, {u}");
        if nx > 0 {
            self.line(&format!("Real {own}_dx[{nx}];"));
            self.line(&format!("Real {own}_x[{nx}] \"States after an event\";"));
            equations.push(format!("{own}_dx = {own}_derivatives{along}({at}, {nx});"));
            for (k, state) in states.iter().enumerate() {
                equations.push(format!("der({}) = {own}_dx[{}];", self.name(*state), k + 1));
            }
        } else {
            self.line(&format!("Real {own}_x[1];"));
        }
        equations.extend(self.computed(&states, &inputs, along));
        let mut turn = Vec::new();
        let mut after = Vec::new();
        if nz > 0 {
            self.line(&format!("Real {own}_z[{nz}] \"Event indicators\";"));
            self.line(&format!("Boolean {own}_side[{nz}] \"Their signs\";"));
            self.line(&format!("Boolean {own}_seen[{nz}](each start = false, each fixed = true) \"Their signs at the last event\";"));
            equations.push(format!("{own}_z = {own}_indicators({at}, {nz});"));
            for k in 1..=nz {
                equations.push(format!("{own}_side[{k}] = {own}_z[{k}] > 0;"));
                turn.push(format!("{own}_side[{k}] <> pre({own}_seen[{k}])"));
            }
            after.push(format!("{own}_seen = {own}_side;"));
        }
        if !discrete.is_empty() {
            let n = discrete.len();
            self.line(&format!("Real {own}_given[{n}](each start = 0, each fixed = true) \"Discrete inputs at the last event\";"));
            for (k, element) in discrete.iter().enumerate() {
                let k = k + 1;
                let value = self.as_number(*element, pre);
                turn.push(format!("abs(({value}) - pre({own}_given[{k}])) > 0"));
                after.push(format!("{own}_given[{k}] = {value};"));
            }
        }
        self.line(&format!(
            "Real {own}_next(start = {NEVER:?}, fixed = true) \"The next event that is known\";"
        ));
        self.line(&format!("Boolean {own}_even(start = true, fixed = true);"));
        self.line(&format!("Boolean {own}_turn \"Something is unlike at the last event\";"));
        for (name, comment) in
            [("due", "The last event that was known"), ("met", "Up to there they were passed")]
        {
            self.line(&format!("Real {own}_{name}(start = {:?}, fixed = true) \"{comment}\";", -NEVER));
        }
        // What else happens at that instant has happened when the FMU comes to it, one round later.
        turn.push(format!("pre({own}_due) > pre({own}_met)"));
        after.push(format!("{own}_met = pre({own}_due);"));
        equations.push(format!("when time >= pre({own}_next) then {own}_due = pre({own}_next); end when;"));
        equations.push(format!("{own}_turn = {};", turn.join("\n      or ")));
        // A condition that is true in two rounds of one event has no edge in the second one: these two take turns.
        let mut conditions = vec![
            format!("sample({own}_start, 1e60)"),
            format!("{own}_turn and pre({own}_even)"),
            format!("{own}_turn and not pre({own}_even)"),
        ];
        if !interface.exchange.as_ref().is_some_and(|kind| kind.step_not_needed) {
            self.line(&format!("Boolean {own}_wanted \"The FMU wants an event\";"));
            equations.push(format!("{own}_wanted = {own}_wants({own}, pre({own}_epoch));"));
            conditions.push(format!("{own}_wanted"));
        }
        self.out.push_str("initial equation\n");
        self.line(&format!("{own}_start = time;"));
        if nx > 0 {
            self.line(&format!("{x} = {own}_initial({own}, time, {places}, {u}, {nx});"));
        }
        self.out.push_str("equation\n");
        equations.iter().for_each(|equation| self.line(equation));
        self.line(&format!("when {{{}}} then", conditions.join(",\n      ")));
        let sides = if nz > 0 { format!("{own}_side") } else { "{false}".to_owned() };
        self.line(&format!(
            "  ({own}_epoch, {own}_next, {own}_ended, {own}_x) = {own}_update({own}, pre({own}_epoch), time, {x}, {places}, {}, {}, {}, {sides}, {nz}, {});",
            self.values(&inputs, pre),
            self.places(&discrete),
            self.values(&discrete, pre),
            nx.max(1)
        ));
        self.line(&format!("  {own}_even = not pre({own}_even);"));
        after.iter().for_each(|equation| self.line(&format!("  {equation}")));
        for (k, state) in states.iter().enumerate() {
            let name = self.name(*state);
            self.line(&format!("  reinit({name}, {own}_x[{}]);", k + 1));
        }
        self.line("end when;");
        self.end_of_run();
    }

    fn end_of_run(&mut self) {
        let (own, name) = (self.own.clone(), self.fmu.interface.name.clone());
        self.line(&format!("when {own}_ended then"));
        self.line(&format!("  terminate({});", string(&format!("the FMU {name} ended the run"))));
        self.line("end when;");
    }

    /// Outputs, those that depend on the same inputs in one call; locals in a call of their own, for only results need them.
    fn computed(&mut self, states: &[Element], inputs: &[Element], along: &str) -> Vec<String> {
        let own = self.own.clone();
        let interface = &self.fmu.interface;
        let x = self.values(states, |name| name);
        // Which inputs it depends on, and its element.
        let mut groups: Vec<(Vec<Element>, bool, Vec<Element>)> = Vec::new();
        for variable in self.of(Part::Computed) {
            let is_output = interface.variables[variable].causality == Causality::Output;
            let known = interface.outputs.iter().find(|output| output.variable == variable);
            let dependencies = known.and_then(|output| output.dependencies.as_ref());
            let of: Vec<Element> = match dependencies.filter(|_| is_output) {
                Some(places) => inputs.iter().filter(|(v, _)| places.contains(v)).copied().collect(),
                None => inputs.to_vec(),
            };
            let elements = self.elements(&[variable]);
            match groups.iter_mut().find(|(other, output, _)| *other == of && *output == is_output) {
                Some((_, _, list)) => list.extend(elements),
                None => groups.push((of, is_output, elements)),
            }
        }
        let mut equations = Vec::new();
        for (g, (of, is_output, elements)) in groups.iter().enumerate() {
            let (g, n) = (g + 1, elements.len());
            self.line(&format!("Real {own}_y{g}[{n}];"));
            let along = if *is_output { along } else { "" };
            equations.push(format!(
                "{own}_y{g} = {own}_values{along}({own}, {own}_epoch, time, {x}, {}, {}, {});",
                self.places(of),
                self.values(of, |name| name),
                self.places(elements)
            ));
            for (k, element) in elements.iter().enumerate() {
                equations.push(format!("{} = {own}_y{g}[{}];", self.name(*element), k + 1));
            }
        }
        equations
    }

    fn co_simulation(&mut self) {
        let own = self.own.clone();
        let inputs = self.elements(&self.of(Part::DiscreteInput));
        let n = inputs.len().max(1);
        let places = self.places(&inputs);
        let equations = self.held();
        self.line(&format!(
            "Real {own}_u[{n}](each start = 0, each fixed = true) \"Inputs of the next step\";"
        ));
        self.out.push_str("initial equation\n");
        self.line(&format!("{own}_start = time;"));
        self.out.push_str("equation\n");
        equations.iter().for_each(|equation| self.line(equation));
        self.line(&format!("when sample({own}_start, communicationInterval) then"));
        self.line(&format!(
            "  ({own}_epoch, {own}_ended) = {own}_step({own}, pre({own}_epoch), time, {places}, pre({own}_u), {});",
            self.values(&inputs, |name| format!("pre({name})"))
        ));
        if inputs.is_empty() {
            self.line(&format!("  {own}_u = {{0.0}};"));
        } else {
            self.line(&format!("  {own}_u = {};", self.values(&inputs, |name| name)));
        }
        self.line("end when;");
        self.end_of_run();
    }
}

fn modelica_type(ty: Type) -> &'static str {
    match ty {
        Type::Float64 | Type::Float32 => "Real",
        Type::Boolean => "Boolean",
        Type::String => "String",
        _ => "Integer",
    }
}

fn attributes(v: &Variable, part: Part) -> String {
    let mut list = Vec::new();
    let each = if v.sizes.is_empty() { "" } else { "each " };
    let bound = |value: f64| match v.ty.is_real() {
        true => format!("{value:?}"),
        false => format!("{value:.0}"),
    };
    if v.ty.is_real() {
        if units::parse(&v.unit).is_some() {
            list.push(format!("{each}unit = {}", string(&v.unit)));
            if units::parse(&v.display_unit).is_some() {
                list.push(format!("{each}displayUnit = {}", string(&v.display_unit)));
            }
        }
        if let Some(nominal) = v.nominal.filter(|nominal| nominal.is_finite() && *nominal != 0.0) {
            list.push(format!("{each}nominal = {nominal:?}"));
        }
    }
    if v.ty != Type::Boolean && v.ty != Type::String {
        // What an Integer of Modelica cannot hold is no bound.
        let usable = |value: &f64| value.is_finite() && (v.ty.is_real() || value.abs() <= 2_147_483_647.0);
        for (name, value) in [("min", v.min), ("max", v.max)] {
            if let Some(value) = value.filter(usable) {
                list.push(format!("{each}{name} = {}", bound(value)));
            }
        }
    }
    if matches!(part, Part::Input | Part::DiscreteInput)
        && let Some(value) = start(v)
    {
        list.push(format!("start = {value}"));
    }
    if part == Part::State {
        list.push(format!("{each}stateSelect = StateSelect.always"));
    }
    if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) }
}

/// The start value as an expression.
fn start(v: &Variable) -> Option<String> {
    if v.ty == Type::String {
        return Some(string(v.text(0).unwrap_or_default()));
    }
    let one = |k: usize| {
        let value = v.number(k)?;
        Some(match v.ty {
            Type::Boolean => (value != 0.0).to_string(),
            _ if !v.ty.is_real() => format!("{value:.0}"),
            _ if value.is_nan() => return None,
            _ if value.is_infinite() => format!("{:?}", f64::MAX.copysign(value)),
            _ => format!("{value:?}"),
        })
    };
    nested(&v.sizes, 0, &one)
}

/// An array constructor, row by row.
fn nested(sizes: &[usize], first: usize, one: &impl Fn(usize) -> Option<String>) -> Option<String> {
    let Some((size, rest)) = sizes.split_first() else { return one(first) };
    let inner: usize = rest.iter().product();
    let parts: Option<Vec<String>> = (0..*size).map(|k| nested(rest, first + k * inner, one)).collect();
    Some(list(parts?.into_iter()))
}

/// An element of an array.
fn indexed(name: &str, v: &Variable, element: usize) -> String {
    if v.sizes.is_empty() {
        return name.to_owned();
    }
    let mut rest = element;
    let mut indices: Vec<String> = Vec::new();
    for size in v.sizes.iter().rev() {
        indices.push((rest % size + 1).to_string());
        rest /= size;
    }
    indices.reverse();
    format!("{name}[{}]", indices.join(", "))
}

fn list(parts: impl Iterator<Item = String>) -> String {
    format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
}

/// A name as Modelica writes it: in quotes where it is no identifier.
pub fn quoted(name: &str) -> String {
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let plain = begins && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_keyword = || lexemes(name).iter().any(|lexeme| lexeme.kind == LexemeKind::Keyword);
    if plain && !is_keyword() && !["time", "communicationInterval"].contains(&name) {
        return name.to_owned();
    }
    let escaped: String = name
        .chars()
        .flat_map(|c| match c {
            '\'' | '\\' => vec!['\\', c],
            c if c.is_control() => vec![' '],
            c => vec![c],
        })
        .collect();
    format!("'{escaped}'")
}

/// A text in quotes.
fn string(text: &str) -> String {
    format!("\"{}\"", comment_text(text))
}

fn comment_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A name without quotes: what a variable of an FMU that runs alone is called.
pub fn unquoted(name: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::with_capacity(name.len()), false, false);
    for c in name.chars() {
        match c {
            _ if escaped => {
                out.push(c);
                escaped = false;
            }
            '\\' if inside => escaped = true,
            '\'' => inside = !inside,
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_from_their_quotes() {
        for name in ["x", "a.b[1]", "der(x)", "it's", "a\\b", "end", "time", "1x"] {
            assert_eq!(unquoted(&quoted(name)), name);
        }
        assert_eq!(quoted("phi_1"), "phi_1");
        assert_eq!(quoted("der(x)"), "'der(x)'");
        assert_eq!(unquoted("'a.b'[2]"), "a.b[2]");
    }
}
