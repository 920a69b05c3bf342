//! Only what is asked for: routines for some of their outputs.
//!
//! Functions of media give records of a dozen properties, and most callers read one of them. A call asks for the elements
//! of its results that are read; the routine for these computes nothing else, asks less of those it calls, and
//! reads fewer of its arguments, which then need not be computed by the caller either. Checks and assertions stay: what
//! fails with all outputs fails with some.
//!
//! Before: routines with all their outputs. After: [`narrowed`] gives those that the entries lead to, each as narrow as
//! its callers allow. The entries compute all they did.

use rustc_hash::FxHashMap;

use super::lower::{remove_unread, visit};
use super::{ArrayId, INPUTS, OUTPUTS, Operand, OperandId, Place, Routine, Stmt};

/// A routine gets no more than so many versions; what else is asked of it computes everything.
const VERSIONS: u32 = 6;

/// The routines that calls of `entries` come to, and where each entry is among them.
pub(crate) fn narrowed(routines: &[Routine], entries: &[usize]) -> (Vec<Routine>, Vec<usize>) {
    let mut narrow = Narrow {
        routines,
        versions: Vec::new(),
        index: FxHashMap::default(),
        made: vec![0; routines.len()],
        open: vec![false; routines.len()],
    };
    let roots: Vec<usize> = entries.iter().map(|&entry| narrow.version(entry, None)).collect();
    narrow.reachable(&roots)
}

/// One version of a routine.
struct Version {
    routine: Routine,
    /// Which inputs it reads.
    reads: Vec<bool>,
}

/// Which outputs are asked for; `None` for all.
type Mask = Option<Vec<bool>>;

struct Narrow<'r> {
    routines: &'r [Routine],
    /// `None` while it is being made.
    versions: Vec<Option<Version>>,
    index: FxHashMap<(usize, Mask), usize>,
    /// How many versions there are of each routine.
    made: Vec<u32>,
    /// It is being made: a function that calls itself, which then asks for everything.
    open: Vec<bool>,
}

/// A call and what is read of its results.
struct Demand {
    routine: usize,
    arguments: ArrayId,
    results: ArrayId,
    mask: Mask,
}

impl Narrow<'_> {
    /// The version of a routine for these outputs.
    fn version(&mut self, number: usize, mask: Mask) -> usize {
        let mask = mask.filter(|mask| mask.contains(&false));
        if let Some(&at) = self.index.get(&(number, mask.clone())) {
            return at;
        }
        if mask.is_some() && (self.open[number] || self.made[number] >= VERSIONS) {
            return self.version(number, None);
        }
        let at = self.versions.len();
        self.versions.push(None);
        self.index.insert((number, mask.clone()), at);
        self.made[number] += 1;
        let was_open = std::mem::replace(&mut self.open[number], true);
        let version = self.make(number, mask);
        self.open[number] = was_open;
        self.versions[at] = Some(version);
        at
    }

    fn make(&mut self, number: usize, mask: Mask) -> Version {
        let mut routine = self.routines[number].clone();
        if let Some(mask) = &mask {
            drop_puts(&mut routine.body, &|array, k| {
                array == OUTPUTS && !mask.get(k).is_none_or(|&asked| asked)
            });
        }
        let calls = loop {
            remove_unread(&mut routine);
            let mut calls: FxHashMap<ArrayId, usize> = FxHashMap::default();
            let mut unread: FxHashMap<ArrayId, Vec<bool>> = FxHashMap::default();
            for Demand { routine: called, arguments, results, mask } in demands(&routine) {
                let at = self.version(called, mask);
                calls.insert(results, at);
                if let Some(version) = &self.versions[at] {
                    unread.insert(arguments, version.reads.iter().map(|reads| !reads).collect());
                }
            }
            let superfluous = |array: ArrayId, k: usize| {
                unread.get(&array).is_some_and(|unread| unread.get(k).is_some_and(|&unread| unread))
            };
            if !drop_puts(&mut routine.body, &superfluous) {
                break calls;
            }
        };
        redirect(&mut routine.body, &calls);
        let reads = reads_of(&routine, INPUTS);
        Version { routine, reads: reads.unwrap_or_else(|| vec![true; inputs(&self.routines[number])]) }
    }

    /// The versions that are called in the end: some served only to find out what is asked for.
    fn reachable(self, roots: &[usize]) -> (Vec<Routine>, Vec<usize>) {
        let mut versions: Vec<Option<Version>> = self.versions;
        let mut place: FxHashMap<usize, usize> = FxHashMap::default();
        let mut list: Vec<Routine> = Vec::new();
        let mut stack: Vec<usize> = roots.iter().rev().copied().collect();
        while let Some(at) = stack.pop() {
            let Some(version) = versions[at].take() else { continue };
            place.insert(at, list.len());
            visit(&version.routine.body, &mut |statement| {
                if let Stmt::Call(called, ..) = statement {
                    stack.push(*called);
                }
            });
            list.push(version.routine);
        }
        for routine in &mut list {
            renumber(&mut routine.body, &place);
        }
        (list, roots.iter().map(|root| place[root]).collect())
    }
}

fn inputs(routine: &Routine) -> usize {
    routine.arrays[INPUTS.0 as usize].len
}

/// Calls with what is read of their results.
fn demands(routine: &Routine) -> Vec<Demand> {
    let mut calls = Vec::new();
    visit(&routine.body, &mut |statement| {
        if let Stmt::Call(called, arguments, results) = statement {
            calls.push((*called, *arguments, *results));
        }
    });
    calls
        .into_iter()
        .map(|(called, arguments, results)| {
            let mask = reads_of(routine, results);
            Demand { routine: called, arguments, results, mask }
        })
        .collect()
}

/// Which elements of an array statements read; `None` if that depends on numbers, or another call takes the array.
fn reads_of(routine: &Routine, array: ArrayId) -> Mask {
    let mut read = vec![false; routine.arrays[array.0 as usize].len];
    let mut known = true;
    let mut operand = |id: OperandId| {
        if let Operand::Element(from, place) = routine.operand(id)
            && *from == array
        {
            match fixed(place).and_then(|k| read.get_mut(k)) {
                Some(read) => *read = true,
                None => known = false,
            }
        }
    };
    let mut passed_on = false;
    visit(&routine.body, &mut |statement| match statement {
        Stmt::Set(_, compute) => compute.operands().for_each(&mut operand),
        Stmt::Put(_, _, value) => operand(*value),
        Stmt::Loop(_, super::Count::Computed(count), _) => operand(*count),
        Stmt::While(_, condition, _) | Stmt::If(condition, ..) | Stmt::Check(condition, _) => {
            operand(*condition)
        }
        Stmt::Call(_, arguments, _) => passed_on |= *arguments == array,
        _ => {}
    });
    (known && !passed_on).then_some(read)
}

/// The element a place always is.
fn fixed(place: &Place) -> Option<usize> {
    if place.terms.is_empty() { usize::try_from(place.offset).ok() } else { None }
}

/// Leaves out writing to elements; was there any? Blocks nest no deeper than lowering allows.
fn drop_puts(body: &mut Vec<Stmt>, superfluous: &dyn Fn(ArrayId, usize) -> bool) -> bool {
    let before = body.len();
    body.retain(|statement| match statement {
        Stmt::Put(array, place, _) => !fixed(place).is_some_and(|k| superfluous(*array, k)),
        _ => true,
    });
    let mut dropped = body.len() < before;
    for block in body.iter_mut().flat_map(blocks) {
        dropped |= drop_puts(block, superfluous);
    }
    dropped
}

/// Calls the versions that serve the results.
fn redirect(body: &mut [Stmt], calls: &FxHashMap<ArrayId, usize>) {
    for statement in body {
        if let Stmt::Call(called, _, results) = statement
            && let Some(&version) = calls.get(results)
        {
            *called = version;
        }
        blocks(statement).for_each(|block| redirect(block, calls));
    }
}

fn renumber(body: &mut [Stmt], place: &FxHashMap<usize, usize>) {
    for statement in body {
        if let Stmt::Call(called, ..) = statement
            && let Some(&at) = place.get(called)
        {
            *called = at;
        }
        blocks(statement).for_each(|block| renumber(block, place));
    }
}

/// The blocks inside a statement.
fn blocks(statement: &mut Stmt) -> impl Iterator<Item = &mut Vec<Stmt>> {
    let (first, second) = match statement {
        Stmt::Loop(_, _, body) => (Some(body), None),
        Stmt::While(before, _, body) => (Some(before), Some(body)),
        Stmt::If(_, yes, no) => (Some(yes), Some(no)),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

#[cfg(test)]
mod tests {
    use kausal_symbolic::function::{Function, Scalar, Stmt as Source, Term};
    use kausal_symbolic::{FunctionId, Op, Pool};

    use super::super::lower::{Routines, visit};
    use super::super::{Compute, Routine, Stmt};
    use super::narrowed;
    use crate::scalar::Unary;

    fn count(routines: &[Routine], what: impl Fn(&Stmt) -> bool) -> usize {
        let mut found = 0;
        for routine in routines {
            visit(&routine.body, &mut |statement| found += usize::from(what(statement)));
        }
        found
    }

    fn is(op: Unary) -> impl Fn(&Stmt) -> bool {
        move |statement| matches!(statement, Stmt::Set(_, Compute::Unary(found, _)) if *found == op)
    }

    /// `g(x)` asserts `x > 0` and gives `sin(x)` and `cos(x)`.
    fn two_outputs(pool: &mut Pool) -> FunctionId {
        let mut g = Function::named("g");
        let x = g.input("x", Scalar::Real, &[]);
        let outputs = [g.output("s", Scalar::Real, &[]), g.output("c", Scalar::Real, &[])];
        let (x, zero, level) = (g.local_term(x), g.number(0.0), g.number(2.0));
        let positive = g.op(Op::Less, &[zero, x]);
        let message = g.add(Term::Text("x must be positive".to_owned()));
        g.push(Source::Assert(positive, message, level));
        for (output, op) in outputs.into_iter().zip([Op::Sin, Op::Cos]) {
            let value = g.op(op, &[x]);
            g.push(Source::assign(output, value));
        }
        pool.add_function(g)
    }

    /// `f(x)` gives `h(exp(x), g(x).s, g(x).c)`, and `h(a, b, c)` gives `b`: neither `exp` nor `cos` is needed.
    #[test]
    fn what_nobody_reads_is_not_computed() {
        let mut pool = Pool::new();
        let g = two_outputs(&mut pool);
        let mut h = Function::named("h");
        let inputs = ["a", "b", "c"].map(|name| h.input(name, Scalar::Real, &[]));
        let output = h.output("y", Scalar::Real, &[]);
        let b = h.local_term(inputs[1]);
        h.push(Source::assign(output, b));
        let h = pool.add_function(h);
        let mut f = Function::named("f");
        let x = f.input("x", Scalar::Real, &[]);
        let y = f.output("y", Scalar::Real, &[]);
        let x = f.local_term(x);
        let exp = f.op(Op::Exp, &[x]);
        let [s, c] = [0, 1].map(|output| f.add(Term::Call(g, vec![x], output)));
        let call = f.add(Term::Call(h, vec![exp, s, c], 0));
        f.push(Source::assign(y, call));
        let f = pool.add_function(f);
        let mut routines = Routines::default();
        let entry = routines.closed(&pool, f).expect("it has numbers only");
        for (op, before, after) in [(Unary::Sin, 1, 1), (Unary::Cos, 1, 0), (Unary::Exp, 1, 0)] {
            let (list, entries) = narrowed(&routines.list, &[entry]);
            assert_eq!(count(&routines.list, is(op)), before, "{op:?}");
            assert_eq!(count(&list, is(op)), after, "{op:?}");
            assert_eq!(list[entries[0]].name, "f");
        }
    }

    /// A call of which nothing is read still has its assertion, and an entry gives all its outputs.
    #[test]
    fn assertions_and_entries_stay() {
        let mut pool = Pool::new();
        let g = two_outputs(&mut pool);
        let mut f = Function::named("f");
        let x = f.input("x", Scalar::Real, &[]);
        let y = f.output("y", Scalar::Real, &[]);
        let (x, one) = (f.local_term(x), f.number(1.0));
        let call = f.add(Term::Call(g, vec![x], 0));
        f.push(Source::Call(call));
        f.push(Source::assign(y, one));
        let f = pool.add_function(f);
        let mut routines = Routines::default();
        let entries = [f, g].map(|id| routines.closed(&pool, id).expect("they have numbers only"));
        let (list, places) = narrowed(&routines.list, &entries);
        // f, g for f, and g itself.
        assert_eq!(list.len(), 3);
        assert_eq!(count(&list, |statement| matches!(statement, Stmt::Fail(_))), 2);
        assert_eq!(count(&list, is(Unary::Sin)), 1);
        assert_eq!(count(&list[places[1]..=places[1]], is(Unary::Cos)), 1);
    }
}
