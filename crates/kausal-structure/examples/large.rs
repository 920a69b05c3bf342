//! Times the algorithms on large graphs: `cargo run --release -p kausal-structure --example large`.
//!
//! The figures are for people to look at; the tests count steps instead.

use std::time::Instant;

use kausal_structure::elimination::Updated;
use kausal_structure::minimum_degree::PivotRule;
use kausal_structure::tearing::{Effort, TearingProblem, tear};
use kausal_structure::*;

fn main() {
    sorting("chain of 1,000,000 equations", &chain(1_000_000));
    sorting("random system of 1,000,000 equations", &random(1_000_000, 2, 1));
    reduction(200_000);
    tearing("resistor ladder, 60,000 equations", &ladder(15_000));
    tearing("resistor grid, 60,000 equations", &grid(142));
    tearing("random block, 10,000 equations", &random(10_000, 2, 1));
    let blocks: Vec<Incidence> = (0..100).map(|seed| random(60, 3, seed)).collect();
    let optimal = timed("100 random blocks of 60 equations, tearing", || {
        let problems = blocks.iter().map(|block| TearingProblem::new(block, SolvabilitySet::SAFE));
        problems.filter(|problem| tear(problem, Effort::default()).optimal).count()
    });
    println!("    {optimal} proved to be optimal");
    elimination("resistor ladder, 100,000 equations", &ladder(25_000));
    elimination("resistor grid, 10,000 equations", &grid(58));
    symmetric(100);
    symmetric(316);
    let pattern = random(1_000_000, 2, 1);
    let colouring = timed("colouring 1,000,000 columns", || colour_columns(&pattern));
    println!("    {} colours", colouring.colours);
}

fn timed<T>(name: &str, task: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = task();
    println!("{name}: {:.3} s", start.elapsed().as_secs_f64());
    result
}

fn sorting(name: &str, g: &Incidence) {
    let matching = timed(&format!("{name}, matching"), || maximum_matching(g));
    let form = timed(&format!("{name}, sorting"), || blt(g, &matching));
    let largest = form.blocks().map(|block| block.size()).max().unwrap_or(0);
    println!("    {} matched, {} blocks, the largest of {largest}", matching.size(), form.len());
}

fn reduction(pendulums: usize) {
    let mut builder = IncidenceBuilder::new(3 * pendulums, 7 * pendulums);
    let mut derivative = IdVec::filled(None, 7 * pendulums);
    for k in 0..pendulums as u32 {
        for (eqn, var) in [(0, 2), (0, 6), (0, 0), (1, 5), (1, 6), (1, 3), (2, 0), (2, 3)] {
            builder.add(Eqn(3 * k + eqn), Var(7 * k + var), Solvability::LinearUnsafe);
        }
        for (var, der) in [(0, 1), (1, 2), (3, 4), (4, 5)] {
            derivative[Var(7 * k + var)] = Some(Var(7 * k + der));
        }
    }
    let g = builder.build();
    let name = format!("{pendulums} pendulums");
    let Ok(reduced) = timed(&format!("{name}, index reduction"), || pantelides(&g, &derivative)) else {
        return;
    };
    let states = timed(&format!("{name}, states"), || select_states(&reduced, |_| StatePriority::DEFAULT));
    println!("    {} differentiations, {} states", reduced.new_eqns.len(), states.states.len());
}

fn tearing(name: &str, g: &Incidence) {
    let problem = TearingProblem::new(g, SolvabilitySet::SAFE);
    let torn = timed(&format!("{name}, tearing"), || tear(&problem, Effort::default()));
    println!("    {} tearing variables by {:?}", torn.tearing.tearing_variables.len(), torn.method);
}

fn elimination(name: &str, g: &Incidence) {
    let mut problem = EliminationProblem::new(g, SolvabilitySet::LINEAR);
    problem.updated = Updated::Trusted;
    let result = timed(&format!("{name}, elimination order"), || elimination_order(&problem));
    println!("    fill {}, {} operations", result.fill, result.operations.total());
}

fn symmetric(side: usize) {
    let node = |x: usize, y: usize| (x * side + y) as u32;
    let mut neighbours = vec![Vec::new(); side * side];
    for x in 0..side {
        for y in 0..side {
            let here = &mut neighbours[node(x, y) as usize];
            here.extend((x > 0).then(|| node(x - 1, y)));
            here.extend((y > 0).then(|| node(x, y - 1)));
            here.extend((y + 1 < side).then(|| node(x, y + 1)));
            here.extend((x + 1 < side).then(|| node(x + 1, y)));
        }
    }
    let nodes = side * side;
    let problem = SymmetricProblem { neighbours, size: vec![1; nodes], rule: vec![PivotRule::Always; nodes] };
    let result =
        timed(&format!("symmetric grid, {nodes} nodes, minimum degree"), || symmetric_order(&problem));
    println!("    fill {}, {} operations", result.fill, result.operations.total());
}

fn chain(n: usize) -> Incidence {
    let rows: Vec<Vec<u32>> = (0..n as u32).map(|k| (k..(k + 2).min(n as u32)).collect()).collect();
    Incidence::from_rows(n, &rows)
}

fn ladder(sections: usize) -> Incidence {
    let mut rows = Vec::new();
    for s in 0..sections as u32 {
        let (i, j, u, v) = (4 * s, 4 * s + 1, 4 * s + 2, 4 * s + 3);
        rows.push(vec![i, u]);
        rows.push(vec![j, v]);
        rows.push(if s == 0 { vec![u, v] } else { vec![u, v, v - 4] });
        rows.push(if s + 1 == sections as u32 { vec![i, j] } else { vec![i, j, i + 4] });
    }
    Incidence::from_rows(4 * sections, &rows)
}

/// Node potentials and branch currents of a square grid of resistors: about 3 · side² equations.
fn grid(side: usize) -> Incidence {
    let nodes = side * side;
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    let mut current = nodes as u32;
    for a in 0..nodes {
        let right = (a % side + 1 < side).then_some(a + 1);
        let down = (a + side < nodes).then_some(a + side);
        for b in right.into_iter().chain(down) {
            rows[a].push(current);
            rows[b].push(current);
            rows.push(vec![a as u32, b as u32, current]);
            current += 1;
        }
    }
    rows[0].push(0);
    Incidence::from_rows(current as usize, &rows)
}

/// A perfect matching and up to `2 * extra` further variables in each row.
fn random(n: usize, extra: u64, seed: u64) -> Incidence {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let rows: Vec<Vec<u32>> = (0..n as u32)
        .map(|k| {
            let count = next(2 * extra + 1);
            std::iter::once(k).chain((0..count).map(|_| next(n as u64) as u32)).collect()
        })
        .collect();
    Incidence::from_rows(n, &rows)
}
