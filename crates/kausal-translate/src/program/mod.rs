//! The program: what is computed, in order; nothing left to decide.
//!
//! All values live in one array of `f64`, one slot per [`VarId`]; Booleans are 0 and 1. A second array of the
//! same length holds `pre` values. Expressions in a program contain variables, numbers, strings and operators
//! only: no [`Node::Call`](kausal_symbolic::Node::Call) (a call is a [`Step::Call`]), no `der`, `sample`,
//! `delay`, `pre`, `initial`, `terminal` or `homotopy` (each became a variable the run sets), and no relation
//! that may cause an event (it became a [`Relation`]). `time` reads the clock. Only messages of assertions and of `terminate`,
//! which are put together when they are needed, may call functions. [`Program::verify`] checks all this.
//!
//! Listing, interpreter, machine code and C are readers of this one type.

pub mod flow;
pub mod stored;
pub mod text;
pub mod verify;

use kausal_model::flat::{self, Origin};
use kausal_symbolic::nesting::limited;
use kausal_symbolic::{ExprId, FunctionId, Pool, VarId};
use kausal_syntax::Location;
use serde::{Deserialize, Serialize};

/// A translated model.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// The model's name.
    pub name: String,
    /// All expressions and functions.
    pub pool: Pool,
    /// All slots: first the variables of the flat model, with the same ids, then what the translation added.
    pub variables: Vec<Variable>,
    /// The equations that were sorted, after index reduction; for listing and explaining.
    pub equations: Vec<EquationInfo>,
    /// Computed once, before anything else: what depends on parameters only.
    pub parameters: Vec<Step>,
    /// The initial problem: from start values to consistent values of everything.
    pub initial: Vec<Step>,
    /// Initial conditions that [`Program::initial`] did not need: they must hold all the same.
    pub checks: Vec<Check>,
    /// From states to derivatives and zero crossing functions; discrete variables are constant here.
    pub dynamics: Vec<Step>,
    /// Continuous variables neither derivatives nor crossings depend on: computed after [`Program::dynamics`]
    /// where results are wanted.
    pub outputs: Vec<Step>,
    /// All of it at an event: dynamics, relations, discrete equations and `when` clauses, in order.
    pub discrete: Vec<Step>,
    /// The inlined integration step, if asked for.
    pub discretized: Option<Discretized>,
    /// Base clocks, each with what is computed at its ticks.
    pub clocks: Vec<BaseClock>,
    /// The states with their derivatives.
    pub states: Vec<State>,
    /// States selected while the model runs; they are among [`Program::states`].
    pub state_sets: Vec<StateSet>,
    /// Relations that may cause events, held constant between them.
    pub relations: Vec<Relation>,
    /// Instants known in advance.
    pub time_events: Vec<TimeEvent>,
    /// `sample` operators.
    pub samples: Vec<Sample>,
    /// `delay` operators.
    pub delays: Vec<Delay>,
    /// `spatialDistribution` operators.
    pub transports: Vec<Transport>,
    /// All discrete variables; each has a `pre` value in the second array.
    pub discrete_variables: Vec<VarId>,
    /// `pre(v)` where formulas use it: a slot of its own, copied from the second array before each evaluation.
    pub pre: Vec<Pre>,
    /// Set to 1 during initialisation, if used: `initial()`.
    pub initial_flag: Option<VarId>,
    /// Set to 1 in the last evaluation, if used: `terminal()`.
    pub terminal_flag: Option<VarId>,
    /// The homotopy parameter, 1 for the actual model, if used.
    pub homotopy: Option<VarId>,
    /// What the `experiment` annotation says.
    pub experiment: flat::Experiment,
    /// The declared `min` and `max` of variables, where they have some.
    pub bounds: Vec<Bounds>,
    /// Parameters whose values this program depends on, with the reason, by ascending variable: another value needs another
    /// translation. Every other parameter may be given another value by a run.
    pub structural: Vec<(VarId, Structural)>,
    /// Start values that a run may change, and those that depend on parameters, by ascending variable. Others need another
    /// translation.
    pub starts: Vec<Start>,
    /// What is given from outside (top-level `input` without a value of its own), in order of declaration.
    pub inputs: Vec<Input>,
    /// Variables that the model gives to the outside (top-level `output`), in order of declaration.
    pub output_variables: Vec<VarId>,
    /// Names of enumeration literals.
    pub enumerations: Vec<flat::Enumeration>,
    /// What the translation decided, and why.
    pub report: Report,
}

/// A base clock (specification section 16.2.2): clocks whose ticks are related exactly, and what is computed at them.
///
/// Ticks are counted in units of the trigger divided by [`BaseClock::resolution`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BaseClock {
    /// How listings call it.
    pub name: String,
    /// What makes it tick.
    pub trigger: ClockTrigger,
    /// In so many parts its unit is divided.
    pub resolution: i64,
    /// Its clocks.
    pub clocks: Vec<SubClock>,
    /// Values of continuous time that are sampled.
    pub sampled: Vec<SampledValue>,
    /// What is computed, in order; a piece only where its clock ticks.
    pub pieces: Vec<Piece>,
    /// Where it comes from.
    pub origin: Origin,
}

/// What makes a base clock tick.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum ClockTrigger {
    /// The unit is this time: an expression of parameters.
    Periodic(ExprId),
    /// The unit is the time from one tick to the next: a clocked variable. An Integer one is divided by the resolution and gives
    /// the time to the next tick when it is computed; a Real one one tick later.
    Varying {
        /// The variable.
        variable: VarId,
        /// Of an Integer one.
        resolution: Option<f64>,
    },
    /// It ticks where the condition becomes true.
    Event {
        /// A Boolean variable.
        condition: VarId,
        /// `interval()` at the first tick; zero where it is not given.
        start_interval: Option<ExprId>,
    },
}

/// A clock: it ticks at `shift`, `shift + factor`, `shift + 2*factor`, … of the counter of its base clock.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SubClock {
    /// A clock variable, or a variable that is on it.
    pub name: String,
    /// Distance of its ticks.
    pub factor: i64,
    /// The first tick.
    pub shift: i64,
    /// The slot of `interval()`.
    pub interval: Option<VarId>,
    /// The slot of `firstTick()`.
    pub first_tick: Option<VarId>,
    /// The slot of the step size of the solver method: the interval, and zero at the first tick.
    pub step: Option<VarId>,
    /// The solver method of its differential equations.
    pub method: Option<String>,
    /// The initial problem of its differential equations, solved before the first tick.
    pub initial: Vec<Step>,
    /// `previous` values.
    pub previous: Vec<PreviousValue>,
    /// Where it comes from.
    pub origin: Origin,
}

/// `previous(variable)`: before each tick the slot gets the value of the variable.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PreviousValue {
    /// Of what.
    pub variable: VarId,
    /// Its value.
    pub slot: VarId,
}

/// `sample(u)`: the slot gets the value that `u` has before the event.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SampledValue {
    /// A variable of continuous time that is `u`.
    pub source: VarId,
    /// Its value.
    pub slot: VarId,
}

/// Steps of one clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Piece {
    /// The clock, by its place in [`BaseClock::clocks`].
    pub clock: u32,
    /// What is done when it ticks.
    pub steps: Vec<Step>,
}

/// `min` and `max` as the declaration of a variable gives them: expressions of parameters. What [`Variable::min`] has may come
/// from an alias.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// The variable; it may be an alias.
    pub variable: VarId,
    /// Its lower bound.
    pub min: Option<ExprId>,
    /// Its upper bound.
    pub max: Option<ExprId>,
    /// Where it is declared.
    pub location: Option<Location>,
}

/// A variable that is given from outside; its start value until it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The variable.
    pub variable: VarId,
    /// It changes at events only: it is not Real, or declared `discrete`.
    pub held: bool,
    /// Its derivatives that the program reads, the first one first: they are given with it.
    pub derivatives: Vec<VarId>,
}

/// Why a parameter cannot be changed without another translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Structural {
    /// It is a constant.
    Constant,
    /// Its value was needed to flatten the model (a size, a condition of a component or of an `if` equation), or it is `final` or
    /// has `Evaluate = true`.
    Evaluated,
    /// The initial problem determines it (`fixed = false`), or it depends on one that is determined there.
    Initial,
    /// The model gives it no value, which the translation has said.
    Valueless,
    /// It is no parameter of the model: an equation says which number it is.
    Equation,
    /// `nominal`, `min` or `max` of this variable depends on it: they are numbers in the program.
    Attribute(VarId),
    /// A decision was taken by the value of this parameter, which depends on it or is the parameter itself.
    Decision(VarId),
}

/// A start value as runs find it: it is the first guess of an iteration, or what an initial condition says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The variable whose start value it is.
    pub variable: VarId,
    /// Where it is used: the variable itself, or its `pre` value.
    pub slot: VarId,
    /// The start value as it is declared.
    pub value: ExprId,
    /// The initial condition `slot = value`, if it is one: a single assignment of [`Program::initial`].
    pub equation: Option<EquationRef>,
    /// May a run change it? Otherwise it is also used where no run can reach it.
    pub changeable: bool,
}

/// A slot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// Its name; `der(x)` for derivatives, `Q101` and the like for temporaries.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// Real, Boolean, …
    pub ty: flat::Type,
    /// The value before anything is computed: a literal parameter or start value; 0 otherwise.
    pub value: f64,
    /// That was said: an unknown without a start value begins at 0 as well.
    pub start_said: bool,
    /// Magnitude, positive; one where nobody has said it.
    pub nominal: f64,
    /// The model says the magnitude.
    pub nominal_said: bool,
    /// Lower bound.
    pub min: f64,
    /// Upper bound.
    pub max: f64,
    /// `unit`
    pub unit: String,
    /// What the declaration says about itself.
    pub description: String,
    /// Below `protected`.
    pub protected: bool,
}

impl Variable {
    /// Is it declared `Real`?
    pub fn is_real(&self) -> bool {
        self.ty == flat::Type::Real
    }

    /// Is it declared `String`?
    pub fn is_string(&self) -> bool {
        self.ty == flat::Type::String
    }

    /// Is it declared `Integer`?
    pub fn is_integer(&self) -> bool {
        self.ty == flat::Type::Integer
    }
}

/// What a slot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Fixed before the run; also constants.
    Parameter,
    /// Integrated.
    State,
    /// The derivative of a state.
    Derivative,
    /// Computed from states.
    Algebraic,
    /// Changes at events only.
    Discrete,
    /// Always equal to another variable, or to its negative: it has no slot content of its own.
    Alias(Alias),
    /// Added by the translation: temporaries, relations, flags, derivatives that are not integrated.
    Helper,
}

/// `this = target` or `this = -target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// The variable that is computed.
    pub target: VarId,
    /// With the other sign.
    pub negated: bool,
}

/// Names an entry of [`Program::equations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EquationRef(pub u32);

/// An equation as it was sorted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EquationInfo {
    /// Left side.
    pub lhs: ExprId,
    /// Right side.
    pub rhs: ExprId,
    /// Where it comes from.
    pub origin: Origin,
    /// How often it was differentiated by index reduction.
    pub differentiated: u32,
    /// Its place among the equations of the flat model, if it is one of them: derivatives and what the translation added
    /// are not.
    pub model: Option<u32>,
}

/// A state and its derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The state.
    pub variable: VarId,
    /// Its derivative.
    pub derivative: VarId,
}

/// States among several candidates, of which constraints determine the others: `states = selection * candidates`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StateSet {
    /// Who may be a state.
    pub candidates: Vec<VarId>,
    /// The states.
    pub states: Vec<VarId>,
    /// One row a state, one column a candidate; the run sets a single one in each row.
    pub selection: Vec<Vec<VarId>>,
    /// How many variables are never states but determined along with the candidates.
    pub settled: usize,
    /// Derivatives of the constraints, row by row, by those variables and then by the candidates: what is not a state
    /// must be determined by them.
    pub jacobian: Vec<ExprId>,
}

/// One thing that is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Step {
    /// `variable := value`.
    Assign(Assign),
    /// A function call; its scalar outputs go to variables.
    Call(Call),
    /// The numerical kernel of a linear system.
    Solve(Solve),
    /// A system of simultaneous equations.
    System(#[serde(deserialize_with = "limited")] Box<System>),
    /// A `when` clause.
    When(#[serde(deserialize_with = "limited")] Box<When>),
    /// `reinit(state, value)`: takes effect when the event iteration is over.
    Reinit(VarId, ExprId),
    /// `assert`.
    Assert(Assert),
    /// A relation, by its place in [`Program::relations`], takes its value from its difference. At events the run
    /// may hold it where the difference is zero but for rounding.
    Relation(u32),
    /// `terminate(message)`.
    Terminate(ExprId),
    /// `if condition then … else …`, around actions.
    If(
        ExprId,
        #[serde(deserialize_with = "limited")] Vec<Step>,
        #[serde(deserialize_with = "limited")] Vec<Step>,
    ),
}

/// `variable := value`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Assign {
    /// What is computed.
    pub variable: VarId,
    /// From what.
    pub value: ExprId,
    /// Solved from this equation, if from one.
    pub equation: Option<EquationRef>,
}

/// A function call, evaluated once for all its outputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The function.
    pub function: FunctionId,
    /// All scalar arguments.
    pub args: Vec<ExprId>,
    /// Where the scalar outputs go, one entry per output; those at the end that nothing reads may be missing.
    pub outputs: Vec<Option<VarId>>,
    /// It has effects and is called even without outputs.
    pub impure: bool,
}

/// `matrix * unknowns = rhs`, solved numerically.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Solve {
    /// Nonzero entries by (row, column); the values are variables assigned before.
    pub entries: Vec<(u32, u32, VarId)>,
    /// Right side, one variable a row.
    pub rhs: Vec<VarId>,
    /// Where the solution goes, one variable a column.
    pub unknowns: Vec<VarId>,
    /// Which solver.
    pub kind: SolveKind,
    /// The matrix depends on parameters only: it is factorised once.
    pub constant: bool,
}

/// Which solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SolveKind {
    /// LU with pivoting.
    Dense,
    /// LDLᵀ; only entries with row >= column are given.
    Symmetric,
    /// Sparse LU on a fixed pattern.
    Sparse,
}

/// A system of simultaneous equations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct System {
    /// The equations of the strongly connected block.
    pub equations: Vec<EquationRef>,
    /// The unknowns of the block.
    pub unknowns: Vec<VarId>,
    /// What is left to a solver.
    pub tearing_variables: Vec<VarId>,
    /// The residue equations, paired with the tearing variables where a pairing exists.
    pub residuals: Vec<EquationRef>,
    /// It also has discrete unknowns.
    pub mixed: bool,
    /// How it is solved.
    pub form: Form,
    /// The ways it could be solved, with their prices; empty where there was no choice.
    pub alternatives: Vec<Alternative>,
}

/// A way to solve a system, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Which way.
    pub way: Way,
    /// Unknowns left to a solver.
    pub left: usize,
    /// `*` and `/` of each evaluation.
    pub mul: u64,
    /// `+` and `-` of each evaluation.
    pub add: u64,
    /// Operations done once, because they depend on parameters only.
    pub once: u64,
    /// What it counts in the comparison; infinite where it is out of the question.
    pub price: f64,
    /// Was it taken?
    pub chosen: bool,
    /// Why not, or what there is to know about it.
    pub note: String,
}

/// The ways to solve a linear system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Way {
    /// Torn at variables that were found.
    Torn,
    /// Torn as the model declares with `residue`.
    TornAsDeclared,
    /// Eliminated in an order that was found.
    Eliminated,
    /// Eliminated in the order the model declares with `relax`.
    Relaxed,
    /// Sparse factorisation of the whole.
    Sparse,
}

impl Way {
    /// Its name for users.
    pub fn name(self) -> &'static str {
        match self {
            Way::Torn => "torn",
            Way::TornAsDeclared => "torn as declared",
            Way::Eliminated => "eliminated",
            Way::Relaxed => "relaxed as declared",
            Way::Sparse => "sparse",
        }
    }
}

/// How a system is solved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Form {
    /// Assignments and kernels, in order.
    Linear {
        /// How it was reduced.
        method: LinearMethod,
        /// Is the matrix left to the kernel symmetric?
        symmetric: bool,
        /// What to do.
        steps: Vec<Step>,
        /// What must hold for the result to be good, and what to do where it does not.
        guard: Option<Box<Guard>>,
    },
    /// Newton iteration on the tearing variables.
    Nonlinear(Nonlinear),
    /// Discrete unknowns are iterated to a fixed point around the continuous part; between events the
    /// continuous part alone is evaluated.
    Mixed {
        /// Solves for the continuous unknowns with the discrete ones given.
        continuous: Vec<Step>,
        /// Relations of the loop, by their place in [`Program::relations`]: computed from the continuous part.
        relations: Vec<u32>,
        /// Computes the other discrete unknowns anew, in order, from relations and the continuous part.
        discrete: Vec<Step>,
        /// The discrete unknowns that are not relations.
        unknowns: Vec<VarId>,
    },
}

/// Straight-line solutions divide by what is not proven to be nonzero, and may lose digits. Pivots are looked at in every
/// evaluation, residuals and sums now and then; where they are bad the system is solved with pivoting instead.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Guard {
    /// Divisors, each with what it was before anything was subtracted from it: it must not have become tiny.
    pub pivots: Vec<(VarId, VarId)>,
    /// Divisors that are sums, each with the sum of the magnitudes of its terms: it must not be rounding alone.
    pub sums: Vec<(VarId, VarId)>,
    /// Computes residuals and sizes.
    pub check: Vec<Step>,
    /// The residual of each equation, and the sum of the magnitudes of its terms.
    pub residuals: Vec<(VarId, VarId)>,
    /// Solves the system whatever the pivots are.
    pub fallback: Vec<Step>,
}

impl Guard {
    /// A pivot is too small below this part of what it was before.
    pub const TINY: f64 = 1e-11;
    /// So it is below this part of the largest size it has had.
    pub const VANISHING: f64 = 1e-9;
    /// A residual above this part of its size means that digits are lost; the system is solved with pivoting from then
    /// on.
    pub const LOST: f64 = 1e-8;
    /// A residual below this part of the largest size in the system is rounding, whatever the size of its own equation.
    pub const ROUNDING: f64 = 64.0 * f64::EPSILON;
    /// A divisor below this part of the terms it is the sum of is what rounding left of them.
    pub const CANCELLED: f64 = 1e-13;
    /// Between events residuals are looked at once in so many evaluations, first in the first one; at events always.
    pub const OFTEN: u32 = 16;
}

/// How a linear system was reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinearMethod {
    /// Solved symbolically as a whole.
    ClosedForm,
    /// Torn; the small system in closed form or dense.
    Torn,
    /// Straight-line elimination in a static order.
    Relaxed,
    /// Sparse factorisation of the whole.
    Sparse,
}

/// Newton iteration: given the iteration variables, the sequence computes the rest and the residuals.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Nonlinear {
    /// Iteration variables.
    pub unknowns: Vec<VarId>,
    /// Computes everything else, and last the residual variables.
    pub steps: Vec<Step>,
    /// The residuals, to become zero.
    pub residuals: Vec<VarId>,
    /// The Jacobian, if symbolic; run after `steps`.
    pub jacobian: Option<Jacobian>,
    /// How the iteration variables get better values.
    pub iteration: Iteration,
}

/// How a system is iterated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Iteration {
    /// Newton's method makes the residuals zero.
    #[default]
    Newton,
    /// Each residual is added to its iteration variable: successive substitution with values of the last sweep throughout.
    Jacobi,
    /// The same with values of this sweep where they are there.
    GaussSeidel,
}

/// Derivatives of the residuals by the iteration variables.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Jacobian {
    /// Computes the entries.
    pub steps: Vec<Step>,
    /// Nonzero entries by (row, column).
    pub entries: Vec<(u32, u32, VarId)>,
    /// In an inlined step that ends with this system: derivatives of states by the iteration variable in a column. With them
    /// the last correction needs no evaluation.
    pub sensitivities: Vec<(VarId, u32, VarId)>,
}

/// A `when` clause: the first branch with a condition that became true is executed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct When {
    /// Branches in order.
    pub branches: Vec<WhenBranch>,
    /// It gives no variable a value, it acts: calls, `reinit`, `terminate`. The initial problem has nothing to find in it, so
    /// `initial()` fires it in the first event.
    pub acts: bool,
    /// Where it comes from.
    pub origin: Origin,
}

/// A branch of a `when` clause.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WhenBranch {
    /// Boolean variables; it fires when one is true whose `pre` value is false.
    pub conditions: Vec<VarId>,
    /// It also fires at the start (`initial()` among the conditions).
    pub initial: bool,
    /// What is done.
    pub steps: Vec<Step>,
}

/// `assert(condition, message)`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assert {
    /// What must hold.
    pub condition: ExprId,
    /// A variable that is true while it holds by the relations in it, which are events; then there is nothing to look at.
    pub holds: Option<VarId>,
    /// A string.
    pub message: ExprId,
    /// Warn only.
    pub warning: bool,
    /// Where it comes from.
    pub origin: Origin,
}

/// An equation that must hold after the initial problem is solved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Left side.
    pub lhs: ExprId,
    /// Right side.
    pub rhs: ExprId,
    /// As the user reads it.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The variable whose fixed start value it is, if it is one.
    pub fixed: Option<VarId>,
    /// Where it is said what the variable is, if it is a number or a parameter.
    pub settled: Option<Location>,
    /// It is zero because nothing is connected to its connector.
    pub unconnected: bool,
}

/// A relation `difference < 0` (or `<= 0`) that may cause an event.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Relation {
    /// Its value, held between events.
    pub variable: VarId,
    /// A variable that holds left minus right; computed in [`Program::dynamics`].
    pub difference: VarId,
    /// `<=` rather than `<`.
    pub or_equal: bool,
    /// It is the trace of an algorithm section, which is not held between events: a step must not go beyond its change.
    pub trace: bool,
    /// It depends on time and discrete variables only, and this entry of [`Program::time_events`] announces it: no
    /// need to search.
    pub timed: Option<u32>,
}

/// An event at an instant that is known in advance: `time >= instant` and the like.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TimeEvent {
    /// When; depends on parameters and discrete variables only.
    pub instant: ExprId,
    /// How fast the difference of the relation grows with time.
    pub slope: ExprId,
}

/// `sample(start, interval)`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// True in the first evaluation at each tick.
    pub variable: VarId,
    /// First tick.
    pub start: ExprId,
    /// Distance.
    pub interval: ExprId,
}

/// `pre(variable)`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Pre {
    /// Of what.
    pub variable: VarId,
    /// Its value, set before each evaluation.
    pub slot: VarId,
}

/// `delay(input, delay, maximum)`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Delay {
    /// Its value, set before each evaluation.
    pub variable: VarId,
    /// What is delayed: a variable.
    pub input: VarId,
    /// By how much.
    pub delay: ExprId,
    /// At most so much.
    pub maximum: ExprId,
}

/// `(outputs) = spatialDistribution(inputs, position, forward, points, values)`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transport {
    /// What comes out at the two ends, set before each evaluation.
    pub outputs: [VarId; 2],
    /// What enters at the two ends, when the flow comes from there.
    pub inputs: [VarId; 2],
    /// How far the flow has come, in lengths.
    pub position: ExprId,
    /// Does it go from the first end to the second?
    pub forward: ExprId,
    /// Places of the initial distribution, ascending.
    pub points: Vec<ExprId>,
    /// Its values there.
    pub values: Vec<ExprId>,
    /// The positions at which jumps leave next, forwards and backwards, set at events; relations watch them.
    pub arrivals: [VarId; 2],
    /// These relations by their places in the program: true before the arrival.
    pub relations: [u32; 2],
}

/// The inlined integration step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Discretized {
    /// Which formula.
    pub method: String,
    /// The slot of `h`.
    pub h: Option<VarId>,
    /// The slots of `old(x)`, one per state.
    pub old: Vec<VarId>,
    /// The stages of a method that solves several at once, the last one being the model at the end of the step; empty for
    /// methods with one.
    pub stages: Vec<Stage>,
    /// What depends on `h`, parameters and discrete variables only: computed when one of them has changed.
    pub factors: Vec<Step>,
    /// Computes states and derivatives at the new instant.
    pub steps: Vec<Step>,
    /// States, by their place, whose formula is not part of the steps: they are not stiff, and successive substitution finds
    /// them.
    pub substituted: Vec<u32>,
    /// For methods with several stages: a single implicit step, which damps error estimates. Where states are substituted: the
    /// step with all states implicit, for when these become stiff.
    #[serde(deserialize_with = "limited")]
    pub filter: Option<Box<Discretized>>,
    /// Computes the differences of relations after the steps, where assignments do.
    pub crossings: Option<Vec<Step>>,
}

/// A stage of an inlined step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stage {
    /// The slot of its instant; none for the end of the step.
    pub time: Option<VarId>,
    /// Its copies of states and derivatives.
    pub states: Vec<State>,
    /// All variables of the continuous part, each with its copy.
    pub copies: Vec<(VarId, VarId)>,
}

/// What the translation decided, and why.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Scalar equations of the flat model.
    pub equations: usize,
    /// Scalar unknowns of the flat model.
    pub unknowns: usize,
    /// How many variables were eliminated as aliases or constants.
    pub aliases: usize,
    /// Equations of the flat model, by their places, that left because they are trivial.
    pub trivial: Vec<(u32, Trivial)>,
    /// What was differentiated, in the user's terms.
    pub index_reduced: Vec<String>,
    /// Sentences that say why, in order of the passes.
    pub decisions: Vec<String>,
    /// Parameters that the model gives no value.
    pub valueless: Vec<String>,
    /// Which states are treated as stiff, where not all are.
    pub stiffness: Option<String>,
}

/// What a trivial equation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Trivial {
    /// `a = b` or `a = -b`
    Same,
    /// `a = number`
    Number,
    /// `der(x) = v`: the variable takes the place of the derivative.
    Derivative,
}

/// A part of a model without a unique solution: more equations than unknowns, or fewer.
#[derive(Clone, Debug, Default)]
pub struct SingularPart {
    /// The equations, as the user reads them, with where they come from.
    pub equations: Vec<(String, Origin)>,
    /// The unknowns.
    pub unknowns: Vec<String>,
    /// For each equation the unknowns in it, by their places.
    pub entries: Vec<Vec<u32>>,
    /// The numbers are right, but this many of the equations follow from the others or exclude them.
    pub dependent: usize,
}

impl SingularPart {
    /// Are there more equations than unknowns?
    pub fn is_too_many(&self) -> bool {
        self.equations.len() > self.unknowns.len()
    }
}

/// The name in the model of what may be the copy of a variable in a stage inside the step.
pub fn without_stage(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((own, stage)) if !stage.is_empty() && stage.bytes().all(|b| b.is_ascii_digit()) => own,
        _ => name,
    }
}
