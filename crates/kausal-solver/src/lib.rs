//! Numerics for simulation: linear and nonlinear equations, integration, events.
//!
//! This crate knows no models and no modelling language. It sees small traits and plain slices of numbers,
//! and depends on nothing but the standard library.
//!
//! ```text
//!     OdeModel  ── ClassicalStep ──┐                           dx = f(t, x), iterated on all of x
//!                                  ├── StepModel ── Integrator      x = h der(x) + old(x)
//!     inlined model ───────────────┘                    │
//!                                                   EventFinder     the first change of sides in a step
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | [`model`] | the stepping interface: what a model answers, what it is asked |
//! | [`integrator`] | BDF, Radau IIA, ESDIRK, Rosenbrock, Dormand–Prince, Tsitouras, fixed steps, and an automatic choice |
//! | [`classical`] | the adapter for models that only evaluate a derivative: chord Newton, Jacobians, differences in groups |
//! | [`events`] | where functions cross zero on the dense output, which, and in which direction; chattering |
//! | [`newton`], [`homotopy`] | nonlinear equations: damped Newton within bounds, continuation for bad starts |
//! | [`acceleration`] | successive substitution, accelerated by the secants of its sweeps |
//! | [`linear`] | closed forms, dense, symmetric and sparse factorisations |
//! | [`stiff`] | which states are stiff |
//! | [`error`] | failures: recoverable and fatal are different types |
//!
//! What holds everywhere: matrices are column-major; nothing is allocated in a loop after its first pass;
//! results do not depend on anything but the arguments; a recoverable failure of the model means a smaller
//! step, a fatal one ends the run with the model's own error.
//!
//! # Example
//!
//! A ball falls through air and hits the ground. The integrator takes steps of its own choice; after each one
//! the events in it are looked for.
//!
//! ```
//! use kausal_solver::events::EventFinder;
//! use kausal_solver::{ClassicalStep, Integrator, Method, Ode, Options};
//!
//! let ball = Ode::new(2, |_t, x: &[f64], dx: &mut [f64]| {
//!     dx[0] = x[1];
//!     dx[1] = -9.81 - 0.1 * x[1] * x[1].abs();
//! });
//! let options = Options::tolerance(1e-8, 1e-8);
//! let mut integrator = Integrator::new(Method::Auto, options, ClassicalStep::new(ball), 0.0, &[10.0, 0.0])?;
//!
//! let mut ground = EventFinder::new(1);
//! ground.start(&[10.0]);
//! let mut x = [0.0; 2];
//! let impact = loop {
//!     let step = integrator.step(5.0)?;
//!     let found = ground.search(step.t_old, step.t, |t, height| {
//!         integrator.interpolate(t, &mut x);
//!         height[0] = x[0];
//!         Ok(())
//!     })?;
//!     if let Some(t) = found {
//!         break t;
//!     }
//! };
//! // With v² = (g/c)(1 - e^(-2 c s)): the closed form of the fall with quadratic drag.
//! let (g, c, s): (f64, f64, f64) = (9.81, 0.1, 10.0);
//! assert!((impact - (c * s).exp().acosh() / (g * c).sqrt()).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Formulas index several vectors at once, and `!(a <= b)` is how a test fails for not-a-number too.
#![allow(clippy::needless_range_loop, clippy::neg_cmp_op_on_partial_ord)]

pub mod acceleration;
pub mod bracket;
pub mod chord;
pub mod classical;
pub mod error;
pub mod events;
pub mod homotopy;
pub mod integrator;
mod jacobian;
pub mod linear;
pub mod model;
pub mod newton;
pub mod persist;
pub mod stiff;
mod vector;
pub mod weights;

pub use classical::ClassicalStep;
pub use error::{Fatal, ModelError, Reason, Recoverable, SolverError, StepObstacle};
pub use integrator::{Inside, Integrator, Method, Options, Statistics, StepReport};
pub use model::{LinearModel, Ode, OdeModel, StageModel, StageRequest, StepModel, StepRequest, Work};
