//! Alias sets and colourings against their definitions.

use kausal_structure::alias::{AliasSets, Relation};
use kausal_structure::*;

use crate::random::{Rng, incidence};

#[test]
fn alias_sets_agree_with_all_assignments_of_values() {
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let n = rng.between(1, 6);
        let mut sets = AliasSets::new(n);
        let mut relations: Vec<(usize, usize, bool)> = Vec::new();
        // Values -2..=2 tell equal, opposite and zero apart.
        let holds = |relations: &[(usize, usize, bool)]| -> Vec<Vec<i32>> {
            (0..5usize.pow(n as u32))
                .map(|code| (0..n).map(|k| (code / 5usize.pow(k as u32) % 5) as i32 - 2).collect::<Vec<_>>())
                .filter(|x| relations.iter().all(|(a, b, neg)| x[*a] == if *neg { -x[*b] } else { x[*b] }))
                .collect()
        };
        for _ in 0..rng.between(1, 7) {
            let (a, b, negated) = (rng.below(n), rng.below(n), rng.chance(50));
            let before = holds(&relations).len();
            relations.push((a, b, negated));
            let after = holds(&relations);
            let zero_before = sets.is_zero(a as u32) || sets.is_zero(b as u32);
            match sets.relate(a as u32, b as u32, negated) {
                Relation::Redundant => assert_eq!(before, after.len(), "seed {seed}"),
                Relation::Merged => assert!(after.len() < before || zero_before, "seed {seed}"),
                Relation::ForcesZero => assert!(after.iter().all(|x| x[a] == 0), "seed {seed}"),
            }
        }
        let solutions = holds(&relations);
        for a in 0..n {
            assert_eq!(sets.is_zero(a as u32), solutions.iter().all(|x| x[a] == 0), "seed {seed}");
            for b in 0..n {
                match sets.relation(a as u32, b as u32) {
                    Some(false) => assert!(solutions.iter().all(|x| x[a] == x[b]), "seed {seed}"),
                    Some(true) => assert!(solutions.iter().all(|x| x[a] == -x[b]), "seed {seed}"),
                    None => {
                        let both_zero = sets.is_zero(a as u32) && sets.is_zero(b as u32);
                        let tied =
                            solutions.iter().all(|x| x[a] == x[b]) || solutions.iter().all(|x| x[a] == -x[b]);
                        assert!(both_zero || !tied, "seed {seed}");
                    }
                }
            }
        }
        for set in sets.sets(std::cmp::Reverse) {
            assert_eq!(set.representative, set.members[0].var, "seed {seed}");
            for member in &set.members {
                let sign = if member.negated { -1 } else { 1 };
                let (m, r) = (member.var as usize, set.representative as usize);
                assert!(solutions.iter().all(|x| x[m] == sign * x[r]), "seed {seed}");
                assert_eq!(set.zero, solutions.iter().all(|x| x[m] == 0), "seed {seed}");
            }
        }
    }
}

#[test]
fn columns_of_one_colour_share_no_row() {
    let (mut ours, mut least) = (0, 0);
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let (eqns, vars, percent) = (rng.between(0, 8), rng.between(1, 8), rng.between(5, 40));
        let g = incidence(rng, eqns, vars, percent);
        let colouring = colour_columns(&g);
        for group in colouring.groups() {
            for (k, a) in group.iter().enumerate() {
                assert!(group[k + 1..].iter().all(|b| !share_a_row(&g, *a, *b)), "seed {seed}");
            }
        }
        let longest = g.eqn_ids().map(|e| g.vars(e).len()).max().unwrap_or(0).max(1);
        assert!(colouring.colours >= longest, "seed {seed}");
        ours += colouring.colours;
        least += (longest..).find(|colours| colourable(&g, &mut Vec::new(), *colours as u32)).unwrap();
    }
    assert!(ours as f64 <= 1.02 * least as f64, "{ours} colours where {least} suffice");
}

fn share_a_row(g: &Incidence, a: Var, b: Var) -> bool {
    g.eqns(a).iter().any(|e| g.eqns(b).contains(e))
}

fn colourable(g: &Incidence, chosen: &mut Vec<u32>, colours: u32) -> bool {
    if chosen.len() == g.var_count() {
        return true;
    }
    let var = Var(chosen.len() as u32);
    for colour in 0..colours {
        let clash = (0..chosen.len()).any(|k| chosen[k] == colour && share_a_row(g, Var(k as u32), var));
        if !clash {
            chosen.push(colour);
            if colourable(g, chosen, colours) {
                return true;
            }
            chosen.pop();
        }
    }
    false
}
