//! The library of an FMU in memory, and the calls into it: the only unsafe lines of this crate.
//!
//! What runs here is foreign: it has the user's rights and can do whatever a program can, also crash this one. It is loaded only where
//! the user has allowed it. What these lines answer for is the boundary: functions have the types that the standard gives them, pointers
//! live as long as the call (those of instantiation as long as the instance), and an instance is used by one thread at a time.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::interface::{Role, Type};
use crate::export::Version;

type Component = *mut c_void;
type Plain = unsafe extern "C" fn(Component) -> c_int;
type Free = unsafe extern "C" fn(Component);
type Access2<T> = unsafe extern "C" fn(Component, *const u32, usize, *mut T) -> c_int;
type Access3<T> = unsafe extern "C" fn(Component, *const u32, usize, *mut T, usize) -> c_int;
type Vector = unsafe extern "C" fn(Component, *mut f64, usize) -> c_int;
type Time = unsafe extern "C" fn(Component, f64) -> c_int;
type Instantiate2 = unsafe extern "C" fn(
    *const c_char,
    c_int,
    *const c_char,
    *const c_char,
    *const Callbacks2,
    c_int,
    c_int,
) -> Component;
type Exchange3 = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_char,
    u8,
    u8,
    *mut c_void,
    Option<Logger3>,
) -> Component;
type CoSimulation3 = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_char,
    u8,
    u8,
    u8,
    u8,
    *const u32,
    usize,
    *mut c_void,
    Option<Logger3>,
    *mut c_void,
) -> Component;
type Setup2 = unsafe extern "C" fn(Component, c_int, f64, f64, c_int, f64) -> c_int;
type Enter3 = unsafe extern "C" fn(Component, u8, f64, f64, u8, f64) -> c_int;
type Discrete2 = unsafe extern "C" fn(Component, *mut Info2) -> c_int;
type Discrete3 =
    unsafe extern "C" fn(Component, *mut u8, *mut u8, *mut u8, *mut u8, *mut u8, *mut f64) -> c_int;
type Completed2 = unsafe extern "C" fn(Component, c_int, *mut c_int, *mut c_int) -> c_int;
type Completed3 = unsafe extern "C" fn(Component, u8, *mut u8, *mut u8) -> c_int;
type Step2 = unsafe extern "C" fn(Component, f64, f64, c_int) -> c_int;
type Step3 = unsafe extern "C" fn(Component, f64, f64, u8, *mut u8, *mut u8, *mut u8, *mut f64) -> c_int;
type Along2 =
    unsafe extern "C" fn(Component, *const u32, usize, *const u32, usize, *const f64, *mut f64) -> c_int;
type Along3 = unsafe extern "C" fn(
    Component,
    *const u32,
    usize,
    *const u32,
    usize,
    *const f64,
    usize,
    *mut f64,
    usize,
) -> c_int;
/// The standard declares more arguments after the last one, for the text to be formatted with: they are not looked at.
type Logger2 = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char);
type Logger3 = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

#[repr(C)]
struct Callbacks2 {
    logger: Logger2,
    allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    finished: *mut c_void,
    environment: *mut c_void,
}

#[repr(C)]
#[derive(Default)]
struct Info2 {
    again: c_int,
    terminate: c_int,
    nominals: c_int,
    values: c_int,
    defined: c_int,
    next: f64,
}

unsafe extern "C" {
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// What an FMU says, until somebody takes it.
#[derive(Debug, Default)]
struct Log(Mutex<Vec<String>>);

/// Messages that are kept.
const MAX_MESSAGES: usize = 1000;

unsafe extern "C" fn log3(log: *mut c_void, _: c_int, _: *const c_char, message: *const c_char) {
    if log.is_null() || message.is_null() {
        return;
    }
    // SAFETY: the log lives as long as the instance, the message as long as the call.
    let (log, message) = unsafe { (&*log.cast::<Log>(), CStr::from_ptr(message)) };
    let mut list = log.0.lock().unwrap_or_else(PoisonError::into_inner);
    if list.len() < MAX_MESSAGES {
        list.push(message.to_string_lossy().trim_end().to_owned());
    }
}

unsafe extern "C" fn log2(
    log: *mut c_void,
    _: *const c_char,
    status: c_int,
    category: *const c_char,
    message: *const c_char,
) {
    // SAFETY: what came is passed on.
    unsafe { log3(log, status, category, message) }
}

/// A library that is loaded. It stays for as long as the process does: it may have left pointers to itself anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Binary {
    library: &'static Library,
    version: Version,
}

/// Why a library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The system's own words.
    NotLoaded(String),
    /// Functions that the standard demands and it does not have.
    Lacks(Vec<String>),
}

impl Binary {
    /// Loads a library, and asks whether all functions are there.
    pub fn load(path: &Path, version: Version, role: Role) -> Result<Binary, Unusable> {
        // SAFETY: loading runs the initialisers of foreign code, which the user has allowed.
        let library = unsafe { Library::new(path) }.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            Unusable::NotLoaded(cause.unwrap_or_else(|| error.to_string()))
        })?;
        let binary = Binary { library: Box::leak(Box::new(library)), version };
        let lacking: Vec<String> =
            needed(version, role).map(|name| binary.called(name)).filter(|name| !binary.has(name)).collect();
        match lacking.is_empty() {
            true => Ok(binary),
            false => Err(Unusable::Lacks(lacking)),
        }
    }

    fn called(&self, name: &str) -> String {
        match self.version {
            Version::Two => format!("fmi2{name}"),
            Version::Three => format!("fmi3{name}"),
        }
    }

    fn has(&self, name: &str) -> bool {
        // SAFETY: the symbol is not used.
        unsafe { self.library.get::<*const c_void>(name.as_bytes()) }.is_ok()
    }

    /// A function by its name without the version.
    ///
    /// # Safety
    /// `T` is the type that the standard gives it.
    unsafe fn function<T: Copy>(&self, name: &str) -> Result<T, Trouble> {
        let called = self.called(name);
        // SAFETY: as promised.
        let found = unsafe { self.library.get::<T>(called.as_bytes()) };
        found.map(|symbol| *symbol).map_err(|_| Trouble {
            function: called,
            status: LACKING,
            said: Vec::new(),
        })
    }
}

/// What is called, whatever the model; other functions are looked for when they are needed.
fn needed(version: Version, role: Role) -> impl Iterator<Item = &'static str> {
    let common: &[&str] = &["FreeInstance", "EnterInitializationMode", "ExitInitializationMode", "Terminate"];
    let of_version: &[&str] = match version {
        Version::Two => &["Instantiate", "SetupExperiment", "GetReal", "SetReal"],
        Version::Three => &["GetFloat64", "SetFloat64"],
    };
    let of_role: &[&str] = match (version, role) {
        (_, Role::CoSimulation) => &["DoStep"],
        (_, Role::ModelExchange) => &[
            "EnterEventMode",
            "EnterContinuousTimeMode",
            "CompletedIntegratorStep",
            "SetTime",
            "SetContinuousStates",
            "GetContinuousStates",
            "GetEventIndicators",
        ],
    };
    let of_both: &[&str] = match (version, role) {
        (Version::Two, Role::ModelExchange) => &["NewDiscreteStates", "GetDerivatives"],
        (Version::Two, Role::CoSimulation) => &[],
        (Version::Three, Role::ModelExchange) => {
            &["InstantiateModelExchange", "UpdateDiscreteStates", "GetContinuousStateDerivatives"]
        }
        (Version::Three, Role::CoSimulation) => &["InstantiateCoSimulation"],
    };
    [common, of_version, of_role, of_both].into_iter().flatten().copied()
}

/// A status that no FMU gives: the function is not there.
const LACKING: c_int = -1;

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The function.
    pub function: String,
    status: c_int,
    /// What the FMU said.
    pub said: Vec<String>,
}

impl Trouble {
    /// Nothing can be called any more.
    pub fn is_fatal(&self) -> bool {
        self.status == 4
    }

    /// In words.
    pub fn words(&self) -> String {
        let how = match self.status {
            LACKING => "is not in the library of the FMU",
            2 => "discarded the call",
            3 => "failed",
            4 => "failed and can be called no more",
            5 => "wants to finish later (asynchronous steps are not supported)",
            _ => "gave a status that the standard does not have",
        };
        match self.said.is_empty() {
            true => format!("{} {how}", self.function),
            false => format!("{} {how}: {}", self.function, self.said.join("; ")),
        }
    }
}

/// What an event led to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Discrete {
    /// It has not come to rest.
    pub again: bool,
    /// The model ends the run.
    pub terminate: bool,
    /// The next instant at which there is an event whatever the states are.
    pub next: Option<f64>,
}

/// What a step of Co-Simulation led to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stepped {
    /// The model ends the run.
    pub terminate: bool,
    /// It ended before, there.
    pub early: Option<f64>,
}

/// An instance in the hands of its library.
#[derive(Debug)]
pub struct Foreign {
    binary: Binary,
    component: Component,
    log: Box<Log>,
    /// What FMI 2.0 calls back, for as long as the instance lives.
    _callbacks: Box<Callbacks>,
    dead: bool,
}

struct Callbacks(#[allow(dead_code)] Callbacks2);

impl std::fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Callbacks")
    }
}

// SAFETY: the standard lets instances be used from any thread, one at a time; `&mut self` everywhere says so.
unsafe impl Send for Foreign {}

fn text(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

impl Foreign {
    /// Makes an instance. The error has what it said.
    pub fn instantiate(
        binary: Binary,
        role: Role,
        name: &str,
        token: &str,
        resources: &Path,
    ) -> Result<Foreign, Trouble> {
        let log = Box::new(Log::default());
        let environment = std::ptr::from_ref::<Log>(&log).cast_mut().cast::<c_void>();
        let callbacks = Box::new(Callbacks(Callbacks2 {
            logger: log2,
            allocate: calloc,
            free,
            finished: null_mut(),
            environment,
        }));
        let (name, token) = (text(name), text(token));
        let (component, function) = match binary.version {
            Version::Two => {
                let location = text(&location(resources));
                // SAFETY: the types are those of the standard; texts live until the end of the call, callbacks longer.
                let component = unsafe {
                    let make: Instantiate2 = binary.function("Instantiate")?;
                    let role = c_int::from(role == Role::CoSimulation);
                    make(name.as_ptr(), role, token.as_ptr(), location.as_ptr(), &raw const callbacks.0, 0, 0)
                };
                (component, "fmi2Instantiate")
            }
            Version::Three => {
                let path = text(&format!("{}{}", resources.display(), std::path::MAIN_SEPARATOR));
                let (n, t, p) = (name.as_ptr(), token.as_ptr(), path.as_ptr());
                // SAFETY: as above. No event mode, no early return, no intermediate update.
                match role {
                    Role::ModelExchange => unsafe {
                        let make: Exchange3 = binary.function("InstantiateModelExchange")?;
                        (make(n, t, p, 0, 0, environment, Some(log3)), "fmi3InstantiateModelExchange")
                    },
                    Role::CoSimulation => unsafe {
                        let make: CoSimulation3 = binary.function("InstantiateCoSimulation")?;
                        let none = std::ptr::null();
                        let component =
                            make(n, t, p, 0, 0, 0, 0, none, 0, environment, Some(log3), null_mut());
                        (component, "fmi3InstantiateCoSimulation")
                    },
                }
            }
        };
        let foreign = Foreign { binary, component, log, _callbacks: callbacks, dead: component.is_null() };
        match component.is_null() {
            true => Err(Trouble { function: function.to_owned(), status: 3, said: foreign.take_said() }),
            false => Ok(foreign),
        }
    }

    /// What it said since this was asked last.
    pub fn take_said(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn status(&mut self, name: &str, status: c_int) -> Result<(), Trouble> {
        match status {
            0 | 1 => Ok(()),
            _ => {
                self.dead |= status == 4;
                Err(Trouble { function: self.binary.called(name), status, said: self.take_said() })
            }
        }
    }

    fn alive(&self, name: &str) -> Result<Component, Trouble> {
        match self.dead {
            true => Err(Trouble { function: self.binary.called(name), status: 4, said: self.take_said() }),
            false => Ok(self.component),
        }
    }

    /// A function without arguments.
    pub fn plain(&mut self, name: &str) -> Result<(), Trouble> {
        let component = self.alive(name)?;
        // SAFETY: only functions of this type are asked for, by the names in this crate.
        let status = unsafe { self.binary.function::<Plain>(name)?(component) };
        self.status(name, status)
    }

    /// Initial values are looked for from now on.
    pub fn enter_initialization(&mut self, start: f64, tolerance: Option<f64>) -> Result<(), Trouble> {
        let (defined, tolerance) = (tolerance.is_some(), tolerance.unwrap_or_default());
        match self.binary.version {
            Version::Two => {
                let component = self.alive("SetupExperiment")?;
                // SAFETY: the type is that of the standard.
                let status = unsafe {
                    self.binary.function::<Setup2>("SetupExperiment")?(
                        component,
                        c_int::from(defined),
                        tolerance,
                        start,
                        0,
                        0.0,
                    )
                };
                self.status("SetupExperiment", status)?;
                self.plain("EnterInitializationMode")
            }
            Version::Three => {
                const NAME: &str = "EnterInitializationMode";
                let component = self.alive(NAME)?;
                // SAFETY: the type is that of the standard.
                let status = unsafe {
                    self.binary.function::<Enter3>(NAME)?(
                        component,
                        u8::from(defined),
                        tolerance,
                        start,
                        0,
                        0.0,
                    )
                };
                self.status(NAME, status)
            }
        }
    }

    /// Gives numbers to variables of a type; `values` are those of all elements.
    pub fn set(&mut self, ty: Type, references: &[u32], values: &[f64]) -> Result<(), Trouble> {
        match (self.binary.version, ty) {
            (Version::Two, Type::Float64) => self.put2("SetReal", references, values, |v| v),
            (Version::Two, Type::Boolean) => {
                self.put2("SetBoolean", references, values, |v| c_int::from(v != 0.0))
            }
            (Version::Two, _) => self.put2("SetInteger", references, values, |v| v as c_int),
            (_, Type::Float64) => self.put3("SetFloat64", references, values, |v| v),
            (_, Type::Float32) => self.put3("SetFloat32", references, values, |v| v as f32),
            (_, Type::Int8) => self.put3("SetInt8", references, values, |v| v as i8),
            (_, Type::UInt8) => self.put3("SetUInt8", references, values, |v| v as u8),
            (_, Type::Int16) => self.put3("SetInt16", references, values, |v| v as i16),
            (_, Type::UInt16) => self.put3("SetUInt16", references, values, |v| v as u16),
            (_, Type::Int32) => self.put3("SetInt32", references, values, |v| v as i32),
            (_, Type::UInt32) => self.put3("SetUInt32", references, values, |v| v as u32),
            (_, Type::Int64 | Type::Enumeration) => self.put3("SetInt64", references, values, |v| v as i64),
            (_, Type::UInt64) => self.put3("SetUInt64", references, values, |v| v as u64),
            (_, Type::Boolean) => self.put3("SetBoolean", references, values, |v| u8::from(v != 0.0)),
            (_, Type::String | Type::Binary | Type::Clock) => Ok(()),
        }
    }

    /// Numbers of variables of a type, of all elements.
    pub fn get(&mut self, ty: Type, references: &[u32], out: &mut [f64]) -> Result<(), Trouble> {
        match (self.binary.version, ty) {
            (Version::Two, Type::Float64) => self.take2("GetReal", references, out, |v: f64| v),
            (Version::Two, Type::Boolean) => {
                self.take2("GetBoolean", references, out, |v: c_int| f64::from(u8::from(v != 0)))
            }
            (Version::Two, _) => self.take2("GetInteger", references, out, |v: c_int| f64::from(v)),
            (_, Type::Float64) => self.take3("GetFloat64", references, out, |v: f64| v),
            (_, Type::Float32) => self.take3("GetFloat32", references, out, |v: f32| f64::from(v)),
            (_, Type::Int8) => self.take3("GetInt8", references, out, |v: i8| f64::from(v)),
            (_, Type::UInt8) => self.take3("GetUInt8", references, out, |v: u8| f64::from(v)),
            (_, Type::Int16) => self.take3("GetInt16", references, out, |v: i16| f64::from(v)),
            (_, Type::UInt16) => self.take3("GetUInt16", references, out, |v: u16| f64::from(v)),
            (_, Type::Int32) => self.take3("GetInt32", references, out, |v: i32| f64::from(v)),
            (_, Type::UInt32) => self.take3("GetUInt32", references, out, |v: u32| f64::from(v)),
            (_, Type::Int64 | Type::Enumeration) => {
                self.take3("GetInt64", references, out, |v: i64| v as f64)
            }
            (_, Type::UInt64) => self.take3("GetUInt64", references, out, |v: u64| v as f64),
            (_, Type::Boolean) => {
                self.take3("GetBoolean", references, out, |v: u8| f64::from(u8::from(v != 0)))
            }
            (_, Type::String | Type::Binary | Type::Clock) => Ok(()),
        }
    }

    fn put2<T>(&mut self, name: &str, to: &[u32], values: &[f64], c: fn(f64) -> T) -> Result<(), Trouble> {
        let component = self.alive(name)?;
        let mut values: Vec<T> = values.iter().map(|&value| c(value)).collect();
        // SAFETY: `T` is the type of this function; scalars only, so there are as many values as references.
        let status = unsafe {
            self.binary.function::<Access2<T>>(name)?(component, to.as_ptr(), to.len(), values.as_mut_ptr())
        };
        self.status(name, status)
    }

    fn put3<T>(&mut self, name: &str, to: &[u32], values: &[f64], c: fn(f64) -> T) -> Result<(), Trouble> {
        let component = self.alive(name)?;
        let mut values: Vec<T> = values.iter().map(|&value| c(value)).collect();
        let n = values.len();
        // SAFETY: `T` is the type of this function, and lengths are passed.
        let status = unsafe {
            self.binary.function::<Access3<T>>(name)?(
                component,
                to.as_ptr(),
                to.len(),
                values.as_mut_ptr(),
                n,
            )
        };
        self.status(name, status)
    }

    fn take2<T: Default + Copy>(
        &mut self,
        name: &str,
        from: &[u32],
        out: &mut [f64],
        c: fn(T) -> f64,
    ) -> Result<(), Trouble> {
        let component = self.alive(name)?;
        let mut values = vec![T::default(); out.len().max(from.len())];
        // SAFETY: as for `put2`.
        let status = unsafe {
            self.binary.function::<Access2<T>>(name)?(
                component,
                from.as_ptr(),
                from.len(),
                values.as_mut_ptr(),
            )
        };
        out.iter_mut().zip(values).for_each(|(out, value)| *out = c(value));
        self.status(name, status)
    }

    fn take3<T: Default + Copy>(
        &mut self,
        name: &str,
        from: &[u32],
        out: &mut [f64],
        c: fn(T) -> f64,
    ) -> Result<(), Trouble> {
        let component = self.alive(name)?;
        let mut values = vec![T::default(); out.len()];
        let n = values.len();
        // SAFETY: as for `put3`.
        let status = unsafe {
            self.binary.function::<Access3<T>>(name)?(
                component,
                from.as_ptr(),
                from.len(),
                values.as_mut_ptr(),
                n,
            )
        };
        out.iter_mut().zip(values).for_each(|(out, value)| *out = c(value));
        self.status(name, status)
    }

    /// Gives a text to a variable.
    pub fn set_text(&mut self, reference: u32, value: &str) -> Result<(), Trouble> {
        const NAME: &str = "SetString";
        let component = self.alive(NAME)?;
        let value = text(value);
        let mut list = [value.as_ptr()];
        // SAFETY: one reference, one text, which lives until the end of the call.
        let status = unsafe {
            match self.binary.version {
                Version::Two => self.binary.function::<Access2<*const c_char>>(NAME)?(
                    component,
                    &raw const reference,
                    1,
                    list.as_mut_ptr(),
                ),
                Version::Three => self.binary.function::<Access3<*const c_char>>(NAME)?(
                    component,
                    &raw const reference,
                    1,
                    list.as_mut_ptr(),
                    1,
                ),
            }
        };
        self.status(NAME, status)
    }

    /// Time, from outside.
    pub fn set_time(&mut self, t: f64) -> Result<(), Trouble> {
        let component = self.alive("SetTime")?;
        // SAFETY: the type is that of the standard.
        let status = unsafe { self.binary.function::<Time>("SetTime")?(component, t) };
        self.status("SetTime", status)
    }

    /// States, derivatives, event indicators: a vector that is read or written.
    pub fn vector(&mut self, name: &str, values: &mut [f64]) -> Result<(), Trouble> {
        let component = self.alive(name)?;
        // SAFETY: only functions of this type are asked for, by the names in this crate, with their lengths.
        let status =
            unsafe { self.binary.function::<Vector>(name)?(component, values.as_mut_ptr(), values.len()) };
        self.status(name, status)
    }

    /// Derivatives of the states.
    pub fn derivatives(&mut self, out: &mut [f64]) -> Result<(), Trouble> {
        match self.binary.version {
            Version::Two => self.vector("GetDerivatives", out),
            Version::Three => self.vector("GetContinuousStateDerivatives", out),
        }
    }

    /// What follows from an event.
    pub fn update_discrete(&mut self) -> Result<Discrete, Trouble> {
        match self.binary.version {
            Version::Two => {
                const NAME: &str = "NewDiscreteStates";
                let component = self.alive(NAME)?;
                let mut info = Info2::default();
                // SAFETY: the type is that of the standard.
                let status = unsafe { self.binary.function::<Discrete2>(NAME)?(component, &raw mut info) };
                self.status(NAME, status)?;
                let next = (info.defined != 0).then_some(info.next);
                Ok(Discrete { again: info.again != 0, terminate: info.terminate != 0, next })
            }
            Version::Three => {
                const NAME: &str = "UpdateDiscreteStates";
                let component = self.alive(NAME)?;
                let (mut flags, mut next) = ([0_u8; 5], 0.0);
                let [again, terminate, nominals, values, defined] = &mut flags;
                // SAFETY: the type is that of the standard.
                let status = unsafe {
                    self.binary.function::<Discrete3>(NAME)?(
                        component,
                        again,
                        terminate,
                        nominals,
                        values,
                        defined,
                        &raw mut next,
                    )
                };
                self.status(NAME, status)?;
                let next = (flags[4] != 0).then_some(next);
                Ok(Discrete { again: flags[0] != 0, terminate: flags[1] != 0, next })
            }
        }
    }

    /// The solver goes on from here. Is an event needed?
    pub fn completed_step(&mut self) -> Result<bool, Trouble> {
        const NAME: &str = "CompletedIntegratorStep";
        let component = self.alive(NAME)?;
        let (status, event) = match self.binary.version {
            Version::Two => {
                let (mut event, mut end) = (0, 0);
                // SAFETY: the type is that of the standard.
                let status = unsafe {
                    self.binary.function::<Completed2>(NAME)?(component, 1, &raw mut event, &raw mut end)
                };
                (status, event != 0 || end != 0)
            }
            Version::Three => {
                let (mut event, mut end) = (0, 0);
                // SAFETY: as above.
                let status = unsafe {
                    self.binary.function::<Completed3>(NAME)?(component, 1, &raw mut event, &raw mut end)
                };
                (status, event != 0 || end != 0)
            }
        };
        self.status(NAME, status).map(|()| event)
    }

    /// A step of Co-Simulation.
    pub fn step(&mut self, from: f64, by: f64) -> Result<Stepped, Trouble> {
        const NAME: &str = "DoStep";
        let component = self.alive(NAME)?;
        match self.binary.version {
            Version::Two => {
                // SAFETY: the type is that of the standard.
                let status = unsafe { self.binary.function::<Step2>(NAME)?(component, from, by, 1) };
                // This is how FMI 2.0 says that the model ends the run.
                if status == 2 && self.is_terminated() {
                    return Ok(Stepped { terminate: true, early: None });
                }
                self.status(NAME, status)?;
                Ok(Stepped::default())
            }
            Version::Three => {
                let (mut flags, mut last) = ([0_u8; 3], from + by);
                let [event, terminate, early] = &mut flags;
                // SAFETY: the type is that of the standard.
                let status = unsafe {
                    self.binary.function::<Step3>(NAME)?(
                        component,
                        from,
                        by,
                        1,
                        event,
                        terminate,
                        early,
                        &raw mut last,
                    )
                };
                self.status(NAME, status)?;
                Ok(Stepped { terminate: flags[1] != 0, early: (flags[2] != 0).then_some(last) })
            }
        }
    }

    /// Has the model ended the run? A question of FMI 2.0.
    fn is_terminated(&self) -> bool {
        type Ask = unsafe extern "C" fn(Component, c_int, *mut c_int) -> c_int;
        const TERMINATED: c_int = 3;
        let mut value = 0;
        // SAFETY: the type is that of the standard.
        let status = unsafe {
            self.binary
                .function::<Ask>("GetBooleanStatus")
                .map(|ask| ask(self.component, TERMINATED, &raw mut value))
        };
        matches!(status, Ok(0 | 1)) && value != 0
    }

    /// The derivatives of variables along a direction of others. Arrays are taken as a whole.
    pub fn along(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Result<(), Trouble> {
        const NAME: &str = "GetDirectionalDerivative";
        let component = self.alive(NAME)?;
        let ((z, nz), (k, nk)) = ((unknowns.as_ptr(), unknowns.len()), (knowns.as_ptr(), knowns.len()));
        // SAFETY: the type is that of the standard; lengths are those of the lists (in FMI 2.0 all variables are scalar).
        let status = unsafe {
            match self.binary.version {
                Version::Two => {
                    let along: Along2 = self.binary.function(NAME)?;
                    along(component, z, nz, k, nk, seed.as_ptr(), out.as_mut_ptr())
                }
                Version::Three => {
                    let along: Along3 = self.binary.function(NAME)?;
                    along(component, z, nz, k, nk, seed.as_ptr(), seed.len(), out.as_mut_ptr(), out.len())
                }
            }
        };
        self.status(NAME, status)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if self.dead {
            return;
        }
        // SAFETY: the instance is used no more; there is nobody to tell what fails.
        if let Ok(free) = unsafe { self.binary.function::<Free>("FreeInstance") } {
            unsafe { free(self.component) }
        }
    }
}

/// The folder of resources as FMI 2.0 wants it: a URI.
fn location(resources: &Path) -> String {
    let mut uri = String::from("file://");
    let path = resources.to_string_lossy().replace('\\', "/");
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b':' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of RFC 8089 and RFC 3986, section 2.1.
    #[test]
    fn locations_are_uris() {
        assert_eq!(location(Path::new("/tmp/a b/ü")), "file:///tmp/a%20b/%C3%BC");
    }
}
