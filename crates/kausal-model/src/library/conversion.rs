//! What classes were called in former versions of a library: its conversion scripts say so (specification section 18.8.2.1).

use kausal_syntax::ast::{Binding, Expr, ModArg};

use crate::annotation::{annotation_modify, annotation_value};
use crate::library::{DefId, Library};

impl Library {
    /// The name that the library of a class has for what used to be called `old`.
    pub fn renamed(&self, within: DefId, old: &str) -> Option<String> {
        let mut top = within;
        while let Some(parent) = self.def(top).parent {
            top = parent;
        }
        let scripts = self.conversion_scripts(top);
        let texts = scripts.iter().filter_map(|script| self.files.read(&self.resource(script)?));
        let all: Vec<(String, String)> = texts.flat_map(|text| renamed_classes(&text)).collect();
        let fits =
            |name: &str| old == name || old.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let (name, new) = all.iter().filter(|(name, _)| fits(name)).max_by_key(|(name, _)| name.len())?;
        Some(format!("{new}{}", &old[name.len()..]))
    }

    fn conversion_scripts(&self, top: DefId) -> Vec<String> {
        let ast = self.ast_ref(self.def(top).file);
        let annotation = self.class(top).description.annotation;
        let Some(conversion) = annotation_modify(ast, annotation, "conversion") else { return Vec::new() };
        let mut scripts = Vec::new();
        for arg in &ast.modifications[conversion].args {
            let ModArg::Modify(from) = arg else { continue };
            let script = annotation_value(ast, from.modification, "script").or_else(|| {
                // Earlier versions name the script behind `=`.
                match ast.modifications[from.modification?].binding {
                    Binding::Expr(expr) => Some(expr),
                    _ => None,
                }
            });
            if let Some(Expr::String(text)) = script.map(|expr| ast.exprs[expr]) {
                scripts.push(ast.string(text).into_owned());
            }
        }
        scripts
    }
}

/// The pairs of all `convertClass(old, new)` of a script; several old names may be given for one new one, or for as many.
fn renamed_classes(script: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for call in script.split("convertClass(").skip(1) {
        let mut rest = call;
        let Some(old) = names(&mut rest) else { continue };
        rest = rest.trim_start().trim_start_matches(',');
        let Some(new) = names(&mut rest) else { continue };
        match &new[..] {
            [one] => out.extend(old.into_iter().map(|name| (name, one.clone()))),
            _ => out.extend(old.into_iter().zip(new)),
        }
    }
    out
}

/// A string, or several in braces.
fn names(rest: &mut &str) -> Option<Vec<String>> {
    let text = rest.trim_start();
    let (part, behind) = match text.strip_prefix('{') {
        Some(list) => list.split_once('}')?,
        None => {
            let (name, behind) = text.strip_prefix('"')?.split_once('"')?;
            *rest = behind;
            return Some(vec![name.to_owned()]);
        }
    };
    *rest = behind;
    Some(part.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read() {
        let script = "// a script\nconvertClass(\"A.Old\",\n  \"A.New\")\nconvertClass({\"A.P\", \"A.Q\"}, \"B\");\n\
                      convertClass({\"A.X\", \"A.Y\"}, {\"A.Z\", \"A.W\"}); convertElement(\"A\", \"b\", \"c\");";
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let expected = [
            pair("A.Old", "A.New"),
            pair("A.P", "B"),
            pair("A.Q", "B"),
            pair("A.X", "A.Z"),
            pair("A.Y", "A.W"),
        ];
        assert_eq!(renamed_classes(script), expected);
    }
}
