//! Comments of the C text, in the words of the model: which equation an assignment comes from, what a system consists of and
//! where it is torn. They follow the C listing of *Inline integration* (Elmqvist, Otter and Cellier 1995): systems of simultaneous
//! equations with tearing variables and residues, then the torn equations.

use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, VarId};
use kausal_translate::Program;
use kausal_translate::program::{Assign, EquationRef, Form, Nonlinear, System};

use super::text::comment;

/// Longer formulas are cut off with `…`.
const LONGEST: usize = 160;
/// Of more unknowns or tearing variables only the first are named.
const MOST: usize = 24;

/// What stands over the function of a section, in the words of the listing.
pub(crate) fn title(function: &str) -> Option<&'static str> {
    Some(match function {
        "model_parameters" => "PARAMETERS: what depends on parameters only",
        "model_initial" => "INITIAL: from start values to consistent values of everything",
        "model_dynamics" => "DYNAMICS: derivatives of the states, and differences of relations",
        "model_compute_outputs" => "OUTPUTS: what only results need",
        "model_outputs" => "OUTPUTS, and whether they are numbers",
        "model_round" => "DISCRETE: everything, once, at an event",
        "model_factors" => "COMPUTED WHEN h CHANGES",
        "model_discretized" => "DISCRETIZED: states and derivatives at the end of the step",
        "model_differences" => "DIFFERENCES of relations behind a step",
        _ => return None,
    })
}

/// What stands behind an assignment: the equation it was solved from, with the component it belongs to, or the formula of a
/// temporary.
pub(crate) fn assignment(program: &Program, assign: &Assign) -> String {
    let (variable, value) = (name(program, assign.variable), print(program, assign.value));
    comment(&match assign.equation {
        Some(equation) => format!("{}. [{variable}] = {value}", component(program, equation)),
        None => format!("{variable} = {value}"),
    })
}

/// What stands before a system.
pub(crate) fn system(program: &Program, system: &System) -> Vec<String> {
    let (kind, torn) = match system.form {
        Form::Linear { .. } => ("", ""),
        Form::Nonlinear(_) => ("NONLINEAR ", "NONLINEAR "),
        Form::Mixed { .. } => ("MIXED ", ""),
    };
    let mut lines = vec![
        format!("SYSTEM OF {} SIMULTANEOUS {kind}EQUATIONS", system.unknowns.len()),
        format!("UNKNOWN VARIABLES: {}", names(program, &system.unknowns)),
    ];
    if !system.tearing_variables.is_empty() {
        lines.push(format!("{torn}TEARING VARIABLES AND RESIDUES"));
    }
    for (k, &variable) in system.tearing_variables.iter().enumerate().take(MOST) {
        let residue = system.residuals.get(k).map_or_else(String::new, |&r| residue(program, r));
        lines.push(format!("  {}    {residue}", name(program, variable)));
    }
    if system.tearing_variables.len() > MOST {
        lines.push("  …".to_owned());
    }
    lines.iter().map(|line| format!("/* {} */", comment(line.trim_end()))).collect()
}

/// What stands before the function with the torn equations of a system.
pub(crate) fn torn(program: &Program, nonlinear: &Nonlinear) -> String {
    let (from, to) = (names(program, &nonlinear.unknowns), names(program, &nonlinear.residuals));
    comment(&format!("TORN NONLINEAR EQUATIONS: from {from} to the residues {to}"))
}

fn residue(program: &Program, equation: EquationRef) -> String {
    let Some(info) = program.equations.get(equation.0 as usize) else { return String::new() };
    let side = |side: ExprId| print(program, side);
    format!("{}. {} = {}", component(program, equation), side(info.lhs), side(info.rhs))
}

/// The component an equation comes from; the model itself has its name.
fn component(program: &Program, equation: EquationRef) -> &str {
    match program.equations.get(equation.0 as usize) {
        Some(info) if !info.origin.component.is_empty() => &info.origin.component,
        _ => program.name.rsplit('.').next().unwrap_or(""),
    }
}

fn names(program: &Program, variables: &[VarId]) -> String {
    let mut all: Vec<String> = variables.iter().take(MOST).map(|&v| name(program, v)).collect();
    if variables.len() > MOST {
        all.push("…".to_owned());
    }
    all.join(", ")
}

fn name(program: &Program, variable: VarId) -> String {
    match program.variables.get(variable.index()) {
        Some(variable) => variable.name.clone(),
        None => format!("v{}", variable.0),
    }
}

fn print(program: &Program, expression: ExprId) -> String {
    print_limited(&program.pool, expression, &|v| name(program, v), LONGEST)
}
