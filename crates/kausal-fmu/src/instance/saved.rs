//! The state of an instance as bytes: one that takes them up goes on bit for bit like the one they were taken from (FMI 3.0,
//! section 2.2.8).
//!
//! ```text
//! format     u32       which layout, little endian
//! digest     38 bytes  of all that follows
//! content    postcard  the token of the model, what was set, and the state of the run
//! ```

use kausal::{Diagnostic, Overrides};
use kausal_fmi::references::token;
use kausal_runtime::{Exchange, RunFiles, Snapshot};
use serde::{Deserialize, Serialize};

use super::{Fault, Instance, Phase, Role, Span};
use crate::solved::Solved;

/// The layout that is written, and the only one that is read.
const FORMAT: u32 = 2;

/// A digest in the form of a UUID in braces.
const DIGEST: usize = 38;

#[derive(Serialize, Deserialize)]
struct Saved {
    token: String,
    role: Role,
    phase: Phase,
    span: Span,
    overrides: Vec<u8>,
    method: String,
    step: f64,
    event_mode: bool,
    before: Option<Vec<f64>>,
    warned: usize,
    run: Option<Vec<u8>>,
}

fn unusable(why: &str) -> Fault {
    Fault::error(Diagnostic::error("K0705", format!("the state cannot be taken up: {why}")))
}

impl Instance {
    /// The state it is in.
    pub fn saved(&mut self) -> Result<Vec<u8>, Fault> {
        self.expect(
            "saving the state",
            &[
                Phase::Instantiated,
                Phase::Initialization,
                Phase::Event,
                Phase::Continuous,
                Phase::Step,
                Phase::Terminated,
            ],
        )?;
        let run = match (&mut self.solved, &self.exchange) {
            (Some(solved), _) => {
                let snapshot = solved.snapshot();
                Some(snapshot.map_err(|error| self.failed(&error))?)
            }
            // Before the end of the initialisation values follow from what was set.
            (None, _) if matches!(self.phase, Phase::Instantiated | Phase::Initialization) => None,
            (None, Some(exchange)) => {
                let program = &self.model.program;
                let said = |why| kausal::saved::not_saved(program, &why).message;
                Some(exchange.snapshot().map_err(said))
            }
            (None, None) => None,
        };
        let run = run.transpose().map_err(|why| Fault::error(Diagnostic::error("K0705", why)))?;
        let saved = Saved {
            token: self.token.clone(),
            role: self.role,
            phase: self.phase,
            span: self.span,
            overrides: self.overrides.bytes(),
            method: self.method.to_string(),
            step: self.step,
            event_mode: self.event_mode,
            before: self.before.clone(),
            warned: self.warned,
            run: run.map(|snapshot| snapshot.bytes().to_vec()),
        };
        let content = postcard::to_stdvec(&saved).map_err(|why| {
            Fault::error(Diagnostic::error("K0705", format!("the state cannot be saved: {why}")))
        })?;
        let mut bytes = FORMAT.to_le_bytes().to_vec();
        bytes.extend(token(&content).as_bytes());
        bytes.extend(content);
        Ok(bytes)
    }

    /// Are these the bytes of a state of this model?
    pub fn check_saved(&self, bytes: &[u8]) -> Result<(), Fault> {
        self.read_saved(bytes).map(|_| ())
    }

    fn read_saved(&self, bytes: &[u8]) -> Result<Saved, Fault> {
        let Some((format, rest)) = bytes.split_first_chunk::<4>() else {
            return Err(unusable("it is truncated"));
        };
        if u32::from_le_bytes(*format) != FORMAT {
            return Err(unusable("another version of Kausal has written it, or it is none"));
        }
        let Some((digest, content)) = rest.split_at_checked(DIGEST) else {
            return Err(unusable("it is truncated"));
        };
        if token(content).as_bytes() != digest {
            return Err(unusable("it is damaged"));
        }
        let saved: Saved = postcard::from_bytes(content).map_err(|_| unusable("it is damaged"))?;
        if saved.token != self.token {
            return Err(unusable("it is that of another model"));
        }
        if saved.role != self.role {
            return Err(unusable("it is that of an instance of the other kind"));
        }
        Ok(saved)
    }

    /// Goes on from a state; where that fails it stays as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let saved = self.read_saved(bytes)?;
        let Saved { token: _, role, phase, span, overrides, method, step, event_mode, before, warned, run } =
            saved;
        let method = method.parse().map_err(|_| unusable("its method is not known"))?;
        let overrides = Overrides::read(&self.model.program, &overrides)
            .ok_or_else(|| unusable("its parameters do not fit"))?;
        let snapshot = run.map(Snapshot::read).transpose();
        let snapshot = snapshot.map_err(|why| unusable(&why.to_string()))?;
        let (mut solved, mut exchange) = (None, None);
        if let Some(snapshot) = snapshot {
            let (model, interrupt) = (self.model.clone(), &self.interrupt);
            match role {
                Role::CoSimulation => {
                    let run = Solved::restore(&model, &snapshot, interrupt);
                    solved = Some(run.map_err(|why| unusable(&why))?);
                }
                Role::ModelExchange => {
                    let files = RunFiles::default();
                    let run = Exchange::restore(model, &overrides, &snapshot, &files, interrupt);
                    exchange = Some(run.map_err(|why| unusable(&why.to_string()))?);
                }
            }
        }
        self.phase = phase;
        self.span = span;
        self.overrides = overrides;
        (self.method, self.step) = (method, step);
        self.event_mode = event_mode;
        self.before = before;
        self.warned = warned;
        (self.solved, self.exchange) = (solved, exchange);
        self.texts.clear();
        Ok(())
    }
}
