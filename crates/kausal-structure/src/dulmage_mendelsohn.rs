//! Which part of a system has too many equations, which too few, and which is just right.
//!
//! The coarse decomposition of A. L. Dulmage and N. S. Mendelsohn (*Coverings of bipartite graphs*, Canad. J. Math. 10, 1958):
//! with a maximum matching, everything that alternating paths reach from the unmatched equations is overdetermined,
//! everything they reach from the unmatched variables is underdetermined, and the rest has a perfect matching of its own.
//! The three parts do not depend on which maximum matching is used.
//!
//! For a diagnosis each part is cut into its connected pieces, each of which is a problem of its own, and
//! [`minimal_singular_subset`] names the smallest set of equations around one equation too many.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::ids::{Eqn, IdVec, Var};
use crate::incidence::Incidence;
use crate::matching::Matching;
use crate::work::tick;

/// The part a node belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Determined {
    /// More equations than variables.
    Over,
    /// As many equations as variables, and they can be matched.
    Well,
    /// Fewer equations than variables.
    Under,
}

/// A set of equations and the variables that belong to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The equations, sorted.
    pub eqns: Vec<Eqn>,
    /// The variables, sorted.
    pub vars: Vec<Var>,
    /// The connected pieces of the part, ordered by their first equation (pieces of one variable only come last).
    pub pieces: Vec<Piece>,
}

/// A connected piece of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The equations, sorted.
    pub eqns: Vec<Eqn>,
    /// The variables, sorted.
    pub vars: Vec<Var>,
}

impl Piece {
    /// How many equations there are too many (positive) or too few (negative).
    pub fn surplus(&self) -> isize {
        self.eqns.len() as isize - self.vars.len() as isize
    }
}

/// The coarse decomposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DulmageMendelsohn {
    /// The overdetermined part.
    pub over: Part,
    /// The well-determined part.
    pub well: Part,
    /// The underdetermined part.
    pub under: Part,
    eqn_part: IdVec<Eqn, Determined>,
    var_part: IdVec<Var, Determined>,
}

impl DulmageMendelsohn {
    /// The part of an equation.
    pub fn eqn_part(&self, eqn: Eqn) -> Determined {
        self.eqn_part[eqn]
    }

    /// The part of a variable.
    pub fn var_part(&self, var: Var) -> Determined {
        self.var_part[var]
    }

    /// Whether every equation and variable is in the well-determined part.
    pub fn is_well_determined(&self) -> bool {
        self.over.eqns.is_empty()
            && self.over.vars.is_empty()
            && self.under.eqns.is_empty()
            && self.under.vars.is_empty()
    }
}

/// Decomposes a system. The matching must be maximum.
pub fn dulmage_mendelsohn(incidence: &Incidence, matching: &Matching) -> DulmageMendelsohn {
    let mut eqn_part = IdVec::filled(Determined::Well, incidence.eqn_count());
    let mut var_part = IdVec::filled(Determined::Well, incidence.var_count());

    let mut queue: VecDeque<Eqn> = matching.unmatched_eqns().collect();
    for eqn in &queue {
        eqn_part[*eqn] = Determined::Over;
    }
    while let Some(eqn) = queue.pop_front() {
        tick(1 + incidence.vars(eqn).len());
        for &var in incidence.vars(eqn) {
            var_part[var] = Determined::Over;
            if let Some(other) = matching.eqn_of(var).filter(|other| eqn_part[*other] != Determined::Over) {
                eqn_part[other] = Determined::Over;
                queue.push_back(other);
            }
        }
    }

    let mut queue: VecDeque<Var> = matching.unmatched_vars().collect();
    for var in &queue {
        var_part[*var] = Determined::Under;
    }
    while let Some(var) = queue.pop_front() {
        tick(1 + incidence.eqns(var).len());
        for &eqn in incidence.eqns(var) {
            eqn_part[eqn] = Determined::Under;
            if let Some(other) = matching.var_of(eqn).filter(|other| var_part[*other] != Determined::Under) {
                var_part[other] = Determined::Under;
                queue.push_back(other);
            }
        }
    }

    let part = |which: Determined| {
        let eqns: Vec<Eqn> = eqn_part.iter().filter(|(_, p)| **p == which).map(|(eqn, _)| eqn).collect();
        let vars: Vec<Var> = var_part.iter().filter(|(_, p)| **p == which).map(|(var, _)| var).collect();
        let pieces = connected_pieces(
            incidence,
            &eqns,
            &vars,
            |eqn| eqn_part[eqn] == which,
            |var| var_part[var] == which,
        );
        Part { eqns, vars, pieces }
    };
    let (over, well, under) = (part(Determined::Over), part(Determined::Well), part(Determined::Under));
    DulmageMendelsohn { over, well, under, eqn_part, var_part }
}

/// The connected pieces of the subgraph of these equations and variables; the predicates say what belongs to it.
pub(crate) fn connected_pieces(
    incidence: &Incidence,
    eqns: &[Eqn],
    vars: &[Var],
    has_eqn: impl Fn(Eqn) -> bool,
    has_var: impl Fn(Var) -> bool,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if eqns.is_empty() && vars.is_empty() {
        return pieces;
    }
    let mut eqn_seen = IdVec::filled(false, incidence.eqn_count());
    let mut var_seen = IdVec::filled(false, incidence.var_count());
    for &root in eqns {
        if eqn_seen[root] {
            continue;
        }
        eqn_seen[root] = true;
        let mut piece = Piece { eqns: vec![root], vars: Vec::new() };
        let mut head = 0;
        while let Some(&eqn) = piece.eqns.get(head) {
            head += 1;
            for &var in incidence.vars(eqn) {
                if !has_var(var) || var_seen[var] {
                    continue;
                }
                var_seen[var] = true;
                piece.vars.push(var);
                tick(incidence.eqns(var).len());
                for &other in incidence.eqns(var) {
                    if has_eqn(other) && !eqn_seen[other] {
                        eqn_seen[other] = true;
                        piece.eqns.push(other);
                    }
                }
            }
        }
        piece.eqns.sort_unstable();
        piece.vars.sort_unstable();
        pieces.push(piece);
    }
    pieces.extend(
        vars.iter().filter(|var| !var_seen[**var]).map(|&var| Piece { eqns: Vec::new(), vars: vec![var] }),
    );
    pieces
}

/// The equations around one unmatched equation that cannot all be fulfilled: they have one variable less than there
/// are equations, and leaving out any one of them leaves a set that can be matched. The matching must be maximum.
///
/// Returns the equation alone, with no variable, if it has none.
pub fn minimal_singular_subset(incidence: &Incidence, matching: &Matching, unmatched: Eqn) -> Piece {
    let mut piece = Piece { eqns: vec![unmatched], vars: Vec::new() };
    // Sets as large as the piece, not as the system: a large system may have many such pieces.
    let mut eqn_seen: FxHashSet<Eqn> = FxHashSet::from_iter([unmatched]);
    let mut var_seen: FxHashSet<Var> = FxHashSet::default();
    let mut head = 0;
    while let Some(&eqn) = piece.eqns.get(head) {
        head += 1;
        tick(1 + incidence.vars(eqn).len());
        for &var in incidence.vars(eqn) {
            if !var_seen.insert(var) {
                continue;
            }
            piece.vars.push(var);
            if let Some(other) = matching.eqn_of(var).filter(|other| eqn_seen.insert(*other)) {
                piece.eqns.push(other);
            }
        }
    }
    piece.eqns.sort_unstable();
    piece.vars.sort_unstable();
    piece
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::maximum_matching;

    #[test]
    fn each_part_and_its_pieces_are_named() {
        // e0, e1 share v0 (one too many); e2 = v1; e3 has v2 and v3 (one too few); v4 occurs nowhere.
        let g = Incidence::from_rows(5, &[vec![0], vec![0], vec![1, 0], vec![2, 3]]);
        let m = maximum_matching(&g);
        let dm = dulmage_mendelsohn(&g, &m);
        assert_eq!(
            (dm.over.eqns.as_slice(), dm.over.vars.as_slice()),
            (&[Eqn(0), Eqn(1)][..], &[Var(0)][..])
        );
        assert_eq!((dm.well.eqns.as_slice(), dm.well.vars.as_slice()), (&[Eqn(2)][..], &[Var(1)][..]));
        assert_eq!(dm.under.eqns, [Eqn(3)]);
        assert_eq!(dm.under.vars, [Var(2), Var(3), Var(4)]);
        assert_eq!(dm.under.pieces.iter().map(Piece::surplus).collect::<Vec<_>>(), [-1, -1]);
        assert_eq!(dm.over.pieces[0].surplus(), 1);
        assert_eq!(dm.eqn_part(Eqn(2)), Determined::Well);
        assert!(!dm.is_well_determined());
        let unmatched = m.unmatched_eqns().next().unwrap();
        assert_eq!(minimal_singular_subset(&g, &m, unmatched), dm.over.pieces[0]);
    }
}
