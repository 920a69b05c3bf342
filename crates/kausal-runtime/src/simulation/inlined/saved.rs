//! What a stepper has learned, as bytes.

use kausal_solver::persist::{Reader, Unfit, Writer};

use super::{Inlined, Section, Stepper};

impl Stepper {
    /// Writes all but the model.
    pub(in crate::simulation) fn save(&self, writer: &mut Writer) {
        match self {
            Stepper::Classical(step) => step.save(writer),
            Stepper::Inlined(inlined) => inlined.save(writer),
        }
    }

    /// Takes the place of the stepper of another run.
    pub(in crate::simulation) fn restore(&mut self, reader: &mut Reader) -> Result<(), Unfit> {
        match self {
            Stepper::Classical(step) => step.restore(reader),
            Stepper::Inlined(inlined) => inlined.restore(reader),
        }
    }
}

impl Inlined {
    fn save(&self, writer: &mut Writer) {
        let Inlined {
            side: _,
            step,
            stages,
            complete,
            stiffness,
            others,
            buffer,
            point,
            is_fixed,
            last,
            stays,
            guess,
            derivatives,
            steps,
            tolerance,
            most_iterations,
        } = self;
        let prepared = |section: &Option<Section>| section.as_ref().map(Section::prepared);
        writer.put(&(step.prepared(), prepared(stages), prepared(complete)));
        writer.put(&(stiffness, others, buffer, point, is_fixed, last, stays, guess));
        writer.put(&(derivatives, steps, tolerance, most_iterations));
    }

    fn restore(&mut self, reader: &mut Reader) -> Result<(), Unfit> {
        let Inlined {
            side: _,
            step,
            stages,
            complete,
            stiffness,
            others,
            buffer,
            point,
            is_fixed,
            last,
            stays,
            guess,
            derivatives,
            steps,
            tolerance,
            most_iterations,
        } = self;
        let lengths = (others.len(), buffer.len(), guess.len());
        let prepared: (f64, Option<f64>, Option<f64>) = reader.take()?;
        step.prepared = prepared.0;
        for (section, prepared) in [(stages, prepared.1), (complete, prepared.2)] {
            reader.check(section.is_some() == prepared.is_some(), "sections")?;
            if let (Some(section), Some(prepared)) = (section, prepared) {
                section.prepared = prepared;
            }
        }
        (*stiffness, *others, *buffer, *point, *is_fixed, *last, *stays, *guess) = reader.take()?;
        (*derivatives, *steps, *tolerance, *most_iterations) = reader.take()?;
        reader.check(lengths == (others.len(), buffer.len(), guess.len()), "iteration variables")
    }
}

impl Section {
    /// All else is the program's.
    fn prepared(&self) -> f64 {
        let Section { is_filter: _, h: _, old: _, prepared, stages: _, substituted: _ } = self;
        *prepared
    }
}
