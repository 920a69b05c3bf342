//! Partitions become steps: each is sorted by itself, then the blocks of all partitions of a base clock are put in one order.
//!
//! Partitions of one base clock may need each other both ways: a slow controller reads what a fast one measures, and gives
//! it its reference. So not partitions but blocks are ordered; blocks of one clock that follow each other are one piece of
//! the section. A loop of blocks on different clocks has no order and is refused (specification section 16.7.4).

use kausal_model::flat::{Origin, Type};
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::FxHashMap;

use super::rates::{Trigger, at};
use super::split::has_derivatives;
use super::{Base, Clocked, Partition, discretized};
use crate::blocks::calls;
use crate::blocks::emitter::{Emitter, Settings};
use crate::equations::rewrite::{Memo, rewrite};
use crate::equations::sort::unknowns;
use crate::equations::sort::{Sorting, occurrences};
use crate::equations::work::{Role, Work};
use crate::prepare::{inline, lift, wishes};
use crate::program::{BaseClock, ClockTrigger, Form, Piece, PreviousValue, Step, SubClock, System};
use crate::reduce::index::{self, Selection};
use crate::reduce::singular::report_singular;
use crate::sections::initial;

/// A block as steps: what it reads and what it gives values to.
struct Sorted {
    clock: usize,
    reads: Vec<VarId>,
    writes: Vec<VarId>,
    steps: Vec<Step>,
}

/// The sections of all base clocks; `None` with diagnostics where there is none. To be called when the continuous part has
/// its sections: its variables and equations are not looked at any more.
pub(crate) fn sections(work: &mut Work, clocked: Clocked, settings: Settings) -> Option<Vec<BaseClock>> {
    let mut all = Vec::with_capacity(clocked.bases.len());
    let mut roles: Vec<VarId> = Vec::new();
    for base in clocked.bases {
        roles.extend(base.partitions.iter().flat_map(|p| &p.variables));
        all.push(section(work, base, settings, all.len(), &mut roles)?);
    }
    // Results know them as what changes at events only.
    for v in roles {
        work.vars[v.index()].role = Role::Discrete;
    }
    Some(all)
}

fn section(
    work: &mut Work,
    base: Base,
    settings: Settings,
    number: usize,
    made: &mut Vec<VarId>,
) -> Option<BaseClock> {
    let Base { rates, partitions, sampled, condition, origin } = base;
    let mut blocks: Vec<Sorted> = Vec::new();
    let mut clocks = Vec::with_capacity(partitions.len());
    for (k, partition) in partitions.into_iter().enumerate() {
        let (factor, shift) = rates.clocks[k];
        let clock = SubClock {
            name: partition.name.clone(),
            factor,
            shift,
            interval: partition.interval,
            first_tick: partition.first_tick,
            origin: partition.origin.clone(),
            ..SubClock::default()
        };
        clocks.push(translate(work, partition, settings, k, clock, &mut blocks, made)?);
    }
    let mut pieces = ordered(work, blocks, &clocks)?;
    let starts = clocks.iter_mut().map(|clock| &mut clock.initial);
    let mut lists: Vec<&mut Vec<Step>> = pieces.iter_mut().map(|p| &mut p.steps).chain(starts).collect();
    calls::unite(&work.pool, &mut lists);
    clocks.iter_mut().for_each(|clock| calls::share(&work.pool, &mut [&mut clock.initial]));
    for k in 0..clocks.len() {
        let own = pieces.iter_mut().filter(|p| p.clock as usize == k);
        calls::share(&work.pool, &mut own.map(|p| &mut p.steps).collect::<Vec<_>>());
    }
    let trigger = match (rates.trigger, condition) {
        (Trigger::Periodic(interval), _) => ClockTrigger::Periodic(interval),
        (Trigger::Varying(variable, resolution), _) => ClockTrigger::Varying { variable, resolution },
        (Trigger::Event(..), Some((condition, start_interval))) => {
            ClockTrigger::Event { condition, start_interval }
        }
        (Trigger::Event(..), None) => return None,
    };
    let resolution = rates.resolution;
    let name = format!("clock {}", number + 1);
    Some(BaseClock { name, trigger, resolution, clocks, sampled, pieces, origin })
}

/// The work with one partition only: everything else is known.
fn isolated(work: &mut Work, partition: &mut Partition) -> (Work, Vec<Role>) {
    let mut part = work.lend();
    part.equations = std::mem::take(&mut partition.equations);
    part.initial_equations = std::mem::take(&mut partition.initial_equations);
    part.actions = std::mem::take(&mut partition.actions);
    let roles = part.vars.iter().map(|v| v.role).collect();
    for var in &mut part.vars {
        if matches!(var.role, Role::Continuous | Role::Discrete | Role::Input | Role::FreeParameter) {
            var.role = Role::Run;
        }
    }
    for &v in &partition.variables {
        let var = &mut part.vars[v.index()];
        var.role = if var.ty == Type::Real { Role::Continuous } else { Role::Discrete };
        var.keep = false;
    }
    resolve_aliases(&mut part);
    (part, roles)
}

/// Parameters may have become others since the partition left the model.
fn resolve_aliases(part: &mut Work) {
    let alias: Vec<(VarId, (VarId, bool))> = (0..part.vars.len() as u32)
        .map(VarId)
        .filter(|&v| part.var(v).alias.is_some())
        .map(|v| (v, part.resolve(v)))
        .collect();
    if alias.is_empty() {
        return;
    }
    let alias: FxHashMap<VarId, (VarId, bool)> = alias.into_iter().collect();
    let mut memo = Memo::sparse();
    let Work { pool, equations, initial_equations, actions, .. } = part;
    let mut go = |e: ExprId| {
        rewrite(pool, e, &mut memo, &mut |pool, id| match pool.node(id) {
            Node::Var(v) => match alias.get(&v) {
                Some(&(target, negated)) => {
                    let target = pool.var(target);
                    if negated { pool.op(kausal_symbolic::Op::Neg, &[target]) } else { target }
                }
                None => id,
            },
            _ => id,
        })
    };
    for e in equations.iter_mut().chain(initial_equations) {
        (e.lhs, e.rhs) = (go(e.lhs), go(e.rhs));
    }
    crate::equations::work::map_actions(actions, &mut |e| *e = go(*e));
}

/// Gives the work back what it lent; the equations come behind its own.
fn returned(work: &mut Work, mut part: Work, roles: &[Role]) -> usize {
    work.take_back(&mut part);
    for (var, &role) in work.vars.iter_mut().zip(roles) {
        var.role = role;
    }
    work.report.decisions.append(&mut part.report.decisions);
    work.report.index_reduced.append(&mut part.report.index_reduced);
    work.singular.append(&mut part.singular);
    let before = work.equations.len();
    work.equations.append(&mut part.equations);
    before
}

/// Sorts a partition and makes its blocks steps.
fn translate(
    work: &mut Work,
    mut partition: Partition,
    settings: Settings,
    clock: usize,
    mut sub: SubClock,
    blocks: &mut Vec<Sorted>,
    made: &mut Vec<VarId>,
) -> Option<SubClock> {
    let known = work.vars.len();
    let (mut part, roles) = isolated(work, &mut partition);
    let first = blocks.len();
    let done = sorted(&mut part, &mut partition, settings, clock, &mut sub, blocks);
    let failed = done.is_none() || part.diagnostics.iter().any(Diagnostic::is_error);
    // What is computed here and shown: derivatives.
    made.extend((known as u32..part.vars.len() as u32).map(VarId).filter(|&v| {
        let var = part.var(v);
        var.integral.is_some() && matches!(var.role, Role::Continuous)
    }));
    for i in known..part.vars.len() {
        if matches!(part.vars[i].role, Role::Continuous | Role::Discrete) {
            part.vars[i].role = Role::Run;
        }
    }
    let offset = returned(work, part, &roles) as u32;
    shift_equations(&mut sub.initial, offset);
    for block in &mut blocks[first..] {
        shift_equations(&mut block.steps, offset);
    }
    for &(variable, slot) in &partition.previous {
        sub.previous.push(PreviousValue { variable, slot });
    }
    (!failed).then_some(sub)
}

fn sorted(
    part: &mut Work,
    partition: &mut Partition,
    settings: Settings,
    clock: usize,
    sub: &mut SubClock,
    blocks: &mut Vec<Sorted>,
) -> Option<()> {
    let differential =
        has_derivatives(part, &Partition { equations: part.equations.clone(), ..Partition::default() });
    inline::inline(part, false);
    lift::literally(part);
    inline::inline(part, true);
    refuse_events(part, &partition.origin)?;
    part.bounds.resize(part.vars.len(), kausal_symbolic::interval::Interval::ALL);
    let mut formulas = FxHashMap::default();
    let mut rows: Vec<usize> = (0..part.equations.len()).collect();
    let wishes = wishes::Wishes::default();
    if differential {
        let selection = match index::reduce(part) {
            Ok(selection) => selection,
            Err(singular) => {
                report_singular(part, &singular);
                return None;
            }
        };
        rows = (0..part.equations.len()).collect();
        let mut emitter = Emitter::new(part, settings, &wishes);
        // What must hold besides has been said by a warning.
        (sub.initial, _) = initial::build(&mut emitter, &selection, &Default::default())?;
        // Conditions of the start, which come next, are not part of the model.
        let added = part.equations.len();
        formulas = discretized::formulas(part, partition, sub, &selection, rows.len())?;
        rows.extend(added..part.equations.len());
    } else if let Some(e) = part.initial_equations.first() {
        let d = Diagnostic::error("K0469", "clocked variables have start values, no initial equations")
            .help("give the variable that `previous` is applied to a start value");
        let d = at(d, &e.origin, "this initial equation");
        part.diagnostics.push(d);
        return None;
    }
    let columns = unknowns(part, &Default::default());
    let sorted = match Sorting::new(part, rows, columns).blocks() {
        Ok(sorted) => sorted,
        Err(singular) => {
            report_singular(part, &singular);
            return None;
        }
    };
    let integrated = formulas.values().copied().collect();
    let mut emitter = Emitter::new(part, settings, &wishes);
    (emitter.formulas, emitter.integrated) = (formulas, integrated);
    let mut visitor = Visitor::new();
    for block in sorted {
        let mut reads = Vec::new();
        for &e in &block.equations {
            occurrences(emitter.work, e, &mut visitor, &mut reads);
        }
        let steps = emitter.block(&block);
        blocks.push(Sorted { clock, reads, writes: block.unknowns, steps });
    }
    let actions = emitter.work.actions.clone();
    if !actions.is_empty() {
        let steps = emitter.actions(&actions);
        let mut reads = rustc_hash::FxHashSet::default();
        steps.iter().for_each(|step| crate::program::flow::reads(&emitter.work.pool, step, &mut reads));
        let mut reads: Vec<VarId> = reads.into_iter().collect();
        reads.sort_unstable();
        blocks.push(Sorted { clock, reads, writes: Vec::new(), steps });
    }
    Some(())
}

/// What needs events of its own, or the past of continuous time, has no place among clocked equations.
fn refuse_events(part: &mut Work, origin: &Origin) -> Option<()> {
    let found = if !part.samples.is_empty() {
        "sample(start, interval)"
    } else if !part.delays.is_empty() {
        "delay"
    } else if !part.transports.is_empty() {
        "spatialDistribution"
    } else if part.initial_flag.is_some() {
        "initial()"
    } else if part.terminal_flag.is_some() {
        "terminal()"
    } else {
        return Some(());
    };
    let d = Diagnostic::error("K0468", format!("{found} among clocked equations is not supported"))
        .help("compute it in continuous time and `sample` it");
    let own = part.equations.iter().map(|e| &e.origin);
    let place = std::iter::once(origin).chain(own).find(|o| o.location.is_some()).unwrap_or(origin);
    let d = at(d, place, "among these equations");
    part.diagnostics.push(d);
    None
}

/// One order for the blocks of all clocks: what is read has been computed before, if its clock ticks too.
fn ordered(work: &mut Work, blocks: Vec<Sorted>, clocks: &[SubClock]) -> Option<Vec<Piece>> {
    let mut writer: FxHashMap<VarId, usize> = FxHashMap::default();
    for (i, block) in blocks.iter().enumerate() {
        block.writes.iter().for_each(|&v| _ = writer.insert(v, i));
    }
    let mut waits: Vec<usize> = vec![0; blocks.len()];
    let mut wanted_by: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (i, block) in blocks.iter().enumerate() {
        let mut before: Vec<usize> =
            block.reads.iter().filter_map(|v| writer.get(v).copied()).filter(|&w| w != i).collect();
        before.sort_unstable();
        before.dedup();
        waits[i] = before.len();
        before.iter().for_each(|&w| wanted_by[w].push(i));
    }
    // Among those that can be next one of the same clock as the last, so that there are few pieces.
    let mut ready: Vec<std::collections::BTreeSet<usize>> = vec![Default::default(); clocks.len()];
    (0..blocks.len()).filter(|&i| waits[i] == 0).for_each(|i| _ = ready[blocks[i].clock].insert(i));
    let mut order = Vec::with_capacity(blocks.len());
    let mut now = 0;
    while let Some(clock) =
        (0..clocks.len()).map(|k| (now + k) % clocks.len()).find(|&k| !ready[k].is_empty())
    {
        now = clock;
        while let Some(i) = ready[clock].pop_first() {
            order.push(i);
            for &next in &wanted_by[i] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready[blocks[next].clock].insert(next);
                }
            }
        }
    }
    if order.len() < blocks.len() {
        let open = blocks.iter().zip(&waits).filter(|(_, waits)| **waits > 0);
        let names = open.flat_map(|(block, _)| block.writes.iter().map(|&v| work.shown(v)));
        let names: Vec<&str> = names.take(8).collect();
        let message = format!(
            "equations on different clocks depend on each other at the same instant: {}",
            names.join(", ")
        );
        let d = Diagnostic::error("K0470", message)
            .help("put `previous` into the loop, or put all of it on one clock");
        let open = blocks.iter().zip(&waits).filter(|(_, waits)| **waits > 0);
        let place = open.flat_map(|(block, _)| &block.writes).find_map(|&v| work.var(v).location);
        let d = match place {
            Some(place) => d.at(place, "declared here"),
            None => d,
        };
        work.diagnostics.push(d);
        return None;
    }
    let mut steps: Vec<Option<Sorted>> = blocks.into_iter().map(Some).collect();
    let mut pieces: Vec<Piece> = Vec::new();
    for i in order {
        let Some(block) = steps[i].take() else { continue };
        match pieces.last_mut() {
            Some(piece) if piece.clock as usize == block.clock => piece.steps.extend(block.steps),
            _ => pieces.push(Piece { clock: block.clock as u32, steps: block.steps }),
        }
    }
    Some(pieces)
}

/// Equations have moved behind others.
fn shift_equations(steps: &mut [Step], offset: u32) {
    for step in steps {
        match step {
            Step::Assign(assign) => {
                if let Some(e) = &mut assign.equation {
                    e.0 += offset;
                }
            }
            Step::System(system) => {
                let System { equations, residuals, form, .. } = &mut **system;
                equations.iter_mut().chain(residuals).for_each(|e| e.0 += offset);
                match form {
                    Form::Linear { steps, guard, .. } => {
                        shift_equations(steps, offset);
                        if let Some(guard) = guard {
                            shift_equations(&mut guard.check, offset);
                            shift_equations(&mut guard.fallback, offset);
                        }
                    }
                    Form::Nonlinear(nonlinear) => {
                        shift_equations(&mut nonlinear.steps, offset);
                        if let Some(jacobian) = &mut nonlinear.jacobian {
                            shift_equations(&mut jacobian.steps, offset);
                        }
                    }
                    Form::Mixed { continuous, discrete, .. } => {
                        shift_equations(continuous, offset);
                        shift_equations(discrete, offset);
                    }
                }
            }
            Step::If(_, then, otherwise) => {
                shift_equations(then, offset);
                shift_equations(otherwise, offset);
            }
            Step::When(when) => {
                when.branches.iter_mut().for_each(|b| shift_equations(&mut b.steps, offset));
            }
            Step::Call(_)
            | Step::Solve(_)
            | Step::Reinit(..)
            | Step::Assert(_)
            | Step::Relation(_)
            | Step::Terminate(_) => {}
        }
    }
}

/// A selection of states that the run would make has no place at ticks.
pub(super) fn is_static(selection: &Selection) -> bool {
    selection.sets.is_empty()
}
