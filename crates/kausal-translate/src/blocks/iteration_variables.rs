//! What an inlined step iterates on: the fewest of the default iteration variables that will do.
//!
//! The default ones (`discretize`) leave everything else to be computed as in the classical interface: in sequence, and in
//! linear systems. So they are enough. One after the other is left out where what it leaves behind is still a sequence with
//! linear systems: `x = h*der(x) + old(x)` then closes a loop through the dynamics, and where these are linear, the loop
//! is a linear system. Linear dynamic parts disappear in this way, without being declared, also behind limiters and friction,
//! whose relations are constant within a step; of `x1' = x2, x2' = f` only `x2` remains (Elmqvist, Otter and Cellier 1995,
//! equations 9 and 10, and "Tearing").
//!
//! An equation that cannot be solved for the one unknown it is left with costs an iteration variable as well: known from the
//! start it may make another one superfluous, as the parameter along the characteristic of dry friction does with the
//! acceleration.
//!
//! Where the fewest variables are so few that changes of them grow along the sequence (`amplification`), the default ones are iterated on.
//!
//! Last, a small part with dynamics of its own that is linear but for one state, the motor behind an elastic gear with a friction
//! that is not linear in the speed, is iterated by itself inside ([`Part::Inner`]): given that state everything else in it
//! follows, and the residual is `x = h*der(x) + old(x)`. Its derivative by `x` is one minus something times `h`, not zero for
//! small steps in whatever mode the model is. States alone, or with their derivatives, stay where they are: in the worst case
//! the iteration is that of the classical interface. What jumps only, like `sign(x)`, is found inside, too.

use kausal_structure::tearing::{FORBIDDEN, TearingProblem};
use kausal_structure::{Eqn, Extractor, Id, IdVec, Var as Column, blt, maximum_matching_preferring};
use kausal_symbolic::VarId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::amplification::{self, Spread};
use crate::blocks::emitter::Emitter;
use crate::blocks::nested;
use crate::blocks::plan::{self, Part, Plan};
use crate::equations::sort::Block;

/// Visited edges the search may cost.
const SEARCH_LIMIT: usize = 30_000_000;
/// What is iterated inside is evaluated about so many times for each evaluation of the whole, so
const INNER_EVALUATIONS: usize = 3;
/// one such part may be this part of the whole, and all together that part.
const INNER_SHARE: usize = 8;
const INNER_SHARES: usize = 3;
/// It has at least so many states.
const INNER_STATES: usize = 3;

/// The plan of a block of an inlined step; `None` where the default iteration variables do not reach into it.
pub(crate) fn plan(emitter: &mut Emitter, block: &Block, problem: &TearingProblem) -> Option<Plan> {
    if emitter.seeds.is_empty() {
        return None;
    }
    let slopes = plan::slopes(emitter, block);
    let products = plan::products(emitter, block, &slopes);
    let jumps = nested::jumps(emitter, block, &slopes, &products);
    let column: FxHashMap<_, Column> = block.unknowns.iter().copied().zip((0..).map(Column)).collect();
    let own = |e: &usize| emitter.formulas.get(e).and_then(|x| column.get(x)).copied();
    let formula: IdVec<Eqn, Option<Column>> = block.equations.iter().map(own).collect();
    let mut integrated: IdVec<Column, bool> = IdVec::filled(false, block.unknowns.len());
    formula.iter().filter_map(|(_, x)| *x).for_each(|x| integrated[x] = true);
    let candidates = candidates(emitter, block, problem);
    let slope = |v: &VarId| {
        let d = emitter.work.var(*v).derivative.map(|d| emitter.work.resolve(d).0);
        d.and_then(|d| column.get(&d)).copied()
    };
    let slope = block.unknowns.iter().map(slope).collect();
    let mut row_of: IdVec<Column, Option<Eqn>> = IdVec::filled(None, block.unknowns.len());
    formula.iter().for_each(|(e, x)| x.iter().for_each(|x| row_of[*x] = Some(e)));
    let (products, jumps, budget, inner) = (&products[..], &jumps[..], SEARCH_LIMIT, false);
    let mut search = Search { problem, products, jumps, formula, row_of, integrated, slope, budget, inner };
    let enough: Vec<Column> = (0..block.unknowns.len() as u32)
        .map(Column)
        .filter(|c| emitter.enough.contains(&block.unknowns[c.index()]))
        .collect();
    let all = search.follow(&candidates)?;
    let spread = Spread::new(emitter, &slopes);
    // What the default variables do anyway, fewer may do as well.
    let limit = spread.as_ref().map_or(0.0, |spread| spread.of(&all).max(amplification::LARGE));
    let too_far = |plan: &Plan| spread.as_ref().map(|s| s.of(plan)).filter(|spread| *spread > limit);
    if !enough.is_empty()
        && let Some(plan) = search.follow(&enough).filter(|plan| plan.iterated.len() == enough.len())
        && too_far(&plan).is_none()
    {
        return Some(plan);
    }
    let fewest = search.reduced(candidates, all.clone());
    let Some(factor) = too_far(&fewest) else { return Some(fewest) };
    let sentence = format!(
        "the inlined step iterates on the default variables, {} of {} unknowns: changes of {} that would do are amplified by {factor:.0e}",
        all.iterated.len(),
        block.unknowns.len(),
        fewest.iterated.len()
    );
    emitter.work.report.decisions.push(sentence);
    Some(all)
}

/// The default iteration variables of the block, in the order they are left out: first what is only declared, then states,
/// then what loops determine, for with that known states follow.
fn candidates(emitter: &mut Emitter, block: &Block, problem: &TearingProblem) -> Vec<Column> {
    let hints = emitter.hints.of(emitter.work, block);
    let is_seed = |c: &Column| emitter.seeds.contains(&block.unknowns[c.index()]);
    let declared = hints.tearing.variables.iter().copied().filter(|c| !is_seed(c));
    let own = (0..block.unknowns.len() as u32).map(Column).filter(is_seed);
    let mut all: Vec<Column> = declared.chain(own).filter(|v| problem.weight[*v] != FORBIDDEN).collect();
    let rank = |c: &Column| match is_seed(c) {
        false => 0,
        true if emitter.work.var(block.unknowns[c.index()]).derivative.is_some() => 1,
        true => 2,
    };
    all.sort_by_key(rank);
    all
}

struct Search<'a> {
    problem: &'a TearingProblem<'a>,
    /// For each row the pairs of columns that it is not linear in together.
    products: &'a [Vec<(usize, usize)>],
    /// For each row the columns at which it jumps.
    jumps: &'a [Vec<usize>],
    /// Rows of the discretisation, with the state they determine: no other equation does, and they nothing else.
    formula: IdVec<Eqn, Option<Column>>,
    integrated: IdVec<Column, bool>,
    /// The rows of states.
    row_of: IdVec<Column, Option<Eqn>>,
    /// The derivatives of columns, where they are unknowns, too.
    slope: IdVec<Column, Option<Column>>,
    budget: usize,
    /// May parts be iterated by themselves?
    inner: bool,
}

/// What follows from the variables that are known so far.
#[derive(Clone)]
struct Follow {
    plan: Plan,
    known: IdVec<Column, bool>,
    /// Rows that are part of the plan.
    used: IdVec<Eqn, bool>,
    /// How many unknowns each row has left.
    left: IdVec<Eqn, usize>,
    ready: Vec<Eqn>,
}

/// How much is solved simultaneously in a plan; what is iterated inside is solved some times.
fn work(plan: &Plan) -> usize {
    let parts = plan.parts.iter().map(|part| match part {
        Part::Linear(rows, _) => rows.len() * rows.len(),
        Part::Assign(..) => 0,
        Part::Inner(inner) => INNER_EVALUATIONS * (work(inner) + inner.parts.len()),
    });
    parts.sum()
}

impl Search<'_> {
    /// Leaves out what is not needed of the candidates, which lead to `all`: first without iterations inside, then with them
    /// where that leaves less.
    fn reduced(&mut self, candidates: Vec<Column>, all: Plan) -> Plan {
        let (mut torn, mut plan) = (candidates, all);
        for inner in [false, true] {
            self.inner = inner;
            self.reduce(&mut torn, &mut plan);
        }
        self.exchanged(torn, plan)
    }

    fn reduce(&mut self, torn: &mut Vec<Column>, plan: &mut Plan) {
        self.drop_from(torn, plan);
        loop {
            let singles = plan.iterated.iter().map(|&c| Column::from_index(c)).filter(|c| !torn.contains(c));
            // What cannot be solved for is left out last.
            let mut more = torn.clone();
            more.extend(singles);
            if more.len() == torn.len() {
                break;
            }
            let mut less = plan.clone();
            self.drop_from(&mut more, &mut less);
            if less.iterated.len() >= plan.iterated.len() {
                break;
            }
            (*torn, *plan) = (more, less);
        }
    }

    /// With its derivative in the place of a state there may be less to solve simultaneously: no mass matrix, for one.
    fn exchanged(&mut self, mut torn: Vec<Column>, mut plan: Plan) -> Plan {
        for k in 0..torn.len() {
            let Some(slope) = self.slope[torn[k]].filter(|d| !torn.contains(d)) else { continue };
            let state = std::mem::replace(&mut torn[k], slope);
            match self.follow(&torn) {
                Some(other) if other.iterated.len() <= plan.iterated.len() && work(&other) < work(&plan) => {
                    plan = other;
                }
                _ => torn[k] = state,
            }
        }
        plan
    }

    fn drop_from(&mut self, torn: &mut Vec<Column>, plan: &mut Plan) {
        for candidate in torn.clone() {
            let fewer: Vec<Column> = torn.iter().copied().filter(|v| *v != candidate).collect();
            if let Some(less) = self.follow(&fewer)
                && less.iterated.len() < plan.iterated.len()
            {
                (*torn, *plan) = (fewer, less);
            }
        }
    }

    /// The plan that these variables lead to: equations in sequence as far as that goes, then the next simultaneous part, which
    /// must be linear, or the next equation that cannot be solved, and on. `None` where a simultaneous part is not linear.
    fn follow(&mut self, torn: &[Column]) -> Option<Plan> {
        let incidence = self.problem.incidence;
        let mut follow = Follow {
            plan: Plan::default(),
            known: IdVec::filled(false, incidence.var_count()),
            used: IdVec::filled(false, incidence.eqn_count()),
            left: incidence.eqn_ids().map(|e| incidence.row(e).count()).collect(),
            ready: Vec::new(),
        };
        follow.ready.extend(incidence.eqn_ids().filter(|e| follow.left[*e] <= 1));
        for &v in torn {
            follow.plan.iterated.push(v.index());
            self.know(&mut follow, v);
        }
        loop {
            self.sequence(&mut follow);
            if follow.known.iter().all(|(_, known)| *known) {
                let residuals = follow.used.iter().filter(|(_, used)| !**used).map(|(e, _)| e.index());
                follow.plan.residuals = residuals.collect();
                follow.plan.iterated.sort_unstable();
                return Some(follow.plan);
            }
            self.budget = self.budget.checked_sub(incidence.edge_count() + 1)?;
            self.simultaneous(&mut follow)?;
        }
    }

    /// The way to iterate on a part by itself, on one of its states, that leaves least to solve simultaneously.
    fn iterated_inside(&mut self, follow: &Follow, eqns: &[Eqn], vars: &[Column]) -> Option<Plan> {
        let incidence = self.problem.incidence;
        let inner_rows = follow.plan.parts.iter().map(|part| match part {
            Part::Inner(inner) => inner.rows().len(),
            _ => 0,
        });
        let before: usize = inner_rows.sum();
        let (own, all) = (eqns.len(), incidence.eqn_count());
        if !self.inner || INNER_SHARE * own > all || INNER_SHARES * (before + own) > all {
            return None;
        }
        let states = vars.iter().filter(|v| self.integrated[**v]).count();
        if states < INNER_STATES && self.is_nonlinear(eqns, vars) {
            return None;
        }
        // The part alone: what else is unknown does not occur in it.
        let mut outside = Follow {
            plan: Plan::default(),
            known: IdVec::filled(true, incidence.var_count()),
            used: IdVec::filled(true, incidence.eqn_count()),
            left: follow.left.clone(),
            ready: Vec::new(),
        };
        eqns.iter().for_each(|&e| outside.used[e] = false);
        vars.iter().for_each(|&v| outside.known[v] = false);
        let mut best: Option<Plan> = None;
        for &x in vars.iter().filter(|x| self.problem.weight[**x] != FORBIDDEN) {
            let Some(residual) = self.row_of[x].filter(|e| eqns.contains(e)) else { continue };
            self.budget = self.budget.checked_sub(incidence.edge_count() + 1)?;
            let mut inside = outside.clone();
            inside.used[residual] = true;
            inside.plan.iterated.push(x.index());
            inside.plan.residuals.push(residual.index());
            self.know(&mut inside, x);
            if self.linear_rest(&mut inside).is_some()
                && best.as_ref().is_none_or(|best| work(&inside.plan) < work(best))
            {
                best = Some(inside.plan);
            }
        }
        best
    }

    /// Follows a part to its end, with linear systems only.
    fn linear_rest(&mut self, follow: &mut Follow) -> Option<()> {
        let (inner, iterated) = (std::mem::replace(&mut self.inner, false), follow.plan.iterated.len());
        let outcome = loop {
            self.sequence(follow);
            if follow.known.iter().all(|(_, known)| *known) {
                break Some(());
            }
            if self.simultaneous(follow).is_none() || follow.plan.iterated.len() > iterated {
                break None;
            }
        };
        self.inner = inner;
        outcome
    }

    fn know(&self, follow: &mut Follow, v: Column) {
        follow.known[v] = true;
        for o in self.problem.incidence.column(v) {
            follow.left[o.eqn] -= 1;
            if follow.left[o.eqn] == 1 {
                follow.ready.push(o.eqn);
            }
        }
    }

    /// May the row determine the column?
    fn may(&self, row: Eqn, column: Column) -> bool {
        match self.formula[row] {
            Some(state) => state == column,
            None => !self.integrated[column],
        }
    }

    /// Solves equations with one unknown left.
    fn sequence(&self, follow: &mut Follow) {
        let incidence = self.problem.incidence;
        while let Some(e) = follow.ready.pop() {
            if follow.used[e] || follow.left[e] != 1 {
                continue;
            }
            let Some(o) = incidence.row(e).find(|o| !follow.known[o.var]) else { continue };
            if self.problem.solvable.contains(o.solvability) && self.may(e, o.var) {
                follow.plan.parts.push(Part::Assign(e.index(), o.var.index()));
                follow.used[e] = true;
                self.know(follow, o.var);
            }
        }
    }

    /// Are products of these columns in these rows?
    fn is_nonlinear(&self, eqns: &[Eqn], vars: &[Column]) -> bool {
        let inside: FxHashSet<usize> = vars.iter().map(|v| v.index()).collect();
        let both = |&(c, d): &(usize, usize)| inside.contains(&c) && inside.contains(&d);
        eqns.iter().any(|e| self.products[e.index()].iter().any(both))
    }

    /// The first simultaneous part of what is left.
    fn simultaneous(&mut self, follow: &mut Follow) -> Option<()> {
        let incidence = self.problem.incidence;
        let rows: Vec<Eqn> = incidence.eqn_ids().filter(|&e| !follow.used[e] && follow.left[e] > 0).collect();
        let columns: Vec<Column> = incidence.var_ids().filter(|&v| !follow.known[v]).collect();
        let rest = Extractor::new(incidence).extract(&rows, &columns);
        let allowed = rest.incidence.filtered(|o| self.may(rest.eqns[o.eqn], rest.vars[o.var]));
        let matching = maximum_matching_preferring(&allowed, |o| {
            let unsolvable = !self.problem.solvable.contains(o.solvability);
            16 * u8::from(unsolvable) + o.solvability.rank() as u8
        });
        if matching.size() < columns.len() {
            return None;
        }
        let form = blt(&rest.incidence, &matching);
        let block = form.blocks().next()?;
        let vars: Vec<Column> = block.vars.iter().map(|v| rest.vars[*v]).collect();
        if let [v] = vars[..] {
            // Not solvable, or it would be known.
            follow.plan.iterated.push(v.index());
            self.know(follow, v);
            return Some(());
        }
        let inside: FxHashSet<usize> = vars.iter().map(|v| v.index()).collect();
        let eqns: Vec<Eqn> = block.eqns.iter().map(|e| rest.eqns[*e]).collect();
        let jumps = |e: &Eqn| self.jumps[e.index()].iter().any(|c| inside.contains(c));
        if self.is_nonlinear(&eqns, &vars) || eqns.iter().any(jumps) {
            let inner = self.iterated_inside(follow, &eqns, &vars)?;
            follow.plan.parts.push(Part::Inner(Box::new(inner)));
            eqns.iter().for_each(|&e| follow.used[e] = true);
            vars.into_iter().for_each(|v| self.know(follow, v));
            return Some(());
        }
        eqns.iter().for_each(|&e| follow.used[e] = true);
        let sorted = |mut list: Vec<usize>| {
            list.sort_unstable();
            list
        };
        let rows = sorted(eqns.iter().map(|e| e.index()).collect());
        follow.plan.parts.push(Part::Linear(rows, sorted(inside.into_iter().collect())));
        vars.into_iter().for_each(|v| self.know(follow, v));
        Some(())
    }
}
