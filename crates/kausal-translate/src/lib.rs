//! # kausal-translate: from a flat model to a program
//!
//! A [`FlatModel`] comes in, a [`Program`] goes out: what is computed, in order, with nothing left to decide.
//! One pass per module, in the order they run:
//!
//! 1. [`inline`]: calls become formulas,
//! 2. [`clocks`]: the clocked part leaves, partition by partition, and comes back as sections of its own at the end,
//! 3. [`lift`]: derivatives, relations, `pre`, `sample`, `delay` leave the formulas and become variables,
//! 4. [`alias`]: trivial equations leave,
//! 5. [`index`], [`states`]: Pantelides, dummy derivatives, states, if need be selected while the model runs,
//! 6. [`sections`] and [`initial`]: matching, block lower triangular form, what is computed when; [`rank`] looks for
//!    equations that say the same,
//! 7. [`emit`], [`linear`], [`nonlinear`], [`calls`]: blocks become assignments and systems; [`declared`] reads the hints,
//!    [`eliminate`] does the elimination, [`growth`] tries it on numbers,
//! 8. [`discretize`]: the integration formula inside the model, if wished; [`seeded`] chooses what it iterates on,
//! 9. [`assemble`]: the program; [`tunable`] says what a run may change of it.
//!
//! **This room knows neither machine code nor time.**

mod alias;
mod assemble;
mod calls;
mod clocks;
pub mod commands;
mod declared;
mod defer;
pub mod discretize;
mod eliminate;
mod emit;
mod factors;
pub mod flow;
mod growth;
mod identity;
mod index;
mod initial;
mod inline;
mod lift;
mod linear;
mod long;
mod nested;
mod nonlinear;
mod orders;
mod pairs;
mod parameters;
pub mod passes;
mod prices;
pub mod program;
mod rank;
mod rewrite;
mod sections;
mod seeded;
mod singular;
mod solve;
mod sort;
mod spread;
mod states;
pub mod stored;
mod sweeps;
pub mod text;
mod traces;
mod tunable;
pub mod verify;
mod work;

use kausal_model::FlatModel;
use kausal_syntax::Diagnostic;
use serde::{Deserialize, Serialize};

pub use commands::Commands;
pub use program::Program;

/// How systems of equations are torn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tearing {
    /// The tearing variables are found, unless what the model declares costs less.
    #[default]
    Auto,
    /// As the model declares with `residue`; found where it declares nothing.
    Declared,
    /// Not at all.
    Off,
}

/// Whether linear systems are eliminated in a static order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relaxing {
    /// The order is found, unless the one the model declares costs less; wherever that is the cheapest way.
    #[default]
    Auto,
    /// Where the model declares it with `relax`, in the order that follows from it.
    Declared,
    /// Not at all.
    Off,
}

/// Whether the formula of an integration method becomes part of the model, and which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inline {
    /// Not at all.
    #[default]
    Off,
    /// Where it pays: see [`Inline::Bdf`].
    Auto,
    /// Explicit Euler.
    Euler,
    /// Implicit Euler.
    ImplicitEuler,
    /// The trapezoidal rule.
    Trapezoidal,
    /// Backward differentiation formulas.
    Bdf,
    /// Radau IIA with three stages.
    Radau,
    /// A Rosenbrock method.
    Rosenbrock,
    /// Implicit for stiff states, explicit for the others.
    Mixed,
}

impl Inline {
    /// All choices and their names on a command line.
    pub const ALL: [(Inline, &'static str); 9] = [
        (Inline::Off, "off"),
        (Inline::Auto, "auto"),
        (Inline::Euler, "euler"),
        (Inline::ImplicitEuler, "implicit-euler"),
        (Inline::Trapezoidal, "trapezoidal"),
        (Inline::Bdf, "bdf"),
        (Inline::Radau, "radau"),
        (Inline::Rosenbrock, "rosenbrock"),
        (Inline::Mixed, "mixed"),
    ];

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        Inline::ALL.iter().find(|(i, _)| *i == self).map_or("off", |(_, name)| name)
    }
}

/// How loops are iterated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loops {
    /// Node tearing: Newton's method where formulas do not suffice.
    #[default]
    Newton,
    /// Branch tearing of the first kind: all values are those of the last sweep.
    Jacobi,
    /// Branch tearing of the second kind, or the order that `relax` gives: the newest values.
    GaussSeidel,
}

/// Options of the translation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Options {
    /// How systems of equations are torn.
    pub tearing: Tearing,
    /// Whether they are eliminated in a static order.
    pub relaxing: Relaxing,
    /// Which integration method becomes part of the model.
    pub inline: Inline,
    /// The stiff states, for [`Inline::Mixed`]: names, or patterns with `*` and `?`. With `None` all are.
    pub stiff: Option<Vec<String>>,
    /// How loops are iterated.
    pub loops: Loops,
    /// Translator commands, as the papers have them.
    pub commands: Commands,
    /// Nonlinear systems with one of these unknowns are not torn: their torn form is known to fail.
    pub untorn: Vec<String>,
}

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
    parameters::without_value(&mut work);
    parameters::release(&mut work);
    let Ok(clocked) = clocks::split(&mut work, model) else {
        return Translation { program: None, diagnostics: work.diagnostics, singular: Vec::new() };
    };
    let whens = clocked.as_ref().map_or(model, |(_, continuous)| continuous);
    lift::arguments(&mut work);
    let wishes = commands::apply(&mut work, &options.commands);
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
            let settings = emit::Settings { tearing, relaxing, inline, loops };
            let mut emitter = emit::Emitter::new(&mut work, settings, &wishes);
            emitter.stiff = options.stiff.clone();
            emitter.untorn = options.untorn.iter().cloned().collect();
            let sections = sections::build(&mut emitter, &selection);
            let clocks = match clocked {
                Some((clocked, _)) => clocks::sections(&mut work, clocked, settings),
                None => Some(Vec::new()),
            };
            sections.zip(clocks).map(|(sections, clocks)| {
                let program = assemble::assemble(&mut work, model, selection, sections);
                Program { clocks, ..program }
            })
        }
        Err(singular) => {
            sections::report_singular(&mut work, &singular);
            None
        }
    };
    if let Some(program) = &program {
        work.diagnostics.extend(commands::overruled(&wishes, program));
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
