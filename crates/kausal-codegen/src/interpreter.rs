//! Byte code for a register machine, and the loop that runs it.
//!
//! An operand is a place: a register, a constant (both in the scratch memory) or the slot of a variable. A
//! value that is assigned to a variable anyway is computed right into its slot. The code has jumps forward
//! only, so every run ends.

use std::cell::Cell;

use kausal_symbolic::VarId;
use rustc_hash::FxHashMap;

use crate::chunk::Memory;
use crate::plan::{Event, Home, Plan};
use crate::scalar::{Binary, Unary};
use crate::tape::{Line, LineId};

/// A place: an index, with [`SLOT`] set into the values, otherwise into the scratch memory.
type Place = u32;
const SLOT: Place = 1 << 31;
/// While compiling: an index into the constants, whose final place is behind the registers.
const CONSTANT: Place = 1 << 30;

/// What an instruction does; `a`, `b`, `c` are places unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Do {
    Move,
    Add,
    Sub,
    Mul,
    Div,
    /// `a*b + c`, rounded twice.
    MulAdd,
    /// `c - a*b`, rounded twice.
    SubMul,
    Unary(Unary),
    Binary(Binary),
    /// `if c then a else b`
    Select,
    /// `a` is a variable.
    Pre,
    Time,
    /// To the instruction `b` if `a` is zero.
    SkipIfZero,
    /// To the instruction `b`.
    Skip,
    /// To the output numbered `target`.
    Output,
}

#[derive(Clone, Copy, Debug)]
struct Instruction {
    what: Do,
    target: u32,
    a: Place,
    b: Place,
    c: Place,
}

/// The code of one chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByteCode {
    instructions: Vec<Instruction>,
}

/// Makes byte code for many chunks with one table of constants.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    constants: Vec<f64>,
    index: FxHashMap<u64, u32>,
    registers: u32,
    codes: Vec<ByteCode>,
}

impl Assembler {
    /// Adds a chunk; chunks are numbered in this order.
    pub fn add(&mut self, plan: &Plan) {
        let code = assemble(plan, self);
        self.codes.push(code);
    }

    /// All code, and what the scratch memory holds at the start: registers, then constants.
    pub fn finish(mut self) -> (Vec<ByteCode>, Vec<f64>) {
        let registers = self.registers;
        for instruction in self.codes.iter_mut().flat_map(|code| &mut code.instructions) {
            for place in [&mut instruction.a, &mut instruction.b, &mut instruction.c] {
                if *place & (SLOT | CONSTANT) == CONSTANT {
                    *place = (*place & !CONSTANT) + registers;
                }
            }
        }
        let mut scratch = vec![0.0; registers as usize];
        scratch.extend(&self.constants);
        (self.codes, scratch)
    }

    fn constant(&mut self, value: f64) -> Place {
        let constants = &mut self.constants;
        let index = *self.index.entry(value.to_bits()).or_insert_with(|| {
            constants.push(value);
            constants.len() as u32 - 1
        });
        CONSTANT | index
    }
}

/// Registers in use and free again.
#[derive(Default)]
struct Registers {
    free: Vec<Place>,
    count: u32,
}

impl Registers {
    fn take(&mut self) -> Place {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }
}

const NOWHERE: Place = u32::MAX;

fn assemble(plan: &Plan, assembler: &mut Assembler) -> ByteCode {
    let fused = fuse(plan);
    let (last_use, deaths) = lifetimes(plan, &fused);
    let mut registers = Registers::default();
    let mut place = vec![NOWHERE; plan.tape.lines.len()];
    let mut code: Vec<Instruction> = Vec::new();
    // Instructions that skip to the second branch, and to the end, of the lazy `if`s around.
    let mut open: Vec<usize> = Vec::new();

    for (now, event) in plan.events().enumerate() {
        let emit = |code: &mut Vec<Instruction>, what, target, a, b, c| {
            code.push(Instruction { what, target, a, b, c });
        };
        match event {
            Event::Line(id) if fused[id.index()] => {}
            Event::Line(id) => {
                let at = |arg: LineId| place[arg.index()];
                match *plan.tape.line(id) {
                    Line::Const(value) => place[id.index()] = assembler.constant(value),
                    Line::Load(v) if !plan.overwritten[id.index()] => place[id.index()] = slot(v),
                    Line::Store(v, a) => emit(&mut code, Do::Move, slot(v), at(a), 0, 0),
                    Line::Output(k, a) => emit(&mut code, Do::Output, k, at(a), 0, 0),
                    ref line => {
                        let (what, a, b, c) = operation(plan, line, &fused, &at);
                        for &dead in &deaths[now] {
                            release(dead, &place, &mut registers);
                        }
                        let target = target(plan, id, &mut registers);
                        place[id.index()] = target;
                        emit(&mut code, what, target, a, b, c);
                        if last_use[id.index()] == now {
                            release(id, &place, &mut registers);
                        }
                        continue;
                    }
                }
            }
            Event::Then(id) => {
                let Line::If(c, ..) = *plan.tape.line(id) else { continue };
                open.push(code.len());
                emit(&mut code, Do::SkipIfZero, 0, place[c.index()], 0, 0);
            }
            Event::Else(id) => {
                let Line::If(_, a, _) = *plan.tape.line(id) else { continue };
                let target = target(plan, id, &mut registers);
                place[id.index()] = target;
                emit(&mut code, Do::Move, target, place[a.index()], 0, 0);
                let skip = open.pop();
                open.push(code.len());
                emit(&mut code, Do::Skip, 0, 0, 0, 0);
                if let Some(skip) = skip {
                    code[skip].b = code.len() as u32;
                }
            }
            Event::End(id) => {
                let Line::If(_, _, b) = *plan.tape.line(id) else { continue };
                emit(&mut code, Do::Move, place[id.index()], place[b.index()], 0, 0);
                if let Some(skip) = open.pop() {
                    code[skip].b = code.len() as u32;
                }
            }
        }
        for &dead in &deaths[now] {
            release(dead, &place, &mut registers);
        }
    }
    assembler.registers = assembler.registers.max(registers.count);
    ByteCode { instructions: code }
}

fn slot(variable: VarId) -> Place {
    SLOT | variable.0
}

fn release(line: LineId, place: &[Place], registers: &mut Registers) {
    let place = place[line.index()];
    if place & (SLOT | CONSTANT) == 0 {
        registers.free.push(place);
    }
}

/// Where a line is computed to.
fn target(plan: &Plan, id: LineId, registers: &mut Registers) -> Place {
    match plan.home[id.index()] {
        Some(Home::Slot(v)) => slot(v),
        _ => registers.take(),
    }
}

fn operation(
    plan: &Plan,
    line: &Line,
    fused: &[bool],
    at: &impl Fn(LineId) -> Place,
) -> (Do, Place, Place, Place) {
    let product = |id: LineId| match *plan.tape.line(id) {
        Line::Binary(Binary::Mul, a, b) if fused[id.index()] => Some((at(a), at(b))),
        _ => None,
    };
    match *line {
        Line::Load(v) => (Do::Move, slot(v), 0, 0),
        Line::Pre(v) => (Do::Pre, v.0, 0, 0),
        Line::Time => (Do::Time, 0, 0, 0),
        Line::Unary(op, a) => (Do::Unary(op), at(a), 0, 0),
        Line::If(c, a, b) => (Do::Select, at(a), at(b), at(c)),
        Line::Binary(Binary::Add, a, b) => match (product(a), product(b)) {
            (Some((x, y)), _) => (Do::MulAdd, x, y, at(b)),
            (None, Some((x, y))) => (Do::MulAdd, x, y, at(a)),
            (None, None) => (Do::Add, at(a), at(b), 0),
        },
        Line::Binary(Binary::Sub, a, b) => match product(b) {
            Some((x, y)) => (Do::SubMul, x, y, at(a)),
            None => (Do::Sub, at(a), at(b), 0),
        },
        Line::Binary(Binary::Mul, a, b) => (Do::Mul, at(a), at(b), 0),
        Line::Binary(Binary::Div, a, b) => (Do::Div, at(a), at(b), 0),
        Line::Binary(op, a, b) => (Do::Binary(op), at(a), at(b), 0),
        Line::Const(_) | Line::Store(..) | Line::Output(..) => (Do::Move, 0, 0, 0),
    }
}

/// Products that are done together with the addition or subtraction that is their only user.
///
/// Their factors live until then; that the product itself has no home and at most one of two summands is fused
/// keeps the instruction at three operands.
fn fuse(plan: &Plan) -> Vec<bool> {
    let mut uses = vec![0_u32; plan.tape.lines.len()];
    for event in plan.events() {
        if let Event::Line(id) | Event::Then(id) = event {
            plan.tape.line(id).args().for_each(|arg| uses[arg.index()] += 1);
        }
    }
    let mut fused = vec![false; plan.tape.lines.len()];
    for event in plan.events() {
        let Event::Line(id) = event else { continue };
        let alone = |id: LineId| {
            uses[id.index()] == 1
                && matches!(plan.tape.line(id), Line::Binary(Binary::Mul, ..))
                && !matches!(plan.home[id.index()], Some(Home::Slot(_)))
        };
        match *plan.tape.line(id) {
            Line::Binary(Binary::Add, a, _) if alone(a) => fused[a.index()] = true,
            Line::Binary(Binary::Add | Binary::Sub, _, b) if alone(b) => fused[b.index()] = true,
            _ => {}
        }
    }
    fused
}

/// Per line the moment of its last use, and per moment the lines that are used there for the last time.
fn lifetimes(plan: &Plan, fused: &[bool]) -> (Vec<usize>, Vec<Vec<LineId>>) {
    let mut last_use = vec![0; plan.tape.lines.len()];
    let mut moments = 0;
    for (now, event) in plan.events().enumerate() {
        moments = now + 1;
        match event {
            Event::Line(id) if fused[id.index()] => {}
            Event::Line(id) => {
                last_use[id.index()] = now;
                for arg in plan.tape.line(id).args() {
                    last_use[arg.index()] = now;
                    if fused[arg.index()] {
                        plan.tape.line(arg).args().for_each(|factor| last_use[factor.index()] = now);
                    }
                }
            }
            Event::Then(id) | Event::Else(id) | Event::End(id) => {
                if let Line::If(c, a, b) = *plan.tape.line(id) {
                    let arg = match event {
                        Event::Then(_) => c,
                        Event::Else(_) => a,
                        _ => b,
                    };
                    last_use[arg.index()] = now;
                    last_use[id.index()] = now;
                }
            }
        }
    }
    let mut deaths = vec![Vec::new(); moments];
    for event in plan.events() {
        let (Event::Line(id) | Event::End(id)) = event else { continue };
        if !fused[id.index()] && !plan.tape.line(id).is_effect() {
            deaths[last_use[id.index()]].push(id);
        }
    }
    (last_use, deaths)
}

impl ByteCode {
    /// How many instructions it has.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Runs it. The scratch memory is the one that [`Assembler::finish`] described.
    #[inline(never)]
    pub fn run(&self, memory: &mut Memory<'_>, outputs: &mut [f64]) {
        let time = memory.time;
        let pre = memory.pre;
        let scratch = Cell::from_mut(memory.scratch.cells()).as_slice_of_cells();
        let values = Cell::from_mut(&mut *memory.values).as_slice_of_cells();
        let banks = [scratch, values];
        let get = |place: Place| banks[(place >> 31) as usize][(place & !SLOT) as usize].get();
        let mut next = 0;
        while let Some(i) = self.instructions.get(next) {
            next += 1;
            let value = match i.what {
                Do::Move => get(i.a),
                Do::Add => get(i.a) + get(i.b),
                Do::Sub => get(i.a) - get(i.b),
                Do::Mul => get(i.a) * get(i.b),
                Do::Div => get(i.a) / get(i.b),
                Do::MulAdd => get(i.a) * get(i.b) + get(i.c),
                Do::SubMul => get(i.c) - get(i.a) * get(i.b),
                Do::Unary(op) => op.apply(get(i.a)),
                Do::Binary(op) => op.apply(get(i.a), get(i.b)),
                Do::Select => {
                    if get(i.c) != 0.0 {
                        get(i.a)
                    } else {
                        get(i.b)
                    }
                }
                Do::Pre => pre[i.a as usize],
                Do::Time => time,
                Do::SkipIfZero => {
                    if get(i.a) == 0.0 {
                        next = i.b as usize;
                    }
                    continue;
                }
                Do::Skip => {
                    next = i.b as usize;
                    continue;
                }
                Do::Output => {
                    outputs[i.target as usize] = get(i.a);
                    continue;
                }
            };
            banks[(i.target >> 31) as usize][(i.target & !SLOT) as usize].set(value);
        }
    }
}
