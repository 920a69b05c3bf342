//! Machine code by Cranelift: one function per piece of a plan.
//!
//! A function takes pointers to values, `pre` values, scratch memory and outputs, and the time; [`lower`] writes
//! its body. The scratch memory begins with all constants of the program. Pieces bound the time a function takes to
//! compile, and long programs are compiled on all cores.

mod emit;
mod lower;
mod pairs;
pub(crate) mod routine;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleReloc, default_libcall_names};
use kausal_symbolic::VarId;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::chunk::Error;
use crate::machine::{Entry, Machine};
use crate::plan::{Event, Plan};
use lower::{Constants, Lowering, Workspace};

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

/// Can there be code for machines like this one? Asking Cranelift ([`target`]) takes longer.
pub(crate) fn is_possible() -> bool {
    cfg!(all(target_pointer_width = "64", any(target_arch = "x86_64", target_arch = "aarch64")))
}

/// Compiles all plans. Chunks are numbered in this order. Also gives what the scratch memory holds at the start.
pub(crate) fn compile(isa: OwnedTargetIsa, plans: &[Plan]) -> Result<(Machine, Vec<f64>), Error> {
    let constants = Constants::new(plans);
    let fixed: Vec<FxHashSet<VarId>> = plans.iter().map(pairs::fixed_variables).collect();
    let jobs: Vec<Job<'_>> = plans
        .iter()
        .zip(&fixed)
        .flat_map(|(plan, fixed)| plan.pieces.iter().map(move |events| Job { plan, events, fixed }))
        .collect();
    let one = |tools: &mut Tools, job: &Job<'_>| piece(&*isa, tools, &constants, job);
    let fresh = Tools::new;
    let compiled: Vec<Compiled> = if jobs.iter().map(|job| job.events.len()).sum::<usize>() >= PARALLEL_EVENTS
    {
        jobs.par_iter().map_init(fresh, one).collect::<Result<_, _>>()?
    } else {
        let mut tools = fresh();
        jobs.iter().map(|job| one(&mut tools, job)).collect::<Result<_, _>>()?
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

/// A piece to compile.
struct Job<'p> {
    plan: &'p Plan,
    events: &'p [Event],
    fixed: &'p FxHashSet<VarId>,
}

/// What one thread keeps from function to function.
struct Tools {
    context: Context,
    builder: FunctionBuilderContext,
    space: Workspace,
}

impl Tools {
    fn new() -> Tools {
        Tools { context: Context::new(), builder: FunctionBuilderContext::new(), space: Workspace::default() }
    }
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
    tools: &mut Tools,
    constants: &Constants,
    job: &Job<'_>,
) -> Result<Compiled, Error> {
    let paired = pairs::pair_divisions(job.plan, job.events, job.fixed);
    let Tools { context, builder: builder_context, space } = tools;
    context.clear();
    context.func.signature = signature(isa);
    let mut builder = FunctionBuilder::new(&mut context.func, builder_context);
    let scratch = Lowering::new(&mut builder, isa, constants, job.plan, &paired, space).run();
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
