//! Machine code by Cranelift: one function per piece of a plan.
//!
//! A function takes pointers to values, `pre` values, scratch memory and outputs, and the time. Library
//! functions are called at their address, the very functions the interpreter calls, so both give the same bits.
//! Register allocation dominates the time this takes; pieces bound it, and long programs are compiled on all
//! cores.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value, types,
};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleReloc, default_libcall_names};
use rayon::prelude::*;

use crate::chunk::Error;
use crate::machine::{Entry, Machine};
use crate::plan::{Event, Home, Plan};
use crate::scalar::{Binary, Unary};
use crate::tape::{Line, LineId};

/// Fewer pieces than this are compiled on one core.
const PARALLEL_PIECES: usize = 4;

/// How hard Cranelift tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As fast as possible to compile.
    Quick,
    /// With Cranelift's own optimisations.
    Optimised,
}

/// The description of this machine, if code can be made for it.
pub(crate) fn target(effort: Effort) -> Result<OwnedTargetIsa, Error> {
    let failed = |reason: &dyn std::fmt::Display| Error::NoMachineCode(reason.to_string());
    let mut flags = settings::builder();
    let level = match effort {
        Effort::Quick => "none",
        Effort::Optimised => "speed",
    };
    for (name, value) in [
        ("opt_level", level),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).map_err(|error| failed(&error))?;
    }
    let isa = cranelift_native::builder().map_err(|reason| failed(&reason))?;
    let isa = isa.finish(settings::Flags::new(flags)).map_err(|error| failed(&error))?;
    if isa.pointer_type() != types::I64 {
        return Err(failed(&"pointers are not 64 bits wide"));
    }
    Ok(isa)
}

/// Compiles all plans. Chunks are numbered in this order.
pub(crate) fn compile(isa: OwnedTargetIsa, plans: &[Plan]) -> Result<Machine, Error> {
    let jobs: Vec<(&Plan, &[Event])> =
        plans.iter().flat_map(|plan| plan.pieces.iter().map(move |piece| (plan, piece.as_slice()))).collect();
    let one = |context: &mut (Context, FunctionBuilderContext), job: &(&Plan, &[Event])| {
        piece(&*isa, &mut context.0, &mut context.1, job.0, job.1)
    };
    let fresh = || (Context::new(), FunctionBuilderContext::new());
    let compiled: Vec<Compiled> = if jobs.len() >= PARALLEL_PIECES {
        jobs.par_iter().map_init(fresh, one).collect::<Result<_, _>>()?
    } else {
        let mut context = fresh();
        jobs.iter().map(|job| one(&mut context, job)).collect::<Result<_, _>>()?
    };

    let failed = |error: cranelift_module::ModuleError| Error::NoMachineCode(error.to_string());
    let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
    let signature = signature(&*isa);
    let mut functions = Vec::with_capacity(compiled.len());
    for code in &compiled {
        let id = module.declare_anonymous_function(&signature).map_err(failed)?;
        module.define_function_bytes(id, code.alignment, &code.bytes, &code.relocations).map_err(failed)?;
        functions.push(id);
    }
    module.finalize_definitions().map_err(failed)?;

    let mut addresses = functions.iter().map(|&id| module.get_finalized_function(id));
    let entries = plans
        .iter()
        .map(|plan| Entry {
            extents: plan.extents(),
            spills: plan.spills as usize,
            functions: addresses.by_ref().take(plan.pieces.len()).collect(),
        })
        .collect();
    drop(addresses);
    Ok(Machine::new(module, entries))
}

/// The code of one function.
struct Compiled {
    bytes: Vec<u8>,
    alignment: u64,
    relocations: Vec<ModuleReloc>,
}

/// `(values, pre, scratch, outputs: pointer, time: f64)`
fn signature(isa: &dyn TargetIsa) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params.extend([AbiParam::new(isa.pointer_type()); 4]);
    signature.params.push(AbiParam::new(types::F64));
    signature
}

fn piece(
    isa: &dyn TargetIsa,
    context: &mut Context,
    builder_context: &mut FunctionBuilderContext,
    plan: &Plan,
    events: &[Event],
) -> Result<Compiled, Error> {
    context.clear();
    context.func.signature = signature(isa);
    let mut builder = FunctionBuilder::new(&mut context.func, builder_context);
    Lowering::new(&mut builder, isa, plan).run(events);
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());

    let code = context
        .compile(isa, &mut ControlPlane::default())
        .map_err(|error| Error::NoMachineCode(format!("{:?}", error.inner)))?;
    let bytes = code.code_buffer().to_vec();
    if let Some(p) = std::env::var_os("KDUMP") { std::fs::write(p, &bytes).unwrap(); }
    let alignment = u64::from(code.buffer.alignment);
    let relocations = code.buffer.relocs().to_vec();
    let relocations = relocations
        .iter()
        .map(|relocation| ModuleReloc::from_mach_reloc(relocation, &context.func, FuncId::from_u32(0)))
        .collect();
    Ok(Compiled { bytes, alignment, relocations })
}

/// A computed line: as a number, and as a Boolean where it is one. What is not used costs nothing.
#[derive(Clone, Copy)]
struct Computed {
    number: Value,
    truth: Option<Value>,
}

/// A lazy `if` that is being written.
struct Open {
    otherwise: Block,
    end: Block,
    /// What was known when the branch began; later knowledge is forgotten when it ends.
    known: usize,
}

struct Lowering<'a, 'f> {
    builder: &'a mut FunctionBuilder<'f>,
    plan: &'a Plan,
    pointer: Type,
    values: Value,
    pre: Value,
    scratch: Value,
    outputs: Value,
    time: Value,
    computed: Vec<Option<Computed>>,
    /// Lines in the order they became known.
    known: Vec<LineId>,
    open: Vec<Open>,
    one_argument: SigRef,
    two_arguments: SigRef,
}

impl<'a, 'f> Lowering<'a, 'f> {
    fn new(builder: &'a mut FunctionBuilder<'f>, isa: &dyn TargetIsa, plan: &'a Plan) -> Self {
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        let [values, pre, scratch, outputs, time] =
            std::array::from_fn(|i| builder.block_params(block)[i]);
        let mut library = |arguments: usize| {
            let mut signature = Signature::new(isa.default_call_conv());
            signature.params.extend(vec![AbiParam::new(types::F64); arguments]);
            signature.returns.push(AbiParam::new(types::F64));
            builder.import_signature(signature)
        };
        let (one_argument, two_arguments) = (library(1), library(2));
        Lowering {
            builder,
            plan,
            pointer: isa.pointer_type(),
            values,
            pre,
            scratch,
            outputs,
            time,
            computed: vec![None; plan.tape.lines.len()],
            known: Vec::new(),
            open: Vec::new(),
            one_argument,
            two_arguments,
        }
    }

    fn run(mut self, events: &[Event]) {
        for event in events {
            match *event {
                Event::Line(id) => self.line(id),
                Event::Then(id) => self.begin(id),
                Event::Else(id) => self.otherwise(id),
                Event::End(id) => self.end(id),
            }
        }
        self.builder.ins().return_(&[]);
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
            // Constants are written where they are used: a register held for them would be spilled.
            Line::Const(_) | Line::Time => return,
            Line::Load(v) => {
                let number = self.load(self.values, v.0);
                Computed { number, truth: None }
            }
            Line::Pre(v) => {
                let number = self.load(self.pre, v.0);
                Computed { number, truth: None }
            }
            Line::Unary(op, a) => self.unary(op, a),
            Line::Binary(op, a, b) => self.binary(op, a, b),
            Line::If(c, a, b) => {
                let (c, a, b) = (self.truth(c), self.number(a), self.number(b));
                Computed { number: self.builder.ins().select(c, a, b), truth: None }
            }
        };
        self.define(id, value);
    }

    /// Remembers a value and brings it home.
    fn define(&mut self, id: LineId, value: Computed) {
        match self.plan.home[id.index()] {
            Some(Home::Slot(v)) => self.store(self.values, v.0, value.number),
            Some(Home::Spill(k)) => self.store(self.scratch, k, value.number),
            None => {}
        }
        self.remember(id, value);
    }

    fn remember(&mut self, id: LineId, value: Computed) {
        self.computed[id.index()] = Some(value);
        self.known.push(id);
    }

    fn begin(&mut self, id: LineId) {
        let Line::If(c, ..) = *self.plan.tape.line(id) else { return };
        let condition = self.truth(c);
        let [then, otherwise, end] = std::array::from_fn(|_| self.builder.create_block());
        self.builder.append_block_param(end, types::F64);
        self.builder.ins().brif(condition, then, &[], otherwise, &[]);
        self.builder.switch_to_block(then);
        self.open.push(Open { otherwise, end, known: self.known.len() });
    }

    fn otherwise(&mut self, id: LineId) {
        let Line::If(_, a, _) = *self.plan.tape.line(id) else { return };
        let value = self.number(a);
        let Some(&Open { otherwise, end, known }) = self.open.last() else { return };
        self.builder.ins().jump(end, &[BlockArg::Value(value)]);
        self.forget(known);
        self.builder.switch_to_block(otherwise);
    }

    fn end(&mut self, id: LineId) {
        let Line::If(_, _, b) = *self.plan.tape.line(id) else { return };
        let value = self.number(b);
        let Some(Open { end, known, .. }) = self.open.pop() else { return };
        self.builder.ins().jump(end, &[BlockArg::Value(value)]);
        self.forget(known);
        self.builder.switch_to_block(end);
        let number = self.builder.block_params(end)[0];
        self.define(id, Computed { number, truth: None });
    }

    fn forget(&mut self, known: usize) {
        for id in self.known.drain(known..) {
            self.computed[id.index()] = None;
        }
    }

    /// A line as a value, fetched from its home if another piece computed it.
    fn get(&mut self, id: LineId) -> Computed {
        if let Some(value) = self.computed[id.index()] {
            return value;
        }
        let number = match (*self.plan.tape.line(id), self.plan.home[id.index()]) {
            (Line::Const(value), _) => return Computed { number: self.constant(value), truth: None },
            (Line::Time, _) => self.time,
            (_, Some(Home::Slot(v))) => self.load(self.values, v.0),
            (_, Some(Home::Spill(k))) => self.load(self.scratch, k),
            (Line::Load(v), None) => self.load(self.values, v.0),
            (Line::Pre(v), None) => self.load(self.pre, v.0),
            (line, None) => unreachable!("{line:?} has no value and no home"),
        };
        let value = Computed { number, truth: None };
        self.remember(id, value);
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
    fn from_truth(&mut self, truth: Value) -> Computed {
        let (one, zero) = (self.constant(1.0), self.constant(0.0));
        Computed { number: self.builder.ins().select(truth, one, zero), truth: Some(truth) }
    }

    fn unary(&mut self, op: Unary, a: LineId) -> Computed {
        if op == Unary::Not {
            let truth = match self.get(a) {
                Computed { truth: Some(truth), .. } => {
                    let zero = self.builder.ins().iconst(types::I8, 0);
                    self.builder.ins().icmp(cranelift_codegen::ir::condcodes::IntCC::Equal, truth, zero)
                }
                Computed { number, .. } => {
                    let zero = self.constant(0.0);
                    self.builder.ins().fcmp(FloatCC::Equal, number, zero)
                }
            };
            return self.from_truth(truth);
        }
        let x = self.number(a);
        let number = match op {
            Unary::Neg => self.builder.ins().fneg(x),
            Unary::Abs => self.builder.ins().fabs(x),
            Unary::Sqrt => self.builder.ins().sqrt(x),
            Unary::Floor => self.builder.ins().floor(x),
            Unary::Ceil => self.builder.ins().ceil(x),
            Unary::Sign => {
                let (zero, one, minus) = (self.constant(0.0), self.constant(1.0), self.constant(-1.0));
                let positive = self.builder.ins().fcmp(FloatCC::GreaterThan, x, zero);
                let negative = self.builder.ins().fcmp(FloatCC::LessThan, x, zero);
                let rest = self.builder.ins().select(negative, minus, zero);
                self.builder.ins().select(positive, one, rest)
            }
            _ => match op.library() {
                Some(function) => self.call(function as usize, self.one_argument, &[x]),
                None => unreachable!("{op:?} is neither an instruction nor a library function"),
            },
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
            return self.from_truth(truth);
        }
        let (x, y) = (self.number(a), self.number(b));
        let relation = match op {
            Binary::Less => Some(FloatCC::LessThan),
            Binary::LessEqual => Some(FloatCC::LessThanOrEqual),
            Binary::Equal => Some(FloatCC::Equal),
            Binary::NotEqual => Some(FloatCC::NotEqual),
            _ => None,
        };
        if let Some(relation) = relation {
            let truth = self.builder.ins().fcmp(relation, x, y);
            return self.from_truth(truth);
        }
        let number = match op {
            Binary::Add => self.builder.ins().fadd(x, y),
            Binary::Sub => self.builder.ins().fsub(x, y),
            Binary::Mul => self.builder.ins().fmul(x, y),
            Binary::Div => self.builder.ins().fdiv(x, y),
            Binary::Min => {
                let less = self.builder.ins().fcmp(FloatCC::LessThan, x, y);
                self.builder.ins().select(less, x, y)
            }
            Binary::Max => {
                let greater = self.builder.ins().fcmp(FloatCC::GreaterThan, x, y);
                self.builder.ins().select(greater, x, y)
            }
            Binary::IntegerDiv => {
                let quotient = self.builder.ins().fdiv(x, y);
                self.builder.ins().trunc(quotient)
            }
            Binary::Mod | Binary::Rem => {
                let quotient = self.builder.ins().fdiv(x, y);
                let whole = match op {
                    Binary::Mod => self.builder.ins().floor(quotient),
                    _ => self.builder.ins().trunc(quotient),
                };
                let product = self.builder.ins().fmul(whole, y);
                self.builder.ins().fsub(x, product)
            }
            _ => match op.library() {
                Some(function) => self.call(function as usize, self.two_arguments, &[x, y]),
                None => unreachable!("{op:?} is neither an instruction nor a library function"),
            },
        };
        Computed { number, truth: None }
    }

    fn call(&mut self, address: usize, signature: SigRef, args: &[Value]) -> Value {
        let callee = self.builder.ins().iconst(self.pointer, address as i64);
        let call = self.builder.ins().call_indirect(signature, callee, args);
        self.builder.inst_results(call)[0]
    }

    fn constant(&mut self, value: f64) -> Value {
        self.builder.ins().f64const(value)
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
