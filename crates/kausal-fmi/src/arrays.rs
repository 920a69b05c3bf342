//! Arrays of FMI 3.0 (section 2.4.7.4): elements that follow each other, here and in the program, and say the same are one variable.
//!
//! States that are an array are one only where their derivatives are, too, and both in the order of the states: that is the order of
//! vectors of states. What does not fit is listed element by element.

use std::collections::HashMap;

use crate::structure::Structure;
use crate::variables::{About, Variable};

/// An array among the variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The place of its first element.
    pub first: usize,
    /// How many elements it has; they follow the first one.
    pub len: usize,
    /// Its name.
    pub name: String,
    /// What it says about itself.
    pub description: String,
    /// Its sizes.
    pub sizes: Vec<usize>,
    /// Other names it has.
    pub aliases: Vec<String>,
}

/// The arrays among some variables.
pub fn arrays(variables: &[Variable], structure: &Structure) -> Vec<Array> {
    let state_of: HashMap<usize, usize> =
        structure.states.iter().enumerate().map(|(k, place)| (*place, k)).collect();
    let mut arrays = Vec::new();
    let mut place = 0;
    while place < variables.len() {
        match array_from(variables, &state_of, place) {
            Some(array) => {
                place += array.len;
                arrays.push(array);
            }
            None => place += 1,
        }
    }
    // An array of states needs one of derivatives, and the other way round; each that is given up may be what another one needs.
    loop {
        let kept: Vec<Array> =
            arrays.iter().filter(|array| is_paired(array, &arrays, variables, structure)).cloned().collect();
        if kept.len() == arrays.len() {
            return kept;
        }
        arrays = kept;
    }
}

/// The array whose first element is at a place.
fn array_from(variables: &[Variable], state_of: &HashMap<usize, usize>, first: usize) -> Option<Array> {
    let head = &variables[first];
    let (base, start) = subscripts(&head.name)?;
    if start.iter().any(|subscript| *subscript != 1) {
        return None;
    }
    let follows = |k: usize, v: &Variable| {
        let there = subscripts(&v.name).is_some_and(|(name, sub)| name == base && sub.len() == start.len());
        let same_state = match (state_of.get(&first), state_of.get(&(first + k))) {
            (None, None) => true,
            (Some(a), Some(b)) => *b == a + k,
            _ => false,
        };
        let same_derivative = match (head.derivative_of, v.derivative_of) {
            (None, None) => true,
            (Some(a), Some(b)) => b == a + k,
            _ => false,
        };
        there
            && same_state
            && same_derivative
            && v.reference == head.reference + k as u32
            && says_same(head, v)
    };
    let elements = variables[first..].iter().enumerate();
    let len = elements.take_while(|(k, v)| follows(*k, v)).count();
    let (_, sizes) = subscripts(&variables[first + len - 1].name)?;
    let full = sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size)) == Some(len);
    let in_order =
        |k: usize| subscripts(&variables[first + k].name).is_some_and(|(_, sub)| sub == row_major(k, &sizes));
    if !full || len < 2 || !(0..len).all(in_order) {
        return None;
    }
    let mut aliases = Vec::new();
    for (a, (alias, _)) in head.aliases.iter().enumerate() {
        let (other, _) = subscripts(alias)?;
        let is_element = |k: usize| {
            subscripts(&variables[first + k].aliases[a].0)
                .is_some_and(|(name, sub)| name == other && sub == row_major(k, &sizes))
        };
        if !(0..len).all(is_element) {
            return None;
        }
        aliases.push(other);
    }
    Some(Array { first, len, name: base, description: description(head), sizes, aliases })
}

/// Do two elements say the same about themselves?
fn says_same(a: &Variable, b: &Variable) -> bool {
    let aliases = |v: &Variable| v.aliases.iter().map(|(_, about)| about.clone()).collect::<Vec<_>>();
    a.ty == b.ty
        && (a.causality, a.variability, a.initial) == (b.causality, b.variability, b.initial)
        && a.start.is_some() == b.start.is_some()
        && description(a) == description(b)
        && About { description: String::new(), ..a.about.clone() }
            == About { description: String::new(), ..b.about.clone() }
        && a.reinit == b.reinit
        && a.aliases.len() == b.aliases.len()
        && aliases(a) == aliases(b)
}

/// What an element says about itself; derivatives speak of the array instead of the element.
fn description(v: &Variable) -> String {
    let said = &v.about.description;
    let element = v.name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')'));
    match element.and_then(|element| Some((element, subscripts(element)?.0))) {
        Some((element, base)) => said.replace(element, &base),
        None => said.clone(),
    }
}

/// Is an array of states also one of derivatives, with as many elements?
fn is_paired(array: &Array, arrays: &[Array], variables: &[Variable], structure: &Structure) -> bool {
    let like = |place: usize| arrays.iter().any(|other| other.first == place && other.sizes == array.sizes);
    if let Some(k) = structure.states.iter().position(|place| *place == array.first) {
        let derivative = variables.iter().position(|v| v.derivative_of == Some(k));
        if !derivative.is_some_and(like) {
            return false;
        }
    }
    match variables[array.first].derivative_of {
        Some(k) => structure.states.get(k).is_some_and(|place| like(*place)),
        None => true,
    }
}

/// The subscripts of an element, from 1, and the name of the array: those of `x` are the subscripts of `der(x[2])`.
fn subscripts(name: &str) -> Option<(String, Vec<usize>)> {
    if let Some(inside) = name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')) {
        let (base, list) = subscripts(inside)?;
        return Some((format!("der({base})"), list));
    }
    let (base, list) = name.strip_suffix(']')?.rsplit_once('[')?;
    let list: Option<Vec<usize>> = list.split(',').map(|subscript| subscript.parse().ok()).collect();
    Some((base.to_owned(), list?))
}

/// The subscripts of the element `k`, row by row.
fn row_major(mut k: usize, sizes: &[usize]) -> Vec<usize> {
    let mut list = vec![0; sizes.len()];
    for (subscript, size) in list.iter_mut().zip(sizes).rev() {
        *subscript = k % size + 1;
        k /= size;
    }
    list
}

/// Lengths of arrays by the value references of their first elements, for the library: a line each.
pub fn written(arrays: &[Array], variables: &[Variable]) -> String {
    let line = |array: &Array| format!("{} {}\n", variables[array.first].reference, array.len);
    arrays.iter().map(line).collect()
}

/// Reads what [`written`] gives, in the order of references; none where it is something else.
pub fn read(text: &str) -> Option<Vec<(u32, u32)>> {
    let line = |line: &str| {
        let (reference, len) = line.split_once(' ')?;
        let (reference, len): (u32, u32) = (reference.parse().ok()?, len.parse().ok()?);
        reference.checked_add(len).map(|_| (reference, len))
    };
    let mut list: Vec<(u32, u32)> = text.lines().map(line).collect::<Option<_>>()?;
    list.sort_unstable();
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_subscripts_at_their_ends() {
        assert_eq!(subscripts("a[2].x[1,3]"), Some(("a[2].x".to_owned(), vec![1, 3])));
        assert_eq!(subscripts("der(x[4])"), Some(("der(x)".to_owned(), vec![4])));
        assert_eq!(subscripts("a[2].x"), None);
        assert_eq!(subscripts("x[red]"), None);
        assert_eq!(
            (0..4).map(|k| row_major(k, &[2, 2])).collect::<Vec<_>>(),
            [[1, 1], [1, 2], [2, 1], [2, 2]]
        );
    }

    #[test]
    fn lengths_are_read_back() {
        assert_eq!(read("7 3\n2 4\n"), Some(vec![(2, 4), (7, 3)]));
        assert_eq!(read("7\n"), None);
        assert_eq!(read("4294967295 4\n"), None);
    }
}
