//! Plots of results: SVG and PNG pictures, pages to explore in a browser, terminal sketches.
//!
//! Signals with the same unit share a panel; panels share the time axis. [`scene`] lays a plot out once, and [`svg`]
//! and [`png`] draw what it says.

pub mod axis;
pub mod html;
pub mod png;
pub mod scene;
pub mod svg;
pub mod terminal;

use std::path::Path;

use kausal_syntax::Diagnostic;

use crate::audit::Audit;
use crate::audit::words::figure;
use crate::glob;
use crate::result::{Trajectory, interesting};
use crate::session::nearest;
use crate::store::unwritable;

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
    /// How far off each of them may be; empty where that is not known.
    pub band: Vec<f64>,
}

impl Curve {
    /// `name [unit]`
    pub fn label(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} [{}]", self.name, self.unit) }
    }

    /// `name ± error`, where the error is known: a band that is narrower than the line is not seen.
    pub fn legend(&self) -> String {
        if self.band.is_empty() {
            return self.name.clone();
        }
        format!("{} ± {}", self.name, figure(self.band.iter().copied().fold(0.0, f64::max)))
    }
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
    /// Instants that are marked.
    pub events: Vec<f64>,
}

/// Curves with the same unit, by their places in the plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The unit; may be empty.
    pub unit: String,
    /// Which curves.
    pub curves: Vec<usize>,
}

impl Plot {
    /// The curves by unit, in the order the units appear.
    pub fn panels(&self) -> Vec<Panel> {
        let mut panels: Vec<Panel> = Vec::new();
        for (i, curve) in self.curves.iter().enumerate() {
            match panels.iter_mut().find(|p| p.unit == curve.unit) {
                Some(panel) => panel.curves.push(i),
                None => panels.push(Panel { unit: curve.unit.clone(), curves: vec![i] }),
            }
        }
        panels
    }
}

/// The names of the signals that are meant: names and patterns (`*` and `?`); without any, the first few that change.
pub fn chosen(trajectory: &Trajectory, names: &[String]) -> Result<Vec<String>, String> {
    if names.is_empty() {
        return Ok(interesting(trajectory, 4));
    }
    let mut chosen: Vec<String> = Vec::new();
    for name in names {
        let before = chosen.len();
        if trajectory.signal(name).is_some() {
            chosen.push(name.clone());
        } else if name.contains(['*', '?']) {
            let all = trajectory.signals.iter().map(|s| &s.name);
            chosen.extend(all.filter(|s| glob::matches(name, s)).cloned());
        }
        if chosen.len() == before {
            let hint = nearest(name, trajectory.signals.iter().map(|s| s.name.as_str()));
            let hint = hint.map_or(String::new(), |n| format!("; did you mean {n}?"));
            return Err(format!("there is no variable {name} to plot{hint}"));
        }
    }
    let mut seen = std::collections::HashSet::new();
    chosen.retain(|name| seen.insert(name.clone()));
    Ok(chosen)
}

/// The named signals of a result; without any, the first few that change.
pub fn of(trajectory: &Trajectory, title: &str, names: &[String]) -> Result<Plot, String> {
    let mut curves = Vec::new();
    for name in chosen(trajectory, names)? {
        let Some(signal) = trajectory.signal(&name) else { continue };
        curves.push(Curve {
            name,
            unit: signal.unit.clone(),
            x: trajectory.time.clone(),
            y: trajectory.values(signal),
            band: Vec::new(),
        });
    }
    let events = trajectory.events();
    Ok(Plot { title: title.to_owned(), x_label: "time [s]".into(), curves, events })
}

/// The same, with the estimated errors of the run it is from.
pub fn audited(
    trajectory: &Trajectory,
    title: &str,
    names: &[String],
    audit: Option<&Audit>,
) -> Result<Plot, String> {
    let mut plot = of(trajectory, title, names)?;
    for curve in &mut plot.curves {
        let band = audit.and_then(|audit| audit.band(&curve.name));
        curve.band = band.filter(|band| band.len() == curve.y.len()).unwrap_or_default();
    }
    Ok(plot)
}

/// Writes a plot to a file: `.svg`, `.png`, or `.html` with all signals of the result to choose from.
pub fn write(trajectory: &Trajectory, title: &str, names: &[String], path: &Path) -> Result<(), Diagnostic> {
    write_audited(trajectory, title, names, path, None)
}

/// The same, with the estimated errors of the run it is from.
pub fn write_audited(
    trajectory: &Trajectory,
    title: &str,
    names: &[String],
    path: &Path,
    audit: Option<&Audit>,
) -> Result<(), Diagnostic> {
    check(path)?;
    let plot =
        audited(trajectory, title, names, audit).map_err(|message| Diagnostic::error("K0910", message))?;
    let bytes = match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => svg::write(&plot).into_bytes(),
        Some("png") => png::write(&plot).map_err(|what| Diagnostic::error("K0907", what))?,
        _ => html::write(trajectory, &plot, audit).into_bytes(),
    };
    std::fs::write(path, bytes).map_err(|error| unwritable(path, None, &error))
}

/// Is this a file plots can be written to?
pub fn check(path: &Path) -> Result<(), Diagnostic> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("svg" | "png" | "html") => Ok(()),
        _ => Err(Diagnostic::error(
            "K0909",
            format!("{}: plots are .svg, .png or .html files", path.display()),
        )),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::result::{Signal, Values};

    /// A ball: two units, an event, a parameter, a name that needs care in pages.
    pub(crate) fn ball() -> Trajectory {
        let signal = |name: &str, unit: &str, values| Signal {
            name: name.into(),
            unit: unit.into(),
            description: "a </script> & \"quotes\"".into(),
            values,
        };
        Trajectory {
            time: vec![0.0, 0.5, 0.5, 1.0],
            signals: vec![
                signal("h", "m", Values::Column(0, false)),
                signal("depth", "m", Values::Column(0, true)),
                signal("v", "m/s", Values::Column(1, false)),
                signal("'a<b>'", "", Values::Column(1, false)),
                signal("e", "", Values::Constant(0.7)),
            ],
            columns: vec![vec![1.0, 0.0, 0.0, 0.5], vec![0.0, -3.0, 2.1, -1.0]],
        }
    }

    #[test]
    fn units_make_panels_and_patterns_choose() {
        let plot = of(&ball(), "Ball", &["h".into(), "v".into(), "d*".into(), "h".into()]).unwrap();
        assert_eq!(
            plot.curves.iter().map(Curve::label).collect::<Vec<_>>(),
            ["h [m]", "v [m/s]", "depth [m]"]
        );
        let panels: Vec<Vec<usize>> = plot.panels().into_iter().map(|p| p.curves).collect();
        assert_eq!(panels, [vec![0, 2], vec![1]]);
        assert_eq!(plot.events, [0.5]);
        let wrong = of(&ball(), "Ball", &["dept".into()]).unwrap_err();
        assert_eq!(wrong, "there is no variable dept to plot; did you mean depth?");
        assert!(of(&ball(), "Ball", &["x*".into()]).is_err());
    }

    #[test]
    fn the_end_of_the_name_is_the_format() {
        let folder = tempfile::tempdir().unwrap();
        for (file, begin) in [("a.svg", "<svg"), ("a.png", "\u{89}PNG"), ("a.html", "<!doctype html>")] {
            let path = folder.path().join(file);
            write(&ball(), "Ball", &[], &path).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let begin: Vec<u8> = begin.chars().map(|c| c as u8).collect();
            assert!(bytes.starts_with(&begin), "{file}");
        }
        assert_eq!(write(&ball(), "Ball", &[], Path::new("a.gif")).unwrap_err().code, "K0909");
    }
}
