//! The sorted equations with what each is solved for, and the blocks they form: what the page and the picture of the
//! incidence matrix show.
//!
//! Rows and columns stand in the order in which things are computed; inside a loop what is torn comes last. Two more
//! orders lead there: the order of the model, and the blocks before they were torn.

use std::collections::HashSet;

use kausal_symbolic::VarId;
use kausal_symbolic::count::Operations;
use kausal_translate::Program;
use kausal_translate::program::{EquationRef, Form, Step, System};

use super::{how, kind};

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
    /// What one evaluation (one iteration, where it is nonlinear) takes.
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
}

/// The order in which the continuous part of a program is computed; with inline integration, an inlined step.
pub fn sorted(program: &Program) -> Sorted<'_> {
    let mut sorted = Sorted::default();
    let mut used: HashSet<EquationRef> = HashSet::new();
    let inlined = program.discretized.as_ref().map(|d| &d.steps).filter(|steps| !steps.is_empty());
    for step in inlined.unwrap_or(&program.dynamics).iter().chain(&program.outputs) {
        let (rows, columns, torn, kind, how) = match step {
            Step::Assign(a) => {
                let Some(equation) = a.equation else { continue };
                // What a system leaves to be computed later, where results are wanted, belongs to the system.
                if !used.insert(equation) {
                    continue;
                }
                (vec![equation], vec![a.variable], 0, "explicit", "solved for its unknown")
            }
            Step::System(system) => {
                let (rows, columns) = torn_order(system);
                used.extend(&rows);
                (rows, columns, system.tearing_variables.len(), kind(system), how(system))
            }
            _ => continue,
        };
        let (start, size) = (sorted.rows.len(), rows.len().min(columns.len()));
        let cost = kausal_codegen::count::steps_operations(&program.pool, std::slice::from_ref(step));
        sorted.blocks.push(Block { start, size, torn: torn.min(size), kind, how, cost, step });
        sorted.rows.extend(rows.into_iter().take(size));
        sorted.columns.extend(columns.into_iter().take(size));
    }
    sorted.find_entries(program);
    sorted.block_rows = within_blocks(&sorted.blocks, &|i| sorted.rows[i].0);
    sorted.block_columns = within_blocks(&sorted.blocks, &|i| sorted.columns[i].0);
    sorted
}

impl Sorted<'_> {
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

/// The steps of a system.
pub fn steps(system: &System) -> &[Step] {
    match &system.form {
        Form::Linear { steps, .. } => steps,
        Form::Nonlinear(n) => &n.steps,
        Form::Mixed { continuous, .. } => continuous,
    }
}

/// Rows and columns of a system in the order they are computed, what is torn last.
fn torn_order(system: &System) -> (Vec<EquationRef>, Vec<VarId>) {
    let equations: HashSet<EquationRef> = system.equations.iter().copied().collect();
    let unknowns: HashSet<VarId> = system.unknowns.iter().copied().collect();
    let mut used_rows: HashSet<EquationRef> = system.residuals.iter().copied().collect();
    let mut used_columns: HashSet<VarId> = system.tearing_variables.iter().copied().collect();
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    for step in steps(system) {
        if let Step::Assign(a) = step
            && let Some(equation) = a.equation
            && equations.contains(&equation)
            && unknowns.contains(&a.variable)
            && !used_rows.contains(&equation)
            && !used_columns.contains(&a.variable)
        {
            used_rows.insert(equation);
            used_columns.insert(a.variable);
            rows.push(equation);
            columns.push(a.variable);
        }
    }
    rows.extend(system.equations.iter().filter(|e| !used_rows.contains(e)));
    rows.extend(&system.residuals);
    columns.extend(system.unknowns.iter().filter(|v| !used_columns.contains(v)));
    columns.extend(&system.tearing_variables);
    (rows, columns)
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
