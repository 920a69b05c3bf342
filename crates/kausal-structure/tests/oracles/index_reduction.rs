//! Pantelides against Pryce's signature method, and state selection against all possible selections.

use kausal_structure::dummy_derivatives::{Certainty, DummyChoice};
use kausal_structure::signature::Signature;
use kausal_structure::*;

use crate::brute::{determinant_mod_3, matching_size};
use crate::random::Rng;

struct Dae {
    incidence: Incidence,
    derivative: IdVec<Var, Option<Var>>,
    signature: Signature,
}

/// `n` equations for `n` chains of up to `max_order` derivatives; the derivatives that occur anywhere are variables.
fn dae(rng: &mut Rng, n: usize, max_order: usize, extra: usize) -> Dae {
    let mut hidden: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut hidden);
    let mut occurrences: Vec<(usize, usize, usize)> = Vec::new();
    for (e, chain) in hidden.iter().enumerate() {
        // Now and then the hidden matching is broken, so that singular systems occur.
        if !rng.chance(5) {
            occurrences.push((e, *chain, rng.between(0, max_order)));
        }
        for _ in 0..rng.between(0, 2 * extra) {
            occurrences.push((e, rng.below(n), rng.between(0, max_order)));
        }
    }
    let mut first = vec![0u32; n + 1];
    for chain in 0..n {
        let length = 1 + occurrences.iter().filter(|o| o.1 == chain).map(|o| o.2).max().unwrap_or(0);
        first[chain + 1] = first[chain] + length as u32;
    }
    let vars = first[n] as usize;
    let mut derivative = IdVec::filled(None, vars);
    for chain in 0..n {
        for var in first[chain]..first[chain + 1] - 1 {
            derivative[Var(var)] = Some(Var(var + 1));
        }
    }
    let mut builder = IncidenceBuilder::new(n, vars);
    let mut rows = vec![Vec::new(); n];
    for &(e, chain, order) in &occurrences {
        builder.add(Eqn(e as u32), Var(first[chain] + order as u32), rng.solvability());
        rows[e].push((chain, order as u32));
    }
    Dae { incidence: builder.build(), derivative, signature: Signature { rows } }
}

/// Masses with forces, tied together by constraints on positions or velocities with one multiplier each.
fn constrained_masses(rng: &mut Rng, masses: usize, constraints: usize) -> Dae {
    let n = masses + constraints;
    let vars = 3 * masses + constraints;
    let mut derivative = IdVec::filled(None, vars);
    let mut builder = IncidenceBuilder::new(n, vars);
    let mut rows = vec![Vec::new(); n];
    for k in 0..masses {
        derivative[Var(3 * k as u32)] = Some(Var(3 * k as u32 + 1));
        derivative[Var(3 * k as u32 + 1)] = Some(Var(3 * k as u32 + 2));
        builder.add(Eqn(k as u32), Var(3 * k as u32 + 2), Solvability::LinearNonzero);
        rows[k].push((k, 2));
    }
    for c in 0..constraints {
        let order = rng.below(4) / 3;
        let (eqn, multiplier) = (masses + c, 3 * masses + c);
        for k in 0..masses {
            if k == c || rng.chance(35) {
                let solvability = rng.solvability();
                builder.add(Eqn(eqn as u32), Var((3 * k + order) as u32), solvability);
                builder.add(Eqn(k as u32), Var(multiplier as u32), solvability);
                rows[eqn].push((k, order as u32));
                rows[k].push((masses + c, 0));
            }
        }
    }
    Dae { incidence: builder.build(), derivative, signature: Signature { rows } }
}

#[test]
fn counts_are_the_canonical_offsets_of_the_signature_method() {
    let (mut regular, mut singular, mut high_index) = (0, 0, 0);
    for seed in 0..6000 {
        let rng = &mut Rng::new(seed);
        let (n, max_order, extra) = (rng.between(1, 9), rng.between(0, 3), rng.between(0, 2));
        let dae = dae(rng, n, max_order, extra);
        let offsets = dae.signature.offsets();
        match pantelides(&dae.incidence, &dae.derivative) {
            Ok(reduction) => {
                regular += 1;
                let offsets = offsets.unwrap_or_else(|| panic!("seed {seed}: the oracle says singular"));
                assert_eq!(reduction.differentiations.as_slice(), offsets.eqn, "seed {seed}");
                assert_eq!(reduction.highest, offsets.var, "seed {seed}");
                assert_eq!(reduction.degrees_of_freedom(), offsets.value as i64, "seed {seed}");
                assert!(reduction.matching.is_perfect(), "seed {seed}");
                assert!(
                    matching::is_matching(&reduction.highest_incidence, &reduction.matching),
                    "seed {seed}"
                );
                high_index += usize::from(reduction.structural_index() > 1);
                check_numbering(&dae, &reduction, seed);
            }
            Err(PantelidesError::Singular { subsets }) => {
                singular += 1;
                assert_eq!(offsets, None, "seed {seed}");
                assert!(!subsets.is_empty(), "seed {seed}");
                for piece in &subsets {
                    assert_eq!(piece.surplus(), 1, "seed {seed}");
                }
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(regular > 1000 && singular > 300 && high_index > 500, "{regular} {singular} {high_index}");
}

fn check_numbering(dae: &Dae, reduction: &IndexReduction, seed: u64) {
    let mut next_var = dae.incidence.var_count() as u32;
    for chain in 0..reduction.chains.len() {
        for order in 1..=reduction.highest[chain] {
            let (low, high) =
                (reduction.var_at(chain, order - 1).unwrap(), reduction.var_at(chain, order).unwrap());
            let known = dae.derivative.get(low).copied().flatten();
            if known.is_none() {
                assert_eq!(high, Var(next_var), "seed {seed}");
                assert_eq!(
                    reduction.new_vars[next_var as usize - dae.incidence.var_count()],
                    low,
                    "seed {seed}"
                );
                next_var += 1;
            } else {
                assert_eq!(known, Some(high), "seed {seed}");
            }
        }
    }
    assert_eq!(reduction.var_count(), next_var as usize, "seed {seed}");
    let total: u32 = reduction.differentiations.as_slice().iter().sum();
    assert_eq!(reduction.new_eqns.len(), total as usize, "seed {seed}");
    for (eqn, count) in reduction.differentiations.iter() {
        for order in 1..=*count {
            let (low, high) =
                (reduction.eqn_at(eqn, order - 1).unwrap(), reduction.eqn_at(eqn, order).unwrap());
            assert_eq!(reduction.new_eqns[high.index() - dae.incidence.eqn_count()], low, "seed {seed}");
        }
    }
}

#[test]
fn the_highest_transversal_is_the_best_of_all() {
    fn best(rows: &[Vec<(usize, u32)>], row: usize, taken: u32) -> Option<u64> {
        if row == rows.len() {
            return Some(0);
        }
        let rest = |c: usize| best(rows, row + 1, taken | 1 << c);
        let options = rows[row].iter().filter(|(c, _)| taken >> c & 1 == 0);
        options.filter_map(|(c, order)| Some(u64::from(*order) + rest(*c)?)).max()
    }
    for seed in 0..1500 {
        let rng = &mut Rng::new(seed);
        let n = rng.between(1, 6);
        let signature = dae(rng, n, 4, 2).signature;
        assert_eq!(signature.offsets().map(|o| o.value), best(&signature.rows, 0, 0), "seed {seed}");
    }
}

/// The block of highest derivatives behind a choice: which candidates occur in which equation.
fn occurs(
    reduction: &IndexReduction,
    choice: &DummyChoice,
    eqn: Eqn,
    candidate: usize,
) -> Option<Solvability> {
    let chain = chain_of(reduction, choice.candidates[candidate], choice.level);
    reduction.highest_incidence.solvability_of(eqn, Var(chain as u32))
}

fn chain_of(reduction: &IndexReduction, var: Var, level: u32) -> usize {
    (0..reduction.chains.len())
        .find(|chain| {
            reduction.highest[*chain] >= level
                && reduction.var_at(*chain, reduction.highest[*chain] - level) == Some(var)
        })
        .unwrap()
}

#[test]
fn dummies_can_be_matched_cost_least_and_leave_the_right_number_of_states() {
    let (mut choices, mut open, mut safe) = (0, 0, 0);
    for seed in 0..4000 {
        let rng = &mut Rng::new(seed);
        let dae = if rng.chance(50) {
            let (n, max_order) = (rng.between(2, 8), rng.between(1, 3));
            dae(rng, n, max_order, 1)
        } else {
            let masses = rng.between(2, 6);
            let constraints = rng.between(1, masses - 1);
            constrained_masses(rng, masses, constraints)
        };
        let Ok(reduction) = pantelides(&dae.incidence, &dae.derivative) else { continue };
        let wishes: Vec<StatePriority> =
            (0..reduction.var_count()).map(|_| StatePriority(rng.between(0, 3) as i32)).collect();
        let selection = select_states(&reduction, |var| wishes[var.index()]);
        assert_eq!(selection.states.len() as i64, reduction.degrees_of_freedom(), "seed {seed}");
        let total: u32 = reduction.differentiations.as_slice().iter().sum();
        assert_eq!(selection.dummies.len(), total as usize, "seed {seed}");
        for choice in &selection.choices {
            choices += 1;
            let edge = |e: usize, c: usize| occurs(&reduction, choice, choice.eqns[e], c);
            let is_basis = |subset: u64| {
                let rows: Vec<Vec<u32>> = (0..choice.eqns.len())
                    .map(|e| {
                        let columns = (0..choice.candidates.len()).filter(|c| subset >> c & 1 == 1);
                        columns.filter(|c| edge(e, *c).is_some()).map(|c| c as u32).collect()
                    })
                    .collect();
                let g = Incidence::from_rows(choice.candidates.len(), &rows);
                matching_size(&g, &|_, _| true) == choice.eqns.len()
            };
            let chosen = choice.dummies.iter().fold(0u64, |bits, dummy| {
                bits | 1 << choice.candidates.iter().position(|c| c == dummy).unwrap()
            });
            assert_eq!(chosen.count_ones() as usize, choice.eqns.len(), "seed {seed}");
            assert!(is_basis(chosen), "seed {seed}");
            // At the lowest level of a chain only one state is at stake, so costs simply add up.
            let wish = |c: usize| {
                let chain = chain_of(&reduction, choice.candidates[c], choice.level);
                let order = reduction.highest[chain] - choice.level;
                (order == 1).then(|| wishes[reduction.var_at(chain, 0).unwrap().index()].0)
            };
            if (0..choice.candidates.len()).all(|c| wish(c).is_some()) {
                let cost = |subset: u64| -> i32 {
                    (0..choice.candidates.len()).filter(|c| subset >> c & 1 == 1).filter_map(wish).sum()
                };
                let subsets = 0..1u64 << choice.candidates.len();
                let least = subsets
                    .filter(|s| s.count_ones() as usize == choice.eqns.len() && is_basis(*s))
                    .map(cost)
                    .min();
                assert_eq!(Some(cost(chosen)), least, "seed {seed}");
            }
            match &choice.certainty {
                Certainty::Forced => assert_eq!(choice.candidates.len(), choice.eqns.len(), "seed {seed}"),
                Certainty::Safe => {
                    safe += 1;
                    assert_never_singular(rng, choice, &choice.dummies, &edge, seed);
                }
                Certainty::Open(sets) => {
                    open += 1;
                    let needed: usize = sets.iter().map(|set| set.choose).sum();
                    assert!((1..=choice.eqns.len()).contains(&needed), "seed {seed}");
                    for set in sets {
                        assert!(set.candidates.len() >= set.choose, "seed {seed}");
                        assert!(set.candidates.iter().all(|c| choice.candidates.contains(c)), "seed {seed}");
                    }
                    if let Some(alternative) = &choice.safe_alternative {
                        assert_never_singular(rng, choice, alternative, &edge, seed);
                    }
                }
            }
        }
    }
    assert!(choices > 2000 && open > 500 && safe > 500, "{choices} choices, {open} open, {safe} safe");
}

/// Modulo 3 sums cancel often. With any nonzero values for safe entries and any values for the others, the determinant of a safe
/// choice must not vanish.
fn assert_never_singular(
    rng: &mut Rng,
    choice: &DummyChoice,
    dummies: &[Var],
    edge: &dyn Fn(usize, usize) -> Option<Solvability>,
    seed: u64,
) {
    let columns: Vec<usize> =
        dummies.iter().map(|d| choice.candidates.iter().position(|c| c == d).unwrap()).collect();
    for _ in 0..8 {
        let matrix = (0..choice.eqns.len())
            .map(|e| {
                let value = |c: &usize| match edge(e, *c) {
                    None => 0,
                    Some(s) if SolvabilitySet::SAFE.contains(s) => 1 + rng.below(2) as u8,
                    Some(_) => rng.below(3) as u8,
                };
                columns.iter().map(value).collect()
            })
            .collect();
        assert_ne!(determinant_mod_3(matrix), 0, "seed {seed}");
    }
}
