//! All examples of the library with the two simple implicit formulas inlined: as exact as the same formula behind the classical
//! interface, where the integrator iterates on all states.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Session, Settings};

/// So many points are compared.
const POINTS: u32 = 50;

fn run(model: &str, inline: Inline, settings: impl Fn(f64) -> Settings) -> (Run, Vec<String>) {
    let mut session = Session::new();
    let flat = session.flatten(model).expect("an example");
    // Chaos magnifies rounding errors without end.
    let part = if model.ends_with(".Chua") { 0.2 } else { 1.0 };
    let stop = part * flat.experiment.stop.unwrap_or(1.0);
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a program");
    let states = program.states.iter().map(|s| program.variables[s.variable.index()].name.clone()).collect();
    let compiled = session.compile(program, Backend::Auto).expect("code");
    let settings = Settings { stop, interval: stop / f64::from(POINTS), ..settings(stop) };
    (simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true), states)
}

/// The values of a variable at the output points; at events those behind.
fn samples(run: &Run, name: &str, stop: f64) -> Vec<f64> {
    let (time, values) = (&run.trajectory.time, run.trajectory.get(name).expect("a state"));
    let at = |k: u32| {
        let t = stop * f64::from(k) / f64::from(POINTS);
        let behind = time.partition_point(|&at| at <= t + 1e-9 * stop);
        values[behind - 1]
    };
    (1..=POINTS).map(at).collect()
}

/// States below this size are rounding errors.
const NOTHING: f64 = 1e-9;

/// The largest difference of two runs in a state, relative to the size of that state in the first one.
fn difference(a: &Run, b: &Run, states: &[String]) -> f64 {
    let stop = a.trajectory.time.last().copied().unwrap_or_default();
    let of = |name: &String| {
        let (a, b) = (samples(a, name, stop), samples(b, name, stop));
        let size = a.iter().fold(NOTHING, |size, x| size.max(x.abs()));
        a.iter().zip(&b).fold(0.0_f64, |largest, (a, b)| largest.max((a - b).abs() / size))
    };
    states.iter().map(of).fold(0.0, f64::max)
}

fn all(check: impl Fn(&str) -> Result<(), String>) {
    let examples = kausal::examples::examples();
    assert!(examples.len() > 30);
    let failures: Vec<String> = examples.iter().filter_map(|(name, _)| check(name).err()).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The oracle is a run with a tolerance of 1e-9. Both ways to take steps of order one have nearly the same errors, whether these
/// are large, as in motion that nothing damps, or small.
#[test]
fn implicit_euler_is_as_exact_inlined() {
    const TOLERANCE: f64 = 1e-5;
    all(|model| {
        let (exact, states) =
            run(model, Inline::Off, |_| Settings { tolerance: 1e-9, ..Settings::default() });
        let first_order =
            |_| Settings { tolerance: TOLERANCE, method: Method::Bdf, max_order: 1, ..Settings::default() };
        let (inlined, _) = run(model, Inline::ImplicitEuler, first_order);
        let (classical, _) = run(model, Inline::Off, first_order);
        if let Some(d) = inlined.diagnostics.iter().find(|d| d.is_error()) {
            return Err(format!("{model}: {}", d.message));
        }
        let (on, off) = (difference(&exact, &inlined, &states), difference(&exact, &classical, &states));
        let bound = 3.0 * off + TOLERANCE;
        if on <= bound { Ok(()) } else { Err(format!("{model}: {on:e} inlined, {off:e} not")) }
    });
}

/// Steps of one size are iterated to rounding either way, so the results are the same as long as rounding is not magnified.
#[test]
fn trapezoidal_steps_are_the_same_inlined() {
    all(|model| {
        let steps = |stop: f64| Settings {
            method: Method::Trapezoidal,
            fixed_step: Some(stop / 5_000.0),
            tolerance: 1e-9,
            ..Settings::default()
        };
        let (inlined, states) = run(model, Inline::Trapezoidal, steps);
        let (classical, _) = run(model, Inline::Off, steps);
        let error = |run: &Run| run.diagnostics.iter().find(|d| d.is_error()).map(|d| d.message.clone());
        // What begins or jumps faster than any step of one size has no solution.
        match (error(&inlined), error(&classical)) {
            (None, None) => {}
            (_, Some(_)) => return Ok(()),
            (Some(said), None) => return Err(format!("{model}: {said}")),
        }
        let apart = difference(&classical, &inlined, &states);
        if apart <= 1e-6 { Ok(()) } else { Err(format!("{model}: {apart:e} apart")) }
    });
}
