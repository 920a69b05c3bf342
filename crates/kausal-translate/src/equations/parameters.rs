//! Parameters: their order, and their values as far as they are known at translation.

use kausal_model::flat::{Origin, Type};
use kausal_symbolic::evaluate::evaluate;
use kausal_symbolic::interval::Interval;
use kausal_symbolic::{ExprId, Node, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::FxHashMap;

use crate::equations::work::{Equation, EquationForm, Role, Work};

/// Parameters whose values depend on what the initial problem has to find (`fixed = false`) are found there too: the
/// binding becomes an initial equation. Functions and external objects that are given such a parameter follow it.
pub(crate) fn release(work: &mut Work) {
    let mut users: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    let mut open: Vec<VarId> = Vec::new();
    for i in 0..work.vars.len() as u32 {
        let v = VarId(i);
        match work.var(v).role {
            Role::FreeParameter => open.push(v),
            Role::Parameter => {
                for used in work.var(v).binding.map(|b| work.pool.variables_of(b)).unwrap_or_default() {
                    users.entry(used).or_default().push(v);
                }
            }
            _ => {}
        }
    }
    let mut released: Vec<VarId> = Vec::new();
    while let Some(v) = open.pop() {
        for user in users.remove(&v).unwrap_or_default() {
            if work.var(user).role == Role::Parameter {
                work.vars[user.index()].role = Role::FreeParameter;
                released.push(user);
                open.push(user);
            }
        }
    }
    released.sort_unstable();
    for v in released {
        let Some(rhs) = work.vars[v.index()].binding.take() else { continue };
        let lhs = work.pool.var(v);
        let var = work.var(v);
        let origin = Origin { location: var.location, ..Origin::default() };
        // Only a number can follow from what it determines; everything else follows from its binding.
        let form = match var.ty {
            Type::Real => EquationForm::Plain,
            _ => EquationForm::Memory(v),
        };
        work.initial_equations.push(Equation {
            lhs,
            rhs,
            origin,
            form,
            order: 0,
            model: None,
            hints: Vec::new(),
        });
    }
}

/// Parameters in an order in which each binding uses earlier ones only.
pub(crate) fn ordered(work: &mut Work) -> Vec<VarId> {
    let mut state: Vec<u8> = vec![0; work.vars.len()];
    let mut order = Vec::new();
    let mut cycles: Vec<VarId> = Vec::new();
    for root in 0..work.vars.len() {
        if work.vars[root].role != Role::Parameter || work.vars[root].alias.is_some() {
            continue;
        }
        let mut stack = vec![(VarId(root as u32), false)];
        while let Some((v, done)) = stack.pop() {
            if done {
                state[v.index()] = 2;
                order.push(v);
                continue;
            }
            match state[v.index()] {
                0 => {}
                1 => {
                    cycles.push(v);
                    continue;
                }
                _ => continue,
            }
            state[v.index()] = 1;
            stack.push((v, true));
            if let Some(binding) = value_of(work, v) {
                for used in work.pool.variables_of(binding) {
                    let used = work.resolve(used).0;
                    if work.var(used).role == Role::Parameter && state[used.index()] != 2 {
                        stack.push((used, false));
                    }
                }
            }
        }
    }
    cycles.sort_unstable();
    cycles.dedup();
    for v in cycles {
        let var = work.var(v);
        let mut d =
            Diagnostic::error("K0411", format!("the value of parameter {} depends on itself", var.name))
                .help("give one parameter of the cycle a value that does not use the others");
        if let Some(location) = var.location {
            d = d.at(location, "declared here");
        }
        // The order is asked for more than once.
        if !work.diagnostics.iter().any(|known| known.code == d.code && known.message == d.message) {
            work.diagnostics.push(d);
        }
    }
    order
}

/// The binding of a parameter, or its start value where it has none.
pub(crate) fn value_of(work: &Work, v: VarId) -> Option<ExprId> {
    let var = work.var(v);
    var.binding.or(var.start)
}

/// Warns of parameters without a value, all in one sentence of each kind: their start value is used, or zero (specification
/// section 4.4.4). The report has all their names.
pub(crate) fn without_value(work: &mut Work) {
    const SHOWN: usize = 4;
    let numbers = |ty: Type| matches!(ty, Type::Real | Type::Integer | Type::Boolean | Type::Enumeration(_));
    let open = work
        .vars
        .iter()
        .filter(|v| v.role == Role::Parameter && !v.made && v.binding.is_none() && numbers(v.ty));
    let (started, zero): (Vec<_>, Vec<_>) = open.partition(|v| v.start.is_some());
    let (mut found, mut valueless) = (Vec::new(), Vec::new());
    for (vars, code, used) in [(zero, "K0415", "0 is used"), (started, "K0416", "the start value is used")] {
        let names: Vec<&str> = vars.iter().map(|v| v.name.as_str()).collect();
        let message = match &names[..] {
            [] => continue,
            [one] => format!("the parameter {one} has no value: {used}"),
            all => {
                let more = match all.len() {
                    n if n > SHOWN => format!(" and {} more", n - SHOWN),
                    _ => String::new(),
                };
                let (shown, plural) =
                    (all[..all.len().min(SHOWN)].join(", "), used.replace("value is", "values are"));
                format!("{} parameters have no value, {plural}: {shown}{more}", all.len())
            }
        };
        let mut d = Diagnostic::warning(code, message).help(if names.len() > SHOWN {
            "give values where the components are declared, or with --set; --verbose names them all"
        } else {
            "give a value where the component is declared, or with --set"
        });
        if let Some(location) = vars[0].location {
            d = d.at(location, "declared here without a value");
        }
        found.push(d);
        valueless.extend(names.iter().map(|&name| name.to_owned()));
    }
    work.diagnostics.extend(found);
    work.report.valueless = valueless;
}

/// The value of a variable that nothing gives one (specification section 4.8): of a string the number of the empty one.
pub(crate) fn default(work: &Work, v: VarId) -> f64 {
    match work.var(v).ty {
        Type::Enumeration(_) => 1.0,
        Type::String => work.pool.find_text("").map_or(0.0, |text| f64::from(text.0)),
        _ => 0.0,
    }
}

/// Numerical values of parameters, where they can be computed at translation.
pub(crate) fn values(work: &Work, order: &[VarId]) -> FxHashMap<VarId, f64> {
    let mut values: FxHashMap<VarId, f64> = FxHashMap::default();
    for &v in order {
        let Some(binding) = value_of(work, v) else {
            values.insert(v, default(work, v));
            continue;
        };
        if let Some(value) = number(work, binding, &values) {
            values.insert(v, value);
        }
    }
    values
}

/// The value of an expression of parameters, if it has one now.
pub(crate) fn number(work: &Work, e: ExprId, values: &FxHashMap<VarId, f64>) -> Option<f64> {
    match work.pool.node(e) {
        Node::Const(c) => return Some(c),
        Node::Text(t) => return Some(f64::from(t.0)),
        Node::Var(v) => return values.get(&v).copied(),
        _ => {}
    }
    if work.pool.has_calls(e) || work.pool.contains_any(e, |v| !values.contains_key(&v)) {
        return None;
    }
    let value = evaluate(&work.pool, e, &mut |v: VarId| values.get(&v).copied().unwrap_or(f64::NAN));
    (!value.is_nan()).then_some(value)
}

/// Bounds of all variables: the value of a parameter, `min` and `max` of the rest.
pub(crate) fn bounds(work: &mut Work) -> Vec<Interval> {
    let order = ordered(work);
    work.diagnostics.retain(|d| d.code != "K0411");
    let values = values(work, &order);
    (0..work.vars.len() as u32)
        .map(VarId)
        .map(|v| {
            let var = work.var(v);
            if var.role == Role::Parameter {
                return values.get(&v).map_or(Interval::ALL, |&value| Interval::point(value));
            }
            let number = |e: Option<ExprId>| e.and_then(|e| number(work, e, &values));
            let low = number(var.min).unwrap_or(f64::NEG_INFINITY);
            let high = number(var.max).unwrap_or(f64::INFINITY);
            Interval::new(low, high)
        })
        .collect()
}
