//! What a program lets one know of the future: conditions and oscillations that depend on time alone.
//!
//! Between events a formula of `time`, parameters and discrete variables is known for all instants to come. Two things are made
//! of that, once for a program:
//!
//! - **Relations** whose difference is such a formula: the run asks [`TimeFunction::first_change`] when they change next, so that
//!   their events are known in advance and none is missed between steps.
//! - **Phases**: arguments of periodic functions (`sin`, `cos`, `tan`, and `mod`, `floor` and their kin where they make no
//!   events) on which a derivative of a state depends. How fast they turn bounds the step: a method that chooses its steps by
//!   what it sees at their ends would otherwise step over whole periods of what reaches a state only now and then.

use kausal_symbolic::time_function::TimeFunction;
use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_translate::flow;
use kausal_translate::program::{Kind, Program, Step};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known in advance. See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Foresight {
    /// Relations of time alone, by their place in the program.
    pub relations: Vec<(u32, TimeFunction)>,
    /// Arguments of periodic functions that reach a state.
    pub phases: Vec<Phase>,
}

/// The argument of a periodic function.
#[derive(Debug, PartialEq)]
pub(crate) struct Phase {
    pub argument: TimeFunction,
    /// Its period.
    pub turn: Turn,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Turn {
    Constant(f64),
    /// The second argument of `mod` and its kin.
    Of(TimeFunction),
}

impl Foresight {
    pub(crate) fn new(program: &Program) -> Foresight {
        let clock = Clock::new(program);
        let of_time = |difference: VarId| {
            let formula = *clock.formulas.get(&difference)?;
            TimeFunction::new(&program.pool, formula, &|v| clock.formulas.get(&v).copied())
                .filter(TimeFunction::reads_time)
        };
        let relations = (0..).zip(&program.relations);
        let relations = relations.filter(|(_, r)| r.timed.is_none() && !r.trace);
        let relations = relations.filter_map(|(i, r)| Some((i, of_time(r.difference)?))).collect();
        Foresight { relations, phases: clock.phases(program) }
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
        !pool.has_calls(e) && pool.variables_of(e).into_iter().all(known)
    }

    /// Arguments of periodic functions of time in what the derivatives of states depend on.
    fn phases(&self, program: &Program) -> Vec<Phase> {
        let pool = &program.pool;
        let mut needed: FxHashSet<VarId> = program.states.iter().map(|state| state.derivative).collect();
        let mut phases: Vec<Phase> = Vec::new();
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let define = |v: VarId| self.formulas.get(&v).copied();
        let function = |e: ExprId| {
            let function = TimeFunction::new(pool, e, &define);
            function.filter(|_| self.is_of_time(pool, e))
        };
        for step in program.dynamics.iter().rev() {
            let mut written = FxHashSet::default();
            flow::writes(step, &mut written);
            if written.is_disjoint(&needed) {
                continue;
            }
            flow::reads(pool, step, &mut needed);
            let roots = formulas(step);
            for id in reachable(pool, &roots, |id| !seen.contains(&id)) {
                seen.insert(id);
                let Node::Op(op, args) = pool.node(id) else { continue };
                let turn = match op {
                    Op::Sin | Op::Cos => Some(Turn::Constant(std::f64::consts::TAU)),
                    Op::Tan => Some(Turn::Constant(std::f64::consts::PI)),
                    Op::Floor | Op::Ceil | Op::Integer => Some(Turn::Constant(1.0)),
                    Op::Mod | Op::Rem | Op::IntegerDiv => function(args[1]).map(Turn::Of),
                    _ => None,
                };
                let argument = turn.is_some().then(|| function(args[0])).flatten();
                if let (Some(turn), Some(argument)) = (turn, argument.filter(TimeFunction::reads_time)) {
                    let phase = Phase { argument, turn };
                    if !phases.contains(&phase) {
                        phases.push(phase);
                    }
                }
            }
        }
        phases
    }
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
