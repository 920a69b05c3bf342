//! Values for a compiled model as it is: no flattening, no translation.
//!
//! ```
//! use std::sync::Arc;
//! use kausal::{Backend, Session, Settings, simulate, tune};
//!
//! let mut session = Session::new();
//! let text = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;";
//! session.add_text("Decay.mo", text);
//! let flat = session.flatten("Decay").expect("a correct model");
//! let program = session.translate(&flat, &Default::default()).expect("a regular model");
//! let model = Arc::new(session.compile(program, Backend::Auto).expect("code"));
//! for k in [0.5, 1.0, 2.0] {
//!     let overrides = tune::overrides(&model, &[("k", k), ("x", 3.0)]).expect("not structural");
//!     let settings = Settings { overrides: Arc::new(overrides), ..Settings::default() };
//!     let run = simulate::run(model.clone(), &settings, &|_| true, None, &mut |_| true);
//!     let x = run.trajectory.get("x").expect("a variable");
//!     assert!((x.last().unwrap() - 3.0 * (-k).exp()).abs() < 1e-4);
//! }
//! ```
//!
//! What is structural (see [`Structural`]) is refused with its reason: [`Session::set`](crate::Session::set) and another
//! translation give it another value.

use std::sync::Arc;

use kausal_runtime::tunable::{Refused, admits};
use kausal_runtime::{CompiledModel, Overrides};
use kausal_symbolic::VarId;
use kausal_symbolic::print::print_limited;
use kausal_syntax::Diagnostic;
use kausal_translate::Program;
use kausal_translate::program::{Kind, Structural};

use crate::session::nearest;
use crate::settings::{Setting, plain_value};

/// Why a compiled model does not take a value.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// Another translation takes it: the name of what was set, and the reason.
    Structural(String, String),
    /// Nothing will: the name or the value is wrong.
    Wrong(Box<Diagnostic>),
}

impl Refusal {
    /// As a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Refusal::Structural(name, why) => {
                Diagnostic::error("K0560", format!("{name} cannot be changed in a compiled model: {why}"))
                    .help("translate the model with this value")
            }
            Refusal::Wrong(d) => (**d).clone(),
        }
    }
}

/// Values for parameters and start values of a compiled model, by their names.
pub fn overrides<N: AsRef<str>, V: Into<Setting> + Clone>(
    model: &Arc<CompiledModel>,
    settings: &[(N, V)],
) -> Result<Overrides, Refusal> {
    let program = &model.program;
    let mut all = Overrides::new();
    for (name, value) in settings {
        set(program, &mut all, name.as_ref(), value.clone().into())?;
    }
    admits(model, &all)
        .map_err(|why| refusal(program, settings.first().map_or("", |s| s.0.as_ref()), why))?;
    Ok(all)
}

fn set(program: &Program, all: &mut Overrides, name: &str, to: Setting) -> Result<(), Refusal> {
    let Some(variable) = find(program, name) else {
        let names = program.variables.iter().filter(|v| v.kind != Kind::Helper).map(|v| v.name.as_str());
        let d = Diagnostic::error("K0910", format!("there is no variable {name} to set"));
        let d = match nearest(name, names) {
            Some(nearest) => d.help(format!("did you mean {nearest}?")),
            None => d,
        };
        return Err(Refusal::Wrong(Box::new(d)));
    };
    let ty = program.variables[variable.index()].ty;
    let value = plain_value(name, to, ty, &program.enumerations).map_err(|d| Refusal::Wrong(Box::new(d)))?;
    all.set(program, variable, value).map_err(|why| refusal(program, name, why))
}

/// The variable of the model with this name.
pub fn find(program: &Program, name: &str) -> Option<VarId> {
    let at = program.variables.iter().position(|v| v.kind != Kind::Helper && v.name == name)?;
    Some(VarId(at as u32))
}

/// Why a program does not take a value for what was set by this name; without one, for all that was set together.
pub fn refusal(program: &Program, name: &str, why: Refused) -> Refusal {
    let name_of = |v: VarId| program.variables[v.index()].name.as_str();
    let structural = |name: &str, why: String| Refusal::Structural(name.to_owned(), why);
    let one = !name.is_empty();
    let name = if one { name } else { "what was set" };
    match why {
        Refused::Structural(v, Structural::Constant) => {
            let d = Diagnostic::error("K0911", format!("{} cannot be changed: it is a constant", name_of(v)));
            Refusal::Wrong(Box::new(d.help("change it in the model instead")))
        }
        Refused::Structural(v, why) => structural(name_of(v), reason(program, v, why)),
        Refused::Start(v) => structural(name_of(v), "its start value is used in the translation".to_owned()),
        Refused::Type(v) => {
            let d =
                Diagnostic::error("K0910", format!("{} cannot be set so: it has another type", name_of(v)));
            Refusal::Wrong(Box::new(d))
        }
        Refused::Sign(v) if name_of(v) == name || !one => {
            structural(name_of(v), "the equations were solved with its sign as it is".to_owned())
        }
        Refused::Sign(v) => {
            structural(name, format!("the equations were solved with the sign of {} as it is", name_of(v)))
        }
        Refused::Divisor(e) => {
            let text = print_limited(&program.pool, e, &|v| name_of(v).to_owned(), 80);
            structural(name, format!("the equations were divided by {text}, which may be zero then"))
        }
    }
}

/// Why a parameter is structural, in words.
pub fn reason(program: &Program, parameter: VarId, why: Structural) -> String {
    let name_of = |v: VarId| &program.variables[v.index()].name;
    match why {
        Structural::Constant => "it is a constant".to_owned(),
        Structural::Evaluated => {
            "it is final or Evaluate = true, or the structure of the model depends on it".to_owned()
        }
        Structural::Initial => "the initial equations determine it".to_owned(),
        Structural::Valueless => "the model gives it no value".to_owned(),
        Structural::Equation => "it is no parameter, an equation says what it is".to_owned(),
        Structural::Attribute(v) => format!("min, max or nominal of {} depends on it", name_of(v)),
        Structural::Decision(v) if v == parameter => "the translation has used its value".to_owned(),
        Structural::Decision(v) => {
            format!("the translation has used the value of {}, which depends on it", name_of(v))
        }
    }
}
