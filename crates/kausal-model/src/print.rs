//! A flat model as Modelica text, which Kausal reads back to the same flat model.
//!
//! Paths become quoted names (`'robot.axis[2].i'`), enumerations and functions are nested classes of the model,
//! declaration equations stand at their declarations. The text does not depend on how expressions are numbered: terms
//! and factors come in the order of their variables, functions in that of their names, so **printing, reading and
//! printing again gives the same text**. Hints are printed back: `residue(x)`, which is 0, is added to its equation.
//!
//! - [`expression`]: expressions with types, since nothing but the place tells 1 from `true`
//! - [`functions`]: functions that are called, and those that pick one scalar out of many results

mod expression;
mod functions;
pub(crate) mod names;

use std::collections::BTreeMap;
use std::fmt::Write;

pub use crate::flat::PLACED;
use kausal_symbolic::function::layout::Layout;
pub use kausal_symbolic::function::print::NOTE;
use kausal_symbolic::{ExprId, Node, VarId};
use rustc_hash::FxHashMap;

use crate::flat::{
    Action, ActionKind, Causality, ClockedWhen, Equation, FlatModel, Hint, HintKind, OriginKind, StateSelect,
    Type, Variability, Variable, When,
};
use crate::print::expression::Expressions;
use crate::print::names::{Kind, identifier, string};

/// In [`NOTE`]: the value of the parameter was used, so it can no longer be changed. It is not `final`, for the value
/// does not replace the name where that is still there.
pub const EVALUATED: &str = "evaluated";

/// The text of a flat model.
pub fn print_flat(flat: &FlatModel) -> String {
    let mut printer = Printer::new(flat);
    let variables = printer.variables();
    let initial = printer.section(&flat.initial_equations, &[], &flat.initial_actions, &[]);
    let mut dynamic = printer.section(&flat.equations, &flat.hints, &flat.actions, &flat.whens);
    for when in &flat.clocked {
        printer.clocked_when(when, &mut dynamic);
    }
    let name = identifier(&flat.name);
    let mut text = format!("model {name}");
    if !flat.description.is_empty() {
        let _ = write!(text, " {}", string(&flat.description));
    }
    text.push('\n');
    for (at, enumeration) in flat.enumerations.iter().enumerate() {
        let literals: Vec<String> = enumeration.literals.iter().map(|l| identifier(l)).collect();
        let name = &printer.expressions.enumerations[at];
        let _ = writeln!(text, "  type {name} = enumeration({});", literals.join(", "));
    }
    let functions = printer.expressions.functions.print();
    for line in printer.expressions.functions.print_classes(flat).lines().chain(functions.lines()) {
        let _ = writeln!(text, "  {line}");
    }
    text.push_str(&variables);
    for (heading, lines) in [("initial equation", initial), ("equation", dynamic)] {
        if !lines.is_empty() {
            let _ = write!(text, "{heading}\n{lines}");
        }
    }
    let impure = functions.lines().any(|line| line.starts_with("impure function"));
    text.push_str(&annotations(flat, impure));
    let _ = writeln!(text, "end {name};");
    text
}

struct Printer<'a> {
    flat: &'a FlatModel,
    expressions: Expressions<'a>,
    /// Declaration equations, by variable.
    bindings: FxHashMap<VarId, ExprId>,
}

impl<'a> Printer<'a> {
    fn new(flat: &'a FlatModel) -> Self {
        let mut bindings = FxHashMap::default();
        for equation in flat.equations.iter().filter(|e| e.origin.kind == OriginKind::Binding) {
            if let Node::Var(var) = flat.pool.node(equation.lhs)
                && is_declared(flat, equation)
            {
                bindings.entry(var).or_insert(equation.rhs);
            }
        }
        Printer { flat, expressions: Expressions::new(flat), bindings }
    }

    fn variables(&mut self) -> String {
        let mut text = String::new();
        let mut protected = false;
        for (i, variable) in self.flat.variables.iter().enumerate() {
            if variable.protected != protected {
                protected = variable.protected;
                text.push_str(if protected { "protected\n" } else { "public\n" });
            }
            self.declaration(VarId(i as u32), variable, &mut text);
        }
        text
    }

    fn declaration(&mut self, id: VarId, variable: &Variable, text: &mut String) {
        text.push_str("  ");
        text.push_str(match variable.variability {
            Variability::Constant => "constant ",
            Variability::Parameter => "parameter ",
            Variability::Discrete if variable.ty == Type::Real => "discrete ",
            Variability::Discrete | Variability::Continuous => "",
        });
        text.push_str(match variable.causality {
            Causality::Input => "input ",
            Causality::Output => "output ",
            Causality::None => "",
        });
        let kind = self.expressions.kind_of_type(variable.ty);
        match variable.ty {
            Type::Real => text.push_str("Real"),
            Type::Integer => text.push_str("Integer"),
            Type::Boolean => text.push_str("Boolean"),
            Type::String => text.push_str("String"),
            Type::External(e) => text.push_str(&self.expressions.functions.classes[e as usize]),
            Type::Clock => text.push_str("Clock"),
            Type::Enumeration(e) => text.push_str(&self.expressions.enumerations[e as usize]),
        }
        let _ = write!(text, " {}", self.expressions.names[id.index()]);
        let attributes = self.attributes(variable, kind);
        if !attributes.is_empty() {
            let _ = write!(text, "({})", attributes.join(", "));
        }
        if let Some(value) = variable.binding.or(self.bindings.get(&id).copied()) {
            let _ = write!(text, " = {}", self.expressions.text(value, kind));
        }
        if !variable.description.is_empty() {
            let _ = write!(text, " {}", string(&variable.description));
        }
        if variable.evaluated && variable.variability == Variability::Parameter {
            let _ = write!(text, " annotation({NOTE}({EVALUATED}=true))");
        }
        text.push_str(";\n");
    }

    fn attributes(&mut self, variable: &Variable, kind: Kind) -> Vec<String> {
        let mut list = Vec::new();
        for (name, value) in [
            ("quantity", &variable.quantity),
            ("unit", &variable.unit),
            ("displayUnit", &variable.display_unit),
        ] {
            if !value.is_empty() {
                list.push(format!("{name}={}", string(value)));
            }
        }
        for (name, value) in [
            ("min", variable.min),
            ("max", variable.max),
            ("start", variable.start),
            ("nominal", variable.nominal),
        ] {
            if let Some(value) = value {
                list.push(format!("{name}={}", self.expressions.text(value, kind)));
            }
        }
        if let Some(fixed) = variable.fixed {
            list.push(format!("fixed={fixed}"));
        }
        if variable.unbounded {
            list.push("unbounded=true".to_owned());
        }
        let select = match variable.state_select {
            StateSelect::Never => "never",
            StateSelect::Avoid => "avoid",
            StateSelect::Default => return list,
            StateSelect::Prefer => "prefer",
            StateSelect::Always => "always",
        };
        list.push(format!("stateSelect=StateSelect.{select}"));
        list
    }

    fn section(
        &mut self,
        equations: &[Equation],
        hints: &[Hint],
        actions: &[Action],
        whens: &[When],
    ) -> String {
        let mut text = String::new();
        let mut by_equation: BTreeMap<usize, Vec<Hint>> = BTreeMap::new();
        for hint in hints {
            by_equation.entry(hint.equation.0 as usize).or_default().push(*hint);
        }
        let mut at = 0;
        while at < equations.len() {
            let equation = &equations[at];
            if is_declared(self.flat, equation) {
                at += 1;
                continue;
            }
            let run = equations[at..]
                .iter()
                .enumerate()
                .take_while(|(i, e)| !is_declared(self.flat, e) && !by_equation.contains_key(&(at + i)));
            if let Some((line, used)) = self.results(run.map(|(_, e)| (e.lhs, e.rhs))) {
                let _ = writeln!(text, "  {line};");
                at += used;
                continue;
            }
            let line = self.equation(equation, by_equation.get(&at).map_or(&[][..], |list| list));
            let _ = writeln!(text, "  {line};");
            at += 1;
        }
        self.actions(actions, 1, &mut text);
        for when in whens {
            self.when(when, &mut text);
        }
        text
    }

    fn equation(&mut self, equation: &Equation, hints: &[Hint]) -> String {
        let kind = self.expressions.kind(equation.lhs).join(self.expressions.kind(equation.rhs));
        let (mut added, mut relaxed) = (Vec::new(), Vec::new());
        for hint in hints {
            let target = self.expressions.text(hint.target, Kind::Real);
            match hint.kind {
                HintKind::Residue => added.push(format!("residue({target})")),
                HintKind::Relax => relaxed.push((hint.target, target)),
            }
        }
        // Around the variable itself if there is one such place; otherwise a difference that is zero.
        if let [(target, name)] = relaxed.as_slice()
            && added.is_empty()
        {
            self.expressions.relaxed = Some(*target);
            let (lhs, rhs) =
                (self.expressions.text(equation.lhs, kind), self.expressions.text(equation.rhs, kind));
            self.expressions.relaxed = None;
            let line = format!("{lhs} = {rhs}");
            if line.matches(&format!("relax({name})")).count() == 1 {
                return line;
            }
        }
        added.extend(relaxed.into_iter().map(|(_, name)| format!("(relax({name}) - ({name}))")));
        let lhs = self.expressions.text(equation.lhs, kind);
        let rhs = self.expressions.operand(equation.rhs, kind, added.is_empty());
        let rhs = if rhs == "0" && !added.is_empty() { None } else { Some(rhs) };
        let terms: Vec<String> = rhs.into_iter().chain(added).collect();
        format!("{lhs} = {}", terms.join(" + "))
    }

    /// Equations for consecutive results of one call as one equation: `(a, {b, c}) = f(x)`; and how many they are.
    fn results(&mut self, pairs: impl IntoIterator<Item = (ExprId, ExprId)>) -> Option<(String, usize)> {
        let mut pairs = pairs.into_iter().peekable();
        let Node::Output(call, _) = self.flat.pool.node(pairs.peek()?.1) else { return None };
        let Node::Call(function, _) = self.flat.pool.node(call) else { return None };
        let layout = Layout::of_outputs(self.flat.pool.function(function))?;
        if layout.len <= 1 {
            return None;
        }
        let mut left = vec![None; layout.len];
        let mut used = 0;
        let mut next = 0;
        for (lhs, rhs) in pairs {
            match self.flat.pool.node(rhs) {
                Node::Output(c, k) if c == call && k as usize >= next && (k as usize) < layout.len => {
                    left[k as usize] = Some(lhs);
                    next = k as usize + 1;
                    used += 1;
                }
                _ => break,
            }
        }
        let mut items = Vec::new();
        for entry in &layout.entries {
            let given = &left[entry.offset..entry.offset + entry.len];
            if given.iter().all(Option::is_none) {
                items.push(String::new());
                continue;
            }
            let mut scalars = Vec::with_capacity(given.len());
            for scalar in given {
                let lhs = (*scalar)?;
                // A list of results cannot be converted.
                let kind = names::kind_of_scalar(entry.scalar);
                if matches!(self.expressions.kind(lhs), Kind::Enumeration(_)) {
                    return None;
                }
                scalars.push(self.expressions.text(lhs, kind));
            }
            items.push(names::nested(&scalars, &entry.shape, entry.scalar));
        }
        while items.last().is_some_and(String::is_empty) {
            items.pop();
        }
        let call = self.expressions.call(call);
        let text = match items.as_slice() {
            [only] if layout.entries.len() == 1 => format!("{only} = {call}"),
            _ => format!("({}) = {call}", items.join(", ")),
        };
        Some((text, used))
    }

    fn actions(&mut self, actions: &[Action], depth: usize, text: &mut String) {
        let mut at = 0;
        while at < actions.len() {
            let run = self.results_of_one_call(&actions[at..]);
            if let Some((line, used)) = self.results(run) {
                let _ = writeln!(text, "{}{line};", "  ".repeat(depth));
                at += used;
                continue;
            }
            self.action(&actions[at], depth, text);
            at += 1;
        }
    }

    /// What the actions at the beginning assign, as long as it comes from one call.
    fn results_of_one_call(&self, actions: &[Action]) -> Vec<(ExprId, ExprId)> {
        let mut first = None;
        let assigned = actions.iter().map_while(|action| {
            let ActionKind::Assign(var, e) = action.kind else { return None };
            let Node::Output(call, _) = self.flat.pool.node(e) else { return None };
            let same = *first.get_or_insert(call) == call;
            self.expressions.variable(var).filter(|_| same).map(|var| (var, e))
        });
        assigned.collect()
    }

    fn action(&mut self, action: &Action, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        match &action.kind {
            ActionKind::Assign(var, value) => {
                let kind = self.expressions.kind_of_type(self.flat.variable(*var).ty);
                let value = self.expressions.text(*value, kind);
                let _ = writeln!(text, "{indent}{} = {value};", self.expressions.names[var.index()]);
            }
            ActionKind::Reinit(var, value) => {
                let value = self.expressions.text(*value, Kind::Real);
                let _ = writeln!(text, "{indent}reinit({}, {value});", self.expressions.names[var.index()]);
            }
            ActionKind::Assert { condition, message, warning } => {
                let condition = self.expressions.text(*condition, Kind::Boolean);
                let message = self.expressions.text(*message, Kind::Text);
                let level = if *warning { ", AssertionLevel.warning" } else { "" };
                let _ = writeln!(text, "{indent}assert({condition}, {message}{level});");
            }
            ActionKind::Terminate(message) => {
                let message = self.expressions.text(*message, Kind::Text);
                let _ = writeln!(text, "{indent}terminate({message});");
            }
            ActionKind::Call(call) => {
                let _ = writeln!(text, "{indent}{};", self.expressions.call(*call));
            }
            ActionKind::If(condition, then, otherwise) => {
                let condition = self.expressions.text(*condition, Kind::Boolean);
                let _ = writeln!(text, "{indent}if {condition} then");
                self.actions(then, depth + 1, text);
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "{indent}else");
                    self.actions(otherwise, depth + 1, text);
                }
                let _ = writeln!(text, "{indent}end if;");
            }
        }
    }

    fn clocked_when(&mut self, when: &ClockedWhen, text: &mut String) {
        let clock = self.expressions.text(when.clock, Kind::Real);
        let _ = writeln!(text, "  when {clock} then");
        let inside = self.section(&when.equations, &[], &when.actions, &[]);
        for line in inside.lines() {
            let _ = writeln!(text, "  {line}");
        }
        text.push_str("  end when;\n");
    }

    fn when(&mut self, when: &When, text: &mut String) {
        for (i, branch) in when.branches.iter().enumerate() {
            let conditions: Vec<String> =
                branch.conditions.iter().map(|&c| self.expressions.text(c, Kind::Boolean)).collect();
            let word = if i == 0 { "when" } else { "elsewhen" };
            match conditions.as_slice() {
                [only] => {
                    let _ = writeln!(text, "  {word} {only} then");
                }
                many => {
                    let _ = writeln!(text, "  {word} {{{}}} then", many.join(", "));
                }
            }
            self.actions(&branch.actions, 2, text);
        }
        text.push_str("  end when;\n");
    }
}

/// Does an equation stand at a declaration? One of many results of a call stands with the others, but not that of an
/// input, which needs no value from elsewhere when it has one (specification section 4.7).
fn is_declared(flat: &FlatModel, equation: &Equation) -> bool {
    let Node::Var(var) = flat.pool.node(equation.lhs) else { return false };
    let is_result = || match flat.pool.node(equation.rhs) {
        Node::Output(call, _) => match flat.pool.node(call) {
            Node::Call(function, _) => {
                Layout::of_outputs(flat.pool.function(function)).is_some_and(|layout| layout.len > 1)
            }
            _ => false,
        },
        _ => false,
    };
    equation.origin.kind == OriginKind::Binding
        && (flat.variable(var).causality == Causality::Input || !is_result())
}

/// The annotations of the model.
fn annotations(flat: &FlatModel, impure: bool) -> String {
    let e = &flat.experiment;
    let parts: Vec<String> =
        [("StartTime", e.start), ("StopTime", e.stop), ("Tolerance", e.tolerance), ("Interval", e.interval)]
            .into_iter()
            .filter_map(|(name, value)| {
                Some(format!("{name}={}", kausal_symbolic::print::print_number(value?)))
            })
            .collect();
    let mut notes = Vec::new();
    if !parts.is_empty() {
        notes.push(format!("experiment({})", parts.join(", ")));
    }
    if impure {
        notes.push(format!("{NOTE}({PLACED}=true)"));
    }
    if notes.is_empty() { String::new() } else { format!("  annotation({});\n", notes.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers() {
        assert_eq!(identifier("x_1"), "x_1");
        assert_eq!(identifier("a.b[1]"), "'a.b[1]'");
        assert_eq!(identifier("'a.b[1]'"), "'a.b[1]'");
        assert_eq!(identifier("a.'b c'"), "'a.\\'b c\\''");
        assert_eq!(identifier("'a'.'b'"), "'\\'a\\'.\\'b\\''");
        assert_eq!(identifier("algorithm"), "'algorithm'");
    }
}
