//! An event loop as a user of this crate would write it: integrate, look for events in the step, restart.

use kausal_solver::events::{Chattering, Crossing, Direction, EventFinder};
use kausal_solver::{ClassicalStep, Integrator, Method, Ode, OdeModel, Options};

/// Runs to `t_end`; at each event `handle(t, crossings, x)` changes the state. Returns the times of the
/// events.
fn run<M: OdeModel>(
    mut integrator: Integrator<ClassicalStep<M>>,
    t_end: f64,
    functions: usize,
    indicators: impl Fn(f64, &[f64], &mut [f64]),
    mut handle: impl FnMut(f64, &[Crossing], &mut [f64]) -> bool,
) -> Vec<f64> {
    let mut finder = EventFinder::new(functions);
    let mut x = integrator.x().to_vec();
    let mut values = vec![0.0; functions];
    indicators(integrator.t(), &x, &mut values);
    finder.start(&values);
    let mut times = Vec::new();
    while integrator.t() < t_end {
        let report = integrator.step(t_end).unwrap();
        let found = finder
            .search(report.t_old, report.t, |t, g| {
                integrator.interpolate(t, &mut x);
                indicators(t, &x, g);
                Ok(())
            })
            .unwrap();
        if let Some(t) = found {
            integrator.interpolate(t, &mut x);
            times.push(t);
            if !handle(t, finder.crossings(), &mut x) {
                break;
            }
            indicators(t, &x, &mut values);
            finder.start(&values);
            integrator.restart(t, &x);
        }
    }
    times
}

/// Bounces of a ball from one metre with restitution 0.8 are known in closed form: the first after √(2/g),
/// the following after 2·0.8ⁿ times as long.
#[test]
fn a_bouncing_ball_bounces_when_it_should() {
    const G: f64 = 9.81;
    const E: f64 = 0.8;
    for (method, _) in Method::ALL.into_iter().filter(|(m, _)| *m != Method::ExplicitEuler) {
        let model = Ode::new(2, |_, x: &[f64], dx: &mut [f64]| {
            dx[0] = x[1];
            dx[1] = -G;
        });
        let options = Options { fixed_step: Some(1e-3), max_step: 0.1, ..Options::tolerance(1e-9, 1e-9) };
        let integrator =
            Integrator::new(method, options, ClassicalStep::new(model), 0.0, &[1.0, 0.0]).unwrap();
        let mut bounces = Vec::new();
        let times = run(
            integrator,
            4.0,
            1,
            |_, x, g| g[0] = -x[0],
            |t, crossings, x| {
                // The way up through zero height is an event too, and nothing happens.
                if crossings[0].direction == Direction::Rising && x[1] < 0.0 {
                    x[1] *= -E;
                    bounces.push(t);
                }
                bounces.len() < 8
            },
        );
        assert!(times.len() >= 8);
        let fall = (2.0 / G).sqrt();
        let mut expected = fall;
        // Implicit Euler with a millisecond loses a hundredth of the energy in each flight.
        let bound = if method == Method::ImplicitEuler { 5e-2 } else { 1e-6 };
        for (k, t) in bounces.iter().enumerate() {
            assert!((t - expected).abs() < bound, "{method}: bounce {k} at {t}, expected {expected}");
            expected += 2.0 * fall * E.powi(k as i32 + 1);
        }
        assert_eq!(bounces.len(), 8);
    }
}

/// A sine crosses zero at multiples of π, in alternating directions; two functions at once when they are
/// opposite.
#[test]
fn crossings_of_an_oscillator() {
    for method in [
        Method::Bdf,
        Method::Radau,
        Method::DormandPrince,
        Method::Tsitouras,
        Method::Esdirk4,
        Method::Rosenbrock,
    ] {
        let model = Ode::new(2, |_, x: &[f64], dx: &mut [f64]| {
            dx[0] = x[1];
            dx[1] = -x[0];
        });
        let options = Options::tolerance(1e-10, 1e-10);
        let integrator =
            Integrator::new(method, options, ClassicalStep::new(model), 0.0, &[0.0, 1.0]).unwrap();
        let mut log = Vec::new();
        let times = run(
            integrator,
            20.0,
            3,
            |_, x, g| g.copy_from_slice(&[x[0], -x[0], x[0] - 2.0]),
            |t, crossings, _| {
                log.push((t, crossings.to_vec()));
                true
            },
        );
        // From zero upwards the first function rises at once, since zero is not positive.
        assert!(times[0] < 1e-9, "{method}: {times:?}");
        for (k, (t, crossings)) in log.iter().enumerate().skip(1) {
            let expected = k as f64 * std::f64::consts::PI;
            assert!((t - expected).abs() < 1e-6, "{method}: {t}, expected {expected}");
            assert_eq!(crossings.len(), 2, "{method}: both functions at {t}");
            let direction = if k % 2 == 1 { Direction::Falling } else { Direction::Rising };
            assert_eq!(crossings[0], Crossing { index: 0, direction });
        }
        assert_eq!(log.len(), 7, "{method}");
    }
}

/// Sliding mode: x' = -1 above zero and +1 below it. Every step ends at once with another event.
#[test]
fn chattering_is_detected() {
    let side = std::cell::Cell::new(1.0);
    let model = Ode::new(1, |_, _: &[f64], dx: &mut [f64]| dx[0] = -side.get());
    let integrator =
        Integrator::new(Method::Bdf, Options::default(), ClassicalStep::new(model), 0.0, &[0.5]).unwrap();
    let mut watch = Chattering::new(1, 100, 1e-6);
    let mut report = None;
    run(
        integrator,
        10.0,
        1,
        |_, x, g| g[0] = x[0],
        |t, crossings, _| {
            side.set(if crossings[0].direction == Direction::Rising { 1.0 } else { -1.0 });
            report = watch.record(t, crossings);
            report.is_none()
        },
    );
    let report = report.expect("chattering");
    assert!((report.from - 0.5).abs() < 1e-5, "{report:?}");
    assert_eq!(report.functions, [(0, 100)]);
}

/// Steps end exactly at the limits given, and go on as if nothing had been.
#[test]
fn time_events_are_exact() {
    for (method, _) in Method::ALL {
        let model = Ode::new(1, |_, x: &[f64], dx: &mut [f64]| dx[0] = -x[0]);
        let options = Options { fixed_step: Some(0.03), ..Options::default() };
        let mut integrator =
            Integrator::new(method, options, ClassicalStep::new(model), 0.0, &[1.0]).unwrap();
        for limit in [0.1, 1.0 / 3.0, 0.333_333_4, 0.7, 5.0] {
            loop {
                let report = integrator.step(limit).unwrap();
                assert!(report.t <= limit);
                if report.at_limit {
                    break;
                }
            }
            assert_eq!(integrator.t(), limit, "{method}");
        }
        let tolerance = if method.is_fixed_step() { 1e-2 } else { 1e-5 };
        assert!((integrator.x()[0] - (-5f64).exp()).abs() < tolerance, "{method}");
    }
}

/// After an event BDF makes a new past with a Runge–Kutta step instead of small steps of order one. An oscillator that is kicked
/// every second has a closed form: it turns, and jumps.
#[test]
fn bdf_starts_again_with_a_past() {
    let run = |low_order_start: bool| {
        let model = ClassicalStep::new(Ode::new(2, |_, x: &[f64], dx: &mut [f64]| {
            dx.copy_from_slice(&[x[1], -x[0]]);
        }));
        let options = Options { low_order_start, ..Options::tolerance(1e-7, 1e-7) };
        let mut exact = [1.0, 0.0];
        let mut integrator = Integrator::new(Method::Bdf, options, model, 0.0, &exact).unwrap();
        let turned = |x: [f64; 2], t: f64| [x[0] * t.cos() + x[1] * t.sin(), x[1] * t.cos() - x[0] * t.sin()];
        let (mut error, mut orders, mut inside) = (0f64, Vec::new(), [0.0; 2]);
        for k in 1..=20 {
            let first = integrator.step(f64::from(k)).unwrap();
            orders.push(first.order);
            let middle = 0.5 * (first.t_old + first.t);
            integrator.interpolate(middle, &mut inside);
            error = error.max((inside[0] - turned(exact, middle - first.t_old)[0]).abs());
            integrator.integrate_to(f64::from(k)).unwrap();
            exact = turned(exact, 1.0);
            error = error.max((integrator.x()[0] - exact[0]).abs());
            exact[1] += 0.3;
            let kicked = [integrator.x()[0], integrator.x()[1] + 0.3];
            integrator.restart(f64::from(k), &kicked);
        }
        (integrator.statistics().steps, error, orders)
    };
    let ((few, error, orders), (many, low_error, low_orders)) = (run(false), run(true));
    assert!(3 * few < 2 * many, "{few} steps instead of {many}");
    assert!(error < 2e-4 && low_error < 2e-4, "errors {error:e} and {low_error:e}");
    // The first start knows nothing yet; Runge–Kutta steps are of order five.
    assert_eq!((orders[0], &orders[1..]), (1, &[5; 19][..]));
    assert!(low_orders.iter().all(|&order| order == 1));
}
