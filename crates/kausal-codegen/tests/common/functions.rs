//! Functions to run: made by hand, one a feature, and random ones.

use kausal_symbolic::function::{
    ArrayFn, Dim, Function, LocalId, Reduction, Scalar, Stmt, Subscript, Target, Term, TermId,
};
use kausal_symbolic::{FunctionId, Op, Pool};

/// A function with arguments to call it with.
pub struct Sample {
    pub id: FunctionId,
    pub name: &'static str,
    pub arguments: Vec<Vec<f64>>,
}

const REAL: Scalar = Scalar::Real;
const INTEGER: Scalar = Scalar::Integer;

/// Shorthand for terms.
trait Terms {
    fn v(&mut self, local: LocalId) -> TermId;
    fn c(&mut self, value: f64) -> TermId;
    fn sub(&mut self, a: TermId, b: TermId) -> TermId;
    fn range(&mut self, a: TermId, b: TermId) -> TermId;
    fn at(&mut self, local: LocalId, index: &[TermId]) -> TermId;
}

impl Terms for Function {
    fn v(&mut self, local: LocalId) -> TermId {
        self.local_term(local)
    }
    fn c(&mut self, value: f64) -> TermId {
        self.number(value)
    }
    fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let minus = self.op(Op::Neg, &[b]);
        self.op(Op::Add, &[a, minus])
    }
    fn range(&mut self, a: TermId, b: TermId) -> TermId {
        self.array(ArrayFn::Range, &[a, b])
    }
    fn at(&mut self, local: LocalId, index: &[TermId]) -> TermId {
        let array = self.v(local);
        self.index(array, index)
    }
}

/// `y = A*x + cross(x, {1, 2, 3})*s`, `z = transpose(A)*A`, with negative parts and a norm.
fn algebra() -> Function {
    let mut f = Function::named("Vectors.algebra");
    let a = f.input("A", REAL, &[Dim::Known(3), Dim::Known(3)]);
    let x = f.input("x", REAL, &[Dim::Known(3)]);
    let s = f.input("s", REAL, &[]);
    let y = f.output("y", REAL, &[Dim::Known(3)]);
    let z = f.output("z", REAL, &[Dim::Known(3), Dim::Known(3)]);
    let n = f.output("n", REAL, &[]);
    let (ta, tx, ts) = (f.v(a), f.v(x), f.v(s));
    let product = f.array(ArrayFn::Product, &[ta, tx]);
    let [c1, c2, c3] = [1.0, 2.0, 3.0].map(|c| f.c(c));
    let vector = f.array(ArrayFn::Construct, &[c1, c2, c3]);
    let cross = f.array(ArrayFn::Cross, &[tx, vector]);
    let scaled = f.op(Op::Mul, &[cross, ts]);
    let sum = f.op(Op::Add, &[product, scaled]);
    f.push(Stmt::assign(y, sum));
    let transposed = f.array(ArrayFn::Transpose, &[ta]);
    let square = f.array(ArrayFn::Product, &[transposed, ta]);
    let skew = f.array(ArrayFn::Skew, &[tx]);
    let difference = f.sub(square, skew);
    f.push(Stmt::assign(z, difference));
    let ty = f.v(y);
    let inner = f.array(ArrayFn::Product, &[ty, ty]);
    let norm = f.op(Op::Sqrt, &[inner]);
    f.push(Stmt::assign(n, norm));
    f
}

/// Horner's rule over `size(c, 1)`, downwards.
fn polynomial() -> Function {
    let mut f = Function::named("polynomial");
    let c = f.input("c", REAL, &[Dim::Known(5)]);
    let x = f.input("x", REAL, &[]);
    let y = f.output("y", REAL, &[]);
    let n = f.protected("n", INTEGER, &[]);
    let i = f.protected("i", INTEGER, &[]);
    let (tc, one, minus, zero) = (f.v(c), f.c(1.0), f.c(-1.0), f.c(0.0));
    let size = f.array(ArrayFn::SizeOf, &[tc, one]);
    f.set_initial(n, size);
    f.push(Stmt::assign(y, zero));
    let (tn, ti, ty, tx) = (f.v(n), f.v(i), f.v(y), f.v(x));
    let range = f.array(ArrayFn::Range, &[tn, minus, one]);
    let product = f.op(Op::Mul, &[ty, tx]);
    let element = f.at(c, &[ti]);
    let next = f.op(Op::Add, &[product, element]);
    f.push(Stmt::For(i, range, vec![Stmt::assign(y, next)]));
    f
}

/// Insertion sort: `while` with a guard, computed subscripts, an input that is changed.
fn sort() -> Function {
    let mut f = Function::named("sort");
    let x = f.input("x", REAL, &[Dim::Known(6)]);
    let y = f.output("y", REAL, &[Dim::Known(6)]);
    let [i, j] = ["i", "j"].map(|name| f.protected(name, INTEGER, &[]));
    let key = f.protected("key", REAL, &[]);
    let (tx, ti, tj, tkey) = (f.v(x), f.v(i), f.v(j), f.v(key));
    let [one, two, six, zero] = [1.0, 2.0, 6.0, 0.0].map(|c| f.c(c));
    f.push(Stmt::assign(y, tx));
    let (current, before) = (f.at(y, &[ti]), f.sub(ti, one));
    let above = f.op(Op::Add, &[tj, one]);
    let here = f.at(y, &[tj]);
    let positive = f.op(Op::Less, &[zero, tj]);
    let larger = f.op(Op::Less, &[tkey, here]);
    let both = f.op(Op::And, &[positive, larger]);
    let down = f.sub(tj, one);
    let range = f.range(two, six);
    f.push(Stmt::For(
        i,
        range,
        vec![
            Stmt::assign(key, current),
            Stmt::assign(j, before),
            Stmt::While(both, vec![Stmt::assign_element(y, &[above], here), Stmt::assign(j, down)]),
            Stmt::assign_element(y, &[above], tkey),
        ],
    ));
    f
}

/// Linear interpolation in a table: search by `while`, an early `return` outside, an assertion.
fn table() -> Function {
    let mut f = Function::named("table");
    let t = f.input("table", REAL, &[Dim::Known(4), Dim::Known(2)]);
    let u = f.input("u", REAL, &[]);
    let y = f.output("y", REAL, &[]);
    let i = f.protected("i", INTEGER, &[]);
    let (tu, ti) = (f.v(u), f.v(i));
    let [one, two, four, ten] = [1.0, 2.0, 4.0, 10.0].map(|c| f.c(c));
    let inside = f.op(Op::Less, &[tu, ten]);
    let message = f.text("u is too large");
    f.push(Stmt::Assert(inside, message, two));
    let first = f.at(t, &[one, one]);
    let below = f.op(Op::LessEqual, &[tu, first]);
    let lowest = f.at(t, &[one, two]);
    f.push(Stmt::If(vec![(below, vec![Stmt::assign(y, lowest), Stmt::Return])], vec![]));
    f.push(Stmt::assign(i, one));
    let next = f.op(Op::Add, &[ti, one]);
    let abscissa = f.at(t, &[next, one]);
    let beyond = f.op(Op::Less, &[abscissa, tu]);
    let end = f.op(Op::Equal, &[next, four]);
    f.push(Stmt::While(beyond, vec![Stmt::If(vec![(end, vec![Stmt::Break])], vec![Stmt::assign(i, next)])]));
    let [x0, y0, y1] = [f.at(t, &[ti, one]), f.at(t, &[ti, two]), f.at(t, &[next, two])];
    let (dx, dy, du) = (f.sub(abscissa, x0), f.sub(y1, y0), f.sub(tu, x0));
    let slope = f.op(Op::Div, &[dy, dx]);
    let rise = f.op(Op::Mul, &[slope, du]);
    let value = f.op(Op::Add, &[y0, rise]);
    f.push(Stmt::assign(y, value));
    f
}

/// Sums and lists over iterators, and slices that overlap.
fn comprehensions() -> Function {
    let mut f = Function::named("comprehensions");
    let x = f.input("x", REAL, &[Dim::Known(4)]);
    let y = f.output("y", REAL, &[Dim::Known(2), Dim::Known(3)]);
    let s = f.output("s", REAL, &[]);
    let m = f.output("m", REAL, &[]);
    let z = f.output("z", REAL, &[Dim::Known(4)]);
    let [i, j] = ["i", "j"].map(|name| f.protected(name, INTEGER, &[]));
    let (tx, ti, tj) = (f.v(x), f.v(i), f.v(j));
    let [one, two, three, four] = [1.0, 2.0, 3.0, 4.0].map(|c| f.c(c));
    let (to_two, to_three, to_four) = (f.range(one, two), f.range(one, three), f.range(one, four));
    let (xi, xj) = (f.at(x, &[ti]), f.at(x, &[tj]));
    let entry = f.op(Op::Mul, &[xi, tj]);
    // The first iterator is the innermost: the result is 2 by 3.
    let list = f.add(Term::For(Reduction::Array, entry, vec![(i, to_three), (j, to_two)]));
    f.push(Stmt::assign(y, list));
    let cube = f.op(Op::Pow, &[xi, three]);
    let sum = f.add(Term::For(Reduction::Sum, cube, vec![(i, to_four)]));
    f.push(Stmt::assign(s, sum));
    let difference = f.sub(xi, xj);
    let most = f.add(Term::For(Reduction::Max, difference, vec![(i, to_four), (j, to_four)]));
    f.push(Stmt::assign(m, most));
    f.push(Stmt::assign(z, tx));
    // z[1:3] := z[2:4]; z[{4, 1}] := z[{1, 4}]
    let up = f.range(two, four);
    let tz = f.v(z);
    let shifted = f.index(tz, &[up]);
    f.push(Stmt::Assign(Target { local: z, subscripts: vec![Subscript::Index(to_three)] }, shifted));
    let (ends, swapped) =
        (f.array(ArrayFn::Construct, &[four, one]), f.array(ArrayFn::Construct, &[one, four]));
    let exchanged = f.index(tz, &[swapped]);
    f.push(Stmt::Assign(Target { local: z, subscripts: vec![Subscript::Index(ends)] }, exchanged));
    f
}

/// `f(n) = if n < 2 then n else f(n - 1) + f(n - 2)`; for a negative n it asks for itself without end.
fn fibonacci(itself: FunctionId) -> Function {
    let mut f = Function::named("fibonacci");
    let n = f.input("n", REAL, &[]);
    let y = f.output("y", REAL, &[]);
    let (tn, one, two) = (f.v(n), f.c(1.0), f.c(2.0));
    let (a, b) = (f.sub(tn, one), f.sub(tn, two));
    let (fa, fb) = (f.call(itself, &[a]), f.call(itself, &[b]));
    let sum = f.op(Op::Add, &[fa, fb]);
    let zero = f.c(0.0);
    let small = f.op(Op::Less, &[tn, two]);
    let natural = f.op(Op::LessEqual, &[zero, tn]);
    let base = f.op(Op::And, &[small, natural]);
    let value = f.op(Op::If, &[base, tn, sum]);
    f.push(Stmt::assign(y, value));
    f
}

/// Two results of one call, of which one is dropped the second time; sizes from a computed dimension.
fn caller(algebra: FunctionId) -> Function {
    let mut f = Function::named("caller");
    let x = f.input("x", REAL, &[Dim::Known(3)]);
    let y = f.output("y", REAL, &[Dim::Known(3)]);
    let n = f.output("n", REAL, &[]);
    let k = f.protected("k", INTEGER, &[]);
    let i = f.protected("i", INTEGER, &[]);
    let (tx, one, half) = (f.v(x), f.c(1.0), f.c(0.5));
    let size = f.array(ArrayFn::SizeOf, &[tx, one]);
    f.set_initial(k, size);
    let tk = f.v(k);
    let w = f.protected("w", REAL, &[Dim::Computed(tk), Dim::Computed(tk)]);
    let tw = f.v(w);
    let identity = f.array(ArrayFn::Identity, &[tk]);
    let call = f.call(algebra, &[identity, tx, half]);
    f.push(Stmt::AssignCall(vec![Some(Target::whole(y)), Some(Target::whole(w)), None], call));
    let ty = f.v(y);
    let again = f.call(algebra, &[tw, ty, one]);
    let range = f.range(one, tk);
    f.push(Stmt::For(
        i,
        range,
        vec![Stmt::AssignCall(vec![Some(Target::whole(y)), None, Some(Target::whole(n))], again)],
    ));
    f
}

/// A subscript that may be out of bounds, and one that is guarded.
fn subscripts() -> Function {
    let mut f = Function::named("subscripts");
    let x = f.input("x", REAL, &[Dim::Known(3)]);
    let k = f.input("k", INTEGER, &[]);
    let [y, z] = ["y", "z"].map(|name| f.output(name, REAL, &[]));
    let (tk, three) = (f.v(k), f.c(3.0));
    let element = f.at(x, &[tk]);
    let small = f.op(Op::LessEqual, &[tk, three]);
    let zero = f.c(0.0);
    let positive = f.op(Op::Less, &[zero, element]);
    let guarded = f.op(Op::And, &[small, positive]);
    let minus = f.c(-1.0);
    let chosen = f.op(Op::If, &[small, element, minus]);
    let sum = f.op(Op::Add, &[chosen, guarded]);
    f.push(Stmt::assign(y, sum));
    let two = f.c(2.0);
    let half = f.op(Op::Div, &[tk, two]);
    let strict = f.at(x, &[half]);
    f.push(Stmt::assign(z, strict));
    f
}

/// Integers that grow until they are not exact: kept in a variable, and divided before that. The same in Real numbers does not fail.
fn integers() -> Function {
    let mut f = Function::named("integers");
    let n = f.input("n", INTEGER, &[]);
    let rounds = f.input("rounds", INTEGER, &[]);
    let y = f.output("y", INTEGER, &[]);
    let r = f.output("r", INTEGER, &[]);
    let z = f.output("z", REAL, &[]);
    let i = f.protected("i", INTEGER, &[]);
    let list = f.protected("list", INTEGER, &[Dim::Known(2)]);
    let (tn, trounds, ty, tz, one, seven) = (f.v(n), f.v(rounds), f.v(y), f.v(z), f.c(1.0), f.c(7.0));
    f.push(Stmt::assign(y, one));
    f.push(Stmt::assign(z, one));
    let range = f.range(one, trounds);
    let (product, real) = (f.op(Op::Mul, &[ty, tn]), f.op(Op::Mul, &[tz, tn]));
    f.push(Stmt::For(i, range, vec![Stmt::assign(y, product), Stmt::assign(z, real)]));
    let square = f.op(Op::Mul, &[ty, ty]);
    let rest = f.op(Op::Mod, &[square, seven]);
    f.push(Stmt::assign(r, rest));
    let both = f.array(ArrayFn::Construct, &[ty, tn]);
    let sum = f.op(Op::Add, &[both, both]);
    f.push(Stmt::assign(list, sum));
    f
}

/// All functions made by hand.
pub fn samples(pool: &mut Pool) -> Vec<Sample> {
    let mut add = |name: &'static str, f: Function, arguments: Vec<Vec<f64>>| Sample {
        id: pool.add_function(f),
        name,
        arguments,
    };
    let nine = |a: f64| (0..9).map(|k| a * f64::from(k) - 2.5).collect::<Vec<f64>>();
    let with = |mut list: Vec<f64>, more: &[f64]| {
        list.extend_from_slice(more);
        list
    };
    let table_of = |u: f64| with(vec![0.0, 1.0, 1.0, 3.0, 2.0, -1.0, 4.0, 0.5], &[u]);
    let mut samples = vec![
        add("algebra", algebra(), vec![with(nine(1.1), &[1.0, -2.0, 0.3, 4.0]), with(nine(-0.7), &[0.0; 4])]),
        add("polynomial", polynomial(), vec![vec![1.0, -2.0, 0.5, 3.0, -0.25, 1.7], vec![0.0; 6]]),
        add("sort", sort(), vec![vec![3.0, -1.0, 2.0, 2.0, 9.0, 0.0], vec![6.0, 5.0, 4.0, 3.0, 2.0, 1.0]]),
        add("table", table(), [-1.0, 0.0, 0.5, 1.0, 1.5, 3.0, 5.0, 12.0].map(table_of).to_vec()),
        add("comprehensions", comprehensions(), vec![vec![1.0, -2.0, 0.5, 3.0]]),
        add(
            "subscripts",
            subscripts(),
            [2.0, 3.0, 4.0, 6.0, 7.0, 0.0, f64::NAN, 1e30].map(|k| vec![1.0, -2.0, 5.0, k]).to_vec(),
        ),
    ];
    let powers = [
        [3.0, 4.0],
        [10.0, 7.0],
        [10.0, 8.0],
        [10.0, 15.0],
        [10.0, 16.0],
        [-1e8, 2.0],
        [2.0, 53.0],
        [7.0, 0.0],
    ];
    samples.push(add("integers", integers(), powers.map(|list| list.to_vec()).to_vec()));
    let algebra = samples[0].id;
    let mut add = |name: &'static str, f: Function, arguments: Vec<Vec<f64>>| Sample {
        id: pool.add_function(f),
        name,
        arguments,
    };
    samples.push(add("caller", caller(algebra), vec![vec![1.0, 2.0, -0.5]]));
    let recursive = pool.add_function(Function::named("fibonacci"));
    pool.set_function(recursive, fibonacci(recursive));
    let arguments = [0.0, 1.0, 12.0, 12.5].map(|n| vec![n]).to_vec();
    samples.push(Sample { id: recursive, name: "fibonacci", arguments });
    samples
}

/// A small random number generator, the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// A random function of four numbers with a vector of four inside: assignments, loops and branches.
pub fn random(seed: u64) -> Function {
    let mut f = Function::named(&format!("random_{seed}"));
    let x = f.input("x", REAL, &[Dim::Known(4)]);
    let y = f.output("y", REAL, &[Dim::Known(4)]);
    let scalars: Vec<LocalId> = ["a", "b", "c"].map(|name| f.output(name, REAL, &[])).to_vec();
    let counters: Vec<LocalId> = (0..3).map(|k| f.protected(&format!("i{k}"), INTEGER, &[])).collect();
    let mut maker =
        Maker { f, random: Random(seed.wrapping_mul(77) + 5), x, y, scalars, counters, active: 0 };
    let count = 3 + maker.random.below(6);
    let body: Vec<Stmt> = (0..count).map(|_| maker.statement(3)).collect();
    body.into_iter().for_each(|statement| maker.f.push(statement));
    maker.f
}

struct Maker {
    f: Function,
    random: Random,
    x: LocalId,
    y: LocalId,
    scalars: Vec<LocalId>,
    counters: Vec<LocalId>,
    /// How many loops are around.
    active: usize,
}

impl Maker {
    fn statement(&mut self, depth: usize) -> Stmt {
        match self.random.below(if depth == 0 { 6 } else { 10 }) {
            0..3 => {
                let (k, value) = (self.random.below(3), self.number(3));
                Stmt::assign(self.scalars[k], value)
            }
            3 | 4 => {
                let (index, value) = (self.subscript(), self.number(3));
                Stmt::assign_element(self.y, &[index], value)
            }
            5 => {
                let value = self.vector(2);
                Stmt::assign(self.y, value)
            }
            6 | 7 => {
                let condition = self.condition();
                let [then, otherwise] = std::array::from_fn(|_| self.block(depth - 1));
                Stmt::If(vec![(condition, then)], otherwise)
            }
            8 if self.active < 3 => {
                let local = self.counters[self.active];
                let (from, to) = (self.f.c(1.0), self.random.below(5) as f64);
                let to = self.f.c(to);
                let range = self.f.range(from, to);
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
                // The first number counts down to the end.
                let local = self.scalars[0];
                let (term, five, limit, one) = (self.f.v(local), self.f.c(5.0), self.f.c(1.0), self.f.c(1.0));
                let go_on = self.f.op(Op::Less, &[limit, term]);
                let bounded = self.f.op(Op::Min, &[term, five]);
                let next = self.f.sub(bounded, one);
                Stmt::While(go_on, vec![Stmt::assign(local, next)])
            }
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        (0..1 + self.random.below(3)).map(|_| self.statement(depth)).collect()
    }

    fn subscript(&mut self) -> TermId {
        match self.random.below(3) {
            0 if self.active > 0 => {
                let local = self.counters[self.random.below(self.active)];
                self.f.v(local)
            }
            1 => {
                // Anything, brought between 1 and 4.
                let value = self.number(1);
                let (zero, one, three) = (self.f.c(0.0), self.f.c(1.0), self.f.c(3.0));
                let whole = self.f.op(Op::Floor, &[value]);
                let lower = self.f.op(Op::Max, &[whole, zero]);
                let upper = self.f.op(Op::Min, &[lower, three]);
                self.f.op(Op::Add, &[upper, one])
            }
            _ => {
                let k = 1 + self.random.below(4);
                self.f.c(k as f64)
            }
        }
    }

    fn number(&mut self, depth: usize) -> TermId {
        let leaf = depth == 0 || self.random.below(4) == 0;
        match self.random.below(if leaf { 4 } else { 12 }) {
            0 => {
                let value = [0.0, 1.0, -1.5, 2.0, 3.25][self.random.below(5)];
                self.f.c(value)
            }
            1 => {
                let local = self.scalars[self.random.below(3)];
                self.f.v(local)
            }
            2 | 3 => {
                let index = self.subscript();
                let local = if self.random.below(2) == 0 { self.x } else { self.y };
                self.f.at(local, &[index])
            }
            4 => {
                let (condition, a, b) = (self.condition(), self.number(depth - 1), self.number(depth - 1));
                self.f.op(Op::If, &[condition, a, b])
            }
            5 => {
                let value = self.vector(depth - 1);
                let array_fn =
                    [ArrayFn::Sum, ArrayFn::MinOf, ArrayFn::MaxOf, ArrayFn::ProductOf][self.random.below(4)];
                self.f.array(array_fn, &[value])
            }
            6 => {
                let (a, b) = (self.vector(depth - 1), self.vector(depth - 1));
                self.f.array(ArrayFn::Product, &[a, b])
            }
            7 => {
                let op = [Op::Neg, Op::Abs, Op::Sin, Op::Floor, Op::Sign][self.random.below(5)];
                let a = self.number(depth - 1);
                self.f.op(op, &[a])
            }
            k => {
                let op = [Op::Add, Op::Mul, Op::Div, Op::Min][k - 8];
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.f.op(op, &[a, b])
            }
        }
    }

    fn vector(&mut self, depth: usize) -> TermId {
        match self.random.below(if depth == 0 { 2 } else { 5 }) {
            0 => self.f.v(self.x),
            1 => self.f.v(self.y),
            2 => {
                let parts: Vec<TermId> = (0..4).map(|_| self.number(depth - 1)).collect();
                self.f.array(ArrayFn::Construct, &parts)
            }
            3 => {
                let (a, b) = (self.vector(depth - 1), self.vector(depth - 1));
                self.f.op(Op::Add, &[a, b])
            }
            _ => {
                let (a, s) = (self.vector(depth - 1), self.number(depth - 1));
                self.f.op(Op::Mul, &[a, s])
            }
        }
    }

    fn condition(&mut self) -> TermId {
        let (a, b) = (self.number(1), self.number(1));
        let less = self.f.op(Op::Less, &[a, b]);
        match self.random.below(3) {
            0 => {
                let (c, d) = (self.number(1), self.number(1));
                let other = self.f.op(Op::LessEqual, &[c, d]);
                let op = if self.random.below(2) == 0 { Op::And } else { Op::Or };
                self.f.op(op, &[less, other])
            }
            1 => self.f.op(Op::Not, &[less]),
            _ => less,
        }
    }
}
