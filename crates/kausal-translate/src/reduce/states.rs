//! Numbers decide what structure leaves open: which of several candidates are states.
//!
//! Where a choice of dummy derivatives is open, the Jacobian of its constraints by the candidates is evaluated at the
//! start values and at points strewn around them, all moved to where the constraints hold. Columns with large pivots in all of them become dummies, among
//! columns that will do the least wanted as states first (Mattsson and Söderlind 1993, section 3, with numbers
//! instead of structure).
//!
//! A choice first falls into local ones ([`local`]), so that chains cost as much as they are long. Columns that are good at
//! all points are settled, and so are those that only index reduction differentiates (specification section 18.8.8). A set of others, where no choice is, is **dynamic** (S. E. Mattsson, H. Olsson and H. Elmqvist,
//! *Dynamic selection of states in Dymola*, Modelica Workshop 2000), however large it is. Its states are new variables
//! `z = A c` and `der(z) = A der(c)`, where `c` are the candidates and each row of `A` has a single one. A constraint
//! that was differentiated twice makes two sets, one for each order of derivative. `A` belongs to the run: it watches the same
//! Jacobian, and when other dummies become much better than those of the day it changes `A` and carries `z` and its past over.
//! The program is one and the same for all choices.

use std::collections::BTreeMap;

use kausal_model::flat::{ActionKind, Origin, StateSelect, Type};
use kausal_structure::dummy_derivatives::{DummyChoice, OpenChoice};
use kausal_structure::{Certainty, Eqn, Id, IndexReduction, StatePriority, StateSelection, Var as Column};
use kausal_symbolic::{ExprId, Op, VarId};
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::FxHashMap;

mod constraints;
mod local;

use crate::equations::parameters;
use crate::equations::sort::Sorting;
use crate::equations::work::{Equation, EquationForm, Role, Work};
use crate::program::StateSet;
use constraints::Constraints;
use local::{Local, LocalChoices};

/// A column will do when its pivot is at least this part of the largest one.
const WILL_DO: f64 = 0.1;
/// One point of so many may be bad when columns are compared.
const ONE_BAD_POINT_OF: usize = 25;
/// A relative pivot below this is zero.
const ALIVE: f64 = 1e-9;
/// Weight of a column that vanishes at the start values, which need not be where the run begins.
const NOT_AT_START: f64 = 0.002;
/// A choice whose pivots are at least this part of the largest ones at all points is good everywhere.
const GOOD: f64 = 0.25;
/// From so many points on constraints it is concluded that a choice is good at all of them: a column that is bad on a part
/// of the manifold as small as a tenth is then missed once in two hundred times.
const ENOUGH_POINTS: usize = 50;
/// Numbers are not asked about more constraints than this at once: elimination is cubic.
const MOST_CONSTRAINTS: usize = 400;

/// How much a variable is wanted as a state that only index reduction differentiates.
pub(crate) const NOT_DIFFERENTIATED: StatePriority = StatePriority(3 * StatePriority::AVOID.0);

/// Variables that `reinit` sets, and where.
pub(crate) type Restarted = BTreeMap<VarId, Option<Location>>;

/// What the numbers say about one open choice.
pub(crate) struct Judgement {
    /// How many orders of derivative below the highest.
    level: u32,
    eqns: Vec<Eqn>,
    /// Chains that are candidates.
    chains: Vec<usize>,
    /// Places in `chains` of the dummies, in the order they were found.
    dummies: Vec<usize>,
    /// How many of the first dummies are good at all points.
    settled: usize,
    /// Derivatives of the constraints, row by row; `None` where one cannot be computed from variables alone.
    jacobian: Option<Vec<ExprId>>,
}

/// What [`judge`] needs to know about the reduction.
pub(crate) struct Reduced<'a> {
    pub reduction: &'a IndexReduction,
    pub sorting: &'a Sorting,
    pub variables: &'a [VarId],
}

impl Reduced<'_> {
    fn variable(&self, chain: usize, order: u32) -> Option<VarId> {
        self.reduction.var_at(chain, order).map(|v| self.variables[v.index()])
    }
}

/// Judges all open choices of a selection at one level.
pub(crate) fn judge(
    work: &mut Work,
    selection: &StateSelection,
    level: u32,
    reduced: &Reduced,
    restarted: &Restarted,
    priority: &dyn Fn(&Work, VarId) -> StatePriority,
) -> Vec<Judgement> {
    let first = selection.choices.iter().filter(|choice| choice.level == level);
    // A choice against a variable that `reinit` sets is open even where it is safe: at that event it must be a state.
    let against_restart = |choice: &DummyChoice| {
        let variable = |d: &Column| work.var(reduced.variables[d.index()]).integral;
        choice.dummies.iter().filter_map(variable).any(|v| restarted.contains_key(&v))
    };
    let open: Vec<OpenChoice> = first
        .filter_map(|choice| match &choice.certainty {
            Certainty::Safe | Certainty::Open(_) if against_restart(choice) => {
                let (eqns, candidates) = (choice.eqns.clone(), choice.candidates.clone());
                Some(vec![OpenChoice { choose: eqns.len(), eqns, candidates }])
            }
            Certainty::Open(open) => Some(open.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    if open.is_empty() {
        return Vec::new();
    }
    let order = parameters::ordered(work);
    let known = parameters::values(work, &order);
    open.iter()
        .flat_map(|choice| judge_one(work, choice, level, reduced, &known, restarted, priority))
        .collect()
}

/// Judges one open choice: the local choices it falls into, each by itself.
fn judge_one(
    work: &mut Work,
    choice: &OpenChoice,
    level: u32,
    reduced: &Reduced,
    known: &FxHashMap<VarId, f64>,
    restarted: &Restarted,
    priority: &dyn Fn(&Work, VarId) -> StatePriority,
) -> Vec<Judgement> {
    let reduction = reduced.reduction;
    let at_level = |chain: usize| reduction.var_at(chain, reduction.highest[chain].checked_sub(level)?);
    let chain_of: FxHashMap<Column, usize> =
        (0..reduction.chains.len()).filter_map(|chain| Some((at_level(chain)?, chain))).collect();
    let Some(chains) =
        choice.candidates.iter().map(|c| chain_of.get(c).copied()).collect::<Option<Vec<usize>>>()
    else {
        return Vec::new();
    };
    let constraints = Constraints::new(work, choice, &chains, reduced);
    // Only derivatives that the constraints reach are at stake: of `der(y) = f(x)`, differentiated once, `der(y)` or `x`,
    // while `y` stays a state whatever is chosen.
    let reach = choice.eqns.iter().map(|e| reduction.differentiations[*e]).max().unwrap_or(0);
    let at_stake = |chain: usize| {
        let highest = reduction.highest[chain];
        let orders = highest.saturating_sub(reach)..highest.saturating_sub(level);
        orders.filter_map(move |k| reduced.variable(chain, k))
    };
    let wish = |chain: usize| at_stake(chain).map(|v| priority(work, v)).max();
    let wishes: Vec<Wish> = chains.iter().map(|&chain| Wish(wish(chain).map_or(0, |p| p.0))).collect();
    // What `reinit` sets together may be any of the candidates.
    let whole = chains.iter().any(|&chain| at_stake(chain).any(|v| restarted.contains_key(&v)));
    let classes: Vec<i32> = wishes.iter().map(|wish| wish.class()).collect();
    let mut local = match whole {
        true => LocalChoices::whole(constraints.rows.len(), chains.len()),
        false => LocalChoices::new(&constraints.rows, &classes),
    };
    let points = constraints.points(work, known, &local);
    let sampled: Vec<Vec<Vec<f64>>> = points.iter().map(|point| constraints.slopes_at(work, point)).collect();
    let holds: Vec<bool> = points.iter().map(|point| constraints.hold(work, point)).collect();
    local.keep_good(&constraints.rows, &sampled, GOOD);
    let mut judgements = Vec::new();
    for Local { rows, columns: own } in local.into_choices(&constraints.rows) {
        let (m, n) = (rows.len(), own.len());
        if m > MOST_CONSTRAINTS {
            let text = format!(
                "which of {n} variables are states, given {m} constraints between them, is decided by structure alone"
            );
            let help = "the choice may become bad in the run: `stateSelect` says which ones shall be states";
            work.diagnostics.push(Diagnostic::warning("K0418", text).help(help));
            continue;
        }
        let place: FxHashMap<usize, usize> = own.iter().enumerate().map(|(k, &j)| (j, k)).collect();
        let zero = work.pool.constant(0.0);
        let mut jacobian = Some(vec![zero; m * n]);
        let mut matrices = vec![vec![0.0; m * n]; points.len()];
        for (i, &row) in rows.iter().enumerate() {
            for (k, slope) in constraints.rows[row].iter().enumerate() {
                let Some(&j) = place.get(&slope.column) else { continue };
                match (slope.slope, &mut jacobian) {
                    (Some(slope), Some(entries)) => entries[i * n + j] = slope,
                    _ => jacobian = None,
                }
                for (matrix, sample) in matrices.iter_mut().zip(&sampled) {
                    matrix[i * n + j] = sample[row][k];
                }
            }
        }
        let wishes: Vec<Wish> = own.iter().map(|&j| wishes[j]).collect();
        let whole = matrices.clone();
        let Some((dummies, mut settled)) = columns(m, n, &mut matrices, &wishes) else { continue };
        // Pivot by pivot a choice may look worse than it is as a whole.
        let on_constraints = whole.iter().zip(&holds).filter(|(_, holds)| **holds);
        let gains: Vec<f64> =
            on_constraints.map(|(matrix, _)| gain(m, n, matrix.clone(), &dummies)).collect();
        if gains.len() >= ENOUGH_POINTS && gains.iter().all(|gain| gain * GOOD <= 1.0) {
            settled = m;
        }
        let eqns = rows.iter().map(|&i| choice.eqns[i]).collect();
        let chains = own.iter().map(|&j| chains[j]).collect();
        judgements.push(Judgement { level, eqns, chains, dummies, settled, jacobian });
    }
    judgements
}

/// How much a chain is wanted among the states.
#[derive(Clone, Copy)]
struct Wish(i32);

impl Wish {
    /// What the user demands with `stateSelect`, without smaller wishes.
    fn class(self) -> i32 {
        (f64::from(self.0) / f64::from(StatePriority::PREFER.0)).round() as i32
    }

    /// Is it never a state while there is a choice? What only index reduction differentiates may be the same for two solutions,
    /// like the permeability of a core for a flux and its negative.
    fn is_none(self) -> bool {
        self.class() <= Wish(NOT_DIFFERENTIATED.0).class()
    }
}

/// Chooses `m` columns by elimination at all points at once; also how many of the first are good at all points. `None`
/// where the numbers say nothing.
fn columns(m: usize, n: usize, matrices: &mut [Vec<f64>], wishes: &[Wish]) -> Option<(Vec<usize>, usize)> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut settled = 0;
    let mut used = vec![vec![false; m]; matrices.len()];
    for _ in 0..m {
        // For each point the largest element of each column in the rows that are left.
        let pivots: Vec<Vec<f64>> = matrices
            .iter()
            .zip(&used)
            .map(|(matrix, used)| {
                let size = |j: usize| {
                    (0..m).filter(|&i| !used[i]).map(|i| matrix[i * n + j].abs()).fold(0.0, f64::max)
                };
                (0..n).map(|j| if chosen.contains(&j) { 0.0 } else { size(j) }).collect()
            })
            .collect();
        let largest: Vec<f64> = pivots.iter().map(|p| p.iter().copied().fold(0.0, f64::max)).collect();
        let relative = |k: usize, j: usize| (largest[k] > 0.0).then(|| pivots[k][j] / largest[k]);
        let everywhere = |j: usize| (1..pivots.len()).filter_map(|k| relative(k, j)).fold(1.0, f64::min);
        // Among many points there is a bad one for every column that is not good everywhere.
        let mostly = |j: usize| {
            let mut sizes: Vec<f64> = (1..pivots.len()).filter_map(|k| relative(k, j)).collect();
            sizes.sort_by(f64::total_cmp);
            sizes.get(sizes.len() / ONE_BAD_POINT_OF).copied().unwrap_or(1.0)
        };
        let scored = |j: usize| {
            let at_start = relative(0, j).unwrap_or(1.0);
            mostly(j).max(1e-6) * (NOT_AT_START + (1.0 - NOT_AT_START) * at_start)
        };
        let scores: Vec<f64> = (0..n).map(scored).collect();
        let score = |j: usize| scores[j];
        // What is zero but for rounding at most points cannot be solved for at all.
        let alive = |j: &usize| {
            let points = (1..pivots.len()).filter(|&k| relative(k, *j).is_some_and(|p| p > ALIVE)).count();
            !chosen.contains(j) && (2 * points >= pivots.len() || relative(0, *j).is_some_and(|p| p > ALIVE))
        };
        // The demands of the user first, then numbers, then wishes.
        let class = (0..n).filter(alive).map(|j| wishes[j].class()).min()?;
        let in_class = |j: &usize| alive(j) && wishes[*j].class() == class;
        let best = (0..n).filter(in_class).map(score).fold(0.0, f64::max);
        let will_do = (0..n).filter(in_class).filter(|&j| score(j) >= WILL_DO * best);
        let column = will_do.min_by(|&a, &b| {
            wishes[a].0.cmp(&wishes[b].0).then(score(b).total_cmp(&score(a))).then(a.cmp(&b))
        })?;
        if settled == chosen.len() && (wishes[column].is_none() || everywhere(column) >= GOOD) {
            settled += 1;
        }
        for (matrix, used) in matrices.iter_mut().zip(&mut used) {
            let rows = (0..m).filter(|&i| !used[i]);
            let largest = |&a: &usize, &b: &usize| {
                matrix[a * n + column].abs().total_cmp(&matrix[b * n + column].abs())
            };
            let Some(row) = rows.max_by(largest) else { continue };
            used[row] = true;
            let pivot = matrix[row * n + column];
            if pivot == 0.0 {
                continue;
            }
            for i in (0..m).filter(|&i| !used[i]) {
                let factor = matrix[i * n + column] / pivot;
                for j in 0..n {
                    matrix[i * n + j] -= factor * matrix[row * n + j];
                }
            }
        }
        chosen.push(column);
    }
    Some((chosen, settled))
}

/// How much the volume of the dummies' columns grows by the best exchange of one of them for another column.
fn gain(m: usize, n: usize, mut matrix: Vec<f64>, dummies: &[usize]) -> f64 {
    let mut open: Vec<usize> = (0..m).collect();
    for &column in dummies {
        let size = |&i: &usize| matrix[i * n + column].abs();
        let Some(place) = (0..open.len()).max_by(|&a, &b| size(&open[a]).total_cmp(&size(&open[b]))) else {
            return f64::INFINITY;
        };
        let row = open.swap_remove(place);
        let pivot = matrix[row * n + column];
        if pivot == 0.0 {
            return f64::INFINITY;
        }
        (0..n).for_each(|j| matrix[row * n + j] /= pivot);
        for i in (0..m).filter(|&i| i != row) {
            let factor = matrix[i * n + column];
            if factor != 0.0 {
                (0..n).for_each(|j| matrix[i * n + j] -= factor * matrix[row * n + j]);
            }
        }
    }
    let others = (0..n).filter(|j| !dummies.contains(j));
    let sizes = others.flat_map(|j| (0..m).map(move |i| i * n + j)).map(|k| matrix[k].abs());
    sizes.fold(0.0, |largest, size| if size > largest || size.is_nan() { size } else { largest })
}

/// Adds the variables that should not be states to `unwanted`: those of the order at stake and below.
pub(crate) fn unwanted(judgements: &[Judgement], reduced: &Reduced, unwanted: &mut FxHashMap<VarId, i32>) {
    for judgement in judgements {
        for &chain in judgement.dummies.iter().map(|&d| &judgement.chains[d]) {
            let orders = 0..reduced.reduction.highest[chain].saturating_sub(judgement.level);
            for v in orders.filter_map(|order| reduced.variable(chain, order)) {
                *unwanted.entry(v).or_insert(0) += 1;
            }
        }
    }
}

/// A state set before it has variables of its own: one order of derivative of the candidates.
struct Plan {
    candidates: Vec<VarId>,
    derivatives: Vec<VarId>,
    /// Places of those that are states at the start.
    chosen: Vec<usize>,
    /// How many columns of the Jacobian come before those of the candidates.
    settled: usize,
    jacobian: Vec<ExprId>,
}

/// Turns judgements that are bad somewhere into dynamic sets; `states` loses the candidates and gains the new ones.
pub(crate) fn dynamic_sets(
    work: &mut Work,
    judgements: &[Judgement],
    reduced: &Reduced,
    restarted: &Restarted,
    states: &mut Vec<VarId>,
) -> Vec<StateSet> {
    let mut sets = Vec::new();
    for judgement in judgements {
        for plan in plans(work, judgement, reduced, restarted, states).unwrap_or_default() {
            let set = add_set(work, sets.len() + 1, plan);
            states.retain(|v| !set.candidates.contains(v));
            states.extend(&set.states);
            sets.push(set);
        }
    }
    sets
}

/// One plan for each order of derivative with a choice, if the set can and should be dynamic.
fn plans(
    work: &Work,
    judgement: &Judgement,
    reduced: &Reduced,
    restarted: &Restarted,
    states: &[VarId],
) -> Option<Vec<Plan>> {
    let Judgement { level: first, eqns, chains, dummies, settled, jacobian } = judgement;
    let jacobian = jacobian.as_ref()?;
    let reduction = reduced.reduction;
    let most = eqns.iter().map(|e| reduction.differentiations[*e]).max()?;
    // What `reinit` sets becomes a state at that event at the latest.
    let at_stake = chains.iter().flat_map(|&chain| {
        let highest = reduction.highest[chain];
        (highest.saturating_sub(most)..highest.saturating_sub(*first)).map(move |order| (chain, order))
    });
    let contested = at_stake
        .filter_map(|(chain, order)| reduced.variable(chain, order))
        .any(|v| restarted.contains_key(&v) && !states.contains(&v));
    let settled = if contested { &[] } else { &dummies[..*settled] };
    if settled.len() == dummies.len() {
        return None;
    }
    let constant = |&e: &ExprId| !work.pool.contains_any(e, |v| !work.is_parameter(v));
    if jacobian.iter().all(constant) && !contested {
        return None;
    }
    // A demand of the user is not overruled later.
    let free = |v: &VarId| !matches!(work.var(*v).select, StateSelect::Always | StateSelect::Never);
    let mut plans = Vec::new();
    for level in *first..most {
        let rows: Vec<usize> =
            (0..eqns.len()).filter(|&i| reduction.differentiations[eqns[i]] > level).collect();
        let here = |j: &usize| reduction.highest[chains[*j]] > level;
        let before: Vec<usize> = settled.iter().copied().filter(here).collect();
        let mut columns: Vec<usize> =
            (0..chains.len()).filter(here).filter(|j| !settled.contains(j)).collect();
        let at = |columns: &[usize], below: u32| -> Option<Vec<VarId>> {
            let order = |j: &usize| reduction.highest[chains[*j]].checked_sub(level + below);
            columns.iter().map(|j| reduced.variable(chains[*j], order(j)?)).collect()
        };
        // States that must stay states have no part in it.
        let all = at(&columns, 1)?;
        let mut stays = all.iter().map(|v| !free(v) && states.contains(v));
        columns.retain(|_| !stays.next().unwrap_or(false));
        let (candidates, derivatives) = (at(&columns, 1)?, at(&columns, 0)?);
        let chosen: Vec<usize> = (0..columns.len()).filter(|&k| states.contains(&candidates[k])).collect();
        // The static choice must be the one that was judged.
        let is_state = |v: &VarId| states.contains(v);
        let fits = chosen.len() + rows.len() == before.len() + columns.len();
        if !fits || at(&before, 1)?.iter().any(is_state) || !candidates.iter().all(free) {
            return None;
        }
        if rows.len() <= before.len() || chosen.is_empty() {
            continue;
        }
        let n = chains.len();
        let all = before.iter().chain(&columns);
        let jacobian = rows.iter().flat_map(|i| all.clone().map(move |j| jacobian[i * n + j])).collect();
        plans.push(Plan { candidates, derivatives, chosen, settled: before.len(), jacobian });
    }
    Some(plans)
}

/// Variables that `reinit` sets.
pub(crate) fn restarted(work: &Work) -> Restarted {
    let mut found = Restarted::new();
    let branches = work.when_actions.iter().flat_map(|when| &when.branches);
    let mut stack: Vec<_> = branches.flat_map(|(_, _, actions)| actions).collect();
    while let Some(action) = stack.pop() {
        match &action.kind {
            ActionKind::Reinit(v, _) => {
                found.insert(work.resolve(*v).0, action.origin.location);
            }
            ActionKind::If(_, a, b) => stack.extend(a.iter().chain(b)),
            _ => {}
        }
    }
    found
}

/// Adds the variables and equations of a set.
fn add_set(work: &mut Work, number: usize, plan: Plan) -> StateSet {
    let Plan { candidates, derivatives, chosen, settled, jacobian } = plan;
    let origin = Origin { location: work.var(candidates[0]).location, ..Origin::default() };
    let (mut selection, mut states) = (Vec::new(), Vec::new());
    for (i, &picked) in chosen.iter().enumerate() {
        let mut row = Vec::new();
        for j in 0..candidates.len() {
            let name = format!("stateset{number}.A[{},{}]", i + 1, j + 1);
            let entry = work.add_helper(name, Type::Real, Role::Run);
            let value = work.pool.constant(if j == picked { 1.0 } else { 0.0 });
            work.vars[entry.index()].start = Some(value);
            work.selectors.insert(entry);
            row.push(entry);
        }
        let name = format!("stateset{number}.x[{}]", i + 1);
        let state = work.add_helper(name.clone(), Type::Real, Role::Continuous);
        let rate = work.add_helper(format!("der({name})"), Type::Real, Role::Continuous);
        work.vars[state.index()].derivative = Some(rate);
        work.vars[state.index()].nominal = work.var(candidates[picked]).nominal;
        for (target, of) in [(state, &candidates), (rate, &derivatives)] {
            let lhs = work.pool.var(target);
            let rhs = product(work, &row, of);
            let (origin, form) = (origin.clone(), EquationForm::Plain);
            work.equations.push(Equation {
                lhs,
                rhs,
                origin,
                form,
                order: 0,
                model: None,
                hints: Vec::new(),
            });
        }
        selection.push(row);
        states.push(state);
    }
    StateSet { candidates, states, selection, settled, jacobian }
}

fn product(work: &mut Work, row: &[VarId], of: &[VarId]) -> ExprId {
    let terms: Vec<ExprId> = row
        .iter()
        .zip(of)
        .map(|(&a, &c)| {
            let (a, c) = (work.pool.var(a), work.pool.var(c));
            work.pool.op(Op::Mul, &[a, c])
        })
        .collect();
    crate::equations::solve::sum(&mut work.pool, &terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_are_good_everywhere() {
        // A rotation: the first two columns are the identity, the others turn.
        let mut matrices: Vec<Vec<f64>> = (0..7)
            .map(|k| {
                let (s, c) = (f64::from(k) * 0.7).sin_cos();
                vec![1.0, 0.0, -c, s, 0.0, 1.0, -s, -c]
            })
            .collect();
        let (chosen, settled) = columns(2, 4, &mut matrices, &[Wish(0); 4]).expect("a choice");
        assert_eq!((chosen, settled), (vec![0, 1], 2));
    }

    #[test]
    fn exchanges_gain() {
        // |det| of columns 0 and 2 of [[1, 2, 3], [2, 4, 1]] is 5, of 1 and 2 it is 10; 0 and 1 are parallel.
        let matrix = || vec![1.0, 2.0, 3.0, 2.0, 4.0, 1.0];
        assert!((gain(2, 3, matrix(), &[0, 2]) - 2.0).abs() < 1e-14);
        assert!((gain(2, 3, matrix(), &[1, 2]) - 0.5).abs() < 1e-14);
        assert!(gain(2, 3, matrix(), &[0, 1]).is_infinite());
    }

    #[test]
    fn nothing_is_good_everywhere() {
        let mut matrices: Vec<Vec<f64>> = (0..7)
            .map(|k| {
                let (s, c) = (f64::from(k) * 0.9).sin_cos();
                vec![c, s]
            })
            .collect();
        let (chosen, settled) = columns(1, 2, &mut matrices, &[Wish(0); 2]).expect("a choice");
        assert_eq!((chosen, settled), (vec![0], 0), "the one that is large at the start");
        assert!(columns(1, 2, &mut [vec![0.0, 0.0], vec![0.0, 0.0]], &[Wish(0); 2]).is_none());
    }
}
