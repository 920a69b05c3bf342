//! Takes the clocked part out of a model.
//!
//! After: the work has the equations of continuous time only, in which `hold(u)` has become `u`; clocked variables are known
//! there, the run sets them. Partitions contain no clocked operators any more.

use kausal_model::expr::opaque::is_clocked;
use kausal_model::flat::{Action, ActionKind, FlatModel, Origin, Type, When};
use kausal_symbolic::{ExprId, Node, Op, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, NodeId, is_unknown};
use super::operators::{Conversion, Operator, as_variable, is_clock, operator, result_type};
use super::rates::{self, Trigger, at, contradiction};
use super::{Base, Clocked, Partition};
use crate::equations::parameters;
use crate::equations::rewrite::{for_each_argument, rebuild};
use crate::equations::work::{Equation, EquationForm, Role, Var, Work};
use crate::program::SampledValue;

/// Does the model have anything clocked?
fn is_used(model: &FlatModel) -> bool {
    let mut operators = model.kept_operators().into_iter();
    let clock = |v: &kausal_model::flat::Variable| v.ty == Type::Clock;
    !model.clocked.is_empty()
        || operators.any(|name| is_clocked(name) || name == "sample")
        || model.variables.iter().any(clock)
}

/// Splits the work. The `when` clauses that stay come back with it; `None` where nothing is clocked. What is wrong is
/// reported; then there is nothing to go on with.
pub(crate) fn split(work: &mut Work, model: &FlatModel) -> Result<Option<(Clocked, FlatModel)>, ()> {
    if !is_used(model) {
        return Ok(None);
    }
    let said = work.diagnostics.len();
    let order = parameters::ordered(work);
    work.diagnostics.truncate(said);
    let values = parameters::values(work, &order);
    let graph = Graph::new(work, model);
    let bases = match graph.clocked_bases() {
        Ok(bases) => bases,
        Err(wrong) => {
            work.diagnostics.extend(wrong);
            return Err(());
        }
    };
    let mut splitter = Splitter::new(work, &graph, &bases);
    splitter.infer(&values, &bases);
    splitter.settle_parameters();
    splitter.equations(model);
    let whens = splitter.whens(model);
    splitter.actions(model);
    splitter.triggers();
    splitter.solver_methods(&values);
    let Splitter { bases, failed, .. } = splitter;
    if failed {
        return Err(());
    }
    Ok(Some((Clocked { bases }, FlatModel { whens, ..FlatModel::default() })))
}

/// Where something clocked belongs: its base clock and its clock there.
type Place = (usize, usize);

struct Splitter<'a> {
    work: &'a mut Work,
    graph: &'a Graph,
    bases: Vec<Base>,
    /// The places of classes.
    places: FxHashMap<NodeId, Place>,
    /// Base clocks of bases that nothing but clocks belong to.
    idle: FxHashSet<NodeId>,
    /// Slots of previous values.
    previous: FxHashMap<VarId, VarId>,
    /// Slots of sampled values, by base clock and what is sampled.
    sampled: FxHashMap<(usize, ExprId), VarId>,
    /// Variables for arguments of conversions.
    arguments: FxHashMap<(Place, ExprId), VarId>,
    /// What has been rewritten, by what it stands in.
    memo: FxHashMap<(Option<Place>, ExprId), ExprId>,
    failed: bool,
}

impl<'a> Splitter<'a> {
    fn new(work: &'a mut Work, graph: &'a Graph, clocked: &[NodeId]) -> Self {
        let is_clocked: FxHashSet<NodeId> = clocked.iter().copied().collect();
        let busy = busy(work, graph);
        let idle = is_clocked.difference(&busy).copied().collect();
        // Clocks are set by the run, and so is what is clocked.
        for i in 0..work.vars.len() {
            let v = VarId(i as u32);
            let on_clock = graph.variable(v).is_some_and(|node| is_clocked.contains(&graph.base(node)));
            let var = &mut work.vars[i];
            if var.ty == Type::Clock || on_clock && matches!(var.role, Role::Continuous | Role::Discrete) {
                (var.role, var.keep) = (Role::Run, true);
            }
        }
        Splitter {
            work,
            graph,
            bases: Vec::new(),
            places: FxHashMap::default(),
            idle,
            previous: FxHashMap::default(),
            sampled: FxHashMap::default(),
            arguments: FxHashMap::default(),
            memo: FxHashMap::default(),
            failed: false,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.failed |= diagnostic.is_error();
        self.work.diagnostics.push(diagnostic);
    }

    /// When clocks tick.
    fn infer(&mut self, values: &FxHashMap<VarId, f64>, clocked: &[NodeId]) {
        let graph = self.graph;
        let mut classes: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        for node in 0..graph.len() {
            if graph.class(node) == node {
                classes.entry(graph.base(node)).or_default().push(node);
            }
        }
        for &base in clocked {
            let classes = classes.remove(&base).unwrap_or_default();
            let idle = self.idle.contains(&base);
            match rates::infer(self.work, values, graph, &classes) {
                Ok((rates, warning)) if !idle => {
                    self.work.diagnostics.extend(warning);
                    let place = self.bases.len();
                    let partitions = self.partitions(&classes, place);
                    let origin = partitions.first().map(|p| p.origin.clone()).unwrap_or_default();
                    let (sampled, condition) = (Vec::new(), None);
                    self.bases.push(Base { rates, partitions, sampled, condition, origin });
                }
                Ok(_) => {}
                Err(wrong) => self.report(wrong),
            }
        }
    }

    fn partitions(&mut self, classes: &[NodeId], base: usize) -> Vec<Partition> {
        let mut partitions: Vec<Partition> = classes.iter().map(|_| Partition::default()).collect();
        for (i, &class) in classes.iter().enumerate() {
            self.places.insert(class, (base, i));
        }
        for i in 0..self.work.vars.len() {
            let v = VarId(i as u32);
            let Some(node) = self.graph.variable(v) else { continue };
            let Some(&(_, k)) = self.places.get(&self.graph.class(node)).filter(|p| p.0 == base) else {
                continue;
            };
            let var = self.work.var(v);
            let partition = &mut partitions[k];
            let is_clock = var.ty == Type::Clock;
            if partition.name.is_empty() || is_clock && partition.origin.location.is_none() {
                partition.name = var.name.clone();
                partition.origin.location = var.location.filter(|_| is_clock);
            }
            if var.role == Role::Run && !is_clock {
                partition.variables.push(v);
            }
        }
        partitions
    }

    /// Parameters that decide about clocks cannot be changed after translation.
    fn settle_parameters(&mut self) {
        let mut open: Vec<ExprId> = Vec::new();
        for c in
            self.graph.constructors.iter().filter(|c| c.first == kausal_symbolic::function::Scalar::Integer)
        {
            open.extend(&c.args);
        }
        for e in &self.graph.edges {
            match e.conversion {
                Conversion::Sub(f) | Conversion::Super(f) => open.extend(f),
                Conversion::Shift(k, r) | Conversion::Back(k, r) => {
                    open.extend([Some(k), r].into_iter().flatten())
                }
                Conversion::Solver(method) => open.push(method),
                Conversion::Any => {}
            }
        }
        while let Some(e) = open.pop() {
            for v in self.work.pool.variables_of(e) {
                let var = &mut self.work.vars[v.index()];
                if var.role == Role::Parameter && !var.evaluated {
                    var.evaluated = true;
                    open.extend(var.binding);
                }
            }
        }
    }

    fn place(&self, node: NodeId) -> Option<Place> {
        self.places.get(&self.graph.class(node)).copied()
    }

    /// Equations go where they belong.
    fn equations(&mut self, model: &FlatModel) {
        let equations = std::mem::take(&mut self.work.equations);
        for (e, &node) in equations.into_iter().zip(&self.graph.equations) {
            let clock = |side: ExprId| is_clock(&self.work.pool, &self.work.vars, side);
            if clock(e.lhs) || clock(e.rhs) {
                continue;
            }
            let place = self.place(node);
            let e = self.equation(node, place, e);
            match place {
                Some((b, k)) => self.bases[b].partitions[k].equations.push(e),
                None => self.work.equations.push(e),
            }
        }
        for (when, &node) in model.clocked.iter().zip(&self.graph.clocked) {
            let Some((b, k)) = self.place(node) else { continue };
            for e in &when.equations {
                let clock = |side: ExprId| is_clock(&self.work.pool, &self.work.vars, side);
                if clock(e.lhs) || clock(e.rhs) {
                    continue;
                }
                let e = plain(e.lhs, e.rhs, e.origin.clone());
                let e = self.equation(node, Some((b, k)), e);
                self.bases[b].partitions[k].equations.push(e);
            }
            let actions = self.rewritten(node, Some((b, k)), &when.actions);
            self.bases[b].partitions[k].actions.extend(actions);
            let partition = &mut self.bases[b].partitions[k];
            partition.origin.location = partition.origin.location.or(when.origin.location);
        }
        for e in std::mem::take(&mut self.work.initial_equations) {
            let mut found = self.work.pool.variables_of(e.lhs);
            found.extend(self.work.pool.variables_of(e.rhs));
            let place = found.iter().find_map(|&v| self.place(self.graph.variable(v)?));
            let node = usize::MAX;
            let e = self.equation(node, place, e);
            match place {
                Some((b, k)) => self.bases[b].partitions[k].initial_equations.push(e),
                None => self.work.initial_equations.push(e),
            }
        }
    }

    fn equation(&mut self, node: NodeId, place: Option<Place>, mut e: Equation) -> Equation {
        e.lhs = self.expr(node, place, e.lhs, &e.origin);
        e.rhs = self.expr(node, place, e.rhs, &e.origin);
        e
    }

    /// `when` clauses with conditions: those of continuous time stay; those in clocked partitions become equations.
    fn whens(&mut self, model: &FlatModel) -> Vec<When> {
        let mut stay = Vec::new();
        for (when, &node) in model.whens.iter().zip(&self.graph.whens) {
            let place = self.place(node);
            if let Some(place) = place {
                self.clocked_clause(when, node, place);
                continue;
            }
            let mut when = when.clone();
            for branch in &mut when.branches {
                for condition in &mut branch.conditions {
                    *condition = self.expr(node, None, *condition, &when.origin);
                }
                branch.actions = self.rewritten(node, None, &branch.actions);
            }
            stay.push(when);
        }
        stay
    }

    /// A `when` clause among clocked equations: what it assigns changes at the ticks at which a condition has become true since
    /// the tick before, and is otherwise what it was.
    fn clocked_clause(&mut self, when: &When, node: NodeId, place: Place) {
        let mut assigned: Vec<VarId> = Vec::new();
        for action in when.branches.iter().flat_map(|b| &b.actions) {
            match &action.kind {
                ActionKind::Assign(v, _) if assigned.contains(v) => {}
                ActionKind::Assign(v, _) => assigned.push(*v),
                _ => {
                    let d = Diagnostic::error(
                        "K0468",
                        "among clocked equations a `when` clause with a Boolean condition can only assign variables",
                    )
                    .help("compute it in continuous time, with `hold`");
                    self.report(at(d, &action.origin, "this action"));
                    return;
                }
            }
        }
        let mut rising = Vec::with_capacity(when.branches.len());
        for branch in &when.branches {
            let mut any: Vec<ExprId> = Vec::new();
            for &condition in &branch.conditions {
                let value = self.expr(node, Some(place), condition, &when.origin);
                any.push(self.rising(place, value, &when.origin));
            }
            let none = self.work.pool.constant(0.0);
            let any = any.into_iter().reduce(|a, b| self.work.pool.op(Op::Or, &[a, b])).unwrap_or(none);
            rising.push(any);
        }
        for v in assigned {
            let target = self.work.pool.var(v);
            let mut value = self.previous(target);
            for (branch, &rises) in when.branches.iter().zip(&rising).rev() {
                let own = branch.actions.iter().rev().find_map(|action| match action.kind {
                    ActionKind::Assign(w, e) if w == v => Some(e),
                    _ => None,
                });
                let own = match own {
                    Some(e) => self.expr(node, Some(place), e, &when.origin),
                    None => self.previous(target),
                };
                value = self.work.pool.op(Op::If, &[rises, own, value]);
            }
            let e = plain(target, value, when.origin.clone());
            self.bases[place.0].partitions[place.1].equations.push(e);
        }
    }

    /// Whether a condition has become true since the tick before.
    fn rising(&mut self, place: Place, condition: ExprId, origin: &Origin) -> ExprId {
        let n = self.work.vars.len();
        let mut var = Var::helper(format!("when{n}"), Type::Boolean, Role::Run);
        (var.keep, var.location) = (true, origin.location);
        let v = self.work.add_var(var);
        let slot = previous_slot(self.work, v);
        let now = self.work.pool.var(v);
        let before = self.work.pool.var(slot);
        let partition = &mut self.bases[place.0].partitions[place.1];
        partition.variables.push(v);
        partition.previous.push((v, slot));
        partition.equations.push(plain(now, condition, origin.clone()));
        let not = self.work.pool.op(Op::Not, &[before]);
        self.work.pool.op(Op::And, &[now, not])
    }

    fn actions(&mut self, model: &FlatModel) {
        let mut stay = Vec::new();
        for (action, &node) in model.actions.iter().zip(&self.graph.actions) {
            let place = self.place(node);
            let action = self.rewritten(node, place, std::slice::from_ref(action));
            match place {
                Some((b, k)) => self.bases[b].partitions[k].actions.extend(action),
                None => stay.extend(action),
            }
        }
        self.work.actions = stay;
    }

    fn rewritten(&mut self, node: NodeId, place: Option<Place>, actions: &[Action]) -> Vec<Action> {
        let go = |this: &mut Self, e: ExprId, origin: &Origin| this.expr(node, place, e, origin);
        let mut out = Vec::with_capacity(actions.len());
        for action in actions {
            let origin = action.origin.clone();
            let kind = match &action.kind {
                ActionKind::Assign(v, e) => ActionKind::Assign(*v, go(self, *e, &origin)),
                ActionKind::Reinit(v, e) => ActionKind::Reinit(*v, go(self, *e, &origin)),
                ActionKind::Assert { condition, message, warning } => ActionKind::Assert {
                    condition: go(self, *condition, &origin),
                    message: go(self, *message, &origin),
                    warning: *warning,
                },
                ActionKind::Terminate(e) => ActionKind::Terminate(go(self, *e, &origin)),
                ActionKind::Call(e) => ActionKind::Call(go(self, *e, &origin)),
                ActionKind::If(c, a, b) => {
                    let c = go(self, *c, &origin);
                    ActionKind::If(c, self.rewritten(node, place, a), self.rewritten(node, place, b))
                }
            };
            out.push(Action { kind, origin });
        }
        out
    }

    /// The expression without clocked operators. In continuous time only `hold` is one.
    fn expr(&mut self, node: NodeId, place: Option<Place>, root: ExprId, origin: &Origin) -> ExprId {
        let mut stack = vec![(root, false)];
        while let Some((e, done)) = stack.pop() {
            if self.memo.contains_key(&(place, e)) {
                continue;
            }
            if let Some(found) = operator(&self.work.pool, &self.work.vars, e) {
                let result = self.operator(node, place, e, &found, origin);
                self.memo.insert((place, e), result);
                continue;
            }
            if !done {
                stack.push((e, true));
                let memo = &self.memo;
                for_each_argument(&self.work.pool, e, |arg| {
                    if !memo.contains_key(&(place, arg)) {
                        stack.push((arg, false));
                    }
                });
                continue;
            }
            let memo = &self.memo;
            let rebuilt =
                rebuild(&mut self.work.pool, e, &mut |arg| memo.get(&(place, arg)).copied().unwrap_or(arg));
            let result = match (place, self.work.pool.node(rebuilt)) {
                (Some(_), Node::Op(Op::Pre, &[u])) => self.previous(u),
                // At a tick the model is what it is; there is no simpler one on the way to it.
                (Some(_), Node::Op(Op::Homotopy, &[actual, _])) => actual,
                _ => rebuilt,
            };
            self.memo.insert((place, e), result);
        }
        self.memo.get(&(place, root)).copied().unwrap_or(root)
    }

    fn operator(
        &mut self,
        node: NodeId,
        place: Option<Place>,
        e: ExprId,
        found: &Operator,
        origin: &Origin,
    ) -> ExprId {
        match *found {
            Operator::Previous(u) => self.previous(u),
            Operator::Hold(u) => u,
            Operator::Sample(u, _) => match place {
                Some((base, _)) => self.sample(base, e, u, origin),
                None => u,
            },
            Operator::Convert(u, _) => {
                if !self.work.pool.contains_any(u, |v| is_unknown(self.work, v))
                    && !self.work.pool.has_calls(u)
                    || as_variable(&self.work.pool, u).is_some()
                {
                    return u;
                }
                let argument = self.graph.argument(node, e);
                match argument.and_then(|a| Some((a, self.place(a)?))) {
                    Some((argument, place)) => self.argument(argument, place, e, u, origin),
                    None => u,
                }
            }
            Operator::Interval(_) | Operator::FirstTick(_) => {
                let Some((b, k)) = place else { return e };
                let first = matches!(found, Operator::FirstTick(_));
                let partition = &mut self.bases[b].partitions[k];
                let slot = if first { &mut partition.first_tick } else { &mut partition.interval };
                let v = *slot.get_or_insert_with(|| {
                    let (name, ty) =
                        if first { ("firstTick", Type::Boolean) } else { ("interval", Type::Real) };
                    let name = format!("{name}({})", partition.name);
                    self.work.add_helper(name, ty, Role::Run)
                });
                self.work.pool.var(v)
            }
            Operator::Clock(..) => e,
        }
    }

    /// `previous(u)`: a slot.
    fn previous(&mut self, u: ExprId) -> ExprId {
        let Some(v) = as_variable(&self.work.pool, u).filter(|&v| is_unknown(self.work, v)) else { return u };
        let slot = match self.previous.get(&v) {
            Some(&slot) => slot,
            None => {
                let place = self.graph.variable(v).and_then(|node| self.place(node));
                let Some((b, k)) = place else { return u };
                let slot = previous_slot(self.work, v);
                self.previous.insert(v, slot);
                self.bases[b].partitions[k].previous.push((v, slot));
                slot
            }
        };
        self.work.pool.var(slot)
    }

    /// `sample(u)`: a slot that takes the value which a variable of continuous time has before the event.
    fn sample(&mut self, base: usize, e: ExprId, u: ExprId, origin: &Origin) -> ExprId {
        let u = self.expr(usize::MAX, None, u, origin);
        let varies = |work: &Work| {
            work.pool.contains_any(u, |v| is_unknown(work, v))
                || work.pool.has_calls(u)
                || work.pool.has_context(u)
        };
        if !varies(self.work) {
            return u;
        }
        if let Some(&slot) = self.sampled.get(&(base, u)) {
            return self.work.pool.var(slot);
        }
        let ty = match as_variable(&self.work.pool, u) {
            Some(v) => self.work.var(v).ty,
            None => result_type(&self.work.pool, e),
        };
        let n = self.sampled.len() + 1;
        let role = if ty == Type::Real { Role::Continuous } else { Role::Discrete };
        let source = self.work.add_helper(format!("before{n}"), ty, role);
        let slot = self.work.add_helper(format!("sampled{n}"), ty, Role::Run);
        let name = |v: VarId| self.work.shown(v).to_owned();
        let shown = kausal_symbolic::print::print_limited(&self.work.pool, u, &name, 80);
        for v in [source, slot] {
            let var = &mut self.work.vars[v.index()];
            var.keep = true;
            var.description = format!("sample({shown})");
            var.location = origin.location;
        }
        let lhs = self.work.pool.var(source);
        // A variable is only looked at. An expression causes events, like any other of continuous time.
        let form = match as_variable(&self.work.pool, u) {
            Some(_) => EquationForm::Memory(source),
            None => EquationForm::Plain,
        };
        self.work.equations.push(Equation { form, ..plain(lhs, u, origin.clone()) });
        self.sampled.insert((base, u), slot);
        self.bases[base].sampled.push(SampledValue { source, slot });
        self.work.pool.var(slot)
    }

    /// A variable for an expression that is converted to another clock.
    fn argument(&mut self, node: NodeId, place: Place, e: ExprId, u: ExprId, origin: &Origin) -> ExprId {
        if let Some(&v) = self.arguments.get(&(place, u)) {
            return self.work.pool.var(v);
        }
        let n = self.arguments.len() + 1;
        let mut var = Var::helper(format!("converted{n}"), result_type(&self.work.pool, e), Role::Run);
        var.keep = true;
        var.location = origin.location;
        let v = self.work.add_var(var);
        self.arguments.insert((place, u), v);
        let value = self.expr(node, Some(place), u, origin);
        let lhs = self.work.pool.var(v);
        let partition = &mut self.bases[place.0].partitions[place.1];
        partition.variables.push(v);
        partition.equations.push(plain(lhs, value, origin.clone()));
        lhs
    }

    /// Conditions of event clocks are variables of continuous time.
    fn triggers(&mut self) {
        for b in 0..self.bases.len() {
            let Trigger::Event(condition, start) = self.bases[b].rates.trigger else { continue };
            let origin = self.bases[b].origin.clone();
            let value = self.expr(usize::MAX, None, condition, &origin);
            let v = self.work.add_helper(format!("tick{}", b + 1), Type::Boolean, Role::Discrete);
            self.work.vars[v.index()].keep = true;
            self.work.vars[v.index()].location = origin.location;
            let lhs = self.work.pool.var(v);
            self.work.equations.push(plain(lhs, value, origin));
            self.bases[b].condition = Some((v, start));
        }
    }

    /// Solver methods, as clocks give them; partitions with differential equations and without one take that of their
    /// neighbours (specification section 16.8.4).
    fn solver_methods(&mut self, values: &FxHashMap<VarId, f64>) {
        for edge in &self.graph.edges {
            let Conversion::Solver(method) = edge.conversion else { continue };
            let Some((b, k)) = self.place(edge.result) else { continue };
            let text = match self.work.pool.node(method) {
                Node::Text(t) => Some(t),
                _ => parameters::number(self.work, method, values).map(|x| kausal_symbolic::TextId(x as u32)),
            };
            let Some(text) = text.map(|t| self.work.pool.text_of(t).to_owned()) else { continue };
            if text.is_empty() {
                continue;
            }
            match &self.bases[b].partitions[k].method {
                Some((before, there)) if *before != text => {
                    let said = format!("two solver methods, {text} and {before}");
                    let d = contradiction(&said, &edge.origin, &there.clone());
                    self.report(d);
                }
                _ => self.bases[b].partitions[k].method = Some((text, edge.origin.clone())),
            }
        }
        for b in 0..self.bases.len() {
            self.infer_methods(b);
        }
    }

    fn infer_methods(&mut self, b: usize) {
        let count = self.bases[b].partitions.len();
        let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
        for edge in &self.graph.edges {
            if let (Some((x, i)), Some((y, j))) = (self.place(edge.result), self.place(edge.argument))
                && x == b
                && y == b
            {
                neighbours[i].push(j);
                neighbours[j].push(i);
            }
        }
        for k in 0..count {
            if self.bases[b].partitions[k].method.is_some()
                || !has_derivatives(self.work, &self.bases[b].partitions[k])
            {
                continue;
            }
            let mut seen = vec![false; count];
            let mut open = vec![k];
            let mut found: Vec<(String, Origin)> = Vec::new();
            while let Some(i) = open.pop() {
                if std::mem::replace(&mut seen[i], true) {
                    continue;
                }
                match &self.bases[b].partitions[i].method {
                    Some(method) if i != k => {
                        if found.iter().all(|f| f.0 != method.0) {
                            found.push(method.clone());
                        }
                    }
                    _ => open.extend(&neighbours[i]),
                }
            }
            match &found[..] {
                [method] => self.bases[b].partitions[k].method = Some(method.clone()),
                [] => {}
                [one, other, ..] => {
                    let said = format!(
                        "differential equations would have the solver methods {} and {}",
                        one.0, other.0
                    );
                    let d = contradiction(&said, &one.1.clone(), &other.1.clone());
                    self.report(d);
                }
            }
        }
    }
}

/// Does the partition have differential equations?
pub(super) fn has_derivatives(work: &Work, partition: &Partition) -> bool {
    let mut seen = FxHashSet::default();
    let mut open: Vec<ExprId> = partition.equations.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
    while let Some(e) = open.pop() {
        if !seen.insert(e) {
            continue;
        }
        if matches!(work.pool.node(e), Node::Op(Op::Der, _)) {
            return true;
        }
        for_each_argument(&work.pool, e, |arg| open.push(arg));
    }
    false
}

/// The slot of the previous value of a variable.
pub(super) fn previous_slot(work: &mut Work, v: VarId) -> VarId {
    let var = work.var(v);
    let mut slot = Var::helper(format!("previous({})", var.name), var.ty, Role::Run);
    slot.start = var.start;
    (slot.unit, slot.location) = (var.unit.clone(), var.location);
    work.add_var(slot)
}

/// Base clocks that have equations, actions, or clauses.
fn busy(work: &Work, graph: &Graph) -> FxHashSet<NodeId> {
    let clock = |side: ExprId| is_clock(&work.pool, &work.vars, side);
    let equations = work.equations.iter().zip(&graph.equations);
    let equations = equations.filter(|(e, _)| !clock(e.lhs) && !clock(e.rhs)).map(|(_, &node)| node);
    let others = graph.clocked.iter().chain(&graph.whens).chain(&graph.actions).copied();
    equations.chain(others).map(|node| graph.base(node)).collect()
}

pub(super) fn plain(lhs: ExprId, rhs: ExprId, origin: Origin) -> Equation {
    Equation { lhs, rhs, origin, form: EquationForm::Plain, order: 0, model: None, hints: Vec::new() }
}
