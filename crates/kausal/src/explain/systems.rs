//! The loops of a program in words: which there are, how each is solved, why it is torn where it is, what it costs.
//!
//! What a loop costs is counted in one place, [`cost`]; the ways that were considered show prices only, which are what was
//! compared when the way was chosen.

use std::collections::HashSet;

use kausal_symbolic::Pool;
use kausal_symbolic::count::Operations;
use kausal_translate::Program;
use kausal_translate::program::{
    Alternative, EquationRef, Form, Iteration, LinearMethod, SolveKind, Step, System, Way,
};

use super::counted;

/// The systems of sections; of mixed ones the continuous part.
pub fn systems<'a>(sections: &[&'a [Step]]) -> Vec<&'a System> {
    let mut found = Vec::new();
    let mut stack: Vec<&Step> = sections.iter().rev().flat_map(|s| s.iter().rev()).collect();
    while let Some(step) = stack.pop() {
        let Step::System(system) = step else { continue };
        match &system.form {
            Form::Mixed { continuous, .. } if continuous.iter().any(|s| matches!(s, Step::System(_))) => {
                stack.extend(continuous.iter().rev());
            }
            _ => found.push(&**system),
        }
    }
    found
}

/// The loops of a section that have conditions or other discrete unknowns in them.
pub fn mixed(section: &[Step]) -> Vec<&System> {
    let systems = section.iter().filter_map(|step| match step {
        Step::System(system) => Some(&**system),
        _ => None,
    });
    systems.filter(|system| matches!(system.form, Form::Mixed { .. })).collect()
}

/// The steps of a system.
pub fn steps(system: &System) -> &[Step] {
    match &system.form {
        Form::Linear { steps, .. } => steps,
        Form::Nonlinear(n) => &n.steps,
        Form::Mixed { continuous, .. } => continuous,
    }
}

/// What one evaluation of a system takes, or one iteration where it is iterated.
pub fn cost(pool: &Pool, system: &System) -> Operations {
    kausal_codegen::count::system_operations(pool, system)
}

/// What it leaves to be computed where results are wanted.
pub fn late_cost(program: &Program, system: &System) -> Operations {
    let own: HashSet<EquationRef> = system.equations.iter().copied().collect();
    let is_own =
        |step: &&Step| matches!(step, Step::Assign(a) if a.equation.is_some_and(|e| own.contains(&e)));
    let late: Vec<Step> = program.outputs.iter().filter(is_own).cloned().collect();
    kausal_codegen::count::steps_operations(&program.pool, &late)
}

/// What a loop costs, in words.
pub fn costs(program: &Program, system: &System) -> String {
    let late = late_cost(program, system);
    let more = match late.total() {
        0 => String::new(),
        _ => format!("; {} more where results are wanted", operations(late)),
    };
    format!("{}{}{more}", operations(cost(&program.pool, system)), remark(system))
}

/// `4 mul, 1 add, 0 calls`
pub fn operations(o: Operations) -> String {
    format!("{} mul, {} add, {}", o.mul, o.add, counted(o.call as usize, "call"))
}

/// What the number of operations of a system does not say.
fn remark(system: &System) -> &'static str {
    match &system.form {
        Form::Nonlinear(_) => " for each iteration",
        Form::Linear { steps, .. } if has_kernel(steps, SolveKind::Sparse) => {
            " and more for what fills in: a sparse matrix counts by its entries"
        }
        _ => "",
    }
}

fn has_kernel(steps: &[Step], kind: SolveKind) -> bool {
    steps.iter().any(|step| matches!(step, Step::Solve(solve) if solve.kind == kind))
}

/// `torn: price 20 (taken)`
pub fn considered(way: &Alternative) -> String {
    let taken = if way.chosen { " (taken)" } else { "" };
    let note = if way.note.is_empty() { String::new() } else { format!("; {}", way.note) };
    if !way.price.is_finite() {
        return format!("{}: out of the question{note}", way.way.name());
    }
    let left = match way.left {
        0 => String::new(),
        n => format!(", {n} left to a solver"),
    };
    // Less than ten operations differ by parts of one: what is done once counts less.
    let digits = if way.price < 10.0 && way.price.fract() != 0.0 { 1 } else { 0 };
    format!("{}: price {:.digits$}{left}{taken}{note}", way.way.name(), way.price)
}

/// Do two systems consist of the same equations, torn at the same variables?
pub fn is_same(a: &System, b: &System) -> bool {
    fn sorted<T: Copy + Ord>(list: &[T]) -> Vec<T> {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    }
    sorted(&a.equations) == sorted(&b.equations)
        && sorted(&a.tearing_variables) == sorted(&b.tearing_variables)
        && how(a) == how(b)
}

/// Why the tearing variables are the ones they are.
pub fn why_torn(system: &System) -> &'static str {
    match system.alternatives.iter().find(|way| way.chosen).map(|way| way.way) {
        Some(Way::TornAsDeclared) => {
            "the model or a command declares it, and no way that is safe has a lower price"
        }
        Some(Way::Torn) => {
            "every other equation can then be solved without a division by zero, and no way that is safe has a lower price"
        }
        Some(Way::Relaxed) => {
            "the model declares the order with relax(), and no way that is safe has a lower price"
        }
        Some(_) => "no way that is safe has a lower price",
        None if matches!(system.form, Form::Nonlinear(_)) => {
            "every other equation can then be solved for one unknown without a division by zero"
        }
        None => "every other equation can then be solved without a division by zero",
    }
}

/// What happens to the tearing variables.
pub fn what_is_left(system: &System) -> &'static str {
    let one = system.tearing_variables.len() == 1;
    match &system.form {
        Form::Linear { method: LinearMethod::Relaxed, .. } => "they are eliminated one after another",
        Form::Linear { method: LinearMethod::ClosedForm, .. } if one => "the last one is a formula too",
        Form::Linear { method: LinearMethod::ClosedForm, .. } => "the last ones are formulas too",
        _ if one => "only it is left to a solver",
        _ => "only they are left to a solver",
    }
}

/// Linear or not, with conditions or without.
pub fn kind(system: &System) -> &'static str {
    match &system.form {
        Form::Linear { .. } if system.mixed => "linear, with conditions",
        Form::Linear { .. } => "linear",
        Form::Nonlinear(_) if system.mixed => "nonlinear, with conditions",
        Form::Nonlinear(_) => "nonlinear",
        Form::Mixed { .. } => "conditions and equations",
    }
}

/// How it is solved.
pub fn how(system: &System) -> &'static str {
    match &system.form {
        Form::Linear { method: LinearMethod::ClosedForm, .. } => "solved by formulas",
        Form::Linear { method: LinearMethod::Torn, symmetric: true, .. } => "torn, the rest symmetric",
        Form::Linear { method: LinearMethod::Torn, .. } => "torn, the rest by factorisation",
        Form::Linear { method: LinearMethod::Relaxed, .. } => "eliminated in a fixed order",
        Form::Linear { method: LinearMethod::Sparse, steps, .. } if has_kernel(steps, SolveKind::Dense) => {
            "factorised as a full matrix"
        }
        Form::Linear { method: LinearMethod::Sparse, .. } => "factorised as a sparse matrix",
        Form::Nonlinear(n) => match n.iteration {
            Iteration::Newton => "solved by Newton's method",
            Iteration::Jacobi => "solved by substitution, with the values of the last sweep",
            Iteration::GaussSeidel => "solved by substitution, with the newest values",
        },
        Form::Mixed { .. } => "iterated until the conditions agree",
    }
}
