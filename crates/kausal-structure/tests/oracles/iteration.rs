//! Branch tearing: the sweeps are what the paper says, and they converge on diagonally dominant systems.

use kausal_structure::branch_tearing::{BranchKind, Sweep, sweep_for_matching};
use kausal_structure::feedback::is_acyclic_without;
use kausal_structure::tearing::Effort;
use kausal_structure::*;

use crate::random::{Rng, regular_incidence};

fn sweep(g: &Incidence, m: &Matching, kind: BranchKind) -> Sweep {
    sweep_for_matching(g, m, kind, Effort::default())
}

#[test]
fn sweeps_use_old_values_only_where_branches_are_torn() {
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let (n, extra) = (rng.between(1, 10), rng.between(0, 3));
        let g = regular_incidence(rng, n, extra);
        let m = maximum_matching(&g);

        let first = sweep(&g, &m, BranchKind::First);
        assert_eq!(first.sequence.len() + first.updates.len(), n, "seed {seed}");
        let mut known: Vec<Var> = first.iterated.clone();
        for step in &first.sequence {
            assert!(g.vars(step.eqn).iter().all(|v| *v == step.var || known.contains(v)), "seed {seed}");
            known.push(step.var);
        }
        assert_eq!(first.updates.len(), first.iterated.len(), "seed {seed}");
        assert!(first.updates.iter().all(|u| first.iterated.contains(&u.var)), "seed {seed}");

        let second = sweep(&g, &m, BranchKind::Second);
        assert_eq!(second.sequence.len(), n, "seed {seed}");
        let (mut known, mut torn) = (Vec::new(), Vec::new());
        for step in &second.sequence {
            let old = g.vars(step.eqn).iter().filter(|v| **v != step.var && !known.contains(*v));
            torn.extend(old.map(|v| (step.eqn, *v)));
            known.push(step.var);
        }
        torn.sort();
        assert_eq!(second.torn, torn, "seed {seed}");
        assert!(torn.iter().all(|branch| second.iterated.contains(&branch.1)), "seed {seed}");
        assert!(second.iterated.len() <= first.iterated.len(), "seed {seed}");

        // The iterated variables meet every loop.
        let arcs = g.occurrences().filter_map(|o| {
            let source = m.eqn_of(o.var)?;
            (source != o.eqn).then_some((o.eqn.0, source.0))
        });
        let needs = Digraph::from_arcs(n, arcs.collect::<Vec<_>>());
        for sweep in [&first, &second] {
            let cut: Vec<u32> = sweep.iterated.iter().map(|var| m.eqn_of(*var).unwrap().0).collect();
            assert!(is_acyclic_without(&needs, &cut), "seed {seed}");
        }
    }
}

/// Runs sweeps of a linear system `sum a(e, v) x(v) = b(e)` until nothing changes; returns x and the number of sweeps.
fn run(g: &Incidence, a: &dyn Fn(Eqn, Var) -> f64, b: &[f64], sweep: &Sweep) -> (Vec<f64>, usize) {
    let mut x = vec![0.0; b.len()];
    let solve = |x: &[f64], step: &Assignment| {
        let others = g.vars(step.eqn).iter().filter(|v| **v != step.var);
        (b[step.eqn.index()] - others.map(|v| a(step.eqn, *v) * x[v.index()]).sum::<f64>())
            / a(step.eqn, step.var)
    };
    for count in 1..1000 {
        let before = x.clone();
        for step in &sweep.sequence {
            x[step.var.index()] = solve(&x, step);
        }
        let new: Vec<f64> = sweep.updates.iter().map(|step| solve(&x, step)).collect();
        for (step, value) in sweep.updates.iter().zip(new) {
            x[step.var.index()] = value;
        }
        if before.iter().zip(&x).all(|(p, q)| (p - q).abs() <= 1e-13) {
            return (x, count);
        }
    }
    panic!("no convergence");
}

#[test]
fn both_kinds_converge_on_diagonally_dominant_systems() {
    let (mut jacobi, mut gauss_seidel) = (0, 0);
    for seed in 0..200 {
        let rng = &mut Rng::new(seed);
        let n = rng.between(2, 12);
        let g = regular_incidence(rng, n, 2);
        let m = maximum_matching(&g);
        let coefficients: Vec<f64> = g.occurrences().map(|_| rng.between(1, 9) as f64 / 10.0 - 1.0).collect();
        let a = |e: Eqn, v: Var| {
            let row: f64 = g.row(e).map(|o| coefficients[o.edge.index()].abs()).sum();
            if m.var_of(e) == Some(v) { 1.5 * row } else { coefficients[g.find(e, v).unwrap().index()] }
        };
        let solution: Vec<f64> = (0..n).map(|_| rng.between(0, 20) as f64 - 10.0).collect();
        let b: Vec<f64> =
            g.eqn_ids().map(|e| g.vars(e).iter().map(|v| a(e, *v) * solution[v.index()]).sum()).collect();
        for kind in [BranchKind::First, BranchKind::Second] {
            let (x, sweeps) = run(&g, &a, &b, &sweep(&g, &m, kind));
            // Contraction by at least 2/3 a sweep: a change of 1e-13 leaves an error of at most 2e-13, plus rounding.
            assert!(x.iter().zip(&solution).all(|(p, q)| (p - q).abs() < 1e-11), "seed {seed}");
            *(if kind == BranchKind::First { &mut jacobi } else { &mut gauss_seidel }) += sweeps;
        }
    }
    assert!(gauss_seidel < jacobi, "{gauss_seidel} sweeps of the second kind, {jacobi} of the first");
}
