//! The functions by their names; results are checked by what defines them, or against numbers found by hand.

use kausal_symbolic::function::{ExternalArg, Value};

use super::{lu, qr, schur, svd};
use crate::frame::Matrix;
use crate::test::{call, input, output, perform, rows};
use crate::{Options, StandardExternals};

fn run(name: &str, args: &[ExternalArg]) -> Vec<Value<f64>> {
    perform(&StandardExternals::new(Options::default()), name, args).unwrap()
}

fn matrix(value: &Value<f64>) -> Matrix {
    let array = value.as_array().unwrap();
    Matrix {
        rows: array.shape()[0],
        cols: array.shape().get(1).copied().unwrap_or(1),
        data: array.data().to_vec(),
    }
}

fn close(a: &Matrix, b: &Matrix) {
    assert_eq!((a.rows, a.cols), (b.rows, b.cols));
    // A hundred roundings of numbers of size 10.
    assert!(a.data.iter().zip(&b.data).all(|(x, y)| (x - y).abs() < 1e-11), "{a:?}\ninstead of\n{b:?}");
}

/// A matrix with elements without pattern.
fn sample(rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut state = seed;
    let mut m = Matrix::zeros(rows, cols);
    for x in &mut m.data {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *x = (state >> 33) as f64 / 2f64.powi(30) - 1.0;
    }
    m
}

fn n(x: usize) -> ExternalArg {
    input(x as f64)
}

#[test]
fn linear_systems() {
    // 2x + y = 5, x + 3y = 10: x = 1, y = 3.
    let a = rows(&[[2.0, 1.0], [1.0, 3.0]]);
    let b = vec![5.0, 10.0];
    let args = [n(2), n(1), output(&a), n(2), output(vec![0.0; 2]), output(b.clone()), n(2), output(0.0)];
    let values = run("dgesv", &args);
    close(&matrix(&values[2]), &rows(&[[1.0], [3.0]]));
    assert_eq!(values[3], Value::Scalar(0.0));
    let singular = rows(&[[1.0, 2.0], [2.0, 4.0]]);
    let args = [n(2), n(1), output(&singular), n(2), output(vec![0.0; 2]), output(b), n(2), output(0.0)];
    assert_eq!(run("dgesv", &args)[3], Value::Scalar(2.0));
}

#[test]
fn factors_of_all_sizes() {
    for (r, c) in [(4, 4), (5, 3), (3, 5)] {
        let a = sample(r, c, 7);
        let values = run("dgetrf", &[n(r), n(c), output(&a), n(r), output(vec![0.0; r.min(c)]), output(0.0)]);
        let (lu, pivots) = (matrix(&values[0]), values[1].scalars().to_vec());
        let k = r.min(c);
        let (mut l, mut u) = (Matrix::zeros(r, k), Matrix::zeros(k, c));
        for i in 0..r {
            for j in 0..c {
                if i > j && j < k {
                    l[(i, j)] = lu[(i, j)];
                } else if i <= j && i < k {
                    u[(i, j)] = lu[(i, j)];
                }
            }
            if i < k {
                l[(i, i)] = 1.0;
            }
        }
        let mut product = l.times(&u);
        for (i, &p) in pivots.iter().enumerate().rev() {
            for j in 0..c {
                let (x, y) = (product[(i, j)], product[(p as usize - 1, j)]);
                product[(i, j)] = y;
                product[(p as usize - 1, j)] = x;
            }
        }
        close(&product, &a);
    }
}

#[test]
fn solving_with_factors() {
    let a = sample(5, 5, 3);
    let x = sample(5, 2, 4);
    let factors = lu::factor(a.clone());
    let pivots: Vec<f64> = factors.pivots.iter().map(|&p| p as f64 + 1.0).collect();
    for (trans, b) in [("N", a.times(&x)), ("T", a.transpose().times(&x))] {
        let args = [
            input(trans),
            n(5),
            n(2),
            input(&factors.matrix),
            n(5),
            input(pivots.clone()),
            output(&b),
            n(5),
            output(0.0),
        ];
        close(&matrix(&run("dgetrs", &args)[0]), &x);
    }
    let args =
        [n(5), output(&factors.matrix), n(5), input(pivots), output(vec![0.0; 25]), n(25), output(0.0)];
    close(&matrix(&run("dgetri", &args)[0]).times(&a), &Matrix::identity(5));
}

#[test]
fn condition_numbers() {
    // The inverse of [1, 2; 3, 4] is [-2, 1; 1.5, -0.5]: norms 6 and 3.5.
    let a = rows(&[[1.0, 2.0], [3.0, 4.0]]);
    let factors = lu::factor(a.clone());
    let args = |norm: &str, size: f64| {
        [
            input(norm),
            n(2),
            input(&factors.matrix),
            n(2),
            input(size),
            output(0.0),
            output(vec![0.0; 8]),
            output(vec![0.0; 2]),
            output(0.0),
        ]
    };
    let rcond = |norm, size| run("dgecon", &args(norm, size))[0].as_scalar().unwrap();
    assert!((rcond("1", 6.0) - 1.0 / 21.0).abs() < 1e-15);
    // Row sums: 7 and 3.
    assert!((rcond("I", 7.0) - 1.0 / 21.0).abs() < 1e-15);
    let externals = StandardExternals::new(Options::default());
    let norm = |kind: &str| {
        let args = [input(kind), n(2), n(2), input(&a), n(2), output(vec![0.0; 4])];
        call(&externals, "dlange", &args).unwrap()[0].as_scalar().unwrap()
    };
    assert_eq!([norm("M"), norm("1"), norm("I")], [4.0, 6.0, 7.0]);
    assert!((norm("F") - 30f64.sqrt()).abs() < 1e-15);
}

#[test]
fn special_systems() {
    let x = rows(&[[1.0], [2.0], [3.0], [4.0]]);
    let (sub, diagonal, sup) = (vec![1.0, 2.0, 3.0], vec![5.0, 6.0, 7.0, 8.0], vec![-1.0, -2.0, -3.0]);
    let a = lu::from_diagonals(&sub, &diagonal, &sup);
    close(
        &a,
        &rows(&[[5.0, -1.0, 0.0, 0.0], [1.0, 6.0, -2.0, 0.0], [0.0, 2.0, 7.0, -3.0], [0.0, 0.0, 3.0, 8.0]]),
    );
    let b = a.times(&x);
    let args = [n(4), n(1), output(sub), output(diagonal), output(sup), output(&b), n(4), output(0.0)];
    close(&matrix(&run("dgtsv", &args)[3]), &x);
    // The same in band storage: one empty row for fill-in, then the upper, main and lower diagonal.
    let bands = rows(&[[0.0; 4], [0.0, -1.0, -2.0, -3.0], [5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0, 0.0]]);
    let args =
        [n(4), n(1), n(1), n(1), output(&bands), n(4), output(vec![0.0; 4]), output(&b), n(4), output(0.0)];
    close(&matrix(&run("dgbsv", &args)[2]), &x);
    // Cholesky: [4, 2; 2, 10] = L L' with L = [2, 0; 1, 3].
    let spd = rows(&[[4.0, 2.0], [2.0, 10.0]]);
    let lower = run("dpotrf", &[input("L"), n(2), output(&spd), n(2), output(0.0)]);
    close(&matrix(&lower[0]), &rows(&[[2.0, 2.0], [1.0, 3.0]]));
    let upper = run("dpotrf", &[input("U"), n(2), output(&spd), n(2), output(0.0)]);
    close(&matrix(&upper[0]), &rows(&[[2.0, 1.0], [2.0, 3.0]]));
    let indefinite = rows(&[[1.0, 2.0], [2.0, 1.0]]);
    assert_eq!(
        run("dpotrf", &[input("L"), n(2), output(&indefinite), n(2), output(0.0)])[1],
        Value::Scalar(2.0)
    );
}

#[test]
fn triangular_systems() {
    let a = sample(4, 4, 9);
    let x = sample(4, 3, 10);
    let triangle = |upper: bool| {
        let mut t = a.clone();
        for r in 0..4 {
            for c in 0..4 {
                if (upper && r > c) || (!upper && r < c) {
                    t[(r, c)] = 0.0;
                }
            }
        }
        t
    };
    for (uplo, upper) in [("U", true), ("L", false)] {
        for trans in ["N", "T"] {
            let t = if trans == "T" { triangle(upper).transpose() } else { triangle(upper) };
            let solve = |side: &str, b: &Matrix| {
                let args = [
                    input(side),
                    input(uplo),
                    input(trans),
                    input("N"),
                    n(b.rows),
                    n(b.cols),
                    input(2.0),
                    input(&a),
                    n(4),
                    output(b),
                    n(b.rows),
                ];
                matrix(&run("dtrsm", &args)[0])
            };
            let twice = |m: &Matrix| Matrix { data: m.data.iter().map(|x| 2.0 * x).collect(), ..m.clone() };
            close(&solve("L", &t.times(&x)), &twice(&x));
            close(&solve("R", &x.transpose().times(&t)), &twice(&x.transpose()));
        }
    }
}

#[test]
fn orthogonal_factors() {
    for (r, c) in [(5, 3), (4, 4), (3, 5)] {
        let a = sample(r, c, 21);
        for pivoting in [false, true] {
            let f = qr::factor(a.clone(), pivoting);
            let mut upper = f.matrix.clone();
            for i in 0..r {
                for j in 0..i.min(c) {
                    upper[(i, j)] = 0.0;
                }
            }
            let product = qr::apply_q(&f.matrix, &f.tau, upper.clone(), false, 0);
            let mut permuted = Matrix::zeros(r, c);
            for i in 0..r {
                for j in 0..c {
                    permuted[(i, j)] = a[(i, f.columns[j])];
                }
            }
            close(&product, &permuted);
            if pivoting {
                let diagonal: Vec<f64> = (0..r.min(c)).map(|i| upper[(i, i)].abs()).collect();
                assert!(diagonal.windows(2).all(|d| d[0] >= d[1] - 1e-12));
            }
        }
        let f = qr::factor(a, false);
        let q = qr::form_q(&f.matrix, &f.tau);
        if r >= c {
            close(&q.transpose().times(&q), &Matrix::identity(c));
        }
    }
}

#[test]
fn least_squares() {
    // A line through (0,1), (1,2), (2,4): normal equations [3,3;3,5] x = [7;10] give 5/6 and 3/2; residual sum 1/6.
    let a = rows(&[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]);
    let b = vec![1.0, 2.0, 4.0];
    let args = [
        input("N"),
        n(3),
        n(2),
        n(1),
        output(&a),
        n(3),
        output(b),
        n(3),
        output(vec![0.0; 5]),
        n(5),
        output(0.0),
    ];
    let x = run("dgels", &args)[1].scalars().to_vec();
    assert!((x[0] - 5.0 / 6.0).abs() < 1e-14 && (x[1] - 1.5).abs() < 1e-14);
    assert!((x[2] * x[2] - 1.0 / 6.0).abs() < 1e-14);
    // x + y = 2 twice: the shortest solution is (1, 1), the rank 1.
    let a = rows(&[[1.0, 1.0], [1.0, 1.0]]);
    let args = [
        n(2),
        n(2),
        n(1),
        output(&a),
        n(2),
        output(vec![2.0, 2.0]),
        n(2),
        output(vec![0.0; 2]),
        input(1e-10),
        output(0.0),
        output(vec![0.0; 10]),
        n(10),
        output(0.0),
    ];
    let values = run("dgelsy", &args);
    assert!(values[1].scalars().iter().all(|x| (x - 1.0).abs() < 1e-14));
    assert_eq!(values[3], Value::Scalar(1.0));
    // The point of x + y = 2 that is nearest to (3, 1): (2, 0).
    let x = qr::constrained_least_squares(
        &Matrix::identity(2),
        &rows(&[[1.0, 1.0]]),
        &rows(&[[3.0], [1.0]]),
        &rows(&[[2.0]]),
    );
    close(&x, &rows(&[[2.0], [0.0]]));
}

fn geev_args(a: &Matrix, left: &str) -> Vec<ExternalArg> {
    let k = a.rows;
    vec![
        input(left),
        input("V"),
        n(k),
        output(a),
        n(k),
        output(vec![0.0; k]),
        output(vec![0.0; k]),
        output(&Matrix::zeros(k, k)),
        n(k),
        output(&Matrix::zeros(k, k)),
        n(k),
        output(vec![0.0; 12 * k]),
        n(12 * k),
        output(0.0),
    ]
}

#[test]
fn eigenvalues_and_vectors() {
    // The companion matrix of (x-1)(x-2)(x-3) = x^3 - 6x^2 + 11x - 6, and one of (x-1)(x^2+4).
    let a = rows(&[[6.0, -11.0, 6.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let values = run("dgeev", &geev_args(&a, "N"));
    let mut re = values[1].scalars().to_vec();
    re.sort_by(f64::total_cmp);
    assert!(re.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{re:?}");
    let a = rows(&[[1.0, -4.0, 4.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let values = run("dgeev", &geev_args(&a, "N"));
    let mut im = values[2].scalars().to_vec();
    im.sort_by(f64::total_cmp);
    assert!(im.iter().zip([-2.0, 0.0, 2.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{im:?}");
    for size in [1, 2, 3, 5, 8, 13] {
        for seed in 0..5 {
            let a = sample(size, size, 100 + seed);
            let values = run("dgeev", &geev_args(&a, "V"));
            let (re, im) = (values[1].scalars(), values[2].scalars());
            let (left, right) = (matrix(&values[3]), matrix(&values[4]));
            // A v = lambda v and A' u = conj(lambda) u, written in real numbers.
            for (vectors, a, sign) in [(&right, a.clone(), 1.0), (&left, a.transpose(), -1.0)] {
                let product = a.times(vectors);
                for k in 0..size {
                    if im[k] < 0.0 {
                        continue;
                    }
                    let pair = im[k] > 0.0;
                    for r in 0..size {
                        let (x, y) = (vectors[(r, k)], if pair { vectors[(r, k + 1)] } else { 0.0 });
                        let wi = sign * im[k];
                        assert!((product[(r, k)] - (re[k] * x - wi * y)).abs() < 1e-10, "{size} {seed}");
                        if pair {
                            assert!(
                                (product[(r, k + 1)] - (re[k] * y + wi * x)).abs() < 1e-10,
                                "{size} {seed}"
                            );
                        }
                    }
                }
            }
        }
    }
    // A matrix of nothing but equal and zero elements: Francis' shifts alone would go in circles.
    let a = rows(&[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(run("dgeev", &geev_args(&a, "N")).last(), Some(&Value::Scalar(0.0)));
}

#[test]
fn schur_forms_can_be_reordered() {
    for seed in 0..10 {
        let a = sample(6, 6, 300 + seed);
        let (t, z) = schur::decompose(&a).unwrap();
        close(&z.times(&t).times(&z.transpose()), &a);
        close(&z.times(&z.transpose()), &Matrix::identity(6));
        let (re, _) = schur::eigenvalues(&t);
        let selected: Vec<bool> = re.iter().map(|&x| x < 0.0).collect();
        let (mut t2, mut z2) = (t.clone(), z.clone());
        let count = schur::reorder(&mut t2, &mut z2, &selected);
        assert_eq!(count, selected.iter().filter(|&&s| s).count());
        close(&z2.times(&t2).times(&z2.transpose()), &a);
        let (re2, _) = schur::eigenvalues(&t2);
        assert!(re2[..count].iter().all(|&x| x < 0.0) && re2[count..].iter().all(|&x| x >= 0.0), "{re2:?}");
    }
}

#[test]
fn hessenberg_forms() {
    let a = sample(5, 5, 50);
    let values = run(
        "dgehrd",
        &[n(5), n(1), n(5), output(&a), n(5), output(vec![0.0; 4]), output(vec![0.0; 5]), n(5), output(0.0)],
    );
    let (h, tau) = (matrix(&values[0]), values[1].scalars().to_vec());
    let args =
        [n(5), n(1), n(5), output(&h), n(5), input(tau.clone()), output(vec![0.0; 5]), n(5), output(0.0)];
    let q = matrix(&run("dorghr", &args)[0]);
    let mut clean = h.clone();
    for r in 2..5 {
        for c in 0..r - 1 {
            clean[(r, c)] = 0.0;
        }
    }
    close(&q.times(&clean).times(&q.transpose()), &a);
    let b = sample(5, 5, 51);
    for (side, trans, expected) in [
        ("L", "N", q.times(&b)),
        ("L", "T", q.transpose().times(&b)),
        ("R", "N", b.times(&q)),
        ("R", "T", b.times(&q.transpose())),
    ] {
        let args = [
            input(side),
            input(trans),
            n(5),
            n(5),
            n(1),
            n(5),
            input(&h),
            n(5),
            input(tau.clone()),
            output(&b),
            n(5),
            output(vec![0.0; 5]),
            n(5),
            output(0.0),
        ];
        close(&matrix(&run("dormhr", &args)[0]), &expected);
    }
}

#[test]
fn sylvester_equations() {
    let (ta, _) = schur::decompose(&sample(4, 4, 60)).unwrap();
    let (tb, _) = schur::decompose(&sample(5, 5, 61)).unwrap();
    let x = sample(4, 5, 62);
    for (trans_a, trans_b, sign) in [("N", "N", 1.0), ("N", "T", 1.0), ("T", "N", -1.0), ("T", "T", -1.0)] {
        let a = if trans_a == "T" { ta.transpose() } else { ta.clone() };
        let b = if trans_b == "T" { tb.transpose() } else { tb.clone() };
        let (mut c, xb) = (a.times(&x), x.times(&b));
        c.data.iter_mut().zip(&xb.data).for_each(|(c, y)| *c += sign * y);
        let args = [
            input(trans_a),
            input(trans_b),
            input(sign),
            n(4),
            n(5),
            input(&ta),
            n(4),
            input(&tb),
            n(5),
            output(&c),
            n(4),
            output(0.0),
            output(0.0),
        ];
        let solution = matrix(&run("dtrsyl", &args)[0]);
        assert!(solution.data.iter().zip(&x.data).all(|(a, b)| (a - b).abs() < 1e-9));
    }
}

#[test]
fn singular_values() {
    // [3, 0; 4, 5] has singular values sqrt(45) and sqrt(5): the eigenvalues of A'A = [25, 20; 20, 25] are 45 and 5.
    let s = svd::decompose(&rows(&[[3.0, 0.0], [4.0, 5.0]]));
    assert!((s.sigma[0] - 45f64.sqrt()).abs() < 1e-14 && (s.sigma[1] - 5f64.sqrt()).abs() < 1e-14);
    let mut deficient = sample(5, 3, 70);
    for r in 0..5 {
        deficient[(r, 2)] = deficient[(r, 0)] - deficient[(r, 1)];
    }
    for a in [sample(5, 3, 71), sample(3, 5, 72), sample(4, 4, 73), deficient, Matrix::zeros(3, 2)] {
        let s = svd::decompose(&a);
        let mut middle = Matrix::zeros(a.rows, a.cols);
        for (i, &x) in s.sigma.iter().enumerate() {
            middle[(i, i)] = x;
        }
        close(&s.u.times(&middle).times(&s.vt), &a);
        close(&s.u.transpose().times(&s.u), &Matrix::identity(a.rows));
        close(&s.vt.times(&s.vt.transpose()), &Matrix::identity(a.cols));
        assert!(s.sigma.windows(2).all(|s| s[0] >= s[1]) && s.sigma.iter().all(|&x| x >= 0.0));
    }
    let a = sample(3, 2, 74);
    let args = [
        input("A"),
        input("A"),
        n(3),
        n(2),
        output(&a),
        n(3),
        output(vec![0.0; 2]),
        output(&Matrix::zeros(3, 3)),
        n(3),
        output(&Matrix::zeros(2, 2)),
        n(2),
        output(vec![0.0; 25]),
        n(25),
        output(0.0),
    ];
    let values = run("dgesvd", &args);
    assert_eq!(values[1].scalars(), svd::decompose(&a).sigma);
}

#[test]
fn what_is_not_available_says_so() {
    let externals = StandardExternals::new(Options::default());
    assert!(!externals.is_known("dggev"));
    assert!(externals.is_known("dgeev"));
}
