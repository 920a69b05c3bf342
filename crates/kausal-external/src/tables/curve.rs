//! Curves: columns of values over one abscissa.

use serde::{Deserialize, Serialize};

use super::{Extrapolation, Jet, Smoothness, interval, nearly_equal, outside, slopes, wrap};
use crate::frame::{Matrix, Outcome, failed};

/// A table over one abscissa.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Curve {
    /// The abscissas, increasing.
    pub x: Vec<f64>,
    columns: Vec<Column>,
    pub smoothness: Smoothness,
    pub extrapolation: Extrapolation,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Column {
    y: Vec<f64>,
    /// Slopes at the points of a smooth curve.
    slopes: Option<Vec<f64>>,
}

/// Where on a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// In the interval with this number.
    Inside(usize, f64),
    /// Before the first point.
    Left(f64),
    /// After the last point.
    Right(f64),
}

impl Curve {
    /// From the table and the numbers (from 1) of the columns that are looked up. Points may repeat in a table over time that is
    /// not smooth.
    pub fn new(
        table: &Matrix,
        columns: &[usize],
        smoothness: Smoothness,
        extrapolation: Extrapolation,
        over_time: bool,
    ) -> Outcome<Curve> {
        let (rows, cols) = (table.rows, table.cols);
        if rows < 1 || cols < 2 {
            return failed(format!("a table of size {rows} x {cols} cannot be interpolated"));
        }
        let x: Vec<f64> = (0..rows).map(|r| table[(r, 0)]).collect();
        let steps = over_time && matches!(smoothness, Smoothness::Linear | Smoothness::Constant);
        let rises = |pair: &[f64]| if steps { pair[0] <= pair[1] } else { pair[0] < pair[1] };
        if let Some(at) = x.windows(2).position(|pair| !rises(pair)) {
            let how = if steps { "decreases" } else { "does not increase" };
            return failed(format!("the first column of the table {how} from {} to {}", x[at], x[at + 1]));
        }
        if extrapolation == Extrapolation::Periodic && rows > 1 && x[rows - 1] <= x[0] {
            return failed("a periodic table needs a positive period");
        }
        let smoothness = match smoothness {
            Smoothness::Constant => Smoothness::Constant,
            _ if rows <= 2 => Smoothness::Linear,
            other => other,
        };
        let mut columns_ = Vec::with_capacity(columns.len());
        for &column in columns {
            if column < 1 || column > cols {
                return failed(format!("there is no column {column} in a table of size {rows} x {cols}"));
            }
            let y: Vec<f64> = (0..rows).map(|r| table[(r, column - 1)]).collect();
            let slopes = slopes::slopes(smoothness, &x, &y);
            columns_.push(Column { y, slopes });
        }
        Ok(Curve { x, columns: columns_, smoothness, extrapolation })
    }

    /// The first and last abscissa.
    pub fn range(&self) -> (f64, f64) {
        (self.x[0], self.x[self.x.len() - 1])
    }

    /// Value and derivatives of a column, counted from 1.
    pub fn value(&self, column: usize, u: f64) -> Outcome<Jet> {
        let place = self.place(u)?;
        self.at(column, place)
    }

    fn place(&self, u: f64) -> Outcome<Place> {
        let range = self.range();
        let inside = |u| Place::Inside(interval(&self.x, u), u);
        match self.extrapolation {
            _ if self.x.len() == 1 => Ok(Place::Inside(0, u)),
            Extrapolation::Periodic => Ok(inside(wrap(range, u))),
            Extrapolation::None if u < range.0 || u > range.1 => outside("u", u, range),
            _ if u < range.0 => Ok(Place::Left(u)),
            _ if u > range.1 => Ok(Place::Right(u)),
            _ => Ok(inside(u)),
        }
    }

    /// Value and derivatives of a column, counted from 1.
    pub fn at(&self, column: usize, place: Place) -> Outcome<Jet> {
        let Some(column) = column.checked_sub(1).and_then(|c| self.columns.get(c)) else {
            return failed(format!("the table has no output {column}"));
        };
        let last = self.x.len() - 1;
        if last == 0 {
            return Ok([column.y[0], 0.0, 0.0]);
        }
        Ok(match place {
            Place::Inside(i, u) => self.inside(column, i, u),
            Place::Left(_) | Place::Right(_) if self.extrapolation == Extrapolation::Hold => {
                [if matches!(place, Place::Left(_)) { column.y[0] } else { column.y[last] }, 0.0, 0.0]
            }
            Place::Left(u) => self.line(column, 0, 0, u),
            Place::Right(u) => self.line(column, last, last - 1, u),
        })
    }

    fn inside(&self, column: &Column, i: usize, u: f64) -> Jet {
        let (x0, x1, y0, y1) = (self.x[i], self.x[i + 1], column.y[i], column.y[i + 1]);
        if self.smoothness == Smoothness::Constant {
            return [if u >= x1 { y1 } else { y0 }, 0.0, 0.0];
        }
        if nearly_equal(x0, x1) {
            return [y1, 0.0, 0.0];
        }
        match &column.slopes {
            None => [y0 + (y1 - y0) * (u - x0) / (x1 - x0), (y1 - y0) / (x1 - x0), 0.0],
            Some(slopes) => cubic(x1 - x0, [y0, y1], [slopes[i], slopes[i + 1]], u - x0),
        }
    }

    /// The straight line that continues the curve beyond a point; the interval is the nearest one.
    fn line(&self, column: &Column, point: usize, i: usize, u: f64) -> Jet {
        let slope = match &column.slopes {
            Some(slopes) => slopes[point],
            None if nearly_equal(self.x[i], self.x[i + 1]) => 0.0,
            None => (column.y[i + 1] - column.y[i]) / (self.x[i + 1] - self.x[i]),
        };
        [column.y[point] + slope * (u - self.x[point]), slope, 0.0]
    }
}

/// The cubic with these values and slopes at the ends of an interval, `v` after its beginning.
pub(crate) fn cubic(width: f64, [y0, y1]: [f64; 2], [s0, s1]: [f64; 2], v: f64) -> Jet {
    let secant = (y1 - y0) / width;
    let c2 = (3.0 * secant - 2.0 * s0 - s1) / width;
    let c3 = (s0 + s1 - 2.0 * secant) / (width * width);
    [y0 + ((c3 * v + c2) * v + s0) * v, (3.0 * c3 * v + 2.0 * c2) * v + s0, 6.0 * c3 * v + 2.0 * c2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::rows;

    fn curve(smoothness: Smoothness, extrapolation: Extrapolation) -> Curve {
        // y = x^2: Akima's curve is the parabola itself, as its slopes are exact there.
        let table = rows(&[[0.0, 0.0], [1.0, 1.0], [2.0, 4.0], [3.0, 9.0]]);
        Curve::new(&table, &[2], smoothness, extrapolation, false).unwrap()
    }

    fn value(c: &Curve, u: f64) -> Jet {
        c.value(1, u).unwrap()
    }

    #[test]
    fn segments_and_extrapolation() {
        use Extrapolation as E;
        use Smoothness as S;
        // From the documentation of CombiTable1Ds: table of squares, u = 1 gives 1, 1.5 gives 2.5, 5 gives 19 (on the last line).
        let c = curve(S::Linear, E::Linear);
        assert_eq!(value(&c, 1.0), [1.0, 3.0, 0.0]);
        assert_eq!(value(&c, 1.5), [2.5, 3.0, 0.0]);
        assert_eq!(value(&c, 5.0), [19.0, 5.0, 0.0]);
        assert_eq!(value(&c, -1.0), [-1.0, 1.0, 0.0]);
        let c = curve(S::Linear, E::Hold);
        assert_eq!(value(&c, 5.0), [9.0, 0.0, 0.0]);
        assert_eq!(value(&c, -5.0), [0.0, 0.0, 0.0]);
        let c = curve(S::Linear, E::Periodic);
        assert_eq!(value(&c, 4.5)[0], 2.5);
        assert_eq!(value(&c, -1.5)[0], 2.5);
        assert_eq!(value(&c, 3.0)[0], 9.0);
        let c = curve(S::Linear, E::None);
        assert!(c.value(1, 3.1).is_err() && c.value(1, -0.1).is_err());
        assert_eq!(value(&c, 3.0)[0], 9.0);
        let c = curve(S::Constant, E::Linear);
        assert_eq!(
            [value(&c, 1.0)[0], value(&c, 1.99)[0], value(&c, 2.0)[0], value(&c, 3.0)[0]],
            [1.0, 1.0, 4.0, 9.0]
        );
        assert_eq!(value(&c, 4.0)[0], 14.0);
    }

    #[test]
    fn smooth_curves() {
        use Extrapolation as E;
        use Smoothness as S;
        let c = curve(S::Akima, E::Linear);
        for u in [0.0, 0.3, 1.0, 1.7, 2.5, 3.0] {
            let jet = value(&c, u);
            let exact = [u * u, 2.0 * u, 2.0];
            assert!(jet.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-12), "{u}: {jet:?}");
        }
        // Outside along the tangent.
        assert_eq!(value(&c, 5.0), [9.0 + 6.0 * 2.0, 6.0, 0.0]);
        for kind in [S::Akima, S::ModifiedAkima, S::FritschButland, S::Steffen] {
            let table = rows(&[[0.0, 0.0], [1.0, 0.1], [2.5, 0.2], [3.0, 5.0], [4.0, 4.0], [6.0, 4.0]]);
            let c = Curve::new(&table, &[2], kind, E::Linear, false).unwrap();
            for r in 0..table.rows {
                let x = table[(r, 0)];
                let (left, right) = (value(&c, x - 1e-9), value(&c, x + 1e-9));
                assert!((value(&c, x)[0] - table[(r, 1)]).abs() < 1e-12);
                // Continuous with its slope; curvature is below 100, so 2e-9 apart gives less than 1e-6.
                assert!(
                    (left[0] - right[0]).abs() < 1e-6 && (left[1] - right[1]).abs() < 1e-6,
                    "{kind:?} at {x}"
                );
            }
            let slope = |u: f64| (value(&c, u + 1e-6)[0] - value(&c, u - 1e-6)[0]) / 2e-6;
            assert!((slope(2.7) - value(&c, 2.7)[1]).abs() < 1e-5);
        }
    }

    #[test]
    fn wrong_tables() {
        let new = |t: &Matrix, cols: &[usize], over_time| {
            Curve::new(t, cols, Smoothness::Linear, Extrapolation::Linear, over_time)
        };
        let twice = rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
        assert!(new(&twice, &[2], false).is_err());
        assert!(new(&twice, &[2], true).is_ok());
        assert!(new(&twice, &[3], true).is_err());
        assert!(new(&Matrix::zeros(0, 2), &[2], true).is_err());
        let one = new(&rows(&[[0.0, 7.0]]), &[2], false).unwrap();
        assert_eq!(one.value(1, 5.0).unwrap(), [7.0, 0.0, 0.0]);
        assert!(one.value(2, 5.0).is_err());
    }
}
