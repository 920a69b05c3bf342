//! Diagrams as the page has them, and what of them an edit changed.
//!
//! The outlines of the text before and after an edit say which declarations and connections are different; only these are
//! looked at again. A component that only moved keeps its picture.

use std::collections::HashMap;

use kausal::draw::{Parts, Place, Port, Shown, Wire};
use kausal_edit::route::{Side, route};
use kausal_edit::{ConnectionOutline, Graphic, Outline, Part, Placed, Source, outline};
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::places::Places as Units;

/// What is known of the picture of a class.
pub struct Picture {
    /// The file of the class.
    pub file: Option<String>,
    outline: Option<Outline>,
    components: HashMap<String, Value>,
    wires: HashMap<String, Value>,
    extent: [[f64; 2]; 2],
}

/// A whole diagram.
pub fn whole(parts: &Parts, source: &Source, class: &str) -> (Picture, Value) {
    let units = Units::new(&source.text);
    let outline = outline(source, class);
    let (part_of, wire_of) = indices(outline.as_ref());
    let extent = parts.coordinates.extent;
    let components: Vec<Value> = parts
        .components
        .iter()
        .map(|c| component(c, part_of.get(c.name.as_str()).copied().filter(|_| !c.inherited), &units, extent))
        .collect();
    let wires: Vec<Value> = parts
        .wires
        .iter()
        .map(|w| wire(w, wire_of.get(w.id.as_str()).copied().filter(|_| !w.inherited), &units))
        .collect();
    let variables: Vec<Value> = parts
        .quantities
        .iter()
        .map(|q| {
            let name = q.name.split('[').next().unwrap_or_default();
            let span = part_of.get(name).map(|p| p.span).unwrap_or_default();
            json!({
                "name": q.name, "class": q.class, "description": q.description, "value": q.value, "unit": q.unit,
                "kind": q.kind, "from": units.unit(span.start), "to": units.unit(span.end),
            })
        })
        .collect();
    let answer = json!({
        "class": parts.class,
        "kind": kausal::browse::word(parts.kind),
        "coordinates": coordinates(parts),
        "background": parts.background,
        "components": components,
        "connections": wires,
        "variables": variables,
    });
    let by = |list: Vec<Value>, key: &str| -> HashMap<String, Value> {
        list.into_iter().map(|v| (v[key].as_str().unwrap_or_default().to_owned(), v)).collect()
    };
    let own = by(components, "name");
    drop(part_of);
    drop(wire_of);
    let picture = Picture { file: None, components: own, wires: by(wires, "id"), extent, outline };
    (picture, answer)
}

/// The icon layer of a class, with the shapes that it draws itself.
pub fn icon_layer(parts: &Parts, shapes: &[Graphic]) -> Value {
    let shapes: Vec<Value> = shapes
        .iter()
        .map(|g| {
            json!({
                "kind": g.kind, "extent": g.extent, "points": g.points, "origin": g.origin, "rotation": g.rotation,
                "line": g.line, "fill": g.fill, "filled": g.is_filled, "text": g.text,
            })
        })
        .collect();
    let units = Units::new("");
    let extent = parts.coordinates.extent;
    let components: Vec<Value> =
        parts.components.iter().map(|c| component(c, None, &units, extent)).collect();
    json!({
        "class": parts.class,
        "coordinates": coordinates(parts),
        "background": parts.background,
        "components": components,
        "shapes": shapes,
    })
}

fn coordinates(parts: &Parts) -> Value {
    json!({
        "extent": parts.coordinates.extent,
        "preserveAspectRatio": parts.coordinates.preserve,
        "grid": parts.grid,
    })
}

fn indices(outline: Option<&Outline>) -> (HashMap<&str, &Part>, HashMap<&str, &ConnectionOutline>) {
    match outline {
        Some(o) => (
            o.components.iter().map(|p| (p.name.as_str(), p)).collect(),
            o.connections.iter().map(|c| (c.id.as_str(), c)).collect(),
        ),
        None => Default::default(),
    }
}

/// What an edit changed; nothing where the whole picture has to be made again.
pub fn update(
    picture: &mut Picture,
    source: &Source,
    version: u64,
    class: &str,
    typed: bool,
    desk: &mut Desk,
) -> Option<Value> {
    let old = picture.outline.take()?;
    let new = outline(source, class)?;
    if old.rest != new.rest {
        return None;
    }
    let units = Units::new(&source.text);
    let (old_parts, old_wires) = indices(Some(&old));
    let (new_parts, new_wires) = indices(Some(&new));
    // What looks different, and what uses that.
    let mut redraw: Vec<&str> = Vec::new();
    let mut moved: Vec<&Part> = Vec::new();
    for part in &new.components {
        let before = old_parts.get(part.name.as_str());
        match before {
            Some(before) if before.looks == part.looks && before.placed == part.placed => {}
            Some(before) if before.looks == part.looks && same_shape(before.placed, part.placed) => {
                moved.push(part)
            }
            _ => redraw.push(&part.name),
        }
    }
    let removed: Vec<&str> =
        old.components.iter().map(|p| p.name.as_str()).filter(|n| !new_parts.contains_key(n)).collect();
    let values: Vec<&str> =
        redraw.iter().chain(&removed).copied().filter(|n| !picture.components.contains_key(*n)).collect();
    // A new component is no value yet; one that has no picture is.
    let used = |looks: &str| values.iter().any(|name| has_word(looks, name));
    for part in &new.components {
        if !redraw.contains(&part.name.as_str()) && used(&part.looks) {
            redraw.push(&part.name);
        }
    }
    // While somebody types, half of a word is no reason to draw everything.
    if typed && redraw.len() > 50 {
        return None;
    }
    let mut components = Vec::new();
    if !redraw.is_empty() {
        let chosen: std::collections::HashSet<&str> = redraw.iter().copied().collect();
        let extent = picture.extent;
        for shown in desk.session().shown(class, &|name| chosen.contains(name)) {
            let value = component(&shown, new_parts.get(shown.name.as_str()).copied(), &units, extent);
            let mut told = value.clone();
            if let Some(known) = picture.components.get(&shown.name)
                && known["svg"] == value["svg"]
            {
                remove(&mut told, "svg");
            }
            picture.components.insert(shown.name.clone(), value);
            components.push(told);
        }
    }
    for part in moved {
        let (Some(known), Some(placed)) = (picture.components.get_mut(&part.name), part.placed) else {
            continue;
        };
        known["placement"] =
            placement(&Place { extent: placed.extent, rotation: placed.rotation, origin: placed.origin });
        known["from"] = json!(units.unit(part.span.start));
        known["to"] = json!(units.unit(part.span.end));
        let mut told = known.clone();
        remove(&mut told, "svg");
        components.push(told);
    }
    for name in &removed {
        picture.components.remove(*name);
    }
    let mut wires = Vec::new();
    let mut fresh = false;
    for c in &new.connections {
        let before = old_wires.get(c.id.as_str());
        match before {
            Some(before) if before.looks == c.looks && before.points == c.points => {}
            Some(before) if before.looks == c.looks && c.points.is_some() => {
                let Some(known) = picture.wires.get_mut(&c.id) else { continue };
                known["points"] = json!(c.points);
                known["from"] = json!(units.unit(c.span.start));
                known["to"] = json!(units.unit(c.span.end));
                wires.push(known.clone());
            }
            _ => fresh = true,
        }
    }
    if fresh {
        for w in desk.session().wires(class) {
            let Some(c) = new_wires.get(w.id.as_str()).filter(|_| !w.inherited) else { continue };
            let same = old_wires.get(w.id.as_str()).is_some_and(|b| b.looks == c.looks);
            if !same {
                let value = wire(&w, Some(c), &units);
                picture.wires.insert(w.id.clone(), value.clone());
                wires.push(value);
            }
        }
    }
    let gone: Vec<&str> =
        old.connections.iter().map(|c| c.id.as_str()).filter(|id| !new_wires.contains_key(id)).collect();
    for id in &gone {
        picture.wires.remove(*id);
    }
    let answer = json!({
        "class": class,
        "version": version,
        "components": components,
        "removedComponents": removed,
        "connections": wires,
        "removedConnections": gone,
    });
    picture.outline = Some(new);
    Some(answer)
}

/// Only elsewhere: the picture itself is the same.
fn same_shape(a: Option<Placed>, b: Option<Placed>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    let size = |p: &Placed| [p.extent[1][0] - p.extent[0][0], p.extent[1][1] - p.extent[0][1]];
    a.rotation == b.rotation && size(&a).iter().zip(size(&b)).all(|(x, y)| (x - y).abs() < 1e-9)
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

fn remove(value: &mut Value, key: &str) {
    if let Some(object) = value.as_object_mut() {
        object.remove(key);
    }
}

/// A component for the page.
pub fn component(c: &Shown, part: Option<&Part>, units: &Units, extent: [[f64; 2]; 2]) -> Value {
    let span = part.map(|p| p.span).unwrap_or_default();
    let half = [(c.bounds.high[0] - c.bounds.low[0]) / 2.0, (c.bounds.high[1] - c.bounds.low[1]) / 2.0];
    let bounds = match c.bounds.is_empty() {
        true => json!([0, 0, 0, 0]),
        false => json!([c.bounds.low[0], c.bounds.low[1], 2.0 * half[0], 2.0 * half[1]]),
    };
    let ports: Vec<Value> = c
        .ports
        .iter()
        .map(|p| {
            let side = match c.is_connector {
                // A line leaves a connector of the class itself to the inside.
                true => inward(c.place.map(|p| p.center()).unwrap_or_default(), extent),
                false => Side::of(p.at, half),
            };
            port(p, side)
        })
        .collect();
    json!({
        "name": c.name,
        "class": c.class,
        "description": c.description,
        "dimensions": c.dimensions,
        "inherited": c.inherited,
        "disabled": c.disabled,
        "isConnector": c.is_connector,
        "causality": causality(c.causality),
        "protected": c.protected,
        "replaceable": part.is_some_and(|p| has_word(&p.looks, "replaceable")),
        "placement": c.place.as_ref().map(placement),
        "svg": c.svg,
        "box": bounds,
        "connectors": ports,
        "from": units.unit(span.start),
        "to": units.unit(span.end),
    })
}

fn inward(at: [f64; 2], extent: [[f64; 2]; 2]) -> Side {
    let middle = [(extent[0][0] + extent[1][0]) / 2.0, (extent[0][1] + extent[1][1]) / 2.0];
    let half = [(extent[1][0] - extent[0][0]).abs() / 2.0, (extent[1][1] - extent[0][1]).abs() / 2.0];
    match Side::of([at[0] - middle[0], at[1] - middle[1]], half) {
        Side::Left => Side::Right,
        Side::Right => Side::Left,
        Side::Top => Side::Bottom,
        Side::Bottom => Side::Top,
    }
}

fn placement(place: &Place) -> Value {
    let [a, b] = place.extent;
    json!({
        "extent": place.extent,
        "rotation": place.rotation,
        "origin": place.origin,
        "center": place.center(),
        "flipX": a[0] > b[0],
        "flipY": a[1] > b[1],
    })
}

fn causality(c: kausal::draw::Causality) -> &'static str {
    match c {
        kausal::draw::Causality::None => "none",
        kausal::draw::Causality::Input => "input",
        kausal::draw::Causality::Output => "output",
    }
}

fn side_word(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
        Side::Top => "top",
        Side::Bottom => "bottom",
    }
}

fn port(p: &Port, side: Side) -> Value {
    json!({
        "name": p.name,
        "class": p.class,
        "at": p.at,
        "radius": p.radius,
        "side": side_word(side),
        "type": p.key,
        "causality": causality(p.causality),
        "dimensions": p.dimensions,
        "expandable": p.expandable,
        "color": p.color,
        "disabled": p.disabled,
    })
}

fn wire(w: &Wire, c: Option<&ConnectionOutline>, units: &Units) -> Value {
    let span = c.map(|c| c.span).unwrap_or_default();
    json!({
        "id": if w.inherited { format!("{}@", w.id) } else { w.id.clone() },
        "a": w.ends[0],
        "b": w.ends[1],
        "points": w.points,
        "color": w.color,
        "thickness": w.thickness,
        "pattern": w.pattern,
        "arrows": w.arrows,
        "smooth": w.smooth,
        "inherited": w.inherited,
        "disabled": w.disabled,
        "from": units.unit(span.start),
        "to": units.unit(span.end),
    })
}

impl Picture {
    /// A line between two connectors and its colour, where both are in the picture.
    pub fn route(&self, a: &str, b: &str) -> (Option<Vec<[f64; 2]>>, Option<[u8; 3]>) {
        let (a, b) = (self.port(a), self.port(b));
        let color = a.as_ref().map(|(_, _, c)| *c);
        match (a, b) {
            (Some((p, from, _)), Some((q, to, _))) => (Some(route(p, from, q, to)), color),
            _ => (None, color),
        }
    }

    fn port(&self, name: &str) -> Option<([f64; 2], Side, [u8; 3])> {
        let plain = |s: &str| s.split('[').next().unwrap_or_default().to_owned();
        let (first, rest) = name.split_once('.').map_or((name, ""), |(a, b)| (a, b));
        let c = self.components.get(&plain(first))?;
        let center: [f64; 2] = serde_json::from_value(c["placement"]["center"].clone()).ok()?;
        let wanted = plain(rest.split('.').next().unwrap_or_default());
        let port = c["connectors"].as_array()?.iter().find(|p| p["name"] == wanted.as_str())?;
        let at: [f64; 2] = serde_json::from_value(port["at"].clone()).ok()?;
        let side = match port["side"].as_str()? {
            "left" => Side::Left,
            "right" => Side::Right,
            "top" => Side::Top,
            _ => Side::Bottom,
        };
        let color = serde_json::from_value(port["color"].clone()).ok()?;
        let point = [center[0] + at[0], center[1] + at[1]].map(|x| (x * 1000.0).round() / 1000.0);
        Some((point, side, color))
    }
}
