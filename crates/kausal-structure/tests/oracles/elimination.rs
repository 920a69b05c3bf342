//! Elimination orders against elimination carried out on dense matrices.

use kausal_structure::elimination::Updated;
use kausal_structure::minimum_degree::PivotRule;
use kausal_structure::*;

use crate::random::{Rng, regular_incidence};

/// Fill and operations of eliminating a dense pattern in the given order, entry by entry. `None` is zero, `Some(true)` is ±1.
fn by_hand(problem: &EliminationProblem, pivots: &[Assignment]) -> (u64, Operations) {
    let g = problem.pattern;
    let mut a = vec![vec![None; g.var_count()]; g.eqn_count()];
    for o in g.occurrences() {
        a[o.eqn.index()][o.var.index()] = Some(problem.unit[o.edge]);
    }
    let (mut rows, mut columns) = (vec![true; g.eqn_count()], vec![true; g.var_count()]);
    let (mut fill, mut ops) = (0, Operations::default());
    for pivot in pivots {
        let (r, c) = (pivot.eqn.index(), pivot.var.index());
        let pivot_unit = a[r][c].expect("pivot is there");
        rows[r] = false;
        columns[c] = false;
        ops.mul += u64::from(!pivot_unit);
        for j in (0..g.var_count()).filter(|j| columns[*j]) {
            if let Some(unit) = a[r][j] {
                ops.mul += u64::from(!unit);
                ops.add += 1;
            }
        }
        for i in (0..g.eqn_count()).filter(|i| rows[*i]) {
            let Some(unit) = a[i][c] else { continue };
            let factor_unit = unit && pivot_unit;
            ops.mul += u64::from(!pivot_unit) + u64::from(!factor_unit);
            ops.add += 1;
            for j in (0..g.var_count()).filter(|j| columns[*j]) {
                let Some(above) = a[r][j] else { continue };
                ops.mul += u64::from(!factor_unit && !above);
                match &mut a[i][j] {
                    Some(unit) => {
                        ops.add += 1;
                        *unit = false;
                    }
                    slot => {
                        fill += 1;
                        *slot = Some(factor_unit && above);
                    }
                }
            }
        }
    }
    (fill, ops)
}

#[test]
fn predicted_fill_and_operations_are_those_of_the_elimination() {
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let (n, extra) = (rng.between(1, 14), rng.between(0, 3));
        let g = regular_incidence(rng, n, extra);
        let mut problem = EliminationProblem::new(&g, SolvabilitySet::ALL);
        problem.unit = (0..g.edge_count()).map(|_| rng.chance(40)).collect();
        if rng.chance(50) {
            problem.updated = Updated::Trusted;
        }
        let result = elimination_order(&problem);
        assert_eq!((result.pivots.len(), result.core_eqns.len()), (n, 0), "seed {seed}");
        assert_eq!((result.fill, result.operations), by_hand(&problem, &result.pivots), "seed {seed}");
        assert_eq!(count_in_order(&problem, &result.pivots), result, "seed {seed}");
        assert!(result.operations.total() <= Operations::dense(n as u64).total(), "seed {seed}");
    }
}

#[test]
fn safe_pivots_never_vanish() {
    // Modulo 3 sums cancel all the time. Nonzero values for safe entries, any value for the others.
    let mut eliminated = 0;
    for seed in 0..3000 {
        let rng = &mut Rng::new(seed);
        let (n, extra) = (rng.between(1, 12), rng.between(1, 2));
        let g = regular_incidence(rng, n, extra);
        let result = elimination_order(&EliminationProblem::new(&g, SolvabilitySet::SAFE));
        assert_eq!(result.pivots.len() + result.core_eqns.len(), n, "seed {seed}");
        let mut a = vec![vec![0u8; n]; n];
        for o in g.occurrences() {
            let safe = SolvabilitySet::SAFE.contains(o.solvability);
            a[o.eqn.index()][o.var.index()] = if safe { 1 + rng.below(2) as u8 } else { rng.below(3) as u8 };
        }
        let mut done = vec![false; n];
        for pivot in &result.pivots {
            let (r, c) = (pivot.eqn.index(), pivot.var.index());
            assert_ne!(a[r][c], 0, "seed {seed}");
            done[r] = true;
            for i in (0..n).filter(|i| !done[*i]) {
                let factor = a[i][c] * a[r][c] % 3;
                for j in 0..n {
                    a[i][j] = (a[i][j] + 3 - factor * a[r][j] % 3) % 3;
                }
            }
            eliminated += 1;
        }
    }
    assert!(eliminated > 5000, "{eliminated}");
}

#[test]
fn the_order_is_close_to_the_best_of_all_orders() {
    // All orders of diagonal pivots on small symmetric patterns; fill only.
    fn least_fill(adjacency: &[u32], alive: u32) -> u32 {
        if alive == 0 {
            return 0;
        }
        let mut best = u32::MAX;
        for p in (0..adjacency.len()).filter(|p| alive >> p & 1 == 1) {
            let clique = adjacency[p] & alive & !(1 << p);
            let mut next = adjacency.to_vec();
            let mut fill = 0;
            for i in (0..adjacency.len()).filter(|i| clique >> i & 1 == 1) {
                let new = clique & !next[i] & !(1 << i);
                fill += new.count_ones();
                next[i] |= new;
            }
            best = best.min(fill / 2 + least_fill(&next, alive & !(1 << p)));
        }
        best
    }
    let (mut ours, mut least) = (0, 0);
    for seed in 0..150 {
        let rng = &mut Rng::new(seed);
        let n = rng.between(3, 7);
        let mut adjacency = vec![0u32; n];
        for a in 0..n {
            for b in 0..a {
                if rng.chance(45) {
                    adjacency[a] |= 1 << b;
                    adjacency[b] |= 1 << a;
                }
            }
        }
        let neighbours =
            adjacency.iter().map(|bits| (0..n as u32).filter(|b| bits >> b & 1 == 1).collect()).collect();
        let problem = SymmetricProblem { neighbours, size: vec![1; n], rule: vec![PivotRule::Always; n] };
        let result = symmetric_order(&problem);
        let best = u64::from(least_fill(&adjacency, (1 << n) - 1));
        assert!(result.fill >= best, "seed {seed}");
        ours += result.fill;
        least += best;
    }
    assert!(ours as f64 <= 1.1 * least as f64, "fill {ours}, least {least}");
}

#[test]
fn symmetric_fill_and_operations_are_those_of_the_elimination() {
    for seed in 0..2000 {
        let rng = &mut Rng::new(seed);
        let (n, percent) = (rng.between(1, 16), rng.between(5, 50));
        let mut adjacency = vec![vec![false; n]; n];
        for a in 0..n {
            for b in 0..a {
                let edge = rng.chance(percent);
                adjacency[a][b] = edge;
                adjacency[b][a] = edge;
            }
        }
        let neighbours: Vec<Vec<u32>> =
            adjacency.iter().map(|row| (0..n as u32).filter(|b| row[*b as usize]).collect()).collect();
        let rules = [PivotRule::Always, PivotRule::Always, PivotRule::AfterNeighbour, PivotRule::Never];
        let rule: Vec<PivotRule> = (0..n).map(|_| rules[rng.below(4)]).collect();
        let size: Vec<u32> = (0..n).map(|_| rng.between(1, 3) as u32).collect();
        let problem = SymmetricProblem { neighbours, size: size.clone(), rule: rule.clone() };
        let result = symmetric_order(&problem);

        let mut alive = vec![true; n];
        let (mut fill, mut ops) = (0u64, Operations::default());
        for &p in &result.order {
            let p = p as usize;
            let original = |p: usize| problem.neighbours[p].iter().any(|q| !alive[*q as usize]);
            match rule[p] {
                PivotRule::Never => panic!("seed {seed}: barred pivot"),
                PivotRule::AfterNeighbour => {
                    let reached = original(p) || (0..n).any(|q| !alive[q] && adjacency[p][q]);
                    assert!(reached, "seed {seed}: pivot before any neighbour");
                }
                PivotRule::Always => {}
            }
            alive[p] = false;
            let clique: Vec<usize> = (0..n).filter(|q| alive[*q] && adjacency[p][*q]).collect();
            let weight: u64 = clique.iter().map(|q| u64::from(size[*q])).sum();
            for k in 0..u64::from(size[p]) {
                let below = weight + u64::from(size[p]) - 1 - k;
                ops.mul += 3 * below + below * (below + 1) / 2 + 1;
                ops.add += 2 * below + below * (below + 1) / 2;
            }
            for &a in &clique {
                for &b in clique.iter().filter(|b| **b < a) {
                    if !adjacency[a][b] {
                        adjacency[a][b] = true;
                        adjacency[b][a] = true;
                        // Counted when one of the two is a pivot later; the core's own fill is not.
                        let later_pivot = result.order.iter().any(|q| *q as usize == a || *q as usize == b);
                        fill += if later_pivot { u64::from(size[a] * size[b]) } else { 0 };
                    }
                }
            }
        }
        assert_eq!((result.fill, result.operations), (fill, ops), "seed {seed}");
        assert_eq!(result.order.len() + result.core.len(), n, "seed {seed}");
    }
}

/// A symmetric pattern, some diagonal entries missing, with a hidden pairing of rows and columns.
fn symmetric_incidence(rng: &mut Rng, n: usize, percent: usize) -> (Incidence, IdVec<Eqn, Var>) {
    let mut columns: Vec<u32> = (0..n as u32).collect();
    rng.shuffle(&mut columns);
    let mut builder = IncidenceBuilder::new(n, n);
    for a in 0..n {
        for b in 0..=a {
            let present = if a == b { rng.chance(60) } else { rng.chance(percent) };
            if present {
                let solvability = rng.solvability();
                builder.add(Eqn(a as u32), Var(columns[b]), solvability);
                builder.add(Eqn(b as u32), Var(columns[a]), solvability);
            }
        }
    }
    (builder.build(), columns.into_iter().map(Var).collect())
}

/// Operations of a symmetric elimination of which only the lower half is stored: `s[a][b]` with `a >= b`, `Some(true)` for ±1.
struct LowerHalf {
    s: Vec<Vec<Option<bool>>>,
    ops: Operations,
}

impl LowerHalf {
    fn get(&self, a: usize, b: usize) -> Option<bool> {
        self.s[a.max(b)][a.min(b)]
    }

    fn subtract_product(&mut self, a: usize, b: usize, x: bool, y: bool) {
        self.ops.mul += u64::from(!x && !y);
        match &mut self.s[a.max(b)][a.min(b)] {
            Some(unit) => {
                self.ops.add += 1;
                *unit = false;
            }
            empty => *empty = Some(x && y),
        }
    }

    fn right_hand_side_and_back(&mut self, factors: &[bool], row: &[bool], pivot: bool) {
        self.ops.mul += factors.iter().chain(row).filter(|unit| !**unit).count() as u64 + u64::from(!pivot);
        self.ops.add += (factors.len() + row.len()) as u64;
    }

    fn eliminate_diagonal(&mut self, i: usize, alive: &[usize]) {
        let p = self.get(i, i).unwrap();
        let row: Vec<(usize, bool)> = alive.iter().filter_map(|k| Some((*k, self.get(*k, i)?))).collect();
        self.ops.mul += if p { 0 } else { row.len() as u64 };
        let factors: Vec<(usize, bool)> = row.iter().map(|(k, unit)| (*k, *unit && p)).collect();
        for &(k, factor) in &factors {
            for &(l, above) in row.iter().filter(|(l, _)| *l <= k) {
                self.subtract_product(k, l, factor, above);
            }
        }
        let units = |list: &[(usize, bool)]| list.iter().map(|(_, unit)| *unit).collect::<Vec<_>>();
        self.right_hand_side_and_back(&units(&factors), &units(&row), p);
    }

    /// The pivot [a p; p 0] of nodes i and j: with u = s(·,i), w = s(·,j) and m = w / p, n = (u - m a) / p,
    /// s(k,l) -= m(k) u(l) + n(k) w(l).
    fn eliminate_pair(&mut self, i: usize, j: usize, alive: &[usize]) {
        let (p, a) = (self.get(i, j).unwrap(), self.get(i, i));
        let u: Vec<Option<bool>> = alive.iter().map(|k| self.get(*k, i)).collect();
        let w: Vec<Option<bool>> = alive.iter().map(|k| self.get(*k, j)).collect();
        let divided = |x: bool| x && p;
        let m: Vec<Option<bool>> = w.iter().map(|w| w.map(divided)).collect();
        self.ops.mul += if p { 0 } else { w.iter().flatten().count() as u64 };
        let mut changed = u.clone();
        for (k, factor) in m.iter().enumerate() {
            if let (Some(factor), Some(a)) = (factor, a) {
                self.ops.mul += u64::from(!factor && !a);
                self.ops.add += u64::from(u[k].is_some());
                changed[k] = Some(u[k].is_none() && *factor && a);
            }
        }
        let n: Vec<Option<bool>> = changed.iter().map(|u| u.map(divided)).collect();
        self.ops.mul += if p { 0 } else { n.iter().flatten().count() as u64 };
        for (left, right) in [(&m, &u), (&n, &w)] {
            for (x, k) in alive.iter().enumerate() {
                for (y, l) in alive.iter().enumerate().filter(|(_, l)| *l <= k) {
                    if let (Some(factor), Some(above)) = (left[x], right[y]) {
                        self.subtract_product(*k, *l, factor, above);
                    }
                }
            }
        }
        let present = |list: &[Option<bool>]| list.iter().copied().flatten().collect::<Vec<bool>>();
        // The first equation also contains x(i), with coefficient a; its right-hand side enters the others by m, and so on.
        let first_row: Vec<bool> = present(&u).into_iter().chain(a).collect();
        self.right_hand_side_and_back(&present(&m), &first_row, p);
        self.right_hand_side_and_back(&present(&n), &present(&w), p);
    }
}

#[test]
fn symmetric_pivots_keep_symmetry_never_vanish_and_cost_what_the_lower_half_costs() {
    let (mut pairs, mut singles) = (0, 0);
    for seed in 0..3000 {
        let rng = &mut Rng::new(seed);
        let (n, percent) = (rng.between(1, 12), rng.between(10, 60));
        let (g, pair) = symmetric_incidence(rng, n, percent);
        let mut problem = EliminationProblem::symmetric(&g, SolvabilitySet::SAFE, &pair).unwrap();
        let units: Vec<bool> = (0..n * n).map(|_| rng.chance(40)).collect();
        let node_of = |var: Var| pair.iter().find(|(_, v)| **v == var).unwrap().0.index();
        let unit_of = |a: usize, b: usize| units[a.max(b) * n + a.min(b)];
        problem.unit = g.occurrences().map(|o| unit_of(o.eqn.index(), node_of(o.var))).collect();
        let result = elimination_order(&problem);
        assert_eq!(count_in_order(&problem, &result.pivots), result, "seed {seed}");

        // Values modulo 3, in node numbering on both sides: symmetric, nonzero where safe.
        let mut a = vec![vec![0u8; n]; n];
        let mut half = LowerHalf { s: vec![vec![None; n]; n], ops: Operations::default() };
        for o in g.occurrences() {
            let (r, c) = (o.eqn.index(), node_of(o.var));
            if r >= c {
                let safe = SolvabilitySet::SAFE.contains(o.solvability);
                a[r][c] = if safe { 1 + rng.below(2) as u8 } else { rng.below(3) as u8 };
                a[c][r] = a[r][c];
                half.s[r][c] = Some(unit_of(r, c));
            }
        }
        let mut alive: Vec<usize> = (0..n).collect();
        let mut steps = result.pivots.iter().map(|p| (p.eqn.index(), node_of(p.var)));
        while let Some((r, c)) = steps.next() {
            let mut eliminate = |r: usize, c: usize, rows: &[usize], columns: &[usize]| {
                assert_ne!(a[r][c], 0, "seed {seed}");
                for &i in rows.iter().filter(|i| **i != r) {
                    let factor = a[i][c] * a[r][c] % 3;
                    for &j in columns {
                        a[i][j] = (a[i][j] + 3 - factor * a[r][j] % 3) % 3;
                    }
                }
            };
            if r == c {
                singles += 1;
                eliminate(r, c, &alive, &alive);
                alive.retain(|k| *k != r);
                half.eliminate_diagonal(r, &alive);
            } else {
                pairs += 1;
                assert_eq!(steps.next(), Some((c, r)), "seed {seed}: the mirror image follows");
                eliminate(r, c, &alive, &alive);
                let rows: Vec<usize> = alive.iter().copied().filter(|k| *k != r).collect();
                eliminate(c, r, &rows, &alive);
                alive.retain(|k| *k != r && *k != c);
                half.eliminate_pair(r, c, &alive);
            }
            for &i in &alive {
                assert!(alive.iter().all(|j| a[i][*j] == a[*j][i]), "seed {seed}");
            }
        }
        assert_eq!(half.ops, result.operations, "seed {seed}");
        assert_eq!(alive.len(), result.core_eqns.len(), "seed {seed}");
    }
    assert!(pairs > 1000 && singles > 1000, "{pairs} pairs, {singles} single pivots");
}
