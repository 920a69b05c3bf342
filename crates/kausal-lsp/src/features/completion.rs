//! What can be written at the cursor: names in scope, members behind a dot, modifiers and arguments with their defaults,
//! connectors that fit, annotations, units, classes of the workspace with the import they need.
//!
//! The text before the cursor is looked at as words: while somebody types, it is seldom a correct model.

use kausal_model::class::{KlassId, MemberKind};
use kausal_model::library::FileId;
use kausal_syntax::ast::{ClassKind, Variability};
use kausal_syntax::modelica::{Lexeme, LexemeKind, lexemes};
use kausal_syntax::{Span, Symbol};
use serde_json::{Value, json};

use super::describe;
use crate::references::Part;
use crate::worker::Worker;
use crate::world::{ATTRIBUTES, Resolved, Target, What};

/// The innermost parenthesis around the cursor.
pub struct Context {
    /// The name before it.
    pub owner: Vec<Part>,
    /// With a leading dot.
    pub global: bool,
    /// The word before that: `extends`, or the type of a component.
    pub before: Vec<Part>,
    /// How many commas are between it and the cursor.
    pub commas: usize,
    /// The name of the argument the cursor is in.
    pub argument: Option<String>,
    /// The names around this one, outermost first.
    pub around: Vec<String>,
    /// The first argument, as written.
    pub first: Vec<Part>,
}

fn slice<'t>(text: &'t str, l: &Lexeme) -> &'t str {
    &text[l.span.start as usize..l.span.end as usize]
}

/// The dotted name that ends at `end` (not included); where it begins.
fn name_before(text: &str, units: &[Lexeme], end: usize) -> (Vec<Part>, usize, bool) {
    let mut parts = Vec::new();
    let mut at = end;
    loop {
        // Subscripts are skipped.
        if at > 0 && slice(text, &units[at - 1]) == "]" {
            let mut depth = 0;
            while at > 0 {
                at -= 1;
                match slice(text, &units[at]) {
                    "]" => depth += 1,
                    "[" => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        let word = |l: &Lexeme| {
            l.kind == LexemeKind::Ident
                || matches!(slice(text, l), "der" | "connect" | "annotation" | "initial")
        };
        if at == 0 || !word(&units[at - 1]) {
            return (parts, at, false);
        }
        at -= 1;
        parts.insert(0, Part { name: Symbol::new(slice(text, &units[at])), span: units[at].span });
        if at == 0 || slice(text, &units[at - 1]) != "." {
            return (parts, at, false);
        }
        at -= 1;
        if at == 0 || !(word(&units[at - 1]) || slice(text, &units[at - 1]) == "]") {
            return (parts, at, true);
        }
    }
}

/// The parenthesis the end of these words is in.
pub fn context(text: &str, units: &[Lexeme]) -> Option<Context> {
    let mut depth = 0;
    let mut commas = 0;
    let mut argument_end = units.len();
    let mut argument = None;
    let mut open = None;
    for (i, l) in units.iter().enumerate().rev() {
        match slice(text, l) {
            ")" | "]" | "}" => depth += 1,
            "(" if depth == 0 => {
                open = Some(i);
                break;
            }
            "[" | "{" if depth == 0 => {
                commas = 0;
                argument_end = i;
            }
            "(" | "[" | "{" => depth -= 1,
            "," if depth == 0 => {
                commas += 1;
                argument_end = argument_end.min(i);
            }
            "=" if depth == 0 && commas == 0 && i > 0 => {
                argument = Some(slice(text, &units[i - 1]).to_owned())
            }
            ";" if depth == 0 => return None,
            _ => {}
        }
    }
    let open = open?;
    let (owner, start, global) = name_before(text, units, open);
    if owner.is_empty() {
        return None;
    }
    let (before, _, _) = name_before(text, units, start);
    let outer = context(text, &units[..start]);
    let mut around = outer.map_or(Vec::new(), |o| {
        let mut list = o.around;
        list.push(o.owner.last().map_or(String::new(), |p| p.name.to_string()));
        list
    });
    around.retain(|n| !n.is_empty());
    let first_end = (open + 1..units.len()).find(|&i| slice(text, &units[i]) == ",").unwrap_or(units.len());
    let (first, _, _) = name_before(text, units, first_end);
    Some(Context { owner, global, before, commas, argument, around, first })
}

struct List {
    items: Vec<Value>,
    prefix: String,
    seen: rustc_hash::FxHashSet<String>,
}

/// As many proposals are given at once; the client filters these.
const MOST: usize = 400;

impl List {
    /// Proposes a word; `rank` sorts.
    fn add(&mut self, label: &str, kind: u32, detail: &str, rank: u32) -> Option<&mut Value> {
        let fits = label.len() >= self.prefix.len()
            && label.get(..self.prefix.len()).is_some_and(|l| l.eq_ignore_ascii_case(&self.prefix));
        if !fits || self.items.len() >= MOST || label.starts_with('$') || !self.seen.insert(label.to_owned())
        {
            return None;
        }
        self.items.push(
            json!({"label": label, "kind": kind, "detail": detail, "sortText": format!("{rank}{label}")}),
        );
        self.items.last_mut()
    }
}

/// `textDocument/completion`
pub fn completion(w: &mut Worker, params: &Value) -> Option<Value> {
    let (file, offset) = match w.cursor(params) {
        Some(found) => found,
        None => return keywords_only(w, params),
    };
    let text = w.document(params)?.text.clone();
    let all = lexemes(&text[..offset as usize]);
    if let Some(last) = all.last() {
        let touches = last.span.end == offset;
        match last.kind {
            LexemeKind::LineComment if touches => return None,
            LexemeKind::Wrong if text[last.span.start as usize..].starts_with('"') => {
                return in_string(&text, &all[..all.len() - 1]);
            }
            LexemeKind::String if touches => return None,
            _ => {}
        }
    }
    let mut units: Vec<Lexeme> = all
        .into_iter()
        .filter(|l| !matches!(l.kind, LexemeKind::LineComment | LexemeKind::BlockComment))
        .collect();
    let mut list = List { items: Vec::new(), prefix: String::new(), seen: Default::default() };
    if let Some(last) = units.last().copied()
        && last.span.end == offset
        && matches!(last.kind, LexemeKind::Ident | LexemeKind::Keyword)
    {
        list.prefix = slice(&text, &last).to_owned();
        units.pop();
    }
    let class = w.world.class_at(file, offset);
    let scope = class.and_then(|c| w.world.klass(file, c));
    let text_of = |i: usize| units.get(i).map_or("", |l| slice(&text, l));
    let last = units.len().checked_sub(1).map_or("", text_of);
    if last == "." {
        let (path, _, global) = name_before(&text, &units, units.len() - 1);
        if path.is_empty() {
            roots(w, &mut list);
        } else {
            let word = units[..units.len() - 1].len().checked_sub(path.len() * 2).map_or("", text_of);
            members(w, scope, global || word == "import", &path, &mut list);
        }
    } else if matches!(last, "import" | "within") {
        roots(w, &mut list);
    } else if let Some(context) = context(&text, &units) {
        let is_value = last != "(" && last != ",";
        in_parenthesis(w, scope, &context, is_value, &mut list);
        if list.items.is_empty()
            && !context
                .around
                .iter()
                .chain(context.owner.iter().map(|p| p.name.to_string()).collect::<Vec<_>>().iter())
                .any(|n| n == "annotation")
        {
            names(w, scope, &mut list);
        }
    } else {
        names(w, scope, &mut list);
        keywords(&mut list);
        importable(w, file, class, &mut list);
    }
    w.world.forget_messages();
    let incomplete = list.items.len() >= MOST;
    Some(json!({"isIncomplete": incomplete, "items": list.items}))
}

fn keywords_only(w: &mut Worker, params: &Value) -> Option<Value> {
    w.document(params)?;
    let mut list = List { items: Vec::new(), prefix: String::new(), seen: Default::default() };
    keywords(&mut list);
    Some(json!({"isIncomplete": false, "items": list.items}))
}

fn class_kind(kind: ClassKind) -> u32 {
    match kind {
        ClassKind::Package => 9,
        ClassKind::Function | ClassKind::OperatorFunction | ClassKind::Operator => 3,
        ClassKind::Connector | ClassKind::ExpandableConnector => 8,
        ClassKind::Type => 25,
        ClassKind::Record | ClassKind::OperatorRecord => 22,
        _ => 7,
    }
}

fn roots(w: &mut Worker, list: &mut List) {
    let roots: Vec<(Symbol, ClassKind, String)> = w
        .index
        .files
        .values()
        .flat_map(|f| &f.classes)
        .filter(|e| e.container.is_empty())
        .map(|e| (e.name, e.kind, e.description.clone()))
        .collect();
    for (name, kind, description) in roots {
        list.add(name.as_str(), class_kind(kind), &description, 1);
    }
    for name in w.world.classes().lib.root_names() {
        list.add(name.as_str(), 9, "", 2);
    }
}

/// Members of what a path stands for.
fn members(w: &mut Worker, scope: Option<KlassId>, global: bool, path: &[Part], list: &mut List) {
    let klass = match w.world.path(scope, global, path, path.len() - 1) {
        Resolved::Found(Target { what: What::Class(k), .. }) => k,
        Resolved::Found(Target { what: What::Component { member, .. }, .. }) => {
            match describe::info(&mut w.world, &member) {
                Some(info) => info.klass,
                None => return,
            }
        }
        _ => return,
    };
    elements(w, klass, list, 1, false);
    let classes = w.world.classes();
    let mut at = Some(klass);
    for _ in 0..32 {
        let Some(k) = at else { break };
        if let kausal_syntax::ast::ClassBody::Enumeration(Some(literals)) =
            &classes.lib.class(classes.key(k).def).body
        {
            for l in literals {
                list.add(l.name.symbol.as_str(), 20, "", 1);
            }
        }
        at = classes.members_if_built(k).and_then(|m| m.bases.first().copied());
    }
}

/// The elements of a class: components, classes written in it, and (for packages) those in its folder.
fn elements(w: &mut Worker, k: KlassId, list: &mut List, rank: u32, protected: bool) {
    let classes = w.world.classes();
    let items = classes.members_if_built(k).map(|m| m.items.clone()).unwrap_or_default();
    for member in items.iter().filter(|m| protected || !m.protected) {
        // Details of what the client will filter away are not worth their time.
        if !member
            .name
            .as_str()
            .get(..list.prefix.len())
            .is_some_and(|l| l.eq_ignore_ascii_case(&list.prefix))
        {
            continue;
        }
        let classes = w.world.classes();
        match member.kind {
            MemberKind::Class(def) => {
                let kind = classes.lib.class(def).kind;
                let ast = classes.lib.ast(classes.lib.def(def).file);
                let description = ast.description(&classes.lib.class(def).description);
                list.add(member.name.as_str(), class_kind(kind), &description, rank);
            }
            MemberKind::Component(id) => {
                let ast = classes.ast(member.origin);
                let c = &ast.components[id];
                let detail = format!("{} {}", ast.name_text(c.type_name), ast.description(&c.description));
                let kind = if c.variability <= Variability::Parameter { 21 } else { 6 };
                list.add(member.name.as_str(), kind, detail.trim_end(), rank);
            }
        }
    }
    let def = w.world.classes().key(k).def;
    for name in w.world.classes().lib.child_names(def) {
        list.add(name.as_str(), 7, "", rank);
    }
}

/// All names in scope.
fn names(w: &mut Worker, scope: Option<KlassId>, list: &mut List) {
    let mut at = scope;
    let mut rank = 1;
    while let Some(k) = at {
        elements(w, k, list, rank, true);
        rank = (rank + 1).min(4);
        let classes = w.world.classes();
        let ast = classes.ast(k);
        let def = classes.key(k).def;
        let class = classes.lib.class(def);
        if let kausal_syntax::ast::ClassBody::Long(body) = &class.body {
            for element in &body.elements {
                let kausal_syntax::ast::Element::Import(import) = element else { continue };
                let full = ast.name_text(import.name);
                match &import.kind {
                    kausal_syntax::ast::ImportKind::Qualified => {
                        if let Some(last) = ast.lists.idents.get(import.name.parts).last() {
                            list.add(last.symbol.as_str(), 9, &full, 2);
                        }
                    }
                    kausal_syntax::ast::ImportKind::Renamed(alias) => {
                        list.add(alias.symbol.as_str(), 9, &full, 2);
                    }
                    kausal_syntax::ast::ImportKind::Listed(names) => {
                        for n in names {
                            list.add(n.symbol.as_str(), 7, &full, 2);
                        }
                    }
                    kausal_syntax::ast::ImportKind::Unqualified => {}
                }
            }
        }
        if class.encapsulated {
            break;
        }
        at = classes.key(k).enclosing;
    }
    roots(w, list);
    for entry in kausal_model::builtins::TABLE {
        list.add(entry.name, 3, entry.usage.unwrap_or("built-in function"), 5);
    }
    for name in ["time", "Real", "Integer", "Boolean", "String", "StateSelect"] {
        list.add(name, 14, "part of the language", 5);
    }
}

const KEYWORDS: [&str; 48] = [
    "algorithm",
    "annotation",
    "block",
    "connect",
    "connector",
    "constant",
    "constrainedby",
    "der",
    "discrete",
    "each",
    "else",
    "elseif",
    "elsewhen",
    "encapsulated",
    "end",
    "enumeration",
    "equation",
    "expandable",
    "extends",
    "external",
    "final",
    "flow",
    "for",
    "function",
    "if",
    "import",
    "impure",
    "initial",
    "inner",
    "input",
    "loop",
    "model",
    "outer",
    "output",
    "package",
    "parameter",
    "partial",
    "protected",
    "public",
    "pure",
    "record",
    "redeclare",
    "replaceable",
    "stream",
    "then",
    "type",
    "when",
    "while",
];

fn keywords(list: &mut List) {
    for word in KEYWORDS {
        list.add(word, 14, "keyword", 6);
    }
}

fn in_parenthesis(w: &mut Worker, scope: Option<KlassId>, c: &Context, is_value: bool, list: &mut List) {
    let owner: Vec<&str> = c.owner.iter().map(|p| p.name.as_str()).collect();
    let last = owner.last().copied().unwrap_or_default();
    if c.around.first().map(String::as_str) == Some("annotation") || last == "annotation" {
        if !is_value {
            for (name, what) in annotations(last) {
                list.add(name, 10, what, 1);
            }
        }
        return;
    }
    if last == "connect" {
        return connectors(w, scope, c, list);
    }
    if is_value {
        return;
    }
    // A modifier of a component that is declared here, of a base class, or arguments of a call.
    let is_declared = !c.before.is_empty();
    let path = if is_declared { &c.before } else { &c.owner };
    let klass = match w.world.path(scope, false, path, path.len() - 1) {
        Resolved::Found(Target { what: What::Class(k), .. }) => k,
        Resolved::Found(Target { what: What::Component { member, .. }, .. }) => {
            match describe::info(&mut w.world, &member) {
                Some(info) => info.klass,
                None => return,
            }
        }
        _ => {
            // Within the modifiers of something else.
            return;
        }
    };
    if w.world.classes().leaf(klass).is_some() {
        for (name, default) in ATTRIBUTES {
            if let Some(item) = list.add(name, 10, "attribute", 1) {
                item["insertText"] = format!("{name} = {default}").into();
            }
        }
        return;
    }
    let is_function =
        matches!(w.world.classes().deep_kind(klass), ClassKind::Function | ClassKind::OperatorFunction);
    for info in describe::components(&mut w.world, klass) {
        let is_input = info.causality == kausal_syntax::ast::Causality::Input;
        if info.protected
            || info.is_final
            || info.variability == Variability::Constant
            || is_function && !is_input
        {
            continue;
        }
        let rank = if info.variability == Variability::Parameter || is_function { 1 } else { 2 };
        let detail = describe::declaration(&mut w.world, &info);
        let documentation = describe::description(&mut w.world, &info);
        let default =
            info.binding.as_ref().map(|b| describe::expression(&mut w.world, b)).unwrap_or_default();
        let name = info.name.as_str();
        if let Some(item) = list.add(name, 10, &detail, rank) {
            item["documentation"] = documentation.into();
            item["insertText"] = match rank {
                1 => format!("{name} = {default}").into(),
                _ => name.into(),
            };
        }
    }
    if is_function {
        names(w, scope, list);
    }
}

/// Connectors of the class and of its components; those of the type of the first argument come first.
fn connectors(w: &mut Worker, scope: Option<KlassId>, c: &Context, list: &mut List) {
    let Some(scope) = scope else { return };
    let wanted = match (c.commas, c.first.is_empty()) {
        (1, false) => match w.world.path(Some(scope), false, &c.first, c.first.len() - 1) {
            Resolved::Found(Target { what: What::Component { member, .. }, .. }) => {
                describe::info(&mut w.world, &member).map(|i| i.klass)
            }
            _ => None,
        },
        _ => None,
    };
    let is_connector = |w: &mut Worker, k: KlassId| {
        matches!(w.world.classes().deep_kind(k), ClassKind::Connector | ClassKind::ExpandableConnector)
    };
    let mut found: Vec<(String, KlassId)> = Vec::new();
    for info in describe::components(&mut w.world, scope) {
        if is_connector(w, info.klass) {
            found.push((info.name.to_string(), info.klass));
        } else if info.leaf.is_none() {
            for inner in describe::components(&mut w.world, info.klass) {
                if !inner.protected && is_connector(w, inner.klass) {
                    found.push((format!("{}.{}", info.name, inner.name), inner.klass));
                }
            }
        }
    }
    let key = |w: &mut Worker, k: KlassId| {
        let members = w.world.classes().members_if_built(k);
        let mut names: Vec<&str> =
            members.map_or(Vec::new(), |m| m.items.iter().map(|i| i.name.as_str()).collect());
        names.sort_unstable();
        names
    };
    let wanted = wanted.map(|k| key(w, k));
    for (name, k) in found {
        let fits = wanted.as_ref().is_none_or(|wanted| *wanted == key(w, k));
        let detail = w.world.classes().name(k);
        list.add(&name, 8, &detail, if fits { 1 } else { 3 });
    }
}

/// Classes of the workspace that are not in scope, with the import that brings them.
fn importable(w: &mut Worker, file: FileId, class: Option<kausal_syntax::ast::ClassId>, list: &mut List) {
    if list.prefix.len() < 2 {
        return;
    }
    let Some(class) = class else { return };
    let ast = w.world.ast(file);
    let kausal_syntax::ast::ClassBody::Long(body) = &ast.classes[class].body else { return };
    // Before the first declaration that is on a line of its own.
    let first = body.elements.iter().map(|e| match e {
        kausal_syntax::ast::Element::Import(i) => i.span,
        kausal_syntax::ast::Element::Extends(e) => e.span,
        kausal_syntax::ast::Element::Class(c) => ast.classes[*c].span,
        kausal_syntax::ast::Element::Component(c) => ast.components[*c].span,
    });
    let place = first.map(|s| s.start).min();
    let prefix = list.prefix.clone();
    let found: Vec<(String, String, ClassKind, String)> = w
        .index
        .find(&prefix, 60)
        .into_iter()
        .filter(|(_, e)| !e.container.is_empty() && !e.partial)
        .map(|(_, e)| (e.name.to_string(), e.container.clone(), e.kind, e.description.clone()))
        .collect();
    for (name, container, kind, description) in found {
        let full = format!("{container}.{name}");
        let label = name.clone();
        let Some(item) = list.add(&label, class_kind(kind), &full, 7) else { continue };
        item["documentation"] = description.into();
        if let Some(at) = place {
            let lines = crate::lines::Lines::new(&ast.text);
            let line = &ast.text[lines.start(lines.line(at)) as usize..at as usize];
            let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            let text = format!("import {full};\n{indent}");
            let range = lines.range(&ast.text, Span::new(at, at), w.encoding);
            item["additionalTextEdits"] = json!([{"range": range, "newText": text}]);
        } else {
            item["insertText"] = full.into();
        }
    }
}

/// Units within `unit = "…`.
fn in_string(text: &str, units: &[Lexeme]) -> Option<Value> {
    let [.., name, equal] = units else { return None };
    if slice(text, equal) != "=" || !matches!(slice(text, name), "unit" | "displayUnit") {
        return None;
    }
    let items: Vec<Value> =
        UNITS.iter().map(|(u, what)| json!({"label": u, "kind": 11, "detail": what})).collect();
    Some(json!({"isIncomplete": false, "items": items}))
}

const UNITS: [(&str, &str); 40] = [
    ("1", "dimensionless"),
    ("s", "time"),
    ("m", "length"),
    ("m2", "area"),
    ("m3", "volume"),
    ("m/s", "velocity"),
    ("m/s2", "acceleration"),
    ("kg", "mass"),
    ("kg/s", "mass flow rate"),
    ("kg/m3", "density"),
    ("kg.m2", "moment of inertia"),
    ("N", "force"),
    ("N.m", "torque"),
    ("N/m", "stiffness"),
    ("N.s/m", "damping"),
    ("Pa", "pressure"),
    ("bar", "pressure"),
    ("J", "energy"),
    ("W", "power"),
    ("K", "temperature"),
    ("degC", "temperature"),
    ("J/(kg.K)", "specific heat capacity"),
    ("W/(m.K)", "thermal conductivity"),
    ("W/K", "thermal conductance"),
    ("J/K", "heat capacity"),
    ("rad", "angle"),
    ("deg", "angle"),
    ("rad/s", "angular velocity"),
    ("rad/s2", "angular acceleration"),
    ("Hz", "frequency"),
    ("A", "current"),
    ("V", "voltage"),
    ("Ohm", "resistance"),
    ("S", "conductance"),
    ("F", "capacitance"),
    ("H", "inductance"),
    ("C", "charge"),
    ("Wb", "magnetic flux"),
    ("T", "magnetic flux density"),
    ("mol", "amount of substance"),
];

/// Annotations (specification chapter 18) within the one of this name.
fn annotations(within: &str) -> &'static [(&'static str, &'static str)] {
    match within {
        "annotation" => &[
            ("Placement", "where a component stands in the diagram"),
            ("Line", "the line of a connection"),
            ("Icon", "how the class looks"),
            ("Diagram", "what is drawn behind its components"),
            ("Documentation", "HTML: info, revisions"),
            ("experiment", "how to simulate it"),
            ("Dialog", "how a parameter is asked for"),
            ("choices", "values that are proposed"),
            ("Evaluate", "use the value while translating"),
            ("HideResult", "keep it out of results"),
            ("defaultComponentName", "the name of new components"),
            ("derivative", "the derivative of a function"),
            ("inverse", "inverses of a function"),
            ("smoothOrder", "how often it can be differentiated"),
            ("Inline", "put the function where it is called"),
            ("LateInline", "the same, after differentiation"),
            ("GenerateEvents", "events within a function"),
            ("version", "of a library"),
            ("uses", "libraries that are needed"),
            ("obsolete", "what to use instead"),
            ("preferredView", "what is shown first"),
        ],
        "Placement" => &[
            ("transformation", "in the diagram"),
            ("iconTransformation", "in the icon"),
            ("visible", "Boolean"),
        ],
        "transformation" | "iconTransformation" => {
            &[("extent", "{{x1, y1}, {x2, y2}}"), ("rotation", "degrees"), ("origin", "{x, y}")]
        }
        "Icon" | "Diagram" => &[("coordinateSystem", "its extent"), ("graphics", "what is drawn")],
        "experiment" => &[
            ("StartTime", "s"),
            ("StopTime", "s"),
            ("Tolerance", "relative"),
            ("Interval", "s, between results"),
        ],
        "Dialog" => {
            &[("tab", ""), ("group", ""), ("enable", ""), ("showStartAttribute", ""), ("colorSelector", "")]
        }
        "Documentation" => &[("info", "HTML"), ("revisions", "HTML")],
        "Line" => &[
            ("points", "{{x, y}, …}"),
            ("color", "{r, g, b}"),
            ("thickness", ""),
            ("pattern", ""),
            ("arrow", ""),
            ("smooth", ""),
        ],
        _ => &[],
    }
}
