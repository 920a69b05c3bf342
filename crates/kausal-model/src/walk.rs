//! Walking over trees of expressions and equations.

use kausal_syntax::Ast;
use kausal_syntax::ast::{
    Binding, ComponentRef, Equation, EquationKind, Expr, ExprId, Iterator, ModArg, ModId, Statement,
    StatementKind,
};

/// Calls `f` with every component reference in an expression, those in subscripts included.
pub fn references(ast: &Ast, expr: ExprId, f: &mut dyn FnMut(&ComponentRef)) {
    expressions(ast, expr, &mut |e| {
        if let Expr::Ref(r) = &ast.exprs[e] {
            f(r);
        }
    });
}

/// Calls `f` with every value that modifiers give, those of modifiers inside included.
pub fn modifier_values(ast: &Ast, modification: Option<ModId>, f: &mut dyn FnMut(ExprId)) {
    let mut open = Vec::from_iter(modification);
    while let Some(id) = open.pop() {
        let modification = &ast.modifications[id];
        if let Binding::Expr(expr) = modification.binding {
            f(expr);
        }
        open.extend(modification.args.iter().filter_map(|arg| match arg {
            ModArg::Modify(modify) => modify.modification,
            _ => None,
        }));
    }
}

/// Calls `f` with an expression and all its parts.
pub fn expressions(ast: &Ast, expr: ExprId, f: &mut dyn FnMut(ExprId)) {
    let mut stack = vec![expr];
    while let Some(e) = stack.pop() {
        f(e);
        let of_ref = |r: &ComponentRef, stack: &mut Vec<ExprId>| {
            for part in ast.lists.parts.get(r.parts) {
                stack.extend_from_slice(ast.lists.exprs.get(part.subscripts));
            }
        };
        let of_iterators = |list: &[Iterator], stack: &mut Vec<ExprId>| {
            stack.extend(list.iter().filter_map(|i| i.range));
        };
        match ast.exprs[e] {
            Expr::Ref(r) => of_ref(&r, &mut stack),
            Expr::Unary(_, a) => stack.push(a),
            Expr::Binary(_, a, b) => stack.extend([b, a]),
            Expr::If { branches, otherwise } => {
                stack.push(otherwise);
                for &(c, v) in ast.lists.branches.get(branches).iter().rev() {
                    stack.extend([v, c]);
                }
            }
            Expr::Range { start, step, stop } => {
                stack.extend([stop, start]);
                stack.extend(step);
            }
            Expr::Call { args, .. } | Expr::Function { args, .. } => {
                stack.extend(ast.lists.args.get(args).iter().rev().map(|a| a.value));
            }
            Expr::CallFor { body, iterators, .. } | Expr::ArrayFor { body, iterators } => {
                stack.push(body);
                of_iterators(ast.lists.iterators.get(iterators), &mut stack);
            }
            Expr::Array(items) | Expr::Tuple(items) => {
                stack.extend(ast.lists.exprs.get(items).iter().rev());
            }
            Expr::Matrix(rows) => {
                for &row in ast.lists.rows.get(rows).iter().rev() {
                    stack.extend(ast.lists.exprs.get(row).iter().rev());
                }
            }
            _ => {}
        }
    }
}

/// Calls `f` with every expression of a list of equations.
pub fn equation_exprs(ast: &Ast, equations: &[Equation], f: &mut dyn FnMut(ExprId)) {
    for equation in equations {
        match &equation.kind {
            EquationKind::Equal(a, b) => {
                f(*a);
                f(*b);
            }
            EquationKind::Connect(a, b) => {
                for r in [a, b] {
                    for part in ast.lists.parts.get(r.parts) {
                        ast.lists.exprs.get(part.subscripts).iter().for_each(|&e| f(e));
                    }
                }
            }
            EquationKind::Call(e) => f(*e),
            EquationKind::If { branches, otherwise } => {
                for (c, body) in branches {
                    f(*c);
                    equation_exprs(ast, body, f);
                }
                equation_exprs(ast, otherwise, f);
            }
            EquationKind::For { iterators, body } => {
                ast.lists.iterators.get(*iterators).iter().filter_map(|i| i.range).for_each(&mut *f);
                equation_exprs(ast, body, f);
            }
            EquationKind::When { branches } => {
                for (c, body) in branches {
                    f(*c);
                    equation_exprs(ast, body, f);
                }
            }
        }
    }
}

/// Calls `f` with every component reference that a `connect` equation joins.
pub fn connect_refs(equations: &[Equation], f: &mut dyn FnMut(&ComponentRef)) {
    for equation in equations {
        match &equation.kind {
            EquationKind::Connect(a, b) => {
                f(a);
                f(b);
            }
            EquationKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| connect_refs(body, f));
                connect_refs(otherwise, f);
            }
            EquationKind::For { body, .. } => connect_refs(body, f),
            _ => {}
        }
    }
}

/// Calls `f` with every statement, nested ones included.
pub fn statements(list: &[Statement], f: &mut dyn FnMut(&Statement)) {
    for statement in list {
        f(statement);
        match &statement.kind {
            StatementKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| statements(body, f));
                statements(otherwise, f);
            }
            StatementKind::For { body, .. } | StatementKind::While { body, .. } => statements(body, f),
            StatementKind::When { branches } => branches.iter().for_each(|(_, body)| statements(body, f)),
            _ => {}
        }
    }
}

/// Calls `f` with every target that is the variable of a loop around it.
pub fn assigned_iterators(ast: &Ast, list: &[Statement], f: &mut dyn FnMut(&ComponentRef)) {
    let mut stack: Vec<(&Statement, Vec<kausal_syntax::Symbol>)> =
        list.iter().map(|s| (s, Vec::new())).collect();
    while let Some((statement, names)) = stack.pop() {
        let mut check = |target: &ComponentRef| {
            if let [part] = ast.lists.parts.get(target.parts)
                && names.contains(&part.name.symbol)
            {
                f(target);
            }
        };
        match &statement.kind {
            StatementKind::Assign(target, _) => check(target),
            StatementKind::AssignTuple { targets, .. } => targets.iter().flatten().for_each(check),
            StatementKind::If { branches, otherwise } => {
                for body in branches.iter().map(|(_, body)| body).chain([otherwise]) {
                    stack.extend(body.iter().map(|s| (s, names.clone())));
                }
            }
            StatementKind::When { branches } => {
                for (_, body) in branches {
                    stack.extend(body.iter().map(|s| (s, names.clone())));
                }
            }
            StatementKind::While { body, .. } => stack.extend(body.iter().map(|s| (s, names.clone()))),
            StatementKind::For { iterators, body } => {
                let mut names = names.clone();
                names.extend(ast.lists.iterators.get(*iterators).iter().map(|i| i.name.symbol));
                stack.extend(body.iter().map(|s| (s, names.clone())));
            }
            _ => {}
        }
    }
}

/// What a statement itself assigns to.
pub fn statement_targets(statement: &Statement, f: &mut dyn FnMut(&ComponentRef)) {
    match &statement.kind {
        StatementKind::Assign(target, _) => f(target),
        StatementKind::AssignTuple { targets, .. } => targets.iter().flatten().for_each(f),
        _ => {}
    }
}

/// The expressions of a statement itself, without those of statements in it.
pub fn statement_exprs(ast: &Ast, statement: &Statement, f: &mut dyn FnMut(ExprId)) {
    match &statement.kind {
        StatementKind::Assign(_, value) => f(*value),
        StatementKind::AssignTuple { call, .. } | StatementKind::Call(call) => f(*call),
        StatementKind::If { branches, .. } | StatementKind::When { branches } => {
            branches.iter().for_each(|(c, _)| f(*c));
        }
        StatementKind::For { iterators, .. } => {
            ast.lists.iterators.get(*iterators).iter().filter_map(|i| i.range).for_each(f);
        }
        StatementKind::While { condition, .. } => f(*condition),
        StatementKind::Break | StatementKind::Return => {}
    }
}
