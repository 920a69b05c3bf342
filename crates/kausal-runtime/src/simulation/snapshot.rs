//! The whole state of a run as bytes: a run that takes it up goes on bit for bit like the one it was taken from.
//!
//! ```text
//! magic      8 bytes   89 'K' 'A' 'U' 'S' 'T' 'A' 0A
//! format     u32       which layout, little endian as all numbers here
//! checksum   u32       CRC-32 of all that follows
//! model      postcard  name and fingerprint of the program, and where the run was
//! settings   postcard  what the run was asked for
//! state      postcard  event memory, the integrator, what its steps iterate on, the model's memory
//! ```
//!
//! What follows from the model and the settings alone is made anew; all else is written. The structures are taken apart field by
//! field, or derive their layout: what somebody adds to them is stored, or does not compile. Every change of them makes another
//! [`FORMAT`]. What functions of the model keep is stored where it is data ([`kausal_external::NoData`]).

use std::fmt;
use std::io;
use std::sync::Arc;

use kausal_external::{NoData, RunFiles};
use kausal_solver::Method;
use kausal_solver::persist::{Reader, Unfit, Writer};
use kausal_symbolic::Node;
use kausal_symbolic::function::interrupt::Interrupt;
use kausal_translate::Program;
use serde::{Deserialize, Serialize};

use super::right_side::RightSide;
use super::simulator::{Changes, Simulator};
use super::{Run, RunError, Settings, relevance};
use crate::compiled_model::CompiledModel;
use crate::inputs::Inputs;
use crate::jacobian::JacobianMode;
use crate::tunable::{Overrides, SavedOverrides};

/// The layout that is written, and the only one that is read.
pub const FORMAT: u32 = 4;

/// The first bytes.
pub const MAGIC: [u8; 8] = *b"\x89KAUSTA\n";

/// Bytes before what the checksum is of.
const HEAD: usize = MAGIC.len() + 4 + 4;

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    bytes: Vec<u8>,
}

/// Why a run cannot be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSaved {
    /// It has not begun.
    NotStarted,
    /// Something was set and has not taken effect.
    Unsettled,
    /// What functions have kept is no data.
    Kept(NoData),
    /// A part cannot be written.
    Part(String),
}

/// Why bytes are no state of a run of this model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// They do not begin like one.
    Foreign,
    /// The layout is another one than [`FORMAT`].
    Format(u32),
    /// They end too early.
    Truncated,
    /// Something was changed on the way.
    Damaged,
    /// It is the state of a run of another model, or of another translation of it; the name of that model.
    Model(String),
    /// It cannot be read although the checksum is right: what is wrong.
    Unreadable(String),
}

impl std::error::Error for SnapshotError {}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::Foreign => f.write_str("is not the state of a run"),
            SnapshotError::Format(format) if *format > FORMAT => {
                write!(f, "was written by a newer version (format {format}; this version reads {FORMAT})")
            }
            SnapshotError::Format(format) => {
                write!(f, "was written by an older version (format {format}; this version reads {FORMAT})")
            }
            SnapshotError::Truncated => f.write_str("is truncated"),
            SnapshotError::Damaged => f.write_str("is damaged: its checksum is wrong"),
            SnapshotError::Model(name) => {
                write!(
                    f,
                    "is the state of a run of {name}, translated from another text or with other options"
                )
            }
            SnapshotError::Unreadable(why) => write!(f, "cannot be read: {why}"),
        }
    }
}

impl From<Unfit> for SnapshotError {
    fn from(unfit: Unfit) -> SnapshotError {
        SnapshotError::Unreadable(unfit.0)
    }
}

/// What a restored run is given anew: what is no data, or belongs to whoever runs it.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Where functions of the model write files.
    pub files: RunFiles,
    /// Signals that are functions; those of points were stored.
    pub inputs: Arc<Inputs>,
    /// Ends the run from outside.
    pub interrupt: Interrupt,
}

/// What comes first.
#[derive(Serialize, Deserialize)]
struct Opening {
    model: String,
    fingerprint: u64,
    time: f64,
    stop: f64,
}

/// [`Settings`] as they are stored.
#[derive(Serialize, Deserialize)]
struct SavedSettings {
    start: f64,
    stop: f64,
    interval: f64,
    instants: Vec<f64>,
    tolerance: f64,
    method: Method,
    fixed_step: Option<f64>,
    max_step: Option<f64>,
    jacobian: JacobianMode,
    inlined: bool,
    max_order: usize,
    trust_torn: bool,
    events_at_steps: bool,
    iterations: Option<u32>,
    relative: Vec<String>,
    overrides: SavedOverrides,
}

/// What a state is of.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// The model.
    pub model: String,
    /// Where its run was.
    pub time: f64,
    /// Where its run was to end.
    pub stop: f64,
}

impl Snapshot {
    /// The bytes, for a file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// From the bytes of a file: whether they are those of a state, whole and unchanged.
    pub fn read(bytes: Vec<u8>) -> Result<Snapshot, SnapshotError> {
        let prefix = bytes.len().min(MAGIC.len());
        if bytes[..prefix] != MAGIC[..prefix] || bytes.is_empty() {
            return Err(SnapshotError::Foreign);
        }
        let number =
            |at: usize| -> Option<u32> { Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)) };
        let format = number(MAGIC.len()).ok_or(SnapshotError::Truncated)?;
        if format != FORMAT {
            return Err(SnapshotError::Format(format));
        }
        let checksum = number(MAGIC.len() + 4).ok_or(SnapshotError::Truncated)?;
        match crc32fast::hash(&bytes[HEAD..]) == checksum {
            true => Ok(Snapshot { bytes }),
            false => Err(SnapshotError::Damaged),
        }
    }

    /// What it is the state of.
    pub fn about(&self) -> Result<About, SnapshotError> {
        let opening: Opening = Reader::new(&self.bytes[HEAD..]).take()?;
        let Opening { model, fingerprint: _, time, stop } = opening;
        Ok(About { model, time, stop })
    }

    /// What stands behind the head.
    pub(super) fn content(&self) -> &[u8] {
        &self.bytes[HEAD..]
    }

    pub(super) fn new(content: Vec<u8>) -> Snapshot {
        let mut bytes = Vec::with_capacity(HEAD + content.len());
        bytes.extend(MAGIC);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend(crc32fast::hash(&content).to_le_bytes());
        bytes.extend(content);
        Snapshot { bytes }
    }
}

/// Begins the state of a model whose run is in somebody else's hands.
pub(super) fn opening(program: &Program, time: f64, writer: &mut Writer) {
    let (model, fingerprint) = (program.name.clone(), fingerprint(program));
    writer.put(&Opening { model, fingerprint, time, stop: f64::INFINITY });
}

/// Where the state of a model was; an error where it is that of another model.
pub(super) fn opened(program: &Program, reader: &mut Reader) -> Result<f64, SnapshotError> {
    let opening: Opening = reader.take()?;
    match opening.model == program.name && opening.fingerprint == fingerprint(program) {
        true => Ok(opening.time),
        false => Err(SnapshotError::Model(opening.model)),
    }
}

impl Simulator {
    /// The state of the run where it is.
    pub fn snapshot(&self) -> Result<Snapshot, NotSaved> {
        let Simulator { run, model, overrides } = self;
        let mut writer = Writer::default();
        let fingerprint = fingerprint(&model.program);
        let (time, stop) = (self.time(), run.settings.stop);
        writer.put(&Opening { model: model.program.name.clone(), fingerprint, time, stop });
        writer.put(&saved_settings(&run.settings, overrides));
        run.save(&mut writer)?;
        let content = writer.finish().map_err(|unfit| NotSaved::Part(unfit.0))?;
        Ok(Snapshot::new(content))
    }

    /// A run that goes on from a state. Its settings are those of the run it was taken from.
    pub fn restore(
        model: Arc<CompiledModel>,
        snapshot: &Snapshot,
        around: Surroundings,
    ) -> Result<Simulator, SnapshotError> {
        let mut reader = Reader::new(&snapshot.bytes[HEAD..]);
        opened(&model.program, &mut reader)?;
        let saved: SavedSettings = reader.take()?;
        let (settings, overrides) = restored_settings(&model.program, saved, around)?;
        let mut run = Run::new(model.clone(), settings);
        run.restore(&mut reader)?;
        reader.finish()?;
        Ok(Simulator { run, model, overrides })
    }
}

fn saved_settings(settings: &Settings, overrides: &Overrides) -> SavedSettings {
    let Settings {
        start,
        stop,
        interval,
        instants,
        tolerance,
        method,
        fixed_step,
        max_step,
        jacobian,
        files: _,
        inlined,
        max_order,
        trust_torn,
        events_at_steps,
        iterations,
        relative,
        overrides: _,
        inputs: _,
        interrupt: _,
    } = settings;
    SavedSettings {
        start: *start,
        stop: *stop,
        interval: *interval,
        instants: instants.to_vec(),
        tolerance: *tolerance,
        method: *method,
        fixed_step: *fixed_step,
        max_step: *max_step,
        jacobian: *jacobian,
        inlined: *inlined,
        max_order: *max_order,
        trust_torn: *trust_torn,
        events_at_steps: *events_at_steps,
        iterations: *iterations,
        relative: relative.clone(),
        // With those that were set on the way.
        overrides: overrides.saved(),
    }
}

fn restored_settings(
    program: &Program,
    saved: SavedSettings,
    around: Surroundings,
) -> Result<(Settings, Overrides), SnapshotError> {
    let SavedSettings {
        start,
        stop,
        interval,
        instants,
        tolerance,
        method,
        fixed_step,
        max_step,
        jacobian,
        inlined,
        max_order,
        trust_torn,
        events_at_steps,
        iterations,
        relative,
        overrides,
    } = saved;
    let Surroundings { files, inputs, interrupt } = around;
    let overrides = Overrides::restored(program, overrides)
        .ok_or_else(|| SnapshotError::Unreadable("parameters do not fit".to_owned()))?;
    let settings = Settings {
        start,
        stop,
        interval,
        instants: instants.into(),
        tolerance,
        method,
        fixed_step,
        max_step,
        jacobian,
        files,
        inlined,
        max_order,
        trust_torn,
        events_at_steps,
        iterations,
        relative,
        overrides: Arc::new(overrides.clone()),
        inputs,
        interrupt,
    };
    Ok((settings, overrides))
}

impl Run {
    fn save(&self, writer: &mut Writer) -> Result<(), NotSaved> {
        let Run {
            settings: _,
            // Derivatives are carried along whole runs.
            follower: _,
            solver,
            first: _,
            externals: _,
            stats,
            next_output,
            passage,
            // A wish of whoever carries the run on.
            pauses_at_events: _,
            reached,
            shown,
            changes,
            schedule,
            foreseen,
            signals,
            state,
            chatter,
            ended,
            // These two follow from the model.
            watched: _,
            functions: _,
            finder,
            changed,
            differences,
            near: _,
            just_crossed,
            bands,
            fresh,
            fresh_step,
            // What was found out is found out again.
            answers: _,
            held_values,
            barrier,
            again,
            beyond,
            given_up,
            shorter,
            well_selected,
            path,
            defects,
            departure,
            flights,
            emerging,
        } = self;
        let solver = solver.as_ref().ok_or(NotSaved::NotStarted)?;
        if !changes.is_empty() {
            return Err(NotSaved::Unsettled);
        }
        writer.put(&(stats, next_output, passage, reached, shown, schedule, foreseen, signals));
        writer.put(&(state, chatter, ended, finder, changed, differences, fresh, fresh_step));
        writer.put(&(held_values, barrier, again, beyond, given_up, shorter, well_selected));
        writer.put(&(path, defects, emerging));
        writer.put(&(just_crossed, bands, departure, flights));
        solver.save(writer);
        solver.model().save(writer);
        solver.model().model().save(writer).map_err(NotSaved::Kept)
    }

    /// Takes the place of a run that has not begun.
    fn restore(&mut self, reader: &mut Reader) -> Result<(), SnapshotError> {
        let Some(mut machine) = self.first.take() else { return Ok(()) };
        self.furnish(&mut machine);
        self.make_solver(machine).map_err(|error| SnapshotError::Unreadable(unmade(&error)))?;
        let Run {
            settings: _,
            // Derivatives are carried along whole runs.
            follower: _,
            solver,
            first: _,
            externals: _,
            stats,
            next_output,
            passage,
            // A wish of whoever carries the run on.
            pauses_at_events: _,
            reached,
            shown,
            changes,
            schedule,
            foreseen,
            signals,
            state,
            chatter,
            ended,
            watched,
            functions: _,
            finder,
            changed,
            differences,
            near: _,
            just_crossed,
            bands,
            fresh,
            fresh_step,
            answers,
            held_values,
            barrier,
            again,
            beyond,
            given_up,
            shorter,
            well_selected,
            path,
            defects,
            departure,
            flights,
            emerging,
        } = self;
        let Some(solver) = solver else { return Ok(()) };
        (*changes, *answers) = (Changes::default(), relevance::Answers::default());
        let states = state.len();
        (*stats, *next_output, *passage, *reached, *shown, *schedule, *foreseen, *signals) = reader.take()?;
        (*state, *chatter, *ended, *finder, *changed, *differences, *fresh, *fresh_step) = reader.take()?;
        reader.check(state.len() == states, "states")?;
        reader
            .check(finder.as_ref().is_none_or(|finder| finder.sides().len() == watched.len()), "relations")?;
        (*held_values, *barrier, *again, *beyond, *given_up, *shorter, *well_selected) = reader.take()?;
        (*path, *defects, *emerging) = reader.take()?;
        (*just_crossed, *bands, *departure, *flights) = reader.take()?;
        solver.restore(reader)?;
        solver.model_mut().restore(reader)?;
        solver.model_mut().model_mut().restore(reader)?;
        Ok(())
    }
}

fn unmade(error: &RunError) -> String {
    format!("the integrator cannot be made: {error:?}")
}

impl RightSide {
    pub(super) fn save(&self, writer: &mut Writer) -> Result<(), NoData> {
        let RightSide {
            machine,
            model: _,
            states: _,
            past,
            pipes,
            // Between steps nobody asks.
            last_failure: _,
            derivatives: _,
            buffer: _,
            guesses,
            guessed_at,
            asked,
            ends_steps: _,
            keeps_jacobian: _,
            sizes,
            chooses_steps: _,
        } = self;
        writer.put(&(past, pipes, guesses, guessed_at, asked, sizes));
        machine.save(&machine.kept()?, writer);
        Ok(())
    }

    pub(super) fn restore(&mut self, reader: &mut Reader) -> Result<(), Unfit> {
        let RightSide {
            machine,
            model: _,
            states: _,
            past,
            pipes,
            last_failure,
            derivatives: _,
            buffer: _,
            guesses,
            guessed_at,
            asked,
            ends_steps: _,
            keeps_jacobian: _,
            sizes,
            chooses_steps: _,
        } = self;
        let (guessed, sized) = (guesses.len(), sizes.len());
        (*past, *pipes, *guesses, *guessed_at, *asked, *sizes) = reader.take()?;
        *last_failure = None;
        reader.check(guesses.len() == guessed && sizes.len() == sized, "states")?;
        machine.restore(reader)
    }
}

/// A number that tells programs apart: of their steps, formulas and variables, but not of where these stand in texts.
fn fingerprint(program: &Program) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    let pool = &program.pool;
    for i in 0..pool.len() {
        match pool.node(kausal_symbolic::ExprId(i as u32)) {
            Node::Const(value) => hash.add(&(0u8, value)),
            Node::Text(text) => hash.add(&(1u8, pool.text_of(text))),
            Node::Var(v) => hash.add(&(2u8, v)),
            Node::Op(op, args) => hash.add(&(3u8, op, args)),
            Node::Call(function, args) => hash.add(&(4u8, function, args)),
            Node::Output(e, place) => hash.add(&(5u8, e, place)),
        }
    }
    for v in &program.variables {
        hash.add(&(&v.name, &v.kind, v.value, v.nominal));
    }
    hash.add(&(
        &program.parameters,
        &program.initial,
        &program.dynamics,
        &program.outputs,
        &program.discrete,
    ));
    hash.add(&(&program.states, &program.state_sets, &program.relations, &program.samples, &program.pre));
    let discretized =
        [program.discretized.as_ref(), program.discretized.as_ref().and_then(|d| d.filter.as_deref())];
    for section in discretized.into_iter().flatten() {
        hash.add(&(&section.factors, &section.steps));
    }
    hash.0
}

/// The hash of Fowler, Noll and Vo (FNV-1a, 64 bits).
struct Fnv(u64);

impl Fnv {
    fn add<T: Serialize>(&mut self, part: &T) {
        // Hashing cannot fail.
        let _ = postcard::to_io(part, &mut *self);
    }
}

impl io::Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
