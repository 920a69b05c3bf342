//! `kausal draw`: pictures of classes.

use std::path::Path;
use std::time::Instant;

use kausal::draw::{self, Drawing};
use kausal::{Diagnostic, Session, Sources, render, store};
use serde::Serialize;

use super::model;
use crate::arguments::Draw;
use crate::output;

#[derive(Serialize)]
struct Report<'a> {
    class: &'a str,
    layer: &'static str,
    /// What could not be drawn as it is written.
    notes: Vec<String>,
    seconds: f64,
    diagnostics: Vec<render::JsonDiagnostic>,
}

pub fn run(arguments: &Draw) -> bool {
    let mut session = model::session(&arguments.model);
    let values = match &arguments.values {
        None => None,
        Some(path) => match super::results::read(path) {
            Some(result) => Some(result),
            None => return false,
        },
    };
    let Some(class) = session.find(&arguments.model.name, arguments.model.inside.as_deref()) else {
        return tell(&mut session);
    };
    if arguments.all {
        return all(&mut session, &class, arguments);
    }
    let drawing =
        Drawing { icon: arguments.icon, values: values.as_ref().map(|v| (v, arguments.at.unwrap_or(0.0))) };
    let start = Instant::now();
    let scene = session.draw(&class, &drawing);
    let seconds = start.elapsed().as_secs_f64();
    let diagnostics = session.take_diagnostics();
    let failed = output::show(&diagnostics, session.sources());
    let Some(scene) = scene.filter(|_| !failed) else {
        if arguments.json {
            let layer = layer(arguments.icon);
            let diagnostics = render::json(&diagnostics, session.sources());
            output::print_json(&Report { class: &class, layer, notes: Vec::new(), seconds, diagnostics });
        }
        return false;
    };
    for path in &arguments.output {
        match draw::write(&scene, path) {
            Ok(()) => output::wrote(path),
            Err(d) => return !output::show(&[d], &Sources::default()),
        }
    }
    if arguments.json {
        let diagnostics = render::json(&diagnostics, session.sources());
        let report =
            Report { class: &class, layer: layer(arguments.icon), notes: scene.notes, seconds, diagnostics };
        output::print_json(&report);
        return true;
    }
    scene.notes.iter().for_each(|note| output::detail(&format!("{note}\n")));
    if arguments.output.is_empty() {
        output::print(&draw::svg(&scene));
    }
    true
}

fn layer(icon: bool) -> &'static str {
    if icon { "icon" } else { "diagram" }
}

/// Shows what was said; nothing was done.
fn tell(session: &mut Session) -> bool {
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    false
}

/// One class of a package.
#[derive(Serialize)]
struct Drawn {
    class: String,
    layer: &'static str,
    seconds: f64,
    bytes: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Summary<'a> {
    package: &'a str,
    classes: usize,
    pictures: usize,
    failed: Vec<String>,
    seconds: f64,
    slowest: Vec<&'a Drawn>,
    noted: Vec<&'a Drawn>,
}

/// How many of the slowest pictures are named.
const SLOWEST: usize = 10;

fn all(session: &mut Session, package: &str, arguments: &Draw) -> bool {
    let classes = session.classes_in(package);
    if classes.is_empty() {
        let _ = session.view(package);
        return tell(session);
    }
    if let Some(folder) = &arguments.folder
        && let Err(e) = std::fs::create_dir_all(folder)
    {
        let message = format!("cannot make the folder {}: {e}", folder.display());
        return !output::show(&[Diagnostic::error("K0930", message)], &Sources::default());
    }
    let (mut drawn, mut failed): (Vec<Drawn>, Vec<String>) = (Vec::new(), Vec::new());
    for class in &classes {
        for icon in [true, false] {
            let start = Instant::now();
            let Some(scene) = session.draw(class, &Drawing { icon, values: None }) else {
                failed.push(format!("{class} ({})", layer(icon)));
                continue;
            };
            let text = draw::svg(&scene);
            let seconds = start.elapsed().as_secs_f64();
            if let Some(folder) = &arguments.folder
                && let Err(d) = save(folder, class, layer(icon), &text)
            {
                return !output::show(&[d], &Sources::default());
            }
            let (class, layer) = (class.clone(), layer(icon));
            drawn.push(Drawn { class, layer, seconds, bytes: text.len(), notes: scene.notes });
        }
    }
    let diagnostics = session.take_diagnostics();
    output::show(&diagnostics, session.sources());
    let seconds = drawn.iter().map(|d| d.seconds).sum();
    let mut slowest: Vec<&Drawn> = drawn.iter().collect();
    slowest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    slowest.truncate(SLOWEST);
    let noted: Vec<&Drawn> = drawn.iter().filter(|d| !d.notes.is_empty()).collect();
    let summary =
        Summary { package, classes: classes.len(), pictures: drawn.len(), failed, seconds, slowest, noted };
    if arguments.json {
        output::print_json(&summary);
        return summary.failed.is_empty();
    }
    let mut text = format!(
        "{} of {} classes in {seconds:.2} s, {} failed\nthe slowest:\n",
        output::counted(summary.pictures as u64, "picture"),
        summary.classes,
        summary.failed.len()
    );
    for d in &summary.slowest {
        text.push_str(&format!("  {:8.2} ms  {} ({})\n", d.seconds * 1e3, d.class, d.layer));
    }
    summary.failed.iter().for_each(|name| text.push_str(&format!("failed: {name}\n")));
    for d in &summary.noted {
        d.notes.iter().for_each(|note| output::detail(&format!("{} ({}): {note}\n", d.class, d.layer)));
    }
    output::print(&text);
    summary.failed.is_empty()
}

fn save(folder: &Path, class: &str, layer: &str, text: &str) -> Result<(), Diagnostic> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = class.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    let path = folder.join(format!("{name}.{layer}.svg"));
    let fail =
        |e: std::io::Error| Diagnostic::error("K0930", format!("cannot write {}: {e}", path.display()));
    // The name is that of a class.
    store::write_new(&path, text.as_bytes()).map_err(fail)
}
