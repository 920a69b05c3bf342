//! Maximum matching of equations and variables: which equation determines which variable.
//!
//! A start matching by the Karp–Sipser rule (a node with one neighbour left takes it; R. M. Karp and M. Sipser, *Maximum
//! matching in sparse random graphs*, FOCS 1981) is completed by the phases of Hopcroft and Karp (*An n^5/2 algorithm for
//! maximum matchings in bipartite graphs*, SIAM J. Comput. 2, 1973). Both are iterative. A phase costs time linear in the
//! part of the graph that the still unmatched equations reach, so augmenting an almost complete matching is cheap.
//!
//! After augmentation a matched node stays matched; its partner may change. Hence preferences are passes: first a maximum
//! matching over the best edges, then augmented with the next class of edges, and so on. A pass may trade a preferred
//! edge away to reach a larger matching; the result is always of maximum size.

use crate::ids::{Edge, Eqn, IdVec, Var};
use crate::incidence::{Incidence, Occurrence};
use crate::solvability::SolvabilitySet;
use crate::work::tick;

/// A set of edges of which no two share an equation or a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    var_of: IdVec<Eqn, Option<Var>>,
    eqn_of: IdVec<Var, Option<Eqn>>,
    size: usize,
}

impl Matching {
    /// No edge yet.
    pub fn empty(incidence: &Incidence) -> Matching {
        Matching {
            var_of: IdVec::filled(None, incidence.eqn_count()),
            eqn_of: IdVec::filled(None, incidence.var_count()),
            size: 0,
        }
    }

    /// The variable the equation is matched with.
    pub fn var_of(&self, eqn: Eqn) -> Option<Var> {
        self.var_of[eqn]
    }

    /// The equation the variable is matched with.
    pub fn eqn_of(&self, var: Var) -> Option<Eqn> {
        self.eqn_of[var]
    }

    /// The number of matched pairs.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether every equation and every variable is matched.
    pub fn is_perfect(&self) -> bool {
        self.size == self.var_of.len() && self.size == self.eqn_of.len()
    }

    /// Matches the pair and lets go of whatever the two were matched with.
    pub fn assign(&mut self, eqn: Eqn, var: Var) {
        if let Some(old) = self.var_of[eqn].take() {
            self.eqn_of[old] = None;
            self.size -= 1;
        }
        if let Some(old) = self.eqn_of[var].take() {
            self.var_of[old] = None;
            self.size -= 1;
        }
        self.var_of[eqn] = Some(var);
        self.eqn_of[var] = Some(eqn);
        self.size += 1;
    }

    /// Matched pairs in equation order.
    pub fn pairs(&self) -> impl Iterator<Item = (Eqn, Var)> + '_ {
        self.var_of.iter().filter_map(|(eqn, var)| var.map(|var| (eqn, var)))
    }

    /// Equations without a variable, in order.
    pub fn unmatched_eqns(&self) -> impl Iterator<Item = Eqn> + '_ {
        self.var_of.iter().filter(|(_, var)| var.is_none()).map(|(eqn, _)| eqn)
    }

    /// Variables without an equation, in order.
    pub fn unmatched_vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.eqn_of.iter().filter(|(_, eqn)| eqn.is_none()).map(|(var, _)| var)
    }
}

/// A maximum matching over all edges.
pub fn maximum_matching(incidence: &Incidence) -> Matching {
    let mut matching = Matching::empty(incidence);
    extend(incidence, &mut matching, |_, _, _| true);
    matching
}

/// A maximum matching over the edges of the given solvabilities.
pub fn maximum_matching_in(incidence: &Incidence, allowed: SolvabilitySet) -> Matching {
    let mut matching = Matching::empty(incidence);
    extend(incidence, &mut matching, |_, _, edge| allowed.contains(incidence.solvability(edge)));
    matching
}

/// A maximum matching over all edges that prefers edges of a low class: edges of class 0 are used first, those of
/// higher classes only to make the matching larger. Each class that occurs costs one pass over the graph.
pub fn maximum_matching_preferring(
    incidence: &Incidence,
    mut class: impl FnMut(Occurrence) -> u8,
) -> Matching {
    let classes: IdVec<Edge, u8> = incidence.occurrences().map(&mut class).collect();
    let mut occurring = [false; 256];
    for &class in classes.as_slice() {
        occurring[usize::from(class)] = true;
    }
    let mut matching = Matching::empty(incidence);
    for pass in (0u8..=255).filter(|pass| occurring[usize::from(*pass)]) {
        extend(incidence, &mut matching, |_, _, edge| classes[edge] <= pass);
        if matching.size == incidence.eqn_count().min(incidence.var_count()) {
            break;
        }
    }
    matching
}

/// Makes a matching maximum; what is matched stays matched, perhaps with another partner.
pub fn augment(incidence: &Incidence, matching: &mut Matching) {
    extend(incidence, matching, |_, _, _| true);
}

fn extend(incidence: &Incidence, matching: &mut Matching, admit: impl Fn(Eqn, Var, Edge) -> bool) {
    karp_sipser(incidence, matching, &admit);
    let mut free: Vec<Eqn> = matching.unmatched_eqns().collect();
    Augmenter::new(incidence).augment(incidence, matching, &mut free, admit);
}

/// Adds edges between free nodes: while some node has a single free neighbour it takes it, otherwise the next equation
/// takes the free variable with the fewest other takers.
fn karp_sipser(incidence: &Incidence, matching: &mut Matching, admit: &impl Fn(Eqn, Var, Edge) -> bool) {
    #[derive(Clone, Copy)]
    enum Node {
        Eqn(Eqn),
        Var(Var),
    }
    let mut eqn_degree: IdVec<Eqn, u32> = IdVec::filled(0, incidence.eqn_count());
    let mut var_degree: IdVec<Var, u32> = IdVec::filled(0, incidence.var_count());
    tick(incidence.edge_count());
    for o in incidence.occurrences() {
        if matching.var_of[o.eqn].is_none() && matching.eqn_of[o.var].is_none() && admit(o.eqn, o.var, o.edge)
        {
            eqn_degree[o.eqn] += 1;
            var_degree[o.var] += 1;
        }
    }
    let mut single: Vec<Node> = Vec::new();
    single.extend(eqn_degree.iter().rev().filter(|(_, d)| **d == 1).map(|(eqn, _)| Node::Eqn(eqn)));
    single.extend(var_degree.iter().rev().filter(|(_, d)| **d == 1).map(|(var, _)| Node::Var(var)));
    for start in incidence.eqn_ids() {
        let mut forced = single.pop();
        let mut chosen = (matching.var_of[start].is_none() && eqn_degree[start] > 0).then_some(start);
        loop {
            let node = match (forced, chosen) {
                (Some(node), _) => node,
                (None, Some(eqn)) => {
                    chosen = None;
                    Node::Eqn(eqn)
                }
                (None, None) => break,
            };
            let pair = match node {
                Node::Eqn(eqn) if matching.var_of[eqn].is_none() => incidence
                    .row(eqn)
                    .filter(|o| matching.eqn_of[o.var].is_none() && admit(eqn, o.var, o.edge))
                    .min_by_key(|o| (var_degree[o.var], o.var))
                    .map(|o| (eqn, o.var)),
                Node::Var(var) if matching.eqn_of[var].is_none() => incidence
                    .column(var)
                    .find(|o| matching.var_of[o.eqn].is_none() && admit(o.eqn, var, o.edge))
                    .map(|o| (o.eqn, var)),
                _ => None,
            };
            if let Some((eqn, var)) = pair {
                matching.assign(eqn, var);
                tick(incidence.vars(eqn).len() + incidence.eqns(var).len());
                for o in incidence.row(eqn) {
                    if matching.eqn_of[o.var].is_none() && admit(eqn, o.var, o.edge) {
                        var_degree[o.var] -= 1;
                        if var_degree[o.var] == 1 {
                            single.push(Node::Var(o.var));
                        }
                    }
                }
                for o in incidence.column(var) {
                    if matching.var_of[o.eqn].is_none() && admit(o.eqn, var, o.edge) {
                        eqn_degree[o.eqn] -= 1;
                        if eqn_degree[o.eqn] == 1 {
                            single.push(Node::Eqn(o.eqn));
                        }
                    }
                }
            }
            forced = single.pop();
        }
    }
}

const UNSEEN: u32 = u32::MAX;

/// Augments matchings by the phases of Hopcroft and Karp; keeps its scratch space between calls.
#[derive(Clone, Debug)]
pub struct Augmenter {
    level: IdVec<Eqn, u32>,
    next: IdVec<Eqn, u32>,
    reached: Vec<Eqn>,
}

impl Augmenter {
    /// Scratch space for graphs with the equations of `incidence`.
    pub fn new(incidence: &Incidence) -> Augmenter {
        Augmenter {
            level: IdVec::filled(UNSEEN, incidence.eqn_count()),
            next: IdVec::filled(0, incidence.eqn_count()),
            reached: Vec::new(),
        }
    }

    /// The equations that the unmatched equations of the last call reach along alternating paths, the unmatched ones
    /// first. Together they have fewer admitted variables than equations; empty if everything could be matched.
    pub fn reached(&self) -> &[Eqn] {
        &self.reached
    }

    /// Matches as many of the equations in `free` as possible along admitted edges. Those that stay unmatched are
    /// left in `free`.
    pub fn augment(
        &mut self,
        incidence: &Incidence,
        matching: &mut Matching,
        free: &mut Vec<Eqn>,
        admit: impl Fn(Eqn, Var, Edge) -> bool,
    ) {
        self.reached.clear();
        free.retain(|eqn| matching.var_of[*eqn].is_none());
        while !free.is_empty() {
            let found = self.layers(incidence, matching, free, &admit);
            if !found {
                for eqn in &self.reached {
                    self.level[*eqn] = UNSEEN;
                }
                return;
            }
            free.retain(|eqn| !self.augment_from(*eqn, incidence, matching, &admit));
            for eqn in self.reached.drain(..) {
                self.level[eqn] = UNSEEN;
            }
        }
    }

    /// Breadth first from the free equations, up to the first layer that touches a free variable.
    fn layers(
        &mut self,
        incidence: &Incidence,
        matching: &Matching,
        free: &[Eqn],
        admit: &impl Fn(Eqn, Var, Edge) -> bool,
    ) -> bool {
        for &eqn in free {
            if self.level[eqn] == UNSEEN {
                self.level[eqn] = 0;
                self.next[eqn] = 0;
                self.reached.push(eqn);
            }
        }
        let mut last_level = UNSEEN;
        let mut head = 0;
        while let Some(&eqn) = self.reached.get(head) {
            head += 1;
            let level = self.level[eqn];
            if level > last_level {
                break;
            }
            tick(1 + incidence.vars(eqn).len());
            for o in incidence.row(eqn) {
                if !admit(eqn, o.var, o.edge) {
                    continue;
                }
                match matching.eqn_of[o.var] {
                    None => last_level = level,
                    Some(other) if self.level[other] == UNSEEN => {
                        self.level[other] = level + 1;
                        self.next[other] = 0;
                        self.reached.push(other);
                    }
                    Some(_) => {}
                }
            }
        }
        last_level != UNSEEN
    }

    /// Depth first along the layers; on success the matching is switched along the path.
    fn augment_from(
        &mut self,
        start: Eqn,
        incidence: &Incidence,
        matching: &mut Matching,
        admit: &impl Fn(Eqn, Var, Edge) -> bool,
    ) -> bool {
        if self.level[start] != 0 {
            return false;
        }
        let mut path = vec![start];
        while let Some(&eqn) = path.last() {
            tick(1);
            let k = self.next[eqn] as usize;
            self.next[eqn] += 1;
            let Some((var, edge)) = incidence.row_at(eqn, k) else {
                self.level[eqn] = UNSEEN - 1;
                path.pop();
                continue;
            };
            if !admit(eqn, var, edge) {
                continue;
            }
            match matching.eqn_of[var] {
                Some(other) => {
                    if self.level[other] == self.level[eqn] + 1 {
                        path.push(other);
                    }
                }
                None => {
                    let mut var = Some(var);
                    while let (Some(eqn), Some(new)) = (path.pop(), var) {
                        self.level[eqn] = UNSEEN - 1;
                        var = matching.var_of[eqn];
                        matching.var_of[eqn] = Some(new);
                        matching.eqn_of[new] = Some(eqn);
                    }
                    matching.size += 1;
                    return true;
                }
            }
        }
        false
    }
}

/// Whether every pair of the matching is an edge and the two directions agree. For tests and debugging.
pub fn is_matching(incidence: &Incidence, matching: &Matching) -> bool {
    matching.pairs().all(|(eqn, var)| matching.eqn_of[var] == Some(eqn) && incidence.find(eqn, var).is_some())
        && matching.eqn_of.iter().all(|(var, eqn)| eqn.is_none_or(|eqn| matching.var_of[eqn] == Some(var)))
        && matching.pairs().count() == matching.size
        && matching.var_of.len() == incidence.eqn_count()
        && matching.eqn_of.len() == incidence.var_count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidence::IncidenceBuilder;
    use crate::solvability::Solvability;

    #[test]
    fn a_greedy_dead_end_is_repaired() {
        // Equation 0 must leave variable 0 to equation 1, and variable 1 to equation 2.
        let g = Incidence::from_rows(3, &[vec![0, 1, 2], vec![0], vec![0, 1]]);
        let m = maximum_matching(&g);
        assert!(m.is_perfect() && is_matching(&g, &m));
        assert_eq!((m.var_of(Eqn(0)), m.eqn_of(Var(0))), (Some(Var(2)), Some(Eqn(1))));
    }

    #[test]
    fn preferred_edges_come_first_but_size_wins() {
        let mut builder = IncidenceBuilder::new(2, 2);
        builder
            .add(Eqn(0), Var(0), Solvability::LinearUnsafe)
            .add(Eqn(0), Var(1), Solvability::LinearConstant)
            .add(Eqn(1), Var(0), Solvability::LinearConstant)
            .add(Eqn(1), Var(1), Solvability::Nonlinear);
        let g = builder.build();
        let m = maximum_matching_preferring(&g, |o| o.solvability.rank() as u8);
        assert_eq!(m.pairs().collect::<Vec<_>>(), [(Eqn(0), Var(1)), (Eqn(1), Var(0))]);
        let h = g.filtered(|o| (o.eqn, o.var) != (Eqn(1), Var(0)));
        let m = maximum_matching_preferring(&h, |o| o.solvability.rank() as u8);
        assert_eq!(m.pairs().collect::<Vec<_>>(), [(Eqn(0), Var(0)), (Eqn(1), Var(1))]);
        assert_eq!(maximum_matching_in(&h, SolvabilitySet::SAFE).size(), 1);
    }

    #[test]
    fn unmatched_equations_reach_what_is_overdetermined() {
        let g = Incidence::from_rows(3, &[vec![0], vec![0, 1], vec![1], vec![2]]);
        let mut m = Matching::empty(&g);
        let mut augmenter = Augmenter::new(&g);
        let mut free: Vec<Eqn> = g.eqn_ids().collect();
        augmenter.augment(&g, &mut m, &mut free, |_, _, _| true);
        assert_eq!((m.size(), free.len()), (3, 1));
        let mut reached = augmenter.reached().to_vec();
        reached.sort();
        assert_eq!(reached, [Eqn(0), Eqn(1), Eqn(2)]);
    }

    #[test]
    fn a_partial_matching_is_kept_and_augmented() {
        let g = Incidence::from_rows(2, &[vec![0, 1], vec![0]]);
        let mut m = Matching::empty(&g);
        m.assign(Eqn(0), Var(0));
        augment(&g, &mut m);
        assert_eq!(m.pairs().collect::<Vec<_>>(), [(Eqn(0), Var(1)), (Eqn(1), Var(0))]);
        assert_eq!(m.unmatched_eqns().count() + m.unmatched_vars().count(), 0);
    }
}
