//! What an inlined step iterates on: the fewest of the default iteration variables that will do.
//!
//! The default ones (`discretize`) leave everything else to be computed as in the classical interface: in sequence, and in
//! linear systems. So they are enough. One after the other is left out where what it leaves behind is still a sequence with
//! linear systems: `x = h*der(x) + old(x)` then closes a loop through the dynamics, and where these are linear, the loop
//! is a linear system. Linear dynamic parts disappear in this way, without being declared, also behind limiters and friction,
//! whose relations are constant within a step; of `x1' = x2, x2' = f` only `x2` remains (Elmqvist, Otter and Cellier 1995,
//! equations 9 and 10, and "Tearing").

use kausal_structure::tearing::nested::tear_nested;
use kausal_structure::tearing::{Effort, FORBIDDEN, TearingProblem};
use kausal_structure::Var as Column;

use crate::emit::Emitter;
use crate::nested::{self, Plan};
use crate::sort::Block;

/// Visited edges the search may cost.
const SEARCH_LIMIT: usize = 20_000_000;

/// The plan of a block of an inlined step; `None` where the default iteration variables do not reach into it.
pub(crate) fn plan(emitter: &mut Emitter, block: &Block, problem: &TearingProblem) -> Option<Plan> {
    if emitter.seeds.is_empty() {
        return None;
    }
    let hints = emitter.hints.of(emitter.work, block);
    let declared = hints.tearing.variables.iter().copied();
    let seeds = (0..block.unknowns.len()).filter(|&k| emitter.seeds.contains(&block.unknowns[k]));
    let mut torn: Vec<Column> = seeds.map(|k| Column(k as u32)).chain(declared).collect();
    torn.sort_unstable();
    torn.dedup();
    torn.retain(|&v| problem.weight[v] != FORBIDDEN);
    let rows = nested::linearised(emitter, block)?;
    let products = nested::products(emitter, block, &rows);
    let mut cost = nested::iterations(problem, &products, &torn)?;
    // States first: what follows from the derivatives that loops determine.
    let mut candidates = torn.clone();
    candidates.sort_by_key(|v| std::cmp::Reverse(problem.weight[*v]));
    for candidate in candidates.into_iter().take(SEARCH_LIMIT / (problem.incidence.edge_count() + 1)) {
        let fewer: Vec<Column> = torn.iter().copied().filter(|v| *v != candidate).collect();
        if let Some(less) = nested::iterations(problem, &products, &fewer).filter(|less| *less < cost) {
            (torn, cost) = (fewer, less);
        }
    }
    let found = tear_nested(problem, &torn, None, Effort::default()).ok()?;
    let (plan, _) = nested::with_systems(emitter, block, &found);
    (plan.iterated.len() <= block.unknowns.len()).then_some(plan)
}

