//! Brute force: definitions written down, exponential and obvious.

use kausal_structure::tearing::TearingProblem;
use kausal_structure::*;

/// The size of a maximum matching over the edges that `admit` accepts: each row takes any free column or none.
pub fn matching_size(incidence: &Incidence, admit: &dyn Fn(Eqn, Var) -> bool) -> usize {
    fn best(incidence: &Incidence, admit: &dyn Fn(Eqn, Var) -> bool, eqn: usize, taken: u64) -> usize {
        if eqn == incidence.eqn_count() {
            return 0;
        }
        let id = Eqn::from_index(eqn);
        let mut size = best(incidence, admit, eqn + 1, taken);
        for &var in incidence.vars(id) {
            if taken >> var.0 & 1 == 0 && admit(id, var) {
                size = size.max(1 + best(incidence, admit, eqn + 1, taken | 1 << var.0));
            }
        }
        size
    }
    best(incidence, admit, 0, 0)
}

/// `reach[a]` has bit `b` set if a path of any length, zero included, leads from `a` to `b`.
pub fn reachable(nodes: usize, arc: impl Fn(usize, usize) -> bool) -> Vec<u64> {
    let mut reach: Vec<u64> = (0..nodes)
        .map(|a| (0..nodes).filter(|b| a == *b || arc(a, *b)).fold(0, |bits, b| bits | 1 << b))
        .collect();
    for middle in 0..nodes {
        for a in 0..nodes {
            if reach[a] >> middle & 1 == 1 {
                reach[a] |= reach[middle];
            }
        }
    }
    reach
}

/// The variables that follow from the given ones.
pub fn closure(problem: &TearingProblem, given: u64) -> u64 {
    let incidence = problem.incidence;
    let mut known = given;
    loop {
        let before = known;
        for eqn in incidence.eqn_ids() {
            let mut unknown = incidence.row(eqn).filter(|o| known >> o.var.0 & 1 == 0);
            if let (Some(only), None) = (unknown.next(), unknown.next())
                && problem.solvable.contains(only.solvability)
            {
                known |= 1 << only.var.0;
            }
        }
        if known == before {
            return known;
        }
    }
}

/// The least weight of a tearing set without forbidden variables, over all subsets.
pub fn least_tearing_weight(problem: &TearingProblem) -> Option<u64> {
    let n = problem.incidence.var_count();
    let all = (1u64 << n) - 1;
    let mut best = None;
    for subset in 0..=all {
        let vars: Vec<Var> = (0..n as u32).filter(|v| subset >> v & 1 == 1).map(Var).collect();
        if vars.iter().any(|var| problem.weight[*var] == tearing::FORBIDDEN) {
            continue;
        }
        let weight = problem.total_weight(&vars);
        if best.is_none_or(|least| weight < least) && closure(problem, subset) == all {
            best = Some(weight);
        }
    }
    best
}

/// Determinant over the integers modulo 3.
pub fn determinant_mod_3(mut matrix: Vec<Vec<u8>>) -> u8 {
    let n = matrix.len();
    let mut determinant = 1;
    for k in 0..n {
        let Some(pivot) = (k..n).find(|r| matrix[*r][k] != 0) else { return 0 };
        if pivot != k {
            matrix.swap(pivot, k);
            determinant = determinant * 2 % 3;
        }
        determinant = determinant * matrix[k][k] % 3;
        for r in k + 1..n {
            // 1 and 2 are their own inverses modulo 3.
            let factor = matrix[r][k] * matrix[k][k] % 3;
            for c in k..n {
                matrix[r][c] = (matrix[r][c] + 3 - factor * matrix[k][c] % 3) % 3;
            }
        }
    }
    determinant
}
