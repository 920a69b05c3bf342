//! `inverse` annotations (specification section 12.7.3).

use super::array::Array;
use super::calls::Calls;
use super::layout::{Layout, unflatten};
use super::value::Value;
use super::{FunctionId, InverseNote, Scalar};
use crate::node::ExprId;
use crate::pool::Pool;
use crate::solve::CallInverse;

impl CallInverse for Calls {
    /// Solves `value = f(…, x, …)` for the scalar input `x` by the function that the annotation of `f` names, called
    /// with the value and the other arguments. `x` and the output must be scalars or arrays of one element.
    fn inverse(
        &mut self,
        pool: &mut Pool,
        function: FunctionId,
        args: &[ExprId],
        output: u32,
        input: u32,
        value: ExprId,
    ) -> Option<ExprId> {
        let declared = pool.function(function);
        let inputs = Layout::of_inputs(declared)?;
        let outputs = Layout::of_outputs(declared)?;
        let (entry, _) = inputs.find(input as usize)?;
        let [result] = &outputs.entries[..] else { return None };
        if entry.len != 1 || result.len != 1 || output != 0 || entry.scalar != Scalar::Real {
            return None;
        }
        let value: Value<ExprId> = Array::from_vec(&result.shape, vec![value]).ok()?.into();
        let mut given = unflatten(pool, &inputs, args)?;
        given.push(value);
        let places: Vec<_> = inputs.entries.iter().map(|entry| entry.local).chain([result.local]).collect();
        let notes: Vec<InverseNote> = find_inverses(pool, function, entry.local).cloned().collect();
        for note in notes {
            let chosen: Option<Vec<Value<ExprId>>> = note
                .args
                .iter()
                .map(|local| Some(given[places.iter().position(|place| place == local)?].clone()))
                .collect();
            if let Some(chosen) = chosen
                && let Ok(outputs) = self.keep(pool, note.function, &chosen)
                && let Some(&[solution]) = outputs.first().map(Value::scalars)
            {
                return Some(solution);
            }
        }
        None
    }
}

/// The annotations that solve for this input: they use the output, and not the input itself.
pub fn find_inverses(
    pool: &Pool,
    function: FunctionId,
    input: super::LocalId,
) -> impl Iterator<Item = &InverseNote> {
    let declared = pool.function(function);
    declared.notes.inverses.iter().filter(move |note| {
        note.input == input
            && !note.args.contains(&input)
            && declared.outputs.iter().any(|output| note.args.contains(output))
    })
}
