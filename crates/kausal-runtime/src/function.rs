//! Functions at run time: evaluated on numbers, with everything that can be prepared prepared once.

use std::sync::Arc;

use kausal_symbolic::function::evaluator::Evaluator;
use kausal_symbolic::function::externals::Externals;
use kausal_symbolic::function::layout::{Flat, Layout};
use kausal_symbolic::function::routine::Routine;
use kausal_symbolic::function::{Numbers, Scalar};
use kausal_symbolic::{FunctionId, Pool, TextId};

/// The functions of a program, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    routines: Vec<Option<Arc<Routine>>>,
}

impl Functions {
    /// Prepares all functions; what cannot be prepared fails when it is called.
    pub fn new(pool: &Pool) -> Functions {
        let evaluator = Evaluator::new(Numbers::new(pool));
        let routines = pool.functions().map(|(_, f)| evaluator.prepare(f).ok().map(Arc::new)).collect();
        Functions { routines }
    }

    /// Calls a function with all its scalar arguments; gives all its scalar outputs. A string argument is the
    /// number of its text.
    pub fn call(
        &self,
        pool: &Pool,
        function: FunctionId,
        args: &[f64],
        externals: Option<&dyn Externals>,
    ) -> Result<Vec<f64>, String> {
        let mut evaluator = Evaluator::new(Numbers::new(pool)).with_routines(self.routines.clone());
        if let Some(externals) = externals {
            evaluator = evaluator.with_externals(externals);
        }
        let declared = pool.function(function);
        let with_texts = declared.inputs.iter().any(|&i| declared.local(i).scalar == Scalar::String);
        let outcome = if with_texts {
            let layout = Layout::of_inputs(declared);
            let text = |k: usize| {
                layout
                    .as_ref()
                    .and_then(|l| l.find(k))
                    .is_some_and(|(entry, _)| entry.scalar == Scalar::String)
            };
            let flat: Vec<Flat> = args
                .iter()
                .enumerate()
                .map(|(k, &value)| {
                    if text(k) {
                        Flat::Text(pool.text_of(TextId(value as u32)).into())
                    } else {
                        Flat::Number(value)
                    }
                })
                .collect();
            evaluator.call_flat_with_texts(function, &flat).map(|outputs| {
                let number = |flat: Flat| match flat {
                    Flat::Number(value) => value,
                    Flat::Text(_) => f64::NAN,
                };
                outputs.into_iter().map(number).collect()
            })
        } else {
            let len = Layout::of_outputs(declared).map_or(0, |layout| layout.len);
            let mut out = vec![0.0; len];
            evaluator.call_flat(function, args, &mut out).map(|()| out)
        };
        outcome.map_err(|error| format!("{}: {error}", declared.name))
    }
}
