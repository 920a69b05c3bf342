//! GPUs of NVIDIA: the driver and NVRTC, both loaded when somebody asks for a device. Nothing of CUDA is needed to build.

#![allow(unsafe_code)]

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DeviceRepr, DriverError,
    LaunchConfig, PushKernelArg, sys,
};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};

use crate::engine::{Engine, Fault, Kernel};
use crate::ensemble::{Batch, Ensemble, Finished, Outcome};

/// Threads of a block: four warps, so that registers are given away in small portions.
const THREADS: u32 = 128;
/// Bytes of stack of a thread that iterates.
const STACK: usize = 8 << 10;
/// A batch takes at most this part of the memory that is free.
const PART_OF_MEMORY: usize = 4;

/// A device.
pub struct Gpu {
    stream: Arc<CudaStream>,
    name: String,
    /// As NVRTC calls it: it writes what the driver makes machine code of.
    architecture: String,
    processors: u32,
}

/// All devices of this machine.
///
/// # Errors
/// Why there is none.
pub fn devices() -> Result<Vec<Gpu>, Fault> {
    // SAFETY: libraries are opened by the names of NVIDIA's driver and compiler, which do nothing when they are loaded.
    let (driver, compiler) = unsafe { (sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) };
    if !driver {
        return Err(Fault("there is no NVIDIA driver on this machine".to_owned()));
    }
    if !compiler {
        return Err(Fault("NVRTC, the compiler of CUDA, is not installed".to_owned()));
    }
    let count = CudaContext::device_count().map_err(|error| fault("CUDA does not begin", error))?;
    if count == 0 {
        return Err(Fault("there is no GPU that CUDA knows".to_owned()));
    }
    (0..count as usize).map(Gpu::new).collect()
}

impl Gpu {
    fn new(ordinal: usize) -> Result<Gpu, Fault> {
        let made = || -> Result<Gpu, DriverError> {
            let context = CudaContext::new(ordinal)?;
            let (major, minor) = context.compute_capability()?;
            let processors =
                context.attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
            Ok(Gpu {
                name: context.name()?,
                architecture: format!("--gpu-architecture=compute_{major}{minor}"),
                processors: processors.max(1) as u32,
                stream: context.default_stream(),
            })
        };
        made().map_err(|error| fault(&format!("GPU {ordinal} cannot be used"), error))
    }
}

impl Engine for Gpu {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn compile(&self, ensemble: &Ensemble) -> Result<Box<dyn Kernel>, Fault> {
        let options = CompileOptions {
            options: vec![
                self.architecture.clone(),
                "--std=c++17".to_owned(),
                "--device-as-default-execution-space".to_owned(),
                "--disable-warnings".to_owned(),
            ],
            ..CompileOptions::default()
        };
        let image = compile_ptx_with_opts(&ensemble.text, options).map_err(|error| match error {
            CompileError::CompileError { log, .. } => {
                Fault(format!("the kernel does not compile:\n{}", log.to_string_lossy()))
            }
            other => Fault(format!("the kernel does not compile: {other}")),
        })?;
        let load = || -> Result<CudaFunction, DriverError> {
            if ensemble.text.contains("kausal_newton(") {
                // Its calls by address have no depth that the compiler knows.
                self.stream.context().set_limit(sys::CUlimit::CU_LIMIT_STACK_SIZE, STACK)?;
            }
            let module = self.stream.context().load_module(image)?;
            module.load_function("kausal_runs")
        };
        let function = load().map_err(|error| fault("the kernel cannot be loaded", error))?;
        let blocks = function.occupancy_max_active_blocks_per_multiprocessor(THREADS, 0, None);
        let blocks = blocks.map_err(|error| fault("the kernel cannot be loaded", error))?.max(1);
        let (stream, asked) = (self.stream.clone(), ensemble.question.numbers.len());
        Ok(Box::new(Loaded {
            stream,
            function,
            blocks: blocks * self.processors,
            asked,
            traced: ensemble.question.traced.len(),
        }))
    }

    fn memory(&self) -> usize {
        self.stream.context().mem_get_info().map_or(1 << 28, |(free, _)| free / PART_OF_MEMORY)
    }
}

/// A kernel on its device.
struct Loaded {
    stream: Arc<CudaStream>,
    function: CudaFunction,
    /// As many as run at the same time.
    blocks: u32,
    asked: usize,
    traced: usize,
}

/// `kausal_work` of `device/work.cu`, field by field.
#[repr(C)]
#[derive(Clone, Copy)]
struct Work {
    columns: u64,
    instants: u64,
    grid: u64,
    numbers: u64,
    traces: u64,
    ends: u64,
    outcomes: u64,
    steps: u64,
    next: u64,
    start: f64,
    stop: f64,
    tolerance: f64,
    longest: f64,
    same: f64,
    runs: u32,
    most: u32,
    points: u32,
    grid_points: u32,
}

// SAFETY: plain numbers in the layout of C, as the kernel declares its argument.
unsafe impl DeviceRepr for Work {}

impl Kernel for Loaded {
    fn run(&self, batch: &Batch) -> Result<Finished, Fault> {
        self.launch(batch).map_err(|error| fault("the runs of a batch failed", error))
    }
}

impl Loaded {
    fn launch(&self, batch: &Batch) -> Result<Finished, DriverError> {
        let (runs, stream) = (batch.runs, &self.stream);
        // An array has at least one element.
        let input = |values: &[f64]| stream.clone_htod(if values.is_empty() { &[0.0][..] } else { values });
        let columns = input(&batch.columns)?;
        let instants = input(&batch.instants)?;
        let grid = input(&batch.grid)?;
        let trace = runs * batch.grid.len() * self.traced;
        let mut numbers: CudaSlice<f64> = stream.alloc_zeros((runs * self.asked).max(1))?;
        let mut traces: CudaSlice<f64> = stream.alloc_zeros(trace.max(1))?;
        let mut ends: CudaSlice<f64> = stream.alloc_zeros(runs.max(1))?;
        let mut outcomes: CudaSlice<i32> = stream.alloc_zeros(runs.max(1))?;
        let mut steps: CudaSlice<u32> = stream.alloc_zeros(runs.max(1))?;
        let mut next: CudaSlice<u32> = stream.alloc_zeros(1)?;
        let work = Work {
            columns: columns.device_ptr(stream).0,
            instants: instants.device_ptr(stream).0,
            grid: grid.device_ptr(stream).0,
            numbers: numbers.device_ptr_mut(stream).0,
            traces: traces.device_ptr_mut(stream).0,
            ends: ends.device_ptr_mut(stream).0,
            outcomes: outcomes.device_ptr_mut(stream).0,
            steps: steps.device_ptr_mut(stream).0,
            next: next.device_ptr_mut(stream).0,
            start: batch.start,
            stop: batch.stop,
            tolerance: batch.tolerance,
            longest: batch.longest,
            same: batch.same,
            runs: runs as u32,
            most: batch.most,
            points: batch.instants.len() as u32,
            grid_points: batch.grid.len() as u32,
        };
        let blocks = (runs as u32).div_ceil(THREADS).clamp(1, self.blocks);
        let shape =
            LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
        let timed = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let before = stream.record_event(timed)?;
        // SAFETY: the kernel takes one `kausal_work`, which is `Work`; it reads and writes within the arrays it names, whose lengths
        // follow from the same numbers, and they live until the results are copied back below.
        unsafe { stream.launch_builder(&self.function).arg(&work).launch(shape)? };
        let behind = stream.record_event(timed)?;
        let seconds = f64::from(before.elapsed_ms(&behind)?) * 1e-3;
        let cut = |mut all: Vec<f64>, length: usize| {
            all.truncate(length);
            all
        };
        let codes = stream.clone_dtoh(&outcomes)?;
        Ok(Finished {
            numbers: cut(stream.clone_dtoh(&numbers)?, runs * self.asked),
            traces: cut(stream.clone_dtoh(&traces)?, trace),
            ends: cut(stream.clone_dtoh(&ends)?, runs),
            outcomes: codes.into_iter().take(runs).map(Outcome::of).collect(),
            steps: stream.clone_dtoh(&steps)?.into_iter().take(runs).collect(),
            seconds,
        })
    }
}

fn fault(what: &str, error: DriverError) -> Fault {
    Fault(format!("{what}: {error}"))
}
