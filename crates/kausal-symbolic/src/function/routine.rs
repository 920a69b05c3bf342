//! A function made ready to run.
//!
//! Everything that can be decided once is decided here: that all ids exist, in which order local variables are
//! set up, which terms are single numbers, and that no term is nested deeper than the evaluator may recurse.
//! Long sums, products and concatenations, which come in as `((a + b) + c) + …`, become one operator.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::integers::divides_integers;
use super::typing::{BadTerm, TermType, term_order, term_types};
use super::{
    ArrayFn, Body, Dim, EvalError, EvalErrorKind, Function, FunctionId, LocalId, Scalar, Stmt, Subscript,
    Term, TermId,
};
use crate::node::Op;

/// Terms nested deeper than this are refused.
pub const MAX_TERM_DEPTH: u32 = 250;

/// Statements nested deeper than this are refused.
pub const MAX_STATEMENT_DEPTH: u32 = 100;

/// A function made ready to run.
#[derive(Clone, Debug)]
pub struct Routine {
    /// The function; long chains of one operator are flattened.
    pub(super) function: Function,
    /// The type of every term.
    pub(super) types: Vec<TermType>,
    /// Every term once more, if it is a single number of a frequent kind.
    pub(super) short: Vec<Short>,
    /// Local variables that have to be set up, in an order in which each needs only earlier ones.
    pub(super) setup: Vec<LocalId>,
    /// Can the local change its size?
    pub(super) flexible: Vec<bool>,
    /// External objects it makes for itself, in the order in which they are made.
    pub(super) objects: Vec<LocalId>,
}

/// A term that is one number and is evaluated often.
#[derive(Clone, Copy, Debug)]
pub(super) enum Short {
    Const(f64),
    Local(LocalId),
    Op1(Op, TermId),
    Op2(Op, TermId, TermId),
    Element1(LocalId, TermId),
    Element2(LocalId, TermId, TermId),
    /// Something else.
    Long,
}

impl Short {
    fn new(function: &Function, types: &[TermType], term: &Term) -> Self {
        let number = |term: TermId| types[term.0 as usize].is_number();
        match term {
            Term::Const(value) => Short::Const(*value),
            Term::Local(local) => Short::Local(*local),
            Term::Op(Op::If | Op::And | Op::Or, _) => Short::Long,
            Term::Op(op, args) if divides_integers(*op, &args_types(types, args)) => Short::Long,
            Term::Op(op, args) => match args[..] {
                [a] if number(a) => Short::Op1(*op, a),
                [a, b] if number(a) && number(b) => Short::Op2(*op, a, b),
                _ => Short::Long,
            },
            Term::Index(array, subscripts) => match (&function.terms[array.0 as usize], &subscripts[..]) {
                (Term::Local(local), &[Subscript::Index(i)]) if number(i) => Short::Element1(*local, i),
                (Term::Local(local), &[Subscript::Index(i), Subscript::Index(j)])
                    if number(i) && number(j) =>
                {
                    Short::Element2(*local, i, j)
                }
                _ => Short::Long,
            },
            _ => Short::Long,
        }
    }
}

fn args_types(types: &[TermType], args: &[TermId]) -> SmallVec<[TermType; 2]> {
    args.iter().map(|arg| types[arg.0 as usize]).collect()
}

impl Routine {
    /// Makes a function ready. `output` tells the types of outputs of other functions.
    pub fn new(
        function: &Function,
        output: &dyn Fn(FunctionId, u32) -> Option<TermType>,
    ) -> Result<Self, EvalError> {
        let mut function = function.clone();
        check_locals(&function)?;
        let types = term_types(&function, output).map_err(|bad| malformed(&bad))?;
        if depth(&function)? > MAX_TERM_DEPTH {
            flatten_chains(&mut function);
            if depth(&function)? > MAX_TERM_DEPTH {
                return Err(EvalErrorKind::Malformed("an expression is nested too deeply".into()).into());
            }
        }
        let setup = setup_order(&function)?;
        let flexible = function.locals.iter().map(|local| local.dims.contains(&Dim::Unknown)).collect();
        let short =
            function.terms.iter().zip(&types).map(|(term, ty)| {
                if ty.is_number() { Short::new(&function, &types, term) } else { Short::Long }
            });
        let short = short.collect();
        let own = |id: &&LocalId| {
            let local = function.local(**id);
            local.scalar == Scalar::External && local.initial.is_some() && !function.inputs.contains(id)
        };
        let objects = match function.body {
            Body::Algorithm(_) => setup.iter().filter(own).copied().collect(),
            Body::External(_) => Vec::new(),
        };
        Ok(Routine { function, types, short, setup, flexible, objects })
    }

    /// The function.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// What is known of a term.
    pub fn type_of(&self, term: TermId) -> TermType {
        self.types[term.0 as usize]
    }

    /// Local variables that have to be set up, in an order in which each needs only earlier ones.
    pub fn setup(&self) -> &[LocalId] {
        &self.setup
    }

    /// Can the local variable change its size?
    pub fn is_flexible(&self, local: LocalId) -> bool {
        self.flexible[local.0 as usize]
    }

    pub(super) fn term(&self, term: TermId) -> &Term {
        &self.function.terms[term.0 as usize]
    }

    /// Local variables that the sizes of inputs and outputs depend on.
    pub(super) fn needed_for_sizes(&self) -> FxHashSet<LocalId> {
        let function = &self.function;
        let sizes_of = |id: LocalId| {
            function.local(id).dims.iter().filter_map(|dim| match dim {
                Dim::Computed(size) => Some(*size),
                _ => None,
            })
        };
        let mut needed = FxHashSet::default();
        let mut open: Vec<TermId> =
            function.inputs.iter().chain(&function.outputs).flat_map(|&id| sizes_of(id)).collect();
        // Arguments that are missing are asked for as well.
        open.extend(function.inputs.iter().filter_map(|&input| function.local(input).initial));
        needed.extend(function.inputs.iter().copied());
        while let Some(root) = open.pop() {
            let mut locals = Vec::new();
            locals_of(function, root, &mut locals);
            for local in locals {
                if needed.insert(local) {
                    open.extend(sizes_of(local).chain(function.local(local).initial));
                }
            }
        }
        needed
    }

    /// Does the operator divide Integers with a remainder?
    pub(super) fn divides_integers(&self, op: Op, args: &[TermId]) -> bool {
        divides_integers(op, &args_types(&self.types, args))
    }

    pub(super) fn is_number(&self, term: TermId) -> bool {
        self.types[term.0 as usize].is_number()
    }
}

fn malformed(bad: &BadTerm) -> EvalError {
    let text = match bad {
        BadTerm::Missing(term) => format!("expression {} does not exist", term.0),
        BadTerm::NoLocal(term) => format!("expression {} names no local variable", term.0),
        BadTerm::Cyclic(term) => format!("expression {} contains itself", term.0),
    };
    EvalErrorKind::Malformed(text).into()
}

/// All locals and terms that declarations and statements name exist.
fn check_locals(function: &Function) -> Result<(), EvalError> {
    let local = |id: LocalId| (id.0 as usize) < function.locals.len();
    let mut ok = function.inputs.iter().chain(&function.outputs).all(|&id| local(id));
    function.for_each_root(&mut |id| ok &= (id.0 as usize) < function.terms.len());
    match &function.body {
        Body::External(external) => ok &= external.result.is_none_or(local),
        Body::Algorithm(statements) => {
            let mut stack: Vec<(&[Stmt], u32)> = vec![(statements, 1)];
            while let Some((block, depth)) = stack.pop() {
                if depth > MAX_STATEMENT_DEPTH {
                    return Err(EvalErrorKind::Malformed("statements are nested too deeply".into()).into());
                }
                for statement in block {
                    statement.for_each_local(&mut |id| ok &= local(id));
                    stack.extend(statement.blocks().into_iter().map(|inner| (inner, depth + 1)));
                }
            }
        }
    }
    if ok { Ok(()) } else { Err(EvalErrorKind::Malformed("a name without a meaning".into()).into()) }
}

/// How deeply the terms that are evaluated are nested.
fn depth(function: &Function) -> Result<u32, EvalError> {
    let order = term_order(function).map_err(|bad| malformed(&bad))?;
    let mut used = vec![false; function.terms.len()];
    function.for_each_root(&mut |root| used[root.0 as usize] = true);
    for &term in order.iter().rev() {
        if used[term.0 as usize] {
            for part in function.terms[term.0 as usize].parts() {
                used[part.0 as usize] = true;
            }
        }
    }
    let mut depths = vec![0u32; function.terms.len()];
    let mut deepest = 0;
    for term in order {
        if used[term.0 as usize] {
            let parts = function.terms[term.0 as usize].parts();
            let inner = parts.iter().map(|part| depths[part.0 as usize]).max().unwrap_or(0);
            depths[term.0 as usize] = inner + 1;
            deepest = deepest.max(inner + 1);
        }
    }
    Ok(deepest)
}

#[derive(Clone, Copy, PartialEq)]
enum Chain {
    Op(Op),
    Concat,
}

fn chain(term: &Term) -> Option<(Chain, &Vec<TermId>)> {
    match term {
        Term::Op(op @ (Op::Add | Op::Mul | Op::And | Op::Or), args) => Some((Chain::Op(*op), args)),
        Term::Array(ArrayFn::Concat, args) => Some((Chain::Concat, args)),
        _ => None,
    }
}

/// `((a + b) + c) + d` becomes one sum. Only the longest chains are rewritten, so this is linear.
fn flatten_chains(function: &mut Function) {
    let mut inside = vec![false; function.terms.len()];
    for term in &function.terms {
        if let Some((kind, args)) = chain(term)
            && let Some(first) = args.first()
            && chain(&function.terms[first.0 as usize]).is_some_and(|(inner, _)| inner == kind)
        {
            inside[first.0 as usize] = true;
        }
    }
    for (at, inside) in inside.into_iter().enumerate() {
        let Some((kind, _)) = chain(&function.terms[at]) else { continue };
        if inside {
            continue;
        }
        let mut reversed: Vec<TermId> = Vec::new();
        let mut next = TermId(at as u32);
        while let Some((inner, args)) = chain(&function.terms[next.0 as usize])
            && inner == kind
            && let Some((first, rest)) = args.split_first()
        {
            reversed.extend(rest.iter().rev());
            next = *first;
        }
        reversed.push(next);
        reversed.reverse();
        if let Term::Op(_, args) | Term::Array(_, args) = &mut function.terms[at] {
            *args = reversed;
        }
    }
}

/// The locals with sizes or initial values, each after those it needs (specification section 12.4.4).
fn setup_order(function: &Function) -> Result<Vec<LocalId>, EvalError> {
    let count = function.locals.len();
    let mut needs: Vec<Vec<LocalId>> = Vec::with_capacity(count);
    for (at, local) in function.locals.iter().enumerate() {
        let mut needed = Vec::new();
        let is_input = function.inputs.contains(&LocalId(at as u32));
        let sizes = local.dims.iter().filter_map(|dim| match dim {
            Dim::Computed(size) if !is_input => Some(*size),
            _ => None,
        });
        for root in sizes.chain(local.initial) {
            locals_of(function, root, &mut needed);
        }
        needed.retain(|id| id.0 as usize != at);
        needs.push(needed);
    }
    let mut order = Vec::new();
    let mut state = vec![0u8; count];
    for root in 0..count as u32 {
        let mut stack = vec![(LocalId(root), false)];
        while let Some((local, leave)) = stack.pop() {
            let at = local.0 as usize;
            if leave {
                state[at] = 2;
                let declared = &function.locals[at];
                if declared.initial.is_some() || !declared.dims.is_empty() {
                    order.push(local);
                }
                continue;
            }
            if state[at] == 2 {
                continue;
            }
            if state[at] == 1 {
                return Err(EvalErrorKind::Cyclic(function.locals[at].name.clone()).into());
            }
            state[at] = 1;
            stack.push((local, true));
            for &needed in &needs[at] {
                match state[needed.0 as usize] {
                    0 => stack.push((needed, false)),
                    1 => return Err(EvalErrorKind::Cyclic(function.locals[at].name.clone()).into()),
                    _ => {}
                }
            }
        }
    }
    Ok(order)
}

/// The locals a term reads.
pub(super) fn locals_of(function: &Function, root: TermId, locals: &mut Vec<LocalId>) {
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        let term = &function.terms[term.0 as usize];
        if let Term::Local(local) = term
            && !locals.contains(local)
        {
            locals.push(*local);
        }
        stack.extend(term.parts());
    }
}
