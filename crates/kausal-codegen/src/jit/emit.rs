//! Operations that are instructions, for code of chunks and of functions alike.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;

use crate::scalar::{Binary, Unary};

/// A Boolean as 0 or 1.
pub(super) fn from_truth(builder: &mut FunctionBuilder<'_>, truth: Value) -> Value {
    let (one, zero) = (builder.ins().f64const(1.0), builder.ins().f64const(0.0));
    builder.ins().select(truth, one, zero)
}

/// What a relation between two numbers asks; `None` if it is not a relation.
pub(super) fn condition(op: Binary) -> Option<FloatCC> {
    Some(match op {
        Binary::Less => FloatCC::LessThan,
        Binary::LessEqual => FloatCC::LessThanOrEqual,
        Binary::Equal => FloatCC::Equal,
        Binary::NotEqual => FloatCC::NotEqual,
        _ => return None,
    })
}

/// The truth of a relation between two numbers; `None` if it is not a relation.
pub(super) fn relation(builder: &mut FunctionBuilder<'_>, op: Binary, x: Value, y: Value) -> Option<Value> {
    condition(op).map(|condition| builder.ins().fcmp(condition, x, y))
}

/// An operation on one number that is not a library function.
pub(super) fn unary(builder: &mut FunctionBuilder<'_>, op: Unary, x: Value) -> Value {
    match op {
        Unary::Neg => builder.ins().fneg(x),
        Unary::Abs => builder.ins().fabs(x),
        Unary::Sqrt => builder.ins().sqrt(x),
        Unary::Floor => builder.ins().floor(x),
        Unary::Ceil => builder.ins().ceil(x),
        Unary::Not => {
            let zero = builder.ins().f64const(0.0);
            let truth = builder.ins().fcmp(FloatCC::Equal, x, zero);
            from_truth(builder, truth)
        }
        Unary::Sign => {
            let [zero, one, minus] = [0.0, 1.0, -1.0].map(|value| builder.ins().f64const(value));
            let positive = builder.ins().fcmp(FloatCC::GreaterThan, x, zero);
            let negative = builder.ins().fcmp(FloatCC::LessThan, x, zero);
            let rest = builder.ins().select(negative, minus, zero);
            builder.ins().select(positive, one, rest)
        }
        _ => unreachable!("{op:?} is a library function"),
    }
}

/// An operation on two numbers that is not a library function.
pub(super) fn binary(builder: &mut FunctionBuilder<'_>, op: Binary, x: Value, y: Value) -> Value {
    if let Some(truth) = relation(builder, op, x, y) {
        return from_truth(builder, truth);
    }
    match op {
        Binary::Add => builder.ins().fadd(x, y),
        Binary::Sub => builder.ins().fsub(x, y),
        Binary::Mul => builder.ins().fmul(x, y),
        Binary::Div => builder.ins().fdiv(x, y),
        Binary::Min => {
            let less = builder.ins().fcmp(FloatCC::LessThan, x, y);
            builder.ins().select(less, x, y)
        }
        Binary::Max => {
            let greater = builder.ins().fcmp(FloatCC::GreaterThan, x, y);
            builder.ins().select(greater, x, y)
        }
        Binary::IntegerDiv => {
            let quotient = builder.ins().fdiv(x, y);
            builder.ins().trunc(quotient)
        }
        Binary::Mod | Binary::Rem => {
            let quotient = builder.ins().fdiv(x, y);
            let whole = match op {
                Binary::Mod => builder.ins().floor(quotient),
                _ => builder.ins().trunc(quotient),
            };
            let product = builder.ins().fmul(whole, y);
            builder.ins().fsub(x, product)
        }
        _ => unreachable!("{op:?} is not an instruction"),
    }
}
