//! The tape: straight-line code with one operation a line.
//!
//! Sums and products of many terms become chains from the left, `a + (-b)` becomes `a - b`, small constant
//! powers become products. Every line is there once: what [`Pool`] shares is shared, and chains with a common
//! beginning share it.
//!
//! An expression may read a variable that an earlier assignment of the same list changed. So a line never says
//! "variable v now": [`Line::Load`] is the value **before the first line**, and a read after an assignment is
//! the assigned line itself.
//!
//! Afterwards: arguments stand before their users; between the lines an assignment needed first and its
//! [`Line::Store`] there is no other store.

use kausal_symbolic::evaluate::MULTIPLIED_POWER;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use rustc_hash::FxHashMap;

use crate::chunk::Error;
use crate::scalar::{Binary, Unary};

/// Names a line of a [`Tape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(pub u32);

impl LineId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Line {
    /// A number.
    Const(f64),
    /// The value of a variable before the first line.
    Load(VarId),
    /// Its value before the event.
    Pre(VarId),
    /// The clock.
    Time,
    /// One argument.
    Unary(Unary, LineId),
    /// Two arguments.
    Binary(Binary, LineId, LineId),
    /// `if c then a else b`
    If(LineId, LineId, LineId),
    /// A variable gets a value.
    Store(VarId, LineId),
    /// A place of the output array gets a value.
    Output(u32, LineId),
}

impl Line {
    /// The arguments.
    pub fn args(&self) -> impl Iterator<Item = LineId> {
        let args = match *self {
            Line::Const(_) | Line::Load(_) | Line::Pre(_) | Line::Time => [None; 3],
            Line::Unary(_, a) | Line::Store(_, a) | Line::Output(_, a) => [Some(a), None, None],
            Line::Binary(_, a, b) => [Some(a), Some(b), None],
            Line::If(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        args.into_iter().flatten()
    }

    /// Has it an effect rather than a value?
    pub fn is_effect(&self) -> bool {
        matches!(self, Line::Store(..) | Line::Output(..))
    }

    /// Is the value a Boolean, that is 0 or 1?
    pub fn is_boolean(&self) -> bool {
        matches!(self, Line::Unary(Unary::Not, _)) || matches!(self, Line::Binary(op, ..) if op.is_boolean())
    }
}

/// Straight-line code.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    /// In order.
    pub lines: Vec<Line>,
}

impl Tape {
    /// A line.
    pub fn line(&self, id: LineId) -> &Line {
        &self.lines[id.index()]
    }
}

/// Writes tapes for the expressions of one pool; keeps its tables between them.
pub struct Writer<'p> {
    pool: &'p Pool,
    /// Per expression: (epoch, line). Valid if the epoch is the current one.
    memo: Vec<(u32, LineId)>,
    epoch: u32,
    tape: Tape,
    /// Lines by content, without stores.
    known: FxHashMap<Key, LineId>,
    /// Variables assigned in this tape, with their value.
    current: FxHashMap<VarId, LineId>,
    /// Variables read in this epoch.
    read: FxHashMap<VarId, u32>,
    stack: Vec<(ExprId, bool)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Const(u64),
    Load(VarId),
    Pre(VarId),
    Time,
    Unary(Unary, LineId),
    Binary(Binary, LineId, LineId),
    If(LineId, LineId, LineId),
}

/// Empties a table in a time that what was in it pays for. Clearing takes as long as the table is large, and one long tape would make
/// it large for thousands of short ones.
fn empty<K, V>(table: &mut FxHashMap<K, V>) {
    const SPARSE: usize = 8;
    match table.capacity() > SPARSE * table.len() {
        true => *table = FxHashMap::default(),
        false => table.clear(),
    }
}

impl<'p> Writer<'p> {
    /// For the expressions of a pool.
    pub fn new(pool: &'p Pool) -> Self {
        Writer {
            pool,
            memo: vec![(0, LineId(0)); pool.len()],
            epoch: 1,
            tape: Tape::default(),
            known: FxHashMap::default(),
            current: FxHashMap::default(),
            read: FxHashMap::default(),
            stack: Vec::new(),
        }
    }

    /// `variable := value`.
    pub fn assign(&mut self, variable: VarId, value: ExprId) -> Result<(), Error> {
        let line = self.expression(value)?;
        self.tape.lines.push(Line::Store(variable, line));
        if self.read.get(&variable) == Some(&self.epoch) {
            self.epoch += 1;
        }
        self.current.insert(variable, line);
        Ok(())
    }

    /// A value for the output array.
    pub fn output(&mut self, index: u32, value: ExprId) -> Result<(), Error> {
        let line = self.expression(value)?;
        self.tape.lines.push(Line::Output(index, line));
        Ok(())
    }

    /// The tape written so far; the next one starts empty.
    pub fn finish(&mut self) -> Tape {
        self.epoch += 1;
        empty(&mut self.known);
        empty(&mut self.current);
        empty(&mut self.read);
        std::mem::take(&mut self.tape)
    }

    /// Forgets a tape that could not be finished.
    pub fn abandon(&mut self) {
        self.stack.clear();
        self.finish();
    }

    /// The line that computes an expression. Depth first, with a stack of its own.
    fn expression(&mut self, root: ExprId) -> Result<LineId, Error> {
        self.stack.push((root, false));
        while let Some((id, visited)) = self.stack.pop() {
            if self.find(id).is_some() {
                continue;
            }
            match self.pool.node(id) {
                Node::Op(Op::Pre, _) => {}
                Node::Op(Op::Smooth, args) if !visited && args.len() == 2 => {
                    self.stack.push((id, true));
                    self.stack.push((args[1], false));
                    continue;
                }
                Node::Op(_, args) if !visited && !args.is_empty() => {
                    self.stack.push((id, true));
                    self.stack.extend(args.iter().rev().map(|&arg| (arg, false)));
                    continue;
                }
                _ => {}
            }
            let line = self.node(id)?;
            self.memo[id.0 as usize] = (self.epoch, line);
        }
        self.find(root).ok_or_else(|| Error::Unsupported("a missing expression".to_owned()))
    }

    fn find(&self, id: ExprId) -> Option<LineId> {
        let (epoch, line) = self.memo[id.0 as usize];
        (epoch == self.epoch).then_some(line)
    }

    /// The line of an argument, which was written before.
    fn arg(&self, args: &[ExprId], i: usize) -> Result<LineId, Error> {
        args.get(i)
            .and_then(|&arg| self.find(arg))
            .ok_or_else(|| Error::Unsupported("an operator with too few arguments".to_owned()))
    }

    /// The line of a node whose arguments have theirs.
    fn node(&mut self, id: ExprId) -> Result<LineId, Error> {
        let pool = self.pool;
        match pool.node(id) {
            Node::Const(value) => Ok(self.constant(value)),
            Node::Text(text) => Ok(self.constant(f64::from(text.0))),
            Node::Var(variable) => Ok(self.variable(variable)),
            Node::Op(op, args) => self.operator(op, args),
            Node::Call(function, _) => Err(Error::Unsupported(format!(
                "a call of {} inside an expression",
                pool.function(function).name
            ))),
            Node::Output(..) => {
                Err(Error::Unsupported("an output of a call inside an expression".to_owned()))
            }
        }
    }

    fn variable(&mut self, variable: VarId) -> LineId {
        self.read.insert(variable, self.epoch);
        match self.current.get(&variable) {
            Some(&line) => line,
            None => self.line(Key::Load(variable), Line::Load(variable)),
        }
    }

    fn operator(&mut self, op: Op, args: &[ExprId]) -> Result<LineId, Error> {
        match op {
            Op::Add => self.sum(args),
            Op::Mul => self.product(args),
            Op::And => self.chain(Binary::And, args, 1.0),
            Op::Or => self.chain(Binary::Or, args, 0.0),
            Op::Pow => self.power(args),
            Op::If => {
                let (c, a, b) = (self.arg(args, 0)?, self.arg(args, 1)?, self.arg(args, 2)?);
                Ok(if a == b { a } else { self.line(Key::If(c, a, b), Line::If(c, a, b)) })
            }
            Op::Time => Ok(self.line(Key::Time, Line::Time)),
            Op::Pre => self.pre(args),
            Op::NoEvent => self.arg(args, 0),
            Op::Smooth => self.arg(args, 1),
            _ => match (Unary::of(op), Binary::of(op)) {
                (Some(op), _) => {
                    let a = self.arg(args, 0)?;
                    Ok(self.unary(op, a))
                }
                (None, Some(op)) => {
                    let (a, b) = (self.arg(args, 0)?, self.arg(args, 1)?);
                    Ok(self.binary(op, a, b))
                }
                (None, None) => Err(Error::Unsupported(format!("the operator {op:?}"))),
            },
        }
    }

    /// `pre(v)`; the argument is not evaluated.
    fn pre(&mut self, args: &[ExprId]) -> Result<LineId, Error> {
        match args.first().map(|&arg| self.pool.node(arg)) {
            Some(Node::Var(variable)) => Ok(self.line(Key::Pre(variable), Line::Pre(variable))),
            Some(Node::Const(value)) => Ok(self.constant(value)),
            _ => Err(Error::Unsupported("pre of something that is not a variable".to_owned())),
        }
    }

    /// A chain of additions and subtractions from the left. A first negated term is swapped behind the second.
    fn sum(&mut self, args: &[ExprId]) -> Result<LineId, Error> {
        let mut terms = Vec::with_capacity(args.len());
        for i in 0..args.len() {
            terms.push(self.arg(args, i)?);
        }
        if terms.len() >= 2 && self.negated(terms[0]).is_some() && self.negated(terms[1]).is_none() {
            terms.swap(0, 1);
        }
        let mut terms = terms.into_iter();
        let Some(mut value) = terms.next() else { return Ok(self.constant(0.0)) };
        for term in terms {
            value = match self.negated(term) {
                Some(inner) => self.binary(Binary::Sub, value, inner),
                None => self.binary(Binary::Add, value, term),
            };
        }
        Ok(value)
    }

    fn negated(&self, line: LineId) -> Option<LineId> {
        match *self.tape.line(line) {
            Line::Unary(Unary::Neg, inner) => Some(inner),
            _ => None,
        }
    }

    /// A chain of products from the left; a factor -1 is a change of sign, which is exact.
    fn product(&mut self, args: &[ExprId]) -> Result<LineId, Error> {
        let mut negative = false;
        let mut value = None;
        for i in 0..args.len() {
            let factor = self.arg(args, i)?;
            if matches!(self.tape.line(factor), Line::Const(c) if *c == -1.0) {
                negative = !negative;
                continue;
            }
            value = Some(match value {
                None => factor,
                Some(value) => self.binary(Binary::Mul, value, factor),
            });
        }
        let value = value.unwrap_or_else(|| self.constant(1.0));
        Ok(if negative { self.unary(Unary::Neg, value) } else { value })
    }

    fn chain(&mut self, op: Binary, args: &[ExprId], empty: f64) -> Result<LineId, Error> {
        if args.is_empty() {
            return Ok(self.constant(empty));
        }
        let mut value = self.arg(args, 0)?;
        for i in 1..args.len() {
            let arg = self.arg(args, i)?;
            value = self.binary(op, value, arg);
        }
        Ok(value)
    }

    /// `a ^ n` for a small constant integer is repeated squaring, as [`power`](kausal_symbolic::evaluate::power)
    /// does it.
    fn power(&mut self, args: &[ExprId]) -> Result<LineId, Error> {
        let (base, exponent) = (self.arg(args, 0)?, self.arg(args, 1)?);
        let Line::Const(n) = *self.tape.line(exponent) else {
            return Ok(self.binary(Binary::Pow, base, exponent));
        };
        if n.fract() != 0.0 || n.abs() > f64::from(MULTIPLIED_POWER) {
            return Ok(self.binary(Binary::Pow, base, exponent));
        }
        let (mut square, mut rest, mut power) = (base, n.abs() as u32, None);
        while rest != 0 {
            if rest % 2 == 1 {
                power = Some(match power {
                    None => square,
                    Some(power) => self.binary(Binary::Mul, power, square),
                });
            }
            rest /= 2;
            if rest != 0 {
                square = self.binary(Binary::Mul, square, square);
            }
        }
        let one = self.constant(1.0);
        let power = power.unwrap_or(one);
        Ok(if n < 0.0 { self.binary(Binary::Div, one, power) } else { power })
    }

    fn constant(&mut self, value: f64) -> LineId {
        self.line(Key::Const(value.to_bits()), Line::Const(value))
    }

    fn unary(&mut self, op: Unary, a: LineId) -> LineId {
        match (op, *self.tape.line(a)) {
            (Unary::Neg, Line::Unary(Unary::Neg, inner)) => inner,
            (_, Line::Const(value)) => self.constant(op.apply(value)),
            _ => self.line(Key::Unary(op, a), Line::Unary(op, a)),
        }
    }

    fn binary(&mut self, op: Binary, a: LineId, b: LineId) -> LineId {
        if let (Line::Const(x), Line::Const(y)) = (*self.tape.line(a), *self.tape.line(b)) {
            return self.constant(op.apply(x, y));
        }
        self.line(Key::Binary(op, a, b), Line::Binary(op, a, b))
    }

    fn line(&mut self, key: Key, line: Line) -> LineId {
        let lines = &mut self.tape.lines;
        *self.known.entry(key).or_insert_with(|| {
            lines.push(line);
            LineId(lines.len() as u32 - 1)
        })
    }
}
