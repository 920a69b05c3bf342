//! Operators and array functions on [`Value`]s: what [`Term::Op`](super::Term::Op) and
//! [`Term::Array`](super::Term::Array) compute once their arguments are known.
//!
//! ```
//! use kausal_symbolic::function::operations::{array_function, element_wise};
//! use kausal_symbolic::function::{ArrayFn, Numbers, Scalar, Value};
//! use kausal_symbolic::Op;
//! let d = &mut Numbers::detached();
//! let v = Value::vector(vec![3.0, 4.0]);
//! let w = element_wise(d, Op::Mul, &[Value::Scalar(2.0), v.clone()])?;
//! assert_eq!(array_function(d, ArrayFn::Product, Scalar::Real, &[v, w])?, Value::Scalar(50.0));
//! # Ok::<(), kausal_symbolic::function::ArrayError>(())
//! ```

use std::sync::Arc;

use smallvec::SmallVec;

use super::algebra;
use super::array::{Array, ArrayError, ArrayErrorKind, ArrayResult, MAX_TEXT, Shape, as_size};
use super::domain::Domain;
use super::text::TextFormat;
use super::value::{Text, Value};
use super::{ArrayFn, Reduction, Scalar};
use crate::node::Op;

/// An operator, element by element; a scalar goes with every element of an array. Strings are compared, and joined
/// by [`Op::Add`].
pub fn element_wise<D: Domain>(
    d: &mut D,
    op: Op,
    args: &[Value<D::Scalar>],
) -> ArrayResult<Value<D::Scalar>> {
    if args.iter().any(Value::is_text) {
        return text_operator(d, op, args);
    }
    if args.iter().all(|arg| matches!(arg, Value::Scalar(_))) {
        let numbers: SmallVec<[D::Scalar; 4]> = args.iter().flat_map(Value::scalars).copied().collect();
        return Ok(Value::Scalar(d.op(op, &numbers)?));
    }
    let arrays = args.iter().map(Value::as_array).collect::<ArrayResult<SmallVec<[_; 4]>>>()?;
    let arrays: SmallVec<[&Array<D::Scalar>; 4]> = arrays.iter().map(|array| &**array).collect();
    Ok(algebra::broadcast(d, op, &arrays)?.into())
}

fn text_operator<D: Domain>(d: &mut D, op: Op, args: &[Value<D::Scalar>]) -> ArrayResult<Value<D::Scalar>> {
    match args {
        _ if op == Op::Add => concat(d, args),
        [one] if matches!(op, Op::NoEvent | Op::Pre) => Ok(one.clone()),
        [a, b] => {
            let (a, b) = (a.as_text()?, b.as_text()?);
            Ok(Value::Scalar(d.compare_texts(op, a, b)?))
        }
        _ => Err(ArrayErrorKind::Mixed("an operator").into()),
    }
}

fn concat<D: Domain>(d: &mut D, args: &[Value<D::Scalar>]) -> ArrayResult<Value<D::Scalar>> {
    let texts = args.iter().map(Value::as_texts).collect::<ArrayResult<Vec<_>>>()?;
    let shape = algebra::broadcast_shape(texts.iter().map(|text| text.shape()))?;
    let count: usize = shape.iter().product();
    let mut joined = Vec::with_capacity(count);
    for k in 0..count {
        let parts: Vec<Text> =
            texts.iter().map(|text| text.data()[if text.rank() == 0 { 0 } else { k }].clone()).collect();
        let length: usize = parts.iter().filter_map(Text::known).map(str::len).sum();
        if length > MAX_TEXT {
            return Err(ArrayErrorKind::TextTooLong.into());
        }
        joined.push(d.concat(&parts)?);
    }
    Ok(Value::texts(Array::new_unchecked(shape, joined)))
}

/// An array function. `scalar` is the type of the first argument: it decides what `min` is without elements, and
/// how `String` writes.
pub fn array_function<D: Domain>(
    d: &mut D,
    array_fn: ArrayFn,
    scalar: Scalar,
    args: &[Value<D::Scalar>],
) -> ArrayResult<Value<D::Scalar>> {
    match (array_fn, args) {
        (ArrayFn::Construct, _) => collect(args),
        (ArrayFn::Cat, [dimension, parts @ ..]) => {
            let dimension = size(d, "the dimension of cat", dimension)?;
            if parts.iter().any(Value::is_text) {
                let parts = parts.iter().map(|part| part.as_texts().cloned());
                return Ok(Value::texts(Array::cat(dimension, &parts.collect::<ArrayResult<Vec<_>>>()?)?));
            }
            let parts =
                parts.iter().map(|part| part.clone().into_array()).collect::<ArrayResult<Vec<_>>>()?;
            Ok(Array::cat(dimension, &parts)?.into())
        }
        (ArrayFn::Range, [start, stop]) => {
            Ok(algebra::range(d, start.as_scalar()?, None, stop.as_scalar()?)?.into())
        }
        (ArrayFn::Range, [start, step, stop]) => {
            Ok(algebra::range(d, start.as_scalar()?, Some(step.as_scalar()?), stop.as_scalar()?)?.into())
        }
        (ArrayFn::Product, [a, b]) => Ok(a.as_array()?.product_with(d, &*b.as_array()?)?.into()),
        (ArrayFn::OuterProduct, [a, b]) => Ok(a.as_array()?.outer_product(d, &*b.as_array()?)?.into()),
        (ArrayFn::Cross, [a, b]) => Ok(a.as_array()?.cross(d, &*b.as_array()?)?.into()),
        (ArrayFn::MatrixPower, [matrix, exponent]) => {
            let exponent = number(d, "the exponent of a matrix", exponent)?;
            Ok(matrix.as_array()?.matrix_power(d, exponent)?.into())
        }
        (ArrayFn::Fill, [value, sizes @ ..]) => {
            let sizes =
                sizes.iter().map(|n| size(d, "the size of fill", n)).collect::<ArrayResult<Shape>>()?;
            structural(value, |texts| Array::fill(texts, &sizes), |array| Array::fill(array, &sizes))
        }
        (ArrayFn::Identity, [n]) => {
            let n = size(d, "the size of identity", n)?;
            Ok(algebra::identity(d, n)?.into())
        }
        (ArrayFn::Linspace, [first, last, count]) => {
            let count = number(d, "the length of linspace", count)?;
            Ok(algebra::linspace(d, first.as_scalar()?, last.as_scalar()?, count)?.into())
        }
        (ArrayFn::Promote, [value, rank]) => {
            let rank = size(d, "the dimensions of promote", rank)?;
            structural(value, |texts| texts.clone().promote(rank), |array| array.clone().promote(rank))
        }
        (ArrayFn::SizeOf, [value, dimension]) => {
            let dimension = size(d, "the dimension of size", dimension)?;
            let found = dimension.checked_sub(1).and_then(|k| value.shape().get(k).copied());
            let size = found.ok_or_else(|| no_dimension(value.shape()))?;
            Ok(Value::Scalar(d.number(size as f64)))
        }
        (ArrayFn::Concat, _) => concat(d, args),
        (ArrayFn::ToString, [value, options @ ..]) => to_text(d, value, scalar, options),
        (_, [value]) => unary(d, array_fn, scalar, value),
        _ => Err(ArrayErrorKind::NoArguments("an array function").into()),
    }
}

/// `size` of a dimension that does not exist.
#[cold]
pub(super) fn no_dimension(shape: &[usize]) -> ArrayError {
    ArrayErrorKind::WrongShape { what: "size", needs: "an existing dimension", found: shape.into() }.into()
}

/// Array functions of one argument.
fn unary<D: Domain>(
    d: &mut D,
    array_fn: ArrayFn,
    scalar: Scalar,
    value: &Value<D::Scalar>,
) -> ArrayResult<Value<D::Scalar>> {
    match array_fn {
        ArrayFn::Transpose => structural(value, Array::transpose, Array::transpose),
        ArrayFn::Size => Ok(Value::vector(value.shape().iter().map(|&size| d.number(size as f64)).collect())),
        ArrayFn::Ndims => Ok(Value::Scalar(d.number(value.shape().len() as f64))),
        ArrayFn::Scalar => structural(
            value,
            |texts| texts.clone().into_scalar().map(Array::scalar),
            |array| array.clone().into_scalar().map(Array::scalar),
        ),
        ArrayFn::Vector => {
            structural(value, |texts| texts.clone().into_vector(), |array| array.clone().into_vector())
        }
        ArrayFn::Matrix => {
            structural(value, |texts| texts.clone().into_matrix(), |array| array.clone().into_matrix())
        }
        ArrayFn::Diagonal => Ok(value.as_array()?.diagonal(d)?.into()),
        ArrayFn::Symmetric => Ok(value.as_array()?.symmetric()?.into()),
        ArrayFn::Skew => Ok(value.as_array()?.skew(d)?.into()),
        ArrayFn::Sum => Ok(Value::Scalar(value.as_array()?.sum(d)?)),
        ArrayFn::ProductOf => Ok(Value::Scalar(value.as_array()?.product(d)?)),
        ArrayFn::MinOf => Ok(Value::Scalar(value.as_array()?.min(d, greatest(scalar))?)),
        ArrayFn::MaxOf => Ok(Value::Scalar(value.as_array()?.max(d, least(scalar))?)),
        _ => Err(ArrayErrorKind::NoArguments("an array function").into()),
    }
}

/// What a `for` expression other than an array constructor makes of the values it ran over, whose elements are of
/// this type and have so many dimensions.
pub fn reduce<D: Domain>(
    d: &mut D,
    reduction: Reduction,
    values: &[Value<D::Scalar>],
    scalar: Scalar,
    rank: usize,
) -> ArrayResult<Value<D::Scalar>> {
    if reduction == Reduction::Sum && values.iter().any(|value| !value.shape().is_empty()) {
        return match values {
            [one] => Ok(one.clone()),
            _ => element_wise(d, Op::Add, values),
        };
    }
    if values.is_empty() && rank > 0 {
        let shape: Shape = smallvec::smallvec![0; rank];
        return Ok(Value::Array(Arc::new(Array::from_vec(&shape, Vec::new())?)));
    }
    let numbers = values.iter().map(Value::as_scalar).collect::<ArrayResult<Vec<_>>>()?;
    let numbers = Array::vector(numbers);
    Ok(match reduction {
        Reduction::Array => numbers.into(),
        Reduction::Sum => Value::Scalar(numbers.sum(d)?),
        Reduction::Product => Value::Scalar(numbers.product(d)?),
        Reduction::Min => Value::Scalar(numbers.min(d, greatest(scalar))?),
        Reduction::Max => Value::Scalar(numbers.max(d, least(scalar))?),
    })
}

fn number<D: Domain>(d: &D, what: &'static str, value: &Value<D::Scalar>) -> ArrayResult<f64> {
    d.value(value.as_scalar()?).ok_or_else(|| ArrayErrorKind::NotANumber(what).into())
}

fn size<D: Domain>(d: &D, what: &'static str, value: &Value<D::Scalar>) -> ArrayResult<usize> {
    as_size(what, number(d, what, value)?)
}

/// The result of `min` without elements: the greatest value of the type.
pub fn greatest(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Integer => f64::from(i32::MAX),
        Scalar::Boolean => 1.0,
        _ => f64::MAX,
    }
}

/// The result of `max` without elements: the least value of the type.
pub fn least(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Integer => -f64::from(i32::MAX),
        Scalar::Boolean => 0.0,
        Scalar::Enumeration => 1.0,
        _ => -f64::MAX,
    }
}

/// A function that only moves elements, for strings or for numbers.
fn structural<T: Copy>(
    value: &Value<T>,
    texts: impl FnOnce(&Array<Text>) -> ArrayResult<Array<Text>>,
    numbers: impl FnOnce(&Array<T>) -> ArrayResult<Array<T>>,
) -> ArrayResult<Value<T>> {
    Ok(match value {
        Value::Text(array) => Value::texts(texts(array)?),
        _ => numbers(&*value.as_array()?)?.into(),
    })
}

/// `{a, b, …}`
pub(super) fn collect<T: Copy>(values: &[Value<T>]) -> ArrayResult<Value<T>> {
    if values.iter().any(Value::is_text) {
        let parts = values.iter().map(|value| value.as_texts().cloned());
        return Ok(Value::texts(Array::construct(&parts.collect::<ArrayResult<Vec<_>>>()?)?));
    }
    if values.iter().all(|value| matches!(value, Value::Scalar(_))) && !values.is_empty() {
        return Ok(Value::vector(values.iter().flat_map(Value::scalars).copied().collect()));
    }
    let parts = values.iter().map(|value| value.clone().into_array()).collect::<ArrayResult<Vec<_>>>()?;
    Ok(Array::construct(&parts)?.into())
}

/// Replaces the first dimension by several.
pub(super) fn reshape_front<T: Copy>(value: Value<T>, sizes: &[usize]) -> ArrayResult<Value<T>> {
    if sizes.len() == 1 {
        return Ok(value);
    }
    let mut shape: Shape = sizes.into();
    shape.extend_from_slice(&value.shape()[1..]);
    Ok(match value {
        Value::Text(texts) => Value::texts(Arc::unwrap_or_clone(texts).reshape(&shape)?),
        _ => value.into_array()?.reshape(&shape)?.into(),
    })
}

/// `String(value, significantDigits, minimumLength, leftJustified)` or `String(value, format)`.
fn to_text<D: Domain>(
    d: &mut D,
    value: &Value<D::Scalar>,
    scalar: Scalar,
    options: &[Value<D::Scalar>],
) -> ArrayResult<Value<D::Scalar>> {
    if value.is_text() {
        return Ok(value.clone());
    }
    let format = match options {
        [format @ Value::Text(_)] => {
            let format = format.as_text()?.known().ok_or(ArrayErrorKind::NotANumber("a format"))?;
            TextFormat::C(format.into())
        }
        _ => {
            let mut format = [None; 3];
            for (option, place) in options.iter().zip(&mut format) {
                *place = Some(option.as_scalar()?);
            }
            TextFormat::Options(format)
        }
    };
    let texts = value.as_array()?.try_map(|&element| d.to_text(element, scalar, &format))?;
    Ok(Value::texts(texts))
}
