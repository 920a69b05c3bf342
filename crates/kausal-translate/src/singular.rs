//! What to say about a model without a unique solution: which equations are too many, which unknowns have none, in the
//! user's names and lines, and what usually causes it.

use kausal_model::flat::OriginKind;
use kausal_syntax::{Diagnostic, Location};

use crate::index::text;
use crate::sort::Singular;
use crate::work::Work;

/// Names, equations and places that are shown of each kind.
const SHOWN: usize = 12;

/// Says which equations are too many and which unknowns have none.
pub(crate) fn report_singular(work: &mut Work, singular: &Singular) {
    let floating = singular.too_many.iter().any(|(equations, unknowns)| {
        unknowns.is_empty() && equations.iter().all(|&e| is_balance(work.equations[e].origin.kind))
    }) && !singular.too_few.is_empty();
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
        let help = if floating && unknowns.is_empty() {
            "nothing fixes the level here, only differences are determined: is a ground missing, a tank, a fixed temperature?"
        } else if unknowns.is_empty() {
            "all in it is known already, so something is fixed twice: two sources in parallel, a value that is given by \
             an equation and by a connection, or an equation meant for another variable"
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
        let help = if floating {
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
