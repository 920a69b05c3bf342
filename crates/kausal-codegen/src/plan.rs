//! The plan: in which order the lines of a tape are computed, and where.
//!
//! Three decisions, none of which changes a value:
//! 1. **Lazy branches.** A line that only one branch of one `if` needs is computed inside that branch. Its
//!    place is the deepest one that contains all its uses (the lowest common ancestor in the tree of branches,
//!    as compilers schedule late), so nothing is ever computed twice. This holds for the smallest branches too: a
//!    selection of numbers is a jump on most machines anyway, and conditions of models seldom change.
//! 2. **Pieces.** Register allocation is not linear in the length of a function, so long plans are cut.
//! 3. **Homes.** A value that a later piece needs lives in the slot it is assigned to anyway, or in a spill.
//!
//! Before: a [`Tape`]. After: [`Plan::pieces`], each a list of [`Event`]s in which every argument is computed
//! before it is used, in the same piece or in an earlier one (then it has a home, or may be computed again
//! because it is a constant, a clock or an unchanged variable).

use kausal_symbolic::VarId;
use rustc_hash::FxHashMap;

use crate::tape::{Line, LineId, Tape};

/// Branches nested deeper than this are computed always; it bounds the search for common ancestors.
const LAZY_DEPTH: u32 = 64;
/// Lines a piece.
pub(crate) const PIECE_LINES: usize = 2_000;

/// One moment of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A line is computed.
    Line(LineId),
    /// A lazy `if`: its first branch begins.
    Then(LineId),
    /// Its second branch begins.
    Else(LineId),
    /// It ends; its value is known.
    End(LineId),
}

/// Where a value is kept beyond its piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In the slot of the variable it is assigned to.
    Slot(VarId),
    /// In a place of the scratch memory.
    Spill(u32),
}

/// A tape with its order of computation.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub tape: Tape,
    pub pieces: Vec<Vec<Event>>,
    /// Per line. A line with a home is written there as soon as it is computed; the store is left out.
    pub home: Vec<Option<Home>>,
    /// How many spills there are.
    pub spills: u32,
    /// Per line: does a store of this tape change the variable it loads?
    pub overwritten: Vec<bool>,
}

impl Plan {
    /// All events in order, pieces forgotten.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.pieces.iter().flatten().copied()
    }

    /// One above the largest slot of the values, of the `pre` values, and of the outputs.
    pub fn extents(&self) -> Extents {
        let mut extents = Extents::default();
        for line in &self.tape.lines {
            match *line {
                Line::Load(v) | Line::Store(v, _) => extents.values = extents.values.max(v.index() + 1),
                Line::Pre(v) => extents.pre = extents.pre.max(v.index() + 1),
                Line::Output(k, _) => extents.outputs = extents.outputs.max(k as usize + 1),
                _ => {}
            }
        }
        extents
    }
}

/// How long the arrays must be at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extents {
    pub values: usize,
    pub pre: usize,
    pub outputs: usize,
}

/// Plans a tape.
pub(crate) fn plan(tape: Tape) -> Plan {
    plan_with(tape, PIECE_LINES)
}

/// Plans a tape with pieces of this length.
pub(crate) fn plan_with(tape: Tape, piece_lines: usize) -> Plan {
    let places = place(&tape);
    let (home, overwritten) = slots(&tape, &places);
    let pieces = pieces(&tape, &places, &home, piece_lines);
    let mut plan = Plan { tape, pieces, home, spills: 0, overwritten };
    spill(&mut plan);
    plan
}

/// A branch of an `if`; number 0 is the whole tape.
struct Region {
    parent: u32,
    depth: u32,
}

/// In which region each line is computed.
struct Places {
    /// How many regions there are.
    regions: usize,
    /// Per line its region; [`DEAD`] if nobody needs it.
    region: Vec<u32>,
    /// Per line: the first of the two regions of a lazy `if`, 0 for all others.
    branches: Vec<u32>,
}

const DEAD: u32 = u32::MAX;

/// Places every line.
fn place(tape: &Tape) -> Places {
    let mut regions = vec![Region { parent: 0, depth: 0 }];
    let mut region_of = vec![DEAD; tape.lines.len()];
    let mut branches = vec![0; tape.lines.len()];
    for (i, line) in tape.lines.iter().enumerate().rev() {
        if line.is_effect() {
            region_of[i] = 0;
        }
        let region = region_of[i];
        if region == DEAD {
            continue;
        }
        let depth = regions[region as usize].depth + 1;
        let mut use_in = |arg: LineId, region: u32, regions: &[Region]| {
            let place = &mut region_of[arg.index()];
            *place = if *place == DEAD { region } else { common(regions, *place, region) };
        };
        match *line {
            Line::If(c, a, b) if depth <= LAZY_DEPTH => {
                let first = regions.len() as u32;
                regions.extend([Region { parent: region, depth }, Region { parent: region, depth }]);
                branches[i] = first;
                use_in(c, region, &regions);
                use_in(a, first, &regions);
                use_in(b, first + 1, &regions);
            }
            _ => line.args().for_each(|arg| use_in(arg, region, &regions)),
        }
    }
    Places { regions: regions.len(), region: region_of, branches }
}

/// The deepest region that contains both.
fn common(regions: &[Region], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        if regions[a as usize].depth < regions[b as usize].depth {
            std::mem::swap(&mut a, &mut b);
        }
        a = regions[a as usize].parent;
    }
    a
}

/// Which lines may live in the slot they are assigned to: those outside of branches whose variable is assigned
/// once and whose old value nobody reads. Also which loads are of a variable that is assigned.
fn slots(tape: &Tape, places: &Places) -> (Vec<Option<Home>>, Vec<bool>) {
    let mut stores: FxHashMap<VarId, u32> = FxHashMap::default();
    let mut loads: FxHashMap<VarId, u32> = FxHashMap::default();
    for (i, line) in tape.lines.iter().enumerate().filter(|&(i, _)| places.region[i] != DEAD) {
        match *line {
            Line::Store(v, _) => *stores.entry(v).or_default() += 1,
            Line::Load(v) => _ = loads.insert(v, i as u32),
            _ => {}
        }
    }
    let mut home = vec![None; tape.lines.len()];
    let mut overwritten = vec![false; tape.lines.len()];
    for (i, line) in tape.lines.iter().enumerate() {
        match *line {
            Line::Store(v, value) => {
                let computed = matches!(tape.line(value), Line::Unary(..) | Line::Binary(..) | Line::If(..));
                let here = &mut home[value.index()];
                if computed && here.is_none() && stores[&v] == 1 && !loads.contains_key(&v) {
                    *here = Some(Home::Slot(v));
                }
            }
            Line::Load(v) => overwritten[i] = stores.contains_key(&v),
            _ => {}
        }
    }
    (home, overwritten)
}

/// Writes down the events, cut into pieces. A lazy `if` is never cut.
fn pieces(tape: &Tape, places: &Places, home: &[Option<Home>], piece_lines: usize) -> Vec<Vec<Event>> {
    let mut blocks: Vec<Vec<LineId>> = vec![Vec::new(); places.regions];
    for (i, line) in tape.lines.iter().enumerate().filter(|&(i, _)| places.region[i] != DEAD) {
        match *line {
            // The value was written there when it was computed.
            Line::Store(v, value) if home[value.index()] == Some(Home::Slot(v)) => {}
            _ => blocks[places.region[i] as usize].push(LineId(i as u32)),
        }
    }
    let mut pieces = Vec::new();
    let mut events = Vec::new();
    // Lines still to be visited, the next one last, with the moment they have reached.
    let mut stack: Vec<Event> = Vec::new();
    let enter = |region: u32, stack: &mut Vec<Event>, blocks: &mut [Vec<LineId>]| {
        stack.extend(std::mem::take(&mut blocks[region as usize]).into_iter().rev().map(Event::Line));
    };
    enter(0, &mut stack, &mut blocks);
    let mut depth = 0;
    while let Some(event) = stack.pop() {
        match event {
            Event::Line(line) if places.branches[line.index()] != 0 => {
                depth += 1;
                events.push(Event::Then(line));
                stack.push(Event::Else(line));
                enter(places.branches[line.index()], &mut stack, &mut blocks);
                continue;
            }
            Event::Else(line) => {
                events.push(event);
                stack.push(Event::End(line));
                enter(places.branches[line.index()] + 1, &mut stack, &mut blocks);
                continue;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
        events.push(event);
        if depth == 0 && events.len() >= piece_lines {
            pieces.push(std::mem::take(&mut events));
        }
    }
    if !events.is_empty() {
        pieces.push(events);
    }
    pieces
}

/// Gives a spill to what a later piece needs and has no other home.
fn spill(plan: &mut Plan) {
    let mut piece_of = vec![0; plan.tape.lines.len()];
    for (k, piece) in plan.pieces.iter().enumerate() {
        for event in piece {
            if let Event::Line(line) | Event::End(line) = *event {
                piece_of[line.index()] = k;
            }
        }
    }
    for (k, piece) in plan.pieces.iter().enumerate() {
        for event in piece {
            let (Event::Line(line) | Event::Then(line)) = *event else { continue };
            for arg in plan.tape.line(line).args().map(LineId::index) {
                let again = match plan.tape.lines[arg] {
                    Line::Const(_) | Line::Pre(_) | Line::Time => true,
                    Line::Load(_) => !plan.overwritten[arg],
                    _ => false,
                };
                if piece_of[arg] != k && !again && plan.home[arg].is_none() {
                    plan.home[arg] = Some(Home::Spill(plan.spills));
                    plan.spills += 1;
                }
            }
        }
    }
}
