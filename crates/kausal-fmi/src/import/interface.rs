//! What there is to know about an FMU, whatever its version.

use crate::export::Version;

/// How an FMU is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Our integrators have its states.
    ModelExchange,
    /// It integrates itself.
    CoSimulation,
}

impl Role {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Role::ModelExchange => "Model Exchange",
            Role::CoSimulation => "Co-Simulation",
        }
    }
}

/// An FMU, as it describes itself.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The version of the standard.
    pub version: Version,
    /// The name of the model.
    pub name: String,
    /// What it says about itself.
    pub description: String,
    /// What names it together with its library.
    pub token: String,
    /// What made it.
    pub tool: String,
    /// For Model Exchange.
    pub exchange: Option<Kind>,
    /// For Co-Simulation.
    pub co_simulation: Option<Kind>,
    /// For Scheduled Execution.
    pub scheduled: bool,
    /// Its variables, in the order of the description.
    pub variables: Vec<Variable>,
    /// States and their derivatives, elements of arrays one by one, in the order of the standard.
    pub states: Vec<(Element, Element)>,
    /// What outputs depend on.
    pub outputs: Vec<Output>,
    /// How many event indicators there are.
    pub indicators: usize,
    /// The variables that they are, where they are variables.
    pub indicator_variables: Vec<usize>,
    /// The experiment it is made for.
    pub experiment: Experiment,
}

/// An element of a variable: the place of the variable, and which one of its elements, row by row.
pub type Element = (usize, usize);

/// What it says about one way of using it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// The name of its library.
    pub identifier: String,
    /// Directional derivatives are there.
    pub directional: bool,
    /// It need not be told where the solver goes on.
    pub step_not_needed: bool,
    /// It needs a tool that is not in it.
    pub needs_tool: bool,
    /// One instance is all that a process may have.
    pub once: bool,
}

/// What an output depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its place.
    pub variable: usize,
    /// Places of what it depends on; `None` for everything.
    pub dependencies: Option<Vec<usize>>,
}

/// The experiment it is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Experiment {
    /// Start time.
    pub start: Option<f64>,
    /// Stop time.
    pub stop: Option<f64>,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// Distance of communication points.
    pub step: Option<f64>,
}

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Type {
    Float64,
    Float32,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    String,
    Binary,
    Enumeration,
    Clock,
}

impl Type {
    /// Its values are real numbers.
    pub fn is_real(self) -> bool {
        matches!(self, Type::Float64 | Type::Float32)
    }

    /// Does Modelica have such values?
    pub fn is_known(self) -> bool {
        !matches!(self, Type::Binary | Type::Clock)
    }
}

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Causality {
    Parameter,
    CalculatedParameter,
    StructuralParameter,
    Input,
    Output,
    Local,
    Independent,
}

/// When a variable changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Variability {
    Constant,
    Fixed,
    Tunable,
    Discrete,
    Continuous,
}

/// Start values.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Numbers; 0 and 1 for truth.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Vec<String>),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value reference.
    pub reference: u32,
    /// Its type.
    pub ty: Type,
    /// What it is for.
    pub causality: Causality,
    /// When it changes.
    pub variability: Variability,
    /// Its start value is its initial value.
    pub exact: bool,
    /// Start values; one for each element, or one for all.
    pub start: Option<Start>,
    /// Sizes of an array.
    pub sizes: Vec<usize>,
    /// What it measures.
    pub unit: String,
    /// What it is shown in.
    pub display_unit: String,
    /// Smallest, largest, usual value.
    pub min: Option<f64>,
    /// See above.
    pub max: Option<f64>,
    /// See above.
    pub nominal: Option<f64>,
    /// A comment.
    pub description: String,
    /// The place of the variable that this is the derivative of.
    pub derivative_of: Option<usize>,
}

impl Variable {
    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Has it none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number that an element starts with.
    pub fn number(&self, element: usize) -> Option<f64> {
        match &self.start {
            Some(Start::Numbers(list)) => {
                list.get(element).or(list.first().filter(|_| list.len() == 1)).copied()
            }
            _ => None,
        }
    }

    /// The text that an element starts with.
    pub fn text(&self, element: usize) -> Option<&str> {
        match &self.start {
            Some(Start::Texts(list)) => list.get(element).map(String::as_str),
            _ => None,
        }
    }
}

impl Interface {
    /// What it says about one way of using it.
    pub fn kind(&self, role: Role) -> Option<&Kind> {
        match role {
            Role::ModelExchange => self.exchange.as_ref(),
            Role::CoSimulation => self.co_simulation.as_ref(),
        }
    }

    /// The place of the first element of every variable: places count the elements of all variables.
    pub fn first_places(&self) -> Vec<usize> {
        let lengths = self.variables.iter().map(Variable::len);
        lengths.scan(0, |sum, len| Some(std::mem::replace(sum, *sum + len))).collect()
    }
}
