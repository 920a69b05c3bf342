//! `kausal compare` and `kausal plot`: what is done with results.

use std::path::Path;

use kausal::compare::{Comparison, Tube};
use kausal::plot::{self, terminal};
use kausal::verify::text::deviation;
use kausal::{Diagnostic, Sources, Trajectory, glob, store};
use serde::Serialize;

use crate::arguments::{self, Compare, Plot, Recover};
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
    let tube = tube(&arguments.tube);
    let wanted = |name: &str| glob::any(&arguments.signals, name);
    let comparison = kausal::compare::compare(&result, &reference, &tube, &wanted);
    if reference.time.is_empty() {
        let message =
            format!("{} has no rows: there is nothing to compare with", arguments.reference.display());
        return fail("K0912", &message);
    }
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
    output::print(&text);
    output::say(&format!("{agreeing} of {} signals agree\n", comparison.signals));
    comparison.agrees()
}

/// The tube asked for.
pub fn tube(arguments: &arguments::Tube) -> Tube {
    Tube {
        range: arguments.tolerance,
        magnitude: arguments.floor,
        noise: arguments.noise,
        time: arguments.time_tolerance,
    }
}

pub fn plot(arguments: &Plot) -> bool {
    let Some(result) = read(&arguments.result) else { return false };
    let title = arguments.result.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    if arguments.plot_file.is_empty() {
        match plot::of(&result, &title, &arguments.signals) {
            Ok(plot) if plot.curves.is_empty() => {
                output::say("no signal changes: name those to plot, or * for all\n");
            }
            Ok(plot) => sketch(&plot),
            Err(message) => return fail("K0910", &message),
        }
    }
    arguments.plot_file.iter().all(|path| match plot::write(&result, &title, &arguments.signals, path) {
        Ok(()) => {
            output::wrote(path);
            true
        }
        Err(d) => !output::show(&[d], &Sources::default()),
    })
}

/// A plot to the terminal.
pub fn sketch(plot: &plot::Plot) {
    let (columns, rows) = output::size();
    // Room for the labels on the left and the line with the command below.
    output::print(&terminal::write(plot, columns.saturating_sub(14).clamp(30, 120), rows.clamp(12, 22)));
}

/// A result file, or what is wrong with it shown and `None`.
pub fn read(path: &Path) -> Option<Trajectory> {
    match store::read_noting(path) {
        Ok((result, note)) => {
            output::show(note.as_slice(), &Sources::default());
            Some(result)
        }
        Err(d) => {
            output::show(&[d], &Sources::default());
            None
        }
    }
}

pub fn recover(arguments: &Recover) -> bool {
    match store::recover(&arguments.result) {
        Ok(recovered) if arguments.json => output::print_json(&recovered),
        Ok(recovered) => output::say(&format!("{}\n", recovered.text(&arguments.result))),
        Err(d) => return !output::show(&[d], &Sources::default()),
    }
    true
}

/// Shows an error that is about no text.
pub fn fail(code: &'static str, message: &str) -> bool {
    output::show(&[Diagnostic::error(code, message)], &Sources::default());
    false
}
