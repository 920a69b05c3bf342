//! How many components a model has at least: classes that contain two of another, which contains two of a third, and
//! so on, have more than any machine can hold. This is found by counting classes, not instances.

use kausal_syntax::Diagnostic;
use kausal_syntax::ast::{ClassKind, Expr};
use rustc_hash::FxHashMap;

use crate::class::{Classes, Reported, Res};
use crate::flattener::Flattener;
use crate::ids::{InstId, KlassId};

/// From so many instances on it is worth asking how many there will be.
const MANY: usize = 500_000;
/// More instances are not made.
const LIMIT: u64 = 40_000_000;
/// How deep classes are looked into.
const MAX_DEPTH: u32 = 250;

impl Flattener<'_> {
    /// Stops when there are, or will be, too many components.
    pub(crate) fn check_count(&mut self) -> Res<()> {
        if self.too_many {
            return Err(Reported);
        }
        if self.insts.len() < MANY || self.counted && (self.insts.len() as u64) < LIMIT {
            return Ok(());
        }
        self.counted = true;
        let Some(root) = self.insts.iter().position(|i| i.parent.is_none() && !i.is_static) else {
            return Ok(());
        };
        let klass = self.inst(InstId(root as u32)).klass;
        let least =
            least_components(self.cx, klass, 0, &mut FxHashMap::default()).max(self.insts.len() as u64);
        if least < LIMIT {
            return Ok(());
        }
        self.too_many = true;
        let (name, location) = (self.cx.name(klass), self.cx.def_location(self.cx.key(klass).def));
        let message = format!("{name} has more than {LIMIT} components");
        let diagnostic = Diagnostic::error("K0309", message)
            .at(location, "this model")
            .help("do classes contain one another several times, level by level?");
        Err(self.cx.report(diagnostic))
    }
}

/// The number of components an instance has at least: what depends on a condition or a size that is not a literal is
/// left out.
fn least_components(
    cx: &mut Classes,
    klass: KlassId,
    depth: u32,
    known: &mut FxHashMap<KlassId, u64>,
) -> u64 {
    if let Some(&count) = known.get(&klass) {
        return count;
    }
    // A class that contains itself ends here.
    known.insert(klass, 0);
    let Ok(members) = cx.members(klass) else { return 0 };
    let mut count = 1u64;
    for &i in &members.components {
        let Ok(info) = cx.component(&members.items[i as usize]) else { continue };
        if info.leaf.is_some() || info.kind == ClassKind::ExpandableConnector {
            count = count.saturating_add(1);
            continue;
        }
        if info.condition.is_some() || info.outer || depth >= MAX_DEPTH {
            continue;
        }
        let sizes = info.dims.iter().map(|d| match cx.lib.ast_ref(d.file).exprs[d.expr] {
            Expr::Integer(n) => u64::try_from(n).unwrap_or(0),
            _ => 0,
        });
        let elements = sizes.fold(1u64, u64::saturating_mul);
        if elements > 0 {
            let each = least_components(cx, info.klass, depth + 1, known);
            count = count.saturating_add(each.saturating_mul(elements));
        }
    }
    known.insert(klass, count);
    count
}
