//! The directional derivative of straight-line code, in forward mode.
//!
//! Every line with a derivative gets a second line beside it (Griewank and Walther, *Evaluating Derivatives*, 2008,
//! section 3.1). Derivatives of variables live in slots of their own, which the caller names; variables without one
//! are constant. The derivative code runs after the code itself: what that assigned is loaded, not computed again.
//!
//! Where a function has a kink (`abs`, `min`, the border of an `if`) the derivative is that of the branch taken.

use kausal_symbolic::VarId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scalar::{Binary, Unary};
use crate::tape::{Line, LineId, Tape};

/// The code that computes the derivatives of all stored variables and outputs that have one.
pub(crate) fn tangent(tape: &Tape, slot: &dyn Fn(VarId) -> Option<VarId>) -> Tape {
    let mut writer = Tangent {
        slot,
        out: Tape::default(),
        value: Vec::with_capacity(tape.lines.len()),
        derivative: Vec::with_capacity(tape.lines.len()),
        unary: FxHashMap::default(),
    };
    let stored = stored(tape);
    for (line, stored) in tape.lines.iter().zip(stored) {
        writer.line(line, stored);
    }
    writer.out
}

/// Per line the variable that holds its value once the code has run, if one does.
fn stored(tape: &Tape) -> Vec<Option<VarId>> {
    let mut read: FxHashSet<VarId> = FxHashSet::default();
    let mut stores: FxHashMap<VarId, u32> = FxHashMap::default();
    for line in &tape.lines {
        match line {
            Line::Load(v) => _ = read.insert(*v),
            Line::Store(v, _) => *stores.entry(*v).or_default() += 1,
            _ => {}
        }
    }
    let mut stored = vec![None; tape.lines.len()];
    for line in &tape.lines {
        if let Line::Store(v, value) = line
            && stores[v] == 1
            && !read.contains(v)
            && !matches!(tape.line(*value), Line::Const(_) | Line::Load(_))
        {
            stored[value.index()].get_or_insert(*v);
        }
    }
    stored
}

struct Tangent<'a> {
    slot: &'a dyn Fn(VarId) -> Option<VarId>,
    out: Tape,
    /// Per line of the old tape: its value in the new one.
    value: Vec<LineId>,
    /// And its derivative; `None` if that is zero.
    derivative: Vec<Option<LineId>>,
    unary: FxHashMap<(Unary, LineId), LineId>,
}

impl Tangent<'_> {
    fn push(&mut self, line: Line) -> LineId {
        self.out.lines.push(line);
        LineId(self.out.lines.len() as u32 - 1)
    }

    fn number(&mut self, value: f64) -> LineId {
        self.push(Line::Const(value))
    }

    fn unary(&mut self, op: Unary, a: LineId) -> LineId {
        if let Some(&known) = self.unary.get(&(op, a)) {
            return known;
        }
        let line = self.push(Line::Unary(op, a));
        self.unary.insert((op, a), line);
        line
    }

    fn binary(&mut self, op: Binary, a: LineId, b: LineId) -> LineId {
        self.push(Line::Binary(op, a, b))
    }

    fn line(&mut self, line: &Line, stored: Option<VarId>) {
        let derivative = match *line {
            Line::Store(v, value) => {
                if let Some(slot) = (self.slot)(v) {
                    let derivative = self.derivative_or_zero(value);
                    self.push(Line::Store(slot, derivative));
                }
                self.value.push(LineId(0));
                self.derivative.push(None);
                return;
            }
            Line::Output(k, value) => {
                let derivative = self.derivative_or_zero(value);
                self.push(Line::Output(k, derivative));
                self.value.push(LineId(0));
                self.derivative.push(None);
                return;
            }
            _ => {
                let value = self.primal(line, stored);
                self.value.push(value);
                self.differentiate(line, value)
            }
        };
        self.derivative.push(derivative);
    }

    fn primal(&mut self, line: &Line, stored: Option<VarId>) -> LineId {
        if let Some(v) = stored {
            return self.push(Line::Load(v));
        }
        let value = |id: LineId| self.value[id.index()];
        match *line {
            Line::Unary(op, a) => {
                let a = value(a);
                self.unary(op, a)
            }
            Line::Binary(op, a, b) => {
                let (a, b) = (value(a), value(b));
                self.binary(op, a, b)
            }
            Line::If(c, a, b) => {
                let (c, a, b) = (value(c), value(a), value(b));
                self.push(Line::If(c, a, b))
            }
            other => self.push(other),
        }
    }

    fn derivative_or_zero(&mut self, line: LineId) -> LineId {
        match self.derivative[line.index()] {
            Some(derivative) => derivative,
            None => self.number(0.0),
        }
    }

    /// The derivative of a line whose value is `y`.
    fn differentiate(&mut self, line: &Line, y: LineId) -> Option<LineId> {
        match *line {
            Line::Load(v) => (self.slot)(v).map(|slot| self.push(Line::Load(slot))),
            Line::Unary(op, a) => {
                let (da, a) = (self.derivative[a.index()]?, self.value[a.index()]);
                self.of_unary(op, a, da, y)
            }
            Line::Binary(op, a, b) => {
                let (da, db) = (self.derivative[a.index()], self.derivative[b.index()]);
                if da.is_none() && db.is_none() {
                    return None;
                }
                let (a, b) = (self.value[a.index()], self.value[b.index()]);
                self.of_binary(op, (a, da), (b, db), y)
            }
            Line::If(c, a, b) => {
                if self.derivative[a.index()].is_none() && self.derivative[b.index()].is_none() {
                    return None;
                }
                let c = self.value[c.index()];
                let (da, db) = (self.derivative_or_zero(a), self.derivative_or_zero(b));
                Some(self.push(Line::If(c, da, db)))
            }
            Line::Const(_) | Line::Pre(_) | Line::Time | Line::Store(..) | Line::Output(..) => None,
        }
    }

    fn of_unary(&mut self, op: Unary, a: LineId, da: LineId, y: LineId) -> Option<LineId> {
        use Binary::{Add, Div, Mul, Sub};
        Some(match op {
            Unary::Not | Unary::Sign | Unary::Floor | Unary::Ceil => return None,
            Unary::Neg => self.unary(Unary::Neg, da),
            Unary::Abs => {
                let sign = self.unary(Unary::Sign, a);
                self.binary(Mul, sign, da)
            }
            Unary::Sqrt => {
                let double = self.binary(Add, y, y);
                self.binary(Div, da, double)
            }
            Unary::Exp => self.binary(Mul, y, da),
            Unary::Log => self.binary(Div, da, a),
            Unary::Log10 => {
                let scale = self.number(std::f64::consts::LN_10);
                let scaled = self.binary(Mul, scale, a);
                self.binary(Div, da, scaled)
            }
            Unary::Sin => {
                let cos = self.unary(Unary::Cos, a);
                self.binary(Mul, cos, da)
            }
            Unary::Cos => {
                let sin = self.unary(Unary::Sin, a);
                let product = self.binary(Mul, sin, da);
                self.unary(Unary::Neg, product)
            }
            Unary::Sinh => {
                let cosh = self.unary(Unary::Cosh, a);
                self.binary(Mul, cosh, da)
            }
            Unary::Cosh => {
                let sinh = self.unary(Unary::Sinh, a);
                self.binary(Mul, sinh, da)
            }
            Unary::Tan | Unary::Tanh => {
                let (one, square) = (self.number(1.0), self.binary(Mul, y, y));
                let slope = self.binary(if op == Unary::Tan { Add } else { Sub }, one, square);
                self.binary(Mul, slope, da)
            }
            Unary::Atan => {
                let (one, square) = (self.number(1.0), self.binary(Mul, a, a));
                let below = self.binary(Add, one, square);
                self.binary(Div, da, below)
            }
            Unary::Asin | Unary::Acos => {
                let (one, square) = (self.number(1.0), self.binary(Mul, a, a));
                let rest = self.binary(Sub, one, square);
                let below = self.unary(Unary::Sqrt, rest);
                let slope = self.binary(Div, da, below);
                if op == Unary::Asin { slope } else { self.unary(Unary::Neg, slope) }
            }
        })
    }

    fn of_binary(
        &mut self,
        op: Binary,
        (a, da): (LineId, Option<LineId>),
        (b, db): (LineId, Option<LineId>),
        y: LineId,
    ) -> Option<LineId> {
        use Binary::{Add, Div, Mul, Sub};
        match op {
            Add => self.sum(da, db),
            Sub => match (da, db) {
                (Some(da), Some(db)) => Some(self.binary(Sub, da, db)),
                (Some(da), None) => Some(da),
                (None, db) => db.map(|db| self.unary(Unary::Neg, db)),
            },
            Mul => {
                let first = da.map(|da| self.binary(Mul, da, b));
                let second = db.map(|db| self.binary(Mul, a, db));
                self.sum(first, second)
            }
            Div => {
                let from_b = db.map(|db| self.binary(Mul, y, db));
                let above = match (da, from_b) {
                    (Some(da), Some(from_b)) => self.binary(Sub, da, from_b),
                    (Some(da), None) => da,
                    (None, from_b) => self.unary(Unary::Neg, from_b?),
                };
                Some(self.binary(Div, above, b))
            }
            Binary::Pow => {
                let first = da.map(|da| {
                    let one = self.number(1.0);
                    let less = self.binary(Sub, b, one);
                    let power = self.binary(Binary::Pow, a, less);
                    let slope = self.binary(Mul, b, power);
                    self.binary(Mul, slope, da)
                });
                let second = db.map(|db| {
                    // The power of zero is constant in the exponent; of negative numbers it has no derivative.
                    let zero = self.number(0.0);
                    let positive = self.binary(Binary::Less, zero, a);
                    let log = self.unary(Unary::Log, a);
                    let slope = self.binary(Mul, y, log);
                    let slope = self.push(Line::If(positive, slope, zero));
                    self.binary(Mul, slope, db)
                });
                self.sum(first, second)
            }
            Binary::Atan2 => {
                let first = da.map(|da| self.binary(Mul, b, da));
                let second = db.map(|db| self.binary(Mul, a, db));
                let above = match (first, second) {
                    (Some(first), Some(second)) => self.binary(Sub, first, second),
                    (Some(first), None) => first,
                    (None, second) => self.unary(Unary::Neg, second?),
                };
                let (aa, bb) = (self.binary(Mul, a, a), self.binary(Mul, b, b));
                let below = self.binary(Add, aa, bb);
                Some(self.binary(Div, above, below))
            }
            Binary::Min | Binary::Max => {
                let (low, high) = if op == Binary::Min { (a, b) } else { (b, a) };
                let first = self.binary(Binary::Less, low, high);
                let zero = self.number(0.0);
                Some(self.push(Line::If(first, da.unwrap_or(zero), db.unwrap_or(zero))))
            }
            Binary::Mod | Binary::Rem => {
                // a - k*b with a whole number k that is constant here.
                let from_b = db.map(|db| {
                    let quotient = self.binary(Div, a, b);
                    let whole = match op {
                        Binary::Mod => self.unary(Unary::Floor, quotient),
                        _ => self.binary(Binary::IntegerDiv, a, b),
                    };
                    let product = self.binary(Mul, whole, db);
                    self.unary(Unary::Neg, product)
                });
                self.sum(da, from_b)
            }
            Binary::IntegerDiv
            | Binary::Less
            | Binary::LessEqual
            | Binary::Equal
            | Binary::NotEqual
            | Binary::And
            | Binary::Or => None,
        }
    }

    fn sum(&mut self, a: Option<LineId>, b: Option<LineId>) -> Option<LineId> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.binary(Binary::Add, a, b)),
            (a, b) => a.or(b),
        }
    }
}
