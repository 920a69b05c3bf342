//! States that are selected while the model runs: chains, loops and full turns keep what physics keeps, whatever their
//! size.

use std::sync::Arc;
use std::time::Instant;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Program, Session, Settings};

fn translated(text: &str, options: &Options) -> (Session, Program) {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let program = session.translate(&flat, options).expect("a regular model");
    (session, program)
}

/// Simulates the model `M` of a text.
fn run_with(text: &str, settings: &Settings, options: &Options) -> Run {
    let (mut session, program) = translated(text, options);
    let model = session.compile(program, Backend::Jit).expect("code");
    let run = simulate::run(Arc::new(model), settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{:?}", run.diagnostics);
    run
}

fn run(text: &str, settings: &Settings) -> Run {
    run_with(text, settings, &Options::default())
}

fn values(run: &Run, variable: &str) -> Vec<f64> {
    run.trajectory.get(variable).expect("a variable of the model")
}

/// How far a variable gets from where it began.
fn drift(run: &Run, variable: &str) -> f64 {
    let values = values(run, variable);
    values
        .iter()
        .map(|value| (value - values[0]).abs())
        .fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m })
}

fn range(run: &Run, variable: &str) -> f64 {
    let values = values(run, variable);
    let largest = values.iter().copied().fold(f64::MIN, f64::max);
    largest - values.iter().copied().fold(f64::MAX, f64::min)
}

/// `n` point masses on rods of length 1 that hang one on the other, in Cartesian coordinates; they are let go from a straight
/// line aside. `U` is the potential energy, `E` the whole.
fn chain(n: usize) -> String {
    format!(
        "model M
          parameter Integer n = {n}; parameter Real L = 1, g = 9.81;
          Real x[n](start = {{0.8*k for k in 1:n}}, each fixed = true), y[n](start = {{-0.6*k for k in 1:n}});
          Real vx[n](each start = 0, each fixed = true), vy[n], F[n + 1], U, E;
        equation
          der(x) = vx; der(y) = vy;
          x[1]^2 + y[1]^2 = L^2;
          for k in 2:n loop (x[k] - x[k - 1])^2 + (y[k] - y[k - 1])^2 = L^2; end for;
          F[n + 1] = 0;
          for k in 1:n loop
            der(vx[k]) = -F[k]*(x[k] - (if k > 1 then x[max(k - 1, 1)] else 0))
              + (if k < n then F[k + 1]*(x[min(k + 1, n)] - x[k]) else 0);
            der(vy[k]) = -F[k]*(y[k] - (if k > 1 then y[max(k - 1, 1)] else 0))
              + (if k < n then F[k + 1]*(y[min(k + 1, n)] - y[k]) else 0) - g;
          end for;
          U = sum(g*y[k] for k in 1:n);
          E = sum(0.5*(vx[k]^2 + vy[k]^2) for k in 1:n) + U;
        end M;"
    )
}

/// Energy is exchanged between its forms, and the sum stays: to 1e-4 of what is exchanged at a tolerance of 1e-6.
#[test]
fn chains_keep_their_energy() {
    let settings = Settings { stop: 10.0, interval: 0.05, ..Settings::default() };
    for n in [2, 6, 8, 12, 20] {
        let text = chain(n);
        for method in [Method::Auto, Method::Bdf] {
            let run = run(&text, &Settings { method, ..settings.clone() });
            let (drift, range) = (drift(&run, "E"), range(&run, "U"));
            assert!(drift < 1e-4 * range, "{n} by {method}: {drift} of {range}");
        }
    }
}

/// The same with the method inside the model, and in a moderate number of steps.
#[test]
fn inlined_chains_keep_their_energy() {
    let settings = Settings { stop: 10.0, interval: 0.05, method: Method::Bdf, ..Settings::default() };
    for n in [6, 12] {
        let options = Options { inline: Inline::Bdf, ..Options::default() };
        let run = run_with(&chain(n), &settings, &options);
        let (drift, range) = (drift(&run, "E"), range(&run, "U"));
        assert!(drift < 1e-4 * range, "{n}: {drift} of {range}");
        assert!(run.statistics.steps < 10_000, "{n}: {} steps", run.statistics.steps);
    }
}

/// A chain of bodies falls into choices of one coordinate of two, for positions and for velocities: nothing is larger in a
/// longer chain.
#[test]
fn the_choices_in_chains_are_local() {
    for n in [6, 20] {
        let (_, program) = translated(&chain(n), &Options::default());
        let sets = &program.state_sets;
        assert_eq!(sets.len(), 2 * n);
        assert!(
            sets.iter().all(|set| set.candidates.len() == 2 && set.states.len() == 1 && set.settled == 0)
        );
    }
}

/// A pendulum in Cartesian coordinates, in full turns.
const TURNING: &str = "model M
  parameter Real g = 9.81;
  Real x(start = 0, fixed = true), y(start = -1), vx(start = 7, fixed = true), vy, force;
  Real energy = 0.5*(vx^2 + vy^2) + g*y;
equation
  der(x) = vx; der(y) = vy; der(vx) = -force*x; der(vy) = -force*y - g; x^2 + y^2 = 1;
end M;";

/// The whole energy stays to 1e-3 of 14.69. The time of a turn is the integral of the inverse of the speed over the angle, by
/// the rule of rectangles: for a smooth periodic function that is exact to rounding.
#[test]
fn a_pendulum_keeps_its_energy_over_150_turns() {
    let parts = 1000;
    let angles = (0..parts).map(|k| f64::from(k) * std::f64::consts::TAU / f64::from(parts));
    let inverse_speeds = angles.map(|angle| 1.0 / (49.0 - 2.0 * 9.81 * (1.0 - angle.cos())).sqrt());
    let turn = inverse_speeds.sum::<f64>() * std::f64::consts::TAU / f64::from(parts);
    let settings = Settings { stop: 150.0 * turn, interval: 0.1, ..Settings::default() };
    let run = run(TURNING, &settings);
    let drift = drift(&run, "energy");
    assert!(drift < 1e-3 * 14.69, "{drift}");
    // No coordinate is good all the time, and none is changed for nothing: four times a turn, for positions and velocities
    // at once.
    assert!((598..=602).contains(&run.statistics.state_selections), "{}", run.statistics.state_selections);
}

/// `n + 1` rods of length 1 in a row whose two ends are held, let go from an arc, with gravity aslant: no constraint has
/// coordinates for itself, so all are selected together.
fn bridge(n: usize) -> String {
    let angle = |k: usize| 1.5 * (2.0 * k as f64 / n as f64 - 1.0);
    let (mut at, mut x, mut y) = ((0.0, 0.0), Vec::new(), Vec::new());
    for k in 0..=n {
        at = (at.0 + angle(k).cos(), at.1 + angle(k).sin());
        x.push(format!("{:?}", at.0));
        y.push(format!("{:?}", at.1));
    }
    let width = at.0;
    let (x, y) = (x[..n].join(", "), y[..n].join(", "));
    format!(
        "model M
          parameter Integer n = {n}; parameter Real g = 9.81, aside = 9, width = {width:?};
          Real x[n](start = {{{x}}}), y[n](start = {{{y}}});
          Real vx[n](each start = 0), vy[n](each start = 0), F[n + 1], U, E;
        equation
          der(x) = vx; der(y) = vy;
          x[1]^2 + y[1]^2 = 1;
          for k in 2:n loop (x[k] - x[k - 1])^2 + (y[k] - y[k - 1])^2 = 1; end for;
          (width - x[n])^2 + y[n]^2 = 1;
          for k in 1:n loop
            der(vx[k]) = F[k + 1]*((if k < n then x[min(k + 1, n)] else width) - x[k])
              - F[k]*(x[k] - (if k > 1 then x[max(k - 1, 1)] else 0)) + aside;
            der(vy[k]) = F[k + 1]*((if k < n then y[min(k + 1, n)] else 0) - y[k])
              - F[k]*(y[k] - (if k > 1 then y[max(k - 1, 1)] else 0)) - g;
          end for;
          U = sum(g*y[k] - aside*x[k] for k in 1:n);
          E = sum(0.5*(vx[k]^2 + vy[k]^2) for k in 1:n) + U;
        end M;"
    )
}

/// More candidates than ten in one closed loop.
#[test]
fn closed_chains_keep_their_energy() {
    let settings = Settings { stop: 5.0, interval: 0.05, ..Settings::default() };
    for n in [4, 7, 14] {
        for method in [Method::Auto, Method::Bdf] {
            let run = run(&bridge(n), &Settings { method, ..settings.clone() });
            let (drift, range) = (drift(&run, "E"), range(&run, "U"));
            assert!(drift < 1e-4 * range, "{n} by {method}: {drift} of {range}");
        }
    }
}

/// A sum of `n` squares as an equation, which can be solved for none of them.
fn long_sum(n: usize) -> String {
    format!(
        "model M
          parameter Integer n = {n};
          Real x[n](start = {{if i == 1 then 1 else 0 for i in 1:n}}, each fixed = true), v[n](each start = 0, each fixed = true);
          Real E = sum(v[i]^2 for i in 1:n) + sum((x[i + 1] - x[i])^2 for i in 1:n - 1);
        equation
          der(x) = v; der(v[1]) = x[2] - x[1]; der(v[n]) = x[n - 1] - x[n];
          for i in 2:n - 1 loop der(v[i]) = x[i - 1] - 2*x[i] + x[i + 1]; end for;
        end M;"
    )
}

/// Four times as many terms take about four times as long to translate, not sixteen times. The best of three counts: others use
/// the machine, too.
#[test]
fn translation_is_linear_in_the_length_of_a_sum() {
    let seconds = |n: usize| {
        let text = long_sum(n);
        let once = || {
            let begin = Instant::now();
            translated(&text, &Options::default());
            begin.elapsed().as_secs_f64()
        };
        (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
    };
    let (short, long) = (seconds(750), seconds(3000));
    assert!(long < 10.0 * short, "{short} s and {long} s");
}

/// A winding on a core that saturates, with an air gap; `j` is its current with the flux as the only state. Permeability, reluctance
/// and the amount of the flux density are the same for a flux and its negative: as states they lead astray.
#[test]
fn what_only_index_reduction_differentiates_is_no_state() {
    let text = "model M
  constant Real pi = 3.141592653589793, mu0 = 4e-7*pi;
  parameter Real N = 200, A = 1e-3, l = 0.4, gap = 1e-4;
  Real i(stateSelect = StateSelect.prefer, start = 0, fixed = true), Phi, B, b, mu(start = 1000), R(start = 1e5), V, psi(start = 0, fixed = true), j;
equation
  40*cos(100*pi*time) = 2*i + N*der(Phi);
  N*i = V + Phi*gap/(mu0*A);
  V = Phi*R;
  R = l/(mu0*mu*A);
  mu = 1 + (1000 + 3000*b)/(1 + b + b^9);
  b = abs(B);
  B = Phi/A;
  40*cos(100*pi*time) = 2*j + N*der(psi);
  N*j = psi*(gap + l/(1 + (1000 + 3000*abs(psi/A))/(1 + abs(psi/A) + abs(psi/A)^9)))/(mu0*A);
end M;";
    for method in [Method::Auto, Method::Bdf, Method::Radau] {
        let run = run(text, &Settings { stop: 0.1, interval: 1e-3, method, ..Settings::default() });
        let (i, j) = (values(&run, "i"), values(&run, "j"));
        let off = i.iter().zip(&j).map(|(i, j)| (i - j).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3 * range(&run, "j"), "{method}: off by {off}");
    }
}

/// A four-bar loop whose crank comes just over its dead centre, where its abscissa is no state: points around the start values
/// do not show that.
#[test]
fn a_loop_goes_over_its_dead_centre() {
    let text = "model M
  parameter Real m[2] = {3.4, 0.15}, g = 9.81;
  Real x[2](start = {-0.08, 0.73}, fixed = {true, false}), y[2](start = {-1.17, 2.49});
  Real vx[2](start = {-4.96, -0.5}, fixed = {true, false}), vy[2](start = {0.34, -0.65}), F[3], E;
equation
  der(x) = vx; der(y) = vy;
  x[1]^2 + y[1]^2 = 1.37;
  (x[2] - x[1])^2 + (y[2] - y[1])^2 = 14.06;
  (x[2] - 3.97)^2 + y[2]^2 = 16.66;
  m[1]*der(vx[1]) = -F[1]*x[1] + F[2]*(x[2] - x[1]);
  m[1]*der(vy[1]) = -m[1]*g - F[1]*y[1] + F[2]*(y[2] - y[1]);
  m[2]*der(vx[2]) = -F[2]*(x[2] - x[1]) - F[3]*(x[2] - 3.97);
  m[2]*der(vy[2]) = -m[2]*g - F[2]*(y[2] - y[1]) - F[3]*y[2];
  E = sum(m[k]*((vx[k]^2 + vy[k]^2)/2 + g*y[k]) for k in 1:2);
end M;";
    for method in [Method::Auto, Method::Bdf] {
        let run = run(text, &Settings { stop: 3.0, interval: 0.01, method, ..Settings::default() });
        let off = drift(&run, "E");
        // Its potential energy ranges over 80 J.
        assert!(off < 1e-2, "{method}: {off}");
    }
}
