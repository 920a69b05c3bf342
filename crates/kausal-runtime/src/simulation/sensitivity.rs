//! Derivatives of a trajectory by parameters and start values, carried along while a model runs.
//!
//! Along the solution of `der(x) = f(t, x, p)` the derivatives `s` of the states by a parameter obey `der(s) = f_x s + f_p`
//! (Maly and Petzold, *Numerical methods and software for sensitivity analysis of differential-algebraic systems*, Applied
//! Numerical Mathematics 20, 1996). They are integrated beside the run, by an integrator of its own with the same tolerance, on the
//! continuous solution of each step ([`Path`]): the run itself is the same, bit for bit, with them and without. The right
//! side is one pass of the program's own derivatives ([`tangent`](crate::tangent)) for each parameter; a point of the solution is
//! evaluated once for all of them and all iterations there.
//!
//! - **At the start** the derivatives come from the initial problem, by the implicit function theorem.
//! - **At an event** (Hiskens and Pai, *Trajectory sensitivity analysis of hybrid systems*, IEEE Trans. Circuits and Systems I 47, 2000)
//!   its instant moves by `τ = -(g_x s + g_p)/(dg/dt)`, where `g` is what crossed zero, or by the derivative of the formula that
//!   announces it. States that go on smoothly have `s + (f⁻ - f⁺) τ` behind it, exactly. What `reinit` sets and what is sampled is
//!   the derivative of the event iteration along that motion, found by central differences of two event iterations beside the one of
//!   the run, both on the surface where the event is.
//!
//! States, parameters and derivatives are measured in units of the parameter: all `s` have the units and tolerances of their states.

mod path;
mod variation;

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use kausal_solver::{ClassicalStep, Integrator, Method, Options};
use kausal_symbolic::VarId;
use kausal_translate::flow;
use kausal_translate::program::{Kind, Program, Step};
use rustc_hash::FxHashSet;

use super::iteration::event;
use super::simulator::Simulator;
use super::{Observer, Obstacle, Run, RunError, Settings, Statistics};
use crate::compiled_model::{CompiledModel, straight_line};
use crate::jacobian::Dependencies;
use crate::machine::{Machine, Mode, Stop};
use crate::tangent::Tangent;
use crate::tunable::{Overrides, Refused};
use path::Path;
use variation::Variation;

/// The step of central differences of the event iteration, as a part of what moves: the cube root of rounding.
const STEP: f64 = 6e-6;

/// What derivatives are taken by, and of what.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Parameters, and variables with start values.
    pub by: Vec<VarId>,
    /// The variables whose derivatives are recorded.
    pub of: Vec<VarId>,
}

/// Why a model has no such derivatives.
#[derive(Clone, Debug, PartialEq)]
pub enum NotSmooth {
    /// `delay` or `spatialDistribution`: the state has no finite number of numbers.
    Delay,
    /// Clocked equations.
    Clock,
    /// Functions with a memory of their own are called at events.
    Impure,
    /// Not a parameter or start value that a run can change.
    Refused(VarId, Refused),
    /// A whole number, a Boolean or a text.
    Discrete(VarId),
    /// A part cannot be differentiated.
    Unsupported(String),
}

/// What makes a derivative doubtful at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Several events at once move differently: behind it only one order of them was followed.
    Coincident(f64),
    /// What crosses zero touches it: the instant moves infinitely fast.
    Grazing(f64),
    /// The event goes another way where the parameter is a little different.
    Switching(f64),
}

/// Values and derivatives at the instants of a run.
#[derive(Clone, Debug, Default)]
pub struct Sensitivities {
    /// The instants: at events there are two, before and behind.
    pub time: Vec<f64>,
    /// Values, for one variable after the other over all instants.
    pub values: Vec<Vec<f64>>,
    /// Derivatives, for one variable after the other: over instants, and there by each parameter.
    pub derivatives: Vec<Vec<f64>>,
    /// Where they are doubtful.
    pub doubts: Vec<Doubt>,
}

/// Runs a model and carries derivatives along.
///
/// # Errors
/// Where the model is not one that can be differentiated. The outcome of the run is the second part of what comes back.
pub fn sensitivities(
    model: Arc<CompiledModel>,
    settings: &Settings,
    wanted: &Wanted,
    observer: &mut dyn Observer,
) -> Result<(Sensitivities, Statistics, Result<(), RunError>), NotSmooth> {
    let settings = Settings { inlined: false, events_at_steps: false, ..settings.clone() };
    let follower = Follower::new(&model, &settings, wanted)?;
    let mut simulator = Simulator::new(model, settings);
    simulator.run.follower = Some(Box::new(follower));
    let mut outcome = simulator.initialise(observer);
    if outcome.is_ok() {
        outcome = simulator.run_to_stop(observer);
    }
    if outcome.is_ok() {
        outcome = simulator.finish(observer);
    }
    let statistics = simulator.statistics();
    let found = simulator.run.follower.take().map_or_else(Sensitivities::default, |f| f.found);
    Ok((found, statistics, outcome))
}

type Solver = Integrator<ClassicalStep<Variation>>;

/// Follows a run.
pub(super) struct Follower {
    model: Arc<CompiledModel>,
    method: Method,
    tolerance: f64,
    /// Slots of what derivatives are taken by, and their units.
    slots: Vec<VarId>,
    units: Vec<f64>,
    of: Vec<(VarId, f64)>,
    /// What the continuous part takes from elsewhere and may depend on a parameter.
    known: Vec<VarId>,
    /// Those of them that change at events, by their place.
    changing: Vec<usize>,
    start: Tangent,
    shown: Tangent,
    course: Option<Tangent>,
    variation: Option<Variation>,
    solver: Option<Solver>,
    /// Instants that are recorded when it comes to them.
    pending: VecDeque<f64>,
    /// How long the last step was.
    length: f64,
    found: Sensitivities,
}

/// What the runs of a model share that are differentiated alike: searches ask for the same derivatives again and again, and code that
/// has become hot in one run is hot in the next.
#[derive(Debug)]
pub(crate) struct Differentiated {
    wanted: Wanted,
    slots: Vec<VarId>,
    of: Vec<(VarId, f64)>,
    known: Vec<VarId>,
    changing: Vec<usize>,
    /// By what derivatives are taken to the states and what is known at the start.
    start: Tangent,
    /// From states and what is known to what is recorded.
    shown: Tangent,
    /// The same to derivatives of states, differences of relations, and candidates for states.
    course: Option<Tangent>,
}

/// So many are kept with a model: who looks at a few in turn has them all.
const MOST_KEPT: usize = 8;

impl Differentiated {
    /// Of these derivatives: those that are there, or new ones.
    fn of(model: &CompiledModel, wanted: &Wanted) -> Result<Arc<Differentiated>, NotSmooth> {
        let kept = || model.differentiated.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept().iter().find(|known| known.wanted == *wanted) {
            return Ok(found.clone());
        }
        let made = Arc::new(Differentiated::new(model, wanted)?);
        let mut kept = kept();
        kept.push_back(made.clone());
        if kept.len() > MOST_KEPT {
            kept.pop_front();
        }
        Ok(made)
    }

    fn new(model: &CompiledModel, wanted: &Wanted) -> Result<Differentiated, NotSmooth> {
        let program = &model.program;
        refuse(program)?;
        let mut slots = Vec::new();
        for &v in &wanted.by {
            slots.push(slot(program, v)?);
        }
        let unsupported = |error: kausal_codegen::Error| NotSmooth::Unsupported(error.to_string());
        let too_large = || NotSmooth::Unsupported("the structure is too large".to_owned());
        let once = [
            free(program, &program.parameters, &slots, wanted),
            free(program, &program.initial, &slots, wanted),
        ];
        let first = [&once[0][..], &once[1][..]];
        let of_start = Dependencies::on(program, &slots, false, &first).ok_or_else(too_large)?;
        let states: Vec<VarId> = program.states.iter().map(|s| s.variable).collect();
        let (known, changing) = known(program, &of_start, &states);
        let seeds: Vec<VarId> = states.iter().chain(&known).copied().collect();
        let start = Tangent::at_start(model, &of_start, &slots, &seeds, &first).map_err(unsupported)?;
        let target = |v: &VarId| match program.variables[v.index()].kind {
            Kind::Alias(alias) => (alias.target, if alias.negated { -1.0 } else { 1.0 }),
            _ => (*v, 1.0),
        };
        let of: Vec<(VarId, f64)> = wanted.of.iter().map(target).collect();
        let sections = [&program.dynamics[..], &program.outputs[..]];
        let dependencies = Dependencies::on(program, &seeds, false, &sections).ok_or_else(too_large)?;
        let results: Vec<VarId> = of.iter().map(|(v, _)| *v).collect();
        let shown =
            Tangent::directed(model, &dependencies, &seeds, &results, &sections).map_err(unsupported)?;
        let course = variation::course(model, &seeds);
        Ok(Differentiated { wanted: wanted.clone(), slots, of, known, changing, start, shown, course })
    }
}

/// What made an event.
pub(super) struct Cause<'a> {
    pub(super) t: f64,
    pub(super) crossed: &'a [u32],
    /// Ticks of samples, each with its number.
    pub(super) ticks: Vec<(usize, f64)>,
}

impl Follower {
    fn new(model: &Arc<CompiledModel>, settings: &Settings, wanted: &Wanted) -> Result<Follower, NotSmooth> {
        let shared = Differentiated::of(model, wanted)?;
        let tolerance = settings.tolerance;
        // Steps of its own, which no user chose; a matrix with blocks for each parameter is no matrix for Rosenbrock's formulas.
        let own = settings.method.is_fixed_step() || settings.method == Method::Rosenbrock;
        let found = Sensitivities {
            values: vec![Vec::new(); shared.of.len()],
            derivatives: vec![Vec::new(); shared.of.len()],
            ..Sensitivities::default()
        };
        Ok(Follower {
            model: model.clone(),
            method: if own { Method::Auto } else { settings.method },
            tolerance,
            units: vec![1.0; shared.slots.len()],
            slots: shared.slots.clone(),
            of: shared.of.clone(),
            known: shared.known.clone(),
            changing: shared.changing.clone(),
            start: shared.start.again(),
            shown: shared.shown.again(),
            course: shared.course.as_ref().map(Tangent::again),
            variation: None,
            solver: None,
            pending: VecDeque::new(),
            length: settings.stop - settings.start,
            found,
        })
    }

    /// The machine has solved the initial problem: its derivatives.
    pub(super) fn begin(&mut self, machine: &mut Machine) -> Result<(), Stop> {
        let n = self.model.program.states.len();
        let k = self.slots.len();
        for (unit, slot) in self.units.iter_mut().zip(&self.slots) {
            let value = machine.values[slot.index()].abs();
            let nominal = self.model.program.variables[slot.index()].nominal.abs();
            *unit = if value > 0.0 && value.is_finite() { value } else { nominal };
        }
        let (mut s, mut constants) = (Vec::with_capacity(n * k), Vec::with_capacity(k * self.known.len()));
        let mut twin = machine.twin();
        let mut direction = vec![0.0; k];
        let mut out = vec![0.0; n + self.known.len()];
        for j in 0..k {
            direction.fill(0.0);
            direction[j] = self.units[j];
            self.start.along(&mut twin, &direction, &mut out)?;
            // What is asked for itself has the derivative one, wherever its formula stands.
            s.extend_from_slice(&out[..n]);
            constants.extend_from_slice(&out[n..]);
        }
        let mut variation = Variation::new(&self.model, machine.twin(), &self.known, k, self.course.take())?;
        variation.constants = constants;
        variation.s = s;
        self.variation = Some(variation);
        Ok(())
    }

    /// The event at the start is over: the machine is where integration begins.
    pub(super) fn depart(&mut self, before: &Machine, after: &Machine) -> Result<(), RunError> {
        let t = after.time;
        let Some(mut variation) = self.variation.take() else { return Ok(()) };
        let s = std::mem::take(&mut variation.s);
        variation.stay_at(before);
        let s =
            self.jump(&mut variation, s, &Cause { t, crossed: &[], ticks: Vec::new() }, None, before, after)?;
        let tolerance = self.tolerance;
        let options = Options { follow_sizes: true, ..Options::tolerance(tolerance, tolerance) };
        if s.is_empty() {
            variation.s = s;
            self.variation = Some(variation);
            return Ok(());
        }
        let step = ClassicalStep::new(variation);
        let made = Integrator::new(self.method, options, step, t, &s);
        self.solver = Some(made.map_err(|e| RunError::Integration(t, Obstacle::Integrator(e), None))?);
        Ok(())
    }

    /// The run begins a step: what comes before is its solution for good. It is followed by steps that need not end where those of
    /// the run do.
    fn step_begins(&mut self, t: f64) -> Result<(), RunError> {
        let Some(solver) = &mut self.solver else { return Ok(()) };
        let segments = &mut solver.model_mut().model_mut().segments;
        while segments.back().is_some_and(|last| last.begin() >= t) {
            segments.pop_back();
        }
        // A step that is made again reached farther.
        if let Some(last) = segments.back_mut() {
            last.end_at(t);
        }
        if solver.t() > t {
            let mut s = solver.x().to_vec();
            solver.interpolate(t.max(solver.t_old()), &mut s);
            solver.restart(t, &s);
        }
        loop {
            let Some(solver) = &mut self.solver else { return Ok(()) };
            // With less than two steps to go the next one would be shorter than it can be.
            let last = solver.t() - solver.t_old();
            if t - solver.t() <= 2.0 * if last > 0.0 { last } else { self.length } {
                return Ok(());
            }
            if let Err(error) = solver.step(t) {
                return Err(failed(solver, error));
            }
            self.note_passed()?;
        }
    }

    /// The continuous solution of the run up to an instant, which `values` gives.
    fn follow(&mut self, from: f64, to: f64, points: usize, values: &dyn Fn(f64, &mut [f64])) {
        let Some(solver) = &mut self.solver else { return };
        let n = self.model.program.states.len();
        let variation = solver.model_mut().model_mut();
        let begin = variation.segments.back().map_or(from, |last| last.end().max(from));
        if to > begin {
            self.length = to - begin;
            variation.segments.push_back(Path::new(begin, to, n, points, values));
        }
    }

    /// Goes on to an instant, exactly.
    fn reach(&mut self, t: f64) -> Result<(), RunError> {
        loop {
            let Some(solver) = &mut self.solver else { return Ok(()) };
            if solver.t() >= t {
                return self.note_passed();
            }
            if let Err(error) = solver.step(t) {
                return Err(failed(solver, error));
            }
            self.note_passed()?;
        }
    }

    /// Keeps the values at an instant, and the derivatives when it comes there.
    fn note(&mut self, machine: &Machine) -> Result<(), RunError> {
        self.found.time.push(machine.time);
        for (values, (v, sign)) in self.found.values.iter_mut().zip(&self.of) {
            values.push(sign * machine.values[v.index()]);
        }
        self.pending.push_back(machine.time);
        match self.solver {
            Some(_) => self.note_passed(),
            None => {
                if let Some(variation) = &mut self.variation {
                    variation.stay_at(machine);
                }
                self.note_derivatives(machine.time)
            }
        }
    }

    /// Keeps the derivatives at instants it has come to.
    fn note_passed(&mut self) -> Result<(), RunError> {
        while let (Some(&t), Some(solver)) = (self.pending.front(), &self.solver) {
            if t > solver.t() {
                break;
            }
            self.note_derivatives(t)?;
        }
        if let Some(solver) = &mut self.solver {
            let begin = solver.t();
            let segments = &mut solver.model_mut().model_mut().segments;
            while segments.len() > 1 && segments.front().is_some_and(|first| first.end() < begin) {
                segments.pop_front();
            }
        }
        Ok(())
    }

    /// Derivatives at an instant.
    fn note_derivatives(&mut self, t: f64) -> Result<(), RunError> {
        self.pending.pop_front();
        let k = self.slots.len();
        let mut out = vec![0.0; self.of.len()];
        let variation = match (&mut self.solver, &mut self.variation) {
            (Some(solver), _) => {
                let mut s = solver.x().to_vec();
                solver.interpolate(t.clamp(solver.t_old(), solver.t()), &mut s);
                let variation = solver.model_mut().model_mut();
                variation.s = s;
                variation
            }
            (None, Some(variation)) => variation,
            (None, None) => return Ok(()),
        };
        let wrong = |stop: Stop| RunError::Integration(t, Obstacle::Evaluation, Some(stop));
        if !variation.segments.is_empty() {
            variation.bring(t).map_err(wrong)?;
        }
        variation.evaluate_outputs().map_err(wrong)?;
        for j in 0..k {
            let direction = variation.direction(j);
            let outcome = self.shown.along(&mut variation.machine, &direction, &mut out);
            outcome.map_err(wrong)?;
            for ((derivatives, value), (_, sign)) in self.found.derivatives.iter_mut().zip(&out).zip(&self.of)
            {
                derivatives.push(sign * value / self.units[j]);
            }
        }
        for (i, (v, _)) in self.of.iter().enumerate() {
            // What is asked for by itself is no result of anything.
            let own = self.slots.iter().position(|slot| slot == v);
            if let Some(j) = own.filter(|_| self.model.program.variables[v.index()].kind == Kind::Parameter) {
                let at = self.found.derivatives[i].len() - k + j;
                self.found.derivatives[i][at] = 1.0;
            }
        }
        variation.forget();
        Ok(())
    }

    /// An event has passed: derivatives behind it.
    pub(super) fn pass(
        &mut self,
        cause: &Cause,
        schedule: &super::Schedule,
        before: &Machine,
        after: &Machine,
    ) -> Result<(), RunError> {
        let t = cause.t;
        self.reach(t)?;
        let Some(mut solver) = self.solver.take() else {
            return self.pass_without_states(cause, schedule, before, after);
        };
        let mut s = solver.x().to_vec();
        solver.interpolate(t.clamp(solver.t_old(), solver.t()), &mut s);
        let variation = solver.model_mut().model_mut();
        let failed = |stop: Stop| RunError::Integration(t, Obstacle::Evaluation, Some(stop));
        variation.bring(t).map_err(failed)?;
        let mut own = std::mem::replace(variation, Variation::empty(&self.model));
        let s = self.jump(&mut own, s, cause, Some(schedule), before, after)?;
        *solver.model_mut().model_mut() = own;
        solver.restart(t, &s);
        self.solver = Some(solver);
        Ok(())
    }

    fn pass_without_states(
        &mut self,
        cause: &Cause,
        schedule: &super::Schedule,
        before: &Machine,
        after: &Machine,
    ) -> Result<(), RunError> {
        let Some(mut own) = self.variation.take() else { return Ok(()) };
        own.stay_at(before);
        self.jump(&mut own, Vec::new(), cause, Some(schedule), before, after)?;
        self.variation = Some(own);
        Ok(())
    }

    /// The derivatives behind an event; the variation is at its left side before and on its right side afterwards.
    fn jump(
        &mut self,
        own: &mut Variation,
        mut s: Vec<f64>,
        cause: &Cause,
        schedule: Option<&super::Schedule>,
        before: &Machine,
        after: &Machine,
    ) -> Result<Vec<f64>, RunError> {
        let t = cause.t;
        let failed = |stop: Stop| RunError::Event(t, stop);
        let program: Vec<(VarId, VarId)> =
            self.model.program.states.iter().map(|s| (s.variable, s.derivative)).collect();
        let n = program.len();
        let k = self.slots.len();
        own.s = s.clone();
        let slopes = own.slopes();
        let mut moved = vec![0.0; k];
        if let Some(schedule) = schedule {
            for (j, moved) in moved.iter_mut().enumerate() {
                *moved = self.shift(own, j, cause, schedule, before)?;
            }
        }
        let stands = (before.stands_for(), after.stands_for());
        let same_states = stands.0 == stands.1;
        let smooth = |i: usize| {
            let x = program[i].0.index();
            same_states && before.values[x].to_bits() == after.values[x].to_bits()
        };
        let all_smooth = self.changing.is_empty() && (0..n).all(smooth);
        let mut behind = Vec::with_capacity(k);
        for j in 0..k {
            let rates: Vec<f64> = (0..n).map(|i| s[j * n + i] + slopes[i] * moved[j]).collect();
            let ends = match all_smooth {
                true => None,
                false => self.differences(own, j, &rates, moved[j], before, after),
            };
            let mut row = rates;
            if let Some((states, helds)) = ends {
                for i in (0..n).filter(|&i| !smooth(i)) {
                    row[i] = states[i];
                }
                for (&c, held) in self.changing.iter().zip(helds) {
                    own.constants[j * self.known.len() + c] = held;
                }
            }
            behind.push(row);
        }
        own.stay_at(after);
        own.evaluate().map_err(failed)?;
        let slopes = own.slopes();
        for (j, row) in behind.into_iter().enumerate() {
            for (i, value) in row.into_iter().enumerate() {
                s[j * n + i] = value - slopes[i] * moved[j];
            }
        }
        own.s = s.clone();
        Ok(s)
    }

    /// By how much the instant of an event moves.
    fn shift(
        &mut self,
        own: &mut Variation,
        j: usize,
        cause: &Cause,
        schedule: &super::Schedule,
        before: &Machine,
    ) -> Result<f64, RunError> {
        let failed = |stop: Stop| RunError::Event(cause.t, stop);
        let mut found: Vec<f64> = Vec::new();
        let foreseen = (0u32..).zip(&before.foreseen).filter(|(_, to)| to.is_some()).map(|(r, _)| r);
        let relations: Vec<u32> = cause.crossed.iter().copied().chain(foreseen).collect();
        if !relations.is_empty() {
            let derivatives = own.differences_along(j).map_err(failed)?;
            for r in relations {
                let change = derivatives[r as usize];
                if change == 0.0 {
                    found.push(0.0);
                    continue;
                }
                let slope = own.slope(r, cause.t, self.length).map_err(failed)?;
                let shift = -change / slope;
                if shift.is_finite() {
                    found.push(shift);
                } else {
                    self.found.doubts.push(Doubt::Grazing(cause.t));
                }
            }
        }
        let events = self.model.program.time_events.len();
        let due: Vec<usize> = (0..events).filter(|&e| before.due[e].is_some()).collect();
        if !(due.is_empty() && cause.ticks.is_empty()) {
            let rates = own.announced(j, schedule.numbers());
            found.extend(due.iter().map(|&e| rates[2 * e]));
            let sample =
                |&(i, tick): &(usize, f64)| rates[2 * (events + i)] + tick * rates[2 * (events + i) + 1];
            found.extend(cause.ticks.iter().map(sample));
        }
        let Some(&first) = found.first() else { return Ok(0.0) };
        /// Instants that move together do so but for rounding and the tolerance of what crosses.
        const TOGETHER: f64 = 1e-4;
        if found.iter().any(|other| (other - first).abs() > TOGETHER * first.abs().max(other.abs())) {
            self.found.doubts.push(Doubt::Coincident(cause.t));
        }
        Ok(first)
    }

    /// The derivatives of states and of what is held behind the event, along the motion of all that leads to it; none where the event
    /// goes another way on both sides.
    fn differences(
        &mut self,
        own: &Variation,
        j: usize,
        rates: &[f64],
        moved: f64,
        before: &Machine,
        after: &Machine,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let model = self.model.clone();
        let program = &model.program;
        let held = own.constants_of(j);
        let relative = |v: VarId, rate: f64| {
            let size = before.values[v.index()].abs().max(program.variables[v.index()].nominal.abs());
            if size > 0.0 { rate.abs() / size } else { 0.0 }
        };
        let states = program.states.iter().zip(rates).map(|(s, rate)| relative(s.variable, *rate));
        let helds = self.known.iter().zip(held).map(|(v, rate)| relative(*v, *rate));
        let size = states.chain(helds).chain([moved.abs() / self.length.abs().max(f64::MIN_POSITIVE)]);
        let size = size.fold(0.0, f64::max);
        if size == 0.0 {
            return Some((vec![0.0; rates.len()], vec![0.0; self.changing.len()]));
        }
        let step = STEP / size.max(1.0);
        let mut sides = [1.0, -1.0].map(|sign: f64| {
            let h = sign * step;
            let mut machine = before.twin();
            for (state, rate) in program.states.iter().zip(rates) {
                machine.values[state.variable.index()] += h * rate;
            }
            for (v, rate) in self.known.iter().zip(held) {
                machine.values[v.index()] += h * rate;
                machine.pre[v.index()] += h * rate;
            }
            if moved != 0.0 {
                machine.set_time(before.time + h * moved);
            }
            machine.forget_factors();
            machine.disturbed = true;
            machine.run(&model.dynamics, Mode::Continuous).ok()?;
            event(&mut machine).ok()?;
            machine.reselect();
            goes_the_same_way(&machine, after).then_some(machine)
        });
        if sides.iter().any(Option::is_none) {
            self.found.doubts.push(Doubt::Switching(before.time));
        }
        let [above, below] = &mut sides;
        let (above, below, width) = match (&*above, &*below) {
            (Some(above), Some(below)) => (above, below, 2.0 * step),
            (Some(above), None) => (above, after, step),
            (None, Some(below)) => (after, below, step),
            (None, None) => return None,
        };
        let difference = |v: VarId| (above.values[v.index()] - below.values[v.index()]) / width;
        let states = program.states.iter().map(|state| difference(state.variable)).collect();
        let helds = self.changing.iter().map(|&c| difference(self.known[c])).collect();
        Some((states, helds))
    }

    /// Other states were selected where the run is.
    pub(super) fn reselected(&mut self, after: &Machine) -> Result<(), RunError> {
        let t = after.time;
        self.reach(t)?;
        let Some(solver) = &mut self.solver else { return Ok(()) };
        let n = self.model.program.states.len();
        let mut s = solver.x().to_vec();
        let variation = solver.model_mut().model_mut();
        let failed = |stop: Stop| RunError::Integration(t, Obstacle::Evaluation, Some(stop));
        variation.bring(t).map_err(failed)?;
        variation.s.clone_from(&s);
        let stands = after.stands_for();
        for j in 0..self.slots.len() {
            let row = variation.of_variables(j, &stands).map_err(failed)?;
            s[j * n..(j + 1) * n].copy_from_slice(&row);
        }
        variation.stay_at(after);
        solver.restart(t, &s);
        Ok(())
    }
}

/// What a step of its own failed with.
fn failed(solver: &mut Solver, error: kausal_solver::SolverError) -> RunError {
    let last = solver.model_mut().model_mut().failure.take();
    RunError::Integration(solver.t(), Obstacle::Integrator(error), last)
}

/// Are all discrete values and relations the same?
fn goes_the_same_way(a: &Machine, b: &Machine) -> bool {
    let program = &b.model().program;
    let same = |v: VarId| a.values[v.index()] == b.values[v.index()];
    let whole = program.discrete_variables.iter().filter(|v| !program.variables[v.index()].is_real());
    let mut relations = program.relations.iter().filter(|r| !r.trace);
    whole.copied().all(same) && relations.all(|r| same(r.variable)) && a.stands_for() == b.stands_for()
}

/// Models that have no derivatives of this kind.
fn refuse(program: &Program) -> Result<(), NotSmooth> {
    if !(program.delays.is_empty() && program.transports.is_empty()) {
        return Err(NotSmooth::Delay);
    }
    if !program.clocks.is_empty() {
        return Err(NotSmooth::Clock);
    }
    let impure = |step: &&Step| matches!(step, Step::Call(call) if call.impure);
    match flow::nested(&program.discrete).iter().any(impure) {
        true => Err(NotSmooth::Impure),
        false => Ok(()),
    }
}

/// Where a parameter or a start value is.
fn slot(program: &Program, v: VarId) -> Result<VarId, NotSmooth> {
    if !program.variables[v.index()].is_real() {
        return Err(NotSmooth::Discrete(v));
    }
    Overrides::new().set(program, v, 1.0).map_err(|why| NotSmooth::Refused(v, why))?;
    if program.variables[v.index()].kind == Kind::Parameter {
        return Ok(v);
    }
    let start = program.starts.iter().find(|start| start.variable == v);
    Ok(start.map_or(v, |start| start.slot))
}

/// A section without the steps that give these slots their values.
fn free(program: &Program, section: &[Step], slots: &[VarId], wanted: &Wanted) -> Vec<Step> {
    let replaced = |assign: &kausal_translate::program::Assign| {
        slots.contains(&assign.variable)
            && match program
                .starts
                .iter()
                .find(|start| start.slot == assign.variable && wanted.by.contains(&start.variable))
            {
                Some(start) if program.variables[start.variable.index()].kind != Kind::Parameter => {
                    (assign.equation.is_none() && assign.value == start.value)
                        || (assign.equation.is_some() && assign.equation == start.equation)
                }
                _ => true,
            }
    };
    let mut kept = Vec::with_capacity(section.len());
    for step in section {
        match step {
            Step::Assign(assign) if replaced(assign) => {}
            step => match straight_line(step) {
                Some(assigns) if assigns.iter().any(&replaced) => {
                    kept.extend(assigns.into_iter().filter(|a| !replaced(a)).map(Step::Assign));
                }
                _ => kept.push(step.clone()),
            },
        }
    }
    kept
}

/// Numbers that the continuous part takes from elsewhere and that may move with a parameter; and the places of those that events
/// change.
fn known(program: &Program, start: &Dependencies, states: &[VarId]) -> (Vec<VarId>, Vec<usize>) {
    let mut written: FxHashSet<VarId> = states.iter().copied().collect();
    for step in program.dynamics.iter().chain(&program.outputs) {
        flow::writes(step, &mut written);
    }
    let mut changes: FxHashSet<VarId> = program.discrete_variables.iter().copied().collect();
    changes.extend(program.pre.iter().map(|pre| pre.slot));
    let all = (0..program.variables.len() as u32).map(VarId);
    let moves = |v: &VarId| {
        let declared = &program.variables[v.index()];
        let real = declared.is_real() && !matches!(declared.kind, Kind::Alias(_));
        real && !written.contains(v) && (changes.contains(v) || !start.states(*v).is_empty())
    };
    let known: Vec<VarId> = all.filter(moves).collect();
    let changing = (0..known.len()).filter(|&c| changes.contains(&known[c])).collect();
    (known, changing)
}

impl Run {
    /// The run begins a step.
    pub(super) fn derivatives_follow(&mut self, before: f64) -> Result<(), RunError> {
        self.follower.as_mut().map_or(Ok(()), |follower| follower.step_begins(before))
    }

    /// Derivatives may follow the run up to an instant of its last step.
    pub(super) fn follow_derivatives(&mut self, t: f64) -> Result<(), RunError> {
        if let (Some(follower), Some(solver)) = (&mut self.follower, &self.solver) {
            let (from, to) = (solver.t_old(), t.min(solver.t()));
            let points = if solver.is_explicit() { path::EXPLICIT_POINTS } else { path::POINTS };
            follower.follow(from, to, points, &|t, x: &mut [f64]| solver.interpolate(t, x));
        }
        Ok(())
    }

    /// Derivatives are those where the run is.
    pub(super) fn derivatives_reach(&mut self, t: f64) -> Result<(), RunError> {
        let Some(follower) = &mut self.follower else { return Ok(()) };
        // What no step of the run reaches cannot be followed.
        let known = self.solver.as_ref().map_or(t, |solver| t.min(solver.t()));
        follower.reach(known)
    }

    /// Derivatives where the run is are kept.
    pub(super) fn note_derivatives(&mut self) -> Result<(), RunError> {
        let (Some(follower), Some(solver)) = (&mut self.follower, &self.solver) else { return Ok(()) };
        follower.note(&solver.model().model().machine)
    }

    /// Those behind an event.
    pub(super) fn derivatives_behind(
        &mut self,
        t: f64,
        before: &Machine,
        crossed: &[u32],
    ) -> Result<(), RunError> {
        let (Some(follower), Some(solver)) = (&mut self.follower, &self.solver) else { return Ok(()) };
        let samples = (0..).zip(&before.model().program.samples);
        let due = samples.filter(|(_, s)| before.values[s.variable.index()] != 0.0).map(|(i, _)| i);
        let ticks = due.map(|i| (i, self.schedule.last_tick(i))).collect();
        let cause = Cause { t, crossed, ticks };
        follower.pass(&cause, &self.schedule, before, &solver.model().model().machine)
    }
}
