//! The families of models. Each module makes Modelica text from choices, and says the same again for the reference.

use crate::case::Case;
use crate::choices::Choices;

pub mod automata;
pub mod circuit;
pub mod converters;
pub mod delays;
pub mod diodes;
pub mod enzymes;
pub mod impacts;
pub mod kinetics;
pub mod mechanisms;
pub mod periodic;
pub mod polyphase;
pub mod pulses;
pub mod rectifiers;
pub mod roots;
pub mod springs;
pub mod streams;
pub mod thyristors;

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
    /// Bouncing, dry friction, stiff contact.
    Impacts,
    /// Closed mechanical loops.
    Loops,
    /// Chains of pendulums.
    Chains,
    /// Chains of springs.
    Springs,
    /// Constant and variable delays.
    Delays,
    /// Equations with several roots.
    Roots,
    /// Streams with reversing flow.
    Streams,
    /// Narrow pulses without events.
    Pulses,
    /// Bridges of diodes without resistance.
    Polyphase,
    /// Currents that are set to zero.
    Thyristors,
    /// Slow manifolds that end.
    Enzymes,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 17] = [
        Family::Rectifiers,
        Family::Converters,
        Family::Diodes,
        Family::Periodic,
        Family::Automata,
        Family::Kinetics,
        Family::Impacts,
        Family::Loops,
        Family::Chains,
        Family::Springs,
        Family::Delays,
        Family::Roots,
        Family::Streams,
        Family::Pulses,
        Family::Polyphase,
        Family::Thyristors,
        Family::Enzymes,
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
            Family::Impacts => "impacts",
            Family::Loops => "loops",
            Family::Chains => "chains",
            Family::Springs => "springs",
            Family::Delays => "delays",
            Family::Roots => "roots",
            Family::Streams => "streams",
            Family::Pulses => "pulses",
            Family::Polyphase => "polyphase",
            Family::Thyristors => "thyristors",
            Family::Enzymes => "enzymes",
        }
    }

    /// Whether its models may decay faster than anything happens in them: explicit methods need ever so many steps there.
    pub fn is_stiff(self) -> bool {
        use Family::{Automata, Chains, Delays, Loops, Periodic, Springs, Thyristors};
        !matches!(self, Automata | Chains | Delays | Loops | Periodic | Springs | Thyristors)
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
            Family::Impacts => impacts::generate(choices),
            Family::Loops => mechanisms::four_bar(choices),
            Family::Chains => mechanisms::chain(choices),
            Family::Springs => springs::generate(choices),
            Family::Delays => delays::generate(choices),
            Family::Roots => roots::generate(choices),
            Family::Streams => streams::generate(choices),
            Family::Pulses => pulses::generate(choices),
            Family::Polyphase => polyphase::generate(choices),
            Family::Thyristors => thyristors::generate(choices),
            Family::Enzymes => enzymes::generate(choices),
        }
    }
}
