//! An elimination order with little fill: approximate minimum degree.
//!
//! The graph is that of `A + Aᵀ` after its rows have been matched to its columns. Each step eliminates a
//! variable whose (approximate) number of neighbours is smallest and replaces it by an *element*, the clique
//! of its neighbours; elements inside the new one are absorbed. Degrees are bounded as in Amestoy, Davis &
//! Duff, *An approximate minimum degree ordering algorithm* (SIAM J. Matrix Anal. Appl. 17, 1996), and
//! variables that have become indistinguishable are eliminated together. Nearly dense rows are set aside and
//! come last. Ties are broken by index, so the order is reproducible.

use super::Pattern;

const NONE: u32 = u32::MAX;

/// The columns of the matrix in the order of their elimination.
///
/// `row_of[j]` is the row matched to column `j`; an entry in row `i` couples column `j` to the column row `i`
/// is matched to.
pub(super) fn minimum_degree(pattern: &Pattern, row_of: &[u32]) -> Vec<u32> {
    let mut graph = Graph::new(pattern, row_of);
    graph.set_dense_rows_aside();
    while let Some(pivot) = graph.buckets.pop_smallest() {
        graph.eliminate(pivot);
    }
    graph.order.append(&mut graph.last);
    graph.order
}

/// Variables in doubly linked lists by degree.
struct Buckets {
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    degree: Vec<u32>,
    smallest: usize,
}

impl Buckets {
    fn new(n: usize) -> Self {
        Buckets {
            head: vec![NONE; n + 1],
            next: vec![NONE; n],
            previous: vec![NONE; n],
            degree: vec![0; n],
            smallest: 0,
        }
    }

    fn insert(&mut self, i: u32, degree: usize) {
        let first = self.head[degree];
        self.degree[i as usize] = degree as u32;
        self.next[i as usize] = first;
        self.previous[i as usize] = NONE;
        if first != NONE {
            self.previous[first as usize] = i;
        }
        self.head[degree] = i;
        self.smallest = self.smallest.min(degree);
    }

    fn remove(&mut self, i: u32) {
        let (before, after) = (self.previous[i as usize], self.next[i as usize]);
        if before == NONE {
            self.head[self.degree[i as usize] as usize] = after;
        } else {
            self.next[before as usize] = after;
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
    }

    fn pop_smallest(&mut self) -> Option<u32> {
        while self.smallest < self.head.len() {
            let i = self.head[self.smallest];
            if i != NONE {
                self.remove(i);
                return Some(i);
            }
            self.smallest += 1;
        }
        None
    }
}

/// The quotient graph.
struct Graph {
    /// Neighbouring variables that no element covers.
    variables: Vec<Vec<u32>>,
    /// Elements a variable belongs to.
    elements: Vec<Vec<u32>>,
    /// Variables of an element, indexed by the pivot that made it; empty once absorbed.
    members: Vec<Vec<u32>>,
    /// Number of columns an element's members stand for. It never changes: a member that is eliminated takes
    /// the element with it, one that is merged leaves its weight to another member.
    element_weight: Vec<u32>,
    /// Number of columns a variable stands for; zero when eliminated, merged or set aside.
    weight: Vec<u32>,
    /// Columns merged into a variable.
    merged: Vec<Vec<u32>>,
    buckets: Buckets,
    /// `mark[i] == stamp`: member of the element being made.
    mark: Vec<u64>,
    stamp: u64,
    /// Weight of the part of an element outside the new one, valid where `outside_stamp` is current.
    outside: Vec<u32>,
    outside_stamp: Vec<u64>,
    remaining: usize,
    order: Vec<u32>,
    last: Vec<u32>,
}

impl Graph {
    fn new(pattern: &Pattern, row_of: &[u32]) -> Self {
        let n = pattern.n();
        let mut column_of = vec![0u32; n];
        for (j, &i) in row_of.iter().enumerate() {
            column_of[i as usize] = j as u32;
        }
        let mut variables = vec![Vec::new(); n];
        for (row, j) in pattern.iter() {
            let i = column_of[row] as usize;
            if i != j {
                variables[i].push(j as u32);
                variables[j].push(i as u32);
            }
        }
        for list in &mut variables {
            list.sort_unstable();
            list.dedup();
        }
        Graph {
            variables,
            elements: vec![Vec::new(); n],
            members: vec![Vec::new(); n],
            element_weight: vec![0; n],
            weight: vec![1; n],
            merged: vec![Vec::new(); n],
            buckets: Buckets::new(n),
            mark: vec![0; n],
            stamp: 0,
            outside: vec![0; n],
            outside_stamp: vec![0; n],
            remaining: n,
            order: Vec::with_capacity(n),
            last: Vec::new(),
        }
    }

    /// Rows with more than `10 √n` neighbours would make every degree update expensive and tell nothing.
    fn set_dense_rows_aside(&mut self) {
        let n = self.weight.len();
        let limit = (10.0 * (n as f64).sqrt()).max(16.0) as usize;
        for i in 0..n {
            if self.variables[i].len() > limit {
                self.weight[i] = 0;
                self.last.push(i as u32);
            }
        }
        self.remaining = n - self.last.len();
        if !self.last.is_empty() {
            for i in 0..n {
                let weight = &self.weight;
                self.variables[i].retain(|&v| weight[v as usize] > 0);
            }
        }
        // Inserted backwards, so that equal degrees come off the lists in the order of their index.
        for i in (0..n).rev() {
            if self.weight[i] > 0 {
                let degree = self.variables[i].len();
                self.buckets.insert(i as u32, degree);
            }
        }
    }

    fn eliminate(&mut self, pivot: u32) {
        let boundary = self.make_element(pivot);
        self.measure_overlaps(&boundary);
        let weight_of_element: u32 = boundary.iter().map(|&i| self.weight[i as usize]).sum();
        self.emit(pivot);
        for &i in &boundary {
            self.buckets.remove(i);
            self.prune(i, pivot);
        }
        self.merge_indistinguishable(&boundary);
        let mut members = boundary;
        members.retain(|&i| self.weight[i as usize] > 0);
        for &i in members.iter().rev() {
            let degree = self.approximate_degree(i, pivot, weight_of_element);
            self.buckets.insert(i, degree);
        }
        self.members[pivot as usize] = members;
        self.element_weight[pivot as usize] = weight_of_element;
    }

    /// The variables around the pivot: its own and those of its elements, which are absorbed. Leaves them
    /// marked.
    fn make_element(&mut self, pivot: u32) -> Vec<u32> {
        let p = pivot as usize;
        self.stamp += 1;
        self.mark[p] = self.stamp;
        let mut boundary = std::mem::take(&mut self.variables[p]);
        boundary.retain(|&i| self.weight[i as usize] > 0);
        for &i in &boundary {
            self.mark[i as usize] = self.stamp;
        }
        for e in std::mem::take(&mut self.elements[p]) {
            for i in std::mem::take(&mut self.members[e as usize]) {
                if self.weight[i as usize] > 0 && self.mark[i as usize] != self.stamp {
                    self.mark[i as usize] = self.stamp;
                    boundary.push(i);
                }
            }
        }
        boundary
    }

    /// For every element that meets the new one, the weight of its part outside.
    fn measure_overlaps(&mut self, boundary: &[u32]) {
        for &i in boundary {
            for &e in &self.elements[i as usize] {
                let e = e as usize;
                if self.outside_stamp[e] != self.stamp {
                    self.outside_stamp[e] = self.stamp;
                    self.outside[e] = self.element_weight[e];
                }
                self.outside[e] = self.outside[e].saturating_sub(self.weight[i as usize]);
            }
        }
    }

    fn emit(&mut self, pivot: u32) {
        let p = pivot as usize;
        self.remaining -= self.weight[p] as usize;
        self.weight[p] = 0;
        self.order.push(pivot);
        let merged = std::mem::take(&mut self.merged[p]);
        self.order.extend(merged);
    }

    /// Drops what the new element covers: absorbed elements, elements inside it, and variables inside it.
    fn prune(&mut self, i: u32, pivot: u32) {
        let i = i as usize;
        let mut elements = std::mem::take(&mut self.elements[i]);
        elements.retain(|&e| {
            let e = e as usize;
            let inside = self.outside_stamp[e] == self.stamp && self.outside[e] == 0;
            if inside {
                self.members[e].clear();
            }
            !self.members[e].is_empty()
        });
        elements.push(pivot);
        self.elements[i] = elements;
        let (mark, weight, stamp) = (&self.mark, &self.weight, self.stamp);
        self.variables[i].retain(|&v| mark[v as usize] != stamp && weight[v as usize] > 0);
    }

    /// Merges variables of the new element that have the same neighbours.
    fn merge_indistinguishable(&mut self, boundary: &[u32]) {
        let mut keyed: Vec<(u64, u32)> = boundary
            .iter()
            .map(|&i| {
                let lists = self.variables[i as usize].iter().chain(&self.elements[i as usize]);
                let sum = lists.fold(0u64, |sum, &v| sum.wrapping_add(u64::from(v) + 1));
                let lengths = (self.variables[i as usize].len() as u64) << 48
                    ^ (self.elements[i as usize].len() as u64) << 32;
                (sum ^ lengths, i)
            })
            .collect();
        keyed.sort_unstable();
        for start in 0..keyed.len() {
            let (key, i) = keyed[start];
            if self.weight[i as usize] == 0 {
                continue;
            }
            for &(other_key, j) in &keyed[start + 1..] {
                if other_key != key {
                    break;
                }
                if self.weight[j as usize] > 0 && self.same_neighbours(i as usize, j as usize) {
                    self.merge(i as usize, j as usize);
                }
            }
        }
    }

    fn same_neighbours(&self, i: usize, j: usize) -> bool {
        // Both lists only ever shrink or grow at the end in the same order, so equal sets are equal lists up
        // to order of the elements.
        let same = |a: &[u32], b: &[u32]| a.len() == b.len() && a.iter().all(|v| b.contains(v));
        same(&self.elements[i], &self.elements[j]) && same(&self.variables[i], &self.variables[j])
    }

    fn merge(&mut self, i: usize, j: usize) {
        self.weight[i] += self.weight[j];
        self.weight[j] = 0;
        let more = std::mem::take(&mut self.merged[j]);
        self.merged[i].push(j as u32);
        self.merged[i].extend(more);
        self.variables[j] = Vec::new();
        self.elements[j] = Vec::new();
    }

    /// An upper bound of the number of columns coupled to `i`.
    fn approximate_degree(&self, i: u32, pivot: u32, weight_of_element: u32) -> usize {
        let i = i as usize;
        let own = self.weight[i];
        let mut degree = (weight_of_element - own) as usize;
        for &v in &self.variables[i] {
            degree += self.weight[v as usize] as usize;
        }
        for &e in &self.elements[i] {
            if e != pivot {
                let e = e as usize;
                degree += if self.outside_stamp[e] == self.stamp { self.outside[e] as usize } else { 0 };
            }
        }
        degree.min(self.remaining.saturating_sub(own as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::testing::Random;

    fn natural(n: usize) -> Vec<u32> {
        (0..n as u32).collect()
    }

    /// Entries of the Cholesky factor of the symmetrised pattern in this order, by brute force.
    fn fill(pattern: &Pattern, order: &[u32]) -> usize {
        let n = pattern.n();
        let mut adjacent = vec![std::collections::BTreeSet::new(); n];
        for (i, j) in pattern.iter() {
            if i != j {
                adjacent[i].insert(j);
                adjacent[j].insert(i);
            }
        }
        let mut count = 0;
        for &p in order {
            let neighbours: Vec<usize> = std::mem::take(&mut adjacent[p as usize]).into_iter().collect();
            count += neighbours.len();
            for &a in &neighbours {
                adjacent[a].remove(&(p as usize));
                adjacent[a].extend(neighbours.iter().filter(|&&b| b != a));
            }
        }
        count
    }

    /// The oracle: true degrees, ties by index.
    fn exact_minimum_degree(pattern: &Pattern) -> Vec<u32> {
        let n = pattern.n();
        let mut adjacent = vec![std::collections::BTreeSet::new(); n];
        for (i, j) in pattern.iter().filter(|(i, j)| i != j) {
            adjacent[i].insert(j);
            adjacent[j].insert(i);
        }
        let mut left: std::collections::BTreeSet<usize> = (0..n).collect();
        let mut order = Vec::new();
        while let Some(&p) = left.iter().min_by_key(|&&i| adjacent[i].len()) {
            left.remove(&p);
            order.push(p as u32);
            let neighbours: Vec<usize> = std::mem::take(&mut adjacent[p]).into_iter().collect();
            for &a in &neighbours {
                adjacent[a].remove(&p);
                adjacent[a].extend(neighbours.iter().filter(|&&b| b != a));
            }
        }
        order
    }

    fn check_permutation(order: &[u32], n: usize) {
        let mut seen = vec![false; n];
        for &j in order {
            assert!(!std::mem::replace(&mut seen[j as usize], true));
        }
        assert_eq!(order.len(), n);
    }

    #[test]
    fn an_arrow_is_eliminated_without_fill() {
        for n in [1, 2, 30, 5000] {
            let arrow = (0..n).flat_map(|j| [(j, j), (0, j), (j, 0)]);
            let pattern = Pattern::new(n, arrow);
            let order = minimum_degree(&pattern, &natural(n));
            check_permutation(&order, n);
            if n <= 30 {
                assert_eq!(fill(&pattern, &order), n - 1);
            }
        }
    }

    #[test]
    fn a_grid_has_little_fill() {
        let side = 20;
        let n = side * side;
        let at = |i: usize, j: usize| i * side + j;
        let mut entries = Vec::new();
        for i in 0..side {
            for j in 0..side {
                entries.push((at(i, j), at(i, j)));
                if i + 1 < side {
                    entries.push((at(i, j), at(i + 1, j)));
                }
                if j + 1 < side {
                    entries.push((at(i, j), at(i, j + 1)));
                }
            }
        }
        let pattern = Pattern::new(n, entries);
        let order = minimum_degree(&pattern, &natural(n));
        check_permutation(&order, n);
        let exact = fill(&pattern, &exact_minimum_degree(&pattern));
        let ours = fill(&pattern, &order);
        assert!(ours <= exact * 11 / 10 && 2 * ours < fill(&pattern, &natural(n)), "{ours} {exact}");
    }

    #[test]
    fn random_graphs_are_permuted_reproducibly() {
        let mut random = Random::new(9);
        for n in [1, 3, 20, 120] {
            for density in [1, 2, 6] {
                let entries: Vec<_> = (0..density * n).map(|_| (random.below(n), random.below(n))).collect();
                let pattern = Pattern::new(n, entries.into_iter().chain((0..n).map(|j| (j, j))));
                let order = minimum_degree(&pattern, &natural(n));
                check_permutation(&order, n);
                assert_eq!(order, minimum_degree(&pattern, &natural(n)));
                assert!(fill(&pattern, &order) <= fill(&pattern, &natural(n)).max(n));
            }
        }
    }
}
