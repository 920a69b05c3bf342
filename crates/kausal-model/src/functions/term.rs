//! Expressions of functions: from syntax to terms.
//!
//! Types and numbers of dimensions are known here, sizes are not. A record is the list of its fields.

use kausal_symbolic::Op;
use kausal_symbolic::function::{ArrayFn, Reduction, Subscript, Term, TermId};
use kausal_syntax::ast::{self, BinaryOp, ComponentRef, Expr, RefPart, UnaryOp};
use kausal_syntax::{Ast, Symbol};

use super::lower::Lower;
use crate::class::{KlassId, Reported, Res};
use crate::expr::operator::operator_text;
use crate::expr::reference::Cursor;
use crate::flattener::{Flattener, Scope};
use crate::value::{Ty, Value};

/// What an expression of a function is worth.
#[derive(Clone, Debug)]
pub enum TVal {
    /// Scalars of one type.
    Plain {
        /// The type.
        ty: Ty,
        /// How many dimensions.
        rank: usize,
        /// The term.
        term: TermId,
    },
    /// A record, or an array of records.
    Record {
        /// Its class.
        klass: KlassId,
        /// How many dimensions the array has.
        rank: usize,
        /// The fields, each with the dimensions of the array in front of its own.
        fields: Vec<(Symbol, TVal)>,
    },
    /// A function with arguments bound to it.
    Function {
        /// Which.
        klass: KlassId,
        /// Bound arguments.
        bound: Vec<(Symbol, TVal)>,
    },
    /// Nothing.
    Nothing,
}

impl TVal {
    /// How many dimensions.
    pub fn rank(&self) -> usize {
        match self {
            TVal::Plain { rank, .. } | TVal::Record { rank, .. } => *rank,
            _ => 0,
        }
    }

    /// A field.
    pub fn field(&self, name: Symbol) -> Option<&TVal> {
        match self {
            TVal::Record { fields, .. } => fields.iter().find(|(n, _)| *n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// All terms: field behind field.
    pub fn terms(&self, out: &mut Vec<TermId>) {
        match self {
            TVal::Plain { term, .. } => out.push(*term),
            TVal::Record { fields, .. } => fields.iter().for_each(|(_, v)| v.terms(out)),
            _ => {}
        }
    }

    /// Any one term with the dimensions of the array, for asking sizes.
    pub fn any_term(&self) -> Option<TermId> {
        let mut terms = Vec::new();
        self.terms(&mut terms);
        terms.first().copied()
    }

    /// What to call a type and rank in messages.
    pub fn describe_parts(ty: Ty, rank: usize) -> String {
        match rank {
            0 => ty.text().to_owned(),
            _ => format!("{}[{}]", ty.text(), vec![":"; rank].join(", ")),
        }
    }

    /// What to call it in messages.
    pub fn describe(&self) -> String {
        match self {
            TVal::Plain { ty, rank, .. } => TVal::describe_parts(*ty, *rank),
            TVal::Record { .. } => "a record".to_owned(),
            TVal::Function { .. } => "a function".to_owned(),
            TVal::Nothing => "nothing".to_owned(),
        }
    }

    /// The same with every term replaced; `grow` dimensions more.
    pub fn map(&self, grow: isize, f: &mut dyn FnMut(TermId, usize) -> TermId) -> TVal {
        let grown = |rank: usize| (rank as isize + grow).max(0) as usize;
        match self {
            TVal::Plain { ty, rank, term } => {
                TVal::Plain { ty: *ty, rank: grown(*rank), term: f(*term, *rank) }
            }
            TVal::Record { klass, rank, fields } => TVal::Record {
                klass: *klass,
                rank: grown(*rank),
                fields: fields.iter().map(|(n, v)| (*n, v.map(grow, f))).collect(),
            },
            other => other.clone(),
        }
    }
}

impl Flattener<'_> {
    /// Reports at an expression of a function.
    pub(super) fn at_term(
        &mut self,
        lo: &Lower,
        expr: ast::ExprId,
        code: &'static str,
        message: impl Into<String>,
    ) -> Reported {
        let span = self.cx.lib.ast_ref(lo.file).span(expr);
        self.error_at(code, message, lo.file, span)
    }

    /// An expression of a function.
    pub fn lower_expr(&mut self, lo: &mut Lower, expr: ast::ExprId) -> Res<TVal> {
        if self.depth > 1500 {
            return Err(self.at_term(lo, expr, "K0304", "the expression is nested too deeply"));
        }
        if !self.budget.pay(1) {
            let span = self.cx.lib.ast_ref(lo.file).span(expr);
            return Err(self.broke(Some((lo.file, span))));
        }
        self.depth += 1;
        let value = self.lower_inner(lo, expr);
        self.depth -= 1;
        value
    }

    fn lower_inner(&mut self, lo: &mut Lower, expr: ast::ExprId) -> Res<TVal> {
        let ast = self.cx.lib.ast(lo.file);
        let plain = |ty, rank, term| Ok(TVal::Plain { ty, rank, term });
        match ast.exprs[expr] {
            Expr::Integer(i) => plain(Ty::Integer, 0, lo.term(Term::Const(i as f64))),
            Expr::Real(x) => plain(Ty::Real, 0, lo.term(Term::Const(x))),
            Expr::Boolean(b) => plain(Ty::Boolean, 0, lo.term(Term::Const(f64::from(u8::from(b))))),
            Expr::String(s) => plain(Ty::String, 0, lo.term(Term::Text(ast.string(s).into_owned()))),
            Expr::Ref(reference) => self.lower_ref(lo, &ast, &reference),
            Expr::Unary(op, a) => self.lower_unary(lo, expr, op, a),
            Expr::Binary(..) => {
                let mut spine = Vec::new();
                let mut at = expr;
                while let Expr::Binary(op, a, b) = ast.exprs[at] {
                    spine.push((at, op, b));
                    at = a;
                }
                let mut value = self.lower_expr(lo, at);
                while let Some((at, op, b)) = spine.pop() {
                    let right = self.lower_expr(lo, b);
                    value = match (value, right) {
                        (Ok(value), Ok(right)) => self.lower_binary(lo, at, op, value, right),
                        _ => Err(Reported),
                    };
                }
                value
            }
            Expr::If { branches, otherwise } => {
                self.lower_if(lo, ast.lists.branches.get(branches), otherwise)
            }
            Expr::Range { start, step, stop } => self.lower_range(lo, expr, start, step, stop),
            Expr::Call { function, args } => {
                let args = ast.lists.args.get(args);
                self.lower_call(lo, &ast, expr, &function, args)
            }
            Expr::CallFor { function, body, iterators } => {
                let name = crate::expr::reference::ref_text(&ast, &function);
                let reduction = match name.as_str() {
                    "sum" => Reduction::Sum,
                    "product" => Reduction::Product,
                    "min" => Reduction::Min,
                    "max" => Reduction::Max,
                    "array" => Reduction::Array,
                    _ => {
                        let message =
                            format!("{name} is not a reduction: sum, product, min, max or array is needed");
                        return Err(self.at_term(lo, expr, "K0347", message));
                    }
                };
                self.lower_reduction(lo, &ast, reduction, body, ast.lists.iterators.get(iterators))
            }
            Expr::ArrayFor { body, iterators } => {
                self.lower_reduction(lo, &ast, Reduction::Array, body, ast.lists.iterators.get(iterators))
            }
            Expr::Function { function, args } => {
                let klass = self.cx.lookup_name(lo.klass, &ast, lo.file, function)?;
                let mut bound = Vec::new();
                for arg in ast.lists.args.get(args) {
                    if let Some(name) = arg.name {
                        bound.push((name.symbol, self.lower_expr(lo, arg.value)?));
                    }
                }
                Ok(TVal::Function { klass, bound })
            }
            Expr::Array(items) => {
                let mut values = Vec::with_capacity(items.len());
                for &item in ast.lists.exprs.get(items) {
                    values.push(self.lower_expr(lo, item)?);
                }
                self.lower_construct(lo, expr, &values)
            }
            Expr::Matrix(rows) => self.lower_matrix(lo, &ast, expr, ast.lists.rows.get(rows)),
            Expr::Tuple(items) => match ast.lists.exprs.get(items) {
                [one] => self.lower_expr(lo, *one),
                _ => Err(self.at_term(lo, expr, "K0305", "a list of receivers is not a value")),
            },
            Expr::End => match lo.ends.last() {
                Some(&(array, dimension)) => {
                    let d = lo.term(Term::Const(dimension as f64));
                    plain(Ty::Integer, 0, lo.term(Term::Array(ArrayFn::SizeOf, vec![array, d])))
                }
                None => Err(self.at_term(lo, expr, "K0306", "`end` has a meaning only inside subscripts")),
            },
            Expr::Missing => Ok(TVal::Nothing),
            Expr::Colon => {
                Err(self.at_term(lo, expr, "K0307", "`:` has a meaning only as a subscript or dimension"))
            }
            Expr::Error => Err(Reported),
        }
    }

    /// A scalar of a type.
    pub(super) fn lower_scalar(&mut self, lo: &mut Lower, expr: ast::ExprId, ty: Option<Ty>) -> Res<TermId> {
        match self.lower_expr(lo, expr)? {
            TVal::Plain { ty: found, rank: 0, term } if ty.is_none_or(|t| t == found) => Ok(term),
            other => {
                let expected = ty.map_or("a scalar", Ty::text);
                let message = format!("{expected} is needed here, not {}", other.describe());
                Err(self.at_term(lo, expr, "K0342", message))
            }
        }
    }

    fn lower_unary(&mut self, lo: &mut Lower, expr: ast::ExprId, op: UnaryOp, a: ast::ExprId) -> Res<TVal> {
        let value = self.lower_expr(lo, a)?;
        match (op, &value) {
            (UnaryOp::Plus | UnaryOp::ElementPlus, TVal::Plain { ty, .. }) if ty.is_number() => Ok(value),
            (UnaryOp::Minus | UnaryOp::ElementMinus, TVal::Plain { ty, rank, term }) if ty.is_number() => {
                let term = match lo.function.terms[term.0 as usize] {
                    Term::Const(x) => lo.term(Term::Const(-x)),
                    _ => lo.term(Term::Op(Op::Neg, vec![*term])),
                };
                Ok(TVal::Plain { ty: *ty, rank: *rank, term })
            }
            (UnaryOp::Not, TVal::Plain { ty: Ty::Boolean, rank, term }) => {
                let term = lo.term(Term::Op(Op::Not, vec![*term]));
                Ok(TVal::Plain { ty: Ty::Boolean, rank: *rank, term })
            }
            (UnaryOp::Minus | UnaryOp::ElementMinus | UnaryOp::Not, TVal::Record { klass, .. }) => {
                let name = if op == UnaryOp::Not { "'not'" } else { "'-'" };
                self.lower_overloaded(lo, expr, *klass, name, vec![value.clone()])
            }
            (_, TVal::Record { .. }) => Ok(value),
            _ => {
                let message = format!("the operator cannot be applied to {}", value.describe());
                Err(self.at_term(lo, expr, "K0340", message))
            }
        }
    }

    pub(super) fn lower_binary(
        &mut self,
        lo: &mut Lower,
        at: ast::ExprId,
        op: BinaryOp,
        a: TVal,
        b: TVal,
    ) -> Res<TVal> {
        let (TVal::Plain { ty: ta, rank: ra, term: x }, TVal::Plain { ty: tb, rank: rb, term: y }) = (&a, &b)
        else {
            let name = format!("'{}'", operator_text(op).trim_start_matches('.'));
            return match (&a, &b) {
                (TVal::Record { klass, .. }, _) | (_, TVal::Record { klass, .. }) => {
                    let klass = *klass;
                    self.lower_overloaded_arrays(lo, at, klass, op, &name, a, b)
                }
                _ => Err(self.cannot_term(lo, at, op, &a, &b)),
            };
        };
        let (ta, tb, ra, rb, x, y) = (*ta, *tb, *ra, *rb, *x, *y);
        use BinaryOp::*;
        let rank = ra.max(rb);
        let fits = ra == rb || ra == 0 || rb == 0;
        let ordered = match op {
            Less => Some((Op::Less, [x, y])),
            LessEqual => Some((Op::LessEqual, [x, y])),
            Greater => Some((Op::Less, [y, x])),
            GreaterEqual => Some((Op::LessEqual, [y, x])),
            _ => None,
        };
        if let Some((op, sides)) = ordered
            && ta.is_number()
            && tb.is_number()
            && join(ta, tb) == Ty::Real
            && rank == 0
            && let Some(value) = self.lower_relation(lo, op, &sides)?
        {
            return Ok(value);
        }
        let mut make = |ty, rank, op, args: Vec<TermId>| {
            let term = lo.term(Term::Op(op, args));
            Ok(TVal::Plain { ty, rank, term })
        };
        match op {
            And | Or if (ta, tb) == (Ty::Boolean, Ty::Boolean) && fits => {
                make(Ty::Boolean, rank, if op == And { Op::And } else { Op::Or }, vec![x, y])
            }
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
                if ta.join(tb).is_some() && ra == 0 && rb == 0 =>
            {
                let (op, args) = match op {
                    Less => (Op::Less, vec![x, y]),
                    LessEqual => (Op::LessEqual, vec![x, y]),
                    Greater => (Op::Less, vec![y, x]),
                    GreaterEqual => (Op::LessEqual, vec![y, x]),
                    NotEqual => (Op::NotEqual, vec![x, y]),
                    _ => (Op::Equal, vec![x, y]),
                };
                make(Ty::Boolean, 0, op, args)
            }
            Add | ElementAdd if (ta, tb) == (Ty::String, Ty::String) && fits => {
                let term = lo.term(Term::Array(ArrayFn::Concat, vec![x, y]));
                Ok(TVal::Plain { ty: Ty::String, rank, term })
            }
            _ if !ta.is_number() || !tb.is_number() => Err(self.cannot_term(lo, at, op, &a, &b)),
            Add | ElementAdd if fits && (op == ElementAdd || ra == rb) => {
                make(join(ta, tb), rank, Op::Add, vec![x, y])
            }
            Sub | ElementSub if fits && (op == ElementSub || ra == rb) => {
                let minus = lo.term(Term::Op(Op::Neg, vec![y]));
                let term = lo.term(Term::Op(Op::Add, vec![x, minus]));
                Ok(TVal::Plain { ty: join(ta, tb), rank, term })
            }
            Mul if ra == 0 || rb == 0 => make(join(ta, tb), rank, Op::Mul, vec![x, y]),
            Mul if ra <= 2 && rb <= 2 => {
                let rank = ra + rb - 2;
                let term = lo.term(Term::Array(ArrayFn::Product, vec![x, y]));
                Ok(TVal::Plain { ty: join(ta, tb), rank, term })
            }
            ElementMul if fits => make(join(ta, tb), rank, Op::Mul, vec![x, y]),
            Div if rb == 0 => make(Ty::Real, rank, Op::Div, vec![x, y]),
            ElementDiv if fits => make(Ty::Real, rank, Op::Div, vec![x, y]),
            Pow if ra == 0 && rb == 0 => make(Ty::Real, 0, Op::Pow, vec![x, y]),
            Pow if ra == 2 && rb == 0 => {
                let term = lo.term(Term::Array(ArrayFn::MatrixPower, vec![x, y]));
                Ok(TVal::Plain { ty: ta, rank: 2, term })
            }
            ElementPow if fits => make(Ty::Real, rank, Op::Pow, vec![x, y]),
            _ => Err(self.cannot_term(lo, at, op, &a, &b)),
        }
    }

    fn cannot_term(&mut self, lo: &Lower, at: ast::ExprId, op: BinaryOp, a: &TVal, b: &TVal) -> Reported {
        let message =
            format!("{} cannot be applied to {} and {}", operator_text(op), a.describe(), b.describe());
        self.at_term(lo, at, "K0340", message)
    }

    fn lower_if(
        &mut self,
        lo: &mut Lower,
        branches: &[(ast::ExprId, ast::ExprId)],
        otherwise: ast::ExprId,
    ) -> Res<TVal> {
        let Some((&(condition, then), rest)) = branches.split_first() else {
            return self.lower_expr(lo, otherwise);
        };
        let c = self.lower_scalar(lo, condition, Some(Ty::Boolean))?;
        if let Term::Const(known) = lo.function.terms[c.0 as usize] {
            return if known != 0.0 { self.lower_expr(lo, then) } else { self.lower_if(lo, rest, otherwise) };
        }
        let a = self.lower_expr(lo, then)?;
        let b = self.lower_if(lo, rest, otherwise)?;
        match choose(lo, c, &a, &b) {
            Some(value) => Ok(value),
            None => {
                let message = format!("the branches of `if` differ: {} and {}", a.describe(), b.describe());
                Err(self.at_term(lo, then, "K0343", message))
            }
        }
    }

    fn lower_range(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        start: ast::ExprId,
        step: Option<ast::ExprId>,
        stop: ast::ExprId,
    ) -> Res<TVal> {
        let mut ty: Option<Ty> = None;
        let mut terms = Vec::with_capacity(3);
        for e in [Some(start), step, Some(stop)].into_iter().flatten() {
            match self.lower_expr(lo, e)? {
                TVal::Plain { ty: t, rank: 0, term } => {
                    terms.push(term);
                    ty = Some(ty.map_or(t, |old| old.join(t).unwrap_or(old)));
                }
                other => {
                    let message = format!("a range needs scalars, not {}", other.describe());
                    return Err(self.at_term(lo, expr, "K0344", message));
                }
            }
        }
        let term = lo.term(Term::Array(ArrayFn::Range, terms));
        Ok(TVal::Plain { ty: ty.unwrap_or(Ty::Integer), rank: 1, term })
    }

    /// `{a, b, …}`
    pub(super) fn lower_construct(
        &mut self,
        lo: &mut Lower,
        expr: ast::ExprId,
        values: &[TVal],
    ) -> Res<TVal> {
        match values.first() {
            Some(TVal::Plain { ty, rank, .. }) => {
                let mut joined = *ty;
                let mut terms = Vec::with_capacity(values.len());
                for value in values {
                    match value {
                        TVal::Plain { ty, rank: r, term } if r == rank && joined.join(*ty).is_some() => {
                            joined = join(joined, *ty);
                            terms.push(*term);
                        }
                        _ => {
                            return Err(self.at_term(
                                lo,
                                expr,
                                "K0331",
                                "the elements of an array have different types",
                            ));
                        }
                    }
                }
                let term = lo.term(Term::Array(ArrayFn::Construct, terms));
                Ok(TVal::Plain { ty: joined, rank: rank + 1, term })
            }
            Some(TVal::Record { klass, rank, fields }) => {
                let mut out = Vec::with_capacity(fields.len());
                for (name, _) in fields {
                    let column: Option<Vec<TVal>> = values.iter().map(|v| v.field(*name).cloned()).collect();
                    let Some(column) = column else {
                        return Err(self.at_term(
                            lo,
                            expr,
                            "K0331",
                            "the elements of an array have different types",
                        ));
                    };
                    out.push((*name, self.lower_construct(lo, expr, &column)?));
                }
                Ok(TVal::Record { klass: *klass, rank: rank + 1, fields: out })
            }
            _ => Err(self.at_term(lo, expr, "K0345", "an array needs at least one element; use fill(…, 0)")),
        }
    }

    fn lower_matrix(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        expr: ast::ExprId,
        rows: &[kausal_syntax::arena::List<ast::ExprId>],
    ) -> Res<TVal> {
        let mut lines = Vec::with_capacity(rows.len());
        for &row in rows {
            let items = ast.lists.exprs.get(row).iter();
            lines.push(items.map(|&item| self.lower_expr(lo, item)).collect::<Res<Vec<TVal>>>()?);
        }
        match matrix(lo, &lines) {
            Some(value) => Ok(value),
            None => Err(self.at_term(lo, expr, "K0331", "the elements of a matrix have different types")),
        }
    }

    /// A scope in which only constants are visible.
    pub(super) fn constant_scope(&mut self, lo: &Lower) -> Scope {
        let inst = match &lo.outer {
            Some(outer) => outer.scope.inst,
            None => self.static_inst(lo.klass),
        };
        Scope { klass: lo.klass, inst, file: lo.file, locals: self.locals.len() as u32 }
    }

    /// A reference: a variable of the function, or a constant from outside.
    pub(super) fn lower_ref(&mut self, lo: &mut Lower, ast: &Ast, reference: &ComponentRef) -> Res<TVal> {
        let parts = ast.lists.parts.get(reference.parts);
        let Some(first) = parts.first() else { return Err(Reported) };
        if !reference.global
            && first.name.symbol.as_str() == "time"
            && parts.len() == 1
            && !lo.env.contains_key(&first.name.symbol)
        {
            if lo.outer.is_none() {
                let message = "time cannot be used in a function: give it as an argument";
                return Err(self.error_at("K0382", message, lo.file, reference.span));
            }
            return self.lower_time(lo);
        }
        if !reference.global
            && let Some(value) = lo.env.get(&first.name.symbol)
        {
            let value = value.clone();
            return self.lower_parts(lo, ast, value, parts, 0);
        }
        if lo.outer.is_some() && !reference.global {
            return self.lower_outer_ref(lo, ast, reference);
        }
        self.lower_constant_ref(lo, ast, reference)
    }

    /// A reference to constants; subscripts may use variables of the function.
    pub(crate) fn lower_constant_ref(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        reference: &ComponentRef,
    ) -> Res<TVal> {
        let parts = ast.lists.parts.get(reference.parts);
        let scope = self.constant_scope(lo);
        let split = parts.iter().position(|p| !p.subscripts.is_empty()).unwrap_or(parts.len() - 1);
        let mut prefix = parts[..=split].to_vec();
        prefix[split].subscripts = kausal_syntax::arena::List::EMPTY;
        let cursor = self.resolve_prefix(scope, ast, reference, &prefix)?;
        let value = match cursor {
            Cursor::Inst(id) => match lo.constants.get(&id) {
                Some(value) => value.clone(),
                None => {
                    self.check_constant_use(lo, reference, id)?;
                    let value = self.instance_value(id)?;
                    let value = self.embed_folded(lo, reference, &value)?;
                    lo.constants.insert(id, value.clone());
                    value
                }
            },
            Cursor::Value(value) => self.embed_folded(lo, reference, &value)?,
            Cursor::Class(klass, _) if split + 1 == parts.len() => {
                let kind = self.cx.deep_kind(klass);
                if matches!(kind, ast::ClassKind::Function | ast::ClassKind::OperatorFunction) {
                    return Ok(TVal::Function { klass, bound: Vec::new() });
                }
                let text = crate::expr::reference::ref_text(ast, reference);
                let message = format!("{text} is a class, but a value is needed here");
                return Err(self.error_at("K0204", message, lo.file, reference.span));
            }
            _ => {
                let text = crate::expr::reference::ref_text(ast, reference);
                return Err(self.error_at(
                    "K0204",
                    format!("{text} is not a value"),
                    lo.file,
                    reference.span,
                ));
            }
        };
        self.lower_parts(lo, ast, value, parts, split)
    }

    /// Of what is around a function only constants can be used in it (specification section 5.3.1): anything else would
    /// need to know which component is meant.
    fn check_constant_use(
        &mut self,
        lo: &Lower,
        reference: &ComponentRef,
        id: crate::instance::InstId,
    ) -> Res<()> {
        let inst = self.inst(id);
        if lo.outer.is_some() || !inst.is_static || inst.variability == ast::Variability::Constant {
            return Ok(());
        }
        let owner = inst.parent.map(|p| self.inst(p).klass);
        if owner.is_none_or(|k| !Flattener::is_model(self.cx.deep_kind(k))) {
            return Ok(());
        }
        let path = self.path(id);
        let message = format!("{path} is not a constant: a function can only use constants from outside");
        let location = self.cx.lib.location(lo.file, reference.span);
        let diagnostic = kausal_syntax::Diagnostic::error("K0389", message)
            .at(location, "used here")
            .help("declare it `constant`, or give it to the function as an argument");
        Err(self.report_at_decl(id, diagnostic))
    }

    fn embed_folded(&mut self, lo: &mut Lower, reference: &ComponentRef, value: &Value) -> Res<TVal> {
        match self.fold_value(value) {
            Ok(value) => self.embed(lo, &value),
            Err(why) => {
                let why = self.explain(why)?;
                let message = format!("a function can use only constants from outside, but this {why}");
                Err(self.error_at("K0381", message, lo.file, reference.span))
            }
        }
    }

    /// Constants as terms.
    pub(crate) fn embed(&mut self, lo: &mut Lower, value: &Value) -> Res<TVal> {
        match value {
            Value::Plain(ty, array) => {
                let mut data = array.data().iter();
                let term = self.embed_array(lo, array.shape(), &mut data);
                Ok(TVal::Plain { ty: *ty, rank: array.rank(), term })
            }
            Value::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for (name, field) in &record.fields {
                    fields.push((*name, self.embed(lo, field)?));
                }
                Ok(TVal::Record { klass: record.klass, rank: record.shape.len(), fields })
            }
            Value::Function(f) => {
                let mut bound = Vec::new();
                for (name, value) in &f.bound {
                    bound.push((*name, self.embed(lo, value)?));
                }
                Ok(TVal::Function { klass: f.klass, bound })
            }
            Value::Nothing => Ok(TVal::Nothing),
        }
    }

    fn embed_array(
        &mut self,
        lo: &mut Lower,
        shape: &[usize],
        data: &mut std::slice::Iter<'_, kausal_symbolic::ExprId>,
    ) -> TermId {
        let Some((&n, rest)) = shape.split_first() else {
            let Some(&e) = data.next() else { return lo.term(Term::Const(f64::NAN)) };
            return match self.pool.node(e) {
                kausal_symbolic::Node::Text(t) => {
                    let text = self.pool.text_of(t).to_owned();
                    lo.term(Term::Text(text))
                }
                kausal_symbolic::Node::Const(x) => lo.term(Term::Const(x)),
                _ => lo.term(Term::Const(f64::NAN)),
            };
        };
        if shape.contains(&0) {
            let mut args = vec![lo.term(Term::Const(0.0))];
            for &n in shape {
                args.push(lo.term(Term::Const(n as f64)));
            }
            return lo.term(Term::Array(ArrayFn::Fill, args));
        }
        let items = (0..n).map(|_| self.embed_array(lo, rest, data)).collect();
        lo.term(Term::Array(ArrayFn::Construct, items))
    }

    /// Subscripts of part `from` and all further parts.
    pub(super) fn lower_parts(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        value: TVal,
        parts: &[RefPart],
        from: usize,
    ) -> Res<TVal> {
        self.lower_parts_from(lo, ast, value, parts, from)
    }

    /// Subscripts of part `from` and all further parts, applied to the value of the parts before.
    pub(crate) fn lower_parts_from(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        value: TVal,
        parts: &[RefPart],
        from: usize,
    ) -> Res<TVal> {
        let mut value = value;
        for (i, part) in parts.iter().enumerate().skip(from) {
            let before = value.rank();
            if i > from {
                value = match value.field(part.name.symbol) {
                    Some(field) => field.clone(),
                    None => {
                        let message = format!("{} has no field {}", value.describe(), part.name.symbol);
                        return Err(self.error_at("K0205", message, lo.file, part.name.span));
                    }
                };
            }
            if !part.subscripts.is_empty() {
                // Subscripts of a field come behind the dimensions of the array of records.
                let front = if i > from { before } else { 0 };
                let (subs, scalars) = self.lower_subscripts(lo, ast, part, &value, front)?;
                let mut all = vec![Subscript::All; front];
                all.extend(subs);
                value = value.map(-(scalars as isize), &mut |term, rank| {
                    let mut subs = all.clone();
                    subs.resize(rank.max(all.len()), Subscript::All);
                    lo.term(Term::Index(term, subs))
                });
            }
        }
        Ok(value)
    }

    /// Subscripts of a part, the first of which is that of dimension `front + 1`, and how many are scalars.
    pub(crate) fn lower_subscripts(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        part: &RefPart,
        value: &TVal,
        front: usize,
    ) -> Res<(Vec<Subscript>, usize)> {
        let exprs = ast.lists.exprs.get(part.subscripts);
        if exprs.len() + front > value.rank() {
            let message = format!(
                "{} has {} dimensions, but {} subscripts",
                part.name.symbol,
                value.rank(),
                exprs.len()
            );
            return Err(self.error_at("K0334", message, lo.file, part.name.span));
        }
        let whole = value.any_term();
        let mut subs = Vec::with_capacity(exprs.len());
        let mut scalars = 0;
        for (d, &expr) in exprs.iter().enumerate() {
            if matches!(ast.exprs[expr], Expr::Colon) {
                subs.push(Subscript::All);
                continue;
            }
            if let Some(whole) = whole {
                lo.ends.push((whole, front + d + 1));
            }
            let index = self.lower_expr(lo, expr);
            if whole.is_some() {
                lo.ends.pop();
            }
            match index? {
                TVal::Plain { ty: ty @ (Ty::Integer | Ty::Boolean | Ty::Enumeration(_)), rank, term }
                    if rank <= 1 =>
                {
                    let term = if ty == Ty::Boolean {
                        let one = lo.term(Term::Const(1.0));
                        lo.term(Term::Op(Op::Add, vec![term, one]))
                    } else {
                        term
                    };
                    scalars += usize::from(rank == 0);
                    subs.push(Subscript::Index(term));
                }
                other => {
                    let message = format!("a subscript must be an integer, not {}", other.describe());
                    return Err(self.at_term(lo, expr, "K0335", message));
                }
            }
        }
        Ok((subs, scalars))
    }
}

/// The type of arithmetic on two numbers.
pub(super) fn join(a: Ty, b: Ty) -> Ty {
    a.join(b).unwrap_or(Ty::Real)
}

/// `[a, b; c, d]`, of records field by field; `None` if the types do not go together.
fn matrix(lo: &mut Lower, rows: &[Vec<TVal>]) -> Option<TVal> {
    if let Some(TVal::Record { klass, fields, .. }) = rows.first().and_then(|row| row.first()) {
        let mut out = Vec::with_capacity(fields.len());
        for (name, _) in fields {
            let column = |v: &TVal| {
                // Only fields without dimensions of their own: these stay behind those of the matrix.
                v.field(*name).filter(|f| f.rank() == v.rank()).cloned()
            };
            let columns: Option<Vec<Vec<TVal>>> =
                rows.iter().map(|row| row.iter().map(column).collect()).collect();
            out.push((*name, matrix(lo, &columns?)?));
        }
        return Some(TVal::Record { klass: *klass, rank: 2, fields: out });
    }
    let mut ty: Option<Ty> = None;
    let mut lines = Vec::with_capacity(rows.len());
    for row in rows {
        let mut terms = Vec::with_capacity(row.len());
        for item in row {
            let TVal::Plain { ty: t, rank, term } = item else { return None };
            ty = Some(match ty {
                None => *t,
                Some(old) => old.join(*t)?,
            });
            let two = lo.term(Term::Const(2.0));
            terms.push(match rank {
                0 | 1 => lo.term(Term::Array(ArrayFn::Promote, vec![*term, two])),
                _ => *term,
            });
        }
        lines.push(cat(lo, 2, terms));
    }
    let term = cat(lo, 1, lines);
    Some(TVal::Plain { ty: ty?, rank: 2, term })
}

/// `cat(dimension, …)`
pub(super) fn cat(lo: &mut Lower, dimension: usize, parts: Vec<TermId>) -> TermId {
    if let [one] = parts[..] {
        return one;
    }
    let mut args = vec![lo.term(Term::Const(dimension as f64))];
    args.extend(parts);
    lo.term(Term::Array(ArrayFn::Cat, args))
}

/// `if c then a else b`, field by field; `None` if the types do not fit.
pub(super) fn choose(lo: &mut Lower, c: TermId, a: &TVal, b: &TVal) -> Option<TVal> {
    match (a, b) {
        (TVal::Plain { ty: ta, rank: ra, term: x }, TVal::Plain { ty: tb, rank: rb, term: y })
            if ra == rb =>
        {
            let ty = ta.join(*tb)?;
            let term = lo.term(Term::Op(Op::If, vec![c, *x, *y]));
            Some(TVal::Plain { ty, rank: *ra, term })
        }
        (TVal::Record { klass, rank, fields }, TVal::Record { .. }) => {
            let mut out = Vec::with_capacity(fields.len());
            for (name, x) in fields {
                out.push((*name, choose(lo, c, x, b.field(*name)?)?));
            }
            Some(TVal::Record { klass: *klass, rank: *rank, fields: out })
        }
        _ => None,
    }
}
