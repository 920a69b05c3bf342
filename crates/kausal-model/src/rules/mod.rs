//! What must hold although flattening could go on without it: rules about modifiers, classes, variability and
//! balance. They are checked when the instances are known; every declaration and every class is looked at once,
//! however many instances it has.
//!
//! Nothing here changes the model.

pub mod balance;
mod cause;
mod classes;
mod flat;
mod influence;
mod kinds;
mod modifiers;
mod purity;
mod size;
mod statements;

use kausal_syntax::ast::ComponentId;
use rustc_hash::FxHashSet;

use crate::class::KlassId;
use crate::flattener::Flattener;
use crate::instance::{InstId, Node};
use crate::library::{DefId, FileId};

/// What was looked at already.
#[derive(Default)]
struct Done {
    declarations: FxHashSet<(FileId, ComponentId)>,
    definitions: FxHashSet<DefId>,
    partial: FxHashSet<(FileId, ComponentId, DefId)>,
}

impl Flattener<'_> {
    /// Checks the declarations and classes of all instances.
    pub(crate) fn check_instances(&mut self) {
        let mut done = Done::default();
        // Looking at classes may make instances of packages; those are looked at too.
        let mut i = 0;
        while i < self.insts.len() {
            let id = InstId(i as u32);
            i += 1;
            if matches!(self.inst(id).node, Node::Failed | Node::Resolving) {
                continue;
            }
            let klass = self.inst(id).klass;
            if let Some(info) = self.inst(id).info.clone() {
                if done.declarations.insert((info.file, info.component)) {
                    self.check_declaration(&info);
                }
                let def = self.cx.key(klass).def;
                if !self.inst(id).is_static
                    && !matches!(self.inst(id).node, Node::Disabled | Node::Raw | Node::Outer(_))
                    && done.partial.insert((info.file, info.component, def))
                {
                    self.check_component_class(id, &info);
                }
            }
            self.check_definitions(klass, &mut done);
        }
        let mut functions: Vec<KlassId> = self.functions.lowered.keys().map(|key| key.klass).collect();
        functions.sort_unstable();
        functions.dedup();
        functions.into_iter().for_each(|k| self.check_definitions(k, &mut done));
    }

    /// The class and all its bases.
    fn check_definitions(&mut self, klass: KlassId, done: &mut Done) {
        let mut stack = vec![klass];
        while let Some(k) = stack.pop() {
            if !done.definitions.insert(self.cx.key(k).def) {
                continue;
            }
            self.check_definition(k);
            if let Ok(members) = self.cx.members(k) {
                stack.extend(members.bases.iter().rev().copied());
            }
        }
    }
}
