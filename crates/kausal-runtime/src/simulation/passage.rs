//! A step is made, and then gone through: from event to event, up to its end or up to where values are wanted.
//!
//! What a step brings is looked for in all of it, once. It is shown in parts: up to the first event, or up to an instant at which the
//! run is asked to stop for a while. A run that goes on from there goes on inside the step that was made, so that asking
//! changes nothing; where something was set in between, the rest of the step is given up and integration begins anew.
//! Steps of one size end where values are wanted, for inside they are less exact than at their ends.

use super::delay::Histories;
use super::step_retry::{Barrier, Verdict};
use super::transport::Transports;
use super::{Again, Observer, Run, RunError};
use crate::machine::Stop;
use crate::tolerances::is_same_instant;
use serde::{Deserialize, Serialize};

/// A step that was made and is being gone through.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Passage {
    /// Where what was not yet looked at begins: the step, or an event in it that the integrator has not noticed.
    before: f64,
    /// Up to here it has been shown.
    pub(super) shown: f64,
    /// Where the step ends.
    end: f64,
    /// The next event that is known in advance.
    due: f64,
    /// What comes next in it, once that was looked for.
    next: Option<Part>,
    /// The past is kept up to the end of that.
    kept: bool,
    /// What the past was before, where the rest of the step may have to be given up.
    past: Option<(Histories, Transports)>,
}

impl Passage {
    fn new(before: f64, end: f64, due: f64) -> Passage {
        Passage { before, shown: before, end, due, next: None, kept: false, past: None }
    }
}

/// A part of a step, without events inside.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Part {
    end: f64,
    /// A relation changes at its end.
    crossed: bool,
    /// There is an event at its end.
    event: bool,
}

/// What is at the end of a part of a step that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartEnd {
    /// An event.
    Event,
    /// The end of the step.
    Step,
    /// Neither: the step goes on.
    Pause,
}

impl Run {
    /// One step of the integrator, or the rest of one, and the events in it up to the first one that ends the step, or up to
    /// an instant behind which nothing is asked for yet.
    pub(super) fn advance(
        &mut self,
        target: f64,
        asked: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        if self.settings.events_at_steps {
            return self.advance_to_step_end(target, asked, observer);
        }
        let passage = match self.passage.take() {
            Some(passage) => Some(passage),
            None => self.make_step(target, asked, observer)?,
        };
        let Some(mut passage) = passage else { return Ok(()) };
        loop {
            let Some(part) = self.next_part(&passage)? else { return Ok(()) };
            passage.next = Some(part);
            let Part { end, crossed, event } = part;
            let pauses = target < end && !is_same_instant(target, end);
            let (until, ends) = match (pauses, event) {
                (true, _) => (target, PartEnd::Pause),
                (false, true) => (end, PartEnd::Event),
                (false, false) => (end, PartEnd::Step),
            };
            if !passage.kept {
                let side = self.side()?;
                if pauses && side.remembers() {
                    passage.past = Some((side.past.clone(), side.pipes.clone()));
                }
                self.keep_past(passage.before, end)?;
                passage.kept = true;
            }
            if !self.outputs((passage.before, end), (passage.shown, until), ends, observer)? {
                return Ok(());
            }
            let wanted = !pauses && self.complete_guests(end)?;
            let event = event || wanted;
            if pauses {
                passage.shown = until;
                self.reached = until;
                self.passage = Some(passage);
                return Ok(());
            }
            if !event {
                self.again.pass(end);
                return self.reselect(end);
            }
            let noticed = self.pass_event(end, crossed, None, observer)?;
            if noticed || end >= passage.end || self.stats.terminated.is_some() {
                return Ok(());
            }
            let Passage { end: step_end, due, .. } = passage;
            passage = Passage::new(end, step_end, due);
            if self.pauses_at_events {
                self.reached = end;
                self.passage = Some(passage);
                return Ok(());
            }
        }
    }

    /// Components from outside are told that the solver goes on from here. Does one of them want an event?
    fn complete_guests(&mut self, end: f64) -> Result<bool, RunError> {
        if !self.externals.as_ref().is_some_and(|externals| externals.has_guests()) {
            return Ok(false);
        }
        self.at(end, false)?;
        let wanted = self.externals.as_ref().map_or(Ok(false), |externals| externals.complete_step());
        wanted.map_err(|why| RunError::Event(end, Stop::Function(None, why)))
    }

    /// A step of the integrator; none where it could not be made, and something else was done about it.
    fn make_step(
        &mut self,
        target: f64,
        asked: bool,
        observer: &mut dyn Observer,
    ) -> Result<Option<Passage>, RunError> {
        let before = self.time();
        let due = self.next_time_event()?;
        let mut end = before;
        // What is due at once needs no step.
        if due > before {
            let mut limit = due.min(self.settings.stop);
            if asked && self.settings.method.is_fixed_step() {
                limit = limit.min(target);
            }
            let limit = if self.barrier.at > before { limit.min(self.barrier.at) } else { limit };
            let limit = if self.shorter > before { limit.min(self.shorter) } else { limit };
            let limit = self.again.limit(before, limit).min(self.end_of_calm(before)?);
            self.limit_step()?;
            let asked = self.asked_from(asked.then_some(target))?;
            self.solver()?.set_asked_from(asked);
            self.side()?.keep_guesses(before);
            self.defects.begin();
            self.keep_bands();
            self.derivatives_follow(before)?;
            self.fresh_step = self.fresh;
            end = match self.solver()?.step(limit) {
                Ok(report) => report.t,
                Err(error) => return self.pass_obstacle(&error, observer).map(|()| None),
            };
            let rejected = self.solver()?.statistics().rejected;
            self.defects.made(rejected);
            end = self.end_of_selection(before, end)?;
        }
        Ok(Some(Passage::new(before, end, due)))
    }

    /// The next part of a step up to an event in it; none where the step is to be made again.
    fn next_part(&mut self, passage: &Passage) -> Result<Option<Part>, RunError> {
        if let Some(part) = passage.next {
            return Ok(Some(part));
        }
        let &Passage { before, end: step_end, due, .. } = passage;
        self.follow(step_end)?;
        let mut crossing = if step_end > before { self.first_crossing(before, step_end)? } else { None };
        if self.goes_wrong_way(before, crossing, step_end)? {
            return Ok(None);
        }
        if let Some(t) = crossing {
            match self.judge_event(before, t, step_end)? {
                Verdict::Again => return Ok(None),
                Verdict::Nothing => crossing = None,
                Verdict::Event => {}
            }
        }
        let end = match crossing {
            // A crossing that cannot be told from what is due anyway happens with it.
            Some(t) if is_same_instant(t, due) => due.min(step_end),
            Some(t) => t,
            None => step_end,
        };
        let event = crossing.is_some() || end >= due;
        let good = self.is_good_inside(before, end)?;
        Ok(good.then_some(Part { end, crossed: crossing.is_some(), event }))
    }

    /// Gives up what a step that was made has beyond the instant up to which it was shown: integration begins anew there.
    pub(super) fn give_up_rest(&mut self) -> Result<(), RunError> {
        let Some(passage) = self.passage.take() else { return Ok(()) };
        let mut state = std::mem::take(&mut self.state);
        let solver = self.solver()?;
        solver.interpolate(passage.shown, &mut state);
        self.state = state.clone();
        if let Some((past, pipes)) = passage.past {
            let side = self.side()?;
            (side.past, side.pipes) = (past, pipes);
            self.keep_past(passage.before, passage.shown)?;
        }
        self.solver()?.restart(passage.shown, &state);
        self.fresh = true;
        self.barrier = Barrier::NONE;
        self.again = Again::NOT;
        self.shorter = f64::NEG_INFINITY;
        Ok(())
    }
}
