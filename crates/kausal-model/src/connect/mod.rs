//! Connections (specification chapters 9 and 15).
//!
//! 1. [`collect`]: all `connect` equations and `Connections.*` calls are found before anything else is flattened.
//! 2. [`expandable`]: connectors that grow get their members.
//! 3. [`overconstrained`]: redundant connections are broken along a spanning tree.
//! 4. [`sets`]: connected variables are equal, flow variables sum to zero.
//! 5. [`stream`]: what flows with them.

pub mod collect;
pub mod deselect;
pub mod expandable;
pub mod overconstrained;
pub mod sets;
pub mod stream;

use kausal_syntax::Location;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flattener::Flattener;
use crate::instance::InstId;

/// One end of a connection: a connector, or one element of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct End {
    /// The connector.
    pub inst: InstId,
    /// Which element of it, if it is an array of scalars and only one is connected.
    pub element: Option<u32>,
    /// Seen from inside the component it belongs to.
    pub outside: bool,
}

/// Two connected connectors.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// One.
    pub a: End,
    /// The other.
    pub b: End,
    /// The `connect` equation.
    pub location: Location,
    /// The component it is written in.
    pub owner: InstId,
    /// The overdetermined parts are not equated: that would close a loop.
    pub broken: bool,
}

/// All connections of a model.
#[derive(Debug, Default)]
pub struct Connections {
    /// In the order of the text.
    pub links: Vec<Link>,
    /// Members of expandable connectors that nobody declared, still to be made.
    pub undeclared: Vec<expandable::Undeclared>,
    /// What `Connections.*` said.
    pub graph: overconstrained::Graph,
    /// Connectors with stream variables that are connected to one another.
    pub streams: stream::Streams,
    /// How often a connector is connected.
    pub cardinality: FxHashMap<InstId, u32>,
    /// Connected parameters must be equal.
    pub assertions: Vec<crate::flat::Action>,
    /// Elements of vectors of expandable connectors that nothing is connected to; those that are equal together.
    pub absent: Vec<Vec<kausal_symbolic::VarId>>,
    /// Connections that `extends` clauses leave out, by the class of the component.
    pub deselected: FxHashMap<crate::class::KlassId, std::sync::Arc<deselect::Deselected>>,
    /// Components whose equations depend on how they are connected (`cardinality`).
    pub dependent: FxHashSet<InstId>,
    /// Connections are being collected.
    pub collecting: bool,
    /// All is known.
    pub complete: bool,
}

impl Flattener<'_> {
    /// Works out everything about connections but their equations.
    pub fn finish_connections(&mut self) {
        self.expand_connectors();
        self.count_links();
        self.build_tree();
        self.build_streams();
        self.connections.complete = true;
    }
}

/// A partition of numbers into disjoint sets.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    parent: Vec<u32>,
}

impl Partition {
    /// Sets of one for all numbers below `count`.
    pub fn grow(&mut self, count: usize) {
        let from = self.parent.len() as u32;
        self.parent.extend(from..(count as u32).max(from));
    }

    /// The representative of a set.
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    /// The representative of a set, without shortening the way there.
    pub fn root(&self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            i = self.parent[i as usize];
        }
        i
    }

    /// Unites two sets; false if they were one already. The smaller number represents the set.
    pub fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        self.parent[a.max(b) as usize] = a.min(b);
        true
    }
}
