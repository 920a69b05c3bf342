//! Plots of results: SVG pictures and terminal sketches.

pub mod axis;
pub mod svg;
pub mod terminal;

/// A named curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is called.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// Horizontal values, ascending; an event has two.
    pub x: Vec<f64>,
    /// Vertical values.
    pub y: Vec<f64>,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Above the picture.
    pub title: String,
    /// What the horizontal axis shows.
    pub x_label: String,
    /// The curves.
    pub curves: Vec<Curve>,
}
