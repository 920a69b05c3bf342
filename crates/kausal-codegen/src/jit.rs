//! Machine code by Cranelift: one function per piece of a plan.
//!
//! A function takes pointers to values, `pre` values, scratch memory and outputs, and the time; [`lower`] writes
//! its body. The scratch memory begins with all constants of the program. Pieces bound the time a function takes to
//! compile, and long programs are compiled on all cores.

mod emit;
mod lower;
pub(crate) mod routine;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleReloc, default_libcall_names};
use rayon::prelude::*;

use crate::chunk::Error;
use crate::machine::{Entry, Machine};
use crate::plan::{Event, Plan};
use lower::{Constants, Lowering};

/// Shorter programs are compiled on one core: threads would cost more than they save.
const PARALLEL_EVENTS: usize = 4_000;

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

/// Compiles all plans. Chunks are numbered in this order. Also gives what the scratch memory holds at the start.
pub(crate) fn compile(isa: OwnedTargetIsa, plans: &[Plan]) -> Result<(Machine, Vec<f64>), Error> {
    let constants = Constants::new(plans);
    let jobs: Vec<(&Plan, &[Event])> =
        plans.iter().flat_map(|plan| plan.pieces.iter().map(move |piece| (plan, piece.as_slice()))).collect();
    let one = |context: &mut (Context, FunctionBuilderContext), job: &(&Plan, &[Event])| {
        piece(&*isa, &mut context.0, &mut context.1, &constants, job.0, job.1)
    };
    let fresh = || (Context::new(), FunctionBuilderContext::new());
    let compiled: Vec<Compiled> =
        if jobs.iter().map(|(_, events)| events.len()).sum::<usize>() >= PARALLEL_EVENTS {
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

    let mut scratch = constants.values;
    let places = compiled.iter().map(|code| code.scratch).max().unwrap_or(0);
    scratch.resize(scratch.len().max(places), 0.0);
    let mut next = functions.iter().zip(&compiled);
    let entries = plans
        .iter()
        .map(|plan| {
            let (functions, codes): (Vec<_>, Vec<_>) = next.by_ref().take(plan.pieces.len()).unzip();
            Entry {
                extents: plan.extents(),
                scratch: codes.iter().map(|code| code.scratch).max().unwrap_or(0),
                functions: functions.iter().map(|&&id| module.get_finalized_function(id)).collect(),
            }
        })
        .collect();
    Ok((Machine::new(module, entries), scratch))
}

/// The code of one function.
struct Compiled {
    bytes: Vec<u8>,
    alignment: u64,
    relocations: Vec<ModuleReloc>,
    /// How much scratch memory it uses, constants included.
    scratch: usize,
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
    constants: &Constants,
    plan: &Plan,
    events: &[Event],
) -> Result<Compiled, Error> {
    context.clear();
    context.func.signature = signature(isa);
    let mut builder = FunctionBuilder::new(&mut context.func, builder_context);
    let scratch = Lowering::new(&mut builder, isa, constants, plan, events).run();
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());

    let code = context
        .compile(isa, &mut ControlPlane::default())
        .map_err(|error| Error::NoMachineCode(format!("{:?}", error.inner)))?;
    let bytes = code.code_buffer().to_vec();
    let alignment = u64::from(code.buffer.alignment);
    let relocations = code.buffer.relocs().to_vec();
    let relocations = relocations
        .iter()
        .map(|relocation| ModuleReloc::from_mach_reloc(relocation, &context.func, FuncId::from_u32(0)))
        .collect();
    Ok(Compiled { bytes, alignment, relocations, scratch })
}
