//! Large inputs: no stack overflow, and work that grows (almost) linearly, counted in steps and not in seconds.

use crate::branch_tearing::{BranchKind, branch_tearing};
use crate::elimination::Updated;
use crate::feedback::{feedback_vertex_set, is_acyclic_without};
use crate::minimum_degree::PivotRule;
use crate::tearing::check::check;
use crate::tearing::declared::{Completion, Declaration, tear_as_declared};
use crate::tearing::{Effort, FORBIDDEN, TearingProblem, tear};
use crate::work::measure;
use crate::*;

/// Steps per unit of size must not grow by more than this factor when the size grows eightfold. A logarithm grows by less than
/// 1.3 between the sizes used here, a square root by 2.8.
const MARGIN: f64 = 1.6;

fn assert_linear(small: usize, task: impl Fn(usize)) {
    let per_unit = |n: usize| measure(|| task(n)).0 as f64 / n as f64;
    let (few, many) = (per_unit(small), per_unit(8 * small));
    assert!(few > 0.0, "the task counts no steps");
    assert!(many < MARGIN * few, "{few:.1} steps per unit at {small}, {many:.1} at {}", 8 * small);
}

/// Equation k has variables k and k+1, the last one only its own: solved from the end, each needs the next.
fn chain(n: usize) -> Incidence {
    let rows: Vec<Vec<u32>> = (0..n as u32).map(|k| (k..(k + 2).min(n as u32)).collect()).collect();
    Incidence::from_rows(n, &rows)
}

fn ring(n: usize) -> Incidence {
    let rows: Vec<Vec<u32>> = (0..n as u32).map(|k| vec![k, (k + 1) % n as u32]).collect();
    Incidence::from_rows(n, &rows)
}

/// The resistor ladder: n sections, each with two resistors; 4 equations a section.
/// Per section: current in the series resistor i, in the shunt j, voltages u (series) and v (node).
fn resistor_ladder(sections: usize) -> Incidence {
    let var = |section: usize, kind: u32| 4 * section as u32 + kind;
    let mut rows = Vec::new();
    for s in 0..sections {
        let (i, j, u, v) = (var(s, 0), var(s, 1), var(s, 2), var(s, 3));
        rows.push(vec![i, u]);
        rows.push(vec![j, v]);
        rows.push(if s == 0 { vec![u, v] } else { vec![u, v, var(s - 1, 3)] });
        rows.push(if s + 1 == sections { vec![i, j] } else { vec![i, j, var(s + 1, 0)] });
    }
    Incidence::from_rows(4 * sections, &rows)
}

/// A grid of resistors, `side * side` nodes: potentials and branch currents; every branch has a current and Ohm's law.
fn resistor_grid(side: usize) -> Incidence {
    let node = |x: usize, y: usize| (x * side + y) as u32;
    let mut branches = Vec::new();
    for x in 0..side {
        for y in 0..side {
            if x + 1 < side {
                branches.push((node(x, y), node(x + 1, y)));
            }
            if y + 1 < side {
                branches.push((node(x, y), node(x, y + 1)));
            }
        }
    }
    let nodes = side * side;
    let mut rows = vec![Vec::new(); nodes];
    for (k, (a, b)) in branches.iter().enumerate() {
        let current = (nodes + k) as u32;
        rows[*a as usize].push(current);
        rows[*b as usize].push(current);
        rows.push(vec![*a, *b, current]);
    }
    // One resistor to ground and one source fix the potentials.
    rows[0].push(0);
    Incidence::from_rows(nodes + branches.len(), &rows)
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let g = chain(200_000);
    let m = maximum_matching(&g);
    assert!(m.is_perfect());
    let form = blt(&g, &m);
    assert_eq!(form.len(), 200_000);
    assert_eq!(form.eqns()[0], Eqn(199_999));
    assert!(dulmage_mendelsohn(&g, &m).is_well_determined());

    let g = ring(200_000);
    let form = blt(&g, &maximum_matching(&g));
    assert_eq!(form.block(0).size(), 200_000);
    let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
    let torn = tear(&p, Effort::default());
    assert_eq!(torn.tearing.tearing_variables.len(), 1);
    assert_eq!(check(&p, &torn.tearing), Ok(()));

    let declaration = Declaration { variables: vec![], residuals: vec![Eqn(77)] };
    let declared = tear_as_declared(&p, &declaration, Completion::Automatic);
    assert_eq!((declared.tearing.residuals, declared.added_variables.len()), (vec![Eqn(77)], 1));

    let sweep = branch_tearing(&g, SolvabilitySet::SAFE, BranchKind::Second, Effort::default()).unwrap();
    assert_eq!((sweep.iterated.len(), sweep.torn.len()), (1, 1));
    assert_eq!(colour_columns(&g).colours, 2);
}

#[test]
fn a_matching_that_must_be_shifted_all_along_a_chain() {
    // Greedy from the wrong end: equation k is matched with variable k, but variable 0 belongs to the last equation.
    let n = 200_000u32;
    let mut rows: Vec<Vec<u32>> = (0..n - 1).map(|k| vec![k, k + 1]).collect();
    rows.push(vec![0]);
    let g = Incidence::from_rows(n as usize, &rows);
    let mut m = Matching::empty(&g);
    (0..n - 1).for_each(|k| m.assign(Eqn(k), Var(k)));
    let (steps, ()) = measure(|| augment(&g, &mut m));
    assert!(m.is_perfect());
    assert!(steps < 30 * u64::from(n), "{steps} steps");
}

#[test]
fn sorting_is_linear() {
    assert_linear(5_000, |n| {
        let g = resistor_ladder(n);
        let m = maximum_matching(&g);
        assert!(m.is_perfect());
        assert_eq!(blt(&g, &m).len(), 1);
        assert!(dulmage_mendelsohn(&g, &m).is_well_determined());
    });
    assert_linear(1_000, |n| {
        let side = (n as f64).sqrt() as usize;
        let g = resistor_grid(side);
        assert!(maximum_matching(&g).is_perfect());
    });
}

#[test]
fn index_reduction_is_linear_in_the_differentiations() {
    // n pendulums that share nothing, and one system with all constraints in a row.
    assert_linear(2_000, |n| {
        let mut b = IncidenceBuilder::new(3 * n, 7 * n);
        let mut derivative = IdVec::filled(None, 7 * n);
        for k in 0..n as u32 {
            let (v, e) = (7 * k, 3 * k);
            for (eqn, var) in [(0, 2), (0, 6), (0, 0), (1, 5), (1, 6), (1, 3), (2, 0), (2, 3)] {
                b.add(Eqn(e + eqn), Var(v + var), Solvability::LinearUnsafe);
            }
            for (var, der) in [(0, 1), (1, 2), (3, 4), (4, 5)] {
                derivative[Var(v + var)] = Some(Var(v + der));
            }
        }
        let r = pantelides(&b.build(), &derivative).unwrap();
        assert_eq!(r.degrees_of_freedom(), 2 * n as i64);
        assert_eq!(select_states(&r, |_| StatePriority::DEFAULT).states.len(), 2 * n);
    });
    // Masses on a rigid bar: x(k)'' = f(k) - f(k+1), x(k) = x(k+1). All constraints are differentiated twice.
    assert_linear(2_000, |n| {
        let mut b = IncidenceBuilder::new(2 * n - 1, 4 * n - 1);
        let mut derivative = IdVec::filled(None, 4 * n - 1);
        for k in 0..n as u32 {
            let (x, v, a, f) = (3 * k, 3 * k + 1, 3 * k + 2, 3 * n as u32 + k);
            derivative[Var(x)] = Some(Var(v));
            derivative[Var(v)] = Some(Var(a));
            b.add(Eqn(k), Var(a), Solvability::LinearNonzero);
            if k > 0 {
                b.add(Eqn(k), Var(f - 1), Solvability::LinearConstant);
            }
            if k + 1 < n as u32 {
                b.add(Eqn(k), Var(f), Solvability::LinearConstant);
                b.add(Eqn(n as u32 + k), Var(x), Solvability::LinearConstant);
                b.add(Eqn(n as u32 + k), Var(x + 3), Solvability::LinearConstant);
            }
        }
        let r = pantelides(&b.build(), &derivative).unwrap();
        assert_eq!(r.degrees_of_freedom(), 2);
        assert_eq!(r.new_eqns.len(), 2 * (n - 1));
        assert_eq!(select_states(&r, |_| StatePriority::DEFAULT).states.len(), 2);
    });
}

#[test]
fn tearing_is_linear_on_ladders_and_almost_on_grids() {
    assert_linear(2_000, |n| {
        let g = resistor_ladder(n);
        let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
        let torn = tear(&p, Effort { prune_limit: 0, ..Effort::default() });
        assert_eq!(torn.tearing.tearing_variables.len(), 1);
    });
    let steps = |side: usize| {
        let g = resistor_grid(side);
        let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
        let (steps, torn) = measure(|| tear(&p, Effort { prune_limit: 0, ..Effort::default() }));
        assert_eq!(check(&p, &torn.tearing), Ok(()));
        // Walking along the grid line by line needs one guess per line and a few for the start.
        assert!(torn.tearing.tearing_variables.len() <= 4 * side, "{}", torn.tearing.tearing_variables.len());
        steps as f64 / g.edge_count() as f64
    };
    let (few, many) = (steps(20), steps(60));
    assert!(many < 4.0 * few, "{few:.1} steps per edge on 20x20, {many:.1} on 60x60");
}

#[test]
fn elimination_of_trees_is_linear_in_steps_and_operations() {
    assert_linear(2_000, |n| {
        let g = resistor_ladder(n);
        let mut p = EliminationProblem::new(&g, SolvabilitySet::LINEAR);
        p.updated = Updated::Trusted;
        let result = elimination_order(&p);
        assert_eq!(result.pivots.len(), 4 * n);
        assert!(result.operations.total() < 40 * 4 * n as u64);
    });
    // A binary tree of nodes, symmetric.
    assert_linear(2_000, |n| {
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); n];
        for k in 1..n {
            neighbours[k].push((k as u32 - 1) / 2);
            neighbours[(k - 1) / 2].push(k as u32);
        }
        let p = SymmetricProblem { neighbours, size: vec![6; n], rule: vec![PivotRule::Always; n] };
        let result = symmetric_order(&p);
        assert_eq!((result.order.len(), result.fill), (n, 0));
    });
}

#[test]
fn a_hub_with_many_neighbours_costs_no_square() {
    // A star: one node equation with n currents, n branches with Ohm's law and a potential each.
    let star = |n: usize| {
        let mut rows: Vec<Vec<u32>> = vec![(0..n as u32).collect()];
        rows[0].push(2 * n as u32);
        for k in 0..n as u32 {
            rows.push(vec![k, n as u32 + k, 2 * n as u32]);
            rows.push(vec![k, n as u32 + k]);
        }
        Incidence::from_rows(2 * n + 1, &rows)
    };
    assert_linear(2_000, |n| {
        let g = star(n);
        let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
        let torn = tear(&p, Effort { prune_limit: 0, ..Effort::default() });
        assert_eq!(check(&p, &torn.tearing), Ok(()));
    });
    assert_linear(2_000, |n| {
        let g = star(n);
        let mut p = EliminationProblem::new(&g, SolvabilitySet::LINEAR);
        p.updated = Updated::Trusted;
        assert_eq!(elimination_order(&p).pivots.len(), 2 * n + 1);
    });
    assert_linear(2_000, |n| {
        assert!(colour_columns(&star(n)).colours > n);
    });
    // Unequal weights switch some reductions off; that must not make them slow.
    assert_linear(2_000, |n| {
        let g = star(n);
        let mut p = TearingProblem::new(&g, SolvabilitySet::SAFE);
        for var in g.var_ids() {
            p.weight[var] = if var.0 % 7 == 0 { FORBIDDEN } else { 100 + var.0 % 13 };
        }
        let torn = tear(&p, Effort { prune_limit: 0, ..Effort::default() });
        assert_eq!(check(&p, &torn.tearing), Ok(()));
    });
    // A directed hub: every node has arcs to and from node 0, and the nodes form a ring.
    assert_linear(2_000, |n| {
        let spokes = (1..n as u32).flat_map(|k| [(0, k), (k, 0), (k, k % (n as u32 - 1) + 1)]);
        let graph = Digraph::from_arcs(n, spokes);
        let set = feedback_vertex_set(&graph, None, Effort { prune_limit: 0, ..Effort::default() });
        assert_eq!(set.nodes.len(), 2);
        assert!(is_acyclic_without(&graph, &set.nodes));
    });
}

#[test]
fn many_singular_pieces_are_named_in_linear_time() {
    // Every variable has two equations of its own.
    assert_linear(2_000, |n| {
        let rows: Vec<Vec<u32>> = (0..2 * n as u32).map(|k| vec![k / 2]).collect();
        let g = Incidence::from_rows(n, &rows);
        let Err(PantelidesError::Singular { subsets }) = pantelides(&g, &IdVec::filled(None, n)) else {
            panic!("singular expected")
        };
        assert_eq!(subsets.len(), n);
    });
}

/// A chain of `f` rigid bodies and revolute joints: equation (31) of the relaxing paper, with the accelerations and forces between the joints
/// inserted. Per joint the 25 unknowns a3, f3, a2, f2 (six each) and the joint acceleration; rows are ordered so that the matrix is symmetric.
/// Also returns which entries are ±1.
fn robot(f: usize) -> (Incidence, IdVec<Edge, bool>) {
    use Solvability::{LinearConstant, LinearNonzero, LinearUnsafe};
    let var = |joint: usize, kind: usize, k: usize| Var((25 * joint + 6 * kind + k) as u32);
    // Moving a reference point: linear quantities change by a cross product with angular ones.
    let moved = |row: usize| (0..6).filter(move |c| *c == row || row >= 3 && *c < 3 && *c != row - 3);
    let mut b = IncidenceBuilder::new(25 * f, 25 * f);
    let mut both = |r: Var, c: Var, s: Solvability| {
        b.add(Eqn(r.0), c, s);
        b.add(Eqn(c.0), r, s);
    };
    for j in 0..f {
        for k in 0..6 {
            for c in if k < 3 { 0..3 } else { k..k + 1 } {
                both(var(j, 0, k), var(j, 0, c), if k < 3 { LinearUnsafe } else { LinearNonzero });
            }
            both(var(j, 0, k), var(j, 1, k), LinearConstant);
            both(var(j, 2, k), var(j, 3, k), LinearConstant);
            for c in moved(k) {
                let entry = if c == k { LinearConstant } else { LinearUnsafe };
                both(var(j, 1, k), var(j, 2, c), entry);
                if j > 0 {
                    both(var(j, 3, k), var(j - 1, 2, c), entry);
                }
            }
            if k < 3 {
                both(var(j, 3, k), var(j, 4, 0), LinearUnsafe);
            }
        }
    }
    let g = b.build();
    let unit = g.occurrences().map(|o| o.solvability == LinearConstant).collect();
    (g, unit)
}

#[test]
fn a_chain_of_bodies_is_torn_to_its_joints_or_eliminated_in_linear_time() {
    let per_joint = |f: usize| {
        let (g, unit) = robot(f);
        let p = TearingProblem::new(&g, SolvabilitySet::SAFE);
        let torn = tear(&p, Effort::default());
        assert_eq!(check(&p, &torn.tearing), Ok(()));
        assert_eq!((torn.tearing.tearing_variables.len(), torn.optimal), (f, true));
        let mut p = EliminationProblem::new(&g, SolvabilitySet::LINEAR);
        p.unit = unit;
        p.updated = Updated::Trusted;
        let general = elimination_order(&p);
        assert_eq!(general.pivots.len(), 25 * f);
        let pair = g.eqn_ids().map(|eqn| Var(eqn.0)).collect();
        let mut q = EliminationProblem::symmetric(&g, SolvabilitySet::LINEAR, &pair).unwrap();
        q.unit = p.unit.clone();
        q.updated = Updated::Trusted;
        let symmetric = elimination_order(&q);
        assert_eq!(symmetric.pivots.len(), 25 * f);
        (general.operations.total() as f64 / f as f64, symmetric.operations.total() as f64 / f as f64)
    };
    // The first joint is cheaper than the others; from a few joints on each costs the same.
    let (few, many) = (per_joint(24), per_joint(200));
    println!("operations per joint: {few:?} with 24 joints, {many:?} with 200");
    assert!(many.0 < 1.1 * few.0 && many.1 < 1.1 * few.1, "{few:?} {many:?}");
    assert!(many.1 < 0.9 * many.0, "symmetry saves less than a tenth: {many:?}");
    // Eliminated by hand from the last joint to the first (each body's accelerations with its forces, then the joint) the symmetric
    // system costs 558 operations a joint, counted in the same way.
    assert!(many.1 < 650.0, "{many:?}");
}
