//! Where equations and actions of a section go.

use kausal_symbolic::{ExprId, Node as Expression, Pool, VarId};
use kausal_syntax::{Ast, Location, Span};

use crate::flat::{Action, ClockedWhen, Equation, HintKind, Origin, OriginKind, When};
use crate::tree::Scope;

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

/// The variable, if the expression is one.
pub fn as_variable(pool: &Pool, e: ExprId) -> Option<VarId> {
    match pool.node(e) {
        Expression::Var(var) => Some(var),
        _ => None,
    }
}
