//! The incidence of equations and variables: a sparse bipartite graph stored row by row and column by column.
//!
//! Built once from (equation, variable, solvability) triples and immutable afterwards. Rows are sorted by variable and
//! columns by equation; an occurrence given twice is kept once with the worse of its solvabilities. Memory is linear in
//! the number of occurrences, and every step of construction is a counting sort.
//!
//! [`Extractor`] cuts out the blocks of a large system one after the other, each in time linear in the block.

use crate::ids::{Edge, Eqn, Id, IdVec, Var};
use crate::solvability::Solvability;
use crate::work::tick;

/// A sparse bipartite graph of equations and variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incidence {
    row_start: Vec<u32>,
    row_var: Vec<Var>,
    solvability: Vec<Solvability>,
    column_start: Vec<u32>,
    column_eqn: Vec<Eqn>,
    column_edge: Vec<Edge>,
}

/// One occurrence, seen from its row or its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The edge's number.
    pub edge: Edge,
    /// The equation.
    pub eqn: Eqn,
    /// The variable.
    pub var: Var,
    /// Whether the equation may be solved for the variable.
    pub solvability: Solvability,
}

/// Collects occurrences in any order.
#[derive(Clone, Debug)]
pub struct IncidenceBuilder {
    eqns: usize,
    vars: usize,
    triples: Vec<(Eqn, Var, Solvability)>,
}

impl IncidenceBuilder {
    /// A builder for a graph of this many equations and variables and no occurrence yet.
    pub fn new(eqns: usize, vars: usize) -> Self {
        Self { eqns, vars, triples: Vec::new() }
    }

    /// The variable occurs in the equation.
    ///
    /// # Panics
    /// When an id is out of the range given to [`IncidenceBuilder::new`].
    pub fn add(&mut self, eqn: Eqn, var: Var, solvability: Solvability) -> &mut Self {
        assert!(
            eqn.index() < self.eqns && var.index() < self.vars,
            "occurrence ({eqn:?}, {var:?}) out of range"
        );
        self.triples.push((eqn, var, solvability));
        self
    }

    /// The finished graph.
    pub fn build(&self) -> Incidence {
        tick(2 * self.triples.len() + self.eqns + self.vars);
        // A stable counting sort by variable followed by one by equation sorts each row by variable.
        let by_var = counting_sort(&self.triples, self.vars, |t| t.1.index());
        let sorted = counting_sort(&by_var, self.eqns, |t| t.0.index());
        let mut row_start = Vec::with_capacity(self.eqns + 1);
        let mut row_var: Vec<Var> = Vec::with_capacity(sorted.len());
        let mut solvability: Vec<Solvability> = Vec::with_capacity(sorted.len());
        row_start.push(0);
        let mut next = 0;
        for eqn in 0..self.eqns {
            let begin = row_var.len();
            while let Some(&(_, var, s)) = sorted.get(next).filter(|t| t.0.index() == eqn) {
                next += 1;
                if row_var.len() > begin && row_var.last() == Some(&var) {
                    let last = solvability.len() - 1;
                    solvability[last] = solvability[last].max(s);
                } else {
                    row_var.push(var);
                    solvability.push(s);
                }
            }
            row_start.push(row_var.len() as u32);
        }
        Incidence::from_rows_csr(row_start, row_var, solvability, self.vars)
    }
}

fn counting_sort<T: Copy>(items: &[T], keys: usize, key: impl Fn(&T) -> usize) -> Vec<T> {
    let mut start = vec![0u32; keys + 1];
    for item in items {
        start[key(item) + 1] += 1;
    }
    for k in 0..keys {
        start[k + 1] += start[k];
    }
    let Some(&filler) = items.first() else { return Vec::new() };
    let mut sorted = vec![filler; items.len()];
    for item in items {
        let slot = &mut start[key(item)];
        sorted[*slot as usize] = *item;
        *slot += 1;
    }
    sorted
}

impl Incidence {
    /// The graph in which equation `k` contains the variables of `rows[k]`, all with a nonzero constant coefficient.
    ///
    /// # Panics
    /// When a variable is not below `vars`.
    pub fn from_rows<R: AsRef<[u32]>>(vars: usize, rows: &[R]) -> Incidence {
        let mut builder = IncidenceBuilder::new(rows.len(), vars);
        for (eqn, row) in rows.iter().enumerate() {
            for &var in row.as_ref() {
                builder.add(Eqn::from_index(eqn), Var(var), Solvability::LinearConstant);
            }
        }
        builder.build()
    }

    fn from_rows_csr(
        row_start: Vec<u32>,
        row_var: Vec<Var>,
        solvability: Vec<Solvability>,
        vars: usize,
    ) -> Incidence {
        let mut column_start = vec![0u32; vars + 1];
        for var in &row_var {
            column_start[var.index() + 1] += 1;
        }
        for k in 0..vars {
            column_start[k + 1] += column_start[k];
        }
        let mut fill = column_start.clone();
        let mut column_eqn = vec![Eqn(0); row_var.len()];
        let mut column_edge = vec![Edge(0); row_var.len()];
        for eqn in 0..row_start.len() - 1 {
            for edge in row_start[eqn]..row_start[eqn + 1] {
                let slot = &mut fill[row_var[edge as usize].index()];
                column_eqn[*slot as usize] = Eqn::from_index(eqn);
                column_edge[*slot as usize] = Edge(edge);
                *slot += 1;
            }
        }
        Incidence { row_start, row_var, solvability, column_start, column_eqn, column_edge }
    }

    /// The number of equations.
    pub fn eqn_count(&self) -> usize {
        self.row_start.len() - 1
    }

    /// The number of variables.
    pub fn var_count(&self) -> usize {
        self.column_start.len() - 1
    }

    /// The number of occurrences.
    pub fn edge_count(&self) -> usize {
        self.row_var.len()
    }

    /// All equations in order.
    pub fn eqn_ids(&self) -> impl DoubleEndedIterator<Item = Eqn> + ExactSizeIterator + use<> {
        (0..self.eqn_count()).map(Eqn::from_index)
    }

    /// All variables in order.
    pub fn var_ids(&self) -> impl DoubleEndedIterator<Item = Var> + ExactSizeIterator + use<> {
        (0..self.var_count()).map(Var::from_index)
    }

    /// The variables of an equation, sorted.
    pub fn vars(&self, eqn: Eqn) -> &[Var] {
        &self.row_var[self.row_range(eqn)]
    }

    /// The equations of a variable, sorted.
    pub fn eqns(&self, var: Var) -> &[Eqn] {
        &self.column_eqn[self.column_range(var)]
    }

    /// The occurrences in an equation, sorted by variable.
    pub fn row(&self, eqn: Eqn) -> impl ExactSizeIterator<Item = Occurrence> + '_ {
        self.row_range(eqn).map(move |k| Occurrence {
            edge: Edge::from_index(k),
            eqn,
            var: self.row_var[k],
            solvability: self.solvability[k],
        })
    }

    /// The occurrences of a variable, sorted by equation.
    pub fn column(&self, var: Var) -> impl ExactSizeIterator<Item = Occurrence> + '_ {
        self.column_range(var).map(move |k| {
            let edge = self.column_edge[k];
            Occurrence { edge, eqn: self.column_eqn[k], var, solvability: self.solvability[edge.index()] }
        })
    }

    /// All occurrences in edge order.
    pub fn occurrences(&self) -> impl Iterator<Item = Occurrence> + '_ {
        self.eqn_ids().flat_map(|eqn| self.row(eqn))
    }

    /// The `k`-th occurrence of an equation's row, if the row is that long.
    pub(crate) fn row_at(&self, eqn: Eqn, k: usize) -> Option<(Var, Edge)> {
        let range = self.row_range(eqn);
        let edge = range.start + k;
        (edge < range.end).then(|| (self.row_var[edge], Edge::from_index(edge)))
    }

    /// How the edge may be solved.
    pub fn solvability(&self, edge: Edge) -> Solvability {
        self.solvability[edge.index()]
    }

    /// The edge between an equation and a variable, if the variable occurs there.
    pub fn find(&self, eqn: Eqn, var: Var) -> Option<Edge> {
        let range = self.row_range(eqn);
        let k = self.row_var[range.clone()].binary_search(&var).ok()?;
        Some(Edge::from_index(range.start + k))
    }

    /// The solvability of an equation for a variable, if the variable occurs there.
    pub fn solvability_of(&self, eqn: Eqn, var: Var) -> Option<Solvability> {
        self.find(eqn, var).map(|edge| self.solvability(edge))
    }

    /// The graph with equations and variables exchanged: row `k` becomes column `k`.
    pub fn transpose(&self) -> Incidence {
        let row_var = self.column_eqn.iter().map(|eqn| Var(eqn.0)).collect();
        let solvability = self.column_edge.iter().map(|edge| self.solvability[edge.index()]).collect();
        Incidence::from_rows_csr(self.column_start.clone(), row_var, solvability, self.eqn_count())
    }

    /// The same equations and variables with only the occurrences `keep` accepts. Edges are numbered anew.
    pub fn filtered(&self, mut keep: impl FnMut(Occurrence) -> bool) -> Incidence {
        let mut row_start = Vec::with_capacity(self.row_start.len());
        let (mut row_var, mut solvability) = (Vec::new(), Vec::new());
        row_start.push(0);
        for eqn in self.eqn_ids() {
            for occurrence in self.row(eqn) {
                if keep(occurrence) {
                    row_var.push(occurrence.var);
                    solvability.push(occurrence.solvability);
                }
            }
            row_start.push(row_var.len() as u32);
        }
        Incidence::from_rows_csr(row_start, row_var, solvability, self.var_count())
    }

    /// The same graph with every solvability replaced.
    pub fn with_solvability(&self, mut solvability: impl FnMut(Occurrence) -> Solvability) -> Incidence {
        let replaced = self.occurrences().map(&mut solvability).collect();
        Incidence { solvability: replaced, ..self.clone() }
    }

    fn row_range(&self, eqn: Eqn) -> std::ops::Range<usize> {
        self.row_start[eqn.index()] as usize..self.row_start[eqn.index() + 1] as usize
    }

    fn column_range(&self, var: Var) -> std::ops::Range<usize> {
        self.column_start[var.index()] as usize..self.column_start[var.index() + 1] as usize
    }
}

/// Some equations and variables of a larger system with a numbering of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subsystem {
    /// The graph in the subsystem's own numbering.
    pub incidence: Incidence,
    /// The outer id of each equation.
    pub eqns: IdVec<Eqn, Eqn>,
    /// The outer id of each variable.
    pub vars: IdVec<Var, Var>,
    sorted_eqns: Vec<(Eqn, Eqn)>,
    sorted_vars: Vec<(Var, Var)>,
}

impl Subsystem {
    /// The subsystem's id of an outer equation, if it is in here.
    pub fn local_eqn(&self, outer: Eqn) -> Option<Eqn> {
        local(&self.sorted_eqns, outer)
    }

    /// The subsystem's id of an outer variable, if it is in here.
    pub fn local_var(&self, outer: Var) -> Option<Var> {
        local(&self.sorted_vars, outer)
    }
}

fn local<I: Id>(sorted: &[(I, I)], outer: I) -> Option<I> {
    sorted.binary_search_by_key(&outer, |pair| pair.0).ok().map(|k| sorted[k].1)
}

/// Cuts subsystems out of one incidence. It holds scratch space as large as the incidence, so that each extraction
/// takes time linear in the subsystem.
#[derive(Debug)]
pub struct Extractor<'a> {
    incidence: &'a Incidence,
    local_var: IdVec<Var, Option<Var>>,
}

impl<'a> Extractor<'a> {
    /// Prepares to cut subsystems out of `incidence`.
    pub fn new(incidence: &'a Incidence) -> Self {
        Self { incidence, local_var: IdVec::filled(None, incidence.var_count()) }
    }

    /// The subsystem of these equations and variables, numbered in the order given; ids given twice count once.
    /// Occurrences of other variables are left out.
    pub fn extract(&mut self, eqns: &[Eqn], vars: &[Var]) -> Subsystem {
        let eqns = without_duplicates(eqns);
        let vars = without_duplicates(vars);
        for (local, var) in vars.iter() {
            self.local_var[*var] = Some(local);
        }
        let mut builder = IncidenceBuilder::new(eqns.len(), vars.len());
        for (local, &eqn) in eqns.iter() {
            tick(self.incidence.vars(eqn).len());
            for occurrence in self.incidence.row(eqn) {
                if let Some(var) = self.local_var[occurrence.var] {
                    builder.add(local, var, occurrence.solvability);
                }
            }
        }
        for (_, var) in vars.iter() {
            self.local_var[*var] = None;
        }
        let sorted_eqns = sorted_pairs(&eqns);
        let sorted_vars = sorted_pairs(&vars);
        Subsystem { incidence: builder.build(), eqns, vars, sorted_eqns, sorted_vars }
    }
}

fn without_duplicates<I: Id>(ids: &[I]) -> IdVec<I, I> {
    let mut sorted: Vec<(I, usize)> = ids.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    if sorted.windows(2).all(|w| w[0].0 != w[1].0) {
        return IdVec::from_vec(ids.to_vec());
    }
    sorted.dedup_by_key(|pair| pair.0);
    sorted.sort_unstable_by_key(|pair| pair.1);
    sorted.into_iter().map(|pair| pair.0).collect()
}

fn sorted_pairs<I: Id>(ids: &IdVec<I, I>) -> Vec<(I, I)> {
    let mut pairs: Vec<(I, I)> = ids.iter().map(|(local, outer)| (*outer, local)).collect();
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_are_sorted_and_duplicates_keep_the_worse_solvability() {
        let mut builder = IncidenceBuilder::new(2, 3);
        builder
            .add(Eqn(1), Var(2), Solvability::LinearConstant)
            .add(Eqn(0), Var(1), Solvability::LinearConstant)
            .add(Eqn(1), Var(0), Solvability::Nonlinear)
            .add(Eqn(0), Var(1), Solvability::LinearUnsafe)
            .add(Eqn(1), Var(1), Solvability::Never);
        let g = builder.build();
        assert_eq!((g.eqn_count(), g.var_count(), g.edge_count()), (2, 3, 4));
        assert_eq!(g.vars(Eqn(0)), [Var(1)]);
        assert_eq!(g.vars(Eqn(1)), [Var(0), Var(1), Var(2)]);
        assert_eq!(g.eqns(Var(1)), [Eqn(0), Eqn(1)]);
        assert_eq!(g.solvability_of(Eqn(0), Var(1)), Some(Solvability::LinearUnsafe));
        assert_eq!(g.solvability_of(Eqn(0), Var(0)), None);
        let column: Vec<_> = g.column(Var(1)).map(|o| (o.eqn, o.solvability)).collect();
        assert_eq!(column, [(Eqn(0), Solvability::LinearUnsafe), (Eqn(1), Solvability::Never)]);
    }

    #[test]
    fn transposing_twice_gives_the_same_graph() {
        let g = Incidence::from_rows(4, &[vec![0, 3], vec![1], vec![], vec![0, 1, 2]]);
        assert_eq!(g.transpose().vars(Eqn(0)), [Var(0), Var(3)]);
        assert_eq!(g.transpose().transpose(), g);
    }

    #[test]
    fn a_subsystem_has_its_own_numbering_and_knows_the_outer_one() {
        let g = Incidence::from_rows(4, &[vec![0, 3], vec![1, 2], vec![0, 1, 3], vec![2, 3]]);
        let sub = Extractor::new(&g).extract(&[Eqn(2), Eqn(0), Eqn(2)], &[Var(3), Var(0)]);
        assert_eq!(sub.incidence, Incidence::from_rows(2, &[vec![0, 1], vec![0, 1]]));
        assert_eq!((sub.local_eqn(Eqn(0)), sub.local_eqn(Eqn(1))), (Some(Eqn(1)), None));
        assert_eq!((sub.local_var(Var(3)), sub.local_var(Var(1))), (Some(Var(0)), None));
    }

    #[test]
    fn filtering_keeps_what_it_is_told_to() {
        let g = Incidence::from_rows(3, &[vec![0, 1, 2], vec![1]]);
        let h = g.filtered(|o| o.var != Var(1));
        assert_eq!(h, Incidence::from_rows(3, &[vec![0, 2], vec![]]));
    }
}
