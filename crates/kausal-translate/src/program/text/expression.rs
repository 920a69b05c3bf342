//! Expressions and names as text.

use std::fmt::Write;

use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use rustc_hash::FxHashMap;

use super::lexer;

/// Expressions with more nodes, if they are used more than once, are written once.
const LONG: u64 = 40;

/// How variables are called in a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    by_id: Vec<String>,
}

impl Names {
    /// Of variables with these names.
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
        let names: Vec<&str> = names.into_iter().collect();
        let mut count: FxHashMap<&str, u32> = FxHashMap::default();
        names.iter().for_each(|name| *count.entry(name).or_default() += 1);
        let shown = |(i, name): (usize, &&str)| match count.get(name) {
            Some(1) => quoted(name),
            _ => format!("{}#{i}", quoted(name)),
        };
        Names { by_id: names.iter().enumerate().map(shown).collect() }
    }

    /// One of them.
    pub(crate) fn of(&self, id: VarId) -> &str {
        self.by_id.get(id.index()).map_or("`?`", String::as_str)
    }
}

/// A name, between backquotes where it would not be read as one.
fn quoted(name: &str) -> String {
    if lexer::is_plain(name) { name.to_owned() } else { format!("`{}`", name.replace('`', "'")) }
}

/// Long expressions that are used in several places, by the numbers they get.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    numbers: FxHashMap<ExprId, usize>,
}

impl Shared {
    /// Those below `roots`, in the order in which they must be written.
    pub(crate) fn new(pool: &Pool, roots: &[ExprId]) -> (Shared, Vec<ExprId>) {
        let mut all = kausal_symbolic::visit::reachable(pool, roots, |_| true);
        all.sort_unstable();
        all.dedup();
        let mut uses: FxHashMap<ExprId, u32> = FxHashMap::default();
        roots.iter().for_each(|&root| *uses.entry(root).or_default() += 1);
        for &e in &all {
            pool.children(e).iter().for_each(|&c| *uses.entry(c).or_default() += 1);
        }
        let mut sizes: FxHashMap<ExprId, u64> = FxHashMap::default();
        let mut shared = Shared::default();
        let mut order = Vec::new();
        for &e in &all {
            let below = pool.children(e).iter().map(|c| sizes.get(c).copied().unwrap_or(1));
            let size = below.fold(1_u64, u64::saturating_add);
            let is_shared = size > LONG && uses.get(&e).is_some_and(|&n| n > 1);
            if is_shared {
                shared.numbers.insert(e, order.len());
                order.push(e);
            }
            sizes.insert(e, if is_shared { 1 } else { size });
        }
        (shared, order)
    }
}

/// How strongly the parts of an expression hold together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Or,
    And,
    Not,
    Relation,
    Sum,
    Product,
    Power,
    Primary,
}

/// An expression; `own` writes it out even if it is shared.
pub(crate) fn expression(pool: &Pool, names: &Names, shared: &Shared, e: ExprId, own: bool) -> String {
    let mut printer = Printer { pool, names, shared, out: String::new() };
    printer.any(e, Level::Choice, own);
    printer.out
}

/// A number that reads back to itself.
pub(crate) fn number(value: f64) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "infinity" } else { "-infinity" }.to_owned()
    } else if value == value.trunc() && value.abs() < 1e15 && !(value == 0.0 && value.is_sign_negative()) {
        format!("{value:.0}")
    } else {
        format!("{value:?}")
    }
}

/// A string between quotes.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The name of an operator that is written like a function.
pub(super) fn operator_name(op: Op) -> &'static str {
    match op {
        Op::Add => "add",
        Op::Mul => "mul",
        Op::Neg => "neg",
        Op::Div => "quotient",
        Op::Pow => "pow",
        Op::Less => "less",
        Op::LessEqual => "less_equal",
        Op::Equal => "equal",
        Op::NotEqual => "not_equal",
        Op::Not => "op_not",
        Op::And => "op_and",
        Op::Or => "op_or",
        Op::If => "op_if",
        Op::Time => "op_time",
        // Names of variables begin like these.
        Op::Der => "op_der",
        Op::Pre => "op_pre",
        Op::Initial => "op_initial",
        Op::Terminal => "op_terminal",
        other => other.function_name().unwrap_or("op_unknown"),
    }
}

struct Printer<'a> {
    pool: &'a Pool,
    names: &'a Names,
    shared: &'a Shared,
    out: String,
}

impl Printer<'_> {
    fn any(&mut self, e: ExprId, at_least: Level, own: bool) {
        if let Some(n) = self.shared.numbers.get(&e).filter(|_| !own) {
            let _ = write!(self.out, "${n}");
            return;
        }
        let level = self.level(e);
        if level < at_least {
            self.out.push('(');
            self.open(e, level);
            self.out.push(')');
        } else {
            self.open(e, level);
        }
    }

    /// How an expression is written without parentheses around it.
    fn level(&self, e: ExprId) -> Level {
        match self.pool.node(e) {
            Node::Const(value) if value.is_sign_negative() => Level::Sum,
            Node::Op(op, args) => match op {
                Op::Add if args.len() > 1 => Level::Sum,
                Op::Neg if !self.is_number(args[0]) => Level::Sum,
                Op::Mul if args.len() > 1 => Level::Product,
                Op::Div => Level::Product,
                Op::Pow => Level::Power,
                Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual => Level::Relation,
                Op::Not => Level::Not,
                Op::And if args.len() > 1 => Level::And,
                Op::Or if args.len() > 1 => Level::Or,
                Op::If => Level::Choice,
                _ => Level::Primary,
            },
            _ => Level::Primary,
        }
    }

    fn is_number(&self, e: ExprId) -> bool {
        matches!(self.pool.node(e), Node::Const(_))
    }

    fn open(&mut self, e: ExprId, level: Level) {
        match self.pool.node(e) {
            Node::Const(value) => self.out.push_str(&number(value)),
            Node::Text(id) => self.out.push_str(&text(self.pool.text_of(id))),
            Node::Var(v) => self.out.push_str(self.names.of(v)),
            Node::Op(Op::Time, _) => self.out.push_str("time"),
            Node::Op(op, args) if level == Level::Primary => {
                self.out.push_str(operator_name(op));
                self.list(args);
            }
            Node::Op(op, args) => self.operator(op, args),
            Node::Call(function, args) => {
                let _ = write!(self.out, "call {}", function.0);
                self.list(args);
            }
            Node::Output(call, k) => {
                let _ = write!(self.out, "output {k} of ");
                self.any(call, Level::Primary, false);
            }
        }
    }

    fn list(&mut self, args: &[ExprId]) {
        self.out.push('(');
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.any(arg, Level::Choice, false);
        }
        self.out.push(')');
    }

    fn operator(&mut self, op: Op, args: &[ExprId]) {
        match (op, args) {
            (Op::Add, _) => self.sum(args),
            (Op::Neg, &[a]) => {
                self.out.push('-');
                self.any(a, Level::Product, false);
            }
            (Op::Mul, _) => self.joined(args, "*", Level::Power),
            (Op::Div, _) => self.joined(args, "/", Level::Power),
            (Op::Pow, _) => self.joined(args, "^", Level::Primary),
            (Op::Less, _) => self.joined(args, " < ", Level::Sum),
            (Op::LessEqual, _) => self.joined(args, " <= ", Level::Sum),
            (Op::Equal, _) => self.joined(args, " == ", Level::Sum),
            (Op::NotEqual, _) => self.joined(args, " <> ", Level::Sum),
            (Op::Not, &[a]) => {
                self.out.push_str("not ");
                self.any(a, Level::Relation, false);
            }
            (Op::And, _) => self.joined(args, " and ", Level::Not),
            (Op::Or, _) => self.joined(args, " or ", Level::And),
            (Op::If, &[c, a, b]) => {
                self.out.push_str("if ");
                self.any(c, Level::Or, false);
                self.out.push_str(" then ");
                self.any(a, Level::Or, false);
                self.out.push_str(" else ");
                self.any(b, Level::Choice, false);
            }
            _ => {
                self.out.push_str(operator_name(op));
                self.list(args);
            }
        }
    }

    fn joined(&mut self, args: &[ExprId], sign: &str, level: Level) {
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(sign);
            }
            self.any(arg, level, false);
        }
    }

    /// A sum: negative terms are subtracted.
    fn sum(&mut self, args: &[ExprId]) {
        for (i, &arg) in args.iter().enumerate() {
            let shared = self.shared.numbers.contains_key(&arg);
            let negative = match self.pool.node(arg) {
                _ if shared => None,
                Node::Op(Op::Neg, &[a]) if !self.is_number(a) => Some(a),
                _ => None,
            };
            let value = match self.pool.node(arg) {
                Node::Const(value) if value < 0.0 => Some(-value),
                _ => None,
            };
            let signs = if i > 0 { [" + ", " - "] } else { ["", "-"] };
            match (negative, value) {
                (Some(a), _) => {
                    self.out.push_str(signs[1]);
                    self.any(a, Level::Product, false);
                }
                (None, Some(value)) => {
                    self.out.push_str(signs[1]);
                    self.out.push_str(&number(value));
                }
                (None, None) => {
                    self.out.push_str(signs[0]);
                    self.any(arg, Level::Product, false);
                }
            }
        }
    }
}
