//! What is known of the sizes of states before a run: what the model says, start values, and start values of the states that
//! derivatives depend on. The rest is for the solver to find (`kausal_solver::weights`).

use kausal_solver::linear::Pattern;
use kausal_solver::weights::Size;
use kausal_symbolic::VarId;

use crate::machine::Machine;

use super::RightSide;

/// The usual size of a variable: what the model says, else a start value below one, else one.
pub(super) fn usual(machine: &Machine, variable: VarId) -> f64 {
    let declared = &machine.model().program.variables[variable.index()];
    match start(machine, variable) {
        Some(start) if !declared.nominal_said && start < 1.0 => start,
        _ => declared.nominal,
    }
}

/// What is known of the sizes of the states, with the numbers of the groups of those that act on each other. The pattern is that of
/// the derivatives by the states; without one all act on each other.
pub(super) fn sizes(
    machine: &Machine,
    states: &[(VarId, VarId)],
    pattern: Option<&Pattern>,
) -> Vec<(usize, Size)> {
    let entries: Vec<(usize, usize)> = pattern.map_or_else(Vec::new, |p| p.iter().collect());
    let groups = match pattern {
        Some(_) => groups(states.len(), &entries),
        None => vec![0; states.len()],
    };
    let starts: Vec<Option<f64>> = states.iter().map(|(x, _)| start(machine, *x)).collect();
    let beside = beside(&starts, &entries);
    let size = |i: usize| {
        let declared = &machine.model().program.variables[states[i].0.index()];
        match (declared.nominal_said, starts[i]) {
            (true, _) => Size::Said(declared.nominal),
            (false, Some(start)) => Size::Started(start),
            (false, None) => Size::Unknown { beside: beside[i] },
        }
    };
    (0..states.len()).map(|i| (groups[i], size(i))).collect()
}

impl RightSide {
    /// These states have no absolute tolerance.
    pub(super) fn measured(mut self, names: &[String]) -> RightSide {
        let program = &self.machine.model().program;
        for ((v, _), (_, size)) in self.states.iter().zip(&mut self.sizes) {
            if names.contains(&program.variables[v.index()].name) {
                *size = Size::Relative;
            }
        }
        self
    }
}

/// The magnitude of a start value that is not zero.
fn start(machine: &Machine, variable: VarId) -> Option<f64> {
    let value = machine.start_value(variable).abs();
    (value > 0.0 && value.is_finite()).then_some(value)
}

/// For each state the smallest start value of those its derivative depends on; where none of these has one, of those that their
/// derivatives depend on, and so on. Infinite where there is none at all. From those with start values outwards, so that each
/// entry is looked at once, however far start values are handed on.
fn beside(starts: &[Option<f64>], entries: &[(usize, usize)]) -> Vec<f64> {
    let mut known: Vec<f64> = starts.iter().map(|start| start.unwrap_or(f64::INFINITY)).collect();
    // The rows in which each state stands, one after the other.
    let mut begin = vec![0; known.len() + 1];
    entries.iter().for_each(|&(_, j)| begin[j + 1] += 1);
    (0..known.len()).for_each(|j| begin[j + 1] += begin[j]);
    let (mut rows, mut next) = (vec![0; entries.len()], begin.clone());
    for &(i, j) in entries {
        rows[next[j]] = i;
        next[j] += 1;
    }
    let mut latest: Vec<usize> = (0..known.len()).filter(|&j| known[j] < f64::INFINITY).collect();
    let mut found = vec![f64::INFINITY; known.len()];
    while !latest.is_empty() {
        let mut reached = Vec::new();
        for j in latest {
            for &i in rows[begin[j]..begin[j + 1]].iter().filter(|i| known[**i] == f64::INFINITY) {
                if found[i] == f64::INFINITY {
                    reached.push(i);
                }
                found[i] = found[i].min(known[j]);
            }
        }
        reached.iter().for_each(|&i| known[i] = found[i]);
        latest = reached;
    }
    known
}

/// Numbers of the connected parts of a graph of `n` nodes.
fn groups(n: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..n).collect();
    for &(i, j) in edges {
        let (a, b) = (root(&mut parent, i), root(&mut parent, j));
        parent[a.max(b)] = a.min(b);
    }
    (0..n).map(|i| root(&mut parent, i)).collect()
}

/// The first node of the part, with the paths to it made shorter.
fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product of an enzyme's reaction depends on the complex only, and that on what has a start value.
    #[test]
    fn sizes_are_handed_on_along_equations() {
        let starts = [Some(1e-9), Some(1e-10), None, None, None];
        let entries = [(2, 0), (2, 1), (2, 2), (3, 2), (0, 2), (4, 4)];
        let found = beside(&starts, &entries);
        assert_eq!(found[2..4], [1e-10, 1e-10]);
        assert_eq!(found[4], f64::INFINITY);
    }

    /// Along a chain of so many states that looking at all of them once for each would not end.
    #[test]
    fn sizes_are_handed_on_along_long_chains() {
        const N: usize = 400_000;
        let starts: Vec<Option<f64>> = (0..N).map(|i| (i == 0).then_some(0.5)).collect();
        let entries: Vec<(usize, usize)> = (1..N).flat_map(|i| [(i, i - 1), (i - 1, i)]).collect();
        assert!(beside(&starts, &entries).iter().all(|size| *size == 0.5));
    }

    #[test]
    fn states_that_act_on_each_other_are_one_group() {
        assert_eq!(groups(6, &[(0, 2), (5, 2), (3, 4), (1, 1)]), [0, 1, 0, 3, 3, 0]);
    }
}
