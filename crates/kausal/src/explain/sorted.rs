//! The sorted equations with what each is solved for, and the blocks they form: what the page and the picture of the
//! incidence matrix show.
//!
//! Rows and columns stand in the order in which things are computed; inside a loop what is torn comes last. Two more
//! orders lead there: the order of the model, and the blocks before they were torn.

use std::collections::{HashMap, HashSet, VecDeque};

use kausal_symbolic::VarId;
use kausal_symbolic::count::Operations;
use kausal_translate::Program;
use kausal_translate::program::{EquationRef, Step, System};

use super::systems::{how, kind, steps};

/// When a block is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Once: it depends on parameters only.
    Once,
    /// In each evaluation.
    Always,
    /// Where results are wanted.
    Late,
}

/// A stretch of the diagonal.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// Where it begins.
    pub start: usize,
    /// Its equations.
    pub size: usize,
    /// How many of its unknowns are torn.
    pub torn: usize,
    /// `explicit`, `linear`, …
    pub kind: &'static str,
    /// How it is solved.
    pub how: &'static str,
    /// When.
    pub when: When,
    /// What one evaluation (one iteration, where it is nonlinear) takes, with what it leaves to be computed where results
    /// are wanted.
    pub cost: Operations,
    /// What is computed.
    pub step: &'a Step,
}

impl<'a> Block<'a> {
    /// The system, unless it is one assignment.
    pub fn system(&self) -> Option<&'a System> {
        match self.step {
            Step::System(system) => Some(system),
            _ => None,
        }
    }

    /// Are there equations that need each other?
    pub fn is_loop(&self) -> bool {
        self.system().is_some()
    }
}

/// Equations, unknowns, blocks.
#[derive(Clone, Debug, Default)]
pub struct Sorted<'a> {
    /// The equation of each row.
    pub rows: Vec<EquationRef>,
    /// The unknown of each column.
    pub columns: Vec<VarId>,
    /// The blocks, in order.
    pub blocks: Vec<Block<'a>>,
    /// The columns of each row.
    pub entries: Vec<Vec<u32>>,
    /// Rows and columns with each block in the order of the model.
    pub block_rows: Vec<u32>,
    /// The same for columns.
    pub block_columns: Vec<u32>,
    /// What is computed besides, and shared by blocks: calls of functions and intermediate results.
    pub shared: Operations,
}

/// The order in which the continuous part of a program is computed, what depends on parameters only first; with inline
/// integration, an inlined step.
pub fn sorted(program: &Program) -> Sorted<'_> {
    let mut sorted = Sorted::default();
    // The block of each equation.
    let mut used: HashMap<EquationRef, usize> = HashMap::new();
    let inlined = program.discretized.as_ref().map(|d| &d.steps).filter(|steps| !steps.is_empty());
    let sections = [
        (When::Once, &program.parameters),
        (When::Always, inlined.unwrap_or(&program.dynamics)),
        (When::Late, &program.outputs),
    ];
    for (when, step) in sections.into_iter().flat_map(|(when, steps)| steps.iter().map(move |s| (when, s))) {
        let cost = kausal_codegen::count::steps_operations(&program.pool, std::slice::from_ref(step));
        let (rows, columns, torn, kind, how) = match step {
            Step::Assign(a) => {
                let Some(equation) = a.equation else {
                    sorted.add_shared(when, cost);
                    continue;
                };
                // What a system leaves to be computed later, where results are wanted, belongs to the system.
                if let Some(block) = used.get(&equation) {
                    sorted.blocks[*block].cost += cost;
                    continue;
                }
                (vec![equation], vec![a.variable], 0, "explicit", "solved for its unknown")
            }
            Step::System(system) => {
                let (rows, columns) = torn_order(program, system);
                (rows, columns, system.tearing_variables.len(), kind(system), how(system))
            }
            _ => {
                sorted.add_shared(when, cost);
                continue;
            }
        };
        used.extend(rows.iter().map(|e| (*e, sorted.blocks.len())));
        let (start, size) = (sorted.rows.len(), rows.len().min(columns.len()));
        sorted.blocks.push(Block { start, size, torn: torn.min(size), kind, how, when, cost, step });
        sorted.rows.extend(rows.into_iter().take(size));
        sorted.columns.extend(columns.into_iter().take(size));
    }
    sorted.find_entries(program);
    sorted.block_rows = within_blocks(&sorted.blocks, &|i| sorted.rows[i].0);
    sorted.block_columns = within_blocks(&sorted.blocks, &|i| sorted.columns[i].0);
    sorted
}

impl Sorted<'_> {
    fn add_shared(&mut self, when: When, cost: Operations) {
        if when != When::Once {
            self.shared += cost;
        }
    }

    fn find_entries(&mut self, program: &Program) {
        let mut place = vec![None; program.variables.len()];
        for (i, v) in self.columns.iter().enumerate() {
            place[v.index()] = Some(i as u32);
        }
        for row in &self.rows {
            let info = &program.equations[row.0 as usize];
            let variables = [info.lhs, info.rhs].into_iter().flat_map(|e| program.pool.variables_of(e));
            let mut columns: Vec<u32> = variables.filter_map(|v| place[v.index()]).collect();
            columns.sort_unstable();
            columns.dedup();
            self.entries.push(columns);
        }
    }

    /// Rows in the order of the model.
    pub fn model_rows(&self) -> Vec<u32> {
        by_key(0..self.rows.len() as u32, &|i| self.rows[i].0)
    }

    /// Columns in the order of the model.
    pub fn model_columns(&self) -> Vec<u32> {
        by_key(0..self.columns.len() as u32, &|i| self.columns[i].0)
    }
}

fn by_key(places: std::ops::Range<u32>, key: &dyn Fn(usize) -> u32) -> Vec<u32> {
    let mut order: Vec<u32> = places.collect();
    order.sort_by_key(|i| key(*i as usize));
    order
}

fn within_blocks(blocks: &[Block], key: &dyn Fn(usize) -> u32) -> Vec<u32> {
    blocks.iter().flat_map(|b| by_key(b.start as u32..(b.start + b.size) as u32, key)).collect()
}

/// Rows and columns of a system in an order in which each row has one new unknown, with what is torn given; what is torn,
/// and what fits into no such order, comes last.
fn torn_order(program: &Program, system: &System) -> (Vec<EquationRef>, Vec<VarId>) {
    let solved_for = solved_for(program, system);
    let taken: HashSet<VarId> = solved_for.values().copied().collect();
    let mut open: HashSet<VarId> = system.unknowns.iter().copied().collect();
    for v in &system.tearing_variables {
        open.remove(v);
    }
    let residuals: HashSet<EquationRef> = system.residuals.iter().copied().collect();
    let inner: Vec<EquationRef> =
        system.equations.iter().filter(|e| !residuals.contains(e)).copied().collect();
    let mut containing: HashMap<VarId, Vec<EquationRef>> = HashMap::new();
    for &e in &inner {
        for v in unknowns_of(program, e, &open) {
            containing.entry(v).or_default().push(e);
        }
    }
    let mut done: HashSet<EquationRef> = HashSet::new();
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    let mut queue: VecDeque<EquationRef> = inner.iter().copied().collect();
    while let Some(e) = queue.pop_front() {
        let [v] = unknowns_of(program, e, &open)[..] else { continue };
        let is_its_own = solved_for.get(&e).map_or(!taken.contains(&v), |own| *own == v);
        if !is_its_own || !done.insert(e) {
            continue;
        }
        open.remove(&v);
        rows.push(e);
        columns.push(v);
        queue.extend(containing.get(&v).into_iter().flatten().filter(|e| !done.contains(e)));
    }
    rows.extend(inner.iter().filter(|e| !done.contains(e)));
    rows.extend(&system.residuals);
    columns.extend(system.unknowns.iter().filter(|v| open.contains(v)));
    columns.extend(&system.tearing_variables);
    (rows, columns)
}

/// The open unknowns of an equation.
fn unknowns_of(program: &Program, e: EquationRef, open: &HashSet<VarId>) -> Vec<VarId> {
    let info = &program.equations[e.0 as usize];
    let all = [info.lhs, info.rhs].into_iter().flat_map(|side| program.pool.variables_of(side));
    let mut found: Vec<VarId> = all.filter(|v| open.contains(v)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// What the equations of a system are solved for: in it, or later where results are wanted.
fn solved_for(program: &Program, system: &System) -> HashMap<EquationRef, VarId> {
    let equations: HashSet<EquationRef> = system.equations.iter().copied().collect();
    let unknowns: HashSet<VarId> = system.unknowns.iter().copied().collect();
    let mut used: HashSet<VarId> = system.tearing_variables.iter().copied().collect();
    let mut pairs = HashMap::new();
    for step in steps(system).iter().chain(&program.outputs) {
        if let Step::Assign(a) = step
            && let Some(equation) = a.equation
            && equations.contains(&equation)
            && unknowns.contains(&a.variable)
            && !pairs.contains_key(&equation)
            && used.insert(a.variable)
        {
            pairs.insert(equation, a.variable);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    /// Block lower triangular: nothing to the right of a block; all orders are permutations.
    #[test]
    fn blocks_are_lower_triangular() {
        // The chain computes a part of its loop only where results are wanted.
        for model in ["Kausal.Examples.Rectifier", "Kausal.Examples.Chain"] {
            let mut session = Session::new();
            let flat = session.flatten(model).expect("a correct model");
            let program = session.translate(&flat, &Default::default()).expect("a regular model");
            check(&sorted(&program));
        }
    }

    /// The operations of the blocks are those of the sections: one source for what is said about cost.
    #[test]
    fn costs_add_up() {
        for model in ["Kausal.Examples.Rectifier", "Kausal.Examples.Robot", "Kausal.Examples.Chain"] {
            let mut session = Session::new();
            let flat = session.flatten(model).expect("a correct model");
            let program = session.translate(&flat, &Default::default()).expect("a regular model");
            let sorted = sorted(&program);
            let blocks = sorted.blocks.iter().filter(|b| b.when != When::Once);
            let sum = blocks.fold(sorted.shared, |sum, b| sum + b.cost);
            let sections = kausal_codegen::count::operations(&program);
            assert_eq!(sum, sections.dynamics + sections.outputs, "{model}");
            for block in &sorted.blocks {
                let Some(system) = block.system() else { continue };
                let late = super::super::systems::late_cost(&program, system);
                let cost = super::super::systems::cost(&program.pool, system);
                assert_eq!(block.cost, cost + late, "{model}");
            }
        }
    }

    /// Torn, a loop is lower triangular but for the columns of what is torn.
    #[test]
    fn torn_loops_are_triangular() {
        let mut session = Session::new();
        let flat = session.flatten("Kausal.Examples.Chain").expect("a correct model");
        let options =
            kausal_translate::Options { relaxing: kausal_translate::Relaxing::Off, ..Default::default() };
        let program = session.translate(&flat, &options).expect("a regular model");
        let sorted = sorted(&program);
        let block = sorted.blocks.iter().find(|b| b.torn > 0 && b.size > 50).expect("a torn loop");
        let inner = block.start + block.size - block.torn;
        for row in block.start..inner {
            let beyond = sorted.entries[row].iter().any(|c| (*c as usize) > row && (*c as usize) < inner);
            assert!(!beyond, "row {row}: {:?}", sorted.entries[row]);
        }
    }

    fn check(sorted: &Sorted) {
        let n = sorted.rows.len();
        assert!(n > 10 && sorted.columns.len() == n && sorted.entries.len() == n);
        assert_eq!(sorted.blocks.iter().map(|b| b.size).sum::<usize>(), n);
        for block in &sorted.blocks {
            for row in block.start..block.start + block.size {
                let last = sorted.entries[row].last().copied();
                assert!(last.is_none_or(|c| (c as usize) < block.start + block.size), "{block:?}");
            }
        }
        let orders = [
            sorted.model_rows(),
            sorted.model_columns(),
            sorted.block_rows.clone(),
            sorted.block_columns.clone(),
        ];
        for mut order in orders {
            order.sort_unstable();
            assert!(order.iter().enumerate().all(|(i, k)| i == *k as usize) && order.len() == n);
        }
    }
}
