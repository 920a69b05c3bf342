//! C statements for straight-line code: one plan, one list of statements.
//!
//! A line with one user is written inside it, a line with more becomes a `const double`; lazy branches become
//! `if` statements, or `?:` where nothing stands inside them. The operations and their order are those of the
//! plan, so that the numbers are the same as everywhere.

use kausal_symbolic::VarId;

use super::text::Text;
use crate::plan::{Event, Home, Plan};
use crate::tape::{Line, LineId};

/// Longer expressions are cut: lines stay readable, and compilers do not nest without end.
const INLINE_OPERATIONS: usize = 24;

/// How variables are written.
pub(crate) trait Names {
    /// The value of a variable.
    fn value(&self, variable: VarId) -> String;
    /// Its value before the event.
    fn pre(&self, variable: VarId) -> String;
    /// What stands behind an assignment to it, if anything.
    fn remark(&self, variable: VarId) -> Option<String>;
    /// A place of the outputs.
    fn output(&self, index: u32) -> String;
}

/// Statements with their indentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statements {
    pub lines: Vec<String>,
    /// Temporaries are numbered on through all statements of a function.
    pub temporaries: usize,
}

impl Statements {
    /// Adds one.
    pub fn push(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }
}

/// A lazy `if` that is being written.
struct Open {
    outer: Vec<String>,
    then: Vec<String>,
}

/// Adds the statements of a plan.
pub(crate) fn write(plan: &Plan, names: &impl Names, out: &mut Statements) {
    let uses = uses(plan);
    let mut texts: Vec<Option<Text>> = vec![None; plan.tape.lines.len()];
    let mut open: Vec<Open> = Vec::new();
    for event in plan.events() {
        match event {
            Event::Line(id) => {
                let at = |arg: LineId| texts[arg.index()].clone().unwrap_or_else(|| Text::primary("0.0"));
                let text = match *plan.tape.line(id) {
                    Line::Store(v, a) => {
                        out.push(assignment(names, v, &at(a)));
                        continue;
                    }
                    Line::Output(k, a) => {
                        out.push(format!("{} = {};", names.output(k), at(a).double().text));
                        continue;
                    }
                    Line::Const(value) => Text::number(value),
                    Line::Load(v) => Text::primary(names.value(v)),
                    Line::Pre(v) => Text::primary(names.pre(v)),
                    Line::Time => Text::primary("time"),
                    Line::Unary(op, a) => Text::unary(op, &at(a)),
                    Line::Binary(op, a, b) => Text::binary(op, &at(a), &at(b)),
                    Line::If(c, a, b) => Text::select(&at(c), &at(a), &at(b)),
                };
                texts[id.index()] = Some(keep(plan, id, text, uses[id.index()], names, out));
            }
            Event::Then(_) => {
                open.push(Open { outer: std::mem::take(&mut out.lines), then: Vec::new() });
            }
            Event::Else(_) => {
                if let Some(open) = open.last_mut() {
                    open.then = std::mem::take(&mut out.lines);
                }
            }
            Event::End(id) => {
                let (Some(Open { outer, then }), Line::If(c, a, b)) = (open.pop(), *plan.tape.line(id))
                else {
                    continue;
                };
                let otherwise = std::mem::replace(&mut out.lines, outer);
                let at = |arg: LineId| texts[arg.index()].clone().unwrap_or_else(|| Text::primary("0.0"));
                let text = if then.is_empty() && otherwise.is_empty() {
                    keep(plan, id, Text::select(&at(c), &at(a), &at(b)), uses[id.index()], names, out)
                } else {
                    branches(plan, id, [at(c), at(a), at(b)], [then, otherwise], names, out)
                };
                texts[id.index()] = Some(text);
            }
        }
    }
}

/// How often each line is used.
fn uses(plan: &Plan) -> Vec<u32> {
    let mut uses = vec![0; plan.tape.lines.len()];
    for event in plan.events() {
        if let Event::Line(id) | Event::Then(id) = event {
            plan.tape.line(id).args().for_each(|arg| uses[arg.index()] += 1);
        }
    }
    uses
}

fn assignment(names: &impl Names, v: VarId, text: &Text) -> String {
    let remark = names.remark(v).map_or_else(String::new, |name| format!(" /* {name} */"));
    format!("{} = {};{remark}", names.value(v), text.double().text)
}

/// Decides whether a line gets a statement of its own; gives what its users write.
fn keep(plan: &Plan, id: LineId, text: Text, uses: u32, names: &impl Names, out: &mut Statements) -> Text {
    if let Some(Home::Slot(v)) = plan.home[id.index()] {
        out.push(assignment(names, v, &text));
        return Text::primary(names.value(v));
    }
    let line = plan.tape.line(id);
    let computed = matches!(line, Line::Unary(..) | Line::Binary(..) | Line::If(..));
    // A variable that will be overwritten is copied before.
    let copied = matches!(line, Line::Load(_)) && plan.overwritten[id.index()];
    if !copied && (!computed || uses <= 1 && text.operations <= INLINE_OPERATIONS) {
        return text;
    }
    let name = out.temporary();
    out.push(match text.truth {
        true => format!("const int {name} = {};", text.text),
        false => format!("const double {name} = {};", text.text),
    });
    Text { truth: text.truth, ..Text::primary(name) }
}

/// A lazy `if` as a statement.
fn branches(
    plan: &Plan,
    id: LineId,
    [c, a, b]: [Text; 3],
    [then, otherwise]: [Vec<String>; 2],
    names: &impl Names,
    out: &mut Statements,
) -> Text {
    let (target, remark) = match plan.home[id.index()] {
        Some(Home::Slot(v)) => {
            (names.value(v), names.remark(v).map_or_else(String::new, |name| format!(" /* {name} */")))
        }
        _ => {
            let name = out.temporary();
            out.push(format!("double {name};"));
            (name, String::new())
        }
    };
    let indent = |line: String| format!("    {line}");
    out.push(format!("if ({}) {{", c.condition().text));
    out.lines.extend(then.into_iter().map(indent));
    out.push(format!("    {target} = {};{remark}", a.double().text));
    out.push("} else {");
    out.lines.extend(otherwise.into_iter().map(indent));
    out.push(format!("    {target} = {};", b.double().text));
    out.push("}");
    Text::primary(target)
}
