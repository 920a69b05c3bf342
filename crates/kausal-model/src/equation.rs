//! Equations of all forms (specification chapter 8): arrays become scalars, `for` is unrolled, `if` is decided
//! where its condition is a parameter and merged where it is not.

use kausal_symbolic::function::Array;
use kausal_symbolic::{ExprId, Node as Expression, Op, VarId};
use kausal_syntax::ast::{EquationKind, Expr, Variability};
use kausal_syntax::{Ast, Diagnostic, Location, Span, ast};
use rustc_hash::FxHashSet;

use crate::builtins::operator_name;
use crate::class::{Reported, Res};
use crate::expr::arguments::Call;
use crate::expr::{arguments, call, overload, place};
use crate::flat::{Action, ActionKind, ClockedWhen, Equation, Origin, OriginKind, When, WhenBranch};
use crate::flattener::Flattener;
use crate::prelude::Builtin;
use crate::sink::{Context, Sink, as_variable};
use crate::tree::Scope;
use crate::value::{Ty, Value};
use crate::{fold, instance, spending, state_machine};

/// Flattens equations; what fails is reported and left out.
pub fn equations(fl: &mut Flattener<'_>, cx: Context<'_>, equations: &[ast::Equation], sink: &mut Sink) {
    for equation in equations {
        let _ = self::equation(fl, cx, equation, sink);
    }
}

fn equation(fl: &mut Flattener<'_>, cx: Context<'_>, equation: &ast::Equation, sink: &mut Sink) -> Res<()> {
    let origin = |kind| cx.origin(equation.span, kind);
    match &equation.kind {
        EquationKind::Equal(l, r) => {
            fl.hints.clear();
            let first = sink.equations.len();
            equal(fl, cx, *l, *r, origin(OriginKind::Equation), sink)?;
            attach_hints(fl, first, sink);
            Ok(())
        }
        EquationKind::Connect(..) if cx.initial => {
            let message = "connect cannot stand among initial equations";
            Err(fl.error_at("K0369", message, cx.scope.file, equation.span))
        }
        EquationKind::When { .. } if cx.initial => {
            let message = "`when` cannot stand among initial equations";
            Err(fl.error_at("K0369", message, cx.scope.file, equation.span))
        }
        // Connections are collected before.
        EquationKind::Connect(..) => Ok(()),
        EquationKind::Call(call) => call_equation(fl, cx, *call, origin(OriginKind::Equation), sink),
        EquationKind::If { branches, otherwise } => if_equation(fl, cx, equation, branches, otherwise, sink),
        EquationKind::For { iterators, body } => {
            let iterators = cx.ast.lists.iterators.get(*iterators);
            for_equation(fl, cx, iterators, body, sink)
        }
        EquationKind::When { branches } => {
            if let Some(clock) = clock_of(fl, cx, branches)? {
                return clocked_when(fl, cx, clock, branches, origin(OriginKind::Equation), sink);
            }
            let when = when_equation(fl, cx, branches, origin(OriginKind::Equation))?;
            sink.whens.extend(when);
            Ok(())
        }
    }
}

fn attach_hints(fl: &mut Flattener<'_>, first: usize, sink: &mut Sink) {
    let count = sink.equations.len() - first;
    for hint in std::mem::take(&mut fl.hints) {
        for i in 0..count {
            if hint.target.len() == count {
                sink.hints.push((first + i, hint.target.data()[i], hint.kind));
            } else {
                sink.hints.extend(hint.target.data().iter().map(|&e| (first + i, e, hint.kind)));
            }
        }
    }
}

fn equal(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    l: ast::ExprId,
    r: ast::ExprId,
    origin: Origin,
    sink: &mut Sink,
) -> Res<()> {
    if let Expr::Tuple(items) = cx.ast.exprs[l] {
        let outputs = outputs_of(fl, cx.scope, cx.ast, r)?;
        let targets = cx.ast.lists.exprs.get(items);
        if targets.len() > outputs.len() {
            let message = format!("{} results are expected, but there are {}", targets.len(), outputs.len());
            return Err(place::at_expr(fl, cx.scope, r, "K0360", message));
        }
        for (&target, output) in targets.iter().zip(outputs) {
            if matches!(cx.ast.exprs[target], Expr::Missing) {
                continue;
            }
            let value = fl.eval(cx.scope, target)?;
            equate(fl, cx, l, &value, &output, &origin, sink)?;
        }
        return Ok(());
    }
    let left = fl.eval(cx.scope, l);
    let right = fl.eval(cx.scope, r);
    equate(fl, cx, l, &left?, &right?, &origin, sink)
}

/// All outputs of a call.
pub fn outputs_of(fl: &mut Flattener<'_>, scope: Scope, ast: &Ast, expr: ast::ExprId) -> Res<Vec<Value>> {
    match ast.exprs[expr] {
        Expr::Call { function, args } => {
            call::eval_call(fl, scope, ast, expr, &function, ast.lists.args.get(args))
        }
        _ => Err(place::at_expr(
            fl,
            scope,
            expr,
            "K0361",
            "several results can only come from a function call",
        )),
    }
}

/// `a = b` for all scalars of two values.
pub fn equate(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    at: ast::ExprId,
    a: &Value,
    b: &Value,
    origin: &Origin,
    sink: &mut Sink,
) -> Res<()> {
    match (a, b) {
        (Value::Plain(ta, x), Value::Plain(tb, y)) => {
            if ta.join(*tb).is_none() {
                let message = format!("{} cannot be equal to {}", a.describe(), b.describe());
                return Err(report_equation(fl, cx, at, origin, "K0362", message));
            }
            if let Some(var) = integer_misfit(fl, (*ta, x), (*tb, y)) {
                let message =
                    format!("{} is an Integer, but this gives it a Real", instance::variable_name(fl, var));
                let location =
                    origin.location.unwrap_or(Location { source: cx.ast.source, span: cx.ast.span(at) });
                let diagnostic = Diagnostic::error("K0362", message).at(location, "this equation");
                let id = fl.slots[var.index()].0;
                return Err(instance::report_at_decl(fl, id, diagnostic));
            }
            if x.shape() != y.shape() {
                let message = format!("both sides differ in size: {} and {}", a.describe(), b.describe());
                return Err(report_equation(fl, cx, at, origin, "K0363", message));
            }
            spending::spend_at(fl, cx.scope, at, x.len() as u64 * crate::budget::EQUATION)?;
            for (&lhs, &rhs) in x.data().iter().zip(y.data()) {
                if !cx.initial && !fl.in_when {
                    check_determines(fl, lhs, rhs, origin)?;
                }
                sink.equations.push(Equation { lhs, rhs, origin: origin.clone() });
            }
            Ok(())
        }
        (Value::Record(x), Value::Record(_)) => {
            for (name, field) in &x.fields {
                let Some(other) = b.field(*name) else {
                    let message = format!("{} has no field {name}", overload::describe(fl.cx, b));
                    return Err(report_equation(fl, cx, at, origin, "K0364", message));
                };
                equate(fl, cx, at, field, other, origin, sink)?;
            }
            Ok(())
        }
        _ => {
            let message = format!(
                "{} cannot be equal to {}",
                overload::describe(fl.cx, a),
                overload::describe(fl.cx, b)
            );
            Err(report_equation(fl, cx, at, origin, "K0362", message))
        }
    }
}

/// An Integer variable that an equation equates with a Real that cannot be an unknown: nothing else could be determined.
fn integer_misfit(fl: &mut Flattener<'_>, a: (Ty, &Array<ExprId>), b: (Ty, &Array<ExprId>)) -> Option<VarId> {
    let (integers, reals) = match (a.0, b.0) {
        (Ty::Integer, Ty::Real) => (a.1, b.1),
        (Ty::Real, Ty::Integer) if !fl.in_when => (b.1, a.1),
        _ => return None,
    };
    integers.data().iter().zip(reals.data()).find_map(|(&integer, &real)| {
        let var = as_variable(&fl.pool, integer)?;
        let known = fl.in_when || fold::variability(fl, real) <= Variability::Parameter;
        known.then_some(var)
    })
}

/// An equation between a parameter and something that does not vary either determines nothing.
fn check_determines(fl: &mut Flattener<'_>, lhs: ExprId, rhs: ExprId, origin: &Origin) -> Res<()> {
    let parameter = [lhs, rhs].into_iter().find_map(|e| {
        let var = as_variable(&fl.pool, e)?;
        let (leaf, _) = fl.slots[var.index()];
        (fl.inst(leaf).variability <= Variability::Parameter).then_some((var, leaf))
    });
    let Some((var, leaf)) = parameter else { return Ok(()) };
    if fold::variability(fl, lhs).max(fold::variability(fl, rhs)) > Variability::Parameter {
        return Ok(());
    }
    let name = instance::variable_name(fl, var);
    let message = format!("this equation determines nothing: {name} is a parameter");
    let mut diagnostic = Diagnostic::error("K0325", message)
        .help(format!("give {name} its value where it is declared, or in an initial equation"));
    if let Some(location) = origin.location {
        diagnostic = diagnostic.at(location, "this equation");
    }
    Err(instance::report_at_decl(fl, leaf, diagnostic))
}

fn report_equation(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    at: ast::ExprId,
    origin: &Origin,
    code: &'static str,
    message: String,
) -> Reported {
    let location = origin.location.unwrap_or(Location { source: cx.ast.source, span: cx.ast.span(at) });
    let text = if cx.component.is_empty() { String::new() } else { format!("in {}", cx.component) };
    let diagnostic = Diagnostic::error(code, message).at(location, text);
    let diagnostic = place::with_declarations(fl, diagnostic, cx.scope, &[at]);
    fl.cx.report(diagnostic)
}

fn for_equation(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    iterators: &[ast::Iterator],
    body: &[ast::Equation],
    sink: &mut Sink,
) -> Res<()> {
    let Some((first, rest)) = iterators.split_first() else {
        equations(fl, cx, body, sink);
        return Ok(());
    };
    fl.each_pass(cx.scope, first, place::IteratorBody::Equations(body), &mut |this, _| {
        for_equation(this, cx, rest, body, sink)
    })
}

/// The value of a condition: decided as a parameter if possible.
pub fn condition(fl: &mut Flattener<'_>, scope: Scope, expr: ast::ExprId) -> Res<Condition> {
    let value = fl.eval(scope, expr)?;
    let (Some(Ty::Boolean), Some(e)) = (value.ty(), value.as_scalar()) else {
        let message = format!("the condition must be Boolean, not {}", value.describe());
        return Err(place::at_expr(fl, scope, expr, "K0342", message));
    };
    if fold::variability(fl, e) <= Variability::Parameter
        && let Ok(known) = fl.fold(e)
    {
        return Ok(Condition::Known(fl.pool.as_constant(known).is_some_and(|c| c != 0.0)));
    }
    Ok(Condition::Unknown(e))
}

fn if_equation(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    equation: &ast::Equation,
    branches: &[(ast::ExprId, Vec<ast::Equation>)],
    otherwise: &[ast::Equation],
    sink: &mut Sink,
) -> Res<()> {
    let errors = |this: &Flattener<'_>| this.cx.diagnostics.iter().filter(|d| d.is_error()).count();
    let before = errors(fl);
    let mut open: Vec<(ExprId, Sink)> = Vec::new();
    let mut last: Option<&[ast::Equation]> = Some(otherwise);
    for (condition, body) in branches {
        match self::condition(fl, cx.scope, *condition)? {
            Condition::Known(false) => {}
            Condition::Known(true) => {
                last = Some(body);
                break;
            }
            Condition::Unknown(e) => {
                let mut inner = Sink::default();
                equations(fl, cx, body, &mut inner);
                open.push((e, inner));
            }
        }
    }
    let last = last.unwrap_or_default();
    if open.is_empty() {
        equations(fl, cx, last, sink);
        return Ok(());
    }
    let mut rest = Sink::default();
    equations(fl, cx, last, &mut rest);
    if errors(fl) > before {
        // Equations with errors are missing in their branches.
        return Err(Reported);
    }
    merge_branches(fl, cx, equation.span, open, rest, sink)
}

/// Several sets of equations of which one holds at a time become one set.
fn merge_branches(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    span: Span,
    branches: Vec<(ExprId, Sink)>,
    mut rest: Sink,
    sink: &mut Sink,
) -> Res<()> {
    for (condition, mut branch) in branches.into_iter().rev() {
        if branch.equations.len() != rest.equations.len() {
            let message = format!(
                "the branches of an `if` equation whose condition changes must have equally many equations: {} and {}",
                branch.equations.len(),
                rest.equations.len()
            );
            let location = fl.cx.lib.location(cx.scope.file, span);
            let help = if rest.equations.is_empty() || branch.equations.is_empty() {
                "add `else` with equations for the same variables; in an `algorithm` or a `when` what is not assigned \
                 keeps its value"
            } else {
                "each branch determines the same variables"
            };
            let diagnostic = Diagnostic::error("K0365", message).at(location, "").help(help);
            return Err(fl.cx.report(diagnostic));
        }
        let whens = [&branch, &rest].iter().any(|s| !s.whens.is_empty() || !s.clocked.is_empty());
        if whens {
            let message = "`when` cannot stand in an `if` equation whose condition changes";
            return Err(fl.error_at("K0366", message, cx.scope.file, span));
        }
        align(&mut branch.equations, &mut rest.equations);
        let mut equations = Vec::with_capacity(branch.equations.len());
        for (a, b) in branch.equations.iter().zip(&rest.equations) {
            equations.push(either(fl, condition, a, b));
        }
        rest.equations = equations;
        rest.hints.extend(branch.hints);
        if !branch.actions.is_empty() || !rest.actions.is_empty() {
            let actions = std::mem::take(&mut rest.actions);
            let kind = ActionKind::If(condition, branch.actions, actions);
            rest.actions.push(Action { kind, origin: cx.origin(span, OriginKind::Equation) });
        }
    }
    let first = sink.equations.len();
    sink.equations.extend(rest.equations);
    sink.hints.extend(rest.hints.into_iter().map(|(i, e, k)| (first + i, e, k)));
    sink.actions.extend(rest.actions);
    Ok(())
}

/// Puts the equations of `b` in the order of those of `a` where both define the same left sides.
fn align(a: &mut [Equation], b: &mut [Equation]) {
    for i in 0..a.len() {
        if a[i].lhs != b[i].lhs
            && let Some(j) = (i + 1..b.len()).find(|&j| b[j].lhs == a[i].lhs)
        {
            b.swap(i, j);
        }
    }
}

/// One equation of two; it stands where both stand, and everything between.
fn either(fl: &mut Flattener<'_>, condition: ExprId, a: &Equation, b: &Equation) -> Equation {
    let mut origin = a.origin.clone();
    if let (Some(place), Some(other)) = (&mut origin.location, b.origin.location)
        && place.source == other.source
    {
        place.span = place.span.to(other.span);
    }
    if a.lhs == b.lhs {
        let rhs = fl.pool.op(Op::If, &[condition, a.rhs, b.rhs]);
        return Equation { lhs: a.lhs, rhs, origin };
    }
    let residual = |this: &mut Flattener<'_>, e: &Equation| {
        let minus = this.pool.op(Op::Neg, &[e.rhs]);
        this.pool.op(Op::Add, &[e.lhs, minus])
    };
    let (x, y) = (residual(fl, a), residual(fl, b));
    let rhs = fl.pool.op(Op::If, &[condition, x, y]);
    let lhs = fl.pool.constant(0.0);
    Equation { lhs, rhs, origin }
}

fn call_equation(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    call: ast::ExprId,
    origin: Origin,
    sink: &mut Sink,
) -> Res<()> {
    let Expr::Call { function, args } = cx.ast.exprs[call] else {
        return Err(place::at_expr(fl, cx.scope, call, "K0367", "an equation needs `=` or a call"));
    };
    let parts = cx.ast.lists.parts.get(function.parts);
    if parts.first().is_some_and(|p| p.name.symbol.as_str() == "Connections") {
        return Ok(());
    }
    if let [only] = parts
        && call::user_function(fl, cx.scope, only.name.symbol).is_none()
        && state_machine::state_machine_statement(
            fl,
            cx,
            call,
            only.name.symbol.as_str(),
            cx.ast.lists.args.get(args),
        )?
    {
        return Ok(());
    }
    if let Some(action) = self::action(fl, cx, call, &function, cx.ast.lists.args.get(args), origin)? {
        sink.actions.push(action);
    }
    Ok(())
}

/// `assert`, `terminate`, `reinit` or a call for its effects.
fn action(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    call: ast::ExprId,
    function: &ast::ComponentRef,
    args: &[ast::Arg],
    origin: Origin,
) -> Res<Option<Action>> {
    let name = place::ref_text(cx.ast, function);
    let c = Call { scope: cx.scope, ast: cx.ast, expr: call, name: &name, args };
    let kind = match name.as_str() {
        "assert" => return assertion(fl, c, origin),
        "terminate" => {
            let [message] = arguments::named_args(fl, c, ["message"])?;
            let message = fl.eval(cx.scope, message)?;
            let (Some(Ty::String), Some(e)) = (message.ty(), message.as_scalar()) else {
                let text = format!("the message of terminate must be a String, not {}", message.describe());
                return Err(place::at_expr(fl, cx.scope, call, "K0351", text));
            };
            ActionKind::Terminate(e)
        }
        "reinit" => {
            return Err(place::at_expr(
                fl,
                cx.scope,
                call,
                "K0368",
                "reinit can only stand in a `when` clause",
            ));
        }
        _ => {
            fl.functions.last_call = None;
            let outputs = call::eval_call(fl, cx.scope, cx.ast, call, function, args)?;
            let mut scalars = Vec::new();
            outputs.iter().for_each(|o| o.scalars(&mut scalars));
            let call = scalars.into_iter().find_map(|e| match fl.pool.node(e) {
                Expression::Output(call, _) => Some(call),
                Expression::Call(..) => Some(e),
                _ => None,
            });
            match call.or(fl.functions.last_call.take()) {
                Some(call) => ActionKind::Call(call),
                None => return Ok(None),
            }
        }
    };
    Ok(Some(Action { kind, origin }))
}

fn assertion(fl: &mut Flattener<'_>, c: Call<'_>, origin: Origin) -> Res<Option<Action>> {
    let mut found = [None; 3];
    for (i, arg) in c.args.iter().enumerate() {
        let at = match arg.name.map(|n| n.symbol.as_str()) {
            None => i,
            Some("condition") => 0,
            Some("message") => 1,
            Some("level") => 2,
            Some(_) => return Err(arguments::wrong_args(fl, c)),
        };
        match found.get_mut(at) {
            Some(slot @ None) => *slot = Some(arg.value),
            _ => return Err(arguments::wrong_args(fl, c)),
        }
    }
    let (Some(condition), Some(message)) = (found[0], found[1]) else {
        return Err(arguments::wrong_args(fl, c));
    };
    let condition = fl.eval(c.scope, condition)?;
    let message = fl.eval(c.scope, message)?;
    let (Some(Ty::Boolean), Some(condition)) = (condition.ty(), condition.as_scalar()) else {
        let text = format!("the condition of assert must be Boolean, not {}", condition.describe());
        return Err(place::at_expr(fl, c.scope, c.expr, "K0351", text));
    };
    let (Some(Ty::String), Some(message)) = (message.ty(), message.as_scalar()) else {
        let text = format!("the message of assert must be a String, not {}", message.describe());
        return Err(place::at_expr(fl, c.scope, c.expr, "K0351", text));
    };
    let warning = match found[2] {
        Some(level) => {
            let value = fl.eval(c.scope, level)?;
            if !matches!(value.ty(), Some(Ty::Enumeration(_))) {
                let text = format!("the level of assert must be an AssertionLevel, not {}", value.describe());
                return Err(place::at_expr(fl, c.scope, c.expr, "K0351", text));
            }
            fl.structural_number(c.scope, level, "the level of an assertion")? == 1.0
        }
        None => false,
    };
    if fl.pool.as_constant(condition).is_some_and(|c| c != 0.0) {
        return Ok(None);
    }
    Ok(Some(Action { kind: ActionKind::Assert { condition, message, warning }, origin }))
}

/// The clock of a clocked `when`.
fn clock_of(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    branches: &[(ast::ExprId, Vec<ast::Equation>)],
) -> Res<Option<ExprId>> {
    let Some((condition, _)) = branches.first() else { return Ok(None) };
    // What is wrong with the condition is reported where it is used.
    let Ok(value) = fl.eval(cx.scope, *condition) else { return Ok(None) };
    Ok(value.as_scalar().filter(|_| value.ty() == Some(Ty::Clock)))
}

/// A clocked `when` (specification section 16.6): general equations, no `elsewhen`, nothing nested.
fn clocked_when(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    clock: ExprId,
    branches: &[(ast::ExprId, Vec<ast::Equation>)],
    origin: Origin,
    sink: &mut Sink,
) -> Res<()> {
    let [(_, body)] = branches else {
        let message = "a `when` clause with a clock as its condition has no `elsewhen`";
        return Err(place::at_expr(fl, cx.scope, branches[1].0, "K0366", message));
    };
    let mut inner = Sink::default();
    fl.in_when = true;
    equations(fl, cx, body, &mut inner);
    fl.in_when = false;
    let nested = inner.whens.first().map(|w| &w.origin);
    if let Some(nested) = nested.or(inner.clocked.first().map(|w| &w.origin)) {
        let span = nested.location.map_or(Span::default(), |l| l.span);
        return Err(fl.error_at("K0369", "`when` cannot stand in a `when` clause", cx.scope.file, span));
    }
    sink.clocked.push(ClockedWhen { clock, equations: inner.equations, actions: inner.actions, origin });
    Ok(())
}

/// A `when` equation (specification section 8.3.5).
fn when_equation(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    branches: &[(ast::ExprId, Vec<ast::Equation>)],
    origin: Origin,
) -> Res<Option<When>> {
    let mut out = Vec::with_capacity(branches.len());
    let mut failed = false;
    for (condition, body) in branches {
        let conditions = when_condition(fl, cx, *condition);
        let mut actions = Vec::new();
        fl.in_when = true;
        let done = when_body(fl, cx, body, &mut actions);
        fl.in_when = false;
        match (conditions, done) {
            (Ok(conditions), Ok(())) => out.push(WhenBranch { conditions, actions }),
            _ => failed = true,
        }
    }
    if failed {
        return Err(Reported);
    }
    check_same_targets(fl, &out, &origin)?;
    Ok(Some(When { branches: out, origin }))
}

/// All branches assign the same variables (specification section 8.3.5.2).
fn check_same_targets(fl: &mut Flattener<'_>, branches: &[WhenBranch], origin: &Origin) -> Res<()> {
    let mut first: Option<FxHashSet<VarId>> = None;
    for branch in branches {
        let mut assigned = FxHashSet::default();
        crate::check::assigned_in(&branch.actions, &mut assigned);
        for action in &branch.actions {
            check_same_in_if(fl, action)?;
        }
        let Some(before) = &first else {
            first = Some(assigned);
            continue;
        };
        let Some(&var) = before.symmetric_difference(&assigned).min() else { continue };
        let name = instance::variable_name(fl, var);
        let message =
            format!("all branches of `when` must assign the same variables, but not all assign {name}");
        return Err(branches_differ(fl, message, var, origin));
    }
    Ok(())
}

fn check_same_in_if(fl: &mut Flattener<'_>, action: &Action) -> Res<()> {
    let ActionKind::If(_, then, otherwise) = &action.kind else { return Ok(()) };
    let (mut a, mut b) = (FxHashSet::default(), FxHashSet::default());
    crate::check::assigned_in(then, &mut a);
    crate::check::assigned_in(otherwise, &mut b);
    let Some(&var) = a.symmetric_difference(&b).min() else { return Ok(()) };
    let name = instance::variable_name(fl, var);
    let message =
        format!("all branches of `if` in `when` must assign the same variables, but not all assign {name}");
    Err(branches_differ(fl, message, var, &action.origin))
}

fn branches_differ(fl: &mut Flattener<'_>, message: String, var: VarId, origin: &Origin) -> Reported {
    let help = format!(
        "assign {0} in every branch: `{0} = pre({0})` keeps its value",
        instance::variable_name(fl, var)
    );
    let mut diagnostic = Diagnostic::error("K0366", message).help(help);
    if let Some(location) = origin.location {
        diagnostic = diagnostic.at(location, "here");
    }
    let id = fl.slots[var.index()].0;
    instance::report_at_decl(fl, id, diagnostic)
}

/// What `sample` with one argument was meant to be as the condition of a clause.
const SAMPLE_HELP: &str =
    "events at equal distances are written sample(start, interval), as in sample(0, 0.1)";

/// `sample(x)` samples a variable for a clock, and is no event.
fn is_clocked_sample(fl: &Flattener<'_>, scope: Scope, condition: ast::ExprId) -> bool {
    let ast = fl.cx.lib.ast_ref(scope.file);
    let Expr::Call { function, args } = ast.exprs[condition] else { return false };
    place::ref_text(ast, &function) == "sample" && ast.lists.args.get(args).len() == 1
}

fn when_condition(fl: &mut Flattener<'_>, cx: Context<'_>, condition: ast::ExprId) -> Res<Vec<ExprId>> {
    match fl.eval(cx.scope, condition)? {
        Value::Plain(Ty::Boolean, array) => Ok(array.into_data()),
        value => {
            let message = format!("the condition of `when` must be Boolean, not {}", value.describe());
            match is_clocked_sample(fl, cx.scope, condition) {
                true => Err(place::at_expr_helped(fl, cx.scope, condition, "K0342", message, SAMPLE_HELP)),
                false => Err(place::at_expr(fl, cx.scope, condition, "K0342", message)),
            }
        }
    }
}

fn when_body(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    body: &[ast::Equation],
    out: &mut Vec<Action>,
) -> Res<()> {
    let mut failed = false;
    for equation in body {
        failed |= when_action(fl, cx, equation, out).is_err();
    }
    if failed { Err(Reported) } else { Ok(()) }
}

fn when_action(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    equation: &ast::Equation,
    out: &mut Vec<Action>,
) -> Res<()> {
    let origin = cx.origin(equation.span, OriginKind::Equation);
    match &equation.kind {
        EquationKind::Equal(l, r) => {
            if let Expr::Tuple(items) = cx.ast.exprs[*l] {
                let outputs = outputs_of(fl, cx.scope, cx.ast, *r)?;
                for (&target, output) in cx.ast.lists.exprs.get(items).iter().zip(outputs) {
                    if !matches!(cx.ast.exprs[target], Expr::Missing) {
                        let value = fl.eval(cx.scope, target)?;
                        assign_all(fl, cx, target, &value, &output, &origin, out)?;
                    }
                }
                return Ok(());
            }
            let left = fl.eval(cx.scope, *l)?;
            let right = fl.eval(cx.scope, *r)?;
            assign_all(fl, cx, *l, &left, &right, &origin, out)
        }
        EquationKind::Call(call) => {
            let Expr::Call { function, args } = cx.ast.exprs[*call] else { return Err(Reported) };
            let args = cx.ast.lists.args.get(args);
            if place::ref_text(cx.ast, &function) == "reinit" {
                return reinit(fl, cx, *call, args, &origin, out);
            }
            out.extend(action(fl, cx, *call, &function, args, origin)?);
            Ok(())
        }
        EquationKind::For { iterators, body } => {
            when_for(fl, cx, cx.ast.lists.iterators.get(*iterators), body, out)
        }
        EquationKind::If { branches, otherwise } => when_if(fl, cx, branches, otherwise, &origin, out),
        EquationKind::Connect(..) => {
            Err(fl.error_at("K0369", "connect cannot stand in a `when` clause", cx.scope.file, equation.span))
        }
        EquationKind::When { .. } => {
            Err(fl.error_at("K0369", "`when` cannot stand in a `when` clause", cx.scope.file, equation.span))
        }
    }
}

fn when_for(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    iterators: &[ast::Iterator],
    body: &[ast::Equation],
    out: &mut Vec<Action>,
) -> Res<()> {
    let Some((first, rest)) = iterators.split_first() else { return when_body(fl, cx, body, out) };
    fl.each_pass(cx.scope, first, place::IteratorBody::Equations(body), &mut |this, _| {
        when_for(this, cx, rest, body, out)
    })
}

fn when_if(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    branches: &[(ast::ExprId, Vec<ast::Equation>)],
    otherwise: &[ast::Equation],
    origin: &Origin,
    out: &mut Vec<Action>,
) -> Res<()> {
    let Some(((condition, body), more)) = branches.split_first() else {
        return when_body(fl, cx, otherwise, out);
    };
    match self::condition(fl, cx.scope, *condition)? {
        Condition::Known(true) => when_body(fl, cx, body, out),
        Condition::Known(false) => when_if(fl, cx, more, otherwise, origin, out),
        Condition::Unknown(e) => {
            let (mut then, mut or) = (Vec::new(), Vec::new());
            when_body(fl, cx, body, &mut then)?;
            when_if(fl, cx, more, otherwise, origin, &mut or)?;
            out.push(Action { kind: ActionKind::If(e, then, or), origin: origin.clone() });
            Ok(())
        }
    }
}

fn assign_all(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    at: ast::ExprId,
    left: &Value,
    right: &Value,
    origin: &Origin,
    out: &mut Vec<Action>,
) -> Res<()> {
    let mut pairs = Sink::default();
    equate(fl, cx, at, left, right, origin, &mut pairs)?;
    for pair in pairs.equations {
        let Expression::Var(var) = fl.pool.node(pair.lhs) else {
            let message = "the left side of an equation in a `when` clause must be a variable";
            return Err(place::at_expr(fl, cx.scope, at, "K0370", message));
        };
        check_not_of_itself(fl, cx, var, pair.rhs, &pair.origin)?;
        fl.assigned_when.insert(var);
        out.push(Action { kind: ActionKind::Assign(var, pair.rhs), origin: pair.origin });
    }
    Ok(())
}

/// `k = k + 1` has no solution: what `k` was before is `pre(k)` (specification section 3.7.5). A Real variable may follow from
/// an equation that can be solved for it, as `v = u - 3*v` can; one that only zero solves, as `k = 2*k`, means the value before.
fn check_not_of_itself(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    var: VarId,
    value: ExprId,
    origin: &Origin,
) -> Res<()> {
    let pool = &fl.pool;
    let is_previous = |call: ExprId| match pool.node(call) {
        Expression::Call(function, _) => operator_name(pool.function(function)) == Some("previous"),
        _ => false,
    };
    let is_now = |e: ExprId| match pool.node(e) {
        Expression::Op(Op::Pre, _) => false,
        Expression::Output(call, _) => !is_previous(call),
        _ => !is_previous(e),
    };
    let read = kausal_symbolic::visit::reachable(pool, &[value], is_now);
    if !read.iter().any(|&e| pool.as_var(e) == Some(var)) {
        return Ok(());
    }
    let leaf = fl.slots[var.index()].0;
    if fl.inst(leaf).info.as_ref().is_some_and(|info| info.leaf.is_none_or(|l| l.builtin == Builtin::Real)) {
        let of_itself = kausal_symbolic::linear::linear_coefficients(&mut fl.pool, value, |v| v == var);
        let means_before = of_itself.is_some_and(|linear| {
            let factor = linear.coefficient(var).and_then(|factor| fl.pool.as_constant(factor));
            factor == Some(1.0) || fl.pool.is_zero(linear.rest)
        });
        if !means_before {
            return Ok(());
        }
    }
    let name = instance::variable_name(fl, var);
    let message =
        format!("{name} is computed from itself: in `when`, its value before is written pre({name})");
    let help = format!("write pre({name}) for {name} on the right side");
    let mut diagnostic = Diagnostic::error("K0393", message).help(help);
    if let Some(location) = origin.location {
        diagnostic = diagnostic.at(location, if cx.component.is_empty() { "" } else { cx.component });
    }
    let id = fl.slots[var.index()].0;
    Err(instance::report_at_decl(fl, id, diagnostic))
}

fn reinit(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    call: ast::ExprId,
    args: &[ast::Arg],
    origin: &Origin,
    out: &mut Vec<Action>,
) -> Res<()> {
    let c = Call { scope: cx.scope, ast: cx.ast, expr: call, name: "reinit", args };
    let [x, e] = arguments::named_args(fl, c, ["x", "expr"])?;
    let (x, e) = (fl.eval(cx.scope, x)?, fl.eval(cx.scope, e)?);
    let (Value::Plain(Ty::Real, x), Value::Plain(Ty::Real | Ty::Integer, e)) = (&x, &e) else {
        let message =
            format!("reinit needs a Real variable and a number, not {} and {}", x.describe(), e.describe());
        return Err(place::at_expr(fl, cx.scope, call, "K0351", message));
    };
    if x.shape() != e.shape() {
        return Err(arguments::wrong_args(fl, c));
    }
    for (&x, &e) in Array::data(x).iter().zip(e.data()) {
        let Some(var) = as_variable(&fl.pool, x) else { return Err(arguments::wrong_args(fl, c)) };
        out.push(Action { kind: ActionKind::Reinit(var, e), origin: origin.clone() });
    }
    Ok(())
}

/// A condition, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// Decided.
    Known(bool),
    /// Known only at run time.
    Unknown(ExprId),
}
