//! How wide texts are: the advance widths of the fonts that pictures are drawn with.
//!
//! Liberation Sans has the metrics of Arial and Helvetica, so a text is as wide in a browser as it is here.

use std::sync::OnceLock;

use kausal_pack::Packed;
use ttf_parser::Face;

/// Liberation Sans (SIL Open Font License 1.1, see `fonts/LICENSE`).
pub static REGULAR: Packed =
    Packed::new(include_bytes!(concat!(env!("OUT_DIR"), "/LiberationSans-Regular.ttf")));
/// Its bold cut.
pub static BOLD: Packed = Packed::new(include_bytes!(concat!(env!("OUT_DIR"), "/LiberationSans-Bold.ttf")));

fn face(bold: bool) -> Option<&'static Face<'static>> {
    static FACES: OnceLock<[Option<Face<'static>>; 2]> = OnceLock::new();
    let faces =
        FACES.get_or_init(|| [Face::parse(REGULAR.bytes(), 0).ok(), Face::parse(BOLD.bytes(), 0).ok()]);
    faces[usize::from(bold)].as_ref()
}

/// The width of a line of text in sizes of the font.
pub fn width(text: &str, bold: bool) -> f64 {
    /// What a character takes that the font does not have.
    const UNKNOWN: f64 = 0.6;
    let Some(face) = face(bold) else { return UNKNOWN * text.chars().count() as f64 };
    let em = f64::from(face.units_per_em());
    let advance = |c: char| {
        let glyph = face.glyph_index(c).and_then(|g| face.glyph_hor_advance(g));
        glyph.map_or(UNKNOWN, |units| f64::from(units) / em)
    };
    text.chars().map(advance).sum()
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn widths_are_those_of_arial() {
        // Advance widths of Arial: `i` 455, `W` 1933 of 2048 units.
        assert!((width("i", false) - 455.0 / 2048.0).abs() < 1e-9);
        assert!((width("W", false) - 1933.0 / 2048.0).abs() < 1e-9);
        assert!(width("Wort", true) > width("Wort", false));
    }
}
