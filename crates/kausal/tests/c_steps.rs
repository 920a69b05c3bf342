//! Steps of one size in C: the same numbers as those of a run with the same method, through events, too.
//!
//! The oracle is `simulate` with its own solvers (the chord method, sparse matrices, machine code), told to iterate to the last digits
//! and to let events take effect at the ends of steps, as C does. What differs is rounding.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use kausal::simulate;
use kausal::{Backend, CSettings, Inline, Options, Program, Session, Settings, method_of};

/// Drives the model as the guide says and prints time and states.
const MAIN: &str = r#"
#include <stdio.h>
int main(void)
{
    static model m;
    model_start(&m);
    if (model_begin(&m, 0.0)) return 1;
    for (long i = 0; i < STEPS; i++) {
        if (model_advance(&m, SIZE)) {
            fprintf(stderr, "%s", m.message);
            return 2;
        }
    }
    printf("%.17g\n", m.time);
    for (int i = 0; i < SHOWN; i++) printf("%.17g\n", m.v[shown[i]]);
    return 0;
}
"#;

fn translated(model: &str, text: &str, inline: Inline) -> (Session, Program) {
    let mut session = Session::new();
    if !text.is_empty() {
        session.add_text("M.mo", text);
    }
    let flat = session.flatten(model).expect("a flat model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a program");
    (session, program)
}

/// Compiles strictly and runs; `None` where there is no compiler.
fn compiled(folder: &Path, source: &str) -> Option<Output> {
    std::fs::write(folder.join("main.c"), source).expect("a file");
    let compiled = Command::new("cc")
        .args(["-O1", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.c", "-lm", "-o", "main"])
        .current_dir(folder)
        .output()
        .ok()?;
    assert!(compiled.status.success(), "{}\n{source}", String::from_utf8_lossy(&compiled.stderr));
    Some(Command::new(folder.join("main")).output().expect("a run"))
}

/// What the C text calls are functions of `math.h`: nothing is allocated, read or written. Some compilers make calls of loops that
/// copy, whatever they are told.
fn assert_calls_mathematics_only(folder: &Path, c: &str) {
    const ALLOWED: [&str; 23] = [
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log10",
        "pow", "sqrt", "fabs", "fmin", "fmax", "floor", "ceil", "fmod", "round", "sincos",
    ];
    const MADE_OF_LOOPS: [&str; 3] = ["memset", "memcpy", "memmove"];
    std::fs::write(folder.join("alone.c"), c).expect("a file");
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(folder).output()
    };
    let object = run("cc", &["-std=c11", "-O2", "-c", "alone.c", "-o", "alone.o"]).expect("a compiler");
    assert!(object.status.success());
    let Ok(output) = run("nm", &["-u", "alone.o"]) else { return };
    let compiler = run("cc", &["--version"]).map(|output| output.stdout).unwrap_or_default();
    let listens = String::from_utf8_lossy(&compiler).contains("Free Software Foundation");
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let name = line.split_whitespace().last().unwrap_or_default();
        let excused = !listens && MADE_OF_LOOPS.contains(&name);
        // The linker's own begin with an underscore.
        assert!(name.starts_with('_') || ALLOWED.contains(&name) || excused, "the step calls {name}");
    }
}

/// One comparison: what is run, how, and by how much of its size a state may differ.
struct Case<'a> {
    model: &'a str,
    text: &'a str,
    inline: Inline,
    h: f64,
    steps: u32,
    order: usize,
    tolerance: f64,
    within: f64,
}

impl Default for Case<'_> {
    fn default() -> Self {
        // The iteration ends below a hundredth of the tolerance; states of these models are of size one.
        Case {
            model: "M",
            text: "",
            inline: Inline::ImplicitEuler,
            h: 1e-3,
            steps: 400,
            order: 2,
            tolerance: 1e-12,
            within: 1e-11,
        }
    }
}

/// Compares all states, and discrete variables, at the end of a run. How many events there were.
fn compare(case: &Case) -> u64 {
    let &Case { model, text, inline, h, steps, order, tolerance, within } = case;
    let (mut session, program) = translated(model, text, inline);
    let c = kausal::c_code_with(&program, CSettings { order, ..CSettings::default() }).expect("C");
    let discrete = program.discrete_variables.iter().copied();
    let shown: Vec<_> = program.states.iter().map(|state| state.variable).chain(discrete).collect();
    let slots: Vec<String> = shown.iter().map(|v| v.0.to_string()).collect();
    let names: Vec<String> = shown.iter().map(|v| program.variables[v.index()].name.clone()).collect();
    let main = MAIN.replace("STEPS", &steps.to_string()).replace("SIZE", &format!("{h:?}"));
    let main = main.replace("SHOWN", &shown.len().to_string());
    let source = format!("{c}\nstatic const int shown[] = {{{}, 0}};\n{main}", slots.join(", "));
    let folder = tempfile::tempdir().expect("a folder");
    let Some(output) = compiled(folder.path(), &source) else { return u64::MAX };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{model} {}: {:?} {said}", inline.name(), output.status);
    // Other methods call what these call.
    if matches!(inline, Inline::Bdf | Inline::Radau) && !model.ends_with("RobotArm") {
        assert_calls_mathematics_only(folder.path(), &c);
    }
    let numbers: Vec<f64> =
        String::from_utf8_lossy(&output.stdout).lines().map(|n| n.parse().expect("a number")).collect();
    let stop = h * f64::from(steps);
    let settings = Settings {
        stop,
        interval: stop,
        method: method_of(inline, true).expect("a method"),
        fixed_step: Some(h),
        max_order: order,
        tolerance,
        events_at_steps: true,
        ..Settings::default()
    };
    let machine = session.compile(program, Backend::Auto).expect("code");
    let run = simulate::run(Arc::new(machine), &settings, &|_| true, None, &mut |_| true);
    assert!(
        !run.diagnostics.iter().any(|d| d.is_error()),
        "{model} {}: {:?}",
        inline.name(),
        run.diagnostics
    );
    assert!((numbers[0] - stop).abs() <= 1e-12 * stop, "time is {}", numbers[0]);
    for (name, found) in names.iter().zip(&numbers[1..]) {
        // Helpers of discrete parts are not among results.
        let Some(column) = run.trajectory.get(name) else { continue };
        let expected = column[column.len() - 1];
        assert!(
            (found - expected).abs() <= within * expected.abs().max(1.0),
            "{model} {}: {name} = {found} in C and {expected} in the run",
            inline.name()
        );
    }
    run.statistics.state_events + run.statistics.time_events
}

const METHODS: [Inline; 6] =
    [Inline::Euler, Inline::ImplicitEuler, Inline::Trapezoidal, Inline::Bdf, Inline::Radau, Inline::Mixed];

/// A chain of cells, each with a nonlinear loop: one variable is enough to compute all others in sequence, but errors grow along it
/// from cell to cell.
fn chain(cells: usize) -> String {
    let mut text = format!(
        "model M Real x[{cells}](each start = 1, each fixed = true), y[{cells}], z[{cells}]; equation\n"
    );
    for i in 1..=cells {
        let before = if i > 1 { format!("+ x[{}]", i - 1) } else { String::new() };
        let behind = if i < cells { format!("+ 0.2*y[{}]", i + 1) } else { String::new() };
        text += &format!("y[{i}] + z[{i}] = x[{i}] {before}; z[{i}] = tanh(y[{i}]) - 0.1*der(x[{i}]);\n");
        text += &format!("{}*der(x[{i}]) = z[{i}] - x[{i}] {behind};\n", 0.05 * i as f64);
    }
    text + "end M;"
}

#[test]
fn chains_keep_their_digits() {
    for cells in [4, 8, 12] {
        let text = chain(cells);
        for inline in [Inline::ImplicitEuler, Inline::Trapezoidal, Inline::Bdf, Inline::Radau] {
            for h in [1e-3, 0.02] {
                let (steps, within) = (100, 1e-9);
                compare(&Case { text: &text, inline, h, steps, within, ..Case::default() });
            }
        }
    }
}

/// Circuits, mechanics, heat, chemistry, control: linear steps, torn ones, banded matrices, guards, selected states.
#[test]
fn examples_of_the_library_take_the_same_steps() {
    for model in [
        "TwoFilters",
        "Chua",
        "HeatedRod",
        "Reaction",
        "DoublePendulum",
        "SliderCrank",
        "MotorControl",
        "RobotArm",
    ] {
        for inline in METHODS {
            // Explicit formulas are not for what is stiff.
            let explicit = matches!(inline, Inline::Euler | Inline::Mixed);
            let stiff = explicit && matches!(model, "TwoFilters" | "HeatedRod" | "Reaction" | "MotorControl");
            let (h, steps) = if stiff { (1e-6, 200) } else { (1e-3, 200) };
            // Compilers take their time with large models.
            if model == "RobotArm" && !matches!(inline, Inline::ImplicitEuler | Inline::Bdf) {
                continue;
            }
            let model = format!("Kausal.Examples.{model}");
            compare(&Case { model: &model, inline, h, steps, ..Case::default() });
        }
    }
}

/// Friction that sticks and slips, clutches, a controller with samples, a ball that bounces, switches: with state events, time
/// events, `pre`, `reinit` and mixed systems of equations.
#[test]
fn events_take_effect_at_the_same_steps() {
    for (model, h, steps) in [
        ("StickSlip", 1e-3, 1_500),
        ("CoupledClutches", 1e-3, 1_500),
        ("SampledControl", 1e-2, 300),
        ("BouncingBall", 1e-3, 2_000),
        ("Thermostat", 30.0, 1_000),
        ("BuckConverter", 1e-6, 500),
        ("Rectifier", 1e-4, 500),
        ("FrictionOscillator", 1e-3, 3_000),
    ] {
        for inline in [Inline::ImplicitEuler, Inline::Trapezoidal, Inline::Bdf, Inline::Radau] {
            let model = format!("Kausal.Examples.{model}");
            let events = compare(&Case { model: &model, inline, h, steps, ..Case::default() });
            assert!(events > 0, "{model} has no events");
        }
    }
}

/// The past of backward differentiation formulas begins anew behind events, and is kept where an event changes nothing that the
/// continuous part reads.
#[test]
fn all_orders_of_bdf() {
    let text = "model M
      Real x(start = 1, fixed = true), y(start = 0, fixed = true);
      discrete Real u(start = 0.3, fixed = true); Integer n(start = 0, fixed = true);
    equation
      der(x) = -x*y - sin(time) + u;
      der(y) = x^2 - y^3;
      when sample(0.1, 0.1) then n = pre(n) + 1; end when;
      when y > 0.4 then u = -0.5; end when;
    end M;";
    for order in 1..=5 {
        let case = Case { text, inline: Inline::Bdf, order, h: 5e-3, ..Case::default() };
        assert!(compare(&case) > 10);
    }
}

/// The model counts itself how often each thing happens: ticks that fall between steps, two at once, `initial()`, `pre` of a
/// continuous variable, a chain of `when` clauses at one instant.
#[test]
fn everything_happens_as_often() {
    let text = "model M
      Real x(start = 0, fixed = true), jump(start = 0, fixed = true);
      Integer fast(start = 0, fixed = true), slow(start = 0, fixed = true), chain(start = 0, fixed = true), starts;
      Real before(start = 0, fixed = true);
    equation
      der(x) = 1 + 0.1*x;
      der(jump) = 0;
      when sample(0, 0.003) then fast = pre(fast) + 1; end when;
      when sample(0.0005, 0.017) then slow = pre(slow) + 1; end when;
      when time >= 0.0505 then before = pre(x); reinit(jump, x); end when;
      when jump > 0 then chain = pre(chain) + 1; end when;
      when initial() then starts = 1; end when;
    end M;";
    for inline in [Inline::ImplicitEuler, Inline::Bdf] {
        compare(&Case { text, inline, h: 1e-2, steps: 20, ..Case::default() });
    }
}

/// Which coordinate of a pendulum is the state changes as it goes round.
#[test]
fn states_are_selected_anew() {
    let text = "model M
      Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 3.0, fixed = true), vy, F;
    equation
      der(x) = vx; der(y) = vy;
      der(vx) = -F*x; der(vy) = -F*y - 9.81;
      x^2 + y^2 = 1;
    end M;";
    for inline in [Inline::ImplicitEuler, Inline::Bdf] {
        let (_, program) = translated("M", text, inline);
        assert!(!program.state_sets.is_empty());
        compare(&Case { text, inline, steps: 1_500, ..Case::default() });
    }
}

/// A model without states has steps, too: time goes on, and what is discrete with it.
#[test]
fn without_states() {
    let text = "model M
      Integer n(start = 0, fixed = true); Real y;
    equation
      y = sin(time)*n;
      when sample(0, 0.05) then n = pre(n) + 1; end when;
    end M;";
    compare(&Case { text, h: 1e-2, steps: 100, ..Case::default() });
}

/// The step of the paper's feedback example reads like its listing in `docs/papers.md`: the system of seven, torn at one variable,
/// inside it the linear system of three, and behind each assignment the equation of the model.
#[test]
fn the_text_reads_like_the_listing() {
    let text = include_str!("../../../examples/papers/Feedback.mo");
    let (_, program) = translated("Feedback", text, Inline::Bdf);
    let c = kausal::c_code(&program).expect("C");
    let mut rest = c.as_str();
    for line in [
        "/* COMPUTED WHEN h CHANGES */",
        "/* Q104 = Q102 + h*Q103 */",
        "/* TORN NONLINEAR EQUATIONS: from x to the residues Q108 */",
        "/* Feedback. [y] = x + 0.1*x^3 */",
        "/* SYSTEM OF 3 SIMULTANEOUS EQUATIONS */",
        "/* UNKNOWN VARIABLES: der(x2), x1, x2 */",
        "/* TEARING VARIABLES AND RESIDUES */",
        "/*   x2    Feedback. x2 = old(x2) + der(x2)*h */",
        "/* x2 = Q107/Q106 */",
        "/* Feedback. [x1] = old(x1) + x2*h */",
        "/* END OF SYSTEM OF SIMULTANEOUS EQUATIONS */",
        "/* Feedback. [u] = -x1*k */",
        "/* Feedback. [der(x)] = u - x - x^3 + sin(time) */",
        "/* Q108 = x - old(x) - der(x)*h */",
        "/* SYSTEM OF 7 SIMULTANEOUS NONLINEAR EQUATIONS */",
        "/* NONLINEAR TEARING VARIABLES AND RESIDUES */",
        "/*   x    Feedback. x = old(x) + der(x)*h */",
    ] {
        let at = rest.find(line).unwrap_or_else(|| panic!("{line} is not where it should be in\n{c}"));
        rest = &rest[at + line.len()..];
    }
}

/// Prints whether something failed, whether everything is as it was, and what was said; and whether a small step that goes well
/// afterwards takes that back.
const ATTEMPT: &str = r#"
#include <stdio.h>
static model m, before;
int main(void)
{
    model_start(&m);
    if (model_begin(&m, 0.0)) return 1;
    if (model_step(&m, 1e-9) || m.message) return 2;
    before = m;
    const int failed = ATTEMPT(&m, 1.0);
    int same = m.time == before.time && m.restart == before.restart && m.warning == before.warning;
    for (int i = 0; i < model_variables; i++) {
        same &= m.v[i] == before.v[i] && m.pre[i] == before.pre[i];
    }
    printf("%s, %s: %s", failed ? "failed" : "done", same ? "the same" : "changed", failed ? m.message : "");
    if (model_step(&m, 1e-9)) return 3;
    return m.message ? 4 : 0;
}
"#;

/// A step that has no solution leaves everything as it was, and says what is wrong; so does one that may not take as many
/// iterations as it needs. What is wrong behind a good step is said, too.
#[test]
fn a_step_that_fails_changes_nothing() {
    let attempt = |equations: &str, function: &str, iterations: u32| {
        let text = format!(
            "model M Real x(start = 1, fixed = true), z(start = 2, fixed = true); equation {equations} end M;"
        );
        let (_, program) = translated("M", &text, Inline::ImplicitEuler);
        let c = kausal::c_code_with(&program, CSettings { iterations, ..CSettings::default() }).expect("C");
        let folder = tempfile::tempdir().expect("a folder");
        let output = compiled(folder.path(), &format!("{c}{}", ATTEMPT.replace("ATTEMPT", function)))?;
        assert!(output.status.success(), "{equations}: {:?}", output.status);
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let stiff = "der(x) = -100*exp(10*x); der(z) = -z;";
    // x = 1 + (1 + x^2) has no real solution.
    let none = "der(x) = 1 + x^2; der(z) = -z;";
    let low = "der(x) = -x^3; der(z) = -z; assert(z > 1.9, \"z is low\");";
    if let Some(said) = attempt(stiff, "model_step", 2) {
        assert_eq!(said, "failed, the same: nonlinear system 1 (x) needs more than 2 iterations");
    }
    if let Some(said) = attempt(stiff, "model_step", 50) {
        assert_eq!(said, "done, changed: ");
    }
    if let Some(said) = attempt(none, "model_step", 50) {
        assert!(said.starts_with("failed, the same: nonlinear system 1 (x) "), "{said}");
    }
    if let Some(said) = attempt(low, "model_advance", 50) {
        assert_eq!(said, "failed, changed: z is low");
    }
}

/// Drives a model until something fails, and prints which function it was in, when, and what was said.
const UNTIL_IT_FAILS: &str = r#"
#include <stdio.h>
static model m;
static int failed(const char *where)
{
    printf("%s at %.1f: %s", where, m.time, m.message);
    return 0;
}
int main(void)
{
    model_start(&m);
    if (model_begin(&m, 0.0)) return failed("begin");
    for (int k = 0; k < 20; k++) {
        if (model_outputs(&m)) return failed("outputs");
        if (model_step(&m, 0.1)) return failed("step");
        if (model_events(&m)) return failed("events");
    }
    return 1;
}
"#;

/// What is not a number is no result: where a run would end, the function that computed it says so.
#[test]
fn what_is_not_a_number_does_not_pass() {
    // The declarations and equations, and where it must fail, with which variable.
    let cases = [
        // Index reduction makes the derivative of x an algebraic variable.
        (
            "Real x, y, z, w(start = 0, fixed = true);",
            "der(x) = y; x = sin(time); z = sqrt(y - 2); der(w) = z;",
            "begin",
            "z",
        ),
        ("Real x(start = 0, fixed = true), y;", "der(x) = 1; y = 1/x;", "begin", "y"),
        ("parameter Real a = -1, p = sqrt(a); Real x(start = 0, fixed = true);", "der(x) = p;", "begin", "p"),
        (
            "Real x(start = 0, fixed = true), z(start = 0, fixed = true);",
            "der(x) = 1; der(z) = sqrt(0.55 - x);",
            "step",
            "der(z)",
        ),
        ("Real x(start = 0, fixed = true), y;", "der(x) = 1; y = sqrt(0.55 - x);", "outputs", "y"),
        (
            "Real x(start = 0, fixed = true); discrete Real d(start = 0, fixed = true);",
            "der(x) = 1; when x > 0.55 then d = sqrt(0.55 - x); end when;",
            "events",
            "d",
        ),
    ];
    for (declarations, equations, place, name) in cases {
        let text = format!("model M {declarations} equation {equations} end M;");
        for inline in [Inline::Euler, Inline::ImplicitEuler, Inline::Bdf, Inline::Radau] {
            let (_, program) = translated("M", &text, inline);
            let c = kausal::c_code(&program).expect("C");
            let folder = tempfile::tempdir().expect("a folder");
            let Some(output) = compiled(folder.path(), &format!("{c}{UNTIL_IT_FAILS}")) else { return };
            let said = String::from_utf8_lossy(&output.stdout);
            let expected =
                said.starts_with(place) && said.contains(&format!(": {name} is not a finite number"));
            assert!(output.status.success() && expected, "{equations} {}: {said}", inline.name());
        }
    }
}
