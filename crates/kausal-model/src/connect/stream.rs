//! Stream connectors (specification chapter 15): what flows carries its properties along.
//!
//! `inStream(h)` is the property of the ideally mixed flow into a connector: what the others deliver, weighted with
//! their flows. So that the mixture stays defined when nothing flows, the weights go over smoothly to equal ones as
//! the sum `s` of all inflows falls below a small flow `eps` (section 15.2, the recommended `positiveMax`): with
//! `a = 1` for `s >= eps` and `a = 0` for `s = 0` a weight is `a*max(m_flow, 0) + (1 - a)*eps`. Connectors that cannot
//! deliver (`m_flow.min >= 0`; seen from inside, `m_flow.max <= 0`) have no weight.

use kausal_symbolic::{ExprId, Op, Pool, VarId};
use kausal_syntax::Symbol;
use kausal_syntax::ast::FlowPrefix;

use crate::class::{Reported, Res};
use crate::connect::links::End;
use crate::expr::arguments::Call;
use crate::expr::{arguments, place};
use crate::flat::{Equation, Origin, OriginKind};
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::value::{Ty, Value};
use crate::{fold, instance, sink, tree};

/// What is a small flow, as a part of the nominal flow.
const SMALL_FLOW: f64 = 1e-6;
/// How many components a stream may pass from outside to inside without being mixed.
const MAX_NESTING: u32 = 200;

/// Finds out which stream connectors are connected.
pub(super) fn build_streams(fl: &mut Flattener<'_>) {
    for link in fl.connections.links.clone() {
        let _ = stream_pairs(fl, link.a, link.b);
    }
    let streams = &mut fl.connections.streams;
    for f in 0..streams.faces.len() as u32 {
        let root = streams.sets.find(f);
        streams.members.entry(root).or_default().push(f);
    }
}

fn stream_pairs(fl: &mut Flattener<'_>, a: End, b: End) -> Res<()> {
    let (ia, ib) = (instance::resolve(fl, a.inst)?, instance::resolve(fl, b.inst)?);
    match (fl.inst(ia).node.clone(), fl.inst(ib).node.clone()) {
        (tree::Node::Struct, tree::Node::Struct) => {
            let children = instance::below(fl, ia);
            if children.iter().any(|&c| fl.inst(c).flow == FlowPrefix::Stream) {
                let x = fl.connections.streams.face(ia, a.outside);
                let y = fl.connections.streams.face(ib, b.outside);
                fl.connections.streams.sets.unite(x, y);
            }
            for child in children {
                if matches!(fl.inst(child).node, tree::Node::Leaf(..)) {
                    continue;
                }
                let name = fl.inst(child).name;
                if let Some(other) = instance::child(fl, ib, name)? {
                    stream_pairs(fl, End { inst: child, ..a }, End { inst: other, ..b })?;
                }
            }
            Ok(())
        }
        (tree::Node::Array(_, x), tree::Node::Array(_, y)) => {
            for (&x, &y) in x.iter().zip(y.iter()) {
                stream_pairs(fl, End { inst: x, ..a }, End { inst: y, ..b })?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// `inStream(…)` and `actualStream(…)`.
pub fn builtin_stream(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    arguments::arity(fl, c, 1, 1)?;
    let value = fl.eval(c.scope, c.args[0].value)?;
    let Value::Plain(Ty::Real, array) = &value else { return Err(arguments::wrong_args(fl, c)) };
    let actual = c.name == "actualStream";
    let array = array.try_map(|&e| {
        let Some(var) = sink::as_variable(&fl.pool, e) else { return Err(arguments::wrong_args(fl, c)) };
        let (leaf, _) = fl.slots[var.index()];
        if fl.inst(leaf).flow != FlowPrefix::Stream {
            let message = format!("{} needs a stream variable of a connector", c.name);
            return Err(place::at_expr(fl, c.scope, c.expr, "K0238", message));
        }
        if !fl.connections.complete {
            let message = format!("{} cannot be used here: connections are not known yet", c.name);
            return Err(place::at_expr(fl, c.scope, c.expr, "K0237", message));
        }
        let inflow = in_stream(fl, var, 0)?;
        if !actual {
            return Ok(inflow);
        }
        let flow = flow_of(fl, leaf)?;
        let zero = fl.pool.constant(0.0);
        let enters = fl.pool.op(Op::Less, &[zero, flow]);
        Ok(fl.pool.op(Op::If, &[enters, inflow, e]))
    })?;
    Ok(Value::Plain(Ty::Real, array))
}

/// The flow variable that goes with a stream variable.
fn flow_of(fl: &mut Flattener<'_>, leaf: InstId) -> Res<ExprId> {
    let Some(connector) = fl.inst(leaf).parent else { return Err(Reported) };
    for child in instance::below(fl, connector) {
        if fl.inst(child).flow == FlowPrefix::Flow {
            let child = instance::resolve(fl, child)?;
            if let Some((first, _)) = instance::variables(fl, child) {
                return Ok(fl.pool.var(first));
            }
        }
    }
    let path = fl.path(connector);
    let diagnostic = kausal_syntax::Diagnostic::error(
        "K0239",
        format!("the connector {path} has a stream but no flow variable"),
    );
    Err(instance::report_at_decl(fl, connector, diagnostic))
}

/// The same stream variable of another connector.
fn twin(fl: &mut Flattener<'_>, var: VarId, other: InstId) -> Res<VarId> {
    let (leaf, offset) = fl.slots[var.index()];
    let name = fl.inst(leaf).name;
    let Some(child) = instance::child(fl, other, name)? else { return Err(Reported) };
    let child = instance::resolve(fl, child)?;
    match instance::variables(fl, child) {
        Some((first, _)) => Ok(VarId(first.0 + offset)),
        None => Err(Reported),
    }
}

/// What flows into the connector of a stream variable from outside its component.
fn in_stream(fl: &mut Flattener<'_>, var: VarId, nesting: u32) -> Res<ExprId> {
    let (leaf, _) = fl.slots[var.index()];
    let Some(connector) = fl.inst(leaf).parent else { return Err(Reported) };
    if nesting > MAX_NESTING {
        return Err(Reported);
    }
    let others = fl.connections.streams.set(connector, false);
    mixture(fl, var, (connector, false), &others, nesting)
}

/// The mixture of what all faces of a set but one deliver.
fn mixture(
    fl: &mut Flattener<'_>,
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
        let twin = self::twin(fl, var, face.0)?;
        let (leaf, _) = fl.slots[twin.index()];
        if face.1 {
            let property = in_stream(fl, twin, nesting + 1)?;
            if never_delivers(fl, leaf, "max")? {
                continue;
            }
            let flow = flow_of(fl, leaf)?;
            sources.push((property, flow));
            nominal = nominal.min(nominal_flow(fl, leaf)?);
        } else {
            if never_delivers(fl, leaf, "min")? {
                continue;
            }
            nominal = nominal.min(nominal_flow(fl, leaf)?);
            let flow = flow_of(fl, leaf)?;
            let out = fl.pool.op(Op::Neg, &[flow]);
            let property = fl.pool.var(twin);
            sources.push((property, out));
        }
    }
    if sources.is_empty() && but.1 {
        return passed_on(fl, var, but, set, nesting);
    }
    match sources[..] {
        [] => Ok(fl.pool.var(var)),
        [(property, _)] => Ok(property),
        _ => Ok(weighted_mean(&mut fl.pool, &sources, SMALL_FLOW * nominal)),
    }
}

/// What leaves through a connector seen from inside where nothing inside can deliver: nothing flows, but the property
/// needs a value all the same, that of what is connected to it.
fn passed_on(
    fl: &mut Flattener<'_>,
    var: VarId,
    but: (InstId, bool),
    set: &[(InstId, bool)],
    nesting: u32,
) -> Res<ExprId> {
    let mut properties = Vec::new();
    for &face in set.iter().filter(|&&face| face != but) {
        let twin = self::twin(fl, var, face.0)?;
        properties.push(match face.1 {
            true => in_stream(fl, twin, nesting + 1)?,
            false => fl.pool.var(twin),
        });
    }
    let count = fl.pool.constant(properties.len() as f64);
    match properties[..] {
        [] => Ok(fl.pool.var(var)),
        [only] => Ok(only),
        _ => {
            let sum = fl.pool.op(Op::Add, &properties);
            Ok(fl.pool.op(Op::Div, &[sum, count]))
        }
    }
}

/// The mean of properties, weighted with flows as far as they are positive.
fn weighted_mean(pool: &mut Pool, sources: &[(ExprId, ExprId)], eps: f64) -> ExprId {
    let zero = pool.constant(0.0);
    let inflows: Vec<ExprId> = sources.iter().map(|&(_, flow)| pool.op(Op::Max, &[flow, zero])).collect();
    let total = pool.op(Op::Add, &inflows);
    let share = share_of_flows(pool, total, eps);
    let eps = pool.constant(eps);
    let one = pool.constant(1.0);
    let minus = pool.op(Op::Neg, &[share]);
    let rest = pool.op(Op::Add, &[one, minus]);
    let rest = pool.op(Op::Mul, &[eps, rest]);
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (&(property, _), inflow) in sources.iter().zip(inflows) {
        let weight = pool.op(Op::Mul, &[share, inflow]);
        let weight = pool.op(Op::Add, &[weight, rest]);
        above.push(pool.op(Op::Mul, &[weight, property]));
        below.push(weight);
    }
    let (above, below) = (pool.op(Op::Add, &above), pool.op(Op::Add, &below));
    pool.op(Op::Div, &[above, below])
}

/// 1 from `eps` on, 0 for no flow, between them `x^2*(3 - 2*x)` with `x = total/eps`; no events.
fn share_of_flows(pool: &mut Pool, total: ExprId, eps: f64) -> ExprId {
    let small = pool.constant(eps);
    let (one, two, three) = (pool.constant(1.0), pool.constant(2.0), pool.constant(3.0));
    let x = pool.op(Op::Div, &[total, small]);
    let square = pool.op(Op::Pow, &[x, two]);
    let slope = pool.op(Op::Mul, &[two, x]);
    let slope = pool.op(Op::Neg, &[slope]);
    let slope = pool.op(Op::Add, &[three, slope]);
    let between = pool.op(Op::Mul, &[square, slope]);
    let flows = pool.op(Op::Less, &[small, total]);
    let share = pool.op(Op::If, &[flows, one, between]);
    let share = pool.op(Op::NoEvent, &[share]);
    pool.op(Op::Smooth, &[one, share])
}

/// Can nothing flow out of the component through this connector? (Seen from inside: into it.)
fn never_delivers(fl: &mut Flattener<'_>, leaf: InstId, limit: &str) -> Res<bool> {
    let bound = flow_attribute(fl, leaf, limit)?;
    Ok(bound.is_some_and(|b| if limit == "min" { b >= 0.0 } else { b <= 0.0 }))
}

fn nominal_flow(fl: &mut Flattener<'_>, leaf: InstId) -> Res<f64> {
    let nominal = flow_attribute(fl, leaf, "nominal")?.map(f64::abs);
    Ok(nominal.filter(|n| *n > 0.0 && n.is_finite()).unwrap_or(1.0))
}

/// An attribute of the flow variable that goes with a stream variable, if it is known.
fn flow_attribute(fl: &mut Flattener<'_>, leaf: InstId, name: &str) -> Res<Option<f64>> {
    let Some(connector) = fl.inst(leaf).parent else { return Ok(None) };
    for child in instance::below(fl, connector) {
        if fl.inst(child).flow == FlowPrefix::Flow {
            let value = fold::attribute(fl, child, Symbol::new(name))?;
            let value = value.and_then(|v| v.as_scalar()).and_then(|e| fl.fold(e).ok());
            return Ok(value.and_then(|e| fl.pool.as_constant(e)));
        }
    }
    Ok(None)
}

/// What leaves through connectors of components that only pass a stream on from inside.
pub(super) fn stream_equations(fl: &mut Flattener<'_>, out: &mut Vec<Equation>) {
    let faces: Vec<InstId> =
        fl.connections.streams.faces.iter().filter(|(_, outside)| *outside).map(|(id, _)| *id).collect();
    for connector in faces {
        let set = fl.connections.streams.set(connector, true);
        for child in instance::below(fl, connector) {
            if fl.inst(child).flow != FlowPrefix::Stream {
                continue;
            }
            let Ok(child) = instance::resolve(fl, child) else { continue };
            let Some((first, count)) = instance::variables(fl, child) else { continue };
            for i in 0..count as u32 {
                let var = VarId(first.0 + i);
                let Ok(rhs) = mixture(fl, var, (connector, true), &set, 0) else { continue };
                let lhs = fl.pool.var(var);
                let location = fl.inst(child).info.as_ref().map(|i| i.location);
                let origin = Origin { component: String::new(), location, kind: OriginKind::Connect };
                out.push(Equation { lhs, rhs, origin });
            }
        }
    }
}

/// `cardinality(c)`: how often a connector is connected (deprecated, but in use).
pub fn builtin_cardinality(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    arguments::arity(fl, c, 1, 1)?;
    let kausal_syntax::ast::Expr::Ref(reference) = c.ast.exprs[c.args[0].value] else {
        return Err(arguments::wrong_args(fl, c));
    };
    if !fl.connections.complete {
        let message = "cardinality cannot be used here: connections are not known yet";
        return Err(place::at_expr(fl, c.scope, c.expr, "K0237", message));
    }
    let id = match fl.resolve_ref(c.scope, c.ast, &reference)? {
        crate::expr::reference::Cursor::Inst(id) => id,
        crate::expr::reference::Cursor::Disabled(_) => return Ok(arguments::integer(&mut fl.pool, 0.0)),
        crate::expr::reference::Cursor::Value(value) => {
            match value.as_scalar().and_then(|e| sink::as_variable(&fl.pool, e)) {
                Some(var) => fl.slots[var.index()].0,
                None => return Err(arguments::wrong_args(fl, c)),
            }
        }
        _ => return Err(arguments::wrong_args(fl, c)),
    };
    let n = fl.connections.cardinality.get(&id).copied().unwrap_or(0);
    Ok(arguments::integer(&mut fl.pool, f64::from(n)))
}

/// Counts how often each connector is connected.
pub(super) fn count_links(fl: &mut Flattener<'_>) {
    let links = fl.connections.links.clone();
    for link in links {
        for end in [link.a, link.b] {
            *fl.connections.cardinality.entry(end.inst).or_insert(0) += 1;
        }
    }
}
