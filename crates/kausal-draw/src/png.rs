//! A drawing as a bitmap: resvg with the embedded fonts, so that a picture is the same on every machine.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree, fontdb};

use crate::font;

/// The larger side of a picture in pixels.
pub const SIZE: u32 = 1600;

/// An SVG drawing as a PNG file; `None` if it is none or has no size.
pub fn render(svg: &str) -> Option<Vec<u8>> {
    let tree = Tree::from_str(svg, &options(true)).ok()?;
    let (w, h) = (tree.size().width(), tree.size().height());
    let scale = SIZE as f32 / w.max(h);
    let mut pixmap = Pixmap::new((w * scale).ceil() as u32, (h * scale).ceil() as u32)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().ok()
}

/// How SVG is read: nothing is loaded from files or addresses.
pub(crate) fn options(with_fonts: bool) -> Options<'static> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let mut options = Options {
        font_family: "Liberation Sans".to_owned(),
        image_href_resolver: ImageHrefResolver {
            resolve_data: ImageHrefResolver::default_data_resolver(),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    if with_fonts {
        let fonts = FONTS.get_or_init(|| {
            let mut fonts = fontdb::Database::new();
            fonts.load_font_data(font::REGULAR.bytes().to_vec());
            fonts.load_font_data(font::BOLD.bytes().to_vec());
            fonts.set_sans_serif_family("Liberation Sans");
            fonts.set_serif_family("Liberation Sans");
            fonts.set_monospace_family("Liberation Sans");
            Arc::new(fonts)
        });
        options.fontdb = fonts.clone();
    }
    options
}
