//! The hash-consed graph of expressions.
//!
//! Every expression is stored once; an id is an index into dense tables. **A node is created after its
//! arguments, so ids ascend from the leaves to the root**: sorting the nodes of an expression by id is a
//! topological order, which is how every pass of this crate walks the graph without recursion.
//!
//! The index is an open-addressing table of ids in which neighbours of the graph are neighbours; looking an expression
//! up allocates nothing.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::function::{Function, FunctionId};
use crate::node::{ExprId, Node, Op, TextId, VarId};

/// All expressions of a model, each once.
///
/// ```
/// use kausal_symbolic::{Op, Pool, VarId};
/// let mut pool = Pool::new();
/// let x = pool.var(VarId(0));
/// let two = pool.constant(2.0);
/// let a = pool.op(Op::Mul, &[two, x]);
/// let b = pool.op(Op::Add, &[x, x]);
/// assert_eq!(a, b);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pool {
    entries: Vec<Entry>,
    /// Arguments of the expressions that have many.
    args: Vec<ExprId>,
    table: Vec<Slot>,
    /// Variables by number, as far as they are numbered densely: they are asked for most.
    vars: Vec<u32>,
    texts: Vec<String>,
    text_index: FxHashMap<String, TextId>,
    functions: Vec<Function>,
}

/// Few arguments stand in the entry itself: who looks at an expression then waits for memory once, not twice.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// What belongs to the head: of a number its bits, of all others a number of 32 bits.
    label: [u32; 2],
    len: u32,
    kind: Kind,
    flags: u8,
    /// The arguments, or where they start among those of all.
    args: [ExprId; INLINE],
}

/// Arguments that stand in an entry: operators mostly have one or two.
const INLINE: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Const,
    Text,
    Var,
    Op(Op),
    Call,
    Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Head {
    Const(u64),
    Text(TextId),
    Var(VarId),
    Op(Op),
    Call(FunctionId),
    Output(u32),
}

/// An id with the hash of its expression beside it.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    id: u32,
}

const EMPTY: Slot = Slot { hash: 0, id: u32::MAX };

/// The expression contains a variable.
const VARIABLE: u8 = 1;
/// It contains an operator whose value depends on time, the past or the phase of the run.
const CONTEXT: u8 = 2;
/// It contains something that may cause an event and is not below `noEvent`.
const EVENT: u8 = 4;
/// It contains a call of a function.
const CALL: u8 = 8;

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        Pool::default()
    }

    /// The node behind an id.
    pub fn node(&self, id: ExprId) -> Node<'_> {
        let entry = &self.entries[id.0 as usize];
        let args = self.args_of(entry);
        match entry.head() {
            Head::Const(bits) => Node::Const(f64::from_bits(bits)),
            Head::Text(text) => Node::Text(text),
            Head::Var(var) => Node::Var(var),
            Head::Op(op) => Node::Op(op, args),
            Head::Call(function) => Node::Call(function, args),
            Head::Output(k) => Node::Output(args[0], k),
        }
    }

    fn args_of<'a>(&'a self, entry: &'a Entry) -> &'a [ExprId] {
        let len = entry.len as usize;
        match entry.args.get(..len) {
            Some(args) => args,
            None => &self.args[entry.args[0].0 as usize..][..len],
        }
    }

    /// The expressions directly below: arguments of an operator or a call, the call of an output.
    pub fn children(&self, id: ExprId) -> &[ExprId] {
        self.args_of(&self.entries[id.0 as usize])
    }

    /// How many distinct expressions there are; ids are below this.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is it empty?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A number.
    pub fn constant(&mut self, value: f64) -> ExprId {
        let value = if value == 0.0 { 0.0 } else { value };
        self.intern(Head::Const(value.to_bits()), &[])
    }

    /// A Boolean: 0 or 1.
    pub fn boolean(&mut self, value: bool) -> ExprId {
        self.constant(f64::from(u8::from(value)))
    }

    /// A string.
    pub fn text(&mut self, text: &str) -> ExprId {
        let id = match self.text_index.get(text) {
            Some(&id) => id,
            None => {
                let id = TextId(self.texts.len() as u32);
                self.texts.push(text.to_owned());
                self.text_index.insert(text.to_owned(), id);
                id
            }
        };
        self.intern(Head::Text(id), &[])
    }

    /// The string behind an id.
    pub fn text_of(&self, id: TextId) -> &str {
        &self.texts[id.0 as usize]
    }

    /// How many strings there are; their ids are below this.
    pub fn text_count(&self) -> usize {
        self.texts.len()
    }

    /// The id of a string, if there is one.
    pub fn find_text(&self, text: &str) -> Option<TextId> {
        self.text_index.get(text).copied()
    }

    /// A variable.
    pub fn var(&mut self, var: VarId) -> ExprId {
        if let Some(&id) = self.vars.get(var.index())
            && id != EMPTY.id
        {
            return ExprId(id);
        }
        let id = self.intern(Head::Var(var), &[]);
        if var.index() <= 2 * self.entries.len() {
            if self.vars.len() <= var.index() {
                self.vars.resize(var.index() + 1, EMPTY.id);
            }
            self.vars[var.index()] = id.0;
        }
        id
    }

    /// An operator applied to its arguments, simplified (see [`simplify`](crate::simplify)).
    pub fn op(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        // What is stored is simplified already.
        if let Ok(id) = self.find(Head::Op(op), args) {
            return id;
        }
        self.simplified(op, args)
    }

    /// An operator applied to its arguments, as it is. The caller has simplified it.
    pub(crate) fn intern_op(&mut self, op: Op, args: &[ExprId]) -> ExprId {
        self.intern(Head::Op(op), args)
    }

    /// An operator applied to its arguments, as it is; `None` if it cannot have so many. What is not simplified makes passes
    /// miss that two expressions are the same, so this is for reading what was simplified when it was written.
    pub fn op_as_is(&mut self, op: Op, args: &[ExprId]) -> Option<ExprId> {
        crate::function::check::op_arity(op, args.len()).then(|| self.intern(Head::Op(op), args))
    }

    /// A call of a function with all its scalar arguments.
    pub fn call(&mut self, function: FunctionId, args: &[ExprId]) -> ExprId {
        self.intern(Head::Call(function), args)
    }

    /// One scalar output of a call.
    pub fn output(&mut self, call: ExprId, index: u32) -> ExprId {
        self.intern(Head::Output(index), &[call])
    }

    /// The value, if it is a number.
    pub fn as_constant(&self, id: ExprId) -> Option<f64> {
        match self.entries[id.0 as usize].head() {
            Head::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The variable, if it is nothing but one.
    pub fn as_var(&self, id: ExprId) -> Option<VarId> {
        match self.entries[id.0 as usize].head() {
            Head::Var(var) => Some(var),
            _ => None,
        }
    }

    /// Does any variable occur in it? Costs nothing.
    pub fn has_variables(&self, id: ExprId) -> bool {
        self.entries[id.0 as usize].flags & VARIABLE != 0
    }

    /// Does it contain a relation or another operator that may cause an event, outside `noEvent`? Costs nothing.
    pub fn has_events(&self, id: ExprId) -> bool {
        self.entries[id.0 as usize].flags & EVENT != 0
    }

    /// Does it contain a call of a function? Costs nothing.
    pub fn has_calls(&self, id: ExprId) -> bool {
        self.entries[id.0 as usize].flags & CALL != 0
    }

    /// Does it contain a call of an impure function?
    pub fn has_impure_calls(&self, id: ExprId) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if !self.has_calls(id) || !seen.insert(id) {
                continue;
            }
            if let Node::Call(function, _) = self.node(id)
                && self.get_function(function).is_some_and(|function| function.notes.impure)
            {
                return true;
            }
            open.extend_from_slice(self.children(id));
        }
        false
    }

    /// Does it contain an operator that [depends on the context](Op::is_context_dependent)? Costs nothing.
    pub fn has_context(&self, id: ExprId) -> bool {
        self.entries[id.0 as usize].flags & CONTEXT != 0
    }

    /// Adds a function. To let functions call each other, add them first and fill them in with
    /// [`Pool::set_function`].
    pub fn add_function(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// Replaces a function.
    pub fn set_function(&mut self, id: FunctionId, function: Function) {
        self.functions[id.0 as usize] = function;
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// A function, if there is one of this number.
    pub fn get_function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id.0 as usize)
    }

    /// All functions with their ids.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions.iter().enumerate().map(|(i, f)| (FunctionId(i as u32), f))
    }

    fn intern(&mut self, head: Head, args: &[ExprId]) -> ExprId {
        let hash = match self.find(head, args) {
            Ok(id) => return id,
            Err(hash) => hash,
        };
        // At most three quarters full.
        if (self.entries.len() + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let id = self.entries.len() as u32;
        self.append(head, args);
        self.place(Slot { hash, id });
        ExprId(id)
    }

    /// A pool with these strings; `None` where one stands twice.
    pub(crate) fn of_texts(texts: Vec<String>) -> Option<Pool> {
        let index = texts.iter().zip(0..).map(|(text, i)| (text.clone(), TextId(i)));
        let text_index: FxHashMap<String, TextId> = index.collect();
        (text_index.len() == texts.len()).then(|| Pool { texts, text_index, ..Pool::default() })
    }

    /// Room for this many expressions more.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.entries.reserve(count);
    }

    pub(crate) fn append_constant(&mut self, bits: u64) {
        self.append(Head::Const(bits), &[]);
    }

    pub(crate) fn append_text(&mut self, text: TextId) {
        self.append(Head::Text(text), &[]);
    }

    pub(crate) fn append_var(&mut self, var: VarId) {
        self.append(Head::Var(var), &[]);
    }

    pub(crate) fn append_op(&mut self, op: Op, args: &[ExprId]) {
        self.append(Head::Op(op), args);
    }

    pub(crate) fn append_call(&mut self, function: FunctionId, args: &[ExprId]) {
        self.append(Head::Call(function), args);
    }

    pub(crate) fn append_output(&mut self, index: u32, call: ExprId) {
        self.append(Head::Output(index), &[call]);
    }

    /// An expression that the pool does not have, behind all others; it is found after [`Pool::index`].
    fn append(&mut self, head: Head, args: &[ExprId]) {
        let mut inline = [ExprId(0); INLINE];
        match inline.get_mut(..args.len()) {
            Some(inline) => inline.copy_from_slice(args),
            None => {
                inline[0] = ExprId(self.args.len() as u32);
                self.args.extend_from_slice(args);
            }
        }
        self.entries.push(Entry::new(head, self.flags_of(head, args), args.len(), inline));
    }

    /// Makes the tables anew by which expressions are found.
    pub(crate) fn index(&mut self) {
        let mut size = 64;
        while (self.entries.len() + 1) * 4 > size * 3 {
            size *= 2;
        }
        self.table = vec![EMPTY; size];
        self.vars.clear();
        for id in 0..self.entries.len() as u32 {
            let entry = &self.entries[id as usize];
            let (head, hash) = (entry.head(), hash_of(entry.head(), self.args_of(entry)));
            self.place(Slot { hash, id });
            if let Head::Var(var) = head
                && var.index() <= 2 * self.entries.len()
            {
                if self.vars.len() <= var.index() {
                    self.vars.resize(var.index() + 1, EMPTY.id);
                }
                self.vars[var.index()] = id;
            }
        }
    }

    /// The id of a stored expression, or its hash.
    fn find(&self, head: Head, args: &[ExprId]) -> Result<ExprId, u32> {
        let hash = hash_of(head, args);
        if self.table.is_empty() {
            return Err(hash);
        }
        let places = Places::new(hash, anchor(head, args), self.table.len());
        for at in places {
            let slot = self.table[at];
            if slot.id == EMPTY.id {
                break;
            }
            if slot.hash == hash {
                let entry = &self.entries[slot.id as usize];
                if entry.head() == head && self.args_of(entry) == args {
                    return Ok(ExprId(slot.id));
                }
            }
        }
        Err(hash)
    }

    /// Puts an entry into the first free place of its sequence; the table is never full.
    fn place(&mut self, slot: Slot) {
        let entry = &self.entries[slot.id as usize];
        let anchor = anchor(entry.head(), self.args_of(entry));
        let mut places = Places::new(slot.hash, anchor, self.table.len());
        if let Some(at) = places.find(|&at| self.table[at].id == EMPTY.id) {
            self.table[at] = slot;
        }
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(64);
        let old = std::mem::replace(&mut self.table, vec![EMPTY; size]);
        for slot in old.into_iter().filter(|slot| slot.id != EMPTY.id) {
            self.place(slot);
        }
    }

    fn flags_of(&self, head: Head, args: &[ExprId]) -> u8 {
        let below = args.iter().fold(0, |flags, arg| flags | self.entries[arg.0 as usize].flags);
        match head {
            Head::Const(_) | Head::Text(_) => 0,
            Head::Var(_) => VARIABLE,
            Head::Op(Op::NoEvent) => below & !EVENT,
            Head::Op(op) => {
                let event = if op.may_cause_event() { EVENT } else { 0 };
                let context = if op.is_context_dependent() { CONTEXT } else { 0 };
                below | event | context
            }
            Head::Call(_) => below | CALL,
            Head::Output(_) => below,
        }
    }
}

impl Entry {
    fn new(head: Head, flags: u8, len: usize, args: [ExprId; INLINE]) -> Entry {
        let (kind, label) = match head {
            Head::Const(bits) => (Kind::Const, [bits as u32, (bits >> 32) as u32]),
            Head::Text(text) => (Kind::Text, [text.0, 0]),
            Head::Var(var) => (Kind::Var, [var.0, 0]),
            Head::Op(op) => (Kind::Op(op), [0, 0]),
            Head::Call(function) => (Kind::Call, [function.0, 0]),
            Head::Output(k) => (Kind::Output, [k, 0]),
        };
        Entry { label, len: len as u32, kind, flags, args }
    }

    fn head(&self) -> Head {
        let [low, high] = self.label;
        match self.kind {
            Kind::Const => Head::Const(u64::from(low) | u64::from(high) << 32),
            Kind::Text => Head::Text(TextId(low)),
            Kind::Var => Head::Var(VarId(low)),
            Kind::Op(op) => Head::Op(op),
            Kind::Call => Head::Call(FunctionId(low)),
            Kind::Output => Head::Output(low),
        }
    }
}

/// Where an expression may stand in the table, in the order of trying: first some places near those of expressions
/// with like arguments, then places anywhere. Passes work on one corner of a model after the other, so what they ask for
/// is mostly where they have just looked: tables far larger than the caches of a processor cost little more than small
/// ones.
struct Places {
    near: usize,
    far: u64,
    tried: usize,
    mask: usize,
}

impl Places {
    /// How many places near the anchor are tried. Sequences then jump about, because arguments that many expressions
    /// share make long rows without a gap.
    const NEAR: usize = 8;

    fn new(hash: u32, anchor: u32, size: usize) -> Places {
        // The table is at most three quarters full: ids spread over all of it.
        let near = anchor as usize + anchor as usize / 3;
        Places { near, far: u64::from(hash), tried: 0, mask: size - 1 }
    }
}

impl Iterator for Places {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let at = if self.tried < Places::NEAR {
            self.near + self.tried
        } else {
            // Any good mixture of hash and number will do: a quarter of the table is free.
            ((self.far + self.tried as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize
        };
        self.tried += 1;
        Some(at & self.mask)
    }
}

/// The number near which the places of an expression lie: its youngest argument.
fn anchor(head: Head, args: &[ExprId]) -> u32 {
    match head {
        Head::Var(var) => var.0,
        Head::Const(bits) => (bits ^ (bits >> 32)) as u32,
        _ => args.iter().map(|arg| arg.0).max().unwrap_or(0),
    }
}

fn hash_of(head: Head, args: &[ExprId]) -> u32 {
    let mut hasher = FxHasher::default();
    match head {
        Head::Const(bits) => (0u8, bits).hash(&mut hasher),
        Head::Text(text) => (1u8, text.0).hash(&mut hasher),
        Head::Var(var) => (2u8, var.0).hash(&mut hasher),
        Head::Op(op) => (3u8, op as u8).hash(&mut hasher),
        Head::Call(function) => (4u8, function.0).hash(&mut hasher),
        Head::Output(k) => (5u8, k).hash(&mut hasher),
    }
    for arg in args {
        hasher.write_u32(arg.0);
    }
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_stored_once() {
        let mut pool = Pool::new();
        let ids: Vec<ExprId> = (0..1000).map(|i| pool.var(VarId(i))).collect();
        let len = pool.len();
        for (i, &id) in ids.iter().enumerate() {
            assert_eq!(pool.var(VarId(i as u32)), id);
            assert_eq!(pool.node(id), Node::Var(VarId(i as u32)));
        }
        assert_eq!(pool.len(), len);
        assert_eq!(pool.constant(-0.0), pool.constant(0.0));
        let nan = pool.constant(f64::NAN);
        assert_eq!(pool.constant(f64::NAN), nan);
        assert_eq!(pool.text("a"), pool.text("a"));
        assert_ne!(pool.text("a"), pool.text("b"));
    }

    #[test]
    fn many_arguments_stand_elsewhere() {
        let mut pool = Pool::new();
        let xs: Vec<ExprId> = (0..9).map(|i| pool.var(VarId(i))).collect();
        let sums: Vec<ExprId> = (2..=9).map(|n| pool.op(Op::Add, &xs[..n])).collect();
        for (n, &sum) in (2..=9).zip(&sums) {
            assert_eq!(pool.node(sum), Node::Op(Op::Add, &xs[..n]));
            assert_eq!(pool.op(Op::Add, &xs[..n]), sum);
        }
        assert_eq!(std::mem::size_of::<Entry>(), 28, "small enough for two in a cache line");
    }

    #[test]
    fn flags_follow_the_arguments() {
        let mut pool = Pool::new();
        let x = pool.var(VarId(0));
        let y = pool.var(VarId(1));
        let relation = pool.op(Op::Less, &[x, y]);
        let choice = pool.op(Op::If, &[relation, x, y]);
        let quiet = pool.op(Op::NoEvent, &[choice]);
        assert!(pool.has_events(choice) && !pool.has_events(quiet));
        assert!(pool.has_variables(quiet) && !pool.has_context(quiet));
        let time = pool.op(Op::Time, &[]);
        assert!(pool.has_context(time) && !pool.has_variables(time));
    }
}
