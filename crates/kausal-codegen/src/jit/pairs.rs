//! Divisions in pairs.
//!
//! A processor divides two pairs of numbers in the time of one. Divisions that do not depend on each other and stand
//! near each other are brought together, with what the second one needs, and become one instruction. Every number is
//! rounded as before, so nothing changes but the time.

use kausal_symbolic::VarId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::plan::{Event, Home, Plan};
use crate::scalar::Binary;
use crate::tape::{Line, LineId};

/// How far ahead a partner is looked for.
const WINDOW: usize = 32;
/// How many lines may move with it.
const MOVED: usize = 8;

/// Events in a new order: each division of a pair right before its partner.
pub(super) struct Paired {
    pub events: Vec<Event>,
    /// The partner of the first division of a pair.
    pub partner: FxHashMap<LineId, LineId>,
}

/// Variables that a tape reads before it changes them: who computes their new value stays where it is.
pub(super) fn fixed_variables(plan: &Plan) -> FxHashSet<VarId> {
    let lines = plan.tape.lines.iter().zip(&plan.overwritten);
    lines
        .filter_map(|(line, &overwritten)| match line {
            Line::Load(v) if overwritten => Some(*v),
            _ => None,
        })
        .collect()
}

/// Brings divisions of a piece together.
pub(super) fn pair_divisions(plan: &Plan, events: &[Event], fixed: &FxHashSet<VarId>) -> Paired {
    let mut paired = Paired { events: Vec::with_capacity(events.len()), partner: FxHashMap::default() };
    let mut moved = vec![false; events.len()];
    for (at, &event) in events.iter().enumerate() {
        if moved[at] {
            continue;
        }
        if let Some(first) = division(plan, event)
            && let Some((mut slice, second)) = partner(plan, events, at, first, &moved, fixed)
        {
            slice.reverse();
            for &place in &slice {
                moved[place] = true;
                paired.events.push(events[place]);
            }
            let place = second;
            moved[place] = true;
            paired.events.extend([event, events[place]]);
            if let Some(second) = division(plan, events[place]) {
                paired.partner.insert(first, second);
            }
        } else {
            paired.events.push(event);
        }
    }
    paired
}

fn division(plan: &Plan, event: Event) -> Option<LineId> {
    match event {
        Event::Line(id) if matches!(plan.tape.line(id), Line::Binary(Binary::Div, ..)) => Some(id),
        _ => None,
    }
}

/// The next division that can be done at the same time, and the places of what it needs that stand between, last first.
fn partner(
    plan: &Plan,
    events: &[Event],
    at: usize,
    first: LineId,
    moved: &[bool],
    fixed: &FxHashSet<VarId>,
) -> Option<(Vec<usize>, usize)> {
    let stays = |id: LineId| matches!(plan.home[id.index()], Some(Home::Slot(v)) if fixed.contains(&v));
    for place in at + 1..events.len().min(at + WINDOW) {
        if !matches!(events[place], Event::Line(_)) {
            return None;
        }
        let Some(second) = division(plan, events[place]).filter(|&id| !moved[place] && !stays(id)) else {
            continue;
        };
        let mut needed: Vec<LineId> = plan.tape.line(second).args().collect();
        let mut slice = Vec::new();
        for between in (at + 1..place).rev().filter(|&between| !moved[between]) {
            if let Event::Line(id) = events[between]
                && needed.contains(&id)
            {
                needed.extend(plan.tape.line(id).args());
                slice.push(between);
            }
        }
        let movable = |&place: &usize| matches!(events[place], Event::Line(id) if !stays(id));
        if !needed.contains(&first) && slice.len() <= MOVED && slice.iter().all(movable) {
            return Some((slice, place));
        }
    }
    None
}
