//! Elimination carried out on the pattern: the search for pivots, fill, and the count of operations.
//!
//! Entries are in a hash table that nothing iterates over; rows and columns wait in ordered queues by length, and a
//! pivot is sought in the few shortest ones. Time is proportional to the operations predicted, times a logarithm.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::elimination::{Elimination, EliminationProblem, Operations, POINTS, Updated};
use crate::ids::{Eqn, Id, Var};
use crate::solvability::{Solvability, SolvabilitySet};
use crate::tearing::Assignment;
use crate::work::tick;

/// What makes a pivot expensive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Metric {
    Updates,
    /// New entries count more than changed ones. Takes longer, because each update has to be looked at.
    UpdatesAndFill,
}

#[derive(Clone, Copy)]
struct Entry {
    solvability: Solvability,
    unit: bool,
    /// Its values at the sampled points, if there are any.
    values: [f64; POINTS],
}

impl Entry {
    const NONE: Entry = Entry { solvability: Solvability::Never, unit: false, values: [0.0; POINTS] };

    /// As the values tell: one sign at all points, and not much smaller than what it was made of.
    fn judge(values: [f64; POINTS], made_of: [f64; POINTS]) -> Solvability {
        const CANCELLED: f64 = 1e-4;
        let positive = values.iter().all(|x| *x > 0.0) || values.iter().all(|x| *x < 0.0);
        let large = values.iter().zip(made_of).all(|(x, from)| x.abs() > CANCELLED * from);
        if positive && large { Solvability::LinearUnsafe } else { Solvability::Nonlinear }
    }
}

/// How much a new entry weighs against a changed one. Found by trial on chains of rigid bodies and grids of resistors.
const FILL_WEIGHT: u64 = 8;

/// Pivots are compared by this, field by field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    price: u64,
    multiplications: u64,
    rank: usize,
}

/// A row or a column.
struct Line {
    alive: bool,
    /// Whether pivots are sought in it already.
    admitted: bool,
    /// The sum of the sizes of the lines it crosses.
    width: u64,
    /// The same without entries that are ±1.
    plain: u64,
    size: u64,
    /// The lines it crosses; dead ones are removed when the list is read.
    crosses: Vec<u32>,
}

impl Line {
    fn is_pivotal(&self) -> bool {
        self.alive && self.admitted
    }
}

pub(super) struct State<'p, 'a> {
    problem: &'p EliminationProblem<'a>,
    metric: Metric,
    entries: FxHashMap<u64, Entry>,
    row: Vec<Line>,
    column: Vec<Line>,
    row_queue: BTreeSet<(u64, u32)>,
    column_queue: BTreeSet<(u64, u32)>,
    pivots: Vec<Assignment>,
    fill: u64,
    operations: Operations,
}

impl<'p, 'a> State<'p, 'a> {
    pub(super) fn new(problem: &'p EliminationProblem<'a>, metric: Metric) -> Self {
        let pattern = problem.pattern;
        let eqn_size = |eqn| u64::from(problem.eqn_size.as_ref().map_or(1, |size| size[eqn]));
        let var_size = |var| u64::from(problem.var_size.as_ref().map_or(1, |size| size[var]));
        let row = pattern.eqn_ids().map(|eqn| Line {
            alive: true,
            admitted: false,
            width: pattern.vars(eqn).iter().map(|var| var_size(*var)).sum(),
            plain: pattern.row(eqn).filter(|o| !problem.unit[o.edge]).map(|o| var_size(o.var)).sum(),
            size: eqn_size(eqn),
            crosses: pattern.vars(eqn).iter().map(|var| var.0).collect(),
        });
        let column = pattern.var_ids().map(|var| Line {
            alive: true,
            admitted: false,
            width: pattern.eqns(var).iter().map(|eqn| eqn_size(*eqn)).sum(),
            plain: pattern.column(var).filter(|o| !problem.unit[o.edge]).map(|o| eqn_size(o.eqn)).sum(),
            size: var_size(var),
            crosses: pattern.eqns(var).iter().map(|eqn| eqn.0).collect(),
        });
        let values = |edge| problem.values.as_ref().map_or([0.0; POINTS], |values| values[edge]);
        let entries = pattern.occurrences().map(|o| {
            let (unit, values) = (problem.unit[o.edge], values(o.edge));
            (key(o.eqn.0, o.var.0), Entry { solvability: o.solvability, unit, values })
        });
        tick(pattern.edge_count());
        State {
            problem,
            metric,
            entries: entries.collect(),
            row: row.collect(),
            column: column.collect(),
            row_queue: BTreeSet::new(),
            column_queue: BTreeSet::new(),
            pivots: Vec::new(),
            fill: 0,
            operations: Operations::default(),
        }
    }

    /// Eliminates until nothing is left, no pivot is allowed, or more than `bound` operations are needed. With levels, pivots are
    /// sought in the highest levels first, and `step` more levels are admitted whenever no pivot is left.
    pub(super) fn run(mut self, levels: Option<(&[u32], u32)>, bound: u64) -> Elimination {
        let lines = self.row.len() + self.column.len();
        let mut waiting: Vec<u32> = (0..lines as u32).collect();
        if let Some((level, _)) = levels {
            waiting.sort_by_key(|line| (level[*line as usize], std::cmp::Reverse(*line)));
        } else {
            waiting.reverse();
        }
        while let Some(&first) = waiting.last() {
            let lowest = levels.map_or(0, |(level, step)| (level[first as usize] + 1).saturating_sub(step));
            while let Some(line) =
                waiting.pop_if(|line| levels.is_none_or(|(level, _)| level[*line as usize] >= lowest))
            {
                self.admit(line);
            }
            while let Some((row, column, updates)) = self.find_pivot() {
                if updates > self.problem.update_limit || self.operations.total() >= bound {
                    break;
                }
                self.eliminate_symmetrically(row, column);
            }
            if self.operations.total() >= bound {
                break;
            }
        }
        self.finish(None)
    }

    /// Eliminates the given pivots, up to the first that is structurally zero, as long as `bound` operations suffice.
    pub(super) fn run_in_order(mut self, pivots: &[Assignment], bound: u64) -> Elimination {
        for &pivot in pivots {
            if self.operations.total() >= bound {
                break;
            }
            let (row, column) = (pivot.eqn.0, pivot.var.0);
            let alive = self.row[row as usize].alive && self.column[column as usize].alive;
            if !alive || !self.has_entry(row, column) {
                return self.finish(Some(pivot));
            }
            let partner = self.mirrored_column(row, column);
            self.eliminate(row, column, partner);
        }
        self.finish(None)
    }

    /// Lets a line take part in the search for pivots; lines that cross it may find one in it now.
    fn admit(&mut self, line: u32) {
        let rows = self.row.len() as u32;
        if line < rows {
            self.row[line as usize].admitted = true;
            self.enqueue_row(line);
            for k in 0..self.row[line as usize].crosses.len() {
                self.enqueue_column(self.row[line as usize].crosses[k]);
            }
        } else {
            let column = line - rows;
            self.column[column as usize].admitted = true;
            self.enqueue_column(column);
            for k in 0..self.column[column as usize].crosses.len() {
                self.enqueue_row(self.column[column as usize].crosses[k]);
            }
        }
    }

    /// The cheapest allowed pivot in the first few shortest rows and columns, with the number of entries it updates.
    fn find_pivot(&mut self) -> Option<(u32, u32, u64)> {
        const LOOK_AHEAD: usize = 6;
        let mut best: Option<(Cost, u32, u32)> = None;
        let mut looked_at = 0;
        let mut parked_rows = Vec::new();
        let mut parked_columns = Vec::new();
        let mut rows = self.row_queue.iter().copied().peekable();
        let mut columns = self.column_queue.iter().copied().peekable();
        loop {
            let row_next = match (rows.peek(), columns.peek()) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(row), Some(column)) => row.0 < column.0,
            };
            let next = if row_next { rows.next() } else { columns.next() };
            let Some((width, line)) = next else { break };
            let cheapest_possible = width.saturating_sub(1).saturating_pow(2);
            if best.is_some_and(|(cost, ..)| looked_at >= LOOK_AHEAD || cost.price <= cheapest_possible) {
                break;
            }
            if row_next {
                clean(&mut self.row[line as usize], &self.column);
            } else {
                clean(&mut self.column[line as usize], &self.row);
            }
            let crosses =
                if row_next { &self.row[line as usize].crosses } else { &self.column[line as usize].crosses };
            let mut found = false;
            tick(crosses.len());
            for &other in crosses {
                let (r, c) = if row_next { (line, other) } else { (other, line) };
                if let Some(cost) = self.pivot_cost(r, c) {
                    found = true;
                    if best.is_none_or(|best| (cost, r, c) < best) {
                        best = Some((cost, r, c));
                    }
                }
            }
            if found {
                looked_at += 1;
            } else if row_next {
                parked_rows.push((width, line));
            } else {
                parked_columns.push((width, line));
            }
        }
        // A line without an allowed pivot waits outside until it is updated.
        for parked in parked_rows {
            self.row_queue.remove(&parked);
        }
        for parked in parked_columns {
            self.column_queue.remove(&parked);
        }
        best.map(|(_, r, c)| (r, c, updates(&self.row[r as usize], &self.column[c as usize])))
    }

    /// What the pivot costs; `None` if it is not allowed.
    fn pivot_cost(&self, r: u32, c: u32) -> Option<Cost> {
        let (row, column) = (&self.row[r as usize], &self.column[c as usize]);
        if !row.is_pivotal() || !column.is_pivotal() || row.size != column.size {
            return None;
        }
        let entry = self.entries.get(&key(r, c))?;
        if !self.problem.pivots.contains(entry.solvability) || !self.keeps_symmetry(r, c) {
            return None;
        }
        let safe = SolvabilitySet::SAFE.contains(entry.solvability);
        let fill = if self.metric == Metric::UpdatesAndFill { FILL_WEIGHT * self.fill_of(r, c) } else { 0 };
        Some(Cost {
            price: updates(row, column) + fill + if safe { 0 } else { self.problem.unsafe_penalty },
            multiplications: multiplications(row, column, entry.unit),
            rank: entry.solvability.rank(),
        })
    }

    /// The number of entries the pivot would make new; of a large pivot only a bound.
    fn fill_of(&self, r: u32, c: u32) -> u64 {
        const LARGE: u64 = 400;
        let (row, column) = (&self.row[r as usize], &self.column[c as usize]);
        let bound = updates(row, column);
        if bound > LARGE {
            return bound;
        }
        let rows = column.crosses.iter().filter(|i| **i != r && self.row[**i as usize].alive);
        rows.map(|i| {
            let columns = row.crosses.iter().filter(|j| **j != c && self.column[**j as usize].alive);
            columns.filter(|j| !self.has_entry(*i, **j)).count() as u64
        })
        .sum()
    }

    /// Whether a pivot keeps the symmetry there is: on the diagonal, or beside it with one of the two diagonal entries zero.
    fn keeps_symmetry(&self, row: u32, column: u32) -> bool {
        self.problem.mirror.as_ref().is_none_or(|mirror| {
            let (other_row, other_column) = mirror.of(row, column);
            other_row == row || !self.has_entry(row, other_column) || !self.has_entry(other_row, column)
        })
    }

    fn has_entry(&self, row: u32, column: u32) -> bool {
        self.entries.contains_key(&key(row, column))
    }

    /// Eliminates a pivot and its mirror image, if it has one, so that the row of the second has no entry in the column of the first.
    fn eliminate_symmetrically(&mut self, row: u32, column: u32) {
        let Some(mirror) = &self.problem.mirror else { return self.eliminate(row, column, None) };
        let (other_row, other_column) = mirror.of(row, column);
        if other_row == row {
            self.eliminate(row, column, None);
        } else if !self.has_entry(other_row, column) {
            self.eliminate(row, column, Some(other_column));
            self.eliminate(other_row, other_column, None);
        } else {
            self.eliminate(other_row, other_column, Some(column));
            self.eliminate(row, column, None);
        }
    }

    /// The column of a pivot's mirror image if that is yet to be eliminated.
    fn mirrored_column(&self, row: u32, column: u32) -> Option<u32> {
        let (other_row, other_column) = self.problem.mirror.as_ref()?.of(row, column);
        (other_row != row && self.column[other_column as usize].alive).then_some(other_column)
    }

    /// Whether an update is carried out: of mirrored entries only one is; the column of the second of two mirrored pivots is
    /// needed in full.
    fn is_counted(&self, row: u32, column: u32, partner: Option<u32>) -> bool {
        partner == Some(column)
            || self.problem.mirror.as_ref().is_none_or(|mirror| row >= mirror.row_of[Var(column)].0)
    }

    fn eliminate(&mut self, r: u32, c: u32, partner: Option<u32>) {
        let columns = take_others(&mut self.row, &self.column, r, c);
        let rows = take_others(&mut self.column, &self.row, c, r);
        let pivot = self.entries.remove(&key(r, c)).unwrap_or(Entry::NONE);
        let size = self.row[r as usize].size;
        self.dequeue_row(r);
        self.dequeue_column(c);
        self.row[r as usize].alive = false;
        self.column[c as usize].alive = false;
        self.pivots.push(Assignment { eqn: Eqn(r), var: Var(c) });
        self.count_pivot(pivot, size);

        let pivot_row: Vec<(u32, Entry)> = columns
            .iter()
            .filter_map(|column| self.entries.remove(&key(r, *column)).map(|entry| (*column, entry)))
            .collect();
        for &(column, entry) in &pivot_row {
            self.dequeue_column(column);
            self.column[column as usize].width -= size;
            self.column[column as usize].plain -= if entry.unit { 0 } else { size };
            self.count_back_substitution(entry, size, self.column[column as usize].size);
        }
        for &row in &rows {
            let Some(entry) = self.entries.remove(&key(row, c)) else { continue };
            self.dequeue_row(row);
            self.row[row as usize].width -= size;
            self.row[row as usize].plain -= if entry.unit { 0 } else { size };
            let height = self.row[row as usize].size;
            let factor = Entry {
                solvability: entry.solvability,
                unit: entry.unit && pivot.unit,
                values: std::array::from_fn(|k| entry.values[k] / pivot.values[k]),
            };
            self.count_multiplier(pivot, factor, size, height);
            tick(1 + pivot_row.len());
            for &(column, above) in &pivot_row {
                let counted = self.is_counted(row, column, partner);
                self.update(row, column, factor, above, size, counted);
            }
            self.enqueue_row(row);
        }
        for &(column, _) in &pivot_row {
            self.enqueue_column(column);
        }
    }

    /// Subtracts `factor * above` from an entry.
    fn update(&mut self, row: u32, column: u32, factor: Entry, above: Entry, pivot_size: u64, counted: bool) {
        let (height, width) = (self.row[row as usize].size, self.column[column as usize].size);
        let products = if counted { height * width * pivot_size } else { 0 };
        let sampled = self.problem.values.is_some();
        let products_at: [f64; POINTS] = std::array::from_fn(|k| factor.values[k] * above.values[k]);
        let trivial = pivot_size == 1 && (factor.unit || above.unit);
        self.operations.mul += if trivial { 0 } else { products };
        match self.entries.get_mut(&key(row, column)) {
            Some(entry) => {
                self.operations.add += products;
                if std::mem::replace(&mut entry.unit, false) {
                    self.row[row as usize].plain += width;
                    self.column[column as usize].plain += height;
                }
                let before = entry.values;
                entry.values = std::array::from_fn(|k| before[k] - products_at[k]);
                let made_of = std::array::from_fn(|k| before[k].abs().max(products_at[k].abs()));
                entry.solvability = match (entry.solvability, self.problem.updated) {
                    (Solvability::Never, _) => Solvability::Never,
                    _ if sampled => Entry::judge(entry.values, made_of),
                    (_, Updated::Unproven) => Solvability::LinearUnsafe,
                    (known, Updated::Trusted) => known,
                };
            }
            None => {
                self.operations.add += products - products / pivot_size;
                self.fill += height * width;
                let worst = factor.solvability.max(above.solvability);
                let values = products_at.map(|x| -x);
                let solvability = match SolvabilitySet::SAFE.contains(worst) {
                    true => worst,
                    false if sampled => Entry::judge(values, [0.0; POINTS]),
                    false => Solvability::LinearUnsafe,
                };
                let unit = factor.unit && above.unit;
                self.entries.insert(key(row, column), Entry { solvability, unit, values });
                self.row[row as usize].crosses.push(column);
                self.column[column as usize].crosses.push(row);
                self.row[row as usize].width += width;
                self.column[column as usize].width += height;
                if !unit {
                    self.row[row as usize].plain += width;
                    self.column[column as usize].plain += height;
                }
            }
        }
    }

    /// Factors of the pivot block itself, and its part of the right-hand side and of the solution.
    fn count_pivot(&mut self, pivot: Entry, size: u64) {
        if size == 1 {
            self.operations.mul += u64::from(!pivot.unit);
        } else {
            self.operations += Operations::dense(size);
        }
    }

    /// `x -= above * x(column)`; a pivot block is also applied to the blocks beside it.
    fn count_back_substitution(&mut self, above: Entry, size: u64, width: u64) {
        let triangle = size * (size - 1) / 2;
        self.operations.mul += if size == 1 && above.unit { 0 } else { size * width } + triangle * width;
        self.operations.add += size * width + triangle * width;
    }

    /// The multipliers of a row, and its right-hand side.
    fn count_multiplier(&mut self, pivot: Entry, factor: Entry, size: u64, height: u64) {
        let division = if size == 1 && pivot.unit { 0 } else { height * size * (size + 1) / 2 };
        let right_hand_side = if size == 1 && factor.unit { 0 } else { height * size };
        self.operations.mul += division + right_hand_side;
        self.operations.add += height * size * (size - 1) / 2 + height * size;
    }

    fn dequeue_row(&mut self, row: u32) {
        self.row_queue.remove(&(self.row[row as usize].width, row));
    }

    fn dequeue_column(&mut self, column: u32) {
        self.column_queue.remove(&(self.column[column as usize].width, column));
    }

    fn enqueue_row(&mut self, row: u32) {
        if self.row[row as usize].is_pivotal() {
            self.row_queue.insert((self.row[row as usize].width, row));
        }
    }

    fn enqueue_column(&mut self, column: u32) {
        if self.column[column as usize].is_pivotal() {
            self.column_queue.insert((self.column[column as usize].width, column));
        }
    }

    fn finish(self, zero_pivot: Option<Assignment>) -> Elimination {
        let core_eqns: Vec<Eqn> =
            (0..self.row.len()).filter(|r| self.row[*r].alive).map(Eqn::from_index).collect();
        let core_vars: Vec<Var> =
            (0..self.column.len()).filter(|c| self.column[*c].alive).map(Var::from_index).collect();
        let core_entries =
            core_eqns.iter().map(|eqn| self.row[eqn.index()].width * self.row[eqn.index()].size).sum();
        let core_size = core_eqns.iter().map(|eqn| self.row[eqn.index()].size).sum();
        Elimination {
            pivots: self.pivots,
            core_eqns,
            core_vars,
            core_size,
            core_entries,
            fill: self.fill,
            operations: self.operations,
            zero_pivot,
        }
    }
}

/// The entries a pivot updates.
fn updates(row: &Line, column: &Line) -> u64 {
    (row.width - row.size) * (column.width - column.size)
}

/// Multiplications of a pivot, estimated from the lengths of its row and column: factors ±1 are free.
fn multiplications(row: &Line, column: &Line, unit: bool) -> u64 {
    let own = if unit { 0 } else { row.size };
    let (row_plain, column_plain) = (row.plain - own, column.plain - own);
    let factors = if unit { column_plain } else { column.width - column.size };
    row_plain * factors + row_plain + factors + if unit { 0 } else { factors + 1 }
}

/// Forgets dead lines if they are in the majority.
fn clean(line: &mut Line, others: &[Line]) {
    if line.crosses.len() as u64 > 2 * line.width + 4 {
        tick(line.crosses.len());
        line.crosses.retain(|other| others[*other as usize].alive);
    }
}

fn key(row: u32, column: u32) -> u64 {
    u64::from(row) << 32 | u64::from(column)
}

/// The living lines that a line crosses, except one; the line is read for the last time.
fn take_others(lines: &mut [Line], others: &[Line], line: u32, except: u32) -> Vec<u32> {
    let mut crosses = std::mem::take(&mut lines[line as usize].crosses);
    tick(crosses.len());
    crosses.retain(|other| *other != except && others[*other as usize].alive);
    crosses.sort_unstable();
    crosses
}
