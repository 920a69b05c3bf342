//! What to say about a model without a unique solution: which equations are too many, which unknowns have none, in the
//! user's names and lines, and what usually causes it.

use kausal_model::flat::OriginKind;
use kausal_structure::{
    Id, IdVec, IncidenceBuilder, PantelidesError, Piece, Var as Column, dulmage_mendelsohn, maximum_matching,
    pantelides,
};
use kausal_symbolic::print::print_limited;
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, VarId};
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::sort::{Singular, Sorting, occurrences};
use crate::equations::work::Work;
use crate::equations::work::text;
use crate::program::SingularPart;
use crate::reduce::rank::{Agreement, Dependency};

/// Names, equations and places that are shown of each kind.
const SHOWN: usize = 12;
/// How often equations are taken away to see whether there are still too many.
const ROUNDS: usize = 24;

/// Everything that is too many for index reduction, which names minimal sets, one at a time: an equation of each set is
/// taken away and the next ones are looked for. Sets with common equations become one.
pub(crate) fn all_too_many(
    work: &mut Work,
    sorting: &Sorting,
    derivative: &IdVec<Column, Option<Column>>,
    first: Vec<Piece>,
) -> Singular {
    let mut rows = sorting.rows.clone();
    let mut found: Vec<(Vec<usize>, Vec<VarId>)> = Vec::new();
    let mut pieces = first;
    for _ in 0..ROUNDS {
        let mut taken = Vec::new();
        for piece in &pieces {
            let equations: Vec<usize> = piece.eqns.iter().map(|e| rows[e.index()]).collect();
            let unknowns = piece.vars.iter().filter_map(|v| sorting.columns.get(v.index()).copied());
            taken.extend(equations.last());
            found.push((equations, unknowns.collect()));
        }
        rows.retain(|row| !taken.contains(row));
        let left = Sorting::for_differentiation(work, rows.clone(), sorting.columns.clone());
        match pantelides(&left.incidence, derivative) {
            Err(PantelidesError::Singular { subsets }) => pieces = subsets,
            _ => break,
        }
    }
    let mut too_many: Vec<(Vec<usize>, Vec<VarId>)> = Vec::new();
    for (mut equations, mut unknowns) in found {
        while let Some(at) = too_many.iter().position(|(e, _)| e.iter().any(|e| equations.contains(e))) {
            let (more, names) = too_many.remove(at);
            equations.extend(more);
            unknowns.extend(names);
        }
        equations.sort_unstable();
        equations.dedup();
        unknowns.sort_unstable();
        unknowns.dedup();
        too_many.push((equations, unknowns));
    }
    too_many.sort();
    let too_few = too_few(work, rows, sorting, derivative);
    Singular { too_many, too_few }
}

/// What the equations that are left do not determine. A variable and its derivatives count as one: where one of them is
/// determined, so are the others, after index reduction.
fn too_few(
    work: &mut Work,
    rows: Vec<usize>,
    sorting: &Sorting,
    derivative: &IdVec<Column, Option<Column>>,
) -> Vec<(Vec<VarId>, Vec<usize>)> {
    let mut lowest: Vec<usize> = (0..sorting.columns.len()).collect();
    for (v, d) in derivative.iter() {
        if let Some(d) = d {
            lowest[d.index()] = v.index();
        }
    }
    let first = |mut v: usize| {
        while lowest[v] != v {
            v = lowest[v];
        }
        v
    };
    let left = Sorting::for_differentiation(work, rows, sorting.columns.clone());
    let chains: Vec<usize> = (0..sorting.columns.len()).filter(|&v| lowest[v] == v).collect();
    let place: FxHashMap<usize, u32> = chains.iter().copied().zip(0..).collect();
    let mut builder = IncidenceBuilder::new(left.rows.len(), chains.len());
    for o in left.incidence.occurrences() {
        builder.add(o.eqn, Column(place[&first(o.var.index())]), o.solvability);
    }
    let merged = builder.build();
    let dm = dulmage_mendelsohn(&merged, &maximum_matching(&merged));
    let unknowns = |piece: &Piece| piece.vars.iter().map(|v| sorting.columns[chains[v.index()]]).collect();
    let equations = |piece: &Piece| piece.eqns.iter().map(|e| left.rows[e.index()]).collect();
    dm.under.pieces.iter().map(|p| (unknowns(p), equations(p))).collect()
}

/// A part without the variables that translation made and the equations that define them: as many of these as of those.
/// Where nothing else is left it stays as it is.
fn without_helpers(work: &Work, equations: &[usize], unknowns: &[VarId]) -> (Vec<usize>, Vec<VarId>) {
    let is_helper = |v: VarId| work.shown(v) != work.var(v).name;
    let defines = |e: usize| match work.pool.node(work.equations[e].lhs) {
        Node::Var(v) if is_helper(v) && unknowns.contains(&v) => Some(v),
        _ => None,
    };
    let defined: Vec<VarId> = equations.iter().filter_map(|&e| defines(e)).collect();
    let rest: Vec<usize> = equations.iter().copied().filter(|&e| defines(e).is_none()).collect();
    if rest.is_empty() {
        return (equations.to_vec(), unknowns.to_vec());
    }
    (rest, unknowns.iter().copied().filter(|v| !defined.contains(v)).collect())
}

/// Says which equations are too many and which unknowns have none.
pub(crate) fn report_singular(work: &mut Work, singular: &Singular) {
    // Where two values that are given meet, the level is not what is missing.
    let balances = |equations: &[usize], unknowns: &[VarId], given: bool| {
        unknowns.is_empty()
            && equations
                .iter()
                .all(|&e| is_balance(work.equations[e].origin.kind) && given == has_variables(work, e))
    };
    let floats = |part: &(Vec<usize>, Vec<VarId>)| balances(&part.0, &part.1, false);
    let floating = singular.too_many.iter().any(floats) && !singular.too_few.is_empty();
    let nowhere = nothing_connected(&open(work, singular));
    let mut diagnostics = Vec::new();
    for (equations, unknowns) in &singular.too_many {
        let (equations, unknowns) = &without_helpers(work, equations, unknowns);
        // Where nothing but numbers is left, it is the equation of the model that says something.
        let said = |&e: &usize| if has_variables(work, e) { text(work, e) } else { written(work, e) };
        let texts: Vec<String> = equations.iter().map(said).collect();
        let names: Vec<String> = unknowns.iter().map(|v| work.shown(*v).to_owned()).collect();
        let message = if unknowns.is_empty() {
            let has = if equations.len() == 1 { "has" } else { "have" };
            format!("{} {has} no unknown left:\n  {}", counted(equations.len(), "equation"), list(&texts))
        } else {
            format!(
                "{} for only {}:\n  {}\nwith the unknowns\n  {}",
                counted(equations.len(), "equation"),
                counted(unknowns.len(), "unknown"),
                list(&texts),
                list(&names)
            )
        };
        let excess = equations.len() - unknowns.len().min(equations.len());
        let several = format!(
            "{excess} of these equations are too many: is something fixed twice, or connected to a second source?"
        );
        let closed = closed_loop(work, unknowns);
        let domain = Domain::of(work, equations, unknowns);
        let short = if unknowns.is_empty() { short_circuit(work, equations, domain) } else { None };
        let twice = if unknowns.is_empty() { fixed_twice(work, equations, domain) } else { None };
        let help = if let Some(short) = &short {
            short
        } else if let (Some(nowhere), true) = (&nowhere, unknowns.is_empty()) {
            nowhere.as_str()
        } else if let Some(closed) = &closed {
            closed
        } else if balances(equations, unknowns, true) {
            "what flows in must flow out, and two sources fix the same flow: are two of them in series? Take one away, or \
             give the flow another way beside it"
        } else if floating && unknowns.is_empty() {
            domain.nothing_fixed()
        } else if let Some(twice) = &twice {
            twice
        } else if unknowns.is_empty() {
            "all in it is known already, so something is fixed twice: two sources in parallel, a value that is given by \
             an equation and by a connection, or an equation meant for another variable"
        } else if excess > 1 {
            &several
        } else {
            "one of these equations is too many: is something fixed twice, or connected to a second source?"
        };
        let title = if short.is_some() {
            domain.bridged()
        } else if nowhere.is_some() || !unknowns.is_empty() || balances(equations, unknowns, true) {
            None
        } else if floating {
            domain.without_level()
        } else if twice.is_some() {
            domain.given_twice()
        } else {
            None
        };
        let message = title.map_or(message.clone(), |title| format!("{title}: {message}"));
        let words = if equations.len() == 1 { "this one" } else { "one of them" };
        let places = equations.iter().take(SHOWN).filter_map(|&e| {
            let origin = &work.equations[e].origin;
            Some((origin.location?, origin.component.clone()))
        });
        let own = own_places(work, equations, unknowns);
        let diagnostic = own_labels(Diagnostic::error("K0401", message).help(help), work, equations, own);
        diagnostics.push(labelled(diagnostic, places, words, ", in "));
    }
    for (unknowns, equations) in &singular.too_few {
        let names: Vec<String> = unknowns.iter().map(|v| work.shown(*v).to_owned()).collect();
        let have = if unknowns.len() == 1 { "has" } else { "have" };
        let few = match equations.len() {
            0 => "no equation".to_owned(),
            n => format!("only {}", counted(n, "equation")),
        };
        let message = format!("{} {have} {few}:\n  {}", counted(unknowns.len(), "unknown"), list(&names));
        let help = if let Some(nowhere) = &nowhere {
            nowhere
        } else if floating {
            Domain::of(work, equations, unknowns).remedy()
        } else if !singular.too_many.is_empty() {
            "nothing is left to determine them, because something else is determined twice: see above"
        } else {
            "an equation is missing: is a connector left open, a ground missing, or a variable never given a value?"
        };
        let places = unknowns
            .iter()
            .take(SHOWN)
            .filter_map(|v| Some((work.var(*v).location?, component(work.shown(*v)).to_owned())));
        let own = own_places(work, &[], unknowns);
        let inside = unknowns.iter().all(|v| work.var(*v).location.is_none_or(|l| !is_own(work, l)));
        let diagnostic = Diagnostic::error("K0402", message).help(help);
        let diagnostic = match inside {
            true => own.into_iter().fold(diagnostic, |d, (location, _)| d.at(location, "not determined")),
            false => diagnostic,
        };
        diagnostics.push(labelled(diagnostic, places, "declared here", " for "));
    }
    work.diagnostics.extend(diagnostics);
    let parts = singular.too_many.iter().map(|(equations, unknowns)| part(work, equations, unknowns));
    let few = singular.too_few.iter().map(|(unknowns, equations)| part(work, equations, unknowns));
    let parts: Vec<SingularPart> = parts.chain(few).collect();
    work.singular.extend(parts);
}

/// Says which equations depend on each other; is there an error? Where an equation and its derivative both do, only the
/// equation is named, and nothing is said of what only follows: equations with unknowns that are open before.
pub(crate) fn report_dependent(work: &mut Work, found: Vec<Dependency>) -> bool {
    let mut open: FxHashSet<VarId> = FxHashSet::default();
    let mut found = found;
    found.retain(|d| {
        let own: FxHashSet<VarId> = d.open.iter().copied().collect();
        let mut visitor = Visitor::new();
        let mut read = Vec::new();
        d.equations.iter().for_each(|&e| occurrences(work, e, &mut visitor, &mut read));
        let follows = read.iter().any(|v| open.contains(v) && !own.contains(v));
        open.extend(own);
        !follows
    });
    let differentiated = |d: &Dependency| d.equations.iter().any(|&e| work.equations[e].order > 0);
    let (derived, first): (Vec<_>, Vec<_>) = found.into_iter().partition(differentiated);
    let shown = if first.is_empty() { derived } else { first };
    for d in &shown {
        let d = &Dependency { open: left_open(work, d), ..d.clone() };
        let diagnostic = dependent(work, d);
        work.diagnostics.push(diagnostic);
        let mut part = part(work, &d.equations, &d.open);
        part.dependent = d.excess;
        for (equation, (text, _)) in d.equations.iter().zip(&mut part.equations) {
            *text = written(work, *equation);
        }
        work.singular.push(part);
    }
    !shown.is_empty()
}

/// What is open once equations that say nothing new are gone. Those may seem to determine a state, and then it is not
/// the state that is open, as its start value and its derivative say what it is.
fn left_open(work: &mut Work, d: &Dependency) -> Vec<VarId> {
    // Derivatives that the model has, not those that came with differentiated equations.
    let mut visitor = Visitor::new();
    let mut read = Vec::new();
    for e in (0..work.equations.len()).filter(|&e| work.equations[e].order == 0) {
        occurrences(work, e, &mut visitor, &mut read);
    }
    let read: FxHashSet<VarId> = read.into_iter().collect();
    let is_state = |v: &VarId| work.var(*v).derivative.is_some_and(|derivative| read.contains(&derivative));
    let states: FxHashSet<VarId> = d.open.iter().copied().filter(is_state).collect();
    if states.is_empty() {
        return d.open.clone();
    }
    let new = |row: &usize| !d.equations.iter().rev().take(d.excess).any(|e| e == row);
    let rows: Vec<usize> =
        (0..work.equations.len()).filter(|row| work.equations[*row].order == 0 && new(row)).collect();
    let columns = crate::equations::sort::unknowns(work, &states);
    let singular = match Sorting::new(work, rows, columns).blocks() {
        Err(singular) if singular.too_many.is_empty() => singular,
        _ => return d.open.clone(),
    };
    let unknowns = singular.too_few.iter().flat_map(|(unknowns, _)| unknowns).copied();
    let mut open: Vec<VarId> =
        unknowns.filter(|v| work.var(*v).integral.is_none() && !work.var(*v).made).collect();
    open.sort_unstable();
    if open.is_empty() { d.open.clone() } else { open }
}

fn dependent(work: &Work, d: &Dependency) -> Diagnostic {
    let texts: Vec<String> = d.equations.iter().map(|&e| written(work, e)).collect();
    let names: Vec<String> = d.open.iter().map(|v| work.shown(*v).to_owned()).collect();
    let alone = match &d.equations[..] {
        &[e] => Some(text(work, e)),
        _ => None,
    };
    let equations = counted(d.equations.len(), "equation");
    let (texts, names) = (list(&texts), list(&names));
    let floating = d.equations.iter().any(|&e| is_balance(work.equations[e].origin.kind));
    let surplus = match (d.excess, d.equations.len()) {
        (1, 2) => "say the same".to_owned(),
        (1, _) => "depend on each other: one says nothing new".to_owned(),
        (n, _) => format!("depend on each other: {n} say nothing new"),
    };
    let (code, message) = match d.agreement {
        Agreement::Same | Agreement::Unknown => {
            ("K0404", format!("{equations} {surplus}:\n  {texts}\nso that nothing determines\n  {names}"))
        }
        Agreement::Never if let Some(now) = &alone => {
            let so = if *now == texts { String::new() } else { format!("as they make of it\n  {now}\n") };
            (
                "K0405",
                format!(
                    "an equation contradicts the others:\n  {texts}\n{so}and nothing determines\n  {names}"
                ),
            )
        }
        Agreement::Never => (
            "K0405",
            format!("{equations} contradict each other:\n  {texts}\nand nothing determines\n  {names}"),
        ),
        Agreement::Seldom | Agreement::InRun => (
            "K0405",
            format!(
                "{equations} contradict each other, but for special values of what is known in them:\n  {texts}\n\
                 and nothing determines\n  {names}"
            ),
        ),
    };
    let help = match (floating, code) {
        (true, "K0404") => {
            "nothing fixes the level, only differences are determined: is a ground missing, a tank, a fixed temperature?"
        }
        (true, _) => {
            "what flows in must flow out: are two sources of a flow in series, or is a ground missing?"
        }
        (false, "K0404") => {
            "was an equation written twice, perhaps in other words? Write another one in its place, or give a value to \
             one of these variables"
        }
        _ => {
            "they want different values of the same: correct one of them, or take it away and determine the rest otherwise"
        }
    };
    let words = if d.equations.len() == 1 { "this one" } else { "one of them" };
    let places = d.equations.iter().take(SHOWN).filter_map(|&e| {
        let origin = &work.equations[e].origin;
        Some((origin.location?, origin.component.clone()))
    });
    let declared = d.open.iter().take(SHOWN).filter_map(|v| {
        let var = work.var(*v);
        Some((var.location?, component(&var.name).to_owned()))
    });
    let diagnostic = labelled(Diagnostic::error(code, message).help(help), places, words, ", in ");
    labelled(diagnostic, declared, "not determined", " for ")
}

/// An equation as the model has it; one that was made on the way as it is now.
fn written(work: &Work, equation: usize) -> String {
    let place = work.equations[equation].model.and_then(|place| work.written.get(place as usize));
    let Some(&(lhs, rhs)) = place else { return text(work, equation) };
    let name = |v: VarId| work.shown(v).to_owned();
    let side = |e: ExprId| print_limited(&work.pool, e, &name, 200);
    format!("{} = {}", side(lhs), side(rhs))
}

/// Names open connectors and their components.
fn nothing_connected(open: &[String]) -> Option<String> {
    let named = |connector: &String| match connector.rsplit_once('.') {
        Some((component, pin)) => format!("{pin} of {component}"),
        None => connector.clone(),
    };
    let names: Vec<String> = open.iter().map(named).collect();
    Some(match &names[..] {
        [] => return None,
        [one] => format!("nothing is connected to {one}, so nothing flows there: connect it"),
        [others @ .., last] => {
            let others = others.join(", ");
            format!("nothing is connected to {others} and {last}, so nothing flows there: connect them")
        }
    })
}

/// The open connectors a singular part is about: one of their variables is not determined, or they belong to a component
/// that has such a variable.
fn open(work: &Work, singular: &Singular) -> Vec<String> {
    let unknowns = || singular.too_few.iter().flat_map(|(unknowns, _)| unknowns);
    let of = |connector: &String| unknowns().any(|v| component(work.shown(*v)) == connector);
    let mut open: Vec<String> = work.open.iter().filter(|c| of(c)).cloned().collect();
    if open.is_empty() {
        let beside = |connector: &String| {
            let own = component(connector);
            !own.is_empty() && unknowns().any(|v| component(work.shown(*v)) == own)
        };
        open = work.open.iter().filter(|c| beside(c)).cloned().collect();
    }
    if open.is_empty() {
        // Nothing flows out of a component: what flows in is fixed once too often.
        let known = singular.too_many.iter().filter(|(_, unknowns)| unknowns.is_empty());
        let owners: Vec<&str> = known
            .flat_map(|(equations, _)| equations)
            .map(|&e| work.equations[e].origin.component.as_str())
            .filter(|component| !component.is_empty())
            .collect();
        open = work.open.iter().filter(|c| owners.contains(&component(c))).cloned().collect();
    }
    open.truncate(SHOWN);
    open
}

/// Joints that close a loop, where rotations are too many: the parts whose angle or displacement is among the unknowns
/// beside the elements of matrices of rotations.
fn closed_loop(work: &Work, unknowns: &[VarId]) -> Option<String> {
    let rotates = |name: &str| [".R.T[", ".R_rel.T["].iter().any(|part| name.contains(part));
    if !unknowns.iter().any(|v| rotates(work.shown(*v))) {
        return None;
    }
    let mut joints: Vec<&str> = Vec::new();
    for v in unknowns {
        let name = work.shown(*v);
        let joint = component(name);
        if !name.contains('[') && !joint.is_empty() && !joints.contains(&joint) {
            joints.push(joint);
        }
    }
    let (last, others) = joints.split_last().filter(|(_, others)| !others.is_empty())?;
    Some(format!(
        "the joints {} and {last} close a loop, and a loop of these fixes more than they leave free: if their axes are \
         parallel, let a cut joint for planar loops take the place of one (RevolutePlanarLoopConstraint in \
         Modelica.Mechanics.MultiBody.Joints)",
        others.join(", ")
    ))
}

/// Is a place in a text of the user?
fn is_own(work: &Work, location: Location) -> bool {
    work.components.values().any(|own| own.source == location.source)
}

/// The components of the model that equations and unknowns belong to, with the places of their declarations.
fn own_places(work: &Work, equations: &[usize], unknowns: &[VarId]) -> Vec<(Location, String)> {
    let mut names: Vec<&str> = Vec::new();
    let mut add = |path: &'_ str| {
        let first = path.split(['.', '[', ')']).next().unwrap_or_default();
        let known = work.components.get_key_value(first.trim_start_matches("der("));
        if let Some((name, _)) =
            known.filter(|(name, _)| path.len() > name.len() && !names.contains(&name.as_str()))
        {
            names.push(name);
        }
    };
    for &e in equations {
        for v in written_variables(work, e) {
            add(&work.var(v).name);
        }
        let component = &work.equations[e].origin.component;
        if !component.is_empty() {
            add(&format!("{component}."));
        }
    }
    unknowns.iter().for_each(|v| add(work.shown(*v)));
    names.truncate(SHOWN);
    names.into_iter().map(|name| (work.components[name], name.to_owned())).collect()
}

/// The variables of an equation as it is now, and as the model has it.
fn written_variables(work: &Work, equation: usize) -> Vec<VarId> {
    let now = &work.equations[equation];
    let written = now.model.and_then(|place| work.written.get(place as usize)).copied();
    let sides = [now.lhs, now.rhs].into_iter().chain(written.into_iter().flat_map(|(l, r)| [l, r]));
    let mut variables: Vec<VarId> = sides.flat_map(|side| work.pool.variables_of(side)).collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// Equations that stand in a library: what the user wrote are the components.
fn own_labels(d: Diagnostic, work: &Work, equations: &[usize], own: Vec<(Location, String)>) -> Diagnostic {
    let inside = |&e: &usize| work.equations[e].origin.location.is_none_or(|l| !is_own(work, l));
    match equations.iter().all(inside) {
        true => {
            own.into_iter().fold(d, |d, (location, name)| d.at(location, format!("{name} has a part in it")))
        }
        false => d,
    }
}

/// What a part of a model is about, by the units of its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Domain {
    Electrical,
    Translational,
    Rotational,
    Thermal,
    Fluid,
    Unknown,
}

impl Domain {
    fn of(work: &Work, equations: &[usize], unknowns: &[VarId]) -> Domain {
        let read = equations.iter().flat_map(|&e| written_variables(work, e)).chain(unknowns.iter().copied());
        let mut read = read.map(|v| match work.var(v).unit.as_str() {
            "V" | "A" => Domain::Electrical,
            "m" | "m/s" | "N" => Domain::Translational,
            "rad" | "rad/s" | "N.m" => Domain::Rotational,
            "K" | "degC" | "W" => Domain::Thermal,
            "Pa" | "kg/s" | "m3/s" => Domain::Fluid,
            _ => Domain::Unknown,
        });
        read.find(|&domain| domain != Domain::Unknown).unwrap_or(Domain::Unknown)
    }

    /// In a few words: nothing fixes the level.
    fn without_level(self) -> Option<&'static str> {
        Some(match self {
            Domain::Electrical => "a circuit without a ground",
            Domain::Translational | Domain::Rotational => "a mechanism that nothing holds",
            Domain::Thermal => "heat flows without a given temperature",
            Domain::Fluid => "flows without a given pressure",
            Domain::Unknown => return None,
        })
    }

    /// In a few words: both ends are connected.
    fn bridged(self) -> Option<&'static str> {
        (self == Domain::Electrical).then_some("a short circuit")
    }

    /// In a few words: two components fix the same.
    fn given_twice(self) -> Option<&'static str> {
        Some(match self {
            Domain::Electrical => "a voltage is given twice",
            Domain::Translational | Domain::Rotational => "a motion is given twice",
            Domain::Thermal => "a temperature is given twice",
            Domain::Fluid => "a pressure is given twice",
            Domain::Unknown => return None,
        })
    }

    /// Nothing fixes the level.
    fn nothing_fixed(self) -> &'static str {
        match self {
            Domain::Electrical => {
                "this part of the circuit has no ground: only differences of potentials are determined. Connect a Ground \
                 to one of its nodes"
            }
            Domain::Translational | Domain::Rotational => {
                "nothing holds this mechanism: only differences of positions are determined. Connect one end to something \
                 fixed, or give it a mass or an inertia"
            }
            Domain::Thermal => {
                "no temperature is given here: only differences are determined. Connect a fixed temperature or a heat \
                 capacity"
            }
            Domain::Fluid => {
                "no pressure is given here: only differences are determined. Connect a tank or a boundary with a given \
                 pressure"
            }
            Domain::Unknown => {
                "nothing fixes the level here, only differences are determined: is a ground missing, a tank, a fixed temperature?"
            }
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Domain::Electrical => "connect a Ground to one of these nodes",
            Domain::Translational | Domain::Rotational => "connect something fixed, a mass or an inertia",
            Domain::Thermal => "connect a fixed temperature or a heat capacity",
            Domain::Fluid => "connect a tank or a boundary with a given pressure",
            Domain::Unknown => "connect something that fixes one of them, like a ground",
        }
    }
}

/// A component whose two connectors are connected with each other, although its equation wants them to differ.
fn short_circuit(work: &Work, equations: &[usize], domain: Domain) -> Option<String> {
    let &[equation] = equations else { return None };
    let owner = &work.equations[equation].origin.component;
    // The model itself has no two sides, and a connection is none that fixes a difference.
    if owner.is_empty() {
        return None;
    }
    let place = work.equations[equation].model?;
    let &(lhs, rhs) = work.written.get(place as usize)?;
    let variables: Vec<VarId> =
        [lhs, rhs].into_iter().flat_map(|side| work.pool.variables_of(side)).collect();
    let connector =
        |v: VarId| work.var(v).name.strip_prefix(owner.as_str())?.trim_start_matches('.').rsplit_once('.');
    for (i, &a) in variables.iter().enumerate() {
        for &b in &variables[i + 1..] {
            let (Some((p, x)), Some((n, y))) = (connector(a), connector(b)) else { continue };
            if x == y && p != n && work.resolve(a) == work.resolve(b) {
                let words = match domain {
                    Domain::Electrical => " (a short circuit)",
                    _ => "",
                };
                return Some(format!(
                    "{p} and {n} of {owner} are connected with each other{words}, but its equation fixes a difference \
                     between them: take a connection away, or put something between"
                ));
            }
        }
    }
    None
}

/// Two components that give the same quantity a value each.
fn fixed_twice(work: &Work, equations: &[usize], domain: Domain) -> Option<String> {
    let own = own_places(work, equations, &[]);
    let [(_, first), (_, second)] = &own[..] else { return None };
    let what = match domain {
        Domain::Electrical => "the same voltage: are two voltage sources in parallel",
        Domain::Translational | Domain::Rotational => {
            "the same position or speed: are two drives connected rigidly"
        }
        Domain::Thermal => "the same temperature: are two given temperatures connected",
        Domain::Fluid => "the same pressure: are two boundaries connected without a resistance",
        Domain::Unknown => "the same value: are two sources connected",
    };
    Some(format!("{first} and {second} both fix {what}? Take one away, or put something between them"))
}

/// Is anything in an equation but numbers?
fn has_variables(work: &Work, equation: usize) -> bool {
    let info = &work.equations[equation];
    [info.lhs, info.rhs].iter().any(|&side| work.pool.has_variables(side))
}

fn part(work: &Work, equations: &[usize], unknowns: &[VarId]) -> SingularPart {
    let mut visitor = Visitor::new();
    let mut entries = Vec::new();
    for &e in equations {
        let mut occurring = Vec::new();
        occurrences(work, e, &mut visitor, &mut occurring);
        let places = (0..).zip(unknowns).filter(|(_, v)| occurring.contains(v)).map(|(place, _)| place);
        entries.push(places.collect());
    }
    SingularPart {
        equations: equations.iter().map(|&e| (text(work, e), work.equations[e].origin.clone())).collect(),
        unknowns: unknowns.iter().map(|v| work.shown(*v).to_owned()).collect(),
        entries,
        dependent: 0,
    }
}

/// Sums of flows and what replaces them where a connector is open.
fn is_balance(kind: OriginKind) -> bool {
    matches!(kind, OriginKind::FlowSum | OriginKind::Connect | OriginKind::Unconnected)
}

/// One label for each place, with the components it is there for.
fn labelled(
    mut d: Diagnostic,
    places: impl Iterator<Item = (Location, String)>,
    words: &str,
    link: &str,
) -> Diagnostic {
    let mut found: Vec<(Location, Vec<String>)> = Vec::new();
    for (location, component) in places {
        let at = match found.iter().position(|(known, _)| *known == location) {
            Some(at) => at,
            None => {
                found.push((location, Vec::new()));
                found.len() - 1
            }
        };
        if !component.is_empty() && !found[at].1.contains(&component) {
            found[at].1.push(component);
        }
    }
    for (location, components) in found {
        let message = match components.split_last() {
            None => words.to_owned(),
            Some((last, [])) => format!("{words}{link}{last}"),
            Some((last, others)) => format!("{words}{link}{} and {last}", others.join(", ")),
        };
        d = d.at(location, message);
    }
    d
}

/// `motor.shaft` of `motor.shaft.phi` and of `der(motor.shaft.phi)`.
fn component(name: &str) -> &str {
    let name = name.trim_start_matches("der(").trim_end_matches(')');
    name.rsplit_once('.').map_or("", |(component, _)| component)
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn list(names: &[String]) -> String {
    let mut shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n  ");
    if names.len() > SHOWN {
        shown.push_str(&format!("\n  and {} more", names.len() - SHOWN));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_names() {
        assert_eq!(component("motor.shaft.phi"), "motor.shaft");
        assert_eq!(component("der(a.x)"), "a");
        assert_eq!(component("der(der(x))"), "");
    }
}
