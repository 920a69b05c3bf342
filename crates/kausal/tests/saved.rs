//! Runs that are interrupted, stored and restored: bit for bit those that were not.

use std::sync::Arc;

use kausal::{Backend, CompiledModel, Inline, Options, Session, Settings};
use kausal_runtime::{Machine, NotSaved, Observer, Simulator, Snapshot, SnapshotError, Surroundings};
use kausal_solver::Method;

/// All values at all records, as bits.
#[derive(Default)]
struct Bits(Vec<Vec<u64>>);

impl Observer for Bits {
    fn record(&mut self, machine: &Machine) {
        let variables = machine.model().program.variables.len();
        let values = machine.values[..variables].iter().chain(&machine.pre);
        self.0.push(values.chain([&machine.time]).map(|x| x.to_bits()).collect());
    }
}

fn compiled(session: &mut Session, name: &str, inline: Inline) -> Option<Arc<CompiledModel>> {
    let flat = session.flatten(name)?;
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options)?;
    Some(Arc::new(session.compile(program, Backend::Auto).expect("code")))
}

fn model(text: &str) -> Arc<CompiledModel> {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let model = compiled(&mut session, "M", Inline::Off);
    model.unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()))
}

fn settings(model: &CompiledModel, method: Method) -> Settings {
    let experiment = model.program.experiment;
    let start = experiment.start.unwrap_or(0.0);
    let stop = start + 0.4 * (experiment.stop.unwrap_or(1.0) - start);
    let step = method.is_fixed_step().then_some((stop - start) / 400.0);
    Settings { start, stop, interval: (stop - start) / 50.0, method, fixed_step: step, ..Settings::default() }
}

/// A whole run, and one that is stored and restored at three instants: the records and what was counted.
fn compare(what: &str, model: &Arc<CompiledModel>, settings: &Settings) -> Result<(), String> {
    let mut whole = Bits::default();
    let (counted, outcome) = kausal_runtime::simulate(model.clone(), settings, &mut whole);
    outcome.map_err(|error| format!("{what}: no run to compare with: {error:?}"))?;
    let mut parts = Bits::default();
    let mut simulator = Simulator::new(model.clone(), settings.clone());
    simulator.initialise(&mut parts).map_err(|error| format!("{what}: {error:?}"))?;
    let length = settings.stop - settings.start;
    for part in [0.0, 0.31, 0.5004, 0.83] {
        let paused = simulator.pause_at(settings.start + part * length, &mut parts);
        paused.map_err(|error| format!("{what}: {error:?}"))?;
        let bytes = simulator.snapshot().map_err(|error| format!("{what}: {error:?}"))?.bytes().to_vec();
        drop(simulator);
        let snapshot = Snapshot::read(bytes).map_err(|error| format!("{what}: {error}"))?;
        let restored = Simulator::restore(model.clone(), &snapshot, Surroundings::default());
        simulator = restored.map_err(|error| format!("{what}: {error}"))?;
        let again = simulator.snapshot().map_err(|error| format!("{what}: {error:?}"))?;
        if again != snapshot {
            return Err(format!("{what}: what was restored at {part} is stored otherwise"));
        }
    }
    let outcome = simulator.run_to_stop(&mut parts).and_then(|()| simulator.finish(&mut parts));
    outcome.map_err(|error| format!("{what}: {error:?}"))?;
    let differs = whole.0.iter().zip(&parts.0).position(|(a, b)| a != b);
    if let Some(at) = differs {
        let (a, b) = (&whole.0[at], &parts.0[at]);
        let k = (0..a.len()).find(|&k| a[k] != b[k]).unwrap_or(0);
        let name = model.program.variables.get(k).map_or("pre or time", |v| v.name.as_str());
        let time = f64::from_bits(a[a.len() - 1]);
        return Err(format!(
            "{what}: record {at} of {} at {time}: {name} is {:e}, not {:e}",
            whole.0.len(),
            f64::from_bits(b[k]),
            f64::from_bits(a[k])
        ));
    }
    if whole.0.len() != parts.0.len() {
        return Err(format!("{what}: {} records, not {}", parts.0.len(), whole.0.len()));
    }
    let parts = simulator.statistics();
    if parts != counted {
        return Err(format!("{what}: counts are\n{parts:?}, not\n{counted:?}"));
    }
    Ok(())
}

/// All examples with the default method: events, friction, samples, changing choices of states, loops.
#[test]
fn every_example_goes_on_as_if_nothing_had_happened() {
    let (mut compared, mut failures) = (0, Vec::new());
    for (example, _) in kausal::examples::examples() {
        let mut session = Session::new();
        let Some(model) = compiled(&mut session, &example, Inline::Off) else { continue };
        if let Err(failure) = compare(&example, &model, &settings(&model, Method::Auto)) {
            failures.push(failure);
        }
        compared += 1;
    }
    assert!(failures.is_empty(), "{compared} compared\n{}", failures.join("\n"));
    assert!(compared >= 40, "{compared}");
}

const MODELS: [(&str, &str); 8] = [
    // A stiff one with an event, matrices and a jump.
    (
        "stiff",
        "model M Real x(start = 1, fixed = true); Real y(start = 0, fixed = true); Real z(start = 2);
           equation der(x) = -1000*(x - y) + sin(20*time); der(y) = x - y; z^3 + z = 2 + x;
           when y > 0.1 then reinit(x, 2); end when; annotation(experiment(StopTime = 2)); end M;",
    ),
    (
        "delays",
        "model M Real x(start = 1, fixed = true); Real d = delay(x, 0.3 + 0.1*sin(time), 0.5); Real s = if time < 0.4 then 0 else 1;
           Real e = delay(s, 0.21); equation der(x) = -2*d + e; annotation(experiment(StopTime = 5)); end M;",
    ),
    (
        "flow",
        "model M Real v = 0.7 + 0.5*sin(time); Real p(start = 0, fixed = true); Real a; Real b;
           Real u = if sin(3*time) > 0 then 1 else 2 + time;
           equation der(p) = v; (a, b) = spatialDistribution(u, 0.0, p, v >= 0, {0.0, 1.0}, {0.0, 3.0});
           annotation(experiment(StopTime = 10)); end M;",
    ),
    (
        "samples",
        "model M discrete Real n(start = 0, fixed = true); discrete Real m(start = 0, fixed = true); Real x(start = 0, fixed = true);
           equation when sample(0, 0.07) then n = pre(n) + 1; end when;
           when {sample(0.03, 0.11), x > 0.5} then m = pre(m) + x; end when;
           der(x) = n/10 - x; annotation(experiment(StopTime = 5)); end M;",
    ),
    (
        "clocks",
        "model M Clock c = Clock(0.1); Real u = sin(time); Real y(start = 0); Real h; Real x(start = 0, fixed = true);
           equation y = previous(y) + interval(c)*sample(u, c); h = hold(y); der(x) = h - x;
           annotation(experiment(StopTime = 5)); end M;",
    ),
    (
        "texts",
        "model M function f input Real u; output String s; algorithm s := \"at \" + String(u); end f;
           String s(start = \"\"); Integer n(start = 0, fixed = true); Real x(start = 0, fixed = true);
           equation der(x) = 1; when sample(0, 0.1) then n = pre(n) + 1; s = f(x); end when;
           assert(n < 7, \"many: \" + s, AssertionLevel.warning); annotation(experiment(StopTime = 3)); end M;",
    ),
    (
        "bounce",
        "model M Real h(start = 1, fixed = true); Real v(start = 0, fixed = true); Boolean flying(start = true, fixed = true);
           equation der(h) = v; der(v) = if flying then -9.81 else 0;
           when {h <= 0, h <= 0 and v <= 0} then flying = v < -0.05; reinit(v, if flying then -0.7*pre(v) else 0); end when;
           annotation(experiment(StopTime = 3)); end M;",
    ),
    // Pure formulas and a loop that only results need.
    (
        "no states",
        "model M Real x; Real y = exp(-time); equation x^3 + x = y + sin(10*time); annotation(experiment(StopTime = 3)); end M;",
    ),
];

/// Models for each kind of memory, with every method.
#[test]
fn every_method_goes_on_as_if_nothing_had_happened() {
    let (mut compared, mut failures) = (0, Vec::new());
    for (what, text) in MODELS {
        let model = model(text);
        for (method, name) in Method::ALL {
            let what = format!("{what} with {name}");
            let settings = settings(&model, method);
            let (_, plain) = kausal_runtime::simulate(model.clone(), &settings, &mut Bits::default());
            // Explicit steps of one size may be too large for the stiff one.
            if plain.is_err() {
                continue;
            }
            failures.extend(compare(&what, &model, &settings).err());
            compared += 1;
        }
    }
    assert!(failures.is_empty(), "{compared} compared\n{}", failures.join("\n"));
    assert!(compared >= 90, "{compared}");
}

/// Steps of the model's own, with and without steps of one size.
#[test]
fn inlined_steps_go_on_as_if_nothing_had_happened() {
    let (mut compared, mut failures) = (0, Vec::new());
    for example in ["Robot", "SampledControl", "Rectifier", "TwoFilters", "VanDerPol"] {
        for inline in [Inline::Bdf, Inline::Radau, Inline::Rosenbrock, Inline::Mixed, Inline::Trapezoidal] {
            let mut session = Session::new();
            let name = format!("Kausal.Examples.{example}");
            let Some(model) = compiled(&mut session, &name, inline) else { continue };
            for step in [false, true] {
                let Some(method) = kausal::method_of(inline, step) else { continue };
                let settings = settings(&model, method);
                let (_, plain) = kausal_runtime::simulate(model.clone(), &settings, &mut Bits::default());
                if plain.is_err() {
                    continue;
                }
                let what = format!("{example} inlined {} {method}", inline.name());
                failures.extend(compare(&what, &model, &settings).err());
                compared += 1;
            }
        }
    }
    assert!(failures.is_empty(), "{compared} compared\n{}", failures.join("\n"));
    assert!(compared >= 25, "{compared}");
}

fn state_of(model: &Arc<CompiledModel>) -> Vec<u8> {
    let mut simulator = Simulator::new(model.clone(), Settings::default());
    assert_eq!(simulator.snapshot(), Err(NotSaved::NotStarted));
    simulator.initialise(&mut Bits::default()).expect("initial values");
    simulator.pause_at(0.4, &mut Bits::default()).expect("a run");
    simulator.snapshot().expect("a state").bytes().to_vec()
}

const DECAY: &str =
    "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";

/// Other files, cut files, files with any one byte changed, and those of other models.
#[test]
fn what_is_no_state_of_the_model_is_refused() {
    let model = model(DECAY);
    let bytes = state_of(&model);
    let read = |bytes: &[u8]| Snapshot::read(bytes.to_vec());
    assert_eq!(read(b""), Err(SnapshotError::Foreign));
    assert_eq!(read(b"time,x\n"), Err(SnapshotError::Foreign));
    assert_eq!(read(&bytes[..10]), Err(SnapshotError::Truncated));
    assert_eq!(read(&bytes[..bytes.len() - 1]), Err(SnapshotError::Damaged));
    let mut newer = bytes.clone();
    newer[8] = 77;
    assert_eq!(read(&newer), Err(SnapshotError::Format(77)));
    for at in 16..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert_eq!(read(&damaged), Err(SnapshotError::Damaged), "{at}");
    }
    let snapshot = read(&bytes).expect("a state");
    let about = snapshot.about().expect("what it is");
    assert_eq!((about.model.as_str(), about.time, about.stop), ("M", 0.4, 1.0));
    for other in ["2*x", "k*x + time", "x"] {
        let other = self::model(&DECAY.replace("k*x", other));
        let refused =
            Simulator::restore(other, &snapshot, Surroundings::default()).expect_err("another model");
        assert_eq!(refused, SnapshotError::Model("M".to_owned()));
    }
}

/// A state with a right checksum whose content was changed is refused or read, without a panic and without much memory.
#[test]
fn a_state_that_was_changed_on_purpose_does_no_harm() {
    let model = model(DECAY);
    let bytes = state_of(&model);
    let (mut refused, mut random) = (0, 0x2545_f491_4f6c_dd1d_u64);
    for _ in 0..2000 {
        let mut changed = bytes.clone();
        for _ in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let at = 16 + (random as usize >> 8) % (bytes.len() - 16);
            changed[at] = random as u8;
        }
        let checksum = crc32fast::hash(&changed[16..]);
        changed[12..16].copy_from_slice(&checksum.to_le_bytes());
        let snapshot = Snapshot::read(changed).expect("a right checksum");
        let model = model.clone();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            Simulator::restore(model, &snapshot, Surroundings::default()).map(|_| ())
        }));
        refused += i32::from(!matches!(outcome, Ok(Ok(()))));
        assert!(outcome.is_ok(), "restoring panics");
    }
    assert!(refused > 100, "{refused}");
}

/// The stop time may be another one, and what was set on the way comes back: `x' = -k x` with 1, then with 2 from 0.5 on.
#[test]
fn a_restored_run_goes_on_with_what_was_set_and_may_go_farther() {
    let model = model(DECAY);
    let k = kausal::tune::find(&model.program, "k").expect("k");
    let x = kausal::tune::find(&model.program, "x").expect("x");
    let mut simulator = Simulator::new(model.clone(), Settings { tolerance: 1e-9, ..Settings::default() });
    simulator.initialise(&mut Bits::default()).expect("initial values");
    simulator.advance_to(0.5, &mut Bits::default()).expect("a run");
    simulator.set(k, 2.0).expect("a parameter");
    assert_eq!(simulator.snapshot(), Err(NotSaved::Unsettled));
    simulator.settle(&mut Bits::default()).expect("an event");
    let snapshot = simulator.snapshot().expect("a state");
    let mut again = Simulator::restore(model, &snapshot, Surroundings::default()).expect("a run");
    again.advance_to(2.0, &mut Bits::default()).expect("a run");
    assert_eq!(again.value(k), Some(2.0));
    assert!((again.value(x).expect("x") - (-0.5f64 - 3.0).exp()).abs() < 1e-7);
}
