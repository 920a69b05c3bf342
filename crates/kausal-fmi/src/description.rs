//! What there is to say about a model, whatever the version of the standard.

use std::collections::BTreeMap;
use std::sync::Arc;

use kausal::Experiment;
use kausal_model::FlatModel;
use kausal_model::flat::{Enumeration, Type};
use kausal_runtime::CompiledModel;
use kausal_runtime::simulation::exchange::watched;
use kausal_runtime::tunable::Value;

use crate::arrays::{Array, arrays};
use crate::source::Stepping;
use crate::structure::{Structure, structure};
use crate::units::{self, Unit};
use crate::variables::{About, Variable, variables};
use crate::xml::number;

/// What an FMU is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// The importing tool integrates.
    pub model_exchange: bool,
    /// The FMU integrates.
    pub co_simulation: bool,
}

/// A model, described.
#[derive(Debug)]
pub struct Description {
    /// The full name of its class.
    pub name: String,
    /// What the class says about itself.
    pub description: String,
    /// What it is called in C and as a file.
    pub identifier: String,
    /// What names it together with its library.
    pub token: String,
    /// What it is for.
    pub kinds: Kinds,
    /// Its variables, without event indicators.
    pub variables: Vec<Variable>,
    /// Those that are arrays in FMI 3.0.
    pub arrays: Vec<Array>,
    /// Event indicators.
    pub indicators: Vec<Variable>,
    /// Steps are kept for later: delays, flows, a choice of states.
    pub remembers: bool,
    /// Its state can be saved: foreign code has made none of it.
    pub saved: bool,
    /// How many relations are watched.
    pub events: usize,
    /// Units, with those that their values are shown in.
    pub units: BTreeMap<String, DefinedUnit>,
    /// Enumeration types that variables have, by their numbers in the model.
    pub enumerations: BTreeMap<u32, Enumeration>,
    /// Who depends on whom.
    pub structure: Structure,
    /// What the `experiment` annotation says.
    pub experiment: Experiment,
    /// It is C text that makes steps of its own.
    pub source: Option<Stepping>,
}

/// A unit in use.
#[derive(Clone, Debug, Default)]
pub struct DefinedUnit {
    /// What it is, if it is known.
    pub unit: Option<Unit>,
    /// Factor and offset of display units.
    pub display: BTreeMap<String, (f64, f64)>,
}

impl Description {
    /// Of a model.
    pub fn new(flat: &FlatModel, model: &Arc<CompiledModel>, token: String, kinds: Kinds) -> Description {
        let program = &model.program;
        let mut variables = variables(flat, model);
        let indicators = crate::variables::indicators(program, &variables);
        if kinds.co_simulation {
            variables.extend(crate::variables::settings(program, &variables));
        }
        let mut description = Description::with(flat, model, token, kinds, variables);
        description.arrays = arrays(&description.variables, &description.structure);
        description.indicators = indicators;
        description.events = watched(program).len();
        description
    }

    /// Of a model as C text.
    pub fn of_source(
        flat: &FlatModel,
        model: &Arc<CompiledModel>,
        token: String,
        stepping: Stepping,
    ) -> Description {
        let mut variables = variables(flat, model);
        variables.retain(|v| v.ty != Type::String);
        variables.iter_mut().for_each(Variable::freeze);
        variables.push(crate::variables::step_of_source(&model.program, &variables, stepping.step));
        let mut description = Description::with(flat, model, token, crate::source::kinds(), variables);
        description.source = Some(stepping);
        description
    }

    /// Without arrays and indicators.
    fn with(
        flat: &FlatModel,
        model: &Arc<CompiledModel>,
        token: String,
        kinds: Kinds,
        mut variables: Vec<Variable>,
    ) -> Description {
        let program = &model.program;
        let units = units_of(&mut variables);
        let used = variables.iter().filter_map(|v| match v.ty {
            Type::Enumeration(kind) => Some((kind, flat.enumerations.get(kind as usize)?.clone())),
            _ => None,
        });
        let structure = structure(program, &variables);
        Description {
            arrays: Vec::new(),
            name: flat.name.clone(),
            description: flat.description.clone(),
            identifier: identifier(&flat.name),
            token,
            kinds,
            remembers: !program.delays.is_empty()
                || !program.transports.is_empty()
                || !program.state_sets.is_empty(),
            saved: !makes_foreign_objects(model),
            events: 0,
            indicators: Vec::new(),
            source: None,
            units,
            enumerations: used.collect(),
            structure,
            experiment: flat.experiment,
            variables,
        }
    }
}

/// Does foreign code keep something of the model's state in objects of its own?
fn makes_foreign_objects(model: &CompiledModel) -> bool {
    let foreign = model.foreign_functions();
    foreign.into_iter().any(|id| model.program.pool.function(id).notes.constructs.is_some())
}

/// A name that is one in C, and a file name everywhere.
pub fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // Some file systems end names at 255 bytes.
    let plain = plain.get(plain.len().saturating_sub(200)..).unwrap_or_default().to_owned();
    match plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        true => plain,
        false => format!("_{plain}"),
    }
}

/// The units of variables. A display unit that is none of the unit, or unknown, is taken away: it could not be described.
fn units_of(variables: &mut [Variable]) -> BTreeMap<String, DefinedUnit> {
    let mut units: BTreeMap<String, DefinedUnit> = BTreeMap::new();
    let mut note = |about: &mut About| {
        if about.unit.is_empty() {
            about.display_unit.clear();
            return;
        }
        let defined = units
            .entry(about.unit.clone())
            .or_insert_with(|| DefinedUnit { unit: units::parse(&about.unit), display: BTreeMap::new() });
        if about.display_unit.is_empty() {
            return;
        }
        let conversion = defined.unit.zip(units::parse(&about.display_unit));
        match conversion.and_then(|(unit, shown)| units::display(unit, shown)) {
            Some(conversion) => {
                defined.display.insert(about.display_unit.clone(), conversion);
            }
            None if about.display_unit == about.unit => {
                defined.display.insert(about.display_unit.clone(), (1.0, 0.0));
            }
            None => about.display_unit.clear(),
        }
    };
    for variable in variables.iter_mut().filter(|v| v.ty == Type::Real) {
        note(&mut variable.about);
        variable.aliases.iter_mut().for_each(|(_, about)| note(about));
    }
    units
}

/// A value as an attribute; `truth` is for Booleans.
pub fn value(value: &Value, ty: Type) -> String {
    match (value, ty) {
        (Value::Text(text), _) => text.to_string(),
        (Value::Number(n), Type::Boolean) => (*n != 0.0).to_string(),
        (Value::Number(n), Type::Integer | Type::Enumeration(_)) => format!("{n:.0}"),
        (Value::Number(n), _) => number(*n),
    }
}
