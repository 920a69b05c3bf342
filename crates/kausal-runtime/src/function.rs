//! Functions at run time: machine code where they fit, native versions of foreign functions, and the evaluator of
//! `kausal-symbolic` for the rest.
//!
//! A call goes to the first of these that can do it:
//!
//! 1. machine code ([`kausal_codegen::Functions`]): numbers, arrays of known sizes, loops, recursion;
//! 2. a foreign function of numbers with one number as its result, such as a look-up in a table: called directly;
//! 3. the evaluator: strings, foreign functions with arrays, effects, and whatever failed in machine code, so that it
//!    can say why.
//!
//! The first two allocate nothing. Strings are numbers in the values of a model: a number below the count of the
//! program's texts names one of them, others name [`Texts`] that came up in the run.

use std::sync::{Arc, OnceLock};

use kausal_codegen::{Backend, Called, Error, WorkMemory};
use kausal_external::{NumberNative, StandardExternals};
use kausal_symbolic::function::evaluator::Evaluator;
use kausal_symbolic::function::interrupt::Interrupt;
use kausal_symbolic::function::layout::{Flat, Layout};
use kausal_symbolic::function::routine::Routine;
use kausal_symbolic::function::{Body, Numbers, Scalar, Term};
use kausal_symbolic::{FunctionId, Pool, TextId};
use rustc_hash::FxHashMap;

/// The functions of a program, ready to run.
#[derive(Debug, Default)]
pub struct Functions {
    compiled: kausal_codegen::Functions,
    /// Made ready for the evaluator when it is first needed.
    routines: OnceLock<Vec<Option<Arc<Routine>>>>,
    natives: FxHashMap<FunctionId, Native>,
    layouts: FxHashMap<FunctionId, (Layout, Layout)>,
}

/// A foreign function of numbers: where its arguments come from.
#[derive(Debug)]
struct Native {
    call: NumberNative,
    args: Vec<Source>,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Input(usize),
    Constant(f64),
}

/// More arguments than this, and the evaluator makes the call.
const NATIVE_ARGS: usize = 8;

/// One run's memory for calls.
#[derive(Clone, Debug, Default)]
pub struct Space {
    work: Option<WorkMemory>,
    texts: Texts,
    /// Ends the run from outside.
    interrupt: Interrupt,
    /// Warnings of assertions inside functions, since they were last taken.
    pub warnings: Vec<String>,
}

/// Strings that came up in the run.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    list: Vec<Arc<str>>,
    index: FxHashMap<Arc<str>, usize>,
}

impl Texts {
    /// The string behind a number.
    pub fn text<'t>(&'t self, pool: &'t Pool, number: f64) -> Option<&'t str> {
        let at = number as usize;
        if at < pool.text_count() {
            return Some(pool.text_of(TextId(at as u32)));
        }
        self.list.get(at - pool.text_count()).map(|text| &**text)
    }

    /// The number of a string.
    pub fn number(&mut self, pool: &Pool, text: &Arc<str>) -> f64 {
        if let Some(known) = pool.find_text(text) {
            return f64::from(known.0);
        }
        let list = &mut self.list;
        let at = *self.index.entry(text.clone()).or_insert_with(|| {
            list.push(text.clone());
            list.len() - 1
        });
        (pool.text_count() + at) as f64
    }
}

impl Space {
    /// The strings that came up, in their order.
    pub(crate) fn texts(&self) -> Vec<String> {
        let Space { work: _, texts: Texts { list, index: _ }, interrupt: _, warnings: _ } = self;
        list.iter().map(|text| text.to_string()).collect()
    }

    /// The same strings get the same numbers.
    pub(crate) fn set_texts(&mut self, texts: Vec<String>) {
        let list: Vec<Arc<str>> = texts.into_iter().map(Arc::from).collect();
        let index = list.iter().enumerate().map(|(at, text)| (text.clone(), at)).collect();
        self.texts = Texts { list, index };
    }
}

impl Functions {
    /// Prepares functions that are called with all their scalar arguments, and all that they call; what cannot be
    /// prepared fails when it is called.
    pub fn new(pool: &Pool, called: &[FunctionId], backend: Backend) -> Result<Functions, Error> {
        let mut layouts = FxHashMap::default();
        let mut natives = FxHashMap::default();
        for &id in called {
            let function = pool.function(id);
            if let (Some(inputs), Some(outputs)) = (Layout::of_inputs(function), Layout::of_outputs(function))
            {
                if let Some(native) = native(pool, id, &inputs) {
                    natives.insert(id, native);
                }
                layouts.insert(id, (inputs, outputs));
            }
        }
        let to_compile = called.iter().copied().filter(|id| !natives.contains_key(id));
        let compiled = kausal_codegen::Functions::new(pool, to_compile, backend)?;
        Ok(Functions { compiled, routines: OnceLock::new(), natives, layouts })
    }

    /// How many numbers a function gives.
    pub fn outputs(&self, pool: &Pool, function: FunctionId) -> usize {
        match self.layouts.get(&function) {
            Some((_, outputs)) => outputs.len,
            None => Layout::of_outputs(pool.function(function)).map_or(0, |layout| layout.len),
        }
    }

    /// Functions that were not compiled, with the reason.
    pub fn left_to_the_evaluator(&self) -> impl Iterator<Item = (FunctionId, &str)> {
        self.compiled.left_to_the_evaluator()
    }

    /// Calls the machine code of a function, if there is any; otherwise, and where it fails, [`Functions::call`] does it.
    #[inline]
    pub fn call_code(&self, function: FunctionId, args: &[f64], out: &mut [f64], space: &mut Space) -> bool {
        let work = space.work.get_or_insert_with(|| self.compiled.memory_of_run(&space.interrupt));
        self.compiled.call(function, args, out, work) == Called::Done
    }

    /// Calls a function with all its scalar arguments without machine code; gives all its scalar outputs.
    pub fn call(
        &self,
        pool: &Pool,
        function: FunctionId,
        args: &[f64],
        out: &mut [f64],
        externals: &StandardExternals,
        space: &mut Space,
    ) -> Result<(), String> {
        if let Some(native) = self.natives.get(&function)
            && let [result] = out
        {
            let mut values = [0.0; NATIVE_ARGS];
            for (value, source) in values.iter_mut().zip(&native.args) {
                *value = match *source {
                    Source::Input(at) => args.get(at).copied().unwrap_or(f64::NAN),
                    Source::Constant(value) => value,
                };
            }
            let value = externals.call_number(native.call, &values[..native.args.len()]);
            *result = value.map_err(|message| format!("{}: {message}", pool.function(function).name))?;
            return Ok(());
        }
        self.evaluate(pool, function, args, out, externals, space)
    }

    fn evaluate(
        &self,
        pool: &Pool,
        function: FunctionId,
        args: &[f64],
        out: &mut [f64],
        externals: &StandardExternals,
        space: &mut Space,
    ) -> Result<(), String> {
        let routines = self.routines.get_or_init(|| {
            let evaluator = Evaluator::new(Numbers::new(pool));
            pool.functions().map(|(_, f)| evaluator.prepare(f).ok().map(Arc::new)).collect()
        });
        let mut evaluator =
            Evaluator::new(Numbers::new(pool)).with_prepared(routines).with_externals(externals);
        let interrupt = space.interrupt.clone();
        evaluator = evaluator.with_interrupt(&interrupt);
        let declared = pool.function(function);
        let text = |&local: &_| declared.local(local).scalar == Scalar::String;
        let with_texts = declared.inputs.iter().chain(&declared.outputs).any(text);
        let outcome = if with_texts {
            let inputs = Layout::of_inputs(declared);
            let flat: Vec<Flat> = args
                .iter()
                .enumerate()
                .map(|(k, &value)| {
                    let entry = inputs.as_ref().and_then(|l| l.find(k));
                    if entry.is_some_and(|(entry, _)| entry.scalar == Scalar::String) {
                        Flat::Text(space.texts.text(pool, value).unwrap_or("").into())
                    } else {
                        Flat::Number(value)
                    }
                })
                .collect();
            evaluator.call_flat_with_texts(function, &flat).map(|outputs| {
                for (place, value) in out.iter_mut().zip(outputs) {
                    *place = match value {
                        Flat::Number(value) => value,
                        Flat::Text(text) => space.texts.number(pool, &text),
                    };
                }
            })
        } else {
            evaluator.call_flat(function, args, out)
        };
        space.warnings.append(&mut evaluator.warnings);
        outcome.map_err(|error| error.to_string())
    }
}

impl Space {
    /// What ends the run from now on.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        // Machine code looks at the flag that its memory was made with.
        self.work = None;
    }

    /// What ends the run.
    #[inline]
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// The string behind a number.
    pub fn text(&self, pool: &Pool, number: f64) -> Option<String> {
        self.texts.text(pool, number).map(str::to_owned)
    }

    /// The number that stands for a string in this run.
    pub fn number(&mut self, pool: &Pool, text: &Arc<str>) -> f64 {
        self.texts.number(pool, text)
    }
}

/// The foreign function behind a function, if it takes and gives numbers only.
fn native(pool: &Pool, id: FunctionId, inputs: &Layout) -> Option<Native> {
    let function = pool.function(id);
    let Body::External(external) = &function.body else { return None };
    let [output] = function.outputs[..] else { return None };
    let number =
        |local| function.local(local).dims.is_empty() && function.local(local).scalar != Scalar::String;
    if external.result != Some(output) || !number(output) || external.args.len() > NATIVE_ARGS {
        return None;
    }
    let args = external
        .args
        .iter()
        .map(|&arg| match function.term(arg) {
            Term::Const(value) => Some(Source::Constant(*value)),
            Term::Local(local) if number(*local) => {
                let entry = inputs.entries.iter().find(|entry| entry.local == *local)?;
                Some(Source::Input(entry.offset))
            }
            _ => None,
        })
        .collect::<Option<Vec<Source>>>()?;
    Some(Native { call: kausal_external::number_native(&external.name)?, args })
}
