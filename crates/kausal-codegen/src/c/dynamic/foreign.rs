//! Foreign functions: declared, and called as specification section 12.9 says.
//!
//! The text of `Include` is pasted, other functions get a prototype; who links the program brings the functions, and for those that
//! use them the functions of `ModelicaUtilities.h`. An external object is a number in the values of the model and a pointer in its
//! arena; its constructor is called once. Records are not passed.

use kausal_symbolic::function::{ExternalBody, ForeignType, LocalId, Scalar, Term, TermId};

use super::{Fit, Value, Writer};
use crate::c::text::{Binding, Text};

/// As in `arena.c`.
const MAX_OBJECTS: usize = 64;

/// How an argument is passed.
struct Passed {
    text: String,
    /// For the prototype.
    ty: String,
}

impl Writer<'_> {
    pub(super) fn external(&mut self, external: &ExternalBody) -> Fit<()> {
        let prepared = self.prepared.clone();
        let function = prepared.function();
        if let Some(op) = external.builtin() {
            let result = external.result.or_else(|| function.outputs.first().copied());
            let Some(result) = result else { return Ok(()) };
            let value = self.element_wise(op, &external.args)?;
            return self.store(result, &value, false);
        }
        if matches!(&external.name[..], "ModelicaError" | "ModelicaMessage" | "ModelicaWarning") {
            return self.message(external);
        }
        let fortran = external.language.starts_with("FORTRAN");
        if !fortran && external.language != "C" {
            return self.unfit(format!("foreign code in {}", external.language));
        }
        if !external.view.records.is_empty() || external.view.args.len() != external.args.len() {
            return self.unfit("foreign code that takes or gives a record");
        }
        let slot = match function.notes.constructs {
            Some(_) => Some(self.object_slot(external)?),
            None => None,
        };
        let (mut passed, mut after) = (Vec::new(), Vec::new());
        for (&term, ty) in external.args.iter().zip(&external.view.args) {
            let written = match function.term(term) {
                Term::Local(local) if !function.inputs.contains(local) => Some(*local),
                _ => None,
            };
            passed.push(match written {
                Some(local) => self.written_argument(local, ty, fortran, &mut after)?,
                None => self.read_argument(term, ty, fortran)?,
            });
        }
        self.check();
        self.foreign_call(external, &passed, fortran)?;
        if let Some(slot) = slot {
            self.push("}");
            if let Some(result) = external.result {
                self.store(result, &Value::Number(Text::number((slot + 1) as f64)), false)?;
            }
        }
        for (local, back) in after {
            match back {
                Back::Value(value) => self.store(local, &value, false)?,
                Back::Line(line) => self.push(line),
            }
        }
        Ok(())
    }

    /// `ModelicaError` and the like, which need no library.
    fn message(&mut self, external: &ExternalBody) -> Fit<()> {
        let text = match external.args.first() {
            Some(&text) => self.value(text)?,
            None => return self.unfit("a message without text"),
        };
        let Value::String(text) = text else { return self.unfit("a message that is no string") };
        if external.name == "ModelicaError" {
            self.push(format!("kausal_say(a, {text});"));
            self.check();
        } else {
            self.push(format!("kausal_warn(a, {text});"));
        }
        Ok(())
    }

    /// A place for the object of a constructor; opens the block in which it is made.
    fn object_slot(&mut self, external: &ExternalBody) -> Fit<usize> {
        let slot = self.dynamic.objects;
        if slot >= MAX_OBJECTS || external.view.result != Some(Scalar::External) {
            return self.unfit("more external objects than there is room for");
        }
        self.dynamic.objects += 1;
        self.push(format!("if (!a->object[{slot}]) {{"));
        Ok(slot)
    }

    fn foreign_call(&mut self, external: &ExternalBody, passed: &[Passed], fortran: bool) -> Fit<()> {
        let mut name = external.name.clone();
        if fortran {
            name = format!("{}_", name.to_lowercase());
        }
        let result = external.view.result;
        let types: Vec<&str> = passed.iter().map(|argument| argument.ty.as_str()).collect();
        let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
        let head = result.map_or("void ".to_owned(), |scalar| spaced(c_type(scalar)));
        let includes: Vec<&str> = external
            .annotations
            .iter()
            .filter(|(name, _)| name == "Include")
            .map(|(_, text)| &text[..])
            .collect();
        if includes.is_empty() {
            let prototype = format!("extern {head}{name}({types});");
            match self.dynamic.foreign.iter().find(|(known, _)| *known == name) {
                Some((_, known)) if *known != prototype => {
                    return self.unfit(format!("{name} is declared in two ways"));
                }
                Some(_) => {}
                None => self.dynamic.foreign.push((name.clone(), prototype)),
            }
        }
        for include in includes {
            if !self.dynamic.includes.iter().any(|known| known == include) {
                self.dynamic.includes.push(include.to_owned());
            }
        }
        let list: Vec<&str> = passed.iter().map(|argument| argument.text.as_str()).collect();
        let call = format!("{name}({})", list.join(", "));
        let (Some(scalar), Some(target)) = (result, external.result) else {
            self.push(format!("{call};"));
            return Ok(());
        };
        if scalar == Scalar::External {
            let slot = self.dynamic.objects - 1;
            self.push(format!("a->object[{slot}] = {call};"));
            self.push(format!("if (!a->object[{slot}]) kausal_fail(a, \"there is no object\");"));
            self.check();
            return Ok(());
        }
        let value = self.temporary();
        self.push(format!("{}{value} = {call};", spaced(c_type(scalar))));
        let value = from_c(scalar, &value);
        self.store(target, &value, false)
    }

    /// An argument that foreign code reads.
    fn read_argument(&mut self, term: TermId, ty: &ForeignType, fortran: bool) -> Fit<Passed> {
        let value = self.value(term)?;
        let c = if ty.size && !fortran { "size_t" } else { c_type(ty.scalar) };
        let columns = i32::from(fortran);
        Ok(match value {
            Value::Array(name, kind) => {
                self.took = true;
                let (text, c) = match (kind.text, ty.scalar) {
                    (true, _) => (format!("kausal_texts(a, {name})"), "const char *"),
                    (false, Scalar::Real) => (format!("kausal_doubles(a, {name}, {columns})"), "double "),
                    (false, Scalar::External) => return self.unfit("an array of external objects"),
                    _ => (format!("kausal_ints(a, {name}, {columns})"), "int "),
                };
                let list = self.temporary();
                self.push(format!("{c}*const {list} = {text};"));
                let constant = if fortran || kind.text { "" } else { "const " };
                Passed { text: list, ty: format!("{constant}{c}*") }
            }
            Value::String(text) => Passed { text, ty: "const char *".to_owned() },
            Value::Number(text) => {
                let number = match ty.scalar {
                    Scalar::Real => text.double().text,
                    Scalar::External => format!("kausal_object(a, {})", text.double().text),
                    _ => format!("({c}){}", text.double().at_least(Binding::Unary)),
                };
                if !fortran {
                    return Ok(Passed { text: number, ty: c.to_owned() });
                }
                let name = self.temporary();
                self.push(format!("{}{name} = {number};", spaced(c)));
                Passed { text: format!("&{name}"), ty: format!("{}*", spaced(c)) }
            }
        })
    }

    /// An output or protected variable, which foreign code may change.
    fn written_argument(
        &mut self,
        local: LocalId,
        ty: &ForeignType,
        fortran: bool,
        after: &mut Vec<(LocalId, Back)>,
    ) -> Fit<Passed> {
        let kind = self.kind_of(local)?;
        let home = self.home(local);
        let columns = i32::from(fortran);
        let name = self.temporary();
        if kind.rank > 0 {
            let (make, back, c) = match (kind.text, ty.scalar) {
                (false, Scalar::Real) => ("kausal_doubles", "kausal_from_doubles", "double"),
                (false, Scalar::Integer | Scalar::Boolean | Scalar::Enumeration) => {
                    ("kausal_ints", "kausal_from_ints", "int")
                }
                _ => return self.unfit("an array of strings or objects that foreign code changes"),
            };
            self.took = true;
            self.push(format!("{c} *const {name} = {make}(a, {home}, {columns});"));
            after.push((local, Back::Line(format!("{back}({home}, {name}, {columns});"))));
            return Ok(Passed { text: name, ty: format!("{c} *") });
        }
        let c = c_type(ty.scalar);
        match ty.scalar {
            Scalar::External => return self.unfit("an external object that foreign code changes"),
            Scalar::Real | Scalar::String => self.push(format!("{}{name} = {home};", spaced(c))),
            _ => self.push(format!("int {name} = (int){home};")),
        }
        after.push((local, Back::Value(from_c(ty.scalar, &name))));
        Ok(Passed { text: format!("&{name}"), ty: format!("{}*", spaced(c)) })
    }
}

/// What is done with an argument after the call.
enum Back {
    Value(Value),
    Line(String),
}

/// A value of foreign code as one of ours.
fn from_c(scalar: Scalar, name: &str) -> Value {
    let cast = |text: String| Text { binding: Binding::Unary, ..Text::primary(text) };
    match scalar {
        Scalar::Real => Value::Number(Text::primary(name)),
        Scalar::String => Value::String(name.to_owned()),
        Scalar::Boolean => Value::Number(cast(format!("(double)({name} != 0)"))),
        _ => Value::Number(cast(format!("(double){name}"))),
    }
}

fn c_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Real => "double",
        Scalar::Integer | Scalar::Boolean | Scalar::Enumeration => "int",
        Scalar::String => "const char *",
        Scalar::External => "void *",
    }
}

/// A type in front of a name.
fn spaced(ty: &str) -> String {
    if ty.ends_with('*') { ty.to_owned() } else { format!("{ty} ") }
}
