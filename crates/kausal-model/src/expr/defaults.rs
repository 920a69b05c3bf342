//! Defaults of record fields and of inputs of functions may use each other in any order (specification section 12.6:
//! they are declaration equations). This finds an order in which each comes after what it uses.

use std::sync::Arc;

use kausal_syntax::Ast;
use kausal_syntax::ast::ExprId;

use crate::class::{Classes, ComponentInfo};

/// The positions of `infos` in an order in which every default comes behind the defaults it uses. What is `given`
/// comes first, records without a default of their own, which are made of the defaults of their fields, come last where
/// nothing uses them. In a cycle the order is that of the declarations.
pub fn evaluation_order(
    cx: &Classes,
    infos: &[Arc<ComponentInfo>],
    given: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..infos.len()).filter(|&i| given(i)).collect();
    let mut seen: Vec<bool> = (0..infos.len()).map(given).collect();
    let bound = (0..infos.len()).filter(|&i| infos[i].binding.is_some());
    let others = (0..infos.len()).filter(|&i| infos[i].binding.is_none());
    for first in bound.chain(others) {
        // A list instead of recursion: records may be long chains.
        let mut open = vec![(first, false)];
        while let Some((i, ready)) = open.pop() {
            if ready {
                order.push(i);
            } else if !std::mem::replace(&mut seen[i], true) {
                open.push((i, true));
                open.extend(used_by(cx, infos, i).into_iter().rev().map(|used| (used, false)));
            }
        }
    }
    order
}

/// Which of `infos` the default of one of them names, or the modifiers of a record without one.
fn used_by(cx: &Classes, infos: &[Arc<ComponentInfo>], i: usize) -> Vec<usize> {
    let info = &infos[i];
    let mut used = Vec::new();
    let mut note = |ast: &Ast, expr: ExprId| {
        crate::walk::references(ast, expr, &mut |reference| {
            let first = ast.lists.parts.get(reference.parts).first().map(|part| part.name.symbol);
            let at = infos.iter().position(|info| Some(info.name) == first);
            used.extend(at.filter(|_| !reference.global));
        });
    };
    match info.binding {
        Some(place) => note(cx.lib.ast_ref(place.file), place.expr),
        None => {
            let ast = cx.lib.ast_ref(info.file);
            let modifiers = ast.components[info.component].modification;
            crate::walk::modifier_values(ast, modifiers, &mut |expr| note(ast, expr));
        }
    }
    used
}
