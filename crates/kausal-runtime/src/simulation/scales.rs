//! What is known of the sizes of states before a run: what the model says, start values, and start values of the states that
//! derivatives depend on. The rest is for the solver to find (`kausal_solver::weights`).

use kausal_solver::linear::Pattern;
use kausal_solver::weights::Size;
use kausal_symbolic::VarId;
use kausal_translate::Program;

/// The usual size of a variable: what the model says, else a start value below one, else one.
pub(super) fn usual(program: &Program, variable: VarId) -> f64 {
    let declared = &program.variables[variable.index()];
    match start(program, variable) {
        Some(start) if !declared.nominal_said && start < 1.0 => start,
        _ => declared.nominal,
    }
}

/// What is known of the size of state `i`. The pattern is that of the Jacobian, where it has one.
pub(super) fn size(
    program: &Program,
    states: &[(VarId, VarId)],
    pattern: Option<&Pattern>,
    i: usize,
) -> Size {
    let Some(&(state, _)) = states.get(i) else { return Size::Said(1.0) };
    let declared = &program.variables[state.index()];
    if declared.nominal_said {
        return Size::Said(declared.nominal);
    }
    if let Some(start) = start(program, state) {
        return Size::Started(start);
    }
    let reads = |j: &usize| pattern.is_some_and(|p| p.position(i, *j).is_some());
    let others = (0..states.len()).filter(reads).filter_map(|j| start(program, states[j].0));
    Size::Unknown { beside: others.fold(f64::INFINITY, f64::min) }
}

/// The magnitude of a start value that is not zero.
fn start(program: &Program, variable: VarId) -> Option<f64> {
    let value = program.variables[variable.index()].value.abs();
    (value > 0.0 && value.is_finite()).then_some(value)
}
