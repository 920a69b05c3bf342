//! Rules about the equations of the whole model: parameters that need one another, values that vary more than
//! what they are given to, variables assigned in several `when` clauses, `reinit` of what is no state
//! (specification sections 3.8, 4.4.4, 8.3.5 and 8.3.6).

use kausal_symbolic::{ExprId, Node as Expression, Op, VarId};
use kausal_syntax::ast::Variability;
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::assigned_in;
use crate::equation::Sink;
use crate::flat::{Action, ActionKind};
use crate::flattener::Flattener;
use crate::instance::{InstId, Node};
use crate::value::{Ty, Value};

impl Flattener<'_> {
    /// Checks the equations of the whole model.
    pub(crate) fn check_flat(&mut self, sink: &Sink) {
        self.check_values();
        self.check_cycles();
        self.check_whens(sink);
        self.check_pre();
    }

    /// The leaves that have variables, in order.
    fn leaves(&self) -> Vec<InstId> {
        let mut leaves: Vec<InstId> = Vec::new();
        for &(leaf, _) in &self.slots {
            if leaves.last() != Some(&leaf) {
                leaves.push(leaf);
            }
        }
        leaves
    }

    /// The value of a constant is constant, that of a parameter a parameter.
    fn check_values(&mut self) {
        for leaf in self.leaves() {
            let inst = self.inst(leaf);
            if inst.is_static || inst.variability == Variability::Continuous || !self.has_binding(leaf) {
                continue;
            }
            let Some(info) = inst.info.clone() else { continue };
            let (own, real) = (inst.variability, info.leaf.is_none_or(|l| Ty::of(l.builtin) == Ty::Real));
            if own == Variability::Discrete && !real {
                continue;
            }
            let Ok(Some(value)) = self.binding(leaf) else { continue };
            let Value::Plain(_, array) = &*value else { continue };
            let worst = array.data().iter().copied().find_map(|e| {
                let found = if own == Variability::Discrete { self.varies(e) } else { self.variability(e) };
                (found > own).then_some((e, found))
            });
            let Some((e, found)) = worst else { continue };
            if self.cx.diagnostics.iter().any(|d| d.labels.iter().any(|l| l.location == info.location)) {
                continue;
            }
            let culprit = self.first_variable(e, own);
            let (own, found) = (variability_text(own), variability_text(found));
            let path = self.path(leaf);
            let message = match culprit.map(|v| self.variable_name(v)) {
                Some(name) => format!("{path} is {own}, but its value depends on {name}, which is {found}"),
                None => format!("{path} is {own}, but its value is {found}"),
            };
            let mut diagnostic = Diagnostic::error("K0324", message);
            if let Some(place) = self.own_binding(leaf) {
                let span = self.cx.lib.ast_ref(place.file).span(place.expr);
                diagnostic = diagnostic.at(self.cx.lib.location(place.file, span), "this value");
            }
            diagnostic = diagnostic.at(info.location, "declared here");
            if let Some(other) = culprit.and_then(|v| self.inst(self.slots[v.index()].0).info.clone()) {
                diagnostic = diagnostic.at(other.location, "this varies");
            }
            self.cx.report(diagnostic);
        }
    }

    /// Continuous, unless every continuous part is inside a relation or something else that only jumps.
    fn varies(&mut self, e: ExprId) -> Variability {
        let mut stack = vec![e];
        let mut seen = FxHashSet::default();
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            match self.pool.node(e) {
                Expression::Op(op, args) => match op {
                    Op::Time | Op::Der | Op::Delay => return Variability::Continuous,
                    Op::Less
                    | Op::LessEqual
                    | Op::Equal
                    | Op::NotEqual
                    | Op::Integer
                    | Op::Floor
                    | Op::Ceil
                    | Op::IntegerDiv
                    | Op::Sign
                    | Op::Pre
                    | Op::Initial
                    | Op::Terminal
                    | Op::Sample => {}
                    _ => stack.extend_from_slice(args),
                },
                Expression::Var(v) => {
                    let inst = self.inst(self.slots[v.index()].0);
                    let real =
                        inst.info.as_ref().and_then(|i| i.leaf).is_none_or(|l| Ty::of(l.builtin) == Ty::Real);
                    let discrete = self.assigned_when.contains(&v)
                        || self.when_leaves.contains(&self.slots[v.index()].0)
                        || inst.variability < Variability::Continuous;
                    if real && !discrete {
                        return Variability::Continuous;
                    }
                }
                Expression::Call(function, args) => {
                    match crate::expr::kept::operator_name(self.pool.function(function)) {
                        Some("spatialDistribution") => return Variability::Continuous,
                        Some(_) => {}
                        None => stack.extend_from_slice(args),
                    }
                }
                Expression::Output(call, _) => stack.push(call),
                _ => {}
            }
        }
        Variability::Discrete
    }

    fn first_variable(&self, e: ExprId, above: Variability) -> Option<VarId> {
        let mut stack = vec![e];
        let mut seen = FxHashSet::default();
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            match self.pool.node(e) {
                Expression::Var(v) if self.inst(self.slots[v.index()].0).variability > above => {
                    return Some(v);
                }
                Expression::Op(_, args) | Expression::Call(_, args) => stack.extend(args.iter().rev()),
                Expression::Output(call, _) => stack.push(call),
                _ => {}
            }
        }
        None
    }

    /// Parameters whose values need one another.
    fn check_cycles(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            Open,
            Done,
        }
        let mut marks: FxHashMap<ExprId, Mark> = FxHashMap::default();
        for leaf in self.leaves() {
            if self.inst(leaf).variability > Variability::Parameter || !self.has_binding(leaf) {
                continue;
            }
            let Some((first, count)) = self.variables(leaf) else { continue };
            for i in 0..count as u32 {
                let start = self.pool.var(VarId(first.0 + i));
                let mut path: Vec<(ExprId, Vec<ExprId>)> = Vec::new();
                let mut next = Some(start);
                loop {
                    if let Some(e) = next.take() {
                        match marks.get(&e) {
                            Some(Mark::Done) => {}
                            Some(Mark::Open) => {
                                let from = path.iter().position(|(p, _)| *p == e).unwrap_or(0);
                                let nodes: Vec<ExprId> = path[from..].iter().map(|(p, _)| *p).collect();
                                self.report_cycle(&nodes);
                            }
                            None => {
                                marks.insert(e, Mark::Open);
                                let needs = self.needs(e);
                                path.push((e, needs));
                            }
                        }
                    }
                    let Some((e, needs)) = path.last_mut() else { break };
                    match needs.pop() {
                        Some(child) => next = Some(child),
                        None => {
                            marks.insert(*e, Mark::Done);
                            path.pop();
                        }
                    }
                }
            }
        }
    }

    /// What must be known for an expression of parameters.
    fn needs(&mut self, e: ExprId) -> Vec<ExprId> {
        match self.pool.node(e) {
            Expression::Op(_, args) | Expression::Call(_, args) => args.to_vec(),
            Expression::Output(call, _) => vec![call],
            Expression::Var(v) => {
                let (leaf, offset) = self.slots[v.index()];
                if self.inst(leaf).variability > Variability::Parameter || !self.has_binding(leaf) {
                    return Vec::new();
                }
                match self.binding(leaf) {
                    Ok(Some(value)) => match &*value {
                        Value::Plain(_, array) => {
                            array.data().get(offset as usize).copied().into_iter().collect()
                        }
                        _ => Vec::new(),
                    },
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    fn report_cycle(&mut self, nodes: &[ExprId]) {
        let vars: Vec<VarId> = nodes
            .iter()
            .filter_map(|&e| match self.pool.node(e) {
                Expression::Var(v) => Some(v),
                _ => None,
            })
            .collect();
        let Some(&first) = vars.first() else { return };
        let names: Vec<String> = vars.iter().chain([&first]).map(|&v| self.variable_name(v)).collect();
        let location = self.inst(self.slots[first.index()].0).info.as_ref().map(|i| i.location);
        let known = self
            .cx
            .diagnostics
            .iter()
            .any(|d| d.code == "K0315" && d.labels.first().map(|l| l.location) == location);
        if known {
            return;
        }
        let message =
            format!("the value of the parameter {} depends on itself: {}", names[0], names.join(" → "));
        let mut diagnostic = Diagnostic::error("K0315", message);
        for v in vars {
            if let Some(info) = &self.inst(self.slots[v.index()].0).info {
                diagnostic = diagnostic.at(info.location, "declared here");
            }
        }
        self.cx.report(diagnostic);
    }

    /// One `when` clause per variable; `reinit` of states only.
    fn check_whens(&mut self, sink: &Sink) {
        let mut first: FxHashMap<VarId, (usize, Option<Location>)> = FxHashMap::default();
        let mut reinits: Vec<(VarId, Option<Location>)> = Vec::new();
        for (i, when) in sink.whens.iter().enumerate() {
            let mut assigned = FxHashSet::default();
            for branch in &when.branches {
                assigned_in(&branch.actions, &mut assigned);
                reinits_in(&branch.actions, &mut reinits);
            }
            let mut assigned: Vec<VarId> = assigned.into_iter().collect();
            assigned.sort();
            for var in assigned {
                match first.get(&var) {
                    Some(&(other, place)) if other != i => {
                        let name = self.variable_name(var);
                        let message = format!("{name} is assigned in two `when` clauses");
                        let mut diagnostic = Diagnostic::error("K0357", message)
                            .help("put the second one behind `elsewhen` of the first");
                        if let Some(location) = when.origin.location {
                            diagnostic = diagnostic.at(location, "assigned again here");
                        }
                        if let Some(location) = place {
                            diagnostic = diagnostic.at(location, "assigned here");
                        }
                        self.report_at_decl(self.slots[var.index()].0, diagnostic);
                    }
                    Some(_) => {}
                    None => {
                        first.insert(var, (i, when.origin.location));
                    }
                }
            }
        }
        if reinits.is_empty() {
            return;
        }
        let mut differentiated = FxHashSet::default();
        for i in 0..self.pool.len() as u32 {
            if let Expression::Op(Op::Der, args) = self.pool.node(ExprId(i))
                && let Some(Expression::Var(v)) = args.first().map(|&a| self.pool.node(a))
            {
                differentiated.insert(v);
            }
        }
        for (var, location) in reinits {
            if differentiated.contains(&var) {
                continue;
            }
            let name = self.variable_name(var);
            let message = format!("{name} cannot be reinitialised: it is not differentiated");
            let mut diagnostic = Diagnostic::error("K0358", message);
            if let Some(location) = location {
                diagnostic = diagnostic.at(location, "reinit here");
            }
            self.report_at_decl(self.slots[var.index()].0, diagnostic);
        }
    }

    /// Outside `when` only discrete variables have a value before an event.
    fn check_pre(&mut self) {
        for (var, operator, location) in std::mem::take(&mut self.pre_uses) {
            let leaf = self.slots[var.index()].0;
            let inst = self.inst(leaf);
            let real = inst.info.as_ref().and_then(|i| i.leaf).is_none_or(|l| Ty::of(l.builtin) == Ty::Real);
            if !real
                || inst.variability < Variability::Continuous
                || !matches!(inst.node, Node::Leaf(..))
                || self.assigned_when.contains(&var)
                || self.when_leaves.contains(&leaf)
            {
                continue;
            }
            let name = self.variable_name(var);
            let message = format!("{operator}({name}) has no meaning here: {name} is continuous");
            let diagnostic = Diagnostic::error("K0356", message).at(location, "outside `when`");
            self.report_at_decl(leaf, diagnostic);
        }
    }
}

fn reinits_in(actions: &[Action], out: &mut Vec<(VarId, Option<Location>)>) {
    for action in actions {
        match &action.kind {
            ActionKind::Reinit(var, _) => out.push((*var, action.origin.location)),
            ActionKind::If(_, a, b) => {
                reinits_in(a, out);
                reinits_in(b, out);
            }
            _ => {}
        }
    }
}

fn variability_text(v: Variability) -> &'static str {
    match v {
        Variability::Constant => "a constant",
        Variability::Parameter => "a parameter",
        Variability::Discrete => "discrete",
        Variability::Continuous => "continuous",
    }
}
