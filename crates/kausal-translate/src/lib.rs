//! # kausal-translate: from a flat model to a program
//!
//! A [`FlatModel`] comes in, a [`Program`] goes out: what is computed, in order, with nothing left to decide.
//! The stages are folders, and each imports only what stands before it (`tests/rooms.rs`):
//!
//! ```text
//! options     what the user may choose; translator commands as text
//! program     what comes out: its types, how steps read and write, text form, bytes, and what must hold of it
//! equations   what all passes work on: variables, equations, their derivatives, solutions and order
//! prepare     commands carried out, functions inlined, what is no formula lifted, aliases eliminated
//! reduce      Pantelides, dummy derivatives, state selection; models without a unique solution
//! blocks      how a block is solved: linear (priced), nonlinear (torn, nested), by substitution
//! discretize  the integration formula inside the model
//! sections    matching, blocks in order, the initial problem; the program put together
//! clocks      the clocked part: taken out before the first stage, brought back after the last
//! passes      a model after one pass, for file tests
//! ```
//!
//! **This room knows neither machine code nor time.**

mod blocks;
mod clocks;
pub mod discretize;
mod equations;
mod options;
pub mod passes;
mod prepare;
pub mod program;
mod reduce;
mod sections;

use kausal_model::FlatModel;
use kausal_syntax::Diagnostic;

pub use options::commands::{self, Commands};
pub use options::{Inline, Loops, Options, Relaxing, Tearing};
pub use program::{Program, flow, stored, text, verify};

use blocks::{declared, emitter};
use equations::{parameters, work};
use prepare::{alias, inline, lift, wishes};
use reduce::{index, singular};

/// What a translation gives back.
#[derive(Debug)]
pub struct Translation {
    /// The program, unless there were errors.
    pub program: Option<Program>,
    /// What is wrong or worth knowing.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts that have no unique solution, if that is why there is no program.
    pub singular: Vec<program::SingularPart>,
}

/// Translates a flat model.
pub fn translate(model: &FlatModel, options: &Options) -> Translation {
    let mut work = work::Work::new(model);
    work.report.equations = model.equations.len();
    work.continuous_silent = options.continuous_silent;
    parameters::without_value(&mut work);
    parameters::release(&mut work);
    let Ok(clocked) = clocks::split(&mut work, model) else {
        return Translation { program: None, diagnostics: work.diagnostics, singular: Vec::new() };
    };
    let whens = clocked.as_ref().map_or(model, |(_, continuous)| continuous);
    lift::arguments(&mut work);
    let wishes = wishes::apply(&mut work, &options.commands);
    inline::inline(&mut work, false);
    lift::lift(&mut work, whens);
    inline::inline(&mut work, true);
    alias::eliminate(&mut work);
    work.bounds = parameters::bounds(&mut work);
    let mut residues = Vec::new();
    let program = match index::reduce(&mut work) {
        Ok(selection) => {
            residues = declared::residues(&work);
            let tearing = match options.commands.tearing() {
                Some(true) if options.tearing == Tearing::Off => Tearing::Declared,
                Some(false) => Tearing::Off,
                _ => options.tearing,
            };
            let (relaxing, inline, loops) = (options.relaxing, options.inline, options.loops);
            let settings = emitter::Settings { tearing, relaxing, inline, loops };
            let mut emitter = emitter::Emitter::new(&mut work, settings, &wishes);
            emitter.stiff = options.stiff.clone();
            emitter.untorn = options.untorn.iter().cloned().collect();
            let sections = sections::build::build(&mut emitter, &selection);
            let clocks = match clocked {
                Some((clocked, _)) => clocks::sections(&mut work, clocked, settings),
                None => Some(Vec::new()),
            };
            sections.zip(clocks).map(|(sections, clocks)| {
                let program = sections::assemble::assemble(&mut work, model, selection, sections);
                Program { clocks, ..program }
            })
        }
        Err(singular) => {
            singular::report_singular(&mut work, &singular);
            None
        }
    };
    if let Some(program) = &program {
        work.diagnostics.extend(wishes::overruled(&wishes, program));
        if options.tearing == Tearing::Auto {
            let beside = declared::beside_loops(&work, &residues, program);
            work.diagnostics.extend(beside);
        }
    }
    let program = program.filter(|_| !work.diagnostics.iter().any(Diagnostic::is_error));
    if cfg!(debug_assertions)
        && let Some(Err(faults)) = program.as_ref().map(Program::verify)
    {
        debug_assert!(false, "the program of {} is wrong:\n{faults}", model.name);
    }
    Translation { program, diagnostics: work.diagnostics, singular: work.singular }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kausal_model::{NoFiles, Workspace};

    /// A loop of four equations that costs least eliminated, and a variable outside of it.
    #[test]
    fn commands_that_are_not_followed_are_said() {
        let text = "model M Real a, b, c, d, u; equation u = time; \
             a + b = u; b + c = 2*u; c + d = 3; a - 2*d = 1; end M;";
        let mut workspace = Workspace::new(Box::new(NoFiles));
        workspace.add_source("m.mo", text);
        let flat = workspace.flatten("M").0.expect("a correct model");
        let said = |commands: &str, tearing| {
            let commands = Commands::parse(commands).0;
            let options = Options { commands, tearing, ..Options::default() };
            let translation = translate(&flat, &options);
            assert!(translation.program.is_some());
            translation.diagnostics.into_iter().map(|d| (d.code, d.message)).collect::<Vec<_>>()
        };
        let outside = said("variable tear u []", Tearing::Auto);
        assert!(
            outside
                .iter()
                .any(|(code, m)| *code == "K0453" && m.contains("tear at u") && m.contains("no loop"))
        );
        let followed = said("variable tear b []", Tearing::Declared);
        assert!(followed.iter().all(|(code, _)| *code != "K0453"), "{followed:?}");
        let off = said("variable tear b []", Tearing::Off);
        assert!(off.iter().any(|(code, m)| *code == "K0453" && m.contains("tear at b")), "{off:?}");
    }
}
