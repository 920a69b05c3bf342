//! Linearisations against matrices that were differentiated by hand.

use kausal::linearize::Linearization;
use kausal::{ErrorKind, Model, Setting};

fn model(text: &str) -> Model {
    Model::from_text(text).expect("a model")
}

#[track_caller]
fn close(found: &[f64], by_hand: &[f64], tolerance: f64) {
    assert_eq!(found.len(), by_hand.len(), "{found:?}");
    for (a, b) in found.iter().zip(by_hand) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{found:?} by hand: {by_hand:?}");
    }
}

#[track_caller]
fn matrices(linear: &Linearization, a: &[f64], b: &[f64], c: &[f64], d: &[f64]) {
    close(&linear.a, a, 1e-12);
    close(&linear.b, b, 1e-12);
    close(&linear.c, c, 1e-12);
    close(&linear.d, d, 1e-12);
}

#[test]
fn a_motor() {
    let text = "model Motor parameter Real R = 2; parameter Real L = 0.5; parameter Real k = 0.1; parameter Real J = 0.01;
        input Real u; input Real load; output Real w(start = 0, fixed = true); output Real power = u*i;
        Real i(start = 3, fixed = true);
        equation L*der(i) = u - R*i - k*w; J*der(w) = k*i - load; end Motor;";
    let linear = model(text).linearize().outputs(["w", "power"]).run().expect("matrices");
    let (i, w) = (linear.states.iter().position(|s| s == "i"), linear.states.iter().position(|s| s == "w"));
    let (i, w) = (i.expect("a state"), w.expect("a state"));
    let mut a = [0.0; 4];
    (a[2 * i + i], a[2 * i + w], a[2 * w + i]) = (-4.0, -0.2, 10.0);
    let mut b = [0.0; 4];
    (b[2 * i], b[2 * w + 1]) = (2.0, -100.0);
    let mut c = [0.0; 4];
    c[w] = 1.0;
    matrices(&linear, &a, &b, &c, &[0.0, 0.0, 3.0, 0.0]);
    assert_eq!((linear.x[i], &linear.u[..], &linear.y[..]), (3.0, &[0.0, 0.0][..], &[0.0, 0.0][..]));
    // s² + 4 s + 2 = 0
    close(
        &linear.poles.iter().map(|p| p.0).collect::<Vec<_>>(),
        &[-2.0 - 2f64.sqrt(), -2.0 + 2f64.sqrt()],
        1e-13,
    );
}

#[test]
fn algebraic_loops() {
    // Linear: 2 z + w = x, z - w = u, so z = (x + u)/3, w = (x - 2 u)/3.
    let text = "model M input Real u; output Real w; Real z; Real x(start = 1, fixed = true);
        equation 2*z + w = x; z - w = u; der(x) = -z; end M;";
    matrices(
        &model(text).linearize().run().expect("matrices"),
        &[-1.0 / 3.0],
        &[-1.0 / 3.0],
        &[1.0 / 3.0],
        &[-2.0 / 3.0],
    );
    // Nonlinear: z + z³ = x + u, so dz = 1/(1 + 3 z²); at x = 2 it is z = 1.
    let text = "model M input Real u; output Real z(start = 1); Real x(start = 2, fixed = true);
        equation z + z^3 = x + u; der(x) = -z; end M;";
    let linear = model(text).linearize().run().expect("matrices");
    close(&linear.a, &[-0.25], 1e-9);
    close(&[linear.b[0], linear.c[0], linear.d[0]], &[-0.25, 0.25, 0.25], 1e-9);
}

/// Somewhere on its way, and hanging: A of a pendulum is [0, 1; -g/l cos(phi), 0].
#[test]
fn a_pendulum_at_other_points() {
    let text = "model P parameter Real phi0 = 0.5; Real phi(start = phi0, fixed = true); Real w(start = 0, fixed = true);
        equation der(phi) = w; der(w) = -9.81/2*sin(phi); end P;";
    let model = model(text);
    let of = |phi: f64| [0.0, 1.0, -4.905 * phi.cos(), 0.0];
    close(&model.linearize().run().expect("matrices").a, &of(0.5), 1e-14);
    let later = model.linearize().at(0.7).tolerance(1e-8).run().expect("matrices");
    assert_eq!(later.time, 0.7);
    close(&later.a, &of(later.x[0]), 1e-13);
    let energy = |phi: f64, w: f64| w * w / 2.0 - 4.905 * phi.cos();
    close(&[energy(later.x[0], later.x[1])], &[energy(0.5, 0.0)], 1e-6);
    let hanging = model.linearize().steady(true).run().expect("matrices");
    close(&hanging.x, &[0.0, 0.0], 1e-9);
    close(&hanging.a, &of(0.0), 1e-9);
}

/// In Cartesian coordinates, index three: whatever the states are, the poles are ± i √(g/l).
#[test]
fn a_pendulum_of_index_three() {
    let text = "model P parameter Real l = 2; Real x(start = 0, fixed = true); Real y(start = -2); Real vx(start = 0, fixed = true); Real vy; Real f;
        equation der(x) = vx; der(y) = vy; der(vx) = -f*x; der(vy) = -f*y - 9.81; x^2 + y^2 = l^2; end P;";
    let linear = model(text).linearize().run().expect("matrices");
    let rate = (9.81f64 / 2.0).sqrt();
    assert_eq!(linear.poles.len(), 2);
    close(&[linear.poles[0].0, linear.poles[0].1.abs()], &[0.0, rate], 1e-9);
}

/// A function with a loop stays a call: sum of k x^k for k up to n.
#[test]
fn through_a_function() {
    let text = "model M function f input Real x; input Integer n; output Real y; algorithm y := 0; for k in 1:n loop y := y + k*x^k; end for; end f;
        parameter Integer n = 4; input Real u; Real x(start = 0.5, fixed = true); output Real y = f(u + x, n); equation der(x) = -f(x, n); end M;";
    let linear = model(text).linearize().run().expect("matrices");
    let derivative = |x: f64| (1..=4).map(|k| f64::from(k * k) * x.powi(k - 1)).sum::<f64>();
    let slope = derivative(0.5);
    close(&linear.a, &[-slope], 1e-6);
    close(&[linear.b[0], linear.c[0], linear.d[0]], &[0.0, slope, slope], 1e-6);
}

/// Which side a relation is on decides.
#[test]
fn relations_are_held() {
    let text = "model M parameter Real x0 = 0; input Real u; Real x(start = x0, fixed = true); output Real y = if x > 1 then 1 + 0.1*(x - 1) else x + u;
        equation der(x) = 1 - y; end M;";
    let model = model(text);
    matrices(&model.linearize().run().expect("matrices"), &[-1.0], &[-1.0], &[1.0], &[1.0]);
    let beyond = model.with("x0", 3.0).expect("a value").linearize().run().expect("matrices");
    matrices(&beyond, &[-0.1], &[0.0], &[0.1], &[0.0]);
}

#[test]
fn after_a_run() {
    // x = 1/(1 + t), so at 1 it is 1/2.
    let text = "model M Real x(start = 1, fixed = true); output Real y = x^3; equation der(x) = -x^2; end M;";
    let linear = model(text).linearize().at(1.0).tolerance(1e-9).run().expect("matrices");
    close(&[linear.a[0], linear.c[0]], &[-1.0, 0.75], 1e-7);
    // A discrete factor, doubled at 0.5.
    let text = "model M Real x(start = 1, fixed = true); discrete Real k(start = 1, fixed = true);
        equation der(x) = -k*x; when time > 0.5 then k = 2*pre(k); end when; end M;";
    close(&model(text).linearize().at(1.0).run().expect("matrices").a, &[-2.0], 1e-14);
}

#[test]
fn steady_states() {
    // Two tanks in a row: q = c √h1 = c √h2, so h = (q/c)².
    let text = "model T parameter Real q = 0.6; Real h[2](each start = 1, each fixed = true);
        equation der(h[1]) = q - 0.3*sqrt(h[1]); der(h[2]) = 0.3*(sqrt(h[1]) - sqrt(h[2])); end T;";
    let linear = model(text).linearize().steady(true).tolerance(1e-10).run().expect("matrices");
    close(&linear.x, &[4.0, 4.0], 1e-9);
    let slope = 0.3 / (2.0 * 2.0);
    close(&linear.a, &[-slope, 0.0, slope, -slope], 1e-9);
    close(&linear.dx, &[0.0, 0.0], 1e-9);
    // Behind a relation that is on the other side at first.
    let text =
        "model M Real x(start = 0, fixed = true); equation der(x) = if x > 1 then 3 - x else 5; end M;";
    let linear = model(text).linearize().steady(true).at(0.5).run().expect("matrices");
    close(&[linear.x[0], linear.a[0]], &[3.0, -1.0], 1e-9);
    // A free position stays where it is.
    let text = "model M Real s(start = 7, fixed = true); Real v(start = 1, fixed = true); equation der(s) = v; der(v) = -v; end M;";
    close(&model(text).linearize().steady(true).run().expect("matrices").x, &[7.0, 0.0], 1e-9);
    let text = "model M Real x(start = 0, fixed = true); equation der(x) = 1 + x^2; end M;";
    let error = model(text).linearize().steady(true).run().expect_err("there is none");
    assert_eq!((error.kind(), error.code()), (ErrorKind::Run, "K0576"));
}

/// A chain of fifty tanks at many start values, in one call.
#[test]
fn many_points() {
    let text = "model Chain parameter Integer n = 50; parameter Real k = 1; input Real u; Real x[n](each start = 1, each fixed = true);
        equation der(x[1]) = u - k*x[1]^2; for i in 2:n loop der(x[i]) = k*(x[i - 1]^2 - x[i]^2); end for; end Chain;";
    let rows: Vec<Vec<Setting>> =
        (0..200).map(|k| vec![Setting::Number(0.5 + 0.01 * f64::from(k)), Setting::Number(-1.0)]).collect();
    let all = model(text).linearize().over(["x[1]", "x[50]"], &rows).expect("matrices");
    for (row, linear) in rows.iter().zip(all) {
        let linear = linear.expect("matrices");
        let Setting::Number(first) = row[0] else { panic!("a number") };
        let x = |i: usize| {
            if i == 0 {
                first
            } else if i == 49 {
                -1.0
            } else {
                1.0
            }
        };
        let mut a = vec![0.0; 2500];
        for i in 0..50 {
            a[51 * i] = -2.0 * x(i);
            if i > 0 {
                a[51 * i - 1] = 2.0 * x(i - 1);
            }
        }
        close(&linear.a, &a, 1e-13);
        close(&linear.b[..2], &[1.0, 0.0], 1e-14);
    }
}

#[test]
fn what_cannot_be_linearised_is_said() {
    let code = |text: &str, input: &str| {
        let model = model(text);
        let linearize = if input.is_empty() { model.linearize() } else { model.linearize().inputs([input]) };
        let error = linearize.run().expect_err("it cannot be");
        error.code().to_owned()
    };
    assert_eq!(
        code("model M Real x(start = 0, fixed = true); equation der(x) = 1 - delay(x, 0.1); end M;", ""),
        "K0575"
    );
    let text = "model M input Real u; input Boolean b; parameter Real p = 1; Real x(start = 0, fixed = true); equation der(x) = if b then u else p; end M;";
    assert_eq!(code(text, "p"), "K0575");
    assert_eq!(code(text, "b"), "K0575");
    assert_eq!(code(text, "nothing"), "K0910");
    let failing =
        "model M Real x(start = 0, fixed = true); equation der(x) = 1; assert(x < 0.5, \"far\"); end M;";
    let error = model(failing).linearize().at(1.0).run().expect_err("the run fails");
    assert_eq!(error.kind(), ErrorKind::Run);
}
