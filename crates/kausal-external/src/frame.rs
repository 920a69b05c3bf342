//! The arguments and results of one call, with checked access.

use kausal_symbolic::function::{Array, ExternalCall, ExternalError, Text, Value};
use serde::{Deserialize, Serialize};

/// A result of something inside a function.
pub(crate) type Outcome<T> = Result<T, ExternalError>;

/// One call. Arguments count from 0. Results start as the arguments' old values.
pub(crate) struct Frame<'a> {
    call: &'a ExternalCall<'a>,
    result: Option<Value<f64>>,
    new: Vec<Option<Value<f64>>>,
}

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Matrix {
    pub rows: usize,
    pub cols: usize,
    pub data: Vec<f64>,
}

/// The function failed with this message.
pub(crate) fn failed<T>(message: impl Into<String>) -> Outcome<T> {
    Err(ExternalError::Failed(message.into()))
}

impl<'a> Frame<'a> {
    pub fn new(call: &'a ExternalCall<'a>) -> Frame<'a> {
        Frame { call, result: None, new: vec![None; call.args.len()] }
    }

    /// The foreign name.
    pub fn name(&self) -> &'a str {
        &self.call.body.name
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.call.args.len()
    }

    /// What the declaration expects: the result, then every written argument.
    pub fn finish(self) -> Outcome<Vec<Value<f64>>> {
        let mut values = Vec::new();
        if self.call.body.result.is_some() {
            match self.result {
                Some(value) => values.push(value),
                None => return failed(format!("{} has no result", self.call.body.name)),
            }
        }
        for (arg, new) in self.call.args.iter().zip(self.new) {
            if arg.written {
                values.push(new.unwrap_or_else(|| arg.value.clone()));
            }
        }
        Ok(values)
    }

    fn wrong<T>(&self, i: usize, needs: &str) -> Outcome<T> {
        failed(format!("argument {} of {} must be {needs}", i + 1, self.name()))
    }

    fn value(&self, i: usize) -> Outcome<&'a Value<f64>> {
        match self.call.args.get(i) {
            Some(arg) => Ok(&arg.value),
            None => failed(format!("{} is called with {} arguments only", self.name(), self.call.args.len())),
        }
    }

    pub fn text(&self, i: usize) -> Outcome<&'a str> {
        match self.value(i)?.as_text().ok().and_then(Text::known) {
            Some(text) => Ok(text),
            None => self.wrong(i, "a string"),
        }
    }

    /// A string, or nothing if the argument is not one.
    pub fn maybe_text(&self, i: usize) -> Option<&'a str> {
        self.value(i).ok()?.as_text().ok()?.known()
    }

    pub fn number(&self, i: usize) -> Outcome<f64> {
        match self.value(i)?.as_scalar() {
            Ok(value) => Ok(value),
            Err(_) => self.wrong(i, "a number"),
        }
    }

    pub fn integer(&self, i: usize) -> Outcome<i64> {
        let value = self.number(i)?;
        if value.fract() == 0.0 && value.abs() <= 9e15 {
            Ok(value as i64)
        } else {
            self.wrong(i, "an integer")
        }
    }

    pub fn boolean(&self, i: usize) -> Outcome<bool> {
        Ok(self.number(i)? != 0.0)
    }

    /// A size or a position.
    pub fn count(&self, i: usize) -> Outcome<usize> {
        match usize::try_from(self.integer(i)?) {
            Ok(count) => Ok(count),
            Err(_) => self.wrong(i, "a size"),
        }
    }

    /// All numbers of an argument, row by row.
    pub fn numbers(&self, i: usize) -> Outcome<&'a [f64]> {
        match self.value(i)? {
            Value::Text(_) => self.wrong(i, "an array of numbers"),
            value => Ok(value.scalars()),
        }
    }

    /// A matrix; a vector is a column.
    pub fn matrix(&self, i: usize) -> Outcome<Matrix> {
        let data = self.numbers(i)?.to_vec();
        match *self.value(i)?.shape() {
            [] => Ok(Matrix { rows: 1, cols: 1, data }),
            [rows] => Ok(Matrix { rows, cols: 1, data }),
            [rows, cols] => Ok(Matrix { rows, cols, data }),
            _ => self.wrong(i, "a matrix"),
        }
    }

    /// A square matrix.
    pub fn square(&self, i: usize) -> Outcome<Matrix> {
        let matrix = self.matrix(i)?;
        if matrix.rows == matrix.cols { Ok(matrix) } else { self.wrong(i, "a square matrix") }
    }

    /// The sizes of an argument.
    pub fn shape(&self, i: usize) -> Outcome<&'a [usize]> {
        Ok(self.value(i)?.shape())
    }

    /// Gives an argument a new value.
    pub fn set(&mut self, i: usize, value: Value<f64>) {
        if let Some(slot) = self.new.get_mut(i) {
            *slot = Some(value);
        }
    }

    pub fn set_number(&mut self, i: usize, value: f64) {
        self.set(i, Value::Scalar(value));
    }

    /// Gives an argument new numbers; its sizes stay. Missing numbers are zero, and superfluous ones are dropped: foreign
    /// code gets work space that is larger than needed.
    pub fn set_numbers(&mut self, i: usize, mut data: Vec<f64>) -> Outcome<()> {
        let shape = self.value(i)?.shape();
        let count = shape.iter().product();
        data.resize(count, 0.0);
        match Array::from_vec(shape, data) {
            Ok(array) => self.set(i, Value::from(array)),
            Err(error) => return failed(error.to_string()),
        }
        Ok(())
    }

    /// Gives a matrix argument new elements in its upper left part; the rest keeps its value.
    pub fn set_matrix(&mut self, i: usize, matrix: &Matrix) -> Outcome<()> {
        let mut whole = self.matrix(i)?;
        for r in 0..matrix.rows.min(whole.rows) {
            for c in 0..matrix.cols.min(whole.cols) {
                whole[(r, c)] = matrix[(r, c)];
            }
        }
        self.set_numbers(i, whole.data)
    }

    /// Gives the result.
    pub fn give(&mut self, value: Value<f64>) -> Outcome<()> {
        self.result = Some(value);
        Ok(())
    }

    pub fn give_number(&mut self, value: f64) -> Outcome<()> {
        self.give(Value::Scalar(value))
    }

    pub fn give_text(&mut self, text: &str) -> Outcome<()> {
        self.give(Value::text(text))
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (r, c): (usize, usize)) -> &f64 {
        &self.data[r * self.cols + c]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut f64 {
        &mut self.data[r * self.cols + c]
    }
}

impl Matrix {
    pub fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, data: vec![0.0; rows * cols] }
    }

    pub fn identity(n: usize) -> Matrix {
        let mut matrix = Matrix::zeros(n, n);
        for i in 0..n {
            matrix[(i, i)] = 1.0;
        }
        matrix
    }

    pub fn transpose(&self) -> Matrix {
        let mut out = Matrix::zeros(self.cols, self.rows);
        for r in 0..self.rows {
            for c in 0..self.cols {
                out[(c, r)] = self[(r, c)];
            }
        }
        out
    }

    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(self.rows, other.cols);
        for r in 0..self.rows {
            for k in 0..self.cols.min(other.rows) {
                for c in 0..other.cols {
                    out[(r, c)] += self[(r, k)] * other[(k, c)];
                }
            }
        }
        out
    }

    /// The largest sum of a column's absolute values.
    pub fn norm_1(&self) -> f64 {
        (0..self.cols).map(|c| (0..self.rows).map(|r| self[(r, c)].abs()).sum()).fold(0.0, f64::max)
    }
}
