//! The C text of a program as a GPU takes it: valid as C++, too, without files, memory or strings of its own.
//!
//! It has the sections and the events of [`super::write`], and beside them the right side as a function of its own: states and what is
//! held between events come in, derivatives go out, and everything else lives in local variables that become registers. Where the
//! right side is straight-line code its Jacobian is written as well, by derivatives in forward mode.
//!
//! ```text
//! model_slopes      dx from x, time and the held values, without the struct     (KAUSAL_DIRECT)
//! model_jacobian    its derivatives by the states                              (KAUSAL_JACOBIAN)
//! ```
//!
//! A program that cannot be written so (foreign code, Strings, sizes that come up in the run, clocks, delays) is refused with the
//! reason.

use kausal_symbolic::{Node, Op, VarId};
use kausal_translate::program::{Form, Kind, Step};
use kausal_translate::{Program, flow};
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{self, Statements};
use super::section::{Local, Phase, Sections};
use super::text::literal;
use super::{Settings, event, finite, function, kernel, model_struct, prototypes, section, states};
use crate::chunk::Error;
use crate::plan;
use crate::tangent::tangent;

/// A longer right side is not written a second time for its derivatives.
const MOST_FOR_DERIVATIVES: usize = 4_000;

/// The text, and what those must know who call it.
#[derive(Clone, Debug)]
pub struct DeviceText {
    /// C that is also C++.
    pub text: String,
    /// There is `model_slopes`.
    pub direct: bool,
    /// There is `model_jacobian`.
    pub jacobian: bool,
    /// Where the held values of `model_slopes` are.
    pub held: Vec<VarId>,
    /// The right side does not depend on time.
    pub autonomous: bool,
}

/// Writes a program for a GPU. Parameters that are `varied` are taken as they are where others are numbers.
///
/// # Errors
/// Why it cannot be done.
pub fn write_device(program: &Program, varied: &[VarId]) -> Result<DeviceText, Error> {
    if !program.clocks.is_empty() {
        return Err(Error::Unsupported("equations on clocks".to_owned()));
    }
    let mut sections = Sections::new(program, Settings::default());
    sections.device = true;
    finite::write(&mut sections, program);
    sections.section("model_initial", &program.initial, section::Phase::Initial)?;
    sections.section("model_dynamics", &program.dynamics, section::Phase::Continuous)?;
    sections.outputs("model_outputs", &program.outputs)?;
    sections.hidden_section("model_round", &program.discrete, section::Phase::Event)?;
    let mut held = Vec::new();
    let direct = is_direct(&program.dynamics);
    let mut jacobian = false;
    if direct {
        held = held_values(program, varied);
        sections.slopes(&held, varied)?;
        jacobian = sections.derivatives(&held, varied)?;
    }
    sections.parameters("model_parameters", &program.parameters)?;
    event::write(&mut sections, program)?;

    let (prototypes_of_routines, routines) = function::write(&sections.routines.list, false);
    if !sections.dynamic.is_empty() {
        return Err(Error::Unsupported("functions with Strings or sizes that come up in the run".to_owned()));
    }
    let code = format!("{prototypes_of_routines}\n{routines}{}", sections.functions.join("\n"));
    let mut text = model_struct(program, &sections);
    text.push_str(&seldom());
    text.push_str(&prototypes(program, &sections));
    text.push_str(&kernel::used(&code));
    text.push_str(&states(program));
    text.push_str(&start(program));
    text.push_str(&code);
    Ok(DeviceText { text, direct, jacobian, held, autonomous: !reads_time(program) })
}

/// What is called seldom stays a function.
fn seldom() -> String {
    let hidden = ["model_round", "model_try_events"]
        .map(|name| format!("KAUSAL_APART static int {name}(model *m);\n"));
    let shown = [
        "model_parameters",
        "model_initial",
        "model_event",
        "model_events",
        "model_is_event",
        "model_outputs",
    ];
    let shown = shown.map(|name| format!("KAUSAL_APART int {name}(model *m);\n"));
    let begin =
        "KAUSAL_APART int model_begin(model *m, double start);\nKAUSAL_APART void model_start(model *m);\n";
    hidden.into_iter().chain(shown).chain([begin.to_owned()]).collect()
}

/// Memory as it is before a run.
fn start(program: &Program) -> String {
    let numbers: Vec<String> = program.variables.iter().map(|v| literal(v.value)).collect();
    let lines: Vec<String> = numbers.chunks(12).map(|chunk| chunk.join(", ")).collect();
    let lines = if lines.is_empty() { "0.0".to_owned() } else { lines.join(",\n    ") };
    format!(
        "static const double start[] = {{\n    {lines}\n}};\n\nvoid model_start(model *m)\n{{\n    memset(m, 0, sizeof *m);\n    \
         for (int i = 0; i < model_variables; i++) {{\n        m->v[i] = start[i];\n        m->pre[i] = start[i];\n    }}\n}}\n\n"
    )
}

/// Does nothing in the steps need the struct to live in?
fn is_direct(steps: &[Step]) -> bool {
    flow::nested(steps).into_iter().all(|step| match step {
        Step::Assign(_) | Step::Call(_) | Step::If(..) | Step::Assert(_) => true,
        Step::Solve(solve) => !solve.constant,
        Step::System(system) => match &system.form {
            Form::Linear { guard, .. } => guard.is_none(),
            Form::Nonlinear(_) => false,
            Form::Mixed { .. } => true,
        },
        Step::When(_) | Step::Reinit(..) | Step::Relation(_) | Step::Terminate(_) => false,
    })
}

/// What the dynamics take from elsewhere and is not a number of the program.
fn held_values(program: &Program, varied: &[VarId]) -> Vec<VarId> {
    let (mut read, mut written) = (FxHashSet::default(), FxHashSet::default());
    for step in &program.dynamics {
        flow::reads(&program.pool, step, &mut read);
        flow::writes(step, &mut written);
    }
    // A derivative may be constant, or a state.
    read.extend(program.states.iter().map(|state| state.derivative));
    written.extend(program.states.iter().map(|state| state.variable));
    let numbers = numbers(program, varied);
    let mut held: Vec<VarId> =
        read.into_iter().filter(|v| !written.contains(v) && !numbers.contains(v)).collect();
    held.sort_unstable();
    held
}

/// Parameters that nothing computes and nobody varies: they are the numbers that stand in the program.
fn numbers(program: &Program, varied: &[VarId]) -> FxHashSet<VarId> {
    let mut computed: FxHashSet<VarId> = varied.iter().copied().collect();
    for step in program.parameters.iter().chain(&program.initial) {
        flow::writes(step, &mut computed);
    }
    let parameters = (0..).map(VarId).zip(&program.variables);
    parameters
        .filter(|(v, variable)| variable.kind == Kind::Parameter && !computed.contains(v))
        .map(|(v, _)| v)
        .collect()
}

fn reads_time(program: &Program) -> bool {
    let mut expressions = Vec::new();
    for step in flow::nested(&program.dynamics) {
        match step {
            Step::Assign(assign) => expressions.push(assign.value),
            Step::Call(call) => expressions.extend(&call.args),
            Step::If(condition, ..) => expressions.push(*condition),
            _ => {}
        }
    }
    let mut visitor = kausal_symbolic::visit::Visitor::new();
    let pool = &program.pool;
    visitor.reachable(pool, &expressions).iter().any(|&id| matches!(pool.node(id), Node::Op(Op::Time, _)))
}

impl Sections<'_> {
    /// The beginning of a function over local values.
    fn local_values(&self, held: &[VarId], varied: &[VarId], more: usize) -> Vec<String> {
        let program = self.program();
        let n = program.variables.len() + more;
        let mut lines =
            vec![format!("double v[{}];", n.max(1)), "(void)m;".to_owned(), "(void)time;".to_owned()];
        if held.is_empty() {
            lines.push("(void)held;".to_owned());
        }
        let mut read = FxHashSet::default();
        program.dynamics.iter().for_each(|step| flow::reads(&program.pool, step, &mut read));
        read.extend(program.states.iter().map(|state| state.derivative));
        let mut numbers: Vec<VarId> = numbers(program, varied).into_iter().collect();
        numbers.sort_unstable();
        for v in numbers.into_iter().filter(|v| read.contains(v)) {
            lines.push(format!("v[{}] = {};", v.0, literal(program.variables[v.index()].value)));
        }
        lines.extend(held.iter().enumerate().map(|(k, v)| format!("v[{}] = held[{k}];", v.0)));
        lines
            .extend(program.states.iter().enumerate().map(|(k, s)| format!("v[{}] = x[{k}];", s.variable.0)));
        lines
    }

    fn slopes(&mut self, held: &[VarId], varied: &[VarId]) -> Result<(), Error> {
        self.set_phase(Phase::Continuous);
        let program = self.program();
        let mut body = Statements::default();
        self.steps(&program.dynamics, &mut body)?;
        let mut lines = self.local_values(held, varied, 0);
        lines.extend(pre_values(&body));
        lines.extend(body.lines);
        let states = program.states.iter().enumerate();
        lines.extend(states.map(|(k, s)| format!("dx[{k}] = v[{}];", s.derivative.0)));
        self.add_local("model_slopes", "double *dx", lines);
        Ok(())
    }

    /// Derivatives of straight-line dynamics; were they written?
    fn derivatives(&mut self, held: &[VarId], varied: &[VarId]) -> Result<bool, Error> {
        let program = self.program();
        let straight = program.dynamics.iter().all(|step| matches!(step, Step::Assign(_)));
        let n = program.states.len();
        if !straight || n == 0 || program.dynamics.len() > MOST_FOR_DERIVATIVES {
            return Ok(false);
        }
        // What depends on states has a derivative beside it.
        let base = program.variables.len() as u32;
        let mut slots: FxHashMap<VarId, VarId> = FxHashMap::default();
        for state in &program.states {
            let next = VarId(base + slots.len() as u32);
            slots.insert(state.variable, next);
        }
        for step in &program.dynamics {
            let Step::Assign(assign) = step else { continue };
            if program.pool.contains_any(assign.value, |v| slots.contains_key(&v)) {
                let next = VarId(base + slots.len() as u32);
                slots.entry(assign.variable).or_insert(next);
            }
        }
        self.set_phase(Phase::Continuous);
        let mut body = Statements::default();
        self.steps(&program.dynamics, &mut body)?;
        for step in &program.dynamics {
            let Step::Assign(assign) = step else { continue };
            self.write_assign(assign.variable, assign.value)?;
        }
        let tape = self.written_tape();
        let derived = plan::plan_with(tangent(&tape, &|v| slots.get(&v).copied()), usize::MAX);
        let mut columns = Statements { lines: Vec::new(), temporaries: body.temporaries };
        let names = Local { program, output: "", equations: FxHashMap::default() };
        body::write(&derived, &names, &mut columns);
        let mut lines = self.local_values(held, varied, slots.len());
        lines.extend(pre_values(&body));
        lines.extend(body.lines);
        lines.push("KAUSAL_UNROLL".to_owned());
        lines.push(format!("for (int column = 0; column < {n}; column++) {{"));
        for (k, state) in program.states.iter().enumerate() {
            lines.push(format!("    v[{}] = (double)(column == {k});", slots[&state.variable].0));
        }
        lines.extend(columns.lines.into_iter().map(|line| format!("    {line}")));
        for (k, state) in program.states.iter().enumerate() {
            let value = match slots.get(&state.derivative) {
                Some(slot) => format!("v[{}]", slot.0),
                None => "0.0".to_owned(),
            };
            lines.push(format!("    jacobian[{}*{n} + column] = {value};", k));
        }
        lines.push("}".to_owned());
        self.add_local("model_jacobian", "double *jacobian", lines);
        Ok(true)
    }

    fn add_local(&mut self, name: &str, result: &str, lines: Vec<String>) {
        let mut text = format!(
            "KAUSAL_INLINE int {name}(model *m, const double *held, const double time, const double *x, {result})\n{{\n"
        );
        for line in lines {
            text.push_str(&format!("    {line}\n"));
        }
        text.push_str("    return 0;\n}\n");
        self.functions.push(text);
    }
}

/// The pointer to values before the event, if statements use it.
fn pre_values(body: &Statements) -> Option<String> {
    let uses = body.lines.iter().any(|line| super::text::mentions(line, "pre"));
    uses.then(|| "const double *const pre = m->pre;".to_owned())
}
