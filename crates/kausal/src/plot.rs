//! Plots of results: SVG pictures and terminal sketches.

pub mod axis;
pub mod svg;
pub mod terminal;

use crate::result::{Trajectory, interesting};
use crate::session::nearest;

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

/// The named signals of a result; without any, the first few that change.
pub fn of(trajectory: &Trajectory, title: &str, names: &[String]) -> Result<Plot, String> {
    let chosen = if names.is_empty() { interesting(trajectory, 4) } else { names.to_vec() };
    let mut curves = Vec::new();
    for name in &chosen {
        let Some(signal) = trajectory.signal(name) else {
            let hint = nearest(name, trajectory.signals.iter().map(|s| s.name.as_str()));
            let hint = hint.map_or(String::new(), |n| format!("; did you mean {n}?"));
            return Err(format!("there is no variable {name} to plot{hint}"));
        };
        curves.push(Curve {
            name: name.clone(),
            unit: signal.unit.clone(),
            x: trajectory.time.clone(),
            y: trajectory.values(signal),
        });
    }
    Ok(Plot { title: title.to_owned(), x_label: "time [s]".into(), curves })
}
