//! The state of a run in a file: `--save-state` and `--from-state`.
//!
//! ```
//! use std::sync::Arc;
//! use kausal::runner::Runner;
//! use kausal::simulate::{SaveAt, States};
//! use kausal::{Backend, Options, Session, Settings};
//!
//! let mut session = Session::new();
//! session.add_text("Decay.mo", "model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;");
//! let flat = session.flatten("Decay").expect("a correct model");
//! let program = session.translate(&flat, &Options::default()).expect("a regular model");
//! let model = Arc::new(session.compile(program, Backend::Auto).expect("code"));
//! let run = |states| Runner::new(model.clone()).settings(Settings::default()).states(states).run(&mut ()).expect("a run");
//! let first = run(States { save: Some(SaveAt::Time(0.5)), ..States::default() });
//! let state = Arc::new(first.ended.snapshot.expect("its state"));
//! let second = run(States { from: Some(state), ..States::default() });
//! let x = |trajectory: &kausal::Trajectory| *trajectory.get("x").unwrap().last().unwrap();
//! assert_eq!(x(&second.trajectory).to_bits(), x(&first.trajectory).to_bits());
//! ```

use std::path::Path;
use std::sync::Arc;

use kausal_external::NoData;
use kausal_runtime::{
    CompiledModel, NotSaved, Observer, RunError, Settings, Simulator, Snapshot, SnapshotError, Statistics,
    Surroundings,
};
use kausal_syntax::Diagnostic;
use kausal_translate::Program;

use crate::simulate::{SaveAt, States};
use crate::store;

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 31;

/// What a run took, and how it ended.
type Outcome = (Statistics, Result<(), RunError>);

impl States {
    /// Does the run go on from another one?
    pub fn is_resumed(&self) -> bool {
        self.from.is_some()
    }

    /// The run; its state is put where it was asked for. The diagnostic says why it cannot go on from a state.
    pub(crate) fn run(
        &self,
        model: &Arc<CompiledModel>,
        settings: &Settings,
        observer: &mut dyn Observer,
        taken: &mut Option<Result<Snapshot, NotSaved>>,
    ) -> Result<Outcome, Diagnostic> {
        let States { from, stop, save } = self;
        if from.is_none() && save.is_none() {
            return Ok(kausal_runtime::simulate(model.clone(), settings, observer));
        }
        let (mut simulator, mut result) = match from {
            None => {
                let mut simulator = Simulator::new(model.clone(), settings.clone());
                let result = simulator.initialise(observer);
                (simulator, result)
            }
            Some(snapshot) => {
                let (files, inputs) = (settings.files.clone(), settings.inputs.clone());
                let around = Surroundings { files, inputs, interrupt: settings.interrupt.clone() };
                let simulator = Simulator::restore(model.clone(), snapshot, around);
                let mut simulator = simulator.map_err(|error| unusable(None, &error))?;
                let result = stop.map_or(Ok(()), |stop| simulator.set_stop(stop));
                (simulator, result)
            }
        };
        if let (Some(SaveAt::Time(t)), Ok(())) = (save, &result) {
            result = simulator.pause_at(*t, observer);
            if result.is_ok() {
                *taken = Some(simulator.snapshot());
            }
        }
        if result.is_ok() {
            result = simulator.run_to_stop(observer);
        }
        if result.is_ok() && *save == Some(SaveAt::End) {
            *taken = Some(simulator.snapshot());
        }
        if result.is_ok() {
            result = simulator.finish(observer);
        }
        Ok((simulator.statistics(), result))
    }
}

/// Writes the state of a run to a file.
///
/// # Errors
/// Where that is not possible.
pub fn write(path: &Path, snapshot: &Snapshot) -> Result<(), Diagnostic> {
    std::fs::write(path, snapshot.bytes()).map_err(|error| store::unwritable(path, None, &error))
}

/// Reads the state of a run from a file.
///
/// # Errors
/// Where the file cannot be read, is none, or is damaged.
pub fn read(path: &Path) -> Result<Snapshot, Diagnostic> {
    let bytes = kausal_external::read_regular(path, MAX_BYTES).map_err(|error| {
        Diagnostic::error("K0566", format!("{} cannot be read: {error}", path.display())).help(WRITES)
    })?;
    Snapshot::read(bytes).map_err(|error| unusable(Some(path), &error))
}

const WRITES: &str = "`kausal simulate MODEL --save-state FILE` writes such a file";

/// Why a run cannot go on from a state.
pub fn unusable(path: Option<&Path>, error: &SnapshotError) -> Diagnostic {
    let what = path.map_or("the state".to_owned(), |path| path.display().to_string());
    let help = match error {
        SnapshotError::Model(_) => "give the model and the options of the run that has saved it",
        _ => WRITES,
    };
    Diagnostic::error("K0566", format!("{what} {error}")).help(help)
}

/// Why a state cannot be saved.
pub fn not_saved(program: &Program, why: &NotSaved) -> Diagnostic {
    let why = match why {
        NotSaved::NotStarted => "it did not begin".to_owned(),
        NotSaved::Unsettled => "values were set that have not taken effect".to_owned(),
        NotSaved::Kept(NoData::Objects) => "foreign code has made objects, which only it knows".to_owned(),
        NotSaved::Kept(NoData::Files) => "the model has written files, which would not come back".to_owned(),
        NotSaved::Kept(NoData::Outside) => {
            "the model has changed the environment or the working directory".to_owned()
        }
        NotSaved::Part(part) => part.clone(),
    };
    Diagnostic::error("K0565", format!("the state of the run of {} cannot be saved: {why}", program.name))
}
