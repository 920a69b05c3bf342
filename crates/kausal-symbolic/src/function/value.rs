//! Values of function variables: numbers (or expressions), strings, and arrays of them.
//!
//! Arrays are shared and copied only when one of several holders changes its own: passing an array to a
//! function, reading it, and returning it cost no copy.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::array::{Array, ArrayErrorKind, ArrayResult};
use crate::node::ExprId;

/// A scalar or an array, of numbers or of strings. An [`Value::Array`] has at least one dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<T> {
    /// A number, or an expression.
    Scalar(T),
    /// An array of them.
    Array(Arc<Array<T>>),
    /// A string, or an array of strings.
    Text(Arc<Array<Text>>),
}

/// A string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Text {
    /// A known one.
    Known(Arc<str>),
    /// One that depends on variables; only where expressions are computed with.
    Expr(ExprId),
}

impl Text {
    /// The string, if it is known.
    pub fn known(&self) -> Option<&str> {
        match self {
            Text::Known(text) => Some(text),
            Text::Expr(_) => None,
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::Known(text.into())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text::Known(text) => f.write_str(text),
            Text::Expr(_) => f.write_str("<text>"),
        }
    }
}

impl<T> From<Array<T>> for Value<T> {
    fn from(array: Array<T>) -> Self {
        if array.rank() > 0 {
            return Value::Array(Arc::new(array));
        }
        match array.into_data().pop() {
            Some(value) => Value::Scalar(value),
            None => unreachable!("an array without dimensions has one element"),
        }
    }
}

impl<T: Copy> Value<T> {
    /// A vector.
    pub fn vector(data: Vec<T>) -> Self {
        Value::Array(Arc::new(Array::vector(data)))
    }

    /// A string.
    pub fn text(text: impl Into<Text>) -> Self {
        Value::Text(Arc::new(Array::scalar(text.into())))
    }

    /// Strings.
    pub fn texts(texts: Array<Text>) -> Self {
        Value::Text(Arc::new(texts))
    }

    /// The sizes of its dimensions.
    pub fn shape(&self) -> &[usize] {
        match self {
            Value::Scalar(_) => &[],
            Value::Array(array) => array.shape(),
            Value::Text(texts) => texts.shape(),
        }
    }

    /// Does it hold strings?
    pub fn is_text(&self) -> bool {
        matches!(self, Value::Text(_))
    }

    /// As an array of numbers; a scalar has no dimensions.
    pub fn as_array(&self) -> ArrayResult<Cow<'_, Array<T>>> {
        match self {
            Value::Scalar(value) => Ok(Cow::Owned(Array::scalar(*value))),
            Value::Array(array) => Ok(Cow::Borrowed(array)),
            Value::Text(_) => Err(mixed()),
        }
    }

    /// As an array of numbers, copied only if someone else holds it too.
    pub fn into_array(self) -> ArrayResult<Array<T>> {
        match self {
            Value::Scalar(value) => Ok(Array::scalar(value)),
            Value::Array(array) => Ok(Arc::unwrap_or_clone(array)),
            Value::Text(_) => Err(mixed()),
        }
    }

    /// As one number.
    pub fn as_scalar(&self) -> ArrayResult<T> {
        match self {
            Value::Scalar(value) => Ok(*value),
            Value::Array(array) => Err(ArrayErrorKind::WrongShape {
                what: "this place",
                needs: "a scalar",
                found: array.shape().into(),
            }
            .into()),
            Value::Text(_) => Err(mixed()),
        }
    }

    /// As strings.
    pub fn as_texts(&self) -> ArrayResult<&Array<Text>> {
        match self {
            Value::Text(texts) => Ok(texts),
            _ => Err(mixed()),
        }
    }

    /// As one string.
    pub fn as_text(&self) -> ArrayResult<&Text> {
        let texts = self.as_texts()?;
        texts.get(&[])
    }

    /// Its numbers in row-major order; none for strings.
    pub fn scalars(&self) -> &[T] {
        match self {
            Value::Scalar(value) => std::slice::from_ref(value),
            Value::Array(array) => array.data(),
            Value::Text(_) => &[],
        }
    }

    /// Every number changed.
    pub fn map<U: Copy>(&self, mut element: impl FnMut(T) -> U) -> Value<U> {
        match self {
            Value::Scalar(value) => Value::Scalar(element(*value)),
            Value::Array(array) => Value::Array(Arc::new(array.map(|value| element(*value)))),
            Value::Text(texts) => Value::Text(texts.clone()),
        }
    }

    /// Every number changed, or nothing if one cannot be.
    pub fn try_map<U: Copy>(&self, mut element: impl FnMut(T) -> Option<U>) -> Option<Value<U>> {
        Some(match self {
            Value::Scalar(value) => Value::Scalar(element(*value)?),
            Value::Array(array) => {
                Value::Array(Arc::new(array.try_map(|value| element(*value).ok_or(())).ok()?))
            }
            Value::Text(texts) => Value::Text(texts.clone()),
        })
    }
}

fn mixed() -> super::array::ArrayError {
    ArrayErrorKind::Mixed("this place").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_two_words() {
        assert_eq!(size_of::<Value<f64>>(), 16);
        assert_eq!(size_of::<Option<Value<f64>>>(), 16);
    }

    #[test]
    fn scalars_are_arrays_without_dimensions() {
        let value = Value::from(Array::scalar(2.0));
        assert_eq!(value, Value::Scalar(2.0));
        assert_eq!(value.as_array().unwrap().shape(), &[] as &[usize]);
        let vector = Value::vector(vec![1.0, 2.0]);
        assert!(vector.as_scalar().is_err());
        assert_eq!(vector.clone().into_array().unwrap().data(), &[1.0, 2.0]);
        assert!(vector.as_texts().is_err());
        assert!(Value::<f64>::text("a").as_scalar().is_err());
        assert_eq!(Value::<f64>::text("a").as_text().unwrap().known(), Some("a"));
        assert_eq!(vector.map(|x| x > 1.5), Value::vector(vec![false, true]));
        assert_eq!(vector.try_map(|x| (x > 1.5).then_some(x)), None);
    }
}
