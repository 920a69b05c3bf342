//! Who depends on whom: the model structure of the description (FMI 3.0, section 2.4.8).
//!
//! Dependencies are those of the program's steps between events. A variable that reads what changes at events only may depend, through
//! an event, on anything: FMI 3.0 asks for dependencies in all modes, so such a variable lists none and counts as depending on all.

use kausal_runtime::jacobian::Dependencies;
use kausal_symbolic::VarId;
use kausal_translate::Program;
use kausal_translate::program::{Kind, State};

use crate::references::Reference;

use crate::variables::{Causality, Initial, Variability, Variable};

/// The unknowns of a model, by their places among its variables.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Outputs.
    pub outputs: Vec<Unknown>,
    /// Derivatives of the states, in the order of the states.
    pub derivatives: Vec<Unknown>,
    /// What the initialisation computes.
    pub initial: Vec<usize>,
    /// The states.
    pub states: Vec<usize>,
}

/// An unknown, with what it depends on.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Its place.
    pub variable: usize,
    /// Places of what it depends on; `None` for everything.
    pub dependencies: Option<Vec<usize>>,
}

/// The structure of a model.
pub fn structure(program: &Program, variables: &[Variable]) -> Structure {
    let of_state = |state: &State| {
        let same = |v: &Variable| !v.negated && v.slot == Some(state.variable);
        let own = Reference::Variable(state.variable).number(program);
        let first = variables.iter().position(|v| same(v) && v.reference == own);
        first.or_else(|| variables.iter().position(same)).unwrap_or_default()
    };
    let states: Vec<usize> = program.states.iter().map(of_state).collect();
    let is_input = |v: &Variable| v.causality == Causality::Input && v.variability == Variability::Continuous;
    let mut known: Vec<(VarId, usize)> =
        program.states.iter().zip(&states).map(|(state, place)| (state.variable, *place)).collect();
    for (place, variable) in variables.iter().enumerate().filter(|(_, v)| is_input(v)) {
        known.extend(variable.slot.map(|slot| (slot, place)));
    }
    let slots: Vec<VarId> = known.iter().map(|(slot, _)| *slot).collect();
    let sections = [&program.dynamics[..], &program.outputs[..]];
    // What changes at events only is known as well, but has no place in the list.
    let held = (0..).map(VarId).zip(&program.variables);
    let held: Vec<VarId> = held.filter(|(_, v)| v.kind == Kind::Discrete).map(|(v, _)| v).collect();
    let relations = program.relations.iter().map(|relation| relation.variable);
    let seeds: Vec<VarId> = slots.iter().copied().chain(held).chain(relations).collect();
    let of_all = Dependencies::on(program, &seeds, true, &sections);
    let place_of = |i: u32| match i as usize {
        i if i < slots.len() => Some(known[i].1),
        // Time is a variable of its own (FMI 3.0, table of attributes of dependencies): the first one.
        i if i == seeds.len() => Some(0),
        _ => None,
    };
    let dependencies = |place: usize| -> Option<Vec<usize>> {
        let variable = &variables[place];
        let sets = of_all.as_ref()?.states(variable.slot?);
        if variable.variability != Variability::Continuous {
            return None;
        }
        let mut places = sets.iter().map(|&i| place_of(i)).collect::<Option<Vec<usize>>>()?;
        places.sort_unstable();
        Some(places)
    };
    let unknown = |place: usize| Unknown { variable: place, dependencies: dependencies(place) };
    let with = |test: &dyn Fn(&Variable) -> bool| -> Vec<usize> {
        variables.iter().enumerate().filter(|(_, v)| test(v)).map(|(place, _)| place).collect()
    };
    let outputs = with(&|v| v.causality == Causality::Output);
    let derivative = |k: usize| variables.iter().position(|v| v.derivative_of == Some(k));
    let derivatives: Vec<usize> = (0..program.states.len()).filter_map(derivative).collect();
    let open = |v: &Variable| matches!(v.initial, Some(Initial::Approx | Initial::Calculated));
    let initial = with(&|v| {
        let counts = v.causality == Causality::Output
            || v.causality == Causality::CalculatedParameter
            || v.derivative_of.is_some()
            || states.iter().any(|&state| std::ptr::eq(&variables[state], v));
        counts && open(v)
    });
    Structure {
        outputs: outputs.into_iter().map(unknown).collect(),
        derivatives: derivatives.into_iter().map(unknown).collect(),
        initial,
        states,
    }
}
