//! Stream connectors (specification chapter 15): what flows carries its properties along.
//!
//! `inStream(h)` is the property of the ideally mixed flow into a connector: what the others deliver, weighted with
//! their flows. So that the mixture stays defined when nothing flows, the weights go over smoothly to equal ones as
//! the sum `s` of all inflows falls below a small flow `eps` (section 15.2, the recommended `positiveMax`): with
//! `a = 1` for `s >= eps` and `a = 0` for `s = 0` a weight is `a*max(m_flow, 0) + (1 - a)*eps`. Connectors that cannot
//! deliver (`m_flow.min >= 0`; seen from inside, `m_flow.max <= 0`) have no weight.

use kausal_symbolic::{ExprId, Op, VarId};
use kausal_syntax::Symbol;
use kausal_syntax::ast::FlowPrefix;
use rustc_hash::FxHashMap;

use super::{End, Partition};
use crate::class::{Reported, Res};
use crate::expr::builtin::Call;
use crate::flat::{Equation, Origin, OriginKind};
use crate::flattener::Flattener;
use crate::instance::{InstId, Node};
use crate::value::{Ty, Value};

/// What is a small flow, as a part of the nominal flow.
const SMALL_FLOW: f64 = 1e-6;
/// How many components a stream may pass from outside to inside without being mixed.
const MAX_NESTING: u32 = 200;

/// Connectors with stream variables that are connected to one another: faces are (connector, seen from inside).
#[derive(Clone, Debug, Default)]
pub struct Streams {
    faces: Vec<(InstId, bool)>,
    index: FxHashMap<(InstId, bool), u32>,
    sets: Partition,
    members: FxHashMap<u32, Vec<u32>>,
}

impl Streams {
    fn face(&mut self, inst: InstId, outside: bool) -> u32 {
        if let Some(&i) = self.index.get(&(inst, outside)) {
            return i;
        }
        let i = self.faces.len() as u32;
        self.faces.push((inst, outside));
        self.index.insert((inst, outside), i);
        self.sets.grow(self.faces.len());
        i
    }

    /// All faces connected to one, itself included.
    fn set(&mut self, inst: InstId, outside: bool) -> Vec<(InstId, bool)> {
        let Some(&i) = self.index.get(&(inst, outside)) else { return vec![(inst, outside)] };
        let root = self.sets.find(i);
        self.members.get(&root).map_or_else(Vec::new, |m| m.iter().map(|&f| self.faces[f as usize]).collect())
    }
}

impl Flattener<'_> {
    /// Finds out which stream connectors are connected.
    pub(super) fn build_streams(&mut self) {
        for link in self.connections.links.clone() {
            let _ = self.stream_pairs(link.a, link.b);
        }
        let streams = &mut self.connections.streams;
        for f in 0..streams.faces.len() as u32 {
            let root = streams.sets.find(f);
            streams.members.entry(root).or_default().push(f);
        }
    }

    fn stream_pairs(&mut self, a: End, b: End) -> Res<()> {
        let (ia, ib) = (self.resolve(a.inst)?, self.resolve(b.inst)?);
        match (self.inst(ia).node.clone(), self.inst(ib).node.clone()) {
            (Node::Struct, Node::Struct) => {
                let children = self.below(ia);
                if children.iter().any(|&c| self.inst(c).flow == FlowPrefix::Stream) {
                    let x = self.connections.streams.face(ia, a.outside);
                    let y = self.connections.streams.face(ib, b.outside);
                    self.connections.streams.sets.unite(x, y);
                }
                for child in children {
                    if matches!(self.inst(child).node, Node::Leaf(..)) {
                        continue;
                    }
                    let name = self.inst(child).name;
                    if let Some(other) = self.child(ib, name)? {
                        self.stream_pairs(End { inst: child, ..a }, End { inst: other, ..b })?;
                    }
                }
                Ok(())
            }
            (Node::Array(_, x), Node::Array(_, y)) => {
                for (&x, &y) in x.iter().zip(y.iter()) {
                    self.stream_pairs(End { inst: x, ..a }, End { inst: y, ..b })?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `inStream(…)` and `actualStream(…)`.
    pub fn builtin_stream(&mut self, c: Call<'_>) -> Res<Value> {
        self.arity(c, 1, 1)?;
        let value = self.eval(c.scope, c.args[0].value)?;
        let Value::Plain(Ty::Real, array) = &value else { return Err(self.wrong_args(c)) };
        let actual = c.name == "actualStream";
        let array = array.try_map(|&e| {
            let Some(var) = self.as_variable(e) else { return Err(self.wrong_args(c)) };
            let (leaf, _) = self.slots[var.index()];
            if self.inst(leaf).flow != FlowPrefix::Stream {
                let message = format!("{} needs a stream variable of a connector", c.name);
                return Err(self.at_expr(c.scope, c.expr, "K0238", message));
            }
            if !self.connections.complete {
                let message = format!("{} cannot be used here: connections are not known yet", c.name);
                return Err(self.at_expr(c.scope, c.expr, "K0237", message));
            }
            let inflow = self.in_stream(var, 0)?;
            if !actual {
                return Ok(inflow);
            }
            let flow = self.flow_of(leaf)?;
            let zero = self.pool.constant(0.0);
            let enters = self.pool.op(Op::Less, &[zero, flow]);
            Ok(self.pool.op(Op::If, &[enters, inflow, e]))
        })?;
        Ok(Value::Plain(Ty::Real, array))
    }

    /// The flow variable that goes with a stream variable.
    fn flow_of(&mut self, leaf: InstId) -> Res<ExprId> {
        let Some(connector) = self.inst(leaf).parent else { return Err(Reported) };
        for child in self.below(connector) {
            if self.inst(child).flow == FlowPrefix::Flow {
                let child = self.resolve(child)?;
                if let Some((first, _)) = self.variables(child) {
                    return Ok(self.pool.var(first));
                }
            }
        }
        let path = self.path(connector);
        let diagnostic = kausal_syntax::Diagnostic::error(
            "K0239",
            format!("the connector {path} has a stream but no flow variable"),
        );
        Err(self.report_at_decl(connector, diagnostic))
    }

    /// The same stream variable of another connector.
    fn twin(&mut self, var: VarId, other: InstId) -> Res<VarId> {
        let (leaf, offset) = self.slots[var.index()];
        let name = self.inst(leaf).name;
        let Some(child) = self.child(other, name)? else { return Err(Reported) };
        let child = self.resolve(child)?;
        match self.variables(child) {
            Some((first, _)) => Ok(VarId(first.0 + offset)),
            None => Err(Reported),
        }
    }

    /// What flows into the connector of a stream variable from outside its component.
    fn in_stream(&mut self, var: VarId, nesting: u32) -> Res<ExprId> {
        let (leaf, _) = self.slots[var.index()];
        let Some(connector) = self.inst(leaf).parent else { return Err(Reported) };
        if nesting > MAX_NESTING {
            return Err(Reported);
        }
        let others = self.connections.streams.set(connector, false);
        self.mixture(var, (connector, false), &others, nesting)
    }

    /// The mixture of what all faces of a set but one deliver.
    fn mixture(
        &mut self,
        var: VarId,
        but: (InstId, bool),
        set: &[(InstId, bool)],
        nesting: u32,
    ) -> Res<ExprId> {
        let mut sources: Vec<(ExprId, ExprId)> = Vec::new();
        let mut nominal = f64::INFINITY;
        for &face in set {
            if face == but {
                continue;
            }
            let twin = self.twin(var, face.0)?;
            let (leaf, _) = self.slots[twin.index()];
            if face.1 {
                let property = self.in_stream(twin, nesting + 1)?;
                if self.never_delivers(leaf, "max")? {
                    continue;
                }
                let flow = self.flow_of(leaf)?;
                sources.push((property, flow));
                nominal = nominal.min(self.nominal_flow(leaf)?);
            } else {
                if self.never_delivers(leaf, "min")? {
                    continue;
                }
                nominal = nominal.min(self.nominal_flow(leaf)?);
                let flow = self.flow_of(leaf)?;
                let out = self.pool.op(Op::Neg, &[flow]);
                let property = self.pool.var(twin);
                sources.push((property, out));
            }
        }
        if sources.is_empty() && but.1 {
            return self.passed_on(var, but, set, nesting);
        }
        match sources[..] {
            [] => Ok(self.pool.var(var)),
            [(property, _)] => Ok(property),
            _ => Ok(self.weighted_mean(&sources, SMALL_FLOW * nominal)),
        }
    }

    /// What leaves through a connector seen from inside where nothing inside can deliver: nothing flows, but the property
    /// needs a value all the same, that of what is connected to it.
    fn passed_on(
        &mut self,
        var: VarId,
        but: (InstId, bool),
        set: &[(InstId, bool)],
        nesting: u32,
    ) -> Res<ExprId> {
        let mut properties = Vec::new();
        for &face in set.iter().filter(|&&face| face != but) {
            let twin = self.twin(var, face.0)?;
            properties.push(match face.1 {
                true => self.in_stream(twin, nesting + 1)?,
                false => self.pool.var(twin),
            });
        }
        let count = self.pool.constant(properties.len() as f64);
        match properties[..] {
            [] => Ok(self.pool.var(var)),
            [only] => Ok(only),
            _ => {
                let sum = self.pool.op(Op::Add, &properties);
                Ok(self.pool.op(Op::Div, &[sum, count]))
            }
        }
    }

    /// The mean of properties, weighted with flows as far as they are positive.
    fn weighted_mean(&mut self, sources: &[(ExprId, ExprId)], eps: f64) -> ExprId {
        let zero = self.pool.constant(0.0);
        let inflows: Vec<ExprId> =
            sources.iter().map(|&(_, flow)| self.pool.op(Op::Max, &[flow, zero])).collect();
        let total = self.pool.op(Op::Add, &inflows);
        let share = self.share_of_flows(total, eps);
        let eps = self.pool.constant(eps);
        let one = self.pool.constant(1.0);
        let minus = self.pool.op(Op::Neg, &[share]);
        let rest = self.pool.op(Op::Add, &[one, minus]);
        let rest = self.pool.op(Op::Mul, &[eps, rest]);
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (&(property, _), inflow) in sources.iter().zip(inflows) {
            let weight = self.pool.op(Op::Mul, &[share, inflow]);
            let weight = self.pool.op(Op::Add, &[weight, rest]);
            above.push(self.pool.op(Op::Mul, &[weight, property]));
            below.push(weight);
        }
        let (above, below) = (self.pool.op(Op::Add, &above), self.pool.op(Op::Add, &below));
        self.pool.op(Op::Div, &[above, below])
    }

    /// 1 from `eps` on, 0 for no flow, between them `x^2*(3 - 2*x)` with `x = total/eps`; no events.
    fn share_of_flows(&mut self, total: ExprId, eps: f64) -> ExprId {
        let small = self.pool.constant(eps);
        let (one, two, three) = (self.pool.constant(1.0), self.pool.constant(2.0), self.pool.constant(3.0));
        let x = self.pool.op(Op::Div, &[total, small]);
        let square = self.pool.op(Op::Pow, &[x, two]);
        let slope = self.pool.op(Op::Mul, &[two, x]);
        let slope = self.pool.op(Op::Neg, &[slope]);
        let slope = self.pool.op(Op::Add, &[three, slope]);
        let between = self.pool.op(Op::Mul, &[square, slope]);
        let flows = self.pool.op(Op::Less, &[small, total]);
        let share = self.pool.op(Op::If, &[flows, one, between]);
        let share = self.pool.op(Op::NoEvent, &[share]);
        self.pool.op(Op::Smooth, &[one, share])
    }

    /// Can nothing flow out of the component through this connector? (Seen from inside: into it.)
    fn never_delivers(&mut self, leaf: InstId, limit: &str) -> Res<bool> {
        let bound = self.flow_attribute(leaf, limit)?;
        Ok(bound.is_some_and(|b| if limit == "min" { b >= 0.0 } else { b <= 0.0 }))
    }

    fn nominal_flow(&mut self, leaf: InstId) -> Res<f64> {
        let nominal = self.flow_attribute(leaf, "nominal")?.map(f64::abs);
        Ok(nominal.filter(|n| *n > 0.0 && n.is_finite()).unwrap_or(1.0))
    }

    /// An attribute of the flow variable that goes with a stream variable, if it is known.
    fn flow_attribute(&mut self, leaf: InstId, name: &str) -> Res<Option<f64>> {
        let Some(connector) = self.inst(leaf).parent else { return Ok(None) };
        for child in self.below(connector) {
            if self.inst(child).flow == FlowPrefix::Flow {
                let value = self.attribute(child, Symbol::new(name))?;
                let value = value.and_then(|v| v.as_scalar()).and_then(|e| self.fold(e).ok());
                return Ok(value.and_then(|e| self.pool.as_constant(e)));
            }
        }
        Ok(None)
    }

    /// What leaves through connectors of components that only pass a stream on from inside.
    pub(super) fn stream_equations(&mut self, out: &mut Vec<Equation>) {
        let faces: Vec<InstId> = self
            .connections
            .streams
            .faces
            .iter()
            .filter(|(_, outside)| *outside)
            .map(|(id, _)| *id)
            .collect();
        for connector in faces {
            let set = self.connections.streams.set(connector, true);
            for child in self.below(connector) {
                if self.inst(child).flow != FlowPrefix::Stream {
                    continue;
                }
                let Ok(child) = self.resolve(child) else { continue };
                let Some((first, count)) = self.variables(child) else { continue };
                for i in 0..count as u32 {
                    let var = VarId(first.0 + i);
                    let Ok(rhs) = self.mixture(var, (connector, true), &set, 0) else { continue };
                    let lhs = self.pool.var(var);
                    let location = self.inst(child).info.as_ref().map(|i| i.location);
                    let origin = Origin { component: String::new(), location, kind: OriginKind::Connect };
                    out.push(Equation { lhs, rhs, origin });
                }
            }
        }
    }

    /// `cardinality(c)`: how often a connector is connected (deprecated, but in use).
    pub fn builtin_cardinality(&mut self, c: Call<'_>) -> Res<Value> {
        self.arity(c, 1, 1)?;
        let kausal_syntax::ast::Expr::Ref(reference) = c.ast.exprs[c.args[0].value] else {
            return Err(self.wrong_args(c));
        };
        if !self.connections.complete {
            let message = "cardinality cannot be used here: connections are not known yet";
            return Err(self.at_expr(c.scope, c.expr, "K0237", message));
        }
        let id = match self.resolve_ref(c.scope, c.ast, &reference)? {
            crate::expr::reference::Cursor::Inst(id) => id,
            crate::expr::reference::Cursor::Disabled(_) => return Ok(self.integer(0.0)),
            crate::expr::reference::Cursor::Value(value) => {
                match value.as_scalar().and_then(|e| self.as_variable(e)) {
                    Some(var) => self.slots[var.index()].0,
                    None => return Err(self.wrong_args(c)),
                }
            }
            _ => return Err(self.wrong_args(c)),
        };
        let n = self.connections.cardinality.get(&id).copied().unwrap_or(0);
        Ok(self.integer(f64::from(n)))
    }

    /// Counts how often each connector is connected.
    pub(super) fn count_links(&mut self) {
        let links = self.connections.links.clone();
        for link in links {
            for end in [link.a, link.b] {
                *self.connections.cardinality.entry(end.inst).or_insert(0) += 1;
            }
        }
    }
}
