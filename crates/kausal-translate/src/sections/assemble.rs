//! The last pass: variables get their slots and the sections their place in the program.

use kausal_model::FlatModel;
use kausal_model::flat::{Causality, Type};
use kausal_symbolic::substitute::Substitution;
use kausal_symbolic::{ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::emitter::is_atom;
use crate::equations::parameters;
use crate::equations::work::{Role, Work};
use crate::program::{Alias, Bounds, EquationInfo, Input, Kind, Program, State, Step, Variable};
use crate::reduce::index::Selection;
use crate::sections::build::Sections;
use crate::sections::tunable;

/// Puts the program together.
pub(crate) fn assemble(
    work: &mut Work,
    model: &FlatModel,
    selection: Selection,
    mut sections: Sections,
) -> Program {
    let order = parameters::ordered(work);
    let values = parameters::values(work, &order);
    let states: FxHashSet<VarId> = selection.states.iter().copied().collect();
    let derivatives: FxHashSet<VarId> =
        selection.states.iter().filter_map(|s| work.var(*s).derivative).collect();
    let flat_count = model.variables.len();
    let variables = (0..work.vars.len())
        .map(|i| {
            let id = VarId(i as u32);
            let hidden = work.var(id).made && work.var(id).integral.is_none();
            let kind = if hidden {
                Kind::Helper
            } else if let Some((target, negated)) = flattened_alias(work, id) {
                Kind::Alias(Alias { target, negated })
            } else if states.contains(&id) {
                Kind::State
            } else if derivatives.contains(&id) {
                Kind::Derivative
            } else {
                match work.var(id).role {
                    _ if i >= flat_count => Kind::Helper,
                    Role::Parameter | Role::FreeParameter => Kind::Parameter,
                    Role::Discrete => Kind::Discrete,
                    Role::Input if work.var(id).held => Kind::Discrete,
                    Role::Continuous | Role::Input => Kind::Algebraic,
                    Role::Run | Role::Temporary => Kind::Helper,
                }
            };
            variable(work, id, kind, &values)
        })
        .collect();
    let discrete_variables = (0..work.vars.len() as u32)
        .map(VarId)
        .filter(|&v| work.is_discrete(v) && work.var(v).alias.is_none())
        .collect();
    let mut report = std::mem::take(&mut work.report);
    report.unknowns = model
        .variables
        .iter()
        .filter(|v| v.variability > kausal_model::flat::Variability::Parameter)
        .filter(|v| v.causality != Causality::Input)
        .count();
    share_hoisted(work, &mut sections.parameters);
    let structural = tunable::structural(work, model);
    let starts = tunable::starts(work, model, &sections);
    let inputs = inputs(work, model);
    let outputs = (0..).map(VarId).zip(&model.variables).filter(|(_, v)| v.causality == Causality::Output);
    let output_variables = outputs.map(|(v, _)| v).collect();
    let pre = std::mem::take(&mut work.pre);
    let bounds = declared_bounds(work, model);
    Program {
        name: model.name.clone(),
        variables,
        equations: work
            .equations
            .iter()
            .map(|e| EquationInfo {
                lhs: e.lhs,
                rhs: e.rhs,
                origin: e.origin.clone(),
                differentiated: e.order,
                model: e.model,
            })
            .collect(),
        parameters: sections.parameters,
        initial: sections.initial,
        checks: sections.checks,
        dynamics: sections.dynamics,
        outputs: sections.outputs,
        discrete: sections.discrete,
        discretized: sections.discretized,
        clocks: Vec::new(),
        states: selection
            .states
            .iter()
            .filter_map(|&s| work.var(s).derivative.map(|d| State { variable: s, derivative: d }))
            .collect(),
        state_sets: selection.sets,
        relations: std::mem::take(&mut work.relations),
        time_events: std::mem::take(&mut work.time_events),
        samples: std::mem::take(&mut work.samples),
        delays: std::mem::take(&mut work.delays),
        transports: std::mem::take(&mut work.transports),
        discrete_variables,
        pre,
        initial_flag: work.initial_flag,
        terminal_flag: work.terminal_flag,
        homotopy: work.homotopy,
        experiment: model.experiment,
        bounds,
        structural,
        starts,
        inputs,
        output_variables,
        enumerations: model.enumerations.clone(),
        report,
        pool: std::mem::take(&mut work.pool),
    }
}

/// What is given from outside. An input with a declaration equation is not.
fn inputs(work: &Work, model: &FlatModel) -> Vec<Input> {
    let variables = (0..).map(VarId).zip(&model.variables);
    let given = variables.filter(|(v, declared)| {
        declared.causality == Causality::Input && work.is_given(*v) && work.var(*v).alias.is_none()
    });
    given
        .map(|(v, _)| {
            let derivatives = std::iter::successors(work.var(v).derivative, |d| work.var(*d).derivative);
            Input { variable: v, held: work.var(v).held, derivatives: derivatives.collect() }
        })
        .collect()
}

/// The bounds that variables have from their own declaration, in the form the passes have given them.
fn declared_bounds(work: &Work, model: &FlatModel) -> Vec<Bounds> {
    let numeric = |ty: Type| matches!(ty, Type::Real | Type::Integer | Type::Enumeration(_));
    let of = |(i, declared): (usize, &kausal_model::flat::Variable)| {
        let var = &work.vars[i];
        // Infinite ones are no bounds.
        let finite = |e: &ExprId| work.pool.as_constant(*e).is_none_or(|c| c.is_finite());
        let min = var.min.filter(|_| declared.min.is_some()).filter(finite);
        let max = var.max.filter(|_| declared.max.is_some()).filter(finite);
        // A value that is written down has been compared with bounds that are.
        let written = declared.binding.is_some_and(|b| model.pool.as_constant(b).is_some());
        let open = |e: &ExprId| !written || work.pool.as_constant(*e).is_none();
        let (min, max) = (min.filter(open), max.filter(open));
        let bounded = numeric(declared.ty) && (min.is_some() || max.is_some());
        bounded.then_some(Bounds { variable: VarId(i as u32), min, max, location: declared.location })
    };
    model.variables.iter().enumerate().filter_map(of).collect()
}

fn flattened_alias(work: &Work, id: VarId) -> Option<(VarId, bool)> {
    let (target, negated) = work.resolve(id);
    (target != id).then_some((target, negated))
}

fn variable(work: &Work, id: VarId, kind: Kind, values: &FxHashMap<VarId, f64>) -> Variable {
    let var = work.var(id);
    let number = |e: Option<ExprId>| e.and_then(|e| parameters::number(work, e, values));
    let value = match var.role {
        Role::Parameter => values.get(&id).copied(),
        _ => number(var.start),
    };
    let is_real = var.ty == Type::Real;
    let nominal = number(var.nominal).map(f64::abs).filter(|n| *n > 0.0 && n.is_finite());
    let default = parameters::default(work, id);
    Variable {
        name: var.name.clone(),
        kind,
        ty: var.ty,
        value: value.unwrap_or(default),
        start_said: value.is_some() || default != 0.0,
        nominal: nominal.unwrap_or(1.0),
        nominal_said: nominal.is_some(),
        min: number(var.min).filter(|_| is_real).unwrap_or(f64::NEG_INFINITY),
        max: number(var.max).filter(|_| is_real).unwrap_or(f64::INFINITY),
        unit: var.unit.clone(),
        description: var.description.clone(),
        protected: var.protected,
    }
}

/// What several sections take out of themselves to be computed once is the same where it reads the same: the second of two takes
/// the value of the first. Parameters of the model keep their own formulas: they may be changed, each by itself.
fn share_hoisted(work: &mut Work, steps: &mut [Step]) {
    let mut known: FxHashMap<ExprId, VarId> = FxHashMap::default();
    let mut same = Substitution::new();
    for step in steps {
        let Step::Assign(assign) = step else { continue };
        if work.var(assign.variable).role != Role::Temporary || work.pool.has_calls(assign.value) {
            continue;
        }
        let value = same.apply(&mut work.pool, assign.value);
        if is_atom(&work.pool, value) {
            continue;
        }
        match known.get(&value) {
            Some(&first) => {
                assign.value = work.pool.var(first);
                same.set(&mut work.pool, assign.variable, assign.value);
            }
            None => _ = known.insert(value, assign.variable),
        }
    }
}
