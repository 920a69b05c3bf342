//! What the continuous part depends on at events, and which relations decide something at present.
//!
//! In `sliding = pre(stuck) and (s > limit or …)` it makes no difference where `s` is while nothing sticks. An event at which
//! no discrete variable can change need not be looked for: the relation takes its new value, and that is all. This is so
//! where a relation is read by formulas of discrete variables only, which have the same value whatever the relations that
//! have changed in the step are. Everything else such a formula reads is constant between events. A relation that is a variable of
//! the model, and so a result, is located in any case.

use std::ops::Range;

use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
pub(crate) use kausal_translate::flow::held;
use kausal_translate::program::{Assign, ClockTrigger, Kind, Step};
use kausal_translate::{Program, flow};
use rustc_hash::{FxHashMap, FxHashSet};

/// Formulas are tried with all values of at most so many relations.
const MOST: usize = 6;

/// Who reads the relations of a program.
#[derive(Debug)]
pub(crate) struct Relevance {
    /// For each relation the formulas that read it; `None` where others do as well.
    readers: Vec<Option<Vec<Formula>>>,
    /// What these formulas read.
    inputs: Vec<Vec<VarId>>,
}

/// What was found out before: whether relations decide something, given all that is read with them.
pub(crate) type Answers = FxHashMap<(Vec<u32>, Vec<u64>), bool>;

/// A formula in the order in which it is evaluated.
#[derive(Debug)]
struct Formula {
    parts: Vec<Part>,
    /// Places of operands.
    operands: Vec<u32>,
}

#[derive(Debug)]
enum Part {
    Number(f64),
    Variable(VarId),
    Operator(Op, Range<usize>),
    /// A string, or a call: no number.
    Other,
}

impl Formula {
    fn new(pool: &Pool, e: ExprId) -> Formula {
        let order = reachable(pool, &[e], |_| true);
        let mut operands = Vec::new();
        let parts = order.iter().map(|&id| match pool.node(id) {
            Node::Const(value) => Part::Number(value),
            Node::Var(v) => Part::Variable(v),
            Node::Op(op, args) => {
                let from = operands.len();
                operands.extend(args.iter().map(|a| order.binary_search(a).map_or(u32::MAX, |k| k as u32)));
                Part::Operator(op, from..operands.len())
            }
            Node::Text(_) | Node::Call(..) | Node::Output(..) => Part::Other,
        });
        Formula { parts: parts.collect(), operands }
    }

    /// Its value; `results` is room to work in.
    fn value(&self, variable: impl Fn(VarId) -> f64, results: &mut Vec<f64>) -> f64 {
        results.clear();
        let mut arguments: Vec<f64> = Vec::new();
        for part in &self.parts {
            let result = match part {
                Part::Number(value) => *value,
                Part::Variable(v) => variable(*v),
                Part::Operator(op, range) => {
                    arguments.clear();
                    let operands = self.operands[range.clone()].iter();
                    arguments.extend(operands.map(|&k| results.get(k as usize).copied().unwrap_or(f64::NAN)));
                    op.eval(&arguments)
                }
                Part::Other => f64::NAN,
            };
            results.push(result);
        }
        results.last().copied().unwrap_or(f64::NAN)
    }
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
        for base in &program.clocks {
            elsewhere.extend(base.sampled.iter().map(|s| s.source));
            if let ClockTrigger::Event { condition, .. } = base.trigger {
                elsewhere.insert(condition);
            }
        }
        for e in expressions(program) {
            elsewhere.extend(program.pool.variables_of(e));
        }
        elsewhere.iter().filter_map(|v| place.get(v)).for_each(|&i| readers[i] = None);
        // What is a result is right at all times, whether it decides something or not.
        for variable in &program.variables {
            if let Kind::Alias(alias) = variable.kind
                && let Some(&i) = place.get(&alias.target)
            {
                readers[i] = None;
            }
        }
        for (&v, &i) in &place {
            if program.variables[v.index()].kind != Kind::Helper {
                readers[i] = None;
            }
        }
        let watched = program.transports.iter().flat_map(|t| t.relations);
        watched.for_each(|i| readers[i as usize] = None);
        // What nobody reads is there for its events: `floor`, `ceil` and the like take their new values then.
        readers
            .iter_mut()
            .filter(|list| list.as_ref().is_some_and(Vec::is_empty))
            .for_each(|list| *list = None);
        let read = |formulas: &Option<Vec<ExprId>>| {
            let all = formulas.iter().flatten().flat_map(|e| program.pool.variables_of(*e));
            let mut all: Vec<VarId> = all.collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let inputs = readers.iter().map(read).collect();
        let formulas = |list: Vec<ExprId>| list.iter().map(|&e| Formula::new(&program.pool, e)).collect();
        let readers = readers.into_iter().map(|list| list.map(formulas)).collect();
        Relevance { readers, inputs }
    }

    /// The same as [`Relevance::decide`] where it was asked before with the same values.
    pub(crate) fn recall(
        &self,
        known: &mut Answers,
        program: &Program,
        values: &[f64],
        relations: &[u32],
    ) -> bool {
        /// So many answers are kept.
        const KEPT: usize = 4096;
        let mut inputs = Vec::new();
        for &r in relations {
            match &self.readers[r as usize] {
                Some(_) => inputs.extend(self.inputs[r as usize].iter().map(|v| values[v.index()].to_bits())),
                None => return true,
            }
        }
        let question = (relations.to_vec(), inputs);
        if let Some(&decide) = known.get(&question) {
            return decide;
        }
        let decide = self.decide(program, values, relations);
        if known.len() == KEPT {
            known.clear();
        }
        known.insert(question, decide);
        decide
    }

    /// Can a discrete variable be another one when any of these relations have other values than they have?
    fn decide(&self, program: &Program, values: &[f64], relations: &[u32]) -> bool {
        if relations.len() > MOST {
            return true;
        }
        let varied: Vec<VarId> = relations.iter().map(|&r| program.relations[r as usize].variable).collect();
        let mut results = Vec::new();
        let mut result = |formula: &Formula, mask: u32| {
            let variable = |v: VarId| match varied.iter().position(|w| *w == v) {
                Some(k) if mask >> k & 1 == 1 => 1.0 - values[v.index()],
                _ => values[v.index()],
            };
            formula.value(variable, &mut results)
        };
        relations.iter().any(|&r| match &self.readers[r as usize] {
            None => true,
            Some(readers) => readers.iter().any(|formula| {
                let now = result(formula, 0);
                // What is not a number is not the same.
                (1..1u32 << varied.len()).any(|mask| result(formula, mask) != now || now.is_nan())
            }),
        })
    }
}

/// Does a formula read `time`?
pub(super) fn reads_clock(program: &Program, e: ExprId) -> bool {
    let pool = &program.pool;
    reachable(pool, &[e], |_| true).iter().any(|&id| matches!(pool.node(id), Node::Op(Op::Time, _)))
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
