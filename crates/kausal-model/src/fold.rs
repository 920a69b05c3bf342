//! Numbers at compile time: an expression whose variables are parameters is replaced by its value
//! (specification section 3.8: structural parameters).

use kausal_symbolic::function::integers::{self, is_inexact};
use kausal_symbolic::{ExprId, FunctionId, Node as Expression, Op, Pool, VarId};
use kausal_syntax::ast::{Expr, Variability};
use kausal_syntax::{Diagnostic, Symbol, ast};

use crate::class::{Reported, Res};
use crate::expr::place;
use crate::flattener::Flattener;
use crate::prelude::EnumerationType;
use crate::tree::Scope;
use crate::value::{RecordValue, Ty, Value, with_ty};
use crate::{builtins, ids, instance, interface, tree, value};

/// Why there is no number.
#[derive(Clone, Debug)]
pub enum Unfolded {
    /// It was reported already.
    Reported,
    /// A variable that is no parameter.
    Variable(VarId),
    /// A parameter without a value.
    NoValue(VarId),
    /// A parameter that the initial problem computes.
    Free(VarId),
    /// `time` and the like.
    Operator(Op),
    /// A function that cannot be run here, and why.
    Call(FunctionId, String),
    /// A division of integers by zero.
    ByZero(Op),
    /// An Integer that has lost digits is divided.
    Inexact(f64),
    /// An expression that is nested too deeply.
    TooDeep,
}

const MAX_DEPTH: u32 = 4000;

impl Flattener<'_> {
    /// The value of an expression as a literal.
    pub fn fold(&mut self, e: ExprId) -> Result<ExprId, Unfolded> {
        match self.pool.node(e) {
            Expression::Const(_) | Expression::Text(_) => return Ok(e),
            _ => {}
        }
        if let Some(&value) = self.folded.get(&e) {
            return Ok(value);
        }
        if self.depth > MAX_DEPTH {
            return Err(Unfolded::TooDeep);
        }
        self.depth += 1;
        let value = fold_new(self, e);
        self.depth -= 1;
        let value = value?;
        if !self.peeking {
            self.folded.insert(e, value);
        }
        Ok(value)
    }

    /// A number that must be known now.
    pub fn structural_number(&mut self, scope: Scope, expr: ast::ExprId, what: &str) -> Res<f64> {
        let value = structural(self, scope, expr, what)?;
        match value.as_scalar().and_then(|e| self.pool.as_constant(e)) {
            Some(x) => Ok(x),
            None => {
                let span = self.cx.lib.ast_ref(scope.file).span(expr);
                let message = format!("{what} must be a scalar number, not {}", value.describe());
                Err(self.error_at("K0302", message, scope.file, span))
            }
        }
    }

    /// A Boolean that must be known now.
    pub fn structural_bool(&mut self, scope: Scope, expr: ast::ExprId, what: &str) -> Res<bool> {
        let value = structural(self, scope, expr, what)?;
        match (value.ty(), value.as_scalar().and_then(|e| self.pool.as_constant(e))) {
            (Some(Ty::Boolean), Some(x)) => Ok(x != 0.0),
            _ => {
                let span = self.cx.lib.ast_ref(scope.file).span(expr);
                let message = format!("{what} must be Boolean, not {}", value.describe());
                Err(self.error_at("K0303", message, scope.file, span))
            }
        }
    }
}

/// The value of an expression, where it is only looked at: its parameters can still be changed.
pub fn peek(fl: &mut Flattener<'_>, e: ExprId) -> Option<ExprId> {
    let mark = fl.cx.diagnostics.len();
    let outside = std::mem::replace(&mut fl.peeking, true);
    let value = fl.fold(e).ok();
    fl.peeking = outside;
    fl.cx.diagnostics.truncate(mark);
    value
}

fn fold_new(fl: &mut Flattener<'_>, e: ExprId) -> Result<ExprId, Unfolded> {
    match fl.pool.node(e) {
        Expression::Const(_) | Expression::Text(_) => Ok(e),
        Expression::Var(var) => fold_variable(fl, var),
        Expression::Op(op, args) => {
            let args = args.to_vec();
            fold_op(fl, e, op, &args)
        }
        Expression::Output(call, k) => {
            let Expression::Call(function, args) = fl.pool.node(call) else {
                return Err(Unfolded::TooDeep);
            };
            let args = args.to_vec();
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                values.push(fl.fold(arg)?);
            }
            let outputs = fl.run_function(function, &values)?;
            outputs.get(k as usize).copied().ok_or(Unfolded::TooDeep)
        }
        Expression::Call(function, _) => Err(Unfolded::Call(function, "it has no single value".to_owned())),
    }
}

fn fold_op(fl: &mut Flattener<'_>, e: ExprId, op: Op, args: &[ExprId]) -> Result<ExprId, Unfolded> {
    match op {
        Op::If => {
            let condition = fl.fold(args[0])?;
            let holds = fl.pool.as_constant(condition).is_some_and(|c| c != 0.0);
            fl.fold(args[if holds { 1 } else { 2 }])
        }
        Op::And | Op::Or => {
            let stop = op == Op::Or;
            let mut failed = None;
            for &arg in args {
                match fl.fold(arg) {
                    Ok(value) => {
                        if (fl.pool.as_constant(value) != Some(0.0)) == stop {
                            return Ok(fl.pool.boolean(stop));
                        }
                    }
                    Err(why) => failed = failed.or(Some(why)),
                }
            }
            failed.map_or_else(|| Ok(fl.pool.boolean(!stop)), Err)
        }
        Op::NoEvent | Op::Homotopy => fl.fold(args[0]),
        Op::Smooth => fl.fold(args[1]),
        _ if op.is_context_dependent() => Err(Unfolded::Operator(op)),
        _ => {
            let mut numbers = Vec::with_capacity(args.len());
            let mut texts = Vec::new();
            for &arg in args {
                let value = fl.fold(arg)?;
                match fl.pool.node(value) {
                    Expression::Const(x) => numbers.push(x),
                    Expression::Text(t) => texts.push(t),
                    _ => return Err(Unfolded::Operator(op)),
                }
            }
            if let [a, b] = texts[..] {
                let order = fl.pool.text_of(a).cmp(fl.pool.text_of(b));
                let holds = match op {
                    Op::Equal => order.is_eq(),
                    Op::NotEqual => order.is_ne(),
                    Op::Less => order.is_lt(),
                    Op::LessEqual => order.is_le(),
                    _ => return Err(Unfolded::Operator(op)),
                };
                return Ok(fl.pool.boolean(holds));
            }
            if matches!(op, Op::IntegerDiv | Op::Mod | Op::Rem) && numbers.get(1) == Some(&0.0) {
                return Err(Unfolded::ByZero(op));
            }
            if fl.divisions.contains(&e)
                && let Some(&x) = numbers.iter().find(|&&x| is_inexact(x))
            {
                return Err(Unfolded::Inexact(x));
            }
            let value = op.eval(&numbers);
            Ok(fl.pool.constant(value))
        }
    }
}

fn fold_variable(fl: &mut Flattener<'_>, var: VarId) -> Result<ExprId, Unfolded> {
    let (inst, offset) = fl.slots[var.index()];
    if fl.inst(inst).variability > Variability::Parameter {
        return Err(Unfolded::Variable(var));
    }
    if !fl.folding.insert(var) {
        let path = instance::variable_name(fl, var);
        let message = format!("the value of the parameter {path} depends on itself");
        instance::report_at_decl(fl, inst, Diagnostic::error("K0315", message));
        return Err(Unfolded::Reported);
    }
    let result = fold_parameter(fl, var, inst, offset);
    fl.folding.remove(&var);
    if result.is_ok() && !fl.peeking {
        fl.evaluated.insert(var);
    }
    result
}

fn fold_parameter(
    fl: &mut Flattener<'_>,
    var: VarId,
    inst: ids::InstId,
    offset: u32,
) -> Result<ExprId, Unfolded> {
    let binding = fl.binding(inst).map_err(|Reported| Unfolded::Reported)?;
    let expr = match &binding {
        Some(value) => match &**value {
            Value::Plain(_, array) => array.data().get(offset as usize).copied(),
            _ => None,
        },
        None if is_free(fl, inst, offset).map_err(|Reported| Unfolded::Reported)? => {
            return Err(Unfolded::Free(var));
        }
        None => {
            let start = start_value(fl, inst, offset).map_err(|Reported| Unfolded::Reported)?;
            if start.is_some() {
                let path = instance::variable_name(fl, var);
                let message = format!("the parameter {path} has no value; its start value is used");
                let location = fl.inst(inst).info.as_ref().map(|i| i.location);
                let warning = Diagnostic::warning("K0323", message);
                fl.cx.report(match location {
                    Some(location) => warning.at(location, "declared here"),
                    None => warning,
                });
            }
            start
        }
    };
    match expr {
        Some(expr) => fl.fold(expr),
        None => Err(Unfolded::NoValue(var)),
    }
}

/// Folds every scalar of a value.
pub fn fold_value(fl: &mut Flattener<'_>, value: &Value) -> Result<Value, Unfolded> {
    Ok(match value {
        Value::Plain(ty, array) => Value::Plain(*ty, array.try_map(|&e| fl.fold(e))?),
        Value::Record(record) => {
            let mut fields = Vec::with_capacity(record.fields.len());
            for (name, field) in &record.fields {
                fields.push((*name, fold_value(fl, field)?));
            }
            Value::Record(Box::new(RecordValue { klass: record.klass, shape: record.shape.clone(), fields }))
        }
        other => other.clone(),
    })
}

/// The same, without a reason when it does not work.
pub fn try_fold_value(fl: &mut Flattener<'_>, value: &Value) -> Option<Value> {
    fold_value(fl, value).ok()
}

/// Why there is no number, as the end of a sentence.
pub fn explain(fl: &mut Flattener<'_>, why: Unfolded) -> Res<String> {
    Ok(match why {
        Unfolded::Reported => return Err(Reported),
        Unfolded::Variable(var) => {
            format!("depends on {}, which is not a parameter", instance::variable_name(fl, var))
        }
        Unfolded::NoValue(var) => {
            format!("depends on the parameter {}, which has no value", instance::variable_name(fl, var))
        }
        Unfolded::Free(var) => {
            let name = instance::variable_name(fl, var);
            format!("depends on the parameter {name}, which is computed when the run starts (fixed = false)")
        }
        Unfolded::Operator(op) => format!("depends on {}", format!("{op:?}").to_lowercase()),
        Unfolded::Call(function, why) => {
            let name = fl.pool.function(function).name.clone();
            // Behind the first line is the way there, call by call.
            let why = why.lines().next().unwrap_or_default();
            format!("needs the function {name}, which cannot be evaluated at compile time: {why}")
        }
        Unfolded::ByZero(op) => {
            let name = match op {
                Op::IntegerDiv => "div",
                Op::Mod => "mod",
                _ => "rem",
            };
            format!("divides by zero in {name}")
        }
        Unfolded::Inexact(x) => {
            format!("divides an Integer that has lost digits: {}", integers::too_large(x))
        }
        Unfolded::TooDeep => "is nested too deeply".to_owned(),
    })
}

/// The value of an expression that must be known now.
pub fn structural(fl: &mut Flattener<'_>, scope: Scope, expr: ast::ExprId, what: &str) -> Res<Value> {
    let value = fl.eval(scope, expr)?;
    match fold_value(fl, &value) {
        Ok(value) => Ok(value),
        Err(why) => {
            let help = match why {
                Unfolded::Variable(var) => {
                    let name = instance::variable_name(fl, var);
                    Some(format!("declare {name} as a parameter or a constant"))
                }
                Unfolded::NoValue(var) => Some(format!("give {} a value", instance::variable_name(fl, var))),
                _ => None,
            };
            let why = explain(fl, why)?;
            let span = fl.cx.lib.ast_ref(scope.file).span(expr);
            let message = format!("{what} must be known at compile time, but it {why}");
            let location = fl.cx.lib.location(scope.file, span);
            let mut diagnostic = Diagnostic::error("K0301", message).at(location, "");
            diagnostic.help = help;
            let diagnostic = place::with_declarations(fl, diagnostic, scope, &[expr]);
            Err(fl.cx.report(diagnostic))
        }
    }
}

/// The variability of an expression: that of the most variable thing in it (specification section 3.8).
pub fn variability(fl: &mut Flattener<'_>, e: ExprId) -> Variability {
    let mut most = Variability::Constant;
    let mut stack = vec![e];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        match fl.pool.node(e) {
            Expression::Const(_) | Expression::Text(_) => {}
            Expression::Var(var) => {
                let (inst, _) = fl.slots[var.index()];
                let inst = fl.inst(inst);
                let mut own = inst.variability;
                let ty = inst.info.as_ref().and_then(|i| i.leaf).map(|l| Ty::of(l.builtin));
                if own == Variability::Continuous && ty.is_some_and(|t| t != Ty::Real) {
                    own = Variability::Discrete;
                }
                most = most.max(own);
            }
            Expression::Op(op, args) => match op {
                Op::Time | Op::Der | Op::Delay => return Variability::Continuous,
                Op::Pre | Op::Initial | Op::Terminal | Op::Sample => most = most.max(Variability::Discrete),
                _ => stack.extend_from_slice(args),
            },
            Expression::Call(function, args) => {
                match builtins::operator_name(fl.pool.function(function)) {
                    Some("spatialDistribution") => return Variability::Continuous,
                    // The values of a clocked variable come one by one.
                    Some(_) => most = most.max(Variability::Discrete),
                    None => stack.extend_from_slice(args),
                }
            }
            Expression::Output(call, _) => stack.push(call),
        }
        if most == Variability::Continuous {
            return most;
        }
    }
    most
}

/// Is an element of a leaf left to the initial problem: `fixed = false`?
fn is_free(fl: &mut Flattener<'_>, inst: ids::InstId, offset: u32) -> Res<bool> {
    let fixed = match attribute(fl, inst, Symbol::new("fixed"))? {
        Some(Value::Plain(_, array)) if array.rank() == 0 => array.data().first().copied(),
        Some(Value::Plain(_, array)) => array.data().get(offset as usize).copied(),
        _ => None,
    };
    let Some(fixed) = fixed else { return Ok(false) };
    Ok(fl.fold(fixed).is_ok_and(|fixed| fl.pool.as_constant(fixed) == Some(0.0)))
}

/// The start value of an element of a leaf.
pub fn start_value(fl: &mut Flattener<'_>, inst: ids::InstId, offset: u32) -> Res<Option<ExprId>> {
    let value = attribute(fl, inst, Symbol::new("start"))?;
    Ok(match value {
        Some(Value::Plain(_, array)) if array.rank() == 0 => array.data().first().copied(),
        Some(Value::Plain(_, array)) => array.data().get(offset as usize).copied(),
        _ => None,
    })
}

/// An attribute of a leaf, cut to the elements of arrays it is in.
pub fn attribute(fl: &mut Flattener<'_>, id: ids::InstId, name: Symbol) -> Res<Option<Value>> {
    let Some(leaf) = fl.inst(id).info.as_ref().and_then(|i| i.leaf) else { return Ok(None) };
    let Some((place, _)) = fl.cx.attribute(leaf.mods, name) else { return Ok(None) };
    let ast = fl.cx.lib.ast(place.file);
    let like_variable = matches!(name.as_str(), "start" | "min" | "max" | "nominal");
    if let Some(value) = literal(&mut fl.pool, &ast, place.expr)
        && like_variable
        && value.ty() == Some(Ty::of(leaf.builtin))
    {
        check_each_attribute(fl, id, name, &place, 0)?;
        return Ok(Some(value));
    }
    let scope = instance::place_scope(fl, id, &place);
    let subs = instance::path_subscripts(fl, scope.inst, id);
    let value = if subs.is_empty() {
        std::sync::Arc::new(fl.eval(scope, place.expr)?)
    } else {
        fl.eval_shared(scope, place.expr)?
    };
    let rank = match &fl.inst(id).node {
        tree::Node::Leaf(_, shape) => shape.len(),
        _ => 0,
    };
    check_each_attribute(fl, id, name, &place, value.rank())?;
    let value = if value.rank() > rank { instance::cut(fl, id, value, rank, &subs)? } else { value };
    let ty = Ty::of(leaf.builtin);
    let expected = match name.as_str() {
        "fixed" | "unbounded" => Ty::Boolean,
        "unit" | "displayUnit" | "quantity" => Ty::String,
        "stateSelect" => match fl.cx.lib.root(Symbol::new("StateSelect")) {
            Some(def) => Ty::Enumeration(EnumerationType::new(&fl.cx.lib, def)),
            None => ty,
        },
        _ if like_variable => ty,
        _ => value.ty().unwrap_or(ty),
    };
    if !value.ty().is_some_and(|t| value::assignable(expected, t)) {
        return Err(wrong_attribute(fl, id, name, &place, expected, &value));
    }
    Ok(Some(match value.ty() {
        Some(Ty::Integer) if ty == Ty::Real => with_ty(Value::clone(&value), ty),
        _ => Value::clone(&value),
    }))
}

/// An attribute of an array has the dimensions of the array, unless it says `each` (specification section 7.2.5).
fn check_each_attribute(
    fl: &mut Flattener<'_>,
    id: ids::InstId,
    name: Symbol,
    place: &crate::class::Place,
    given: usize,
) -> Res<()> {
    if place.levels == crate::modifier::ANY_LEVELS {
        return Ok(());
    }
    let rank = match &fl.inst(id).node {
        tree::Node::Leaf(_, shape) => shape.len(),
        _ => 0,
    };
    // The attribute itself is the first level, the variable the second; all above may be parts of arrays.
    let mut expected = if place.levels >= 2 { rank } else { 0 };
    let mut at = Some(id);
    for _ in 2..place.levels {
        at = at.and_then(|i| fl.inst(i).parent);
        match at {
            Some(i) => expected += fl.inst(i).subs.len(),
            None => break,
        }
    }
    if given == expected {
        return Ok(());
    }
    let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
    let location = fl.cx.lib.location(place.file, span);
    let path = fl.path(id);
    if given < expected {
        // What is meant is clear, and other tools take it.
        let message = format!(
            "`each` is missing: {path} is an array or part of one, and this is one {name} for all of it"
        );
        let help = "write `each` in front of the modifier, or give an array of values";
        let warning = Diagnostic::warning("K0227", message).at(location, "this value").help(help);
        instance::report_at_decl(fl, id, warning);
    } else if place.each {
        let message = format!("`each` gives every element the whole value, but {name} of {path} is a scalar");
        let help = "leave out `each` to give every element its own part of the value";
        let diagnostic = Diagnostic::error("K0227", message).at(location, "this value").help(help);
        return Err(instance::report_at_decl(fl, id, diagnostic));
    }
    Ok(())
}

fn wrong_attribute(
    fl: &mut Flattener<'_>,
    id: ids::InstId,
    name: Symbol,
    place: &crate::class::Place,
    expected: Ty,
    value: &Value,
) -> Reported {
    let path = fl.path(id);
    let message = format!(
        "{name} of {path} must be {}, not {}",
        interface::type_name(fl.cx, expected),
        value.describe()
    );
    let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
    let location = fl.cx.lib.location(place.file, span);
    let diagnostic = Diagnostic::error("K0317", message).at(location, "this value");
    instance::report_at_decl(fl, id, diagnostic)
}

/// The value of a literal, without looking anything up.
pub fn literal(pool: &mut Pool, ast: &kausal_syntax::Ast, expr: ast::ExprId) -> Option<Value> {
    Some(match ast.exprs[expr] {
        Expr::Integer(i) => Value::scalar(Ty::Integer, pool.constant(i as f64)),
        Expr::Real(x) => Value::scalar(Ty::Real, pool.constant(x)),
        Expr::Boolean(b) => Value::scalar(Ty::Boolean, pool.boolean(b)),
        Expr::String(s) => Value::scalar(Ty::String, pool.text(&ast.string(s))),
        _ => return None,
    })
}
