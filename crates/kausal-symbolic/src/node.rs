//! What an expression is made of.

use serde::{Deserialize, Serialize};

/// Names an expression in a [`Pool`](crate::Pool).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(pub u32);

/// Names a variable; what it is, others know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VarId(pub u32);

impl VarId {
    /// As an index into a dense table of variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names a string constant in a [`Pool`](crate::Pool).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TextId(pub u32);

/// A node of the graph, as [`Pool::node`](crate::Pool::node) shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node<'a> {
    /// A number; also a Boolean, an integer or an enumeration value.
    Const(f64),
    /// A string.
    Text(TextId),
    /// A variable.
    Var(VarId),
    /// An operator or built-in function on its arguments.
    Op(Op, &'a [ExprId]),
    /// A function with all its scalar arguments: array arguments are laid out element by element (row
    /// major), one input behind the other. Its value is the list of all scalar outputs.
    Call(crate::FunctionId, &'a [ExprId]),
    /// One scalar output of a call, counted over all outputs laid out like the arguments.
    Output(ExprId, u32),
}

/// Operators and built-in functions with scalar arguments (specification section 3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Op {
    /// Sum of two or more.
    Add,
    /// Product of two or more.
    Mul,
    /// Negation.
    Neg,
    /// Quotient.
    Div,
    /// Power.
    Pow,

    /// `sqrt`
    Sqrt,
    /// `exp`
    Exp,
    /// `log`
    Log,
    /// `log10`
    Log10,
    /// `sin`
    Sin,
    /// `cos`
    Cos,
    /// `tan`
    Tan,
    /// `asin`
    Asin,
    /// `acos`
    Acos,
    /// `atan`
    Atan,
    /// `atan2(y, x)`
    Atan2,
    /// `sinh`
    Sinh,
    /// `cosh`
    Cosh,
    /// `tanh`
    Tanh,
    /// `abs`
    Abs,
    /// `sign`
    Sign,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `floor`
    Floor,
    /// `ceil`
    Ceil,
    /// `integer(x)`: `floor` with an integer result.
    Integer,
    /// `div(x, y)`: quotient without fraction.
    IntegerDiv,
    /// `mod(x, y)`
    Mod,
    /// `rem(x, y)`
    Rem,

    /// `a < b` (`a > b` is written `b < a`)
    Less,
    /// `a <= b`
    LessEqual,
    /// `a == b`
    Equal,
    /// `a <> b`
    NotEqual,
    /// `not a`
    Not,
    /// `and` of two or more
    And,
    /// `or` of two or more
    Or,
    /// `if c then a else b`
    If,

    /// `time`
    Time,
    /// `der(e)`
    Der,
    /// `pre(v)`
    Pre,
    /// `initial()`
    Initial,
    /// `terminal()`
    Terminal,
    /// `sample(start, interval)`
    Sample,
    /// `delay(e, delay, max)`
    Delay,
    /// `noEvent(e)`
    NoEvent,
    /// `smooth(p, e)`
    Smooth,
    /// `homotopy(actual, simplified)`
    Homotopy,
}

impl Op {
    /// Does the value depend on more than the arguments: on time, on the past, or on the phase of the run?
    pub fn is_context_dependent(self) -> bool {
        matches!(self, Op::Time | Op::Der | Op::Pre | Op::Initial | Op::Terminal | Op::Sample | Op::Delay)
    }

    /// Is it a relation, which may cause events?
    pub fn is_relation(self) -> bool {
        matches!(self, Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual)
    }

    /// May it cause an event outside `noEvent`? Relations and the discontinuous functions of specification
    /// section 3.7.2; `abs`, `sign`, `min` and `max` do not.
    pub fn may_cause_event(self) -> bool {
        self.is_relation()
            || matches!(
                self,
                Op::Floor | Op::Ceil | Op::Integer | Op::IntegerDiv | Op::Mod | Op::Rem | Op::Sample
            )
    }

    /// Is its value 0 or 1?
    pub fn is_boolean(self) -> bool {
        self.is_relation()
            || matches!(self, Op::Not | Op::And | Op::Or | Op::Initial | Op::Terminal | Op::Sample)
    }

    /// The name in Modelica text, for those written as a call `name(a, b)`; `None` for operators.
    pub fn function_name(self) -> Option<&'static str> {
        Some(match self {
            Op::Sqrt => "sqrt",
            Op::Exp => "exp",
            Op::Log => "log",
            Op::Log10 => "log10",
            Op::Sin => "sin",
            Op::Cos => "cos",
            Op::Tan => "tan",
            Op::Asin => "asin",
            Op::Acos => "acos",
            Op::Atan => "atan",
            Op::Atan2 => "atan2",
            Op::Sinh => "sinh",
            Op::Cosh => "cosh",
            Op::Tanh => "tanh",
            Op::Abs => "abs",
            Op::Sign => "sign",
            Op::Min => "min",
            Op::Max => "max",
            Op::Floor => "floor",
            Op::Ceil => "ceil",
            Op::Integer => "integer",
            Op::IntegerDiv => "div",
            Op::Mod => "mod",
            Op::Rem => "rem",
            Op::Der => "der",
            Op::Pre => "pre",
            Op::Initial => "initial",
            Op::Terminal => "terminal",
            Op::Sample => "sample",
            Op::Delay => "delay",
            Op::NoEvent => "noEvent",
            Op::Smooth => "smooth",
            Op::Homotopy => "homotopy",
            Op::Add
            | Op::Mul
            | Op::Neg
            | Op::Div
            | Op::Pow
            | Op::Less
            | Op::LessEqual
            | Op::Equal
            | Op::NotEqual
            | Op::Not
            | Op::And
            | Op::Or
            | Op::If
            | Op::Time => return None,
        })
    }
}
