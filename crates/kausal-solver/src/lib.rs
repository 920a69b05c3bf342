//! Room.
pub mod classical;
pub mod error;
pub mod events;
pub mod homotopy;
pub mod integrator;
mod jacobian;
pub mod iterate;
pub mod linear;
pub mod model;
pub mod newton;
pub mod weights;
pub use classical::ClassicalStep;
pub use error::{Fatal, ModelError, Reason, Recoverable, SolverError, StepObstacle};
pub use integrator::{Integrator, Method, Options, Statistics, StepReport};
pub use model::{Ode, OdeModel, StepModel, StepRequest};
