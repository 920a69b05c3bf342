//! C text of expressions, with as few parentheses as the grammar allows.

use std::borrow::Cow;

use kausal_symbolic::Op;

use crate::scalar::{Binary, Unary};

/// How tightly the outermost operator of a text binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    Conditional,
    Or,
    And,
    Equality,
    Relation,
    Sum,
    Product,
    Unary,
    Primary,
}

/// An expression: its text as a number, and as a truth value where it has one of its own.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub text: String,
    pub binding: Binding,
    /// The value is the truth of the text (an `int`), not a `double`.
    pub truth: bool,
    /// How many operations it contains.
    pub operations: usize,
}

impl Text {
    /// A name, a literal, an element.
    pub fn primary(text: impl Into<String>) -> Self {
        Text { text: text.into(), binding: Binding::Primary, truth: false, operations: 0 }
    }

    /// A number.
    pub fn number(value: f64) -> Self {
        let binding = if value.is_sign_negative() { Binding::Unary } else { Binding::Primary };
        Text { text: literal(value), binding, truth: false, operations: 0 }
    }

    /// As a `double`.
    pub fn double(&self) -> Text {
        if !self.truth {
            return self.clone();
        }
        Text {
            text: format!("(double){}", self.at_least(Binding::Unary)),
            binding: Binding::Unary,
            truth: false,
            operations: self.operations,
        }
    }

    /// As a condition.
    pub fn condition(&self) -> Text {
        if self.truth {
            return self.clone();
        }
        Text {
            text: format!("{} != 0.0", self.at_least(Binding::Relation)),
            binding: Binding::Equality,
            truth: true,
            operations: self.operations,
        }
    }

    /// In parentheses unless it binds at least this tightly.
    pub fn at_least(&self, binding: Binding) -> String {
        if self.binding >= binding { self.text.clone() } else { format!("({})", self.text) }
    }

    /// `if c then a else b`
    pub fn select(c: &Text, a: &Text, b: &Text) -> Text {
        let (c, a, b) = (c.condition(), a.double(), b.double());
        Text {
            text: format!(
                "{} ? {} : {}",
                c.at_least(Binding::Or),
                a.at_least(Binding::Or),
                b.at_least(Binding::Conditional)
            ),
            binding: Binding::Conditional,
            truth: false,
            operations: c.operations + a.operations + b.operations + 1,
        }
    }

    /// An operator with all its arguments, as [`Op::eval`] computes it; `None` for those that have no value here.
    pub fn operator(op: Op, args: &[Text]) -> Option<Text> {
        Some(match (op, args) {
            (Op::Add | Op::Mul, [first, rest @ ..]) => {
                let op = if op == Op::Add { Binary::Add } else { Binary::Mul };
                rest.iter().fold(first.clone(), |value, arg| Text::binary(op, &value, arg))
            }
            (Op::And | Op::Or, [first, rest @ ..]) => {
                let op = if op == Op::And { Binary::And } else { Binary::Or };
                rest.iter().fold(first.condition(), |value, arg| Text::binary(op, &value, arg))
            }
            (Op::If, [c, a, b]) => Text::select(c, a, b),
            (Op::NoEvent | Op::Homotopy, [a, ..]) | (Op::Smooth, [_, a]) => a.clone(),
            (op, _) if op.is_context_dependent() => return None,
            (_, [a]) => Text::unary(Unary::of(op)?, a),
            (_, [a, b]) => Text::binary(Binary::of(op)?, a, b),
            _ => return None,
        })
    }

    /// An operation on one number.
    pub fn unary(op: Unary, a: &Text) -> Text {
        let operations = a.operations + 1;
        if op == Unary::Not {
            let a = a.condition();
            let text = format!("!{}", a.at_least(Binding::Unary));
            return Text { text, binding: Binding::Unary, truth: true, operations };
        }
        let a = a.double();
        if op == Unary::Neg {
            // Two signs in a row would be a decrement.
            let text = format!("-{}", a.at_least(Binding::Primary));
            return Text { text, binding: Binding::Unary, truth: false, operations };
        }
        let name = match op {
            Unary::Abs => "fabs",
            Unary::Sign => "kausal_sign",
            Unary::Sqrt => "sqrt",
            Unary::Floor => "floor",
            Unary::Ceil => "ceil",
            Unary::Exp => "exp",
            Unary::Log => "log",
            Unary::Log10 => "log10",
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Tan => "tan",
            Unary::Asin => "asin",
            Unary::Acos => "acos",
            Unary::Atan => "atan",
            Unary::Sinh => "sinh",
            Unary::Cosh => "cosh",
            Unary::Tanh => "tanh",
            Unary::Neg | Unary::Not => "",
        };
        let text = format!("{name}({})", a.text);
        Text { text, binding: Binding::Primary, truth: false, operations }
    }

    /// An operation on two numbers.
    pub fn binary(op: Binary, a: &Text, b: &Text) -> Text {
        let operations = a.operations + b.operations + 1;
        let infix =
            |a: Text, sign: &str, b: Text, binding: Binding, left: Binding, right: Binding, truth| Text {
                text: format!("{}{sign}{}", a.at_least(left), b.at_least(right)),
                binding,
                truth,
                operations,
            };
        use Binding::{And, Equality, Or, Product, Relation, Sum, Unary};
        match op {
            // gcc asks for parentheses around `&&` within `||`, and around comparisons of comparisons.
            Binary::And => infix(a.condition(), " && ", b.condition(), And, And, Equality, true),
            Binary::Or => {
                let either = |text: Text| match text.binding {
                    Or => text.text,
                    _ => text.at_least(Equality),
                };
                let text = format!("{} || {}", either(a.condition()), either(b.condition()));
                Text { text, binding: Or, truth: true, operations }
            }
            _ => {
                let (a, b) = (a.double(), b.double());
                let call = |name: &str| Text {
                    text: format!("{name}({}, {})", a.text, b.text),
                    binding: Binding::Primary,
                    truth: false,
                    operations,
                };
                match op {
                    Binary::Add => infix(a, " + ", b, Sum, Sum, Product, false),
                    Binary::Sub => infix(a, " - ", b, Sum, Sum, Product, false),
                    Binary::Mul => infix(a, "*", b, Product, Product, Unary, false),
                    Binary::Div => infix(a, "/", b, Product, Product, Unary, false),
                    Binary::Less => infix(a, " < ", b, Relation, Sum, Sum, true),
                    Binary::LessEqual => infix(a, " <= ", b, Relation, Sum, Sum, true),
                    Binary::Equal => infix(a, " == ", b, Equality, Sum, Sum, true),
                    Binary::NotEqual => infix(a, " != ", b, Equality, Sum, Sum, true),
                    Binary::Pow => call("kausal_power"),
                    Binary::Atan2 => call("atan2"),
                    Binary::Min => call("kausal_min"),
                    Binary::Max => call("kausal_max"),
                    Binary::IntegerDiv => call("kausal_div"),
                    Binary::Mod => call("kausal_mod"),
                    Binary::Rem => call("kausal_rem"),
                    Binary::And | Binary::Or => infix(a, "", b, Sum, Sum, Sum, true),
                }
            }
        }
    }
}

/// A number that reads back as the same number.
pub(crate) fn literal(value: f64) -> String {
    if value.is_nan() {
        "NAN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "HUGE_VAL".to_owned() } else { "-HUGE_VAL".to_owned() }
    } else {
        format!("{value:?}")
    }
}

/// Text for a comment: nothing in it may end the comment or seem to open another.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r'], " ")
}

/// A string literal.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // No trigraphs.
            '?' => out.push_str("\\?"),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            c => c.to_string().bytes().for_each(|byte| out.push_str(&format!("\\{byte:03o}"))),
        }
    }
    out.push('"');
    out
}

/// Does a line mention an identifier, outside of string literals and a comment at its end?
pub(crate) fn mentions(line: &str, name: &str) -> bool {
    let line = without_literals(line);
    let line = line.split("/*").next().unwrap_or(&line);
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        !line[..at].ends_with(word)
            && !line[at + name.len()..].starts_with(word)
            && !line[..at].ends_with("->")
    })
}

/// A line whose string literals are empty.
fn without_literals(line: &str) -> Cow<'_, str> {
    if !line.contains('"') {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let (mut inside, mut escaped) = (false, false);
    for c in line.chars() {
        let quote = c == '"' && !escaped;
        if quote || !inside {
            out.push(c);
        }
        inside ^= quote;
        escaped = inside && c == '\\' && !escaped;
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(name: &str) -> Text {
        Text::primary(name)
    }

    #[test]
    fn parentheses_where_needed() {
        let sum = Text::binary(Binary::Add, &x("a"), &x("b"));
        let difference = Text::binary(Binary::Sub, &x("c"), &sum);
        assert_eq!(difference.text, "c - (a + b)");
        assert_eq!(Text::binary(Binary::Add, &sum, &x("c")).text, "a + b + c");
        let product = Text::binary(Binary::Mul, &sum, &x("c"));
        assert_eq!(product.text, "(a + b)*c");
        assert_eq!(Text::binary(Binary::Div, &x("d"), &product).text, "d/((a + b)*c)");
        let negative = Text::unary(Unary::Neg, &product);
        assert_eq!(negative.text, "-((a + b)*c)");
        assert_eq!(Text::unary(Unary::Neg, &Text::number(-1.0)).text, "-(-1.0)");
        assert_eq!(Text::binary(Binary::Sub, &x("a"), &Text::number(-2.5)).text, "a - -2.5");
    }

    #[test]
    fn truth_and_numbers() {
        let less = Text::binary(Binary::Less, &x("a"), &x("b"));
        assert_eq!(less.double().text, "(double)(a < b)");
        assert_eq!(Text::unary(Unary::Not, &x("a")).text, "!(a != 0.0)");
        let and = Text::binary(Binary::And, &less, &x("c"));
        assert_eq!(and.text, "a < b && c != 0.0");
        assert_eq!(Text::binary(Binary::Or, &and, &less).text, "(a < b && c != 0.0) || a < b");
        assert_eq!(Text::select(&less, &x("a"), &x("b")).text, "a < b ? a : b");
        assert_eq!(Text::binary(Binary::Add, &less, &x("c")).text, "(double)(a < b) + c");
    }

    #[test]
    fn mentioned() {
        assert!(mentions("x = time*2.0;", "time"));
        assert!(!mentions("m->time = timed; /* time */", "time"));
        assert!(!mentions(r#"m->message = "at \"time\" 3"; "#, "time"));
        assert!(mentions(r#"f("a", time);"#, "time"));
    }

    #[test]
    fn literals_and_comments() {
        assert_eq!(literal(0.1), "0.1");
        assert_eq!(literal(1e300), "1e300");
        assert_eq!(literal(f64::NEG_INFINITY), "-HUGE_VAL");
        assert_eq!(comment("a*/b/*c"), "a* /b/ *c");
        assert_eq!(string("say \"ö?\""), "\"say \\\"\\303\\266\\?\\\"\"");
    }
}
