//! The functions of a flat model as nested classes of its text.
//!
//! An expression can use one scalar of all that a call gives; Modelica text cannot. A small function that makes the call
//! picks it. Nor can Modelica text take an element of anything but a variable: a function does that too
//! (`'Integer[:][i]'({2, 3, 5}, k)`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use kausal_symbolic::function::evaluator::output_type;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::print::print_function;
use kausal_symbolic::function::typing::{TermType, term_types};
use kausal_symbolic::function::{
    ArrayFn, Body, Dim, Function, LocalId, Reduction, Scalar, Stmt, Subscript, Target, Term, TermId,
};
use kausal_symbolic::{FunctionId, Op, Pool};
use rustc_hash::FxHashSet;

use crate::builtins::operator_name;
use crate::flat::FlatModel;
use crate::print::names::{bare, identifier, nested_name};

/// Functions and their names in the text.
pub struct Functions {
    /// The functions of the model under their ids, and behind them those that pick results.
    pool: Pool,
    names: Vec<String>,
    /// The names of the classes of external objects.
    pub classes: Vec<String>,
    /// Their constructors and destructors.
    members: BTreeSet<FunctionId>,
    taken: FxHashSet<String>,
    used: BTreeSet<FunctionId>,
    /// Functions that take elements of arrays: what the elements are, and the kinds of the subscripts.
    elements: BTreeMap<(&'static str, Vec<Taken>), FunctionId>,
    selectors: BTreeMap<(FunctionId, u32), FunctionId>,
    outputs: BTreeMap<(FunctionId, u32), FunctionId>,
}

impl Functions {
    /// The functions of a model; names already in use are given.
    pub fn new(flat: &FlatModel, taken: &mut FxHashSet<String>) -> Self {
        let mut pool = Pool::new();
        let mut names = Vec::new();
        let classes: Vec<String> =
            flat.external_objects.iter().map(|o| nested_name(flat, &o.name, taken)).collect();
        let class =
            |path: &str| flat.external_objects.iter().position(|o| o.name == path).map(|i| &classes[i]);
        for (_, function) in flat.pool.functions() {
            let mut function = function.clone();
            function.notes.external_classes.retain_mut(|(_, name)| match class(name) {
                Some(known) => {
                    name.clone_from(known);
                    true
                }
                None => false,
            });
            // Functions made by differentiation may use a name twice.
            let mut seen = BTreeSet::new();
            for local in &mut function.locals {
                local.name = bare(&local.name);
                while !seen.insert(local.name.clone()) {
                    local.name.push('_');
                }
            }
            let constructed = function.notes.constructs.as_deref().and_then(class);
            names.push(match operator_name(&function) {
                Some(name) => name.to_owned(),
                None if constructed.is_some() => constructed.cloned().unwrap_or_default(),
                None if function.notes.apart.is_some() => {
                    let of = function.notes.apart.map_or(0, |apart| apart.of.0 as usize);
                    names.get(of).cloned().unwrap_or_default()
                }
                None => nested_name(flat, &function.name, taken),
            });
            pool.add_function(function);
        }
        Functions {
            pool,
            names,
            classes,
            members: flat
                .external_objects
                .iter()
                .flat_map(|o| [o.constructor, o.destructor])
                .flatten()
                .collect(),
            taken: std::mem::take(taken),
            used: BTreeSet::new(),
            elements: BTreeMap::new(),
            selectors: BTreeMap::new(),
            outputs: BTreeMap::new(),
        }
    }

    /// The function itself, for one that a single call has for itself.
    fn original(&self, id: FunctionId) -> FunctionId {
        self.pool.function(id).notes.apart.map_or(id, |apart| apart.of)
    }

    /// The name of a function.
    pub fn name(&self, id: FunctionId) -> &str {
        &self.names[id.0 as usize]
    }

    /// Takes note of a call in an equation. What asks to be inlined and stands there was kept on purpose.
    pub fn call(&mut self, id: FunctionId) {
        let id = self.original(id);
        let function = self.pool.function(id);
        if operator_name(function).is_some() {
            return;
        }
        self.used.insert(id);
        if function.notes.inline == Some(true) && !function.notes.kept {
            let mut function = function.clone();
            function.notes.kept = true;
            self.pool.set_function(id, function);
        }
    }

    /// The name of the function that gives one scalar of all results; none if there is only one.
    pub fn selector(&mut self, id: FunctionId, k: u32) -> Option<&str> {
        let id = self.original(id);
        let layout = Layout::of_outputs(self.pool.function(id))?;
        // The first result is what an operator is worth in an expression.
        if k == 0 && operator_name(self.pool.function(id)).is_some() {
            return None;
        }
        if layout.len == 1 && layout.entries.iter().all(|e| e.shape.is_empty()) {
            return None;
        }
        let selector = match self.selectors.get(&(id, k)) {
            Some(&known) => known,
            None => {
                let (entry, offset) = layout.find(k as usize)?;
                let at = self.pool.function(id).outputs.iter().position(|&o| o == entry.local)?;
                let subscripts = crate::instance::subscripts_of(offset, &entry.shape);
                let new = self.picking(id, at, &subscripts, format!("[{}]", k + 1));
                self.selectors.insert((id, k), new);
                new
            }
        };
        self.used.insert(selector);
        Some(&self.names[selector.0 as usize])
    }

    /// A function that calls another and gives one of its outputs, or an element of it.
    fn picking(&mut self, id: FunctionId, output: usize, subscripts: &[usize], suffix: String) -> FunctionId {
        let called = self.pool.function(id);
        let name = bare(&self.names[id.0 as usize]) + &suffix;
        let mut f = Function::named(&name);
        // What it picks still changes at events.
        f.notes.generate_events = called.notes.generate_events;
        f.notes.impure = called.notes.impure;
        let mut args = Vec::new();
        for &input in &called.inputs {
            let local = called.local(input).clone();
            let dims: Vec<_> = local.dims.iter().map(|d| known_or_open(*d)).collect();
            let new = f.input(&local.name, local.scalar, &dims);
            let classes = &called.notes.external_classes;
            if let Some((_, class)) = classes.iter().find(|(local, _)| *local == input) {
                f.notes.external_classes.push((new, class.clone()));
            }
            args.push(new);
        }
        let result = called.local(called.outputs[output]).clone();
        let dims: Vec<_> = result.dims.iter().map(|d| known_or_open(*d)).collect();
        let own = if subscripts.is_empty() { dims.clone() } else { Vec::new() };
        let y = f.output(&free_name(&f, "result"), result.scalar, &own);
        let receiver =
            if subscripts.is_empty() { y } else { f.protected(&free_name(&f, "all"), result.scalar, &dims) };
        let args: Vec<_> = args.into_iter().map(|a| f.local_term(a)).collect();
        let call = f.add(Term::Call(id, args, 0));
        let mut targets: Vec<Option<Target>> = vec![None; output + 1];
        targets[output] = Some(Target::whole(receiver));
        f.push(Stmt::AssignCall(targets, call));
        if !subscripts.is_empty() {
            let all = f.local_term(receiver);
            let index: Vec<_> = subscripts.iter().map(|&s| f.number(s as f64)).collect();
            let element = f.index(all, &index);
            f.push(Stmt::assign(y, element));
        }
        let name = self.free_name(name);
        self.names.push(name);
        self.pool.add_function(f)
    }

    /// The text of all functions used, in the order of their names.
    pub fn print(&mut self) -> String {
        let mut list: Vec<FunctionId> = self.used.union(&self.members).copied().collect();
        let mut at = 0;
        while let Some(&id) = list.get(at) {
            at += 1;
            self.with_single_outputs(id);
            self.with_elements(id);
            for called in calls(self.pool.function(id)) {
                if self.used.insert(called) {
                    list.push(called);
                }
            }
        }
        // Constructors are printed with their classes.
        let constructs = |id: FunctionId| self.classes.contains(&self.names[id.0 as usize]);
        list.retain(|&id| !constructs(id) && !self.members.contains(&id));
        list.sort_by(|a, b| self.names[a.0 as usize].cmp(&self.names[b.0 as usize]));
        let name = |id: FunctionId| self.names[id.0 as usize].clone();
        list.into_iter().map(|id| print_function(&self.pool, id, &name)).collect()
    }

    /// The text of the classes of external objects.
    pub fn print_classes(&self, flat: &FlatModel) -> String {
        let mut text = String::new();
        for (object, class) in flat.external_objects.iter().zip(&self.classes) {
            let _ = writeln!(text, "class {class}\n  extends ExternalObject;");
            for (id, name) in [(object.constructor, "constructor"), (object.destructor, "destructor")] {
                let Some(own) = id else { continue };
                let names = |id: FunctionId| {
                    if id == own { name.to_owned() } else { self.names[id.0 as usize].clone() }
                };
                for line in print_function(&self.pool, own, &names).lines() {
                    let _ = writeln!(text, "  {line}");
                }
            }
            let _ = writeln!(text, "end {class};");
        }
        text
    }

    /// Elements of what is not a variable are taken by functions.
    fn with_elements(&mut self, id: FunctionId) {
        let indexed = |f: &Function, i: usize| match &f.terms[i] {
            Term::Index(array, list) if !matches!(f.term(*array), Term::Local(_)) => {
                Some((*array, list.clone()))
            }
            _ => None,
        };
        let function = self.pool.function(id);
        let places: Vec<_> = reachable(function)
            .into_iter()
            .filter_map(|i| indexed(function, i).map(|(array, list)| (i, array, list)))
            .collect();
        if places.is_empty() {
            return;
        }
        let output = |called: FunctionId, n: u32| output_type(self.pool.get_function(called)?, n);
        let Ok(types) = term_types(function, &output) else { return };
        let booleans = booleans(&self.pool, function, &types);
        let mut function = function.clone();
        for (i, array, list) in places {
            let mut ty = types[array.0 as usize];
            if booleans.contains(&i) {
                ty.scalar = Scalar::Boolean;
            }
            let rank = ty.rank.map_or(list.len(), usize::from).max(list.len());
            let mut kinds = vec![Taken::All; rank];
            let mut args = vec![array];
            for (kind, subscript) in kinds.iter_mut().zip(&list) {
                if let Subscript::Index(index) = subscript {
                    let several = types[index.0 as usize].rank.is_some_and(|r| r > 0);
                    *kind = if several { Taken::Several } else { Taken::One };
                    args.push(*index);
                }
            }
            let element = self.element(ty.scalar, kinds);
            function.terms[i] = Term::Call(element, args, 0);
        }
        self.pool.set_function(id, function);
    }

    /// The function that takes elements of an array.
    fn element(&mut self, scalar: Scalar, kinds: Vec<Taken>) -> FunctionId {
        let word = match scalar {
            Scalar::Real => "Real",
            Scalar::Integer | Scalar::Enumeration => "Integer",
            Scalar::Boolean => "Boolean",
            Scalar::String => "String",
            Scalar::External => "ExternalObject",
        };
        if let Some(&known) = self.elements.get(&(word, kinds.clone())) {
            return known;
        }
        let subscript = |kind: &Taken| match kind {
            Taken::All => ":",
            Taken::One => "i",
            Taken::Several => "v",
        };
        let texts: Vec<&str> = kinds.iter().map(subscript).collect();
        let name = format!("{word}[{}][{}]", vec![":"; kinds.len()].join(","), texts.join(","));
        let mut f = Function::named(&name);
        let x = f.input("x", scalar, &vec![Dim::Unknown; kinds.len()]);
        let array = f.local_term(x);
        let (mut subscripts, mut dims) = (Vec::new(), Vec::new());
        for (n, kind) in kinds.iter().enumerate() {
            let size_of = |f: &mut Function, of: TermId, d: usize| {
                let d = f.number(d as f64);
                Dim::Computed(f.add(Term::Array(ArrayFn::SizeOf, vec![of, d])))
            };
            if *kind == Taken::All {
                dims.push(size_of(&mut f, array, n + 1));
                subscripts.push(Subscript::All);
                continue;
            }
            let own: &[Dim] = if *kind == Taken::Several { &[Dim::Unknown] } else { &[] };
            let index = f.input(&format!("i{}", n + 1), Scalar::Integer, own);
            let index = f.local_term(index);
            if *kind == Taken::Several {
                dims.push(size_of(&mut f, index, 1));
            }
            subscripts.push(Subscript::Index(index));
        }
        let y = f.output("y", scalar, &dims);
        let value = f.add(Term::Index(array, subscripts));
        f.push(Stmt::assign(y, value));
        let name = self.free_name(name);
        self.names.push(name);
        let new = self.pool.add_function(f);
        self.elements.insert((word, kinds), new);
        new
    }

    /// An identifier for a class that nothing else has.
    fn free_name(&mut self, name: String) -> String {
        let mut name = identifier(&name);
        while !self.taken.insert(name.clone()) {
            name = identifier(&(bare(&name) + " "));
        }
        name
    }

    /// Calls inside a function that use another than the first output call a function with that one only.
    fn with_single_outputs(&mut self, id: FunctionId) {
        let mut function = self.pool.function(id).clone();
        let mut body = std::mem::take(&mut function.body);
        let mut changed = false;
        if let Body::Algorithm(statements) = &mut body {
            changed = with_receivers(&mut function, statements);
        }
        function.body = body;
        for i in reachable(&function) {
            let Term::Call(called, _, n @ 1..) = function.terms[i] else { continue };
            let single = match self.outputs.get(&(called, n)) {
                Some(&known) => known,
                None => {
                    let new = self.picking(called, n as usize, &[], format!(".{}", n + 1));
                    self.outputs.insert((called, n), new);
                    new
                }
            };
            if let Term::Call(called, _, n) = &mut function.terms[i] {
                (*called, *n) = (single, 0);
                changed = true;
            }
        }
        if changed {
            self.pool.set_function(id, function);
        }
    }
}

/// What a subscript takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Taken {
    /// Everything.
    All,
    /// One element.
    One,
    /// Those that a vector lists.
    Several,
}

fn known_or_open(dim: Dim) -> Dim {
    match dim {
        Dim::Known(n) => Dim::Known(n),
        Dim::Computed(_) | Dim::Unknown => Dim::Unknown,
    }
}

/// `y := second output of f(x)` becomes `(, y) := f(x)`.
fn with_receivers(function: &mut Function, statements: &mut [Stmt]) -> bool {
    let mut changed = false;
    for statement in statements {
        match statement {
            Stmt::Assign(target, value) => {
                let Term::Call(called, args, n @ 1..) = function.term(*value).clone() else { continue };
                let mut targets = vec![None; n as usize];
                targets.push(Some(target.clone()));
                let call = function.add(Term::Call(called, args, 0));
                *statement = Stmt::AssignCall(targets, call);
                changed = true;
            }
            Stmt::If(branches, otherwise) => {
                for (_, body) in branches {
                    changed |= with_receivers(function, body);
                }
                changed |= with_receivers(function, otherwise);
            }
            Stmt::For(_, _, body) | Stmt::While(_, body) => changed |= with_receivers(function, body),
            _ => {}
        }
    }
    changed
}

fn free_name(f: &Function, name: &str) -> String {
    let mut free = name.to_owned();
    while f.locals.iter().any(|l| l.name == free) {
        free.push('_');
    }
    free
}

/// The expressions that are in use, in order.
fn reachable(function: &Function) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut stack = Vec::new();
    function.for_each_root(&mut |term| stack.push(term));
    while let Some(term) = stack.pop() {
        if found.insert(term.0 as usize) {
            stack.extend(function.term(term).parts());
        }
    }
    found
}

/// The terms that are Boolean by the place where they are: constants do not tell what they are.
fn booleans(pool: &Pool, function: &Function, types: &[TermType]) -> BTreeSet<usize> {
    let is_boolean = |local: LocalId| function.local(local).scalar == Scalar::Boolean;
    let mut stack: Vec<TermId> = Vec::new();
    let declared = (0..function.locals.len() as u32).map(LocalId).filter(|&l| is_boolean(l));
    stack.extend(declared.filter_map(|l| function.local(l).initial));
    let mut blocks: Vec<&[Stmt]> = Vec::new();
    if let Body::Algorithm(statements) = &function.body {
        blocks.push(statements);
    }
    while let Some(block) = blocks.pop() {
        for statement in block {
            match statement {
                Stmt::Assign(target, value) if is_boolean(target.local) => stack.push(*value),
                Stmt::If(branches, _) => stack.extend(branches.iter().map(|(condition, _)| *condition)),
                Stmt::While(condition, _) | Stmt::Assert(condition, ..) => stack.push(*condition),
                _ => {}
            }
            blocks.extend(statement.blocks());
        }
    }
    for term in reachable(function) {
        match &function.terms[term] {
            Term::Op(Op::Not | Op::And | Op::Or, args) => stack.extend(args),
            Term::Op(Op::If, args) => stack.push(args[0]),
            Term::Op(Op::Equal | Op::NotEqual, args)
                if args.iter().any(|a| types[a.0 as usize].scalar == Scalar::Boolean) =>
            {
                stack.extend(args);
            }
            Term::Call(called, args, _) => {
                let called = pool.function(*called);
                let inputs = called.inputs.iter().zip(args);
                let wanted = inputs.filter(|(input, _)| called.local(**input).scalar == Scalar::Boolean);
                stack.extend(wanted.map(|(_, arg)| *arg));
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    while let Some(term) = stack.pop() {
        if !found.insert(term.0 as usize) {
            continue;
        }
        match function.term(term) {
            Term::Op(Op::If, args) => stack.extend(&args[1..]),
            Term::Index(array, _) | Term::For(Reduction::Array, array, _) => stack.push(*array),
            Term::Array(ArrayFn::Construct, args) => stack.extend(args),
            Term::Array(ArrayFn::Fill, args) => stack.extend(args.first()),
            Term::Array(ArrayFn::Cat, args) => stack.extend(args.iter().skip(1)),
            Term::Array(ArrayFn::Scalar | ArrayFn::Vector | ArrayFn::Matrix | ArrayFn::Transpose, args) => {
                stack.extend(args)
            }
            _ => {}
        }
    }
    found
}

/// The functions a function calls or names in its annotations.
fn calls(function: &Function) -> Vec<FunctionId> {
    let mut list: Vec<FunctionId> = reachable(function)
        .into_iter()
        .filter_map(|i| match function.terms[i] {
            Term::Call(id, ..) => Some(id),
            _ => None,
        })
        .collect();
    list.extend(function.notes.derivatives.iter().map(|d| d.function));
    list.extend(function.notes.inverses.iter().map(|i| i.function));
    list
}
