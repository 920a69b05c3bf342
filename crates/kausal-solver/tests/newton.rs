//! Newton and continuation on systems with known solutions, and on systems without one.

use kausal_solver::homotopy::{ContinuationOptions, Homotopy, Route, advance, follow, solve};
use kausal_solver::linear::Pattern;
use kausal_solver::newton::{Newton, NewtonOptions, NonlinearSystem};
use kausal_solver::{ModelError, Reason};

/// A system from closures.
struct System<F, J> {
    n: usize,
    f: F,
    jacobian: Option<J>,
    nominal: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    evaluations: usize,
}

type NoJacobian = fn(&[f64], &mut [f64]);

fn system<F: FnMut(&[f64], &mut [f64]) -> Result<(), ModelError>>(n: usize, f: F) -> System<F, NoJacobian> {
    let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); n];
    System { n, f, jacobian: None, nominal: vec![1.0; n], bounds, evaluations: 0 }
}

impl<F: FnMut(&[f64], &mut [f64]) -> Result<(), ModelError>, J: FnMut(&[f64], &mut [f64])> NonlinearSystem
    for System<F, J>
{
    fn n(&self) -> usize {
        self.n
    }
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        self.evaluations += 1;
        (self.f)(x, r)
    }
    fn has_jacobian(&self) -> bool {
        self.jacobian.is_some()
    }
    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        if let Some(jacobian) = &mut self.jacobian {
            jacobian(x, values);
        }
        Ok(())
    }
    fn nominal(&self, i: usize) -> f64 {
        self.nominal[i]
    }
    fn bounds(&self, i: usize) -> (f64, f64) {
        self.bounds[i]
    }
}

#[test]
fn rosenbrocks_valley() {
    // Solution (1, 1); the usual start.
    let mut s = system(2, |x, r| {
        r[0] = 10.0 * (x[1] - x[0] * x[0]);
        r[1] = 1.0 - x[0];
        Ok(())
    });
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    let mut x = [-1.2, 1.0];
    newton.solve(&mut s, &mut x).unwrap();
    assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12, "{x:?}");
}

#[test]
fn arctangent_needs_damping() {
    // Undamped Newton diverges from |x| > 1.3917.
    let mut s = system(1, |x, r| {
        r[0] = x[0].atan();
        Ok(())
    });
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    for start in [1.5, 10.0, -50.0] {
        let mut x = [start];
        newton.reset();
        newton.solve(&mut s, &mut x).unwrap();
        assert!(x[0].abs() < 1e-10, "{x:?}");
    }
}

#[test]
fn units_do_not_matter() {
    // The same problem in metres and in nanometres takes the same iterations.
    let mut counts = Vec::new();
    for unit in [1.0, 1e-9] {
        let mut s = system(2, move |x, r| {
            let (a, b) = (x[0] / unit, x[1] / unit);
            r[0] = 1e6 * (a.exp() - b - 1.0);
            r[1] = 1e-6 * (a + b * b * b - 4.0);
            Ok(())
        });
        s.nominal = vec![unit; 2];
        let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
        let mut x = [2.0 * unit, 2.0 * unit];
        let solved = newton.solve(&mut s, &mut x).unwrap();
        let (a, b) = (x[0] / unit, x[1] / unit);
        assert!((a.exp() - b - 1.0).abs() < 1e-9 && (a + b * b * b - 4.0).abs() < 1e-9);
        counts.push(solved.iterations);
    }
    assert_eq!(counts[0], counts[1]);
}

#[test]
fn the_jacobian_is_kept_between_solves() {
    let parameter = std::cell::Cell::new(1.0);
    let mut s = system(2, |x, r| {
        r[0] = x[0] * x[0] + x[1] - parameter.get();
        r[1] = x[0] - x[1].sin() - 0.2;
        Ok(())
    });
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    let mut x = [0.5, 0.5];
    newton.solve(&mut s, &mut x).unwrap();
    let before = newton.work().jacobians;
    for k in 1..=50 {
        parameter.set(1.0 + 0.002 * f64::from(k));
        newton.solve(&mut s, &mut x).unwrap();
        assert!((x[0] * x[0] + x[1] - parameter.get()).abs() < 1e-9);
    }
    assert!(newton.work().jacobians - before <= 3, "{:?}", newton.work());
}

/// A matrix that was perfect for small changes is not trusted with a large one.
#[test]
fn an_easy_solve_does_not_spoil_the_next() {
    let parameter = std::cell::Cell::new(1e-9);
    let mut s = system(1, |x, r| {
        r[0] = x[0] + x[0] * x[0] * x[0] - parameter.get();
        Ok(())
    });
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    let mut x = [0.0];
    for p in [1e-9, 2e-9, 3e-9, 0.5, 10.0, 1e-9, 1000.0] {
        parameter.set(p);
        newton.solve(&mut s, &mut x).unwrap();
        assert!((x[0] + x[0].powi(3) - p).abs() <= 1e-9 * p.max(1.0), "{p}: {x:?}");
    }
}

#[test]
fn bounds_are_respected() {
    // sqrt is only defined for x ≥ 0; the full step from 4 would go to -4.
    let mut s = system(1, |x, r| {
        assert!(x[0] >= 0.0);
        r[0] = x[0].sqrt() - 1e-3;
        Ok(())
    });
    s.bounds = vec![(0.0, 10.0)];
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    let mut x = [4.0];
    newton.solve(&mut s, &mut x).unwrap();
    assert!((x[0] - 1e-6).abs() < 1e-9, "{x:?}");
}

#[test]
fn leaving_the_domain_is_recoverable() {
    // ln x = 1 from 30: the full step is negative.
    let mut s = system(1, |x, r| {
        if x[0] <= 0.0 {
            return Err(ModelError::recoverable(Reason::OutsideDomain));
        }
        r[0] = x[0].ln() - 1.0;
        Ok(())
    });
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    let mut x = [30.0];
    newton.solve(&mut s, &mut x).unwrap();
    assert!((x[0] - std::f64::consts::E).abs() < 1e-10);
}

#[test]
fn failures_say_what_stands_in_the_way() {
    // x² + 1 = 0 has no solution; y = 2 is solved.
    let mut s = system(2, |x, r| {
        r[0] = x[0] * x[0] + 1.0;
        r[1] = x[1] - 2.0;
        Ok(())
    });
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    let mut x = [0.7, 0.0];
    let error = newton.solve(&mut s, &mut x).unwrap_err();
    assert!(matches!(error, ModelError::Recoverable(_)));
    let report = newton.report();
    assert_eq!(report.residuals[0].0, 0);
    assert_eq!(report.corrections[0].0, 0);
    assert!(report.to_string().contains("residual 0"), "{report}");
    assert!(report.residuals[0].1 >= 1.0);

    // A singular Jacobian names the unknown.
    let mut s = system(2, |x, r| {
        r[0] = x[0] - 1.0;
        r[1] = 2.0 * x[0] - 3.0;
        Ok(())
    });
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    match newton.solve(&mut s, &mut [0.0, 0.0]) {
        Err(ModelError::Recoverable(e)) => {
            assert_eq!((e.reason, e.component), (Reason::SingularMatrix, Some(1)));
        }
        other => panic!("{other:?}"),
    }

    // Not-a-number names the equation; a fatal error passes through.
    let mut s = system(2, |x, r| {
        r[0] = x[0];
        r[1] = f64::NAN;
        Ok(())
    });
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    match newton.solve(&mut s, &mut [0.0, 0.0]) {
        Err(ModelError::Recoverable(e)) => assert_eq!((e.reason, e.component), (Reason::NotFinite, Some(1))),
        other => panic!("{other:?}"),
    }
    let mut s = system(1, |_, _| Err(ModelError::fatal("the licence has expired")));
    let mut newton = Newton::new(&mut s, NewtonOptions::default()).unwrap();
    let error = newton.solve(&mut s, &mut [0.0]).unwrap_err();
    assert!(matches!(&error, ModelError::Fatal(e) if e.to_string() == "the licence has expired"));
}

#[test]
fn a_sparse_system_of_many_unknowns() {
    // Bratu's problem u'' + exp(u) = 0, u(0) = u(1) = 0: u(1/2) = 0.140539214400... (lower branch, from
    // u(x) = -2 ln(cosh((x-1/2)θ/2)/cosh(θ/4)), θ = sqrt(2) cosh(θ/4)).
    const N: usize = 1999;
    struct Bratu;
    impl NonlinearSystem for Bratu {
        fn n(&self) -> usize {
            N
        }
        fn residual(&mut self, u: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
            let h = 1.0 / (N + 1) as f64;
            for i in 0..N {
                let left = if i > 0 { u[i - 1] } else { 0.0 };
                let right = if i + 1 < N { u[i + 1] } else { 0.0 };
                r[i] = (left - 2.0 * u[i] + right) / (h * h) + u[i].exp();
            }
            Ok(())
        }
        fn jacobian_pattern(&self) -> Option<Pattern> {
            let band = |j: usize| (j.saturating_sub(1)..(j + 2).min(N)).map(move |i| (i, j));
            Some(Pattern::new(N, (0..N).flat_map(band)))
        }
    }
    let mut newton =
        Newton::new(&mut Bratu, NewtonOptions { tolerance: 1e-8, ..NewtonOptions::default() }).unwrap();
    let mut u = vec![0.0; N];
    newton.solve(&mut Bratu, &mut u).unwrap();
    let mut theta: f64 = 1.5;
    for _ in 0..200 {
        theta = 2f64.sqrt() * (theta / 4.0).cosh();
    }
    let exact = 2.0 * (theta / 4.0).cosh().ln();
    // The finite differences have an error of about h²/10.
    assert!((u[N / 2] - exact).abs() < 1e-6, "{} {exact}", u[N / 2]);
    assert!(newton.work().residuals < 40, "{:?}", newton.work());
}

#[test]
fn continuation_goes_round_a_turning_point() {
    // λ = x³ - x has turning points at x = ∓1/√3; started on the left branch at λ = 0 (x = -1), the curve
    // reaches λ = 1 only after going back and forth: x = 1.3247179572...
    struct Fold;
    impl Homotopy for Fold {
        fn n(&self) -> usize {
            1
        }
        fn residual(&mut self, x: &[f64], lambda: f64, r: &mut [f64]) -> Result<(), ModelError> {
            r[0] = x[0] * x[0] * x[0] - x[0] - lambda;
            Ok(())
        }
    }
    let mut x = [-1.0];
    let steps = follow(&mut Fold, &mut x, &ContinuationOptions::default()).unwrap();
    assert!((x[0] - 1.324_717_957_244_746).abs() < 1e-9, "{x:?} after {steps} steps");
}

#[test]
fn hard_starts_are_solved_by_homotopy() {
    // Newton from 0.7 runs into the local minimum of x³ - x + 3 at 1/√3 and stops there; the root is
    // -1.6716998816...
    let mut s = system(1, |x, r| {
        r[0] = x[0] * x[0] * x[0] - x[0] + 3.0;
        Ok(())
    });
    let mut x = [0.7];
    let route = solve(&mut s, &mut x, &ContinuationOptions::default()).unwrap();
    assert!((x[0] + 1.671_699_881_657_161).abs() < 1e-9, "{x:?}");
    assert!(route != Route::Newton, "{route:?}");

    // The Jacobian is singular at the guess, x = y = 0; the solution is x = y = ±√2.
    let mut s = system(2, |x, r| {
        r[0] = x[0] * x[0] + x[1] * x[1] - 4.0;
        r[1] = x[0] * x[0] - x[1] * x[1];
        Ok(())
    });
    let mut x = [0.0, 0.0];
    assert_eq!(solve(&mut s, &mut x, &ContinuationOptions::default()).unwrap(), Route::MovedStart);
    assert!(x.iter().all(|x| (x.abs() - 2f64.sqrt()).abs() < 1e-9), "{x:?}");

    // No solution: every route fails, the guess comes back, and the report is there.
    let mut s = system(1, |x, r| {
        r[0] = x[0] * x[0] + 1.0;
        Ok(())
    });
    let mut x = [0.7];
    let lost = solve(&mut s, &mut x, &ContinuationOptions::default()).unwrap_err();
    assert_eq!(x, [0.7]);
    assert_eq!(lost.report.residuals[0].0, 0);
}

/// Beside a steep piece that ends before its zero.
#[test]
fn what_is_small_for_a_steep_piece_is_no_solution_beside_it() {
    let solve = |verify| {
        let mut steep = system(1, |x, r| {
            r[0] = 2000.0 * x[0] - (15000.0 * (1000.0 * x[0] - 7.5)).clamp(-15.0, 15.0);
            Ok(())
        });
        let options = NewtonOptions { verify, ..NewtonOptions::default() };
        let mut x = [0.0075];
        let outcome = Newton::new(&mut steep, options).unwrap().solve(&mut steep, &mut x);
        (outcome.is_ok(), x[0])
    };
    let (found, x) = solve(true);
    assert!(!found || (x + 0.0075).abs() < 1e-12, "{x}");
    let (found, x) = solve(false);
    assert!(found && x > 0.0, "without a second look {x} passes");
}

/// An amplifier of large gain that saturates, with a divider that feeds its output back: Newton's method without more jumps between the
/// ends of its output.
#[test]
fn a_saturating_amplifier_is_solved_from_either_end() {
    let (top, gain, part) = (15.0, 1e5, 0.25);
    for input in [-3.6, -1.0, 0.0, 0.02, 2.5, 3.7499] {
        // v - vps and i: what the supply gives is nonlinear, as the power of the amplifier is.
        let mut amplifier = system(2, |x, r| {
            let [v, i] = [x[0], x[1]];
            r[0] = v - (gain * (input - part * v)).clamp(-top, top);
            r[1] = 2.0 * top * i - v * v / 1e3;
            Ok(())
        });
        for start in [-top, top, 0.3, -2e3] {
            let options = NewtonOptions { verify: true, ..NewtonOptions::default() };
            let mut newton = Newton::new(&mut amplifier, options).unwrap();
            amplifier.evaluations = 0;
            let mut x = [start, 0.0];
            newton.solve(&mut amplifier, &mut x).unwrap();
            let output = gain * input / (1.0 + gain * part);
            assert!((x[0] - output).abs() < 1e-9, "{x:?} instead of {output} from {start}");
            assert!(newton.work().iterations <= 12, "{:?} from {start}", newton.work());
        }
    }
}

/// The same amplifier with its output fed back to the other input is a trigger: past the threshold the branch of solutions has ended in
/// a kink. Newton's method says so at once, and does not take the solution between the two ends, which is none that lasts.
#[test]
fn a_fold_is_not_crossed() {
    let mut trigger = system(1, |x, r| {
        r[0] = x[0] - (1e5 * (0.5 * x[0] - 7.50005)).clamp(-15.0, 15.0);
        Ok(())
    });
    let options = NewtonOptions { verify: true, ..NewtonOptions::default() };
    let mut newton = Newton::new(&mut trigger, options).unwrap();
    let mut x = [15.0];
    match newton.solve(&mut trigger, &mut x) {
        Ok(_) => assert!((x[0] + 15.0).abs() < 1e-9, "{x:?}"),
        Err(error) => assert!(matches!(error, ModelError::Recoverable(_)) && newton.work().iterations <= 20),
    }
}

/// A diode and a resistor, with both unknowns iterated on.
struct Diode;

impl NonlinearSystem for Diode {
    fn n(&self) -> usize {
        2
    }
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), ModelError> {
        r[0] = x[0] - 1e-12 * ((x[1] / 0.025).exp() - 1.0);
        r[1] = x[1] + 1e3 * x[0] - 5.0;
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, x: &[f64], j: &mut [f64]) -> Result<(), ModelError> {
        j.copy_from_slice(&[1.0, 1e3, -4e-11 * (x[1] / 0.025).exp(), 1.0]);
        Ok(())
    }
}

/// Each correction is at most 25 mV here: some 380 of them lie between start and solution.
#[test]
fn a_start_far_out_on_an_exponential_function_is_no_failure() {
    let mut newton = Newton::new(&mut Diode, NewtonOptions::default()).unwrap();
    let mut x = [0.0, 10.0];
    newton.solve(&mut Diode, &mut x).unwrap();
    assert!((x[1] + 1e3 * x[0] - 5.0).abs() < 1e-9, "{x:?}");
    // The equation of the diode, solved for its voltage.
    assert!((x[1] - 0.025 * (1.0 + x[0] / 1e-12).ln()).abs() < 1e-9, "{x:?}");
}

/// The first equation has its solution, the others contradict each other: the part that can be solved moves on.
#[test]
fn one_step_leads_on_where_the_jacobian_is_singular() {
    let mut contradiction = system(3, |x, r| {
        r[0] = x[0] - 2.0;
        r[1] = x[1] + x[2] - 1.0;
        r[2] = x[1] + x[2] + 1.0;
        Ok(())
    });
    let mut newton = Newton::new(&mut contradiction, NewtonOptions::default()).unwrap();
    let mut x = [0.0; 3];
    advance(&mut newton, &mut contradiction, &mut x).unwrap();
    assert!((x[0] - 2.0).abs() < 1e-6 && x[1].abs() <= 1.0 && x[2].abs() <= 1.0, "{x:?}");
    // A regular one makes one step, and stays where it is solved.
    let mut square = system(1, |x, r| {
        r[0] = x[0] * x[0] - 2.0;
        Ok(())
    });
    let mut newton = Newton::new(&mut square, NewtonOptions::default()).unwrap();
    let mut x = [1.0];
    let mut steps = 0;
    while (x[0] - 2f64.sqrt()).abs() > 1e-12 && steps < 10 {
        advance(&mut newton, &mut square, &mut x).unwrap();
        steps += 1;
    }
    assert!((2..10).contains(&steps), "{steps}");
}
