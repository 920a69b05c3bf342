//! Making functions, and walking over what they consist of.
//!
//! ```
//! use kausal_symbolic::function::{Function, Numbers, Evaluator, Scalar, Stmt, Value};
//! use kausal_symbolic::{Op, Pool};
//! let mut f = Function::named("square");
//! let x = f.input("x", Scalar::Real, &[]);
//! let y = f.output("y", Scalar::Real, &[]);
//! let value = f.local_term(x);
//! let square = f.op(Op::Mul, &[value, value]);
//! f.push(Stmt::assign(y, square));
//! let mut pool = Pool::new();
//! let id = pool.add_function(f);
//! let result = Evaluator::new(Numbers::new(&pool)).call(id, &[Value::Scalar(3.0)])?;
//! assert_eq!(result, [Value::Scalar(9.0)]);
//! # Ok::<(), kausal_symbolic::function::EvalError>(())
//! ```

use smallvec::SmallVec;

use super::{
    ArrayFn, Body, Dim, Function, FunctionId, Local, LocalId, Scalar, Stmt, Subscript, Target, Term, TermId,
};
use crate::node::Op;

impl Function {
    /// A function that does nothing yet.
    pub fn named(name: &str) -> Self {
        Function { name: name.to_owned(), ..Function::default() }
    }

    /// A local variable.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    /// An expression.
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    /// Adds an input.
    pub fn input(&mut self, name: &str, scalar: Scalar, dims: &[Dim]) -> LocalId {
        let id = self.protected(name, scalar, dims);
        self.inputs.push(id);
        id
    }

    /// Adds an output.
    pub fn output(&mut self, name: &str, scalar: Scalar, dims: &[Dim]) -> LocalId {
        let id = self.protected(name, scalar, dims);
        self.outputs.push(id);
        id
    }

    /// Adds a protected variable.
    pub fn protected(&mut self, name: &str, scalar: Scalar, dims: &[Dim]) -> LocalId {
        self.locals.push(Local { name: name.to_owned(), scalar, dims: dims.to_vec(), initial: None });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// Gives a variable an initial value, or an input a default.
    pub fn set_initial(&mut self, local: LocalId, value: TermId) {
        self.locals[local.0 as usize].initial = Some(value);
    }

    /// Adds an expression.
    pub fn add(&mut self, term: Term) -> TermId {
        self.terms.push(term);
        TermId(self.terms.len() as u32 - 1)
    }

    /// A number.
    pub fn number(&mut self, value: f64) -> TermId {
        self.add(Term::Const(value))
    }

    /// A string.
    pub fn text(&mut self, text: &str) -> TermId {
        self.add(Term::Text(text.to_owned()))
    }

    /// The value of a local variable.
    pub fn local_term(&mut self, local: LocalId) -> TermId {
        self.add(Term::Local(local))
    }

    /// An operator, element by element.
    pub fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.add(Term::Op(op, args.to_vec()))
    }

    /// An array function.
    pub fn array(&mut self, array_fn: ArrayFn, args: &[TermId]) -> TermId {
        self.add(Term::Array(array_fn, args.to_vec()))
    }

    /// Elements, by scalar or vector subscripts.
    pub fn index(&mut self, array: TermId, subscripts: &[TermId]) -> TermId {
        let subscripts = subscripts.iter().map(|&index| Subscript::Index(index)).collect();
        self.add(Term::Index(array, subscripts))
    }

    /// The first output of a call.
    pub fn call(&mut self, function: FunctionId, args: &[TermId]) -> TermId {
        self.add(Term::Call(function, args.to_vec(), 0))
    }

    /// Adds a statement at the end. A function with a foreign body gets an algorithm instead.
    pub fn push(&mut self, statement: Stmt) {
        match &mut self.body {
            Body::Algorithm(statements) => statements.push(statement),
            Body::External(_) => self.body = Body::Algorithm(vec![statement]),
        }
    }

    /// The place of a local among the inputs.
    pub fn input_position(&self, local: LocalId) -> Option<usize> {
        self.inputs.iter().position(|&input| input == local)
    }

    /// Every expression that a declaration or a statement names.
    pub fn for_each_root(&self, visit: &mut dyn FnMut(TermId)) {
        for local in &self.locals {
            local.initial.into_iter().for_each(&mut *visit);
            for dim in &local.dims {
                if let Dim::Computed(size) = dim {
                    visit(*size);
                }
            }
        }
        match &self.body {
            Body::External(external) => external.args.iter().for_each(|&arg| visit(arg)),
            Body::Algorithm(statements) => {
                let mut stack: Vec<&[Stmt]> = vec![statements];
                while let Some(block) = stack.pop() {
                    for statement in block {
                        statement.for_each_term(visit);
                        stack.extend(statement.blocks());
                    }
                }
            }
        }
    }
}

impl Term {
    /// The expressions it consists of.
    pub fn parts(&self) -> SmallVec<[TermId; 4]> {
        match self {
            Term::Const(_) | Term::Text(_) | Term::Local(_) | Term::Outer(_) => SmallVec::new(),
            Term::Index(array, subscripts) => {
                let mut parts = SmallVec::from_slice(&[*array]);
                parts.extend(subscripts.iter().filter_map(Subscript::term));
                parts
            }
            Term::Op(_, args) | Term::Array(_, args) | Term::Call(_, args, _) => SmallVec::from_slice(args),
            Term::For(_, body, iterators) => {
                let mut parts = SmallVec::from_slice(&[*body]);
                parts.extend(iterators.iter().map(|(_, range)| *range));
                parts
            }
        }
    }
}

impl Subscript {
    /// The expression, if it is one.
    pub fn term(&self) -> Option<TermId> {
        match self {
            Subscript::All => None,
            Subscript::Index(term) => Some(*term),
        }
    }
}

impl Target {
    /// The whole of a local variable.
    pub fn whole(local: LocalId) -> Self {
        Target { local, subscripts: Vec::new() }
    }

    /// Elements of a local variable.
    pub fn elements(local: LocalId, subscripts: &[TermId]) -> Self {
        Target { local, subscripts: subscripts.iter().map(|&index| Subscript::Index(index)).collect() }
    }
}

impl Stmt {
    /// `local := value`
    pub fn assign(local: LocalId, value: TermId) -> Self {
        Stmt::Assign(Target::whole(local), value)
    }

    /// `local[subscripts] := value`
    pub fn assign_element(local: LocalId, subscripts: &[TermId], value: TermId) -> Self {
        Stmt::Assign(Target::elements(local, subscripts), value)
    }

    /// The statements inside it, branch by branch.
    pub fn blocks(&self) -> SmallVec<[&[Stmt]; 4]> {
        match self {
            Stmt::If(branches, otherwise) => {
                let mut blocks: SmallVec<[&[Stmt]; 4]> = branches.iter().map(|(_, body)| &body[..]).collect();
                blocks.push(otherwise);
                blocks
            }
            Stmt::For(_, _, body) | Stmt::While(_, body) => SmallVec::from_slice(&[&body[..]]),
            _ => SmallVec::new(),
        }
    }

    /// The locals it assigns itself, not those of the statements inside.
    pub fn for_each_local(&self, visit: &mut dyn FnMut(LocalId)) {
        match self {
            Stmt::Assign(target, _) => visit(target.local),
            Stmt::AssignCall(targets, _) => targets.iter().flatten().for_each(|target| visit(target.local)),
            Stmt::For(local, _, _) => visit(*local),
            _ => {}
        }
    }

    /// The expressions it names itself, not those of the statements inside.
    pub fn for_each_term(&self, visit: &mut dyn FnMut(TermId)) {
        let subscripts = |target: &Target, visit: &mut dyn FnMut(TermId)| {
            target.subscripts.iter().filter_map(Subscript::term).for_each(visit);
        };
        match self {
            Stmt::Assign(target, value) => {
                subscripts(target, visit);
                visit(*value);
            }
            Stmt::AssignCall(targets, call) => {
                targets.iter().flatten().for_each(|target| subscripts(target, visit));
                visit(*call);
            }
            Stmt::If(branches, _) => branches.iter().for_each(|(condition, _)| visit(*condition)),
            Stmt::For(_, term, _) | Stmt::While(term, _) | Stmt::Call(term) => visit(*term),
            Stmt::Break | Stmt::Return => {}
            Stmt::Assert(condition, message, level) => {
                [*condition, *message, *level].into_iter().for_each(visit);
            }
        }
    }
}
