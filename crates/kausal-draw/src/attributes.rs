//! Named attributes of graphical annotations, wherever they are written: `Line(points = …)` is a modification in a
//! `connect` clause and a call in `graphics = {…}`.

use std::sync::Arc;

use kausal_model::flattener::Scope;
use kausal_model::view::{Annotation, Datum, Instant, View};
use kausal_syntax::Ast;
use kausal_syntax::ast::{Binding, Expr, ExprId, ModArg, ModId};

use crate::geometry::Point;
use crate::scene::Color;

/// Attributes by name.
pub struct Attributes {
    ast: Arc<Ast>,
    scope: Scope,
    values: Vec<(&'static str, ExprId)>,
    nested: Vec<(&'static str, ModId)>,
}

impl Attributes {
    /// Those of an annotation.
    pub fn of(annotation: &Annotation) -> Attributes {
        Attributes::of_modification(&annotation.ast, annotation.scope, annotation.modification)
    }

    fn of_modification(ast: &Arc<Ast>, scope: Scope, modification: ModId) -> Attributes {
        let (mut values, mut nested) = (Vec::new(), Vec::new());
        for arg in &ast.modifications[modification].args {
            let ModArg::Modify(m) = arg else { continue };
            let [name] = ast.lists.idents.get(m.name.parts) else { continue };
            let Some(id) = m.modification else { continue };
            match ast.modifications[id].binding {
                Binding::Expr(expr) => values.push((name.symbol.as_str(), expr)),
                _ => nested.push((name.symbol.as_str(), id)),
            }
        }
        Attributes { ast: ast.clone(), scope, values, nested }
    }

    /// The name of a call such as `Line(…)` and its arguments.
    fn of_call(ast: &Arc<Ast>, scope: Scope, expr: ExprId) -> Option<(&'static str, Attributes)> {
        let Expr::Call { function, args } = ast.exprs[expr] else { return None };
        let name = ast.lists.parts.get(function.parts).last()?.name.symbol.as_str();
        let values = ast.lists.args.get(args).iter();
        let values = values.filter_map(|arg| Some((arg.name?.symbol.as_str(), arg.value))).collect();
        Some((name, Attributes { ast: ast.clone(), scope, values, nested: Vec::new() }))
    }

    /// A modification inside this one, or a call that is its value.
    pub fn nested(&self, name: &str) -> Option<Attributes> {
        if let Some(&(_, id)) = self.nested.iter().find(|(n, _)| *n == name) {
            return Some(Attributes::of_modification(&self.ast, self.scope, id));
        }
        let &(_, expr) = self.values.iter().find(|(n, _)| *n == name)?;
        Attributes::of_call(&self.ast, self.scope, expr).map(|(_, attributes)| attributes)
    }

    /// The calls in an array such as `graphics`, in order. Conditions choose among arrays.
    pub fn calls(
        &self,
        view: &mut View<'_>,
        name: &str,
        at: Option<Instant<'_>>,
    ) -> Vec<(&'static str, Attributes)> {
        let mut out = Vec::new();
        if let Some(&(_, expr)) = self.values.iter().find(|(n, _)| *n == name) {
            self.collect(view, expr, at, &mut out);
        }
        out
    }

    fn collect(
        &self,
        view: &mut View<'_>,
        expr: ExprId,
        at: Option<Instant<'_>>,
        out: &mut Vec<(&'static str, Attributes)>,
    ) {
        match self.ast.exprs[expr] {
            Expr::Array(items) => {
                for &item in self.ast.lists.exprs.get(items) {
                    self.collect(view, item, at, out);
                }
            }
            Expr::If { branches, otherwise } => {
                for &(condition, value) in self.ast.lists.branches.get(branches) {
                    if view.evaluate(self.scope, condition, at) != Some(Datum::Boolean(false)) {
                        return self.collect(view, value, at, out);
                    }
                }
                self.collect(view, otherwise, at, out);
            }
            Expr::Call { .. } => out.extend(Attributes::of_call(&self.ast, self.scope, expr)),
            _ => {}
        }
    }

    /// The text of an attribute without white space: a name as results have it.
    pub fn source(&self, name: &str) -> Option<String> {
        let &(_, expr) = self.values.iter().find(|(n, _)| *n == name)?;
        let span = self.ast.span(expr);
        let text = self.ast.text.get(span.start as usize..span.end as usize)?;
        Some(text.chars().filter(|c| !c.is_whitespace()).collect())
    }

    /// The value of an attribute; `None` where it is not given or cannot be evaluated.
    pub fn datum(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<Datum> {
        let &(_, expr) = self.values.iter().find(|(n, _)| *n == name)?;
        view.evaluate(self.scope, expr, at)
    }

    /// A number.
    pub fn number(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<f64> {
        self.datum(view, name, at).as_ref().and_then(number)
    }

    /// A Boolean.
    pub fn boolean(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<bool> {
        match self.datum(view, name, at)? {
            Datum::Boolean(b) => Some(b),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<String> {
        match self.datum(view, name, at)? {
            Datum::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A value of an enumeration, such as `Dash`.
    pub fn literal(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<String> {
        match self.datum(view, name, at)? {
            Datum::Literal(name) => Some(name),
            _ => None,
        }
    }

    /// Values of an enumeration.
    pub fn literals(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Vec<String> {
        let Some(Datum::Array(items)) = self.datum(view, name, at) else { return Vec::new() };
        let literal = |d: Datum| match d {
            Datum::Literal(name) => Some(name),
            _ => None,
        };
        items.into_iter().filter_map(literal).collect()
    }

    /// A colour.
    pub fn color(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<Color> {
        let Datum::Array(items) = self.datum(view, name, at)? else { return None };
        match items[..] {
            [Datum::Number(r), Datum::Number(g), Datum::Number(b)] => {
                Some([r, g, b].map(|c| c.round().clamp(0.0, 255.0) as u8))
            }
            _ => None,
        }
    }

    /// A point.
    pub fn point(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<Point> {
        self.datum(view, name, at).as_ref().and_then(point)
    }

    /// Two points.
    pub fn extent(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<[Point; 2]> {
        match self.points(view, name, at)?[..] {
            [a, b] => Some([a, b]),
            _ => None,
        }
    }

    /// A list of points.
    pub fn points(&self, view: &mut View<'_>, name: &str, at: Option<Instant<'_>>) -> Option<Vec<Point>> {
        match self.datum(view, name, at)? {
            Datum::Array(items) => items.iter().map(point).collect(),
            _ => None,
        }
    }
}

fn number(datum: &Datum) -> Option<f64> {
    match datum {
        Datum::Number(x) if x.is_finite() => Some(*x),
        _ => None,
    }
}

fn point(datum: &Datum) -> Option<Point> {
    match datum {
        Datum::Array(items) => match &items[..] {
            [x, y] => Some([number(x)?, number(y)?]),
            _ => None,
        },
        _ => None,
    }
}
