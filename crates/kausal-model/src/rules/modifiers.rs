//! Modifiers must modify something that exists, is not `final`, and is not protected; what is redeclared must
//! be replaceable and stay compatible (specification sections 7.2 and 7.3).

use kausal_syntax::ast::{Binding, ClassBody, Ident, ModArg, ModId};
use kausal_syntax::{Diagnostic, Location, Symbol};
use rustc_hash::FxHashMap;

use crate::class::{ComponentInfo, KlassId, Member, MemberKind};
use crate::flattener::Flattener;
use crate::library::FileId;
use crate::lookup::{Found, nearest};
use crate::modifier::{ModItem, ModWhat, Up};
use crate::prelude::Builtin;

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

impl Flattener<'_> {
    /// The modifiers of a declaration.
    pub(super) fn check_declaration(&mut self, info: &ComponentInfo) {
        let ast = self.cx.lib.ast(info.file);
        if let Some(id) = ast.components[info.component].modification {
            let site = Site { file: info.file, array: !info.dims.is_empty(), outside: true };
            let written = &ast.modifications[id];
            if info.outer
                && !info.inner
                && (!written.args.is_empty() || written.binding != kausal_syntax::ast::Binding::None)
            {
                let location = self.cx.lib.location(info.file, written.span);
                self.outer_modified(info, location);
                return;
            }
            self.check_modification(site, id, info.klass, 0);
        }
    }

    /// The modifiers of an `extends` clause or of a short class definition.
    pub(super) fn check_base_modification(&mut self, file: FileId, id: ModId, base: KlassId, array: bool) {
        self.check_modification(Site { file, array, outside: false }, id, base, 0);
    }

    fn check_modification(&mut self, site: Site, id: ModId, klass: KlassId, depth: u32) {
        if depth > MAX_NESTING {
            return;
        }
        let ast = self.cx.lib.ast(site.file);
        if depth == 0 {
            self.check_conflicts(site.file, id, klass);
        }
        for (i, arg) in ast.modifications[id].args.iter().enumerate() {
            match arg {
                ModArg::Modify(modify) => {
                    let parts = ast.lists.idents.get(modify.name.parts);
                    let what = |skip: usize| match (skip + 1 < parts.len(), modify.modification) {
                        (true, _) => Some(ModWhat::Path(id, i as u32, skip as u32 + 1)),
                        (false, inner) => inner.map(ModWhat::Whole),
                    };
                    self.check_modify(site, modify, parts, klass, depth, &what);
                }
                ModArg::Class { class, .. } => {
                    let name = ast.classes[*class].name;
                    self.check_redeclaration(site, &name, klass, ModWhat::Class(*class));
                }
                ModArg::Component { component, .. } => {
                    let name = ast.components[*component].name;
                    self.check_redeclaration(site, &name, klass, ModWhat::Component(*component));
                }
            }
        }
    }

    /// Two arguments of a modification cannot modify the same thing (specification section 7.2.4); dotted names and nested
    /// modifiers are the same.
    fn check_conflicts(&mut self, file: FileId, id: ModId, klass: KlassId) {
        let mut given: Vec<Given> = Vec::new();
        let ast = self.cx.lib.ast(file);
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
                    let location = self.cx.lib.location(file, span);
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
                    && self.is_record_at(klass, &path[..n])
                {
                    before = before.or(Some(whole));
                }
            }
            match before {
                Some(at) => self.report_conflict(&given[at], &given[i]),
                None => {
                    first.insert(path, i);
                }
            }
        }
    }

    fn report_conflict(&mut self, before: &Given, again: &Given) {
        let names: Vec<&str> = again.path.iter().map(|s| s.as_str()).collect();
        let name = names.join(".");
        let message = match (before.redeclared, again.redeclared) {
            (true, true) => format!("{name} is redeclared twice"),
            (false, false) => format!("{name} is given two values"),
            _ => format!("{name} is redeclared and given a value"),
        };
        self.cx.report(
            Diagnostic::error("K0226", message)
                .at(again.location, "again here")
                .at(before.location, "first here"),
        );
    }

    /// Does a path lead to something with components of its own?
    fn is_record_at(&mut self, klass: KlassId, path: &[Symbol]) -> bool {
        let mut at = klass;
        for name in path {
            let Ok(members) = self.cx.members(at) else { return false };
            let Some(&i) = members.index.get(name) else { return false };
            let MemberKind::Component(_) = members.items[i as usize].kind else { return false };
            let Ok(info) = self.cx.component(&members.items[i as usize]) else { return false };
            at = info.klass;
        }
        self.cx.leaf(at).is_none()
    }

    /// Follows the dotted name of one modifier.
    fn check_modify(
        &mut self,
        mut site: Site,
        modify: &kausal_syntax::ast::Modify,
        parts: &[Ident],
        klass: KlassId,
        depth: u32,
        what: &dyn Fn(usize) -> Option<ModWhat>,
    ) {
        let mut at = klass;
        let mut array = site.array;
        for (skip, part) in parts.iter().enumerate() {
            match self.modifier_target(site, part, at) {
                Some(Target::Member(member, next, is_array)) => {
                    array |= is_array;
                    self.check_not_final(site, part, &member, what(skip));
                    if let (MemberKind::Component(_), Ok(info)) = (member.kind, self.cx.component(&member))
                        && info.outer
                        && !info.inner
                    {
                        let location = self.cx.lib.location(site.file, part.span);
                        self.outer_modified(&info, location);
                        return;
                    }
                    if matches!(member.kind, MemberKind::Component(_)) {
                        site.outside = true;
                    }
                    at = next;
                }
                Some(Target::Attribute) => {
                    if let Some(leaf) = self.cx.leaf(at) {
                        let items = self.cx.mods.of_element(&self.cx.lib, leaf.mods, part.symbol, Up(0));
                        let items = self.cx.mods.get(items);
                        self.report_final(site, part, &items, what(skip));
                    }
                    self.check_each(modify, site, array);
                    self.check_attribute_depth(site, modify, part, skip + 1 < parts.len());
                    return;
                }
                Some(Target::Elsewhere) | None => return,
            }
        }
        self.check_each(modify, site, array);
        if let Some(inner) = modify.modification {
            self.check_modification(Site { array, ..site }, inner, at, depth + 1);
        }
    }

    /// An outer component is another one further up, which has its own modifiers (specification section 5.4).
    fn outer_modified(&mut self, info: &ComponentInfo, location: Location) {
        let message = format!("{} is outer: it cannot be modified", info.name);
        self.cx.report(
            Diagnostic::error("K0248", message)
                .at(location, "modified here")
                .at(info.location, "declared outer here")
                .help(format!("modify the inner component {}", info.name)),
        );
    }

    /// An attribute has a value and nothing else.
    fn check_attribute_depth(
        &mut self,
        site: Site,
        modify: &kausal_syntax::ast::Modify,
        part: &Ident,
        more: bool,
    ) {
        let ast = self.cx.lib.ast_ref(site.file);
        if more || modify.modification.is_some_and(|m| !ast.modifications[m].args.is_empty()) {
            let message = format!("{} is an attribute: it has no elements to modify", part.symbol);
            let location = self.cx.lib.location(site.file, modify.name.span);
            self.cx.report(Diagnostic::error("K0213", message).at(location, "modified here"));
        }
    }

    fn check_each(&mut self, modify: &kausal_syntax::ast::Modify, site: Site, array: bool) {
        if modify.each && !array {
            let location = self.cx.lib.location(site.file, modify.name.span);
            let message = "`each` has no meaning here: what is modified is not part of an array";
            self.cx.report(Diagnostic::warning("K0227", message).at(location, "").help("leave out `each`"));
        }
    }

    fn modifier_target(&mut self, site: Site, part: &Ident, klass: KlassId) -> Option<Target> {
        let name = part.symbol;
        if let Some(leaf) = self.cx.leaf(klass) {
            if matches!(leaf.builtin, Builtin::ExternalObject | Builtin::Clock)
                || attributes(leaf.builtin).contains(&name.as_str())
            {
                return Some(Target::Attribute);
            }
            self.unknown_modifier(site, part, klass, attributes(leaf.builtin).to_vec());
            return None;
        }
        let members = self.cx.members(klass).ok()?;
        let Some(&i) = members.index.get(&name) else {
            if self.cx.is_broken(klass)
                || matches!(self.cx.find_in(klass, name), Some(Found::Class(_)))
                || self.cx.deep_kind(klass) == kausal_syntax::ast::ClassKind::ExpandableConnector
            {
                return Some(Target::Elsewhere);
            }
            let names = members.items.iter().map(|m| m.name.as_str()).collect();
            self.unknown_modifier(site, part, klass, names);
            return None;
        };
        let member = members.items[i as usize];
        match member.kind {
            MemberKind::Component(_) => {
                let info = self.cx.component(&member).ok()?;
                if member.protected && site.outside {
                    let message =
                        format!("{name} of {} is protected: it cannot be modified", self.cx.name(klass));
                    let location = self.cx.lib.location(site.file, part.span);
                    let declared = self.cx.member_location(&member);
                    self.cx.report(
                        Diagnostic::error("K0218", message)
                            .at(location, "modified here")
                            .at(declared, "declared here, below `protected`"),
                    );
                    return None;
                }
                Some(Target::Member(member, info.klass, !info.dims.is_empty()))
            }
            MemberKind::Class(_) => {
                let next = self.cx.class_member(&member);
                Some(Target::Member(member, next, false))
            }
        }
    }

    fn unknown_modifier(&mut self, site: Site, part: &Ident, klass: KlassId, names: Vec<&'static str>) {
        let message = format!("{} has no element {} to modify", self.cx.name(klass), part.symbol);
        let location = self.cx.lib.location(site.file, part.span);
        let mut diagnostic = Diagnostic::error("K0213", message).at(location, "modified here");
        let def = self.cx.key(klass).def;
        if !self.cx.builtins.contains_key(&def) {
            diagnostic = diagnostic.at(self.cx.def_location(def), "the class is defined here");
        }
        let near = nearest(part.symbol.as_str(), &names);
        if !near.is_empty() {
            diagnostic = diagnostic.help(format!("did you mean {}?", near.join(" or ")));
        }
        self.cx.report(diagnostic);
    }

    /// An element declared `final`, or given a `final` modifier further in, is modified.
    fn check_not_final(&mut self, site: Site, part: &Ident, member: &Member, what: Option<ModWhat>) {
        let items = self.cx.mods.get(member.mods);
        if self.report_final(site, part, &items, what) {
            return;
        }
        let file = self.cx.file(member.origin);
        let ast = self.cx.lib.ast_ref(file);
        let is_final = match member.kind {
            MemberKind::Component(c) => ast.components[c].prefixes.is_final,
            MemberKind::Class(def) => self.cx.lib.class(def).prefixes.is_final,
        };
        if is_final && !items.iter().any(|m| matches!(m.what, ModWhat::Component(_) | ModWhat::Class(_))) {
            let declared = self.cx.member_location(member);
            self.final_modified(site, part, declared, "declared `final` here");
        }
    }

    fn report_final(&mut self, site: Site, part: &Ident, items: &[ModItem], what: Option<ModWhat>) -> bool {
        let Some(what) = what else { return false };
        let Some(at) = items.iter().position(|m| m.file == site.file && m.what == what) else { return false };
        let Some(inner) = items[at + 1..].iter().find(|m| m.is_final && !m.low).copied() else {
            return false;
        };
        let location = self.item_location(&inner);
        self.final_modified(site, part, location, "`final` here");
        true
    }

    fn final_modified(&mut self, site: Site, part: &Ident, declared: Location, text: &str) {
        let message = format!("{} is final: it cannot be modified", part.symbol);
        let location = self.cx.lib.location(site.file, part.span);
        self.cx.report(Diagnostic::error("K0214", message).at(location, "modified here").at(declared, text));
    }

    fn item_location(&self, item: &ModItem) -> Location {
        let ast = self.cx.lib.ast_ref(item.file);
        let span = match item.what {
            ModWhat::Whole(id) | ModWhat::Arguments(id) => ast.modifications[id].span,
            ModWhat::Path(id, arg, _) => match &ast.modifications[id].args[arg as usize] {
                ModArg::Modify(m) => m.name.span,
                _ => ast.modifications[id].span,
            },
            ModWhat::Component(c) => ast.components[c].name.span,
            ModWhat::Class(c) | ModWhat::Elements(c) => ast.classes[c].name.span,
            ModWhat::Inner(_, klass) => return self.cx.def_location(self.cx.key(klass).def),
        };
        self.cx.lib.location(item.file, span)
    }

    /// `redeclare` of an element of `klass`.
    fn check_redeclaration(&mut self, site: Site, name: &Ident, klass: KlassId, what: ModWhat) {
        let Ok(members) = self.cx.members(klass) else { return };
        let Some(&i) = members.index.get(&name.symbol) else {
            if !self.cx.is_broken(klass)
                && !matches!(self.cx.find_in(klass, name.symbol), Some(Found::Class(_)))
            {
                let names = members.items.iter().map(|m| m.name.as_str()).collect();
                self.unknown_modifier(site, name, klass, names);
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
            let location = self.cx.lib.location(site.file, name.span);
            let first = self.cx.member_location(&member);
            self.cx.report(
                Diagnostic::error("K0215", message)
                    .at(location, "redeclared here")
                    .at(first, "declared here"),
            );
            return;
        }
        self.check_redeclared_member(site.file, name, &member, what);
    }

    /// A redeclaration of `member`: it must be replaceable, and the new one must have what the old one promised.
    pub(super) fn check_redeclared_member(
        &mut self,
        file: FileId,
        name: &Ident,
        member: &Member,
        what: ModWhat,
    ) {
        let items = self.cx.mods.get(member.mods);
        let site = Site { file, array: false, outside: false };
        if self.report_final(site, name, &items, Some(what)) {
            return;
        }
        let Some(at) = items.iter().position(|m| m.file == file && m.what == what) else { return };
        let siblings = |m: &&ModItem| m.file != file || m.scope != items[at].scope || m.up != items[at].up;
        let before = items[at + 1..].iter().filter(siblings).find_map(|m| {
            let ast = self.cx.lib.ast_ref(m.file);
            match m.what {
                ModWhat::Component(c) => Some(ast.components[c].prefixes),
                ModWhat::Class(c) => Some(ast.classes[c].prefixes),
                _ => None,
            }
        });
        let origin = self.cx.file(member.origin);
        let declared = match member.kind {
            MemberKind::Component(c) => self.cx.lib.ast_ref(origin).components[c].prefixes,
            MemberKind::Class(def) => self.cx.lib.class(def).prefixes,
        };
        let location = self.cx.lib.location(file, name.span);
        if before.unwrap_or(declared).is_final {
            let first = self.cx.member_location(member);
            self.final_modified(site, name, first, "declared `final` here");
            return;
        }
        if before.is_some_and(|prefixes| !prefixes.replaceable) && declared.replaceable {
            // Other tools let it pass where the new one fits, and libraries rely on that.
            let message = format!("{} was redeclared without `replaceable` before", name.symbol);
            let first = self.cx.member_location(member);
            self.cx.report(
                Diagnostic::warning("K0215", message)
                    .at(location, "redeclared again here")
                    .at(first, "declared here")
                    .help("write `redeclare replaceable` in the first redeclaration"),
            );
        } else if !before.unwrap_or(declared).replaceable {
            let message = format!("{} is not replaceable: it cannot be redeclared", name.symbol);
            let first = self.cx.member_location(member);
            self.cx.report(
                Diagnostic::error("K0215", message)
                    .at(location, "redeclared here")
                    .at(first, "declared here"),
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
            self.check_compatible(location, name, member);
        }
    }

    fn check_compatible(&mut self, location: Location, name: &Ident, member: &Member) {
        let Some((old, new)) = self.old_and_new(member) else { return };
        if self.cx.key(old).def == self.cx.key(new).def || self.has_base_def(new, old) {
            return;
        }
        let missing = self.missing_members(old, new);
        let function = |this: &mut Self, k| this.cx.deep_kind(k) == kausal_syntax::ast::ClassKind::Function;
        let misfit = match function(self, old) && function(self, new) {
            true => self.function_misfit(new, &[], old),
            false => None,
        };
        if missing.is_empty() && misfit.is_none() {
            return;
        }
        let mut new = new;
        while matches!(self.cx.lib.class(self.cx.key(new).def).body, ClassBody::Short(_))
            && let Some(base) = self.cx.members(new).ok().and_then(|m| m.bases.first().copied())
        {
            new = base;
        }
        let (old_name, new_name) = (self.cx.name(old), self.cx.name(new));
        let message = match misfit {
            Some(why) => format!("{} cannot become {new_name} instead of {old_name}: {why}", name.symbol),
            None => format!(
                "{} cannot become a {new_name}: it is declared as a {old_name}, and {new_name} has no {}",
                name.symbol,
                missing.join(", ")
            ),
        };
        let first = self.cx.member_location(member);
        let defined = self.cx.def_location(self.cx.key(new).def);
        self.cx.report(
            Diagnostic::error("K0216", message)
                .at(location, "redeclared here")
                .at(first, "declared here")
                .at(defined, "the new class"),
        );
    }

    /// The constraining class of a replaceable element, and the class it has now.
    fn old_and_new(&mut self, member: &Member) -> Option<(KlassId, KlassId)> {
        let file = self.cx.file(member.origin);
        let ast = self.cx.lib.ast(file);
        match member.kind {
            MemberKind::Component(c) => {
                let decl = &ast.components[c];
                let base = decl.constraint.as_ref().map_or(decl.type_name, |c| c.base);
                let old = self.quietly(|this| this.cx.lookup_name(member.origin, &ast, file, base).ok())?;
                Some((old, self.cx.component(member).ok()?.klass))
            }
            MemberKind::Class(def) => {
                let class = self.cx.lib.class(def);
                let base = match (&class.constraint, &class.body) {
                    (Some(c), _) => c.base,
                    (None, ClassBody::Short(short)) => short.base,
                    // What is written in place is its own constraint.
                    (None, ClassBody::Long(_)) => {
                        let old = self.cx.redeclared(def, member.origin, &[]);
                        return Some((old, self.cx.class_member(member)));
                    }
                    _ => return None,
                };
                let old = self.quietly(|this| this.cx.lookup_name(member.origin, &ast, file, base).ok())?;
                Some((old, self.cx.class_member(member)))
            }
        }
    }

    /// Does `klass` have the definition of `base` among its bases?
    fn has_base_def(&mut self, klass: KlassId, base: KlassId) -> bool {
        let def = self.cx.key(base).def;
        let mut stack = vec![klass];
        let mut steps = 0;
        while let Some(k) = stack.pop() {
            steps += 1;
            if self.cx.key(k).def == def || steps > 1000 {
                return true;
            }
            if let Ok(members) = self.cx.members(k) {
                stack.extend(members.bases.iter().copied());
            }
        }
        false
    }

    /// Public components of `old` that `new` does not have; for built-in types the type itself.
    pub(crate) fn missing_members(&mut self, old: KlassId, new: KlassId) -> Vec<String> {
        match (self.cx.leaf(old), self.cx.leaf(new)) {
            (Some(a), Some(b)) if a.builtin == b.builtin => return Vec::new(),
            (None, None) => {}
            _ => return vec![format!("type {}", self.cx.name(old))],
        }
        if self.cx.is_broken(new) || self.cx.is_broken(old) {
            return Vec::new();
        }
        let (Ok(a), Ok(b)) = (self.cx.members(old), self.cx.members(new)) else { return Vec::new() };
        let public = a.components.iter().map(|&i| &a.items[i as usize]).filter(|m| !m.protected);
        let mut missing = Vec::new();
        for member in public {
            let Some(&at) = b.index.get(&member.name) else {
                missing.push(member.name.as_str().to_owned());
                continue;
            };
            // One of the same name must be of the same type.
            let (Ok(x), Ok(y)) = (self.cx.component(member), self.cx.component(&b.items[at as usize])) else {
                continue;
            };
            if let (Some(p), Some(q)) = (x.leaf, y.leaf)
                && p.builtin != q.builtin
            {
                let ty = self.type_name(crate::value::Ty::of(p.builtin));
                missing.push(format!("{ty} {}", member.name));
            }
        }
        missing.truncate(3);
        missing
    }

    /// Without keeping what is reported meanwhile.
    pub(super) fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.cx.diagnostics.len();
        let result = f(self);
        self.cx.diagnostics.truncate(mark);
        result
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
