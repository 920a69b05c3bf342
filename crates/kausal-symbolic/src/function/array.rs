//! Arrays: a shape and the elements in row-major order (specification chapter 10).
//!
//! Here are the operations that only move elements: build, concatenate, reshape, index, assign. What computes
//! with elements needs a [`Domain`](super::Domain) and is in [`algebra`](super::algebra). A scalar is an array
//! without dimensions. A dimension may have size 0, and the sizes of empty arrays are checked like all others.
//!
//! ```
//! use kausal_symbolic::function::{Array, Index};
//! let a = Array::from_vec(&[2, 3], vec![1, 2, 3, 4, 5, 6])?;
//! assert_eq!(a.index(&[Index::All, Index::One(2)])?, Array::vector(vec![2, 5]));
//! assert_eq!(a.transpose()?.shape(), &[3, 2]);
//! # Ok::<(), kausal_symbolic::function::ArrayError>(())
//! ```

use std::fmt;

use smallvec::{SmallVec, smallvec};

use crate::node::Op;

/// The sizes of the dimensions.
pub type Shape = SmallVec<[usize; 3]>;

/// No array may have more elements than this; more can only be a mistake in a size.
pub const MAX_ELEMENTS: usize = 1 << 24;
/// Strings may be so long.
pub const MAX_TEXT: usize = 10_000_000;

/// A shape and its elements in row-major order: the last subscript varies fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array<T> {
    shape: Shape,
    data: Vec<T>,
}

/// One resolved subscript. Subscripts count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// `:`
    All,
    /// One element; the dimension disappears.
    One(usize),
    /// These elements, in this order; the dimension stays.
    Many(Vec<usize>),
}

/// What is wrong with an operation on arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayError(Box<ArrayErrorKind>);

/// The kinds of [`ArrayError`].
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayErrorKind {
    /// Two arrays must have equal sizes and have not.
    SizesDiffer {
        /// The operation.
        what: &'static str,
        /// Sizes of the first array.
        left: Shape,
        /// Sizes of the other one.
        right: Shape,
    },
    /// An array has not the dimensions an operation needs.
    WrongShape {
        /// The operation.
        what: &'static str,
        /// What it needs.
        needs: &'static str,
        /// What it got.
        found: Shape,
    },
    /// The number of elements does not fit the sizes.
    WrongLength {
        /// The sizes.
        shape: Shape,
        /// The number of elements.
        found: usize,
    },
    /// A subscript is outside its dimension.
    OutOfBounds {
        /// The subscript.
        index: f64,
        /// The dimension, from 1.
        dimension: usize,
        /// Its size.
        size: usize,
    },
    /// There are more subscripts than dimensions.
    TooManySubscripts {
        /// How many subscripts.
        found: usize,
        /// The sizes of the array.
        shape: Shape,
    },
    /// A loop over a range with so many elements.
    TooManyRounds(f64),
    /// A number that must be a whole number of at least some value is not.
    NotASize {
        /// What it is for.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// An operation needs at least one argument.
    NoArguments(&'static str),
    /// More than [`MAX_ELEMENTS`] elements.
    TooLarge,
    /// A string of more than [`MAX_TEXT`] bytes.
    TextTooLong,
    /// A number is needed and the value is an expression.
    NotANumber(&'static str),
    /// A string where a number is expected, or the reverse.
    Mixed(&'static str),
    /// The operator has no value here (time, `pre`, `der`, …).
    NoContext(Op),
    /// More expressions were made than allowed.
    OverBudget,
}

/// A result whose error is about arrays.
pub type ArrayResult<T> = Result<T, ArrayError>;

impl ArrayError {
    /// What exactly.
    pub fn kind(&self) -> &ArrayErrorKind {
        &self.0
    }
}

impl From<ArrayErrorKind> for ArrayError {
    #[cold]
    fn from(kind: ArrayErrorKind) -> Self {
        ArrayError(Box::new(kind))
    }
}

impl std::error::Error for ArrayError {}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ArrayErrorKind::SizesDiffer { what, left, right } => {
                write!(f, "{what}: sizes {} and {} differ", show_shape(left), show_shape(right))
            }
            ArrayErrorKind::WrongShape { what, needs, found } => {
                write!(f, "{what} needs {needs}, not {}", describe_shape(found))
            }
            ArrayErrorKind::WrongLength { shape, found } => {
                write!(f, "{found} elements do not fill an array of size {}", show_shape(shape))
            }
            ArrayErrorKind::OutOfBounds { index, dimension, size } => {
                write!(f, "subscript {index} is outside 1:{size} in dimension {dimension}")
            }
            ArrayErrorKind::TooManySubscripts { found, shape } => {
                write!(f, "{found} subscripts for {}", describe_shape(shape))
            }
            ArrayErrorKind::TooManyRounds(count) => {
                write!(f, "a loop would run {count} times: up to 1e9 are possible")
            }
            ArrayErrorKind::NotASize { what, value } if *value > MAX_ELEMENTS as f64 => {
                write!(f, "{what} is {value}: up to {MAX_ELEMENTS} are possible")
            }
            ArrayErrorKind::NotASize { what, value } => {
                write!(f, "{what} must be a whole number that makes sense, not {value}")
            }
            ArrayErrorKind::NoArguments(what) => write!(f, "{what} needs at least one argument"),
            ArrayErrorKind::TooLarge => write!(f, "an array of more than {MAX_ELEMENTS} elements"),
            ArrayErrorKind::TextTooLong => write!(f, "a string of more than {MAX_TEXT} bytes"),
            ArrayErrorKind::NotANumber(what) => write!(f, "{what} is not known as a number here"),
            ArrayErrorKind::Mixed(what) => write!(f, "{what}: a string and a number do not go together"),
            ArrayErrorKind::NoContext(op) => {
                write!(f, "{op:?} has no value outside a running simulation")
            }
            ArrayErrorKind::OverBudget => write!(f, "the expression becomes too large"),
        }
    }
}

/// `{2, 3}`
fn show_shape(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("{{{}}}", sizes.join(", "))
}

/// `a scalar`, `a vector of size 3`, `an array of size {2, 3}`
fn describe_shape(shape: &[usize]) -> String {
    match shape {
        [] => "a scalar".to_owned(),
        [n] => format!("a vector of size {n}"),
        [n, m] => format!("a {n} x {m} matrix"),
        _ => format!("an array of size {}", show_shape(shape)),
    }
}

/// The number of elements of an array of these sizes.
pub fn element_count(shape: &[usize]) -> ArrayResult<usize> {
    let mut count = 1usize;
    for &n in shape {
        count = count.checked_mul(n).ok_or(ArrayErrorKind::TooLarge)?;
    }
    if count > MAX_ELEMENTS { Err(ArrayErrorKind::TooLarge.into()) } else { Ok(count) }
}

/// A number as a size: whole and not negative.
pub fn as_size(what: &'static str, value: f64) -> ArrayResult<usize> {
    if value >= 0.0 && value.fract() == 0.0 && value <= MAX_ELEMENTS as f64 {
        Ok(value as usize)
    } else {
        Err(ArrayErrorKind::NotASize { what, value }.into())
    }
}

/// A number as a subscript of a dimension of this size; dimensions count from 1.
#[inline]
pub fn as_subscript(value: f64, dimension: usize, size: usize) -> ArrayResult<usize> {
    let index = value as usize;
    if index as f64 == value && (1..=size).contains(&index) {
        Ok(index)
    } else {
        Err(ArrayErrorKind::OutOfBounds { index: value, dimension, size }.into())
    }
}

impl<T> Array<T> {
    /// An array without dimensions.
    pub fn scalar(value: T) -> Self {
        Array { shape: Shape::new(), data: vec![value] }
    }

    /// A vector.
    pub fn vector(data: Vec<T>) -> Self {
        Array { shape: smallvec![data.len()], data }
    }

    /// Elements in row-major order.
    pub fn from_vec(shape: &[usize], data: Vec<T>) -> ArrayResult<Self> {
        if element_count(shape)? != data.len() {
            return Err(ArrayErrorKind::WrongLength { shape: shape.into(), found: data.len() }.into());
        }
        Ok(Array { shape: shape.into(), data })
    }

    /// Elements from their subscripts, which count from 0 here.
    pub fn from_fn(shape: &[usize], mut element: impl FnMut(&[usize]) -> T) -> ArrayResult<Self> {
        let count = element_count(shape)?;
        let mut at = vec![0; shape.len()];
        let mut data = Vec::with_capacity(count);
        for _ in 0..count {
            data.push(element(&at));
            advance(&mut at, shape);
        }
        Ok(Array { shape: shape.into(), data })
    }

    /// Sizes and elements known to fit.
    pub(crate) fn new_unchecked(shape: Shape, data: Vec<T>) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), data.len());
        Array { shape, data }
    }

    /// The sizes of its dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// `ndims`
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// `size(a, dimension)`; dimensions count from 1.
    pub fn size(&self, dimension: usize) -> ArrayResult<usize> {
        match dimension.checked_sub(1).and_then(|k| self.shape.get(k)) {
            Some(&size) => Ok(size),
            None => Err(ArrayErrorKind::WrongShape {
                what: "size",
                needs: "an existing dimension",
                found: self.shape.clone(),
            }
            .into()),
        }
    }

    /// The elements in row-major order.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// The elements in row-major order, to be changed.
    pub fn data_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Only the elements.
    pub fn into_data(self) -> Vec<T> {
        self.data
    }

    /// The same shape with every element changed.
    pub fn map<U>(&self, element: impl FnMut(&T) -> U) -> Array<U> {
        Array { shape: self.shape.clone(), data: self.data.iter().map(element).collect() }
    }

    /// The same shape with every element changed, or the first error.
    pub fn try_map<U, E>(&self, element: impl FnMut(&T) -> Result<U, E>) -> Result<Array<U>, E> {
        let data = self.data.iter().map(element).collect::<Result<_, E>>()?;
        Ok(Array { shape: self.shape.clone(), data })
    }

    /// `scalar(a)`: the only element; every size must be 1.
    pub fn into_scalar(self) -> ArrayResult<T> {
        let shape = self.shape;
        match self.data.into_iter().next() {
            Some(value) if shape.iter().all(|&n| n == 1) => Ok(value),
            _ => {
                Err(ArrayErrorKind::WrongShape { what: "scalar", needs: "exactly one element", found: shape }
                    .into())
            }
        }
    }

    /// Other sizes for the same elements.
    pub fn reshape(mut self, shape: &[usize]) -> ArrayResult<Self> {
        if element_count(shape)? != self.data.len() {
            return Err(ArrayErrorKind::WrongLength { shape: shape.into(), found: self.data.len() }.into());
        }
        self.shape = shape.into();
        Ok(self)
    }

    /// `vector(a)`: at most one size may be above 1.
    pub fn into_vector(self) -> ArrayResult<Self> {
        if self.shape.iter().filter(|&&n| n > 1).count() > 1 {
            return Err(wrong("vector", "at most one dimension larger than 1", &self.shape));
        }
        Ok(Array::vector(self.data))
    }

    /// `matrix(a)`: sizes of 1 are added on the right or removed there.
    pub fn into_matrix(self) -> ArrayResult<Self> {
        if self.rank() <= 2 {
            return self.promote(2);
        }
        if self.shape[2..].iter().any(|&n| n != 1) {
            return Err(wrong("matrix", "size 1 in all dimensions but the first two", &self.shape));
        }
        let shape: Shape = self.shape[..2].into();
        Ok(Array { shape, data: self.data })
    }

    /// `promote(a, n)`: sizes of 1 are added on the right until there are `n` dimensions.
    pub fn promote(mut self, rank: usize) -> ArrayResult<Self> {
        if rank < self.rank() || rank > MAX_RANK {
            return Err(wrong("promote", "not more dimensions than it is promoted to", &self.shape));
        }
        self.shape.resize(rank, 1);
        Ok(self)
    }

    /// Where an element is; subscripts count from 1.
    #[inline]
    pub fn offset(&self, subscripts: &[usize]) -> ArrayResult<usize> {
        if subscripts.len() != self.shape.len() {
            return Err(ArrayErrorKind::TooManySubscripts {
                found: subscripts.len(),
                shape: self.shape.clone(),
            }
            .into());
        }
        let mut offset = 0;
        for (k, (&index, &size)) in subscripts.iter().zip(&self.shape).enumerate() {
            if index == 0 || index > size {
                return Err(
                    ArrayErrorKind::OutOfBounds { index: index as f64, dimension: k + 1, size }.into()
                );
            }
            offset = offset * size + index - 1;
        }
        Ok(offset)
    }

    /// One element; subscripts count from 1.
    pub fn get(&self, subscripts: &[usize]) -> ArrayResult<&T> {
        Ok(&self.data[self.offset(subscripts)?])
    }

    /// Sets one element; subscripts count from 1.
    pub fn set(&mut self, subscripts: &[usize], value: T) -> ArrayResult<()> {
        let offset = self.offset(subscripts)?;
        self.data[offset] = value;
        Ok(())
    }

    /// An element by its row-major place.
    #[inline]
    pub(crate) fn set_at(&mut self, offset: usize, value: T) {
        self.data[offset] = value;
    }
}

/// The most dimensions `promote` gives.
const MAX_RANK: usize = 64;

fn wrong(what: &'static str, needs: &'static str, found: &[usize]) -> ArrayError {
    ArrayErrorKind::WrongShape { what, needs, found: found.into() }.into()
}

/// The next subscripts in row-major order; they count from 0.
fn advance(at: &mut [usize], shape: &[usize]) {
    for k in (0..at.len()).rev() {
        at[k] += 1;
        if at[k] < shape[k] {
            return;
        }
        at[k] = 0;
    }
}

impl<T: Clone> Array<T> {
    /// `fill(value, n, m, …)` with a scalar or an array as value: its dimensions come last.
    pub fn fill(value: &Array<T>, sizes: &[usize]) -> ArrayResult<Self> {
        let mut shape: Shape = sizes.into();
        shape.extend_from_slice(&value.shape);
        let count = element_count(&shape)?;
        let mut data = Vec::with_capacity(count);
        if !value.is_empty() {
            while data.len() < count {
                data.extend_from_slice(&value.data);
            }
        }
        Ok(Array { shape, data })
    }

    /// The same value everywhere.
    pub fn filled(value: T, shape: &[usize]) -> ArrayResult<Self> {
        Ok(Array { shape: shape.into(), data: vec![value; element_count(shape)?] })
    }

    /// `{a, b, …}`: one dimension more, on the left. All parts have the same sizes.
    pub fn construct(parts: &[Array<T>]) -> ArrayResult<Self> {
        let first = parts.first().ok_or(ArrayErrorKind::NoArguments("{…}"))?;
        let mut data = Vec::with_capacity(first.len() * parts.len());
        for part in parts {
            same_shape("{…}", &first.shape, &part.shape)?;
            data.extend_from_slice(&part.data);
        }
        let mut shape: Shape = smallvec![parts.len()];
        shape.extend_from_slice(&first.shape);
        element_count(&shape)?;
        Ok(Array { shape, data })
    }

    /// `cat(dimension, a, b, …)`; dimensions count from 1. Arrays of fewer dimensions are promoted first to
    /// those of the others (and to `dimension`), as in `[a, b]`.
    pub fn cat(dimension: usize, parts: &[Array<T>]) -> ArrayResult<Self> {
        let rank = parts.iter().map(Array::rank).max().ok_or(ArrayErrorKind::NoArguments("cat"))?;
        let rank = rank.max(dimension);
        let along = match dimension.checked_sub(1) {
            Some(along) if rank <= MAX_RANK => along,
            _ => {
                return Err(ArrayErrorKind::NotASize {
                    what: "the dimension of cat",
                    value: dimension as f64,
                }
                .into());
            }
        };
        let mut shapes: Vec<Shape> = parts.iter().map(|part| part.shape.clone()).collect();
        for shape in &mut shapes {
            shape.resize(rank, 1);
        }
        let mut shape = shapes[0].clone();
        shape[along] = 0;
        for part in &shapes {
            let total = shape[along] + part[along];
            shape[along] = part[along];
            same_shape("cat", &shape, part)?;
            shape[along] = total;
        }
        let mut data = Vec::with_capacity(element_count(&shape)?);
        let outer: usize = shape[..along].iter().product();
        for row in 0..outer {
            for (part, sizes) in parts.iter().zip(&shapes) {
                let chunk: usize = sizes[along..].iter().product();
                data.extend_from_slice(&part.data[row * chunk..(row + 1) * chunk]);
            }
        }
        Ok(Array { shape, data })
    }

    /// `transpose(a)`: exchanges the first two dimensions.
    pub fn transpose(&self) -> ArrayResult<Self> {
        let [n, m, rest @ ..] = &self.shape[..] else {
            return Err(wrong("transpose", "at least two dimensions", &self.shape));
        };
        let (n, m) = (*n, *m);
        let block: usize = rest.iter().product();
        let mut data = Vec::with_capacity(self.len());
        for j in 0..m {
            for i in 0..n {
                let start = (i * m + j) * block;
                data.extend_from_slice(&self.data[start..start + block]);
            }
        }
        let mut shape = self.shape.clone();
        shape.swap(0, 1);
        Ok(Array { shape, data })
    }

    /// `symmetric(a)`: the elements above the diagonal, mirrored.
    pub fn symmetric(&self) -> ArrayResult<Self> {
        let n = self.square("symmetric")?;
        Array::from_fn(&[n, n], |at| self.data[at[0].min(at[1]) * n + at[0].max(at[1])].clone())
    }

    /// The size of a square matrix.
    pub fn square(&self, what: &'static str) -> ArrayResult<usize> {
        match self.shape[..] {
            [n, m] if n == m => Ok(n),
            _ => Err(wrong(what, "a square matrix", &self.shape)),
        }
    }

    /// Elements; missing subscripts on the right are `:`.
    pub fn index(&self, subscripts: &[Index]) -> ArrayResult<Self> {
        if let Some((shape, range)) = self.one_piece(subscripts)? {
            return Ok(Array { shape: shape.into(), data: self.data[range].to_vec() });
        }
        let (shape, offsets) = self.select(subscripts)?;
        Ok(Array { shape, data: offsets.into_iter().map(|at| self.data[at].clone()).collect() })
    }

    /// Sets elements; missing subscripts on the right are `:`. The value has the sizes that [`Array::index`]
    /// would give. With a subscript twice in a list the last one counts.
    pub fn assign(&mut self, subscripts: &[Index], value: &Array<T>) -> ArrayResult<()> {
        if let Some((shape, range)) = self.one_piece(subscripts)?
            && shape == value.shape()
        {
            self.data[range].clone_from_slice(&value.data);
            return Ok(());
        }
        let (shape, offsets) = self.select(subscripts)?;
        if !(offsets.is_empty() && value.is_empty() && shape.len() == value.rank()) {
            same_shape(":=", &shape, &value.shape)?;
        }
        for (at, element) in offsets.into_iter().zip(&value.data) {
            self.data[at] = element.clone();
        }
        Ok(())
    }

    /// What `a[i, j]` or `a[i, :]` choose lies in one piece; its shape and where it is. `None` for other subscripts.
    fn one_piece(&self, subscripts: &[Index]) -> ArrayResult<Option<(&[usize], std::ops::Range<usize>)>> {
        let ones = subscripts.iter().take_while(|index| matches!(index, Index::One(_))).count();
        if subscripts.len() > self.rank() || subscripts[ones..].iter().any(|index| *index != Index::All) {
            return Ok(None);
        }
        let mut start = 0;
        for (k, (index, &size)) in subscripts[..ones].iter().zip(&self.shape).enumerate() {
            let Index::One(index) = *index else { return Ok(None) };
            start = start * size + as_subscript(index as f64, k + 1, size)? - 1;
        }
        let shape = &self.shape[ones..];
        let len: usize = shape.iter().product();
        Ok(Some((shape, start * len..(start + 1) * len)))
    }

    /// The shape of what subscripts choose, and where its elements are.
    pub fn select(&self, subscripts: &[Index]) -> ArrayResult<(Shape, Vec<usize>)> {
        if subscripts.len() > self.rank() {
            return Err(ArrayErrorKind::TooManySubscripts {
                found: subscripts.len(),
                shape: self.shape.clone(),
            }
            .into());
        }
        let mut shape = Shape::new();
        let mut offsets = vec![0usize];
        for (k, &size) in self.shape.iter().enumerate() {
            let check = |index: usize| {
                if index == 0 || index > size {
                    let kind = ArrayErrorKind::OutOfBounds { index: index as f64, dimension: k + 1, size };
                    return Err(ArrayError::from(kind));
                }
                Ok(index - 1)
            };
            match subscripts.get(k).unwrap_or(&Index::All) {
                Index::One(index) => {
                    let index = check(*index)?;
                    for at in &mut offsets {
                        *at = *at * size + index;
                    }
                }
                Index::All => {
                    shape.push(size);
                    element_count(&[offsets.len(), size])?;
                    offsets = offsets.iter().flat_map(|at| (0..size).map(move |i| at * size + i)).collect();
                }
                Index::Many(list) => {
                    shape.push(list.len());
                    element_count(&[offsets.len(), list.len()])?;
                    let list = list.iter().map(|&index| check(index)).collect::<ArrayResult<Vec<_>>>()?;
                    offsets = offsets.iter().flat_map(|at| list.iter().map(move |i| at * size + i)).collect();
                }
            }
        }
        Ok((shape, offsets))
    }
}

/// Both shapes are equal, or this is an error in `what`.
pub(crate) fn same_shape(what: &'static str, left: &[usize], right: &[usize]) -> ArrayResult<()> {
    if left == right {
        Ok(())
    } else {
        Err(ArrayErrorKind::SizesDiffer { what, left: left.into(), right: right.into() }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[i32]]) -> Array<i32> {
        let width = rows.first().map_or(0, |row| row.len());
        Array::from_vec(&[rows.len(), width], rows.concat()).unwrap()
    }

    fn vector(data: &[i32]) -> Array<i32> {
        Array::vector(data.to_vec())
    }

    fn empty(shape: &[usize]) -> Array<i32> {
        Array::from_vec(shape, vec![]).unwrap()
    }

    #[test]
    fn construct_adds_a_dimension_on_the_left() {
        let a = Array::construct(&[vector(&[11, 12, 13]), vector(&[21, 22, 23])]).unwrap();
        assert_eq!(a, matrix(&[&[11, 12, 13], &[21, 22, 23]]));
        let b = Array::construct(&[Array::construct(&[vector(&[1, 2, 3])]).unwrap()]).unwrap();
        assert_eq!(b.shape(), &[1, 1, 3]);
        let e = Array::construct(&[vector(&[1]), vector(&[1, 2])]).unwrap_err();
        assert_eq!(e.to_string(), "{…}: sizes {1} and {2} differ");
        assert!(Array::<i32>::construct(&[]).is_err());
    }

    #[test]
    fn cat_of_the_specification() {
        let r1 = Array::cat(1, &[matrix(&[&[1, 2, 3]]), matrix(&[&[4, 5, 6]])]).unwrap();
        assert_eq!(r1, matrix(&[&[1, 2, 3], &[4, 5, 6]]));
        let r2 = Array::cat(2, &[r1.clone(), r1.map(|x| 2 * x)]).unwrap();
        assert_eq!(r2, matrix(&[&[1, 2, 3, 2, 4, 6], &[4, 5, 6, 8, 10, 12]]));
        assert_eq!(Array::cat(1, &[vector(&[1]), vector(&[]), vector(&[2, 3])]).unwrap(), vector(&[1, 2, 3]));
        // [v1, v2] and [v1, [4; 5; 6]]
        let column = vector(&[4, 5, 6]).promote(2).unwrap();
        let m = Array::cat(2, &[vector(&[1, 2, 3]), vector(&[4, 5, 6])]).unwrap();
        assert_eq!(m, matrix(&[&[1, 4], &[2, 5], &[3, 6]]));
        assert_eq!(Array::cat(2, &[vector(&[1, 2, 3]), column]).unwrap(), m);
        // [s1, s1]
        assert_eq!(Array::cat(2, &[Array::scalar(7), Array::scalar(8)]).unwrap(), matrix(&[&[7, 8]]));
    }

    #[test]
    fn cat_along_a_third_dimension() {
        let a = Array::from_fn(&[2, 2, 1], |at| (10 * at[0] + at[1]) as i32).unwrap();
        let b = a.map(|x| x + 100);
        let c = Array::cat(3, &[a.clone(), b]).unwrap();
        assert_eq!(c.shape(), &[2, 2, 2]);
        assert_eq!(c.data(), &[0, 100, 1, 101, 10, 110, 11, 111]);
        assert_eq!(Array::cat(1, &[a.clone(), a.clone()]).unwrap().shape(), &[4, 2, 1]);
    }

    #[test]
    fn cat_checks_the_other_sizes_also_when_empty() {
        assert!(Array::cat(1, &[empty(&[0, 3]), empty(&[0, 2])]).is_err());
        assert_eq!(Array::cat(1, &[empty(&[0, 3]), matrix(&[&[1, 2, 3]])]).unwrap(), matrix(&[&[1, 2, 3]]));
        assert!(Array::cat(0, &[vector(&[1])]).is_err());
        assert!(Array::<i32>::cat(1, &[]).is_err());
    }

    #[test]
    fn dimensions_come_and_go() {
        assert_eq!(vector(&[1, 2]).promote(3).unwrap().shape(), &[2, 1, 1]);
        assert!(matrix(&[&[1]]).promote(1).is_err());
        assert_eq!(matrix(&[&[5]]).into_scalar().unwrap(), 5);
        assert!(vector(&[1, 2]).into_scalar().is_err());
        assert!(empty(&[0]).into_scalar().is_err());
        assert_eq!(matrix(&[&[1, 2, 3]]).into_vector().unwrap(), vector(&[1, 2, 3]));
        assert_eq!(Array::scalar(3).into_vector().unwrap(), vector(&[3]));
        assert_eq!(empty(&[0, 3]).into_vector().unwrap(), vector(&[]));
        assert!(matrix(&[&[1, 2], &[3, 4]]).into_vector().is_err());
        assert_eq!(vector(&[1, 2]).into_matrix().unwrap(), matrix(&[&[1], &[2]]));
        let a = Array::from_vec(&[1, 2, 1], vec![1, 2]).unwrap();
        assert_eq!(a.into_matrix().unwrap(), matrix(&[&[1, 2]]));
        assert!(Array::from_vec(&[1, 1, 2], vec![1, 2]).unwrap().into_matrix().is_err());
        assert_eq!(matrix(&[&[1, 2]]).size(2).unwrap(), 2);
        assert!(matrix(&[&[1, 2]]).size(3).is_err());
        assert!(Array::scalar(1).size(0).is_err());
    }

    #[test]
    fn transpose_and_symmetric() {
        assert_eq!(
            matrix(&[&[1, 2, 3], &[4, 5, 6]]).transpose().unwrap(),
            matrix(&[&[1, 4], &[2, 5], &[3, 6]])
        );
        assert_eq!(empty(&[0, 4]).transpose().unwrap().shape(), &[4, 0]);
        assert!(vector(&[1]).transpose().is_err());
        let a = Array::from_fn(&[2, 3, 2], |at| (100 * at[0] + 10 * at[1] + at[2]) as i32).unwrap();
        let t = a.transpose().unwrap();
        assert_eq!(t.shape(), &[3, 2, 2]);
        assert_eq!(*t.get(&[3, 2, 1]).unwrap(), 120);
        assert_eq!(matrix(&[&[1, 2], &[9, 3]]).symmetric().unwrap(), matrix(&[&[1, 2], &[2, 3]]));
        assert!(matrix(&[&[1, 2]]).symmetric().is_err());
    }

    #[test]
    fn fill_with_scalars_and_arrays() {
        assert_eq!(Array::fill(&Array::scalar(7), &[2, 2]).unwrap(), matrix(&[&[7, 7], &[7, 7]]));
        assert_eq!(Array::fill(&vector(&[1, 2]), &[2]).unwrap(), matrix(&[&[1, 2], &[1, 2]]));
        assert_eq!(Array::fill(&Array::scalar(7), &[0, 1, 0]).unwrap().shape(), &[0, 1, 0]);
        assert_eq!(Array::fill(&vector(&[]), &[3]).unwrap().shape(), &[3, 0]);
        let e = Array::fill(&Array::scalar(7), &[1 << 20, 1 << 20]).unwrap_err();
        assert_eq!(*e.kind(), ArrayErrorKind::TooLarge);
    }

    #[test]
    fn indexing() {
        let a = matrix(&[&[1, 2, 3], &[4, 5, 6]]);
        let v = vector(&[10, 20, 30, 40, 50, 60, 70, 80]);
        assert_eq!(a.index(&[Index::One(2), Index::One(3)]).unwrap(), Array::scalar(6));
        assert_eq!(a.index(&[Index::One(2)]).unwrap(), vector(&[4, 5, 6]));
        assert_eq!(a.index(&[Index::All, Index::One(3)]).unwrap(), vector(&[3, 6]));
        assert_eq!(a.index(&[Index::Many(vec![1]), Index::All]).unwrap(), matrix(&[&[1, 2, 3]]));
        assert_eq!(
            a.index(&[Index::Many(vec![2, 1, 2]), Index::Many(vec![3, 1])]).unwrap(),
            matrix(&[&[6, 4], &[3, 1], &[6, 4]])
        );
        assert_eq!(v.index(&[Index::Many(vec![2, 4, 6, 8])]).unwrap(), vector(&[20, 40, 60, 80]));
        assert_eq!(a.index(&[]).unwrap(), a);
        let e = a.index(&[Index::One(3)]).unwrap_err();
        assert_eq!(e.to_string(), "subscript 3 is outside 1:2 in dimension 1");
        let e = v.index(&[Index::One(1), Index::One(1)]).unwrap_err();
        assert_eq!(e.to_string(), "2 subscripts for a vector of size 8");
        assert!(v.index(&[Index::Many(vec![0])]).is_err());
    }

    #[test]
    fn indexing_what_is_empty() {
        let a = empty(&[1, 0]);
        assert_eq!(a.index(&[Index::One(1)]).unwrap().shape(), &[0]);
        assert_eq!(a.index(&[Index::One(1), Index::Many(vec![])]).unwrap().shape(), &[0]);
        assert!(a.index(&[Index::One(1), Index::One(1)]).is_err());
        assert!(empty(&[0]).index(&[Index::One(1)]).is_err());
    }

    #[test]
    fn assigning_elements() {
        let mut v = vector(&[1, 2, 3]);
        v.assign(&[Index::Many(vec![3, 1])], &vector(&[30, 10])).unwrap();
        assert_eq!(v, vector(&[10, 2, 30]));
        v.assign(&[Index::Many(vec![1, 1])], &vector(&[2, 3])).unwrap();
        assert_eq!(v.data()[0], 3);
        let mut a = matrix(&[&[1, 2], &[3, 4]]);
        a.assign(&[Index::All, Index::One(2)], &vector(&[8, 9])).unwrap();
        a.assign(&[Index::One(1), Index::One(1)], &Array::scalar(7)).unwrap();
        assert_eq!(a, matrix(&[&[7, 8], &[3, 9]]));
        a.assign(&[Index::One(2)], &vector(&[5, 6])).unwrap();
        assert_eq!(a, matrix(&[&[7, 8], &[5, 6]]));
        assert!(a.assign(&[Index::One(2)], &vector(&[5])).is_err());
        assert!(a.assign(&[Index::One(2)], &Array::scalar(5)).is_err());
        a.assign(&[Index::Many(vec![])], &empty(&[0, 2])).unwrap();
        a.set(&[2, 2], 0).unwrap();
        assert!(a.set(&[2, 3], 0).is_err());
        assert!(a.get(&[2]).is_err());
    }

    #[test]
    fn sizes_are_whole_numbers() {
        assert_eq!(as_size("n", 3.0).unwrap(), 3);
        for bad in [-1.0, 0.5, f64::NAN, f64::INFINITY] {
            assert!(as_size("n", bad).is_err());
            assert!(as_subscript(bad, 1, 5).is_err());
        }
        assert!(as_subscript(0.0, 1, 5).is_err());
        assert!(Array::from_vec(&[2, 2], vec![1]).is_err());
        assert!(vector(&[1, 2]).reshape(&[3]).is_err());
        assert_eq!(vector(&[1, 2]).reshape(&[2, 1]).unwrap().shape(), &[2, 1]);
    }
}
