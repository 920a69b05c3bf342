//! The stiff states of `--inline mixed`: those that are named, or those that are found where the run begins.

use std::sync::Arc;

use kausal_codegen::Backend;
use kausal_model::FlatModel;
use kausal_runtime::CompiledModel;
use kausal_runtime::stiff::stiff_at_start;
use kausal_syntax::Diagnostic;
use kausal_translate::{Inline, Options, Program};

use crate::glob;
use crate::session::nearest;

/// Options with the stiff states of a model, from its Jacobian at the initial values. The model is translated without an inlined
/// step for that. Where it has no initial values, the run will say so: then all states count as stiff.
pub(crate) fn with_stiff_states(model: &FlatModel, options: &Options) -> Options {
    let off = Options { inline: Inline::Off, ..options.clone() };
    let (start, stop) = (model.experiment.start.unwrap_or(0.0), model.experiment.stop.unwrap_or(1.0));
    let found = kausal_translate::translate(model, &off).program.and_then(|program| {
        let compiled = Arc::new(CompiledModel::new(program, Backend::Interpreter).ok()?);
        let stiff = stiff_at_start(compiled.clone(), start, stop).ok()?;
        let variables = &compiled.program.variables;
        Some(stiff.into_iter().map(|v| variables[v.index()].name.clone()).collect())
    });
    Options { stiff: found, ..options.clone() }
}

/// An error when a name or pattern stands for no state.
pub(crate) fn unknown(program: &Program, stiff: &[String]) -> Option<Diagnostic> {
    let states: Vec<&str> =
        program.states.iter().map(|s| program.variables[s.variable.index()].name.as_str()).collect();
    let known = |pattern: &str| states.iter().any(|name| *name == pattern || glob::matches(pattern, name));
    let pattern = stiff.iter().find(|pattern| !known(pattern))?;
    let d = Diagnostic::error("K0910", format!("there is no state {pattern} that could be stiff"));
    let names = || states.iter().copied();
    Some(match nearest(pattern, names()) {
        Some(nearest) => d.help(format!("did you mean {nearest}?")),
        None => d.help(format!("the states are {}", listed(&states))),
    })
}

fn listed(states: &[&str]) -> String {
    const SHOWN: usize = 12;
    let more = if states.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", states[..states.len().min(SHOWN)].join(", "))
}
