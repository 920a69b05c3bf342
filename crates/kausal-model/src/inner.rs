//! Outer classes (specification section 5.4): an outer class of a component is the inner class of that name nearest
//! above the component, as if it were redeclared there. And what a class says when an inner component of it is missing.

use std::sync::Arc;

use kausal_syntax::ast::{ClassBody, Expr};
use kausal_syntax::{Diagnostic, Symbol};

use crate::annotation::annotation_value;
use crate::class::{Classes, ComponentInfo, MemberKind, Reported};
use crate::flattener::Flattener;
use crate::ids::{InstId, KlassId};
use crate::interface;
use crate::modifier::{ModItem, ModWhat, Up};

impl Flattener<'_> {
    /// A component of `owner` whose class has outer classes: the same with the inner classes in their place.
    pub(crate) fn with_inner_classes(
        &mut self,
        owner: InstId,
        info: Arc<ComponentInfo>,
    ) -> Arc<ComponentInfo> {
        let mut items = Vec::new();
        for &name in &info.outer_classes {
            let Some((klass, up)) = find_inner_class(self, owner, name) else {
                missing_inner_class(self.cx, info.klass, name);
                continue;
            };
            check_inner_class(self.cx, info.klass, name, klass);
            let file = self.cx.file(klass);
            let what = ModWhat::Inner(name, klass);
            items.push(ModItem {
                file,
                what,
                scope: klass,
                up,
                is_final: false,
                each: false,
                low: false,
                levels: 0,
            });
        }
        if items.is_empty() {
            return info;
        }
        items.extend_from_slice(&self.cx.mods.get(self.cx.key(info.klass).mods));
        let klass = self.cx.with_mods(info.klass, items);
        Arc::new(ComponentInfo { klass, ..(*info).clone() })
    }
}

/// The inner class of this name nearest above a component of `owner`, and how far above.
fn find_inner_class(fl: &mut Flattener<'_>, owner: InstId, name: Symbol) -> Option<(KlassId, Up)> {
    let (mut at, mut up) = (Some(owner), Up(1));
    while let Some(id) = at {
        let members = fl.cx.members(fl.inst(id).klass).ok()?;
        if let Some(&i) = members.index.get(&name)
            && let member = members.items[i as usize]
            && let MemberKind::Class(def) = member.kind
            && fl.cx.lib.class(def).prefixes.inner
        {
            // Of `inner outer` this is the inner one.
            let items: Vec<ModItem> = fl.cx.mods.get(member.mods).to_vec();
            let own: Vec<ModItem> =
                items.into_iter().filter(|m| !matches!(m.what, ModWhat::Inner(..))).collect();
            return Some((fl.cx.redeclared(def, member.origin, &own), up));
        }
        at = fl.inst(id).parent;
        up = up.plus(Up(1));
    }
    None
}

/// The klass of the outer class itself.
fn outer_class(cx: &mut Classes, klass: KlassId, name: Symbol) -> Option<KlassId> {
    let members = cx.members(klass).ok()?;
    let &i = members.index.get(&name)?;
    Some(cx.class_member(&members.items[i as usize]))
}

/// The inner class must have what the outer declaration promises.
fn check_inner_class(cx: &mut Classes, klass: KlassId, name: Symbol, inner: KlassId) {
    let Some(outer) = outer_class(cx, klass, name) else { return };
    let missing = interface::missing_members(cx, outer, inner);
    if missing.is_empty() {
        return;
    }
    let message = format!(
        "the inner class {name} is not what {} needs: it has no {}",
        cx.name(outer),
        missing.join(", ")
    );
    let (outer, inner) = (cx.key(outer).def, cx.key(inner).def);
    let diagnostic = Diagnostic::error("K0228", message)
        .at(cx.def_location(outer), "declared outer here")
        .at(cx.def_location(inner), "declared inner here");
    cx.report(diagnostic);
}

/// Without an inner class the outer one is used, unless it is partial.
pub(crate) fn missing_inner_class(cx: &mut Classes, klass: KlassId, name: Symbol) {
    let Some(outer) = outer_class(cx, klass, name) else { return };
    let place = cx.def_location(cx.key(outer).def);
    let full = cx.name(outer);
    let message = format!("there is no inner class {name} for the outer one {full}");
    let diagnostic = if interface::partial_base(cx, outer).is_some() {
        let message = format!("{message}, and that is partial");
        Diagnostic::error("K0221", message)
    } else {
        Diagnostic::warning("K0221", format!("{message}; the outer one is used"))
    };
    cx.report(
        diagnostic
            .at(place, "declared outer here")
            .help(format!("declare an inner class {name} in the model")),
    );
}

/// Which class a missing inner component should have must be clear from all outer ones.
pub(crate) fn different_outer(
    fl: &mut Flattener<'_>,
    inner: InstId,
    id: InstId,
    info: &ComponentInfo,
) -> Reported {
    let (path, name) = (fl.path(id), info.name);
    let (first, second) = (fl.cx.name(fl.inst(inner).klass), fl.cx.name(info.klass));
    let message = format!(
        "there is no inner component {name}, and outer ones differ: one is a {first}, {path} is a {second}"
    );
    let mut diagnostic = Diagnostic::error("K0228", message).at(info.location, "declared outer here");
    if let Some(inner) = &fl.inst(inner).info {
        diagnostic = diagnostic.at(inner.location, "and here");
    }
    fl.cx.report(diagnostic.help(format!("declare an inner component {name} in the model")))
}

/// `annotation(missingInnerMessage = "…")` of the class of an outer component.
pub(crate) fn missing_inner_message(cx: &mut Classes, klass: KlassId) -> Option<String> {
    const MAX_BASES: usize = 100;
    let mut at = klass;
    for _ in 0..MAX_BASES {
        let ast = cx.ast(at);
        let class = &ast.classes[cx.lib.def(cx.key(at).def).class];
        let value = annotation_value(&ast, class.description.annotation, "missingInnerMessage");
        if let Some(Expr::String(text)) = value.map(|e| &ast.exprs[e]) {
            return Some(ast.string(*text).into_owned());
        }
        if !matches!(class.body, ClassBody::Short(_)) {
            return None;
        }
        at = *cx.members(at).ok()?.bases.first()?;
    }
    None
}
