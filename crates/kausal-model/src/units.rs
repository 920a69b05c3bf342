//! Do equations, values, arguments and connections have the units they should have (specification chapter 19)?
//!
//! Classes decide, not instances: a class with its modifiers is looked at once, however many components have it, together with
//! the classes of its components and the functions it calls. Nothing is evaluated and nothing changes; what is found are
//! warnings.
//!
//! ```text
//! symbols      "kg.m2/s3" → exponents of base units, factor, offset
//! measure      units of expressions: sums, products, powers; when two of them clash
//! expression   an expression of a class → its unit
//! call         the same for calls: built-in operators, functions, records
//! check        equations, statements, values of declarations, connections
//! ```
//!
//! What has no unit is of any unit, and so is what is computed from it. A number that is written down is of any unit in a sum;
//! in a product it has none. What is multiplied by such a number has no certain scale any more (`1000*x` may be a
//! conversion from m to mm), only a dimension. A constant or variable without a unit has that of its binding. An angle is a
//! number without a unit.

mod call;
mod check;
mod expression;
mod measure;
pub mod symbols;

use std::collections::VecDeque;

use kausal_syntax::{Diagnostic, Location, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::Classes;
use crate::ids::KlassId;
use crate::library::{DefId, FileId};
use crate::modifier::ModsId;
use crate::units::measure::Unit;

/// The unit warnings of a class: of its equations and algorithms, the declarations of its components and theirs, and the
/// functions it calls.
pub fn check(cx: &mut Classes, klass: KlassId) -> Vec<Diagnostic> {
    let said = cx.diagnostics.len();
    let mut checker = Checker {
        cx,
        found: Vec::new(),
        told: FxHashSet::default(),
        seen: FxHashSet::default(),
        todo: VecDeque::from([(klass, Vec::new())]),
        declared: FxHashMap::default(),
        inferring: 0,
        locals: Vec::new(),
    };
    checker.run();
    let found = std::mem::take(&mut checker.found);
    // What is wrong with classes besides is said where they are used.
    cx.diagnostics.truncate(said);
    found
}

/// The same, but only what is said about texts of the user: those of the library the class belongs to.
pub fn check_own(cx: &mut Classes, klass: KlassId) -> Vec<Diagnostic> {
    let found = check(cx, klass);
    let own = cx.ast(klass).source;
    let top = cx.lib.top_of(own);
    let is_own = |d: &Diagnostic| {
        let source = d.labels.first().map(|l| l.location.source);
        source == Some(own) || source.and_then(|s| cx.lib.top_of(s)) == top
    };
    found.into_iter().filter(is_own).collect()
}

/// Looks at classes.
struct Checker<'c> {
    cx: &'c mut Classes,
    found: Vec<Diagnostic>,
    /// Places that were reported.
    told: FxHashSet<Location>,
    seen: FxHashSet<KlassId>,
    /// Classes to look at, each with the definitions of those around it.
    todo: VecDeque<(KlassId, Vec<DefId>)>,
    /// Units of types.
    declared: FxHashMap<ModsId, Unit>,
    /// How many bindings are being followed to infer a unit.
    inferring: u32,
    /// Loop variables, innermost last.
    locals: Vec<(Symbol, Unit)>,
}

/// Where names are looked up.
#[derive(Clone, Copy, Debug)]
struct Scope {
    klass: KlassId,
    file: FileId,
}
