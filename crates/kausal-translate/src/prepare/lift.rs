//! Lifts out of the formulas what is not a formula: derivatives become variables, relations that may cause
//! events become Boolean variables with a memory, and `sample`, `delay`, `initial`, `terminal`, `homotopy`
//! become variables that the run sets (specification sections 3.7.5, 8.5).
//!
//! Afterwards no expression of the work contains `der`, `noEvent`, `smooth`, `sample`, `delay`, `initial`,
//! `pre`, `terminal`, `homotopy`, nor a relation on continuous operands except those that stood inside `noEvent`.

use kausal_model::expr::opaque::operator_name;
use kausal_model::flat::{self, Action, ActionKind, FlatModel, Origin};
use kausal_symbolic::evaluate::evaluate;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, FunctionId, Node, Op, Pool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::rewrite::{Memo, for_each_argument, rebuild};
use crate::equations::work::{Equation, EquationForm, Role, WhenActions, WhenCase, Work, subtract};
use crate::prepare::traces;
use crate::program::{Delay, Relation, Sample, TimeEvent, Transport};

/// Lifts the arguments of calls that relations or steps occur in: a function causes no events, but what it is given
/// does. To be done before calls become formulas, where arguments and body can no longer be told apart.
pub(crate) fn arguments(work: &mut Work) {
    let mut lifter = Lifter::new(work);
    for i in 0..lifter.work.equations.len() {
        let Equation { lhs, rhs, .. } = lifter.work.equations[i];
        lifter.origin = lifter.work.equations[i].origin.clone();
        let (lhs, rhs) = (lifter.arguments_of_calls(lhs), lifter.arguments_of_calls(rhs));
        let e = &mut lifter.work.equations[i];
        (e.lhs, e.rhs) = (lhs, rhs);
    }
}

/// Lifts all equations, actions and `when` clauses of the model.
pub(crate) fn lift(work: &mut Work, model: &FlatModel) {
    let mut lifter = Lifter::new(work);
    lifter.when_clauses_make_discrete(model);
    for i in 0..lifter.work.equations.len() {
        let Equation { lhs, rhs, .. } = lifter.work.equations[i];
        lifter.origin = lifter.work.equations[i].origin.clone();
        // What arguments of calls have become a memory for is watched already.
        let events = !matches!(lifter.work.equations[i].form, EquationForm::Memory(_));
        let (lhs, rhs) = (lifter.expr_in(lhs, events), lifter.expr_in(rhs, events));
        let e = &mut lifter.work.equations[i];
        (e.lhs, e.rhs) = (lhs, rhs);
    }
    lifter.initial = true;
    for i in 0..lifter.work.initial_equations.len() {
        let Equation { lhs, rhs, .. } = lifter.work.initial_equations[i];
        lifter.origin = lifter.work.initial_equations[i].origin.clone();
        let (lhs, rhs) = (lifter.expr(lhs), lifter.expr(rhs));
        let e = &mut lifter.work.initial_equations[i];
        (e.lhs, e.rhs) = (lhs, rhs);
    }
    lifter.initial = false;
    lifter.whens(model);
    let actions = std::mem::take(&mut lifter.work.actions);
    lifter.work.actions = lifter.standing_actions(&actions);
    let actions = std::mem::take(&mut lifter.work.initial_actions);
    lifter.work.initial_actions = lifter.actions(&actions);
}

/// Lifts clocked equations, which cause no events: relations and functions that jump are taken literally (specification
/// section 16.8.1).
pub(crate) fn literally(work: &mut Work) {
    let mut lifter = Lifter::new(work);
    for i in 0..lifter.work.equations.len() {
        let Equation { lhs, rhs, .. } = lifter.work.equations[i];
        lifter.origin = lifter.work.equations[i].origin.clone();
        let (lhs, rhs) = (lifter.expr_in(lhs, false), lifter.expr_in(rhs, false));
        let e = &mut lifter.work.equations[i];
        (e.lhs, e.rhs) = (lhs, rhs);
    }
    for i in 0..lifter.work.initial_equations.len() {
        let Equation { lhs, rhs, .. } = lifter.work.initial_equations[i];
        let (lhs, rhs) = (lifter.expr_in(lhs, false), lifter.expr_in(rhs, false));
        let e = &mut lifter.work.initial_equations[i];
        (e.lhs, e.rhs) = (lhs, rhs);
    }
    let actions = std::mem::take(&mut lifter.work.actions);
    lifter.work.actions = lifter.actions(&actions);
}

/// How variables are called that tell whether assertions hold.
pub(crate) const ASSERTION: &str = "assertion";

struct Lifter<'a> {
    work: &'a mut Work,
    /// Results by expression and by whether relations cause events there.
    /// What expressions became: where relations cause no events, and where they do.
    memo: [Memo; 2],
    continuous: FxHashMap<ExprId, bool>,
    /// Where what is lifted now stands.
    origin: Origin,
    /// Transports by the calls they were.
    transports: FxHashMap<ExprId, usize>,
    /// Calls without events or calls in their arguments.
    quiet: FxHashSet<ExprId>,
    /// Functions with a trace, by what they were and which of their arguments vary.
    traced: FxHashMap<(FunctionId, Vec<bool>), Option<FunctionId>>,
    /// Calls whose trace is watched.
    watched: FxHashSet<ExprId>,
    /// What is lifted now is an initial equation: it holds at one instant.
    initial: bool,
}

impl<'a> Lifter<'a> {
    fn new(work: &'a mut Work) -> Self {
        Lifter {
            work,
            memo: [Memo::sparse(), Memo::dense()],
            continuous: FxHashMap::default(),
            origin: Origin::default(),
            transports: FxHashMap::default(),
            quiet: FxHashSet::default(),
            traced: FxHashMap::default(),
            watched: FxHashSet::default(),
            initial: false,
        }
    }

    /// The expression with the arguments of its calls lifted, where events are in them.
    fn arguments_of_calls(&mut self, root: ExprId) -> ExprId {
        if !self.work.pool.has_calls(root) {
            return root;
        }
        let mut seen = FxHashSet::default();
        let mut found: Vec<ExprId> = Vec::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if self.silences(id) || !seen.insert(id) {
                continue;
            }
            let pool = &self.work.pool;
            if let Node::Call(_, args) = pool.node(id) {
                // An algorithm section is a call in the equations of all its variables.
                if self.quiet.contains(&id) {
                    continue;
                }
                let before = found.len();
                found.extend(args.iter().filter(|&&arg| !is_leaf(pool, arg) && causes_events(pool, arg)));
                if found.len() == before && args.iter().all(|&arg| is_leaf(pool, arg) || !pool.has_calls(arg))
                {
                    self.quiet.insert(id);
                    continue;
                }
            }
            for_each_argument(pool, id, |arg| {
                if !is_leaf(pool, arg) {
                    stack.push(arg);
                }
            });
        }
        // A call in an argument is met on its own as well; the outermost argument takes it along.
        let mut replaced: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for arg in found {
            let lifted = self.expr(arg);
            if lifted != arg {
                replaced.insert(arg, lifted);
            }
        }
        if replaced.is_empty() {
            return root;
        }
        let mut memo = FxHashMap::default();
        let mut stack = vec![(root, false)];
        while let Some((id, arguments_done)) = stack.pop() {
            if memo.contains_key(&id) {
                continue;
            }
            if !arguments_done {
                stack.push((id, true));
                for_each_argument(&self.work.pool, id, |arg| stack.push((arg, false)));
                continue;
            }
            let is_call = matches!(self.work.pool.node(id), Node::Call(..));
            let result = rebuild(&mut self.work.pool, id, &mut |arg| match replaced.get(&arg) {
                Some(&lifted) if is_call => lifted,
                _ => memo[&arg],
            });
            memo.insert(id, result);
        }
        memo[&root]
    }

    /// A Real variable that a `when` clause assigns is discrete, declared so or not.
    fn when_clauses_make_discrete(&mut self, model: &FlatModel) {
        for when in &model.whens {
            for branch in &when.branches {
                let mut stack: Vec<&Action> = branch.actions.iter().collect();
                while let Some(action) = stack.pop() {
                    match &action.kind {
                        ActionKind::Assign(v, _) => self.work.vars[v.index()].role = Role::Discrete,
                        ActionKind::If(_, a, b) => stack.extend(a.iter().chain(b)),
                        _ => {}
                    }
                }
            }
        }
    }

    fn expr(&mut self, root: ExprId) -> ExprId {
        self.expr_in(root, true)
    }

    /// Rewrites `root`; `events` says whether relations in it cause events.
    fn expr_in(&mut self, root: ExprId, events: bool) -> ExprId {
        let mut stack = vec![(root, events, false)];
        while let Some((id, events, arguments_done)) = stack.pop() {
            if self.memo[usize::from(events)].contains(id) {
                continue;
            }
            let inner = events && !self.silences(id);
            if !arguments_done {
                stack.push((id, events, true));
                let memo = &self.memo[usize::from(inner)];
                for_each_argument(&self.work.pool, id, |arg| {
                    if !memo.contains(arg) {
                        stack.push((arg, inner, false));
                    }
                });
                continue;
            }
            let memo = &self.memo[usize::from(inner)];
            let rebuilt = rebuild(&mut self.work.pool, id, &mut |arg| memo.get(arg).unwrap_or(arg));
            let result = self.lift_node(rebuilt, events);
            self.memo[usize::from(events)].insert(id, result);
        }
        self.memo[usize::from(events)].get(root).unwrap_or(root)
    }

    /// `noEvent(e)`, and `smooth(p, e)` with p > 0, where the integrator needs no event either; with p = 0 where that is wanted.
    fn silences(&self, id: ExprId) -> bool {
        match self.work.pool.node(id) {
            Node::Op(Op::NoEvent, _) => true,
            Node::Op(Op::Smooth, args) => self.work.pool.as_constant(args[0]).is_some_and(|p| {
                let least = if self.work.continuous_silent { 0.0 } else { 1.0 };
                p >= least
            }),
            _ => false,
        }
    }

    fn lift_node(&mut self, id: ExprId, events: bool) -> ExprId {
        if let Node::Output(call, k) = self.work.pool.node(id) {
            return match self.transport(call, k) {
                Some(output) => output,
                None if events && !self.initial => self.algorithm(call, k).unwrap_or(id),
                None => id,
            };
        }
        let Node::Op(op, args) = self.work.pool.node(id) else { return id };
        let args: Vec<ExprId> = args.to_vec();
        match op {
            Op::NoEvent => args[0],
            Op::Smooth => args[1],
            Op::Der => self.derivative(args[0]),
            Op::Less | Op::LessEqual if events && (self.varies(args[0]) || self.varies(args[1])) => {
                self.relation(args[0], args[1], op == Op::LessEqual)
            }
            Op::Floor | Op::Ceil | Op::Integer if events && self.varies(args[0]) => {
                self.stepwise(op, args[0])
            }
            Op::IntegerDiv | Op::Mod | Op::Rem
                if events && (self.varies(args[0]) || self.varies(args[1])) =>
            {
                self.division(op, args[0], args[1])
            }
            Op::Pre => self.pre(args[0]),
            Op::Sample => self.sample(args[0], args[1]),
            Op::Initial => {
                let flag = self.work.initial_flag.unwrap_or_else(|| {
                    self.work.add_helper("initial()".into(), flat::Type::Boolean, Role::Run)
                });
                self.work.initial_flag = Some(flag);
                self.work.pool.var(flag)
            }
            Op::Terminal => {
                let flag = self.work.terminal_flag.unwrap_or_else(|| {
                    self.work.add_helper("terminal()".into(), flat::Type::Boolean, Role::Run)
                });
                self.work.terminal_flag = Some(flag);
                self.work.pool.var(flag)
            }
            Op::Homotopy => self.homotopy(args[0], args[1]),
            Op::Delay => self.delay(&args),
            _ => id,
        }
    }

    /// The time derivative, down to derivatives of variables.
    fn derivative(&mut self, of: ExprId) -> ExprId {
        crate::equations::derivative::time_derivative(self.work, of)
    }

    /// Does the expression change between events?
    fn varies(&mut self, root: ExprId) -> bool {
        let mut stack = vec![(root, false)];
        while let Some((id, arguments_done)) = stack.pop() {
            if self.continuous.contains_key(&id) {
                continue;
            }
            let pool = &self.work.pool;
            if !arguments_done {
                let leaf = match pool.node(id) {
                    Node::Var(v) => Some(self.work.is_continuous(v)),
                    Node::Const(_) | Node::Text(_) => Some(false),
                    Node::Op(Op::Time, _) => Some(true),
                    _ => None,
                };
                match leaf {
                    Some(value) => {
                        self.continuous.insert(id, value);
                    }
                    None => {
                        stack.push((id, true));
                        for_each_argument(pool, id, |arg| stack.push((arg, false)));
                    }
                }
                continue;
            }
            let mut value = false;
            for_each_argument(pool, id, |arg| value |= self.continuous.get(&arg).copied().unwrap_or(false));
            self.continuous.insert(id, value);
        }
        self.continuous.get(&root).copied().unwrap_or(false)
    }

    /// `a < b` with a memory: it keeps its value between events.
    fn relation(&mut self, a: ExprId, b: ExprId, or_equal: bool) -> ExprId {
        let shown = self.work.pool.op(if or_equal { Op::LessEqual } else { Op::Less }, &[a, b]);
        let difference = subtract(&mut self.work.pool, a, b);
        let timed = self.instant(difference).map(|event| {
            self.work.time_events.push(event);
            self.work.time_events.len() as u32 - 1
        });
        let variable = self.monitor(difference, or_equal, timed);
        self.show(variable, shown);
        self.work.pool.var(variable)
    }

    /// Adds a relation `difference < 0` and the equations that compute it.
    fn monitor(&mut self, difference: ExprId, or_equal: bool, timed: Option<u32>) -> VarId {
        let n = self.work.relations.len() + 1;
        let d = self.work.add_helper(format!("crossing{n}"), flat::Type::Real, Role::Continuous);
        let variable = self.work.add_helper(format!("relation{n}"), flat::Type::Boolean, Role::Discrete);
        self.work.vars[d.index()].keep = true;
        self.define(d, difference, EquationForm::Plain);
        let zero = self.work.pool.constant(0.0);
        let d_expr = self.work.pool.var(d);
        let op = if or_equal { Op::LessEqual } else { Op::Less };
        let value = self.work.pool.op(op, &[d_expr, zero]);
        self.define(variable, value, EquationForm::Memory(variable));
        let shown = self.work.pool.op(op, &[difference, zero]);
        self.show(variable, shown);
        self.work.relations.push(Relation { variable, difference: d, or_equal, trace: false, timed });
        variable
    }

    fn define(&mut self, variable: VarId, value: ExprId, form: EquationForm) {
        self.show(variable, value);
        let lhs = self.work.pool.var(variable);
        self.work.equations.push(Equation {
            lhs,
            rhs: value,
            origin: self.origin.clone(),
            form,
            order: 0,
            model: None,
            hints: Vec::new(),
        });
    }

    /// In messages a helper reads like the expression it stands for.
    fn show(&mut self, variable: VarId, value: ExprId) {
        let name = |v: VarId| self.work.shown(v).to_owned();
        let text = print_limited(&self.work.pool, value, &name, 80);
        let var = &mut self.work.vars[variable.index()];
        var.description = text;
        var.location = self.origin.location;
    }

    /// If `difference` is `c*time + rest` with `c` and `rest` constant between events: when it is zero.
    fn instant(&mut self, difference: ExprId) -> Option<TimeEvent> {
        let pool = &mut self.work.pool;
        let time = pool.op(Op::Time, &[]);
        let (coefficient, rest) = linear_in(pool, difference, time)?;
        if self.varies(coefficient) || self.varies(rest) {
            return None;
        }
        let pool = &mut self.work.pool;
        let negative = pool.op(Op::Neg, &[rest]);
        Some(TimeEvent { instant: pool.op(Op::Div, &[negative, coefficient]), slope: coefficient })
    }

    /// An output of an algorithm section that has stayed a call: with a trace, where what is decided in it depends on what
    /// varies (see [`traces`]). The trace has a memory, and where they differ there is an event.
    fn algorithm(&mut self, call: ExprId, k: u32) -> Option<ExprId> {
        let Node::Call(function, args) = self.work.pool.node(call) else { return None };
        if !self.work.pool.function(function).notes.generate_events {
            return None;
        }
        let args = args.to_vec();
        let varying: Vec<bool> = args.iter().map(|&arg| self.varies(arg)).collect();
        if !varying.contains(&true) {
            return None;
        }
        let key = (function, varying);
        let traced = match self.traced.get(&key) {
            Some(known) => *known,
            None => {
                let pool = &mut self.work.pool;
                let made = traces::traced(pool, pool.function(function), &key.1);
                let made = made.map(|function| pool.add_function(function));
                self.traced.insert(key, made);
                made
            }
        }?;
        let pool = &mut self.work.pool;
        let call = pool.call(traced, &args);
        if self.watched.insert(call) {
            self.watch(call, traced);
        }
        Some(self.work.pool.output(call, k))
    }

    fn watch(&mut self, call: ExprId, function: FunctionId) {
        let Some(outputs) = Layout::of_outputs(self.work.pool.function(function)) else { return };
        let trace = self.work.pool.output(call, outputs.len as u32 - 1);
        let n = self.work.vars.len();
        let memory = self.work.add_helper(format!("trace{n}"), flat::Type::Integer, Role::Discrete);
        self.define(memory, trace, EquationForm::Memory(memory));
        let pool = &mut self.work.pool;
        let (held, same, other) = (pool.var(memory), pool.constant(-1.0), pool.constant(1.0));
        let unchanged = pool.op(Op::Equal, &[trace, held]);
        let difference = pool.op(Op::If, &[unchanged, same, other]);
        let variable = self.monitor(difference, false, None);
        if let Some(relation) = self.work.relations.last_mut() {
            relation.trace = true;
        }
        // In messages it is the section.
        let name = self.work.pool.function(function).name.clone();
        self.work.vars[variable.index()].description = format!("a condition in {name}");
    }

    /// `floor`, `ceil` and `integer` of a continuous value: a memory that changes at events.
    fn stepwise(&mut self, op: Op, x: ExprId) -> ExprId {
        let n = self.work.vars.len();
        let memory = self.work.add_helper(format!("step{n}"), flat::Type::Real, Role::Discrete);
        let slope = self.known_slope(x).filter(|&(_, slope)| (slope > 0.0) == (op != Op::Ceil));
        let value = match slope {
            Some((coefficient, _)) => self.just_after(op, x, coefficient),
            None => self.work.pool.op(op, &[x]),
        };
        self.define(memory, value, EquationForm::Memory(memory));
        let shown = self.work.pool.op(op, &[x]);
        self.show(memory, shown);
        // The other end is a memory as well: in `x - m + 1` a small `x` is lost in rounding, and with it the moment at which
        // the value changes.
        let end = self.work.add_helper(format!("end{n}"), flat::Type::Real, Role::Discrete);
        let pool = &mut self.work.pool;
        let one = pool.constant(1.0);
        let other = if op == Op::Ceil { subtract(pool, value, one) } else { pool.op(Op::Add, &[value, one]) };
        self.define(end, other, EquationForm::Memory(end));
        let pool = &mut self.work.pool;
        let next = if op == Op::Ceil { subtract(pool, shown, one) } else { pool.op(Op::Add, &[shown, one]) };
        self.show(end, next);
        let pool = &mut self.work.pool;
        let (m, end) = (pool.var(memory), pool.var(end));
        let (below, above) = if op == Op::Ceil {
            (subtract(pool, x, end), subtract(pool, m, x))
        } else {
            (subtract(pool, x, m), subtract(pool, end, x))
        };
        for (difference, or_equal) in [(below, op == Op::Ceil), (above, op != Op::Ceil)] {
            let timed = slope.and_then(|_| self.instant(difference));
            let timed = timed.map(|event| {
                self.work.time_events.push(event);
                self.work.time_events.len() as u32 - 1
            });
            self.monitor(difference, or_equal, timed);
        }
        m
    }

    /// If the expression is `c*time + rest`, constant between events but for the clock: `c`, and what it is with the
    /// parameters as they are. Zero is none.
    fn known_slope(&mut self, x: ExprId) -> Option<(ExprId, f64)> {
        let TimeEvent { slope, .. } = self.instant(x)?;
        let numbers = |v: VarId| {
            let var = self.work.var(v);
            let binding = var.binding.filter(|_| var.role == Role::Parameter);
            binding.and_then(|e| self.work.pool.as_constant(e)).unwrap_or(f64::NAN)
        };
        let number = evaluate(&self.work.pool, slope, &mut |v: VarId| numbers(v));
        let known = (number.is_finite() && number != 0.0).then_some((slope, number))?;
        // With the other sign the step is another function.
        let read = self.work.pool.variables_of(slope);
        self.work.decided_by.extend(read);
        Some(known)
    }

    /// The value of a step function of time a moment later: at the instant it jumps, which is known in advance, rounding
    /// may leave the argument a little before the jump.
    fn just_after(&mut self, op: Op, x: ExprId, slope: ExprId) -> ExprId {
        /// Larger than what rounding does, smaller than what can be told apart in time.
        const MOMENT: f64 = 1e-11;
        let pool = &mut self.work.pool;
        let (zero, moment, back) = (pool.constant(0.0), pool.constant(MOMENT), pool.constant(-MOMENT));
        let one = pool.constant(1.0);
        let magnitude = pool.op(Op::Abs, &[x]);
        let size = pool.op(Op::Max, &[one, magnitude]);
        let rising = pool.op(Op::Less, &[zero, slope]);
        let direction = pool.op(Op::If, &[rising, moment, back]);
        let shift = pool.op(Op::Mul, &[direction, size]);
        let shifted = pool.op(Op::Add, &[x, shift]);
        pool.op(op, &[shifted])
    }

    /// `div`, `mod` and `rem` of continuous values, by way of `floor` (specification section 3.7.2).
    fn division(&mut self, op: Op, x: ExprId, y: ExprId) -> ExprId {
        let quotient = self.work.pool.op(Op::Div, &[x, y]);
        let whole = if op == Op::Mod {
            self.stepwise(Op::Floor, quotient)
        } else {
            let zero = self.work.pool.constant(0.0);
            let positive = self.relation(zero, quotient, true);
            let down = self.stepwise(Op::Floor, quotient);
            let up = self.stepwise(Op::Ceil, quotient);
            self.work.pool.op(Op::If, &[positive, down, up])
        };
        if op == Op::IntegerDiv {
            return whole;
        }
        let pool = &mut self.work.pool;
        let product = pool.op(Op::Mul, &[whole, y]);
        subtract(pool, x, product)
    }

    /// `pre(v)` is a variable of its own that the run sets; `pre` of what has no memory is the thing itself.
    fn pre(&mut self, of: ExprId) -> ExprId {
        let Node::Var(v) = self.work.pool.node(of) else { return of };
        if matches!(self.work.var(v).role, Role::Parameter | Role::FreeParameter) {
            return of;
        }
        let slot = self.work.pre_of(v);
        self.work.pool.var(slot)
    }

    fn sample(&mut self, start: ExprId, interval: ExprId) -> ExprId {
        let n = self.work.samples.len() + 1;
        let variable = self.work.add_helper(format!("sample{n}"), flat::Type::Boolean, Role::Run);
        let shown = self.work.pool.op(Op::Sample, &[start, interval]);
        self.show(variable, shown);
        self.work.samples.push(Sample { variable, start, interval });
        self.work.pool.var(variable)
    }

    fn homotopy(&mut self, actual: ExprId, simplified: ExprId) -> ExprId {
        let lambda = self
            .work
            .homotopy
            .unwrap_or_else(|| self.work.add_helper("homotopy".into(), flat::Type::Real, Role::Run));
        self.work.homotopy = Some(lambda);
        let pool = &mut self.work.pool;
        let lambda = pool.var(lambda);
        let change = subtract(pool, actual, simplified);
        let scaled = pool.op(Op::Mul, &[lambda, change]);
        pool.op(Op::Add, &[simplified, scaled])
    }

    fn delay(&mut self, args: &[ExprId]) -> ExprId {
        let n = self.work.delays.len() + 1;
        let input = self.work.add_helper(format!("delayed{n}"), flat::Type::Real, Role::Continuous);
        self.work.vars[input.index()].keep = true;
        // What is delayed determines nothing: it is only looked at.
        self.define(input, args[0], EquationForm::Memory(input));
        let variable = self.work.add_helper(format!("delay{n}"), flat::Type::Real, Role::Input);
        let shown = self.work.pool.op(Op::Delay, args);
        self.show(variable, shown);
        let maximum = args.get(2).copied().unwrap_or(args[1]);
        self.work.delays.push(Delay { variable, input, delay: args[1], maximum });
        self.work.pool.var(variable)
    }

    /// An output of `spatialDistribution`, which both come from one transport.
    fn transport(&mut self, call: ExprId, k: u32) -> Option<ExprId> {
        let Node::Call(function, args) = self.work.pool.node(call) else { return None };
        if operator_name(self.work.pool.function(function)) != Some("spatialDistribution") {
            return None;
        }
        let args = args.to_vec();
        let known = self.transports.get(&call).copied();
        let index = known.unwrap_or_else(|| self.add_transport(call, &args));
        self.transports.insert(call, index);
        let output = self.work.transports[index].outputs[k as usize];
        Some(self.work.pool.var(output))
    }

    fn add_transport(&mut self, call: ExprId, args: &[ExprId]) -> usize {
        let index = self.work.transports.len();
        let n = index + 1;
        let position = args[2];
        let real = flat::Type::Real;
        let ends = [0, 1].map(|end| {
            let input = self.work.add_helper(format!("entering{n}.{end}"), real, Role::Continuous);
            self.work.vars[input.index()].keep = true;
            let output = self.work.add_helper(format!("leaving{n}.{end}"), real, Role::Input);
            let arrival = self.work.add_helper(format!("arrival{n}.{end}"), real, Role::Input);
            (input, output, arrival)
        });
        let mut relations = [0; 2];
        for (end, (input, output, arrival)) in ends.iter().enumerate() {
            // What is carried away determines nothing: it is only looked at.
            self.define(*input, args[end], EquationForm::Memory(*input));
            let shown = self.work.pool.output(call, end as u32);
            self.show(*output, shown);
            let arrives = self.work.pool.var(*arrival);
            let (near, far) = if end == 0 { (position, arrives) } else { (arrives, position) };
            let difference = subtract(&mut self.work.pool, near, far);
            relations[end] = self.work.relations.len() as u32;
            self.monitor(difference, false, None);
        }
        let given = (args.len() - 4) / 2;
        self.work.transports.push(Transport {
            outputs: ends.map(|e| e.1),
            inputs: ends.map(|e| e.0),
            position,
            forward: args[3],
            points: args[4..4 + given].to_vec(),
            values: args[4 + given..].to_vec(),
            arrivals: ends.map(|e| e.2),
            relations,
        });
        index
    }

    fn whens(&mut self, model: &FlatModel) {
        // Several clauses may not assign one variable, but branches of one clause do.
        let mut cases: Vec<(VarId, Vec<WhenCase>, Origin)> = Vec::new();
        for when in &model.whens {
            self.origin = when.origin.clone();
            let mut branches = Vec::new();
            for branch in &when.branches {
                let (conditions, initial) = self.conditions(&branch.conditions);
                branches.push((conditions, initial, self.actions(&branch.actions)));
            }
            let mut assigned: Vec<VarId> = Vec::new();
            for (_, _, actions) in &branches {
                collect_assigned(actions, &mut assigned);
            }
            for &v in &assigned {
                let list = branches
                    .iter()
                    .map(|(conditions, initial, actions)| WhenCase {
                        conditions: conditions.clone(),
                        initial: *initial,
                        value: assigned_value(self.work, actions, v),
                    })
                    .collect();
                cases.push((v, list, when.origin.clone()));
            }
            let others: Vec<_> = branches
                .into_iter()
                .map(|(conditions, initial, actions)| (conditions, initial, without_assignments(actions)))
                .collect();
            if others.iter().any(|(_, _, actions)| !actions.is_empty()) {
                self.work.when_actions.push(WhenActions { branches: others, origin: when.origin.clone() });
            }
        }
        for (variable, list, origin) in cases {
            let lhs = self.work.pool.var(variable);
            self.work.equations.push(Equation {
                lhs,
                rhs: lhs,
                origin,
                form: EquationForm::When(variable, list),
                order: 0,
                model: None,
                hints: Vec::new(),
            });
        }
    }

    /// Conditions as Boolean variables, and whether `initial()` is one of them.
    fn conditions(&mut self, conditions: &[ExprId]) -> (Vec<VarId>, bool) {
        let (mut out, mut initial) = (Vec::new(), false);
        for &condition in conditions {
            let condition = self.expr(condition);
            match self.work.pool.node(condition) {
                Node::Var(v) if Some(v) == self.work.initial_flag => initial = true,
                Node::Var(v) => out.push(v),
                Node::Const(_) => {
                    // `when false` never fires; `when true` has no rising edge after the start.
                }
                _ => {
                    let n = self.work.vars.len();
                    let v = self.work.add_helper(format!("when{n}"), flat::Type::Boolean, Role::Discrete);
                    self.define(v, condition, EquationForm::Plain);
                    out.push(v);
                }
            }
        }
        (out, initial)
    }

    /// Actions that hold all the time. Where an assertion is violated is found like an event, also between output points;
    /// one that only warns has no influence on the run (specification section 8.3.7).
    fn standing_actions(&mut self, actions: &[Action]) -> Vec<Action> {
        let mut out = self.actions(actions);
        for (action, before) in out.iter_mut().zip(actions) {
            let ActionKind::Assert { condition, warning: false, .. } = &mut action.kind else { continue };
            let ActionKind::Assert { condition: given, .. } = &before.kind else { continue };
            self.origin = action.origin.clone();
            let relations = self.work.relations.len();
            let lifted = self.expr(*given);
            if lifted == *condition {
                continue;
            }
            if self.work.relations.len() == relations && !self.varies(*condition) {
                continue;
            }
            let n = self.work.vars.len();
            let name = format!("{ASSERTION}{n}");
            let variable = self.work.add_helper(name, flat::Type::Boolean, Role::Discrete);
            self.work.vars[variable.index()].keep = true;
            self.define(variable, lifted, EquationForm::Plain);
            self.show(variable, *condition);
            // Where the relations say that it does not hold, the numbers must say so too: at its very limit relations are
            // where the event finder puts them.
            let holds = self.work.pool.var(variable);
            *condition = self.work.pool.op(Op::Or, &[holds, *condition]);
        }
        out
    }

    fn actions(&mut self, actions: &[Action]) -> Vec<Action> {
        actions
            .iter()
            .map(|action| {
                let kind = match &action.kind {
                    ActionKind::Assign(v, e) => ActionKind::Assign(*v, self.expr_in(*e, false)),
                    ActionKind::Reinit(v, e) => ActionKind::Reinit(*v, self.expr_in(*e, false)),
                    ActionKind::Assert { condition, message, warning } => ActionKind::Assert {
                        condition: self.expr_in(*condition, false),
                        message: self.expr_in(*message, false),
                        warning: *warning,
                    },
                    ActionKind::Terminate(e) => ActionKind::Terminate(self.expr_in(*e, false)),
                    ActionKind::Call(e) => ActionKind::Call(self.expr_in(*e, false)),
                    ActionKind::If(c, a, b) => {
                        ActionKind::If(self.expr_in(*c, false), self.actions(a), self.actions(b))
                    }
                };
                Action { kind, origin: action.origin.clone() }
            })
            .collect()
    }
}

/// Is it a variable or a number?
fn is_leaf(pool: &Pool, id: ExprId) -> bool {
    matches!(pool.node(id), Node::Var(_) | Node::Const(_))
}

/// Does it contain a relation, or a function that jumps, outside `noEvent`?
fn causes_events(pool: &Pool, root: ExprId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Node::Op(op, _) = pool.node(id) {
            match op {
                Op::NoEvent => continue,
                Op::Less | Op::LessEqual | Op::Floor | Op::Ceil | Op::Integer => return true,
                Op::IntegerDiv | Op::Mod | Op::Rem => return true,
                _ => {}
            }
        }
        for_each_argument(pool, id, |arg| stack.push(arg));
    }
    false
}

fn collect_assigned(actions: &[Action], out: &mut Vec<VarId>) {
    for action in actions {
        match &action.kind {
            ActionKind::Assign(v, _) if !out.contains(v) => out.push(*v),
            ActionKind::If(_, a, b) => {
                collect_assigned(a, out);
                collect_assigned(b, out);
            }
            _ => {}
        }
    }
}

/// What the actions assign to `v`, if anything; in a branch of an `if` that does not touch it, it stays.
fn assigned_value(work: &mut Work, actions: &[Action], v: VarId) -> Option<ExprId> {
    let mut value = None;
    for action in actions {
        match &action.kind {
            ActionKind::Assign(w, e) if *w == v => value = Some(*e),
            ActionKind::If(c, a, b) => {
                let (yes, no) = (assigned_value(work, a, v), assigned_value(work, b, v));
                if yes.is_some() || no.is_some() {
                    let before = work.pre_of(v);
                    let stays = work.pool.var(before);
                    value = Some(work.pool.op(Op::If, &[*c, yes.unwrap_or(stays), no.unwrap_or(stays)]));
                }
            }
            _ => {}
        }
    }
    value
}

fn without_assignments(actions: Vec<Action>) -> Vec<Action> {
    actions
        .into_iter()
        .filter_map(|action| match action.kind {
            ActionKind::Assign(..) => None,
            ActionKind::If(c, a, b) => {
                let (a, b) = (without_assignments(a), without_assignments(b));
                let empty = a.is_empty() && b.is_empty();
                (!empty).then_some(Action { kind: ActionKind::If(c, a, b), origin: action.origin })
            }
            kind => Some(Action { kind, origin: action.origin }),
        })
        .collect()
}

/// `expression = coefficient*x + rest` for a leaf `x`, if it has that form with `x` not in the coefficient.
fn linear_in(pool: &mut Pool, expression: ExprId, x: ExprId) -> Option<(ExprId, ExprId)> {
    let zero = pool.constant(0.0);
    let one = pool.constant(1.0);
    if expression == x {
        return Some((one, zero));
    }
    match pool.node(expression) {
        Node::Op(Op::Neg, args) => {
            let (c, r) = linear_in(pool, args[0], x)?;
            Some((pool.op(Op::Neg, &[c]), pool.op(Op::Neg, &[r])))
        }
        Node::Op(Op::Add, args) => {
            let args = args.to_vec();
            let (mut c, mut r) = (vec![], vec![]);
            for arg in args {
                let (ci, ri) = linear_in(pool, arg, x)?;
                c.push(ci);
                r.push(ri);
            }
            Some((sum(pool, &c), sum(pool, &r)))
        }
        Node::Op(Op::Mul, args) => {
            let args = args.to_vec();
            let holding: Vec<usize> = (0..args.len()).filter(|&i| contains(pool, args[i], x)).collect();
            match holding[..] {
                [] => Some((zero, expression)),
                [i] => {
                    let (c, r) = linear_in(pool, args[i], x)?;
                    let mut with_c = args.clone();
                    with_c[i] = c;
                    let mut with_r = args;
                    with_r[i] = r;
                    Some((pool.op(Op::Mul, &with_c), pool.op(Op::Mul, &with_r)))
                }
                _ => None,
            }
        }
        Node::Op(Op::Div, args) => {
            let (a, b) = (args[0], args[1]);
            if contains(pool, b, x) {
                return None;
            }
            let (c, r) = linear_in(pool, a, x)?;
            Some((pool.op(Op::Div, &[c, b]), pool.op(Op::Div, &[r, b])))
        }
        _ if contains(pool, expression, x) => None,
        _ => Some((zero, expression)),
    }
    .filter(|&(c, _)| c != zero || !contains(pool, expression, x))
}

fn sum(pool: &mut Pool, terms: &[ExprId]) -> ExprId {
    match terms {
        [] => pool.constant(0.0),
        [one] => *one,
        _ => pool.op(Op::Add, terms),
    }
}

/// Is `x` somewhere in `root`?
fn contains(pool: &Pool, root: ExprId, x: ExprId) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if id == x {
            return true;
        }
        if seen.insert(id) {
            for_each_argument(pool, id, |arg| stack.push(arg));
        }
    }
    false
}
