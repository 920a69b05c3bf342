//! C functions for functions of the model.
//!
//! `static const char *name(const double *in, double *out)`: all scalar inputs, all scalar outputs; the result is
//! null, or what went wrong. A temporary that is used once is written inside its user.

use super::text::{Binding, Text, comment, literal, mentions, string};
use crate::routine::{
    ArrayId, Compute, Count, INPUTS, OUTPUTS, Operand, OperandId, Place, Routine, Slot, Stmt, Varying, visit,
};

/// Longer expressions are cut.
const INLINE_OPERATIONS: usize = 24;

/// What there is to know of a routine and all that calls of it come to.
pub(crate) struct Reach {
    /// Some message is vague.
    pub vague: bool,
    /// How many statements there are.
    pub statements: usize,
}

/// Looks at a routine and all that calls of it come to.
pub(crate) fn reach(routines: &[Routine], entry: usize) -> Reach {
    let mut reach = Reach { vague: false, statements: 0 };
    let mut seen = vec![false; routines.len()];
    let mut stack = vec![entry];
    while let Some(at) = stack.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        reach.vague |= routines[at].vague;
        visit(&routines[at].body, &mut |statement| {
            reach.statements += 1;
            if let Stmt::Call(called, ..) = statement {
                stack.push(*called);
            }
        });
    }
    reach
}

/// Prototypes and definitions of all routines. Where `warned` says so, a warning ends a routine: the call is made again by
/// a function that can say it.
pub(crate) fn write(routines: &[Routine], warned: bool) -> (String, String) {
    let (mut prototypes, mut definitions) = (String::new(), String::new());
    for (k, routine) in routines.iter().enumerate() {
        let head = format!("static const char *{}(const double *in, double *out)", name(routine, k));
        prototypes.push_str(&format!("{head};\n"));
        definitions.push_str(&format!("/* {} */\n{head}\n{{\n", comment(&routine.name)));
        let mut printer = Printer::new(routine, routines);
        printer.warned = warned;
        printer.block(&routine.body, 1);
        definitions.push_str(&printer.declarations());
        definitions.push_str(&printer.text);
        let mentioned = |what: &str| printer.text.contains(what);
        for (array, what) in [("in", "in["), ("out", "out[")] {
            if !mentioned(what) {
                definitions.push_str(&format!("    (void){array};\n"));
            }
        }
        definitions.push_str("    return 0;\n}\n\n");
    }
    (prototypes, definitions)
}

/// The C name of a routine.
pub(crate) fn name(routine: &Routine, number: usize) -> String {
    format!("function_{number}_{}", identifier(&routine.name))
}

/// Letters, digits and underscores.
pub(crate) fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

struct Printer<'r> {
    routine: &'r Routine,
    routines: &'r [Routine],
    text: String,
    /// Per slot: how often it is read and written, and where it is first written and last read: the same block?
    facts: Vec<Facts>,
    /// Temporaries that wait for their only user.
    pending: Vec<(Slot, Text)>,
    declared: Vec<bool>,
    warned: bool,
}

#[derive(Clone, Copy, Default)]
struct Facts {
    reads: u32,
    writes: u32,
    /// The block it is written in, and whether all reads are in the same one.
    block: u32,
    local: bool,
}

impl<'r> Printer<'r> {
    fn new(routine: &'r Routine, routines: &'r [Routine]) -> Self {
        let facts = vec![Facts { local: true, ..Facts::default() }; routine.slots.len()];
        let mut gather = Gather { facts, ..Gather::default() };
        gather.block(routine, &routine.body);
        let Gather { mut facts, reads, .. } = gather;
        for (slot, block) in reads {
            let fact = &mut facts[slot.0 as usize];
            fact.reads += 1;
            fact.local &= fact.block == block;
        }
        let declared = vec![false; routine.slots.len()];
        Printer {
            routine,
            routines,
            text: String::new(),
            facts,
            pending: Vec::new(),
            declared,
            warned: false,
        }
    }

    fn line(&mut self, depth: usize, line: &str) {
        self.text.push_str(&"    ".repeat(depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Variables and arrays, at the top of the function. Temporaries of one block are declared where they are set.
    fn declarations(&self) -> String {
        let mut out = String::new();
        for (k, array) in self.routine.arrays.iter().enumerate().skip(2) {
            let name = self.array(ArrayId(k as u32));
            if self.text.lines().any(|line| mentions(line, &name)) {
                out.push_str(&format!("    double {name}[{}];\n", array.len.max(1)));
            }
        }
        for (k, fact) in self.facts.iter().enumerate() {
            if fact.writes > 0 && !self.declared[k] && !self.is_inline(Slot(k as u32)) {
                let value = if self.routine.slots[k].is_some() { "" } else { " = 0.0" };
                out.push_str(&format!("    double {}{value};\n", self.slot(Slot(k as u32))));
            }
        }
        out
    }

    /// Is it a temporary that is written once and read in the same block only?
    fn is_local(&self, slot: Slot) -> bool {
        let fact = self.facts[slot.0 as usize];
        self.routine.slots[slot.0 as usize].is_none() && fact.writes == 1 && fact.local
    }

    fn is_inline(&self, slot: Slot) -> bool {
        self.is_local(slot) && self.facts[slot.0 as usize].reads == 1
    }

    fn slot(&self, slot: Slot) -> String {
        match &self.routine.slots[slot.0 as usize] {
            Some(name) => format!("{}_{}", identifier(name), slot.0),
            None => format!("t{}", slot.0),
        }
    }

    fn array(&self, array: ArrayId) -> String {
        match array {
            INPUTS => "in".to_owned(),
            OUTPUTS => "out".to_owned(),
            _ => format!("{}_a{}", identifier(&self.routine.arrays[array.0 as usize].name), array.0),
        }
    }

    /// Writes down what waits, because something is about to change.
    fn flush(&mut self, depth: usize) {
        for (slot, text) in std::mem::take(&mut self.pending) {
            let name = self.slot(slot);
            self.line(depth, &format!("const double {name} = {};", text.double().text));
            self.declared[slot.0 as usize] = true;
        }
    }

    fn read_slot(&mut self, slot: Slot) -> Text {
        match self.pending.iter().position(|(waiting, _)| *waiting == slot) {
            Some(at) => self.pending.remove(at).1,
            None => Text::primary(self.slot(slot)),
        }
    }

    fn operand(&mut self, id: OperandId) -> Text {
        match self.routine.operand(id).clone() {
            Operand::Const(value) => Text::number(value),
            Operand::Slot(slot) => self.read_slot(slot),
            Operand::Counter(counter) => {
                Text { binding: Binding::Unary, ..Text::primary(format!("(double)k{}", counter.0)) }
            }
            Operand::Element(array, place) => Text::primary(self.element(array, &place)),
        }
    }

    fn element(&mut self, array: ArrayId, place: &Place) -> String {
        let mut index: Vec<String> = Vec::new();
        for &(factor, varying) in &place.terms {
            let value = match varying {
                Varying::Counter(counter) => format!("k{}", counter.0),
                Varying::Whole(slot) => format!("(int){}", self.read_slot(slot).at_least(Binding::Unary)),
            };
            index.push(if factor == 1 { value } else { format!("{factor}*{value}") });
        }
        let mut text = index.join(" + ");
        match (index.is_empty(), place.offset) {
            (true, offset) => text = offset.to_string(),
            (false, 0) => {}
            (false, offset) if offset < 0 => text.push_str(&format!(" - {}", -offset)),
            (false, offset) => text.push_str(&format!(" + {offset}")),
        }
        format!("{}[{text}]", self.array(array))
    }

    fn compute(&mut self, compute: &Compute) -> Text {
        match *compute {
            Compute::Copy(a) => self.operand(a),
            Compute::Unary(op, a) => {
                let a = self.operand(a);
                Text::unary(op, &a)
            }
            Compute::Binary(op, a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                Text::binary(op, &a, &b)
            }
            Compute::Select(c, a, b) => {
                let (c, a, b) = (self.operand(c), self.operand(a), self.operand(b));
                Text::select(&c, &a, &b)
            }
        }
    }

    fn block(&mut self, body: &[Stmt], depth: usize) {
        body.iter().for_each(|statement| self.statement(statement, depth));
        // What still waits has no user in this block.
        self.flush(depth);
    }

    fn statement(&mut self, statement: &Stmt, depth: usize) {
        match statement {
            Stmt::Set(slot, compute) => {
                let text = self.compute(compute);
                if self.is_inline(*slot) && text.operations <= INLINE_OPERATIONS {
                    self.pending.push((*slot, text));
                } else if self.is_local(*slot) {
                    self.declared[slot.0 as usize] = true;
                    let name = self.slot(*slot);
                    self.line(depth, &format!("const double {name} = {};", text.double().text));
                } else {
                    self.flush(depth);
                    let name = self.slot(*slot);
                    self.line(depth, &format!("{name} = {};", text.double().text));
                }
            }
            Stmt::Put(array, place, value) => {
                let value = self.operand(*value).double().text;
                let element = self.element(*array, place);
                self.flush(depth);
                self.line(depth, &format!("{element} = {value};"));
            }
            Stmt::Loop(counter, count, body) => {
                let count = match count {
                    Count::Known(count) => count.to_string(),
                    Count::Computed(count) => {
                        format!("(int){}", self.operand(*count).at_least(Binding::Unary))
                    }
                };
                self.flush(depth);
                let k = format!("k{}", counter.0);
                self.line(depth, &format!("for (int {k} = 0, {k}_end = {count}; {k} < {k}_end; {k}++) {{"));
                self.block(body, depth + 1);
                self.line(depth, "}");
            }
            Stmt::While(before, condition, body) => {
                self.flush(depth);
                self.line(depth, "for (;;) {");
                before.iter().for_each(|statement| self.statement(statement, depth + 1));
                let condition = self.operand(*condition).condition();
                self.flush(depth + 1);
                self.line(depth + 1, &format!("if (!{}) break;", condition.at_least(Binding::Unary)));
                self.block(body, depth + 1);
                self.line(depth, "}");
            }
            Stmt::If(condition, then, otherwise) => {
                let condition = self.operand(*condition).condition();
                self.flush(depth);
                if then.is_empty() {
                    self.line(depth, &format!("if (!{}) {{", condition.at_least(Binding::Unary)));
                    self.block(otherwise, depth + 1);
                } else {
                    self.line(depth, &format!("if ({}) {{", condition.text));
                    self.block(then, depth + 1);
                    if !otherwise.is_empty() {
                        self.line(depth, "} else {");
                        self.block(otherwise, depth + 1);
                    }
                }
                self.line(depth, "}");
            }
            Stmt::Break => {
                self.flush(depth);
                self.line(depth, "break;");
            }
            Stmt::Return => {
                self.flush(depth);
                self.line(depth, "return 0;");
            }
            Stmt::Check(index, size) => {
                // Read twice, and once more by its user.
                self.flush(depth);
                let index = self.operand(*index).at_least(Binding::Sum);
                let message = string(&format!("{}: a subscript is out of bounds", self.routine.name));
                let size = literal(*size as f64);
                self.line(
                    depth,
                    &format!("if (!({index} >= 1.0 && {index} <= {size} && {index} == trunc({index}))) return {message};"),
                );
            }
            Stmt::Fail(message) => {
                self.flush(depth);
                self.line(depth, &format!("return {};", string(message)));
            }
            Stmt::Warn(message) if self.warned => {
                self.flush(depth);
                self.line(depth, &format!("return {};", string(message)));
            }
            Stmt::Warn(message) => self.line(depth, &format!("/* warning: {} */", comment(message))),
            Stmt::Call(routine, arguments, results) => {
                self.flush(depth);
                let call = format!(
                    "{}({}, {})",
                    name(&self.routines[*routine], *routine),
                    self.array(*arguments),
                    self.array(*results)
                );
                self.line(depth, &format!("{{ const char *failed = {call}; if (failed) return failed; }}"));
            }
        }
    }
}

/// Where slots are written and read.
#[derive(Default)]
struct Gather {
    /// Blocks are numbered in the order they are met.
    blocks: u32,
    facts: Vec<Facts>,
    reads: Vec<(Slot, u32)>,
}

impl Gather {
    fn block(&mut self, routine: &Routine, body: &[Stmt]) {
        self.blocks += 1;
        let block = self.blocks;
        for statement in body {
            match statement {
                Stmt::Set(slot, compute) => {
                    compute.operands().for_each(|id| self.operand(routine, id, block));
                    let fact = &mut self.facts[slot.0 as usize];
                    fact.writes += 1;
                    fact.block = block;
                }
                Stmt::Put(_, place, value) => {
                    self.operand(routine, *value, block);
                    self.reads.extend(whole(place).map(|slot| (slot, block)));
                }
                Stmt::Loop(_, count, body) => {
                    if let Count::Computed(count) = count {
                        self.operand(routine, *count, block);
                    }
                    self.block(routine, body);
                }
                Stmt::While(before, condition, body) => {
                    // In C the condition stands behind the first statements.
                    let inside = self.blocks + 1;
                    self.block(routine, before);
                    self.operand(routine, *condition, inside);
                    self.block(routine, body);
                }
                Stmt::If(condition, then, otherwise) => {
                    self.operand(routine, *condition, block);
                    self.block(routine, then);
                    self.block(routine, otherwise);
                }
                Stmt::Check(index, _) => {
                    // Written twice, so it is kept in a variable.
                    self.operand(routine, *index, block);
                    self.operand(routine, *index, block);
                }
                Stmt::Break | Stmt::Return | Stmt::Fail(_) | Stmt::Warn(_) | Stmt::Call(..) => {}
            }
        }
    }

    fn operand(&mut self, routine: &Routine, id: OperandId, block: u32) {
        match routine.operand(id) {
            Operand::Slot(slot) => self.reads.push((*slot, block)),
            Operand::Element(_, place) => self.reads.extend(whole(place).map(|slot| (slot, block))),
            Operand::Const(_) | Operand::Counter(_) => {}
        }
    }
}

fn whole(place: &Place) -> impl Iterator<Item = Slot> {
    place.terms.iter().filter_map(|(_, varying)| match varying {
        Varying::Whole(slot) => Some(*slot),
        Varying::Counter(_) => None,
    })
}
