//! Parameters and start values of one run, in the place of those of its program.
//!
//! A [`CompiledModel`] is shared and does not change. What a run changes of it are [`Overrides`]: numbers and texts for parameters
//! that are not structural ([`Program::structural`]) and for start values ([`Program::starts`]). The sections that are evaluated
//! once, `parameters` and `initial`, are then executed so that what is given is not computed.
//!
//! The translation has proven for some divisors that they are never zero, and for some roots on which side they lie, with the
//! parameters as they were. [`admits`] looks whether these proofs hold with other values: every divisor must differ from zero where
//! it did, and no Real parameter may change its sign on which the side of a root can depend. Where they do not, another translation
//! finds another way.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use kausal_codegen::{Backend, ChunkId, Code, Compiler, Memory};
use kausal_symbolic::evaluate::evaluate;
use kausal_symbolic::interval::{Interval, Ranges};
use kausal_symbolic::visit::Visitor;
use kausal_symbolic::{ExprId, Node, Op, Pool, VarId};
use kausal_translate::program::{Assign, EquationRef, Kind, Step, Structural};
use kausal_translate::{Program, flow};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::compiled_model::{CompiledModel, Exec, straight_line};
use crate::machine::{Machine, Mode, Stop};

/// What a variable is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number; Booleans are 0 and 1, literals of enumerations count from 1.
    Number(f64),
    /// A text, for a `String`.
    Text(Arc<str>),
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Number(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

/// Why a run cannot be given a value without another translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refused {
    /// The program depends on the parameter.
    Structural(VarId, Structural),
    /// It has no start value of its own that a run could change.
    Start(VarId),
    /// A text for a number, or a number for a text.
    Type(VarId),
    /// The parameter would have another sign, or be zero where it was not.
    Sign(VarId),
    /// What is divided by may be zero.
    Divisor(ExprId),
}

/// Values of parameters and start values for one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    parameters: BTreeMap<VarId, Value>,
    starts: BTreeMap<VarId, Value>,
}

impl Overrides {
    /// None.
    pub fn new() -> Overrides {
        Overrides::default()
    }

    /// The same for another program of the same model, in which variables have other places; none where one is not there.
    pub fn moved(&self, to: &Program, place: impl Fn(VarId) -> Option<VarId>) -> Option<Overrides> {
        let mut all = Overrides::new();
        for (v, value) in self.parameters.iter().chain(&self.starts) {
            all.set(to, place(*v)?, value.clone()).ok()?;
        }
        Some(all)
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.starts.is_empty()
    }

    /// The numbers, each with the variable it is for.
    pub fn numbers(&self) -> impl Iterator<Item = (VarId, Option<f64>)> {
        self.parameters.iter().chain(&self.starts).map(|(&v, value)| match value {
            Value::Number(number) => (v, Some(*number)),
            Value::Text(_) => (v, None),
        })
    }

    /// Gives a parameter of the program another value, and any other variable another start value.
    pub fn set(
        &mut self,
        program: &Program,
        variable: VarId,
        value: impl Into<Value>,
    ) -> Result<(), Refused> {
        let value = value.into();
        let declared = &program.variables[variable.index()];
        if matches!(value, Value::Text(_)) != declared.is_string() {
            return Err(Refused::Type(variable));
        }
        if let Ok(at) = program.structural.binary_search_by_key(&variable, |(v, _)| *v) {
            return Err(Refused::Structural(variable, program.structural[at].1));
        }
        if declared.kind == Kind::Parameter {
            self.parameters.insert(variable, value);
            return Ok(());
        }
        if program.inputs.iter().any(|input| input.variable == variable) {
            self.starts.insert(variable, value);
            return Ok(());
        }
        let at = program.starts.partition_point(|start| start.variable < variable);
        match program.starts.get(at) {
            Some(start) if start.variable == variable && start.changeable => {
                self.starts.insert(variable, value);
                Ok(())
            }
            _ => Err(Refused::Start(variable)),
        }
    }
}

/// Consecutive steps of a section that were compiled into one chunk, and the same one by one for runs that leave some out.
#[derive(Debug)]
pub(crate) struct Stretch {
    pub chunk: ChunkId,
    /// Places in the section.
    pub steps: Range<usize>,
    single: OnceLock<Option<Singles>>,
}

#[derive(Debug)]
struct Singles {
    code: Code,
    chunks: Vec<(Assign, ChunkId)>,
}

impl Stretch {
    pub(crate) fn new(chunk: ChunkId, steps: Range<usize>) -> Stretch {
        Stretch { chunk, steps, single: OnceLock::new() }
    }

    fn assigns<'a>(&self, section: &'a [Step]) -> impl Iterator<Item = Assign> + use<'a> {
        section[self.steps.clone()].iter().flat_map(|step| match step {
            Step::Assign(assign) => vec![*assign],
            step => straight_line(step).unwrap_or_default(),
        })
    }

    fn singles(&self, pool: &Pool, section: &[Step]) -> Option<&Singles> {
        let made = self.single.get_or_init(|| {
            // They are run once each: byte code, which computes the same.
            let mut compiler = Compiler::new(pool, Backend::Interpreter);
            let mut chunks = Vec::new();
            for assign in self.assigns(section) {
                chunks.push((assign, compiler.add(&[assign]).ok()?));
            }
            Some(Singles { code: compiler.finish().ok()?, chunks })
        });
        made.as_ref()
    }
}

/// Overrides of a run, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Applied {
    parameters: FxHashMap<VarId, f64>,
    /// Value, declared start value and initial condition.
    starts: FxHashMap<VarId, (f64, ExprId, Option<EquationRef>)>,
    /// Start values as they are with these parameters.
    sizes: FxHashMap<VarId, f64>,
}

impl Applied {
    /// The value that takes the place of what is assigned here.
    fn instead(&self, assign: &Assign) -> Option<f64> {
        if let Some(&value) = self.parameters.get(&assign.variable) {
            return Some(value);
        }
        let &(value, start, condition) = self.starts.get(&assign.variable)?;
        let is_guess = assign.equation.is_none() && assign.value == start;
        let is_condition = assign.equation.is_some() && assign.equation == condition;
        (is_guess || is_condition).then_some(value)
    }
}

impl Applied {
    /// Start values with these parameters, by variable.
    pub(crate) fn sizes(&self) -> Vec<(VarId, f64)> {
        let Applied { parameters: _, starts: _, sizes } = self;
        let mut all: Vec<(VarId, f64)> = sizes.iter().map(|(v, value)| (*v, *value)).collect();
        all.sort_unstable_by_key(|(v, _)| *v);
        all
    }

    pub(crate) fn set_sizes(&mut self, sizes: Vec<(VarId, f64)>) {
        self.sizes = sizes.into_iter().collect();
    }
}

/// Overrides as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedOverrides {
    parameters: Vec<(VarId, SavedValue)>,
    starts: Vec<(VarId, SavedValue)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum SavedValue {
    Number(f64),
    Text(String),
}

impl Overrides {
    /// As bytes.
    pub fn bytes(&self) -> Vec<u8> {
        // Numbers and texts can always be written.
        postcard::to_stdvec(&self.saved()).unwrap_or_default()
    }

    /// From their bytes; none where these are of another program, or none.
    pub fn read(program: &Program, bytes: &[u8]) -> Option<Overrides> {
        Overrides::restored(program, postcard::from_bytes(bytes).ok()?)
    }

    pub(crate) fn saved(&self) -> SavedOverrides {
        let save = |(v, value): (&VarId, &Value)| match value {
            Value::Number(number) => (*v, SavedValue::Number(*number)),
            Value::Text(text) => (*v, SavedValue::Text(text.to_string())),
        };
        let Overrides { parameters, starts } = self;
        SavedOverrides {
            parameters: parameters.iter().map(save).collect(),
            starts: starts.iter().map(save).collect(),
        }
    }

    /// None where the program does not take these values.
    pub(crate) fn restored(program: &Program, saved: SavedOverrides) -> Option<Overrides> {
        let SavedOverrides { parameters, starts } = saved;
        let mut all = Overrides::new();
        for (v, value) in parameters.into_iter().chain(starts) {
            let value = match value {
                SavedValue::Number(number) => Value::Number(number),
                SavedValue::Text(text) => Value::Text(text.into()),
            };
            if v.index() >= program.variables.len() {
                return None;
            }
            all.set(program, v, value).ok()?;
        }
        Some(all)
    }
}

/// Which of the two sections that are executed once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Once {
    Parameters,
    Initial,
}

impl Machine {
    /// Memory for one run with values of its own for some parameters and start values.
    pub fn with(model: Arc<CompiledModel>, overrides: &Overrides) -> Machine {
        let mut machine = Machine::new(model);
        if overrides.is_empty() {
            return machine;
        }
        let model = machine.model().clone();
        let mut applied = Applied::default();
        for (&v, value) in &overrides.parameters {
            let number = machine.number_of_value(value);
            applied.parameters.insert(v, number);
            machine.preset(v, number);
        }
        // An input may have no start value of its own.
        let inputs = model.program.inputs.iter().map(|input| input.variable);
        for v in inputs.filter(|v| overrides.starts.contains_key(v)) {
            let number = machine.number_of_value(&overrides.starts[&v]);
            machine.preset(v, number);
        }
        for start in &model.program.starts {
            if let Some(value) = overrides.starts.get(&start.variable) {
                let number = machine.number_of_value(value);
                applied.starts.insert(start.slot, (number, start.value, start.equation));
                applied.sizes.insert(start.slot, number);
                machine.preset(start.slot, number);
            }
        }
        machine.applied = Some(Box::new(applied));
        machine
    }

    /// Parameters have other values from here on, and so has what is computed from them alone.
    pub(crate) fn change_parameters(&mut self, values: &[(VarId, Value)]) -> Result<(), Stop> {
        let mut applied = self.applied.take().unwrap_or_default();
        for (v, value) in values {
            let number = self.number_of_value(value);
            applied.parameters.insert(*v, number);
            self.preset(*v, number);
        }
        self.applied = Some(applied);
        self.run_once(Once::Parameters)?;
        self.forget_factors();
        self.evaluate_bounds();
        Ok(())
    }

    fn number_of_value(&mut self, value: &Value) -> f64 {
        match value {
            Value::Number(number) => *number,
            Value::Text(text) => {
                let model = self.model().clone();
                self.calls.number(&model.program.pool, text)
            }
        }
    }

    /// Executes a section that is executed once; what the run was given is not computed.
    pub(crate) fn run_once(&mut self, once: Once) -> Result<(), Stop> {
        let model = self.model().clone();
        let (steps, section, stretches) = match once {
            Once::Parameters => (&model.parameters, &model.program.parameters, &model.stretches[0]),
            Once::Initial => (&model.initial, &model.program.initial, &model.stretches[1]),
        };
        let Some(applied) = self.applied.take() else { return self.run(steps, Mode::Initial) };
        let mut outcome = Ok(());
        let mut next = stretches.iter().peekable();
        for step in steps {
            outcome = match step {
                Exec::Code(chunk) => {
                    let stretch = next.next_if(|stretch| stretch.chunk == *chunk);
                    let given = stretch
                        .filter(|s| s.assigns(section).any(|assign| applied.instead(&assign).is_some()))
                        .and_then(|s| s.singles(&model.program.pool, section));
                    match given {
                        Some(singles) => {
                            self.run_singles(singles, &applied);
                            Ok(())
                        }
                        None => self.run(std::slice::from_ref(step), Mode::Initial),
                    }
                }
                Exec::Call(call)
                    if !call.outputs.is_empty()
                        && call
                            .outputs
                            .iter()
                            .all(|v| v.is_some_and(|v| applied.parameters.contains_key(&v))) =>
                {
                    Ok(())
                }
                step => self.run(std::slice::from_ref(step), Mode::Initial),
            };
            if outcome.is_err() {
                break;
            }
            if !matches!(step, Exec::Code(_)) {
                for (v, value) in &applied.parameters {
                    self.values[v.index()] = *value;
                }
            }
        }
        self.applied = Some(applied);
        if once == Once::Parameters && outcome.is_ok() {
            self.measure_starts();
        }
        outcome
    }

    fn run_singles(&mut self, singles: &Singles, applied: &Applied) {
        let mut scratch = singles.code.scratch();
        for (assign, chunk) in &singles.chunks {
            match applied.instead(assign) {
                Some(value) => self.values[assign.variable.index()] = value,
                None => {
                    let mut memory = Memory {
                        values: &mut self.values,
                        pre: &self.pre,
                        time: self.time,
                        scratch: &mut scratch,
                    };
                    singles.code.run(*chunk, &mut memory);
                }
            }
        }
    }

    /// Start values that depend on parameters, as they are now: a translation would have had them as numbers.
    fn measure_starts(&mut self) {
        let model = self.model().clone();
        let pool = &model.program.pool;
        let Some(applied) = &mut self.applied else { return };
        for start in model.program.starts.iter().filter(|start| pool.as_constant(start.value).is_none()) {
            let values = &self.values;
            let known = !pool.has_calls(start.value)
                && !pool.contains_any(start.value, |v| {
                    model.program.variables[v.index()].kind != Kind::Parameter
                });
            if known {
                let value = evaluate(pool, start.value, &mut |v: VarId| values[v.index()]);
                let value = if value.is_nan() { 0.0 } else { value };
                applied.sizes.entry(start.slot).or_insert(value);
            }
        }
    }

    /// The start value of a variable in this run, for what is measured by it.
    pub(crate) fn start_value(&self, v: VarId) -> f64 {
        let own = self.applied.as_ref().and_then(|applied| applied.sizes.get(&v).copied());
        own.unwrap_or(self.model().program.variables[v.index()].value)
    }
}

/// What the translation has proven with the parameters as they were.
#[derive(Debug)]
pub(crate) struct Premises {
    /// Values after [`Program::parameters`].
    values: Vec<f64>,
    /// What never is zero for that reason.
    divisors: Vec<ExprId>,
    /// Real parameters whose signs count.
    reals: Vec<VarId>,
    /// Parameters and what is computed from them alone.
    known: FxHashSet<VarId>,
}

/// Does the program hold with these values? The first thing that is in the way, if not.
pub fn admits(model: &Arc<CompiledModel>, overrides: &Overrides) -> Result<(), Refused> {
    if overrides.parameters.is_empty() {
        return Ok(());
    }
    let Some(premises) = model.premises.get_or_init(|| premises(model)) else { return Ok(()) };
    let mut machine = Machine::with(model.clone(), overrides);
    if machine.run_once(Once::Parameters).is_err() {
        // The run will say what is wrong.
        return Ok(());
    }
    let sign = |value: f64| if value == 0.0 { 0 } else { 2 * i8::from(value > 0.0) - 1 };
    for &v in &premises.reals {
        let (old, new) = (premises.values[v.index()], machine.values[v.index()]);
        if sign(old) != sign(new) && new.is_finite() {
            return Err(Refused::Sign(v));
        }
    }
    if premises.divisors.is_empty() {
        return Ok(());
    }
    let mut ranges = Ranges::new(|v| range(&model.program, &premises.known, &machine.values, v));
    let zero = premises.divisors.iter().find(|&&e| !ranges.is_nonzero(&model.program.pool, e));
    zero.map_or(Ok(()), |&e| Err(Refused::Divisor(e)))
}

/// What is never zero because parameters have their values.
fn premises(model: &Arc<CompiledModel>) -> Option<Premises> {
    let program = &model.program;
    let mut machine = Machine::new(model.clone());
    machine.run_once(Once::Parameters).ok()?;
    let fixed = known_before_run(program);
    let mut visitor = Visitor::new();
    let mut divisors: Vec<ExprId> = Vec::new();
    for &id in visitor.reachable(&program.pool, &formulas(program)) {
        match program.pool.node(id) {
            Node::Op(Op::Div, args) => divisors.push(args[1]),
            Node::Op(Op::Pow, args) if program.pool.as_constant(args[1]).is_none_or(|n| n < 0.0) => {
                divisors.push(args[0]);
            }
            _ => {}
        }
    }
    divisors.sort_unstable();
    divisors.dedup();
    let mut with_values = Ranges::new(|v| range(program, &fixed, &machine.values, v));
    let unknown: FxHashSet<VarId> = FxHashSet::default();
    let mut without = Ranges::new(|v| range(program, &unknown, &machine.values, v));
    divisors.retain(|&e| with_values.is_nonzero(&program.pool, e) && !without.is_nonzero(&program.pool, e));
    drop((with_values, without));
    let reals = sides(program, &fixed);
    Some(Premises { values: machine.values, divisors, reals, known: fixed })
}

/// Real parameters on whose signs it can depend on which side a root lies. That is asked where an equation is solved for what stands
/// in a power or in a function that has a value on two sides; the answer comes from where its variables lie, and from what these
/// are computed from.
fn sides(program: &Program, known: &FxHashSet<VarId>) -> Vec<VarId> {
    let pool = &program.pool;
    // By expression, those in it first: does it depend on unknowns? Has it a power or such a function of some?
    let (mut open, mut sided) = (vec![false; pool.len()], vec![false; pool.len()]);
    for id in 0..pool.len() {
        let children = pool.children(ExprId(id as u32));
        let any = |of: &[bool]| children.iter().any(|child| of[child.0 as usize]);
        let (unknown, inside, two_sided) = match pool.node(ExprId(id as u32)) {
            Node::Var(v) => (!known.contains(&v), false, false),
            Node::Op(op, _) => (any(&open), any(&sided), has_sides(op)),
            _ => (any(&open), any(&sided), false),
        };
        (open[id], sided[id]) = (unknown, inside || two_sided && unknown);
    }
    let asked = program.equations.iter().flat_map(|e| [e.lhs, e.rhs].into_iter().map(move |side| (e, side)));
    let asked = asked.filter(|(_, side)| sided[side.0 as usize]).flat_map(|(e, _)| [e.lhs, e.rhs]);
    let mut stack: Vec<VarId> = asked.flat_map(|side| pool.variables_of(side)).collect();
    let mut values: FxHashMap<VarId, Vec<ExprId>> = FxHashMap::default();
    for step in flow::nested(all_steps(program)) {
        if let Step::Assign(assign) = step {
            values.entry(assign.variable).or_default().push(assign.value);
        }
    }
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    while let Some(v) = stack.pop() {
        if seen.insert(v) {
            stack.extend(values.remove(&v).into_iter().flatten().flat_map(|value| pool.variables_of(value)));
        }
    }
    let is_real = |v: &VarId| {
        let var = &program.variables[v.index()];
        var.kind == Kind::Parameter && var.is_real()
    };
    let mut reals: Vec<VarId> = seen.into_iter().filter(is_real).collect();
    reals.sort_unstable();
    reals
}

/// Is an equation with it solved for what it is applied to by asking on which side that lies, or where its value does?
fn has_sides(op: Op) -> bool {
    let functions = [Op::Exp, Op::Sqrt, Op::Sin, Op::Cos, Op::Tan, Op::Asin, Op::Acos, Op::Atan];
    functions.contains(&op) || matches!(op, Op::Pow | Op::Tanh | Op::Cosh | Op::Abs)
}

/// Parameters and what is computed from them alone.
fn known_before_run(program: &Program) -> FxHashSet<VarId> {
    let mut known = FxHashSet::default();
    program.parameters.iter().for_each(|step| flow::writes(step, &mut known));
    let variables = (0..).map(VarId).zip(&program.variables);
    known.extend(variables.filter(|(_, v)| v.kind == Kind::Parameter).map(|(v, _)| v));
    known
}

fn range(program: &Program, known: &FxHashSet<VarId>, values: &[f64], v: VarId) -> Interval {
    let declared = &program.variables[v.index()];
    match known.contains(&v) {
        true => Interval::point(values[v.index()]),
        false if declared.kind == Kind::Parameter => Interval::ALL,
        false => Interval::new(declared.min, declared.max),
    }
}

/// The steps of all sections.
fn all_steps(program: &Program) -> impl Iterator<Item = &Step> {
    let inlined = program.discretized.iter().flat_map(|d| [Some(d), d.filter.as_deref()]).flatten();
    let inlined = inlined.flat_map(|d| d.factors.iter().chain(&d.steps));
    let sections =
        [&program.parameters, &program.initial, &program.dynamics, &program.outputs, &program.discrete];
    sections.into_iter().flatten().chain(inlined)
}

/// All formulas of a program that are assigned somewhere.
fn formulas(program: &Program) -> Vec<ExprId> {
    let mut all = Vec::new();
    for step in flow::nested(all_steps(program)) {
        match step {
            Step::Assign(assign) => all.push(assign.value),
            Step::Call(call) => all.extend(&call.args),
            _ => {}
        }
    }
    all
}
