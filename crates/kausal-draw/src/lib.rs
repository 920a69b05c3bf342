//! # kausal-draw: what classes look like
//!
//! The graphical annotations of the Modelica specification, chapter 18: a class with its bases, components and
//! connections becomes a scene of shapes and texts, and the scene a picture.
//!
//! ```text
//! kausal_model::View   a class, its annotations and what they are worth
//!   │ layers             bases, components, connections          attributes
//!   │ graphics           primitives; texts and their macros      macros, units, font, picture
//!   ▼
//! Scene                shapes in the order they are painted       geometry, scene
//!   │ svg, png
//!   ▼
//! picture
//!
//! diagram               a class part by part, for those who edit it
//! dialog                parameters with what their dialogs need
//! figures               plots a class proposes for its results
//! ```
//!
//! **This room reads no files and knows no results**: bitmaps come through a function, values at an instant, too.

mod attributes;
pub mod diagram;
pub mod dialog;
pub mod document;
pub mod figures;
pub mod font;
pub mod geometry;
mod graphics;
pub mod html;
mod layers;
pub mod macros;
mod picture;
pub mod png;
pub mod scene;
pub mod svg;
pub mod units;

pub use graphics::Reader;
pub use layers::{Coordinates, Layer, Place};
pub use scene::Scene;

use kausal_model::view::{Instant, View};

use crate::geometry::Transform;
use crate::graphics::Canvas;
use crate::macros::Subject;

/// What is drawn and what helps with it.
pub struct Request<'a> {
    /// Icon or diagram.
    pub layer: Layer,
    /// Values at an instant, for `DynamicSelect` and texts; without them drawings show the model as it is edited.
    pub at: Option<Instant<'a>>,
    /// Reads the files of bitmaps.
    pub files: Reader<'a>,
}

/// Draws the class a view looks at.
pub fn draw(view: &mut View<'_>, request: &Request<'_>) -> Scene {
    let root = view.root();
    let level = view.levels(root);
    let class = view.short_name(level.klass).to_owned();
    let title = view.full_name(level.klass);
    let subject = Subject { inst: root, name: class.clone(), class };
    let mut canvas = Canvas { view, at: request.at, files: request.files, notes: Vec::new() };
    let extent = layers::coordinates(&mut canvas, &level, request.layer).extent;
    let mut items = Vec::new();
    layers::draw(&mut canvas, &level, &subject, request.layer, Transform::IDENTITY, &mut items);
    let mut notes = canvas.notes;
    notes.dedup();
    Scene { title, extent, items, notes }
}
