//! Calls that were made already.
//!
//! A call whose result is a record or an array stands in a function once for each part that is used:
//! `f(x, g(x))` with a record of thirteen numbers calls `g` thirteen times. Functions without effects give the same for the
//! same arguments, so the first call serves all that follow: those in its own block and in blocks inside that one, for
//! as long as no argument is written to.

use kausal_symbolic::function::Value;

use super::{Operand, OperandId, Stmt};

/// A call with what it gave.
struct Made {
    routine: usize,
    arguments: Vec<Operand>,
    outputs: Vec<Value<OperandId>>,
    /// How many blocks it is inside of.
    level: u32,
}

/// Calls whose results are known at the present place of a function.
#[derive(Default)]
pub(super) struct MadeCalls {
    list: Vec<Made>,
    level: u32,
}

impl MadeCalls {
    /// What this call would give.
    pub fn find(&self, routine: usize, arguments: &[Operand]) -> Option<Vec<Value<OperandId>>> {
        let same = |made: &&Made| {
            made.routine == routine
                && made.arguments.len() == arguments.len()
                && made.arguments.iter().zip(arguments).all(|(a, b)| is_same(a, b))
        };
        self.list.iter().find(same).map(|made| made.outputs.clone())
    }

    /// Takes note of a call.
    pub fn add(&mut self, routine: usize, arguments: Vec<Operand>, outputs: Vec<Value<OperandId>>) {
        self.list.push(Made { routine, arguments, outputs, level: self.level });
    }

    /// A statement follows: calls with arguments that it writes to are not the same any more.
    pub fn written(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Set(slot, _) => {
                self.list.retain(|made| !made.arguments.contains(&Operand::Slot(*slot)));
            }
            Stmt::Put(array, ..) => {
                let reads = |a: &Operand| matches!(a, Operand::Element(from, _) if from == array);
                self.list.retain(|made| !made.arguments.iter().any(reads));
            }
            _ => {}
        }
    }

    /// A block begins, which may not be run.
    pub fn enter(&mut self) {
        self.level += 1;
    }

    /// It ends; nothing in it is known outside.
    pub fn leave(&mut self) {
        self.level -= 1;
        self.list.retain(|made| made.level <= self.level);
    }

    /// A loop begins or has ended: what is known before its first round need not be true in its second.
    pub fn forget(&mut self) {
        self.list.clear();
    }
}

/// Have both the same value, where neither is written to? Zeros of different sign are different numbers.
fn is_same(a: &Operand, b: &Operand) -> bool {
    match (a, b) {
        (Operand::Const(a), Operand::Const(b)) => a.to_bits() == b.to_bits() && !a.is_nan(),
        (Operand::Const(_), _) | (_, Operand::Const(_)) => false,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use kausal_symbolic::function::{Function, LocalId, Scalar, Stmt as Source, Term, TermId};
    use kausal_symbolic::{FunctionId, Op, Pool};

    use super::super::lower::{Routines, visit};
    use super::super::{Routine, Stmt};

    /// `g(x)` with the outputs `x + 1` and `x + 2`.
    fn two_outputs(pool: &mut Pool) -> FunctionId {
        let mut g = Function::named("g");
        let x = g.input("x", Scalar::Real, &[]);
        for (name, number) in [("a", 1.0), ("b", 2.0)] {
            let output = g.output(name, Scalar::Real, &[]);
            let (x, number) = (g.local_term(x), g.number(number));
            let sum = g.op(Op::Add, &[x, number]);
            g.push(Source::assign(output, sum));
        }
        pool.add_function(g)
    }

    /// A function of x that makes what `body` says of `y` and of calls of both outputs of `g`; its routine.
    fn routine(
        body: impl FnOnce(&mut Function, LocalId, LocalId, &dyn Fn(&mut Function, u32) -> TermId),
    ) -> Routine {
        let mut pool = Pool::new();
        let g = two_outputs(&mut pool);
        let mut f = Function::named("f");
        let x = f.input("x", Scalar::Real, &[]);
        let y = f.output("y", Scalar::Real, &[]);
        let call = move |f: &mut Function, output: u32| {
            let x = f.local_term(x);
            f.add(Term::Call(g, vec![x], output))
        };
        body(&mut f, x, y, &call);
        let f = pool.add_function(f);
        let mut routines = Routines::default();
        let at = routines.closed(&pool, f).expect("it has numbers only");
        routines.list[at].clone()
    }

    fn calls(routine: &Routine) -> usize {
        let mut calls = 0;
        visit(&routine.body, &mut |statement| calls += usize::from(matches!(statement, Stmt::Call(..))));
        calls
    }

    #[test]
    fn outputs_of_one_call_take_one_call() {
        let routine = routine(|f, _, y, call| {
            let (a, b) = (call(f, 0), call(f, 1));
            let product = f.op(Op::Mul, &[a, b]);
            f.push(Source::assign(y, product));
            let b = call(f, 1);
            f.push(Source::assign(y, b));
        });
        assert_eq!(calls(&routine), 1);
    }

    #[test]
    fn a_changed_argument_takes_another_call() {
        let routine = routine(|f, x, y, call| {
            let a = call(f, 0);
            f.push(Source::assign(y, a));
            f.push(Source::assign(x, a));
            let b = call(f, 1);
            f.push(Source::assign(y, b));
        });
        assert_eq!(calls(&routine), 2);
    }

    #[test]
    fn a_call_in_a_branch_is_not_known_behind_it() {
        let routine = routine(|f, x, y, call| {
            let (a, zero, x) = (call(f, 0), f.number(0.0), f.local_term(x));
            let positive = f.op(Op::Less, &[zero, x]);
            f.push(Source::If(vec![(positive, vec![Source::assign(y, a)])], vec![Source::assign(y, zero)]));
            let b = call(f, 1);
            let y_now = f.local_term(y);
            let sum = f.op(Op::Add, &[y_now, b]);
            f.push(Source::assign(y, sum));
        });
        assert_eq!(calls(&routine), 2);
    }

    /// `while y < x loop y := y + g(x).a; x := x - g(x).b;`: the call before the loop is not that of its rounds.
    #[test]
    fn rounds_of_a_loop_call_anew() {
        let routine = routine(|f, x, y, call| {
            let a = call(f, 0);
            f.push(Source::assign(y, a));
            let [a, b] = [0, 1].map(|output| call(f, output));
            let (x_now, y_now) = (f.local_term(x), f.local_term(y));
            let sum = f.op(Op::Add, &[y_now, a]);
            let minus = f.op(Op::Neg, &[b]);
            let rest = f.op(Op::Add, &[x_now, minus]);
            let goes_on = f.op(Op::Less, &[y_now, x_now]);
            f.push(Source::While(goes_on, vec![Source::assign(y, sum), Source::assign(x, rest)]));
        });
        assert_eq!(calls(&routine), 2);
    }
}
