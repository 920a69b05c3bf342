//! Interfaces of classes and functions, compared where one takes the place of another.

use std::sync::Arc;

use kausal_syntax::Symbol;
use kausal_syntax::ast::{Causality, ClassBody, Variability};

use crate::class::{Classes, ComponentInfo, Res};
use crate::flattener::Flattener;
use crate::functions::table::Signature;
use crate::ids::KlassId;
use crate::value;
use crate::value::Ty;

/// The inputs and outputs of a function.
pub fn signature(fl: &mut Flattener<'_>, k: KlassId) -> Res<Arc<Signature>> {
    if let Some(signature) = fl.functions.signatures.get(&k) {
        return signature.clone();
    }
    let signature = make_signature(fl.cx, k).map(Arc::new);
    fl.functions.signatures.insert(k, signature.clone());
    signature
}

pub(crate) fn make_signature(cx: &mut Classes, k: KlassId) -> Res<Signature> {
    let members = cx.members(k)?;
    let mut signature = Signature::default();
    for &i in &members.components {
        let info = cx.component(&members.items[i as usize])?;
        match info.causality {
            Causality::Input => signature.inputs.push(info),
            Causality::Output => signature.outputs.push(info),
            Causality::None => signature.locals.push(info),
        }
    }
    Ok(signature)
}

/// Why a function with some of its inputs bound cannot be called like another one (specification section 6.6).
pub(crate) fn function_misfit(
    fl: &mut Flattener<'_>,
    given: KlassId,
    bound: &[Symbol],
    wanted: KlassId,
) -> Option<String> {
    let (Ok(given), Ok(wanted)) = (signature(fl, given), signature(fl, wanted)) else { return None };
    for name in bound {
        if !given.inputs.iter().any(|i| i.name == *name) {
            return Some(format!("it has no input {name}"));
        }
    }
    let inputs: Vec<_> = given.inputs.iter().filter(|i| !bound.contains(&i.name)).cloned().collect();
    for (what, have, want) in
        [("input", &inputs, &wanted.inputs), ("output", &given.outputs, &wanted.outputs)]
    {
        for (i, w) in want.iter().enumerate() {
            let Some(h) = have.get(i) else {
                return Some(format!("it has no {what} {}", w.name));
            };
            let (a, b) = (interface_text(fl.cx, h), interface_text(fl.cx, w));
            if h.name != w.name {
                let order = if i == 0 { "first" } else { "next" };
                return Some(format!("its {order} {what} is {}, not {}", h.name, w.name));
            }
            let same = match (h.leaf, w.leaf) {
                (Some(x), Some(y)) => x.builtin == y.builtin,
                (None, None) => missing_members(fl.cx, w.klass, h.klass).is_empty(),
                _ => false,
            };
            if !same || h.dims.len() != w.dims.len() {
                return Some(format!("its {what} {} is {a}, not {b}", h.name));
            }
        }
    }
    let extra = inputs.get(wanted.inputs.len()..).unwrap_or_default();
    let extra = extra.iter().find(|i| i.binding.is_none())?;
    Some(format!("its input {} has no value then", extra.name))
}

pub(crate) fn interface_text(cx: &Classes, info: &ComponentInfo) -> String {
    let base = match info.leaf {
        Some(leaf) => type_name(cx, Ty::of(leaf.builtin)),
        None => cx.name(info.klass),
    };
    match info.dims.len() {
        0 => base,
        n => format!("{base}[{}]", vec![":"; n].join(", ")),
    }
}

/// The name of a type, that of an enumeration included.
pub fn type_name(cx: &Classes, ty: Ty) -> String {
    match ty {
        Ty::Enumeration(e) => cx.lib.full_name(e.def),
        other => other.text().to_owned(),
    }
}

/// Public components of `old` that `new` does not have; for built-in types the type itself.
pub(crate) fn missing_members(cx: &mut Classes, old: KlassId, new: KlassId) -> Vec<String> {
    match (cx.leaf(old), cx.leaf(new)) {
        (Some(a), Some(b)) if a.builtin == b.builtin => return Vec::new(),
        (None, None) => {}
        _ => return vec![format!("type {}", cx.name(old))],
    }
    if cx.is_broken(new) || cx.is_broken(old) {
        return Vec::new();
    }
    let (Ok(a), Ok(b)) = (cx.members(old), cx.members(new)) else { return Vec::new() };
    let public = a.components.iter().map(|&i| &a.items[i as usize]).filter(|m| !m.protected);
    let mut missing = Vec::new();
    for member in public {
        let Some(&at) = b.index.get(&member.name) else {
            missing.push(member.name.as_str().to_owned());
            continue;
        };
        // One of the same name must be of the same type.
        let (Ok(x), Ok(y)) = (cx.component(member), cx.component(&b.items[at as usize])) else {
            continue;
        };
        if let (Some(p), Some(q)) = (x.leaf, y.leaf)
            && p.builtin != q.builtin
        {
            let ty = type_name(cx, crate::value::Ty::of(p.builtin));
            missing.push(format!("{ty} {}", member.name));
        } else if x.dims.len() != y.dims.len() {
            let dimensions = value::dimensions_text(x.dims.len());
            missing.push(format!("{} with {dimensions}", member.name));
        } else if matches!((x.causality, y.causality), (Causality::Input, Causality::Output)) {
            missing.push(format!("input {}", member.name));
        } else if matches!((x.causality, y.causality), (Causality::Output, Causality::Input)) {
            missing.push(format!("output {}", member.name));
        } else if x.leaf.is_some()
            && x.variability <= Variability::Parameter
            && y.variability > Variability::Parameter
        {
            missing.push(format!("parameter {}", member.name));
        }
    }
    missing.truncate(3);
    missing
}

/// The partial class that a class is, by itself or as another name of it.
pub(crate) fn partial_base(cx: &mut Classes, klass: KlassId) -> Option<KlassId> {
    let mut at = klass;
    for _ in 0..100 {
        let class = cx.lib.class(cx.key(at).def);
        if class.partial {
            return Some(at);
        }
        if !matches!(class.body, ClassBody::Short(_)) {
            return None;
        }
        at = *cx.members(at).ok()?.bases.first()?;
    }
    None
}

/// More arguments than a function has inputs.
pub(crate) fn too_many_arguments(function: &str, inputs: usize) -> String {
    match inputs {
        0 => format!("{function} has no inputs"),
        1 => format!("{function} has only 1 input"),
        n => format!("{function} has only {n} inputs"),
    }
}
