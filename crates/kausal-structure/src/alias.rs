//! Sets of variables that are equal up to sign: `a = b`, `a = -b`.
//!
//! Union–find with the sign stored on the path to the representative. Merging `a = b` into a set that already says `a = -b` forces the
//! whole set to zero; that is reported, and the set remembers it.

/// Variables in sets of equal or opposite ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasSets {
    parent: Vec<u32>,
    negated: Vec<bool>,
    size: Vec<u32>,
    zero: Vec<bool>,
}

/// A variable as `± representative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signed {
    /// The variable.
    pub var: u32,
    /// Whether the sign is minus.
    pub negated: bool,
}

/// What a new relation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Two sets became one.
    Merged,
    /// It followed already.
    Redundant,
    /// The set now contains `a = -a`: all its variables are zero.
    ForcesZero,
}

/// One set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasSet {
    /// The variable that stands for the others.
    pub representative: u32,
    /// All members in ascending order, each with its sign relative to the representative.
    pub members: Vec<Signed>,
    /// Whether the set is forced to zero.
    pub zero: bool,
}

impl AliasSets {
    /// Each variable on its own.
    pub fn new(vars: usize) -> AliasSets {
        AliasSets {
            parent: (0..vars as u32).collect(),
            negated: vec![false; vars],
            size: vec![1; vars],
            zero: vec![false; vars],
        }
    }

    /// The root of a variable's set, and the variable's sign relative to it. Compresses the path.
    pub fn find(&mut self, var: u32) -> Signed {
        let (mut root, mut negated) = (var, false);
        while self.parent[root as usize] != root {
            negated ^= self.negated[root as usize];
            root = self.parent[root as usize];
        }
        let (mut walk, mut sign) = (var, negated);
        while self.parent[walk as usize] != root {
            let next = self.parent[walk as usize];
            let step = self.negated[walk as usize];
            self.parent[walk as usize] = root;
            self.negated[walk as usize] = sign;
            sign ^= step;
            walk = next;
        }
        Signed { var: root, negated }
    }

    /// Adds `a = b`, or `a = -b` if `negated`.
    pub fn relate(&mut self, a: u32, b: u32, negated: bool) -> Relation {
        let (ra, rb) = (self.find(a), self.find(b));
        let sign = ra.negated ^ rb.negated ^ negated;
        if ra.var == rb.var {
            if !sign || self.zero[ra.var as usize] {
                return Relation::Redundant;
            }
            self.zero[ra.var as usize] = true;
            return Relation::ForcesZero;
        }
        let (small, large) = if self.size[ra.var as usize] < self.size[rb.var as usize] {
            (ra.var, rb.var)
        } else {
            (rb.var, ra.var)
        };
        self.parent[small as usize] = large;
        self.negated[small as usize] = sign;
        self.size[large as usize] += self.size[small as usize];
        self.zero[large as usize] |= self.zero[small as usize];
        Relation::Merged
    }

    /// Says that a variable is zero, and with it its set.
    pub fn force_zero(&mut self, var: u32) {
        let root = self.find(var).var;
        self.zero[root as usize] = true;
    }

    /// Whether a variable's set is forced to zero.
    pub fn is_zero(&mut self, var: u32) -> bool {
        let root = self.find(var).var;
        self.zero[root as usize]
    }

    /// The sign between two variables if they are in the same set: `Some(false)` for `a = b`, `Some(true)` for `a = -b`.
    pub fn relation(&mut self, a: u32, b: u32) -> Option<bool> {
        let (ra, rb) = (self.find(a), self.find(b));
        (ra.var == rb.var).then_some(ra.negated ^ rb.negated)
    }

    /// All sets with more than one member and all that are zero, ordered by first member. The representative of a set is the
    /// member with the largest `rank`, the first of several.
    pub fn sets<R: Ord>(&mut self, rank: impl Fn(u32) -> R) -> Vec<AliasSet> {
        let mut place: Vec<Option<usize>> = vec![None; self.parent.len()];
        let mut sets: Vec<AliasSet> = Vec::new();
        for var in 0..self.parent.len() as u32 {
            let root = self.find(var);
            let r = root.var as usize;
            if self.size[r] < 2 && !self.zero[r] {
                continue;
            }
            let index = *place[r].get_or_insert(sets.len());
            if index == sets.len() {
                sets.push(AliasSet { representative: var, members: Vec::new(), zero: self.zero[r] });
            }
            sets[index].members.push(Signed { var, negated: root.negated });
        }
        for set in &mut sets {
            let mut best = set.members[0];
            for member in &set.members {
                if rank(member.var) > rank(best.var) {
                    best = *member;
                }
            }
            set.representative = best.var;
            for member in &mut set.members {
                member.negated ^= best.negated;
            }
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_multiply_along_the_way() {
        let mut sets = AliasSets::new(5);
        assert_eq!(sets.relate(0, 1, true), Relation::Merged);
        assert_eq!(sets.relate(1, 2, true), Relation::Merged);
        assert_eq!(sets.relate(3, 2, false), Relation::Merged);
        assert_eq!(sets.relate(0, 3, false), Relation::Redundant);
        assert_eq!(
            (sets.relation(1, 3), sets.relation(0, 2), sets.relation(0, 4)),
            (Some(true), Some(false), None)
        );
        let all = sets.sets(|var| var);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].representative, 3);
        let signs: Vec<bool> = all[0].members.iter().map(|m| m.negated).collect();
        assert_eq!(signs, [false, true, false, false]);
    }

    #[test]
    fn a_contradiction_forces_zero_and_is_told_once() {
        let mut sets = AliasSets::new(4);
        sets.relate(0, 1, false);
        assert_eq!(sets.relate(0, 1, true), Relation::ForcesZero);
        assert_eq!(sets.relate(1, 0, true), Relation::Redundant);
        assert_eq!(sets.relate(2, 1, false), Relation::Merged);
        assert!(sets.is_zero(2) && !sets.is_zero(3));
        sets.force_zero(3);
        assert_eq!(sets.sets(|_| 0).iter().filter(|set| set.zero).count(), 2);
        assert_eq!(sets.relate(3, 3, true), Relation::Redundant);
    }
}
