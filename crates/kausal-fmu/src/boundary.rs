//! Between the importing tool and an instance: pointers, texts, panics.
//!
//! Each function here follows pointers that the standard describes: arrays with their lengths, texts that end with a zero, places
//! for results. A null pointer where there should be something is an error and not followed.

use std::ffi::{CStr, c_char, c_int, c_void};

use kausal::Diagnostic;

use crate::instance::{Fault, Instance};
use crate::log::Status;

/// Does something with an instance. What fails is told to the importing tool; a panic is `Fatal`.
pub fn enter(instance: *mut c_void, work: impl FnOnce(&mut Instance) -> Result<(), Fault>) -> c_int {
    let pointer = instance.cast::<Instance>();
    // SAFETY: the importing tool passes what instantiation gave it, from one thread at a time (FMI 3.0, section 2.1.1).
    #[allow(unsafe_code)]
    let Some(instance) = (unsafe { pointer.as_mut() }) else { return Status::Error as c_int };
    match kausal::internal::guarded(|| instance.call(work)) {
        Ok(status) => status as c_int,
        Err(fault) => {
            instance.broken(&fault);
            Status::Fatal as c_int
        }
    }
}

/// Hands an instance over to the importing tool.
pub fn hand_over(instance: Instance) -> *mut c_void {
    Box::into_raw(Box::new(instance)).cast()
}

/// Takes an instance back and ends it.
pub fn take_back(instance: *mut c_void) {
    if instance.is_null() {
        return;
    }
    // SAFETY: it was made by `hand_over`, and the importing tool does not use it any more.
    #[allow(unsafe_code)]
    let instance = unsafe { Box::from_raw(instance.cast::<Instance>()) };
    // What a panic leaves behind is memory.
    let _ = kausal::internal::guarded(move || drop(instance));
}

/// A text, if there is one.
#[allow(unsafe_code)]
pub fn text<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    // SAFETY: texts of the standard end with a zero, and live as long as the call.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// A text in UTF-8, as both standards demand.
pub fn utf8(pointer: *const c_char, what: &str) -> Result<String, Fault> {
    let text = text(pointer).ok_or_else(|| Fault::misuse(format!("{what} is a null pointer")))?;
    text.to_str().map(str::to_owned).map_err(|_| Fault::misuse(format!("{what} is not UTF-8")))
}

/// What is passed to be read.
#[allow(unsafe_code)]
pub fn read<'a, T>(pointer: *const T, len: usize, what: &str) -> Result<&'a [T], Fault> {
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Fault::misuse(format!("{what} is a null pointer")));
    }
    // SAFETY: the standard passes arrays with their lengths, and nobody changes them during the call.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// What is passed to be written.
#[allow(unsafe_code)]
pub fn write<'a, T>(pointer: *mut T, len: usize, what: &str) -> Result<&'a mut [T], Fault> {
    if len == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() {
        return Err(Fault::misuse(format!("{what} is a null pointer")));
    }
    // SAFETY: the standard passes places for results with their number, for this call alone.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, len) })
}

/// Puts a result where the importing tool wants it, if it does.
#[allow(unsafe_code)]
pub fn put<T>(pointer: *mut T, value: T) {
    // SAFETY: a place for one result of this type, or null.
    if let Some(place) = unsafe { pointer.as_mut() } {
        *place = value;
    }
}

/// The state of an instance in the hands of the importing tool.
struct State(Vec<u8>);

/// Hands a state over: into the place of one that is there already, or as a new one.
pub fn keep(place: *mut *mut c_void, bytes: Vec<u8>) -> Result<(), Fault> {
    let place = write(place, 1, "the place for the state")?;
    let state = place[0].cast::<State>();
    // SAFETY: null, or what this function has handed over and the importing tool has not freed.
    #[allow(unsafe_code)]
    match unsafe { state.as_mut() } {
        Some(state) => state.0 = bytes,
        None => place[0] = Box::into_raw(Box::new(State(bytes))).cast(),
    }
    Ok(())
}

/// The bytes of a state that was handed over.
#[allow(unsafe_code)]
pub fn kept<'a>(state: *mut c_void) -> Result<&'a [u8], Fault> {
    // SAFETY: null, or what `keep` has handed over and the importing tool has not freed.
    let state = unsafe { state.cast::<State>().as_ref() };
    state.map(|state| &state.0[..]).ok_or_else(|| Fault::misuse("the state is a null pointer"))
}

/// Takes a state back and ends it; nothing where there is none.
pub fn release(place: *mut *mut c_void) -> Result<(), Fault> {
    if place.is_null() {
        return Ok(());
    }
    let place = write(place, 1, "the place of the state")?;
    let state = std::mem::replace(&mut place[0], std::ptr::null_mut());
    if !state.is_null() {
        // SAFETY: it was made by `keep`, and the importing tool does not use it any more.
        #[allow(unsafe_code)]
        drop(unsafe { Box::from_raw(state.cast::<State>()) });
    }
    Ok(())
}

/// The callback that is told of the ends of steps of the integrator (FMI 3.0, section 4.2.2.1).
pub type IntermediateUpdate =
    unsafe extern "C" fn(*mut c_void, f64, bool, bool, bool, bool, *mut bool, *mut f64);

/// Who is told of them, while no function of the instance is at work: it may ask for values.
#[derive(Clone, Copy, Debug)]
pub struct Onlooker {
    /// The function of the importing tool.
    pub update: IntermediateUpdate,
    /// Its own environment.
    pub environment: *mut c_void,
    /// It may end steps early.
    pub may_return: bool,
}

impl Onlooker {
    /// Tells that a step of the integrator has come to an instant. Is the step to end early, and where?
    pub fn tell(&self, time: f64) -> Option<f64> {
        let (mut requested, mut at) = (false, time);
        // SAFETY: a function of the importing tool with its own environment, and places for two results.
        #[allow(unsafe_code)]
        unsafe {
            (self.update)(
                self.environment,
                time,
                false,
                true,
                true,
                self.may_return,
                &mut requested,
                &mut at,
            );
        }
        (requested && self.may_return).then_some(if at.is_finite() { at.max(time) } else { time })
    }
}

/// What is said about a function that an FMU of Kausal does not have.
pub fn lacking(what: &str) -> Fault {
    Fault::error(Diagnostic::error(
        "K0703",
        format!("{what} is not available: the model description says so"),
    ))
}
