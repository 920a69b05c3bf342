//! A model as text after one of the passes, for tests that look at one pass alone.
//!
//! | pass | shows |
//! | --- | --- |
//! | `inline`, `lift`, `alias` | variables and equations between the flat model and the program |
//! | `index` | the same, with the states that were selected |
//! | `parameters`, `initial`, `dynamics`, `outputs`, `discrete`, `discretized` | that section of the program, in its [text form](crate::program::text) |

use std::fmt::Write;

use kausal_model::FlatModel;
use kausal_symbolic::{ExprId, VarId};

use crate::equations::parameters;
use crate::equations::work::{EquationForm, Role, Work};
use crate::options::Options;
use crate::prepare::{alias, inline, lift, wishes};
use crate::program::text::{Names, Shared, brief, expression};
use crate::reduce::index;
use crate::reduce::index::Selection;
use crate::translate;

/// The text of a model after a pass.
///
/// # Errors
/// Where there is no such pass, or the model has no program: then what was said.
pub fn after(pass: &str, model: &FlatModel, options: &Options) -> Result<String, String> {
    if let "inline" | "lift" | "alias" | "index" = pass {
        let mut work = Work::new(model);
        parameters::without_value(&mut work);
        parameters::release(&mut work);
        lift::arguments(&mut work);
        wishes::apply(&mut work, &options.commands);
        inline::inline(&mut work, false);
        if pass == "inline" {
            return Ok(shown(&work, None));
        }
        lift::lift(&mut work, model);
        inline::inline(&mut work, true);
        if pass == "lift" {
            return Ok(shown(&work, None));
        }
        alias::eliminate(&mut work);
        if pass == "alias" {
            return Ok(shown(&work, None));
        }
        work.bounds = parameters::bounds(&mut work);
        return match index::reduce(&mut work) {
            Ok(selection) => Ok(shown(&work, Some(&selection))),
            Err(_) => Err("structurally singular\n".to_owned()),
        };
    }
    let translation = translate(model, options);
    let said: Vec<String> =
        translation.diagnostics.iter().map(|d| format!("{}: {}\n", d.code, d.message)).collect();
    let Some(program) = translation.program else { return Err(said.concat()) };
    program.verify().map_err(|faults| format!("{faults}\n"))?;
    let mut out = said.concat();
    let mut inside = false;
    for line in brief(&program).lines() {
        let first = line.split(' ').next().unwrap_or_default();
        inside |= !line.starts_with(' ') && line.ends_with(['{', '}']) && first == pass;
        if inside {
            out.push_str(line);
            out.push('\n');
            // Guards, fallbacks and the like stand behind their block, but inside a section.
            inside = line.starts_with(' ') || !line.ends_with('}');
        }
    }
    Ok(out)
}

/// Variables and equations.
fn shown(work: &Work, selection: Option<&Selection>) -> String {
    let names = Names::new(work.vars.iter().map(|v| v.name.as_str()));
    let expr = |e: ExprId| expression(&work.pool, &names, &Shared::default(), e, false);
    let name = |v: VarId| names.of(v);
    let mut out = String::new();
    for (i, var) in work.vars.iter().enumerate() {
        let id = VarId(i as u32);
        if let Some((target, negated)) = var.alias {
            let sign = if negated { "-" } else { "" };
            let _ = writeln!(out, "alias {} = {sign}{}", name(id), name(target));
            continue;
        }
        let role = match var.role {
            Role::Parameter => "parameter",
            Role::FreeParameter => "free parameter",
            Role::Input => "input",
            Role::Continuous => "continuous",
            Role::Discrete => "discrete",
            Role::Run => "run",
            Role::Temporary => "temporary",
        };
        let binding = var.binding.map_or(String::new(), |e| format!(" = {}", expr(e)));
        let start = var.start.map_or(String::new(), |e| format!(" start {}", expr(e)));
        let fixed = if var.fixed == Some(true) { " fixed" } else { "" };
        let derivative = var.derivative.map_or(String::new(), |d| format!(" derivative {}", name(d)));
        let _ = writeln!(out, "{role} {}{binding}{start}{fixed}{derivative}", name(id));
    }
    for (what, list) in [("equation", &work.equations), ("initial equation", &work.initial_equations)] {
        for e in list {
            let order = if e.order > 0 { format!(" differentiated {}", e.order) } else { String::new() };
            let form = match &e.form {
                EquationForm::Plain => String::new(),
                EquationForm::Memory(v) => format!(" held by {}", name(*v)),
                EquationForm::When(v, cases) => {
                    let cases: Vec<String> = cases
                        .iter()
                        .map(|case| {
                            let conditions: Vec<&str> = case.conditions.iter().map(|&v| name(v)).collect();
                            let value = case.value.map_or("unchanged".to_owned(), expr);
                            let initial = if case.initial { " or initial" } else { "" };
                            format!("({}{initial}: {value})", conditions.join(", "))
                        })
                        .collect();
                    format!(" when {} {}", name(*v), cases.join(" else "))
                }
            };
            let _ = writeln!(out, "{what} {} = {}{order}{form}", expr(e.lhs), expr(e.rhs));
        }
    }
    for r in &work.relations {
        let sign = if r.or_equal { "<=" } else { "<" };
        let timed = r.timed.map_or(String::new(), |k| format!(" time event {k}"));
        let _ = writeln!(out, "relation {} = {} {sign} 0{timed}", name(r.variable), name(r.difference));
    }
    for e in &work.time_events {
        let _ = writeln!(out, "time event {} slope {}", expr(e.instant), expr(e.slope));
    }
    for s in &work.samples {
        let _ =
            writeln!(out, "sample {} from {} every {}", name(s.variable), expr(s.start), expr(s.interval));
    }
    for d in &work.delays {
        let (delay, maximum) = (expr(d.delay), expr(d.maximum));
        let _ = writeln!(out, "delay {} of {} by {delay} at most {maximum}", name(d.variable), name(d.input));
    }
    for p in &work.pre {
        let _ = writeln!(out, "pre {} of {}", name(p.slot), name(p.variable));
    }
    if let Some(selection) = selection {
        let states: Vec<&str> = selection.states.iter().map(|&v| name(v)).collect();
        let _ = writeln!(out, "states {}", states.join(", "));
        if !selection.sets.is_empty() {
            let _ = writeln!(out, "state sets {}", selection.sets.len());
        }
    }
    for d in &work.diagnostics {
        let _ = writeln!(out, "{}: {}", d.code, d.message);
    }
    out
}
