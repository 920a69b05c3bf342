//! The functions of both versions that save the state of an instance and take it up again (FMI 3.0, section 2.2.8; FMI 2.0.4,
//! section 2.1.8).

// A name that C knows counts as unsafe; pointers are followed in `boundary` only.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_void};

use crate::boundary::{enter, keep, kept, put, read, release, write};
use crate::instance::Fault;

fn get(c: *mut c_void, state: *mut *mut c_void) -> c_int {
    enter(c, |instance| keep(state, instance.saved()?))
}

fn set(c: *mut c_void, state: *mut c_void) -> c_int {
    enter(c, |instance| instance.restore(kept(state)?))
}

fn free(c: *mut c_void, state: *mut *mut c_void) -> c_int {
    enter(c, |_| release(state))
}

fn size(c: *mut c_void, state: *mut c_void, size: *mut usize) -> c_int {
    enter(c, |_| {
        put(size, kept(state)?.len());
        Ok(())
    })
}

fn serialize(c: *mut c_void, state: *mut c_void, bytes: *mut u8, n: usize) -> c_int {
    enter(c, |_| {
        let state = kept(state)?;
        if n < state.len() {
            return Err(Fault::misuse(format!("the state takes {} bytes, not {n}", state.len())));
        }
        write(bytes, n, "the bytes")?[..state.len()].copy_from_slice(state);
        Ok(())
    })
}

fn deserialize(c: *mut c_void, bytes: *const u8, n: usize, state: *mut *mut c_void) -> c_int {
    enter(c, |instance| {
        let bytes = read(bytes, n, "the bytes")?;
        instance.check_saved(bytes)?;
        keep(state, bytes.to_vec())
    })
}

/// Saves the state.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetFMUState(c: *mut c_void, state: *mut *mut c_void) -> c_int {
    get(c, state)
}

/// Goes on from a state.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SetFMUState(c: *mut c_void, state: *mut c_void) -> c_int {
    set(c, state)
}

/// Ends a state.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3FreeFMUState(c: *mut c_void, state: *mut *mut c_void) -> c_int {
    free(c, state)
}

/// How many bytes a state takes.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SerializedFMUStateSize(c: *mut c_void, state: *mut c_void, n: *mut usize) -> c_int {
    size(c, state, n)
}

/// A state as bytes.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3SerializeFMUState(
    c: *mut c_void,
    state: *mut c_void,
    bytes: *mut u8,
    n: usize,
) -> c_int {
    serialize(c, state, bytes, n)
}

/// A state from its bytes.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3DeserializeFMUState(
    c: *mut c_void,
    bytes: *const u8,
    n: usize,
    state: *mut *mut c_void,
) -> c_int {
    deserialize(c, bytes, n, state)
}

/// Saves the state.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetFMUstate(c: *mut c_void, state: *mut *mut c_void) -> c_int {
    get(c, state)
}

/// Goes on from a state.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SetFMUstate(c: *mut c_void, state: *mut c_void) -> c_int {
    set(c, state)
}

/// Ends a state.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2FreeFMUstate(c: *mut c_void, state: *mut *mut c_void) -> c_int {
    free(c, state)
}

/// How many bytes a state takes.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SerializedFMUstateSize(c: *mut c_void, state: *mut c_void, n: *mut usize) -> c_int {
    size(c, state, n)
}

/// A state as bytes.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2SerializeFMUstate(
    c: *mut c_void,
    state: *mut c_void,
    bytes: *mut u8,
    n: usize,
) -> c_int {
    serialize(c, state, bytes, n)
}

/// A state from its bytes.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2DeSerializeFMUstate(
    c: *mut c_void,
    bytes: *const u8,
    n: usize,
    state: *mut *mut c_void,
) -> c_int {
    deserialize(c, bytes, n, state)
}
