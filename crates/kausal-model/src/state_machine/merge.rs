//! One equation for each variable that states define (specification sections 17.3.5 and 17.3.6).
//!
//! The equations of a state are matched with the variables it may define: those it declares, with what is in it, and its outer
//! outputs. A variable keeps its value where no state that defines it is active:
//!
//! ```text
//! v = if activeState(state1) then expression1 elseif activeState(state2) then expression2 else previous(v)
//! ```

use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::Diagnostic;
use kausal_syntax::ast::Variability;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat::{Equation, EquationId, Hint, Origin, OriginKind, Type};
use crate::state_machine::expansion::Expansion;

/// A variable as one state defines it. What a state declares has one definition; an outer output one in each state.
type Column = (VarId, Option<usize>);

/// How an equation of a state defines a variable.
struct Definition {
    state: usize,
    variable: VarId,
    equation: usize,
    value: Value,
}

enum Value {
    /// It is this.
    Explicit(ExprId),
    /// With it this is zero.
    Implicit(ExprId),
}

/// Puts merged equations in the place of those of states, among the first `written` ones.
pub(super) fn merge(this: &mut Expansion<'_>, written: usize) {
    let rows: Vec<(usize, usize)> = (0..written)
        .filter_map(|k| {
            let component = &this.build.flat.equations[k].origin.component;
            this.plan.state_of(component).map(|s| (k, s))
        })
        .collect();
    let Some(definitions) = match_rows(this, &rows) else { return };
    let mut by_variable: FxHashMap<VarId, Vec<Definition>> = FxHashMap::default();
    let mut order: Vec<VarId> = Vec::new();
    for definition in definitions {
        let list = by_variable.entry(definition.variable).or_default();
        if list.is_empty() {
            order.push(definition.variable);
        }
        list.push(definition);
    }
    let mut gone: FxHashSet<usize> = FxHashSet::default();
    for &v in &order {
        let definitions = &by_variable[&v];
        if !are_compatible(this, definitions) {
            continue;
        }
        let kept = this.kept(v);
        let (lhs, rhs) = match &definitions[..] {
            [Definition { state, value: Value::Implicit(residual), .. }] => {
                let active = this.build.var(this.flags[*state].active);
                let variable = this.build.var(v);
                let idle = this.build.flat.pool.sub(variable, kept);
                (this.build.flat.pool.zero(), this.build.choose(active, *residual, idle))
            }
            definitions => {
                let mut value = kept;
                for definition in definitions.iter().rev() {
                    let Value::Explicit(e) = definition.value else { continue };
                    let active = this.build.var(this.flags[definition.state].active);
                    value = this.build.choose(active, e, value);
                }
                (this.build.var(v), value)
            }
        };
        let equation = &mut this.build.flat.equations[definitions[0].equation];
        (equation.lhs, equation.rhs) = (lhs, rhs);
        gone.extend(definitions[1..].iter().map(|d| d.equation));
    }
    connect_outputs(this, written, &by_variable, &mut gone);
    remove(this, &gone);
}

/// Finds for every equation of a state the variable it defines.
fn match_rows(this: &mut Expansion<'_>, rows: &[(usize, usize)]) -> Option<Vec<Definition>> {
    let mut candidates: Vec<Vec<Column>> = Vec::with_capacity(rows.len());
    for &(k, state) in rows {
        candidates.push(columns(this, k, state));
    }
    // Augmenting paths (Kuhn 1955), explicit definitions first.
    let mut taken: FxHashMap<Column, usize> = FxHashMap::default();
    for (row, &(k, state)) in rows.iter().enumerate() {
        let mut seen = FxHashSet::default();
        if augment(row, &candidates, &mut taken, &mut seen) {
            continue;
        }
        let path = &this.plan.states[state].path;
        let message = format!("the state {path} has more equations than variables it may define");
        let mut d = Diagnostic::error("K0396", message).help(
            "what is declared around a state is defined in it if it is declared there as `outer output`",
        );
        if let Some(location) = this.build.flat.equations[k].origin.location {
            d = d.at(location, "no variable is left for this equation");
        }
        this.diagnostics.push(d);
    }
    if !this.diagnostics.is_empty() {
        return None;
    }
    let mut found: Vec<(usize, Column)> = taken.into_iter().map(|(column, row)| (row, column)).collect();
    found.sort_unstable();
    let mut definitions = Vec::with_capacity(found.len());
    for (row, (variable, _)) in found {
        let (equation, state) = rows[row];
        let Equation { lhs, rhs, .. } = this.build.flat.equations[equation];
        let pool = &mut this.build.flat.pool;
        let value = match (pool.as_var(lhs) == Some(variable), pool.as_var(rhs) == Some(variable)) {
            (true, _) => Value::Explicit(rhs),
            (_, true) => Value::Explicit(lhs),
            _ => Value::Implicit(pool.sub(lhs, rhs)),
        };
        definitions.push(Definition { state, variable, equation, value });
    }
    Some(definitions)
}

/// The variables that an equation may define, those first that it is solved for.
fn columns(this: &mut Expansion<'_>, k: usize, state: usize) -> Vec<Column> {
    let Equation { lhs, rhs, .. } = this.build.flat.equations[k];
    let mut found: Vec<Column> = Vec::new();
    let mut add = |this: &Expansion<'_>, v: VarId| {
        let var = &this.build.flat.variables[v.index()];
        if var.variability <= Variability::Parameter {
            return;
        }
        let column = match this.owner(v) {
            Some(owner) if this.plan.chain(Some(owner)).any(|s| s == state) => (v, None),
            _ if this.plan.states[state].outputs.contains(&v) => (v, Some(state)),
            _ => return,
        };
        if !found.contains(&column) {
            found.push(column);
        }
    };
    for side in [lhs, rhs] {
        if let Some(v) = this.build.flat.pool.as_var(side) {
            add(this, v);
        }
    }
    let (mut visitor, mut variables) = (Visitor::new(), Vec::new());
    for side in [lhs, rhs] {
        visitor.variables(&this.build.flat.pool, side, &mut variables);
    }
    for v in variables {
        if this.build.flat.variables[v.index()].ty == Type::Real {
            add(this, v);
        }
    }
    found
}

fn augment(
    row: usize,
    candidates: &[Vec<Column>],
    taken: &mut FxHashMap<Column, usize>,
    seen: &mut FxHashSet<Column>,
) -> bool {
    for &column in &candidates[row] {
        if !seen.insert(column) {
            continue;
        }
        let free = match taken.get(&column) {
            None => true,
            Some(&other) => augment(other, candidates, taken, seen),
        };
        if free {
            taken.insert(column, row);
            return true;
        }
    }
    false
}

/// May these stand in one equation? Only one state can be active, and all say what the variable is.
fn are_compatible(this: &mut Expansion<'_>, definitions: &[Definition]) -> bool {
    if definitions.len() < 2 {
        return true;
    }
    let name = this.build.flat.variables[definitions[0].variable.index()].name.clone();
    let place = |this: &Expansion<'_>, d: &Definition| this.build.flat.equations[d.equation].origin.location;
    for (i, a) in definitions.iter().enumerate() {
        if let Value::Implicit(_) = a.value {
            let mut d =
                Diagnostic::error("K0396", format!("{name} is defined in several states: solve for it"))
                    .help(format!("write `{name} = …` in each of them"));
            if let Some(location) = place(this, a) {
                d = d.at(location, "not solved for");
            }
            this.diagnostics.push(d);
            return false;
        }
        for b in &definitions[i + 1..] {
            if this.plan.are_exclusive(a.state, b.state) {
                continue;
            }
            let (x, y) = (&this.plan.states[a.state].path, &this.plan.states[b.state].path);
            let message =
                format!("{name} is defined in {x} and in {y}, which can be active at the same tick");
            let mut d = Diagnostic::error("K0396", message)
                .help("of parallel state machines only one may define a variable");
            for (one, label) in [(a, "defined here"), (b, "and here")] {
                if let Some(location) = place(this, one) {
                    d = d.at(location, label);
                }
            }
            this.diagnostics.push(d);
            return false;
        }
    }
    true
}

/// Outputs of different states that are connected are one source: that of the active state.
fn connect_outputs(
    this: &mut Expansion<'_>,
    written: usize,
    defined: &FxHashMap<VarId, Vec<Definition>>,
    gone: &mut FxHashSet<usize>,
) {
    // Connection sets, by one of their variables.
    let mut parent: FxHashMap<VarId, VarId> = FxHashMap::default();
    fn find(parent: &FxHashMap<VarId, VarId>, mut v: VarId) -> VarId {
        while let Some(&p) = parent.get(&v).filter(|&&p| p != v) {
            v = p;
        }
        v
    }
    let mut links: Vec<(usize, VarId, VarId)> = Vec::new();
    for k in 0..written {
        let Equation { lhs, rhs, ref origin } = this.build.flat.equations[k];
        if origin.kind != OriginKind::Connect || gone.contains(&k) {
            continue;
        }
        let pool = &this.build.flat.pool;
        if let (Some(a), Some(b)) = (pool.as_var(lhs), pool.as_var(rhs)) {
            links.push((k, a, b));
            let (a, b) = (find(&parent, a), find(&parent, b));
            parent.insert(a.max(b), a.min(b));
        }
    }
    let mut sets: Vec<(VarId, Vec<usize>, Vec<VarId>)> = Vec::new();
    for &(k, a, b) in &links {
        let root = find(&parent, a);
        let set = match sets.iter().position(|s| s.0 == root) {
            Some(set) => set,
            None => {
                sets.push((root, Vec::new(), Vec::new()));
                sets.len() - 1
            }
        };
        sets[set].1.push(k);
        for v in [a, b] {
            if !sets[set].2.contains(&v) {
                sets[set].2.push(v);
            }
        }
    }
    for (_, equations, variables) in sets {
        let state = |v: &VarId| defined.get(v).map(|d| d[0].state);
        let (sources, others): (Vec<VarId>, Vec<VarId>) =
            variables.into_iter().partition(|v| state(v).is_some());
        let states: Vec<usize> = sources.iter().filter_map(state).collect();
        let exclusive = states
            .iter()
            .enumerate()
            .all(|(i, &a)| states[i + 1..].iter().all(|&b| this.plan.are_exclusive(a, b)));
        if sources.len() < 2 || !exclusive {
            continue;
        }
        let origin: Origin = this.build.flat.equations[equations[0]].origin.clone();
        gone.extend(equations);
        let Some((&first, rest)) = others.split_first() else { continue };
        let mut value = this.kept(first);
        for (&source, &state) in sources.iter().zip(&states).rev() {
            let (active, source) = (this.build.var(this.flags[state].active), this.build.var(source));
            value = this.build.choose(active, source, value);
        }
        this.build.define(first, value, &origin);
        for &other in rest {
            let value = this.build.var(first);
            this.build.define(other, value, &origin);
        }
    }
}

/// Takes equations out; hints go with them, and those of others follow theirs.
fn remove(this: &mut Expansion<'_>, gone: &FxHashSet<usize>) {
    let flat = &mut *this.build.flat;
    let mut places = Vec::with_capacity(flat.equations.len());
    let mut count = 0;
    for k in 0..flat.equations.len() {
        places.push((!gone.contains(&k)).then_some(count));
        count += u32::from(!gone.contains(&k));
    }
    let mut k = 0;
    flat.equations.retain(|_| {
        k += 1;
        !gone.contains(&(k - 1))
    });
    let moved = |hint: &Hint| {
        let place = places.get(hint.equation.0 as usize).copied().flatten()?;
        Some(Hint { equation: EquationId(place), ..*hint })
    };
    flat.hints = flat.hints.iter().filter_map(moved).collect();
}
