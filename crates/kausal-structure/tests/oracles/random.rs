//! Random graphs from a small deterministic generator (SplitMix64).

use kausal_structure::*;

pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }

    pub fn solvability(&mut self) -> Solvability {
        match self.below(10) {
            0..4 => Solvability::LinearConstant,
            4..6 => Solvability::LinearNonzero,
            6..8 => Solvability::LinearUnsafe,
            8 => Solvability::Nonlinear,
            _ => Solvability::Never,
        }
    }
}

/// Each possible edge with the given chance.
pub fn incidence(rng: &mut Rng, eqns: usize, vars: usize, percent: usize) -> Incidence {
    let mut builder = IncidenceBuilder::new(eqns, vars);
    for e in 0..eqns as u32 {
        for v in 0..vars as u32 {
            if rng.chance(percent) {
                builder.add(Eqn(e), Var(v), rng.solvability());
            }
        }
    }
    builder.build()
}

/// A square graph with a perfect matching hidden in it and about `extra` further edges in each row.
pub fn regular_incidence(rng: &mut Rng, n: usize, extra: usize) -> Incidence {
    let mut hidden: Vec<u32> = (0..n as u32).collect();
    rng.shuffle(&mut hidden);
    let mut builder = IncidenceBuilder::new(n, n);
    for (e, v) in hidden.iter().enumerate() {
        let eqn = Eqn(e as u32);
        builder.add(eqn, Var(*v), rng.solvability());
        for _ in 0..rng.between(0, 2 * extra) {
            let var = Var(rng.below(n) as u32);
            builder.add(eqn, var, rng.solvability());
        }
    }
    builder.build()
}

pub fn digraph(rng: &mut Rng, nodes: usize, percent: usize) -> Digraph {
    let mut arcs = Vec::new();
    for a in 0..nodes as u32 {
        for b in 0..nodes as u32 {
            if (a != b || rng.chance(10)) && rng.chance(percent) {
                arcs.push((a, b));
            }
        }
    }
    Digraph::from_arcs(nodes, arcs)
}
