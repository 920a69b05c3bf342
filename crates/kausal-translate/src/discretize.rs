//! Inline integration: the discretisation formula becomes part of the model (Elmqvist, Otter and Cellier 1995).
//!
//! The five steps of the paper's "Inline integration of a DAE", on the equations after index reduction:
//!
//! 1. the continuous part is sorted with `x` known (`sections` has done that);
//! 2. `x = h*der(x) + old(x)` is added for each state, with `residue(x)` where `der(x)` was computed by itself,
//! 3. and `residue(der(x))` or `residue(w)` where it was part of a loop: these are the default iteration variables;
//! 4. what the model declares about tearing overrules them;
//! 5. all is sorted again with `x`, `der(x)` and `w` unknown, and emitted like any other section.
//!
//! How the default iteration variables are reduced to the few that are needed is in `blocks::iteration_variables`. `x` is always replaced as a
//! function of `der(x)`, never the other way round: nothing divides by `h`, which may become zero.
//!
//! `h` and `old(x)` are slots that the run sets. What depends on `h`, parameters and discrete variables only is a part of its
//! own ([`Discretized::factors`]): it is computed when one of them has changed, not in each evaluation.
//!
//! ```text
//! der(x1) = (u - old(x1))/(T1 + h)
//! x1 = h*der(x1) + old(x1)
//! ```

use kausal_model::flat::{Origin, Type};
use kausal_symbolic::count::written_operations;
use kausal_symbolic::interval::Interval;
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::calls;
use crate::blocks::emitter::Emitter;
use crate::blocks::hoist::hoist_in;
use crate::equations::rewrite::{Memo, rewrite};
use crate::equations::solve;
use crate::equations::sort::{Block, Sorting, occurrences};
use crate::equations::work::{Equation, EquationForm, Role, Work};
use crate::options::Inline;
use crate::program::flow;
use crate::program::{Discretized, Form, SolveKind, Stage, State, Step};
use crate::reduce::index::Selection;
use crate::reduce::singular::report_singular;

/// A usual step: only the samples on which eliminations are tried use it.
const USUAL_STEP: f64 = 1e-3;

/// Coefficients of Radau IIA with three stages: Hairer and Wanner, *Solving Ordinary Differential Equations II*,
/// table IV.5.6.
pub fn radau_coefficients() -> ([f64; 3], [[f64; 3]; 3]) {
    let s = 6f64.sqrt();
    let c = [(4.0 - s) / 10.0, (4.0 + s) / 10.0, 1.0];
    let a = [
        [(88.0 - 7.0 * s) / 360.0, (296.0 - 169.0 * s) / 1800.0, (-2.0 + 3.0 * s) / 225.0],
        [(296.0 + 169.0 * s) / 1800.0, (88.0 + 7.0 * s) / 360.0, (-2.0 - 3.0 * s) / 225.0],
        [(16.0 - s) / 36.0, (16.0 + s) / 36.0, 1.0 / 9.0],
    ];
    (c, a)
}

/// The inlined step; `None` where none is wanted or, with a diagnostic, none is possible.
pub(crate) fn build(
    emitter: &mut Emitter,
    selection: &Selection,
    continuous: &[Block],
    known: &FxHashSet<VarId>,
) -> Option<Discretized> {
    let method = emitter.settings.inline;
    if method == Inline::Off || selection.states.is_empty() {
        return None;
    }
    let blocks = needed_for_derivatives(emitter.work, continuous, selection);
    let seeds = seeds(emitter, selection, &blocks);
    // Before `h` counts as one: it has no value yet.
    emitter.parameter_values();
    let mut part = Part { selection, blocks: &blocks, seeds: &seeds, known, enough: FxHashSet::default() };
    if method == Inline::Radau {
        // Error estimates of a method with stages are damped by a single implicit step. What that iterates on is enough in
        // each of the stages, too.
        let filter = part.section(emitter, Inline::ImplicitEuler)?;
        part.enough = iterated(&filter.steps);
        let mut inlined = part.section(emitter, method)?;
        inlined.filter = Some(Box::new(filter));
        return Some(inlined);
    }
    let mut inlined = part.section(emitter, method)?;
    if !inlined.substituted.is_empty() {
        // States that are not stiff yet may become so.
        inlined.filter = Some(Box::new(part.section(emitter, Inline::Bdf)?));
    }
    if method == Inline::Auto && !pays(emitter, &inlined, selection, &blocks) {
        return None;
    }
    Some(inlined)
}

/// What nonlinear systems iterate on.
fn iterated(steps: &[Step]) -> FxHashSet<VarId> {
    let mut out = FxHashSet::default();
    for step in flow::nested(steps) {
        if let Step::System(system) = step
            && let Form::Nonlinear(nonlinear) = &system.form
        {
            out.extend(&nonlinear.unknowns);
        }
    }
    out
}

/// States, by their place, that no name or pattern says to be stiff.
fn not_stiff(emitter: &Emitter, selection: &Selection) -> Vec<u32> {
    let Some(stiff) = &emitter.stiff else { return Vec::new() };
    let named = |x: &VarId| {
        let name = &emitter.work.var(*x).name;
        stiff.iter().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
    };
    let places = selection.states.iter().zip(0..);
    places.filter(|(x, _)| !named(x)).map(|(_, k)| k).collect()
}

/// Says which states are treated as stiff.
fn stiffness(work: &Work, selection: &Selection, substituted: &[u32]) -> String {
    const NAMED: usize = 12;
    let places = selection.states.iter().zip(0..);
    let stiff: Vec<&str> =
        places.filter(|(_, k)| !substituted.contains(k)).map(|(x, _)| work.var(*x).name.as_str()).collect();
    let sentence = format!("{} of {} states are treated as stiff", stiff.len(), selection.states.len());
    match stiff.len() {
        0 => sentence,
        _ => {
            let more = if stiff.len() > NAMED { ", …" } else { "" };
            format!("{sentence}: {}{more}", stiff[..stiff.len().min(NAMED)].join(", "))
        }
    }
}

/// Does a name match a pattern with `*` and `?`?
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

/// An evaluation costs so many operations besides those of the model.
const OVERHEAD: f64 = 20.0;

/// Does it cost less to solve the inlined step than to iterate on all states? Operations of an average step: evaluations, the
/// solution of linear equations in each iteration, matrices now and then. The frequencies are those of runs of
/// `bench/inline`, of models with and without events, stiff and not. Compared are implicit steps: whether a run takes them, or
/// explicit ones, is decided while it runs, and is the same with and without inlining.
fn pays(emitter: &mut Emitter, inlined: &Discretized, selection: &Selection, blocks: &[Block]) -> bool {
    /// The interface iterates on what moves a little from step to step: nearly each step is one evaluation.
    const CLASSICAL_EVALUATIONS: f64 = 1.25;
    /// What the step iterates on moves more.
    const INLINED_EVALUATIONS: f64 = 2.8;
    /// Parts of the steps that have a new matrix.
    const CLASSICAL_MATRICES: f64 = 0.02;
    const INLINED_MATRICES: f64 = 0.12;
    /// Of a sparse matrix so many entries a row, with what fills in.
    const ENTRIES: f64 = 8.0;
    /// An iteration on states scales, adds and measures them.
    const VECTORS: f64 = 12.0;
    let classical: Vec<Step> = blocks.iter().flat_map(|block| emitter.block(block)).collect();
    let dynamics = cost(emitter.work, &classical);
    let step = cost(emitter.work, &inlined.steps);
    let n = selection.states.len() as f64;
    let entries = n * n.min(ENTRIES);
    // The Jacobian of a right-hand side with this structure costs about as many evaluations as there are entries a row.
    let matrix = dynamics.solved() * n.min(ENTRIES) + entries * n.min(ENTRIES);
    let off = CLASSICAL_EVALUATIONS * (dynamics.solved() + 2.0 * entries + VECTORS * n + OVERHEAD)
        + CLASSICAL_MATRICES * matrix;
    let evaluations = if step.iterated > 0.0 { INLINED_EVALUATIONS } else { 1.0 };
    let on = evaluations * (step.each + VECTORS * step.iterated) + INLINED_MATRICES * step.matrix + OVERHEAD;
    let word = if on < off { "pays" } else { "does not pay" };
    let sentence = format!("inlining the integration {word}: {on:.0} operations a step instead of {off:.0}");
    emitter.work.report.decisions.push(sentence);
    on < off
}

/// Operations.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Of an evaluation, with the solution of linear systems.
    each: f64,
    /// Of the Jacobians of nonlinear systems and their factors.
    matrix: f64,
    /// What those are evaluated by and solved.
    nonlinear: f64,
    /// What they iterate on.
    iterated: f64,
}

impl Cost {
    /// Where nonlinear systems are solved to the end in each evaluation, with matrices that are made anew once.
    fn solved(&self) -> f64 {
        const ITERATIONS: f64 = 3.0;
        self.each + (ITERATIONS - 1.0) * self.nonlinear + self.matrix
    }
}

/// What steps cost.
fn cost(work: &Work, steps: &[Step]) -> Cost {
    let mut all = Cost::default();
    let count = |e: ExprId| written_operations(&work.pool, e).total() as f64;
    for step in steps {
        match step {
            Step::Assign(assign) => all.each += count(assign.value),
            Step::Call(call) => all.each += 20.0 + call.args.iter().map(|&arg| count(arg)).sum::<f64>(),
            Step::Solve(solve) => {
                let (n, entries) = (solve.unknowns.len() as f64, solve.entries.len() as f64);
                all.each += match (solve.kind, solve.constant) {
                    (SolveKind::Sparse, true) => 4.0 * entries,
                    (SolveKind::Sparse, false) => 20.0 * entries,
                    (_, true) => 2.0 * n * n,
                    (_, false) => 2.0 * n * n + 2.0 * n * n * n / 3.0,
                };
            }
            Step::System(system) => match &system.form {
                Form::Linear { steps, .. } | Form::Mixed { continuous: steps, .. } => {
                    let inner = cost(work, steps);
                    all.each += inner.each;
                    all.matrix += inner.matrix;
                    all.nonlinear += inner.nonlinear;
                    all.iterated += inner.iterated;
                }
                Form::Nonlinear(nonlinear) => {
                    let n = nonlinear.unknowns.len() as f64;
                    // What is iterated inside is solved to the end.
                    let inner = cost(work, &nonlinear.steps).solved();
                    let own = match &nonlinear.jacobian {
                        Some(jacobian) => cost(work, &jacobian.steps).each,
                        None => n * inner,
                    };
                    all.each += inner + 2.0 * n * n + OVERHEAD;
                    all.nonlinear += inner + 2.0 * n * n + OVERHEAD;
                    all.matrix += own + 2.0 * n * n * n / 3.0;
                    all.iterated += n;
                }
            },
            _ => {}
        }
    }
    all
}

/// The continuous part of the model.
struct Part<'a> {
    selection: &'a Selection,
    /// What derivatives are computed by, in order.
    blocks: &'a [Block],
    /// The default iteration variables.
    seeds: &'a FxHashSet<VarId>,
    /// Variables that depend on parameters only.
    known: &'a FxHashSet<VarId>,
    /// Iteration variables of one implicit step, where they are known.
    enough: FxHashSet<VarId>,
}

impl Part<'_> {
    /// The part with the formula of a method, sorted and emitted.
    fn section(&self, emitter: &mut Emitter, method: Inline) -> Option<Discretized> {
        let &Part { selection, blocks, seeds, known, ref enough } = self;
        let mut formula = Formula::new(emitter.work, selection);
        let (rows, columns, seeds) = match method {
            Inline::Radau => {
                let parts = formula.stages(emitter.work, selection, blocks, seeds);
                let copies = formula.stages.iter().flat_map(|stage| &stage.copies);
                emitter.enough = copies.filter(|(v, _)| enough.contains(v)).map(|(_, copy)| *copy).collect();
                parts
            }
            Inline::Euler => formula.one_stage(emitter.work, selection, blocks, seeds, false),
            Inline::Mixed => {
                formula.substituted = not_stiff(emitter, selection);
                let sentence = stiffness(emitter.work, selection, &formula.substituted);
                emitter.work.report.stiffness = Some(sentence.clone());
                emitter.work.report.decisions.push(sentence);
                formula.one_stage(emitter.work, selection, blocks, seeds, true)
            }
            _ => formula.one_stage(emitter.work, selection, blocks, seeds, true),
        };
        let blocks = match Sorting::new(emitter.work, rows, columns).blocks() {
            Ok(blocks) => blocks,
            Err(singular) => {
                emitter.work.vars[formula.h.index()].role = Role::Run;
                report_singular(emitter.work, &singular);
                return None;
            }
        };
        emitter.seeds = seeds;
        emitter.step_size = Some(formula.h);
        emitter.integrated = formula.equations.values().copied().collect();
        emitter.formulas = formula.equations.clone();
        let mut steps = Vec::new();
        for block in &blocks {
            steps.extend(emitter.block(block));
        }
        emitter.seeds = FxHashSet::default();
        emitter.step_size = None;
        emitter.enough = FxHashSet::default();
        emitter.formulas = FxHashMap::default();
        emitter.integrated = FxHashSet::default();
        only_last_predicts(&mut steps);
        calls::unite(&emitter.work.pool, &mut [&mut steps]);
        let mut factors = Vec::new();
        // What is constant between events decides nothing within a step.
        let mut fixed = known.clone();
        fixed.extend((0..emitter.work.vars.len() as u32).map(VarId).filter(|v| is_held(emitter.work, *v)));
        hoist_in(emitter.work, &mut steps, &mut fixed, &mut FxHashSet::default(), &mut factors);
        // From now on it is set by the run.
        let h = &mut emitter.work.vars[formula.h.index()];
        h.role = Role::Run;
        h.description = "factor of the derivatives in the discretisation".to_owned();
        calls::share(&emitter.work.pool, &mut [&mut factors, &mut steps]);
        let Formula { h, old, stages, substituted, .. } = formula;
        let method = if method == Inline::Auto { Inline::Bdf } else { method };
        let (method, filter) = (method.name().to_owned(), None);
        let crossings = None;
        Some(Discretized { method, h: Some(h), old, stages, factors, steps, substituted, filter, crossings })
    }
}

/// What computes the differences of relations when the step is done: the assignments of the dynamics that lead from what the
/// step knows to them. `None` where more than assignments is needed.
pub(crate) fn crossings(work: &Work, dynamics: &[Step], step: &Discretized) -> Option<Vec<Step>> {
    let mut known = FxHashSet::default();
    step.steps.iter().for_each(|s| flow::writes(s, &mut known));
    let differences = work.relations.iter().map(|r| work.resolve(r.difference).0);
    let mut wanted: FxHashSet<VarId> = differences.filter(|v| !known.contains(v)).collect();
    let mut out = Vec::new();
    for step in dynamics.iter().rev() {
        let mut written = FxHashSet::default();
        flow::writes(step, &mut written);
        if written.is_disjoint(&wanted) {
            continue;
        }
        let Step::Assign(assign) = step else { return None };
        wanted.extend(work.pool.variables_of(assign.value).into_iter().filter(|v| !known.contains(v)));
        out.push(step.clone());
    }
    out.reverse();
    Some(out)
}

/// What comes behind a system reads more of it than states, so only the last step may do without an evaluation in the end.
fn only_last_predicts(steps: &mut [Step]) {
    let Some((_, before)) = steps.split_last_mut() else { return };
    for step in before {
        if let Step::System(system) = step
            && let Form::Nonlinear(nonlinear) = &mut system.form
            && let Some(jacobian) = &mut nonlinear.jacobian
        {
            jacobian.sensitivities.clear();
        }
    }
}

/// The blocks that derivatives depend on, in order.
fn needed_for_derivatives(work: &Work, blocks: &[Block], selection: &Selection) -> Vec<Block> {
    let derivatives = selection.states.iter().filter_map(|s| work.var(*s).derivative);
    let mut wanted: FxHashSet<VarId> = derivatives.map(|d| work.resolve(d).0).collect();
    let mut visitor = Visitor::new();
    let mut variables = Vec::new();
    let mut out = Vec::new();
    for block in blocks.iter().rev() {
        if block.unknowns.iter().any(|v| wanted.contains(v)) {
            for &e in &block.equations {
                variables.clear();
                occurrences(work, e, &mut visitor, &mut variables);
                wanted.extend(variables.iter().copied());
            }
            out.push(block.clone());
        }
    }
    out.reverse();
    out
}

/// The default iteration variables: states whose derivatives were computed by themselves, derivatives that were part of a
/// loop, and what loops iterated on.
fn seeds(emitter: &mut Emitter, selection: &Selection, blocks: &[Block]) -> FxHashSet<VarId> {
    let mut looped: FxHashSet<VarId> = FxHashSet::default();
    let mut seeds = FxHashSet::default();
    for block in blocks {
        if block.unknowns.len() > 1 {
            looped.extend(block.unknowns.iter().copied());
        }
        for step in emitter.block(block) {
            if let Step::System(system) = step
                && let Form::Nonlinear(nonlinear) = &system.form
            {
                seeds.extend(nonlinear.unknowns.iter().copied());
            }
        }
    }
    for &x in &selection.states {
        let Some(d) = emitter.work.var(x).derivative else { continue };
        let d = emitter.work.resolve(d).0;
        seeds.insert(if looped.contains(&d) { d } else { x });
    }
    seeds
}

/// Is it set at events only? Delayed values are not.
fn is_held(work: &Work, v: VarId) -> bool {
    work.is_discrete(v) || work.pre.iter().any(|pre| pre.slot == v)
}

/// The slots of the formula.
struct Formula {
    h: VarId,
    old: Vec<VarId>,
    stages: Vec<Stage>,
    /// States, by their place, that have no equation here.
    substituted: Vec<u32>,
    /// The equations of the formula, each with the state it is for.
    equations: FxHashMap<usize, VarId>,
}

impl Formula {
    fn new(work: &mut Work, selection: &Selection) -> Formula {
        // The paper's letter, unless the model has it.
        let is_taken = work.vars.iter().any(|var| var.name == "h");
        let name = if is_taken { "stepSize" } else { "h" };
        let h = work.add_helper(name.to_owned(), Type::Real, Role::Parameter);
        let (low, usual) = (work.pool.constant(0.0), work.pool.constant(USUAL_STEP));
        let high = work.pool.constant(10.0 * USUAL_STEP);
        let var = &mut work.vars[h.index()];
        (var.min, var.max, var.nominal, var.keep) = (Some(low), Some(high), Some(usual), true);
        let old = selection.states.iter().map(|&x| {
            let name = format!("old({})", work.var(x).name);
            work.add_helper(name, Type::Real, Role::Run)
        });
        let old = old.collect();
        work.bounds.resize(work.vars.len(), Interval::ALL);
        work.bounds[h.index()] = Interval::new(0.0, f64::INFINITY);
        Formula { h, old, stages: Vec::new(), substituted: Vec::new(), equations: FxHashMap::default() }
    }

    /// `x = h*der(x) + old(x)`, or `x = old(x)` where the method is explicit: rows, columns and seeds.
    fn one_stage(
        &mut self,
        work: &mut Work,
        selection: &Selection,
        blocks: &[Block],
        seeds: &FxHashSet<VarId>,
        implicit: bool,
    ) -> (Vec<usize>, Vec<VarId>, FxHashSet<VarId>) {
        let mut rows: Vec<usize> = blocks.iter().flat_map(|b| b.equations.iter().copied()).collect();
        let mut columns: Vec<VarId> = blocks.iter().flat_map(|b| b.unknowns.iter().copied()).collect();
        for (k, (&x, old)) in (0..).zip(selection.states.iter().zip(self.old.clone())) {
            if self.substituted.contains(&k) {
                continue;
            }
            columns.push(x);
            let Some(slope) = derivative(work, x) else { continue };
            let h = work.pool.var(self.h);
            let mut terms = vec![work.pool.var(old)];
            if implicit {
                terms.push(work.pool.op(Op::Mul, &[h, slope]));
            }
            rows.push(self.add_equation(work, x, &terms));
        }
        (rows, columns, seeds.clone())
    }

    /// The continuous part once for each stage, coupled by `x_i = old(x) + h*(a_i1*der(x_1) + …)`. The last stage is the model
    /// itself at the end of the step.
    fn stages(
        &mut self,
        work: &mut Work,
        selection: &Selection,
        blocks: &[Block],
        seeds: &FxHashSet<VarId>,
    ) -> (Vec<usize>, Vec<VarId>, FxHashSet<VarId>) {
        let (_, a) = radau_coefficients();
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        let mut all_seeds = FxHashSet::default();
        let own: Vec<VarId> = blocks
            .iter()
            .flat_map(|b| b.unknowns.iter().copied())
            .chain(selection.states.iter().copied())
            .collect();
        let last = a.len() - 1;
        for k in 0..a.len() {
            let copy = match k == last {
                true => StageCopy { variables: own.iter().map(|&v| (v, v)).collect(), time: None },
                false => StageCopy::new(work, &own, k),
            };
            let mut memo = Memo::sparse();
            for block in blocks {
                for &e in &block.equations {
                    rows.push(if k == last { e } else { copy.equation(work, e, &mut memo) });
                }
            }
            columns.extend(own.iter().map(|v| copy.variables[v]));
            all_seeds.extend(seeds.iter().filter_map(|v| copy.variables.get(v).copied()));
            let mut states = Vec::new();
            for &x in &selection.states {
                let Some(d) = work.var(x).derivative else { continue };
                // A derivative that nothing computes is the same in all stages.
                let d = copy.variables.get(&work.resolve(d).0).copied().unwrap_or(d);
                states.push(State { variable: copy.variables[&x], derivative: d });
            }
            let copies = own.iter().map(|&v| (v, copy.variables[&v])).collect();
            self.stages.push(Stage { time: copy.time, states, copies });
        }
        for (i, coefficients) in a.iter().enumerate() {
            for (s, &x) in selection.states.iter().enumerate() {
                let negated = work.var(x).derivative.is_some_and(|d| work.resolve(d).1);
                let mut terms = vec![work.pool.var(self.old[s])];
                for (stage, &a) in self.stages.iter().zip(coefficients) {
                    let (h, slope) = (work.pool.var(self.h), work.pool.var(stage.states[s].derivative));
                    let a = work.pool.constant(if negated { -a } else { a });
                    terms.push(work.pool.op(Op::Mul, &[a, h, slope]));
                }
                let x = self.stages[i].states[s].variable;
                rows.push(self.add_equation(work, x, &terms));
            }
        }
        (rows, columns, all_seeds)
    }

    /// `x = the sum of the terms`, in the component of `x`.
    fn add_equation(&mut self, work: &mut Work, x: VarId, terms: &[ExprId]) -> usize {
        let component = work.var(x).name.rsplit_once('.').map_or("", |(component, _)| component).to_owned();
        let origin = Origin { component, location: work.var(x).location, ..Origin::default() };
        let (lhs, rhs) = (work.pool.var(x), solve::sum(&mut work.pool, terms));
        let (form, hints) = (EquationForm::Plain, Vec::new());
        work.equations.push(Equation { lhs, rhs, origin, form, order: 0, model: None, hints });
        self.equations.insert(work.equations.len() - 1, x);
        work.equations.len() - 1
    }
}

/// Newton iterations that a system may take in an inlined step of one size, where nobody says how many.
pub const USUAL_ITERATIONS: u32 = 30;

/// The variables of a stage inside the step.
struct StageCopy {
    variables: FxHashMap<VarId, VarId>,
    time: Option<VarId>,
}

impl StageCopy {
    fn new(work: &mut Work, own: &[VarId], stage: usize) -> StageCopy {
        let mark = |name: &str| format!("{name}@{}", stage + 1);
        let mut variables = FxHashMap::default();
        for &v in own {
            let mut var = work.var(v).clone();
            (var.name, var.made) = (mark(&var.name), true);
            (var.derivative, var.integral, var.alias) = (None, None, None);
            let bounds = work.bounds.get(v.index()).copied().unwrap_or(Interval::ALL);
            let id = work.add_var(var);
            work.bounds.resize(work.vars.len(), Interval::ALL);
            work.bounds[id.index()] = bounds;
            variables.insert(v, id);
        }
        let time = work.add_helper(mark("time"), Type::Real, Role::Run);
        work.bounds.resize(work.vars.len(), Interval::ALL);
        StageCopy { variables, time: Some(time) }
    }

    fn equation(&self, work: &mut Work, equation: usize, memo: &mut Memo) -> usize {
        let Equation { lhs, rhs, origin, order, hints, .. } = work.equations[equation].clone();
        let mut copied = |work: &mut Work, e: ExprId| {
            rewrite(&mut work.pool, e, memo, &mut |pool, id| match pool.node(id) {
                Node::Var(v) => match self.variables.get(&v) {
                    Some(&copy) => pool.var(copy),
                    None => id,
                },
                Node::Op(Op::Time, _) => match self.time {
                    Some(time) => pool.var(time),
                    None => id,
                },
                _ => id,
            })
        };
        let (lhs, rhs) = (copied(work, lhs), copied(work, rhs));
        let hints = hints.into_iter().map(|(kind, target)| (kind, copied(work, target))).collect();
        work.equations.push(Equation {
            lhs,
            rhs,
            origin,
            form: EquationForm::Plain,
            order,
            model: None,
            hints,
        });
        work.equations.len() - 1
    }
}

/// The derivative of a state as an expression.
fn derivative(work: &mut Work, x: VarId) -> Option<ExprId> {
    let (d, negated) = work.resolve(work.var(x).derivative?);
    let d = work.pool.var(d);
    Some(if negated { work.pool.op(Op::Neg, &[d]) } else { d })
}

#[cfg(test)]
mod tests {
    use crate::program::without_stage;

    #[test]
    fn names_of_copies() {
        for (name, own) in
            [("a[1]@2", "a[1]"), ("der(x)@1", "der(x)"), ("x", "x"), ("'a@1'", "'a@1'"), ("a@", "a@")]
        {
            assert_eq!(without_stage(name), own);
        }
    }
}
