//! Solutions for Arrow's C stream interface: pandas, polars, DuckDB and all others that speak Arrow read the columns where
//! they are.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchOptions};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use kausal::Solution;
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// The table with the instants, `time`, and all variables or those of these names.
pub fn stream<'py>(
    py: Python<'py>,
    solution: &Arc<Solution>,
    names: Option<&[String]>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = batch(solution, names)?;
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
}

fn batch(solution: &Arc<Solution>, names: Option<&[String]>) -> PyResult<RecordBatch> {
    let mut fields = vec![field("time", "s", "")];
    let mut columns: Vec<ArrayRef> = vec![array(solution, solution.time())];
    let mut add = |name: &str| {
        let signal = solution.trajectory().signal(name)?;
        fields.push(field(name, &signal.unit, &signal.description));
        columns.push(array(solution, solution.get(name)?));
        Some(())
    };
    match names {
        None => solution.names().for_each(|name| {
            add(name);
        }),
        Some(names) => {
            for name in names.iter().filter(|name| *name != "time") {
                add(name).ok_or_else(|| PyKeyError::new_err(name.clone()))?;
            }
        }
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(solution.time().len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &rows)
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

fn field(name: &str, unit: &str, description: &str) -> Field {
    let said = [("unit", unit), ("description", description)];
    let said = said.into_iter().filter(|(_, text)| !text.is_empty());
    Field::new(name, DataType::Float64, false)
        .with_metadata(said.map(|(key, text)| (key.to_owned(), text.to_owned())).collect::<HashMap<_, _>>())
}

/// The values as they lie in memory.
fn array(solution: &Arc<Solution>, values: &[f64]) -> ArrayRef {
    let pointer = NonNull::from(values).cast::<u8>();
    // SAFETY: the values belong to the solution, which never changes and lives as long as the buffer, its owner.
    #[allow(unsafe_code)]
    let buffer = unsafe { Buffer::from_custom_allocation(pointer, size_of_val(values), solution.clone()) };
    Arc::new(Float64Array::new(ScalarBuffer::new(buffer, 0, values.len()), None))
}
