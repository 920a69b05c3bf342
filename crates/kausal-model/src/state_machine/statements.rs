//! What equations say about state machines.

use kausal_symbolic::ExprId;
use kausal_syntax::Location;

use crate::ids::InstId;

/// `transition(from, to, condition, immediate, reset, synchronize, priority)`
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) from: InstId,
    pub(crate) to: InstId,
    pub(crate) condition: ExprId,
    pub(crate) immediate: bool,
    pub(crate) reset: bool,
    pub(crate) synchronize: bool,
    pub(crate) priority: u32,
    pub(crate) location: Location,
}

/// The statements of all state machines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statements {
    pub(crate) transitions: Vec<Transition>,
    pub(crate) initial: Vec<(InstId, Location)>,
    /// What `activeState` and the like ask about, and where.
    pub(crate) queries: Vec<(InstId, Location)>,
}
