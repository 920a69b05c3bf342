//! Machine code for functions: one Cranelift function per [`Routine`].
//!
//! `(in, out, work: pointer, left: i64, interrupt: pointer) -> i64`: arrays live in the work memory, of which `left` numbers
//! are left; loops end where the byte at `interrupt` is not 0; the result is 0, or 1 if the function failed, was ended or ran out of memory. A call passes on what its own arrays do not need,
//! at least [`CALL_MEMORY`] less, so that endless recursion fails too.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, MemFlagsData, Signature, Type, Value, types};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use rustc_hash::FxHashMap;

use crate::chunk::Error;
use crate::machine::{FunctionEntry, FunctionMachine};
use crate::routine::scalars;
use crate::routine::{
    ArrayId, Compute, Count, Counter, INPUTS, OUTPUTS, Operand, OperandId, Place, Routine, Slot, Stmt,
    Varying,
};
use crate::scalar::{Binary, Unary, power_function};

/// A call takes at least so many numbers of the work memory.
pub(crate) const CALL_MEMORY: usize = 256;

/// Loops with so many rounds are not worth stopping.
const SHORT: u64 = 1_000;

/// Compiles routines.
pub(crate) fn compile(isa: OwnedTargetIsa, routines: &[Routine]) -> Result<FunctionMachine, Error> {
    let failed = |error: cranelift_module::ModuleError| Error::NoMachineCode(error.to_string());
    let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
    let signature = signature(&*isa);
    let ids = routines
        .iter()
        .map(|_| module.declare_anonymous_function(&signature).map_err(failed))
        .collect::<Result<Vec<FuncId>, Error>>()?;
    let mut context = module.make_context();
    let mut builder_context = FunctionBuilderContext::new();
    let routines: Vec<Routine> = routines.iter().map(scalars::replaced).collect();
    let constants = Constants::new(&routines);
    for (routine, &id) in routines.iter().zip(&ids) {
        context.func.signature = signature.clone();
        let mut builder = FunctionBuilder::new(&mut context.func, &mut builder_context);
        Writer::new(&mut builder, &mut module, &*isa, routine, &ids, &constants).run();
        builder.seal_all_blocks();
        builder.finalize(isa.frontend_config());
        module.define_function(id, &mut context).map_err(failed)?;
        module.clear_context(&mut context);
    }
    module.finalize_definitions().map_err(failed)?;
    let entries = routines
        .iter()
        .zip(&ids)
        .map(|(routine, &id)| FunctionEntry {
            address: module.get_finalized_function(id),
            inputs: routine.arrays[INPUTS.0 as usize].len,
            outputs: routine.arrays[OUTPUTS.0 as usize].len,
        })
        .collect();
    Ok(FunctionMachine::new(module, entries, constants.values))
}

/// All constants of all routines but zero, in memory: there they can be operands of instructions.
struct Constants {
    values: Box<[f64]>,
    index: FxHashMap<u64, i32>,
}

impl Constants {
    fn new(routines: &[Routine]) -> Constants {
        let mut values = Vec::new();
        let mut index = FxHashMap::default();
        for operand in routines.iter().flat_map(|routine| &routine.operands) {
            if let Operand::Const(value) = operand
                && value.to_bits() != 0
                && values.len() < (i32::MAX / 8) as usize
            {
                index.entry(value.to_bits()).or_insert_with(|| {
                    values.push(*value);
                    values.len() as i32 - 1
                });
            }
        }
        Constants { values: values.into_boxed_slice(), index }
    }

    fn place(&self, value: f64) -> Option<i32> {
        self.index.get(&value.to_bits()).copied()
    }
}

fn signature(isa: &dyn TargetIsa) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params.extend([AbiParam::new(isa.pointer_type()); 3]);
    signature.params.extend([AbiParam::new(types::I64), AbiParam::new(isa.pointer_type())]);
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

struct Writer<'a, 'f> {
    builder: &'a mut FunctionBuilder<'f>,
    module: &'a mut JITModule,
    isa: &'a dyn TargetIsa,
    routine: &'a Routine,
    ids: &'a [FuncId],
    pointer: Type,
    parameters: [Value; 5],
    /// Where arrays begin in the work memory.
    offsets: Vec<usize>,
    /// How much work memory is needed.
    needed: usize,
    slots: Vec<Variable>,
    counters: Vec<Variable>,
    failed: Block,
    /// Where `break` leads to.
    exits: Vec<Block>,
    /// Relations by the numbers they are.
    truths: FxHashMap<Value, Value>,
    /// What negations negate: it is subtracted where they would be added.
    negated: FxHashMap<Value, Value>,
    constants: &'a Constants,
    /// Where the constants are.
    base: Value,
}

impl<'a, 'f> Writer<'a, 'f> {
    fn new(
        builder: &'a mut FunctionBuilder<'f>,
        module: &'a mut JITModule,
        isa: &'a dyn TargetIsa,
        routine: &'a Routine,
        ids: &'a [FuncId],
        constants: &'a Constants,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let parameters = std::array::from_fn(|i| builder.block_params(entry)[i]);
        let mut needed = 0;
        let offsets = routine
            .arrays
            .iter()
            .enumerate()
            .map(|(k, array)| {
                let offset = needed;
                // Inputs and outputs are with the caller.
                needed += if k < 2 { 0 } else { array.len };
                offset
            })
            .collect();
        let slots: Vec<Variable> = routine.slots.iter().map(|_| builder.declare_var(types::F64)).collect();
        let counters: Vec<Variable> =
            (0..routine.counters).map(|_| builder.declare_var(types::I64)).collect();
        let failed = builder.create_block();
        let base = builder.ins().iconst(isa.pointer_type(), constants.values.as_ptr() as i64);
        Writer {
            truths: FxHashMap::default(),
            negated: FxHashMap::default(),
            constants,
            base,
            pointer: isa.pointer_type(),
            builder,
            module,
            isa,
            routine,
            ids,
            parameters,
            offsets,
            needed: needed.max(CALL_MEMORY),
            slots,
            counters,
            failed,
            exits: Vec::new(),
        }
    }

    fn run(mut self) {
        let start = self.builder.create_block();
        let needed = self.builder.ins().iconst(types::I64, self.needed as i64);
        let enough = self.builder.ins().icmp(IntCC::SignedGreaterThanOrEqual, self.parameters[3], needed);
        self.builder.ins().brif(enough, start, &[], self.failed, &[]);
        self.builder.switch_to_block(start);
        let body = &self.routine.body;
        if self.block(body) {
            self.finish(0);
        }
        self.builder.switch_to_block(self.failed);
        self.finish(1);
    }

    fn finish(&mut self, status: i64) {
        let status = self.builder.ins().iconst(types::I64, status);
        self.builder.ins().return_(&[status]);
    }

    /// Writes statements; is their end reached?
    fn block(&mut self, body: &[Stmt]) -> bool {
        body.iter().all(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Set(slot, compute) => {
                let value = self.compute(compute);
                self.builder.def_var(self.slots[slot.0 as usize], value);
            }
            Stmt::Put(array, place, value) => {
                let value = self.operand(*value);
                let (base, offset) = self.address(*array, place);
                self.builder.ins().store(MemFlagsData::trusted(), value, base, offset);
            }
            Stmt::Loop(counter, count, body) => self.repeat(*counter, *count, body),
            Stmt::While(before, condition, body) => self.while_loop(before, *condition, body),
            Stmt::If(condition, then, otherwise) => return self.branch(*condition, then, otherwise),
            Stmt::Break => {
                if let Some(&exit) = self.exits.last() {
                    self.builder.ins().jump(exit, &[]);
                }
                return false;
            }
            Stmt::Return => {
                self.finish(0);
                return false;
            }
            Stmt::Check(index, size) => self.check(*index, *size),
            Stmt::Fail(_) | Stmt::Warn(_) => {
                self.builder.ins().jump(self.failed, &[]);
                return false;
            }
            Stmt::Call(routine, arguments, results) => self.call(*routine, *arguments, *results),
        }
        true
    }

    /// Somebody may ask for the end of a function that does not come to one.
    fn stop_if_asked(&mut self) {
        let asked = self.builder.ins().load(types::I8, MemFlagsData::new(), self.parameters[4], 0);
        let next = self.builder.create_block();
        self.builder.ins().brif(asked, self.failed, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    fn repeat(&mut self, counter: Counter, count: Count, body: &[Stmt]) {
        let known = count;
        let count = match count {
            Count::Known(count) => self.builder.ins().iconst(types::I64, count as i64),
            Count::Computed(count) => {
                let count = self.operand(count);
                self.builder.ins().fcvt_to_sint_sat(types::I64, count)
            }
        };
        let [head, round, exit] = std::array::from_fn(|_| self.builder.create_block());
        let counter = self.counters[counter.0 as usize];
        let zero = self.builder.ins().iconst(types::I64, 0);
        self.builder.def_var(counter, zero);
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let now = self.builder.use_var(counter);
        let goes_on = self.builder.ins().icmp(IntCC::SignedLessThan, now, count);
        self.builder.ins().brif(goes_on, round, &[], exit, &[]);
        self.builder.switch_to_block(round);
        self.exits.push(exit);
        if !matches!(known, Count::Known(0..=SHORT)) {
            self.stop_if_asked();
        }
        if self.block(body) {
            let now = self.builder.use_var(counter);
            let next = self.builder.ins().iadd_imm_s(now, 1);
            self.builder.def_var(counter, next);
            self.builder.ins().jump(head, &[]);
        }
        self.exits.pop();
        self.builder.switch_to_block(exit);
    }

    fn while_loop(&mut self, before: &[Stmt], condition: OperandId, body: &[Stmt]) {
        let [head, round, exit] = std::array::from_fn(|_| self.builder.create_block());
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        self.exits.push(exit);
        if self.block(before) {
            let condition = self.truth(condition);
            self.builder.ins().brif(condition, round, &[], exit, &[]);
            self.builder.switch_to_block(round);
            self.stop_if_asked();
            if self.block(body) {
                self.builder.ins().jump(head, &[]);
            }
        }
        self.exits.pop();
        self.builder.switch_to_block(exit);
    }

    fn branch(&mut self, condition: OperandId, then: &[Stmt], otherwise: &[Stmt]) -> bool {
        let condition = self.truth(condition);
        let [first, second, end] = std::array::from_fn(|_| self.builder.create_block());
        self.builder.ins().brif(condition, first, &[], second, &[]);
        let mut reached = false;
        for (block, statements) in [(first, then), (second, otherwise)] {
            self.builder.switch_to_block(block);
            if self.block(statements) {
                self.builder.ins().jump(end, &[]);
                reached = true;
            }
        }
        // Where neither branch gets there, the block is empty and never entered.
        self.builder.switch_to_block(end);
        if !reached {
            self.builder.ins().jump(self.failed, &[]);
        }
        reached
    }

    fn check(&mut self, index: OperandId, size: usize) {
        let index = self.operand(index);
        let [first, last] = [1.0, size as f64].map(|bound| self.builder.ins().f64const(bound));
        let whole = self.builder.ins().trunc(index);
        let whole = self.builder.ins().fcmp(FloatCC::Equal, whole, index);
        let above = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, index, first);
        let below = self.builder.ins().fcmp(FloatCC::LessThanOrEqual, index, last);
        let within = self.builder.ins().band(above, below);
        let good = self.builder.ins().band(within, whole);
        let next = self.builder.create_block();
        self.builder.ins().brif(good, next, &[], self.failed, &[]);
        self.builder.switch_to_block(next);
    }

    fn call(&mut self, routine: usize, arguments: ArrayId, results: ArrayId) {
        let callee = self.module.declare_func_in_func(self.ids[routine], self.builder.func);
        let (inputs, _) = self.start(arguments);
        let (outputs, _) = self.start(results);
        let work = self.builder.ins().iadd_imm_s(self.parameters[2], self.needed as i64 * 8);
        let left = self.builder.ins().iadd_imm_s(self.parameters[3], -(self.needed as i64));
        let call = self.builder.ins().call(callee, &[inputs, outputs, work, left, self.parameters[4]]);
        let status = self.builder.inst_results(call)[0];
        let next = self.builder.create_block();
        self.builder.ins().brif(status, self.failed, &[], next, &[]);
        self.builder.switch_to_block(next);
    }

    /// The address of the first element of an array.
    fn start(&mut self, array: ArrayId) -> (Value, i32) {
        match array {
            INPUTS => (self.parameters[0], 0),
            OUTPUTS => (self.parameters[1], 0),
            _ => {
                let offset = self.offsets[array.0 as usize] as i64 * 8;
                (self.builder.ins().iadd_imm_s(self.parameters[2], offset), 0)
            }
        }
    }

    fn address(&mut self, array: ArrayId, place: &Place) -> (Value, i32) {
        let (mut base, begin) = match array {
            INPUTS => (self.parameters[0], 0),
            OUTPUTS => (self.parameters[1], 0),
            _ => (self.parameters[2], self.offsets[array.0 as usize] as i64),
        };
        for &(factor, varying) in &place.terms {
            let value = match varying {
                Varying::Counter(counter) => self.builder.use_var(self.counters[counter.0 as usize]),
                Varying::Whole(slot) => {
                    let value = self.slot(slot);
                    self.builder.ins().fcvt_to_sint_sat(types::I64, value)
                }
            };
            let bytes = self.builder.ins().imul_imm_s(value, factor * 8);
            base = self.builder.ins().iadd(base, bytes);
        }
        let offset = (begin + place.offset) * 8;
        match i32::try_from(offset) {
            Ok(offset) => (base, offset),
            Err(_) => (self.builder.ins().iadd_imm_s(base, offset), 0),
        }
    }

    fn slot(&mut self, slot: Slot) -> Value {
        self.builder.use_var(self.slots[slot.0 as usize])
    }

    fn operand(&mut self, id: OperandId) -> Value {
        match self.routine.operand(id) {
            Operand::Const(value) => match self.constants.place(*value) {
                Some(place) => {
                    let flags = MemFlagsData::trusted().with_readonly();
                    self.builder.ins().load(types::F64, flags, self.base, place * 8)
                }
                None => self.builder.ins().f64const(*value),
            },
            Operand::Slot(slot) => self.slot(*slot),
            Operand::Counter(counter) => {
                let counter = self.builder.use_var(self.counters[counter.0 as usize]);
                self.builder.ins().fcvt_from_sint(types::F64, counter)
            }
            Operand::Element(array, place) => {
                let (base, offset) = self.address(*array, place);
                self.builder.ins().load(types::F64, MemFlagsData::trusted(), base, offset)
            }
        }
    }

    fn truth(&mut self, id: OperandId) -> Value {
        let number = self.operand(id);
        if let Some(&truth) = self.truths.get(&number) {
            return truth;
        }
        let zero = self.builder.ins().f64const(0.0);
        self.builder.ins().fcmp(FloatCC::NotEqual, number, zero)
    }

    /// A Boolean as 0 or 1; asked for its truth again, it is the relation itself.
    fn number_of_truth(&mut self, truth: Value) -> Value {
        let number = super::emit::from_truth(self.builder, truth);
        self.truths.insert(number, truth);
        number
    }

    fn compute(&mut self, compute: &Compute) -> Value {
        match *compute {
            Compute::Copy(a) => self.operand(a),
            Compute::Unary(Unary::Not, a) => {
                let truth = self.truth(a);
                let truth = self.builder.ins().icmp_imm_s(IntCC::Equal, truth, 0);
                self.number_of_truth(truth)
            }
            Compute::Unary(op, a) => {
                let a = self.operand(a);
                self.unary(op, a)
            }
            Compute::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                let truth = match op {
                    Binary::And => self.builder.ins().band(a, b),
                    _ => self.builder.ins().bor(a, b),
                };
                self.number_of_truth(truth)
            }
            Compute::Binary(Binary::Pow, a, b) => {
                let known = match *self.routine.operand(b) {
                    Operand::Const(exponent) => Some(exponent),
                    _ => None,
                };
                let (a, b) = (self.operand(a), self.operand(b));
                self.library(power_function(known) as usize, &[a, b])
            }
            Compute::Binary(op, a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                match super::emit::relation(self.builder, op, a, b) {
                    Some(truth) => self.number_of_truth(truth),
                    None => self.binary(op, a, b),
                }
            }
            Compute::Select(c, a, b) => {
                let (c, a, b) = (self.truth(c), self.operand(a), self.operand(b));
                self.builder.ins().select(c, a, b)
            }
        }
    }

    fn unary(&mut self, op: Unary, a: Value) -> Value {
        if let Some(function) = op.library() {
            return self.library(function as usize, &[a]);
        }
        let value = super::emit::unary(self.builder, op, a);
        if op == Unary::Neg {
            self.negated.insert(value, a);
        }
        value
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        let (op, a, b) = match (op, self.negated.get(&a), self.negated.get(&b)) {
            (Binary::Add, _, Some(&b)) => (Binary::Sub, a, b),
            (Binary::Add, Some(&a), None) => (Binary::Sub, b, a),
            (Binary::Sub, _, Some(&b)) => (Binary::Add, a, b),
            _ => (op, a, b),
        };
        match op.library() {
            Some(function) => self.library(function as usize, &[a, b]),
            None => super::emit::binary(self.builder, op, a, b),
        }
    }

    fn library(&mut self, address: usize, args: &[Value]) -> Value {
        let mut signature = Signature::new(self.isa.default_call_conv());
        signature.params.extend(args.iter().map(|_| AbiParam::new(types::F64)));
        signature.returns.push(AbiParam::new(types::F64));
        let signature = self.builder.import_signature(signature);
        let callee = self.builder.ins().iconst(self.pointer, address as i64);
        let call = self.builder.ins().call_indirect(signature, callee, args);
        self.builder.inst_results(call)[0]
    }
}
