//! Parameters with what their dialogs need: the `Dialog`, `choices` and `choicesAllMatching` annotations (specification
//! sections 18.3 and 18.7), units, and what of it is enabled now.

use kausal_model::class::annotation_flag;
use kausal_model::instance::InstId;
use kausal_model::lookup::Found;
use kausal_model::view::{Datum, Level, View};
use kausal_syntax::Symbol;
use kausal_syntax::ast::{Binding, ClassBody, Element, ModArg, Variability};

use crate::attributes::Attributes;

/// What can be entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Real,
    /// A whole number.
    Integer,
    /// A truth value.
    Boolean,
    /// A text.
    Text,
    /// A literal.
    Enumeration,
    /// A record.
    Record,
    /// A class.
    Class,
    /// Anything else.
    #[default]
    Other,
}

/// A line of a dialog.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// What is modified: `R`, `w.start`.
    pub path: String,
    /// What it says about itself.
    pub description: String,
    /// What can be entered.
    pub kind: Kind,
    /// The full name of its class.
    pub class: String,
    /// Its dimensions as written.
    pub dimensions: String,
    /// The text of the value it has now.
    pub value: String,
    /// The text of the value its declaration has.
    pub declared: String,
    /// What it is worth.
    pub worth: Option<Datum>,
    /// Its unit.
    pub unit: String,
    /// Its display unit.
    pub display_unit: String,
    /// The least value.
    pub min: Option<f64>,
    /// The greatest value.
    pub max: Option<f64>,
    /// It matters with the other values as they are.
    pub enabled: bool,
    /// Values to choose, with words.
    pub choices: Vec<(String, String)>,
    /// A check box is enough.
    pub check_box: bool,
    /// Of a class: `package`, `model`, …
    pub class_kind: String,
    /// The class that what is chosen has to fit.
    pub constraint: String,
    /// It is a start value.
    pub start: bool,
    /// A file is chosen, to be written or read: filter and caption.
    pub file: Option<(bool, String, String)>,
    /// A colour is chosen.
    pub color: bool,
    /// Its tab.
    pub tab: String,
    /// Its group.
    pub group: String,
    /// What is in a record.
    pub entries: Vec<Entry>,
}

/// A dialog.
#[derive(Clone, Debug, Default)]
pub struct Dialog {
    /// The full name of the class of the component.
    pub class: String,
    /// What that says about itself.
    pub description: String,
    /// Its lines, in the order of the text; inherited ones where their `extends` clause stands.
    pub entries: Vec<Entry>,
}

/// How deep records in dialogs are looked into.
const MAX_DEPTH: u32 = 3;

/// The dialog of a component of the class of a view; of the class itself, if it is empty.
pub fn dialog(view: &mut View<'_>, component: &str) -> Option<Dialog> {
    let root = view.root();
    let mut inst = if component.is_empty() { root } else { view.find(root, component)? };
    // Of an array of components, the first speaks for all.
    if let Some(first) = view.find(root, &format!("{component}[1]"))
        && !component.is_empty()
        && !view.dimensions(inst).is_empty()
    {
        inst = first;
    }
    let level = view.levels(inst);
    let mut out = Dialog {
        class: view.full_name(level.klass),
        description: view.class_description(&level),
        entries: Vec::new(),
    };
    entries(view, &level, "", 0, &mut out.entries);
    Some(out)
}

/// The class that a replaceable one stands for as long as nobody says anything else; nothing for one that is written out.
fn meant(view: &mut View<'_>, level: &Level, name: Symbol) -> String {
    let classes = view.classes();
    let Some(Found::Class(klass)) = classes.find(level.klass, name) else { return String::new() };
    let short = matches!(classes.lib.class(classes.key(klass).def).body, ClassBody::Short(_));
    let base = classes.members(klass).ok().and_then(|members| members.bases.first().copied());
    match base.filter(|_| short) {
        Some(base) => view.full_name(base),
        None => String::new(),
    }
}

fn entries(view: &mut View<'_>, level: &Level, prefix: &str, depth: u32, out: &mut Vec<Entry>) {
    for (name, kind, constraint, description) in view.replaceable_classes(level) {
        let entry = Entry {
            value: meant(view, level, name),
            path: format!("{prefix}{name}"),
            description,
            kind: Kind::Class,
            class_kind: format!("{kind:?}").to_lowercase(),
            enabled: true,
            constraint,
            ..Entry::default()
        };
        add(out, entry);
    }
    // What is inherited comes where its `extends` clause stands: the order of the text is what its author means.
    let mut bases = level.bases.iter();
    let mut told = 0;
    for component in view.components(level) {
        let before = clauses_before(view, level, component);
        while told < before
            && let Some((base, _)) = bases.next()
        {
            told += 1;
            entries(view, base, prefix, depth, out);
        }
        if let Some(entry) = entry(view, level, component, prefix, depth) {
            add(out, entry);
        }
    }
    for (base, _) in bases {
        entries(view, base, prefix, depth, out);
    }
}

/// How many `extends` clauses stand before a component in the text of its class.
fn clauses_before(view: &mut View<'_>, level: &Level, component: InstId) -> usize {
    let Some(info) = view.info(component) else { return 0 };
    let ast = view.ast(level.file);
    let declared = ast.classes.iter().find_map(|(_, class)| {
        let ClassBody::Long(body) = &class.body else { return None };
        let is_it = |e: &Element| matches!(e, Element::Component(c) if *c == info.component);
        body.elements.iter().position(is_it).map(|at| (body, at))
    });
    match declared {
        Some((body, at)) if info.file == level.file => {
            body.elements[..at].iter().filter(|e| matches!(e, Element::Extends(_))).count()
        }
        _ => level.bases.len(),
    }
}

/// What several bases have is one element (specification section 7.1), and what is redeclared as well: it has one line, where it
/// came first, with what was said last.
fn add(out: &mut Vec<Entry>, mut entry: Entry) {
    match out.iter_mut().find(|known| known.path == entry.path) {
        Some(known) => {
            if entry.description.is_empty() {
                entry.description = std::mem::take(&mut known.description);
            }
            *known = entry;
        }
        None => out.push(entry),
    }
}

fn entry(view: &mut View<'_>, level: &Level, component: InstId, prefix: &str, depth: u32) -> Option<Entry> {
    let info = view.info(component)?;
    let dialog = view.component_annotation(level, component, "Dialog").map(|a| Attributes::of(&a));
    let flag = |view: &mut View<'_>, name: &str| {
        dialog.as_ref().and_then(|d| d.boolean(view, name, None)).unwrap_or(false)
    };
    let start = flag(view, "showStartAttribute");
    let is_parameter = info.variability == Variability::Parameter;
    // In a record everything is given as a parameter is.
    let in_record = depth > 0 && info.variability > Variability::Constant;
    let ast = view.ast(info.file);
    let replaceable = ast.components[info.component].prefixes.replaceable && info.leaf.is_none();
    if info.protected || info.is_final || !(is_parameter || start || in_record || replaceable) {
        return None;
    }
    let text = |view: &mut View<'_>, name: &str| {
        dialog.as_ref().and_then(|d| d.text(view, name, None)).unwrap_or_default()
    };
    let name = view.name(component);
    let mut out = Entry {
        path: format!("{prefix}{name}{}", if start { ".start" } else { "" }),
        description: view.component_description(level, component),
        class: view.full_name(info.klass),
        dimensions: view.dimensions(component),
        tab: text(view, "tab"),
        group: text(view, "group"),
        enabled: dialog.as_ref().and_then(|d| d.boolean(view, "enable", None)).unwrap_or(true),
        color: flag(view, "colorSelector"),
        start,
        ..Entry::default()
    };
    for (attribute, save) in [("loadSelector", false), ("saveSelector", true)] {
        if let Some(selector) = dialog.as_ref().and_then(|d| d.nested(attribute)) {
            let filter = selector.text(view, "filter", None).unwrap_or_default();
            let caption = selector.text(view, "caption", None).unwrap_or_default();
            out.file = Some((save, filter, caption));
        }
    }
    let number = |datum: Option<Datum>| match datum {
        Some(Datum::Number(x)) if x.is_finite() && x.abs() < 1e59 => Some(x),
        _ => None,
    };
    use kausal_model::prelude::Builtin;
    out.kind = match info.leaf.map(|l| l.builtin) {
        Some(Builtin::Real) => Kind::Real,
        Some(Builtin::Integer) => Kind::Integer,
        Some(Builtin::Boolean) => Kind::Boolean,
        Some(Builtin::String) => Kind::Text,
        Some(Builtin::Enumeration(_)) => Kind::Enumeration,
        Some(_) => Kind::Other,
        None if replaceable && !is_parameter => Kind::Class,
        None => Kind::Record,
    };
    if out.kind == Kind::Class {
        out.constraint = out.class.clone();
    }
    if info.leaf.is_some() {
        out.unit = view.text_attribute(component, "unit").unwrap_or_default();
        out.display_unit = view.text_attribute(component, "displayUnit").unwrap_or_default();
        out.min = number(view.attribute(component, "min"));
        out.max = number(view.attribute(component, "max"));
    }
    if start {
        out.worth = view.attribute(component, "start");
    } else {
        out.value = view.value_source(component).unwrap_or_default();
        out.declared = view.declared_source(component).unwrap_or_default();
        out.worth = view.value(component, None);
    }
    if let Some((class, literals)) = view.literals(component) {
        out.choices = literals
            .into_iter()
            .map(|(name, words)| (format!("{class}.{name}"), if words.is_empty() { name } else { words }))
            .collect();
    }
    choices(view, level, component, &mut out);
    if out.kind == Kind::Record && depth < MAX_DEPTH {
        let inner = view.levels(component);
        let prefix = format!("{}.", out.path);
        let mut list = Vec::new();
        entries(view, &inner, &prefix, depth + 1, &mut list);
        out.entries = list;
    }
    let declared = ast.components[info.component].description.annotation;
    if annotation_flag(&ast, declared, "choicesAllMatching") == Some(true) && out.constraint.is_empty() {
        out.constraint = out.class.clone();
    }
    Some(out)
}

/// The `choices` annotation: values with their descriptions.
fn choices(view: &mut View<'_>, level: &Level, component: InstId, out: &mut Entry) {
    let Some(annotation) = view.component_annotation(level, component, "choices") else { return };
    let ast = annotation.ast;
    let mut found = Vec::new();
    for arg in &ast.modifications[annotation.modification].args {
        let ModArg::Modify(m) = arg else { continue };
        let [name] = ast.lists.idents.get(m.name.parts) else { continue };
        let Some(id) = m.modification else { continue };
        let Binding::Expr(e) = ast.modifications[id].binding else { continue };
        let span = ast.span(e);
        let value = &ast.text[span.start as usize..span.end as usize];
        match name.symbol.as_str() {
            "checkBox" => out.check_box = value == "true",
            "choice" => {
                let words: String = m.description.iter().map(|&s| ast.string(s)).collect();
                found.push((value.to_owned(), if words.is_empty() { value.to_owned() } else { words }));
            }
            _ => {}
        }
    }
    if !found.is_empty() {
        out.choices = found;
    }
}
