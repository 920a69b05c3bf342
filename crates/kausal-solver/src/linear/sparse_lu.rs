//! Sparse LU factorisation: order once, factorise with pivoting once, then refactorise on the fixed pattern.
//!
//! `R P A Q = L U`: `Q` from a minimum degree order, `P` from threshold pivoting that prefers the matched
//! diagonal, `R` a scaling of the rows. The first [`factor`](SparseLu::factor) is the left-looking algorithm
//! of Gilbert & Peierls (SIAM J. Sci. Stat. Comput. 9, 1988): the pattern of each column is found by a
//! depth-first search before it is computed, so that the work is proportional to the operations. Later
//! matrices with the same pattern take [`refactor`](SparseLu::refactor), which repeats the arithmetic only.
//! It watches the pivots: where one has become small against its column, the matrix is pivoted anew, and
//! [`repivots`](SparseLu::repivots) counts that. `refactor` (unless it repivots) and `solve` allocate
//! nothing.

use serde::{Deserialize, Serialize};

use super::matching::match_rows;
use super::ordering::minimum_degree;
use super::{Factored, Pattern, ROUNDING, Scalar, Singular};

/// A diagonal pivot is kept when it is at least this fraction of the largest candidate of its column.
const PREFER_DIAGONAL: f64 = 0.1;
/// A fixed pivot is kept in `refactor` while no multiplier exceeds this.
const GROWTH_LIMIT: f64 = 1e4;

const NONE: u32 = u32::MAX;

/// A sparse LU factorisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SparseLu<T = f64> {
    pattern: Pattern,
    /// Column of `A` that is eliminated at step `k`.
    column_order: Vec<u32>,
    /// Row that is the preferred pivot of a column of `A`.
    preferred_row: Vec<u32>,
    /// Row of `A` that is the pivot of step `k`, and the step at which a row of `A` is the pivot.
    row_order: Vec<u32>,
    step_of_row: Vec<u32>,
    row_scale: Vec<f64>,
    /// Strictly lower triangle by columns, unit diagonal implied. Rows count elimination steps.
    lower: Triangle<T>,
    /// Strictly upper triangle by columns, rows ascending.
    upper: Triangle<T>,
    diagonal: Vec<T>,
    work: Vec<T>,
    search: Reach,
    factored: bool,
    /// The pivots exchange rows and columns by an odd permutation.
    odd: bool,
    repivots: u64,
}

/// One triangle, compressed by columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Triangle<T> {
    start: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> Triangle<T> {
    fn new(n: usize) -> Self {
        Triangle { start: vec![0; n + 1], rows: Vec::new(), values: Vec::new() }
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.values.clear();
    }

    fn push(&mut self, row: u32, value: T) {
        self.rows.push(row);
        self.values.push(value);
    }

    #[inline]
    fn column(&self, k: usize) -> (&[u32], &[T]) {
        let range = self.start[k]..self.start[k + 1];
        (&self.rows[range.clone()], &self.values[range])
    }
}

/// Workspace of the depth-first search for the pattern of a column.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Reach {
    /// The step that last saw this row of `A`.
    seen: Vec<u32>,
    stack: Vec<(u32, usize)>,
    /// Pivotal steps reached, in reverse topological order.
    steps: Vec<u32>,
    /// Rows reached that are not pivotal yet.
    candidates: Vec<u32>,
    /// Where the search of a column of `L` may stop: what follows is reached by another way.
    end: Vec<usize>,
}

impl<T: Scalar> SparseLu<T> {
    /// Analyses a pattern: matching and order. Fails when the pattern is singular whatever the values.
    pub fn new(pattern: &Pattern) -> Result<Self, Singular> {
        let n = pattern.n();
        let preferred_row = match_rows(pattern)?;
        let column_order = minimum_degree(pattern, &preferred_row);
        Ok(SparseLu {
            pattern: pattern.clone(),
            column_order,
            preferred_row,
            row_order: vec![NONE; n],
            step_of_row: vec![NONE; n],
            row_scale: vec![1.0; n],
            lower: Triangle::new(n),
            upper: Triangle::new(n),
            diagonal: vec![T::ZERO; n],
            work: vec![T::ZERO; n],
            search: Reach {
                seen: vec![NONE; n],
                stack: Vec::with_capacity(n),
                steps: Vec::with_capacity(n),
                candidates: Vec::with_capacity(n),
                end: vec![usize::MAX; n],
            },
            factored: false,
            odd: false,
            repivots: 0,
        })
    }

    /// The pattern of the matrices to factorise.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Entries of `L` and `U` together, the diagonals counted once.
    pub fn entries(&self) -> usize {
        self.lower.rows.len() + self.upper.rows.len() + self.diagonal.len()
    }

    /// How often `refactor` had to choose new pivots.
    pub fn repivots(&self) -> u64 {
        self.repivots
    }

    /// Factorises, choosing the pivots for these values.
    pub fn factor(&mut self, values: &[T]) -> Result<(), Singular> {
        self.factored = false;
        self.scale_rows(values);
        self.step_of_row.fill(NONE);
        self.search.seen.fill(NONE);
        self.search.end.fill(usize::MAX);
        self.work.fill(T::ZERO);
        self.lower.clear();
        self.upper.clear();
        for k in 0..self.pattern.n() {
            self.find_pattern(k);
            let column_size = self.eliminate_column(k, values);
            self.choose_pivot(k, column_size)?;
            self.lower.start[k + 1] = self.lower.rows.len();
            self.upper.start[k + 1] = self.upper.rows.len();
            self.prune(k);
        }
        self.number_rows_by_step();
        let seen = &mut self.search.seen;
        self.odd = is_odd(&self.row_order, seen) != is_odd(&self.column_order, seen);
        self.factored = true;
        Ok(())
    }

    /// Factorises with the pivots and the pattern of the last `factor`, or calls it where these are no longer
    /// good.
    pub fn refactor(&mut self, values: &[T]) -> Result<(), Singular> {
        if !self.factored {
            return self.factor(values);
        }
        if self.repeat_elimination(values) {
            Ok(())
        } else {
            self.repivots += 1;
            self.work.fill(T::ZERO);
            self.factor(values)
        }
    }

    /// The pivots of the last factorisation, and whether rows and columns are exchanged by an odd permutation: what the sign of the
    /// determinant is made of.
    pub fn pivots(&self) -> (&[T], bool) {
        (&self.diagonal, self.odd)
    }

    /// Solves `A x = b`, overwriting `b` by `x`.
    pub fn solve(&mut self, b: &mut [T]) {
        let n = self.pattern.n();
        for k in 0..n {
            let row = self.row_order[k] as usize;
            self.work[k] = b[row].scale(self.row_scale[row]);
        }
        let x = &mut self.work;
        for k in 0..n {
            let xk = x[k];
            if xk != T::ZERO {
                let (rows, values) = self.lower.column(k);
                for (&i, &l) in rows.iter().zip(values) {
                    x[i as usize] -= l * xk;
                }
            }
        }
        for k in (0..n).rev() {
            let xk = x[k] / self.diagonal[k];
            x[k] = T::ZERO;
            b[self.column_order[k] as usize] = xk;
            if xk != T::ZERO {
                let (rows, values) = self.upper.column(k);
                for (&i, &u) in rows.iter().zip(values) {
                    x[i as usize] -= u * xk;
                }
            }
        }
    }

    /// Solves `Aᵀ x = b` (not conjugated), overwriting `b` by `x`.
    pub fn solve_transposed(&mut self, b: &mut [T]) {
        let n = self.pattern.n();
        let x = &mut self.work;
        for k in 0..n {
            let mut sum = b[self.column_order[k] as usize];
            let (rows, values) = self.upper.column(k);
            for (&i, &u) in rows.iter().zip(values) {
                sum -= u * x[i as usize];
            }
            x[k] = sum / self.diagonal[k];
        }
        for k in (0..n).rev() {
            let mut sum = x[k];
            let (rows, values) = self.lower.column(k);
            for (&i, &l) in rows.iter().zip(values) {
                sum -= l * x[i as usize];
            }
            x[k] = sum;
        }
        for k in 0..n {
            let row = self.row_order[k] as usize;
            b[row] = x[k].scale(self.row_scale[row]);
            x[k] = T::ZERO;
        }
    }

    fn scale_rows(&mut self, values: &[T]) {
        self.row_scale.fill(0.0);
        for (&row, &value) in self.pattern.rows().iter().zip(values) {
            let largest = &mut self.row_scale[row as usize];
            *largest = largest.max(value.size());
        }
        for scale in &mut self.row_scale {
            *scale = if *scale > 0.0 && scale.is_finite() { 1.0 / *scale } else { 1.0 };
        }
    }

    /// Which rows of column `k` of the factors can differ from zero: what the column of `A` reaches through
    /// `L`.
    ///
    /// While factorising, rows of `L` are rows of `A`.
    fn find_pattern(&mut self, k: usize) {
        let search = &mut self.search;
        search.steps.clear();
        search.candidates.clear();
        let column = self.column_order[k] as usize;
        for &root in self.pattern.column(column) {
            if search.seen[root as usize] == k as u32 {
                continue;
            }
            search.seen[root as usize] = k as u32;
            let step = self.step_of_row[root as usize];
            if step == NONE {
                search.candidates.push(root);
                continue;
            }
            search.stack.push((step, self.lower.start[step as usize]));
            while let Some(top) = search.stack.last_mut() {
                let step = top.0 as usize;
                if top.1 >= search.end[step].min(self.lower.start[step + 1]) {
                    search.steps.push(top.0);
                    search.stack.pop();
                    continue;
                }
                let row = self.lower.rows[top.1];
                top.1 += 1;
                if search.seen[row as usize] == k as u32 {
                    continue;
                }
                search.seen[row as usize] = k as u32;
                match self.step_of_row[row as usize] {
                    NONE => search.candidates.push(row),
                    next => search.stack.push((next, self.lower.start[next as usize])),
                }
            }
        }
    }

    /// Solves with the finished part of `L`, in topological order. Returns the size of the column of `A`.
    fn eliminate_column(&mut self, k: usize, values: &[T]) -> f64 {
        let column = self.column_order[k] as usize;
        let mut column_size: f64 = 0.0;
        for p in self.pattern.range(column) {
            let row = self.pattern.rows()[p] as usize;
            let value = values[p].scale(self.row_scale[row]);
            column_size = column_size.max(value.size());
            self.work[row] = value;
        }
        for &step in self.search.steps.iter().rev() {
            let row = self.row_order[step as usize] as usize;
            let u = std::mem::replace(&mut self.work[row], T::ZERO);
            self.upper.push(step, u);
            if u != T::ZERO {
                let (rows, values) = self.lower.column(step as usize);
                for (&i, &l) in rows.iter().zip(values) {
                    self.work[i as usize] -= l * u;
                }
            }
        }
        column_size
    }

    fn choose_pivot(&mut self, k: usize, column_size: f64) -> Result<(), Singular> {
        let column = self.column_order[k] as usize;
        let preferred = self.preferred_row[column];
        let (mut pivot, mut largest, mut diagonal) = (NONE, 0.0, 0.0);
        for &row in &self.search.candidates {
            let size = self.work[row as usize].size();
            if size.is_nan() {
                return Err(Singular { column });
            }
            if row == preferred {
                diagonal = size;
            }
            if size > largest {
                (pivot, largest) = (row, size);
            }
        }
        if !largest.is_finite() || largest <= ROUNDING * column_size {
            return Err(Singular { column });
        }
        if diagonal > 0.0 && diagonal >= PREFER_DIAGONAL * largest {
            pivot = preferred;
        }
        let value = std::mem::replace(&mut self.work[pivot as usize], T::ZERO);
        self.diagonal[k] = value;
        self.row_order[k] = pivot;
        self.step_of_row[pivot as usize] = k as u32;
        for &row in &self.search.candidates {
            if row != pivot {
                let l = std::mem::replace(&mut self.work[row as usize], T::ZERO) / value;
                self.lower.push(row, l);
            }
        }
        Ok(())
    }

    /// Shortens the searches to come (Eisenstat & Liu, SIAM J. Matrix Anal. Appl. 13, 1992): where column `j`
    /// of `L` has the pivot row of step `k` and `U` has row `j` in column `k`, every row of column `j` that
    /// is not pivotal yet is in column `k` too.
    fn prune(&mut self, k: usize) {
        let pivot = self.row_order[k];
        for &step in &self.search.steps {
            let step = step as usize;
            if self.search.end[step] != usize::MAX {
                continue;
            }
            let (start, end) = (self.lower.start[step], self.lower.start[step + 1]);
            if !self.lower.rows[start..end].contains(&pivot) {
                continue;
            }
            let mut front = start;
            for p in start..end {
                if self.step_of_row[self.lower.rows[p] as usize] != NONE {
                    self.lower.rows.swap(front, p);
                    self.lower.values.swap(front, p);
                    front += 1;
                }
            }
            self.search.end[step] = front;
        }
    }

    /// From now on rows are counted by elimination step, and columns of `U` are ascending: a topological
    /// order.
    fn number_rows_by_step(&mut self) {
        for row in &mut self.lower.rows {
            *row = self.step_of_row[*row as usize];
        }
        let mut column: Vec<(u32, T)> = Vec::new();
        for triangle in [&mut self.lower, &mut self.upper] {
            for k in 0..self.diagonal.len() {
                let range = triangle.start[k]..triangle.start[k + 1];
                column.clear();
                column.extend(range.clone().map(|p| (triangle.rows[p], triangle.values[p])));
                column.sort_unstable_by_key(|&(row, _)| row);
                for (p, &(row, value)) in range.zip(&column) {
                    triangle.rows[p] = row;
                    triangle.values[p] = value;
                }
            }
        }
    }

    /// The arithmetic of `factor` on the known pattern. False when a pivot has become too small.
    fn repeat_elimination(&mut self, values: &[T]) -> bool {
        let x = &mut self.work;
        for k in 0..self.diagonal.len() {
            let range = self.pattern.range(self.column_order[k] as usize);
            let mut column_size: f64 = 0.0;
            for (&row, &value) in self.pattern.rows()[range.clone()].iter().zip(&values[range]) {
                let row = row as usize;
                let value = value.scale(self.row_scale[row]);
                column_size = column_size.max(value.size());
                x[self.step_of_row[row] as usize] = value;
            }
            for p in self.upper.start[k]..self.upper.start[k + 1] {
                let step = self.upper.rows[p] as usize;
                let u = std::mem::replace(&mut x[step], T::ZERO);
                self.upper.values[p] = u;
                if u != T::ZERO {
                    let (rows, values) = self.lower.column(step);
                    for (&i, &l) in rows.iter().zip(values) {
                        x[i as usize] -= l * u;
                    }
                }
            }
            let pivot = std::mem::replace(&mut x[k], T::ZERO);
            let inverse = T::ONE / pivot;
            let mut largest: f64 = 0.0;
            for p in self.lower.start[k]..self.lower.start[k + 1] {
                let value = std::mem::replace(&mut x[self.lower.rows[p] as usize], T::ZERO) * inverse;
                largest = largest.max(value.size());
                self.lower.values[p] = value;
            }
            self.diagonal[k] = pivot;
            let pivot_is_good = pivot.size() > ROUNDING * column_size && largest <= GROWTH_LIMIT;
            if !pivot_is_good {
                return false;
            }
        }
        true
    }
}

impl Factored for SparseLu<f64> {
    fn n(&self) -> usize {
        self.pattern.n()
    }

    fn solve(&mut self, b: &mut [f64]) {
        SparseLu::solve(self, b);
    }

    fn solve_transposed(&mut self, b: &mut [f64]) {
        SparseLu::solve_transposed(self, b);
    }
}

/// Is the permutation made of an odd number of exchanges? Each cycle of `k` takes `k - 1`. `seen` is memory for that.
fn is_odd(permutation: &[u32], seen: &mut [u32]) -> bool {
    seen.fill(NONE);
    let mut odd = false;
    for start in 0..permutation.len() {
        let mut at = start;
        while std::mem::replace(&mut seen[at], 0) == NONE {
            at = permutation[at] as usize;
            odd ^= at != start;
        }
    }
    odd
}
