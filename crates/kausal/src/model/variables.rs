//! What a model has: its variables, with what their declarations say.

use std::collections::{HashMap, HashSet};

use kausal_model::FlatModel;
use kausal_model::flat::{Causality, Type, Variability, Variable};
use kausal_runtime::tunable;
use kausal_symbolic::evaluate::{Values, evaluate};
use kausal_symbolic::function::Numbers;
use kausal_symbolic::function::evaluator::{Evaluator, Limits};
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::{ExprId, FunctionId, Node, Pool, VarId};
use kausal_translate::program::Kind;

use super::Model;
use crate::error::Error;
use crate::settings::plain_value;

/// A variable of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VariableInfo {
    /// Its path: `robot.axis[2].motor.i`.
    pub name: String,
    /// What it is for.
    pub kind: VariableKind,
    /// What its values are.
    pub ty: VariableType,
    /// The value of a constant or parameter, the start value of others, where the model says it.
    pub value: Option<Value>,
    /// `unit`; may be empty.
    pub unit: String,
    /// `displayUnit`; may be empty.
    pub display_unit: String,
    /// What its declaration says about itself.
    pub description: String,
    /// `min`, where the model says it.
    pub min: Option<f64>,
    /// `max`, where the model says it.
    pub max: Option<f64>,
    /// `nominal`, where the model says it.
    pub nominal: Option<f64>,
    /// The structure of the model depends on it: another value means another translation.
    pub structural: bool,
    /// Declared `protected`, or inside of what is.
    pub protected: bool,
}

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VariableKind {
    /// It has one value, always.
    Constant,
    /// It has one value in a run.
    Parameter,
    /// It is given from outside.
    Input,
    /// The integrator follows it.
    State,
    /// It changes at events only.
    Discrete,
    /// It is computed.
    Algebraic,
}

/// What the values of a variable are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariableType {
    /// Numbers.
    Real,
    /// Whole numbers.
    Integer,
    /// Truth values.
    Boolean,
    /// Texts.
    String,
    /// One of these literals, by their numbers from 1.
    Enumeration(Vec<String>),
    /// Something else: an object of foreign code, a clock.
    Other,
}

/// A value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number; of a Boolean 0 or 1, of an enumeration the number of the literal.
    Number(f64),
    /// A text.
    Text(String),
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(value) => Some(*value),
            Value::Text(_) => None,
        }
    }
}

impl Model {
    /// All variables, in the order of the model.
    ///
    /// ```
    /// use kausal::{Model, VariableKind};
    /// let model = Model::from_text(
    ///     "model M parameter Real J(unit = \"kg.m2\", min = 0) = 0.5 \"inertia\"; parameter Real k = 2*J;
    ///        Real w(start = 3, fixed = true); equation J*der(w) = -k*w; end M;",
    /// )?;
    /// let names = |kind| model.variables().into_iter().filter(move |v| v.kind == kind).map(|v| v.name);
    /// assert_eq!(names(VariableKind::State).collect::<Vec<_>>(), ["w"]);
    /// let inertia = model.variable("J").expect("a parameter");
    /// assert_eq!((inertia.unit.as_str(), inertia.description.as_str(), inertia.min), ("kg.m2", "inertia", Some(0.0)));
    /// assert_eq!(model.with("J", 4.0)?.variable("k").and_then(|k| k.value?.number()), Some(8.0));
    /// # Ok::<(), kausal::Error>(())
    /// ```
    pub fn variables(&self) -> Vec<VariableInfo> {
        self.described(|_| true)
    }

    /// The variable of a name.
    pub fn variable(&self, name: &str) -> Option<VariableInfo> {
        self.described(|v| v.name == name).pop()
    }

    /// The parameters.
    pub fn parameters(&self) -> Vec<VariableInfo> {
        self.described(|v| v.variability == Variability::Parameter)
    }

    /// What is given from outside.
    pub fn inputs(&self) -> Vec<VariableInfo> {
        self.described(|v| v.causality == Causality::Input && v.variability > Variability::Parameter)
    }

    /// What is given to the outside.
    pub fn outputs(&self) -> Vec<VariableInfo> {
        self.described(|v| v.causality == Causality::Output)
    }

    /// What the integrator follows.
    pub fn states(&self) -> Result<Vec<VariableInfo>, Error> {
        let program = self.program()?;
        let names: HashSet<&str> =
            program.states.iter().map(|s| program.variables[s.variable.index()].name.as_str()).collect();
        Ok(self.described(|v| names.contains(v.name.as_str())))
    }

    fn described(&self, wanted: impl Fn(&Variable) -> bool) -> Vec<VariableInfo> {
        let flat = &*self.flat;
        let kinds: HashMap<&str, Kind> = match self.made() {
            Ok(made) => made.compiled.program.variables.iter().map(|v| (v.name.as_str(), v.kind)).collect(),
            Err(_) => HashMap::new(),
        };
        let mut known = Known { flat, values: HashMap::new(), asked: HashSet::new(), texts: HashMap::new() };
        self.take_tuned(&mut known);
        let structural: HashSet<&str> = match self.made() {
            Ok(made) => {
                let program = &made.compiled.program;
                program.structural.iter().map(|(v, _)| program.variables[v.index()].name.as_str()).collect()
            }
            Err(_) => HashSet::new(),
        };
        let chosen =
            (0..).map(VarId).zip(&flat.variables).filter(|(_, v)| wanted(v) && !v.name.contains('$'));
        let all = chosen.map(|(id, v)| {
            let mut info = info(id, v, &mut known, kinds.get(v.name.as_str()));
            info.structural |=
                structural.contains(v.name.as_str()) && v.variability <= Variability::Parameter;
            info
        });
        all.collect()
    }

    /// The values that runs are given.
    fn take_tuned(&self, known: &mut Known) {
        for (name, value) in &self.tuned {
            let Some(at) = self.flat.variables.iter().position(|v| v.name == *name) else { continue };
            let (id, ty) = (VarId(at as u32), self.flat.variables[at].ty);
            match plain_value(name, value.clone(), ty, &self.flat.enumerations) {
                Ok(tunable::Value::Number(number)) => drop(known.values.insert(id, number)),
                Ok(tunable::Value::Text(text)) => drop(known.texts.insert(id, text.to_string())),
                Err(_) => {}
            }
        }
    }
}

fn info(id: VarId, v: &Variable, known: &mut Known, kind: Option<&Kind>) -> VariableInfo {
    let number = |known: &mut Known, e: Option<ExprId>| e.and_then(|e| known.number(e));
    let value = if v.variability <= Variability::Parameter { v.binding.or(v.start) } else { v.start };
    let given = known.values.get(&id).copied().map(Value::Number);
    let given = given.or_else(|| known.texts.get(&id).cloned().map(Value::Text));
    let value = given.or_else(|| {
        value.and_then(|e| match known.flat.pool.node(e) {
            Node::Text(text) => Some(Value::Text(known.flat.pool.text_of(text).to_owned())),
            _ if v.ty == Type::String => None,
            _ => known.number(e).map(Value::Number),
        })
    });
    VariableInfo {
        name: v.name.clone(),
        kind: match (v.variability, kind) {
            (Variability::Constant, _) => VariableKind::Constant,
            (Variability::Parameter, _) => VariableKind::Parameter,
            _ if v.causality == Causality::Input => VariableKind::Input,
            (_, Some(Kind::State)) => VariableKind::State,
            (_, Some(Kind::Discrete)) => VariableKind::Discrete,
            (Variability::Discrete, _) => VariableKind::Discrete,
            _ => VariableKind::Algebraic,
        },
        ty: match v.ty {
            Type::Real => VariableType::Real,
            Type::Integer => VariableType::Integer,
            Type::Boolean => VariableType::Boolean,
            Type::String => VariableType::String,
            Type::Enumeration(kind) => {
                let literals = known.flat.enumerations.get(kind as usize).map(|e| e.literals.clone());
                VariableType::Enumeration(literals.unwrap_or_default())
            }
            Type::External(_) | Type::Clock => VariableType::Other,
        },
        value,
        unit: v.unit.clone(),
        display_unit: v.display_unit.clone(),
        description: v.description.clone(),
        min: number(known, v.min),
        max: number(known, v.max),
        nominal: number(known, v.nominal),
        structural: v.evaluated && v.variability <= Variability::Parameter,
        protected: v.protected,
    }
}

/// Values that follow from those of parameters.
struct Known<'m> {
    flat: &'m FlatModel,
    values: HashMap<VarId, f64>,
    /// Texts that were set.
    texts: HashMap<VarId, String>,
    /// Whose value is being computed: what depends on itself has none.
    asked: HashSet<VarId>,
}

impl Known<'_> {
    fn number(&mut self, e: ExprId) -> Option<f64> {
        let pool = &self.flat.pool;
        Some(evaluate(pool, e, self)).filter(|value| !value.is_nan())
    }
}

impl Values for Known<'_> {
    fn variable(&mut self, v: VarId) -> f64 {
        if let Some(&value) = self.values.get(&v) {
            return value;
        }
        let variable = &self.flat.variables[v.index()];
        let bound =
            (variable.variability <= Variability::Parameter).then_some(variable.binding.or(variable.start));
        let value = match bound.flatten() {
            Some(e) if self.asked.insert(v) => self.number(e).unwrap_or(f64::NAN),
            _ => f64::NAN,
        };
        self.values.insert(v, value);
        value
    }

    fn call(&mut self, pool: &Pool, function: FunctionId, args: &[f64]) -> Vec<f64> {
        /// A value that takes longer is known in the run only.
        const MAX_STEPS: u64 = 1_000_000;
        let Some(layout) = Layout::of_outputs(pool.function(function)) else { return Vec::new() };
        let mut out = vec![0.0; layout.len];
        let limits = Limits { steps: MAX_STEPS, ..Limits::default() };
        let mut evaluator = Evaluator::new(Numbers::new(pool)).with_limits(limits);
        match evaluator.call_flat(function, args, &mut out) {
            Ok(()) => out,
            Err(_) => Vec::new(),
        }
    }
}
