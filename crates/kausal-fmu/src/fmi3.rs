//! The functions of FMI 3.0 (sections 2.2, 3.2 and 4.2 of its specification).
//!
//! Each one turns its pointers into what [`Instance`] takes, and nothing else.

// A name that C knows counts as unsafe; pointers are followed in `boundary` only.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use kausal_runtime::tunable::Value;

use crate::boundary::{
    IntermediateUpdate, Onlooker, enter, hand_over, lacking, put, read, take_back, text, utf8, write,
};
use crate::fmi2::{set_logging, whole};
use crate::instance::{Fault, Instance, Phase, Reached, Role, Span};
use crate::log::{Callback, Log, Logger3, Status};

/// The version of the standard.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

/// Which notes are wanted.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetDebugLogging(
    c: *mut c_void,
    on: bool,
    n: usize,
    categories: *const *const c_char,
) -> c_int {
    enter(c, |instance| set_logging(instance, on, n, categories))
}

fn instantiate(
    role: Role,
    name: *const c_char,
    expected: *const c_char,
    resources: *const c_char,
    log: (Option<Logger3>, *mut c_void, bool),
) -> *mut c_void {
    let made = kausal::internal::guarded(|| {
        let (callback, environment, on) = log;
        let callback = callback.map_or(Callback::None, Callback::Three);
        let log = Log::new(callback, environment, text(name).unwrap_or(c""), on);
        let (Ok(expected), Ok(resources)) =
            (utf8(expected, "the token"), utf8(resources, "the resource path"))
        else {
            log.say(Status::Error, "instantiation needs an instantiation token and a resource path");
            return None;
        };
        Instance::new(role, Path::new(&resources), &expected, log)
    });
    made.ok().flatten().map_or(std::ptr::null_mut(), hand_over)
}

/// Makes an instance for Model Exchange.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateModelExchange(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    logging: bool,
    environment: *mut c_void,
    logger: Option<Logger3>,
) -> *mut c_void {
    instantiate(Role::ModelExchange, name, token, resources, (logger, environment, logging))
}

/// Makes an instance for Co-Simulation. Without the event mode it handles its events itself.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateCoSimulation(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    logging: bool,
    event_mode_used: bool,
    early_return_allowed: bool,
    _intermediate: *const u32,
    _n_intermediate: usize,
    environment: *mut c_void,
    logger: Option<Logger3>,
    intermediate_update: Option<IntermediateUpdate>,
) -> *mut c_void {
    let c = instantiate(Role::CoSimulation, name, token, resources, (logger, environment, logging));
    let onlooker =
        intermediate_update.map(|update| Onlooker { update, environment, may_return: early_return_allowed });
    if !c.is_null() {
        enter(c, |instance| {
            instance.watch_by(event_mode_used, onlooker);
            Ok(())
        });
    }
    c
}

/// There is no Scheduled Execution.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3InstantiateScheduledExecution(
    name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    _logging: bool,
    environment: *mut c_void,
    logger: Option<Logger3>,
    _clock_update: *mut c_void,
    _lock: *mut c_void,
    _unlock: *mut c_void,
) -> *mut c_void {
    let callback = logger.map_or(Callback::None, Callback::Three);
    let log = Log::new(callback, environment, text(name).unwrap_or(c""), false);
    log.say(Status::Error, "Scheduled Execution is not available: the model description says so");
    std::ptr::null_mut()
}

/// Ends an instance.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3FreeInstance(c: *mut c_void) {
    take_back(c);
}

/// Initial values are looked for from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterInitializationMode(
    c: *mut c_void,
    tolerance_defined: bool,
    tolerance: f64,
    start: f64,
    stop_defined: bool,
    stop: f64,
) -> c_int {
    let span =
        Span { start, stop: stop_defined.then_some(stop), tolerance: tolerance_defined.then_some(tolerance) };
    enter(c, |instance| {
        instance.set_up(span)?;
        instance.enter_initialization()
    })
}

/// Initial values are found.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3ExitInitializationMode(c: *mut c_void) -> c_int {
    enter(c, Instance::exit_initialization)
}

/// An event from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterEventMode(c: *mut c_void) -> c_int {
    enter(c, Instance::enter_event)
}

/// The end of the run.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3Terminate(c: *mut c_void) -> c_int {
    enter(c, Instance::terminate)
}

/// As it was when it was made.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3Reset(c: *mut c_void) -> c_int {
    enter(c, |instance| {
        instance.reset();
        Ok(())
    })
}

/// As many values as the variables have elements.
fn get<T>(
    c: *mut c_void,
    (references, n): (*const u32, usize),
    (values, m): (*mut T, usize),
    one: impl Fn(&mut Instance, u32) -> Result<T, Fault>,
) -> c_int {
    enter(c, |instance| {
        let references = read(references, n, "the list of value references")?;
        let elements = elements(instance, references, m)?;
        let values = write(values, m, "the list of values")?;
        for (element, value) in elements.into_iter().zip(values) {
            *value = one(instance, element)?;
        }
        Ok(())
    })
}

fn set<T: Copy>(
    c: *mut c_void,
    (references, n): (*const u32, usize),
    (values, m): (*const T, usize),
    one: impl Fn(T) -> Result<Value, Fault>,
) -> c_int {
    enter(c, |instance| {
        let references = read(references, n, "the list of value references")?;
        let elements = elements(instance, references, m)?;
        let values = read(values, m, "the list of values")?;
        for (element, value) in elements.into_iter().zip(values) {
            instance.set(element, one(*value)?)?;
        }
        Ok(())
    })
}

/// The elements that some references name, as many as there are values for.
fn elements(instance: &Instance, references: &[u32], m: usize) -> Result<Vec<u32>, Fault> {
    let elements = expanded(instance, references);
    match elements.len() == m {
        true => Ok(elements),
        false => Err(Fault::misuse(format!(
            "the {} value references name {} values, not {m}",
            references.len(),
            elements.len()
        ))),
    }
}

fn expanded(instance: &Instance, references: &[u32]) -> Vec<u32> {
    references.iter().flat_map(|&reference| instance.elements(reference)).collect()
}

fn integer<T: TryFrom<i64>>(instance: &mut Instance, reference: u32) -> Result<T, Fault> {
    let value = whole(instance.number(reference)?)?;
    T::try_from(value).map_err(|_| Fault::misuse(format!("{value} is too large for this type")))
}

/// Values of Real variables with fewer digits.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetFloat32(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut f32,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), |i, r| i.number(r).map(|value| value as f32))
}

/// Sets Real variables with fewer digits.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetFloat32(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const f32,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value.into())))
}

/// Values of Real variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetFloat64(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut f64,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), Instance::number)
}

/// Sets Real variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetFloat64(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const f64,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value)))
}

/// Values of whole numbers of 8 bits.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetInt8(c: *mut c_void, vr: *const u32, n: usize, values: *mut i8, m: usize) -> c_int {
    get(c, (vr, n), (values, m), integer::<i8>)
}

/// Sets whole numbers of 8 bits.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetInt8(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const i8,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value.into())))
}

/// Values of whole numbers of 8 bits without sign.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetUInt8(c: *mut c_void, vr: *const u32, n: usize, values: *mut u8, m: usize) -> c_int {
    get(c, (vr, n), (values, m), integer::<u8>)
}

/// Sets whole numbers of 8 bits without sign.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetUInt8(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const u8,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value.into())))
}

/// Values of whole numbers of 16 bits.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetInt16(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut i16,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), integer::<i16>)
}

/// Sets whole numbers of 16 bits.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetInt16(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const i16,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value.into())))
}

/// Values of whole numbers of 16 bits without sign.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetUInt16(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut u16,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), integer::<u16>)
}

/// Sets whole numbers of 16 bits without sign.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetUInt16(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const u16,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value.into())))
}

/// Values of Integer variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetInt32(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut i32,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), integer::<i32>)
}

/// Sets Integer variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetInt32(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const i32,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value.into())))
}

/// Values of whole numbers of 32 bits without sign.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetUInt32(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut u32,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), integer::<u32>)
}

/// Sets whole numbers of 32 bits without sign.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetUInt32(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const u32,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value.into())))
}

/// Values of enumerations.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetInt64(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut i64,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), integer::<i64>)
}

/// Sets enumerations.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetInt64(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const i64,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value as f64)))
}

/// Values of whole numbers of 64 bits without sign.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetUInt64(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut u64,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), integer::<u64>)
}

/// Sets whole numbers of 64 bits without sign.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetUInt64(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const u64,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(value as f64)))
}

/// Values of Boolean variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetBoolean(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut bool,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), |i, r| i.number(r).map(|value| value != 0.0))
}

/// Sets Boolean variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetBoolean(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const bool,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Number(f64::from(u8::from(value)))))
}

/// Values of String variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetString(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *mut *const c_char,
    m: usize,
) -> c_int {
    get(c, (vr, n), (values, m), Instance::text)
}

/// Sets String variables.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetString(
    c: *mut c_void,
    vr: *const u32,
    n: usize,
    values: *const *const c_char,
    m: usize,
) -> c_int {
    set(c, (vr, n), (values, m), |value| Ok(Value::Text(utf8(value, "a value")?.into())))
}

/// The derivatives of some variables along a direction of others.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetDirectionalDerivative(
    c: *mut c_void,
    unknowns: *const u32,
    n_unknowns: usize,
    knowns: *const u32,
    n_knowns: usize,
    seed: *const f64,
    n_seed: usize,
    results: *mut f64,
    n_results: usize,
) -> c_int {
    enter(c, |instance| {
        let unknowns = read(unknowns, n_unknowns, "the list of unknowns")?;
        let knowns = read(knowns, n_knowns, "the list of knowns")?;
        let seed = read(seed, n_seed, "the direction")?;
        let (unknowns, knowns) = (expanded(instance, unknowns), expanded(instance, knowns));
        instance.along(&unknowns, &knowns, seed, write(results, n_results, "the list of derivatives")?)
    })
}

/// The derivatives of a combination of some variables by others: column by column of the transposed Jacobian.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetAdjointDerivative(
    c: *mut c_void,
    unknowns: *const u32,
    n_unknowns: usize,
    knowns: *const u32,
    n_knowns: usize,
    seed: *const f64,
    n_seed: usize,
    results: *mut f64,
    n_results: usize,
) -> c_int {
    enter(c, |instance| {
        let unknowns = read(unknowns, n_unknowns, "the list of unknowns")?;
        let knowns = read(knowns, n_knowns, "the list of knowns")?;
        let seed = read(seed, n_seed, "the seed")?;
        let results = write(results, n_results, "the list of derivatives")?;
        let (unknowns, knowns) = (expanded(instance, unknowns), expanded(instance, knowns));
        if seed.len() != unknowns.len() || results.len() != knowns.len() {
            return Err(Fault::misuse("as many seeds as unknowns and as many results as knowns are needed"));
        }
        let (mut direction, mut column) = (vec![0.0; knowns.len()], vec![0.0; unknowns.len()]);
        for (j, result) in results.iter_mut().enumerate() {
            direction.fill(0.0);
            direction[j] = 1.0;
            instance.along(&unknowns, &knowns, &direction, &mut column)?;
            *result = column.iter().zip(seed).map(|(d, s)| d * s).sum();
        }
        Ok(())
    })
}

/// All that follows from the event.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3UpdateDiscreteStates(
    c: *mut c_void,
    need_update: *mut bool,
    terminate: *mut bool,
    nominals_changed: *mut bool,
    values_changed: *mut bool,
    next_defined: *mut bool,
    next: *mut f64,
) -> c_int {
    enter(c, |instance| {
        let update = instance.update_discrete()?;
        put(need_update, update.again);
        put(terminate, update.terminated.is_some());
        put(nominals_changed, update.states_selected);
        put(values_changed, update.states_changed);
        put(next_defined, update.next.is_some());
        put(next, update.next.unwrap_or(0.0));
        Ok(())
    })
}

/// The discrete part is evaluated with the event.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3EvaluateDiscreteStates(c: *mut c_void) -> c_int {
    enter(c, |instance| instance.expect("evaluating discrete states", &[Phase::Event]))
}

// Model Exchange.

/// Between events from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterContinuousTimeMode(c: *mut c_void) -> c_int {
    enter(c, |instance| instance.leave_event(Phase::Continuous))
}

/// The solver goes on from here.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3CompletedIntegratorStep(
    c: *mut c_void,
    _no_set_state: bool,
    enter_event: *mut bool,
    terminate: *mut bool,
) -> c_int {
    enter(c, |instance| {
        let (event, end) = instance.complete_step()?;
        put(enter_event, event);
        put(terminate, end);
        Ok(())
    })
}

/// Time, from outside.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetTime(c: *mut c_void, time: f64) -> c_int {
    enter(c, |instance| instance.set_time(time))
}

/// States, from outside.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetContinuousStates(c: *mut c_void, states: *const f64, n: usize) -> c_int {
    enter(c, |instance| instance.set_states(read(states, n, "the states")?))
}

/// Derivatives of the states.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetContinuousStateDerivatives(
    c: *mut c_void,
    derivatives: *mut f64,
    n: usize,
) -> c_int {
    enter(c, |instance| instance.derivatives(write(derivatives, n, "the derivatives")?))
}

/// Event indicators.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetEventIndicators(c: *mut c_void, indicators: *mut f64, n: usize) -> c_int {
    enter(c, |instance| instance.indicators(write(indicators, n, "the event indicators")?))
}

/// The states.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetContinuousStates(c: *mut c_void, states: *mut f64, n: usize) -> c_int {
    enter(c, |instance| instance.states(write(states, n, "the states")?))
}

/// How large states are.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNominalsOfContinuousStates(c: *mut c_void, nominals: *mut f64, n: usize) -> c_int {
    enter(c, |instance| instance.nominals(write(nominals, n, "the nominal values")?))
}

/// How many event indicators there are.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfEventIndicators(c: *mut c_void, n: *mut usize) -> c_int {
    enter(c, |instance| {
        put(n, instance.indicators_len());
        Ok(())
    })
}

/// How many states there are.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfContinuousStates(c: *mut c_void, n: *mut usize) -> c_int {
    enter(c, |instance| {
        put(n, instance.program().states.len());
        Ok(())
    })
}

// Co-Simulation.

/// Between events from now on.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterStepMode(c: *mut c_void) -> c_int {
    enter(c, |instance| instance.leave_event(Phase::Step))
}

/// Goes on by a step: in one go, or in parts where the importing tool wants to see events or steps of the integrator.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3DoStep(
    c: *mut c_void,
    from: f64,
    by: f64,
    _no_set_state: bool,
    event_needed: *mut bool,
    terminate: *mut bool,
    early_return: *mut bool,
    reached: *mut f64,
) -> c_int {
    let (mut onlooker, mut target, mut warned) = (None, from + by, false);
    let say = |instance: &Instance, done: Reached| {
        put(event_needed, done.event);
        put(terminate, done.terminated);
        put(early_return, done.ends && done.time < from + by && !instance.is_at(from + by, by));
    };
    let mut part = None;
    let mut status = enter(c, |instance| {
        put(reached, instance.reached());
        let in_parts;
        (in_parts, onlooker) = instance.begin_step(from, by)?;
        if !in_parts {
            let done = instance.step_to(from + by);
            put(reached, instance.reached());
            let done = done?;
            say(instance, done);
            part = Some(done);
        }
        Ok(())
    });
    if status >= Status::Discard as c_int {
        return status;
    }
    loop {
        if part.is_none() {
            status = enter(c, |instance| {
                let done = instance.step_towards(target, onlooker.is_some());
                put(reached, instance.reached());
                let done = done?;
                say(instance, done);
                part = Some(done);
                Ok(())
            });
        }
        warned |= status == Status::Warning as c_int;
        let Some(done) = part.take() else { return status };
        if done.ends {
            return if warned { Status::Warning as c_int } else { status };
        }
        // The instance is nobody's here: who is told may ask it for values.
        if let Some(at) = onlooker.and_then(|onlooker: Onlooker| onlooker.tell(done.time)) {
            target = target.min(at);
        }
    }
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetBinary(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *mut usize,
    _: *mut *const u8,
    _: usize,
) -> c_int {
    enter(c, |_| Err(lacking("a binary variable")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetBinary(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *const usize,
    _: *const *const u8,
    _: usize,
) -> c_int {
    enter(c, |_| Err(lacking("a binary variable")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetClock(c: *mut c_void, _: *const u32, _: usize, _: *mut bool) -> c_int {
    enter(c, |_| Err(lacking("a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetClock(c: *mut c_void, _: *const u32, _: usize, _: *const bool) -> c_int {
    enter(c, |_| Err(lacking("a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetNumberOfVariableDependencies(c: *mut c_void, _: u32, _: *mut usize) -> c_int {
    enter(c, |_| Err(lacking("asking for dependencies")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVariableDependencies(
    c: *mut c_void,
    _: u32,
    _: *mut usize,
    _: *mut u32,
    _: *mut usize,
    _: *mut c_int,
    _: usize,
) -> c_int {
    enter(c, |_| Err(lacking("asking for dependencies")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3EnterConfigurationMode(c: *mut c_void) -> c_int {
    enter(c, |_| Err(lacking("the configuration mode")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3ExitConfigurationMode(c: *mut c_void) -> c_int {
    enter(c, |_| Err(lacking("the configuration mode")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetIntervalDecimal(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *mut f64,
    _: *mut c_int,
) -> c_int {
    enter(c, |_| Err(lacking("an interval of a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetIntervalFraction(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *mut u64,
    _: *mut u64,
    _: *mut c_int,
) -> c_int {
    enter(c, |_| Err(lacking("an interval of a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetShiftDecimal(c: *mut c_void, _: *const u32, _: usize, _: *mut f64) -> c_int {
    enter(c, |_| Err(lacking("a shift of a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetShiftFraction(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *mut u64,
    _: *mut u64,
) -> c_int {
    enter(c, |_| Err(lacking("a shift of a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetIntervalDecimal(c: *mut c_void, _: *const u32, _: usize, _: *const f64) -> c_int {
    enter(c, |_| Err(lacking("an interval of a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetIntervalFraction(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *const u64,
    _: *const u64,
) -> c_int {
    enter(c, |_| Err(lacking("an interval of a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetShiftDecimal(c: *mut c_void, _: *const u32, _: usize, _: *const f64) -> c_int {
    enter(c, |_| Err(lacking("a shift of a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetShiftFraction(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *const u64,
    _: *const u64,
) -> c_int {
    enter(c, |_| Err(lacking("a shift of a clock")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetOutputDerivatives(
    c: *mut c_void,
    _: *const u32,
    _: usize,
    _: *const i32,
    _: *mut f64,
    _: usize,
) -> c_int {
    enter(c, |_| Err(lacking("an output derivative")))
}

/// Not available.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3ActivateModelPartition(c: *mut c_void, _: u32, _: f64) -> c_int {
    enter(c, |_| Err(lacking("a model partition")))
}
