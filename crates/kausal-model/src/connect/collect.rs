//! Finds all connections: `connect` in loops and decided `if` equations, and `Connections.branch` and its like.

use kausal_syntax::ast::{self, ClassKind, EquationKind, Expr, Variability};
use kausal_syntax::{Diagnostic, Location};

use super::{End, Link};
use crate::class::{MemberKind, Reported, Res};
use crate::equation::{Condition, Context};
use crate::expr::operator::IteratorBody;
use crate::expr::reference::Cursor;
use crate::flattener::Flattener;
use crate::instance::{InstId, Node};
use crate::lookup::Found;

/// The ends of one side of a `connect` equation.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// One per element.
    pub ends: Vec<End>,
}

impl Flattener<'_> {
    /// Collects the connections of a list of equations.
    pub fn collect_connections(&mut self, cx: Context<'_>, equations: &[ast::Equation]) {
        for equation in equations {
            let _ = self.collect_equation(cx, equation);
        }
    }

    fn collect_equation(&mut self, cx: Context<'_>, equation: &ast::Equation) -> Res<()> {
        if !connects(cx.ast, equation) {
            return Ok(());
        }
        match &equation.kind {
            EquationKind::Connect(a, b) => {
                if self.is_deselected(cx, a, b) {
                    return Ok(());
                }
                let location = Location { source: cx.ast.source, span: equation.span };
                self.collect_connect(cx, a, b, location)
            }
            EquationKind::For { iterators, body } => {
                self.collect_for(cx, cx.ast.lists.iterators.get(*iterators), body)
            }
            EquationKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    match self.condition(cx.scope, *condition)? {
                        Condition::Known(true) => {
                            self.collect_connections(cx, body);
                            return Ok(());
                        }
                        Condition::Known(false) => {}
                        Condition::Unknown(_) => {
                            let message = "whether a connection exists must be known at compile time";
                            return Err(self.at_expr(cx.scope, *condition, "K0230", message));
                        }
                    }
                }
                self.collect_connections(cx, otherwise);
                Ok(())
            }
            EquationKind::Call(call) => self.collect_graph_call(cx, *call),
            EquationKind::Equal(..) | EquationKind::When { .. } => Ok(()),
        }
    }

    fn collect_for(
        &mut self,
        cx: Context<'_>,
        iterators: &[ast::Iterator],
        body: &[ast::Equation],
    ) -> Res<()> {
        let Some((first, rest)) = iterators.split_first() else {
            self.collect_connections(cx, body);
            return Ok(());
        };
        self.each_pass(cx.scope, first, IteratorBody::Equations(body), &mut |this, _| {
            this.collect_for(cx, rest, body)
        })
    }

    fn collect_connect(
        &mut self,
        cx: Context<'_>,
        a: &ast::ComponentRef,
        b: &ast::ComponentRef,
        location: Location,
    ) -> Res<()> {
        if self.collect_undeclared(cx, a, b, location)? {
            return Ok(());
        }
        let mark = self.cx.diagnostics.len();
        let left = self.side(cx, a);
        let right = self.side(cx, b);
        if matches!((&left, &right), (Ok(None), _) | (_, Ok(None))) {
            // A connection to a component that is absent is gone, and its other side may be gone with it: a connector
            // array without elements, most often (specification section 4.4.5).
            let mut at = 0;
            self.cx.diagnostics.retain(|d| {
                at += 1;
                at <= mark || d.code != "K0336"
            });
            if let (Err(_), _) | (_, Err(_)) = (&left, &right)
                && self.cx.diagnostics.len() > mark
            {
                return Err(Reported);
            }
            return Ok(());
        }
        let (left, right) = (left?, right?);
        self.check_reach(cx, a)?;
        self.check_reach(cx, b)?;
        let (Some(left), Some(right)) = (left, right) else { return Ok(()) };
        for (side, reference) in [(&left, a), (&right, b)] {
            if let Some(end) = side.ends.first()
                && !self.is_connectable(end.inst)
            {
                return Err(self.not_a_connector(cx, reference, end.inst));
            }
        }
        if left.ends.len() != right.ends.len() || left.shape != right.shape {
            let message = format!(
                "connected arrays differ in size: {} and {}",
                crate::flattener::sizes_text(&left.shape),
                crate::flattener::sizes_text(&right.shape)
            );
            let mut diagnostic = Diagnostic::error("K0231", message).at(location, "connected here");
            for side in [&left, &right] {
                if let Some(info) = side.ends.first().and_then(|e| self.inst(e.inst).info.as_ref()) {
                    diagnostic = diagnostic.at(info.location, "declared here");
                }
            }
            return Err(self.cx.report(diagnostic));
        }
        if left.ends == right.ends && !left.ends.is_empty() {
            let text = crate::expr::reference::ref_text(cx.ast, a);
            // Not forbidden, and found in libraries; but never what was meant.
            let message = format!("{text} is connected to itself: this connection says nothing");
            let warning = Diagnostic::warning("K0245", message)
                .at(location, "connected here")
                .help("connect it to something else, or leave the connection out");
            self.report_at_decl(left.ends[0].inst, warning);
            return Ok(());
        }
        for (&a, &b) in left.ends.iter().zip(&right.ends) {
            self.connections.links.push(Link { a, b, location, owner: cx.scope.inst, broken: false });
        }
        Ok(())
    }

    /// Only connectors of the class itself and of its components can be connected (specification section 9.1), not those
    /// further inside: that would go around the component they are in.
    fn check_reach(&mut self, cx: Context<'_>, reference: &ast::ComponentRef) -> Res<()> {
        let [first, second, rest @ ..] = cx.ast.lists.parts.get(reference.parts) else { return Ok(()) };
        let name = first.name.symbol;
        let Some(Found::Component { member, .. }) = self.cx.find(cx.scope.klass, name) else { return Ok(()) };
        let outer = self.cx.component(&member)?;
        if is_connector_kind(outer.kind) || rest.is_empty() {
            return Ok(());
        }
        let members = self.cx.members(outer.klass)?;
        let Some(&i) = members.index.get(&second.name.symbol) else { return Ok(()) };
        let MemberKind::Component(_) = members.items[i as usize].kind else { return Ok(()) };
        let inner = self.cx.component(&members.items[i as usize])?;
        if is_connector_kind(inner.kind) {
            return Ok(());
        }
        let text = crate::expr::reference::ref_text(cx.ast, reference);
        let second = second.name.symbol;
        let message =
            format!("{text} is out of reach: {second} is a component inside {name}, not a connector of it");
        let location = self.cx.lib.location(cx.scope.file, reference.span);
        let class = self.cx.name(outer.klass);
        let diagnostic = Diagnostic::error("K0244", message)
            .at(location, "connected here")
            .at(inner.location, "declared here")
            .help(format!("give {class} a connector of its own and connect it to {second} there"));
        Err(self.cx.report(diagnostic))
    }

    /// The ends a reference stands for; `None` if they do not exist.
    pub(super) fn side(&mut self, cx: Context<'_>, reference: &ast::ComponentRef) -> Res<Option<Side>> {
        if let [only] = cx.ast.lists.parts.get(reference.parts)
            && only.name.symbol.as_str() == "time"
            && self.cx.find(cx.scope.klass, only.name.symbol).is_none()
        {
            return Err(self.not_a_connector(cx, reference, cx.scope.inst));
        }
        let cursor = self.resolve_ref(cx.scope, cx.ast, reference)?;
        let outside = self.is_outside(cx, reference)?;
        let end = |inst| End { inst, element: None, outside };
        Ok(Some(match cursor {
            Cursor::Disabled(_) => return Ok(None),
            Cursor::Inst(id) => match &self.inst(id).node {
                Node::Disabled => return Ok(None),
                Node::Array(shape, elements) => {
                    Side { shape: shape.to_vec(), ends: elements.iter().map(|&e| end(e)).collect() }
                }
                Node::Leaf(_, shape) => Side { shape: shape.to_vec(), ends: vec![end(id)] }.spread(self, id),
                _ => Side { shape: Vec::new(), ends: vec![end(id)] },
            },
            Cursor::Insts { shape, list, .. } => Side { shape, ends: list.into_iter().map(end).collect() },
            Cursor::Value(value) => {
                let shape = value.shape().to_vec();
                let mut scalars = Vec::new();
                value.scalars(&mut scalars);
                let mut ends = Vec::with_capacity(scalars.len());
                for e in scalars {
                    let Some(var) = self.as_variable(e) else {
                        return Err(self.not_a_connector(cx, reference, cx.scope.inst));
                    };
                    let (inst, offset) = self.slots[var.index()];
                    ends.push(End { inst, element: Some(offset), outside });
                }
                Side { shape, ends }
            }
            Cursor::Class(..) => return Err(self.not_a_connector(cx, reference, cx.scope.inst)),
        }))
    }

    /// A connector, or a variable of an expandable one: there everything counts as a connector.
    pub(super) fn is_connectable(&self, id: InstId) -> bool {
        let mut owner = Some(id);
        // A record in an expandable connector is connected whole, and so are its fields.
        while let Some(at) = owner {
            if self.is_connector(at) {
                return at == id || self.is_expandable(at);
            }
            owner = self.inst(at).parent;
        }
        false
    }

    pub(super) fn not_a_connector(
        &mut self,
        cx: Context<'_>,
        reference: &ast::ComponentRef,
        id: InstId,
    ) -> Reported {
        let text = crate::expr::reference::ref_text(cx.ast, reference);
        let location = self.cx.lib.location(cx.scope.file, reference.span);
        let diagnostic =
            Diagnostic::error("K0232", format!("{text} is not a connector")).at(location, "connected here");
        self.report_at_decl(id, diagnostic)
    }

    /// Is the connector one of the component the equation is written in? An outer connector counts as such, wherever the
    /// inner one is (specification section 9.2); a connector of an outer component does not.
    pub fn is_outside(&mut self, cx: Context<'_>, reference: &ast::ComponentRef) -> Res<bool> {
        let parts = cx.ast.lists.parts.get(reference.parts);
        let Some(first) = parts.first() else { return Ok(false) };
        let Some(child) = self.child(cx.scope.inst, first.name.symbol)? else { return Ok(false) };
        Ok(self.is_connector(child))
    }

    /// Is there anything variable in a connector?
    pub fn is_variable(&self, id: InstId) -> bool {
        self.inst(id).variability > Variability::Parameter
    }
}

impl Side {
    /// A leaf with dimensions: one end per scalar, so that it can meet single connectors.
    fn spread(self, this: &mut Flattener<'_>, id: InstId) -> Side {
        if self.shape.is_empty() {
            return self;
        }
        let count = this.variables(id).map_or(0, |(_, n)| n);
        let first = self.ends[0];
        let ends = (0..count as u32).map(|i| End { element: Some(i), ..first }).collect();
        Side { shape: self.shape, ends }
    }
}

fn is_connector_kind(kind: ClassKind) -> bool {
    matches!(kind, ClassKind::Connector | ClassKind::ExpandableConnector)
}

/// Does an equation hold connections anywhere?
fn connects(ast: &kausal_syntax::Ast, equation: &ast::Equation) -> bool {
    let any = |list: &[ast::Equation]| list.iter().any(|e| connects(ast, e));
    match &equation.kind {
        EquationKind::Connect(..) => true,
        EquationKind::Call(call) => match ast.exprs[*call] {
            Expr::Call { function, .. } => {
                let parts = ast.lists.parts.get(function.parts);
                parts.first().is_some_and(|p| p.name.symbol.as_str() == "Connections")
            }
            _ => false,
        },
        EquationKind::If { branches, otherwise } => branches.iter().any(|(_, b)| any(b)) || any(otherwise),
        EquationKind::For { body, .. } => any(body),
        EquationKind::Equal(..) | EquationKind::When { .. } => false,
    }
}
