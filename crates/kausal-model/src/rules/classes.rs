//! Rules about classes: no component of a partial class, imports that exist, declarations that agree with
//! inherited ones (specification sections 4.4, 7.1 and 13.2).

use kausal_syntax::ast::{Binding, Break, ClassBody, ClassKind, Element};
use kausal_syntax::{Ast, Diagnostic, Symbol};
use rustc_hash::FxHashMap;

use crate::class::{Classes, ComponentInfo, Member, MemberKind, kind_text};
use crate::flattener::Flattener;
use crate::ids::{InstId, KlassId};
use crate::interface::partial_base;
use crate::modifier::ModWhat;
use crate::rules::{kinds, modifiers};
use crate::{class, interface};

/// The class to be flattened must be a model that is not partial.
pub(crate) fn check_root(cx: &mut Classes, klass: KlassId) {
    let def = cx.key(klass).def;
    let location = cx.def_location(def);
    let name = cx.name(klass);
    let kind = cx.deep_kind(klass);
    if !class::is_model(kind) {
        let message = format!("{name} is a {}: only models and blocks can be flattened", kind_text(kind));
        cx.report(Diagnostic::error("K0224", message).at(location, "defined here"));
    } else if let Some(partial) = partial_base(cx, klass) {
        let message = format!("{name} is partial: it only describes what is common to other models");
        let mut diagnostic = Diagnostic::error("K0217", message).at(location, "defined here");
        if partial != klass {
            let place = cx.def_location(cx.key(partial).def);
            diagnostic = diagnostic.at(place, "partial here");
        }
        cx.report(diagnostic.help("flatten a model that extends it"));
    }
}

/// What a component that exists may not be.
pub(super) fn check_component_class(fl: &mut Flattener<'_>, id: InstId, info: &ComponentInfo) {
    if info.leaf.is_some() {
        return;
    }
    let path = fl.path(id);
    let name = fl.cx.name(info.klass);
    if matches!(
        info.kind,
        ClassKind::Package | ClassKind::Function | ClassKind::OperatorFunction | ClassKind::Operator
    ) {
        let message = format!("{path} cannot be a component: {name} is a {}", kind_text(info.kind));
        let defined = fl.cx.def_location(fl.cx.key(info.klass).def);
        fl.cx.report(
            Diagnostic::error("K0224", message)
                .at(info.location, "declared here")
                .at(defined, "the class is defined here"),
        );
        return;
    }
    if let (Some(place), ClassKind::Model | ClassKind::Block) = (&info.binding, info.kind) {
        let message =
            format!("{path} cannot have a value: {name} is a {}, not a record", kind_text(info.kind));
        let span = fl.cx.lib.ast_ref(place.file).span(place.expr);
        let location = fl.cx.lib.location(place.file, span);
        let diagnostic = Diagnostic::error("K0246", message)
            .at(location, "this value")
            .at(info.location, "declared here")
            .help("give values to its parameters: `(p = …)`");
        fl.cx.report(diagnostic);
    }
    let Some(partial) = partial_base(fl.cx, info.klass) else { return };
    let name = fl.cx.name(partial);
    let message = format!("{path} is of the partial class {name}: something is missing in it");
    let defined = fl.cx.def_location(fl.cx.key(partial).def);
    let help = if fl.cx.lib.class(fl.cx.key(info.klass).def).prefixes.replaceable
        || fl.cx.lib.ast_ref(info.file).components[info.component].prefixes.replaceable
    {
        format!("redeclare it as a class that extends {name}")
    } else {
        format!("use a class that extends {name}")
    };
    fl.cx.report(
        Diagnostic::error("K0217", message)
            .at(info.location, "declared here")
            .at(defined, "the partial class")
            .help(help),
    );
}

/// Imports, base classes and own elements of a class definition.
pub(super) fn check_definition(fl: &mut Flattener<'_>, k: KlassId) {
    let key = fl.cx.key(k);
    let file = fl.cx.file(k);
    let ast = fl.cx.lib.ast(file);
    let class = &ast.classes[fl.cx.lib.def(key.def).class];
    kinds::check_kind(fl, k, &ast, class);
    match &class.body {
        ClassBody::Short(short) => {
            if let Some(id) = short.modification
                && let Some(&base) = fl.cx.members(k).ok().and_then(|m| m.bases.first().copied()).as_ref()
            {
                modifiers::check_base_modification(fl, file, id, base, !short.dims.is_empty());
            }
        }
        ClassBody::Long(body) => {
            check_simple_type(fl.cx, k, &ast, body);
            check_external_object(fl.cx, k, &ast, body);
            for element in &body.elements {
                match element {
                    Element::Import(import) => {
                        fl.cx.check_import(k, file, &ast, import);
                    }
                    Element::Extends(ext) => {
                        check_base_fixed(fl.cx, k, &ast, ext.base);
                        if let Some(id) = ext.modification
                            && let Some(base) = base_of(fl, k, &ast, ext.base)
                        {
                            modifiers::check_base_modification(fl, file, id, base, false);
                        }
                    }
                    Element::Component(_) | Element::Class(_) => check_element(fl, k, &ast, element),
                }
            }
            check_bases(fl.cx, k);
        }
        ClassBody::Enumeration(_) | ClassBody::Der { .. } => {}
    }
}

/// What is inherited twice must be the same both times (specification section 7.1).
fn check_bases(cx: &mut Classes, k: KlassId) {
    let Ok(members) = cx.members(k) else { return };
    if members.bases.len() < 2 {
        return;
    }
    let mut first: FxHashMap<Symbol, Member> = FxHashMap::default();
    if cx.is_broken(k) {
        return;
    }
    for &base in &members.bases {
        let Ok(inherited) = cx.members(base) else { continue };
        for &member in &inherited.items {
            match first.get(&member.name).copied() {
                None => {
                    first.insert(member.name, member);
                }
                Some(before) if is_same(cx, &before, &member) => {}
                Some(before) => {
                    let message = format!("{} is inherited twice, and differently", member.name);
                    let class = cx.def_location(cx.key(k).def);
                    let (a, b) = (cx.member_location(&before), cx.member_location(&member));
                    let mut diagnostic = Diagnostic::error("K0225", message)
                        .at(class, "inherited here")
                        .at(a, "declared here");
                    if a != b {
                        diagnostic = diagnostic.at(b, "and here");
                    }
                    cx.report(diagnostic.help("both must have the same type, prefixes and value"));
                }
            }
        }
    }
}

/// Are two members of one name declared alike? Classes that can be redeclared and modifiers that only one of them has are
/// left to the first.
fn is_same(cx: &mut Classes, a: &Member, b: &Member) -> bool {
    let (MemberKind::Component(x), MemberKind::Component(y)) = (a.kind, b.kind) else {
        return matches!((a.kind, b.kind), (MemberKind::Class(_), MemberKind::Class(_)));
    };
    if (cx.file(a.origin), x) == (cx.file(b.origin), y) && a.mods == b.mods {
        return true;
    }
    let (Ok(i), Ok(j)) = (cx.component(a), cx.component(b)) else { return true };
    let types = match (i.leaf, j.leaf) {
        (Some(x), Some(y)) => x.builtin == y.builtin,
        (None, None) => {
            cx.key(i.klass).def == cx.key(j.klass).def
                || interface::missing_members(cx, i.klass, j.klass).is_empty()
        }
        _ => false,
    };
    let text = |info: &ComponentInfo| {
        let place = info.binding?;
        let ast = cx.lib.ast_ref(place.file);
        let span = ast.span(place.expr);
        Some(ast.text[span.start as usize..span.end as usize].split_whitespace().collect::<String>())
    };
    let values = match (text(&i), text(&j)) {
        (Some(x), Some(y)) => x == y,
        _ => true,
    };
    types
        && values
        && (i.variability, i.causality, i.flow) == (j.variability, j.causality, j.flow)
        && i.dims.len() == j.dims.len()
}

/// What extends a built-in type is a type of scalars and has nothing else (specification section 7.1.4).
fn check_simple_type(cx: &mut Classes, k: KlassId, ast: &Ast, body: &kausal_syntax::ast::LongBody) {
    if cx.builtins.contains_key(&cx.key(k).def) {
        return;
    }
    let Some(leaf) = cx.leaf(k) else { return };
    let file = cx.file(k);
    let (name, builtin) = (cx.name(k), crate::value::Ty::of(leaf.builtin));
    let help = "declare a record or model with one component for each value";
    for element in &body.elements {
        let Element::Component(c) = element else { continue };
        let declared = &ast.components[*c].name;
        let message = format!(
            "{name} is based on {}, so it cannot have the component {}",
            builtin.text(),
            declared.symbol
        );
        let location = cx.lib.location(file, declared.span);
        cx.report(Diagnostic::error("K0247", message).at(location, "declared here").help(help));
    }
    let mut equations = body.equations.iter().flat_map(|s| &s.equations).map(|e| e.span);
    let statements = body.algorithms.iter().map(|s| s.span).next();
    if let Some(span) = equations.next().or(statements) {
        let message = format!("{name} is based on {}, so it cannot have equations", builtin.text());
        let location = cx.lib.location(file, span);
        cx.report(Diagnostic::error("K0247", message).at(location, "here").help(help));
    }
}

/// What is extended cannot be something else in every component (specification section 7.1.4).
fn check_base_fixed(cx: &mut Classes, k: KlassId, ast: &Ast, name: kausal_syntax::ast::Name) {
    let file = cx.file(k);
    let parts = ast.lists.idents.get(name.parts);
    let Some(first) = parts.first() else { return };
    let mut found = match name.global {
        true => cx.root(first.symbol).map(class::Found::Class),
        false => cx.find(k, first.symbol),
    };
    for next in parts[1..].iter().map(Some).chain([None]) {
        let Some(class::Found::Class(class)) = found else { return };
        if let Some(def) = replaceable_class(cx, class) {
            let message = format!("{} is replaceable: it cannot be extended", cx.lib.full_name(def));
            let location = cx.lib.location(file, name.span);
            let diagnostic = Diagnostic::error("K0255", message)
                .at(location, "extended here")
                .at(cx.def_location(def), "declared replaceable here")
                .help("extend the class it is by default, or leave out `replaceable`");
            cx.report(diagnostic);
            return;
        }
        let Some(next) = next else { return };
        found = cx.step(class, next.symbol);
    }
}

/// The replaceable class that a class is, by itself or as another name of it.
fn replaceable_class(cx: &mut Classes, class: KlassId) -> Option<crate::library::DefId> {
    let mut at = class;
    for _ in 0..100 {
        let def = cx.key(at).def;
        let written = cx.lib.class(def);
        if written.prefixes.replaceable {
            return Some(def);
        }
        if !matches!(written.body, ClassBody::Short(_)) {
            return None;
        }
        at = *cx.members(at).ok()?.bases.first()?;
    }
    None
}

/// A class of external objects has a constructor and a destructor and nothing else (specification section 12.9.7).
fn check_external_object(cx: &mut Classes, k: KlassId, ast: &Ast, body: &kausal_syntax::ast::LongBody) {
    let direct = body.elements.iter().any(|e| match e {
        Element::Extends(ext) => ast.name_text(ext.base) == "ExternalObject",
        _ => false,
    });
    if !direct {
        return;
    }
    let name = cx.name(k);
    let location = cx.def_location(cx.key(k).def);
    for wanted in ["constructor", "destructor"] {
        let found = cx.step(k, Symbol::new(wanted));
        let function = match found {
            Some(class::Found::Class(f)) => cx.deep_kind(f) == ClassKind::Function,
            _ => false,
        };
        if !function {
            let message = format!("the external object {name} has no function {wanted}");
            let help = "an external object has two functions, constructor and destructor";
            cx.report(Diagnostic::error("K0377", message).at(location, "defined here").help(help));
        }
    }
    for element in &body.elements {
        // Components are found to be wrong elsewhere.
        let Element::Class(c) = element else { continue };
        let what = ast.classes[*c].name;
        if matches!(what.symbol.as_str(), "constructor" | "destructor") {
            continue;
        }
        let message = format!(
            "the external object {name} cannot have {}: only a constructor and a destructor",
            what.symbol
        );
        let file = cx.file(k);
        let place = cx.lib.location(file, what.span);
        cx.report(Diagnostic::error("K0377", message).at(place, "declared here"));
    }
}

/// The base class with its modifiers that an `extends` clause names.
fn base_of(fl: &mut Flattener<'_>, k: KlassId, ast: &Ast, name: kausal_syntax::ast::Name) -> Option<KlassId> {
    let file = fl.cx.file(k);
    let found = modifiers::quietly(fl, |this| this.cx.lookup_name(k, ast, file, name).ok())?;
    let def = fl.cx.key(found).def;
    fl.cx.members(k).ok()?.bases.iter().copied().find(|&b| fl.cx.key(b).def == def)
}

/// What a replaceable component is declared as has what its constraining class promises (specification section 7.3.2).
fn check_default(
    fl: &mut Flattener<'_>,
    k: KlassId,
    ast: &Ast,
    element: &Element,
    name: &kausal_syntax::ast::Ident,
) {
    let (own, constraint) = match element {
        Element::Component(c) => (ast.components[*c].type_name, &ast.components[*c].constraint),
        Element::Class(c) => match &ast.classes[*c].body {
            ClassBody::Short(short) => (short.base, &ast.classes[*c].constraint),
            _ => return,
        },
        _ => return,
    };
    let Some(constraint) = constraint else { return };
    let file = fl.cx.file(k);
    let found = |this: &mut Flattener<'_>, name| {
        modifiers::quietly(this, |this| this.cx.lookup_name(k, ast, file, name).ok())
    };
    let (Some(own), Some(wanted)) = (found(fl, own), found(fl, constraint.base)) else { return };
    let missing = interface::missing_members(fl.cx, wanted, own);
    if missing.is_empty() {
        return;
    }
    let message = format!(
        "{} is constrained by {}, but {} has no {}",
        name.symbol,
        fl.cx.name(wanted),
        fl.cx.name(own),
        missing.join(", ")
    );
    let location = fl.cx.lib.location(file, name.span);
    let defined = fl.cx.def_location(fl.cx.key(wanted).def);
    fl.cx.report(
        Diagnostic::error("K0216", message)
            .at(location, "declared here")
            .at(defined, "the constraining class"),
    );
}

/// An own element that is inherited as well.
fn check_element(fl: &mut Flattener<'_>, k: KlassId, ast: &Ast, element: &Element) {
    let file = fl.cx.file(k);
    let (name, prefixes, what) = match element {
        Element::Component(c) => {
            (ast.components[*c].name, ast.components[*c].prefixes, ModWhat::Component(*c))
        }
        Element::Class(c) => (ast.classes[*c].name, ast.classes[*c].prefixes, ModWhat::Class(*c)),
        _ => return,
    };
    check_default(fl, k, ast, element, &name);
    if left_out(&ast.classes[fl.cx.lib.def(fl.cx.key(k).def).class], name.symbol) {
        return;
    }
    let Some(inherited) = self::inherited(fl.cx, k, name.symbol) else {
        let extends = matches!(element, Element::Class(c) if matches!(&ast.classes[*c].body, ClassBody::Long(b) if b.class_extends));
        if prefixes.redeclare && !fl.cx.is_broken(k) {
            let message = if extends {
                format!("there is no inherited class {} to extend", name.symbol)
            } else {
                format!("there is no inherited element {} to redeclare", name.symbol)
            };
            let location = fl.cx.lib.location(file, name.span);
            fl.cx.report(Diagnostic::error("K0213", message).at(location, "redeclared here"));
        }
        return;
    };
    if prefixes.redeclare {
        modifiers::check_redeclared_member(fl, file, &name, &inherited, what);
    } else if let (Element::Component(c), MemberKind::Component(other)) = (element, inherited.kind) {
        let own = &ast.components[*c];
        let other_file = fl.cx.file(inherited.origin);
        let other_ast = fl.cx.lib.ast(other_file);
        let before = &other_ast.components[other];
        let Some(own_type) =
            modifiers::quietly(fl, |this| this.cx.lookup_name(k, ast, file, own.type_name).ok())
        else {
            return;
        };
        let Ok(info) = fl.cx.component(&inherited) else { return };
        let same = fl.cx.key(own_type).def == fl.cx.key(info.klass).def
            && own.variability == before.variability
            && own.causality == before.causality
            && own.flow == before.flow
            && same_modification(ast, own.modification, &other_ast, before.modification);
        if !same {
            let message = format!("{} is inherited, and this declaration is a different one", name.symbol);
            let location = fl.cx.lib.location(file, name.span);
            let first = fl.cx.member_location(&inherited);
            fl.cx.report(
                Diagnostic::error("K0225", message)
                    .at(location, "declared again here")
                    .at(first, "inherited from here")
                    .help(
                        "modify the inherited element in the `extends` clause, or give this one another name",
                    ),
            );
        }
    }
}

fn inherited(cx: &mut Classes, k: KlassId, name: kausal_syntax::Symbol) -> Option<Member> {
    let bases = cx.members(k).ok()?.bases.clone();
    bases.iter().find_map(|&b| {
        let members = cx.members(b).ok()?;
        members.index.get(&name).map(|&i| members.items[i as usize])
    })
}

/// Does an `extends` clause of the class leave out the inherited element of this name?
fn left_out(class: &kausal_syntax::ast::ClassDef, name: Symbol) -> bool {
    let ClassBody::Long(body) = &class.body else { return false };
    body.elements.iter().any(|e| match e {
        Element::Extends(ext) => {
            ext.breaks.iter().any(|b| matches!(b, Break::Component(n) if n.symbol == name))
        }
        _ => false,
    })
}

fn same_modification(
    a: &Ast,
    x: Option<kausal_syntax::ast::ModId>,
    b: &Ast,
    y: Option<kausal_syntax::ast::ModId>,
) -> bool {
    modification_text(a, x) == modification_text(b, y)
}

/// A modification as written, without blanks.
fn modification_text(ast: &Ast, id: Option<kausal_syntax::ast::ModId>) -> String {
    match id {
        Some(id) => {
            let m = &ast.modifications[id];
            if m.args.is_empty() && m.binding == Binding::None {
                String::new()
            } else {
                ast.text[m.span.start as usize..m.span.end as usize].split_whitespace().collect()
            }
        }
        None => String::new(),
    }
}
