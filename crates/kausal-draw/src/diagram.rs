//! A class part by part, for those who edit it: where its components are and how each looks, their connectors and what fits
//! them, and the lines between them.

use std::collections::HashMap;
use std::sync::Arc;

use kausal_model::class::KlassId;
use kausal_model::instance::InstId;
use kausal_model::view::{Annotation, Datum, Level, View};
use kausal_syntax::Ast;
use kausal_syntax::ast::{Causality, ClassBody, ClassKind, Equation, EquationKind, FlowPrefix, Variability};

use crate::attributes::Attributes;
use crate::geometry::{Bounds, Point, Transform};
use crate::graphics::{Canvas, Reader};
use crate::layers::{self, Coordinates, How, Layer, Place};
use crate::macros::Subject;
use crate::scene::{Color, Item};
use crate::svg;

/// A component as it is shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// The full name of its class.
    pub class: String,
    /// What it says about itself.
    pub description: String,
    /// Its dimensions as written.
    pub dimensions: String,
    /// It comes from a base class.
    pub inherited: bool,
    /// It does not exist with the values its condition has.
    pub disabled: bool,
    /// It is a connector of the class.
    pub is_connector: bool,
    /// `input` or `output`
    pub causality: Causality,
    /// Below `protected`.
    pub protected: bool,
    /// Where it is; nothing where it is not to be seen.
    pub place: Option<Place>,
    /// What is drawn, as a part of an SVG picture around its middle.
    pub svg: String,
    /// The box around that, y up.
    pub bounds: Bounds,
    /// Its connectors; of a connector itself, one without a name.
    pub ports: Vec<Port>,
}

/// A connector of a component.
#[derive(Clone, Debug, Default)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// The full name of its class.
    pub class: String,
    /// Where it is, seen from the middle of the component.
    pub at: Point,
    /// Half of its size.
    pub radius: f64,
    /// What it is made of: connectors with equal ones fit.
    pub key: String,
    /// `input` or `output`
    pub causality: Causality,
    /// Its dimensions as written.
    pub dimensions: String,
    /// It takes whatever is connected to it.
    pub expandable: bool,
    /// What lines from it look like.
    pub color: Color,
    /// It does not exist with the values its condition has.
    pub disabled: bool,
}

/// A connection with its line.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    /// The ends as written and, for equal ones of a class, a number.
    pub id: String,
    /// The ends as written.
    pub ends: [String; 2],
    /// Where the line runs; nothing where there is none.
    pub points: Vec<Point>,
    /// Its colour.
    pub color: Color,
    /// Its width.
    pub thickness: f64,
    /// `Solid`, `Dash`, …
    pub pattern: String,
    /// What is at its ends: `None`, `Open`, …
    pub arrows: [String; 2],
    /// Its corners are round.
    pub smooth: bool,
    /// It comes from a base class.
    pub inherited: bool,
    /// What it connects does not exist.
    pub disabled: bool,
}

/// A variable that has no picture.
#[derive(Clone, Debug, Default)]
pub struct Quantity {
    /// Its name with its dimensions.
    pub name: String,
    /// The name of its class.
    pub class: String,
    /// What it says about itself.
    pub description: String,
    /// Its value as written.
    pub value: String,
    /// Its unit, as people write it.
    pub unit: String,
    /// `parameter`, `constant` or `variable`
    pub kind: &'static str,
}

/// A class part by part.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The full name of the class.
    pub class: String,
    /// What kind of class it is.
    pub kind: ClassKind,
    /// Its coordinate system.
    pub coordinates: Coordinates,
    /// The steps of its grid.
    pub grid: Point,
    /// Graphics behind everything, as a part of an SVG picture.
    pub background: String,
    /// Its components, inherited ones first.
    pub components: Vec<Shown>,
    /// Its connections, inherited ones first.
    pub wires: Vec<Wire>,
    /// What it declares without a picture.
    pub quantities: Vec<Quantity>,
}

/// Looks at the parts of a class.
pub struct Drafter<'a, 'w> {
    canvas: Canvas<'a, 'w>,
    keys: HashMap<KlassId, (String, Color)>,
}

/// The grid where nothing is said (specification section 18.6.1.1).
const GRID: Point = [2.0, 2.0];

impl<'a, 'w> Drafter<'a, 'w> {
    /// Looks at the class of a view.
    pub fn new(view: &'a mut View<'w>, files: Reader<'a>) -> Drafter<'a, 'w> {
        Drafter { canvas: Canvas { view, at: None, files, notes: Vec::new() }, keys: HashMap::new() }
    }

    /// Shows the values of a result.
    #[must_use]
    pub fn at(mut self, at: Option<kausal_model::view::Instant<'a>>) -> Drafter<'a, 'w> {
        self.canvas.at = at;
        self
    }

    /// All of it.
    pub fn parts(&mut self, layer: Layer) -> Parts {
        let root = self.canvas.view.root();
        let level = self.canvas.view.levels(root);
        let mut out = Parts {
            class: self.canvas.view.full_name(level.klass),
            kind: self.canvas.view.kind(level.klass),
            coordinates: layers::coordinates(&mut self.canvas, &level, layer),
            grid: self.grid(&level, layer).unwrap_or(GRID),
            background: self.background(&level, layer),
            components: Vec::new(),
            wires: Vec::new(),
            quantities: Vec::new(),
        };
        self.level(&level, layer, false, &mut out);
        out
    }

    /// Own and inherited components of these names, as [`Drafter::parts`] has them.
    pub fn components(&mut self, names: &dyn Fn(&str) -> bool) -> Vec<Shown> {
        let root = self.canvas.view.root();
        let level = self.canvas.view.levels(root);
        let mut out = Vec::new();
        self.chosen(&level, false, names, &mut out);
        out
    }

    /// All connections, as [`Drafter::parts`] has them.
    pub fn all_wires(&mut self) -> Vec<Wire> {
        let root = self.canvas.view.root();
        let level = self.canvas.view.levels(root);
        let mut out = Vec::new();
        self.wires_of(&level, false, &mut out);
        out
    }

    fn wires_of(&mut self, level: &Level, inherited: bool, out: &mut Vec<Wire>) {
        for (base, _) in &level.bases {
            self.wires_of(base, true, out);
        }
        self.wires(level, inherited, out);
    }

    fn chosen(&mut self, level: &Level, inherited: bool, names: &dyn Fn(&str) -> bool, out: &mut Vec<Shown>) {
        for (base, _) in &level.bases {
            self.chosen(base, true, names, out);
        }
        for component in self.canvas.view.components(level) {
            if names(self.canvas.view.name(component).as_str())
                && let Some(shown) = self.component(level, component, Layer::Diagram, inherited)
            {
                out.push(shown);
            }
        }
    }

    /// Graphics of the class and its bases.
    pub fn background(&mut self, level: &Level, layer: Layer) -> String {
        let class = self.canvas.view.short_name(level.klass).to_owned();
        let subject = Subject { inst: level.inst, name: class.clone(), class };
        let mut items = Vec::new();
        self.primitives(level, &subject, layer, Transform::IDENTITY, &mut items);
        svg::fragment(&items, [0.0, 0.0])
    }

    fn primitives(
        &mut self,
        level: &Level,
        subject: &Subject,
        layer: Layer,
        t: Transform,
        out: &mut Vec<Item>,
    ) {
        for (base, clause) in &level.bases {
            let visible = layers::map_of(&mut self.canvas, level, *clause, layer).is_none_or(|m| m.1);
            if visible {
                self.primitives(base, subject, layer, t, out);
            }
        }
        let how = How { layer, primitives: true, transform: t, depth: 0 };
        layers::primitives(&mut self.canvas, level, subject, how, out);
    }

    fn grid(&mut self, level: &Level, layer: Layer) -> Option<Point> {
        let name = if layer == Layer::Icon { "Icon" } else { "Diagram" };
        let annotation = self.canvas.view.class_annotation(level, name)?;
        let system = Attributes::of(&annotation).nested("coordinateSystem")?;
        system.point(self.canvas.view, "grid", None).filter(|g| g[0] > 0.0 && g[1] > 0.0)
    }

    fn level(&mut self, level: &Level, layer: Layer, inherited: bool, out: &mut Parts) {
        for (base, _) in &level.bases {
            self.level(base, layer, true, out);
        }
        for component in self.canvas.view.components(level) {
            if let Some(shown) = self.component(level, component, layer, inherited) {
                out.components.push(shown);
            } else if !inherited && layer == Layer::Diagram {
                out.quantities.extend(self.quantity(level, component));
            }
        }
        if layer == Layer::Diagram {
            self.wires(level, inherited, &mut out.wires);
        }
    }

    fn quantity(&mut self, level: &Level, component: InstId) -> Option<Quantity> {
        let view = &mut *self.canvas.view;
        let info = view.info(component)?;
        Some(Quantity {
            name: format!("{}{}", view.name(component), view.dimensions(component)),
            class: view.short_name(info.klass).to_owned(),
            description: view.component_description(level, component),
            value: view.value_source(component).unwrap_or_default(),
            unit: view
                .text_attribute(component, "unit")
                .map(|u| crate::units::pretty(&u))
                .unwrap_or_default(),
            kind: match info.variability {
                Variability::Constant => "constant",
                Variability::Parameter => "parameter",
                _ => "variable",
            },
        })
    }

    /// A component; nothing for variables without a picture.
    fn component(
        &mut self,
        level: &Level,
        component: InstId,
        layer: Layer,
        inherited: bool,
    ) -> Option<Shown> {
        let info = self.canvas.view.info(component)?;
        let is_connector = self.canvas.view.is_connector(component);
        if info.leaf.is_some() && !is_connector || layer == Layer::Icon && (!is_connector || info.protected) {
            return None;
        }
        let place = self.place(level, component, layer);
        // A record without a place is a value like any other.
        if place.is_none() && info.variability <= Variability::Parameter {
            return None;
        }
        let mut out = Shown {
            name: self.canvas.view.name(component).as_str().to_owned(),
            class: self.canvas.view.full_name(info.klass),
            description: self.canvas.view.component_description(level, component),
            dimensions: self.canvas.view.dimensions(component),
            inherited,
            disabled: self.canvas.view.is_enabled(component) == Some(false),
            is_connector,
            causality: info.causality,
            protected: info.protected,
            place,
            ..Shown::default()
        };
        if let Some(place) = place {
            self.draw(component, layer, place, &mut out);
        }
        Some(out)
    }

    fn place(&mut self, level: &Level, component: InstId, layer: Layer) -> Option<Place> {
        let annotation = self.canvas.view.component_annotation(level, component, "Placement")?;
        layers::transformation(&mut self.canvas, &Attributes::of(&annotation), layer)
    }

    /// Its picture and its connectors.
    fn draw(&mut self, component: InstId, layer: Layer, place: Place, out: &mut Shown) {
        let center = place.center();
        let mut items = Vec::new();
        let around = Transform::shift([-center[0], -center[1]]);
        let how = How { layer, primitives: true, transform: around, depth: 0 };
        layers::draw_component(&mut self.canvas, component, out.is_connector, place, how, &mut items);
        let [a, b] = place.extent;
        for p in [a, b, [a[0], b[1]], [b[0], a[1]]] {
            let turn = Transform::rotate(place.rotation).then(Transform::shift(place.origin)).then(around);
            out.bounds.add(turn.apply(p));
        }
        out.svg = svg::fragment(&items, [0.0, 0.0]);
        if out.is_connector {
            let port = self.port(component, [0.0, 0.0], size(&out.bounds) / 2.0);
            out.ports.push(Port { name: String::new(), ..port });
            return;
        }
        let level = self.canvas.view.levels(component);
        let system = layers::coordinates(&mut self.canvas, &level, Layer::Icon);
        let transform = place.transform(system.extent).then(around);
        self.ports(&level, transform, &mut out.ports);
    }

    /// The public connectors of a class as its icon has them.
    fn ports(&mut self, level: &Level, transform: Transform, out: &mut Vec<Port>) {
        for (base, _) in &level.bases {
            self.ports(base, transform, out);
        }
        for component in self.canvas.view.components(level) {
            let Some(info) = self.canvas.view.info(component) else { continue };
            if info.protected || !self.canvas.view.is_connector(component) {
                continue;
            }
            let Some(place) = self.place(level, component, Layer::Icon) else { continue };
            let half = (place.extent[1][0] - place.extent[0][0]).abs() / 2.0 * transform.scale();
            let port = self.port(component, transform.apply(place.center()), half);
            out.push(port);
        }
    }

    fn port(&mut self, component: InstId, at: Point, radius: f64) -> Port {
        let (key, color) = self.key(component);
        let view = &mut *self.canvas.view;
        let klass = view.klass(component);
        Port {
            name: view.name(component).as_str().to_owned(),
            class: view.full_name(klass),
            at,
            radius,
            key,
            causality: view.info(component).map(|i| i.causality).unwrap_or_default(),
            dimensions: view.dimensions(component),
            expandable: view.kind(klass) == ClassKind::ExpandableConnector,
            color,
            disabled: view.is_enabled(component) == Some(false),
        }
    }

    /// What a connector is made of, and its colour.
    fn key(&mut self, connector: InstId) -> (String, Color) {
        let klass = self.canvas.view.klass(connector);
        if let Some(known) = self.keys.get(&klass) {
            return known.clone();
        }
        let key = self.structure(connector, 0);
        let level = self.canvas.view.levels(connector);
        let subject = Subject { inst: connector, name: String::new(), class: String::new() };
        let mut items = Vec::new();
        self.primitives(&level, &subject, Layer::Icon, Transform::IDENTITY, &mut items);
        let stroke = |item: &Item| match item {
            Item::Shape(shape) => shape.stroke.map(|s| s.color),
            _ => None,
        };
        let color = items.iter().find_map(stroke).unwrap_or_default();
        self.keys.insert(klass, (key.clone(), color));
        (key, color)
    }

    /// Names, prefixes and built-in types of what is in it.
    fn structure(&mut self, inst: InstId, depth: u32) -> String {
        /// Connectors are flat; what is deeper is made by somebody who wants to harm.
        const MAX_DEPTH: u32 = 8;
        let Some(info) = self.canvas.view.info(inst) else { return String::new() };
        if let Some(leaf) = info.leaf {
            return format!("{:?}", leaf.builtin);
        }
        if depth > MAX_DEPTH {
            return String::new();
        }
        let level = self.canvas.view.levels(inst);
        let mut members = Vec::new();
        self.members(&level, depth, &mut members);
        members.sort();
        format!("{{{}}}", members.join(","))
    }

    fn members(&mut self, level: &Level, depth: u32, out: &mut Vec<String>) {
        for (base, _) in &level.bases {
            self.members(base, depth, out);
        }
        for member in self.canvas.view.components(level) {
            let Some(info) = self.canvas.view.info(member) else { continue };
            if info.variability <= Variability::Parameter {
                continue;
            }
            let flow = match info.flow {
                FlowPrefix::None => "",
                FlowPrefix::Flow => "flow ",
                FlowPrefix::Stream => "stream ",
            };
            let structure = self.structure(member, depth + 1);
            out.push(format!("{flow}{}:{structure}", self.canvas.view.name(member)));
        }
    }

    fn wires(&mut self, level: &Level, inherited: bool, out: &mut Vec<Wire>) {
        let ast = self.canvas.view.ast(level.file);
        let ClassBody::Long(body) = self.canvas.view.class_body(level, &ast) else { return };
        let mut seen = HashMap::new();
        for section in &body.equations {
            self.wires_in(level, &ast, &section.equations, (inherited, false), &mut seen, out);
        }
    }

    fn wires_in(
        &mut self,
        level: &Level,
        ast: &Arc<Ast>,
        equations: &[Equation],
        (inherited, disabled): (bool, bool),
        seen: &mut HashMap<String, usize>,
        out: &mut Vec<Wire>,
    ) {
        for equation in equations {
            match &equation.kind {
                EquationKind::Connect(a, b) => {
                    let ends = [layers::reference(ast, a), layers::reference(ast, b)];
                    let plain = ends.join(" ");
                    let count = seen.entry(plain.clone()).or_insert(0);
                    *count += 1;
                    let id = if *count == 1 { plain } else { format!("{plain}#{count}") };
                    let exists = [a, b].iter().all(|end| {
                        let first = ast.lists.parts.get(end.parts).first().map(|p| p.name.symbol);
                        let inst = first.and_then(|n| self.canvas.view.component(level.inst, n));
                        inst.and_then(|c| self.canvas.view.is_enabled(c)).unwrap_or(true)
                    });
                    let mut wire =
                        Wire { id, ends, inherited, disabled: disabled || !exists, ..Wire::default() };
                    self.line(level, ast, equation, &mut wire);
                    out.push(wire);
                }
                EquationKind::For { body, .. } => {
                    self.wires_in(level, ast, body, (inherited, disabled), seen, out);
                }
                EquationKind::If { branches, otherwise } => {
                    let scope = self.canvas.view.scope(level);
                    let mut decided = false;
                    for (condition, body) in branches {
                        let holds = match self.canvas.view.evaluate(scope, *condition, None) {
                            Some(Datum::Boolean(holds)) => Some(holds),
                            _ => None,
                        };
                        let off = disabled || decided || holds == Some(false);
                        self.wires_in(level, ast, body, (inherited, off), seen, out);
                        decided |= holds == Some(true);
                    }
                    self.wires_in(level, ast, otherwise, (inherited, disabled || decided), seen, out);
                }
                _ => {}
            }
        }
    }

    fn line(&mut self, level: &Level, ast: &Arc<Ast>, equation: &Equation, out: &mut Wire) {
        out.thickness = 0.25;
        out.pattern = "Solid".to_owned();
        out.arrows = ["None".to_owned(), "None".to_owned()];
        let Some(modification) = equation.description.annotation else { return };
        let scope = self.canvas.view.scope(level);
        let annotation = Annotation { ast: ast.clone(), modification, scope };
        let Some(line) = Attributes::of(&annotation).nested("Line") else { return };
        let view = &mut *self.canvas.view;
        let origin = line.point(view, "origin", None).unwrap_or_default();
        let rotation = line.number(view, "rotation", None).unwrap_or(0.0);
        let t = Transform::rotate(rotation).then(Transform::shift(origin));
        let points = line.points(view, "points", None).unwrap_or_default();
        out.points = points.into_iter().map(|p| t.apply(p)).collect();
        out.color = line.color(view, "color", None).unwrap_or_default();
        out.thickness = line.number(view, "thickness", None).unwrap_or(out.thickness);
        out.pattern = line.literal(view, "pattern", None).unwrap_or(std::mem::take(&mut out.pattern));
        out.smooth = line.literal(view, "smooth", None).is_some_and(|s| s == "Bezier");
        if let [a, b] = &line.literals(view, "arrow", None)[..] {
            out.arrows = [a.clone(), b.clone()];
        }
    }
}

fn size(bounds: &Bounds) -> f64 {
    if bounds.is_empty() { 0.0 } else { (bounds.high[0] - bounds.low[0]).max(bounds.high[1] - bounds.low[1]) }
}

/// How a class looks as a component of the usual size, for whoever is about to add it.
pub fn preview(view: &mut View<'_>, files: Reader<'_>) -> Shown {
    let root = view.root();
    let level = view.levels(root);
    let class = view.full_name(level.klass);
    let is_connector =
        matches!(view.kind(level.klass), ClassKind::Connector | ClassKind::ExpandableConnector);
    let mut drafter = Drafter::new(view, files);
    let system = layers::coordinates(&mut drafter.canvas, &level, Layer::Icon);
    let place = Place { extent: [[-10.0, -10.0], [10.0, 10.0]], rotation: 0.0, origin: [0.0, 0.0] };
    let name = drafter.canvas.view.short_name(level.klass).to_owned();
    let mut out = Shown { name: name.clone(), class, is_connector, place: Some(place), ..Shown::default() };
    let transform = place.transform(system.extent);
    let subject = Subject { inst: root, name: name.clone(), class: name };
    let mut items = Vec::new();
    let how = How { layer: Layer::Icon, primitives: true, transform, depth: 1 };
    if !is_connector {
        layers::plain_box(&mut drafter.canvas, &level, &subject, how, &mut items);
    }
    layers::draw_level(&mut drafter.canvas, &level, &subject, how, &mut items);
    out.svg = svg::fragment(&items, [0.0, 0.0]);
    out.bounds = Bounds { low: [-10.0, -10.0], high: [10.0, 10.0] };
    if is_connector {
        let port = drafter.port(root, [0.0, 0.0], 10.0);
        out.ports.push(Port { name: String::new(), ..port });
    } else {
        drafter.ports(&level, transform, &mut out.ports);
    }
    out
}

/// The icon of a class as a picture of its own, in its coordinate system; empty where nothing is drawn.
pub fn icon(view: &mut View<'_>, files: Reader<'_>) -> String {
    let root = view.root();
    let level = view.levels(root);
    let name = view.short_name(level.klass).to_owned();
    let mut canvas = Canvas { view, at: None, files, notes: Vec::new() };
    // Connectors alone are no icon.
    if !layers::has_graphics(&mut canvas, &level, Layer::Icon) {
        return String::new();
    }
    let extent = layers::coordinates(&mut canvas, &level, Layer::Icon).extent;
    let subject = Subject { inst: root, name: name.clone(), class: name };
    let mut items = Vec::new();
    layers::draw(&mut canvas, &level, &subject, Layer::Icon, Transform::IDENTITY, &mut items);
    if items.is_empty() {
        return String::new();
    }
    let inside = svg::fragment(&items, [0.0, 0.0]);
    let [a, b] = extent;
    let (x, y) = (a[0].min(b[0]), -a[1].max(b[1]));
    let (w, h) = ((b[0] - a[0]).abs(), (b[1] - a[1]).abs());
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{x} {y} {w} {h}" font-family="{}" stroke-linejoin="round" stroke-linecap="round">{inside}</svg>"#,
        svg::FAMILY
    )
}
