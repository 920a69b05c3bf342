//! Options of a translation: what the user may choose.

pub mod commands;

use serde::{Deserialize, Serialize};

use commands::Commands;

/// How systems of equations are torn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tearing {
    /// The tearing variables are found, unless what the model declares costs less.
    #[default]
    Auto,
    /// As the model declares with `residue`; found where it declares nothing.
    Declared,
    /// Not at all.
    Off,
}

/// Whether linear systems are eliminated in a static order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relaxing {
    /// The order is found, unless the one the model declares costs less; wherever that is the cheapest way.
    #[default]
    Auto,
    /// Where the model declares it with `relax`, in the order that follows from it.
    Declared,
    /// Not at all.
    Off,
}

/// Whether the formula of an integration method becomes part of the model, and which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inline {
    /// Not at all.
    #[default]
    Off,
    /// Where it pays: see [`Inline::Bdf`].
    Auto,
    /// Explicit Euler.
    Euler,
    /// Implicit Euler.
    ImplicitEuler,
    /// The trapezoidal rule.
    Trapezoidal,
    /// Backward differentiation formulas.
    Bdf,
    /// Radau IIA with three stages.
    Radau,
    /// A Rosenbrock method.
    Rosenbrock,
    /// Implicit for stiff states, explicit for the others.
    Mixed,
}

impl Inline {
    /// All choices and their names on a command line.
    pub const ALL: [(Inline, &'static str); 9] = [
        (Inline::Off, "off"),
        (Inline::Auto, "auto"),
        (Inline::Euler, "euler"),
        (Inline::ImplicitEuler, "implicit-euler"),
        (Inline::Trapezoidal, "trapezoidal"),
        (Inline::Bdf, "bdf"),
        (Inline::Radau, "radau"),
        (Inline::Rosenbrock, "rosenbrock"),
        (Inline::Mixed, "mixed"),
    ];

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        Inline::ALL.iter().find(|(i, _)| *i == self).map_or("off", |(_, name)| name)
    }
}

/// How loops are iterated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loops {
    /// Node tearing: Newton's method where formulas do not suffice.
    #[default]
    Newton,
    /// Branch tearing of the first kind: all values are those of the last sweep.
    Jacobi,
    /// Branch tearing of the second kind, or the order that `relax` gives: the newest values.
    GaussSeidel,
}

/// Options of the translation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Options {
    /// How systems of equations are torn.
    pub tearing: Tearing,
    /// Whether they are eliminated in a static order.
    pub relaxing: Relaxing,
    /// Which integration method becomes part of the model.
    pub inline: Inline,
    /// The stiff states, for [`Inline::Mixed`]: names, or patterns with `*` and `?`. With `None` all are.
    pub stiff: Option<Vec<String>>,
    /// How loops are iterated.
    pub loops: Loops,
    /// Translator commands, as the papers have them.
    pub commands: Commands,
    /// Nonlinear systems with one of these unknowns are not torn: their torn form is known to fail.
    pub untorn: Vec<String>,
    /// `smooth(0, e)`, and `semiLinear` with it, causes no events: what is continuous needs none, and where it rests on a relation
    /// that is zero they follow each other without end.
    pub continuous_silent: bool,
}
