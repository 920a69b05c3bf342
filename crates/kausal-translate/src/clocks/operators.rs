//! Operators of clocked models as they stand in expressions: calls that flattening has kept (`kausal_model::expr::opaque`).

use kausal_model::expr::opaque::operator_name;
use kausal_model::flat::Type;
use kausal_symbolic::function::{Function, Scalar};
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};

use crate::equations::work::Var;

/// A clocked operator with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operator {
    /// `previous(u)`
    Previous(ExprId),
    /// `hold(u)`
    Hold(ExprId),
    /// `sample(u)`, `sample(u, clock)`
    Sample(ExprId, Option<ExprId>),
    /// A value or clock from another clock of the same base clock.
    Convert(ExprId, Conversion),
    /// `interval(u)`
    Interval(Option<ExprId>),
    /// `firstTick(u)`
    FirstTick(Option<ExprId>),
    /// A clock; of what type its first argument is, where it has one.
    Clock(Vec<ExprId>, Scalar),
}

/// How the clock of the result of a conversion follows from that of its argument; numbers are expressions of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// `subSample(u, factor)`; without a factor it is inferred.
    Sub(Option<ExprId>),
    /// `superSample(u, factor)`
    Super(Option<ExprId>),
    /// `shiftSample(u, counter, resolution)`
    Shift(ExprId, Option<ExprId>),
    /// `backSample(u, counter, resolution)`
    Back(ExprId, Option<ExprId>),
    /// `noClock(u)`
    Any,
    /// `Clock(u, solverMethod)`: the same clock.
    Solver(ExprId),
}

impl Conversion {
    /// How a user writes it.
    pub fn name(self) -> &'static str {
        match self {
            Conversion::Sub(_) => "subSample",
            Conversion::Super(_) => "superSample",
            Conversion::Shift(..) => "shiftSample",
            Conversion::Back(..) => "backSample",
            Conversion::Any => "noClock",
            Conversion::Solver(_) => "Clock with a solver method",
        }
    }
}

/// The operator an expression is.
pub(crate) fn operator(pool: &Pool, vars: &[Var], e: ExprId) -> Option<Operator> {
    let Node::Output(call, _) = pool.node(e) else { return None };
    let Node::Call(function, args) = pool.node(call) else { return None };
    let name = operator_name(pool.function(function))?;
    let first = args.first().copied();
    let second = args.get(1).copied();
    let third = args.get(2).copied();
    Some(match name {
        "previous" => Operator::Previous(first?),
        "hold" => Operator::Hold(first?),
        "sample" => Operator::Sample(first?, second),
        "subSample" => Operator::Convert(first?, Conversion::Sub(second)),
        "superSample" => Operator::Convert(first?, Conversion::Super(second)),
        "shiftSample" => Operator::Convert(first?, Conversion::Shift(second?, third)),
        "backSample" => Operator::Convert(first?, Conversion::Back(second?, third)),
        "noClock" => Operator::Convert(first?, Conversion::Any),
        "interval" => Operator::Interval(first),
        "firstTick" => Operator::FirstTick(first),
        "Clock" => match (first, second) {
            (Some(clock), Some(method)) if is_clock(pool, vars, clock) => {
                Operator::Convert(clock, Conversion::Solver(method))
            }
            _ => Operator::Clock(args.to_vec(), input_type(pool.function(function))),
        },
        _ => return None,
    })
}

/// Is the expression a clock, not a value?
pub(crate) fn is_clock(pool: &Pool, vars: &[Var], e: ExprId) -> bool {
    match pool.node(e) {
        Node::Var(v) => vars.get(v.index()).is_some_and(|var| var.ty == Type::Clock),
        Node::Op(Op::If, args) => is_clock(pool, vars, args[1]),
        _ => match operator(pool, vars, e) {
            Some(Operator::Clock(..)) => true,
            Some(Operator::Convert(u, conversion)) => {
                matches!(conversion, Conversion::Solver(_)) || is_clock(pool, vars, u)
            }
            _ => false,
        },
    }
}

/// The variable an expression is.
pub(crate) fn as_variable(pool: &Pool, e: ExprId) -> Option<VarId> {
    match pool.node(e) {
        Node::Var(v) => Some(v),
        _ => None,
    }
}

/// The type of what an operator gives.
pub(crate) fn result_type(pool: &Pool, e: ExprId) -> Type {
    let Node::Output(call, k) = pool.node(e) else { return Type::Real };
    let Node::Call(function, _) = pool.node(call) else { return Type::Real };
    let function = pool.function(function);
    let scalar = function.outputs.get(k as usize).map(|id| function.locals[id.0 as usize].scalar);
    match scalar {
        Some(Scalar::Integer) => Type::Integer,
        Some(Scalar::Boolean) => Type::Boolean,
        Some(Scalar::String) => Type::String,
        _ => Type::Real,
    }
}

fn input_type(function: &Function) -> Scalar {
    function.inputs.first().map_or(Scalar::Real, |id| function.locals[id.0 as usize].scalar)
}
