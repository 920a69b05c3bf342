//! Small integer ids and the vectors they index.
//!
//! Every graph of this crate numbers its nodes from zero. An id means something only together with the graph it
//! came from; [`Subsystem`](crate::Subsystem) translates between a block's own numbering and the numbering outside.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense id: a position in some [`IdVec`].
pub trait Id: Copy + Eq + Ord + fmt::Debug {
    /// The id at a position. Positions beyond `u32::MAX` do not occur: no graph that large fits in memory.
    fn from_index(index: usize) -> Self;
    /// The position of this id.
    fn index(self) -> usize;
}

/// An equation: a row of the incidence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Eqn(pub u32);

/// A variable: a column of the incidence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// One occurrence of a variable in an equation. Edges are numbered row by row, within a row by variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge(pub u32);

impl Id for Eqn {
    fn from_index(index: usize) -> Self {
        debug_assert!(u32::try_from(index).is_ok());
        Eqn(index as u32)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Id for Var {
    fn from_index(index: usize) -> Self {
        debug_assert!(u32::try_from(index).is_ok());
        Var(index as u32)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Id for Edge {
    fn from_index(index: usize) -> Self {
        debug_assert!(u32::try_from(index).is_ok());
        Edge(index as u32)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Eqn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Debug for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "edge{}", self.0)
    }
}

/// A vector indexed by one kind of id.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self::from_vec(Vec::new())
    }

    /// A vector whose position `k` belongs to the id `k`.
    pub fn from_vec(items: Vec<T>) -> Self {
        Self { items, ids: PhantomData }
    }

    /// The same value for every one of `len` ids.
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        Self::from_vec(vec![value; len])
    }

    /// The number of ids.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds a value and returns its id.
    pub fn push(&mut self, value: T) -> I {
        self.items.push(value);
        I::from_index(self.items.len() - 1)
    }

    /// The value of an id, if the id is in range.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All ids with their values, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(k, value)| (I::from_index(k), value))
    }

    /// The values in id order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The values in id order.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        Self::from_vec(items.into_iter().collect())
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_vector_is_indexed_and_printed_by_its_ids() {
        let mut names: IdVec<Var, &str> = IdVec::new();
        let x = names.push("x");
        let y = names.push("y");
        names[y] = "z";
        assert_eq!((names[x], names[y], names.get(Var(2))), ("x", "z", None));
        assert_eq!(names.ids().collect::<Vec<_>>(), [Var(0), Var(1)]);
        assert_eq!(format!("{names:?}"), r#"{v0: "x", v1: "z"}"#);
    }
}
