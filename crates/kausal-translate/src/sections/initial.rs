//! The initial problem: model equations, initial equations, fixed start values, and where these are too few the
//! start values of states.
//!
//! Rows are matched in that order of importance, so a start value is used only where nothing better determines
//! a variable, and an initial equation that is one too many is left out with a warning; the run checks that it holds.

use kausal_model::flat::{Origin, Type};
use kausal_structure::{Eqn, Extractor, Id, Matching, Var as Column, blt};
use kausal_symbolic::print::print_limited;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::calls::Gathered;
use crate::blocks::emitter::Emitter;
use crate::equations::parameters;
use crate::equations::sort::unknowns;
use crate::equations::sort::{Block, Singular, Sorting, is_between_reals};
use crate::equations::work::text;
use crate::equations::work::{Equation, EquationForm, Role, Settled, Work};
use crate::program::{Check, Step};
use crate::reduce::index::Selection;
use crate::reduce::rank;

/// What a row of the initial problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Model,
    Initial,
    Fixed,
    State,
    /// What a discrete variable without a start value was before.
    Past,
    Guess,
}

/// The steps of the initial section; `known` was computed with the parameters.
pub(crate) fn build(
    emitter: &mut Emitter,
    selection: &Selection,
    known: &FxHashSet<VarId>,
) -> Option<(Vec<Step>, Vec<Check>)> {
    let mut rows: Vec<(usize, Rank)> = Vec::new();
    let model_equations = emitter.work.equations.len();
    for i in 0..model_equations {
        rows.push((at_start(emitter.work, i), Rank::Model));
    }
    let remembering = remembering(emitter.work, model_equations);
    for e in emitter.work.initial_equations.clone() {
        let e = before_start(emitter.work, e, &remembering);
        rows.push((add(emitter.work, e), Rank::Initial));
    }
    let states: FxHashSet<VarId> = selection.at_start.iter().copied().collect();
    let mut columns = unknowns(emitter.work, &FxHashSet::default());
    columns.extend(
        (0..emitter.work.vars.len() as u32)
            .map(VarId)
            .filter(|&v| emitter.work.var(v).role == Role::FreeParameter),
    );
    // What discrete variables were before the start is unknown too: initial equations may say it.
    columns.extend(emitter.work.pre.iter().map(|p| p.slot));
    columns.retain(|v| !known.contains(v));
    let mut dropped: Vec<usize> = Vec::new();
    rows.retain(|&(e, rank)| {
        let done = is_done(emitter.work, e, known);
        if done && rank == Rank::Initial {
            dropped.push(e);
        }
        !done
    });
    for v in columns.clone() {
        let var = emitter.work.var(v);
        let rank = match (var.fixed, var.role) {
            (Some(true), Role::Continuous) => Rank::Fixed,
            (_, Role::Continuous) if states.contains(&v) => Rank::State,
            (_, Role::FreeParameter) => Rank::Guess,
            (Some(true), Role::Run) => Rank::Fixed,
            (_, Role::Run) if var.start.is_some() => Rank::State,
            (_, Role::Run) => Rank::Past,
            _ => continue,
        };
        rows.push((add_start(emitter.work, v), rank));
    }

    let (sorting, matching) = matched(emitter.work, &rows, &columns);
    let mut blocks = sorted(&sorting, &matching);
    let mut chosen = (sorting, matching);
    if rank::any_dependent(emitter.work, &blocks)
        && let Some(better) = independent(emitter.work, &rows, &columns)
    {
        dropped.extend(better.dropped);
        (rows, chosen, blocks) = (better.rows, better.chosen, better.blocks);
    }
    let (sorting, matching) = chosen;
    keeps_start(emitter.work, &sorting, &matching, &rows);
    if !complete(emitter.work, &sorting, &matching, &rows, &mut dropped) {
        return None;
    }
    let given: FxHashSet<VarId> =
        (0..emitter.work.vars.len() as u32).map(VarId).filter(|&v| emitter.work.is_given(v)).collect();
    let mut gathered = Gathered::behind(guesses(emitter, &|v| !known.contains(&v) && !given.contains(&v)));
    for block in blocks {
        let steps = emitter.block(&block);
        gathered.extend(&emitter.work.pool, steps);
    }
    let mut steps = gathered.into_steps();
    let actions = emitter.work.initial_actions.clone();
    steps.extend(emitter.actions(&actions));
    // Nothing is wrong with a start value that says what is so anyway.
    let computed = emitter.work.vars.iter().zip(0..).filter(|(var, i)| {
        var.fixed == Some(true) && var.role == Role::Continuous && known.contains(&VarId(*i))
    });
    let computed: Vec<VarId> = computed.map(|(_, i)| VarId(i)).collect();
    dropped.extend(computed.into_iter().map(|v| add_start(emitter.work, v)));
    let mut checks: Vec<Check> = dropped.iter().filter_map(|&e| check(emitter, e, &mut steps)).collect();
    checks.extend(settled(emitter.work));
    Some((steps, checks))
}

/// The rows matched in the order of their importance.
fn matched(work: &mut Work, rows: &[(usize, Rank)], columns: &[VarId]) -> (Sorting, Matching) {
    let equations: Vec<usize> = rows.iter().map(|&(e, _)| e).collect();
    let mut sorting = Sorting::new(work, equations, columns.to_vec());
    for (row, &(e, rank)) in rows.iter().enumerate() {
        if rank == Rank::Initial && is_between_reals(work, e) {
            sorting.free(Eqn(row as u32));
        }
    }
    let matching = sorting.matching(&|o| rows[o.eqn.index()].1 as u8);
    (sorting, matching)
}

/// The matched rows in the order of computation.
fn sorted(sorting: &Sorting, matching: &Matching) -> Vec<Block> {
    let used: Vec<Eqn> = sorting.incidence.eqn_ids().filter(|&e| matching.var_of(e).is_some()).collect();
    let all: Vec<Column> = matching.pairs().map(|(_, v)| v).collect();
    let sub = Extractor::new(&sorting.incidence).extract(&used, &all);
    let mut chosen = Matching::empty(&sub.incidence);
    for (e, v) in matching.pairs() {
        if let (Some(e), Some(v)) = (sub.local_eqn(e), sub.local_var(v)) {
            chosen.assign(e, v);
        }
    }
    blt(&sub.incidence, &chosen)
        .blocks()
        .map(|block| Block {
            equations: block.eqns.iter().map(|e| sorting.rows[sub.eqns[*e].index()]).collect(),
            unknowns: block.vars.iter().map(|v| sorting.columns[sub.vars[*v].index()]).collect(),
        })
        .collect()
}

/// The initial problem without conditions that say nothing new.
struct Independent {
    rows: Vec<(usize, Rank)>,
    dropped: Vec<usize>,
    chosen: (Sorting, Matching),
    blocks: Vec<Block>,
}

/// Where conditions that structure takes for different ones depend on each other, others that it left out are needed.
/// `None` where they are not to blame.
fn independent(work: &mut Work, rows: &[(usize, Rank)], columns: &[VarId]) -> Option<Independent> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|&(_, rank)| rank);
    let equations: Vec<usize> = rows.iter().map(|&(e, _)| e).collect();
    let redundant = rank::redundant(work, &equations, columns)?;
    // Which ones are redundant was asked with the values of parameters that cannot be changed by themselves.
    let evaluated = (0..).map(VarId).zip(&work.vars).filter(|(_, var)| var.evaluated).map(|(v, _)| v);
    work.decided_by.extend(evaluated);
    let mut dropped = Vec::new();
    for &i in &redundant {
        match rows[i].1 {
            Rank::Model => return None,
            Rank::Initial | Rank::Fixed => dropped.push(rows[i].0),
            Rank::State | Rank::Past | Rank::Guess => {}
        }
    }
    let mut at = 0..;
    rows.retain(|_| at.next().is_some_and(|i| redundant.binary_search(&i).is_err()));
    let chosen = matched(work, &rows, columns);
    if !chosen.1.is_perfect() {
        return None;
    }
    let blocks = sorted(&chosen.0, &chosen.1);
    Some(Independent { rows, dropped, chosen, blocks })
}

/// An initial condition that was left out must hold all the same.
fn check(emitter: &mut Emitter, equation: usize, steps: &mut Vec<Step>) -> Option<Check> {
    let Equation { lhs, rhs, origin, .. } = emitter.work.equations[equation].clone();
    let text_of = |v: VarId| emitter.work.var(v).ty == Type::String;
    if [lhs, rhs].iter().any(|&side| {
        matches!(emitter.work.pool.node(side), Node::Text(_)) || emitter.work.pool.contains_any(side, text_of)
    }) {
        return None;
    }
    let text = text(emitter.work, equation);
    let fixed = emitter.work.starts.get(&equation).copied();
    let lhs = emitter.without_calls(lhs, steps);
    let rhs = emitter.without_calls(rhs, steps);
    Some(Check { lhs, rhs, text, origin, fixed, settled: None, unconnected: false })
}

/// Fixed start values of variables that are numbers or parameters.
fn settled(work: &mut Work) -> Vec<Check> {
    let mut checks = Vec::new();
    for (v, said) in std::mem::take(&mut work.settled) {
        let (root, negated) = work.resolve(v);
        let rhs = start(work, v);
        let value = work.var(root).binding.filter(|&b| work.pool.as_constant(b).is_some());
        let value = value.unwrap_or_else(|| work.pool.var(root));
        let lhs = if negated { work.pool.op(Op::Neg, &[value]) } else { value };
        if lhs == rhs || work.pool.has_calls(rhs) || work.pool.contains_any(rhs, |v| !work.is_parameter(v)) {
            continue;
        }
        let name = |v: VarId| work.shown(v).to_owned();
        let text = format!("{} = {}", work.var(v).name, print_limited(&work.pool, rhs, &name, 200));
        let origin = Origin { location: work.var(v).start_location, ..Origin::default() };
        let Settled { place: settled, unconnected } = said;
        checks.push(Check { lhs, rhs, text, origin, fixed: Some(v), settled, unconnected });
    }
    checks
}

/// The equation as it holds at the start: a `when` clause is active only where `initial()` is a condition,
/// otherwise its variable keeps the value it had before.
fn at_start(work: &mut Work, equation: usize) -> usize {
    let e = work.equations[equation].clone();
    let EquationForm::When(v, cases) = e.form else { return equation };
    let active = cases.iter().find(|case| case.initial).and_then(|case| case.value);
    let lhs = work.pool.var(v);
    match active {
        Some(rhs) => add(work, Equation { lhs, rhs, form: EquationForm::Memory(v), ..e }),
        None => {
            let slot = work.pre_of(v);
            let rhs = work.pool.var(slot);
            add(work, Equation { lhs, rhs, form: EquationForm::Plain, ..e })
        }
    }
}

/// Discrete variables whose equation computes them from their own `pre` values, as algorithms do.
fn remembering(work: &Work, equations: usize) -> FxHashMap<VarId, VarId> {
    let slots: FxHashMap<VarId, VarId> = work.pre.iter().map(|p| (p.variable, p.slot)).collect();
    let mut found = FxHashMap::default();
    for e in &work.equations[..equations] {
        let Node::Var(v) = work.pool.node(e.lhs) else { continue };
        let Some(&slot) = slots.get(&v).filter(|_| work.var(v).role == Role::Discrete) else { continue };
        if !matches!(e.form, EquationForm::When(..)) && work.pool.contains_any(e.rhs, |w| w == slot) {
            found.insert(v, slot);
        }
    }
    found
}

/// What such a variable is at the start, it was before: the equation that remembers then keeps it, or a clause that is
/// active at the start changes it.
fn before_start(work: &mut Work, mut e: Equation, remembering: &FxHashMap<VarId, VarId>) -> Equation {
    if let Node::Var(v) = work.pool.node(e.lhs)
        && let Some(&slot) = remembering.get(&v)
        && !work.pool.contains_any(e.rhs, |w| w == v || w == slot)
    {
        e.lhs = work.pool.var(slot);
        if let EquationForm::Memory(target) = &mut e.form {
            *target = slot;
        }
    }
    e
}

fn add(work: &mut Work, equation: Equation) -> usize {
    work.equations.push(equation);
    work.equations.len() - 1
}

/// `v = start`.
fn add_start(work: &mut Work, v: VarId) -> usize {
    let lhs = work.pool.var(v);
    let rhs = start(work, v);
    let origin = Origin { location: work.var(v).start_location, ..Origin::default() };
    let equation =
        Equation { lhs, rhs, origin, form: EquationForm::Plain, order: 0, model: None, hints: Vec::new() };
    let place = add(work, equation);
    work.starts.insert(place, v);
    place
}

fn start(work: &mut Work, v: VarId) -> ExprId {
    match work.var(v).start.or(work.var(v).binding) {
        Some(start) => start,
        None if work.var(v).ty == Type::String => work.pool.text(""),
        None => work.pool.constant(parameters::default(work, v)),
    }
}

/// Was the equation used up when parameters were computed?
fn is_done(work: &Work, equation: usize, known: &FxHashSet<VarId>) -> bool {
    let e = &work.equations[equation];
    let open = |v: VarId| !work.is_parameter(v) && !known.contains(&v);
    let mut any = false;
    let mut has_known = false;
    for side in [e.lhs, e.rhs] {
        any |= work.pool.contains_any(side, open);
        has_known |= work.pool.contains_any(side, |v| known.contains(&v));
    }
    !matches!(e.form, EquationForm::When(..)) && !any && has_known
}

/// A parameter with `fixed = false` that nothing determines keeps its start value, which must be there then.
fn keeps_start(work: &mut Work, sorting: &Sorting, matching: &Matching, rows: &[(usize, Rank)]) {
    for (e, column) in matching.pairs() {
        let v = sorting.columns[column.index()];
        let var = work.var(v);
        if rows[e.index()].1 != Rank::Guess || var.start.is_some() || var.binding.is_some() {
            continue;
        }
        let message =
            format!("the parameter {} is not fixed and no initial equation determines it", var.name);
        let mut d =
            Diagnostic::error("K0402", message).help("give it a value, a start value or an initial equation");
        if let Some(location) = var.location {
            d = d.at(location, "declared here");
        }
        work.diagnostics.push(d);
    }
}

/// Reports what is missing or too much; is every unknown determined?
fn complete(
    work: &mut Work,
    sorting: &Sorting,
    matching: &Matching,
    rows: &[(usize, Rank)],
    dropped: &mut Vec<usize>,
) -> bool {
    let mut model_rows = Vec::new();
    for e in matching.unmatched_eqns() {
        let (equation, rank) = rows[e.index()];
        match rank {
            Rank::Model => model_rows.push(equation),
            Rank::Initial | Rank::Fixed => dropped.push(equation),
            Rank::State | Rank::Past | Rank::Guess => {}
        }
    }
    let missing: Vec<VarId> = matching.unmatched_vars().map(|v| sorting.columns[v.index()]).collect();
    for &equation in dropped.iter() {
        let d = nothing_new(work, equation);
        // A fixed start value and an initial equation may say the same.
        let same = format!(" {} is one too many:", text(work, equation));
        match work.diagnostics.iter().position(|known| known.code == d.code && known.message.contains(&same))
        {
            Some(at) => {
                let known = &mut work.diagnostics[at];
                let new: Vec<_> = d.labels.into_iter().filter(|l| !known.labels.contains(l)).collect();
                known.labels.extend(new);
            }
            None => work.diagnostics.push(d),
        }
    }
    if missing.is_empty() && model_rows.is_empty() {
        return true;
    }
    let mut singular = Singular::default();
    if !model_rows.is_empty() {
        singular.too_many.push((model_rows, Vec::new()));
    }
    if !missing.is_empty() {
        singular.too_few.push((missing, Vec::new()));
    }
    crate::reduce::singular::report_singular(work, &singular);
    false
}

/// The warning about an initial condition that is not used.
fn nothing_new(work: &Work, equation: usize) -> Diagnostic {
    let fixed = work.starts.contains_key(&equation);
    let what = if fixed { "fixed start value" } else { "initial condition" };
    let text = text(work, equation);
    let message = format!("the {what} {text} is one too many: it is not used, only checked");
    let d = Diagnostic::warning("K0420", message).help(if fixed {
        "the equations of the model and the other initial conditions determine it already: remove `fixed = true`"
    } else {
        "the equations of the model and the other initial conditions determine everything in it already"
    });
    match work.equations[equation].origin.location {
        Some(location) => d.at(location, "this one"),
        None => d,
    }
}

/// Start values of these variables that are not plain numbers are computed first; they are what iterations begin with.
pub(crate) fn guesses(emitter: &mut Emitter, wanted: &dyn Fn(VarId) -> bool) -> Vec<Step> {
    let mut steps = Vec::new();
    for i in 0..emitter.work.vars.len() {
        let v = VarId(i as u32);
        let var = emitter.work.var(v);
        let open = matches!(var.role, Role::Continuous | Role::Discrete | Role::FreeParameter | Role::Run);
        if !(open || emitter.work.is_given(v)) || var.alias.is_some() || !wanted(v) {
            continue;
        }
        let Some(start) = var.start else { continue };
        if matches!(emitter.work.pool.node(start), Node::Const(_) | Node::Text(_)) {
            continue;
        }
        let of_parameters = !emitter.work.pool.contains_any(start, |v| !emitter.work.is_parameter(v));
        if of_parameters {
            emitter.assign(v, start, None, &mut steps);
        }
    }
    steps
}
