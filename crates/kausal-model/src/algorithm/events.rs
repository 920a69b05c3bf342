//! What happens at events in algorithm sections: operators evaluated outside the function, relations, `when`, `reinit`
//! and `terminate` (specification sections 3.7.5, 8.5 and 11.2.7).

use kausal_symbolic::function::{Dim, LocalId, Stmt, Subscript, Target, Term, TermId};
use kausal_symbolic::{ExprId, Op, Pool};
use kausal_syntax::ast::{Arg, Expr, Statement, StatementKind};
use kausal_syntax::{Ast, ast};

use crate::builtins::is_clocked;
use crate::class::{Reported, Res};
use crate::expr::arguments::Call;
use crate::expr::{arguments, builtin, place};
use crate::flat::{ActionKind, Origin, OriginKind};
use crate::flattener::Flattener;
use crate::functions::context::{Effect, Lower};
use crate::functions::table::TVal;
use crate::functions::{table, term};
use crate::ids::InstId;
use crate::tree::Scope;
use crate::value::{Ty, Value};
use crate::{algorithm, bindings, instance, sink, spending};

impl Flattener<'_> {
    /// Operators that depend on more than values: evaluated outside.
    pub(crate) fn lower_event(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        expr: ast::ExprId,
        name: &str,
        args: &[Arg],
    ) -> Res<TVal> {
        let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else {
            let message = format!("{name} cannot be used in a function");
            return Err(self.error_at("K0382", message, lo.file, ast.span(expr)));
        };
        let scope = Scope { klass: lo.klass, file: lo.file, ..scope };
        let in_when = lo.outer.as_ref().is_some_and(|o| o.whens > 0);
        if matches!(name, "edge" | "change")
            && let [arg] = args
        {
            let now = term::lower_expr(self, lo, arg.value)?;
            let value = self.eval(scope, arg.value)?;
            if !in_when {
                let call = Call { scope, ast, expr, name, args };
                builtin::note_pre(self, call, &value);
            }
            let before = value.map(&mut |e| builtin::pre(self, e));
            let before = algorithm::pass(self, lo, &before)?;
            let (table::TVal::Plain { ty, rank, term: x }, table::TVal::Plain { term: y, .. }) =
                (&now, &before)
            else {
                return Err(Reported);
            };
            let term = if name == "edge" {
                let not = lo.term(Term::Op(Op::Not, vec![*y]));
                lo.term(Term::Op(Op::And, vec![*x, not]))
            } else {
                lo.term(Term::Op(Op::NotEqual, vec![*x, *y]))
            };
            let _ = ty;
            return Ok(table::TVal::Plain { ty: Ty::Boolean, rank: *rank, term });
        }
        let outside = std::mem::replace(&mut self.in_when, in_when);
        let value = self.eval(scope, expr);
        self.in_when = outside;
        algorithm::pass(self, lo, &value?)
    }

    /// A relation that causes events: where all in it comes from outside it is evaluated there, for events are seen only
    /// there.
    pub(crate) fn lower_relation(&mut self, lo: &mut Lower, op: Op, sides: &[TermId]) -> Res<Option<TVal>> {
        if lo.outer.as_ref().is_none_or(|o| o.initial || o.whens > 0 || o.silent > 0) {
            return Ok(None);
        }
        let outside: Option<Vec<ExprId>> =
            sides.iter().map(|&side| self::outside(&mut self.pool, lo, side, 0)).collect();
        let Some(sides) = outside else { return Ok(None) };
        let relation = self.pool.op(op, &sides);
        algorithm::pass(self, lo, &Value::scalar(Ty::Boolean, relation)).map(Some)
    }

    /// `time`
    pub(crate) fn lower_time(&mut self, lo: &mut Lower) -> Res<TVal> {
        let time = self.pool.op(Op::Time, &[]);
        algorithm::pass(self, lo, &Value::scalar(Ty::Real, time))
    }

    /// `terminate` and `reinit` in an algorithm section: a flag tells that the statement was reached, and a `when`
    /// clause outside does it.
    pub(crate) fn lower_effect(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        call: ast::ExprId,
        name: &str,
        args: &[Arg],
        out: &mut Vec<Stmt>,
    ) -> Res<()> {
        let Some(outer) = &lo.outer else { return Err(Reported) };
        let (scope, in_when) = (outer.scope, outer.whens > 0);
        let scope = Scope { klass: lo.klass, file: lo.file, ..scope };
        let c = Call { scope, ast, expr: call, name, args };
        if name == "terminate" {
            let [message] = arguments::named_args(self, c, ["message"])?;
            let message = self.eval(scope, message)?;
            let (Some(Ty::String), Some(message)) = (message.ty(), message.as_scalar()) else {
                return Err(arguments::wrong_args(self, c));
            };
            return effect(self, lo, ast, call, ActionKind::Terminate(message), out);
        }
        if !in_when {
            return Err(place::at_expr(
                self,
                scope,
                call,
                "K0368",
                "reinit can only stand in a `when` clause",
            ));
        }
        let [x, e] = arguments::named_args(self, c, ["x", "expr"])?;
        let x = self.eval(scope, x)?;
        let value = term::lower_expr(self, lo, e)?;
        let (Value::Plain(Ty::Real, states), table::TVal::Plain { ty: Ty::Real | Ty::Integer, rank, term }) =
            (&x, &value)
        else {
            let (x, e) = (x.describe(), value.describe());
            let message = format!("reinit needs a Real variable and a number, not {x} and {e}");
            return Err(place::at_expr(self, scope, call, "K0351", message));
        };
        if states.rank() != *rank || *rank > 1 {
            return Err(arguments::wrong_args(self, c));
        }
        let mut term = *term;
        if *rank == 1 {
            // Elements are taken of a variable, not of a formula.
            let name = format!("$reinit{}", lo.function.locals.len());
            let all = lo.local(name, Ty::Real, vec![Dim::Known(states.len())]);
            out.push(Stmt::Assign(Target { local: all, subscripts: Vec::new() }, term));
            term = lo.term(Term::Local(all));
        }
        for (i, &state) in states.data().iter().enumerate() {
            let Some(var) = sink::as_variable(&self.pool, state) else {
                return Err(arguments::wrong_args(self, c));
            };
            let element = match rank {
                0 => term,
                _ => {
                    let index = lo.term(Term::Const((i + 1) as f64));
                    lo.term(Term::Index(term, vec![Subscript::Index(index)]))
                }
            };
            let (id, local) = auxiliary_output(self, lo, scope, Ty::Real)?;
            out.push(Stmt::Assign(Target { local, subscripts: Vec::new() }, element));
            let Some((new, _)) = instance::variables(self, id) else { return Err(Reported) };
            let new = self.pool.var(new);
            effect(self, lo, ast, call, ActionKind::Reinit(var, new), out)?;
        }
        Ok(())
    }

    /// A loop whose passes differ by more than numbers, one behind the other: a `when` statement in it remembers for
    /// each pass whether its condition held, and `pre(x[i])` is another variable each time.
    pub(crate) fn unroll_for(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        statement: &Statement,
        iterators: &[ast::Iterator],
        body: &[Statement],
        out: &mut Vec<Stmt>,
    ) -> Res<()> {
        let Some((first, rest)) = iterators.split_first() else {
            out.extend(self.lower_statements(lo, ast, body)?);
            return Ok(());
        };
        if breaks(body) {
            let message =
                "a loop with `when`, `pre` or the like in it cannot be left with `break` or `return`";
            return Err(self.error_at("K0391", message, lo.file, statement.span));
        }
        let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Err(Reported) };
        let scope = Scope { klass: lo.klass, file: lo.file, ..scope };
        let name = first.name.symbol;
        self.each_pass(scope, first, place::IteratorBody::Statements(body), &mut |this, value| {
            // A record is passed in where it has variables.
            let term = algorithm::pass(this, lo, value)?;
            let hidden = lo.env.insert(name, term);
            let result = this.unroll_for(lo, ast, statement, rest, body, out);
            match hidden {
                Some(value) => lo.env.insert(name, value),
                None => lo.env.remove(&name),
            };
            result
        })
    }

    /// A `when` statement: an `if` on rising conditions.
    pub(crate) fn lower_when(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        statement: &Statement,
        branches: &[(ast::ExprId, Vec<Statement>)],
        out: &mut Vec<Stmt>,
    ) -> Res<()> {
        if lo.outer.is_none() {
            return Err(self.error_at(
                "K0382",
                "`when` cannot be used in a function",
                lo.file,
                statement.span,
            ));
        }
        let mut list = Vec::with_capacity(branches.len());
        for (condition, body) in branches {
            let conditions = match ast.exprs[*condition] {
                Expr::Array(items) => ast.lists.exprs.get(items).to_vec(),
                _ => vec![*condition],
            };
            let mut rising = Vec::with_capacity(conditions.len());
            for &condition in &conditions {
                rising.extend(self::rising(self, lo, ast, condition, out)?);
            }
            let fires = match rising[..] {
                [one] => one,
                _ => lo.term(Term::Op(Op::Or, rising)),
            };
            let at_start = conditions.iter().any(|c| is_initial(ast, *c));
            list.push((fires, body, at_start));
        }
        let mut lowered = Vec::with_capacity(list.len());
        if let Some(outer) = &mut lo.outer {
            outer.whens += 1;
        }
        for (fires, body, at_start) in list {
            let before = lo.outer.as_mut().map(|o| std::mem::replace(&mut o.at_start, at_start));
            lowered.push((fires, self.lower_statements(lo, ast, body)?));
            if let (Some(outer), Some(before)) = (&mut lo.outer, before) {
                outer.at_start = before;
            }
        }
        if let Some(outer) = &mut lo.outer {
            outer.whens -= 1;
        }
        out.push(Stmt::If(lowered, Vec::new()));
        Ok(())
    }
}

/// What a scalar term is outside the function, if it depends on nothing that the function computes.
fn outside(pool: &mut Pool, lo: &Lower, term: TermId, depth: usize) -> Option<ExprId> {
    const DEEPEST: usize = 100;
    if depth > DEEPEST {
        return None;
    }
    match &lo.function.terms[term.0 as usize] {
        Term::Const(value) => Some(pool.constant(*value)),
        Term::Local(local) => match lo.outer.as_ref()?.values.get(local)? {
            (shape, values) if shape.is_empty() => values.first().copied(),
            _ => None,
        },
        Term::Index(array, subscripts) => {
            let Term::Local(local) = lo.function.terms[array.0 as usize] else { return None };
            let (shape, values) = lo.outer.as_ref()?.values.get(&local)?;
            if shape.len() != subscripts.len() {
                return None;
            }
            let mut at = 0;
            for (subscript, &size) in subscripts.iter().zip(shape) {
                let Subscript::Index(index) = subscript else { return None };
                let Term::Const(index) = lo.function.terms[index.0 as usize] else { return None };
                if !(index >= 1.0 && index <= size as f64 && index.fract() == 0.0) {
                    return None;
                }
                at = at * size + index as usize - 1;
            }
            values.get(at).copied()
        }
        Term::Op(op, args) => {
            let args: Option<Vec<ExprId>> =
                args.iter().map(|&arg| outside(pool, lo, arg, depth + 1)).collect();
            Some(pool.op(*op, &args?))
        }
        _ => None,
    }
}

fn effect(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    call: ast::ExprId,
    kind: ActionKind,
    out: &mut Vec<Stmt>,
) -> Res<()> {
    let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Err(Reported) };
    let (flag, local) = auxiliary_output(fl, lo, scope, Ty::Boolean)?;
    let yes = lo.term(Term::Const(1.0));
    out.push(Stmt::Assign(Target { local, subscripts: Vec::new() }, yes));
    let location = Some(fl.cx.lib.location(lo.file, ast.span(call)));
    let origin = Origin { component: fl.path(scope.inst), location, kind: OriginKind::Algorithm };
    if let Some(outer) = &mut lo.outer {
        // `reinit` has no effect on what is not there yet.
        let at_start = outer.at_start && matches!(kind, ActionKind::Terminate(_));
        outer.effects.push(Effect { flag, at_start, kind, origin });
    }
    Ok(())
}

/// A new variable of the component that the function gives back; 0 or false where it is not assigned.
fn auxiliary_output(fl: &mut Flattener<'_>, lo: &mut Lower, scope: Scope, ty: Ty) -> Res<(InstId, LocalId)> {
    spending::spend_here(fl, crate::budget::AUXILIARY)?;
    let id = bindings::auxiliary(fl, scope.inst, ty)?;
    let local = lo.local(fl.path(id), ty, Vec::new());
    lo.function.outputs.push(local);
    let nothing = lo.term(Term::Const(0.0));
    lo.function.locals[local.0 as usize].initial = Some(nothing);
    let variables = algorithm::all_variables(fl, id)?;
    if let Some(outer) = &mut lo.outer {
        outer.outputs.push(variables);
    }
    Ok((id, local))
}

/// A condition that was false before and is true now.
fn rising(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    condition: ast::ExprId,
    out: &mut Vec<Stmt>,
) -> Res<Vec<TermId>> {
    let is_initial = is_initial(ast, condition);
    let value = term::lower_expr(fl, lo, condition)?;
    let table::TVal::Plain { ty: Ty::Boolean, rank, term } = value else {
        let message = format!("the condition of `when` must be Boolean, not {}", value.describe());
        return Err(fl.error_at("K0342", message, lo.file, ast.span(condition)));
    };
    if is_initial {
        return Ok(vec![term]);
    }
    let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Err(Reported) };
    if rank == 1 {
        let scope = Scope { klass: lo.klass, file: lo.file, ..scope };
        let count = fl.eval(scope, condition)?.shape().first().copied().unwrap_or(0);
        let mut all = Vec::with_capacity(count);
        for i in 1..=count {
            let index = lo.term(Term::Const(i as f64));
            let element = lo.term(Term::Index(term, vec![Subscript::Index(index)]));
            all.push(rising_scalar(fl, lo, scope, element, out)?);
        }
        return Ok(all);
    }
    rising_scalar(fl, lo, scope, term, out).map(|t| vec![t])
}

fn rising_scalar(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    scope: Scope,
    term: TermId,
    out: &mut Vec<Stmt>,
) -> Res<TermId> {
    let (id, local) = auxiliary_output(fl, lo, scope, Ty::Boolean)?;
    out.push(Stmt::Assign(Target { local, subscripts: Vec::new() }, term));
    let Some((var, _)) = instance::variables(fl, id) else { return Err(Reported) };
    let now = fl.pool.var(var);
    let before = fl.pool.op(Op::Pre, &[now]);
    let initial = fl.pool.op(Op::Initial, &[]);
    let blocked = fl.pool.op(Op::Or, &[before, initial]);
    let table::TVal::Plain { term: blocked, .. } =
        algorithm::pass(fl, lo, &Value::scalar(Ty::Boolean, blocked))?
    else {
        return Err(Reported);
    };
    let now: LocalId = local;
    let now = lo.term(Term::Local(now));
    let free = lo.term(Term::Op(Op::Not, vec![blocked]));
    Ok(lo.term(Term::Op(Op::And, vec![now, free])))
}

/// Is it the condition `initial()`?
fn is_initial(ast: &Ast, condition: ast::ExprId) -> bool {
    match ast.exprs[condition] {
        Expr::Call { function, .. } => place::ref_text(ast, &function) == "initial",
        _ => false,
    }
}

/// Must the passes of a loop with this body be told apart while flattening?
pub(crate) fn needs_unrolling(ast: &Ast, body: &[Statement]) -> bool {
    let mut found = false;
    crate::walk::statements(body, &mut |s| {
        found |= matches!(s.kind, StatementKind::When { .. });
        crate::walk::statement_exprs(ast, s, &mut |e| {
            crate::walk::expressions(ast, e, &mut |part| found |= is_event_call(ast, part));
        });
    });
    found
}

/// Is it a call of an operator that is evaluated outside the function?
fn is_event_call(ast: &Ast, expr: ast::ExprId) -> bool {
    let Expr::Call { function, .. } = ast.exprs[expr] else { return false };
    let [only] = ast.lists.parts.get(function.parts) else { return false };
    let name = only.name.symbol.as_str();
    is_clocked(name)
        || matches!(name, "pre" | "edge" | "change" | "der" | "sample" | "delay" | "terminate" | "reinit")
}

/// Does a list of statements leave the loop it is the body of?
fn breaks(body: &[Statement]) -> bool {
    body.iter().any(|s| match &s.kind {
        StatementKind::Break | StatementKind::Return => true,
        StatementKind::If { branches, otherwise } => {
            branches.iter().any(|(_, b)| breaks(b)) || breaks(otherwise)
        }
        StatementKind::When { branches } => branches.iter().any(|(_, b)| breaks(b)),
        _ => false,
    })
}
