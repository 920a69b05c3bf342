//! `Bitmap` (specification section 18.6.5.6): pictures from files of libraries or from the annotation itself.

use std::sync::Arc;

use base64::Engine;

use crate::attributes::Attributes;
use crate::geometry::{Point, Transform};
use crate::graphics::Canvas;
use crate::scene::{Item, Picture};

/// Draws a bitmap: scaled uniformly into its extent, centred, flipped where the extent is.
pub fn bitmap(
    canvas: &mut Canvas<'_, '_>,
    attributes: &Attributes,
    transform: Transform,
    out: &mut Vec<Item>,
) {
    let at = canvas.at;
    let Some(extent) = attributes.extent(canvas.view, "extent", at) else { return };
    let name = attributes.text(canvas.view, "fileName", at).filter(|name| !name.is_empty());
    let data = match attributes.text(canvas.view, "imageSource", at).filter(|s| !s.is_empty()) {
        Some(source) => decode(&source),
        None => name.as_deref().and_then(|name| (canvas.files)(canvas.view, name)),
    };
    let what = name.as_deref().unwrap_or("a picture in the text");
    let Some(data) = data else {
        canvas.notes.push(format!("{what} cannot be read"));
        return;
    };
    let Some((kind, size)) = format(&data) else {
        canvas.notes.push(format!("{what} is no PNG, JPEG, SVG, GIF or BMP file"));
        return;
    };
    let place = fitted(extent, size).then(transform);
    out.push(Item::Picture(Picture { kind, data: Arc::from(data), place }));
}

/// Maps the unit square to where a picture of this size touches the extent from inside.
fn fitted(extent: [Point; 2], size: Point) -> Transform {
    let (w, h) = (extent[1][0] - extent[0][0], extent[1][1] - extent[0][1]);
    let factor = (w.abs() / size[0]).min(h.abs() / size[1]);
    let half = [size[0] * factor / 2.0 * w.signum(), size[1] * factor / 2.0 * h.signum()];
    let c = [(extent[0][0] + extent[1][0]) / 2.0, (extent[0][1] + extent[1][1]) / 2.0];
    let to = [[c[0] - half[0], c[1] - half[1]], [c[0] + half[0], c[1] + half[1]]];
    Transform::between([[0.0, 0.0], [1.0, 1.0]], to)
}

/// The kind of a picture and its size, from its first bytes.
fn format(data: &[u8]) -> Option<(&'static str, Point)> {
    let be = |at: usize| Some(f64::from(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?)));
    let le = |at: usize| Some(f64::from(i32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?)).abs());
    let le16 = |at: usize| Some(f64::from(u16::from_le_bytes(data.get(at..at + 2)?.try_into().ok()?)));
    let (kind, size) = if data.starts_with(b"\x89PNG\r\n\x1a\n") {
        ("image/png", [be(16)?, be(20)?])
    } else if data.starts_with(b"\xff\xd8") {
        ("image/jpeg", jpeg_size(data)?)
    } else if data.starts_with(b"GIF8") {
        ("image/gif", [le16(6)?, le16(8)?])
    } else if data.starts_with(b"BM") {
        ("image/bmp", [le(18)?, le(22)?])
    } else {
        let tree = resvg::usvg::Tree::from_data(data, &crate::png::options(false)).ok()?;
        ("image/svg+xml", [f64::from(tree.size().width()), f64::from(tree.size().height())])
    };
    (size[0] > 0.0 && size[1] > 0.0).then_some((kind, size))
}

/// The kind of a picture, as in `image/png`.
pub fn kind(data: &[u8]) -> Option<&'static str> {
    format(data).map(|(kind, _)| kind)
}

/// The size in the frame header of a JPEG file (ITU-T T.81, B.2.2).
fn jpeg_size(data: &[u8]) -> Option<Point> {
    let mut at = 2;
    loop {
        let (marker, kind) = (*data.get(at)?, *data.get(at + 1)?);
        if marker != 0xff {
            return None;
        }
        let word = |at: usize| Some(u16::from_be_bytes(data.get(at..at + 2)?.try_into().ok()?));
        if matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc) {
            return Some([f64::from(word(at + 7)?), f64::from(word(at + 5)?)]);
        }
        at += 2 + usize::from(word(at + 2)?);
    }
}

/// Decodes Base64 (RFC 4648, section 4); blanks are left out.
fn decode(text: &str) -> Option<Vec<u8>> {
    let plain: String = text.split_whitespace().collect();
    base64::engine::general_purpose::STANDARD.decode(plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_centred_and_keep_their_shape() {
        // 2 by 1 in a square from (0, 0) to (10, 10), flipped sideways.
        let t = fitted([[10.0, 0.0], [0.0, 10.0]], [2.0, 1.0]);
        assert_eq!(t.apply([0.0, 0.0]), [10.0, 2.5]);
        assert_eq!(t.apply([1.0, 1.0]), [0.0, 7.5]);
    }

    #[test]
    fn sizes_are_read_from_the_first_bytes() {
        let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 0, 0, 7, 0, 0, 0, 9]].concat();
        assert_eq!(format(&png), Some(("image/png", [7.0, 9.0])));
        // A picture must not lead to files of the machine.
        let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"><image href="/etc/passwd"/></svg>"#;
        assert_eq!(format(svg), Some(("image/svg+xml", [4.0, 3.0])));
        assert_eq!(format(b"nothing of the kind"), None);
    }
}
