//! The C functions as an importing tool calls them: Model Exchange with a Runge–Kutta method of this file, Co-Simulation, both
//! versions, and calls that are wrong.

mod support;

use std::ffi::{CStr, CString, c_int, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use kausal_fmi::references::token;
use kausal_fmu::{fmi2, fmi3};
use support::{Fmu, note};

const OK: c_int = 0;
const ERROR: c_int = 3;

/// Events at this instant until there are no more; the next one that is known.
fn events(c: *mut c_void) -> (bool, Option<f64>) {
    let (mut again, mut end, mut nominals, mut values, mut defined, mut next) =
        (true, false, false, false, false, 0.0);
    while again && !end {
        let status = fmi3::fmi3UpdateDiscreteStates(
            c,
            &mut again,
            &mut end,
            &mut nominals,
            &mut values,
            &mut defined,
            &mut next,
        );
        assert_eq!(status, OK);
    }
    assert_eq!(fmi3::fmi3EnterContinuousTimeMode(c), OK);
    (end, defined.then_some(next))
}

fn number(c: *mut c_void, reference: u32) -> f64 {
    let mut value = f64::NAN;
    assert_eq!(fmi3::fmi3GetFloat64(c, &reference, 1, &mut value, 1), OK);
    value
}

fn set(c: *mut c_void, reference: u32, value: f64) -> c_int {
    fmi3::fmi3SetFloat64(c, &reference, 1, &value, 1)
}

struct Solver {
    c: *mut c_void,
    n: usize,
    t: f64,
    x: Vec<f64>,
    z: Vec<f64>,
}

impl Solver {
    fn start(c: *mut c_void, t: f64) -> (Solver, Option<f64>) {
        assert_eq!(fmi3::fmi3EnterInitializationMode(c, false, 0.0, t, false, 0.0), OK);
        assert_eq!(fmi3::fmi3ExitInitializationMode(c), OK);
        let (_, next) = events(c);
        let (mut n, mut m) = (0, 0);
        assert_eq!(fmi3::fmi3GetNumberOfContinuousStates(c, &mut n), OK);
        assert_eq!(fmi3::fmi3GetNumberOfEventIndicators(c, &mut m), OK);
        let mut solver = Solver { c, n, t, x: vec![0.0; n], z: vec![0.0; m] };
        solver.look();
        (solver, next)
    }

    fn look(&mut self) {
        assert_eq!(fmi3::fmi3GetContinuousStates(self.c, self.x.as_mut_ptr(), self.n), OK);
        assert_eq!(fmi3::fmi3GetEventIndicators(self.c, self.z.as_mut_ptr(), self.z.len()), OK);
    }

    fn slope(&self, t: f64, x: &[f64]) -> Vec<f64> {
        let mut dx = vec![0.0; self.n];
        assert_eq!(fmi3::fmi3SetTime(self.c, t), OK);
        assert_eq!(fmi3::fmi3SetContinuousStates(self.c, x.as_ptr(), self.n), OK);
        assert_eq!(fmi3::fmi3GetContinuousStateDerivatives(self.c, dx.as_mut_ptr(), self.n), OK);
        dx
    }

    /// The classical method of order 4.
    fn stepped(&self, h: f64) -> Vec<f64> {
        let (t, x) = (self.t, &self.x);
        let at = |k: &[f64], c: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + c * k).collect() };
        let k1 = self.slope(t, x);
        let k2 = self.slope(t + h / 2.0, &at(&k1, h / 2.0));
        let k3 = self.slope(t + h / 2.0, &at(&k2, h / 2.0));
        let k4 = self.slope(t + h, &at(&k3, h));
        (0..self.n).map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])).collect()
    }

    /// Does an indicator have another sign there?
    fn crosses(&self, h: f64) -> bool {
        let x = self.stepped(h);
        self.slope(self.t + h, &x);
        let mut z = vec![0.0; self.z.len()];
        assert_eq!(fmi3::fmi3GetEventIndicators(self.c, z.as_mut_ptr(), z.len()), OK);
        z.iter().zip(&self.z).any(|(new, old)| (*new > 0.0) != (*old > 0.0))
    }

    /// One step, shorter where an event is inside; was there one?
    fn step(&mut self, h: f64) -> bool {
        let mut h = h;
        let crosses = self.crosses(h);
        if crosses {
            let (mut before, mut behind) = (0.0, h);
            for _ in 0..60 {
                let middle = 0.5 * (before + behind);
                if self.crosses(middle) { behind = middle } else { before = middle }
            }
            h = behind;
        }
        let x = self.stepped(h);
        self.slope(self.t + h, &x);
        self.t += h;
        let (mut event, mut end) = (false, false);
        assert_eq!(fmi3::fmi3CompletedIntegratorStep(self.c, true, &mut event, &mut end), OK);
        if crosses {
            assert_eq!(fmi3::fmi3EnterEventMode(self.c), OK);
            events(self.c);
        }
        self.look();
        crosses
    }
}

const DECAY: &str = "model Decay
  parameter Real k = 1;
  input Real u(start = 0);
  output Real y = x;
  Real x(start = 1, fixed = true);
equation
  der(x) = u - k*x;
end Decay;";

#[test]
fn an_importing_tool_integrates() {
    let fmu = Fmu::new(DECAY);
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    assert!(!c.is_null(), "{log:?}");
    // With k = 2 and u = 4 from x = 3: x = 2 + exp(-2t).
    for (name, value) in [("k", 2.0), ("u", 4.0), ("x", 3.0)] {
        assert_eq!(set(c, fmu.reference(name), value), OK, "{name}: {log:?}");
    }
    let (mut solver, next) = Solver::start(c, 0.0);
    assert_eq!(next, None);
    for _ in 0..100 {
        assert!(!solver.step(0.01));
    }
    assert!((number(c, fmu.reference("y")) - 2.0 - (-2.0f64).exp()).abs() < 1e-9);
    // An input changes between two steps: x goes on to u/k = 0.
    assert_eq!(set(c, fmu.reference("u"), 0.0), OK);
    let before = number(c, fmu.reference("x"));
    for _ in 0..100 {
        solver.step(0.01);
    }
    assert!((number(c, fmu.reference("x")) - before * (-2.0f64).exp()).abs() < 1e-9);
    // As new after a reset: parameters, too.
    assert_eq!(fmi3::fmi3Terminate(c), OK);
    assert_eq!(fmi3::fmi3Reset(c), OK);
    let (mut solver, _) = Solver::start(c, 0.0);
    for _ in 0..100 {
        solver.step(0.01);
    }
    assert!((number(c, fmu.reference("x")) - (-1.0f64).exp()).abs() < 1e-9);
    fmi3::fmi3FreeInstance(c);
    assert!(log.lock().expect("one thread").is_empty(), "{log:?}");
}

/// A parameter gets another value at an event: from x = 1 to t = 1 with k = 1, then with k = 3.
#[test]
fn parameters_are_tuned_at_events() {
    let fmu = Fmu::new(DECAY);
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    let (mut solver, _) = Solver::start(c, 0.0);
    for _ in 0..100 {
        solver.step(0.01);
    }
    assert_eq!(set(c, fmu.reference("k"), 3.0), ERROR);
    assert_eq!(fmi3::fmi3EnterEventMode(c), OK);
    assert_eq!(set(c, fmu.reference("k"), 3.0), OK, "{log:?}");
    events(c);
    for _ in 0..100 {
        solver.step(0.01);
    }
    assert!((number(c, fmu.reference("x")) - (-4.0f64).exp()).abs() < 1e-8);
    fmi3::fmi3FreeInstance(c);
}

/// The FMU integrates itself: x' = u - x from 1, u = 0 for a second, then u = 1.
#[test]
fn it_integrates_itself() {
    let fmu = Fmu::new(DECAY);
    let log = Mutex::new(Vec::<String>::new());
    let environment = std::ptr::from_ref(&log).cast_mut().cast();
    let path = fmu.path();
    let c = fmi3::fmi3InstantiateCoSimulation(
        c"one".as_ptr(),
        fmu.token.as_ptr(),
        path.as_ptr(),
        false,
        false,
        false,
        false,
        null(),
        0,
        environment,
        Some(note),
        None,
    );
    assert!(!c.is_null(), "{log:?}");
    for round in 0..2 {
        assert_eq!(fmi3::fmi3EnterInitializationMode(c, true, 1e-9, 0.0, true, 2.0), OK);
        assert_eq!(fmi3::fmi3ExitInitializationMode(c), OK);
        let step = |from: f64, by: f64| {
            let (mut event, mut end, mut early, mut reached) = (true, true, true, f64::NAN);
            let (e, t) = (&mut event, &mut end);
            assert_eq!(fmi3::fmi3DoStep(c, from, by, true, e, t, &mut early, &mut reached), OK, "{log:?}");
            assert_eq!((event, end, early), (false, false, false));
            assert!((reached - from - by).abs() < 1e-12);
        };
        for k in 0..10 {
            step(0.1 * f64::from(k), 0.1);
        }
        let x = number(c, fmu.reference("x"));
        assert!((x - (-1.0f64).exp()).abs() < 1e-6, "{round}: {x}");
        assert_eq!(set(c, fmu.reference("u"), 1.0), OK);
        // What follows from the input without a state in between is there before the next step.
        assert!((number(c, fmu.reference("der(x)")) - (1.0 - x)).abs() < 1e-6);
        for k in 10..20 {
            step(0.1 * f64::from(k), 0.1);
        }
        let expected = 1.0 + (x - 1.0) * (-1.0f64).exp();
        assert!((number(c, fmu.reference("y")) - expected).abs() < 1e-6, "{round}");
        // A step from somewhere else.
        assert_eq!(
            fmi3::fmi3DoStep(c, 0.5, 0.1, true, null_mut(), null_mut(), null_mut(), null_mut()),
            ERROR
        );
        assert_eq!(fmi3::fmi3Terminate(c), OK);
        assert_eq!(fmi3::fmi3Reset(c), OK);
    }
    fmi3::fmi3FreeInstance(c);
}

/// A ball from height 1, 0.8 of its speed left by each bounce: bounces at t1 = sqrt(2/g), t1 + 1.6*t1, …
#[test]
fn events_are_found_by_their_indicators() {
    let fmu = Fmu::new(
        "model Ball
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
    n = pre(n) + 1;
  end when;
end Ball;",
    );
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    let (mut solver, _) = Solver::start(c, 0.0);
    let fall = (2.0f64 / 9.81).sqrt();
    let mut bounces = Vec::new();
    while solver.t < 2.0 {
        let before = number(c, fmu.reference("v"));
        if solver.step(0.01) && number(c, fmu.reference("v")) > 0.0 && before < 0.0 {
            bounces.push(solver.t);
        }
    }
    let expected = [fall, 2.6 * fall, (2.6 + 1.28) * fall];
    assert_eq!(bounces.len(), expected.len(), "{bounces:?}");
    for (found, t) in bounces.iter().zip(expected) {
        assert!((found - t).abs() < 1e-8, "{found} instead of {t}");
    }
    let mut n = 0;
    assert_eq!(fmi3::fmi3GetInt32(c, &fmu.reference("n"), 1, &mut n, 1), OK);
    assert_eq!(n, 3);
    fmi3::fmi3FreeInstance(c);
}

/// Ticks at 0.1, 0.4, 0.7, …: each is announced, and nothing happens before it.
#[test]
fn events_that_are_known_are_announced() {
    let fmu = Fmu::new(
        "model Ticks
  discrete Integer n(start = 0, fixed = true);
equation
  when sample(0.1, 0.3) then
    n = pre(n) + 1;
  end when;
end Ticks;",
    );
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    let (_, mut next) = Solver::start(c, 0.0);
    for k in 0..20 {
        let tick = 0.1 + 0.3 * f64::from(k);
        assert!((next.expect("a tick") - tick).abs() < 1e-12, "{next:?}");
        // An event of somebody else in between is none here.
        assert_eq!(fmi3::fmi3SetTime(c, tick - 0.05), OK);
        assert_eq!(fmi3::fmi3EnterEventMode(c), OK);
        assert_eq!(events(c).1, next);
        assert_eq!(number(c, fmu.reference("n")), f64::from(k));
        assert_eq!(fmi3::fmi3SetTime(c, next.expect("a tick")), OK);
        assert_eq!(fmi3::fmi3EnterEventMode(c), OK);
        next = events(c).1;
        assert_eq!(number(c, fmu.reference("n")), f64::from(k + 1));
    }
    fmi3::fmi3FreeInstance(c);
}

/// Two instances do not know of each other, in two threads.
#[test]
fn instances_are_independent() {
    let fmu = Fmu::new(DECAY);
    std::thread::scope(|scope| {
        for k in 1..=4 {
            let fmu = &fmu;
            scope.spawn(move || {
                let log = Mutex::new(Vec::new());
                let c = fmu.exchange(&log);
                assert_eq!(set(c, fmu.reference("k"), f64::from(k)), OK);
                let (mut solver, _) = Solver::start(c, 0.0);
                for _ in 0..100 {
                    solver.step(0.01);
                }
                let x = number(c, fmu.reference("x"));
                assert!((x - (-f64::from(k)).exp()).abs() < 1e-7, "{k}: {x}");
                fmi3::fmi3FreeInstance(c);
            });
        }
    });
}

/// d(der(x))/dx = -k and d(der(x))/du = 1, forwards and backwards.
#[test]
fn derivatives_are_those_of_the_equations() {
    let fmu = Fmu::new(DECAY);
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    assert_eq!(set(c, fmu.reference("k"), 3.0), OK);
    Solver::start(c, 0.0);
    let knowns = [fmu.reference("x"), fmu.reference("u")];
    let unknowns = [fmu.reference("der(x)")];
    let (seed, mut result) = ([10.0, 1.0], [f64::NAN]);
    let status = fmi3::fmi3GetDirectionalDerivative(
        c,
        unknowns.as_ptr(),
        1,
        knowns.as_ptr(),
        2,
        seed.as_ptr(),
        2,
        result.as_mut_ptr(),
        1,
    );
    assert_eq!((status, result), (OK, [-29.0]), "{log:?}");
    let (seed, mut result) = ([2.0], [f64::NAN; 2]);
    let status = fmi3::fmi3GetAdjointDerivative(
        c,
        unknowns.as_ptr(),
        1,
        knowns.as_ptr(),
        2,
        seed.as_ptr(),
        1,
        result.as_mut_ptr(),
        2,
    );
    assert_eq!((status, result), (OK, [-6.0, 2.0]), "{log:?}");
    fmi3::fmi3FreeInstance(c);
}

#[test]
fn wrong_calls_are_said() {
    let fmu = Fmu::new(DECAY);
    let log = Mutex::new(Vec::new());
    let said = |what: &str| {
        let said: String = log.lock().expect("one thread").drain(..).collect();
        assert!(said.contains(what), "{said} should contain {what}");
    };
    let c = fmu.exchange(&log);
    let (x, mut value) = (fmu.reference("x"), 0.0);
    assert_eq!(fmi3::fmi3SetTime(c, 1.0), ERROR);
    said("setting the time is not allowed before the initialization mode");
    assert_eq!(fmi3::fmi3GetFloat64(c, &9999, 1, &mut value, 1), ERROR);
    said("no variable has the value reference 9999");
    assert_eq!(fmi3::fmi3GetFloat64(c, null(), 1, &mut value, 1), ERROR);
    said("the list of value references is a null pointer");
    assert_eq!(fmi3::fmi3GetFloat64(c, &x, 1, null_mut(), 1), ERROR);
    said("the list of values is a null pointer");
    assert_eq!(fmi3::fmi3GetFloat64(c, &x, 1, &mut value, 2), ERROR);
    said("the 1 value references name 1 values, not 2");
    assert_eq!(set(c, fmu.reference("der(x)"), 1.0), ERROR);
    said("K0704");
    assert_eq!(fmi3::fmi3ExitInitializationMode(c), ERROR);
    said("leaving the initialization mode is not allowed before the initialization mode");
    assert_eq!(fmi3::fmi3DoStep(c, 0.0, 1.0, true, null_mut(), null_mut(), null_mut(), null_mut()), ERROR);
    said("a step is not allowed");
    assert_eq!(fmi3::fmi3GetClock(c, &x, 1, null_mut()), ERROR);
    said("K0703");
    // A wrong call leaves it as it was.
    let (mut solver, _) = Solver::start(c, 0.0);
    solver.step(0.1);
    assert_eq!(fmi3::fmi3GetContinuousStates(c, &mut value, 7), ERROR);
    said("there are 1 states, not 7");
    fmi3::fmi3FreeInstance(c);
    fmi3::fmi3FreeInstance(null_mut());
    assert_eq!(fmi3::fmi3Reset(null_mut()), ERROR);
}

#[test]
fn a_model_that_fails_says_why() {
    let fmu = Fmu::new(
        "model Fails
  parameter Real p = 1;
  Real x(start = 1, fixed = true);
initial equation
  assert(p > 0, \"p must be positive\");
equation
  der(x) = sqrt(2 - x);
end Fails;",
    );
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    let (solver, _) = Solver::start(c, 0.0);
    let mut dx = 0.0;
    assert_eq!(fmi3::fmi3SetContinuousStates(solver.c, &5.0, 1), OK);
    // Another point may do.
    assert_eq!(fmi3::fmi3GetContinuousStateDerivatives(c, &mut dx, 1), 2);
    assert!(!log.lock().expect("one thread").is_empty());
    assert_eq!(fmi3::fmi3SetContinuousStates(solver.c, &1.0, 1), OK);
    assert_eq!(fmi3::fmi3GetContinuousStateDerivatives(c, &mut dx, 1), OK);
    assert_eq!(dx, 1.0);
    fmi3::fmi3FreeInstance(c);
}

#[test]
fn without_the_right_model_there_is_no_instance() {
    let fmu = Fmu::new(DECAY);
    let log = Mutex::new(Vec::<String>::new());
    let environment = std::ptr::from_ref(&log).cast_mut().cast();
    let path = fmu.path();
    let make = |token: &CStr, path: &CStr| {
        fmi3::fmi3InstantiateModelExchange(
            c"one".as_ptr(),
            token.as_ptr(),
            path.as_ptr(),
            false,
            false,
            environment,
            Some(note),
        )
    };
    assert!(make(c"{another}", &path).is_null());
    assert!(make(&fmu.token, c"/nowhere").is_null());
    std::fs::write(Path::new(fmu.folder.path()).join("model.kausal"), b"nonsense").expect("written");
    let wrong = CString::new(token(b"nonsense")).expect("a text");
    assert!(make(&wrong, &path).is_null());
    let said = log.lock().expect("one thread").join("\n");
    for what in ["K0702", "its token is", "cannot be read", "is not a stored model"] {
        assert!(said.contains(what), "{said} should contain {what}");
    }
}

/// FMI 2.0 says where the run begins before the initialisation, and passes a location.
#[test]
fn the_second_version_does_the_same() {
    let fmu = Fmu::new(DECAY);
    let location = CString::new(format!("file://{}", fmu.folder.path().display())).expect("a text");
    let callbacks = fmi2::Callbacks {
        logger: None,
        allocate: None,
        free: None,
        step_finished: None,
        environment: null_mut(),
    };
    let (name, token) = (c"one".as_ptr(), fmu.token.as_ptr());
    let c = fmi2::fmi2Instantiate(name, 0, token, location.as_ptr(), &callbacks, 0, 0);
    assert!(!c.is_null());
    assert_eq!(fmi2::fmi2SetupExperiment(c, 1, 1e-6, 0.0, 1, 1.0), OK);
    assert_eq!(fmi2::fmi2SetReal(c, &fmu.reference("k"), 1, &2.0), OK);
    assert_eq!(fmi2::fmi2EnterInitializationMode(c), OK);
    let mut slope = f64::NAN;
    assert_eq!(fmi2::fmi2GetReal(c, &fmu.reference("der(x)"), 1, &mut slope), OK);
    assert_eq!(slope, -2.0);
    // In the initialization mode inputs and start values are set, and outputs follow.
    assert_eq!(fmi2::fmi2SetReal(c, &fmu.reference("x"), 1, &3.0), OK);
    assert_eq!(fmi2::fmi2GetReal(c, &fmu.reference("der(x)"), 1, &mut slope), OK);
    assert_eq!(slope, -6.0);
    assert_eq!(fmi2::fmi2ExitInitializationMode(c), OK);
    let mut info = fmi2::EventInfo::default();
    assert_eq!(fmi2::fmi2NewDiscreteStates(c, &mut info), OK);
    assert_eq!((info.new_discrete_states_needed, info.terminate_simulation), (0, 0));
    assert_eq!(fmi2::fmi2EnterContinuousTimeMode(c), OK);
    assert_eq!(fmi2::fmi2SetContinuousStates(c, &0.5, 1), OK);
    assert_eq!(fmi2::fmi2GetDerivatives(c, &mut slope, 1), OK);
    assert_eq!(slope, -1.0);
    assert_eq!(fmi2::fmi2Terminate(c), OK);
    fmi2::fmi2FreeInstance(c);
}

/// Two relations of time alone, one of which compares with what an event has set: both change at 0.5, so that is announced and one event.
#[test]
fn what_changes_with_time_alone_is_announced() {
    let fmu = Fmu::new(
        "model Together
          discrete Real begun(start = 0, fixed = true);
          Integer n(start = 0, fixed = true);
          Real x(start = 0, fixed = true);
        equation
          der(x) = 1;
          when sample(0, 1) then begun = time; end when;
          when {time > begun + 0.5, time > 0.5} then n = pre(n) + 1; end when;
        end Together;",
    );
    let log = Mutex::new(Vec::new());
    let c = fmu.exchange(&log);
    let (mut solver, next) = Solver::start(c, 0.0);
    assert_eq!(next, Some(0.5));
    for _ in 0..5 {
        assert!(!solver.step(0.1), "{log:?}");
    }
    assert_eq!(fmi3::fmi3EnterEventMode(c), OK);
    assert_eq!(events(c), (false, Some(1.0)));
    assert_eq!(number(c, fmu.reference("x")), solver.x[0]);
    let (n, mut value) = (fmu.reference("n"), 0);
    assert_eq!(fmi3::fmi3GetInt32(c, &n, 1, &mut value, 1), OK);
    assert_eq!(value, 1);
    fmi3::fmi3FreeInstance(c);
}

/// An importing tool that goes by a grid has its events a little beside the announced instants, and need not complete a step there. A
/// jump arrives as a jump all the same: what is delayed has no values that there never were.
#[test]
fn delayed_jumps_arrive_whatever_the_grid() {
    let fmu = Fmu::new(
        "model Late
          discrete Real n(start = 1, fixed = true);
          Real y = delay(n, 0.25);
          Real x(start = 0, fixed = true);
        equation
          der(x) = y;
          when sample(0.1, 0.1) then n = 3 - pre(n); end when;
        end Late;",
    );
    let y = fmu.reference("y");
    for (beside, completes) in [(0.0, true), (4e-10, true), (-4e-10, true), (0.0, false)] {
        let log = Mutex::new(Vec::new());
        let c = fmu.exchange(&log);
        let (_, mut next) = Solver::start(c, 0.0);
        for _ in 0..30 {
            let t = next.expect("a tick");
            for t in [t - 0.01, t * (1.0 + beside)] {
                assert_eq!(fmi3::fmi3SetTime(c, t), OK);
                let value = number(c, y);
                assert!(value == 1.0 || value == 2.0, "{value} at {t}, {beside}");
                let (mut event, mut end) = (false, false);
                if completes {
                    assert_eq!(fmi3::fmi3CompletedIntegratorStep(c, true, &mut event, &mut end), OK);
                }
            }
            assert_eq!(fmi3::fmi3EnterEventMode(c), OK);
            next = events(c).1;
        }
        fmi3::fmi3FreeInstance(c);
    }
}
