//! Solutions of linear systems are looked at: do they solve the equations, and how many of their digits are certain?
//!
//! - **Residuals.** Row by row they are compared with the sizes of their terms (the componentwise backward error of Oettli and Prager,
//!   *Numerische Mathematik* 6, 1964). Factors on pivots that were chosen for other numbers, or on the diagonal of a symmetric matrix,
//!   may have lost digits; then the solution is refined with them (R. D. Skeel, *Mathematics of Computation* 35, 1980), and where that
//!   does not help the matrix is factorised with pivoting.
//! - **Digits.** A solution without residuals is that of equations changed by rounding. What it would be with other rounding errors
//!   differs by `A⁻¹ δ`, `|δ|` being a rounding error of the terms of each row: one more solution with the factors at hand. At the
//!   end of the run the largest such change of each unknown is compared with the largest value it has had: a current that passes
//!   through zero has not lost its digits there. What was never larger than that is zero but for rounding, unless all of
//!   them are so.
//!
//! Residuals are looked at once in a while between events, always at events, and both for everything that is written down: on the
//! way to the end of an event there may be systems without a solution.

use kausal_solver::Reason;
use kausal_solver::linear::{DenseLu, Structure};
use kausal_translate::program::Guard;
use serde::{Deserialize, Serialize};

use super::{Failure, Halt, KernelSpace, LostDigits, Machine, Stop};
use crate::compiled_model::Kernel;

/// Solutions are refined so often at most: each round gains all digits that the factors have.
const REFINEMENTS: usize = 3;

impl Machine {
    /// Looks at the solution of a system, and at its digits where it counts.
    pub(super) fn check_solution(&mut self, index: usize) -> Result<(), Halt> {
        let model = self.model.clone();
        let kernel = &model.kernels[index];
        let (counts, time) = (self.written, self.time);
        let Machine { kernels, values, digits, .. } = &mut *self;
        let space = &mut kernels[kernel.factors_of];
        space.unchecked = Guard::OFTEN - 1;
        let right = |i: usize, values: &[f64]| values[kernel.rhs[i].index()];
        let mut rows = Rows::of(kernel, space, |i| right(i, values));
        if !rows.are_solved() {
            rows = refined(kernel, space, rows, |i| right(i, values));
            if !rows.are_solved() {
                rows = pivoted(kernel, space, rows, |i| right(i, values));
            }
            // Rows that still contradict their solution have none: so it is for a matrix that is singular but for rounding.
            if !rows.are_solved() {
                let (reason, unknowns) = (Reason::SingularMatrix, kernel.unknowns.clone());
                let residual = rows.worst();
                return Err(Stop::Failed(Failure { reason, unknowns, residual }).into());
            }
            for (x, v) in space.rhs.iter().zip(&kernel.unknowns) {
                values[v.index()] = *x;
            }
        }
        if counts {
            let n = kernel.n;
            let digits = digits[index].get_or_insert_with(|| Box::new(Digits::new(n)));
            digits.note(space, &rows, time);
        }
        Ok(())
    }

    /// The linear systems whose solutions rounding has changed by more than this part of themselves.
    pub(crate) fn lost_digits(&self, tolerance: f64) -> Vec<LostDigits> {
        let known = self.digits.iter().zip(&self.model.kernels);
        let lost = known.filter_map(|(digits, kernel)| {
            let (error, time) = digits.as_ref()?.lost()?;
            (error > tolerance).then(|| LostDigits { unknowns: kernel.unknowns.clone(), time, error })
        });
        lost.collect()
    }
}

/// What is known of the digits of a system's unknowns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Digits {
    /// The largest value that each has had.
    largest: Vec<f64>,
    /// The largest change by rounding, and when that was.
    changes: Vec<(f64, f64)>,
}

impl Digits {
    fn new(n: usize) -> Digits {
        Digits { largest: vec![0.0; n], changes: vec![(0.0, 0.0); n] }
    }

    /// Looks at a solution.
    fn note(&mut self, space: &mut KernelSpace, rows: &Rows, time: f64) {
        // Signs that follow no pattern of the matrix: those of the binary digits of the golden ratio.
        const SIGNS: u64 = 0x9E37_79B9_7F4A_7C15;
        let sign = |i: usize| if SIGNS >> (i % 64) & 1 == 1 { 1.0 } else { -1.0 };
        let mut change: Vec<f64> =
            (0..).zip(&rows.sizes).map(|(i, size)| sign(i) * f64::EPSILON * size).collect();
        let Some(factor) = &mut space.factor else { return };
        factor.solve(&mut change);
        for ((largest, worst), (x, change)) in
            self.largest.iter_mut().zip(&mut self.changes).zip(space.rhs.iter().zip(&change))
        {
            *largest = largest.max(x.abs());
            if change.abs() > worst.0 {
                *worst = (change.abs(), time);
            }
        }
    }

    /// The largest part of an unknown that rounding has changed, and when.
    fn lost(&self) -> Option<(f64, f64)> {
        /// Of what rounding changes by so much of itself there is not one digit.
        const NOTHING: f64 = 0.1;
        let moved = self.largest.iter().zip(&self.changes).filter(|(_, change)| change.0 > 0.0);
        let parts: Vec<(f64, f64)> = moved.map(|(largest, change)| (change.0 / largest, change.1)).collect();
        let all_lost = parts.iter().all(|(part, _)| *part >= NOTHING);
        let counted = parts.into_iter().filter(|(part, _)| all_lost || *part < NOTHING);
        counted.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Residuals of a solution, and the sizes of their terms.
struct Rows {
    residuals: Vec<f64>,
    sizes: Vec<f64>,
}

impl Rows {
    /// Of the solution that is in the place of the right sides.
    fn of(kernel: &Kernel, space: &KernelSpace, right: impl Fn(usize) -> f64) -> Rows {
        let residuals: Vec<f64> = (0..kernel.n).map(right).collect();
        let sizes = residuals.iter().map(|b| b.abs()).collect();
        let mut rows = Rows { residuals, sizes };
        each_entry(kernel, space, |i, j, a| {
            let term = a * space.rhs[j];
            rows.residuals[i] -= term;
            rows.sizes[i] += term.abs();
        });
        rows
    }

    /// Where all terms of a row are nearly zero, what is left of them is the rounding of the others: each unknown that was
    /// eliminated leaves one rounding error of them.
    fn are_solved(&self) -> bool {
        let largest = self.sizes.iter().fold(0.0, |most: f64, size| most.max(*size));
        let least = Guard::ROUNDING * self.sizes.len() as f64 * largest;
        let solved = |(r, size): (&f64, &f64)| r.abs() <= (Guard::LOST * size).max(least) || r.is_nan();
        self.residuals.iter().zip(&self.sizes).all(solved)
    }

    /// The row that is solved worst, and its residual.
    fn worst(&self) -> Option<(usize, f64)> {
        let part = |i: usize| self.residuals[i].abs() / self.sizes[i].max(f64::MIN_POSITIVE);
        let row = (0..self.sizes.len()).max_by(|&a, &b| part(a).total_cmp(&part(b)))?;
        Some((row, self.residuals[row]))
    }
}

fn each_entry(kernel: &Kernel, space: &KernelSpace, mut visit: impl FnMut(usize, usize, f64)) {
    match &kernel.structure {
        Structure::Dense(n) => {
            for (place, &a) in space.matrix.iter().enumerate() {
                visit(place % n, place / n, a);
            }
        }
        Structure::Sparse(pattern) => {
            for ((i, j), &a) in pattern.iter().zip(&space.matrix) {
                visit(i, j, a);
            }
        }
    }
}

/// The solution made better with the factors at hand, as far as that goes.
fn refined(kernel: &Kernel, space: &mut KernelSpace, mut rows: Rows, right: impl Fn(usize) -> f64) -> Rows {
    for _ in 0..REFINEMENTS {
        let before = space.rhs.clone();
        let mut correction = rows.residuals.clone();
        let Some(factor) = &mut space.factor else { return rows };
        factor.solve(&mut correction);
        space.rhs.iter_mut().zip(&correction).for_each(|(x, c)| *x += c);
        let next = Rows::of(kernel, space, &right);
        let size =
            |rows: &Rows| rows.worst().map_or(0.0, |(i, r)| r.abs() / rows.sizes[i].max(f64::MIN_POSITIVE));
        if size(&next).partial_cmp(&size(&rows)) != Some(std::cmp::Ordering::Less) {
            space.rhs = before;
            return rows;
        }
        rows = next;
        if rows.are_solved() {
            return rows;
        }
    }
    rows
}

/// The solution with pivots for the numbers of today.
fn pivoted(kernel: &Kernel, space: &mut KernelSpace, rows: Rows, right: impl Fn(usize) -> f64) -> Rows {
    /// Larger matrices are not made dense.
    const LARGEST: usize = 400;
    let n = kernel.n;
    if n > LARGEST {
        return rows;
    }
    let mut lu = DenseLu::new(n);
    let mut dense = vec![0.0; n * n];
    each_entry(kernel, space, |i, j, a| dense[i + n * j] += a);
    if lu.factor(&dense).is_err() {
        return rows;
    }
    let before = space.rhs.clone();
    (0..n).for_each(|i| space.rhs[i] = right(i));
    lu.solve(&mut space.rhs);
    let next = Rows::of(kernel, space, right);
    if next.are_solved() {
        return next;
    }
    space.rhs = before;
    rows
}

#[cfg(test)]
mod tests {
    use super::Digits;

    #[test]
    fn digits_are_compared_with_the_largest_values() {
        let mut digits = Digits::new(3);
        digits.largest = vec![1.0, 10.0, 1e-16];
        digits.changes = vec![(1e-12, 0.5), (1e-3, 0.25), (1e-16, 0.1)];
        assert_eq!(digits.lost(), Some((1e-4, 0.25)), "the last is zero but for rounding");
        digits.changes = vec![(1.0, 0.5), (2.0, 0.25), (1e-16, 0.1)];
        assert_eq!(digits.lost().map(|(part, _)| part), Some(1.0), "nothing is left");
        assert_eq!(Digits::new(2).lost(), None);
    }
}
