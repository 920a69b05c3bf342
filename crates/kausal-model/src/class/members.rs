//! The members of a class (specification chapters 5 and 7): inherited ones first, then its own; modifiers are handed on to
//! the bases.

use std::sync::Arc;

use kausal_syntax::ast::{Break, ClassBody, Element, ModId};
use kausal_syntax::{Ast, Diagnostic, Symbol};

use crate::class::{Classes, MAX_DEPTH, Member, MemberKind, Members, Reported, Res, State, plain};
use crate::ids::KlassId;
use crate::modifier::{ANY_LEVELS, ModItem, ModWhat, Up, redeclares_elements};

impl Classes {
    /// The members of a class; `None` while they are being worked out.
    pub fn members_if_built(&mut self, k: KlassId) -> Option<Arc<Members>> {
        match &self.klasses[k.0 as usize].state {
            State::Built(members) => Some(members.clone()),
            State::Building => None,
            State::New => self.members(k).ok(),
        }
    }

    /// The members of a class.
    pub fn members(&mut self, k: KlassId) -> Res<Arc<Members>> {
        match &self.klasses[k.0 as usize].state {
            State::Built(members) => return Ok(members.clone()),
            State::Building => {
                let def = self.key(k).def;
                let name = self.lib.full_name(def);
                let span = self.lib.class(def).name.span;
                return Err(self.error(
                    "K0210",
                    format!("the class {name} is based on itself"),
                    self.file(k),
                    span,
                ));
            }
            State::New => {}
        }
        self.klasses[k.0 as usize].state = State::Building;
        self.depth += 1;
        let members = if self.depth > MAX_DEPTH {
            let def = self.key(k).def;
            let span = self.lib.class(def).name.span;
            let name = self.lib.full_name(def);
            let message = format!("classes are nested too deeply while working out {name}");
            self.error("K0211", message, self.file(k), span);
            Arc::new(Members::default())
        } else {
            self.build(k)
        };
        self.depth -= 1;
        self.klasses[k.0 as usize].state = State::Built(members.clone());
        Ok(members)
    }

    /// The function `f` of `function g = der(f, x)`, which is such a `g`.
    pub fn differentiated(&mut self, k: KlassId) -> Option<KlassId> {
        let key = self.key(k);
        let file = self.file(k);
        let ast = self.lib.ast(file);
        let ClassBody::Der { function, .. } = &ast.classes[self.lib.def(key.def).class].body else {
            return None;
        };
        self.lookup_name(key.enclosing.unwrap_or(k), &ast, file, *function).ok()
    }

    fn build(&mut self, k: KlassId) -> Arc<Members> {
        let key = self.key(k);
        let file = self.file(k);
        let ast = self.lib.ast(file);
        let class = &ast.classes[self.lib.def(key.def).class];
        match &class.body {
            ClassBody::Short(short) => {
                let Ok(base) = short_base(self, k) else {
                    self.broken.insert(key.def);
                    return Arc::new(Members::default());
                };
                let base_members = self.members(base).unwrap_or_default();
                let _ = short;
                // A short class definition has the annotations of an `extends` clause as well (section 18.6).
                let annotation = class.description.annotation;
                Arc::new(Members {
                    items: base_members.items.clone(),
                    index: base_members.index.clone(),
                    bases: vec![base],
                    base_annotations: vec![annotation],
                    components: base_members.components.clone(),
                    slot: base_members.slot.clone(),
                })
            }
            ClassBody::Long(body) => {
                let mut members = Members::default();
                let passed = passed_to_bases(self, k);
                if let Some(extended) = key.extended {
                    let base = base_klass(self, k, extended, &passed, body.modification, false);
                    inherit(self, &mut members, base, false, None);
                }
                for element in &body.elements {
                    if let Element::Extends(ext) = element {
                        let Ok(found) = self.lookup_name(k, &ast, file, ext.base) else {
                            self.broken.insert(key.def);
                            continue;
                        };
                        let base = base_klass(self, k, found, &passed, ext.modification, true);
                        inherit(self, &mut members, base, ext.protected, ext.annotation);
                        for b in &ext.breaks {
                            if let Break::Component(name) = b {
                                remove(&mut members, name.symbol);
                            }
                        }
                    }
                }
                for element in &body.elements {
                    own_member(self, &mut members, k, &ast, element);
                }
                for (i, item) in members.items.iter().enumerate() {
                    members.slot.push(members.components.len() as u32);
                    if matches!(item.kind, MemberKind::Component(_)) {
                        members.components.push(i as u32);
                    }
                }
                Arc::new(members)
            }
            ClassBody::Enumeration(_) => Arc::new(Members::default()),
            ClassBody::Der { .. } => {
                let Some(base) = self.differentiated(k) else { return Arc::new(Members::default()) };
                let of = self.members(base).unwrap_or_default();
                Arc::new(Members {
                    items: of.items.clone(),
                    index: of.index.clone(),
                    bases: vec![base],
                    base_annotations: vec![None],
                    components: of.components.clone(),
                    slot: of.slot.clone(),
                })
            }
        }
    }
}

/// The modifiers of a class that its bases get: its own, and the elements it redeclares.
fn passed_to_bases(cx: &mut Classes, k: KlassId) -> Vec<ModItem> {
    let key = cx.key(k);
    let (file, class) = (cx.lib.def(key.def).file, cx.lib.def(key.def).class);
    let mut passed: Vec<ModItem> =
        cx.mods.get(key.mods).iter().map(|m| ModItem { low: false, ..*m }).collect();
    if redeclares_elements(&cx.lib, file, class) {
        passed.push(ModItem {
            file,
            what: ModWhat::Elements(class),
            scope: k,
            up: Up(0),
            is_final: false,
            each: false,
            low: false,
            levels: 0,
        });
    }
    passed
}

fn base_klass(
    cx: &mut Classes,
    k: KlassId,
    found: KlassId,
    passed: &[ModItem],
    modification: Option<ModId>,
    _by_name: bool,
) -> KlassId {
    let file = cx.file(k);
    let mut items = passed.to_vec();
    if let Some(id) = modification {
        items.push(plain(file, ModWhat::Whole(id), k, Up(0)));
    }
    items.extend_from_slice(&cx.mods.get(cx.key(found).mods));
    cx.with_mods(found, items)
}

/// The base of a short class definition, with all modifiers.
fn short_base(cx: &mut Classes, k: KlassId) -> Res<KlassId> {
    let key = cx.key(k);
    let file = cx.file(k);
    let ast = cx.lib.ast(file);
    let ClassBody::Short(short) = &ast.classes[cx.lib.def(key.def).class].body else {
        return Err(Reported);
    };
    let found = cx.lookup_outside(k, &ast, file, short.base)?;
    let own = cx.mods.get(key.mods);
    let mut items: Vec<ModItem> = own.iter().filter(|m| !m.low).copied().collect();
    let levels = if short.dims.is_empty() { 0 } else { ANY_LEVELS };
    if let (Some(id), Some(scope)) = (short.modification, key.enclosing) {
        items.push(ModItem { levels, ..plain(file, ModWhat::Whole(id), scope, key.enclosing_up) });
    } else if let Some(id) = short.modification {
        items.push(ModItem { levels, ..plain(file, ModWhat::Whole(id), k, Up::STATIC) });
    }
    items.extend(own.iter().filter(|m| m.low).map(|m| ModItem { low: false, ..*m }));
    items.extend_from_slice(&cx.mods.get(cx.key(found).mods));
    Ok(cx.with_mods(found, items))
}

fn inherit(
    cx: &mut Classes,
    members: &mut Members,
    base: KlassId,
    protected: bool,
    annotation: Option<ModId>,
) {
    let Ok(inherited) = cx.members(base) else { return };
    members.bases.push(base);
    members.base_annotations.push(annotation);
    for item in &inherited.items {
        if !members.index.contains_key(&item.name) {
            members.index.insert(item.name, members.items.len() as u32);
            members.items.push(Member { protected: item.protected || protected, ..*item });
        }
    }
}

fn own_member(cx: &mut Classes, members: &mut Members, k: KlassId, ast: &Ast, element: &Element) {
    let mods = cx.key(k).mods;
    let (name, redeclare, kind, protected, member_mods, span) = match element {
        Element::Component(id) => {
            let c = &ast.components[*id];
            let mods = cx.mods.of_element(&cx.lib, mods, c.name.symbol, Up(1));
            let kind = MemberKind::Component(*id);
            (c.name.symbol, c.prefixes.redeclare, kind, c.prefixes.protected, mods, c.name.span)
        }
        Element::Class(id) => {
            let c = &ast.classes[*id];
            let mods = cx.mods.of_class(&cx.lib, mods, c.name.symbol);
            let kind = MemberKind::Class(cx.lib.def_of(cx.file(k), *id));
            (c.name.symbol, c.prefixes.redeclare, kind, c.prefixes.protected, mods, c.name.span)
        }
        _ => return,
    };
    if let Some(&at) = members.index.get(&name) {
        let before = members.items[at as usize];
        if before.origin == k {
            let message = format!("{name} is declared twice in this class");
            let first = cx.member_location(&before);
            let location = cx.lib.location(cx.file(k), span);
            cx.report(Diagnostic::error("K0212", message).at(location, "again here").at(first, "first here"));
            return;
        }
        if redeclare && before.kind_matches(kind) {
            return;
        }
        if matches!(kind, MemberKind::Component(_)) && !redeclare {
            // Identical to the inherited one (specification section 7.1), or an error a user can live with.
            return;
        }
        members.items[at as usize] = Member { name, origin: k, kind, protected, mods: member_mods };
        return;
    }
    members.index.insert(name, members.items.len() as u32);
    members.items.push(Member { name, origin: k, kind, protected, mods: member_mods });
}

impl Member {
    fn kind_matches(&self, kind: MemberKind) -> bool {
        matches!(
            (self.kind, kind),
            (MemberKind::Component(_), MemberKind::Component(_))
                | (MemberKind::Class(_), MemberKind::Class(_))
        )
    }
}

fn remove(members: &mut Members, name: Symbol) {
    if let Some(at) = members.index.remove(&name) {
        members.items.remove(at as usize);
        for i in members.index.values_mut() {
            if *i > at {
                *i -= 1;
            }
        }
    }
}
