//! Operations that are instructions, for code of chunks and of functions alike.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, InstructionData, Value};
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
            // Zero without its sign, or not a number.
            let neither = builder.ins().fadd(x, zero);
            let rest = builder.ins().select(negative, minus, neither);
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
        Binary::Min => extremum(builder, FloatCC::LessThan, x, y),
        Binary::Max => extremum(builder, FloatCC::GreaterThan, x, y),
        Binary::IntegerDiv => {
            let quotient = builder.ins().fdiv(x, y);
            builder.ins().trunc(quotient)
        }
        Binary::Mod | Binary::Rem => {
            let quotient = builder.ins().fdiv(x, y);
            let whole = builder.ins().trunc(quotient);
            let product = builder.ins().fmul(whole, y);
            let rest = builder.ins().fsub(x, product);
            if op == Binary::Rem {
                return rest;
            }
            let zero = builder.ins().f64const(0.0);
            let sides = builder.ins().fmul(rest, y);
            let opposite = builder.ins().fcmp(FloatCC::LessThan, sides, zero);
            let moved = builder.ins().fadd(rest, y);
            builder.ins().select(opposite, moved, rest)
        }
        _ => unreachable!("{op:?} is not an instruction"),
    }
}

/// The second where it comes before the first or is not a number, else the first. Constants, which are numbers, stand second
/// and need no look.
fn extremum(builder: &mut FunctionBuilder<'_>, before: FloatCC, x: Value, y: Value) -> Value {
    let comes = builder.ins().fcmp(before, y, x);
    let found = builder.ins().select(comes, y, x);
    if is_number(builder, y) {
        return found;
    }
    let bad = builder.ins().fcmp(FloatCC::Unordered, y, y);
    builder.ins().select(bad, y, found)
}

/// Is it a constant, and not one that is not a number?
fn is_number(builder: &FunctionBuilder<'_>, value: Value) -> bool {
    let dfg = &builder.func.dfg;
    let Some(inst) = dfg.value_def(value).inst() else { return false };
    match dfg.insts[inst] {
        InstructionData::UnaryIeee64 { imm, .. } => !f64::from_bits(imm.bits()).is_nan(),
        _ => false,
    }
}
