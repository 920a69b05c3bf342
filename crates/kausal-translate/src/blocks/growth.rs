//! An elimination tried out on numbers before it is written down: does it lose digits, do its pivots keep their sign,
//! is what it leaves symmetric?
//!
//! Sequences that compute one unknown from the last can amplify rounding errors until no digit is left, however small
//! the system they leave behind. So a block is evaluated at a few points: parameters have their values, what is assigned before
//! the block follows from the rest, and the rest takes values that do not depend on anything but its number. The right side is made such
//! that the solution is known to be of ordinary size, the plan is carried out in floating point, and the residual of
//! each equation is compared with the size of its terms.

use std::collections::BTreeSet;
use std::rc::Rc;

use kausal_structure::elimination::POINTS;
use kausal_symbolic::evaluate::evaluate_all;
use kausal_symbolic::{ExprId, VarId};
use rustc_hash::FxHashMap;

use crate::blocks::computed::{Branches, Point, uniform};
use crate::blocks::eliminate::{Plan, Row};
use crate::blocks::emitter::Emitter;

/// A relative residual above this means that digits are lost.
pub(crate) const LOST: f64 = 1e-10;

/// The coefficients of a block at one point.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub rows: Vec<Vec<(usize, f64)>>,
    /// Parameters have other values than they will have: what holds here does so whatever their values are.
    pub perturbed: bool,
}

impl Sample {
    /// Do all coefficients have values?
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|(_, a)| a.is_finite())
    }
}

/// What a plan does at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trial {
    /// The largest residual, relative to the terms of its equation; infinite if there is no solution.
    pub residual: f64,
    pub pivots: Vec<f64>,
    /// The matrix left to a solver.
    pub core: Core,
}

/// A matrix, and for each entry the sum of the magnitudes of the terms it was computed from: its rounding errors are a
/// small part of that, whatever the size of other entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Core {
    pub entries: Vec<Vec<f64>>,
    pub magnitudes: Vec<Vec<f64>>,
}

/// The block at some points: one if its coefficients are known, several otherwise, none if they cannot be computed.
pub(crate) fn samples(emitter: &mut Emitter, rows: &[Row]) -> Vec<Sample> {
    samples_with(emitter, rows, None)
}

/// The same with a value given to a variable.
pub(crate) fn samples_with(emitter: &mut Emitter, rows: &[Row], given: Option<(VarId, f64)>) -> Vec<Sample> {
    let mut all = partial_samples(emitter, rows, given);
    all.retain(Sample::is_finite);
    all
}

/// The same, where some coefficients may not have values at a point: they are not numbers there.
pub(crate) fn partial_samples(
    emitter: &mut Emitter,
    rows: &[Row],
    given: Option<(VarId, f64)>,
) -> Vec<Sample> {
    const LARGE: usize = 2_000;
    let exprs: Vec<ExprId> = rows.iter().flat_map(|r| r.coefficients.iter().map(|&(_, e)| e)).collect();
    let mut parameters = emitter.parameter_values();
    // What was found without it, or with another value, does not hold.
    let without = given.map(|(variable, value)| {
        Rc::make_mut(&mut parameters).insert(variable, value);
        std::mem::take(&mut emitter.computed.values)
    });
    let work = &*emitter.work;
    let known = |v: VarId| parameters.contains_key(&v);
    let fixed = exprs.iter().all(|&e| !work.pool.contains_any(e, |v| !known(v)) && !work.pool.has_context(e));
    let points = match (fixed, rows.len()) {
        (true, _) => 1,
        (false, n) if n > LARGE => 2,
        _ => POINTS as u64,
    };
    let mut computed = std::mem::take(&mut emitter.computed);
    let work = &*emitter.work;
    computed.evaluate(work, &parameters, &exprs);
    let mut out = Vec::new();
    for point in 0..=points {
        let perturbed = point == points;
        let point = if perturbed { POINTS as u64 } else { point };
        let mut values = Point { perturbed, ..Point::new(work, &parameters, &computed, point) };
        out.push(sample(&mut values, rows, &exprs));
    }
    if let Some(values) = without {
        computed.values = values;
    }
    emitter.computed = computed;
    out
}

/// The coefficients at a point.
fn sample(values: &mut Point, rows: &[Row], exprs: &[ExprId]) -> Sample {
    let mut numbers = evaluate_all(&values.work.pool, exprs, values).into_iter();
    let row = |r: &Row| r.coefficients.iter().zip(&mut numbers).map(|(&(c, _), x)| (c, x)).collect();
    Sample { rows: rows.iter().map(row).collect(), perturbed: values.perturbed }
}

/// The block at points where relations and Booleans have all values, whatever the values of their operands, and what is otherwise
/// another formula for other arguments (`max`, `abs`, …) is each of them; none where nothing in the block is. Random numbers
/// reach neither `m == 3` nor `T > 400`, and what they show says nothing about the rest. Each point has a counterpart in which
/// everything is decided the other way, so that two conditions that decide together miss one of their four cases with a
/// probability of one in some thousand.
pub(crate) fn branched_samples(emitter: &mut Emitter, rows: &[Row]) -> Vec<Sample> {
    const ROUNDS: u64 = 2;
    let exprs: Vec<ExprId> = rows.iter().flat_map(|r| r.coefficients.iter().map(|&(_, e)| e)).collect();
    let parameters = emitter.parameter_values();
    let mut computed = std::mem::take(&mut emitter.computed);
    let usual = std::mem::take(&mut computed.values);
    let work = &*emitter.work;
    let mut out = Vec::new();
    for (round, opposite) in (0..ROUNDS).flat_map(|round| [(round, false), (round, true)]) {
        let branches = Branches { round, opposite };
        computed.values.clear();
        let branched = computed.evaluate_branched(work, &parameters, &exprs, Some(branches));
        let mut met = branched;
        for point in 0..=POINTS as u64 {
            let at = Point::new(work, &parameters, &computed, point);
            let mut values = Point { perturbed: point == POINTS as u64, branches: Some(branches), ..at };
            let sample = sample(&mut values, rows, &exprs);
            met |= values.met;
            out.extend(Some(sample).filter(Sample::is_finite));
        }
        if !met {
            out.clear();
            break;
        }
    }
    computed.values = usual;
    emitter.computed = computed;
    out
}

/// A block of an inlined step, at steps as short as runs begin with and as long as they become; none where it does not depend on
/// the step. Other samples have steps of ordinary size: a sequence that divides by them loses nothing there.
pub(crate) fn step_samples(emitter: &mut Emitter, rows: &[Row]) -> Vec<Sample> {
    const SIZES: [f64; 4] = [1e-9, 1e-6, 1e-3, 1e-1];
    const POINTS_OF_EACH: usize = 2;
    let Some(h) = emitter.step_size else { return Vec::new() };
    let pool = &emitter.work.pool;
    if !rows.iter().any(|r| r.coefficients.iter().any(|&(_, e)| pool.contains_any(e, |v| v == h))) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for size in SIZES {
        out.extend(samples_with(emitter, rows, Some((h, size))).into_iter().take(POINTS_OF_EACH));
    }
    out
}

/// Is an expression zero at all points?
pub(crate) fn is_zero(emitter: &mut Emitter, e: ExprId) -> bool {
    let row = Row { coefficients: vec![(0, e)], right: e };
    let found = samples(emitter, &[row]);
    !found.is_empty() && found.iter().all(|s| s.rows[0][0].1 == 0.0)
}

/// Carries the plan out on the numbers of a sample.
pub(crate) fn trial(sample: &Sample, plan: &Plan) -> Trial {
    let n = sample.rows.len();
    let truth: Vec<f64> = (0..n as u64).map(|k| 0.5 + uniform(k, 7)).collect();
    let right: Vec<f64> =
        sample.rows.iter().map(|row| row.iter().map(|&(c, a)| a * truth[c]).sum()).collect();
    let mut run = Run::new(sample, plan, &right);
    run.eliminate();
    let core = Core {
        entries: run.core.iter().map(|(row, _)| row.clone()).collect(),
        magnitudes: std::mem::take(&mut run.magnitudes),
    };
    let x = run.solution();
    let residual = match x {
        Some(x) => relative_residual(sample, &right, &x),
        None => f64::INFINITY,
    };
    Trial { residual, pivots: run.reduced.iter().map(|r| r.pivot).collect(), core }
}

fn relative_residual(sample: &Sample, right: &[f64], x: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    for (row, b) in sample.rows.iter().zip(right) {
        let (mut sum, mut size) = (-b, b.abs());
        for &(c, a) in row {
            sum += a * x[c];
            size += (a * x[c]).abs();
        }
        let relative = if size > 0.0 { sum.abs() / size } else { sum.abs() };
        worst = if relative.is_nan() { f64::INFINITY } else { worst.max(relative) };
    }
    worst
}

struct NumericRow {
    pivot: f64,
    entries: Vec<(usize, f64)>,
    right: f64,
}

struct Run<'a> {
    sample: &'a Sample,
    plan: &'a Plan,
    right: &'a [f64],
    position: Vec<usize>,
    reduced: Vec<NumericRow>,
    core: Vec<(Vec<f64>, f64)>,
    /// Of the entries of the core.
    magnitudes: Vec<Vec<f64>>,
    /// The row that is being reduced, by column; zero elsewhere.
    dense: Vec<f64>,
    /// The magnitudes of its terms, where these are asked for.
    sizes: Vec<f64>,
}

impl<'a> Run<'a> {
    fn new(sample: &'a Sample, plan: &'a Plan, right: &'a [f64]) -> Self {
        let n = sample.rows.len();
        let mut position = vec![usize::MAX; n];
        for (k, &(_, c)) in plan.pivots.iter().enumerate() {
            position[c] = k;
        }
        Run {
            sample,
            plan,
            right,
            position,
            reduced: Vec::new(),
            core: Vec::new(),
            magnitudes: Vec::new(),
            dense: vec![0.0; n],
            sizes: vec![0.0; n],
        }
    }

    fn eliminate(&mut self) {
        for &(r, c) in &self.plan.pivots {
            let (mut entries, right) = self.reduce(r);
            let at = entries.iter().position(|&(column, _)| column == c);
            let pivot = at.map_or(0.0, |at| entries.remove(at).1);
            self.reduced.push(NumericRow { pivot, entries, right });
        }
        let place: FxHashMap<usize, usize> =
            self.plan.core_columns.iter().enumerate().map(|(k, &c)| (c, k)).collect();
        for &r in &self.plan.core_rows {
            let (entries, right) = self.reduce(r);
            let (mut row, mut sizes) = (vec![0.0; place.len()], vec![0.0; place.len()]);
            for (c, a) in entries {
                row[place[&c]] = a;
                sizes[place[&c]] = self.sizes[c];
            }
            self.core.push((row, right));
            self.magnitudes.push(sizes);
        }
    }

    fn reduce(&mut self, r: usize) -> (Vec<(usize, f64)>, f64) {
        let done = self.reduced.len();
        let mut columns: BTreeSet<usize> = BTreeSet::new();
        let mut pending: BTreeSet<usize> = BTreeSet::new();
        let mut right = self.right[r];
        for &(c, a) in &self.sample.rows[r] {
            self.dense[c] += a;
            self.sizes[c] = a.abs();
            if self.position[c] < done {
                pending.insert(self.position[c])
            } else {
                columns.insert(c)
            };
        }
        while let Some(k) = pending.pop_first() {
            let c = self.plan.pivots[k].1;
            let pivot = self.reduced[k].pivot;
            let factor = std::mem::replace(&mut self.dense[c], 0.0) / pivot;
            if factor == 0.0 {
                continue;
            }
            // What the factor was computed from rounds as well.
            let size = (self.sizes[c] / pivot).abs();
            for &(column, a) in &self.reduced[k].entries {
                self.dense[column] -= factor * a;
                let known = if self.position[column] < done {
                    !pending.insert(self.position[column])
                } else {
                    !columns.insert(column)
                };
                self.sizes[column] = if known { self.sizes[column] } else { 0.0 } + size * a.abs();
            }
            right -= factor * self.reduced[k].right;
        }
        let entries = columns.into_iter().map(|c| (c, std::mem::replace(&mut self.dense[c], 0.0))).collect();
        (entries, right)
    }

    fn solution(&mut self) -> Option<Vec<f64>> {
        let mut x = vec![0.0; self.sample.rows.len()];
        let core = self.core.iter().map(|(row, right)| (row.clone(), vec![*right])).collect();
        for (&c, value) in self.plan.core_columns.iter().zip(dense_solution(core)?) {
            x[c] = value[0];
        }
        for k in (self.plan.forward..self.plan.pivots.len()).rev() {
            let row = &self.reduced[k];
            let sum: f64 = row.entries.iter().map(|&(c, a)| a * x[c]).sum();
            x[self.plan.pivots[k].1] = (row.right - sum) / row.pivot;
        }
        for &(r, c) in &self.plan.pivots[..self.plan.forward] {
            let (mut sum, mut pivot) = (self.right[r], f64::NAN);
            for &(column, a) in &self.sample.rows[r] {
                if column == c {
                    pivot = a;
                } else {
                    sum -= a * x[column];
                }
            }
            x[c] = sum / pivot;
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}

/// Gaussian elimination with row pivoting, for some right sides.
pub(crate) fn dense_solution(mut a: Vec<(Vec<f64>, Vec<f64>)>) -> Option<Vec<Vec<f64>>> {
    let n = a.len();
    let subtract = |x: &mut [f64], factor: f64, p: &[f64]| {
        x.iter_mut().zip(p).for_each(|(x, p)| *x -= factor * p);
    };
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| a[i].0[k].abs().total_cmp(&a[j].0[k].abs()))?;
        if a[best].0[k] == 0.0 || a[best].0[k].is_nan() {
            return None;
        }
        a.swap(k, best);
        let (above, below) = a.split_at_mut(k + 1);
        let (pivot, pivot_right) = &above[k];
        for (row, right) in below {
            let factor = row[k] / pivot[k];
            if factor != 0.0 {
                subtract(&mut row[k..], factor, &pivot[k..]);
                subtract(right, factor, pivot_right);
            }
        }
    }
    let mut x: Vec<Vec<f64>> = vec![Vec::new(); n];
    for k in (0..n).rev() {
        let (row, mut own) = std::mem::take(&mut a[k]);
        (k + 1..n).for_each(|j| subtract(&mut own, row[j], &x[j]));
        own.iter_mut().for_each(|value| *value /= row[k]);
        x[k] = own;
    }
    Some(x)
}

/// The order of rows, and the number each is to be multiplied with, that make all these matrices symmetric.
pub(crate) fn symmetric_order(cores: &[&Core]) -> Option<Vec<(usize, f64)>> {
    const LARGEST: usize = 200;
    let n = cores.first()?.entries.len();
    if !(2..=LARGEST).contains(&n) {
        return None;
    }
    (0..n).find_map(|row| pairing(cores, n, row))
}

/// Is the order found for these matrices also that of all of them together with those in other branches?
pub(crate) fn is_order_in(branched: &[Sample], plan: &Plan, cores: &[&Core]) -> bool {
    if branched.is_empty() {
        return true;
    }
    let others: Vec<Core> = branched.iter().map(|s| trial(s, plan).core).collect();
    // Where all switches are open, say, there is nothing to solve.
    let solvable = |core: &&Core| core.entries.iter().flatten().all(|x| x.is_finite());
    let all: Vec<&Core> = cores.iter().copied().chain(others.iter().filter(solvable)).collect();
    symmetric_order(&all) == symmetric_order(cores)
}

fn pairing(cores: &[&Core], n: usize, first: usize) -> Option<Vec<(usize, f64)>> {
    let mut chosen = vec![(first, 1.0)];
    let mut used = vec![false; n];
    used[first] = true;
    for c in 1..n {
        let (row, scale) = (0..n)
            .filter(|&row| !used[row])
            .find_map(|row| scale(cores, &chosen, row, c).map(|s| (row, s)))?;
        used[row] = true;
        chosen.push((row, scale));
    }
    Some(chosen)
}

/// What the row must be multiplied with to be row `c` of a symmetric matrix, given the rows before it. Entries are the same
/// where they differ by no more than rounding of their own terms: beside large entries small ones count as well.
fn scale(cores: &[&Core], chosen: &[(usize, f64)], row: usize, c: usize) -> Option<f64> {
    let same = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-9 * (a.abs() + b.abs()) + 1e-13 * size;
    let first = &cores.first()?.entries;
    let above = chosen.iter().enumerate().map(|(k, &(r, s))| (s * first[r][c], first[row][k]));
    let ratio = above.filter(|(_, own)| *own != 0.0).map(|(other, own)| other / own).find(|s| *s != 0.0);
    let scale = ratio.unwrap_or(1.0);
    // Signs are exact; other factors are numbers of the model, found but for rounding.
    let scale = if same(scale.abs(), 1.0, 0.0) { scale.signum() } else { scale };
    let fits = |core: &&Core| {
        let Core { entries, magnitudes } = core;
        let mut pairs = chosen.iter().enumerate();
        entries[row][c].abs() > 1e-12 * magnitudes[row][c]
            && pairs.all(|(k, &(r, s))| {
                let size = (s * magnitudes[r][c]).abs() + (scale * magnitudes[row][k]).abs();
                same(s * entries[r][c], scale * entries[row][k], size)
            })
    };
    (scale.is_finite() && cores.iter().all(fits)).then_some(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain between two boundary conditions, `x[i+1] = 3*x[i] - x[i-1]`, torn at its beginning: the error of the
    /// first unknown grows by (3 + sqrt(5))/2 per equation.
    fn chain(n: usize) -> (Sample, Plan) {
        let mut rows = vec![vec![(0, 1.0)]];
        rows.extend((1..n - 1).map(|i| vec![(i - 1, 1.0), (i, -3.0), (i + 1, 1.0)]));
        rows.push(vec![(n - 1, 1.0)]);
        // Torn at the second unknown: the first follows from the boundary, the others forwards.
        let mut pivots = vec![(0, 0)];
        pivots.extend((1..n - 1).map(|i| (i, i + 1)));
        let plan = Plan {
            forward: pivots.len(),
            pivots,
            core_rows: vec![n - 1],
            core_columns: vec![1],
            ..Plan::default()
        };
        (Sample { rows, perturbed: false }, plan)
    }

    #[test]
    fn long_sequences_lose_digits_and_short_ones_do_not() {
        let (sample, plan) = chain(40);
        assert!(trial(&sample, &plan).residual > 1e-6);
        let (sample, plan) = chain(8);
        assert!(trial(&sample, &plan).residual < LOST);
    }

    #[test]
    fn elimination_from_one_end_is_stable() {
        let (sample, _) = chain(40);
        let pivots = (0..40).map(|i| (i, i)).collect();
        let result = trial(&sample, &Plan { pivots, ..Plan::default() });
        assert!(result.residual < 1e-14, "{}", result.residual);
        assert!(result.pivots[1..39].iter().all(|p| *p < 0.0));
    }

    /// A matrix as it is written.
    fn core(entries: &[&[f64]]) -> Core {
        let entries: Vec<Vec<f64>> = entries.iter().map(|row| row.to_vec()).collect();
        let magnitudes = entries.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect();
        Core { entries, magnitudes }
    }

    #[test]
    fn symmetry_is_found_under_exchange_and_sign() {
        let shuffled = core(&[&[-2.0, -5.0, -6.0], &[1.0, 2.0, 3.0], &[3.0, 6.0, 9.5]]);
        assert_eq!(symmetric_order(&[&shuffled]), Some(vec![(1, 1.0), (0, -1.0), (2, 1.0)]));
        let general = core(&[&[1.0, 2.0], &[3.0, 4.0]]);
        // Two rows can always be scaled; what is found at one point must hold at the others.
        let other = core(&[&[1.0, 3.0], &[5.0, 4.5]]);
        assert_eq!(symmetric_order(&[&general, &other]), None);
        let scaled = core(&[&[1.0, 2.0], &[6.0, 12.5]]);
        assert_eq!(symmetric_order(&[&scaled, &scaled]), Some(vec![(0, 1.0), (1, 1.0 / 3.0)]));
    }

    /// Entries that are small beside others are none the less what they are, unless they are rounding of larger terms.
    #[test]
    fn small_entries_count_in_a_symmetric_matrix() {
        let mut matrix = core(&[&[1.0, 1e-8, 2e-15], &[1e-8, 1e-15, 3e-23], &[2e-15, 4e-23, 1e-30]]);
        assert_eq!(symmetric_order(&[&matrix]), None);
        matrix.magnitudes[1][2] = 1e-8;
        assert_eq!(symmetric_order(&[&matrix]), Some(vec![(0, 1.0), (1, 1.0), (2, 1.0)]));
    }
}
