//! The sections of the program: what is computed once, at the start, all the time, and at events.

use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::FxHashSet;

use crate::blocks::calls::Gathered;
use crate::blocks::emitter::Emitter;
use crate::blocks::hoist::hoist_in;
use crate::blocks::{calls, defer};
use crate::discretize;
use crate::equations::parameters;
use crate::equations::sort::unknowns;
use crate::equations::sort::{Block, Sorting, occurrences};
use crate::equations::work::{EquationForm, Role, Work};
use crate::program::{Check, Discretized, Step, When, WhenBranch};
use crate::reduce::index::Selection;
pub(crate) use crate::reduce::singular::report_singular;
use crate::reduce::{rank, singular};
use crate::sections::initial;

/// All sections.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    pub parameters: Vec<Step>,
    pub initial: Vec<Step>,
    pub checks: Vec<Check>,
    pub dynamics: Vec<Step>,
    pub outputs: Vec<Step>,
    pub discrete: Vec<Step>,
    pub discretized: Option<Discretized>,
}

/// Sorts everything and makes the sections; diagnostics say why not.
pub(crate) fn build(emitter: &mut Emitter, selection: &Selection) -> Option<Sections> {
    let mut sections = Sections { parameters: parameter_steps(emitter), ..Sections::default() };
    let states: FxHashSet<VarId> = selection.states.iter().copied().collect();
    let rows: Vec<usize> = (0..emitter.work.equations.len()).collect();
    let columns = unknowns(emitter.work, &states);
    let blocks = match Sorting::new(emitter.work, rows, columns).blocks() {
        Ok(blocks) => blocks,
        Err(singular) => {
            report_singular(emitter.work, &singular);
            return None;
        }
    };

    // Blocks that depend on parameters only are computed once; the rest again and again.
    let mut known: FxHashSet<VarId> = FxHashSet::default();
    let (mut once, mut always) = (Vec::new(), Vec::new());
    let mut visitor = Visitor::new();
    for block in blocks {
        if depends_on_parameters_only(emitter.work, &block, &known, &mut visitor) {
            known.extend(block.unknowns.iter().copied());
            once.push(block);
        } else {
            always.push(block);
        }
    }
    // What an input is until it is given.
    let given: FxHashSet<VarId> =
        (0..emitter.work.vars.len() as u32).map(VarId).filter(|&v| emitter.work.is_given(v)).collect();
    let guesses = initial::guesses(emitter, &|v| known.contains(&v) || given.contains(&v));
    sections.parameters.extend(guesses);
    for block in &once {
        let steps = emitter.block(block);
        sections.parameters.extend(steps);
    }

    let continuous = continuous_blocks(emitter, &always);
    let dependent = rank::dependencies(emitter.work, once.iter().chain(&continuous));
    if singular::report_dependent(emitter.work, dependent) {
        return None;
    }
    let (needed, wanted_outside) = needed(emitter.work, &continuous, selection);
    emitter.wanted = Some(wanted_outside);
    let (mut dynamics, mut outputs) = (Gathered::default(), Gathered::default());
    for (block, needed) in continuous.iter().zip(needed) {
        let steps = emitter.block(block);
        if needed { &mut dynamics } else { &mut outputs }.extend(&emitter.work.pool, steps);
    }
    let mut discrete = Gathered::default();
    for block in &always {
        let steps = emitter.block(block);
        discrete.extend(&emitter.work.pool, steps);
    }
    (sections.dynamics, sections.outputs) = (dynamics.into_steps(), outputs.into_steps());
    sections.discrete = discrete.into_steps();
    for actions in emitter.work.when_actions.clone() {
        let branches = actions
            .branches
            .iter()
            .map(|(conditions, initial, actions)| WhenBranch {
                conditions: emitter.work.triggers(conditions),
                initial: *initial,
                steps: emitter.actions(actions),
            })
            .collect();
        sections.discrete.push(Step::When(Box::new(When { branches, acts: true, origin: actions.origin })));
    }
    let actions = emitter.work.actions.clone();
    let actions = emitter.actions(&actions);
    sections.outputs.extend(actions.clone());
    sections.discrete.extend(actions);
    emitter.wanted = None;
    // What starts with a value has other values afterwards.
    let computed = emitter.computed.clone();
    (sections.initial, sections.checks) = initial::build(emitter, selection, &known)?;
    emitter.computed = computed;
    let Sections { parameters, initial, dynamics, outputs, discrete, .. } = &mut sections;
    calls::unite(&emitter.work.pool, &mut [parameters, initial, dynamics, outputs, discrete]);
    hoist(emitter.work, &known, &mut sections);
    let wanted = wanted_with_sets(emitter.work, selection);
    defer::defer(&emitter.work.pool, wanted, &mut sections.dynamics, &mut sections.outputs);
    let pool = &emitter.work.pool;
    calls::share(pool, &mut [&mut sections.parameters]);
    calls::share(pool, &mut [&mut sections.initial]);
    calls::share(pool, &mut [&mut sections.dynamics, &mut sections.outputs]);
    calls::share(pool, &mut [&mut sections.discrete]);
    sections.discretized = discretize::build(emitter, selection, &continuous, &known);
    if let Some(discretized) = &mut sections.discretized {
        discretized.crossings = discretize::crossings(emitter.work, &sections.dynamics, discretized);
    }
    Some(sections)
}

fn parameter_steps(emitter: &mut Emitter) -> Vec<Step> {
    let mut steps = Vec::new();
    for v in parameters::ordered(emitter.work) {
        let Some(value) = parameters::value_of(emitter.work, v) else { continue };
        if !matches!(emitter.work.pool.node(value), Node::Const(_) | Node::Text(_)) {
            emitter.assign(v, value, None, &mut steps);
        }
    }
    steps
}

fn depends_on_parameters_only(
    work: &Work,
    block: &Block,
    known: &FxHashSet<VarId>,
    visitor: &mut Visitor,
) -> bool {
    let mut variables = Vec::new();
    block.equations.iter().all(|&e| {
        let equation = &work.equations[e];
        if matches!(equation.form, EquationForm::When(..)) || is_timed(work, e) {
            return false;
        }
        variables.clear();
        occurrences(work, e, visitor, &mut variables);
        variables.iter().all(|v| block.unknowns.contains(v) || work.is_parameter(*v) || known.contains(v))
    })
}

/// Does the clock, or a function with effects, occur in the equation?
fn is_timed(work: &Work, equation: usize) -> bool {
    let e = &work.equations[equation];
    let plain = |e: ExprId| !work.pool.has_context(e) && !work.pool.has_calls(e);
    if plain(e.lhs) && plain(e.rhs) {
        return false;
    }
    let mut visitor = Visitor::new();
    visitor.reachable(&work.pool, &[e.lhs, e.rhs]).iter().any(|&id| match work.pool.node(id) {
        Node::Op(Op::Time, _) => true,
        Node::Call(function, _) => work.pool.function(function).notes.impure,
        _ => false,
    })
}

/// The continuous part of the blocks, sorted with the discrete unknowns known.
fn continuous_blocks(emitter: &mut Emitter, blocks: &[Block]) -> Vec<Block> {
    let mut out = Vec::new();
    for block in blocks {
        let continuous = |i: &usize| emitter.work.var(block.unknowns[*i]).role == Role::Continuous;
        let keep: Vec<usize> = (0..block.unknowns.len()).filter(continuous).collect();
        if keep.len() == block.unknowns.len() {
            out.push(block.clone());
        } else if !keep.is_empty() {
            let part = Block {
                equations: keep.iter().map(|&i| block.equations[i]).collect(),
                unknowns: keep.iter().map(|&i| block.unknowns[i]).collect(),
            };
            out.extend(emitter.sorted(&part));
        }
    }
    out
}

/// Which blocks derivatives, crossings and delays depend on, and which unknowns of these blocks are needed outside their own.
fn needed(work: &Work, blocks: &[Block], selection: &Selection) -> (Vec<bool>, FxHashSet<VarId>) {
    let mut read = wanted(work, selection);
    let sets = wanted_with_sets(work, selection);
    let mut outside: FxHashSet<VarId> = FxHashSet::default();
    let mut result = vec![false; blocks.len()];
    let mut visitor = Visitor::new();
    let mut variables = Vec::new();
    for (i, block) in blocks.iter().enumerate().rev() {
        if block.unknowns.iter().any(|v| read.contains(v)) {
            result[i] = true;
            outside.extend(block.unknowns.iter().filter(|v| read.contains(v) || sets.contains(v)));
            for &e in &block.equations {
                variables.clear();
                occurrences(work, e, &mut visitor, &mut variables);
                read.extend(variables.iter().copied());
            }
        }
    }
    (result, outside)
}

/// What derivatives, crossings and delays, and the choice of states in the run, are computed from.
fn wanted_with_sets(work: &Work, selection: &Selection) -> FxHashSet<VarId> {
    let mut wanted = wanted(work, selection);
    for set in &selection.sets {
        wanted.extend(&set.candidates);
        wanted.extend(set.jacobian.iter().flat_map(|&e| work.pool.variables_of(e)));
    }
    wanted
}

/// Derivatives, crossings and delays.
fn wanted(work: &Work, selection: &Selection) -> FxHashSet<VarId> {
    let mut wanted: FxHashSet<VarId> = FxHashSet::default();
    wanted.extend(selection.states.iter().filter_map(|s| work.var(*s).derivative));
    wanted.extend(work.relations.iter().map(|r| r.difference));
    wanted.extend(work.delays.iter().map(|d| d.input));
    wanted.extend(work.transports.iter().flat_map(|t| t.inputs));
    let read = work.delays.iter().map(|d| d.delay);
    let read = read.chain(work.transports.iter().flat_map(|t| [t.position, t.forward]));
    let mut found = Vec::new();
    let mut visitor = Visitor::new();
    read.for_each(|e| visitor.variables(&work.pool, e, &mut found));
    wanted.extend(found);
    wanted
}

/// Moves assignments of temporaries that depend on parameters only out of systems, to be computed once.
fn hoist(work: &Work, known: &FxHashSet<VarId>, sections: &mut Sections) {
    let mut fixed: FxHashSet<VarId> = known.clone();
    let mut moved: Vec<Step> = Vec::new();
    let mut done: FxHashSet<VarId> = FxHashSet::default();
    for steps in
        [&mut sections.dynamics, &mut sections.outputs, &mut sections.discrete, &mut sections.initial]
    {
        hoist_in(work, steps, &mut fixed, &mut done, &mut moved);
    }
    sections.parameters.extend(moved);
}
