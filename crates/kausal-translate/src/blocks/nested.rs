//! How a nonlinear block is solved: what is iterated on, what is computed in sequence, what is a linear system inside.
//!
//! Given the iteration variables, equations that stay together may be linear in what is left; solved as linear systems in
//! each evaluation they need no iteration variables of their own (tearing paper, Elmqvist and Otter 1994; nested tearing as in
//! `kausal_structure::tearing::nested`). Which products of unknowns occur is read off second derivatives: of two unknowns that
//! multiply each other inside a loop one must be known.
//!
//! Long sequences can lose all digits, as in linear systems. A sequence is tried on the linearised block at sample points
//! (`growth`); where it loses digits at all of them, nested systems, which are guarded themselves, are preferred, and else the
//! sequence is cut where errors have grown: more variables are iterated on (multiple shooting).

use kausal_structure::tearing::nested::{NestedStep, tear_nested};
use kausal_structure::tearing::{DEFAULT_WEIGHT, Effort, FORBIDDEN, TearingProblem};
use kausal_structure::{Eqn, Id, IdVec, Incidence, Var as Column, blt, maximum_matching_preferring};
use kausal_symbolic::VarId;
use rustc_hash::FxHashSet;

use crate::blocks::amplification::Spread;
use crate::blocks::emitter::Emitter;
use crate::blocks::growth::{self, Sample};
use crate::blocks::plan::{Part, Plan, Slopes, linearised, products, slopes};
use crate::equations::solve;
use crate::equations::sort::Block;

/// Larger blocks are torn plainly: every trial sorts the block.
const LARGEST: usize = 600;
/// Visited edges the search for iteration variables may cost.
const SEARCH_LIMIT: usize = 2_000_000;
/// A relative residual above this means that a sequence inside an iteration loses digits: what is iterated on is known to
/// some `1e-12` only.
const LOST: f64 = 1e-11;

/// So do changes that spread so far: the run finds digits lost where they are amplified a hundred times more, which is what other
/// values of unknowns than those of the trials may bring about.
const AMPLIFIED: f64 = 1e4;

/// What to iterate on rather than on something else: what has a start value, a magnitude, or moves on smoothly because its
/// derivative is known. Slight preferences: a smaller set is always better.
pub(crate) fn weights(emitter: &Emitter, block: &Block, weight: &mut IdVec<Column, u32>) {
    for (k, &v) in block.unknowns.iter().enumerate() {
        let var = emitter.work.var(v);
        let liked = 10 * u32::from(var.start.is_some())
            + 5 * u32::from(var.derivative.is_some())
            + 3 * u32::from(var.nominal.is_some());
        weight[Column(k as u32)] = DEFAULT_WEIGHT - liked;
    }
}

/// Improves a torn sequence: nested linear systems where that leaves less to iterate on, more iteration variables where
/// digits are lost.
pub(crate) fn improved(emitter: &mut Emitter, block: &Block, problem: &TearingProblem, plain: Plan) -> Plan {
    if block.unknowns.len() > LARGEST {
        return plain;
    }
    if plain.parts.is_empty() {
        return plain;
    }
    let slopes = slopes(emitter, block);
    let Some(rows) = linearised(emitter, &slopes) else { return plain };
    let trials = Trials::new(growth::partial_samples(emitter, &rows, None));
    let lossy = trials.lose(&plain);
    if plain.iterated.len() < 2 && !lossy {
        return plain;
    }
    let bound = if lossy { block.unknowns.len() } else { plain.iterated.len() };
    let nested = nested(emitter, block, problem, &slopes, &trials, bound);
    let nested = nested.filter(|plan| !trials.lose(plan));
    match nested {
        Some(plan) => plan,
        None if lossy => trials.cut(plain),
        None => plain,
    }
}

/// Where sequences are tried.
struct Trials {
    /// Where all coefficients have values.
    samples: Vec<Sample>,
    /// Where some do. One unknown of the wrong sign under a power says nothing about the rest.
    partial: Vec<Sample>,
    spread: Spread,
}

impl Trials {
    fn new(partial: Vec<Sample>) -> Trials {
        let samples: Vec<Sample> = partial.iter().filter(|s| s.is_finite()).cloned().collect();
        let spread = Spread::at(&samples);
        Trials { samples, partial, spread }
    }

    /// Does the sequence lose digits, or amplify changes so much that it might in the run, at every point where that can be told?
    fn lose(&self, plan: &Plan) -> bool {
        let elimination = plan.elimination();
        let samples = self.samples.iter().filter(|s| !s.perturbed);
        let trials = samples.map(|s| growth::trial(s, &elimination).residual);
        let residuals: Vec<f64> = trials.filter(|r| r.is_finite()).collect();
        let lost = !residuals.is_empty() && residuals.iter().all(|&r| r > LOST);
        lost || self.spread.of(plan) > AMPLIFIED
    }

    /// Does a linear system inside determine its unknowns at some point? A structure alone does not say so: two sums of the same
    /// flows are two equations for two of them. Where nothing is known it does.
    fn is_regular(&self, rows: &[usize], columns: &[usize]) -> bool {
        // What is singular for other values of parameters as well is so by itself.
        let mut regular = self.partial.iter().filter_map(|s| is_regular(&s.rows, rows, columns)).peekable();
        regular.peek().is_none() || regular.any(|regular| regular)
    }

    /// Iterates on more variables: on those of the sequence in which errors have grown by a factor. The factor is lowered until
    /// no digits are lost.
    fn cut(&self, plan: Plan) -> Plan {
        const FACTORS: [f64; 4] = [1e4, 1e3, 1e2, 10.0];
        let Some(sample) = self.samples.iter().find(|s| !s.perturbed) else { return plan };
        for factor in FACTORS {
            let fewer = cut_at(sample, &plan, factor);
            if !self.lose(&fewer) {
                return fewer;
            }
        }
        cut_at(sample, &plan, 0.0)
    }
}

/// Has this part of a matrix full rank? By elimination with row pivots; rows and columns are scaled to one before. `None` where it
/// has not got numbers.
fn is_regular(matrix: &[Vec<(usize, f64)>], rows: &[usize], columns: &[usize]) -> Option<bool> {
    /// Pivots below this are what rounding leaves of zero.
    const NOTHING: f64 = 1e-13;
    let n = rows.len();
    let mut a: Vec<Vec<f64>> = rows
        .iter()
        .map(|&row| {
            let entry = |&c: &usize| matrix[row].iter().find(|(column, _)| *column == c).map_or(0.0, |e| e.1);
            columns.iter().map(entry).collect()
        })
        .collect();
    if a.iter().flatten().any(|v| !v.is_finite()) {
        return None;
    }
    let scaled = |largest: f64| if largest > 0.0 { 1.0 / largest } else { 0.0 };
    for row in &mut a {
        let factor = scaled(row.iter().fold(0.0, |most, v| most.max(v.abs())));
        row.iter_mut().for_each(|v| *v *= factor);
    }
    for c in 0..columns.len() {
        let factor = scaled(a.iter().fold(0.0, |most, row| most.max(row[c].abs())));
        a.iter_mut().for_each(|row| row[c] *= factor);
    }
    for k in 0..n.min(columns.len()) {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, pivot);
        let (done, rest) = a.split_at_mut(k + 1);
        let top = &done[k];
        if top[k].abs() <= NOTHING {
            return Some(false);
        }
        for row in rest.iter_mut().filter(|row| row[k] != 0.0) {
            let factor = row[k] / top[k];
            row.iter_mut().zip(top).skip(k).for_each(|(v, t)| *v -= factor * t);
        }
    }
    Some(n == columns.len())
}

fn cut_at(sample: &Sample, plan: &Plan, factor: f64) -> Plan {
    let mut growth = vec![1.0f64; sample.rows.len()];
    let mut out = Plan { parts: Vec::new(), ..plan.clone() };
    for part in &plan.parts {
        let Part::Assign(row, column) = *part else {
            out.parts.push(part.clone());
            continue;
        };
        let (mut sum, mut pivot) = (0.0, 0.0f64);
        for &(c, a) in &sample.rows[row] {
            if c == column {
                pivot = a.abs();
            } else {
                sum += a.abs() * growth[c];
            }
        }
        let grown = sum / pivot;
        if grown <= factor {
            growth[column] = grown.max(1.0);
            out.parts.push(part.clone());
        } else {
            out.iterated.push(column);
            out.residuals.push(row);
        }
    }
    out
}

/// A plan with linear systems inside that iterates on fewer than `bound` variables, if there is one.
fn nested(
    emitter: &mut Emitter,
    block: &Block,
    problem: &TearingProblem,
    slopes: &[Slopes],
    trials: &Trials,
    bound: usize,
) -> Option<Plan> {
    let products = products(emitter, block, slopes);
    let torn = linearising(problem, &products, bound)?;
    let nested = tear_nested(problem, &torn, None, Effort::default()).ok()?;
    let mut plan = Plan {
        iterated: nested.tearing_variables.iter().map(|v| v.index()).collect(),
        residuals: nested.residuals.iter().map(|e| e.index()).collect(),
        parts: Vec::new(),
    };
    let mut systems = 0;
    for step in &nested.steps {
        match step {
            NestedStep::Solve(a) => plan.parts.push(Part::Assign(a.eqn.index(), a.var.index())),
            NestedStep::System(torn) => {
                let inner = Plan::torn(torn);
                let eqns = torn.residuals.iter().copied().chain(torn.sequence.iter().map(|a| a.eqn));
                let vars = torn.tearing_variables.iter().copied().chain(torn.sequence.iter().map(|a| a.var));
                let mut inside: Vec<usize> = eqns.map(|e| e.index()).collect();
                let mut columns: Vec<usize> = vars.map(|v| v.index()).collect();
                inside.sort_unstable();
                columns.sort_unstable();
                if inside.len() > 1
                    && trials.is_regular(&inside, &columns)
                    && is_linear(emitter, block, &inside, &columns)
                {
                    systems += 1;
                    plan.parts.push(Part::Linear(inside, columns));
                } else {
                    plan.iterated.extend(inner.iterated);
                    plan.residuals.extend(inner.residuals);
                    plan.parts.extend(inner.parts);
                }
            }
        }
    }
    plan.iterated.sort_unstable();
    plan.residuals.sort_unstable();
    (systems > 0 && plan.iterated.len() < bound).then_some(plan)
}

/// Are these equations linear in these unknowns together, and a system whatever states the run selects? An equation of a
/// state set says something about its unknowns for some selections only; the block as a whole is regular for all.
fn is_linear(emitter: &mut Emitter, block: &Block, rows: &[usize], columns: &[usize]) -> bool {
    let unknowns: FxHashSet<VarId> = columns.iter().map(|&c| block.unknowns[c]).collect();
    rows.iter().all(|&r| {
        let equation = block.equations[r];
        let residual = emitter.work.residual(equation);
        !emitter.work.pool.contains_any(residual, |v| emitter.work.selectors.contains(&v))
            && solve::linear(emitter.work, equation, &|v| unknowns.contains(&v)).is_some()
    })
}

/// For each row the columns that it is not linear in although its derivative by them does not depend on them: it jumps, as
/// `sign` does.
pub(crate) fn jumps(
    emitter: &mut Emitter,
    block: &Block,
    slopes: &[Slopes],
    products: &[Vec<(usize, usize)>],
) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    for ((row, pairs), &equation) in slopes.iter().zip(products).zip(&block.equations) {
        let mut columns: Vec<usize> =
            row.iter().map(|&(c, _)| c).filter(|&c| pairs.binary_search(&(c, c)).is_err()).collect();
        let unknowns: FxHashSet<VarId> = columns.iter().map(|&c| block.unknowns[c]).collect();
        if solve::linear(emitter.work, equation, &|v| unknowns.contains(&v)).is_some() {
            columns.clear();
        }
        columns.retain(|&c| solve::linear(emitter.work, equation, &|v| v == block.unknowns[c]).is_none());
        out.push(columns);
    }
    out
}

/// Variables that, once known, leave only linear systems and equations that can be solved; fewer than `bound` are iterated on.
/// Begins with all that are in products and leaves out what is not needed, the least liked first.
fn linearising(
    problem: &TearingProblem,
    products: &[Vec<(usize, usize)>],
    bound: usize,
) -> Option<Vec<Column>> {
    let incidence = problem.incidence;
    let inside = products.iter().flatten().flat_map(|&(c, d)| [c, d]);
    let mut torn: Vec<Column> = inside.map(|c| Column(c as u32)).collect();
    torn.sort_unstable();
    torn.dedup();
    torn.retain(|&v| problem.weight[v] != FORBIDDEN);
    let mut cost = iterations(problem, products, &torn)?;
    let mut candidates = torn.clone();
    candidates.reverse();
    candidates.sort_by_key(|v| std::cmp::Reverse(problem.weight[*v]));
    for candidate in candidates.into_iter().take(SEARCH_LIMIT / (incidence.edge_count() + 1)) {
        let fewer: Vec<Column> = torn.iter().copied().filter(|v| *v != candidate).collect();
        if let Some(less) = iterations(problem, products, &fewer).filter(|less| *less < cost) {
            (torn, cost) = (fewer, less);
        }
    }
    (cost < bound).then_some(torn)
}

/// How many variables are iterated on when these are known: themselves, and those of single equations that cannot be solved.
/// `None` where a simultaneous part is not linear.
fn iterations(problem: &TearingProblem, products: &[Vec<(usize, usize)>], torn: &[Column]) -> Option<usize> {
    let incidence: &Incidence = problem.incidence;
    let mut known: IdVec<Column, bool> = IdVec::filled(false, incidence.var_count());
    torn.iter().for_each(|&v| known[v] = true);
    let rest = incidence.filtered(|o| !known[o.var]);
    let matching = maximum_matching_preferring(&rest, |o| {
        let unsolvable = !problem.solvable.contains(o.solvability);
        16 * u8::from(unsolvable) + o.solvability.rank() as u8
    });
    if matching.size() + torn.len() < incidence.var_count() {
        return None;
    }
    let form = blt(&rest, &matching);
    let block_of = |c: usize| {
        let v = Column(c as u32);
        if known[v] { None } else { matching.eqn_of(v).and_then(|e| form.block_of(e)) }
    };
    let mut count = torn.len();
    for (index, block) in form.blocks().enumerate() {
        if let ([e], [v]) = (block.eqns, block.vars) {
            let solvable = rest.solvability_of(*e, *v).is_some_and(|s| problem.solvable.contains(s));
            count += usize::from(!solvable);
            continue;
        }
        let both = |&(c, d): &(usize, usize)| block_of(c) == Some(index) && block_of(d) == Some(index);
        if block.eqns.iter().any(|e: &Eqn| products[e.index()].iter().any(both)) {
            return None;
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::{Sample, Trials, is_regular};

    #[test]
    fn sums_of_the_same_flows_determine_neither() {
        let sums = [vec![(0, 1.0), (1, 1.0), (2, 1.0)], vec![(0, 1.0), (1, -1.0), (2, -1.0)]];
        assert_eq!(is_regular(&sums, &[0, 1], &[1, 2]), Some(false));
        assert_eq!(is_regular(&sums, &[0, 1], &[0, 2]), Some(true));
        // However large one of them is counted.
        let scaled = [vec![(0, 1e9), (1, 1.0)], vec![(0, -3e9), (1, -3.0)], vec![(0, 1e9), (1, 2.0)]];
        assert_eq!(is_regular(&scaled, &[0, 1], &[0, 1]), Some(false));
        assert_eq!(is_regular(&scaled, &[0, 2], &[0, 1]), Some(true));
    }

    #[test]
    fn only_the_own_coefficients_of_a_system_decide() {
        // A power of what is never negative, at points where it is.
        let sums = vec![(0, 1.0), (1, 1.0), (2, 1.0)];
        let rows = vec![sums, vec![(0, 1.0), (1, -1.0), (2, -1.0)], vec![(0, f64::NAN)]];
        let trials = Trials::new(vec![Sample { rows, perturbed: false }]);
        assert!(trials.samples.is_empty());
        assert!(!trials.is_regular(&[0, 1], &[1, 2]));
        assert!(trials.is_regular(&[0, 1], &[0, 2]));
        // Where nothing is known a system is taken as it is.
        assert!(trials.is_regular(&[0, 2], &[0, 1]));
    }
}
