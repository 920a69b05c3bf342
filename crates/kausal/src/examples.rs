//! What there is to try: the tutorial, a path of small models, and the examples of the built-in library.

use std::collections::HashSet;
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use kausal_model::Files;
use kausal_syntax::ast::{ClassBody, ClassDef, ClassKind, Element, ModArg};
use kausal_syntax::{Ast, SourceId, modelica};

use crate::files::{BUILT_IN, DiskAndBuiltIn};
use crate::session::nearest;

static TUTORIAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../examples/tutorial");

/// A file to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// What it is called.
    pub file: String,
    /// What is in it.
    pub text: String,
}

/// The models of the tutorial in their order, with what they say about themselves.
pub fn tutorial() -> Vec<(String, String)> {
    let text = |file: &str| TUTORIAL.get_file(file).and_then(|f| f.contents_utf8());
    let mut found = Vec::new();
    // The list in the folder's README is the order: `1. [Resistor](Resistor.mo): …`
    for line in text("README.md").unwrap_or_default().lines() {
        let name = line.split_once(". [").and_then(|(_, rest)| rest.split_once("](")).map(|(name, _)| name);
        let Some((name, text)) = name.and_then(|n| Some((n, text(&format!("{n}.mo"))?))) else { continue };
        let ast = modelica::parse(SourceId(0), Arc::from(text)).ast;
        let about = ast.roots.last().map(|root| ast.description(&ast.classes[*root].description));
        found.push((name.to_owned(), about.unwrap_or_default()));
    }
    found
}

/// A model of the tutorial (`RC`, `RC.mo`, `RC.dym`) or of the library (`Kausal.Examples.RC`) as a file that stands
/// alone; otherwise the name that may have been meant.
pub fn copy(name: &str) -> Result<Copy, Option<String>> {
    let file =
        if name.ends_with(".mo") || name.ends_with(".dym") { name.to_owned() } else { format!("{name}.mo") };
    if let Some(text) = TUTORIAL.get_file(&file).and_then(|f| f.contents_utf8()) {
        return Ok(Copy { file, text: text.to_owned() });
    }
    let library = examples();
    if library.iter().any(|(known, _)| known == name)
        && let Some((_, last)) = name.rsplit_once('.')
        && let Some(text) = DiskAndBuiltIn.read(&format!("{BUILT_IN}/{}.mo", name.replace('.', "/")))
    {
        return Ok(Copy { file: format!("{last}.mo"), text: standing_alone(&text, last) });
    }
    if let Some(example) = named(name) {
        return Err(Some(example));
    }
    let names: Vec<String> = tutorial().into_iter().chain(library).map(|(name, _)| name).collect();
    let near = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
    let of_library = || {
        let lasts: Vec<&str> = names.iter().filter_map(|n| n.rsplit('.').next()).collect();
        nearest(name, lasts.into_iter()).and_then(named)
    };
    // Short names differ much by a letter and a digit.
    let plain = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
    let alike = || names.iter().find(|n| plain(n.rsplit('.').next().unwrap_or(n)) == plain(name)).cloned();
    Err(near.or_else(of_library).or_else(alike))
}

/// The example of the library that has this name in its package, whatever its letters' case.
pub fn named(last: &str) -> Option<String> {
    let is_it = |name: &String| name.rsplit('.').next().is_some_and(|own| own.eq_ignore_ascii_case(last));
    examples().into_iter().map(|(name, _)| name).find(is_it)
}

/// The text of a class in `Kausal.Examples` as one that stands in no package: `within` leaves, and names that were found
/// in the packages around it get their full length.
fn standing_alone(text: &str, own: &str) -> String {
    let names = |folder: &str| -> HashSet<String> {
        let entries = DiskAndBuiltIn.list(&format!("{BUILT_IN}/{folder}")).unwrap_or_default();
        entries.into_iter().map(|e| e.trim_end_matches(".mo").to_owned()).collect()
    };
    let (packages, siblings) = (names("Kausal"), names("Kausal/Examples"));
    let text = match text.split_once(';') {
        Some((head, rest)) if head.starts_with("within") => rest.trim_start(),
        _ => text,
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            c if c.is_ascii_alphabetic() || c == '_' => {
                let word = &rest
                    [..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
                if !out.ends_with('.') && word != own {
                    if packages.contains(word) && rest[word.len()..].starts_with('.') {
                        out.push_str("Kausal.");
                    } else if siblings.contains(word) {
                        out.push_str("Kausal.Examples.");
                    }
                }
                word.len()
            }
            c => c.len_utf8(),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

/// The length of the string a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// All models of `Kausal.Examples` that can be run, with what they say about themselves, by name.
pub fn examples() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![(format!("{BUILT_IN}/Kausal/Examples"), "Kausal.Examples".to_owned())];
    while let Some((folder, package)) = folders.pop() {
        for name in DiskAndBuiltIn.list(&folder).unwrap_or_default() {
            let path = format!("{folder}/{name}");
            if DiskAndBuiltIn.list(&path).is_some() {
                folders.push((path, format!("{package}.{name}")));
            } else if name.ends_with(".mo")
                && let Some(text) = DiskAndBuiltIn.read(&path)
            {
                let ast = modelica::parse(SourceId(0), Arc::from(text)).ast;
                let inside = if name == "package.mo" { None } else { Some(package.as_str()) };
                collect(&ast, inside, &package, &mut found);
            }
        }
    }
    found.sort();
    found
}

/// Adds the runnable models of a file; in a `package.mo` those inside its class.
fn collect(ast: &Ast, inside: Option<&str>, package: &str, found: &mut Vec<(String, String)>) {
    for &root in &ast.roots {
        let class = &ast.classes[root];
        if inside.is_some() {
            add(ast, class, package, found);
        } else if let ClassBody::Long(body) = &class.body {
            for element in &body.elements {
                if let Element::Class(id) = element {
                    add(ast, &ast.classes[*id], package, found);
                }
            }
        }
    }
}

fn add(ast: &Ast, class: &ClassDef, package: &str, found: &mut Vec<(String, String)>) {
    let name = format!("{package}.{}", class.name.symbol);
    let runnable =
        matches!(class.kind, ClassKind::Model | ClassKind::Block | ClassKind::Class) && !class.partial;
    if runnable && has_experiment(ast, class) {
        found.push((name, ast.description(&class.description)));
    } else if class.kind == ClassKind::Package
        && let ClassBody::Long(body) = &class.body
    {
        for element in &body.elements {
            if let Element::Class(id) = element {
                add(ast, &ast.classes[*id], &name, found);
            }
        }
    }
}

fn has_experiment(ast: &Ast, class: &ClassDef) -> bool {
    let Some(annotation) = class.description.annotation else { return false };
    ast.modifications[annotation].args.iter().any(|arg| match arg {
        ModArg::Modify(modify) => ast.name_text(modify.name) == "experiment",
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn the_tutorial_is_in_order_and_complete() {
        let names: Vec<String> = tutorial().into_iter().map(|(name, _)| name).collect();
        assert_eq!((names[0].as_str(), names[names.len() - 1].as_str()), ("Resistor", "Robot"));
        let files = TUTORIAL.files().filter(|f| f.path().extension().is_some_and(|e| e == "mo")).count();
        assert_eq!(names.len(), files, "every model is in the list of README.md: {names:?}");
        assert!(tutorial().iter().all(|(_, about)| !about.is_empty()));
    }

    /// A copy is the same model: as many equations and variables with the same names.
    #[test]
    fn copies_stand_alone() {
        let names = |session: &mut Session, model: &str| -> Vec<String> {
            let flat = session.flatten(model);
            let said = session.take_diagnostics();
            flat.unwrap_or_else(|| panic!("{model}: {said:?}"))
                .variables
                .into_iter()
                .map(|v| v.name)
                .collect()
        };
        for (name, _) in examples() {
            let copy = copy(&name).unwrap_or_else(|_| panic!("{name}"));
            let mut session = Session::new();
            let classes = session.add_text(&copy.file, &copy.text);
            let last = classes.last().expect("a class").clone();
            assert_eq!(name, format!("Kausal.Examples.{last}"));
            assert_eq!(names(&mut session, &last), names(&mut Session::new(), &name), "{name}");
        }
    }

    #[test]
    fn similar_names_are_offered() {
        assert_eq!(copy("Resitor"), Err(Some("Resistor".into())));
        assert_eq!(copy("Kausal.Examples.Rc"), Err(Some("Kausal.Examples.RC".into())));
        assert_eq!(copy("Chua"), Err(Some("Kausal.Examples.Chua".into())));
        assert_eq!(copy("Rc2").map(|_| ()).map_err(|e| e.map(|e| e.ends_with("RC"))), Err(Some(true)));
        assert_eq!(copy("rectifer"), Err(Some("Kausal.Examples.Rectifier".into())));
        assert_eq!(copy("RC.dym").map(|c| c.file), Ok("RC.dym".into()));
    }
}
