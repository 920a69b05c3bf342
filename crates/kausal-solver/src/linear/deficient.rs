//! Equations without full rank: `A d = r` where some unknowns are not determined.
//!
//! Gaussian elimination with complete pivoting on rows and columns of size one (Golub & Van Loan, *Matrix
//! Computations*, 4th ed., §3.4.8) finds the rank. Of all solutions the one with the smallest correction is taken
//! (§5.5): what is not determined stays near where it is. Corrections are measured in the weight of each unknown,
//! so a large weight says who rather moves. Rows that are left over must be satisfied already; the largest one that
//! is not is reported and the caller decides.

/// A pivot below this, in a matrix whose rows and columns have size one, is zero.
const NO_PIVOT: f64 = 1e-11;
/// What is left of a row's right side counts when it is larger than this part of what was added up in it.
const CONTRADICTION: f64 = 1e-8;

/// What is known after [`solve_deficient`].
#[derive(Clone, Debug, PartialEq)]
pub struct Deficient {
    /// How many equations say something of their own.
    pub rank: usize,
    /// The row that contradicts the others most, and by how much, if one does.
    pub contradiction: Option<(usize, f64)>,
    /// The unknowns that the equations leave open.
    pub open: Vec<usize>,
}

/// Overwrites `r` by the smallest `d` with `A d = r`. The matrix is column-major and is destroyed; `magnitude[i]` is
/// the size of what was added up in `r[i]`, `weight[j]` the size of changes of unknown `j` that count as one.
pub fn solve_deficient(a: &mut [f64], r: &mut [f64], magnitude: &[f64], weight: &[f64]) -> Deficient {
    let n = r.len();
    let row_size = |a: &[f64], i: usize| (0..n).map(|j| a[i + n * j].abs()).fold(0.0, f64::max);
    let rows: Vec<f64> = (0..n).map(|i| row_size(a, i)).collect();
    let mut size: Vec<f64> = magnitude.to_vec();
    for i in 0..n {
        if rows[i] > 0.0 {
            (0..n).for_each(|j| a[i + n * j] /= rows[i]);
            r[i] /= rows[i];
            size[i] /= rows[i];
        }
    }
    let columns: Vec<f64> = (0..n)
        .map(|j| a[n * j..n * (j + 1)].iter().fold(0.0f64, |m, v| m.max(v.abs())))
        .map(|size| if size > 0.0 { size } else { 1.0 })
        .collect();
    for j in 0..n {
        a[n * j..n * (j + 1)].iter_mut().for_each(|v| *v /= columns[j]);
    }
    let (mut row, mut column): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
    let rank = eliminate(a, r, &mut size, &mut row, &mut column);

    let mut contradiction: Option<(usize, f64)> = None;
    for &i in &row[rank..] {
        let left = r[i] * if rows[i] > 0.0 { rows[i] } else { 1.0 };
        if r[i].abs() > CONTRADICTION * size[i] && contradiction.is_none_or(|(_, c)| left.abs() > c.abs()) {
            contradiction = Some((i, left));
        }
    }

    // Pivot unknowns as affine functions of the free ones: y = c - F z.
    let free = n - rank;
    let mut c: Vec<f64> = row[..rank].iter().map(|&i| r[i]).collect();
    let mut f = vec![0.0; rank * free];
    for k in (0..rank).rev() {
        let pivot = a[row[k] + n * column[k]];
        for m in k + 1..rank {
            let u = a[row[k] + n * column[m]];
            c[k] -= u * c[m];
        }
        c[k] /= pivot;
        for z in 0..free {
            let mut value = a[row[k] + n * column[rank + z]];
            for m in k + 1..rank {
                value -= a[row[k] + n * column[m]] * f[m + rank * z];
            }
            f[k + rank * z] = value / pivot;
        }
    }
    // Unknowns were multiplied by the size of their column.
    let inverse_square = |j: usize| {
        let w = weight[j] * columns[j];
        if w > 0.0 && w.is_finite() { 1.0 / (w * w) } else { 1.0 }
    };
    let z = smallest(&c, &f, &column, &inverse_square);
    for k in 0..rank {
        let used: f64 = (0..free).map(|m| f[k + rank * m] * z[m]).sum();
        r[column[k]] = (c[k] - used) / columns[column[k]];
    }
    for (m, z) in z.iter().enumerate() {
        let j = column[rank + m];
        r[j] = z / columns[j];
    }
    let moves = |k: usize| (0..free).any(|m| f[k + rank * m].abs() > NO_PIVOT);
    let mut open: Vec<usize> = (0..n).filter(|&k| k >= rank || moves(k)).map(|k| column[k]).collect();
    open.sort_unstable();
    Deficient { rank, contradiction, open }
}

/// Elimination with complete pivoting; returns the rank.
fn eliminate(
    a: &mut [f64],
    r: &mut [f64],
    size: &mut [f64],
    row: &mut [usize],
    column: &mut [usize],
) -> usize {
    let n = r.len();
    for k in 0..n {
        let mut best = (0.0, k, k);
        for p in k..n {
            for q in k..n {
                let v = a[row[p] + n * column[q]].abs();
                if v > best.0 {
                    best = (v, p, q);
                }
            }
        }
        if !(best.0 > NO_PIVOT) {
            return k;
        }
        row.swap(k, best.1);
        column.swap(k, best.2);
        let pivot = a[row[k] + n * column[k]];
        for p in k + 1..n {
            let factor = a[row[p] + n * column[k]] / pivot;
            if factor == 0.0 {
                continue;
            }
            for q in k + 1..n {
                a[row[p] + n * column[q]] -= factor * a[row[k] + n * column[q]];
            }
            r[row[p]] -= factor * r[row[k]];
            size[row[p]] += factor.abs() * size[row[k]];
        }
    }
    n
}

/// The free unknowns `z` that make `Σ ((c - F z)_k / w_k)² + Σ (z_m / w_m)²` smallest, by Cholesky's method on the
/// normal equations, which the second sum keeps regular.
fn smallest(c: &[f64], f: &[f64], column: &[usize], inverse_square: &impl Fn(usize) -> f64) -> Vec<f64> {
    let rank = c.len();
    let free = column.len() - rank;
    let mut matrix = vec![0.0; free * free];
    let mut z = vec![0.0; free];
    for p in 0..free {
        for q in 0..=p {
            let sum: f64 =
                (0..rank).map(|k| f[k + rank * p] * f[k + rank * q] * inverse_square(column[k])).sum();
            matrix[p + free * q] = sum + if p == q { inverse_square(column[rank + p]) } else { 0.0 };
        }
        z[p] = (0..rank).map(|k| f[k + rank * p] * c[k] * inverse_square(column[k])).sum();
    }
    for j in 0..free {
        for k in 0..j {
            let l = matrix[j + free * k];
            for i in j..free {
                matrix[i + free * j] -= matrix[i + free * k] * l;
            }
        }
        let root = matrix[j + free * j].max(f64::MIN_POSITIVE).sqrt();
        (j..free).for_each(|i| matrix[i + free * j] /= root);
    }
    for j in 0..free {
        z[j] /= matrix[j + free * j];
        for i in j + 1..free {
            z[i] -= matrix[i + free * j] * z[j];
        }
    }
    for j in (0..free).rev() {
        for i in j + 1..free {
            z[j] -= matrix[i + free * j] * z[i];
        }
        z[j] /= matrix[j + free * j];
    }
    z
}

#[cfg(test)]
mod tests {
    use super::super::testing::Random;
    use super::*;

    #[test]
    fn the_smallest_of_all_solutions() {
        // x + y = 2, twice: the nearest point of the line is (1, 1).
        let (mut a, mut r) = ([1.0, 2.0, 1.0, 2.0], [2.0, 4.0]);
        let found = solve_deficient(&mut a, &mut r, &[2.0, 4.0], &[1.0, 1.0]);
        assert_eq!(found, Deficient { rank: 1, contradiction: None, open: vec![0, 1] });
        assert!((r[0] - 1.0).abs() < 1e-14 && (r[1] - 1.0).abs() < 1e-14, "{r:?}");
        // A million times lighter, x moves alone.
        let (mut a, mut r) = ([1.0, 2.0, 1.0, 2.0], [2.0, 4.0]);
        solve_deficient(&mut a, &mut r, &[2.0, 4.0], &[1e6, 1.0]);
        assert!((r[0] - 2.0).abs() < 1e-10 && r[1].abs() < 1e-10, "{r:?}");
    }

    /// x + y = 2 twice beside z = 1: of three unknowns two are open.
    #[test]
    fn what_is_left_open_is_named() {
        let mut a = [1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0];
        let mut r = [2.0, 4.0, 1.0];
        let found = solve_deficient(&mut a, &mut r, &[2.0, 4.0, 1.0], &[1.0; 3]);
        assert_eq!((found.rank, found.open), (2, vec![0, 1]));
        assert!((r[2] - 1.0).abs() < 1e-14, "{r:?}");
    }

    #[test]
    fn contradictions_are_named() {
        let (mut a, mut r) = ([1.0, 2.0, 1.0, 2.0], [2.0, 5.0]);
        let found = solve_deficient(&mut a, &mut r, &[2.0, 5.0], &[1.0, 1.0]);
        assert_eq!(found.rank, 1);
        assert!(found.contradiction.is_some_and(|(_, by)| by.abs() > 0.4), "{found:?}");
        // Nothing but zeros: everything stays.
        let (mut a, mut r) = ([0.0; 4], [0.0; 2]);
        let found = solve_deficient(&mut a, &mut r, &[0.0; 2], &[1.0; 2]);
        assert_eq!((found.rank, found.contradiction, r), (0, None, [0.0; 2]));
        let found = solve_deficient(&mut [0.0], &mut [3.0], &[3.0], &[1.0]);
        assert_eq!(found.contradiction, Some((0, 3.0)));
    }

    /// Random matrices of known rank: the solution solves, and is orthogonal to the null space.
    #[test]
    fn random_products() {
        let mut random = Random::new(7);
        for (n, rank) in [(3, 2), (6, 3), (9, 8), (5, 5)] {
            let left: Vec<f64> = (0..n * rank).map(|_| random.symmetric()).collect();
            let right: Vec<f64> = (0..n * rank).map(|_| random.symmetric()).collect();
            let a: Vec<f64> = (0..n * n)
                .map(|k| (0..rank).map(|m| left[k % n + n * m] * right[k / n + n * m]).sum())
                .collect();
            // The smallest solution is a combination of rows, that is of the columns of `right`.
            let y: Vec<f64> = (0..rank).map(|_| random.symmetric()).collect();
            let x: Vec<f64> = (0..n).map(|j| (0..rank).map(|m| right[j + n * m] * y[m]).sum()).collect();
            let mut r: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i + n * j] * x[j]).sum()).collect();
            let magnitude: Vec<f64> = r.iter().map(|v| v.abs()).collect();
            let found = solve_deficient(&mut a.clone(), &mut r, &magnitude, &vec![1.0; n]);
            assert_eq!((found.rank, found.contradiction), (rank, None));
            assert!(r.iter().zip(&x).all(|(r, x)| (r - x).abs() < 1e-8), "{r:?} {x:?}");
        }
    }
}
