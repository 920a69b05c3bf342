//! One step of an inlined integration method, for real-time use: a bounded number of operations, no memory but the struct and
//! small arrays.
//!
//! `model_implicit` solves `x = g*der(x) + old(x)` with the section of the program; the files in `methods` say what `g` and `old(x)`
//! are. The methods with one stage have `g = h` and `old(x) = x` (implicit Euler), half of each (the trapezoidal rule), or no
//! implicit part (explicit Euler). States that a mixed method does not treat as stiff have no formula in the section: they keep
//! the guess, which is a step of explicit Euler. BDF has its past in the struct; Radau IIA has stages.

use std::ops::Range;

use kausal_symbolic::VarId;
use kausal_translate::discretize::radau_coefficients;
use kausal_translate::program::Discretized;

use super::section::Sections;
use super::text::literal;
use crate::chunk::Error;

/// Writes `model_step`; the constant matrices `of_the_step` belong to the inlined section.
pub(crate) fn write(
    sections: &mut Sections<'_>,
    discretized: &Discretized,
    of_the_step: Range<usize>,
) -> Result<(), Error> {
    let Some(h) = discretized.h else { return Ok(()) };
    let order = sections.settings().order;
    let (constants, formula) = match discretized.method.as_str() {
        "euler" => (parts(0.0, 1.0), include_str!("methods/one_stage.c")),
        "trapezoidal" => (parts(0.5, 0.5), include_str!("methods/one_stage.c")),
        "implicit-euler" | "mixed" => (parts(1.0, 0.0), include_str!("methods/one_stage.c")),
        "bdf" => {
            let states = discretized.old.len();
            sections.fields.push(format!("double past[{}][{states}]; /* the last states */", order + 1));
            sections.fields.push("int known; /* so many of them are known */".to_owned());
            sections.fields.push("double past_h; /* and so far apart */".to_owned());
            (format!("enum {{ model_order = {order} }};\n\n"), include_str!("methods/bdf.c"))
        }
        "radau" => (stages(discretized), include_str!("methods/radau.c")),
        other => return Err(Error::Unsupported(format!("steps of one size by the method {other} in C"))),
    };
    sections
        .fields
        .push("int factors_known; /* is what depends on h and on discrete variables computed? */".to_owned());
    sections
        .functions
        .push(format!("enum {{ model_factor = {} }}; /* the slot of h in the formula */\n", h.0));
    sections.functions.push(implicit(sections, discretized, of_the_step));
    sections.functions.push(format!("{constants}{formula}"));
    finish(sections, include_str!("methods/with_states.c"));
    Ok(())
}

/// Writes `model_step` of a model without states, which needs no method.
pub(crate) fn write_without_states(sections: &mut Sections<'_>) {
    finish(sections, include_str!("methods/without_states.c"));
}

/// What is the same for all.
fn finish(sections: &mut Sections<'_>, try_it: &str) {
    for field in ["double step_start;", "double steps;", "double step_h;"] {
        sections.fields.push(format!("{field} /* steps of one size since then */"));
    }
    sections.functions.push(try_it.to_owned());
    sections.functions.push(include_str!("methods/step.c").to_owned());
    for prototype in [
        "int model_step(model *m, double h)",
        "int model_advance(model *m, double h)",
        "void model_step_forget(model *m)",
    ] {
        sections.prototypes.push(prototype.to_owned());
    }
}

fn parts(implicit: f64, explicit: f64) -> String {
    format!(
        "static const double implicit_part = {}, explicit_part = {};\n\n",
        literal(implicit),
        literal(explicit)
    )
}

/// Solves for the step, with what depends on `h` computed when it has changed.
fn implicit(sections: &Sections<'_>, discretized: &Discretized, of_the_step: Range<usize>) -> String {
    let old: Vec<String> = discretized.old.iter().map(|v| v.0.to_string()).collect();
    let mut text = format!(
        "/* Solves x = g*der(x) + old(x) for the instant t ({}); the values at hand are the guess. */\n\
         static int model_implicit(model *m, double t, double g, const double *x_old)\n{{\n    \
         static const int old[model_states] = {{{}}};\n    double *const v = m->v;\n    \
         if (!m->factors_known || v[model_factor] != g) {{\n        v[model_factor] = g;\n        m->factors_known = 0;\n",
        discretized.method,
        old.join(", ")
    );
    for field in &sections.factorised[of_the_step] {
        text.push_str(&format!("        {field} = 0;\n"));
    }
    text.push_str("        if (model_factors(m)) return 1;\n        m->factors_known = 1;\n    }\n");
    text.push_str("    for (int i = 0; i < model_states; i++) v[old[i]] = x_old[i];\n");
    text.push_str("    m->time = t;\n    if (model_discretized(m)) return 1;\n");
    text.push_str("    return model_not_finite(m, after_step);\n}\n");
    text
}

/// Where the stages of Radau IIA have their variables.
fn stages(discretized: &Discretized) -> String {
    let (c, _) = radau_coefficients();
    let join = |items: Vec<String>| items.join(", ");
    let inside = discretized.stages.iter().filter(|stage| stage.time.is_some());
    let copies: Vec<(VarId, VarId)> = inside.flat_map(|stage| stage.copies.iter().copied()).collect();
    let pairs = join(copies.iter().map(|(v, copy)| format!("{{{}, {}}}", v.0, copy.0)).collect());
    let times = discretized.stages.iter().map(|s| s.time.map_or("-1".to_owned(), |v| v.0.to_string()));
    let states = discretized.stages.iter().map(|stage| {
        format!("{{{}}}", join(stage.states.iter().map(|s| s.variable.0.to_string()).collect()))
    });
    format!(
        "enum {{ stages = {n}, stage_copies = {} }};\n\
         static const double stage_instant[{n}] = {{{}}};\n\
         static const int stage_time[{n}] = {{{}}};\n\
         static const int stage_state[{n}][model_states] = {{{}}};\n\
         static const int stage_copy[{}][2] = {{{pairs}}};\n\n",
        copies.len(),
        join(c.iter().map(|&c| literal(c)).collect()),
        join(times.collect()),
        join(states.collect()),
        copies.len().max(1),
        n = discretized.stages.len(),
    )
}
