//! Equations that say nothing new, or contradict each other, although there are as many of them as unknowns.
//!
//! Structure alone does not see that `x + y = 1` and `2*x + 2*y = 2` are one equation. The derivatives of the equations of
//! a block with respect to its unknowns are therefore evaluated at a random point of a finite field (see [`identity`]), where
//! arithmetic is exact: a matrix without full rank there has full rank nowhere, up to a probability of its degree over
//! `2^61`. Decimal numbers count as the fractions they are meant to be: coefficients that depend on each other but for the
//! rounding of `0.1` are dependent for every solver. What is not arithmetic (functions, `if`) counts as a value of its own with derivatives of its own, so that nothing is
//! called singular that is so only for some values of parameters, in some mode of a switch or at some instants: that is seen when
//! the model runs.
//!
//! Before: a block, as sorting found it. After: nothing has changed; [`Dependency`] names the equations that depend on each
//! other (where the left null vectors are not zero) and the unknowns that are left open (the right ones).

use std::collections::BTreeSet;

use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use rustc_hash::FxHashMap;

use crate::equations::identity::{Fingerprints, add, inverse, mixed, negate, times};
use crate::equations::sort::Block;
use crate::equations::work::{EquationForm, Work};

/// What is wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// Equations of which some follow from the others, or exclude them.
    pub equations: Vec<usize>,
    /// How many of them are too many.
    pub excess: usize,
    /// Unknowns the block does not determine.
    pub open: Vec<VarId>,
    /// Do the equations agree?
    pub agreement: Agreement,
}

/// Whether dependent equations have a common solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// They say the same.
    Same,
    /// They exclude each other always.
    Never,
    /// They exclude each other, but for special values of the parameters in them.
    Seldom,
    /// That is for values to say that only the run knows, like those of states: these may have the special values always, as
    /// the sum of currents has that flow into a star without a neutral.
    InRun,
    /// It cannot be said: they are not linear.
    Unknown,
}

/// Field operations spent on one block. What takes more is left to the run.
const BUDGET: usize = 30_000_000;

/// The dependencies in blocks, those there are for certain. Of a single equation only that it never holds.
pub(crate) fn dependencies<'a>(work: &Work, blocks: impl Iterator<Item = &'a Block>) -> Vec<Dependency> {
    let mut point = Point::new(work, 0);
    let looked_at = |b: &&Block| b.unknowns.len() > 1 || may_cancel(work, b);
    let found = blocks.filter(looked_at).filter_map(|b| dependency(work, b, &mut point));
    found.filter(|d| d.equations.len() > 1 || d.agreement == Agreement::Never).collect()
}

/// Does the unknown of a single equation stand on both sides of it, so that nothing may be left of it? Aliases lead to that:
/// `a = b + 1` where `a = b`. Within a side the sum has been simplified.
fn may_cancel(work: &Work, block: &Block) -> bool {
    let (&[e], &[v]) = (&block.equations[..], &block.unknowns[..]) else { return false };
    let e = &work.equations[e];
    let has = |side: ExprId| work.pool.contains_any(side, |w| w == v);
    has(e.lhs) && has(e.rhs)
}

/// Is there a block whose equations depend on each other, whether they agree or not?
pub(crate) fn any_dependent(work: &Work, blocks: &[Block]) -> bool {
    let mut point = Point::new(work, 0);
    let larger = blocks.iter().filter(|b| b.unknowns.len() > 1);
    larger.filter(|b| is_plain(work, b)).any(|block| {
        let rows = jacobian(work, block, &mut point);
        eliminate(rows, block.unknowns.len(), &mut { BUDGET }).is_some_and(|left| !left.is_empty())
    })
}

fn is_plain(work: &Work, block: &Block) -> bool {
    let plain = |&e: &usize| work.equations[e].form == EquationForm::Plain;
    block.unknowns.len() == block.equations.len() && block.equations.iter().all(plain)
}

fn dependency(work: &Work, block: &Block, point: &mut Point) -> Option<Dependency> {
    let n = block.unknowns.len();
    if !is_plain(work, block) {
        return None;
    }
    let rows = jacobian(work, block, point);
    let mut budget = BUDGET;
    if eliminate(rows.clone(), n, &mut budget)?.is_empty() {
        return None;
    }
    let left = null_vectors(&rows, n, &mut budget)?;
    let right = null_vectors(&transposed(&rows, n), n, &mut budget)?;
    let mut open: Vec<VarId> = Vec::new();
    let support = |vectors: &[Row]| -> BTreeSet<u32> { vectors.iter().flatten().map(|&(i, _)| i).collect() };
    open.extend(support(&right).into_iter().map(|j| block.unknowns[j as usize]));
    open.sort_unstable();
    let agreement = agreement(work, block, &left, &rows, point);
    (agreement != Agreement::InRun).then(|| Dependency {
        equations: support(&left).into_iter().map(|i| block.equations[i as usize]).collect(),
        excess: left.len(),
        open,
        agreement,
    })
}

/// Of equations in the order of their importance those that follow from, or contradict, more important ones; `None` if
/// that would take too long to find out. Together with the others they leave nothing open that all determine: rows that
/// are taken greedily are the best basis there is (J. Edmonds, *Matroids and the greedy algorithm*, 1971).
pub(crate) fn redundant(work: &Work, equations: &[usize], unknowns: &[VarId]) -> Option<Vec<usize>> {
    let mut point = Point::new(work, 0);
    let block = Block { equations: equations.to_vec(), unknowns: unknowns.to_vec() };
    let rows = jacobian(work, &block, &mut point);
    let mut basis = Basis::new(unknowns.len());
    let mut found = Vec::new();
    for (i, row) in rows.into_iter().enumerate() {
        if !basis.add(row)? {
            found.push(i);
        }
    }
    Some(found)
}

/// Independent rows. Each has a column that no later one has.
struct Basis {
    rows: Vec<Row>,
    /// The row that owns a column.
    owner: Vec<Option<u32>>,
    budget: usize,
}

impl Basis {
    fn new(columns: usize) -> Basis {
        Basis { rows: Vec::new(), owner: vec![None; columns], budget: BUDGET }
    }

    /// Adds a row unless it depends on those that are there; `None` where the budget is spent.
    fn add(&mut self, mut row: Row) -> Option<bool> {
        // Subtracting a row brings in columns of later rows only, so this ends.
        while let Some((owner, value)) =
            row.iter().filter_map(|&(j, x)| Some((self.owner[j as usize]?, x))).min_by_key(|&(k, _)| k)
        {
            let other = &self.rows[owner as usize];
            self.budget = self.budget.checked_sub(row.len() + other.len())?;
            row = combined(&row, other, negate(value));
        }
        let Some(&(column, value)) = row.first() else { return Some(false) };
        let scale = inverse(value);
        row.iter_mut().for_each(|(_, x)| *x = times(*x, scale));
        self.owner[column as usize] = Some(self.rows.len() as u32);
        self.rows.push(row);
        Some(true)
    }
}

/// Entries of a row, in the order of the columns.
type Row = Vec<(u32, u64)>;

/// A random point: values of all formulas.
struct Point {
    prints: Fingerprints,
}

impl Point {
    /// Points with different numbers differ in the values of all variables.
    fn new(work: &Work, number: u64) -> Point {
        let mut prints = Fingerprints::rounded();
        for i in 0..work.vars.len() as u32 {
            let v = VarId(i);
            let bounds = work.bounds.get(v.index()).filter(|b| b.low == b.high);
            match bounds.filter(|_| work.is_parameter(v) && work.var(v).evaluated).map(|b| b.low) {
                Some(value) => prints.define_number(v, value),
                None if number > 0 => prints.define_value(v, mixed(10, &[number, u64::from(i)])),
                None => {}
            }
        }
        Point { prints }
    }

    /// The derivatives of `lhs - rhs` with respect to the variables in it.
    fn gradient(&mut self, pool: &Pool, lhs: ExprId, rhs: ExprId) -> FxHashMap<VarId, u64> {
        let mut found: FxHashMap<VarId, u64> = FxHashMap::default();
        for (side, sign) in [(lhs, 1), (rhs, negate(1))] {
            self.prints.of(pool, side);
            let mut weight: FxHashMap<ExprId, u64> = FxHashMap::from_iter([(side, sign)]);
            // Users before what they use.
            for e in order(pool, side).into_iter().rev() {
                let own = weight.get(&e).copied().unwrap_or(0);
                if own == 0 {
                    continue;
                }
                if let Node::Var(v) = pool.node(e) {
                    let sum = found.entry(v).or_insert(0);
                    *sum = add(*sum, own);
                    continue;
                }
                for (k, &child) in inputs(pool, e).iter().enumerate() {
                    if pool.has_variables(child) {
                        let part = times(own, self.partial(pool, e, k));
                        let sum = weight.entry(child).or_insert(0);
                        *sum = add(*sum, part);
                    }
                }
            }
        }
        found.retain(|_, value| *value != 0);
        found
    }

    /// The derivative of a node with respect to its input `k`.
    fn partial(&mut self, pool: &Pool, e: ExprId, k: usize) -> u64 {
        let children = inputs(pool, e);
        match pool.node(e) {
            Node::Op(Op::Add, _) => return 1,
            Node::Op(Op::Neg, _) => return negate(1),
            Node::Op(Op::NoEvent, _) => return 1,
            Node::Op(Op::Mul, _) => {
                let others = children.iter().enumerate().filter(|&(j, _)| j != k);
                return others.fold(1, |product, (_, &c)| times(product, self.prints.value(pool, c)));
            }
            Node::Op(Op::Div, _) => {
                let below = self.prints.value(pool, children[1]);
                if below != 0 {
                    let over = inverse(below);
                    let above = self.prints.value(pool, children[0]);
                    return if k == 0 { over } else { negate(times(above, times(over, over))) };
                }
            }
            Node::Op(Op::Pow, _) if k == 0 && pool.as_constant(children[1]) == Some(2.0) => {
                return times(2, self.prints.value(pool, children[0]));
            }
            _ => {}
        }
        mixed(8, &[self.prints.value(pool, e), k as u64])
    }
}

/// What a node depends on. Each output of a call has derivatives of its own.
fn inputs(pool: &Pool, e: ExprId) -> &[ExprId] {
    match pool.node(e) {
        Node::Output(call, _) => pool.children(call),
        _ => pool.children(e),
    }
}

/// The nodes with variables below `root`, inputs before users.
fn order(pool: &Pool, root: ExprId) -> Vec<ExprId> {
    let mut done: FxHashMap<ExprId, bool> = FxHashMap::default();
    let mut out = Vec::new();
    let mut stack = vec![root];
    while let Some(&top) = stack.last() {
        match done.get(&top) {
            None => {
                done.insert(top, false);
                let open = |c: &&ExprId| pool.has_variables(**c) && !done.contains_key(*c);
                let more: Vec<ExprId> = inputs(pool, top).iter().filter(open).copied().collect();
                stack.extend(more);
            }
            Some(false) => {
                done.insert(top, true);
                out.push(top);
                stack.pop();
            }
            Some(true) => {
                stack.pop();
            }
        }
    }
    out
}

/// The derivatives of the equations with respect to the unknowns.
fn jacobian(work: &Work, block: &Block, point: &mut Point) -> Vec<Row> {
    let place: FxHashMap<VarId, u32> = block.unknowns.iter().copied().zip(0..).collect();
    let rows = block.equations.iter().map(|&e| {
        let e = &work.equations[e];
        let gradient = point.gradient(&work.pool, e.lhs, e.rhs);
        let mut row: Row = gradient.into_iter().filter_map(|(v, x)| Some((*place.get(&v)?, x))).collect();
        row.sort_unstable();
        row
    });
    rows.collect()
}

fn transposed(rows: &[Row], n: usize) -> Vec<Row> {
    let mut columns = vec![Row::new(); n];
    for (i, row) in (0..).zip(rows) {
        for &(j, x) in row {
            columns[j as usize].push((i, x));
        }
    }
    columns
}

/// Combinations of rows that are zero, independent of each other.
fn null_vectors(rows: &[Row], n: usize, budget: &mut usize) -> Option<Vec<Row>> {
    let marked = (0..).zip(rows).map(|(i, row)| {
        let mut row = row.clone();
        row.push((n as u32 + i, 1));
        row
    });
    let left = eliminate(marked.collect(), n, budget)?;
    Some(left.into_iter().map(|row| row.into_iter().map(|(j, x)| (j - n as u32, x)).collect()).collect())
}

/// Eliminates the first `n` columns: the rows that have nothing left there. Rows and columns with few entries go first
/// (H. M. Markowitz, *The elimination form of the inverse and its application to linear programming*, 1957).
fn eliminate(mut rows: Vec<Row>, n: usize, budget: &mut usize) -> Option<Vec<Row>> {
    let inner = |row: &Row| row.iter().take_while(|&&(j, _)| (j as usize) < n).count();
    let mut users: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); n];
    let mut queue: BTreeSet<(usize, u32)> = BTreeSet::new();
    for (i, row) in (0..).zip(&rows) {
        row.iter().filter(|&&(j, _)| (j as usize) < n).for_each(|&(j, _)| {
            users[j as usize].insert(i);
        });
        queue.insert((inner(row), i));
    }
    let mut left = Vec::new();
    while let Some((count, p)) = queue.pop_first() {
        let pivot = std::mem::take(&mut rows[p as usize]);
        if count == 0 {
            left.push(pivot);
            continue;
        }
        for &(j, _) in &pivot[..count] {
            users[j as usize].remove(&p);
        }
        let &(column, value) = pivot[..count].iter().min_by_key(|&&(j, _)| (users[j as usize].len(), j))?;
        let scale = negate(inverse(value));
        for i in std::mem::take(&mut users[column as usize]) {
            let row = &rows[i as usize];
            let Ok(at) = row.binary_search_by_key(&column, |&(j, _)| j) else { continue };
            *budget = budget.checked_sub(row.len() + pivot.len())?;
            let before = inner(row);
            let sum = combined(row, &pivot, times(row[at].1, scale));
            for &(j, _) in row.iter().chain(&pivot).filter(|&&(j, _)| (j as usize) < n && j != column) {
                users[j as usize].remove(&i);
            }
            for &(j, _) in sum.iter().filter(|&&(j, _)| (j as usize) < n) {
                users[j as usize].insert(i);
            }
            queue.remove(&(before, i));
            queue.insert((inner(&sum), i));
            rows[i as usize] = sum;
        }
    }
    Some(left)
}

/// `a + factor*b`.
fn combined(a: &Row, b: &Row, factor: u64) -> Row {
    let mut out = Row::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (None, None) => return out,
            (Some(x), Some(y)) if x.0 == y.0 => {
                let sum = (x.0, add(x.1, times(factor, y.1)));
                a.next();
                b.next();
                sum
            }
            (Some(&&x), Some(y)) if x.0 < y.0 => {
                a.next();
                x
            }
            (Some(&&x), None) => {
                a.next();
                x
            }
            (_, Some(&&(j, y))) => {
                b.next();
                (j, times(factor, y))
            }
        };
        if next.1 != 0 {
            out.push(next);
        }
    }
}

/// Do dependent equations say the same?
fn agreement(work: &Work, block: &Block, left: &[Row], rows: &[Row], point: &mut Point) -> Agreement {
    let residual = |point: &mut Point, i: u32| {
        let e = &work.equations[block.equations[i as usize]];
        add(point.prints.value(&work.pool, e.lhs), negate(point.prints.value(&work.pool, e.rhs)))
    };
    let sum = |point: &mut Point, vector: &Row| {
        vector.iter().fold(0, |sum, &(i, x)| add(sum, times(x, residual(point, i))))
    };
    let sums: Vec<u64> = left.iter().map(|vector| sum(point, vector)).collect();
    if sums.iter().all(|&s| s == 0) {
        return Agreement::Same;
    }
    // At another point: are the equations linear in the unknowns, with numbers as coefficients?
    let mut other = Point::new(work, 1);
    let moved = jacobian(work, block, &mut other);
    let touched: BTreeSet<u32> = left.iter().flatten().map(|&(i, _)| i).collect();
    if touched.iter().all(|&i| moved[i as usize] == rows[i as usize]) {
        let always = left.iter().zip(&sums).any(|(vector, &s)| s != 0 && sum(&mut other, vector) == s);
        return match always {
            true => Agreement::Never,
            false if depends_on_run(work, block, &touched) => Agreement::InRun,
            false => Agreement::Seldom,
        };
    }
    Agreement::Unknown
}

/// Do the equations know something that the run computes?
fn depends_on_run(work: &Work, block: &Block, rows: &BTreeSet<u32>) -> bool {
    let known = |v: VarId| !block.unknowns.contains(&v) && !work.is_parameter(v);
    rows.iter().any(|&i| {
        let e = &work.equations[block.equations[i as usize]];
        [e.lhs, e.rhs].iter().any(|&side| work.pool.has_context(side) || work.pool.contains_any(side, known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that depend on each other, found by hand: the third is the sum of the first two.
    #[test]
    fn null_vectors_of_a_small_matrix() {
        let rows = vec![vec![(0, 1), (1, 2)], vec![(1, 5), (2, 1)], vec![(0, 1), (1, 7), (2, 1)]];
        let mut budget = BUDGET;
        let left = null_vectors(&rows, 3, &mut budget).expect("a small matrix");
        assert_eq!(left.len(), 1);
        let zero = |vector: &Row, rows: &[Row], j: u32| {
            let entry = |i: u32| rows[i as usize].iter().find(|e| e.0 == j).map_or(0, |e| e.1);
            vector.iter().fold(0, |sum, &(i, x)| add(sum, times(x, entry(i))))
        };
        assert!((0..3).all(|j| zero(&left[0], &rows, j) == 0));
        assert_eq!(left[0].iter().map(|e| e.0).collect::<Vec<_>>(), [0, 1, 2]);
        let right = null_vectors(&transposed(&rows, 3), 3, &mut budget).expect("a small matrix");
        assert_eq!(right.len(), 1);
        let regular = vec![vec![(0, 1), (1, 2)], vec![(1, 5), (2, 1)], vec![(0, 1), (1, 7), (2, 2)]];
        assert_eq!(null_vectors(&regular, 3, &mut budget), Some(Vec::new()));
    }

    /// Ranks of random matrices with few entries, by elimination in another order.
    #[test]
    fn a_greedy_basis_has_full_rank() {
        for seed in 0..300 {
            let n = 2 + (mixed(seed, &[1]) % 9) as u32;
            let m = 1 + mixed(seed, &[2]) % 14;
            let entry = |i: u64, j: u32| {
                let x = mixed(seed, &[3, i, u64::from(j)]);
                x.is_multiple_of(3).then_some((j, 1 + x / 3 % 2))
            };
            let rows: Vec<Row> = (0..m).map(|i| (0..n).filter_map(|j| entry(i, j)).collect()).collect();
            let mut basis = Basis::new(n as usize);
            for taken in 1..=rows.len() {
                basis.add(rows[taken - 1].clone()).expect("a small matrix");
                let left = eliminate(rows[..taken].to_vec(), n as usize, &mut { BUDGET });
                assert_eq!(basis.rows.len(), taken - left.expect("a small matrix").len(), "{seed}");
            }
        }
    }

    #[test]
    fn what_costs_too_much_is_left_out() {
        let dense: Vec<Row> =
            (0..40).map(|i| (0..40).map(|j| (j, mixed(i, &[u64::from(j)]))).collect()).collect();
        assert!(eliminate(dense, 40, &mut 100).is_none());
    }

    /// Derivatives by hand at the point: of x*y - x/y and of sin(x), which has a derivative that is no other's.
    #[test]
    fn derivatives_in_the_field() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(VarId(0)), pool.var(VarId(1)));
        let (product, quotient) = (pool.op(Op::Mul, &[x, y]), pool.op(Op::Div, &[x, y]));
        let mut point = Point { prints: Fingerprints::default() };
        let (a, b) = (point.prints.value(&pool, x), point.prints.value(&pool, y));
        let gradient = point.gradient(&pool, product, quotient);
        assert_eq!(gradient[&VarId(0)], add(b, negate(inverse(b))));
        assert_eq!(gradient[&VarId(1)], add(a, times(a, times(inverse(b), inverse(b)))));
        let (sine, twice) = (pool.op(Op::Sin, &[x]), pool.op(Op::Mul, &[product, product]));
        let of_sine = point.gradient(&pool, sine, y)[&VarId(0)];
        let sum = pool.op(Op::Add, &[sine, sine, twice]);
        let of_sum = point.gradient(&pool, sum, y)[&VarId(0)];
        let of_twice = times(2, times(a, times(b, b)));
        assert_eq!(of_sum, add(times(2, of_sine), of_twice));
    }
}
