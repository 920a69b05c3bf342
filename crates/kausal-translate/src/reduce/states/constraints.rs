//! Constraints in numbers: their derivatives by the candidates, at points where they hold.

use kausal_structure::Id;
use kausal_structure::dummy_derivatives::OpenChoice;
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, VarId};
use rustc_hash::FxHashMap;

use super::Reduced;
use super::local::LocalChoices;
use crate::equations::parameters;
use crate::equations::work::Work;

/// Points at which Jacobians are evaluated, the start values first: as many as cost this many operations, within bounds.
/// A column that is bad on a small part of the manifold, like that of a pendulum near its turning points or an element of
/// a quaternion that passes through zero, must not pass by luck.
const OPERATIONS: usize = 100_000_000;
const MOST_POINTS: usize = 200;
const FEWEST_POINTS: usize = 7;
/// The evaluation of a formula costs about as much as so many operations with numbers.
const OPERATIONS_OF_A_FORMULA: usize = 50;
/// A point is moved so often, at most, to come to where the constraints hold.
const STEPS: usize = 12;
/// As many points at most are looked at on a way along the constraints.
const LONGEST_WALK: usize = 120;
/// Points are moved to where the constraints hold only for so many of them at once: that is cubic.
const MOST_PROJECTED: usize = 150;
/// Residuals below this are none.
const CLOSE: f64 = 1e-8;
/// The longest way that a variable is moved at once.
const LONGEST: f64 = 1.0;

/// The derivative of a constraint by a candidate.
pub(super) struct Slope {
    /// The candidate.
    pub column: usize,
    /// The variable of it that occurs in the constraint.
    pub variable: VarId,
    /// `None` where it cannot be computed from variables alone.
    pub slope: Option<ExprId>,
}

/// Constraints and their derivatives by the candidates.
pub(super) struct Constraints {
    residuals: Vec<ExprId>,
    /// For each constraint the candidates in it.
    pub rows: Vec<Vec<Slope>>,
}

/// A point: values of variables.
type Point = FxHashMap<VarId, f64>;

impl Constraints {
    pub fn new(work: &mut Work, choice: &OpenChoice, chains: &[usize], reduced: &Reduced) -> Constraints {
        let reduction = reduced.reduction;
        // Each variable of a candidate, and how many orders below its highest derivative it is.
        let mut candidate: FxHashMap<VarId, (usize, u32)> = FxHashMap::default();
        for (j, &chain) in chains.iter().enumerate() {
            let highest = reduction.highest[chain];
            for order in 0..=highest {
                candidate.extend(reduced.variable(chain, order).map(|v| (v, (j, highest - order))));
            }
        }
        let mut constraints = Constraints { residuals: Vec::new(), rows: Vec::new() };
        for eqn in &choice.eqns {
            let times = reduction.differentiations[*eqn];
            let residual = work.residual(reduced.sorting.rows[eqn.index()]);
            let mut row = Vec::new();
            for variable in work.pool.variables_of(residual) {
                let Some(&(column, below)) = candidate.get(&variable) else { continue };
                if below == times {
                    let slope = crate::equations::solve::partial(work, residual, variable);
                    let slope = slope.filter(|&slope| !work.pool.has_calls(slope));
                    row.push(Slope { column, variable, slope });
                }
            }
            row.sort_by_key(|slope| slope.column);
            constraints.residuals.push(residual);
            constraints.rows.push(row);
        }
        constraints
    }

    /// Points where the constraints hold, as far as they can be found: elsewhere the Jacobian may look regular where it
    /// never is.
    pub fn points(&self, work: &Work, known: &Point, local: &LocalChoices) -> Vec<Point> {
        let slopes = self.rows.iter().flatten().filter_map(|slope| slope.slope);
        let exprs: Vec<ExprId> = self.residuals.iter().copied().chain(slopes).collect();
        // Elimination among constraints that stay together outweighs the evaluation of their formulas.
        let m = local.rest.len();
        let formulas: usize = local.layers.iter().map(|layer| 1 + self.rows[layer.row].len()).sum();
        let cost = (STEPS + 1) * (m * m * local.width + OPERATIONS_OF_A_FORMULA * formulas);
        let count = (OPERATIONS / cost.max(1)).clamp(FEWEST_POINTS, MOST_POINTS);
        let mut points = strewn(work, &exprs, known, count);
        for point in &mut points {
            self.settle(work, point, local);
        }
        if m <= MOST_PROJECTED {
            let walk = self.walk(work, &points[0], local, count.min(LONGEST_WALK));
            points.extend(walk);
        }
        points
    }

    /// Moves a point to where all constraints hold, if that is possible.
    fn settle(&self, work: &Work, point: &mut Point, local: &LocalChoices) {
        if local.rest.len() <= MOST_PROJECTED {
            self.project(work, point, &local.rest, |_| true);
        }
        for layer in local.layers.iter() {
            self.project(work, point, &[layer.row], |j| layer.columns.contains(&j));
        }
    }

    /// Points that can be reached from one without leaving the constraints. Strewn points may all lie beside a small part of the
    /// manifold where a choice is bad; a way through it does not miss it. It goes on in the direction it came, so that it leads
    /// all around where a mechanism turns.
    fn walk(&self, work: &Work, from: &Point, local: &LocalChoices, count: usize) -> Vec<Point> {
        /// The part of its size that a variable is moved by, about: a dozen points on a quarter of a turn.
        const STEP: f64 = 0.1;
        /// A step that projection has shortened so much leads nowhere: another direction is taken.
        const DEAD_END: f64 = 0.1;
        let mut variables: Vec<VarId> = self.rows.iter().flatten().map(|slope| slope.variable).collect();
        variables.sort_unstable();
        variables.dedup();
        variables.retain(|v| from.contains_key(v));
        let mut random = Random::new();
        let size = |v: &VarId| from[v].abs().max(1.0);
        let mut points: Vec<Point> = Vec::new();
        let mut direction: Vec<f64> = variables.iter().map(|_| random.next()).collect();
        let mut last = from.clone();
        if !self.hold(work, &last) {
            return points;
        }
        for _ in 0..count {
            let longest = direction.iter().fold(0.0f64, |most, d| most.max(d.abs()));
            let mut next = last.clone();
            for (v, d) in variables.iter().zip(&direction) {
                if let Some(value) = next.get_mut(v) {
                    *value += STEP * size(v) * d / longest.max(f64::MIN_POSITIVE);
                }
            }
            self.settle(work, &mut next, local);
            direction = variables.iter().map(|v| (next[v] - last[v]) / (STEP * size(v))).collect();
            let moved = direction.iter().fold(0.0f64, |most, d| most.max(d.abs()));
            if moved.is_nan() || moved <= DEAD_END || !self.hold(work, &next) {
                direction.iter_mut().for_each(|d| *d = random.next());
                continue;
            }
            last = next;
            points.push(last.clone());
        }
        points
    }

    /// Do all constraints hold at a point?
    pub fn hold(&self, work: &Work, point: &Point) -> bool {
        let residual = |&e: &ExprId| parameters::number(work, e, point);
        self.residuals.iter().all(|e| residual(e).is_some_and(|r| r.abs() < CLOSE))
    }

    /// The derivatives at a point, zero where they have no value.
    pub fn slopes_at(&self, work: &Work, point: &Point) -> Vec<Vec<f64>> {
        let number = |e: ExprId| parameters::number(work, e, point).filter(|v| v.is_finite());
        let of_row = |row: &Vec<Slope>| row.iter().map(|s| s.slope.and_then(number).unwrap_or(0.0)).collect();
        self.rows.iter().map(of_row).collect()
    }

    /// Moves a point to where some constraints hold, by smallest corrections of some candidates. Gives up where that leads
    /// nowhere.
    fn project(&self, work: &Work, point: &mut Point, chosen: &[usize], moves: impl Fn(usize) -> bool) {
        let mut place: FxHashMap<VarId, usize> = FxHashMap::default();
        let slopes = || {
            let of_row = |(i, &row): (usize, &usize)| self.rows[row].iter().map(move |slope| (i, slope));
            chosen.iter().enumerate().flat_map(of_row).filter(|(_, slope)| moves(slope.column))
        };
        for (_, slope) in slopes() {
            let next = place.len();
            place.entry(slope.variable).or_insert(next);
        }
        let n = place.len();
        for _ in 0..STEPS {
            let number = |e: ExprId| parameters::number(work, e, point).filter(|v| v.is_finite());
            let residuals = chosen.iter().map(|&row| number(self.residuals[row]));
            let Some(residual) = residuals.collect::<Option<Vec<f64>>>() else { return };
            if residual.iter().all(|r| r.abs() < CLOSE) {
                return;
            }
            let mut rows = vec![vec![0.0; n]; chosen.len()];
            for (i, slope) in slopes() {
                let Some(value) = slope.slope.and_then(number) else { return };
                rows[i][place[&slope.variable]] = value;
            }
            let Some(weights) = smallest_weights(&rows, &residual) else { return };
            let mut step = vec![0.0; n];
            for (row, weight) in rows.iter().zip(&weights) {
                step.iter_mut().zip(row).for_each(|(s, a)| *s -= a * weight);
            }
            let length = step.iter().fold(0.0f64, |l, s| l.max(s.abs()));
            let part = if length > LONGEST { LONGEST / length } else { 1.0 };
            for (v, &k) in &place {
                if let Some(value) = point.get_mut(v) {
                    *value += part * step[k];
                }
            }
        }
    }
}

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn new() -> Random {
        Random(0x9E37_79B9_7F4A_7C15)
    }

    /// From -1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Values of the variables of some expressions at the points. They depend on nothing else in the model.
fn strewn(
    work: &Work,
    exprs: &[ExprId],
    known: &FxHashMap<VarId, f64>,
    count: usize,
) -> Vec<FxHashMap<VarId, f64>> {
    let mut variables = Vec::new();
    let mut visitor = Visitor::new();
    visitor.begin(&work.pool);
    exprs.iter().for_each(|&e| visitor.variables(&work.pool, e, &mut variables));
    let mut random = Random::new();
    let mut points = vec![FxHashMap::default(); count];
    for v in variables {
        if let Some(&value) = known.get(&v) {
            points.iter_mut().for_each(|point| {
                point.insert(v, value);
            });
            continue;
        }
        let start = work.var(v).start.and_then(|e| parameters::number(work, e, known)).unwrap_or(0.0);
        for (k, point) in points.iter_mut().enumerate() {
            let away = random.next() * start.abs().max(1.0);
            // Around the start values, and without regard to them.
            let value = match k {
                0 => start,
                _ if k % 2 == 0 => start + away,
                _ => away,
            };
            point.insert(v, value);
        }
    }
    points
}

/// `y` with `A Aᵀ y = r`, by Cholesky's method; rows that say nothing new count for nothing.
fn smallest_weights(rows: &[Vec<f64>], r: &[f64]) -> Option<Vec<f64>> {
    const NOTHING_NEW: f64 = 1e-10;
    let m = rows.len();
    let mut l = vec![vec![0.0; m]; m];
    for i in 0..m {
        for j in 0..=i {
            let mut sum: f64 = rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum();
            let whole = sum;
            sum -= (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i != j {
                l[i][j] = if l[j][j] > 0.0 { sum / l[j][j] } else { 0.0 };
            } else if sum > NOTHING_NEW * whole {
                l[i][i] = sum.sqrt();
            }
        }
    }
    let mut y = r.to_vec();
    for i in 0..m {
        let sum: f64 = (0..i).map(|k| l[i][k] * y[k]).sum();
        y[i] = if l[i][i] > 0.0 { (y[i] - sum) / l[i][i] } else { 0.0 };
    }
    for i in (0..m).rev() {
        let sum: f64 = (i + 1..m).map(|k| l[k][i] * y[k]).sum();
        y[i] = if l[i][i] > 0.0 { (y[i] - sum) / l[i][i] } else { 0.0 };
    }
    y.iter().all(|v| v.is_finite()).then_some(y)
}
