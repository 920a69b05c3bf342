//! Tearing by contraction: reduce the block as long as a smallest tearing set is not lost, then choose, and again.
//!
//! Rows are equations, columns variables; an entry is *usable* if the row may be solved for the column. The reductions, each
//! with its mirror image for columns (exchanging rows and columns turns a tearing into a tearing with tearing variables
//! and residuals exchanged and the sequence reversed):
//!
//! - a row without usable entries is a residual; a column without usable entries is torn;
//! - a row with one entry, usable, is solved at once; a column with one entry, usable, is solved last;
//! - a row with two usable entries makes either column follow from the other: the columns become one;
//! - a row with two entries of which one is usable, in a column that has no other usable entry, makes that column follow from the
//!   other one: it is merged into it.
//!
//! If both of two merged columns occur in a row, the row cannot be solved for the merged column: the entry becomes
//! unusable. Each reduction keeps at least one tearing set of least weight: wherever the pair that is merged away were
//! torn or residual, the other one can take its place at no more cost. With unequal weights the mirrored rules hold only when the
//! column that is merged away is at least as heavy as those that may take its place, and are applied only then.
//!
//! On a block in which each row is usable for one column only, these are the reductions of H. Levy and D. W. Low (*A contraction
//! algorithm for finding small cycle cutsets*, J. Algorithms 9, 1988) for directed graphs: self-loop, no predecessor, no
//! successor, one predecessor, one successor.
//!
//! Entries live in a hash table, rows and columns in lists that are cleaned when read, and the shorter list is merged
//! into the longer one: almost linear in the number of entries. Nothing iterates over the hash table.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

use crate::ids::{Edge, Id, IdVec, Var};
use crate::incidence::Incidence;
use crate::tearing::FORBIDDEN;
use crate::tearing::exact::Core;
use crate::work::tick;

/// How a tearing variable is chosen when no reduction applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The variable that occurs in most equations; among the first few, the one in the shortest equations.
    MostEquations,
    /// Of the variables in a shortest equation, the one that shortens most other short equations.
    ShortestEquation,
}

/// Either side of the graph: the same rules work on rows and on columns.
#[derive(Clone, Debug, Default)]
struct Side {
    neighbours: Vec<Vec<u32>>,
    representative: Vec<u32>,
    alive: Vec<bool>,
    len: Vec<u32>,
    usable: Vec<u32>,
    /// The exclusive or of the neighbours along usable entries: the only one when there is one.
    usable_mix: Vec<u32>,
    queued: Vec<bool>,
    /// The neighbour that was last told that it is the only usable one.
    announced: Vec<u32>,
    stamp: Vec<u32>,
    clock: u32,
    count: usize,
}

impl Side {
    fn new(count: usize) -> Side {
        Side {
            neighbours: vec![Vec::new(); count],
            representative: (0..count as u32).collect(),
            alive: vec![true; count],
            len: vec![0; count],
            usable: vec![0; count],
            usable_mix: vec![0; count],
            queued: vec![true; count],
            announced: vec![NOBODY; count],
            stamp: vec![0; count],
            clock: 0,
            count,
        }
    }

    fn add_usable(&mut self, node: u32, neighbour: u32) {
        self.usable[node as usize] += 1;
        self.usable_mix[node as usize] ^= neighbour;
    }

    fn drop_usable(&mut self, node: u32, neighbour: u32) {
        self.usable[node as usize] -= 1;
        self.usable_mix[node as usize] ^= neighbour;
    }

    /// The neighbour along the only usable entry, if there is only one and it has not been told yet.
    fn news(&mut self, node: u32) -> Option<u32> {
        let n = node as usize;
        if self.usable[n] != 1 {
            self.announced[n] = NOBODY;
            return None;
        }
        let only = self.usable_mix[n];
        (std::mem::replace(&mut self.announced[n], only) != only).then_some(only)
    }

    fn find(&mut self, node: u32) -> u32 {
        let mut root = node;
        while self.representative[root as usize] != root {
            root = self.representative[root as usize];
        }
        let mut walk = node;
        while self.representative[walk as usize] != root {
            walk = std::mem::replace(&mut self.representative[walk as usize], root);
        }
        root
    }
}

/// A block being contracted.
#[derive(Clone, Debug)]
pub struct Contraction {
    rows: Side,
    columns: Side,
    entries: FxHashMap<u64, bool>,
    /// The member of each column that is torn if the column is, with its weight.
    member: Vec<(u32, Var)>,
    /// No column of the row weighs more.
    row_heaviest: Vec<u32>,
    queue: VecDeque<(bool, u32)>,
    torn: Vec<Var>,
    candidates: BinaryHeap<(u64, Reverse<u32>)>,
    choice: Option<Choice>,
}

const NOBODY: u32 = u32::MAX;
const ROW: bool = true;
const COLUMN: bool = false;

impl Contraction {
    /// A block, the edges along which equations may be solved, and what tearing each variable costs.
    pub fn new(
        incidence: &Incidence,
        usable: impl Fn(Edge) -> bool,
        weight: &IdVec<Var, u32>,
    ) -> Contraction {
        let mut rows = Side::new(incidence.eqn_count());
        let mut columns = Side::new(incidence.var_count());
        let mut row_heaviest = vec![0; incidence.eqn_count()];
        let mut entries = FxHashMap::with_capacity_and_hasher(incidence.edge_count(), Default::default());
        for o in incidence.occurrences() {
            let (row, column) = (o.eqn.index(), o.var.index());
            let is_usable = usable(o.edge);
            entries.insert(key(o.eqn.0, o.var.0), is_usable);
            rows.neighbours[row].push(o.var.0);
            columns.neighbours[column].push(o.eqn.0);
            rows.len[row] += 1;
            columns.len[column] += 1;
            row_heaviest[row] = row_heaviest[row].max(weight[o.var]);
            if is_usable {
                rows.add_usable(o.eqn.0, o.var.0);
                columns.add_usable(o.var.0, o.eqn.0);
            }
        }
        tick(incidence.edge_count());
        let queue = (0..incidence.eqn_count() as u32)
            .map(|row| (ROW, row))
            .chain((0..incidence.var_count() as u32).map(|column| (COLUMN, column)))
            .collect();
        let member = weight.iter().map(|(var, weight)| (*weight, var)).collect();
        Contraction {
            rows,
            columns,
            entries,
            member,
            row_heaviest,
            queue,
            torn: Vec::new(),
            candidates: BinaryHeap::new(),
            choice: None,
        }
    }

    /// The variables torn so far.
    pub fn torn(&self) -> &[Var] {
        &self.torn
    }

    /// Whether no variable is left.
    pub fn is_empty(&self) -> bool {
        self.columns.count == 0
    }

    /// The number of rows or columns left, whichever is larger.
    pub fn size(&self) -> usize {
        self.rows.count.max(self.columns.count)
    }

    /// Applies reductions until none applies.
    pub fn reduce(&mut self) {
        while let Some((is_row, node)) = self.queue.pop_front() {
            tick(1);
            let side = if is_row { &mut self.rows } else { &mut self.columns };
            side.queued[node as usize] = false;
            if !side.alive[node as usize] {
                continue;
            }
            if is_row {
                self.reduce_row(node);
            } else {
                self.reduce_column(node);
            }
        }
    }

    /// Reduces and chooses until every variable is torn or follows.
    pub fn finish(&mut self, choice: Choice) {
        self.reduce();
        self.choice = Some(choice);
        match choice {
            Choice::MostEquations => (0..self.columns.alive.len() as u32).for_each(|c| self.offer_column(c)),
            Choice::ShortestEquation => (0..self.rows.alive.len() as u32).for_each(|r| self.offer_row(r)),
        }
        while self.columns.count > 0 {
            let picked = match choice {
                Choice::MostEquations => self.pick_column(),
                Choice::ShortestEquation => self.pick_in_shortest_row(),
            };
            let Some(column) = picked else { break };
            self.tear(column);
            self.reduce();
        }
    }

    /// What is left, for an exact search.
    pub fn core(&mut self) -> Core {
        let mut number = vec![0usize; self.columns.alive.len()];
        let mut core = Core { rows: Vec::new(), weight: Vec::new(), var: Vec::new() };
        for column in (0..self.columns.alive.len()).filter(|c| self.columns.alive[*c]) {
            number[column] = core.var.len();
            core.weight.push(self.member[column].0);
            core.var.push(self.member[column].1);
        }
        for row in 0..self.rows.alive.len() as u32 {
            if self.rows.alive[row as usize] {
                let columns = self.columns_of(row);
                core.rows.push(
                    columns
                        .iter()
                        .map(|column| (number[*column as usize], self.entries[&key(row, *column)]))
                        .collect(),
                );
            }
        }
        core
    }

    fn reduce_row(&mut self, row: u32) {
        let (len, usable) = (self.rows.len[row as usize], self.rows.usable[row as usize]);
        if usable == 0 {
            self.remove_row(row);
            return;
        }
        if len <= 2 {
            let columns = self.columns_of(row);
            if let [column] = columns[..] {
                self.remove_row(row);
                self.remove_column(column);
                return;
            }
            if let [a, b] = columns[..] {
                let (a_usable, b_usable) = (self.entries[&key(row, a)], self.entries[&key(row, b)]);
                let (follows, other) = if a_usable { (a, b) } else { (b, a) };
                if a_usable && b_usable {
                    self.remove_row(row);
                    let member = self.member[a as usize].min(self.member[b as usize]);
                    self.merge_columns(a, b, member);
                    return;
                }
                let no_heavier = self.member[other as usize].0 <= self.member[follows as usize].0;
                if self.columns.usable[follows as usize] == 1 && no_heavier {
                    self.remove_row(row);
                    let member = self.member[other as usize];
                    self.merge_columns(follows, other, member);
                    return;
                }
            }
        }
        if let Some(column) = self.rows.news(row) {
            self.touch(COLUMN, column);
        }
        self.offer_row(row);
    }

    fn reduce_column(&mut self, column: u32) {
        let (len, usable) = (self.columns.len[column as usize], self.columns.usable[column as usize]);
        if usable == 0 {
            self.tear(column);
            return;
        }
        if len <= 2 {
            let rows = self.rows_of(column);
            if let [row] = rows[..]
                && self.is_heaviest_in(column, &[row])
            {
                self.remove_row(row);
                self.remove_column(column);
                return;
            }
            if let [a, b] = rows[..] {
                let (a_usable, b_usable) = (self.entries[&key(a, column)], self.entries[&key(b, column)]);
                let (only, other) = if a_usable { (a, b) } else { (b, a) };
                let may_merge = if a_usable && b_usable {
                    self.is_heaviest_in(column, &[a, b])
                } else {
                    self.rows.usable[only as usize] == 1 && self.is_heaviest_in(column, &[other])
                };
                if may_merge {
                    self.remove_column(column);
                    self.merge_rows(a, b);
                    return;
                }
            }
        }
        if let Some(row) = self.columns.news(column) {
            self.touch(ROW, row);
        }
        self.offer_column(column);
    }

    /// Whether no other usable column of these rows weighs more. Long rows are not searched: "no" is always safe.
    fn is_heaviest_in(&mut self, column: u32, rows: &[u32]) -> bool {
        const LONG: u32 = 64;
        let weight = self.member[column as usize].0;
        rows.iter().all(|row| {
            if weight >= self.row_heaviest[*row as usize] {
                return true;
            }
            self.rows.len[*row as usize] <= LONG && {
                let columns = self.columns_of(*row);
                columns.iter().all(|other| {
                    !self.entries[&key(*row, *other)] || self.member[*other as usize].0 <= weight
                })
            }
        })
    }

    fn tear(&mut self, column: u32) {
        self.torn.push(self.member[column as usize].1);
        self.remove_column(column);
    }

    fn remove_row(&mut self, row: u32) {
        for column in self.columns_of(row) {
            if self.entries.remove(&key(row, column)) == Some(true) {
                self.columns.drop_usable(column, row);
            }
            self.columns.len[column as usize] -= 1;
            self.touch(COLUMN, column);
        }
        self.rows.alive[row as usize] = false;
        self.rows.neighbours[row as usize] = Vec::new();
        self.rows.count -= 1;
    }

    fn remove_column(&mut self, column: u32) {
        for row in self.rows_of(column) {
            if self.entries.remove(&key(row, column)) == Some(true) {
                self.rows.drop_usable(row, column);
            }
            self.rows.len[row as usize] -= 1;
            self.touch(ROW, row);
        }
        self.columns.alive[column as usize] = false;
        self.columns.neighbours[column as usize] = Vec::new();
        self.columns.count -= 1;
    }

    fn merge_columns(&mut self, a: u32, b: u32, member: (u32, Var)) {
        let (small, large) =
            if self.columns.len[a as usize] <= self.columns.len[b as usize] { (a, b) } else { (b, a) };
        let (s, l) = (small as usize, large as usize);
        for row in self.rows_of(small) {
            let usable = self.entries.remove(&key(row, small)).unwrap_or(false);
            if usable {
                self.rows.drop_usable(row, small);
            }
            match self.entries.get_mut(&key(row, large)) {
                Some(both) => {
                    self.rows.len[row as usize] -= 1;
                    if std::mem::replace(both, false) {
                        self.rows.drop_usable(row, large);
                        self.columns.drop_usable(large, row);
                    }
                    self.touch(ROW, row);
                }
                None => {
                    self.entries.insert(key(row, large), usable);
                    self.columns.len[l] += 1;
                    self.columns.neighbours[l].push(row);
                    if usable {
                        self.rows.add_usable(row, large);
                        self.columns.add_usable(large, row);
                        self.touch(ROW, row);
                    }
                }
            }
        }
        // The merged column weighs no more than either of the two, so the bounds of the rows still hold.
        self.columns.alive[s] = false;
        self.columns.representative[s] = large;
        self.columns.neighbours[s] = Vec::new();
        self.columns.count -= 1;
        self.columns.announced[l] = NOBODY;
        self.member[l] = member;
        self.touch(COLUMN, large);
    }

    fn merge_rows(&mut self, a: u32, b: u32) {
        let (small, large) =
            if self.rows.len[a as usize] <= self.rows.len[b as usize] { (a, b) } else { (b, a) };
        let (s, l) = (small as usize, large as usize);
        for column in self.columns_of(small) {
            let usable = self.entries.remove(&key(small, column)).unwrap_or(false);
            if usable {
                self.columns.drop_usable(column, small);
            }
            match self.entries.get_mut(&key(large, column)) {
                Some(both) => {
                    self.columns.len[column as usize] -= 1;
                    if std::mem::replace(both, false) {
                        self.columns.drop_usable(column, large);
                        self.rows.drop_usable(large, column);
                    }
                    self.touch(COLUMN, column);
                }
                None => {
                    self.entries.insert(key(large, column), usable);
                    self.rows.len[l] += 1;
                    self.rows.neighbours[l].push(column);
                    if usable {
                        self.columns.add_usable(column, large);
                        self.rows.add_usable(large, column);
                        self.touch(COLUMN, column);
                    }
                }
            }
        }
        self.row_heaviest[l] = self.row_heaviest[l].max(self.row_heaviest[s]);
        self.rows.alive[s] = false;
        self.rows.representative[s] = large;
        self.rows.neighbours[s] = Vec::new();
        self.rows.count -= 1;
        self.rows.announced[l] = NOBODY;
        self.touch(ROW, large);
    }

    fn touch(&mut self, is_row: bool, node: u32) {
        let side = if is_row { &mut self.rows } else { &mut self.columns };
        if !std::mem::replace(&mut side.queued[node as usize], true) {
            self.queue.push_back((is_row, node));
        }
    }

    fn columns_of(&mut self, row: u32) -> Vec<u32> {
        live(&mut self.rows, &mut self.columns, row)
    }

    /// Up to `limit` living columns of a row, without reading all of a long row.
    fn some_columns_of(&mut self, row: u32, limit: usize) -> Vec<u32> {
        let list = &mut self.rows.neighbours[row as usize];
        let mut found: Vec<u32> = Vec::new();
        let mut k = list.len();
        while k > 0 && found.len() < limit {
            tick(1);
            k -= 1;
            let column = self.columns.find(list[k]);
            if self.columns.alive[column as usize] && !found.contains(&column) {
                found.push(column);
            } else {
                // What is moved here from the end has been looked at already.
                list.swap_remove(k);
            }
        }
        found
    }

    fn rows_of(&mut self, column: u32) -> Vec<u32> {
        live(&mut self.columns, &mut self.rows, column)
    }

    fn offer_column(&mut self, column: u32) {
        if self.choice == Some(Choice::MostEquations) && self.columns.alive[column as usize] {
            self.candidates.push((self.column_key(column), Reverse(column)));
        }
    }

    fn offer_row(&mut self, row: u32) {
        if self.choice == Some(Choice::ShortestEquation) && self.rows.alive[row as usize] {
            self.candidates.push((self.row_key(row), Reverse(row)));
        }
    }

    /// More equations first, per weight; forbidden columns last.
    fn column_key(&self, column: u32) -> u64 {
        match self.member[column as usize].0 {
            FORBIDDEN => 0,
            weight => u64::from(self.columns.len[column as usize]) * 0x1_0000_0000 / u64::from(weight.max(1)),
        }
    }

    fn row_key(&self, row: u32) -> u64 {
        u64::from(u32::MAX - self.rows.len[row as usize])
    }

    /// The best of the first few columns by number of equations.
    fn pick_column(&mut self) -> Option<u32> {
        const LOOK_AHEAD: usize = 6;
        let mut best: Option<(u64, Reverse<u32>)> = None;
        let mut looked_at: Vec<(u64, Reverse<u32>)> = Vec::new();
        while looked_at.len() < LOOK_AHEAD {
            let Some((degree, Reverse(column))) = self.candidates.pop() else { break };
            if !self.columns.alive[column as usize] || degree != self.column_key(column) {
                continue;
            }
            if looked_at.iter().any(|seen| seen.1.0 == column) {
                continue;
            }
            if looked_at.first().is_some_and(|first| degree < first.0 - first.0 / 8) {
                self.candidates.push((degree, Reverse(column)));
                break;
            }
            looked_at.push((degree, Reverse(column)));
            let candidate = (self.score(column), Reverse(column));
            best = best.max(Some(candidate));
        }
        self.candidates.extend(looked_at);
        best.map(|(_, Reverse(column))| column)
    }

    /// The best column of a shortest row.
    fn pick_in_shortest_row(&mut self) -> Option<u32> {
        const LOOK_AHEAD: usize = 32;
        while let Some((length, Reverse(row))) = self.candidates.pop() {
            if !self.rows.alive[row as usize] || length != self.row_key(row) {
                continue;
            }
            let columns = self.some_columns_of(row, LOOK_AHEAD);
            let is_forbidden = |column: &u32| self.member[*column as usize].0 == FORBIDDEN;
            let mut allowed: Vec<u32> = columns.iter().copied().filter(|c| !is_forbidden(c)).collect();
            if allowed.is_empty() {
                allowed = columns;
            }
            let best = allowed.into_iter().map(|column| (self.score(column), Reverse(column))).max();
            self.candidates.push((length, Reverse(row)));
            if let Some((_, Reverse(column))) = best {
                return Some(column);
            }
            self.candidates.pop();
        }
        // Rows with usable entries always contain columns, so what is left has no rows: tear it.
        (0..self.columns.alive.len() as u32).find(|column| self.columns.alive[*column as usize])
    }

    /// How much tearing the column would help: it shortens its rows, short ones count more, and it counts more if
    /// the column would be hard to solve for.
    fn score(&mut self, column: u32) -> u64 {
        let mut gain = 0u64;
        let mut shortest_usable = u64::from(u32::MAX);
        let rows = self.rows_of(column);
        for row in rows {
            let len = u64::from(self.rows.len[row as usize]);
            gain += match len {
                0..=2 => 16,
                3 => 8,
                4 => 4,
                5 => 2,
                _ => 1,
            };
            if self.entries[&key(row, column)] {
                shortest_usable = shortest_usable.min(len);
            }
        }
        let weight = u64::from(self.member[column as usize].0.max(1));
        gain.saturating_mul(shortest_usable.min(64)).saturating_mul(1 << 20) / weight
    }
}

fn key(row: u32, column: u32) -> u64 {
    u64::from(row) << 32 | u64::from(column)
}

/// The living neighbours of a node; the node's list is cleaned of dead and merged ones on the way.
fn live(side: &mut Side, other: &mut Side, node: u32) -> Vec<u32> {
    let mut list = std::mem::take(&mut side.neighbours[node as usize]);
    tick(list.len());
    other.clock += 1;
    list.retain_mut(|neighbour| {
        *neighbour = other.find(*neighbour);
        let n = *neighbour as usize;
        other.alive[n] && std::mem::replace(&mut other.stamp[n], other.clock) != other.clock
    });
    side.neighbours[node as usize] = list.clone();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(incidence: &Incidence) -> Contraction {
        Contraction::new(incidence, |_| true, &IdVec::filled(1, incidence.var_count()))
    }

    #[test]
    fn a_ring_of_two_variable_equations_is_reduced_to_one_tear() {
        let rows: Vec<Vec<u32>> = (0..10).map(|k| vec![k, (k + 1) % 10]).collect();
        let mut ring = contract(&Incidence::from_rows(10, &rows));
        ring.reduce();
        assert!(ring.is_empty());
        assert_eq!(ring.torn().len(), 1);
    }

    #[test]
    fn a_full_matrix_has_nothing_to_reduce_and_is_torn_but_for_one() {
        let g = Incidence::from_rows(5, &vec![vec![0, 1, 2, 3, 4]; 5]);
        for choice in [Choice::MostEquations, Choice::ShortestEquation] {
            let mut full = contract(&g);
            full.reduce();
            assert_eq!((full.size(), full.torn().len()), (5, 0));
            full.finish(choice);
            assert_eq!(full.torn().len(), 4);
        }
    }

    #[test]
    fn the_cheaper_of_two_equivalent_variables_is_torn() {
        let g = Incidence::from_rows(2, &[vec![0, 1], vec![0, 1]]);
        let mut pair = Contraction::new(&g, |_| true, &IdVec::from_vec(vec![7, 3]));
        pair.reduce();
        assert_eq!(pair.torn(), [Var(1)]);
    }
}
