//! Connect equations and their lines. A line follows the components at its ends: its inner points stay where they are, but
//! for what keeps its first and last pieces horizontal or vertical.

use std::collections::{HashMap, HashSet};

use kausal_syntax::Span;
use kausal_syntax::ast::{ClassId, ComponentRef, Element, Equation, EquationKind, ExprId, ModId};

use crate::Point;
use crate::edit::{Draft, Refusal, Stop};
use crate::modifiers;
use crate::placement::{Placed, points, read_points, write_points};
use crate::source::Source;

/// A connect equation.
pub(crate) struct Connection {
    /// The ends as written and, for equal ones, a number.
    pub id: String,
    pub ends: [String; 2],
    pub span: Span,
    pub annotation: Option<ModId>,
    /// The points of its line.
    pub points: Option<ExprId>,
}

/// The connect equations of a class.
pub(crate) struct Connections {
    pub list: Vec<Connection>,
    index: HashMap<String, usize>,
    by_component: HashMap<String, Vec<usize>>,
}

/// The component a reference begins with.
fn first_part(end: &str) -> &str {
    let rest = end.trim_start_matches('.');
    if let Some(quoted) = rest.strip_prefix('\'') {
        return quoted.find('\'').map_or(rest, |i| &rest[..i + 2]);
    }
    &rest[..rest.find(['.', '[']).unwrap_or(rest.len())]
}

impl Connections {
    pub fn new(source: &Source, class: ClassId) -> Connections {
        let mut out = Connections { list: Vec::new(), index: HashMap::new(), by_component: HashMap::new() };
        let mut seen: HashMap<String, usize> = HashMap::new();
        if let Ok(body) = source.body(class) {
            for section in &body.equations {
                out.collect(source, &section.equations, &mut seen);
            }
        }
        for (i, c) in out.list.iter().enumerate() {
            out.index.insert(c.id.clone(), i);
            for end in &c.ends {
                let list = out.by_component.entry(first_part(end).to_owned()).or_default();
                if list.last() != Some(&i) {
                    list.push(i);
                }
            }
        }
        out
    }

    fn collect(&mut self, source: &Source, equations: &[Equation], seen: &mut HashMap<String, usize>) {
        for equation in equations {
            match &equation.kind {
                EquationKind::Connect(a, b) => {
                    let ends = [written(source, a), written(source, b)];
                    let plain = format!("{} {}", ends[0], ends[1]);
                    let count = seen.entry(plain.clone()).or_insert(0);
                    *count += 1;
                    let id = if *count == 1 { plain } else { format!("{plain}#{count}") };
                    let annotation = equation.description.annotation;
                    let points = modifiers::find(source, annotation, &["Line", "points"]);
                    self.list.push(Connection { id, ends, span: equation.span, annotation, points });
                }
                EquationKind::For { body, .. } => self.collect(source, body, seen),
                EquationKind::If { branches, otherwise } => {
                    for (_, body) in branches {
                        self.collect(source, body, seen);
                    }
                    self.collect(source, otherwise, seen);
                }
                _ => {}
            }
        }
    }

    pub fn of_component(&self, name: &str) -> &[usize] {
        self.by_component.get(name).map_or(&[], Vec::as_slice)
    }

    fn find(&self, id: &str) -> Result<usize, Refusal> {
        self.index.get(id).copied().ok_or_else(|| Refusal(format!("there is no connection {id}")))
    }
}

fn written(source: &Source, end: &ComponentRef) -> String {
    source.slice(end.span).split_whitespace().collect()
}

/// Components that are elsewhere now.
#[derive(Default)]
pub(crate) struct Follow {
    list: Vec<(String, Placed, Placed)>,
    names: HashSet<String>,
}

impl Follow {
    pub fn add(&mut self, name: &str, from: Placed, to: Placed) {
        self.list.push((name.to_owned(), from, to));
        self.names.insert(name.to_owned());
    }

    /// Is a component elsewhere already?
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn truncate(&mut self, length: usize) {
        for (name, ..) in self.list.drain(length..) {
            self.names.remove(&name);
        }
    }
}

/// Lets lines follow.
pub(crate) fn follow(draft: &mut Draft<'_>, follow: Follow) -> Result<(), Stop> {
    let moved: HashMap<&str, (&Placed, &Placed)> =
        follow.list.iter().map(|(name, from, to)| (name.as_str(), (from, to))).collect();
    if moved.is_empty() {
        return Ok(());
    }
    let source = draft.source;
    let mut new: Vec<(ExprId, Vec<Point>)> = Vec::new();
    for c in &draft.connections().list {
        let ends = [0, 1].map(|i| moved.get(first_part(&c.ends[i])).copied());
        let Some(expr) = c.points else { continue };
        if ends == [None, None] || draft.is_settled(c.span.start) {
            continue;
        }
        // A line with a place of its own is not followed.
        let has = |name: &str| modifiers::find(source, c.annotation, &["Line", name]).is_some();
        if has("origin") || has("rotation") {
            continue;
        }
        let Some(old) = read_points(&source.ast, expr) else { continue };
        let old: Vec<Point> = old.into_iter().map(|(p, _)| p).collect();
        if old.len() < 2 {
            continue;
        }
        let carried = |p: Point, by: Option<(&Placed, &Placed)>| by.map_or(p, |(from, to)| from.carry(to, p));
        new.push((expr, bent(&old, carried(old[0], ends[0]), carried(old[old.len() - 1], ends[1]))));
    }
    for (expr, points) in new {
        write_points(draft, expr, &points)?;
    }
    Ok(())
}

/// A line with other ends.
pub(crate) fn bent(old: &[Point], first: Point, last: Point) -> Vec<Point> {
    let n = old.len();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    let by = |from: Point, to: Point| [to[0] - from[0], to[1] - from[1]];
    let (a, b) = (by(old[0], first), by(old[n - 1], last));
    if near(a[0], b[0]) && near(a[1], b[1]) {
        return old.iter().map(|p| [p[0] + a[0], p[1] + a[1]]).collect();
    }
    let mut out = old.to_vec();
    out[0] = first;
    out[n - 1] = last;
    if n == 2 {
        // A straight line along an axis becomes a step.
        if near(old[0][1], old[1][1]) && !near(first[1], last[1]) {
            let x = (first[0] + last[0]) / 2.0;
            return vec![first, [x, first[1]], [x, last[1]], last];
        }
        if near(old[0][0], old[1][0]) && !near(first[0], last[0]) {
            let y = (first[1] + last[1]) / 2.0;
            return vec![first, [first[0], y], [last[0], y], last];
        }
        return out;
    }
    for (end, inner, at) in [(0, 1, first), (n - 1, n - 2, last)] {
        let straight = |i: usize| near(old[end][i], old[inner][i]);
        // What is neither is left.
        if straight(1) && !straight(0) {
            out[inner][1] = at[1];
        } else if straight(0) && !straight(1) {
            out[inner][0] = at[0];
        }
    }
    if n == 3 {
        // The corner belongs to both pieces.
        if near(old[0][1], old[1][1]) && near(old[1][0], old[2][0]) {
            out[1] = [last[0], first[1]];
        } else if near(old[0][0], old[1][0]) && near(old[1][1], old[2][1]) {
            out[1] = [first[0], last[1]];
        }
    }
    out
}

/// Is this a reference to a connector?
fn check_reference(end: &str) -> Result<(), Refusal> {
    let text = format!("model M equation connect({end},x); end M;");
    let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), text.as_str().into());
    let one = parse.ast.classes.iter().all(|(_, c)| match &c.body {
        kausal_syntax::ast::ClassBody::Long(body) => {
            body.equations.iter().map(|s| s.equations.len()).sum::<usize>() == 1
        }
        _ => false,
    });
    match parse.has_errors() || !one {
        true => Err(Refusal(format!("`{end}` is no connector"))),
        false => Ok(()),
    }
}

/// Connects two connectors.
pub(crate) fn connect(
    draft: &mut Draft<'_>,
    a: &str,
    b: &str,
    line: &[Point],
    color: Option<[u8; 3]>,
) -> Result<(), Stop> {
    check_reference(a)?;
    check_reference(b)?;
    if a == b {
        return Err(Refusal("a connector is not connected to itself".to_owned()).into());
    }
    draft.connects(first_part(a));
    draft.connects(first_part(b));
    let mut text = format!("connect({a}, {b})");
    if !line.is_empty() {
        text.push_str(&format!(" annotation(Line(points={}", points(line)));
        if let Some([r, g, b]) = color {
            text.push_str(&format!(", color={{{r},{g},{b}}}"));
        }
        text.push_str("))");
    }
    append_equation(draft, &text)
}

/// Adds an equation as it is written.
pub(crate) fn equation(draft: &mut Draft<'_>, text: &str) -> Result<(), Stop> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let whole = format!("model M equation {text}\n; end M;");
    let parse = kausal_syntax::modelica::parse(kausal_syntax::SourceId(0), whole.as_str().into());
    let count = parse.ast.classes.iter().map(|(_, c)| match &c.body {
        kausal_syntax::ast::ClassBody::Long(body) if body.elements.is_empty() => {
            body.equations.iter().map(|s| s.equations.len()).sum::<usize>()
        }
        _ => 0,
    });
    if parse.has_errors() || count.collect::<Vec<_>>() != [1] {
        return Err(Refusal(format!("`{text}` is no equation")).into());
    }
    append_equation(draft, text)
}

fn append_equation(draft: &mut Draft<'_>, text: &str) -> Result<(), Stop> {
    let source = draft.source;
    let class = draft.class;
    let newline = source.newline();
    let body = source.body(class)?;
    let last = body.equations.iter().rev().filter(|s| !s.initial).find_map(|s| s.equations.last());
    if let Some(last) = last {
        let end = source.semicolon(last.span.end);
        let end = end.ok_or_else(|| Refusal("the last equation does not end".to_owned()))?;
        let indent = source.indent(last.span.start).to_owned();
        return append_line(draft, end, &indent, text);
    }
    let outer = source.indent(source.def(class).span.start).to_owned();
    let inner = format!("{outer}  ");
    if let Some(at) = empty_section(source, class) {
        return append_line(draft, at, &inner, text);
    }
    // Before the annotation of the class, or its end.
    let annotation = source.def(class).description.annotation.and_then(|id| source.annotation_keyword(id));
    let at = annotation.or_else(|| source.end_keyword(class)).map(|s| s.start);
    let at = at.ok_or_else(|| Refusal("the class has no end".to_owned()))?;
    let key = source.line_start(at);
    let begins = source.begins_line(at);
    let (place, head, tail) = match begins {
        true => (key, format!("{outer}equation{newline}"), String::new()),
        false => (at, format!("{newline}{outer}equation{newline}"), outer.clone()),
    };
    let line = format!("{inner}{text};{newline}");
    // Later ones of the same list come behind the first.
    match draft.appended_at(place) {
        true => Ok(draft.append(place, line)?),
        false => Ok(draft.append(place, format!("{head}{line}{tail}"))?),
    }
}

/// Behind the word `equation` of a section without equations.
fn empty_section(source: &Source, class: ClassId) -> Option<u32> {
    let body = source.body(class).ok()?;
    if !body.equations.iter().any(|s| !s.initial && s.equations.is_empty()) {
        return None;
    }
    let span = source.def(class).span;
    let nested: Vec<Span> = body
        .elements
        .iter()
        .filter_map(|e| match e {
            Element::Class(c) => Some(source.ast.classes[*c].span),
            _ => None,
        })
        .collect();
    let mut found = None;
    for i in source.index_at(span.start).. {
        let Some(l) = source.lexeme(i).filter(|l| l.span.start < span.end) else { break };
        let is_initial = i > 0 && source.word(i - 1) == "initial";
        let is_nested = nested.iter().any(|n| n.start <= l.span.start && l.span.start < n.end);
        if source.word(i) == "equation" && !is_initial && !is_nested && !source.is_comment(i) {
            found = Some(l.span.end);
        }
    }
    found
}

/// Writes a line behind what ends here.
pub(crate) fn append_line(draft: &mut Draft<'_>, end: u32, indent: &str, text: &str) -> Result<(), Stop> {
    let source = draft.source;
    let newline = source.newline();
    match source.rest_of_line(end) {
        Some(at) => Ok(draft.append(at, format!("{newline}{indent}{text};"))?),
        None => {
            let outer = source.indent(source.def(draft.class).span.start).to_owned();
            let more = format!("{newline}{indent}{text};");
            match draft.appended_at(end) {
                // Before the line break that the first one ends with.
                true => Ok(draft.append_before_tail(end, &more, &format!("{newline}{outer}"))?),
                false => Ok(draft.append(end, format!("{more}{newline}{outer}"))?),
            }
        }
    }
}

/// Takes connections away.
pub(crate) fn remove(draft: &mut Draft<'_>, index: usize) -> Result<(), Stop> {
    let span = draft.connections().list[index].span;
    let source = draft.source;
    if !draft.settle(span.start) {
        return Ok(());
    }
    let end = source.semicolon(span.end);
    let end = end.ok_or_else(|| Refusal("the connection does not end".to_owned()))?;
    let lines = source.whole_lines(span.start, end);
    Ok(draft.replace(lines.start, lines.end, "")?)
}

/// Takes a connection away.
pub(crate) fn disconnect(draft: &mut Draft<'_>, id: &str) -> Result<(), Stop> {
    let index = draft.connections().find(id)?;
    remove(draft, index)
}

/// Gives a connection another line.
pub(crate) fn reroute(draft: &mut Draft<'_>, id: &str, line: &[Point]) -> Result<(), Stop> {
    let index = draft.connections().find(id)?;
    let &Connection { span, annotation, points: old, .. } = &draft.connections().list[index];
    if !draft.settle(span.start) {
        return Err(crate::edit::Again.into());
    }
    if let Some(expr) = old {
        return write_points(draft, expr, line);
    }
    let text = format!("Line(points={})", points(line));
    match annotation {
        Some(id) => {
            let at = draft.source.ast.modifications[id].span.start;
            let existing = modifiers::path_of(draft.source, id, &["Line"]);
            match existing {
                Some(line_id) => modifiers::insert(draft, line_id, at, &format!("points={}", points(line))),
                None => modifiers::insert(draft, id, at, &text),
            }
        }
        None => {
            let source = draft.source;
            let end = source.separator(span.end).and_then(|i| source.lexeme(i)).map(|l| l.span.start);
            let last = end.and_then(|at| source.before(at)).and_then(|i| source.lexeme(i));
            let at = last.map_or(span.end, |l| l.span.end);
            Ok(draft.replace(at, at, format!(" annotation({text})"))?)
        }
    }
}
