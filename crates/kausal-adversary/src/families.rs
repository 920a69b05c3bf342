//! The families of models. Each module makes Modelica text from choices, and says the same again for the reference.

use crate::case::Case;
use crate::choices::Choices;

pub mod automata;
pub mod circuit;
pub mod converters;
pub mod diodes;
pub mod kinetics;
pub mod periodic;
pub mod rectifiers;

/// A family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Half-wave and bridge.
    Rectifiers,
    /// Buck and boost.
    Converters,
    /// Networks of exponential diodes.
    Diodes,
    /// Conditions of time.
    Periodic,
    /// Modes, guards, resets.
    Automata,
    /// Badly scaled reactions.
    Kinetics,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 6] = [
        Family::Rectifiers,
        Family::Converters,
        Family::Diodes,
        Family::Periodic,
        Family::Automata,
        Family::Kinetics,
    ];

    /// Its name, as in `--family`.
    pub fn name(self) -> &'static str {
        match self {
            Family::Rectifiers => "rectifiers",
            Family::Converters => "converters",
            Family::Diodes => "diodes",
            Family::Periodic => "periodic",
            Family::Automata => "automata",
            Family::Kinetics => "kinetics",
        }
    }

    /// A model of the family.
    pub fn generate(self, choices: &mut Choices) -> Case {
        match self {
            Family::Rectifiers => rectifiers::generate(choices),
            Family::Converters => converters::generate(choices),
            Family::Diodes => diodes::generate(choices),
            Family::Periodic => periodic::generate(choices),
            Family::Automata => automata::generate(choices),
            Family::Kinetics => kinetics::generate(choices),
        }
    }
}
