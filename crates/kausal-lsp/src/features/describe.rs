//! What can be said about a class or a component in a few words.

use std::sync::Arc;

use kausal_model::class::{ComponentInfo, KlassId, Member, Place};
use kausal_model::library::FileId;
use kausal_syntax::ast::{Causality, ClassKind, Expr, Variability};
use kausal_syntax::{Span, Symbol};

use crate::world::World;

/// The word of a kind of class.
pub fn kind_word(kind: ClassKind) -> &'static str {
    match kind {
        ClassKind::Class => "class",
        ClassKind::Model => "model",
        ClassKind::Record => "record",
        ClassKind::OperatorRecord => "operator record",
        ClassKind::Block => "block",
        ClassKind::Connector => "connector",
        ClassKind::ExpandableConnector => "expandable connector",
        ClassKind::Type => "type",
        ClassKind::Package => "package",
        ClassKind::Function => "function",
        ClassKind::OperatorFunction => "operator function",
        ClassKind::Operator => "operator",
    }
}

/// The number of a kind of class among the symbols of the protocol.
pub fn symbol_kind(kind: ClassKind) -> u32 {
    match kind {
        ClassKind::Package => 4,
        ClassKind::Function | ClassKind::OperatorFunction => 12,
        ClassKind::Connector | ClassKind::ExpandableConnector => 11,
        ClassKind::Record | ClassKind::OperatorRecord => 23,
        ClassKind::Type => 26,
        ClassKind::Operator => 25,
        ClassKind::Class | ClassKind::Model | ClassKind::Block => 5,
    }
}

/// The text of a range of a file, in one line.
pub fn text_of(world: &mut World, file: FileId, span: Span) -> String {
    let ast = world.ast(file);
    let text = ast.text.get(span.start as usize..span.end as usize).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of an expression.
pub fn expression(world: &mut World, place: &Place) -> String {
    let span = world.ast(place.file).span(place.expr);
    text_of(world, place.file, span)
}

/// All about a component.
pub fn info(world: &mut World, member: &Member) -> Option<Arc<ComponentInfo>> {
    world.classes().component(member).ok()
}

/// A String attribute of a variable, such as its unit.
pub fn attribute(world: &mut World, info: &ComponentInfo, name: &str) -> Option<String> {
    let (place, _) = world.classes().attribute(info.leaf?.mods, Symbol::new(name))?;
    let ast = world.ast(place.file);
    match ast.exprs[place.expr] {
        Expr::String(s) => Some(ast.string(s).into_owned()).filter(|t| !t.is_empty()),
        _ => None,
    }
}

/// `parameter Real R`, as the declaration says it, with its value.
pub fn declaration(world: &mut World, info: &ComponentInfo) -> String {
    let mut out = String::new();
    if info.protected {
        out.push_str("protected ");
    }
    out.push_str(match info.variability {
        Variability::Constant => "constant ",
        Variability::Parameter => "parameter ",
        Variability::Discrete => "discrete ",
        Variability::Continuous => "",
    });
    out.push_str(match info.causality {
        Causality::Input => "input ",
        Causality::Output => "output ",
        Causality::None => "",
    });
    out.push_str(&world.classes().name(info.klass));
    out.push(' ');
    out.push_str(info.name.as_str());
    if !info.dims.is_empty() {
        let dims: Vec<String> = info.dims.clone().iter().map(|d| expression(world, d)).collect();
        out.push_str(&format!("[{}]", dims.join(", ")));
    }
    if let Some(binding) = &info.binding {
        out.push_str(&format!(" = {}", expression(world, binding)));
    }
    out
}

/// The description of a component.
pub fn description(world: &mut World, info: &ComponentInfo) -> String {
    let ast = world.ast(info.file);
    ast.description(&ast.components[info.component].description)
}

/// The description of a class.
pub fn class_description(world: &mut World, k: KlassId) -> String {
    let classes = world.classes();
    let ast = classes.ast(k);
    let def = classes.key(k).def;
    ast.description(&classes.lib.class(def).description)
}

/// Inputs of a function in order, with their declarations.
pub fn inputs(world: &mut World, k: KlassId) -> Vec<Arc<ComponentInfo>> {
    components(world, k).into_iter().filter(|i| i.causality == Causality::Input && !i.protected).collect()
}

/// All components of a class.
pub fn components(world: &mut World, k: KlassId) -> Vec<Arc<ComponentInfo>> {
    let Some(members) = world.classes().members_if_built(k) else { return Vec::new() };
    let list: Vec<Member> = members.components.iter().map(|&i| members.items[i as usize]).collect();
    list.iter().filter_map(|m| info(world, m)).collect()
}
