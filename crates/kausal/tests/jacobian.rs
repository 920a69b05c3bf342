//! The Jacobian of the right-hand side: derivatives of the program against differences of it.

use std::sync::Arc;

use kausal::{Backend, JacobianMode, Method, Session, Settings};
use kausal_runtime::jacobian::jacobian;
use kausal_runtime::{CompiledModel, Machine, Mode, Observer};

/// The values at the first instant.
#[derive(Default)]
struct First(Option<(Vec<f64>, Vec<f64>, f64)>);

impl Observer for First {
    fn record(&mut self, machine: &Machine) {
        self.0.get_or_insert_with(|| (machine.values.clone(), machine.pre.clone(), machine.time));
    }

    fn proceed(&mut self, _: f64) -> bool {
        false
    }
}

fn compile(model: &str, text: Option<&str>) -> Arc<CompiledModel> {
    let mut session = Session::new();
    if let Some(text) = text {
        session.add_text("M.mo", text);
    }
    let flat = session.flatten(model).expect("a model");
    let program = session.translate(&flat, &Default::default()).expect("a program");
    Arc::new(session.compile(program, Backend::Jit).expect("code"))
}

/// A machine with initial values.
fn started(model: &Arc<CompiledModel>) -> Machine {
    let mut first = First::default();
    // It is stopped after the first step, which is an error to the run.
    let _ = kausal_runtime::simulate(model.clone(), &Settings::default(), &mut first);
    let (values, pre, time) = first.0.expect("initial values");
    let mut machine = Machine::new(model.clone());
    // What depends on parameters only leaves factors and tables behind.
    machine.run(&model.parameters, Mode::Initial).expect("parameters");
    (machine.values, machine.pre, machine.time) = (values, pre, time);
    machine.reselect();
    machine
}

/// All entries against central differences; those outside the pattern must vanish.
fn check(name: &str, text: Option<&str>) {
    let model = compile(name, text);
    let states = model.program.states.clone();
    let mut machine = started(&model);
    // Away from the start, where much is zero.
    for (k, state) in states.iter().enumerate() {
        machine.values[state.variable.index()] += 0.01 * ((k + 1) as f64).sin();
    }
    let (pattern, values) = jacobian(&mut machine).expect("a Jacobian");
    let mut derivatives = |j: usize, h: f64| -> Vec<f64> {
        let x = states[j].variable.index();
        let old = machine.values[x];
        machine.values[x] = old + h;
        machine.run(&model.dynamics, Mode::Continuous).expect("dynamics");
        // The derivative of a state may be another state, so it is read before that is put back.
        let found = states.iter().map(|s| machine.values[s.derivative.index()]).collect();
        machine.values[x] = old;
        found
    };
    for j in 0..states.len() {
        let h = 1e-6;
        let (up, down) = (derivatives(j, h), derivatives(j, -h));
        // In units of the largest entry of the column; Newton's method inside leaves about 1e-10/h.
        let scale = up.iter().zip(&down).map(|(u, d)| (u - d).abs() / (2.0 * h)).fold(1.0, f64::max);
        for i in 0..states.len() {
            let found = pattern.position(i, j).map_or(0.0, |k| values[k]);
            let wanted = (up[i] - down[i]) / (2.0 * h);
            assert!((found - wanted).abs() <= 2e-4 * scale, "{name} ({i}, {j}): {found} instead of {wanted}");
        }
    }
}

#[test]
fn formulas() {
    check(
        "M",
        Some(
            "model M
               Real x[4](start = {0.3, 0.7, 1.1, 2.3}, each fixed = true);
             equation
               der(x[1]) = sin(x[1])*exp(x[2])/(1 + x[3]^2) + tanh(x[4]) - atan(x[1]*x[2]);
               der(x[2]) = sqrt(x[3] + 1) + log(x[4]) + x[3]^x[2] + atan2(x[1], x[4]) + abs(x[1] - 5);
               der(x[3]) = noEvent(if x[1] < x[2] then x[1]*x[4] else x[3]) + min(x[1], x[3]) + max(x[2], x[4]);
               der(x[4]) = cosh(x[1]) - sinh(x[2]) + tan(0.3*x[3]) + asin(0.1*x[4]) + acos(0.2*x[1]) + cos(x[2]) + log10(x[4]);
             end M;",
        ),
    );
}

/// A linear system with a matrix that depends on states, a nonlinear one, and a function with a loop.
#[test]
fn systems_and_functions() {
    check(
        "M",
        Some(
            "function power input Real x; input Integer n; output Real y;
             algorithm y := 1; for i in 1:n loop y := y*x; end for; end power;
             model M
               Real x[3](start = {0.3, 0.7, 1.1}, each fixed = true);
               Real a[5], z(start = 1), w(start = 1), p;
               Integer n(start = 3, fixed = true);
             equation
               for i in 1:5 loop
                 (6 + sin(x[1]))*a[i] + sum(a[j]*(if i == j then 1 else 0.1*x[2] + i/(i + j)) for j in 1:5) = x[3] + i;
               end for;
               z^3 + w + 0.2*sin(w*z) = x[1] + 3;
               w + exp(0.1*z*w) = x[2] + 2*x[3] + a[1];
               p = power(x[1] + z, n);
               when time > 10 then n = 2; end when;
               der(x[1]) = -a[1]*x[2] + z;
               der(x[2]) = w - a[5];
               der(x[3]) = p + a[2]*a[3];
             end M;",
        ),
    );
}

#[test]
fn examples_of_the_library() {
    for model in ["Kausal.Examples.Pendulum", "Kausal.Examples.Robot"] {
        check(model, None);
    }
}

/// The integrator gets the same answer from all sources, and sparse ones cost few evaluations.
#[test]
fn sources_agree() {
    let model = compile(
        "M",
        Some(
            "model M
               parameter Integer n = 60;
               Real v[n](each start = 0, each fixed = true);
             equation
               der(v[1]) = 100*(1 - v[1]) - 50*(v[1]^3 - v[2]);
               for i in 2:n - 1 loop der(v[i]) = 100*(v[i - 1] - 2*v[i] + v[i + 1]) - v[i]^3; end for;
               der(v[n]) = 100*(v[n - 1] - v[n]);
             end M;",
        ),
    );
    let run = |jacobian: JacobianMode| {
        let settings = Settings { method: Method::Bdf, jacobian, ..Settings::default() };
        let run = kausal::simulate::run(model.clone(), &settings, &|_| true, None, &mut |_| true);
        assert!(run.diagnostics.is_empty(), "{:?}", run.diagnostics);
        let end = run.trajectory.get("v[30]").and_then(|v| v.last().copied()).expect("an end");
        (end, run.statistics.rhs_evaluations, run.statistics.jacobians)
    };
    let (dense, dense_evaluations, jacobians) = run(JacobianMode::NumericDense);
    let (grouped, grouped_evaluations, _) = run(JacobianMode::Numeric);
    let (symbolic, symbolic_evaluations, _) = run(JacobianMode::Symbolic);
    assert!((dense - symbolic).abs() < 1e-4 && (grouped - symbolic).abs() < 1e-4);
    // A tridiagonal Jacobian has three groups of columns.
    assert!(dense_evaluations >= grouped_evaluations + 50 * jacobians);
    assert!(symbolic_evaluations <= grouped_evaluations);
}
