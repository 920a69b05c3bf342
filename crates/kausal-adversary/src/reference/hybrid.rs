//! What a family says about a model for the reference: ordinary differential equations, algebraic rows, guards, instants.

/// Continuous and discrete state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Continuous.
    pub x: Vec<f64>,
    /// Discrete.
    pub d: Vec<i64>,
}

/// Why a switch happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// The guard with this index has become positive.
    Guard(usize),
    /// An instant that was known in advance.
    Instant,
}

/// `x' = A x + b`, by rows.
#[derive(Clone, Debug)]
pub struct Affine {
    /// The matrix.
    pub a: Vec<Vec<f64>>,
    /// The constant part.
    pub b: Vec<f64>,
}

/// How the reference goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Exactly, with matrix exponentials: all modes are affine.
    Exponential,
    /// Extrapolated midpoint rule (Gragg, Bulirsch, Stoer): not stiff.
    Extrapolation,
    /// Radau IIA of order 5 with step doubling: stiff or with algebraic rows.
    Radau,
}

/// A hybrid system: flows with guards, instants and switches. A guard is taken as soon as it is positive; after a switch
/// the guards of the new discrete state are looked at again.
pub trait Hybrid: Send + Sync {
    /// The initial state.
    fn start(&self) -> State;
    /// How it is integrated.
    fn method(&self) -> Method;
    /// A step that no guard can hide in, and at which an integrator of moderate accuracy would make about one step.
    fn pace(&self) -> f64;
    /// Typical sizes of the continuous states. Zero: part of the description (a source), never disturbed.
    fn sizes(&self) -> Vec<f64>;
    /// Derivatives; in algebraic rows the residual.
    fn rate(&self, t: f64, d: &[i64], x: &[f64], dx: &mut [f64]);
    /// Rows that are algebraic.
    fn algebraic(&self) -> Vec<bool> {
        vec![false; self.sizes().len()]
    }
    /// The affine flow of a discrete state, for [`Method::Exponential`].
    fn affine(&self, _d: &[i64]) -> Option<Affine> {
        None
    }
    /// Guards, positive where they are taken.
    fn guards(&self, _t: f64, _d: &[i64], _x: &[f64], _out: &mut Vec<f64>) {}
    /// The next instant after `t`.
    fn next_instant(&self, _t: f64, _state: &State) -> f64 {
        f64::INFINITY
    }
    /// A switch.
    fn switch(&self, _t: f64, _state: &mut State, _cause: Cause) {}
    /// Usual sizes of the quantities that the signals are, 0 where a signal can only be compared with itself.
    fn signal_sizes(&self) -> Vec<f64>;
    /// The signals that are compared.
    fn outputs(&self, t: f64, state: &State) -> Vec<f64>;
}
