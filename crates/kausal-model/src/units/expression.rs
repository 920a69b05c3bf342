//! The unit of an expression. What clashes inside is reported on the way, and has no unit then, so that it is said once.

use std::sync::Arc;

use kausal_syntax::ast::{BinaryOp, ComponentRef, Expr, UnaryOp, Variability};
use kausal_syntax::{Ast, Location, Symbol, ast};

use crate::class;
use crate::class::{ComponentInfo, Found, Place};
use crate::ids::KlassId;
use crate::modifier::ModsId;
use crate::prelude::Builtin;
use crate::units::measure::{Clash, Unit};
use crate::units::{Checker, Scope};

/// What a reference leads to.
pub(super) enum Target {
    /// Nothing that is known here.
    Unknown,
    /// A value that is no component.
    Value(Unit),
    /// A component.
    Component(Arc<ComponentInfo>),
    /// A class.
    Class(KlassId),
}

/// Through so many bindings a unit is inferred.
const MAX_INFERENCES: u32 = 16;

impl Checker<'_> {
    /// The unit of an expression that belongs to a declaration.
    pub(super) fn placed(&mut self, place: &Place) -> Unit {
        let ast = self.cx.lib.ast(place.file);
        let locals = std::mem::take(&mut self.locals);
        let unit = self.expression(Scope { klass: place.scope, file: place.file }, &ast, place.expr);
        self.locals = locals;
        unit
    }

    /// The unit of an expression.
    pub(super) fn expression(&mut self, scope: Scope, ast: &Ast, expr: ast::ExprId) -> Unit {
        match ast.exprs[expr] {
            Expr::Integer(n) => written(n as f64),
            Expr::Real(x) => written(x),
            Expr::Ref(reference) => match self.reference(scope, ast, &reference) {
                Target::Value(unit) => unit,
                Target::Component(info) => self.unit_of(&info),
                Target::Unknown | Target::Class(_) => Unit::Any,
            },
            Expr::Unary(op, inner) => {
                let unit = self.expression(scope, ast, inner);
                if op == UnaryOp::Not { Unit::Any } else { unit }
            }
            Expr::Binary(..) => {
                // Sums of thousands of terms are as deep on the left.
                let (mut operations, mut at) = (Vec::new(), expr);
                while let Expr::Binary(op, l, r) = ast.exprs[at] {
                    operations.push((op, l, r));
                    at = l;
                }
                let mut unit = self.expression(scope, ast, at);
                for (op, l, r) in operations.into_iter().rev() {
                    let other = self.expression(scope, ast, r);
                    unit = self.binary(scope, ast, op, (l, unit), (r, other));
                }
                unit
            }
            Expr::If { branches, otherwise } => {
                let mut unit = self.expression(scope, ast, otherwise);
                let mut last = otherwise;
                for &(condition, value) in ast.lists.branches.get(branches).iter().rev() {
                    self.expression(scope, ast, condition);
                    let other = self.expression(scope, ast, value);
                    let words = "the branches of this `if` have different units";
                    unit = self.joined(scope, ast, words, (value, other), (last, unit));
                    last = value;
                }
                unit
            }
            Expr::Range { start, step, stop } => {
                let unit = self.expression(scope, ast, start);
                let units = [step, Some(stop)].into_iter().flatten();
                units.fold(unit, |unit, e| unit.common(&self.expression(scope, ast, e)))
            }
            Expr::Call { function, args } => {
                let outputs = self.call(scope, ast, &function, ast.lists.args.get(args));
                outputs.into_iter().next().unwrap_or(Unit::Any)
            }
            Expr::CallFor { function, body, iterators } => {
                let unit = self.each(scope, ast, ast.lists.iterators.get(iterators), body);
                let name = ast.lists.parts.get(function.parts).last().map(|p| p.name.symbol);
                match name.map(|n| n.as_str()) {
                    Some("sum" | "min" | "max" | "array") => unit,
                    _ => Unit::Any,
                }
            }
            Expr::ArrayFor { body, iterators } => {
                self.each(scope, ast, ast.lists.iterators.get(iterators), body)
            }
            Expr::Array(items) => self.common(scope, ast, ast.lists.exprs.get(items)),
            Expr::Matrix(rows) => {
                let rows = ast.lists.rows.get(rows);
                let units: Vec<Unit> =
                    rows.iter().map(|&row| self.common(scope, ast, ast.lists.exprs.get(row))).collect();
                units.into_iter().reduce(|a, b| a.common(&b)).unwrap_or(Unit::Any)
            }
            _ => Unit::Any,
        }
    }

    /// The unit that elements have in common; elements may differ.
    fn common(&mut self, scope: Scope, ast: &Ast, items: &[ast::ExprId]) -> Unit {
        let units: Vec<Unit> = items.iter().map(|&e| self.expression(scope, ast, e)).collect();
        units.into_iter().reduce(|a, b| a.common(&b)).unwrap_or(Unit::Any)
    }

    fn each(&mut self, scope: Scope, ast: &Ast, iterators: &[ast::Iterator], body: ast::ExprId) -> Unit {
        let count = self.locals.len();
        self.enter(scope, ast, iterators);
        let unit = self.expression(scope, ast, body);
        self.locals.truncate(count);
        unit
    }

    /// Makes loop variables known.
    pub(super) fn enter(&mut self, scope: Scope, ast: &Ast, iterators: &[ast::Iterator]) {
        for iterator in iterators {
            let unit = iterator.range.map_or(Unit::Number, |range| self.expression(scope, ast, range));
            self.locals.push((iterator.name.symbol, unit));
        }
    }

    fn binary(
        &mut self,
        scope: Scope,
        ast: &Ast,
        op: BinaryOp,
        (l, a): (ast::ExprId, Unit),
        (r, b): (ast::ExprId, Unit),
    ) -> Unit {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::ElementAdd | BinaryOp::ElementSub => {
                let difference = matches!(op, BinaryOp::Sub | BinaryOp::ElementSub);
                let words = match difference {
                    true => "a value is subtracted from one in another unit",
                    false => "the terms of this sum have different units",
                };
                let sum = self.joined(scope, ast, words, (l, a), (r, b));
                // Temperatures are converted with an offset, which may have a unit.
                if sum.is_temperature() { sum.unscaled() } else { sum }
            }
            BinaryOp::Mul | BinaryOp::ElementMul => a.times(&b, false),
            BinaryOp::Div | BinaryOp::ElementDiv => a.times(&b, true),
            BinaryOp::Pow | BinaryOp::ElementPow => {
                self.needs_number(scope, ast, "an exponent", r, &b);
                a.power(number(ast, r))
            }
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => {
                self.joined(scope, ast, "values in different units are compared", (l, a), (r, b));
                Unit::Any
            }
            BinaryOp::And | BinaryOp::Or => Unit::Any,
        }
    }

    /// The unit of a sum, of extrema, of branches.
    pub(super) fn joined(
        &mut self,
        scope: Scope,
        ast: &Ast,
        words: &str,
        (l, a): (ast::ExprId, Unit),
        (r, b): (ast::ExprId, Unit),
    ) -> Unit {
        match a.clash(&b, true) {
            None => a.join(&b),
            Some(clash) => {
                let places = [l, r].map(|e| self.cx.lib.location(scope.file, ast.span(e)));
                self.report(words, clash, (places[0], &a, ""), (places[1], &b, ""));
                if clash == Clash::Dimension { Unit::Any } else { a }
            }
        }
    }

    /// What a reference leads to. Subscripts change no unit.
    pub(super) fn reference(&mut self, scope: Scope, ast: &Ast, reference: &ComponentRef) -> Target {
        let parts = ast.lists.parts.get(reference.parts);
        let Some((first, rest)) = parts.split_first() else { return Target::Unknown };
        let name = first.name.symbol;
        if !reference.global {
            if let Some((_, unit)) = self.locals.iter().rev().find(|(n, _)| *n == name) {
                return Target::Value(unit.clone());
            }
            // Ramps are written as `2*time`, whatever they are of.
            if rest.is_empty() && name.as_str() == "time" {
                return Target::Value(Unit::Any);
            }
        }
        let found = match reference.global {
            true => self.cx.root(name).map(class::Found::Class),
            false => self.cx.find(scope.klass, name),
        };
        let mut target = self.found(found);
        for part in rest {
            let name = part.name.symbol;
            let next = match &target {
                Target::Component(info) if info.leaf.is_none() => self.cx.find_in(info.klass, name),
                Target::Class(k) if self.cx.leaf(*k).is_none() => self.cx.step(*k, name),
                _ => None,
            };
            target = self.found(next);
        }
        target
    }

    fn found(&mut self, found: Option<Found>) -> Target {
        match found {
            Some(class::Found::Class(k)) => Target::Class(k),
            Some(class::Found::Component { member, .. }) => {
                self.cx.component(&member).map_or(Target::Unknown, Target::Component)
            }
            None => Target::Unknown,
        }
    }

    /// The unit of a component: as it is declared, or that of its binding.
    pub(super) fn unit_of(&mut self, info: &ComponentInfo) -> Unit {
        let Some(leaf) = info.leaf else { return Unit::Any };
        match leaf.builtin {
            Builtin::Real => {}
            Builtin::Integer => return Unit::Number,
            _ => return Unit::Any,
        }
        let declared = self.declared(leaf.mods);
        let Some(place) = info.binding.filter(|_| declared == Unit::Any) else { return declared };
        if self.inferring >= MAX_INFERENCES {
            return Unit::Any;
        }
        self.inferring += 1;
        let unit = self.placed(&place);
        self.inferring -= 1;
        match unit {
            // π is a number, whatever function computes it.
            Unit::Of(ref m) if info.variability == Variability::Constant && m.is_number() => Unit::Number,
            Unit::Number if info.variability == Variability::Constant => unit,
            Unit::Of(_) => unit,
            // A parameter may stand for anything.
            _ => Unit::Any,
        }
    }

    /// The attribute `unit` of a type.
    pub(super) fn declared(&mut self, mods: ModsId) -> Unit {
        if let Some(unit) = self.declared.get(&mods) {
            return unit.clone();
        }
        let place = self.cx.attribute(mods, Symbol::new("unit")).map(|(place, _)| place);
        let unit = place.and_then(|place| {
            let ast = self.cx.lib.ast(place.file);
            match ast.exprs[place.expr] {
                Expr::String(text) => Some(Unit::parse(&ast.string(text))),
                _ => None,
            }
        });
        let unit = unit.unwrap_or(Unit::Any);
        self.declared.insert(mods, unit.clone());
        unit
    }

    /// Where an expression stands.
    pub(super) fn place(&self, scope: Scope, ast: &Ast, expr: ast::ExprId) -> Location {
        self.cx.lib.location(scope.file, ast.span(expr))
    }
}

/// The unit of time.
pub(super) fn seconds() -> Unit {
    Unit::parse("s")
}

/// Numbers that count, like those in `2*pi*r` and `0.5*m*v^2`, are numbers; others may be values of something.
fn written(x: f64) -> Unit {
    let counts = |x: f64| x.fract() == 0.0 && x.abs() < 10.0;
    if counts(x) || counts(1.0 / x) { Unit::Number } else { Unit::Any }
}

/// The value of an exponent that is written down.
fn number(ast: &Ast, expr: ast::ExprId) -> Option<f64> {
    match ast.exprs[expr] {
        Expr::Integer(n) => Some(n as f64),
        Expr::Real(x) => Some(x),
        Expr::Unary(UnaryOp::Minus, inner) => number(ast, inner).map(|x| -x),
        Expr::Unary(UnaryOp::Plus, inner) => number(ast, inner),
        Expr::Binary(BinaryOp::Div, a, b) => Some(number(ast, a)? / number(ast, b)?),
        Expr::Binary(BinaryOp::Mul, a, b) => Some(number(ast, a)? * number(ast, b)?),
        Expr::Binary(BinaryOp::Add, a, b) => Some(number(ast, a)? + number(ast, b)?),
        Expr::Binary(BinaryOp::Sub, a, b) => Some(number(ast, a)? - number(ast, b)?),
        _ => None,
    }
}
