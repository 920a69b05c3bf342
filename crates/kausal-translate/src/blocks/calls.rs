//! Calls of functions: out of expressions, once per evaluation, before everything if parameters are enough.
//!
//! [`Emitter::without_calls`](crate::blocks::emitter::Emitter::without_calls) replaces a call by variables and puts a step before
//! the assignment. A call in a branch of an `if` expression is made only when the branch counts: it may fail
//! otherwise. The same call has the same variables everywhere ([`unite`]), so that [`share`] can drop a step whose outputs are
//! there already.
//!
//! After [`share`], on each way through a section a call with the same arguments is made once, as long as none of its
//! arguments is assigned in between.

use kausal_model::flat::Type;
use kausal_symbolic::{ExprId, FunctionId, Node, Op, Pool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::rewrite::{Memo, rewrite};
use crate::equations::work::{Role, Var, Work};
use crate::program::{Call, Form, Step};

/// `if` expressions nested deeper than this have all their calls made.
const MAX_DEPTH: u32 = 50;

/// The variables of calls.
#[derive(Debug, Default)]
pub(crate) struct CallSlots {
    slots: FxHashMap<(ExprId, u32), VarId>,
}

impl CallSlots {
    /// Forgets variables from this number on, which are gone.
    pub fn forget_from(&mut self, count: usize) {
        self.slots.retain(|_, v| v.index() < count);
    }

    /// The expression with calls replaced by variables; the calls become steps before it.
    pub fn extract(
        &mut self,
        work: &mut Work,
        temporaries: &mut usize,
        value: ExprId,
        out: &mut Vec<Step>,
    ) -> ExprId {
        self.extract_at(work, temporaries, value, out, 0)
    }

    fn extract_at(
        &mut self,
        work: &mut Work,
        temporaries: &mut usize,
        value: ExprId,
        out: &mut Vec<Step>,
        depth: u32,
    ) -> ExprId {
        if !work.pool.has_calls(value) {
            return value;
        }
        let mut memo = Memo::sparse();
        if depth < MAX_DEPTH {
            for choice in choices(&work.pool, value) {
                let Node::Op(Op::If, &[c, a, b]) = work.pool.node(choice) else { continue };
                let (mut then, mut otherwise) = (Vec::new(), Vec::new());
                let c = self.extract_at(work, temporaries, c, out, depth + 1);
                let a = self.extract_at(work, temporaries, a, &mut then, depth + 1);
                let b = self.extract_at(work, temporaries, b, &mut otherwise, depth + 1);
                out.push(Step::If(c, then, otherwise));
                memo.insert(choice, work.pool.op(Op::If, &[c, a, b]));
            }
        }
        self.extract_all(work, temporaries, value, &mut memo, out)
    }

    /// Replaces all calls that are not in the memo yet.
    fn extract_all(
        &mut self,
        work: &mut Work,
        temporaries: &mut usize,
        value: ExprId,
        memo: &mut Memo,
        out: &mut Vec<Step>,
    ) -> ExprId {
        let mut steps: Vec<Call> = Vec::new();
        let mut here: FxHashMap<ExprId, usize> = FxHashMap::default();
        let vars = &mut work.vars;
        let result = rewrite(&mut work.pool, value, memo, &mut |pool, id| {
            let Node::Output(call, k) = pool.node(id) else { return id };
            let Node::Call(function, args) = pool.node(call) else { return id };
            let args = args.to_vec();
            let index = *here.entry(call).or_insert_with(|| {
                let impure = pool.function(function).notes.impure;
                steps.push(Call { function, args, outputs: Vec::new(), impure });
                steps.len() - 1
            });
            let outputs = &mut steps[index].outputs;
            if outputs.len() <= k as usize {
                outputs.resize(k as usize + 1, None);
            }
            let slot = *outputs[k as usize].get_or_insert_with(|| {
                *self.slots.entry((call, k)).or_insert_with(|| {
                    *temporaries += 1;
                    let name = format!("{}#{temporaries}", pool.function(function).name);
                    vars.push(Var::helper(name, Type::Real, Role::Temporary));
                    VarId(vars.len() as u32 - 1)
                })
            });
            pool.var(slot)
        });
        in_textual_order(&work.pool, &mut steps);
        out.extend(steps.into_iter().map(Step::Call));
        result
    }
}

/// Brings impure calls of one expression into the order in which they were written: simplification has moved them. What
/// needs the results of one comes behind it, and needs none that comes later.
fn in_textual_order(pool: &Pool, steps: &mut [Call]) {
    let number = |call: &Call| pool.function(call.function).notes.apart.map_or(0, |apart| apart.call);
    if steps.iter().filter(|call| call.impure).count() < 2 {
        return;
    }
    let mut after: FxHashMap<VarId, u32> = FxHashMap::default();
    for call in steps.iter() {
        let used = call.args.iter().flat_map(|&arg| pool.variables_of(arg));
        let latest = used.filter_map(|v| after.get(&v).copied()).max().unwrap_or(0);
        let place = latest.max(number(call));
        after.extend(call.outputs.iter().flatten().map(|&v| (v, place)));
    }
    let place = |call: &Call| {
        call.outputs.iter().flatten().next().and_then(|v| after.get(v).copied()).unwrap_or_default()
    };
    steps.sort_by_key(place);
}

/// The outermost `if` expressions with a call in one of their branches, arguments first.
fn choices(pool: &Pool, root: ExprId) -> Vec<ExprId> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !pool.has_calls(id) || !seen.insert(id) {
            continue;
        }
        match pool.node(id) {
            Node::Op(Op::If, &[c, a, b]) if pool.has_calls(a) || pool.has_calls(b) => {
                found.push(id);
                stack.push(c);
            }
            _ => stack.extend_from_slice(pool.children(id)),
        }
    }
    found.sort_unstable();
    found
}

/// A list of steps that grows: an output of a call that was made just before joins that call. So a function with thousands of outputs
/// is called by one step from the beginning, not by one for each of them that names them all.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    steps: Vec<Step>,
    /// Where calls are whose arguments have not changed since.
    made: FxHashMap<Key, usize>,
    /// Calls that depend on a variable.
    users: FxHashMap<VarId, Vec<Key>>,
}

impl Gathered {
    /// Behind these steps.
    pub fn behind(steps: Vec<Step>) -> Self {
        Gathered { steps, ..Gathered::default() }
    }

    /// All of them.
    pub fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// Adds steps.
    pub fn extend(&mut self, pool: &Pool, steps: Vec<Step>) {
        steps.into_iter().for_each(|step| self.push(pool, step));
    }

    fn push(&mut self, pool: &Pool, step: Step) {
        match &step {
            Step::Call(call) if !is_repeated(pool, call) => {
                let key = (call.function, call.args.clone());
                if let Some(&at) = self.made.get(&key)
                    && let Step::Call(there) = &mut self.steps[at]
                {
                    join(&mut there.outputs, &call.outputs);
                    call.outputs
                        .iter()
                        .flatten()
                        .for_each(|&v| forget_users(v, &mut self.users, &mut self.made));
                    return;
                }
                call.outputs.iter().flatten().for_each(|&v| forget_users(v, &mut self.users, &mut self.made));
                for v in call.args.iter().flat_map(|&arg| pool.variables_of(arg)) {
                    self.users.entry(v).or_default().push(key.clone());
                }
                self.made.insert(key, self.steps.len());
            }
            Step::Assign(assign) => forget_users(assign.variable, &mut self.users, &mut self.made),
            Step::Call(_) | Step::Solve(_) => {
                let mut written = FxHashSet::default();
                crate::program::flow::writes(&step, &mut written);
                written.iter().for_each(|&v| forget_users(v, &mut self.users, &mut self.made));
            }
            // What is in it may change anything.
            _ => {
                self.made.clear();
                self.users.clear();
            }
        }
        self.steps.push(step);
    }
}

fn forget_users(v: VarId, users: &mut FxHashMap<VarId, Vec<Key>>, made: &mut FxHashMap<Key, usize>) {
    for key in users.remove(&v).unwrap_or_default() {
        made.remove(&key);
    }
}

/// Adds the outputs that another step with the same call wants.
fn join(outputs: &mut Vec<Option<VarId>>, others: &[Option<VarId>]) {
    outputs.resize(outputs.len().max(others.len()), None);
    outputs.iter_mut().zip(others).for_each(|(all, own)| *all = all.or(*own));
}

/// Gives all steps with the same call the outputs any of them wants: one call is then enough for all.
pub(crate) fn unite(pool: &Pool, sections: &mut [&mut Vec<Step>]) {
    let mut wanted: FxHashMap<Key, Vec<Option<VarId>>> = FxHashMap::default();
    for steps in sections.iter_mut() {
        each_call(steps, &mut |call| {
            let outputs = wanted.entry((call.function, call.args.clone())).or_default();
            join(outputs, &call.outputs);
        });
    }
    for steps in sections.iter_mut() {
        each_call(steps, &mut |call| {
            if !is_repeated(pool, call)
                && let Some(outputs) = wanted.get(&(call.function, call.args.clone()))
            {
                call.outputs.clone_from(outputs);
            }
        });
    }
}

/// Must the call be made although an equal one was made? An impure call that has its function for itself is one call
/// wherever its results are used.
fn is_repeated(pool: &Pool, call: &Call) -> bool {
    call.impure && (call.outputs.is_empty() || pool.function(call.function).notes.apart.is_none())
}

fn each_call(steps: &mut [Step], f: &mut dyn FnMut(&mut Call)) {
    for step in steps {
        match step {
            Step::Call(call) => f(call),
            Step::System(system) => match &mut system.form {
                Form::Linear { steps, guard, .. } => {
                    each_call(steps, f);
                    if let Some(guard) = guard {
                        each_call(&mut guard.check, f);
                        each_call(&mut guard.fallback, f);
                    }
                }
                Form::Nonlinear(nonlinear) => {
                    each_call(&mut nonlinear.steps, f);
                    if let Some(jacobian) = &mut nonlinear.jacobian {
                        each_call(&mut jacobian.steps, f);
                    }
                }
                Form::Mixed { continuous, discrete, .. } => {
                    each_call(continuous, f);
                    each_call(discrete, f);
                }
            },
            Step::When(when) => when.branches.iter_mut().for_each(|branch| each_call(&mut branch.steps, f)),
            Step::If(_, then, otherwise) => {
                each_call(then, f);
                each_call(otherwise, f);
            }
            _ => {}
        }
    }
}

/// Drops calls whose outputs are there already. The lists are executed one behind the other.
pub(crate) fn share(pool: &Pool, lists: &mut [&mut Vec<Step>]) {
    let mut made = Made::default();
    for steps in lists {
        made.steps(pool, steps);
    }
}

/// What makes two calls the same.
type Key = (FunctionId, Vec<ExprId>);

/// The conditions of all branches of a `when` clause, and whether they are active at the start.
type Conditions = Vec<(Vec<VarId>, bool)>;

/// The calls made so far on the way to a step.
#[derive(Clone, Default)]
struct Made {
    outputs: FxHashMap<Key, Vec<Option<VarId>>>,
    /// Calls that depend on a variable.
    users: FxHashMap<VarId, Vec<Key>>,
    /// Impure calls made in `when` clauses, branch by branch, with the variables they depend on: another clause with the
    /// same conditions is active when that one was. All variables of a clause `(a, b) = f(x)` have a step of their own.
    fired: FxHashMap<Conditions, Vec<Vec<(Call, Vec<VarId>)>>>,
}

impl Made {
    fn steps(&mut self, pool: &Pool, steps: &mut Vec<Step>) {
        steps.retain_mut(|step| self.step(pool, step));
    }

    /// Is the step still needed?
    fn step(&mut self, pool: &Pool, step: &mut Step) -> bool {
        match step {
            Step::Assign(assign) => self.assigned(assign.variable),
            Step::Call(call) => return self.call(pool, call),
            Step::Solve(solve) => solve.unknowns.iter().for_each(|&v| self.assigned(v)),
            Step::System(system) => match &mut system.form {
                Form::Linear { steps, guard: None, .. } => self.steps(pool, steps),
                Form::Linear { steps, guard: Some(guard), .. } => {
                    // Either way may be taken, and nobody knows which.
                    self.clone().steps(pool, &mut guard.fallback);
                    let mut straight = self.clone();
                    straight.steps(pool, steps);
                    straight.steps(pool, &mut guard.check);
                    self.all_assigned(steps);
                    self.all_assigned(&guard.fallback);
                }
                Form::Nonlinear(nonlinear) => {
                    nonlinear.unknowns.iter().for_each(|&v| self.assigned(v));
                    self.steps(pool, &mut nonlinear.steps);
                    if let Some(jacobian) = &mut nonlinear.jacobian {
                        self.clone().steps(pool, &mut jacobian.steps);
                    }
                }
                Form::Mixed { continuous, discrete, relations, unknowns } => {
                    // The discrete part changes what the continuous part may have used.
                    let mut before = self.clone();
                    unknowns.iter().for_each(|&v| before.assigned(v));
                    if !relations.is_empty() {
                        before = Made::default();
                    }
                    before.clone().steps(pool, discrete);
                    before.steps(pool, continuous);
                    *self = before;
                }
            },
            Step::When(when) => {
                let conditions: Conditions =
                    when.branches.iter().map(|b| (b.conditions.clone(), b.initial)).collect();
                let mut fired = self.fired.remove(&conditions).unwrap_or_default();
                fired.resize(when.branches.len(), Vec::new());
                for (branch, fired) in when.branches.iter_mut().zip(&mut fired) {
                    let mut inside = self.clone();
                    fired.iter_mut().for_each(|(call, _)| _ = inside.call(pool, call));
                    inside.steps(pool, &mut branch.steps);
                    fired.extend(branch.steps.iter().filter_map(|step| match step {
                        Step::Call(call) if call.impure && !is_repeated(pool, call) => {
                            let used = call.args.iter().flat_map(|&arg| pool.variables_of(arg)).collect();
                            Some((call.clone(), used))
                        }
                        _ => None,
                    }));
                }
                when.branches.iter().for_each(|branch| self.all_assigned(&branch.steps));
                if fired.iter().any(|calls| !calls.is_empty()) {
                    self.fired.insert(conditions, fired);
                }
            }
            Step::If(_, then, otherwise) => {
                self.clone().steps(pool, then);
                self.clone().steps(pool, otherwise);
                self.all_assigned(then);
                self.all_assigned(otherwise);
                return !(then.is_empty() && otherwise.is_empty());
            }
            // The value of a relation changes, and its number is not at hand.
            Step::Relation(_) => *self = Made::default(),
            Step::Reinit(..) | Step::Assert(_) | Step::Terminate(_) => {}
        }
        true
    }

    fn call(&mut self, pool: &Pool, call: &mut Call) -> bool {
        if is_repeated(pool, call) {
            call.outputs.iter().flatten().for_each(|&v| self.assigned(v));
            return true;
        }
        let key = (call.function, call.args.clone());
        if let Some(there) = self.outputs.get_mut(&key) {
            let missing = |(k, slot): (usize, &Option<VarId>)| {
                slot.is_some() && there.get(k).copied().flatten() != *slot
            };
            if !call.outputs.iter().enumerate().any(missing) {
                return false;
            }
        }
        for &slot in call.outputs.iter().flatten() {
            self.assigned(slot);
        }
        for &arg in &call.args {
            for v in pool.variables_of(arg) {
                self.users.entry(v).or_default().push(key.clone());
            }
        }
        self.outputs.insert(key, call.outputs.clone());
        true
    }

    fn assigned(&mut self, v: VarId) {
        for key in self.users.remove(&v).unwrap_or_default() {
            self.outputs.remove(&key);
        }
        // Seldom there, and then small.
        self.fired.retain(|conditions, branches| {
            branches.iter_mut().for_each(|calls| calls.retain(|(_, used)| !used.contains(&v)));
            !conditions.iter().any(|(when, _)| when.contains(&v))
        });
    }

    fn all_assigned(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Assign(assign) => self.assigned(assign.variable),
                Step::Call(call) => call.outputs.iter().flatten().for_each(|&v| self.assigned(v)),
                Step::If(_, then, otherwise) => {
                    self.all_assigned(then);
                    self.all_assigned(otherwise);
                }
                Step::Reinit(..) | Step::Assert(_) | Step::Terminate(_) => {}
                _ => *self = Made::default(),
            }
        }
    }
}
