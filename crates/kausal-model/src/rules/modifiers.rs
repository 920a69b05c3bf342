//! Modifiers must modify something that exists, is not `final`, and is not protected; what is redeclared must
//! be replaceable and stay compatible (specification sections 7.2 and 7.3).

use kausal_syntax::ast::{Binding, ClassBody, ClassKind, Ident, ModArg, ModId, Variability};
use kausal_syntax::{Diagnostic, Location, Symbol};
use rustc_hash::FxHashMap;

use crate::advice;
use crate::class::{Classes, ComponentInfo, Member, MemberKind};
use crate::flattener::Flattener;
use crate::ids::KlassId;
use crate::interface::missing_members;
use crate::library::FileId;
use crate::lookup::nearest;
use crate::modifier::{ModItem, ModWhat, Up};
use crate::prelude::Builtin;
use crate::{class, interface, value};

/// Where a modification is written and what it applies to.
#[derive(Clone, Copy)]
struct Site {
    file: FileId,
    /// Something on the way is an array: `each` has a meaning.
    array: bool,
    /// Through a component: protected elements are out of reach.
    outside: bool,
}

/// One thing a modification says.
struct Given {
    path: Vec<Symbol>,
    redeclared: bool,
    /// Which argument of the modification it is in.
    argument: usize,
    location: Location,
}

/// How deep modifications may be nested.
const MAX_NESTING: u32 = 100;

/// What a name in a modifier stands for.
enum Target {
    Attribute,
    Member(Member, KlassId, bool),
    /// Found in the folder of a package, or in something that was reported already.
    Elsewhere,
}

/// The modifiers of a declaration.
pub(super) fn check_declaration(fl: &mut Flattener<'_>, info: &ComponentInfo) {
    let ast = fl.cx.lib.ast(info.file);
    if let Some(id) = ast.components[info.component].modification {
        let site = Site { file: info.file, array: !info.dims.is_empty(), outside: true };
        let written = &ast.modifications[id];
        if info.outer
            && !info.inner
            && (!written.args.is_empty() || written.binding != kausal_syntax::ast::Binding::None)
        {
            let location = fl.cx.lib.location(info.file, written.span);
            outer_modified(fl.cx, info, location);
            return;
        }
        check_modification(fl, site, id, info.klass, 0);
    }
}

/// The modifiers of an `extends` clause or of a short class definition.
pub(super) fn check_base_modification(
    fl: &mut Flattener<'_>,
    file: FileId,
    id: ModId,
    base: KlassId,
    array: bool,
) {
    check_modification(fl, Site { file, array, outside: false }, id, base, 0);
}

fn check_modification(fl: &mut Flattener<'_>, site: Site, id: ModId, klass: KlassId, depth: u32) {
    if depth > MAX_NESTING {
        return;
    }
    let ast = fl.cx.lib.ast(site.file);
    if depth == 0 {
        check_conflicts(fl.cx, site.file, id, klass);
    }
    for (i, arg) in ast.modifications[id].args.iter().enumerate() {
        match arg {
            ModArg::Modify(modify) => {
                let parts = ast.lists.idents.get(modify.name.parts);
                let what = |skip: usize| match (skip + 1 < parts.len(), modify.modification) {
                    (true, _) => Some(ModWhat::Path(id, i as u32, skip as u32 + 1)),
                    (false, inner) => inner.map(ModWhat::Whole),
                };
                check_modify(fl, site, modify, parts, klass, depth, &what);
            }
            ModArg::Class { class, .. } => {
                let name = ast.classes[*class].name;
                check_redeclaration(fl, site, &name, klass, ModWhat::Class(*class));
            }
            ModArg::Component { component, .. } => {
                let name = ast.components[*component].name;
                check_redeclaration(fl, site, &name, klass, ModWhat::Component(*component));
            }
        }
    }
}

/// Two arguments of a modification cannot modify the same thing (specification section 7.2.4); dotted names and nested
/// modifiers are the same.
fn check_conflicts(cx: &mut Classes, file: FileId, id: ModId, klass: KlassId) {
    let mut given: Vec<Given> = Vec::new();
    let ast = cx.lib.ast(file);
    let mut stack: Vec<(ModId, Vec<Symbol>, Option<usize>)> = vec![(id, Vec::new(), None)];
    while let Some((id, prefix, outermost)) = stack.pop() {
        for (i, arg) in ast.modifications[id].args.iter().enumerate() {
            let arg_number = outermost.unwrap_or(i);
            let (names, redeclared, span, inner) = match arg {
                ModArg::Modify(m) => {
                    let parts = ast.lists.idents.get(m.name.parts);
                    (parts.iter().map(|p| p.symbol).collect(), false, m.name.span, m.modification)
                }
                ModArg::Class { class, .. } => {
                    let name = ast.classes[*class].name;
                    (vec![name.symbol], true, name.span, None)
                }
                ModArg::Component { component, .. } => {
                    let name = ast.components[*component].name;
                    (vec![name.symbol], true, name.span, None)
                }
            };
            let mut path = prefix.clone();
            path.extend::<Vec<Symbol>>(names);
            let binds = inner.is_some_and(|m| ast.modifications[m].binding != Binding::None);
            if binds || redeclared {
                let location = cx.lib.location(file, span);
                given.push(Given { path: path.clone(), redeclared, argument: arg_number, location });
            }
            if let Some(inner) = inner
                && path.len() < MAX_NESTING as usize
            {
                stack.push((inner, path, Some(arg_number)));
            }
        }
    }
    given.sort_by_key(|g| g.location.span.start);
    let mut first: FxHashMap<Vec<Symbol>, usize> = FxHashMap::default();
    for i in 0..given.len() {
        let path = given[i].path.clone();
        let mut before = first.get(&path).copied();
        // A value for a record is one for all its fields.
        for n in 1..path.len() {
            if let Some(&whole) = first.get(&path[..n])
                && given[whole].argument != given[i].argument
                && is_record_at(cx, klass, &path[..n])
            {
                before = before.or(Some(whole));
            }
        }
        match before {
            Some(at) => report_conflict(cx, &given[at], &given[i]),
            None => {
                first.insert(path, i);
            }
        }
    }
}

fn report_conflict(cx: &mut Classes, before: &Given, again: &Given) {
    let names: Vec<&str> = again.path.iter().map(|s| s.as_str()).collect();
    let name = names.join(".");
    let message = match (before.redeclared, again.redeclared) {
        (true, true) => format!("{name} is redeclared twice"),
        (false, false) => format!("{name} is given two values"),
        _ => format!("{name} is redeclared and given a value"),
    };
    cx.report(
        Diagnostic::error("K0226", message)
            .at(again.location, "again here")
            .at(before.location, "first here"),
    );
}

/// Does a path lead to something with components of its own?
fn is_record_at(cx: &mut Classes, klass: KlassId, path: &[Symbol]) -> bool {
    let mut at = klass;
    for name in path {
        let Ok(members) = cx.members(at) else { return false };
        let Some(&i) = members.index.get(name) else { return false };
        let MemberKind::Component(_) = members.items[i as usize].kind else { return false };
        let Ok(info) = cx.component(&members.items[i as usize]) else { return false };
        at = info.klass;
    }
    cx.leaf(at).is_none()
}

/// Follows the dotted name of one modifier.
fn check_modify(
    fl: &mut Flattener<'_>,
    mut site: Site,
    modify: &kausal_syntax::ast::Modify,
    parts: &[Ident],
    klass: KlassId,
    depth: u32,
    what: &dyn Fn(usize) -> Option<ModWhat>,
) {
    let mut at = klass;
    let mut array = site.array;
    let mut of_class = false;
    for (skip, part) in parts.iter().enumerate() {
        match modifier_target(fl.cx, site, part, at) {
            Some(Target::Member(member, next, is_array)) => {
                array |= is_array;
                check_not_final(fl.cx, site, part, &member, what(skip));
                if let (MemberKind::Component(_), Ok(info)) = (member.kind, fl.cx.component(&member))
                    && info.outer
                    && !info.inner
                {
                    let location = fl.cx.lib.location(site.file, part.span);
                    outer_modified(fl.cx, &info, location);
                    return;
                }
                of_class = matches!(member.kind, MemberKind::Class(_));
                site.outside |= !of_class;
                at = next;
            }
            Some(Target::Attribute) => {
                if let Some(leaf) = fl.cx.leaf(at) {
                    let items = fl.cx.mods.of_element(&fl.cx.lib, leaf.mods, part.symbol, Up(0));
                    let items = fl.cx.mods.get(items);
                    report_final(fl.cx, site, part, &items, what(skip));
                }
                check_each(fl.cx, modify, site, array);
                check_attribute_depth(fl.cx, site, modify, part, skip + 1 < parts.len());
                return;
            }
            Some(Target::Elsewhere) | None => return,
        }
    }
    check_each(fl.cx, modify, site, array);
    if let (Some(part), true) = (parts.last(), of_class) {
        check_no_value(fl.cx, site, modify, part, at);
    }
    if let Some(inner) = modify.modification {
        check_modification(fl, Site { array, ..site }, inner, at, depth + 1);
    }
}

/// A class is replaced by another one, it is not given a value (specification section 7.3).
fn check_no_value(
    cx: &mut Classes,
    site: Site,
    modify: &kausal_syntax::ast::Modify,
    part: &Ident,
    klass: KlassId,
) {
    let ast = cx.lib.ast_ref(site.file);
    let Some(Binding::Expr(value)) = modify.modification.map(|m| ast.modifications[m].binding) else {
        return;
    };
    // Of other classes there are components, whose value is looked at.
    if !matches!(cx.kind(klass), ClassKind::Package | ClassKind::Function) {
        return;
    }
    let span = ast.span(value);
    let text = ast.text[span.start as usize..span.end as usize].to_owned();
    let kind = class::kind_text(cx.kind(klass));
    let location = cx.lib.location(site.file, span);
    let message = format!("{} cannot have a value: it is a {kind}", part.symbol);
    let help = format!("write redeclare {kind} {} = {text}", part.symbol);
    cx.report(Diagnostic::error("K0246", message).at(location, "this value").help(help));
}

/// An outer component is another one further up, which has its own modifiers (specification section 5.4).
fn outer_modified(cx: &mut Classes, info: &ComponentInfo, location: Location) {
    let message = format!("{} is outer: it cannot be modified", info.name);
    cx.report(
        Diagnostic::error("K0248", message)
            .at(location, "modified here")
            .at(info.location, "declared outer here")
            .help(format!("modify the inner component {}", info.name)),
    );
}

/// An attribute has a value and nothing else.
fn check_attribute_depth(
    cx: &mut Classes,
    site: Site,
    modify: &kausal_syntax::ast::Modify,
    part: &Ident,
    more: bool,
) {
    let ast = cx.lib.ast_ref(site.file);
    if more || modify.modification.is_some_and(|m| !ast.modifications[m].args.is_empty()) {
        let message = format!("{} is an attribute: it has no elements to modify", part.symbol);
        let location = cx.lib.location(site.file, modify.name.span);
        cx.report(Diagnostic::error("K0213", message).at(location, "modified here"));
    }
}

fn check_each(cx: &mut Classes, modify: &kausal_syntax::ast::Modify, site: Site, array: bool) {
    if modify.each && !array {
        let location = cx.lib.location(site.file, modify.name.span);
        let message = "`each` has no meaning here: what is modified is not part of an array";
        cx.report(Diagnostic::warning("K0227", message).at(location, "").help("leave out `each`"));
    }
}

fn modifier_target(cx: &mut Classes, site: Site, part: &Ident, klass: KlassId) -> Option<Target> {
    let name = part.symbol;
    if let Some(leaf) = cx.leaf(klass) {
        if matches!(leaf.builtin, Builtin::ExternalObject | Builtin::Clock)
            || attributes(leaf.builtin).contains(&name.as_str())
        {
            return Some(Target::Attribute);
        }
        unknown_modifier(cx, site, part, klass, attributes(leaf.builtin).to_vec());
        return None;
    }
    let members = cx.members(klass).ok()?;
    let Some(&i) = members.index.get(&name) else {
        if cx.is_broken(klass)
            || matches!(cx.find_in(klass, name), Some(class::Found::Class(_)))
            || cx.deep_kind(klass) == kausal_syntax::ast::ClassKind::ExpandableConnector
        {
            return Some(Target::Elsewhere);
        }
        let names = members.items.iter().map(|m| m.name.as_str()).collect();
        unknown_modifier(cx, site, part, klass, names);
        return None;
    };
    let member = members.items[i as usize];
    match member.kind {
        MemberKind::Component(_) => {
            let info = cx.component(&member).ok()?;
            if member.protected && site.outside {
                let message = format!("{name} of {} is protected: it cannot be modified", cx.name(klass));
                let location = cx.lib.location(site.file, part.span);
                let declared = cx.member_location(&member);
                cx.report(
                    Diagnostic::error("K0218", message)
                        .at(location, "modified here")
                        .at(declared, "declared here, below `protected`"),
                );
                return None;
            }
            Some(Target::Member(member, info.klass, !info.dims.is_empty()))
        }
        MemberKind::Class(_) => {
            let next = cx.class_member(&member);
            Some(Target::Member(member, next, false))
        }
    }
}

fn unknown_modifier(cx: &mut Classes, site: Site, part: &Ident, klass: KlassId, names: Vec<&'static str>) {
    let location = cx.lib.location(site.file, part.span);
    let is_builtin = cx.builtins.contains_key(&cx.key(klass).def);
    let what = if is_builtin { "attribute" } else { "element" };
    let message = format!("{} has no {what} {} to modify", cx.name(klass), part.symbol);
    let mut diagnostic = Diagnostic::error("K0213", message).at(location, "modified here");
    let def = cx.key(klass).def;
    if !cx.builtins.contains_key(&def) {
        diagnostic = diagnostic.at(cx.def_location(def), "the class is defined here");
    }
    let near = nearest(part.symbol.as_str(), &names);
    if !near.is_empty() {
        diagnostic = diagnostic.help(format!("did you mean {}?", near.join(" or ")));
    } else if is_builtin {
        let names: Vec<&str> = names.into_iter().filter(|&name| name != "value").collect();
        diagnostic = diagnostic.help(format!("it has {}", names.join(", ")));
    } else if let Some(help) = advice::elements_help(cx, klass) {
        diagnostic = diagnostic.help(help);
    }
    cx.report(diagnostic);
}

/// An element declared `final`, or given a `final` modifier further in, is modified.
fn check_not_final(cx: &mut Classes, site: Site, part: &Ident, member: &Member, what: Option<ModWhat>) {
    let items = cx.mods.get(member.mods);
    if report_final(cx, site, part, &items, what) {
        return;
    }
    let file = cx.file(member.origin);
    let ast = cx.lib.ast_ref(file);
    let is_final = match member.kind {
        MemberKind::Component(c) => ast.components[c].prefixes.is_final,
        MemberKind::Class(def) => cx.lib.class(def).prefixes.is_final,
    };
    if is_final && !items.iter().any(|m| matches!(m.what, ModWhat::Component(_) | ModWhat::Class(_))) {
        let declared = cx.member_location(member);
        final_modified(cx, site, part, declared, "declared `final` here");
    }
}

fn report_final(
    cx: &mut Classes,
    site: Site,
    part: &Ident,
    items: &[ModItem],
    what: Option<ModWhat>,
) -> bool {
    let Some(what) = what else { return false };
    let Some(at) = items.iter().position(|m| m.file == site.file && m.what == what) else { return false };
    let Some(inner) = items[at + 1..].iter().find(|m| m.is_final && !m.low).copied() else {
        return false;
    };
    let location = item_location(cx, &inner);
    final_modified(cx, site, part, location, "`final` here");
    true
}

fn final_modified(cx: &mut Classes, site: Site, part: &Ident, declared: Location, text: &str) {
    let message = format!("{} is final: it cannot be modified", part.symbol);
    let location = cx.lib.location(site.file, part.span);
    cx.report(Diagnostic::error("K0214", message).at(location, "modified here").at(declared, text));
}

fn item_location(cx: &Classes, item: &ModItem) -> Location {
    let ast = cx.lib.ast_ref(item.file);
    let span = match item.what {
        ModWhat::Whole(id) | ModWhat::Arguments(id) => ast.modifications[id].span,
        ModWhat::Path(id, arg, _) => match &ast.modifications[id].args[arg as usize] {
            ModArg::Modify(m) => m.name.span,
            _ => ast.modifications[id].span,
        },
        ModWhat::Component(c) => ast.components[c].name.span,
        ModWhat::Class(c) | ModWhat::Elements(c) => ast.classes[c].name.span,
        ModWhat::Inner(_, klass) => return cx.def_location(cx.key(klass).def),
    };
    cx.lib.location(item.file, span)
}

/// `redeclare` of an element of `klass`.
fn check_redeclaration(fl: &mut Flattener<'_>, site: Site, name: &Ident, klass: KlassId, what: ModWhat) {
    let Ok(members) = fl.cx.members(klass) else { return };
    let Some(&i) = members.index.get(&name.symbol) else {
        if !fl.cx.is_broken(klass)
            && !matches!(fl.cx.find_in(klass, name.symbol), Some(class::Found::Class(_)))
        {
            let names = members.items.iter().map(|m| m.name.as_str()).collect();
            unknown_modifier(fl.cx, site, name, klass, names);
        }
        return;
    };
    let member = members.items[i as usize];
    let same = matches!(
        (member.kind, what),
        (MemberKind::Class(_), ModWhat::Class(_)) | (MemberKind::Component(_), ModWhat::Component(_))
    );
    if !same {
        let (was, is) = match member.kind {
            MemberKind::Class(_) => ("class", "component"),
            MemberKind::Component(_) => ("component", "class"),
        };
        let message = format!("{} is a {was}: it cannot be redeclared as a {is}", name.symbol);
        let location = fl.cx.lib.location(site.file, name.span);
        let first = fl.cx.member_location(&member);
        fl.cx.report(
            Diagnostic::error("K0215", message).at(location, "redeclared here").at(first, "declared here"),
        );
        return;
    }
    if member.protected && site.outside {
        let message =
            format!("{} of {} is protected: it cannot be redeclared", name.symbol, fl.cx.name(klass));
        let location = fl.cx.lib.location(site.file, name.span);
        let first = fl.cx.member_location(&member);
        fl.cx.report(
            Diagnostic::error("K0218", message)
                .at(location, "redeclared here")
                .at(first, "declared here, below `protected`"),
        );
        return;
    }
    check_redeclared_member(fl, site.file, name, &member, what);
}

/// A redeclaration of `member`: it must be replaceable, and the new one must have what the old one promised.
pub(super) fn check_redeclared_member(
    fl: &mut Flattener<'_>,
    file: FileId,
    name: &Ident,
    member: &Member,
    what: ModWhat,
) {
    let items = fl.cx.mods.get(member.mods);
    let site = Site { file, array: false, outside: false };
    if report_final(fl.cx, site, name, &items, Some(what)) {
        return;
    }
    let Some(at) = items.iter().position(|m| m.file == file && m.what == what) else { return };
    let siblings = |m: &&ModItem| m.file != file || m.scope != items[at].scope || m.up != items[at].up;
    let before = items[at + 1..].iter().filter(siblings).find_map(|m| {
        let ast = fl.cx.lib.ast_ref(m.file);
        match m.what {
            ModWhat::Component(c) => Some(ast.components[c].prefixes),
            ModWhat::Class(c) => Some(ast.classes[c].prefixes),
            _ => None,
        }
    });
    let origin = fl.cx.file(member.origin);
    let declared = match member.kind {
        MemberKind::Component(c) => fl.cx.lib.ast_ref(origin).components[c].prefixes,
        MemberKind::Class(def) => fl.cx.lib.class(def).prefixes,
    };
    let location = fl.cx.lib.location(file, name.span);
    if before.unwrap_or(declared).is_final {
        let first = fl.cx.member_location(member);
        final_modified(fl.cx, site, name, first, "declared `final` here");
        return;
    }
    if before.is_some_and(|prefixes| !prefixes.replaceable) && declared.replaceable {
        // Other tools let it pass where the new one fits, and libraries rely on that.
        let message = format!("{} was redeclared without `replaceable` before", name.symbol);
        let first = fl.cx.member_location(member);
        fl.cx.report(
            Diagnostic::warning("K0215", message)
                .at(location, "redeclared again here")
                .at(first, "declared here")
                .help("write `redeclare replaceable` in the first redeclaration"),
        );
    } else if !before.unwrap_or(declared).replaceable {
        let message = format!("{} is not replaceable: it cannot be redeclared", name.symbol);
        let first = fl.cx.member_location(member);
        fl.cx.report(
            Diagnostic::error("K0215", message).at(location, "redeclared here").at(first, "declared here"),
        );
        return;
    }
    // Only the outermost redeclaration is what the member now is.
    if at
        == items
            .iter()
            .position(|m| matches!(m.what, ModWhat::Component(_) | ModWhat::Class(_)))
            .unwrap_or(at)
    {
        check_compatible(fl, location, name, member);
        check_same_sort(fl, file, location, name, member, what);
    }
}

/// A redeclaration is a class of the same sort, is not of a constant, and has as many dimensions (specification sections
/// 6.4 and 7.3).
fn check_same_sort(
    fl: &mut Flattener<'_>,
    file: FileId,
    location: Location,
    name: &Ident,
    member: &Member,
    what: ModWhat,
) {
    let origin = fl.cx.file(member.origin);
    let (old_ast, new_ast) = (fl.cx.lib.ast(origin), fl.cx.lib.ast(file));
    let message = match (member.kind, what) {
        (MemberKind::Class(def), ModWhat::Class(new)) => {
            let (old, new) = (fl.cx.lib.class(def).kind, new_ast.classes[new].kind);
            match (sort(old), sort(new)) {
                (Some(a), Some(b)) if a != b => {
                    format!("{} is declared as a {a}: it cannot become a {b}", name.symbol)
                }
                _ => return,
            }
        }
        (MemberKind::Component(old), ModWhat::Component(new)) => {
            let (old, new) = (&old_ast.components[old], &new_ast.components[new]);
            let rank = |c: &kausal_syntax::ast::Component, ast: &kausal_syntax::Ast| {
                ast.lists.exprs.get(c.dims).len() + ast.lists.exprs.get(c.type_dims).len()
            };
            let (was, is) = (rank(old, &old_ast), rank(new, &new_ast));
            let plain = old_and_new(fl, member)
                .is_some_and(|(a, b)| fl.cx.class_dims(a).is_empty() && fl.cx.class_dims(b).is_empty());
            if old.variability == Variability::Constant {
                format!("{} is a constant: it cannot be redeclared", name.symbol)
            } else if plain && is > 0 && was != is {
                use value::dimensions_text;
                let (was, is) = (dimensions_text(was), dimensions_text(is));
                format!("{} is declared with {was}: it cannot be redeclared with {is}", name.symbol)
            } else {
                return;
            }
        }
        _ => return,
    };
    let first = fl.cx.member_location(member);
    fl.cx.report(
        Diagnostic::error("K0216", message).at(location, "redeclared here").at(first, "declared here"),
    );
}

fn check_compatible(fl: &mut Flattener<'_>, location: Location, name: &Ident, member: &Member) {
    let Some((old, new)) = old_and_new(fl, member) else { return };
    if fl.cx.key(old).def == fl.cx.key(new).def || has_base_def(fl.cx, new, old) {
        return;
    }
    let missing = missing_members(fl.cx, old, new);
    let function =
        |this: &mut Flattener<'_>, k| this.cx.deep_kind(k) == kausal_syntax::ast::ClassKind::Function;
    let misfit = match function(fl, old) && function(fl, new) {
        true => interface::function_misfit(fl, new, &[], old),
        false => None,
    };
    if missing.is_empty() && misfit.is_none() {
        return;
    }
    let mut new = new;
    while matches!(fl.cx.lib.class(fl.cx.key(new).def).body, ClassBody::Short(_))
        && let Some(base) = fl.cx.members(new).ok().and_then(|m| m.bases.first().copied())
    {
        new = base;
    }
    let (old_name, new_name) = (fl.cx.name(old), fl.cx.name(new));
    let message = match misfit {
        Some(why) => format!("{} cannot become {new_name} instead of {old_name}: {why}", name.symbol),
        None => format!(
            "{} cannot become a {new_name}: it is declared as a {old_name}, and {new_name} has no {}",
            name.symbol,
            missing.join(", ")
        ),
    };
    let first = fl.cx.member_location(member);
    let defined = fl.cx.def_location(fl.cx.key(new).def);
    fl.cx.report(
        Diagnostic::error("K0216", message)
            .at(location, "redeclared here")
            .at(first, "declared here")
            .at(defined, "the new class"),
    );
}

/// The constraining class of a replaceable element, and the class it has now.
fn old_and_new(fl: &mut Flattener<'_>, member: &Member) -> Option<(KlassId, KlassId)> {
    let file = fl.cx.file(member.origin);
    let ast = fl.cx.lib.ast(file);
    match member.kind {
        MemberKind::Component(c) => {
            let decl = &ast.components[c];
            let base = decl.constraint.as_ref().map_or(decl.type_name, |c| c.base);
            let old = quietly(fl, |this| this.cx.lookup_name(member.origin, &ast, file, base).ok())?;
            Some((old, fl.cx.component(member).ok()?.klass))
        }
        MemberKind::Class(def) => {
            let class = fl.cx.lib.class(def);
            let base = match (&class.constraint, &class.body) {
                (Some(c), _) => c.base,
                (None, ClassBody::Short(short)) => short.base,
                // What is written in place is its own constraint.
                (None, ClassBody::Long(_)) => {
                    let old = fl.cx.redeclared(def, member.origin, &[]);
                    return Some((old, fl.cx.class_member(member)));
                }
                _ => return None,
            };
            let old = quietly(fl, |this| this.cx.lookup_name(member.origin, &ast, file, base).ok())?;
            Some((old, fl.cx.class_member(member)))
        }
    }
}

/// Does `klass` have the definition of `base` among its bases?
fn has_base_def(cx: &mut Classes, klass: KlassId, base: KlassId) -> bool {
    let def = cx.key(base).def;
    let mut stack = vec![klass];
    let mut steps = 0;
    while let Some(k) = stack.pop() {
        steps += 1;
        if cx.key(k).def == def || steps > 1000 {
            return true;
        }
        if let Ok(members) = cx.members(k) {
            stack.extend(members.bases.iter().copied());
        }
    }
    false
}

/// Without keeping what is reported meanwhile.
pub(super) fn quietly<T>(fl: &mut Flattener<'_>, f: impl FnOnce(&mut Flattener<'_>) -> T) -> T {
    let mark = fl.cx.diagnostics.len();
    let result = f(fl);
    fl.cx.diagnostics.truncate(mark);
    result
}

/// What a class can take the place of: models of blocks, records of operator records.
fn sort(kind: ClassKind) -> Option<&'static str> {
    match kind {
        ClassKind::Class => None,
        ClassKind::Model | ClassKind::Block => Some("model"),
        ClassKind::Record | ClassKind::OperatorRecord => Some("record"),
        ClassKind::Connector | ClassKind::ExpandableConnector => Some("connector"),
        ClassKind::Type => Some("type"),
        ClassKind::Package => Some("package"),
        ClassKind::Function | ClassKind::OperatorFunction => Some("function"),
        ClassKind::Operator => Some("operator"),
    }
}

/// The attributes of a built-in type (specification section 4.9).
fn attributes(builtin: Builtin) -> &'static [&'static str] {
    match builtin {
        Builtin::Real => &[
            "quantity",
            "unit",
            "displayUnit",
            "min",
            "max",
            "start",
            "fixed",
            "nominal",
            "unbounded",
            "stateSelect",
            "value",
        ],
        Builtin::Integer | Builtin::Enumeration(_) => &["quantity", "min", "max", "start", "fixed", "value"],
        _ => &["quantity", "start", "fixed", "value"],
    }
}
