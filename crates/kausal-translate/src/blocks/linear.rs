//! Linear systems: the ways to solve one are priced in operations, and the cheapest safe one is taken.
//!
//! | way | what is left | paper |
//! | --- | --- | --- |
//! | torn, as found or declared | a small full system | Elmqvist and Otter 1994 |
//! | eliminated in a static order, as found or relaxed | nothing, or a small full system | Otter, Elmqvist and Cellier 1996 |
//! | sparse | everything, to a factorisation with pivoting | |
//!
//! Safe means: at sampled points no digits are lost and no divisor changes its sign (`growth`). What is not proven is
//! guarded at run time, and solved with pivoting where the guard trips.

use std::cell::OnceCell;

use kausal_structure::elimination::POINTS;
use kausal_structure::tearing::declared::{Completion, Declaration, tear_as_declared};
use kausal_structure::tearing::sequence::Solver;
use kausal_structure::tearing::{Effort, FORBIDDEN, Tearing as Torn, TearingProblem, tear};
use kausal_structure::{
    Assignment, Edge, Elimination, EliminationProblem, Eqn, Extractor, Id, IdVec, Incidence,
    IncidenceBuilder, Occurrence, Operations, Solvability, SolvabilitySet, Var as Column,
    bounded_count_in_order, bounded_elimination_order, elimination_order, maximum_matching_preferring,
    recursive_order, relaxed_blt,
};
use kausal_symbolic::count::Counter;
use kausal_symbolic::{ExprId, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::candidates::{block_levels, with_own_residuals};
use crate::blocks::declared::{self, BlockHints};
use crate::blocks::defer;
use crate::blocks::eliminate::{self, CLOSED, Plan, Row, Solved};
use crate::blocks::emitter::Emitter;
use crate::blocks::growth::{self, LOST, Sample};
use crate::blocks::guards::{self, CHECKED, DENSE_WHOLE};
use crate::blocks::orders::Renumbering;
use crate::blocks::prices::{KERNEL, ONCE, is_once, operations, price, written};
use crate::equations::solve;
use crate::equations::sort::Block;
use crate::equations::work::Role;
use crate::options::{Relaxing, Tearing};
use crate::program::{Alternative, EquationRef, Form, LinearMethod, Step, System, Way};

/// More unknowns than this are not left to a full solver.
const DENSE_LIMIT: usize = 200;
/// What takes more operations is priced by its structure, not by writing every alternative down.
const WRITTEN_LIMIT: u64 = 300_000;
/// No straight-line code of more operations than this.
const CODE_LIMIT: u64 = 200_000;
/// Settled rows and symmetry save up to this factor of what structure alone tells.
const SETTLED: u64 = 4;
/// Elimination is not looked at beyond so many operations.
const BOUND: u64 = SETTLED * CODE_LIMIT;
/// Patterns with more entries are not searched for an order of elimination.
const ORDER_LIMIT: usize = 400_000;
/// How much more an operation of the sparse solver costs than one of straight-line code.
const SPARSE: f64 = 4.0;
/// Blocks with fewer equations are priced with everything they compute.
const DEFERRED: usize = 40;
/// Prices that differ by less than this part are taken for equal.
const ALIKE: f64 = 0.02;
/// In other orders than the first, tearing variables are exchanged in blocks of up to so many equations.
const IMPROVED: usize = 16;

/// A block that is linear in its unknowns.
struct Linear<'b> {
    block: &'b Block,
    rows: Vec<Row>,
    incidence: Incidence,
    hints: BlockHints,
    samples: Vec<Sample>,
    /// With steps of all sizes, where the block belongs to an inlined step.
    steps: Vec<Sample>,
    /// In all branches of conditions, once asked for.
    branched: OnceCell<Vec<Sample>>,
    /// Coefficients that are 1 or -1.
    units: FxHashSet<(Eqn, Column)>,
    /// All coefficients are numbers.
    constant: bool,
    /// All coefficients depend on parameters only.
    once: bool,
    /// Coefficients or right sides depend on discrete variables: switches, friction. What an equation then says exactly, like an
    /// acceleration that is zero while something sticks, decides about events, and must not be zero but for rounding. So
    /// equations are used as they are written: torn, at as few variables as possible.
    switched: bool,
    /// Unknowns that something outside the block depends on.
    needed: FxHashSet<VarId>,
}

/// A way to solve the block.
struct Candidate {
    way: Way,
    plan: Plan,
    /// Operations by structure alone.
    estimate: u64,
    /// Why it is out of the question, if it is.
    rejected: Option<String>,
    /// The torn form behind it, where nothing of that is left to a solver.
    torn: Option<Plan>,
}

/// The system of a block that is linear in its unknowns; `None` if it is not linear.
pub(crate) fn emit(emitter: &mut Emitter, block: &Block) -> Option<Step> {
    let rows = rows(emitter, block)?;
    let linear = Linear::new(emitter, block, rows);
    let first = linear.attempt(emitter, true);
    if !linear.depends_on_order(emitter, &first) {
        return Some(linear.system(emitter, first));
    }
    // Searches break ties by numbers, which follow the text of the model. From one end to the other, and back, the numbers
    // depend on the equations only.
    let forwards = Renumbering::by_distance(&linear.incidence, &|e, v| linear.units.contains(&(e, v)));
    let backwards = forwards.reversed();
    let blocks = [forwards.block(block), backwards.block(block)];
    let mut best = (linear.renumbered(&Renumbering::none(block.equations.len()), block), first);
    for (renumbering, block) in [forwards, backwards].iter().zip(&blocks) {
        let other = linear.renumbered(renumbering, block);
        let attempt = other.attempt(emitter, block.equations.len() <= IMPROVED);
        if attempt.price() < best.1.price() {
            best = (other, attempt);
        }
    }
    let (linear, attempt) = best;
    Some(linear.system(emitter, attempt))
}

/// The ways to solve a block that were found, and which is taken.
struct Attempt {
    candidates: Vec<Candidate>,
    alternatives: Vec<Alternative>,
    /// The chosen candidate, `None` for the sparse solver.
    chosen: Option<usize>,
}

impl Attempt {
    fn price(&self) -> f64 {
        self.alternatives.iter().find(|a| a.chosen).map_or(f64::INFINITY, |a| a.price)
    }
}

/// The rows of the block, if all equations are linear in all unknowns.
fn rows(emitter: &mut Emitter, block: &Block) -> Option<Vec<Row>> {
    let place: FxHashMap<VarId, usize> = block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut rows = Vec::new();
    for &equation in &block.equations {
        let (coefficients, rest) = solve::linear(emitter.work, equation, &|v| place.contains_key(&v))?;
        let mut coefficients: Vec<(usize, ExprId)> =
            coefficients.into_iter().map(|(v, e)| (place[&v], e)).collect();
        coefficients.sort_unstable_by_key(|&(c, _)| c);
        let right = emitter.work.pool.op(Op::Neg, &[rest]);
        rows.push(Row { coefficients, right });
    }
    Some(rows)
}

impl<'b> Linear<'b> {
    fn new(emitter: &mut Emitter, block: &'b Block, rows: Vec<Row>) -> Self {
        let mut builder = IncidenceBuilder::new(rows.len(), block.unknowns.len());
        let (mut constant, mut once) = (true, true);
        let mut units = FxHashSet::default();
        for (r, row) in rows.iter().enumerate() {
            for &(c, coefficient) in &row.coefficients {
                let s = match emitter.may_determine(block.equations[r], block.unknowns[c]) {
                    true => solve::coefficient_solvability(emitter.work, coefficient),
                    false => Solvability::LinearUnsafe,
                };
                let (row, column) = (Eqn(r as u32), Column(c as u32));
                builder.add(row, column, s);
                if emitter.work.pool.as_constant(coefficient).is_some_and(|c| c.abs() == 1.0) {
                    units.insert((row, column));
                }
                constant &= emitter.work.pool.is_constant(coefficient);
                once &= is_once(emitter, coefficient, &FxHashSet::default());
            }
        }
        let work = &*emitter.work;
        let discrete = |v: VarId| work.var(v).role == Role::Discrete;
        let switched = rows.iter().any(|r| {
            let mut all = r.coefficients.iter().map(|c| c.1).chain([r.right]);
            all.any(|e| work.pool.contains_any(e, discrete))
        });
        let hints = emitter.hints.of(emitter.work, block);
        let samples = growth::samples(emitter, &rows);
        let steps = growth::step_samples(emitter, &rows);
        let needed = emitter.needed_outside(block);
        let incidence = builder.build();
        Linear {
            block,
            rows,
            incidence,
            hints,
            samples,
            steps,
            branched: OnceCell::new(),
            units,
            constant,
            once,
            switched,
            needed,
        }
    }

    /// Finds ways to solve the block and chooses one.
    fn attempt(&self, emitter: &mut Emitter, improved: bool) -> Attempt {
        let mut candidates = self.candidates(emitter, true);
        candidates.iter_mut().for_each(|candidate| self.examine(emitter, candidate));
        if candidates.iter().all(|c| c.rejected.is_some()) {
            // What is prescribed is impossible: everything that options allow is considered.
            candidates = self.candidates(emitter, false);
            candidates.iter_mut().for_each(|candidate| self.examine(emitter, candidate));
        }
        let is_relaxed = |c: &Candidate| c.way == Way::Relaxed && c.rejected.is_none();
        let relaxes = emitter.settings.relaxing == Relaxing::Declared && !self.hints.relaxed.is_empty();
        if relaxes && !self.switched && !candidates.iter().any(is_relaxed) {
            // Eliminated all the same, in an order that is found without the hints.
            let mut found: Vec<Candidate> = self.eliminated().into_iter().collect();
            if self.rows.len() >= CHECKED {
                found.extend(self.recursive(emitter, Way::Eliminated, &self.simply_torn()));
            }
            found.iter_mut().for_each(|candidate| self.examine(emitter, candidate));
            candidates.extend(found);
        }
        for candidate in candidates.iter_mut().filter(|c| improved && c.way == Way::Torn) {
            self.improve(emitter, candidate);
        }
        for candidate in candidates.iter_mut().filter(|c| matches!(c.way, Way::Torn | Way::TornAsDeclared)) {
            self.eliminate_core(emitter, candidate);
        }
        let (alternatives, chosen) = self.choose(emitter, &candidates);
        Attempt { candidates, alternatives, chosen }
    }

    /// May another order of the same equations lead to another way to solve them that costs less? Not where the recursive
    /// order was found, and not looked for where that would take long.
    fn depends_on_order(&self, emitter: &Emitter, attempt: &Attempt) -> bool {
        const SMALLEST: usize = 4;
        /// Entries; more where much is left to a solver.
        const LARGEST: usize = 400;
        const LARGEST_UNSOLVED: usize = 6_000;
        const UNSOLVED: usize = 8;
        let free = emitter.settings.tearing == Tearing::Auto && emitter.settings.relaxing == Relaxing::Auto;
        let settled = attempt.chosen.is_some_and(|k| {
            let plan = &attempt.candidates[k].plan;
            plan.settle && plan.core_rows.is_empty()
        });
        let size = self.incidence.edge_count();
        let left = attempt.chosen.map_or(usize::MAX, |k| attempt.candidates[k].plan.core_rows.len());
        let largest = if left <= UNSOLVED { LARGEST } else { LARGEST_UNSOLVED };
        free && !settled && !self.switched && self.rows.len() >= SMALLEST && size <= largest
    }

    /// The same with other numbers; `block` is renumbered likewise.
    fn renumbered<'c>(&self, to: &Renumbering, block: &'c Block) -> Linear<'c> {
        let columns = |entries: &[(usize, f64)]| to.entries(entries);
        let sample = |s: &Sample| Sample {
            rows: to.rows.iter().map(|&r| columns(&s.rows[r])).collect(),
            perturbed: s.perturbed,
        };
        let rows: Vec<Row> = to
            .rows
            .iter()
            .map(|&r| Row { coefficients: to.entries(&self.rows[r].coefficients), right: self.rows[r].right })
            .collect();
        let mut builder = IncidenceBuilder::new(rows.len(), rows.len());
        for o in self.incidence.occurrences() {
            builder.add(to.row(o.eqn), to.column(o.var), o.solvability);
        }
        let hints = BlockHints {
            tearing: Declaration {
                variables: self.hints.tearing.variables.iter().map(|&v| to.column(v)).collect(),
                residuals: self.hints.tearing.residuals.iter().map(|&e| to.row(e)).collect(),
            },
            relaxed: self.hints.relaxed.iter().map(|&(e, v)| (to.row(e), to.column(v))).collect(),
            kept: self.hints.kept.iter().map(|&v| to.column(v)).collect(),
            lone: self.hints.lone,
        };
        Linear {
            block,
            rows,
            incidence: builder.build(),
            hints,
            samples: self.samples.iter().map(sample).collect(),
            steps: self.steps.iter().map(sample).collect(),
            branched: OnceCell::new(),
            units: self.units.iter().map(|&(e, v)| (to.row(e), to.column(v))).collect(),
            constant: self.constant,
            once: self.once,
            switched: self.switched,
            needed: self.needed.clone(),
        }
    }

    /// The ways that options and hints allow. Where one is prescribed and possible it is the only one, if so wished.
    fn candidates(&self, emitter: &mut Emitter, only: bool) -> Vec<Candidate> {
        let settings = emitter.settings;
        let mut out = Vec::new();
        let relaxes = !self.hints.relaxed.is_empty() && settings.relaxing != Relaxing::Off;
        if relaxes {
            out.extend(self.relaxed(emitter, settings.relaxing == Relaxing::Declared));
            if only && settings.relaxing == Relaxing::Declared && !out.is_empty() {
                return out;
            }
        }
        if self.hints.tears() && settings.tearing != Tearing::Off {
            out.push(self.torn_as_declared(emitter, settings.tearing == Tearing::Declared));
            if only && settings.tearing == Tearing::Declared {
                return out;
            }
        }
        if settings.tearing != Tearing::Off {
            let torn = tear(&self.tearing_problem(), Effort::default()).tearing;
            out.push(self.torn(Way::Torn, torn));
        }
        if settings.relaxing == Relaxing::Auto && !self.switched {
            out.extend(self.eliminated());
        }
        if self.rows.len() >= CHECKED && !self.switched {
            let simple = self.simply_torn();
            if settings.relaxing == Relaxing::Auto {
                out.extend(self.recursive(emitter, Way::Eliminated, &simple));
            }
            if settings.tearing != Tearing::Off {
                let sizes =
                    |c: &Candidate| c.way == Way::Torn && c.plan.core_columns.len() < simple.residuals.len();
                if simple.residuals.len() <= DENSE_LIMIT && out.iter().any(sizes) {
                    out.push(self.torn(Way::Torn, simple));
                }
            }
        }
        out
    }

    /// Torn without any division: equations are solved only for unknowns with a factor of one. In what is built of parts
    /// these are the equations that hand something on; what is left are those that join motion to force.
    fn simply_torn(&self) -> Torn {
        let pattern = self.incidence.with_solvability(|o| match self.units.contains(&(o.eqn, o.var)) {
            true => Solvability::LinearConstant,
            false => Solvability::Nonlinear,
        });
        let mut problem = TearingProblem::new(&pattern, SolvabilitySet::SAFE);
        for &v in &self.hints.kept {
            problem.weight[v] = FORBIDDEN;
        }
        let torn = tear(&problem, Effort::default()).tearing;
        with_own_residuals(&problem, torn)
    }

    /// From the tips of a tree of parts inwards, where a torn block has the form of one.
    fn recursive(&self, emitter: &Emitter, way: Way, torn: &Torn) -> Option<Candidate> {
        let order = recursive_order(&self.incidence, torn, &self.vectors(emitter))?;
        let problem = self.elimination_problem(&self.incidence);
        let elimination = bounded_count_in_order(&problem, &order.pivots, BOUND);
        if elimination.zero_pivot.is_some() {
            return None;
        }
        let plan = Plan {
            pivots: order.pivots.iter().map(|a| (a.eqn.index(), a.var.index())).collect(),
            core_rows: order.core_eqns.iter().map(|e| e.index()).collect(),
            core_columns: order.core_vars.iter().map(|v| v.index()).collect(),
            settle: true,
            ..Plan::default()
        };
        let torn = self.torn(way, torn.clone()).plan;
        Some(Candidate { torn: Some(torn), ..self.candidate(way, plan, &elimination) })
    }

    /// Unknowns that are elements of one vector, by any of their names.
    fn vectors(&self, emitter: &Emitter) -> Vec<Vec<Column>> {
        let work = &*emitter.work;
        let place: FxHashMap<VarId, usize> =
            self.block.unknowns.iter().enumerate().map(|(c, &v)| (v, c)).collect();
        let mut lists: Vec<Vec<Column>> = Vec::new();
        let mut list_of: FxHashMap<&str, usize> = FxHashMap::default();
        for (k, var) in work.vars.iter().enumerate() {
            let Some((vector, _)) = var.name.rsplit_once('[') else { continue };
            let Some(&c) = place.get(&work.resolve(VarId(k as u32)).0) else { continue };
            let list = *list_of.entry(vector).or_insert_with(|| {
                lists.push(Vec::new());
                lists.len() - 1
            });
            lists[list].push(Column(c as u32));
        }
        lists.retain(|list| list.len() > 1);
        lists
    }

    fn tearing_problem(&self) -> TearingProblem<'_> {
        let mut problem = TearingProblem::new(&self.incidence, SolvabilitySet::SAFE);
        for &v in &self.hints.kept {
            problem.weight[v] = FORBIDDEN;
        }
        problem
    }

    fn torn(&self, way: Way, torn: Torn) -> Candidate {
        let plan = Plan {
            pivots: torn.sequence.iter().map(|a| (a.eqn.index(), a.var.index())).collect(),
            forward: torn.sequence.len(),
            core_rows: torn.residuals.iter().map(|e| e.index()).collect(),
            core_columns: torn.tearing_variables.iter().map(|v| v.index()).collect(),
            symmetric: None,
            settle: false,
        };
        let elimination =
            bounded_count_in_order(&self.elimination_problem(&self.incidence), &torn.sequence, BOUND);
        self.candidate(way, plan, &elimination)
    }

    fn torn_as_declared(&self, emitter: &mut Emitter, prescribed: bool) -> Candidate {
        let torn = tear_as_declared(&self.tearing_problem(), &self.hints.tearing, Completion::Automatic);
        if prescribed && let Some(d) = declared::diagnose(emitter.work, self.block, &torn, &self.hints) {
            emitter.report(d);
        }
        self.torn(Way::TornAsDeclared, torn.tearing)
    }

    fn elimination_problem<'p>(&self, pattern: &'p Incidence) -> EliminationProblem<'p> {
        let mut problem = EliminationProblem::new(pattern, SolvabilitySet::LINEAR);
        for o in pattern.occurrences() {
            problem.unit[o.edge] = self.units.contains(&(o.eqn, o.var));
        }
        problem
    }

    /// Pivots that are coefficients of the model must be proven; sums of several terms may be pivots if they keep their
    /// sign at the sampled points, and are guarded.
    fn eliminated(&self) -> Option<Candidate> {
        if self.incidence.edge_count() > ORDER_LIMIT {
            return None;
        }
        let pattern = self.safe_first(&self.incidence);
        let mut problem = self.elimination_problem(&pattern);
        problem.values = self.sampled(&pattern, |e, v| (e.index(), v.index()));
        let elimination = bounded_elimination_order(&problem, CODE_LIMIT);
        Some(self.candidate(Way::Eliminated, self.plan(&elimination), &elimination))
    }

    fn safe_first(&self, pattern: &Incidence) -> Incidence {
        pattern.with_solvability(|o| match o.solvability {
            Solvability::LinearUnsafe => Solvability::Nonlinear,
            other => other,
        })
    }

    /// The sampled coefficients of a part of the block; `place` gives rows and columns in the block.
    fn sampled(
        &self,
        pattern: &Incidence,
        place: impl Fn(Eqn, Column) -> (usize, usize),
    ) -> Option<IdVec<Edge, [f64; POINTS]>> {
        let samples: Vec<&Sample> = self.samples.iter().filter(|s| !s.perturbed).collect();
        if samples.is_empty() {
            return None;
        }
        let mut values = IdVec::filled([0.0; POINTS], pattern.edge_count());
        for o in pattern.occurrences() {
            let (r, c) = place(o.eqn, o.var);
            values[o.edge] = std::array::from_fn(|k| {
                let row = &samples[k % samples.len()].rows[r];
                row.binary_search_by_key(&c, |&(c, _)| c).map_or(0.0, |at| row[at].1)
            });
        }
        Some(values)
    }

    fn plan(&self, elimination: &Elimination) -> Plan {
        Plan {
            pivots: elimination.pivots.iter().map(|a| (a.eqn.index(), a.var.index())).collect(),
            forward: 0,
            core_rows: elimination.core_eqns.iter().map(|e| e.index()).collect(),
            core_columns: elimination.core_vars.iter().map(|v| v.index()).collect(),
            symmetric: None,
            settle: false,
        }
    }

    /// The order that follows from `relax`. Variables that are relaxed in all their equations are left for the end, and where
    /// no equations are left to determine the others, all that are relaxed anywhere, like the potentials of a circuit: this is
    /// modified nodal analysis.
    fn relaxed(&self, emitter: &mut Emitter, prescribed: bool) -> Option<Candidate> {
        let relaxed: FxHashSet<(Eqn, Column)> = self.hints.relaxed.iter().copied().collect();
        let kept = self.incidence.filtered(|o| !relaxed.contains(&(o.eqn, o.var)));
        let all: Vec<Eqn> = kept.eqn_ids().collect();
        let (relaxes, is_relaxed): (FxHashSet<Eqn>, FxHashSet<Column>) = relaxed.iter().copied().unzip();
        let matched = |is_last: &dyn Fn(Column) -> bool| {
            let (last, first): (Vec<Column>, Vec<Column>) = kept.var_ids().partition(|&v| is_last(v));
            let part = Extractor::new(&kept).extract(&all, &first);
            // An equation in which something is relaxed is meant to be solved for what is not.
            let rank = |o: Occurrence| {
                let own = u8::from(!relaxes.contains(&part.eqns[o.eqn]));
                16 * own + o.solvability.rank() as u8
            };
            let matching = maximum_matching_preferring(&part.incidence, rank);
            (last, first, part, matching)
        };
        let (mut last, mut first, mut part, mut matching) = matched(&|v| kept.eqns(v).is_empty());
        if matching.size() < first.len() {
            // Not all can be eliminated: those that are relaxed anywhere are left, as nodal analysis leaves potentials.
            let other = matched(&|v| is_relaxed.contains(&v));
            let (_, others, rows, found) = &other;
            let spare = |e: Eqn| relaxes.contains(&rows.eqns[e]);
            if !others.is_empty() && found.size() == others.len() && !found.unmatched_eqns().any(spare) {
                (last, first, part, matching) = other;
            }
        }
        if matching.size() < first.len() {
            if let (true, Err(singular)) = (prescribed, relaxed_blt(&self.incidence, &self.hints.relaxed)) {
                let d = declared::diagnose_relaxing(emitter.work, self.block, &singular);
                emitter.report(d);
            }
            return None;
        }
        let matched: Vec<Eqn> = part.incidence.eqn_ids().filter(|&e| matching.var_of(e).is_some()).collect();
        let spare: Vec<Eqn> = matching.unmatched_eqns().map(|e| part.eqns[e]).collect();
        let square = Extractor::new(&part.incidence)
            .extract(&matched, &part.incidence.var_ids().collect::<Vec<Column>>());
        let form = relaxed_blt(&square.incidence, &[]).ok()?;
        // Blocks in the order they are found, or all that depend on nothing first, then what depends on those, …
        let mut groups: Vec<(usize, Vec<Assignment>)> = Vec::new();
        let levels = block_levels(&form);
        let mut extractor = Extractor::new(&form.incidence);
        for (k, block) in form.blt.blocks().enumerate() {
            let inner = extractor.extract(block.eqns, block.vars);
            let outer = |a: &Assignment| Assignment {
                eqn: part.eqns[square.eqns[inner.eqns[a.eqn]]],
                var: part.vars[square.vars[inner.vars[a.var]]],
            };
            // A single equation is solved for its variable, whatever the coefficient.
            let pattern =
                if block.size() > 1 { self.safe_first(&inner.incidence) } else { inner.incidence.clone() };
            let mut problem = EliminationProblem::new(&pattern, SolvabilitySet::LINEAR);
            problem.values = self.sampled(&pattern, |eqn, var| {
                let a = outer(&Assignment { eqn, var });
                (a.eqn.index(), a.var.index())
            });
            let mut order = elimination_order(&problem);
            if !order.core_eqns.is_empty() {
                order = elimination_order(&EliminationProblem::new(&inner.incidence, SolvabilitySet::LINEAR));
            }
            groups.push((levels[k], order.pivots.iter().map(outer).collect()));
        }
        let problem = self.elimination_problem(&self.incidence);
        let flat = |groups: &[(usize, Vec<Assignment>)]| -> Vec<Assignment> {
            groups.iter().flat_map(|(_, pivots)| pivots.iter().copied()).collect()
        };
        let mut pivots = flat(&groups);
        let mut elimination = bounded_count_in_order(&problem, &pivots, BOUND);
        groups.sort_by_key(|(level, _)| *level);
        let by_level = flat(&groups);
        let other = bounded_count_in_order(&problem, &by_level, BOUND);
        let price = |e: &Elimination| (e.zero_pivot.is_some(), e.operations_with_dense_core().total());
        if price(&other) < price(&elimination) {
            (pivots, elimination) = (by_level, other);
        }
        if let Some(zero) = elimination.zero_pivot {
            if prescribed {
                let why = "because its coefficient is zero at that point";
                let d = declared::diagnose_pivot(emitter.work, self.block, zero.eqn, zero.var, why);
                emitter.report(d);
            }
            return None;
        }
        let plan = Plan {
            pivots: pivots.iter().map(|a| (a.eqn.index(), a.var.index())).collect(),
            forward: 0,
            core_rows: spare.iter().map(|e| e.index()).collect(),
            core_columns: last.iter().map(|v| v.index()).collect(),
            symmetric: None,
            settle: false,
        };
        let blocks = self.candidate(Way::Relaxed, plan, &elimination);
        // Where both are declared that is the paper's way, unless the other is far cheaper; else it must be worth it.
        const FAR: u64 = 2;
        let torn = emitter.settings.tearing == Tearing::Declared;
        let taken = |other: &Candidate, emitter: &mut Emitter| match prescribed && torn {
            true if other.estimate <= FAR * blocks.estimate => other.rejected.is_none(),
            _ => self.is_cheaper(emitter, other, &blocks),
        };
        let recursive = self.relaxed_and_torn(emitter).filter(|other| taken(other, emitter));
        Some(recursive.unwrap_or(blocks))
    }

    /// The blocks of the relaxed form, torn inside as the model declares it: (34) and (35) of the paper on relaxing. The order of a
    /// torn tree is such a form if what is relaxed in an equation is eliminated after that equation.
    fn relaxed_and_torn(&self, emitter: &Emitter) -> Option<Candidate> {
        if !self.hints.tears() {
            return None;
        }
        let torn = tear_as_declared(&self.tearing_problem(), &self.hints.tearing, Completion::Automatic);
        let candidate = self.recursive(emitter, Way::Relaxed, &torn.tearing)?;
        let mut turn = vec![usize::MAX; self.rows.len()];
        let mut position = vec![usize::MAX; self.rows.len()];
        for (k, &(r, c)) in candidate.plan.pivots.iter().enumerate() {
            (turn[r], position[c]) = (k, k);
        }
        let follows = |(e, v): &(Eqn, Column)| {
            let (turn, position) = (turn[e.index()], position[v.index()]);
            turn < position || position == usize::MAX || self.incidence.find(*e, *v).is_none()
        };
        self.hints.relaxed.iter().all(follows).then_some(candidate)
    }

    /// Does one way take fewer operations than another, written down?
    fn is_cheaper(&self, emitter: &mut Emitter, one: &Candidate, other: &Candidate) -> bool {
        if one.rejected.is_some() || other.rejected.is_some() {
            return one.rejected.is_none();
        }
        let price = |emitter: &mut Emitter, c: &Candidate| {
            self.written_price(emitter, &c.plan).unwrap_or(f64::INFINITY)
        };
        price(emitter, one) < price(emitter, other)
    }

    fn candidate(&self, way: Way, plan: Plan, elimination: &Elimination) -> Candidate {
        let left = plan.core_rows.len();
        let estimate = elimination.operations_with_dense_core().total();
        let rejected = if left > DENSE_LIMIT {
            Some(format!("{left} unknowns are too many for a full matrix"))
        } else if left > CLOSED && left == self.rows.len() {
            Some("nothing can be solved for".to_owned())
        } else if estimate > CODE_LIMIT * if plan.settle { SETTLED } else { 1 } {
            Some(format!("about {estimate} operations are too many to be written down"))
        } else {
            None
        };
        Candidate { way, plan, estimate, rejected, torn: None }
    }

    /// Tries the plan on numbers.
    fn examine(&self, emitter: &mut Emitter, candidate: &mut Candidate) {
        if candidate.rejected.is_some() {
            return;
        }
        let trials: Vec<(bool, growth::Trial)> =
            self.samples.iter().map(|s| (s.perturbed, growth::trial(s, &candidate.plan))).collect();
        let eliminates = matches!(candidate.way, Way::Eliminated | Way::Relaxed);
        let real = || trials.iter().filter(|(perturbed, _)| !perturbed).map(|(_, trial)| trial);
        // A sample without a solution says something about a static order, nothing about a torn sequence. Of several samples
        // some may be far from anything that happens, like all switches open: what holds at most of them is decisive,
        // the rest is left to the guard.
        let mut residuals: Vec<f64> =
            real().map(|t| t.residual).filter(|r| eliminates || r.is_finite()).collect();
        residuals.sort_by(f64::total_cmp);
        let worst = match residuals.as_slice() {
            [] => 0.0,
            all if eliminates => self
                .steps
                .iter()
                .map(|s| growth::trial(s, &candidate.plan).residual)
                .fold(all[all.len() - 1], f64::max),
            all => all[(all.len() - 1) / 2],
        };
        if eliminates && let Some(k) = sign_change(real()) {
            let (r, c) = candidate.plan.pivots[k];
            let name = &emitter.work.var(self.block.unknowns[c]).name;
            let zero = real().all(|t| t.pivots[k] == 0.0);
            let (note, why) = match zero {
                true => ("is zero", "because its divisor is zero then"),
                false => ("changes its sign", "because its divisor changes its sign"),
            };
            candidate.rejected = Some(format!("the divisor of {name} {note}"));
            if candidate.way == Way::Relaxed && emitter.settings.relaxing == Relaxing::Declared {
                let (row, column) = (Eqn(r as u32), Column(c as u32));
                let d = declared::diagnose_pivot(emitter.work, self.block, row, column, why);
                emitter.report(d);
            }
        } else if worst > LOST {
            candidate.rejected = Some(format!("it loses digits: relative residuals of {worst:.0e}"));
        }
        if let Some(torn) = &mut candidate.torn {
            let trials: Vec<growth::Trial> = self.samples.iter().map(|s| growth::trial(s, torn)).collect();
            let cores: Vec<&growth::Core> = trials.iter().map(|t| &t.core).collect();
            let order = self.symmetric_order(emitter, torn, &cores);
            torn.symmetric = order.map(|order| order.iter().map(|&(_, s)| s).collect());
            return;
        }
        let cores: Vec<&growth::Core> = trials.iter().map(|(_, t)| &t.core).collect();
        if let Some(order) = self.symmetric_order(emitter, &candidate.plan, &cores) {
            let rows: Vec<usize> = order.iter().map(|&(k, _)| candidate.plan.core_rows[k]).collect();
            candidate.plan.core_rows = rows;
            candidate.plan.symmetric = Some(order.iter().map(|&(_, scale)| scale).collect());
        }
    }

    /// The order in which these matrices are symmetric, whatever conditions decide.
    fn symmetric_order(
        &self,
        emitter: &mut Emitter,
        plan: &Plan,
        at: &[&growth::Core],
    ) -> Option<Vec<(usize, f64)>> {
        let order = growth::symmetric_order(at)?;
        let branched = self.branched.get_or_init(|| growth::branched_samples(emitter, &self.rows));
        growth::is_order_in(branched, plan, at).then_some(order)
    }

    /// Of tearing sets of the same size one may cost half of another: exchanges tearing variables as long as that pays.
    fn improve(&self, emitter: &mut Emitter, candidate: &mut Candidate) {
        const TRIALS: usize = 240;
        let torn = candidate.plan.core_columns.len();
        if torn == 0 || torn * self.rows.len() > TRIALS || self.switched {
            return;
        }
        let problem = self.tearing_problem();
        let mut solver = Solver::new(&problem);
        let mut best = match candidate.rejected {
            None => self.written_price(emitter, &candidate.plan).unwrap_or(f64::INFINITY),
            Some(_) => f64::INFINITY,
        };
        for k in 0..torn {
            for v in self.incidence.var_ids() {
                let mut given: Vec<Column> =
                    candidate.plan.core_columns.iter().map(|&c| Column(c as u32)).collect();
                if given.contains(&v) || problem.weight[v] == FORBIDDEN {
                    continue;
                }
                given[k] = v;
                if !solver.is_complete(&given) {
                    continue;
                }
                let mut other = self.torn(Way::Torn, solver.tearing(&given));
                self.examine(emitter, &mut other);
                if other.rejected.is_some() {
                    continue;
                }
                let price = self.written_price(emitter, &other.plan).unwrap_or(f64::INFINITY);
                if price < best {
                    best = price;
                    *candidate = other;
                }
            }
        }
    }

    /// A few unknowns that a torn sequence leaves are eliminated one after the other, if that costs less than Cramer's rule and their
    /// pivots keep their signs.
    fn eliminate_core(&self, emitter: &mut Emitter, candidate: &mut Candidate) {
        let torn = &candidate.plan;
        if candidate.rejected.is_some() || !(2..=CLOSED).contains(&torn.core_rows.len()) || self.switched {
            return;
        }
        let mut plan =
            Plan { core_rows: Vec::new(), core_columns: Vec::new(), symmetric: None, ..torn.clone() };
        plan.pivots.extend(torn.core_rows.iter().copied().zip(torn.core_columns.iter().copied()));
        let mut trials: Vec<growth::Trial> =
            self.samples.iter().chain(&self.steps).map(|s| growth::trial(s, &plan)).collect();
        let lost = |t: &growth::Trial| t.residual > LOST;
        trials.iter_mut().for_each(|t| _ = t.pivots.drain(..plan.forward));
        if trials.is_empty() || trials.iter().any(lost) || sign_change(trials.iter()).is_some() {
            return;
        }
        let price =
            |emitter: &mut Emitter, plan: &Plan| self.written_price(emitter, plan).unwrap_or(f64::INFINITY);
        if price(emitter, &plan) < price(emitter, torn) {
            candidate.torn = Some(std::mem::replace(&mut candidate.plan, plan));
        }
    }

    fn written_price(&self, emitter: &mut Emitter, plan: &Plan) -> Option<f64> {
        let mark = emitter.mark();
        let solved = eliminate::solve(emitter, self.block, &self.rows, plan);
        let price = solved.map(|solved| self.price_of(emitter, &solved).0);
        emitter.rollback(mark);
        price
    }

    /// Prices all ways; the chosen one is the cheapest, `None` the sparse one.
    fn choose(&self, emitter: &mut Emitter, candidates: &[Candidate]) -> (Vec<Alternative>, Option<usize>) {
        let mut alternatives = Vec::new();
        let mut counts: Vec<u64> = Vec::new();
        let open = candidates.iter().filter(|c| c.rejected.is_none()).count();
        for candidate in candidates {
            let mut alternative = Alternative {
                way: candidate.way,
                left: candidate.plan.core_rows.len(),
                mul: 0,
                add: 0,
                once: 0,
                price: f64::INFINITY,
                chosen: false,
                note: candidate.rejected.clone().unwrap_or_default(),
            };
            let written = candidate.estimate <= WRITTEN_LIMIT || open <= 1;
            let mut count = u64::MAX;
            if candidate.rejected.is_none() && written {
                count = self.price(emitter, candidate, &mut alternative);
            } else if candidate.rejected.is_none() {
                alternative.price = candidate.estimate as f64;
                alternative.note = "priced by its structure".to_owned();
            }
            alternatives.push(alternative);
            counts.push(count);
        }
        alternatives.push(self.sparse_price(emitter, candidates));
        let best = alternatives
            .iter()
            .enumerate()
            .min_by(|(i, a), (j, b)| a.price.total_cmp(&b.price).then(i.cmp(j)))
            .map(|(k, _)| k)
            .unwrap_or(candidates.len());
        let best = match self.rows.len() < DEFERRED {
            true => best,
            false => fewest_written(&alternatives, &counts, best),
        };
        // A way that is prescribed is taken whatever the sparse solver would cost.
        let prescribed = match (candidates, emitter.settings) {
            ([only], settings) if only.rejected.is_none() => match only.way {
                Way::Relaxed => settings.relaxing == Relaxing::Declared,
                Way::TornAsDeclared => settings.tearing == Tearing::Declared,
                _ => false,
            },
            _ => false,
        };
        let best = if prescribed { 0 } else { best };
        alternatives[best].chosen = true;
        (alternatives, (best < candidates.len()).then_some(best))
    }

    /// What a way costs, with what is computed only where results are wanted priced as what is done once; and how many
    /// operations of each evaluation are written down.
    fn price_of(&self, emitter: &Emitter, solved: &Solved) -> (f64, u64) {
        // Of small blocks, and where nothing is needed outside, all results count.
        if self.rows.len() < DEFERRED || self.needed.is_empty() {
            let (each, once) = operations(emitter, &solved.steps);
            return (price(each, once, &solved.steps), written(emitter, &solved.steps));
        }
        // What both have in common is not saved by moving one of them.
        let (kept, late) = defer::split(&emitter.work.pool, &solved.steps, &self.needed);
        let (each, once) = operations(emitter, &kept);
        let later = ONCE * operations(emitter, &late).0.total() as f64;
        (price(each, once, &kept) + later, written(emitter, &kept))
    }

    /// Writes the way down, counts, and forgets it again; the operations as they are written.
    fn price(&self, emitter: &mut Emitter, candidate: &Candidate, to: &mut Alternative) -> u64 {
        let mark = emitter.mark();
        let mut all = u64::MAX;
        match eliminate::solve(emitter, self.block, &self.rows, &candidate.plan) {
            Some(solved) => {
                let (each, once) = operations(emitter, &solved.steps);
                to.left = solved.left;
                (to.mul, to.add, to.once) = (each.mul, each.add, once.total());
                (to.price, all) = self.price_of(emitter, &solved);
            }
            None => to.note = "a divisor is zero, always or in one of its cases".to_owned(),
        }
        emitter.rollback(mark);
        all
    }

    fn sparse_price(&self, emitter: &Emitter, candidates: &[Candidate]) -> Alternative {
        let n = self.rows.len() as u64;
        let entries = self.incidence.edge_count() as u64;
        let eliminations = candidates.iter().filter(|c| c.way == Way::Eliminated).map(|c| c.estimate);
        let work = eliminations.min().unwrap_or(10 * entries);
        let work = if self.once { 4 * entries } else { work.max(2 * entries) };
        let price = if n as usize <= DENSE_WHOLE {
            Operations::dense(n).total() as f64 + KERNEL
        } else {
            SPARSE * work as f64 + KERNEL
        };
        let values = self.rows.iter().flat_map(|r| r.coefficients.iter().map(|c| c.1).chain([r.right]));
        let mut counter = Counter::new();
        for e in values.filter(|&e| !is_once(emitter, e, &FxHashSet::default())) {
            counter.add(&emitter.work.pool, e);
        }
        let price = price + counter.total.total() as f64;
        let note = "estimated".to_owned();
        let (mul, add) = (work / 2, work - work / 2);
        Alternative { way: Way::Sparse, left: n as usize, mul, add, once: 0, price, chosen: false, note }
    }

    /// What takes the place of an elimination that loses its digits: the cheapest torn form, where that costs less than the whole
    /// block with pivoting.
    fn torn_instead<'c>(&self, candidates: &'c [Candidate], prices: &[Alternative]) -> Option<&'c Plan> {
        let sparse = prices.last().map_or(0.0, |sparse| sparse.price);
        let torn = |c: &Candidate| matches!(c.way, Way::Torn | Way::TornAsDeclared) && c.rejected.is_none();
        let ways = candidates.iter().zip(prices).filter(|(c, _)| torn(c) && c.estimate <= WRITTEN_LIMIT);
        let best = ways.filter(|(_, a)| a.price < sparse).min_by(|a, b| a.1.price.total_cmp(&b.1.price));
        best.map(|(c, _)| c.torn.as_ref().unwrap_or(&c.plan))
    }

    fn system(&self, emitter: &mut Emitter, attempt: Attempt) -> Step {
        let Attempt { candidates, mut alternatives, chosen } = attempt;
        let chosen = chosen.map(|k| &candidates[k]);
        let solved = chosen.and_then(|c| {
            eliminate::solve(emitter, self.block, &self.rows, &c.plan).map(|solved| (c, solved))
        });
        let equations: Vec<EquationRef> =
            self.block.equations.iter().map(|&e| EquationRef(e as u32)).collect();
        let Some((candidate, solved)) = solved else {
            let last = alternatives.len() - 1;
            alternatives.iter_mut().enumerate().for_each(|(k, a)| a.chosen = k == last);
            let form = Form::Linear {
                method: LinearMethod::Sparse,
                symmetric: false,
                steps: guards::whole(emitter, self.block, &self.rows),
                guard: None,
            };
            return Step::System(Box::new(System {
                unknowns: self.block.unknowns.clone(),
                tearing_variables: self.block.unknowns.clone(),
                residuals: equations.clone(),
                equations,
                mixed: false,
                form,
                alternatives,
            }));
        };
        let plan = &candidate.plan;
        let eliminates = matches!(candidate.way, Way::Eliminated | Way::Relaxed);
        let method = match solved.left {
            _ if eliminates => LinearMethod::Relaxed,
            0 => LinearMethod::ClosedForm,
            _ => LinearMethod::Torn,
        };
        let other = if eliminates { self.torn_instead(&candidates, &alternatives) } else { None };
        let guard = guards::guard(emitter, self.block, &self.rows, self.constant, &solved, other);
        let plan = candidate.torn.as_ref().unwrap_or(plan);
        Step::System(Box::new(System {
            tearing_variables: plan.core_columns.iter().map(|&c| self.block.unknowns[c]).collect(),
            residuals: plan.core_rows.iter().map(|&r| equations[r]).collect(),
            equations,
            unknowns: self.block.unknowns.clone(),
            mixed: false,
            form: Form::Linear { method, symmetric: plan.symmetric.is_some(), steps: solved.steps, guard },
            alternatives,
        }))
    }
}

/// The first pivot that has different signs at different points, or is zero at one.
fn sign_change<'t>(trials: impl Iterator<Item = &'t growth::Trial>) -> Option<usize> {
    let mut first: Option<&[f64]> = None;
    for trial in trials {
        let signs = *first.get_or_insert(&trial.pivots);
        let other = signs.iter().zip(&trial.pivots).position(|(a, b)| a * b <= 0.0 || (a * b).is_nan());
        if other.is_some() {
            return other;
        }
    }
    None
}

/// Prices are not exact: of the ways that cost about as much as the best, that with the fewest operations as they are written.
fn fewest_written(alternatives: &[Alternative], counts: &[u64], best: usize) -> usize {
    let limit = (1.0 + ALIKE) * alternatives[best].price;
    let alike = |&k: &usize| alternatives[k].price <= limit;
    // Of equal ones the best stays.
    let order = |&k: &usize| (counts[k], k != best, k);
    if best < counts.len() { (0..counts.len()).filter(alike).min_by_key(order).unwrap_or(best) } else { best }
}
