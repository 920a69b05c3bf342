//! Gaussian elimination with partial pivoting, for the few unknowns that models of the reference have.

/// Solves `a x = b` in place of `b`; `false` where `a` is singular. `a` is by rows and is destroyed.
pub fn solve(a: &mut [Vec<f64>], b: &mut [f64]) -> bool {
    let n = b.len();
    for k in 0..n {
        let Some(p) = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())) else { return false };
        if !(a[p][k].abs() > 0.0 && a[p][k].is_finite()) {
            return false;
        }
        a.swap(k, p);
        b.swap(k, p);
        let (top, rest) = a.split_at_mut(k + 1);
        let pivot = &top[k];
        for (row, i) in rest.iter_mut().zip(k + 1..n) {
            let factor = row[k] / pivot[k];
            if factor != 0.0 {
                for j in k..n {
                    row[j] -= factor * pivot[j];
                }
                b[i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    true
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_system_that_needs_pivoting() {
        let mut a = vec![vec![0.0, 2.0], vec![3.0, 1.0]];
        let mut b = vec![4.0, 5.0];
        assert!(super::solve(&mut a, &mut b));
        assert_eq!(b, [1.0, 2.0]);
    }
}
