//! `min` and `max` of variables, looked at where results are recorded: at output points, and before and after events.
//!
//! A variable outside its bounds is a warning and not an error: bounds are what the author of a class expects, and `assert` is
//! there for what must hold (specification section 4.8.1). Each variable is named once, with where it left its bounds first
//! and how far it went. Variables that are always equal are one slot of the run: if they have the same bound, one of them
//! speaks for all.

use std::collections::HashMap;

use kausal_model::flat::Type;
use kausal_runtime::Machine;
use kausal_syntax::{Diagnostic, Location};
use kausal_translate::Program;
use kausal_translate::program::Kind;

use crate::simulate::instant;

/// Variables named one by one; of more of them the number is said.
const NAMED: usize = 12;

/// Local errors of the size of the tolerance add up to a few times that in a run which goes well: what leaves its bounds by
/// less may be inside.
const GLOBAL_ERROR: f64 = 10.0;

/// What rounding may do to a discrete variable or a parameter, relative to its size: some hundred operations.
const ROUNDING: f64 = 1e-13;

/// Looks at the bounds of a run.
#[derive(Debug)]
pub(crate) struct BoundsCheck {
    /// Relative accuracy of what is continuous.
    tolerance: f64,
    /// Absent until parameters have values.
    watched: Option<Vec<Watched>>,
}

/// One side of a variable's bounds.
#[derive(Debug)]
struct Watched {
    /// Where the value is.
    slot: usize,
    /// `sign * value <= limit` is asked for.
    sign: f64,
    limit: f64,
    /// Relative to the largest of these: the bound, the nominal value, the values so far.
    margin: f64,
    scale: f64,
    /// The declared variables, by their place in [`Program::bounds`].
    declared: Vec<usize>,
    /// It does not change.
    constant: bool,
    left: Option<Left>,
}

/// How a variable left its bounds.
#[derive(Clone, Copy, Debug)]
struct Left {
    time: f64,
    /// The value then, and the one farthest outside, with the sign of [`Watched::sign`].
    value: f64,
    farthest: f64,
}

impl BoundsCheck {
    pub(crate) fn new(tolerance: f64) -> BoundsCheck {
        BoundsCheck { tolerance, watched: None }
    }

    /// Looks at the values of an instant.
    pub(crate) fn look(&mut self, machine: &Machine) {
        let tolerance = self.tolerance;
        let first = self.watched.is_none();
        let watched = self.watched.get_or_insert_with(|| watched(machine, tolerance));
        for one in watched.iter_mut() {
            one.look(machine.time, machine.values[one.slot]);
        }
        if first {
            // What does not change has been seen.
            watched.retain(|one| !one.constant || one.left.is_some());
        }
    }

    /// What there is to say, in the order of the instants.
    pub(crate) fn warnings(&self, program: &Program) -> Vec<Diagnostic> {
        let watched = self.watched.iter().flatten();
        let mut left: Vec<(&Watched, Left)> = watched.filter_map(|one| Some((one, one.left?))).collect();
        left.sort_by(|a, b| a.1.time.total_cmp(&b.1.time));
        let mut found: Vec<Diagnostic> =
            left.iter().take(NAMED).map(|(one, left)| warning(program, one, left)).collect();
        if left.len() > NAMED {
            let more = left.len() - NAMED;
            let (others, their) =
                if more == 1 { ("variable leaves", "its") } else { ("variables leave", "their") };
            let message = format!("{more} more {others} {their} bounds (min, max) in this run");
            found.push(Diagnostic::warning("K0550", message));
        }
        found
    }
}

impl Watched {
    fn look(&mut self, time: f64, value: f64) {
        let value = self.sign * value;
        self.scale = self.scale.max(value.abs());
        // False for what is not a number.
        let outside = value - self.limit > self.margin * self.scale;
        if !outside {
            return;
        }
        match &mut self.left {
            Some(left) => left.farthest = left.farthest.max(value),
            None => self.left = Some(Left { time, value, farthest: value }),
        }
    }
}

/// The finite bounds of variables, once parameters have values.
fn watched(machine: &Machine, tolerance: f64) -> Vec<Watched> {
    let program = &machine.model().program;
    let mut found: Vec<Watched> = Vec::new();
    // Values that are always equal, with the same bound.
    let mut known: HashMap<(usize, bool, u64), usize> = HashMap::new();
    for (i, (bounds, &(low, high))) in program.bounds.iter().zip(&machine.bounds).enumerate() {
        let own = &program.variables[bounds.variable.index()];
        let (slot, negated) = match own.kind {
            Kind::Alias(alias) => (alias.target.index(), alias.negated),
            _ => (bounds.variable.index(), false),
        };
        let target = &program.variables[slot];
        for (bound, upper) in [(low, false), (high, true)] {
            if !bound.is_finite() {
                continue;
            }
            let sign = if upper != negated { 1.0 } else { -1.0 };
            let limit = if upper { bound } else { -bound };
            let same = *known.entry((slot, sign > 0.0, limit.to_bits())).or_insert_with(|| {
                let constant = target.kind == Kind::Parameter;
                let exact = constant || target.kind == Kind::Discrete || own.ty != Type::Real;
                let (margin, nominal) =
                    if exact { (ROUNDING, 0.0) } else { (GLOBAL_ERROR * tolerance, target.nominal) };
                let scale = limit.abs().max(nominal);
                found.push(Watched {
                    slot,
                    sign,
                    limit,
                    margin,
                    scale,
                    declared: Vec::new(),
                    constant,
                    left: None,
                });
                found.len() - 1
            });
            found[same].declared.push(i);
        }
    }
    found
}

fn warning(program: &Program, one: &Watched, left: &Left) -> Diagnostic {
    let name = |i: &usize| program.variables[program.bounds[*i].variable.index()].name.as_str();
    // The outermost of equal ones is what people know.
    let spoken =
        one.declared.iter().min_by_key(|i| (name(i).matches('.').count(), **i)).copied().unwrap_or(0);
    let own = &program.variables[program.bounds[spoken].variable.index()];
    // Back from the sign the slot is looked at with to that of the variable itself.
    let negated = matches!(own.kind, Kind::Alias(alias) if alias.negated);
    let upper = (one.sign > 0.0) != negated;
    let sign = if upper { 1.0 } else { -1.0 };
    let shown = |value: f64| shown(program, own.ty, sign * value);
    let (name, bound) = (name(&spoken), shown(one.limit));
    let (side, attribute) = if upper { ("above", "max") } else { ("below", "min") };
    let message = if one.constant {
        format!("the parameter {name} is {}, {side} its {attribute} of {bound}", shown(left.value))
    } else {
        let rest = match left.farthest > left.value {
            true => format!(", and goes to {}", shown(left.farthest)),
            false => String::new(),
        };
        let equal = match one.declared.len() - 1 {
            0 => String::new(),
            1 => " (and one more variable, always equal)".to_owned(),
            n => format!(" (and {n} more variables, always equal)"),
        };
        let (time, value) = (instant(left.time), shown(left.value));
        format!("{name}{equal} is {value} at time {time}, {side} its {attribute} of {bound}{rest}")
    };
    let d = Diagnostic::warning("K0550", message).help(format!(
        "if this is as it should be, give it another {attribute}; else look for what drives it there"
    ));
    let place: Option<Location> = program.bounds[spoken].location;
    match place {
        Some(location) => d.at(location, "declared here"),
        None => d,
    }
}

/// A value as people read it: a literal by its name.
fn shown(program: &Program, ty: Type, value: f64) -> String {
    if let Type::Enumeration(id) = ty
        && let Some(enumeration) = program.enumerations.get(id as usize)
        && let Some(literal) = enumeration.literals.get((value as usize).wrapping_sub(1))
    {
        return literal.clone();
    }
    // Nobody reads more digits than these.
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    match rounded.abs() {
        a if a != 0.0 && !(1e-4..1e6).contains(&a) => format!("{rounded:e}"),
        _ => format!("{rounded}"),
    }
}
