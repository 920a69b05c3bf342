//! Traces: which way an algorithm section went, as a number.
//!
//! Relations, `floor` and its kin cause events in algorithm sections as they do in equations (specification sections
//! 3.7.2, 8.5). Where a section has become formulas they are lifted like all others. A section that stays a call (loops
//! without known length, subscripts that are computed) hides them: what is compared is computed inside. Such a function
//! gets one more output, its trace. Every decision that depends on a continuous input changes it: a branch that was
//! taken, a round of a loop, the value of a relation or of `integer(x)` in a formula. Between events the trace is
//! constant; where it is not, there is an event.
//!
//! Before: a function with the annotation `GenerateEvents`, and which of its scalar arguments vary between events.
//! After: a function with the same outputs and one more, or nothing where no decision depends on what varies.

use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::function::typing::{TermType, term_types};
use kausal_symbolic::function::{
    ArrayFn, Body, Function, LocalId, Reduction, Scalar, Stmt, Subscript, Target, Term, TermId,
};
use kausal_symbolic::{Op, Pool};

/// A trace is below this, and what it is multiplied with keeps products exact in a double.
const MODULUS: f64 = 4_294_967_296.0;
const FACTOR: f64 = 1_664_525.0;
/// Decisions of one formula are added up with powers of this as weights.
const WEIGHT: f64 = 7_919.0;
/// Formulas nested deeper than this are not looked into.
const DEEPEST: usize = 100;

/// The function with its trace as last output.
pub(crate) fn traced(pool: &Pool, function: &Function, varying: &[bool]) -> Option<Function> {
    let Body::Algorithm(statements) = &function.body else { return None };
    let output = |called, k: u32| {
        let called = pool.function(called);
        let local = called.local(*called.outputs.get(k as usize)?);
        Some(TermType { scalar: local.scalar, rank: u8::try_from(local.dims.len()).ok() })
    };
    let mut tracer = Tracer {
        types: term_types(function, &output).ok()?,
        varies: varying_locals(function, varying)?,
        function: function.clone(),
        trace: LocalId(0),
        found: false,
    };
    tracer.trace = tracer.function.output("$trace", Scalar::Integer, &[]);
    let zero = tracer.function.number(0.0);
    tracer.function.set_initial(tracer.trace, zero);
    let statements = tracer.block(statements);
    tracer.function.body = Body::Algorithm(statements);
    tracer.found.then_some(tracer.function)
}

/// Which Real locals vary between events. What is not Real changes only where something is decided.
fn varying_locals(function: &Function, varying: &[bool]) -> Option<Vec<bool>> {
    let mut varies = vec![false; function.locals.len()];
    for entry in Layout::of_inputs(function)?.entries {
        let given = varying.get(entry.offset..entry.offset + entry.len)?;
        varies[entry.local.0 as usize] = entry.scalar == Scalar::Real && given.contains(&true);
    }
    let Body::Algorithm(statements) = &function.body else { return None };
    loop {
        let mut changed = false;
        let mut stack: Vec<&[Stmt]> = vec![statements];
        while let Some(block) = stack.pop() {
            for statement in block {
                stack.extend(statement.blocks());
                let (targets, value): (Vec<&Target>, TermId) = match statement {
                    Stmt::Assign(target, value) => (vec![target], *value),
                    Stmt::AssignCall(targets, value) => (targets.iter().flatten().collect(), *value),
                    _ => continue,
                };
                if !reads_varying(function, &varies, value) {
                    continue;
                }
                for target in targets {
                    let at = target.local.0 as usize;
                    changed |= function.locals[at].scalar == Scalar::Real && !varies[at];
                    varies[at] |= function.locals[at].scalar == Scalar::Real;
                }
            }
        }
        if !changed {
            return Some(varies);
        }
    }
}

fn reads_varying(function: &Function, varies: &[bool], root: TermId) -> bool {
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        match function.term(term) {
            Term::Local(local) if varies.get(local.0 as usize).copied().unwrap_or(false) => return true,
            Term::Op(Op::NoEvent, _) => {}
            term => stack.extend(term.parts()),
        }
    }
    false
}

struct Tracer {
    function: Function,
    /// Of the terms the function came with.
    types: Vec<TermType>,
    varies: Vec<bool>,
    trace: LocalId,
    /// Is there a decision to trace?
    found: bool,
}

impl Tracer {
    fn varies(&self, term: TermId) -> bool {
        reads_varying(&self.function, &self.varies, term)
    }

    fn type_of(&self, term: TermId) -> Option<TermType> {
        self.types.get(term.0 as usize).copied()
    }

    fn block(&mut self, statements: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(statements.len());
        for statement in statements {
            self.statement(statement, &mut out);
        }
        out
    }

    fn statement(&mut self, statement: &Stmt, out: &mut Vec<Stmt>) {
        match statement {
            Stmt::Assign(target, value) => {
                self.decided_in(*value, out);
                target.subscripts.iter().filter_map(Subscript::term).for_each(|s| self.decided_in(s, out));
                out.push(statement.clone());
            }
            Stmt::AssignCall(targets, call) => {
                self.decided_in(*call, out);
                out.push(statement.clone());
                if self.varies(*call) {
                    targets.iter().flatten().for_each(|target| self.assigned(target, out));
                }
            }
            Stmt::If(branches, _) if branches.iter().any(|(c, _)| self.is_rising(*c)) => {
                // Relations below `when` cause no events.
                out.push(statement.clone());
            }
            Stmt::If(branches, otherwise) => {
                let decides = branches.iter().any(|(condition, _)| self.varies(*condition));
                let mut marks = 0.0;
                let mut marked = |this: &mut Self, block: &[Stmt]| {
                    let mut body = Vec::new();
                    marks += 1.0;
                    if decides {
                        this.mark(marks, &mut body);
                    }
                    body.extend(this.block(block));
                    body
                };
                let branches =
                    branches.iter().map(|(condition, block)| (*condition, marked(self, block))).collect();
                out.push(Stmt::If(branches, marked(self, otherwise)));
            }
            Stmt::For(local, range, body) => {
                self.decided_in(*range, out);
                let body = self.block(body);
                out.push(Stmt::For(*local, *range, body));
            }
            Stmt::While(condition, body) => {
                let decides = self.varies(*condition);
                let mut inside = Vec::new();
                if decides {
                    self.mark(1.0, &mut inside);
                }
                inside.extend(self.block(body));
                out.push(Stmt::While(*condition, inside));
                if decides {
                    self.mark(2.0, out);
                }
            }
            Stmt::Call(call) => {
                self.decided_in(*call, out);
                out.push(statement.clone());
            }
            Stmt::Break | Stmt::Return | Stmt::Assert(..) => out.push(statement.clone()),
        }
    }

    /// Is it the condition of a `when` statement that has just become true?
    fn is_rising(&self, condition: TermId) -> bool {
        match self.function.term(condition) {
            Term::Op(Op::Or, args) => args.iter().any(|&arg| self.is_rising(arg)),
            Term::Op(Op::And, args) => match (&args[..], args.first().map(|&a| self.function.term(a))) {
                ([_, blocked], Some(Term::Local(now))) => {
                    let name = &self.function.local(*now).name;
                    let made = name.rsplit('.').next().is_some_and(|last| last.starts_with('$'));
                    made && matches!(self.function.term(*blocked), Term::Op(Op::Not, _))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// A value that is not Real, as it was assigned by a call.
    fn assigned(&mut self, target: &Target, out: &mut Vec<Stmt>) {
        let local = self.function.local(target.local);
        let scalar = local.scalar;
        if !local.dims.is_empty() || scalar == Scalar::Real {
            return;
        }
        let value = self.function.local_term(target.local);
        match scalar {
            Scalar::Integer | Scalar::Enumeration => self.mix(value, out),
            Scalar::Boolean => {
                let value = self.number_of(value);
                self.mix(value, out);
            }
            _ => {}
        }
    }

    fn mark(&mut self, number: f64, out: &mut Vec<Stmt>) {
        let number = self.function.number(number);
        self.mix(number, out);
    }

    /// What is decided while a formula is evaluated.
    fn decided_in(&mut self, term: TermId, out: &mut Vec<Stmt>) {
        if let Some(decided) = self.decisions(term, 0) {
            self.mix(decided, out);
        }
    }

    /// `trace := integer(mod(trace*FACTOR + value + 1, MODULUS))`
    fn mix(&mut self, value: TermId, out: &mut Vec<Stmt>) {
        self.found = true;
        let f = &mut self.function;
        let (trace, factor, one) = (f.local_term(self.trace), f.number(FACTOR), f.number(1.0));
        let product = f.op(Op::Mul, &[trace, factor]);
        let sum = f.op(Op::Add, &[product, value, one]);
        let modulus = f.number(MODULUS);
        let rest = f.op(Op::Mod, &[sum, modulus]);
        let rest = f.op(Op::Integer, &[rest]);
        out.push(Stmt::assign(self.trace, rest));
    }

    /// 1 where a Boolean is true.
    fn number_of(&mut self, truth: TermId) -> TermId {
        let (one, zero) = (self.function.number(1.0), self.function.number(0.0));
        self.function.op(Op::If, &[truth, one, zero])
    }

    /// A number that tells what is decided in a formula; nothing is evaluated that the formula does not evaluate.
    fn decisions(&mut self, term: TermId, depth: usize) -> Option<TermId> {
        if depth > DEEPEST || !self.varies(term) {
            return None;
        }
        let rank = self.type_of(term)?.rank;
        let parts = match self.function.term(term).clone() {
            Term::Op(Op::NoEvent | Op::Smooth, _) => return None,
            Term::Op(Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual | Op::And | Op::Or | Op::Not, _) => {
                return (rank == Some(0)).then(|| self.number_of(term));
            }
            Term::Op(Op::Floor | Op::Ceil | Op::Integer | Op::IntegerDiv | Op::Sign, _) => {
                return self.total(term, rank);
            }
            Term::Op(op @ (Op::Mod | Op::Rem), args) => {
                let whole = match op {
                    Op::Rem => self.function.op(Op::IntegerDiv, &args),
                    _ => {
                        let quotient = self.function.op(Op::Div, &args);
                        self.function.op(Op::Floor, &[quotient])
                    }
                };
                return self.total(whole, rank);
            }
            Term::Op(Op::If, args) if args.len() == 3 => return self.choice(&args, depth),
            Term::Call(_, args, _) => match self.type_of(term)?.scalar {
                Scalar::Integer | Scalar::Enumeration if rank == Some(0) => return Some(term),
                Scalar::Boolean if rank == Some(0) => return Some(self.number_of(term)),
                _ => args,
            },
            Term::For(_, body, iterators) => {
                let inside = self.decisions(body, depth + 1);
                let ranges: Vec<TermId> = iterators.iter().map(|(_, range)| *range).collect();
                let all = inside.map(|i| self.function.add(Term::For(Reduction::Sum, i, iterators)));
                let ranges = self.sum_of(&ranges, depth);
                return self.sum([all, ranges].into_iter().flatten().collect());
            }
            other => other.parts().to_vec(),
        };
        self.sum_of(&parts, depth)
    }

    /// `if c then a else b`: the condition, and what the branch that is taken decides.
    fn choice(&mut self, args: &[TermId], depth: usize) -> Option<TermId> {
        let (c, a, b) = (args[0], args[1], args[2]);
        let mut terms = Vec::new();
        if self.varies(c) && self.type_of(c)?.rank == Some(0) {
            terms.push(self.number_of(c));
        }
        let (yes, no) = (self.decisions(a, depth + 1), self.decisions(b, depth + 1));
        if yes.is_some() || no.is_some() {
            let zero = self.function.number(0.0);
            terms.push(self.function.op(Op::If, &[c, yes.unwrap_or(zero), no.unwrap_or(zero)]));
        }
        self.sum(terms)
    }

    fn sum_of(&mut self, parts: &[TermId], depth: usize) -> Option<TermId> {
        let terms = parts.iter().filter_map(|&part| self.decisions(part, depth + 1)).collect();
        self.sum(terms)
    }

    /// Numbers of several decisions as one.
    fn sum(&mut self, terms: Vec<TermId>) -> Option<TermId> {
        let mut terms = terms.into_iter();
        let mut all = terms.next()?;
        for term in terms {
            let weight = self.function.number(WEIGHT);
            let weighted = self.function.op(Op::Mul, &[all, weight]);
            all = self.function.op(Op::Add, &[weighted, term]);
        }
        Some(all)
    }

    /// A number, or all numbers of an array.
    fn total(&mut self, term: TermId, rank: Option<u8>) -> Option<TermId> {
        Some(if rank == Some(0) { term } else { self.function.array(ArrayFn::Sum, &[term]) })
    }
}

#[cfg(test)]
mod tests {
    use kausal_symbolic::function::{Evaluator, Function, Numbers, Scalar, Stmt, Value};
    use kausal_symbolic::{Op, Pool};

    use super::traced;

    /// `n := 0; while n < 10*x loop n := n + 1; end while;`
    fn counter() -> Function {
        let mut f = Function::named("counter");
        let x = f.input("x", Scalar::Real, &[]);
        let n = f.output("n", Scalar::Integer, &[]);
        let (zero, one, ten) = (f.number(0.0), f.number(1.0), f.number(10.0));
        f.push(Stmt::assign(n, zero));
        let (x, count) = (f.local_term(x), f.local_term(n));
        let limit = f.op(Op::Mul, &[ten, x]);
        let condition = f.op(Op::Less, &[count, limit]);
        let next = f.op(Op::Add, &[count, one]);
        f.push(Stmt::While(condition, vec![Stmt::assign(n, next)]));
        f
    }

    fn trace_at(pool: &Pool, id: kausal_symbolic::FunctionId, x: f64) -> (f64, f64) {
        let result = Evaluator::new(Numbers::new(pool)).call(id, &[Value::Scalar(x)]).expect("it runs");
        match &result[..] {
            [Value::Scalar(n), Value::Scalar(trace)] => (*n, *trace),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_trace_is_constant_as_long_as_every_decision_is() {
        let mut pool = Pool::new();
        let id = traced(&pool, &counter(), &[true]).map(|f| pool.add_function(f)).expect("it decides");
        let at = |x: f64| trace_at(&pool, id, x);
        assert_eq!(at(0.25).0, 3.0);
        assert_eq!(at(0.21), at(0.29));
        assert_ne!(at(0.29).1, at(0.31).1);
        assert_ne!(at(0.0).1, at(0.01).1);
    }

    #[test]
    fn what_does_not_vary_decides_nothing_between_events() {
        assert!(traced(&Pool::new(), &counter(), &[false]).is_none());
    }
}
