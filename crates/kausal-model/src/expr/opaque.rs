//! Operators that stay what they are in the flat model: those of clocked models (specification chapter 16) and
//! `spatialDistribution` (section 3.7.4.2).
//!
//! They are checked here and kept as calls of functions whose body is `external "builtin"`, one per name and types of
//! the arguments; [`FlatModel::kept_operators`](crate::FlatModel::kept_operators) lists them. What they mean at run
//! time is not this room's business.

use kausal_symbolic::function::{
    Array, Body, Dim, ExternalBody, Function, Local, LocalId, Scalar, Term, TermId,
};

pub use crate::builtins::{LANGUAGE, is_clocked, is_kept, is_state_machine, operator_name};
use crate::class::Res;
use crate::expr::arguments::Call;
use crate::expr::{arguments, place};
use crate::flattener::Flattener;
use crate::functions::kept::Signature;
use crate::value::{Ty, Value, scalar_of};
use crate::{fold, sink, value};

impl Flattener<'_> {
    /// The call of an operator, kept as it is.
    pub(crate) fn keep(&mut self, c: Call<'_>, args: &[Value], outputs: &[Ty]) -> Res<Vec<Value>> {
        let mut flat = Vec::new();
        let mut inputs = Vec::with_capacity(args.len());
        for arg in args {
            let Value::Plain(ty, array) = arg else { return Err(arguments::wrong_args(self, c)) };
            flat.extend_from_slice(array.data());
            inputs.push((scalar_of(*ty), array.shape().to_vec()));
        }
        let results: Vec<Scalar> = outputs.iter().map(|&ty| scalar_of(ty)).collect();
        let key = (c.name.to_owned(), inputs, results);
        let function = match self.functions.kept.get(&key) {
            Some(&known) => known,
            None => {
                let new = self.pool.add_function(operator_function(&key));
                self.functions.kept.insert(key, new);
                new
            }
        };
        let call = self.pool.call(function, &flat);
        Ok(outputs
            .iter()
            .enumerate()
            .map(|(i, &ty)| Value::scalar(ty, self.pool.output(call, i as u32)))
            .collect())
    }
}

/// A clocked operator.
pub(super) fn eval_clocked(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    match c.name {
        "Clock" => clock_constructor(fl, c),
        "previous" | "hold" | "noClock" => {
            let [u] = operator_args(fl, c, ["u"], 1)?;
            check_held(fl, c, u.as_ref())?;
            clocked_value(fl, c, u, &[])
        }
        "sample" => {
            let [u, clock] = operator_args(fl, c, ["u", "clock"], 1)?;
            let more: Vec<Value> = clock.into_iter().collect();
            expect(fl, c, &more, &[&[Ty::Clock]])?;
            clocked_value(fl, c, u, &more)
        }
        "subSample" | "superSample" => {
            let [u, factor] = operator_args(fl, c, ["u", "factor"], 1)?;
            let more: Vec<Value> = factor.into_iter().collect();
            expect(fl, c, &more, &[&[Ty::Integer]])?;
            check_counts(fl, c, &more, &[0.0])?;
            clocked_value(fl, c, u, &more)
        }
        "shiftSample" | "backSample" => {
            let counter = if c.name == "shiftSample" { "shiftCounter" } else { "backCounter" };
            let [u, shift, resolution] = operator_args(fl, c, ["u", counter, "resolution"], 2)?;
            let more: Vec<Value> = shift.into_iter().chain(resolution).collect();
            expect(fl, c, &more, &[&[Ty::Integer], &[Ty::Integer]])?;
            check_counts(fl, c, &more, &[0.0, 1.0])?;
            clocked_value(fl, c, u, &more)
        }
        // `firstTick(u)`, `interval(u)`: the clock is that of `u`, or of the expression.
        _ => {
            let [u] = operator_args(fl, c, ["u"], 0)?;
            let ty = if c.name == "firstTick" { Ty::Boolean } else { Ty::Real };
            let args: Vec<Value> = u.into_iter().collect();
            fl.keep(c, &args, &[ty]).map(|mut outputs| outputs.remove(0))
        }
    }
}

/// `Clock()`, `Clock(interval)`, `Clock(counter, resolution)`, `Clock(condition, startInterval)`, `Clock(c,
/// solverMethod)`.
fn clock_constructor(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Value> {
    let mut args = Vec::with_capacity(c.args.len());
    for arg in c.args {
        let known = arg.name.is_none_or(|n| {
            matches!(
                n.symbol.as_str(),
                "intervalCounter"
                    | "resolution"
                    | "interval"
                    | "condition"
                    | "startInterval"
                    | "c"
                    | "solverMethod"
            )
        });
        if !known {
            return Err(arguments::wrong_args(fl, c));
        }
        args.push(fl.eval(c.scope, arg.value)?);
    }
    let second: &[Ty] = match args.first().and_then(Value::ty) {
        None => &[],
        Some(Ty::Integer) => &[Ty::Integer],
        Some(Ty::Real) => &[],
        Some(Ty::Boolean) => &[Ty::Real, Ty::Integer],
        Some(Ty::Clock) => &[Ty::String],
        Some(_) => return Err(arguments::wrong_args(fl, c)),
    };
    if args.len() > 1 {
        expect(fl, c, &args[1..], &[second])?;
    }
    if args.iter().any(|a| a.as_scalar().is_none()) {
        return Err(arguments::wrong_args(fl, c));
    }
    fl.keep(c, &args, &[Ty::Clock]).map(|mut outputs| outputs.remove(0))
}

/// `previous` and `hold` remember a variable, which has a start value; a clock has none (specification sections 16.4 and
/// 16.5.1).
fn check_held(fl: &mut Flattener<'_>, c: Call<'_>, u: Option<&Value>) -> Res<()> {
    let Some(u) = u else { return Ok(()) };
    let mut scalars = Vec::new();
    u.scalars(&mut scalars);
    let held = c.name == "noClock"
        || scalars.iter().all(|&e| {
            sink::as_variable(&fl.pool, e).is_some()
                || c.name == "hold" && fold::variability(fl, e) <= kausal_syntax::ast::Variability::Parameter
        });
    if held && u.ty() != Some(Ty::Clock) {
        return Ok(());
    }
    let what = if u.ty() == Some(Ty::Clock) { "a clock" } else { "an expression" };
    let message = format!("{} needs a variable, which has a start value, not {what}", c.name);
    Err(place::at_expr(fl, c.scope, c.expr, "K0351", message))
}

/// Factors and counters do not vary and are not below these numbers.
fn check_counts(fl: &mut Flattener<'_>, c: Call<'_>, counts: &[Value], least: &[f64]) -> Res<()> {
    for (count, least) in counts.iter().zip(least) {
        let Some(e) = count.as_scalar() else { continue };
        if fold::variability(fl, e) > kausal_syntax::ast::Variability::Parameter {
            let message = format!("the counters and factors of {} must be parameters", c.name);
            return Err(place::at_expr(fl, c.scope, c.expr, "K0351", message));
        }
        if let Some(x) = fl.pool.as_constant(e).filter(|x| x < least) {
            let message = format!("{x} is too small for {}: it must be {least} or more", c.name);
            return Err(place::at_expr(fl, c.scope, c.expr, "K0351", message));
        }
    }
    Ok(())
}

/// An operator on a value, scalar by scalar.
fn clocked_value(fl: &mut Flattener<'_>, c: Call<'_>, u: Option<Value>, more: &[Value]) -> Res<Value> {
    match u {
        Some(Value::Plain(ty, array)) => {
            let mut data = Vec::with_capacity(array.len());
            for &e in array.data() {
                let mut args = vec![Value::scalar(ty, e)];
                args.extend_from_slice(more);
                let outputs = fl.keep(c, &args, &[ty])?;
                data.extend(outputs.first().and_then(Value::as_scalar));
            }
            let result = Array::from_vec(array.shape(), data);
            place::array_result(fl, c.scope, c.expr, ty, result)
        }
        Some(Value::Record(mut record)) => {
            for (_, field) in &mut record.fields {
                *field = clocked_value(fl, c, Some(field.clone()), more)?;
            }
            Ok(Value::Record(record))
        }
        _ => Err(arguments::wrong_args(fl, c)),
    }
}

/// `(out0, out1) = spatialDistribution(in0, in1, x, positiveVelocity, initialPoints, initialValues)`
pub(super) fn spatial_distribution(fl: &mut Flattener<'_>, c: Call<'_>) -> Res<Vec<Value>> {
    let names = ["in0", "in1", "x", "positiveVelocity", "initialPoints", "initialValues"];
    let [in0, in1, x, forward, points, values] = operator_args(fl, c, names, 4)?;
    let (zero, one) = (fl.pool.constant(0.0), fl.pool.constant(1.0));
    let vector = |a, b| Value::Plain(Ty::Real, Array::vector(vec![a, b]));
    let points = points.unwrap_or_else(|| vector(zero, one));
    let values = values.unwrap_or_else(|| vector(zero, zero));
    let number: &[Ty] = &[Ty::Real, Ty::Integer];
    let args: Vec<Value> = [in0, in1, x, forward].into_iter().flatten().collect();
    expect(fl, c, &args, &[number, number, number, &[Ty::Boolean]])?;
    let both = [points, values];
    let same = both[0].rank() == 1 && both[0].shape() == both[1].shape() && both[0].shape()[0] >= 2;
    if !same || both.iter().any(|v| !v.ty().is_some_and(Ty::is_number)) {
        let message = "spatialDistribution needs as many initial values as initial points, at least two";
        return Err(place::at_expr(fl, c.scope, c.expr, "K0351", message));
    }
    let mut args: Vec<Value> = args
        .into_iter()
        .map(|a| match a.ty() {
            Some(Ty::Integer) => value::with_ty(a, Ty::Real),
            _ => a,
        })
        .collect();
    args.extend(both.into_iter().map(|v| value::with_ty(v, Ty::Real)));
    fl.keep(c, &args, &[Ty::Real, Ty::Real])
}

/// Arguments by position or name; the first `needed` must be there.
fn operator_args<const N: usize>(
    fl: &mut Flattener<'_>,
    c: Call<'_>,
    names: [&str; N],
    needed: usize,
) -> Res<[Option<Value>; N]> {
    let mut found = [const { None }; N];
    for (i, arg) in c.args.iter().enumerate() {
        let at = match arg.name {
            Some(name) => names.iter().position(|n| *n == name.symbol.as_str()),
            None => Some(i),
        };
        match at {
            Some(at) if at < N && found[at].is_none() => found[at] = Some(fl.eval(c.scope, arg.value)?),
            _ => return Err(arguments::wrong_args(fl, c)),
        }
    }
    if found[..needed].iter().any(Option::is_none) {
        return Err(arguments::wrong_args(fl, c));
    }
    Ok(found)
}

/// Scalars of these types, as many as there are.
fn expect(fl: &mut Flattener<'_>, c: Call<'_>, values: &[Value], types: &[&[Ty]]) -> Res<()> {
    let fits = values.len() <= types.len()
        && values
            .iter()
            .zip(types)
            .all(|(v, ty)| v.as_scalar().is_some() && v.ty().is_some_and(|t| ty.contains(&t)));
    if fits {
        return Ok(());
    }
    let given: Vec<String> = values.iter().map(|v| v.describe()).collect();
    let message = format!("{} cannot be called with {}", c.name, given.join(", "));
    Err(place::at_expr(fl, c.scope, c.expr, "K0351", message))
}

/// The function that stands for an operator.
pub(crate) fn operator_function((name, inputs, outputs): &Signature) -> Function {
    let mut function = Function { name: name.clone(), ..Function::default() };
    let mut args = Vec::with_capacity(inputs.len());
    for (i, (scalar, shape)) in inputs.iter().enumerate() {
        let id = LocalId(i as u32);
        function.locals.push(Local {
            name: format!("u{}", i + 1),
            scalar: *scalar,
            dims: shape.iter().map(|&n| Dim::Known(n)).collect(),
            initial: None,
        });
        function.inputs.push(id);
        function.terms.push(Term::Local(id));
        args.push(TermId(i as u32));
    }
    for (i, &scalar) in outputs.iter().enumerate() {
        let id = LocalId((inputs.len() + i) as u32);
        function.locals.push(Local { name: format!("y{}", i + 1), scalar, dims: Vec::new(), initial: None });
        function.outputs.push(id);
    }
    function.notes.impure = true;
    function.body = Body::External(Box::new(ExternalBody {
        language: LANGUAGE.to_owned(),
        name: name.clone(),
        result: None,
        args,
        annotations: Vec::new(),
        view: Default::default(),
    }));
    function
}
