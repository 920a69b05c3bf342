//! State machines as they are to be expanded.

use kausal_symbolic::VarId;
use kausal_syntax::Location;

use crate::ids::InstId;
use crate::state_machine::statements::Transition;

/// A state of a state machine.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) inst: InstId,
    pub(crate) path: String,
    pub(crate) location: Option<Location>,
    /// The innermost state around it.
    pub(crate) around: Option<usize>,
    pub(crate) machine: usize,
    /// Its number in the machine, from 1 on.
    pub(crate) number: u32,
    /// Variables of `inner` components that it declares as `outer output`: it may define them.
    pub(crate) outputs: Vec<VarId>,
}

/// A state machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The initial one first.
    pub(crate) states: Vec<usize>,
    /// The state it is in.
    pub(crate) around: Option<usize>,
    /// The name of its variables begins so.
    pub(crate) prefix: String,
    pub(crate) transitions: Vec<Edge>,
    pub(crate) location: Option<Location>,
}

/// A transition between states of a machine, by their numbers. Those of one state stand in the order of their priorities.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) transition: Transition,
}

/// All state machines of a model, with what is around what.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) states: Vec<State>,
    pub(crate) machines: Vec<Machine>,
    pub(crate) queries: Vec<(InstId, String, Location)>,
}

impl Plan {
    /// Are there none, and does nothing ask for one?
    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.queries.is_empty()
    }

    /// The innermost state that a component or variable with this path is in, or is.
    pub(crate) fn state_of(&self, path: &str) -> Option<usize> {
        let within = |state: &State| is_within(path, &state.path);
        (0..self.states.len()).filter(|&s| within(&self.states[s])).max_by_key(|&s| self.states[s].path.len())
    }

    /// The state, the one around it, and so on.
    pub(crate) fn chain(&self, state: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(state, |&s| self.states[s].around)
    }

    /// Can never both be active: they, or states around them, are different states of one machine.
    pub(crate) fn are_exclusive(&self, a: usize, b: usize) -> bool {
        self.chain(Some(a))
            .any(|x| self.chain(Some(b)).any(|y| x != y && self.states[x].machine == self.states[y].machine))
    }
}

/// Is a path that of the component, or of something in it?
pub(crate) fn is_within(path: &str, component: &str) -> bool {
    path.strip_prefix(component).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
