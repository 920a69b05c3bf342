//! The equations of the derivatives as an integrator sees them: `der(s) = f_x s + f_p` along a known solution.

use std::collections::VecDeque;
use std::sync::Arc;

use kausal_solver::linear::Pattern;
use kausal_solver::weights::Size;
use kausal_solver::{ModelError, OdeModel, Reason};
use kausal_symbolic::VarId;
use kausal_translate::Program;

use super::path::Path;
use crate::compiled_model::CompiledModel;
use crate::jacobian::{Dependencies, Derivatives, JacobianMode};
use crate::machine::{Failure, Machine, Mode, Stop};
use crate::simulation::scales;
use crate::tangent::Tangent;

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Variation {
    pub(super) machine: Machine,
    states: Vec<(VarId, VarId)>,
    /// By how many parameters.
    k: usize,
    known: usize,
    known_slots: Vec<VarId>,
    /// From states and what is known to derivatives of states, differences of relations, and candidates for states.
    tangent: Option<Tangent>,
    candidates: Vec<VarId>,
    relations: usize,
    derivatives: Derivatives,
    /// The solution, part after part.
    pub(super) segments: VecDeque<Path>,
    /// The derivatives of what is known, for each parameter.
    pub(super) constants: Vec<f64>,
    /// Those of the states, where somebody looks at them.
    pub(super) s: Vec<f64>,
    /// The instant at which the solution was evaluated last.
    at: f64,
    x: Vec<f64>,
    direction: Vec<f64>,
    out: Vec<f64>,
    block: Vec<f64>,
    sizes: Vec<(usize, Size)>,
    pub(super) failure: Option<Stop>,
}

/// What may be a state, and the states.
fn candidates(program: &Program) -> Vec<VarId> {
    let sets = program.state_sets.iter().flat_map(|set| set.candidates.clone());
    sets.chain(program.states.iter().map(|s| s.variable)).collect()
}

/// Derivatives by states and what is known (`seeds`) of derivatives of states, differences of relations, and candidates for states.
pub(super) fn course(model: &CompiledModel, seeds: &[VarId]) -> Option<Tangent> {
    let program = &model.program;
    let results: Vec<VarId> = program
        .states
        .iter()
        .map(|s| s.derivative)
        .chain(program.relations.iter().map(|r| r.difference))
        .chain(candidates(program))
        .collect();
    let sections = [&program.dynamics[..]];
    let dependencies = Dependencies::on(program, seeds, false, &sections)?;
    Tangent::directed(model, &dependencies, seeds, &results, &sections).ok()
}

impl Variation {
    pub(super) fn new(
        model: &Arc<CompiledModel>,
        machine: Machine,
        known: &[VarId],
        k: usize,
        tangent: Option<Tangent>,
    ) -> Result<Variation, Stop> {
        let program = &model.program;
        let states: Vec<(VarId, VarId)> = program.states.iter().map(|s| (s.variable, s.derivative)).collect();
        let candidates = candidates(program);
        let results = states.len() + program.relations.len() + candidates.len();
        let derivatives = Derivatives::new(model, JacobianMode::Symbolic);
        let sizes = scales::sizes(&machine, &states, derivatives.pattern.as_ref());
        let failed =
            || Stop::Failed(Failure { reason: Reason::NotFinite, unknowns: Vec::new(), residual: None });
        Ok(Variation {
            tangent: Some(tangent.ok_or_else(failed)?),
            direction: vec![0.0; states.len() + known.len()],
            out: vec![0.0; results],
            x: vec![0.0; states.len().max(1)],
            machine,
            k,
            known: known.len(),
            known_slots: known.to_vec(),
            relations: program.relations.len(),
            candidates,
            derivatives,
            segments: VecDeque::new(),
            constants: Vec::new(),
            s: Vec::new(),
            at: f64::NAN,
            block: Vec::new(),
            sizes,
            states,
            failure: None,
        })
    }

    /// Something to stand in its place for a moment.
    pub(super) fn empty(model: &Arc<CompiledModel>) -> Variation {
        Variation {
            machine: Machine::new(model.clone()),
            states: Vec::new(),
            k: 0,
            known: 0,
            known_slots: Vec::new(),
            tangent: None,
            candidates: Vec::new(),
            relations: 0,
            derivatives: Derivatives::new(model, JacobianMode::NumericDense),
            segments: VecDeque::new(),
            constants: Vec::new(),
            s: Vec::new(),
            at: f64::NAN,
            x: Vec::new(),
            direction: Vec::new(),
            out: Vec::new(),
            block: Vec::new(),
            sizes: Vec::new(),
            failure: None,
        }
    }

    /// The values of the solution have changed, or its machine was used for something else.
    pub(super) fn forget(&mut self) {
        self.at = f64::NAN;
    }

    /// Takes the values of a machine, which is elsewhere.
    pub(super) fn stay_at(&mut self, machine: &Machine) {
        self.machine = machine.twin();
        self.segments.clear();
        self.forget();
    }

    /// Evaluates the solution at an instant.
    pub(super) fn bring(&mut self, t: f64) -> Result<(), Stop> {
        if self.at == t {
            return Ok(());
        }
        if self.machine.is_interrupted() {
            return Err(Stop::Interrupted);
        }
        self.machine.set_time(t);
        let segment = self.segments.iter().find(|segment| t <= segment.end()).or(self.segments.back());
        if let Some(segment) = segment {
            segment.at(t, &mut self.x);
            for ((v, _), value) in self.states.iter().zip(&self.x) {
                self.machine.values[v.index()] = *value;
            }
        }
        self.evaluate()?;
        self.at = t;
        Ok(())
    }

    /// Evaluates the dynamics where it is.
    pub(super) fn evaluate(&mut self) -> Result<(), Stop> {
        let model = self.machine.model().clone();
        self.at = f64::NAN;
        self.machine.run(&model.dynamics, Mode::Continuous)?;
        self.tangent.iter_mut().for_each(Tangent::forget);
        Ok(())
    }

    /// And what only results need.
    pub(super) fn evaluate_outputs(&mut self) -> Result<(), Stop> {
        self.evaluate()?;
        let model = self.machine.model().clone();
        self.machine.run(&model.outputs, Mode::Continuous)
    }

    /// The derivatives of the states by time.
    pub(super) fn slopes(&self) -> Vec<f64> {
        self.states.iter().map(|(_, d)| self.machine.values[d.index()]).collect()
    }

    pub(super) fn constants_of(&self, j: usize) -> &[f64] {
        &self.constants[j * self.known..(j + 1) * self.known]
    }

    /// States and what is known along a parameter.
    pub(super) fn direction(&self, j: usize) -> Vec<f64> {
        let n = self.states.len();
        self.s[j * n..(j + 1) * n].iter().chain(self.constants_of(j)).copied().collect()
    }

    fn along(&mut self, j: usize) -> Result<(), Stop> {
        let direction = self.direction(j);
        match &mut self.tangent {
            Some(tangent) => tangent.along_again(&mut self.machine, &direction, &mut self.out),
            None => Ok(()),
        }
    }

    /// The derivatives of the differences of all relations along a parameter.
    pub(super) fn differences_along(&mut self, j: usize) -> Result<Vec<f64>, Stop> {
        self.along(j)?;
        let n = self.states.len();
        Ok(self.out[n..n + self.relations].to_vec())
    }

    /// The derivatives of states and candidates along a parameter.
    pub(super) fn of_variables(&mut self, j: usize, wanted: &[VarId]) -> Result<Vec<f64>, Stop> {
        self.along(j)?;
        let from = self.states.len() + self.relations;
        let place = |v: &VarId| self.candidates.iter().position(|c| c == v);
        let n = self.states.len();
        let own = |v: &VarId| self.states.iter().position(|(x, _)| x == v).map(|i| self.s[j * n + i]);
        let value = |v: &VarId| own(v).or_else(|| place(v).map(|i| self.out[from + i]));
        Ok(wanted.iter().map(|v| value(v).unwrap_or(0.0)).collect())
    }

    /// How fast the difference of a relation changes along the solution: by differences of the fourth order over a small part of a step,
    /// where the solution may be taken for its tangent.
    pub(super) fn slope(&mut self, relation: u32, t: f64, length: f64) -> Result<f64, Stop> {
        const PART: f64 = 1e-3;
        let model = self.machine.model().clone();
        let difference = model.program.relations[relation as usize].difference.index();
        let slopes = self.slopes();
        let kept = self.machine.values.clone();
        let h = (PART * length).max(64.0 * f64::EPSILON * t.abs());
        let mut at = |part: f64| -> Result<f64, Stop> {
            self.machine.set_time(t + part * h);
            for ((v, _), slope) in self.states.iter().zip(&slopes) {
                self.machine.values[v.index()] = kept[v.index()] + part * h * slope;
            }
            self.machine.run(&model.dynamics, Mode::Continuous)?;
            Ok(self.machine.values[difference])
        };
        let inside = [at(-2.0), at(-1.0)];
        let beyond = [at(1.0), at(2.0)];
        let here = at(0.0);
        self.machine.set_time(t);
        self.machine.values = kept;
        self.evaluate()?;
        let [back_2, back] = inside;
        let (back_2, back) = (back_2?, back?);
        Ok(match beyond {
            [Ok(next), Ok(next_2)] => (8.0 * (next - back) - (next_2 - back_2)) / (12.0 * h),
            // The equations end behind the crossing.
            _ => (3.0 * here? - 4.0 * back + back_2) / (2.0 * h),
        })
    }

    /// By how much what announces events moves along a parameter: formulas of parameters and of what is held.
    pub(super) fn announced(&mut self, j: usize, numbers: usize) -> Vec<f64> {
        const STEP: f64 = 6e-6;
        let model = self.machine.model().clone();
        let kept = self.machine.values.clone();
        let held = self.constants_of(j).to_vec();
        let largest = self.known_slots.iter().zip(&held).map(|(v, rate)| {
            let size = kept[v.index()].abs();
            if size > 0.0 { rate.abs() / size } else { 0.0 }
        });
        let step = STEP / largest.fold(1.0, f64::max);
        let mut at = |h: f64| {
            for (v, rate) in self.known_slots.iter().zip(&held) {
                self.machine.values[v.index()] = kept[v.index()] + h * rate;
            }
            let mut out = vec![0.0; numbers];
            self.machine.evaluate(model.schedule, &mut out);
            out
        };
        let (above, below) = (at(step), at(-step));
        self.machine.values = kept;
        above.iter().zip(&below).map(|(a, b)| if a == b { 0.0 } else { (a - b) / (2.0 * step) }).collect()
    }
}

impl OdeModel for Variation {
    fn n(&self) -> usize {
        self.states.len() * self.k
    }

    fn rhs(&mut self, t: f64, s: &[f64], ds: &mut [f64]) -> Result<(), ModelError> {
        let n = self.states.len();
        let mut outcome = self.bring(t);
        for j in 0..self.k {
            if outcome.is_err() {
                break;
            }
            self.direction[..n].copy_from_slice(&s[j * n..(j + 1) * n]);
            self.direction[n..].copy_from_slice(&self.constants[j * self.known..(j + 1) * self.known]);
            if let Some(tangent) = &mut self.tangent {
                outcome = tangent.along_again(&mut self.machine, &self.direction, &mut self.out);
            }
            ds[j * n..(j + 1) * n].copy_from_slice(&self.out[..n]);
        }
        if let Err(stop) = outcome {
            let reason = stop.recoverable();
            self.failure = Some(stop);
            return Err(match reason {
                Some(reason) => ModelError::recoverable(reason),
                None => ModelError::fatal("the model ended the run"),
            });
        }
        match ds.iter().all(|d| d.is_finite()) {
            true => Ok(()),
            false => Err(ModelError::recoverable(Reason::NotFinite)),
        }
    }

    fn jacobian_pattern(&self) -> Option<Pattern> {
        let one = self.derivatives.pattern.as_ref()?;
        let n = self.states.len();
        let blocks =
            (0..self.k).flat_map(|j| one.iter().map(move |(row, column)| (j * n + row, j * n + column)));
        Some(Pattern::new(n * self.k, blocks))
    }

    fn has_jacobian(&self) -> bool {
        self.derivatives.has_values()
    }

    fn jacobian(&mut self, t: f64, _s: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        let k = self.k.max(1);
        let mut block = std::mem::take(&mut self.block);
        block.resize(values.len() / k, 0.0);
        let known = self.bring(t).is_ok() && self.derivatives.evaluate(&mut self.machine, &mut block);
        for part in values.chunks_exact_mut(block.len().max(1)) {
            part.copy_from_slice(&block);
        }
        self.block = block;
        // Its derivatives lie where those along the parameters do.
        match known {
            true => Ok(()),
            false => Err(ModelError::recoverable(Reason::NotFinite)),
        }
    }

    fn nominal(&self, i: usize) -> f64 {
        let place = i % self.states.len().max(1);
        self.states.get(place).map_or(1.0, |(x, _)| scales::usual(&self.machine, *x))
    }

    fn size(&self, i: usize) -> (usize, Size) {
        let n = self.states.len().max(1);
        let (group, size) = self.sizes.get(i % n).copied().unwrap_or((0, Size::Said(1.0)));
        (group + i / n * n, size)
    }
}
