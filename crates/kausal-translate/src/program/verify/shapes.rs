//! Systems are square, matrices have their entries inside and once, and lists that go together have the same length.

use kausal_symbolic::VarId;
use rustc_hash::FxHashSet;

use super::place::each_step;
use super::{FaultKind, Found, Place, Section};
use crate::program::{
    Form, Iteration, Jacobian, Kind, Nonlinear, Program, Solve, SolveKind, StateSet, Step, System,
};

pub(super) fn check(found: &mut Found) {
    let program = found.program;
    each_step(program, |place, step| match step {
        Step::Solve(solve) => kernel(found, place, solve),
        Step::System(system) => block(found, place, system),
        Step::When(when) if when.branches.is_empty() => {
            found.add(place, FaultKind::Length { what: "branches", found: 0, expected: 1 });
        }
        _ => {}
    });
    tables(found, program);
}

fn length(found: &mut Found, place: &Place, what: &'static str, is: usize, expected: usize) {
    if is != expected {
        found.add(place, FaultKind::Length { what, found: is, expected });
    }
}

fn once<'v>(found: &mut Found, place: &Place, what: &'static str, list: impl IntoIterator<Item = &'v VarId>) {
    let mut seen = FxHashSet::default();
    for &v in list {
        if !seen.insert(v) {
            found.add(place, FaultKind::Twice { what, variable: found.name(v) });
        }
    }
}

fn kernel(found: &mut Found, place: &Place, solve: &Solve) {
    let size = solve.unknowns.len();
    length(found, place, "right sides", solve.rhs.len(), size);
    once(found, place, "unknowns", &solve.unknowns);
    entries(found, place, &solve.entries, size, solve.kind == SolveKind::Symmetric);
}

fn entries(found: &mut Found, place: &Place, entries: &[(u32, u32, VarId)], size: usize, symmetric: bool) {
    let mut seen = FxHashSet::default();
    for &(row, column, _) in entries {
        if row as usize >= size || column as usize >= size {
            found.add(place, FaultKind::Entry { row, column, size });
        }
        if symmetric && column > row {
            found.add(place, FaultKind::AboveDiagonal { row, column });
        }
        if !seen.insert((row, column)) {
            found.add(place, FaultKind::EntryTwice { row, column });
        }
    }
}

fn block(found: &mut Found, place: &Place, system: &System) {
    once(found, place, "unknowns", &system.unknowns);
    once(found, place, "tearing variables", &system.tearing_variables);
    let all: FxHashSet<VarId> = system.unknowns.iter().copied().collect();
    match &system.form {
        Form::Linear { .. } => {}
        Form::Nonlinear(nonlinear) => iteration(found, place, nonlinear, &all),
        Form::Mixed { unknowns, relations, .. } => {
            once(found, place, "discrete unknowns", unknowns);
            let of_relations: Vec<VarId> =
                relations.iter().map(|&r| found.program.relations[r as usize].variable).collect();
            once(found, place, "relations", &of_relations);
        }
    }
}

fn iteration(found: &mut Found, place: &Place, nonlinear: &Nonlinear, all: &FxHashSet<VarId>) {
    let size = nonlinear.unknowns.len();
    length(found, place, "residuals", nonlinear.residuals.len(), size);
    once(found, place, "iteration variables", &nonlinear.unknowns);
    once(found, place, "residuals", &nonlinear.residuals);
    // Sweeps iterate on the values of the last one, which are variables of their own.
    let newton = nonlinear.iteration == Iteration::Newton;
    for v in nonlinear.unknowns.iter().filter(|v| newton && !all.contains(v)) {
        found.add(place, FaultKind::Missing { what: "unknowns", variable: found.name(*v) });
    }
    let Some(Jacobian { steps: _, entries: own, sensitivities }) = &nonlinear.jacobian else { return };
    entries(found, place, own, size, false);
    for &(_, column, _) in sensitivities {
        if column as usize >= size {
            found.add(place, FaultKind::Entry { row: 0, column, size });
        }
    }
}

fn tables(found: &mut Found, program: &Program) {
    let place = Place::of(Section::States);
    once(found, &place, "states", program.states.iter().map(|s| &s.variable));
    once(found, &place, "derivatives", program.states.iter().map(|s| &s.derivative));
    for state in &program.states {
        if !matches!(program.variables[state.variable.index()].kind, Kind::State | Kind::Helper) {
            found.add(&place, FaultKind::WrongKind { what: "states", variable: found.name(state.variable) });
        }
        if matches!(
            program.variables[state.derivative.index()].kind,
            Kind::Alias(_) | Kind::Parameter | Kind::Discrete
        ) {
            let variable = found.name(state.derivative);
            found.add(&place, FaultKind::WrongKind { what: "derivatives", variable });
        }
    }
    let states: FxHashSet<VarId> = program.states.iter().map(|s| s.variable).collect();
    for (i, variable) in program.variables.iter().enumerate() {
        if variable.kind == Kind::State && !states.contains(&VarId(i as u32)) {
            let variable = variable.name.clone();
            found.add(&place, FaultKind::Missing { what: "states", variable });
        }
    }
    for (i, set) in program.state_sets.iter().enumerate() {
        state_set(found, &Place::at(Section::States, i), set, &states);
    }
    let place = Place::of(Section::Events);
    once(found, &place, "discrete variables", &program.discrete_variables);
    once(found, &place, "slots of pre values", program.pre.iter().map(|p| &p.slot));
    once(found, &place, "relations", program.relations.iter().map(|r| &r.variable));
    once(found, &place, "samples", program.samples.iter().map(|s| &s.variable));
    once(found, &place, "delays", program.delays.iter().map(|d| &d.variable));
}

fn state_set(found: &mut Found, place: &Place, set: &StateSet, states: &FxHashSet<VarId>) {
    let StateSet { candidates, states: own, selection, settled, jacobian } = set;
    once(found, place, "candidates", candidates);
    for v in own.iter().filter(|v| !states.contains(v)) {
        found.add(place, FaultKind::Missing { what: "states", variable: found.name(*v) });
    }
    length(found, place, "rows of the selection", selection.len(), own.len());
    for row in selection {
        length(found, place, "columns of the selection", row.len(), candidates.len());
    }
    if own.len() > candidates.len() {
        length(found, place, "states", own.len(), candidates.len());
        return;
    }
    // Constraints determine what is settled and all candidates but the states.
    let columns = settled.saturating_add(candidates.len());
    let rows = columns - own.len();
    length(found, place, "entries of the Jacobian", jacobian.len(), rows.saturating_mul(columns));
}
