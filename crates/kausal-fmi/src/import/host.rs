//! Runs the functions that imported blocks call: arguments and results of the rest of the program on one side, instances on the other.
//!
//! | function | does |
//! | --- | --- |
//! | `kausal_fmi_instance(file, role, token, tolerance, places, values, textPlaces, texts)` | makes an instance |
//! | `kausal_fmi_free(fmu)` | frees it |
//! | `kausal_fmi_initial(fmu, time, places, inputs, x)` | gives initial states |
//! | `kausal_fmi_derivatives(fmu, epoch, time, x, places, inputs, dx)` | derivatives |
//! | `kausal_fmi_indicators(fmu, epoch, time, x, places, inputs, z)` | event indicators |
//! | `kausal_fmi_values(fmu, epoch, time, x, places, inputs, outputs, y)` | values of variables |
//! | `kausal_fmi_held(fmu, epoch, start, outputs, y)` | values of variables that change at events only |
//! | `kausal_fmi_derivatives_along`, `kausal_fmi_values_along` | their derivatives along a direction |
//! | `kausal_fmi_wants(fmu, epoch)` | does it want an event? |
//! | `kausal_fmi_update(fmu, epoch, time, x, places, inputs, discretePlaces, discreteInputs, sides, next, ended, x)` | an event |
//! | `kausal_fmi_step(fmu, epoch, time, places, before, now, ended)` | a step of Co-Simulation |

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kausal::{Diagnostic, Guest, Host};
use kausal_runtime::Interrupt;
use kausal_symbolic::function::{Array, ExternalCall, Text, Value};

use super::Fmu;
use super::foreign::{Binary, Unusable};
use super::instance::{Instance, Loaded, Point, Update};
use super::interface::{Element, Role};

/// Handles of instances: those of other objects are below.
const FIRST_HANDLE: u64 = 2_000_000_001;
/// "Never": there is no later event that is known.
pub const NEVER: f64 = 1e300;

/// What is loaded for one file and one way of using it.
type Known = HashMap<(PathBuf, bool), Result<Arc<Loaded>, String>>;

/// Runs FMUs. What was unpacked once serves all runs.
#[derive(Clone, Debug, Default)]
pub struct FmuHost {
    known: Arc<Mutex<Known>>,
}

impl FmuHost {
    /// One that has nothing loaded.
    pub fn shared() -> Arc<dyn Host> {
        Arc::new(FmuHost::default())
    }

    fn load(&self, path: &Path, role: Role, token: &str) -> Result<Arc<Loaded>, String> {
        let key = (path.to_owned(), role == Role::CoSimulation);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = known
            .entry(key)
            .or_insert_with(|| load(path, role).map(Arc::new).map_err(|d| words(&d)))
            .clone()?;
        if loaded.interface.token != token {
            return Err(format!(
                "{} is another FMU than the one that was imported: its token is {}, not {token}; import it again",
                path.display(),
                loaded.interface.token
            ));
        }
        Ok(loaded)
    }
}

fn words(d: &Diagnostic) -> String {
    match &d.help {
        Some(help) => format!("{} ({}; {help})", d.message, d.code),
        None => format!("{} ({})", d.message, d.code),
    }
}

/// Unpacks an FMU and loads its library.
///
/// # Errors
/// All that can be wrong with it.
pub fn load(path: &Path, role: Role) -> Result<Loaded, Diagnostic> {
    let fmu = Fmu::open(path).map_err(|list| {
        list.into_iter().next().unwrap_or_else(|| Diagnostic::error("K0720", "the FMU cannot be read"))
    })?;
    fmu.role(Some(role))?;
    let kind = fmu.interface.kind(role);
    let binary = fmu.binary(role)?;
    let folder = fmu.unpack()?;
    let library = folder.path().join(&binary);
    let name = path.display();
    let binary = Binary::load(&library, fmu.interface.version, role).map_err(|why| match why {
        Unusable::NotLoaded(why) => {
            let message = format!("the library {binary} of {name} cannot be loaded: {why}");
            let help = match kind.is_some_and(|kind| kind.needs_tool) {
                true => "it needs a tool that is not in the FMU: is that installed?",
                false => "it is for another platform, is damaged, or needs libraries that are not here",
            };
            Diagnostic::error("K0728", message).help(help)
        }
        Unusable::Lacks(list) => {
            let message = format!("the library {binary} of {name} lacks {}", list.join(", "));
            Diagnostic::error("K0729", message)
                .help("the standard demands these functions: the tool that made the FMU is at fault")
        }
    })?;
    let of = |(variable, v): (usize, &super::interface::Variable)| (0..v.len()).map(move |k| (variable, k));
    let elements: Vec<Element> = fmu.interface.variables.iter().enumerate().flat_map(of).collect();
    let first = fmu.interface.first_places();
    let derivatives = fmu.interface.states.iter().map(|(_, (v, k))| first[*v] + k).collect();
    Ok(Loaded { derivatives, interface: fmu.interface, binary, folder, elements })
}

impl Host for FmuHost {
    fn guest(&self) -> Box<dyn Guest> {
        Box::new(Instances { host: self.clone(), list: Vec::new(), made: HashMap::new() })
    }
}

/// The instances of one run.
#[derive(Debug)]
struct Instances {
    host: FmuHost,
    list: Vec<Option<Instance>>,
    /// Which call made what: made again with the same arguments, it is the same instance.
    made: HashMap<(u32, String), f64>,
}

impl Guest for Instances {
    fn call(&mut self, call: &ExternalCall<'_>, _: &Interrupt) -> Result<Vec<Value<f64>>, String> {
        let name = call.body.name.as_str();
        if name == "kausal_fmi_instance" {
            return self.make(call);
        }
        let arguments = Arguments { call };
        let place = (arguments.number(0)? as u64).checked_sub(FIRST_HANDLE).map(|place| place as usize);
        let slot = place.and_then(|place| self.list.get_mut(place)).ok_or("there is no such instance")?;
        if name == "kausal_fmi_free" {
            *slot = None;
            return Ok(Vec::new());
        }
        let instance = slot.as_mut().ok_or("the instance is gone")?;
        run(instance, name, &arguments)
    }

    fn is_empty(&self) -> bool {
        self.list.iter().all(Option::is_none)
    }

    fn complete_step(&mut self) -> Result<bool, String> {
        let mut wanted = false;
        for instance in self.list.iter_mut().flatten() {
            wanted |= instance.complete_step()?;
        }
        Ok(wanted)
    }

    fn take_messages(&mut self) -> Vec<String> {
        self.list.iter().flatten().flat_map(Instance::take_said).collect()
    }
}

impl Instances {
    fn make(&mut self, call: &ExternalCall<'_>) -> Result<Vec<Value<f64>>, String> {
        let key = call.apart.map(|number| (number, format!("{:?}", call.args)));
        if let Some(handle) = key.as_ref().and_then(|key| self.made.get(key)) {
            return Ok(vec![Value::Scalar(*handle)]);
        }
        let arguments = Arguments { call };
        let role = if arguments.number(1)? == 0.0 { Role::ModelExchange } else { Role::CoSimulation };
        let loaded = self.host.load(Path::new(&arguments.text(0)?), role, &arguments.text(2)?)?;
        let tolerance = Some(arguments.number(3)?).filter(|tolerance| *tolerance > 0.0);
        if loaded.interface.kind(role).is_some_and(|kind| kind.once) && !self.is_empty() {
            return Err(format!("{} allows one instance in a program only", loaded.interface.name));
        }
        let (places, texts) = (arguments.places(4)?, arguments.texts(7)?);
        let text_places = arguments.places(6)?;
        let numbers = arguments.numbers(5)?;
        let name = call.constructs.unwrap_or("fmu");
        let instance =
            Instance::new(loaded, role, name, tolerance, (&places, numbers), (&text_places, &texts))?;
        let handle = (self.list.len() as u64 + FIRST_HANDLE) as f64;
        self.list.push(Some(instance));
        if let Some(key) = key {
            self.made.insert(key, handle);
        }
        Ok(vec![Value::Scalar(handle)])
    }
}

fn run(instance: &mut Instance, name: &str, arguments: &Arguments) -> Result<Vec<Value<f64>>, String> {
    let point = |first: usize, places: &'_ [usize]| -> Result<(f64, Vec<f64>, Vec<f64>), String> {
        let _ = places;
        Ok((
            arguments.number(first)?,
            arguments.numbers(first + 1)?.to_vec(),
            arguments.numbers(first + 3)?.to_vec(),
        ))
    };
    match name {
        "kausal_fmi_initial" => {
            let (places, inputs) = (arguments.places(2)?, arguments.numbers(3)?);
            let at = Point { time: arguments.number(1)?, states: &[], places: &places, inputs };
            arguments.filled(4, |out| instance.initial_states(at, out))
        }
        "kausal_fmi_derivatives" | "kausal_fmi_indicators" => {
            let places = arguments.places(4)?;
            let (time, states, inputs) = point(2, &places)?;
            let at = Point { time, states: &states, places: &places, inputs: &inputs };
            arguments.filled(6, |out| match name {
                "kausal_fmi_derivatives" => instance.derivatives(at, out),
                _ => instance.indicators(at, out),
            })
        }
        "kausal_fmi_values" => {
            let (places, wanted) = (arguments.places(4)?, arguments.places(6)?);
            let (time, states, inputs) = point(2, &places)?;
            let at = Point { time, states: &states, places: &places, inputs: &inputs };
            arguments.filled(7, |out| instance.values(at, &wanted, out))
        }
        "kausal_fmi_held" => {
            let wanted = arguments.places(3)?;
            arguments.filled(4, |out| instance.held(arguments.number(2)?, &wanted, out))
        }
        "kausal_fmi_derivatives_along" | "kausal_fmi_values_along" => {
            let of_values = name == "kausal_fmi_values_along";
            let places = arguments.places(4)?;
            let (time, states, inputs) = point(2, &places)?;
            let at = Point { time, states: &states, places: &places, inputs: &inputs };
            let wanted = if of_values { Some(arguments.places(6)?) } else { None };
            let first = if of_values { 7 } else { 6 };
            let direction = Point {
                time: arguments.number(first)?,
                states: arguments.numbers(first + 1)?,
                places: &places,
                inputs: arguments.numbers(first + 2)?,
            };
            arguments.filled(first + 3, |out| instance.along(at, direction, wanted.as_deref(), out))
        }
        "kausal_fmi_wants" => Ok(vec![Value::Scalar(f64::from(u8::from(instance.wants_event())))]),
        "kausal_fmi_update" => {
            let (places, discrete) = (arguments.places(4)?, arguments.places(6)?);
            let (time, states, inputs) = point(2, &places)?;
            let at = Point { time, states: &states, places: &places, inputs: &inputs };
            let sides: Vec<bool> = arguments.numbers(8)?.iter().map(|side| *side != 0.0).collect();
            let sides = if arguments.number(9)? == 0.0 { &[][..] } else { &sides[..] };
            let epoch = arguments.number(1)?;
            let update = instance.update(epoch, at, (&discrete, arguments.numbers(7)?), sides)?;
            updated(epoch, update, Some(arguments.value(12)?))
        }
        "kausal_fmi_step" => {
            let (epoch, places) = (arguments.number(1)?, arguments.places(3)?);
            let (before, now) = (arguments.numbers(4)?, arguments.numbers(5)?);
            let update = instance.step(epoch, arguments.number(2)?, &places, before, now)?;
            let mut values = updated(epoch, update, None)?;
            values.remove(1);
            Ok(values)
        }
        other => Err(format!("there is no function {other}")),
    }
}

/// The new epoch, the next event, the end, states.
fn updated(epoch: f64, update: Update, states: Option<&Value<f64>>) -> Result<Vec<Value<f64>>, String> {
    let mut values = vec![
        Value::Scalar(epoch + 1.0),
        Value::Scalar(update.next.unwrap_or(NEVER)),
        Value::Scalar(f64::from(u8::from(update.terminate))),
    ];
    if let Some(shape) = states {
        let mut list = update.states;
        list.resize(shape.scalars().len(), 0.0);
        values.push(array(shape, list)?);
    }
    Ok(values)
}

fn array(like: &Value<f64>, list: Vec<f64>) -> Result<Value<f64>, String> {
    Array::from_vec(like.shape(), list).map(Value::from).map_err(|error| error.to_string())
}

/// The arguments of a call.
struct Arguments<'a> {
    call: &'a ExternalCall<'a>,
}

impl<'a> Arguments<'a> {
    fn value(&self, i: usize) -> Result<&'a Value<f64>, String> {
        let arg = self.call.args.get(i);
        arg.map(|arg| &arg.value).ok_or_else(|| format!("{} lacks argument {}", self.call.body.name, i + 1))
    }

    fn number(&self, i: usize) -> Result<f64, String> {
        self.value(i)?.as_scalar().map_err(|_| format!("argument {} is no number", i + 1))
    }

    fn numbers(&self, i: usize) -> Result<&'a [f64], String> {
        match self.value(i)? {
            Value::Text(_) => Err(format!("argument {} is a text", i + 1)),
            value => Ok(value.scalars()),
        }
    }

    /// Places; those that are negative stand for none.
    fn places(&self, i: usize) -> Result<Vec<usize>, String> {
        Ok(self
            .numbers(i)?
            .iter()
            .map(|place| if *place < 0.0 { usize::MAX } else { *place as usize })
            .collect())
    }

    fn text(&self, i: usize) -> Result<String, String> {
        let text = self.value(i)?.as_text().ok().and_then(Text::known);
        text.map(str::to_owned).ok_or_else(|| format!("argument {} is no text", i + 1))
    }

    fn texts(&self, i: usize) -> Result<Vec<String>, String> {
        let list = self.value(i)?.as_texts().map_err(|error| error.to_string())?;
        Ok(list.data().iter().map(|text| text.known().unwrap_or_default().to_owned()).collect())
    }

    /// An array that is an output, filled.
    fn filled(
        &self,
        i: usize,
        fill: impl FnOnce(&mut [f64]) -> Result<(), String>,
    ) -> Result<Vec<Value<f64>>, String> {
        let shape = self.value(i)?;
        let mut list = vec![0.0; shape.scalars().len()];
        fill(&mut list)?;
        Ok(vec![array(shape, list)?])
    }
}
