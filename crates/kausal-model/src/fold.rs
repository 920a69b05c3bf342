//! Numbers at compile time: an expression whose variables are parameters is replaced by its value
//! (specification section 3.8: structural parameters).

use kausal_symbolic::{ExprId, FunctionId, Node as Expression, Op, VarId};
use kausal_syntax::ast::{self, Expr, Variability};
use kausal_syntax::{Diagnostic, Symbol};

use crate::class::{Reported, Res};
use crate::flattener::{Flattener, Scope, with_ty};
use crate::prelude::EnumerationType;
use crate::value::{RecordValue, Ty, Value};

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
        let value = self.fold_new(e);
        self.depth -= 1;
        let value = value?;
        if !self.peeking {
            self.folded.insert(e, value);
        }
        Ok(value)
    }

    /// The value of an expression, where it is only looked at: its parameters can still be changed.
    pub fn peek(&mut self, e: ExprId) -> Option<ExprId> {
        let mark = self.cx.diagnostics.len();
        let outside = std::mem::replace(&mut self.peeking, true);
        let value = self.fold(e).ok();
        self.peeking = outside;
        self.cx.diagnostics.truncate(mark);
        value
    }

    fn fold_new(&mut self, e: ExprId) -> Result<ExprId, Unfolded> {
        match self.pool.node(e) {
            Expression::Const(_) | Expression::Text(_) => Ok(e),
            Expression::Var(var) => self.fold_variable(var),
            Expression::Op(op, args) => {
                let args = args.to_vec();
                self.fold_op(op, &args)
            }
            Expression::Output(call, k) => {
                let Expression::Call(function, args) = self.pool.node(call) else {
                    return Err(Unfolded::TooDeep);
                };
                let args = args.to_vec();
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.fold(arg)?);
                }
                let outputs = self.run_function(function, &values)?;
                outputs.get(k as usize).copied().ok_or(Unfolded::TooDeep)
            }
            Expression::Call(function, _) => {
                Err(Unfolded::Call(function, "it has no single value".to_owned()))
            }
        }
    }

    fn fold_op(&mut self, op: Op, args: &[ExprId]) -> Result<ExprId, Unfolded> {
        match op {
            Op::If => {
                let condition = self.fold(args[0])?;
                let holds = self.pool.as_constant(condition).is_some_and(|c| c != 0.0);
                self.fold(args[if holds { 1 } else { 2 }])
            }
            Op::And | Op::Or => {
                let stop = op == Op::Or;
                let mut failed = None;
                for &arg in args {
                    match self.fold(arg) {
                        Ok(value) => {
                            if (self.pool.as_constant(value) != Some(0.0)) == stop {
                                return Ok(self.pool.boolean(stop));
                            }
                        }
                        Err(why) => failed = failed.or(Some(why)),
                    }
                }
                failed.map_or_else(|| Ok(self.pool.boolean(!stop)), Err)
            }
            Op::NoEvent | Op::Homotopy => self.fold(args[0]),
            Op::Smooth => self.fold(args[1]),
            _ if op.is_context_dependent() => Err(Unfolded::Operator(op)),
            _ => {
                let mut numbers = Vec::with_capacity(args.len());
                let mut texts = Vec::new();
                for &arg in args {
                    let value = self.fold(arg)?;
                    match self.pool.node(value) {
                        Expression::Const(x) => numbers.push(x),
                        Expression::Text(t) => texts.push(t),
                        _ => return Err(Unfolded::Operator(op)),
                    }
                }
                if let [a, b] = texts[..] {
                    let order = self.pool.text_of(a).cmp(self.pool.text_of(b));
                    let holds = match op {
                        Op::Equal => order.is_eq(),
                        Op::NotEqual => order.is_ne(),
                        Op::Less => order.is_lt(),
                        Op::LessEqual => order.is_le(),
                        _ => return Err(Unfolded::Operator(op)),
                    };
                    return Ok(self.pool.boolean(holds));
                }
                if matches!(op, Op::IntegerDiv | Op::Mod | Op::Rem) && numbers.get(1) == Some(&0.0) {
                    return Err(Unfolded::ByZero(op));
                }
                let value = op.eval(&numbers);
                Ok(self.pool.constant(value))
            }
        }
    }

    fn fold_variable(&mut self, var: VarId) -> Result<ExprId, Unfolded> {
        let (inst, offset) = self.slots[var.index()];
        if self.inst(inst).variability > Variability::Parameter {
            return Err(Unfolded::Variable(var));
        }
        if !self.folding.insert(var) {
            let path = self.variable_name(var);
            let message = format!("the value of the parameter {path} depends on itself");
            self.report_at_decl(inst, Diagnostic::error("K0315", message));
            return Err(Unfolded::Reported);
        }
        let result = self.fold_parameter(var, inst, offset);
        self.folding.remove(&var);
        if result.is_ok() && !self.peeking {
            self.evaluated.insert(var);
        }
        result
    }

    fn fold_parameter(
        &mut self,
        var: VarId,
        inst: crate::instance::InstId,
        offset: u32,
    ) -> Result<ExprId, Unfolded> {
        let binding = self.binding(inst).map_err(|Reported| Unfolded::Reported)?;
        let expr = match &binding {
            Some(value) => match &**value {
                Value::Plain(_, array) => array.data().get(offset as usize).copied(),
                _ => None,
            },
            None if self.is_free(inst, offset).map_err(|Reported| Unfolded::Reported)? => {
                return Err(Unfolded::Free(var));
            }
            None => {
                let start = self.start_value(inst, offset).map_err(|Reported| Unfolded::Reported)?;
                if start.is_some() {
                    let path = self.variable_name(var);
                    let message = format!("the parameter {path} has no value; its start value is used");
                    let location = self.inst(inst).info.as_ref().map(|i| i.location);
                    let warning = Diagnostic::warning("K0323", message);
                    self.cx.report(match location {
                        Some(location) => warning.at(location, "declared here"),
                        None => warning,
                    });
                }
                start
            }
        };
        match expr {
            Some(expr) => self.fold(expr),
            None => Err(Unfolded::NoValue(var)),
        }
    }

    /// Folds every scalar of a value.
    pub fn fold_value(&mut self, value: &Value) -> Result<Value, Unfolded> {
        Ok(match value {
            Value::Plain(ty, array) => Value::Plain(*ty, array.try_map(|&e| self.fold(e))?),
            Value::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for (name, field) in &record.fields {
                    fields.push((*name, self.fold_value(field)?));
                }
                Value::Record(Box::new(RecordValue {
                    klass: record.klass,
                    shape: record.shape.clone(),
                    fields,
                }))
            }
            other => other.clone(),
        })
    }

    /// The same, without a reason when it does not work.
    pub fn try_fold_value(&mut self, value: &Value) -> Option<Value> {
        self.fold_value(value).ok()
    }

    /// Why there is no number, as the end of a sentence.
    pub fn explain(&mut self, why: Unfolded) -> Res<String> {
        Ok(match why {
            Unfolded::Reported => return Err(Reported),
            Unfolded::Variable(var) => {
                format!("depends on {}, which is not a parameter", self.variable_name(var))
            }
            Unfolded::NoValue(var) => {
                format!("depends on the parameter {}, which has no value", self.variable_name(var))
            }
            Unfolded::Free(var) => {
                let name = self.variable_name(var);
                format!(
                    "depends on the parameter {name}, which is computed when the run starts (fixed = false)"
                )
            }
            Unfolded::Operator(op) => format!("depends on {}", format!("{op:?}").to_lowercase()),
            Unfolded::Call(function, why) => {
                let name = self.pool.function(function).name.clone();
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
            Unfolded::TooDeep => "is nested too deeply".to_owned(),
        })
    }

    /// The value of an expression that must be known now.
    pub fn structural(&mut self, scope: Scope, expr: ast::ExprId, what: &str) -> Res<Value> {
        let value = self.eval(scope, expr)?;
        match self.fold_value(&value) {
            Ok(value) => Ok(value),
            Err(why) => {
                let why = self.explain(why)?;
                let span = self.cx.lib.ast_ref(scope.file).span(expr);
                let message = format!("{what} must be known at compile time, but it {why}");
                let location = self.cx.lib.location(scope.file, span);
                let diagnostic = Diagnostic::error("K0301", message).at(location, "");
                let diagnostic = self.with_declarations(diagnostic, scope, &[expr]);
                Err(self.cx.report(diagnostic))
            }
        }
    }

    /// A number that must be known now.
    pub fn structural_number(&mut self, scope: Scope, expr: ast::ExprId, what: &str) -> Res<f64> {
        let value = self.structural(scope, expr, what)?;
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
        let value = self.structural(scope, expr, what)?;
        match (value.ty(), value.as_scalar().and_then(|e| self.pool.as_constant(e))) {
            (Some(Ty::Boolean), Some(x)) => Ok(x != 0.0),
            _ => {
                let span = self.cx.lib.ast_ref(scope.file).span(expr);
                let message = format!("{what} must be Boolean, not {}", value.describe());
                Err(self.error_at("K0303", message, scope.file, span))
            }
        }
    }

    /// The variability of an expression: that of the most variable thing in it (specification section 3.8).
    pub fn variability(&mut self, e: ExprId) -> Variability {
        let mut most = Variability::Constant;
        let mut stack = vec![e];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            match self.pool.node(e) {
                Expression::Const(_) | Expression::Text(_) => {}
                Expression::Var(var) => {
                    let (inst, _) = self.slots[var.index()];
                    let inst = self.inst(inst);
                    let mut own = inst.variability;
                    let ty = inst.info.as_ref().and_then(|i| i.leaf).map(|l| Ty::of(l.builtin));
                    if own == Variability::Continuous && ty.is_some_and(|t| t != Ty::Real) {
                        own = Variability::Discrete;
                    }
                    most = most.max(own);
                }
                Expression::Op(op, args) => match op {
                    Op::Time | Op::Der | Op::Delay => return Variability::Continuous,
                    Op::Pre | Op::Initial | Op::Terminal | Op::Sample => {
                        most = most.max(Variability::Discrete)
                    }
                    _ => stack.extend_from_slice(args),
                },
                Expression::Call(function, args) => {
                    match crate::expr::kept::operator_name(self.pool.function(function)) {
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
    fn is_free(&mut self, inst: crate::instance::InstId, offset: u32) -> Res<bool> {
        let fixed = match self.attribute(inst, Symbol::new("fixed"))? {
            Some(Value::Plain(_, array)) if array.rank() == 0 => array.data().first().copied(),
            Some(Value::Plain(_, array)) => array.data().get(offset as usize).copied(),
            _ => None,
        };
        let Some(fixed) = fixed else { return Ok(false) };
        Ok(self.fold(fixed).is_ok_and(|fixed| self.pool.as_constant(fixed) == Some(0.0)))
    }

    /// The start value of an element of a leaf.
    pub fn start_value(&mut self, inst: crate::instance::InstId, offset: u32) -> Res<Option<ExprId>> {
        let value = self.attribute(inst, Symbol::new("start"))?;
        Ok(match value {
            Some(Value::Plain(_, array)) if array.rank() == 0 => array.data().first().copied(),
            Some(Value::Plain(_, array)) => array.data().get(offset as usize).copied(),
            _ => None,
        })
    }

    /// An attribute of a leaf, cut to the elements of arrays it is in.
    pub fn attribute(&mut self, id: crate::instance::InstId, name: Symbol) -> Res<Option<Value>> {
        let Some(leaf) = self.inst(id).info.as_ref().and_then(|i| i.leaf) else { return Ok(None) };
        let Some((place, _)) = self.cx.attribute(leaf.mods, name) else { return Ok(None) };
        let ast = self.cx.lib.ast(place.file);
        let like_variable = matches!(name.as_str(), "start" | "min" | "max" | "nominal");
        if let Some(value) = self.literal(&ast, place.expr)
            && like_variable
            && value.ty() == Some(Ty::of(leaf.builtin))
        {
            self.check_each_attribute(id, name, &place, 0)?;
            return Ok(Some(value));
        }
        let scope = self.place_scope(id, &place);
        let subs = self.path_subscripts(scope.inst, id);
        let value = if subs.is_empty() {
            std::sync::Arc::new(self.eval(scope, place.expr)?)
        } else {
            self.eval_shared(scope, place.expr)?
        };
        let rank = match &self.inst(id).node {
            crate::instance::Node::Leaf(_, shape) => shape.len(),
            _ => 0,
        };
        self.check_each_attribute(id, name, &place, value.rank())?;
        let value = if value.rank() > rank { self.cut(id, value, rank, &subs)? } else { value };
        let ty = Ty::of(leaf.builtin);
        let expected = match name.as_str() {
            "fixed" | "unbounded" => Ty::Boolean,
            "unit" | "displayUnit" | "quantity" => Ty::String,
            "stateSelect" => match self.cx.lib.root(Symbol::new("StateSelect")) {
                Some(def) => Ty::Enumeration(EnumerationType::new(&self.cx.lib, def)),
                None => ty,
            },
            _ if like_variable => ty,
            _ => value.ty().unwrap_or(ty),
        };
        if !value.ty().is_some_and(|t| crate::flattener::assignable(expected, t)) {
            return Err(self.wrong_attribute(id, name, &place, expected, &value));
        }
        Ok(Some(match value.ty() {
            Some(Ty::Integer) if ty == Ty::Real => with_ty(Value::clone(&value), ty),
            _ => Value::clone(&value),
        }))
    }

    /// An attribute of an array has the dimensions of the array, unless it says `each` (specification section 7.2.5).
    fn check_each_attribute(
        &mut self,
        id: crate::instance::InstId,
        name: Symbol,
        place: &crate::class::Place,
        given: usize,
    ) -> Res<()> {
        if place.levels == crate::modifier::ANY_LEVELS {
            return Ok(());
        }
        let rank = match &self.inst(id).node {
            crate::instance::Node::Leaf(_, shape) => shape.len(),
            _ => 0,
        };
        // The attribute itself is the first level, the variable the second; all above may be parts of arrays.
        let mut expected = if place.levels >= 2 { rank } else { 0 };
        let mut at = Some(id);
        for _ in 2..place.levels {
            at = at.and_then(|i| self.inst(i).parent);
            match at {
                Some(i) => expected += self.inst(i).subs.len(),
                None => break,
            }
        }
        if given == expected {
            return Ok(());
        }
        let span = self.cx.lib.ast_ref(place.file).span(place.expr);
        let location = self.cx.lib.location(place.file, span);
        let path = self.path(id);
        if given < expected {
            // What is meant is clear, and other tools take it.
            let message = format!(
                "`each` is missing: {path} is an array or part of one, and this is one {name} for all of it"
            );
            let help = "write `each` in front of the modifier, or give an array of values";
            let warning = Diagnostic::warning("K0227", message).at(location, "this value").help(help);
            self.report_at_decl(id, warning);
        } else if place.each {
            let message =
                format!("`each` gives every element the whole value, but {name} of {path} is a scalar");
            let help = "leave out `each` to give every element its own part of the value";
            let diagnostic = Diagnostic::error("K0227", message).at(location, "this value").help(help);
            return Err(self.report_at_decl(id, diagnostic));
        }
        Ok(())
    }

    fn wrong_attribute(
        &mut self,
        id: crate::instance::InstId,
        name: Symbol,
        place: &crate::class::Place,
        expected: Ty,
        value: &Value,
    ) -> Reported {
        let path = self.path(id);
        let message =
            format!("{name} of {path} must be {}, not {}", self.type_name(expected), value.describe());
        let span = self.cx.lib.ast_ref(place.file).span(place.expr);
        let location = self.cx.lib.location(place.file, span);
        let diagnostic = Diagnostic::error("K0317", message).at(location, "this value");
        self.report_at_decl(id, diagnostic)
    }

    /// The value of a literal, without looking anything up.
    pub fn literal(&mut self, ast: &kausal_syntax::Ast, expr: ast::ExprId) -> Option<Value> {
        Some(match ast.exprs[expr] {
            Expr::Integer(i) => Value::scalar(Ty::Integer, self.pool.constant(i as f64)),
            Expr::Real(x) => Value::scalar(Ty::Real, self.pool.constant(x)),
            Expr::Boolean(b) => Value::scalar(Ty::Boolean, self.pool.boolean(b)),
            Expr::String(s) => Value::scalar(Ty::String, self.pool.text(&ast.string(s))),
            _ => return None,
        })
    }
}
