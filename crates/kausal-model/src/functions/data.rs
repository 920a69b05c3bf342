//! Functions whose results have sizes that depend on data: the lines of a file, the null space of a matrix.
//!
//! Sizes of a flat model are numbers (specification section 10.1), so such a function is run while flattening, with the
//! values its arguments have then; parameters among them can not be changed any more. Foreign functions run if they keep
//! nothing between calls and change nothing, as everywhere at that time.

use kausal_symbolic::function::evaluator::Evaluator;
use kausal_symbolic::function::{self as f, ArrayErrorKind, EvalError, EvalErrorKind, Numbers, Text};
use kausal_symbolic::{ExprId, FunctionId, Node};

use super::externals;
use crate::flattener::Flattener;

impl Flattener<'_> {
    /// The arguments of a call with everything in them that is known by now as numbers and strings.
    pub(super) fn folded_arguments(&mut self, args: &mut [f::Value<ExprId>]) {
        for arg in args {
            if let f::Value::Text(texts) = arg {
                let texts = texts.map(|text| match text {
                    Text::Known(_) => text.clone(),
                    Text::Expr(e) => self.known_text(*e),
                });
                *arg = f::Value::texts(texts);
            } else {
                *arg = arg.map(|e| self.fold(e).unwrap_or(e));
            }
        }
    }

    fn known_text(&mut self, e: ExprId) -> Text {
        let folded = self.fold(e).unwrap_or(e);
        match self.pool.node(folded) {
            Node::Text(t) => Text::Known(self.pool.text_of(t).into()),
            _ => Text::Expr(e),
        }
    }

    /// The results of a function, run now; `None` if an argument is not known, or it cannot run.
    pub(super) fn run_now(
        &mut self,
        function: FunctionId,
        args: &[f::Value<ExprId>],
    ) -> Option<Vec<f::Value<ExprId>>> {
        if args.iter().any(|arg| self.open_argument(arg).is_some()) {
            return None;
        }
        let numbers: Option<Vec<f::Value<f64>>> =
            args.iter().map(|arg| arg.try_map(|e| self.pool.as_constant(e))).collect();
        let foreign = self.cx.foreign.clone();
        let externals = externals::Table {
            resources: &|uri: &str| self.cx.lib.resource(uri),
            foreign,
            permissions: &|| self.cx.permissions(),
        };
        let limits = self.functions.limits_left();
        let mut evaluator =
            Evaluator::new(Numbers::new(&self.pool)).with_externals(&externals).with_limits(limits);
        let outputs = evaluator.call(function, &numbers?).ok();
        let steps = evaluator.steps();
        self.functions.count_steps(steps);
        let outputs = outputs?;
        Some(outputs.iter().map(|output| output.map(|number| self.pool.constant(number))).collect())
    }

    /// An element of an argument that is not known now.
    fn open_argument(&self, arg: &f::Value<ExprId>) -> Option<ExprId> {
        match arg {
            f::Value::Text(texts) => texts.data().iter().find_map(|text| match text {
                Text::Known(_) => None,
                Text::Expr(e) => Some(*e),
            }),
            other => other.scalars().iter().copied().find(|&e| self.pool.as_constant(e).is_none()),
        }
    }

    /// What to do about sizes that are not known, if that is what is wrong.
    pub(super) fn size_help(&self, error: &EvalError, args: &[f::Value<ExprId>]) -> Option<String> {
        let EvalErrorKind::Array(array) = error.kind() else { return None };
        if !matches!(array.kind(), ArrayErrorKind::NotANumber(_)) {
            return None;
        }
        let sizes = "the sizes of its results depend on values";
        let open = args.iter().find_map(|arg| self.open_argument(arg));
        let Some(open) = open else { return Some(format!("{sizes} that it cannot compute before the run")) };
        let name = match self.pool.variables_of(open).first() {
            Some(&v) => self.variable_name(v),
            None => "an argument".to_owned(),
        };
        let advice = "give it constants, or parameters with values";
        Some(format!("{sizes}, and {name} is not known before the run: {advice}"))
    }
}
