//! How far a change of what is iterated on spreads through the sequence behind it.
//!
//! An inlined step has one loop through all of the dynamics. Few variables may be enough to compute everything else in
//! sequence, but a chain computed from its one end amplifies what is wrong there from link to link: the guess of the
//! iteration variable is off by little, and at the other end nothing is near its solution. Newton's method then begins
//! outside of where it converges, and in longer chains no digit is left (Ascher, Mattheij and Russell, *Numerical
//! Solution of Boundary Value Problems for Ordinary Differential Equations*, §4.1: why single shooting fails).
//!
//! The block is linearised at sample points for some step sizes. A change of the iteration variables by their own sizes
//! changes residuals by some times the size of the terms of their equations: that factor is the spread of the plan.
//! Sizes of unknowns are those that make the entries of the matrix alike (Ruiz, *A scaling algorithm to equilibrate both
//! rows and columns norms in matrices*, RAL-TR-2001-034), so units do not matter.

use crate::blocks::emitter::Emitter;
use crate::blocks::growth::{self, Sample};
use crate::blocks::plan::{Plan, Slopes, linearised};

/// A larger spread is too large: guesses of a step have some three digits, and what is computed from them should have one.
pub(crate) const LARGE: f64 = 100.0;
/// Step sizes that plans are tried with: what runs use depends on the model.
const STEP_SIZES: [f64; 3] = [1e-5, 1e-3, 1e-1];
/// Larger blocks are not looked at.
const LARGEST: usize = 2_000;
/// Nor are linear systems inside that are larger than this.
const LARGEST_PART: usize = 400;
/// Rounds of the scaling: each takes the square root of what is wrong.
const ROUNDS: usize = 8;

/// A block at sample points, to try plans on.
pub(crate) struct Spread {
    /// By step size and point.
    points: Vec<Vec<Point>>,
}

/// The linearised block at one point.
struct Point {
    rows: Vec<Vec<(usize, f64)>>,
    /// The sizes of unknowns.
    sizes: Vec<f64>,
}

/// By unknown: by how much it changes with each of the iteration variables, when these change by their own sizes.
type Changes = Vec<Vec<f64>>;

impl Spread {
    /// `None` where the block cannot be tried.
    pub fn new(emitter: &mut Emitter, slopes: &[Slopes]) -> Option<Spread> {
        let h = emitter.step_size?;
        if slopes.len() > LARGEST {
            return None;
        }
        let rows = linearised(emitter, slopes)?;
        let mut points = Vec::new();
        for size in STEP_SIZES {
            points.extend(Spread::at(&growth::samples_with(emitter, &rows, Some((h, size)))).points);
        }
        Some(Spread { points })
    }

    /// A block at these points.
    pub fn at(samples: &[Sample]) -> Spread {
        let samples = samples.iter().filter(|s| !s.perturbed);
        Spread { points: vec![samples.map(Point::new).collect()] }
    }

    /// The spread of a plan: the largest of all step sizes, of what half of the points exceed. What a few points say alone
    /// may be due to values that never come together.
    pub fn of(&self, plan: &Plan) -> f64 {
        let of_points = |points: &Vec<Point>| {
            let mut all: Vec<f64> = points.iter().filter_map(|point| point.spread(plan)).collect();
            all.sort_by(f64::total_cmp);
            all.get(all.len() / 2).copied().unwrap_or(0.0)
        };
        self.points.iter().map(of_points).fold(0.0, f64::max)
    }
}

impl Point {
    fn new(sample: &Sample) -> Point {
        Point { rows: sample.rows.clone(), sizes: sizes(&sample.rows) }
    }

    /// `None` where the plan cannot be carried out here.
    fn spread(&self, plan: &Plan) -> Option<f64> {
        let changes = self.changes(plan)?;
        let of_row = |&row: &usize| {
            let change: f64 = self.change(row, plan.iterated.len(), &changes).iter().map(|x| x.abs()).sum();
            let size: f64 = self.rows[row].iter().map(|&(c, a)| a.abs() * self.sizes[c]).sum();
            let part = if size > 0.0 { change / size } else { 0.0 };
            // What is beyond all numbers, or the difference of two such, spreads without bound.
            if part.is_finite() { part } else { f64::INFINITY }
        };
        Some(plan.residuals.iter().map(of_row).fold(0.0, f64::max))
    }

    fn changes(&self, plan: &Plan) -> Option<Changes> {
        let count = plan.iterated.len();
        let mut changes: Changes = vec![Vec::new(); self.rows.len()];
        for (k, &column) in plan.iterated.iter().enumerate() {
            changes[column] = vec![0.0; count];
            changes[column][k] = self.sizes[column];
        }
        for part in &plan.parts {
            let (rows, columns) = (part.rows(), part.columns());
            if rows.len() > LARGEST_PART {
                return None;
            }
            let mut system = Vec::new();
            for row in rows {
                let entry = |c: &usize| {
                    let own = self.rows[row].iter().filter(|(column, _)| column == c);
                    own.map(|(_, a)| a).sum()
                };
                let right = self.change(row, count, &changes).iter().map(|x| -x).collect();
                system.push((columns.iter().map(entry).collect(), right));
            }
            for (column, change) in columns.into_iter().zip(growth::dense_solution(system)?) {
                changes[column] = change;
            }
        }
        Some(changes)
    }

    /// What the terms of a row change together, of those unknowns whose changes are known.
    fn change(&self, row: usize, count: usize, changes: &Changes) -> Vec<f64> {
        let mut sum = vec![0.0; count];
        for &(column, a) in &self.rows[row] {
            sum.iter_mut().zip(&changes[column]).for_each(|(sum, change)| *sum += a * change);
        }
        sum
    }
}

/// Sizes of the columns with which, and with factors of the rows, the largest entry of each row and column is about one.
fn sizes(rows: &[Vec<(usize, f64)>]) -> Vec<f64> {
    let n = rows.len();
    let (mut factors, mut sizes) = (vec![1.0f64; n], vec![1.0f64; n]);
    for _ in 0..ROUNDS {
        let (mut of_rows, mut of_columns) = (vec![0.0f64; n], vec![0.0f64; n]);
        for (r, row) in rows.iter().enumerate() {
            for &(c, a) in row {
                let entry = factors[r] * a.abs() * sizes[c];
                of_rows[r] = of_rows[r].max(entry);
                of_columns[c] = of_columns[c].max(entry);
            }
        }
        let improve = |scales: &mut [f64], largest: &[f64]| {
            for (scale, largest) in scales.iter_mut().zip(largest).filter(|(_, largest)| **largest > 0.0) {
                *scale /= largest.sqrt();
            }
        };
        improve(&mut factors, &of_rows);
        improve(&mut sizes, &of_columns);
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::plan::Part;

    /// `x[i+1] = 3*x[i] - x[i-1]` between two boundary conditions, unknowns in units of their own, computed from the first
    /// unknown on; `cuts` are iterated on as well.
    fn chain(n: usize, units: fn(usize) -> f64, cuts: &[usize]) -> f64 {
        let mut rows = vec![vec![(0, 1.0), (1, 0.5)]];
        rows.extend((1..n - 1).map(|i| vec![(i - 1, 1.0), (i, -3.0), (i + 1, 1.0)]));
        rows.push(vec![(n - 2, 0.5), (n - 1, 1.0)]);
        for row in &mut rows {
            row.iter_mut().for_each(|(c, a)| *a *= units(*c));
        }
        let mut plan = Plan { iterated: vec![0], residuals: vec![n - 1], parts: Vec::new() };
        for row in 0..n - 1 {
            match cuts.contains(&row) {
                true => {
                    plan.iterated.push(row + 1);
                    plan.residuals.push(row);
                }
                false => plan.parts.push(Part::Assign(row, row + 1)),
            }
        }
        let point = Point::new(&Sample { rows, perturbed: false });
        point.spread(&plan).expect("a sequence")
    }

    const CUTS: &[usize] = &[3, 4, 8, 9, 13, 14];

    #[test]
    fn changes_spread_along_chains() {
        // Each link amplifies by (3 + sqrt(5))/2.
        let long = chain(20, |_| 1.0, &[]);
        assert!((1e6..1e9).contains(&long), "{long:e}");
        assert!(chain(4, |_| 1.0, &[]) < LARGE);
        // Two unknowns say how the chain goes on.
        let cut = chain(20, |_| 1.0, CUTS);
        assert!(cut < LARGE, "{cut:e}");
    }

    #[test]
    fn units_do_not_matter() {
        let unit = |c: usize| [1.0, 1e5, 1e-3][c % 3];
        for cuts in [&[][..], CUTS] {
            let (plain, other) = (chain(20, |_| 1.0, cuts), chain(20, unit, cuts));
            assert!((plain / other).log10().abs() < 1.0, "{plain:e} {other:e}");
        }
    }
}
