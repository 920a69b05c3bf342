//! Arithmetic of arrays in any [`Domain`] (specification sections 10.3, 10.4.3 and 10.6).
//!
//! Element-wise operators take a scalar for every element of an array; all other sizes must agree. Sums are
//! given to the domain as one operator of many arguments.
//!
//! ```
//! use kausal_symbolic::function::{Array, Numbers};
//! use kausal_symbolic::Op;
//! let d = &mut Numbers::detached();
//! let a = Array::from_vec(&[2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
//! let x = Array::vector(vec![5.0, 6.0]);
//! assert_eq!(a.product_with(d, &x)?, Array::vector(vec![17.0, 39.0]));
//! assert_eq!(x.zip_broadcast(d, Op::Mul, &Array::scalar(2.0))?, Array::vector(vec![10.0, 12.0]));
//! # Ok::<(), kausal_symbolic::function::ArrayError>(())
//! ```

use smallvec::SmallVec;

use super::array::{Array, ArrayErrorKind, ArrayResult, Shape, as_size, element_count, same_shape};
use super::domain::Domain;
use crate::node::Op;

/// An operator on every element of its arguments. Scalars go with every element; arrays must have equal sizes.
pub fn broadcast<D: Domain>(d: &mut D, op: Op, args: &[&Array<D::Scalar>]) -> ArrayResult<Array<D::Scalar>> {
    let shape = broadcast_shape(args.iter().map(|a| a.shape()))?;
    let count = element_count(&shape)?;
    let mut data = Vec::with_capacity(count);
    match args {
        [a] => return a.try_map(|&x| d.op1(op, x)),
        [a, b] => {
            // A scalar stands still while the other goes on.
            let (step_a, step_b) = (usize::from(a.rank() > 0), usize::from(b.rank() > 0));
            let (a, b) = (a.data(), b.data());
            for k in 0..count {
                data.push(d.op2(op, a[k * step_a], b[k * step_b])?);
            }
            return Ok(Array::new_unchecked(shape, data));
        }
        _ => {}
    }
    let mut row = SmallVec::<[D::Scalar; 4]>::new();
    for k in 0..count {
        row.clear();
        row.extend(args.iter().map(|a| if a.rank() == 0 { a.data()[0] } else { a.data()[k] }));
        data.push(d.op(op, &row)?);
    }
    Ok(Array::new_unchecked(shape, data))
}

/// The common shape of arguments of an element-wise operator.
pub fn broadcast_shape<'a>(shapes: impl Iterator<Item = &'a [usize]>) -> ArrayResult<Shape> {
    let mut common: &[usize] = &[];
    for shape in shapes {
        if common.is_empty() {
            common = shape;
        } else if !shape.is_empty() {
            same_shape("element-wise operator", common, shape)?;
        }
    }
    Ok(common.into())
}

/// `start : step : stop`; without a step it is 1. Its length must be known.
pub fn range<D: Domain>(
    d: &mut D,
    start: D::Scalar,
    step: Option<D::Scalar>,
    stop: D::Scalar,
) -> ArrayResult<Array<D::Scalar>> {
    let step = match step {
        Some(step) => step,
        None => d.number(1.0),
    };
    let minus = d.op(Op::Neg, &[start])?;
    let span = d.op(Op::Add, &[stop, minus])?;
    let (Some(span), Some(stride)) = (d.value(span), d.value(step)) else {
        return Err(ArrayErrorKind::NotANumber("the length of a range").into());
    };
    let count = range_length(span, stride)?;
    let first = d.value(start);
    let mut data = Vec::with_capacity(count);
    for k in 0..count {
        let by = k as f64 * stride;
        data.push(match first {
            Some(first) => d.number(first + by),
            None => {
                let by = d.number(by);
                d.op(Op::Add, &[start, by])?
            }
        });
    }
    Ok(Array::vector(data))
}

/// How many elements a range has that spans from 0 to `span`.
pub fn range_length(span: f64, step: f64) -> ArrayResult<usize> {
    as_size("the length of a range", range_count(span, step)?)
}

/// How often a loop over such a range runs: it need not be kept, so it may be longer.
pub fn range_rounds(span: f64, step: f64) -> ArrayResult<usize> {
    const MOST: f64 = 1e9;
    let count = range_count(span, step)?;
    if count <= MOST { Ok(count as usize) } else { Err(ArrayErrorKind::TooManyRounds(count).into()) }
}

fn range_count(span: f64, step: f64) -> ArrayResult<f64> {
    let steps = span / step;
    if step == 0.0 || steps.is_nan() {
        return Err(ArrayErrorKind::NotASize { what: "the step of a range", value: step }.into());
    }
    // The quotient of 0.3 and 0.1 is a rounding error below 3: that still counts as 3.
    Ok(if steps < 0.0 { 0.0 } else { (steps + 4.0 * f64::EPSILON * steps).floor() + 1.0 })
}

/// `linspace(first, last, n)` with `n` at least 2.
pub fn linspace<D: Domain>(
    d: &mut D,
    first: D::Scalar,
    last: D::Scalar,
    count: f64,
) -> ArrayResult<Array<D::Scalar>> {
    let n = as_size("the length of linspace", count)?;
    if n < 2 {
        return Err(ArrayErrorKind::NotASize { what: "the length of linspace", value: count }.into());
    }
    let minus = d.op(Op::Neg, &[first])?;
    let span = d.op(Op::Add, &[last, minus])?;
    let mut data = vec![first];
    for k in 1..n - 1 {
        let part = d.number(k as f64 / (n - 1) as f64);
        let by = d.op(Op::Mul, &[span, part])?;
        data.push(d.op(Op::Add, &[first, by])?);
    }
    data.push(last);
    Ok(Array::vector(data))
}

/// `identity(n)`
pub fn identity<D: Domain>(d: &mut D, n: usize) -> ArrayResult<Array<D::Scalar>> {
    let (zero, one) = (d.number(0.0), d.number(1.0));
    Array::from_fn(&[n, n], |at| if at[0] == at[1] { one } else { zero })
}

/// `zeros(n, m, …)`
pub fn zeros<D: Domain>(d: &mut D, shape: &[usize]) -> ArrayResult<Array<D::Scalar>> {
    let zero = d.number(0.0);
    Array::filled(zero, shape)
}

impl<T: Copy> Array<T> {
    /// An operator on every element.
    pub fn map_op<D: Domain<Scalar = T>>(&self, d: &mut D, op: Op) -> ArrayResult<Self> {
        self.try_map(|&element| d.op(op, &[element]))
    }

    /// An operator on pairs of elements; a scalar goes with every element of the other.
    pub fn zip_broadcast<D: Domain<Scalar = T>>(
        &self,
        d: &mut D,
        op: Op,
        other: &Array<T>,
    ) -> ArrayResult<Self> {
        broadcast(d, op, &[self, other])
    }

    /// `self + other`
    pub fn plus<D: Domain<Scalar = T>>(&self, d: &mut D, other: &Array<T>) -> ArrayResult<Self> {
        self.zip_broadcast(d, Op::Add, other)
    }

    /// `self - other`
    pub fn minus<D: Domain<Scalar = T>>(&self, d: &mut D, other: &Array<T>) -> ArrayResult<Self> {
        let negated = other.map_op(d, Op::Neg)?;
        self.plus(d, &negated)
    }

    /// `self * other`: products of scalars, vectors and matrices (section 10.6.5).
    pub fn product_with<D: Domain<Scalar = T>>(&self, d: &mut D, other: &Array<T>) -> ArrayResult<Self> {
        if self.rank() == 0 || other.rank() == 0 {
            return self.zip_broadcast(d, Op::Mul, other);
        }
        let mismatch = || ArrayErrorKind::SizesDiffer {
            what: "product of arrays",
            left: self.shape().into(),
            right: other.shape().into(),
        };
        let (rows, inner, left_vector) = match *self.shape() {
            [m] => (1, m, true),
            [l, m] => (l, m, false),
            _ => return Err(mismatch().into()),
        };
        let (other_inner, columns, right_vector) = match *other.shape() {
            [m] => (m, 1, true),
            [m, n] => (m, n, false),
            _ => return Err(mismatch().into()),
        };
        if inner != other_inner {
            return Err(mismatch().into());
        }
        let mut shape = Shape::new();
        if !left_vector {
            shape.push(rows);
        }
        if !right_vector {
            shape.push(columns);
        }
        let mut data = Vec::with_capacity(element_count(&[rows, columns])?);
        for i in 0..rows {
            let row = &self.data()[i * inner..(i + 1) * inner];
            for j in 0..columns {
                let column = other.data()[j.min(other.len())..].iter().step_by(columns.max(1));
                data.push(d.inner_product(row.iter().copied().zip(column.copied()))?);
            }
        }
        Ok(Array::new_unchecked(shape, data))
    }

    /// `self ^ exponent` of a square matrix.
    pub fn matrix_power<D: Domain<Scalar = T>>(&self, d: &mut D, exponent: f64) -> ArrayResult<Self> {
        let n = self.square("the power of a matrix")?;
        let mut exponent = as_size("the exponent of a matrix", exponent)?;
        if exponent == 0 {
            return identity(d, n);
        }
        let mut square = self.clone();
        let mut power: Option<Array<T>> = None;
        loop {
            if exponent % 2 == 1 {
                power = Some(match power {
                    Some(power) => power.product_with(d, &square)?,
                    None => square.clone(),
                });
            }
            exponent /= 2;
            match power {
                Some(power) if exponent == 0 => return Ok(power),
                _ => square = square.product_with(d, &square)?,
            }
        }
    }

    /// `sum(a)`
    pub fn sum<D: Domain<Scalar = T>>(&self, d: &mut D) -> ArrayResult<T> {
        d.sum(self.data())
    }

    /// `product(a)`
    pub fn product<D: Domain<Scalar = T>>(&self, d: &mut D) -> ArrayResult<T> {
        match self.data() {
            [] => Ok(d.number(1.0)),
            [one] => Ok(*one),
            all => d.op(Op::Mul, all),
        }
    }

    /// `min(a)`, or `empty` without elements.
    pub fn min<D: Domain<Scalar = T>>(&self, d: &mut D, empty: f64) -> ArrayResult<T> {
        self.fold(d, Op::Min, empty)
    }

    /// `max(a)`, or `empty` without elements.
    pub fn max<D: Domain<Scalar = T>>(&self, d: &mut D, empty: f64) -> ArrayResult<T> {
        self.fold(d, Op::Max, empty)
    }

    fn fold<D: Domain<Scalar = T>>(&self, d: &mut D, op: Op, empty: f64) -> ArrayResult<T> {
        let Some((&first, rest)) = self.data().split_first() else {
            return Ok(d.number(empty));
        };
        rest.iter().try_fold(first, |best, &element| d.op(op, &[best, element]))
    }

    /// `diagonal(v)`
    pub fn diagonal<D: Domain<Scalar = T>>(&self, d: &mut D) -> ArrayResult<Self> {
        let n = self.vector_size("diagonal")?;
        let zero = d.number(0.0);
        Array::from_fn(&[n, n], |at| if at[0] == at[1] { self.data()[at[0]] } else { zero })
    }

    /// `outerProduct(x, y)`
    pub fn outer_product<D: Domain<Scalar = T>>(&self, d: &mut D, other: &Array<T>) -> ArrayResult<Self> {
        let (n, m) = (self.vector_size("outerProduct")?, other.vector_size("outerProduct")?);
        let mut data = Vec::with_capacity(element_count(&[n, m])?);
        for &x in self.data() {
            for &y in other.data() {
                data.push(d.op(Op::Mul, &[x, y])?);
            }
        }
        Array::from_vec(&[n, m], data)
    }

    /// `cross(x, y)` of two vectors of size 3.
    pub fn cross<D: Domain<Scalar = T>>(&self, d: &mut D, other: &Array<T>) -> ArrayResult<Self> {
        let (x, y) = (self.three("cross")?, other.three("cross")?);
        let mut data = Vec::with_capacity(3);
        for (i, j) in [(1, 2), (2, 0), (0, 1)] {
            let plus = d.op(Op::Mul, &[x[i], y[j]])?;
            let minus = d.op(Op::Mul, &[x[j], y[i]])?;
            let minus = d.op(Op::Neg, &[minus])?;
            data.push(d.op(Op::Add, &[plus, minus])?);
        }
        Ok(Array::vector(data))
    }

    /// `skew(x)` of a vector of size 3.
    pub fn skew<D: Domain<Scalar = T>>(&self, d: &mut D) -> ArrayResult<Self> {
        let x = self.three("skew")?;
        let zero = d.number(0.0);
        let [m1, m2, m3] = [d.op(Op::Neg, &[x[0]])?, d.op(Op::Neg, &[x[1]])?, d.op(Op::Neg, &[x[2]])?];
        Array::from_vec(&[3, 3], vec![zero, m3, x[1], x[2], zero, m1, m2, x[0], zero])
    }

    fn vector_size(&self, what: &'static str) -> ArrayResult<usize> {
        match *self.shape() {
            [n] => Ok(n),
            _ => {
                Err(ArrayErrorKind::WrongShape { what, needs: "a vector", found: self.shape().into() }.into())
            }
        }
    }

    fn three(&self, what: &'static str) -> ArrayResult<[T; 3]> {
        match (self.shape(), self.data()) {
            ([3], &[a, b, c]) => Ok([a, b, c]),
            _ => Err(ArrayErrorKind::WrongShape {
                what,
                needs: "vectors of size 3",
                found: self.shape().into(),
            }
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::domain::Numbers;
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Array<f64> {
        let width = rows.first().map_or(0, |row| row.len());
        Array::from_vec(&[rows.len(), width], rows.concat()).unwrap()
    }

    fn vector(data: &[f64]) -> Array<f64> {
        Array::vector(data.to_vec())
    }

    fn empty(shape: &[usize]) -> Array<f64> {
        Array::from_vec(shape, vec![]).unwrap()
    }

    #[test]
    fn element_wise_operators() {
        let d = &mut Numbers::detached();
        let a = matrix(&[&[1.0, 2.0], &[3.0, 4.0]]);
        assert_eq!(a.plus(d, &a).unwrap(), matrix(&[&[2.0, 4.0], &[6.0, 8.0]]));
        assert_eq!(a.minus(d, &a).unwrap(), matrix(&[&[0.0, 0.0], &[0.0, 0.0]]));
        let powers = Array::scalar(2.0).zip_broadcast(d, Op::Pow, &a).unwrap();
        assert_eq!(powers, matrix(&[&[2.0, 4.0], &[8.0, 16.0]]));
        let squares = a.zip_broadcast(d, Op::Pow, &Array::scalar(2.0)).unwrap();
        assert_eq!(squares, matrix(&[&[1.0, 4.0], &[9.0, 16.0]]));
        assert_eq!(a.map_op(d, Op::Neg).unwrap().data(), &[-1.0, -2.0, -3.0, -4.0]);
        let e = a.plus(d, &vector(&[1.0, 2.0])).unwrap_err();
        assert_eq!(e.to_string(), "element-wise operator: sizes {2, 2} and {2} differ");
        let sum = broadcast(d, Op::Add, &[&Array::scalar(1.0), &vector(&[1.0, 2.0]), &Array::scalar(5.0)]);
        assert_eq!(sum.unwrap(), vector(&[7.0, 8.0]));
        assert_eq!(empty(&[3, 0]).plus(d, &empty(&[3, 0])).unwrap(), empty(&[3, 0]));
        assert!(empty(&[3, 0]).plus(d, &empty(&[0, 0])).is_err());
        assert_eq!(empty(&[0]).plus(d, &Array::scalar(1.0)).unwrap(), empty(&[0]));
    }

    #[test]
    fn products() {
        let d = &mut Numbers::detached();
        let a = matrix(&[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]]);
        let (x, y) = (vector(&[1.0, -1.0, 2.0]), vector(&[2.0, 3.0]));
        assert_eq!(x.product_with(d, &x).unwrap(), Array::scalar(6.0));
        assert_eq!(a.product_with(d, &x).unwrap(), vector(&[5.0, 11.0]));
        assert_eq!(y.product_with(d, &a).unwrap(), vector(&[14.0, 19.0, 24.0]));
        assert_eq!(
            a.product_with(d, &a.transpose().unwrap()).unwrap(),
            matrix(&[&[14.0, 32.0], &[32.0, 77.0]])
        );
        assert_eq!(Array::scalar(2.0).product_with(d, &y).unwrap(), vector(&[4.0, 6.0]));
        assert!(a.product_with(d, &y).is_err());
        assert!(a.product_with(d, &a).is_err());
        let cube = Array::filled(1.0, &[2, 2, 2]).unwrap();
        assert!(cube.product_with(d, &y).is_err());
        assert!(y.product_with(d, &cube).is_err());
    }

    #[test]
    fn products_of_empty_arrays() {
        let d = &mut Numbers::detached();
        let full = |n, m| Array::filled(1.0, &[n, m]).unwrap();
        assert_eq!(empty(&[0, 2]).product_with(d, &full(2, 3)).unwrap(), empty(&[0, 3]));
        assert_eq!(full(2, 3).product_with(d, &empty(&[3, 0])).unwrap(), empty(&[2, 0]));
        let zeros = empty(&[2, 0]).product_with(d, &empty(&[0, 3])).unwrap();
        assert_eq!(zeros, Array::filled(0.0, &[2, 3]).unwrap());
        assert_eq!(empty(&[0]).product_with(d, &empty(&[0])).unwrap(), Array::scalar(0.0));
        assert_eq!(empty(&[2, 0]).product_with(d, &empty(&[0])).unwrap(), vector(&[0.0, 0.0]));
    }

    #[test]
    fn powers_of_matrices() {
        let d = &mut Numbers::detached();
        let a = matrix(&[&[1.0, 1.0], &[1.0, 0.0]]);
        // Fibonacci numbers: {{F(n+1), F(n)}, {F(n), F(n-1)}}.
        assert_eq!(a.matrix_power(d, 10.0).unwrap(), matrix(&[&[89.0, 55.0], &[55.0, 34.0]]));
        assert_eq!(a.matrix_power(d, 7.0).unwrap(), matrix(&[&[21.0, 13.0], &[13.0, 8.0]]));
        assert_eq!(a.matrix_power(d, 1.0).unwrap(), a);
        assert_eq!(a.matrix_power(d, 0.0).unwrap(), matrix(&[&[1.0, 0.0], &[0.0, 1.0]]));
        assert!(a.matrix_power(d, -1.0).is_err());
        assert!(a.matrix_power(d, 0.5).is_err());
        assert!(matrix(&[&[1.0, 2.0]]).matrix_power(d, 2.0).is_err());
        assert_eq!(empty(&[0, 0]).matrix_power(d, 3.0).unwrap(), empty(&[0, 0]));
    }

    #[test]
    fn reductions() {
        let d = &mut Numbers::detached();
        let a = matrix(&[&[3.0, -2.0], &[5.0, 1.0]]);
        assert_eq!(a.sum(d).unwrap(), 7.0);
        assert_eq!(a.product(d).unwrap(), -30.0);
        assert_eq!(a.min(d, 9.0).unwrap(), -2.0);
        assert_eq!(a.max(d, 9.0).unwrap(), 5.0);
        let none = empty(&[0, 3]);
        assert_eq!(none.sum(d).unwrap(), 0.0);
        assert_eq!(none.product(d).unwrap(), 1.0);
        assert_eq!(none.min(d, f64::MAX).unwrap(), f64::MAX);
        assert_eq!(none.max(d, -f64::MAX).unwrap(), -f64::MAX);
    }

    #[test]
    fn ranges() {
        let d = &mut Numbers::detached();
        let mut r = |a: f64, s: Option<f64>, b: f64| range(d, a, s, b).map(Array::into_data);
        assert_eq!(r(1.0, None, 4.0).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(r(2.7, None, 6.8).unwrap().len(), 5);
        assert_eq!(r(2.7, None, 6.8).unwrap()[4], 6.7);
        assert_eq!(r(1.0, Some(2.0), 8.0).unwrap(), [1.0, 3.0, 5.0, 7.0]);
        assert_eq!(r(4.0, Some(-1.5), 0.0).unwrap(), [4.0, 2.5, 1.0]);
        assert_eq!(r(3.0, None, 3.0).unwrap(), [3.0]);
        assert!(r(3.0, None, 2.0).unwrap().is_empty());
        assert!(r(1.0, Some(-1.0), 2.0).unwrap().is_empty());
        assert_eq!(r(0.0, Some(0.1), 0.3).unwrap().len(), 4);
        assert!(r(0.0, Some(0.0), 1.0).is_err());
        assert!(r(0.0, Some(0.0), 0.0).is_err());
        assert!(r(0.0, Some(1e-300), 1.0).is_err());
        assert!(r(0.0, None, f64::NAN).is_err());
    }

    #[test]
    fn linspace_has_both_ends() {
        let d = &mut Numbers::detached();
        assert_eq!(linspace(d, 1.0, 3.0, 5.0).unwrap(), vector(&[1.0, 1.5, 2.0, 2.5, 3.0]));
        assert_eq!(linspace(d, 0.0, 0.7, 8.0).unwrap().data()[7], 0.7);
        assert_eq!(linspace(d, 1.0, 3.0, 2.0).unwrap(), vector(&[1.0, 3.0]));
        for bad in [1.0, 0.0, -2.0, 2.5] {
            assert!(linspace(d, 1.0, 3.0, bad).is_err());
        }
    }

    #[test]
    fn special_matrices() {
        let d = &mut Numbers::detached();
        assert_eq!(identity(d, 2).unwrap(), matrix(&[&[1.0, 0.0], &[0.0, 1.0]]));
        assert_eq!(identity(d, 0).unwrap(), empty(&[0, 0]));
        assert_eq!(vector(&[2.0, 3.0]).diagonal(d).unwrap(), matrix(&[&[2.0, 0.0], &[0.0, 3.0]]));
        assert!(identity(d, 2).unwrap().diagonal(d).is_err());
        assert_eq!(zeros(d, &[1, 2]).unwrap(), matrix(&[&[0.0, 0.0]]));
        let outer = vector(&[1.0, 2.0]).outer_product(d, &vector(&[3.0, 4.0, 5.0])).unwrap();
        assert_eq!(outer, matrix(&[&[3.0, 4.0, 5.0], &[6.0, 8.0, 10.0]]));
        assert_eq!(empty(&[0]).outer_product(d, &vector(&[1.0])).unwrap(), empty(&[0, 1]));
    }

    #[test]
    fn vectors_of_space() {
        let d = &mut Numbers::detached();
        let (x, y) = (vector(&[1.0, 2.0, 3.0]), vector(&[-4.0, 5.0, 6.0]));
        let cross = x.cross(d, &y).unwrap();
        assert_eq!(cross, vector(&[-3.0, -18.0, 13.0]));
        assert_eq!(x.skew(d).unwrap().product_with(d, &y).unwrap(), cross);
        assert!(x.cross(d, &vector(&[1.0, 2.0])).is_err());
        assert!(vector(&[1.0]).skew(d).is_err());
    }
}
