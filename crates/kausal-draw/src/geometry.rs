//! Points, affine maps, boxes and outlines. The y axis of drawings points up; the scene turns it once.

/// A point: x to the right, y up.
pub type Point = [f64; 2];

/// `x' = a x + c y + e`, `y' = b x + d y + f`, in the order of SVG.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform(pub [f64; 6]);

impl Transform {
    /// Leaves everything where it is.
    pub const IDENTITY: Transform = Transform([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First `self`, then `outer`.
    pub fn then(self, outer: Transform) -> Transform {
        let [a, b, c, d, e, f] = self.0;
        let [x, y] = [outer.linear([a, b]), outer.linear([c, d])];
        let o = outer.apply([e, f]);
        Transform([x[0], x[1], y[0], y[1], o[0], o[1]])
    }

    /// Moves by a vector.
    pub fn shift(by: Point) -> Transform {
        Transform([1.0, 0.0, 0.0, 1.0, by[0], by[1]])
    }

    /// Turns counter-clockwise around the origin by degrees.
    pub fn rotate(degrees: f64) -> Transform {
        // Quarter turns are exact.
        let (s, c) = match degrees.rem_euclid(360.0) {
            0.0 => (0.0, 1.0),
            90.0 => (1.0, 0.0),
            180.0 => (0.0, -1.0),
            270.0 => (-1.0, 0.0),
            d => d.to_radians().sin_cos(),
        };
        Transform([c, s, -s, c, 0.0, 0.0])
    }

    /// Maps the corners of one box to those of another, which may be flipped.
    pub fn between(from: [Point; 2], to: [Point; 2]) -> Transform {
        let factor = |i: usize| {
            let size = from[1][i] - from[0][i];
            if size == 0.0 { 0.0 } else { (to[1][i] - to[0][i]) / size }
        };
        let (sx, sy) = (factor(0), factor(1));
        Transform([sx, 0.0, 0.0, sy, to[0][0] - sx * from[0][0], to[0][1] - sy * from[0][1]])
    }

    /// Where a point goes.
    pub fn apply(self, p: Point) -> Point {
        let l = self.linear(p);
        [l[0] + self.0[4], l[1] + self.0[5]]
    }

    /// Where a vector goes.
    pub fn linear(self, p: Point) -> Point {
        let [a, b, c, d, ..] = self.0;
        [a * p[0] + c * p[1], b * p[0] + d * p[1]]
    }

    /// By how much lengths grow, on the average of both directions.
    pub fn scale(self) -> f64 {
        let [a, b, c, d, ..] = self.0;
        (a * d - b * c).abs().sqrt()
    }
}

/// The smallest box around points; empty at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub low: Point,
    /// The greatest coordinates.
    pub high: Point,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] }
    }
}

impl Bounds {
    /// Makes room for a point.
    pub fn add(&mut self, p: Point) {
        for ((low, high), x) in self.low.iter_mut().zip(&mut self.high).zip(p) {
            if x.is_finite() {
                *low = low.min(x);
                *high = high.max(x);
            }
        }
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        !(self.low[0] <= self.high[0] && self.low[1] <= self.high[1])
    }
}

/// A piece of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// Begin here.
    Move(Point),
    /// A straight line to here.
    Line(Point),
    /// A quadratic Bézier curve: control point, end.
    Quadratic(Point, Point),
    /// A cubic Bézier curve: control points, end.
    Cubic(Point, Point, Point),
    /// Back to the beginning.
    Close,
}

impl Segment {
    /// The same piece elsewhere.
    pub fn map(self, t: Transform) -> Segment {
        match self {
            Segment::Move(p) => Segment::Move(t.apply(p)),
            Segment::Line(p) => Segment::Line(t.apply(p)),
            Segment::Quadratic(c, p) => Segment::Quadratic(t.apply(c), t.apply(p)),
            Segment::Cubic(c, d, p) => Segment::Cubic(t.apply(c), t.apply(d), t.apply(p)),
            Segment::Close => Segment::Close,
        }
    }

    /// The points it is made of.
    pub fn points(self) -> impl Iterator<Item = Point> {
        let list = match self {
            Segment::Move(p) | Segment::Line(p) => [Some(p), None, None],
            Segment::Quadratic(c, p) => [Some(c), Some(p), None],
            Segment::Cubic(c, d, p) => [Some(c), Some(d), Some(p)],
            Segment::Close => [None; 3],
        };
        list.into_iter().flatten()
    }
}

/// A line through points; `Bezier` makes quadratic curves between the middles of its pieces (section 18.6.1.2).
pub fn polyline(points: &[Point], smooth: bool) -> Vec<Segment> {
    let Some((&first, rest)) = points.split_first() else { return Vec::new() };
    let mut out = vec![Segment::Move(first)];
    if !smooth || points.len() < 3 {
        out.extend(rest.iter().map(|&p| Segment::Line(p)));
        return out;
    }
    out.push(Segment::Line(middle(points[0], points[1])));
    for w in points.windows(3) {
        out.push(Segment::Quadratic(w[1], middle(w[1], w[2])));
    }
    out.push(Segment::Line(points[points.len() - 1]));
    out
}

/// The outline of a polygon. A smooth one that does not end where it begins is rounded there, too.
pub fn polygon(points: &[Point], smooth: bool) -> Vec<Segment> {
    let mut points = points.to_vec();
    if points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    let n = points.len();
    if !smooth || n < 3 {
        let mut out = polyline(&points, false);
        out.push(Segment::Close);
        return out;
    }
    let mut out = vec![Segment::Move(middle(points[n - 1], points[0]))];
    for i in 0..n {
        out.push(Segment::Quadratic(points[i], middle(points[i], points[(i + 1) % n])));
    }
    out.push(Segment::Close);
    out
}

/// A rectangle with round corners.
pub fn rectangle(extent: [Point; 2], radius: f64) -> Vec<Segment> {
    let (x1, x2) = (extent[0][0].min(extent[1][0]), extent[0][0].max(extent[1][0]));
    let (y1, y2) = (extent[0][1].min(extent[1][1]), extent[0][1].max(extent[1][1]));
    let r = radius.min((x2 - x1) / 2.0).min((y2 - y1) / 2.0).max(0.0);
    use Segment::{Close, Cubic, Line, Move};
    if r == 0.0 {
        return vec![Move([x1, y1]), Line([x2, y1]), Line([x2, y2]), Line([x1, y2]), Close];
    }
    let k = r * (1.0 - KAPPA);
    vec![
        Move([x1 + r, y1]),
        Line([x2 - r, y1]),
        Cubic([x2 - k, y1], [x2, y1 + k], [x2, y1 + r]),
        Line([x2, y2 - r]),
        Cubic([x2, y2 - k], [x2 - k, y2], [x2 - r, y2]),
        Line([x1 + r, y2]),
        Cubic([x1 + k, y2], [x1, y2 - k], [x1, y2 - r]),
        Line([x1, y1 + r]),
        Cubic([x1, y1 + k], [x1 + k, y1], [x1 + r, y1]),
        Close,
    ]
}

/// The distance of the control points that makes a cubic curve a quarter of a unit circle: 4/3 (√2 − 1).
const KAPPA: f64 = 0.552_284_749_830_793_4;

/// How the ends of an arc are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    /// Not at all.
    None,
    /// By a straight line.
    Chord,
    /// Through the centre.
    Radial,
}

/// An ellipse or a part of it, counter-clockwise, angles in degrees before the stretch (section 18.6.5.4).
pub fn ellipse(extent: [Point; 2], start: f64, end: f64, closure: Closure) -> Vec<Segment> {
    let centre = middle(extent[0], extent[1]);
    let radius = [(extent[1][0] - extent[0][0]).abs() / 2.0, (extent[1][1] - extent[0][1]).abs() / 2.0];
    let on = |angle: f64| [centre[0] + radius[0] * angle.cos(), centre[1] + radius[1] * angle.sin()];
    let along = |angle: f64, by: f64| {
        let p = on(angle);
        [p[0] - by * radius[0] * angle.sin(), p[1] + by * radius[1] * angle.cos()]
    };
    let whole = (end - start).abs() >= 360.0;
    let (from, mut to) = (start.to_radians(), end.to_radians());
    if to < from {
        to += std::f64::consts::TAU * ((from - to) / std::f64::consts::TAU).ceil();
    }
    if whole {
        to = from + std::f64::consts::TAU;
    }
    let pieces = ((to - from) / std::f64::consts::FRAC_PI_2).ceil().max(1.0);
    let step = (to - from) / pieces;
    let reach = 4.0 / 3.0 * (step / 4.0).tan();
    let mut out = vec![Segment::Move(on(from))];
    for i in 0..pieces as usize {
        let (a, b) = (from + step * i as f64, from + step * (i + 1) as f64);
        out.push(Segment::Cubic(along(a, reach), along(b, -reach), on(b)));
    }
    match closure {
        Closure::None => {}
        Closure::Radial if !whole => out.extend([Segment::Line(centre), Segment::Close]),
        Closure::Radial | Closure::Chord => out.push(Segment::Close),
    }
    out
}

/// The point between two.
pub fn middle(a: Point, b: Point) -> Point {
    [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_applied_in_the_order_of_the_specification() {
        // extent, rotation, origin: the corner (100, 100) of an icon goes to (10, 10), turns to (-10, 10), moves by (5, 0).
        let extent = [[-100.0, -100.0], [100.0, 100.0]];
        let t = Transform::between(extent, [[-10.0, -10.0], [10.0, 10.0]])
            .then(Transform::rotate(90.0))
            .then(Transform::shift([5.0, 0.0]));
        assert_eq!(t.apply([100.0, 100.0]), [-5.0, 10.0]);
    }

    #[test]
    fn a_flipped_extent_mirrors() {
        let t = Transform::between([[-100.0, -100.0], [100.0, 100.0]], [[10.0, -10.0], [-10.0, 10.0]]);
        assert_eq!(t.apply([100.0, 50.0]), [-10.0, 5.0]);
    }

    #[test]
    fn an_arc_stays_on_its_ellipse() {
        // x²/9 + y²/4 = 1 for the ends of all pieces.
        for s in ellipse([[-3.0, -2.0], [3.0, 2.0]], 30.0, 300.0, Closure::None) {
            let p = match s {
                Segment::Move(p) | Segment::Cubic(_, _, p) => p,
                other => panic!("{other:?}"),
            };
            assert!((p[0] * p[0] / 9.0 + p[1] * p[1] / 4.0 - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn smooth_lines_follow_the_figure_of_the_specification() {
        let p = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [4.0, 2.0]];
        let expected = [
            Segment::Move([0.0, 0.0]),
            Segment::Line([1.0, 0.0]),
            Segment::Quadratic([2.0, 0.0], [2.0, 1.0]),
            Segment::Quadratic([2.0, 2.0], [3.0, 2.0]),
            Segment::Line([4.0, 2.0]),
        ];
        assert_eq!(polyline(&p, true), expected);
    }
}
