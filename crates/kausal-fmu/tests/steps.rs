//! Co-Simulation in parts, and states of instances that are taken up again.

mod support;

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use kausal_fmi::references::{Reference, Setting};
use kausal_fmu::{fmi2, fmi3, states};
use support::Fmu;

const OK: c_int = 0;
const ERROR: c_int = 3;

/// A ball that bounces and counts, and remembers where it was.
const BALL: &str = "model Ball
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
  Real late = delay(h, 0.1);
  discrete Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
    n = pre(n) + 1;
  end when;
end Ball;";

fn number(c: *mut c_void, reference: u32) -> f64 {
    let mut value = f64::NAN;
    assert_eq!(fmi3::fmi3GetFloat64(c, &reference, 1, &mut value, 1), OK);
    value
}

fn whole(c: *mut c_void, reference: u32) -> i32 {
    let mut value = i32::MIN;
    assert_eq!(fmi3::fmi3GetInt32(c, &reference, 1, &mut value, 1), OK);
    value
}

fn initialised(c: *mut c_void) {
    assert_eq!(fmi3::fmi3EnterInitializationMode(c, true, 1e-8, 0.0, false, 0.0), OK);
    assert_eq!(fmi3::fmi3ExitInitializationMode(c), OK);
}

/// Where a step came to: is there an event, did it return early, and when?
fn step(c: *mut c_void, from: f64, by: f64) -> (bool, bool, f64) {
    let (mut event, mut end, mut early, mut reached) = (false, false, false, f64::NAN);
    assert_eq!(fmi3::fmi3DoStep(c, from, by, true, &mut event, &mut end, &mut early, &mut reached), OK);
    assert!(!end);
    (event, early, reached)
}

/// What is in a state as bytes.
fn bytes_of(c: *mut c_void) -> Vec<u8> {
    let mut state = null_mut();
    assert_eq!(states::fmi3GetFMUState(c, &mut state), OK);
    let mut size = 0;
    assert_eq!(states::fmi3SerializedFMUStateSize(c, state, &mut size), OK);
    let mut bytes = vec![0; size];
    assert_eq!(states::fmi3SerializeFMUState(c, state, bytes.as_mut_ptr(), size), OK);
    assert_eq!(states::fmi3FreeFMUState(c, &mut state), OK);
    assert!(state.is_null());
    bytes
}

fn take_up(c: *mut c_void, bytes: &[u8]) -> c_int {
    let mut state = null_mut();
    let read = states::fmi3DeserializeFMUState(c, bytes.as_ptr(), bytes.len(), &mut state);
    if read != OK {
        return read;
    }
    let done = states::fmi3SetFMUState(c, state);
    assert_eq!(states::fmi3FreeFMUState(c, &mut state), OK);
    done
}

/// What an instance goes on to, bit for bit: heights at the ends of steps, and the number of bounces.
fn course(c: *mut c_void, fmu: &Fmu, from: u32) -> Vec<u64> {
    let mut all = Vec::new();
    for k in from..from + 20 {
        step(c, 0.05 * f64::from(k), 0.05);
        all.push(number(c, fmu.reference("h")).to_bits());
        all.push(number(c, fmu.reference("late")).to_bits());
        all.push(whole(c, fmu.reference("n")) as u64);
    }
    all
}

#[test]
fn a_run_is_taken_up_bit_for_bit() {
    let fmu = Fmu::new(BALL);
    let log = Mutex::new(Vec::new());
    let (one, other) = (fmu.co_simulation(&log, false, None), fmu.co_simulation(&log, false, None));
    assert!(!one.is_null() && !other.is_null(), "{log:?}");
    initialised(one);
    (0..7).for_each(|k| _ = step(one, 0.05 * f64::from(k), 0.05));
    let bytes = bytes_of(one);
    let expected = course(one, &fmu, 7);
    assert!(whole(one, fmu.reference("n")) >= 1);
    // Back in the same instance, and on in one that has not even begun.
    assert_eq!(take_up(one, &bytes), OK, "{log:?}");
    assert_eq!(course(one, &fmu, 7), expected);
    assert_eq!(take_up(other, &bytes), OK, "{log:?}");
    assert_eq!(course(other, &fmu, 7), expected);
    // Bytes that were changed on the way, cut off, or are of another model are refused, and the run goes on.
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    assert_eq!(take_up(one, &damaged), ERROR);
    assert_eq!(take_up(one, &bytes[..20]), ERROR);
    let another = Fmu::new(&BALL.replace("0.8", "0.7"));
    let stranger = another.co_simulation(&log, false, None);
    assert_eq!(take_up(stranger, &bytes), ERROR);
    step(one, 1.35, 0.05);
    let said = log.lock().expect("one thread").join("\n");
    assert!(
        said.contains("damaged") && said.contains("truncated") && said.contains("another model"),
        "{said}"
    );
    [one, other, stranger].into_iter().for_each(|c| fmi3::fmi3FreeInstance(c));
}

/// Before the initialisation, in it, and in the hands of an integrator from outside.
#[test]
fn values_are_taken_up_in_every_mode() {
    let fmu = Fmu::new(BALL);
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    let h = fmu.reference("h");
    assert_eq!(fmi3::fmi3SetFloat64(c, &h, 1, &2.0, 1), OK);
    let made = bytes_of(c);
    assert_eq!(fmi3::fmi3SetFloat64(c, &h, 1, &3.0, 1), OK);
    assert_eq!(take_up(c, &made), OK, "{log:?}");
    initialised(c);
    assert_eq!(number(c, h), 2.0);
    let (mut again, mut end, mut nominals, mut values, mut defined, mut next) =
        (true, false, false, false, false, 0.0);
    let (a, e, n) = (&mut again, &mut end, &mut nominals);
    assert_eq!(fmi3::fmi3UpdateDiscreteStates(c, a, e, n, &mut values, &mut defined, &mut next), OK);
    assert_eq!(fmi3::fmi3EnterContinuousTimeMode(c), OK);
    let at = |t: f64, states: [f64; 2]| {
        assert_eq!(fmi3::fmi3SetTime(c, t), OK);
        assert_eq!(fmi3::fmi3SetContinuousStates(c, states.as_ptr(), 2), OK);
        let (mut event, mut end) = (false, false);
        assert_eq!(fmi3::fmi3CompletedIntegratorStep(c, true, &mut event, &mut end), OK);
    };
    at(0.1, [1.9, -1.0]);
    let running = bytes_of(c);
    at(0.2, [1.7, -2.0]);
    let late = number(c, fmu.reference("late")).to_bits();
    at(0.3, [1.0, -3.0]);
    assert_eq!(take_up(c, &running), OK, "{log:?}");
    assert_eq!(number(c, h), 1.9);
    at(0.2, [1.7, -2.0]);
    assert_eq!(number(c, fmu.reference("late")).to_bits(), late);
    fmi3::fmi3FreeInstance(c);
}

/// With the event mode a step ends at each event; values are those before it until it is handled.
#[test]
fn events_are_shown_from_both_sides() {
    let text = "model Stairs
      Real x(start = 0, fixed = true);
      discrete Real y(start = 5, fixed = true);
    equation
      der(x) = 1;
      when x > 0.55 then
        y = 7;
      end when;
    end Stairs;";
    let fmu = Fmu::new(text);
    let log = Mutex::new(Vec::new());
    let c = fmu.co_simulation(&log, true, None);
    initialised(c);
    let update = || {
        let (mut again, mut end, mut nominals, mut values, mut defined, mut next) =
            (true, false, false, false, false, 0.0);
        let (a, e, n) = (&mut again, &mut end, &mut nominals);
        assert_eq!(fmi3::fmi3UpdateDiscreteStates(c, a, e, n, &mut values, &mut defined, &mut next), OK);
        assert!(!again && !end);
        values
    };
    // The first event comes before the first step.
    assert!(!update());
    assert_eq!(fmi3::fmi3EnterStepMode(c), OK);
    let (event, early, reached) = step(c, 0.0, 1.0);
    assert!(event && early, "{log:?}");
    assert!((reached - 0.55).abs() < 1e-6, "{reached}");
    assert_eq!(number(c, fmu.reference("y")), 5.0);
    assert_eq!(fmi3::fmi3EnterEventMode(c), OK);
    assert!(update());
    assert_eq!(number(c, fmu.reference("y")), 7.0);
    assert_eq!(fmi3::fmi3EnterStepMode(c), OK);
    assert_eq!(step(c, reached, 1.0 - reached), (false, false, 1.0));
    assert!((number(c, fmu.reference("x")) - 1.0).abs() < 1e-7);
    fmi3::fmi3FreeInstance(c);
}

/// What the callback is told, and what it asks for.
#[allow(unsafe_code)]
unsafe extern "C" fn look(
    environment: *mut c_void,
    time: f64,
    set: bool,
    get: bool,
    finished: bool,
    may_return: bool,
    requested: *mut bool,
    at: *mut f64,
) {
    assert!(!set && get && finished && may_return);
    // SAFETY: the list that the test passed, and places for two results.
    let (log, requested, at) =
        unsafe { (&*environment.cast::<Mutex<Vec<String>>>(), &mut *requested, &mut *at) };
    log.lock().expect("one thread").push(format!("step to {time}"));
    (*requested, *at) = (time < 0.25, 0.25);
}

#[test]
fn a_step_ends_early_where_the_importing_tool_asks() {
    let text = "model Wave Real x(start = 1, fixed = true); Real y(start = 0, fixed = true);
    equation der(x) = 20*y; der(y) = -20*x; end Wave;";
    let fmu = Fmu::new(text);
    let log = Mutex::new(Vec::new());
    let c = fmu.co_simulation(&log, false, Some(look));
    initialised(c);
    let (event, early, reached) = step(c, 0.0, 1.0);
    assert!(!event && early);
    assert!((reached - 0.25).abs() < 1e-12, "{reached}");
    assert!((number(c, fmu.reference("x")) - 5.0f64.cos()).abs() < 1e-5);
    assert!(log.lock().expect("one thread").len() > 1);
    assert_eq!(step(c, reached, 0.75), (false, false, 1.0));
    assert!((number(c, fmu.reference("x")) - 20.0f64.cos()).abs() < 1e-5);
    fmi3::fmi3FreeInstance(c);
}

/// `x' = u` with `u = 1 + 2 t`: after a second x is 2.
#[test]
fn inputs_follow_their_slopes() {
    let text =
        "model Sum input Real u(start = 0); Real x(start = 0, fixed = true); equation der(x) = u; end Sum;";
    let fmu = Fmu::new(text);
    let callbacks = fmi2::Callbacks {
        logger: None,
        allocate: None,
        free: None,
        step_finished: None,
        environment: null_mut(),
    };
    let location = fmu.path();
    let (name, token) = (c"one".as_ptr(), fmu.token.as_ptr());
    let c = fmi2::fmi2Instantiate(name, 1, token, location.as_ptr(), &callbacks, 0, 0);
    assert_eq!(fmi2::fmi2SetupExperiment(c, 1, 1e-8, 0.0, 0, 0.0), OK);
    assert_eq!(fmi2::fmi2EnterInitializationMode(c), OK);
    assert_eq!(fmi2::fmi2ExitInitializationMode(c), OK);
    let (u, x) = (fmu.reference("u"), fmu.reference("x"));
    for k in 0..4 {
        let t = 0.25 * f64::from(k);
        assert_eq!(fmi2::fmi2SetReal(c, &u, 1, &(1.0 + 2.0 * t)), OK);
        assert_eq!(fmi2::fmi2SetRealInputDerivatives(c, &u, 1, &1, &2.0), OK);
        assert_eq!(fmi2::fmi2DoStep(c, t, 0.25, 1), OK);
    }
    let mut value = f64::NAN;
    assert_eq!(fmi2::fmi2GetReal(c, &x, 1, &mut value), OK);
    assert!((value - 2.0).abs() < 1e-7, "{value}");
    // Only inputs have slopes, and only first ones.
    assert_eq!(fmi2::fmi2SetRealInputDerivatives(c, &x, 1, &1, &2.0), ERROR);
    assert_eq!(fmi2::fmi2SetRealInputDerivatives(c, &u, 1, &2, &2.0), ERROR);
    fmi2::fmi2FreeInstance(c);
}

/// Explicit Euler with steps of 0.1: `x' = -x` gives 0.9 to the power of 10.
#[test]
fn the_importing_tool_chooses_the_method() {
    let fmu = Fmu::new("model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;");
    let log = Mutex::new(Vec::new());
    let c = fmu.co_simulation(&log, false, None);
    let place = |setting| Reference::Setting(setting).number(&fmu.program);
    let (method, size) = (place(Setting::Method), place(Setting::Step));
    let mut text: *const c_char = null();
    assert_eq!(fmi3::fmi3SetString(c, &method, 1, &c"leapfrog".as_ptr(), 1), ERROR);
    assert_eq!(fmi3::fmi3SetString(c, &method, 1, &c"euler".as_ptr(), 1), OK, "{log:?}");
    assert_eq!(fmi3::fmi3GetString(c, &method, 1, &mut text, 1), OK);
    assert_eq!(fmi3::fmi3SetFloat64(c, &size, 1, &0.1, 1), OK);
    initialised(c);
    step(c, 0.0, 1.0);
    let x = number(c, fmu.reference("x"));
    assert!((x - 0.9f64.powi(10)).abs() < 1e-12, "{x}");
    assert_eq!(fmi3::fmi3SetFloat64(c, &size, 1, &0.2, 1), ERROR);
    fmi3::fmi3FreeInstance(c);
}

/// Arrays have one reference and as many values as elements, and so have their derivatives.
#[test]
fn arrays_are_one_variable() {
    let text = "model Arrays
      parameter Real a[2, 2] = [1, 2; 3, 4];
      parameter Real k[3] = {1, 2, 3};
      Real x[3](each start = 1, each fixed = true);
    equation
      der(x) = -k .* x;
    end Arrays;";
    let fmu = Fmu::new(text);
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    let (x, k) = (fmu.reference("x[1]"), fmu.reference("k[1]"));
    let mut values = [0.0; 4];
    assert_eq!(fmi3::fmi3GetFloat64(c, &fmu.reference("a[1,1]"), 1, values.as_mut_ptr(), 4), OK, "{log:?}");
    assert_eq!(values, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(fmi3::fmi3SetFloat64(c, &k, 1, [5.0, 6.0, 7.0].as_ptr(), 3), OK, "{log:?}");
    assert_eq!(fmi3::fmi3SetFloat64(c, &k, 1, [5.0, 6.0].as_ptr(), 2), ERROR);
    assert_eq!(fmi3::fmi3EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0), OK);
    let slope = fmu.reference("der(x[1])");
    assert_eq!(fmi3::fmi3GetFloat64(c, &slope, 1, values.as_mut_ptr(), 3), OK, "{log:?}");
    assert_eq!(values[..3], [-5.0, -6.0, -7.0]);
    assert_eq!(fmi3::fmi3ExitInitializationMode(c), OK);
    let (seed, mut along) = ([1.0, 10.0, 100.0], [0.0; 3]);
    let (seed, out) = (seed.as_ptr(), along.as_mut_ptr());
    assert_eq!(fmi3::fmi3GetDirectionalDerivative(c, &slope, 1, &x, 1, seed, 3, out, 3), OK, "{log:?}");
    assert_eq!(along, [-5.0, -60.0, -700.0]);
    fmi3::fmi3FreeInstance(c);
}
