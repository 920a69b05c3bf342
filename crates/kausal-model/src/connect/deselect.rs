//! Selective model extension (specification section 7.4): connections that an `extends` clause leaves out, because it names
//! them or a component they lead to. Components are left out where the members of a class are worked out.

use std::sync::Arc;

use kausal_syntax::Ast;
use kausal_syntax::ast::{Break, ClassBody, ComponentRef, Element, Equation, EquationKind};

use crate::connect::links::Deselected;
use crate::expr::place;
use crate::flattener::Flattener;
use crate::ids::KlassId;
use crate::instance;
use crate::library::FileId;
use crate::sink::Context;

/// Is a connection left out of the component it would be in?
pub(super) fn is_deselected(
    fl: &mut Flattener<'_>,
    cx: Context<'_>,
    a: &ComponentRef,
    b: &ComponentRef,
) -> bool {
    let klass = fl.inst(cx.scope.inst).klass;
    let deselected = self::deselected(fl, klass);
    let Some(list) = deselected.get(&cx.scope.klass) else { return false };
    list.iter().any(|(file, b_)| matches_connection(&fl.cx.lib.ast(*file), b_, cx.ast, a, b))
}

fn deselected(fl: &mut Flattener<'_>, klass: KlassId) -> Arc<Deselected> {
    if let Some(known) = fl.connections.deselected.get(&klass) {
        return known.clone();
    }
    let mut found = Deselected::default();
    let mut stack: Vec<(KlassId, Vec<(FileId, Break)>)> = vec![(klass, Vec::new())];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some((k, above)) = stack.pop() {
        if !seen.insert(k) {
            continue;
        }
        if !above.is_empty() {
            found.insert(k, above.clone());
        }
        let Ok(members) = fl.cx.members(k) else { continue };
        let file = fl.cx.file(k);
        let ast = fl.cx.lib.ast(file);
        for &base in &members.bases {
            let mut list = above.clone();
            if let ClassBody::Long(body) = &ast.classes[fl.cx.lib.def(fl.cx.key(k).def).class].body {
                let def = fl.cx.key(base).def;
                for element in &body.elements {
                    let Element::Extends(ext) = element else { continue };
                    if ext.breaks.is_empty() {
                        continue;
                    }
                    let named = fl.cx.lookup_name(k, &ast, file, ext.base);
                    if named.is_ok_and(|n| fl.cx.key(n).def == def) {
                        list.extend(ext.breaks.iter().map(|b| (file, b.clone())));
                    }
                }
            }
            stack.push((base, list));
        }
    }
    let found = Arc::new(found);
    fl.connections.deselected.insert(klass, found.clone());
    found
}

/// Is there a connection in a class or its bases that an `extends` clause can leave out?
pub(crate) fn has_connection(fl: &mut Flattener<'_>, klass: KlassId, ast: &Ast, wanted: &Break) -> bool {
    let sections = instance::sections(fl, klass);
    sections.iter().any(|&k| {
        let own = fl.cx.ast(k);
        let class = &own.classes[fl.cx.lib.def(fl.cx.key(k).def).class];
        let ClassBody::Long(body) = &class.body else { return false };
        body.equations.iter().any(|s| any_connection(&own, &s.equations, ast, wanted))
    })
}

fn any_connection(own: &Ast, list: &[Equation], ast: &Ast, wanted: &Break) -> bool {
    list.iter().any(|e| match &e.kind {
        EquationKind::Connect(a, b) => matches_connection(ast, wanted, own, a, b),
        EquationKind::For { body, .. } => any_connection(own, body, ast, wanted),
        EquationKind::If { branches, otherwise } => {
            branches.iter().any(|(_, body)| any_connection(own, body, ast, wanted))
                || any_connection(own, otherwise, ast, wanted)
        }
        _ => false,
    })
}

fn matches_connection(of: &Ast, wanted: &Break, ast: &Ast, a: &ComponentRef, b: &ComponentRef) -> bool {
    match wanted {
        Break::Component(name) => [a, b]
            .iter()
            .any(|r| ast.lists.parts.get(r.parts).first().is_some_and(|p| p.name.symbol == name.symbol)),
        Break::Connect(x, y) => {
            let (x, y) = (written(of, x), written(of, y));
            let (a, b) = (written(ast, a), written(ast, b));
            (x == a && y == b) || (x == b && y == a)
        }
    }
}

/// A reference as it is written, without blanks.
fn written(ast: &Ast, reference: &ComponentRef) -> String {
    place::ref_text(ast, reference).split_whitespace().collect()
}
