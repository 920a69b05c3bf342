//! Equations of all forms (specification chapter 8): arrays become scalars, `for` is unrolled, `if` is decided
//! where its condition is a parameter and merged where it is not.

use kausal_symbolic::function::Array;
use kausal_symbolic::{ExprId, Node as Expression, Op, VarId};
use kausal_syntax::ast::{self, EquationKind, Expr, Variability};
use kausal_syntax::{Ast, Diagnostic, Location, Span};

use crate::class::{Reported, Res};
use crate::expr::builtin::Call;
use crate::expr::operator::IteratorBody;
use crate::flat::{
    Action, ActionKind, ClockedWhen, Equation, HintKind, Origin, OriginKind, When, WhenBranch,
};
use crate::flattener::{Flattener, Scope};
use crate::value::{Ty, Value};
use rustc_hash::FxHashSet;

/// Where flat equations go.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    /// Equations.
    pub equations: Vec<Equation>,
    /// Hints: equation, on what, which.
    pub hints: Vec<(usize, ExprId, HintKind)>,
    /// `assert`, `terminate`, calls.
    pub actions: Vec<Action>,
    /// `when` clauses.
    pub whens: Vec<When>,
    /// Clocked `when` clauses.
    pub clocked: Vec<ClockedWhen>,
}

/// What is known about the equation at hand.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Where its names are looked up.
    pub scope: Scope,
    /// The tree.
    pub ast: &'a Ast,
    /// The path of its component.
    pub component: &'a str,
    /// In an initial equation section.
    pub initial: bool,
}

impl Context<'_> {
    /// Where an equation comes from.
    pub fn origin(&self, span: Span, kind: OriginKind) -> Origin {
        let location = Location { source: self.ast.source, span };
        Origin { component: self.component.to_owned(), location: Some(location), kind }
    }
}

impl Flattener<'_> {
    /// Flattens equations; what fails is reported and left out.
    pub fn equations(&mut self, cx: Context<'_>, equations: &[ast::Equation], sink: &mut Sink) {
        for equation in equations {
            let _ = self.equation(cx, equation, sink);
        }
    }

    fn equation(&mut self, cx: Context<'_>, equation: &ast::Equation, sink: &mut Sink) -> Res<()> {
        let origin = |kind| cx.origin(equation.span, kind);
        match &equation.kind {
            EquationKind::Equal(l, r) => {
                self.hints.clear();
                let first = sink.equations.len();
                self.equal(cx, *l, *r, origin(OriginKind::Equation), sink)?;
                self.attach_hints(first, sink);
                Ok(())
            }
            EquationKind::Connect(..) if cx.initial => {
                let message = "connect cannot stand among initial equations";
                Err(self.error_at("K0369", message, cx.scope.file, equation.span))
            }
            EquationKind::When { .. } if cx.initial => {
                let message = "`when` cannot stand among initial equations";
                Err(self.error_at("K0369", message, cx.scope.file, equation.span))
            }
            // Connections are collected before.
            EquationKind::Connect(..) => Ok(()),
            EquationKind::Call(call) => self.call_equation(cx, *call, origin(OriginKind::Equation), sink),
            EquationKind::If { branches, otherwise } => {
                self.if_equation(cx, equation, branches, otherwise, sink)
            }
            EquationKind::For { iterators, body } => {
                let iterators = cx.ast.lists.iterators.get(*iterators);
                self.for_equation(cx, iterators, body, sink)
            }
            EquationKind::When { branches } => {
                if let Some(clock) = self.clock_of(cx, branches)? {
                    return self.clocked_when(cx, clock, branches, origin(OriginKind::Equation), sink);
                }
                let when = self.when_equation(cx, branches, origin(OriginKind::Equation))?;
                sink.whens.extend(when);
                Ok(())
            }
        }
    }

    fn attach_hints(&mut self, first: usize, sink: &mut Sink) {
        let count = sink.equations.len() - first;
        for hint in std::mem::take(&mut self.hints) {
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
        &mut self,
        cx: Context<'_>,
        l: ast::ExprId,
        r: ast::ExprId,
        origin: Origin,
        sink: &mut Sink,
    ) -> Res<()> {
        if let Expr::Tuple(items) = cx.ast.exprs[l] {
            let outputs = self.outputs_of(cx.scope, cx.ast, r)?;
            let targets = cx.ast.lists.exprs.get(items);
            if targets.len() > outputs.len() {
                let message =
                    format!("{} results are expected, but there are {}", targets.len(), outputs.len());
                return Err(self.at_expr(cx.scope, r, "K0360", message));
            }
            for (&target, output) in targets.iter().zip(outputs) {
                if matches!(cx.ast.exprs[target], Expr::Missing) {
                    continue;
                }
                let value = self.eval(cx.scope, target)?;
                self.equate(cx, l, &value, &output, &origin, sink)?;
            }
            return Ok(());
        }
        let left = self.eval(cx.scope, l);
        let right = self.eval(cx.scope, r);
        self.equate(cx, l, &left?, &right?, &origin, sink)
    }

    /// All outputs of a call.
    pub fn outputs_of(&mut self, scope: Scope, ast: &Ast, expr: ast::ExprId) -> Res<Vec<Value>> {
        match ast.exprs[expr] {
            Expr::Call { function, args } => {
                self.eval_call(scope, ast, expr, &function, ast.lists.args.get(args))
            }
            _ => {
                Err(self.at_expr(scope, expr, "K0361", "several results can only come from a function call"))
            }
        }
    }

    /// `a = b` for all scalars of two values.
    pub fn equate(
        &mut self,
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
                    return Err(self.report_equation(cx, at, origin, "K0362", message));
                }
                if let Some(var) = self.integer_misfit((*ta, x), (*tb, y)) {
                    let message =
                        format!("{} is an Integer, but this gives it a Real", self.variable_name(var));
                    let location =
                        origin.location.unwrap_or(Location { source: cx.ast.source, span: cx.ast.span(at) });
                    let diagnostic = Diagnostic::error("K0362", message).at(location, "this equation");
                    return Err(self.report_at_decl(self.slots[var.index()].0, diagnostic));
                }
                if x.shape() != y.shape() {
                    let message = format!("both sides differ in size: {} and {}", a.describe(), b.describe());
                    return Err(self.report_equation(cx, at, origin, "K0363", message));
                }
                self.spend_at(cx.scope, at, x.len() as u64 * crate::budget::EQUATION)?;
                for (&lhs, &rhs) in x.data().iter().zip(y.data()) {
                    if !cx.initial && !self.in_when {
                        self.check_determines(lhs, rhs, origin)?;
                    }
                    sink.equations.push(Equation { lhs, rhs, origin: origin.clone() });
                }
                Ok(())
            }
            (Value::Record(x), Value::Record(_)) => {
                for (name, field) in &x.fields {
                    let Some(other) = b.field(*name) else {
                        let message = format!("{} has no field {name}", self.describe(b));
                        return Err(self.report_equation(cx, at, origin, "K0364", message));
                    };
                    self.equate(cx, at, field, other, origin, sink)?;
                }
                Ok(())
            }
            _ => {
                let message = format!("{} cannot be equal to {}", self.describe(a), self.describe(b));
                Err(self.report_equation(cx, at, origin, "K0362", message))
            }
        }
    }

    /// An Integer variable that an equation equates with a Real that cannot be an unknown: nothing else could be determined.
    fn integer_misfit(&mut self, a: (Ty, &Array<ExprId>), b: (Ty, &Array<ExprId>)) -> Option<VarId> {
        let (integers, reals) = match (a.0, b.0) {
            (Ty::Integer, Ty::Real) => (a.1, b.1),
            (Ty::Real, Ty::Integer) if !self.in_when => (b.1, a.1),
            _ => return None,
        };
        integers.data().iter().zip(reals.data()).find_map(|(&integer, &real)| {
            let var = self.as_variable(integer)?;
            let known = self.in_when || self.variability(real) <= Variability::Parameter;
            known.then_some(var)
        })
    }

    /// An equation between a parameter and something that does not vary either determines nothing.
    fn check_determines(&mut self, lhs: ExprId, rhs: ExprId, origin: &Origin) -> Res<()> {
        let parameter = [lhs, rhs].into_iter().find_map(|e| {
            let var = self.as_variable(e)?;
            let (leaf, _) = self.slots[var.index()];
            (self.inst(leaf).variability <= Variability::Parameter).then_some((var, leaf))
        });
        let Some((var, leaf)) = parameter else { return Ok(()) };
        if self.variability(lhs).max(self.variability(rhs)) > Variability::Parameter {
            return Ok(());
        }
        let name = self.variable_name(var);
        let message = format!("this equation determines nothing: {name} is a parameter");
        let mut diagnostic = Diagnostic::error("K0325", message)
            .help(format!("give {name} its value where it is declared, or in an initial equation"));
        if let Some(location) = origin.location {
            diagnostic = diagnostic.at(location, "this equation");
        }
        Err(self.report_at_decl(leaf, diagnostic))
    }

    fn report_equation(
        &mut self,
        cx: Context<'_>,
        at: ast::ExprId,
        origin: &Origin,
        code: &'static str,
        message: String,
    ) -> Reported {
        let location = origin.location.unwrap_or(Location { source: cx.ast.source, span: cx.ast.span(at) });
        let text = if cx.component.is_empty() { String::new() } else { format!("in {}", cx.component) };
        let diagnostic = Diagnostic::error(code, message).at(location, text);
        let diagnostic = self.with_declarations(diagnostic, cx.scope, &[at]);
        self.cx.report(diagnostic)
    }

    fn for_equation(
        &mut self,
        cx: Context<'_>,
        iterators: &[ast::Iterator],
        body: &[ast::Equation],
        sink: &mut Sink,
    ) -> Res<()> {
        let Some((first, rest)) = iterators.split_first() else {
            self.equations(cx, body, sink);
            return Ok(());
        };
        self.each_pass(cx.scope, first, IteratorBody::Equations(body), &mut |this, _| {
            this.for_equation(cx, rest, body, sink)
        })
    }

    /// The value of a condition: decided as a parameter if possible.
    pub fn condition(&mut self, scope: Scope, expr: ast::ExprId) -> Res<Condition> {
        let value = self.eval(scope, expr)?;
        let (Some(Ty::Boolean), Some(e)) = (value.ty(), value.as_scalar()) else {
            let message = format!("the condition must be Boolean, not {}", value.describe());
            return Err(self.at_expr(scope, expr, "K0342", message));
        };
        if self.variability(e) <= Variability::Parameter
            && let Ok(known) = self.fold(e)
        {
            return Ok(Condition::Known(self.pool.as_constant(known).is_some_and(|c| c != 0.0)));
        }
        Ok(Condition::Unknown(e))
    }

    fn if_equation(
        &mut self,
        cx: Context<'_>,
        equation: &ast::Equation,
        branches: &[(ast::ExprId, Vec<ast::Equation>)],
        otherwise: &[ast::Equation],
        sink: &mut Sink,
    ) -> Res<()> {
        let errors = |this: &Self| this.cx.diagnostics.iter().filter(|d| d.is_error()).count();
        let before = errors(self);
        let mut open: Vec<(ExprId, Sink)> = Vec::new();
        let mut last: Option<&[ast::Equation]> = Some(otherwise);
        for (condition, body) in branches {
            match self.condition(cx.scope, *condition)? {
                Condition::Known(false) => {}
                Condition::Known(true) => {
                    last = Some(body);
                    break;
                }
                Condition::Unknown(e) => {
                    let mut inner = Sink::default();
                    self.equations(cx, body, &mut inner);
                    open.push((e, inner));
                }
            }
        }
        let last = last.unwrap_or_default();
        if open.is_empty() {
            self.equations(cx, last, sink);
            return Ok(());
        }
        let mut rest = Sink::default();
        self.equations(cx, last, &mut rest);
        if errors(self) > before {
            // Equations with errors are missing in their branches.
            return Err(Reported);
        }
        self.merge_branches(cx, equation.span, open, rest, sink)
    }

    /// Several sets of equations of which one holds at a time become one set.
    fn merge_branches(
        &mut self,
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
                return Err(self.error_at("K0365", message, cx.scope.file, span));
            }
            let whens = [&branch, &rest].iter().any(|s| !s.whens.is_empty() || !s.clocked.is_empty());
            if whens {
                let message = "`when` cannot stand in an `if` equation whose condition changes";
                return Err(self.error_at("K0366", message, cx.scope.file, span));
            }
            self.align(&mut branch.equations, &mut rest.equations);
            let mut equations = Vec::with_capacity(branch.equations.len());
            for (a, b) in branch.equations.iter().zip(&rest.equations) {
                equations.push(self.either(condition, a, b));
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
    fn align(&self, a: &mut [Equation], b: &mut [Equation]) {
        for i in 0..a.len() {
            if a[i].lhs != b[i].lhs
                && let Some(j) = (i + 1..b.len()).find(|&j| b[j].lhs == a[i].lhs)
            {
                b.swap(i, j);
            }
        }
    }

    /// One equation of two; it stands where both stand, and everything between.
    fn either(&mut self, condition: ExprId, a: &Equation, b: &Equation) -> Equation {
        let mut origin = a.origin.clone();
        if let (Some(place), Some(other)) = (&mut origin.location, b.origin.location)
            && place.source == other.source
        {
            place.span = place.span.to(other.span);
        }
        if a.lhs == b.lhs {
            let rhs = self.pool.op(Op::If, &[condition, a.rhs, b.rhs]);
            return Equation { lhs: a.lhs, rhs, origin };
        }
        let residual = |this: &mut Self, e: &Equation| {
            let minus = this.pool.op(Op::Neg, &[e.rhs]);
            this.pool.op(Op::Add, &[e.lhs, minus])
        };
        let (x, y) = (residual(self, a), residual(self, b));
        let rhs = self.pool.op(Op::If, &[condition, x, y]);
        let lhs = self.pool.constant(0.0);
        Equation { lhs, rhs, origin }
    }

    fn call_equation(
        &mut self,
        cx: Context<'_>,
        call: ast::ExprId,
        origin: Origin,
        sink: &mut Sink,
    ) -> Res<()> {
        let Expr::Call { function, args } = cx.ast.exprs[call] else {
            return Err(self.at_expr(cx.scope, call, "K0367", "an equation needs `=` or a call"));
        };
        let parts = cx.ast.lists.parts.get(function.parts);
        if parts.first().is_some_and(|p| p.name.symbol.as_str() == "Connections") {
            return Ok(());
        }
        if let Some(action) = self.action(cx, call, &function, cx.ast.lists.args.get(args), origin)? {
            sink.actions.push(action);
        }
        Ok(())
    }

    /// `assert`, `terminate`, `reinit` or a call for its effects.
    fn action(
        &mut self,
        cx: Context<'_>,
        call: ast::ExprId,
        function: &ast::ComponentRef,
        args: &[ast::Arg],
        origin: Origin,
    ) -> Res<Option<Action>> {
        let name = crate::expr::reference::ref_text(cx.ast, function);
        let c = Call { scope: cx.scope, ast: cx.ast, expr: call, name: &name, args };
        let kind = match name.as_str() {
            "assert" => return self.assertion(c, origin),
            "terminate" => {
                let [message] = self.named_args(c, ["message"])?;
                let message = self.eval(cx.scope, message)?;
                let (Some(Ty::String), Some(e)) = (message.ty(), message.as_scalar()) else {
                    let text =
                        format!("the message of terminate must be a String, not {}", message.describe());
                    return Err(self.at_expr(cx.scope, call, "K0351", text));
                };
                ActionKind::Terminate(e)
            }
            "reinit" => {
                return Err(self.at_expr(
                    cx.scope,
                    call,
                    "K0368",
                    "reinit can only stand in a `when` clause",
                ));
            }
            _ => {
                self.functions.last_call = None;
                let outputs = self.eval_call(cx.scope, cx.ast, call, function, args)?;
                let mut scalars = Vec::new();
                outputs.iter().for_each(|o| o.scalars(&mut scalars));
                let call = scalars.into_iter().find_map(|e| match self.pool.node(e) {
                    Expression::Output(call, _) => Some(call),
                    Expression::Call(..) => Some(e),
                    _ => None,
                });
                match call.or(self.functions.last_call.take()) {
                    Some(call) => ActionKind::Call(call),
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(Action { kind, origin }))
    }

    fn assertion(&mut self, c: Call<'_>, origin: Origin) -> Res<Option<Action>> {
        let mut found = [None; 3];
        for (i, arg) in c.args.iter().enumerate() {
            let at = match arg.name.map(|n| n.symbol.as_str()) {
                None => i,
                Some("condition") => 0,
                Some("message") => 1,
                Some("level") => 2,
                Some(_) => return Err(self.wrong_args(c)),
            };
            match found.get_mut(at) {
                Some(slot @ None) => *slot = Some(arg.value),
                _ => return Err(self.wrong_args(c)),
            }
        }
        let (Some(condition), Some(message)) = (found[0], found[1]) else { return Err(self.wrong_args(c)) };
        let condition = self.eval(c.scope, condition)?;
        let message = self.eval(c.scope, message)?;
        let (Some(Ty::Boolean), Some(condition)) = (condition.ty(), condition.as_scalar()) else {
            let text = format!("the condition of assert must be Boolean, not {}", condition.describe());
            return Err(self.at_expr(c.scope, c.expr, "K0351", text));
        };
        let (Some(Ty::String), Some(message)) = (message.ty(), message.as_scalar()) else {
            let text = format!("the message of assert must be a String, not {}", message.describe());
            return Err(self.at_expr(c.scope, c.expr, "K0351", text));
        };
        let warning = match found[2] {
            Some(level) => {
                let value = self.eval(c.scope, level)?;
                if !matches!(value.ty(), Some(Ty::Enumeration(_))) {
                    let text =
                        format!("the level of assert must be an AssertionLevel, not {}", value.describe());
                    return Err(self.at_expr(c.scope, c.expr, "K0351", text));
                }
                self.structural_number(c.scope, level, "the level of an assertion")? == 1.0
            }
            None => false,
        };
        if self.pool.as_constant(condition).is_some_and(|c| c != 0.0) {
            return Ok(None);
        }
        Ok(Some(Action { kind: ActionKind::Assert { condition, message, warning }, origin }))
    }

    /// The clock of a clocked `when`.
    fn clock_of(
        &mut self,
        cx: Context<'_>,
        branches: &[(ast::ExprId, Vec<ast::Equation>)],
    ) -> Res<Option<ExprId>> {
        let Some((condition, _)) = branches.first() else { return Ok(None) };
        // What is wrong with the condition is reported where it is used.
        let Ok(value) = self.eval(cx.scope, *condition) else { return Ok(None) };
        Ok(value.as_scalar().filter(|_| value.ty() == Some(Ty::Clock)))
    }

    /// A clocked `when` (specification section 16.6): general equations, no `elsewhen`, nothing nested.
    fn clocked_when(
        &mut self,
        cx: Context<'_>,
        clock: ExprId,
        branches: &[(ast::ExprId, Vec<ast::Equation>)],
        origin: Origin,
        sink: &mut Sink,
    ) -> Res<()> {
        let [(_, body)] = branches else {
            let message = "a `when` clause with a clock as its condition has no `elsewhen`";
            return Err(self.at_expr(cx.scope, branches[1].0, "K0366", message));
        };
        let mut inner = Sink::default();
        self.in_when = true;
        self.equations(cx, body, &mut inner);
        self.in_when = false;
        let nested = inner.whens.first().map(|w| &w.origin);
        if let Some(nested) = nested.or(inner.clocked.first().map(|w| &w.origin)) {
            let span = nested.location.map_or(Span::default(), |l| l.span);
            return Err(self.error_at(
                "K0369",
                "`when` cannot stand in a `when` clause",
                cx.scope.file,
                span,
            ));
        }
        sink.clocked.push(ClockedWhen { clock, equations: inner.equations, actions: inner.actions, origin });
        Ok(())
    }

    /// A `when` equation (specification section 8.3.5).
    fn when_equation(
        &mut self,
        cx: Context<'_>,
        branches: &[(ast::ExprId, Vec<ast::Equation>)],
        origin: Origin,
    ) -> Res<Option<When>> {
        let mut out = Vec::with_capacity(branches.len());
        let mut failed = false;
        for (condition, body) in branches {
            let conditions = self.when_condition(cx, *condition);
            let mut actions = Vec::new();
            self.in_when = true;
            let done = self.when_body(cx, body, &mut actions);
            self.in_when = false;
            match (conditions, done) {
                (Ok(conditions), Ok(())) => out.push(WhenBranch { conditions, actions }),
                _ => failed = true,
            }
        }
        if failed {
            return Err(Reported);
        }
        self.check_same_targets(&out, &origin)?;
        Ok(Some(When { branches: out, origin }))
    }

    /// All branches assign the same variables (specification section 8.3.5.2).
    fn check_same_targets(&mut self, branches: &[WhenBranch], origin: &Origin) -> Res<()> {
        let mut first: Option<FxHashSet<VarId>> = None;
        for branch in branches {
            let mut assigned = FxHashSet::default();
            crate::check::assigned_in(&branch.actions, &mut assigned);
            for action in &branch.actions {
                self.check_same_in_if(action)?;
            }
            let Some(before) = &first else {
                first = Some(assigned);
                continue;
            };
            let Some(&var) = before.symmetric_difference(&assigned).min() else { continue };
            let name = self.variable_name(var);
            let message =
                format!("all branches of `when` must assign the same variables, but not all assign {name}");
            return Err(self.branches_differ(message, var, origin));
        }
        Ok(())
    }

    fn check_same_in_if(&mut self, action: &Action) -> Res<()> {
        let ActionKind::If(_, then, otherwise) = &action.kind else { return Ok(()) };
        let (mut a, mut b) = (FxHashSet::default(), FxHashSet::default());
        crate::check::assigned_in(then, &mut a);
        crate::check::assigned_in(otherwise, &mut b);
        let Some(&var) = a.symmetric_difference(&b).min() else { return Ok(()) };
        let name = self.variable_name(var);
        let message = format!(
            "all branches of `if` in `when` must assign the same variables, but not all assign {name}"
        );
        Err(self.branches_differ(message, var, &action.origin))
    }

    fn branches_differ(&mut self, message: String, var: VarId, origin: &Origin) -> Reported {
        let help =
            format!("assign {0} in every branch: `{0} = pre({0})` keeps its value", self.variable_name(var));
        let mut diagnostic = Diagnostic::error("K0366", message).help(help);
        if let Some(location) = origin.location {
            diagnostic = diagnostic.at(location, "here");
        }
        self.report_at_decl(self.slots[var.index()].0, diagnostic)
    }

    fn when_condition(&mut self, cx: Context<'_>, condition: ast::ExprId) -> Res<Vec<ExprId>> {
        match self.eval(cx.scope, condition)? {
            Value::Plain(Ty::Boolean, array) => Ok(array.into_data()),
            value => {
                let message = format!("the condition of `when` must be Boolean, not {}", value.describe());
                Err(self.at_expr(cx.scope, condition, "K0342", message))
            }
        }
    }

    fn when_body(&mut self, cx: Context<'_>, body: &[ast::Equation], out: &mut Vec<Action>) -> Res<()> {
        let mut failed = false;
        for equation in body {
            failed |= self.when_action(cx, equation, out).is_err();
        }
        if failed { Err(Reported) } else { Ok(()) }
    }

    fn when_action(&mut self, cx: Context<'_>, equation: &ast::Equation, out: &mut Vec<Action>) -> Res<()> {
        let origin = cx.origin(equation.span, OriginKind::Equation);
        match &equation.kind {
            EquationKind::Equal(l, r) => {
                if let Expr::Tuple(items) = cx.ast.exprs[*l] {
                    let outputs = self.outputs_of(cx.scope, cx.ast, *r)?;
                    for (&target, output) in cx.ast.lists.exprs.get(items).iter().zip(outputs) {
                        if !matches!(cx.ast.exprs[target], Expr::Missing) {
                            let value = self.eval(cx.scope, target)?;
                            self.assign_all(cx, target, &value, &output, &origin, out)?;
                        }
                    }
                    return Ok(());
                }
                let left = self.eval(cx.scope, *l)?;
                let right = self.eval(cx.scope, *r)?;
                self.assign_all(cx, *l, &left, &right, &origin, out)
            }
            EquationKind::Call(call) => {
                let Expr::Call { function, args } = cx.ast.exprs[*call] else { return Err(Reported) };
                let args = cx.ast.lists.args.get(args);
                if crate::expr::reference::ref_text(cx.ast, &function) == "reinit" {
                    return self.reinit(cx, *call, args, &origin, out);
                }
                out.extend(self.action(cx, *call, &function, args, origin)?);
                Ok(())
            }
            EquationKind::For { iterators, body } => {
                self.when_for(cx, cx.ast.lists.iterators.get(*iterators), body, out)
            }
            EquationKind::If { branches, otherwise } => self.when_if(cx, branches, otherwise, &origin, out),
            EquationKind::Connect(..) => Err(self.error_at(
                "K0369",
                "connect cannot stand in a `when` clause",
                cx.scope.file,
                equation.span,
            )),
            EquationKind::When { .. } => Err(self.error_at(
                "K0369",
                "`when` cannot stand in a `when` clause",
                cx.scope.file,
                equation.span,
            )),
        }
    }

    fn when_for(
        &mut self,
        cx: Context<'_>,
        iterators: &[ast::Iterator],
        body: &[ast::Equation],
        out: &mut Vec<Action>,
    ) -> Res<()> {
        let Some((first, rest)) = iterators.split_first() else { return self.when_body(cx, body, out) };
        self.each_pass(cx.scope, first, IteratorBody::Equations(body), &mut |this, _| {
            this.when_for(cx, rest, body, out)
        })
    }

    fn when_if(
        &mut self,
        cx: Context<'_>,
        branches: &[(ast::ExprId, Vec<ast::Equation>)],
        otherwise: &[ast::Equation],
        origin: &Origin,
        out: &mut Vec<Action>,
    ) -> Res<()> {
        let Some(((condition, body), more)) = branches.split_first() else {
            return self.when_body(cx, otherwise, out);
        };
        match self.condition(cx.scope, *condition)? {
            Condition::Known(true) => self.when_body(cx, body, out),
            Condition::Known(false) => self.when_if(cx, more, otherwise, origin, out),
            Condition::Unknown(e) => {
                let (mut then, mut or) = (Vec::new(), Vec::new());
                self.when_body(cx, body, &mut then)?;
                self.when_if(cx, more, otherwise, origin, &mut or)?;
                out.push(Action { kind: ActionKind::If(e, then, or), origin: origin.clone() });
                Ok(())
            }
        }
    }

    fn assign_all(
        &mut self,
        cx: Context<'_>,
        at: ast::ExprId,
        left: &Value,
        right: &Value,
        origin: &Origin,
        out: &mut Vec<Action>,
    ) -> Res<()> {
        let mut pairs = Sink::default();
        self.equate(cx, at, left, right, origin, &mut pairs)?;
        for pair in pairs.equations {
            let Expression::Var(var) = self.pool.node(pair.lhs) else {
                let message = "the left side of an equation in a `when` clause must be a variable";
                return Err(self.at_expr(cx.scope, at, "K0370", message));
            };
            self.assigned_when.insert(var);
            out.push(Action { kind: ActionKind::Assign(var, pair.rhs), origin: pair.origin });
        }
        Ok(())
    }

    fn reinit(
        &mut self,
        cx: Context<'_>,
        call: ast::ExprId,
        args: &[ast::Arg],
        origin: &Origin,
        out: &mut Vec<Action>,
    ) -> Res<()> {
        let c = Call { scope: cx.scope, ast: cx.ast, expr: call, name: "reinit", args };
        let [x, e] = self.named_args(c, ["x", "expr"])?;
        let (x, e) = (self.eval(cx.scope, x)?, self.eval(cx.scope, e)?);
        let (Value::Plain(Ty::Real, x), Value::Plain(Ty::Real | Ty::Integer, e)) = (&x, &e) else {
            let message = format!(
                "reinit needs a Real variable and a number, not {} and {}",
                x.describe(),
                e.describe()
            );
            return Err(self.at_expr(cx.scope, call, "K0351", message));
        };
        if x.shape() != e.shape() {
            return Err(self.wrong_args(c));
        }
        for (&x, &e) in Array::data(x).iter().zip(e.data()) {
            let Some(var) = self.as_variable(x) else { return Err(self.wrong_args(c)) };
            out.push(Action { kind: ActionKind::Reinit(var, e), origin: origin.clone() });
        }
        Ok(())
    }

    /// The variable, if the expression is one.
    pub fn as_variable(&self, e: ExprId) -> Option<VarId> {
        match self.pool.node(e) {
            Expression::Var(var) => Some(var),
            _ => None,
        }
    }
}

/// A condition, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// Decided.
    Known(bool),
    /// Known only at run time.
    Unknown(ExprId),
}
