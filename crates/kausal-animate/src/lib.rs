//! # kausal-animate: shapes that move, as one page for the browser
//!
//! Positions, directions and sizes of shapes at instants go in, a page comes out: three.js draws it, uPlot shows signals
//! beside it with a cursor at the time of the picture. The page needs nothing from elsewhere, and its security policy allows
//! nothing.
//!
//! The script is bundled from npm when the crate is built (`build.rs`, versions in `page/package-lock.json`). Where Node is
//! missing then, [`page`] gives `None`.

pub mod mesh;

use base64::Engine;
use kausal_pack::Packed;
use serde::Serialize;

/// A shape by the rules of `Modelica.Mechanics.MultiBody.Visualizers.Advanced.Shape`.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its path.
    pub name: String,
    /// `box`, `cylinder`, …
    pub kind: String,
    /// Of a shape from a file: which one of [`Animation::meshes`]. Its size scales it where `extra` is 1.
    pub mesh: Option<usize>,
    /// x, y, z of its origin.
    pub position: Channel,
    /// The quaternion x, y, z, w that turns its axes (length, width, height) to those of the world.
    pub rotation: Channel,
    /// Length, width, height, extra.
    pub size: Channel,
    /// Red, green, blue from 0 to 255.
    pub color: Channel,
}

/// Values over time: one row for each instant, or a single one for what never changes.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// Numbers in a row.
    pub width: usize,
    /// The rows.
    pub data: Vec<f32>,
}

impl Channel {
    /// Rows that are all equal become one.
    pub fn new(width: usize, mut data: Vec<f32>) -> Channel {
        if width > 0 && data.len() > width && data.chunks(width).all(|row| row == &data[..width]) {
            data.truncate(width);
        }
        Channel { width, data }
    }
}

/// A signal that is plotted beside the picture.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Its unit, as people write it.
    pub unit: String,
    /// Its values at the instants.
    pub values: Vec<f32>,
}

/// All that is shown.
#[derive(Clone, Debug, Default)]
pub struct Animation {
    /// The full name of the model.
    pub title: String,
    /// The instants of all rows.
    pub time: Vec<f32>,
    /// The direction that is shown upwards.
    pub up: [f32; 3],
    /// What moves.
    pub shapes: Vec<Shape>,
    /// Shapes from files, each once.
    pub meshes: Vec<mesh::Mesh>,
    /// What is plotted.
    pub signals: Vec<Signal>,
}

#[derive(Serialize)]
struct Data<'a> {
    title: &'a str,
    time: String,
    up: [f32; 3],
    shapes: Vec<ShapeData<'a>>,
    meshes: Vec<String>,
    signals: Vec<SignalData<'a>>,
}

#[derive(Serialize)]
struct ShapeData<'a> {
    name: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<usize>,
    position: String,
    rotation: String,
    size: String,
    color: String,
}

#[derive(Serialize)]
struct SignalData<'a> {
    name: &'a str,
    unit: &'a str,
    values: String,
}

const PAGE: &str = include_str!("../page/page.html");
static SCRIPT: Packed = Packed::new(include_bytes!(concat!(env!("OUT_DIR"), "/page.js")));
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/uPlot.min.css"));

/// Was the script bundled when this crate was built?
pub fn is_available() -> bool {
    !SCRIPT.text().is_empty()
}

/// The page; `None` where Node was missing when the crate was built.
pub fn page(animation: &Animation) -> Option<String> {
    if !is_available() {
        return None;
    }
    let shapes = animation.shapes.iter().map(|s| ShapeData {
        name: &s.name,
        kind: &s.kind,
        mesh: s.mesh,
        position: packed(&s.position.data),
        rotation: packed(&s.rotation.data),
        size: packed(&s.size.data),
        color: packed(&s.color.data),
    });
    let signals = animation.signals.iter().map(|s| SignalData {
        name: &s.name,
        unit: &s.unit,
        values: packed(&s.values),
    });
    let data = Data {
        title: &animation.title,
        time: packed(&animation.time),
        up: animation.up,
        shapes: shapes.collect(),
        meshes: animation.meshes.iter().map(|m| packed(&m.corners)).collect(),
        signals: signals.collect(),
    };
    // Names cannot end the script they stand in.
    let data = serde_json::to_string(&data).ok()?.replace('<', "\\u003c");
    let script = SCRIPT.text().replace("</script", "<\\/script");
    let title = animation.title.replace('&', "&amp;").replace('<', "&lt;");
    let mut out = String::with_capacity(PAGE.len() + data.len() + script.len() + STYLE.len());
    let mut rest = PAGE;
    for (mark, text) in
        [("{{title}}", title.as_str()), ("{{style}}", STYLE), ("{{data}}", &data), ("{{script}}", &script)]
    {
        let (before, after) = rest.split_once(mark)?;
        out.push_str(before);
        out.push_str(text);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Numbers as single-precision bytes, least significant first, in Base64.
pub fn packed(values: &[f32]) -> String {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_change_is_kept_once() {
        assert_eq!(Channel::new(2, vec![1.0, 2.0, 1.0, 2.0]).data, [1.0, 2.0]);
        assert_eq!(Channel::new(2, vec![1.0, 2.0, 1.0, 3.0]).data.len(), 4);
    }

    #[test]
    fn names_cannot_leave_their_place() {
        let title = "</script><script>x()</script>".to_owned();
        let Some(page) = page(&Animation { title, ..Animation::default() }) else {
            println!("skipped: built without Node");
            return;
        };
        assert!(!page.contains("<script>x()"));
    }
}
