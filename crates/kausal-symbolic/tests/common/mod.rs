//! Plain trees beside the pool: read from text, evaluated naively with a bound of the rounding error, counted as
//! written. They are the oracle for everything the pool does to expressions.
#![allow(dead_code)]

use kausal_symbolic::print::print;
use kausal_symbolic::{ExprId, Op, Pool, VarId};

/// An expression as it was written. Variables are single letters, `a` is number 0.
#[derive(Clone, Debug)]
pub enum Tree {
    Const(f64),
    Var(u32),
    Op(Op, Vec<Tree>),
}

/// A value and a bound of its rounding error.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    pub value: f64,
    pub error: f64,
}

impl Tree {
    /// The same in a pool.
    pub fn build(&self, pool: &mut Pool) -> ExprId {
        match self {
            Tree::Const(value) => pool.constant(*value),
            Tree::Var(var) => pool.var(VarId(*var)),
            Tree::Op(op, args) => {
                let args: Vec<ExprId> = args.iter().map(|arg| arg.build(pool)).collect();
                pool.op(*op, &args)
            }
        }
    }

    /// The value; `None` where a part is not finite, or a comparison or rounding is too close to call.
    pub fn value(&self, vars: &[Bounded]) -> Option<Bounded> {
        let result = match self {
            Tree::Const(value) => Bounded { value: *value, error: 0.0 },
            Tree::Var(var) => vars[*var as usize],
            Tree::Op(op, args) => {
                let args: Option<Vec<Bounded>> = args.iter().map(|arg| arg.value(vars)).collect();
                apply(*op, &args?)?
            }
        };
        (result.value.is_finite() && result.error.is_finite()).then_some(result)
    }

    /// Operations as written, counted like the papers.
    pub fn operations(&self) -> u64 {
        let Tree::Op(op, args) = self else { return 0 };
        let below: u64 = args.iter().map(Tree::operations).sum();
        let own = match op {
            Op::Add | Op::Mul => args.len() as u64 - 1,
            Op::Div => 1,
            Op::Pow => match args[1] {
                Tree::Const(n) if n.fract() == 0.0 && n.abs() <= 32.0 && n != 0.0 => {
                    let n_abs = n.abs() as u32;
                    u64::from(n_abs.ilog2() + n_abs.count_ones() - 1) + u64::from(n < 0.0)
                }
                Tree::Const(_) => 1,
                // If the exponent turns out to be a number, the call becomes a few multiplications.
                _ => 8,
            },
            _ => u64::from(op.function_name().is_some() && !matches!(op, Op::NoEvent | Op::Smooth)),
        };
        below + own
    }
}

fn apply(op: Op, args: &[Bounded]) -> Option<Bounded> {
    let values: Vec<f64> = args.iter().map(|arg| arg.value).collect();
    let value = op.eval(&values);
    let rounding = 4.0 * f64::EPSILON * value.abs() + f64::MIN_POSITIVE;
    let exact = |error: f64| Some(Bounded { value, error });
    let (a, b) = (args.first().copied(), args.get(1).copied());
    // The largest change of the value when the arguments move within their errors.
    let probe = || {
        let mut error: f64 = 0.0;
        for (i, arg) in args.iter().enumerate() {
            for side in [-1.0, 1.0] {
                let mut moved = values.clone();
                moved[i] += side * arg.error;
                error += (op.eval(&moved) - value).abs();
            }
        }
        Some(Bounded { value, error: error + rounding })
    };
    match op {
        Op::Add => {
            let size: f64 = args.iter().map(|x| x.value.abs()).sum();
            exact(args.iter().map(|x| x.error).sum::<f64>() + 4.0 * f64::EPSILON * size)
        }
        Op::Mul => {
            let mut product = args[0];
            for x in &args[1..] {
                let value = product.value * x.value;
                let error =
                    product.value.abs() * x.error + x.value.abs() * product.error + product.error * x.error;
                product = Bounded { value, error: error + 4.0 * f64::EPSILON * value.abs() };
            }
            exact(product.error + rounding)
        }
        Op::Div => {
            let (a, b) = (a?, b?);
            let room = b.value.abs() - b.error;
            if room <= 0.0 {
                return None;
            }
            exact((a.error + value.abs() * b.error) / room + rounding)
        }
        Op::Neg | Op::NoEvent => exact(a?.error),
        Op::Abs => exact(a?.error),
        Op::Smooth => exact(b?.error),
        Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual => {
            let (a, b) = (a?, b?);
            let clear = (a.value - b.value).abs() > 64.0 * (a.error + b.error);
            let equal = a.value == b.value && a.error == 0.0 && b.error == 0.0;
            if clear || equal { exact(0.0) } else { None }
        }
        Op::If => exact(args[if values[0] != 0.0 { 1 } else { 2 }].error),
        Op::And | Op::Or | Op::Not => exact(0.0),
        Op::Sign => {
            let a = a?;
            if a.value.abs() > 64.0 * a.error || a.value == 0.0 && a.error == 0.0 { exact(0.0) } else { None }
        }
        Op::Min | Op::Max => exact(a?.error.max(b?.error)),
        Op::Floor | Op::Ceil | Op::Integer | Op::IntegerDiv | Op::Mod | Op::Rem => {
            let quotient = if args.len() == 2 { a?.value / b?.value } else { a?.value };
            let slack = if args.len() == 2 {
                (a?.error + quotient.abs() * b?.error) / b?.value.abs() + 4.0 * f64::EPSILON * quotient.abs()
            } else {
                a?.error
            };
            let distance = (quotient - quotient.round()).abs();
            if !(distance > 64.0 * slack || slack == 0.0) {
                return None;
            }
            match op {
                Op::Mod | Op::Rem => {
                    let whole = quotient.abs().ceil();
                    exact(a?.error + whole * b?.error + 8.0 * f64::EPSILON * whole * b?.value.abs())
                }
                _ => exact(0.0),
            }
        }
        _ => probe(),
    }
}

/// Do they agree within the rounding error, generously?
pub fn agree(expected: Bounded, actual: f64) -> bool {
    (expected.value - actual).abs() <= 64.0 * expected.error + 1e-300
}

/// The text of an expression with one-letter names.
pub fn show(pool: &Pool, expr: ExprId) -> String {
    print(pool, expr, &|var| letter(var.0))
}

/// The name of a variable.
pub fn letter(var: u32) -> String {
    char::from(b'a' + (var % 26) as u8).to_string()
}

/// The variable with this name.
pub fn var(name: &str) -> VarId {
    VarId(u32::from(name.as_bytes()[0] - b'a'))
}

/// Reads Modelica text into the pool, after creating all variables in alphabetical order.
pub fn read(pool: &mut Pool, text: &str) -> ExprId {
    for i in 0..26 {
        pool.var(VarId(i));
    }
    parse(text).build(pool)
}

/// Reads a Modelica expression.
pub fn parse(text: &str) -> Tree {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let tree = parser.expression();
    assert_eq!(parser.at, parser.tokens.len(), "{text}");
    tree
}

fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let c = chars[at];
        at += 1;
        if c.is_whitespace() {
            continue;
        } else if c.is_ascii_digit() {
            while at < chars.len()
                && (chars[at].is_ascii_digit()
                    || matches!(chars[at], '.' | 'e')
                    || (matches!(chars[at], '-' | '+') && chars[at - 1] == 'e'))
            {
                at += 1;
            }
        } else if c.is_alphabetic() {
            while at < chars.len() && chars[at].is_alphanumeric() {
                at += 1;
            }
        } else if at < chars.len() && matches!((c, chars[at]), ('<', '=' | '>') | ('>', '=') | ('=', '=')) {
            at += 1;
        }
        tokens.push(chars[start..at].iter().collect());
    }
    tokens
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.accept(token), "expected {token} at {:?}", &self.tokens[self.at..]);
    }

    fn expression(&mut self) -> Tree {
        if self.accept("if") {
            return self.branches();
        }
        let mut args = vec![self.conjunction()];
        while self.accept("or") {
            args.push(self.conjunction());
        }
        node(Op::Or, args)
    }

    fn branches(&mut self) -> Tree {
        let condition = self.expression();
        self.expect("then");
        let then = self.expression();
        let otherwise = if self.accept("elseif") {
            self.branches()
        } else {
            self.expect("else");
            self.expression()
        };
        Tree::Op(Op::If, vec![condition, then, otherwise])
    }

    fn conjunction(&mut self) -> Tree {
        let mut args = vec![self.negation()];
        while self.accept("and") {
            args.push(self.negation());
        }
        node(Op::And, args)
    }

    fn negation(&mut self) -> Tree {
        if self.accept("not") { Tree::Op(Op::Not, vec![self.relation()]) } else { self.relation() }
    }

    fn relation(&mut self) -> Tree {
        let left = self.sum();
        let token = self.peek().to_owned();
        let op = match token.as_str() {
            "<" | ">" => Op::Less,
            "<=" | ">=" => Op::LessEqual,
            "==" => Op::Equal,
            "<>" => Op::NotEqual,
            _ => return left,
        };
        self.at += 1;
        let right = self.sum();
        Tree::Op(op, if token.starts_with('>') { vec![right, left] } else { vec![left, right] })
    }

    fn sum(&mut self) -> Tree {
        let first = if self.accept("-") { Tree::Op(Op::Neg, vec![self.product()]) } else { self.product() };
        let mut terms = vec![first];
        loop {
            if self.accept("+") {
                terms.push(self.product());
            } else if self.accept("-") {
                terms.push(Tree::Op(Op::Neg, vec![self.product()]));
            } else {
                return node(Op::Add, terms);
            }
        }
    }

    fn product(&mut self) -> Tree {
        let mut left = self.factor();
        loop {
            if self.accept("*") {
                left = Tree::Op(Op::Mul, vec![left, self.factor()]);
            } else if self.accept("/") {
                left = Tree::Op(Op::Div, vec![left, self.factor()]);
            } else {
                return left;
            }
        }
    }

    fn factor(&mut self) -> Tree {
        let base = self.primary();
        if self.accept("^") { Tree::Op(Op::Pow, vec![base, self.primary()]) } else { base }
    }

    fn primary(&mut self) -> Tree {
        if self.accept("(") {
            let inner = self.expression();
            self.expect(")");
            return inner;
        }
        let token = self.peek().to_owned();
        self.at += 1;
        if let Ok(value) = token.parse::<f64>() {
            return Tree::Const(value);
        }
        match token.as_str() {
            "true" => return Tree::Const(1.0),
            "false" => return Tree::Const(0.0),
            "time" => return Tree::Op(Op::Time, Vec::new()),
            _ => {}
        }
        if !self.accept("(") {
            assert_eq!(token.len(), 1, "{token}");
            return Tree::Var(var(&token).0);
        }
        let mut args = Vec::new();
        while !self.accept(")") {
            args.push(self.expression());
            self.accept(",");
        }
        let op = FUNCTIONS.into_iter().find(|op| op.function_name() == Some(token.as_str()));
        Tree::Op(op.unwrap_or_else(|| panic!("function {token}")), args)
    }
}

const FUNCTIONS: [Op; 33] = [
    Op::Sqrt,
    Op::Exp,
    Op::Log,
    Op::Log10,
    Op::Sin,
    Op::Cos,
    Op::Tan,
    Op::Asin,
    Op::Acos,
    Op::Atan,
    Op::Atan2,
    Op::Sinh,
    Op::Cosh,
    Op::Tanh,
    Op::Abs,
    Op::Sign,
    Op::Min,
    Op::Max,
    Op::Floor,
    Op::Ceil,
    Op::Integer,
    Op::IntegerDiv,
    Op::Mod,
    Op::Rem,
    Op::Der,
    Op::Pre,
    Op::Initial,
    Op::Terminal,
    Op::Sample,
    Op::Delay,
    Op::NoEvent,
    Op::Smooth,
    Op::Homotopy,
];

fn node(op: Op, mut args: Vec<Tree>) -> Tree {
    if args.len() == 1 { args.remove(0) } else { Tree::Op(op, args) }
}
