//! Figures a class proposes for its results: `Documentation(figures = {Figure(…)})` (specification section 18.4).

use kausal_model::view::{Level, View};

use crate::attributes::Attributes;

/// Plots that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// What stands above it.
    pub title: String,
    /// Under what it is listed.
    pub group: String,
    /// It is worth a look first.
    pub preferred: bool,
    /// What stands below it.
    pub caption: String,
    /// Its plots.
    pub plots: Vec<Plot>,
}

/// Curves with common axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// What stands above it.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// Its curves.
    pub curves: Vec<Curve>,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What stands beside it.
    pub label: String,
    /// The unit of its numbers.
    pub unit: String,
    /// Where it begins, in that unit; as the values are where nothing is said.
    pub min: Option<f64>,
    /// Where it ends.
    pub max: Option<f64>,
}

/// A curve: names of results as they are written, such as `a.b[1]` and `der(x)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// What is to the right; `time` where nothing is said.
    pub x: String,
    /// What is upwards.
    pub y: String,
    /// Its name in the legend.
    pub legend: String,
}

/// The figures of the class of a view, preferred ones first, its own before inherited ones.
pub fn figures(view: &mut View<'_>) -> Vec<Figure> {
    let root = view.root();
    let level = view.levels(root);
    let mut out = Vec::new();
    collect(view, &level, &mut out);
    out.sort_by_key(|f| !f.preferred);
    out
}

fn collect(view: &mut View<'_>, level: &Level, out: &mut Vec<Figure>) {
    if let Some(annotation) = view.class_annotation(level, "Documentation") {
        let documentation = Attributes::of(&annotation);
        for (name, figure) in documentation.calls(view, "figures", None) {
            if name == "Figure" {
                out.push(self::figure(view, &figure));
            }
        }
    }
    for (base, _) in &level.bases {
        collect(view, base, out);
    }
}

fn figure(view: &mut View<'_>, given: &Attributes) -> Figure {
    let text = |view: &mut View<'_>, name: &str| given.text(view, name, None).unwrap_or_default();
    Figure {
        title: text(view, "title"),
        group: text(view, "group"),
        caption: text(view, "caption"),
        preferred: given.boolean(view, "preferred", None).unwrap_or(false),
        plots: given
            .calls(view, "plots", None)
            .iter()
            .filter(|(name, _)| *name == "Plot")
            .map(|(_, p)| plot(view, p))
            .collect(),
    }
}

fn plot(view: &mut View<'_>, given: &Attributes) -> Plot {
    let axis = |view: &mut View<'_>, name: &str| {
        let Some(axis) = given.nested(name) else { return Axis::default() };
        let text = |view: &mut View<'_>, name: &str| axis.text(view, name, None).unwrap_or_default();
        Axis {
            label: text(view, "label"),
            unit: text(view, "unit"),
            min: axis.number(view, "min", None),
            max: axis.number(view, "max", None),
        }
    };
    let curves = given.calls(view, "curves", None);
    let curve = |view: &mut View<'_>, c: &Attributes| {
        Some(Curve {
            x: c.source("x").unwrap_or_else(|| "time".to_owned()),
            y: c.source("y")?,
            legend: c.text(view, "legend", None).unwrap_or_default(),
        })
    };
    Plot {
        title: given.text(view, "title", None).unwrap_or_default(),
        x: axis(view, "x"),
        y: axis(view, "y"),
        curves: curves
            .iter()
            .filter(|(name, _)| *name == "Curve")
            .filter_map(|(_, c)| curve(view, c))
            .collect(),
    }
}
