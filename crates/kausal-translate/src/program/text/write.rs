//! A program as text. See [`super`] for the form.

use std::fmt::Write;

use kausal_model::flat::{Origin, OriginKind, Type};
use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::Location;

use super::expression::{Names, Shared, expression, number, text as quoted};
use crate::program::flow;
use crate::program::{
    Alternative, Discretized, EquationRef, Form, Guard, Iteration, Jacobian, Kind, LinearMethod, Program,
    Report, Solve, SolveKind, Step, System, Trivial, Variable, Way,
};

/// How much is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    All,
    Brief,
}

pub(super) fn text(program: &Program, extent: Extent) -> String {
    let (shared, order) = Shared::new(&program.pool, &roots(program));
    let names = Names::new(program.variables.iter().map(|v| v.name.as_str()));
    let mut w = Writer { program, extent, names, shared, out: String::new(), indent: 0 };
    w.head();
    for e in order {
        let value = w.formula(e, true);
        let number = w.formula(e, false);
        w.line(&format!("expression {number} = {value};"));
    }
    w.equations();
    w.tables();
    w.section("parameters", &program.parameters);
    w.section("initial", &program.initial);
    w.checks();
    w.section("dynamics", &program.dynamics);
    w.section("outputs", &program.outputs);
    w.section("discrete", &program.discrete);
    if let Some(d) = &program.discretized {
        w.discretized("discretized", d);
    }
    if extent == Extent::All {
        w.report(&program.report);
    }
    w.out
}

/// All expressions that are written.
fn roots(program: &Program) -> Vec<ExprId> {
    let mut out: Vec<ExprId> = program.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
    out.extend(program.checks.iter().flat_map(|c| [c.lhs, c.rhs]));
    out.extend(program.state_sets.iter().flat_map(|s| &s.jacobian));
    out.extend(program.time_events.iter().flat_map(|e| [e.instant, e.slope]));
    out.extend(program.samples.iter().flat_map(|s| [s.start, s.interval]));
    out.extend(program.delays.iter().flat_map(|d| [d.delay, d.maximum]));
    for t in &program.transports {
        out.extend([t.position, t.forward].iter().chain(&t.points).chain(&t.values));
    }
    out.extend(program.bounds.iter().flat_map(|b| b.min.iter().chain(&b.max)));
    let inlined = program.discretized.iter().flat_map(|d| [Some(d), d.filter.as_deref()]).flatten();
    let inlined = inlined.flat_map(|d| [&d.factors, &d.steps].into_iter().chain(&d.crossings));
    let own = [&program.parameters, &program.initial, &program.dynamics, &program.outputs, &program.discrete];
    let mut open: Vec<&Step> = own.into_iter().chain(inlined).flatten().collect();
    while let Some(step) = open.pop() {
        match step {
            Step::Assign(assign) => out.push(assign.value),
            Step::Call(call) => out.extend(&call.args),
            Step::Reinit(_, e) | Step::Terminate(e) => out.push(*e),
            Step::Assert(assert) => out.extend([assert.condition, assert.message]),
            Step::If(condition, then, otherwise) => {
                out.push(*condition);
                open.extend(then.iter().chain(otherwise));
            }
            Step::System(system) => {
                if let Form::Linear { guard: Some(guard), .. } = &system.form {
                    open.extend(&guard.check);
                }
                open.extend(flow::parts(&system.form));
            }
            Step::When(when) => open.extend(when.branches.iter().flat_map(|b| &b.steps)),
            Step::Solve(_) | Step::Relation(_) => {}
        }
    }
    out
}

struct Writer<'a> {
    program: &'a Program,
    extent: Extent,
    names: Names,
    shared: Shared,
    out: String,
    indent: usize,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
    }

    fn name(&self, v: VarId) -> &str {
        self.names.of(v)
    }

    fn names<'v>(&self, list: impl IntoIterator<Item = &'v VarId>) -> String {
        let names: Vec<&str> = list.into_iter().map(|&v| self.name(v)).collect();
        format!("({})", names.join(", "))
    }

    fn formula(&self, e: ExprId, own: bool) -> String {
        expression(&self.program.pool, &self.names, &self.shared, e, own)
    }

    fn expr(&self, e: ExprId) -> String {
        self.formula(e, false)
    }

    fn exprs(&self, list: &[ExprId]) -> String {
        let all: Vec<String> = list.iter().map(|&e| self.expr(e)).collect();
        format!("({})", all.join(", "))
    }

    fn is_all(&self) -> bool {
        self.extent == Extent::All
    }

    fn head(&mut self) {
        let program = self.program;
        self.line(&format!("program {};", quoted(&program.name)));
        let e = &program.experiment;
        let values =
            [("start", e.start), ("stop", e.stop), ("tolerance", e.tolerance), ("interval", e.interval)];
        let values: Vec<String> =
            values.iter().filter_map(|(n, v)| v.map(|v| format!(" {n} {}", number(v)))).collect();
        if !values.is_empty() {
            self.line(&format!("experiment{};", values.concat()));
        }
        for e in &program.enumerations {
            let literals: Vec<String> = e.literals.iter().map(|l| format!(" {}", quoted(l))).collect();
            self.line(&format!("enumeration {}{};", quoted(&e.name), literals.concat()));
        }
        for (id, function) in program.pool.functions() {
            let data = postcard::to_stdvec(function).unwrap_or_default();
            let data: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
            self.line(&format!("function {} {} {};", id.0, quoted(&function.name), quoted(&data)));
        }
        for (i, variable) in program.variables.iter().enumerate() {
            let text = self.variable(VarId(i as u32), variable);
            self.line(&text);
        }
    }

    fn variable(&self, id: VarId, v: &Variable) -> String {
        let mut text = format!("variable {}: {} {}", self.name(id), type_name(v.ty), self.kind(v.kind));
        if v.start_said || v.value.to_bits() != 0 {
            let _ = write!(text, " = {}", number(v.value));
        }
        if v.nominal_said {
            let _ = write!(text, " nominal {}", number(v.nominal));
        } else if v.nominal != 1.0 {
            let _ = write!(text, " assumed {}", number(v.nominal));
        }
        if v.min != f64::NEG_INFINITY {
            let _ = write!(text, " min {}", number(v.min));
        }
        if v.max != f64::INFINITY {
            let _ = write!(text, " max {}", number(v.max));
        }
        if self.is_all() {
            if !v.unit.is_empty() {
                let _ = write!(text, " unit {}", quoted(&v.unit));
            }
            if !v.description.is_empty() {
                let _ = write!(text, " text {}", quoted(&v.description));
            }
            if v.protected {
                text.push_str(" protected");
            }
        }
        text.push(';');
        text
    }

    fn kind(&self, kind: Kind) -> String {
        match kind {
            Kind::Parameter => "parameter".to_owned(),
            Kind::State => "state".to_owned(),
            Kind::Derivative => "derivative".to_owned(),
            Kind::Algebraic => "algebraic".to_owned(),
            Kind::Discrete => "discrete".to_owned(),
            Kind::Helper => "helper".to_owned(),
            Kind::Alias(alias) => {
                format!("alias {}{}", if alias.negated { "-" } else { "" }, self.name(alias.target))
            }
        }
    }

    fn location(&self, location: Option<Location>) -> String {
        match location.filter(|_| self.is_all()) {
            Some(l) => format!(" at {}:{}:{}", l.source.0, l.span.start, l.span.end),
            None => String::new(),
        }
    }

    fn origin(&self, origin: &Origin) -> String {
        if !self.is_all() {
            return String::new();
        }
        let mut text = String::new();
        if !origin.component.is_empty() {
            let _ = write!(text, " in {}", quoted(&origin.component));
        }
        if origin.kind != OriginKind::Equation {
            let _ = write!(text, " from {}", origin_name(origin.kind));
        }
        text + &self.location(origin.location)
    }

    fn equations(&mut self) {
        for e in &self.program.equations {
            let mut text = format!("equation {} = {}", self.expr(e.lhs), self.expr(e.rhs));
            if e.differentiated > 0 {
                let _ = write!(text, " differentiated {}", e.differentiated);
            }
            if let Some(model) = e.model.filter(|_| self.is_all()) {
                let _ = write!(text, " model {model}");
            }
            text += &self.origin(&e.origin);
            self.line(&(text + ";"));
        }
    }

    fn checks(&mut self) {
        for c in &self.program.checks {
            let mut text = format!("check {} = {}", self.expr(c.lhs), self.expr(c.rhs));
            let _ = write!(text, " text {}", quoted(&c.text));
            if let Some(v) = c.fixed {
                let _ = write!(text, " fixed {}", self.name(v));
            }
            if let Some(place) = c.settled.filter(|_| self.is_all()) {
                let _ = write!(text, " settled{}", self.location(Some(place)));
            }
            if c.unconnected {
                text.push_str(" unconnected");
            }
            text += &self.origin(&c.origin);
            self.line(&(text + ";"));
        }
    }

    fn tables(&mut self) {
        let p = self.program;
        let mut lines = Vec::new();
        for s in &p.states {
            lines.push(format!("state {} {}", self.name(s.variable), self.name(s.derivative)));
        }
        for s in &p.state_sets {
            let rows: Vec<String> =
                s.selection.iter().map(|row| format!(" row {}", self.names(row))).collect();
            lines.push(format!(
                "stateset {} of {} settled {} jacobian {}{}",
                self.names(&s.states),
                self.names(&s.candidates),
                s.settled,
                self.exprs(&s.jacobian),
                rows.concat()
            ));
        }
        for r in &p.relations {
            let sign = if r.or_equal { "<=" } else { "<" };
            let trace = if r.trace { " trace" } else { "" };
            let timed = r.timed.map_or(String::new(), |t| format!(" timed {t}"));
            let (v, d) = (self.name(r.variable), self.name(r.difference));
            lines.push(format!("relation {v} = {d} {sign} 0{trace}{timed}"));
        }
        for e in &p.time_events {
            lines.push(format!("timeevent {} slope {}", self.expr(e.instant), self.expr(e.slope)));
        }
        for s in &p.samples {
            let (v, start) = (self.name(s.variable), self.expr(s.start));
            lines.push(format!("sample {v} start {start} interval {}", self.expr(s.interval)));
        }
        for d in &p.delays {
            let (v, input) = (self.name(d.variable), self.name(d.input));
            lines.push(format!(
                "delay {v} of {input} by {} max {}",
                self.expr(d.delay),
                self.expr(d.maximum)
            ));
        }
        for t in &p.transports {
            lines.push(format!(
                "transport {} of {} position {} forward {} points {} values {} arrivals {} relations ({}, {})",
                self.names(&t.outputs),
                self.names(&t.inputs),
                self.expr(t.position),
                self.expr(t.forward),
                self.exprs(&t.points),
                self.exprs(&t.values),
                self.names(&t.arrivals),
                t.relations[0],
                t.relations[1]
            ));
        }
        if !p.discrete_variables.is_empty() {
            lines.push(format!("held {}", self.names(&p.discrete_variables)));
        }
        for pre in &p.pre {
            lines.push(format!("past {} of {}", self.name(pre.slot), self.name(pre.variable)));
        }
        let flags = [("initial", p.initial_flag), ("terminal", p.terminal_flag), ("homotopy", p.homotopy)];
        for (what, flag) in flags {
            lines.extend(flag.map(|v| format!("flag {what} {}", self.name(v))));
        }
        for b in &p.bounds {
            let min = b.min.map_or(String::new(), |e| format!(" min {}", self.expr(e)));
            let max = b.max.map_or(String::new(), |e| format!(" max {}", self.expr(e)));
            lines.push(format!("bounds {}{min}{max}{}", self.name(b.variable), self.location(b.location)));
        }
        lines.iter().for_each(|line| self.line(&format!("{line};")));
    }

    fn section(&mut self, name: &str, steps: &[Step]) {
        if !steps.is_empty() {
            self.block(name, steps);
        }
    }

    /// `head { steps }`
    fn block(&mut self, head: &str, steps: &[Step]) {
        if steps.is_empty() {
            return self.line(&format!("{head} {{}}"));
        }
        self.line(&format!("{head} {{"));
        self.indent += 1;
        steps.iter().for_each(|step| self.step(step));
        self.indent -= 1;
        self.line("}");
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Assign(a) => {
                let from = a.equation.map_or(String::new(), |e| format!(" @{}", e.0));
                self.line(&format!("{} := {}{from};", self.name(a.variable), self.expr(a.value)));
            }
            Step::Call(call) => {
                let outputs: Vec<&str> =
                    call.outputs.iter().map(|o| o.map_or("_", |v| self.names.of(v))).collect();
                let impure = if call.impure { " impure" } else { "" };
                let args = self.exprs(&call.args);
                let text = format!("call {}{args} -> ({}){impure};", call.function.0, outputs.join(", "));
                self.line(&text);
            }
            Step::Solve(solve) => self.solve(solve),
            Step::System(system) => self.system(system),
            Step::When(when) => {
                let acts = if when.acts { " acts" } else { "" };
                let origin = self.origin(&when.origin);
                self.line(&format!("when{acts}{origin} {{"));
                self.indent += 1;
                for branch in &when.branches {
                    let initial = if branch.initial { " initial" } else { "" };
                    let head = format!("branch{initial} {}", self.names(&branch.conditions));
                    self.block(&head, &branch.steps);
                }
                self.indent -= 1;
                self.line("}");
            }
            Step::Reinit(v, e) => self.line(&format!("reinit {} := {};", self.name(*v), self.expr(*e))),
            Step::Assert(a) => {
                let mut text = format!("assert {} message {}", self.expr(a.condition), self.expr(a.message));
                if let Some(v) = a.holds {
                    let _ = write!(text, " holds {}", self.name(v));
                }
                if a.warning {
                    text.push_str(" warning");
                }
                text += &self.origin(&a.origin);
                self.line(&(text + ";"));
            }
            Step::Relation(k) => self.line(&format!("relation {k};")),
            Step::Terminate(e) => self.line(&format!("terminate {};", self.expr(*e))),
            Step::If(condition, then, otherwise) => {
                self.block(&format!("if {}", self.expr(*condition)), then);
                self.block("else", otherwise);
            }
        }
    }

    fn entries(&self, entries: &[(u32, u32, VarId)]) -> String {
        let all: Vec<String> =
            entries.iter().map(|&(r, c, v)| format!("({r}, {c}) {}", self.name(v))).collect();
        format!("({})", all.join(", "))
    }

    fn solve(&mut self, solve: &Solve) {
        let kind = match solve.kind {
            SolveKind::Dense => "dense",
            SolveKind::Symmetric => "symmetric",
            SolveKind::Sparse => "sparse",
        };
        let constant = if solve.constant { " constant" } else { "" };
        let entries = self.entries(&solve.entries);
        let (rhs, unknowns) = (self.names(&solve.rhs), self.names(&solve.unknowns));
        self.line(&format!("solve {kind}{constant} {entries} * {unknowns} = {rhs};"));
    }

    fn equation_list(&self, list: &[EquationRef]) -> String {
        let all: Vec<String> = list.iter().map(|e| e.0.to_string()).collect();
        format!("({})", all.join(", "))
    }

    /// What all systems have.
    fn of_system(&self, system: &System) -> String {
        let mut text = String::new();
        if system.mixed {
            text.push_str(" mixed");
        }
        let (equations, unknowns) = (self.equation_list(&system.equations), self.names(&system.unknowns));
        let _ = write!(text, " equations {equations} unknowns {unknowns}");
        if !system.tearing_variables.is_empty() {
            let _ = write!(text, " tearing {}", self.names(&system.tearing_variables));
        }
        if !system.residuals.is_empty() {
            let _ = write!(text, " residues {}", self.equation_list(&system.residuals));
        }
        if self.is_all() {
            text.extend(system.alternatives.iter().map(alternative));
        }
        text
    }

    fn system(&mut self, system: &System) {
        let own = self.of_system(system);
        match &system.form {
            Form::Linear { method, symmetric, steps, guard } => {
                let symmetric = if *symmetric { " symmetric" } else { "" };
                self.block(&format!("linear {}{symmetric}{own}", method_name(*method)), steps);
                if let Some(guard) = guard {
                    self.guard(guard);
                }
            }
            Form::Nonlinear(n) => {
                let (unknowns, residuals) = (self.names(&n.unknowns), self.names(&n.residuals));
                let iteration = iteration_name(n.iteration);
                self.block(
                    &format!("nonlinear {iteration}{own} iterate {unknowns} residuals {residuals}"),
                    &n.steps,
                );
                if let Some(Jacobian { steps, entries, sensitivities }) = &n.jacobian {
                    let mut head = format!("jacobian {}", self.entries(entries));
                    if !sensitivities.is_empty() {
                        let all: Vec<String> = sensitivities
                            .iter()
                            .map(|&(x, c, v)| format!("({}, {c}) {}", self.name(x), self.name(v)))
                            .collect();
                        let _ = write!(head, " sensitivities ({})", all.join(", "));
                    }
                    self.block(&head, steps);
                }
            }
            Form::Mixed { continuous, relations, discrete, unknowns } => {
                let all: Vec<String> = relations.iter().map(u32::to_string).collect();
                let head = format!("mixed{own} relations ({}) held {}", all.join(", "), self.names(unknowns));
                self.block(&head, continuous);
                self.block("discrete", discrete);
            }
        }
    }

    fn pairs(&self, what: &str, pairs: &[(VarId, VarId)]) -> String {
        if pairs.is_empty() {
            return String::new();
        }
        let all: Vec<String> =
            pairs.iter().map(|&(a, b)| format!("({}, {})", self.name(a), self.name(b))).collect();
        format!(" {what} ({})", all.join(", "))
    }

    fn guard(&mut self, guard: &Guard) {
        let pivots = self.pairs("pivots", &guard.pivots);
        let sums = self.pairs("sums", &guard.sums);
        let residuals = self.pairs("residuals", &guard.residuals);
        self.block(&format!("guard{pivots}{sums}{residuals}"), &guard.check);
        self.block("fallback", &guard.fallback);
    }

    fn discretized(&mut self, name: &str, d: &Discretized) {
        self.line(&format!("{name} {} {{", quoted(&d.method)));
        self.indent += 1;
        let h = d.h.map(|v| format!("h {};", self.name(v)));
        h.iter().for_each(|line| self.line(line));
        let old = self.names(&d.old);
        self.line(&format!("old {old};"));
        for stage in &d.stages {
            let time = stage.time.map_or(String::new(), |v| format!(" time {}", self.name(v)));
            let states: Vec<(VarId, VarId)> =
                stage.states.iter().map(|s| (s.variable, s.derivative)).collect();
            let (states, copies) = (self.pairs("states", &states), self.pairs("copies", &stage.copies));
            self.line(&format!("stage{time}{states}{copies};"));
        }
        if !d.substituted.is_empty() {
            let all: Vec<String> = d.substituted.iter().map(u32::to_string).collect();
            self.line(&format!("substituted ({});", all.join(", ")));
        }
        self.section("factors", &d.factors);
        self.block("steps", &d.steps);
        if let Some(crossings) = &d.crossings {
            self.block("crossings", crossings);
        }
        if let Some(filter) = &d.filter {
            self.discretized("filter", filter);
        }
        self.indent -= 1;
        self.line("}");
    }

    fn report(&mut self, r: &Report) {
        self.line(&format!(
            "report equations {} unknowns {} aliases {};",
            r.equations, r.unknowns, r.aliases
        ));
        for (equation, trivial) in &r.trivial {
            let what = match trivial {
                Trivial::Same => "same",
                Trivial::Number => "number",
                Trivial::Derivative => "derivative",
            };
            self.line(&format!("trivial {equation} {what};"));
        }
        let lists = [("reduced", &r.index_reduced), ("decision", &r.decisions), ("valueless", &r.valueless)];
        for (what, list) in lists {
            list.iter().for_each(|text| self.line(&format!("{what} {};", quoted(text))));
        }
        r.stiffness.iter().for_each(|text| self.line(&format!("stiffness {};", quoted(text))));
    }
}

fn alternative(a: &Alternative) -> String {
    let way = WAYS.iter().find(|(way, _)| *way == a.way).map_or("torn", |(_, name)| name);
    let chosen = if a.chosen { " chosen" } else { "" };
    let price = number(a.price);
    format!(
        " way {way} left {} mul {} add {} once {} price {price}{chosen} note {}",
        a.left,
        a.mul,
        a.add,
        a.once,
        quoted(&a.note)
    )
}

pub(super) const WAYS: [(Way, &str); 5] = [
    (Way::Torn, "torn"),
    (Way::TornAsDeclared, "declared"),
    (Way::Eliminated, "eliminated"),
    (Way::Relaxed, "relaxed"),
    (Way::Sparse, "sparse"),
];

fn method_name(method: LinearMethod) -> &'static str {
    METHODS.iter().find(|(m, _)| *m == method).map_or("torn", |(_, name)| name)
}

pub(super) const METHODS: [(LinearMethod, &str); 4] = [
    (LinearMethod::ClosedForm, "closed"),
    (LinearMethod::Torn, "torn"),
    (LinearMethod::Relaxed, "relaxed"),
    (LinearMethod::Sparse, "sparse"),
];

fn iteration_name(iteration: Iteration) -> &'static str {
    ITERATIONS.iter().find(|(i, _)| *i == iteration).map_or("newton", |(_, name)| name)
}

pub(super) const ITERATIONS: [(Iteration, &str); 3] =
    [(Iteration::Newton, "newton"), (Iteration::Jacobi, "jacobi"), (Iteration::GaussSeidel, "gauss_seidel")];

fn origin_name(kind: OriginKind) -> &'static str {
    ORIGINS.iter().find(|(k, _)| *k == kind).map_or("equation", |(_, name)| name)
}

pub(super) const ORIGINS: [(OriginKind, &str); 6] = [
    (OriginKind::Equation, "equation"),
    (OriginKind::Binding, "binding"),
    (OriginKind::Algorithm, "algorithm"),
    (OriginKind::Connect, "connect"),
    (OriginKind::FlowSum, "flowsum"),
    (OriginKind::Unconnected, "unconnected"),
];

pub(super) fn type_name(ty: Type) -> String {
    match ty {
        Type::Real => "Real".to_owned(),
        Type::Integer => "Integer".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::String => "String".to_owned(),
        Type::Clock => "Clock".to_owned(),
        Type::Enumeration(k) => format!("enumeration {k}"),
        Type::External(k) => format!("external {k}"),
    }
}
