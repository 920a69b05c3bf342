//! Other values for parameters and start values, before translation: `--set name=value`. What needs no translation is in
//! [`tune`](crate::tune).
//!
//! A parameter on which the structure depends (sizes, conditions) has left the flat model: its value becomes a modifier of
//! the class and the model is flattened again. Every other setting changes the flat model only.

use kausal_model::FlatModel;
use kausal_model::flat::{Enumeration, Type, Variability};
use kausal_runtime::tunable::Value;
use kausal_symbolic::{ExprId, Node};
use kausal_syntax::Diagnostic;

use crate::session::{Session, nearest};

/// What a variable is set to.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number, also that of a Boolean or of a literal.
    Number(f64),
    /// As it is written: a number, `true`, a literal of an enumeration, a text.
    Word(String),
}

impl From<f64> for Setting {
    fn from(value: f64) -> Setting {
        Setting::Number(value)
    }
}

impl From<i32> for Setting {
    fn from(value: i32) -> Setting {
        Setting::Number(value.into())
    }
}

impl From<bool> for Setting {
    fn from(value: bool) -> Setting {
        Setting::Number(u8::from(value).into())
    }
}

impl From<&str> for Setting {
    fn from(word: &str) -> Setting {
        Setting::Word(word.to_owned())
    }
}

impl From<String> for Setting {
    fn from(word: String) -> Setting {
        Setting::Word(word)
    }
}

impl Session {
    /// Gives parameters other values. Where the structure depends on one of them, the model is flattened again.
    pub fn set<V: Into<Setting> + Clone>(&mut self, model: &mut FlatModel, settings: &[(String, V)]) -> bool {
        let settings: Vec<(String, Setting)> =
            settings.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let of = |name: &str| model.variables.iter().find(|v| v.name == name);
        let is_constant = |name: &str| of(name).is_some_and(|v| v.variability == Variability::Constant);
        if let Some((name, _)) = settings.iter().find(|(name, _)| is_constant(name)) {
            return self.refuse(name, "it is a constant");
        }
        let names: Vec<String> = settings.iter().map(|(name, _)| name.clone()).collect();
        let structural = |name: &str| model.variables.iter().any(|v| v.name == name && is_structural(v));
        let (before, after): (Vec<_>, Vec<_>) = settings.into_iter().partition(|(name, _)| structural(name));
        let done = (before.is_empty() || self.set_before_flattening(model, &before))
            .then(|| after.into_iter().try_for_each(|(name, value)| set_one(model, &name, value)));
        match done {
            Some(Ok(())) => {
                self.diagnostics.extend(names.iter().filter_map(|name| outside(model, name)));
                true
            }
            Some(Err(d)) => {
                self.diagnostics.push(d);
                false
            }
            None => false,
        }
    }

    /// Flattens a model again with modifiers.
    fn set_before_flattening(&mut self, model: &mut FlatModel, settings: &[(String, Setting)]) -> bool {
        let mut modifiers = Vec::new();
        for (name, value) in settings {
            let ty = model.variables.iter().find(|v| v.name == *name).map_or(Type::Real, |v| v.ty);
            let value = match value_of(name, value.clone(), ty, model) {
                Ok(value) => written(model, value, ty),
                Err(d) => {
                    self.diagnostics.push(d);
                    return false;
                }
            };
            match value.and_then(|value| modifier(name, &value)) {
                Some(modifier) => modifiers.push(modifier),
                None => return self.refuse(name, FINAL),
            }
        }
        let class = self.unused_name();
        let text = format!("model {class} extends {}({}); end {class};", model.name, modifiers.join(", "));
        let said = self.diagnostics.len();
        self.add_text(&format!("{class}.mo"), &text);
        let Some(mut flat) = self.flatten(&class) else {
            // What is wrong may be the modifier, because the parameter is final, or what it leads to, which has been said.
            let file = format!("{class}.mo");
            let mut labels = self.diagnostics[said..].iter().flat_map(|d| &d.labels);
            if labels.any(|l| self.sources().get(l.location.source).name == file) {
                self.diagnostics.truncate(said);
                return self.refuse(&settings[0].0, FINAL);
            }
            return false;
        };
        self.diagnostics.truncate(said);
        flat.name = std::mem::take(&mut model.name);
        flat.description = std::mem::take(&mut model.description);
        flat.experiment = model.experiment;
        *model = flat;
        true
    }

    fn refuse(&mut self, name: &str, why: &str) -> bool {
        let message = format!("{name} cannot be changed: {why}");
        self.diagnostics.push(Diagnostic::error("K0911", message).help("change it in the model instead"));
        false
    }

    /// A name that no class has yet.
    fn unused_name(&mut self) -> String {
        let library = &mut self.workspace.classes().lib;
        let taken = library.root_names().len();
        (taken..)
            .map(|n| format!("Set{n}"))
            .find(|name| library.root(kausal_syntax::Symbol::new(name)).is_none())
            .unwrap_or_default()
    }
}

/// Why what cannot be modified cannot be set.
const FINAL: &str = "it is final, or the structure of the model depends on it";

/// Does the structure depend on it?
fn is_structural(variable: &kausal_model::flat::Variable) -> bool {
    variable.evaluated && variable.variability <= Variability::Parameter
}

/// Gives one variable of a flat model another value.
fn set_one(model: &mut FlatModel, name: &str, value: Setting) -> Result<(), Diagnostic> {
    let Some(index) = model.variables.iter().position(|v| v.name == name) else {
        let nearest = nearest(name, model.variables.iter().map(|v| v.name.as_str()));
        let d = Diagnostic::error("K0910", format!("there is no variable {name} to set"));
        return Err(match nearest {
            Some(nearest) => d.help(format!("did you mean {nearest}?")),
            None => d,
        });
    };
    let value = value_of(name, value, model.variables[index].ty, model)?;
    let variable = &mut model.variables[index];
    if variable.variability > Variability::Parameter {
        variable.start = Some(value);
    } else {
        variable.binding = Some(value);
    }
    Ok(())
}

/// A warning if what was written for a parameter lies outside its bounds, where these are numbers: values in the text of the model
/// have been looked at when it was flattened, and others are in the run.
fn outside(model: &FlatModel, name: &str) -> Option<Diagnostic> {
    let variable = model.variables.iter().find(|v| v.name == name)?;
    let number = |e: Option<ExprId>| e.and_then(|e| model.pool.as_constant(e));
    out_of_bounds(model, name, number(variable.binding)?)
}

/// The same for a parameter that is given this value.
pub(crate) fn out_of_bounds(model: &FlatModel, name: &str, value: f64) -> Option<Diagnostic> {
    let variable = model.variables.iter().find(|v| v.name == name)?;
    if variable.variability > Variability::Parameter {
        return None;
    }
    let number = |e: Option<ExprId>| e.and_then(|e| model.pool.as_constant(e));
    let (side, bound) = match (number(variable.min), number(variable.max)) {
        (Some(low), _) if value < low => ("below its minimum", low),
        (_, Some(high)) if value > high => ("above its maximum", high),
        _ => return None,
    };
    let d = Diagnostic::warning("K0330", format!("{name} is set to {value}, {side} {bound}"));
    Some(match variable.location {
        Some(location) => d.at(location, "declared here"),
        None => d,
    })
}

/// A value as it is written in a modifier.
fn written(model: &FlatModel, value: ExprId, ty: Type) -> Option<String> {
    match (model.pool.node(value), ty) {
        (Node::Const(value), Type::Boolean) => Some((value != 0.0).to_string()),
        (Node::Const(value), Type::Real | Type::Integer) => Some(value.to_string()),
        (Node::Const(value), Type::Enumeration(kind)) => {
            let kind = model.enumerations.get(kind as usize)?;
            let literal = kind.literals.get((value as usize).checked_sub(1)?)?;
            Some(format!("{}.{literal}", kind.name))
        }
        (Node::Text(text), _) => {
            let text = model.pool.text_of(text);
            Some(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
        }
        _ => None,
    }
}

/// `a.b.n` and `3` as `a(b(n = 3))`; elements of arrays cannot be modified one by one.
fn modifier(name: &str, value: &str) -> Option<String> {
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let parts: Vec<&str> = name.split('.').collect();
    let (last, outer) = parts.split_last()?;
    let inside = parts.iter().all(|part| plain(part)).then(|| format!("{last} = {value}"))?;
    Some(outer.iter().rev().fold(inside, |inside, part| format!("{part}({inside})")))
}

/// What a variable is set to, as an expression.
fn value_of(name: &str, to: Setting, ty: Type, model: &mut FlatModel) -> Result<ExprId, Diagnostic> {
    Ok(match plain_value(name, to, ty, &model.enumerations)? {
        Value::Number(value) => model.pool.constant(value),
        Value::Text(text) => model.pool.text(&text),
    })
}

/// What a variable is set to.
pub(crate) fn plain_value(
    name: &str,
    to: Setting,
    ty: Type,
    enumerations: &[Enumeration],
) -> Result<Value, Diagnostic> {
    let value = match (to, ty) {
        (Setting::Word(text), Type::String) => {
            let inside = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            return Ok(Value::from(inside.unwrap_or(&text)));
        }
        (_, Type::String | Type::External(_) | Type::Clock) => {
            let what = if ty == Type::String { "a text" } else { "no value that can be written" };
            return Err(Diagnostic::error("K0910", format!("{name} cannot be set so: it is {what}")));
        }
        (Setting::Number(value), Type::Enumeration(kind)) => {
            let literals = enumerations.get(kind as usize).map_or(&[][..], |e| &e.literals);
            if !(1..=literals.len()).any(|place| place as f64 == value) {
                let message = format!("{name} cannot be {value}: it must be one of {}", literals.join(", "));
                return Err(Diagnostic::error("K0910", message));
            }
            value
        }
        (Setting::Number(value), _) => value,
        (Setting::Word(word), Type::Enumeration(kind)) => {
            let literals = enumerations.get(kind as usize).map_or(&[][..], |e| &e.literals);
            let last = word.rsplit('.').next().unwrap_or(&word);
            let place = literals.iter().position(|literal| literal == last).map(|at| at as f64 + 1.0);
            let number = word.parse().ok().filter(|n: &f64| *n >= 1.0 && *n <= literals.len() as f64);
            match place.or(number) {
                Some(value) => value,
                None => {
                    let message =
                        format!("{name} cannot be {word}: it must be one of {}", literals.join(", "));
                    return Err(Diagnostic::error("K0910", message));
                }
            }
        }
        (Setting::Word(word), _) => match word.as_str() {
            "true" => 1.0,
            "false" => 0.0,
            number => number.parse().map_err(|_| {
                Diagnostic::error("K0910", format!("{name} cannot be {word}: that is not a number"))
            })?,
        },
    };
    match wrong_value(name, value, ty) {
        Some(d) => Err(d),
        None => Ok(Value::Number(value)),
    }
}

/// What a variable of this type cannot be.
fn wrong_value(name: &str, value: f64, ty: Type) -> Option<Diagnostic> {
    let (fits, wanted) = match ty {
        Type::Real => (value.is_finite(), "a finite number"),
        Type::Integer => (value.fract() == 0.0, "a whole number"),
        Type::Boolean => (value == 0.0 || value == 1.0, "0 or 1"),
        _ => (value.fract() == 0.0, "the number of a value"),
    };
    (!fits).then(|| Diagnostic::error("K0910", format!("{name} cannot be {value}: it must be {wanted}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted in the text: three unknowns and a size; the second setting belongs to the flat model.
    #[test]
    fn a_size_is_set_before_flattening() {
        let mut session = Session::new();
        session.add_text(
            "P.mo",
            "package P model Part parameter Integer n = 2; parameter Real k = 1; Real x[n] = fill(k*time, n); end Part;
             model Whole \"a whole\" Part part; annotation(experiment(StopTime = 7)); end Whole; end P;",
        );
        let mut flat = session.flatten("P.Whole").expect("a model");
        let settings = [("part.n", "3"), ("part.k", "5")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert!(session.set(&mut flat, &settings), "{:?}", session.take_diagnostics());
        let has = |name: &str| flat.variables.iter().any(|v| v.name == name);
        assert!(has("part.x[3]") && !has("part.x[4]"));
        assert_eq!((flat.name.as_str(), flat.description.as_str()), ("P.Whole", "a whole"));
        assert_eq!(flat.experiment.stop, Some(7.0));
        let k = flat.variables.iter().find(|v| v.name == "part.k").and_then(|v| v.binding).expect("a value");
        assert!(matches!(flat.pool.node(k), Node::Const(k) if k == 5.0));
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        let mut session = Session::new();
        session.add_text("M.mo", "model M final parameter Integer n = 2; Real x[n] = fill(time, n); end M;");
        let mut flat = session.flatten("M").expect("a model");
        assert!(!session.set(&mut flat, &[("n".to_owned(), 3.0)]));
        let said: Vec<&str> = session.take_diagnostics().iter().map(|d| d.code).collect();
        assert_eq!(said, ["K0911"]);
    }

    #[test]
    fn texts_and_literals_are_set_by_what_they_are() {
        let mut session = Session::new();
        session.add_text(
            "M.mo",
            "model M type E = enumeration(off, slow, fast); parameter String s = \"a\"; parameter E e = E.off;
               parameter Boolean b = false; Real x = time; end M;",
        );
        let mut flat = session.flatten("M").expect("a model");
        let mut set = |name: &str, word: &str| {
            let done = session.set(&mut flat, &[(name.to_owned(), word.to_owned())]);
            let variable = flat.variables.iter().find(|v| v.name == name).expect("a variable");
            let bound = variable.binding.expect("a binding");
            match (done, flat.pool.node(bound)) {
                (true, Node::Text(text)) => Ok(flat.pool.text_of(text).to_owned()),
                (true, Node::Const(value)) => Ok(value.to_string()),
                _ => Err(session.take_diagnostics().remove(0).message),
            }
        };
        assert_eq!(set("s", "fast lane"), Ok("fast lane".to_owned()));
        assert_eq!(set("s", "12"), Ok("12".to_owned()));
        assert_eq!(set("e", "fast"), Ok("3".to_owned()));
        assert_eq!(set("e", "M.E.slow"), Ok("2".to_owned()));
        assert_eq!(set("e", "1"), Ok("1".to_owned()));
        assert_eq!(set("b", "true"), Ok("1".to_owned()));
        assert!(set("e", "faster").is_err_and(|m| m.ends_with("one of off, slow, fast")));
        assert!(set("b", "maybe").is_err_and(|m| m.ends_with("not a number")));
    }
}
