//! Block lower triangular form: the order in which a system is solved, with its simultaneous blocks of minimal size.
//!
//! Given a matching, equation `e` needs the equations that determine its other variables; the strongly connected components
//! of that graph are the blocks. The blocks do not depend on which perfect matching is used (I. S. Duff, A. M. Erisman and J. K.
//! Reid, *Direct Methods for Sparse Matrices*, 1986).
//!
//! Before: any matching. Equations without a variable are left out, variables without an equation count as known.
//! After: each equation of a block contains, besides known variables, only variables of its own and of earlier blocks.
//! The blocks follow the given order of equations as far as dependencies allow: walking through the equations in their
//! order, each is preceded only by what it needs. A system that is in order already keeps its order.

use crate::digraph::{Next, strongly_connected};
use crate::ids::{Eqn, Id, IdVec, Var};
use crate::incidence::Incidence;
use crate::matching::Matching;

/// A block lower triangular form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blt {
    start: Vec<u32>,
    eqns: Vec<Eqn>,
    vars: Vec<Var>,
    block_of: IdVec<Eqn, Option<u32>>,
}

/// One diagonal block: `eqns[k]` is matched with `vars[k]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// The equations, in ascending order.
    pub eqns: &'a [Eqn],
    /// The variable matched with each of them.
    pub vars: &'a [Var],
}

impl Block<'_> {
    /// The number of equations to be solved together.
    pub fn size(&self) -> usize {
        self.eqns.len()
    }
}

impl Blt {
    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A block by its position.
    pub fn block(&self, index: usize) -> Block<'_> {
        let range = self.start[index] as usize..self.start[index + 1] as usize;
        Block { eqns: &self.eqns[range.clone()], vars: &self.vars[range] }
    }

    /// The blocks in the order in which they are solved.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block<'_>> + ExactSizeIterator {
        (0..self.len()).map(|index| self.block(index))
    }

    /// The position of the block an equation is in; `None` for an equation without a variable.
    pub fn block_of(&self, eqn: Eqn) -> Option<usize> {
        self.block_of[eqn].map(|block| block as usize)
    }

    /// All equations in the order of the blocks.
    pub fn eqns(&self) -> &[Eqn] {
        &self.eqns
    }

    /// The variable matched with each of [`eqns`](Self::eqns).
    pub fn vars(&self) -> &[Var] {
        &self.vars
    }
}

/// Sorts the matched equations into blocks.
pub fn blt(incidence: &Incidence, matching: &Matching) -> Blt {
    let components = strongly_connected(incidence.eqn_count(), |node, k| {
        let eqn = Eqn(node);
        if matching.var_of(eqn).is_none() {
            return Next::End;
        }
        match incidence.row_at(eqn, k) {
            None => Next::End,
            Some((var, _)) => match matching.eqn_of(var) {
                Some(needed) if needed != eqn => Next::Node(needed.0),
                _ => Next::Skip,
            },
        }
    });
    let mut blt = Blt {
        start: vec![0],
        eqns: Vec::with_capacity(matching.size()),
        vars: Vec::with_capacity(matching.size()),
        block_of: IdVec::filled(None, incidence.eqn_count()),
    };
    for component in components.iter() {
        let block = blt.len() as u32;
        for &node in component {
            let eqn = Eqn::from_index(node as usize);
            if let Some(var) = matching.var_of(eqn) {
                blt.eqns.push(eqn);
                blt.vars.push(var);
                blt.block_of[eqn] = Some(block);
            }
        }
        if blt.eqns.len() as u32 > blt.start[blt.len()] {
            blt.start.push(blt.eqns.len() as u32);
        }
    }
    blt
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::maximum_matching;

    #[test]
    fn the_example_of_the_relaxing_paper() {
        // Otter, Elmqvist and Cellier, section 2: h1(z1, z3), h2(z2), h3(z1, z2) is solved as h2, h3, h1.
        let g = Incidence::from_rows(3, &[vec![0, 2], vec![1], vec![0, 1]]);
        let form = blt(&g, &maximum_matching(&g));
        assert_eq!(form.eqns(), [Eqn(1), Eqn(2), Eqn(0)]);
        assert_eq!(form.vars(), [Var(1), Var(0), Var(2)]);
        assert!(form.blocks().all(|block| block.size() == 1));
        assert_eq!(form.block_of(Eqn(0)), Some(2));
    }

    #[test]
    fn a_loop_is_one_block_and_unmatched_equations_are_left_out() {
        let g = Incidence::from_rows(3, &[vec![0, 1], vec![0, 1], vec![2, 0], vec![]]);
        let form = blt(&g, &maximum_matching(&g));
        assert_eq!(form.len(), 2);
        assert_eq!(form.block(0).eqns, [Eqn(0), Eqn(1)]);
        assert_eq!(form.blocks().map(|b| b.size()).sum::<usize>(), 3);
    }
}
