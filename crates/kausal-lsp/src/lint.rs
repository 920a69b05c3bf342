//! What is no error but probably not meant: unused imports and parameters, missing units, shadowed names; and what models mean
//! ([`physics`]).
//!
//! The tree of one file decides, so that a lint is the same in an editor, on the command line and without any library; only what
//! is about classes of libraries looks there ([`lint_units`], [`lint_library`]).
//! `// lint: allow K0601` behind a line, or on the line before it, switches a lint off there; before the first class, in
//! the whole file.

mod library;
pub(crate) mod physics;

use kausal_syntax::ast::{ClassBody, ClassId, ClassKind, Element, ImportKind, ModArg, ModId, Variability};
use kausal_syntax::modelica::{LexemeKind, lexemes};
use kausal_syntax::{Ast, Diagnostic, Location, SourceId, Sources, Span, Symbol};
use rustc_hash::FxHashSet;

use crate::lines::Lines;
use crate::references::{Kind, Reference, references};

/// The lints of a file without syntax errors, in the order of the text. In `package.mo` a package only begins: what else is in it
/// has files of its own.
pub fn lint(ast: &Ast, path: &str) -> Vec<Diagnostic> {
    let is_folder = path.rsplit(['/', '\\']).next() == Some("package.mo");
    let names = references(ast);
    let mut out = Vec::new();
    for (id, class) in ast.classes.iter() {
        let ClassBody::Long(body) = &class.body else { continue };
        for element in &body.elements {
            match element {
                Element::Import(_) if is_folder && ast.roots.contains(&id) => {}
                Element::Import(import) => out.extend(unused_import(ast, &names, id, import)),
                Element::Component(c) => {
                    out.extend(unused_parameter(ast, &names, id, *c));
                    out.extend(missing_unit(ast, id, *c));
                }
                _ => {}
            }
        }
        out.extend(physics::of_class(ast, &names, id));
    }
    out.extend(physics::of_file(ast, &names));
    out.extend(shadowed(ast, &names));
    let allowed = Allowed::new(&ast.text);
    out.retain(|d| d.labels.first().is_none_or(|l| !allowed.has(d.code, l.location.span.start)));
    out.sort_by_key(|d| d.labels.first().map_or(0, |l| l.location.span.start));
    out
}

/// What is wrong with a text, and where it is correct, its lints. The text is registered where there is something to say.
pub fn lint_text(sources: &mut Sources, name: &str, text: &str) -> Vec<Diagnostic> {
    let text = text.trim_start_matches('\u{feff}');
    let find = |source| {
        let parse = kausal_syntax::modelica::parse(source, text.into());
        match parse.has_errors() {
            true => parse.diagnostics,
            false => lint(&parse.ast, name),
        }
    };
    let mut found = find(SourceId(0));
    if !found.is_empty() {
        let source = sources.add(name, text);
        found.iter_mut().flat_map(|d| &mut d.labels).for_each(|l| l.location.source = source);
    }
    found
}

/// The units of the classes of a file, as [`crate::check_units`] finds them; lints are switched off as others are.
pub fn lint_units(
    world: &mut crate::World,
    sources: &mut Sources,
    path: &str,
    text: &str,
) -> Vec<Diagnostic> {
    let found = crate::check_units(world, path);
    told(world, sources, text, found)
}

/// Lints that need the libraries a file uses: deprecated classes of others, connectors of their components that nothing is connected to.
pub fn lint_library(
    world: &mut crate::World,
    sources: &mut Sources,
    path: &str,
    text: &str,
) -> Vec<Diagnostic> {
    // Behind a syntax error much is missing that is only not read.
    if kausal_syntax::modelica::parse(SourceId(0), text.trim_start_matches('\u{feff}').into()).has_errors() {
        return Vec::new();
    }
    let found = library::of_file(world, path);
    told(world, sources, text, found)
}

/// Without what the text switches off, and with its places in other sources.
fn told(
    world: &mut crate::World,
    sources: &mut Sources,
    text: &str,
    mut found: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let allowed = Allowed::new(text.trim_start_matches('\u{feff}'));
    found.retain(|d| d.labels.first().is_none_or(|l| !allowed.has(d.code, l.location.span.start)));
    let known = world.model().sources();
    for label in found.iter_mut().flat_map(|d| &mut d.labels) {
        let source = known.get(label.location.source);
        label.location.source = sources.add(source.name.clone(), source.text.clone());
    }
    found
}

fn at(ast: &Ast, span: Span) -> Location {
    Location { source: ast.source, span }
}

/// Is a class this one, or within it?
fn is_within(ast: &Ast, class: Option<ClassId>, outer: ClassId) -> bool {
    let mut at = class;
    while let Some(c) = at {
        if c == outer {
            return true;
        }
        at = ast.classes[c].parent;
    }
    false
}

fn unused_import(
    ast: &Ast,
    names: &[Reference],
    class: ClassId,
    import: &kausal_syntax::ast::Import,
) -> Vec<Diagnostic> {
    let last = ast.lists.idents.get(import.name.parts).last().map(|i| i.symbol);
    let brought: Vec<Symbol> = match &import.kind {
        ImportKind::Qualified => last.into_iter().collect(),
        ImportKind::Renamed(alias) => vec![alias.symbol],
        ImportKind::Listed(names) => names.iter().map(|n| n.symbol).collect(),
        // What it brings only the package knows.
        ImportKind::Unqualified => Vec::new(),
    };
    let is_used = |name: Symbol| {
        names.iter().any(|r| {
            r.parts[0].name == name && r.kind != Kind::Import && !r.global && is_within(ast, r.scope, class)
        })
    };
    let unused: Vec<&str> = brought.iter().filter(|&&n| !is_used(n)).map(|n| n.as_str()).collect();
    if unused.is_empty() {
        return Vec::new();
    }
    let message = format!("{} is imported, but not used", unused.join(", "));
    let whole = unused.len() == brought.len();
    let label = if whole { "remove it" } else { "" };
    vec![Diagnostic::warning("K0601", message).at(at(ast, import.span), label)]
}

fn unused_parameter(
    ast: &Ast,
    names: &[Reference],
    class: ClassId,
    id: kausal_syntax::ast::ComponentId,
) -> Option<Diagnostic> {
    let (c, owner) = (&ast.components[id], &ast.classes[class]);
    let is_model = matches!(owner.kind, ClassKind::Model | ClassKind::Block) && !owner.partial;
    if !is_model
        || c.variability != Variability::Parameter
        || c.prefixes.inner
        || c.prefixes.outer
        || c.prefixes.redeclare
    {
        return None;
    }
    let name = c.name.symbol;
    let is_mentioned = names.iter().any(|r| {
        let refers = !matches!(r.kind, Kind::Component(_) | Kind::Modifier(..) | Kind::Argument(_));
        refers && r.parts.iter().any(|p| p.name == name)
    });
    // Icons show values: "R=%R".
    let shown = format!("%{name}");
    let span = owner.span;
    let is_shown = ast.text[span.start as usize..span.end as usize].contains(&shown);
    // A class that others of this file are based on may have it for these.
    let is_base = names
        .iter()
        .any(|r| r.kind == Kind::Type && r.parts.last().is_some_and(|p| p.name == owner.name.symbol));
    // What is around everything as `inner` is asked by others.
    let is_around =
        annotated(ast, span, "defaultComponentPrefixes").is_some_and(|words| words.contains("inner"));
    if is_mentioned || is_shown || is_base || is_around {
        return None;
    }
    let message = format!("the parameter {name} is not used");
    Some(
        Diagnostic::warning("K0602", message)
            .at(at(ast, c.name.span), "nothing in this class depends on it")
            .help("remove it, or say who needs it: `// lint: allow K0602`"),
    )
}

/// The text of an annotation of a class.
fn annotated<'a>(ast: &'a Ast, class: Span, name: &str) -> Option<&'a str> {
    let text = &ast.text[class.start as usize..class.end as usize];
    let behind = text[text.find(name)? + name.len()..].trim_start().strip_prefix('=')?;
    behind.trim_start().strip_prefix('"')?.split('"').next()
}

fn missing_unit(ast: &Ast, class: ClassId, id: kausal_syntax::ast::ComponentId) -> Option<Diagnostic> {
    let (c, owner) = (&ast.components[id], &ast.classes[class]);
    let counts = match owner.kind {
        ClassKind::Model | ClassKind::Block => {
            c.variability == Variability::Parameter && !c.prefixes.protected
        }
        ClassKind::Connector => true,
        _ => false,
    };
    let is_real = matches!(ast.lists.idents.get(c.type_name.parts), [only] if only.symbol.as_str() == "Real");
    if !counts || !is_real || c.prefixes.redeclare || has_modifier(ast, c.modification, "unit") {
        return None;
    }
    let message = format!("{} has no unit", c.name.symbol);
    Some(Diagnostic::note("K0603", message).at(at(ast, c.name.span), "").help(
        "take a type with a unit (Modelica.Units.SI), or write `unit = \"…\"`; \"1\" for what has no dimension",
    ))
}

fn has_modifier(ast: &Ast, modification: Option<ModId>, name: &str) -> bool {
    modification.is_some_and(|id| {
        ast.modifications[id].args.iter().any(|arg| match arg {
            ModArg::Modify(m) => {
                matches!(ast.lists.idents.get(m.name.parts), [one] if one.symbol.as_str() == name)
            }
            _ => false,
        })
    })
}

/// Loop variables with the name of a component of the class: inside of the loop that cannot be seen.
fn shadowed(ast: &Ast, names: &[Reference]) -> Vec<Diagnostic> {
    let declares = |r: &&Reference| matches!(r.kind, Kind::Loop(span) if span == r.parts[0].span);
    let mut out = Vec::new();
    for r in names.iter().filter(declares) {
        let Some(scope) = r.scope else { continue };
        let ClassBody::Long(body) = &ast.classes[scope].body else { continue };
        let name = r.parts[0].name;
        let hidden = body.elements.iter().find_map(|e| match e {
            Element::Component(c) if ast.components[*c].name.symbol == name => {
                Some(ast.components[*c].name.span)
            }
            _ => None,
        });
        if let Some(span) = hidden {
            let message = format!("the loop variable {name} hides the component of the same name");
            out.push(
                Diagnostic::warning("K0604", message)
                    .at(at(ast, r.parts[0].span), "in this loop")
                    .at(at(ast, span), "this one is hidden")
                    .help("give the loop variable another name"),
            );
        }
    }
    out
}

/// Where lints are switched off.
struct Allowed {
    lines: Lines,
    everywhere: FxHashSet<String>,
    here: FxHashSet<(usize, String)>,
}

impl Allowed {
    fn new(text: &str) -> Allowed {
        let lines = Lines::new(text);
        let (mut everywhere, mut here) = (FxHashSet::default(), FxHashSet::default());
        let mut before_classes = true;
        let mut last_line = None;
        for l in lexemes(text) {
            let part = &text[l.span.start as usize..l.span.end as usize];
            let line = lines.line(l.span.start);
            if !matches!(l.kind, LexemeKind::LineComment | LexemeKind::BlockComment) {
                before_classes &= matches!(part, "within" | ";" | ".") || l.kind == LexemeKind::Ident;
                last_line = Some(lines.line(l.span.end));
                continue;
            }
            let Some((_, codes)) = part.split_once("lint: allow") else { continue };
            for code in codes.split(|c: char| !c.is_ascii_alphanumeric()).filter(|c| c.starts_with("K06")) {
                if before_classes {
                    everywhere.insert(code.to_owned());
                } else if last_line == Some(line) {
                    here.insert((line, code.to_owned()));
                } else {
                    here.insert((lines.line(l.span.end) + 1, code.to_owned()));
                }
            }
        }
        Allowed { lines, everywhere, here }
    }

    fn has(&self, code: &str, offset: u32) -> bool {
        self.everywhere.contains(code) || self.here.contains(&(self.lines.line(offset), code.to_owned()))
    }
}

/// Mends what can be mended without asking: slips the parser reads as they were meant, and unused imports. Gives the text and
/// how many places changed.
pub fn fix(text: &str, path: &str) -> (String, usize) {
    let mut text = text.to_owned();
    let mut count = 0;
    // A fix may bring out the next one; each round mends at least one place.
    for _ in 0..100 {
        let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.as_str().into());
        let slips: Vec<(Span, String)> = parse.diagnostics.iter().filter_map(slip).collect();
        let mut edits = slips;
        if !parse.has_errors() {
            let unused = lint(&parse.ast, path).into_iter().filter(|d| d.code == "K0601");
            edits.extend(unused.filter_map(|d| {
                let label = d.labels.first().filter(|l| l.message == "remove it")?;
                Some((with_line(&text, label.location.span), String::new()))
            }));
        }
        edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut last = u32::MAX;
        let mut changed = text.clone();
        let mut done = 0;
        for (span, new) in edits {
            if span.end <= last {
                changed.replace_range(span.start as usize..span.end as usize, &new);
                last = span.start;
                done += 1;
            }
        }
        let errors = |text: &str| {
            let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.into());
            parse.diagnostics.iter().filter(|d| d.is_error()).count()
        };
        // Nothing is mended by making more of it wrong.
        if done == 0 || errors(&changed) > errors(&text) {
            break;
        }
        text = changed;
        count += done;
    }
    (text, count)
}

/// What was meant, where that is plain.
fn slip(d: &Diagnostic) -> Option<(Span, String)> {
    let label = d.labels.first()?;
    let right = label.message.strip_prefix("write `")?.strip_suffix('`')?;
    Some((label.location.span, right.to_owned()))
}

/// A declaration with its `;`, and its line if that has nothing else.
fn with_line(text: &str, span: Span) -> Span {
    let mut end = span.end as usize;
    let rest = &text[end..];
    if let Some(at) = rest.find(';').filter(|&at| rest[..at].trim().is_empty()) {
        end += at + 1;
    }
    let line = text[..span.start as usize].rfind('\n').map_or(0, |i| i + 1);
    let after = text[end..].find('\n').map_or(text.len(), |i| end + i + 1);
    let alone = text[line..span.start as usize].trim().is_empty() && text[end..after].trim().is_empty();
    if alone { Span::new(line as u32, after as u32) } else { Span::new(span.start, end as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(&'static str, String)> {
        let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.into());
        assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
        let word = |d: &Diagnostic| {
            let span = d.labels[0].location.span;
            text[span.start as usize..span.end as usize].to_owned()
        };
        lint(&parse.ast, "A.mo").iter().map(|d| (d.code, word(d))).collect()
    }

    #[test]
    fn imports() {
        let text = "package P import A.B; import C = A.D; import A.{E, F}; import A.*; model M B b; C.X c; F f; end M; end P;";
        assert_eq!(codes(text), [("K0601", "import A.{E, F}".to_owned())]);
        let text = "model M\n  import A.B;\n  Real x; // B\nequation\n  x = 1;\nend M;\n";
        assert_eq!(codes(text).len(), 1);
        assert_eq!(
            fix(text, "M.mo"),
            ("model M\n  Real x; // B\nequation\n  x = 1;\nend M;\n".to_owned(), 1)
        );
    }

    /// What a package in a folder imports, its classes in other files may use.
    #[test]
    fn imports_of_packages_in_folders() {
        let text = "within;\npackage P\n  import A.B;\n  model M\n    import A.C;\n  end M;\nend P;\n";
        let inner = "within;\npackage P\n  import A.B;\n  model M\n  end M;\nend P;\n".to_owned();
        assert_eq!(fix(text, "lib/P/package.mo"), (inner, 1));
        assert_eq!(fix(text, "lib/P.mo").1, 2);
    }

    #[test]
    fn parameters_and_units() {
        let text = "model M parameter Integer n = 2; parameter Integer m = 1; parameter Real k(unit = \"1\") = m; \
                    parameter Real shown = 1 annotation(Icon(graphics = {Text(textString = \"%shown\")})); \
                    Real x; equation x = k*n; end M;";
        assert_eq!(codes(text), [("K0603", "shown".to_owned())]);
        let text = "model M parameter Integer n = 2; Real x; equation x = 1; end M;";
        assert_eq!(codes(text), [("K0602", "n".to_owned())]);
        let text = "connector C Real v; flow Real i(unit = \"A\"); end C;";
        assert_eq!(codes(text), [("K0603", "v".to_owned())]);
    }

    /// What is around other components as `inner` is used by them.
    #[test]
    fn inner_components_are_for_others() {
        let text =
            "model S parameter Integer n = 2; annotation(defaultComponentPrefixes = \"inner\"); end S;";
        assert_eq!(codes(text), []);
        let text = "package P connector Pin Real v(unit = \"V\"); flow Real i(unit = \"A\"); end Pin; \
                    model Root Pin p; end Root; \
                    model M inner Root root; annotation(experiment(StopTime = 1)); end M; end P;";
        assert_eq!(codes(text), []);
        assert_eq!(codes(&text.replace("inner ", "")), [("K0605", "root".to_owned())]);
    }

    #[test]
    fn loops() {
        let text = "model M Integer i = 1; Real x[2]; equation for i in 1:2 loop x[i] = i; end for; end M;";
        assert_eq!(codes(text), [("K0604", "i".to_owned())]);
    }

    #[test]
    fn open_connectors() {
        let library = "package P connector Pin Real v(unit = \"V\"); flow Real i(unit = \"A\"); end Pin; partial model Two Pin p; Pin n; end Two; \
                       model R extends Two; end R; ";
        let one = |body: &str| {
            codes(&format!(
                "{library} model M R a; R b; equation {body} annotation(experiment(StopTime = 1)); end M; end P;"
            ))
        };
        assert_eq!(one("connect(a.p, b.p); connect(a.n, b.n);"), []);
        assert_eq!(one("connect(a.p, b.p); a.n.v = 0;"), [("K0605", "b".to_owned())]);
        // Without an experiment others may connect it.
        assert_eq!(codes(&format!("{library} model M R a; end M; end P;")), []);
    }

    #[test]
    fn starts_left_to_chance() {
        let one = |x: &str, initial: &str| {
            codes(&format!(
                "model M {x} {initial} equation der(x) = -x; annotation(experiment(StopTime = 1)); end M;"
            ))
        };
        assert_eq!(one("Real x(start = 1);", ""), [("K0606", "x".to_owned())]);
        assert_eq!(one("Real x(start = 1, fixed = true);", ""), []);
        assert_eq!(one("Real x;", "initial equation x = 3;"), []);
    }

    #[test]
    fn jumps_without_events() {
        let one = |e: &str| codes(&format!("model M Real x = noEvent({e}); end M;")).len();
        assert_eq!(one("if time > 1 then 1 else -1"), 1);
        assert_eq!(one("2*sign(time)"), 1);
        assert_eq!(one("if time > 1 then sqrt(time) else 0"), 0);
        assert_eq!(one("if time > 1 then 2 else 2"), 0);
    }

    #[test]
    fn deprecated_classes() {
        let text =
            "package P model Old annotation(obsolete = \"take New\"); end Old; model M Old o; end M; end P;";
        assert_eq!(codes(text), [("K0608", "Old".to_owned())]);
    }

    #[test]
    fn switched_off() {
        let one = |comment: &str, behind: &str| {
            format!("{comment}\nmodel M\n  parameter Integer n = 2;{behind}\n  Real x = 1;\nend M;")
        };
        assert_eq!(codes(&one("", "")).len(), 1);
        assert_eq!(codes(&one("// lint: allow K0602", "")), []);
        assert_eq!(codes(&one("", " // lint: allow K0602, K0603")), []);
        assert_eq!(codes(&one("", " // lint: allow K0603")).len(), 1);
        let before = "model M\n  // lint: allow K0602\n  parameter Integer n = 2;\n  Real x = 1;\nend M;";
        assert_eq!(codes(before), []);
    }

    #[test]
    fn slips_are_mended() {
        let (text, count) = fix("model M Real x; equation x := 1; end M;", "M.mo");
        assert_eq!((text.as_str(), count), ("model M Real x; equation x = 1; end M;", 1));
        assert_eq!(fix("model M Real x; equation x = ; end M;", "M.mo").1, 0);
    }
}
