//! One instance of an FMU in a run: in which mode it is, what it was given last, how an event is passed.
//!
//! The rest of the program knows a component as functions of epoch, time, states and inputs. Here these become calls in the order that
//! the standard demands (FMI 2.0 figure 9, FMI 3.0 figures 5 and 6): what has not changed is not set again, modes are entered when they are
//! needed, and an update that is asked for again gives what it gave before: [`Instance::update`] is made once for each epoch.

use std::sync::Arc;

use tempfile::TempDir;

use super::foreign::{Binary, Discrete, Foreign, Trouble};
use super::interface::{Element, Interface, Role, Type, Variability};
use crate::export::Version;

/// An FMU that was unpacked and loaded.
#[derive(Debug)]
pub struct Loaded {
    pub(super) interface: Interface,
    pub(super) binary: Binary,
    pub(super) folder: TempDir,
    /// The variable and element of every place.
    pub(super) elements: Vec<Element>,
    /// The places of the states' derivatives.
    pub(super) derivatives: Vec<usize>,
}

/// An event iteration that does not end within so many calls does not end.
const MAX_UPDATES: usize = 1000;

/// How far beyond a crossing an FMU may need the states to be to see it, relative to the size of time: our own instants of crossings are
/// as exact as rounding, FMUs often have a hysteresis.
const MAX_NUDGE: f64 = 1e-6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Instantiated,
    Initialization,
    /// Between events: continuous-time mode, or step mode.
    Between,
    Failed,
}

/// What an update led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Update {
    /// The next instant at which there is an event anyway.
    pub next: Option<f64>,
    /// The model ends the run.
    pub terminate: bool,
    /// The states.
    pub states: Vec<f64>,
}

/// Where it is evaluated: time, states, and inputs by their places.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Time.
    pub time: f64,
    /// States.
    pub states: &'a [f64],
    /// Places of inputs.
    pub places: &'a [usize],
    /// Their values.
    pub inputs: &'a [f64],
}

/// An instance.
#[derive(Debug)]
pub struct Instance {
    loaded: Arc<Loaded>,
    foreign: Foreign,
    role: Role,
    mode: Mode,
    tolerance: Option<f64>,
    /// Where it was evaluated last.
    time: f64,
    states: Vec<f64>,
    /// What was set, by place; NaN where nothing was.
    given: Vec<f64>,
    /// The epoch that began with the last update, and what that led to.
    last: Option<(f64, Update)>,
    /// It was evaluated between events since the solver went on.
    moved: bool,
    /// It wants an event.
    wanted: bool,
    scratch: Vec<f64>,
}

impl Instance {
    /// An instance with values for parameters and start values that differ from those it has anyway.
    pub fn new(
        loaded: Arc<Loaded>,
        role: Role,
        name: &str,
        tolerance: Option<f64>,
        numbers: (&[usize], &[f64]),
        texts: (&[usize], &[String]),
    ) -> Result<Instance, String> {
        let resources = loaded.folder.path().join("resources");
        let foreign = Foreign::instantiate(loaded.binary, role, name, &loaded.interface.token, &resources)
            .map_err(|trouble| trouble.words())?;
        let mut instance = Instance {
            given: vec![f64::NAN; loaded.elements.len()],
            states: vec![f64::NAN; loaded.interface.states.len()],
            scratch: Vec::new(),
            loaded,
            foreign,
            role,
            mode: Mode::Instantiated,
            tolerance,
            time: f64::NAN,
            last: None,
            moved: false,
            wanted: false,
        };
        let others: (Vec<usize>, Vec<f64>) = numbers
            .0
            .iter()
            .zip(numbers.1)
            .filter(|&(&place, &value)| instance.starts_with(place) != Some(value))
            .unzip();
        instance.give(&others.0, &others.1).map_err(|trouble| trouble.words())?;
        for (&place, text) in texts.0.iter().zip(texts.1) {
            let Some(&(variable, element)) = instance.loaded.elements.get(place) else { continue };
            let known = &instance.loaded.interface.variables[variable];
            if known.text(element) != Some(text.as_str()) {
                let reference = known.reference;
                instance.foreign.set_text(reference, text).map_err(|trouble| trouble.words())?;
            }
        }
        Ok(instance)
    }

    fn starts_with(&self, place: usize) -> Option<f64> {
        let &(variable, element) = self.loaded.elements.get(place)?;
        self.loaded.interface.variables[variable].number(element)
    }

    /// What it said since this was asked last.
    pub fn take_said(&self) -> Vec<String> {
        self.foreign.take_said()
    }

    /// Sets variables by their places, where they have other values than before. Arrays are set as a whole.
    fn give(&mut self, places: &[usize], values: &[f64]) -> Result<(), Trouble> {
        let loaded = self.loaded.clone();
        let mut changed: Vec<(usize, usize)> = Vec::new();
        for (&place, &value) in places.iter().zip(values) {
            let Some(&(variable, element)) = loaded.elements.get(place) else { continue };
            if self.given[place].to_bits() == value.to_bits() {
                continue;
            }
            let known = &loaded.interface.variables[variable];
            if self.given[place].is_nan() && known.len() > 1 {
                let first = place - element;
                for k in 0..known.len() {
                    if self.given[first + k].is_nan() {
                        self.given[first + k] = known.number(k).unwrap_or_default();
                    }
                }
            }
            self.given[place] = value;
            if changed.last() != Some(&(variable, place - element)) {
                changed.push((variable, place - element));
            }
        }
        changed.dedup();
        for (variable, first) in changed {
            let known = &loaded.interface.variables[variable];
            let values = self.given[first..first + known.len()].to_vec();
            self.foreign.set(known.ty, &[known.reference], &values)?;
        }
        Ok(())
    }

    /// The values of variables by their places.
    fn read(&mut self, places: &[usize], out: &mut [f64]) -> Result<(), Trouble> {
        let loaded = self.loaded.clone();
        let variables = &loaded.interface.variables;
        let mut at = 0;
        let mut references = Vec::new();
        while at < places.len() {
            let Some(&(variable, element)) = loaded.elements.get(places[at]) else {
                at += 1;
                continue;
            };
            let known = &variables[variable];
            if known.len() > 1 {
                self.scratch.resize(known.len(), 0.0);
                let mut values = std::mem::take(&mut self.scratch);
                self.foreign.get(known.ty, &[known.reference], &mut values)?;
                let first = places[at] - element;
                while let Some(value) =
                    places.get(at).and_then(|place| values.get(place.checked_sub(first)?)).copied()
                {
                    out[at] = value;
                    at += 1;
                }
                self.scratch = values;
                continue;
            }
            // As many scalars of one type as follow each other.
            references.clear();
            let begin = at;
            while let Some(&(variable, _)) = places.get(at).and_then(|place| loaded.elements.get(*place)) {
                let next = &variables[variable];
                if next.ty != known.ty || next.len() > 1 {
                    break;
                }
                references.push(next.reference);
                at += 1;
            }
            self.foreign.get(known.ty, &references, &mut out[begin..at])?;
        }
        Ok(())
    }

    /// Enters the initialization mode, if it was in none.
    fn begin(&mut self, time: f64) -> Result<(), Trouble> {
        if self.mode == Mode::Instantiated {
            self.foreign.enter_initialization(time, self.tolerance)?;
            self.mode = Mode::Initialization;
            self.time = time;
        }
        Ok(())
    }

    /// Brings it to a point. While initial values are looked for, only inputs can be set.
    fn go_to(&mut self, at: Point) -> Result<(), Trouble> {
        self.begin(at.time)?;
        if self.mode == Mode::Between && self.role == Role::ModelExchange {
            self.moved = true;
            if self.time.to_bits() != at.time.to_bits() {
                self.foreign.set_time(at.time)?;
                self.time = at.time;
            }
            let same = self.states.iter().zip(at.states).all(|(old, new)| old.to_bits() == new.to_bits());
            if !same {
                self.states.iter_mut().zip(at.states).for_each(|(old, new)| *old = *new);
                let mut states = std::mem::take(&mut self.states);
                let set = self.foreign.vector("SetContinuousStates", &mut states);
                self.states = states;
                set?;
            }
        }
        self.give(at.places, at.inputs)
    }

    fn guarded<T>(&mut self, outcome: Result<T, Trouble>) -> Result<T, String> {
        outcome.map_err(|trouble| {
            if trouble.is_fatal() {
                self.mode = Mode::Failed;
            }
            trouble.words()
        })
    }

    /// The states that the initialisation leads to.
    pub fn initial_states(&mut self, at: Point, out: &mut [f64]) -> Result<(), String> {
        let outcome = self.go_to(at).and_then(|()| self.foreign.vector("GetContinuousStates", out));
        self.guarded(outcome)
    }

    /// Derivatives of the states.
    pub fn derivatives(&mut self, at: Point, out: &mut [f64]) -> Result<(), String> {
        let outcome = self.go_to(at).and_then(|()| self.slopes(out));
        self.guarded(outcome)
    }

    /// FMI 2.0 has derivatives as variables only while initial values are looked for.
    fn slopes(&mut self, out: &mut [f64]) -> Result<(), Trouble> {
        if self.mode != Mode::Initialization || self.loaded.interface.version == Version::Three {
            return self.foreign.derivatives(out);
        }
        let loaded = self.loaded.clone();
        self.read(&loaded.derivatives, out)
    }

    /// Event indicators. While initial values are looked for, FMI 2.0 has none: the first event shows their signs.
    pub fn indicators(&mut self, at: Point, out: &mut [f64]) -> Result<(), String> {
        let mut outcome = self.go_to(at);
        if self.mode == Mode::Initialization && self.loaded.interface.version == Version::Two {
            out.fill(1.0);
        } else {
            outcome = outcome.and_then(|()| self.foreign.vector("GetEventIndicators", out));
        }
        self.guarded(outcome)
    }

    /// Values of variables.
    pub fn values(&mut self, at: Point, places: &[usize], out: &mut [f64]) -> Result<(), String> {
        let outcome = self.go_to(at).and_then(|()| self.read(places, out));
        self.guarded(outcome)
    }

    /// Values of variables that change at events only.
    pub fn held(&mut self, start: f64, places: &[usize], out: &mut [f64]) -> Result<(), String> {
        let outcome = self.begin(start).and_then(|()| self.read(places, out));
        self.guarded(outcome)
    }

    /// Derivatives along a direction of time, states and inputs; of the states' derivatives or of variables.
    pub fn along(
        &mut self,
        at: Point,
        direction: Point,
        places: Option<&[usize]>,
        out: &mut [f64],
    ) -> Result<(), String> {
        let outcome = self.along_unguarded(at, direction, places, out);
        self.guarded(outcome)
    }

    fn along_unguarded(
        &mut self,
        at: Point,
        direction: Point,
        places: Option<&[usize]>,
        out: &mut [f64],
    ) -> Result<(), Trouble> {
        self.go_to(at)?;
        let loaded = self.loaded.clone();
        let interface = &loaded.interface;
        let unknown: Vec<Element> = match places {
            None => interface.states.iter().map(|(_, derivative)| *derivative).collect(),
            Some(places) => places.iter().filter_map(|place| loaded.elements.get(*place).copied()).collect(),
        };
        let states = interface.states.iter().map(|(state, _)| *state).zip(direction.states.iter().copied());
        let inputs = at.places.iter().filter_map(|place| loaded.elements.get(*place).copied());
        let inputs = inputs.zip(direction.inputs.iter().copied());
        let known: Vec<(Element, f64)> = states.chain(inputs).filter(|(_, seed)| *seed != 0.0).collect();
        out.fill(0.0);
        if !known.is_empty() {
            // An array goes as a whole: what of it has no seed has the seed zero.
            let mut wholes: Vec<usize> = known.iter().map(|((variable, _), _)| *variable).collect();
            wholes.sort_unstable();
            wholes.dedup();
            let mut seed = Vec::new();
            for &variable in &wholes {
                let begin = seed.len();
                seed.resize(begin + interface.variables[variable].len(), 0.0);
                known
                    .iter()
                    .filter(|((v, _), _)| *v == variable)
                    .for_each(|((_, k), s)| seed[begin + k] += s);
            }
            let mut results: Vec<usize> = unknown.iter().map(|(variable, _)| *variable).collect();
            results.dedup();
            let starts: Vec<usize> = results
                .iter()
                .scan(0, |sum, &variable| {
                    let start = *sum;
                    *sum += interface.variables[variable].len();
                    Some(start)
                })
                .collect();
            let reference = |&variable: &usize| interface.variables[variable].reference;
            let unknowns: Vec<u32> = results.iter().map(reference).collect();
            let knowns: Vec<u32> = wholes.iter().map(reference).collect();
            let mut sensitivity = vec![0.0; results.iter().map(|&v| interface.variables[v].len()).sum()];
            self.foreign.along(&unknowns, &knowns, &seed, &mut sensitivity)?;
            let mut group = 0;
            for (out, &(variable, element)) in out.iter_mut().zip(&unknown) {
                while results[group] != variable {
                    group += 1;
                }
                *out = sensitivity[starts[group] + element];
            }
        }
        if direction.time != 0.0 {
            self.add_by_time(at, direction.time, places, out)?;
        }
        Ok(())
    }

    /// FMUs have no derivatives by time: a difference has to do.
    fn add_by_time(
        &mut self,
        at: Point,
        along: f64,
        places: Option<&[usize]>,
        out: &mut [f64],
    ) -> Result<(), Trouble> {
        let step = f64::EPSILON.sqrt() * at.time.abs().max(1e-3);
        let evaluate = |instance: &mut Instance, at: Point, out: &mut [f64]| {
            instance.go_to(at)?;
            match places {
                None => instance.slopes(out),
                Some(places) => instance.read(places, out),
            }
        };
        let (mut here, mut there) = (vec![0.0; out.len()], vec![0.0; out.len()]);
        evaluate(self, Point { time: at.time + step, ..at }, &mut there)?;
        evaluate(self, at, &mut here)?;
        for ((out, here), there) in out.iter_mut().zip(here).zip(there) {
            *out += along * (there - here) / step;
        }
        Ok(())
    }

    /// The solver goes on from where it was evaluated last. Does it want an event?
    pub fn complete_step(&mut self) -> Result<bool, String> {
        let kind = self.loaded.interface.kind(self.role);
        let told = self.mode == Mode::Between && self.role == Role::ModelExchange && self.moved;
        if !told || kind.is_some_and(|kind| kind.step_not_needed) {
            return Ok(false);
        }
        self.moved = false;
        let outcome = self.foreign.completed_step();
        let wanted = self.guarded(outcome)?;
        self.wanted |= wanted;
        Ok(wanted)
    }

    /// Does it want an event, whatever its indicators are?
    pub fn wants_event(&self) -> bool {
        self.wanted
    }

    /// An event: what is given takes effect, the next epoch begins. The event that began this very epoch is not made again.
    pub fn update(
        &mut self,
        epoch: f64,
        at: Point,
        discrete: (&[usize], &[f64]),
        sides: &[bool],
    ) -> Result<Update, String> {
        if let Some((made, update)) = &self.last
            && *made == epoch
        {
            return Ok(update.clone());
        }
        let outcome = self.pass_event(at, discrete, sides);
        let update = self.guarded(outcome)?;
        self.last = Some((epoch, update.clone()));
        Ok(update)
    }

    fn pass_event(
        &mut self,
        at: Point,
        (places, values): (&[usize], &[f64]),
        sides: &[bool],
    ) -> Result<Update, Trouble> {
        self.begin(at.time)?;
        if self.mode == Mode::Initialization {
            self.give(at.places, at.inputs)?;
            self.give(places, values)?;
            // It ends in the event mode.
            self.foreign.plain("ExitInitializationMode")?;
            self.mode = Mode::Between;
        } else {
            self.go_to(at)?;
            self.nudge(at, sides)?;
            let kind = self.loaded.interface.kind(self.role);
            if !kind.is_some_and(|kind| kind.step_not_needed) && self.moved {
                self.foreign.completed_step()?;
            }
            self.foreign.plain("EnterEventMode")?;
            self.give(places, values)?;
        }
        (self.moved, self.wanted) = (false, false);
        let mut update = Update::default();
        for _ in 0..MAX_UPDATES {
            let Discrete { again, terminate, next } = self.foreign.update_discrete()?;
            update.terminate |= terminate;
            update.next = next;
            // What is due at this instant is part of this event.
            if terminate || !again && next.is_none_or(|next| next > at.time) {
                break;
            }
        }
        update.states = vec![0.0; self.states.len()];
        self.foreign.plain("EnterContinuousTimeMode")?;
        if !update.states.is_empty() {
            self.foreign.vector("GetContinuousStates", &mut update.states)?;
        }
        self.states.copy_from_slice(&update.states);
        Ok(update)
    }

    /// Where a relation has crossed for the run, it has to have crossed for the FMU: if need be, the states are moved along their
    /// derivatives by as little as does it.
    fn nudge(&mut self, at: Point, sides: &[bool]) -> Result<(), Trouble> {
        let mut indicators = vec![0.0; sides.len()];
        let mut derivatives = vec![0.0; self.states.len()];
        if sides.is_empty() {
            return Ok(());
        }
        let agrees = |indicators: &[f64]| indicators.iter().zip(sides).all(|(z, side)| (*z > 0.0) == *side);
        self.foreign.vector("GetEventIndicators", &mut indicators)?;
        if agrees(&indicators) {
            return Ok(());
        }
        self.foreign.derivatives(&mut derivatives)?;
        let size = at.time.abs().max(1.0);
        let mut step = f64::EPSILON * size;
        while step <= MAX_NUDGE * size {
            let states: Vec<f64> = at.states.iter().zip(&derivatives).map(|(x, d)| x + step * d).collect();
            self.go_to(Point { time: at.time + step, states: &states, ..at })?;
            self.foreign.vector("GetEventIndicators", &mut indicators)?;
            if agrees(&indicators) {
                return Ok(());
            }
            step *= 4.0;
        }
        self.go_to(at)
    }

    /// A step of Co-Simulation up to an instant, with the inputs of its beginning; the first call ends the initialisation, with
    /// inputs of its own. The step that began this very epoch is not made again.
    pub fn step(
        &mut self,
        epoch: f64,
        to: f64,
        places: &[usize],
        before: &[f64],
        now: &[f64],
    ) -> Result<Update, String> {
        if let Some((made, update)) = &self.last
            && *made == epoch
        {
            return Ok(update.clone());
        }
        let outcome = self.step_unguarded(to, places, before, now);
        let update = self.guarded(outcome)??;
        self.last = Some((epoch, update.clone()));
        Ok(update)
    }

    fn step_unguarded(
        &mut self,
        to: f64,
        places: &[usize],
        before: &[f64],
        now: &[f64],
    ) -> Result<Result<Update, String>, Trouble> {
        self.begin(to)?;
        let mut update = Update::default();
        if self.mode == Mode::Initialization {
            self.give(places, now)?;
            self.foreign.plain("ExitInitializationMode")?;
            self.mode = Mode::Between;
        } else if to > self.time {
            self.give(places, before)?;
            let stepped = self.foreign.step(self.time, to - self.time)?;
            update.terminate = stepped.terminate;
            if let Some(early) = stepped.early.filter(|early| *early < to && !stepped.terminate) {
                return Ok(Err(format!(
                    "the step to {to} ended at {early}, though nobody allowed it to end early"
                )));
            }
        }
        self.time = to;
        Ok(Ok(update))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if self.mode == Mode::Between {
            // There is nobody left to tell.
            let _ = self.foreign.plain("Terminate");
        }
    }
}

/// Can a variable change between events?
pub fn is_continuous(variability: Variability, ty: Type) -> bool {
    variability == Variability::Continuous && ty.is_real()
}
