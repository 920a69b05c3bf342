//! Makes a function closed: all sizes of its inputs and outputs become known.

use super::array::Shape;
use super::layout::is_closed;
use super::{Dim, Function, FunctionId, Local};
use crate::pool::Pool;

/// The function for these sizes of its inputs and outputs; itself if it has them already.
///
/// The caller knows that the sizes belong together, for instance from
/// [`output_shapes`](super::sizes::output_shapes).
pub fn specialise(pool: &mut Pool, id: FunctionId, inputs: &[Shape], outputs: &[Shape]) -> FunctionId {
    let function = pool.function(id);
    if is_closed(function) {
        return id;
    }
    let function = specialised(function, inputs, outputs);
    pool.add_function(function)
}

fn specialised(function: &Function, inputs: &[Shape], outputs: &[Shape]) -> Function {
    let mut closed = function.clone();
    let mut suffix = String::new();
    let places = function.inputs.iter().zip(inputs).chain(function.outputs.iter().zip(outputs));
    for (&id, shape) in places {
        let local: &mut Local = &mut closed.locals[id.0 as usize];
        for (dim, &size) in local.dims.iter_mut().zip(shape) {
            if !matches!(dim, Dim::Known(_)) {
                suffix.push_str(&format!("_{size}"));
                *dim = Dim::Known(size);
            }
        }
    }
    closed.name.push_str(&suffix);
    closed
}
