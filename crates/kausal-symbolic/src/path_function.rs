//! Formulas along a path: where they lie while what they read moves.
//!
//! Between the ends of a step states follow curves that are known, and with them the formulas that read them. A
//! [`PathFunction`] evaluates all formulas of states at once, with their derivatives by time, on stretches of such curves (interval
//! arithmetic with automatic differentiation, as [`time_function`](crate::time_function) does for the clock alone). Of interest are
//! its *shapes*: operators that can make a narrow bump of what moves slowly, such as `max`, `exp`, a power or a choice by
//! `noEvent`. Sums and products cannot.

use rustc_hash::FxHashMap;

use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;
use crate::time_function::{Enclosure, TimeFunction};

/// Powers up to this one follow what they are powers of.
const TAME_POWER: f64 = 4.0;

/// What a variable is for a formula along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is constant for a while.
    Held,
    /// Its path is known.
    Path,
    /// It is computed by a formula.
    Formula(ExprId),
    /// Nothing is known of it.
    Unknown,
}

/// Formulas along a path. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct PathFunction {
    tape: TimeFunction,
    /// Places of the shapes among the parts.
    shapes: Vec<u32>,
}

/// What is known of an expression.
#[derive(Clone, Copy)]
struct Kind {
    /// All that it reads.
    known: bool,
    /// It moves along the path.
    on_path: bool,
    /// It moves at all.
    moves: bool,
}

impl PathFunction {
    /// The shapes in some formulas.
    pub fn new(pool: &Pool, formulas: &[ExprId], source: &dyn Fn(VarId) -> Source) -> PathFunction {
        let mut kinds: FxHashMap<ExprId, Kind> = FxHashMap::default();
        let mut shapes: Vec<ExprId> = Vec::new();
        let mut stack: Vec<(ExprId, bool)> = formulas.iter().map(|&id| (id, false)).collect();
        let formula = |id: ExprId| match pool.node(id) {
            Node::Var(v) => match source(v) {
                Source::Formula(formula) => Some(formula),
                _ => None,
            },
            _ => None,
        };
        while let Some((id, arguments_done)) = stack.pop() {
            if kinds.contains_key(&id) {
                continue;
            }
            if !arguments_done {
                stack.push((id, true));
                stack.extend(formula(id).iter().chain(pool.children(id)).map(|&child| (child, false)));
                continue;
            }
            let unknown = Kind { known: false, on_path: false, moves: false };
            let of = |id: &ExprId| kinds.get(id).copied().unwrap_or(unknown);
            let kind = match pool.node(id) {
                Node::Const(_) => Kind { known: true, ..unknown },
                Node::Var(v) => match source(v) {
                    Source::Held => Kind { known: true, ..unknown },
                    Source::Path => Kind { known: true, on_path: true, moves: true },
                    Source::Formula(formula) => of(&formula),
                    Source::Unknown => unknown,
                },
                Node::Op(Op::Time, _) => Kind { known: true, moves: true, ..unknown },
                Node::Op(op, _) if op.is_context_dependent() => unknown,
                Node::Op(op, args) => {
                    let known = args.iter().all(|arg| of(arg).known);
                    let on_path = args.iter().any(|arg| of(arg).on_path);
                    let moves = args.iter().any(|arg| of(arg).moves);
                    if known && on_path && makes_bumps(pool, op, args, &|arg| of(&arg).moves) {
                        shapes.push(id);
                    }
                    Kind { known, on_path, moves }
                }
                Node::Text(_) | Node::Call(..) | Node::Output(..) => unknown,
            };
            kinds.insert(id, kind);
        }
        let define = |v: VarId| match source(v) {
            Source::Formula(formula) => Some(formula),
            _ => None,
        };
        match TimeFunction::of_several(pool, &shapes, &define) {
            Some((tape, shapes)) => PathFunction { tape, shapes },
            None => PathFunction::default(),
        }
    }

    /// How many shapes there are.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Is there no shape?
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// The variables that are read.
    pub fn reads(&self) -> Vec<VarId> {
        let mut all: Vec<VarId> = self.tape.held().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Where all shapes lie and how they move, given where what they read does. `results` is room to work in.
    pub fn enclose<'a>(
        &'a self,
        time: Enclosure,
        read: &dyn Fn(VarId) -> Enclosure,
        results: &'a mut Vec<Enclosure>,
    ) -> impl Iterator<Item = Enclosure> + 'a {
        self.tape.enclose_along(time, read, results);
        self.shapes.iter().map(|&place| results[place as usize])
    }
}

/// Can the operator be narrower than what it is applied to?
fn makes_bumps(pool: &Pool, op: Op, args: &[ExprId], moves: &dyn Fn(ExprId) -> bool) -> bool {
    match (op, args) {
        (Op::Div, &[_, b]) => moves(b),
        (Op::Pow, &[a, n]) => {
            let tame = |n: f64| n.fract() == 0.0 && (0.0..=TAME_POWER).contains(&n);
            moves(n) || moves(a) && !pool.as_constant(n).is_some_and(tame)
        }
        (Op::Exp | Op::Log | Op::Log10 | Op::Tan | Op::Atan | Op::Sinh | Op::Cosh | Op::Tanh, _) => true,
        (Op::Sign | Op::Min | Op::Max | Op::If, _) => true,
        (Op::Floor | Op::Ceil | Op::Integer | Op::IntegerDiv | Op::Mod | Op::Rem, _) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::Interval;

    /// `max(0, x - 1)`, a bump of what moves from `x = 0` to `x = 2`; with `x` known, held and unknown.
    #[test]
    fn bumps_of_what_is_known_are_shapes() {
        let mut pool = Pool::new();
        let (x, one, zero) = (pool.var(VarId(0)), pool.constant(-1.0), pool.constant(0.0));
        let lower = pool.op(Op::Add, &[x, one]);
        let bump = pool.op(Op::Max, &[zero, lower]);
        let twice = pool.op(Op::Add, &[bump, bump]);
        let shapes = |source: Source| PathFunction::new(&pool, &[twice], &|_| source);
        assert!(shapes(Source::Held).is_empty() && shapes(Source::Unknown).is_empty());
        let function = shapes(Source::Path);
        assert_eq!((function.len(), function.reads()), (1, vec![VarId(0)]));
        let path =
            |low: f64, high: f64| Enclosure { value: Interval::new(low, high), slope: Interval::point(1.0) };
        let mut room = Vec::new();
        let mut on = |low: f64, high: f64| {
            function.enclose(path(0.0, 1.0), &|_| path(low, high), &mut room).next().unwrap()
        };
        assert_eq!(on(0.0, 0.5).value, Interval::point(0.0));
        let grown = on(0.0, 2.0).value;
        assert!(grown.low == 0.0 && (1.0..1.0 + 1e-12).contains(&grown.high), "{grown:?}");
        assert_eq!(on(1.5, 2.0).slope, Interval::point(1.0));
    }
}
