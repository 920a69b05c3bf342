//! Expressions as Modelica text, with the fewest parentheses.
//!
//! What is printed has the same structure when read again: `a*(b/c)` keeps its parentheses, `a*b/c` is the quotient.
//! A call with several outputs is printed as `f(x)[k]`, counted from 1, which Modelica cannot write in an expression.

use crate::function::{Dim, FunctionId};
use crate::node::{ExprId, Node, Op, VarId};
use crate::pool::Pool;

/// How tightly something binds, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    If,
    Or,
    And,
    Not,
    Relation,
    Sum,
    Product,
    /// The second operand of `/`, and a product inside a product.
    Factor,
    Primary,
}

enum Item<'a> {
    Expr(ExprId, Binding),
    Text(&'a str),
    Owned(String),
}

/// The text of an expression. The names of variables are given.
///
/// ```
/// use kausal_symbolic::{Pool, VarId, print::print};
/// let mut pool = Pool::new();
/// let (x, y) = (pool.var(VarId(0)), pool.var(VarId(1)));
/// let difference = pool.sub(x, y);
/// let square = pool.powi(difference, 2);
/// let name = |v: VarId| ["x", "y"][v.index()].to_owned();
/// assert_eq!(print(&pool, square, &name), "(x - y)^2");
/// ```
pub fn print(pool: &Pool, expr: ExprId, name: &dyn Fn(VarId) -> String) -> String {
    print_limited(pool, expr, name, usize::MAX)
}

/// As [`print()`], cut off with `…` when it becomes longer than a number of bytes: common parts written out again and
/// again can make the text of a small graph arbitrarily long.
pub fn print_limited(pool: &Pool, expr: ExprId, name: &dyn Fn(VarId) -> String, limit: usize) -> String {
    let mut text = String::new();
    let mut stack = vec![Item::Expr(expr, Binding::If)];
    while let Some(item) = stack.pop() {
        if text.len() > limit {
            text.truncate((0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0));
            text.push('…');
            break;
        }
        match item {
            Item::Text(piece) => text.push_str(piece),
            Item::Owned(piece) => text.push_str(&piece),
            Item::Expr(id, context) => expand(pool, id, context, name, &mut text, &mut stack),
        }
    }
    text
}

/// A number as Modelica writes it: the shortest text that reads back as the same number.
pub fn print_number(value: f64) -> String {
    let magnitude = value.abs();
    if value.is_finite() && (magnitude == 0.0 || (1e-4..1e7).contains(&magnitude)) {
        format!("{value}")
    } else if value.is_finite() {
        format!("{value:e}")
    } else if value.is_nan() {
        "nan".to_owned()
    } else {
        (if value > 0.0 { "inf" } else { "-inf" }).to_owned()
    }
}

fn expand<'a>(
    pool: &'a Pool,
    id: ExprId,
    context: Binding,
    name: &dyn Fn(VarId) -> String,
    text: &mut String,
    stack: &mut Vec<Item<'a>>,
) {
    let own = binding(pool, id);
    if own < context {
        text.push('(');
        stack.push(Item::Text(")"));
    }
    let mut items: Vec<Item<'a>> = Vec::new();
    match pool.node(id) {
        Node::Const(value) => text.push_str(&print_number(value)),
        Node::Text(literal) => text.push_str(&quoted(pool.text_of(literal))),
        Node::Var(var) => text.push_str(&name(var)),
        Node::Call(function, args) => call(&pool.function(function).name, args, &mut items),
        Node::Output(inner, k) => {
            items.push(Item::Expr(inner, Binding::Primary));
            if !matches!(pool.node(inner), Node::Call(function, _) if has_one_scalar(pool, function)) {
                items.push(Item::Owned(format!("[{}]", k + 1)));
            }
        }
        Node::Op(op, args) => operator(pool, op, args, &mut items),
    }
    stack.extend(items.into_iter().rev());
}

fn operator<'a>(pool: &'a Pool, op: Op, args: &'a [ExprId], items: &mut Vec<Item<'a>>) {
    match (op, args) {
        (Op::Add, _) => sum(pool, args, items),
        (Op::Neg, &[a]) => items.extend([Item::Text("-"), Item::Expr(a, Binding::Product)]),
        (Op::Mul, _) => {
            for (i, &arg) in args.iter().enumerate() {
                if i > 0 {
                    items.push(Item::Text("*"));
                }
                items.push(Item::Expr(arg, if i == 0 { Binding::Product } else { Binding::Factor }));
            }
        }
        (Op::Div, &[a, b]) => infix("/", a, b, Binding::Product, Binding::Factor, items),
        (Op::Pow, &[a, b]) => infix("^", a, b, Binding::Primary, Binding::Primary, items),
        (Op::Less, &[a, b]) => infix(" < ", a, b, Binding::Sum, Binding::Sum, items),
        (Op::LessEqual, &[a, b]) => infix(" <= ", a, b, Binding::Sum, Binding::Sum, items),
        (Op::Equal, &[a, b]) => infix(" == ", a, b, Binding::Sum, Binding::Sum, items),
        (Op::NotEqual, &[a, b]) => infix(" <> ", a, b, Binding::Sum, Binding::Sum, items),
        (Op::Not, &[a]) => items.extend([Item::Text("not "), Item::Expr(a, Binding::Primary)]),
        (Op::And | Op::Or, _) => {
            let (word, inner) = if op == Op::And { (" and ", Binding::Not) } else { (" or ", Binding::And) };
            for (i, &arg) in args.iter().enumerate() {
                if i > 0 {
                    items.push(Item::Text(word));
                }
                items.push(Item::Expr(arg, inner));
            }
        }
        (Op::If, &[c, a, b]) => choice(pool, c, a, b, items),
        (Op::Time, _) => items.push(Item::Text("time")),
        _ => call(op.function_name().unwrap_or("?"), args, items),
    }
}

/// A positive term first, if there is one; minus signs become subtractions.
fn sum<'a>(pool: &'a Pool, terms: &'a [ExprId], items: &mut Vec<Item<'a>>) {
    let lead = terms.iter().position(|&term| !pool.is_negative(term)).unwrap_or(0);
    let rest = terms.iter().enumerate().filter(|&(i, _)| i != lead).map(|(_, &term)| term);
    for (i, term) in terms.get(lead).copied().into_iter().chain(rest).enumerate() {
        if i == 0 {
            items.push(Item::Expr(term, Binding::Sum));
            continue;
        }
        match pool.node(term) {
            Node::Op(Op::Neg, &[a]) => items.extend([Item::Text(" - "), Item::Expr(a, Binding::Product)]),
            Node::Const(value) if value < 0.0 => {
                items.extend([Item::Text(" - "), Item::Owned(print_number(-value))]);
            }
            _ => items.extend([Item::Text(" + "), Item::Expr(term, Binding::Product)]),
        }
    }
}

fn choice<'a>(pool: &'a Pool, c: ExprId, a: ExprId, b: ExprId, items: &mut Vec<Item<'a>>) {
    let (mut condition, mut then, mut otherwise) = (c, a, b);
    items.push(Item::Text("if "));
    loop {
        items.extend([
            Item::Expr(condition, Binding::Or),
            Item::Text(" then "),
            Item::Expr(then, Binding::Or),
        ]);
        match pool.node(otherwise) {
            Node::Op(Op::If, &[c, a, b]) => {
                (condition, then, otherwise) = (c, a, b);
                items.push(Item::Text(" elseif "));
            }
            _ => break,
        }
    }
    items.extend([Item::Text(" else "), Item::Expr(otherwise, Binding::Or)]);
}

fn infix<'a>(word: &'a str, a: ExprId, b: ExprId, left: Binding, right: Binding, items: &mut Vec<Item<'a>>) {
    items.extend([Item::Expr(a, left), Item::Text(word), Item::Expr(b, right)]);
}

fn call<'a>(name: &'a str, args: &'a [ExprId], items: &mut Vec<Item<'a>>) {
    items.extend([Item::Text(name), Item::Text("(")]);
    for (i, &arg) in args.iter().enumerate() {
        if i > 0 {
            items.push(Item::Text(", "));
        }
        items.push(Item::Expr(arg, Binding::If));
    }
    items.push(Item::Text(")"));
}

fn binding(pool: &Pool, id: ExprId) -> Binding {
    match pool.node(id) {
        Node::Const(value) if value < 0.0 => Binding::Sum,
        Node::Const(_) | Node::Text(_) | Node::Var(_) | Node::Call(..) | Node::Output(..) => Binding::Primary,
        Node::Op(op, _) => match op {
            Op::Add | Op::Neg => Binding::Sum,
            Op::Mul | Op::Div => Binding::Product,
            Op::Pow => Binding::Factor,
            Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual => Binding::Relation,
            Op::Not => Binding::Not,
            Op::And => Binding::And,
            Op::Or => Binding::Or,
            Op::If => Binding::If,
            _ => Binding::Primary,
        },
    }
}

fn has_one_scalar(pool: &Pool, function: FunctionId) -> bool {
    let function = pool.function(function);
    let scalar = |dims: &[Dim]| dims.iter().all(|dim| *dim == Dim::Known(1));
    match function.outputs.as_slice() {
        [only] => function.locals.get(only.0 as usize).is_none_or(|local| scalar(&local.dims)),
        _ => false,
    }
}

/// A string literal of Modelica (specification section 2.4.5).
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(var: VarId) -> String {
        ["x", "y", "z", "w"][var.index()].to_owned()
    }

    fn check(build: impl FnOnce(&mut Pool, [ExprId; 4]) -> ExprId, expected: &str) {
        let mut pool = Pool::new();
        let vars = [0, 1, 2, 3].map(|i| pool.var(VarId(i)));
        let expr = build(&mut pool, vars);
        assert_eq!(print(&pool, expr, &name), expected);
    }

    #[test]
    fn fewest_parentheses() {
        check(
            |p, [x, y, z, _]| {
                let d = p.sub(x, y);
                p.sub(d, z)
            },
            "x - y - z",
        );
        check(
            |p, [x, y, z, _]| {
                let d = p.sub(x, y);
                p.mul(d, z)
            },
            "z*(x - y)",
        );
        check(
            |p, [x, y, z, _]| {
                let m = p.mul(x, y);
                p.div(m, z)
            },
            "x*y/z",
        );
        check(
            |p, [x, y, z, _]| {
                let d = p.div(y, z);
                p.mul(x, d)
            },
            "x*(y/z)",
        );
        check(
            |p, [x, y, z, _]| {
                let m = p.mul(y, z);
                p.div(x, m)
            },
            "x/(y*z)",
        );
        check(
            |p, [x, y, _, _]| {
                let s = p.add(x, y);
                p.neg(s)
            },
            "-(x + y)",
        );
        check(
            |p, [x, y, _, _]| {
                let m = p.mul(x, y);
                p.neg(m)
            },
            "-x*y",
        );
        check(
            |p, [x, y, _, _]| {
                let n = p.neg(x);
                p.pow(n, y)
            },
            "(-x)^y",
        );
        check(
            |p, [x, y, z, _]| {
                let q = p.pow(x, y);
                p.pow(q, z)
            },
            "(x^y)^z",
        );
        check(
            |p, [x, y, z, _]| {
                let q = p.pow(x, y);
                p.mul(q, z)
            },
            "z*x^y",
        );
        check(
            |p, [x, ..]| {
                let one = p.one();
                p.sub(one, x)
            },
            "1 - x",
        );
        check(
            |p, [x, ..]| {
                let c = p.constant(-2.5);
                p.add(x, c)
            },
            "x - 2.5",
        );
        check(
            |p, [x, ..]| {
                let c = p.constant(-2.5);
                p.pow(c, x)
            },
            "(-2.5)^x",
        );
        check(|p, [x, ..]| p.times(-2.0, x), "-2*x");
    }

    #[test]
    fn logic_and_choices() {
        check(
            |p, [x, y, _, _]| {
                let r = p.less(x, y);
                p.not(r)
            },
            "not (x < y)",
        );
        check(
            |p, [x, y, z, w]| {
                let o = p.or(x, y);
                let a = p.and(o, z);
                p.or(a, w)
            },
            "(x or y) and z or w",
        );
        check(
            |p, [x, y, z, w]| {
                let (c, d) = (p.less(x, y), p.less_equal(y, z));
                let inner = p.if_then_else(d, y, z);
                let all = p.if_then_else(c, w, inner);
                p.add(all, x)
            },
            "x + (if x < y then w elseif y <= z then y else z)",
        );
        check(
            |p, [x, ..]| {
                let t = p.time();
                let s = p.op(Op::Sample, &[x, t]);
                p.not(s)
            },
            "not sample(x, time)",
        );
        check(|p, _| p.text("a\"b\\\n"), "\"a\\\"b\\\\\\n\"");
    }

    #[test]
    fn numbers() {
        for (value, text) in [
            (0.5, "0.5"),
            (3.0, "3"),
            (1e-6, "1e-6"),
            (0.1, "0.1"),
            (-1.5e-7, "-1.5e-7"),
            (1e60, "1e60"),
            (101325.0, "101325"),
            (9.80665, "9.80665"),
        ] {
            assert_eq!(print_number(value), text);
            assert_eq!(text.parse::<f64>(), Ok(value));
        }
    }

    #[test]
    fn long_and_deep() {
        let mut pool = Pool::new();
        let mut e = pool.var(VarId(0));
        for _ in 0..100 {
            let (s, c) = (pool.apply(Op::Sin, e), pool.apply(Op::Cos, e));
            e = pool.mul(s, c);
        }
        assert!(print_limited(&pool, e, &name, 1000).len() < 1010);
        for _ in 0..100_000 {
            e = pool.apply(Op::Sin, e);
        }
        assert!(print_limited(&pool, e, &name, 1000).ends_with('…'));
    }
}
