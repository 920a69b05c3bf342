//! Lines at right angles between two connectors: each leaves its component on the side where it is.

use crate::Point;

/// The side of its component that a connector is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Towards smaller x.
    Left,
    /// Towards larger x.
    Right,
    /// Towards larger y.
    Top,
    /// Towards smaller y.
    Bottom,
}

impl Side {
    /// The side of a component with its middle at the origin and this size that a point is on.
    pub fn of(at: Point, half: Point) -> Side {
        let x = at[0] / half[0].abs().max(1e-9);
        let y = at[1] / half[1].abs().max(1e-9);
        match x.abs() >= y.abs() {
            true if x < 0.0 => Side::Left,
            true => Side::Right,
            false if y > 0.0 => Side::Top,
            false => Side::Bottom,
        }
    }

    fn outward(self) -> Point {
        match self {
            Side::Left => [-1.0, 0.0],
            Side::Right => [1.0, 0.0],
            Side::Top => [0.0, 1.0],
            Side::Bottom => [0.0, -1.0],
        }
    }
}

/// How far a line goes on before it turns, in millimetres: a step of the usual grid of diagrams, and half of the usual size of a component.
const STUB: f64 = 10.0;

/// A line from one connector to another; the fewest corners, then the shortest of those that leave and arrive outwards.
pub fn route(a: Point, from: Side, b: Point, to: Side) -> Vec<Point> {
    let out = |p: Point, side: Side| {
        let d = side.outward();
        [p[0] + STUB * d[0], p[1] + STUB * d[1]]
    };
    let (c, d) = (out(a, from), out(b, to));
    let middle = [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
    let candidates: Vec<Vec<Point>> = vec![
        vec![a, b],
        vec![a, [b[0], a[1]], b],
        vec![a, [a[0], b[1]], b],
        vec![a, [middle[0], a[1]], [middle[0], b[1]], b],
        vec![a, [a[0], middle[1]], [b[0], middle[1]], b],
        vec![a, [c[0], a[1]], [c[0], b[1]], b],
        vec![a, [d[0], a[1]], [d[0], b[1]], b],
        vec![a, [a[0], c[1]], [b[0], c[1]], b],
        vec![a, [a[0], d[1]], [b[0], d[1]], b],
        vec![a, c, [d[0], c[1]], d, b],
        vec![a, c, [c[0], d[1]], d, b],
        vec![a, c, [c[0], middle[1]], [d[0], middle[1]], d, b],
        vec![a, c, [middle[0], c[1]], [middle[0], d[1]], d, b],
    ];
    let fits = |line: &[Point]| {
        let straight = line.windows(2).all(|w| w[0][0] == w[1][0] || w[0][1] == w[1][1]);
        straight && leaves(line[0], line[1], from) && leaves(line[line.len() - 1], line[line.len() - 2], to)
    };
    let length = |line: &[Point]| {
        line.windows(2).map(|w| (w[1][0] - w[0][0]).abs() + (w[1][1] - w[0][1]).abs()).sum::<f64>()
    };
    let mut found: Vec<Vec<Point>> =
        candidates.into_iter().map(simple).filter(|l| l.len() > 1 && fits(l)).collect();
    found.sort_by(|x, y| x.len().cmp(&y.len()).then(length(x).total_cmp(&length(y))));
    found.into_iter().next().unwrap_or_else(|| simple(vec![a, c, [c[0], d[1]], d, b]))
}

fn leaves(at: Point, next: Point, side: Side) -> bool {
    let d = side.outward();
    (next[0] - at[0]) * d[0] + (next[1] - at[1]) * d[1] > 0.0
}

/// Without points that are no corners.
pub fn simple(line: Vec<Point>) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::with_capacity(line.len());
    for p in line {
        if out.last() == Some(&p) {
            continue;
        }
        if let [.., a, b] = out[..]
            && (a[0] == b[0] && b[0] == p[0] || a[1] == b[1] && b[1] == p[1])
            && (p[0] - b[0]) * (b[0] - a[0]) + (p[1] - b[1]) * (b[1] - a[1]) > 0.0
        {
            out.pop();
        }
        out.push(p);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_leave_outwards() {
        use Side::{Bottom, Left, Right, Top};
        assert_eq!(route([10.0, 0.0], Right, [30.0, 0.0], Left), [[10.0, 0.0], [30.0, 0.0]]);
        let step = [[10.0, 0.0], [20.0, 0.0], [20.0, 20.0], [30.0, 20.0]];
        assert_eq!(route([10.0, 0.0], Right, [30.0, 20.0], Left), step);
        assert_eq!(route([0.0, 0.0], Right, [20.0, 20.0], Bottom), [[0.0, 0.0], [20.0, 0.0], [20.0, 20.0]]);
        for from in [Left, Right, Top, Bottom] {
            for to in [Left, Right, Top, Bottom] {
                for b in [[40.0, 30.0], [-40.0, 30.0], [40.0, 0.0], [0.0, -30.0], [3.0, 2.0]] {
                    let line = route([0.0, 0.0], from, b, to);
                    assert_eq!((line[0], line[line.len() - 1]), ([0.0, 0.0], b));
                    let straight = line.windows(2).all(|w| w[0][0] == w[1][0] || w[0][1] == w[1][1]);
                    assert!(straight && leaves(line[0], line[1], from), "{from:?} {to:?} {b:?} {line:?}");
                    assert!(leaves(b, line[line.len() - 2], to), "{from:?} {to:?} {b:?} {line:?}");
                }
            }
        }
    }
}
