//! A [`Pool`] as bytes, and back with the same ids.
//!
//! Expressions stand in the order of their ids, each as its kind and what belongs to it; arguments as distances to what is being
//! written, which are small numbers. Tables of the pool are made anew. **Nothing that is read is trusted**: arguments are
//! older than their expression, operators have as many as they need, strings and functions exist.

use serde::de::{Error, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::function::check::op_arity;
use crate::function::{Function, FunctionId};
use crate::node::{ExprId, Node, Op, TextId, VarId};
use crate::pool::Pool;

const CONST: u8 = 0;
const TEXT: u8 = 1;
const VAR: u8 = 2;
const CALL: u8 = 3;
const OUTPUT: u8 = 4;
/// The first of the operators, in the order of [`OPS`].
const FIRST_OP: u8 = 16;

/// The operators by their number in files. New ones are added at the end.
const OPS: [Op; 47] = [
    Op::Add,
    Op::Mul,
    Op::Neg,
    Op::Div,
    Op::Pow,
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
    Op::Less,
    Op::LessEqual,
    Op::Equal,
    Op::NotEqual,
    Op::Not,
    Op::And,
    Op::Or,
    Op::If,
    Op::Time,
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

impl Serialize for Pool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let functions: Vec<&Function> = self.functions().map(|(_, f)| f).collect();
        let texts: Vec<&str> = (0..self.text_count()).map(|i| self.text_of(TextId(i as u32))).collect();
        let mut out = serializer.serialize_struct("Pool", 3)?;
        out.serialize_field("texts", &texts)?;
        out.serialize_field("functions", &functions)?;
        out.serialize_field("nodes", &Bytes(written(self)))?;
        out.end()
    }
}

/// What a file has of a pool.
#[derive(Deserialize)]
struct Parts {
    texts: Vec<String>,
    functions: Vec<Function>,
    nodes: Bytes,
}

impl<'de> Deserialize<'de> for Pool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pool, D::Error> {
        let Parts { texts, functions, nodes } = Parts::deserialize(deserializer)?;
        let mut pool = Pool::of_texts(texts).ok_or_else(|| D::Error::custom("a string stands twice"))?;
        functions.into_iter().for_each(|f| _ = pool.add_function(f));
        read(&mut pool, &nodes.0).map_err(D::Error::custom)?;
        Ok(pool)
    }
}

/// Bytes that are not looked at one by one.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct Copied;
        impl Visitor<'_> for Copied {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Copied)
    }
}

fn written(pool: &Pool) -> Vec<u8> {
    let mut out = Vec::with_capacity(pool.len() * 4);
    for i in 0..pool.len() as u32 {
        let arguments = |out: &mut Vec<u8>, args: &[ExprId]| {
            args.iter().for_each(|arg| put(out, i - arg.0));
        };
        match pool.node(ExprId(i)) {
            Node::Const(value) => {
                out.push(CONST);
                out.extend(value.to_bits().to_le_bytes());
            }
            Node::Text(text) => {
                out.push(TEXT);
                put(&mut out, text.0);
            }
            Node::Var(var) => {
                out.push(VAR);
                put(&mut out, var.0);
            }
            Node::Op(op, args) => {
                let number = OPS.iter().position(|&o| o == op).unwrap_or_default() as u8;
                out.push(FIRST_OP + number);
                if has_count(op) {
                    put(&mut out, args.len() as u32);
                }
                arguments(&mut out, args);
            }
            Node::Call(function, args) => {
                out.push(CALL);
                put(&mut out, function.0);
                put(&mut out, args.len() as u32);
                arguments(&mut out, args);
            }
            Node::Output(call, k) => {
                out.push(OUTPUT);
                put(&mut out, k);
                arguments(&mut out, &[call]);
            }
        }
    }
    out
}

/// Operators whose number of arguments is not always the same.
fn has_count(op: Op) -> bool {
    matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Delay)
}

/// How many arguments the others have.
fn count_of(op: Op) -> usize {
    (0..=3).find(|&n| op_arity(op, n)).unwrap_or(1)
}

/// A number, seven bits a byte, the lowest first.
fn put(out: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// What is left to read.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, &'static str> {
        let (&first, rest) = self.bytes.split_first().ok_or("an expression ends too early")?;
        self.bytes = rest;
        Ok(first)
    }

    fn number(&mut self) -> Result<u32, &'static str> {
        let mut value = 0_u64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return u32::try_from(value).map_err(|_| "a number is too large");
            }
        }
        Err("a number is too long")
    }

    fn bits(&mut self) -> Result<u64, &'static str> {
        let (bits, rest) = self.bytes.split_first_chunk().ok_or("a number ends too early")?;
        self.bytes = rest;
        Ok(u64::from_le_bytes(*bits))
    }

    fn arguments(&mut self, next: u32, count: usize, out: &mut Vec<ExprId>) -> Result<(), &'static str> {
        out.clear();
        // An argument takes a byte at least.
        if count > self.bytes.len() {
            return Err("an expression ends too early");
        }
        for _ in 0..count {
            let distance = self.number()?;
            let arg = next.checked_sub(distance).filter(|_| distance > 0);
            out.push(ExprId(arg.ok_or("an expression is older than its argument")?));
        }
        Ok(())
    }
}

fn read(pool: &mut Pool, bytes: &[u8]) -> Result<(), &'static str> {
    let mut reader = Reader { bytes };
    let mut args = Vec::new();
    let functions = pool.functions().count();
    // Most expressions are an operator with two arguments, a byte or two each.
    pool.reserve(bytes.len() / 4);
    while !reader.bytes.is_empty() {
        let next = pool.len() as u32;
        match reader.byte()? {
            CONST => {
                let bits = reader.bits()?;
                pool.append_constant(bits);
            }
            TEXT => {
                let text = reader.number()?;
                if text as usize >= pool.text_count() {
                    return Err("there is no such string");
                }
                pool.append_text(TextId(text));
            }
            VAR => {
                let var = reader.number()?;
                pool.append_var(VarId(var));
            }
            CALL => {
                let function = reader.number()?;
                if function as usize >= functions {
                    return Err("there is no such function");
                }
                let count = reader.number()? as usize;
                reader.arguments(next, count, &mut args)?;
                pool.append_call(FunctionId(function), &args);
            }
            OUTPUT => {
                let k = reader.number()?;
                reader.arguments(next, 1, &mut args)?;
                if !matches!(pool.node(args[0]), Node::Call(..)) {
                    return Err("an output of what is no call");
                }
                pool.append_output(k, args[0]);
            }
            kind => {
                let number = kind.wrapping_sub(FIRST_OP) as usize;
                let &op = OPS.get(number).ok_or("there is no such operator")?;
                let count = if has_count(op) { reader.number()? as usize } else { count_of(op) };
                reader.arguments(next, count, &mut args)?;
                if !op_arity(op, count) {
                    return Err("an operator has another number of arguments");
                }
                pool.append_op(op, &args);
            }
        }
    }
    pool.index();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Pool {
        let mut pool = Pool::new();
        let [x, y] = [0, 300].map(|v| pool.var(VarId(v)));
        let text = pool.text("a text");
        let sum = pool.op(Op::Add, &[x, y]);
        let half = pool.constant(0.5);
        let product = pool.op(Op::Mul, &[half, sum]);
        let less = pool.op(Op::Less, &[product, y]);
        pool.op(Op::If, &[less, text, text]);
        pool.op(Op::Time, &[]);
        pool
    }

    #[test]
    fn pools_come_back_with_the_same_ids() {
        let pool = example();
        let bytes = written(&pool);
        let mut again = Pool::of_texts(vec!["a text".to_owned()]).expect("once");
        read(&mut again, &bytes).expect("what was written");
        assert_eq!(again.len(), pool.len());
        for i in 0..pool.len() as u32 {
            let id = ExprId(i);
            assert_eq!(again.node(id), pool.node(id));
            assert_eq!(again.has_events(id), pool.has_events(id));
            assert_eq!(again.has_variables(id), pool.has_variables(id));
        }
        // The tables know what there is.
        let (x, y) = (again.var(VarId(0)), again.var(VarId(300)));
        assert_eq!(again.op(Op::Add, &[x, y]), {
            let mut pool = pool.clone();
            pool.op(Op::Add, &[x, y])
        });
        assert_eq!(again.len(), pool.len());
    }

    #[test]
    fn every_operator_has_a_number() {
        let mut sorted = OPS;
        sorted.sort();
        assert!(sorted.windows(2).all(|w| w[0] != w[1]));
        assert_eq!(sorted.last(), Some(&Op::Homotopy));
        assert_eq!(Op::Homotopy as usize + 1, OPS.len());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |bytes: &[u8]| read(&mut Pool::new(), bytes).expect_err("refused");
        assert_eq!(refused(&[VAR]), "an expression ends too early");
        assert_eq!(refused(&[VAR, 128, 128, 128, 128, 128]), "a number is too long");
        assert_eq!(refused(&[TEXT, 0]), "there is no such string");
        assert_eq!(refused(&[CALL, 0, 0]), "there is no such function");
        assert_eq!(refused(&[VAR, 0, FIRST_OP + 2, 0]), "an expression is older than its argument");
        assert_eq!(refused(&[VAR, 0, FIRST_OP + 2, 2]), "an expression is older than its argument");
        assert_eq!(refused(&[VAR, 0, FIRST_OP, 1, 1]), "an operator has another number of arguments");
        assert_eq!(refused(&[VAR, 0, OUTPUT, 0, 1]), "an output of what is no call");
        assert_eq!(refused(&[255]), "there is no such operator");
        // A length that no file could have takes no memory.
        assert_eq!(refused(&[VAR, 0, FIRST_OP, 255, 255, 255, 255, 15]), "an expression ends too early");
    }
}
