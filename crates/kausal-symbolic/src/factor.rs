//! Fewer operations by taking common factors out of sums: `a*x + b*x` becomes `x*(a + b)`, `a/r + b/r` becomes
//! `(a + b)/r`.
//!
//! Simplification does not do this, because like terms could not be found any more; it is for expressions that are
//! finished. Greedy: the factor that saves most is taken out first, then the same again inside and outside. The result
//! is used only when it has fewer operations written out.

use rustc_hash::FxHashMap;

use crate::count::written_operations;
use crate::node::{ExprId, Node, Op};
use crate::pool::Pool;
use crate::simplify::{Args, Powers, Scaled};
use crate::substitute::map_children;
use crate::visit::reachable;

/// Sums with more terms are left alone.
const LONGEST: usize = 256;
/// Factors are taken out of each other this deep.
const DEPTH: usize = 32;

/// Factored expressions, remembered from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Factoring {
    known: FxHashMap<ExprId, ExprId>,
}

impl Factoring {
    /// Nothing known.
    pub fn new() -> Self {
        Factoring::default()
    }

    /// The expression with common factors taken out of all its sums.
    ///
    /// ```
    /// use kausal_symbolic::{Pool, VarId, factor::Factoring};
    /// let mut pool = Pool::new();
    /// let [a, b, x] = [0, 1, 2].map(|k| pool.var(VarId(k)));
    /// let (ax, bx, ab) = (pool.mul(a, x), pool.mul(b, x), pool.add(a, b));
    /// let sum = pool.add(ax, bx);
    /// assert_eq!(Factoring::new().apply(&mut pool, sum), pool.mul(x, ab));
    /// ```
    pub fn apply(&mut self, pool: &mut Pool, expr: ExprId) -> ExprId {
        for id in reachable(pool, &[expr], |id| !self.known.contains_key(&id)) {
            let rebuilt = map_children(pool, id, |child| self.known[&child]);
            let result = factored(pool, rebuilt);
            self.known.insert(id, result);
        }
        self.known[&expr]
    }
}

/// A term as numbers and powers.
#[derive(Clone, Debug)]
struct Term {
    numerator: f64,
    denominator: f64,
    powers: Powers,
}

/// What can be taken out of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Factor {
    /// Multiplied by.
    Above(ExprId),
    /// Divided by.
    Below(ExprId),
    /// A number: bits of the magnitudes of numerator and denominator.
    Number(u64, u64),
}

fn factored(pool: &mut Pool, sum: ExprId) -> ExprId {
    let Node::Op(Op::Add, terms) = pool.node(sum) else { return sum };
    if terms.len() > LONGEST {
        return sum;
    }
    let mut parts = Vec::with_capacity(terms.len());
    for term in Args::from_slice(terms) {
        let Scaled { numerator, denominator, body } = pool.split(term);
        let mut powers = Powers::new();
        pool.take_apart(body, 1, &mut powers);
        powers.retain(|power| !pool.is_one(power.0));
        powers.sort_by_key(|power| power.0);
        parts.push(Term { numerator, denominator, powers });
    }
    let result = group(pool, parts, DEPTH);
    let better = written_operations(pool, result).total() < written_operations(pool, sum).total();
    if better { result } else { sum }
}

fn group(pool: &mut Pool, mut terms: Vec<Term>, depth: usize) -> ExprId {
    let best = if depth == 0 || terms.len() < 2 { None } else { best_factor(&terms) };
    let Some(factor) = best else {
        let terms: Args = terms.iter().map(|term| build(pool, term)).collect();
        return pool.sum(&terms);
    };
    let mut inside = Vec::new();
    let mut outside = Vec::new();
    for mut term in terms.drain(..) {
        if take_out(&mut term, factor) { inside.push(term) } else { outside.push(term) }
    }
    let inner = group(pool, inside, depth - 1);
    let product = match factor {
        Factor::Above(base) => pool.mul(base, inner),
        Factor::Below(base) => pool.div(inner, base),
        Factor::Number(numerator, denominator) => {
            let Scaled { numerator: n, denominator: d, body } = pool.split(inner);
            let numerator = n * f64::from_bits(numerator);
            let denominator = d * f64::from_bits(denominator);
            pool.scale(Scaled { numerator, denominator, body })
        }
    };
    if outside.is_empty() {
        return product;
    }
    let rest = group(pool, outside, depth - 1);
    pool.add(rest, product)
}

/// The factor that saves the most operations, if any saves one; the oldest among equals.
fn best_factor(terms: &[Term]) -> Option<Factor> {
    let mut savings: FxHashMap<Factor, u32> = FxHashMap::default();
    for term in terms {
        let alone = term.powers.len() == 1 && term.powers[0].1 == 1 && number_of(term).is_none();
        for &(base, exponent) in &term.powers {
            if exponent > 0 {
                // Taking x out of x leaves 1 and saves nothing.
                *savings.entry(Factor::Above(base)).or_default() += u32::from(!alone);
            } else {
                *savings.entry(Factor::Below(base)).or_default() += 1;
            }
        }
        if let Some(number) = number_of(term) {
            *savings.entry(number).or_default() += u32::from(!term.powers.is_empty());
        }
    }
    let best = savings.into_iter().filter(|&(_, count)| count > 1);
    best.max_by_key(|&(factor, count)| (count, std::cmp::Reverse(factor))).map(|(factor, _)| factor)
}

fn number_of(term: &Term) -> Option<Factor> {
    let (n, d) = (term.numerator.abs(), term.denominator.abs());
    (n != 1.0 || d != 1.0).then(|| Factor::Number(n.to_bits(), d.to_bits()))
}

/// Takes a factor out of a term, if it is there.
fn take_out(term: &mut Term, factor: Factor) -> bool {
    let (base, step) = match factor {
        Factor::Above(base) => (base, -1),
        Factor::Below(base) => (base, 1),
        Factor::Number(..) => {
            let found = number_of(term) == Some(factor) && !term.powers.is_empty();
            if found {
                term.numerator = term.numerator.signum();
                term.denominator = term.denominator.signum();
            }
            return found;
        }
    };
    let Some(power) = term.powers.iter_mut().find(|power| power.0 == base && (power.1 > 0) == (step < 0))
    else {
        return false;
    };
    power.1 += step;
    term.powers.retain(|power| power.1 != 0);
    true
}

fn build(pool: &mut Pool, term: &Term) -> ExprId {
    let mut above = Args::new();
    let mut below = Args::new();
    for &(base, exponent) in &term.powers {
        let exponent_size = pool.constant(exponent.unsigned_abs() as f64);
        let power = pool.pow(base, exponent_size);
        if exponent > 0 { above.push(power) } else { below.push(power) }
    }
    let (above, below) = (pool.product(&above), pool.product(&below));
    let quotient = pool.div(above, below);
    let Scaled { numerator, denominator, body } = pool.split(quotient);
    pool.scale(Scaled {
        numerator: numerator * term.numerator,
        denominator: denominator * term.denominator,
        body,
    })
}
