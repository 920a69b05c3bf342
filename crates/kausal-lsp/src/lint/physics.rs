//! Lints of what models mean: open connectors, initial conditions left to chance, jumps that make no event, classes that are
//! deprecated.
//!
//! What a class is, is looked up in its own file, as everywhere here. A class is complete where it is meant to be simulated as it is: it
//! has an `experiment` annotation.

use kausal_syntax::ast::{
    ClassBody, ClassDef, ClassId, ClassKind, Component, ComponentId, Element, Expr, ExprId, FlowPrefix,
    LongBody, ModArg, Name, UnaryOp, Variability,
};
use kausal_syntax::{Ast, Diagnostic, Symbol};
use rustc_hash::FxHashSet;

use super::{at, has_modifier};
use crate::references::{Kind, Reference};

/// These lints of one class.
pub(super) fn of_class(ast: &Ast, names: &[Reference], id: ClassId) -> Vec<Diagnostic> {
    let ClassBody::Long(body) = &ast.classes[id].body else { return Vec::new() };
    let mut out = Vec::new();
    if is_complete(ast, &ast.classes[id]) {
        out.extend(open_connectors(ast, names, id, body));
        out.extend(left_to_chance(ast, id, body));
    }
    out
}

/// These lints of a whole file.
pub(super) fn of_file(ast: &Ast, names: &[Reference]) -> Vec<Diagnostic> {
    let mut out = jumps(ast);
    out.extend(deprecated(ast, names));
    out
}

/// Is a class to be simulated as it is?
pub(super) fn is_complete(ast: &Ast, class: &ClassDef) -> bool {
    let runs = matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class) && !class.partial;
    runs && has_modifier(ast, class.description.annotation, "experiment")
}

/// The class of this file that a type stands for, as far as the file says.
pub(super) fn class_of(ast: &Ast, name: Name, scope: ClassId) -> Option<ClassId> {
    let parts: Vec<Symbol> = ast.lists.idents.get(name.parts).iter().map(|ident| ident.symbol).collect();
    let within = |owner: Option<ClassId>, symbol: Symbol| {
        ast.classes.iter().find(|(_, c)| c.parent == owner && c.name.symbol == symbol).map(|(id, _)| id)
    };
    let mut around = Some(scope);
    loop {
        if let Some(first) =
            within(around, parts[0]).filter(|&id| around.is_some() || ast.roots.contains(&id))
        {
            return parts[1..].iter().try_fold(first, |owner, &part| within(Some(owner), part));
        }
        around = ast.classes[around?].parent;
    }
}

/// Components of a class with those of the bases that are in the file; none where one is elsewhere.
fn components(ast: &Ast, class: ClassId, depth: usize) -> Option<Vec<(ComponentId, ClassId)>> {
    const DEEPEST: usize = 20;
    let ClassBody::Long(body) = &ast.classes[class].body else { return None };
    let mut all = Vec::new();
    for element in &body.elements {
        match element {
            Element::Component(c) => all.push((*c, class)),
            Element::Extends(e) if depth < DEEPEST => {
                all.extend(components(ast, class_of(ast, e.base, class)?, depth + 1)?);
            }
            Element::Extends(_) => return None,
            _ => {}
        }
    }
    Some(all)
}

/// Does something flow through connectors of this class?
fn is_physical(ast: &Ast, class: ClassId) -> bool {
    ast.classes[class].kind == ClassKind::Connector
        && components(ast, class, 0)
            .is_some_and(|all| all.iter().any(|(c, _)| ast.components[*c].flow == FlowPrefix::Flow))
}

/// Connectors of components that nothing is connected to: their flow is zero.
fn open_connectors(ast: &Ast, names: &[Reference], id: ClassId, body: &LongBody) -> Vec<Diagnostic> {
    let mut mentioned: FxHashSet<(Symbol, Symbol)> = FxHashSet::default();
    for r in names.iter().filter(|r| r.scope == Some(id) && !r.in_annotation) {
        if let [owner, connector, ..] = &r.parts[..] {
            mentioned.insert((owner.name, connector.name));
        }
    }
    let mut out = Vec::new();
    for element in &body.elements {
        let Element::Component(c) = element else { continue };
        let component: &Component = &ast.components[*c];
        // Of arrays and of what may be absent, parts may be connected; what is `inner`, others connect through their `outer`.
        let plain = ast.lists.exprs.get(component.dims).is_empty()
            && component.condition.is_none()
            && !component.prefixes.inner;
        let Some(class) = class_of(ast, component.type_name, id).filter(|_| plain) else { continue };
        let Some(inside) = components(ast, class, 0) else { continue };
        let open: Vec<&str> = inside
            .iter()
            .filter(|(c, owner)| {
                let inner = &ast.components[*c];
                let plain = ast.lists.exprs.get(inner.dims).is_empty() && inner.condition.is_none();
                let physical = class_of(ast, inner.type_name, *owner).is_some_and(|k| is_physical(ast, k));
                plain
                    && physical
                    && !inner.prefixes.protected
                    && !mentioned.contains(&(component.name.symbol, inner.name.symbol))
            })
            .map(|(c, _)| ast.components[*c].name.symbol.as_str())
            .collect();
        if !open.is_empty() {
            let name = component.name.symbol;
            let list: Vec<String> = open.iter().map(|o| format!("{name}.{o}")).collect();
            let verb = if list.len() == 1 { "is" } else { "are" };
            out.push(
                Diagnostic::warning("K0605", format!("{} {verb} not connected", list.join(", ")))
                    .at(at(ast, component.name.span), "nothing flows through it there")
                    .help("connect it, or say that it is meant to be open: `// lint: allow K0605`"),
            );
        }
    }
    out
}

/// States of a complete model whose start is only a guess, while nothing else says where they begin.
fn left_to_chance(ast: &Ast, id: ClassId, body: &LongBody) -> Vec<Diagnostic> {
    let initial = body.equations.iter().any(|s| s.initial) || body.algorithms.iter().any(|s| s.initial);
    if initial {
        return Vec::new();
    }
    let whole = ast.classes[id].span;
    let nested: Vec<_> =
        ast.classes.iter().filter(|(_, c)| c.parent == Some(id)).map(|(_, c)| c.span).collect();
    let is_inside = |outer: &kausal_syntax::Span, e: ExprId| {
        let span = ast.expr_spans[e.index()];
        outer.start <= span.start && span.end <= outer.end
    };
    let own = |e: &ExprId| is_inside(&whole, *e) && !nested.iter().any(|class| is_inside(class, *e));
    let expressions = ast.exprs.iter().map(|(e, _)| e).filter(own);
    let differentiated: FxHashSet<Symbol> = expressions.filter_map(|e| derivative_of(ast, e)).collect();
    let mut out = Vec::new();
    for element in &body.elements {
        let Element::Component(c) = element else { continue };
        let component = &ast.components[*c];
        let is_state = differentiated.contains(&component.name.symbol)
            && component.variability == Variability::Continuous;
        let said = |attribute: &str| has_modifier(ast, component.modification, attribute);
        let typed = class_of(ast, component.type_name, id).is_some();
        if is_state && !typed && !said("fixed") {
            let name = component.name.symbol;
            let what = if said("start") { "only a guess" } else { "zero, and a guess" };
            out.push(
                Diagnostic::note(
                    "K0606",
                    format!("where {name} begins is left to chance: its start value is {what}"),
                )
                .at(at(ast, component.name.span), "")
                .help("write `fixed = true`, or an initial equation"),
            );
        }
    }
    out
}

/// `der(x)` of a variable of the class.
fn derivative_of(ast: &Ast, e: ExprId) -> Option<Symbol> {
    let Expr::Call { function, args } = &ast.exprs[e] else { return None };
    let [only] = ast.lists.parts.get(function.parts) else { return None };
    let [argument] = ast.lists.args.get(*args) else { return None };
    let Expr::Ref(reference) = &ast.exprs[argument.value] else { return None };
    match ast.lists.parts.get(reference.parts) {
        [variable] if only.name.symbol.as_str() == "der" => Some(variable.name.symbol),
        _ => None,
    }
}

/// What jumps inside `noEvent`: no step ends there, so the jump is stepped over.
fn jumps(ast: &Ast) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (id, expr) in ast.exprs.iter() {
        let Expr::Call { function, args } = expr else { continue };
        let is_no_event =
            matches!(ast.lists.parts.get(function.parts), [one] if one.name.symbol.as_str() == "noEvent");
        let [argument] = ast.lists.args.get(*args) else { continue };
        if !is_no_event {
            continue;
        }
        let mut found = None;
        each_expression(ast, argument.value, &mut |e| found = found.take().or_else(|| jump(ast, e)));
        if let Some(what) = found {
            out.push(
                Diagnostic::warning("K0607", format!("noEvent hides a jump: {what}"))
                    .at(at(ast, ast.expr_spans[id.index()]), "no step of the integration ends at it")
                    .help("leave noEvent out, or make what it guards continuous; it is for formulas that are undefined on the other side"),
            );
        }
    }
    out
}

/// Does an expression jump by itself?
fn jump(ast: &Ast, e: ExprId) -> Option<String> {
    match &ast.exprs[e] {
        Expr::If { branches, otherwise } => {
            let values: Vec<Option<f64>> = ast
                .lists
                .branches
                .get(*branches)
                .iter()
                .map(|(_, value)| *value)
                .chain([*otherwise])
                .map(|value| literal(ast, value))
                .collect();
            let numbers: Option<Vec<f64>> = values.into_iter().collect();
            let numbers = numbers?;
            let differ = numbers.windows(2).any(|pair| pair[0] != pair[1]);
            differ.then(|| {
                format!(
                    "its branches are {}",
                    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" and ")
                )
            })
        }
        Expr::Call { function, .. } => match ast.lists.parts.get(function.parts) {
            [one]
                if ["sign", "floor", "ceil", "integer", "div", "mod", "rem"]
                    .contains(&one.name.symbol.as_str()) =>
            {
                Some(format!("{} jumps", one.name.symbol))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A number, with its sign.
fn literal(ast: &Ast, e: ExprId) -> Option<f64> {
    match &ast.exprs[e] {
        Expr::Integer(value) => Some(*value as f64),
        Expr::Real(value) => Some(*value),
        Expr::Boolean(value) => Some(f64::from(u8::from(*value))),
        Expr::Unary(UnaryOp::Minus, inner) => literal(ast, *inner).map(|value| -value),
        _ => None,
    }
}

/// Classes of this file that say they are obsolete, where they are used.
fn deprecated(ast: &Ast, names: &[Reference]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for r in names.iter().filter(|r| matches!(r.kind, Kind::Type | Kind::Function) && !r.in_annotation) {
        let Some(scope) = r.scope else { continue };
        let Some(class) = class_of_parts(ast, &r.parts, scope) else { continue };
        let Some(why) = obsolete(ast, &ast.classes[class]) else { continue };
        let last = r.parts[r.parts.len() - 1];
        let mut d =
            Diagnostic::warning("K0608", format!("{} is deprecated", last.name)).at(at(ast, last.span), "");
        if !why.is_empty() {
            d = d.help(why);
        }
        out.push(d);
    }
    out
}

fn class_of_parts(ast: &Ast, parts: &[crate::references::Part], scope: ClassId) -> Option<ClassId> {
    let within = |owner: Option<ClassId>, symbol: Symbol| {
        ast.classes.iter().find(|(_, c)| c.parent == owner && c.name.symbol == symbol).map(|(id, _)| id)
    };
    let mut around = Some(scope);
    loop {
        if let Some(first) =
            within(around, parts[0].name).filter(|&id| around.is_some() || ast.roots.contains(&id))
        {
            return parts[1..].iter().try_fold(first, |owner, part| within(Some(owner), part.name));
        }
        around = ast.classes[around?].parent;
    }
}

/// Why a class is not to be used any more: its annotation `obsolete` (specification section 18.7), or an icon that says so.
pub(crate) fn obsolete(ast: &Ast, class: &ClassDef) -> Option<String> {
    let annotation = class.description.annotation.map(|id| &ast.modifications[id]);
    for arg in annotation.iter().flat_map(|m| &m.args) {
        let ModArg::Modify(m) = arg else { continue };
        if !matches!(ast.lists.idents.get(m.name.parts), [one] if one.symbol.as_str() == "obsolete") {
            continue;
        }
        let value = m.modification.map(|id| ast.modifications[id].binding);
        return Some(match value {
            Some(kausal_syntax::ast::Binding::Expr(e)) => {
                let span = ast.expr_spans[e.index()];
                ast.text[span.start as usize..span.end as usize].trim_matches('"').to_owned()
            }
            _ => String::new(),
        });
    }
    let ClassBody::Long(body) = &class.body else { return None };
    let says = body.elements.iter().any(|e| {
        matches!(e, Element::Extends(base) if ast.lists.idents.get(base.base.parts).last()
            .is_some_and(|part| part.symbol.as_str() == "ObsoleteModel"))
    });
    says.then(String::new)
}

/// An expression with all of its parts.
fn each_expression(ast: &Ast, e: ExprId, see: &mut dyn FnMut(ExprId)) {
    // What is inside has its place inside.
    let span = ast.expr_spans[e.index()];
    for (id, _) in ast.exprs.iter() {
        let inner = ast.expr_spans[id.index()];
        if span.start <= inner.start && inner.end <= span.end {
            see(id);
        }
    }
}
