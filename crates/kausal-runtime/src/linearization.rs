//! A model near one point: `der(x) = A x + B u`, `y = C x + D u`, with x, u and y measured from there.
//!
//! The matrices are derivatives of the program itself ([`tangent`](crate::tangent)): of the dynamics and of what results need, by the
//! states and by inputs. What is discrete, and which side relations are on, is held as it is at the point. A Jacobian of many
//! columns takes as many passes as there are groups of columns that share no row.

use std::sync::Arc;

use kausal_codegen::Error;
use kausal_solver::Reason;
use kausal_solver::linear::{Pattern, solve_deficient};
use kausal_symbolic::VarId;
use kausal_translate::program::Kind;

use crate::compiled_model::CompiledModel;
use crate::jacobian::Dependencies;
use crate::machine::{Failure, Machine, Mode, Stop};
use crate::simulation::settle_event;
use crate::tangent::Tangent;

/// Makes linearisations of one model, point after point.
#[derive(Debug)]
pub struct Linearizer {
    tangent: Tangent,
    pattern: Pattern,
    values: Vec<f64>,
    states: usize,
    inputs: usize,
    /// Variables and signs.
    outputs: Vec<(VarId, f64)>,
}

/// The four matrices, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrices {
    /// Derivatives of the derivatives of states by states.
    pub a: Vec<f64>,
    /// By inputs.
    pub b: Vec<f64>,
    /// Of outputs by states.
    pub c: Vec<f64>,
    /// By inputs.
    pub d: Vec<f64>,
}

/// Newton steps towards a steady state, and how often one of them is halved.
const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 30;
/// Events on the way to it.
const MOST_EVENTS: usize = 20;

impl Linearizer {
    /// For all states, and these inputs and outputs.
    ///
    /// # Errors
    /// Where a part of the program cannot be differentiated.
    pub fn new(model: &CompiledModel, inputs: &[VarId], outputs: &[VarId]) -> Result<Linearizer, Error> {
        let program = &model.program;
        let states = program.states.len();
        let seeds: Vec<VarId> =
            program.states.iter().map(|s| s.variable).chain(inputs.iter().copied()).collect();
        let target = |v: &VarId| match program.variables[v.index()].kind {
            Kind::Alias(alias) => (alias.target, if alias.negated { -1.0 } else { 1.0 }),
            _ => (*v, 1.0),
        };
        let outputs: Vec<(VarId, f64)> = outputs.iter().map(target).collect();
        let results: Vec<VarId> =
            program.states.iter().map(|s| s.derivative).chain(outputs.iter().map(|o| o.0)).collect();
        let sections = [&program.dynamics[..], &program.outputs[..]];
        let too_large = || Error::Unsupported("the structure is too large".to_owned());
        let dependencies = Dependencies::on(program, &seeds, false, &sections).ok_or_else(too_large)?;
        let n = seeds.len().max(results.len());
        let rows = results.iter().enumerate();
        let entries = rows.flat_map(|(i, v)| dependencies.states(*v).iter().map(move |&j| (i, j as usize)));
        let pattern = Pattern::new(n, entries);
        let tangent = Tangent::by(model, &dependencies, pattern.clone(), &seeds, &results, &sections, true)?;
        let values = vec![0.0; pattern.entries()];
        Ok(Linearizer { tangent, values, pattern, states, inputs: inputs.len(), outputs })
    }

    /// The same for another thread.
    #[must_use]
    pub fn again(&self) -> Linearizer {
        Linearizer {
            tangent: self.tangent.again(),
            pattern: self.pattern.clone(),
            values: self.values.clone(),
            states: self.states,
            inputs: self.inputs,
            outputs: self.outputs.clone(),
        }
    }

    /// At the point where a machine is.
    ///
    /// # Errors
    /// Where the model cannot be evaluated or differentiated there.
    pub fn at(&mut self, machine: &mut Machine) -> Result<Matrices, Stop> {
        let model = machine.model().clone();
        machine.run(&model.dynamics, Mode::Continuous)?;
        machine.run(&model.outputs, Mode::Continuous)?;
        self.values.fill(0.0);
        self.tangent.evaluate(machine, &mut self.values)?;
        let (n, m) = (self.states, self.inputs);
        let mut matrices = Matrices {
            a: vec![0.0; n * n],
            b: vec![0.0; n * m],
            c: vec![0.0; self.outputs.len() * n],
            d: vec![0.0; self.outputs.len() * m],
        };
        for j in 0..n + m {
            for (value, &i) in self.values[self.pattern.range(j)].iter().zip(self.pattern.column(j)) {
                let i = i as usize;
                let sign = i.checked_sub(n).map_or(1.0, |k| self.outputs[k].1);
                let cell = match (i < n, j < n) {
                    (true, true) => &mut matrices.a[i * n + j],
                    (true, false) => &mut matrices.b[i * m + j - n],
                    (false, true) => &mut matrices.c[(i - n) * n + j],
                    (false, false) => &mut matrices.d[(i - n) * m + j - n],
                };
                *cell = sign * value;
                if !value.is_finite() {
                    let unknowns = vec![machine.model().program.states[j.min(n.saturating_sub(1))].variable];
                    return Err(Stop::Failed(Failure {
                        reason: Reason::NotFinite,
                        unknowns,
                        residual: None,
                    }));
                }
            }
        }
        Ok(matrices)
    }

    /// Moves a machine to where no state changes, near the point where it is: Newton's method on the derivatives, its steps
    /// halved as long as that makes them smaller. Where they do not determine all states, those nearby are taken.
    ///
    /// # Errors
    /// Where there is none, or it is not found.
    pub fn rest(&mut self, machine: &mut Machine, tolerance: f64) -> Result<(), Stop> {
        for _ in 0..MOST_EVENTS {
            self.descend(machine, tolerance)?;
            // Where relations have crossed, the model is another one there.
            if !settle_event(machine)? {
                return Ok(());
            }
        }
        Err(unsettled(machine))
    }

    fn descend(&mut self, machine: &mut Machine, tolerance: f64) -> Result<(), Stop> {
        let model: Arc<CompiledModel> = machine.model().clone();
        let program = &model.program;
        let n = self.states;
        // In units of what states and their derivatives usually are.
        let magnitude: Vec<f64> = program
            .states
            .iter()
            .map(|s| {
                let nominal = program.variables[s.variable.index()].nominal.abs();
                nominal.max(machine.values[s.variable.index()].abs())
            })
            .collect();
        let norm = |values: &[f64]| -> f64 {
            let part =
                |(s, m): (&kausal_translate::program::State, &f64)| values[s.derivative.index()].abs() / m;
            program.states.iter().zip(&magnitude).map(part).fold(0.0, f64::max)
        };
        machine.run(&model.dynamics, Mode::Continuous)?;
        for _ in 0..MOST_STEPS {
            let size = norm(&machine.values);
            if size == 0.0 {
                return Ok(());
            }
            let a = self.at(machine)?.a;
            // Column by column, as the solver wants it.
            let mut columns: Vec<f64> = (0..n * n).map(|k| a[k % n * n + k / n]).collect();
            let mut step: Vec<f64> =
                program.states.iter().map(|s| machine.values[s.derivative.index()]).collect();
            let solved = solve_deficient(&mut columns, &mut step, &magnitude, &magnitude);
            if solved.contradiction.is_some() || step.iter().any(|v| !v.is_finite()) {
                return Err(unsettled(machine));
            }
            let before: Vec<f64> =
                program.states.iter().map(|s| machine.values[s.variable.index()]).collect();
            let moved = step.iter().zip(&magnitude).map(|(d, m)| d.abs() / m).fold(0.0, f64::max);
            let mut part = 1.0;
            for halvings in 0.. {
                for ((s, x), d) in program.states.iter().zip(&before).zip(&step) {
                    machine.values[s.variable.index()] = x - part * d;
                }
                let outcome = machine.run(&model.dynamics, Mode::Continuous);
                if moved <= tolerance {
                    return outcome;
                }
                if outcome.is_ok() && norm(&machine.values) < size {
                    break;
                }
                if halvings == MOST_HALVINGS {
                    return Err(unsettled(machine));
                }
                part *= 0.5;
            }
        }
        Err(unsettled(machine))
    }
}

fn unsettled(machine: &Machine) -> Stop {
    let unknowns = machine.model().program.states.iter().map(|s| s.variable).collect();
    Stop::Failed(Failure { reason: Reason::NoConvergence, unknowns, residual: None })
}
