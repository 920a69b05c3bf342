//! Tearing against all subsets of variables; declared and nested tearing against their definitions.

use kausal_structure::feedback::{feedback_vertex_set, is_acyclic_without};
use kausal_structure::tearing::check::check;
use kausal_structure::tearing::declared::{Completion, Declaration, tear_as_declared};
use kausal_structure::tearing::exact::minimum;
use kausal_structure::tearing::nested::{NestedStep, linearizing_variables, tear_nested};
use kausal_structure::tearing::{DEFAULT_WEIGHT, Effort, FORBIDDEN, TearingProblem, tear};
use kausal_structure::*;

use crate::brute::{closure, least_tearing_weight};
use crate::random::{Rng, digraph, incidence, regular_incidence};

fn heuristics_only() -> Effort {
    Effort { exact_limit: 0, ..Effort::default() }
}

fn bits(vars: &[Var]) -> u64 {
    vars.iter().fold(0, |bits, var| bits | 1 << var.0)
}

fn solvable_set(rng: &mut Rng) -> SolvabilitySet {
    [SolvabilitySet::SAFE, SolvabilitySet::EXPLICIT, SolvabilitySet::SOLVABLE, SolvabilitySet::ALL]
        [rng.below(4)]
}

#[test]
fn exact_tearing_is_the_minimum_over_all_subsets() {
    let mut sizes = [0usize; 12];
    for seed in 0..6000 {
        let rng = &mut Rng::new(seed);
        let (n, extra) = (rng.between(1, 9), rng.between(0, 3));
        let g = if rng.chance(20) { incidence(rng, n, n, 40) } else { regular_incidence(rng, n, extra) };
        let problem = TearingProblem::new(&g, solvable_set(rng));
        let least = least_tearing_weight(&problem).unwrap();
        let tearing = minimum(&problem, 1_000_000).unwrap();
        assert_eq!(check(&problem, &tearing), Ok(()), "seed {seed}");
        assert_eq!(problem.total_weight(&tearing.tearing_variables), least, "seed {seed}");
        sizes[tearing.tearing_variables.len()] += 1;
        let torn = tear(&problem, Effort::default());
        assert_eq!(check(&problem, &torn.tearing), Ok(()), "seed {seed}");
        assert_eq!((torn.weight, torn.optimal), (least, true), "seed {seed}");
    }
    assert!(sizes[1..5].iter().all(|count| *count > 100), "{sizes:?}");
}

#[test]
fn weights_and_forbidden_variables_are_respected_exactly() {
    let mut impossible = 0;
    for seed in 0..6000 {
        let rng = &mut Rng::new(seed);
        let (n, extra) = (rng.between(1, 8), rng.between(0, 3));
        let g = regular_incidence(rng, n, extra);
        let mut problem = TearingProblem::new(&g, solvable_set(rng));
        for var in g.var_ids() {
            problem.weight[var] = if rng.chance(15) { FORBIDDEN } else { rng.between(1, 5) as u32 };
        }
        let least = least_tearing_weight(&problem);
        let tearing = minimum(&problem, 1_000_000);
        assert_eq!(
            tearing.as_ref().map(|t| problem.total_weight(&t.tearing_variables)),
            least,
            "seed {seed}"
        );
        let torn = tear(&problem, Effort::default());
        assert_eq!(check(&problem, &torn.tearing), Ok(()), "seed {seed}");
        match least {
            Some(least) => assert_eq!(torn.weight, least, "seed {seed}"),
            None => {
                impossible += 1;
                assert!(torn.weight >= u64::from(FORBIDDEN), "seed {seed}");
            }
        }
    }
    assert!(impossible > 50, "{impossible}");
}

#[test]
fn heuristics_are_valid_and_seldom_far_from_the_minimum() {
    let (mut found, mut least, mut worst) = (0, 0, 0);
    for seed in 0..1500 {
        let rng = &mut Rng::new(seed);
        let n = rng.between(10, 30);
        let extra = rng.between(1, 2);
        let g = regular_incidence(rng, n, extra);
        let problem = TearingProblem::new(&g, SolvabilitySet::EXPLICIT);
        let torn = tear(&problem, heuristics_only());
        assert_eq!(check(&problem, &torn.tearing), Ok(()), "seed {seed}");
        let Some(best) = minimum(&problem, 200_000) else { continue };
        assert_eq!(check(&problem, &best), Ok(()), "seed {seed}");
        let (a, b) = (torn.tearing.tearing_variables.len(), best.tearing_variables.len());
        assert!(a >= b, "seed {seed}");
        found += a;
        least += b;
        worst = worst.max(a - b);
    }
    // The margin is what we are willing to lose; `--nocapture` shows the figure.
    println!("{found} tearing variables where {least} suffice, at most {worst} too many");
    assert!(found as f64 <= 1.05 * least as f64 && worst <= 3, "{found} {least} {worst}");
}

#[test]
fn declarations_are_followed_and_completed() {
    let (mut complete, mut completed) = (0, 0);
    for seed in 0..4000 {
        let rng = &mut Rng::new(seed);
        let (n, extra) = (rng.between(2, 10), rng.between(0, 3));
        let g = regular_incidence(rng, n, extra);
        let mut problem = TearingProblem::new(&g, solvable_set(rng));
        for var in g.var_ids() {
            problem.weight[var] = if rng.chance(5) { FORBIDDEN } else { DEFAULT_WEIGHT };
        }
        // Ids out of range are allowed and ignored.
        let variables: Vec<Var> = (0..n as u32 + 2).filter(|_| rng.chance(25)).map(Var).collect();
        let residuals: Vec<Eqn> = (0..n as u32 + 2).filter(|_| rng.chance(25)).map(Eqn).collect();
        let declaration = Declaration { variables: variables.clone(), residuals: residuals.clone() };
        let inside = |var: &&Var| var.index() < n && problem.weight[**var] != FORBIDDEN;
        let wanted: Vec<Var> = variables.iter().filter(inside).copied().collect();
        let residuals: Vec<Eqn> = residuals.into_iter().filter(|eqn| eqn.index() < n).collect();

        let automatic = tear_as_declared(&problem, &declaration, Completion::Automatic);
        assert_eq!(check(&problem, &automatic.tearing), Ok(()), "seed {seed}");
        assert!(wanted.iter().all(|var| automatic.tearing.tearing_variables.contains(var)), "seed {seed}");
        assert!(residuals.iter().all(|eqn| automatic.tearing.residuals.contains(eqn)), "seed {seed}");

        let report = tear_as_declared(&problem, &declaration, Completion::Report);
        assert_eq!(report.remaining, automatic.remaining, "seed {seed}");
        // What follows from the declared variables when the declared residuals may not be used.
        let without = g.filtered(|o| !residuals.contains(&o.eqn));
        let reduced = TearingProblem::new(&without, problem.solvable);
        let known = closure(&reduced, bits(&wanted));
        let expected: Vec<Var> = g.var_ids().filter(|var| known >> var.0 & 1 == 0).collect();
        assert_eq!(report.remaining.vars, expected, "seed {seed}");
        if report.remaining.is_empty() {
            complete += 1;
            assert_eq!(check(&problem, &report.tearing), Ok(()), "seed {seed}");
            assert_eq!(report.tearing.tearing_variables, wanted, "seed {seed}");
            assert_eq!(
                report.as_declared,
                report.tearing.residuals == residuals && report.tearing.tearing_variables == wanted,
                "seed {seed}"
            );
        } else {
            completed += 1;
            let rest = &report.remaining;
            for found in &rest.loops {
                assert!(
                    found.eqns.len() > 1 && found.eqns.iter().all(|e| rest.eqns.contains(e)),
                    "seed {seed}"
                );
                assert!(found.vars.iter().all(|v| rest.vars.contains(v)), "seed {seed}");
            }
            for blocked in &rest.blocked {
                let unknown: Vec<&Var> =
                    g.vars(blocked.assignment.eqn).iter().filter(|v| rest.vars.contains(v)).collect();
                assert_eq!(unknown, [&blocked.assignment.var], "seed {seed}");
                assert!(!problem.solvable.contains(blocked.solvability), "seed {seed}");
            }
            // Something must be in the way: a loop, a forbidden division, or too few equations.
            let reason = !rest.loops.is_empty() || !rest.blocked.is_empty() || !rest.too_few.vars.is_empty();
            let single_unsafe = rest.eqns.iter().any(|e| g.vars(*e).iter().any(|v| rest.vars.contains(v)));
            assert!(reason || single_unsafe, "seed {seed}");
        }
    }
    assert!(complete > 300 && completed > 300, "{complete} {completed}");
}

#[test]
fn nested_tearing_computes_everything_once_and_in_order() {
    let mut systems = 0;
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let n = rng.between(2, 12);
        let g = regular_incidence(rng, n, 2);
        let problem = TearingProblem::new(&g, SolvabilitySet::SAFE);
        let outer: Vec<Var> = g.var_ids().filter(|_| rng.chance(20)).collect();
        let nested = tear_nested(&problem, &outer, None, Effort::default()).unwrap();
        assert_eq!(
            (nested.tearing_variables.len(), nested.residuals.len()),
            (outer.len(), outer.len()),
            "seed {seed}"
        );
        let mut known = bits(&outer);
        let mut used = nested.residuals.iter().fold(0u64, |bits, e| bits | 1 << e.0);
        let mut use_once = |eqn: Eqn| {
            assert_eq!(used >> eqn.0 & 1, 0, "seed {seed}");
            used |= 1 << eqn.0;
        };
        for step in &nested.steps {
            match step {
                NestedStep::Solve(a) => {
                    use_once(a.eqn);
                    assert!(
                        g.vars(a.eqn).iter().all(|v| *v == a.var || known >> v.0 & 1 == 1),
                        "seed {seed}"
                    );
                    known |= 1 << a.var.0;
                }
                NestedStep::System(t) => {
                    systems += 1;
                    known |= bits(&t.tearing_variables);
                    for a in &t.sequence {
                        use_once(a.eqn);
                        assert!(
                            g.vars(a.eqn).iter().all(|v| *v == a.var || known >> v.0 & 1 == 1),
                            "seed {seed}"
                        );
                        known |= 1 << a.var.0;
                    }
                    for eqn in &t.residuals {
                        use_once(*eqn);
                        assert!(g.vars(*eqn).iter().all(|v| known >> v.0 & 1 == 1), "seed {seed}");
                    }
                }
            }
        }
        assert_eq!((known, used), ((1 << n) - 1, (1 << n) - 1), "seed {seed}");
        // With the linearizing variables known, inner systems contain their own unknowns linearly only.
        let outer = linearizing_variables(&problem, 1_000_000);
        let nested = tear_nested(&problem, &outer, None, Effort::default()).unwrap();
        for step in &nested.steps {
            if let NestedStep::System(t) = step {
                let inner: Vec<Var> =
                    t.tearing_variables.iter().copied().chain(t.sequence.iter().map(|a| a.var)).collect();
                let eqns = t.residuals.iter().copied().chain(t.sequence.iter().map(|a| a.eqn));
                for eqn in eqns {
                    let nonlinear = g
                        .row(eqn)
                        .any(|o| inner.contains(&o.var) && !SolvabilitySet::LINEAR.contains(o.solvability));
                    assert!(!nonlinear || inner.len() == 1, "seed {seed}");
                }
            }
        }
    }
    assert!(systems > 500, "{systems}");
}

#[test]
fn feedback_sets_are_the_smallest() {
    for seed in 0..3000 {
        let rng = &mut Rng::new(seed);
        let (n, percent) = (rng.between(1, 10), rng.between(10, 45));
        let g = digraph(rng, n, percent);
        let weighted = rng.chance(50);
        let weight: Vec<u32> = (0..n).map(|_| if weighted { rng.between(1, 4) as u32 } else { 1 }).collect();
        let total = |set: &[u32]| set.iter().map(|node| weight[*node as usize]).sum::<u32>();
        let least = (0..1u32 << n)
            .map(|subset| (0..n as u32).filter(|node| subset >> node & 1 == 1).collect::<Vec<_>>())
            .filter(|set| is_acyclic_without(&g, set))
            .map(|set| total(&set))
            .min()
            .unwrap();
        let set = feedback_vertex_set(&g, Some(&weight), Effort::default());
        assert!(is_acyclic_without(&g, &set.nodes), "seed {seed}");
        assert_eq!((total(&set.nodes), set.optimal), (least, true), "seed {seed}");
        let quick = feedback_vertex_set(&g, Some(&weight), heuristics_only());
        assert!(is_acyclic_without(&g, &quick.nodes), "seed {seed}");
    }
}
