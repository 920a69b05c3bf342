//! Clocked models (specification chapter 16): from clocked operators to sections of the program, one per base clock.
//!
//! - [`operators`]: what calls of clocked operators mean,
//! - [`graph`]: partitioning by base clocks and by clocks,
//! - [`rates`] with [`rational`]: when each clock ticks, exactly,
//! - [`split`]: the equations leave the model, partition by partition, free of clocked operators,
//! - [`discretized`]: continuous equations with a clock get the formula of their solver method,
//! - [`section`]: partitions are sorted and become steps.
//!
//! A clocked variable keeps its value between the ticks of its clock, and has its start value before the first one. So
//! `hold(u)` and the conversions between clocks of one base clock are just `u`, read at another time; `previous(u)` is a slot
//! that the run gives the value of `u` before each tick; and `sample(u)` is a slot that takes the value `u` had before the event.

mod discretized;
mod graph;
mod operators;
mod rates;
mod rational;
mod section;
mod split;
mod words;

use kausal_model::flat::{Action, Origin};
use kausal_symbolic::evaluate::evaluate;
use kausal_symbolic::{ExprId, VarId};

use crate::equations::work::{Equation, Role, Work};
use crate::program::SampledValue;
pub(crate) use rates::Rates;
pub(crate) use section::sections;
pub(crate) use split::split;

/// The clocked part of a model, taken out of it.
#[derive(Debug, Default)]
pub(crate) struct Clocked {
    pub bases: Vec<Base>,
}

/// What one base clock makes tick.
#[derive(Debug)]
pub(crate) struct Base {
    pub rates: Rates,
    pub partitions: Vec<Partition>,
    /// Values of continuous time.
    pub sampled: Vec<SampledValue>,
    /// The condition of an event clock, and its first interval.
    pub condition: Option<(VarId, Option<ExprId>)>,
    pub origin: Origin,
}

/// What is on one clock.
#[derive(Debug, Default)]
pub(crate) struct Partition {
    /// How users know the clock: a clock variable, or a variable that is on it.
    pub name: String,
    pub variables: Vec<VarId>,
    pub equations: Vec<Equation>,
    pub initial_equations: Vec<Equation>,
    pub actions: Vec<Action>,
    /// Variables and the slots of their previous values.
    pub previous: Vec<(VarId, VarId)>,
    pub interval: Option<VarId>,
    pub first_tick: Option<VarId>,
    /// How differential equations are solved, and where that is said.
    pub method: Option<(String, Origin)>,
    pub origin: Origin,
}

/// Whether an expression of parameters holds, where that is known.
pub(crate) fn truth(work: &Work, e: ExprId) -> Option<bool> {
    let numbers = |v: VarId| {
        let var = work.var(v);
        let value = var.binding.or(var.start).filter(|_| var.role == Role::Parameter);
        value.and_then(|e| work.pool.as_constant(e)).unwrap_or(f64::NAN)
    };
    if work.pool.has_calls(e) || work.pool.contains_any(e, |v| numbers(v).is_nan()) {
        return None;
    }
    Some(evaluate(&work.pool, e, &mut |v: VarId| numbers(v)) != 0.0)
}
