//! Every id names something that exists. The pool has been looked at where it was built: arguments of an expression are
//! older than the expression. Variables in expressions are looked at where expressions are: those that nothing uses may name
//! variables that were given up on the way.

use kausal_model::flat;
use kausal_symbolic::{ExprId, FunctionId, VarId};

use super::place::each_step;
use super::{FaultKind, Found, Place, Section};
use crate::program::{
    BaseClock, Bounds, Check, ClockTrigger, Delay, Discretized, EquationInfo, EquationRef, Form, Guard,
    Input, Kind, Program, Relation, Sample, Start, Step, Structural, Transport, Variable,
};

/// Steps may stand in each other so deep; readers follow them by recursion.
pub(crate) const MAX_DEPTH: usize = 64;

pub(super) fn check(found: &mut Found) {
    let program = found.program;
    let mut ids = Ids { found, place: Place::of(Section::Variables) };
    ids.tables(program);
    if ids.found.faults.is_empty() {
        ids.functions(program);
        each_step(program, |place, step| {
            ids.place.clone_from(place);
            ids.step(step);
        });
    }
}

struct Ids<'a, 'p> {
    found: &'a mut Found<'p>,
    place: Place,
}

impl Ids<'_, '_> {
    fn range(&mut self, what: &'static str, number: usize, count: usize) {
        if number >= count {
            let place = self.place.clone();
            self.found.add(&place, FaultKind::OutOfRange { what, number, count });
        }
    }

    fn var(&mut self, id: VarId) {
        self.range("variable", id.index(), self.found.program.variables.len());
    }

    fn vars<'v>(&mut self, ids: impl IntoIterator<Item = &'v VarId>) {
        ids.into_iter().for_each(|&id| self.var(id));
    }

    fn expr(&mut self, id: ExprId) {
        self.range("expression", id.0 as usize, self.found.program.pool.len());
    }

    fn exprs<'v>(&mut self, ids: impl IntoIterator<Item = &'v ExprId>) {
        ids.into_iter().for_each(|&id| self.expr(id));
    }

    fn equation(&mut self, id: EquationRef) {
        self.range("equation", id.0 as usize, self.found.program.equations.len());
    }

    fn relation(&mut self, number: u32) {
        self.range("relation", number as usize, self.found.program.relations.len());
    }

    fn function(&mut self, id: FunctionId) {
        let count = self.found.program.pool.functions().count();
        self.range("function", id.0 as usize, count);
    }

    fn length(&mut self, what: &'static str, found: usize, expected: usize) {
        if found != expected {
            let place = self.place.clone();
            self.found.add(&place, FaultKind::Length { what, found, expected });
        }
    }

    /// Everything but steps. A new field of [`Program`] is asked for here.
    fn tables(&mut self, program: &Program) {
        let Program {
            name: _,
            pool: _,
            variables,
            equations,
            parameters: _,
            initial: _,
            checks,
            dynamics: _,
            outputs: _,
            discrete: _,
            discretized,
            clocks,
            states,
            state_sets,
            relations,
            time_events,
            samples,
            delays,
            transports,
            discrete_variables,
            pre,
            initial_flag,
            terminal_flag,
            homotopy,
            experiment: _,
            bounds,
            structural,
            starts,
            inputs,
            output_variables,
            enumerations: _,
            report: _,
        } = program;
        for (i, variable) in variables.iter().enumerate() {
            self.place = Place::at(Section::Variables, i);
            self.variable(variable);
        }
        for (i, e) in equations.iter().enumerate() {
            self.place = Place::at(Section::Equations, i);
            let EquationInfo { lhs, rhs, origin: _, differentiated: _, model: _ } = e;
            self.exprs([lhs, rhs]);
        }
        for (i, c) in checks.iter().enumerate() {
            self.place = Place::at(Section::Checks, i);
            let Check { lhs, rhs, text: _, origin: _, fixed, settled: _, unconnected: _ } = c;
            self.exprs([lhs, rhs]);
            self.vars(fixed);
        }
        self.place = Place::of(Section::States);
        self.vars(states.iter().flat_map(|s| [&s.variable, &s.derivative]));
        for (i, set) in state_sets.iter().enumerate() {
            self.place = Place::at(Section::States, i);
            self.vars(set.candidates.iter().chain(&set.states).chain(set.selection.iter().flatten()));
            self.exprs(&set.jacobian);
        }
        self.place = Place::of(Section::Events);
        for Relation { variable, difference, or_equal: _, trace: _, timed } in relations {
            self.vars([variable, difference]);
            timed.iter().for_each(|&t| self.range("time event", t as usize, time_events.len()));
        }
        self.exprs(time_events.iter().flat_map(|e| [&e.instant, &e.slope]));
        for Sample { variable, start, interval } in samples {
            self.var(*variable);
            self.exprs([start, interval]);
        }
        for Delay { variable, input, delay, maximum } in delays {
            self.vars([variable, input]);
            self.exprs([delay, maximum]);
        }
        for transport in transports {
            let Transport { outputs, inputs, position, forward, points, values, arrivals, relations } =
                transport;
            self.vars(outputs.iter().chain(inputs).chain(arrivals));
            self.exprs([position, forward].into_iter().chain(points).chain(values));
            self.length("values of a distribution", values.len(), points.len());
            relations.iter().for_each(|&r| self.relation(r));
        }
        self.vars(discrete_variables);
        self.vars(pre.iter().flat_map(|p| [&p.variable, &p.slot]));
        self.vars(initial_flag.iter().chain(terminal_flag).chain(homotopy));
        for (i, bounds) in bounds.iter().enumerate() {
            self.place = Place::at(Section::Bounds, i);
            let Bounds { variable, min, max, location: _ } = bounds;
            self.var(*variable);
            self.exprs(min.iter().chain(max));
        }
        for (i, clock) in clocks.iter().enumerate() {
            self.place = Place::at(Section::Clocks, i);
            self.clock(clock);
        }
        self.place = Place::of(Section::Inputs);
        self.vars(structural.iter().map(|(variable, _)| variable));
        for (_, reason) in structural {
            if let Structural::Attribute(v) | Structural::Decision(v) = reason {
                self.var(*v);
            }
        }
        for Start { variable, slot, value, equation, changeable: _ } in starts {
            self.vars([variable, slot]);
            self.expr(*value);
            equation.iter().for_each(|&e| self.equation(e));
        }
        for Input { variable, held: _, derivatives } in inputs {
            self.var(*variable);
            self.vars(derivatives);
        }
        self.vars(output_variables);
        let mut open = discretized.as_ref();
        let mut depth = 0;
        while let Some(d) = open {
            self.place = Place::of(if depth == 0 { Section::InlinedStep } else { Section::Filter });
            self.discretized(d, states.len());
            depth += 1;
            open = d.filter.as_deref();
            if depth == 2 && open.is_some() {
                self.found.add(&Place::of(Section::Filter), FaultKind::Misplaced("a filter of a filter"));
                break;
            }
        }
    }

    fn variable(&mut self, variable: &Variable) {
        let enumerations = self.found.program.enumerations.len();
        if let flat::Type::Enumeration(e) = variable.ty {
            self.range("enumeration", e as usize, enumerations);
        }
        if !(variable.nominal > 0.0 && variable.nominal.is_finite()) {
            let kind = FaultKind::BadNumber { what: "nominal value", variable: variable.name.clone() };
            self.found.add(&self.place, kind);
        }
        if let Kind::Alias(alias) = variable.kind {
            self.var(alias.target);
            let target = self.found.program.variables.get(alias.target.index());
            if target.is_some_and(|t| matches!(t.kind, Kind::Alias(_))) {
                self.found.add(&self.place, FaultKind::AliasOfAlias(variable.name.clone()));
            }
        }
    }

    fn clock(&mut self, base: &BaseClock) {
        let BaseClock { name: _, trigger, resolution, clocks, sampled, pieces, origin: _ } = base;
        match trigger {
            ClockTrigger::Periodic(unit) => self.expr(*unit),
            ClockTrigger::Varying { variable, resolution: _ } => self.var(*variable),
            ClockTrigger::Event { condition, start_interval } => {
                self.var(*condition);
                self.exprs(start_interval);
            }
        }
        if *resolution < 1 || clocks.iter().any(|clock| clock.factor < 1) {
            let place = self.place.clone();
            self.found.add(&place, FaultKind::Misplaced("a distance of ticks that is not positive"));
        }
        for clock in clocks {
            self.vars(clock.interval.iter().chain(&clock.first_tick).chain(&clock.step));
            self.vars(clock.previous.iter().flat_map(|p| [&p.variable, &p.slot]));
        }
        self.vars(sampled.iter().flat_map(|s| [&s.source, &s.slot]));
        pieces.iter().for_each(|piece| self.range("clock", piece.clock as usize, clocks.len()));
    }

    fn discretized(&mut self, d: &Discretized, states: usize) {
        let Discretized {
            method: _,
            h,
            old,
            stages,
            factors: _,
            steps: _,
            substituted,
            filter: _,
            crossings: _,
        } = d;
        self.vars(h.iter().chain(old));
        self.length("slots of old states", old.len(), states);
        for stage in stages {
            self.vars(&stage.time);
            self.vars(stage.states.iter().flat_map(|s| [&s.variable, &s.derivative]));
            self.vars(stage.copies.iter().flat_map(|(v, c)| [v, c]));
            self.length("states of a stage", stage.states.len(), states);
        }
        substituted.iter().for_each(|&k| self.range("state", k as usize, states));
    }

    fn step(&mut self, step: &Step) {
        let steps = self.place.path.iter().filter(|part| matches!(part, super::Part::Number(_)));
        if steps.count() > MAX_DEPTH {
            let place = self.place.clone();
            self.found.add(&place, FaultKind::Misplaced("a step so deep inside others"));
        }
        match step {
            Step::Assign(assign) => {
                self.var(assign.variable);
                self.expr(assign.value);
                assign.equation.iter().for_each(|&e| self.equation(e));
            }
            Step::Call(call) => {
                self.function(call.function);
                self.exprs(&call.args);
                self.vars(call.outputs.iter().flatten());
            }
            Step::Solve(solve) => {
                self.vars(solve.entries.iter().map(|(_, _, v)| v).chain(&solve.rhs).chain(&solve.unknowns));
            }
            Step::System(system) => {
                system.equations.iter().chain(&system.residuals).for_each(|&e| self.equation(e));
                self.vars(system.unknowns.iter().chain(&system.tearing_variables));
                self.form(&system.form);
            }
            Step::When(when) => self.vars(when.branches.iter().flat_map(|b| &b.conditions)),
            Step::Reinit(variable, value) => {
                self.var(*variable);
                self.expr(*value);
            }
            Step::Assert(assert) => {
                self.exprs([&assert.condition, &assert.message]);
                self.vars(&assert.holds);
            }
            Step::Relation(k) => self.relation(*k),
            Step::Terminate(message) => self.expr(*message),
            Step::If(condition, _, _) => self.expr(*condition),
        }
    }

    fn form(&mut self, form: &Form) {
        match form {
            Form::Linear { guard: Some(guard), .. } => {
                let Guard { pivots, sums, check: _, residuals, fallback: _ } = &**guard;
                self.vars(pivots.iter().chain(sums).chain(residuals).flat_map(|(a, b)| [a, b]));
            }
            Form::Linear { guard: None, .. } => {}
            Form::Nonlinear(nonlinear) => {
                self.vars(nonlinear.unknowns.iter().chain(&nonlinear.residuals));
                if let Some(jacobian) = &nonlinear.jacobian {
                    self.vars(jacobian.entries.iter().map(|(_, _, v)| v));
                    self.vars(jacobian.sensitivities.iter().flat_map(|(x, _, v)| [x, v]));
                }
            }
            Form::Mixed { relations, unknowns, .. } => {
                relations.iter().for_each(|&r| self.relation(r));
                self.vars(unknowns);
            }
        }
    }

    /// Functions are well-formed, and name variables of the model nowhere.
    fn functions(&mut self, program: &Program) {
        for (id, _) in program.pool.functions() {
            let problems = kausal_symbolic::function::check::check_function(&program.pool, id);
            if let Some(problem) = problems.into_iter().next() {
                let place = Place::at(Section::Functions, id.0 as usize);
                self.found.add(&place, FaultKind::Function(problem));
            }
        }
    }
}
