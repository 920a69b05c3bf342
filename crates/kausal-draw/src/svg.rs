//! A scene as SVG 1.1: plain shapes and texts, no scripts, nothing from elsewhere.
//!
//! The view box is in millimetres with y down. Components and connections are groups with `data-name` and `data-class`.

use std::fmt::Write;

use base64::Engine;

use crate::font;
use crate::geometry::{Point, Segment, Transform};
use crate::scene::{
    Anchor, Color, Fill, Gradient, Group, Hatch, Item, LINE, LinePattern, Picture, Scene, Shape, Stroke, Text,
};

/// How wide the picture is by itself, in CSS pixels.
pub const WIDTH: f64 = 800.0;
/// What is left free around a drawing, in parts of its larger side.
const MARGIN: f64 = 0.01;

/// The scene as an SVG file.
pub fn write(scene: &Scene) -> String {
    let bounds = scene.bounds();
    let margin = MARGIN * (bounds.high[0] - bounds.low[0]).max(bounds.high[1] - bounds.low[1]);
    let (x1, y2) = (bounds.low[0] - margin, bounds.high[1] + margin);
    let (w, h) = (bounds.high[0] + margin - x1, y2 - (bounds.low[1] - margin));
    let scale = WIDTH / w.max(h);
    let mut writer = Writer {
        out: String::new(),
        definitions: String::new(),
        fills: Vec::new(),
        down: Transform([1.0, 0.0, 0.0, -1.0, -x1, y2]),
        named: false,
    };
    writer.items(&scene.items);
    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{}" height="{}" viewBox="0 0 {} {}" font-family="{FAMILY}" stroke-linejoin="round" stroke-linecap="round">"#,
        number(w * scale),
        number(h * scale),
        number(w),
        number(h)
    );
    let _ = writeln!(out, "<title>{}</title>", escape(&scene.title));
    if !writer.definitions.is_empty() {
        let _ = writeln!(out, "<defs>\n{}</defs>", writer.definitions);
    }
    let _ = writeln!(out, r##"<rect width="100%" height="100%" fill="#fff"/>"##);
    out.push_str(&writer.out);
    out.push_str("</svg>\n");
    out
}

/// Items as a part of an SVG picture: the origin is where `center` is, y down. Groups are taken apart, and what is defined has a
/// name of its content, so that parts of many pictures stand in one.
pub fn fragment(items: &[Item], center: Point) -> String {
    let mut writer = Writer {
        out: String::new(),
        definitions: String::new(),
        fills: Vec::new(),
        down: Transform([1.0, 0.0, 0.0, -1.0, -center[0], center[1]]),
        named: true,
    };
    writer.items(items);
    match writer.definitions.is_empty() {
        true => writer.out,
        false => format!("<defs>{}</defs>{}", writer.definitions, writer.out),
    }
}

/// Fonts with one set of metrics.
pub const FAMILY: &str = "Liberation Sans, Arial, Helvetica, sans-serif";

struct Writer {
    out: String,
    definitions: String,
    /// Patterns and gradients written so far.
    fills: Vec<(Fill, usize)>,
    down: Transform,
    /// What is defined is named by its content, and groups are taken apart.
    named: bool,
}

impl Writer {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Shape(shape) => self.shape(shape),
                Item::Text(text) => self.text(text),
                Item::Picture(picture) => self.picture(picture),
                Item::Group(group) => self.group(group),
            }
        }
    }

    fn group(&mut self, group: &Group) {
        if self.named {
            return self.items(&group.items);
        }
        let _ = write!(self.out, r#"<g data-name="{}""#, escape(&group.name));
        if !group.class.is_empty() {
            let _ = write!(self.out, r#" data-class="{}""#, escape(&group.class));
        }
        if group.disabled {
            self.out.push_str(r#" opacity="0.3""#);
        }
        self.out.push_str(">\n");
        self.items(&group.items);
        self.out.push_str("</g>\n");
    }

    fn shape(&mut self, shape: &Shape) {
        self.out.push_str("<path d=\"");
        for &segment in &shape.outline {
            self.segment(segment.map(self.down));
        }
        self.out.push('"');
        match shape.fill {
            Fill::None => self.out.push_str(r#" fill="none""#),
            Fill::Solid(color) => {
                let _ = write!(self.out, r#" fill="{}""#, hex(color));
            }
            fill => {
                let id = self.definition(fill);
                let _ = write!(self.out, r#" fill="url(#{id})""#);
            }
        }
        if let Some(stroke) = shape.stroke {
            self.stroke(stroke);
        }
        self.out.push_str("/>\n");
    }

    fn stroke(&mut self, stroke: Stroke) {
        let _ =
            write!(self.out, r#" stroke="{}" stroke-width="{}""#, hex(stroke.color), number(stroke.width));
        let u = stroke.width.max(LEAST_DASH);
        let dashes: &[f64] = match stroke.pattern {
            LinePattern::Solid => return,
            LinePattern::Dash => &[4.0, 3.0],
            LinePattern::Dot => &[0.2, 2.5],
            LinePattern::DashDot => &[4.0, 2.5, 0.2, 2.5],
            LinePattern::DashDotDot => &[4.0, 2.5, 0.2, 2.5, 0.2, 2.5],
        };
        let words: Vec<String> = dashes.iter().map(|d| number(d * u)).collect();
        let _ = write!(self.out, r#" stroke-dasharray="{}""#, words.join(" "));
    }

    fn segment(&mut self, segment: Segment) {
        let mut piece = |letter: char, points: &[Point]| {
            self.out.push(letter);
            for (i, p) in points.iter().enumerate() {
                if i > 0 {
                    self.out.push(' ');
                }
                let _ = write!(self.out, "{} {}", number(p[0]), number(p[1]));
            }
        };
        match segment {
            Segment::Move(p) => piece('M', &[p]),
            Segment::Line(p) => piece('L', &[p]),
            Segment::Quadratic(c, p) => piece('Q', &[c, p]),
            Segment::Cubic(c, d, p) => piece('C', &[c, d, p]),
            Segment::Close => self.out.push('Z'),
        }
    }

    /// The number of a pattern or gradient, written once.
    fn definition(&mut self, fill: Fill) -> String {
        let known = self.fills.iter().find(|(f, _)| *f == fill).map(|(_, id)| *id);
        let id = known.unwrap_or(self.fills.len());
        let id = match self.named {
            false => format!("f{id}"),
            true => {
                use std::hash::{Hash, Hasher};
                let mut hasher = std::hash::DefaultHasher::new();
                let place = match fill {
                    Fill::Gradient { place, .. } => matrix(place.then(self.down)),
                    _ => String::new(),
                };
                let fill = match fill {
                    Fill::Gradient { kind, rim, centre, .. } => {
                        Fill::Gradient { kind, rim, centre, place: Transform::IDENTITY }
                    }
                    other => other,
                };
                (format!("{fill:?}"), place).hash(&mut hasher);
                format!("f{:x}", hasher.finish())
            }
        };
        if known.is_some() {
            return id;
        }
        self.fills.push((fill, self.fills.len()));
        let out = &mut self.definitions;
        match fill {
            Fill::Gradient { kind, rim, centre, place } => {
                let place = matrix(place.then(self.down));
                let (rim, centre) = (hex(rim), hex(centre));
                let _ = match kind {
                    Gradient::Sphere => writeln!(
                        out,
                        r#"<radialGradient id="{id}" gradientUnits="userSpaceOnUse" cx="0" cy="0" r="1" gradientTransform="{place}"><stop offset="0" stop-color="{centre}"/><stop offset="1" stop-color="{rim}"/></radialGradient>"#
                    ),
                    Gradient::Horizontal | Gradient::Vertical => {
                        let along = if kind == Gradient::Horizontal {
                            r#"x1="0" y1="-1" x2="0" y2="1""#
                        } else {
                            r#"x1="-1" y1="0" x2="1" y2="0""#
                        };
                        writeln!(
                            out,
                            r#"<linearGradient id="{id}" gradientUnits="userSpaceOnUse" {along} gradientTransform="{place}"><stop offset="0" stop-color="{rim}"/><stop offset="0.5" stop-color="{centre}"/><stop offset="1" stop-color="{rim}"/></linearGradient>"#
                        )
                    }
                };
            }
            Fill::Hatch { kind, line, below } => {
                let s = HATCH;
                let (line, below) = (hex(line), hex(below));
                let d = match kind {
                    Hatch::Horizontal => format!("M0 {0}H{s}", s / 2.0),
                    Hatch::Vertical => format!("M{0} 0V{s}", s / 2.0),
                    Hatch::Cross => format!("M0 {0}H{s}M{0} 0V{s}", s / 2.0),
                    Hatch::Forward => format!("M0 {s}L{s} 0"),
                    Hatch::Backward => format!("M0 0L{s} {s}"),
                    Hatch::CrossDiag => format!("M0 0L{s} {s}M0 {s}L{s} 0"),
                };
                let _ = writeln!(
                    out,
                    r#"<pattern id="{id}" patternUnits="userSpaceOnUse" width="{s}" height="{s}"><rect width="{s}" height="{s}" fill="{below}"/><path d="{d}" stroke="{line}" stroke-width="0.2" fill="none"/></pattern>"#
                );
            }
            Fill::None | Fill::Solid(_) => {}
        }
        id
    }

    fn text(&mut self, text: &Text) {
        /// From the middle of a line to its base line, in sizes of the font: half the height of a capital letter.
        const BASE: f64 = 0.36;
        let at = self.down.apply(text.at);
        let _ = write!(self.out, r#"<text font-size="{}" fill="{}""#, number(text.size), hex(text.color));
        match text.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.out.push_str(r#" text-anchor="middle""#),
            Anchor::End => self.out.push_str(r#" text-anchor="end""#),
        }
        if text.bold {
            self.out.push_str(r#" font-weight="bold""#);
        }
        if text.italic {
            self.out.push_str(r#" font-style="italic""#);
        }
        if text.underline {
            self.out.push_str(r#" text-decoration="underline""#);
        }
        if !text.font.is_empty() {
            let _ = write!(self.out, r#" font-family="{}, {FAMILY}""#, escape(&text.font));
        }
        if text.angle == 0.0 {
            let _ = write!(self.out, r#" transform="translate({} {})""#, number(at[0]), number(at[1]));
        } else {
            let (x, y) = (number(at[0]), number(at[1]));
            let _ = write!(self.out, r#" transform="translate({x} {y}) rotate({})""#, number(-text.angle));
        }
        self.out.push_str(r#" xml:space="preserve">"#);
        let first = BASE - LINE * (text.lines.len() as f64 - 1.0) / 2.0;
        for (i, line) in text.lines.iter().enumerate() {
            let y = (first + LINE * i as f64) * text.size;
            let _ = write!(self.out, r#"<tspan x="0" y="{}""#, number(y));
            // A file is seen with the fonts of its reader: texts stay as wide as they were measured. The page brings the font.
            if !self.named && line.chars().nth(1).is_some() {
                let width = font::width(line, text.bold) * text.size;
                let _ =
                    write!(self.out, r#" textLength="{}" lengthAdjust="spacingAndGlyphs""#, number(width));
            }
            let _ = write!(self.out, ">{}</tspan>", escape(line));
        }
        self.out.push_str("</text>\n");
    }

    fn picture(&mut self, picture: &Picture) {
        // Pictures have y down, the unit square has it up.
        let upright = Transform([1.0, 0.0, 0.0, -1.0, 0.0, 1.0]);
        let place = matrix(upright.then(picture.place).then(self.down));
        let data = base64::engine::general_purpose::STANDARD.encode(&picture.data);
        let _ = writeln!(
            self.out,
            r#"<image width="1" height="1" preserveAspectRatio="none" transform="{place}" xlink:href="data:{};base64,{data}"/>"#,
            picture.kind
        );
    }
}

/// The least unit of dashes, in millimetres.
const LEAST_DASH: f64 = 0.4;
/// The distance of hatch lines, in millimetres.
const HATCH: f64 = 3.0;

fn hex([r, g, b]: Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A number with three digits behind the point at most.
fn number(x: f64) -> String {
    let mut text = format!("{x:.3}");
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if text == "-0" { "0".to_owned() } else { text }
}

fn matrix(t: Transform) -> String {
    let words: Vec<String> = t.0.iter().map(|x| format!("{}", (x * 1e6).round() / 1e6)).collect();
    format!("matrix({})", words.join(" "))
}

/// Text that is safe between tags and in attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not allowed in XML 1.0.
            c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => {}
            c => out.push(c),
        }
    }
    out
}
