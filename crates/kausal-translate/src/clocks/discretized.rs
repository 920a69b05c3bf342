//! Continuous equations on a clock (specification section 16.8): the formula of the solver method joins the equations, as in
//! inline integration (Elmqvist, Otter and Cellier 1995).
//!
//! `step` is a slot that the run sets: the interval of the clock, and zero at the first tick, where the states have their
//! start values: `h = 0` is initialisation. Nothing divides by it.
//!
//! ```text
//! ExplicitEuler      x = previous(x) + step*previous(der(x))
//! ImplicitEuler      x = previous(x) + step*der(x)
//! ImplicitTrapezoid  x = previous(x) + step/2*(der(x) + previous(der(x)))
//! ```
//!
//! `ExplicitMidPoint2` and `ExplicitRungeKutta4` evaluate the equations between ticks too: each stage is a copy of them, with
//! the mean of the inputs at both ticks, discrete variables as they were at the last one, and its own time.

use kausal_model::flat::{Origin, Type};
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::FxHashMap;

use super::Partition;
use super::rates::at;
use super::section::is_static;
use super::split::{plain, previous_slot};
use crate::equations::rewrite::{Memo, rewrite};
use crate::equations::sort::{is_discrete, occurrences};
use crate::equations::work::{Equation, EquationForm, Role, Var, Work};
use crate::program::SubClock;
use crate::reduce::index::Selection;

/// Adds the formulas to the first `count` equations, which are the model; for each its state.
pub(super) fn formulas(
    part: &mut Work,
    partition: &mut Partition,
    sub: &mut SubClock,
    selection: &Selection,
    count: usize,
) -> Option<FxHashMap<usize, VarId>> {
    let Some((method, origin)) = partition.method.clone() else {
        let d = Diagnostic::error("K0471", "differential equations on a clock need a solver method")
            .help("give the clock one: `Clock(c, solverMethod = \"ImplicitEuler\")`");
        part.diagnostics.push(at(d, &first_derivative(part, partition), "with this variable"));
        return None;
    };
    if !is_static(selection) {
        let message = "the states of equations on a clock cannot be selected while the model runs";
        part.diagnostics.push(at(Diagnostic::error("K0471", message), &partition.origin, "this clock"));
        return None;
    }
    let step = part.add_helper(format!("step({})", partition.name), Type::Real, Role::Run);
    (sub.step, sub.method) = (Some(step), Some(method.clone()));
    let step = part.pool.var(step);
    let mut states = Vec::with_capacity(selection.states.len());
    for &x in &selection.states {
        let Some(d) = part.var(x).derivative else { continue };
        states.push((x, d));
    }
    let rates: Vec<ExprId> = match method.as_str() {
        "ExplicitEuler" => states.iter().map(|&(_, d)| previous(part, partition, d)).collect(),
        "ImplicitEuler" => states.iter().map(|&(_, d)| part.pool.var(d)).collect(),
        "ImplicitTrapezoid" => {
            let mean = |part: &mut Work, d: VarId, before: ExprId| {
                let now = part.pool.var(d);
                weighted(part, &[(0.5, now), (0.5, before)])
            };
            let mut rates = Vec::with_capacity(states.len());
            for &(_, d) in &states {
                let before = previous(part, partition, d);
                rates.push(mean(part, d, before));
            }
            rates
        }
        "ExplicitMidPoint2" | "ExplicitRungeKutta4" => {
            let mut stages = Stages::new(part, partition, sub, step, &states, count);
            let before: Vec<ExprId> =
                states.iter().map(|&(_, d)| previous(stages.part, stages.partition, d)).collect();
            let middle = stages.evaluate(0.5, &before);
            if method == "ExplicitMidPoint2" {
                middle
            } else {
                let again = stages.evaluate(0.5, &middle);
                let end = stages.evaluate(1.0, &again);
                let sixth = 1.0 / 6.0;
                (0..states.len())
                    .map(|i| {
                        let terms = [
                            (sixth, before[i]),
                            (2.0 * sixth, middle[i]),
                            (2.0 * sixth, again[i]),
                            (sixth, end[i]),
                        ];
                        weighted(part, &terms)
                    })
                    .collect()
            }
        }
        _ => {
            let d = Diagnostic::error("K0471", format!("the solver method {method} is not supported")).help(
                "ExplicitEuler, ExplicitMidPoint2, ExplicitRungeKutta4, ImplicitEuler and ImplicitTrapezoid are",
            );
            part.diagnostics.push(at(d, &origin, "given here"));
            return None;
        }
    };
    let mut formulas = FxHashMap::default();
    for (&(x, _), rate) in states.iter().zip(rates) {
        let old = previous(part, partition, x);
        let value = advanced(part, old, 1.0, step, rate);
        let lhs = part.pool.var(x);
        formulas.insert(part.equations.len(), x);
        let origin = Origin { location: part.var(x).location, ..Origin::default() };
        part.equations.push(plain(lhs, value, origin));
    }
    Some(formulas)
}

/// `old + share*step*rate`
fn advanced(part: &mut Work, old: ExprId, share: f64, step: ExprId, rate: ExprId) -> ExprId {
    let share = part.pool.constant(share);
    let increment = part.pool.op(Op::Mul, &[share, step, rate]);
    part.pool.op(Op::Add, &[old, increment])
}

fn weighted(part: &mut Work, terms: &[(f64, ExprId)]) -> ExprId {
    let mut sum = Vec::with_capacity(terms.len());
    for &(weight, e) in terms {
        let weight = part.pool.constant(weight);
        sum.push(part.pool.op(Op::Mul, &[weight, e]));
    }
    part.pool.op(Op::Add, &sum)
}

/// Copies of the equations between two ticks.
struct Stages<'a> {
    part: &'a mut Work,
    partition: &'a mut Partition,
    step: ExprId,
    states: &'a [(VarId, VarId)],
    /// The continuous equations, and their unknowns but for the states.
    equations: Vec<Equation>,
    unknowns: Vec<VarId>,
    /// What they read besides: inputs with copies that have a previous value, discrete variables with theirs.
    inputs: Vec<(VarId, ExprId, ExprId)>,
    discrete: Vec<(VarId, ExprId)>,
    count: usize,
}

impl<'a> Stages<'a> {
    fn new(
        part: &'a mut Work,
        partition: &'a mut Partition,
        sub: &mut SubClock,
        step: ExprId,
        states: &'a [(VarId, VarId)],
        count: usize,
    ) -> Self {
        let first = *sub.first_tick.get_or_insert_with(|| {
            part.add_helper(format!("firstTick({})", partition.name), Type::Boolean, Role::Run)
        });
        let first = part.pool.var(first);
        let held: Vec<VarId> = partition
            .previous
            .iter()
            .map(|p| p.1)
            .chain([sub.interval, sub.step].into_iter().flatten())
            .collect();
        let rows: Vec<usize> = (0..count).filter(|&e| !is_discrete(part, e)).collect();
        let equations: Vec<Equation> = rows.iter().map(|&e| part.equations[e].clone()).collect();
        let mut read: Vec<VarId> = Vec::new();
        let (mut visitor, mut list) = (Visitor::new(), Vec::new());
        for &e in &rows {
            list.clear();
            occurrences(part, e, &mut visitor, &mut list);
            read.extend(&list);
        }
        read.sort_unstable();
        read.dedup();
        let state = |v: VarId| states.iter().any(|s| s.0 == v);
        let role = |part: &Work, v: VarId| part.var(v).role;
        let unknowns =
            read.iter().copied().filter(|&v| role(part, v) == Role::Continuous && !state(v)).collect();
        let mut inputs = Vec::new();
        let mut discrete = Vec::new();
        for v in read {
            let real = part.var(v).ty == Type::Real;
            match role(part, v) {
                Role::Run if real && !held.contains(&v) => {
                    let name = format!("input({})", part.var(v).name);
                    let copy = part.add_helper(name, Type::Real, Role::Continuous);
                    let (lhs, now) = (part.pool.var(copy), part.pool.var(v));
                    part.equations.push(plain(lhs, now, Origin::default()));
                    let before = previous(part, partition, copy);
                    let mean = weighted(part, &[(0.5, before), (0.5, now)]);
                    let mean = part.pool.op(Op::If, &[first, now, mean]);
                    inputs.push((v, mean, now));
                }
                Role::Discrete => {
                    let before = previous(part, partition, v);
                    let now = part.pool.var(v);
                    let before = part.pool.op(Op::If, &[first, now, before]);
                    discrete.push((v, before));
                }
                _ => {}
            }
        }
        Stages { part, partition, step, states, equations, unknowns, inputs, discrete, count: 0 }
    }

    /// The derivatives at a part of the step, reached with these rates.
    fn evaluate(&mut self, share: f64, rates: &[ExprId]) -> Vec<ExprId> {
        self.count += 1;
        let mut map: FxHashMap<VarId, ExprId> = FxHashMap::default();
        for (&(x, _), &rate) in self.states.iter().zip(rates) {
            let old = previous(self.part, self.partition, x);
            let value = advanced(self.part, old, share, self.step, rate);
            let copy = self.copy(x);
            let lhs = self.part.pool.var(copy);
            self.part.equations.push(plain(lhs, value, Origin::default()));
            map.insert(x, lhs);
        }
        for v in self.unknowns.clone() {
            let copy = self.copy(v);
            map.insert(v, self.part.pool.var(copy));
        }
        let end = share == 1.0;
        map.extend(self.inputs.iter().map(|&(v, mean, now)| (v, if end { now } else { mean })));
        if !end {
            map.extend(self.discrete.iter().copied());
        }
        let pool = &mut self.part.pool;
        let time = pool.op(Op::Time, &[]);
        let back = pool.constant(share - 1.0);
        let shift = pool.op(Op::Mul, &[back, self.step]);
        let there = pool.op(Op::Add, &[time, shift]);
        let mut memo = Memo::sparse();
        let mut go = |pool: &mut Pool, e: ExprId| {
            rewrite(pool, e, &mut memo, &mut |pool, id| match pool.node(id) {
                Node::Var(v) => map.get(&v).copied().unwrap_or(id),
                Node::Op(Op::Time, _) => there,
                _ => id,
            })
        };
        for e in &self.equations {
            let (lhs, rhs) = (go(pool, e.lhs), go(pool, e.rhs));
            let form = EquationForm::Plain;
            self.part.equations.push(Equation {
                lhs,
                rhs,
                form,
                model: None,
                hints: Vec::new(),
                ..e.clone()
            });
        }
        self.states.iter().map(|(_, d)| map[d]).collect()
    }

    fn copy(&mut self, v: VarId) -> VarId {
        let name = format!("{}'{}", self.part.var(v).name, self.count);
        let mut copy = Var::helper(name, Type::Real, Role::Continuous);
        (copy.start, copy.nominal) = (self.part.var(v).start, self.part.var(v).nominal);
        self.part.add_var(copy)
    }
}

/// The previous value of a variable, as a slot.
fn previous(part: &mut Work, partition: &mut Partition, v: VarId) -> ExprId {
    let slot = match partition.previous.iter().find(|p| p.0 == v) {
        Some(&(_, slot)) => slot,
        None => {
            let slot = previous_slot(part, v);
            partition.previous.push((v, slot));
            slot
        }
    };
    part.pool.var(slot)
}

fn first_derivative(part: &Work, partition: &Partition) -> Origin {
    let state = partition.variables.iter().find(|v| part.var(**v).derivative.is_some());
    Origin { location: state.and_then(|&v| part.var(v).location), ..Origin::default() }
}
