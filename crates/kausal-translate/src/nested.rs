//! How a nonlinear block is solved: what is iterated on, what is computed in sequence, what is a linear system inside.
//!
//! Given the iteration variables, equations that stay together may be linear in what is left; solved as linear systems in
//! each evaluation they need no iteration variables of their own (tearing paper, Elmqvist and Otter 1994; nested tearing as in
//! `kausal_structure::tearing::nested`). Which products of unknowns occur is read off second derivatives: of two unknowns that
//! multiply each other inside a loop one must be known.
//!
//! Long sequences can lose all digits, as in linear systems. A sequence is tried on the linearised block at sample points
//! (`growth`); where it loses digits at all of them, nested systems, which are guarded themselves, are preferred, and else the
//! sequence is cut where errors have grown: more variables are iterated on (multiple shooting).

use kausal_structure::tearing::nested::{NestedStep, tear_nested};
use kausal_structure::tearing::{DEFAULT_WEIGHT, Effort, FORBIDDEN, Tearing, TearingProblem};
use kausal_structure::{Eqn, Id, IdVec, Incidence, Var as Column, blt, maximum_matching_preferring};
use kausal_symbolic::{ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::eliminate::{self, Row};
use crate::emit::Emitter;
use crate::growth::{self, Sample};
use crate::solve;
use crate::sort::Block;
use crate::spread::Spread;

/// Larger blocks are torn plainly: every trial sorts the block.
const LARGEST: usize = 600;
/// Visited edges the search for iteration variables may cost.
const SEARCH_LIMIT: usize = 2_000_000;
/// A relative residual above this means that a sequence inside an iteration loses digits: what is iterated on is known to
/// some `1e-12` only.
const LOST: f64 = 1e-11;

/// So do changes that spread so far: the run finds digits lost where they are amplified a hundred times more, which is what other
/// values of unknowns than those of the trials may bring about.
const AMPLIFIED: f64 = 1e4;

/// A part of what follows from the iteration variables; rows and columns of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// An equation solved for its unknown.
    Assign(usize, usize),
    /// Equations that are linear in their unknowns.
    Linear(Vec<usize>, Vec<usize>),
    /// An iteration inside the iteration, on one variable (`seeded`).
    Inner(Box<Plan>),
}

impl Part {
    /// The rows that it is solved from.
    pub fn rows(&self) -> Vec<usize> {
        match self {
            Part::Assign(row, _) => vec![*row],
            Part::Linear(rows, _) => rows.clone(),
            Part::Inner(inner) => inner.rows(),
        }
    }

    /// The columns that it computes.
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Part::Assign(_, column) => vec![*column],
            Part::Linear(_, columns) => columns.clone(),
            Part::Inner(inner) => inner.columns(),
        }
    }
}

/// How a block is solved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Columns that are iterated on.
    pub iterated: Vec<usize>,
    /// Rows whose residuals become zero.
    pub residuals: Vec<usize>,
    /// The rest, in order.
    pub parts: Vec<Part>,
}

impl Plan {
    /// A torn sequence.
    pub fn torn(torn: &Tearing) -> Plan {
        Plan {
            iterated: torn.tearing_variables.iter().map(|v| v.index()).collect(),
            residuals: torn.residuals.iter().map(|e| e.index()).collect(),
            parts: torn.sequence.iter().map(|a| Part::Assign(a.eqn.index(), a.var.index())).collect(),
        }
    }

    /// All rows of the plan.
    pub fn rows(&self) -> Vec<usize> {
        let mut all = self.residuals.clone();
        all.extend(self.parts.iter().flat_map(Part::rows));
        all
    }

    /// All columns of the plan.
    pub fn columns(&self) -> Vec<usize> {
        let mut all = self.iterated.clone();
        all.extend(self.parts.iter().flat_map(Part::columns));
        all
    }

    fn assigns(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::Assign(row, column) => Some((*row, *column)),
            Part::Linear(..) | Part::Inner(_) => None,
        })
    }

    /// The same as an elimination of the linearised block: what is not a sequence is left to a solver.
    fn elimination(&self) -> eliminate::Plan {
        let pivots: Vec<(usize, usize)> = self.assigns().collect();
        let (mut core_rows, mut core_columns) = (self.residuals.clone(), self.iterated.clone());
        for part in &self.parts {
            match part {
                Part::Assign(..) => {}
                Part::Linear(rows, columns) => {
                    core_rows.extend(rows);
                    core_columns.extend(columns);
                }
                Part::Inner(inner) => {
                    core_rows.extend(inner.rows());
                    core_columns.extend(inner.columns());
                }
            }
        }
        eliminate::Plan {
            forward: pivots.len(),
            pivots,
            core_rows,
            core_columns,
            symmetric: None,
            settle: false,
        }
    }
}

/// What to iterate on rather than on something else: what has a start value, a magnitude, or moves on smoothly because its
/// derivative is known. Slight preferences: a smaller set is always better.
pub(crate) fn weights(emitter: &Emitter, block: &Block, weight: &mut IdVec<Column, u32>) {
    for (k, &v) in block.unknowns.iter().enumerate() {
        let var = emitter.work.var(v);
        let liked = 10 * u32::from(var.start.is_some())
            + 5 * u32::from(var.derivative.is_some())
            + 3 * u32::from(var.nominal.is_some());
        weight[Column(k as u32)] = DEFAULT_WEIGHT - liked;
    }
}

/// Improves a torn sequence: nested linear systems where that leaves less to iterate on, more iteration variables where
/// digits are lost.
pub(crate) fn improved(emitter: &mut Emitter, block: &Block, problem: &TearingProblem, plain: Plan) -> Plan {
    if block.unknowns.len() > LARGEST {
        return plain;
    }
    if plain.parts.is_empty() {
        return plain;
    }
    let slopes = slopes(emitter, block);
    let Some(rows) = linearised(emitter, &slopes) else { return plain };
    let trials = Trials::new(growth::samples(emitter, &rows));
    let lossy = trials.lose(&plain);
    if plain.iterated.len() < 2 && !lossy {
        return plain;
    }
    let bound = if lossy { block.unknowns.len() } else { plain.iterated.len() };
    let nested = nested(emitter, block, problem, &slopes, bound).filter(|plan| !trials.lose(plan));
    match nested {
        Some(plan) => plan,
        None if lossy => trials.cut(plain),
        None => plain,
    }
}

/// The derivatives of an equation by its unknowns, in the order of columns; `None` for one that cannot be formed.
pub(crate) type Slopes = Vec<(usize, Option<ExprId>)>;

/// The derivatives of all equations by their unknowns.
pub(crate) fn slopes(emitter: &mut Emitter, block: &Block) -> Vec<Slopes> {
    let place: FxHashMap<VarId, usize> = block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut rows = Vec::new();
    for &equation in &block.equations {
        let residual = emitter.work.residual(equation);
        let mut slopes = Slopes::new();
        for v in emitter.work.pool.variables_of(residual) {
            if let Some(&column) = place.get(&v) {
                slopes.push((column, solve::partial(emitter.work, residual, v)));
            }
        }
        slopes.sort_unstable_by_key(|&(c, _)| c);
        rows.push(slopes);
    }
    rows
}

/// The linearised block; `None` if a derivative cannot be formed.
pub(crate) fn linearised(emitter: &mut Emitter, slopes: &[Slopes]) -> Option<Vec<Row>> {
    let right = emitter.work.pool.constant(0.0);
    let row = |slopes: &Slopes| {
        let known = |&(column, slope): &(usize, Option<ExprId>)| Some((column, slope?));
        Some(Row { coefficients: slopes.iter().map(known).collect::<Option<_>>()?, right })
    };
    slopes.iter().map(row).collect()
}

/// Where sequences are tried.
struct Trials {
    samples: Vec<Sample>,
    spread: Spread,
}

impl Trials {
    fn new(samples: Vec<Sample>) -> Trials {
        let spread = Spread::at(&samples);
        Trials { samples, spread }
    }

    /// Does the sequence lose digits, or amplify changes so much that it might in the run, at every point where that can be told?
    fn lose(&self, plan: &Plan) -> bool {
        let elimination = plan.elimination();
        let samples = self.samples.iter().filter(|s| !s.perturbed);
        let trials = samples.map(|s| growth::trial(s, &elimination).residual);
        let residuals: Vec<f64> = trials.filter(|r| r.is_finite()).collect();
        let lost = !residuals.is_empty() && residuals.iter().all(|&r| r > LOST);
        lost || self.spread.of(plan) > AMPLIFIED
    }

    /// Iterates on more variables: on those of the sequence in which errors have grown by a factor. The factor is lowered until
    /// no digits are lost.
    fn cut(&self, plan: Plan) -> Plan {
        const FACTORS: [f64; 4] = [1e4, 1e3, 1e2, 10.0];
        let Some(sample) = self.samples.iter().find(|s| !s.perturbed) else { return plan };
        for factor in FACTORS {
            let fewer = cut_at(sample, &plan, factor);
            if !self.lose(&fewer) {
                return fewer;
            }
        }
        cut_at(sample, &plan, 0.0)
    }
}

fn cut_at(sample: &Sample, plan: &Plan, factor: f64) -> Plan {
    let mut growth = vec![1.0f64; sample.rows.len()];
    let mut out = Plan { parts: Vec::new(), ..plan.clone() };
    for part in &plan.parts {
        let Part::Assign(row, column) = *part else {
            out.parts.push(part.clone());
            continue;
        };
        let (mut sum, mut pivot) = (0.0, 0.0f64);
        for &(c, a) in &sample.rows[row] {
            if c == column {
                pivot = a.abs();
            } else {
                sum += a.abs() * growth[c];
            }
        }
        let grown = sum / pivot;
        if grown <= factor {
            growth[column] = grown.max(1.0);
            out.parts.push(part.clone());
        } else {
            out.iterated.push(column);
            out.residuals.push(row);
        }
    }
    out
}

/// A plan with linear systems inside that iterates on fewer than `bound` variables, if there is one.
fn nested(
    emitter: &mut Emitter,
    block: &Block,
    problem: &TearingProblem,
    slopes: &[Slopes],
    bound: usize,
) -> Option<Plan> {
    let products = products(emitter, block, slopes);
    let torn = linearising(problem, &products, bound)?;
    let nested = tear_nested(problem, &torn, None, Effort::default()).ok()?;
    let mut plan = Plan {
        iterated: nested.tearing_variables.iter().map(|v| v.index()).collect(),
        residuals: nested.residuals.iter().map(|e| e.index()).collect(),
        parts: Vec::new(),
    };
    let mut systems = 0;
    for step in &nested.steps {
        match step {
            NestedStep::Solve(a) => plan.parts.push(Part::Assign(a.eqn.index(), a.var.index())),
            NestedStep::System(torn) => {
                let inner = Plan::torn(torn);
                let eqns = torn.residuals.iter().copied().chain(torn.sequence.iter().map(|a| a.eqn));
                let vars = torn.tearing_variables.iter().copied().chain(torn.sequence.iter().map(|a| a.var));
                let mut inside: Vec<usize> = eqns.map(|e| e.index()).collect();
                let mut columns: Vec<usize> = vars.map(|v| v.index()).collect();
                inside.sort_unstable();
                columns.sort_unstable();
                if inside.len() > 1 && is_linear(emitter, block, &inside, &columns) {
                    systems += 1;
                    plan.parts.push(Part::Linear(inside, columns));
                } else {
                    plan.iterated.extend(inner.iterated);
                    plan.residuals.extend(inner.residuals);
                    plan.parts.extend(inner.parts);
                }
            }
        }
    }
    plan.iterated.sort_unstable();
    plan.residuals.sort_unstable();
    (systems > 0 && plan.iterated.len() < bound).then_some(plan)
}

/// Are these equations linear in these unknowns together, and a system whatever states the run selects? An equation of a
/// state set says something about its unknowns for some selections only; the block as a whole is regular for all.
fn is_linear(emitter: &mut Emitter, block: &Block, rows: &[usize], columns: &[usize]) -> bool {
    let unknowns: FxHashSet<VarId> = columns.iter().map(|&c| block.unknowns[c]).collect();
    rows.iter().all(|&r| {
        let equation = block.equations[r];
        let residual = emitter.work.residual(equation);
        !emitter.work.pool.contains_any(residual, |v| emitter.work.selectors.contains(&v))
            && solve::linear(emitter.work, equation, &|v| unknowns.contains(&v)).is_some()
    })
}

/// For each row the pairs of columns that it is not linear in together. Where a derivative cannot be formed, nothing is known
/// about that column by itself and with others of its kind; what it is with the rest is seen in their derivatives.
pub(crate) fn products(emitter: &Emitter, block: &Block, slopes: &[Slopes]) -> Vec<Vec<(usize, usize)>> {
    let place: FxHashMap<VarId, usize> = block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut out = Vec::new();
    for row in slopes {
        let mut pairs = Vec::new();
        for &(c, slope) in row {
            let others: Vec<usize> = match slope {
                Some(slope) => {
                    let variables = emitter.work.pool.variables_of(slope);
                    variables.into_iter().filter_map(|v| place.get(&v).copied()).collect()
                }
                None => row.iter().filter(|(_, slope)| slope.is_none()).map(|&(d, _)| d).collect(),
            };
            pairs.extend(others.into_iter().map(|d| (c.min(d), c.max(d))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        out.push(pairs);
    }
    out
}

/// For each row the columns that it is not linear in although its derivative by them does not depend on them: it jumps, as
/// `sign` does.
pub(crate) fn jumps(
    emitter: &mut Emitter,
    block: &Block,
    slopes: &[Slopes],
    products: &[Vec<(usize, usize)>],
) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    for ((row, pairs), &equation) in slopes.iter().zip(products).zip(&block.equations) {
        let mut columns: Vec<usize> =
            row.iter().map(|&(c, _)| c).filter(|&c| pairs.binary_search(&(c, c)).is_err()).collect();
        let unknowns: FxHashSet<VarId> = columns.iter().map(|&c| block.unknowns[c]).collect();
        if solve::linear(emitter.work, equation, &|v| unknowns.contains(&v)).is_some() {
            columns.clear();
        }
        columns.retain(|&c| solve::linear(emitter.work, equation, &|v| v == block.unknowns[c]).is_none());
        out.push(columns);
    }
    out
}

/// Variables that, once known, leave only linear systems and equations that can be solved; fewer than `bound` are iterated on.
/// Begins with all that are in products and leaves out what is not needed, the least liked first.
fn linearising(
    problem: &TearingProblem,
    products: &[Vec<(usize, usize)>],
    bound: usize,
) -> Option<Vec<Column>> {
    let incidence = problem.incidence;
    let inside = products.iter().flatten().flat_map(|&(c, d)| [c, d]);
    let mut torn: Vec<Column> = inside.map(|c| Column(c as u32)).collect();
    torn.sort_unstable();
    torn.dedup();
    torn.retain(|&v| problem.weight[v] != FORBIDDEN);
    let mut cost = iterations(problem, products, &torn)?;
    let mut candidates = torn.clone();
    candidates.reverse();
    candidates.sort_by_key(|v| std::cmp::Reverse(problem.weight[*v]));
    for candidate in candidates.into_iter().take(SEARCH_LIMIT / (incidence.edge_count() + 1)) {
        let fewer: Vec<Column> = torn.iter().copied().filter(|v| *v != candidate).collect();
        if let Some(less) = iterations(problem, products, &fewer).filter(|less| *less < cost) {
            (torn, cost) = (fewer, less);
        }
    }
    (cost < bound).then_some(torn)
}

/// How many variables are iterated on when these are known: themselves, and those of single equations that cannot be solved.
/// `None` where a simultaneous part is not linear.
fn iterations(problem: &TearingProblem, products: &[Vec<(usize, usize)>], torn: &[Column]) -> Option<usize> {
    let incidence: &Incidence = problem.incidence;
    let mut known: IdVec<Column, bool> = IdVec::filled(false, incidence.var_count());
    torn.iter().for_each(|&v| known[v] = true);
    let rest = incidence.filtered(|o| !known[o.var]);
    let matching = maximum_matching_preferring(&rest, |o| {
        let unsolvable = !problem.solvable.contains(o.solvability);
        16 * u8::from(unsolvable) + o.solvability.rank() as u8
    });
    if matching.size() + torn.len() < incidence.var_count() {
        return None;
    }
    let form = blt(&rest, &matching);
    let block_of = |c: usize| {
        let v = Column(c as u32);
        if known[v] { None } else { matching.eqn_of(v).and_then(|e| form.block_of(e)) }
    };
    let mut count = torn.len();
    for (index, block) in form.blocks().enumerate() {
        if let ([e], [v]) = (block.eqns, block.vars) {
            let solvable = rest.solvability_of(*e, *v).is_some_and(|s| problem.solvable.contains(s));
            count += usize::from(!solvable);
            continue;
        }
        let both = |&(c, d): &(usize, usize)| block_of(c) == Some(index) && block_of(d) == Some(index);
        if block.eqns.iter().any(|e: &Eqn| products[e.index()].iter().any(both)) {
            return None;
        }
    }
    Some(count)
}
