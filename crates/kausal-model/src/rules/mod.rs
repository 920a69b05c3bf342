//! What must hold although flattening could go on without it: rules about modifiers, classes, variability and
//! balance. They are checked when the instances are known; every declaration and every class is looked at once,
//! however many instances it has.
//!
//! Nothing here changes the model.

pub mod balance;
pub(crate) mod cause;
pub(crate) mod classes;
pub(crate) mod flat;
pub(crate) mod influence;
pub(crate) mod kinds;
pub(crate) mod modifiers;
pub(crate) mod open_packages;
pub(crate) mod purity;
pub(crate) mod size;
pub(crate) mod statements;

use kausal_syntax::ast::ComponentId;
use rustc_hash::FxHashSet;

use crate::flattener::Flattener;
use crate::ids::{InstId, KlassId};
use crate::library::{DefId, FileId};
use crate::tree;

/// What was looked at already.
#[derive(Default)]
struct Done {
    declarations: FxHashSet<(FileId, ComponentId)>,
    definitions: FxHashSet<DefId>,
    partial: FxHashSet<(FileId, ComponentId, DefId)>,
}

/// Checks the declarations and classes of all instances.
pub(crate) fn check_instances(fl: &mut Flattener<'_>) {
    let mut done = Done::default();
    // Looking at classes may make instances of packages; those are looked at too.
    let mut i = 0;
    while i < fl.insts.len() {
        let id = InstId(i as u32);
        i += 1;
        if matches!(fl.inst(id).node, tree::Node::Failed | tree::Node::Resolving) {
            continue;
        }
        let klass = fl.inst(id).klass;
        if let Some(info) = fl.inst(id).info.clone() {
            if done.declarations.insert((info.file, info.component)) {
                modifiers::check_declaration(fl, &info);
            }
            let def = fl.cx.key(klass).def;
            if !fl.inst(id).is_static
                && !matches!(fl.inst(id).node, tree::Node::Disabled | tree::Node::Raw | tree::Node::Outer(_))
                && done.partial.insert((info.file, info.component, def))
            {
                classes::check_component_class(fl, id, &info);
            }
        }
        check_definitions(fl, klass, &mut done);
    }
    let mut functions: Vec<KlassId> = fl.functions.lowered.keys().map(|key| key.klass).collect();
    functions.sort_unstable();
    functions.dedup();
    functions.into_iter().for_each(|k| check_definitions(fl, k, &mut done));
}

/// The class and all its bases.
fn check_definitions(fl: &mut Flattener<'_>, klass: KlassId, done: &mut Done) {
    let mut stack = vec![klass];
    while let Some(k) = stack.pop() {
        if !done.definitions.insert(fl.cx.key(k).def) {
            continue;
        }
        classes::check_definition(fl, k);
        if let Ok(members) = fl.cx.members(k) {
            stack.extend(members.bases.iter().rev().copied());
        }
    }
}
