//! Measured orders: halving the step divides the error by `2^order`, at the end of the steps and between
//! them.

use kausal_solver::{ClassicalStep, Integrator, Method, ModelError, OdeModel, Options};

/// `x' = A (x - φ(t)) + φ'(t)` with the solution `φ`. Linear, so that Newton's iteration is exact and only
/// the method's error is left.
struct Linear;

const A: [[f64; 2]; 2] = [[-1.0, 2.0], [-0.5, -1.5]];

fn phi(t: f64) -> [f64; 2] {
    [t.sin() + 2.0, (2.0 * t).cos()]
}

impl OdeModel for Linear {
    fn n(&self) -> usize {
        2
    }
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        let p = phi(t);
        let slope = [t.cos(), -2.0 * (2.0 * t).sin()];
        for i in 0..2 {
            dx[i] = A[i][0] * (x[0] - p[0]) + A[i][1] * (x[1] - p[1]) + slope[i];
        }
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, _: f64, _: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        values.copy_from_slice(&[A[0][0], A[1][0], A[0][1], A[1][1]]);
        Ok(())
    }
}

/// A circular orbit in the field of a central mass: the solution is `(cos t, sin t, -sin t, cos t)`.
struct Orbit;

impl OdeModel for Orbit {
    fn n(&self) -> usize {
        4
    }
    fn rhs(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        let cube = (x[0] * x[0] + x[1] * x[1]).powf(1.5);
        dx.copy_from_slice(&[x[2], x[3], -x[0] / cube, -x[1] / cube]);
        Ok(())
    }
}

/// Steps of exactly `h`: no error is too large, and no step may be larger.
fn constant_steps(h: f64) -> Options {
    Options {
        rtol: 0.9,
        atol: 1e9,
        initial_step: Some(h),
        max_step: h,
        fixed_step: Some(h),
        ..Options::default()
    }
}

/// Largest errors at the ends of the steps and inside them.
fn errors(method: Method, steps: u32) -> (f64, f64) {
    let t_end = 2.0;
    let h = t_end / f64::from(steps);
    let mut integrator =
        Integrator::new(method, constant_steps(h), ClassicalStep::new(Linear), 0.0, &phi(0.0)).unwrap();
    let (mut at_ends, mut between): (f64, f64) = (0.0, 0.0);
    let mut x = [0.0; 2];
    while integrator.t() < t_end {
        let report = integrator.step(t_end).unwrap();
        let exact = phi(report.t);
        at_ends = at_ends.max((integrator.x()[0] - exact[0]).abs()).max((integrator.x()[1] - exact[1]).abs());
        for part in [0.25, 0.5, 0.8] {
            let t = report.t_old + part * (report.t - report.t_old);
            integrator.interpolate(t, &mut x);
            let exact = phi(t);
            between = between.max((x[0] - exact[0]).abs()).max((x[1] - exact[1]).abs());
        }
    }
    assert_eq!(integrator.statistics().steps, u64::from(steps));
    (at_ends, between)
}

#[test]
fn errors_fall_with_the_order_of_the_method() {
    // Method, order at the ends of the steps, order of the largest error between them (one more than that of
    // the polynomial's derivative, and not more than that at the ends).
    let cases = [
        (Method::ExplicitEuler, 1.0, 1.0),
        (Method::ImplicitEuler, 1.0, 1.0),
        (Method::Trapezoidal, 2.0, 2.0),
        (Method::RungeKutta4, 4.0, 4.0),
        (Method::DormandPrince, 5.0, 5.0),
        (Method::Tsitouras, 5.0, 5.0),
        (Method::Esdirk3, 3.0, 3.0),
        (Method::Esdirk4, 4.0, 4.0),
        (Method::Rosenbrock, 4.0, 4.0),
        (Method::Radau, 5.0, 4.0),
        // Between the steps it is a cubic.
        (Method::FixedRadau, 5.0, 4.0),
    ];
    for (method, order, dense_order) in cases {
        let steps = if order >= 4.0 { 20 } else { 80 };
        let (coarse, coarse_between) = errors(method, steps);
        let (fine, fine_between) = errors(method, 2 * steps);
        let measured = (coarse / fine).log2();
        let measured_between = (coarse_between / fine_between).log2();
        assert!((measured - order).abs() < 0.3, "{method}: order {measured:.2} instead of {order}");
        assert!(
            measured_between > dense_order - 0.3,
            "{method}: order {measured_between:.2} between the steps"
        );
    }
}

/// The backward differentiation formulas, each by itself. Their past at the start is of order four or better.
#[test]
fn formulas_of_one_order_have_that_order() {
    for order in 1..=5u8 {
        let error = |steps: u32| {
            let h = 2.0 / f64::from(steps);
            let options = Options { max_order: usize::from(order), ..constant_steps(h) };
            let model = ClassicalStep::new(Linear);
            let mut integrator = Integrator::new(Method::FixedBdf, options, model, 0.0, &phi(0.0)).unwrap();
            let (mut at_ends, mut between, mut x): (f64, f64, _) = (0.0, 0.0, [0.0; 2]);
            while integrator.t() < 2.0 {
                let report = integrator.step(2.0).unwrap();
                let exact = phi(report.t);
                at_ends = at_ends.max((integrator.x()[0] - exact[0]).abs());
                if report.order == usize::from(order) {
                    let t = 0.5 * (report.t_old + report.t);
                    integrator.interpolate(t, &mut x);
                    between = between.max((x[0] - phi(t)[0]).abs());
                }
            }
            assert_eq!(integrator.statistics().steps, u64::from(steps));
            (at_ends, between)
        };
        let ((coarse, coarse_between), (fine, fine_between)) = (error(80), error(160));
        for (what, measured) in
            [("at", (coarse / fine).log2()), ("between", (coarse_between / fine_between).log2())]
        {
            assert!(
                (measured - f64::from(order)).abs() < 0.4,
                "order {order}: {measured:.2} {what} the ends"
            );
        }
    }
}

/// A limit off the grid: the step to it and the one back to the grid are no steps of the formula, and nothing is lost by them.
#[test]
fn limits_off_the_grid_cost_no_order() {
    let error = |steps: u32| {
        let h = 2.0 / f64::from(steps);
        let options = Options { max_order: 3, ..constant_steps(h) };
        let mut integrator =
            Integrator::new(Method::FixedBdf, options, ClassicalStep::new(Linear), 0.0, &phi(0.0)).unwrap();
        for limit in [0.7123, 2.0] {
            integrator.integrate_to(limit).unwrap();
        }
        // One step is cut in two.
        assert_eq!(integrator.statistics().steps, u64::from(steps) + 1);
        (integrator.x()[0] - phi(2.0)[0]).abs()
    };
    let measured = (error(80) / error(160)).log2();
    assert!((measured - 3.0).abs() < 0.4, "{measured:.2}");
}

#[test]
fn explicit_methods_keep_their_order_on_nonlinear_models() {
    let run = |method: Method, steps: u32| {
        let h = 3.0 / f64::from(steps);
        let start = [1.0, 0.0, 0.0, 1.0];
        let mut integrator =
            Integrator::new(method, constant_steps(h), ClassicalStep::new(Orbit), 0.0, &start).unwrap();
        let mut error: f64 = 0.0;
        while integrator.t() < 3.0 {
            integrator.step(3.0).unwrap();
            let (t, x) = (integrator.t(), integrator.x());
            error = error.max((x[0] - t.cos()).abs()).max((x[1] - t.sin()).abs());
        }
        error
    };
    for (method, order) in
        [(Method::DormandPrince, 5.0), (Method::Tsitouras, 5.0), (Method::RungeKutta4, 4.0)]
    {
        let measured = (run(method, 50) / run(method, 100)).log2();
        // Symmetric orbits are kind to some formulas; none may be worse than its order.
        assert!(measured > order - 0.3, "{method}: {measured:.2}");
    }
}

/// With a tolerance instead of a step: the error falls with the tolerance for every method that controls it.
#[test]
fn errors_follow_the_tolerance() {
    for (method, _) in Method::ALL.into_iter().filter(|(m, _)| !m.is_fixed_step()) {
        let mut last = f64::INFINITY;
        for exponent in [3, 5, 7, 9] {
            let tolerance = 10f64.powi(-exponent);
            let mut integrator = Integrator::new(
                method,
                Options::tolerance(tolerance, tolerance),
                ClassicalStep::new(Linear),
                0.0,
                &phi(0.0),
            )
            .unwrap();
            let mut error: f64 = 0.0;
            let mut x = [0.0; 2];
            while integrator.t() < 10.0 {
                let report = integrator.step(10.0).unwrap();
                for k in 1..=4 {
                    let t = report.t_old + 0.25 * f64::from(k) * (report.t - report.t_old);
                    integrator.interpolate(t, &mut x);
                    let exact = phi(t);
                    error = error.max((x[0] - exact[0]).abs()).max((x[1] - exact[1]).abs());
                }
            }
            assert!(error < 100.0 * tolerance, "{method} at {tolerance:e}: error {error:e}");
            assert!(error < 0.3 * last, "{method} at {tolerance:e}: error {error:e} after {last:e}");
            last = error;
        }
    }
}

/// A step that a limit cuts short does not move the grid: the next one ends on it.
#[test]
fn fixed_steps_stay_on_their_grid() {
    for method in [
        Method::ExplicitEuler,
        Method::RungeKutta4,
        Method::ImplicitEuler,
        Method::Trapezoidal,
        Method::FixedBdf,
        Method::FixedRadau,
    ] {
        let model = ClassicalStep::new(Linear);
        let mut integrator = Integrator::new(method, constant_steps(0.1), model, 0.0, &phi(0.0)).unwrap();
        let mut ends = Vec::new();
        for limit in [1.0, 0.15, 1.0, 1.0] {
            ends.push(integrator.step(limit).unwrap().t);
        }
        for (end, expected) in ends.iter().zip([0.1, 0.15, 0.2, 0.3]) {
            assert!((end - expected).abs() < 1e-12, "{method}: {ends:?}");
        }
    }
}
