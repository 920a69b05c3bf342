//! What the continuous part depends on at events, and which relations decide something at present.
//!
//! In `sliding = pre(stuck) and (s > limit or …)` it makes no difference where `s` is while nothing sticks. An event at which
//! no discrete variable can change need not be looked for: the relation takes its new value, and that is all. This is so
//! where a relation is read by formulas of discrete variables only, which have the same value whatever the relations that
//! have changed in the step are. Everything else such a formula reads is constant between events.

use kausal_symbolic::evaluate::evaluate;
use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use kausal_translate::program::{Assign, Kind, Step};
use kausal_translate::{Program, flow};
use rustc_hash::{FxHashMap, FxHashSet};

/// Formulas are tried with all values of at most so many relations.
const MOST: usize = 6;

/// Who reads the relations of a program.
#[derive(Debug)]
pub(crate) struct Relevance {
    /// For each relation the formulas that read it; `None` where others do as well.
    readers: Vec<Option<Vec<ExprId>>>,
    /// What these formulas read.
    inputs: Vec<Vec<VarId>>,
}

/// What was found out before: whether relations decide something, given all that is read with them.
#[derive(Debug)]
pub(crate) struct Answer {
    relations: Vec<u32>,
    inputs: Vec<f64>,
    decide: bool,
}

impl Relevance {
    pub(crate) fn new(program: &Program) -> Relevance {
        let place: FxHashMap<VarId, usize> =
            program.relations.iter().enumerate().map(|(i, r)| (r.variable, i)).collect();
        let mut readers: Vec<Option<Vec<ExprId>>> = vec![Some(Vec::new()); program.relations.len()];
        let decided: FxHashSet<VarId> = program.discrete_variables.iter().copied().collect();
        let slots: FxHashSet<VarId> = program.pre.iter().map(|pre| pre.slot).collect();
        let is_held = |v: VarId| {
            let parameter = program.variables[v.index()].kind == Kind::Parameter;
            let flag = program.initial_flag == Some(v) || program.terminal_flag == Some(v);
            parameter || flag || decided.contains(&v) || slots.contains(&v) || place.contains_key(&v)
        };
        let mut elsewhere: FxHashSet<VarId> = program.pre.iter().map(|pre| pre.variable).collect();
        let conditional = conditional(program);
        let inlined = program.discretized.iter().flat_map(|d| d.factors.iter().chain(&d.steps));
        let sections =
            program.dynamics.iter().chain(&program.outputs).chain(&program.discrete).chain(inlined);
        for step in flow::nested(sections) {
            match step {
                Step::Assign(Assign { variable, value, .. })
                    if decided.contains(variable) && !conditional.contains(variable) =>
                {
                    let read = program.pool.variables_of(*value);
                    let all_held = read.iter().all(|v| is_held(*v)) && !reads_clock(program, *value);
                    for v in read {
                        match place.get(&v).and_then(|&i| readers[i].as_mut()) {
                            Some(list) if all_held && !list.contains(value) => list.push(*value),
                            Some(_) if all_held => {}
                            _ => _ = elsewhere.insert(v),
                        }
                    }
                }
                // What it contains comes by itself.
                Step::System(_) => {}
                Step::When(when) => elsewhere.extend(when.branches.iter().flat_map(|b| &b.conditions)),
                Step::If(condition, ..) => elsewhere.extend(program.pool.variables_of(*condition)),
                other => flow::reads(&program.pool, other, &mut elsewhere),
            }
        }
        for e in expressions(program) {
            elsewhere.extend(program.pool.variables_of(e));
        }
        elsewhere.iter().filter_map(|v| place.get(v)).for_each(|&i| readers[i] = None);
        let watched = program.transports.iter().flat_map(|t| t.relations);
        watched.for_each(|i| readers[i as usize] = None);
        // What nobody reads is there for its events: `floor`, `ceil` and the like take their new values then.
        readers.iter_mut().filter(|list| list.as_ref().is_some_and(Vec::is_empty)).for_each(|list| *list = None);
        let read = |formulas: &Option<Vec<ExprId>>| {
            let all = formulas.iter().flatten().flat_map(|e| program.pool.variables_of(*e));
            let mut all: Vec<VarId> = all.collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let inputs = readers.iter().map(read).collect();
        Relevance { readers, inputs }
    }

    /// The same as [`Relevance::decide`] where it was asked before with the same values.
    pub(crate) fn recall(
        &self,
        known: &mut Vec<Answer>,
        program: &Program,
        values: &[f64],
        relations: &[u32],
    ) -> bool {
        /// So many answers are kept.
        const KEPT: usize = 64;
        let mut inputs = Vec::new();
        for &r in relations {
            match &self.readers[r as usize] {
                Some(_) => inputs.extend(self.inputs[r as usize].iter().map(|v| values[v.index()])),
                None => return true,
            }
        }
        let same = |answer: &&Answer| answer.relations == relations && answer.inputs == inputs;
        if let Some(answer) = known.iter().find(same) {
            return answer.decide;
        }
        let decide = self.decide(program, values, relations);
        if known.len() == KEPT {
            known.clear();
        }
        known.push(Answer { relations: relations.to_vec(), inputs, decide });
        decide
    }

    /// Can a discrete variable be another one when any of these relations have other values than they have?
    fn decide(&self, program: &Program, values: &[f64], relations: &[u32]) -> bool {
        if relations.len() > MOST {
            return true;
        }
        let varied: Vec<VarId> = relations.iter().map(|&r| program.relations[r as usize].variable).collect();
        let result = |e: ExprId, mask: u32| {
            evaluate(&program.pool, e, &mut |v: VarId| match varied.iter().position(|w| *w == v) {
                Some(k) if mask >> k & 1 == 1 => 1.0 - values[v.index()],
                _ => values[v.index()],
            })
        };
        relations.iter().any(|&r| match &self.readers[r as usize] {
            None => true,
            Some(readers) => readers.iter().any(|&e| {
                let now = result(e, 0);
                // What is not a number is not the same.
                (1..1u32 << varied.len()).any(|mask| result(e, mask) != now || now.is_nan())
            }),
        })
    }
}

fn reads_clock(program: &Program, e: ExprId) -> bool {
    let pool = &program.pool;
    reachable(pool, &[e], |_| true).iter().any(|&id| matches!(pool.node(id), Node::Op(Op::Time, _)))
}

/// What the continuous part takes from elsewhere.
pub(crate) fn held(program: &Program) -> Vec<VarId> {
    let inlined = program.discretized.iter().flat_map(|d| [Some(d), d.filter.as_deref()]).flatten();
    let inlined = inlined.flat_map(|d| d.factors.iter().chain(&d.steps));
    let (mut read, mut written) = (FxHashSet::default(), FxHashSet::default());
    for step in program.dynamics.iter().chain(inlined) {
        flow::reads(&program.pool, step, &mut read);
        flow::writes(step, &mut written);
    }
    let fixed = |v: &VarId| program.variables[v.index()].kind == Kind::Parameter;
    let mut held: Vec<VarId> = read.difference(&written).copied().filter(|v| !fixed(v)).collect();
    // An inlined step computes states; `reinit` changes them.
    held.extend(program.states.iter().map(|state| state.variable));
    held.sort_unstable();
    held.dedup();
    held
}

/// Variables that are given values inside `when` clauses and branches: their formulas hold at some events only.
fn conditional(program: &Program) -> FxHashSet<VarId> {
    let mut out = FxHashSet::default();
    for step in flow::nested(&program.discrete) {
        if matches!(step, Step::When(_) | Step::If(..)) {
            flow::writes(step, &mut out);
        }
    }
    out
}

/// What the run evaluates besides steps.
fn expressions(program: &Program) -> Vec<ExprId> {
    let mut all = Vec::new();
    all.extend(program.time_events.iter().flat_map(|e| [e.instant, e.slope]));
    all.extend(program.samples.iter().flat_map(|s| [s.start, s.interval]));
    all.extend(program.delays.iter().flat_map(|d| [d.delay, d.maximum]));
    all.extend(program.transports.iter().flat_map(|t| [t.position, t.forward]));
    all.extend(program.state_sets.iter().flat_map(|s| s.jacobian.iter().copied()));
    all
}
