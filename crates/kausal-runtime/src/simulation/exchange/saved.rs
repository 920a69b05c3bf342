//! A model in somebody else's hands as bytes: one that takes them up goes on bit for bit like the one they were taken from.
//!
//! The layout is that of a [run](crate::simulation::snapshot), with what an [`Exchange`] has in the place of a run.

use std::sync::Arc;

use kausal_external::RunFiles;
use kausal_solver::Method;
use kausal_solver::persist::{Reader, Writer};
use kausal_symbolic::function::interrupt::Interrupt;

use super::{Exchange, Known, watched};
use crate::compiled_model::CompiledModel;
use crate::jacobian::JacobianMode;
use crate::machine::Machine;
use crate::simulation::RightSide;
use crate::simulation::foreseen::Foreseen;
use crate::simulation::schedule::Schedule;
use crate::simulation::snapshot::{NotSaved, Snapshot, SnapshotError, opened, opening};
use crate::tunable::Overrides;

impl Exchange {
    /// The state where it is; its parameters are somebody else's, too.
    pub fn snapshot(&self) -> Result<Snapshot, NotSaved> {
        let Exchange {
            first,
            side,
            schedule,
            externals: _,
            known,
            // Follows from the model.
            watched: _,
            bands,
            // Made where it is asked for.
            derivatives: _,
            announced,
            foreseen,
            length,
        } = self;
        let mut writer = Writer::default();
        opening(&self.machine().model().program, self.time(), &mut writer);
        writer.put(&(first.is_some(), schedule, known, bands, announced, foreseen, length));
        match (first, side) {
            (Some(machine), _) => {
                machine.save(&machine.kept().map_err(NotSaved::Kept)?, &mut writer);
            }
            (None, Some(side)) => side.save(&mut writer).map_err(NotSaved::Kept)?,
            (None, None) => return Err(NotSaved::NotStarted),
        }
        let content = writer.finish().map_err(|unfit| NotSaved::Part(unfit.0))?;
        Ok(Snapshot::new(content))
    }

    /// A model that goes on from a state, with the parameters it had there.
    pub fn restore(
        model: Arc<CompiledModel>,
        overrides: &Overrides,
        snapshot: &Snapshot,
        files: &RunFiles,
        interrupt: &Interrupt,
    ) -> Result<Exchange, SnapshotError> {
        let mut reader = Reader::new(snapshot.content());
        let time = opened(&model.program, &mut reader)?;
        type Own = (bool, Schedule, Known, Vec<f64>, Option<f64>, Foreseen, f64);
        let (is_first, schedule, known, bands, announced, foreseen, length): Own = reader.take()?;
        let watched = watched(&model.program);
        reader.check(bands.len() == watched.len(), "relations")?;
        reader.check(foreseen.fits(&model), "relations of time")?;
        let mut machine = Machine::with(model, overrides);
        machine.time = time;
        let externals = machine.furnish(files, interrupt);
        let (first, side) = match is_first {
            true => {
                machine.restore(&mut reader)?;
                (Some(machine), None)
            }
            false => {
                let mut side = RightSide::new(machine, JacobianMode::NumericDense, Method::ExplicitEuler);
                side.restore(&mut reader)?;
                (None, Some(side))
            }
        };
        reader.finish()?;
        let derivatives = None;
        Ok(Exchange {
            first,
            side,
            schedule,
            externals,
            known,
            watched,
            bands,
            derivatives,
            announced,
            foreseen,
            length,
        })
    }
}
