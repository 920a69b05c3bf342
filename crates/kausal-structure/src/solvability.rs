//! Whether an equation may be solved for a variable, and which of these ways a caller is willing to use.

use std::fmt;
use std::ops::BitOr;

/// How an equation depends on one of its variables, from the best to solve for to the worst.
///
/// The order is the order of preference: `LinearConstant < LinearNonzero < …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Solvability {
    /// Linear, and the coefficient is a nonzero number.
    #[default]
    LinearConstant,
    /// Linear, and the coefficient is proven to be nonzero (a nonzero parameter, a positive expression).
    LinearNonzero,
    /// Linear, but the coefficient may become zero.
    LinearUnsafe,
    /// Nonlinear, but there is an explicit and unique inverse.
    Nonlinear,
    /// The equation is never solved for this variable.
    Never,
}

impl Solvability {
    /// All of them, best first.
    pub const ALL: [Solvability; 5] = [
        Solvability::LinearConstant,
        Solvability::LinearNonzero,
        Solvability::LinearUnsafe,
        Solvability::Nonlinear,
        Solvability::Never,
    ];

    /// 0 for the best to 4 for the worst.
    pub fn rank(self) -> usize {
        self as usize
    }

    /// Solvability for the highest derivative after the equation has been differentiated with respect to time: the
    /// variable is then linear, and its coefficient is the partial derivative, which is known to be nonzero only
    /// where the variable was linear with a nonzero coefficient already.
    pub fn differentiated(self) -> Solvability {
        match self {
            Solvability::LinearConstant | Solvability::LinearNonzero => self,
            Solvability::LinearUnsafe | Solvability::Nonlinear | Solvability::Never => {
                Solvability::LinearUnsafe
            }
        }
    }
}

/// A set of [`Solvability`] values: the ways of solving that a caller allows.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SolvabilitySet(u8);

impl SolvabilitySet {
    /// Nothing may be solved for.
    pub const NONE: SolvabilitySet = SolvabilitySet(0);
    /// Linear with a coefficient that cannot be zero.
    pub const SAFE: SolvabilitySet = SolvabilitySet(0b0_0011);
    /// What [`SAFE`](Self::SAFE) has, and nonlinear with an explicit inverse.
    pub const EXPLICIT: SolvabilitySet = SolvabilitySet(0b0_1011);
    /// Linear, whatever the coefficient.
    pub const LINEAR: SolvabilitySet = SolvabilitySet(0b0_0111);
    /// Everything but [`Solvability::Never`].
    pub const SOLVABLE: SolvabilitySet = SolvabilitySet(0b0_1111);
    /// Every edge, for algorithms that only look at occurrence.
    pub const ALL: SolvabilitySet = SolvabilitySet(0b1_1111);

    /// The set of one value.
    pub const fn only(solvability: Solvability) -> SolvabilitySet {
        SolvabilitySet(1 << solvability as u8)
    }

    /// Whether the value is in the set.
    pub fn contains(self, solvability: Solvability) -> bool {
        self.0 & (1 << solvability as u8) != 0
    }
}

impl BitOr for SolvabilitySet {
    type Output = SolvabilitySet;
    fn bitor(self, other: SolvabilitySet) -> SolvabilitySet {
        SolvabilitySet(self.0 | other.0)
    }
}

impl fmt::Debug for SolvabilitySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(Solvability::ALL.into_iter().filter(|s| self.contains(*s))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_sets_hold_what_their_names_say() {
        use Solvability::*;
        let members = |set: SolvabilitySet| Solvability::ALL.map(|s| set.contains(s));
        assert_eq!(members(SolvabilitySet::SAFE), [true, true, false, false, false]);
        assert_eq!(members(SolvabilitySet::EXPLICIT), [true, true, false, true, false]);
        assert_eq!(members(SolvabilitySet::LINEAR), [true, true, true, false, false]);
        assert_eq!(members(SolvabilitySet::SOLVABLE), [true, true, true, true, false]);
        assert_eq!(SolvabilitySet::SAFE | SolvabilitySet::only(Nonlinear), SolvabilitySet::EXPLICIT);
        assert_eq!(SolvabilitySet::SOLVABLE | SolvabilitySet::only(Never), SolvabilitySet::ALL);
    }
}
