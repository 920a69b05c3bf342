//! External C code of other libraries (specification section 12.9): compiled with the system's compiler, loaded, called.
//!
//! | module | does |
//! | --- | --- |
//! | `glue` | writes a wrapper in C around each function |
//! | `build` | compiles the wrappers, with `Include`, `Library` and the folders of the declaration |
//! | `load` | loads what was compiled and calls it |
//! | `host` | components from outside, which have libraries of their own |
//! | `pack` | functions that travel with a model, to be loaded elsewhere |
//!
//! **Nothing runs by itself.** Whoever makes a [`Foreign`] has the user's word that models may do what a program may:
//! foreign code has all rights of the user.
//!
//! Functions that a program needs are compiled together, before it runs, so that what they share is there once; one that
//! is needed while flattening is compiled then. Errors of foreign code (`ModelicaError`) come back as errors of the call.
//! External objects live in [`Objects`] and are destroyed with them, the last one first; those a function makes for itself
//! are destroyed when it ends.

mod build;
mod glue;
mod host;
mod load;
mod pack;

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kausal_symbolic::function::interrupt::Interrupt;
use kausal_symbolic::function::{
    Array, Body, ExternalBody, ExternalCall, ExternalError, ForeignType, Function, Scalar, Term, Text, Value,
};

pub use build::has_compiler;
use glue::Declared;
pub use host::{Guest, Host, PREFIX, is_hosted};
pub(crate) use load::Said;
pub use load::under_way;
use load::{Loaded, Opaque, Slot, Trouble};
pub use pack::{Packed, pack};

/// Foreign functions that may run, compiled when they are needed.
#[derive(Debug, Default)]
pub struct Foreign {
    /// Who runs components from outside.
    host: Option<Arc<dyn Host>>,
    loaded: Mutex<HashMap<(String, String), Result<Loaded, String>>>,
}

/// External objects that foreign functions have made.
#[derive(Debug, Default)]
pub struct Objects {
    /// By handle; none where one was destroyed.
    list: Vec<Option<Object>>,
    /// Handles of objects that were destroyed.
    free: Vec<usize>,
    /// Which call made what: made again with the same arguments, it gives the same object again. Another call gives
    /// another object, whatever its arguments are.
    made: HashMap<(u32, String), usize>,
    /// A function crashed: nothing foreign runs any more, destructors neither.
    crash: Option<String>,
}

#[derive(Debug)]
struct Object {
    pointer: Option<Opaque>,
    destructor: Option<Loaded>,
}

impl Objects {
    /// Has foreign code made nothing, or nothing that is left?
    pub(crate) fn is_empty(&self) -> bool {
        self.list.iter().all(Option::is_none) && self.crash.is_none()
    }

    fn get(&self, handle: f64) -> Option<&Object> {
        self.list.get(place(handle))?.as_ref()
    }

    /// Keeps an object; gives its handle.
    fn keep(&mut self, object: Object) -> f64 {
        match self.free.pop() {
            Some(at) => {
                self.list[at] = Some(object);
                handle(at)
            }
            None => {
                self.list.push(Some(object));
                handle(self.list.len() - 1)
            }
        }
    }

    fn destroy(&mut self, object: Object, said: &mut Vec<Said>) {
        let Some(destructor) = object.destructor.filter(|_| self.crash.is_none()) else { return };
        let mut slots = [
            Slot { pointers: vec![object.pointer], ..Slot::default() },
            Slot { numbers: vec![0.0], ..Slot::default() },
        ];
        // An object that cannot be destroyed is of no more use than one that was.
        // A destructor gives back what was taken, also in a run that is to end.
        if let Err(Trouble::Crash(how)) = destructor.call(&mut slots, said, &Interrupt::default()) {
            self.crash = Some(format!("the destructor of an external object crashed: {how}"));
        }
    }

    /// Which function crashed, and how.
    pub(crate) fn crash(&self) -> Option<&str> {
        self.crash.as_deref()
    }

    /// Destroys an object that a function has made for itself.
    pub(crate) fn release(&mut self, handle: f64, said: &mut Vec<Said>) {
        let at = place(handle);
        if let Some(object) = self.list.get_mut(at).and_then(Option::take) {
            self.free.push(at);
            self.destroy(object, said);
        }
    }
}

/// Would this function run foreign code? Native versions and operators do not.
pub fn is_foreign(function: &Function) -> bool {
    matches!(&function.body, Body::External(body) if body.language == "C" && !is_native(body))
}

/// A function in a language that cannot be called.
pub fn is_unsupported(function: &Function) -> bool {
    matches!(&function.body, Body::External(body)
        if body.language != "C" && body.language != "builtin" && !is_native(body))
}

fn is_native(body: &ExternalBody) -> bool {
    crate::kind(&body.name).is_some()
}

/// The name of the destructor that belongs to a constructor, which makes objects of this class.
pub fn destructor_name(class: &str) -> String {
    format!("{class}.destructor")
}

impl Foreign {
    /// With somebody who runs components from outside.
    pub fn with_host(host: Option<Arc<dyn Host>>) -> Foreign {
        Foreign { host, ..Foreign::default() }
    }

    /// The components of a new run, if somebody can run them.
    pub(crate) fn guest(&self) -> Option<Box<dyn Guest>> {
        self.host.as_ref().map(|host| host.guest())
    }

    /// Compiles functions together and loads them; fails with what the compiler says.
    pub fn prepare(&self, functions: &[&Function]) -> Result<(), String> {
        let list = declared(functions);
        let loaded = compile(&list)?;
        self.loaded().extend(keys(list).zip(loaded.into_iter().map(Ok)));
        Ok(())
    }

    /// Calls a function; compiles it if that was not done.
    pub(crate) fn call(
        &self,
        call: &ExternalCall<'_>,
        objects: &mut Objects,
        said: &mut Vec<Said>,
        interrupt: &Interrupt,
    ) -> Result<Vec<Value<f64>>, ExternalError> {
        let loaded = self.find(call).map_err(ExternalError::Failed)?;
        if call.body.view.result == Some(Scalar::External) {
            return self.construct(loaded, call, objects, said, interrupt).map_err(ExternalError::Failed);
        }
        run(loaded, call, objects, said, interrupt).map_err(ExternalError::Failed)
    }

    fn loaded(&self) -> MutexGuard<'_, HashMap<(String, String), Result<Loaded, String>>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, call: &ExternalCall<'_>) -> Result<Loaded, String> {
        let key = (call.function.to_owned(), call.body.name.clone());
        if let Some(known) = self.loaded().get(&key) {
            return known.clone();
        }
        let written = call.args.iter().map(|arg| arg.written).collect();
        let declared = Declared { function: call.function.to_owned(), body: call.body.clone(), written };
        let loaded = compile(&[declared]).and_then(|list| list.into_iter().next().ok_or_else(String::new));
        self.loaded().insert(key, loaded.clone());
        loaded
    }

    fn construct(
        &self,
        loaded: Loaded,
        call: &ExternalCall<'_>,
        objects: &mut Objects,
        said: &mut Vec<Said>,
        interrupt: &Interrupt,
    ) -> Result<Vec<Value<f64>>, String> {
        let key = call.apart.map(|number| (number, format!("{:?}", call.args)));
        if let Some(&at) = key.as_ref().and_then(|key| objects.made.get(key)) {
            return Ok(vec![Value::Scalar(handle(at))]);
        }
        let values = run(loaded, call, objects, said, interrupt)?;
        let destructor = call
            .constructs
            .map(destructor_name)
            .and_then(|name| self.loaded().iter().find(|((n, _), _)| *n == name)?.1.clone().ok());
        let made = values.first().and_then(|value| value.scalars().first()).copied().unwrap_or_default();
        let at = place(made);
        if let Some(Some(object)) = objects.list.get_mut(at) {
            object.destructor = destructor;
        }
        if let Some(key) = key {
            objects.made.insert(key, at);
        }
        Ok(values)
    }
}

/// What is compiled of functions, each once.
fn declared(functions: &[&Function]) -> Vec<Declared> {
    let mut list: Vec<Declared> = Vec::new();
    for function in functions.iter().filter(|function| !is_hosted(function)) {
        let Body::External(body) = &function.body else { continue };
        let known = list.iter().any(|d| d.function == function.name && d.body.name == body.name);
        if !known {
            let written = body.args.iter().map(
                |&arg| matches!(function.term(arg), Term::Local(local) if !function.inputs.contains(local)),
            );
            let written = written.collect();
            list.push(Declared { function: function.name.clone(), body: (**body).clone(), written });
        }
    }
    list
}

/// What functions are found by when they are called.
fn keys(list: Vec<Declared>) -> impl Iterator<Item = (String, String)> {
    list.into_iter().map(|declared| (declared.function, declared.body.name))
}

fn compile(list: &[Declared]) -> Result<Vec<Loaded>, String> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    // The object stays in memory when its file is gone.
    let folder = tempfile::Builder::new().prefix("kausal-").tempdir();
    let folder = folder.map_err(|error| format!("there is no folder for temporary files: {error}"))?;
    let object = build::build(list, folder.path(), build::Libraries::WhereTheyAre)?;
    load::load(&object, &wrappers(list))
}

/// How many slots each wrapper has, and what it is called in messages.
fn wrappers(list: &[Declared]) -> Vec<(usize, String)> {
    let wrapper = |declared: &Declared| {
        let name = format!("{} ({} in C)", declared.function, declared.body.name);
        (declared.body.view.args.len() + 1, name)
    };
    list.iter().map(wrapper).collect()
}

/// Handles are places from here on: those of native tables are below.
const FIRST_HANDLE: u64 = 1_000_000_001;

fn handle(at: usize) -> f64 {
    (at as u64 + FIRST_HANDLE) as f64
}

fn place(handle: f64) -> usize {
    (handle as u64).checked_sub(FIRST_HANDLE).map_or(usize::MAX, |at| at as usize)
}

fn run(
    loaded: Loaded,
    call: &ExternalCall<'_>,
    objects: &mut Objects,
    said: &mut Vec<Said>,
    interrupt: &Interrupt,
) -> Result<Vec<Value<f64>>, String> {
    let view = &call.body.view;
    if view.args.len() != call.args.len() {
        return Err("a wrong number of arguments".to_owned());
    }
    let mut slots = Vec::with_capacity(call.args.len() + 1);
    for (arg, ty) in call.args.iter().zip(&view.args) {
        slots.push(slot(&arg.value, ty, objects)?);
    }
    slots.push(Slot { numbers: vec![0.0], texts: vec![CString::default()], pointers: vec![None] });
    if let Some(crash) = objects.crash() {
        return Err(crash.to_owned());
    }
    loaded.call(&mut slots, said, interrupt).map_err(|trouble| match trouble {
        Trouble::Error(message) => message,
        Trouble::Crash(how) => {
            let crash =
                format!("the foreign function {} crashed in {}: {how}", call.function, call.body.name);
            objects.crash.insert(crash).clone()
        }
    })?;
    let mut values = Vec::new();
    if let (Some(scalar), Some(result)) = (view.result, slots.pop()) {
        values.push(value(result, scalar, &[], objects)?);
    }
    for ((arg, ty), slot) in call.args.iter().zip(&view.args).zip(slots) {
        if arg.written {
            values.push(value(slot, ty.scalar, arg.value.shape(), objects)?);
        }
    }
    Ok(values)
}

/// A value as foreign code gets it. What is no array has one element.
fn slot(value: &Value<f64>, ty: &ForeignType, objects: &Objects) -> Result<Slot, String> {
    let mut slot = Slot::default();
    if value.is_text() != (ty.scalar == Scalar::String) || (ty.rank == 0) != value.shape().is_empty() {
        return Err("an argument is not what the declaration says".to_owned());
    }
    match ty.scalar {
        Scalar::Real => slot.numbers = value.scalars().to_vec(),
        Scalar::Integer | Scalar::Boolean | Scalar::Enumeration => {
            let (low, high) =
                if ty.size { (0.0, 9.0e15) } else { (f64::from(i32::MIN), f64::from(i32::MAX)) };
            for &number in value.scalars() {
                if !((low..=high).contains(&number) && number.fract() == 0.0) {
                    return Err(format!("{number} is no Integer that C can hold"));
                }
            }
            slot.numbers = value.scalars().to_vec();
        }
        Scalar::String => {
            for text in value.as_texts().map_err(|error| error.to_string())?.data() {
                let text = CString::new(text.known().unwrap_or_default());
                slot.texts.push(text.map_err(|_| "a string with a zero in it cannot be passed to C")?);
            }
        }
        Scalar::External => {
            for &number in value.scalars() {
                let object = objects.get(number).ok_or("there is no such external object")?;
                slot.pointers.push(object.pointer);
            }
        }
    }
    Ok(slot)
}

fn value(slot: Slot, scalar: Scalar, shape: &[usize], objects: &mut Objects) -> Result<Value<f64>, String> {
    let told = |error: kausal_symbolic::function::ArrayError| error.to_string();
    Ok(match scalar {
        Scalar::String => {
            let texts = slot.texts.iter().map(|text| Text::from(&*text.to_string_lossy())).collect();
            Value::texts(Array::from_vec(shape, texts).map_err(told)?)
        }
        Scalar::External => {
            let pointer = slot.pointers.first().copied().flatten();
            Value::Scalar(objects.keep(Object { pointer, destructor: None }))
        }
        _ => {
            let count: usize = shape.iter().product();
            let numbers = slot.numbers.into_iter().take(count).collect();
            Value::from(Array::from_vec(shape, numbers).map_err(told)?)
        }
    })
}

impl Drop for Objects {
    fn drop(&mut self) {
        while let Some(object) = self.list.pop() {
            // There is nobody left to tell.
            if let Some(object) = object {
                self.destroy(object, &mut Vec::new());
            }
        }
    }
}
