//! One run's memory as bytes.
//!
//! What follows from the model alone (plans, patterns, code) is not written: the memory that takes the place is one of the same
//! model.

use std::sync::Arc;

use kausal_external::Kept;
use kausal_solver::persist::{Reader, Unfit, Writer};
use kausal_symbolic::VarId;

use super::{GuardSpace, Machine};
use crate::function::Space;

impl Machine {
    /// Writes all that a run has computed and learned.
    pub(crate) fn save(&self, kept: &Kept, writer: &mut Writer) {
        let Machine {
            model: _,
            values,
            pre,
            time,
            clocks,
            reinits,
            promised,
            warnings,
            bounds,
            undetermined,
            digits,
            newton_iterations,
            newton_failures,
            starting,
            pivot_fallbacks,
            stiffer_since,
            exact,
            careful,
            disturbed,
            written,
            trusts,
            // While initial values are sought only.
            is_simplified: _,
            homotopy_steps: _,
            one_step: _,
            events,
            pivoting,
            before_rounds,
            in_rounds,
            open_systems,
            fruitless,
            crossed,
            folded,
            // Within an event only.
            located: _,
            due,
            foreseen,
            magnitudes,
            noises,
            scratch: _,
            kernels,
            newtons,
            inner_slopes,
            chords,
            demand,
            guards,
            externals: _,
            calls,
            call_buffer: _,
            alarms,
            supposed,
            left_domain,
            violated,
            applied,
            feed,
        } = self;
        writer.put(&(values, pre, time, clocks, reinits, promised, warnings, bounds, undetermined, digits));
        writer.put(&(newton_iterations, newton_failures, starting, pivot_fallbacks, stiffer_since));
        writer.put(&(exact, careful, disturbed, written, trusts, events, pivoting, before_rounds));
        let in_rounds: Option<Vec<VarId>> = in_rounds.as_ref().map(|list| list.to_vec());
        writer.put(&(in_rounds, open_systems, fruitless, crossed, folded, due, foreseen, magnitudes, noises));
        writer.put(&(kernels, newtons, inner_slopes, chords, demand));
        let guards: Vec<_> = guards.iter().map(GuardSpace::learned).collect();
        writer.put(&guards);
        writer.put(kept);
        calls.save(writer);
        writer.put(&(alarms, supposed, left_domain, violated));
        writer.put(&applied.as_ref().map(|applied| applied.sizes()));
        writer.put(&feed.as_ref().map(|feed| feed.saved()));
    }

    /// Takes the place of another run of the same model with the same parameters.
    pub(crate) fn restore(&mut self, reader: &mut Reader) -> Result<(), Unfit> {
        let Machine {
            model,
            values,
            pre,
            time,
            clocks,
            reinits,
            promised,
            warnings,
            bounds,
            undetermined,
            digits,
            newton_iterations,
            newton_failures,
            starting,
            pivot_fallbacks,
            stiffer_since,
            exact,
            careful,
            disturbed,
            written,
            trusts,
            is_simplified: _,
            homotopy_steps: _,
            one_step: _,
            events,
            pivoting,
            before_rounds,
            in_rounds,
            open_systems,
            fruitless,
            crossed,
            folded,
            located,
            due,
            foreseen,
            magnitudes,
            noises,
            scratch: _,
            kernels,
            newtons,
            inner_slopes,
            chords,
            demand,
            guards,
            externals,
            calls,
            call_buffer: _,
            alarms,
            supposed,
            left_domain,
            violated,
            applied,
            feed,
        } = self;
        // Code reads and writes these without asking how long they are.
        let (least, lists) = (values.len(), [due.len(), foreseen.len(), magnitudes.len(), noises.len()]);
        let (shapes, alarm_count) = (shapes(kernels), alarms.len());
        let (newton_shape, chord_shape) = (present(newtons), present(chords));
        let pre_length = pre.len();
        (*values, *pre, *time, *clocks, *reinits, *promised, *warnings, *bounds, *undetermined, *digits) =
            reader.take()?;
        reader.check(values.len() >= least && pre.len() == pre_length, "values")?;
        reader.check(digits.len() == model.kernels.len(), "systems")?;
        (*newton_iterations, *newton_failures, *starting, *pivot_fallbacks, *stiffer_since) =
            reader.take()?;
        (*exact, *careful, *disturbed, *written, *trusts, *events, *pivoting, *before_rounds) =
            reader.take()?;
        let rounds: Option<Vec<VarId>>;
        (rounds, *open_systems, *fruitless, *crossed, *folded, *due, *foreseen, *magnitudes, *noises) =
            reader.take()?;
        *in_rounds = rounds.map(Arc::from);
        located.clear();
        let same = lists == [due.len(), foreseen.len(), magnitudes.len(), noises.len()];
        reader.check(same && before_rounds.len() >= least, "relations")?;
        (*kernels, *newtons, *inner_slopes, *chords, *demand) = reader.take()?;
        let same = shapes == self::shapes(kernels)
            && (newton_shape, chord_shape) == (present(newtons), present(chords))
            && inner_slopes.len() == model.newtons.len();
        reader.check(same, "systems")?;
        let learned: Vec<Learned> = reader.take()?;
        reader.check(learned.len() == guards.len(), "guards")?;
        for (guard, learned) in guards.iter_mut().zip(learned) {
            guard.learn(learned, reader)?;
        }
        externals.resume(reader.take()?);
        calls.restore(reader)?;
        (*alarms, *supposed, *left_domain, *violated) = reader.take()?;
        reader.check(alarms.len() == alarm_count, "assertions")?;
        let sizes: Option<Vec<(VarId, f64)>> = reader.take()?;
        if let (Some(applied), Some(sizes)) = (applied, sizes) {
            applied.set_sizes(sizes);
        }
        let lines = reader.take()?;
        crate::inputs::restore(feed, lines)
    }
}

/// What a guard has learned.
type Learned = (u32, bool, bool, Vec<f64>, Vec<f64>);

impl GuardSpace {
    fn learned(&self) -> Learned {
        let GuardSpace { plan: _, unchecked, gave_up, fell_back, guess, largest } = self;
        (*unchecked, *gave_up, *fell_back, guess.clone(), largest.clone())
    }

    fn learn(&mut self, learned: Learned, reader: &Reader) -> Result<(), Unfit> {
        let GuardSpace { plan: _, unchecked, gave_up, fell_back, guess, largest } = self;
        let count = largest.len();
        (*unchecked, *gave_up, *fell_back, *guess, *largest) = learned;
        reader.check(largest.len() == count, "guards")
    }
}

impl Space {
    fn save(&self, writer: &mut Writer) {
        writer.put(&self.texts());
        writer.put(&self.warnings);
    }

    fn restore(&mut self, reader: &mut Reader) -> Result<(), Unfit> {
        let texts: Vec<String> = reader.take()?;
        self.set_texts(texts);
        self.warnings = reader.take()?;
        Ok(())
    }
}

fn shapes(kernels: &[super::KernelSpace]) -> Vec<(usize, usize)> {
    kernels.iter().map(|kernel| (kernel.matrix.len(), kernel.rhs.len())).collect()
}

fn present<T>(list: &[Option<T>]) -> Vec<bool> {
    list.iter().map(Option::is_some).collect()
}
