//! Arrays whose elements are all named by numbers become slots.
//!
//! Functions of media and the like keep intermediate results in arrays, `o[1]` to `o[50]`, without any loop over them. As
//! slots they live in registers where there are enough of them, and what is not read is not written.
//!
//! Before and after: a [`Routine`] that computes the same.

use super::lower::{remove_unread, visit};
use super::{
    ArrayId, Compute, Count, INPUTS, OUTPUTS, Operand, OperandId, Place, Routine, Slot, Stmt, Varying,
};

/// Longer arrays stay in memory.
const LONGEST: usize = 256;

/// The routine with slots instead of arrays, where that is possible.
pub(crate) fn replaced(routine: &Routine) -> Routine {
    let mut routine = routine.clone();
    let fixed = fixed_arrays(&routine);
    if !fixed.contains(&true) {
        return routine;
    }
    let firsts: Vec<Option<u32>> = fixed
        .iter()
        .zip(&routine.arrays)
        .map(|(fixed, array)| {
            let first = routine.slots.len() as u32;
            fixed.then(|| {
                routine.slots.extend((0..array.len).map(|_| None));
                first
            })
        })
        .collect();
    let slot = |array: ArrayId, place: &Place| {
        firsts[array.0 as usize].map(|first| Slot(first + place.offset as u32))
    };
    for operand in &mut routine.operands {
        if let Operand::Element(array, place) = operand
            && let Some(slot) = slot(*array, place)
        {
            *operand = Operand::Slot(slot);
        }
    }
    let body = std::mem::take(&mut routine.body);
    routine.body = rewritten(body, &routine, &firsts);
    for (array, fixed) in routine.arrays.iter_mut().zip(&fixed) {
        if *fixed {
            array.len = 0;
        }
    }
    remove_unread(&mut routine);
    routine
}

/// Which arrays are only read and written at places that are known, or filled as a whole.
fn fixed_arrays(routine: &Routine) -> Vec<bool> {
    let mut fixed: Vec<bool> =
        routine.arrays.iter().map(|array| (1..=LONGEST).contains(&array.len)).collect();
    (fixed[INPUTS.0 as usize], fixed[OUTPUTS.0 as usize]) = (false, false);
    let inside = |array: ArrayId, place: &Place| {
        let len = routine.arrays[array.0 as usize].len as i64;
        place.terms.is_empty() && (0..len).contains(&place.offset)
    };
    for operand in &routine.operands {
        if let Operand::Element(array, place) = operand {
            fixed[array.0 as usize] &= inside(*array, place);
        }
    }
    let mut filling = Vec::new();
    visit(&routine.body, &mut |statement| {
        if let (Some((array, _)), Stmt::Loop(counter, ..)) = (fills(routine, statement), statement) {
            filling.push((array, Varying::Counter(*counter)));
        }
    });
    visit(&routine.body, &mut |statement| match statement {
        Stmt::Put(array, place, _) if !inside(*array, place) => {
            // The body of a loop that fills is met on its own as well.
            let filled = match place.terms[..] {
                [(1, counter)] => place.offset == 0 && filling.contains(&(*array, counter)),
                _ => false,
            };
            fixed[array.0 as usize] &= filled;
        }
        Stmt::Call(_, arguments, results) => {
            fixed[arguments.0 as usize] = false;
            fixed[results.0 as usize] = false;
        }
        _ => {}
    });
    fixed
}

/// The array a loop fills with a number, and the number: nothing else is in it.
fn fills(routine: &Routine, statement: &Stmt) -> Option<(ArrayId, OperandId)> {
    let Stmt::Loop(counter, Count::Known(count), body) = statement else { return None };
    let [Stmt::Put(array, place, value)] = &body[..] else { return None };
    let whole = place.offset == 0 && place.terms[..] == [(1, Varying::Counter(*counter))];
    let all = routine.arrays[array.0 as usize].len as u64 == *count;
    let constant = matches!(routine.operand(*value), Operand::Const(_));
    (whole && all && constant).then_some((*array, *value))
}

/// Statements with slots. They nest no deeper than lowering allows.
fn rewritten(body: Vec<Stmt>, routine: &Routine, firsts: &[Option<u32>]) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for statement in body {
        let first = |array: ArrayId| firsts[array.0 as usize];
        if let Some((array, value)) = fills(routine, &statement)
            && let Some(slot) = first(array)
        {
            let len = routine.arrays[array.0 as usize].len as u32;
            out.extend((0..len).map(|k| Stmt::Set(Slot(slot + k), Compute::Copy(value))));
            continue;
        }
        out.push(match statement {
            Stmt::Put(array, place, value) => match first(array) {
                Some(slot) => Stmt::Set(Slot(slot + place.offset as u32), Compute::Copy(value)),
                None => Stmt::Put(array, place, value),
            },
            Stmt::Loop(counter, count, body) => Stmt::Loop(counter, count, rewritten(body, routine, firsts)),
            Stmt::While(before, condition, body) => {
                Stmt::While(rewritten(before, routine, firsts), condition, rewritten(body, routine, firsts))
            }
            Stmt::If(condition, yes, no) => {
                Stmt::If(condition, rewritten(yes, routine, firsts), rewritten(no, routine, firsts))
            }
            other => other,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{ArrayId, Compute, Count, Counter, OUTPUTS, Operand, OperandId, Place, Routine};
    use super::super::{Slot, Stmt, Storage, Varying};
    use super::replaced;

    /// `clear a; a[2] := 3; out[1] := a[2] (+ a[counter])`
    fn routine(looped: bool) -> Routine {
        let a = ArrayId(2);
        let counted = Place { offset: 0, terms: vec![(1, Varying::Counter(Counter(0)))] };
        let storage = |name: &str, len| Storage { name: name.to_owned(), len };
        let mut body = vec![
            Stmt::Loop(Counter(0), Count::Known(4), vec![Stmt::Put(a, counted.clone(), OperandId(0))]),
            Stmt::Put(a, Place::at(1), OperandId(1)),
            Stmt::Put(OUTPUTS, Place::at(0), OperandId(2)),
        ];
        let mut operands = vec![Operand::Const(0.0), Operand::Const(3.0), Operand::Element(a, Place::at(1))];
        if looped {
            operands.push(Operand::Element(a, counted));
            let read = Stmt::Put(OUTPUTS, Place::at(0), OperandId(3));
            body.push(Stmt::Loop(Counter(0), Count::Known(4), vec![read]));
        }
        Routine {
            name: "f".into(),
            slots: Vec::new(),
            arrays: vec![storage("in", 0), storage("out", 1), storage("a", 4)],
            operands,
            counters: 1,
            body,
            outputs: Vec::new(),
            vague: false,
        }
    }

    #[test]
    fn arrays_with_fixed_places_become_slots() {
        let routine = replaced(&routine(false));
        assert_eq!(routine.arrays[2].len, 0);
        assert_eq!(
            routine.body,
            [
                Stmt::Set(Slot(1), Compute::Copy(OperandId(0))),
                Stmt::Set(Slot(1), Compute::Copy(OperandId(1))),
                Stmt::Put(OUTPUTS, Place::at(0), OperandId(2)),
            ]
        );
    }

    #[test]
    fn arrays_that_loops_read_stay() {
        assert_eq!(replaced(&routine(true)).body, routine(true).body);
    }
}
