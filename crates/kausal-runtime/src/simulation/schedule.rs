//! Instants known in advance: time events, ticks of samples, and where delayed jumps arrive.
//!
//! Each `sample(start, interval)` counts its ticks, so none is lost to another event close before it and none comes
//! twice: tick `k` is at `start + k*interval`.

use kausal_symbolic::VarId;
use serde::{Deserialize, Serialize};

use super::clocks::Clocks;
use crate::machine::{Machine, Stop};
use crate::tolerances::{GRID, is_same_instant};

/// When something is due.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Schedule {
    /// Instants and slopes of time events, then starts and intervals of samples, as computed last.
    numbers: Vec<f64>,
    /// The number of the next tick of each sample.
    ticks: Vec<f64>,
    /// Instants of other kinds, in no order.
    breaks: Vec<f64>,
}

impl Schedule {
    /// Counts ticks from the current instant on.
    pub(crate) fn start(machine: &mut Machine) -> Schedule {
        let model = machine.model().clone();
        let mut schedule = Schedule { numbers: vec![0.0; model.schedule_len], ..Schedule::default() };
        machine.evaluate(model.schedule, &mut schedule.numbers);
        let now = machine.time;
        for i in 0..model.program.samples.len() {
            let (start, interval) = schedule.sample(machine, i);
            let passed = (now - start) / interval;
            // A tick at the very start is due, also where rounding puts it a little before.
            schedule.ticks.push((passed - GRID).ceil().max(0.0));
        }
        schedule
    }

    /// Parameters have changed: ticks of samples that are elsewhere now are counted from the current instant on.
    pub(crate) fn count_anew(&mut self, machine: &mut Machine) -> Result<(), Stop> {
        let model = machine.model().clone();
        let before: Vec<(f64, f64)> = (0..self.ticks.len()).map(|i| self.sample(machine, i)).collect();
        machine.evaluate(model.schedule, &mut self.numbers);
        self.check(machine)?;
        let now = machine.time;
        for (i, before) in before.into_iter().enumerate() {
            let (start, interval) = self.sample(machine, i);
            if before != (start, interval) {
                let passed = (now - start) / interval;
                // One at this very instant has been made.
                self.ticks[i] = ((passed + GRID).floor() + 1.0).max(0.0);
            }
        }
        Ok(())
    }

    /// Do all ticks come one after the other?
    pub(crate) fn check(&self, machine: &Machine) -> Result<(), Stop> {
        let program = &machine.model().program;
        for (i, sample) in program.samples.iter().enumerate() {
            let (_, interval) = self.sample(machine, i);
            if interval.is_nan() || interval <= 0.0 {
                let what = &program.variables[sample.variable.index()].description;
                let said =
                    format!("the interval of {what} is {interval}; what must hold is that it is above 0");
                return Err(Stop::Assertion(said.into()));
            }
        }
        Ok(())
    }

    fn sample(&self, machine: &Machine, index: usize) -> (f64, f64) {
        let at = 2 * (machine.model().program.time_events.len() + index);
        (self.numbers[at], self.numbers[at + 1])
    }

    fn tick(&self, machine: &Machine, index: usize) -> f64 {
        let (start, interval) = self.sample(machine, index);
        start + self.ticks[index] * interval
    }

    /// The number of the tick of a sample that was marked as due last.
    pub(crate) fn last_tick(&self, index: usize) -> f64 {
        self.ticks[index] - 1.0
    }

    /// How many numbers announce events: instants and slopes, starts and intervals.
    pub(crate) fn numbers(&self) -> usize {
        self.numbers.len()
    }

    /// The first instant after `now`.
    pub(crate) fn next(&mut self, machine: &mut Machine, now: f64) -> f64 {
        machine.set_time(now);
        if !self.numbers.is_empty() {
            let schedule = machine.model().schedule;
            machine.evaluate(schedule, &mut self.numbers);
        }
        let program = &machine.model().program;
        let events = &self.numbers[..2 * program.time_events.len()];
        self.breaks.retain(|&instant| instant > now && !is_same_instant(instant, now));
        let mut next = f64::INFINITY;
        for &instant in events.iter().step_by(2).chain(&self.breaks) {
            if instant > now && !is_same_instant(instant, now) && instant < next {
                next = instant;
            }
        }
        next = next.min(machine.clocks.next(program).max(now));
        for i in 0..self.ticks.len() {
            // What could not be reached by a step is due at once.
            next = next.min(self.tick(machine, i).max(now));
        }
        next
    }

    /// Adds an instant at which integration starts anew.
    pub(crate) fn add_break(&mut self, instant: f64) {
        if instant.is_finite() {
            self.breaks.push(instant);
        }
    }

    /// Tells the machine what is due at its instant.
    pub(crate) fn mark_due(&mut self, machine: &mut Machine) {
        let model = machine.model().clone();
        let now = machine.time;
        machine.evaluate(model.schedule, &mut self.numbers);
        for (due, event) in machine.due.iter_mut().zip(self.numbers.chunks(2)) {
            *due = is_same_instant(event[0], now).then_some(event[1]);
        }
        for (i, sample) in model.program.samples.iter().enumerate() {
            let tick = self.tick(machine, i);
            let due = now >= tick || is_same_instant(tick, now);
            if due {
                self.ticks[i] += 1.0;
            }
            set_flag(machine, sample.variable, due);
        }
        Clocks::mark_due(machine);
    }
}

fn set_flag(machine: &mut Machine, variable: VarId, on: bool) {
    machine.values[variable.index()] = f64::from(u8::from(on));
    machine.pre[variable.index()] = 0.0;
}
