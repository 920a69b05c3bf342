//! Classic notation: what meets where.
//!
//! Every part of a connection has two ends. A component with a main path has its two cuts there; a component
//! with only a main cut, a cut and a node have the same point at both ends. `A - B` joins the end of A to the
//! beginning of B and goes from A's beginning to B's end; `A // B` joins beginnings and ends; `\A` swaps the
//! ends; `at` joins points.
//!
//! All connect statements of a class are put together first. What is left is a partition of its points, and
//! a set with the cuts c1, c2, … cn becomes `connect(c1, c2)`, … `connect(c1, cn)`. A node joins what meets
//! there and leaves no trace; one where a single cut arrives leaves that cut unconnected, so that its through
//! variables are zero.

use rustc_hash::FxHashMap;

use super::diagnose::{code, did_you_mean, error, plenty};
use super::emit;
use super::expression::dotted;
use super::interface::{COMMON, ClassIndex, Classes, Signature, What};
use super::syntax::{ConnectNode, Connection};
use crate::ast::{Ast, Description, Equation, EquationKind, Ident};
use crate::diagnostic::Diagnostic;
use crate::source::{Location, SourceId, Span};
use crate::symbol::Symbol;

/// Names a point in [`Points`].
type PointIndex = usize;

/// The two ends of a part of a connection.
#[derive(Clone, Copy)]
struct Ends {
    begin: PointIndex,
    end: PointIndex,
}

/// The points of one class and which of them are joined.
struct Points {
    /// By component (none: the class itself) and name.
    known: FxHashMap<(Option<Symbol>, Symbol), PointIndex>,
    all: Vec<Point>,
    /// A forest: the parent of each point; a root is its own.
    parent: Vec<PointIndex>,
}

struct Point {
    /// `R1.p`, `A` or the name of a node.
    path: Vec<Symbol>,
    /// What the cut carries; a node carries nothing of its own.
    signature: Option<Signature>,
    /// Where it is first connected.
    span: Span,
}

impl Points {
    fn add(
        &mut self,
        component: Option<Symbol>,
        name: Symbol,
        span: Span,
        signature: impl FnOnce() -> Option<Signature>,
    ) -> PointIndex {
        if let Some(&point) = self.known.get(&(component, name)) {
            return point;
        }
        let point = self.all.len();
        let path = component.into_iter().chain([name]).collect();
        self.known.insert((component, name), point);
        self.all.push(Point { path, signature: signature(), span });
        self.parent.push(point);
        point
    }

    fn root(&mut self, mut point: PointIndex) -> PointIndex {
        while self.parent[point] != point {
            self.parent[point] = self.parent[self.parent[point]];
            point = self.parent[point];
        }
        point
    }

    /// The earlier of the two roots stays one, so that sets keep the order of the text.
    fn join(&mut self, a: PointIndex, b: PointIndex) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

/// Expands the connect statements of a class.
pub(super) struct Expand<'a> {
    /// All classes.
    pub(super) classes: &'a Classes,
    /// The class the statements stand in, and what it inherits.
    pub(super) lineage: &'a [ClassIndex],
    /// Something may be missing from that class, see [`super::interface::Lineage::incomplete`].
    pub(super) incomplete: bool,
    /// `Common` is used here without being declared.
    pub(super) common: Option<ClassIndex>,
    /// The file.
    pub(super) source: SourceId,
    /// Where messages go.
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
}

/// Does a connection use `Common` where nothing of that name is declared? Says where.
pub(super) fn implicit_common(
    connections: &[&Connection],
    classes: &Classes,
    lineage: &[ClassIndex],
) -> Option<Span> {
    let common = Symbol::new(COMMON);
    if classes.find(lineage, common).is_some() {
        return None;
    }
    connections.iter().flat_map(|c| &c.nodes).find_map(|node| match node {
        ConnectNode::Point(path) if path[0].symbol == common => Some(path[0].span),
        _ => None,
    })
}

impl Expand<'_> {
    /// The connect equations of a class.
    pub(super) fn run(mut self, connections: &[&Connection], ast: &mut Ast) -> Vec<Equation> {
        let mut points = Points { known: FxHashMap::default(), all: Vec::new(), parent: Vec::new() };
        for connection in connections {
            self.join(connection, &mut points);
        }
        let mut equations = Vec::new();
        // The first cut of each set, by the root of the set.
        let mut firsts: FxHashMap<PointIndex, PointIndex> = FxHashMap::default();
        for point in 0..points.all.len() {
            if points.all[point].signature.is_none() {
                continue;
            }
            let root = points.root(point);
            let first = *firsts.entry(root).or_insert(point);
            if first == point {
                continue;
            }
            let (a, b) = (&points.all[first], &points.all[point]);
            if a.signature != b.signature {
                self.report_mismatch(a, b);
                continue;
            }
            let [left, right] = [a, b].map(|p| {
                let path: Vec<Ident> = p.path.iter().map(|name| emit::ident(*name, p.span)).collect();
                emit::reference(ast, &path, p.span)
            });
            equations.push(Equation {
                kind: EquationKind::Connect(left, right),
                description: Description::default(),
                span: b.span,
            });
        }
        equations
    }

    fn join(&mut self, connection: &Connection, points: &mut Points) {
        // What cannot be resolved has been reported; it is left out and the rest is still checked.
        let mut ends: Vec<Option<Ends>> = Vec::with_capacity(connection.nodes.len());
        for node in &connection.nodes {
            let made = match node {
                ConnectNode::Point(path) => self.resolve(path, points),
                ConnectNode::Reversed(a) => ends[*a].map(|a| Ends { begin: a.end, end: a.begin }),
                ConnectNode::Series(a, b) => match (ends[*a], ends[*b]) {
                    (Some(a), Some(b)) => {
                        points.join(a.end, b.begin);
                        Some(Ends { begin: a.begin, end: b.end })
                    }
                    _ => None,
                },
                ConnectNode::Parallel(a, b) => match (ends[*a], ends[*b]) {
                    (Some(a), Some(b)) => {
                        points.join(a.begin, b.begin);
                        points.join(a.end, b.end);
                        Some(a)
                    }
                    _ => None,
                },
            };
            ends.push(made);
        }
        if connection.sides.len() < 2 {
            return;
        }
        let mut first = None;
        for &side in &connection.sides {
            let Some(point) = self.single_point(connection, side, &ends, points) else { continue };
            match first {
                None => first = Some(point),
                Some(first) => points.join(first, point),
            }
        }
    }

    /// The one point a side of `at` stands for.
    fn single_point(
        &mut self,
        connection: &Connection,
        side: usize,
        ends: &[Option<Ends>],
        points: &mut Points,
    ) -> Option<PointIndex> {
        if let ConnectNode::Point(path) = &connection.nodes[side]
            && let [name] = path.as_slice()
            && let Some(class) = self.component_class(name.symbol)
        {
            // Beside `at` a component stands for its main cut, also when it has a main path.
            let class = class?;
            let lineage = &self.classes.lineage(class).classes;
            if let Some(cut) = self.classes.main_cut(lineage) {
                return self.cut_of(*name, class, cut, name.span, points);
            }
        }
        let side_ends = ends[side]?;
        if side_ends.begin == side_ends.end {
            return Some(side_ends.begin);
        }
        let what = match &connection.nodes[side] {
            ConnectNode::Point(path) => format!("`{}`", dotted(path)),
            _ => "this".to_owned(),
        };
        let span = connection.spans[side];
        let [begin, end] = [side_ends.begin, side_ends.end].map(|p| join_path(&points.all[p].path));
        self.diagnostics.push(
            error(code::NOT_A_POINT, format!("`at` joins points, but {what} has two ends"))
                .at(self.location(span), "")
                .help(format!("name one point: `{begin}` or `{end}`")),
        );
        None
    }

    fn resolve(&mut self, path: &[Ident], points: &mut Points) -> Option<Ends> {
        let span = span_of(path);
        match path {
            [name] => self.resolve_name(*name, points),
            [component, name] => {
                let Some(class) = self.component_class(component.symbol) else {
                    self.report_unknown(*component);
                    return None;
                };
                let class = class?;
                let lineage = &self.classes.lineage(class).classes;
                match self.classes.find(lineage, name.symbol).map(|(_, m)| &m.what) {
                    Some(What::Cut { .. }) => {
                        let point = self.cut_of(*component, class, name.symbol, span, points)?;
                        Some(Ends { begin: point, end: point })
                    }
                    Some(What::Path { begin, end }) => {
                        self.path_of(*component, class, (*begin, *end), span, points)
                    }
                    other => {
                        let other = other.map(What::in_words);
                        self.report_no_cut(*component, *name, class, other);
                        None
                    }
                }
            }
            _ => {
                self.diagnostics.push(
                    error(code::UNKNOWN_POINT, format!("`{}` reaches inside a component", dotted(path)))
                        .at(self.location(span), "")
                        .help(
                            "connect to a cut of the component, and that one to the inner cut in its class",
                        ),
                );
                None
            }
        }
    }

    fn resolve_name(&mut self, name: Ident, points: &mut Points) -> Option<Ends> {
        if let Some(class) = self.component_class(name.symbol) {
            let class = class?;
            let lineage = &self.classes.lineage(class).classes;
            if let Some(path) = self.classes.main_path(lineage) {
                return self.path_of(name, class, path, name.span, points);
            }
            let Some(cut) = self.classes.main_cut(lineage) else {
                self.report_no_main(name, class);
                return None;
            };
            let point = self.cut_of(name, class, cut, name.span, points)?;
            return Some(Ends { begin: point, end: point });
        }
        let Some((owner, member)) = self.classes.find(self.lineage, name.symbol) else {
            self.report_unknown(name);
            return None;
        };
        match &member.what {
            What::Node => {
                let point = points.add(None, name.symbol, name.span, || None);
                Some(Ends { begin: point, end: point })
            }
            What::Cut { across, through } => {
                let signature = || Some(self.classes.signature(owner, across, through));
                let point = points.add(None, name.symbol, name.span, signature);
                Some(Ends { begin: point, end: point })
            }
            What::Path { begin, end } => {
                let [begin, end] = [*begin, *end].map(|cut| self.own_cut(cut, name.span, points));
                Some(Ends { begin: begin?, end: end? })
            }
            what => {
                let message = format!("`{}` is {} and cannot be connected", name.symbol, what.in_words());
                self.diagnostics.push(
                    error(code::UNKNOWN_POINT, message)
                        .at(self.location(name.span), "")
                        .help("a connection joins submodels, nodes and cuts"),
                );
                None
            }
        }
    }

    /// The class of a component: the outer `None` when there is no component of this name, the inner one when
    /// its class is not known, which is reported where it is declared.
    fn component_class(&self, name: Symbol) -> Option<Option<ClassIndex>> {
        match self.classes.find(self.lineage, name) {
            Some((owner, member)) => match member.what {
                What::Submodel(class) => Some(self.classes.class_of(owner, class)),
                _ => None,
            },
            None if name.as_str() == COMMON && self.common.is_some() => Some(self.common),
            None => None,
        }
    }

    fn own_cut(&mut self, cut: Symbol, span: Span, points: &mut Points) -> Option<PointIndex> {
        let (owner, member) = self.classes.find(self.lineage, cut)?;
        let What::Cut { across, through } = &member.what else { return None };
        Some(points.add(None, cut, span, || Some(self.classes.signature(owner, across, through))))
    }

    fn path_of(
        &mut self,
        component: Ident,
        class: ClassIndex,
        (begin, end): (Symbol, Symbol),
        span: Span,
        points: &mut Points,
    ) -> Option<Ends> {
        let begin = self.cut_of(component, class, begin, span, points);
        let end = self.cut_of(component, class, end, span, points);
        Some(Ends { begin: begin?, end: end? })
    }

    /// The point of a cut of a component. A path to a cut that is not there is reported in its class.
    fn cut_of(
        &mut self,
        component: Ident,
        class: ClassIndex,
        cut: Symbol,
        span: Span,
        points: &mut Points,
    ) -> Option<PointIndex> {
        let lineage = &self.classes.lineage(class).classes;
        let (owner, member) = self.classes.find(lineage, cut)?;
        let What::Cut { across, through } = &member.what else { return None };
        let signature = || Some(self.classes.signature(owner, across, through));
        Some(points.add(Some(component.symbol), cut, span, signature))
    }
}

// Messages.
impl Expand<'_> {
    fn location(&self, span: Span) -> Location {
        Location { source: self.source, span }
    }

    fn report_unknown(&mut self, name: Ident) {
        if self.incomplete {
            return;
        }
        let members = if plenty(self.diagnostics) { Vec::new() } else { self.classes.members(self.lineage) };
        let candidates =
            members.iter().filter(|(_, m)| !matches!(m.what, What::Variable { .. })).map(|(name, _)| *name);
        let otherwise =
            format!("declare it: `submodel (Class) {0}`, `node {0}` or `cut {0} (…)`", name.symbol);
        let help = did_you_mean(name.symbol.as_str(), candidates, &otherwise);
        let message = format!("there is nothing called `{}` to connect", name.symbol);
        self.diagnostics
            .push(error(code::UNKNOWN_POINT, message).at(self.location(name.span), "").help(help));
    }

    fn report_no_cut(&mut self, component: Ident, name: Ident, class: ClassIndex, found: Option<&str>) {
        if found.is_none() && self.classes.lineage(class).incomplete {
            return;
        }
        let class_name = self.classes.get(class).name;
        let message = match found {
            Some(what) => {
                format!("`{}.{}` is {what} and cannot be connected", component.symbol, name.symbol)
            }
            None => format!("`{}` has no cut `{}`", component.symbol, name.symbol),
        };
        let cuts = self.cut_names(class);
        let otherwise = match cuts.as_slice() {
            [] => format!("`{class_name}` has no cuts"),
            _ => format!("the cuts of `{class_name}` are {}", list(&cuts)),
        };
        let help = did_you_mean(name.symbol.as_str(), cuts.iter().copied(), &otherwise);
        let diagnostic = error(code::UNKNOWN_POINT, message).at(self.location(name.span), "").help(help);
        let diagnostic = self.with_class(diagnostic, class);
        self.diagnostics.push(diagnostic);
    }

    fn report_no_main(&mut self, component: Ident, class: ClassIndex) {
        if self.classes.lineage(class).incomplete {
            return;
        }
        let class_name = self.classes.get(class).name;
        let message =
            format!("`{}` cannot be connected as a whole: `{class_name}` has no main path", component.symbol);
        let help = match self.cut_names(class).as_slice() {
            [] => format!("give `{class_name}` cuts and a main path: `main path P <A - B>`"),
            [one] => format!("write `{}.{one}`, or `main cut {one} (…)` in `{class_name}`", component.symbol),
            [one, two, ..] => {
                format!(
                    "write `{}.{one}`, or add `main path P <{one} - {two}>` to `{class_name}`",
                    component.symbol
                )
            }
        };
        let diagnostic = error(code::NO_MAIN, message).at(self.location(component.span), "").help(help);
        let diagnostic = self.with_class(diagnostic, class);
        self.diagnostics.push(diagnostic);
    }

    fn report_mismatch(&mut self, a: &Point, b: &Point) {
        let (Some(first), Some(second)) = (&a.signature, &b.signature) else { return };
        let (a_name, b_name) = (join_path(&a.path), join_path(&b.path));
        self.diagnostics.push(
            error(code::CUT_MISMATCH, format!("`{b_name}` does not fit `{a_name}`"))
                .at(self.location(b.span), format!("`{b_name}` has {}", second.in_words()))
                .at(self.location(a.span), format!("`{a_name}` has {}", first.in_words()))
                .help("cuts that meet need the same number of across and of through variables"),
        );
    }

    fn with_class(&self, diagnostic: Diagnostic, class: ClassIndex) -> Diagnostic {
        match self.classes.get(class).place {
            Some(place) => diagnostic.at(place, "the class"),
            None => diagnostic,
        }
    }

    fn cut_names(&self, class: ClassIndex) -> Vec<&'static str> {
        let lineage = &self.classes.lineage(class).classes;
        let members = self.classes.members(lineage);
        members.iter().filter(|(_, m)| matches!(m.what, What::Cut { .. })).map(|(name, _)| *name).collect()
    }
}

fn span_of(path: &[Ident]) -> Span {
    path[0].span.to(path[path.len() - 1].span)
}

fn join_path(path: &[Symbol]) -> String {
    path.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(".")
}

fn list(names: &[&str]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}
