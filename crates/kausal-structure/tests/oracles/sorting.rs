//! Matching, strongly connected components, block triangular form, Dulmage–Mendelsohn, relaxed forms.

use kausal_structure::dulmage_mendelsohn::minimal_singular_subset;
use kausal_structure::matching::is_matching;
use kausal_structure::*;

use crate::brute::{matching_size, reachable};
use crate::random::{Rng, digraph, incidence, regular_incidence};

#[test]
fn matchings_are_maximum() {
    for seed in 0..4000 {
        let rng = &mut Rng::new(seed);
        let (eqns, vars) = (rng.between(0, 8), rng.between(0, 8));
        let percent = rng.between(5, 60);
        let g = incidence(rng, eqns, vars, percent);
        let size = matching_size(&g, &|_, _| true);
        let m = maximum_matching(&g);
        assert!(is_matching(&g, &m), "seed {seed}");
        assert_eq!(m.size(), size, "seed {seed}");

        let safe = |e, v| SolvabilitySet::SAFE.contains(g.solvability_of(e, v).unwrap());
        let m = maximum_matching_in(&g, SolvabilitySet::SAFE);
        assert!(m.pairs().all(|(e, v)| safe(e, v)), "seed {seed}");
        let safe_size = matching_size(&g, &safe);
        assert_eq!(m.size(), safe_size, "seed {seed}");

        let preferring = maximum_matching_preferring(&g, |o| o.solvability.rank() as u8);
        assert!(is_matching(&g, &preferring), "seed {seed}");
        assert_eq!(preferring.size(), size, "seed {seed}");
        if safe_size == size {
            assert!(preferring.pairs().all(|(e, v)| safe(e, v)), "seed {seed}");
        }
    }
}

#[test]
fn augmenting_keeps_matched_nodes_matched() {
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let g = incidence(rng, 7, 7, 30);
        let mut m = Matching::empty(&g);
        for o in g.occurrences() {
            if m.var_of(o.eqn).is_none() && m.eqn_of(o.var).is_none() && rng.chance(40) {
                m.assign(o.eqn, o.var);
            }
        }
        let before = m.clone();
        augment(&g, &mut m);
        assert!(is_matching(&g, &m), "seed {seed}");
        assert_eq!(m.size(), matching_size(&g, &|_, _| true), "seed {seed}");
        assert!(before.pairs().all(|(e, v)| m.var_of(e).is_some() && m.eqn_of(v).is_some()), "seed {seed}");
    }
}

#[test]
fn components_are_the_classes_of_mutual_reachability() {
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let (n, percent) = (rng.between(1, 9), rng.between(5, 40));
        let g = digraph(rng, n, percent);
        let reach = reachable(n, |a, b| g.successors(a as u32).contains(&(b as u32)));
        let components = g.components();
        let mut place = vec![usize::MAX; n];
        for (k, component) in components.iter().enumerate() {
            component.iter().for_each(|node| place[*node as usize] = k);
        }
        for a in 0..n {
            for b in 0..n {
                let mutual = reach[a] >> b & 1 == 1 && reach[b] >> a & 1 == 1;
                assert_eq!(place[a] == place[b], mutual, "seed {seed}");
                assert!(reach[a] >> b & 1 == 0 || place[b] <= place[a], "seed {seed}");
            }
        }
    }
}

fn block_sets(form: &Blt) -> Vec<Vec<Eqn>> {
    let mut sets: Vec<Vec<Eqn>> = form.blocks().map(|block| block.eqns.to_vec()).collect();
    sets.sort();
    sets
}

#[test]
fn blocks_are_minimal_ordered_and_independent_of_the_matching() {
    for seed in 0..3000 {
        let rng = &mut Rng::new(seed);
        let (n, extra) = (rng.between(1, 9), rng.below(3));
        let g = regular_incidence(rng, n, extra);
        let m = maximum_matching(&g);
        assert!(m.is_perfect(), "seed {seed}");
        let form = blt(&g, &m);
        let needs =
            |a: usize, b: usize| m.var_of(Eqn(b as u32)).is_some_and(|v| g.find(Eqn(a as u32), v).is_some());
        let reach = reachable(n, needs);
        for a in 0..n {
            for b in 0..n {
                let (x, y) = (form.block_of(Eqn(a as u32)).unwrap(), form.block_of(Eqn(b as u32)).unwrap());
                assert_eq!(x == y, reach[a] >> b & 1 == 1 && reach[b] >> a & 1 == 1, "seed {seed}");
                assert!(reach[a] >> b & 1 == 0 || y <= x, "seed {seed}");
            }
        }
        for block in form.blocks() {
            assert!(block.eqns.iter().zip(block.vars).all(|(e, v)| m.var_of(*e) == Some(*v)), "seed {seed}");
        }
        // Another matching, found with other preferences, gives the same blocks.
        let other = maximum_matching_preferring(&g, |o| (o.edge.0 * 7 % 5) as u8);
        assert_eq!(block_sets(&blt(&g, &other)), block_sets(&form), "seed {seed}");
    }
}

#[test]
fn an_ordered_system_keeps_its_order_and_only_needs_are_moved_forward() {
    for seed in 0..1000 {
        let rng = &mut Rng::new(seed);
        let n = rng.between(2, 12);
        let rows: Vec<Vec<u32>> =
            (0..n as u32).map(|k| (0..=k).filter(|v| *v == k || rng.chance(20)).collect()).collect();
        let g = Incidence::from_rows(n, &rows);
        let order = blt(&g, &maximum_matching(&g)).eqns().to_vec();
        assert_eq!(order, g.eqn_ids().collect::<Vec<_>>(), "seed {seed}");
        // The same system in another order of equations: an equation stands before a smaller one only if that needs it.
        let mut shuffled: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut shuffled);
        let g = Incidence::from_rows(n, &shuffled.iter().map(|k| rows[*k].clone()).collect::<Vec<_>>());
        let m = maximum_matching(&g);
        let form = blt(&g, &m);
        let reach = reachable(n, |a, b| g.find(Eqn(a as u32), m.var_of(Eqn(b as u32)).unwrap()).is_some());
        let order = form.eqns();
        for (k, early) in order.iter().enumerate() {
            let passed: Vec<Eqn> = order[k + 1..].iter().copied().filter(|late| late < early).collect();
            let needed = |root: &Eqn| reach[root.0 as usize] >> early.0 & 1 == 1;
            assert!(passed.is_empty() || passed.iter().any(needed), "seed {seed}");
        }
    }
}

#[test]
fn the_three_parts_are_what_maximum_matchings_can_leave_out() {
    for seed in 0..1500 {
        let rng = &mut Rng::new(seed);
        let (eqns, vars, percent) = (rng.between(0, 7), rng.between(0, 7), rng.between(5, 45));
        let g = incidence(rng, eqns, vars, percent);
        let m = maximum_matching(&g);
        let dm = dulmage_mendelsohn(&g, &m);
        let size = m.size();
        let can_miss_eqn = |e: Eqn| matching_size(&g, &|eqn, _| eqn != e) == size;
        let can_miss_var = |v: Var| matching_size(&g, &|_, var| var != v) == size;
        for e in g.eqn_ids() {
            let over = can_miss_eqn(e);
            let under = g.vars(e).iter().any(|v| can_miss_var(*v));
            assert!(!(over && under), "seed {seed}");
            let expected = if over {
                Determined::Over
            } else if under {
                Determined::Under
            } else {
                Determined::Well
            };
            assert_eq!(dm.eqn_part(e), expected, "seed {seed}");
        }
        for v in g.var_ids() {
            let under = can_miss_var(v);
            let over = g.eqns(v).iter().any(|e| can_miss_eqn(*e));
            let expected = if under {
                Determined::Under
            } else if over {
                Determined::Over
            } else {
                Determined::Well
            };
            assert_eq!(dm.var_part(v), expected, "seed {seed}");
        }
        for (part, sign) in [(&dm.over, 1), (&dm.well, 0), (&dm.under, -1)] {
            let mut all: Vec<Eqn> = part.pieces.iter().flat_map(|piece| piece.eqns.clone()).collect();
            all.sort();
            assert_eq!(all, part.eqns, "seed {seed}");
            assert_eq!(
                part.pieces.iter().map(|p| p.vars.len()).sum::<usize>(),
                part.vars.len(),
                "seed {seed}"
            );
            for piece in &part.pieces {
                assert_eq!(piece.surplus().signum(), sign, "seed {seed}");
                assert!(is_connected(&g, piece), "seed {seed}");
                // No edge leads from one piece to another piece of the same part.
                let leaves =
                    |e: &Eqn| g.vars(*e).iter().any(|v| part.vars.contains(v) && !piece.vars.contains(v));
                assert!(!piece.eqns.iter().any(leaves), "seed {seed}");
            }
        }
        for unmatched in m.unmatched_eqns() {
            let piece = minimal_singular_subset(&g, &m, unmatched);
            assert_eq!(piece.surplus(), 1, "seed {seed}");
            let within =
                |out: Option<Eqn>| matching_size(&g, &|e, _| piece.eqns.contains(&e) && Some(e) != out);
            assert_eq!(within(None), piece.eqns.len() - 1, "seed {seed}");
            for e in &piece.eqns {
                assert_eq!(within(Some(*e)), piece.eqns.len() - 1, "seed {seed}");
                assert!(g.vars(*e).iter().all(|v| piece.vars.contains(v)), "seed {seed}");
            }
        }
    }
}

fn is_connected(g: &Incidence, piece: &Piece) -> bool {
    let n = piece.eqns.len() + piece.vars.len();
    let reach = reachable(n, |a, b| {
        let (a, b) = (a.min(b), a.max(b));
        a < piece.eqns.len()
            && b >= piece.eqns.len()
            && g.find(piece.eqns[a], piece.vars[b - piece.eqns.len()]).is_some()
    });
    n == 0 || reach[0].count_ones() as usize == n
}

#[test]
fn a_singular_relaxed_form_is_repaired_by_exactly_the_named_occurrences() {
    let (mut singular, mut regular) = (0, 0);
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let n = rng.between(2, 7);
        let g = regular_incidence(rng, n, 2);
        let relaxed: Vec<(Eqn, Var)> =
            g.occurrences().filter(|_| rng.chance(30)).map(|o| (o.eqn, o.var)).collect();
        let size = matching_size(&g, &|e, v| !relaxed.contains(&(e, v)));
        match relaxed_blt(&g, &relaxed) {
            Ok(form) => {
                regular += 1;
                assert_eq!(size, n, "seed {seed}");
                // Relaxed occurrences aside, each block needs only earlier ones.
                for o in g.occurrences().filter(|o| !relaxed.contains(&(o.eqn, o.var))) {
                    let source = form.matching.eqn_of(o.var).unwrap();
                    assert!(form.blt.block_of(source) <= form.blt.block_of(o.eqn), "seed {seed}");
                }
            }
            Err(error) => {
                singular += 1;
                assert_eq!(error.lost_vars.len(), n - size, "seed {seed}");
                for pair in &relaxed {
                    let gains =
                        matching_size(&g, &|e, v| (e, v) == *pair || !relaxed.contains(&(e, v))) > size;
                    assert_eq!(error.repairs.contains(pair), gains, "seed {seed}");
                }
            }
        }
    }
    assert!(singular > 100 && regular > 100, "{singular} singular, {regular} regular");
}
