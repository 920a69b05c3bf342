//! Machine code by Cranelift: one function per piece of a plan.
//!
//! A function takes pointers to values, `pre` values, scratch memory and outputs, and the time; [`lower`] writes
//! its body. The scratch memory begins with all constants of the program. Pieces bound the time a function takes to
//! compile, and long programs are compiled on all cores.

mod emit;
mod lower;
mod pairs;
pub(crate) mod routine;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleReloc, default_libcall_names};
use kausal_symbolic::VarId;
use rustc_hash::FxHashSet;

use crate::chunk::Error;
use crate::machine::{self, Chunk, Entry};
use crate::plan::{Event, Plan};
pub(crate) use lower::Constants;
use lower::{Lowering, Workspace};

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

/// Compiles plans into chunks, in this order, with these constants; none where that is abandoned on the way.
pub(crate) fn compile(
    isa: &OwnedTargetIsa,
    constants: &Constants,
    plans: &[&Plan],
    abandoned: &AtomicBool,
) -> Result<Vec<Chunk>, Error> {
    let fixed: Vec<FxHashSet<VarId>> = plans.iter().map(|plan| pairs::fixed_variables(plan)).collect();
    let jobs: Vec<Job<'_>> = plans
        .iter()
        .zip(&fixed)
        .flat_map(|(plan, fixed)| plan.pieces.iter().map(move |events| Job { plan, events, fixed }))
        .collect();
    let one = |tools: &mut Tools, job: &Job<'_>| match abandoned.load(Ordering::Relaxed) {
        true => Err(Error::NoMachineCode("nobody waits for it any more".to_owned())),
        false => piece(&**isa, tools, constants, job),
    };
    let long = jobs.iter().map(|job| job.events.len()).sum::<usize>() >= PARALLEL_EVENTS;
    let compiled = if long { on_all_cores(&jobs, &one)? } else { one_by_one(&jobs, &one)? };

    let failed = |error: cranelift_module::ModuleError| Error::NoMachineCode(error.to_string());
    let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
    let signature = signature(&**isa);
    let mut functions = Vec::with_capacity(compiled.len());
    for code in &compiled {
        let id = module.declare_anonymous_function(&signature).map_err(failed)?;
        module.define_function_bytes(id, code.alignment, &code.bytes, &code.relocations).map_err(failed)?;
        functions.push(id);
    }
    module.finalize_definitions().map_err(failed)?;

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
    Ok(machine::chunks(module, entries))
}

fn one_by_one(
    jobs: &[Job<'_>],
    one: &dyn Fn(&mut Tools, &Job<'_>) -> Result<Compiled, Error>,
) -> Result<Vec<Compiled>, Error> {
    let mut tools = Tools::new();
    jobs.iter().map(|job| one(&mut tools, job)).collect()
}

/// On threads of its own: whoever waits for the code may be a thread of a pool, and all of them may wait.
fn on_all_cores(
    jobs: &[Job<'_>],
    one: &(dyn Fn(&mut Tools, &Job<'_>) -> Result<Compiled, Error> + Sync),
) -> Result<Vec<Compiled>, Error> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(usize, Compiled)>, Error> {
        let (mut tools, mut made) = (Tools::new(), Vec::new());
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(k) else { return Ok(made) };
            made.push((k, one(&mut tools, job)?));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let parts: Vec<Result<_, Error>> = thread::scope(|scope| {
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(work)).collect();
        let own = work();
        let panicked = || Err(Error::NoMachineCode("the compiler has panicked".to_owned()));
        let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|_| panicked()));
        std::iter::once(own).chain(joined).collect()
    });
    let mut made = Vec::with_capacity(jobs.len());
    for part in parts {
        made.extend(part?);
    }
    made.sort_unstable_by_key(|(k, _)| *k);
    Ok(made.into_iter().map(|(_, compiled)| compiled).collect())
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
