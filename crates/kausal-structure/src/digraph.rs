//! Directed graphs and their strongly connected components.
//!
//! Tarjan's algorithm (*Depth-first search and linear graph algorithms*, SIAM J. Comput. 1, 1972) with an explicit stack:
//! linear in nodes and arcs, and a chain of a million nodes is as good as any other graph.

use crate::work::tick;

/// A directed graph with nodes `0..n`, stored by successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digraph {
    start: Vec<u32>,
    target: Vec<u32>,
}

impl Digraph {
    /// The graph with these arcs `(from, to)`; an arc given twice is kept once.
    ///
    /// # Panics
    /// When a node is not below `nodes`.
    pub fn from_arcs(nodes: usize, arcs: impl IntoIterator<Item = (u32, u32)>) -> Digraph {
        let mut arcs: Vec<(u32, u32)> = arcs.into_iter().collect();
        arcs.sort_unstable();
        arcs.dedup();
        let mut start = vec![0u32; nodes + 1];
        for &(from, to) in &arcs {
            assert!((to as usize) < nodes, "arc to node {to} of {nodes}");
            start[from as usize + 1] += 1;
        }
        for k in 0..nodes {
            start[k + 1] += start[k];
        }
        Digraph { start, target: arcs.into_iter().map(|arc| arc.1).collect() }
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.start.len() - 1
    }

    /// The number of arcs.
    pub fn arc_count(&self) -> usize {
        self.target.len()
    }

    /// The successors of a node, sorted.
    pub fn successors(&self, node: u32) -> &[u32] {
        &self.target[self.start[node as usize] as usize..self.start[node as usize + 1] as usize]
    }

    /// All arcs, sorted.
    pub fn arcs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.node_count() as u32).flat_map(|node| self.successors(node).iter().map(move |to| (node, *to)))
    }

    /// The strongly connected components.
    pub fn components(&self) -> Components {
        strongly_connected(self.node_count(), |node, k| match self.successors(node).get(k) {
            Some(to) => Next::Node(*to),
            None => Next::End,
        })
    }
}

/// Strongly connected components in an order in which every arc leads to the same or an *earlier* component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    start: Vec<u32>,
    nodes: Vec<u32>,
}

impl Components {
    /// The number of components.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there is no component, that is, no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes of a component, sorted.
    pub fn get(&self, component: usize) -> &[u32] {
        &self.nodes[self.start[component] as usize..self.start[component + 1] as usize]
    }

    /// All components in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        (0..self.len()).map(|component| self.get(component))
    }
}

/// What the `k`-th successor of a node is.
pub(crate) enum Next {
    Node(u32),
    Skip,
    End,
}

/// Tarjan's algorithm over a graph given by its successor function. Nodes are tried as roots in ascending order, so the
/// component order follows the node order as far as the arcs allow: a graph whose arcs all lead to smaller nodes keeps it.
pub(crate) fn strongly_connected(nodes: usize, successor: impl Fn(u32, usize) -> Next) -> Components {
    const UNSEEN: u32 = u32::MAX;
    let mut number = vec![UNSEEN; nodes];
    let mut low = vec![0u32; nodes];
    let mut on_stack = vec![false; nodes];
    let mut stack: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let mut counter = 0u32;
    let mut components = Components { start: vec![0], nodes: Vec::with_capacity(nodes) };

    for root in 0..nodes as u32 {
        if number[root as usize] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some(top) = calls.last_mut() {
            tick(1);
            let (node, k) = *top;
            let n = node as usize;
            if k == 0 {
                number[n] = counter;
                low[n] = counter;
                counter += 1;
                stack.push(node);
                on_stack[n] = true;
            }
            top.1 += 1;
            match successor(node, k as usize) {
                Next::Node(to) => {
                    let t = to as usize;
                    if number[t] == UNSEEN {
                        calls.push((to, 0));
                    } else if on_stack[t] {
                        low[n] = low[n].min(number[t]);
                    }
                }
                Next::Skip => {}
                Next::End => {
                    calls.pop();
                    if let Some(&(parent, _)) = calls.last() {
                        low[parent as usize] = low[parent as usize].min(low[n]);
                    }
                    if low[n] == number[n] {
                        let begin = components.nodes.len();
                        while let Some(member) = stack.pop() {
                            on_stack[member as usize] = false;
                            components.nodes.push(member);
                            if member == node {
                                break;
                            }
                        }
                        components.nodes[begin..].sort_unstable();
                        components.start.push(components.nodes.len() as u32);
                    }
                }
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_with_successors_first() {
        let g = Digraph::from_arcs(5, [(0, 1), (1, 2), (2, 0), (2, 3), (4, 0), (4, 0)]);
        assert_eq!(g.arc_count(), 5);
        let components = g.components();
        assert_eq!(components.iter().collect::<Vec<_>>(), [&[3][..], &[0, 1, 2], &[4]]);
    }

    #[test]
    fn a_graph_without_forward_arcs_keeps_its_order() {
        let g = Digraph::from_arcs(4, [(1, 0), (3, 1), (2, 0)]);
        assert_eq!(g.components().iter().flatten().copied().collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn the_empty_graph_has_no_component() {
        assert!(Digraph::from_arcs(0, []).components().is_empty());
    }
}
