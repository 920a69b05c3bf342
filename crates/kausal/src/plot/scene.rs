//! The layout of a picture: where lines, curves and texts are, whatever draws them.
//!
//! Panels stand one above the other on the same time axis, each under the names of its curves; the unit of a panel
//! stands at its vertical axis, the name of the horizontal axis below the last one. Events are thin vertical lines.

use super::axis::{Axis, axis};
use super::{Curve, Panel, Plot};

/// Size of the whole.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 20.0;
const HEAD: f64 = 32.0;
const FOOT: f64 = 48.0;
/// Height of the only panel, and of one of several.
const TALL: f64 = 316.0;
const SHORT: f64 = 180.0;
/// Height of a line of names, the space below a panel, the estimated width of a character.
const LINE: f64 = 20.0;
const GAP: f64 = 26.0;
const CHARACTER: f64 = 7.4;
/// More event lines than this would hide the curves: then events are marks of this height at the upper edge.
const EVENTS: usize = 60;
const MARK: f64 = 8.0;
/// Points closer than this are one.
const CLOSE: f64 = 0.5;
/// A point this close to the line between its neighbours is on it.
const STRAIGHT: f64 = 0.08;

/// The size of usual text.
pub const TEXT_SIZE: f64 = 13.0;

/// What a line or a text is for; how that looks is the drawer's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Text and axes.
    Front,
    /// Lines at ticks.
    Grid,
    /// Lines at events.
    Event,
    /// A curve, by its number.
    Curve(usize),
}

/// Where a text is anchored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At its beginning.
    Start,
    /// At its middle.
    Middle,
    /// At its end.
    End,
}

/// Something to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A line through points; `width` in pixels.
    Line {
        /// The points.
        points: Vec<(f64, f64)>,
        /// What for.
        ink: Ink,
        /// How wide.
        width: f64,
    },
    /// An area inside points, of the colour of a curve but pale.
    Area {
        /// The points around it.
        points: Vec<(f64, f64)>,
        /// The number of the curve.
        curve: usize,
    },
    /// Marks at events, where there are many: short vertical lines.
    Marks {
        /// Where each is.
        at: Vec<f64>,
        /// From where.
        top: f64,
        /// To where.
        bottom: f64,
    },
    /// A text on a base line.
    Text {
        /// Where.
        at: (f64, f64),
        /// Which end is there.
        anchor: Anchor,
        /// What it says.
        text: String,
        /// Larger and bold.
        title: bool,
    },
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// What to draw, in order.
    pub items: Vec<Item>,
}

/// Where a panel is drawn, and with which axes.
struct Frame {
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Frame {
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (place(x, &self.x, LEFT, WIDTH - RIGHT), place(y, &self.y, self.bottom, self.top))
    }
}

/// Lays a plot out.
pub fn scene(plot: &Plot) -> Scene {
    let mut items = vec![text((LEFT, 22.0), Anchor::Start, &plot.title, true)];
    let mut panels = plot.panels();
    if panels.is_empty() {
        panels.push(Panel { unit: String::new(), curves: Vec::new() });
    }
    let height = if panels.len() == 1 { TALL } else { SHORT };
    let mut top = HEAD;
    let count = panels.len();
    for (i, panel) in panels.iter().enumerate() {
        top = legend(&mut items, plot, panel, top);
        let curves = || panel.curves.iter().map(|c| &plot.curves[*c]);
        let frame = Frame {
            top,
            bottom: top + height,
            x: axis(plot.curves.iter().flat_map(|c| c.x.iter().copied()), true),
            y: axis(curves().flat_map(|c| c.y.iter().copied().chain(edges(c))), false),
        };
        draw_axes(&mut items, &frame, &panel.unit, i + 1 == count);
        draw_events(&mut items, &frame, &plot.events);
        for c in &panel.curves {
            let curve = &plot.curves[*c];
            for points in band(curve, &frame) {
                items.push(Item::Area { points, curve: *c });
            }
            for points in pieces(&curve.x, &curve.y, &frame) {
                items.push(line(points, Ink::Curve(*c), 1.8));
            }
        }
        top = frame.bottom + GAP;
    }
    let height = top - GAP + FOOT;
    items.push(text(((LEFT + WIDTH - RIGHT) / 2.0, height - 10.0), Anchor::Middle, &plot.x_label, false));
    Scene { width: WIDTH, height, items }
}

fn line(points: Vec<(f64, f64)>, ink: Ink, width: f64) -> Item {
    Item::Line { points, ink, width }
}

fn text(at: (f64, f64), anchor: Anchor, text: &str, title: bool) -> Item {
    Item::Text { at, anchor, text: text.to_owned(), title }
}

/// The names of a panel's curves, in as many lines as they need; where the panel may begin.
fn legend(items: &mut Vec<Item>, plot: &Plot, panel: &Panel, top: f64) -> f64 {
    let (mut x, mut y) = (LEFT, top + 12.0);
    for c in &panel.curves {
        let name = &plot.curves[*c].legend();
        let width = 34.0 + CHARACTER * name.chars().count() as f64;
        if x > LEFT && x + width > WIDTH - RIGHT {
            (x, y) = (LEFT, y + LINE);
        }
        items.push(line(vec![(x, y - 4.5), (x + 18.0, y - 4.5)], Ink::Curve(*c), 3.0));
        items.push(text((x + 23.0, y), Anchor::Start, name, false));
        x += width;
    }
    y + 12.0
}

fn draw_axes(items: &mut Vec<Item>, frame: &Frame, unit: &str, last: bool) {
    let right = WIDTH - RIGHT;
    for (value, label) in &frame.x.ticks {
        let (x, _) = frame.at(*value, frame.y.low);
        items.push(line(vec![(x, frame.top), (x, frame.bottom)], Ink::Grid, 1.0));
        if last {
            items.push(text((x, frame.bottom + 18.0), Anchor::Middle, label, false));
        }
    }
    for (value, label) in &frame.y.ticks {
        let (_, y) = frame.at(frame.x.low, *value);
        items.push(line(vec![(LEFT, y), (right, y)], Ink::Grid, 1.0));
        items.push(text((LEFT - 8.0, y + 4.5), Anchor::End, label, false));
    }
    let corner = vec![(LEFT, frame.top), (LEFT, frame.bottom), (right, frame.bottom)];
    items.push(line(corner, Ink::Front, 1.0));
    if !unit.is_empty() {
        items.push(text((LEFT - 8.0, frame.top - 12.0), Anchor::End, &format!("[{unit}]"), false));
    }
}

/// Lines at events, one a pixel at most; where there are many, marks along the upper edge.
fn draw_events(items: &mut Vec<Item>, frame: &Frame, events: &[f64]) {
    let mut places: Vec<f64> = events.iter().map(|event| frame.at(*event, frame.y.low).0.round()).collect();
    places.dedup();
    if places.len() > EVENTS {
        items.push(Item::Marks { at: places, top: frame.top, bottom: frame.top + MARK });
        return;
    }
    items.extend(places.into_iter().map(|x| line(vec![(x, frame.top), (x, frame.bottom)], Ink::Event, 1.0)));
}

/// The edges of a curve's band.
fn edges(curve: &Curve) -> impl Iterator<Item = f64> {
    curve.y.iter().zip(&curve.band).flat_map(|(y, off)| [y - off, y + off])
}

/// The band of a curve as areas: along its upper edge and back along the lower one. What is nowhere wider than a pixel is
/// hidden by the line, and left out.
fn band(curve: &Curve, frame: &Frame) -> Vec<Vec<(f64, f64)>> {
    let seen = |(y, off): (&f64, &f64)| {
        let (low, high) = (frame.at(frame.x.low, y - off).1, frame.at(frame.x.low, y + off).1);
        low - high > 1.0
    };
    if !curve.y.iter().zip(&curve.band).any(seen) {
        return Vec::new();
    }
    let edge =
        |sign: f64| -> Vec<f64> { curve.y.iter().zip(&curve.band).map(|(y, off)| y + sign * off).collect() };
    let (upper, lower) = (pieces(&curve.x, &edge(1.0), frame), pieces(&curve.x, &edge(-1.0), frame));
    let around = |(upper, lower): (Vec<(f64, f64)>, Vec<(f64, f64)>)| {
        upper.into_iter().chain(lower.into_iter().rev()).collect()
    };
    upper.into_iter().zip(lower).map(around).collect()
}

/// A curve as lines: gaps where a value is not finite, points closer than half a pixel left out.
fn pieces(xs: &[f64], ys: &[f64], frame: &Frame) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    let mut skipped: Option<(f64, f64)> = None;
    for (&x, &y) in xs.iter().zip(ys) {
        let current = pieces.len() - 1;
        if !x.is_finite() || !y.is_finite() {
            pieces[current].extend(skipped.take());
            if !pieces[current].is_empty() {
                pieces.push(Vec::new());
            }
            continue;
        }
        let point = frame.at(x, y);
        match pieces[current].last() {
            Some(last) if (point.0 - last.0).abs() < CLOSE && (point.1 - last.1).abs() < CLOSE => {
                skipped = Some(point);
            }
            _ => {
                skipped = None;
                pieces[current].push(point);
            }
        }
    }
    if let Some(last) = pieces.last_mut() {
        last.extend(skipped);
    }
    pieces.retain(|p| !p.is_empty());
    pieces.iter().map(|points| simplified(points)).collect()
}

/// The points that matter: what lies closer than a part of a pixel to the line between its neighbours is left out
/// (Douglas and Peucker's method, with a stack of stretches).
fn simplified(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept = vec![false; points.len()];
    if let Some(last) = points.len().checked_sub(1) {
        kept[0] = true;
        kept[last] = true;
        let mut stretches = vec![(0, last)];
        while let Some((from, to)) = stretches.pop() {
            let farthest = (from + 1..to)
                .map(|i| (distance(points[i], points[from], points[to]), i))
                .max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((far, at)) = farthest
                && far > STRAIGHT
            {
                kept[at] = true;
                stretches.push((from, at));
                stretches.push((at, to));
            }
        }
    }
    points.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// From a point to the line between two others.
fn distance(p: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return (p.0 - a.0).hypot(p.1 - a.1);
    }
    ((p.0 - a.0) * dy - (p.1 - a.1) * dx).abs() / length
}

fn place(value: f64, axis: &Axis, from: f64, to: f64) -> f64 {
    from + (value - axis.low) / (axis.high - axis.low) * (to - from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{of, tests::ball};

    #[test]
    fn everything_is_inside_and_units_are_at_the_axes() {
        let names: Vec<String> = ["h", "v", "e"].map(String::from).to_vec();
        let scene = scene(&of(&ball(), "Ball", &names).unwrap());
        let mut texts = Vec::new();
        for item in &scene.items {
            let points = match item {
                Item::Line { points, .. } | Item::Area { points, .. } => points.clone(),
                Item::Text { at, text, .. } => {
                    texts.push(text.as_str());
                    vec![*at]
                }
                Item::Marks { at, top, bottom } => {
                    at.iter().flat_map(|x| [(*x, *top), (*x, *bottom)]).collect()
                }
            };
            for (x, y) in points {
                assert!((0.0..=scene.width).contains(&x) && (0.0..=scene.height).contains(&y), "{item:?}");
            }
        }
        for wanted in ["[m]", "[m/s]", "time [s]", "Ball", "h", "v", "e"] {
            assert!(texts.contains(&wanted), "{wanted}");
        }
        let events = scene.items.iter().filter(|i| matches!(i, Item::Line { ink: Ink::Event, .. })).count();
        assert_eq!(events, 3);
    }

    /// Few events are lines from top to bottom, many are marks: one for each pixel that has some.
    #[test]
    fn many_events_do_not_hide_the_curves() {
        let with = |n: usize| {
            let mut plot = of(&ball(), "Ball", &["h".into()]).unwrap();
            plot.events = (0..n).map(|i| i as f64 / n as f64).collect();
            scene(&plot).items
        };
        let is_line = |item: &&Item| matches!(item, Item::Line { ink: Ink::Event, .. });
        assert_eq!(with(20).iter().filter(is_line).count(), 20);
        let many = with(5000);
        assert_eq!(many.iter().filter(is_line).count(), 0);
        let marks = many.iter().find_map(|item| match item {
            Item::Marks { at, top, bottom } => Some((at.len(), bottom - top)),
            _ => None,
        });
        let (count, height) = marks.expect("marks");
        assert!(count > 500 && count < 700 && height == MARK, "{count}");
    }

    /// A straight line is two points, a corner three; a circle stays round.
    #[test]
    fn points_on_a_line_are_left_out() {
        let line: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), 2.0 * f64::from(i))).collect();
        assert_eq!(simplified(&line), [line[0], line[99]]);
        let corner: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), f64::from((i - 40).max(0)))).collect();
        assert_eq!(simplified(&corner), [corner[0], corner[40], corner[99]]);
        let circle: Vec<(f64, f64)> = (0..1000)
            .map(|i| (f64::from(i) / 100.0).sin_cos())
            .map(|(x, y)| (100.0 * x, 100.0 * y))
            .collect();
        let few = simplified(&circle);
        assert!(few.len() < 250 && few.len() > 60, "{}", few.len());
        assert_eq!(simplified(&[]), []);
    }

    /// A band is an area around its curve and inside the axes; one that the line hides is only said.
    #[test]
    fn bands_are_drawn_where_they_are_seen() {
        let with = |off: f64| {
            let mut plot = of(&ball(), "Ball", &["h".into()]).unwrap();
            plot.curves[0].band = vec![off; 4];
            scene(&plot)
        };
        let areas = |scene: &Scene| {
            let is_area = |item: &&Item| matches!(item, Item::Area { .. });
            scene.items.iter().filter(is_area).cloned().collect::<Vec<_>>()
        };
        let wide = with(0.5);
        let [Item::Area { points, curve: 0 }] = &areas(&wide)[..] else { panic!("an area") };
        // Three places of the curve, above it and below.
        assert!(points.len() == 6 && points.iter().all(|(_, y)| *y > HEAD && *y < wide.height - FOOT + 1.0));
        let narrow = with(1e-6);
        assert!(areas(&narrow).is_empty());
        let said = |item: &Item| matches!(item, Item::Text { text, .. } if text == "h ± 1.0e-6");
        assert!(narrow.items.iter().any(said));
    }

    #[test]
    fn what_is_not_finite_is_a_gap() {
        let curve = Curve {
            name: "x".into(),
            unit: String::new(),
            x: vec![0.0, 1.0, 2.0, 3.0, 4.0],
            y: vec![0.0, 1.0, f64::NAN, 1.0, 0.0],
            band: Vec::new(),
        };
        let scene = scene(&Plot { curves: vec![curve], ..Plot::default() });
        let pieces = scene
            .items
            .iter()
            .filter(|i| matches!(i, Item::Line { ink: Ink::Curve(_), width, .. } if *width < 2.0));
        assert_eq!(pieces.count(), 2);
    }
}
