//! C functions for the sections of a program.

mod nonlinear;

use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::{ExprId, FunctionId, Pool, VarId};
use kausal_translate::Program;
use kausal_translate::program::without_stage;
use kausal_translate::program::{
    Assert, Assign, Call, Form, Guard, Relation, Solve, SolveKind, Step, System, When,
};

use rustc_hash::FxHashMap;

use super::body::{self, Names, Statements};
use super::dynamic::Dynamic;
use super::text::{comment, literal, mentions, string};
use super::{Settings, band, explain, function};
use crate::chunk::Error;
use crate::plan;
use crate::routine::Routines;
use crate::tape;

/// Longer sections become several functions: compilers take more than linear time for one.
const STEPS_A_FUNCTION: usize = 1_000;
/// Larger arrays are kept in the struct, not on the stack.
const LOCAL_ELEMENTS: usize = 4_096;
/// How deep steps may be nested.
const DEPTH: usize = 100;
/// How often a mixed system is evaluated until its discrete unknowns must have settled.
const MIXED_PASSES: usize = 1_000;
/// In so many first rounds all relations of a mixed system change together.
const TOGETHER: usize = 20;

/// Larger functions are not written a second time for the words of their messages only.
const WORDED_STATEMENTS: usize = 300;

/// When a section is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Before the run.
    Initial,
    /// Between events: discrete unknowns are constant.
    Continuous,
    /// In a step with the integration method inside: as between events, and the number of iterations is bounded.
    Step,
    /// At an event.
    Event,
}

impl Phase {
    /// Are discrete unknowns constant?
    fn is_continuous(self) -> bool {
        matches!(self, Phase::Continuous | Phase::Step)
    }
}

/// Writes functions.
pub(crate) struct Sections<'p> {
    program: &'p Program,
    writer: tape::Writer<'p>,
    /// Finished functions, used ones before their users.
    pub functions: Vec<String>,
    /// Their prototypes, of those that are called from outside.
    pub prototypes: Vec<String>,
    /// What else the struct must hold.
    pub fields: Vec<String>,
    /// Functions that are called.
    pub routines: Routines,
    /// Functions that do not fit, and those that are called again to say what is wrong.
    pub dynamic: Dynamic,
    /// Are all warnings said by functions that are called again?
    pub warned: bool,
    /// Fields that say whether a constant matrix is factorised.
    pub factorised: Vec<String>,
    /// For a device that has no strings: messages that would be put together are not.
    pub device: bool,
    systems: usize,
    phase: Phase,
    depth: usize,
    /// How many `when` clauses are around the step.
    whens: usize,
    /// How many iterations are around it.
    iterations: usize,
    settings: Settings,
}

/// Variables are elements of local pointers.
pub(super) struct Local<'p> {
    pub program: &'p Program,
    /// What an output of expressions is called; `%` is its number.
    pub output: &'p str,
    /// The equations behind assignments, as the model has them.
    pub equations: FxHashMap<VarId, String>,
}

impl Names for Local<'_> {
    fn value(&self, variable: VarId) -> String {
        format!("v[{}]", variable.0)
    }

    fn pre(&self, variable: VarId) -> String {
        format!("pre[{}]", variable.0)
    }

    fn remark(&self, variable: VarId) -> Option<String> {
        let name = || self.program.variables.get(variable.index()).map(|variable| comment(&variable.name));
        self.equations.get(&variable).cloned().or_else(name)
    }

    fn output(&self, index: u32) -> String {
        self.output.replace('%', &index.to_string())
    }
}

impl<'p> Sections<'p> {
    /// Nothing written yet.
    pub fn new(program: &'p Program, settings: Settings) -> Self {
        Sections {
            program,
            writer: tape::Writer::new(&program.pool),
            functions: Vec::new(),
            prototypes: Vec::new(),
            fields: Vec::new(),
            routines: Routines::default(),
            dynamic: Dynamic::default(),
            // A step for real-time use does without strings.
            warned: program.discretized.is_none(),
            factorised: Vec::new(),
            device: false,
            systems: 0,
            phase: Phase::Event,
            depth: 0,
            whens: 0,
            iterations: 0,
            settings,
        }
    }

    /// What it was told.
    pub(super) fn settings(&self) -> Settings {
        self.settings
    }

    /// When what follows is evaluated.
    pub(super) fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// Adds an assignment to the tape, without a statement.
    pub(super) fn write_assign(&mut self, variable: VarId, value: ExprId) -> Result<(), Error> {
        self.writer.assign(variable, value)
    }

    /// The tape of what was added so.
    pub(super) fn written_tape(&mut self) -> tape::Tape {
        self.writer.finish()
    }

    /// What is written.
    pub(super) fn program(&self) -> &'p Program {
        self.program
    }

    /// Writes one section.
    pub fn section(&mut self, name: &str, steps: &[Step], phase: Phase) -> Result<(), Error> {
        let body = self.parts(name, steps, phase)?;
        self.publish(name, body);
        Ok(())
    }

    /// Writes the section of outputs, which looks itself whether they are numbers.
    pub fn outputs(&mut self, name: &str, steps: &[Step]) -> Result<(), Error> {
        self.hidden_section("model_compute_outputs", steps, Phase::Continuous)?;
        let mut body = Statements::default();
        body.push(
            "return model_outcome(m, model_compute_outputs(m) || model_not_finite(m, after_outputs));"
                .to_owned(),
        );
        let prototype = format!("int {name}(model *m)");
        self.function(&prototype, body, false);
        self.entitle(name);
        self.prototypes.push(prototype);
        Ok(())
    }

    /// Writes a section that only other functions call.
    pub fn hidden_section(&mut self, name: &str, steps: &[Step], phase: Phase) -> Result<(), Error> {
        let body = self.parts(name, steps, phase)?;
        self.function(&format!("static int {name}(model *m)"), body, true);
        self.entitle(name);
        Ok(())
    }

    /// Says over the last function which section it is.
    fn entitle(&mut self, name: &str) {
        if let (Some(title), Some(function)) = (explain::title(name), self.functions.last_mut()) {
            function.insert_str(0, &format!("/* {title} */\n"));
        }
    }

    /// Writes the parameter section. Constant matrices are no longer valid after it, so it is written when all of
    /// them are known.
    pub fn parameters(&mut self, name: &str, steps: &[Step]) -> Result<(), Error> {
        let mut body = self.parts(name, steps, Phase::Event)?;
        body.lines.splice(0..0, self.factorised.iter().map(|field| format!("{field} = 0;")));
        self.publish(name, body);
        Ok(())
    }

    /// The statements of a section; long ones are functions of their own that are called.
    fn parts(&mut self, name: &str, steps: &[Step], phase: Phase) -> Result<Statements, Error> {
        self.phase = phase;
        let mut body = Statements::default();
        if steps.len() <= STEPS_A_FUNCTION {
            self.steps(steps, &mut body)?;
            return Ok(body);
        }
        for (k, part) in (1..).zip(steps.chunks(STEPS_A_FUNCTION)) {
            let mut inner = Statements::default();
            self.steps(part, &mut inner)?;
            self.function(&format!("static int {name}_{k}(model *m)"), inner, true);
            body.push(format!("if ({name}_{k}(m)) return 1;"));
        }
        Ok(body)
    }

    fn publish(&mut self, name: &str, body: Statements) {
        let prototype = format!("int {name}(model *m)");
        self.function(&prototype, body, true);
        self.entitle(name);
        self.prototypes.push(prototype);
    }

    /// Writes a function that computes expressions into an array.
    pub fn expressions(
        &mut self,
        name: &str,
        expressions: impl Iterator<Item = ExprId>,
    ) -> Result<(), Error> {
        let expressions: Vec<ExprId> = expressions.collect();
        if expressions.is_empty() {
            return Ok(());
        }
        let mut body = Statements::default();
        self.values(&expressions, "out[%]", &mut body)?;
        let prototype = format!("void {name}(const model *m, double *out)");
        self.function(&prototype, body, false);
        self.prototypes.push(prototype);
        Ok(())
    }

    /// A function around statements; the pointers they use are declared.
    fn function(&mut self, head: &str, body: Statements, result: bool) {
        let constant = if head.contains("const model") { "const " } else { "" };
        let mut text = format!("{head}\n{{\n");
        if head.contains("void *model") {
            text.push_str("    model *const m = (model *)model_;\n");
        }
        let mut any = false;
        for (name, declaration) in [
            ("v", format!("{constant}double *const v = m->v;")),
            ("pre", "const double *const pre = m->pre;".to_owned()),
            ("time", "const double time = m->time;".to_owned()),
        ] {
            if body.lines.iter().any(|line| mentions(line, name)) {
                text.push_str(&format!("    {declaration}\n"));
                any = true;
            }
        }
        any |= body.lines.iter().any(|line| mentions(line, "m"));
        if !any {
            text.push_str("    (void)m;\n");
        }
        for line in &body.lines {
            text.push_str("    ");
            text.push_str(line);
            text.push('\n');
        }
        if result {
            text.push_str("    return 0;\n");
        }
        text.push_str("}\n");
        self.functions.push(text);
    }

    pub(super) fn steps(&mut self, steps: &[Step], out: &mut Statements) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Error::Unsupported("steps nested too deeply".to_owned()));
        }
        let mut rest = steps;
        while let Some((first, behind)) = rest.split_first() {
            if let Step::Assign(_) = first {
                let count = rest.iter().take_while(|step| matches!(step, Step::Assign(_))).count();
                let assigns = rest[..count].iter().filter_map(|step| match step {
                    Step::Assign(assign) => Some(assign),
                    _ => None,
                });
                self.assigns(assigns, out)?;
                rest = &rest[count..];
            } else {
                self.step(first, out)?;
                rest = behind;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn assigns<'a>(
        &mut self,
        assigns: impl Iterator<Item = &'a Assign>,
        out: &mut Statements,
    ) -> Result<(), Error> {
        let mut equations = FxHashMap::default();
        for assign in assigns {
            self.writer.assign(assign.variable, assign.value)?;
            equations.insert(assign.variable, explain::assignment(self.program, assign));
        }
        self.straight(Local { program: self.program, output: "", equations }, out);
        Ok(())
    }

    /// Values of expressions; the place is a declaration or an element, `%` its number.
    fn values(&mut self, expressions: &[ExprId], place: &str, out: &mut Statements) -> Result<(), Error> {
        for (k, &expression) in (0..).zip(expressions) {
            self.writer.output(k, expression)?;
        }
        let equations = FxHashMap::default();
        self.straight(Local { program: self.program, output: place, equations }, out);
        Ok(())
    }

    fn straight(&mut self, names: Local<'_>, out: &mut Statements) {
        let plan = plan::plan_with(self.writer.finish(), usize::MAX);
        body::write(&plan, &names, out);
    }

    fn step(&mut self, step: &Step, out: &mut Statements) -> Result<(), Error> {
        match step {
            Step::Assign(assign) => self.assigns(std::iter::once(assign), out),
            Step::Call(call) => self.call(call, out),
            Step::Solve(solve) => {
                self.solve(solve, out);
                Ok(())
            }
            Step::System(system) => self.system(system, out),
            Step::When(when) => self.when(when, out),
            Step::Reinit(state, value) => self.reinit(*state, *value, out),
            Step::Assert(assert) => self.assert(assert, out),
            Step::Relation(index) => {
                self.relation(*index, out);
                Ok(())
            }
            Step::Terminate(message) => {
                self.said(*message, "m->message", "m->terminate = 1;", out);
                Ok(())
            }
            Step::If(condition, then, otherwise) => self.branch(*condition, then, otherwise, out),
        }
    }

    fn name(&self, variable: VarId) -> String {
        self.program
            .variables
            .get(variable.index())
            .map_or_else(String::new, |variable| comment(&variable.name))
    }

    fn number(&mut self) -> usize {
        self.systems += 1;
        self.systems
    }

    fn call(&mut self, call: &Call, out: &mut Statements) -> Result<(), Error> {
        out.push("{");
        let mut inner = Statements { lines: Vec::new(), temporaries: out.temporaries };
        let results = self.callee(call.function)?;
        inner.push(format!("double in[{}], out[{}];", call.args.len().max(1), results.outputs.max(1)));
        self.values(&call.args, "in[%]", &mut inner)?;
        inner.push(format!("const char *failed = {};", results.written("in", "out")));
        if let Some(again) = results.again("in", "out") {
            inner.push(format!("if (failed) failed = {again};"));
        }
        inner.push("if (failed) { m->message = failed; return 1; }");
        for (k, output) in call.outputs.iter().enumerate() {
            if let Some(v) = output {
                inner.push(format!("v[{}] = out[{k}]; /* {} */", v.0, self.name(*v)));
            }
        }
        out.temporaries = inner.temporaries;
        out.lines.extend(inner.lines.into_iter().map(|line| format!("    {line}")));
        out.push("}");
        Ok(())
    }

    /// How a function is called: as a routine if it fits.
    pub(super) fn callee(&mut self, id: FunctionId) -> Result<Callee, Error> {
        let pool = &self.program.pool;
        // The function writes all its outputs, also those nobody asked for.
        let outputs = Layout::of_outputs(pool.function(id)).map_or(0, |layout| layout.len);
        let (routine, dynamic) = match self.routines.closed(pool, id) {
            Ok(at) => {
                let reach = function::reach(&self.routines.list, at);
                let small = reach.statements <= WORDED_STATEMENTS
                    && self.program.discretized.is_none()
                    && !self.device;
                let again = match reach.vague && small {
                    true => self.dynamic.entry(pool, id).ok(),
                    false => None,
                };
                self.warned &= !reach.vague || again.is_some();
                (Some(function::name(&self.routines.list[at], at)), again)
            }
            Err(why) if self.device => return Err(unfit(pool, id, &why.0)),
            Err(_) => (None, Some(self.dynamic.entry(pool, id).map_err(|why| unfit(pool, id, &why))?)),
        };
        Ok(Callee { routine, dynamic, outputs })
    }

    fn branch(
        &mut self,
        condition: ExprId,
        then: &[Step],
        otherwise: &[Step],
        out: &mut Statements,
    ) -> Result<(), Error> {
        out.temporaries += 1;
        let name = format!("c{}", out.temporaries);
        self.values(&[condition], &format!("const double {name}"), out)?;
        out.push(format!("if ({name} != 0.0) {{"));
        self.nested(then, out)?;
        if !otherwise.is_empty() {
            out.push("} else {");
            self.nested(otherwise, out)?;
        }
        out.push("}");
        Ok(())
    }

    /// Steps inside braces.
    fn nested(&mut self, steps: &[Step], out: &mut Statements) -> Result<(), Error> {
        let mut inner = Statements { lines: Vec::new(), temporaries: out.temporaries };
        self.steps(steps, &mut inner)?;
        out.temporaries = inner.temporaries;
        out.lines.extend(inner.lines.into_iter().map(|line| format!("    {line}")));
        Ok(())
    }

    fn when(&mut self, when: &When, out: &mut Statements) -> Result<(), Error> {
        self.whens += 1;
        for (k, branch) in when.branches.iter().enumerate() {
            let rises = |condition: &VarId| format!("(v[{0}] != 0.0 && pre[{0}] == 0.0)", condition.0);
            let mut conditions: Vec<String> = match self.phase {
                Phase::Initial => Vec::new(),
                _ => branch.conditions.iter().map(rises).collect(),
            };
            // The initial problem finds what it gives values to; what it does comes with the first event.
            match self.phase {
                Phase::Initial if branch.initial => conditions.push("1".to_owned()),
                Phase::Event if branch.initial && when.acts => conditions.push("m->initial".to_owned()),
                _ => {}
            }
            if conditions.is_empty() {
                conditions.push("0".to_owned());
            }
            let condition = match conditions.as_slice() {
                [one] => one.trim_start_matches('(').trim_end_matches(')').to_owned(),
                more => more.join(" || "),
            };
            let otherwise = if k == 0 { "" } else { "} else " };
            let names: Vec<String> =
                branch.conditions.iter().map(|&condition| self.name(condition)).collect();
            out.push(format!("{otherwise}if ({condition}) {{ /* when {} */", names.join(", ")));
            self.nested(&branch.steps, out)?;
        }
        if !when.branches.is_empty() {
            out.push("}");
        }
        self.whens -= 1;
        Ok(())
    }

    /// The new value of a state waits until the event is over.
    fn reinit(&mut self, state: VarId, value: ExprId, out: &mut Statements) -> Result<(), Error> {
        let place = self.program.states.iter().position(|s| s.variable == state);
        let Some(place) = place else {
            return Err(Error::Unsupported(format!("reinit of {}, which is not a state", self.name(state))));
        };
        if !self.fields.iter().any(|field| field.contains(" reinit[")) {
            let n = self.program.states.len();
            self.fields
                .push(format!("double reinit[{n}]; /* new values of states, where reinit_set is 1 */"));
            self.fields.push(format!("int reinit_set[{n}];"));
        }
        self.values(&[value], &format!("m->reinit[{place}]"), out)?;
        out.push(format!("m->reinit_set[{place}] = 1; /* {} */", self.name(state)));
        Ok(())
    }

    fn assert(&mut self, assert: &Assert, out: &mut Statements) -> Result<(), Error> {
        out.temporaries += 1;
        let name = format!("c{}", out.temporaries);
        self.values(&[assert.condition], &format!("const double {name}"), out)?;
        let watched = assert.holds.map_or_else(String::new, |v| format!(" && v[{}] == 0.0", v.0));
        out.push(format!("if ({name} == 0.0{watched}) {{"));
        let mut inner = Statements { lines: Vec::new(), temporaries: out.temporaries };
        // What must hold all the time must hold when the event has come to rest.
        let standing = self.phase == Phase::Event && self.whens == 0;
        let (place, end) = match (assert.warning, standing) {
            (true, _) => ("m->warning", ""),
            (false, true) => ("m->violated", ""),
            (false, false) => ("m->message", "return 1;"),
        };
        self.said(assert.message, place, end, &mut inner);
        out.temporaries = inner.temporaries;
        out.lines.extend(inner.lines.into_iter().map(|line| format!("    {line}")));
        out.push("}");
        Ok(())
    }

    fn system(&mut self, system: &System, out: &mut Statements) -> Result<(), Error> {
        out.lines.extend(explain::system(self.program, system));
        match &system.form {
            Form::Linear { steps, guard: None, .. } => self.steps(steps, out)?,
            Form::Linear { steps, guard: Some(guard), .. } => self.guarded(steps, guard, out)?,
            Form::Nonlinear(nonlinear) => self.nonlinear(nonlinear, &system.unknowns, out)?,
            Form::Mixed { continuous, .. } if self.phase.is_continuous() => self.steps(continuous, out)?,
            Form::Mixed { continuous, relations, discrete, unknowns } => {
                self.mixed(continuous, relations, discrete, unknowns, out)?
            }
        }
        out.push("/* END OF SYSTEM OF SIMULTANEOUS EQUATIONS */");
        Ok(())
    }

    /// A straight-line solution; where its divisors or residuals are bad, the one with pivoting.
    fn guarded(&mut self, steps: &[Step], guard: &Guard, out: &mut Statements) -> Result<(), Error> {
        let k = self.number();
        // A function of its own: when it fails there is another way.
        let mut straight = Statements::default();
        self.steps(steps, &mut straight)?;
        self.function(&format!("static int straight_{k}(model *m)"), straight, true);
        self.fields
            .push(format!("int pivoting_{k}; /* digits were lost: solved with pivoting from then on */"));
        let pairs = |pairs: &[(VarId, VarId)]| {
            wrap(pairs.iter().map(|(value, size)| format!("{{{}, {}}}", value.0, size.0)))
        };
        let (p, r) = (guard.pivots.len(), guard.residuals.len());
        out.push("{");
        let mut good = format!("!m->pivoting_{k} && !straight_{k}(m)");
        if p > 0 {
            out.push(format!("    static const int pivot[{p}][2] = {{{}}};", pairs(&guard.pivots)));
            good += &format!(" && kausal_pivots_hold(v, {p}, pivot, {})", literal(Guard::TINY));
        }
        out.push(format!("    int good = {good};"));
        if r > 0 {
            let mut condition = "good".to_owned();
            if self.phase.is_continuous() {
                self.fields
                    .push(format!("int unchecked_{k}; /* evaluations until residuals are looked at */"));
                condition += &format!(" && m->unchecked_{k}-- <= 0");
            }
            out.push(format!("    if ({condition}) {{"));
            out.push(format!("        static const int residual[{r}][2] = {{{}}};", pairs(&guard.residuals)));
            let mut check = Statements { lines: Vec::new(), temporaries: out.temporaries };
            self.nested(&guard.check, &mut check)?;
            out.temporaries = check.temporaries;
            out.lines.extend(check.lines.into_iter().map(|line| format!("    {line}")));
            out.push(format!(
                "        good = kausal_residuals_hold(v, {r}, residual, {}, {});",
                literal(Guard::LOST),
                literal(Guard::ROUNDING)
            ));
            if !guard.sums.is_empty() {
                let n = guard.sums.len();
                out.push(format!("        static const int sum[{n}][2] = {{{}}};", pairs(&guard.sums)));
                let limit = literal(Guard::CANCELLED);
                out.push(format!("        good = good && kausal_pivots_hold(v, {n}, sum, {limit});"));
            }
            out.push(format!("        m->pivoting_{k} = !good;"));
            if self.phase.is_continuous() {
                out.push(format!("        m->unchecked_{k} = {};", Guard::OFTEN - 1));
            }
            out.push("    }");
        }
        out.push("    if (!good) {");
        let count = "long pivot_fallbacks;";
        if !self.fields.iter().any(|field| field.starts_with(count)) {
            self.fields.push(format!("{count} /* evaluations of linear systems that needed pivoting */"));
        }
        out.push("        m->pivot_fallbacks++;");
        // What the first way said no longer holds.
        out.push("        m->message = 0;");
        let mut fallback = Statements { lines: Vec::new(), temporaries: out.temporaries };
        self.nested(&guard.fallback, &mut fallback)?;
        out.temporaries = fallback.temporaries;
        out.lines.extend(fallback.lines.into_iter().map(|line| format!("    {line}")));
        out.push("    }");
        out.push("}");
        Ok(())
    }

    fn mixed(
        &mut self,
        continuous: &[Step],
        relations: &[u32],
        discrete: &[Step],
        unknowns: &[VarId],
        out: &mut Statements,
    ) -> Result<(), Error> {
        let number = self.number();
        let places = relations;
        let relations: Vec<Relation> = places.iter().map(|&r| self.program.relations[r as usize]).collect();
        let unknowns: Vec<VarId> =
            unknowns.iter().copied().chain(relations.iter().map(|r| r.variable)).collect();
        let names: Vec<String> = unknowns.iter().map(|&unknown| self.name(unknown)).collect();
        let slots: Vec<String> = unknowns.iter().map(|unknown| unknown.0.to_string()).collect();
        let n = unknowns.len().max(1);
        out.push(format!("for (int pass = 0;; pass++) {{ /* until {} are settled */", names.join(", ")));
        out.push(format!("    static const int discrete[{n}] = {{{}}};", slots.join(", ")));
        out.push(format!("    double before[{n}];"));
        out.push("    int settled = 1;".to_owned());
        self.nested(continuous, out)?;
        out.push(format!("    for (int i = 0; i < {}; i++) before[i] = v[discrete[i]];", unknowns.len()));
        for (&place, r) in places.iter().zip(&relations) {
            // Later rounds change one relation at a time, which ends cycles that all together run into.
            let slot = r.variable.0;
            out.push(format!("    const double r{place} = {};", self.relation_value(place, r)));
            out.push(format!(
                "    if (v[{slot}] != r{place} && (pass < {TOGETHER} || settled)) {{ v[{slot}] = r{place}; settled = 0; }}"
            ));
        }
        self.nested(discrete, out)?;
        out.push(format!(
            "    for (int i = 0; i < {}; i++) settled &= before[i] == v[discrete[i]];",
            unknowns.len()
        ));
        out.push("    if (settled) break;");
        let message = string(&format!("mixed system {number} ({}) does not settle", names.join(", ")));
        out.push(format!("    if (pass == {MIXED_PASSES}) {{ m->message = {message}; return 1; }}"));
        out.push("}");
        Ok(())
    }

    /// A relation takes its value from its difference.
    fn relation(&mut self, index: u32, out: &mut Statements) {
        let Some(r) = self.program.relations.get(index as usize) else { return };
        let name = self.name(r.variable);
        out.push(format!("v[{}] = {}; /* {name} */", r.variable.0, self.relation_value(index, r)));
    }

    /// At an event a relation whose difference is zero but for rounding stays where it is, and one of time is where it goes to at
    /// its instant.
    fn relation_value(&self, index: u32, r: &Relation) -> String {
        let (slot, difference) = (r.variable.0, r.difference.0);
        let equal = u8::from(r.or_equal);
        match (self.phase, r.timed) {
            (Phase::Event, None) => {
                format!("kausal_relation(v[{slot}], v[{difference}], {equal}, &m->largest[{index}])")
            }
            (_, Some(event)) if self.phase == Phase::Event || self.phase == Phase::Initial => {
                format!("kausal_timed_relation(v[{difference}], {equal}, m->due[{event}], m->time)")
            }
            _ => format!("(double)(v[{difference}] {} 0.0)", if r.or_equal { "<=" } else { "<" }),
        }
    }

    /// Names of the unknowns, the first few.
    fn unknowns(&self, unknowns: &[VarId]) -> String {
        const MOST: usize = 8;
        let mut names: Vec<&str> = Vec::new();
        // Stages of a step have variables of the same names.
        for variable in unknowns.iter().filter_map(|v| self.program.variables.get(v.index())) {
            let name = without_stage(&variable.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.len() > MOST {
            names.truncate(MOST);
            names.push("…");
        }
        names.join(", ")
    }

    /// An array on the stack, or in the struct if it is large; gives its name.
    fn array(&mut self, ty: &str, name: &str, k: usize, length: usize, out: &mut Statements) -> String {
        if length <= LOCAL_ELEMENTS {
            out.push(format!("    {ty} {name}[{length}];"));
            return name.to_owned();
        }
        self.fields.push(format!("{ty} {name}_{k}[{length}];"));
        format!("m->{name}_{k}")
    }

    fn solve(&mut self, solve: &Solve, out: &mut Statements) {
        let (k, n) = (self.number(), solve.unknowns.len());
        let entries = || solve.entries.iter().map(|&(row, column, _)| (row as usize, column as usize));
        let band = (solve.kind == SolveKind::Sparse).then(|| band::order(n, entries()));
        let band = band.filter(|band| (2 * band.low + band.high + 1) * 2 < n);
        let (length, place): (usize, Box<dyn Fn(usize, usize) -> usize>) = match &band {
            Some(band) => {
                let width = 2 * band.low + band.high + 1;
                (
                    n * width,
                    Box::new(move |r, c| band.row[r] * width + band.column[c] + band.low - band.row[r]),
                )
            }
            None => (n * n, Box::new(move |r, c| r * n + c)),
        };
        let join = |items: Vec<usize>| wrap(items.iter().map(usize::to_string));
        let at = join(entries().map(|(row, column)| place(row, column)).collect());
        let mirrored = join(entries().map(|(row, column)| place(column, row)).collect());
        let from = join(solve.entries.iter().map(|entry| entry.2.index()).collect());
        let count = solve.entries.len();

        out.push(format!("{{ /* {n} linear equations */"));
        out.push(format!("    static const int at[{}] = {{{at}}};", count.max(1)));
        out.push(format!("    static const int from[{}] = {{{from}}};", count.max(1)));
        let symmetric = solve.kind == SolveKind::Symmetric;
        if symmetric {
            out.push(format!("    static const int mirrored[{}] = {{{mirrored}}};", count.max(1)));
        }
        let (a, p) = if solve.constant {
            self.fields.push(format!("double a_{k}[{length}]; /* factors of a constant matrix */"));
            self.fields.push(format!("int p_{k}[{n}];"));
            self.fields
                .push(format!("int factorised_{k}; /* 1: by kausal_lu or kausal_band, 2: by kausal_ldlt */"));
            self.factorised.push(format!("m->factorised_{k}"));
            (format!("m->a_{k}"), format!("m->p_{k}"))
        } else {
            let a = self.array("double", "a", k, length, out);
            out.push(format!("    int p[{n}];"));
            (a, "p".to_owned())
        };
        out.push(format!("    double b[{n}];"));
        let message = string(&format!("linear system {k} ({}) is singular", self.unknowns(&solve.unknowns)));
        let fail = format!("{{ m->message = {message}; return 1; }}");
        let fill = |mirror: bool| {
            let mirror = if mirror { format!("{a}[mirrored[i]] = ") } else { String::new() };
            [
                format!("for (int i = 0; i < {length}; i++) {a}[i] = 0.0;"),
                format!("for (int i = 0; i < {count}; i++) {mirror}{a}[at[i]] = v[from[i]];"),
            ]
        };
        let (factor, solve_with) = match &band {
            Some(band) => (
                format!("kausal_band_factor({n}, {}, {}, {a}, {p})", band.low, band.high),
                format!("kausal_band_solve({n}, {}, {}, {a}, {p}, b);", band.low, band.high),
            ),
            None => {
                (format!("kausal_lu_factor({n}, {a}, {p})"), format!("kausal_lu_solve({n}, {a}, {p}, b);"))
            }
        };
        // What changes may be without full rank at times; a constant matrix is not, and banded ones are large.
        let may_lack = !solve.constant && band.is_none();
        let singular = if may_lack { "lacks = 1;".to_owned() } else { fail.clone() };
        if may_lack {
            out.push("    int lacks = 0;");
        }
        let how = if solve.constant { format!("m->factorised_{k}") } else { "how".to_owned() };
        let mut factorise: Vec<String> = fill(false).into();
        if symmetric {
            factorise.push(format!("{how} = 2;"));
            factorise
                .push(format!("if (kausal_ldlt_factor({n}, {a}, {p})) {{ /* not without larger pivots */"));
            factorise.extend(fill(true).map(|line| format!("    {line}")));
            factorise.push(format!("    if ({factor}) {singular}"));
            factorise.push(format!("    {how} = 1;"));
            factorise.push("}".to_owned());
        } else {
            factorise.push(format!("if ({factor}) {singular}"));
            if solve.constant {
                factorise.push(format!("{how} = 1;"));
            }
        }
        if solve.constant {
            out.push(format!("    if (!{how}) {{"));
            out.lines.extend(factorise.into_iter().map(|line| format!("        {line}")));
            out.push("    }");
        } else {
            if symmetric {
                out.push("    int how;");
            }
            out.lines.extend(factorise.into_iter().map(|line| format!("    {line}")));
        }
        let position =
            |r: usize, positions: Option<&Vec<usize>>| positions.map_or(r, |positions| positions[r]);
        for (r, value) in solve.rhs.iter().enumerate() {
            let i = position(r, band.as_ref().map(|band| &band.row));
            out.push(format!("    b[{i}] = v[{}];", value.0));
        }
        let mut solving = match symmetric {
            true => vec![
                format!("if ({how} == 2) kausal_ldlt_solve({n}, {a}, {p}, b);"),
                format!("else {solve_with}"),
            ],
            false => vec![solve_with],
        };
        if may_lack {
            let unknowns = join(solve.unknowns.iter().map(|v| v.index()).collect());
            let mut lacking = vec![
                "if (lacks) { /* what is not determined keeps its value */".to_owned(),
                format!("    static const int unknown[{n}] = {{{unknowns}}};"),
                format!("    double x[{n}], size[{n}];"),
                format!(
                    "    for (int i = 0; i < {n}; i++) x[i] = isfinite(v[unknown[i]]) ? v[unknown[i]] : 0.0;"
                ),
            ];
            lacking.extend(fill(symmetric).map(|line| format!("    {line}")));
            lacking.push(format!("    if (kausal_deficient({n}, {a}, b, x, size, {p})) {fail}"));
            lacking.push("} else {".to_owned());
            lacking.extend(solving.into_iter().map(|line| format!("    {line}")));
            lacking.push("}".to_owned());
            solving = lacking;
        }
        out.lines.extend(solving.into_iter().map(|line| format!("    {line}")));
        for (c, &unknown) in solve.unknowns.iter().enumerate() {
            let i = position(c, band.as_ref().map(|band| &band.column));
            out.push(format!("    v[{}] = b[{i}]; /* {} */", unknown.0, self.name(unknown)));
        }
        out.push("}");
    }
}

/// How a function is called with its scalars.
pub(super) struct Callee {
    /// With known sizes.
    routine: Option<String>,
    /// With strings and changing sizes; where there is a routine, to say why it failed.
    dynamic: Option<String>,
    pub outputs: usize,
}

impl Callee {
    /// The call, which gives null or what is wrong.
    pub fn written(&self, input: &str, output: &str) -> String {
        match (&self.routine, &self.dynamic) {
            (Some(name), _) => format!("{name}({input}, {output})"),
            (None, Some(name)) => format!("{name}(m, {input}, {output})"),
            (None, None) => "0".to_owned(),
        }
    }

    /// The call that is made if the first one fails.
    pub fn again(&self, input: &str, output: &str) -> Option<String> {
        let again = self.routine.as_ref().and(self.dynamic.as_ref())?;
        Some(format!("{again}(m, {input}, {output})"))
    }
}

fn unfit(pool: &Pool, id: FunctionId, why: &str) -> Error {
    Error::Unsupported(format!("the function {} in C ({why})", pool.function(id).name))
}

/// Items in lines of bearable length.
fn wrap(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let lines: Vec<String> = items.chunks(16).map(|chunk| chunk.join(", ")).collect();
    lines.join(",\n        ")
}
