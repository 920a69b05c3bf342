//! Formulas contain variables, numbers, strings and operators that need nothing but their arguments.
//!
//! What a formula contains is found for the whole pool at once, from the leaves up: an expression is older than what is made
//! of it.

use kausal_model::flat::Type;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::{ExprId, Node, Op, Pool};

use super::place::each_step;
use super::{FaultKind, Found, Place, Section};
use crate::program::{Call, Kind, Program, Step};

/// It contains an operator that became a variable.
const OPERATOR: u8 = 1;
/// It contains a call.
const CALL: u8 = 2;
/// It is a string.
const TEXT: u8 = 4;
/// Somewhere in it a string is computed with.
const MISUSED_TEXT: u8 = 8;
/// An alias occurs in it.
const ALIAS: u8 = 16;
/// A variable that does not exist occurs in it.
const NO_VARIABLE: u8 = 32;

pub(super) fn check(found: &mut Found) {
    let program = found.program;
    let mut formulas = Formulas { found, contents: contents(program) };
    each_step(program, |place, step| formulas.step(place, step));
    formulas.tables(program);
}

/// What each expression of the pool contains.
fn contents(program: &Program) -> Vec<u8> {
    let pool = &program.pool;
    let mut contents: Vec<u8> = Vec::with_capacity(pool.len());
    for i in 0..pool.len() {
        let id = ExprId(i as u32);
        let below = pool.children(id).iter().fold(0, |all, c| all | contents[c.0 as usize]);
        let inherited = below & !TEXT;
        contents.push(match pool.node(id) {
            Node::Const(_) => 0,
            Node::Text(_) => TEXT,
            Node::Var(v) => match program.variables.get(v.index()) {
                Some(variable) => {
                    let alias = if matches!(variable.kind, Kind::Alias(_)) { ALIAS } else { 0 };
                    alias | if variable.ty == Type::String { TEXT } else { 0 }
                }
                None => NO_VARIABLE,
            },
            Node::Op(op, _) => {
                let own = if is_gone(op) { OPERATOR } else { 0 };
                inherited | own | of_texts(op, below & TEXT != 0)
            }
            Node::Call(..) | Node::Output(..) => inherited | CALL,
        });
    }
    contents
}

/// Operators that became variables.
fn is_gone(op: Op) -> bool {
    matches!(op, Op::Der | Op::Pre | Op::Initial | Op::Terminal | Op::Sample | Op::Delay | Op::Homotopy)
}

/// What an operator makes of strings.
fn of_texts(op: Op, texts: bool) -> u8 {
    match op {
        _ if !texts => 0,
        Op::If | Op::NoEvent | Op::Smooth => TEXT,
        Op::Add => TEXT,
        Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual => 0,
        _ => MISUSED_TEXT,
    }
}

struct Formulas<'a, 'p> {
    found: &'a mut Found<'p>,
    contents: Vec<u8>,
}

impl Formulas<'_, '_> {
    /// A formula, whatever its value.
    fn formula(&mut self, place: &Place, id: ExprId) {
        self.with_contents(place, id, self.contents[id.0 as usize]);
    }

    /// The words of an assertion, which are put together when they are needed: functions of strings may be called in them.
    fn message(&mut self, place: &Place, id: ExprId) {
        self.with_contents(place, id, self.contents[id.0 as usize] & !CALL);
    }

    fn with_contents(&mut self, place: &Place, id: ExprId, content: u8) {
        if content & (OPERATOR | CALL | MISUSED_TEXT | ALIAS | NO_VARIABLE) == 0 {
            return;
        }
        if content & NO_VARIABLE != 0 {
            return self.no_variable(place, id);
        }
        if content & OPERATOR != 0 {
            self.found.add(place, FaultKind::Operator(gone_in(&self.found.program.pool, id)));
        }
        if content & CALL != 0 {
            self.found.add(place, FaultKind::CallInFormula);
        }
        if content & MISUSED_TEXT != 0 {
            self.found.add(place, FaultKind::TextInFormula);
        }
        if content & ALIAS != 0 {
            let program = self.found.program;
            let is_alias =
                |v: &kausal_symbolic::VarId| matches!(program.variables[v.index()].kind, Kind::Alias(_));
            if let Some(alias) = program.pool.variables_of(id).into_iter().find(is_alias) {
                self.found.add(place, FaultKind::AliasUsed(self.found.name(alias)));
            }
        }
    }

    fn no_variable(&mut self, place: &Place, id: ExprId) {
        let (pool, count) = (&self.found.program.pool, self.found.program.variables.len());
        let number = pool.variables_of(id).iter().map(|v| v.index()).max().unwrap_or(count);
        self.found.add(place, FaultKind::OutOfRange { what: "variable", number, count });
    }

    /// A formula whose value is a number.
    fn number(&mut self, place: &Place, id: ExprId) {
        self.formula(place, id);
        if self.contents[id.0 as usize] & TEXT != 0 {
            self.found.add(place, FaultKind::TextInFormula);
        }
    }

    fn step(&mut self, place: &Place, step: &Step) {
        match step {
            Step::Assign(assign) => self.formula(place, assign.value),
            Step::Call(call) => self.call(place, call),
            Step::Reinit(_, value) => self.number(place, *value),
            Step::Assert(assert) => {
                self.number(place, assert.condition);
                self.message(place, assert.message);
            }
            Step::Terminate(message) => self.message(place, *message),
            Step::If(condition, _, _) => self.number(place, *condition),
            Step::Solve(_) | Step::System(_) | Step::When(_) | Step::Relation(_) => {}
        }
    }

    fn call(&mut self, place: &Place, call: &Call) {
        call.args.iter().for_each(|&arg| self.formula(place, arg));
        let function = self.found.program.pool.function(call.function);
        let inputs = Layout::of_inputs(function).map(|layout| layout.len);
        let outputs = Layout::of_outputs(function).map(|layout| layout.len);
        // Outputs that nothing reads may be missing at the end.
        let lists =
            [("arguments", call.args.len(), inputs, false), ("outputs", call.outputs.len(), outputs, true)];
        for (what, found, expected, may_be_less) in lists {
            let fits = |expected: usize| found == expected || (may_be_less && found < expected);
            if let Some(expected) = expected.filter(|&expected| !fits(expected)) {
                self.found.add(place, FaultKind::Length { what, found, expected });
            }
        }
    }

    fn tables(&mut self, program: &Program) {
        // Equations are for reading: they may contain more than formulas.
        for (i, e) in program.equations.iter().enumerate() {
            for side in [e.lhs, e.rhs] {
                if self.contents[side.0 as usize] & NO_VARIABLE != 0 {
                    self.no_variable(&Place::at(Section::Equations, i), side);
                }
            }
        }
        for (i, check) in program.checks.iter().enumerate() {
            let place = Place::at(Section::Checks, i);
            self.formula(&place, check.lhs);
            self.formula(&place, check.rhs);
        }
        for (i, set) in program.state_sets.iter().enumerate() {
            let place = Place::at(Section::States, i);
            set.jacobian.iter().for_each(|&e| self.number(&place, e));
        }
        let place = Place::of(Section::Events);
        let events = program.time_events.iter().flat_map(|e| [e.instant, e.slope]);
        let samples = program.samples.iter().flat_map(|s| [s.start, s.interval]);
        let delays = program.delays.iter().flat_map(|d| [d.delay, d.maximum]);
        let transports = program.transports.iter().flat_map(|t| {
            let both = [t.position, t.forward].into_iter();
            both.chain(t.points.iter().copied()).chain(t.values.iter().copied())
        });
        for e in events.chain(samples).chain(delays).chain(transports) {
            self.number(&place, e);
        }
        for (i, bounds) in program.bounds.iter().enumerate() {
            let place = Place::at(Section::Bounds, i);
            bounds.min.iter().chain(&bounds.max).for_each(|&e| self.formula(&place, e));
        }
    }
}

/// The operator in an expression that should not be there.
fn gone_in(pool: &Pool, id: ExprId) -> &'static str {
    let all = kausal_symbolic::visit::reachable(pool, &[id], |_| true);
    let operator = all.iter().find_map(|&e| match pool.node(e) {
        Node::Op(op, _) if is_gone(op) => op.function_name(),
        _ => None,
    });
    operator.unwrap_or("of the past")
}
