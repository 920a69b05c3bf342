//! Which method, with which tolerances and limits, and what it has done so far.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::SolverError;
use crate::model::Work;

/// An integration method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Method {
    /// Starts explicit ([`Tsitouras`](Method::Tsitouras)) and changes to [`Bdf`](Method::Bdf) where the model
    /// turns out to be stiff, and back where it no longer is.
    #[default]
    Auto,
    /// Backward differentiation formulas of orders 1 to 5, variable step, fixed leading coefficient. For
    /// stiff models.
    Bdf,
    /// Radau IIA of order 5: three implicit stages, L-stable. For stiff and oscillating models and tight
    /// tolerances.
    Radau,
    /// Singly diagonally implicit Runge–Kutta of order 3 with explicit first stage, L-stable:
    /// ESDIRK3(2)5L\[2\]SA.
    Esdirk3,
    /// Singly diagonally implicit Runge–Kutta of order 4 with explicit first stage, L-stable:
    /// ESDIRK4(3)6L\[2\]SA₂.
    Esdirk4,
    /// Rosenbrock method of order 4, L-stable: RODASP. Linear systems only, no iteration.
    Rosenbrock,
    /// Explicit Runge–Kutta of order 5 by Dormand & Prince.
    DormandPrince,
    /// Explicit Runge–Kutta of order 5 by Tsitouras.
    Tsitouras,
    /// Explicit Euler with fixed step.
    ExplicitEuler,
    /// The classical Runge–Kutta method of order 4 with fixed step.
    RungeKutta4,
    /// Implicit Euler with fixed step.
    ImplicitEuler,
    /// The trapezoidal rule with fixed step.
    Trapezoidal,
    /// The backward differentiation formula of one order, [`Options::max_order`], with fixed step.
    FixedBdf,
    /// Radau IIA of order 5 with fixed step.
    FixedRadau,
}

impl Method {
    /// All methods and their names on a command line.
    pub const ALL: [(Method, &'static str); 14] = [
        (Method::Auto, "auto"),
        (Method::Bdf, "bdf"),
        (Method::Radau, "radau"),
        (Method::Esdirk3, "esdirk3"),
        (Method::Esdirk4, "esdirk4"),
        (Method::Rosenbrock, "rosenbrock"),
        (Method::DormandPrince, "dopri5"),
        (Method::Tsitouras, "tsit5"),
        (Method::ExplicitEuler, "euler"),
        (Method::RungeKutta4, "rk4"),
        (Method::ImplicitEuler, "implicit-euler"),
        (Method::Trapezoidal, "trapezoidal"),
        (Method::FixedBdf, "fixed-bdf"),
        (Method::FixedRadau, "fixed-radau"),
    ];

    /// Whether the step size is the user's, not the method's.
    pub fn is_fixed_step(self) -> bool {
        matches!(
            self,
            Method::ExplicitEuler
                | Method::RungeKutta4
                | Method::ImplicitEuler
                | Method::Trapezoidal
                | Method::FixedBdf
                | Method::FixedRadau
        )
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Method::ALL.iter().find(|(m, _)| m == self).map_or("?", |(_, name)| name);
        f.write_str(name)
    }
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Method::ALL.iter().find(|(_, n)| *n == name).map(|(m, _)| *m).ok_or(UnknownMethod)
    }
}

/// No method has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownMethod;

impl fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such method; there are")?;
        for (i, (_, name)) in Method::ALL.iter().enumerate() {
            write!(f, "{} {name}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownMethod {}

/// Tolerances and limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Relative tolerance of the local error.
    pub rtol: f64,
    /// Absolute tolerance of the local error, in units of the nominal value of each state.
    pub atol: f64,
    /// Absolute tolerances of states whose size is not said follow these states where they are smaller, see
    /// [`Weights`](crate::weights::Weights).
    pub follow_sizes: bool,
    /// First step size; `None` lets the method choose.
    pub initial_step: Option<f64>,
    /// Largest step size.
    pub max_step: f64,
    /// Smallest step size; below what rounding of time allows it has no effect.
    pub min_step: f64,
    /// Largest number of steps in all.
    pub max_steps: Option<u64>,
    /// Largest order of BDF, 1 to 5; with a fixed step the only one.
    pub max_order: usize,
    /// BDF starts with order one, as LSODAR and DASSL do, not with a step of a Runge–Kutta method.
    pub low_order_start: bool,
    /// Step size of the fixed-step methods.
    pub fixed_step: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            rtol: 1e-6,
            atol: 1e-6,
            follow_sizes: false,
            initial_step: None,
            max_step: f64::INFINITY,
            min_step: 0.0,
            max_steps: None,
            max_order: 5,
            low_order_start: false,
            fixed_step: None,
        }
    }
}

impl Options {
    /// Both tolerances, other options as by default.
    pub fn tolerance(rtol: f64, atol: f64) -> Self {
        Options { rtol, atol, ..Options::default() }
    }

    pub(crate) fn check(&self, method: Method) -> Result<(), SolverError> {
        let invalid = |what| Err(SolverError::InvalidOption { what });
        if !(self.rtol >= 0.0 && self.rtol < 1.0) {
            return invalid("the relative tolerance must be at least 0 and below 1");
        }
        if !(self.atol >= 0.0 && self.atol.is_finite()) || (self.rtol == 0.0 && self.atol == 0.0) {
            return invalid(
                "the absolute tolerance must be finite and not negative, and not zero with a zero relative one",
            );
        }
        if !(self.max_step > 0.0) || !(self.min_step >= 0.0) || self.min_step > self.max_step {
            return invalid("the largest step must be positive and not below the smallest");
        }
        if !(1..=5).contains(&self.max_order) {
            return invalid("the largest order must be 1 to 5");
        }
        if self.initial_step.is_some_and(|h| !(h > 0.0 && h.is_finite())) {
            return invalid("the initial step must be positive");
        }
        if method.is_fixed_step() && !self.fixed_step.is_some_and(|h| h > 0.0 && h.is_finite()) {
            return invalid("a fixed-step method needs a positive fixed step");
        }
        Ok(())
    }
}

/// One accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Time at the beginning.
    pub t_old: f64,
    /// Time at the end.
    pub t: f64,
    /// Order of the formula.
    pub order: usize,
    /// Whether the step ends exactly at the limit given.
    pub at_limit: bool,
}

/// What an integration has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Steps rejected by the error test.
    pub rejected: u64,
    /// Steps given up because the model did not converge.
    pub convergence_failures: u64,
    /// Restarts, the first start included.
    pub starts: u64,
    /// Changes between explicit and implicit by [`Method::Auto`].
    pub switches: u64,
    /// Work inside the model.
    pub work: Work,
}
