//! `kausal compare` and `kausal plot`: what is done with results.

use std::path::Path;

use kausal::compare::{Comparison, Tube};
use kausal::plot::{self, svg, terminal};
use kausal::verify::text::deviation;
use kausal::{Diagnostic, Sources, Trajectory, glob, store};
use serde::Serialize;

use crate::arguments::{self, Compare, Plot};
use crate::output;

#[derive(Serialize)]
struct Report<'a> {
    agrees: bool,
    tube: Tube,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

pub fn compare(arguments: &Compare) -> bool {
    let (Some(result), Some(reference)) = (read(&arguments.result), read(&arguments.reference)) else {
        return false;
    };
    let Some(tube) = tube(&arguments.tube) else { return false };
    let wanted = |name: &str| glob::any(&arguments.signals, name);
    let comparison = kausal::compare::compare(&result, &reference, &tube, &wanted);
    if comparison.signals == 0 {
        return fail("K0910", "there is no signal to compare");
    }
    if arguments.json {
        output::print_json(&Report { agrees: comparison.agrees(), tube, comparison: &comparison });
        return comparison.agrees();
    }
    let mut text = String::new();
    for d in &comparison.deviations {
        text.push_str(&format!("{}\n", deviation(d)));
    }
    let agreeing = comparison.signals - comparison.deviations.len();
    text.push_str(&format!("{agreeing} of {} signals agree\n", comparison.signals));
    output::print(&text);
    comparison.agrees()
}

/// The tube asked for, if it makes sense.
pub fn tube(arguments: &arguments::Tube) -> Option<Tube> {
    let tube = Tube {
        range: arguments.tolerance,
        magnitude: arguments.floor,
        noise: arguments.noise,
        time: arguments.time_tolerance,
    };
    if [tube.range, tube.magnitude, tube.noise, tube.time].iter().all(|v| *v >= 0.0 && v.is_finite()) {
        return Some(tube);
    }
    fail("K0908", "a tube cannot have a negative width");
    None
}

pub fn plot(arguments: &Plot) -> bool {
    let Some(result) = read(&arguments.result) else { return false };
    let title = arguments.result.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    match plot::of(&result, &title, &arguments.signals) {
        Ok(plot) => show_plot(&plot, arguments.plot_file.as_deref(), &Sources::default()),
        Err(message) => fail("K0910", &message),
    }
}

/// A plot to a file or the terminal.
pub fn show_plot(plot: &plot::Plot, path: Option<&Path>, sources: &Sources) -> bool {
    let Some(path) = path else {
        output::print(&terminal::write(plot, 72, 18));
        return true;
    };
    let problem = if path.extension().is_none_or(|e| e != "svg") {
        Diagnostic::error("K0909", format!("{}: plots are written as .svg", path.display()))
    } else {
        match std::fs::write(path, svg::write(plot)) {
            Ok(()) => return true,
            Err(error) => Diagnostic::error("K0907", format!("cannot write {}: {error}", path.display())),
        }
    };
    output::show(&[problem], sources);
    false
}

/// A result file, or what is wrong with it shown and `None`.
pub fn read(path: &Path) -> Option<Trajectory> {
    store::read(path).map_err(|d| output::show(&[d], &Sources::default())).ok()
}

/// Shows an error that is about no text.
pub fn fail(code: &'static str, message: &str) -> bool {
    output::show(&[Diagnostic::error(code, message)], &Sources::default());
    false
}
