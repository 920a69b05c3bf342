//! Tearing of directed graphs: a small set of nodes that meets every cycle (a feedback vertex set).
//!
//! When causality is given, a loop is torn by guessing nodes until no cycle is left (Elmqvist and Otter, section "Tearing in
//! directed graphs"). That is node tearing of a block in which each equation may be solved for its own variable only, so
//! [`tearing`](crate::tearing) does the work: its contraction is then the Levy–Low reduction (self-loop, no predecessor, no
//! successor, one predecessor, one successor), and small rests are solved exactly.

use crate::digraph::Digraph;
use crate::ids::{Eqn, IdVec, Var};
use crate::incidence::{Incidence, IncidenceBuilder};
use crate::solvability::{Solvability, SolvabilitySet};
use crate::tearing::{Effort, TearingProblem, tear};

/// Nodes that meet every cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackSet {
    /// The nodes, sorted.
    pub nodes: Vec<u32>,
    /// Whether no set weighs less, for certain.
    pub optimal: bool,
}

/// A feedback vertex set of small total weight; without weights, a small one.
///
/// # Panics
/// When there are weights, but not one for each node.
pub fn feedback_vertex_set(graph: &Digraph, weight: Option<&[u32]>, effort: Effort) -> FeedbackSet {
    let incidence = own_variable_only(graph);
    let mut problem = TearingProblem::new(&incidence, SolvabilitySet::SAFE);
    if let Some(weight) = weight {
        assert_eq!(weight.len(), graph.node_count(), "one weight for each node");
        problem.weight = IdVec::from_vec(weight.to_vec());
    }
    let torn = tear(&problem, effort);
    let nodes = torn.tearing.tearing_variables.iter().map(|var| var.0).collect();
    FeedbackSet { nodes, optimal: torn.optimal }
}

/// Equation `k` gives variable `k` and needs the variables of its successors.
fn own_variable_only(graph: &Digraph) -> Incidence {
    let nodes = graph.node_count();
    let mut builder = IncidenceBuilder::new(nodes, nodes);
    for node in 0..nodes as u32 {
        builder.add(Eqn(node), Var(node), Solvability::LinearConstant);
    }
    for (from, to) in graph.arcs() {
        // A self-loop makes the node's own occurrence unsolvable: duplicates keep the worse.
        builder.add(Eqn(from), Var(to), Solvability::Never);
    }
    builder.build()
}

/// Whether the graph has no cycle once these nodes are taken out.
pub fn is_acyclic_without(graph: &Digraph, removed: &[u32]) -> bool {
    let mut gone = vec![false; graph.node_count()];
    for node in removed {
        gone[*node as usize] = true;
    }
    let mut incoming = vec![0u32; graph.node_count()];
    for (from, to) in graph.arcs() {
        if !gone[from as usize] && !gone[to as usize] {
            incoming[to as usize] += 1;
        }
    }
    let mut open: Vec<u32> =
        (0..graph.node_count() as u32).filter(|n| !gone[*n as usize] && incoming[*n as usize] == 0).collect();
    let mut left = gone.iter().filter(|gone| !**gone).count();
    while let Some(node) = open.pop() {
        left -= 1;
        for &to in graph.successors(node).iter().filter(|to| !gone[**to as usize]) {
            incoming[to as usize] -= 1;
            if incoming[to as usize] == 0 {
                open.push(to);
            }
        }
    }
    left == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cycles_through_one_node_need_that_node() {
        let g = Digraph::from_arcs(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]);
        let set = feedback_vertex_set(&g, None, Effort::default());
        assert_eq!((set.nodes.as_slice(), set.optimal), (&[2][..], true));
        assert!(is_acyclic_without(&g, &set.nodes) && !is_acyclic_without(&g, &[1]));
    }

    #[test]
    fn self_loops_must_be_cut_and_weights_count() {
        let g = Digraph::from_arcs(3, [(0, 0), (1, 2), (2, 1)]);
        let set = feedback_vertex_set(&g, Some(&[5, 9, 1]), Effort::default());
        assert_eq!(set.nodes, [0, 2]);
    }
}
