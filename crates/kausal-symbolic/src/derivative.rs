//! Derivatives: with respect to a variable, to many variables at once, and to time.
//!
//! The graph is walked once from the leaves; every node's derivative is built from those of its arguments. Where a
//! function has no derivative (`abs` at 0, `min`, `mod` at its steps) the derivative of one side is taken, chosen
//! without an event. What is held between events (`pre`, relations, `floor`, …) has the derivative zero.
//!
//! Calls are left to whoever knows the functions: [`CallDerivative`].

use rustc_hash::{FxHashMap, FxHashSet};

use crate::function::FunctionId;
use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;
use crate::simplify::{Args, Scaled};
use crate::visit::reachable;

/// Knows how the outputs of functions change with their inputs.
pub trait CallDerivative {
    /// The derivative of one scalar output of a function with respect to one scalar argument, at these arguments.
    /// Both are counted over all outputs and inputs laid out as in [`Node::Call`]. `None`: it has none.
    fn partial(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[ExprId],
        output: u32,
        input: u32,
    ) -> Option<ExprId>;

    /// The derivative of one scalar output when every argument changes with its own rate (0 for the number zero).
    /// Where a function comes with a derivative of its own, this is a single call of it.
    fn directional(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[ExprId],
        rates: &[ExprId],
        output: u32,
    ) -> Option<ExprId> {
        let mut terms = Args::new();
        for (input, &rate) in rates.iter().enumerate() {
            if !pool.is_zero(rate) {
                let partial = self.partial(pool, function, args, output, input as u32)?;
                terms.push(pool.mul(partial, rate));
            }
        }
        Some(pool.sum(&terms))
    }
}

/// No call can be differentiated.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCalls;

impl CallDerivative for NoCalls {
    fn partial(&mut self, _: &mut Pool, _: FunctionId, _: &[ExprId], _: u32, _: u32) -> Option<ExprId> {
        None
    }
}

/// A part of the expression has no derivative that can be written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDifferentiable {
    /// The part.
    pub part: ExprId,
}

/// The partial derivative with respect to a variable. `der(…)` and `pre(…)` count as independent of it.
///
/// ```
/// use kausal_symbolic::{Op, Pool, VarId, derivative::{derivative, NoCalls}};
/// let mut pool = Pool::new();
/// let x = pool.var(VarId(0));
/// let sine = pool.op(Op::Sin, &[x]);
/// let cosine = pool.op(Op::Cos, &[x]);
/// assert_eq!(derivative(&mut pool, sine, VarId(0), &mut NoCalls), Ok(cosine));
/// ```
pub fn derivative(
    pool: &mut Pool,
    expr: ExprId,
    var: VarId,
    calls: &mut dyn CallDerivative,
) -> Result<ExprId, NotDifferentiable> {
    let mut rates = |pool: &mut Pool, v: VarId| pool.constant(if v == var { 1.0 } else { 0.0 });
    Rates::new(false).of(pool, expr, &mut rates, calls)
}

/// The total derivative with respect to time; the derivative of each variable is given.
pub fn time_derivative(
    pool: &mut Pool,
    expr: ExprId,
    rate: &mut dyn FnMut(&mut Pool, VarId) -> ExprId,
    calls: &mut dyn CallDerivative,
) -> Result<ExprId, NotDifferentiable> {
    Rates::new(true).of(pool, expr, rate, calls)
}

/// The partial derivatives with respect to all variables that pass the test, in the order of their ids; those that
/// are zero are left out.
pub fn gradient(
    pool: &mut Pool,
    expr: ExprId,
    wanted: impl Fn(VarId) -> bool,
    calls: &mut dyn CallDerivative,
) -> Result<Vec<(VarId, ExprId)>, NotDifferentiable> {
    let order = reachable(pool, &[expr], |id| pool.has_variables(id));
    // A sum directly inside a sum needs no row of its own; long sums are nested in that way.
    let mut needed: FxHashSet<ExprId> = FxHashSet::from_iter([expr]);
    for &id in &order {
        if !matches!(pool.node(id), Node::Op(Op::Add, _)) {
            needed.extend(pool.children(id));
        }
    }
    let is_inner =
        |pool: &Pool, id: &ExprId| matches!(pool.node(*id), Node::Op(Op::Add, _)) && !needed.contains(id);
    let mut found: FxHashMap<ExprId, Vec<(VarId, ExprId)>> = FxHashMap::default();
    for id in order {
        if is_inner(pool, &id) {
            continue;
        }
        let row = match pool.node(id) {
            Node::Var(var) if wanted(var) => vec![(var, pool.one())],
            Node::Var(_) | Node::Call(..) => Vec::new(),
            Node::Op(Op::Add, terms) => {
                let mut all: Vec<(VarId, ExprId)> = Vec::new();
                let mut stack = terms.to_vec();
                while let Some(term) = stack.pop() {
                    match found.get(&term) {
                        Some(row) => all.extend(row),
                        None if is_inner(pool, &term) => stack.extend(pool.children(term)),
                        None => {}
                    }
                }
                all.sort_by_key(|&(var, _)| var);
                grouped(pool, &all)
            }
            _ => {
                let args = operands(pool, id);
                let rows: Vec<Option<&Vec<(VarId, ExprId)>>> =
                    args.iter().map(|arg| found.get(arg)).collect();
                let mut vars: Vec<VarId> =
                    rows.iter().flatten().flat_map(|row| row.iter().map(|&(var, _)| var)).collect();
                vars.sort_unstable();
                vars.dedup();
                let mut row = Vec::with_capacity(vars.len());
                for var in vars {
                    let zero = pool.zero();
                    let rates: Args = rows.iter().map(|row| lookup(row, var).unwrap_or(zero)).collect();
                    row.push((var, rule(pool, id, &args, &rates, false, calls)?));
                }
                row.retain(|&(_, partial)| !pool.is_zero(partial));
                row
            }
        };
        if !row.is_empty() {
            found.insert(id, row);
        }
    }
    Ok(found.remove(&expr).unwrap_or_default())
}

fn lookup(row: &Option<&Vec<(VarId, ExprId)>>, var: VarId) -> Option<ExprId> {
    let row = row.as_ref()?;
    row.binary_search_by_key(&var, |&(v, _)| v).ok().map(|i| row[i].1)
}

fn grouped(pool: &mut Pool, sorted: &[(VarId, ExprId)]) -> Vec<(VarId, ExprId)> {
    let mut row = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        let terms: Args = group.iter().map(|&(_, term)| term).collect();
        let total = if let &[only] = terms.as_slice() { only } else { pool.sum(&terms) };
        if !pool.is_zero(total) {
            row.push((group[0].0, total));
        }
    }
    row
}

/// Derivatives in one fixed direction, remembered from one expression to the next: all time derivatives of a model
/// cost its size once. Every call must be given the same rates.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    time: bool,
    known: FxHashMap<ExprId, ExprId>,
}

impl Rates {
    /// Along time (`time` changes with rate 1), or along variables only.
    pub fn new(time: bool) -> Self {
        Rates { time, ..Rates::default() }
    }

    /// The derivative of an expression when each variable changes with the given rate.
    pub fn of(
        &mut self,
        pool: &mut Pool,
        expr: ExprId,
        rate: &mut dyn FnMut(&mut Pool, VarId) -> ExprId,
        calls: &mut dyn CallDerivative,
    ) -> Result<ExprId, NotDifferentiable> {
        let (time, known) = (self.time, &self.known);
        let moving =
            |id: ExprId| (pool.has_variables(id) || time && pool.has_context(id)) && !known.contains_key(&id);
        let order = reachable(pool, &[expr], moving);
        // Rates that cannot be formed: nobody may ask for them, as of what a function has as a `noDerivative` argument.
        let mut failed: FxHashMap<ExprId, NotDifferentiable> = FxHashMap::default();
        for id in order {
            let is_output = matches!(pool.node(id), Node::Output(..));
            let result = match pool.node(id) {
                Node::Var(var) => Ok(rate(pool, var)),
                Node::Call(..) => continue,
                _ => {
                    let args = operands(pool, id);
                    let zero = pool.zero();
                    let unknown = args.iter().find_map(|arg| failed.get(arg)).copied();
                    let mark = unknown.map(|_| pool.constant(f64::NAN));
                    let of_arg = |arg: &ExprId| match mark {
                        Some(mark) if failed.contains_key(arg) => mark,
                        _ => self.known.get(arg).copied().unwrap_or(zero),
                    };
                    let rates: Args = args.iter().map(of_arg).collect();
                    match unknown {
                        Some(unknown) if !is_output => Err(unknown),
                        unknown => {
                            let result = rule(pool, id, &args, &rates, self.time, calls);
                            match (unknown, result) {
                                (Some(unknown), Ok(result)) if mentions(pool, result, mark) => Err(unknown),
                                (_, result) => result,
                            }
                        }
                    }
                }
            };
            match result {
                Ok(result) => self.known.insert(id, result).map(|_| ()),
                Err(error) => failed.insert(id, error).map(|_| ()),
            };
        }
        match (self.known.get(&expr), failed.get(&expr)) {
            (_, Some(&error)) => Err(error),
            (Some(&result), None) => Ok(result),
            (None, None) => Ok(pool.zero()),
        }
    }
}

fn mentions(pool: &Pool, expr: ExprId, part: Option<ExprId>) -> bool {
    part.is_some_and(|part| reachable(pool, &[expr], |_| true).contains(&part))
}

/// What the derivative of a node is made of: its arguments, for an output those of the call.
fn operands(pool: &Pool, id: ExprId) -> Args {
    match pool.node(id) {
        Node::Output(call, _) => Args::from_slice(pool.children(call)),
        _ => Args::from_slice(pool.children(id)),
    }
}

/// The derivative of a node, given the rates of its arguments.
fn rule(
    pool: &mut Pool,
    id: ExprId,
    args: &[ExprId],
    rates: &[ExprId],
    time: bool,
    calls: &mut dyn CallDerivative,
) -> Result<ExprId, NotDifferentiable> {
    let op = match pool.node(id) {
        Node::Op(op, _) => op,
        Node::Output(call, output) => {
            if rates.iter().all(|&rate| pool.is_zero(rate)) {
                return Ok(pool.zero());
            }
            let Node::Call(function, _) = pool.node(call) else { return Err(NotDifferentiable { part: id }) };
            return calls
                .directional(pool, function, args, rates, output)
                .ok_or(NotDifferentiable { part: id });
        }
        _ => return Ok(pool.zero()),
    };
    if op == Op::Time {
        return Ok(pool.constant(if time { 1.0 } else { 0.0 }));
    }
    if op == Op::Der {
        return Ok(if time { pool.op(Op::Der, &[id]) } else { pool.zero() });
    }
    if rates.iter().all(|&rate| pool.is_zero(rate)) {
        return Ok(pool.zero());
    }
    Ok(match (op, args, rates) {
        (Op::Add, _, _) => factored_sum(pool, rates),
        (Op::Mul, _, _) => product_rule(pool, args, rates),
        (Op::Neg, _, &[da]) => pool.neg(da),
        (Op::Div, &[_, b], &[da, db]) => {
            // (a/b)' = (a' - (a/b) b') / b uses the quotient, which is there already.
            let change = pool.mul(id, db);
            let top = pool.sub(da, change);
            pool.div(top, b)
        }
        (Op::Pow, &[a, b], &[da, db]) => power_rule(pool, id, a, b, da, db),
        (Op::Atan2, &[y, x], &[dy, dx]) => {
            let first = pool.mul(x, dy);
            let second = pool.mul(y, dx);
            let top = pool.sub(first, second);
            let (xx, yy) = (pool.powi(x, 2), pool.powi(y, 2));
            let bottom = pool.add(xx, yy);
            pool.div(top, bottom)
        }
        (Op::Abs, &[a], &[da]) => {
            let zero = pool.zero();
            let positive = pool.less_equal(zero, a);
            let positive = pool.no_event(positive);
            let minus = pool.neg(da);
            pool.if_then_else(positive, da, minus)
        }
        (Op::Min | Op::Max, &[a, b], &[da, db]) => {
            let first = if op == Op::Min { pool.less(a, b) } else { pool.less(b, a) };
            let first = pool.no_event(first);
            pool.if_then_else(first, da, db)
        }
        (Op::Mod | Op::Rem, &[a, b], &[da, db]) => {
            let quotient = if op == Op::Mod {
                let quotient = pool.div(a, b);
                pool.op(Op::Floor, &[quotient])
            } else {
                pool.op(Op::IntegerDiv, &[a, b])
            };
            let quotient = pool.no_event(quotient);
            let change = pool.mul(quotient, db);
            pool.sub(da, change)
        }
        (Op::If, &[c, _, _], &[_, da, db]) => pool.if_then_else(c, da, db),
        (Op::NoEvent, _, &[da]) => pool.no_event(da),
        (Op::Smooth, &[order, _], &[_, da]) => match pool.as_constant(order) {
            Some(p) if p >= 1.0 => {
                let order = pool.constant(p - 1.0);
                pool.op(Op::Smooth, &[order, da])
            }
            _ => da,
        },
        (Op::Homotopy, _, &[da, db]) => pool.op(Op::Homotopy, &[da, db]),
        (Op::Delay, &[_, delay, ..], &[de, dd, ..]) => {
            if !time {
                // What is delayed is past and fixed; how the past changes with the delay is not known.
                return if pool.is_zero(dd) { Ok(pool.zero()) } else { Err(NotDifferentiable { part: id }) };
            }
            let mut past = Args::from_slice(args);
            past[0] = de;
            past[1] = delay;
            let past = pool.op(Op::Delay, &past);
            let one = pool.one();
            let speed = pool.sub(one, dd);
            pool.mul(past, speed)
        }
        (_, &[a], &[da]) => match slope(pool, op, a, id) {
            Some(slope) => pool.mul(slope, da),
            None => pool.zero(),
        },
        _ => pool.zero(),
    })
}

/// A sum with a numeric factor common to all its terms taken out: the derivative of `x^2 + y^2` is
/// `2*(x*x' + y*y')`, and the 2 goes where it came from.
fn factored_sum(pool: &mut Pool, terms: &[ExprId]) -> ExprId {
    let sum = pool.sum(terms);
    let Node::Op(Op::Add, terms) = pool.node(sum) else { return sum };
    let mut terms = Args::from_slice(terms);
    let first = pool.split(terms[0]);
    if first.numerator.abs() == 1.0 && first.denominator == 1.0 {
        return sum;
    }
    for term in &mut terms {
        let part = pool.split(*term);
        if part.numerator.abs() != first.numerator.abs() || part.denominator != first.denominator {
            return sum;
        }
        *term = if part.numerator < 0.0 { pool.neg(part.body) } else { part.body };
    }
    let body = pool.sum(&terms);
    pool.scale(Scaled { numerator: first.numerator.abs(), denominator: first.denominator, body })
}

fn product_rule(pool: &mut Pool, args: &[ExprId], rates: &[ExprId]) -> ExprId {
    let mut terms = Args::new();
    let mut factors = Args::from_slice(args);
    for (i, &rate) in rates.iter().enumerate() {
        if !pool.is_zero(rate) {
            factors[i] = rate;
            terms.push(pool.product(&factors));
            factors[i] = args[i];
        }
    }
    pool.sum(&terms)
}

/// `(a^b)' = b a^(b-1) a' + log(a) a^b b'`, the second part taken as zero for `a <= 0`.
fn power_rule(pool: &mut Pool, id: ExprId, a: ExprId, b: ExprId, da: ExprId, db: ExprId) -> ExprId {
    let mut terms = Args::new();
    if !pool.is_zero(da) {
        let one = pool.one();
        let lower = pool.sub(b, one);
        let mut power = pool.pow(a, lower);
        if pool.as_constant(b).is_none() && pool.as_constant(a).is_none_or(|base| base == 0.0) {
            // Nothing comes of a^0, also where a^(-1) is infinite.
            let zero = pool.zero();
            let constant = pool.equal(b, zero);
            let constant = pool.no_event(constant);
            power = pool.if_then_else(constant, zero, power);
        }
        terms.push(pool.product(&[b, power, da]));
    }
    if !pool.is_zero(db) {
        let zero = pool.zero();
        let growth = match pool.as_constant(a) {
            Some(base) if base > 0.0 => {
                let log = pool.op(Op::Log, &[a]);
                pool.mul(log, id)
            }
            Some(_) => zero,
            None => {
                let positive = pool.less(zero, a);
                let positive = pool.no_event(positive);
                let log = pool.op(Op::Log, &[a]);
                let growth = pool.mul(log, id);
                pool.if_then_else(positive, growth, zero)
            }
        };
        terms.push(pool.mul(growth, db));
    }
    pool.sum(&terms)
}

/// The derivative of a function of one argument; `None` where it is constant between events.
fn slope(pool: &mut Pool, op: Op, a: ExprId, value: ExprId) -> Option<ExprId> {
    let one = pool.one();
    Some(match op {
        Op::Sqrt => {
            let double = pool.times(2.0, value);
            pool.div(one, double)
        }
        Op::Exp => value,
        Op::Log => pool.div(one, a),
        Op::Log10 => {
            let scaled = pool.times(std::f64::consts::LN_10, a);
            pool.div(one, scaled)
        }
        Op::Sin => pool.op(Op::Cos, &[a]),
        Op::Cos => {
            let sine = pool.op(Op::Sin, &[a]);
            pool.neg(sine)
        }
        Op::Tan => {
            let square = pool.powi(value, 2);
            pool.add(one, square)
        }
        Op::Asin | Op::Acos => {
            let square = pool.powi(a, 2);
            let inside = pool.sub(one, square);
            let root = pool.sqrt(inside);
            let slope = pool.div(one, root);
            if op == Op::Asin { slope } else { pool.neg(slope) }
        }
        Op::Atan => {
            let square = pool.powi(a, 2);
            let bottom = pool.add(one, square);
            pool.div(one, bottom)
        }
        Op::Sinh => pool.op(Op::Cosh, &[a]),
        Op::Cosh => pool.op(Op::Sinh, &[a]),
        Op::Tanh => {
            let square = pool.powi(value, 2);
            pool.sub(one, square)
        }
        _ => return None,
    })
}
