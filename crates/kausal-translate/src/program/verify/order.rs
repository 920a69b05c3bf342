//! In each section everything is computed before it is read, and once.
//!
//! | section | given | computes |
//! | --- | --- | --- |
//! | parameters | literal parameters | parameters, what depends on them only |
//! | initial | these, what the run sets | everything else, states and free parameters with it |
//! | dynamics | parameters, states, discrete variables, what the run sets | derivatives, event indicators |
//! | outputs | and the dynamics | other continuous variables |
//! | discrete | parameters, states, what the run sets | everything at an event |
//! | factors, inlined step | parameters, discrete variables, `h`, `old` | states and derivatives |
//!
//! Iteration variables, and start values that are formulas, are guesses: they may be read by the system that iterates on them,
//! and by nothing else before it is solved.

use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::place::sections;
use super::{FaultKind, Found, Part, Place, Section};
use crate::program::{Call, Discretized, Form, Guard, Kind, Nonlinear, Program, Step, System};

pub(super) fn check(found: &mut Found) {
    let program = found.program;
    // What clocks compute at their ticks is read between them; an order over ticks is not known to this check.
    if !program.clocks.is_empty() {
        return;
    }
    let mut order = Order::new(found);
    order.parameters(program);
    let fixed = order.defined.clone();
    order.initial(program, &fixed);
    let between = order.between_events(program, &fixed);
    order.begin(between.clone());
    order.section(Section::Dynamics, &program.dynamics);
    order.asked(Section::Dynamics, program.states.iter().map(|s| s.derivative));
    order.asked(Section::Dynamics, program.relations.iter().map(|r| r.difference));
    order.asked(Section::Dynamics, program.delays.iter().map(|d| d.input));
    order.asked(Section::Dynamics, program.transports.iter().flat_map(|t| t.inputs));
    order.section(Section::Outputs, &program.outputs);
    order.at_event(program, &fixed);
    if let Some(d) = &program.discretized {
        order.inlined(program, d, &between, [Section::Factors, Section::InlinedStep]);
        if let Some(filter) = &d.filter {
            order.inlined(program, filter, &between, [Section::FilterFactors, Section::Filter]);
        }
    }
}

struct Order<'a, 'p> {
    found: &'a mut Found<'p>,
    /// By variable: may it be read?
    defined: Vec<bool>,
    /// By variable: was it computed in this section?
    computed: Vec<bool>,
    /// By variable: some branches of a condition compute it, so formulas with that condition may read it.
    partly: Vec<bool>,
    /// What was called for a variable.
    calls: FxHashMap<VarId, &'p Call>,
    /// By expression: all in it may be read.
    readable: Vec<bool>,
    /// What became readable, in order, so that the end of a branch can take it back.
    trail: Vec<ExprId>,
    /// What is still to be read, and whether below a condition.
    stack: Vec<(ExprId, bool)>,
    place: Place,
    /// In the initial problem and among the parameters start values come first.
    guessed: FxHashSet<VarId>,
}

/// What was known at the begin of a branch.
struct Mark {
    defined: Vec<bool>,
    computed: Vec<bool>,
    trail: usize,
}

impl<'a, 'p> Order<'a, 'p> {
    fn new(found: &'a mut Found<'p>) -> Self {
        let (variables, expressions) = (found.program.variables.len(), found.program.pool.len());
        Order {
            found,
            defined: vec![false; variables],
            computed: vec![false; variables],
            partly: vec![false; variables],
            calls: FxHashMap::default(),
            readable: vec![false; expressions],
            trail: Vec::new(),
            stack: Vec::new(),
            place: Place::of(Section::Parameters),
            guessed: FxHashSet::default(),
        }
    }

    /// A section that begins with these variables given.
    fn begin(&mut self, given: Vec<bool>) {
        self.defined = given;
        self.computed.fill(false);
        self.partly.fill(false);
        self.calls.clear();
        self.readable.fill(false);
        self.trail.clear();
        self.guessed.clear();
    }

    fn fault(&mut self, kind: FaultKind) {
        self.found.add(&self.place, kind);
    }

    /// Parameters that nobody computes are given; inputs of the whole model are, too.
    fn parameters(&mut self, program: &'p Program) {
        let mut written: FxHashSet<VarId> = FxHashSet::default();
        for (_, steps) in sections(program) {
            steps.iter().for_each(|step| crate::program::flow::writes(step, &mut written));
        }
        written.extend(program.relations.iter().map(|r| r.variable));
        let given = (0..program.variables.len()).map(|i| {
            let of_model = matches!(program.variables[i].kind, Kind::Parameter | Kind::Algebraic);
            of_model && !written.contains(&VarId(i as u32))
        });
        let given: Vec<bool> = given.collect();
        self.begin(given);
        self.guesses(&program.parameters);
        self.section(Section::Parameters, &program.parameters);
    }

    /// Start values that are formulas: assignments that solve no equation, of variables that are computed later on.
    fn guesses(&mut self, steps: &[Step]) {
        let mut later: FxHashSet<VarId> = FxHashSet::default();
        let mut guessed = FxHashSet::default();
        for step in steps.iter().rev() {
            if let Step::Assign(assign) = step
                && assign.equation.is_none()
                && later.contains(&assign.variable)
            {
                guessed.insert(assign.variable);
            }
            crate::program::flow::writes(step, &mut later);
        }
        self.guessed = guessed;
    }

    fn give(&mut self, variables: impl IntoIterator<Item = VarId>) {
        for v in variables {
            self.defined[v.index()] = true;
        }
    }

    fn initial(&mut self, program: &'p Program, fixed: &[bool]) {
        self.begin(fixed.to_vec());
        self.give(set_by_run(program));
        // Initial equations may say what was before the start.
        let mut own: FxHashSet<VarId> = FxHashSet::default();
        program.initial.iter().for_each(|step| crate::program::flow::writes(step, &mut own));
        for pre in &program.pre {
            self.defined[pre.slot.index()] = !own.contains(&pre.slot);
        }
        self.guesses(&program.initial);
        self.section(Section::Initial, &program.initial);
        for (i, check) in program.checks.iter().enumerate() {
            self.place = Place::at(Section::Checks, i);
            self.read(check.lhs);
            self.read(check.rhs);
        }
        self.asked(Section::Initial, program.states.iter().map(|s| s.variable));
    }

    /// What is given between events.
    fn between_events(&self, program: &Program, fixed: &[bool]) -> Vec<bool> {
        let mut given = fixed.to_vec();
        let held = program
            .variables
            .iter()
            .map(|v| matches!(v.kind, Kind::Parameter | Kind::State | Kind::Discrete));
        given.iter_mut().zip(held).for_each(|(given, held)| *given |= held);
        let set = set_by_run(program).into_iter().chain(program.discrete_variables.iter().copied());
        let relations = program.relations.iter().filter(|r| !r.trace).map(|r| r.variable);
        // States that the translation made are helpers.
        let states = program.states.iter().map(|s| s.variable);
        set.chain(relations).chain(states).for_each(|v| given[v.index()] = true);
        given
    }

    fn at_event(&mut self, program: &'p Program, fixed: &[bool]) {
        let mut given = fixed.to_vec();
        for (given, v) in given.iter_mut().zip(&program.variables) {
            *given |= matches!(v.kind, Kind::Parameter | Kind::State);
        }
        let states = program.states.iter().map(|s| s.variable);
        set_by_run(program).into_iter().chain(states).for_each(|v| given[v.index()] = true);
        self.begin(given);
        self.section(Section::Discrete, &program.discrete);
        self.asked(Section::Discrete, program.states.iter().map(|s| s.derivative));
        self.asked(Section::Discrete, program.relations.iter().map(|r| r.difference));
    }

    fn inlined(&mut self, program: &'p Program, d: &'p Discretized, between: &[bool], names: [Section; 2]) {
        let mut given = between.to_vec();
        let substituted = |i: usize| d.substituted.contains(&(i as u32));
        let explicit = d.method == crate::options::Inline::Euler.name();
        for (i, state) in program.states.iter().enumerate() {
            given[state.variable.index()] = substituted(i) || explicit;
        }
        let slots = d.h.iter().chain(&d.old).copied();
        slots.chain(d.stages.iter().filter_map(|s| s.time)).for_each(|v| given[v.index()] = true);
        self.begin(given);
        self.section(names[0], &d.factors);
        self.section(names[1], &d.steps);
        self.asked(names[1], program.states.iter().map(|s| s.derivative));
        let states: Vec<VarId> = program.states.iter().map(|s| s.variable).collect();
        self.asked(names[1], states);
        if let Some(crossings) = &d.crossings {
            self.computed.fill(false);
            self.section(Section::Crossings, crossings);
            self.asked(Section::Crossings, program.relations.iter().map(|r| r.difference));
        }
    }

    /// These must be known now.
    fn asked(&mut self, section: Section, variables: impl IntoIterator<Item = VarId>) {
        self.place = Place::of(section);
        for v in variables {
            if !self.defined[v.index()] {
                let name = self.found.name(v);
                self.fault(FaultKind::NotComputed(name));
            }
        }
    }

    fn section(&mut self, section: Section, steps: &'p [Step]) {
        self.place = Place::of(section);
        self.steps(steps);
    }

    fn steps(&mut self, steps: &'p [Step]) {
        for (i, step) in steps.iter().enumerate() {
            self.place.path.push(Part::Number(i));
            self.step(step);
            self.place.path.pop();
        }
    }

    fn part(&mut self, part: Part, steps: &'p [Step]) {
        self.place.path.push(part);
        self.steps(steps);
        self.place.path.pop();
    }

    fn step(&mut self, step: &'p Step) {
        match step {
            Step::Assign(assign) => {
                self.read(assign.value);
                if assign.equation.is_none() && self.guessed.remove(&assign.variable) {
                    return;
                }
                self.compute(assign.variable);
            }
            Step::Call(call) => {
                call.args.iter().for_each(|&arg| self.read(arg));
                for &v in call.outputs.iter().flatten() {
                    // The same call on another condition, or after a guess, gives its outputs again.
                    let same = self
                        .calls
                        .insert(v, call)
                        .is_some_and(|other| (other.function, &other.args) == (call.function, &call.args));
                    if same {
                        self.computed[v.index()] = false;
                    }
                    self.compute(v);
                }
            }
            Step::Solve(solve) => {
                solve.entries.iter().for_each(|&(_, _, v)| self.read_variable(v));
                solve.rhs.iter().for_each(|&v| self.read_variable(v));
                solve.unknowns.iter().for_each(|&v| self.compute(v));
            }
            Step::System(system) => self.system(system),
            Step::When(when) => {
                when.branches.iter().flat_map(|b| &b.conditions).for_each(|&v| self.read_variable(v));
                let branches: Vec<&[Step]> = when.branches.iter().map(|b| &b.steps[..]).collect();
                self.branches(&branches, true);
            }
            Step::Reinit(_, value) => self.read(*value),
            Step::Assert(assert) => {
                assert.holds.iter().for_each(|&v| self.read_variable(v));
                self.read(assert.condition);
                self.read(assert.message);
            }
            Step::Relation(k) => {
                let relation = &self.found.program.relations[*k as usize];
                self.read_variable(relation.difference);
                self.compute(relation.variable);
            }
            Step::Terminate(message) => self.read(*message),
            Step::If(condition, then, otherwise) => {
                self.read(*condition);
                self.branches(&[then, otherwise], false);
            }
        }
    }

    /// Branches of which one or none is taken. What they give a value has one afterwards if it had one before (`keeps`), or if
    /// all branches do. What only some of them compute, such as the call of a function in a branch of a formula, is for
    /// formulas with a condition.
    fn branches(&mut self, branches: &[&'p [Step]], keeps: bool) {
        let mut after: Option<Vec<bool>> = None;
        let mut written = self.computed.clone();
        for (i, steps) in branches.iter().enumerate() {
            let mark = self.mark();
            self.part(Part::Branch(i), steps);
            written.iter_mut().zip(&self.computed).for_each(|(all, own)| *all |= own);
            self.partly.iter_mut().zip(&self.computed).for_each(|(partly, own)| *partly |= own);
            after = Some(match after {
                None => self.defined.clone(),
                Some(mut both) => {
                    let join = |(both, own): (&mut bool, &bool)| {
                        *both = if keeps { *both | own } else { *both & own }
                    };
                    both.iter_mut().zip(&self.defined).for_each(join);
                    both
                }
            });
            self.back_to(mark);
        }
        self.computed = written;
        if let Some(after) = after {
            self.defined = after;
        }
    }

    fn mark(&self) -> Mark {
        Mark { defined: self.defined.clone(), computed: self.computed.clone(), trail: self.trail.len() }
    }

    fn back_to(&mut self, mark: Mark) {
        self.defined = mark.defined;
        self.computed = mark.computed;
        for e in self.trail.drain(mark.trail..) {
            self.readable[e.0 as usize] = false;
        }
    }

    fn system(&mut self, system: &'p System) {
        match &system.form {
            Form::Linear { steps, guard, .. } => {
                self.part(Part::Steps, steps);
                if let Some(guard) = guard {
                    self.guard(system, guard);
                }
            }
            Form::Nonlinear(nonlinear) => self.nonlinear(nonlinear),
            Form::Mixed { continuous, relations, discrete, unknowns } => {
                let program = self.found.program;
                let held = relations.iter().map(|&r| program.relations[r as usize].variable);
                let given: Vec<VarId> = held.chain(unknowns.iter().copied()).collect();
                self.give(given.iter().copied());
                self.part(Part::Continuous, continuous);
                for &r in relations {
                    self.read_variable(program.relations[r as usize].difference);
                    self.compute(program.relations[r as usize].variable);
                }
                self.part(Part::Discrete, discrete);
                for &v in unknowns {
                    if !self.computed[v.index()] {
                        let name = self.found.name(v);
                        self.fault(FaultKind::NotComputed(name));
                    }
                }
            }
        }
    }

    /// The check comes after the steps, the fallback instead of them.
    fn guard(&mut self, system: &'p System, guard: &'p Guard) {
        for &(pivot, size) in &guard.pivots {
            self.read_variable(pivot);
            self.read_variable(size);
        }
        let mark = self.mark();
        // Calls that the residuals share with the steps are made again there.
        let mut again: FxHashSet<VarId> = FxHashSet::default();
        guard.check.iter().for_each(|step| crate::program::flow::writes(step, &mut again));
        again.iter().for_each(|v| self.computed[v.index()] = false);
        self.part(Part::Check, &guard.check);
        for &(value, size) in guard.sums.iter().chain(&guard.residuals) {
            self.read_variable(value);
            self.read_variable(size);
        }
        self.back_to(mark);
        let mark = self.mark();
        let mut own: FxHashSet<VarId> = system.unknowns.iter().copied().collect();
        guard.fallback.iter().for_each(|step| crate::program::flow::writes(step, &mut own));
        // Solved again: nothing of it is known.
        let solved: Vec<VarId> = own.into_iter().collect();
        for &v in &solved {
            self.defined[v.index()] = false;
            self.computed[v.index()] = false;
        }
        self.unread();
        self.part(Part::Fallback, &guard.fallback);
        for &v in &solved {
            let deferred = !mark.defined[v.index()];
            if !self.defined[v.index()] && !deferred {
                let name = self.found.name(v);
                self.fault(FaultKind::NotComputed(name));
            }
        }
        self.unread();
        self.back_to(Mark { trail: self.trail.len(), ..mark });
    }

    /// What was found readable is looked at again.
    fn unread(&mut self) {
        for e in self.trail.drain(..) {
            self.readable[e.0 as usize] = false;
        }
    }

    fn nonlinear(&mut self, nonlinear: &'p Nonlinear) {
        nonlinear.unknowns.iter().for_each(|&v| self.compute(v));
        self.part(Part::Steps, &nonlinear.steps);
        nonlinear.residuals.iter().for_each(|&v| self.read_variable(v));
        let Some(jacobian) = &nonlinear.jacobian else { return };
        self.part(Part::Jacobian, &jacobian.steps);
        jacobian.entries.iter().for_each(|&(_, _, v)| self.read_variable(v));
        jacobian.sensitivities.iter().for_each(|&(_, _, v)| self.read_variable(v));
    }

    fn read_variable(&mut self, v: VarId) {
        if !self.defined[v.index()] {
            let name = self.found.name(v);
            self.fault(FaultKind::Undefined(name));
            // Told once.
            self.defined[v.index()] = true;
        }
    }

    fn read(&mut self, e: ExprId) {
        let pool = &self.found.program.pool;
        self.stack.push((e, false));
        while let Some((e, conditional)) = self.stack.pop() {
            if std::mem::replace(&mut self.readable[e.0 as usize], true) {
                continue;
            }
            self.trail.push(e);
            match pool.node(e) {
                Node::Var(v) if conditional && self.partly[v.index()] => {}
                Node::Var(v) => self.read_variable(v),
                node => {
                    let conditional = conditional || matches!(node, Node::Op(Op::If, _));
                    self.stack.extend(pool.children(e).iter().map(|&child| (child, conditional)));
                }
            }
        }
    }

    fn compute(&mut self, v: VarId) {
        if let Some(kind) = self.not_own(v) {
            let variable = self.found.name(v);
            self.fault(FaultKind::NotItsOwn { variable, kind });
        }
        if std::mem::replace(&mut self.computed[v.index()], true) {
            let name = self.found.name(v);
            self.fault(FaultKind::ComputedTwice(name));
        }
        self.defined[v.index()] = true;
    }

    /// What a section must not touch.
    fn not_own(&self, v: VarId) -> Option<&'static str> {
        use Section as S;
        let kind = self.found.program.variables[v.index()].kind;
        let section = self.place.section;
        match kind {
            Kind::Alias(_) => Some("an alias"),
            Kind::Parameter if !matches!(section, S::Parameters | S::Initial) => Some("a parameter"),
            Kind::State if matches!(section, S::Parameters | S::Dynamics | S::Outputs | S::Discrete) => {
                Some("a state")
            }
            Kind::Discrete if !matches!(section, S::Parameters | S::Initial | S::Discrete) => {
                Some("discrete")
            }
            _ => None,
        }
    }
}

/// What the run gives a value before each evaluation.
fn set_by_run(program: &Program) -> Vec<VarId> {
    let flags = [program.initial_flag, program.terminal_flag, program.homotopy];
    let mut out: Vec<VarId> = flags.into_iter().flatten().collect();
    out.extend(program.inputs.iter().map(|input| input.variable));
    out.extend(program.pre.iter().map(|p| p.slot));
    out.extend(program.samples.iter().map(|s| s.variable));
    out.extend(program.delays.iter().map(|d| d.variable));
    out.extend(program.transports.iter().flat_map(|t| t.outputs.into_iter().chain(t.arrivals)));
    out.extend(program.state_sets.iter().flat_map(|s| s.selection.iter().flatten().copied()));
    out
}
