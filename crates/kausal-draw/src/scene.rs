//! What is to be seen: outlines, texts and pictures in the coordinates of the drawing, in the order they are painted.
//!
//! All transformations are already applied; lengths are millimetres (the unit of the specification).

use crate::geometry::{Bounds, Point, Segment, Transform};

/// Red, green, blue.
pub type Color = [u8; 3];

/// A drawing.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The full name of the class.
    pub title: String,
    /// The corners of the coordinate system.
    pub extent: [Point; 2],
    /// What is painted, in order.
    pub items: Vec<Item>,
    /// What could not be drawn as it is written.
    pub notes: Vec<String>,
}

/// Something painted.
#[derive(Clone, Debug)]
pub enum Item {
    /// An outline, filled or not.
    Shape(Shape),
    /// A text.
    Text(Text),
    /// A bitmap or a vector picture.
    Picture(Picture),
    /// A component or a connection with all that belongs to it.
    Group(Group),
}

/// What belongs together.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The path of the component from the class that is drawn, or the connectors of a connection: `a.p b.n`.
    pub name: String,
    /// The full name of its class; empty for a connection.
    pub class: String,
    /// It does not exist with the values its parameters have.
    pub disabled: bool,
    /// What it is made of.
    pub items: Vec<Item>,
}

/// An outline.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Where it runs.
    pub outline: Vec<Segment>,
    /// Its line.
    pub stroke: Option<Stroke>,
    /// What it is filled with.
    pub fill: Fill,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub color: Color,
    /// Its width.
    pub width: f64,
    /// Its pattern.
    pub pattern: LinePattern,
}

/// Line patterns that can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePattern {
    /// A plain line.
    Solid,
    /// `- - -`
    Dash,
    /// `. . .`
    Dot,
    /// `- . -`
    DashDot,
    /// `- . . -`
    DashDotDot,
}

/// What an outline is filled with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// Nothing.
    None,
    /// One colour.
    Solid(Color),
    /// Lines over a colour.
    Hatch {
        /// Where they run.
        kind: Hatch,
        /// The colour of the lines.
        line: Color,
        /// The colour below them.
        below: Color,
    },
    /// From the line colour at the rim to the fill colour in the middle.
    Gradient {
        /// Along one direction or around a centre.
        kind: Gradient,
        /// The colour at the rim.
        rim: Color,
        /// The colour in the middle.
        centre: Color,
        /// Maps the square from (-1, -1) to (1, 1) to the box of the shape.
        place: Transform,
    },
}

/// Directions of hatches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hatch {
    /// `-`
    Horizontal,
    /// `|`
    Vertical,
    /// `+`
    Cross,
    /// `/`
    Forward,
    /// `\`
    Backward,
    /// `x`
    CrossDiag,
}

/// Kinds of gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// A cylinder with a horizontal axis: changes along y.
    Horizontal,
    /// A cylinder with a vertical axis: changes along x.
    Vertical,
    /// A sphere.
    Sphere,
}

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At its left end.
    Start,
    /// In the middle.
    Middle,
    /// At its right end.
    End,
}

/// A text of one or more lines.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its lines.
    pub lines: Vec<String>,
    /// Where its middle line is held.
    pub at: Point,
    /// Counter-clockwise, in degrees.
    pub angle: f64,
    /// The size of the font.
    pub size: f64,
    /// Where it is held.
    pub anchor: Anchor,
    /// Its colour.
    pub color: Color,
    /// `Bold`
    pub bold: bool,
    /// `Italic`
    pub italic: bool,
    /// `UnderLine`
    pub underline: bool,
    /// A font the class asks for; empty for the usual one.
    pub font: String,
    /// How wide its longest line is.
    pub width: f64,
}

/// A bitmap or vector picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The kind of its data, as in `image/png`.
    pub kind: &'static str,
    /// Its data.
    pub data: std::sync::Arc<[u8]>,
    /// Maps the unit square, y up, to where it is.
    pub place: Transform,
}

/// The distance of lines of text, in sizes of the font.
pub const LINE: f64 = 1.2;

impl Item {
    /// Makes room for what it covers.
    pub fn cover(&self, bounds: &mut Bounds) {
        match self {
            Item::Shape(shape) => {
                let half = shape.stroke.map_or(0.0, |s| s.width / 2.0);
                for p in shape.outline.iter().flat_map(|s| s.points()) {
                    bounds.add([p[0] - half, p[1] - half]);
                    bounds.add([p[0] + half, p[1] + half]);
                }
            }
            Item::Text(text) => {
                let turn = Transform::rotate(text.angle).then(Transform::shift(text.at));
                let (from, to) = match text.anchor {
                    Anchor::Start => (0.0, text.width),
                    Anchor::Middle => (-text.width / 2.0, text.width / 2.0),
                    Anchor::End => (-text.width, 0.0),
                };
                let half = text.size * LINE * text.lines.len() as f64 / 2.0;
                for p in [[from, -half], [to, -half], [from, half], [to, half]] {
                    bounds.add(turn.apply(p));
                }
            }
            Item::Picture(picture) => {
                for p in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
                    bounds.add(picture.place.apply(p));
                }
            }
            Item::Group(group) => group.items.iter().for_each(|i| i.cover(bounds)),
        }
    }
}

impl Scene {
    /// The box around the coordinate system and all that is drawn.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::default();
        self.extent.iter().for_each(|&p| bounds.add(p));
        self.items.iter().for_each(|i| i.cover(&mut bounds));
        bounds
    }
}
