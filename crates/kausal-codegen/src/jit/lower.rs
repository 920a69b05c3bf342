//! The body of a function: events of a plan become Cranelift instructions.
//!
//! A register allocator given thousands of long-lived values takes long and spills in odd places. But this code
//! has no loops and its future is known, so spilling is decided here: when more values are held than there are
//! registers, the one that is needed last is let go (Belady's rule, which is optimal for straight-line code). A
//! value that has a home already, be it a slot, a constant or an unchanged variable, costs nothing to let go; others
//! are stored in scratch memory once. What is let go is loaded again where it is used, mostly as the operand of an
//! instruction. A call of a library function clobbers all registers, so everything is let go before it.
//!
//! Library functions are called at their address, the very functions the interpreter calls, so both give the same
//! bits.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilder;
use rustc_hash::FxHashMap;

use super::emit;
use super::pairs::Paired;
use crate::plan::{Event, Home, Plan};
use crate::scalar::{Binary, Unary, power_function};
use crate::tape::{Line, LineId};

/// How many values are held in registers; a few registers are left for what an operation needs meanwhile.
const HELD: usize = if cfg!(target_arch = "x86_64") { 12 } else { 24 };
/// How many Booleans are held besides; they are in registers of another kind.
const HELD_TRUTHS: usize = 6;

/// All constants of a program, each once.
pub(crate) struct Constants {
    pub values: Vec<f64>,
    index: FxHashMap<u64, u32>,
}

impl Constants {
    pub fn new<'p>(plans: impl IntoIterator<Item = &'p Plan>) -> Self {
        let mut constants = Constants { values: Vec::new(), index: FxHashMap::default() };
        constants.add(1.0);
        constants.add(-1.0);
        for line in plans.into_iter().flat_map(|plan| &plan.tape.lines) {
            if let Line::Const(value) = line {
                constants.add(*value);
            }
        }
        constants
    }

    fn add(&mut self, value: f64) {
        let next = self.values.len() as u32;
        self.index.entry(value.to_bits()).or_insert_with(|| {
            self.values.push(value);
            next
        });
    }
}

/// A computed line: as a number, and as a Boolean where it is one. What is not used costs nothing.
#[derive(Clone, Copy)]
struct Computed {
    number: Value,
    truth: Option<Value>,
}

/// What is known of a line.
#[derive(Clone, Copy, Default)]
struct State {
    /// Held in a register.
    held: Option<Computed>,
    /// Stored in this place of the scratch memory.
    stored: Option<u32>,
}

/// A lazy `if` that is being written.
struct Open {
    otherwise: Block,
    end: Block,
    /// How much was logged when the branch began; later changes are undone when it ends.
    log: usize,
}

/// Memory for what is known of lines, kept from one piece to the next: a piece touches few of the lines of a long tape.
#[derive(Default)]
pub(super) struct Workspace {
    states: Vec<State>,
    uses: Uses,
    /// Lines that are not as they were at first.
    touched: Vec<LineId>,
}

impl Workspace {
    /// Prepares for a piece.
    fn begin(&mut self, plan: &Plan, events: &[Event]) {
        for id in self.touched.drain(..) {
            self.states[id.index()] = State::default();
            (self.uses.next[id.index()], self.uses.end[id.index()]) = (0, 0);
        }
        let lines = plan.tape.lines.len();
        if self.states.len() < lines {
            self.states.resize(lines, State::default());
            self.uses.next.resize(lines, 0);
            self.uses.end.resize(lines, 0);
        }
        self.uses.count(plan, events, &mut self.touched);
        let computed = events.iter().map(|event| match *event {
            Event::Line(id) | Event::Then(id) | Event::Else(id) | Event::End(id) => id,
        });
        self.touched.extend(computed);
    }
}

/// Where lines are used, in order.
#[derive(Default)]
struct Uses {
    /// Per line the place of its next use in `moments`.
    next: Vec<u32>,
    /// Per line the end of its uses in `moments`.
    end: Vec<u32>,
    moments: Vec<u32>,
}

impl Uses {
    /// Finds the uses of a piece; `used` gets the lines that have any.
    fn count(&mut self, plan: &Plan, events: &[Event], used: &mut Vec<LineId>) {
        let Uses { next, end, moments } = self;
        each_use(plan, events, |arg, _| {
            if end[arg.index()] == 0 {
                used.push(arg);
            }
            end[arg.index()] += 1;
        });
        let mut total = 0;
        for line in used.iter() {
            let count = end[line.index()];
            (next[line.index()], end[line.index()]) = (total, total);
            total += count;
        }
        moments.clear();
        moments.resize(total as usize, 0);
        each_use(plan, events, |arg, now| {
            moments[end[arg.index()] as usize] = now;
            end[arg.index()] += 1;
        });
    }

    /// The uses from a moment on. Asked with growing moments only.
    fn from(&mut self, line: LineId, moment: u32) -> &[u32] {
        let (next, end) = (&mut self.next[line.index()], self.end[line.index()]);
        while *next < end && self.moments[*next as usize] < moment {
            *next += 1;
        }
        &self.moments[*next as usize..end as usize]
    }
}

fn each_use(plan: &Plan, events: &[Event], mut visit: impl FnMut(LineId, u32)) {
    for (now, event) in (0..).zip(events) {
        match *event {
            Event::Line(id) => plan.tape.line(id).args().for_each(|arg| visit(arg, now)),
            Event::Then(id) | Event::Else(id) | Event::End(id) => {
                if let Line::If(c, a, b) = *plan.tape.line(id) {
                    let arg = match event {
                        Event::Then(_) => c,
                        Event::Else(_) => a,
                        _ => b,
                    };
                    visit(arg, now);
                }
            }
        }
    }
}

pub(super) struct Lowering<'a, 'f> {
    builder: &'a mut FunctionBuilder<'f>,
    constants: &'a Constants,
    plan: &'a Plan,
    events: &'a [Event],
    partner: &'a FxHashMap<LineId, LineId>,
    /// The second division of the last pair, until its turn comes.
    ahead: Option<(LineId, Value)>,
    pointer: Type,
    values: Value,
    pre: Value,
    scratch: Value,
    outputs: Value,
    time: Value,
    space: &'a mut Workspace,
    /// The lines that are held.
    held: Vec<LineId>,
    /// States before each change, while a branch is open.
    log: Vec<(LineId, State)>,
    open: Vec<Open>,
    now: u32,
    /// Uses from this moment on count: that of the current event until its arguments are fetched, then the next.
    from: u32,
    /// Places of the scratch memory that are free again, and how many there are.
    free: Vec<u32>,
    places: u32,
    one_argument: SigRef,
    two_arguments: SigRef,
}

impl<'a, 'f> Lowering<'a, 'f> {
    pub fn new(
        builder: &'a mut FunctionBuilder<'f>,
        isa: &dyn TargetIsa,
        constants: &'a Constants,
        plan: &'a Plan,
        paired: &'a Paired,
        space: &'a mut Workspace,
    ) -> Self {
        let events = paired.events.as_slice();
        space.begin(plan, events);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        let [values, pre, scratch, outputs, time] = std::array::from_fn(|i| builder.block_params(block)[i]);
        let mut library = |arguments: usize| {
            let mut signature = Signature::new(isa.default_call_conv());
            signature.params.extend(vec![AbiParam::new(types::F64); arguments]);
            signature.returns.push(AbiParam::new(types::F64));
            builder.import_signature(signature)
        };
        let (one_argument, two_arguments) = (library(1), library(2));
        Lowering {
            builder,
            constants,
            plan,
            events,
            partner: &paired.partner,
            ahead: None,
            pointer: isa.pointer_type(),
            values,
            pre,
            scratch,
            outputs,
            time,
            space,
            held: Vec::new(),
            log: Vec::new(),
            open: Vec::new(),
            now: 0,
            from: 0,
            free: Vec::new(),
            places: constants.values.len() as u32 + plan.spills,
            one_argument,
            two_arguments,
        }
    }

    /// Writes the body; gives how much scratch memory it uses.
    pub fn run(mut self) -> usize {
        for (now, event) in (0..).zip(self.events) {
            (self.now, self.from) = (now, now);
            match *event {
                Event::Line(id) => self.line(id),
                Event::Then(id) => self.begin(id),
                Event::Else(id) => self.otherwise(id),
                Event::End(id) => self.end(id),
            }
            self.from = now + 1;
            self.release();
        }
        self.builder.ins().return_(&[]);
        self.places as usize
    }

    fn line(&mut self, id: LineId) {
        let value = match *self.plan.tape.line(id) {
            Line::Store(v, a) => {
                let value = self.number(a);
                return self.store(self.values, v.0, value);
            }
            Line::Output(k, a) => {
                let value = self.number(a);
                return self.store(self.outputs, k, value);
            }
            // Read where they are used.
            Line::Const(_) | Line::Time | Line::Pre(_) => return,
            Line::Load(_) if !self.plan.overwritten[id.index()] => return,
            Line::Load(v) => {
                let number = self.load(self.values, v.0);
                Computed { number, truth: None }
            }
            Line::Unary(op, a) => self.unary(op, a),
            Line::Binary(Binary::Div, a, b) => self.division(id, a, b),
            Line::Binary(op, a, b) => self.binary(op, a, b),
            Line::If(c, a, b) => {
                let (c, a, b) = (self.truth(c), self.number(a), self.number(b));
                Computed { number: self.builder.ins().select(c, a, b), truth: None }
            }
        };
        self.define(id, value);
    }

    /// A division, with its partner if it has one.
    fn division(&mut self, id: LineId, a: LineId, b: LineId) -> Computed {
        let number = if let Some((_, number)) = self.ahead.take_if(|(line, _)| *line == id) {
            number
        } else if let Some(&second) = self.partner.get(&id)
            && let Line::Binary(_, a2, b2) = *self.plan.tape.line(second)
        {
            let above = [self.number(a), self.number(a2)];
            let below = [self.number(b), self.number(b2)];
            let [above, below] = [above, below].map(|[first, second]| {
                let low = self.builder.ins().scalar_to_vector(types::F64X2, first);
                self.builder.ins().insertlane(low, second, 1)
            });
            let both = self.builder.ins().fdiv(above, below);
            self.ahead = Some((second, self.builder.ins().extractlane(both, 1)));
            self.builder.ins().extractlane(both, 0)
        } else {
            return self.binary(Binary::Div, a, b);
        };
        Computed { number, truth: None }
    }

    /// Takes note of a value and brings it home.
    fn define(&mut self, id: LineId, value: Computed) {
        self.from = self.now + 1;
        match self.plan.home[id.index()] {
            Some(Home::Slot(v)) => self.store(self.values, v.0, value.number),
            Some(Home::Spill(k)) => self.store(self.scratch, self.spill(k), value.number),
            None => {}
        }
        self.release();
        if self.is_used(id) {
            self.hold(id, value);
        }
    }

    /// Is it used from now on?
    fn is_used(&mut self, id: LineId) -> bool {
        !self.space.uses.from(id, self.from).is_empty()
    }

    fn begin(&mut self, id: LineId) {
        let Line::If(c, ..) = *self.plan.tape.line(id) else { return };
        let condition = self.truth(c);
        let [then, otherwise, end] = std::array::from_fn(|_| self.builder.create_block());
        self.builder.append_block_param(end, types::F64);
        self.builder.ins().brif(condition, then, &[], otherwise, &[]);
        self.builder.switch_to_block(then);
        self.open.push(Open { otherwise, end, log: self.log.len() });
    }

    fn otherwise(&mut self, id: LineId) {
        let Line::If(_, a, _) = *self.plan.tape.line(id) else { return };
        let value = self.number(a);
        let Some(&Open { otherwise, end, log }) = self.open.last() else { return };
        self.builder.ins().jump(end, &[BlockArg::Value(value)]);
        self.undo(log);
        self.builder.switch_to_block(otherwise);
    }

    fn end(&mut self, id: LineId) {
        let Line::If(_, _, b) = *self.plan.tape.line(id) else { return };
        let value = self.number(b);
        let Some(Open { end, log, .. }) = self.open.pop() else { return };
        self.builder.ins().jump(end, &[BlockArg::Value(value)]);
        self.undo(log);
        self.builder.switch_to_block(end);
        let number = self.builder.block_params(end)[0];
        self.define(id, Computed { number, truth: None });
    }

    /// Changes what is known of a line, so that it can be undone.
    fn change(&mut self, id: LineId, state: State) {
        let old = std::mem::replace(&mut self.space.states[id.index()], state);
        if !self.open.is_empty() {
            self.log.push((id, old));
        }
        match (old.held.is_some(), state.held.is_some()) {
            (false, true) => self.held.push(id),
            (true, false) => self.held.retain(|&held| held != id),
            _ => {}
        }
    }

    /// Forgets what a branch has learnt: values computed or stored in it are not there outside.
    fn undo(&mut self, log: usize) {
        while self.log.len() > log {
            let Some((id, old)) = self.log.pop() else { return };
            let new = std::mem::replace(&mut self.space.states[id.index()], old);
            if let (Some(place), None) = (new.stored, old.stored) {
                self.free.push(place);
            }
            match (new.held.is_some(), old.held.is_some()) {
                (false, true) => self.held.push(id),
                (true, false) => self.held.retain(|&held| held != id),
                _ => {}
            }
        }
    }

    /// Holds a value in a register, if need be instead of another one of its kind.
    fn hold(&mut self, id: LineId, value: Computed) {
        let truth = value.truth.is_some();
        let Workspace { states, uses, .. } = &mut *self.space;
        let alike = |line: &LineId| states[line.index()].held.is_some_and(|v| v.truth.is_some() == truth);
        if self.held.iter().filter(|line| alike(line)).count() >= if truth { HELD_TRUTHS } else { HELD } {
            let from = self.from;
            let mut next_use = |line: LineId| uses.from(line, from).first().copied().unwrap_or(u32::MAX);
            let last = self.held.iter().copied().filter(alike).max_by_key(|&line| next_use(line));
            last.into_iter().for_each(|line| self.let_go(line));
        }
        let stored = self.space.states[id.index()].stored;
        self.change(id, State { held: Some(value), stored });
    }

    /// Frees the register of a line; it can be loaded again.
    fn let_go(&mut self, id: LineId) {
        let State { held: Some(value), mut stored } = self.space.states[id.index()] else { return };
        if stored.is_none() && !self.has_home(id) && self.is_used(id) {
            let place = self.free.pop().unwrap_or_else(|| {
                self.places += 1;
                self.places - 1
            });
            self.store(self.scratch, place, value.number);
            stored = Some(place);
        }
        self.change(id, State { held: None, stored });
    }

    fn has_home(&self, id: LineId) -> bool {
        self.plan.home[id.index()].is_some()
            || match self.plan.tape.line(id) {
                Line::Load(_) => !self.plan.overwritten[id.index()],
                Line::Pre(_) => true,
                _ => false,
            }
    }

    /// Lets go of what is not used any more.
    fn release(&mut self) {
        let mut i = 0;
        while let Some(&id) = self.held.get(i) {
            if self.is_used(id) {
                i += 1;
                continue;
            }
            let stored = self.space.states[id.index()].stored;
            // Inside a branch the place may still hold the value for the other one.
            let freed = stored.filter(|_| self.open.is_empty());
            self.change(id, State { held: None, stored: if freed.is_some() { None } else { stored } });
            self.free.extend(freed);
        }
    }

    /// A line as a value, loaded if it is not held.
    fn get(&mut self, id: LineId) -> Computed {
        let state = self.space.states[id.index()];
        if let Some(value) = state.held {
            return value;
        }
        let number = match (*self.plan.tape.line(id), state.stored, self.plan.home[id.index()]) {
            (Line::Const(value), ..) => return Computed { number: self.constant(value), truth: None },
            (Line::Time, ..) => return Computed { number: self.time, truth: None },
            (_, Some(place), _) => self.load(self.scratch, place),
            (_, _, Some(Home::Slot(v))) => self.load(self.values, v.0),
            (_, _, Some(Home::Spill(k))) => self.load(self.scratch, self.spill(k)),
            (Line::Load(v), ..) => self.load(self.values, v.0),
            (Line::Pre(v), ..) => self.load(self.pre, v.0),
            (line, ..) => unreachable!("{line:?} has no value and no home"),
        };
        let value = Computed { number, truth: None };
        // This use is one of them.
        if self.space.uses.from(id, self.from).len() > 1 {
            self.hold(id, value);
        }
        value
    }

    fn number(&mut self, id: LineId) -> Value {
        self.get(id).number
    }

    fn truth(&mut self, id: LineId) -> Value {
        let value = self.get(id);
        match value.truth {
            Some(truth) => truth,
            None => {
                let zero = self.constant(0.0);
                self.builder.ins().fcmp(FloatCC::NotEqual, value.number, zero)
            }
        }
    }

    /// A Boolean as 0 or 1.
    fn number_from_truth(&mut self, truth: Value) -> Computed {
        let (one, zero) = (self.constant(1.0), self.constant(0.0));
        Computed { number: self.builder.ins().select(truth, one, zero), truth: Some(truth) }
    }

    fn unary(&mut self, op: Unary, a: LineId) -> Computed {
        if op == Unary::Not {
            let truth = match self.get(a) {
                Computed { truth: Some(truth), .. } => {
                    let zero = self.builder.ins().iconst(types::I8, 0);
                    self.builder.ins().icmp(IntCC::Equal, truth, zero)
                }
                Computed { number, .. } => {
                    let zero = self.constant(0.0);
                    self.builder.ins().fcmp(FloatCC::Equal, number, zero)
                }
            };
            return self.number_from_truth(truth);
        }
        let x = self.number(a);
        let number = match op.library() {
            Some(function) => self.call(function as usize, self.one_argument, &[x]),
            None => emit::unary(self.builder, op, x),
        };
        Computed { number, truth: None }
    }

    fn binary(&mut self, op: Binary, a: LineId, b: LineId) -> Computed {
        if let Binary::And | Binary::Or = op {
            let (a, b) = (self.truth(a), self.truth(b));
            let truth = match op {
                Binary::And => self.builder.ins().band(a, b),
                _ => self.builder.ins().bor(a, b),
            };
            return self.number_from_truth(truth);
        }
        let (x, y) = (self.number(a), self.number(b));
        if let Some(truth) = emit::relation(self.builder, op, x, y) {
            return self.number_from_truth(truth);
        }
        let library = match (op, *self.plan.tape.line(b)) {
            (Binary::Pow, Line::Const(exponent)) => Some(power_function(Some(exponent))),
            _ => op.library(),
        };
        let number = match library {
            Some(function) => self.call(function as usize, self.two_arguments, &[x, y]),
            None => emit::binary(self.builder, op, x, y),
        };
        Computed { number, truth: None }
    }

    fn call(&mut self, address: usize, signature: SigRef, args: &[Value]) -> Value {
        self.from = self.now + 1;
        while let Some(&held) = self.held.last() {
            self.let_go(held);
        }
        let callee = self.builder.ins().iconst(self.pointer, address as i64);
        let call = self.builder.ins().call_indirect(signature, callee, args);
        self.builder.inst_results(call)[0]
    }

    /// A constant: from memory, where it can be the operand of an instruction; zero needs none.
    fn constant(&mut self, value: f64) -> Value {
        match self.constants.index.get(&value.to_bits()) {
            Some(&place) if value.to_bits() != 0 => self.load(self.scratch, place),
            _ => self.builder.ins().f64const(value),
        }
    }

    /// The place of a spill of the plan: behind the constants.
    fn spill(&self, k: u32) -> u32 {
        self.constants.values.len() as u32 + k
    }

    fn load(&mut self, base: Value, index: u32) -> Value {
        let (base, offset) = self.address(base, index);
        self.builder.ins().load(types::F64, MemFlagsData::trusted(), base, offset)
    }

    fn store(&mut self, base: Value, index: u32, value: Value) {
        let (base, offset) = self.address(base, index);
        self.builder.ins().store(MemFlagsData::trusted(), value, base, offset);
    }

    /// An element of an array as base and offset; offsets have 31 bits.
    fn address(&mut self, base: Value, index: u32) -> (Value, i32) {
        let offset = i64::from(index) * 8;
        match i32::try_from(offset) {
            Ok(offset) => (base, offset),
            Err(_) => (self.builder.ins().iadd_imm_s(base, offset), 0),
        }
    }
}
