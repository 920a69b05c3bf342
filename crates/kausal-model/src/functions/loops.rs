//! Loop variables of functions and algorithms, and reductions (specification sections 10.4.1, 11.2.2 and 11.2.2.1): ranges
//! written down or told by subscripts, vectors of records.

use kausal_symbolic::function::{ArrayFn, LocalId, Reduction, Subscript, Term, TermId};
use kausal_syntax::ast;
use kausal_syntax::{Ast, Symbol};

use super::lower::Lower;
use super::term::TVal;
use crate::class::{KlassId, Reported, Res};
use crate::expr::operator::{IteratorBody, LoopValues};
use crate::flattener::{Flattener, Scope};
use crate::lookup::Found;
use crate::prelude::Builtin;
use crate::value::Ty;

impl Flattener<'_> {
    /// A loop variable: the local that runs, over what, and what it is worth.
    pub(super) fn lower_iterator(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        iterator: &ast::Iterator,
        body: IteratorBody<'_>,
    ) -> Res<LoopVariable> {
        let name = iterator.name.symbol.as_str().to_owned();
        if let Some(range) = iterator.range
            && !self.is_type(lo, range)
            && let value @ TVal::Record { rank: 1, .. } = self.lower_expr(lo, range)?
            && let Some(any) = value.any_term()
        {
            // A number runs, and the loop variable is the record of that number.
            let one = lo.term(Term::Const(1.0));
            let size = lo.term(Term::Array(ArrayFn::SizeOf, vec![any, one]));
            let range = lo.term(Term::Array(ArrayFn::Range, vec![one, size]));
            let local = lo.local(name, Ty::Integer, Vec::new());
            let index = lo.term(Term::Local(local));
            let value = value.map(-1, &mut |term, rank| {
                let mut subs = vec![Subscript::Index(index)];
                subs.resize(rank, Subscript::All);
                lo.term(Term::Index(term, subs))
            });
            return Ok(LoopVariable { local, range, value });
        }
        let (ty, range) = self.lower_loop_range(lo, ast, iterator, body)?;
        let local = lo.local(name, ty, Vec::new());
        let term = lo.term(Term::Local(local));
        Ok(LoopVariable { local, range, value: TVal::Plain { ty, rank: 0, term } })
    }

    /// Does an expression name an enumeration or Boolean?
    fn is_type(&mut self, lo: &Lower, expr: ast::ExprId) -> bool {
        let scope = self.constant_scope(lo);
        self.type_named(scope, expr).is_some()
    }

    /// The type and range of a loop variable.
    fn lower_loop_range(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        iterator: &ast::Iterator,
        body: IteratorBody<'_>,
    ) -> Res<(Ty, TermId)> {
        let Some(range) = iterator.range else {
            return self.lower_implicit_range(lo, ast, iterator, body);
        };
        let scope = self.constant_scope(lo);
        if let Some(builtin) = self.type_named(scope, range)
            && let Some(n) = self.enumeration_size(builtin)
        {
            let ty = Ty::of(builtin);
            return Ok((ty, values_of(lo, ty, n)));
        }
        match self.lower_expr(lo, range)? {
            TVal::Plain { ty, rank: 1, term } => Ok((ty, term)),
            other => {
                let message = format!("a loop needs a vector to run over, not {}", other.describe());
                Err(self.at_term(lo, range, "K0346", message))
            }
        }
    }

    /// The range that the subscripts a loop variable is used as tell (specification section 11.2.2.1).
    fn lower_implicit_range(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        iterator: &ast::Iterator,
        body: IteratorBody<'_>,
    ) -> Res<(Ty, TermId)> {
        let name = iterator.name.symbol;
        for (reference, i, d) in crate::expr::iteration::subscripted_by(ast, name, body) {
            let mut parts = ast.lists.parts.get(reference.parts)[..=i].to_vec();
            let first = parts[0].name.symbol;
            let Some(value) = lo.env.get(&first).cloned() else { continue };
            let front = if i > 0 { value.rank() } else { 0 };
            parts.iter_mut().for_each(|p| p.subscripts = kausal_syntax::arena::List::EMPTY);
            let value = self.lower_parts(lo, ast, value, &parts, 0)?;
            let Some(term) = value.any_term().filter(|_| front + d < value.rank()) else { continue };
            let ty = if i == 0 { self.indexed_by(lo.klass, first, d) } else { Ty::Integer };
            if let Ty::Enumeration(_) | Ty::Boolean = ty {
                let builtin = match ty {
                    Ty::Enumeration(def) => Builtin::Enumeration(def),
                    _ => Builtin::Boolean,
                };
                let count = self.enumeration_size(builtin).unwrap_or(0);
                return Ok((ty, values_of(lo, ty, count)));
            }
            let d = lo.term(Term::Const((front + d + 1) as f64));
            let one = lo.term(Term::Const(1.0));
            let size = lo.term(Term::Array(ArrayFn::SizeOf, vec![term, d]));
            return Ok((Ty::Integer, lo.term(Term::Array(ArrayFn::Range, vec![one, size]))));
        }
        // Variables of the model, and constants.
        let scope = match &lo.outer {
            Some(outer) => Scope { klass: lo.klass, file: lo.file, ..outer.scope },
            None => self.constant_scope(lo),
        };
        let values = self.implicit_range(scope, iterator, body)?;
        let LoopValues::Scalars(ty, list) = &values else { return Err(Reported) };
        if *ty == Ty::Integer {
            let one = lo.term(Term::Const(1.0));
            let size = lo.term(Term::Const(list.len() as f64));
            return Ok((Ty::Integer, lo.term(Term::Array(ArrayFn::Range, vec![one, size]))));
        }
        Ok((*ty, values_of(lo, *ty, list.len())))
    }

    /// What a dimension of a variable of a function is indexed by.
    fn indexed_by(&mut self, klass: KlassId, name: Symbol, d: usize) -> Ty {
        let Some(Found::Component { member, .. }) = self.cx.find(klass, name) else { return Ty::Integer };
        let Ok(info) = self.cx.component(&member) else { return Ty::Integer };
        let Some(place) = info.dims.get(d) else { return Ty::Integer };
        let at = self.static_inst(place.scope);
        let scope =
            Scope { klass: place.scope, inst: at, file: place.file, locals: self.locals.len() as u32 };
        let named = self.type_named(scope, place.expr).filter(|&b| self.enumeration_size(b).is_some());
        named.map_or(Ty::Integer, Ty::of)
    }

    pub(super) fn lower_reduction(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        reduction: Reduction,
        body: ast::ExprId,
        iterators: &[ast::Iterator],
    ) -> Res<TVal> {
        let mut list: Vec<(LocalId, TermId)> = Vec::with_capacity(iterators.len());
        let mut hidden = Vec::with_capacity(iterators.len());
        for iterator in iterators {
            let LoopVariable { local, range, value } =
                self.lower_iterator(lo, ast, iterator, IteratorBody::Expr(body))?;
            hidden.push((iterator.name.symbol, lo.env.insert(iterator.name.symbol, value)));
            list.push((local, range));
        }
        let value = self.lower_expr(lo, body);
        for (name, old) in hidden.into_iter().rev() {
            match old {
                Some(old) => lo.env.insert(name, old),
                None => lo.env.remove(&name),
            };
        }
        let value = value?;
        if reduction != Reduction::Array && !matches!(value, TVal::Plain { .. }) {
            return Err(self.at_term(lo, body, "K0340", "a reduction needs numbers"));
        }
        let grow = if reduction == Reduction::Array { iterators.len() as isize } else { 0 };
        Ok(value.map(grow, &mut |term, _| lo.term(Term::For(reduction, term, list.clone()))))
    }
}

/// A loop variable of a function.
pub(super) struct LoopVariable {
    /// What runs.
    pub local: LocalId,
    /// Over what.
    pub range: TermId,
    /// What the name stands for.
    pub value: TVal,
}

/// All values of an enumeration or of Boolean, of which there are so many.
fn values_of(lo: &mut Lower, ty: Ty, count: usize) -> TermId {
    let first = if ty == Ty::Boolean { 0 } else { 1 };
    let terms = (0..count).map(|i| lo.term(Term::Const((first + i) as f64))).collect();
    lo.term(Term::Array(ArrayFn::Construct, terms))
}
