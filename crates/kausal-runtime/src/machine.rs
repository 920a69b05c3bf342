//! One run's memory, and the execution of steps on it.

use std::sync::Arc;

use kausal_codegen::{ChunkId, Memory, Scratch};
use kausal_solver::Reason;
use kausal_solver::linear::{DenseLu, Factor};
use kausal_symbolic::{ExprId, Node, VarId};
use kausal_translate::program::{Assert, Kind, Variable};

use crate::image::{Branch, CompiledModel, Exec, Kernel, Newton};

/// Why steps are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The initial problem.
    Initial,
    /// Between events: discrete variables are constant.
    Continuous,
    /// At an event.
    Event,
}

/// Why the execution stopped before its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// This attempt failed; another point may do.
    Failed(Failure),
    /// An assertion of the model does not hold.
    Assertion(String),
    /// The model asked to end.
    Terminate(String),
    /// A function could not be evaluated.
    Function(String),
}

/// A numerical failure and where it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What went wrong.
    pub reason: Reason,
    /// The unknowns of the system it happened in, or the variable that is not finite.
    pub unknowns: Vec<VarId>,
    /// Largest residual and its value, for systems.
    pub residual: Option<(usize, f64)>,
}

/// One run's memory.
#[derive(Debug)]
pub struct Machine {
    model: Arc<CompiledModel>,
    /// One number per variable.
    pub values: Vec<f64>,
    /// Values before the event.
    pub pre: Vec<f64>,
    /// The clock.
    pub time: f64,
    /// Reinitialised states, in order.
    pub reinits: Vec<(VarId, f64)>,
    /// Warnings of assertions, each text once.
    pub warnings: Vec<String>,
    /// Counts.
    pub newton_iterations: u64,
    /// Newton iterations that did not converge at first.
    pub newton_failures: u64,
    scratch: Scratch,
    kernels: Vec<KernelSpace>,
    newtons: Vec<NewtonSpace>,
}

#[derive(Debug)]
struct KernelSpace {
    factor: Option<Factor>,
    matrix: Vec<f64>,
    rhs: Vec<f64>,
    factored: bool,
}

#[derive(Debug)]
struct NewtonSpace {
    lu: DenseLu,
    matrix: Vec<f64>,
    residual: Vec<f64>,
    step: Vec<f64>,
    start: Vec<f64>,
}

impl Machine {
    /// Memory for one run, with the values variables have before anything is computed.
    pub fn new(model: Arc<CompiledModel>) -> Machine {
        let values: Vec<f64> = model.program.variables.iter().map(|v| v.value).collect();
        let kernels = model.kernels.iter().map(kernel_space).collect();
        let newtons = model.newtons.iter().map(newton_space).collect();
        let scratch = model.code.scratch();
        Machine {
            pre: values.clone(),
            values,
            time: 0.0,
            reinits: Vec::new(),
            warnings: Vec::new(),
            newton_iterations: 0,
            newton_failures: 0,
            scratch,
            kernels,
            newtons,
            model,
        }
    }

    /// The model it runs.
    pub fn model(&self) -> &Arc<CompiledModel> {
        &self.model
    }

    /// The value of a variable, aliases followed.
    pub fn value(&self, v: VarId) -> f64 {
        match self.model.program.variables[v.index()].kind {
            Kind::Alias(alias) if alias.negated => -self.values[alias.target.index()],
            Kind::Alias(alias) => self.values[alias.target.index()],
            _ => self.values[v.index()],
        }
    }

    /// Does a relation differ from the value it is held at? Those that time events announce are left out.
    pub fn relation_changed(&self) -> bool {
        self.model.program.relations.iter().filter(|r| !r.timed).any(|r| {
            let d = self.values[r.difference.index()];
            let holds = if r.or_equal { d <= 0.0 } else { d < 0.0 };
            holds != (self.values[r.variable.index()] != 0.0)
        })
    }

    /// Parameters changed: constant matrices must be factorised again.
    pub fn forget_factors(&mut self) {
        self.kernels.iter_mut().for_each(|k| k.factored = false);
    }

    /// Executes steps.
    pub fn run(&mut self, steps: &[Exec], mode: Mode) -> Result<(), Stop> {
        for step in steps {
            self.step(step, mode)?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Exec, mode: Mode) -> Result<(), Stop> {
        match step {
            Exec::Code(chunk) => self.code(*chunk),
            Exec::Call { args, count, function, outputs } => {
                return self.call(*args, *count, *function, outputs);
            }
            Exec::Solve(index) => return self.solve(*index),
            Exec::Newton(index) => return self.newton(*index, mode),
            Exec::Mixed { continuous, discrete, unknowns } => {
                return self.mixed(continuous, discrete, unknowns, mode);
            }
            Exec::When(branches) => return self.when(branches, mode),
            Exec::Reinit(variable, value) => {
                let value = self.number(*value);
                self.reinits.push((*variable, value));
            }
            Exec::Assert(condition, assert) => return self.assert(*condition, assert),
            Exec::Terminate(message) => return Err(Stop::Terminate(self.text(*message))),
            Exec::If(condition, yes, no) => {
                let branch = if self.number(*condition) != 0.0 { yes } else { no };
                return self.run(branch, mode);
            }
        }
        Ok(())
    }

    fn code(&mut self, chunk: ChunkId) {
        let mut memory = Memory {
            values: &mut self.values,
            pre: &self.pre,
            time: self.time,
            scratch: &mut self.scratch,
        };
        self.model.code.run(chunk, &mut memory);
    }

    /// Computes expressions into an array.
    pub fn evaluate(&mut self, chunk: ChunkId, out: &mut [f64]) {
        let mut memory = Memory {
            values: &mut self.values,
            pre: &self.pre,
            time: self.time,
            scratch: &mut self.scratch,
        };
        self.model.code.evaluate(chunk, &mut memory, out);
    }

    fn number(&mut self, chunk: ChunkId) -> f64 {
        let mut out = [0.0];
        self.evaluate(chunk, &mut out);
        out[0]
    }

    fn call(
        &mut self,
        args: ChunkId,
        count: usize,
        function: kausal_symbolic::FunctionId,
        outputs: &[Option<VarId>],
    ) -> Result<(), Stop> {
        let mut values = vec![0.0; count];
        self.evaluate(args, &mut values);
        let model = &self.model;
        let results =
            model.functions.call(&model.program.pool, function, &values, None).map_err(Stop::Function)?;
        for (slot, value) in outputs.iter().zip(results) {
            if let Some(v) = slot {
                self.values[v.index()] = value;
            }
        }
        Ok(())
    }

    fn solve(&mut self, index: usize) -> Result<(), Stop> {
        let model = self.model.clone();
        let kernel: &Kernel = &model.kernels[index];
        let space = &mut self.kernels[index];
        let failed = || Stop::Failed(Failure {
            reason: Reason::SingularMatrix,
            unknowns: kernel.unknowns.clone(),
            residual: None,
        });
        let Some(factor) = &mut space.factor else { return Err(failed()) };
        if !(kernel.constant && space.factored) {
            space.matrix.fill(0.0);
            for &(place, v) in &kernel.entries {
                space.matrix[place] += self.values[v.index()];
            }
            factor.factor(&space.matrix).map_err(|_| failed())?;
            space.factored = true;
        }
        for (b, v) in space.rhs.iter_mut().zip(&kernel.rhs) {
            *b = self.values[v.index()];
        }
        factor.solve(&mut space.rhs);
        for (x, v) in space.rhs.iter().zip(&kernel.unknowns) {
            self.values[v.index()] = *x;
        }
        Ok(())
    }

    fn mixed(
        &mut self,
        continuous: &[Exec],
        discrete: &[Exec],
        unknowns: &[VarId],
        mode: Mode,
    ) -> Result<(), Stop> {
        if mode == Mode::Continuous {
            return self.run(continuous, mode);
        }
        const ROUNDS: usize = 200;
        for _ in 0..ROUNDS {
            let before: Vec<f64> = unknowns.iter().map(|v| self.values[v.index()]).collect();
            self.run(continuous, mode)?;
            self.run(discrete, mode)?;
            if unknowns.iter().zip(&before).all(|(v, old)| self.values[v.index()] == *old) {
                return Ok(());
            }
        }
        Err(Stop::Failed(Failure {
            reason: Reason::NoConvergence,
            unknowns: unknowns.to_vec(),
            residual: None,
        }))
    }

    fn when(&mut self, branches: &[Branch], mode: Mode) -> Result<(), Stop> {
        for branch in branches {
            let rises = |v: &VarId| self.values[v.index()] != 0.0 && self.pre[v.index()] == 0.0;
            let fires = match mode {
                Mode::Initial => branch.initial,
                Mode::Event => branch.conditions.iter().any(rises),
                Mode::Continuous => false,
            };
            if fires {
                return self.run(&branch.steps, mode);
            }
        }
        Ok(())
    }

    fn assert(&mut self, condition: ChunkId, assert: &Assert) -> Result<(), Stop> {
        if self.number(condition) != 0.0 {
            return Ok(());
        }
        let message = self.text(assert.message);
        if !assert.warning {
            return Err(Stop::Assertion(message));
        }
        if !self.warnings.contains(&message) {
            self.warnings.push(message);
        }
        Ok(())
    }

    /// The text of a string expression, as far as it is known.
    fn text(&self, message: ExprId) -> String {
        let program = &self.model.program;
        match program.pool.node(message) {
            Node::Text(id) => program.pool.text_of(id).to_owned(),
            _ => {
                let name = |v: VarId| format!("{}", self.value(v));
                kausal_symbolic::print::print_limited(&program.pool, message, &name, 500)
            }
        }
    }

    /// Newton's method on the iteration variables, damped by halving while the residual does not fall.
    fn newton(&mut self, index: usize, mode: Mode) -> Result<(), Stop> {
        let model = self.model.clone();
        let newton: &Newton = &model.newtons[index];
        let mut space = std::mem::replace(&mut self.newtons[index], newton_space_empty());
        let result = self.iterate(newton, &mut space, mode);
        self.newtons[index] = space;
        result
    }

    fn iterate(&mut self, newton: &Newton, space: &mut NewtonSpace, mode: Mode) -> Result<(), Stop> {
        const LIMIT: usize = 60;
        let n = newton.unknowns.len();
        let mut norm = self.residual(newton, space, mode)?;
        for _ in 0..LIMIT {
            self.newton_iterations += 1;
            self.jacobian(newton, space, mode)?;
            space.step.copy_from_slice(&space.residual);
            if space.lu.factor(&space.matrix).is_err() {
                return Err(self.no_solution(newton, space, Reason::SingularMatrix));
            }
            space.lu.solve(&mut space.step);
            for (s, v) in space.start.iter_mut().zip(&newton.unknowns) {
                *s = self.values[v.index()];
            }
            let size = self.scaled(newton, &space.step);
            let mut damping = 1.0;
            loop {
                for i in 0..n {
                    let v = newton.unknowns[i].index();
                    let var: &Variable = &self.model.program.variables[v];
                    let next = space.start[i] - damping * space.step[i];
                    self.values[v] = if next.is_nan() { next } else { next.clamp(var.min, var.max.max(var.min)) };
                }
                let trial = self.residual(newton, space, mode);
                match trial {
                    Ok(trial) if trial <= norm * (1.0 - 0.25 * damping) || size < 1e-9 => {
                        norm = trial;
                        break;
                    }
                    Ok(trial) if damping < 1e-3 && trial.is_finite() => {
                        norm = trial;
                        break;
                    }
                    Ok(_) | Err(Stop::Failed(_)) if damping >= 1e-6 => damping *= 0.5,
                    Ok(_) => return Err(self.no_solution(newton, space, Reason::NoConvergence)),
                    Err(stop) => return Err(stop),
                }
            }
            if size * damping < 1e-10 || norm == 0.0 {
                return Ok(());
            }
        }
        self.newton_failures += 1;
        Err(self.no_solution(newton, space, Reason::NoConvergence))
    }

    fn no_solution(&self, newton: &Newton, space: &NewtonSpace, reason: Reason) -> Stop {
        let worst = space.residual.iter().copied().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        Stop::Failed(Failure { reason, unknowns: newton.unknowns.clone(), residual: worst })
    }

    /// The residuals and their largest magnitude.
    fn residual(&mut self, newton: &Newton, space: &mut NewtonSpace, mode: Mode) -> Result<f64, Stop> {
        self.run(&newton.steps, mode)?;
        let mut norm: f64 = 0.0;
        for (r, v) in space.residual.iter_mut().zip(&newton.residuals) {
            *r = self.values[v.index()];
            if !r.is_finite() {
                return Err(Stop::Failed(Failure {
                    reason: Reason::NotFinite,
                    unknowns: newton.unknowns.clone(),
                    residual: None,
                }));
            }
            norm = norm.max(r.abs());
        }
        Ok(norm)
    }

    fn jacobian(&mut self, newton: &Newton, space: &mut NewtonSpace, mode: Mode) -> Result<(), Stop> {
        let n = newton.unknowns.len();
        space.matrix.fill(0.0);
        if let Some((steps, entries)) = &newton.jacobian {
            self.run(steps, mode)?;
            for &(r, c, v) in entries {
                space.matrix[c as usize * n + r as usize] += self.values[v.index()];
            }
            return Ok(());
        }
        let base: Vec<f64> = space.residual.clone();
        for c in 0..n {
            let v = newton.unknowns[c].index();
            let old = self.values[v];
            let delta = 1e-7 * old.abs().max(self.model.program.variables[v].nominal);
            self.values[v] = old + delta;
            let outcome = self.residual(newton, space, mode);
            self.values[v] = old;
            outcome?;
            for r in 0..n {
                space.matrix[c * n + r] = (space.residual[r] - base[r]) / delta;
            }
        }
        space.residual.copy_from_slice(&base);
        // The torn sequence holds the values of the last perturbation: bring it back.
        self.run(&newton.steps, mode)
    }

    /// The step relative to the magnitude of the variables.
    fn scaled(&self, newton: &Newton, step: &[f64]) -> f64 {
        newton
            .unknowns
            .iter()
            .zip(step)
            .map(|(v, s)| {
                let var = &self.model.program.variables[v.index()];
                s.abs() / self.values[v.index()].abs().max(var.nominal)
            })
            .fold(0.0, f64::max)
    }
}

fn kernel_space(kernel: &Kernel) -> KernelSpace {
    KernelSpace {
        factor: kernel.factor(),
        matrix: vec![0.0; kernel.structure.entries()],
        rhs: vec![0.0; kernel.n],
        factored: false,
    }
}

fn newton_space(newton: &Newton) -> NewtonSpace {
    let n = newton.unknowns.len();
    NewtonSpace {
        lu: DenseLu::new(n),
        matrix: vec![0.0; n * n],
        residual: vec![0.0; n],
        step: vec![0.0; n],
        start: vec![0.0; n],
    }
}

fn newton_space_empty() -> NewtonSpace {
    NewtonSpace {
        lu: DenseLu::new(0),
        matrix: Vec::new(),
        residual: Vec::new(),
        step: Vec::new(),
        start: Vec::new(),
    }
}
