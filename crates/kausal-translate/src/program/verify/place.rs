//! Where in a program something stands.

use std::fmt;

use crate::program::{Form, Program, Step};

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// The table of variables.
    Variables,
    /// Equations for listing.
    Equations,
    /// What is computed once.
    Parameters,
    /// The initial problem.
    Initial,
    /// Conditions that must hold after it.
    Checks,
    /// From states to derivatives.
    Dynamics,
    /// What results need beyond that.
    Outputs,
    /// All of it at events.
    Discrete,
    /// What an inlined step computes when the step size changes.
    Factors,
    /// The inlined step.
    InlinedStep,
    /// Event indicators after the inlined step.
    Crossings,
    /// What a filter of an inlined step computes when the step size changes.
    FilterFactors,
    /// The filter of an inlined step.
    Filter,
    /// States, state sets.
    States,
    /// Relations, time events, samples, delays, transports, `pre`, flags.
    Events,
    /// Declared bounds.
    Bounds,
    /// Clocks, and what is computed at their ticks.
    Clocks,
    /// Inputs, outputs, and what a run may change.
    Inputs,
    /// Functions.
    Functions,
}

/// A step of the way from a section to a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The step or entry of this number, from 0.
    Number(usize),
    /// The steps of a system.
    Steps,
    /// What a guard checks.
    Check,
    /// What is done where a guard trips.
    Fallback,
    /// The Jacobian.
    Jacobian,
    /// The continuous part of a mixed system.
    Continuous,
    /// The discrete part of a mixed system.
    Discrete,
    /// A branch, from 0.
    Branch(usize),
}

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The section.
    pub section: Section,
    /// The way in it.
    pub path: Vec<Part>,
}

impl Place {
    pub(super) fn of(section: Section) -> Place {
        Place { section, path: Vec::new() }
    }

    /// An entry of a table.
    pub(super) fn at(section: Section, number: usize) -> Place {
        Place { section, path: vec![Part::Number(number)] }
    }
}

/// All sections of steps with their names.
pub(super) fn sections(program: &Program) -> Vec<(Section, &[Step])> {
    let mut out: Vec<(Section, &[Step])> = vec![
        (Section::Parameters, &program.parameters),
        (Section::Initial, &program.initial),
        (Section::Dynamics, &program.dynamics),
        (Section::Outputs, &program.outputs),
        (Section::Discrete, &program.discrete),
    ];
    if let Some(d) = &program.discretized {
        out.push((Section::Factors, &d.factors));
        out.push((Section::InlinedStep, &d.steps));
        out.extend(d.crossings.iter().map(|steps| (Section::Crossings, &steps[..])));
        if let Some(filter) = &d.filter {
            out.push((Section::FilterFactors, &filter.factors));
            out.push((Section::Filter, &filter.steps));
        }
    }
    for clock in &program.clocks {
        out.extend(clock.clocks.iter().map(|c| (Section::Clocks, &c.initial[..])));
        out.extend(clock.pieces.iter().map(|piece| (Section::Clocks, &piece.steps[..])));
    }
    out
}

/// Calls `f` with every step of the program and its place, outer steps first.
pub(super) fn each_step<'a>(program: &'a Program, mut f: impl FnMut(&Place, &'a Step)) {
    for (section, steps) in sections(program) {
        walk(&mut Place::of(section), steps, &mut f);
    }
}

fn walk<'a>(place: &mut Place, steps: &'a [Step], f: &mut impl FnMut(&Place, &'a Step)) {
    for (i, step) in steps.iter().enumerate() {
        place.path.push(Part::Number(i));
        f(place, step);
        for (part, inner) in inner(step) {
            place.path.push(part);
            walk(place, inner, f);
            place.path.pop();
        }
        place.path.pop();
    }
}

/// The steps inside a step, with what they are for.
fn inner(step: &Step) -> Vec<(Part, &[Step])> {
    match step {
        Step::System(system) => match &system.form {
            Form::Linear { steps, guard, .. } => {
                let mut out: Vec<(Part, &[Step])> = vec![(Part::Steps, steps)];
                if let Some(guard) = guard {
                    out.push((Part::Check, &guard.check));
                    out.push((Part::Fallback, &guard.fallback));
                }
                out
            }
            Form::Nonlinear(nonlinear) => {
                let mut out: Vec<(Part, &[Step])> = vec![(Part::Steps, &nonlinear.steps)];
                out.extend(nonlinear.jacobian.iter().map(|j| (Part::Jacobian, &j.steps[..])));
                out
            }
            Form::Mixed { continuous, discrete, .. } => {
                vec![(Part::Continuous, continuous), (Part::Discrete, discrete)]
            }
        },
        Step::If(_, then, otherwise) => vec![(Part::Branch(0), then), (Part::Branch(1), otherwise)],
        Step::When(when) => {
            when.branches.iter().enumerate().map(|(i, b)| (Part::Branch(i), &b.steps[..])).collect()
        }
        Step::Assign(_)
        | Step::Call(_)
        | Step::Solve(_)
        | Step::Reinit(..)
        | Step::Assert(_)
        | Step::Relation(_)
        | Step::Terminate(_) => Vec::new(),
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Section::Variables => "variables",
            Section::Equations => "equations",
            Section::Parameters => "parameters",
            Section::Initial => "initial",
            Section::Checks => "checks",
            Section::Dynamics => "dynamics",
            Section::Outputs => "outputs",
            Section::Discrete => "discrete",
            Section::Factors => "discretized (factors)",
            Section::InlinedStep => "discretized",
            Section::Crossings => "discretized (event indicators)",
            Section::FilterFactors => "filter (factors)",
            Section::Filter => "filter",
            Section::States => "states",
            Section::Events => "events",
            Section::Bounds => "bounds",
            Section::Clocks => "clocks",
            Section::Inputs => "inputs, parameters and start values",
            Section::Functions => "functions",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.section)?;
        for part in &self.path {
            match part {
                Part::Number(i) => write!(f, " {i}")?,
                Part::Steps => write!(f, ", steps")?,
                Part::Check => write!(f, ", check")?,
                Part::Fallback => write!(f, ", fallback")?,
                Part::Jacobian => write!(f, ", Jacobian")?,
                Part::Continuous => write!(f, ", continuous part")?,
                Part::Discrete => write!(f, ", discrete part")?,
                Part::Branch(i) => write!(f, ", branch {i}")?,
            }
        }
        Ok(())
    }
}
