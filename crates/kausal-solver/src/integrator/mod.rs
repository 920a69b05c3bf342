//! Integration methods behind one stepping interface.
//!
//! An [`Integrator`] owns a model and takes one accepted step at a time, so that whoever drives it can look
//! for events between steps: [`step`](Integrator::step) never passes the limit it is given and reaches it
//! exactly, [`interpolate`](Integrator::interpolate) gives the solution inside the last step, and
//! [`restart`](Integrator::restart) begins anew from another point. Nothing is allocated after the first
//! step.
//!
//! Methods differ only in how they make and judge a step; each is a file of its own. All of them speak to the
//! model through [`StepModel`].

mod auto;
mod bdf;
mod collocation;
mod control;
mod core;
mod esdirk;
mod explicit;
mod fixed;
mod fixed_bdf;
mod fixed_radau;
mod fixed_simple;
mod grid;
mod hermite;
mod inside;
mod options;
mod radau;
mod rosenbrock;
mod tableaux;

pub use inside::Inside;
pub use options::{Method, Options, Statistics, StepReport, UnknownMethod};
pub use tableaux::{RADAU_IIA, RadauIia};

use serde::{Deserialize, Serialize};

use crate::error::SolverError;
use crate::model::StepModel;
use crate::persist::{Reader, Unfit, Writer};
use crate::weights::Weights;
use core::Core;
use fixed::Fixed;

/// Newton iterations for a step that cannot be made smaller.
const PERSISTENCE: u32 = 20;
/// Where the length of a step times the bound of the model's rates is below this, nothing is stiff in it.
const NOT_STIFF: f64 = 0.5;

/// Integrates a model. See the [module](self).
#[derive(Clone, Debug)]
pub struct Integrator<M> {
    model: M,
    core: Core,
    engine: Engine,
    /// The derivative at the current point is known.
    ready: bool,
    starts: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Engine {
    Auto(Box<auto::Auto>),
    Bdf(Box<bdf::Bdf>),
    Radau(Box<radau::Radau>),
    Esdirk(Box<esdirk::Esdirk>),
    Rosenbrock(Box<rosenbrock::Rosenbrock>),
    Explicit(Box<explicit::ExplicitRk>),
    Fixed(Box<Fixed<fixed_simple::Simple>>),
    FixedBdf(Box<Fixed<fixed_bdf::FixedBdf>>),
    FixedRadau(Box<Fixed<fixed_radau::FixedRadau>>),
}

impl<M: StepModel> Integrator<M> {
    /// An integration of `model` from `x0` at `t0`.
    pub fn new(
        method: Method,
        options: Options,
        mut model: M,
        t0: f64,
        x0: &[f64],
    ) -> Result<Self, SolverError> {
        options.check(method)?;
        let n = model.n();
        if x0.len() != n {
            return Err(SolverError::InvalidOption {
                what: "the start has not as many values as the model states",
            });
        }
        if matches!(method, Method::Radau | Method::FixedRadau) && model.stages().is_none() {
            return Err(SolverError::Unsupported { needs: "a model that solves three stages at once" });
        }
        if method == Method::Rosenbrock && model.linear().is_none() {
            return Err(SolverError::Unsupported {
                needs: "a model that solves linear systems with its Jacobian",
            });
        }
        if method.is_fixed_step() {
            model.persist(PERSISTENCE);
        }
        let engine = match method {
            Method::Auto => Engine::Auto(Box::new(auto::Auto::new(n))),
            Method::Bdf => Engine::Bdf(Box::new(bdf::Bdf::new(n))),
            Method::Radau => Engine::Radau(Box::new(radau::Radau::new(n, options.rtol))),
            Method::Esdirk3 => Engine::Esdirk(Box::new(esdirk::Esdirk::new(n, &tableaux::ESDIRK3))),
            Method::Esdirk4 => Engine::Esdirk(Box::new(esdirk::Esdirk::new(n, &tableaux::ESDIRK4))),
            Method::Rosenbrock => Engine::Rosenbrock(Box::new(rosenbrock::Rosenbrock::new(n))),
            Method::DormandPrince => {
                Engine::Explicit(Box::new(explicit::ExplicitRk::new(n, &tableaux::DORMAND_PRINCE)))
            }
            Method::Tsitouras => {
                Engine::Explicit(Box::new(explicit::ExplicitRk::new(n, &tableaux::TSITOURAS)))
            }
            Method::ExplicitEuler | Method::RungeKutta4 | Method::ImplicitEuler | Method::Trapezoidal => {
                let h = options.fixed_step.unwrap_or(f64::NAN);
                Engine::Fixed(Box::new(Fixed::new(n, h, fixed_simple::Simple::new(n, method))))
            }
            Method::FixedBdf => {
                let h = options.fixed_step.unwrap_or(f64::NAN);
                let formula = fixed_bdf::FixedBdf::new(n, options.max_order);
                Engine::FixedBdf(Box::new(Fixed::new(n, h, formula)))
            }
            Method::FixedRadau => {
                let h = options.fixed_step.unwrap_or(f64::NAN);
                Engine::FixedRadau(Box::new(Fixed::new(n, h, fixed_radau::FixedRadau::new(n))))
            }
        };
        let (rtol, atol) = match method {
            Method::Radau if options.rtol > 0.0 => {
                let rtol = radau::Radau::inner_tolerance(options.rtol);
                (rtol, options.atol * (rtol / options.rtol))
            }
            _ => (options.rtol, options.atol),
        };
        let nominal = (0..n).map(|i| model.nominal(i));
        let weights = match options.follow_sizes {
            true => Weights::following(rtol, atol, (0..n).map(|i| model.size(i))),
            false => Weights::new(rtol, atol, nominal),
        };
        let core = Core {
            options,
            weights,
            t: t0,
            t_old: t0,
            x: x0.to_vec(),
            dx: vec![0.0; n],
            steps: 0,
            rejected: 0,
            convergence_failures: 0,
            asked_from: f64::INFINITY,
        };
        Ok(Integrator { model, core, engine, ready: false, starts: 0 })
    }

    /// Takes one step that ends at `t_limit` or before it. Time only moves forward: the limit must lie ahead.
    pub fn step(&mut self, t_limit: f64) -> Result<StepReport, SolverError> {
        if !(t_limit > self.core.t) {
            return Err(SolverError::InvalidOption {
                what: "the limit of a step must lie ahead of the current time",
            });
        }
        if !self.ready {
            self.core.evaluate_start(&mut self.model)?;
            self.ready = true;
            self.starts += 1;
        }
        let (core, model) = (&mut self.core, &mut self.model);
        match &mut self.engine {
            Engine::Auto(e) => e.step(core, model, t_limit),
            Engine::Bdf(e) => e.step(core, model, t_limit),
            Engine::Radau(e) => e.step(core, model, t_limit),
            Engine::Esdirk(e) => e.step(core, model, t_limit),
            Engine::Rosenbrock(e) => e.step(core, model, t_limit),
            Engine::Explicit(e) => e.step(core, model, t_limit),
            Engine::Fixed(e) => e.step(core, model, t_limit),
            Engine::FixedBdf(e) => e.step(core, model, t_limit),
            Engine::FixedRadau(e) => e.step(core, model, t_limit),
        }
    }

    /// Steps until `t_end`.
    pub fn integrate_to(&mut self, t_end: f64) -> Result<(), SolverError> {
        while self.core.t < t_end {
            self.step(t_end)?;
        }
        Ok(())
    }

    /// The weights of errors.
    pub fn weights(&self) -> &Weights {
        &self.core.weights
    }

    /// The solution at a time inside the last step.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        let core = &self.core;
        if t == core.t || core.t == core.t_old {
            x.copy_from_slice(&core.x);
            return;
        }
        match &self.engine {
            Engine::Auto(e) => e.interpolate(core, t, x),
            Engine::Bdf(e) => e.interpolate(core, t, x),
            Engine::Radau(e) => e.interpolate(core, t, x),
            Engine::Esdirk(e) => e.interpolate(core, t, x),
            Engine::Rosenbrock(e) => e.interpolate(core, t, x),
            Engine::Explicit(e) => e.interpolate(core, t, x),
            Engine::Fixed(e) => e.interpolate(core, t, x),
            Engine::FixedBdf(e) => e.interpolate(core, t, x),
            Engine::FixedRadau(e) => e.interpolate(core, t, x),
        }
    }

    /// Is the solution inside steps other than what a step that ended there would give? Then a step that ends at an event is better
    /// than a value from inside a longer one. Most methods that choose their steps keep that difference small.
    pub fn is_rough_inside(&self) -> bool {
        match &self.engine {
            // Between its ends a cubic passes by what is stiff.
            Engine::Esdirk(_) => {
                let rate = self.model.rate_bound(self.core.weights.values());
                rate.is_none_or(|rate| rate * self.last_step() > NOT_STIFF)
            }
            Engine::Fixed(e) => e.is_rough_inside(),
            Engine::FixedBdf(e) => e.is_rough_inside(),
            Engine::FixedRadau(e) => e.is_rough_inside(),
            _ => false,
        }
    }

    /// Writes where the integration is, with all the method remembers; the model writes for itself.
    pub fn save(&self, writer: &mut Writer) {
        let Integrator { model: _, core, engine, ready, starts } = self;
        writer.put(core);
        writer.put(engine);
        writer.put(ready);
        writer.put(starts);
    }

    /// Takes the place of another integration of the same model with the same method.
    pub fn restore(&mut self, reader: &mut Reader) -> Result<(), Unfit> {
        let Integrator { model, core, engine, ready, starts } = self;
        let read: Core = reader.take()?;
        let n = model.n();
        reader.check(read.x.len() == n && read.dx.len() == n, "states")?;
        let method: Engine = reader.take()?;
        reader.check(std::mem::discriminant(&method) == std::mem::discriminant(engine), "methods")?;
        (*core, *engine) = (read, method);
        *ready = reader.take()?;
        *starts = reader.take()?;
        Ok(())
    }

    /// Begins anew at `(t, x)`, as after an event. The model forgets its Jacobian.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        let core = &mut self.core;
        core.t = t;
        core.t_old = t;
        core.x.copy_from_slice(x);
        self.ready = false;
        self.model.reset();
        match &mut self.engine {
            Engine::Auto(e) => e.restart(),
            Engine::Bdf(e) => e.restart(),
            Engine::Radau(e) => e.restart(),
            Engine::Esdirk(e) => e.restart(),
            Engine::Rosenbrock(e) => e.restart(),
            Engine::Explicit(e) => e.restart(),
            Engine::Fixed(e) => e.restart(),
            Engine::FixedBdf(e) => e.restart(),
            Engine::FixedRadau(e) => e.restart(),
        }
    }

    /// The next step, of about this length, is to be right far below the tolerance, as far as the method can: it begins anew then.
    pub fn start_exactly(&mut self, h: f64) {
        match &mut self.engine {
            Engine::Auto(e) => e.start_exactly(h),
            Engine::Bdf(e) => e.start_exactly(h),
            _ => {}
        }
    }

    /// Goes on from where the last step began, with steps of at most about `h` to start with.
    fn resume(&mut self, h: f64) {
        let again = match &mut self.engine {
            Engine::Auto(e) => e.resume(h),
            Engine::Bdf(e) => e.resume(h),
            Engine::Radau(e) => e.resume(h),
            Engine::Esdirk(e) => e.resume(h),
            Engine::Rosenbrock(e) => e.resume(h),
            Engine::Explicit(e) => e.resume(h),
            Engine::Fixed(_) | Engine::FixedBdf(_) | Engine::FixedRadau(_) => false,
        };
        if !again {
            let x = self.core.x.clone();
            self.restart(self.core.t, &x);
        }
    }

    /// The factor of `der(x)` in an implicit step of the method, as a part of the step; about so for those without one.
    fn implicit_part(&self) -> f64 {
        match &self.engine {
            Engine::Auto(e) => e.implicit_part(),
            Engine::Bdf(e) => e.implicit_part(),
            _ => 0.5,
        }
    }

    /// Is the method explicit at present? Then no state is stiff.
    pub fn is_explicit(&self) -> bool {
        match &self.engine {
            Engine::Auto(e) => e.is_explicit(),
            Engine::Explicit(_) => true,
            _ => false,
        }
    }

    /// Instants before the current one that the method remembers, the latest first; none where it remembers nothing.
    pub fn remembered(&self) -> Vec<f64> {
        match &self.engine {
            Engine::Auto(e) => e.remembered(&self.core),
            Engine::Bdf(e) => e.remembered(&self.core),
            _ => Vec::new(),
        }
    }

    /// Goes on at `t` with other states of the same solution, of which `x` are the values now and `past` those at the instants
    /// that are [remembered](Integrator::remembered). Without a past, methods that need one begin anew; the others
    /// keep their step size.
    pub fn change_states(&mut self, t: f64, x: &[f64], past: &[Vec<f64>]) {
        let known = match &self.engine {
            Engine::Auto(e) => e.goes_on(&self.core, past.len()),
            Engine::Bdf(e) => e.goes_on(&self.core, past.len()),
            Engine::Explicit(_) => true,
            _ => false,
        };
        if !known || t != self.core.t {
            self.restart(t, x);
            return;
        }
        let core = &mut self.core;
        core.t_old = t;
        core.x.copy_from_slice(x);
        self.ready = false;
        self.model.reset();
        match &mut self.engine {
            Engine::Auto(e) => e.change_states(x, past),
            Engine::Bdf(e) => e.change_states(x, past),
            _ => {}
        }
    }

    /// Changes the largest step size from here on.
    pub fn set_max_step(&mut self, h: f64) {
        if h > 0.0 {
            self.core.options.max_step = h;
        }
    }

    /// Inside steps the solution will be asked for from `t` on: methods whose solution is less exact between the ends of a
    /// step then take care of that too. At first it is asked for nowhere.
    pub fn set_asked_from(&mut self, t: f64) {
        self.core.asked_from = t;
    }

    /// Current time.
    pub fn t(&self) -> f64 {
        self.core.t
    }

    /// Beginning of the last step.
    pub fn t_old(&self) -> f64 {
        self.core.t_old
    }

    /// Current state.
    pub fn x(&self) -> &[f64] {
        &self.core.x
    }

    /// Derivative of the current state, as the last step left it.
    pub fn dx(&self) -> &[f64] {
        &self.core.dx
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The model, to change it between steps. [`restart`](Self::restart) afterwards if its equations have
    /// changed.
    pub fn model_mut(&mut self) -> &mut M {
        &mut self.model
    }

    /// What the integration has cost so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            steps: self.core.steps,
            rejected: self.core.rejected,
            convergence_failures: self.core.convergence_failures,
            starts: self.starts,
            switches: if let Engine::Auto(e) = &self.engine { e.switches } else { 0 },
            work: self.model.work(),
        }
    }
}
