//! What is told to the importing tool (FMI 3.0, section 2.3.1 and 2.4.8).

use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// How a call ended, by the numbers both standards have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// Done, and something is to be said.
    Warning = 1,
    /// Not done; a shorter step or another point may be.
    Discard = 2,
    /// Not done; the instance can be reset or freed.
    Error = 3,
    /// Nothing works any more.
    Fatal = 4,
}

impl Status {
    /// The category of messages with this status.
    fn category(self) -> &'static CStr {
        match self {
            Status::Ok => c"logEvents",
            Status::Warning => c"logStatusWarning",
            Status::Discard => c"logStatusDiscard",
            Status::Error => c"logStatusError",
            Status::Fatal => c"logStatusFatal",
        }
    }
}

/// Names of the categories, as the model description lists them.
pub const CATEGORIES: [&str; 6] = kausal_fmi::export::CATEGORIES;

/// The callback of FMI 2.0, whose message is a format.
pub type Logger2 = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);
/// The callback of FMI 3.0.
pub type Logger3 = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

/// Who is told.
#[derive(Clone, Copy, Debug)]
pub enum Callback {
    /// Nobody.
    None,
    /// By FMI 2.0.
    Two(Logger2),
    /// By FMI 3.0.
    Three(Logger3),
}

/// Tells the importing tool what is to be said. Warnings and errors always, notes where they are asked for.
#[derive(Debug)]
pub struct Log {
    callback: Callback,
    environment: *mut c_void,
    name: CString,
    /// Notes are wanted.
    on: bool,
    /// The categories that are wanted; all where there are none.
    wanted: Vec<String>,
}

impl Log {
    /// For an instance of this name.
    pub fn new(callback: Callback, environment: *mut c_void, name: &CStr, on: bool) -> Log {
        Log { callback, environment, name: name.to_owned(), on, wanted: Vec::new() }
    }

    /// Which notes are wanted from now on; a category that does not exist is `false`.
    pub fn set(&mut self, on: bool, categories: Vec<String>) -> bool {
        let known = categories.iter().all(|c| CATEGORIES.contains(&c.as_str()));
        self.on = on;
        self.wanted = categories;
        known
    }

    /// Says something.
    pub fn say(&self, status: Status, text: &str) {
        let category = status.category();
        if status == Status::Ok {
            let listed = |c: &String| c == "logAll" || c.as_bytes() == category.to_bytes();
            if !self.on || !(self.wanted.is_empty() || self.wanted.iter().any(listed)) {
                return;
            }
        }
        let Ok(text) = CString::new(text.replace('\0', " ")) else { return };
        let (environment, name, status) = (self.environment, self.name.as_ptr(), status as c_int);
        let (category, text) = (category.as_ptr(), text.as_ptr());
        match self.callback {
            Callback::None => {}
            // SAFETY: a function of the importing tool with its own environment; all texts live until it returns.
            #[allow(unsafe_code)]
            Callback::Two(log) => unsafe { log(environment, name, status, category, c"%s".as_ptr(), text) },
            // SAFETY: the same.
            #[allow(unsafe_code)]
            Callback::Three(log) => unsafe { log(environment, status, category, text) },
        }
    }
}
