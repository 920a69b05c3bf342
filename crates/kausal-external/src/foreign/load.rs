//! Shared objects in memory, and the calls into them: the only unsafe lines of this crate.
//!
//! What runs here is foreign: it has the user's rights and can do whatever a program can, also crash this one. It is
//! called only where the user has allowed it. What these lines answer for is the boundary: wrappers (`glue`) are called
//! with the slots they were written for, one call at a time in the whole process, and no error of foreign code unwinds
//! through Rust: `longjmp` ends in the wrapper, also after a crash (`utilities.c`).
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use kausal_symbolic::function::interrupt::Interrupt;
use libloading::Library;

use super::glue;

/// One call at a time: foreign code need not be ready for threads, and what it says is kept in one place.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Where the first shared object keeps errors and messages; all others do so there, too.
static STATE: OnceLock<State> = OnceLock::new();

#[derive(Debug)]
struct State(*mut c_void);
// SAFETY: the pointer is only handed to foreign code, under the lock.
unsafe impl Send for State {}
// SAFETY: as above; it never changes.
unsafe impl Sync for State {}

/// What is being called in this moment.
static UNDER_WAY: Mutex<Option<&'static str>> = Mutex::new(None);

/// The foreign function that runs in this moment, if one does: its name, and that of the function in C.
pub fn under_way() -> Option<&'static str> {
    *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set_under_way(name: Option<&'static str>) {
    *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = name;
}

/// Numbers that stand behind each array during a call, so that what is written there is seen.
const GUARD: [f64; 4] = [-7.381_029_461e-211; 4];

/// `kausal_slot` of the wrappers.
#[repr(C)]
struct RawSlot {
    numbers: *mut f64,
    texts: *mut *const c_char,
    pointers: *mut *mut c_void,
    count: usize,
}

type Wrapper = unsafe extern "C" fn(*mut RawSlot) -> c_int;
type Error = unsafe extern "C" fn() -> *const c_char;
type Message = unsafe extern "C" fn(*mut *mut c_void, *mut c_int) -> *const c_char;
type Release = unsafe extern "C" fn();
type Watch = unsafe extern "C" fn(*const bool);

/// A pointer that foreign code made. It means something to that code only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opaque(usize);

/// What goes into a call and comes out of it: one list is in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    pub numbers: Vec<f64>,
    pub texts: Vec<CString>,
    pub pointers: Vec<Option<Opaque>>,
}

/// What foreign code said during a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Message(String),
    Warning(String),
}

/// A loaded wrapper. Its shared object stays for as long as the process does: foreign code may have left pointers to
/// itself anywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loaded {
    wrapper: Wrapper,
    slots: usize,
    name: &'static str,
    error: Error,
    message: Message,
    release: Release,
    survived: Release,
    interrupt: Watch,
}

/// Why a call of foreign code gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// What `ModelicaError` was given, or what is wrong with the call.
    Error(String),
    /// It crashed, or wanted to end the program: nothing foreign may be called again.
    Crash(String),
}

/// Loads the wrappers of a shared object; of each, how many slots it has and what it is called in messages.
pub(crate) fn load(path: &Path, wrappers: &[(usize, String)]) -> Result<Vec<Loaded>, String> {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: loading runs the initialisers of foreign code, which the user has allowed.
    let library = unsafe { Library::new(path) };
    let library =
        library.map_err(|error| format!("what was compiled cannot be loaded: {}", cause(&error)))?;
    let library: &'static Library = Box::leak(Box::new(library));
    let missing = |error: libloading::Error| format!("what was compiled is not complete: {error}");
    // SAFETY: the names and types are those of utilities.c.
    unsafe {
        let own = library.get::<unsafe extern "C" fn() -> *mut c_void>(b"kausal_own\0").map_err(missing)?;
        let share = library.get::<unsafe extern "C" fn(*mut c_void)>(b"kausal_share\0").map_err(missing)?;
        share(STATE.get_or_init(|| State(own())).0);
    }
    let mut list = Vec::with_capacity(wrappers.len());
    for (place, (slots, called)) in wrappers.iter().enumerate() {
        let called: &'static str = Box::leak(called.clone().into_boxed_str());
        let name = format!("{}\0", glue::wrapper(place));
        // SAFETY: the names and types are those of the wrappers and of utilities.c.
        let loaded = unsafe {
            Loaded {
                wrapper: *library.get::<Wrapper>(name.as_bytes()).map_err(missing)?,
                slots: *slots,
                name: called,
                error: *library.get::<Error>(b"kausal_error\0").map_err(missing)?,
                message: *library.get::<Message>(b"kausal_message\0").map_err(missing)?,
                release: *library.get::<Release>(b"kausal_release\0").map_err(missing)?,
                survived: *library.get::<Release>(b"kausal_survived\0").map_err(missing)?,
                interrupt: *library.get::<Watch>(b"kausal_interrupt\0").map_err(missing)?,
            }
        };
        list.push(loaded);
    }
    Ok(list)
}

/// The dynamic linker's own words.
fn cause(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Waits until no other foreign code runs; none if this run is to end before.
fn turn(interrupt: &Interrupt) -> Option<MutexGuard<'static, ()>> {
    /// A call of a small function ends within so many looks; then others are let run, and time passes between looks.
    const LOOKS: u32 = 100;
    const PAUSE: Duration = Duration::from_micros(100);
    for look in 0_u32.. {
        match ONE_AT_A_TIME.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if interrupt.is_requested() => return None,
            Err(TryLockError::WouldBlock) if look < LOOKS => thread::yield_now(),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
        }
    }
    None
}

impl Loaded {
    /// Calls the function; what it wrote is in the slots afterwards. Where the run is to end, it ends in the next function of
    /// `ModelicaUtilities.h` that it calls.
    pub fn call(
        &self,
        slots: &mut [Slot],
        said: &mut Vec<Said>,
        interrupt: &Interrupt,
    ) -> Result<(), Trouble> {
        if slots.len() != self.slots {
            return Err(Trouble::Error("a wrong number of arguments".to_owned()));
        }
        let Some(_lock) = turn(interrupt) else {
            return Err(Trouble::Error("it was stopped".to_owned()));
        };
        let mut texts: Vec<Vec<*const c_char>> =
            slots.iter().map(|slot| slot.texts.iter().map(|text| text.as_ptr()).collect()).collect();
        let mut pointers: Vec<Vec<*mut c_void>> = slots
            .iter()
            .map(|slot| {
                slot.pointers.iter().map(|p| p.map_or(std::ptr::null_mut(), Opaque::pointer)).collect()
            })
            .collect();
        let counts: Vec<usize> = slots.iter().map(|slot| slot.numbers.len()).collect();
        slots.iter_mut().for_each(|slot| slot.numbers.extend(GUARD));
        let mut raw: Vec<RawSlot> = slots
            .iter_mut()
            .zip(&mut texts)
            .zip(&mut pointers)
            .zip(&counts)
            .map(|(((slot, texts), pointers), &numbers)| RawSlot {
                count: numbers.max(texts.len()).max(pointers.len()),
                numbers: slot.numbers.as_mut_ptr(),
                texts: texts.as_mut_ptr(),
                pointers: pointers.as_mut_ptr(),
            })
            .collect();
        set_under_way(Some(self.name));
        // SAFETY: there are as many slots as the wrapper was written for, each with the list it was written for and as
        // many elements as `count` says (at least one where it is no array: see `slot` in the module above); they live
        // until the end of this function. Errors of foreign code come back as a result.
        // The flag is a byte that lives as long as the borrow of it does, and is forgotten before that ends.
        let code = unsafe {
            (self.interrupt)(interrupt.flag().as_ptr());
            let code = (self.wrapper)(raw.as_mut_ptr());
            (self.interrupt)(std::ptr::null());
            code
        };
        set_under_way(None);
        drop(raw);
        // SAFETY: the message is a text in the state, which stays.
        let error = || unsafe { CStr::from_ptr((self.error)()) }.to_string_lossy().trim_end().to_owned();
        if code == 2 {
            let trouble = Trouble::Crash(error());
            // SAFETY: it only stops a clock.
            unsafe { (self.survived)() };
            return Err(trouble);
        }
        if slots.iter().zip(&counts).any(|(slot, &count)| slot.numbers[count..] != GUARD) {
            return Err(Trouble::Crash("it wrote beyond the end of an array".to_owned()));
        }
        slots.iter_mut().zip(&counts).for_each(|(slot, &count)| slot.numbers.truncate(count));
        let mut node = std::ptr::null_mut();
        let mut kind = 0;
        loop {
            // SAFETY: the node is one that this function has given, or none; texts end with a zero.
            let text = unsafe {
                let text = (self.message)(&mut node, &mut kind);
                if text.is_null() {
                    break;
                }
                CStr::from_ptr(text).to_string_lossy().trim_end().to_owned()
            };
            said.push(if kind == 2 { Said::Warning(text) } else { Said::Message(text) });
        }
        let outcome = match code {
            1 => Err(Trouble::Error(error())),
            _ => {
                for ((slot, texts), pointers) in slots.iter_mut().zip(&texts).zip(&pointers) {
                    for (text, &from) in slot.texts.iter_mut().zip(texts) {
                        // SAFETY: not null, and a text as the declaration says; it lives until memory is released.
                        *text = match from.is_null() {
                            true => CString::default(),
                            false => unsafe { CStr::from_ptr(from) }.to_owned(),
                        };
                    }
                    for (pointer, &from) in slot.pointers.iter_mut().zip(pointers) {
                        *pointer = (!from.is_null()).then(|| Opaque(from.expose_provenance()));
                    }
                }
                Ok(())
            }
        };
        // SAFETY: nothing points to that memory any more.
        unsafe { (self.release)() };
        outcome
    }
}

impl Opaque {
    fn pointer(self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}
