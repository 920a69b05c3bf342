//! Pictures of classes: icon and diagram as SVG or PNG; and what is to be known about them.
//!
//! What can be shown is what can be read: bitmaps come from the folders of the libraries read so far and from those the user
//! allows.

use std::path::{Path, PathBuf};

use kausal_draw::diagram::{self, Drafter};
use kausal_draw::dialog;
use kausal_draw::figures;
use kausal_draw::{Layer, Request, html, png, svg};

use kausal_external::read_regular;
use kausal_model::view::{Level, View};

pub use kausal_model::view::Datum;
pub use kausal_syntax::ast::Causality;
use kausal_syntax::{Diagnostic, Symbol};

pub use kausal_draw::Scene;
pub use kausal_draw::diagram::{Parts, Port, Quantity, Shown, Wire};
pub use kausal_draw::dialog::{Dialog, Entry as DialogEntry, Kind as DialogKind};
pub use kausal_draw::document::{Document, Entry};
pub use kausal_draw::figures::Figure;
pub use kausal_draw::font;
pub use kausal_draw::units;
pub use kausal_draw::{Coordinates, Place};

use crate::result::Trajectory;
use crate::session::Session;

/// What is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawing<'a> {
    /// The icon instead of the diagram.
    pub icon: bool,
    /// Values shown instead of those of the edited model: those of a result at an instant.
    pub values: Option<(&'a Trajectory, f64)>,
}

/// The largest picture that is read.
const LARGEST: u64 = 32 << 20;

impl Session {
    /// Draws a class; `None` when there is no such class.
    ///
    /// ```
    /// use kausal::{Session, draw::Drawing};
    /// let mut session = Session::new();
    /// let scene = session.draw("Kausal.Electrical.Resistor", &Drawing { icon: true, ..Drawing::default() });
    /// assert!(kausal::draw::svg(&scene.expect("there is one")).starts_with("<svg"));
    /// ```
    pub fn draw(&mut self, class: &str, drawing: &Drawing<'_>) -> Option<Scene> {
        let at = drawing.values.map(|(result, time)| move |name: &str| value_at(result, name, time));
        let at = at.as_ref().map(|at| at as &dyn Fn(&str) -> Option<f64>);
        let mut view = self.view(class)?;
        let layer = if drawing.icon { Layer::Icon } else { Layer::Diagram };
        Some(kausal_draw::draw(&mut view, &Request { layer, at, files: &read_picture }))
    }

    /// The figures a class proposes for its results, preferred ones first.
    pub fn figures(&mut self, class: &str) -> Vec<Figure> {
        self.view(class).map(|mut view| figures::figures(&mut view)).unwrap_or_default()
    }

    /// A class part by part, for those who edit it; `None` when there is no such class.
    pub fn parts(&mut self, class: &str, icon: bool) -> Option<Parts> {
        let mut view = self.view(class)?;
        let layer = if icon { Layer::Icon } else { Layer::Diagram };
        Some(Drafter::new(&mut view, &read_picture).parts(layer))
    }

    /// Some components of a class, as [`Session::parts`] has them.
    pub fn shown(&mut self, class: &str, names: &dyn Fn(&str) -> bool) -> Vec<Shown> {
        let Some(mut view) = self.view(class) else { return Vec::new() };
        Drafter::new(&mut view, &read_picture).components(names)
    }

    /// The connections of a class, as [`Session::parts`] has them.
    pub fn wires(&mut self, class: &str) -> Vec<Wire> {
        let Some(mut view) = self.view(class) else { return Vec::new() };
        Drafter::new(&mut view, &read_picture).all_wires()
    }

    /// Which `extends` clause of a class something inherited comes from, counted from 0.
    pub fn base_of(&mut self, class: &str, name: &str) -> Option<usize> {
        let mut view = self.view(class)?;
        let root = view.root();
        let level = view.levels(root);
        fn has(view: &mut View<'_>, level: &Level, name: &str) -> bool {
            let own = view.components(level);
            own.into_iter().any(|c| view.name(c).as_str() == name)
                || view.replaceable_classes(level).iter().any(|(n, ..)| n.as_str() == name)
                || level.bases.iter().any(|(base, _)| has(view, base, name))
        }
        level.bases.iter().position(|(base, _)| has(&mut view, base, name))
    }

    /// Is a class the other one, or based on it, however far?
    pub fn extends(&mut self, class: &str, base: &str) -> bool {
        fn has(view: &View<'_>, level: &Level, base: &str) -> bool {
            view.full_name(level.klass) == base || level.bases.iter().any(|(b, _)| has(view, b, base))
        }
        let Some(mut view) = self.view(class) else { return false };
        let root = view.root();
        let level = view.levels(root);
        has(&view, &level, base)
    }

    /// The text of an annotation of a class such as `defaultComponentName`, own or inherited.
    pub fn class_text(&mut self, class: &str, annotation: &str) -> Option<String> {
        let mut view = self.view(class)?;
        let root = view.root();
        let level = view.levels(root);
        fn find(view: &mut View<'_>, level: &Level, name: &str) -> Option<String> {
            let own = view.class_annotation(level, name).and_then(|a| {
                let kausal_syntax::ast::Binding::Expr(e) = a.ast.modifications[a.modification].binding else {
                    return None;
                };
                match view.evaluate(a.scope, e, None)? {
                    Datum::Text(text) => Some(text),
                    _ => None,
                }
            });
            own.or_else(|| level.bases.iter().find_map(|(base, _)| find(view, base, name)))
        }
        find(&mut view, &level, annotation)
    }

    /// The same with the values of a result at an instant.
    pub fn shown_at(
        &mut self,
        class: &str,
        (result, time): (&Trajectory, f64),
        names: &dyn Fn(&str) -> bool,
    ) -> Vec<Shown> {
        let at = move |name: &str| value_at(result, name, time);
        let Some(mut view) = self.view(class) else { return Vec::new() };
        Drafter::new(&mut view, &read_picture).at(Some(&at)).components(names)
    }

    /// The icon of a class in its coordinate system; empty where nothing is drawn.
    pub fn icon(&mut self, class: &str) -> Option<String> {
        let mut view = self.view(class)?;
        Some(diagram::icon(&mut view, &read_picture))
    }

    /// How a class looks as a component.
    pub fn preview(&mut self, class: &str) -> Option<Shown> {
        let mut view = self.view(class)?;
        Some(diagram::preview(&mut view, &read_picture))
    }

    /// The dialog of a component of a class, or of the class itself.
    pub fn dialog(&mut self, class: &str, component: &str) -> Option<Dialog> {
        let mut view = self.view(class)?;
        dialog::dialog(&mut view, component)
    }

    /// Looks at a class; when there is none, says so.
    pub fn view(&mut self, class: &str) -> Option<View<'_>> {
        if self.workspace.classes().by_path(class).is_none() {
            let mut diagnostics = std::mem::take(&mut self.workspace.classes().lib.diagnostics);
            if !diagnostics.iter().any(Diagnostic::is_error) {
                let mut missing = Diagnostic::error("K0200", format!("there is no class {class}"));
                missing.help = self.meant(class);
                diagnostics.push(missing);
            }
            self.diagnostics.extend(diagnostics);
            return None;
        }
        View::new(self.workspace.classes(), class)
    }

    /// The full names of all classes in a class, itself included, in the order of the library.
    pub fn classes_in(&mut self, class: &str) -> Vec<String> {
        let classes = self.workspace.classes();
        let Some(klass) = classes.by_path(class) else { return Vec::new() };
        let mut stack = vec![classes.key(klass).def];
        let mut out = Vec::new();
        while let Some(def) = stack.pop() {
            out.push(classes.lib.full_name(def));
            let names: Vec<Symbol> = classes.lib.child_names(def);
            for name in names.into_iter().rev() {
                stack.extend(classes.lib.child(def, name));
            }
        }
        out
    }
}

/// What is to be known about a class.
pub struct Documented {
    /// What was found; the text in it is as the library has it.
    pub document: Document,
    /// Its text as HTML that can do no harm.
    pub info: String,
}

impl Session {
    /// What is to be known about a class; `None` when there is no such class.
    pub fn document(&mut self, class: &str) -> Option<Documented> {
        let mut view = self.view(class)?;
        let document = kausal_draw::document::document(&mut view);
        let info = html::safe(&mut view, &document.info, &read_picture);
        Some(Documented { document, info })
    }

    /// A page about a class, with its icon; `None` when there is no such class.
    pub fn document_page(&mut self, class: &str) -> Option<String> {
        let documented = self.document(class)?;
        let icon = svg(&self.draw(class, &Drawing { icon: true, values: None })?);
        Some(html::page(&documented.document, &icon, &documented.info))
    }
}

/// Documentation as text for a terminal that is so many columns wide.
pub fn document_text(document: &Document, columns: usize) -> String {
    html::text(document, columns)
}

/// The value of a signal that changes between rows along a straight line, as curves do; `steps`: it stays what it was.
pub fn sampled(result: &Trajectory, name: &str, time: f64, steps: bool) -> Option<f64> {
    let here = value_at(result, name, time)?;
    let after = result.time.partition_point(|&t| t <= time);
    let (Some(row), Some(&next), Some(signal)) =
        (after.checked_sub(1), result.time.get(after), result.signal(name))
    else {
        return Some(here);
    };
    let then = result.value(signal, after);
    let part = (time - result.time[row]) / (next - result.time[row]);
    Some(if steps || !then.is_finite() { here } else { here + part * (then - here) })
}

/// The value of a variable at an instant: that of the last row that is not later.
pub fn value_at(result: &Trajectory, name: &str, time: f64) -> Option<f64> {
    let row = result.time.partition_point(|&t| t <= time).saturating_sub(1);
    if name == "time" {
        return Some(time);
    }
    (!result.time.is_empty()).then(|| result.signal(name).map(|signal| result.value(signal, row)))?
}

/// Reads the picture that a `fileName` means, where it may be read.
pub(crate) fn read_picture(view: &mut View<'_>, name: &str) -> Option<Vec<u8>> {
    let path: PathBuf = match name.strip_prefix("file://") {
        Some(path) => path.into(),
        None if name.starts_with("modelica://") => view.classes().lib.resource(name)?.into(),
        None => name.into(),
    };
    let path = view.classes().permissions().readable(&path)?;
    read_regular(&path, LARGEST).ok()
}

/// A drawing as SVG.
pub fn svg(scene: &Scene) -> String {
    svg::write(scene)
}

/// A drawing as PNG; none where it is empty or too large.
pub fn png(scene: &Scene) -> Option<Vec<u8>> {
    png::render(&svg(scene))
}

/// Writes a drawing: a PNG file where the name ends so, else SVG.
pub fn write(scene: &Scene, path: &Path) -> Result<(), Diagnostic> {
    let text = svg(scene);
    let fail = |why: String| Diagnostic::error("K0930", format!("cannot write {}: {why}", path.display()));
    let data = match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        false => text.into_bytes(),
        true => png::render(&text).ok_or_else(|| fail("the picture is empty or too large".to_owned()))?,
    };
    std::fs::write(path, data).map_err(|e| fail(e.to_string()))
}
