//! What must go wrong, goes wrong with the right words.

use kausal_solver::{
    ClassicalStep, Integrator, Method, ModelError, Ode, OdeModel, Options, Reason, Recoverable, SolverError,
    StepModel, StepObstacle, StepRequest,
};

fn adaptive() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().map(|(m, _)| m).filter(|m| !m.is_fixed_step())
}

fn run<M: OdeModel>(
    method: Method,
    options: Options,
    model: M,
    x0: &[f64],
    t_end: f64,
) -> Result<Vec<f64>, SolverError> {
    let mut integrator = Integrator::new(method, options, ClassicalStep::new(model), 0.0, x0)?;
    integrator.integrate_to(t_end)?;
    Ok(integrator.x().to_vec())
}

/// `x' = x²` from 1 is infinite at t = 1; the second state is harmless.
#[test]
fn a_pole_stops_the_integration_there_and_names_the_state() {
    for method in adaptive() {
        let model = Ode::new(2, |_, x: &[f64], dx: &mut [f64]| {
            dx[0] = -x[0];
            dx[1] = x[1] * x[1];
        });
        match run(method, Options::default(), model, &[1.0, 1.0], 2.0) {
            Err(SolverError::StepSizeTooSmall { t, obstacle, .. }) => {
                assert!((t - 1.0).abs() < 1e-4, "{method}: {t}");
                match obstacle {
                    StepObstacle::ErrorTest { state, .. } | StepObstacle::NotFinite { state } => {
                        assert_eq!(state, 1, "{method}: {obstacle}")
                    }
                    StepObstacle::Model(_) => {}
                }
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}

struct Tank {
    fatal: bool,
}

/// A tank runs empty: the square root of a negative level is outside its domain.
impl OdeModel for Tank {
    fn n(&self) -> usize {
        1
    }
    fn rhs(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        if x[0] < 0.0 {
            return Err(if self.fatal {
                ModelError::fatal("the tank is empty")
            } else {
                ModelError::recoverable(Reason::OutsideDomain)
            });
        }
        dx[0] = -1.0 - x[0].sqrt();
        Ok(())
    }
}

#[test]
fn the_end_of_a_domain_is_approached_and_reported() {
    // The level is zero at t = 2 - 2 ln 2 = 0.613705639 (x = 1, u = √x: 2u/(1+u) du = -dt).
    for method in adaptive() {
        match run(method, Options::default(), Tank { fatal: false }, &[1.0], 2.0) {
            Err(SolverError::StepSizeTooSmall { t, obstacle: StepObstacle::Model(e), .. }) => {
                assert!((t - 0.613_705_639).abs() < 1e-4, "{method}: {t}");
                assert!(matches!(e.reason, Reason::OutsideDomain | Reason::NoConvergence), "{method}: {e}");
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}

#[test]
fn fatal_errors_of_the_model_pass_through() {
    for (method, _) in Method::ALL {
        let options = Options { fixed_step: Some(0.01), ..Options::default() };
        match run(method, options, Tank { fatal: true }, &[1.0], 2.0) {
            Err(SolverError::Model { source, .. }) => assert_eq!(source.to_string(), "the tank is empty"),
            other => panic!("{method}: {other:?}"),
        }
    }
}

#[test]
fn not_a_number_at_the_start_names_the_state() {
    for (method, _) in Method::ALL {
        let options = Options { fixed_step: Some(0.01), ..Options::default() };
        let model = Ode::new(2, |_, x: &[f64], dx: &mut [f64]| {
            dx[0] = x[0];
            dx[1] = (x[0] - 2.0).sqrt();
        });
        match run(method, options.clone(), model, &[1.0, 1.0], 1.0) {
            Err(SolverError::BadStart { t, obstacle: StepObstacle::NotFinite { state: 1 } }) => {
                assert_eq!(t, 0.0)
            }
            other => panic!("{method}: {other:?}"),
        }
        let model = Ode::new(1, |_, x: &[f64], dx: &mut [f64]| dx[0] = x[0]);
        match run(method, options, model, &[f64::NAN], 1.0) {
            Err(SolverError::BadStart { obstacle: StepObstacle::NotFinite { state: 0 }, .. }) => {}
            other => panic!("{method}: {other:?}"),
        }
    }
}

#[test]
fn not_a_number_on_the_way_names_the_state() {
    for (method, _) in Method::ALL {
        // Beyond t = 0.5 the first derivative does not exist, whatever the step.
        let model = Ode::new(2, |t, x: &[f64], dx: &mut [f64]| {
            dx[0] = if t > 0.5 { f64::NAN } else { 1.0 };
            dx[1] = -x[1];
        });
        let options = Options { fixed_step: Some(0.01), ..Options::default() };
        match run(method, options, model, &[0.0, 1.0], 1.0) {
            Err(SolverError::StepSizeTooSmall { t, obstacle, .. }) => {
                assert!(t > 0.48 && t <= 0.51, "{method}: {t}");
                match obstacle {
                    StepObstacle::NotFinite { state } => assert_eq!(state, 0, "{method}"),
                    StepObstacle::Model(e) => {
                        assert!(matches!(e.component, Some(0) | None), "{method}: {e}");
                    }
                    StepObstacle::ErrorTest { .. } => panic!("{method}: {obstacle}"),
                }
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}

#[test]
fn the_number_of_steps_is_limited() {
    for (method, _) in Method::ALL {
        let model = Ode::new(1, |t: f64, _: &[f64], dx: &mut [f64]| dx[0] = (100.0 * t).sin());
        let options = Options { fixed_step: Some(0.01), max_steps: Some(20), ..Options::default() };
        match run(method, options, model, &[0.0], 100.0) {
            Err(SolverError::TooManySteps { steps: 20, t }) => assert!(t > 0.0 && t < 100.0),
            other => panic!("{method}: {other:?}"),
        }
    }
}

#[test]
fn options_are_checked() {
    let model = || ClassicalStep::new(Ode::new(1, |_, x: &[f64], dx: &mut [f64]| dx[0] = -x[0]));
    let bad = [
        Options { rtol: -1.0, ..Options::default() },
        Options { rtol: f64::NAN, ..Options::default() },
        Options { rtol: 0.0, atol: 0.0, ..Options::default() },
        Options { max_step: 0.0, ..Options::default() },
        Options { max_order: 6, ..Options::default() },
        Options { initial_step: Some(0.0), ..Options::default() },
    ];
    for options in bad {
        let result = Integrator::new(Method::Bdf, options.clone(), model(), 0.0, &[1.0]);
        assert!(matches!(result, Err(SolverError::InvalidOption { .. })), "{options:?}");
    }
    let result = Integrator::new(Method::RungeKutta4, Options::default(), model(), 0.0, &[1.0]);
    assert!(matches!(result, Err(SolverError::InvalidOption { .. })), "a fixed step is needed");
    let result = Integrator::new(Method::Bdf, Options::default(), model(), 0.0, &[1.0, 2.0]);
    assert!(matches!(result, Err(SolverError::InvalidOption { .. })), "the start has two values");
    let mut integrator = Integrator::new(Method::Bdf, Options::default(), model(), 1.0, &[1.0]).unwrap();
    assert!(
        matches!(integrator.step(1.0), Err(SolverError::InvalidOption { .. })),
        "time does not stand still"
    );
    assert!(matches!(integrator.step(f64::NAN), Err(SolverError::InvalidOption { .. })));
}

#[test]
fn methods_that_need_more_than_steps_say_so() {
    struct OnlySteps;
    impl StepModel for OnlySteps {
        fn n(&self) -> usize {
            1
        }
        fn step(&mut self, request: &StepRequest, x: &mut [f64], dx: &mut [f64]) -> Result<(), ModelError> {
            x[0] = request.old[0] / (1.0 + request.h);
            dx[0] = -x[0];
            Ok(())
        }
        fn derivative(&mut self, _: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
            dx[0] = -x[0];
            Ok(())
        }
    }
    for (method, _) in Method::ALL {
        let options = Options { fixed_step: Some(0.001), ..Options::default() };
        match Integrator::new(method, options, OnlySteps, 0.0, &[1.0]) {
            Err(SolverError::Unsupported { .. }) => {
                assert!(matches!(method, Method::Radau | Method::FixedRadau | Method::Rosenbrock))
            }
            Err(other) => panic!("{method}: {other}"),
            Ok(mut integrator) => {
                integrator.integrate_to(1.0).unwrap();
                assert!((integrator.x()[0] - (-1f64).exp()).abs() < 1e-3, "{method}");
            }
        }
    }
}

/// A model without states goes straight to the limit.
#[test]
fn no_states() {
    for (method, _) in Method::ALL {
        let options = Options { fixed_step: Some(0.5), ..Options::default() };
        let model = Ode::new(0, |_, _: &[f64], _: &mut [f64]| {});
        let x = run(method, options, model, &[], 10.0).unwrap_or_else(|e| panic!("{method}: {e}"));
        assert!(x.is_empty());
    }
}

/// A right-hand side that jumps without telling: the step is found, not refused.
#[test]
fn unannounced_jumps_are_passed() {
    for method in adaptive() {
        let model = Ode::new(1, |t: f64, _: &[f64], dx: &mut [f64]| dx[0] = if t < 1.0 { 1.0 } else { -1e6 });
        let x = run(method, Options::tolerance(1e-6, 1e-6), model, &[0.0], 2.0)
            .unwrap_or_else(|e| panic!("{method}: {e}"));
        assert!((x[0] - (1.0 - 1e6)).abs() < 10.0, "{method}: {}", x[0]);
    }
}

#[test]
fn errors_are_readable() {
    let e = SolverError::StepSizeTooSmall {
        t: 0.5,
        h: 1e-20,
        obstacle: StepObstacle::ErrorTest { state: 3, error: 12.5 },
    };
    assert_eq!(
        e.to_string(),
        "at time 0.5 no step of size 1.000e-20 or more succeeds: the error test fails (1.250e1 > 1), mostly because of state 3"
    );
    let obstacle = StepObstacle::Model(Recoverable::at(Reason::NoConvergence, 2));
    assert_eq!(obstacle.to_string(), "the iteration did not converge, mostly because of state 2");
    assert_eq!("bdf".parse::<Method>(), Ok(Method::Bdf));
    assert!("gear".parse::<Method>().unwrap_err().to_string().contains("trapezoidal"));
}
