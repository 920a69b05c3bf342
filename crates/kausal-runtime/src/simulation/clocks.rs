//! Ticks of clocks (specification chapter 16): when they are, and what happens at them.
//!
//! Ticks are counted: tick `n` of a periodic base clock is at `start + n*interval/resolution`, so ticks of clocks that are
//! related exactly coincide exactly. At an event the clocks that are due come first, once; they read what continuous time was
//! before the event. Then events are iterated, in which event clocks may tick.

use kausal_symbolic::VarId;
use kausal_translate::program::{BaseClock, ClockTrigger, SubClock};
use serde::{Deserialize, Serialize};

use crate::machine::{Machine, Mode, Stop};
use crate::tolerances::is_same_instant;

/// The clocks of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Clocks {
    start: f64,
    bases: Vec<State>,
}

/// How far a base clock has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// The number of the next tick.
    next: i64,
    /// The tick that is to be made at this event.
    due: Option<i64>,
    /// Its unit: the interval, as known now; for event clocks what the first interval is.
    unit: f64,
    /// The last tick that is a multiple of the unit, and when it was, where the unit varies.
    whole: (i64, f64),
    /// When the clocks ticked last.
    last: Vec<Option<f64>>,
    /// The value of the condition of an event clock in the last evaluation.
    condition: bool,
}

impl Clocks {
    /// Counts from the current instant on.
    pub(crate) fn start(machine: &mut Machine) -> Result<Clocks, Stop> {
        let model = machine.model().clone();
        let program = &model.program;
        if program.clocks.is_empty() {
            return Ok(Clocks::default());
        }
        let mut units = vec![0.0; model.clock_units_len];
        machine.evaluate(model.clock_units, &mut units);
        let mut units = units.into_iter();
        let now = machine.time;
        let mut bases = Vec::with_capacity(program.clocks.len());
        for base in &program.clocks {
            let mut state =
                State { last: vec![None; base.clocks.len()], whole: (0, now), ..State::default() };
            match base.trigger {
                ClockTrigger::Periodic(_) => {
                    state.unit = units.next().unwrap_or(f64::NAN);
                    positive(base, state.unit)?;
                }
                ClockTrigger::Varying { variable, resolution } => {
                    state.unit = machine.values[variable.index()] / resolution.unwrap_or(1.0);
                }
                // A condition that is true at the start has become so: the clock ticks.
                ClockTrigger::Event { start_interval, .. } => {
                    state.unit = start_interval.map_or(0.0, |_| units.next().unwrap_or(0.0));
                }
            }
            // Each rising edge counts; of other ticks only those that are some clock's.
            state.next = match base.trigger {
                ClockTrigger::Event { .. } => 0,
                _ => after(&base.clocks, -1),
            };
            bases.push(state);
        }
        Ok(Clocks { start: now, bases })
    }

    /// The first tick that is known in advance.
    pub(crate) fn next(&self, program: &kausal_translate::Program) -> f64 {
        let instants = (0..self.bases.len()).filter_map(|i| self.instant(&program.clocks[i], i));
        instants.fold(f64::INFINITY, f64::min)
    }

    /// When the next tick is.
    fn instant(&self, base: &BaseClock, i: usize) -> Option<f64> {
        let state = self.bases.get(i)?;
        let resolution = base.resolution as f64;
        match base.trigger {
            ClockTrigger::Periodic(_) => Some(self.start + state.next as f64 * state.unit / resolution),
            ClockTrigger::Varying { .. } => {
                let (n, t) = state.whole;
                Some(t + (state.next - n) as f64 * state.unit / resolution)
            }
            ClockTrigger::Event { .. } => None,
        }
    }

    /// Notes what is due now.
    pub(crate) fn mark_due(machine: &mut Machine) {
        let model = machine.model().clone();
        let now = machine.time;
        for (i, base) in model.program.clocks.iter().enumerate() {
            let Some(instant) = machine.clocks.instant(base, i) else { continue };
            if now >= instant || is_same_instant(instant, now) {
                let state = &mut machine.clocks.bases[i];
                state.due = Some(state.next);
                state.next = after(&base.clocks, state.next);
            }
        }
    }

    /// Before anything happens at an event: what is sampled is what continuous time was before.
    pub(crate) fn sample(machine: &mut Machine) {
        let model = machine.model().clone();
        for sampled in model.program.clocks.iter().flat_map(|base| &base.sampled) {
            machine.values[sampled.slot.index()] = machine.values[sampled.source.index()];
        }
    }

    /// Makes the ticks that are due.
    pub(crate) fn tick(machine: &mut Machine) -> Result<(), Stop> {
        for i in 0..machine.clocks.bases.len() {
            if let Some(n) = machine.clocks.bases[i].due.take() {
                make(machine, i, n)?;
            }
        }
        Ok(())
    }

    /// Makes the ticks of event clocks whose condition has become true in this evaluation. Were there some?
    pub(crate) fn tick_risen(machine: &mut Machine) -> Result<bool, Stop> {
        let model = machine.model().clone();
        let mut any = false;
        for (i, base) in model.program.clocks.iter().enumerate() {
            let ClockTrigger::Event { condition, .. } = base.trigger else { continue };
            let now = machine.values[condition.index()] != 0.0;
            let state = &mut machine.clocks.bases[i];
            let before = std::mem::replace(&mut state.condition, now);
            if now && !before {
                let n = state.next;
                state.next += 1;
                make(machine, i, n)?;
                any = true;
            }
        }
        Ok(any)
    }
}

/// The first tick of any of the clocks after `n`.
fn after(clocks: &[SubClock], n: i64) -> i64 {
    let next = |c: &SubClock| match n < c.shift {
        true => c.shift,
        false => c.shift + ((n - c.shift) / c.factor + 1) * c.factor,
    };
    clocks.iter().map(next).min().unwrap_or(i64::MAX)
}

fn is_active(clock: &SubClock, n: i64) -> bool {
    n >= clock.shift && (n - clock.shift) % clock.factor == 0
}

/// Tick `n` of a base clock.
fn make(machine: &mut Machine, i: usize, n: i64) -> Result<(), Stop> {
    let model = machine.model().clone();
    let base = &model.program.clocks[i];
    let now = machine.time;
    let set = |machine: &mut Machine, slot: Option<VarId>, value: f64| {
        if let Some(slot) = slot {
            machine.values[slot.index()] = value;
        }
    };
    for (k, clock) in base.clocks.iter().enumerate().filter(|(_, c)| is_active(c, n)) {
        if machine.clocks.bases[i].last[k].is_none() {
            machine.run(&model.clock_starts[i][k], Mode::Initial)?;
        }
        let state = &mut machine.clocks.bases[i];
        let last = state.last[k].replace(now);
        let usual = match base.trigger {
            ClockTrigger::Event { .. } => state.unit,
            _ => clock.factor as f64 * state.unit / base.resolution as f64,
        };
        let interval = match (base.trigger, last) {
            (ClockTrigger::Periodic(_), _) | (_, None) => usual,
            (_, Some(last)) => now - last,
        };
        set(machine, clock.interval, interval);
        set(machine, clock.first_tick, f64::from(u8::from(last.is_none())));
        set(machine, clock.step, if last.is_none() { 0.0 } else { interval });
        for previous in &clock.previous {
            machine.values[previous.slot.index()] = machine.values[previous.variable.index()];
        }
    }
    let varying = match base.trigger {
        ClockTrigger::Varying { variable, resolution } => Some((variable, resolution)),
        _ => None,
    };
    let before = varying.map_or(0.0, |(v, _)| machine.values[v.index()]);
    for (clock, steps) in &model.clocks[i] {
        if is_active(&base.clocks[*clock as usize], n) {
            machine.run(steps, Mode::Event)?;
        }
    }
    if let Some((variable, resolution)) = varying
        && n % base.resolution == 0
    {
        let unit = match resolution {
            Some(resolution) => machine.values[variable.index()] / resolution,
            None => before,
        };
        positive(base, unit)?;
        let state = &mut machine.clocks.bases[i];
        (state.unit, state.whole) = (unit, (n, now));
    }
    Ok(())
}

fn positive(base: &BaseClock, unit: f64) -> Result<(), Stop> {
    if unit > 0.0 && unit.is_finite() {
        return Ok(());
    }
    let name = base.clocks.first().map_or(base.name.as_str(), |c| c.name.as_str());
    let said = format!("the interval of the clock {name} is {unit}; what must hold is that it is above 0");
    Err(Stop::Assertion(said.into()))
}
