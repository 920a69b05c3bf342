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
use crate::instance;
use kausal_symbolic::Pool;

/// The arguments of a call with everything in them that is known by now as numbers and strings.
pub(super) fn folded_arguments(fl: &mut Flattener<'_>, args: &mut [f::Value<ExprId>]) {
    for arg in args {
        if let f::Value::Text(texts) = arg {
            let texts = texts.map(|text| match text {
                Text::Known(_) => text.clone(),
                Text::Expr(e) => known_text(fl, *e),
            });
            *arg = f::Value::texts(texts);
        } else {
            *arg = arg.map(|e| fl.fold(e).unwrap_or(e));
        }
    }
}

fn known_text(fl: &mut Flattener<'_>, e: ExprId) -> Text {
    let folded = fl.fold(e).unwrap_or(e);
    match fl.pool.node(folded) {
        Node::Text(t) => Text::Known(fl.pool.text_of(t).into()),
        _ => Text::Expr(e),
    }
}

/// The results of a function, run now; `None` if an argument is not known, or it cannot run.
pub(super) fn run_now(
    fl: &mut Flattener<'_>,
    function: FunctionId,
    args: &[f::Value<ExprId>],
) -> Option<Vec<f::Value<ExprId>>> {
    if args.iter().any(|arg| open_argument(&fl.pool, arg).is_some()) {
        return None;
    }
    let numbers: Option<Vec<f::Value<f64>>> =
        args.iter().map(|arg| arg.try_map(|e| fl.pool.as_constant(e))).collect();
    let foreign = fl.cx.foreign.clone();
    let externals = externals::Table {
        resources: &|uri: &str| fl.cx.lib.resource(uri),
        foreign,
        permissions: &|| fl.cx.permissions(),
    };
    let limits = fl.functions.limits_left();
    let mut evaluator = Evaluator::new(Numbers::new(&fl.pool)).with_externals(&externals).with_limits(limits);
    let outputs = evaluator.call(function, &numbers?).ok();
    let steps = evaluator.steps();
    fl.functions.count_steps(steps);
    let outputs = outputs?;
    Some(outputs.iter().map(|output| output.map(|number| fl.pool.constant(number))).collect())
}

/// An element of an argument that is not known now.
fn open_argument(pool: &Pool, arg: &f::Value<ExprId>) -> Option<ExprId> {
    match arg {
        f::Value::Text(texts) => texts.data().iter().find_map(|text| match text {
            Text::Known(_) => None,
            Text::Expr(e) => Some(*e),
        }),
        other => other.scalars().iter().copied().find(|&e| pool.as_constant(e).is_none()),
    }
}

/// What to do about sizes that are not known, if that is what is wrong.
pub(super) fn size_help(fl: &Flattener<'_>, error: &EvalError, args: &[f::Value<ExprId>]) -> Option<String> {
    let EvalErrorKind::Array(array) = error.kind() else { return None };
    if !matches!(array.kind(), ArrayErrorKind::NotANumber(_)) {
        return None;
    }
    let sizes = "the sizes of its results depend on values";
    let open = args.iter().find_map(|arg| open_argument(&fl.pool, arg));
    let Some(open) = open else { return Some(format!("{sizes} that it cannot compute before the run")) };
    let name = match fl.pool.variables_of(open).first() {
        Some(&v) => instance::variable_name(fl, v),
        None => "an argument".to_owned(),
    };
    let advice = "give it constants, or parameters with values";
    Some(format!("{sizes}, and {name} is not known before the run: {advice}"))
}
