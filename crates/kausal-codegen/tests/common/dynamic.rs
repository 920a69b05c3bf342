//! Functions with strings and with arrays whose sizes come up in the run: made by hand, and random ones.

use kausal_symbolic::function::{
    ArrayFn, Dim, Function, LocalId, Reduction, Scalar, Stmt, Subscript, Target, Term, TermId,
};
use kausal_symbolic::{FunctionId, Op, Pool};

use super::functions::Random;

const REAL: Scalar = Scalar::Real;
const INTEGER: Scalar = Scalar::Integer;
const STRING: Scalar = Scalar::String;

/// `y` is the positive elements of `x`, longer with each round of a loop.
fn positive() -> Function {
    let mut f = Function::named("positive");
    let x = f.input("x", REAL, &[Dim::Unknown]);
    let y = f.output("y", REAL, &[Dim::Unknown]);
    let i = f.protected("i", INTEGER, &[]);
    let (tx, ty, ti, zero, one) =
        (f.local_term(x), f.local_term(y), f.local_term(i), f.number(0.0), f.number(1.0));
    let empty = f.array(ArrayFn::Fill, &[zero, zero]);
    f.push(Stmt::assign(y, empty));
    let size = f.array(ArrayFn::SizeOf, &[tx, one]);
    let range = f.array(ArrayFn::Range, &[one, size]);
    let element = f.index(tx, &[ti]);
    let above = f.op(Op::Less, &[zero, element]);
    let list = f.array(ArrayFn::Construct, &[element]);
    let longer = f.array(ArrayFn::Cat, &[one, ty, list]);
    f.push(Stmt::For(i, range, vec![Stmt::If(vec![(above, vec![Stmt::assign(y, longer)])], vec![])]));
    f
}

/// Calls it, in declarations and statements, with a matrix whose size is what comes of it.
fn caller(positive: FunctionId) -> Function {
    let mut f = Function::named("P.caller");
    let x = f.input("x", REAL, &[Dim::Known(4)]);
    let s = f.output("s", REAL, &[]);
    let trace = f.output("trace", REAL, &[]);
    let first = f.output("first", REAL, &[Dim::Known(2)]);
    let i = f.protected("i", INTEGER, &[]);
    let tx = f.local_term(x);
    let kept = f.call(positive, &[tx]);
    let p = f.protected("p", REAL, &[Dim::Unknown]);
    f.set_initial(p, kept);
    let (tp, one, two, three) = (f.local_term(p), f.number(1.0), f.number(2.0), f.number(3.0));
    let n = f.array(ArrayFn::SizeOf, &[tp, one]);
    let m = f.protected("m", REAL, &[Dim::Computed(n), Dim::Computed(n)]);
    let tm = f.local_term(m);
    let outer = f.array(ArrayFn::OuterProduct, &[tp, tp]);
    let identity = f.array(ArrayFn::Identity, &[n]);
    let sum = f.op(Op::Add, &[outer, identity]);
    f.push(Stmt::assign(m, sum));
    let cube = f.array(ArrayFn::MatrixPower, &[tm, three]);
    f.push(Stmt::assign(m, cube));
    let ti = f.local_term(i);
    let range = f.array(ArrayFn::Range, &[one, n]);
    let entry = f.index(tm, &[ti, ti]);
    let sum = f.add(Term::For(Reduction::Sum, entry, vec![(i, range)]));
    f.push(Stmt::assign(trace, sum));
    let product = f.array(ArrayFn::Product, &[tp, tm]);
    let product = f.array(ArrayFn::Product, &[product, tp]);
    f.push(Stmt::assign(s, product));
    let to_two = f.array(ArrayFn::Range, &[one, two]);
    let start = f.index(tp, &[to_two]);
    f.push(Stmt::assign(first, start));
    f
}

/// Words joined, compared and counted; an assertion whose message says what it is about.
fn words() -> Function {
    let mut f = Function::named("P.words");
    let names = f.input("names", STRING, &[Dim::Known(3)]);
    let x = f.input("x", REAL, &[]);
    let text = f.output("text", STRING, &[]);
    let before = f.output("before", INTEGER, &[]);
    let copies = f.output("copies", STRING, &[Dim::Known(2)]);
    let i = f.protected("i", INTEGER, &[]);
    let (tnames, tx, ttext, ti) = (f.local_term(names), f.local_term(x), f.local_term(text), f.local_term(i));
    let [one, two, three, zero, seven] = [1.0, 2.0, 3.0, 0.0, 7.0].map(|c| f.number(c));
    let positive = f.op(Op::LessEqual, &[zero, tx]);
    let written = f.array(ArrayFn::ToString, &[tx]);
    let negative = f.text("negative: ");
    let message = f.array(ArrayFn::Concat, &[negative, written]);
    f.push(Stmt::Assert(positive, message, two));
    let range = f.array(ArrayFn::Range, &[one, three]);
    let name = f.index(tnames, &[ti]);
    let (comma, water) = (f.text(", "), f.text("water"));
    let longer = f.op(Op::Add, &[ttext, comma, name]);
    let less = f.op(Op::Less, &[name, water]);
    let tbefore = f.local_term(before);
    let more = f.op(Op::Add, &[tbefore, one]);
    f.push(Stmt::For(
        i,
        range,
        vec![Stmt::assign(text, longer), Stmt::If(vec![(less, vec![Stmt::assign(before, more)])], vec![])],
    ));
    let exact = f.array(ArrayFn::ToString, &[tx, seven, seven, zero]);
    let format = f.text("+09.3e");
    let formatted = f.array(ArrayFn::ToString, &[tx, format]);
    let list = f.array(ArrayFn::Construct, &[exact, formatted]);
    let bracket = f.text("]");
    let list = f.op(Op::Add, &[list, bracket]);
    f.push(Stmt::assign(copies, list));
    let count = f.array(ArrayFn::ToString, &[tbefore]);
    let last = f.op(Op::Add, &[ttext, count]);
    f.push(Stmt::assign(text, last));
    f
}

/// `n` rounds that leave nothing behind: memory does not grow with them.
fn rounds() -> Function {
    let mut f = Function::named("P.rounds");
    let n = f.input("n", INTEGER, &[]);
    let y = f.output("y", REAL, &[]);
    let text = f.output("text", STRING, &[]);
    let v = f.protected("v", REAL, &[Dim::Unknown]);
    let i = f.protected("i", INTEGER, &[]);
    let (tn, ty, tv, ti) = (f.local_term(n), f.local_term(y), f.local_term(v), f.local_term(i));
    let [one, eight] = [1.0, 8.0].map(|c| f.number(c));
    let to_eight = f.array(ArrayFn::Range, &[one, eight]);
    let scaled = f.op(Op::Mul, &[to_eight, ti]);
    let sum = f.array(ArrayFn::Sum, &[tv]);
    let more = f.op(Op::Add, &[ty, sum]);
    let written = f.array(ArrayFn::ToString, &[ti]);
    let range = f.array(ArrayFn::Range, &[one, tn]);
    f.push(Stmt::For(
        i,
        range,
        vec![Stmt::assign(v, scaled), Stmt::assign(y, more), Stmt::assign(text, written)],
    ));
    f
}

/// Integers that grow until they are not exact, in a vector and in a number, and divided before that.
fn integers() -> Function {
    let mut f = Function::named("P.integers");
    let n = f.input("n", INTEGER, &[]);
    let sum = f.output("sum", INTEGER, &[]);
    let rest = f.output("rest", INTEGER, &[]);
    let v = f.protected("v", INTEGER, &[Dim::Unknown]);
    let (tn, tv, one, three) = (f.local_term(n), f.local_term(v), f.number(1.0), f.number(3.0));
    let range = f.array(ArrayFn::Range, &[one, three]);
    let scaled = f.op(Op::Mul, &[range, tn]);
    f.push(Stmt::assign(v, scaled));
    let squares = f.array(ArrayFn::Product, &[tv, tv]);
    let modulo = f.op(Op::Mod, &[squares, three]);
    f.push(Stmt::assign(rest, modulo));
    let total = f.array(ArrayFn::Sum, &[tv]);
    f.push(Stmt::assign(sum, total));
    f
}

/// An argument: numbers, or strings.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Number(f64),
    Text(String),
}

/// Numbers as arguments.
pub fn numbers(list: &[f64]) -> Vec<Argument> {
    list.iter().map(|&number| Argument::Number(number)).collect()
}

/// All functions made by hand, with arguments to call them with.
pub fn samples(pool: &mut Pool) -> Vec<(FunctionId, Vec<Argument>)> {
    let positive = pool.add_function(positive());
    let caller = pool.add_function(caller(positive));
    let words = pool.add_function(words());
    let rounds = pool.add_function(rounds());
    let integers = pool.add_function(integers());
    let with = |x: f64| {
        let mut list: Vec<Argument> =
            ["steam", "\u{e4}ther \"x\"?", "air"].map(|text| Argument::Text(text.to_owned())).to_vec();
        list.push(Argument::Number(x));
        list
    };
    let mut calls: Vec<(FunctionId, Vec<Argument>)> = vec![
        (caller, numbers(&[1.0, -2.0, 0.5, 3.0])),
        (caller, numbers(&[-1.0, -2.0, 0.5, -3.0])),
        (caller, numbers(&[0.25, 2.0, 0.5, 3.0])),
        (rounds, numbers(&[200_000.0])),
        (rounds, numbers(&[0.0])),
    ];
    calls.extend([5.0, 1e7, 1e8, 1e15, 4e15].map(|n| (integers, numbers(&[n]))));
    calls.extend([0.0, 1.5, 1e7 / 3.0, -2.0, f64::NAN, f64::INFINITY].map(|x| (words, with(x))));
    calls
}

/// A random function of three numbers and a string. Its vector `v`, its list `names` and its string `s` have whatever size.
pub fn random(seed: u64) -> Function {
    let mut f = Function::named(&format!("random_{seed}"));
    let x = f.input("x", REAL, &[Dim::Known(3)]);
    let word = f.input("word", STRING, &[]);
    let y = f.output("y", REAL, &[]);
    let z = f.output("z", REAL, &[Dim::Known(2)]);
    let s = f.output("s", STRING, &[]);
    let size = f.output("size", INTEGER, &[]);
    let v = f.protected("v", REAL, &[Dim::Unknown]);
    let names = f.protected("names", STRING, &[Dim::Unknown]);
    let counters: Vec<LocalId> = (0..6).map(|k| f.protected(&format!("i{k}"), INTEGER, &[])).collect();
    let mut maker = Maker {
        f,
        random: Random(seed.wrapping_mul(91) + 11),
        x,
        word,
        y,
        z,
        s,
        v,
        names,
        counters,
        active: 0,
    };
    let count = 4 + maker.random.below(6);
    let body: Vec<Stmt> = (0..count).map(|_| maker.statement(2)).collect();
    body.into_iter().for_each(|statement| maker.f.push(statement));
    let (tv, tnames, one) = (maker.f.local_term(v), maker.f.local_term(names), maker.f.number(1.0));
    let (n, m) = (maker.f.array(ArrayFn::SizeOf, &[tv, one]), maker.f.array(ArrayFn::SizeOf, &[tnames, one]));
    let both = maker.f.op(Op::Add, &[n, m]);
    maker.f.push(Stmt::assign(size, both));
    maker.f
}

struct Maker {
    f: Function,
    random: Random,
    x: LocalId,
    word: LocalId,
    y: LocalId,
    z: LocalId,
    s: LocalId,
    v: LocalId,
    names: LocalId,
    counters: Vec<LocalId>,
    active: usize,
}

impl Maker {
    fn statement(&mut self, depth: usize) -> Stmt {
        match self.random.below(if depth == 0 { 9 } else { 13 }) {
            0 => {
                let value = self.number(3);
                Stmt::assign(self.y, value)
            }
            1 | 2 => {
                let value = self.vector(3);
                Stmt::assign(self.v, value)
            }
            3 => {
                let parts = [self.number(2), self.number(2)];
                let value = self.f.array(ArrayFn::Construct, &parts);
                Stmt::assign(self.z, value)
            }
            4 | 5 => {
                let value = self.text(3);
                Stmt::assign(self.s, value)
            }
            6 => {
                let value = self.texts(2);
                Stmt::assign(self.names, value)
            }
            7 => {
                // The first element, which now and then there may not be.
                let (index, value) = (self.f.number(1.0), self.number(2));
                let assign = Stmt::assign_element(self.v, &[index], value);
                let vector = self.local(self.v);
                let some = self.some(vector);
                match self.random.below(6) {
                    0 => assign,
                    _ => Stmt::If(vec![(some, vec![assign])], vec![]),
                }
            }
            8 => {
                // z[{2, 1}] := z
                let [one, two] = [1.0, 2.0].map(|c| self.f.number(c));
                let list = self.f.array(ArrayFn::Construct, &[two, one]);
                let value = self.f.local_term(self.z);
                Stmt::Assign(Target { local: self.z, subscripts: vec![Subscript::Index(list)] }, value)
            }
            9 | 10 => {
                let condition = self.condition();
                let [then, otherwise] = std::array::from_fn(|_| self.block(depth - 1));
                Stmt::If(vec![(condition, then)], otherwise)
            }
            11 if self.active < 3 => {
                let local = self.counters[self.active];
                let range = if self.random.below(2) == 0 {
                    self.vector(1)
                } else {
                    let (one, stop) = (self.f.number(1.0), self.random.below(4) as f64);
                    let stop = self.f.number(stop);
                    self.f.array(ArrayFn::Range, &[one, stop])
                };
                self.active += 1;
                let mut body = self.block(depth - 1);
                if self.random.below(3) == 0 {
                    let condition = self.condition();
                    body.push(Stmt::If(vec![(condition, vec![Stmt::Break])], vec![]));
                }
                self.active -= 1;
                Stmt::For(local, range, body)
            }
            _ => {
                let (condition, message, two) = (self.condition(), self.text(2), self.f.number(2.0));
                let never = self.f.number(0.0);
                let level = self.f.op(Op::Max, &[two, never]);
                // Mostly true.
                let word = self.f.local_term(self.word);
                let rare = self.f.text("steam");
                let other = self.f.op(Op::NotEqual, &[word, rare]);
                let holds = self.f.op(Op::Or, &[other, condition]);
                Stmt::Assert(holds, message, level)
            }
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        (0..1 + self.random.below(3)).map(|_| self.statement(depth)).collect()
    }

    /// Has a vector any elements?
    fn some(&mut self, vector: TermId) -> TermId {
        let one = self.f.number(1.0);
        let size = self.f.array(ArrayFn::SizeOf, &[vector, one]);
        self.f.op(Op::LessEqual, &[one, size])
    }

    fn local(&mut self, local: LocalId) -> TermId {
        self.f.local_term(local)
    }

    fn number(&mut self, depth: usize) -> TermId {
        let leaf = depth == 0 || self.random.below(4) == 0;
        match self.random.below(if leaf { 4 } else { 12 }) {
            0 => {
                let value = [0.0, 1.0, -1.5, 2.0, 1234567.25][self.random.below(5)];
                self.f.number(value)
            }
            1 => self.local(self.y),
            2 => {
                let (array, k) = (self.local(self.x), 1 + self.random.below(3));
                let k = self.f.number(k as f64);
                self.f.index(array, &[k])
            }
            3 if self.active > 0 => {
                let local = self.counters[self.random.below(self.active)];
                self.local(local)
            }
            3 | 4 => {
                let (value, one) = (self.vector(depth.saturating_sub(1)), self.f.number(1.0));
                self.f.array(ArrayFn::SizeOf, &[value, one])
            }
            5 => {
                let (condition, a, b) = (self.condition(), self.number(depth - 1), self.number(depth - 1));
                self.f.op(Op::If, &[condition, a, b])
            }
            6 | 7 => {
                let value = self.vector(depth - 1);
                let array_fn =
                    [ArrayFn::Sum, ArrayFn::MinOf, ArrayFn::MaxOf, ArrayFn::ProductOf][self.random.below(4)];
                self.f.array(array_fn, &[value])
            }
            8 => {
                let a = self.vector(depth - 1);
                self.f.array(ArrayFn::Product, &[a, a])
            }
            9 => {
                let (range, body) = (self.vector(depth - 1), self.number(depth - 1));
                let reduction = [Reduction::Sum, Reduction::Product, Reduction::Min, Reduction::Max]
                    [self.random.below(4)];
                let counter = self.counters[3 + self.random.below(3)];
                let term = self.local(counter);
                let body = self.f.op(Op::Add, &[body, term]);
                self.f.add(Term::For(reduction, body, vec![(counter, range)]))
            }
            k => {
                let op = [Op::Add, Op::Mul][k - 10];
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.f.op(op, &[a, b])
            }
        }
    }

    fn vector(&mut self, depth: usize) -> TermId {
        match self.random.below(if depth == 0 { 3 } else { 10 }) {
            0 => self.local(self.x),
            1 | 2 => self.local(self.v),
            3 => {
                let parts: Vec<TermId> =
                    (0..1 + self.random.below(3)).map(|_| self.number(depth - 1)).collect();
                self.f.array(ArrayFn::Construct, &parts)
            }
            4 => {
                let (a, b, one) = (self.vector(depth - 1), self.vector(depth - 1), self.f.number(1.0));
                self.f.array(ArrayFn::Cat, &[one, a, b])
            }
            5 => {
                let (a, s) = (self.vector(depth - 1), self.number(depth - 1));
                self.f.op(Op::Mul, &[a, s])
            }
            6 => {
                // The first n elements, in reverse; now and then there may be fewer.
                let (a, n) = (self.vector(depth - 1), self.random.below(4) as f64);
                let [mut n, one, minus] = [n, 1.0, -1.0].map(|c| self.f.number(c));
                if self.random.below(6) > 0 {
                    let size = self.f.array(ArrayFn::SizeOf, &[a, one]);
                    n = self.f.op(Op::Min, &[n, size]);
                }
                let range = self.f.array(ArrayFn::Range, &[n, minus, one]);
                self.f.index(a, &[range])
            }
            7 => {
                let (value, n) = (self.number(depth - 1), self.random.below(4) as f64);
                let n = self.f.number(n);
                self.f.array(ArrayFn::Fill, &[value, n])
            }
            8 => {
                let (condition, a, b) = (self.condition(), self.vector(depth - 1), self.vector(depth - 1));
                self.f.op(Op::If, &[condition, a, b])
            }
            _ => {
                let (range, body) = (self.vector(depth - 1), self.number(depth - 1));
                let counter = self.counters[3 + self.random.below(3)];
                let term = self.local(counter);
                let body = self.f.op(Op::Mul, &[body, term]);
                self.f.add(Term::For(Reduction::Array, body, vec![(counter, range)]))
            }
        }
    }

    fn text(&mut self, depth: usize) -> TermId {
        match self.random.below(if depth == 0 { 3 } else { 8 }) {
            0 => self.local(self.word),
            1 => self.local(self.s),
            2 => {
                let text = ["", "a", "steam", "\u{fc}"][self.random.below(4)];
                self.f.text(text)
            }
            3 | 4 => {
                let (a, b) = (self.text(depth - 1), self.text(depth - 1));
                self.f.array(ArrayFn::Concat, &[a, b])
            }
            5 => {
                let value = self.number(depth - 1);
                match self.random.below(3) {
                    0 => self.f.array(ArrayFn::ToString, &[value]),
                    1 => {
                        let options =
                            [1 + self.random.below(12), self.random.below(15), self.random.below(2)];
                        let [digits, width, left] = options.map(|option| self.f.number(option as f64));
                        self.f.array(ArrayFn::ToString, &[value, digits, width, left])
                    }
                    _ => {
                        let format = ["g", ".3f", "-12.2e", "+.1f", " 08.3g", "#G", "d", "E", "%x"]
                            [self.random.below(9)];
                        let format = self.f.text(format);
                        self.f.array(ArrayFn::ToString, &[value, format])
                    }
                }
            }
            6 => {
                let (list, one) = (self.texts(depth - 1), self.f.number(1.0));
                let first = self.f.index(list, &[one]);
                let (some, other) = (self.some(list), self.text(depth - 1));
                self.f.op(Op::If, &[some, first, other])
            }
            _ => {
                let (condition, a, b) = (self.condition(), self.text(depth - 1), self.text(depth - 1));
                self.f.op(Op::If, &[condition, a, b])
            }
        }
    }

    fn texts(&mut self, depth: usize) -> TermId {
        match self.random.below(if depth == 0 { 1 } else { 4 }) {
            0 => self.local(self.names),
            1 => {
                let parts: Vec<TermId> =
                    (0..1 + self.random.below(3)).map(|_| self.text(depth - 1)).collect();
                self.f.array(ArrayFn::Construct, &parts)
            }
            2 => {
                let (a, b, one) = (self.texts(depth - 1), self.texts(depth - 1), self.f.number(1.0));
                self.f.array(ArrayFn::Cat, &[one, a, b])
            }
            _ => {
                let value = self.vector(depth - 1);
                self.f.array(ArrayFn::ToString, &[value])
            }
        }
    }

    fn condition(&mut self) -> TermId {
        match self.random.below(4) {
            0 => {
                let (a, b) = (self.text(1), self.text(1));
                let op = [Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual][self.random.below(4)];
                self.f.op(op, &[a, b])
            }
            1 => {
                // Looked at from left to right, and only as far as needed.
                let (value, one) = (self.local(self.v), self.f.number(1.0));
                let some = self.some(value);
                let first = self.f.index(value, &[one]);
                let small = self.number(1);
                let above = self.f.op(Op::Less, &[small, first]);
                self.f.op(Op::And, &[some, above])
            }
            _ => {
                let (a, b) = (self.number(1), self.number(1));
                self.f.op(Op::Less, &[a, b])
            }
        }
    }
}
