//! Random straight-line code, the same for every test that wants some.

#![allow(dead_code)]

pub mod cc;
pub mod dynamic;
pub mod functions;
pub mod program;

use kausal_symbolic::evaluate::{Values, evaluate_all};
use kausal_symbolic::{ExprId, Op, Pool, VarId};
use kausal_translate::program::Assign;
use proptest::prelude::*;

/// Variables of random code.
pub const VARIABLES: u32 = 12;

/// One step of building expressions: an operator on expressions made before.
#[derive(Clone, Debug)]
pub struct Build {
    op: Op,
    args: Vec<u16>,
}

/// Random code: how to build a list of expressions, and which are assigned to what.
#[derive(Clone, Debug)]
pub struct Recipe {
    builds: Vec<Build>,
    assigns: Vec<(u32, u16)>,
}

/// Operators of a program; library functions apart.
const ARITHMETIC: &[(Op, usize)] = &[
    (Op::Add, 2),
    (Op::Add, 4),
    (Op::Mul, 2),
    (Op::Mul, 3),
    (Op::Neg, 1),
    (Op::Div, 2),
    (Op::Sqrt, 1),
    (Op::Abs, 1),
    (Op::Sign, 1),
    (Op::Min, 2),
    (Op::Max, 2),
    (Op::Floor, 1),
    (Op::Ceil, 1),
    (Op::Integer, 1),
    (Op::IntegerDiv, 2),
    (Op::Mod, 2),
    (Op::Rem, 2),
    (Op::Less, 2),
    (Op::LessEqual, 2),
    (Op::Equal, 2),
    (Op::NotEqual, 2),
    (Op::Not, 1),
    (Op::And, 2),
    (Op::Or, 3),
    (Op::If, 3),
    (Op::If, 3),
    (Op::NoEvent, 1),
    (Op::Smooth, 2),
];

const LIBRARY: &[(Op, usize)] = &[
    (Op::Pow, 2),
    (Op::Exp, 1),
    (Op::Log, 1),
    (Op::Log10, 1),
    (Op::Sin, 1),
    (Op::Cos, 1),
    (Op::Tan, 1),
    (Op::Asin, 1),
    (Op::Acos, 1),
    (Op::Atan, 1),
    (Op::Atan2, 2),
    (Op::Sinh, 1),
    (Op::Cosh, 1),
    (Op::Tanh, 1),
];

fn build(library: bool) -> impl Strategy<Value = Build> {
    let count = ARITHMETIC.len() + if library { LIBRARY.len() } else { 0 };
    (0..count).prop_flat_map(|i| {
        let (op, arity) = *ARITHMETIC.get(i).unwrap_or_else(|| &LIBRARY[i - ARITHMETIC.len()]);
        proptest::collection::vec(any::<u16>(), arity).prop_map(move |args| Build { op, args })
    })
}

/// Random code, with or without library functions.
pub fn recipe(library: bool) -> impl Strategy<Value = Recipe> {
    let builds = proptest::collection::vec(build(library), 1..150);
    let assigns = proptest::collection::vec((0..VARIABLES, any::<u16>()), 1..20);
    (builds, assigns).prop_map(|(builds, assigns)| Recipe { builds, assigns })
}

/// Values of the variables: small integers among them, so that relations of equals and divisions by zero happen.
pub fn values() -> impl Strategy<Value = Vec<f64>> {
    let value = prop_oneof![-4.0..4.0, (-3..=3_i32).prop_map(f64::from), Just(1e300), Just(f64::INFINITY)];
    proptest::collection::vec(value, VARIABLES as usize)
}

/// Builds the expressions of a recipe.
pub fn cook(recipe: &Recipe) -> (Pool, Vec<Assign>) {
    let mut pool = Pool::new();
    let assigns = cook_into(&mut pool, 0, recipe);
    (pool, assigns)
}

/// Variables of a recipe, with those of which only the `pre` value is read.
pub const SLOTS: u32 = VARIABLES + 2;

/// Builds the expressions of a recipe for variables from a number on.
pub fn cook_into(pool: &mut Pool, first: u32, recipe: &Recipe) -> Vec<Assign> {
    let mut made: Vec<ExprId> = (0..VARIABLES).map(|v| pool.var(VarId(first + v))).collect();
    for v in [VARIABLES, VARIABLES + 1] {
        let var = pool.var(VarId(first + v));
        made.push(pool.op(Op::Pre, &[var]));
    }
    made.push(pool.op(Op::Time, &[]));
    for c in [0.0, 1.0, -1.0, 2.0, 3.0, 0.1] {
        made.push(pool.constant(c));
    }
    for build in &recipe.builds {
        // The newest are chosen more often, which makes the expressions deep.
        let pick = |r: u16| {
            let n = made.len();
            let window = if r.is_multiple_of(4) { n } else { n.min(12) };
            made[n - 1 - usize::from(r / 4) % window]
        };
        let args: Vec<ExprId> = build.args.iter().map(|&r| pick(r)).collect();
        made.push(pool.op(build.op, &args));
    }
    recipe
        .assigns
        .iter()
        .map(|&(v, r)| Assign {
            variable: VarId(first + v),
            value: made[made.len() - 1 - usize::from(r) % made.len().min(40)],
            equation: None,
        })
        .collect()
}

/// The arrays of random code: two more variables, of which only the `pre` value is read.
pub fn arrays(values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut values = values.to_vec();
    values.extend([777.0, 888.0]);
    let mut pre = vec![999.0; VARIABLES as usize];
    pre.extend(PRE);
    (values, pre)
}

const PRE: [f64; 2] = [-1.5, 1.0];

/// The time of random code.
pub const TIME: f64 = 0.75;

struct Oracle<'a>(&'a [f64]);

impl Values for Oracle<'_> {
    fn variable(&mut self, var: VarId) -> f64 {
        // The evaluator of `pre` sees the value of its argument only.
        match (var.0 % SLOTS).checked_sub(VARIABLES) {
            Some(k) => PRE[k as usize],
            None => self.0[var.index()],
        }
    }

    fn time(&mut self) -> f64 {
        TIME
    }
}

/// What `Op::eval` makes of the assignments, one after the other.
pub fn oracle(pool: &Pool, assigns: &[Assign], values: &mut [f64]) {
    for assign in assigns {
        let value = evaluate_all(pool, &[assign.value], &mut Oracle(values))[0];
        values[assign.variable.index()] = value;
    }
}

/// Equal bit for bit; one NaN is as good as another.
pub fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}
