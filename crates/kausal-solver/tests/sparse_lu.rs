//! The sparse factorisation against the dense one: random matrices, singular ones, ill-conditioned ones,
//! changed values.

use kausal_solver::linear::{DenseLu, Pattern, Singular, SparseLu, inverse_norm1, norm1_dense, norm1_sparse};

mod common;
use common::Random;

fn random_pattern(random: &mut Random, n: usize, per_column: usize) -> Pattern {
    // A hidden permutation makes the pattern structurally regular without a natural diagonal.
    let mut permutation: Vec<usize> = (0..n).collect();
    random.shuffle(&mut permutation);
    let extra: Vec<_> = (0..per_column * n).map(|_| (random.below(n), random.below(n))).collect();
    Pattern::new(n, permutation.iter().enumerate().map(|(j, &i)| (i, j)).chain(extra))
}

fn to_dense(pattern: &Pattern, values: &[f64]) -> Vec<f64> {
    let n = pattern.n();
    let mut dense = vec![0.0; n * n];
    for ((i, j), &v) in pattern.iter().zip(values) {
        dense[i + n * j] = v;
    }
    dense
}

/// Solves with both and compares residuals: the sparse solution must be as good as the dense one, up to a
/// factor.
fn check(pattern: &Pattern, values: &[f64], lu: &mut SparseLu, random: &mut Random) {
    let n = pattern.n();
    let dense = to_dense(pattern, values);
    let b: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
    let mut x = b.clone();
    lu.solve(&mut x);
    let backward = common::backward_error(n, &dense, &x, &b);
    assert!(backward < 1e-10, "n = {n}: backward error {backward:e}");
    let transposed: Vec<f64> = (0..n * n).map(|k| dense[(k % n) * n + k / n]).collect();
    let mut y = b.clone();
    lu.solve_transposed(&mut y);
    let backward = common::backward_error(n, &transposed, &y, &b);
    assert!(backward < 1e-10, "n = {n}, transposed: backward error {backward:e}");
}

#[test]
fn random_matrices_factor_and_refactor() {
    let mut random = Random::new(17);
    for n in [1, 2, 3, 10, 50, 150] {
        for per_column in [1, 3, 8] {
            let pattern = random_pattern(&mut random, n, per_column);
            let mut lu = SparseLu::new(&pattern).unwrap();
            for round in 0..4 {
                let mut values: Vec<f64> = (0..pattern.entries()).map(|_| random.symmetric()).collect();
                if round == 3 {
                    // Rows in different units.
                    let unit: Vec<f64> = (0..n).map(|_| 10f64.powf(random.symmetric() * 8.0)).collect();
                    for (v, &i) in values.iter_mut().zip(pattern.rows()) {
                        *v *= unit[i as usize];
                    }
                }
                let mut dense = DenseLu::new(n);
                let regular = dense.factor(&to_dense(&pattern, &values)).is_ok();
                match lu.refactor(&values) {
                    Ok(()) => check(&pattern, &values, &mut lu, &mut random),
                    Err(_) => assert!(!regular, "n = {n}: the dense factorisation succeeds"),
                }
            }
        }
    }
}

#[test]
fn refactoring_keeps_good_pivots_and_replaces_bad_ones() {
    let pattern = Pattern::new(2, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let mut lu = SparseLu::new(&pattern).unwrap();
    lu.factor(&[2.0, 1.0, 1.0, 3.0]).unwrap();
    lu.refactor(&[2.5, 1.0, 1.0, 2.0]).unwrap();
    assert_eq!(lu.repivots(), 0);
    // The old pivots would divide by 1e-20.
    lu.refactor(&[1e-20, 1.0, 1.0, 1.0]).unwrap();
    assert_eq!(lu.repivots(), 1);
    let mut b = [1.0, 2.0];
    lu.solve(&mut b);
    assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 1.0).abs() < 1e-15, "{b:?}");
}

#[test]
fn structural_and_numerical_singularity_name_the_column() {
    let pattern = Pattern::new(3, [(0, 0), (1, 0), (0, 2), (2, 2), (1, 2)]);
    assert_eq!(SparseLu::<f64>::new(&pattern).err(), Some(Singular { column: 1 }));

    // Column 2 is the sum of columns 0 and 1.
    let pattern = Pattern::new(3, (0..9).map(|k| (k % 3, k / 3)));
    let mut lu = SparseLu::new(&pattern).unwrap();
    assert!(lu.factor(&[0.1, 0.2, 0.7, 0.3, 0.9, 0.4, 0.4, 1.1, 1.1]).is_err());
    // The same pattern with good values still works afterwards, and a bad refactorisation does not panic.
    lu.refactor(&[2.0, 0.2, 0.7, 0.3, 3.0, 0.4, 0.4, 1.1, 4.0]).unwrap();
    assert!(lu.refactor(&[f64::NAN; 9]).is_err());
    assert!(lu.refactor(&[0.0; 9]).is_err());
    lu.refactor(&[2.0, 0.2, 0.7, 0.3, 3.0, 0.4, 0.4, 1.1, 4.0]).unwrap();
    let mut b = [1.0; 3];
    lu.solve(&mut b);
    assert!(b.iter().all(|v| v.is_finite()));
}

#[test]
fn condition_estimates_agree_with_the_dense_ones() {
    let mut random = Random::new(23);
    for power in [0, 4, 8, 12] {
        let n = 30;
        let pattern = random_pattern(&mut random, n, 3);
        let mut values: Vec<f64> = (0..pattern.entries()).map(|_| random.symmetric()).collect();
        // One nearly dependent column.
        for k in pattern.range(7) {
            values[k] *= 10f64.powi(-power);
        }
        let dense = to_dense(&pattern, &values);
        let mut reference = DenseLu::new(n);
        let mut lu = SparseLu::new(&pattern).unwrap();
        if reference.factor(&dense).is_err() {
            continue;
        }
        lu.factor(&values).unwrap();
        let mut work = vec![0.0; 2 * n];
        let a = norm1_dense(n, &dense) * inverse_norm1(&mut reference, &mut work);
        let b = norm1_sparse(&pattern, &values) * inverse_norm1(&mut lu, &mut work);
        assert!((a / b - 1.0).abs() < 1e-3, "{a:e} {b:e}");
    }
}

#[test]
fn a_long_tridiagonal_matrix_has_no_fill_and_the_right_solution() {
    let n = 100_000;
    let band = (0..n).flat_map(|j: usize| (j.saturating_sub(1)..(j + 2).min(n)).map(move |i| (i, j)));
    let pattern = Pattern::new(n, band);
    let values: Vec<f64> = pattern.iter().map(|(i, j)| if i == j { 4.0 } else { -1.0 }).collect();
    let mut lu = SparseLu::new(&pattern).unwrap();
    lu.factor(&values).unwrap();
    assert_eq!(lu.entries(), pattern.entries());
    let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let mut b = vec![0.0; n];
    pattern.multiply(&values, &x, &mut b);
    lu.refactor(&values).unwrap();
    lu.solve(&mut b);
    assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-14));
}

/// Modified nodal analysis has zeros on the diagonal: a ladder of resistors with voltage sources.
#[test]
fn zero_diagonals_are_permuted_away() {
    let (nodes, sources) = (40, 10);
    let n = nodes + sources;
    let mut entries = Vec::new();
    for i in 0..nodes {
        entries.push((i, i, 2.0));
        if i + 1 < nodes {
            entries.push((i, i + 1, -1.0));
            entries.push((i + 1, i, -1.0));
        }
    }
    for s in 0..sources {
        entries.push((nodes + s, 4 * s, 1.0));
        entries.push((4 * s, nodes + s, 1.0));
    }
    let pattern = Pattern::new(n, entries.iter().map(|&(i, j, _)| (i, j)));
    let mut values = vec![0.0; pattern.entries()];
    for &(i, j, v) in &entries {
        values[pattern.position(i, j).unwrap()] = v;
    }
    let mut lu = SparseLu::new(&pattern).unwrap();
    lu.factor(&values).unwrap();
    let mut random = Random::new(1);
    check(&pattern, &values, &mut lu, &mut random);
    assert!(lu.entries() < 3 * pattern.entries());
}
