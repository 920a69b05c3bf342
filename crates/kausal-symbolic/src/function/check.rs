//! Is a function well-formed? For tests, after every step that makes functions.
//!
//! Afterwards: all ids exist, operators have their number of arguments, dimensions and kinds fit where they can be
//! told, and annotations name inputs, outputs and functions that exist.

use super::routine::Routine;
use super::typing::TermType;
use super::{ArrayFn, Body, Function, FunctionId, LocalId, Scalar, Stmt, Subscript, Target, Term, TermId};
use crate::node::Op;
use crate::pool::Pool;

/// Everything that is wrong with a function; nothing if it is well-formed.
pub fn check_function(pool: &Pool, id: FunctionId) -> Vec<String> {
    let Some(function) = pool.get_function(id) else {
        return vec![format!("function {} does not exist", id.0)];
    };
    let output =
        |called: FunctionId, number: u32| super::evaluator::output_type(pool.get_function(called)?, number);
    let routine = match Routine::new(function, &output) {
        Ok(routine) => routine,
        Err(error) => return vec![format!("{}: {error}", function.name)],
    };
    let mut checker = Checker { pool, function, types: &routine.types, problems: Vec::new() };
    checker.declarations();
    for (at, term) in function.terms.iter().enumerate() {
        checker.term(TermId(at as u32), term);
    }
    match &function.body {
        Body::Algorithm(statements) => checker.statements(statements, false),
        Body::External(_) => {}
    }
    checker.notes();
    checker.problems
}

struct Checker<'a> {
    pool: &'a Pool,
    function: &'a Function,
    types: &'a [TermType],
    problems: Vec<String>,
}

impl Checker<'_> {
    fn report(&mut self, problem: String) {
        self.problems.push(format!("{}: {problem}", self.function.name));
    }

    fn ty(&self, term: TermId) -> TermType {
        self.types[term.0 as usize]
    }

    fn called(&self, id: FunctionId) -> Option<&Function> {
        self.pool.get_function(id)
    }

    fn declarations(&mut self) {
        let all: Vec<LocalId> = self.function.inputs.iter().chain(&self.function.outputs).copied().collect();
        for (k, id) in all.iter().enumerate() {
            if all[..k].contains(id) {
                self.report(format!("{} is declared twice", self.function.local(*id).name));
            }
        }
        for local in &self.function.locals {
            if let Some(initial) = local.initial {
                self.fits(&local.name, local.dims.len(), local.scalar, initial);
            }
        }
    }

    /// Does a term fit a variable?
    fn fits(&mut self, name: &str, rank: usize, scalar: Scalar, value: TermId) {
        let ty = self.ty(value);
        if ty.rank.is_some_and(|found| usize::from(found) != rank) {
            self.report(format!("{name} with {rank} dimensions gets a value with {:?}", ty.rank));
        }
        if (ty.scalar == Scalar::String) != (scalar == Scalar::String) {
            self.report(format!("{name} gets a value of another kind"));
        }
    }

    fn scalar(&mut self, what: &str, term: TermId) {
        if self.ty(term).rank.is_some_and(|rank| rank != 0) {
            self.report(format!("{what} is not a scalar"));
        }
    }

    fn vector(&mut self, what: &str, term: TermId) {
        if self.ty(term).rank.is_some_and(|rank| rank != 1) {
            self.report(format!("{what} is not a vector"));
        }
    }

    fn term(&mut self, id: TermId, term: &Term) {
        match term {
            Term::Op(op, args) if !op_arity(*op, args.len()) => {
                self.report(format!("{op:?} with {} arguments (term {})", args.len(), id.0));
            }
            Term::Array(array_fn, args) if !array_arity(*array_fn, args.len()) => {
                self.report(format!("{array_fn:?} with {} arguments (term {})", args.len(), id.0));
            }
            Term::Index(array, subscripts)
                if self.ty(*array).rank.is_some_and(|rank| subscripts.len() > usize::from(rank)) =>
            {
                self.report(format!("too many subscripts (term {})", id.0));
            }
            Term::For(_, _, iterators) => {
                for (_, range) in iterators {
                    self.vector("the range of an iterator", *range);
                }
            }
            Term::Call(called, args, number) => self.call(*called, args, *number),
            _ => {}
        }
    }

    fn call(&mut self, id: FunctionId, args: &[TermId], number: u32) {
        let Some(called) = self.called(id) else {
            return self.report(format!("function {} does not exist", id.0));
        };
        let (inputs, outputs) = (called.inputs.len(), called.outputs.len());
        let missing = called.inputs.get(args.len()..).unwrap_or(&[]);
        let name = called.name.clone();
        if args.len() > inputs || missing.iter().any(|&input| called.local(input).initial.is_none()) {
            self.report(format!("{name} with {} arguments", args.len()));
        }
        if number as usize >= outputs && number > 0 {
            self.report(format!("{name} has no output {number}"));
        }
        for (k, &arg) in args.iter().enumerate().take(inputs) {
            let Some(called) = self.called(id) else { return };
            let input = called.local(called.inputs[k]);
            let (name, rank, scalar) =
                (format!("{}.{}", called.name, input.name), input.dims.len(), input.scalar);
            self.fits(&name, rank, scalar, arg);
        }
    }

    fn statements(&mut self, statements: &[Stmt], in_loop: bool) {
        for statement in statements {
            match statement {
                Stmt::Assign(target, value) => {
                    let name = self.function.local(target.local).name.clone();
                    if let Some(rank) = self.target_rank(target) {
                        self.fits(&name, rank, self.function.local(target.local).scalar, *value);
                    }
                }
                Stmt::AssignCall(targets, call) => {
                    if let Term::Call(called, ..) = self.function.term(*call)
                        && self.called(*called).is_some_and(|called| targets.len() > called.outputs.len())
                    {
                        self.report("more targets than outputs".to_owned());
                    }
                    for target in targets.iter().flatten() {
                        self.target_rank(target);
                    }
                }
                Stmt::If(branches, _) => {
                    for (condition, _) in branches {
                        self.scalar("a condition", *condition);
                    }
                }
                Stmt::For(_, range, _) => self.vector("the range of a loop", *range),
                Stmt::While(condition, _) => self.scalar("a condition", *condition),
                Stmt::Break if !in_loop => self.report("break outside a loop".to_owned()),
                Stmt::Break | Stmt::Return => {}
                Stmt::Assert(condition, message, level) => {
                    self.scalar("a condition", *condition);
                    self.scalar("the level of an assertion", *level);
                    if self.ty(*message).scalar != Scalar::String {
                        self.report("the message of an assertion is not a string".to_owned());
                    }
                }
                Stmt::Call(call) => {
                    if !matches!(self.function.term(*call), Term::Call(..)) {
                        self.report("a statement that is not a call".to_owned());
                    }
                }
            }
            let in_loop = in_loop || matches!(statement, Stmt::For(..) | Stmt::While(..));
            for block in statement.blocks() {
                self.statements(block, in_loop);
            }
        }
    }

    fn target_rank(&mut self, target: &Target) -> Option<usize> {
        let local = self.function.local(target.local);
        let rank = local.dims.len();
        if target.subscripts.len() > rank {
            self.report(format!("too many subscripts for {}", local.name));
            return None;
        }
        let mut left = rank;
        for subscript in &target.subscripts {
            if let Subscript::Index(index) = subscript {
                match self.ty(*index).rank? {
                    0 => left -= 1,
                    1 => {}
                    _ => self.report(format!("a subscript of {} is a matrix", local.name)),
                }
            }
        }
        Some(left)
    }

    fn notes(&mut self) {
        let notes = &self.function.notes;
        let is_input = |local: &LocalId| self.function.inputs.contains(local);
        let is_public = |local: &LocalId| is_input(local) || self.function.outputs.contains(local);
        let mut problems = Vec::new();
        for note in &notes.derivatives {
            if self.called(note.function).is_none() || note.order == 0 {
                problems.push("a derivative that does not exist");
            }
            if !note.zero.iter().chain(&note.none).all(is_input) {
                problems.push("a derivative annotation names what is no input");
            }
        }
        for note in &notes.inverses {
            if self.called(note.function).is_none() {
                problems.push("an inverse that does not exist");
            }
            if !is_input(&note.input) || !note.args.iter().all(is_public) {
                problems.push("an inverse annotation names what is no input or output");
            }
        }
        if !notes.normally_constant.iter().all(is_input) {
            problems.push("normallyConstant names what is no input");
        }
        for problem in problems {
            self.report(problem.to_owned());
        }
    }
}

/// May an operator have so many arguments?
pub fn op_arity(op: Op, count: usize) -> bool {
    match op {
        Op::Add | Op::Mul | Op::And | Op::Or => count >= 2,
        Op::If => count == 3,
        Op::Time | Op::Initial | Op::Terminal => count == 0,
        Op::Delay => (2..=3).contains(&count),
        Op::Div
        | Op::Pow
        | Op::Atan2
        | Op::Min
        | Op::Max
        | Op::IntegerDiv
        | Op::Mod
        | Op::Rem
        | Op::Less
        | Op::LessEqual
        | Op::Equal
        | Op::NotEqual
        | Op::Sample
        | Op::Smooth
        | Op::Homotopy => count == 2,
        _ => count == 1,
    }
}

/// May an array function have so many arguments?
pub(super) fn array_arity(array_fn: ArrayFn, count: usize) -> bool {
    match array_fn {
        ArrayFn::Construct => count >= 1,
        ArrayFn::Cat | ArrayFn::Fill | ArrayFn::Concat => count >= 2,
        ArrayFn::Range => (2..=3).contains(&count),
        ArrayFn::Product
        | ArrayFn::MatrixPower
        | ArrayFn::SizeOf
        | ArrayFn::OuterProduct
        | ArrayFn::Cross
        | ArrayFn::Promote => count == 2,
        ArrayFn::Linspace => count == 3,
        ArrayFn::ToString => (1..=4).contains(&count),
        _ => count == 1,
    }
}
