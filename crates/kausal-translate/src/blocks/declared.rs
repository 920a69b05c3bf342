//! What the model declares about a block: `residue(x)` and `relax(x)`, and the wishes of translator commands.
//!
//! Tearing paper (Elmqvist and Otter 1994), "Tearing information in the model": among the unknowns of a system those are
//! torn that `residue` has been used on, wherever that was; residue equations are those that contain `residue`. The two
//! need not come in pairs. Where there is no system a hint means nothing. A hint on an equation that left as trivial
//! (`u = residue(i)` where `u` is zero) still names its variable.

use kausal_model::flat::HintKind;
use kausal_structure::tearing::declared::{Declaration, DeclaredTearing, Remaining};
use kausal_structure::{Eqn, Id, RelaxedSingular, Solvability, Var as Column};
use kausal_symbolic::{ExprId, Node, Op, VarId};
use kausal_syntax::{Diagnostic, Location};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::equations::sort::Block;
use crate::equations::work::Work;
use crate::equations::work::text;
use crate::prepare::wishes::Wishes;
use crate::program::{EquationRef, Program, Step, System};

/// The hints of a model, by variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    torn: FxHashSet<VarId>,
    /// Not torn, whatever is declared.
    kept: FxHashSet<VarId>,
    /// Equations assigned to these are residue equations.
    residues: FxHashSet<VarId>,
    /// Named by equations that left as trivial, where another equation stands in for the residue equation.
    lone: FxHashSet<VarId>,
}

/// The hints that concern one block, in its numbering.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockHints {
    pub tearing: Declaration,
    pub relaxed: Vec<(Eqn, Column)>,
    pub kept: Vec<Column>,
    /// For so many tearing variables another equation stands in for their residue equation.
    pub lone: usize,
}

impl Hints {
    /// Collects what is said anywhere in the model.
    pub fn new(work: &Work, wishes: &Wishes) -> Hints {
        let resolved = |list: &[VarId]| list.iter().map(|&v| work.resolve(v).0).collect();
        let mut hints = Hints {
            torn: resolved(&wishes.tear),
            kept: resolved(&wishes.keep),
            residues: resolved(&wishes.residues),
            lone: FxHashSet::default(),
        };
        let own = work.equations.iter().flat_map(|e| e.hints.iter());
        for &(kind, target) in own.chain(&work.lone_hints) {
            if kind == HintKind::Residue
                && let Some(v) = variable(work, target)
            {
                hints.torn.insert(v);
            }
        }
        // What left as trivial was not differentiated with the rest: its derivative is torn where the variable is known.
        for &(kind, target) in &work.lone_hints {
            let mut next = variable(work, target).filter(|_| kind == HintKind::Residue);
            while let Some(v) = next {
                hints.torn.insert(v);
                next = work.var(v).derivative.map(|d| work.resolve(d).0);
            }
        }
        hints.lone = work.lone_standing.iter().filter_map(|&target| variable(work, target)).collect();
        hints
    }

    /// The hints that concern a block.
    pub fn of(&self, work: &Work, block: &Block) -> BlockHints {
        let place: FxHashMap<VarId, usize> =
            block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let mut out = BlockHints::default();
        for (i, v) in block.unknowns.iter().enumerate() {
            if self.kept.contains(v) {
                out.kept.push(Column(i as u32));
            } else if self.torn.contains(v) {
                out.tearing.variables.push(Column(i as u32));
                out.lone += usize::from(self.lone.contains(v));
            }
        }
        for (r, (&e, &assigned)) in block.equations.iter().zip(&block.unknowns).enumerate() {
            let row = Eqn(r as u32);
            let is_residue = |&(kind, target): &(HintKind, ExprId)| {
                kind == HintKind::Residue && variable(work, target).is_none_or(|v| !self.kept.contains(&v))
            };
            let named = self.residues.contains(&assigned)
                || work.equations[e].hints.iter().any(|&(kind, target)| {
                    kind == HintKind::Residue
                        && variable(work, target).is_some_and(|v| self.residues.contains(&v))
                });
            if named || work.equations[e].hints.iter().any(is_residue) {
                out.tearing.residuals.push(row);
            }
            for &(kind, target) in &work.equations[e].hints {
                if kind != HintKind::Relax {
                    continue;
                }
                // A relaxed expression relaxes the unknowns in it.
                for v in work.pool.variables_of(target) {
                    if let Some(&c) = place.get(&work.resolve(v).0) {
                        out.relaxed.push((row, Column(c as u32)));
                    }
                }
            }
        }
        out
    }
}

impl BlockHints {
    /// Is anything declared torn?
    pub fn tears(&self) -> bool {
        !self.tearing.variables.is_empty() || !self.tearing.residuals.is_empty()
    }
}

/// The variable a hint names, a minus and aliases aside. Where the integration method is inlined a derivative is one.
fn variable(work: &Work, target: ExprId) -> Option<VarId> {
    let target = work.pool.as_neg(target).unwrap_or(target);
    if let Node::Op(Op::Der, &[state]) = work.pool.node(target) {
        let derivative = work.var(work.pool.as_var(state)?).derivative?;
        return Some(work.resolve(derivative).0);
    }
    work.pool.as_var(target).map(|v| work.resolve(v).0)
}

/// A `residue` in an equation: its place among the equations, the variable it names, and where it stands.
pub(crate) type Residue = (u32, VarId, Option<Location>);

/// All `residue` in equations of the model.
pub(crate) fn residues(work: &Work) -> Vec<Residue> {
    let mut found = Vec::new();
    for (i, e) in (0..).zip(&work.equations).filter(|(_, e)| e.order == 0) {
        let own = e.hints.iter().filter(|(kind, _)| *kind == HintKind::Residue);
        found.extend(own.filter_map(|&(_, target)| Some((i, variable(work, target)?, e.origin.location))));
    }
    found
}

/// Residue equations of loops that name a variable which is in none: a slip, as it can tear nothing. Library components say
/// `residue` without knowing of loops, so nothing is said of equations outside of them.
pub(crate) fn beside_loops(work: &Work, residues: &[Residue], program: &Program) -> Vec<Diagnostic> {
    let sections =
        [&program.parameters, &program.initial, &program.dynamics, &program.outputs, &program.discrete];
    let systems: Vec<&System> = sections
        .into_iter()
        .flatten()
        .filter_map(|step| match step {
            Step::System(system) => Some(&**system),
            _ => None,
        })
        .collect();
    let unknown = |v: VarId| systems.iter().any(|s| s.unknowns.contains(&v));
    let mut found = Vec::new();
    for &(equation, v, location) in residues {
        let derivative = work.var(v).derivative.map(|d| work.resolve(d).0);
        let system =
            systems.iter().find(|s| s.unknowns.len() > 1 && s.equations.contains(&EquationRef(equation)));
        let Some(system) = system.filter(|_| !unknown(v) && !derivative.is_some_and(unknown)) else {
            continue;
        };
        let name = &work.var(v).name;
        let names: Vec<&str> = system.unknowns.iter().take(4).map(|v| work.shown(*v)).collect();
        let message =
            format!("residue({name}) in a loop names a variable that is in no loop: it tears nothing");
        let help = format!("the loop is for {}: name one of these, or take it away", names.join(", "));
        let d = Diagnostic::warning("K0435", message).help(help);
        found.push(match location {
            Some(location) => d.at(location, "in this equation"),
            None => d,
        });
    }
    found
}

/// What is wrong with the residue equations of a loop that has more of them than tearing variables: one names something that
/// is no unknown of the loop, or several name the same. Says which equation, and what about it.
fn wrong_residue(work: &Work, block: &Block, hints: &BlockHints) -> Option<(Eqn, String)> {
    let mut named: Vec<VarId> = Vec::new();
    for &row in &hints.tearing.residuals {
        let own = &work.equations[block.equations[row.index()]].hints;
        for &(_, target) in own.iter().filter(|(kind, _)| *kind == HintKind::Residue) {
            let shown =
                kausal_symbolic::print::print_limited(&work.pool, target, &|v| work.shown(v).to_owned(), 60);
            let Some(v) = variable(work, target) else {
                if !work.pool.is_constant(target) {
                    return Some((row, format!("residue({shown}) names an expression, not a variable")));
                }
                continue;
            };
            if !block.unknowns.contains(&v) {
                let mut loop_of: Vec<&str> = block.unknowns.iter().map(|v| work.shown(*v)).collect();
                loop_of.sort_unstable();
                loop_of.truncate(4);
                let loop_of = loop_of.join(", ");
                let message = format!(
                    "residue({shown}) names a variable that is no unknown of its loop, which is for {loop_of}"
                );
                return Some((row, message));
            }
            if named.contains(&v) {
                return Some((row, format!("residue({shown}) stands in two equations of the same loop")));
            }
            named.push(v);
        }
    }
    None
}

/// Says why a declared tearing was not taken as it is, and what to add; nothing if it was.
pub(crate) fn diagnose(
    work: &Work,
    block: &Block,
    torn: &DeclaredTearing,
    hints: &BlockHints,
) -> Option<Diagnostic> {
    let name = |v: &Column| work.var(block.unknowns[v.index()]).name.clone();
    let refused: Vec<String> = torn.refused_variables.iter().map(name).collect();
    // Which equations go with variables that were declared alone is for us to find.
    let alone = torn.tearing.residuals.len() == torn.added_residuals.len();
    let alone = alone || torn.added_residuals.len() <= hints.lone;
    let suffices = torn.as_declared || torn.remaining.is_empty() && torn.added_variables.is_empty() && alone;
    if suffices && refused.is_empty() {
        return None;
    }
    let equation = |e: &Eqn| text(work, block.equations[e.index()]);
    let size = block.equations.len();
    let Remaining { eqns, vars, blocked, .. } = &torn.remaining;
    let variables = torn.tearing.tearing_variables.len() - torn.added_variables.len();
    let residues = torn.tearing.residuals.len() - torn.added_residuals.len();
    let unsafe_ones: Vec<&_> =
        blocked.iter().filter(|b| b.solvability == Solvability::LinearUnsafe).collect();
    let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut first = None;
    let (code, message) = if !refused.is_empty() {
        let list = refused.join(", ");
        ("K0434", format!("{list}: declared to be torn and, by a command, not to be torn; not torn"))
    } else if let [first, ..] = unsafe_ones[..] {
        let (e, v) = (equation(&first.assignment.eqn), name(&first.assignment.var));
        (
            "K0431",
            format!(
                "the declared tearing of a system of {size} equations would solve\n  {e}\nfor {v}, which divides by what \
                 may be zero"
            ),
        )
    } else if residues > variables {
        let list = lines(torn.added_variables.iter().map(name));
        let residues = counted(residues, "declared residue equation");
        let variables = counted(variables, "tearing variable");
        let wrong = wrong_residue(work, block, hints);
        first = wrong.as_ref().map(|w| w.0).or(hints.tearing.residuals.first().copied());
        match wrong {
            Some((_, what)) => ("K0435", format!("{what}; torn instead:\n  {list}")),
            None => (
                "K0433",
                format!(
                    "a system of {size} equations has {residues} and {variables}; torn as well:\n  {list}"
                ),
            ),
        }
    } else if vars.is_empty() {
        let list = lines(torn.added_residuals.iter().map(equation));
        (
            "K0432",
            format!(
                "a system of {size} equations has {} and {}; residue equations as well:\n  {list}",
                counted(variables, "declared tearing variable"),
                counted(residues, "residue equation")
            ),
        )
    } else {
        (
            "K0430",
            format!(
                "the declared tearing of a system of {size} equations does not suffice: with it known, the equations\n  \
                 {}\nstill have to be solved together for\n  {}",
                lines(eqns.iter().map(equation)),
                lines(vars.iter().map(name))
            ),
        )
    };
    let mut advice = Vec::new();
    if !torn.added_variables.is_empty() {
        let list: Vec<String> =
            torn.added_variables.iter().map(|v| format!("residue({})", name(v))).collect();
        advice.push(format!("torn in addition: add {}", list.join(", ")));
    }
    if !torn.added_residuals.is_empty() {
        advice.push(format!(
            "residue equations in addition:\n  {}",
            lines(torn.added_residuals.iter().map(equation))
        ));
    }
    let mut d = Diagnostic::warning(code, message).help(if advice.is_empty() {
        "take one of the two back".to_owned()
    } else {
        advice.join("\n")
    });
    let shown = if eqns.is_empty() { &torn.added_residuals } else { eqns };
    let places = first.iter().chain(shown).chain(&torn.tearing.residuals);
    let location = places.filter_map(|e| work.equations[block.equations[e.index()]].origin.location).next();
    let declared =
        torn.tearing.tearing_variables.iter().filter_map(|v| work.var(block.unknowns[v.index()]).location);
    if let Some(location) = location.or_else(|| declared.into_iter().next()) {
        d = d.at(location, "in this system");
    }
    Some(d)
}

/// Says which variables lost their equation by relaxing, and which `relax` to take back.
pub(crate) fn diagnose_relaxing(work: &Work, block: &Block, singular: &RelaxedSingular) -> Diagnostic {
    let name = |v: &Column| work.var(block.unknowns[v.index()]).name.clone();
    let equation = |e: &Eqn| text(work, block.equations[e.index()]);
    let message = format!(
        "without what is relaxed a system of {} equations cannot be sorted: no equation is left for\n  {}\nand nothing to \
         determine for\n  {}",
        block.equations.len(),
        lines(singular.lost_vars.iter().map(name)),
        lines(singular.spare_eqns.iter().map(equation)),
    );
    let repairs: Vec<String> = singular
        .repairs
        .iter()
        .take(SHOWN)
        .map(|(e, v)| format!("relax({}) in {}", name(v), equation(e)))
        .collect();
    let help = match repairs.is_empty() {
        true => "the order of elimination was chosen without the hints".to_owned(),
        false => {
            format!("the order was chosen without the hints; take back one of\n  {}", repairs.join("\n  "))
        }
    };
    located(
        work,
        block,
        singular.spare_eqns.iter().chain(singular.repairs.iter().map(|(e, _)| e)),
        Diagnostic::warning("K0440", message).help(help),
    )
}

/// Says that a pivot of the relaxed order is always zero.
pub(crate) fn diagnose_pivot(work: &Work, block: &Block, row: Eqn, column: Column, why: &str) -> Diagnostic {
    let v = &work.var(block.unknowns[column.index()]).name;
    let e = text(work, block.equations[row.index()]);
    let message = format!("relaxing cannot eliminate {v} with\n  {e}\n{why}");
    let help = "the order of elimination was chosen without the hints: relax another variable, or connect the component the other way round";
    located(work, block, [row].iter(), Diagnostic::warning("K0441", message).help(help))
}

fn located<'a>(work: &Work, block: &Block, eqns: impl Iterator<Item = &'a Eqn>, d: Diagnostic) -> Diagnostic {
    let mut places = eqns.filter_map(|e| work.equations[block.equations[e.index()]].origin.location);
    match places.next() {
        Some(location) => d.at(location, "in this system"),
        None => d,
    }
}

const SHOWN: usize = 12;

fn lines(items: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = items.collect();
    let more = all.len().saturating_sub(SHOWN);
    let mut out = all.into_iter().take(SHOWN).collect::<Vec<_>>().join("\n  ");
    if more > 0 {
        out.push_str(&format!("\n  and {more} more"));
    }
    out
}
