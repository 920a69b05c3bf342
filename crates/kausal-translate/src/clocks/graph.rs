//! Base-clock and sub-clock partitioning (specification sections 16.7.2 to 16.7.4): which equations and variables belong to
//! one clock, which to clocks that are related to each other, and which to continuous time.
//!
//! Nodes stand for variables, for equations and for arguments of conversion operators. Two relations join them: to be on the
//! same clock, and to be on clocks of one base clock. The first implies the second; conversion operators (`subSample` and the
//! like) join in the second sense only, `sample` and `hold` in none.

use kausal_model::flat::{Action, ActionKind, FlatModel, Origin};
use kausal_symbolic::function::Scalar;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::operators::{Conversion, Operator, as_variable, operator};
use crate::equations::rewrite::for_each_argument;
use crate::equations::work::{Role, Work};

/// A node: something that has a clock, or belongs to continuous time.
pub(crate) type NodeId = usize;

/// Why something is clocked, or not, and where that is said.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub node: NodeId,
    pub what: &'static str,
    pub origin: Origin,
}

/// The clock of `result` follows from that of `argument`.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub result: NodeId,
    pub argument: NodeId,
    pub conversion: Conversion,
    pub origin: Origin,
}

/// `Clock(…)`
#[derive(Clone, Debug)]
pub(crate) struct Constructor {
    pub node: NodeId,
    pub args: Vec<ExprId>,
    pub first: Scalar,
    pub origin: Origin,
}

/// What is joined with what.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    same: Sets,
    base: Sets,
    variables: FxHashMap<VarId, NodeId>,
    /// The nodes of arguments of conversions, by the node of what they stand in and the conversion.
    arguments: FxHashMap<(NodeId, ExprId), NodeId>,
    /// The nodes of equations of the model, in their order.
    pub equations: Vec<NodeId>,
    /// The nodes of clocked `when` clauses.
    pub clocked: Vec<NodeId>,
    /// The nodes of other `when` clauses.
    pub whens: Vec<NodeId>,
    /// The nodes of actions.
    pub actions: Vec<NodeId>,
    pub edges: Vec<Edge>,
    pub constructors: Vec<Constructor>,
    pub clocked_marks: Vec<Mark>,
    continuous_marks: Vec<Mark>,
}

/// Disjoint sets.
#[derive(Debug, Default)]
struct Sets {
    parent: Vec<NodeId>,
}

impl Sets {
    fn add(&mut self) {
        self.parent.push(self.parent.len());
    }

    fn find(&self, mut node: NodeId) -> NodeId {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.find_short(a), self.find_short(b));
        // The older node stays, so that the order is that of the model.
        self.parent[a.max(b)] = a.min(b);
    }

    fn find_short(&mut self, node: NodeId) -> NodeId {
        let root = self.find(node);
        let mut at = node;
        while self.parent[at] != root {
            at = std::mem::replace(&mut self.parent[at], root);
        }
        root
    }
}

impl Graph {
    /// Looks at all equations, clauses and actions of the model. Bindings of parameters play no role.
    pub fn new(work: &Work, model: &FlatModel) -> Graph {
        let mut graph = Graph::default();
        for e in &work.equations {
            let node = graph.add();
            graph.equations.push(node);
            graph.visit(work, node, &[e.lhs, e.rhs], &e.origin);
        }
        for when in &model.clocked {
            let node = graph.add();
            graph.clocked.push(node);
            graph.mark_clocked(node, "this `when` clause has a clock", &when.origin);
            graph.visit(work, node, &[when.clock], &when.origin);
            for e in &when.equations {
                graph.visit(work, node, &[e.lhs, e.rhs], &e.origin);
            }
            graph.visit_actions(work, node, &when.actions);
        }
        for when in &model.whens {
            let node = graph.add();
            graph.whens.push(node);
            for branch in &when.branches {
                graph.visit(work, node, &branch.conditions, &when.origin);
                graph.visit_actions(work, node, &branch.actions);
            }
        }
        for action in &model.actions {
            let node = graph.add();
            graph.actions.push(node);
            graph.visit_actions(work, node, std::slice::from_ref(action));
        }
        graph
    }

    fn add(&mut self) -> NodeId {
        self.same.add();
        self.base.add();
        self.same.parent.len() - 1
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.same.parent.len()
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        self.same.join(a, b);
        self.base.join(a, b);
    }

    /// All that is on the same clock has the same number.
    pub fn class(&self, node: NodeId) -> NodeId {
        self.same.find(node)
    }

    /// All that is on clocks of one base clock has the same number.
    pub fn base(&self, node: NodeId) -> NodeId {
        self.base.find(node)
    }

    /// The node of a variable, if it occurs somewhere.
    pub fn variable(&self, v: VarId) -> Option<NodeId> {
        self.variables.get(&v).copied()
    }

    /// The node of the argument of a conversion that stands in something.
    pub fn argument(&self, context: NodeId, conversion: ExprId) -> Option<NodeId> {
        self.arguments.get(&(context, conversion)).copied()
    }

    fn node_of(&mut self, v: VarId) -> NodeId {
        if let Some(&node) = self.variables.get(&v) {
            return node;
        }
        let node = self.add();
        self.variables.insert(v, node);
        node
    }

    fn mark_clocked(&mut self, node: NodeId, what: &'static str, origin: &Origin) {
        self.clocked_marks.push(Mark { node, what, origin: origin.clone() });
    }

    fn mark_continuous(&mut self, node: NodeId, what: &'static str, origin: &Origin) {
        self.continuous_marks.push(Mark { node, what, origin: origin.clone() });
    }

    fn visit_actions(&mut self, work: &Work, node: NodeId, actions: &[Action]) {
        for action in actions {
            let origin = &action.origin;
            match &action.kind {
                ActionKind::Assign(v, e) | ActionKind::Reinit(v, e) => {
                    let target = self.node_of(*v);
                    self.join(node, target);
                    self.visit(work, node, &[*e], origin);
                }
                ActionKind::Assert { condition, message, .. } => {
                    self.visit(work, node, &[*condition, *message], origin);
                }
                ActionKind::Terminate(e) | ActionKind::Call(e) => self.visit(work, node, &[*e], origin),
                ActionKind::If(condition, then, otherwise) => {
                    self.visit(work, node, &[*condition], origin);
                    self.visit_actions(work, node, then);
                    self.visit_actions(work, node, otherwise);
                }
            }
        }
    }

    /// Joins what occurs in expressions with the node they stand in.
    fn visit(&mut self, work: &Work, node: NodeId, roots: &[ExprId], origin: &Origin) {
        let mut open: Vec<(NodeId, ExprId)> = roots.iter().map(|&e| (node, e)).collect();
        let mut seen: FxHashSet<(NodeId, ExprId)> = FxHashSet::default();
        while let Some((node, e)) = open.pop() {
            if !seen.insert((node, e)) {
                continue;
            }
            let pool = &work.pool;
            if let Node::Var(v) = pool.node(e) {
                if is_unknown(work, v) {
                    let variable = self.node_of(v);
                    self.join(node, variable);
                }
                continue;
            }
            let Some(found) = operator(pool, &work.vars, e) else {
                // Between clocks only parameters choose.
                if let Node::Op(Op::If, args) = pool.node(e)
                    && super::operators::is_clock(pool, &work.vars, e)
                {
                    let chosen = if super::truth(work, args[0]) == Some(false) { args[2] } else { args[1] };
                    open.push((node, chosen));
                    continue;
                }
                for_each_argument(pool, e, |arg| open.push((node, arg)));
                continue;
            };
            match found {
                Operator::Previous(u) => {
                    self.mark_clocked(node, "`previous` is clocked", origin);
                    open.push((node, u));
                }
                Operator::Hold(u) => {
                    self.mark_continuous(node, "`hold` gives a continuous-time value", origin);
                    if let Some(v) = as_variable(pool, u).filter(|&v| is_unknown(work, v)) {
                        let held = self.node_of(v);
                        self.mark_clocked(held, "`hold` needs a clocked variable", origin);
                    }
                }
                Operator::Sample(u, clock) => {
                    self.mark_clocked(node, "`sample` gives a clocked value", origin);
                    let argument = self.add();
                    self.mark_continuous(argument, "`sample` needs a continuous-time value", origin);
                    open.push((argument, u));
                    open.extend(clock.map(|clock| (node, clock)));
                }
                Operator::Convert(u, conversion) => {
                    let argument = match as_variable(pool, u).filter(|&v| is_unknown(work, v)) {
                        Some(v) => self.node_of(v),
                        None => {
                            let argument = self.add();
                            open.push((argument, u));
                            argument
                        }
                    };
                    self.arguments.insert((node, e), argument);
                    self.base.join(node, argument);
                    self.mark_clocked(node, conversion_mark(conversion), origin);
                    self.edges.push(Edge { result: node, argument, conversion, origin: origin.clone() });
                }
                Operator::Interval(u) => {
                    self.mark_clocked(node, "`interval` is clocked", origin);
                    open.extend(u.map(|u| (node, u)));
                }
                Operator::FirstTick(u) => {
                    self.mark_clocked(node, "`firstTick` is clocked", origin);
                    open.extend(u.map(|u| (node, u)));
                }
                Operator::Clock(args, first) => {
                    if first == Scalar::Boolean && !args.is_empty() {
                        let condition = self.add();
                        let what = "the condition of an event clock is a continuous-time expression";
                        self.mark_continuous(condition, what, origin);
                        open.push((condition, args[0]));
                    } else if let Some(v) = args.first().and_then(|&a| as_variable(pool, a))
                        && is_unknown(work, v)
                    {
                        let interval = self.node_of(v);
                        self.base.join(node, interval);
                    }
                    self.constructors.push(Constructor { node, args, first, origin: origin.clone() });
                }
            }
        }
    }

    /// What is clocked: the base clocks, in the order of the model; and what is both clocked and not.
    pub fn clocked_bases(&self) -> Result<Vec<NodeId>, Vec<Diagnostic>> {
        let mut continuous: FxHashMap<NodeId, &Mark> = FxHashMap::default();
        for mark in &self.continuous_marks {
            continuous.entry(self.base(mark.node)).or_insert(mark);
        }
        let mut bases: Vec<NodeId> = Vec::new();
        let mut wrong: Vec<Diagnostic> = Vec::new();
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        for mark in &self.clocked_marks {
            let base = self.base(mark.node);
            if !seen.insert(base) {
                continue;
            }
            bases.push(base);
            if let Some(other) = continuous.get(&base) {
                // Two lines say more than one.
                let place = |mark: &Mark| mark.origin.location.map(|l| (l.source, l.span));
                let apart = |m: &&Mark| self.base(m.node) == base && place(m) != place(other);
                wrong.push(mixed(self.clocked_marks.iter().find(apart).unwrap_or(mark), other));
            }
        }
        // Clocks of their own have no equations; they are looked at all the same.
        for c in &self.constructors {
            let base = self.base(c.node);
            if seen.insert(base) {
                bases.push(base);
            }
        }
        bases.sort_unstable();
        if wrong.is_empty() { Ok(bases) } else { Err(wrong) }
    }
}

fn conversion_mark(conversion: Conversion) -> &'static str {
    match conversion {
        Conversion::Sub(_) => "`subSample` is clocked",
        Conversion::Super(_) => "`superSample` is clocked",
        Conversion::Shift(..) => "`shiftSample` is clocked",
        Conversion::Back(..) => "`backSample` is clocked",
        Conversion::Any => "`noClock` is clocked",
        Conversion::Solver(_) => "this is a clock",
    }
}

fn mixed(clocked: &Mark, continuous: &Mark) -> Diagnostic {
    let place = |origin: &Origin| match origin.component.as_str() {
        "" => String::new(),
        component => format!(" (in {component})"),
    };
    let message = format!(
        "equations are both clocked and in continuous time: {}{}, but {}{}",
        clocked.what,
        place(&clocked.origin),
        continuous.what,
        place(&continuous.origin)
    );
    let mut diagnostic = Diagnostic::error("K0461", message)
        .help("convert with `sample` from continuous time to a clock, and with `hold` back");
    if let Some(location) = clocked.origin.location {
        diagnostic = diagnostic.at(location, "clocked here");
    }
    if let Some(location) = continuous.origin.location {
        diagnostic = diagnostic.at(location, "in continuous time here");
    }
    diagnostic
}

/// Is it a variable that has a clock or belongs to continuous time?
pub(crate) fn is_unknown(work: &Work, v: VarId) -> bool {
    !matches!(work.var(v).role, Role::Parameter | Role::FreeParameter)
}
