//! Values of parameters as they are declared: literals, arithmetic, and other parameters and constants. What takes more than that is
//! known when the model is translated, not here.

use kausal_model::class::{ComponentInfo, KlassId, Place};
use kausal_syntax::ast::{BinaryOp, ComponentRef, Expr, ExprId, UnaryOp, Variability};
use kausal_syntax::{Ast, Span};

use super::describe;
use crate::references::Part;
use crate::world::{Resolved, Target, What, World};

/// How many parameters may depend on each other, and how deep formulas may be.
const MAX_DEPTH: u32 = 50;

/// The value of a scalar parameter or constant whose declaration does not show it: it is computed from others.
pub fn computed(world: &mut World, info: &ComponentInfo) -> Option<f64> {
    let binding = info.binding.filter(|_| is_known(info))?;
    let ast = world.ast(binding.file);
    let is_literal = match &ast.exprs[binding.expr] {
        Expr::Unary(_, operand) => is_number(&ast.exprs[*operand]),
        other => is_number(other),
    };
    if is_literal { None } else { value(world, &binding, MAX_DEPTH) }
}

fn is_known(info: &ComponentInfo) -> bool {
    matches!(info.variability, Variability::Parameter | Variability::Constant)
        && info.dims.is_empty()
        && info.leaf.is_some()
}

fn is_number(e: &Expr) -> bool {
    matches!(e, Expr::Integer(_) | Expr::Real(_))
}

fn value(world: &mut World, place: &Place, depth: u32) -> Option<f64> {
    let ast = world.ast(place.file);
    let found = evaluate(world, &ast, place.scope, place.expr, depth)?;
    found.is_finite().then_some(found)
}

fn evaluate(world: &mut World, ast: &Ast, scope: KlassId, e: ExprId, depth: u32) -> Option<f64> {
    let depth = depth.checked_sub(1)?;
    Some(match &ast.exprs[e] {
        Expr::Integer(n) => *n as f64,
        Expr::Real(x) => *x,
        Expr::Unary(UnaryOp::Minus, a) => -evaluate(world, ast, scope, *a, depth)?,
        Expr::Unary(UnaryOp::Plus, a) => evaluate(world, ast, scope, *a, depth)?,
        Expr::Binary(op, a, b) => {
            let (a, b) = (evaluate(world, ast, scope, *a, depth)?, evaluate(world, ast, scope, *b, depth)?);
            match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
                BinaryOp::Pow => a.powf(b),
                _ => return None,
            }
        }
        Expr::Ref(name) => of_name(world, ast, scope, name, depth)?,
        _ => return None,
    })
}

fn of_name(world: &mut World, ast: &Ast, scope: KlassId, name: &ComponentRef, depth: u32) -> Option<f64> {
    let written = ast.lists.parts.get(name.parts);
    let span = Span::new(0, 0);
    let parts: Vec<Part> = written.iter().map(|p| Part { name: p.name.symbol, span }).collect();
    if written.iter().any(|p| !ast.lists.exprs.get(p.subscripts).is_empty()) {
        return None;
    }
    let found = world.path(Some(scope), name.global, &parts, parts.len().checked_sub(1)?);
    let Resolved::Found(Target { what: What::Component { member, .. }, .. }) = found else { return None };
    let info = describe::info(world, &member)?;
    let binding = info.binding.filter(|_| is_known(&info))?;
    value(world, &binding, depth)
}

/// A value as it is shown: with as many digits as people read.
pub fn shown(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) { format!("{rounded:e}") } else { format!("{rounded}") }
}
