//! One step of an inlined integration method, for real-time use: a bounded number of operations, no memory but the struct.
//!
//! The methods with one stage are `x = g*der(x) + old(x)` with `g = h` and `old(x) = x` (implicit Euler, and BDF of order one), or
//! half of each (the trapezoidal rule); explicit Euler has `old(x) = x + h*der(x)` and no implicit part. Radau IIA starts from
//! `old(x) = x` with the instants of its stages.

use kausal_translate::discretize::radau_coefficients;
use kausal_translate::program::Discretized;

use super::section::Sections;
use super::text::literal;

/// Writes `model_step`; constant matrices from the `before`th on belong to the inlined section.
pub(crate) fn write(sections: &mut Sections<'_>, discretized: &Discretized, before: usize) {
    let Some(h) = discretized.h else { return };
    let (implicit, explicit) = match discretized.method.as_str() {
        "euler" => (0.0, 1.0),
        "trapezoidal" => (0.5, 0.5),
        _ => (1.0, 0.0),
    };
    let n = discretized.old.len();
    let old: Vec<String> = discretized.old.iter().map(|v| v.0.to_string()).collect();
    let mut text = format!(
        "/* One step of size h ({}). Between steps discrete variables may be changed: then model_step_forget first. */\n",
        discretized.method
    );
    text.push_str(&format!("void model_step_forget(model *m)\n{{\n    m->v[{}] = -1.0;\n}}\n\n", h.0));
    text.push_str("int model_step(model *m, double h)\n{\n");
    text.push_str(&format!("    static const int old[{n}] = {{{}}};\n", old.join(", ")));
    text.push_str("    double *const v = m->v;\n");
    text.push_str(&format!("    const double g = {}*h;\n", literal(implicit)));
    text.push_str(&format!("    if (v[{0}] != g) {{\n        v[{0}] = g;\n", h.0));
    for field in &sections.factorised[before..] {
        text.push_str(&format!("        {field} = 0;\n"));
    }
    text.push_str("        if (model_factors(m)) return 1;\n    }\n");
    text.push_str(&format!("    for (int i = 0; i < {n}; i++) {{\n"));
    let slope = match explicit == 0.0 {
        true => String::new(),
        false => format!(" + {}*h*v[model_derivative[i]]", literal(explicit)),
    };
    text.push_str(&format!("        v[old[i]] = v[model_state[i]]{slope};\n    }}\n"));
    let (c, _) = radau_coefficients();
    for (stage, c) in discretized.stages.iter().zip(c) {
        if let Some(time) = stage.time {
            text.push_str(&format!("    v[{}] = m->time + {}*h;\n", time.0, literal(c)));
        }
    }
    text.push_str("    m->time += h;\n    return model_discretized(m);\n}\n");
    sections.functions.push(text);
    sections.prototypes.push("void model_step_forget(model *m)".to_owned());
    sections.prototypes.push("int model_step(model *m, double h)".to_owned());
}
