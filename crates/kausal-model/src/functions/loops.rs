//! Loop variables of functions and algorithms, and reductions (specification sections 10.4.1, 11.2.2 and 11.2.2.1): ranges
//! written down or told by subscripts, vectors of records.

use kausal_symbolic::function::{ArrayFn, LocalId, Reduction, Subscript, Term, TermId};
use kausal_syntax::{Ast, Symbol, ast};

use crate::class::{Reported, Res};
use crate::expr::place::IteratorBody;
use crate::expr::{iteration, place};
use crate::flattener::Flattener;
use crate::functions::context::Lower;
use crate::functions::table::TVal;
use crate::functions::{table, term};
use crate::ids::KlassId;
use crate::prelude::Builtin;
use crate::tree::Scope;
use crate::value::Ty;
use crate::{class, instance};

impl Flattener<'_> {
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
                lower_iterator(self, lo, ast, iterator, place::IteratorBody::Expr(body))?;
            hidden.push((iterator.name.symbol, lo.env.insert(iterator.name.symbol, value)));
            list.push((local, range));
        }
        let value = term::lower_expr(self, lo, body);
        for (name, old) in hidden.into_iter().rev() {
            match old {
                Some(old) => lo.env.insert(name, old),
                None => lo.env.remove(&name),
            };
        }
        let value = value?;
        if reduction != Reduction::Array && !matches!(value, table::TVal::Plain { .. }) {
            return Err(term::at_term(self, lo, body, "K0340", "a reduction needs numbers"));
        }
        let grow = if reduction == Reduction::Array { iterators.len() as isize } else { 0 };
        Ok(value.map(grow, &mut |term, _| lo.term(Term::For(reduction, term, list.clone()))))
    }
}

/// A loop variable: the local that runs, over what, and what it is worth.
pub(super) fn lower_iterator(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    iterator: &ast::Iterator,
    body: IteratorBody<'_>,
) -> Res<LoopVariable> {
    let name = iterator.name.symbol.as_str().to_owned();
    if let Some(range) = iterator.range
        && !is_type(fl, lo, range)
        && let value @ table::TVal::Record { rank: 1, .. } = term::lower_expr(fl, lo, range)?
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
    let (ty, range) = lower_loop_range(fl, lo, ast, iterator, body)?;
    let local = lo.local(name, ty, Vec::new());
    let term = lo.term(Term::Local(local));
    Ok(LoopVariable { local, range, value: table::TVal::Plain { ty, rank: 0, term } })
}

/// Does an expression name an enumeration or Boolean?
fn is_type(fl: &mut Flattener<'_>, lo: &Lower, expr: ast::ExprId) -> bool {
    let scope = term::constant_scope(fl, lo);
    instance::type_named(fl, scope, expr).is_some()
}

/// The type and range of a loop variable.
fn lower_loop_range(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    iterator: &ast::Iterator,
    body: IteratorBody<'_>,
) -> Res<(Ty, TermId)> {
    let Some(range) = iterator.range else {
        return lower_implicit_range(fl, lo, ast, iterator, body);
    };
    let scope = term::constant_scope(fl, lo);
    if let Some(builtin) = instance::type_named(fl, scope, range)
        && let Some(n) = instance::enumeration_size(fl.cx, builtin)
    {
        let ty = Ty::of(builtin);
        return Ok((ty, values_of(lo, ty, n)));
    }
    match term::lower_expr(fl, lo, range)? {
        table::TVal::Plain { ty, rank: 1, term } => Ok((ty, term)),
        other => {
            let message = format!("a loop needs a vector to run over, not {}", other.describe());
            Err(term::at_term(fl, lo, range, "K0346", message))
        }
    }
}

/// The range that the subscripts a loop variable is used as tell (specification section 11.2.2.1).
fn lower_implicit_range(
    fl: &mut Flattener<'_>,
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
        let value = term::lower_parts(fl, lo, ast, value, &parts, 0)?;
        let Some(term) = value.any_term().filter(|_| front + d < value.rank()) else { continue };
        let ty = if i == 0 { indexed_by(fl, lo.klass, first, d) } else { Ty::Integer };
        if let Ty::Enumeration(_) | Ty::Boolean = ty {
            let builtin = match ty {
                Ty::Enumeration(def) => Builtin::Enumeration(def),
                _ => Builtin::Boolean,
            };
            let count = instance::enumeration_size(fl.cx, builtin).unwrap_or(0);
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
        None => term::constant_scope(fl, lo),
    };
    let values = iteration::implicit_range(fl, scope, iterator, body)?;
    let place::LoopValues::Scalars(ty, list) = &values else { return Err(Reported) };
    if *ty == Ty::Integer {
        let one = lo.term(Term::Const(1.0));
        let size = lo.term(Term::Const(list.len() as f64));
        return Ok((Ty::Integer, lo.term(Term::Array(ArrayFn::Range, vec![one, size]))));
    }
    Ok((*ty, values_of(lo, *ty, list.len())))
}

/// What a dimension of a variable of a function is indexed by.
fn indexed_by(fl: &mut Flattener<'_>, klass: KlassId, name: Symbol, d: usize) -> Ty {
    let Some(class::Found::Component { member, .. }) = fl.cx.find(klass, name) else { return Ty::Integer };
    let Ok(info) = fl.cx.component(&member) else { return Ty::Integer };
    let Some(place) = info.dims.get(d) else { return Ty::Integer };
    let at = instance::static_inst(fl, place.scope);
    let scope = Scope { klass: place.scope, inst: at, file: place.file, locals: fl.locals.len() as u32 };
    let named = instance::type_named(fl, scope, place.expr)
        .filter(|&b| instance::enumeration_size(fl.cx, b).is_some());
    named.map_or(Ty::Integer, Ty::of)
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
