//! What is asked of the runs of an ensemble, and the text of the kernel that makes them.

use std::fmt;

use kausal_codegen::c::write_device;
use kausal_symbolic::VarId;
use kausal_translate::program::{Kind, Step};
use kausal_translate::{Program, flow};

/// More states than a thread has memory for beside its many neighbours: a Rosenbrock step keeps two matrices of them.
const MOST_STATES: usize = 96;
/// More variables than that.
const MOST_VARIABLES: usize = 20_000;
/// Loops over so many states are unrolled: their arrays become registers.
const UNROLLED_STATES: usize = 8;

/// What is asked of all runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// Parameters and start values that differ from run to run, in the order of their columns.
    pub varied: Vec<VarId>,
    /// The variables that are followed.
    pub followed: Vec<Kept>,
    /// Numbers of each run: of which followed variable, and which one.
    pub numbers: Vec<(usize, Number)>,
    /// The followed variables that have trajectories.
    pub traced: Vec<usize>,
    /// States are looked at inside the run, not only at its end.
    pub inside: bool,
    /// The integration method.
    pub method: Method,
}

/// How steps are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Explicit; a run that turns out to be stiff is given up.
    #[default]
    ExplicitWhile,
    /// Explicit in any case.
    Explicit,
    /// Linearly implicit, for stiff models.
    Rosenbrock,
}

/// A variable that is followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kept {
    /// A variable of the program.
    Variable(VarId),
    /// There is none of that name.
    Missing,
}

/// A number that is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// The value at the end.
    Final,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The mean over time.
    Mean,
    /// The integral over time.
    Integral,
    /// The first instant at which it is larger than this.
    Above(f64),
    /// The first instant at which it is smaller.
    Below(f64),
}

impl Number {
    /// Its name in the text, and the number it is compared with.
    fn kind(self) -> (&'static str, f64) {
        match self {
            Number::Final => ("kausal_ask_final", 0.0),
            Number::Min => ("kausal_ask_min", 0.0),
            Number::Max => ("kausal_ask_max", 0.0),
            Number::Mean => ("kausal_ask_mean", 0.0),
            Number::Integral => ("kausal_ask_integral", 0.0),
            Number::Above(bound) => ("kausal_ask_above", bound),
            Number::Below(bound) => ("kausal_ask_below", bound),
        }
    }
}

/// Runs that are made together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// As many values for each that is varied, column after column.
    pub columns: Vec<f64>,
    /// How many runs.
    pub runs: usize,
    /// Instants at which values are looked at, ascending and behind the start; the last one is the end.
    pub instants: Vec<f64>,
    /// Instants of trajectories.
    pub grid: Vec<f64>,
    /// Instants this close are the same.
    pub same: f64,
    /// From where.
    pub start: f64,
    /// To where.
    pub stop: f64,
    /// Relative tolerance.
    pub tolerance: f64,
    /// The longest step.
    pub longest: f64,
    /// Attempts at steps that a run may make.
    pub most: u32,
}

/// What came of a batch, column after column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finished {
    /// Numbers, one column each.
    pub numbers: Vec<f64>,
    /// Trajectories: a column for each instant and variable.
    pub traces: Vec<f64>,
    /// Where runs ended.
    pub ends: Vec<f64>,
    /// How.
    pub outcomes: Vec<Outcome>,
    /// In how many steps.
    pub steps: Vec<u32>,
    /// Seconds the kernel took.
    pub seconds: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At its end.
    Complete,
    /// The model or the method failed.
    Failed,
    /// The model ended it.
    Terminated,
    /// An explicit method is no good for it.
    Stiff,
    /// It took too many steps.
    TooLong,
    /// At its end, and an assertion warned.
    Warned,
}

impl Outcome {
    /// As a kernel tells it.
    pub fn of(code: i32) -> Outcome {
        match code {
            0 => Outcome::Complete,
            2 => Outcome::Terminated,
            3 => Outcome::Stiff,
            4 => Outcome::TooLong,
            5 => Outcome::Warned,
            _ => Outcome::Failed,
        }
    }
}

/// Why a program does not go to a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A kernel, as text.
#[derive(Clone, Debug)]
pub struct Ensemble {
    /// CUDA C++, and C++ for the tests.
    pub text: String,
    /// The question it answers.
    pub question: Question,
    /// About the bytes of memory a run takes.
    pub bytes_a_run: usize,
}

impl Ensemble {
    /// Writes the kernel.
    ///
    /// # Errors
    /// Why the program cannot be run on a GPU.
    pub fn new(program: &Program, question: &Question) -> Result<Ensemble, Refusal> {
        refuse(program)?;
        let mut program = program.clone();
        program.discretized = None;
        let mut columns = Vec::with_capacity(question.varied.len());
        for &v in &question.varied {
            columns.push(free(&mut program, v)?);
        }
        let varied: Vec<VarId> = columns.iter().flatten().copied().collect();
        let device = write_device(&program, &varied).map_err(|error| Refusal(error.to_string()))?;
        let has_records = question.inside || !question.traced.is_empty();
        let n = program.states.len();
        let unrolled = n <= UNROLLED_STATES;
        let watched: Vec<_> =
            program.relations.iter().enumerate().filter(|(_, r)| r.timed.is_none()).collect();
        let happens = !watched.is_empty() || !program.time_events.is_empty() || !program.samples.is_empty();
        let in_pieces = question.numbers.iter().any(|(_, number)| {
            matches!(number, Number::Mean | Number::Integral | Number::Above(_) | Number::Below(_))
        });
        let stiff = question.method == Method::Rosenbrock;
        let mut text = String::from("/* An ensemble: generated by Kausal. */\n");
        for (name, value) in [
            ("STATES", n),
            ("HELD", device.held.len().max(1)),
            ("DIRECT", usize::from(device.direct)),
            ("JACOBIAN", usize::from(device.jacobian)),
            ("AUTONOMOUS", usize::from(device.autonomous)),
            ("STIFF", usize::from(stiff)),
            ("WATCHES_STIFFNESS", usize::from(question.method == Method::ExplicitWhile)),
            ("EVENTS", usize::from(happens)),
            ("RELATIONS", watched.len()),
            ("TIME_EVENTS", program.time_events.len()),
            ("SAMPLES", program.samples.len()),
            ("FIRST_EVENT", usize::from(has_first_event(&program))),
            ("RECORDS", usize::from(has_records)),
            ("PIECES", usize::from(in_pieces)),
            ("FOLLOWED", question.followed.len().max(1)),
            ("ASKED", question.numbers.len()),
            ("NUMBERS", question.numbers.len().max(1)),
            ("TRACED", question.traced.len()),
            ("OUTPUTS", usize::from(needs_outputs(&program, question))),
        ] {
            text.push_str(&format!("#define KAUSAL_{name} {value}\n"));
        }
        text.push_str(include_str!("device/prelude.cu"));
        if !unrolled {
            text.push_str("#undef KAUSAL_UNROLL\n#define KAUSAL_UNROLL\n");
        }
        text.push_str(include_str!("device/work.cu"));
        text.push_str(&device.text);
        text.push_str(&tables(&program, question, &device.held, &columns));
        text.push_str(if stiff {
            include_str!("device/rodasp.cu")
        } else {
            include_str!("device/tsitouras.cu")
        });
        // The methods use what controls steps, which uses their constants.
        let control = include_str!("device/control.cu");
        let at = text.rfind("/* An attempt at a step").filter(|_| !stiff);
        match at.or_else(|| text.rfind("/* Derivatives of the right side by states, by differences")) {
            Some(at) => text.insert_str(at, control),
            None => text.push_str(control),
        }
        text.push_str(include_str!("device/follow.cu"));
        text.push_str(include_str!("device/run.cu"));
        let variables = program.variables.len();
        let bytes_a_run = 8 * (question.varied.len() + question.numbers.len() + 3);
        if variables > MOST_VARIABLES {
            return Err(Refusal(format!("{variables} variables are too many for a thread of a GPU")));
        }
        Ok(Ensemble { text, question: question.clone(), bytes_a_run })
    }

    /// Bytes of memory that so many runs take on the device, with trajectories at so many instants.
    pub fn bytes(&self, runs: usize, grid: usize) -> usize {
        runs * (self.bytes_a_run + 8 * grid * self.question.traced.len())
    }
}

/// What no thread can do.
fn refuse(program: &Program) -> Result<(), Refusal> {
    let states = program.states.len();
    let why = match () {
        () if states == 0 => "it has no states".to_owned(),
        () if states > MOST_STATES => {
            format!("{states} states are too many for a thread (at most {MOST_STATES})")
        }
        () if !program.clocks.is_empty() => "it has clocks".to_owned(),
        () if !program.delays.is_empty() => "it has delays".to_owned(),
        () if !program.transports.is_empty() => "it has spatialDistribution".to_owned(),
        () if !program.state_sets.is_empty() => "it selects states while it runs".to_owned(),
        () if program.terminal_flag.is_some() => "it asks for terminal()".to_owned(),
        () => {
            let computed = program.parameters.iter().chain(&program.initial).chain(&program.dynamics);
            let computed = computed.chain(&program.outputs).chain(&program.discrete);
            let mut written = Default::default();
            computed.for_each(|step| flow::writes(step, &mut written));
            let mut texts: Vec<&str> = written
                .iter()
                .map(|v: &VarId| &program.variables[v.index()])
                .filter(|v| v.is_string() && v.kind != Kind::Parameter)
                .map(|v| v.name.as_str())
                .collect();
            texts.sort_unstable();
            match texts.first() {
                Some(name) => format!("it computes the String {name}"),
                None => return Ok(()),
            }
        }
    };
    Err(Refusal(why))
}

/// Lets a program take a value from outside: nothing computes it any more. Gives the slots it goes to.
fn free(program: &mut Program, v: VarId) -> Result<Vec<VarId>, Refusal> {
    let name = program.variables[v.index()].name.clone();
    if program.variables[v.index()].is_string() {
        return Err(Refusal(format!("the String {name} is varied")));
    }
    let mut slots = Vec::new();
    if program.variables[v.index()].kind == Kind::Parameter {
        slots.push(v);
        program.parameters.retain(|step| !matches!(step, Step::Assign(assign) if assign.variable == v));
        let mut written = Default::default();
        program.parameters.iter().for_each(|step| flow::writes(step, &mut written));
        if written.contains(&v) {
            return Err(Refusal(format!(
                "the parameter {name} is varied, and a function computes it with others"
            )));
        }
        return Ok(slots);
    }
    if program.inputs.iter().any(|input| input.variable == v) {
        slots.push(v);
    }
    for start in program.starts.clone().iter().filter(|start| start.variable == v) {
        slots.push(start.slot);
        program.initial.retain(|step| match step {
            Step::Assign(assign) if assign.variable == start.slot => {
                let is_guess = assign.equation.is_none() && assign.value == start.value;
                let is_condition = assign.equation.is_some() && assign.equation == start.equation;
                !(is_guess || is_condition)
            }
            _ => true,
        });
    }
    if slots.is_empty() {
        return Err(Refusal(format!("{name} has no start value of its own")));
    }
    Ok(slots)
}

/// Does anything happen at the start that parameters and the initial problem do not do?
fn has_first_event(program: &Program) -> bool {
    let is_plain = flow::nested(&program.discrete).iter().all(|step| {
        matches!(step, Step::Assign(_) | Step::Call(_) | Step::Solve(_) | Step::System(_) | Step::If(..))
    });
    !(is_plain
        && program.relations.is_empty()
        && program.time_events.is_empty()
        && program.samples.is_empty()
        && program.discrete_variables.is_empty()
        && program.checks.is_empty()
        && program.pre.is_empty()
        && program.initial_flag.is_none()
        && program.homotopy.is_none())
}

/// The slot of a variable and its sign.
fn place(program: &Program, kept: Kept) -> Option<(VarId, f64)> {
    let Kept::Variable(v) = kept else { return None };
    match program.variables[v.index()].kind {
        Kind::Alias(alias) => Some((alias.target, if alias.negated { -1.0 } else { 1.0 })),
        _ => Some((v, 1.0)),
    }
}

/// Is anything followed that only outputs compute? They also contain assertions, so that they are computed where anything is asked of
/// them.
fn needs_outputs(program: &Program, question: &Question) -> bool {
    let mut written = Default::default();
    program.outputs.iter().for_each(|step| flow::writes(step, &mut written));
    let asks = question.followed.iter().filter_map(|&kept| place(program, kept));
    let asserts = flow::nested(&program.outputs).iter().any(|step| matches!(step, Step::Assert(_)));
    asserts || asks.into_iter().any(|(v, _)| written.contains(&v))
}

/// Tables and small functions that the files in `device` read.
fn tables(program: &Program, question: &Question, held: &[VarId], columns: &[Vec<VarId>]) -> String {
    let mut out = String::from(
        "enum { kausal_ask_final, kausal_ask_min, kausal_ask_max, kausal_ask_mean, kausal_ask_integral, kausal_ask_above, kausal_ask_below };\n",
    );
    let mut table = |ty: &str, name: &str, items: Vec<String>| {
        let items = if items.is_empty() { vec!["0".to_owned()] } else { items };
        out.push_str(&format!("static const {ty} {name}[{}] = {{{}}};\n", items.len(), items.join(", ")));
    };
    let slot = |v: &VarId| v.0.to_string();
    let number = |x: f64| match x {
        x if x.is_nan() => "0.0".to_owned(),
        x => format!("{:?}", x.clamp(f64::MIN, f64::MAX)),
    };
    let states = program.states.iter().map(|s| &program.variables[s.variable.index()]);
    let said = states.map(|v| match v.nominal_said && v.nominal.abs() > 0.0 && v.nominal.is_finite() {
        true => number(v.nominal.abs()),
        false => "0.0".to_owned(),
    });
    table("double", "kausal_said", said.collect());
    table("int", "kausal_held", held.iter().map(slot).collect());
    let watched: Vec<_> = program.relations.iter().enumerate().filter(|(_, r)| r.timed.is_none()).collect();
    table("int", "kausal_difference", watched.iter().map(|(_, r)| slot(&r.difference)).collect());
    table("int", "kausal_held_relation", watched.iter().map(|(_, r)| slot(&r.variable)).collect());
    table("int", "kausal_or_equal", watched.iter().map(|(_, r)| u8::from(r.or_equal).to_string()).collect());
    table("int", "kausal_relation_place", watched.iter().map(|(i, _)| i.to_string()).collect());
    let places: Vec<_> = question.followed.iter().map(|&kept| place(program, kept)).collect();
    table(
        "int",
        "kausal_slot",
        places.iter().map(|p| p.map_or("-1".to_owned(), |(v, _)| slot(&v))).collect(),
    );
    table("double", "kausal_sign_of", places.iter().map(|p| number(p.map_or(1.0, |(_, s)| s))).collect());
    table("int", "kausal_place", question.numbers.iter().map(|(k, _)| k.to_string()).collect());
    table("int", "kausal_kind", question.numbers.iter().map(|(_, n)| n.kind().0.to_owned()).collect());
    table("double", "kausal_bound", question.numbers.iter().map(|(_, n)| number(n.kind().1)).collect());
    table("int", "kausal_traced", question.traced.iter().map(usize::to_string).collect());
    out.push_str("\n/* What is varied. */\nKAUSAL_INLINE void kausal_vary(model *m, const double *column, unsigned runs)\n{\n");
    for (k, slots) in columns.iter().enumerate() {
        for v in slots {
            out.push_str(&format!("    m->v[{0}] = m->pre[{0}] = column[(size_t){k}*runs];\n", v.0));
        }
    }
    out.push_str("    (void)m;\n    (void)column;\n    (void)runs;\n}\n\n");
    out
}
