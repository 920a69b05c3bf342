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
pub(crate) mod links;
pub mod overconstrained;
pub mod sets;
pub mod stream;

use crate::flattener::Flattener;

/// Works out everything about connections but their equations.
pub fn finish_connections(fl: &mut Flattener<'_>) {
    expandable::expand_connectors(fl);
    stream::count_links(fl);
    overconstrained::build_tree(fl);
    stream::build_streams(fl);
    fl.connections.complete = true;
}
