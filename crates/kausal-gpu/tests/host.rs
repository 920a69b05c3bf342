//! The text of kernels, compiled for this machine, against the simulator on cores: the same sweep on both. Skipped without a C++
//! compiler. The compiler looks after memory and arithmetic (`-fsanitize=address,undefined`).

mod support;

use std::sync::Arc;

use kausal::sweep::{Device, Distribution, Quantity, Report, Runs, Side, Status, Sweep, Values};
use kausal::{Method, Model};

/// A sweep on both: rows agree to a part of the size of their column. Gives what the device did.
fn agree(what: &str, tolerance: f64, sweep: impl Fn() -> Sweep<'static>) -> Option<(Report, Runs)> {
    let compiler = support::compiler()?;
    let cores = sweep().run().unwrap_or_else(|e| panic!("{what}: {e}"));
    let swept = sweep().device(Device::Cuda).engine(Arc::new(support::Compiler(compiler))).keep(true).sweep();
    let swept = swept.unwrap_or_else(|e| panic!("{what}: {e}"));
    let (report, runs) = (swept.device.expect("a device was asked for"), swept.runs);
    assert_eq!(runs.len(), cores.len(), "{what}");
    for run in 0..cores.len() {
        assert_eq!(
            runs.status(run),
            cores.status(run),
            "{what}: run {run}, {:?} {:?}",
            runs.reason(run),
            cores.reason(run)
        );
    }
    let compare = |name: &str, device: &[f64], core: &[f64]| {
        let size = core.iter().filter(|x| x.is_finite()).fold(1e-300f64, |size, x| size.max(x.abs()));
        for (run, (a, b)) in device.iter().zip(core).enumerate() {
            let close = (a - b).abs() <= tolerance * size || a.is_nan() && b.is_nan();
            assert!(close, "{what}: {name} of {run}: {a} on the device, {b} on a core");
        }
    };
    for q in cores.quantities() {
        compare(q, &runs.get(q).expect("a column"), &cores.get(q).expect("a column"));
    }
    for name in cores.traced() {
        for run in 0..cores.len() {
            let (a, b) = (runs.trajectory(run, name), cores.trajectory(run, name));
            compare(name, &a.expect("a trajectory"), &b.expect("a trajectory"));
        }
    }
    Some((report, runs))
}

fn model(text: &str) -> Model {
    Model::from_text(text).unwrap_or_else(|e| panic!("{e}"))
}

const LORENZ: &str = "model Lorenz parameter Real s = 10; parameter Real r = 28; parameter Real b = 8/3;
    Real x(start = 1, fixed = true); Real y(start = 1, fixed = true); Real z(start = 1, fixed = true);
    equation der(x) = s*(y - x); der(y) = x*(r - z) - y; der(z) = x*y - b*z; end Lorenz;";

#[test]
fn lorenz() {
    let model = model(LORENZ);
    let sweep = || {
        let sweep = model.sweep().vary("r", Values::linear(20.0, 30.0, 7)).vary("x", [0.5, 1.0, 2.0]);
        sweep.stop(1.0).tolerance(1e-9).method(Method::Tsitouras).last("x").last("z")
    };
    if let Some((report, _)) = agree("Lorenz", 1e-6, sweep) {
        assert_eq!((report.runs, report.again), (21, 0));
    }
}

/// All numbers and trajectories.
#[test]
fn everything_that_is_kept() {
    let model = model("model M parameter Real k = 1; Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
        Real e = 0.5*(v*v + k*x*x); Real minus = -x; equation der(x) = v; der(v) = -k*x - 0.1*v + sin(time); end M;");
    let sweep = || {
        let all = model.sweep().vary("k", Values::linear(0.5, 4.0, 9)).stop(5.0).tolerance(1e-8);
        let all = all.last("minus").min("x").max("e").mean("v").integral("minus");
        all.quantity(Quantity::When("v".into(), Side::Above, 0.3))
            .quantity(Quantity::When("x".into(), Side::Below, -0.4))
            .trajectories(["x", "e", "minus"], [0.0, 0.5, 1.0, 2.25, 5.0])
    };
    if let Some((report, _)) = agree("kept", 1e-6, sweep) {
        assert_eq!((report.runs, report.again), (9, 0));
    }
}

#[test]
fn a_bouncing_ball() {
    let model = model("model Ball parameter Real e = 0.8; parameter Real g = 9.81; Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
        Integer n(start = 0, fixed = true);
        equation der(h) = v; der(v) = -g; when h <= 0 then reinit(v, -e*pre(v)); n = pre(n) + 1; end when; end Ball;");
    let sweep = || {
        let sweep = model.sweep().vary("e", Values::linear(0.9, 0.95, 5)).vary("h", [0.8, 1.0]);
        sweep.stop(4.0).tolerance(1e-8).last("h").last("n").max("v").trajectories(["h"], [0.0, 1.0, 3.0, 4.0])
    };
    if let Some((report, _)) = agree("ball", 1e-6, sweep) {
        assert_eq!((report.runs, report.again), (10, 0));
    }
}

const STIFF: &str = "model VanDerPol parameter Real mu = 1000; Real x(start = 2, fixed = true); Real y(start = 0, fixed = true);
    equation der(x) = y; der(y) = mu*((1 - x*x)*y) - x; end VanDerPol;";

#[test]
fn stiff_models_are_made_by_the_implicit_method() {
    let model = model(STIFF);
    for method in [Method::Rosenbrock, Method::Auto] {
        let sweep = || {
            let sweep = model.sweep().vary("mu", Values::linear(500.0, 1000.0, 6)).stop(100.0);
            sweep.tolerance(1e-8).method(method).last("x").min("x")
        };
        if let Some((report, _)) = agree("van der Pol", 1e-5, sweep) {
            assert_eq!((report.runs, report.again), (6, 0), "{method:?}");
        }
    }
}

/// Time events, samples, discrete controllers, state events and a mixed system with friction.
#[test]
fn a_motor_with_control_and_friction() {
    let model = model("model Motor parameter Real J = 0.1; parameter Real k = 0.5; parameter Real friction = 0.2; parameter Real T = 0.05;
        Real w(start = 0, fixed = true); Real i(start = 0, fixed = true); discrete Real u(start = 0, fixed = true); discrete Real sum(start = 0, fixed = true);
        Real load = if time > 1 then 0.3 else 0; Boolean fast = w > 2;
        equation 0.01*der(i) = u - i - k*w; J*der(w) = k*i - load - friction*(if fast then 2 else w);
        when sample(0, T) then sum = pre(sum) + T*(3 - w); u = 4*(3 - w) + 2*sum; end when; end Motor;");
    let sweep = || {
        let sweep =
            model.sweep().vary("J", Distribution::Uniform(0.05, 0.2)).vary("k", [0.4, 0.6]).runs(8).seed(3);
        sweep.stop(2.0).tolerance(1e-8).last("w").last("u").max("i").mean("w")
    };
    if let Some((report, _)) = agree("motor", 1e-5, sweep) {
        assert_eq!((report.runs, report.again), (8, 0));
    }
}

/// A failing run is made again by a core, which says why.
#[test]
fn failures_are_rows() {
    let model = model(
        "model Decay parameter Real k = 1; Real x(start = 1, fixed = true);
        equation der(x) = -k*x; assert(k < 1.9, \"too fast\"); end Decay;",
    );
    let sweep = || model.sweep().vary("k", Values::linear(0.5, 2.5, 9)).last("x");
    if let Some((report, runs)) = agree("failures", 1e-5, sweep) {
        assert_eq!((report.runs, report.again), (6, 3));
        assert_eq!(runs.status(8), Some(Status::Failed));
        assert!(runs.reason(8).is_some_and(|why| why.contains("too fast")), "{:?}", runs.reason(8));
    }
}

/// Nonlinear and linear systems inside the right side, functions and tables.
#[test]
fn systems_and_functions() {
    let model = model("model M
        function f input Real x; input Real t[3]; output Real y; algorithm y := 0; for i in 1:3 loop y := y + t[i]*x^i; end for; end f;
        parameter Real a = 1; parameter Real c = 2; Real x(start = 0.3, fixed = true); Real y(start = 0.5); Real z; Real w; Real q;
        equation der(x) = -a*y + 0.1*z; y + 0.3*sin(y) + 0.1*y*y*y = x + q; z + a*w = x; c*z - w = y*x; q = f(x, {0.1, 0.2, -0.1}); end M;");
    let sweep = || {
        let sweep = model.sweep().vary("a", Values::linear(0.5, 2.0, 4)).vary("c", [1.0, 3.0]);
        sweep.stop(2.0).tolerance(1e-8).last("x").last("y").min("w")
    };
    if let Some((report, _)) = agree("systems", 1e-6, sweep) {
        assert_eq!((report.runs, report.again), (8, 0));
    }
}

/// A structural parameter has a translation, and a kernel, for each value that enough runs have; `terminate` has its message.
#[test]
fn translations_and_ends() {
    let model = model("model M parameter Integer n = 2; parameter Real k = 1; Real x[n](each start = 1, each fixed = true); Real y = sum(x);
        equation for i in 1:n loop der(x[i]) = -k*i*x[i]; end for; when y < 0.2 then terminate(\"small\"); end when; end M;");
    let sweep = || {
        let sweep = model.sweep().vary("n", [2.0, 3.0]).vary("k", Values::linear(0.5, 3.0, 70));
        sweep.stop(1.0).tolerance(1e-8).last("y")
    };
    if let Some((report, runs)) = agree("translations", 1e-5, sweep) {
        assert_eq!(report.kernels, 2);
        let ended = (0..runs.len()).filter(|&run| runs.status(run) == Some(Status::Terminated)).count();
        assert!(ended > 10 && report.again == ended as u64, "{ended} {report:?}");
        assert_eq!(runs.reason(runs.len() - 1), Some("small"));
    }
}

/// Impacts that follow each other ever faster are left to the cores, and so is what cannot be evaluated.
#[test]
fn what_a_thread_gives_up() {
    let model = model(
        "model M parameter Real e = 0.5; Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
        equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -e*pre(v)); end when; end M;",
    );
    let Some(compiler) = support::compiler() else { return };
    let sweep = model.sweep().vary("e", [0.3, 0.5, 0.9]).stop(2.0).last("v").device(Device::Cuda);
    let swept = sweep.engine(Arc::new(support::Compiler(compiler))).keep(true).sweep().expect("a sweep");
    let report = swept.device.expect("a device was asked for");
    assert_eq!((report.runs, report.again), (1, 2));
}

/// What no thread can do is said, and `auto` does it on the cores.
#[test]
fn refusals_have_reasons() {
    let rest = "equation der(x) = -k*x; end M;";
    let begin = "model M parameter Real k = 1; Real x(start = 1, fixed = true);";
    for (more, why) in
        [("Real y = delay(x, 0.1);", "delays"), ("discrete Real s = sample(x, Clock(0.1));", "clocks")]
    {
        let model = model(&format!("{begin} {more} {rest}"));
        let sweep =
            || model.sweep().vary("k", [1.0, 2.0]).last("x").engine(Arc::new(support::Compiler("none")));
        let refused = sweep().device(Device::Cuda).run().expect_err("refused").to_string();
        assert!(refused.contains(why), "{refused}");
        let swept = sweep().device(Device::Auto).keep(true).sweep().expect("a sweep");
        let said = swept.device.and_then(|report| report.refused).unwrap_or_default();
        assert!(said.contains(why) && swept.runs.failed() == 0, "{said}");
    }
    let smooth = model(&format!("{begin} {rest}"));
    let refused = smooth.sweep().vary("k", [1.0]).last("x").method(Method::Radau).device(Device::Cuda);
    let refused = refused.engine(Arc::new(support::Compiler("none"))).run().expect_err("refused").to_string();
    assert!(refused.contains("radau"), "{refused}");
}
