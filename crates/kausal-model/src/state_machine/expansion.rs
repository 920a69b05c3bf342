//! What is known while state machines are expanded.

use kausal_symbolic::VarId;
use kausal_syntax::Diagnostic;

use crate::state_machine::build::Builder;
use crate::state_machine::plan::Plan;

/// What the run knows of a state: two Boolean variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    pub active: VarId,
    pub reset: VarId,
}

/// Variables of a machine that its conditions may ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clockwork {
    /// How often, and how long, its state has been active, this tick counted.
    pub(crate) ticks: VarId,
    pub(crate) seconds: VarId,
    /// The same as far as it is known before a transition fires.
    pub(crate) ticks_before: VarId,
    pub(crate) seconds_before: VarId,
    pub(crate) next: VarId,
    pub(crate) selected: VarId,
    pub(crate) active_state: VarId,
}

pub(crate) struct Expansion<'a> {
    pub plan: &'a Plan,
    pub build: Builder<'a>,
    pub flags: Vec<Flags>,
    pub(crate) clockworks: Vec<Clockwork>,
    /// The innermost state that declares a variable.
    pub owners: Vec<Option<usize>>,
    pub diagnostics: Vec<Diagnostic>,
}
