//! Strings that depend on values: messages of assertions and of `terminate`.
//!
//! `"T = " + String(T)` is an expression with calls of small functions that join and write. It is evaluated on the
//! values of the moment when someone wants to read it, never before.

use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op};
use kausal_translate::program::Bounds;
use rustc_hash::FxHashMap;

use crate::machine::Machine;

impl Machine {
    /// The text of a string expression; what cannot be evaluated is shown as a formula.
    pub(crate) fn text(&mut self, message: ExprId) -> String {
        let known = self.number_of(message);
        let program = &self.model().program;
        match known.and_then(|number| self.calls.text(&program.pool, number)) {
            Some(text) => text,
            None => {
                let name = |v| format!("{}", self.value(v));
                kausal_symbolic::print::print_limited(&program.pool, message, &name, 500)
            }
        }
    }

    /// Evaluates the declared bounds of variables; one that has no value bounds nothing.
    pub(crate) fn evaluate_bounds(&mut self) {
        let model = self.model().clone();
        let mut value = |bound: Option<ExprId>| bound.and_then(|e| self.number_of(e)).filter(|v| !v.is_nan());
        let of =
            |b: &Bounds| (value(b.min).unwrap_or(f64::NEG_INFINITY), value(b.max).unwrap_or(f64::INFINITY));
        self.bounds = model.program.bounds.iter().map(of).collect();
    }

    /// The value of an expression with calls, now. Arguments stand before their users, so there is no recursion.
    fn number_of(&mut self, root: ExprId) -> Option<f64> {
        let model = self.model().clone();
        if let Some(value) = model.program.pool.as_constant(root) {
            return Some(value);
        }
        let pool = &model.program.pool;
        let mut numbers: FxHashMap<ExprId, f64> = FxHashMap::default();
        let mut outputs: FxHashMap<ExprId, Vec<f64>> = FxHashMap::default();
        let mut visitor = Visitor::new();
        for &id in visitor.reachable(pool, &[root]) {
            let args_of = |args: &[ExprId]| -> Option<Vec<f64>> {
                args.iter().map(|arg| numbers.get(arg).copied()).collect()
            };
            let number = match pool.node(id) {
                Node::Const(value) => value,
                Node::Text(text) => f64::from(text.0),
                Node::Var(v) => self.value(v),
                Node::Op(Op::Time, _) => self.time,
                Node::Op(Op::NoEvent, args) => *numbers.get(args.first()?)?,
                Node::Op(Op::Smooth, args) => *numbers.get(args.get(1)?)?,
                Node::Op(op, _) if op.is_context_dependent() => return None,
                Node::Op(op, args) => op.eval(&args_of(args)?),
                Node::Call(function, args) => {
                    let args = args_of(args)?;
                    let mut results = vec![0.0; model.functions.outputs(pool, function)];
                    self.call_function(function, &args, &mut results).ok()?;
                    outputs.insert(id, results);
                    continue;
                }
                Node::Output(call, k) => *outputs.get(&call)?.get(k as usize)?,
            };
            numbers.insert(id, number);
        }
        numbers.get(&root).copied()
    }
}
