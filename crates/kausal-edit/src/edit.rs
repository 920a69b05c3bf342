//! What can be asked for, and how a list of it becomes changes.
//!
//! Edits of a list are made on one tree as long as they do not meet; where one needs what another wrote, the text is read
//! again between them. Two thousand components are moved with one reading.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use kausal_syntax::ast::ClassId;
use serde::Deserialize;

use crate::connections::{self, Connections, Follow};
use crate::pieces::{Change, Pieces, apply};
use crate::placement;
use crate::source::Source;
use crate::{Point, components, icon, modifiers};

/// The layer whose placement is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerName {
    /// `transformation`
    #[default]
    Diagram,
    /// `iconTransformation`
    Icon,
}

/// What a flip exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Left and right.
    X,
    /// Top and bottom.
    Y,
}

/// An edit of a class.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "edit", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Edit {
    /// A component is declared.
    Add {
        /// Its class, as it is to be written.
        #[serde(rename = "type")]
        type_name: String,
        /// Its name; without one, one is found from `stem`.
        name: Option<String>,
        /// What a name is made of; without it, the class.
        stem: Option<String>,
        /// Where its middle is; without it, it has no place in the picture.
        center: Option<Point>,
        /// Width and height; 20 by 20 if nobody says anything.
        size: Option<Point>,
        /// Counter-clockwise, in degrees.
        rotation: Option<f64>,
        /// Modifiers without their parentheses.
        modifiers: Option<String>,
        /// `inner`, `parameter`, … before it.
        prefix: Option<String>,
    },
    /// A component is taken away, with its connections.
    Delete {
        /// Its name.
        component: String,
    },
    /// A component gets another name, here and wherever this class uses it.
    Rename {
        /// Its name.
        component: String,
        /// The new one.
        name: String,
    },
    /// A component is declared once more.
    Duplicate {
        /// Its name.
        component: String,
        /// How far from it the new one is.
        by: Point,
        /// The name of the new one.
        name: Option<String>,
    },
    /// A component is elsewhere; the lines at it follow.
    Move {
        /// Its name.
        component: String,
        /// How far.
        by: Point,
    },
    /// A component is placed; what is not given stays.
    Place {
        /// Its name.
        component: String,
        /// Its middle.
        center: Option<Point>,
        /// Two corners, before the turn.
        extent: Option<[Point; 2]>,
        /// Counter-clockwise, in degrees.
        rotation: Option<f64>,
        /// Left and right are exchanged.
        flip_x: Option<bool>,
        /// Top and bottom are exchanged.
        flip_y: Option<bool>,
        /// Which placement.
        #[serde(default)]
        layer: LayerName,
    },
    /// A component is turned around its middle.
    Rotate {
        /// Its name.
        component: String,
        /// Counter-clockwise, in degrees.
        by: f64,
    },
    /// A component is mirrored at its middle.
    Flip {
        /// Its name.
        component: String,
        /// What is exchanged.
        axis: Axis,
    },
    /// Two connectors are connected.
    Connect {
        /// One.
        a: String,
        /// The other.
        b: String,
        /// The line between them; none without it.
        points: Option<Vec<Point>>,
        /// Its colour.
        color: Option<[u8; 3]>,
    },
    /// A connection is taken away.
    Disconnect {
        /// Its id, as [`crate::outline`] gives it.
        connection: String,
    },
    /// A line runs elsewhere.
    Reroute {
        /// The id of the connection.
        connection: String,
        /// Its points.
        points: Vec<Point>,
    },
    /// A modifier, or the binding of a component of the class itself.
    Set {
        /// The component; empty for the class.
        component: String,
        /// What is modified: `R`, `u.start`.
        path: String,
        /// The expression; nothing takes the modifier away.
        value: Option<String>,
        /// `final`
        #[serde(default, rename = "final")]
        is_final: bool,
        /// Of inherited ones: which `extends` clause, from 0.
        base: Option<usize>,
    },
    /// A redeclaration in the modifiers of a component, or of the bases of the class.
    Redeclare {
        /// The component; empty for the class.
        component: String,
        /// What is redeclared.
        name: String,
        /// The class; nothing takes the redeclaration away.
        #[serde(rename = "type")]
        type_name: Option<String>,
        /// `package`, `model`, …; nothing for a component.
        kind: Option<String>,
        /// Of inherited ones: which `extends` clause, from 0.
        base: Option<usize>,
    },
    /// A component has another class.
    Type {
        /// Its name.
        component: String,
        /// The class, as it is to be written.
        #[serde(rename = "type")]
        type_name: String,
    },
    /// A description string.
    Description {
        /// The component; empty for the class.
        component: String,
        /// The text; an empty one takes it away.
        text: String,
    },
    /// Dimensions behind the name.
    Dimensions {
        /// Its name.
        component: String,
        /// `[3]`, or nothing.
        dimensions: String,
    },
    /// A parameter is declared.
    Parameter {
        /// Its name.
        name: String,
        /// Its type.
        #[serde(rename = "type")]
        type_name: String,
        /// Its value.
        value: Option<String>,
        /// `unit`
        unit: Option<String>,
        /// `displayUnit`
        display_unit: Option<String>,
        /// What it says about itself.
        description: Option<String>,
        /// `min`
        min: Option<String>,
        /// `max`
        max: Option<String>,
        /// The group of the dialog.
        group: Option<String>,
        /// Its tab.
        tab: Option<String>,
    },
    /// The `experiment` annotation.
    Experiment {
        /// `StartTime`
        start_time: Option<f64>,
        /// `StopTime`
        stop_time: Option<f64>,
        /// `Tolerance`
        tolerance: Option<f64>,
        /// `Interval`
        interval: Option<f64>,
    },
    /// A shape is drawn in the icon of the class, above the others.
    Draw {
        /// Its constructor: `Rectangle(extent={{-80,-40},{80,40}})`.
        shape: String,
    },
    /// A shape of the icon has other corners.
    Reshape {
        /// Which of those the class draws itself, from 0.
        shape: usize,
        /// Two of an extent, all of a line.
        points: Vec<Point>,
    },
    /// A shape of the icon looks different.
    Restyle {
        /// Which of those the class draws itself, from 0.
        shape: usize,
        /// `lineColor`, `textString`, …
        attribute: String,
        /// The expression.
        value: String,
    },
    /// A shape of the icon is taken away.
    Erase {
        /// Which of those the class draws itself, from 0.
        shape: usize,
    },
    /// An equation.
    Equation {
        /// As it is to be written, without `;`.
        text: String,
    },
}

/// Why an edit cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What edits did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The text after them.
    pub text: String,
    /// What changed, in order, counted in the text before.
    pub changes: Vec<Change>,
    /// For each edit the name of what it added; empty for others.
    pub names: Vec<String>,
}

/// Changes that are being collected on one tree.
pub(crate) struct Draft<'s> {
    pub source: &'s Source,
    pub class: ClassId,
    changes: Vec<Change>,
    /// Insertions before one another at one place are in the order they were asked for.
    appended: HashMap<u32, usize>,
    /// What was changed, in order, and as it came.
    touched: BTreeSet<(u32, u32)>,
    touches: Vec<(u32, u32)>,
    connections: OnceCell<Connections>,
    /// Connections that are taken away or have a new line: where they begin, and as they came.
    settled: HashSet<u32>,
    settlements: Vec<u32>,
    follow: Follow,
    /// Names given on this tree.
    named: Vec<String>,
    /// Components that are connected on this tree.
    connected: Vec<String>,
    /// Insertions that the present edit made longer, with their lengths before.
    extended: Vec<(usize, usize)>,
    /// Insertions that it wrote into, as they were.
    replaced: Vec<(usize, String)>,
}

/// How far a draft was.
struct Mark {
    changes: usize,
    touches: usize,
    settlements: usize,
    named: usize,
    connected: usize,
    follow: usize,
}

/// The edit needs what another one on the same tree writes.
#[derive(Debug)]
pub(crate) struct Again;

/// Why an edit cannot be made now.
#[derive(Debug)]
pub(crate) enum Stop {
    Again(Again),
    Refused(Refusal),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

impl From<Again> for Stop {
    fn from(again: Again) -> Stop {
        Stop::Again(again)
    }
}

impl<'s> Draft<'s> {
    fn new(source: &'s Source, class: ClassId) -> Draft<'s> {
        Draft {
            source,
            class,
            changes: Vec::new(),
            appended: HashMap::new(),
            touched: BTreeSet::new(),
            touches: Vec::new(),
            connections: OnceCell::new(),
            settled: HashSet::new(),
            settlements: Vec::new(),
            follow: Follow::default(),
            named: Vec::new(),
            connected: Vec::new(),
            extended: Vec::new(),
            replaced: Vec::new(),
        }
    }

    /// Replaces a range that no other edit touches.
    pub fn replace(&mut self, from: u32, to: u32, insert: impl Into<String>) -> Result<(), Again> {
        let insert = insert.into();
        if self.source.text[from as usize..to as usize] == insert {
            return Ok(());
        }
        self.claim(from, to)?;
        self.changes.push(Change { from, to, insert });
        Ok(())
    }

    /// Inserts behind what other edits inserted at this place.
    pub fn append(&mut self, at: u32, insert: impl Into<String>) -> Result<(), Again> {
        let insert = insert.into();
        if let Some(&index) = self.appended.get(&at) {
            self.extended.push((index, self.changes[index].insert.len()));
            self.changes[index].insert.push_str(&insert);
            return Ok(());
        }
        if self.meets(at, at) {
            return Err(Again);
        }
        self.appended.insert(at, self.changes.len());
        self.changes.push(Change { from: at, to: at, insert });
        Ok(())
    }

    /// Did another edit insert something at this place?
    pub fn appended_at(&self, at: u32) -> bool {
        self.appended.contains_key(&at)
    }

    /// Inserts before the end of what was inserted at this place.
    pub fn append_before_tail(&mut self, at: u32, insert: &str, tail: &str) -> Result<(), Again> {
        let Some(&index) = self.appended.get(&at) else { return Err(Again) };
        let text = &mut self.changes[index].insert;
        self.replaced.push((index, text.clone()));
        let end = text.len() - if text.ends_with(tail) { tail.len() } else { 0 };
        text.insert_str(end, insert);
        Ok(())
    }

    /// Marks what a change depends on.
    pub fn claim(&mut self, from: u32, to: u32) -> Result<(), Again> {
        if self.meets(from, to) || from == to && !self.touched.insert((from, to)) {
            return Err(Again);
        }
        self.touched.insert((from, to));
        self.touches.push((from, to));
        Ok(())
    }

    /// Does a range overlap what was changed? Neighbours do not meet.
    fn meets(&self, from: u32, to: u32) -> bool {
        let before = self.touched.range(..(from, u32::MAX)).rev().take(3);
        let behind = self.touched.range((from, u32::MAX)..).take(1);
        before.chain(behind).any(|&(a, b)| {
            a < b && from < to && from < b && a < to || a < from && to < b || from < a && b < to
        })
    }

    /// The connections of the class.
    pub fn connections(&self) -> &Connections {
        self.connections.get_or_init(|| Connections::new(self.source, self.class))
    }

    /// Nobody else writes this connection: it begins here. `false` where somebody does.
    pub fn settle(&mut self, start: u32) -> bool {
        let is_new = self.settled.insert(start);
        if is_new {
            self.settlements.push(start);
        }
        is_new
    }

    /// A connection to this component was written.
    pub fn connects(&mut self, component: &str) {
        self.connected.push(component.to_owned());
    }

    /// Has nobody connected this component on this tree?
    pub fn check_unconnected(&self, component: &str) -> Result<(), Again> {
        if self.connected.iter().any(|c| c == component) { Err(Again) } else { Ok(()) }
    }

    /// Has nothing been changed on this tree?
    pub fn check_unchanged(&self) -> Result<(), Again> {
        if self.changes.is_empty() && self.follow.len() == 0 { Ok(()) } else { Err(Again) }
    }

    pub fn is_settled(&self, start: u32) -> bool {
        self.settled.contains(&start)
    }

    pub fn follow(&mut self) -> &mut Follow {
        &mut self.follow
    }

    /// A name that nothing in the class has, and none of the names given so far.
    pub fn fresh(&mut self, stem: &str, is_class: bool) -> String {
        let name = components::fresh(self.source, self.class, stem, is_class, &self.named);
        self.named.push(name.clone());
        name
    }

    /// Is a name given to something on this tree?
    pub fn take(&mut self, name: &str) -> Result<(), Stop> {
        components::check_free(self.source, self.class, name, &self.named)?;
        self.named.push(name.to_owned());
        Ok(())
    }

    fn mark(&mut self) -> Mark {
        self.extended.clear();
        self.replaced.clear();
        Mark {
            changes: self.changes.len(),
            touches: self.touches.len(),
            settlements: self.settlements.len(),
            named: self.named.len(),
            connected: self.connected.len(),
            follow: self.follow.len(),
        }
    }

    fn back_to(&mut self, mark: Mark) {
        for (index, length) in std::mem::take(&mut self.extended).into_iter().rev() {
            self.changes[index].insert.truncate(length);
        }
        for (index, text) in std::mem::take(&mut self.replaced).into_iter().rev() {
            self.changes[index].insert = text;
        }
        self.changes.truncate(mark.changes);
        self.appended.retain(|_, index| *index < mark.changes);
        for range in self.touches.drain(mark.touches..) {
            self.touched.remove(&range);
        }
        for start in self.settlements.drain(mark.settlements..) {
            self.settled.remove(&start);
        }
        self.named.truncate(mark.named);
        self.connected.truncate(mark.connected);
        self.follow.truncate(mark.follow);
    }

    fn finish(mut self) -> Result<Vec<Change>, Stop> {
        let follow = std::mem::take(&mut self.follow);
        connections::follow(&mut self, follow)?;
        let mut changes = self.changes;
        changes.sort_by_key(|c| (c.from, c.to));
        Ok(changes)
    }
}

/// Makes edits of the class with this full name, all or none.
pub fn edit(text: &str, class: &str, edits: &[Edit]) -> Result<Outcome, Refusal> {
    edit_source(&Source::new(text), class, edits)
}

/// The same for a text that was read.
pub fn edit_source(first: &Source, class: &str, edits: &[Edit]) -> Result<Outcome, Refusal> {
    let mut pieces = Pieces::new(first.text.len() as u32);
    let mut names = Vec::with_capacity(edits.len());
    let mut later: Option<Source> = None;
    let mut next = 0;
    while next < edits.len() {
        let source = later.as_ref().unwrap_or(first);
        let no_class = || Refusal(format!("there is no class {class} in this file"));
        let id = source.class(class).ok_or_else(no_class)?;
        source.body(id)?;
        let mut draft = Draft::new(source, id);
        let begun = next;
        while let Some(edit) = edits.get(next) {
            let mark = draft.mark();
            match make(&mut draft, edit) {
                Ok(name) => names.push(name),
                // What it wrote before it stopped is taken back, and it is made on the next tree: what it names may be there.
                Err(_) if next > begun => {
                    draft.back_to(mark);
                    break;
                }
                Err(Stop::Again(_)) => {
                    return Err(Refusal("the edit meets itself".to_owned()));
                }
                Err(Stop::Refused(refusal)) => return Err(refusal),
            }
            next += 1;
        }
        let changes = match draft.finish() {
            Ok(changes) => changes,
            Err(Stop::Refused(refusal)) => return Err(refusal),
            Err(Stop::Again(_)) => return Err(Refusal("two of these edits meet in one line".to_owned())),
        };
        pieces.change(&changes);
        if next < edits.len() {
            later = Some(Source::new(&apply(&source.text, &changes)));
        }
    }
    let changes = pieces.changes(&first.text);
    Ok(Outcome { text: apply(&first.text, &changes), changes, names })
}

fn make(draft: &mut Draft<'_>, edit: &Edit) -> Result<String, Stop> {
    match edit {
        Edit::Add { type_name, name, stem, center, size, rotation, modifiers, prefix } => {
            let new = components::New {
                type_name,
                name: name.as_deref(),
                stem: stem.as_deref(),
                center: *center,
                size: size.unwrap_or([20.0, 20.0]),
                rotation: rotation.unwrap_or(0.0),
                modifiers: modifiers.as_deref().unwrap_or_default(),
                prefix: prefix.as_deref().unwrap_or_default(),
            };
            return components::add(draft, &new);
        }
        Edit::Duplicate { component, by, name } => {
            return components::duplicate(draft, component, *by, name.as_deref());
        }
        Edit::Delete { component } => components::delete(draft, component)?,
        Edit::Rename { component, name } => components::rename(draft, component, name)?,
        Edit::Move { component, by } => placement::shift(draft, component, *by)?,
        Edit::Place { component, center, extent, rotation, flip_x, flip_y, layer } => {
            let asked = placement::Asked {
                center: *center,
                extent: *extent,
                rotation: *rotation,
                flip_x: *flip_x,
                flip_y: *flip_y,
            };
            placement::place(draft, component, &asked, *layer)?;
        }
        Edit::Rotate { component, by } => placement::rotate(draft, component, *by)?,
        Edit::Flip { component, axis } => placement::flip(draft, component, *axis)?,
        Edit::Connect { a, b, points, color } => {
            connections::connect(draft, a, b, points.as_deref().unwrap_or_default(), *color)?;
        }
        Edit::Disconnect { connection } => connections::disconnect(draft, connection)?,
        Edit::Reroute { connection, points } => connections::reroute(draft, connection, points)?,
        Edit::Set { component, path, value, is_final, base } => {
            modifiers::set_in(draft, component, path, value.as_deref(), *is_final, *base)?;
        }
        Edit::Redeclare { component, name, type_name, kind, base } => {
            modifiers::redeclare(draft, component, name, type_name.as_deref(), kind.as_deref(), *base)?;
        }
        Edit::Type { component, type_name } => components::set_type(draft, component, type_name)?,
        Edit::Description { component, text } => components::describe(draft, component, text)?,
        Edit::Dimensions { component, dimensions } => components::dimension(draft, component, dimensions)?,
        Edit::Parameter { name, type_name, value, unit, display_unit, description, min, max, group, tab } => {
            let text = |t: &Option<String>| t.as_deref().filter(|t| !t.is_empty()).map(str::to_owned);
            let parameter = components::Parameter {
                name,
                type_name,
                value: text(value),
                attributes: [
                    ("unit", unit.as_deref().map(components::quoted)),
                    ("displayUnit", display_unit.as_deref().map(components::quoted)),
                    ("min", text(min)),
                    ("max", text(max)),
                ],
                description: text(description),
                dialog: [("tab", text(tab)), ("group", text(group))],
            };
            return components::parameter(draft, &parameter);
        }
        Edit::Experiment { start_time, stop_time, tolerance, interval } => {
            let values = [
                ("StartTime", start_time),
                ("StopTime", stop_time),
                ("Tolerance", tolerance),
                ("Interval", interval),
            ];
            modifiers::experiment(draft, &values)?;
        }
        Edit::Draw { shape } => icon::draw(draft, shape)?,
        Edit::Reshape { shape, points } => icon::reshape(draft, *shape, points)?,
        Edit::Restyle { shape, attribute, value } => icon::restyle(draft, *shape, attribute, value)?,
        Edit::Erase { shape } => icon::erase(draft, *shape)?,
        Edit::Equation { text } => connections::equation(draft, text)?,
    }
    Ok(String::new())
}
