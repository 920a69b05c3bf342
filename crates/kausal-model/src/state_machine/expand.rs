//! From state machines to clocked equations (specification section 17.3.4, the model `StateMachineSemantics`).
//!
//! For each machine there are variables that say which state is active and whether it is reset; each is defined by one equation.
//! `previous(x)` of a variable that a state declares is its start value where that state is reset.
//!
//! ```text
//! selectedState = if reset then 1 else previous(nextState)
//! activeState   = if reset then 1 elseif a transition fires then its target else selectedState
//! nextState     = if active then activeState else previous(nextState)
//! ```

use kausal_symbolic::substitute::Substitution;
use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, Node, VarId};
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::FxHashMap;

use crate::flat::{Action, ActionKind, FlatModel, Origin, Type};
use crate::state_machine::build::Builder;
use crate::state_machine::expansion::{Clockwork, Expansion, Flags};
use crate::state_machine::plan::{Edge, Plan};

/// Turns state machines into clocked equations; what is wrong is given back.
pub(crate) fn expand(flat: &mut FlatModel, plan: &Plan) -> Vec<Diagnostic> {
    let mut this = Expansion {
        plan,
        build: Builder::new(flat),
        flags: Vec::new(),
        clockworks: Vec::new(),
        owners: Vec::new(),
        diagnostics: Vec::new(),
    };
    this.owners = this.build.flat.variables.iter().map(|v| plan.state_of(&v.name)).collect();
    let written = this.build.flat.equations.len();
    this.declare();
    this.check_queries();
    this.refuse_unsupported();
    if this.diagnostics.is_empty() {
        this.rewrite(written);
        this.machines();
        this.guard_actions();
    }
    if this.diagnostics.is_empty() {
        super::merge::merge(&mut this, written);
    }
    this.diagnostics
}

impl Expansion<'_> {
    /// The variables of all machines.
    fn declare(&mut self) {
        for machine in &self.plan.machines {
            let at = machine.location;
            let prefix = &machine.prefix;
            let new = |this: &mut Self, name: &str, ty: Type, start: f64, what: &str| {
                this.build.variable(format!("{prefix}.{name}"), ty, start, what.to_owned(), at)
            };
            let clockwork = Clockwork {
                active_state: new(self, "activeState", Type::Integer, 1.0, "number of the active state"),
                selected: new(self, "selectedState", Type::Integer, 1.0, "state before transitions fire"),
                next: new(self, "nextState", Type::Integer, 1.0, "state the next tick begins with"),
                ticks: new(self, "ticksInState", Type::Integer, 0.0, "ticks of the active state"),
                seconds: new(self, "timeInState", Type::Real, 0.0, "how long the state has been active"),
                ticks_before: new(self, "ticksBefore", Type::Integer, 0.0, "ticks if no transition fires"),
                seconds_before: new(self, "timeBefore", Type::Real, 0.0, "time if no transition fires"),
            };
            self.clockworks.push(clockwork);
        }
        for state in &self.plan.states {
            let prefix = &self.plan.machines[state.machine].prefix;
            let (number, path) = (state.number, &state.path);
            let mut new = |what: &str, said: &str| {
                let name = format!("{prefix}.{what}[{number}]");
                self.build.variable(name, Type::Boolean, 0.0, format!("{path} is {said}"), state.location)
            };
            self.flags.push(Flags { active: new("active", "active"), reset: new("reset", "reset") });
        }
    }

    fn check_queries(&mut self) {
        for (inst, path, location) in &self.plan.queries {
            if !self.plan.states.iter().any(|s| s.inst == *inst) {
                let message = format!("{path} is no state: no transition leads to it or from it");
                let d = Diagnostic::error("K0393", message).at(*location, "asked for here");
                self.diagnostics
                    .push(d.help("a state machine consists of what `transition` and `initialState` name"));
            }
        }
    }

    /// `when` clauses and differential equations in states are not supported.
    fn refuse_unsupported(&mut self) {
        let mut found: Vec<(String, &str, Option<Location>)> = Vec::new();
        let flat = &*self.build.flat;
        let whens = flat.whens.iter().map(|w| &w.origin).chain(flat.clocked.iter().map(|w| &w.origin));
        for origin in whens {
            if let Some(s) = self.plan.state_of(&origin.component) {
                found.push((self.plan.states[s].path.clone(), "a `when` clause", origin.location));
            }
        }
        for equation in &flat.equations {
            let Some(s) = self.plan.state_of(&equation.origin.component) else { continue };
            let der = |e: &ExprId| matches!(flat.pool.node(*e), Node::Op(kausal_symbolic::Op::Der, _));
            if reachable(&flat.pool, &[equation.lhs, equation.rhs], |_| true).iter().any(der) {
                let path = self.plan.states[s].path.clone();
                found.push((path, "a differential equation", equation.origin.location));
            }
        }
        for (path, what, location) in found {
            let mut d = Diagnostic::error("K0397", format!("the state {path} has {what}, which is not supported"))
                .help("the equations of a state hold at the ticks of its clock while it is active: write them without");
            if let Some(location) = location {
                d = d.at(location, "");
            }
            self.diagnostics.push(d);
        }
    }

    /// Everything that was written: `activeState` and the like become variables, `previous` respects resets.
    fn rewrite(&mut self, written: usize) {
        let mut context: FxHashMap<Option<usize>, Substitution> = FxHashMap::default();
        for k in 0..written {
            let equation = &self.build.flat.equations[k];
            let (lhs, rhs, origin) = (equation.lhs, equation.rhs, equation.origin.clone());
            let state = self.plan.state_of(&origin.component);
            let ticks = state.map(|s| self.clockworks[self.plan.states[s].machine]);
            let ticks = ticks.map(|c| (c.ticks, c.seconds));
            let lhs = self.replace(&mut context, state, ticks, lhs, origin.location);
            let rhs = self.replace(&mut context, state, ticks, rhs, origin.location);
            let equation = &mut self.build.flat.equations[k];
            (equation.lhs, equation.rhs) = (lhs, rhs);
        }
        let mut actions = std::mem::take(&mut self.build.flat.actions);
        for action in &mut actions {
            let state = self.plan.state_of(&action.origin.component);
            let ticks = state.map(|s| self.clockworks[self.plan.states[s].machine]);
            let ticks = ticks.map(|c| (c.ticks, c.seconds));
            self.replace_action(&mut context, state, ticks, action);
        }
        self.build.flat.actions = actions;
        let mut clocked = std::mem::take(&mut self.build.flat.clocked);
        for when in &mut clocked {
            for equation in &mut when.equations {
                let location = equation.origin.location;
                equation.lhs = self.replace(&mut context, None, None, equation.lhs, location);
                equation.rhs = self.replace(&mut context, None, None, equation.rhs, location);
            }
            for action in &mut when.actions {
                self.replace_action(&mut context, None, None, action);
            }
        }
        self.build.flat.clocked = clocked;
    }

    fn replace_action(
        &mut self,
        context: &mut FxHashMap<Option<usize>, Substitution>,
        state: Option<usize>,
        ticks: Option<(VarId, VarId)>,
        action: &mut Action,
    ) {
        let at = action.origin.location;
        match &mut action.kind {
            ActionKind::Assign(_, e) | ActionKind::Reinit(_, e) => {
                *e = self.replace(context, state, ticks, *e, at)
            }
            ActionKind::Terminate(e) | ActionKind::Call(e) => {
                *e = self.replace(context, state, ticks, *e, at)
            }
            ActionKind::Assert { condition, message, .. } => {
                *condition = self.replace(context, state, ticks, *condition, at);
                *message = self.replace(context, state, ticks, *message, at);
            }
            ActionKind::If(condition, yes, no) => {
                *condition = self.replace(context, state, ticks, *condition, at);
                for action in yes.iter_mut().chain(no) {
                    self.replace_action(context, state, ticks, action);
                }
            }
        }
    }

    /// The expression with variables in the place of what is asked about state machines, as it reads in a state.
    fn replace(
        &mut self,
        context: &mut FxHashMap<Option<usize>, Substitution>,
        state: Option<usize>,
        ticks: Option<(VarId, VarId)>,
        e: ExprId,
        location: Option<Location>,
    ) -> ExprId {
        let substitution = context.entry(state).or_default();
        let mut new: Vec<(ExprId, ExprId)> = Vec::new();
        for part in reachable(&self.build.flat.pool, &[e], |_| true) {
            let Some((name, argument)) = self.build.operator(part) else { continue };
            let name = name.to_owned();
            match (name.as_str(), argument) {
                ("activeState", Some(inst)) => {
                    let inst = self.build.flat.pool.as_constant(inst);
                    let found = self.plan.states.iter().position(|s| inst == Some(f64::from(s.inst.0)));
                    let Some(s) = found else { continue };
                    let active = self.build.var(self.flags[s].active);
                    new.push((part, active));
                }
                ("ticksInState" | "timeInState", _) => match ticks {
                    Some((ticks, seconds)) => {
                        let v = if name == "ticksInState" { ticks } else { seconds };
                        let v = self.build.var(v);
                        new.push((part, v));
                    }
                    None => {
                        let message =
                            format!("{name}() belongs into a state or the condition of a transition");
                        let mut d = Diagnostic::error("K0393", message);
                        if let Some(location) = location {
                            d = d.at(location, "");
                        }
                        self.diagnostics.push(d);
                    }
                },
                ("previous", Some(argument)) => {
                    let Some(v) = self.build.flat.pool.as_var(argument) else { continue };
                    let Some(owner) = self.owner(v).filter(|&o| self.plan.chain(state).any(|s| s == o))
                    else {
                        continue;
                    };
                    let value = self.previous_in(owner, v, part);
                    new.push((part, value));
                }
                _ => {}
            }
        }
        for (part, value) in new {
            substitution.set_expr(part, value);
        }
        substitution.apply(&mut self.build.flat.pool, e)
    }

    pub fn owner(&self, v: VarId) -> Option<usize> {
        self.owners.get(v.index()).copied().flatten()
    }

    /// `previous(v)` of a variable that the state declares.
    fn previous_in(&mut self, owner: usize, v: VarId, previous: ExprId) -> ExprId {
        let var = &self.build.flat.variables[v.index()];
        let start = match (var.start, var.ty) {
            (Some(start), _) => start,
            (None, Type::Boolean) => self.build.boolean(false),
            (None, Type::String) => self.build.flat.pool.text(""),
            (None, Type::Enumeration(_)) => self.build.number(1),
            (None, _) => self.build.number(0),
        };
        let reset = self.build.var(self.flags[owner].reset);
        self.build.choose(reset, start, previous)
    }

    /// What a variable keeps where nobody gives it a value.
    pub fn kept(&mut self, v: VarId) -> ExprId {
        let previous = self.build.previous(v);
        match self.owner(v) {
            Some(owner) => self.previous_in(owner, v, previous),
            None => previous,
        }
    }

    /// Actions of states happen while these are active.
    fn guard_actions(&mut self) {
        let actions = std::mem::take(&mut self.build.flat.actions);
        for action in actions {
            let guarded = match self.plan.state_of(&action.origin.component) {
                Some(s) => {
                    let active = self.build.var(self.flags[s].active);
                    let origin = action.origin.clone();
                    Action { kind: ActionKind::If(active, vec![action], Vec::new()), origin }
                }
                None => action,
            };
            self.build.flat.actions.push(guarded);
        }
    }

    fn machines(&mut self) {
        for m in 0..self.plan.machines.len() {
            self.machine(m);
        }
    }

    fn machine(&mut self, m: usize) {
        let plan = self.plan;
        let machine = &plan.machines[m];
        let Clockwork { ticks, seconds, ticks_before, seconds_before, next, selected, active_state } =
            self.clockworks[m];
        let component = machine.around.map(|s| plan.states[s].path.clone()).unwrap_or_default();
        let origin = Origin { component, location: machine.location, ..Origin::default() };
        let name = |what: &str| format!("{}.{what}", machine.prefix);
        let at = machine.location;
        // When the machine is active, and when it begins anew.
        let (active, reset) = match machine.around {
            Some(s) => (self.build.var(self.flags[s].active), self.build.var(self.flags[s].reset)),
            None => {
                let started =
                    self.build.variable(name("started"), Type::Boolean, 0.0, "it has begun".to_owned(), at);
                let yes = self.build.boolean(true);
                self.build.define(started, yes, &origin);
                let before = self.build.previous(started);
                (yes, self.build.not(before))
            }
        };
        let one = self.build.number(1);
        let before = self.build.previous(next);
        let value = self.build.choose(reset, one, before);
        self.build.define(selected, value, &origin);

        // The transitions of smaller priority come later, so that those before them hide them.
        let (mut target, mut resets, mut fires) =
            (self.build.var(selected), reset, self.build.boolean(false));
        for (k, edge) in machine.transitions.iter().enumerate().rev() {
            let condition = self.condition(m, edge);
            let c = self.build.variable(
                name(&format!("condition[{}]", k + 1)),
                Type::Boolean,
                0.0,
                "of a transition".to_owned(),
                Some(edge.transition.location),
            );
            let origin = Origin { location: Some(edge.transition.location), ..origin.clone() };
            let from = if edge.transition.immediate { selected } else { next };
            let here = self.build.is(from, edge.from);
            let condition = self.build.and(here, condition);
            self.build.define(c, condition, &origin);
            let fired = if edge.transition.immediate { self.build.var(c) } else { self.build.previous(c) };
            let to = self.build.number(edge.to);
            target = self.build.choose(fired, to, target);
            let anew = self.build.boolean(edge.transition.reset);
            let anew = self.build.or(reset, anew);
            resets = self.build.choose(fired, anew, resets);
            fires = self.build.or(fired, fires);
        }
        let value = self.build.choose(reset, one, target);
        self.build.define(active_state, value, &origin);
        let now = self.build.var(active_state);
        let value = self.build.choose(active, now, before);
        self.build.define(next, value, &origin);

        // The states.
        for &s in &machine.states {
            let (flags, number) = (self.flags[s], plan.states[s].number);
            let here = self.build.is(active_state, number);
            let is_active = self.build.and(active, here);
            self.build.define(flags.active, is_active, &origin);
            let pending = self.build.variable(
                name(&format!("pendingReset[{number}]")),
                Type::Boolean,
                0.0,
                "reset when it becomes active".to_owned(),
                at,
            );
            let was = self.build.previous(pending);
            let due = self.build.or(reset, was);
            let elsewhere = self.build.not(here);
            let waits = self.build.and(elsewhere, due);
            let value = self.build.choose(active, waits, was);
            self.build.define(pending, value, &origin);
            let resets = self.build.or(resets, due);
            let is_active = self.build.var(flags.active);
            let value = self.build.and(is_active, resets);
            self.build.define(flags.reset, value, &origin);
        }

        // How long the state has been active.
        let was_active = self.build.variable(
            name("wasActive"),
            Type::Boolean,
            0.0,
            "the machine is active".to_owned(),
            at,
        );
        self.build.define(was_active, active, &origin);
        let was_active = self.build.previous(was_active);
        let interrupted = self.build.not(was_active);
        let begins = self.build.or(reset, interrupted);
        let zero = self.build.number(0);
        let count = self.build.previous(ticks);
        let more = self.build.plus(count, one);
        let value = self.build.choose(begins, one, more);
        self.build.define(ticks_before, value, &origin);
        let past = self.build.previous(seconds);
        let interval = self.build.interval();
        let longer = self.build.plus(past, interval);
        let value = self.build.choose(begins, zero, longer);
        self.build.define(seconds_before, value, &origin);
        for (v, before, first, kept) in
            [(ticks, ticks_before, one, count), (seconds, seconds_before, zero, past)]
        {
            let before = self.build.var(before);
            let value = self.build.choose(fires, first, before);
            let value = self.build.choose(active, value, kept);
            self.build.define(v, value, &origin);
        }
    }

    /// When a transition may fire, its state being active.
    fn condition(&mut self, m: usize, edge: &Edge) -> ExprId {
        let plan = self.plan;
        let clockwork = self.clockworks[m];
        let around = plan.machines[m].around;
        let transition = &edge.transition;
        let ticks = match transition.immediate {
            true => (clockwork.ticks_before, clockwork.seconds_before),
            false => (clockwork.ticks, clockwork.seconds),
        };
        let mut own = FxHashMap::default();
        let mut condition =
            self.replace(&mut own, around, Some(ticks), transition.condition, Some(transition.location));
        if !transition.synchronize {
            return condition;
        }
        let from = plan.machines[m].states[edge.from as usize - 1];
        for (inner, machine) in plan.machines.iter().enumerate().filter(|(_, it)| it.around == Some(from)) {
            // What an immediate transition interrupts has not gone on yet.
            let place = self.clockworks[inner].next;
            let place = if transition.immediate { self.build.previous(place) } else { self.build.var(place) };
            let mut ended = self.build.boolean(false);
            for number in 1..=machine.states.len() as u32 {
                if machine.transitions.iter().any(|e| e.from == number) {
                    continue;
                }
                let number = self.build.number(number);
                let here = self.build.flat.pool.op(kausal_symbolic::Op::Equal, &[place, number]);
                ended = self.build.or(ended, here);
            }
            condition = self.build.and(condition, ended);
        }
        condition
    }
}
