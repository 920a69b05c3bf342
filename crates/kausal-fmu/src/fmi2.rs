//! The functions of FMI 2.0 (sections 2.1, 3.2 and 4.2 of its specification).
//!
//! Each one turns its pointers into what [`Instance`] takes, and nothing else.

// A name that C knows counts as unsafe; pointers are followed in `boundary` only.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_double, c_int, c_void};
use std::path::PathBuf;

use kausal_runtime::tunable::Value;

use crate::boundary::{enter, hand_over, lacking, put, read, take_back, text, utf8, write};
use crate::instance::{Fault, Instance, Phase, Role, Span};
use crate::log::{Callback, Log, Logger2, Status};

/// Callbacks of the importing tool.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Callbacks {
    /// Is told what there is to say.
    pub logger: Option<Logger2>,
    /// Not used: memory is that of the library.
    pub allocate: Option<unsafe extern "C" fn(usize, usize) -> *mut c_void>,
    /// Not used.
    pub free: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Not used: steps are over when their call is.
    pub step_finished: Option<unsafe extern "C" fn(*mut c_void, c_int)>,
    /// What the callbacks are passed.
    pub environment: *mut c_void,
}

/// What an event led to.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct EventInfo {
    /// There is another event at this instant.
    pub new_discrete_states_needed: c_int,
    /// The model ended the run.
    pub terminate_simulation: c_int,
    /// States are as large as others now.
    pub nominals_changed: c_int,
    /// States have other values.
    pub values_changed: c_int,
    /// There is a time event.
    pub next_event_time_defined: c_int,
    /// When.
    pub next_event_time: c_double,
}

/// `default`: a `double` has 64 bits, an `int` 32.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

/// The version of the standard.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

/// Which notes are wanted.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetDebugLogging(
    c: *mut c_void,
    on: c_int,
    n: usize,
    categories: *const *const c_char,
) -> c_int {
    enter(c, |instance| set_logging(instance, on != 0, n, categories))
}

/// The same for both standards.
pub(crate) fn set_logging(
    instance: &mut Instance,
    on: bool,
    n: usize,
    categories: *const *const c_char,
) -> Result<(), Fault> {
    let names = read(categories, n, "the list of categories")?.iter().map(|c| utf8(*c, "a category"));
    match instance.log().set(on, names.collect::<Result<_, _>>()?) {
        true => Ok(()),
        false => Err(Fault::misuse("there is no such category of messages")),
    }
}

/// Makes an instance.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2Instantiate(
    name: *const c_char,
    kind: c_int,
    guid: *const c_char,
    resources: *const c_char,
    functions: *const Callbacks,
    _visible: c_int,
    logging: c_int,
) -> *mut c_void {
    let made = kausal::internal::guarded(|| {
        let callbacks = read(functions, 1, "the callbacks").ok()?.first()?;
        let callback = callbacks.logger.map_or(Callback::None, Callback::Two);
        let log = Log::new(callback, callbacks.environment, text(name).unwrap_or(c""), logging != 0);
        let role = match kind {
            0 => Role::ModelExchange,
            _ => Role::CoSimulation,
        };
        let (Ok(guid), Ok(resources)) = (utf8(guid, "the GUID"), utf8(resources, "the resource location"))
        else {
            log.say(Status::Error, "instantiation needs a GUID and a resource location");
            return None;
        };
        let Some(folder) = folder_of(&resources) else {
            log.say(Status::Error, &format!("the resource location {resources} is no file: URI"));
            return None;
        };
        Instance::new(role, &folder, &guid, log)
    });
    made.ok().flatten().map_or(std::ptr::null_mut(), hand_over)
}

/// The folder that a URI names (RFC 8089); some importing tools pass a plain path.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let Some(rest) = uri.strip_prefix("file:") else {
        return (!uri.contains("://")).then(|| PathBuf::from(uri));
    };
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    let bytes = path.as_bytes();
    let (mut decoded, mut i) = (Vec::with_capacity(bytes.len()), 0);
    while i < bytes.len() {
        let hex = (bytes[i] == b'%').then(|| path.get(i + 1..i + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                i += 3;
            }
            None => {
                decoded.push(bytes[i]);
                i += 1;
            }
        }
    }
    let path = String::from_utf8(decoded).ok()?;
    // `/C:/folder` on Windows.
    let drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    Some(PathBuf::from(if drive { &path[1..] } else { &path[..] }))
}

/// Ends an instance.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2FreeInstance(c: *mut c_void) {
    take_back(c);
}

/// The time of the run.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetupExperiment(
    c: *mut c_void,
    tolerance_defined: c_int,
    tolerance: c_double,
    start: c_double,
    stop_defined: c_int,
    stop: c_double,
) -> c_int {
    let span = Span {
        start,
        stop: (stop_defined != 0).then_some(stop),
        tolerance: (tolerance_defined != 0).then_some(tolerance),
    };
    enter(c, |instance| instance.set_up(span))
}

/// Initial values are looked for from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterInitializationMode(c: *mut c_void) -> c_int {
    enter(c, Instance::enter_initialization)
}

/// Initial values are found.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2ExitInitializationMode(c: *mut c_void) -> c_int {
    enter(c, Instance::exit_initialization)
}

/// The end of the run.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2Terminate(c: *mut c_void) -> c_int {
    enter(c, Instance::terminate)
}

/// As it was when it was made.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2Reset(c: *mut c_void) -> c_int {
    enter(c, |instance| {
        instance.reset();
        Ok(())
    })
}

fn get<T>(
    c: *mut c_void,
    references: *const u32,
    n: usize,
    values: *mut T,
    one: impl Fn(&mut Instance, u32) -> Result<T, Fault>,
) -> c_int {
    enter(c, |instance| {
        let references = read(references, n, "the list of value references")?;
        let values = write(values, n, "the list of values")?;
        for (reference, value) in references.iter().zip(values) {
            *value = one(instance, *reference)?;
        }
        Ok(())
    })
}

fn set<T: Copy>(
    c: *mut c_void,
    references: *const u32,
    n: usize,
    values: *const T,
    one: impl Fn(T) -> Result<Value, Fault>,
) -> c_int {
    enter(c, |instance| {
        let references = read(references, n, "the list of value references")?;
        let values = read(values, n, "the list of values")?;
        for (reference, value) in references.iter().zip(values) {
            instance.set(*reference, one(*value)?)?;
        }
        Ok(())
    })
}

/// A whole number that fits.
pub(crate) fn whole(value: f64) -> Result<i64, Fault> {
    match value == value.trunc() && value.abs() < 9.007_199_254_740_992e15 {
        true => Ok(value as i64),
        false => Err(Fault::misuse(format!("{value} is no whole number"))),
    }
}

/// Values of Real variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetReal(c: *mut c_void, vr: *const u32, n: usize, values: *mut c_double) -> c_int {
    get(c, vr, n, values, Instance::number)
}

/// Values of Integer variables, and of enumerations.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetInteger(c: *mut c_void, vr: *const u32, n: usize, values: *mut c_int) -> c_int {
    get(c, vr, n, values, |instance, reference| {
        let value = whole(instance.number(reference)?)?;
        i32::try_from(value).map_err(|_| Fault::misuse(format!("{value} is too large for 32 bits")))
    })
}

/// Values of Boolean variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetBoolean(c: *mut c_void, vr: *const u32, n: usize, values: *mut c_int) -> c_int {
    get(c, vr, n, values, |instance, reference| Ok(c_int::from(instance.number(reference)? != 0.0)))
}

/// Values of String variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetString(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut *const c_char,
) -> c_int {
    get(c, vr, n, values, Instance::text)
}

/// Sets Real variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetReal(c: *mut c_void, vr: *const u32, n: usize, values: *const c_double) -> c_int {
    set(c, vr, n, values, |value| Ok(Value::Number(value)))
}

/// Sets Integer variables, and enumerations.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetInteger(c: *mut c_void, vr: *const u32, n: usize, values: *const c_int) -> c_int {
    set(c, vr, n, values, |value| Ok(Value::Number(value.into())))
}

/// Sets Boolean variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetBoolean(c: *mut c_void, vr: *const u32, n: usize, values: *const c_int) -> c_int {
    set(c, vr, n, values, |value| Ok(Value::Number(f64::from(u8::from(value != 0)))))
}

/// Sets String variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetString(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const *const c_char,
) -> c_int {
    set(c, vr, n, values, |value| Ok(Value::Text(utf8(value, "a value")?.into())))
}

/// The derivatives of some variables along a direction of others.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetDirectionalDerivative(
    c: *mut c_void,
    unknowns: *const u32,
    n_unknowns: usize,
    knowns: *const u32,
    n_knowns: usize,
    seed: *const c_double,
    results: *mut c_double,
) -> c_int {
    enter(c, |instance| {
        let unknowns = read(unknowns, n_unknowns, "the list of unknowns")?;
        let knowns = read(knowns, n_knowns, "the list of knowns")?;
        let seed = read(seed, n_knowns, "the direction")?;
        instance.along(unknowns, knowns, seed, write(results, n_unknowns, "the list of derivatives")?)
    })
}

// Model Exchange.

/// An event from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterEventMode(c: *mut c_void) -> c_int {
    enter(c, Instance::enter_event)
}

/// All that follows from the event.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2NewDiscreteStates(c: *mut c_void, info: *mut EventInfo) -> c_int {
    enter(c, |instance| {
        let update = instance.update_discrete()?;
        put(
            info,
            EventInfo {
                new_discrete_states_needed: update.again.into(),
                terminate_simulation: update.terminated.is_some().into(),
                nominals_changed: update.states_selected.into(),
                values_changed: update.states_changed.into(),
                next_event_time_defined: update.next.is_some().into(),
                next_event_time: update.next.unwrap_or(0.0),
            },
        );
        Ok(())
    })
}

/// Between events from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2EnterContinuousTimeMode(c: *mut c_void) -> c_int {
    enter(c, |instance| instance.leave_event(Phase::Continuous))
}

/// The solver goes on from here.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2CompletedIntegratorStep(
    c: *mut c_void,
    _no_set_state: c_int,
    enter_event: *mut c_int,
    terminate: *mut c_int,
) -> c_int {
    enter(c, |instance| {
        let (event, end) = instance.complete_step()?;
        put(enter_event, event.into());
        put(terminate, end.into());
        Ok(())
    })
}

/// Time, from outside.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetTime(c: *mut c_void, time: c_double) -> c_int {
    enter(c, |instance| instance.set_time(time))
}

/// States, from outside.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetContinuousStates(c: *mut c_void, states: *const c_double, n: usize) -> c_int {
    enter(c, |instance| instance.set_states(read(states, n, "the states")?))
}

/// Derivatives of the states.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetDerivatives(c: *mut c_void, derivatives: *mut c_double, n: usize) -> c_int {
    enter(c, |instance| instance.derivatives(write(derivatives, n, "the derivatives")?))
}

/// Event indicators.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetEventIndicators(c: *mut c_void, indicators: *mut c_double, n: usize) -> c_int {
    enter(c, |instance| instance.indicators(write(indicators, n, "the event indicators")?))
}

/// The states.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetContinuousStates(c: *mut c_void, states: *mut c_double, n: usize) -> c_int {
    enter(c, |instance| instance.states(write(states, n, "the states")?))
}

/// How large states are.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetNominalsOfContinuousStates(
    c: *mut c_void,
    nominals: *mut c_double,
    n: usize,
) -> c_int {
    enter(c, |instance| instance.nominals(write(nominals, n, "the nominal values")?))
}

// Co-Simulation.

/// Goes on by a step. Where the model ends the run before its end, that is `Discard` (FMI 2.0.4, section 4.2.2).
#[unsafe(no_mangle)]
pub extern "C" fn fmi2DoStep(c: *mut c_void, from: c_double, by: c_double, _no_set_state: c_int) -> c_int {
    enter(c, |instance| {
        instance.begin_step(from, by)?;
        match instance.step_to(from + by)?.terminated {
            true => Err(Fault { status: Status::Discard, said: Vec::new() }),
            false => Ok(()),
        }
    })
}

/// Steps are over when the call is.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2CancelStep(c: *mut c_void) -> c_int {
    enter(c, |_| Err(Fault::misuse("no step is under way")))
}

/// A status that there is only where steps go on behind a call.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetStatus(c: *mut c_void, _what: c_int, _value: *mut c_int) -> c_int {
    enter(c, |_| Err(Fault { status: Status::Discard, said: Vec::new() }))
}

/// The time that was reached.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetRealStatus(c: *mut c_void, what: c_int, value: *mut c_double) -> c_int {
    const LAST_SUCCESSFUL_TIME: c_int = 2;
    enter(c, |instance| match what {
        LAST_SUCCESSFUL_TIME => {
            put(value, instance.reached());
            Ok(())
        }
        _ => Err(Fault { status: Status::Discard, said: Vec::new() }),
    })
}

/// There is none.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetIntegerStatus(c: *mut c_void, _what: c_int, _value: *mut c_int) -> c_int {
    enter(c, |_| Err(Fault { status: Status::Discard, said: Vec::new() }))
}

/// Has the model ended the run?
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetBooleanStatus(c: *mut c_void, what: c_int, value: *mut c_int) -> c_int {
    const TERMINATED: c_int = 3;
    enter(c, |instance| match what {
        TERMINATED => {
            put(value, instance.has_ended().into());
            Ok(())
        }
        _ => Err(Fault { status: Status::Discard, said: Vec::new() }),
    })
}

/// There is none.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetStringStatus(c: *mut c_void, _what: c_int, _value: *mut *const c_char) -> c_int {
    enter(c, |_| Err(Fault { status: Status::Discard, said: Vec::new() }))
}

/// Inputs change by slopes in the steps to come.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetRealInputDerivatives(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    orders: *const c_int,
    values: *const c_double,
) -> c_int {
    enter(c, |instance| {
        let references = read(vr, n, "the list of value references")?;
        let orders = read(orders, n, "the list of orders")?;
        let values = read(values, n, "the list of values")?;
        for ((reference, order), value) in references.iter().zip(orders).zip(values) {
            instance.set_slope(*reference, *order, *value)?;
        }
        Ok(())
    })
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetRealOutputDerivatives(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *const c_int,
    _: *mut c_double,
) -> c_int {
    enter(c, |_| Err(lacking("output derivatives")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of RFC 8089, section 2 and appendix B, and what importing tools pass.
    #[test]
    fn locations_are_folders() {
        let cases = [
            ("file:///a/resources", Some("/a/resources")),
            ("file:/models/a", Some("/models/a")),
            ("file://localhost/models/a", Some("/models/a")),
            ("file:///models/with%20space/%C3%BC", Some("/models/with space/\u{fc}")),
            ("file:///C:/FMUs/resources", Some("C:/FMUs/resources")),
            ("file:///models/100%", Some("/models/100%")),
            ("/models/plain", Some("/models/plain")),
            ("https://host/a", None),
        ];
        for (uri, folder) in cases {
            assert_eq!(folder_of(uri), folder.map(PathBuf::from), "{uri}");
        }
    }
}
