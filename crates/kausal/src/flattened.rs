//! `kausal flatten --json`: the variables and equations of a flat model, for programs.

use kausal_model::flat::{Causality, Equation, Type, Variability};
use kausal_model::{FlatModel, print_flat};
use kausal_symbolic::ExprId;
use kausal_symbolic::print::print_limited;
use kausal_syntax::Sources;
use serde::Serialize;

use crate::explain::json::{Written, written};

/// Characters of a formula.
const WIDTH: usize = 10_000;

/// A flat model.
#[derive(Debug, Serialize)]
pub struct Flattened {
    /// Its name.
    pub model: String,
    /// What it says about itself.
    pub description: String,
    /// Its variables.
    pub variables: Vec<VariableData>,
    /// Its equations; `when` clauses and algorithms are in the text only.
    pub equations: Vec<Written>,
    /// Its initial equations.
    pub initial_equations: Vec<Written>,
    /// All of it as Modelica text.
    pub text: String,
}

/// A variable.
#[derive(Debug, Serialize)]
pub struct VariableData {
    /// Its path.
    pub name: String,
    /// `Real`, `Integer`, `Boolean`, `String`, or what else there is.
    #[serde(rename = "type")]
    pub ty: String,
    /// `constant`, `parameter`, `discrete` or `continuous`.
    pub variability: &'static str,
    /// `input`, `output`, or nothing.
    pub causality: Option<&'static str>,
    /// `unit`
    pub unit: String,
    /// What the declaration says.
    pub description: String,
    /// The value of a parameter or constant, as a formula.
    pub value: Option<String>,
    /// `start`
    pub start: Option<String>,
    /// `fixed`
    pub fixed: Option<bool>,
}

/// A flat model for programs.
pub fn flattened(flat: &FlatModel, sources: &Sources) -> Flattened {
    let formula =
        |e: ExprId| print_limited(&flat.pool, e, &|v| flat.variables[v.index()].name.clone(), WIDTH);
    let equations = |list: &[Equation]| {
        let one = |e: &Equation| {
            written(sources, &format!("{} = {}", formula(e.lhs), formula(e.rhs)), &e.origin, 0)
        };
        list.iter().map(one).collect::<Vec<_>>()
    };
    let variables = flat.variables.iter().map(|v| VariableData {
        name: v.name.clone(),
        ty: type_name(flat, v.ty),
        variability: match v.variability {
            Variability::Constant => "constant",
            Variability::Parameter => "parameter",
            Variability::Discrete => "discrete",
            Variability::Continuous => "continuous",
        },
        causality: match v.causality {
            Causality::Input => Some("input"),
            Causality::Output => Some("output"),
            _ => None,
        },
        unit: v.unit.clone(),
        description: v.description.clone(),
        value: v.binding.map(formula),
        start: v.start.map(formula),
        fixed: v.fixed,
    });
    Flattened {
        model: flat.name.clone(),
        description: flat.description.clone(),
        variables: variables.collect(),
        equations: equations(&flat.equations),
        initial_equations: equations(&flat.initial_equations),
        text: print_flat(flat),
    }
}

fn type_name(flat: &FlatModel, ty: Type) -> String {
    match ty {
        Type::Real => "Real".into(),
        Type::Integer => "Integer".into(),
        Type::Boolean => "Boolean".into(),
        Type::String => "String".into(),
        Type::Enumeration(i) => {
            flat.enumerations.get(i as usize).map_or("enumeration".into(), |e| e.name.clone())
        }
        Type::External(_) => "ExternalObject".into(),
        Type::Clock => "Clock".into(),
    }
}
