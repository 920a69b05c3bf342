//! What each kind of class may be made of (specification sections 4.6, 7.1.3, 9.3.1, 12.2 and 15.1): connectors, records
//! and packages have no equations, a package only constants, a stream connector one flow variable, a function public
//! inputs and outputs.

use kausal_syntax::ast::{
    Causality, ClassBody, ClassDef, ClassKind, Element, FlowPrefix, ImportKind, Variability,
};
use kausal_syntax::{Ast, Diagnostic, Location, Span, Symbol};
use rustc_hash::FxHashMap;

use crate::class::{Classes, ComponentInfo, MemberKind, kind_text};
use crate::connect::deselect;
use crate::flattener::Flattener;
use crate::functions::table::Signature;
use crate::ids::KlassId;
use crate::rules::modifiers;

/// The sections, base classes and elements of a definition, against its kind.
pub(super) fn check_kind(fl: &mut Flattener<'_>, k: KlassId, ast: &Ast, class: &ClassDef) {
    match &class.body {
        ClassBody::Long(body) => {
            let equations = body.equations.iter().filter_map(|s| s.equations.first()).map(|e| e.span);
            let statements = body.algorithms.iter().filter_map(|s| s.statements.first()).map(|s| s.span);
            check_sections(fl.cx, k, class, equations.chain(statements).min_by_key(|s| s.start));
            check_imported_names(fl.cx, k, ast, &body.elements);
            for element in &body.elements {
                if let Element::Extends(ext) = element {
                    check_base_kind(fl, k, ast, class, ext);
                }
            }
            check_component_kinds(fl.cx, k, class);
        }
        ClassBody::Enumeration(Some(literals)) => {
            let names = literals.iter().map(|l| (l.name.symbol, l.name.span));
            check_distinct(fl.cx, k, names, "K0212", "is listed twice in this enumeration");
        }
        _ => {}
    }
}

fn check_sections(cx: &mut Classes, k: KlassId, class: &ClassDef, first: Option<Span>) {
    let Some(span) = first else { return };
    if !matches!(
        class.kind,
        ClassKind::Connector
            | ClassKind::ExpandableConnector
            | ClassKind::Record
            | ClassKind::OperatorRecord
            | ClassKind::Package
    ) {
        return;
    }
    let message = format!("{} is a {}: it cannot have equations", cx.name(k), kind_text(class.kind));
    let location = cx.location(k, span);
    let defined = cx.def_location(cx.key(k).def);
    cx.report(
        Diagnostic::error("K0251", message)
            .at(location, "one of them")
            .at(defined, "the class")
            .help("put the equations into a model, or make the class one"),
    );
}

/// Names that imports bring in twice (specification section 13.2.1).
fn check_imported_names(cx: &mut Classes, k: KlassId, ast: &Ast, elements: &[Element]) {
    let mut names: Vec<(Symbol, Span)> = Vec::new();
    for element in elements {
        let Element::Import(import) = element else { continue };
        match &import.kind {
            ImportKind::Qualified => {
                names.extend(ast.lists.idents.get(import.name.parts).last().map(|p| (p.symbol, p.span)));
            }
            ImportKind::Renamed(alias) => names.push((alias.symbol, alias.span)),
            ImportKind::Listed(list) => names.extend(list.iter().map(|n| (n.symbol, n.span))),
            ImportKind::Unqualified => {}
        }
    }
    check_distinct(cx, k, names.into_iter(), "K0219", "is imported twice in this class");
}

fn check_distinct(
    cx: &mut Classes,
    k: KlassId,
    names: impl Iterator<Item = (Symbol, Span)>,
    code: &'static str,
    what: &str,
) {
    let mut first: FxHashMap<Symbol, Span> = FxHashMap::default();
    for (name, span) in names {
        if let Some(&before) = first.get(&name) {
            let (again, before) = (cx.location(k, span), cx.location(k, before));
            cx.report(
                Diagnostic::error(code, format!("{name} {what}"))
                    .at(again, "again here")
                    .at(before, "first here"),
            );
        } else {
            first.insert(name, span);
        }
    }
}

/// A class extends one of its own kind, with few exceptions (specification section 7.1.3); elements that an `extends`
/// clause leaves out exist.
fn check_base_kind(
    fl: &mut Flattener<'_>,
    k: KlassId,
    ast: &Ast,
    class: &ClassDef,
    ext: &kausal_syntax::ast::Extends,
) {
    let file = fl.cx.file(k);
    let Some(base) = modifiers::quietly(fl, |this| this.cx.lookup_name(k, ast, file, ext.base).ok()) else {
        return;
    };
    for b in &ext.breaks {
        let name = match b {
            kausal_syntax::ast::Break::Component(name) => name,
            kausal_syntax::ast::Break::Connect(x, _) => {
                if !deselect::has_connection(fl, base, ast, b) && !fl.cx.is_broken(base) {
                    let message = format!("{} has no such connection to leave out", fl.cx.name(base));
                    let location = fl.cx.location(k, x.span);
                    let defined = fl.cx.def_location(fl.cx.key(base).def);
                    let diagnostic = Diagnostic::error("K0213", message)
                        .at(location, "left out here")
                        .at(defined, "the class");
                    fl.cx.report(diagnostic);
                }
                continue;
            }
        };
        let Ok(members) = fl.cx.members(base) else { continue };
        if !members.index.contains_key(&name.symbol) && !fl.cx.is_broken(base) {
            let message = format!("{} has no element {} to leave out", fl.cx.name(base), name.symbol);
            let location = fl.cx.location(k, name.span);
            let defined = fl.cx.def_location(fl.cx.key(base).def);
            fl.cx.report(
                Diagnostic::error("K0213", message).at(location, "left out here").at(defined, "the class"),
            );
        }
    }
    let kind = fl.cx.deep_kind(base);
    if may_extend(class.kind, kind) {
        return;
    }
    let message = format!(
        "{} is a {}: it cannot extend {}, which is a {}",
        fl.cx.name(k),
        kind_text(class.kind),
        fl.cx.name(base),
        kind_text(kind)
    );
    let location = fl.cx.location(k, ext.base.span);
    let defined = fl.cx.def_location(fl.cx.key(base).def);
    fl.cx.report(
        Diagnostic::error("K0252", message).at(location, "extended here").at(defined, "the base class"),
    );
}

/// The own components of a class.
fn check_component_kinds(cx: &mut Classes, k: KlassId, class: &ClassDef) {
    let kind = class.kind;
    if !matches!(
        kind,
        ClassKind::Connector
            | ClassKind::ExpandableConnector
            | ClassKind::Record
            | ClassKind::Package
            | ClassKind::Block
            | ClassKind::Model
    ) {
        return;
    }
    let Ok(members) = cx.members(k) else { return };
    for member in members.items.iter().filter(|m| m.origin == k) {
        let MemberKind::Component(_) = member.kind else { continue };
        let Ok(info) = cx.component(member) else { continue };
        if kind == ClassKind::Package {
            if info.variability != Variability::Constant {
                let message = format!("a package holds constants only, but {} is not one", member.name);
                let diagnostic = Diagnostic::error("K0253", message)
                    .at(info.location, "declared here")
                    .help("declare it `constant`, or move it into a model");
                cx.report(diagnostic);
            }
            continue;
        }
        if matches!(kind, ClassKind::Block | ClassKind::Model) {
            if info.flow != FlowPrefix::None {
                let message =
                    format!("{} is a flow or stream variable: only connectors have them", member.name);
                let diagnostic = Diagnostic::error("K0253", message)
                    .at(info.location, "declared here")
                    .help("leave out the prefix, or put the variable into a connector");
                cx.report(diagnostic);
            }
            if kind == ClassKind::Block {
                check_block_connector(cx, k, &info);
            }
            continue;
        }
        // Specification section 9.1.3: expandable connectors have no flow variables of their own.
        if kind == ClassKind::ExpandableConnector && info.flow == FlowPrefix::Flow {
            let message = format!("{} is a flow variable: expandable connectors have none", member.name);
            let diagnostic = Diagnostic::error("K0253", message)
                .at(info.location, "declared here")
                .help("put it into a connector, and that into the expandable one");
            cx.report(diagnostic);
        }
        let out_of_place = match info.kind {
            ClassKind::Model | ClassKind::Block => true,
            ClassKind::Connector | ClassKind::ExpandableConnector => kind == ClassKind::Record,
            _ => false,
        };
        if info.leaf.is_none() && out_of_place {
            let message = format!(
                "a {} cannot contain {}, which is a {}",
                kind_text(kind),
                member.name,
                kind_text(info.kind)
            );
            let defined = cx.def_location(cx.key(info.klass).def);
            let diagnostic = Diagnostic::error("K0253", message)
                .at(info.location, "declared here")
                .at(defined, "its class");
            cx.report(diagnostic);
        }
    }
    if kind == ClassKind::Connector {
        check_streams(cx, k);
        if !class.partial && !cx.diagnostics.iter().any(Diagnostic::is_error) {
            check_connector_balance(cx, k);
        }
    }
}

/// A block says of each of its connectors what is input and what is output.
fn check_block_connector(cx: &mut Classes, k: KlassId, info: &ComponentInfo) {
    if info.protected || info.kind != ClassKind::Connector || info.leaf.is_some() {
        return;
    }
    let Ok(members) = cx.members(info.klass) else { return };
    for &i in &members.components {
        let Ok(inner) = cx.component(&members.items[i as usize]) else { return };
        if inner.flow != FlowPrefix::Flow {
            continue;
        }
        let message = format!(
            "{} is a block: its connector {} cannot have the flow variable {}",
            cx.name(k),
            info.name,
            inner.name
        );
        let diagnostic = Diagnostic::error("K0253", message)
            .at(info.location, "declared here")
            .at(inner.location, "the flow variable")
            .help("make the block a model");
        cx.report(diagnostic);
        return;
    }
}

/// A connector has as many flow variables as others without a causality (specification section 9.3.1). Counted where
/// that is possible without sizes.
fn check_connector_balance(cx: &mut Classes, k: KlassId) {
    let (mut flows, mut others) = (0usize, 0usize);
    let mut stack = vec![(k, FlowPrefix::None)];
    let mut steps = 0;
    while let Some((k, flow)) = stack.pop() {
        let Ok(members) = cx.members(k) else { return };
        let constrained = |m: &crate::class::Member| m.name.as_str() == "equalityConstraint";
        steps += 1;
        if members.items.iter().any(constrained) || cx.is_broken(k) || steps > 100 {
            return;
        }
        for &i in &members.components {
            let Ok(info) = cx.component(&members.items[i as usize]) else { return };
            if info.variability <= Variability::Parameter || info.causality != Causality::None {
                continue;
            }
            if !info.dims.is_empty() || info.condition.is_some() {
                return;
            }
            let redundant = Symbol::new("equalityConstraint");
            if info.leaf.is_some() && cx.find_in(info.klass, redundant).is_some() {
                return;
            }
            let flow = if info.flow == FlowPrefix::None { flow } else { info.flow };
            match (info.leaf, flow) {
                (None, _) => stack.push((info.klass, flow)),
                (Some(_), FlowPrefix::Flow) => flows += 1,
                (Some(_), FlowPrefix::None) => others += 1,
                (Some(_), FlowPrefix::Stream) => {}
            }
        }
    }
    if flows == others {
        return;
    }
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let message = format!(
        "{} has {} and {}: they must be equally many",
        cx.name(k),
        plural(flows, "flow variable"),
        plural(others, "other")
    );
    let defined = cx.def_location(cx.key(k).def);
    // A cut of the classic notation may carry derivatives of its across variables, and knows no causality.
    if cx.lib.sources().get(defined.source).name.ends_with(".dym") {
        return;
    }
    let help = "add the missing flow variables, or declare the others `input` or `output`";
    cx.report(Diagnostic::warning("K0250", message).at(defined, "this connector").help(help));
}

/// A connector with stream variables has exactly one flow variable, a scalar (specification section 15.1).
fn check_streams(cx: &mut Classes, k: KlassId) {
    let Ok(members) = cx.members(k) else { return };
    let mut stream: Option<Location> = None;
    let mut flows = 0;
    for &i in &members.components {
        let Ok(info) = cx.component(&members.items[i as usize]) else { return };
        match info.flow {
            FlowPrefix::Stream => stream = stream.or(Some(info.location)),
            FlowPrefix::Flow => flows += 1,
            FlowPrefix::None => {}
        }
    }
    let Some(place) = stream.filter(|_| flows != 1) else { return };
    let message =
        format!("{} has stream variables: it must have exactly one flow variable, not {flows}", cx.name(k));
    let defined = cx.def_location(cx.key(k).def);
    cx.report(
        Diagnostic::error("K0239", message).at(defined, "this connector").at(place, "a stream variable"),
    );
}

/// Variables of a function are inputs and outputs, or protected (specification section 12.2).
pub(crate) fn check_function_interface(cx: &mut Classes, k: KlassId, signature: &Signature) {
    let name = cx.name(k);
    let wrong = |info: &ComponentInfo, text: String, help: &str| {
        Diagnostic::error("K0388", text).at(info.location, "declared here").help(help)
    };
    let mut found = Vec::new();
    for info in signature.inputs.iter().chain(&signature.outputs).filter(|i| i.protected) {
        let text = format!("the {} {} of {name} is protected", causality_text(info.causality), info.name);
        found.push(wrong(info, text, "move it in front of `protected`"));
    }
    for info in &signature.locals {
        if !info.protected && info.variability > Variability::Parameter {
            let text = format!("{} of {name} is neither an input nor an output", info.name);
            found.push(wrong(info, text, "declare it `input` or `output`, or move it behind `protected`"));
        }
    }
    for diagnostic in found {
        cx.report(diagnostic);
    }
}

fn causality_text(causality: Causality) -> &'static str {
    match causality {
        Causality::Input => "input",
        Causality::Output => "output",
        Causality::None => "variable",
    }
}

/// The table of specification section 7.1.3; what is only called `class` goes with everything.
fn may_extend(derived: ClassKind, base: ClassKind) -> bool {
    use ClassKind::*;
    if base == Class || derived == Class || derived == base {
        return true;
    }
    match derived {
        OperatorFunction => base == Function,
        Connector => matches!(base, Type | Record | OperatorRecord | ExpandableConnector),
        Block => base == Record,
        Model => matches!(base, Record | Block),
        _ => false,
    }
}
