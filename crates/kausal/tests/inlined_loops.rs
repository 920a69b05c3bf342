//! Nonlinear loops in inlined steps: beside the states, with sequences that amplify, with states in them. Exact solutions are
//! in the equations.

use std::sync::Arc;

use kausal::runner::{Finished, Runner};
use kausal::{Backend, Inline, Options, Session, Settings, Tearing, method_of};

const METHODS: [Inline; 3] = [Inline::Bdf, Inline::Radau, Inline::Rosenbrock];

/// Runs a model, again with the systems untorn that fail.
fn run(text: &str, inline: Inline, tolerance: f64) -> Finished {
    run_torn(text, inline, Tearing::Auto, 1.0, tolerance)
}

fn run_torn(text: &str, inline: Inline, tearing: Tearing, stop: f64, tolerance: f64) -> Finished {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
    let options = Options { inline, tearing, ..Options::default() };
    let method = method_of(inline, false).unwrap_or_default();
    let settings = Settings { stop, interval: 0.01, tolerance, method, ..Settings::default() };
    let program = session.translate(&flat, &options).expect("a program");
    let model = session.compile(program, Backend::Jit).expect("code");
    let runner = Runner::new(Arc::new(model)).recovering(&flat, &options).backend(Backend::Jit);
    runner.settings(settings).run(&mut ()).expect("a run")
}

/// The last value of a run about which nothing is said but which systems were solved untorn.
fn last(run: &Finished, name: &str) -> f64 {
    let said = &run.ended.diagnostics;
    assert!(said.iter().all(|d| d.code == "K0523") && run.is_complete(), "{said:?}");
    let column = run.trajectory.get(name).unwrap_or_else(|| panic!("no {name}"));
    column[column.len() - 1]
}

/// A loop that depends on time only has nothing to do with the formula of the method: the three stages of Radau have it
/// three times, and a smaller step would not help it.
#[test]
fn a_loop_without_states_does_not_limit_the_step() {
    let text = "model M
      Real v(start = 0), i, on, q(start = 0, fixed = true), u = 5*sin(2*time + 0.1);
    equation
      u - 0.5*i = v;
      on = if v > 1 then 0.1*(v - 1) elseif v < -1 then 0.1*(v + 1) else 0;
      i = 0.1*(v + v^3) + on;
      der(q) = i;
    end M;";
    let reference = last(&run(text, Inline::Off, 1e-11), "q");
    for inline in METHODS {
        for tolerance in [1e-6, 1e-8] {
            let run = run(text, inline, tolerance);
            assert_eq!(run.attempts, 1, "{inline:?}");
            let error = (last(&run, "q") - reference).abs();
            assert!(error < 20.0 * tolerance, "{inline:?} with {tolerance:e}: {error:e}");
            // Radau took 63 steps and 1,832 evaluations where stages were iterated to the tolerance of the step.
            let work = &run.ended.statistics;
            assert!(work.steps < 150 && work.rhs_evaluations < 25 * work.steps, "{inline:?}: {work:?}");
        }
    }
}

/// Each equation of the chain amplifies by twelve, and the last has two solutions: torn, the iteration goes to the other one.
const AMPLIFIED: &str = "model M
  Real a[4], s(start = 0, fixed = true);
  Real e[4] = {sin(time + k) for k in 1:4};
equation
  for k in 1:3 loop
    12*a[k] + 0.3*sin(a[k]) + a[k + 1] = 12*e[k] + 0.3*sin(e[k]) + e[k + 1];
  end for;
  (a[4] + 4)^2 + a[1] = (e[4] + 4)^2 + e[1];
  der(s) = a[4];
end M;";

#[test]
fn an_amplifying_loop_is_solved_untorn_in_inlined_steps() {
    let exact = 4f64.cos() - 5f64.cos();
    for inline in METHODS {
        for tolerance in [1e-6, 1e-8] {
            let run = run(AMPLIFIED, inline, tolerance);
            let error = (last(&run, "s") - exact).abs();
            assert!(error < 20.0 * tolerance, "{inline:?} with {tolerance:e}: {error:e}");
            // Differences of what the loop has amplified cost Rosenbrock's method steps at tight tolerances.
            let most = if inline == Inline::Rosenbrock { 1_000 } else { 100 };
            let statistics = &run.ended.statistics;
            assert!(statistics.steps < most, "{inline:?}: {statistics:?}");
        }
    }
}

/// Messages speak of the variables of the model, not of their copies in stages.
#[test]
fn failures_in_stages_are_told_in_names_of_the_model() {
    let run = run(AMPLIFIED, Inline::Radau, 1e-8);
    assert!(run.attempts > 1, "the torn system should have failed");
    let texts: Vec<&str> = run.ended.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("the iteration variable a[1] ")), "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains('@')), "{texts:?}");
}

/// The sequence of a chain loses all digits as `q` grows beyond what a translation tries; without and with the state `s` in it.
#[test]
fn digits_lost_in_an_inlined_step_are_noticed() {
    let chain = |beside: &str| {
        format!(
            "model M
              Real x[30], q(start = 0, fixed = true), s(start = sin(1.5), fixed = true);
              Real p = q/20, e[30] = {{cos(0.5*k + p) for k in 1:30}};
              Real g = 0.2 + 8*p^4;
            equation
              x[1] = e[1]{beside};
              x[30] = e[30];
              for k in 2:29 loop
                x[k + 1] + x[k - 1] - g*(x[k] + 0.05*sin(x[k])) =
                e[k + 1] + e[k - 1] - g*(e[k] + 0.05*sin(e[k]));
              end for;
              der(q) = 20;
              der(s) = x[3];
            end M;"
        )
    };
    for beside in ["", " - 0.1*(s - sin(1.5 + p))"] {
        for inline in METHODS {
            let run = run(&chain(beside), inline, 1e-6);
            assert!(run.attempts > 1, "{inline:?}: digits are lost");
            let error = (last(&run, "s") - 2.5f64.sin()).abs();
            assert!(error < 2e-5, "{inline:?}: {error:e}");
        }
    }
}

/// Derivatives that equations determine up to a sign: from the start, and behind an event, inlined Radau goes on where they are.
#[test]
fn stages_begin_on_the_branch_of_the_start() {
    let root = "model M Real x(start = 0, fixed = true), y(start = 1.2); equation der(x) = y; y^2 = 1 + 0.5*time; end M;";
    let event = "model M Real x(start = 0, fixed = true), y(start = 1);
      equation der(x) = y; y^2 + (if time < 0.5 then 1 else -1)*y = 2 + 0.1*time; end M;";
    // y = sqrt(1 + t/2), and the greater root of the second equation behind its event.
    for (text, y) in [(root, 1.5f64.sqrt()), (event, 0.5 * (1.0 + 9.4f64.sqrt()))] {
        for tearing in [Tearing::Auto, Tearing::Off] {
            let end = last(&run_torn(text, Inline::Radau, tearing, 1.0, 1e-6), "y");
            assert!((end - y).abs() < 1e-6, "{text} {tearing:?}: {end}");
        }
    }
}

/// All variables are iterated on, those that are neither states nor derivatives as well: the errors of both are looked at.
#[test]
fn untorn_steps_are_as_exact_as_torn_ones() {
    // z = (sin 3t, sin(2t + 1)).
    let text = "model M
        Real z[2], x[2], g[2] = {sin(3*time), sin(2*time + 1)}, e[2] = z - g;
      equation
        x = {2*z[1] + 0.5*z[2], -0.4*z[1] + 2*z[2]};
        2*der(x[1]) + 0.5*der(x[2]) = 4*(3*cos(3*time) - (z[1] - g[1]) - 0.5*(z[1]^3 - g[1]^3))
          + 0.5*(4*cos(2*time + 1) - 1.2*cos(3*time)) + 2*cos(2*time + 1);
        der(x[2]) = -1.2*cos(3*time) + 4*cos(2*time + 1) - (z[2] - g[2]) - 0.5*(z[2]^3 - g[2]^3);
      initial equation
        z = g;
      end M;";
    let error = |tearing| {
        let run = run_torn(text, Inline::Bdf, tearing, 3.0, 1e-4);
        let all = ["e[1]", "e[2]"].into_iter().flat_map(|name| run.trajectory.get(name).unwrap_or_default());
        all.fold(0.0, |largest: f64, e| largest.max(e.abs()))
    };
    let (torn, untorn) = (error(Tearing::Auto), error(Tearing::Off));
    assert!(untorn < 3.0 * torn && torn < 1e-3, "{torn:e} {untorn:e}");
}

/// Cells in a chain, coupled to those before by `coupling` and to those behind by algebraic variables. All can be computed in
/// sequence from one of them, with errors that grow from cell to cell; the run is to notice nothing of that.
fn chain(cells: usize, coupling: &str, time_constant: fn(usize) -> f64) -> String {
    let size = format!("[{cells}]");
    let mut text =
        format!("model M Real x{size}(each start = 1, each fixed = true), y{size}, z{size}; equation\n");
    for i in 1..=cells {
        let before = if i > 1 { format!("+ {coupling}[{}]", i - 1) } else { String::new() };
        let behind = if i < cells { format!("+ 0.2*y[{}]", i + 1) } else { String::new() };
        text += &format!("y[{i}] + z[{i}] = x[{i}] {before}; z[{i}] = tanh(y[{i}]) - 0.1*der(x[{i}]);\n");
        text += &format!("{}*der(x[{i}]) = z[{i}] - x[{i}] {behind};\n", time_constant(i));
    }
    text + "end M;"
}

#[test]
fn chains_take_the_steps_of_untorn_ones() {
    let constants: [fn(usize) -> f64; 3] = [|_| 0.05, |i| 0.05 * i as f64, |i| 0.3 / i as f64];
    for time_constant in constants {
        for cells in [4, 6, 8, 14] {
            let text = chain(cells, "x", time_constant);
            let name = format!("x[{cells}]");
            let end = last(&run_torn(&text, Inline::Off, Tearing::Auto, 2.0, 1e-10), &name);
            for inline in [Inline::Bdf, Inline::Radau, Inline::Rosenbrock, Inline::Mixed] {
                let torn = run_torn(&text, inline, Tearing::Auto, 2.0, 1e-6);
                let untorn = run_torn(&text, inline, Tearing::Off, 2.0, 1e-6);
                assert_eq!(torn.attempts, 1, "{cells} cells, {inline:?}: digits are lost");
                // Without the look at how errors spread, six cells took ten times the steps.
                let (steps, most) = (torn.ended.statistics.steps, 2 * untorn.ended.statistics.steps + 20);
                assert!(steps < most, "{cells} cells, {inline:?}: {steps} steps, at most {most}");
                let error = (last(&torn, &name) - end).abs();
                assert!(error < 2e-5, "{cells} cells, {inline:?}: {error:e}");
            }
        }
    }
}

/// With algebraic variables on both sides the dynamics are one loop, in which digits were found lost in the run.
#[test]
fn loops_are_cut_before_the_run_loses_digits() {
    let text = chain(5, "0.3*z", |i| 0.05 * i as f64);
    for inline in [Inline::Off, Inline::Bdf, Inline::Radau] {
        let torn = run_torn(&text, inline, Tearing::Auto, 2.0, 1e-6);
        let untorn = run_torn(&text, inline, Tearing::Off, 2.0, 1e-6);
        assert_eq!(torn.attempts, 1, "{inline:?}: digits are lost");
        let difference = (last(&torn, "x[5]") - last(&untorn, "x[5]")).abs();
        assert!(difference < 2e-5, "{inline:?}: {difference:e}");
    }
}
