//! Eigenvalues of real matrices.
//!
//! Balanced by powers of two (Parlett and Reinsch 1969), reduced to Hessenberg form by elimination with pivots, then iterated with
//! implicit double shifts (Francis 1961; Martin, Peters and Wilkinson, Numer. Math. 14 (1970), the procedures `elmhes` and `hqr`;
//! Golub and Van Loan, Matrix Computations, section 7.5). Eigenvalues come in conjugate pairs, those with the positive
//! imaginary part first.

/// Iterations for one eigenvalue before it is given up; every tenth one takes an unusual shift.
const MOST_ITERATIONS: usize = 60;

/// Real and imaginary parts of the eigenvalues of a matrix, row-major, ascending by real part; `None` where the iteration does not
/// converge or the matrix has entries that are not finite.
///
/// ```
/// use kausal_solver::linear::eigenvalues;
/// // An oscillator: s² + 2 s + 5 = 0.
/// let poles = eigenvalues(&[0.0, 1.0, -5.0, -2.0], 2).expect("two");
/// assert!((poles[0].0 + 1.0).abs() < 1e-14 && (poles[0].1 - 2.0).abs() < 1e-14);
/// ```
pub fn eigenvalues(matrix: &[f64], n: usize) -> Option<Vec<(f64, f64)>> {
    if matrix.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut a: Vec<Vec<f64>> = (0..n).map(|i| matrix[i * n..(i + 1) * n].to_vec()).collect();
    balance(&mut a);
    hessenberg(&mut a);
    let mut found = iterate(&mut a)?;
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.abs().total_cmp(&a.1.abs())).then(b.1.total_cmp(&a.1)));
    Some(found)
}

/// Rows and columns get norms of one size.
fn balance(a: &mut [Vec<f64>]) {
    const BASE: f64 = 2.0;
    let n = a.len();
    let mut done = false;
    while !done {
        done = true;
        for i in 0..n {
            let others =
                |f: &dyn Fn(usize) -> f64| (0..n).filter(|j| *j != i).map(|j| f(j).abs()).sum::<f64>();
            let (mut column, row) = (others(&|j| a[j][i]), others(&|j| a[i][j]));
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let (sum, mut factor) = (column + row, 1.0);
            while column < row / BASE {
                factor *= BASE;
                column *= BASE * BASE;
            }
            while column > row * BASE {
                factor /= BASE;
                column /= BASE * BASE;
            }
            if (column + row) / factor < 0.95 * sum {
                done = false;
                a[i].iter_mut().for_each(|v| *v /= factor);
                a.iter_mut().for_each(|r| r[i] *= factor);
            }
        }
    }
}

/// Similar, and zero below the first subdiagonal.
fn hessenberg(a: &mut [Vec<f64>]) {
    let n = a.len();
    for m in 1..n.saturating_sub(1) {
        let pivot = (m..n).max_by(|&i, &j| a[i][m - 1].abs().total_cmp(&a[j][m - 1].abs())).unwrap_or(m);
        let x = a[pivot][m - 1];
        if x == 0.0 {
            continue;
        }
        a.swap(pivot, m);
        a.iter_mut().for_each(|row| row.swap(pivot, m));
        for i in m + 1..n {
            let factor = a[i][m - 1] / x;
            if factor != 0.0 {
                for j in m - 1..n {
                    a[i][j] -= factor * a[m][j];
                }
                a.iter_mut().for_each(|row| row[m] += factor * row[i]);
            }
            a[i][m - 1] = 0.0;
        }
    }
}

/// Splits the matrix from below into blocks of one and two.
fn iterate(a: &mut [Vec<f64>]) -> Option<Vec<(f64, f64)>> {
    let mut found = Vec::with_capacity(a.len());
    let norm: f64 = a.iter().flatten().map(|v| v.abs()).sum();
    let (mut end, mut shifted, mut iterations) = (a.len(), 0.0, 0);
    while end > 0 {
        let last = end - 1;
        // The first row of the block that does not split any more.
        let small = |l: &usize| {
            let size = a[*l - 1][*l - 1].abs() + a[*l][*l].abs();
            a[*l][*l - 1].abs() <= f64::EPSILON * if size == 0.0 { norm } else { size }
        };
        let first = (1..end).rev().find(small).unwrap_or(0);
        if first == last {
            found.push((a[last][last] + shifted, 0.0));
            (end, iterations) = (last, 0);
            continue;
        }
        let (mut x, mut y) = (a[last][last], a[last - 1][last - 1]);
        let mut w = a[last][last - 1] * a[last - 1][last];
        if first + 1 == last {
            found.extend(pair(x, y, w).map(|(re, im)| (re + shifted, im)));
            (end, iterations) = (last - 1, 0);
            continue;
        }
        if iterations == MOST_ITERATIONS {
            return None;
        }
        if iterations % 10 == 9 {
            shifted += x;
            (0..end).for_each(|i| a[i][i] -= x);
            let s = a[last][last - 1].abs() + a[last - 1][last - 2].abs();
            x = 0.75 * s;
            (y, w) = (x, -0.4375 * s * s);
        }
        iterations += 1;
        double_step(a, first, last, (x, y, w));
    }
    Some(found)
}

/// The eigenvalues of the last block of two.
fn pair(x: f64, y: f64, w: f64) -> [(f64, f64); 2] {
    let p = 0.5 * (y - x);
    let q = p * p + w;
    let z = q.abs().sqrt();
    if q < 0.0 {
        return [(x + p, z), (x + p, -z)];
    }
    let z = p + z.copysign(p);
    [(x + z, 0.0), (if z == 0.0 { x + z } else { x - w / z }, 0.0)]
}

/// One step with two shifts, the roots of `s² - (x + y) s + x y - w`.
fn double_step(a: &mut [Vec<f64>], first: usize, last: usize, (x, y, w): (f64, f64, f64)) {
    let (mut p, mut q, mut r);
    let mut m = last - 2;
    loop {
        let z = a[m][m];
        let (rr, ss) = (x - z, y - z);
        p = (rr * ss - w) / a[m + 1][m] + a[m][m + 1];
        q = a[m + 1][m + 1] - z - rr - ss;
        r = a[m + 2][m + 1];
        let s = p.abs() + q.abs() + r.abs();
        (p, q, r) = (p / s, q / s, r / s);
        if m == first {
            break;
        }
        let u = a[m][m - 1].abs() * (q.abs() + r.abs());
        let v = p.abs() * (a[m - 1][m - 1].abs() + z.abs() + a[m + 1][m + 1].abs());
        if u <= f64::EPSILON * v {
            break;
        }
        m -= 1;
    }
    for i in m + 2..=last {
        a[i][i - 2] = 0.0;
        if i > m + 2 {
            a[i][i - 3] = 0.0;
        }
    }
    for k in m..last {
        let three = k + 1 < last;
        let mut scale = 1.0;
        if k > m {
            (p, q, r) = (a[k][k - 1], a[k + 1][k - 1], if three { a[k + 2][k - 1] } else { 0.0 });
            scale = p.abs() + q.abs() + r.abs();
            if scale == 0.0 {
                continue;
            }
            (p, q, r) = (p / scale, q / scale, r / scale);
        }
        let s = (p * p + q * q + r * r).sqrt().copysign(p);
        if s == 0.0 {
            continue;
        }
        if k > m {
            a[k][k - 1] = -s * scale;
        } else if first < m {
            a[k][k - 1] = -a[k][k - 1];
        }
        p += s;
        let (x, y, z) = (p / s, q / s, r / s);
        q /= p;
        r /= p;
        for j in k..=last {
            let sum = a[k][j] + q * a[k + 1][j] + if three { r * a[k + 2][j] } else { 0.0 };
            if three {
                a[k + 2][j] -= sum * z;
            }
            a[k + 1][j] -= sum * y;
            a[k][j] -= sum * x;
        }
        for row in a.iter_mut().take((k + 3).min(last) + 1).skip(first) {
            let sum = x * row[k] + y * row[k + 1] + if three { z * row[k + 2] } else { 0.0 };
            if three {
                row[k + 2] -= sum * r;
            }
            row[k + 1] -= sum * q;
            row[k] -= sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::testing::Random;

    /// The companion matrix of the monic polynomial with these roots.
    fn companion(roots: &[(f64, f64)]) -> Vec<f64> {
        // Coefficients from the constant one on; conjugates come together, so all are real.
        let mut c = vec![(1.0, 0.0)];
        for &(re, im) in roots {
            let mut next = vec![(0.0, 0.0); c.len() + 1];
            for (k, &(a, b)) in c.iter().enumerate() {
                next[k + 1].0 += a;
                next[k + 1].1 += b;
                next[k].0 -= a * re - b * im;
                next[k].1 -= a * im + b * re;
            }
            c = next;
        }
        let n = roots.len();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            if i + 1 < n {
                a[i * n + i + 1] = 1.0;
            }
            a[(n - 1) * n + i] = -c[i].0;
        }
        a
    }

    fn distance(found: &[(f64, f64)], roots: &[(f64, f64)]) -> f64 {
        let near = |a: &(f64, f64), all: &[(f64, f64)]| {
            all.iter().map(|b| (a.0 - b.0).hypot(a.1 - b.1)).fold(f64::INFINITY, f64::min)
        };
        let far =
            |some: &[(f64, f64)], all: &[(f64, f64)]| some.iter().map(|a| near(a, all)).fold(0.0, f64::max);
        far(found, roots).max(far(roots, found))
    }

    #[test]
    fn roots_of_polynomials() {
        let roots = [(-1.0, 0.0), (-0.5, 2.0), (-0.5, -2.0), (3.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
        let found = eigenvalues(&companion(&roots), 6).expect("six");
        assert!(distance(&found, &roots) < 1e-12, "{found:?}");
        assert!(found[0] == (-1.0, 0.0) || (found[0].0 + 1.0).abs() < 1e-13);
        // In different scales.
        let stiff = [(-1e6, 0.0), (-1.0, 3.0), (-1.0, -3.0)];
        let found = eigenvalues(&companion(&stiff), 3).expect("three");
        assert!(distance(&found[1..], &stiff[1..]) < 1e-8 && (found[0].0 + 1e6).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn permutations_and_defective_matrices() {
        // A cycle: the roots of one.
        let n = 5;
        let mut cycle = vec![0.0; n * n];
        (0..n).for_each(|i| cycle[i * n + (i + 1) % n] = 1.0);
        let roots: Vec<(f64, f64)> = (0..n)
            .map(|k| (k as f64 * std::f64::consts::TAU / n as f64).sin_cos())
            .map(|(s, c)| (c, s))
            .collect();
        assert!(distance(&eigenvalues(&cycle, n).expect("five"), &roots) < 1e-13);
        assert_eq!(eigenvalues(&[0.0; 9], 3), Some(vec![(0.0, 0.0); 3]));
        assert_eq!(eigenvalues(&[2.0, 1.0, 0.0, 2.0], 2), Some(vec![(2.0, 0.0); 2]));
        assert_eq!(eigenvalues(&[], 0), Some(Vec::new()));
        assert_eq!(eigenvalues(&[f64::NAN], 1), None);
    }

    /// Sum and sum of squares are traces, for random matrices of all sizes.
    #[test]
    fn sums_are_traces() {
        let mut random = Random::new(5);
        for n in 1..60 {
            let a: Vec<f64> = (0..n * n).map(|_| random.symmetric()).collect();
            let found = eigenvalues(&a, n).expect("all");
            assert_eq!(found.len(), n);
            let trace: f64 = (0..n).map(|i| a[i * n + i]).sum();
            let square: f64 = (0..n)
                .flat_map(|i| (0..n).map(move |j| (i, j)))
                .map(|(i, j)| a[i * n + j] * a[j * n + i])
                .sum();
            let sum: f64 = found.iter().map(|e| e.0).sum();
            let squares: f64 = found.iter().map(|e| e.0 * e.0 - e.1 * e.1).sum();
            let scale = n as f64;
            assert!((sum - trace).abs() < 1e-12 * scale && (squares - square).abs() < 1e-11 * scale, "{n}");
        }
    }
}
