//! Follows the solutions of nonlinear systems that no step of the integrator looks at.
//!
//! What only results need is solved at output points only, and in a model without states nothing else happens either: the
//! guess is the last solution, however far back that lies, and an equation with several solutions may then jump from one
//! to another, depending on where outputs are wanted. So where the dynamics do not contain such a system, or there are no
//! states, its unknowns are followed through every step: at instants so close that each solution is near the continuation of
//! the two before it (natural parameter continuation; Allgower and Georg, *Numerical Continuation Methods*, §2). Output
//! points and searches inside the step then guess from the neighbours.
//!
//! An instant that cannot be solved ends the path; whoever wants values there says so.

use kausal_symbolic::VarId;
use serde::{Deserialize, Serialize};

use super::{Run, RunError};
use crate::compiled_model::{CompiledModel, Exec};
use crate::machine::Machine;

/// Distance from the continuation, as a part of the largest size an unknown has had, that is too far: solutions next to
/// each other are usually farther apart.
const FAR: f64 = 0.03;
/// A change by this part of the size is too much as well: a solution that turns back between two instants has another one
/// in its continuation.
const FAST: f64 = 0.12;
/// So many instants of a step are looked at; what moves back and forth more often than that is not followed.
const MOST: usize = 4000;
/// Sizes below this part of a nominal value say nothing.
const SMALL: f64 = 1e-3;
/// A path is not followed in smaller parts of a step: there the solution itself jumps.
const SMALLEST: f64 = 1e-6;
/// The first stride after an event, as a part of the distance of output points.
const FIRST: f64 = 0.25;
/// Steps of a model without states are so many output points long at most: their paths are kept.
const LONGEST: f64 = 20.0;
/// Without output points: as a part of the run.
const LONGEST_PART: f64 = 0.02;

/// Solutions at instants of the last step.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Path {
    unknowns: Vec<VarId>,
    /// There are no states, so that systems of the dynamics are followed too.
    whole: bool,
    instants: Vec<f64>,
    /// A row for each instant.
    values: Vec<f64>,
    /// The largest values of the unknowns so far.
    sizes: Vec<f64>,
    stride: f64,
}

impl Path {
    pub(super) fn new(model: &CompiledModel) -> Path {
        let whole = model.program.states.is_empty();
        let mut systems = Vec::new();
        collect(&model.outputs, &mut systems);
        if whole {
            collect(&model.dynamics, &mut systems);
        }
        let mut unknowns: Vec<VarId> =
            systems.iter().flat_map(|&index| model.newtons[index].unknowns.iter().copied()).collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        let sizes = unknowns.iter().map(|v| SMALL * model.program.variables[v.index()].nominal).collect();
        Path { unknowns, whole, sizes, ..Path::default() }
    }

    fn is_empty(&self) -> bool {
        self.unknowns.is_empty()
    }

    /// A new path from the values of the machine.
    pub(super) fn restart(&mut self, machine: &Machine, interval: f64) {
        if self.is_empty() {
            return;
        }
        self.instants.clear();
        self.values.clear();
        self.stride = FIRST * interval;
        self.push(machine);
    }

    /// Guesses the solution at `t` of an evaluation with or without outputs.
    pub(super) fn guess(&self, t: f64, outputs: bool, machine: &mut Machine) {
        if self.instants.is_empty() || !(outputs || self.whole) {
            return;
        }
        let n = self.unknowns.len();
        let last = self.instants.len() - 1;
        let right = self.instants.partition_point(|&k| k < t).min(last);
        let left = right.saturating_sub(1);
        let (a, b) = (self.instants[left], self.instants[right]);
        // Not beyond the last: what the equations leave open would go on for ever.
        let part = if b > a { ((t - a) / (b - a)).clamp(0.0, 1.0) } else { 1.0 };
        for (i, v) in self.unknowns.iter().enumerate() {
            let (x, y) = (self.values[left * n + i], self.values[right * n + i]);
            machine.values[v.index()] = if part == 1.0 { y } else { x + part * (y - x) };
        }
    }

    /// How far the solution in the machine is from the continuation of the last two and from the last one itself, in units
    /// of what is too far.
    fn deviation(&self, machine: &Machine) -> f64 {
        let n = self.unknowns.len();
        let count = self.instants.len();
        let (b, a) = (count - 1, count.saturating_sub(2));
        let part = match self.instants[b] - self.instants[a] {
            length if length > 0.0 => (machine.time - self.instants[b]) / length,
            _ => 0.0,
        };
        let distances = self.unknowns.iter().enumerate().map(|(i, v)| {
            let (x, y) = (self.values[a * n + i], self.values[b * n + i]);
            let now = machine.values[v.index()];
            let away = (now - y - part * (y - x)).abs() / FAR;
            away.max((now - y).abs() / FAST) / self.sizes[i]
        });
        distances.fold(0.0, f64::max)
    }

    fn push(&mut self, machine: &Machine) {
        self.instants.push(machine.time);
        for (v, size) in self.unknowns.iter().zip(&mut self.sizes) {
            let value = machine.values[v.index()];
            self.values.push(value);
            *size = size.max(value.abs());
        }
    }

    /// Only the last two solutions are of use to the next step.
    fn begin_step(&mut self) {
        let unused = self.instants.len().saturating_sub(2);
        self.instants.drain(..unused);
        self.values.drain(..unused * self.unknowns.len());
    }
}

/// The nonlinear systems in steps.
fn collect(steps: &[Exec], systems: &mut Vec<usize>) {
    for step in steps {
        match step {
            Exec::Newton(index) => systems.push(*index),
            Exec::Guarded(steps, _) => collect(steps, systems),
            Exec::Mixed { continuous, discrete, .. } => {
                collect(continuous, systems);
                collect(discrete, systems);
            }
            Exec::If(_, yes, no) => {
                collect(yes, systems);
                collect(no, systems);
            }
            _ => {}
        }
    }
}

impl Run {
    /// The distance of output points, or what stands for it.
    fn usual_distance(&self) -> f64 {
        let interval = self.settings.interval;
        if interval > 0.0 { interval } else { LONGEST_PART / LONGEST * self.length() }
    }

    /// The longest step whose path should be kept.
    pub(super) fn longest_path(&self) -> f64 {
        if self.path.whole && !self.path.is_empty() { LONGEST * self.usual_distance() } else { f64::INFINITY }
    }

    /// A path begins at the values of the machine.
    pub(super) fn begin_path(&mut self) -> Result<(), RunError> {
        let interval = self.usual_distance();
        let mut path = std::mem::take(&mut self.path);
        let machine = self.machine();
        if let Ok(machine) = &machine {
            path.restart(machine, interval);
        }
        let outcome = machine.map(|_| ());
        self.path = path;
        outcome
    }

    /// Follows the path to the end of a step.
    pub(super) fn follow(&mut self, end: f64) -> Result<(), RunError> {
        if self.path.is_empty() {
            return Ok(());
        }
        self.path.begin_step();
        let Some(&begin) = self.path.instants.last() else { return Ok(()) };
        let smallest = (SMALLEST * (end - begin)).max(8.0 * f64::EPSILON * end.abs());
        let mut looks = 0;
        while let Some(&from) = self.path.instants.last().filter(|&&from| from < end) {
            looks += 1;
            let whole = self.path.stride >= end - from || looks > MOST;
            let h = if whole { end - from } else { self.path.stride };
            if self.bring(if whole { end } else { from + h }, true, false).is_err() {
                if h <= smallest || looks > MOST {
                    break;
                }
                self.path.stride = 0.25 * h;
                continue;
            }
            let mut path = std::mem::take(&mut self.path);
            let machine = self.machine()?;
            let deviation = path.deviation(machine);
            let ratio = 0.7 / deviation.max(1e-6).sqrt();
            if deviation > 1.0 && h > smallest && looks <= MOST {
                path.stride = h * ratio.clamp(0.1, 0.7);
            } else {
                path.push(machine);
                let proposal = (h * ratio.clamp(0.3, 3.0)).max(smallest);
                path.stride = if whole { proposal.max(path.stride) } else { proposal };
            }
            self.path = path;
        }
        Ok(())
    }
}
