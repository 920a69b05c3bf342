//! The flat model: scalar variables and equations, every name resolved.
//!
//! What no longer exists here: classes, records, arrays, connectors, `for`, redeclaration, conditional
//! components. An algorithm section is a [`Function`](kausal_symbolic::Function) like any other, called with
//! what it reads, its outputs equated with what it assigns.

use kausal_symbolic::nesting::limited;
use kausal_symbolic::{ExprId, FunctionId, Pool, VarId};
use kausal_syntax::Location;
pub use kausal_syntax::ast::{Causality, Variability};
use serde::{Deserialize, Serialize};

use crate::builtins;

/// In [`NOTE`]: impure functions are called where they may be; the places cannot be seen any more.
pub const PLACED: &str = "placed";

/// A model as a list of scalar variables and equations.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlatModel {
    /// The full name of the class.
    pub name: String,
    /// What the class says about itself.
    pub description: String,
    /// All expressions and functions.
    pub pool: Pool,
    /// All variables; a [`VarId`] is an index.
    pub variables: Vec<Variable>,
    /// Equations that always hold.
    pub equations: Vec<Equation>,
    /// Equations that hold at the start.
    pub initial_equations: Vec<Equation>,
    /// `when` clauses, of equations; those of algorithms are inside their function.
    pub whens: Vec<When>,
    /// Clocked `when` clauses.
    pub clocked: Vec<ClockedWhen>,
    /// `assert`, `terminate` and calls for their effects, outside `when`.
    pub actions: Vec<Action>,
    /// The same in initial equations.
    pub initial_actions: Vec<Action>,
    /// `residue` and `relax` hints.
    pub hints: Vec<Hint>,
    /// Names of the literals of the enumerations that variables have.
    pub enumerations: Vec<Enumeration>,
    /// The classes of external objects that variables have.
    pub external_objects: Vec<ExternalObject>,
    /// What the `experiment` annotation says.
    pub experiment: Experiment,
    /// Where the components of the model itself are declared, by name: messages begin there.
    pub components: Vec<(String, Location)>,
    /// How many variables of overdetermined connectors the surroundings of the model decide (specification section 9.4).
    pub outside: usize,
}

impl FlatModel {
    /// A variable.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The operators that were kept as they are (see [`crate::expr::opaque`]), in alphabetical order: programs that
    /// run models have to know them.
    pub fn kept_operators(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.pool.functions().filter_map(|(_, f)| builtins::operator_name(f)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Names an equation of [`FlatModel::equations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EquationId(pub u32);

/// An enumeration type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enumeration {
    /// Its full name.
    pub name: String,
    /// Its literals, from ordinal 1.
    pub literals: Vec<String>,
}

/// A class of external objects (specification section 12.9.7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalObject {
    /// Its full name.
    pub name: String,
    /// Makes one, as it is declared; those that are called may have been made from it for certain sizes.
    pub constructor: Option<FunctionId>,
    /// Ends its life.
    pub destructor: Option<FunctionId>,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// `Real`
    Real,
    /// `Integer`
    Integer,
    /// `Boolean`
    Boolean,
    /// `String`
    String,
    /// An index into [`FlatModel::enumerations`].
    Enumeration(u32),
    /// An external object: an index into [`FlatModel::external_objects`].
    External(u32),
    /// `Clock`
    Clock,
}

/// `stateSelect`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StateSelect {
    /// Never a state.
    Never,
    /// A state only if nothing else will do.
    Avoid,
    /// A state where natural.
    #[default]
    Default,
    /// Rather a state.
    Prefer,
    /// A state.
    Always,
}

/// A scalar variable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// Its path: `robot.axis[2].motor.i`.
    pub name: String,
    /// What it is.
    pub ty: Type,
    /// Constant, parameter, discrete or continuous.
    pub variability: Variability,
    /// Input or output of the whole model (of its top level), or neither.
    pub causality: Causality,
    /// A `flow` variable of a connector.
    pub flow: bool,
    /// Below `protected` somewhere on its path.
    pub protected: bool,
    /// The declaration binding of a parameter or constant; those of other variables are equations.
    pub binding: Option<ExprId>,
    /// A parameter whose value was needed while flattening, or `final`/`Evaluate=true`: it cannot be changed.
    pub evaluated: bool,
    /// `start`
    pub start: Option<ExprId>,
    /// `fixed`, if given
    pub fixed: Option<bool>,
    /// `min`
    pub min: Option<ExprId>,
    /// `max`
    pub max: Option<ExprId>,
    /// `nominal`
    pub nominal: Option<ExprId>,
    /// `stateSelect`
    pub state_select: StateSelect,
    /// `unbounded`
    pub unbounded: bool,
    /// `unit`
    pub unit: String,
    /// `displayUnit`
    pub display_unit: String,
    /// `quantity`
    pub quantity: String,
    /// What the declaration says about itself.
    pub description: String,
    /// Where it is declared.
    pub location: Option<Location>,
    /// Where its start value is given, or `fixed` where it has none.
    pub start_location: Option<Location>,
}

/// A scalar equation: both sides are equal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Equation {
    /// Left side.
    pub lhs: ExprId,
    /// Right side.
    pub rhs: ExprId,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where an equation comes from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The component it belongs to; empty for the model itself.
    pub component: String,
    /// Where it is written.
    pub location: Option<Location>,
    /// What kind of thing made it.
    pub kind: OriginKind,
}

/// What kind of thing made an equation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OriginKind {
    /// It was written as an equation.
    #[default]
    Equation,
    /// A declaration with a binding.
    Binding,
    /// An algorithm section.
    Algorithm,
    /// Equality of connected variables.
    Connect,
    /// Flow variables sum to zero.
    FlowSum,
    /// A flow variable that is not connected is zero.
    Unconnected,
}

/// A `when` clause.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct When {
    /// `when` and `elsewhen` branches, in order.
    pub branches: Vec<WhenBranch>,
    /// Where it comes from.
    pub origin: Origin,
}

/// `when clock then … end when` with a clock as its condition (specification section 16.6): equations that hold at
/// the ticks of the clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClockedWhen {
    /// The clock.
    pub clock: ExprId,
    /// General equations.
    pub equations: Vec<Equation>,
    /// `assert` and calls for their effects.
    pub actions: Vec<Action>,
    /// Where it comes from.
    pub origin: Origin,
}

/// One branch of a `when` clause.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WhenBranch {
    /// It fires when this becomes true; of `when {a, b}` any of these.
    pub conditions: Vec<ExprId>,
    /// What happens then.
    pub actions: Vec<Action>,
}

/// Something that is done rather than solved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Action {
    /// What.
    pub kind: ActionKind,
    /// Where it comes from.
    pub origin: Origin,
}

/// What is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ActionKind {
    /// `v = e` in a `when` clause.
    Assign(VarId, ExprId),
    /// `reinit(x, e)`
    Reinit(VarId, ExprId),
    /// `assert(condition, message, level)`
    Assert {
        /// What must hold.
        condition: ExprId,
        /// A string expression.
        message: ExprId,
        /// `AssertionLevel.warning`?
        warning: bool,
    },
    /// `terminate(message)`
    Terminate(ExprId),
    /// A call for its effects.
    Call(ExprId),
    /// Only when the condition holds (an `if` equation around asserts and calls).
    If(
        ExprId,
        #[serde(deserialize_with = "limited")] Vec<Action>,
        #[serde(deserialize_with = "limited")] Vec<Action>,
    ),
}

/// `residue(x)` or `relax(x)`: it left the formula and is kept here. A hint never changes the solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// In which equation it stood.
    pub equation: EquationId,
    /// On what; a constant's value for a lone residue equation.
    pub target: ExprId,
    /// Which of the two.
    pub kind: HintKind,
}

/// The two hints of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HintKind {
    /// `residue(x)`: x is a tearing variable, the equation a residue equation.
    Residue,
    /// `relax(x)`: x does not count in this equation when the elimination order is made.
    Relax,
}

/// What the `experiment` annotation says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// `StartTime`
    pub start: Option<f64>,
    /// `StopTime`
    pub stop: Option<f64>,
    /// `Tolerance`
    pub tolerance: Option<f64>,
    /// `Interval`
    pub interval: Option<f64>,
}
