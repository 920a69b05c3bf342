//! Functions in models: several outputs, loops, records, recursion, strings, failures.

mod support;

use kausal::{Diagnostic, Program, Session, Trajectory};
use kausal_translate::program::Step;
use support::Outcome;

/// Runs a model that must come to its end; gives its result.
fn result(text: &str) -> Trajectory {
    let (_, diagnostics, outcome) = support::run("M", text);
    match outcome {
        Outcome::Ran(run) if !diagnostics.iter().any(Diagnostic::is_error) => run.trajectory,
        _ => panic!("{diagnostics:?}"),
    }
}

/// Runs a model that must not; gives what it says.
fn failure(text: &str) -> String {
    let (_, diagnostics, _) = support::run("M", text);
    let errors: Vec<String> =
        diagnostics.iter().filter(|d| d.is_error()).map(|d| format!("{}: {}", d.code, d.message)).collect();
    assert!(!errors.is_empty(), "it must fail");
    errors.join("\n")
}

fn program(text: &str) -> Program {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a model");
    session.translate(&flat, &Default::default()).expect("a program")
}

fn end(trajectory: &Trajectory, name: &str) -> f64 {
    *trajectory.get(name).unwrap_or_else(|| panic!("no {name}")).last().expect("a value")
}

/// How many calls steps make, those in branches included.
fn calls(steps: &[Step]) -> usize {
    let one = |step: &Step| match step {
        Step::Call(_) => 1,
        Step::If(_, then, otherwise) => calls(then) + calls(otherwise),
        _ => 0,
    };
    steps.iter().map(one).sum()
}

/// Loops of a length that depends on values cannot become formulas.
const SPLIT: &str = "
function split
  input Real x;
  output Real whole;
  output Real part;
  output Real rounds;
algorithm
  part := x;
  whole := 0;
  rounds := 0;
  while part >= 1 loop
    part := part - 1;
    whole := whole + 1;
    rounds := rounds + 1;
  end while;
end split;";

#[test]
fn a_call_with_several_outputs_is_made_once() {
    let text = format!(
        "{SPLIT} model M
           Real w, p, w2, r; Real x(start = 0, fixed = true);
         equation
           der(x) = 1;
           (w, p, r) = split(3*x + 1.25);
           w2 = 2*split(3*x + 1.25);
         annotation(experiment(StopTime = 1)); end M;"
    );
    let t = result(&text);
    // 3 + 1.25 = 4.25
    assert_eq!(end(&t, "w"), 4.0);
    assert!((end(&t, "p") - 0.25).abs() < 1e-9);
    assert_eq!(end(&t, "r"), 4.0);
    assert_eq!(end(&t, "w2"), 8.0);
    let program = program(&text);
    assert_eq!(calls(&program.dynamics) + calls(&program.outputs), 1);
}

#[test]
fn what_depends_on_parameters_is_called_once_at_the_start() {
    let text = format!(
        "{SPLIT} model M
           parameter Real a = 2.5; Real w, p, s; Real x(start = 0, fixed = true);
         equation
           der(x) = w*x + 1;
           (w, p) = split(a);
           s = x + split(2*a)*x;
         annotation(experiment(StopTime = 1)); end M;"
    );
    let program = program(&text);
    assert_eq!(calls(&program.dynamics) + calls(&program.outputs), 0);
    assert!(calls(&program.parameters) >= 2);
    let t = result(&text);
    // x' = 2x + 1 from 0: (e^2 - 1)/2; s = x + 5x.
    let x = (1f64.exp().powi(2) - 1.0) / 2.0;
    assert!((end(&t, "x") - x).abs() < 1e-4);
    assert!((end(&t, "s") - 6.0 * x).abs() < 1e-3);
}

#[test]
fn arrays_records_and_recursion() {
    let t = result(
        "record Point Real x; Real y; end Point;
         function move input Point p; input Real d[2]; output Point q;
         algorithm q := Point(p.x + d[1], p.y + d[2]); end move;
         function fib input Integer n; output Integer f;
         algorithm if n < 2 then f := n; else f := fib(n - 1) + fib(n - 2); end if; end fib;
         function sort input Real a[:]; output Real b[size(a, 1)];
         protected Real t; Boolean again;
         algorithm
           b := a; again := true;
           while again loop
             again := false;
             for i in 1:size(a, 1) - 1 loop
               if b[i] > b[i + 1] then t := b[i]; b[i] := b[i + 1]; b[i + 1] := t; again := true; end if;
             end for;
           end while;
         end sort;
         model M
           Real s[4] = sort({sin(3*time), time, 0.5, -time});
           Integer k = integer(10*time + 0.5);
           Integer f = fib(k);
           Point p = move(Point(time, 2), {1, time});
         annotation(experiment(StopTime = 1)); end M;",
    );
    let sorted = [-1.0, 3f64.sin(), 0.5, 1.0];
    for (k, value) in sorted.iter().enumerate() {
        assert!((end(&t, &format!("s[{}]", k + 1)) - value).abs() < 1e-12);
    }
    assert_eq!(end(&t, "f"), 55.0);
    assert_eq!((end(&t, "p.x"), end(&t, "p.y")), (2.0, 3.0));
}

/// A branch that does not count is not called: it would fail.
#[test]
fn only_the_branch_that_counts_is_called() {
    let t = result(
        "function root input Real x; output Real y;
         algorithm
           assert(x >= 0, \"root of a negative number\");
           y := 1;
           while abs(y*y - x) > 1e-12 loop y := (y + x/y)/2; end while;
         end root;
         model M
           Real u = time - 0.5;
           Real y = if noEvent(u > 0) then root(u) elseif noEvent(u > -0.2) then 0 else -root(-u - 0.2);
         annotation(experiment(StopTime = 1)); end M;",
    );
    assert!((end(&t, "y") - 0.5f64.sqrt()).abs() < 1e-9);
    assert!((t.get("y").expect("y")[0] + 0.3f64.sqrt()).abs() < 1e-9);
}

#[test]
fn a_subscript_out_of_bounds_is_an_error_with_its_place() {
    let said = failure(
        "function pick input Real a[3]; input Integer k; output Real y;
         algorithm y := a[k]; end pick;
         model M
           Real x(start = 0, fixed = true);
           Integer k(start = 1, fixed = true);
           Real y = pick({1, 2, 3}, k);
         equation
           der(x) = y;
           when sample(0.1, 0.1) then k = pre(k) + 1; end when;
         annotation(experiment(StopTime = 1)); end M;",
    );
    assert!(said.contains("pick") && said.contains('4') && said.contains('3'), "{said}");
}

#[test]
fn messages_are_computed() {
    let said = failure(
        "model M
           Real x(start = 0, fixed = true);
         equation
           der(x) = 2;
           assert(x < 1 or time > 5, \"x = \" + String(x > 0) + \" after \" + String(integer(10*time)) + \" tenths\");
         annotation(experiment(StopTime = 1)); end M;",
    );
    assert!(said.contains("x = true after 5 tenths"), "{said}");
}

#[test]
fn strings_are_made_at_run_time() {
    let said = failure(
        "function label input Real x; input String name; output String s;
         algorithm s := name; for i in 1:integer(x) loop s := s + \"!\"; end for; end label;
         model M
           parameter Real a = 2.2;
           parameter String name = \"hot\";
           final parameter String full = label(a, name);
           Real x(start = 0, fixed = true);
         equation
           der(x) = 1;
           assert(x < 0.5, full + \" at \" + label(3*x, \"t\"));
         annotation(experiment(StopTime = 1)); end M;",
    );
    assert!(said.contains("hot!! at t!"), "{said}");
}

/// A warning inside a function is said once, and the value is still there.
#[test]
fn warnings_of_functions_are_said() {
    let (_, diagnostics, outcome) = support::run(
        "M",
        "function f input Real x; output Real y;
         algorithm
           assert(x < 0.5, \"x is large\", AssertionLevel.warning);
           y := 0;
           while y < x loop y := y + 0.25; end while;
         end f;
         model M Real y = f(time); annotation(experiment(StopTime = 1)); end M;",
    );
    let Outcome::Ran(run) = outcome else { panic!("{diagnostics:?}") };
    assert_eq!(end(&run.trajectory, "y"), 1.0);
    let warnings: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(warnings.iter().filter(|w| w.contains("x is large")).count(), 1, "{warnings:?}");
}

/// `x + x^2 + x^3 + x^4` in a loop, twice differentiated: finite at zero, where `k*(k - 1)*x^(k - 2)` alone is not.
#[test]
fn powers_with_a_running_exponent_have_derivatives_at_zero() {
    let text = "
function f
  input Real x;
  output Real y;
algorithm
  y := 0;
  for k in 1:4 loop
    y := y + x^k;
  end for;
  annotation(Inline = false);
end f;
model M
  Real x = f(time);
  Real v = der(x);
  Real a = der(v);
end M;";
    let trajectory = result(text);
    let a = trajectory.get("a").expect("a");
    for (t, a) in trajectory.time.iter().zip(a) {
        assert!((a - (2.0 + 6.0 * t + 12.0 * t * t)).abs() < 1e-9, "{t}: {a}");
    }
}

/// Literals keep their type as texts, in functions as well; enumeration values are written by name, whenever they are known.
#[test]
fn values_as_texts() {
    let text = "
type E = enumeration(one, two);
function f
  input Integer k;
  output String s;
algorithm
  s := String(true) + \",\" + String(3 > 2) + \",\" + String(1e10) + \",\" + String(12345678.0) + \",\" + String(2*k);
  annotation(Inline = false);
end f;
model M
  parameter E e = E.two;
  E varying = if time > 0.5 then E.one else E.two;
equation
  assert(time < 0.7, String(e) + \",\" + String(varying) + \",\" + String(E.two, minimumLength = 5) + \"|\" + f(3));
end M;";
    let said = failure(text);
    assert!(said.contains("two,one,two  |true,true,1e+10,1.23457e+07,6"), "{said}");
}

/// A vector whose size depends on data stays inside; what comes out is a number.
#[test]
fn sizes_that_depend_on_data_inside_a_function() {
    let text = "
      function positive
        input Real x[:];
        output Real y[:];
      algorithm
        y := fill(0.0, 0);
        for i in 1:size(x, 1) loop
          if x[i] > 0 then
            y := cat(1, y, {x[i]});
          end if;
        end for;
      end positive;
      function total
        input Real x[:];
        output Real s;
      protected
        Real p[:] = positive(x);
      algorithm
        s := sum(p) + size(p, 1);
      end total;
      model M
        Real y = total({time, -time, time - 0.5});
      end M;";
    // 1 + 0.5 and two of them.
    assert!((end(&result(text), "y") - 3.5).abs() < 1e-12);
    let c = kausal::c_code(&program(text)).expect("C text");
    assert!(c.contains("kausal_arena arena;"), "{c}");
}

/// Whole numbers up to 2^53 are exact, in functions too.
#[test]
fn integers_are_exact_or_an_error() {
    let model = |k: &str| {
        format!(
            "function f input Integer n; output Integer y; algorithm y := mod(n*n, 1000); annotation(Inline = false); end f;
             model M Integer k(start = 0, fixed = true); Real x = f(k); equation when time > 0.5 then k = {k}; end when; end M;"
        )
    };
    // 94906265^2 = 9007199136250225 is just below 2^53, 94906267^2 above.
    assert_eq!(end(&result(&model("94906265")), "x"), 225.0);
    let said = failure(&model("94906267"));
    assert!(said.contains("too large for an Integer"), "{said}");
    // The same as a formula.
    let inlined = model("94906267").replace("Inline = false", "Inline = true");
    assert!(failure(&inlined).contains("too large for an Integer"));
}

/// So they are in equations, parameters and constants.
#[test]
fn integers_in_equations_are_exact_or_an_error() {
    for value in ["mod(k*k, 1000)", "rem(k*k, 1000)", "k*k - 1000*div(k*k, 1000)"] {
        for text in [
            "model M parameter Integer k = NUMBER; parameter Integer n = VALUE; Real x = time; end M;",
            "model M constant Integer k = NUMBER; parameter Integer n = VALUE; Real x = time; end M;",
            "model M parameter Integer k = NUMBER; Integer n = if time < 0.5 then 225 else VALUE; end M;",
            "model M Integer k(start = NUMBER, fixed = true); Integer n = VALUE;
               equation when time > 9 then k = 0; end when; end M;",
        ] {
            let model = |k: &str| text.replace("VALUE", value).replace("NUMBER", k);
            assert_eq!(end(&result(&model("94906265")), "n"), 225.0, "{value} in {text}");
            let said = failure(&model("94906267"));
            assert!(said.contains("too large") || said.contains("lost digits"), "{value} in {text}: {said}");
        }
    }
    // A parameter that has lost digits has none to pass on.
    let said =
        failure("model M parameter Integer k = 94906267; parameter Integer n = k*k; Real x = time; end M;");
    assert!(said.contains("the Integer n is too large"), "{said}");
    // A branch that is not taken may be too large.
    let kept =
        "model M parameter Integer k = 94906267; Integer n = if time < 9 then 1 else mod(k*k, 7); end M;";
    assert_eq!(end(&result(kept), "n"), 1.0);
}
