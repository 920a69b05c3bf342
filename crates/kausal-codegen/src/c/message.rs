//! Messages of assertions and of `terminate` in C.
//!
//! A message that is known is a literal. One with numbers of the moment in it is computed where it is needed: operators and calls of
//! functions that join and write, in order, as whoever runs the program does it.

use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op};
use rustc_hash::FxHashMap;

use super::body::Statements;
use super::section::Sections;
use super::text::{Text, string};

/// What is said where a message cannot be computed.
const UNKNOWN: &str = "an assertion failed, or the model ends the run";

impl Sections<'_> {
    /// Statements that put a message into a place, and one for what comes after it.
    pub(super) fn said(&mut self, message: ExprId, place: &str, end: &str, out: &mut Statements) {
        let pool = &self.program().pool;
        if let Node::Text(text) = pool.node(message) {
            out.push(format!("{place} = {}; {end}", string(pool.text_of(text))).trim_end().to_owned());
            return;
        }
        let mut inner = Statements { lines: Vec::new(), temporaries: out.temporaries };
        let computed = if self.device { None } else { self.computed(message, place, &mut inner) };
        match computed {
            Some(number) => {
                inner.push(format!("{place} = model_text(m, {});", number.double().text));
                out.push("{");
                out.temporaries = inner.temporaries;
                // A call that fails leaves the loop, and what it says is the message.
                out.push("    do {");
                out.lines.extend(inner.lines.into_iter().map(|line| format!("        {line}")));
                out.push("    } while (0);");
                if !end.is_empty() {
                    out.push(format!("    {end}"));
                }
                out.push("}");
            }
            None => out.push(format!("{place} = {}; {end}", string(UNKNOWN)).trim_end().to_owned()),
        }
    }

    /// The number of a text that is computed; `None` if it cannot be.
    fn computed(&mut self, root: ExprId, place: &str, out: &mut Statements) -> Option<Text> {
        let program = self.program();
        let pool = &program.pool;
        let mut numbers: FxHashMap<ExprId, Text> = FxHashMap::default();
        let mut results: FxHashMap<ExprId, String> = FxHashMap::default();
        let mut visitor = Visitor::new();
        for &id in visitor.reachable(pool, &[root]) {
            let text = match pool.node(id) {
                Node::Const(value) => Text::number(value),
                Node::Text(text) => Text::number(f64::from(text.0)),
                Node::Var(v) => Text::primary(format!("v[{}]", v.0)),
                Node::Op(Op::Time, _) => Text::primary("time"),
                Node::Op(op, args) => {
                    let args: Option<Vec<Text>> = args.iter().map(|arg| numbers.get(arg).cloned()).collect();
                    let text = Text::operator(op, &args?)?;
                    self.temporary(out, &text)
                }
                Node::Call(function, args) => {
                    let callee = self.callee(function).ok()?;
                    out.temporaries += 1;
                    let (input, output) =
                        (format!("in{}", out.temporaries), format!("out{}", out.temporaries));
                    let list: Option<Vec<String>> =
                        args.iter().map(|arg| numbers.get(arg).map(|text| text.double().text)).collect();
                    let list = list?;
                    let list = if list.is_empty() { "0.0".to_owned() } else { list.join(", ") };
                    out.push(format!("const double {input}[] = {{{list}}};"));
                    out.push(format!("double {output}[{}];", callee.outputs.max(1)));
                    out.push(format!("{place} = {};", callee.written(&input, &output)));
                    if let Some(again) = callee.again(&input, &output) {
                        out.push(format!("if ({place}) {place} = {again};"));
                    }
                    out.push(format!("if ({place}) break;"));
                    results.insert(id, output);
                    continue;
                }
                Node::Output(call, k) => Text::primary(format!("{}[{k}]", results.get(&call)?)),
            };
            numbers.insert(id, text);
        }
        numbers.remove(&root)
    }

    fn temporary(&self, out: &mut Statements, text: &Text) -> Text {
        out.temporaries += 1;
        let name = format!("t{}", out.temporaries);
        out.push(format!("const double {name} = {};", text.double().text));
        Text::primary(name)
    }
}
