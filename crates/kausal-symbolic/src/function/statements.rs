//! Statements.
//!
//! On numbers every condition is known and this is an ordinary interpreter. Where a condition is an expression,
//! both ways are taken and what they leave behind is merged with `if`; after a `break` or `return` that is taken
//! only sometimes, the rest is executed as well and what it changes is undone, by `if`, for the other times.

use smallvec::SmallVec;

use super::algebra::range_rounds;
use super::array::{ArrayErrorKind, ArrayResult};
use super::domain::{Assertion, Domain};
use super::evaluator::Evaluator;
use super::integers::{LARGEST_INTEGER, is_inexact, may_be_inexact};
use super::routine::Routine;
use super::value::{Text, Value};
use super::{ArrayFn, EvalError, EvalErrorKind, LocalId, Scalar, Stmt, Target, Term, TermId};
use crate::node::Op;

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When<T> {
    Never,
    Always,
    If(T),
}

/// How a statement ends.
#[derive(Clone, Debug)]
pub(super) enum Flow<T> {
    /// The next statement follows.
    Next,
    /// `break` was reached.
    Break,
    /// `return` was reached.
    Return,
    /// That depends.
    Maybe(Box<Exits<T>>),
}

/// When `break` and `return` are reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exits<T> {
    broken: When<T>,
    returned: When<T>,
}

impl<T: Copy> Flow<T> {
    fn exits(&self) -> Exits<T> {
        match self {
            Flow::Next => Exits { broken: When::Never, returned: When::Never },
            Flow::Break => Exits { broken: When::Always, returned: When::Never },
            Flow::Return => Exits { broken: When::Never, returned: When::Always },
            Flow::Maybe(exits) => **exits,
        }
    }
}

impl<T> Exits<T> {
    fn is_over(&self) -> bool {
        matches!(self, Exits { broken: When::Always, .. } | Exits { returned: When::Always, .. })
    }

    fn into_flow(self) -> Flow<T> {
        match self {
            Exits { broken: When::Never, returned: When::Never } => Flow::Next,
            Exits { broken: When::Always, .. } => Flow::Break,
            Exits { returned: When::Always, .. } => Flow::Return,
            _ => Flow::Maybe(Box::new(self)),
        }
    }
}

/// The local variables of one call.
type Frame<T> = Vec<Option<Value<T>>>;

/// What has to be restored because a `break` or `return` was taken only sometimes.
struct Detours<T> {
    exits: Exits<T>,
    saved: Vec<(T, Frame<T>)>,
    over: bool,
}

impl<T: Copy> Detours<T> {
    fn new() -> Self {
        Detours { exits: Flow::Next.exits(), saved: Vec::new(), over: false }
    }
}

impl<D: Domain> Evaluator<'_, D> {
    pub(super) fn block(
        &mut self,
        routine: &Routine,
        base: usize,
        statements: &[Stmt],
    ) -> Result<Flow<D::Scalar>, EvalError> {
        for (k, statement) in statements.iter().enumerate() {
            match self.statement(routine, base, statement)? {
                Flow::Next => {}
                Flow::Maybe(exits) => return self.rest_of_block(routine, base, &statements[k + 1..], *exits),
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    /// What follows a statement that may or may not have left.
    #[cold]
    fn rest_of_block(
        &mut self,
        routine: &Routine,
        base: usize,
        statements: &[Stmt],
        exits: Exits<D::Scalar>,
    ) -> Result<Flow<D::Scalar>, EvalError> {
        let mut detours = Detours::new();
        self.take_detour(routine, base, &mut detours, exits)?;
        for statement in statements {
            if detours.over {
                break;
            }
            let flow = self.statement(routine, base, statement)?;
            if !matches!(flow, Flow::Next) {
                self.take_detour(routine, base, &mut detours, flow.exits())?;
            }
        }
        self.end_detours(routine, base, detours).map(Exits::into_flow)
    }

    fn statement(
        &mut self,
        routine: &Routine,
        base: usize,
        statement: &Stmt,
    ) -> Result<Flow<D::Scalar>, EvalError> {
        self.deeper(1)?;
        let flow = self.run_statement(routine, base, statement);
        self.leave(1);
        flow
    }

    fn run_statement(
        &mut self,
        routine: &Routine,
        base: usize,
        statement: &Stmt,
    ) -> Result<Flow<D::Scalar>, EvalError> {
        self.step()?;
        match statement {
            Stmt::Assign(target, value) => {
                if target.subscripts.is_empty() && routine.is_number(*value) {
                    let term = *value;
                    let value = self.eval_number(routine, base, term)?;
                    let local = routine.function.local(target.local);
                    if local.scalar == Scalar::Integer && may_be_inexact(&routine.function, term) {
                        self.require_exact(routine, value)?;
                    }
                    if local.dims.is_empty() {
                        self.stack[base + target.local.0 as usize] = Some(Value::Scalar(value));
                    } else {
                        self.store(routine, base, target.local, Value::Scalar(value))?;
                    }
                } else {
                    let term = *value;
                    let value = self.eval(routine, base, term)?;
                    self.require_exact_for(routine, target.local, term, &value)?;
                    self.assign(routine, base, target, value)?;
                }
            }
            Stmt::AssignCall(targets, call) => self.assign_call(routine, base, targets, *call)?,
            Stmt::If(branches, otherwise) => return self.if_statement(routine, base, branches, otherwise),
            Stmt::For(local, range, body) => return self.for_loop(routine, base, *local, *range, body),
            Stmt::While(condition, body) => return self.while_loop(routine, base, *condition, body),
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Return => return Ok(Flow::Return),
            Stmt::Assert(condition, message, level) => {
                self.assert(routine, base, *condition, *message, *level)?;
            }
            Stmt::Call(call) => {
                if let Term::Call(function, ..) = routine.term(*call)
                    && D::KEEPS_CALLS
                    && self.domain.function(*function).is_some_and(|f| f.notes.impure || f.outputs.is_empty())
                {
                    return Err(EvalErrorKind::NotInlinable("a call for its effects").into());
                }
                self.call_outputs(routine, base, *call)?;
            }
        }
        Ok(Flow::Next)
    }

    fn assign(
        &mut self,
        routine: &Routine,
        base: usize,
        target: &Target,
        value: Value<D::Scalar>,
    ) -> Result<(), EvalError> {
        if target.subscripts.is_empty() {
            return self.store(routine, base, target.local, value);
        }
        self.assign_elements(routine, base, target, value)
    }

    fn assign_call(
        &mut self,
        routine: &Routine,
        base: usize,
        targets: &[Option<Target>],
        call: TermId,
    ) -> Result<(), EvalError> {
        let outputs = self.call_outputs(routine, base, call)?;
        if targets.len() > outputs.len() {
            let why = format!("{} results of a function with {} outputs", targets.len(), outputs.len());
            return Err(EvalErrorKind::Malformed(why).into());
        }
        for (target, value) in targets.iter().zip(outputs) {
            if let Some(target) = target {
                self.assign(routine, base, target, value)?;
            }
        }
        Ok(())
    }

    fn if_statement(
        &mut self,
        routine: &Routine,
        base: usize,
        branches: &[(TermId, Vec<Stmt>)],
        otherwise: &[Stmt],
    ) -> Result<Flow<D::Scalar>, EvalError> {
        for (k, (condition, body)) in branches.iter().enumerate() {
            let condition = self.eval_number(routine, base, *condition)?;
            match self.truth(condition) {
                Some(true) => return self.block(routine, base, body),
                Some(false) => {}
                None => return self.both_ways(routine, base, condition, body, &branches[k + 1..], otherwise),
            }
        }
        self.block(routine, base, otherwise)
    }

    fn both_ways(
        &mut self,
        routine: &Routine,
        base: usize,
        condition: D::Scalar,
        body: &[Stmt],
        rest: &[(TermId, Vec<Stmt>)],
        otherwise: &[Stmt],
    ) -> Result<Flow<D::Scalar>, EvalError> {
        let before = self.frame(routine, base);
        self.path.push(condition);
        let flow = self.block(routine, base, body)?;
        self.path.pop();
        let after = self.frame(routine, base);
        self.set_frame(base, before);
        let not = self.domain.op(Op::Not, &[condition])?;
        self.path.push(not);
        let other = self.if_statement(routine, base, rest, otherwise)?;
        self.path.pop();
        self.merge_frame(routine, base, condition, after)?;
        let (one, other) = (flow.exits(), other.exits());
        let broken = self.select_when(condition, one.broken, other.broken)?;
        let returned = self.select_when(condition, one.returned, other.returned)?;
        Ok(Exits { broken, returned }.into_flow())
    }

    fn for_loop(
        &mut self,
        routine: &Routine,
        base: usize,
        local: LocalId,
        range: TermId,
        body: &[Stmt],
    ) -> Result<Flow<D::Scalar>, EvalError> {
        let rounds = match self.loop_range(routine, base, range) {
            Ok(rounds) => rounds,
            Err(error) => {
                // A domain that knows unknown values goes round until nothing changes any more.
                return match self.domain.unknown() {
                    Some(unknown) => {
                        self.until_stable(routine, base, |this| {
                            this.stack[base + local.0 as usize] = Some(Value::Scalar(unknown));
                            this.block(routine, base, body).map(|_| ())
                        })?;
                        Ok(Flow::Next)
                    }
                    None => Err(error),
                };
            }
        };
        let mut detours = None;
        for k in 0..rounds.len() {
            self.step()?;
            self.stack[base + local.0 as usize] = Some(rounds.get(&mut self.domain, k));
            let flow = self.block(routine, base, body)?;
            if !matches!(flow, Flow::Next) && self.loop_is_over(routine, base, &mut detours, &flow)? {
                break;
            }
        }
        self.end_loop(routine, base, detours)
    }

    fn while_loop(
        &mut self,
        routine: &Routine,
        base: usize,
        condition: TermId,
        body: &[Stmt],
    ) -> Result<Flow<D::Scalar>, EvalError> {
        let mut detours = None;
        loop {
            self.step()?;
            let holds = self.eval_number(routine, base, condition)?;
            match self.truth(holds) {
                Some(true) => {}
                Some(false) => break,
                None if self.domain.unknown().is_some() => {
                    self.until_stable(routine, base, |this| {
                        this.block(routine, base, body).map(|_| ())?;
                        this.eval_number(routine, base, condition).map(|_| ())
                    })?;
                    break;
                }
                None => {
                    return Err(ArrayErrorKind::NotANumber("the condition of a while loop").into());
                }
            }
            let flow = self.block(routine, base, body)?;
            if !matches!(flow, Flow::Next) && self.loop_is_over(routine, base, &mut detours, &flow)? {
                break;
            }
        }
        self.end_loop(routine, base, detours)
    }

    /// Notes how a round ended that did not go through; is the loop over?
    fn loop_is_over(
        &mut self,
        routine: &Routine,
        base: usize,
        detours: &mut Option<Box<Detours<D::Scalar>>>,
        flow: &Flow<D::Scalar>,
    ) -> Result<bool, EvalError> {
        let detours = detours.get_or_insert_with(|| Box::new(Detours::new()));
        self.take_detour(routine, base, detours, flow.exits())?;
        Ok(detours.over)
    }

    fn end_loop(
        &mut self,
        routine: &Routine,
        base: usize,
        detours: Option<Box<Detours<D::Scalar>>>,
    ) -> Result<Flow<D::Scalar>, EvalError> {
        let Some(detours) = detours else { return Ok(Flow::Next) };
        let exits = self.end_detours(routine, base, *detours)?;
        Ok(Exits { broken: When::Never, returned: exits.returned }.into_flow())
    }

    /// What a loop runs over.
    fn loop_range(
        &mut self,
        routine: &Routine,
        base: usize,
        range: TermId,
    ) -> Result<Rounds<D::Scalar>, EvalError> {
        if let Term::Array(ArrayFn::Range, args) = routine.term(range)
            && (2..=3).contains(&args.len())
            && args.iter().all(|&arg| routine.is_number(arg))
        {
            let mut numbers = SmallVec::<[f64; 3]>::new();
            for &arg in args {
                let number = self.eval_number(routine, base, arg)?;
                numbers.extend(self.domain.value(number));
            }
            let (start, step, stop) = match numbers[..] {
                [start, stop] if args.len() == 2 => (start, 1.0, stop),
                [start, step, stop] => (start, step, stop),
                _ => return Err(ArrayErrorKind::NotANumber("the range of a loop").into()),
            };
            let count = range_rounds(stop - start, step)?;
            return Ok(Rounds::Range { start, step, count });
        }
        let value = self.eval(routine, base, range)?;
        match value.shape().len() {
            1 => Ok(Rounds::Vector(value)),
            _ => Err(ArrayErrorKind::WrongShape {
                what: "for",
                needs: "a vector",
                found: value.shape().into(),
            }
            .into()),
        }
    }

    fn assert(
        &mut self,
        routine: &Routine,
        base: usize,
        condition: TermId,
        message: TermId,
        level: TermId,
    ) -> Result<(), EvalError> {
        let holds = self.eval_number(routine, base, condition)?;
        if self.truth(holds) == Some(true) {
            return Ok(());
        }
        let level = self.eval_number(routine, base, level)?;
        let warning = self.domain.value(level) == Some(1.0);
        let message = self.eval(routine, base, message)?;
        let message = message.as_text()?.clone();
        if self.truth(holds) == Some(false) && self.path.is_empty() {
            if !warning {
                return Err(EvalErrorKind::Assertion(message.to_string()).into());
            }
            self.warnings.push(message.to_string());
            return Ok(());
        }
        self.require(holds, message, warning)
    }

    /// A variable of type Integer gets a value that is exact.
    pub(super) fn require_exact_for(
        &mut self,
        routine: &Routine,
        local: LocalId,
        term: TermId,
        value: &Value<D::Scalar>,
    ) -> Result<(), EvalError> {
        let integer = routine.function.local(local).scalar == Scalar::Integer;
        if integer && may_be_inexact(&routine.function, term) {
            for &number in value.scalars() {
                self.require_exact(routine, number)?;
            }
        }
        Ok(())
    }

    /// A result of Integer arithmetic must be exact.
    pub(super) fn require_exact(&mut self, routine: &Routine, number: D::Scalar) -> Result<(), EvalError> {
        match self.domain.value(number) {
            Some(value) if is_inexact(value) && self.path.is_empty() => {
                return Err(EvalErrorKind::Inexact(value).into());
            }
            None if D::KEEPS_CALLS => {}
            _ => return Ok(()),
        }
        let limit = self.domain.number(LARGEST_INTEGER);
        let size = self.domain.op1(Op::Abs, number)?;
        let fits = self.domain.op2(Op::LessEqual, size, limit)?;
        if self.truth(fits) == Some(true) {
            return Ok(());
        }
        let message = format!("{}: a number is too large for an Integer", routine.function.name);
        self.require(fits, Text::from(message.as_str()), false)
    }

    /// Takes note of a condition that must hold where the current statement is reached.
    pub(super) fn require(
        &mut self,
        holds: D::Scalar,
        message: Text,
        warning: bool,
    ) -> Result<(), EvalError> {
        let mut condition = holds;
        for k in (0..self.path.len()).rev() {
            let reached = self.path[k];
            let not = self.domain.op(Op::Not, &[reached])?;
            condition = self.domain.op(Op::Or, &[not, condition])?;
        }
        self.domain.assertion(Assertion { condition, message, warning })?;
        Ok(())
    }

    fn take_detour(
        &mut self,
        routine: &Routine,
        base: usize,
        detours: &mut Detours<D::Scalar>,
        now: Exits<D::Scalar>,
    ) -> Result<(), EvalError> {
        let left = self.or(detours.exits.broken, detours.exits.returned)?;
        let broken = self.unless(left, now.broken)?;
        let returned = self.unless(left, now.returned)?;
        detours.exits.broken = self.or(detours.exits.broken, broken)?;
        detours.exits.returned = self.or(detours.exits.returned, returned)?;
        if now.is_over() {
            detours.over = true;
        } else if let When::If(condition) = self.or(now.broken, now.returned)? {
            detours.saved.push((condition, self.frame(routine, base)));
            let not = self.domain.op(Op::Not, &[condition])?;
            self.path.push(not);
        }
        Ok(())
    }

    fn end_detours(
        &mut self,
        routine: &Routine,
        base: usize,
        detours: Detours<D::Scalar>,
    ) -> Result<Exits<D::Scalar>, EvalError> {
        for (condition, frame) in detours.saved.into_iter().rev() {
            self.merge_frame(routine, base, condition, frame)?;
            self.path.pop();
        }
        let mut exits = detours.exits;
        if detours.over {
            match (exits.broken, exits.returned) {
                (When::Never, _) => exits.returned = When::Always,
                (_, When::Never) => exits.broken = When::Always,
                _ => {}
            }
        }
        Ok(exits)
    }

    fn or(&mut self, a: When<D::Scalar>, b: When<D::Scalar>) -> ArrayResult<When<D::Scalar>> {
        Ok(match (a, b) {
            (When::Never, other) | (other, When::Never) => other,
            (When::Always, _) | (_, When::Always) => When::Always,
            (When::If(a), When::If(b)) => When::If(self.domain.op(Op::Or, &[a, b])?),
        })
    }

    /// `when` and not `left`
    fn unless(&mut self, left: When<D::Scalar>, when: When<D::Scalar>) -> ArrayResult<When<D::Scalar>> {
        Ok(match (left, when) {
            (_, When::Never) | (When::Always, _) => When::Never,
            (When::Never, when) => when,
            (When::If(left), When::Always) => When::If(self.domain.op(Op::Not, &[left])?),
            (When::If(left), When::If(when)) => {
                let not = self.domain.op(Op::Not, &[left])?;
                When::If(self.domain.op(Op::And, &[not, when])?)
            }
        })
    }

    fn select_when(
        &mut self,
        condition: D::Scalar,
        a: When<D::Scalar>,
        b: When<D::Scalar>,
    ) -> ArrayResult<When<D::Scalar>> {
        Ok(match (a, b) {
            (When::Never, When::Never) => When::Never,
            (When::Always, When::Always) => When::Always,
            (When::Always, When::Never) => When::If(condition),
            (When::Never, When::Always) => When::If(self.domain.op(Op::Not, &[condition])?),
            (a, b) => {
                let [a, b] = [a, b].map(|when| match when {
                    When::Never => self.domain.number(0.0),
                    When::Always => self.domain.number(1.0),
                    When::If(condition) => condition,
                });
                When::If(self.domain.op(Op::If, &[condition, a, b])?)
            }
        })
    }

    fn frame(&self, routine: &Routine, base: usize) -> Frame<D::Scalar> {
        self.stack[base..base + routine.function.locals.len()].to_vec()
    }

    fn set_frame(&mut self, base: usize, frame: Frame<D::Scalar>) {
        for (place, value) in self.stack[base..].iter_mut().zip(frame) {
            *place = value;
        }
    }

    /// Local variables become those of the frame where the condition holds. A protected one that was set on one way
    /// only keeps that value: on the other way nobody may read it.
    fn merge_frame(
        &mut self,
        routine: &Routine,
        base: usize,
        condition: D::Scalar,
        frame: Frame<D::Scalar>,
    ) -> Result<(), EvalError> {
        let is_output = |k: usize| routine.function.outputs.contains(&LocalId(k as u32));
        for (k, value) in frame.into_iter().enumerate() {
            let current = self.stack[base + k].take();
            self.stack[base + k] = match (value, current) {
                (None, None) => None,
                (None, Some(b)) if !is_output(k) => Some(b),
                (Some(a), None) if !is_output(k) => Some(a),
                (a, b) => {
                    let local = &routine.function.locals[k];
                    let a = a.unwrap_or_else(|| self.default_value(local, &[]));
                    let b = b.unwrap_or_else(|| self.default_value(local, &[]));
                    Some(self.merge(condition, a, b)?)
                }
            };
        }
        Ok(())
    }

    /// Repeats something whose number of rounds is unknown until the local variables no longer change.
    fn until_stable(
        &mut self,
        routine: &Routine,
        base: usize,
        mut round: impl FnMut(&mut Self) -> Result<(), EvalError>,
    ) -> Result<(), EvalError> {
        let Some(unknown) = self.domain.unknown() else { return Ok(()) };
        loop {
            self.step()?;
            let before = self.frame(routine, base);
            round(self)?;
            self.merge_frame(routine, base, unknown, before.clone())?;
            if self.frame(routine, base) == before {
                return Ok(());
            }
        }
    }
}

/// The values a loop variable takes.
enum Rounds<T> {
    Range { start: f64, step: f64, count: usize },
    Vector(Value<T>),
}

impl<T: Copy> Rounds<T> {
    fn len(&self) -> usize {
        match self {
            Rounds::Range { count, .. } => *count,
            Rounds::Vector(value) => value.shape().first().copied().unwrap_or(0),
        }
    }

    fn get<D: Domain<Scalar = T>>(&self, domain: &mut D, k: usize) -> Value<T> {
        match self {
            Rounds::Range { start, step, .. } => Value::Scalar(domain.number(start + k as f64 * step)),
            Rounds::Vector(Value::Text(texts)) => Value::text(texts.data()[k].clone()),
            Rounds::Vector(value) => Value::Scalar(value.scalars()[k]),
        }
    }
}
