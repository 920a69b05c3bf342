//! What importing tools show of a model: its icon, its documentation, and its connectors as terminals (FMI 3.0, section 2.5.3 and
//! 2.6; FMI 2.0.4, section 2.3).

use std::collections::BTreeMap;

use kausal::Session;
use kausal::draw::{self, Drawing, Entry};
use kausal_model::FlatModel;

use crate::arrays::Array;
use crate::description::Description;
use crate::fmi3::array_at;
use crate::xml::{Attributes, Xml};

/// What a class looks like, and what it says about itself.
#[derive(Clone, Debug, Default)]
pub struct Appearance {
    /// A page about it.
    pub page: Option<String>,
    /// Its icon.
    pub icon: Option<Icon>,
    /// Its connectors.
    pub connectors: Vec<Entry>,
}

/// An icon, in both notations.
#[derive(Clone, Debug)]
pub struct Icon {
    /// As SVG.
    pub svg: String,
    /// As PNG.
    pub png: Option<Vec<u8>>,
    /// Two corners of its coordinate system.
    pub corners: [[f64; 2]; 2],
}

impl Appearance {
    /// Of a class; empty where the class is not there, as it is with stored models.
    pub fn of(session: &mut Session, class: &str) -> Appearance {
        let scene = session.draw(class, &Drawing { icon: true, values: None });
        let icon = scene.filter(|scene| !scene.items.is_empty()).map(|scene| {
            let [a, b] = scene.extent;
            Icon { svg: draw::svg(&scene), png: draw::png(&scene), corners: [a, b] }
        });
        let page = session.document_page(class);
        let connectors = session.document(class).map(|found| found.document.connectors);
        Appearance { page, icon, connectors: connectors.unwrap_or_default() }
    }

    /// `terminalsAndIcons.xml`; none where there is nothing to say.
    pub fn terminals(&self, flat: &FlatModel, d: &Description) -> Option<String> {
        let all = self.connectors.iter().flat_map(|connector| terminals(connector, flat, d));
        let all: Vec<Terminal> = all.collect();
        if all.is_empty() && self.icon.is_none() {
            return None;
        }
        let mut xml = Xml::new();
        let root = Attributes::new().with("fmiVersion", "3.0");
        xml.element("fmiTerminalsAndIcons", root, |xml| {
            if let Some(icon) = &self.icon {
                xml.element("GraphicalRepresentation", Attributes::new(), |xml| {
                    let [[x1, y1], [x2, y2]] = icon.corners;
                    let corners = || {
                        let numbers = [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)];
                        numbers.into_iter().fold(Attributes::new(), |a, (name, n)| a.number(name, Some(n)))
                    };
                    // Coordinates of the language are tenths of a millimetre where nothing else is said.
                    xml.empty("CoordinateSystem", corners().with("suggestedScalingFactorTo_mm", "0.1"));
                    xml.empty("Icon", corners());
                });
            }
            if !all.is_empty() {
                xml.element("Terminals", Attributes::new(), |xml| all.iter().for_each(|t| t.write(xml)));
            }
        });
        Some(xml.finish())
    }
}

/// A connector, or an element of an array of them.
struct Terminal<'a> {
    name: String,
    kind: &'a str,
    description: &'a str,
    /// Names of variables and what they are called in the connector, with whether they flow.
    members: Vec<(&'a str, &'a str, bool)>,
}

impl Terminal<'_> {
    fn write(&self, xml: &mut Xml) {
        let a = Attributes::new()
            .with("name", &self.name)
            .with("matchingRule", "plug")
            .with("terminalKind", self.kind)
            .text("description", self.description);
        xml.element("Terminal", a, |xml| {
            for (variable, member, flows) in &self.members {
                let kind = if *flows { "inflow" } else { "signal" };
                let a = Attributes::new()
                    .with("variableName", variable)
                    .with("memberName", member)
                    .with("variableKind", kind);
                xml.empty("TerminalMemberVariable", a);
            }
        });
    }
}

/// The terminals of a connector: one, or as many as it has elements. What is no record has no members, and is an input or an output
/// by itself.
fn terminals<'a>(connector: &'a Entry, flat: &'a FlatModel, d: &'a Description) -> Vec<Terminal<'a>> {
    let name = connector.name.split('[').next().unwrap_or_default();
    // Variables by all their names, with the arrays that they are the first elements of; other elements are no variables.
    let mut listed: BTreeMap<&str, (&str, Option<&Array>)> = BTreeMap::new();
    let mut place = 0;
    while let Some(v) = d.variables.get(place) {
        let array = array_at(d, place);
        let own = array.map_or(v.name.as_str(), |array| array.name.as_str());
        listed.insert(&v.name, (own, array));
        listed.extend(v.aliases.iter().map(|(alias, _)| (alias.as_str(), (own, array))));
        place += array.map_or(1, |array| array.len);
    }
    let mut terminals: Vec<Terminal> = Vec::new();
    for variable in flat.variables.iter().filter(|v| !v.protected) {
        let Some(rest) = variable.name.strip_prefix(name) else { continue };
        let Some(at) = element_len(rest) else { continue };
        let Some((own, array)) = listed.get(variable.name.as_str()) else { continue };
        let (element, member) = (&variable.name[..name.len() + at], &rest[at + 1..]);
        let member =
            if array.is_some() { member.rsplit_once('[').map_or(member, |(m, _)| m) } else { member };
        let place = match terminals.iter().position(|terminal| terminal.name == element) {
            Some(place) => place,
            None => {
                let (kind, description) = (connector.class.as_str(), connector.description.as_str());
                terminals.push(Terminal { name: element.to_owned(), kind, description, members: Vec::new() });
                terminals.len() - 1
            }
        };
        terminals[place].members.push((own, member, variable.flow));
    }
    terminals
}

/// How long the subscripts are in front of a member: `[2].v` and `.v` have one.
fn element_len(rest: &str) -> Option<usize> {
    let subscripts = match rest.strip_prefix('[') {
        Some(inside) => inside.find(']')? + 2,
        None => 0,
    };
    rest[subscripts..].starts_with('.').then_some(subscripts)
}

#[cfg(test)]
mod tests {
    use super::element_len;

    #[test]
    fn members_stand_behind_subscripts() {
        assert_eq!(element_len(".v"), Some(0));
        assert_eq!(element_len("[2,3].frame.f[1]"), Some(5));
        assert_eq!(element_len("s.v"), None);
        assert_eq!(element_len("[2]"), None);
    }
}
