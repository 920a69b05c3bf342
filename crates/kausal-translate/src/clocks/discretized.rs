//! Continuous equations on a clock (specification section 16.8): the formula of the solver method joins the equations, as in
//! inline integration (Elmqvist, Otter and Cellier 1995).
//!
//! `step` is a slot that the run sets: the interval of the clock, and zero at the first tick, where the states have their
//! start values: `h = 0` is initialisation. Nothing divides by it.
//!
//! ```text
//! ExplicitEuler      x = previous(x) + step*previous(der(x))
//! ImplicitEuler      x = previous(x) + step*der(x)
//! ImplicitTrapezoid  x = previous(x) + step/2*(der(x) + previous(der(x)))
//! ```

use kausal_model::flat::{Origin, Type};
use kausal_symbolic::{ExprId, Op, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::FxHashMap;

use super::Partition;
use super::rates::at;
use super::section::is_static;
use super::split::{plain, previous_slot};
use crate::index::Selection;
use crate::program::SubClock;
use crate::work::{Role, Work};

/// Adds the formulas; for each its state.
pub(super) fn formulas(
    part: &mut Work,
    partition: &mut Partition,
    sub: &mut SubClock,
    selection: &Selection,
) -> Option<FxHashMap<usize, VarId>> {
    let Some((method, origin)) = partition.method.clone() else {
        let d = Diagnostic::error("K0471", "differential equations on a clock need a solver method")
            .help("give the clock one: `Clock(c, solverMethod = \"ImplicitEuler\")`");
        part.diagnostics.push(at(d, &first_derivative(part, partition), "with this variable"));
        return None;
    };
    if !is_static(selection) {
        let message = "the states of equations on a clock cannot be selected while the model runs";
        part.diagnostics.push(at(Diagnostic::error("K0471", message), &partition.origin, "this clock"));
        return None;
    }
    let step = part.add_helper(format!("step({})", partition.name), Type::Real, Role::Run);
    (sub.step, sub.method) = (Some(step), Some(method.clone()));
    let step = part.pool.var(step);
    let mut formulas = FxHashMap::default();
    for &x in &selection.states {
        let Some(d) = part.var(x).derivative else { continue };
        let old = previous(part, partition, x);
        let new = part.pool.var(d);
        let rate = match method.as_str() {
            "ExplicitEuler" => previous(part, partition, d),
            "ImplicitEuler" => new,
            "ImplicitTrapezoid" => {
                let before = previous(part, partition, d);
                let sum = part.pool.op(Op::Add, &[new, before]);
                let half = part.pool.constant(0.5);
                part.pool.op(Op::Mul, &[half, sum])
            }
            _ => {
                let d = Diagnostic::error("K0471", format!("the solver method {method} is not supported"))
                    .help("ExplicitEuler, ImplicitEuler and ImplicitTrapezoid are");
                part.diagnostics.push(at(d, &origin, "given here"));
                return None;
            }
        };
        let increment = part.pool.op(Op::Mul, &[step, rate]);
        let value = part.pool.op(Op::Add, &[old, increment]);
        let lhs = part.pool.var(x);
        formulas.insert(part.equations.len(), x);
        let origin = Origin { location: part.var(x).location, ..Origin::default() };
        part.equations.push(plain(lhs, value, origin));
    }
    Some(formulas)
}

/// The previous value of a variable, as a slot.
fn previous(part: &mut Work, partition: &mut Partition, v: VarId) -> ExprId {
    let slot = match partition.previous.iter().find(|p| p.0 == v) {
        Some(&(_, slot)) => slot,
        None => {
            let slot = previous_slot(part, v);
            partition.previous.push((v, slot));
            slot
        }
    };
    part.pool.var(slot)
}

fn first_derivative(part: &Work, partition: &Partition) -> Origin {
    let state = partition.variables.iter().find(|v| part.var(**v).derivative.is_some());
    Origin { location: state.and_then(|&v| part.var(v).location), ..Origin::default() }
}
