//! A small notation for building functions in tests.
#![allow(dead_code)]

use std::ops::{Add, Div, Mul, Neg, Sub};

use kausal_symbolic::function::{
    Array, ArrayFn, Dim, EvalError, Evaluator, Function, FunctionId, LocalId, Numbers, Reduction, Scalar,
    Stmt, Subscript, Target, Term, TermId, Value, check::check_function,
};
use kausal_symbolic::{Op, Pool};

/// An expression, before it becomes a term.
#[derive(Clone, Debug)]
pub enum E {
    N(f64),
    S(String),
    L(LocalId),
    Op(Op, Vec<E>),
    A(ArrayFn, Vec<E>),
    /// `None` is `:`.
    I(Box<E>, Vec<Option<E>>),
    C(FunctionId, Vec<E>, u32),
    For(Reduction, Box<E>, Vec<(LocalId, E)>),
}

impl From<f64> for E {
    fn from(value: f64) -> E {
        E::N(value)
    }
}

impl From<LocalId> for E {
    fn from(local: LocalId) -> E {
        E::L(local)
    }
}

impl From<&str> for E {
    fn from(text: &str) -> E {
        E::S(text.to_owned())
    }
}

macro_rules! binary {
    ($trait:ident, $method:ident, $make:expr) => {
        impl<T: Into<E>> $trait<T> for E {
            type Output = E;
            fn $method(self, other: T) -> E {
                let make: fn(E, E) -> E = $make;
                make(self, other.into())
            }
        }
    };
}

binary!(Add, add, |a, b| E::Op(Op::Add, vec![a, b]));
binary!(Sub, sub, |a, b| E::Op(Op::Add, vec![a, E::Op(Op::Neg, vec![b])]));
binary!(Mul, mul, |a, b| E::Op(Op::Mul, vec![a, b]));
binary!(Div, div, |a, b| E::Op(Op::Div, vec![a, b]));

impl Neg for E {
    type Output = E;
    fn neg(self) -> E {
        E::Op(Op::Neg, vec![self])
    }
}

pub fn e(x: impl Into<E>) -> E {
    x.into()
}

pub fn op<const N: usize>(op: Op, args: [E; N]) -> E {
    E::Op(op, args.to_vec())
}

pub fn arr<const N: usize>(array_fn: ArrayFn, args: [E; N]) -> E {
    E::A(array_fn, args.to_vec())
}

pub fn less(a: impl Into<E>, b: impl Into<E>) -> E {
    op(Op::Less, [a.into(), b.into()])
}

pub fn equal(a: impl Into<E>, b: impl Into<E>) -> E {
    op(Op::Equal, [a.into(), b.into()])
}

pub fn at<const N: usize>(array: impl Into<E>, subscripts: [E; N]) -> E {
    E::I(Box::new(array.into()), subscripts.into_iter().map(Some).collect())
}

pub fn size(array: impl Into<E>, dimension: f64) -> E {
    arr(ArrayFn::SizeOf, [array.into(), e(dimension)])
}

pub fn range(from: impl Into<E>, to: impl Into<E>) -> E {
    arr(ArrayFn::Range, [from.into(), to.into()])
}

pub fn vector<const N: usize>(parts: [E; N]) -> E {
    arr(ArrayFn::Construct, parts)
}

pub fn call<const N: usize>(function: FunctionId, args: [E; N]) -> E {
    E::C(function, args.to_vec(), 0)
}

pub const R: Scalar = Scalar::Real;
pub const INT: Scalar = Scalar::Integer;

/// Builds one function.
pub struct B {
    pub f: Function,
}

impl B {
    pub fn new(name: &str) -> B {
        B { f: Function::named(name) }
    }

    pub fn real_in(&mut self, name: &str) -> LocalId {
        self.f.input(name, R, &[])
    }

    pub fn real_out(&mut self, name: &str) -> LocalId {
        self.f.output(name, R, &[])
    }

    pub fn real(&mut self, name: &str) -> LocalId {
        self.f.protected(name, R, &[])
    }

    pub fn int(&mut self, name: &str) -> LocalId {
        self.f.protected(name, INT, &[])
    }

    pub fn t(&mut self, x: impl Into<E>) -> TermId {
        match x.into() {
            E::N(value) => self.f.number(value),
            E::S(text) => self.f.text(&text),
            E::L(local) => self.f.local_term(local),
            E::Op(op, args) => {
                let args = self.ts(args);
                self.f.op(op, &args)
            }
            E::A(array_fn, args) => {
                let args = self.ts(args);
                self.f.array(array_fn, &args)
            }
            E::I(array, subscripts) => {
                let array = self.t(*array);
                let subscripts = self.subscripts(subscripts);
                self.f.add(Term::Index(array, subscripts))
            }
            E::C(function, args, number) => {
                let args = self.ts(args);
                self.f.add(Term::Call(function, args, number))
            }
            E::For(reduction, body, iterators) => {
                let body = self.t(*body);
                let iterators = iterators.into_iter().map(|(local, range)| (local, self.t(range))).collect();
                self.f.add(Term::For(reduction, body, iterators))
            }
        }
    }

    fn ts(&mut self, args: Vec<E>) -> Vec<TermId> {
        args.into_iter().map(|arg| self.t(arg)).collect()
    }

    fn subscripts(&mut self, list: Vec<Option<E>>) -> Vec<Subscript> {
        list.into_iter()
            .map(|subscript| match subscript {
                None => Subscript::All,
                Some(index) => Subscript::Index(self.t(index)),
            })
            .collect()
    }

    pub fn computed(&mut self, size: E) -> Dim {
        Dim::Computed(self.t(size))
    }

    pub fn initial(&mut self, local: LocalId, value: E) {
        let value = self.t(value);
        self.f.set_initial(local, value);
    }

    pub fn set(&mut self, local: LocalId, value: impl Into<E>) -> Stmt {
        Stmt::assign(local, self.t(value))
    }

    pub fn set_at<const N: usize>(
        &mut self,
        local: LocalId,
        subscripts: [E; N],
        value: impl Into<E>,
    ) -> Stmt {
        self.set_slice(local, subscripts.into_iter().map(Some).collect(), value)
    }

    pub fn set_slice(&mut self, local: LocalId, subscripts: Vec<Option<E>>, value: impl Into<E>) -> Stmt {
        let subscripts = self.subscripts(subscripts);
        let value = self.t(value);
        Stmt::Assign(Target { local, subscripts }, value)
    }

    pub fn set_call(&mut self, targets: &[Option<LocalId>], call: E) -> Stmt {
        let call = self.t(call);
        Stmt::AssignCall(targets.iter().map(|target| target.map(Target::whole)).collect(), call)
    }

    pub fn if_(&mut self, condition: E, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
        Stmt::If(vec![(self.t(condition), then)], otherwise)
    }

    pub fn for_(&mut self, local: LocalId, range: E, body: Vec<Stmt>) -> Stmt {
        Stmt::For(local, self.t(range), body)
    }

    pub fn while_(&mut self, condition: E, body: Vec<Stmt>) -> Stmt {
        Stmt::While(self.t(condition), body)
    }

    pub fn assert_(&mut self, condition: E, message: E, level: f64) -> Stmt {
        Stmt::Assert(self.t(condition), self.t(message), self.t(level))
    }

    pub fn body(&mut self, statements: Vec<Stmt>) {
        for statement in statements {
            self.f.push(statement);
        }
    }

    /// Adds the function to the pool and checks it.
    pub fn done(self, pool: &mut Pool) -> FunctionId {
        let id = pool.add_function(self.f);
        assert_eq!(check_function(pool, id), Vec::<String>::new());
        id
    }
}

pub fn num(value: f64) -> Value<f64> {
    Value::Scalar(value)
}

pub fn vec_of(data: &[f64]) -> Value<f64> {
    Value::vector(data.to_vec())
}

pub fn mat(rows: &[&[f64]]) -> Value<f64> {
    let width = rows.first().map_or(0, |row| row.len());
    Array::from_vec(&[rows.len(), width], rows.concat()).unwrap().into()
}

pub fn run(pool: &Pool, function: FunctionId, args: &[Value<f64>]) -> Result<Vec<Value<f64>>, EvalError> {
    Evaluator::new(Numbers::new(pool)).call(function, args)
}

/// The value of an expression without variables.
pub fn value_of(x: impl Into<E>) -> Result<Value<f64>, EvalError> {
    let mut b = B::new("expression");
    let term = b.t(x);
    let pool = Pool::new();
    Evaluator::new(Numbers::new(&pool)).term(&b.f, term, &[])
}
