//! The automatic choice of method: explicit where that is enough, implicit where it is not.

use kausal_solver::{ClassicalStep, Integrator, Method, Ode, Options, Statistics};

#[path = "common/ivp.rs"]
mod ivp;

fn run(problem: &ivp::Problem, method: Method, tolerance: f64) -> Statistics {
    let model = ClassicalStep::new(problem);
    let mut integrator =
        Integrator::new(method, Options::tolerance(tolerance, tolerance), model, 0.0, &problem.x0).unwrap();
    integrator.integrate_to(problem.t_end).unwrap();
    integrator.statistics()
}

#[test]
fn stiff_problems_change_to_bdf_and_others_do_not() {
    for problem in [ivp::robertson(), ivp::hires(), ivp::e5(), ivp::pollution()] {
        let s = run(&problem, Method::Auto, 1e-6);
        assert_eq!(s.switches, 1, "{}: {s:?}", problem.name);
    }
    for problem in [ivp::pleiades(), ivp::arenstorf()] {
        let s = run(&problem, Method::Auto, 1e-6);
        assert_eq!((s.switches, s.work.jacobians), (0, 0), "{}", problem.name);
    }
}

/// At tight tolerances accuracy and stability limit the explicit step alike; a trial of BDF finds out which
/// is better.
#[test]
fn a_trial_finds_hidden_stiffness() {
    let auto = run(&ivp::robertson(), Method::Auto, 1e-10);
    let bdf = run(&ivp::robertson(), Method::Bdf, 1e-10);
    assert!(auto.work.rhs_evaluations < 2 * bdf.work.rhs_evaluations, "{auto:?}");
}

/// Stiff only in the middle: there and back again.
#[test]
fn stiffness_that_passes() {
    let f = |t: f64, x: &[f64], dx: &mut [f64]| {
        // The rate rises from 1 to 10,000 around t = 20 and falls again around t = 40.
        let rate = 1.0 + 1e4 * 0.25 * (1.0 + (t - 20.0).tanh()) * (1.0 - (t - 40.0).tanh());
        dx[0] = -rate * (x[0] - t.cos()) - t.sin();
    };
    for tolerance in [1e-4, 1e-7] {
        let model = ClassicalStep::new(Ode::new(1, f));
        let mut integrator =
            Integrator::new(Method::Auto, Options::tolerance(tolerance, tolerance), model, 0.0, &[1.0])
                .unwrap();
        integrator.integrate_to(200.0).unwrap();
        let s = integrator.statistics();
        assert!((integrator.x()[0] - 200f64.cos()).abs() < 100.0 * tolerance);
        assert!(s.switches >= 2 && s.switches <= 6 && s.switches % 2 == 0, "{s:?}");
    }
}

/// An oscillator with a large step is not stiff, however close to the border of stability it runs.
#[test]
fn an_oscillator_stays_explicit() {
    let f = |_: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = x[1];
        dx[1] = -x[0];
    };
    for tolerance in [1e-2, 1e-4, 1e-8] {
        let options = Options::tolerance(tolerance, tolerance);
        let mut auto = Integrator::new(
            Method::Auto,
            options.clone(),
            ClassicalStep::new(Ode::new(2, f)),
            0.0,
            &[0.0, 1.0],
        )
        .unwrap();
        auto.integrate_to(1000.0).unwrap();
        let mut explicit =
            Integrator::new(Method::Tsitouras, options, ClassicalStep::new(Ode::new(2, f)), 0.0, &[0.0, 1.0])
                .unwrap();
        explicit.integrate_to(1000.0).unwrap();
        let (a, e) = (auto.statistics(), explicit.statistics());
        // Trials may cost a little.
        assert!(
            a.work.rhs_evaluations as f64 <= 1.2 * e.work.rhs_evaluations as f64 + 200.0,
            "{tolerance:e}: {a:?} {e:?}"
        );
    }
}

/// An event after every step does not hide that a model is stiff.
#[test]
fn stiffness_is_seen_across_events() {
    let f = |t: f64, x: &[f64], dx: &mut [f64]| dx[0] = -1e4 * (x[0] - t.cos()) - t.sin();
    let model = ClassicalStep::new(Ode::new(1, f));
    let mut integrator =
        Integrator::new(Method::Auto, Options::tolerance(1e-4, 1e-4), model, 0.0, &[1.0]).unwrap();
    for _ in 0..200 {
        let t = integrator.step(100.0).unwrap().t;
        let x = integrator.x().to_vec();
        integrator.restart(t, &x);
    }
    assert_eq!(integrator.statistics().switches, 1);
}

/// A trial of BDF that ends at an event leaves the explicit method without a last step.
#[test]
fn trials_end_at_events() {
    let f = |_: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = x[1];
        dx[1] = -x[0];
    };
    let model = ClassicalStep::new(Ode::new(2, f));
    let mut integrator =
        Integrator::new(Method::Auto, Options::tolerance(1e-2, 1e-2), model, 0.0, &[0.0, 1.0]).unwrap();
    for _ in 0..1000 {
        let before = integrator.t();
        let t = integrator.step(1e6).unwrap().t;
        assert!(t > before, "no progress at {t}");
        // Events in trials only.
        if integrator.statistics().switches % 2 == 1 {
            let x = integrator.x().to_vec();
            integrator.restart(t, &x);
        }
    }
    assert!(integrator.statistics().switches >= 2, "{:?}", integrator.statistics());
}

/// After each event the first step is a guess, and rejected here: that alone does not make a model stiff.
#[test]
fn steps_rejected_after_events_are_no_reason_for_a_trial() {
    // Flat where a step begins, steep behind.
    let f = |t: f64, _: &[f64], dx: &mut [f64]| dx[0] = (4.0 * (t - t.floor())).powi(4).sin();
    let model = ClassicalStep::new(Ode::new(1, f));
    let mut integrator =
        Integrator::new(Method::Auto, Options::tolerance(1e-4, 1e-4), model, 0.0, &[0.0]).unwrap();
    for k in 0..400 {
        integrator.integrate_to(f64::from(k) + 0.495).unwrap();
        integrator.restart(f64::from(k + 1), &[0.0]);
    }
    let statistics = integrator.statistics();
    assert!(3 * statistics.rejected >= statistics.steps, "{statistics:?}");
    assert_eq!(statistics.switches, 0);
}

/// A state that follows another one closely, with a difference far below the tolerance, and events on the way: what the steps
/// behind them leave there stays as small as the difference itself. An explicit step would multiply it.
#[test]
fn new_starts_leave_stiff_states_where_they_are() {
    const RATE: f64 = 4.4e5;
    const SLOPE: f64 = -7.0;
    let lag = -SLOPE / RATE;
    let f = |_: f64, x: &[f64], dx: &mut [f64]| {
        dx[0] = RATE * (x[1] - x[0]);
        dx[1] = SLOPE;
        // Something that makes steps of higher order worth while.
        dx[2] = 50.0 * x[3];
        dx[3] = -50.0 * x[2];
    };
    let options = Options::tolerance(1e-8, 1e-8);
    let model = ClassicalStep::new(Ode::new(4, f));
    let mut bdf = Integrator::new(Method::Bdf, options, model, 0.0, &[6e5 + lag, 6e5, 0.0, 1.0]).unwrap();
    bdf.integrate_to(1.0).unwrap();
    for event in 0..20 {
        let t = 1.0 + 5e-5 * f64::from(event);
        let y = 6e5 + SLOPE * t;
        bdf.restart(t, &[y + 1.3 * lag, y, (50.0 * t).sin(), (50.0 * t).cos()]);
        for _ in 0..3 {
            let limit = bdf.t() + 1.0;
            bdf.step(limit).unwrap();
            let difference = bdf.x()[0] - bdf.x()[1];
            assert!((difference - lag).abs() < 0.5 * lag, "event {event}: {difference:e}, {lag:e}");
        }
    }
}
