//! An instance of the model: what may be set and asked for, and when (FMI 3.0, section 2.3 and figures 5, 6, 7).
//!
//! ```text
//! Instantiated ── enter_initialization ─→ Initialization ── exit_initialization ─→ Event (Model Exchange) or Step
//!      ↑                                                                             Event ⇄ Continuous, Event ⇄ Step
//!      └───────────────────────────────── reset ──────────────────────────────────── any of them
//! ```
//!
//! Before the end of the initialisation what is set are values for parameters, start values and inputs. Initial values are
//! found when somebody asks for one, and again where something was set since.

mod saved;
mod stepping;

pub use stepping::Reached;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use kausal::stored::{self, Rest};
use kausal::{Backend, Diagnostic, Method, Overrides, RunFiles, Sources, render, tune};
use kausal_fmi::library::Platform;
use kausal_fmi::references::{Reference, Setting, token};
use kausal_model::flat::Type;
use kausal_runtime::machine::Stop;
use kausal_runtime::simulation::exchange::Update;
use kausal_runtime::tunable::{Value, admits};
use kausal_runtime::{CompiledModel, Exchange, Interrupt, Machine, RunError};
use kausal_symbolic::VarId;
use kausal_translate::Program;
use kausal_translate::program::{Input, Kind};
use serde::{Deserialize, Serialize};

use crate::boundary::Onlooker;
use crate::log::{Log, Status};
use crate::solved::Solved;

/// Why a call failed.
#[derive(Debug)]
pub struct Fault {
    /// How.
    pub status: Status,
    /// What there is to say.
    pub said: Vec<Diagnostic>,
}

impl Fault {
    /// Nothing was done, and a shorter step will not help.
    pub fn error(said: Diagnostic) -> Fault {
        Fault { status: Status::Error, said: vec![said] }
    }

    /// The importing tool did what the standard does not allow.
    pub fn misuse(what: impl Into<String>) -> Fault {
        Fault::error(Diagnostic::error("K0701", what.into()))
    }
}

/// What the instance is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Somebody else integrates.
    ModelExchange,
    /// It integrates itself.
    CoSimulation,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Made, or reset.
    Instantiated,
    /// Initial values are looked for.
    Initialization,
    /// At an event.
    Event,
    /// Between events, in Model Exchange.
    Continuous,
    /// Between events, in Co-Simulation.
    Step,
    /// Over.
    Terminated,
    /// A call failed; it can be reset.
    Failed,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Instantiated => "before the initialization mode",
            Phase::Initialization => "in the initialization mode",
            Phase::Event => "in the event mode",
            Phase::Continuous => "in the continuous-time mode",
            Phase::Step => "in the step mode",
            Phase::Terminated => "after the end",
            Phase::Failed => "after a failure",
        }
    }
}

/// The time of a run, as far as the importing tool says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Where it starts.
    pub start: f64,
    /// Where it ends.
    pub stop: Option<f64>,
    /// How exactly.
    pub tolerance: Option<f64>,
}

/// An instance. See the [module](self).
#[derive(Debug)]
pub struct Instance {
    log: Log,
    /// What names the model.
    token: String,
    model: Arc<CompiledModel>,
    rest: Arc<Rest>,
    sources: OnceCell<Sources>,
    role: Role,
    phase: Phase,
    span: Span,
    overrides: Overrides,
    /// Somebody else integrates; or initial values that were asked for.
    exchange: Option<Exchange>,
    /// It integrates itself.
    solved: Option<Solved>,
    /// How Co-Simulation integrates, and with which steps where they have one size.
    method: Method,
    step: f64,
    /// Lengths of arrays by the references of their first elements, in the order of these.
    arrays: Vec<(u32, u32)>,
    /// Whoever carries a run on sees its events.
    event_mode: bool,
    /// Values in front of an event that is still to be handled.
    before: Option<Vec<f64>>,
    /// Who is told of steps of the integrator.
    onlooker: Option<Onlooker>,
    /// Texts that were handed out, until other ones are.
    texts: HashMap<u32, CString>,
    /// Warnings that have been said.
    warned: usize,
    interrupt: Interrupt,
}

impl Instance {
    /// Reads the model from the folder of resources. Without one, or with another model than the importing tool expects, there is
    /// no instance, and the log says why.
    pub fn new(role: Role, resources: &Path, expected: &str, log: Log) -> Option<Instance> {
        let path = resources.join(kausal_fmi::STORED_MODEL);
        let complain =
            |d: Diagnostic| log.say(Status::Error, &render::text(&[d], &Sources::default(), false));
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let message = format!("the model {} cannot be read: {error}", path.display());
                complain(Diagnostic::error("K0702", message));
                return None;
            }
        };
        if token(&bytes) != expected {
            let message = format!(
                "the model is another one than that of the model description: its token is {}, not {expected}",
                token(&bytes)
            );
            complain(Diagnostic::error("K0702", message));
            return None;
        }
        let stored = match kausal_translate::stored::read(&bytes) {
            Ok(stored) => stored,
            Err(error) => {
                complain(stored::diagnostic(&path, &error));
                return None;
            }
        };
        let mut model = match CompiledModel::new(stored.program, Backend::Auto) {
            Ok(model) => model,
            Err(error) => {
                complain(Diagnostic::error("K0702", format!("the model cannot be compiled: {error}")));
                return None;
            }
        };
        // FMI 2.0 has no arrays, and no such file.
        let arrays = std::fs::read_to_string(resources.join(kausal_fmi::ARRAYS)).unwrap_or_default();
        let last = model.program.variables.len() + model.program.states.len();
        let fits = |list: &Vec<(u32, u32)>| list.iter().all(|(from, len)| (from + len) as usize <= last + 1);
        let Some(arrays) = kausal_fmi::arrays::read(&arrays).filter(fits) else {
            complain(Diagnostic::error("K0702", "the lengths of the arrays of the model cannot be read"));
            return None;
        };
        // Whoever runs the FMU has trusted all of it, as with any library.
        if !model.foreign_functions().is_empty() {
            let here = Platform::here().map_or("this platform", |platform| platform.three);
            if let Err(why) = model.unpack_foreign(&resources.join(kausal_fmi::EXTERNAL).join(here)) {
                let message =
                    format!("the external C functions of the model cannot be loaded on {here}: {why}");
                let help = "the FMU has them for the platforms on which it was exported";
                complain(Diagnostic::error("K0702", message).help(help));
                return None;
            }
        }
        model.permissions.give(resources);
        let files = std::fs::read_to_string(resources.join(kausal_fmi::resources::LIST)).unwrap_or_default();
        for (name, called) in kausal_fmi::resources::read(&files) {
            let file = resources.join(kausal_fmi::resources::FOLDER).join(name);
            model.permissions.read_instead(Path::new(called), &file);
        }
        let instance = Instance {
            log,
            token: expected.to_owned(),
            model: Arc::new(model),
            rest: stored.rest,
            sources: OnceCell::new(),
            role,
            phase: Phase::Instantiated,
            span: Span::default(),
            overrides: Overrides::new(),
            exchange: None,
            solved: None,
            method: Method::Auto,
            step: 0.0,
            arrays,
            event_mode: false,
            onlooker: None,
            before: None,
            texts: HashMap::new(),
            warned: 0,
            interrupt: Interrupt::default(),
        };
        instance.log.say(Status::Ok, &format!("{} is ready", instance.model.program.name));
        Some(instance)
    }

    /// The model it runs.
    pub fn program(&self) -> &Program {
        &self.model.program
    }

    /// What it is used for.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Who is told.
    pub fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    /// Does something; what fails is told, and leaves the instance in a state in which it can only be reset.
    pub fn call(&mut self, work: impl FnOnce(&mut Instance) -> Result<(), Fault>) -> Status {
        let outcome = work(self);
        let warned = self.say_warnings();
        match outcome {
            Ok(()) if warned => Status::Warning,
            Ok(()) => Status::Ok,
            Err(fault) => {
                let sources = self.sources.get_or_init(|| self.rest.sources().unwrap_or_default());
                self.log.say(fault.status, render::text(&fault.said, sources, false).trim_end());
                let misused =
                    fault.said.iter().all(|d| matches!(d.code, "K0701" | "K0703" | "K0704" | "K0705"));
                if fault.status >= Status::Error && !misused {
                    self.phase = Phase::Failed;
                }
                fault.status
            }
        }
    }

    /// A panic has left it in no state at all.
    pub fn broken(&mut self, fault: &Diagnostic) {
        self.phase = Phase::Failed;
        self.exchange = None;
        self.solved = None;
        self.log.say(Status::Fatal, &render::text(std::slice::from_ref(fault), &Sources::default(), false));
    }

    /// Tells what assertions have warned of; was there anything?
    fn say_warnings(&mut self) -> bool {
        let Some(machine) = self.machine() else { return false };
        if machine.warnings.len() <= self.warned {
            return false;
        }
        let new: Vec<Diagnostic> = machine.warnings[self.warned..]
            .iter()
            .map(|warning| kausal::failure::warning(&self.model.program, warning))
            .collect();
        self.warned = machine.warnings.len();
        let sources = self.sources.get_or_init(|| self.rest.sources().unwrap_or_default());
        self.log.say(Status::Warning, render::text(&new, sources, false).trim_end());
        true
    }

    /// Values as they were computed last, if there are any.
    fn machine(&self) -> Option<&Machine> {
        match (&self.solved, &self.exchange) {
            (Some(solved), _) => solved.machine(),
            (None, Some(exchange)) => Some(exchange.machine()),
            (None, None) => None,
        }
    }

    /// Is this the time for a call?
    pub fn expect(&self, call: &str, phases: &[Phase]) -> Result<(), Fault> {
        match phases.contains(&self.phase) {
            true => Ok(()),
            false => Err(Fault::misuse(format!("{call} is not allowed {}", self.phase.name()))),
        }
    }

    /// Sets the time of the run, before it begins. FMI 2.0 says it in a call of its own, FMI 3.0 where the initialization mode
    /// begins.
    pub fn set_up(&mut self, span: Span) -> Result<(), Fault> {
        self.expect("setting up the experiment", &[Phase::Instantiated])?;
        let valid = span.start.is_finite()
            && span.stop.is_none_or(|stop| stop >= span.start)
            && span.tolerance.is_none_or(|tolerance| tolerance > 0.0 && tolerance.is_finite());
        if !valid {
            return Err(Fault::misuse(format!("this is no time for a run, or no tolerance: {span:?}")));
        }
        self.span = span;
        Ok(())
    }

    /// Initial values are looked for from now on.
    pub fn enter_initialization(&mut self) -> Result<(), Fault> {
        self.expect("entering the initialization mode", &[Phase::Instantiated])?;
        self.phase = Phase::Initialization;
        self.exchange = None;
        Ok(())
    }

    /// Initial values are found.
    pub fn exit_initialization(&mut self) -> Result<(), Fault> {
        self.expect("leaving the initialization mode", &[Phase::Initialization])?;
        match self.role {
            Role::ModelExchange => {
                self.initial()?;
                self.phase = Phase::Event;
            }
            Role::CoSimulation => {
                self.admitted()?;
                self.exchange = None;
                self.warned = 0;
                let how = (self.method, self.step);
                let solved = Solved::start(&self.model, &self.overrides, self.span, how, &self.interrupt);
                let solved = solved.map_err(|d| Fault::error(Diagnostic { code: "K0704", ..d }))?;
                self.solved = Some(solved.map_err(|error| self.failed(&error))?);
                self.phase = if self.event_mode { Phase::Event } else { Phase::Step };
            }
        }
        Ok(())
    }

    /// As it was when it was made.
    pub fn reset(&mut self) {
        self.phase = Phase::Instantiated;
        self.span = Span::default();
        (self.method, self.step) = (Method::Auto, 0.0);
        self.overrides = Overrides::new();
        self.exchange = None;
        self.solved = None;
        self.before = None;
        self.texts.clear();
        self.warned = 0;
    }

    /// The end of the run.
    pub fn terminate(&mut self) -> Result<(), Fault> {
        let running = [Phase::Event, Phase::Continuous, Phase::Step, Phase::Terminated];
        self.expect("terminating", &running)?;
        if let Some(solved) = &mut self.solved
            && self.phase != Phase::Terminated
        {
            let outcome = solved.finish();
            outcome.map_err(|error| self.failed(&error))?;
        }
        self.phase = Phase::Terminated;
        Ok(())
    }

    /// Does the program hold with what was set?
    fn admitted(&self) -> Result<(), Fault> {
        admits(&self.model, &self.overrides)
            .map_err(|why| Fault::error(tune::refusal(&self.model.program, "", why).diagnostic()))
    }

    /// Initial values, with what was set so far.
    fn initial(&mut self) -> Result<&mut Exchange, Fault> {
        if self.exchange.is_none() {
            self.admitted()?;
            self.warned = 0;
            let found = Exchange::initialise(
                self.model.clone(),
                &self.overrides,
                self.span.start,
                self.span.stop,
                &RunFiles::default(),
                &self.interrupt,
            );
            self.exchange = Some(found.map_err(|error| self.failed(&error))?);
        }
        self.exchange.as_mut().ok_or_else(|| Fault::misuse("there are no initial values"))
    }

    /// A run that ended, as a fault.
    fn failed(&self, error: &RunError) -> Fault {
        Fault::error(kausal::simulate::explain(&self.model.program, error, self.span.start, false))
    }

    /// An evaluation that failed: another point may do, where nothing else is said.
    fn stopped(&self, time: f64, stop: Stop) -> Fault {
        let another = stop.is_recoverable();
        let error = RunError::Event(time, stop);
        let said = kausal::simulate::explain(&self.model.program, &error, self.span.start, false);
        let status = if another { Status::Discard } else { Status::Error };
        Fault { status, said: vec![said] }
    }

    /// The model while somebody else integrates.
    fn exchanged(&mut self) -> Result<&mut Exchange, Fault> {
        if self.role != Role::ModelExchange {
            return Err(Fault::misuse("this is a function of Model Exchange"));
        }
        let phase = self.phase;
        let running = [Phase::Initialization, Phase::Event, Phase::Continuous, Phase::Terminated];
        self.expect("this function", &running)?;
        if phase == Phase::Initialization || self.exchange.is_none() {
            self.initial()?;
        }
        self.exchange.as_mut().ok_or_else(|| Fault::misuse("there are no initial values"))
    }

    /// What a value reference names.
    pub fn reference(&self, number: u32) -> Result<Reference, Fault> {
        Reference::of(&self.model.program, number)
            .ok_or_else(|| Fault::misuse(format!("no variable has the value reference {number}")))
    }

    /// The elements of what a value reference names: of an array all, of anything else itself.
    pub fn elements(&self, number: u32) -> Range<u32> {
        let at = self.arrays.binary_search_by_key(&number, |(reference, _)| *reference);
        number..at.map_or(number.saturating_add(1), |at| number + self.arrays[at].1)
    }

    /// The variable behind a value reference, where it is one that can be set.
    fn variable(&self, number: u32) -> Result<VarId, Fault> {
        match self.reference(number)? {
            Reference::Variable(v) => Ok(v),
            _ => Err(Fault::misuse(format!("the variable with the value reference {number} cannot be set"))),
        }
    }

    /// The value of a variable.
    pub fn number(&mut self, number: u32) -> Result<f64, Fault> {
        let reference = self.reference(number)?;
        if let Reference::Setting(setting) = reference {
            return match setting {
                Setting::Step => Ok(self.step),
                Setting::Method => Err(Fault::misuse("the method is a text")),
            };
        }
        if let Some(solved) = &mut self.solved {
            let outcome = solved.settle();
            outcome.map_err(|error| self.failed(&error))?;
        }
        if let Some(machine) = self.solved.as_ref().and_then(Solved::machine) {
            let program = &machine.model().program;
            let value = |v: VarId| self.before_event(v).unwrap_or_else(|| machine.value(v));
            return Ok(match reference {
                Reference::Time => machine.time,
                Reference::Variable(v) => value(v),
                Reference::Derivative(k) => value(program.states[k].derivative),
                Reference::Indicator(_) | Reference::Setting(_) => {
                    return Err(Fault::misuse("event indicators are for Model Exchange"));
                }
            });
        }
        let exchange = self.initial()?;
        let time = exchange.time();
        let value = match reference {
            Reference::Time => Ok(time),
            Reference::Variable(v) => exchange.value(v),
            Reference::Derivative(k) => {
                let v = exchange.machine().model().program.states[k].derivative;
                exchange.value(v)
            }
            Reference::Indicator(i) => exchange.indicator(i),
            Reference::Setting(_) => Ok(0.0),
        };
        value.map_err(|stop| self.stopped(time, stop))
    }

    /// The value of a variable that holds texts; the text lives until it is asked for again.
    pub fn text(&mut self, number: u32) -> Result<*const std::ffi::c_char, Fault> {
        let text = match self.reference(number)? {
            Reference::Setting(Setting::Method) => self.method.to_string(),
            _ => {
                let value = self.number(number)?;
                let v = self.variable(number)?;
                self.machine().map_or_else(|| value.to_string(), |m| m.text_of(v).unwrap_or_default())
            }
        };
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        self.texts.insert(number, text);
        Ok(self.texts[&number].as_ptr())
    }

    /// Sets a variable to a number or a text.
    pub fn set(&mut self, number: u32, value: Value) -> Result<(), Fault> {
        if let Reference::Setting(setting) = self.reference(number)? {
            return self.choose(setting, &value);
        }
        let v = self.variable(number)?;
        if let (Type::Enumeration(kind), Value::Number(number)) =
            (self.program().variables[v.index()].ty, &value)
        {
            let literals = self.program().enumerations.get(kind as usize).map_or(0, |e| e.literals.len());
            if !(1.0..=literals as f64).contains(number) {
                return Err(
                    self.refused(v, &format!("its type has the values 1 to {literals}, not {number}"))
                );
            }
        }
        match self.phase {
            Phase::Instantiated | Phase::Initialization => self.set_before(v, value),
            Phase::Event | Phase::Continuous | Phase::Step => match self.role {
                Role::ModelExchange => self.set_exchanged(v, value),
                Role::CoSimulation => self.set_solved(v, value),
            },
            Phase::Terminated | Phase::Failed => {
                Err(Fault::misuse(format!("setting a variable is not allowed {}", self.phase.name())))
            }
        }
    }

    /// How Co-Simulation is to integrate.
    fn choose(&mut self, setting: Setting, value: &Value) -> Result<(), Fault> {
        self.expect("choosing how to integrate", &[Phase::Instantiated, Phase::Initialization])?;
        let refused = |why: String| Err(Fault::error(Diagnostic::error("K0704", why)));
        match (setting, value) {
            (Setting::Step, Value::Number(step)) if *step >= 0.0 && step.is_finite() => self.step = *step,
            (Setting::Step, _) => return refused("a step is a positive number, or zero for none".to_owned()),
            (Setting::Method, Value::Text(name)) => match name.parse() {
                Ok(method) => self.method = method,
                Err(why) => return refused(format!("{name}: {why}")),
            },
            (Setting::Method, Value::Number(_)) => return refused("a method has a name".to_owned()),
        }
        Ok(())
    }

    /// A parameter, a start value, or an input at the start.
    fn set_before(&mut self, v: VarId, value: Value) -> Result<(), Fault> {
        if matches!(value, Value::Number(number) if number.is_nan()) {
            return Err(self.refused(v, "not a number is no value for it"));
        }
        match self.overrides.set(&self.model.program, v, value.clone()) {
            Ok(()) => {
                self.exchange = None;
                Ok(())
            }
            // Some importing tools set everything that has a start value, to that value.
            Err(_) if self.has_already(v, &value) => Ok(()),
            Err(why) => {
                let program = &self.model.program;
                let name = &program.variables[v.index()].name;
                let d = tune::refusal(program, name, why).diagnostic();
                Err(Fault::error(Diagnostic { code: "K0704", ..d }))
            }
        }
    }

    /// Has a variable this value without being set?
    fn has_already(&mut self, v: VarId, value: &Value) -> bool {
        let Ok(exchange) = self.initial() else { return false };
        let machine = exchange.machine();
        match value {
            Value::Number(number) => machine.value(v) == *number,
            Value::Text(text) => machine.text_of(v).is_some_and(|known| *known == **text),
        }
    }

    fn set_exchanged(&mut self, v: VarId, value: Value) -> Result<(), Fault> {
        let program = &self.model.program;
        let of = |input: &&Input| input.variable == v || input.derivatives.contains(&v);
        let input = program.inputs.iter().find(of).map(|input| input.held);
        let is_state = program.states.iter().any(|state| state.variable == v);
        let continuous = self.phase == Phase::Continuous;
        if input == Some(true) && continuous {
            return Err(self.refused(v, "it changes at events only, and this is the continuous-time mode"));
        }
        let is_parameter = program.variables[v.index()].kind == Kind::Parameter;
        if input.is_none() && is_parameter && self.phase == Phase::Event {
            return self.tune(v, value);
        }
        if input.is_none() && !(is_state && continuous) {
            return Err(self.refused(v, "it is neither an input nor a state"));
        }
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        match value {
            Value::Number(number) => exchange.set(v, number),
            Value::Text(text) => exchange.set_text(v, &text),
        }
        Ok(())
    }

    /// A parameter gets another value at an event.
    fn tune(&mut self, v: VarId, value: Value) -> Result<(), Fault> {
        let (model, mut overrides) = (self.model.clone(), self.overrides.clone());
        let name = &model.program.variables[v.index()].name;
        let refused = |why| {
            let d = tune::refusal(&model.program, name, why).diagnostic();
            Fault::error(Diagnostic { code: "K0704", ..d })
        };
        overrides.set(&model.program, v, value.clone()).map_err(refused)?;
        admits(&model, &overrides).map_err(refused)?;
        if model.clock_units_len > 0 {
            return Err(self.refused(v, "ticks of clocks may come at distances that depend on it"));
        }
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        let time = exchange.time();
        let changed = exchange.change_parameters(&[(v, value)]);
        changed.map_err(|stop| self.stopped(time, stop))?;
        self.overrides = overrides;
        Ok(())
    }

    fn set_solved(&mut self, v: VarId, value: Value) -> Result<(), Fault> {
        let program = &self.model.program;
        let is_input = program.inputs.iter().any(|input| input.variable == v);
        if !is_input && program.variables[v.index()].kind != Kind::Parameter {
            return Err(self.refused(v, "it is neither an input nor a parameter"));
        }
        let Some(solved) = &mut self.solved else { return Ok(()) };
        solved.set(v, value).map_err(|why| {
            let name = &self.model.program.variables[v.index()].name;
            Fault::error(Diagnostic::error("K0704", format!("{name} cannot be set now: {why}")))
        })
    }

    fn refused(&self, v: VarId, why: &str) -> Fault {
        let name = &self.model.program.variables[v.index()].name;
        Fault::error(Diagnostic::error("K0704", format!("{name} cannot be set now: {why}")))
    }

    // Model Exchange.

    /// Time, from outside.
    pub fn set_time(&mut self, t: f64) -> Result<(), Fault> {
        self.expect("setting the time", &[Phase::Event, Phase::Continuous])?;
        if !t.is_finite() {
            return Err(Fault::misuse(format!("{t} is no time")));
        }
        self.exchanged()?.set_time(t);
        Ok(())
    }

    /// States, from outside.
    pub fn set_states(&mut self, states: &[f64]) -> Result<(), Fault> {
        self.expect("setting the states", &[Phase::Event, Phase::Continuous])?;
        self.as_many(states.len(), self.model.program.states.len(), "states")?;
        self.exchanged()?.set_states(states);
        Ok(())
    }

    /// The states.
    pub fn states(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.as_many(out.len(), self.model.program.states.len(), "states")?;
        self.exchanged()?.states(out);
        Ok(())
    }

    /// How large states are.
    pub fn nominals(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.as_many(out.len(), self.model.program.states.len(), "states")?;
        self.exchanged()?;
        let program = &self.model.program;
        for (out, state) in out.iter_mut().zip(&program.states) {
            *out = program.variables[state.variable.index()].nominal;
        }
        Ok(())
    }

    /// How many event indicators there are.
    pub fn indicators_len(&self) -> usize {
        kausal_runtime::simulation::exchange::watched(&self.model.program).len()
    }

    /// Derivatives of the states.
    pub fn derivatives(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.as_many(out.len(), self.model.program.states.len(), "derivatives")?;
        let exchange = self.exchanged()?;
        let time = exchange.time();
        exchange.derivatives(out).map_err(|stop| self.stopped(time, stop))
    }

    /// Event indicators.
    pub fn indicators(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        let exchange = self.exchanged()?;
        let (time, there) = (exchange.time(), exchange.indicators_len());
        if out.len() != there {
            return Err(Fault::misuse(format!("there are {there} event indicators, not {}", out.len())));
        }
        exchange.indicators(out).map_err(|stop| self.stopped(time, stop))
    }

    fn as_many(&self, given: usize, there: usize, what: &str) -> Result<(), Fault> {
        match given == there {
            true => Ok(()),
            false => Err(Fault::misuse(format!("there are {there} {what}, not {given}"))),
        }
    }

    /// The solver of the importing tool goes on from here. Is an event needed? Does the model end the run?
    pub fn complete_step(&mut self) -> Result<(bool, bool), Fault> {
        self.expect("completing a step", &[Phase::Continuous])?;
        let exchange = self.exchanged()?;
        let time = exchange.time();
        match exchange.complete_step() {
            Ok(event) => Ok((event, false)),
            Err(Stop::Terminate(message)) => {
                self.log.say(Status::Ok, &message);
                Ok((false, true))
            }
            Err(stop) => Err(self.stopped(time, stop)),
        }
    }

    /// An event from now on.
    pub fn enter_event(&mut self) -> Result<(), Fault> {
        self.expect("entering the event mode", &[Phase::Event, Phase::Continuous, Phase::Step])?;
        self.phase = Phase::Event;
        Ok(())
    }

    /// Between events from now on.
    pub fn leave_event(&mut self, to: Phase) -> Result<(), Fault> {
        let role = if to == Phase::Step { Role::CoSimulation } else { Role::ModelExchange };
        if self.role != role {
            return Err(Fault::misuse(format!("there is nothing {} here", to.name())));
        }
        self.expect("leaving the event mode", &[Phase::Event, to])?;
        self.phase = to;
        Ok(())
    }

    /// All that follows from the event.
    pub fn update_discrete(&mut self) -> Result<Update, Fault> {
        self.expect("updating discrete states", &[Phase::Event])?;
        let update = match &mut self.solved {
            Some(solved) => {
                let outcome = solved.settle();
                let (terminated, passed) = (solved.terminated(), self.before.take().is_some());
                outcome.map(|()| Update { terminated, states_changed: passed, ..Update::default() })
            }
            None => self.exchanged()?.event(),
        };
        let update = update.map_err(|error| self.failed(&error))?;
        let messages = self.exchange.as_mut().map(Exchange::take_messages).unwrap_or_default();
        let said = messages.iter().chain(&update.terminated);
        said.for_each(|text| self.log.say(Status::Ok, text));
        Ok(update)
    }

    /// The derivatives of some variables along a direction of others.
    pub fn along(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Result<(), Fault> {
        let (unknown, known) = (self.targets(unknowns)?, self.targets(knowns)?);
        if seed.len() != known.len() || out.len() != unknown.len() {
            return Err(Fault::misuse("as many seeds as knowns and as many results as unknowns are needed"));
        }
        let exchange = self.exchanged()?;
        let time = exchange.time();
        match exchange.along(&unknown, &known, seed, out) {
            Ok(Some(())) => Ok(()),
            Ok(None) => Err(Fault::error(Diagnostic::error("K0703", "the model cannot be differentiated"))),
            Err(stop) => Err(self.stopped(time, stop)),
        }
    }

    fn targets(&self, numbers: &[u32]) -> Result<Vec<VarId>, Fault> {
        let target = |number: &u32| match self.reference(*number)? {
            Reference::Variable(v) => Ok(v),
            Reference::Derivative(k) => Ok(self.model.program.states[k].derivative),
            _ => Err(Fault::misuse(format!("there is no derivative of the value reference {number}"))),
        };
        numbers.iter().map(target).collect()
    }
}
