//! Statements of functions in C.

use kausal_symbolic::function::integers::may_be_inexact;
use kausal_symbolic::function::{ArrayFn, LocalId, Scalar, Stmt, Subscript, Target, Term, TermId};

use super::{Fit, Kind, Value, Writer};
use crate::c::text::{Binding, Text, string};

/// Rounds of a `while` loop after which the function fails, as it does in the evaluator.
const MAX_ROUNDS: &str = "1000000000";

impl Writer<'_> {
    pub(super) fn block(&mut self, statements: &[Stmt]) -> Fit<()> {
        self.deeper(|this| statements.iter().try_for_each(|statement| this.statement(statement)))
    }

    fn statement(&mut self, statement: &Stmt) -> Fit<()> {
        match statement {
            Stmt::Assign(target, term) => self.statement_with(
                |this| {
                    let value = this.value(*term)?;
                    this.exact_for(target.local, *term, value)
                },
                |this, value| this.assign(target, &value),
            ),
            Stmt::AssignCall(targets, call) => self.statement_with(
                |this| this.outputs(*call),
                |this, outputs| {
                    if targets.len() > outputs.len() {
                        return this.unfit("more results than outputs");
                    }
                    for (target, value) in targets.iter().zip(&outputs) {
                        if let Some(target) = target {
                            this.assign(target, value)?;
                        }
                    }
                    Ok(())
                },
            ),
            Stmt::If(branches, otherwise) => self.branches(branches, otherwise),
            Stmt::For(local, range, body) => self.for_loop(*local, *range, body),
            Stmt::While(condition, body) => {
                let rounds = self.temporary();
                self.push(format!("for (long {rounds} = 0;; {rounds}++) {{"));
                self.push(format!(
                    "if ({rounds} > {MAX_ROUNDS}) kausal_fail(a, \"a while loop does not end\");"
                ));
                self.check();
                let condition = self.condition(*condition)?;
                self.push(format!("if (!{}) break;", condition.at_least(Binding::Unary)));
                self.block(body)?;
                self.push("}");
                Ok(())
            }
            Stmt::Break => {
                self.push("break;");
                Ok(())
            }
            Stmt::Return => {
                self.deliver();
                self.push("return;");
                Ok(())
            }
            Stmt::Assert(condition, message, level) => self.assert(*condition, *message, *level),
            Stmt::Call(call) => self.statement_with(|this| this.outputs(*call), |_, _| Ok(())),
        }
    }

    fn assert(&mut self, condition: TermId, message: TermId, level: TermId) -> Fit<()> {
        let condition = self.condition(condition)?;
        self.push(format!("if (!{}) {{", condition.at_least(Binding::Unary)));
        let prepared = self.prepared.clone();
        let known = match prepared.function().term(level) {
            Term::Const(level) => Some(*level),
            _ => None,
        };
        let level = self.number(level)?.double().at_least(Binding::Sum);
        let Value::String(message) = self.value(message)? else {
            return self.unfit("a message that is no string");
        };
        match known {
            Some(1.0) => self.push(format!("kausal_warn(a, {message});")),
            Some(_) => {
                self.push(format!("kausal_say(a, {message});"));
                self.push("return;");
            }
            None => {
                self.push(format!("if ({level} == 1.0) kausal_warn(a, {message});"));
                self.push(format!("else kausal_say(a, {message});"));
                self.check();
            }
        }
        self.push("}");
        Ok(())
    }

    /// Evaluates and stores; memory taken meanwhile is given back unless a variable took some of it.
    pub(super) fn statement_with<T>(
        &mut self,
        evaluate: impl FnOnce(&mut Self) -> Fit<T>,
        store: impl FnOnce(&mut Self, T) -> Fit<()>,
    ) -> Fit<()> {
        let took = std::mem::replace(&mut self.took, false);
        let (value, before) = self.apart(evaluate)?;
        if !self.took {
            self.lines.extend(before);
            self.took = took;
            return store(self, value);
        }
        self.took = true;
        let ((), after) = self.apart(|this| store(this, value))?;
        let mark = self.temporary();
        self.push("{");
        self.push(format!("const size_t mark_{mark} = a->used;"));
        self.lines.extend(before);
        if after.is_empty() {
            self.push(format!("a->used = mark_{mark};"));
        } else {
            self.push(format!("const size_t top_{mark} = a->used;"));
            self.lines.extend(after);
            self.push(format!("if (a->used == top_{mark}) a->used = mark_{mark};"));
        }
        self.push("}");
        Ok(())
    }

    /// A condition; what was taken for it is given back.
    fn condition(&mut self, term: TermId) -> Fit<Text> {
        let took = std::mem::replace(&mut self.took, false);
        let (value, before) = self.apart(|this| this.number(term))?;
        if !std::mem::replace(&mut self.took, took) {
            self.lines.extend(before);
            return Ok(value.condition());
        }
        let name = self.temporary();
        self.push(format!("double {name} = 0.0;"));
        self.push("{");
        self.push(format!("const size_t mark_{name} = a->used;"));
        self.lines.extend(before);
        self.push(format!("{name} = {};", value.double().text));
        self.push(format!("a->used = mark_{name};"));
        self.push("}");
        Ok(Text::primary(name).condition())
    }

    /// A variable of type Integer gets a value that is exact.
    pub(super) fn exact_for(&mut self, local: LocalId, term: TermId, value: Value) -> Fit<Value> {
        let prepared = self.prepared.clone();
        let function = prepared.function();
        if function.local(local).scalar != Scalar::Integer || !may_be_inexact(function, term) {
            return Ok(value);
        }
        Ok(match value {
            Value::Number(text) => Value::Number(self.exact(&text)),
            Value::Array(name, kind) => {
                self.push(format!("for (int k = 0, n = kausal_count({name}); k < n; k++) kausal_exact(a, {name}.data[k].number);"));
                self.check();
                Value::Array(name, kind)
            }
            value => value,
        })
    }

    /// A result of Integer arithmetic must be exact.
    pub(super) fn exact(&mut self, text: &Text) -> Text {
        let number = self.kept(text);
        self.push(format!("kausal_exact(a, {});", number.text));
        self.check();
        number
    }

    fn branches(&mut self, branches: &[(TermId, Vec<Stmt>)], otherwise: &[Stmt]) -> Fit<()> {
        let Some(((condition, body), rest)) = branches.split_first() else {
            return self.block(otherwise);
        };
        let condition = self.condition(*condition)?;
        self.push(format!("if ({}) {{", condition.text));
        self.block(body)?;
        if !rest.is_empty() || !otherwise.is_empty() {
            self.push("} else {");
            self.deeper(|this| this.branches(rest, otherwise))?;
        }
        self.push("}");
        Ok(())
    }

    fn for_loop(&mut self, local: LocalId, range: TermId, body: &[Stmt]) -> Fit<()> {
        let name = self.temporary();
        self.push("{");
        self.push(format!("const size_t mark_{name} = a->used;"));
        let mut rounds = self.rounds(range)?;
        if let RoundValue::Vector(vector, _) = &mut rounds.value {
            // Statements may change the variable it comes from.
            let copy = self.temporary();
            self.push(format!("const kausal_array {copy} = kausal_copy(a, {vector});"));
            self.check();
            rounds.count = format!("{copy}.size[0]");
            *vector = copy;
        }
        self.push(format!("const size_t top_{name} = a->used;"));
        self.push(format!("for (int k_{name} = 0; k_{name} < {}; k_{name}++) {{", rounds.count));
        let outside = self.bind_round(local, &rounds, &format!("k_{name}"));
        self.block(body)?;
        self.homes[local.0 as usize] = outside;
        self.push("}");
        self.push(format!("if (a->used == top_{name}) a->used = mark_{name};"));
        self.push("}");
        Ok(())
    }

    /// What a loop runs over.
    pub(super) fn rounds(&mut self, range: TermId) -> Fit<Rounds> {
        let prepared = self.prepared.clone();
        if let Term::Array(ArrayFn::Range, args) = prepared.function().term(range)
            && (2..=3).contains(&args.len())
            && args.iter().all(|&arg| prepared.type_of(arg).is_number())
        {
            let mut numbers = Vec::with_capacity(3);
            for &arg in args {
                let number = self.number(arg)?;
                numbers.push(self.kept(&number).text);
            }
            let (start, step, stop) = match &numbers[..] {
                [start, stop] => (start.clone(), "1.0".to_owned(), stop),
                [start, step, stop] => (start.clone(), step.clone(), stop),
                _ => return self.unfit("a range with other than two or three numbers"),
            };
            let count = self.temporary();
            self.push(format!("const int {count} = kausal_range_length(a, {stop} - {start}, {step});"));
            self.check();
            return Ok(Rounds { count, value: RoundValue::Range { start, step } });
        }
        match self.value(range)? {
            Value::Array(name, kind) if kind.rank == 1 => {
                Ok(Rounds { count: format!("{name}.size[0]"), value: RoundValue::Vector(name, kind) })
            }
            _ => self.unfit("a loop over something that is not a vector"),
        }
    }

    /// Gives a loop variable the value of a round; returns how it was read before.
    pub(super) fn bind_round(&mut self, local: LocalId, rounds: &Rounds, counter: &str) -> String {
        let inner = self.temporary();
        match &rounds.value {
            RoundValue::Range { start, step } => {
                self.push(format!("const double {inner} = {start} + {counter}*{step};"));
            }
            RoundValue::Vector(vector, kind) => {
                let element = Kind { rank: 0, ..*kind };
                let (ty, field) = (element.c_type(), kind.field());
                let constant = if kind.text { "" } else { "const " };
                self.push(format!("{constant}{ty}{inner} = {vector}.data[{counter}].{field};"));
            }
        }
        self.push(format!("(void){inner};"));
        std::mem::replace(&mut self.homes[local.0 as usize], inner)
    }

    fn assign(&mut self, target: &Target, value: &Value) -> Fit<()> {
        if target.subscripts.is_empty() {
            return self.store(target.local, value, false);
        }
        let kind = self.kind_of(target.local)?;
        if value.kind().text != kind.text {
            return self.unfit("a string and a number do not go together");
        }
        let variable = self.variable(target.local);
        let whole = target.subscripts.len() == kind.rank;
        if whole && value.kind().rank == 0 && self.all_single(&target.subscripts) {
            let place = self.place(&variable, &target.subscripts)?;
            match value {
                Value::String(text) => {
                    self.push(format!("{variable}.data[{place}].text = kausal_keep(a, {text});"));
                    self.check();
                }
                value => self.push(format!("{variable}.data[{place}].number = {};", value.written())),
            }
            return Ok(());
        }
        let mut value = self.as_array(value)?;
        if kind.text {
            let kept = self.temporary();
            self.push(format!("const kausal_array {kept} = kausal_kept(a, {value});"));
            self.check();
            value = kept;
        }
        let index = self.index_list(&target.subscripts, kind.rank)?;
        let count = target.subscripts.len();
        self.push(format!("kausal_assign(a, &{variable}, {count}, {index}, {value});"));
        self.check();
        Ok(())
    }

    /// Sets the whole of a local variable; the first value of it may have any size.
    pub(super) fn store(&mut self, id: LocalId, value: &Value, first: bool) -> Fit<()> {
        let kind = self.kind_of(id)?;
        let prepared = self.prepared.clone();
        if value.kind() != kind {
            return self
                .unfit(format!("{} gets a value of another kind", prepared.function().local(id).name));
        }
        let variable = self.variable(id);
        match value {
            Value::Number(text) => self.push(format!("{variable} = {};", text.double().text)),
            Value::String(text) => {
                self.push(format!("kausal_set(a, &{variable}, {text});"));
                self.check();
            }
            Value::Array(from, _) => {
                let flexible = i32::from(first || prepared.is_flexible(id));
                let store = if kind.text { "kausal_store_texts" } else { "kausal_store" };
                let name = string(&prepared.function().local(id).name);
                self.push(format!("{store}(a, {name}, &{variable}, {from}, {flexible});"));
                self.check();
            }
        }
        Ok(())
    }

    /// Is every subscript one number?
    pub(super) fn all_single(&self, subscripts: &[Subscript]) -> bool {
        subscripts.iter().all(|subscript| match subscript {
            Subscript::All => false,
            Subscript::Index(term) => self.prepared.type_of(*term).is_number(),
        })
    }
}

/// The values a loop variable takes.
pub(super) struct Rounds {
    /// How many there are.
    pub count: String,
    value: RoundValue,
}

enum RoundValue {
    Range { start: String, step: String },
    Vector(String, Kind),
}
