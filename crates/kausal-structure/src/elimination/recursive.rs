//! The recursive order of what is built like a tree: elimination from the tips inwards.
//!
//! M. Otter, H. Elmqvist and F. E. Cellier, *"Relaxing"*, 1996, section 9: a chain or a tree of bodies and joints is
//! eliminated joint by joint, from the last one to the first, in a number of operations that is linear in the number of
//! joints. There the modeller says with `relax` which joint comes first. Here it follows from a torn block. Given the tearing
//! variables (the accelerations of the joints), the sequence runs outwards through the motion of the bodies and back inwards
//! through forces to the residuals (the torques in the joints):
//!
//! - *motion* at some place depends on few tearing variables, those on the way to it, and acts on many residuals;
//! - *force* at some place depends on many tearing variables and acts on few residuals, those on the way back.
//!
//! The smaller of the two numbers says how far out a place is. What acts on a single residual, like a moment about the axis of a
//! joint, which no joint further in feels, is as far out as that residual, and what depends on a single tearing variable as far
//! as that variable; a force that depends directly on a motion, like that of a mass, is as far out as that motion. Where axes are along coordinates, some components of a force pass a joint and others do not; forces that the
//! caller says belong together, being elements of one vector, are as far out as the outermost of them. Elimination works inwards through these levels. In each comes first
//! the motion that is handed on to the levels outside, which are gone; then forces in the order in which they are computed, and
//! the other motion against it; then the residuals that belong to the level are solved for its tearing variables. What is left
//! over, if the block is no tree, is the core.

use crate::ids::{Eqn, Id, IdVec, Var};
use crate::incidence::{Incidence, IncidenceBuilder};
use crate::matching::maximum_matching;
use crate::solvability::Solvability;
use crate::tearing::{Assignment, Tearing};
use crate::work::tick;

/// An order found for a torn block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecursiveOrder {
    /// The pivots in order.
    pub pivots: Vec<Assignment>,
    /// Residual equations without a tearing variable of their own.
    pub core_eqns: Vec<Eqn>,
    /// Tearing variables left over.
    pub core_vars: Vec<Var>,
    /// The number of levels.
    pub levels: usize,
}

/// The recursive order of a torn block; `None` if there is nothing recursive about it, or too much to look at. Variables
/// that belong together, like elements of a vector, are given as lists.
pub fn recursive_order(
    incidence: &Incidence,
    tearing: &Tearing,
    together: &[Vec<Var>],
) -> Option<RecursiveOrder> {
    /// Words of all sets together.
    const LARGEST: usize = 40_000_000;
    let torn = tearing.tearing_variables.len();
    let words = torn.div_ceil(64);
    if torn < 2 || 2 * incidence.var_count() * words > LARGEST {
        return None;
    }
    let mut places = Places::new(incidence, tearing, words);
    places.keep_together(together);
    let deepest = tearing.sequence.iter().map(|a| places.level(a.var)).max()?;
    let torn = tearing.tearing_variables.iter().map(|t| places.torn_level(*t));
    let deepest =
        torn.chain(tearing.residuals.iter().map(|r| places.residual_level(*r))).fold(deepest, usize::max);
    if deepest < 2 {
        return None;
    }
    Some(places.order(deepest))
}

/// Sets of tearing variables or residuals, one for each variable.
struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(count: usize, words: usize) -> Self {
        Sets { words, bits: vec![0; count * words] }
    }

    fn insert(&mut self, set: usize, element: usize) {
        self.bits[set * self.words + element / 64] |= 1 << (element % 64);
    }

    fn contains(&self, set: usize, element: usize) -> bool {
        self.bits[set * self.words + element / 64] >> (element % 64) & 1 == 1
    }

    /// Adds the elements of another set.
    fn unite(&mut self, to: usize, from: usize) {
        tick(self.words);
        for k in 0..self.words {
            self.bits[to * self.words + k] |= self.bits[from * self.words + k];
        }
    }

    /// The largest value of an element of a set.
    fn largest(&self, set: usize, value: &[usize]) -> usize {
        tick(self.words);
        let mut largest = 0;
        for k in 0..self.words {
            let mut word = self.bits[set * self.words + k];
            while word != 0 {
                largest = largest.max(value[64 * k + word.trailing_zeros() as usize]);
                word &= word - 1;
            }
        }
        largest
    }

    fn count(&self, set: usize) -> usize {
        let own = &self.bits[set * self.words..(set + 1) * self.words];
        own.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Where everything is.
struct Places<'a> {
    incidence: &'a Incidence,
    tearing: &'a Tearing,
    /// The tearing variables each variable depends on.
    needs: Sets,
    needs_count: IdVec<Var, usize>,
    /// The number of residuals each acts on.
    acts_on: IdVec<Var, usize>,
    /// How far out each variable is.
    levels: IdVec<Var, usize>,
    /// The variable each equation of the sequence gives.
    given_by: IdVec<Eqn, Option<Var>>,
    is_torn: IdVec<Var, bool>,
}

impl<'a> Places<'a> {
    fn new(incidence: &'a Incidence, tearing: &'a Tearing, words: usize) -> Self {
        let count = incidence.var_count();
        let (mut needs, mut acts_on) = (Sets::new(count, words), Sets::new(count, words));
        for (k, v) in tearing.tearing_variables.iter().enumerate() {
            needs.insert(v.index(), k);
        }
        for a in &tearing.sequence {
            for v in incidence.vars(a.eqn).iter().filter(|v| **v != a.var) {
                needs.unite(a.var.index(), v.index());
            }
        }
        for (k, r) in tearing.residuals.iter().enumerate() {
            incidence.vars(*r).iter().for_each(|v| acts_on.insert(v.index(), k));
        }
        for a in tearing.sequence.iter().rev() {
            for v in incidence.vars(a.eqn).iter().filter(|v| **v != a.var) {
                acts_on.unite(v.index(), a.var.index());
            }
        }
        let counts = |sets: &Sets| (0..count).map(|v| sets.count(v)).collect();
        let (needs_count, acts_on_count): (IdVec<Var, usize>, IdVec<Var, usize>) =
            (counts(&needs), counts(&acts_on));
        let levels = (0..count).map(Var::from_index).map(|v| needs_count[v].min(acts_on_count[v])).collect();
        let mut given_by: IdVec<Eqn, Option<Var>> = IdVec::filled(None, incidence.eqn_count());
        tearing.sequence.iter().for_each(|a| given_by[a.eqn] = Some(a.var));
        let mut is_torn: IdVec<Var, bool> = IdVec::filled(false, count);
        tearing.tearing_variables.iter().for_each(|v| is_torn[*v] = true);
        let acts_on_sets = acts_on;
        let acts_on = acts_on_count;
        let mut places =
            Places { incidence, tearing, needs, needs_count, acts_on, levels, given_by, is_torn };
        let torn: Vec<usize> = tearing.tearing_variables.iter().map(|&t| places.torn_level(t)).collect();
        let residuals: Vec<usize> = tearing.residuals.iter().map(|&r| places.residual_level(r)).collect();
        for v in (0..count).map(Var::from_index) {
            let depth = match places.is_motion(v) {
                true => places.needs.largest(v.index(), &torn),
                false => acts_on_sets.largest(v.index(), &residuals),
            };
            places.levels[v] = places.levels[v].max(depth);
        }
        places.forces_with_their_motion();
        places
    }

    /// Forces are as far out as the motion they depend on directly. At a tip motion and force depend on the same tearing
    /// variables and act on the same residuals: motion is what follows from a tearing variable directly.
    fn forces_with_their_motion(&mut self) {
        let follows = |a: &Assignment| self.incidence.vars(a.eqn).iter().any(|v| self.is_torn[*v]);
        let mut moves: IdVec<Var, bool> = self.is_torn.clone();
        for a in &self.tearing.sequence {
            let (needs, acts_on) = (self.needs_count[a.var], self.acts_on[a.var]);
            moves[a.var] = needs < acts_on || (needs == acts_on && follows(a));
        }
        for a in self.tearing.sequence.iter().filter(|a| !moves[a.var]) {
            let motion = self.incidence.vars(a.eqn).iter().filter(|v| moves[**v]);
            let outermost = motion.map(|v| self.levels[*v]).max().unwrap_or(0);
            self.levels[a.var] = self.levels[a.var].max(outermost);
        }
    }

    /// Forces that belong together are as far out as the outermost of them.
    fn keep_together(&mut self, together: &[Vec<Var>]) {
        let before = self.levels.clone();
        for list in together {
            let forces = || list.iter().filter(|&&v| !self.is_torn[v] && !self.is_motion(v));
            let outermost = forces().map(|v| before[*v]).max().unwrap_or(0);
            let raised: Vec<Var> = forces().copied().filter(|&v| self.levels[v] < outermost).collect();
            raised.into_iter().for_each(|v| self.levels[v] = outermost);
        }
    }

    /// How far out a variable is.
    fn level(&self, v: Var) -> usize {
        self.levels[v]
    }

    /// How far out a tearing variable is: as far as what follows from it directly. Where that is forces only, as at a tip, they
    /// depend on no other tearing variables than those on the way to it.
    fn torn_level(&self, t: Var) -> usize {
        let users = || self.incidence.eqns(t).iter().filter_map(|e| self.given_by[*e]);
        let level = users().map(|v| self.level(v)).max().unwrap_or(0);
        match users().any(|v| self.is_motion(v)) {
            true => level,
            false => users().map(|v| self.needs_count[v]).min().unwrap_or(0).max(level),
        }
    }

    /// How far out a residual is: as far as what it contains.
    fn residual_level(&self, r: Eqn) -> usize {
        let level = |v: &Var| if self.is_torn[*v] { self.torn_level(*v) } else { self.level(*v) };
        self.incidence.vars(r).iter().map(level).max().unwrap_or(0)
    }

    fn is_motion(&self, v: Var) -> bool {
        self.needs_count[v] <= self.acts_on[v]
    }

    fn order(&self, deepest: usize) -> RecursiveOrder {
        let mut levels: Vec<Level> = (0..=deepest).map(|_| Level::default()).collect();
        for a in &self.tearing.sequence {
            let at = self.level(a.var);
            let level = &mut levels[at];
            let users = self.incidence.eqns(a.var).iter().filter(|e| **e != a.eqn);
            let outside = |e: &Eqn| self.given_by[*e].is_some_and(|v| self.level(v) > at);
            if !self.is_motion(a.var) {
                level.force.push(*a);
            } else if self.needs_count[a.var] < self.acts_on[a.var] && users.copied().all(|e| outside(&e)) {
                level.handed_on.push(*a);
            } else {
                level.motion.push(*a);
            }
        }
        for &r in &self.tearing.residuals {
            levels[self.residual_level(r)].residuals.push(r);
        }
        for (k, &t) in self.tearing.tearing_variables.iter().enumerate() {
            levels[self.torn_level(t)].torn.push((k, t));
        }
        let mut out = RecursiveOrder { levels: deepest, ..RecursiveOrder::default() };
        // What finds no partner in its level waits for the next.
        let mut waiting = Level::default();
        for level in levels.into_iter().rev() {
            out.pivots.extend(level.handed_on);
            out.pivots.extend(level.force);
            out.pivots.extend(level.motion.into_iter().rev());
            waiting.residuals.extend(level.residuals);
            waiting.torn.extend(level.torn);
            self.pair(&mut waiting, &mut out.pivots);
        }
        out.core_eqns = waiting.residuals;
        out.core_vars = waiting.torn.into_iter().map(|(_, v)| v).collect();
        out.core_eqns.sort_unstable();
        out.core_vars.sort_unstable();
        out
    }

    /// Solves residuals for tearing variables they depend on.
    fn pair(&self, waiting: &mut Level, pivots: &mut Vec<Assignment>) {
        if waiting.residuals.is_empty() || waiting.torn.is_empty() {
            return;
        }
        let mut builder = IncidenceBuilder::new(waiting.residuals.len(), waiting.torn.len());
        for (i, r) in waiting.residuals.iter().enumerate() {
            for (j, &(k, _)) in waiting.torn.iter().enumerate() {
                let used = self.incidence.vars(*r);
                tick(used.len());
                if used.iter().any(|v| self.needs.contains(v.index(), k)) {
                    builder.add(Eqn::from_index(i), Var::from_index(j), Solvability::LinearUnsafe);
                }
            }
        }
        let matching = maximum_matching(&builder.build());
        let mut taken = vec![false; waiting.torn.len()];
        let mut rest = Vec::new();
        for (i, &eqn) in waiting.residuals.iter().enumerate() {
            match matching.var_of(Eqn::from_index(i)) {
                Some(j) => {
                    taken[j.index()] = true;
                    pivots.push(Assignment { eqn, var: waiting.torn[j.index()].1 });
                }
                None => rest.push(eqn),
            }
        }
        waiting.residuals = rest;
        let mut keep = taken.into_iter().map(|taken| !taken);
        waiting.torn.retain(|_| keep.next().unwrap_or(true));
    }
}

/// What is at one distance from the root.
#[derive(Default)]
struct Level {
    handed_on: Vec<Assignment>,
    force: Vec<Assignment>,
    motion: Vec<Assignment>,
    residuals: Vec<Eqn>,
    /// With their numbers among the tearing variables.
    torn: Vec<(usize, Var)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elimination::{EliminationProblem, count_in_order};
    use crate::solvability::SolvabilitySet;
    use crate::tearing::TearingProblem;
    use crate::tearing::sequence::Solver;

    /// Masses on a line, each driven against the one before: motion `a = a' + q`, force `f = a + sum of the children's f`,
    /// residual `f = q`. Body `k` hangs on `parent[k]`; variables `a, f, q` of each in turn.
    fn bodies(parent: &[Option<usize>]) -> (Incidence, Vec<Var>) {
        let (a, f, q) = (|k: usize| 3 * k as u32, |k: usize| 3 * k as u32 + 1, |k: usize| 3 * k as u32 + 2);
        let mut rows = Vec::new();
        for k in 0..parent.len() {
            let mut motion = vec![a(k), q(k)];
            motion.extend(parent[k].map(a));
            let mut force = vec![f(k), a(k)];
            force.extend((0..parent.len()).filter(|&c| parent[c] == Some(k)).map(f));
            rows.extend([motion, force, vec![f(k), q(k)]]);
        }
        rows.iter_mut().for_each(|row| row.sort_unstable());
        let torn = (0..parent.len()).map(|k| Var(q(k))).collect();
        // The residual is not solved for the force: in space that would be one of its components.
        let g = Incidence::from_rows(3 * parent.len(), &rows).with_solvability(|o| match o.eqn.0 % 3 {
            2 => Solvability::LinearUnsafe,
            _ => Solvability::LinearConstant,
        });
        (g, torn)
    }

    fn order(parent: &[Option<usize>]) -> (Incidence, RecursiveOrder) {
        let (g, torn) = bodies(parent);
        let problem = TearingProblem::new(&g, SolvabilitySet::SAFE);
        let tearing = Solver::new(&problem).tearing(&torn);
        assert_eq!(tearing.residuals.len(), parent.len());
        let order = recursive_order(&g, &tearing, &[]).unwrap();
        (g, order)
    }

    fn operations(parent: &[Option<usize>]) -> i64 {
        let (g, order) = order(parent);
        assert!(order.core_eqns.is_empty() && order.pivots.len() == 3 * parent.len());
        let count = count_in_order(&EliminationProblem::new(&g, SolvabilitySet::LINEAR), &order.pivots);
        assert_eq!(count.zero_pivot, None);
        count.operations.total() as i64
    }

    fn chain(f: usize) -> Vec<Option<usize>> {
        (0..f).map(|k| k.checked_sub(1)).collect()
    }

    #[test]
    fn a_chain_is_eliminated_from_its_tip_in_linear_time() {
        let (_, order) = order(&chain(5));
        let bodies: Vec<u32> = order.pivots.iter().map(|p| p.var.0 / 3).collect();
        assert!(bodies.windows(2).all(|w| w[0] >= w[1]), "{bodies:?}");
        let counts: Vec<i64> = (3..12).map(|f| operations(&chain(f))).collect();
        let steps: Vec<i64> = counts.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(steps.windows(2).all(|w| w[0] == w[1]), "{steps:?}");
    }

    #[test]
    fn branches_of_a_tree_keep_their_own_joints() {
        let tree: Vec<Option<usize>> = (0..31).map(|k: usize| k.checked_sub(1).map(|k| k / 2)).collect();
        let (_, order) = order(&tree);
        for p in order.pivots.iter().filter(|p| p.var.0 % 3 == 2) {
            assert_eq!(p.eqn.0 / 3, p.var.0 / 3);
        }
        // Not more for each body than in a chain, but for what joins the branches.
        assert!(operations(&tree) <= operations(&chain(31)) + 31);
    }

    /// Bodies on a line whose joints are along a coordinate: no equation gives the motion `y` about an axis, and the moment `t`
    /// about it ends in one residual. Motion `x = x' + y'`, force `f = x + y + f''`, moment `t = f''`, residual `t = x + y`, with
    /// `'` for the body before and `''` for the next; variables `x, y, f, t` of each in turn.
    fn along_coordinates(bodies: usize) -> (Incidence, RecursiveOrder) {
        let at = |k: usize, which: u32| 4 * k as u32 + which;
        let mut rows = Vec::new();
        for k in 0..bodies {
            let next = (k + 1 < bodies).then(|| at(k + 1, 2));
            let before = k.checked_sub(1).map_or(vec![at(k, 1)], |b| vec![at(b, 0), at(b, 1)]);
            rows.push([vec![at(k, 0)], before].concat());
            rows.push([vec![at(k, 2), at(k, 0), at(k, 1)], next.into_iter().collect()].concat());
            rows.push([vec![at(k, 3)], next.into_iter().collect()].concat());
            rows.push(vec![at(k, 3), at(k, 0), at(k, 1)]);
        }
        rows.iter_mut().for_each(|row| row.sort_unstable());
        let g = Incidence::from_rows(4 * bodies, &rows).with_solvability(|o| match o.eqn.0 % 4 {
            3 => Solvability::LinearUnsafe,
            _ => Solvability::LinearConstant,
        });
        let torn: Vec<Var> = (0..bodies).map(|k| Var(at(k, 1))).collect();
        let tearing = Solver::new(&TearingProblem::new(&g, SolvabilitySet::SAFE)).tearing(&torn);
        assert_eq!(tearing.residuals.len(), bodies);
        let order = recursive_order(&g, &tearing, &[]).unwrap();
        (g, order)
    }

    #[test]
    fn a_moment_about_an_axis_is_as_far_out_as_its_joint() {
        let (_, order) = along_coordinates(6);
        for p in order.pivots.iter().filter(|p| p.var.0 % 4 == 1) {
            assert_eq!(p.eqn.0 / 4, p.var.0 / 4, "the residual of its own joint");
        }
        let place = |v: u32| order.pivots.iter().position(|p| p.var.0 == v).unwrap();
        for k in 1..5 {
            assert!(place(4 * k + 3) < place(4 * k + 1), "the moment before the motion about its axis");
            assert!(place(4 * k + 5) < place(4 * k + 1), "outer joints first");
        }
        let operations = |bodies: usize| {
            let (g, order) = along_coordinates(bodies);
            let count = count_in_order(&EliminationProblem::new(&g, SolvabilitySet::LINEAR), &order.pivots);
            assert_eq!(count.zero_pivot, None);
            count.operations.total() as i64
        };
        let counts: Vec<i64> = (4..12).map(operations).collect();
        let steps: Vec<i64> = counts.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(steps.windows(2).all(|w| w[0] == w[1]), "{steps:?}");
    }

    #[test]
    fn what_belongs_together_is_equally_far_out() {
        let (g, torn) = bodies(&chain(4));
        let tearing = Solver::new(&TearingProblem::new(&g, SolvabilitySet::SAFE)).tearing(&torn);
        let words = 1;
        let mut places = Places::new(&g, &tearing, words);
        let (inner, outer) = (Var(1), Var(7));
        assert!(places.level(inner) < places.level(outer));
        places.keep_together(&[vec![inner, outer]]);
        assert_eq!(places.level(inner), places.level(outer));
    }

    #[test]
    fn a_single_loop_has_nothing_recursive() {
        let g = Incidence::from_rows(2, &[vec![0, 1], vec![0, 1]]);
        let problem = TearingProblem::new(&g, SolvabilitySet::SAFE);
        let tearing = Solver::new(&problem).tearing(&[Var(1)]);
        assert_eq!(recursive_order(&g, &tearing, &[]), None);
    }
}
