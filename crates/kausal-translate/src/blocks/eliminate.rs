//! Gaussian elimination on formulas, in an order that is fixed at translation.
//!
//! Relaxing paper (Otter, Elmqvist and Cellier 1996), section 4, and tearing paper (Elmqvist and Otter 1994), "Solving
//! torn linear systems": both are elimination with pivots known beforehand. What differs is how the eliminated
//! unknowns are found in the end. The unknowns of a torn sequence follow forwards from the original equations, the
//! others backwards from the reduced ones.
//!
//! Rows are reduced one after the other. A value that was computed before, or its negative, is not computed again, however
//! it is written ([`identity`](crate::equations::identity)): of a matrix that is symmetric, up to signs of its rows and columns, only
//! one half is computed, whether anybody knows that it is symmetric or not. What cancels is gone, and so is in the end
//! what turned out not to be needed.
//!
//! Unknowns that no other unknown needs, like the forces in the joints of a mechanism, come last and from the equations as
//! they are written: they are right whatever became of the pivots, and may be left for later ([`defer`](crate::blocks::defer)).

use std::collections::{BTreeMap, BTreeSet};

use kausal_structure::Solvability;
use kausal_symbolic::count::written_operations;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::emitter::{Emitter, is_atom};
use crate::blocks::factors;
use crate::blocks::pairs;
use crate::equations::identity::{Fingerprint, Fingerprints};
use crate::equations::solve::{self, Solution};
use crate::equations::sort::Block;
use crate::program::{EquationRef, Solve, SolveKind, Step};

/// One equation: `sum of coefficient * unknown = right`.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub coefficients: Vec<(usize, ExprId)>,
    pub right: ExprId,
}

/// In which order a block is eliminated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Rows and columns of the pivots.
    pub pivots: Vec<(usize, usize)>,
    /// So many pivots, from the first on, are a torn sequence.
    pub forward: usize,
    /// What is left to a closed form or a numerical solver.
    pub core_rows: Vec<usize>,
    pub core_columns: Vec<usize>,
    /// With row `k` of the core times this number, belonging to column `k`, the core is symmetric.
    pub symmetric: Option<Vec<f64>>,
    /// A reduced row that is used several times is reduced again first, if unknowns in it have been eliminated since: the block
    /// form of the papers, where `x := inverse(A) * (…)` is inserted as a whole.
    pub settle: bool,
}

/// What a plan became.
#[derive(Debug, Default)]
pub(crate) struct Solved {
    pub steps: Vec<Step>,
    /// Divisors that are not proven to be nonzero, with what they were before anything was subtracted.
    pub pivots: Vec<(VarId, VarId)>,
    /// Those of them that are sums, with the sum of the magnitudes of their terms.
    pub sums: Vec<(VarId, ExprId)>,
    /// Unknowns left to a numerical solver.
    pub left: usize,
}

/// Cores of up to this many unknowns are solved by Cramer's rule.
pub(crate) const CLOSED: usize = 3;

/// Larger cores are factorised as sparse matrices where they are sparse.
const SPARSE_CORE: usize = 40;

/// Carries a plan out; `None` if a pivot turns out to be zero.
pub(crate) fn solve(emitter: &mut Emitter, block: &Block, rows: &[Row], plan: &Plan) -> Option<Solved> {
    let mut position = vec![usize::MAX; block.unknowns.len()];
    for (k, &(_, c)) in plan.pivots.iter().enumerate() {
        position[c] = k;
    }
    let scaled = scaled_rows(emitter, rows, plan, &position);
    let (turn, uses) = turns(rows, plan, &position);
    let mut elimination = Elimination {
        emitter,
        rows,
        plan,
        position,
        reduced: Vec::with_capacity(plan.pivots.len()),
        turn,
        uses,
        versions: 0,
        version: vec![0; plan.pivots.len()],
        products: FxHashMap::default(),
        values: FxHashMap::default(),
        zero_cases: FxHashSet::default(),
        prints: Fingerprints::default(),
        same: FxHashMap::default(),
        out: Solved::default(),
    };
    elimination.know_coefficients();
    for scaled in scaled {
        elimination.pivot(scaled)?;
    }
    elimination.core(block)?;
    elimination.substitute(block);
    let mut out = elimination.out;
    forget_unused(emitter, block, &mut out);
    pairs::share(emitter, &mut out.steps);
    let mut kept: FxHashSet<VarId> = out.pivots.iter().flat_map(|&(pivot, before)| [pivot, before]).collect();
    kept.extend(out.sums.iter().flat_map(|&(_, size)| emitter.work.pool.variables_of(size)));
    kept.extend(&block.unknowns);
    factors::take_out(emitter, &mut out.steps, &kept);
    Some(out)
}

/// Takes temporaries away that nothing reads: multipliers of values that were known already.
fn forget_unused(emitter: &Emitter, block: &Block, solved: &mut Solved) {
    let pool = &emitter.work.pool;
    let mut read: FxHashSet<VarId> = block.unknowns.iter().copied().collect();
    for &(pivot, reference) in &solved.pivots {
        read.extend([pivot, reference]);
    }
    for &(_, size) in &solved.sums {
        read.extend(pool.variables_of(size));
    }
    let mut kept = Vec::with_capacity(solved.steps.len());
    while let Some(step) = solved.steps.pop() {
        match &step {
            Step::Assign(assign) if !read.contains(&assign.variable) => continue,
            Step::Assign(assign) => read.extend(pool.variables_of(assign.value)),
            Step::Call(call) => read.extend(call.args.iter().flat_map(|&a| pool.variables_of(a))),
            Step::Solve(solve) => {
                read.extend(solve.entries.iter().map(|&(_, _, v)| v));
                read.extend(&solve.rhs);
            }
            _ => {}
        }
        kept.push(step);
    }
    kept.reverse();
    solved.steps = kept;
}

/// `pivot * x + sum of entries * unknown = right`.
struct Reduced {
    pivot: ExprId,
    entries: Vec<Entry>,
    right: ExprId,
}

#[derive(Clone, Copy)]
struct Entry {
    column: usize,
    value: ExprId,
    /// The value before the row was divided by its pivot.
    raw: ExprId,
}

struct Elimination<'e, 'w, 'p> {
    emitter: &'e mut Emitter<'w>,
    rows: &'p [Row],
    plan: &'p Plan,
    /// Where each column is eliminated.
    position: Vec<usize>,
    reduced: Vec<Reduced>,
    /// The turn of each row.
    turn: Vec<usize>,
    /// The turns of the rows in which each pivot is used as they are written.
    uses: Vec<Vec<usize>>,
    /// How often rows were settled, and when each was last.
    versions: usize,
    version: Vec<usize>,
    /// `a*b/pivot` by pivot, its version and factors.
    products: FxHashMap<(usize, usize, ExprId, ExprId), ExprId>,
    /// Formulas and the variables that hold them.
    values: FxHashMap<ExprId, ExprId>,
    /// Variables that hold something that is zero in one of its cases.
    zero_cases: FxHashSet<VarId>,
    prints: Fingerprints,
    /// What holds a value, and whether it holds the negative.
    same: FxHashMap<Fingerprint, (ExprId, bool)>,
    out: Solved,
}

impl Elimination<'_, '_, '_> {
    /// Values that are there without being computed: one, and coefficients that are variables.
    fn know_coefficients(&mut self) {
        // Parameters that cannot be changed, like the two halves of an inertia tensor, are the same where their values are.
        let values = self.emitter.parameter_values();
        for row in self.rows {
            let all = row.coefficients.iter().map(|&(_, e)| e).chain([row.right]);
            for v in all.flat_map(|e| self.emitter.work.pool.variables_of(e)) {
                if let Some(&value) = values.get(&v).filter(|_| self.emitter.work.var(v).evaluated) {
                    self.prints.define_number(v, value);
                    self.emitter.work.decided_by.insert(v);
                }
            }
        }
        let one = self.emitter.work.pool.one();
        self.know(one);
        let rows = self.rows;
        for &(_, e) in rows.iter().flat_map(|row| &row.coefficients) {
            if self.emitter.work.pool.as_var(e).is_some() {
                self.know(e);
            }
        }
    }

    fn know(&mut self, held: ExprId) {
        let (print, negative) = self.prints.of(&self.emitter.work.pool, held).magnitude();
        self.same.entry(print).or_insert((held, negative));
    }

    /// Is it zero, however it is written?
    fn is_zero(&mut self, e: ExprId) -> bool {
        self.prints.of(&self.emitter.work.pool, e).is_zero()
    }

    /// Reduces the row of the next pivot; divides it by the pivot if it is to be scaled.
    fn pivot(&mut self, scaled: bool) -> Option<()> {
        let (r, c) = self.plan.pivots[self.reduced.len()];
        let (mut entries, right) = self.reduce(r, &|_| true);
        let at = entries.iter().position(|&(column, _)| column == c)?;
        let (_, formula) = entries.remove(at);
        if self.has_zero_case(formula) {
            return None;
        }
        let pivot = self.held(formula);
        let before = self.rows[r].coefficients.iter().find(|&&(column, _)| column == c).map(|&(_, e)| e);
        self.guard(pivot, formula, before);
        let mut own = Vec::with_capacity(entries.len());
        for (column, value) in entries {
            let raw = self.held(value);
            let value = if scaled { self.quotient(raw, pivot) } else { raw };
            own.push(Entry { column, value, raw });
        }
        let mut right = self.held(right);
        if scaled {
            right = self.quotient(right, pivot);
        }
        let pivot = if scaled { self.emitter.work.pool.one() } else { pivot };
        self.reduced.push(Reduced { pivot, entries: own, right });
        Some(())
    }

    /// The row with eliminated unknowns replaced. Columns that are not wanted are left out.
    fn reduce(&mut self, r: usize, wanted: &dyn Fn(usize) -> bool) -> (Vec<(usize, ExprId)>, ExprId) {
        let rows = self.rows;
        for &(c, _) in &rows[r].coefficients {
            self.settle(self.position[c], r);
        }
        self.replaced(&rows[r].coefficients, rows[r].right, wanted)
    }

    /// Reduces the row of a pivot again before it is used for a row, if it has been outdated and will be used once more.
    fn settle(&mut self, k: usize, row: usize) {
        let done = self.reduced.len();
        if !self.plan.settle || k >= done {
            return;
        }
        let outdated = self.reduced[k].entries.iter().any(|entry| self.position[entry.column] < done);
        let now = self.turn[row];
        if !outdated || self.uses[k].iter().filter(|&&turn| turn >= now).count() < 2 {
            return;
        }
        let Reduced { pivot, ref entries, right } = self.reduced[k];
        let own: Vec<(usize, ExprId)> = entries.iter().map(|entry| (entry.column, entry.value)).collect();
        let (entries, right) = self.replaced(&own, right, &|_| true);
        let mut settled = Vec::with_capacity(entries.len());
        for (column, value) in entries {
            let value = self.held(value);
            settled.push(Entry { column, value, raw: value });
        }
        let right = self.held(right);
        self.reduced[k] = Reduced { pivot, entries: settled, right };
        self.versions += 1;
        self.version[k] = self.versions;
    }

    /// `sum of coefficient * unknown = right` with eliminated unknowns replaced.
    fn replaced(
        &mut self,
        coefficients: &[(usize, ExprId)],
        right: ExprId,
        wanted: &dyn Fn(usize) -> bool,
    ) -> (Vec<(usize, ExprId)>, ExprId) {
        let done = self.reduced.len();
        let mut terms: BTreeMap<usize, Vec<ExprId>> = BTreeMap::new();
        let mut right = vec![if self.is_long(right) { self.held(right) } else { right }];
        // Places of the columns that are still to be eliminated from this row.
        let mut pending: BTreeSet<usize> = BTreeSet::new();
        for &(c, e) in coefficients {
            let eliminated = self.position[c] < done;
            if eliminated {
                pending.insert(self.position[c]);
            }
            if eliminated || wanted(c) {
                let e = if self.is_long(e) { self.held(e) } else { e };
                terms.entry(c).or_default().push(e);
            }
        }
        while let Some(k) = pending.pop_first() {
            let own = terms.remove(&self.plan.pivots[k].1).unwrap_or_default();
            let factor = solve::sum(&mut self.emitter.work.pool, &own);
            if self.is_zero(factor) {
                continue;
            }
            let factor = self.held(factor);
            for index in 0..self.reduced[k].entries.len() {
                let entry = self.reduced[k].entries[index];
                let eliminated = self.position[entry.column] < done;
                if !eliminated && !wanted(entry.column) {
                    continue;
                }
                if eliminated {
                    pending.insert(self.position[entry.column]);
                }
                let product = self.product(k, factor, entry);
                let negative = self.emitter.work.pool.op(Op::Neg, &[product]);
                terms.entry(entry.column).or_default().push(negative);
            }
            let above = self.reduced[k].right;
            if !self.emitter.work.pool.is_zero(above) {
                let multiplier = self.multiplier(k, factor);
                let pool = &mut self.emitter.work.pool;
                let product = pool.op(Op::Mul, &[multiplier, above]);
                right.push(pool.op(Op::Neg, &[product]));
            }
        }
        let mut entries = Vec::with_capacity(terms.len());
        for (c, terms) in terms {
            let value = solve::sum(&mut self.emitter.work.pool, &terms);
            if !self.is_zero(value) {
                entries.push((c, value));
            }
        }
        (entries, solve::sum(&mut self.emitter.work.pool, &right))
    }

    /// Is it worth a variable, because it is needed again when the unknown is computed?
    fn is_long(&self, e: ExprId) -> bool {
        const LONG: u64 = 2;
        let pool = &self.emitter.work.pool;
        pool.has_calls(e) || written_operations(pool, e).total() >= LONG
    }

    /// `factor * entry / pivot`, found again when the factors come the other way round.
    fn product(&mut self, k: usize, factor: ExprId, entry: Entry) -> ExprId {
        let (a, a_negative) = self.magnitude(factor);
        let (b, b_negative) = self.magnitude(entry.raw);
        let key = (k, self.version[k], a.min(b), a.max(b));
        let product = match self.products.get(&key) {
            Some(&product) => product,
            None => {
                let multiplier = self.multiplier(k, a);
                let pool = &mut self.emitter.work.pool;
                let value = if b_negative { pool.op(Op::Neg, &[entry.value]) } else { entry.value };
                let product = pool.op(Op::Mul, &[multiplier, value]);
                self.products.insert(key, product);
                product
            }
        };
        if a_negative != b_negative { self.emitter.work.pool.op(Op::Neg, &[product]) } else { product }
    }

    /// What a row is multiplied with: the factor over the pivot.
    fn multiplier(&mut self, k: usize, factor: ExprId) -> ExprId {
        let pivot = self.reduced[k].pivot;
        self.quotient(factor, pivot)
    }

    fn quotient(&mut self, a: ExprId, pivot: ExprId) -> ExprId {
        let value = self.emitter.work.pool.op(Op::Div, &[a, pivot]);
        self.held(value)
    }

    /// The expression without a minus, and whether it had one.
    fn magnitude(&mut self, e: ExprId) -> (ExprId, bool) {
        let pool = &mut self.emitter.work.pool;
        match (pool.as_neg(e), pool.as_constant(e)) {
            (Some(inner), _) => (inner, true),
            (_, Some(c)) if c < 0.0 => (pool.constant(-c), true),
            _ => (e, false),
        }
    }

    /// A number, a variable or its negative that has this value.
    fn held(&mut self, value: ExprId) -> ExprId {
        let pool = &mut self.emitter.work.pool;
        if is_atom(pool, value) {
            return value;
        }
        if let Some(&known) = self.values.get(&value) {
            return known;
        }
        let whole = self.prints.of(pool, value);
        if whole.is_zero() {
            return pool.zero();
        }
        let (print, negative) = whole.magnitude();
        if let Some(&(known, other)) = self.same.get(&print) {
            return if negative == other { known } else { pool.op(Op::Neg, &[known]) };
        }
        // A minus in front of everything is left to whoever uses the value.
        if let Some(inner) = self.emitter.work.pool.as_neg(value) {
            let held = self.held(inner);
            return self.emitter.work.pool.op(Op::Neg, &[held]);
        }
        let held = self.emitter.temporary(value, &mut self.out.steps);
        if let Some(variable) = self.emitter.work.pool.as_var(held) {
            self.prints.define(variable, whole);
            if self.has_zero_case(value) {
                self.zero_cases.insert(variable);
            }
        }
        self.emitter.bound(held, value);
        self.values.insert(value, held);
        self.same.insert(print, (held, negative));
        held
    }

    /// Is the expression zero in one of the cases it distinguishes, whatever the variables are? The coefficient of a
    /// friction that slides or sticks is like that, and no sample need meet the case.
    fn has_zero_case(&self, root: ExprId) -> bool {
        let pool = &self.emitter.work.pool;
        let mut stack = vec![(root, false)];
        while let Some((e, in_case)) = stack.pop() {
            match pool.node(e) {
                Node::Const(_) if in_case && pool.as_constant(e) == Some(0.0) => return true,
                Node::Var(v) if self.zero_cases.contains(&v) => return true,
                Node::Op(Op::If, args) => stack.extend(args[1..].iter().map(|&arg| (arg, true))),
                Node::Op(Op::Mul | Op::Neg, args) => stack.extend(args.iter().map(|&arg| (arg, in_case))),
                Node::Op(Op::Div, args) => stack.push((args[0], in_case)),
                _ => {}
            }
        }
        false
    }

    /// Remembers a divisor that may become zero, given as it is held and as it is computed.
    fn guard(&mut self, pivot: ExprId, formula: ExprId, before: Option<ExprId>) {
        let work = &*self.emitter.work;
        let safe = solve::coefficient_solvability(work, pivot);
        if matches!(safe, Solvability::LinearConstant | Solvability::LinearNonzero) {
            return;
        }
        let (inner, _) = self.magnitude(pivot);
        let Some(variable) = self.emitter.work.pool.as_var(inner) else { return };
        let before = before.map(|e| self.held(e)).unwrap_or(inner);
        let (before, _) = self.magnitude(before);
        let reference = self.emitter.work.pool.as_var(before).unwrap_or(variable);
        self.out.pivots.push((variable, reference));
        let (formula, _) = self.magnitude(formula);
        if let Node::Op(Op::Add, terms) = self.emitter.work.pool.node(formula) {
            let terms = terms.to_vec();
            let pool = &mut self.emitter.work.pool;
            let sizes: Vec<ExprId> = terms.iter().map(|&t| pool.op(Op::Abs, &[t])).collect();
            let size = solve::sum(pool, &sizes);
            self.out.sums.push((variable, size));
        }
    }

    /// Reduces the rows of the core and solves it.
    fn core(&mut self, block: &Block) -> Option<()> {
        let plan = self.plan;
        let n = plan.core_rows.len();
        if n == 0 {
            return Some(());
        }
        let place: FxHashMap<usize, usize> =
            plan.core_columns.iter().enumerate().map(|(k, &c)| (c, k)).collect();
        let mut matrix: Vec<Vec<(usize, ExprId)>> = Vec::with_capacity(n);
        let mut right = Vec::with_capacity(n);
        let mut last = None;
        for (i, &r) in plan.core_rows.iter().enumerate() {
            let half = plan.symmetric.is_some();
            let (entries, b) = self.reduce(r, &|c| !half || place.get(&c).is_some_and(|&k| k <= i));
            let scale = plan.symmetric.as_ref().map_or(1.0, |scales| scales[i]);
            let mut own = Vec::with_capacity(entries.len());
            for (c, value) in entries {
                let value = self.emitter.work.pool.times(scale, value);
                own.push((place[&c], self.held(value)));
                last = Some(value);
            }
            let b = self.emitter.work.pool.times(scale, b);
            matrix.push(own);
            right.push(self.held(b));
        }
        let unknowns: Vec<VarId> = plan.core_columns.iter().map(|&c| block.unknowns[c]).collect();
        if n <= CLOSED {
            return self.cramer(&matrix, &right, &unknowns, last.filter(|_| n == 1));
        }
        self.out.left = n;
        let entries: usize = matrix.iter().map(Vec::len).sum();
        let kind = match plan.symmetric {
            Some(_) => SolveKind::Symmetric,
            None if n > SPARSE_CORE && entries * 5 < n * n => SolveKind::Sparse,
            None => SolveKind::Dense,
        };
        kernel(self.emitter, &matrix, &right, &unknowns, kind, &mut self.out.steps);
        Some(())
    }

    /// One, two or three unknowns in closed form; the coefficient of a single one also as it is computed.
    fn cramer(
        &mut self,
        matrix: &[Vec<(usize, ExprId)>],
        right: &[ExprId],
        unknowns: &[VarId],
        single: Option<ExprId>,
    ) -> Option<()> {
        let n = unknowns.len();
        let zero = self.emitter.work.pool.zero();
        let mut a = vec![vec![zero; n]; n];
        for (r, row) in matrix.iter().enumerate() {
            for &(c, value) in row {
                a[r][c] = value;
                if self.plan.symmetric.is_some() {
                    a[c][r] = value;
                }
            }
        }
        let columns: Vec<Vec<ExprId>> = (0..n).map(|c| (0..n).map(|r| a[r][c]).collect()).collect();
        let determinant = self.determinant(&columns);
        if self.emitter.work.pool.is_zero(determinant) {
            return None;
        }
        let formula = single.unwrap_or(determinant);
        let determinant = self.held(determinant);
        let mut diagonal: Vec<ExprId> = (0..n).map(|k| a[k][k]).collect();
        diagonal.dedup();
        let before = if n == 1 { determinant } else { self.emitter.work.pool.op(Op::Mul, &diagonal) };
        let before = Some(before).filter(|&e| !self.emitter.work.pool.is_zero(e));
        self.guard(determinant, formula, before);
        for k in 0..n {
            let mut with = columns.clone();
            with[k] = right.to_vec();
            let numerator = self.determinant(&with);
            let value = self.emitter.work.pool.op(Op::Div, &[numerator, determinant]);
            self.emitter.assign(unknowns[k], value, None, &mut self.out.steps);
        }
        Some(())
    }

    /// The determinant of a matrix of up to three columns, two-by-two minors held.
    fn determinant(&mut self, columns: &[Vec<ExprId>]) -> ExprId {
        match columns {
            [a] => a[0],
            [a, b] => self.minor(a[0], b[1], b[0], a[1]),
            [a, b, c] => {
                // Along the column with most zeros nothing is multiplied in vain.
                let zeros = |v: &[ExprId], pool: &kausal_symbolic::Pool| {
                    v.iter().filter(|&&e| pool.is_zero(e)).count()
                };
                let pool = &self.emitter.work.pool;
                let best = (0..3).max_by_key(|&k| (zeros(&columns[k], pool), 3 - k)).unwrap_or(0);
                let (first, second, third) = match best {
                    0 => (a, b, c),
                    1 => (b, c, a),
                    _ => (c, a, b),
                };
                let mut terms = Vec::new();
                for (r, &factor) in first.iter().enumerate() {
                    let (i, j) = ((r + 1) % 3, (r + 2) % 3);
                    if self.emitter.work.pool.is_zero(factor) {
                        continue;
                    }
                    let minor = self.minor(second[i], third[j], third[i], second[j]);
                    let minor = self.held(minor);
                    terms.push(self.emitter.work.pool.op(Op::Mul, &[factor, minor]));
                }
                solve::sum(&mut self.emitter.work.pool, &terms)
            }
            _ => self.emitter.work.pool.one(),
        }
    }

    /// `a*d - b*c`.
    fn minor(&mut self, a: ExprId, d: ExprId, b: ExprId, c: ExprId) -> ExprId {
        let pool = &mut self.emitter.work.pool;
        let (x, y) = (pool.op(Op::Mul, &[a, d]), pool.op(Op::Mul, &[b, c]));
        crate::equations::work::subtract(pool, x, y)
    }

    /// The eliminated unknowns: backwards from reduced rows, then forwards through the torn sequence; at last those that no
    /// other unknown needs.
    fn substitute(&mut self, block: &Block) {
        let plan = self.plan;
        let last = self.needed_by_none(block);
        let late: FxHashSet<usize> = last.iter().copied().collect();
        for k in (plan.forward..plan.pivots.len()).rev().filter(|k| !late.contains(k)) {
            let value = self.by_reduced_row(k, block);
            self.assign(k, value, block);
        }
        for k in 0..plan.forward {
            let (r, c) = plan.pivots[k];
            let (equation, unknown) = (block.equations[r], block.unknowns[c]);
            // As the equation is written, if that is not more work than with what was computed on the way.
            let mut value = self.by_row(r, c, block, true);
            let reduced = self.by_reduced_row(k, block);
            if self.price(reduced) < self.price(value) {
                value = reduced;
            }
            if let Solution::Explicit(written) = solve::solve(self.emitter.work, equation, unknown)
                && self.price(written) <= self.price(value)
            {
                value = written;
            }
            self.assign(k, value, block);
        }
        for k in last {
            let (r, c) = plan.pivots[k];
            let value = self.by_row(r, c, block, false);
            self.assign(k, value, block);
        }
    }

    fn assign(&mut self, k: usize, value: ExprId, block: &Block) {
        let (r, c) = self.plan.pivots[k];
        let equation = Some(EquationRef(block.equations[r] as u32));
        self.emitter.assign(block.unknowns[c], value, equation, &mut self.out.steps);
    }

    fn price(&self, e: ExprId) -> u64 {
        written_operations(&self.emitter.work.pool, e).total()
    }

    /// Pivots whose unknowns follow from their equations as they are written once the others are known, in an order in which
    /// they do. None of the others needs them. Small blocks, where the reduced rows are no more work, have none.
    fn needed_by_none(&mut self, block: &Block) -> Vec<usize> {
        /// How much more work an equation as it is written may be than its reduced row.
        const MORE: u64 = 3;
        let plan = self.plan;
        if plan.forward > 0 || plan.pivots.len() < FEW {
            return Vec::new();
        }
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); plan.pivots.len()];
        for (k, reduced) in self.reduced.iter().enumerate() {
            for entry in &reduced.entries {
                if let Some(list) = users.get_mut(self.position[entry.column]) {
                    list.push(k);
                }
            }
        }
        let mut order = LateOrder::new(plan.pivots.len());
        for (k, users) in users.iter().enumerate() {
            let (r, c) = plan.pivots[k];
            if !users.iter().all(|&user| order.is_late(user)) {
                continue;
            }
            let own = self.rows[r].coefficients.iter().find(|&&(column, _)| column == c).map(|&(_, e)| e);
            let Some(own) = own else { continue };
            let safe = solve::coefficient_solvability(self.emitter.work, own);
            if !matches!(safe, Solvability::LinearConstant | Solvability::LinearNonzero) {
                continue;
            }
            let (written, reduced) = (self.by_row(r, c, block, false), self.by_reduced_row(k, block));
            if self.price(written) <= MORE * self.price(reduced) {
                let columns = self.rows[r].coefficients.iter().map(|&(column, _)| column);
                let needs = columns.map(|column| self.position[column]).filter(|&other| other != k);
                order.add(k, needs.filter(|&other| other < plan.pivots.len()).collect());
            }
        }
        order.sorted()
    }

    /// An unknown from its original equation; coefficients taken from the variables that hold them, if so wished.
    fn by_row(&mut self, r: usize, c: usize, block: &Block, held: bool) -> ExprId {
        let row = &self.rows[r];
        let known = |e: ExprId| self.values.get(&e).copied().filter(|_| held).unwrap_or(e);
        let pool = &mut self.emitter.work.pool;
        let mut terms = vec![known(row.right)];
        let mut pivot = pool.one();
        for &(column, coefficient) in &row.coefficients {
            if column == c {
                pivot = known(coefficient);
                continue;
            }
            let x = pool.var(block.unknowns[column]);
            let product = pool.op(Op::Mul, &[known(coefficient), x]);
            terms.push(pool.op(Op::Neg, &[product]));
        }
        let sum = solve::sum(pool, &terms);
        pool.op(Op::Div, &[sum, pivot])
    }

    /// The unknown of a pivot from its reduced row.
    fn by_reduced_row(&mut self, k: usize, block: &Block) -> ExprId {
        let Reduced { pivot, entries, right } = &self.reduced[k];
        let pool = &mut self.emitter.work.pool;
        let mut terms = vec![*right];
        for entry in entries {
            let x = pool.var(block.unknowns[entry.column]);
            let product = pool.op(Op::Mul, &[entry.value, x]);
            terms.push(pool.op(Op::Neg, &[product]));
        }
        let sum = solve::sum(pool, &terms);
        pool.op(Op::Div, &[sum, *pivot])
    }
}

/// When each row is reduced, and the turns of the rows that contain each pivot's unknown, its own left out.
fn turns(rows: &[Row], plan: &Plan, position: &[usize]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut turn = vec![usize::MAX; rows.len()];
    let order = plan.pivots.iter().map(|&(r, _)| r).chain(plan.core_rows.iter().copied());
    order.enumerate().for_each(|(k, r)| turn[r] = k);
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); plan.pivots.len()];
    if plan.settle {
        for (r, row) in rows.iter().enumerate() {
            for &(c, _) in &row.coefficients {
                if let Some(list) = uses.get_mut(position[c]).filter(|_| plan.pivots[position[c]].0 != r) {
                    list.push(turn[r]);
                }
            }
        }
    }
    (turn, uses)
}

/// Blocks with fewer pivots are substituted backwards as a whole.
const FEW: usize = 12;

/// Unknowns computed from equations as they are written: no circle among them.
struct LateOrder {
    /// What the equation of each needs; `None` for those that are not among them.
    needs: Vec<Option<Vec<usize>>>,
    /// Does one of them need it?
    is_needed: Vec<bool>,
}

impl LateOrder {
    fn new(n: usize) -> Self {
        LateOrder { needs: vec![None; n], is_needed: vec![false; n] }
    }

    fn is_late(&self, k: usize) -> bool {
        self.needs[k].is_some()
    }

    /// Takes `k` in unless that closes a circle.
    fn add(&mut self, k: usize, needs: Vec<usize>) {
        /// Longer searches for a circle are given up, and `k` stays out.
        const STEPS: usize = 2_000;
        // A circle leads from what `k` needs back to `k`.
        let mut stack: Vec<usize> = if self.is_needed[k] { needs.clone() } else { Vec::new() };
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        while let Some(next) = stack.pop() {
            if next == k || seen.len() > STEPS {
                return;
            }
            if let Some(more) = self.needs[next].as_ref().filter(|_| seen.insert(next)) {
                stack.extend(more);
            }
        }
        needs.iter().for_each(|&n| self.is_needed[n] = true);
        self.needs[k] = Some(needs);
    }

    /// Each after what it needs.
    fn sorted(&self) -> Vec<usize> {
        let mut done = vec![false; self.needs.len()];
        let mut out = Vec::new();
        for first in (0..self.needs.len()).filter(|&k| self.is_late(k)) {
            let mut stack = vec![first];
            while let Some(&top) = stack.last() {
                let needs = self.needs[top].as_deref().unwrap_or(&[]);
                let open = needs.iter().copied().find(|&n| self.is_late(n) && !done[n]);
                match open.filter(|_| !done[top]) {
                    Some(next) => stack.push(next),
                    None => {
                        if !std::mem::replace(&mut done[top], true) {
                            out.push(top);
                        }
                        stack.pop();
                    }
                }
            }
        }
        out
    }
}

/// Which pivots divide their own row. Dividing the row costs a division an entry and makes rows with a factor of one
/// free; else each row it is subtracted from costs a division for its multiplier.
fn scaled_rows(emitter: &mut Emitter, rows: &[Row], plan: &Plan, position: &[usize]) -> Vec<bool> {
    let pool = &emitter.work.pool;
    let is_unit = |e: ExprId| pool.as_constant(e).is_some_and(|c| c.abs() == 1.0);
    let mut uses = vec![(0usize, 0usize); plan.pivots.len()];
    let mut lengths = vec![0usize; plan.pivots.len()];
    let patterns = reduced_patterns(rows, plan, position);
    for (row, factors) in patterns.factors.iter() {
        for &k in factors {
            let c = plan.pivots[k].1;
            let original = rows[*row].coefficients.iter().find(|&&(column, _)| column == c);
            uses[k].0 += 1;
            uses[k].1 += usize::from(original.is_none_or(|&(_, e)| !is_unit(e)));
        }
    }
    for (k, entries) in patterns.entries.iter().enumerate() {
        let has_right = !pool.is_zero(rows[plan.pivots[k].0].right);
        lengths[k] = entries + usize::from(has_right);
    }
    (0..plan.pivots.len())
        .map(|k| {
            let (all, plain) = uses[k];
            let backwards = usize::from(k >= plan.forward);
            lengths[k] + plain * lengths[k] <= all + all * lengths[k] + backwards
        })
        .collect()
}

/// Which pivots each row uses, and how many entries each pivot row has in the end.
struct Patterns {
    factors: Vec<(usize, Vec<usize>)>,
    entries: Vec<usize>,
}

fn reduced_patterns(rows: &[Row], plan: &Plan, position: &[usize]) -> Patterns {
    let mut reduced: Vec<Vec<usize>> = Vec::with_capacity(plan.pivots.len());
    let mut factors = Vec::new();
    let all = plan.pivots.iter().map(|&(r, _)| r).chain(plan.core_rows.iter().copied());
    for (turn, r) in all.enumerate() {
        let done = turn.min(plan.pivots.len());
        let mut columns: BTreeSet<usize> = BTreeSet::new();
        let mut pending: BTreeSet<usize> = BTreeSet::new();
        let mut used = Vec::new();
        let mut meet = |c: usize, pending: &mut BTreeSet<usize>| {
            if position[c] < done {
                pending.insert(position[c]);
            } else {
                columns.insert(c);
            }
        };
        rows[r].coefficients.iter().for_each(|&(c, _)| meet(c, &mut pending));
        while let Some(k) = pending.pop_first() {
            used.push(k);
            reduced[k].iter().for_each(|&c| meet(c, &mut pending));
        }
        if turn < plan.pivots.len() {
            columns.remove(&plan.pivots[turn].1);
            reduced.push(columns.into_iter().collect());
        }
        factors.push((r, used));
    }
    Patterns { factors, entries: reduced.iter().map(Vec::len).collect() }
}

/// A numerical kernel for `matrix * unknowns = right`.
pub(crate) fn kernel(
    emitter: &mut Emitter,
    matrix: &[Vec<(usize, ExprId)>],
    right: &[ExprId],
    unknowns: &[VarId],
    kind: SolveKind,
    out: &mut Vec<Step>,
) {
    let mut entries = Vec::new();
    for (r, row) in matrix.iter().enumerate() {
        for &(c, value) in row {
            entries.push((r as u32, c as u32, emitter.held(value, out)));
        }
    }
    let rhs = right.iter().map(|&e| emitter.held(e, out)).collect();
    out.push(Step::Solve(Solve { entries, rhs, unknowns: unknowns.to_vec(), kind, constant: false }));
}
