//! Rules about classes: no component of a partial class, imports that exist, declarations that agree with
//! inherited ones (specification sections 4.4, 7.1 and 13.2).

use kausal_syntax::ast::{Binding, Break, ClassBody, ClassKind, Element};
use kausal_syntax::{Ast, Diagnostic, Symbol};
use rustc_hash::FxHashMap;

use crate::class::{ComponentInfo, KlassId, Member, MemberKind};
use crate::flattener::Flattener;
use crate::instance::InstId;
use crate::lookup::Found;
use crate::modifier::ModWhat;

impl Flattener<'_> {
    /// The class to be flattened must be a model that is not partial.
    pub(crate) fn check_root(&mut self, klass: KlassId) {
        let def = self.cx.key(klass).def;
        let location = self.cx.def_location(def);
        let name = self.cx.name(klass);
        let kind = self.cx.deep_kind(klass);
        if !Self::is_model(kind) {
            let message = format!("{name} is a {}: only models and blocks can be flattened", kind_text(kind));
            self.cx.report(Diagnostic::error("K0224", message).at(location, "defined here"));
        } else if let Some(partial) = self.partial_base(klass) {
            let message = format!("{name} is partial: it only describes what is common to other models");
            let mut diagnostic = Diagnostic::error("K0217", message).at(location, "defined here");
            if partial != klass {
                let place = self.cx.def_location(self.cx.key(partial).def);
                diagnostic = diagnostic.at(place, "partial here");
            }
            self.cx.report(diagnostic.help("flatten a model that extends it"));
        }
    }

    /// The partial class that a class is, by itself or as another name of it.
    pub(crate) fn partial_base(&mut self, klass: KlassId) -> Option<KlassId> {
        let mut at = klass;
        for _ in 0..100 {
            let class = self.cx.lib.class(self.cx.key(at).def);
            if class.partial {
                return Some(at);
            }
            if !matches!(class.body, ClassBody::Short(_)) {
                return None;
            }
            at = *self.cx.members(at).ok()?.bases.first()?;
        }
        None
    }

    /// What a component that exists may not be.
    pub(super) fn check_component_class(&mut self, id: InstId, info: &ComponentInfo) {
        if info.leaf.is_some() {
            return;
        }
        let path = self.path(id);
        let name = self.cx.name(info.klass);
        if matches!(
            info.kind,
            ClassKind::Package | ClassKind::Function | ClassKind::OperatorFunction | ClassKind::Operator
        ) {
            let message = format!("{path} cannot be a component: {name} is a {}", kind_text(info.kind));
            let defined = self.cx.def_location(self.cx.key(info.klass).def);
            self.cx.report(
                Diagnostic::error("K0224", message)
                    .at(info.location, "declared here")
                    .at(defined, "the class is defined here"),
            );
            return;
        }
        if let (Some(place), ClassKind::Model | ClassKind::Block) = (&info.binding, info.kind) {
            let message =
                format!("{path} cannot have a value: {name} is a {}, not a record", kind_text(info.kind));
            let span = self.cx.lib.ast_ref(place.file).span(place.expr);
            let location = self.cx.lib.location(place.file, span);
            let diagnostic = Diagnostic::error("K0246", message)
                .at(location, "this value")
                .at(info.location, "declared here")
                .help("give values to its parameters: `(p = …)`");
            self.cx.report(diagnostic);
        }
        let Some(partial) = self.partial_base(info.klass) else { return };
        let name = self.cx.name(partial);
        let message = format!("{path} is of the partial class {name}: something is missing in it");
        let defined = self.cx.def_location(self.cx.key(partial).def);
        let help = if self.cx.lib.class(self.cx.key(info.klass).def).prefixes.replaceable
            || self.cx.lib.ast_ref(info.file).components[info.component].prefixes.replaceable
        {
            format!("redeclare it as a class that extends {name}")
        } else {
            format!("use a class that extends {name}")
        };
        self.cx.report(
            Diagnostic::error("K0217", message)
                .at(info.location, "declared here")
                .at(defined, "the partial class")
                .help(help),
        );
    }

    /// Imports, base classes and own elements of a class definition.
    pub(super) fn check_definition(&mut self, k: KlassId) {
        let key = self.cx.key(k);
        let file = self.cx.file(k);
        let ast = self.cx.lib.ast(file);
        let class = &ast.classes[self.cx.lib.def(key.def).class];
        self.check_kind(k, &ast, class);
        match &class.body {
            ClassBody::Short(short) => {
                if let Some(id) = short.modification
                    && let Some(&base) =
                        self.cx.members(k).ok().and_then(|m| m.bases.first().copied()).as_ref()
                {
                    self.check_base_modification(file, id, base, !short.dims.is_empty());
                }
            }
            ClassBody::Long(body) => {
                self.check_simple_type(k, &ast, body);
                self.check_external_object(k, &ast, body);
                for element in &body.elements {
                    match element {
                        Element::Import(import) => {
                            self.cx.check_import(k, file, &ast, import);
                        }
                        Element::Extends(ext) => {
                            self.check_base_fixed(k, &ast, ext.base);
                            if let Some(id) = ext.modification
                                && let Some(base) = self.base_of(k, &ast, ext.base)
                            {
                                self.check_base_modification(file, id, base, false);
                            }
                        }
                        Element::Component(_) | Element::Class(_) => self.check_element(k, &ast, element),
                    }
                }
                self.check_bases(k);
            }
            ClassBody::Enumeration(_) | ClassBody::Der { .. } => {}
        }
    }

    /// What is inherited twice must be the same both times (specification section 7.1).
    fn check_bases(&mut self, k: KlassId) {
        let Ok(members) = self.cx.members(k) else { return };
        if members.bases.len() < 2 {
            return;
        }
        let mut first: FxHashMap<Symbol, Member> = FxHashMap::default();
        if self.cx.is_broken(k) {
            return;
        }
        for &base in &members.bases {
            let Ok(inherited) = self.cx.members(base) else { continue };
            for &member in &inherited.items {
                match first.get(&member.name).copied() {
                    None => {
                        first.insert(member.name, member);
                    }
                    Some(before) if self.is_same(&before, &member) => {}
                    Some(before) => {
                        let message = format!("{} is inherited twice, and differently", member.name);
                        let class = self.cx.def_location(self.cx.key(k).def);
                        let (a, b) = (self.cx.member_location(&before), self.cx.member_location(&member));
                        let mut diagnostic = Diagnostic::error("K0225", message)
                            .at(class, "inherited here")
                            .at(a, "declared here");
                        if a != b {
                            diagnostic = diagnostic.at(b, "and here");
                        }
                        self.cx.report(diagnostic.help("both must have the same type, prefixes and value"));
                    }
                }
            }
        }
    }

    /// Are two members of one name declared alike? Classes that can be redeclared and modifiers that only one of them has are
    /// left to the first.
    fn is_same(&mut self, a: &Member, b: &Member) -> bool {
        let (MemberKind::Component(x), MemberKind::Component(y)) = (a.kind, b.kind) else {
            return matches!((a.kind, b.kind), (MemberKind::Class(_), MemberKind::Class(_)));
        };
        if (self.cx.file(a.origin), x) == (self.cx.file(b.origin), y) && a.mods == b.mods {
            return true;
        }
        let (Ok(i), Ok(j)) = (self.cx.component(a), self.cx.component(b)) else { return true };
        let types = match (i.leaf, j.leaf) {
            (Some(x), Some(y)) => x.builtin == y.builtin,
            (None, None) => {
                self.cx.key(i.klass).def == self.cx.key(j.klass).def
                    || self.missing_members(i.klass, j.klass).is_empty()
            }
            _ => false,
        };
        let text = |info: &ComponentInfo| {
            let place = info.binding?;
            let ast = self.cx.lib.ast_ref(place.file);
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
    fn check_simple_type(&mut self, k: KlassId, ast: &Ast, body: &kausal_syntax::ast::LongBody) {
        if self.cx.builtins.contains_key(&self.cx.key(k).def) {
            return;
        }
        let Some(leaf) = self.cx.leaf(k) else { return };
        let file = self.cx.file(k);
        let (name, builtin) = (self.cx.name(k), crate::value::Ty::of(leaf.builtin));
        let help = "declare a record or model with one component for each value";
        for element in &body.elements {
            let Element::Component(c) = element else { continue };
            let declared = &ast.components[*c].name;
            let message = format!(
                "{name} is based on {}, so it cannot have the component {}",
                builtin.text(),
                declared.symbol
            );
            let location = self.cx.lib.location(file, declared.span);
            self.cx.report(Diagnostic::error("K0247", message).at(location, "declared here").help(help));
        }
        let mut equations = body.equations.iter().flat_map(|s| &s.equations).map(|e| e.span);
        let statements = body.algorithms.iter().map(|s| s.span).next();
        if let Some(span) = equations.next().or(statements) {
            let message = format!("{name} is based on {}, so it cannot have equations", builtin.text());
            let location = self.cx.lib.location(file, span);
            self.cx.report(Diagnostic::error("K0247", message).at(location, "here").help(help));
        }
    }

    /// What is extended cannot be something else in every component (specification section 7.1.4).
    fn check_base_fixed(&mut self, k: KlassId, ast: &Ast, name: kausal_syntax::ast::Name) {
        let file = self.cx.file(k);
        let parts = ast.lists.idents.get(name.parts);
        let Some(first) = parts.first() else { return };
        let mut found = match name.global {
            true => self.cx.root(first.symbol).map(Found::Class),
            false => self.cx.find(k, first.symbol),
        };
        for next in parts[1..].iter().map(Some).chain([None]) {
            let Some(Found::Class(class)) = found else { return };
            if let Some(def) = self.replaceable_class(class) {
                let message = format!("{} is replaceable: it cannot be extended", self.cx.lib.full_name(def));
                let location = self.cx.lib.location(file, name.span);
                let diagnostic = Diagnostic::error("K0255", message)
                    .at(location, "extended here")
                    .at(self.cx.def_location(def), "declared replaceable here")
                    .help("extend the class it is by default, or leave out `replaceable`");
                self.cx.report(diagnostic);
                return;
            }
            let Some(next) = next else { return };
            found = self.cx.step(class, next.symbol);
        }
    }

    /// The replaceable class that a class is, by itself or as another name of it.
    fn replaceable_class(&mut self, class: KlassId) -> Option<crate::library::DefId> {
        let mut at = class;
        for _ in 0..100 {
            let def = self.cx.key(at).def;
            let written = self.cx.lib.class(def);
            if written.prefixes.replaceable {
                return Some(def);
            }
            if !matches!(written.body, ClassBody::Short(_)) {
                return None;
            }
            at = *self.cx.members(at).ok()?.bases.first()?;
        }
        None
    }

    /// A class of external objects has a constructor and a destructor and nothing else (specification section 12.9.7).
    fn check_external_object(&mut self, k: KlassId, ast: &Ast, body: &kausal_syntax::ast::LongBody) {
        let direct = body.elements.iter().any(|e| match e {
            Element::Extends(ext) => ast.name_text(ext.base) == "ExternalObject",
            _ => false,
        });
        if !direct {
            return;
        }
        let name = self.cx.name(k);
        let location = self.cx.def_location(self.cx.key(k).def);
        for wanted in ["constructor", "destructor"] {
            let found = self.cx.step(k, Symbol::new(wanted));
            let function = match found {
                Some(Found::Class(f)) => self.cx.deep_kind(f) == ClassKind::Function,
                _ => false,
            };
            if !function {
                let message = format!("the external object {name} has no function {wanted}");
                let help = "an external object has two functions, constructor and destructor";
                self.cx.report(Diagnostic::error("K0377", message).at(location, "defined here").help(help));
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
            let file = self.cx.file(k);
            let place = self.cx.lib.location(file, what.span);
            self.cx.report(Diagnostic::error("K0377", message).at(place, "declared here"));
        }
    }

    /// The base class with its modifiers that an `extends` clause names.
    fn base_of(&mut self, k: KlassId, ast: &Ast, name: kausal_syntax::ast::Name) -> Option<KlassId> {
        let file = self.cx.file(k);
        let found = self.quietly(|this| this.cx.lookup_name(k, ast, file, name).ok())?;
        let def = self.cx.key(found).def;
        self.cx.members(k).ok()?.bases.iter().copied().find(|&b| self.cx.key(b).def == def)
    }

    /// What a replaceable component is declared as has what its constraining class promises (specification section 7.3.2).
    fn check_default(&mut self, k: KlassId, ast: &Ast, element: &Element, name: &kausal_syntax::ast::Ident) {
        let (own, constraint) = match element {
            Element::Component(c) => (ast.components[*c].type_name, &ast.components[*c].constraint),
            Element::Class(c) => match &ast.classes[*c].body {
                ClassBody::Short(short) => (short.base, &ast.classes[*c].constraint),
                _ => return,
            },
            _ => return,
        };
        let Some(constraint) = constraint else { return };
        let file = self.cx.file(k);
        let found = |this: &mut Self, name| this.quietly(|this| this.cx.lookup_name(k, ast, file, name).ok());
        let (Some(own), Some(wanted)) = (found(self, own), found(self, constraint.base)) else { return };
        let missing = self.missing_members(wanted, own);
        if missing.is_empty() {
            return;
        }
        let message = format!(
            "{} is constrained by {}, but {} has no {}",
            name.symbol,
            self.cx.name(wanted),
            self.cx.name(own),
            missing.join(", ")
        );
        let location = self.cx.lib.location(file, name.span);
        let defined = self.cx.def_location(self.cx.key(wanted).def);
        self.cx.report(
            Diagnostic::error("K0216", message)
                .at(location, "declared here")
                .at(defined, "the constraining class"),
        );
    }

    /// An own element that is inherited as well.
    fn check_element(&mut self, k: KlassId, ast: &Ast, element: &Element) {
        let file = self.cx.file(k);
        let (name, prefixes, what) = match element {
            Element::Component(c) => {
                (ast.components[*c].name, ast.components[*c].prefixes, ModWhat::Component(*c))
            }
            Element::Class(c) => (ast.classes[*c].name, ast.classes[*c].prefixes, ModWhat::Class(*c)),
            _ => return,
        };
        self.check_default(k, ast, element, &name);
        if left_out(&ast.classes[self.cx.lib.def(self.cx.key(k).def).class], name.symbol) {
            return;
        }
        let Some(inherited) = self.inherited(k, name.symbol) else {
            let extends = matches!(element, Element::Class(c) if matches!(&ast.classes[*c].body, ClassBody::Long(b) if b.class_extends));
            if prefixes.redeclare && !self.cx.is_broken(k) {
                let message = if extends {
                    format!("there is no inherited class {} to extend", name.symbol)
                } else {
                    format!("there is no inherited element {} to redeclare", name.symbol)
                };
                let location = self.cx.lib.location(file, name.span);
                self.cx.report(Diagnostic::error("K0213", message).at(location, "redeclared here"));
            }
            return;
        };
        if prefixes.redeclare {
            self.check_redeclared_member(file, &name, &inherited, what);
        } else if let (Element::Component(c), MemberKind::Component(other)) = (element, inherited.kind) {
            let own = &ast.components[*c];
            let other_file = self.cx.file(inherited.origin);
            let other_ast = self.cx.lib.ast(other_file);
            let before = &other_ast.components[other];
            let Some(own_type) = self.quietly(|this| this.cx.lookup_name(k, ast, file, own.type_name).ok())
            else {
                return;
            };
            let Ok(info) = self.cx.component(&inherited) else { return };
            let same = self.cx.key(own_type).def == self.cx.key(info.klass).def
                && own.variability == before.variability
                && own.causality == before.causality
                && own.flow == before.flow
                && same_modification(ast, own.modification, &other_ast, before.modification);
            if !same {
                let message =
                    format!("{} is inherited, and this declaration is a different one", name.symbol);
                let location = self.cx.lib.location(file, name.span);
                let first = self.cx.member_location(&inherited);
                self.cx.report(
                    Diagnostic::error("K0225", message)
                        .at(location, "declared again here")
                        .at(first, "inherited from here")
                        .help("modify the inherited element in the `extends` clause, or give this one another name"),
                );
            }
        }
    }

    fn inherited(&mut self, k: KlassId, name: kausal_syntax::Symbol) -> Option<Member> {
        let bases = self.cx.members(k).ok()?.bases.clone();
        bases.iter().find_map(|&b| {
            let members = self.cx.members(b).ok()?;
            members.index.get(&name).map(|&i| members.items[i as usize])
        })
    }
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

/// What a kind of class is called.
pub(super) fn kind_text(kind: ClassKind) -> &'static str {
    match kind {
        ClassKind::Package => "package",
        ClassKind::Function | ClassKind::OperatorFunction => "function",
        ClassKind::Operator => "operator",
        ClassKind::Record | ClassKind::OperatorRecord => "record",
        ClassKind::Connector | ClassKind::ExpandableConnector => "connector",
        ClassKind::Type => "type",
        ClassKind::Model => "model",
        ClassKind::Block => "block",
        ClassKind::Class => "class",
    }
}
