//! What translator commands wish of a model: found in its variables, carried out where it concerns states, and compared with
//! the program in the end.

use kausal_model::flat::{HintKind, StateSelect};
use kausal_symbolic::VarId;
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::work::Work;
use crate::options::commands::{Command, Commands};
use crate::program::{Form, Kind, Program, Step};

/// What the commands wish, in variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// Tearing variables.
    pub tear: Vec<VarId>,
    /// Residue equations: those with `residue(v)`, or assigned to `v`.
    pub residues: Vec<VarId>,
    /// Variables that are not torn.
    pub keep: Vec<VarId>,
}

/// Carries out what concerns states and returns the rest; names nobody has are errors.
pub(crate) fn apply(work: &mut Work, commands: &Commands) -> Wishes {
    let mut wishes = Wishes::default();
    if commands.list.is_empty() {
        return wishes;
    }
    let names: FxHashMap<String, VarId> =
        work.vars.iter().enumerate().map(|(i, v)| (v.name.clone(), VarId(i as u32))).collect();
    let mut diagnostics = Vec::new();
    let mut missing: FxHashSet<String> = FxHashSet::default();
    let mut find = |name: &str| {
        let modelica = name.replace('(', "[").replace(')', "]");
        let found = names.get(name).or_else(|| names.get(&modelica)).copied();
        if found.is_none() && missing.insert(name.to_owned()) {
            diagnostics.push(
                Diagnostic::error(
                    "K0451",
                    format!("a translator command names {name}, which the model does not have"),
                )
                .help("`kausal translate --listing` shows the names"),
            );
        }
        found
    };
    for command in &commands.list {
        match command {
            Command::Tear { variable, residue } => {
                wishes.tear.extend(variable.as_deref().and_then(&mut find));
                if let Some(residue) = residue {
                    let variable = residue.strip_prefix("residue").filter(|v| names.contains_key(*v));
                    wishes.residues.extend(find(variable.unwrap_or(residue)));
                }
            }
            Command::NoTear(v) => wishes.keep.extend(find(v)),
            Command::Unknown(list) => {
                for v in list.iter().filter_map(|v| find(v)) {
                    work.vars[v.index()].select = StateSelect::Never;
                    work.no_states.push(v);
                }
            }
            Command::Differentiate | Command::SetTear(_) | Command::OutputSolvedEquations => {}
        }
    }
    work.diagnostics.extend(diagnostics);
    // What is taken away is taken away from the hints of the model, too.
    for equation in &mut work.equations {
        let pool = &work.pool;
        equation.hints.retain(|&(kind, target)| {
            kind != HintKind::Residue || pool.as_var(target).is_none_or(|v| !wishes.keep.contains(&v))
        });
    }
    wishes
}

/// Tearing commands that the program does not follow: a loop is solved in another way, or there is none.
pub(crate) fn overruled(wishes: &Wishes, program: &Program) -> Vec<Diagnostic> {
    let mut torn: FxHashSet<VarId> = FxHashSet::default();
    let mut in_loops: FxHashSet<VarId> = FxHashSet::default();
    let discretized = program.discretized.iter().flat_map(|d| &d.steps);
    let sections = [&program.parameters, &program.dynamics, &program.outputs, &program.discrete];
    let mut stack: Vec<&Step> = sections.into_iter().flatten().chain(discretized).collect();
    while let Some(step) = stack.pop() {
        let Step::System(system) = step else { continue };
        torn.extend(&system.tearing_variables);
        in_loops.extend(&system.unknowns);
        match &system.form {
            Form::Linear { steps, .. } => stack.extend(steps),
            Form::Nonlinear(nonlinear) => stack.extend(&nonlinear.steps),
            Form::Mixed { continuous, .. } => stack.extend(continuous),
        }
    }
    let target = |v: VarId| match program.variables[v.index()].kind {
        Kind::Alias(alias) => alias.target,
        _ => v,
    };
    let name = |v: VarId| &program.variables[v.index()].name;
    let mut found = Vec::new();
    for &v in wishes.tear.iter().filter(|v| !torn.contains(&target(**v))) {
        let (why, help) = if in_loops.contains(&target(v)) {
            (
                "its loop is solved in a way that costs less",
                "--tearing declared follows the command; `kausal explain` shows the prices",
            )
        } else {
            ("it is in no loop", "take the command away; `kausal explain` shows the loops")
        };
        let message = format!("the translator command to tear at {} is not followed: {why}", name(v));
        found.push(Diagnostic::warning("K0453", message).help(help));
    }
    for &v in wishes.keep.iter().filter(|v| torn.contains(&target(**v))) {
        let message = format!(
            "the translator command not to tear at {} is not followed: nothing else would do",
            name(v)
        );
        found.push(Diagnostic::warning("K0453", message));
    }
    found
}
