//! What is not a number must not pass for a result: variables of the model are looked at behind what computes them, as a run does
//! (`finite` in `kausal-runtime/src/simulation/iteration.rs`), and the message names the first that is wrong.

use kausal_symbolic::VarId;
use kausal_translate::program::{Kind, Step};
use kausal_translate::{Program, flow};
use rustc_hash::FxHashSet;

use super::section::Sections;
use super::text::string;

/// Behind what variables are looked at; bits in the table.
const OCCASIONS: [(&str, u32); 4] =
    [("after_parameters", 1), ("after_step", 2), ("after_event", 4), ("after_outputs", 8)];

/// Writes `model_not_finite`, which others call behind parameters, steps, events and outputs; and `model_outcome`, the end of
/// functions that are called from outside.
pub(crate) fn write(sections: &mut Sections<'_>, program: &Program) {
    let names: Vec<String> = OCCASIONS.iter().map(|(name, bit)| format!("{name} = {bit}")).collect();
    let rows: Vec<String> = watched(program)
        .into_iter()
        .map(|(slot, after, name)| {
            format!("    {{{}, {after}, {}}},\n", slot.0, string(&format!("{name} is not a finite number")))
        })
        .collect();
    let (declared, body) = match rows.len() {
        0 => (String::new(), "    (void)m;\n    (void)after;\n".to_owned()),
        n => (
            format!(
                "static const struct {{\n    int slot;\n    int after;\n    const char *says;\n}} model_watched[{n}] = {{\n{}}};\n",
                rows.concat()
            ),
            format!(
                "    for (int i = 0; i < {n}; i++) {{\n        const double x = m->v[model_watched[i].slot];\n        \
                 if (!(x - x == 0.0) && (model_watched[i].after & after)) {{\n            \
                 m->message = model_watched[i].says;\n            return 1;\n        }}\n    }}\n"
            ),
        ),
    };
    sections.functions.push(format!(
        "/* What must be a finite number, and after what. */\nenum {{ {} }};\n{declared}\n\
         static int model_not_finite(model *m, int after)\n{{\n{body}    return 0;\n}}\n",
        names.join(", ")
    ));
    sections.functions.push(
        "/* What failed on the way is no message where all went well in the end. */\n\
         static int model_outcome(model *m, int failed)\n{\n    if (!failed && !m->terminate) {\n        \
         m->message = 0;\n    }\n    return failed;\n}\n"
            .to_owned(),
    );
}

/// Slots with the occasions on which they are looked at, and names.
fn watched(program: &Program) -> Vec<(VarId, u32, &str)> {
    let [parameters, step, event, outputs] = OCCASIONS.map(|(_, bit)| bit);
    let mut in_step = written(match &program.discretized {
        Some(discretized) => &discretized.steps,
        None => &program.dynamics,
    });
    // States that a mixed method does not treat as stiff are not in the section.
    in_step.extend(program.states.iter().flat_map(|state| [state.variable, state.derivative]));
    let (in_outputs, in_event) = (written(&program.outputs), written(&program.discrete));
    let occasions = |v: VarId| {
        let mut after = 0;
        after |= if in_step.contains(&v) { step } else { 0 };
        after |= if in_outputs.contains(&v) { outputs } else { 0 };
        // What only outputs compute may be old.
        after | if in_event.contains(&v) || !in_outputs.contains(&v) { event } else { 0 }
    };
    let is_helper = |v: VarId| program.variables[v.index()].kind == Kind::Helper;
    let mut seen = FxHashSet::default();
    let variables = (0..).map(VarId).zip(&program.variables);
    let looked_at = variables.filter_map(|(v, variable)| match variable.kind {
        Kind::Helper => None,
        Kind::Parameter => Some((v, parameters, variable.name.as_str())),
        // What the translation added is looked at where the model shows it.
        Kind::Alias(alias) => (is_helper(alias.target) && seen.insert(alias.target))
            .then(|| (alias.target, occasions(alias.target), variable.name.as_str())),
        _ => Some((v, occasions(v), variable.name.as_str())),
    });
    let mut looked_at: Vec<_> = looked_at.collect();
    // A state is what its derivative has made of it.
    looked_at.sort_by_key(|(v, ..)| program.variables[v.index()].kind == Kind::State);
    looked_at
}

fn written(steps: &[Step]) -> FxHashSet<VarId> {
    let mut written = FxHashSet::default();
    steps.iter().for_each(|step| flow::writes(step, &mut written));
    written
}
