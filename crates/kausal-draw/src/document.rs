//! What is to be known about a class: parameters with units and values, connectors, inputs and outputs, what is in it, and the
//! text of its `Documentation` annotation (specification section 18.2).

use kausal_model::instance::InstId;
use kausal_model::view::{Level, View};
use kausal_syntax::ast::{Causality, ClassKind, Variability};

use crate::attributes::Attributes;
use crate::macros;

/// A class as it is documented.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its full name.
    pub class: String,
    /// `model`, `block`, …
    pub kind: &'static str,
    /// Its description string.
    pub description: String,
    /// The classes it is based on.
    pub bases: Vec<String>,
    /// Its parameters, inherited ones first.
    pub parameters: Vec<Entry>,
    /// Its connectors.
    pub connectors: Vec<Entry>,
    /// Inputs that are no connectors.
    pub inputs: Vec<Entry>,
    /// Outputs that are no connectors.
    pub outputs: Vec<Entry>,
    /// Classes in it: name, kind, description.
    pub classes: Vec<(String, &'static str, String)>,
    /// The text of its documentation, HTML or plain, as it is written: not to be trusted.
    pub info: String,
}

/// A parameter, connector, input or output.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Its name, with its dimensions.
    pub name: String,
    /// The full name of its class.
    pub class: String,
    /// Its value with its unit; empty where it has none.
    pub value: String,
    /// Its unit, as people write it.
    pub unit: String,
    /// Its description.
    pub description: String,
    /// The tab of the parameter dialog.
    pub tab: String,
    /// The group in that tab.
    pub group: String,
}

/// What is to be known about the class a view looks at.
pub fn document(view: &mut View<'_>) -> Document {
    let root = view.root();
    let level = view.levels(root);
    let mut out = Document {
        class: view.full_name(level.klass),
        kind: word(view.kind(level.klass)),
        description: view.class_description(&level),
        bases: level.bases.iter().map(|(base, _)| view.full_name(base.klass)).collect(),
        ..Document::default()
    };
    if let Some(annotation) = view.class_annotation(&level, "Documentation") {
        out.info = Attributes::of(&annotation).text(view, "info", None).unwrap_or_default();
    }
    let children = view.children();
    out.classes = children.into_iter().map(|(n, k, d)| (n.as_str().to_owned(), word(k), d)).collect();
    entries(view, &level, root, &mut out);
    out
}

fn entries(view: &mut View<'_>, level: &Level, root: InstId, out: &mut Document) {
    for (base, _) in &level.bases {
        entries(view, base, root, out);
    }
    for component in view.components(level) {
        let Some(info) = view.info(component) else { continue };
        if info.protected {
            continue;
        }
        let list = if view.is_connector(component) && info.variability > Variability::Parameter {
            &mut out.connectors
        } else if info.variability == Variability::Parameter && !info.is_final {
            &mut out.parameters
        } else if info.causality == Causality::Input {
            &mut out.inputs
        } else if info.causality == Causality::Output {
            &mut out.outputs
        } else {
            continue;
        };
        let entry = entry(view, level, root, component);
        list.push(entry);
    }
}

fn entry(view: &mut View<'_>, level: &Level, root: InstId, component: InstId) -> Entry {
    let name = view.name(component).as_str();
    let mut out = Entry {
        name: format!("{name}{}", view.dimensions(component)),
        class: view.info(component).map(|i| view.full_name(i.klass)).unwrap_or_default(),
        description: view.component_description(level, component),
        ..Entry::default()
    };
    out.unit = view.text_attribute(component, "unit").map(|u| crate::units::pretty(&u)).unwrap_or_default();
    if view.value(component, None).is_some() || view.value_source(component).is_some() {
        out.value = macros::parameter(view, root, name, None).unwrap_or_default();
    }
    if let Some(annotation) = view.component_annotation(level, component, "Dialog") {
        let dialog = Attributes::of(&annotation);
        out.tab = dialog.text(view, "tab", None).unwrap_or_default();
        out.group = dialog.text(view, "group", None).unwrap_or_default();
    }
    out
}

/// The words a class begins with.
pub fn word(kind: ClassKind) -> &'static str {
    match kind {
        ClassKind::Class => "class",
        ClassKind::Model => "model",
        ClassKind::Record => "record",
        ClassKind::OperatorRecord => "operator record",
        ClassKind::Block => "block",
        ClassKind::Connector => "connector",
        ClassKind::ExpandableConnector => "expandable connector",
        ClassKind::Type => "type",
        ClassKind::Package => "package",
        ClassKind::Function => "function",
        ClassKind::OperatorFunction => "operator function",
        ClassKind::Operator => "operator",
    }
}

/// Is the text of a documentation HTML? It is if it begins so (specification section 18.2).
pub fn is_html(info: &str) -> bool {
    info.trim_start().get(..5).is_some_and(|s| s.eq_ignore_ascii_case("<html"))
}
