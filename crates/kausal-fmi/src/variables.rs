//! The variables of a model as importing tools see them: what may be set, what changes when, and which are the same (FMI 3.0,
//! section 2.4.7).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use kausal::Method;
use kausal_model::FlatModel;
use kausal_model::flat::{self, Type};
use kausal_runtime::simulation::exchange::watched;
use kausal_runtime::tunable::Value;
use kausal_runtime::{CompiledModel, Machine, Mode, Overrides};
use kausal_symbolic::VarId;
use kausal_symbolic::evaluate::evaluate;
use kausal_translate::Program;
use kausal_translate::flow;
use kausal_translate::program::{Kind, Step, Structural};
use rustc_hash::FxHashSet;

use crate::references::{Reference, Setting};

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// The independent variable.
    Independent,
    /// A value that the user gives.
    Parameter,
    /// It follows from parameters.
    CalculatedParameter,
    /// Given from outside.
    Input,
    /// Given to the outside.
    Output,
    /// Neither.
    Local,
}

impl Causality {
    /// As both standards write it.
    pub fn name(self) -> &'static str {
        match self {
            Causality::Independent => "independent",
            Causality::Parameter => "parameter",
            Causality::CalculatedParameter => "calculatedParameter",
            Causality::Input => "input",
            Causality::Output => "output",
            Causality::Local => "local",
        }
    }
}

/// When it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variability {
    /// Never.
    Constant,
    /// Not after the initialisation.
    Fixed,
    /// When the user changes it.
    Tunable,
    /// At events.
    Discrete,
    /// Always.
    Continuous,
}

impl Variability {
    /// As both standards write it.
    pub fn name(self) -> &'static str {
        match self {
            Variability::Constant => "constant",
            Variability::Fixed => "fixed",
            Variability::Tunable => "tunable",
            Variability::Discrete => "discrete",
            Variability::Continuous => "continuous",
        }
    }
}

/// How it is initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// With its start value.
    Exact,
    /// Its start value is a guess.
    Approx,
    /// It is computed.
    Calculated,
}

impl Initial {
    /// As both standards write it.
    pub fn name(self) -> &'static str {
        match self {
            Initial::Exact => "exact",
            Initial::Approx => "approx",
            Initial::Calculated => "calculated",
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value reference.
    pub reference: u32,
    /// Where its value is.
    pub slot: Option<VarId>,
    /// It is the negative of that.
    pub negated: bool,
    /// What its values are.
    pub ty: Type,
    /// What it is for.
    pub causality: Causality,
    /// When it changes.
    pub variability: Variability,
    /// How it is initialised; inputs and time say nothing.
    pub initial: Option<Initial>,
    /// Its start value.
    pub start: Option<Value>,
    /// What its declaration says about itself.
    pub about: About,
    /// The state it is the derivative of, by the place of that.
    pub derivative_of: Option<usize>,
    /// Events may give it another value.
    pub reinit: bool,
    /// Other names it has.
    pub aliases: Vec<(String, About)>,
}

impl Variable {
    /// In C text parameters are fixed in the initialisation, and start values are those of the model.
    pub(crate) fn freeze(&mut self) {
        if self.variability == Variability::Tunable {
            self.variability = Variability::Fixed;
        }
        let given =
            matches!(self.causality, Causality::Parameter | Causality::Input | Causality::Independent);
        if !given && self.variability != Variability::Constant {
            self.start = None;
            self.initial = Some(Initial::Calculated);
        }
    }
}

/// What a declaration says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Its comment.
    pub description: String,
    /// Its unit.
    pub unit: String,
    /// The unit it is shown in.
    pub display_unit: String,
    /// What it measures.
    pub quantity: String,
    /// Its lower bound.
    pub min: Option<f64>,
    /// Its upper bound.
    pub max: Option<f64>,
    /// Its magnitude.
    pub nominal: Option<f64>,
}

/// All variables of a model that importing tools are shown: time first, then as the model declares them, then derivatives and
/// event indicators.
pub fn variables(flat: &FlatModel, model: &Arc<CompiledModel>) -> Vec<Variable> {
    let all = Survey::new(flat, model);
    let program = &model.program;
    let mut list = vec![all.time()];
    let mut place_of: HashMap<VarId, usize> = HashMap::new();
    let shown: Vec<VarId> =
        (0..flat.variables.len() as u32).map(VarId).filter(|v| all.is_shown(*v)).collect();
    let groups = all.groups(&shown);
    for &v in &shown {
        let Some(group) = groups.get(&v) else { continue };
        let mut variable = all.variable(v, group[0]);
        let others = group.iter().filter(|member| **member != v);
        variable.aliases =
            others.map(|m| (program.variables[m.index()].name.clone(), all.about(*m))).collect();
        place_of.insert(all.slot(v), list.len());
        list.push(variable);
    }
    // States and derivatives that the translation made.
    for (k, state) in program.states.iter().enumerate() {
        if let Entry::Vacant(entry) = place_of.entry(state.variable) {
            entry.insert(list.len());
            list.push(all.made(state.variable, Reference::Variable(state.variable)));
        }
        let known = place_of.get(&state.derivative).copied();
        let place = match known {
            Some(place) if list[place].derivative_of.is_none() => place,
            taken => {
                let reference = match taken {
                    Some(_) => Reference::Derivative(k),
                    None => Reference::Variable(state.derivative),
                };
                place_of.entry(state.derivative).or_insert(list.len());
                let mut derivative = all.made(state.derivative, reference);
                let of = &program.variables[state.variable.index()].name;
                derivative.name = all.free_name(structured(&format!("der({of})")), &list);
                list.push(derivative);
                list.len() - 1
            }
        };
        list[place].derivative_of = Some(k);
    }
    for input in &program.inputs {
        for &derivative in &input.derivatives {
            let mut variable = all.made(derivative, Reference::Variable(derivative));
            variable.causality = Causality::Input;
            variable.initial = None;
            variable.start = Some(Value::Number(0.0));
            list.push(variable);
        }
    }
    list
}

/// Event indicators as variables, which FMI 3.0 wants to be listed.
pub fn indicators(program: &Program, others: &[Variable]) -> Vec<Variable> {
    let taken: std::collections::HashSet<&str> = others.iter().map(|v| v.name.as_str()).collect();
    let named = |i: usize| {
        let name = format!("'event indicator {}'", i + 1);
        if taken.contains(name.as_str()) { format!("'kausal event indicator {}'", i + 1) } else { name }
    };
    let all = 0..watched(program).len();
    all.map(|i| Variable {
        name: named(i),
        reference: Reference::Indicator(i).number(program),
        slot: None,
        negated: false,
        ty: Type::Real,
        causality: Causality::Local,
        variability: Variability::Continuous,
        initial: Some(Initial::Calculated),
        start: None,
        about: About::default(),
        derivative_of: None,
        reinit: false,
        aliases: Vec::new(),
    })
    .collect()
}

/// How Co-Simulation integrates, as parameters.
pub fn settings(program: &Program, others: &[Variable]) -> Vec<Variable> {
    Setting::ALL.into_iter().map(|setting| self::setting(program, others, setting)).collect()
}

fn setting(program: &Program, others: &[Variable], setting: Setting) -> Variable {
    let free = |p: &&str| !others.iter().any(|v| v.name.starts_with(&format!("{p}.")));
    let prefix = ["_kausal", "_kausal_fmu"].into_iter().find(free);
    let (name, ty, start, unit, description) = match setting {
        Setting::Method => {
            let methods: Vec<&str> = Method::ALL.iter().map(|(_, name)| *name).collect();
            let description = format!("Method of integration in Co-Simulation: {}", methods.join(", "));
            ("method", Type::String, Value::Text("auto".into()), "", description)
        }
        Setting::Step => {
            let description = "Step of methods with steps of one size in Co-Simulation; 0 for others";
            ("step", Type::Real, Value::Number(0.0), "s", description.to_owned())
        }
    };
    Variable {
        name: format!("{}.{name}", prefix.unwrap_or("__kausal")),
        reference: Reference::Setting(setting).number(program),
        slot: None,
        negated: false,
        ty,
        causality: Causality::Parameter,
        variability: Variability::Fixed,
        initial: Some(Initial::Exact),
        start: Some(start),
        about: About { description, unit: unit.to_owned(), ..About::default() },
        derivative_of: None,
        reinit: false,
        aliases: Vec::new(),
    }
}

/// The largest step of C text, as a parameter.
pub(crate) fn step_of_source(program: &Program, others: &[Variable], step: f64) -> Variable {
    let mut variable = setting(program, others, Setting::Step);
    variable.start = Some(Value::Number(step));
    variable.about.description = "Largest step of the integration".to_owned();
    variable
}

/// What is known of the variables of a model.
struct Survey<'a> {
    flat: &'a FlatModel,
    program: &'a Program,
    /// Values of parameters.
    machine: Machine,
    /// States that events may set.
    reinitialised: Vec<VarId>,
    /// Parameters that follow from others.
    computed: Vec<bool>,
}

impl<'a> Survey<'a> {
    fn new(flat: &'a FlatModel, model: &'a Arc<CompiledModel>) -> Survey<'a> {
        let program = &model.program;
        let mut machine = Machine::new(model.clone());
        // What fails here fails when the model is initialised, and says so.
        let _ = machine.run(&model.parameters, Mode::Initial);
        let reinits = flow::nested(&program.discrete).into_iter().filter_map(|step| match step {
            Step::Reinit(v, _) => Some(*v),
            _ => None,
        });
        let selected = program.state_sets.iter().flat_map(|set| set.states.iter().copied());
        Survey {
            flat,
            program,
            machine,
            reinitialised: reinits.chain(selected).collect(),
            computed: computed(program),
        }
    }

    /// Is it one that importing tools know the type of?
    fn is_shown(&self, v: VarId) -> bool {
        let declared = &self.flat.variables[v.index()];
        let kind = self.program.variables[v.index()].kind;
        !declared.name.contains('$')
            && !matches!(declared.ty, Type::External(_) | Type::Clock)
            && kind != Kind::Helper
    }

    fn slot(&self, v: VarId) -> VarId {
        match self.program.variables[v.index()].kind {
            Kind::Alias(alias) if !alias.negated => alias.target,
            _ => v,
        }
    }

    fn is_output(&self, v: VarId) -> bool {
        self.flat.variables[v.index()].causality == flat::Causality::Output
    }

    /// Variables that always have the same value, by the one that stands for all: what is computed, where that is shown. The first
    /// one of each group is what its value reference is of. Outputs stand for themselves, each one, and so do parameters that are
    /// computed: importing tools take their other names for unknowns of their own, which are not listed.
    fn groups(&self, shown: &[VarId]) -> HashMap<VarId, Vec<VarId>> {
        let mut of_slot: HashMap<VarId, Vec<VarId>> = HashMap::new();
        let mut groups = HashMap::new();
        for &v in shown {
            match self.is_output(v) {
                true => _ = groups.insert(v, vec![v]),
                false => of_slot.entry(self.slot(v)).or_default().push(v),
            }
        }
        for (slot, members) in of_slot {
            let main = if members.contains(&slot) { slot } else { members[0] };
            let ty = |v: VarId| self.flat.variables[v.index()].ty;
            let alone = self.computed[slot.index()];
            let (same, apart): (Vec<VarId>, Vec<VarId>) =
                members.into_iter().filter(|v| *v != main).partition(|v| ty(*v) == ty(main) && !alone);
            groups.insert(main, std::iter::once(main).chain(same).collect());
            groups.extend(apart.into_iter().map(|v| (v, vec![v])));
        }
        groups
    }

    fn about(&self, v: VarId) -> About {
        let declared = &self.program.variables[v.index()];
        let flat = self.flat.variables.get(v.index());
        let bound = |value: f64| value.is_finite().then_some(value);
        About {
            description: declared.description.clone(),
            unit: declared.unit.clone(),
            display_unit: flat.map(|v| v.display_unit.clone()).unwrap_or_default(),
            quantity: flat.map(|v| v.quantity.clone()).unwrap_or_default(),
            min: bound(declared.min),
            max: bound(declared.max),
            nominal: Some(declared.nominal).filter(|n| declared.nominal_said && *n > 0.0 && n.is_finite()),
        }
    }

    fn time(&self) -> Variable {
        Variable {
            name: "time".to_owned(),
            reference: Reference::Time.number(self.program),
            slot: None,
            negated: false,
            ty: Type::Real,
            causality: Causality::Independent,
            variability: Variability::Continuous,
            initial: None,
            start: None,
            about: About { unit: "s".to_owned(), description: "time".to_owned(), ..About::default() },
            derivative_of: None,
            reinit: false,
            aliases: Vec::new(),
        }
    }

    /// A variable of the translation.
    fn made(&self, v: VarId, reference: Reference) -> Variable {
        Variable {
            name: structured(&self.program.variables[v.index()].name),
            reference: reference.number(self.program),
            slot: Some(v),
            negated: false,
            ty: Type::Real,
            causality: Causality::Local,
            variability: Variability::Continuous,
            initial: Some(Initial::Calculated),
            start: None,
            about: self.about(v),
            derivative_of: None,
            reinit: self.reinitialised.contains(&v),
            aliases: Vec::new(),
        }
    }

    fn free_name(&self, name: String, list: &[Variable]) -> String {
        let taken =
            |name: &str| list.iter().any(|v| v.name == name || v.aliases.iter().any(|(n, _)| n == name));
        if !taken(&name) {
            return name;
        }
        let numbered = (2..).map(|n| format!("'{name} {n}'")).find(|name| !taken(name));
        numbered.unwrap_or(name)
    }

    /// A variable of the model; its value reference is that of another one, where they are the same.
    fn variable(&self, v: VarId, reference: VarId) -> Variable {
        let slot = self.slot(v);
        let mut variable = self.made(slot, Reference::Variable(reference));
        let declared = &self.flat.variables[v.index()];
        variable.name = declared.name.clone();
        variable.ty = declared.ty;
        variable.about = self.about(v);
        let mut kind = self.program.variables[slot.index()].kind;
        if let Kind::Alias(alias) = kind {
            variable.slot = Some(alias.target);
            variable.negated = true;
            kind = self.program.variables[alias.target.index()].kind;
        }
        if variable.negated && kind == Kind::Parameter && !self.is_output(v) {
            variable.variability = Variability::Tunable;
            return variable;
        }
        let discrete = declared.ty != Type::Real || kind == Kind::Discrete;
        variable.variability = if discrete { Variability::Discrete } else { Variability::Continuous };
        let input = self.program.inputs.iter().find(|input| input.variable == slot && !self.is_output(v));
        if let Some(input) = input {
            variable.causality = Causality::Input;
            variable.initial = None;
            variable.start = self.value(slot, declared.ty);
            if input.held {
                variable.variability = Variability::Discrete;
            }
            return variable;
        }
        if kind == Kind::Parameter && !self.is_output(v) {
            self.parameter(v, slot, &mut variable);
            return variable;
        }
        if self.is_output(v) {
            variable.causality = Causality::Output;
        }
        let start = self.program.starts.iter().find(|s| s.variable == slot && s.changeable);
        if let Some(start) = start
            && slot == reference
            && !variable.negated
            && Overrides::new().set(self.program, slot, Value::Number(0.0)).is_ok()
        {
            let values = &self.machine.values;
            let value = evaluate(&self.program.pool, start.value, &mut |v: VarId| values[v.index()]);
            if value.is_finite() {
                variable.start = Some(Value::Number(value));
                variable.initial =
                    Some(if start.equation.is_some() { Initial::Exact } else { Initial::Approx });
            }
        }
        variable
    }

    fn parameter(&self, v: VarId, slot: VarId, variable: &mut Variable) {
        let structural = self.program.structural.binary_search_by_key(&slot, |(v, _)| *v);
        let structural = structural.ok().map(|at| self.program.structural[at].1);
        let value = self.value(slot, variable.ty);
        let protected = self.flat.variables[v.index()].protected;
        (variable.causality, variable.variability, variable.initial) = match structural {
            Some(Structural::Initial | Structural::Valueless) => {
                (Causality::Local, Variability::Fixed, Some(Initial::Calculated))
            }
            // What the translation has used does not change any more.
            Some(_) if value.is_some() => (Causality::Local, Variability::Constant, Some(Initial::Exact)),
            Some(_) => (Causality::Local, Variability::Fixed, Some(Initial::Calculated)),
            None if self.computed[slot.index()] => {
                (Causality::CalculatedParameter, Variability::Tunable, Some(Initial::Calculated))
            }
            None if protected || value.is_none() => {
                (Causality::Local, Variability::Fixed, Some(Initial::Calculated))
            }
            None => (Causality::Parameter, Variability::Tunable, Some(Initial::Exact)),
        };
        if variable.initial == Some(Initial::Exact) {
            variable.start = value;
        }
    }

    /// The value before a run, where there is one.
    fn value(&self, v: VarId, ty: Type) -> Option<Value> {
        if ty == Type::String {
            return self.machine.text_of(v).map(|text| Value::Text(text.into()));
        }
        Some(self.machine.values[v.index()]).filter(|value| value.is_finite()).map(Value::Number)
    }
}

/// A name of the translation by the grammar of structured names (FMI 3.0, section 2.4.7.5.1): one `der` around a name of the model;
/// anything else is quoted.
fn structured(name: &str) -> String {
    let inside = name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.[],".contains(c);
    match inside.contains('\'') || inside.chars().all(plain) {
        true => name.to_owned(),
        false => format!("'{name}'"),
    }
}

/// Which parameters are computed from others that are no constants.
fn computed(program: &Program) -> Vec<bool> {
    let mut computed = vec![false; program.variables.len()];
    let is_fixed = |v: VarId| program.structural.binary_search_by_key(&v, |(v, _)| *v).is_ok();
    for step in &program.parameters {
        let mut read = FxHashSet::default();
        let mut written = FxHashSet::default();
        flow::reads(&program.pool, step, &mut read);
        flow::writes(step, &mut written);
        let parameter = |v: &VarId| program.variables[v.index()].kind == Kind::Parameter && !is_fixed(*v);
        if read.iter().any(|v| parameter(v) || computed[v.index()]) {
            written.iter().for_each(|v| computed[v.index()] = true);
        }
    }
    computed
}

#[cfg(test)]
mod tests {
    use super::structured;

    #[test]
    fn names_follow_the_grammar() {
        for name in ["der(a.b[1,2].c)", "x", "'any thing'.x", "der('q'.x)"] {
            assert_eq!(structured(name), name);
        }
        assert_eq!(structured("der(der(x))"), "'der(der(x))'");
        assert_eq!(structured("$state1"), "'$state1'");
    }
}
