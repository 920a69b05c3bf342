//! A class looked at without flattening it: its bases and components level by level, their annotations, and what
//! expressions in them are worth. Drawings, documentation and editors ask here.
//!
//! A [`View`] grows the instance tree only where somebody looks. Nothing is ever an error here: what cannot be evaluated
//! has no value, and what the evaluation complains of is dropped (checking a model says it). Annotations are trees of the
//! file they are written in, with the [`Scope`] in which their expressions have a meaning.

use std::sync::Arc;

use kausal_symbolic::{ExprId, Node as Expression, Op};
use kausal_syntax::ast::{ClassBody, ClassKind, Element, Expr, ModId};
use kausal_syntax::{Ast, Symbol, ast};

use crate::annotation::annotation_modify;
use crate::class::{Classes, ComponentInfo, Member, MemberKind};
use crate::flattener::Flattener;
use crate::ids::{InstId, KlassId};
use crate::library::FileId;
use crate::prelude::Builtin;
use crate::tree::Scope;
use crate::value::{Ty, Value};
use crate::{class, flatten, fold, instance, tree};

/// A value without any expression left in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A number.
    Number(f64),
    /// `true` or `false`
    Boolean(bool),
    /// A text.
    Text(String),
    /// A value of an enumeration, without the name of its type.
    Literal(String),
    /// An array.
    Array(Vec<Datum>),
}

/// One class of an inheritance tree, bases first.
#[derive(Clone, Debug)]
pub struct Level {
    /// The class.
    pub klass: KlassId,
    /// The instance whose components it describes.
    pub inst: InstId,
    /// Its file.
    pub file: FileId,
    /// Its bases, each with the annotation of the `extends` clause, which is in the file of this class.
    pub bases: Vec<(Level, Option<ModId>)>,
}

/// An annotation and where its expressions are evaluated.
#[derive(Clone)]
pub struct Annotation {
    /// The tree it is in.
    pub ast: Arc<Ast>,
    /// The modification: `(arguments) = value`.
    pub modification: ModId,
    /// Where its names are looked up.
    pub scope: Scope,
}

/// Values of variables at an instant, by name.
pub type Instant<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// How deep an expression is followed when it is evaluated at an instant.
const MAX_DEPTH: u32 = 500;

/// A class and the components it is made of.
pub struct View<'w> {
    flattener: Flattener<'w>,
    root: InstId,
}

impl<'w> View<'w> {
    /// Looks at the class with this full name.
    pub fn new(classes: &'w mut Classes, path: &str) -> Option<View<'w>> {
        let klass = classes.by_path(path)?;
        let mut flattener = Flattener::new(classes);
        flattener.peeking = true;
        let root = flatten::root_instance(&mut flattener, klass);
        Some(View { flattener, root })
    }

    /// The instance at the top.
    pub fn root(&self) -> InstId {
        self.root
    }

    /// All classes.
    pub fn classes(&mut self) -> &mut Classes {
        self.flattener.cx
    }

    /// Does something; what is wrong with classes meanwhile is not kept.
    fn quietly<T>(&mut self, f: impl FnOnce(&mut Flattener<'w>) -> T) -> T {
        let mark = self.flattener.cx.diagnostics.len();
        let depth = self.flattener.depth;
        let locals = self.flattener.locals.len();
        let result = f(&mut self.flattener);
        self.flattener.depth = depth;
        self.flattener.locals.truncate(locals);
        self.flattener.cx.diagnostics.truncate(mark);
        result
    }

    /// The class of an instance.
    pub fn klass(&self, inst: InstId) -> KlassId {
        self.flattener.inst(inst).klass
    }

    /// The last part of the name of a class.
    pub fn short_name(&self, klass: KlassId) -> &'static str {
        let cx = &*self.flattener.cx;
        cx.lib.class(cx.key(klass).def).name.symbol.as_str()
    }

    /// The full name of a class.
    pub fn full_name(&self, klass: KlassId) -> String {
        self.flattener.cx.name(klass)
    }

    /// The name of an instance in its owner.
    pub fn name(&self, inst: InstId) -> Symbol {
        self.flattener.inst(inst).name
    }

    /// The path of an instance: `a.b.c`; empty at the top.
    pub fn path(&self, inst: InstId) -> String {
        self.flattener.path(inst)
    }

    /// How an instance is declared; nothing at the top.
    pub fn info(&self, inst: InstId) -> Option<Arc<ComponentInfo>> {
        self.flattener.inst(inst).info.clone()
    }

    /// What kind of class a class is.
    pub fn kind(&mut self, klass: KlassId) -> ClassKind {
        self.quietly(|f| f.cx.deep_kind(klass))
    }

    /// Is the instance a connector?
    pub fn is_connector(&mut self, inst: InstId) -> bool {
        let klass = self.klass(inst);
        matches!(self.kind(klass), ClassKind::Connector | ClassKind::ExpandableConnector)
    }

    /// The class of an instance and its bases.
    pub fn levels(&mut self, inst: InstId) -> Level {
        let klass = self.klass(inst);
        self.quietly(|f| level(f, inst, klass, 0))
    }

    /// The components a level declares itself, in order.
    pub fn components(&mut self, level: &Level) -> Vec<InstId> {
        let (inst, klass) = (level.inst, level.klass);
        self.quietly(|f| {
            let of = f.inst(inst).klass;
            let Ok(members) = f.cx.members(of) else { return Vec::new() };
            let Ok(first) = instance::expand(f, inst) else { return Vec::new() };
            let own = |(slot, &i): (usize, &u32)| {
                (members.items[i as usize].origin == klass).then(|| InstId(first.0 + slot as u32))
            };
            members.components.iter().enumerate().filter_map(own).collect()
        })
    }

    /// A component of an instance, own or inherited.
    pub fn component(&mut self, inst: InstId, name: Symbol) -> Option<InstId> {
        self.quietly(|f| instance::child(f, inst, name).ok().flatten())
    }

    /// Where the expressions of a level are evaluated.
    pub fn scope(&self, level: &Level) -> Scope {
        let locals = self.flattener.locals.len() as u32;
        Scope { klass: level.klass, inst: level.inst, file: level.file, locals }
    }

    /// The tree of a file.
    pub fn ast(&self, file: FileId) -> Arc<Ast> {
        self.flattener.cx.lib.ast(file)
    }

    /// An annotation such as `Icon` of the class of a level.
    pub fn class_annotation(&mut self, level: &Level, name: &str) -> Option<Annotation> {
        let ast = self.ast(level.file);
        let def = self.flattener.cx.lib.def(self.flattener.cx.key(level.klass).def).class;
        let modification = annotation_modify(&ast, ast.classes[def].description.annotation, name)?;
        Some(Annotation { ast, modification, scope: self.scope(level) })
    }

    /// The description of the class of a level.
    pub fn class_description(&self, level: &Level) -> String {
        let ast = self.ast(level.file);
        let def = self.flattener.cx.lib.def(self.flattener.cx.key(level.klass).def).class;
        ast.description(&ast.classes[def].description)
    }

    /// The declaration of a class.
    pub fn class_body<'a>(&self, level: &Level, ast: &'a Ast) -> &'a ClassBody {
        &ast.classes[self.flattener.cx.lib.def(self.flattener.cx.key(level.klass).def).class].body
    }

    /// An annotation of a component, from the declaration that counts, else from the one it replaces.
    pub fn component_annotation(
        &mut self,
        level: &Level,
        component: InstId,
        name: &str,
    ) -> Option<Annotation> {
        let info = self.info(component)?;
        let ast = self.ast(info.file);
        let scope = self.scope(level);
        let declared = ast.components[info.component].description.annotation;
        if let Some(modification) = annotation_modify(&ast, declared, name) {
            return Some(Annotation { ast, modification, scope: Scope { file: info.file, ..scope } });
        }
        let original = self.member(level, component)?;
        let MemberKind::Component(id) = original.kind else { return None };
        let file = self.flattener.cx.file(original.origin);
        let ast = self.ast(file);
        let declared = ast.components[id].description.annotation;
        let modification = annotation_modify(&ast, declared, name)?;
        Some(Annotation { ast, modification, scope: Scope { file, ..scope } })
    }

    /// The description of a component.
    pub fn component_description(&mut self, level: &Level, component: InstId) -> String {
        let Some(info) = self.info(component) else { return String::new() };
        let ast = self.ast(info.file);
        let text = ast.description(&ast.components[info.component].description);
        if !text.is_empty() {
            return text;
        }
        let Some(original) = self.member(level, component) else { return text };
        let MemberKind::Component(id) = original.kind else { return text };
        let ast = self.ast(self.flattener.cx.file(original.origin));
        ast.description(&ast.components[id].description)
    }

    fn member(&mut self, level: &Level, component: InstId) -> Option<Member> {
        let (of, name) = (self.klass(level.inst), self.name(component));
        self.quietly(|f| {
            let members = f.cx.members(of).ok()?;
            Some(members.items[*members.index.get(&name)? as usize])
        })
    }

    /// Does a component exist? `None` where that cannot be known here.
    pub fn is_enabled(&mut self, component: InstId) -> Option<bool> {
        let info = self.info(component)?;
        let Some(place) = info.condition else { return Some(true) };
        self.quietly(|f| {
            let scope = instance::place_scope(f, component, &place);
            let value = f.eval(scope, place.expr).ok()?;
            let folded = fold::peek(f, value.as_scalar()?)?;
            f.pool.as_constant(folded).map(|x| x != 0.0)
        })
    }

    /// The dimensions of an array of components as they are written: `[3, n]`; empty for a scalar.
    pub fn dimensions(&mut self, component: InstId) -> String {
        let Some(info) = self.info(component) else { return String::new() };
        let words: Vec<String> = info.dims.iter().map(|place| self.source(place.file, place.expr)).collect();
        if words.is_empty() { String::new() } else { format!("[{}]", words.join(", ")) }
    }

    /// The text of an expression.
    pub fn source(&self, file: FileId, expr: ast::ExprId) -> String {
        let ast = self.flattener.cx.lib.ast_ref(file);
        let span = ast.span(expr);
        ast.text[span.start as usize..span.end as usize].to_owned()
    }

    /// What an expression is worth. With an instant, variables have the values they have then and `DynamicSelect` gives
    /// its second argument (specification section 18.7); without one it gives the first.
    pub fn evaluate(&mut self, scope: Scope, expr: ast::ExprId, at: Option<Instant<'_>>) -> Option<Datum> {
        let ast = self.ast(scope.file);
        if let Some(datum) = self.plain(&ast, scope, expr, at) {
            return Some(datum);
        }
        self.quietly(|f| {
            let value = f.eval(scope, expr).ok()?;
            datum(f, &value, at)
        })
    }

    /// What needs no lookup, and `DynamicSelect`.
    fn plain(
        &mut self,
        ast: &Ast,
        scope: Scope,
        expr: ast::ExprId,
        at: Option<Instant<'_>>,
    ) -> Option<Datum> {
        match ast.exprs[expr] {
            Expr::Integer(i) => Some(Datum::Number(i as f64)),
            Expr::Real(x) => Some(Datum::Number(x)),
            Expr::Boolean(b) => Some(Datum::Boolean(b)),
            Expr::String(s) => Some(Datum::Text(ast.string(s).into_owned())),
            Expr::Unary(op, a) => match (op, self.evaluate(scope, a, at)?) {
                (ast::UnaryOp::Minus, Datum::Number(x)) => Some(Datum::Number(-x)),
                (ast::UnaryOp::Plus, Datum::Number(x)) => Some(Datum::Number(x)),
                (ast::UnaryOp::Not, Datum::Boolean(b)) => Some(Datum::Boolean(!b)),
                _ => None,
            },
            Expr::Array(items) => {
                let items = ast.lists.exprs.get(items);
                let all: Option<Vec<Datum>> = items.iter().map(|&e| self.evaluate(scope, e, at)).collect();
                all.map(Datum::Array)
            }
            Expr::Matrix(rows) => {
                let rows = ast.lists.rows.get(rows);
                let row = |this: &mut Self, row: kausal_syntax::arena::List<ast::ExprId>| {
                    let items = ast.lists.exprs.get(row);
                    let all: Option<Vec<Datum>> =
                        items.iter().map(|&e| this.evaluate(scope, e, at)).collect();
                    all.map(Datum::Array)
                };
                let all: Option<Vec<Datum>> = rows.iter().map(|&r| row(self, r)).collect();
                all.map(Datum::Array)
            }
            Expr::If { branches, otherwise } => {
                for &(condition, value) in ast.lists.branches.get(branches) {
                    match self.evaluate(scope, condition, at)? {
                        Datum::Boolean(true) => return self.evaluate(scope, value, at),
                        Datum::Boolean(false) => {}
                        _ => return None,
                    }
                }
                self.evaluate(scope, otherwise, at)
            }
            Expr::Ref(reference) => graphical(ast, &reference),
            Expr::Call { function, args } => {
                let [name] = ast.lists.parts.get(function.parts) else { return None };
                if name.name.symbol.as_str() != "DynamicSelect" {
                    return None;
                }
                let args = ast.lists.args.get(args);
                let (first, second) = (args.first()?.value, args.get(1)?.value);
                if at.is_some()
                    && let Some(value) = self.evaluate(scope, second, at)
                {
                    return Some(value);
                }
                self.evaluate(scope, first, None)
            }
            _ => None,
        }
    }

    /// A parameter by its path seen from an instance: `R`, `data.k`.
    pub fn find(&mut self, from: InstId, path: &str) -> Option<InstId> {
        let mut at = from;
        for part in crate::lookup::split_path(path) {
            let (name, element) = match part.split_once('[') {
                Some((name, rest)) => (name, rest.trim_end_matches(']').trim().parse::<usize>().ok()),
                None => (part, None),
            };
            let next = self.component(at, Symbol::new(name))?;
            at = match element {
                None => next,
                Some(k) => self.quietly(|f| {
                    instance::resolve(f, next).ok()?;
                    match &f.inst(next).node {
                        tree::Node::Array(_, elements) => elements.get(k.checked_sub(1)?).copied(),
                        _ => Some(next),
                    }
                })?,
            };
        }
        Some(at)
    }

    /// What a parameter or constant is worth.
    pub fn value(&mut self, inst: InstId, at: Option<Instant<'_>>) -> Option<Datum> {
        self.quietly(|f| {
            let value = match f.binding(inst).ok()? {
                Some(value) => value,
                None => {
                    let e = fold::start_value(f, inst, 0).ok()??;
                    let leaf = f.inst(inst).info.as_ref().and_then(|i| i.leaf)?;
                    Arc::new(Value::scalar(Ty::of(leaf.builtin), e))
                }
            };
            datum(f, &value, at)
        })
    }

    /// The text of the value an instance is given.
    pub fn value_source(&mut self, inst: InstId) -> Option<String> {
        let place = self.quietly(|f| f.own_binding(inst))?;
        Some(self.source(place.file, place.expr))
    }

    /// An attribute of a variable that is a text: `unit`, `displayUnit`, `quantity`.
    pub fn text_attribute(&mut self, inst: InstId, name: &str) -> Option<String> {
        self.quietly(|f| {
            let _ = instance::resolve(f, inst);
            let value = fold::attribute(f, inst, Symbol::new(name)).ok()??;
            match datum(f, &value, None)? {
                Datum::Text(text) => Some(text),
                Datum::Array(items) => match items.into_iter().next()? {
                    Datum::Text(text) => Some(text),
                    _ => None,
                },
                _ => None,
            }
        })
    }

    /// An attribute of a variable: `min`, `fixed`, …
    pub fn attribute(&mut self, inst: InstId, name: &str) -> Option<Datum> {
        self.quietly(|f| {
            let _ = instance::resolve(f, inst);
            let value = fold::attribute(f, inst, Symbol::new(name)).ok()??;
            datum(f, &value, None)
        })
    }

    /// The text of the value a component is declared with, whatever modifies it.
    pub fn declared_source(&self, component: InstId) -> Option<String> {
        let info = self.info(component)?;
        let ast = self.flattener.cx.lib.ast_ref(info.file);
        match ast.modifications[ast.components[info.component].modification?].binding {
            ast::Binding::Expr(e) => Some(self.source(info.file, e)),
            _ => None,
        }
    }

    /// The replaceable classes a level declares itself and that can be seen: name, kind, constraining class, description.
    pub fn replaceable_classes(&mut self, level: &Level) -> Vec<(Symbol, ClassKind, String, String)> {
        let ast = self.ast(level.file);
        let ClassBody::Long(body) = self.class_body(level, &ast) else { return Vec::new() };
        let mut out = Vec::new();
        for element in &body.elements {
            let Element::Class(id) = element else { continue };
            let class = &ast.classes[*id];
            if !class.prefixes.replaceable || class.prefixes.protected {
                continue;
            }
            let base = match (&class.constraint, &class.body) {
                (Some(constraint), _) => ast.name_text(constraint.base),
                (None, ClassBody::Short(short)) => ast.name_text(short.base),
                _ => class.name.symbol.as_str().to_owned(),
            };
            let constraint = self.lookup(level, &base).map_or(base, |k| self.full_name(k));
            out.push((class.name.symbol, class.kind, constraint, ast.description(&class.description)));
        }
        out
    }

    /// The literals of the enumeration an instance is of, with the full name of that.
    pub fn literals(&self, inst: InstId) -> Option<(String, Vec<(String, String)>)> {
        let leaf = self.info(inst)?.leaf?;
        let Builtin::Enumeration(of) = leaf.builtin else { return None };
        let cx = &*self.flattener.cx;
        let ClassBody::Enumeration(Some(literals)) = &cx.lib.class(of.def).body else { return None };
        let ast = cx.lib.ast_ref(cx.lib.def(of.def).file);
        let all =
            literals.iter().map(|l| (l.name.symbol.as_str().to_owned(), ast.description(&l.description)));
        Some((cx.lib.full_name(of.def), all.collect()))
    }

    /// The classes written in the class at the top or stored in its folder, with their descriptions.
    pub fn children(&mut self) -> Vec<(Symbol, ClassKind, String)> {
        let klass = self.klass(self.root);
        let def = self.flattener.cx.key(klass).def;
        let lib = &mut self.flattener.cx.lib;
        let mut names = lib.child_names(def);
        let order = ordered(lib, def);
        names.sort_by_key(|n| order.iter().position(|o| o == n).unwrap_or(usize::MAX));
        let mut out = Vec::new();
        for name in names {
            let Some(child) = lib.child(def, name) else { continue };
            let file = lib.def(child).file;
            let class = lib.class(child);
            let description = lib.ast_ref(file).description(&class.description);
            out.push((name, class.kind, description));
        }
        out
    }

    /// The class a name stands for in the scope of a level.
    pub fn lookup(&mut self, level: &Level, name: &str) -> Option<KlassId> {
        let klass = level.klass;
        self.quietly(|f| {
            let mut parts = crate::lookup::split_path(name).into_iter();
            let mut found = f.cx.find(klass, Symbol::new(parts.next()?))?;
            for part in parts {
                let class::Found::Class(k) = found else { return None };
                found = f.cx.step(k, Symbol::new(part))?;
            }
            match found {
                class::Found::Class(k) => Some(k),
                class::Found::Component { .. } => None,
            }
        })
    }
}

/// The classes of a package in the order they are written in.
fn ordered(lib: &crate::library::Library, def: crate::library::DefId) -> Vec<Symbol> {
    let ClassBody::Long(body) = &lib.class(def).body else { return Vec::new() };
    let ast = lib.ast_ref(lib.def(def).file);
    let name = |e: &Element| match e {
        Element::Class(id) => Some(ast.classes[*id].name.symbol),
        _ => None,
    };
    body.elements.iter().filter_map(name).collect()
}

fn level(f: &mut Flattener<'_>, inst: InstId, klass: KlassId, depth: u32) -> Level {
    let file = f.cx.file(klass);
    let mut bases = Vec::new();
    if depth < MAX_DEPTH
        && let Ok(members) = f.cx.members(klass)
    {
        for (&base, &annotation) in members.bases.iter().zip(&members.base_annotations) {
            bases.push((level(f, inst, base, depth + 1), annotation));
        }
    }
    Level { klass, inst, file, bases }
}

/// The enumerations of chapter 18, which no library declares.
const GRAPHICAL: [&str; 9] = [
    "LinePattern",
    "FillPattern",
    "BorderPattern",
    "Smooth",
    "EllipseClosure",
    "Arrow",
    "TextStyle",
    "TextAlignment",
    "Color",
];

fn graphical(ast: &Ast, reference: &ast::ComponentRef) -> Option<Datum> {
    let [owner, literal] = ast.lists.parts.get(reference.parts) else { return None };
    if !GRAPHICAL.contains(&owner.name.symbol.as_str()) {
        return None;
    }
    match (owner.name.symbol.as_str(), literal.name.symbol.as_str()) {
        ("Color", "Black") => Some(Datum::Array(vec![Datum::Number(0.0); 3])),
        (_, name) => Some(Datum::Literal(name.to_owned())),
    }
}

/// A value as data.
fn datum(f: &mut Flattener<'_>, value: &Value, at: Option<Instant<'_>>) -> Option<Datum> {
    let Value::Plain(ty, array) = value else { return None };
    let mut scalars = Vec::with_capacity(array.data().len());
    for &e in array.data() {
        scalars.push(scalar(f, *ty, e, at)?);
    }
    Some(shaped(array.shape(), scalars))
}

fn shaped(shape: &[usize], mut scalars: Vec<Datum>) -> Datum {
    match shape {
        [] if !scalars.is_empty() => scalars.swap_remove(0),
        [] | [_] => Datum::Array(scalars),
        [_, rest @ ..] => {
            let size = rest.iter().product::<usize>().max(1);
            let mut parts = Vec::new();
            while !scalars.is_empty() {
                let tail = scalars.split_off(size.min(scalars.len()));
                parts.push(shaped(rest, scalars));
                scalars = tail;
            }
            Datum::Array(parts)
        }
    }
}

fn scalar(f: &mut Flattener<'_>, ty: Ty, e: ExprId, at: Option<Instant<'_>>) -> Option<Datum> {
    let folded = match fold::peek(f, e) {
        Some(folded) => folded,
        None => numeric(f, e, at?, 0)?,
    };
    match f.pool.node(folded) {
        Expression::Text(text) => Some(Datum::Text(f.pool.text_of(text).to_owned())),
        Expression::Const(x) => Some(match ty {
            Ty::Boolean => Datum::Boolean(x != 0.0),
            Ty::Enumeration(of) => Datum::Literal(literal_name(f, Builtin::Enumeration(of), x)?),
            _ => Datum::Number(x),
        }),
        _ => None,
    }
}

/// The name of the value of an enumeration.
fn literal_name(f: &Flattener<'_>, of: Builtin, x: f64) -> Option<String> {
    let Builtin::Enumeration(of) = of else { return None };
    let ClassBody::Enumeration(Some(literals)) = &f.cx.lib.class(of.def).body else { return None };
    Some(literals.get((x as usize).checked_sub(1)?)?.name.symbol.as_str().to_owned())
}

/// The value of an expression at an instant.
fn numeric(f: &mut Flattener<'_>, e: ExprId, at: Instant<'_>, depth: u32) -> Option<ExprId> {
    if depth > MAX_DEPTH {
        return None;
    }
    match f.pool.node(e) {
        Expression::Const(_) | Expression::Text(_) => Some(e),
        Expression::Var(var) => {
            let name = instance::variable_name(f, var);
            match at(&name) {
                Some(x) => Some(f.pool.constant(x)),
                None => fold::peek(f, e),
            }
        }
        Expression::Op(Op::Time, _) => at("time").map(|t| f.pool.constant(t)),
        Expression::Op(Op::NoEvent | Op::Homotopy, args) => {
            let first = *args.first()?;
            numeric(f, first, at, depth + 1)
        }
        Expression::Op(op, args) => {
            let args = args.to_vec();
            if op == Op::If {
                let condition = numeric(f, *args.first()?, at, depth + 1)?;
                let holds = f.pool.as_constant(condition)? != 0.0;
                return numeric(f, *args.get(if holds { 1 } else { 2 })?, at, depth + 1);
            }
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                values.push(numeric(f, arg, at, depth + 1)?);
            }
            let replaced = f.pool.op(op, &values);
            fold::peek(f, replaced)
        }
        Expression::Output(call, k) => {
            let Expression::Call(function, args) = f.pool.node(call) else { return None };
            let args = args.to_vec();
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                values.push(numeric(f, arg, at, depth + 1)?);
            }
            f.run_function(function, &values).ok()?.get(k as usize).copied()
        }
        Expression::Call(..) => None,
    }
}
