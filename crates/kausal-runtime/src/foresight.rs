//! What a program lets one know of the future: conditions and oscillations that depend on time alone.
//!
//! Between events a formula of `time`, parameters and discrete variables is known for all instants to come. Two things are made
//! of that, once for a program:
//!
//! - **Relations** whose difference is such a formula: the run asks [`TimeFunction::first_change`] when they change next, so that
//!   their events are known in advance and none is missed between steps.
//! - **Signals**: formulas on which a derivative of a state depends. Periods of periodic functions in them (`sin`, `cos`, `tan`,
//!   and `mod`, `floor` and their kin where they make no events) bound the step, and so do the shapes of others: a method that
//!   chooses its steps by what it sees at their ends would otherwise step over a bump, or over whole periods of what reaches a
//!   state only now and then.

use kausal_symbolic::time_function::TimeFunction;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_translate::flow;
use kausal_translate::program::{Kind, Program, Step};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known in advance. See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Foresight {
    /// Relations of time alone, by their place in the program.
    pub relations: Vec<(u32, TimeFunction)>,
    /// Formulas of time, other than straight lines, that reach a state.
    pub signals: Vec<TimeFunction>,
}

impl Foresight {
    pub(crate) fn new(program: &Program) -> Foresight {
        if !reads_time(program) {
            return Foresight::default();
        }
        let clock = Clock::new(program);
        let of_time = |difference: VarId| {
            let formula = *clock.formulas.get(&difference)?;
            TimeFunction::new(&program.pool, formula, &|v| clock.formulas.get(&v).copied())
                .filter(TimeFunction::reads_time)
        };
        let relations = (0..).zip(&program.relations);
        let relations = relations.filter(|(_, r)| r.timed.is_none() && !r.trace);
        let relations = relations.filter_map(|(i, r)| Some((i, of_time(r.difference)?))).collect();
        Foresight { relations, signals: clock.signals(program) }
    }
}

/// Variables that are formulas of time.
struct Clock {
    formulas: FxHashMap<VarId, ExprId>,
    held: FxHashSet<VarId>,
}

impl Clock {
    fn new(program: &Program) -> Clock {
        let mut held: FxHashSet<VarId> = program.discrete_variables.iter().copied().collect();
        held.extend(program.pre.iter().map(|pre| pre.slot));
        held.extend(program.relations.iter().map(|r| r.variable));
        held.extend(program.initial_flag.iter().chain(&program.terminal_flag).chain(&program.homotopy));
        let variables = (0..).map(VarId).zip(&program.variables);
        held.extend(variables.filter(|(_, v)| v.kind == Kind::Parameter).map(|(id, _)| id));
        program.parameters.iter().for_each(|step| flow::writes(step, &mut held));
        let mut clock = Clock { formulas: FxHashMap::default(), held };
        for step in &program.dynamics {
            if let Step::Assign(assign) = step
                && clock.is_of_time(&program.pool, assign.value)
            {
                clock.formulas.insert(assign.variable, assign.value);
            }
        }
        clock
    }

    fn is_of_time(&self, pool: &Pool, e: ExprId) -> bool {
        let known = |v: VarId| self.held.contains(&v) || self.formulas.contains_key(&v);
        !pool.has_calls(e) && !pool.contains_any(e, |v| !known(v))
    }

    /// The largest formulas of time in what the derivatives of states depend on, of those that are no straight lines.
    fn signals(&self, program: &Program) -> Vec<TimeFunction> {
        let pool = &program.pool;
        let derivatives: FxHashSet<VarId> = program.states.iter().map(|state| state.derivative).collect();
        let mut needed = derivatives.clone();
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut signals: Vec<TimeFunction> = Vec::new();
        for step in program.dynamics.iter().rev() {
            let mut written = FxHashSet::default();
            flow::writes(step, &mut written);
            if written.is_disjoint(&needed) {
                continue;
            }
            flow::reads(pool, step, &mut needed);
            if written.is_disjoint(&derivatives) && written.iter().all(|v| self.formulas.contains_key(v)) {
                // A part of the formulas that read it.
                continue;
            }
            let mut stack = formulas(step);
            while let Some(id) = stack.pop() {
                if !seen.insert(id) {
                    continue;
                }
                if !self.is_of_time(pool, id) {
                    stack.extend(pool.children(id));
                    continue;
                }
                let signal = TimeFunction::new(pool, id, &|v| self.formulas.get(&v).copied());
                signals.extend(
                    signal.filter(|s| s.reads_time() && (s.is_periodic() || s.shapes().next().is_some())),
                );
            }
        }
        signals.dedup();
        signals
    }
}

/// Is there anything that depends on the clock?
fn reads_time(program: &Program) -> bool {
    let pool = &program.pool;
    (0..pool.len()).any(|i| matches!(pool.node(ExprId(i as u32)), Node::Op(Op::Time, _)))
}

/// The formulas in a step and in all it contains.
fn formulas(step: &Step) -> Vec<ExprId> {
    let mut all = Vec::new();
    for step in flow::nested([step]) {
        match step {
            Step::Assign(assign) => all.push(assign.value),
            Step::Call(call) => all.extend(&call.args),
            Step::If(condition, ..) => all.push(*condition),
            _ => {}
        }
    }
    all
}
