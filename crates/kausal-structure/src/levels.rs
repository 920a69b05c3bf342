//! Distances from one end of a graph: the shape that elimination orders for chains and trees need.
//!
//! Greedy elimination looks at single pivots and does not see that a graph is long and thin. Eliminating it from one end to
//! the other keeps what is carried along as narrow as the graph itself, so that operations grow linearly with its length. The ends
//! are found as A. George and J. W. H. Liu do (*Computer Solution of Large Sparse Positive Definite Systems*, 1981): walk breadth first to the
//! farthest node, and from there again.

use crate::work::tick;

/// Which of the two ends distances are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Near,
    Far,
}

/// The distance of each node from one end of its connected component.
pub(crate) fn levels(nodes: usize, end: End, neighbours: impl Fn(u32, &mut Vec<u32>)) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut level = vec![UNSEEN; nodes];
    let mut list = Vec::new();
    let mut walk = |root: u32, level: &mut [u32]| -> Vec<u32> {
        let mut reached = vec![root];
        level[root as usize] = 0;
        let mut head = 0;
        while let Some(&node) = reached.get(head) {
            head += 1;
            list.clear();
            neighbours(node, &mut list);
            tick(list.len());
            for &next in &list {
                if level[next as usize] == UNSEEN {
                    level[next as usize] = level[node as usize] + 1;
                    reached.push(next);
                }
            }
        }
        reached
    };
    for start in 0..nodes as u32 {
        if level[start as usize] != UNSEEN {
            continue;
        }
        let walks = if end == End::Near { 2 } else { 3 };
        let mut root = start;
        for round in 0..walks {
            let reached = walk(root, &mut level);
            root = reached.last().copied().unwrap_or(start);
            if round + 1 < walks {
                reached.iter().for_each(|node| level[*node as usize] = UNSEEN);
            }
        }
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_counted_from_either_end() {
        // 2 - 0 - 1 - 3, and 4 alone.
        let edges = [vec![1, 2], vec![0, 3], vec![0], vec![1], vec![]];
        let of = |end| levels(5, end, |node, list| list.extend(&edges[node as usize]));
        assert_eq!(of(End::Near), [2, 1, 3, 0, 0]);
        assert_eq!(of(End::Far), [1, 2, 0, 3, 0]);
    }
}
