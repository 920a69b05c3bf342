//! Finding names (specification chapter 5): enclosing classes, inherited members, imports, global names.
//!
//! A class found from class `k` is seen from an instance of `k`: its modifiers count levels from there.

use kausal_syntax::ast::{ClassBody, Element, Ident, Import, ImportKind, Name};
use kausal_syntax::{Ast, Diagnostic, Location, Symbol};

use crate::advice;
use crate::advice::{elsewhere, library_missing};
pub use crate::class::Found;
use crate::class::{Classes, Key, Member, MemberKind, Reported, Res};
use crate::ids::KlassId;
use crate::library::{DefId, FileId};
use crate::modifier::{ModItem, ModsId, Up};

impl Classes {
    /// The klass of a class at the top.
    pub fn root(&mut self, name: Symbol) -> Option<KlassId> {
        let def = self.lib.root(name)?;
        Some(self.intern(Key {
            def,
            enclosing: None,
            enclosing_up: Up::STATIC,
            mods: ModsId::NONE,
            extended: None,
        }))
    }

    /// The klass of a definition, reached through the packages it stands in.
    pub fn klass_of_def(&mut self, def: DefId) -> Option<KlassId> {
        let name = self.lib.class(def).name.symbol;
        match self.lib.def(def).parent {
            None => self.root(name),
            Some(parent) => {
                let parent = self.klass_of_def(parent)?;
                match self.step(parent, name)? {
                    Found::Class(k) => Some(k),
                    Found::Component { .. } => None,
                }
            }
        }
    }

    /// A class by its full name `A.B.C`.
    pub fn by_path(&mut self, path: &str) -> Option<KlassId> {
        let mut parts = split_path(path).into_iter();
        let mut k = self.root(Symbol::new(parts.next()?))?;
        for part in parts {
            match self.step(k, Symbol::new(part))? {
                Found::Class(next) => k = next,
                Found::Component { .. } => return None,
            }
        }
        Some(k)
    }

    /// The class a name of a type stands for, seen from class `k`.
    pub fn lookup_name(&mut self, k: KlassId, ast: &Ast, file: FileId, name: Name) -> Res<KlassId> {
        self.lookup_from(Some((k, Up(0))), ast, file, name)
    }

    /// The same from outside of `k`: what a short class definition is based on.
    pub fn lookup_outside(&mut self, k: KlassId, ast: &Ast, file: FileId, name: Name) -> Res<KlassId> {
        let key = self.key(k);
        self.lookup_from(key.enclosing.map(|e| (e, key.enclosing_up)), ast, file, name)
    }

    fn lookup_from(
        &mut self,
        start: Option<(KlassId, Up)>,
        ast: &Ast,
        file: FileId,
        name: Name,
    ) -> Res<KlassId> {
        let parts = ast.lists.idents.get(name.parts);
        let Some(first) = parts.first() else { return Err(Reported) };
        let found = match start {
            Some((k, up)) if !name.global => {
                let found = self.find(k, first.symbol);
                found.map(|f| self.shift_found(f, up))
            }
            _ => self.root(first.symbol).map(Found::Class),
        };
        let start = start.map(|(k, _)| k);
        let Some(mut found) = found else {
            // A package that does not exist is reported once, not for everything that should be in it.
            let messages = [nothing_named(first.symbol), library_missing(first.symbol)];
            if parts.len() > 1 && self.diagnostics.iter().any(|d| messages.contains(&d.message)) {
                return Err(Reported);
            }
            return Err(self.not_found(start, file, first, None));
        };
        for part in &parts[1..] {
            if let (Found::Class(k), Some(scope)) = (found, start) {
                self.check_visible(scope, file, k, part);
            }
            let k = match found {
                Found::Class(k) => k,
                Found::Component { member, .. } => {
                    let info = self.component(&member)?;
                    info.klass
                }
            };
            found = match self.step(k, part.symbol) {
                Some(found) => found,
                None => return Err(self.not_found(start, file, part, Some(k))),
            };
        }
        match found {
            Found::Class(k) => Ok(k),
            Found::Component { member, .. } => {
                let message = format!("{} is a component, but a class is needed here", ast.name_text(name));
                let location = self.lib.location(file, name.span);
                let declared = self.member_location(&member);
                let diagnostic =
                    Diagnostic::error("K0203", message).at(location, "").at(declared, "declared here");
                Err(self.report(diagnostic))
            }
        }
    }

    /// What is protected in a class cannot be used through its name from outside (specification section 4.1): neither from the
    /// classes within, nor from those that inherit it.
    pub(crate) fn check_visible(&mut self, scope: KlassId, file: FileId, within: KlassId, part: &Ident) {
        let Some(members) = self.members_if_built(within) else { return };
        let Some(&i) = members.index.get(&part.symbol) else { return };
        let member = members.items[i as usize];
        if !member.protected {
            return;
        }
        let owners = [self.key(within).def, self.key(member.origin).def];
        let mut around = Some(scope);
        while let Some(k) = around {
            let mut stack = vec![k];
            let mut seen = Vec::new();
            while let Some(k) = stack.pop() {
                let def = self.key(k).def;
                if owners.contains(&def) {
                    return;
                }
                if !seen.contains(&def) {
                    seen.push(def);
                    // Members that are being worked out are not known yet.
                    let Some(members) = self.members_if_built(k) else { return };
                    stack.extend(members.bases.iter().copied());
                }
            }
            around = self.key(k).enclosing;
        }
        let message =
            format!("{} of {} is protected: it cannot be used here", part.symbol, self.name(within));
        let location = self.lib.location(file, part.span);
        let declared = self.member_location(&member);
        self.report(
            Diagnostic::error("K0218", message)
                .at(location, "used here")
                .at(declared, "declared here, below `protected`"),
        );
    }

    /// What `name` stands for inside class `k`: its members and imports, then those of the enclosing classes.
    pub fn find(&mut self, k: KlassId, name: Symbol) -> Option<Found> {
        // While members are being worked out an answer may be incomplete; such answers are not kept.
        if self.is_building() {
            return self.search(k, name);
        }
        if let Some(&found) = self.found.get(&(k, name)) {
            return found;
        }
        let found = self.search(k, name);
        self.found.insert((k, name), found);
        found
    }

    fn search(&mut self, k: KlassId, name: Symbol) -> Option<Found> {
        let (mut at, mut up) = (k, Up(0));
        loop {
            if let Some(found) = self.find_in(at, name) {
                return Some(self.shift_found(found, up));
            }
            if let Some(found) = self.find_import(at, name) {
                return Some(found);
            }
            let key = self.key(at);
            if self.lib.class(key.def).encapsulated {
                // Only what is built in is seen through the wall (specification section 5.3.1).
                return self.root(name).filter(|&k| self.is_predefined(k)).map(Found::Class);
            }
            let Some(enclosing) = key.enclosing else { break };
            up = up.plus(key.enclosing_up);
            at = enclosing;
        }
        self.root(name).map(Found::Class)
    }

    /// Seen from `by` levels further down.
    pub fn shift_found(&mut self, found: Found, by: Up) -> Found {
        match found {
            Found::Class(k) => Found::Class(self.shift(k, by)),
            Found::Component { owner, member, up } => Found::Component { owner, member, up: up.plus(by) },
        }
    }

    /// A member of class `k`, own or inherited.
    pub fn find_in(&mut self, k: KlassId, name: Symbol) -> Option<Found> {
        if let Some(members) = self.members_if_built(k) {
            if let Some(&i) = members.index.get(&name) {
                let member = members.items[i as usize];
                return Some(match member.kind {
                    MemberKind::Component(_) => Found::Component { owner: k, member, up: Up(0) },
                    MemberKind::Class(_) => Found::Class(self.class_member(&member)),
                });
            }
        } else if let Some(member) = own_syntactic(self, k, name) {
            return Some(match member.kind {
                MemberKind::Component(_) => Found::Component { owner: k, member, up: Up(0) },
                MemberKind::Class(_) => Found::Class(self.class_member(&member)),
            });
        }
        folder_member(self, k, name).map(Found::Class)
    }

    /// A member of the package or component class `k`, which need not have an instance: levels counted from
    /// `k` itself become static, levels above stay.
    pub fn step(&mut self, k: KlassId, name: Symbol) -> Option<Found> {
        let inside = self.shift(k, Up(1));
        match self.find_in(inside, name)? {
            Found::Class(found) => Some(Found::Class(lift(self, found))),
            Found::Component { owner, member, .. } => {
                Some(Found::Component { owner, member, up: Up::STATIC })
            }
        }
    }

    fn find_import(&mut self, k: KlassId, name: Symbol) -> Option<Found> {
        let key = self.key(k);
        let file = self.file(k);
        let ast = self.lib.ast(file);
        let ClassBody::Long(body) = &ast.classes[self.lib.def(key.def).class].body else { return None };
        let mut wild = Vec::new();
        for element in &body.elements {
            let Element::Import(import) = element else { continue };
            let parts = ast.lists.idents.get(import.name.parts);
            match &import.kind {
                ImportKind::Qualified if parts.last().is_some_and(|p| p.symbol == name) => {
                    return find_global(self, parts);
                }
                ImportKind::Renamed(alias) if alias.symbol == name => return find_global(self, parts),
                ImportKind::Listed(names) if names.iter().any(|n| n.symbol == name) => {
                    return match find_global(self, parts)? {
                        Found::Class(k) => self.step(k, name),
                        Found::Component { .. } => None,
                    };
                }
                ImportKind::Unqualified => wild.push(&import.name),
                _ => {}
            }
        }
        let mut first: Option<(Found, &Name)> = None;
        for import in wild {
            let parts = ast.lists.idents.get(import.parts);
            let Some(Found::Class(k)) = find_global(self, parts) else { continue };
            let Some(found) = self.step(k, name) else { continue };
            match first {
                None => first = Some((found, import)),
                Some((before, other)) if place_of(self, &before) != place_of(self, &found) => {
                    let message = format!("{name} is imported twice: there is one in each of these packages");
                    let place = |this: &Self, import: &Name| this.lib.location(file, import.span);
                    let diagnostic = Diagnostic::error("K0254", message)
                        .at(place(self, other), "imported from here")
                        .at(place(self, import), "and from here")
                        .at(place_of(self, &before), "one declaration")
                        .at(place_of(self, &found), "the other")
                        .help("import the one that is meant by its full name");
                    self.report(diagnostic);
                    break;
                }
                Some(_) => {}
            }
        }
        first.map(|(found, _)| found)
    }

    /// Is it one of the classes that exist without being declared?
    pub(crate) fn is_predefined(&self, k: KlassId) -> bool {
        let real = self.builtins.keys().next().map(|&def| self.lib.def(def).file);
        real == Some(self.lib.def(self.key(k).def).file)
    }

    /// Reports that a name was not found, with the nearest spellings in scope.
    pub fn not_found(
        &mut self,
        scope: Option<KlassId>,
        file: FileId,
        name: &Ident,
        within: Option<KlassId>,
    ) -> Reported {
        if within.is_some_and(|k| self.is_broken(k)) || within.is_none() && is_scope_broken(self, scope) {
            return Reported;
        }
        if within.is_none()
            && let Some(reported) = broken_import(self, scope, name.symbol)
        {
            return reported;
        }
        let mut at = within.or(scope);
        while let Some(k) = at {
            if self.lib.failed_to_load(Some(self.key(k).def), name.symbol) {
                return Reported;
            }
            at = self.key(k).enclosing.filter(|_| within.is_none());
        }
        if within.is_none() && self.lib.failed_to_load(None, name.symbol) {
            return Reported;
        }
        let message = match within {
            Some(k) => format!("{} has no element {}", self.name(k), name.symbol),
            None => nothing_named(name.symbol),
        };
        let location = self.lib.location(file, name.span);
        let mut diagnostic = Diagnostic::error("K0202", message).at(location, "not found");
        if let Some(k) = within {
            let def = self.key(k).def;
            diagnostic = diagnostic.at(self.def_location(def), "looked for in this class");
        }
        let mut candidates = match within {
            Some(k) => names_in(self, k),
            None => names_in_scope(self, scope),
        };
        let same = candidates.contains(&name.symbol.as_str());
        candidates.retain(|&c| c != name.symbol.as_str());
        let renamed = within.and_then(|k| advice::new_name(self, k, name.symbol));
        if within.is_none()
            && !same
            && let Some(help) = advice::misread(self, file, name, &candidates)
        {
            return self.report(diagnostic.help(help));
        }
        match within.and_then(|k| deeper(self, k, name.symbol)) {
            _ if renamed.is_some() => {
                let new = renamed.unwrap_or_default();
                diagnostic = diagnostic.help(format!("in this version of the library it is {new}"));
            }
            Some(path) => diagnostic = diagnostic.help(format!("did you mean {path}?")),
            None => {
                if within.is_none() {
                    candidates.extend(WORDS);
                    candidates.extend(crate::builtins::names());
                }
                diagnostic = with_nearest(diagnostic, name.symbol, &candidates);
            }
        }
        if diagnostic.help.is_none() || within.is_none() && !same {
            match within {
                Some(k) => {
                    if let Some(help) = advice::elements_help(self, k) {
                        diagnostic = diagnostic.help(help);
                    }
                }
                None => {
                    if let Some(help) = elsewhere(name.symbol) {
                        diagnostic = diagnostic.help(help);
                    } else if diagnostic.help.is_none()
                        && advice::is_library_name(self, file, name)
                        && let Some(help) = advice::in_standard(self, name.symbol)
                    {
                        diagnostic = diagnostic.help(help);
                    } else if diagnostic.help.is_none() && advice::is_library_name(self, file, name) {
                        diagnostic.message = library_missing(name.symbol);
                        diagnostic = diagnostic.help(advice::library_help(self));
                    } else if diagnostic.help.is_none()
                        && let Some(help) = advice::in_libraries(self, name.symbol)
                    {
                        diagnostic = diagnostic.help(help);
                    }
                }
            }
        }
        if within.is_none() && same {
            let help = format!(
                "{} is outside of an encapsulated class: import it, or write its full name with a dot in front",
                name.symbol
            );
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    /// Reports an import of something that does not exist.
    pub fn check_import(&mut self, k: KlassId, file: FileId, ast: &Ast, import: &Import) -> Option<Reported> {
        let parts = ast.lists.idents.get(import.name.parts);
        let first = parts.first()?;
        let Some(root) = self.root(first.symbol) else {
            if self.lib.failed_to_load(None, first.symbol) {
                return Some(Reported);
            }
            let location = self.lib.location(file, first.span);
            let mut diagnostic =
                Diagnostic::error("K0219", library_missing(first.symbol)).at(location, "not found");
            if let Some(Found::Class(inside)) = self.find(k, first.symbol) {
                let full = self.name(inside);
                diagnostic.message = format!("there is no library {}", first.symbol);
                diagnostic = diagnostic.help(format!("an import needs the full name: {full}"));
            } else {
                let names: Vec<&'static str> = self.lib.root_names().iter().map(|n| n.as_str()).collect();
                diagnostic = with_nearest(diagnostic, first.symbol, &names);
                if diagnostic.help.is_none() {
                    diagnostic = diagnostic.help(advice::library_help(self));
                }
            }
            return Some(self.report(diagnostic));
        };
        let mut at = root;
        let mut rest: Vec<&Ident> = parts[1..].iter().collect();
        let mut ends: Vec<&Ident> = Vec::new();
        match &import.kind {
            ImportKind::Listed(names) => ends.extend(names.iter()),
            ImportKind::Unqualified => {}
            ImportKind::Qualified | ImportKind::Renamed(_) => ends.extend(rest.pop()),
        }
        for part in rest {
            self.check_visible(k, file, at, part);
            match self.step(at, part.symbol) {
                Some(Found::Class(next)) => at = next,
                _ => return Some(import_missing(self, at, file, part)),
            }
        }
        let mut result = None;
        for part in ends {
            self.check_visible(k, file, at, part);
            if self.step(at, part.symbol).is_none() {
                result = Some(import_missing(self, at, file, part));
            }
        }
        result
    }
}

/// A class that is stored in the folder of the package `k` or of a package it is based on: such classes are members
/// like those written in the package, but they are read only when they are asked for.
fn folder_member(cx: &mut Classes, k: KlassId, name: Symbol) -> Option<KlassId> {
    let key = cx.key(k);
    if let Some(def) = cx.lib.folder_child(key.def, name) {
        let mods = cx.mods.of_class(&cx.lib, key.mods, name);
        let items = cx.mods.get(mods);
        return Some(cx.redeclared(def, k, &items));
    }
    let bases = cx.members_if_built(k)?.bases.clone();
    bases.into_iter().find_map(|base| folder_member(cx, base, name))
}

/// An own element, looked for while the members are still being worked out.
fn own_syntactic(cx: &mut Classes, k: KlassId, name: Symbol) -> Option<Member> {
    let key = cx.key(k);
    let file = cx.file(k);
    let ast = cx.lib.ast(file);
    let ClassBody::Long(body) = &ast.classes[cx.lib.def(key.def).class].body else { return None };
    for element in &body.elements {
        let (kind, by) = match element {
            Element::Component(id) if ast.components[*id].name.symbol == name => {
                (MemberKind::Component(*id), Up(1))
            }
            Element::Class(id) if ast.classes[*id].name.symbol == name => {
                // `redeclare model extends X` extends what is inherited: not known yet.
                if matches!(&ast.classes[*id].body, ClassBody::Long(b) if b.class_extends) {
                    continue;
                }
                (MemberKind::Class(cx.lib.def_of(file, *id)), Up(0))
            }
            _ => continue,
        };
        let mods = match kind {
            MemberKind::Component(_) => cx.mods.of_element(&cx.lib, key.mods, name, by),
            MemberKind::Class(_) => cx.mods.of_class(&cx.lib, key.mods, name),
        };
        return Some(Member { name, origin: k, kind, protected: false, mods });
    }
    None
}

/// The same class seen from one level higher; the level left becomes static.
fn lift(cx: &mut Classes, k: KlassId) -> KlassId {
    let down = |up: Up| match up {
        Up::STATIC | Up(0) => Up::STATIC,
        Up(n) => Up(n - 1),
    };
    let key = cx.key(k);
    let items: Vec<ModItem> =
        cx.mods.get(key.mods).iter().map(|m| ModItem { up: down(m.up), ..*m }).collect();
    let mods = cx.mods.add(items);
    let extended = key.extended.map(|e| lift(cx, e));
    cx.intern(Key { enclosing_up: down(key.enclosing_up), mods, extended, ..key })
}

fn place_of(cx: &Classes, found: &Found) -> Location {
    match found {
        Found::Class(k) => cx.def_location(cx.key(*k).def),
        Found::Component { member, .. } => cx.member_location(member),
    }
}

fn find_global(cx: &mut Classes, parts: &[Ident]) -> Option<Found> {
    let mut found = Found::Class(cx.root(parts.first()?.symbol)?);
    for part in &parts[1..] {
        let Found::Class(k) = found else { return None };
        found = cx.step(k, part.symbol)?;
    }
    Some(found)
}

/// A class of this name in one of the packages within a class.
fn deeper(cx: &mut Classes, within: KlassId, name: Symbol) -> Option<String> {
    let def = cx.key(within).def;
    for package in cx.lib.child_names(def) {
        if let Some(inner) = cx.lib.child(def, package)
            && cx.lib.child(inner, name).is_some()
        {
            return Some(format!("{}.{package}.{name}", cx.name(within)));
        }
    }
    None
}

/// Is a base class of the scope unknown, so that the name may be in there?
fn is_scope_broken(cx: &mut Classes, scope: Option<KlassId>) -> bool {
    let mut at = scope;
    while let Some(k) = at {
        if cx.is_broken(k) {
            return true;
        }
        at = cx.key(k).enclosing;
    }
    false
}

/// Reports the import that should have brought `name` into the scope.
fn broken_import(cx: &mut Classes, scope: Option<KlassId>, name: Symbol) -> Option<Reported> {
    let mut at = scope;
    while let Some(k) = at {
        let key = cx.key(k);
        let file = cx.file(k);
        let ast = cx.lib.ast(file);
        if let ClassBody::Long(body) = &ast.classes[cx.lib.def(key.def).class].body {
            for element in &body.elements {
                let Element::Import(import) = element else { continue };
                let brings = match &import.kind {
                    ImportKind::Qualified => {
                        ast.lists.idents.get(import.name.parts).last().is_some_and(|p| p.symbol == name)
                    }
                    ImportKind::Renamed(alias) => alias.symbol == name,
                    ImportKind::Listed(names) => names.iter().any(|n| n.symbol == name),
                    ImportKind::Unqualified => false,
                };
                if brings && let Some(reported) = cx.check_import(k, file, &ast, import) {
                    return Some(reported);
                }
            }
        }
        at = key.enclosing;
    }
    None
}

fn import_missing(cx: &mut Classes, within: KlassId, file: FileId, part: &Ident) -> Reported {
    let message = format!("{} has no {} that could be imported", cx.name(within), part.symbol);
    let location = cx.lib.location(file, part.span);
    let defined = cx.def_location(cx.key(within).def);
    let diagnostic =
        Diagnostic::error("K0219", message).at(location, "not found").at(defined, "looked for in this class");
    if cx.lib.failed_to_load(Some(cx.key(within).def), part.symbol) {
        return Reported;
    }
    let mut names = names_in(cx, within);
    names.retain(|&n| n != part.symbol.as_str());
    if let Some(new) = advice::new_name(cx, within, part.symbol) {
        let help = format!("in this version of the library it is {new}");
        return cx.report(diagnostic.help(help));
    }
    cx.report(with_nearest(diagnostic, part.symbol, &names))
}

fn names_in(cx: &mut Classes, k: KlassId) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    if let Some(members) = cx.members_if_built(k) {
        names.extend(members.items.iter().map(|m| m.name.as_str()));
    }
    let def = cx.key(k).def;
    names.extend(cx.lib.child_names(def).iter().map(|n| n.as_str()));
    names
}

fn names_in_scope(cx: &mut Classes, scope: Option<KlassId>) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut at = scope;
    while let Some(k) = at {
        names.extend(names_in(cx, k));
        at = cx.key(k).enclosing;
    }
    names.extend(cx.lib.root_names().iter().map(|n| n.as_str()));
    names
}

/// Splits `A.B.'c.d'` at the dots outside quotes.
pub fn split_path(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (i, c) in path.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '.' if !quoted => {
                parts.push(&path[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&path[start..]);
    parts
}

/// What stands before a parenthesis and is no function of the model.
const WORDS: [&str; 6] = ["connect", "assert", "reinit", "terminate", "initial", "previous"];

fn nothing_named(name: Symbol) -> String {
    format!("nothing named {name} can be found from here")
}

/// Adds the nearest spellings as advice.
pub fn with_nearest(diagnostic: Diagnostic, name: Symbol, candidates: &[&'static str]) -> Diagnostic {
    match nearest(name.as_str(), candidates) {
        near if near.is_empty() => diagnostic,
        near => diagnostic.help(format!("did you mean {}?", near.join(" or "))),
    }
}

/// Up to three names that differ little from `name`, nearest first.
pub fn nearest(name: &str, candidates: &[&'static str]) -> Vec<&'static str> {
    // One letter is as far from another as can be.
    let limit = match name.chars().count() {
        0..=2 => 0,
        n => n / 3,
    };
    let mut near: Vec<(usize, &'static str)> = candidates
        .iter()
        .filter_map(|&c| {
            let d = if c.eq_ignore_ascii_case(name) { 0 } else { distance(name, c) };
            (d <= limit).then_some((d, c))
        })
        .collect();
    near.sort();
    near.dedup();
    near.truncate(3);
    near.into_iter().map(|(_, c)| c).collect()
}

/// Edit distance with swaps of neighbours counted once.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let cost = usize::from(a[i - 1] != b[j - 1]);
                let mut d = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + cost);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    d = d.min(rows[i - 2][j - 2] + 1);
                }
                d
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_spellings() {
        assert_eq!(nearest("resistr", &["Resistor", "resistor", "Capacitor"]), ["resistor", "Resistor"]);
        assert_eq!(nearest("phi", &["PHI", "w", "tau"]), ["PHI"]);
    }

    #[test]
    fn quoted_parts_stay_whole() {
        assert_eq!(split_path("A.'b.c'.D"), ["A", "'b.c'", "D"]);
    }
}
