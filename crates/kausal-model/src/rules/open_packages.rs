//! Components whose package was never chosen: `ClosedVolume v` without `redeclare package Medium = …`. What is then missing
//! (constants without a value, partial functions and models, deep inside the library) is said once, at the component.

use kausal_syntax::ast::ClassKind;
use kausal_syntax::{Diagnostic, Location};

use crate::class::{Found, MemberKind};
use crate::flattener::Flattener;
use crate::ids::InstId;
use crate::instance;
use crate::interface::partial_base;

/// What follows from a partial package.
const CONSEQUENCES: [&str; 4] = ["K0217", "K0222", "K0320", "K0383"];

/// Puts what is to be mended in the model in the place of what follows from it outside of the model.
pub(crate) fn name_open_packages(fl: &mut Flattener<'_>, root: InstId) {
    let def = fl.cx.key(fl.inst(root).klass).def;
    let (source, span) = (fl.cx.def_location(def).source, fl.cx.lib.class(def).span);
    let is_own = |at: Location| at.source == source && span.start <= at.span.start && at.span.end <= span.end;
    let follows = |d: &Diagnostic| {
        CONSEQUENCES.contains(&d.code) && !d.labels.first().is_some_and(|label| is_own(label.location))
    };
    if !fl.cx.diagnostics.iter().any(follows) {
        return;
    }
    let mut found = Vec::new();
    for component in instance::known_children(fl, root) {
        let Some(info) = fl.inst(component).info.clone() else { continue };
        let Ok(members) = fl.cx.members(info.klass) else { continue };
        for member in members.items.iter().filter(|m| matches!(m.kind, MemberKind::Class(_))) {
            let Some(Found::Class(package)) = fl.cx.find_in(info.klass, member.name) else { continue };
            if fl.cx.deep_kind(package) != ClassKind::Package {
                continue;
            }
            let Some(partial) = partial_base(fl.cx, package) else { continue };
            let (path, name, partial) = (fl.path(component), member.name, fl.cx.name(partial));
            let message = format!("{path} has no {name}: it is still the partial package {partial}");
            found.push(
                Diagnostic::error("K0217", message)
                    .at(info.location, "this component needs one")
                    .help(format!("choose one: {}(redeclare package {name} = …)", info.name)),
            );
        }
    }
    if !found.is_empty() {
        fl.cx.diagnostics.retain(|d| !follows(d));
        fl.cx.diagnostics.splice(0..0, found);
    }
}
