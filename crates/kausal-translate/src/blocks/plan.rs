//! A plan of a nonlinear block: what is iterated on, what follows in sequence, and the linearised block it is tried on.

use kausal_structure::Id;
use kausal_structure::tearing::Tearing;
use kausal_symbolic::{ExprId, VarId};
use rustc_hash::FxHashMap;

use crate::blocks::eliminate::{self, Row};
use crate::blocks::emitter::Emitter;
use crate::equations::solve;
use crate::equations::sort::Block;

/// A part of what follows from the iteration variables; rows and columns of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// An equation solved for its unknown.
    Assign(usize, usize),
    /// Equations that are linear in their unknowns.
    Linear(Vec<usize>, Vec<usize>),
    /// An iteration inside the iteration, on one variable (`iteration_variables`).
    Inner(Box<Plan>),
}

impl Part {
    /// The rows that it is solved from.
    pub fn rows(&self) -> Vec<usize> {
        match self {
            Part::Assign(row, _) => vec![*row],
            Part::Linear(rows, _) => rows.clone(),
            Part::Inner(inner) => inner.rows(),
        }
    }

    /// The columns that it computes.
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Part::Assign(_, column) => vec![*column],
            Part::Linear(_, columns) => columns.clone(),
            Part::Inner(inner) => inner.columns(),
        }
    }
}

/// How a block is solved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Columns that are iterated on.
    pub iterated: Vec<usize>,
    /// Rows whose residuals become zero.
    pub residuals: Vec<usize>,
    /// The rest, in order.
    pub parts: Vec<Part>,
}

impl Plan {
    /// A torn sequence.
    pub fn torn(torn: &Tearing) -> Plan {
        Plan {
            iterated: torn.tearing_variables.iter().map(|v| v.index()).collect(),
            residuals: torn.residuals.iter().map(|e| e.index()).collect(),
            parts: torn.sequence.iter().map(|a| Part::Assign(a.eqn.index(), a.var.index())).collect(),
        }
    }

    /// All rows of the plan.
    pub fn rows(&self) -> Vec<usize> {
        let mut all = self.residuals.clone();
        all.extend(self.parts.iter().flat_map(Part::rows));
        all
    }

    /// All columns of the plan.
    pub fn columns(&self) -> Vec<usize> {
        let mut all = self.iterated.clone();
        all.extend(self.parts.iter().flat_map(Part::columns));
        all
    }

    /// The equations solved one by one, and their unknowns.
    pub fn assigns(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::Assign(row, column) => Some((*row, *column)),
            Part::Linear(..) | Part::Inner(_) => None,
        })
    }

    /// The same as an elimination of the linearised block: what is not a sequence is left to a solver.
    pub fn elimination(&self) -> eliminate::Plan {
        let pivots: Vec<(usize, usize)> = self.assigns().collect();
        let (mut core_rows, mut core_columns) = (self.residuals.clone(), self.iterated.clone());
        for part in &self.parts {
            match part {
                Part::Assign(..) => {}
                Part::Linear(rows, columns) => {
                    core_rows.extend(rows);
                    core_columns.extend(columns);
                }
                Part::Inner(inner) => {
                    core_rows.extend(inner.rows());
                    core_columns.extend(inner.columns());
                }
            }
        }
        eliminate::Plan {
            forward: pivots.len(),
            pivots,
            core_rows,
            core_columns,
            symmetric: None,
            settle: false,
        }
    }
}

/// The derivatives of an equation by its unknowns, in the order of columns; `None` for one that cannot be formed.
pub(crate) type Slopes = Vec<(usize, Option<ExprId>)>;

/// The derivatives of all equations by their unknowns.
pub(crate) fn slopes(emitter: &mut Emitter, block: &Block) -> Vec<Slopes> {
    let place: FxHashMap<VarId, usize> = block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut rows = Vec::new();
    for &equation in &block.equations {
        let residual = emitter.work.residual(equation);
        let mut slopes = Slopes::new();
        for v in emitter.work.pool.variables_of(residual) {
            if let Some(&column) = place.get(&v) {
                slopes.push((column, solve::partial(emitter.work, residual, v)));
            }
        }
        slopes.sort_unstable_by_key(|&(c, _)| c);
        rows.push(slopes);
    }
    rows
}

/// The linearised block; `None` if a derivative cannot be formed.
pub(crate) fn linearised(emitter: &mut Emitter, slopes: &[Slopes]) -> Option<Vec<Row>> {
    let right = emitter.work.pool.constant(0.0);
    let row = |slopes: &Slopes| {
        let known = |&(column, slope): &(usize, Option<ExprId>)| Some((column, slope?));
        Some(Row { coefficients: slopes.iter().map(known).collect::<Option<_>>()?, right })
    };
    slopes.iter().map(row).collect()
}

/// For each row the pairs of columns that it is not linear in together. Where a derivative cannot be formed, nothing is known
/// about that column by itself and with others of its kind; what it is with the rest is seen in their derivatives.
pub(crate) fn products(emitter: &Emitter, block: &Block, slopes: &[Slopes]) -> Vec<Vec<(usize, usize)>> {
    let place: FxHashMap<VarId, usize> = block.unknowns.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut out = Vec::new();
    for row in slopes {
        let mut pairs = Vec::new();
        for &(c, slope) in row {
            let others: Vec<usize> = match slope {
                Some(slope) => {
                    let variables = emitter.work.pool.variables_of(slope);
                    variables.into_iter().filter_map(|v| place.get(&v).copied()).collect()
                }
                None => row.iter().filter(|(_, slope)| slope.is_none()).map(|&(d, _)| d).collect(),
            };
            pairs.extend(others.into_iter().map(|d| (c.min(d), c.max(d))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        out.push(pairs);
    }
    out
}
