//! The total time derivative of a formula: derivatives of variables are variables.

use kausal_symbolic::derivative::{self, NotDifferentiable};
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, Pool, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::FxHashMap;

use crate::equations::work::{Role, Work};

/// The total time derivative; derivatives of variables become variables.
pub(crate) fn time_derivative(work: &mut Work, e: ExprId) -> ExprId {
    let mut map: FxHashMap<VarId, ExprId> = FxHashMap::default();
    for v in work.pool.variables_of(e) {
        if work.var(v).role == Role::Input && !work.is_given(v) {
            let help = "what is delayed has no derivative here: differentiate it before the delay";
            work.diagnostics.push(no_derivative(work.shown(v), help));
        } else if work.is_continuous(v) {
            let d = work.derivative_of(v);
            let d = work.pool.var(d);
            map.insert(v, d);
        }
    }
    let zero = work.pool.constant(0.0);
    let mut rate = |_: &mut Pool, v: VarId| map.get(&v).copied().unwrap_or(zero);
    match derivative::time_derivative(&mut work.pool, e, &mut rate, &mut work.calls) {
        Ok(result) => result,
        Err(NotDifferentiable { part }) => {
            let name = |v: VarId| work.shown(v).to_owned();
            let part = print_limited(&work.pool, part, &name, 80);
            let help = "give the function a `derivative` annotation, or avoid the constraint that needs it";
            work.diagnostics.push(no_derivative(&part, help));
            zero
        }
    }
}

fn no_derivative(part: &str, help: &'static str) -> Diagnostic {
    Diagnostic::error("K0412", format!("{part} has to be differentiated, but has no derivative")).help(help)
}
