//! Plots as PNG, at twice the size of the SVG so that they stay sharp in documents: dark on white.
//!
//! Lines are drawn by `tiny-skia`; letters are the ready-made ones of `noto-sans-mono-bitmap`, so that no font has to be
//! found on the machine and the same plot is the same picture everywhere.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width};
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, PixmapMut, Stroke, StrokeDash, Transform};

use super::Plot;
use super::scene::{Anchor, Ink, Item, scene};
use super::svg::{COLORS, DASHES};

const SCALE: f64 = 2.0;
const HEIGHT: RasterHeight = RasterHeight::Size32;
const FRONT: &str = "#222222";
/// How much of its colour an area has, of 255.
const PALE: u8 = 56;

/// The picture as the bytes of a file.
pub fn write(plot: &Plot) -> Result<Vec<u8>, String> {
    let scene = scene(plot);
    let size = |v: f64| (v * SCALE).ceil().clamp(1.0, 20_000.0) as u32;
    let mut pixmap =
        Pixmap::new(size(scene.width), size(scene.height)).ok_or("the picture is too large for a PNG")?;
    pixmap.fill(Color::WHITE);
    for item in &scene.items {
        match item {
            Item::Line { points, ink, width } => line(&mut pixmap.as_mut(), points, *ink, *width),
            Item::Area { points, curve } => area(&mut pixmap.as_mut(), points, *curve),
            Item::Marks { at, top, bottom } => {
                for x in at {
                    line(&mut pixmap.as_mut(), &[(*x, *top), (*x, *bottom)], Ink::Event, 1.0);
                }
            }
            Item::Text { at, anchor, text, title } => letters(&mut pixmap, *at, *anchor, text, *title),
        }
    }
    pixmap.encode_png().map_err(|error| format!("the picture cannot be written: {error}"))
}

fn through(points: &[(f64, f64)]) -> PathBuilder {
    let mut builder = PathBuilder::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let (x, y) = ((x * SCALE) as f32, (y * SCALE) as f32);
        if i == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
    builder
}

fn area(pixmap: &mut PixmapMut, points: &[(f64, f64)], curve: usize) {
    let mut builder = through(points);
    builder.close();
    let Some(path) = builder.finish() else { return };
    let (red, green, blue) = rgb(COLORS[curve % COLORS.len()]);
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, PALE);
    paint.anti_alias = true;
    pixmap.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
}

fn line(pixmap: &mut PixmapMut, points: &[(f64, f64)], ink: Ink, width: f64) {
    // A single point has no length and is not drawn.
    let Some(path) = through(points).finish() else { return };
    let color = match ink {
        Ink::Front => FRONT,
        Ink::Grid => "#dddddd",
        Ink::Event => "#999999",
        Ink::Curve(i) => COLORS[i % COLORS.len()],
    };
    let (red, green, blue) = rgb(color);
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint.anti_alias = true;
    let dash = match ink {
        Ink::Event => StrokeDash::new(vec![4.0, 6.0], 0.0),
        Ink::Curve(i) => {
            let dashes = DASHES[i % DASHES.len()].iter().map(|d| (d * SCALE) as f32);
            StrokeDash::new(dashes.collect(), 0.0)
        }
        _ => None,
    };
    let stroke = Stroke { width: (width * SCALE) as f32, dash, ..Stroke::default() };
    pixmap.stroke_path(&path, &paint, &stroke, Transform::identity(), None);
}

/// `#rrggbb`
fn rgb(color: &str) -> (u8, u8, u8) {
    let part = |at: usize| color.get(at..at + 2).and_then(|h| u8::from_str_radix(h, 16).ok()).unwrap_or(0);
    (part(1), part(3), part(5))
}

fn letters(pixmap: &mut Pixmap, at: (f64, f64), anchor: Anchor, text: &str, title: bool) {
    let weight = if title { FontWeight::Bold } else { FontWeight::Regular };
    let width = get_raster_width(weight, HEIGHT);
    let total = (width * text.chars().count()) as f64;
    let left = at.0 * SCALE
        - match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => total / 2.0,
            Anchor::End => total,
        };
    let top = at.1 * SCALE - base_line(weight) as f64;
    for (i, c) in text.chars().enumerate() {
        if let Some(glyph) = glyph(c, weight) {
            stamp(pixmap, &glyph, left.round() as i64 + (i * width) as i64, top.round() as i64);
        }
    }
}

/// The picture of a character, or of one that stands for it.
fn glyph(c: char, weight: FontWeight) -> Option<RasterizedChar> {
    let like = match c {
        'Ω' => 'O',
        'μ' => 'µ',
        '−' => '-',
        c => c,
    };
    get_raster(like, weight, HEIGHT).or_else(|| get_raster('?', weight, HEIGHT))
}

/// The rows of a glyph above the base line: those of a letter that stands on it.
fn base_line(weight: FontWeight) -> usize {
    let lit = |row: &[u8]| row.iter().any(|p| *p > 127);
    let rows = get_raster('H', weight, HEIGHT).map(|g| g.rows().rposition(lit).unwrap_or(0));
    rows.unwrap_or(0) + 1
}

/// Darkens the picture where the glyph is.
fn stamp(pixmap: &mut Pixmap, glyph: &RasterizedChar, left: i64, top: i64) {
    let (red, green, blue) = rgb(FRONT);
    let (width, height) = (i64::from(pixmap.width()), i64::from(pixmap.height()));
    let data = pixmap.data_mut();
    for (dy, row) in glyph.rows().enumerate() {
        for (dx, strength) in row.iter().enumerate() {
            let (x, y) = (left + dx as i64, top + dy as i64);
            if *strength == 0 || !(0..width).contains(&x) || !(0..height).contains(&y) {
                continue;
            }
            let at = (y * width + x) as usize * 4;
            for (channel, ink) in data[at..at + 3].iter_mut().zip([red, green, blue]) {
                let s = u16::from(*strength);
                *channel = ((u16::from(*channel) * (255 - s) + u16::from(ink) * s) / 255) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{of, tests::ball};

    /// The picture has its size and the colours of what is in it, and is the same every time.
    #[test]
    fn the_picture_shows_curves_and_letters() {
        let plot = of(&ball(), "Ball", &["h".into(), "v".into()]).unwrap();
        let bytes = write(&plot).unwrap();
        assert_eq!(bytes, write(&plot).unwrap());
        let picture = Pixmap::decode_png(&bytes).unwrap();
        assert_eq!(picture.width(), 1520);
        let count = |color: &str| {
            let (r, g, b) = rgb(color);
            picture.pixels().iter().filter(|p| (p.red(), p.green(), p.blue()) == (r, g, b)).count()
        };
        assert!(count(COLORS[0]) > 500 && count(COLORS[1]) > 500 && count(FRONT) > 500);
        assert_eq!(count(COLORS[2]), 0);
    }
}
