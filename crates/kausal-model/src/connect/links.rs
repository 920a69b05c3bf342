//! Connections as they are collected: ends, links, partitions and what streams and graphs need.

use kausal_syntax::ast::Break;
use kausal_syntax::{Location, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids;
use crate::ids::{InstId, KlassId};
use crate::library::FileId;

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
    pub undeclared: Vec<Undeclared>,
    /// What `Connections.*` said.
    pub graph: Graph,
    /// Connectors with stream variables that are connected to one another.
    pub streams: Streams,
    /// How often a connector is connected.
    pub cardinality: FxHashMap<InstId, u32>,
    /// Connected parameters must be equal.
    pub assertions: Vec<crate::flat::Action>,
    /// Elements of vectors of expandable connectors that nothing is connected to; those that are equal together.
    pub absent: Vec<Vec<kausal_symbolic::VarId>>,
    /// Connections that `extends` clauses leave out, by the class of the component.
    pub deselected: FxHashMap<ids::KlassId, std::sync::Arc<Deselected>>,
    /// Components whose equations depend on how they are connected (`cardinality`).
    pub dependent: FxHashSet<InstId>,
    /// Components with a state machine: outputs of its states may be connected (specification section 17.3.6).
    pub with_states: FxHashSet<InstId>,
    /// Connections are being collected.
    pub collecting: bool,
    /// All is known.
    pub complete: bool,
}

/// A partition of numbers into disjoint sets.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    pub(crate) parent: Vec<u32>,
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

/// Connectors with stream variables that are connected to one another: faces are (connector, seen from inside).
#[derive(Clone, Debug, Default)]
pub struct Streams {
    pub(crate) faces: Vec<(InstId, bool)>,
    pub(crate) index: FxHashMap<(InstId, bool), u32>,
    pub(crate) sets: Partition,
    pub(crate) members: FxHashMap<u32, Vec<u32>>,
}

impl Streams {
    pub(crate) fn face(&mut self, inst: InstId, outside: bool) -> u32 {
        if let Some(&i) = self.index.get(&(inst, outside)) {
            return i;
        }
        let i = self.faces.len() as u32;
        self.faces.push((inst, outside));
        self.index.insert((inst, outside), i);
        self.sets.grow(self.faces.len());
        i
    }

    /// All faces connected to one, itself included.
    pub(crate) fn set(&mut self, inst: InstId, outside: bool) -> Vec<(InstId, bool)> {
        let Some(&i) = self.index.get(&(inst, outside)) else { return vec![(inst, outside)] };
        let root = self.sets.find(i);
        self.members.get(&root).map_or_else(Vec::new, |m| m.iter().map(|&f| self.faces[f as usize]).collect())
    }
}

/// The virtual connection graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(crate) index: FxHashMap<InstId, u32>,
    pub(crate) nodes: Vec<InstId>,
    pub(crate) branches: Vec<(u32, u32)>,
    pub(crate) roots: Vec<u32>,
    pub(crate) potential: Vec<(u32, f64)>,
    /// Roots of the tree.
    pub(crate) chosen: FxHashSet<InstId>,
    /// Distance to the root.
    pub(crate) depth: Vec<u32>,
    /// Pairs that are not equated.
    pub broken: FxHashSet<(InstId, InstId)>,
    /// One node of each tree that has no root here and ends in a connector of the model itself: its root is outside.
    pub(crate) open: Vec<InstId>,
    pub(crate) overdetermined: FxHashMap<KlassId, bool>,
}

impl Graph {
    pub(crate) fn node(&mut self, id: InstId) -> u32 {
        if let Some(&n) = self.index.get(&id) {
            return n;
        }
        let n = self.nodes.len() as u32;
        self.nodes.push(id);
        self.index.insert(id, n);
        n
    }
}

/// A connection with a member of an expandable connector that nobody declared.
#[derive(Clone, Debug)]
pub struct Undeclared {
    pub(crate) sides: [Waiting; 2],
    pub(crate) location: Location,
    pub(crate) owner: InstId,
}

#[derive(Clone, Debug)]
pub(crate) enum Waiting {
    Known(Side),
    Missing(Missing),
}

#[derive(Clone, Debug)]
pub(crate) struct Missing {
    pub(crate) bus: InstId,
    pub(crate) name: Symbol,
    pub(crate) subscript: Option<usize>,
    pub(crate) outside: bool,
}

/// What is left out of the equations of the bases of a class.
pub type Deselected = FxHashMap<KlassId, Vec<(FileId, Break)>>;

/// The ends of one side of a `connect` equation.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// One per element.
    pub ends: Vec<End>,
}
