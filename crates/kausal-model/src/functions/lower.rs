//! Lowering a function class: its variables, statements, external declaration and annotations.

use std::sync::Arc;

use kausal_symbolic::FunctionId;
use kausal_symbolic::function::{Body, Dim, Function, LocalId, Stmt, Subscript, Target, Term, TermId};
use kausal_syntax::ast::{ClassBody, Expr, Purity, RefPart, Statement, StatementKind, Variability};
use kausal_syntax::{Ast, Diagnostic, Span, Symbol, ast};

use crate::class::{Classes, ComponentInfo, Place, Reported, Res};
use crate::expr::place;
use crate::flattener::Flattener;
use crate::functions::context::{Lower, function_chain, has_base};
use crate::functions::loops::LoopVariable;
use crate::functions::table::{BoundType, FunctionArgument, FunctionKey, TVal};
use crate::functions::{foreign, loops, notes, table, term, term_call};
use crate::ids::KlassId;
use crate::rules::{kinds, statements};
use crate::value::{Ty, assignable};
use crate::{functions, instance, interface, tree};

/// More local variables than this can only be a mistake.
const MAX_LOCALS: usize = 20_000;

/// A declared component whose sizes and values are still to come.
struct Declared {
    info: Arc<ComponentInfo>,
    dims: Vec<Place>,
    nested: bool,
    role: Role,
    value: TVal,
}

/// What a variable is to a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Input,
    Output,
    Protected,
}

impl Flattener<'_> {
    /// The function of a class; lowered when first asked for.
    pub fn lower_function(&mut self, key: &FunctionKey) -> Res<FunctionId> {
        if let Some(id) = self.functions.lowered.get(key) {
            return *id;
        }
        if let Some(base) = self.cx.differentiated(key.klass) {
            let id = lower_derivative(self, key.klass, base);
            self.functions.lowered.insert(key.clone(), id);
            return id;
        }
        // Entered before its body is lowered, so that it can call itself.
        let name = self.cx.name(key.klass);
        let id = self.pool.add_function(Function::named(&name));
        self.functions.lowered.insert(key.clone(), Ok(id));
        let locals = std::mem::take(&mut self.locals);
        let result = lower_new(self, key, id, name);
        self.locals = locals;
        match result {
            Ok(function) => {
                self.pool.set_function(id, function);
                Ok(id)
            }
            Err(Reported) => {
                self.functions.lowered.insert(key.clone(), Err(Reported));
                Err(Reported)
            }
        }
    }

    /// What is assigned to: variable, subscripts.
    pub fn lower_target(&mut self, lo: &mut Lower, ast: &Ast, reference: &ast::ComponentRef) -> Res<LTarget> {
        let parts = ast.lists.parts.get(reference.parts);
        let Some(first) = parts.first() else { return Err(Reported) };
        let Some(mut value) = lower_target_base(self, lo, first)? else {
            return Err(self.cx.not_found(Some(lo.klass), lo.file, &first.name, None));
        };
        let mut subs = Vec::new();
        let mut scalar_subs = 0;
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                value = match value.field(part.name.symbol) {
                    Some(field) => field.clone(),
                    None => {
                        let message = format!("there is no field {}", part.name.symbol);
                        return Err(self.error_at("K0205", message, lo.file, part.name.span));
                    }
                };
            }
            if !part.subscripts.is_empty() {
                let (list, scalars) = term::lower_subscripts(self, lo, ast, part, &value, subs.len())?;
                subs.extend(list);
                scalar_subs += scalars;
            } else if i + 1 < parts.len() {
                subs.extend(std::iter::repeat_n(Subscript::All, value.rank().saturating_sub(subs.len())));
            }
        }
        if subs.iter().all(|s| *s == Subscript::All) {
            subs.clear();
        }
        Ok(LTarget { value, subs, scalar_subs })
    }

    /// Statements.
    pub fn lower_statements(&mut self, lo: &mut Lower, ast: &Ast, list: &[Statement]) -> Res<Vec<Stmt>> {
        let mut out = Vec::with_capacity(list.len());
        let mut failed = false;
        for statement in list {
            failed |= lower_statement(self, lo, ast, statement, &mut out).is_err();
        }
        if failed { Err(Reported) } else { Ok(out) }
    }
}

/// `der(f, x, y)`: a function of the same inputs (specification section 12.7.2).
fn lower_derivative(fl: &mut Flattener<'_>, k: KlassId, base: KlassId) -> Res<FunctionId> {
    let function = fl.lower_function(&FunctionKey { klass: base, functions: Vec::new() })?;
    let file = fl.cx.file(k);
    let ast = fl.cx.lib.ast(file);
    let class = &ast.classes[fl.cx.lib.def(fl.cx.key(k).def).class];
    let ClassBody::Der { variables, .. } = &class.body else { return Err(Reported) };
    let mut inputs = Vec::with_capacity(variables.len());
    for variable in variables {
        let called = fl.pool.function(function);
        let name = variable.symbol.as_str();
        let input = called.inputs.iter().copied().find(|&i| called.local(i).name == name);
        let real = |i: &LocalId| called.local(*i).scalar == kausal_symbolic::function::Scalar::Real;
        match input.filter(real) {
            Some(input) => inputs.push(input),
            None => {
                let message = format!("{} has no Real input {name}", fl.cx.name(base));
                return Err(fl.error_at("K0384", message, file, variable.span));
            }
        }
    }
    let derivative = fl.functions.calls.partial_derivative_function(&mut fl.pool, function, &inputs);
    derivative.map_err(|e| {
        let message = format!("{} cannot be differentiated: {e}", fl.cx.name(base));
        fl.error_at("K0384", message, file, class.span)
    })
}

fn lower_new(fl: &mut Flattener<'_>, key: &FunctionKey, id: FunctionId, name: String) -> Res<Function> {
    let k = key.klass;
    let signature = interface::signature(fl, k)?;
    kinds::check_function_interface(fl.cx, k, &signature);
    let mut lo = Lower::new(name, k, fl.cx.file(k));
    // All variables are known before any of their sizes or values is looked at.
    let mut pending = Vec::new();
    for (list, role) in [
        (&signature.inputs, Role::Input),
        (&signature.outputs, Role::Output),
        (&signature.locals, Role::Protected),
    ] {
        for info in list {
            if info.is_function() {
                continue;
            }
            let path = info.name.as_str().to_owned();
            let value = declare(fl.cx, &mut lo, info, path, role, None, &mut pending)?;
            lo.env.insert(info.name, value);
        }
    }
    for argument in &key.functions {
        declare_function(&mut lo, argument);
    }
    for (i, item) in pending.iter().enumerate() {
        let around = records_around(&pending, i);
        complete(fl, &mut lo, k, item, &around)?;
    }
    lower_body(fl, &mut lo, k)?;
    notes::lower_notes(fl, &mut lo, k, id);
    Ok(lo.function)
}

/// A function argument: what is bound to it becomes further inputs.
fn declare_function(lo: &mut Lower, argument: &FunctionArgument) {
    let mut bound = Vec::new();
    for (name, ty) in &argument.bound {
        bound.push((*name, bound_input(lo, format!("{}.{name}", argument.input), ty)));
    }
    lo.env.insert(argument.input, table::TVal::Function { klass: argument.klass, bound });
}

/// Makes the local variables of a component; sizes and values come later.
fn declare(
    cx: &mut Classes,
    lo: &mut Lower,
    info: &Arc<ComponentInfo>,
    path: String,
    role: Role,
    outer: Option<&[Place]>,
    pending: &mut Vec<Declared>,
) -> Res<TVal> {
    let mut dims = outer.unwrap_or_default().to_vec();
    dims.extend_from_slice(&info.dims);
    let rank = dims.len();
    let value = match info.leaf {
        Some(leaf) => {
            let ty = Ty::of(leaf.builtin);
            let local = lo.local(path, ty, vec![Dim::Unknown; rank]);
            if ty == Ty::External {
                let class = functions::external_class(cx, info.klass);
                lo.function.notes.external_classes.push((local, class));
            }
            match role {
                Role::Input => lo.function.inputs.push(local),
                Role::Output => lo.function.outputs.push(local),
                Role::Protected => {}
            }
            let term = lo.term(Term::Local(local));
            table::TVal::Plain { ty, rank, term }
        }
        None => {
            if info.is_function() || lo.function.locals.len() > MAX_LOCALS {
                return Err(cx.report(
                    Diagnostic::error("K0380", format!("{} cannot be a variable of a function", info.name))
                        .at(info.location, "declared here"),
                ));
            }
            let members = cx.members(info.klass)?;
            let mut fields = Vec::with_capacity(members.components.len());
            for &i in &members.components {
                let field = cx.component(&members.items[i as usize])?;
                let inner =
                    declare(cx, lo, &field, format!("{path}.{}", field.name), role, Some(&dims), pending)?;
                fields.push((field.name, inner));
            }
            table::TVal::Record { klass: info.klass, rank, fields }
        }
    };
    pending.push(Declared { info: info.clone(), dims, role, nested: outer.is_some(), value: value.clone() });
    Ok(value)
}

/// Sizes and initial values of a declared component.
fn complete(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    k: KlassId,
    item: &Declared,
    around: &[&Declared],
) -> Res<()> {
    match &item.value {
        table::TVal::Plain { term, .. } => {
            // The sizes of fields may be made of other fields: they come with their record.
            if let Term::Local(local) = lo.function.terms[term.0 as usize]
                && !item.nested
            {
                let mut dims = Vec::with_capacity(item.dims.len());
                for place in &item.dims {
                    dims.push(lower_dim(fl, lo, k, place, None)?);
                }
                lo.function.locals[local.0 as usize].dims = dims;
            }
        }
        table::TVal::Record { klass, fields, rank } => {
            // Values that the record class gives its fields; of arrays of records they would have to be spread.
            let members = fl.cx.members(*klass)?;
            for &i in &members.components {
                let field = fl.cx.component(&members.items[i as usize])?;
                complete_field(fl, lo, k, item, &field, fields)?;
                if let Some(place) = field.binding
                    && *rank == 0
                    && item.role != Role::Input
                    && let Some(to) = item.value.field(field.name)
                {
                    // A modifier of the record uses the fields of the record it is in.
                    let seen = [&item.value].into_iter().chain(around.iter().map(|a| &a.value));
                    let mut names = fields.as_slice();
                    for record in seen {
                        if let table::TVal::Record { klass, fields, .. } = record
                            && has_base(fl.cx, *klass, place.scope)
                        {
                            names = fields;
                            break;
                        }
                    }
                    let initial = lower_place(fl, lo, k, &place, Some(names))?;
                    set_initial(lo, to, &initial);
                }
            }
        }
        _ => {}
    }
    match item.info.binding {
        // Defaults of inputs are filled in where the function is called.
        Some(place) if !item.nested && item.role != Role::Input => {
            let initial = lower_place(fl, lo, k, &place, None)?;
            set_initial(lo, &item.value, &initial);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The sizes of a field: those of the array of records, then its own, which may be made of other fields.
fn complete_field(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    k: KlassId,
    item: &Declared,
    field: &ComponentInfo,
    fields: &[(Symbol, TVal)],
) -> Res<()> {
    let Some(table::TVal::Plain { term, .. }) = item.value.field(field.name) else { return Ok(()) };
    let Term::Local(local) = lo.function.terms[term.0 as usize] else { return Ok(()) };
    let mut dims = Vec::with_capacity(item.dims.len() + field.dims.len());
    for place in &item.dims {
        // The sizes of an argument are what they are.
        dims.push(match item.nested && item.role == Role::Input {
            true => Dim::Unknown,
            false => lower_dim(fl, lo, k, place, None)?,
        });
    }
    for place in &field.dims {
        dims.push(match (item.dims.is_empty(), item.role) {
            (true, _) => lower_dim(fl, lo, k, place, Some(fields))?,
            (false, Role::Input) => Dim::Unknown,
            (false, _) => lower_dim(fl, lo, k, place, None)?,
        });
    }
    lo.function.locals[local.0 as usize].dims = dims;
    Ok(())
}

fn set_initial(lo: &mut Lower, value: &TVal, initial: &TVal) {
    match (value, initial) {
        (table::TVal::Plain { term, .. }, table::TVal::Plain { term: from, .. }) => {
            if let Term::Local(local) = lo.function.terms[term.0 as usize] {
                lo.function.locals[local.0 as usize].initial = Some(*from);
            }
        }
        (table::TVal::Record { fields, .. }, table::TVal::Record { .. }) => {
            for (name, field) in fields {
                if let Some(from) = initial.field(*name) {
                    set_initial(lo, field, from);
                }
            }
        }
        _ => {}
    }
}

fn lower_dim(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    k: KlassId,
    place: &Place,
    fields: Option<&[(Symbol, TVal)]>,
) -> Res<Dim> {
    let ast = fl.cx.lib.ast(place.file);
    if matches!(ast.exprs[place.expr], Expr::Colon) {
        return Ok(Dim::Unknown);
    }
    let at = instance::static_inst(fl, place.scope);
    let scope =
        tree::Scope { klass: place.scope, inst: at, file: place.file, locals: fl.locals.len() as u32 };
    if let Some(n) = instance::type_as_dimension(fl, scope, place.expr) {
        return Ok(Dim::Known(n));
    }
    let table::TVal::Plain { term, .. } = lower_place(fl, lo, k, place, fields)? else {
        return Err(Reported);
    };
    Ok(match lo.function.terms[term.0 as usize] {
        Term::Const(n) if n >= 0.0 => Dim::Known(n as usize),
        _ => Dim::Computed(term),
    })
}

/// An expression of a declaration: in the scope it is written in. Names of the function are visible in what is
/// written in it, the fields of a record in what is written in the record class.
fn lower_place(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    k: KlassId,
    place: &Place,
    fields: Option<&[(Symbol, TVal)]>,
) -> Res<TVal> {
    let (klass, file) = (lo.klass, lo.file);
    (lo.klass, lo.file) = (place.scope, place.file);
    let value = if has_base(fl.cx, k, place.scope) {
        term::lower_expr(fl, lo, place.expr)
    } else {
        let inner = fields.map(|f| f.iter().cloned().collect()).unwrap_or_default();
        let env = std::mem::replace(&mut lo.env, inner);
        let value = term::lower_expr(fl, lo, place.expr);
        lo.env = env;
        value
    };
    (lo.klass, lo.file) = (klass, file);
    value
}

fn lower_body(fl: &mut Flattener<'_>, lo: &mut Lower, k: KlassId) -> Res<()> {
    let mut chain = Vec::new();
    function_chain(fl.cx, k, &mut chain);
    let mut statements = Vec::new();
    let mut found = false;
    for klass in chain {
        let key = fl.cx.key(klass);
        let file = fl.cx.file(klass);
        let ast = fl.cx.lib.ast(file);
        let class = &ast.classes[fl.cx.lib.def(key.def).class];
        let ClassBody::Long(body) = &class.body else {
            continue;
        };
        (lo.klass, lo.file) = (klass, file);
        if let Some(equation) = body.equations.iter().find_map(|s| s.equations.first()) {
            let message = format!("the function {} has equations", fl.cx.name(klass));
            let location = fl.cx.lib.location(file, equation.span);
            let diagnostic = Diagnostic::error("K0385", message)
                .at(location, "an equation")
                .at(fl.cx.def_location(key.def), "defined here")
                .help("a function has an algorithm: write `algorithm` and assignments with `:=`");
            return Err(fl.cx.report(diagnostic));
        }
        if let [_, second, ..] = body.algorithms.as_slice() {
            let message = "a function has one algorithm section";
            let span = Span { end: second.span.start + "algorithm".len() as u32, ..second.span };
            return Err(fl.error_at("K0382", message, file, span));
        }
        for section in &body.algorithms {
            found = true;
            statements::check_loop_variables(fl, file, &ast, &section.statements)?;
            statements.extend(fl.lower_statements(lo, &ast, &section.statements)?);
        }
        if let Some(external) = &body.external {
            lo.function.body =
                Body::External(Box::new(foreign::lower_external(fl, lo, &ast, class, external)?));
            let impure = matches!(class.purity, Purity::Impure);
            lo.function.notes.impure |= impure;
            return Ok(());
        }
    }
    (lo.klass, lo.file) = (k, fl.cx.file(k));
    if !found {
        check_has_body(fl.cx, k)?;
    } else {
        statements::check_outputs_assigned(fl, k)?;
    }
    lo.function.body = Body::Algorithm(statements);
    Ok(())
}

/// Without an algorithm every output needs a value where it is declared.
fn check_has_body(cx: &mut Classes, k: KlassId) -> Res<()> {
    let members = cx.members(k)?;
    for &i in &members.components {
        let info = cx.component(&members.items[i as usize])?;
        if info.causality == kausal_syntax::ast::Causality::Output
            && info.binding.is_none()
            && info.leaf.is_some()
        {
            let name = cx.name(k);
            let message =
                format!("the function {name} has neither an algorithm nor an external implementation");
            let defined = cx.def_location(cx.key(k).def);
            let diagnostic = Diagnostic::error("K0383", message)
                .at(defined, "this function")
                .at(info.location, "nothing assigns this output");
            return Err(cx.report(diagnostic));
        }
    }
    Ok(())
}

fn lower_statement(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    statement: &Statement,
    out: &mut Vec<Stmt>,
) -> Res<()> {
    match &statement.kind {
        StatementKind::Assign(target, value) => {
            let target = fl.lower_target(lo, ast, target)?;
            if let Expr::Call { function, args } = ast.exprs[*value]
                && matches!(target.value, table::TVal::Record { .. })
                && let Some(call) =
                    term_call::lower_user_call(fl, lo, ast, *value, &function, ast.lists.args.get(args))?
                && let [output] = &call.outputs[..1.min(call.outputs.len())]
            {
                // One call, not one per field.
                let mut targets = Vec::new();
                flat_targets(fl, lo, statement, &target, output, &mut targets)?;
                out.push(Stmt::AssignCall(targets.into_iter().map(Some).collect(), call.first_term(lo)));
                return Ok(());
            }
            let value_term = term::lower_expr(fl, lo, *value)?;
            assign(fl, lo, statement, &target, &value_term, out)
        }
        StatementKind::AssignTuple { targets, call } => {
            lower_tuple(fl, lo, ast, statement, targets, *call, out)
        }
        StatementKind::Call(call) => lower_call_statement(fl, lo, ast, *call, out),
        StatementKind::Break if lo.loops == 0 => {
            let message = "`break` can only stand in a loop";
            Err(fl.error_at("K0369", message, lo.file, statement.span))
        }
        StatementKind::Return if lo.outer.is_some() => {
            let message = "`return` can only stand in a function";
            Err(fl.error_at("K0369", message, lo.file, statement.span))
        }
        StatementKind::Break => {
            out.push(Stmt::Break);
            Ok(())
        }
        StatementKind::Return => {
            out.push(Stmt::Return);
            Ok(())
        }
        StatementKind::If { branches, otherwise } => {
            let mut list = Vec::with_capacity(branches.len());
            for (condition, body) in branches {
                let condition = term::lower_scalar(fl, lo, *condition, Some(Ty::Boolean))?;
                if let Term::Const(c) = lo.function.terms[condition.0 as usize] {
                    // Decided now: what follows can only be the rest, or nothing.
                    if c == 0.0 {
                        continue;
                    }
                    let body = fl.lower_statements(lo, ast, body)?;
                    if list.is_empty() {
                        out.extend(body);
                    } else {
                        out.push(Stmt::If(list, body));
                    }
                    return Ok(());
                }
                list.push((condition, fl.lower_statements(lo, ast, body)?));
            }
            let otherwise = fl.lower_statements(lo, ast, otherwise)?;
            if list.is_empty() {
                out.extend(otherwise);
            } else {
                out.push(Stmt::If(list, otherwise));
            }
            Ok(())
        }
        StatementKind::For { iterators, body } => {
            let iterators = ast.lists.iterators.get(*iterators);
            if lo.outer.is_some() && crate::algorithm::events::needs_unrolling(ast, body) {
                return fl.unroll_for(lo, ast, statement, iterators, body, out);
            }
            out.push(lower_for(fl, lo, ast, iterators, body)?);
            Ok(())
        }
        StatementKind::While { condition, body } => {
            let condition = term::lower_scalar(fl, lo, *condition, Some(Ty::Boolean))?;
            lo.loops += 1;
            let body = fl.lower_statements(lo, ast, body);
            lo.loops -= 1;
            out.push(Stmt::While(condition, body?));
            Ok(())
        }
        StatementKind::When { branches } => fl.lower_when(lo, ast, statement, branches, out),
    }
}

fn lower_for(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    iterators: &[ast::Iterator],
    body: &[Statement],
) -> Res<Stmt> {
    let Some((first, rest)) = iterators.split_first() else { return Err(Reported) };
    let LoopVariable { local, range, value } =
        loops::lower_iterator(fl, lo, ast, first, place::IteratorBody::Statements(body))?;
    let hidden = lo.env.insert(first.name.symbol, value);
    lo.loops += 1;
    let inner = if rest.is_empty() {
        fl.lower_statements(lo, ast, body)
    } else {
        lower_for(fl, lo, ast, rest, body).map(|s| vec![s])
    };
    lo.loops -= 1;
    match hidden {
        Some(value) => lo.env.insert(first.name.symbol, value),
        None => lo.env.remove(&first.name.symbol),
    };
    Ok(Stmt::For(local, range, inner?))
}

fn lower_tuple(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    statement: &Statement,
    targets: &[Option<ast::ComponentRef>],
    call: ast::ExprId,
    out: &mut Vec<Stmt>,
) -> Res<()> {
    let Expr::Call { function, args } = ast.exprs[call] else {
        let message = "several results can only come from a function call";
        return Err(fl.error_at("K0361", message, lo.file, statement.span));
    };
    let value = call;
    let Some(call) = term_call::lower_user_call(fl, lo, ast, call, &function, ast.lists.args.get(args))?
    else {
        // `(y) := sin(x)`
        if let [Some(target)] = targets {
            let target = fl.lower_target(lo, ast, target)?;
            let value = term::lower_expr(fl, lo, value)?;
            return assign(fl, lo, statement, &target, &value, out);
        }
        let message = "this function has only one result";
        return Err(fl.error_at("K0361", message, lo.file, statement.span));
    };
    if targets.len() > call.outputs.len() {
        let message = format!("{} results are expected, but there are {}", targets.len(), call.outputs.len());
        return Err(fl.error_at("K0360", message, lo.file, statement.span));
    }
    let mut list = Vec::new();
    for (target, output) in targets.iter().zip(&call.outputs) {
        match target {
            Some(target) => {
                let target = fl.lower_target(lo, ast, target)?;
                let mut flat = Vec::new();
                flat_targets(fl, lo, statement, &target, output, &mut flat)?;
                list.extend(flat.into_iter().map(Some));
            }
            None => {
                let mut terms = Vec::new();
                output.terms(&mut terms);
                list.extend(terms.iter().map(|_| None));
            }
        }
    }
    out.push(Stmt::AssignCall(list, call.first_term(lo)));
    Ok(())
}

fn lower_call_statement(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    ast: &Ast,
    call: ast::ExprId,
    out: &mut Vec<Stmt>,
) -> Res<()> {
    let Expr::Call { function, args } = ast.exprs[call] else { return Err(Reported) };
    let name = place::ref_text(ast, &function);
    let args = ast.lists.args.get(args);
    match name.as_str() {
        "assert" => {
            let mut found = [None; 3];
            for (i, arg) in args.iter().enumerate() {
                let at = match arg.name.map(|n| n.symbol.as_str()) {
                    Some("message") => 1,
                    Some("level") => 2,
                    Some(_) => 0,
                    None => i,
                };
                if let Some(slot) = found.get_mut(at) {
                    *slot = Some(arg.value);
                }
            }
            let (Some(condition), Some(message)) = (found[0], found[1]) else {
                return Err(fl.error_at(
                    "K0351",
                    "assert needs a condition and a message",
                    lo.file,
                    ast.span(call),
                ));
            };
            // As in equations, what is asserted causes no events.
            lo.outer.iter_mut().for_each(|outer| outer.silence(true));
            let condition = term::lower_scalar(fl, lo, condition, Some(Ty::Boolean));
            lo.outer.iter_mut().for_each(|outer| outer.silence(false));
            let condition = condition?;
            let message = term::lower_scalar(fl, lo, message, Some(Ty::String))?;
            let level = match found[2] {
                Some(level) => term::lower_scalar(fl, lo, level, None)?,
                None => lo.term(Term::Const(2.0)),
            };
            out.push(Stmt::Assert(condition, message, level));
            Ok(())
        }
        "terminate" | "reinit" if lo.outer.is_some() => fl.lower_effect(lo, ast, call, &name, args, out),
        _ => {
            // What is called only for its effects may be impure.
            let in_pure = std::mem::replace(&mut fl.functions.in_pure, true);
            let lowered = term_call::lower_user_call(fl, lo, ast, call, &function, args);
            fl.functions.in_pure = in_pure;
            match lowered? {
                Some(call) => {
                    let term = call.first_term(lo);
                    out.push(Stmt::Call(term));
                }
                None => {
                    let value = term::lower_expr(fl, lo, call)?;
                    let mut terms = Vec::new();
                    value.terms(&mut terms);
                    out.extend(terms.first().map(|&t| Stmt::Call(t)));
                }
            }
            Ok(())
        }
    }
}

fn lower_target_base(fl: &mut Flattener<'_>, lo: &mut Lower, part: &RefPart) -> Res<Option<TVal>> {
    if let Some(value) = lo.env.get(&part.name.symbol) {
        return Ok(Some(value.clone()));
    }
    if lo.outer.is_some() {
        return fl.outer_variable(lo, part);
    }
    Ok(None)
}

/// `target := value`
pub fn assign(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    statement: &Statement,
    target: &LTarget,
    value: &TVal,
    out: &mut Vec<Stmt>,
) -> Res<()> {
    match (&target.value, value) {
        (
            table::TVal::Plain { ty, rank, term },
            table::TVal::Plain { ty: from, rank: from_rank, term: value },
        ) => {
            let Term::Local(local) = lo.function.terms[term.0 as usize] else {
                return Err(fl.error_at("K0378", "this cannot be assigned to", lo.file, statement.span));
            };
            if lo.function.inputs.contains(&local) && lo.outer.is_none() {
                let message = "an input of a function cannot be assigned to";
                let location = fl.cx.lib.location(lo.file, statement.span);
                let diagnostic =
                    kausal_syntax::Diagnostic::error("K0378", message).at(location, "assigned here");
                let help = "assign to an output, or to a variable declared below `protected`";
                return Err(fl.cx.report(diagnostic.help(help)));
            }
            if let Some(message) = misfit(lo, local, target, *value) {
                return Err(fl.error_at("K0363", message, lo.file, statement.span));
            }
            if !assignable(*ty, *from) || rank - target.scalar_subs != *from_rank {
                let message = format!(
                    "{} cannot be assigned to {}",
                    table::TVal::describe_parts(*from, *from_rank),
                    table::TVal::describe_parts(*ty, rank - target.scalar_subs)
                );
                return Err(fl.error_at("K0379", message, lo.file, statement.span));
            }
            let target = Target { local, subscripts: target.subs.clone() };
            out.push(Stmt::Assign(target, *value));
            Ok(())
        }
        (table::TVal::Record { fields, .. }, table::TVal::Record { .. }) => {
            for (name, field) in fields {
                let Some(from) = value.field(*name) else {
                    let message = format!("the value has no field {name}");
                    return Err(fl.error_at("K0205", message, lo.file, statement.span));
                };
                let inner = LTarget {
                    value: field.clone(),
                    subs: target.subs.clone(),
                    scalar_subs: target.scalar_subs,
                };
                assign(fl, lo, statement, &inner, from, out)?;
            }
            Ok(())
        }
        _ => {
            Err(fl.error_at("K0379", "the types of both sides do not fit together", lo.file, statement.span))
        }
    }
}

/// The targets of all scalars or arrays a call gives back for one receiver.
fn flat_targets(
    fl: &mut Flattener<'_>,
    lo: &mut Lower,
    statement: &Statement,
    target: &LTarget,
    output: &TVal,
    out: &mut Vec<Target>,
) -> Res<()> {
    let mut list = Vec::new();
    // Same checks as for an assignment, and in the order of the outputs' fields.
    if let (table::TVal::Record { .. }, table::TVal::Record { fields, .. }) = (&target.value, output) {
        for (name, field) in fields {
            let Some(to) = target.value.field(*name) else {
                let message = format!("there is no field {name}");
                return Err(fl.error_at("K0205", message, lo.file, statement.span));
            };
            let inner =
                LTarget { value: to.clone(), subs: target.subs.clone(), scalar_subs: target.scalar_subs };
            flat_targets(fl, lo, statement, &inner, field, out)?;
        }
        return Ok(());
    }
    assign(fl, lo, statement, target, output, &mut list)?;
    for stmt in list {
        if let Stmt::Assign(target, _) = stmt {
            out.push(target);
        }
    }
    Ok(())
}

/// Is a variable of this kind assignable at all?
pub fn is_fixed(variability: Variability) -> bool {
    variability <= Variability::Parameter
}

/// What is wrong with the sizes of an assignment, where both are written down: a constructor of an array given to all of a
/// variable, a number as a subscript.
fn misfit(lo: &Lower, local: LocalId, target: &LTarget, value: TermId) -> Option<String> {
    let variable = &lo.function.locals[local.0 as usize];
    for (subscript, dim) in target.subs.iter().zip(&variable.dims) {
        if let (Subscript::Index(index), Dim::Known(size)) = (subscript, dim)
            && let Term::Const(x) = lo.function.terms[index.0 as usize]
            && (x < 1.0 || x > *size as f64)
        {
            return Some(format!("the subscript {x} is outside 1:{size} of {}", variable.name));
        }
    }
    match (&lo.function.terms[value.0 as usize], variable.dims.first()) {
        (Term::Array(kausal_symbolic::function::ArrayFn::Construct, items), Some(Dim::Known(size)))
            if target.subs.is_empty() && items.len() != *size =>
        {
            Some(format!("{} has {size} elements, but its value has {}", variable.name, items.len()))
        }
        _ => None,
    }
}

/// What is assigned to.
pub struct LTarget {
    /// The whole variable.
    pub value: TVal,
    /// Which elements.
    pub subs: Vec<Subscript>,
    /// How many dimensions the subscripts take away.
    pub scalar_subs: usize,
}

/// The records that a declared record is a field of, the innermost first. They are declared behind their fields.
fn records_around(pending: &[Declared], i: usize) -> Vec<&Declared> {
    let mut inside = &pending[i];
    let mut around = Vec::new();
    for item in &pending[i + 1..] {
        if !inside.nested {
            break;
        }
        let field = item.value.field(inside.info.name).and_then(table::TVal::any_term);
        if field.is_some() && field == inside.value.any_term() {
            around.push(item);
            inside = item;
        }
    }
    around
}

/// Inputs for an argument bound to a function: one per field of a record.
fn bound_input(lo: &mut Lower, path: String, ty: &BoundType) -> TVal {
    match ty {
        table::BoundType::Plain(ty, rank) => {
            let local = lo.local(path, *ty, vec![Dim::Unknown; *rank]);
            lo.function.inputs.push(local);
            let term = lo.term(Term::Local(local));
            table::TVal::Plain { ty: *ty, rank: *rank, term }
        }
        table::BoundType::Record(klass, rank, list) => {
            let fields = list
                .iter()
                .map(|(name, ty)| (*name, bound_input(lo, format!("{path}.{name}"), ty)))
                .collect();
            table::TVal::Record { klass: *klass, rank: *rank, fields }
        }
    }
}
