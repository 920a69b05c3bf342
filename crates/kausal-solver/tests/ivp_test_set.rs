//! End values of published initial value problems, by every method that suits them.

use kausal_solver::{ClassicalStep, Integrator, Method, Options, Statistics};

#[path = "common/ivp.rs"]
mod ivp;
use ivp::Problem;

fn run(problem: &Problem, method: Method, tolerance: f64) -> (Vec<f64>, Statistics) {
    let mut options = Options::tolerance(tolerance, tolerance);
    options.max_steps = Some(2_000_000);
    let mut integrator =
        Integrator::new(method, options, ClassicalStep::new(problem), 0.0, &problem.x0).unwrap();
    integrator.integrate_to(problem.t_end).unwrap_or_else(|e| panic!("{} with {method}: {e}", problem.name));
    assert_eq!(integrator.t(), problem.t_end);
    (integrator.x().to_vec(), integrator.statistics())
}

/// The relative error at the end, at a tolerance of 1e-4, 1e-6 and 1e-8 for both parts. Bounds are twice the
/// largest error at these and neighbouring tolerances when they were written down: a method that loses a
/// digit fails.
fn check(problem: &Problem, method: Method, bounds: [f64; 3]) {
    for (tolerance, bound) in [1e-4, 1e-6, 1e-8].into_iter().zip(bounds) {
        let (x, _) = run(problem, method, tolerance);
        let error = problem.relative_error(&x, 1e-6);
        assert!(error <= bound, "{} with {method} at {tolerance:e}: error {error:.1e}", problem.name);
    }
}

#[test]
fn robertson() {
    let p = ivp::robertson();
    check(&p, Method::Bdf, [9e-2, 3e-2, 7e-5]);
    check(&p, Method::Radau, [2e-3, 5e-5, 2e-7]);
    check(&p, Method::Esdirk3, [6e-3, 4e-4, 2e-5]);
    check(&p, Method::Esdirk4, [5e-3, 5e-4, 2e-5]);
    check(&p, Method::Rosenbrock, [4e-3, 2e-4, 6e-7]);
    check(&p, Method::Auto, [2e-1, 9e-3, 6e-5]);
}

#[test]
fn hires() {
    let p = ivp::hires();
    check(&p, Method::Bdf, [4e-2, 2e-3, 2e-5]);
    check(&p, Method::Radau, [3e-4, 5e-4, 7e-7]);
    check(&p, Method::Esdirk3, [3e-3, 2e-4, 7e-7]);
    check(&p, Method::Esdirk4, [5e-4, 3e-5, 3e-7]);
    check(&p, Method::Rosenbrock, [8e-4, 3e-5, 4e-7]);
    check(&p, Method::Auto, [4e-2, 1e-3, 2e-5]);
}

#[test]
fn van_der_pol() {
    let p = ivp::van_der_pol();
    check(&p, Method::Bdf, [5e-3, 2e-4, 2e-6]);
    check(&p, Method::Radau, [8e-6, 5e-7, 1e-8]);
    check(&p, Method::Esdirk3, [3e-4, 6e-6, 2e-8]);
    check(&p, Method::Esdirk4, [2e-4, 5e-7, 1e-8]);
    check(&p, Method::Rosenbrock, [9e-5, 2e-6, 2e-8]);
    check(&p, Method::Auto, [4e-3, 2e-4, 2e-6]);
}

#[test]
fn orego() {
    let p = ivp::orego();
    check(&p, Method::Bdf, [8e-3, 2e-4, 8e-6]);
    check(&p, Method::Radau, [6e-5, 2e-6, 6e-8]);
    check(&p, Method::Esdirk3, [1e-3, 6e-5, 7e-7]);
    check(&p, Method::Esdirk4, [4e-2, 4e-4, 2e-6]);
    check(&p, Method::Rosenbrock, [8e-4, 1e-5, 1e-7]);
    check(&p, Method::Auto, [4e-3, 8e-5, 6e-6]);
}

#[test]
fn e5() {
    let p = ivp::e5();
    check(&p, Method::Bdf, [2e0, 7e-2, 9e-3]);
    check(&p, Method::Radau, [2e-1, 3e-3, 2e-3]);
    check(&p, Method::Esdirk4, [6e-2, 8e-3, 2e-2]);
}

#[test]
fn pollution() {
    let p = ivp::pollution();
    check(&p, Method::Bdf, [4e-2, 3e-3, 6e-5]);
    check(&p, Method::Radau, [2e-1, 5e-3, 2e-4]);
    check(&p, Method::Esdirk3, [2e-3, 6e-5, 2e-6]);
    check(&p, Method::Esdirk4, [3e-3, 3e-4, 3e-5]);
    check(&p, Method::Rosenbrock, [2e-3, 3e-4, 5e-6]);
    check(&p, Method::Auto, [5e-2, 3e-3, 2e-4]);
}

/// Sparse, with a Jacobian on its pattern.
#[test]
fn brusselator() {
    let p = ivp::brusselator();
    check(&p, Method::Bdf, [4e-4, 1e-5, 3e-7]);
    check(&p, Method::Radau, [4e-6, 2e-7, 4e-9]);
    check(&p, Method::Esdirk4, [7e-5, 2e-6, 2e-8]);
    check(&p, Method::Rosenbrock, [3e-5, 3e-7, 3e-9]);
    check(&p, Method::Auto, [3e-4, 5e-6, 3e-7]);
}

/// The same by finite differences: five groups of columns give the Jacobian of a thousand states.
#[test]
fn brusselator_with_coloured_differences() {
    let mut p = ivp::brusselator();
    p.jacobian = None;
    let (x, statistics) = run(&p, Method::Bdf, 1e-6);
    assert!(p.relative_error(&x, 1e-6) < 1e-5);
    let groups = statistics.work.jacobian_evaluations_of_rhs / statistics.work.jacobians;
    assert!(groups <= 6, "{groups} evaluations for a Jacobian");
}

/// Seven stars: not stiff, for all methods.
#[test]
fn pleiades() {
    let p = ivp::pleiades();
    check(&p, Method::DormandPrince, [5e-1, 2e-2, 6e-5]);
    check(&p, Method::Tsitouras, [2e-1, 4e-3, 2e-5]);
    check(&p, Method::Bdf, [2e0, 6e-2, 2e-3]);
    check(&p, Method::Radau, [2e-2, 8e-4, 2e-5]);
    check(&p, Method::Esdirk4, [8e-2, 2e-3, 2e-5]);
    check(&p, Method::Rosenbrock, [5e-2, 8e-4, 2e-5]);
    check(&p, Method::Auto, [2e-1, 4e-3, 2e-5]);
}

/// Large imaginary eigenvalues: L-stable one-step methods damp what BDF of high order cannot.
#[test]
fn beam() {
    let p = ivp::beam();
    check(&p, Method::Radau, [7e-3, 3e-3, 4e-4]);
    check(&p, Method::Esdirk4, [3e-2, 3e-3, 2e-4]);
}

/// Sixteen thousand oscillations of a circuit: long, so at one tolerance only.
#[test]
fn ring_modulator() {
    let p = ivp::ring_modulator();
    let (x, _) = run(&p, Method::Radau, 1e-6);
    assert!(p.relative_error(&x, 1e-6) < 3e-3);
    let (x, _) = run(&p, Method::Bdf, 1e-7);
    assert!(p.relative_error(&x, 1e-6) < 2e-2, "{:e}", p.relative_error(&x, 1e-6));
}

/// A satellite that comes back to where it started after passing the moon at a hundred kilometres.
#[test]
fn arenstorf() {
    let p = ivp::arenstorf();
    for method in [Method::DormandPrince, Method::Tsitouras, Method::Radau] {
        let (x, _) = run(&p, method, 1e-12);
        let error = x.iter().zip(&p.x0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 2e-4, "{method}: {error:e}");
    }
}

/// What the equations conserve exactly, all methods conserve to rounding errors: linear invariants.
#[test]
fn linear_invariants_are_kept() {
    for method in
        [Method::Bdf, Method::Radau, Method::Esdirk3, Method::Esdirk4, Method::Rosenbrock, Method::Auto]
    {
        let (x, _) = run(&ivp::robertson(), method, 1e-6);
        let mass: f64 = x.iter().sum();
        assert!((mass - 1.0).abs() < 1e-10, "{method}: {mass}");
        let (x, _) = run(&ivp::hires(), method, 1e-6);
        assert!((x[6] + x[7] - 0.0057).abs() < 1e-12, "{method}: {}", x[6] + x[7]);
    }
}

/// A pendulum that turns over for a hundred seconds keeps its energy within the tolerance that accumulates.
#[test]
fn energy_of_a_turning_pendulum() {
    let f = |_: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = x[1];
        dx[1] = -9.81 * x[0].sin();
    };
    for (method, bound) in [
        (Method::DormandPrince, 2e-6),
        (Method::Tsitouras, 2e-6),
        (Method::Radau, 2e-6),
        (Method::Esdirk4, 2e-5),
        (Method::Rosenbrock, 2e-6),
        (Method::Bdf, 5e-4),
        (Method::Auto, 2e-6),
    ] {
        let model = ClassicalStep::new(kausal_solver::Ode::new(2, f));
        let mut integrator =
            Integrator::new(method, Options::tolerance(1e-9, 1e-9), model, 0.0, &[0.0, 7.0]).unwrap();
        integrator.integrate_to(100.0).unwrap();
        let x = integrator.x();
        let energy = 0.5 * x[1] * x[1] + 9.81 * (1.0 - x[0].cos());
        assert!((energy / 24.5 - 1.0).abs() < bound, "{method}: {:e}", energy / 24.5 - 1.0);
        assert!(x[0] > 50.0, "{method}: it turns over");
    }
}

/// Work as it is, with a margin of a tenth: lost efficiency fails. Steps, evaluations of the derivative,
/// factorisations.
#[test]
fn work_snapshots() {
    let cases: [(fn() -> Problem, Method, f64, [u64; 3]); 14] = [
        (ivp::robertson, Method::Bdf, 1e-6, [839, 2071, 109]),
        (ivp::hires, Method::Bdf, 1e-6, [283, 589, 47]),
        (ivp::van_der_pol, Method::Bdf, 1e-6, [1233, 2600, 162]),
        (ivp::orego, Method::Bdf, 1e-6, [1433, 3277, 226]),
        (ivp::pollution, Method::Bdf, 1e-6, [74, 149, 25]),
        (ivp::brusselator, Method::Bdf, 1e-6, [174, 319, 22]),
        (ivp::van_der_pol, Method::Radau, 1e-6, [487, 4001, 828]),
        (ivp::hires, Method::Radau, 1e-6, [88, 811, 144]),
        (ivp::hires, Method::Esdirk4, 1e-6, [85, 1226, 96]),
        (ivp::van_der_pol, Method::Rosenbrock, 1e-6, [946, 6729, 967]),
        (ivp::pleiades, Method::DormandPrince, 1e-8, [376, 2444, 0]),
        (ivp::pleiades, Method::Tsitouras, 1e-8, [403, 2594, 0]),
        (ivp::robertson, Method::Auto, 1e-6, [791, 2177, 101]),
        (ivp::pleiades, Method::Auto, 1e-8, [403, 2594, 0]),
    ];
    let mut failed = Vec::new();
    for (problem, method, tolerance, expected) in cases {
        let p = problem();
        let (_, s) = run(&p, method, tolerance);
        let actual = [s.steps, s.work.rhs_evaluations, s.work.factorisations];
        for (a, e) in actual.into_iter().zip(expected) {
            if a as f64 > 1.1 * e as f64 + 2.0 {
                failed.push(format!(
                    "{} with {method}: {actual:?}, expected at most {expected:?} and a tenth",
                    p.name
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
