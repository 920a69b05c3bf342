//! Overconstrained connections (specification section 9.4): a spanning tree decides which connections are equalities.

use kausal_syntax::Ast;
use kausal_syntax::ast::{self, Arg};

use crate::class::Res;
use crate::equation::Context;
use crate::flattener::{Flattener, Scope};
use crate::instance::InstId;
use crate::value::Value;

/// The virtual connection graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {}

impl Flattener<'_> {
    /// `Connections.branch` and its like.
    pub(super) fn collect_graph_call(&mut self, _cx: Context<'_>, _call: ast::ExprId) -> Res<()> {
        Ok(())
    }

    /// Has the class of a component an `equalityConstraint`?
    pub fn is_overdetermined(&mut self, _id: InstId) -> bool {
        false
    }

    /// `Connections.isRoot(…)` and `Connections.rooted(…)`.
    pub fn is_root(&mut self, scope: Scope, _ast: &Ast, expr: ast::ExprId, _args: &[Arg]) -> Res<Value> {
        Err(self.at_expr(scope, expr, "K0391", "Connections.isRoot is not supported yet"))
    }
}
