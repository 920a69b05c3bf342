//! What the passes work on: variables and equations between the flat model and the program.

use kausal_model::flat::{self, FlatModel, Hint, HintKind, Origin, StateSelect};
use kausal_symbolic::function::calls::Calls;
use kausal_symbolic::interval::Interval;
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::rewrite::Memo;
use crate::program::{Delay, Pre, Relation, Report, Sample, SingularPart, TimeEvent, Transport};

/// The state of a translation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    pub pool: Pool,
    pub calls: Calls,
    pub vars: Vec<Var>,
    pub equations: Vec<Equation>,
    pub initial_equations: Vec<Equation>,
    pub actions: Vec<flat::Action>,
    pub initial_actions: Vec<flat::Action>,
    /// Actions of `when` clauses other than assignments, with the conditions under which they happen.
    pub when_actions: Vec<WhenActions>,
    pub relations: Vec<Relation>,
    pub time_events: Vec<TimeEvent>,
    pub samples: Vec<Sample>,
    pub delays: Vec<Delay>,
    pub transports: Vec<Transport>,
    pub pre: Vec<Pre>,
    pre_index: FxHashMap<VarId, VarId>,
    /// Zeros and ones by which the run selects states.
    pub selectors: FxHashSet<VarId>,
    /// A table by variable, `None` everywhere between its uses.
    places: Vec<Option<u32>>,
    /// What is continuous by its own word causes no events, whether it is smooth or not.
    pub continuous_silent: bool,
    pub initial_flag: Option<VarId>,
    pub terminal_flag: Option<VarId>,
    pub homotopy: Option<VarId>,
    /// Where the values of variables lie, as far as attributes and parameter values tell.
    pub bounds: Vec<Interval>,
    /// Hints of equations that left as trivial: what is torn or relaxed, with no equation to go with it.
    pub lone_hints: Vec<(HintKind, ExprId)>,
    /// What those of them name whose residue equation another equation stands in for.
    pub lone_standing: Vec<ExprId>,
    /// The equations of the flat model as they were, by their places there.
    pub written: Vec<(ExprId, ExprId)>,
    /// Equations of the initial problem that say what a variable starts with, and which.
    pub starts: FxHashMap<usize, VarId>,
    /// Variables with a fixed start value that are always a number or a parameter, and where that is said.
    pub settled: Vec<(VarId, Settled)>,
    /// Variables that a translator command wants not to be states.
    pub no_states: Vec<VarId>,
    /// Parameters by whose values something was decided that would be wrong with others.
    pub decided_by: FxHashSet<VarId>,
    /// Connectors that nothing is connected to.
    pub open: Vec<String>,
    /// Where the components of the model itself are declared.
    pub components: FxHashMap<String, Location>,
    /// The parts without a unique solution, where there are some.
    pub singular: Vec<SingularPart>,
    pub report: Report,
    pub diagnostics: Vec<Diagnostic>,
}

/// Where it is said that a variable is a number or a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled {
    pub place: Option<Location>,
    /// Nothing is connected there, so nothing flows.
    pub unconnected: bool,
}

/// A variable between flat model and program.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: String,
    pub ty: flat::Type,
    pub role: Role,
    pub binding: Option<ExprId>,
    pub start: Option<ExprId>,
    pub fixed: Option<bool>,
    pub min: Option<ExprId>,
    pub max: Option<ExprId>,
    pub nominal: Option<ExprId>,
    pub select: StateSelect,
    pub unit: String,
    pub description: String,
    pub protected: bool,
    pub location: Option<Location>,
    /// Where its start value is given.
    pub start_location: Option<Location>,
    /// The variable that is its time derivative, if one was needed.
    pub derivative: Option<VarId>,
    /// The variable it is the time derivative of.
    pub integral: Option<VarId>,
    /// Eliminated: equal to another variable, or to its negative.
    pub alias: Option<(VarId, bool)>,
    /// The run reads it by its own name: it is not eliminated.
    pub keep: bool,
    /// The translation made it; the model does not have it.
    pub made: bool,
    /// A parameter that cannot be changed after translation.
    pub evaluated: bool,
    /// An input that changes at events only: it is not Real, or declared `discrete`.
    pub held: bool,
}

/// Who gives a variable its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its binding, before the run.
    Parameter,
    /// The initial problem (`fixed = false`).
    FreeParameter,
    /// The outside world.
    Input,
    /// An equation, at all times.
    Continuous,
    /// An equation or `when` clause, at events.
    Discrete,
    /// The run itself: flags, samples, `pre` values.
    Run,
    /// The steps of a system, on the way.
    Temporary,
}

/// An equation between flat model and program.
#[derive(Clone, Debug)]
pub(crate) struct Equation {
    pub lhs: ExprId,
    pub rhs: ExprId,
    pub origin: Origin,
    pub form: EquationForm,
    /// How often it was differentiated.
    pub order: u32,
    /// Its place among the equations of the flat model, if it is one of them.
    pub model: Option<u32>,
    /// Variables marked `residue` in it, and whether it is marked as a residue equation.
    pub hints: Vec<(HintKind, ExprId)>,
}

/// The forms of an equation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EquationForm {
    /// Both sides are equal; any Real variable in it may be solved for.
    Plain,
    /// A relation or `floor`: gives the variable on its left its value at events.
    Memory(VarId),
    /// A discrete variable that is assigned in `when` clauses: branches of conditions and values.
    When(VarId, Vec<WhenCase>),
}

/// One branch of the `when` clause that assigns a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WhenCase {
    /// Boolean variables whose rising edge starts it.
    pub conditions: Vec<VarId>,
    /// Also at the start.
    pub initial: bool,
    /// The new value; `None` when this branch does not touch the variable.
    pub value: Option<ExprId>,
}

/// Actions of one `when` clause.
#[derive(Clone, Debug)]
pub(crate) struct WhenActions {
    pub branches: Vec<(Vec<VarId>, bool, Vec<flat::Action>)>,
    pub origin: Origin,
}

impl Work {
    /// Copies a flat model into the form the passes need; bindings of variables are equations already.
    pub fn new(model: &FlatModel) -> Work {
        let mut work = Work { pool: model.pool.clone(), ..Work::default() };
        // What strings are that nothing gives a value (specification section 4.8).
        work.pool.text("");
        work.vars = model.variables.iter().map(variable).collect();
        work.equations = model.equations.iter().map(equation).collect();
        release_bound_inputs(&mut work, model);
        work.equations.iter_mut().zip(0..).for_each(|(e, i)| e.model = Some(i));
        work.written = model.equations.iter().map(|e| (e.lhs, e.rhs)).collect();
        work.open = open_connectors(model);
        work.components = model.components.iter().cloned().collect();
        work.initial_equations = model.initial_equations.iter().map(equation).collect();
        work.actions = model.actions.clone();
        work.initial_actions = model.initial_actions.clone();
        for &Hint { equation, target, kind } in &model.hints {
            if let Some(e) = work.equations.get_mut(equation.0 as usize) {
                e.hints.push((kind, target));
            }
        }
        work
    }

    /// A work of its own on the same variables and expressions, without equations; [`Work::take_back`] ends it.
    pub fn lend(&mut self) -> Work {
        Work {
            pool: std::mem::take(&mut self.pool),
            calls: std::mem::take(&mut self.calls),
            vars: std::mem::take(&mut self.vars),
            bounds: std::mem::take(&mut self.bounds),
            diagnostics: std::mem::take(&mut self.diagnostics),
            ..Work::default()
        }
    }

    /// Takes back what was lent.
    pub fn take_back(&mut self, lent: &mut Work) {
        self.pool = std::mem::take(&mut lent.pool);
        self.calls = std::mem::take(&mut lent.calls);
        self.vars = std::mem::take(&mut lent.vars);
        self.bounds = std::mem::take(&mut lent.bounds);
        self.diagnostics = std::mem::take(&mut lent.diagnostics);
    }

    /// For every variable its place among `columns`. The table is lent, so that asking for few columns of a large model
    /// costs those few: it goes back with [`Work::give_places`].
    pub fn take_places(&mut self, columns: &[VarId]) -> Vec<Option<u32>> {
        let mut places = std::mem::take(&mut self.places);
        places.resize(self.vars.len(), None);
        for (i, &v) in columns.iter().enumerate() {
            places[v.index()] = Some(i as u32);
        }
        places
    }

    /// Takes the table of [`Work::take_places`] back.
    pub fn give_places(&mut self, mut places: Vec<Option<u32>>, columns: &[VarId]) {
        for &v in columns {
            places[v.index()] = None;
        }
        self.places = places;
    }

    /// Adds a variable.
    pub fn add_var(&mut self, var: Var) -> VarId {
        self.vars.push(var);
        VarId(self.vars.len() as u32 - 1)
    }

    /// Adds a helper variable of the translation.
    pub fn add_helper(&mut self, name: String, ty: flat::Type, role: Role) -> VarId {
        self.add_var(Var::helper(name, ty, role))
    }

    /// What a variable stands for, and whether with the other sign.
    pub fn resolve(&self, id: VarId) -> (VarId, bool) {
        let (mut id, mut negated) = (id, false);
        while let Some((target, n)) = self.var(id).alias {
            negated ^= n;
            id = target;
        }
        (id, negated)
    }

    /// What can trigger a `when` clause, of the conditions it was lifted with: a condition that turned out a number never rises.
    pub fn triggers(&self, conditions: &[VarId]) -> Vec<VarId> {
        let resolved = conditions.iter().map(|&condition| self.resolve(condition).0);
        resolved.filter(|&v| !(self.var(v).made && self.is_parameter(v))).collect()
    }

    /// A variable.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    /// How messages call a variable: a helper reads like the expression it stands for.
    pub fn shown(&self, id: VarId) -> &str {
        let var = self.var(id);
        let helper = var.made && var.integral.is_none() && !var.description.is_empty();
        if helper { &var.description } else { &var.name }
    }

    /// The variable that stands for the derivative of `id`, made if need be.
    pub fn derivative_of(&mut self, id: VarId) -> VarId {
        if let Some(d) = self.var(id).derivative {
            return d;
        }
        let var = self.var(id);
        // The outside world gives the derivatives of what it gives.
        let role = if self.is_given(id) { Role::Input } else { Role::Continuous };
        let mut d = Var::helper(format!("der({})", var.name), flat::Type::Real, role);
        d.unit = per_second(&var.unit);
        d.location = var.location;
        d.protected = var.protected;
        d.integral = Some(id);
        d.description = format!("derivative of {}", var.name);
        let d = self.add_var(d);
        self.vars[id.index()].derivative = Some(d);
        d
    }

    /// The variable that stands for `pre(id)`, made if need be.
    pub fn pre_of(&mut self, id: VarId) -> VarId {
        if let Some(&slot) = self.pre_index.get(&id) {
            return slot;
        }
        let var = self.var(id);
        let mut pre = Var::helper(format!("pre({})", var.name), var.ty, Role::Run);
        (pre.start, pre.fixed) = (var.start, var.fixed);
        (pre.location, pre.start_location) = (var.location, var.start_location);
        let slot = self.add_var(pre);
        self.pre_index.insert(id, slot);
        self.pre.push(Pre { variable: id, slot });
        slot
    }

    /// Does its value change between events?
    pub fn is_continuous(&self, id: VarId) -> bool {
        // Who sets a held input outside of events, as programs around C do, relies on its relations being watched.
        matches!(self.var(id).role, Role::Continuous | Role::Input)
    }

    /// Is it given from outside, or the derivative of what is?
    pub fn is_given(&self, id: VarId) -> bool {
        let var = self.var(id);
        var.role == Role::Input && (!var.made || var.integral.is_some())
    }

    /// Does it change at events only?
    pub fn is_discrete(&self, id: VarId) -> bool {
        let var = self.var(id);
        var.role == Role::Discrete || var.held
    }

    /// Is it known before the run?
    pub fn is_parameter(&self, id: VarId) -> bool {
        self.var(id).role == Role::Parameter
    }

    /// Replaces every expression the passes look at; `f` gets the pool, a memo shared by all, and the expression.
    pub fn map_expressions(&mut self, f: &mut dyn FnMut(&mut Pool, &mut Memo, ExprId) -> ExprId) {
        let mut memo = Memo::dense();
        let Work { pool, vars, equations, initial_equations, .. } = self;
        let mut go = |pool: &mut Pool, e: &mut ExprId| *e = f(pool, &mut memo, *e);
        for e in equations.iter_mut().chain(initial_equations.iter_mut()) {
            // The memory of a relation keeps its own variable on the left.
            go(pool, &mut e.lhs);
            go(pool, &mut e.rhs);
            for (_, target) in &mut e.hints {
                go(pool, target);
            }
            if let EquationForm::When(_, cases) = &mut e.form {
                for value in cases.iter_mut().filter_map(|case| case.value.as_mut()) {
                    go(pool, value);
                }
            }
        }
        for target in self.lone_hints.iter_mut().map(|(_, target)| target).chain(&mut self.lone_standing) {
            go(pool, target);
        }
        for v in vars.iter_mut() {
            for e in
                [&mut v.binding, &mut v.start, &mut v.min, &mut v.max, &mut v.nominal].into_iter().flatten()
            {
                go(pool, e);
            }
        }
        for actions in [&mut self.actions, &mut self.initial_actions] {
            map_actions(actions, &mut |e| go(pool, e));
        }
        for when in &mut self.when_actions {
            for (_, _, actions) in &mut when.branches {
                map_actions(actions, &mut |e| go(pool, e));
            }
        }
        for e in &mut self.time_events {
            go(pool, &mut e.instant);
            go(pool, &mut e.slope);
        }
        for s in &mut self.samples {
            go(pool, &mut s.start);
            go(pool, &mut s.interval);
        }
        for d in &mut self.delays {
            go(pool, &mut d.delay);
            go(pool, &mut d.maximum);
        }
        for t in &mut self.transports {
            go(pool, &mut t.position);
            go(pool, &mut t.forward);
            t.points.iter_mut().chain(&mut t.values).for_each(|e| go(pool, e));
        }
    }

    /// `lhs - rhs`.
    pub fn residual(&mut self, equation: usize) -> ExprId {
        let Equation { lhs, rhs, .. } = self.equations[equation];
        subtract(&mut self.pool, lhs, rhs)
    }
}

pub(crate) fn map_actions(actions: &mut [flat::Action], go: &mut dyn FnMut(&mut ExprId)) {
    for action in actions {
        match &mut action.kind {
            flat::ActionKind::Assign(_, e)
            | flat::ActionKind::Reinit(_, e)
            | flat::ActionKind::Terminate(e)
            | flat::ActionKind::Call(e) => go(e),
            flat::ActionKind::Assert { condition, message, .. } => {
                go(condition);
                go(message);
            }
            flat::ActionKind::If(c, a, b) => {
                go(c);
                map_actions(a, go);
                map_actions(b, go);
            }
        }
    }
}

/// `a - b`.
pub(crate) fn subtract(pool: &mut Pool, a: ExprId, b: ExprId) -> ExprId {
    let negative = pool.op(Op::Neg, &[b]);
    pool.op(Op::Add, &[a, negative])
}

impl Var {
    /// A variable the model does not have.
    pub fn helper(name: String, ty: flat::Type, role: Role) -> Var {
        Var {
            name,
            ty,
            role,
            binding: None,
            start: None,
            fixed: None,
            min: None,
            max: None,
            nominal: None,
            select: StateSelect::Default,
            unit: String::new(),
            description: String::new(),
            protected: true,
            location: None,
            start_location: None,
            derivative: None,
            integral: None,
            alias: None,
            keep: false,
            made: true,
            evaluated: false,
            held: false,
        }
    }
}

/// An input with a declaration equation is not given from outside (specification section 4.8).
fn release_bound_inputs(work: &mut Work, model: &FlatModel) {
    let bindings = model.equations.iter().filter(|e| e.origin.kind == flat::OriginKind::Binding);
    for v in bindings.filter_map(|e| model.pool.as_var(e.lhs)) {
        let var = &mut work.vars[v.index()];
        if var.role == Role::Input {
            let continuous =
                var.ty == flat::Type::Real && model.variable(v).variability == flat::Variability::Continuous;
            var.role = if continuous { Role::Continuous } else { Role::Discrete };
            var.held = false;
        }
    }
}

fn variable(v: &flat::Variable) -> Var {
    let real = v.ty == flat::Type::Real;
    let role = match v.variability {
        flat::Variability::Constant => Role::Parameter,
        flat::Variability::Parameter if v.fixed == Some(false) => Role::FreeParameter,
        flat::Variability::Parameter => Role::Parameter,
        _ if v.causality == flat::Causality::Input => Role::Input,
        flat::Variability::Discrete => Role::Discrete,
        flat::Variability::Continuous if real => Role::Continuous,
        flat::Variability::Continuous => Role::Discrete,
    };
    Var {
        role,
        binding: v.binding,
        start: v.start,
        fixed: v.fixed,
        min: v.min,
        max: v.max,
        nominal: v.nominal,
        select: v.state_select,
        unit: v.unit.clone(),
        description: v.description.clone(),
        protected: v.protected,
        location: v.location,
        start_location: v.start_location.or(v.location),
        made: false,
        evaluated: v.evaluated,
        held: role == Role::Input && (!real || v.variability == flat::Variability::Discrete),
        ..Var::helper(v.name.clone(), v.ty, role)
    }
}

fn equation(e: &flat::Equation) -> Equation {
    Equation {
        lhs: e.lhs,
        rhs: e.rhs,
        origin: e.origin.clone(),
        form: EquationForm::Plain,
        order: 0,
        model: None,
        hints: Vec::new(),
    }
}

/// Connectors that nothing is connected to: a flow variable of theirs is zero for that reason.
fn open_connectors(model: &FlatModel) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for e in model.equations.iter().filter(|e| e.origin.kind == flat::OriginKind::Unconnected) {
        let variables = [e.lhs, e.rhs].into_iter().flat_map(|side| model.pool.variables_of(side));
        for v in variables {
            let name = &model.variables[v.index()].name;
            if let Some((connector, _)) = name.rsplit_once('.')
                && names.last().is_none_or(|last| last != connector)
            {
                names.push(connector.to_owned());
            }
        }
    }
    names
}

/// An equation as text.
pub(crate) fn text(work: &Work, equation: usize) -> String {
    let e = &work.equations[equation];
    let name = |v: VarId| work.shown(v).to_owned();
    // What defines a helper says no more than the expression it stands for.
    if let Node::Var(v) = work.pool.node(e.lhs)
        && work.shown(v) != work.var(v).name
    {
        return format!("the value of {}", work.shown(v));
    }
    let side = |e: ExprId| print_limited(&work.pool, e, &name, 200);
    format!("{} = {}", side(e.lhs), side(e.rhs))
}

/// The unit of a derivative by time, as a unit expression (specification chapter 19): one `/`, what is below it in parentheses
/// where it is a product.
fn per_second(unit: &str) -> String {
    if unit.is_empty() {
        return String::new();
    }
    let (above, below) = unit.split_once('/').unwrap_or((unit, ""));
    let below = below.trim_start_matches('(').trim_end_matches(')');
    let mut factors: Vec<String> = below.split('.').filter(|f| !f.is_empty()).map(str::to_owned).collect();
    let seconds = |factor: &str| {
        factor.strip_prefix('s').and_then(|n| if n.is_empty() { Some(1) } else { n.parse().ok() })
    };
    match factors.iter_mut().find_map(|f| seconds(f).filter(|n: &u32| *n < 9).map(|n| (f, n))) {
        Some((factor, power)) => *factor = format!("s{}", power + 1),
        None => factors.push("s".to_owned()),
    }
    match factors.as_slice() {
        [one] => format!("{above}/{one}"),
        several => format!("{above}/({})", several.join(".")),
    }
}

#[cfg(test)]
mod tests {
    use super::per_second;

    #[test]
    fn units_of_derivatives() {
        let of = ["", "V", "1", "rad/s", "m/s2", "N.m/A", "J/(kg.K)", "kg/(m.s)", "1/s"].map(per_second);
        assert_eq!(of, ["", "V/s", "1/s", "rad/s2", "m/s3", "N.m/(A.s)", "J/(kg.K.s)", "kg/(m.s2)", "1/s2"]);
    }
}
