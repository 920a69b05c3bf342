//! What structure says of candidates for a linear block: residuals of their own for tearing variables, and how deep the blocks of a
//! relaxed order lie.

use kausal_structure::tearing::sequence::Solver;
use kausal_structure::tearing::{Tearing as Torn, TearingProblem};
use kausal_structure::{Eqn, RelaxedBlt, Var as Column};
use rustc_hash::FxHashMap;

/// The same tearing variables, each with an equation as a residual in which it occurs, where there is one that nothing has to
/// be solved with. A moment of a body about the axis of its joint is such an equation, with the acceleration about that axis as
/// tearing variable: forces are then handed on in one direction only, towards the equations they end in.
pub(crate) fn with_own_residuals(problem: &TearingProblem, torn: Torn) -> Torn {
    /// Edges looked at in all.
    const STEPS: usize = 60_000_000;
    let incidence = problem.incidence;
    let variables = &torn.tearing_variables;
    let tries = variables.iter().map(|&v| incidence.eqns(v).len()).sum::<usize>();
    if tries.saturating_mul(incidence.edge_count()) > STEPS {
        return torn;
    }
    let mut spare: Vec<Eqn> = Vec::new();
    for &v in variables {
        let own = incidence.eqns(v).iter().copied().filter(|e| !spare.contains(e));
        let found = own.into_iter().find(|&e| {
            let mut solver = Solver::new(problem);
            solver.ban(&spare);
            solver.ban(&[e]);
            solver.is_complete(variables)
        });
        spare.extend(found);
    }
    let mut solver = Solver::new(problem);
    solver.ban(&spare);
    solver.tearing(variables)
}

/// For each block how many blocks must be solved before it, one after the other.
pub(crate) fn block_levels(form: &RelaxedBlt) -> Vec<usize> {
    let mut level: FxHashMap<Column, usize> = FxHashMap::default();
    let mut levels = Vec::new();
    for block in form.blt.blocks() {
        let used = block.eqns.iter().flat_map(|&e| form.incidence.vars(e));
        let own = used.filter_map(|v| level.get(v)).max().map_or(0, |deepest| deepest + 1);
        block.vars.iter().for_each(|&v| _ = level.insert(v, own));
        levels.push(own);
    }
    levels
}
