//! Algorithm sections (specification chapter 11): one function per section, called with what it reads; its outputs are
//! equated with what it assigns.
//!
//! A variable that is assigned begins with its start value, or with its previous value if it is discrete
//! (section 11.1.2). What depends on more than the values of variables (`pre`, `sample`, `initial`, `time`) is evaluated
//! outside and passed in. A `when` statement becomes an `if` on a rising condition: the condition is a further output,
//! an auxiliary Boolean variable, and its previous value a further input.

pub(crate) mod events;

use kausal_symbolic::function::{self as f, Dim, LocalId, Subscript, Term};
use kausal_symbolic::{ExprId, FunctionId, Op, VarId};
use kausal_syntax::ast::{
    self, AlgorithmSection, ComponentRef, RefPart, Statement, StatementKind, Variability,
};
use kausal_syntax::{Ast, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::{Reported, Res};
use crate::equation::{Context, Sink};
use crate::expr::reference::{Cursor, Sub};
use crate::flat::{Action, ActionKind, Equation, Origin, OriginKind, When, WhenBranch};
use crate::flattener::{Flattener, Scope};
use crate::functions::lower::Lower;
use crate::functions::term::TVal;
use crate::instance::{InstId, Node};
use crate::lookup::Found;
use crate::value::{Ty, Value};

/// The variables of a model that an algorithm section uses.
#[derive(Debug)]
pub struct Outer {
    /// Where the section is.
    pub scope: Scope,
    /// What each variable became.
    leaves: FxHashMap<InstId, TVal>,
    /// Expressions passed in, by what they are.
    passed: FxHashMap<Vec<ExprId>, TVal>,
    /// The shape and the values of each input that was passed in.
    values: FxHashMap<LocalId, (Vec<usize>, Vec<ExprId>)>,
    /// The values of all inputs, in order.
    args: Vec<ExprId>,
    /// Assigned variables, in order of their outputs.
    outputs: Vec<Vec<VarId>>,
    /// Arrays of components that something is assigned in, and what each became.
    arrays: FxHashMap<InstId, Option<TVal>>,
    /// Variables assigned anywhere.
    assigned: FxHashSet<InstId>,
    /// Those that may be read before.
    kept: FxHashSet<InstId>,
    /// In an initial algorithm.
    initial: bool,
    /// In so many `when` statements.
    whens: u32,
    /// Statements here are reached at the start, if at all: they are in no `when`, or in one with the condition initial().
    at_start: bool,
    /// In so many `noEvent`s.
    silent: u32,
    /// What `terminate` and `reinit` do.
    effects: Vec<Effect>,
}

impl Outer {
    /// Can impure functions be called here?
    pub(crate) fn may_be_impure(&self) -> bool {
        self.initial || self.whens > 0
    }

    /// Relations cause no events from here on, or again.
    pub(crate) fn silence(&mut self, begin: bool) {
        self.silent = if begin { self.silent + 1 } else { self.silent.saturating_sub(1) };
    }
}

/// Is it nothing but `when` statements?
fn is_when(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::When { .. } => true,
        StatementKind::For { body, .. } => body.iter().all(is_when),
        _ => false,
    }
}

/// Something a statement does to the run: it is done when the flag, an output of the function, becomes true.
#[derive(Debug)]
struct Effect {
    flag: InstId,
    /// It may be reached at the start, where a flag that is true has not become so.
    at_start: bool,
    kind: ActionKind,
    origin: Origin,
}

impl Flattener<'_> {
    /// Flattens an algorithm section.
    pub fn algorithm(&mut self, cx: Context<'_>, section: &AlgorithmSection, sink: &mut Sink) {
        let _ = self.try_algorithm(cx, section, sink);
    }

    fn try_algorithm(&mut self, cx: Context<'_>, section: &AlgorithmSection, sink: &mut Sink) -> Res<()> {
        let name = if cx.component.is_empty() {
            "algorithm".to_owned()
        } else {
            format!("{}.algorithm", cx.component)
        };
        self.check_when_places(cx, section.initial, &section.statements)?;
        self.check_loop_variables(cx.scope.file, cx.ast, &section.statements)?;
        let mut lo = Lower::new(name, cx.scope.klass, cx.scope.file);
        let mut outer = Outer {
            scope: cx.scope,
            leaves: FxHashMap::default(),
            passed: FxHashMap::default(),
            values: FxHashMap::default(),
            args: Vec::new(),
            outputs: Vec::new(),
            arrays: FxHashMap::default(),
            assigned: FxHashSet::default(),
            kept: FxHashSet::default(),
            initial: section.initial,
            whens: 0,
            at_start: true,
            silent: 0,
            effects: Vec::new(),
        };
        self.scan_targets(cx, &section.statements, &mut outer)?;
        lo.outer = Some(outer);
        let statements = self.lower_statements(&mut lo, cx.ast, &section.statements)?;
        let Some(outer) = lo.outer.take() else { return Err(Reported) };
        if outer.outputs.is_empty() && statements.is_empty() {
            return Ok(());
        }
        lo.function.body = kausal_symbolic::function::Body::Algorithm(statements);
        lo.function.notes.impure = false;
        // Relations of an algorithm section cause events like those of equations (specification section 8.5).
        lo.function.notes.generate_events = true;
        let function = self.pool.add_function(lo.function);
        let call = self.pool.call(function, &outer.args);
        let origin = cx.origin(section.span, OriginKind::Algorithm);
        // What depends on nothing that varies is known.
        let known = self.literal_inputs(function, &outer.args).and_then(|args| {
            kausal_symbolic::function::calls::constant_call(&mut self.pool, function, &args)
        });
        if outer.outputs.is_empty() {
            let mut has_when = false;
            crate::walk::statements(&section.statements, &mut |s| {
                has_when |= matches!(s.kind, StatementKind::When { .. });
            });
            if has_when && !section.initial {
                // `when` clauses with other conditions than initial() have outputs that remember these.
                // What the clause does is done at the first event, behind the initial problem, where initial() is false again.
                let initial = self.pool.op(Op::Initial, &[]);
                let yes = self.pool.constant(1.0);
                let args: Vec<ExprId> =
                    outer.args.iter().map(|&arg| if arg == initial { yes } else { arg }).collect();
                let call = self.pool.call(function, &args);
                let conditions = vec![initial];
                let actions = vec![Action { kind: ActionKind::Call(call), origin: origin.clone() }];
                let branches = vec![WhenBranch { conditions, actions }];
                sink.whens.push(When { branches, origin: origin.clone() });
            }
            // Assertions that always hold leave nothing to do.
            if known.is_none() && !(has_when && section.statements.iter().all(is_when)) {
                sink.actions.push(Action { kind: ActionKind::Call(call), origin });
            }
            return Ok(());
        }
        let known = known.map(|values| kausal_symbolic::function::layout::flatten(&mut self.pool, &values));
        let mut k = 0;
        for variables in outer.outputs {
            for var in variables {
                let lhs = self.pool.var(var);
                let rhs = match known.as_ref().and_then(|list| list.get(k as usize)) {
                    Some(&value) => value,
                    None => self.pool.output(call, k),
                };
                k += 1;
                sink.equations.push(Equation { lhs, rhs, origin: origin.clone() });
            }
        }
        for Effect { flag, at_start, kind, origin: place } in outer.effects {
            let Some((flag, _)) = self.variables(flag) else { continue };
            let flag = self.pool.var(flag);
            let conditions = vec![flag];
            let actions = vec![Action { kind, origin: place.clone() }];
            if at_start && !section.initial {
                let conditions = vec![self.pool.op(Op::Initial, &[])];
                // Behind the initial problem, where the flag was set, it is that of before.
                let before = self.pool.op(Op::Pre, &[flag]);
                let reached = ActionKind::If(before, actions.clone(), Vec::new());
                let actions = vec![Action { kind: reached, origin: place }];
                let branches = vec![WhenBranch { conditions, actions }];
                sink.whens.push(When { branches, origin: origin.clone() });
            }
            sink.whens
                .push(When { branches: vec![WhenBranch { conditions, actions }], origin: origin.clone() });
        }
        Ok(())
    }

    /// The inputs of a function whose scalar arguments are all numbers and strings.
    fn literal_inputs(&self, function: FunctionId, args: &[ExprId]) -> Option<Vec<f::Value<ExprId>>> {
        if !args.iter().all(|&e| self.is_literal(e)) {
            return None;
        }
        let function = self.pool.function(function);
        let mut rest = args;
        let mut out = Vec::with_capacity(function.inputs.len());
        for &input in &function.inputs {
            let local = function.local(input);
            let shape: Option<Vec<usize>> = local
                .dims
                .iter()
                .map(|d| match d {
                    Dim::Known(n) => Some(*n),
                    _ => None,
                })
                .collect();
            let shape = shape?;
            let (own, others) = rest.split_at_checked(shape.iter().product())?;
            rest = others;
            let array = f::Array::from_vec(&shape, own.to_vec()).ok()?;
            out.push(match local.scalar {
                f::Scalar::String => f::Value::texts(array.map(|&e| match self.pool.node(e) {
                    kausal_symbolic::Node::Text(t) => f::Text::Known(self.pool.text_of(t).into()),
                    _ => f::Text::Expr(e),
                })),
                _ => array.into(),
            });
        }
        rest.is_empty().then_some(out)
    }

    /// Which variables are assigned, and which of them may be read before they are.
    fn scan_targets(&mut self, cx: Context<'_>, statements: &[Statement], outer: &mut Outer) -> Res<()> {
        let mut targets: Vec<(ComponentRef, bool)> = Vec::new();
        let mut collect = |list: &[Statement], in_when: bool| {
            crate::walk::statements(list, &mut |s| match &s.kind {
                StatementKind::Assign(target, _) => targets.push((*target, in_when)),
                StatementKind::AssignTuple { targets: list, .. } => {
                    targets.extend(list.iter().flatten().map(|t| (*t, in_when)));
                }
                _ => {}
            });
        };
        collect(statements, false);
        crate::walk::statements(statements, &mut |s| {
            if let StatementKind::When { branches } = &s.kind {
                branches.iter().for_each(|(_, body)| collect(body, true));
            }
        });
        for (target, in_when) in targets {
            let mut leaves = Vec::new();
            self.target_leaves(cx.scope, cx.ast, &target, &mut leaves)?;
            for &leaf in &leaves {
                if !outer.initial {
                    self.check_assignable(cx, &target, leaf)?;
                }
                outer.assigned.insert(leaf);
                self.note_arrays(leaf, outer)?;
                if in_when {
                    self.when_leaves.insert(leaf);
                }
            }
        }
        let sure = sure_names(cx.ast, statements);
        for &leaf in &outer.assigned {
            if !self.is_surely_assigned(cx.scope, leaf, &sure) {
                outer.kept.insert(leaf);
            }
        }
        Ok(())
    }

    /// Notes the arrays of components that an assigned variable is in.
    fn note_arrays(&mut self, leaf: InstId, outer: &mut Outer) -> Res<()> {
        let mut at = leaf;
        while let Some(parent) = self.inst(at).parent {
            if !self.inst(at).subs.is_empty()
                && let Some(array) = self.child(parent, self.inst(at).name)?
            {
                outer.arrays.insert(array, None);
            }
            at = parent;
        }
        Ok(())
    }

    /// Only what varies can be assigned, and no input of the component itself.
    fn check_assignable(&mut self, cx: Context<'_>, target: &ComponentRef, leaf: InstId) -> Res<()> {
        let inst = self.inst(leaf);
        let own_input = inst.causality == kausal_syntax::ast::Causality::Input
            && (inst.parent == Some(cx.scope.inst) || self.is_outside(cx, target)?);
        let what = match self.inst(leaf).variability {
            Variability::Constant => "a constant",
            Variability::Parameter => "a parameter",
            _ if own_input => "an input",
            _ => return Ok(()),
        };
        let text = crate::expr::reference::ref_text(cx.ast, target);
        let location = self.cx.lib.location(cx.scope.file, target.span);
        let message = format!("{text} is {what}: it cannot be assigned to");
        let diagnostic = kausal_syntax::Diagnostic::error("K0325", message).at(location, "assigned here");
        Err(self.report_at_decl(leaf, diagnostic))
    }

    fn is_surely_assigned(&self, scope: Scope, leaf: InstId, sure: &[Symbol]) -> bool {
        let inst = self.inst(leaf);
        inst.parent == Some(scope.inst) && sure.contains(&inst.name)
    }

    fn target_leaves(
        &mut self,
        scope: Scope,
        ast: &Ast,
        target: &ComponentRef,
        out: &mut Vec<InstId>,
    ) -> Res<()> {
        let mut parts = ast.lists.parts.get(target.parts).to_vec();
        for part in &mut parts {
            part.subscripts = kausal_syntax::arena::List::EMPTY;
        }
        match self.resolve_prefix(scope, ast, target, &parts)? {
            Cursor::Inst(id) => self.leaves_below(id, out),
            Cursor::Insts { list, .. } => {
                for id in list {
                    self.leaves_below(id, out)?;
                }
                Ok(())
            }
            Cursor::Value(value) => {
                let mut scalars = Vec::new();
                value.scalars(&mut scalars);
                for e in scalars {
                    if let Some(var) = self.as_variable(e) {
                        out.push(self.slots[var.index()].0);
                    }
                }
                Ok(())
            }
            _ => {
                let text = crate::expr::reference::ref_text(ast, target);
                Err(self.error_at("K0378", format!("{text} cannot be assigned to"), scope.file, target.span))
            }
        }
    }

    fn leaves_below(&mut self, id: InstId, out: &mut Vec<InstId>) -> Res<()> {
        let id = self.resolve(id)?;
        match self.inst(id).node.clone() {
            Node::Leaf(..) => out.push(id),
            Node::Struct => {
                for child in self.children(id)? {
                    self.leaves_below(child, out)?;
                }
            }
            Node::Array(_, elements) => {
                for &e in elements.iter() {
                    self.leaves_below(e, out)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The variable a target or reference of an algorithm section begins with.
    pub(crate) fn outer_variable(&mut self, lo: &mut Lower, part: &RefPart) -> Res<Option<TVal>> {
        let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Ok(None) };
        let scope = Scope { klass: lo.klass, ..scope };
        match self.cx.find(lo.klass, part.name.symbol) {
            Some(Found::Component { owner, up, member }) => {
                let at = self.instance_of(scope.inst, up, owner);
                match self.child(at, member.name)? {
                    Some(child) => {
                        let child = self.resolve(child)?;
                        self.outer_instance(lo, child).map(Some)
                    }
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// An instance as a value of the function.
    fn outer_instance(&mut self, lo: &mut Lower, id: InstId) -> Res<TVal> {
        match self.inst(id).node.clone() {
            Node::Leaf(_, shape) => self.outer_leaf(lo, id, &shape),
            Node::Struct => {
                let klass = self.inst(id).klass;
                let mut fields = Vec::new();
                for child in self.children(id)? {
                    let child = self.resolve(child)?;
                    if !matches!(self.inst(child).node, Node::Disabled) {
                        fields.push((self.inst(child).name, self.outer_instance(lo, child)?));
                    }
                }
                Ok(TVal::Record { klass, rank: 0, fields })
            }
            Node::Array(shape, elements) => match lo.outer.as_ref().and_then(|o| o.arrays.get(&id)) {
                Some(Some(value)) => Ok(value.clone()),
                Some(None) => {
                    let value = self.outer_elements(lo, &self.path(id), &shape, &elements)?;
                    if let Some(outer) = &mut lo.outer {
                        outer.arrays.insert(id, Some(value.clone()));
                    }
                    Ok(value)
                }
                None => {
                    let value = self.instance_value(id)?;
                    self.pass(lo, &value)
                }
            },
            _ => {
                let path = self.path(id);
                let diagnostic = kausal_syntax::Diagnostic::error(
                    "K0318",
                    format!("{path} is used, but its condition is false"),
                );
                Err(self.report_at_decl(id, diagnostic))
            }
        }
    }

    /// An array of components of which some variables are assigned: one local variable for each field, with the dimensions of
    /// the array in front. Of components that are not records only what is assigned is in it.
    fn outer_elements(
        &mut self,
        lo: &mut Lower,
        path: &str,
        shape: &[usize],
        elements: &[InstId],
    ) -> Res<TVal> {
        let Some(&first) = elements.first() else { return Ok(TVal::Nothing) };
        let klass = self.inst(first).klass;
        let record = self.is_record(first);
        let mut fields = Vec::new();
        for child in self.children(first)? {
            let name = self.inst(child).name;
            let mut column = Vec::with_capacity(elements.len());
            for &element in elements {
                let Some(field) = self.child(element, name)? else { return Err(Reported) };
                column.push(self.resolve(field)?);
            }
            let mut leaves = Vec::new();
            for &field in &column {
                self.leaves_below(field, &mut leaves)?;
            }
            let assigned = |o: &Outer| leaves.iter().any(|l| o.assigned.contains(l));
            if !record && !lo.outer.as_ref().is_some_and(assigned) {
                continue;
            }
            let path = format!("{path}.{name}");
            let value = match self.inst(column[0]).node.clone() {
                Node::Leaf(_, own) => self.outer_column(lo, path, shape, &own, &column)?,
                Node::Struct => self.outer_elements(lo, &path, shape, &column)?,
                Node::Array(own, _) => {
                    let mut all = Vec::new();
                    for &field in &column {
                        let Node::Array(_, inner) = self.inst(field).node.clone() else {
                            return Err(Reported);
                        };
                        all.extend_from_slice(&inner);
                    }
                    let full: Vec<usize> = shape.iter().chain(own.iter()).copied().collect();
                    self.outer_elements(lo, &path, &full, &all)?
                }
                _ => continue,
            };
            fields.push((name, value));
        }
        Ok(TVal::Record { klass, rank: shape.len(), fields })
    }

    /// One field of all elements of an array of components.
    fn outer_column(
        &mut self,
        lo: &mut Lower,
        path: String,
        shape: &[usize],
        own: &[usize],
        leaves: &[InstId],
    ) -> Res<TVal> {
        let info = self.inst(leaves[0]).info.clone();
        let ty = info.and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
        let Some(outer) = &lo.outer else { return Err(Reported) };
        if !leaves.iter().any(|l| outer.assigned.contains(l)) {
            let value = self.array_value(leaves[0], shape, leaves)?;
            return self.pass(lo, &value);
        }
        let initial = outer.initial;
        let dims: Vec<Dim> = shape.iter().chain(own).map(|&n| Dim::Known(n)).collect();
        let local = lo.local(path.clone(), ty, dims.clone());
        lo.function.outputs.push(local);
        let input = lo.local(format!("{path}.before"), ty, dims);
        lo.function.inputs.push(input);
        let term = lo.term(Term::Local(input));
        lo.function.locals[local.0 as usize].initial = Some(term);
        let mut variables = Vec::new();
        let mut before = Vec::new();
        for &leaf in leaves {
            before.extend(self.value_before(leaf, ty, initial)?);
            variables.extend(self.all_variables(leaf)?);
        }
        if let Some(outer) = &mut lo.outer {
            outer.args.extend(before);
            outer.outputs.push(variables);
        }
        let term = lo.term(Term::Local(local));
        Ok(TVal::Plain { ty, rank: shape.len() + own.len(), term })
    }

    /// The variables of a leaf.
    fn all_variables(&mut self, leaf: InstId) -> Res<Vec<VarId>> {
        let Some((first, count)) = self.variables(leaf) else { return Err(Reported) };
        Ok((0..count as u32).map(|i| VarId(first.0 + i)).collect())
    }

    fn outer_leaf(&mut self, lo: &mut Lower, id: InstId, shape: &[usize]) -> Res<TVal> {
        let Some(outer) = &lo.outer else { return Err(Reported) };
        if let Some(value) = outer.leaves.get(&id) {
            return Ok(value.clone());
        }
        let ty = self.inst(id).info.as_ref().and_then(|i| i.leaf).map_or(Ty::Real, |l| Ty::of(l.builtin));
        let dims: Vec<Dim> = shape.iter().map(|&n| Dim::Known(n)).collect();
        let path = self.path(id);
        let value = if outer.assigned.contains(&id) {
            let kept = outer.kept.contains(&id);
            let local = lo.local(path.clone(), ty, dims.clone());
            lo.function.outputs.push(local);
            if kept {
                let before = self.value_before(id, ty, outer_initial(lo))?;
                let input = lo.local(format!("{path}.before"), ty, dims);
                lo.function.inputs.push(input);
                let term = lo.term(Term::Local(input));
                lo.function.locals[local.0 as usize].initial = Some(term);
                if let Some(outer) = &mut lo.outer {
                    outer.args.extend(before);
                }
            }
            let variables = self.all_variables(id)?;
            if let Some(outer) = &mut lo.outer {
                outer.outputs.push(variables);
            }
            let term = lo.term(Term::Local(local));
            TVal::Plain { ty, rank: shape.len(), term }
        } else {
            let value = self.instance_value(id)?;
            self.pass(lo, &value)?
        };
        if let Some(outer) = &mut lo.outer {
            outer.leaves.insert(id, value.clone());
        }
        Ok(value)
    }

    /// The value an assigned variable has when the algorithm begins.
    fn value_before(&mut self, id: InstId, ty: Ty, initial: bool) -> Res<Vec<ExprId>> {
        let Some((first, count)) = self.variables(id) else { return Err(Reported) };
        let discrete = ty != Ty::Real
            || self.when_leaves.contains(&id)
            || self.inst(id).variability == Variability::Discrete;
        let mut out = Vec::with_capacity(count);
        for i in 0..count as u32 {
            if discrete && !initial && self.inst(id).variability > Variability::Parameter {
                let var = self.pool.var(VarId(first.0 + i));
                out.push(self.pool.op(Op::Pre, &[var]));
                continue;
            }
            out.push(match self.start_value(id, i)? {
                Some(e) => e,
                None if ty == Ty::String => self.pool.text(""),
                None => self.pool.constant(if matches!(ty, Ty::Enumeration(_)) { 1.0 } else { 0.0 }),
            });
        }
        Ok(out)
    }

    /// Passes a value of the model into the function; constants are embedded.
    fn pass(&mut self, lo: &mut Lower, value: &Value) -> Res<TVal> {
        if self.is_constant(value) {
            return self.embed(lo, value);
        }
        match value {
            Value::Plain(ty, array) => {
                let key = array.data().to_vec();
                let known = lo.outer.as_ref().and_then(|o| o.passed.get(&key)).cloned();
                if let Some(known) = known
                    && known.rank() == array.rank()
                {
                    return Ok(known);
                }
                let dims = array.shape().iter().map(|&n| Dim::Known(n)).collect();
                let number = lo.function.inputs.len() + 1;
                let local = lo.local(format!("u{number}"), *ty, dims);
                let object = key.first().filter(|_| *ty == Ty::External).and_then(|&e| self.as_variable(e));
                if let Some(klass) = object.map(|var| self.inst(self.slots[var.index()].0).klass) {
                    let class = self.external_class(klass);
                    lo.function.notes.external_classes.push((local, class));
                }
                lo.function.inputs.push(local);
                let term = lo.term(Term::Local(local));
                let value = TVal::Plain { ty: *ty, rank: array.rank(), term };
                if let Some(outer) = &mut lo.outer {
                    outer.args.extend_from_slice(&key);
                    outer.values.insert(local, (array.shape().to_vec(), key.clone()));
                    outer.passed.insert(key, value.clone());
                }
                Ok(value)
            }
            Value::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for (name, field) in &record.fields {
                    fields.push((*name, self.pass(lo, field)?));
                }
                Ok(TVal::Record { klass: record.klass, rank: record.shape.len(), fields })
            }
            other => self.embed(lo, other),
        }
    }

    /// A reference to a variable of the model.
    pub(crate) fn lower_outer_ref(
        &mut self,
        lo: &mut Lower,
        ast: &Ast,
        reference: &ComponentRef,
    ) -> Res<TVal> {
        let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Err(Reported) };
        let scope = Scope { klass: lo.klass, file: lo.file, ..scope };
        let parts = ast.lists.parts.get(reference.parts);
        let Some(first) = parts.first() else { return Err(Reported) };
        let Some(Found::Component { owner, up, member }) = self.cx.find(lo.klass, first.name.symbol) else {
            return self.lower_constant_ref(lo, ast, reference);
        };
        let at = self.instance_of(scope.inst, up, owner);
        let Some(child) = self.child(at, member.name)? else { return Err(Reported) };
        let mut id = self.resolve(child)?;
        if self.inst(id).is_static {
            return self.lower_constant_ref(lo, ast, reference);
        }
        if self.inst(child).info.as_ref().is_some_and(|i| i.condition.is_some()) {
            self.check_unconditional(scope, reference, child);
        }
        let mut i = 0;
        loop {
            let part = &parts[i];
            if lo.outer.as_ref().is_some_and(|o| o.arrays.contains_key(&id)) {
                let value = self.outer_instance(lo, id)?;
                if has_fields(&value, &parts[i + 1..]) {
                    return self.lower_parts_from(lo, ast, value, parts, i);
                }
            }
            match self.inst(id).node.clone() {
                Node::Array(shape, elements) if !part.subscripts.is_empty() => {
                    let Some(subs) = self.known_subscripts(lo, scope, ast, part, &shape) else {
                        return self.lower_slice(lo, ast, reference);
                    };
                    let scalar: Option<Vec<usize>> = subs
                        .iter()
                        .map(|s| match s {
                            Sub::One(n) => Some(*n),
                            _ => None,
                        })
                        .collect();
                    match scalar {
                        Some(list) if list.len() == shape.len() => {
                            let offset = list.iter().zip(shape.iter()).fold(0, |at, (i, n)| at * n + i - 1);
                            let Some(&element) = elements.get(offset) else { return Err(Reported) };
                            id = element;
                        }
                        _ => return self.lower_slice(lo, ast, reference),
                    }
                }
                Node::Array(..) => return self.lower_slice(lo, ast, reference),
                Node::Leaf(..) => {
                    let value = self.outer_instance(lo, id)?;
                    return self.lower_parts_from(lo, ast, value, parts, i);
                }
                _ => {}
            }
            if i + 1 == parts.len() {
                return self.outer_instance(lo, id);
            }
            i += 1;
            let name = parts[i].name.symbol;
            id = match self.child(id, name)? {
                Some(child) => self.resolve(child)?,
                None => return self.lower_constant_ref(lo, ast, reference),
            };
        }
    }

    /// Subscripts that do not depend on loop variables of the algorithm.
    fn known_subscripts(
        &mut self,
        lo: &Lower,
        scope: Scope,
        ast: &Ast,
        part: &RefPart,
        shape: &[usize],
    ) -> Option<Vec<Sub>> {
        let mut local = false;
        for &e in ast.lists.exprs.get(part.subscripts) {
            crate::walk::references(ast, e, &mut |r| {
                if let Some(p) = ast.lists.parts.get(r.parts).first() {
                    local |= lo.env.get(&p.name.symbol).is_some_and(|v| !is_number(lo, v));
                }
            });
        }
        if local {
            return None;
        }
        let mark = self.cx.diagnostics.len();
        match self.subscripts(scope, ast, part, shape, None) {
            Ok(subs) if !subs.iter().any(|s| matches!(s, Sub::Symbolic(_) | Sub::Symbolics(_))) => Some(subs),
            _ => {
                self.cx.diagnostics.truncate(mark);
                None
            }
        }
    }

    /// A reference through an array of components: all elements are passed, subscripts choose among them.
    fn lower_slice(&mut self, lo: &mut Lower, ast: &Ast, reference: &ComponentRef) -> Res<TVal> {
        let Some(scope) = lo.outer.as_ref().map(|o| o.scope) else { return Err(Reported) };
        let scope = Scope { klass: lo.klass, file: lo.file, ..scope };
        let mut parts = ast.lists.parts.get(reference.parts).to_vec();
        let given = parts.clone();
        for part in &mut parts {
            part.subscripts = kausal_syntax::arena::List::EMPTY;
        }
        let mut ranks = Vec::with_capacity(parts.len());
        let mut before = 0;
        let mut last = None;
        for n in 1..=parts.len() {
            let cursor = self.resolve_prefix(scope, ast, reference, &parts[..n])?;
            let rank = match &cursor {
                Cursor::Inst(id) => match &self.inst(*id).node {
                    Node::Leaf(_, shape) | Node::Array(shape, _) => shape.len(),
                    _ => 0,
                },
                Cursor::Insts { shape, .. } => shape.len(),
                Cursor::Value(value) => value.rank(),
                _ => 0,
            };
            ranks.push(rank - before);
            before = rank;
            last = Some(cursor);
        }
        let value = match last {
            Some(Cursor::Value(value)) => value,
            Some(Cursor::Inst(id)) => self.instance_value(id)?,
            Some(Cursor::Insts { shape, list, .. }) if !list.is_empty() => {
                self.array_value(list[0], &shape, &list)?
            }
            _ => return Err(Reported),
        };
        let mut used = Vec::new();
        value.scalars(&mut used);
        for e in used {
            if let Some(var) = self.as_variable(e)
                && lo.outer.as_ref().is_some_and(|o| o.assigned.contains(&self.slots[var.index()].0))
            {
                let message = "an algorithm cannot use elements of an array of components that it assigns";
                return Err(self.error_at("K0391", message, lo.file, reference.span));
            }
        }
        let value = self.pass(lo, &value)?;
        let mut subs = Vec::new();
        let mut scalars = 0;
        for (part, rank) in given.iter().zip(&ranks) {
            if part.subscripts.is_empty() {
                subs.extend(std::iter::repeat_n(Subscript::All, *rank));
            } else {
                let (list, count) = self.lower_subscripts(lo, ast, part, &value, subs.len())?;
                let missing = rank.saturating_sub(list.len());
                subs.extend(list);
                subs.extend(std::iter::repeat_n(Subscript::All, missing));
                scalars += count;
            }
        }
        Ok(value.map(-(scalars as isize), &mut |term, rank| {
            let mut all = subs.clone();
            all.resize(rank.max(subs.len()), Subscript::All);
            lo.term(Term::Index(term, all))
        }))
    }
}

/// Is it a number known now, like the variable of an unrolled loop?
fn is_number(lo: &Lower, value: &TVal) -> bool {
    matches!(value, TVal::Plain { term, rank: 0, .. } if matches!(lo.function.term(*term), Term::Const(_)))
}

/// Does a value have the fields that these parts of a reference name?
fn has_fields(value: &TVal, parts: &[RefPart]) -> bool {
    let mut at = Some(value);
    for part in parts {
        at = at.and_then(|v| v.field(part.name.symbol));
    }
    at.is_some()
}

fn outer_initial(lo: &Lower) -> bool {
    lo.outer.as_ref().is_some_and(|o| o.initial)
}

/// Names of variables that are assigned as a whole, at the top of the algorithm and before they are read.
fn sure_names(ast: &Ast, statements: &[Statement]) -> Vec<Symbol> {
    let mut sure = Vec::new();
    let mut read: FxHashSet<Symbol> = FxHashSet::default();
    for statement in statements {
        let note = |e: ast::ExprId, read: &mut FxHashSet<Symbol>| {
            crate::walk::references(ast, e, &mut |r| {
                if let Some(p) = ast.lists.parts.get(r.parts).first() {
                    read.insert(p.name.symbol);
                }
            });
        };
        match &statement.kind {
            StatementKind::Assign(target, value) => {
                note(*value, &mut read);
                if let [part] = ast.lists.parts.get(target.parts)
                    && part.subscripts.is_empty()
                    && !read.contains(&part.name.symbol)
                {
                    sure.push(part.name.symbol);
                }
            }
            StatementKind::AssignTuple { targets, call } => {
                note(*call, &mut read);
                for target in targets.iter().flatten() {
                    if let [part] = ast.lists.parts.get(target.parts)
                        && part.subscripts.is_empty()
                        && !read.contains(&part.name.symbol)
                    {
                        sure.push(part.name.symbol);
                    }
                }
            }
            _ => {
                // Whatever is mentioned in a nested statement may be read there.
                let mut mention = |s: &Statement| match &s.kind {
                    StatementKind::Assign(target, value) => {
                        note(*value, &mut read);
                        if let Some(p) = ast.lists.parts.get(target.parts).first() {
                            read.insert(p.name.symbol);
                        }
                    }
                    StatementKind::AssignTuple { targets, call } => {
                        note(*call, &mut read);
                        for target in targets.iter().flatten() {
                            if let Some(p) = ast.lists.parts.get(target.parts).first() {
                                read.insert(p.name.symbol);
                            }
                        }
                    }
                    StatementKind::Call(e) => note(*e, &mut read),
                    StatementKind::If { branches, .. } | StatementKind::When { branches } => {
                        branches.iter().for_each(|(c, _)| note(*c, &mut read));
                    }
                    StatementKind::While { condition, .. } => note(*condition, &mut read),
                    StatementKind::For { iterators, .. } => {
                        for iterator in ast.lists.iterators.get(*iterators) {
                            if let Some(range) = iterator.range {
                                note(range, &mut read);
                            }
                        }
                    }
                    StatementKind::Break | StatementKind::Return => {}
                };
                crate::walk::statements(std::slice::from_ref(statement), &mut mention);
            }
        }
    }
    sure
}
