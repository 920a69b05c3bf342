//! Start and events: what a run does between steps, as functions of the C text.
//!
//! ```text
//! model_begin     parameters, the initial problem, the first event
//! model_is_event  has a relation changed, has an instant come?
//! model_event     the event at m->time: the discrete part until nothing changes (specification section 8.6)
//! model_events    events, as long as there are any, and the selection of states
//! ```
//!
//! Relations are looked at where the caller stops: what has changed in a step takes effect at its end, as real time wants it, and
//! nothing is searched for inside. `kausal simulate --events at-steps` does the same. Every number of rounds is bounded.

use kausal_symbolic::VarId;
use kausal_translate::Program;
use kausal_translate::flow;
use kausal_translate::program::{Kind, StateSet, Step};

use super::clocks;
use super::section::{Phase, Sections};
use super::text::{literal, mentions};
use crate::chunk::Error;

/// Rounds of an event at most, and as many more as there are discrete variables: each may wait for the one before.
const EVENT_ROUNDS: usize = 100;
/// Events that follow each other at one instant at most.
const EVENTS_AT_ONCE: usize = 100;
/// How far the two sides of an initial condition that was not needed may be apart.
const RELATIVE: f64 = 1e-6;
const ABSOLUTE: f64 = 1e-9;

/// Writes the functions; the sections they call are written.
pub(crate) fn write(sections: &mut Sections<'_>, program: &Program) -> Result<(), Error> {
    fields(sections, program);
    let events = program.time_events.iter();
    sections.expressions("model_time_events", events.clone().map(|event| event.instant))?;
    sections.expressions("model_time_slopes", events.map(|event| event.slope))?;
    sections.expressions("model_samples", program.samples.iter().flat_map(|s| [s.start, s.interval]))?;
    sections.expressions("model_checks", program.checks.iter().flat_map(|check| [check.lhs, check.rhs]))?;
    let differences = differences(sections, program)?;
    for (k, set) in (1..).zip(&program.state_sets) {
        sections.expressions(&format!("model_constraints_{k}"), set.jacobian.iter().copied())?;
    }
    keep(sections);
    add(sections, "int model_discrete(model *m)", discrete());
    add(sections, "int model_is_event(model *m)", is_event(program));
    add(sections, "int model_event(model *m)", event(program));
    add(sections, "int model_reselect(model *m)", reselect(program));
    let body = events_until_rest(program, differences.as_deref());
    add_tried(sections, "events", "model *m", "m", body);
    add_tried(sections, "begin", "model *m, double start", "m, start", begin(program));
    Ok(())
}

/// A function that may return early, and around it the one that is called from outside.
fn add_tried(
    sections: &mut Sections<'_>,
    name: &str,
    parameters: &str,
    arguments: &str,
    (head, body): (String, Vec<String>),
) {
    add_hidden(sections, &format!("static int model_try_{name}({parameters})"), &head, &body);
    let call = format!("return model_outcome(m, model_try_{name}({arguments}));");
    add(sections, &format!("int model_{name}({parameters})"), (head, vec![call]));
}

/// What the struct must hold for it.
fn fields(sections: &mut Sections<'_>, program: &Program) {
    let n = program.variables.len().max(1);
    let mut push = |field: String| sections.fields.push(field);
    push("const char *violated; /* an assertion that does not hold in this round of an event */".to_owned());
    push("double looked;        /* when instants were looked at last */".to_owned());
    push("int restart;          /* set when an event has changed what a step depends on */".to_owned());
    push(format!("double kept[2][{n}]; /* values before a step or an event, for the case that it fails */"));
    let arrays = [
        (program.relations.len(), "largest", "the largest difference of each relation so far"),
        (program.time_events.len(), "due", "at the instant of a time event: how fast its relation changes"),
        (program.samples.len(), "tick", "the number of the next tick of each sample"),
    ];
    for (length, name, says) in arrays.into_iter().filter(|(length, ..)| *length > 0) {
        push(format!("double {name}[{length}]; /* {says} */"));
    }
}

fn add(sections: &mut Sections<'_>, prototype: &str, (head, body): (String, Vec<String>)) {
    add_hidden(sections, prototype, &head, &body);
    sections.prototypes.push(prototype.to_owned());
}

/// A function that only others call.
fn add_hidden(sections: &mut Sections<'_>, prototype: &str, head: &str, body: &[String]) {
    let mut text = format!("/* {head} */\n{prototype}\n{{\n");
    for line in body {
        text.push_str(&format!("    {line}\n"));
    }
    text.push_str("}\n");
    sections.functions.push(text);
}

/// A table of slots.
fn table(name: &str, slots: impl Iterator<Item = VarId>) -> (usize, String) {
    let slots: Vec<String> = slots.map(|v| v.0.to_string()).collect();
    let lines: Vec<String> = slots.chunks(20).map(|chunk| chunk.join(", ")).collect();
    let n = slots.len();
    if n == 0 {
        return (0, format!("static const int {name}[1] = {{0}};"));
    }
    (n, format!("static const int {name}[{n}] = {{{}}};", lines.join(",\n        ")))
}

/// Values are kept before what may fail.
fn keep(sections: &mut Sections<'_>) {
    sections.functions.push(
        "static void model_keep(model *m)\n{\n    for (int i = 0; i < model_variables; i++) {\n        \
         m->kept[0][i] = m->v[i];\n        m->kept[1][i] = m->pre[i];\n    }\n}\n"
            .to_owned(),
    );
    sections.functions.push(
        "/* Everything is as it was. */\nstatic int model_undo(model *m)\n{\n    \
         for (int i = 0; i < model_variables; i++) {\n        m->v[i] = m->kept[0][i];\n        \
         m->pre[i] = m->kept[1][i];\n    }\n    return 1;\n}\n"
            .to_owned(),
    );
}

/// What computes the differences of relations behind a step: the name of a function, if there are relations to look at.
fn differences(sections: &mut Sections<'_>, program: &Program) -> Result<Option<String>, Error> {
    if program.relations.iter().all(|relation| relation.timed.is_some()) {
        return Ok(None);
    }
    let Some(steps) = program.discretized.as_ref().and_then(|d| d.crossings.as_ref()) else {
        return Ok(Some("model_dynamics".to_owned()));
    };
    sections.section("model_differences", steps, Phase::Continuous)?;
    Ok(Some("model_differences".to_owned()))
}

/// The discrete part once, with what it must fulfil.
fn discrete() -> (String, Vec<String>) {
    let lines = [
        "m->violated = 0;",
        "if (model_round(m)) return 1;",
        "if (m->violated) { m->message = m->violated; return 1; }",
        "return 0;",
    ];
    ("The discrete part once; model_event is what brings an event to rest.".to_owned(), owned(&lines))
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

fn is_event(program: &Program) -> (String, Vec<String>) {
    let mut out = Vec::new();
    let watched: Vec<_> = (0..).zip(&program.relations).filter(|(_, r)| r.timed.is_none()).collect();
    for (i, r) in watched {
        let (slot, difference) = (r.variable.0, r.difference.0);
        let sign = if r.or_equal { "<=" } else { "<" };
        out.push(format!(
            "if (fabs(m->v[{difference}]) > kausal_rounding(m->v[{difference}], &m->largest[{i}]) && m->v[{slot}] != \
             (double)(m->v[{difference}] {sign} 0.0)) return 1;"
        ));
    }
    if !program.time_events.is_empty() {
        let n = program.time_events.len();
        out.push(format!("double instant[{n}];"));
        out.push("model_time_events(m, instant);".to_owned());
        out.push(format!("for (int i = 0; i < {n}; i++) {{"));
        out.push(
            "    const int passed = instant[i] <= m->looked || kausal_same_instant(instant[i], m->looked);"
                .to_owned(),
        );
        out.push(
            "    if (!passed && (instant[i] <= m->time || kausal_same_instant(instant[i], m->time))) return 1;"
                .to_owned(),
        );
        out.push("}".to_owned());
    }
    if !program.samples.is_empty() {
        let n = program.samples.len();
        out.push(format!("double sample[{}];", 2 * n));
        out.push("model_samples(m, sample);".to_owned());
        out.push(format!("for (int i = 0; i < {n}; i++) {{"));
        out.push("    const double tick = sample[2*i] + m->tick[i]*sample[2*i + 1];".to_owned());
        out.push("    if (tick <= m->time || kausal_same_instant(tick, m->time)) return 1;".to_owned());
        out.push("}".to_owned());
    }
    out.extend(clocks::is_due(program));
    if out.is_empty() {
        out.push("(void)m;".to_owned());
    }
    out.push("return 0;".to_owned());
    let head = "Has a relation changed, or an instant come, since the last event? Differences of relations must be those of \
                m->time.";
    (head.to_owned(), out)
}

fn event(program: &Program) -> (String, Vec<String>) {
    let mut out = owned(&["model_keep(m);"]);
    let ticks = program.samples.len();
    let mut fail = "return model_undo(m);".to_owned();
    if ticks > 0 {
        out.push(format!("double tick_before[{ticks}];"));
        out.push(format!("for (int i = 0; i < {ticks}; i++) tick_before[i] = m->tick[i];"));
        fail = format!("{{ for (int i = 0; i < {ticks}; i++) m->tick[i] = tick_before[i]; {fail} }}");
    }
    let numbers = clocks::numbers(program);
    if numbers > 0 {
        out.push(format!("for (int i = 0; i < {numbers}; i++) m->clock_before[i] = m->clock[i];"));
        fail = format!("{{ for (int i = 0; i < {numbers}; i++) m->clock[i] = m->clock_before[i]; {fail} }}");
    }
    if reinitialises(program) {
        out.push("for (int i = 0; i < model_states; i++) m->reinit_set[i] = 0;".to_owned());
    }
    let (held, held_table) = table("held", flow::held(program).into_iter());
    let (discrete, discrete_table) = table("discrete", program.discrete_variables.iter().copied());
    out.push(held_table);
    if discrete > 0 {
        out.push(discrete_table);
    }
    out.extend(mark_due(program));
    // What is continuous has its left limit as `pre` value throughout the event.
    for pre in &program.pre {
        let kind = program.variables[pre.variable.index()].kind;
        if !matches!(kind, Kind::Discrete | Kind::Helper) {
            out.push(format!("pre[{0}] = v[{0}];", pre.variable.0));
        }
    }
    if numbers > 0 {
        out.push("m->violated = 0;".to_owned());
        out.push("model_mark_ticks(m);".to_owned());
        out.push(format!("if (model_ticks(m)) {fail}"));
        out.push("if (m->terminate) return 0;".to_owned());
        out.push(format!("if (m->violated) {{ m->message = m->violated; {fail} }}"));
    }
    out.push(format!("for (int round = 0; round < {}; round++) {{", EVENT_ROUNDS + discrete));
    let mut round = owned(&["int changed = 0;"]);
    for pre in &program.pre {
        round.push(format!("v[{}] = pre[{}];", pre.slot.0, pre.variable.0));
    }
    round.push("m->violated = 0;".to_owned());
    round.push(format!("if (model_round(m)) {fail}"));
    round.extend(owned(&["m->initial = 0;", "if (m->terminate) return 0;"]));
    round.push("if (model_not_finite(m, after_event)) {".to_owned());
    round.push("    if (m->violated) m->message = m->violated;".to_owned());
    round.extend([format!("    {fail}"), "}".to_owned()]);
    if discrete > 0 {
        round.push(format!("for (int i = 0; i < {discrete}; i++) {{"));
        round.extend(owned(&[
            "    const double now = v[discrete[i]], before = pre[discrete[i]];",
            "    changed |= now != before && !(isnan(now) && isnan(before));",
            "    pre[discrete[i]] = now;",
            "}",
        ]));
    }
    if let Some(flag) = program.terminal_flag {
        round.push(format!("pre[{0}] = v[{0}];", flag.0));
    }
    for sample in &program.samples {
        round.push(format!("changed |= v[{0}] != 0.0; v[{0}] = 0.0;", sample.variable.0));
    }
    if reinitialises(program) {
        round.extend(owned(&[
            "for (int i = 0; i < model_states; i++) {",
            "    if (m->reinit_set[i]) { v[model_state[i]] = m->reinit[i]; m->reinit_set[i] = 0; changed = 1; }",
            "}",
        ]));
    }
    if numbers > 0 {
        round.push(format!("if (model_risen(m, &changed)) {fail}"));
        round.push("if (m->terminate) return 0;".to_owned());
    }
    round.push("if (!changed) {".to_owned());
    round.push(format!("    if (m->violated) {{ m->message = m->violated; {fail} }}"));
    if !program.time_events.is_empty() {
        round.push(format!("    for (int i = 0; i < {}; i++) m->due[i] = 0.0;", program.time_events.len()));
    }
    round.push("    m->looked = m->time;".to_owned());
    round.push(format!(
        "    for (int i = 0; i < {held}; i++) m->restart |= v[held[i]] != m->kept[0][held[i]];"
    ));
    round.push("    return 0;".to_owned());
    round.push("}".to_owned());
    out.extend(round.into_iter().map(|line| format!("    {line}")));
    out.extend(owned(&["}", "m->message = \"the iteration at an event does not come to rest\";"]));
    out.push(fail);
    for name in ["pre", "v"] {
        if out.iter().any(|line| mentions(line, name)) {
            out.insert(0, format!("double *const {name} = m->{name};"));
        }
    }
    ("The event at m->time. Where it fails everything is as before.".to_owned(), out)
}

/// Tells the discrete part which instants have come.
fn mark_due(program: &Program) -> Vec<String> {
    let mut out = Vec::new();
    if !program.time_events.is_empty() {
        let n = program.time_events.len();
        out.push(format!("double instant[{n}], slope[{n}];"));
        out.extend(owned(&["model_time_events(m, instant);", "model_time_slopes(m, slope);"]));
        out.push(format!(
            "for (int i = 0; i < {n}; i++) m->due[i] = kausal_same_instant(instant[i], m->time) ? slope[i] : 0.0;"
        ));
    }
    if !program.samples.is_empty() {
        let (n, flags) = table("flag", program.samples.iter().map(|sample| sample.variable));
        out.push(flags);
        out.push(format!("double sample[{}];", 2 * n));
        out.push("model_samples(m, sample);".to_owned());
        out.push(format!("for (int i = 0; i < {n}; i++) {{"));
        out.extend(owned(&[
            "    const double tick = sample[2*i] + m->tick[i]*sample[2*i + 1];",
            "    const int due = tick <= m->time || kausal_same_instant(tick, m->time);",
            "    m->tick[i] += due;",
            "    v[flag[i]] = due;",
            "    pre[flag[i]] = 0.0;",
            "}",
        ]));
    }
    out
}

/// Does something set `reinit`?
fn reinitialises(program: &Program) -> bool {
    let sections = program.discrete.iter().chain(&program.initial);
    flow::nested(sections).iter().any(|step| matches!(step, Step::Reinit(..)))
}

/// States that are selected while the model runs.
fn reselect(program: &Program) -> (String, Vec<String>) {
    let mut out = Vec::new();
    if program.state_sets.is_empty() {
        out.push("(void)m;".to_owned());
        out.push("return 0;".to_owned());
    } else {
        out.push("int changed = 0;".to_owned());
        for (k, set) in (1..).zip(&program.state_sets) {
            out.extend(reselect_one(k, set));
        }
        out.push("m->restart |= changed;".to_owned());
        out.push("return changed;".to_owned());
    }
    let head =
        "Selects states anew where that is better, with the same values of all variables; was it done?";
    (head.to_owned(), out)
}

fn reselect_one(k: usize, set: &StateSet) -> Vec<String> {
    let columns = set.settled + set.candidates.len();
    let entries = set.jacobian.len();
    let rows = entries.checked_div(columns).unwrap_or(0);
    if entries == 0 {
        return Vec::new();
    }
    let selection = set.selection.iter().flatten().copied();
    let mut out = owned(&["{"]);
    out.push(format!("    {}", table("candidate", set.candidates.iter().copied()).1));
    out.push(format!("    {}", table("state", set.states.iter().copied()).1));
    out.push(format!("    {}", table("selection", selection).1));
    out.push(format!(
        "    static const kausal_state_set set = {{{rows}, {}, {}, {}, candidate, state, selection}};",
        set.settled,
        set.candidates.len(),
        set.states.len()
    ));
    out.push(format!("    double jacobian[{entries}], work[{entries}];"));
    out.push(format!("    int flags[{}];", 3 * columns + rows));
    out.push(format!("    model_constraints_{k}(m, jacobian);"));
    out.push("    changed |= kausal_reselect(&set, m->v, jacobian, work, flags);".to_owned());
    out.push("}".to_owned());
    out
}

fn events_until_rest(program: &Program, differences: Option<&str>) -> (String, Vec<String>) {
    let mut out = vec![format!("for (int i = 0; i < {EVENTS_AT_ONCE}; i++) {{")];
    if let Some(differences) = differences {
        out.push(format!("    if ({differences}(m)) return 1;"));
    }
    let selects = !program.state_sets.is_empty();
    out.push("    if (!model_is_event(m)) {".to_owned());
    out.push("        m->looked = m->time;".to_owned());
    if selects {
        out.push("        if (model_reselect(m)) return model_dynamics(m);".to_owned());
    }
    out.push("        return 0;".to_owned());
    out.push("    }".to_owned());
    out.push("    if (model_event(m)) return 1;".to_owned());
    out.push("    if (m->terminate) return 0;".to_owned());
    out.push("}".to_owned());
    out.push("m->message = \"events follow each other without end\";".to_owned());
    out.push("return 1;".to_owned());
    let head = "Everything that has come to pass up to m->time: to be called after each step.";
    (head.to_owned(), out)
}

fn begin(program: &Program) -> (String, Vec<String>) {
    let mut out = owned(&[
        "m->time = start;",
        "if (model_parameters(m) || model_not_finite(m, after_parameters)) return 1;",
    ]);
    let flags = [program.initial_flag, program.homotopy];
    out.extend(flags.iter().flatten().map(|flag| format!("m->v[{}] = 1.0;", flag.0)));
    out.push("if (model_initial(m)) return 1;".to_owned());
    if !program.checks.is_empty() {
        let n = program.checks.len();
        out.push(format!("double side[{}];", 2 * n));
        out.push("model_checks(m, side);".to_owned());
        out.push(format!("for (int i = 0; i < {n}; i++) {{"));
        out.push("    const double size = fmax(fabs(side[2*i]), fabs(side[2*i + 1]));".to_owned());
        out.push(format!(
            "    if (!(fabs(side[2*i] - side[2*i + 1]) <= {}*size + {})) {{",
            literal(RELATIVE),
            literal(ABSOLUTE)
        ));
        out.push("        m->message = \"initial conditions contradict each other\";".to_owned());
        out.push("        return 1;".to_owned());
        out.push("    }".to_owned());
        out.push("}".to_owned());
    }
    if let Some(flag) = program.initial_flag {
        out.push(format!("m->v[{}] = 0.0;", flag.0));
    }
    let (n, discrete) = table("discrete", program.discrete_variables.iter().copied());
    if n > 0 {
        out.push(discrete);
        out.push(format!("for (int i = 0; i < {n}; i++) m->pre[discrete[i]] = m->v[discrete[i]];"));
    }
    if reinitialises(program) {
        out.push("for (int i = 0; i < model_states; i++) m->reinit_set[i] = 0;".to_owned());
    }
    if !program.samples.is_empty() {
        let n = program.samples.len();
        out.push(format!("double sample[{}];", 2 * n));
        out.push("model_samples(m, sample);".to_owned());
        out.push(format!("for (int i = 0; i < {n}; i++) {{"));
        out.extend(owned(&[
            "    if (!(sample[2*i + 1] > 0.0)) { m->message = \"the interval of a sample is not positive\"; return 1; }",
            "    m->tick[i] = fmax(ceil((start - sample[2*i])/sample[2*i + 1] - 1e-9), 0.0);",
            "}",
        ]));
    }
    if clocks::numbers(program) > 0 {
        out.push("if (model_start_clocks(m)) return 1;".to_owned());
    }
    out.push("model_reselect(m);".to_owned());
    out.push("m->initial = 1;".to_owned());
    out.push("if (model_event(m)) return 1;".to_owned());
    out.push(match program.state_sets.is_empty() {
        true => "m->restart = 1;".to_owned(),
        false => "if (model_reselect(m) && model_dynamics(m)) return 1;\n    m->restart = 1;".to_owned(),
    });
    out.push("return 0;".to_owned());
    ("Parameters, initial values and the first event; the model is ready for steps.".to_owned(), out)
}
