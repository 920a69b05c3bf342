//! Which derivatives become dummies after index reduction, and so which variables remain as states.
//!
//! S. E. Mattsson and G. Söderlind, *Index reduction in differential-algebraic equations using dummy derivatives*, SIAM J. Sci.
//! Comput. 14, 1993. The differentiated equations fall into connected pieces. Each piece needs as many dummies among
//! the highest derivatives in it as it has equations; one level down, the equations
//! differentiated at least twice need dummies among the derivatives one order below the dummies just chosen; and so on.
//!
//! The choice at one level is a basis of a transversal matroid: any set of columns that can be matched with the equations.
//! Taking the least wanted states first and keeping a column whenever the matching can be augmented therefore gives the best
//! choice, and augmenting class by class keeps it almost linear.
//!
//! Structure alone cannot prove that the Jacobian of the choice is regular everywhere. Each choice says what is known:
//! [`Certainty::Forced`] when there is no choice, [`Certainty::Safe`] when the Jacobian is triangular with
//! coefficients that cannot vanish, and otherwise [`Certainty::Open`] with the equations and candidates in question, so that
//! the caller can check numbers or select dynamically.

use std::collections::BTreeMap;

use crate::dulmage_mendelsohn::connected_pieces;
use crate::ids::{Eqn, Id, IdVec, Var};
use crate::incidence::{Extractor, Incidence};
use crate::matching::{Augmenter, Matching};
use crate::pantelides::IndexReduction;
use crate::solvability::SolvabilitySet;

/// How much a variable is wanted as a state; larger means more. Values between the named ones are fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatePriority(pub i32);

impl StatePriority {
    /// Must not be a state.
    pub const NEVER: StatePriority = StatePriority(-1_000_000);
    /// Should rather not be a state.
    pub const AVOID: StatePriority = StatePriority(-1_000);
    /// No wish.
    pub const DEFAULT: StatePriority = StatePriority(0);
    /// Should rather be a state.
    pub const PREFER: StatePriority = StatePriority(1_000);
    /// Must be a state.
    pub const ALWAYS: StatePriority = StatePriority(1_000_000);
}

/// What structure says about one choice of dummies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// There are as many candidates as dummies needed.
    Forced,
    /// The chosen dummies can be solved for one after the other, dividing only by what cannot be zero.
    Safe,
    /// Whether the choice is good everywhere depends on numbers.
    Open(Vec<OpenChoice>),
}

/// A choice that structure cannot settle: `choose` of the candidates become dummies, the others states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenChoice {
    /// The differentiated equations at stake (original ids).
    pub eqns: Vec<Eqn>,
    /// The derivatives from which dummies may be chosen.
    pub candidates: Vec<Var>,
    /// How many dummies are needed.
    pub choose: usize,
}

/// The choice at one level of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DummyChoice {
    /// Number of the connected piece of the differentiated equations.
    pub block: usize,
    /// 0 for the highest derivatives, 1 for one order below, and so on.
    pub level: u32,
    /// The equations (original ids) that ask for dummies: those differentiated more than `level` times.
    pub eqns: Vec<Eqn>,
    /// The derivatives among which the dummies were chosen, in chain order.
    pub candidates: Vec<Var>,
    /// The chosen ones.
    pub dummies: Vec<Var>,
    /// What is known about the choice.
    pub certainty: Certainty,
    /// When the choice is open: a choice that is provably safe but goes against the priorities, if there is one.
    pub safe_alternative: Option<Vec<Var>>,
}

/// The outcome for the whole system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSelection {
    /// All choices, block by block, level by level.
    pub choices: Vec<DummyChoice>,
    /// All dummy derivatives, sorted.
    pub dummies: Vec<Var>,
    /// The states, sorted: variables whose derivative is not a dummy.
    pub states: Vec<Var>,
    /// Variables of priority [`StatePriority::ALWAYS`] or more that are no states nevertheless.
    pub always_overruled: Vec<Var>,
    /// Variables of priority [`StatePriority::NEVER`] or less that are states nevertheless.
    pub never_overruled: Vec<Var>,
}

/// Chooses dummy derivatives. `priority` tells for each variable (new derivatives included) how much it is wanted as a state.
pub fn select_states(reduction: &IndexReduction, priority: impl Fn(Var) -> StatePriority) -> StateSelection {
    let incidence = &reduction.highest_incidence;
    let differentiated: Vec<Eqn> =
        incidence.eqn_ids().filter(|eqn| reduction.differentiations[*eqn] > 0).collect();
    let has_eqn = |eqn: Eqn| reduction.differentiations[eqn] > 0;
    let pieces =
        connected_pieces(incidence, &differentiated, &[], has_eqn, |var| reduction.highest[var.index()] > 0);
    let mut extractor = Extractor::new(incidence);
    let mut choices = Vec::new();
    let mut lowest_dummy: BTreeMap<usize, u32> = BTreeMap::new();
    for (index, block) in pieces.iter().enumerate() {
        let mut chains: Vec<Var> = block.vars.clone();
        for level in 0.. {
            let eqns: Vec<Eqn> =
                block.eqns.iter().copied().filter(|eqn| reduction.differentiations[*eqn] > level).collect();
            if eqns.is_empty() {
                break;
            }
            chains.retain(|chain| reduction.highest[chain.index()] > level);
            let sub = extractor.extract(&eqns, &chains);
            let wish = |local: Var| state_wish(reduction, sub.vars[local].index(), level, &priority);
            let chosen = choose_columns(&sub.incidence, wish);
            let derivative = |local: Var| derivative_at(reduction, sub.vars[local].index(), level);
            let (certainty, safe_alternative) = judge(&sub.incidence, &chosen, wish);
            let certainty = match certainty {
                Certainty::Open(open) => Certainty::Open(
                    open.into_iter()
                        .map(|choice| OpenChoice {
                            eqns: choice.eqns.into_iter().map(|eqn| sub.eqns[eqn]).collect(),
                            candidates: choice.candidates.into_iter().map(derivative).collect(),
                            choose: choice.choose,
                        })
                        .collect(),
                ),
                settled => settled,
            };
            for &local in &chosen {
                let chain = sub.vars[local].index();
                lowest_dummy.insert(chain, reduction.highest[chain] - level);
            }
            choices.push(DummyChoice {
                block: index,
                level,
                eqns,
                candidates: sub.incidence.var_ids().map(derivative).collect(),
                dummies: chosen.iter().copied().map(derivative).collect(),
                certainty,
                safe_alternative: safe_alternative.map(|vars| vars.into_iter().map(derivative).collect()),
            });
            chains = chosen.iter().map(|local| sub.vars[*local]).collect();
        }
    }
    summary(reduction, choices, &lowest_dummy, priority)
}

/// The derivative of a chain that is a candidate at a level.
fn derivative_at(reduction: &IndexReduction, chain: usize, level: u32) -> Var {
    let order = reduction.highest[chain].saturating_sub(level);
    reduction.var_at(chain, order).unwrap_or(reduction.highest_var(chain))
}

/// What making the candidate a dummy would cost: the priority of the state it takes away, raised to that of the states
/// further down the chain, which the next levels could take away only after this one.
fn state_wish(
    reduction: &IndexReduction,
    chain: usize,
    level: u32,
    priority: &impl Fn(Var) -> StatePriority,
) -> (StatePriority, i64) {
    let order = reduction.highest[chain] - level;
    let wishes = (0..order).filter_map(|k| reduction.var_at(chain, k)).map(priority);
    let (mut most, mut sum) = (StatePriority(i32::MIN), 0);
    for wish in wishes {
        most = most.max(wish);
        sum += i64::from(wish.0);
    }
    (most, sum)
}

/// A set of columns that can be matched with all rows, least wanted first; columns in ascending order.
fn choose_columns<W: Ord>(incidence: &Incidence, wish: impl Fn(Var) -> W) -> Vec<Var> {
    // Columns take the role of the equations, so that a chosen column stays chosen.
    let columns = incidence.transpose();
    let mut classes: BTreeMap<(W, usize), Vec<Eqn>> = BTreeMap::new();
    for var in incidence.var_ids() {
        if let Some(best) = incidence.column(var).map(|o| o.solvability.rank()).min() {
            classes.entry((wish(var), best)).or_default().push(Eqn(var.0));
        }
    }
    let mut matching = Matching::empty(&columns);
    let mut augmenter = Augmenter::new(&columns);
    for mut class in classes.into_values() {
        augmenter.augment(&columns, &mut matching, &mut class, |_, _, _| true);
    }
    matching.pairs().map(|(column, _)| Var(column.0)).collect()
}

/// What is known about the chosen columns, and a safe choice if the chosen one is not.
fn judge<W: Ord + Copy>(
    incidence: &Incidence,
    chosen: &[Var],
    wish: impl Fn(Var) -> W + Copy,
) -> (Certainty, Option<Vec<Var>>) {
    if incidence.var_count() == incidence.eqn_count() {
        return (Certainty::Forced, None);
    }
    if is_safely_triangular(incidence, chosen) {
        return (Certainty::Safe, None);
    }
    let safe = incidence.filtered(|o| SolvabilitySet::SAFE.contains(o.solvability));
    let alternative = choose_columns(&safe, wish);
    let alternative = (alternative.len() == incidence.eqn_count()
        && is_safely_triangular(incidence, &alternative))
    .then_some(alternative);
    (Certainty::Open(open_choices(incidence, chosen, wish)), alternative)
}

/// Whether the rows can be solved for the chosen columns one after the other with safe pivots.
fn is_safely_triangular(incidence: &Incidence, chosen: &[Var]) -> bool {
    let mut open: IdVec<Var, bool> = IdVec::filled(false, incidence.var_count());
    for var in chosen {
        open[*var] = true;
    }
    let mut unknowns: IdVec<Eqn, usize> =
        incidence.eqn_ids().map(|eqn| incidence.vars(eqn).iter().filter(|var| open[**var]).count()).collect();
    let mut ready: Vec<Eqn> = unknowns.iter().filter(|(_, n)| **n == 1).map(|(eqn, _)| eqn).collect();
    let mut solved = 0;
    while let Some(eqn) = ready.pop() {
        let Some(pivot) = incidence.row(eqn).find(|o| open[o.var]) else { continue };
        if !SolvabilitySet::SAFE.contains(pivot.solvability) {
            continue;
        }
        open[pivot.var] = false;
        solved += 1;
        for &other in incidence.eqns(pivot.var) {
            unknowns[other] -= 1;
            if unknowns[other] == 1 {
                ready.push(other);
            }
        }
    }
    solved == incidence.eqn_count()
}

/// Takes out what is settled (a column that occurs in one equation only, safely, and is wanted no more than the others
/// there) and reports the connected pieces of the rest.
fn open_choices<W: Ord + Copy>(
    incidence: &Incidence,
    chosen: &[Var],
    wish: impl Fn(Var) -> W + Copy,
) -> Vec<OpenChoice> {
    let mut eqn_open: IdVec<Eqn, bool> = IdVec::filled(true, incidence.eqn_count());
    let mut var_open: IdVec<Var, bool> = IdVec::filled(true, incidence.var_count());
    let mut is_chosen: IdVec<Var, bool> = IdVec::filled(false, incidence.var_count());
    for var in chosen {
        is_chosen[*var] = true;
    }
    let mut queue: Vec<Var> = chosen.to_vec();
    queue.reverse();
    while let Some(var) = queue.pop() {
        let mut rows = incidence.column(var).filter(|o| eqn_open[o.eqn]);
        let (Some(only), None) = (rows.next(), rows.next()) else { continue };
        let rivals = incidence.vars(only.eqn).iter().filter(|rival| var_open[**rival]);
        let least_wanted = rivals.map(|rival| wish(*rival)).min().is_none_or(|least| wish(var) <= least);
        if var_open[var] && least_wanted && SolvabilitySet::SAFE.contains(only.solvability) {
            var_open[var] = false;
            eqn_open[only.eqn] = false;
            queue.extend(incidence.vars(only.eqn).iter().filter(|v| is_chosen[**v] && var_open[**v]));
        }
    }
    let eqns: Vec<Eqn> = eqn_open.iter().filter(|(_, open)| **open).map(|(eqn, _)| eqn).collect();
    let pieces = connected_pieces(incidence, &eqns, &[], |eqn| eqn_open[eqn], |var| var_open[var]);
    pieces
        .into_iter()
        .map(|piece| OpenChoice { choose: piece.eqns.len(), eqns: piece.eqns, candidates: piece.vars })
        .collect()
}

fn summary(
    reduction: &IndexReduction,
    choices: Vec<DummyChoice>,
    lowest_dummy: &BTreeMap<usize, u32>,
    priority: impl Fn(Var) -> StatePriority,
) -> StateSelection {
    let mut dummies: Vec<Var> = choices.iter().flat_map(|choice| choice.dummies.iter().copied()).collect();
    dummies.sort_unstable();
    let mut selection = StateSelection {
        choices,
        dummies,
        states: Vec::new(),
        always_overruled: Vec::new(),
        never_overruled: Vec::new(),
    };
    for chain in 0..reduction.chains.len() {
        // Dummies of a chain are its highest derivatives down to the lowest dummy; below it derivatives are real.
        let real = lowest_dummy.get(&chain).map_or(reduction.highest[chain], |lowest| lowest - 1);
        for order in 0..=reduction.highest[chain] {
            let Some(var) = reduction.var_at(chain, order) else { continue };
            if order < real {
                selection.states.push(var);
                if priority(var) <= StatePriority::NEVER {
                    selection.never_overruled.push(var);
                }
            } else if priority(var) >= StatePriority::ALWAYS {
                selection.always_overruled.push(var);
            }
        }
    }
    selection.states.sort_unstable();
    selection.always_overruled.sort_unstable();
    selection.never_overruled.sort_unstable();
    selection
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidence::IncidenceBuilder;
    use crate::pantelides::pantelides;
    use crate::solvability::Solvability::*;

    fn pendulum() -> IndexReduction {
        let (g, derivative) = crate::pantelides::tests::pendulum();
        // In x² + y² = L² both variables are nonlinear.
        let g = g.with_solvability(|o| if o.eqn == Eqn(2) { Never } else { o.solvability });
        pantelides(&g, &derivative).unwrap()
    }

    #[test]
    fn the_pendulum_leaves_one_of_two_open_at_both_levels() {
        let selection = select_states(&pendulum(), |_| StatePriority::DEFAULT);
        assert_eq!(selection.choices.len(), 2);
        let (first, second) = (&selection.choices[0], &selection.choices[1]);
        assert_eq!(first.candidates, [Var(2), Var(5)]);
        let open = OpenChoice { eqns: vec![Eqn(2)], candidates: vec![Var(2), Var(5)], choose: 1 };
        assert_eq!(first.certainty, Certainty::Open(vec![open]));
        assert_eq!((second.level, &second.certainty), (1, &Certainty::Forced));
        assert_eq!(selection.dummies, [Var(1), Var(2)]);
        assert_eq!(selection.states, [Var(3), Var(4)]);
    }

    #[test]
    fn priorities_decide_which_coordinate_stays() {
        let priority = |var| if var == Var(0) { StatePriority::PREFER } else { StatePriority::DEFAULT };
        assert_eq!(select_states(&pendulum(), priority).states, [Var(0), Var(1)]);
        let priority = |var| if var == Var(3) { StatePriority::NEVER } else { StatePriority::DEFAULT };
        let selection = select_states(&pendulum(), priority);
        assert_eq!(selection.states, [Var(0), Var(1)]);
        let selection = select_states(&pendulum(), |_| StatePriority::ALWAYS);
        assert_eq!(selection.always_overruled.len(), 3 + 1 + 1);
        let selection = select_states(&pendulum(), |_| StatePriority::NEVER);
        assert_eq!(selection.never_overruled, selection.states);
    }

    /// x = L cos φ, y = L sin φ and forces on x and y: variables 0 x, 1 x', 2 y, 3 y', 4 φ, 5 fx, 6 fy, 7 φ'.
    /// m x' = fx, m y' = fy (first order for brevity), fx + fy = φ' makes φ dynamic.
    fn polar() -> IndexReduction {
        let mut b = IncidenceBuilder::new(5, 8);
        for (e, v, s) in [
            (0, 0, LinearConstant),
            (0, 4, Never),
            (1, 2, LinearConstant),
            (1, 4, Never),
            (2, 1, LinearNonzero),
            (2, 5, LinearConstant),
            (3, 3, LinearNonzero),
            (3, 6, LinearConstant),
            (4, 7, LinearConstant),
            (4, 5, LinearConstant),
            (4, 6, LinearConstant),
        ] {
            b.add(Eqn(e), Var(v), s);
        }
        let mut derivative = IdVec::filled(None, 8);
        derivative[Var(0)] = Some(Var(1));
        derivative[Var(2)] = Some(Var(3));
        derivative[Var(4)] = Some(Var(7));
        pantelides(&b.build(), &derivative).unwrap()
    }

    #[test]
    fn a_triangular_choice_with_constant_pivots_is_safe() {
        let reduction = polar();
        assert_eq!(reduction.differentiations.as_slice(), [1, 1, 0, 0, 0]);
        let selection = select_states(&reduction, |_| StatePriority::DEFAULT);
        assert_eq!(selection.choices[0].certainty, Certainty::Safe);
        assert_eq!(selection.states, [Var(4)]);
    }

    #[test]
    fn a_wish_against_safety_is_open_and_comes_with_the_safe_alternative() {
        let priority = |var| if var == Var(0) { StatePriority::PREFER } else { StatePriority::DEFAULT };
        let selection = select_states(&polar(), priority);
        let choice = &selection.choices[0];
        assert_eq!(selection.states, [Var(0)]);
        // y' is settled by its own equation; x' or φ' is the question.
        let open = OpenChoice { eqns: vec![Eqn(0)], candidates: vec![Var(1), Var(7)], choose: 1 };
        assert_eq!(choice.certainty, Certainty::Open(vec![open]));
        assert_eq!(choice.safe_alternative, Some(vec![Var(1), Var(3)]));
    }
}
