//! Which equation a failed run is about: what the diagnostics of [`simulate`](crate::simulate) say about causes, in the
//! equations and lines of the model.
//!
//! The run knows slots and systems; the program knows from which equation each was solved and where that is written.

use kausal_runtime::machine::{AssertionId, Failure, LostDigits, Stop, Undetermined, Warning};
use kausal_runtime::{Obstacle, RunError};
use kausal_solver::Reason;
use kausal_symbolic::print::print_limited;
use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, FunctionId, Node, VarId};
use kausal_syntax::{Diagnostic, Location};
use kausal_translate::program::without_stage;
use kausal_translate::program::{Call, EquationInfo, EquationRef, Form, Iteration, Kind, Step, System};
use kausal_translate::{Program, flow};

use crate::simulate::instant;

/// Names and equations listed, and characters of an equation.
const SHOWN: usize = 4;
const LISTED: usize = 8;
const WIDTH: usize = 120;

/// A formula of the model and where it stands.
struct Culprit {
    text: String,
    location: Option<Location>,
}

/// Adds the equations an error is about: to the message as formulas, and as places.
pub fn with_equations(mut d: Diagnostic, program: &Program, error: &RunError) -> Diagnostic {
    let culprits = match error {
        RunError::Initial(stop) => of_stop(program, stop, true),
        RunError::Event(_, stop) | RunError::Integration(_, _, Some(stop)) => of_stop(program, stop, false),
        RunError::Integration(_, obstacle, None) => of_state(program, obstacle),
        RunError::EventLoop(_, restless) => {
            let known = restless.iter().filter(|v| program.variables[v.index()].kind != Kind::Helper);
            known.take(SHOWN).filter_map(|v| of_variable(program, *v, false)).collect()
        }
        RunError::Chattering(_, relations) => places_of_conditions(program, relations),
        RunError::Stopped(_) => Vec::new(),
    };
    let is_assertion = matches!(
        error,
        RunError::Initial(Stop::Assertion(_))
            | RunError::Event(_, Stop::Assertion(_))
            | RunError::Integration(_, _, Some(Stop::Assertion(_)))
    );
    let is_condition =
        matches!(error, RunError::Initial(Stop::Undefined(_)) | RunError::Event(_, Stop::Undefined(_)));
    // Stages of a step have the same equations.
    let mut texts: Vec<&str> = Vec::new();
    for text in culprits.iter().map(|c| c.text.as_str()).filter(|text| !text.is_empty()) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts[..] {
        [] => {}
        [one] if is_condition => d.message.push_str(&format!("; the condition is {one}")),
        [one] if is_assertion => d.message.push_str(&format!("; what must hold is {one}")),
        [one] => d.message.push_str(&format!("; the equation is {one}")),
        _ => d.message.push_str(&format!("; the equations are {}", texts.join("; "))),
    }
    let words = match error {
        RunError::Initial(Stop::Contradiction(..)) => "determined here",
        _ => "",
    };
    for culprit in culprits {
        if let Some(location) = culprit.location {
            d = d.at(location, words);
        }
    }
    if let RunError::Initial(Stop::Failed(failed)) = error {
        let starts = fixed_in(program, failed);
        let texts: Vec<&str> = starts.iter().map(|s| s.text.as_str()).collect();
        if !texts.is_empty() {
            d.message.push_str(&format!("; it starts with {}", texts.join(", ")));
            if failed.reason == Reason::NotFinite {
                d = d.help("do the fixed start values contradict this equation? Remove `fixed = true` from one of them, or look for a division by zero");
            }
        }
        for location in starts.iter().filter_map(|s| s.location) {
            d = d.at(location, "start value");
        }
    }
    d
}

/// The iteration variables of a torn nonlinear system, if it is why a run failed.
pub fn torn(program: &Program, error: &RunError) -> Vec<String> {
    let (stop, initial) = match error {
        RunError::Initial(stop) => (stop, true),
        RunError::Event(_, stop) | RunError::Integration(_, _, Some(stop)) => (stop, false),
        _ => return Vec::new(),
    };
    let Stop::Failed(Failure { unknowns, .. }) = stop else { return Vec::new() };
    let is_torn = |s: &&System| matches!(&s.form, Form::Nonlinear(n) if n.unknowns == *unknowns && n.unknowns.len() < s.unknowns.len());
    match system(program, unknowns, initial).filter(is_torn) {
        Some(_) => names(program, unknowns).into_iter().map(str::to_owned).collect(),
        None => Vec::new(),
    }
}

/// The variables of a system that is solved by successive substitution, if these are its values of the last sweep.
pub fn substitution<'a>(program: &'a Program, unknowns: &[VarId]) -> Option<&'a [VarId]> {
    let all = [true, false].into_iter().flat_map(|initial| steps(program, initial));
    all.into_iter().find_map(|step| match step {
        Step::System(system) => match &system.form {
            Form::Nonlinear(n) if n.unknowns == unknowns && n.iteration != Iteration::Newton => {
                Some(system.tearing_variables.as_slice())
            }
            _ => None,
        },
        _ => None,
    })
}

/// Are these the iteration variables of a system of an inlined step, or states that it finds by substitution?
pub fn in_step(program: &Program, unknowns: &[VarId]) -> bool {
    let Some(inlined) = &program.discretized else { return false };
    let is_state = |v: &VarId| program.states.iter().any(|s| s.variable == *v);
    let iterates = |step: &&Step| match step {
        Step::System(system) => matches!(&system.form, Form::Nonlinear(n) if n.unknowns == unknowns),
        _ => false,
    };
    unknowns.iter().all(is_state) || flow::nested(&inlined.steps).iter().any(iterates)
}

/// ` in stage 2 of the step`, where a variable belongs to one of several stages of an inlined step.
pub fn stage(program: &Program, unknowns: &[VarId], v: VarId) -> String {
    let Some(inlined) = program.discretized.as_ref().filter(|d| d.stages.len() > 1) else {
        return String::new();
    };
    let name = &program.variables[v.index()].name;
    let own = without_stage(name);
    match name.strip_prefix(own).and_then(|rest| rest.strip_prefix('@')) {
        Some(stage) => format!(" in stage {stage} of the step"),
        None if in_step(program, unknowns) => format!(" in stage {} of the step", inlined.stages.len()),
        None => String::new(),
    }
}

/// The names of variables in the model, each once.
pub fn names<'a>(program: &'a Program, variables: &[VarId]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for v in variables {
        let name = without_stage(&program.variables[v.index()].name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Did the run end because a torn system lost digits?
pub fn lost_digits(error: &RunError) -> bool {
    let (RunError::Initial(stop) | RunError::Event(_, stop) | RunError::Integration(_, _, Some(stop))) =
        error
    else {
        return false;
    };
    matches!(stop, Stop::Failed(Failure { reason: Reason::LostDigits, .. }))
}

/// Systems of one kind that leave the same variables of different components open at the same time, as one.
pub fn united(program: &Program, found: &[Undetermined]) -> Vec<Undetermined> {
    let own = |v: &VarId| {
        let name = &program.variables[v.index()].name;
        name.rsplit('.').next().unwrap_or(name).to_owned()
    };
    let mut all: Vec<(Vec<String>, Undetermined)> = Vec::new();
    for one in found {
        let mut names: Vec<String> = one.open.iter().map(own).collect();
        names.sort();
        let same = |(known, other): &&mut (Vec<String>, Undetermined)| {
            *known == names && other.initial == one.initial && other.time == one.time
        };
        match all.iter_mut().find(same) {
            Some((_, other)) => other.open.extend(&one.open),
            None => all.push((names, one.clone())),
        }
    }
    all.into_iter().map(|(_, one)| one).collect()
}

/// The warning of an assertion: what it said, when, and where it stands.
pub fn warning(program: &Program, said: &Warning) -> Diagnostic {
    let Warning { text, assertion, first, last, count } = said;
    let when = match count {
        0 | 1 => format!("at time {}", instant(*first)),
        n => format!("{n} times, first at time {}, last at time {}", instant(*first), instant(*last)),
    };
    let d = Diagnostic::warning("K0530", format!("{text} ({when})"));
    let of = |initial| of_assertion(program, (*assertion)?, initial).and_then(|culprit| culprit.location);
    match of(false).or_else(|| of(true)) {
        Some(location) => d.at(location, ""),
        None => d,
    }
}

/// The warning about states that moved and were always below their absolute tolerance.
pub fn below_tolerance(program: &Program, states: &[VarId]) -> Option<Diagnostic> {
    let mut names: Vec<&str> = states.iter().map(|v| program.variables[v.index()].name.as_str()).collect();
    let first = names.first()?.to_owned();
    let rest =
        if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    let was = if names.len() == 1 { "was" } else { "were" };
    names.truncate(LISTED);
    let message =
        format!("{}{rest} {was} always below the absolute tolerance: no digit is certain", names.join(", "));
    Some(Diagnostic::warning("K0536", message).help(format!(
        "say the usual size: `{first}(nominal = ...)`; absolute tolerances are relative to it"
    )))
}

/// The warning about states that were small beside their absolute tolerances and grew by themselves.
pub fn emerged(program: &Program, states: &[(VarId, f64)]) -> Option<Diagnostic> {
    let mut names: Vec<&str> =
        states.iter().map(|(v, _)| program.variables[v.index()].name.as_str()).collect();
    let (first, time) = (names.first()?.to_owned(), states[0].1);
    let rest =
        if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    names.truncate(LISTED);
    let message = format!(
        "{}{rest} fell to a few absolute tolerances or below, and grew again by time {} without being driven by others: what follows \
         depends on digits that were not computed",
        names.join(", "),
        kausal_solver::error::instant(time)
    );
    Some(Diagnostic::warning("K0537", message).help(format!(
        "say the size from which it grows: `{first}(nominal = ...)`; absolute tolerances are relative to it"
    )))
}

/// The warning about a linear system whose solution depends on rounding errors.
pub fn lost_in_linear(program: &Program, lost: &LostDigits) -> Diagnostic {
    let visible = lost.unknowns.iter().filter(|v| program.variables[v.index()].kind != Kind::Helper);
    let mut names: Vec<&str> = visible.map(|v| program.variables[v.index()].name.as_str()).collect();
    let rest =
        if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    names.truncate(LISTED);
    let message = format!(
        "the linear system of equations for {}{rest} is nearly singular at time {}: rounding errors may change its solution by \
         {:.0e} of itself",
        names.join(", "),
        kausal_solver::error::instant(lost.time),
        lost.error
    );
    Diagnostic::warning("K0533", message)
        .help("equations say nearly the same, or parameters differ by many powers of ten: what is small beside the others may be left out")
}

/// The warning about a system that leaves some of its unknowns open.
pub fn undetermined(program: &Program, found: &Undetermined) -> Diagnostic {
    let name = |v: &VarId| program.variables[v.index()].name.as_str();
    let visible = found.open.iter().filter(|v| program.variables[v.index()].kind != Kind::Helper);
    let mut names: Vec<&str> = visible.map(name).collect();
    if names.is_empty() {
        names = found.open.iter().map(name).collect();
    }
    let (more, few) = (names.len() > LISTED, names.len() == 1);
    let (when, time) = (if found.initial { "at the start" } else { "at" }, found.time);
    let when = if found.initial { when.to_owned() } else { format!("{when} time {time}") };
    let rest = if more { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    let it = if few {
        "the solution closest to the previous value is used"
    } else {
        "the solution closest to the previous values is used"
    };
    names.truncate(LISTED);
    let message = format!("nothing determines {}{rest} {when}: {it}", names.join(", "));
    let mut d = Diagnostic::warning("K0532", message).help(
        "equations say the same there, or a parameter or a flow is zero: is a ground or another fixed level missing, or does \
         an initial equation repeat another?",
    );
    let Some(system) = system(program, &found.unknowns, found.initial) else { return d };
    let known = system.equations.iter().filter(|e| !defines_helper(program, **e));
    let with_open = |e: &&EquationRef| {
        let info = &program.equations[e.0 as usize];
        [info.lhs, info.rhs].iter().any(|&side| program.pool.contains_any(side, |v| found.open.contains(&v)))
    };
    let (mut places, mut texts): (Vec<Location>, Vec<String>) = (Vec::new(), Vec::new());
    for equation in known.filter(with_open).take(SHOWN) {
        let culprit = equation_of(program, *equation);
        texts.push(culprit.text);
        let component = &program.equations[equation.0 as usize].origin.component;
        if let Some(location) = culprit.location
            && !places.contains(&location)
        {
            places.push(location);
            d = d.at(location, if component.is_empty() { String::new() } else { format!("in {component}") });
        }
    }
    if !texts.is_empty() {
        let be = if texts.len() == 1 { " is" } else { "s are" };
        d.message.push_str(&format!("; the equation{be} {}", texts.join("; ")));
    }
    d
}

/// Start values that a system which has no solution begins with.
fn fixed_in(program: &Program, failed: &Failure) -> Vec<Culprit> {
    let contradicts = failed.reason == Reason::SingularMatrix && failed.residual.is_some();
    if !contradicts && failed.reason != Reason::NotFinite {
        return Vec::new();
    }
    let equations: Vec<EquationRef> = match system(program, &failed.unknowns, true) {
        Some(system) => system.equations.clone(),
        None => {
            let assigned = steps(program, true).into_iter().find_map(|step| match step {
                Step::Assign(a) if failed.unknowns.contains(&a.variable) => a.equation,
                _ => None,
            });
            assigned.into_iter().collect()
        }
    };
    let read = |v: VarId| {
        equations.iter().any(|e| {
            let info = &program.equations[e.0 as usize];
            [info.lhs, info.rhs].iter().any(|&side| program.pool.contains_any(side, |w| w == v))
        })
    };
    let starts = program.initial.iter().filter_map(|step| match step {
        Step::Assign(a) if read(a.variable) => a.equation,
        _ => None,
    });
    let is_start = |e: &EquationRef| {
        let info = &program.equations[e.0 as usize];
        info.model.is_none() && info.differentiated == 0 && !defines_helper(program, *e)
    };
    starts.filter(is_start).take(SHOWN).map(|e| equation_of(program, e)).collect()
}

/// `: a, b and 3 more`, or nothing.
pub fn listed(program: &Program, variables: &[VarId]) -> String {
    let names: Vec<&str> = variables
        .iter()
        .map(|v| &program.variables[v.index()])
        .filter(|v| v.kind != Kind::Helper)
        .map(|v| v.name.as_str())
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    format!(": {}{more}", names[..names.len().min(SHOWN)].join(", "))
}

/// `: h < 0`, the conditions by their places among the relations, or nothing.
pub fn conditions(program: &Program, relations: &[u32]) -> String {
    let texts: Vec<String> = relations.iter().filter_map(|&i| condition(program, i)).take(SHOWN).collect();
    if texts.is_empty() { String::new() } else { format!(": the condition is {}", texts.join("; ")) }
}

/// `h < 0`, the condition by its place among the relations.
pub(crate) fn condition(program: &Program, relation: u32) -> Option<String> {
    let relation = program.relations.get(relation as usize)?;
    let difference = steps(program, false).into_iter().find_map(|step| match step {
        Step::Assign(a) if a.variable == relation.difference => Some(a.value),
        _ => None,
    })?;
    let sign = if relation.or_equal { "<=" } else { "<" };
    Some(format!("{} {sign} 0", formula(program, difference)))
}

/// Where conditions stand that the message names already.
fn places_of_conditions(program: &Program, relations: &[u32]) -> Vec<Culprit> {
    let held: Vec<VarId> =
        relations.iter().filter_map(|&i| Some(program.relations.get(i as usize)?.variable)).collect();
    let mut places: Vec<Location> = Vec::new();
    for info in &program.equations {
        let reads = |side: ExprId| program.pool.contains_any(side, |v| held.contains(&v));
        if let Some(place) = info.origin.location
            && !places.contains(&place)
            && (reads(info.lhs) || reads(info.rhs))
        {
            places.push(place);
        }
    }
    let place = |location| Culprit { text: String::new(), location: Some(location) };
    places.into_iter().take(SHOWN).map(place).collect()
}

fn of_stop(program: &Program, stop: &Stop, initial: bool) -> Vec<Culprit> {
    match stop {
        Stop::Failed(Failure { reason, unknowns, residual }) => {
            if let Some(system) = system(program, unknowns, initial) {
                // Of a system that does not converge, what is farthest from zero; of others, all of it.
                let worst = match (reason, residual) {
                    (Reason::NoConvergence, Some((row, _))) => system.residuals.get(*row),
                    _ => None,
                };
                return match worst {
                    Some(equation) => vec![equation_of(program, *equation)],
                    None => {
                        let known = system.equations.iter().filter(|e| !defines_helper(program, **e));
                        known.take(SHOWN).map(|e| equation_of(program, *e)).collect()
                    }
                };
            }
            // A state is not computed; its derivative is.
            let slope = |v: VarId| program.states.iter().find(|s| s.variable == v).map(|s| s.derivative);
            let of = |&v: &VarId| {
                let own = of_variable(program, v, initial);
                own.or_else(|| of_variable(program, slope(v)?, initial))
            };
            let several = if *reason == Reason::NoConvergence { SHOWN } else { 1 };
            unknowns.iter().take(several).filter_map(of).collect()
        }
        Stop::Contradiction(check, left, _) => {
            let Some(check) = program.checks.get(*check) else { return Vec::new() };
            match (check.fixed, check.settled) {
                (Some(v), Some(place)) => {
                    let text = format!("{} = {left}", program.variables[v.index()].name);
                    vec![Culprit { text, location: Some(place) }]
                }
                (Some(v), None) => of_variable(program, v, initial).into_iter().collect(),
                (None, _) => Vec::new(),
            }
        }
        Stop::Assertion(violated) => {
            let which = violated.assertion;
            which.and_then(|which| of_assertion(program, which, initial)).into_iter().collect()
        }
        Stop::Undefined(relation) => {
            let text = condition(program, *relation).unwrap_or_default();
            let place = places_of_conditions(program, &[*relation]).into_iter().find_map(|c| c.location);
            vec![Culprit { text, location: place }]
        }
        Stop::NotInteger(v, _) | Stop::NotAState(v) => {
            of_variable(program, *v, initial).into_iter().collect()
        }
        Stop::Function(Some(function), _) => of_call(program, *function, initial).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The equation of the state that stands in the way of the integrator.
fn of_state(program: &Program, obstacle: &Obstacle) -> Vec<Culprit> {
    let Obstacle::Integrator(error) = obstacle else { return Vec::new() };
    let state = error.state().and_then(|i| program.states.get(i));
    state.and_then(|s| of_variable(program, s.derivative, false)).into_iter().collect()
}

/// Why an integration cannot go on at an instant, in words.
pub fn obstacle(program: &Program, time: f64, obstacle: &Obstacle) -> String {
    let name = |i: usize| match program.states.get(i) {
        Some(state) => program.variables[state.variable.index()].name.clone(),
        None => format!("state {i}"),
    };
    match obstacle {
        Obstacle::Integrator(error) => error.worded(Some(time), &name),
        Obstacle::Evaluation => "the model cannot be evaluated".to_owned(),
        Obstacle::Location(error) => error.to_string(),
    }
}

/// All steps of the initial problem or of the rest, with those inside of others.
fn steps(program: &Program, initial: bool) -> Vec<&Step> {
    let discretized = program.discretized.as_ref();
    let filter: &[Step] = discretized.and_then(|d| d.filter.as_ref()).map_or(&[], |d| &d.steps);
    let discretized: &[Step] = discretized.map_or(&[], |d| &d.steps);
    let sections: Vec<&[Step]> = if initial {
        vec![&program.parameters, &program.initial, &program.discrete]
    } else {
        vec![&program.dynamics, &program.outputs, &program.discrete, discretized, filter]
    };
    let clocked = program.clocks.iter().flat_map(|base| &base.pieces).map(|piece| piece.steps.as_slice());
    let sections: Vec<&[Step]> = sections.into_iter().chain(clocked).collect();
    let mut all = Vec::new();
    let mut stack: Vec<&Step> = sections.into_iter().rev().flat_map(|s| s.iter().rev()).collect();
    while let Some(step) = stack.pop() {
        all.push(step);
        match step {
            Step::System(system) => match &system.form {
                Form::Linear { steps, .. } => stack.extend(steps.iter().rev()),
                Form::Nonlinear(n) => stack.extend(n.steps.iter().rev()),
                Form::Mixed { continuous, discrete, .. } => {
                    stack.extend(discrete.iter().rev().chain(continuous.iter().rev()));
                }
            },
            Step::When(when) => {
                stack.extend(when.branches.iter().rev().flat_map(|b| b.steps.iter().rev()));
            }
            Step::If(_, yes, no) => stack.extend(no.iter().rev().chain(yes.iter().rev())),
            _ => {}
        }
    }
    all
}

/// The innermost system that solves for exactly these, or has them all.
fn system<'a>(program: &'a Program, unknowns: &[VarId], initial: bool) -> Option<&'a System> {
    let systems: Vec<&System> = steps(program, initial)
        .into_iter()
        .filter_map(|step| match step {
            Step::System(system) => Some(&**system),
            _ => None,
        })
        .collect();
    let iterates = |s: &System| matches!(&s.form, Form::Nonlinear(n) if n.unknowns == unknowns);
    let exact =
        systems.iter().find(|s| s.tearing_variables == unknowns || s.unknowns == unknowns || iterates(s));
    let around = || {
        let has_all = |s: &&&System| unknowns.iter().all(|v| s.unknowns.contains(v));
        systems.iter().filter(has_all).min_by_key(|s| s.equations.len())
    };
    exact.or_else(around).copied()
}

/// What a variable is computed from.
fn of_variable(program: &Program, variable: VarId, initial: bool) -> Option<Culprit> {
    let (v, negated) = match program.variables[variable.index()].kind {
        Kind::Alias(alias) => (alias.target, alias.negated),
        _ => (variable, false),
    };
    let name = &program.variables[v.index()].name;
    // Nothing else computes what is just a state.
    if v != variable && program.variables[v.index()].kind == Kind::State {
        let sign = if negated { "-" } else { "" };
        let text = format!("{} = {sign}{name}", program.variables[variable.index()].name);
        return Some(Culprit { text, location: None });
    }
    steps(program, initial).into_iter().find_map(|step| match step {
        Step::Assign(a) if a.variable == v => match a.equation {
            // Of a variable that a when clause assigns there is an equation that says nothing.
            Some(equation) if says_nothing(program, equation) => None,
            Some(equation) => Some(equation_of(program, equation)),
            None if program.pool.as_var(a.value) == Some(v) => None,
            None => Some(Culprit { text: format!("{name} = {}", formula(program, a.value)), location: None }),
        },
        Step::System(s) if s.unknowns.contains(&v) => {
            let at = s.tearing_variables.iter().position(|t| *t == v)?;
            s.residuals.get(at).map(|e| equation_of(program, *e))
        }
        Step::When(when) => when.branches.iter().flat_map(|b| &b.steps).find_map(|step| match step {
            Step::Assign(a) if a.variable == v => Some(Culprit {
                text: format!("{name} = {}", formula(program, a.value)),
                location: when.origin.location,
            }),
            _ => None,
        }),
        _ => None,
    })
}

fn says_nothing(program: &Program, equation: EquationRef) -> bool {
    let info = &program.equations[equation.0 as usize];
    info.lhs == info.rhs
}

/// Is the left side something the translation added?
fn defines_helper(program: &Program, equation: EquationRef) -> bool {
    let left = program.pool.as_var(program.equations[equation.0 as usize].lhs);
    left.is_some_and(|v| program.variables[v.index()].kind == Kind::Helper)
}

/// The call of a function.
fn of_call(program: &Program, function: FunctionId, initial: bool) -> Option<Culprit> {
    let call = steps(program, initial).into_iter().find_map(|step| match step {
        Step::Call(call) if call.function == function => Some(call),
        _ => None,
    })?;
    // The equation it stands in, where there is one.
    let calls = |e: &EquationInfo| {
        let is_call = |id| matches!(program.pool.node(id), Node::Call(f, _) if f == call.function);
        reachable(&program.pool, &[e.lhs, e.rhs], |_| true).into_iter().any(is_call)
    };
    let Some((place, _)) = (0..).zip(&program.equations).find(|(_, e)| calls(e)) else {
        return Some(Culprit { text: written_call(program, call), location: None });
    };
    let mut culprit = equation_of(program, EquationRef(place));
    let function = program.pool.function(call.function);
    culprit.text = culprit.text.replace(&function.name, function.shown_name());
    Some(culprit)
}

/// `f(x, 3)`
fn written_call(program: &Program, call: &Call) -> String {
    let name = |v: VarId| without_stage(&program.variables[v.index()].name).to_owned();
    let printed = |e: &ExprId| print_limited(&program.pool, *e, &name, WIDTH);
    let arguments: Vec<String> = call.args.iter().map(printed).collect();
    format!("{}({})", program.pool.function(call.function).shown_name(), arguments.join(", "))
}

/// What must hold by an assertion, and where that stands.
fn of_assertion(program: &Program, which: AssertionId, initial: bool) -> Option<Culprit> {
    steps(program, initial).into_iter().find_map(|step| match step {
        Step::Assert(assert) if assert.condition == which.condition && assert.message == which.message => {
            Some(Culprit { text: formula(program, assert.condition), location: assert.origin.location })
        }
        _ => None,
    })
}

fn equation_of(program: &Program, equation: EquationRef) -> Culprit {
    let info = &program.equations[equation.0 as usize];
    if let Some(own) = integrated(program, info) {
        return own;
    }
    let mut text = written(program, info);
    if is_rewritten(program, &text) {
        text = original(program, info).map_or_else(String::new, |own| written(program, own));
    }
    Culprit { text, location: info.origin.location }
}

fn written(program: &Program, info: &EquationInfo) -> String {
    format!("{} = {}", formula(program, info.lhs), formula(program, info.rhs))
}

/// Is an equation written in what the elimination of linear parts has computed?
fn is_rewritten(program: &Program, text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !['.', '_'].contains(&c));
    words.any(|word| {
        let number = word.strip_prefix('Q').unwrap_or_default();
        let numbered = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        numbered && program.variables.iter().any(|v| v.kind == Kind::Helper && v.name == word)
    })
}

/// The equation of the model that an equation in a stage of a step is a copy of, if it is the only one at its place.
fn original<'a>(program: &'a Program, copy: &EquationInfo) -> Option<&'a EquationInfo> {
    let same = |own: &&EquationInfo| {
        own.origin.location == copy.origin.location && own.origin.component == copy.origin.component
    };
    let mut all = program.equations.iter().filter(|e| e.model.is_some()).filter(same);
    let own = all.next().filter(|_| all.next().is_none())?;
    (!is_rewritten(program, &written(program, own))).then_some(own)
}

/// Is it the step size in the formulas of an inlined step?
fn is_step_size(program: &Program, v: VarId) -> bool {
    let step = program.discretized.as_ref();
    let sections = step.into_iter().chain(step.and_then(|d| d.filter.as_deref()));
    sections.into_iter().any(|d| d.h == Some(v))
}

/// Where an equation is the formula of an inlined step: the equation of the model for the derivative in it, which is what the
/// formula is about.
fn integrated(program: &Program, info: &EquationInfo) -> Option<Culprit> {
    let step = program.discretized.as_ref()?;
    let mut sections = [Some(step), step.filter.as_deref()].into_iter().flatten();
    let state = sections.find_map(|d| {
        let reads = |v: VarId| [info.lhs, info.rhs].iter().any(|&e| program.pool.contains_any(e, |w| w == v));
        d.old.iter().zip(&program.states).find(|(old, _)| reads(**old)).map(|(_, state)| state)
    })?;
    let of = |v: &VarId| of_variable(program, *v, false);
    of(&state.derivative).filter(|own| !own.text.contains("old("))
}

/// A formula in the variables of the model: what the translation added is written out, once.
fn formula(program: &Program, e: ExprId) -> String {
    let name = |v: VarId| without_stage(&program.variables[v.index()].name).to_owned();
    let written_out = |v: VarId| {
        if program.variables[v.index()].kind != Kind::Helper {
            return name(v);
        }
        if let Some(pre) = program.pre.iter().find(|pre| pre.slot == v) {
            return format!("pre({})", name(pre.variable));
        }
        if is_step_size(program, v) {
            return "h".to_owned();
        }
        let assigned = |v: VarId| {
            let all = [false, true].into_iter().flat_map(|initial| steps(program, initial));
            all.into_iter().find_map(|step| match step {
                Step::Assign(a) if a.variable == v => Some(a.value),
                _ => None,
            })
        };
        let var = &program.variables[v.index()];
        let is_relation = program.relations.iter().any(|r| r.variable == v);
        // These read like what they stand for.
        let reads = is_relation || ["assertion", "step", "end"].iter().any(|kind| var.name.starts_with(kind));
        if reads && !var.description.is_empty() {
            let alone = matches!(program.pool.node(e), Node::Var(_));
            return if alone { var.description.clone() } else { format!("({})", var.description) };
        }
        if let Some(relation) = program.relations.iter().find(|r| r.variable == v)
            && let Some(difference) = assigned(relation.difference)
        {
            let sign = if relation.or_equal { "<=" } else { "<" };
            return format!("({} {sign} 0)", print_limited(&program.pool, difference, &name, WIDTH));
        }
        let called = [false, true].into_iter().flat_map(|initial| steps(program, initial));
        let called = called.into_iter().find_map(|step| match step {
            Step::Call(call) if call.outputs.contains(&Some(v)) => Some(call),
            _ => None,
        });
        if let Some(call) = called {
            return written_call(program, call);
        }
        match assigned(v) {
            Some(value) => format!("({})", print_limited(&program.pool, value, &name, WIDTH)),
            None => name(v),
        }
    };
    print_limited(&program.pool, e, &written_out, WIDTH)
}

#[cfg(test)]
mod tests {
    use kausal_runtime::machine::{Failure, Stop};
    use kausal_solver::Reason;

    use super::{in_step, of_stop};
    use crate::{Inline, Options, Session};

    /// A state that substitution finds is computed by nothing: the equation of its derivative is what it is about.
    #[test]
    fn states_that_do_not_converge_have_a_place() {
        let mut session = Session::new();
        let text = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
          equation der(x) = -x*y; der(y) = x^2 - y; end M;";
        session.add_text("M.mo", text);
        let flat = session.flatten("M").expect("a flat model");
        let stiff = Some(vec!["y".to_owned()]);
        let options = Options { inline: Inline::Mixed, stiff, ..Options::default() };
        let program = session.translate(&flat, &options).expect("a program");
        let substituted = &program.discretized.as_ref().expect("a step").substituted;
        let unknowns: Vec<_> = substituted.iter().map(|&k| program.states[k as usize].variable).collect();
        assert!(in_step(&program, &unknowns));
        let stop = Stop::Failed(Failure { reason: Reason::NoConvergence, unknowns, residual: None });
        let culprits = of_stop(&program, &stop, false);
        let first = culprits.first().expect("an equation");
        assert_eq!(first.text, "der(x) = -x*y");
        assert!(first.location.is_some());
    }
}
