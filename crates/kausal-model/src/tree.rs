//! The tree of components: instances, their nodes, and where an expression is evaluated.

use std::sync::Arc;

use kausal_symbolic::VarId;
use kausal_syntax::Symbol;
use kausal_syntax::ast::{Causality, FlowPrefix, Variability};

use crate::class::ComponentInfo;
use crate::ids::{InstId, KlassId};
use crate::library::FileId;

/// A component somewhere in the tree.
#[derive(Debug)]
pub struct Inst {
    /// The component it belongs to; of an element of an array, that of the array.
    pub parent: Option<InstId>,
    /// Its name.
    pub name: Symbol,
    /// Its class.
    pub klass: KlassId,
    /// How it is declared; nothing for the root and for packages.
    pub info: Option<Arc<ComponentInfo>>,
    /// Which element of an array of components.
    pub subs: Box<[u32]>,
    /// The most constant of its own and its owners'.
    pub variability: Variability,
    /// Its own or its owner's.
    pub causality: Causality,
    /// Its own or its owner's.
    pub flow: FlowPrefix,
    /// It or an owner is protected.
    pub protected: bool,
    /// Part of a package.
    pub is_static: bool,
    /// A component whose declared class could not be found, or the like.
    pub node: Node,
    /// Its components, by slot: the first and how many; they are numbered one behind the other.
    pub children: Option<(InstId, u32)>,
}

/// What an instance turned out to be.
#[derive(Clone, Debug)]
pub enum Node {
    /// Not looked at yet.
    Raw,
    /// Being looked at.
    Resolving,
    /// Its condition is false.
    Disabled,
    /// Something is wrong with it, and was reported.
    Failed,
    /// Scalars of a built-in type: the first variable, if any was made, and the dimensions.
    Leaf(Option<VarId>, Box<[usize]>),
    /// A component with components.
    Struct,
    /// An array of those.
    Array(Box<[usize]>, Arc<[InstId]>),
    /// An `outer` component: the `inner` one.
    Outer(InstId),
}

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The class whose names it uses.
    pub klass: KlassId,
    /// The instance of that class (or of one that extends it).
    pub inst: InstId,
    /// The file it is written in.
    pub file: FileId,
    /// Local names from here on in [`Flattener::locals`] are visible.
    pub locals: u32,
}
