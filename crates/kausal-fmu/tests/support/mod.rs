//! A model as the library in an FMU finds it, and who listens to what it says.

// Each test uses what it needs.
#![allow(dead_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null;
use std::sync::{Arc, Mutex};

use kausal::{Backend, Options, Session, stored};
use kausal_fmi::arrays;
use kausal_fmi::description::{Description, Kinds};
use kausal_fmi::references::{Reference, token};
use kausal_fmu::fmi3;
use kausal_symbolic::VarId;
use kausal_translate::Program;

/// The callback of steps of the integrator.
pub type Update = unsafe extern "C" fn(*mut c_void, f64, bool, bool, bool, bool, *mut bool, *mut f64);

/// A model in a folder of resources, with its token and program.
pub struct Fmu {
    pub folder: tempfile::TempDir,
    pub token: CString,
    pub program: Program,
}

impl Fmu {
    pub fn new(text: &str) -> Fmu {
        let mut session = Session::new();
        let name = session.add_text("M.mo", text).pop().expect("a class");
        let flat = session.flatten(&name).expect("a correct model");
        let program = session.translate(&flat, &Options::default()).expect("a regular model");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model.kausal");
        stored::write(&path, &program, &flat, &Options::default(), session.sources()).expect("written");
        let model = Arc::new(session.compile(program.clone(), Backend::Interpreter).expect("code"));
        let kinds = Kinds { model_exchange: true, co_simulation: true };
        let described = Description::new(&flat, &model, String::new(), kinds);
        let lengths = arrays::written(&described.arrays, &described.variables);
        std::fs::write(folder.path().join(kausal_fmi::ARRAYS), lengths).expect("written");
        let token = CString::new(token(&std::fs::read(&path).expect("read"))).expect("a text");
        Fmu { folder, token, program }
    }

    pub fn reference(&self, name: &str) -> u32 {
        let at = self.program.variables.iter().position(|v| v.name == name);
        Reference::Variable(VarId(at.expect(name) as u32)).number(&self.program)
    }

    /// An instance for Co-Simulation.
    pub fn co_simulation(
        &self,
        log: &Mutex<Vec<String>>,
        event_mode: bool,
        update: Option<Update>,
    ) -> *mut c_void {
        let environment = std::ptr::from_ref(log).cast_mut().cast();
        let (path, token) = (self.path(), self.token.as_ptr());
        fmi3::fmi3InstantiateCoSimulation(
            c"one".as_ptr(),
            token,
            path.as_ptr(),
            false,
            false,
            event_mode,
            true,
            null(),
            0,
            environment,
            Some(note),
            update,
        )
    }

    pub fn path(&self) -> CString {
        CString::new(self.folder.path().to_str().expect("UTF-8")).expect("a text")
    }

    pub fn exchange(&self, log: &Mutex<Vec<String>>) -> *mut c_void {
        let environment = std::ptr::from_ref(log).cast_mut().cast();
        let (path, token) = (self.path(), self.token.as_ptr());
        fmi3::fmi3InstantiateModelExchange(
            c"one".as_ptr(),
            token,
            path.as_ptr(),
            false,
            false,
            environment,
            Some(note),
        )
    }
}

/// Keeps what is said.
#[allow(unsafe_code)]
pub unsafe extern "C" fn note(environment: *mut c_void, _: c_int, _: *const c_char, text: *const c_char) {
    // SAFETY: the list that the test passed, and a text that ends with a zero.
    let (log, text) = unsafe { (&*environment.cast::<Mutex<Vec<String>>>(), CStr::from_ptr(text)) };
    log.lock().expect("one thread").push(text.to_string_lossy().into_owned());
}
