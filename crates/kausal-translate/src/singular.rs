//! What to say about a model without a unique solution: which equations are too many, which unknowns have none, in the
//! user's names and lines, and what usually causes it.

use kausal_model::flat::OriginKind;
use kausal_structure::{Id, IdVec, PantelidesError, Piece, Var as Column, pantelides};
use kausal_symbolic::VarId;
use kausal_symbolic::visit::Visitor;
use kausal_syntax::{Diagnostic, Location};

use crate::index::text;
use crate::program::SingularPart;
use crate::sort::{Singular, Sorting, occurrences};
use crate::work::Work;

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
    Singular { too_many, too_few: Vec::new() }
}

/// Says which equations are too many and which unknowns have none.
pub(crate) fn report_singular(work: &mut Work, singular: &Singular) {
    let floating = singular.too_many.iter().any(|(equations, unknowns)| {
        unknowns.is_empty() && equations.iter().all(|&e| is_balance(work.equations[e].origin.kind))
    }) && !singular.too_few.is_empty();
    let nowhere = nothing_connected(&open(work, singular));
    let mut diagnostics = Vec::new();
    for (equations, unknowns) in &singular.too_many {
        let texts: Vec<String> = equations.iter().map(|&e| text(work, e)).collect();
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
        let help = if let (Some(nowhere), true) = (&nowhere, unknowns.is_empty()) {
            nowhere.as_str()
        } else if floating && unknowns.is_empty() {
            "nothing fixes the level here, only differences are determined: is a ground missing, a tank, a fixed temperature?"
        } else if unknowns.is_empty() {
            "all in it is known already, so something is fixed twice: two sources in parallel, a value that is given by \
             an equation and by a connection, or an equation meant for another variable"
        } else if excess > 1 {
            &several
        } else {
            "one of these equations is too many: is something fixed twice, or connected to a second source?"
        };
        let words = if equations.len() == 1 { "this one" } else { "one of them" };
        let places = equations.iter().take(SHOWN).filter_map(|&e| {
            let origin = &work.equations[e].origin;
            Some((origin.location?, origin.component.clone()))
        });
        diagnostics.push(labelled(Diagnostic::error("K0401", message).help(help), places, words, ", in "));
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
            "connect something that fixes one of them, like a ground"
        } else if !singular.too_many.is_empty() {
            "nothing is left to determine them, because something else is determined twice: see above"
        } else {
            "an equation is missing: is a connector left open, a ground missing, or a variable never given a value?"
        };
        let places = unknowns
            .iter()
            .take(SHOWN)
            .filter_map(|v| Some((work.var(*v).location?, component(work.shown(*v)).to_owned())));
        diagnostics.push(labelled(
            Diagnostic::error("K0402", message).help(help),
            places,
            "declared here",
            " for ",
        ));
    }
    work.diagnostics.extend(diagnostics);
    let parts = singular.too_many.iter().map(|(equations, unknowns)| part(work, equations, unknowns));
    let few = singular.too_few.iter().map(|(unknowns, equations)| part(work, equations, unknowns));
    let parts: Vec<SingularPart> = parts.chain(few).collect();
    work.singular.extend(parts);
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
    open.truncate(SHOWN);
    open
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
