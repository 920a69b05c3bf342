//! The figures of the papers and how ours are measured: what `docs/papers.md` is made of.
//!
//! Operations are counted by [`kausal::count::papers_count`], which `kausal translate` prints as well.

use std::path::{Path, PathBuf};

use kausal::count::papers_count;
use kausal::{Options, Program, Relaxing, Session, Tearing, summary};
use kausal_symbolic::count::Operations;

/// What a figure must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Nothing is asked.
    None,
    /// At most so many MULT and ADD, each.
    Each(u64, u64),
    /// At most so many operations in all.
    Sum(u64),
    /// No system leaves more unknowns to a solver: nonlinear, linear.
    Left(usize, usize),
    /// So many tearing variables, and a symmetric matrix.
    Symmetric(usize),
}

/// A figure of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its number in the list of what must work.
    pub id: &'static str,
    /// What system.
    pub system: &'static str,
    /// What the paper says.
    pub paper: &'static str,
    /// Where.
    pub place: &'static str,
    /// The model, in `examples/papers`.
    pub file: &'static str,
    /// With the paper's notation.
    pub declared: (Tearing, Relaxing),
    /// What ours must reach with the notation, and without.
    pub goals: (Goal, Goal),
}

const TORN: (Tearing, Relaxing) = (Tearing::Declared, Relaxing::Off);
const RELAXED: (Tearing, Relaxing) = (Tearing::Off, Relaxing::Declared);
const BOTH: (Tearing, Relaxing) = (Tearing::Declared, Relaxing::Declared);
const UNTORN: (Tearing, Relaxing) = (Tearing::Off, Relaxing::Auto);

const TEARING: &str = "tearing, “Electrical circuits”";
const BONDS: &str = "bond graphs, table 1";

/// One figure as a row of a table.
macro_rules! figure {
    ($id:literal, $system:literal, $paper:literal, $place:expr, $file:literal, $how:expr, $declared:expr, $automatic:expr) => {
        Figure {
            id: $id,
            system: $system,
            paper: $paper,
            place: $place,
            file: $file,
            declared: $how,
            goals: ($declared, $automatic),
        }
    };
}

/// All figures of one model each.
#[rustfmt::skip]
pub const FIGURES: &[Figure] = {
    use Goal::*;
    &[
        figure!("T6", "ladder, not torn", "126 MULT + 93 ADD", TEARING, "Ladder.dym", UNTORN, Each(126, 93), Each(13, 11)),
        figure!("T6", "ladder, MeshCut", "28 MULT + 25 ADD; 15 → 3", TEARING, "LadderMeshCut.dym", TORN, Each(28, 25), Each(13, 11)),
        figure!("T6", "ladder, NodeCut", "38 MULT + 25 ADD; 15 → 3", TEARING, "LadderNodeCut.dym", TORN, Each(38, 25), Each(13, 11)),
        figure!("T6", "ladder, TearCut", "27 MULT + 25 ADD; 15 → 1", TEARING, "LadderTearCut.dym", TORN, Each(27, 25), Each(13, 11)),
        figure!("T8", "six-axis robot", "about 600 → 6", "tearing, “Tree-structured mechanical systems”", "Robot.dym", TORN, Symmetric(6), Symmetric(6)),
        figure!("T9", "four-bar", "123 → 3 nonlinear, 93 → 3, 182 → 7", "tearing, “Mechanical systems with kinematic loops”", "FourBar.dym", TORN, Left(3, 7), Left(3, 7)),
        figure!("R3", "drive train", "7 MULT + 3 ADD in 8 assignments, and 1 MULT for the gear's velocity; 4 → 0", "relaxing, (12)", "DriveTrain.dym", RELAXED, Each(8, 3), Each(8, 3)),
        figure!("R3", "drive train, gear turned round", "fails", "relaxing, section 10", "DriveTrainTurned.dym", RELAXED, Each(8, 3), Each(8, 3)),
        figure!("R3", "drive train, turned round and torn", "as many as relaxed", "relaxing, section 10", "DriveTrainTorn.dym", TORN, Each(8, 3), Each(8, 3)),
        figure!("R4", "circuit of figure 2", "5 → 2 at the node v4", "relaxing, section 6", "NodalAnalysis.dym", RELAXED, Left(0, 4), Left(0, 4)),
        figure!("R7", "friction in a joint", "works unchanged", "relaxing, section 10", "JointFriction.dym", BOTH, Left(0, 0), Left(0, 0)),
        figure!("B2", "two parallel C", "20, torn 12; 4 equations", BONDS, "BondTwoCapacitors.dym", TORN, Sum(12), Sum(12)),
        figure!("B2", "ring structure", "99, torn 29; 6 + 6 equations", BONDS, "BondRing.dym", TORN, Sum(29), Sum(29)),
        figure!("B2", "C network", "166, torn 32; 9 equations", BONDS, "BondNetwork.dym", TORN, Sum(32), Sum(32)),
        figure!("B2", "mechanical lever", "233, torn 58; 12 equations", BONDS, "BondLever.dym", TORN, Sum(58), Sum(58)),
        figure!("B2", "planar pendulum", "1636, torn 109; 21 equations", BONDS, "BondPendulum.dym", TORN, Sum(109), Sum(109)),
        figure!("B2", "planar double pendulum", "—, torn 604; 53 equations", BONDS, "BondDoublePendulum.dym", TORN, Sum(604), Sum(604)),
        figure!("B2", "slider crank", "—, torn 2253; 9 + 61 equations", BONDS, "BondSliderCrank.dym", TORN, Sum(2253), Sum(2253)),
    ]
};

/// A system that grows with a parameter of `examples/papers/{name}.mo`, or of a model of the built-in library.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The model, and its file if there is no dot in the name.
    pub name: &'static str,
    /// What system.
    pub system: &'static str,
    /// What it grows with.
    pub parameter: &'static str,
}

/// For R6: operations grow linearly, at most 700 for each added joint.
pub const FAMILIES: &[Family] = &[
    Family { name: "Chain", system: "chain of f revolute joints", parameter: "f" },
    Family { name: "Spine", system: "spine with branches, f revolute joints", parameter: "f" },
    Family { name: "Tree", system: "tree of f revolute joints, two at every body", parameter: "f" },
    Family { name: "Star", system: "three chains from one body, f revolute joints", parameter: "f" },
    Family {
        name: "Kausal.Examples.Chain",
        system: "chain of f revolute joints, vectors in the frames of the bodies",
        parameter: "f",
    },
    Family {
        name: "TwistedChain",
        system: "chain of f revolute joints along the third axes of twisted frames",
        parameter: "f",
    },
];

/// R5: a system for the relaxing iteration.
pub const GRID: Family = Family { name: "Grid", system: "grid of n times n nodes", parameter: "n" };

/// Operations for each added joint.
pub const PER_JOINT: f64 = 700.0;

/// One system of simultaneous equations that is solved while a model runs, or once before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Newton is needed.
    pub nonlinear: bool,
    /// Equations.
    pub size: usize,
    /// Tearing variables.
    pub torn: usize,
    /// Unknowns left to a solver.
    pub left: usize,
    /// The matrix that is left is symmetric.
    pub symmetric: bool,
    /// A sparse solver has all of it.
    pub sparse: bool,
}

/// What a translation gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// `*` and `/`
    pub mul: u64,
    /// `+` and `-`
    pub add: u64,
    /// Its systems.
    pub blocks: Vec<Block>,
}

impl Measured {
    /// Operations in all.
    pub fn sum(&self) -> u64 {
        self.mul + self.add
    }

    /// Unknowns left to solvers in all.
    pub fn left(&self) -> usize {
        self.blocks.iter().map(|b| b.left).sum()
    }

    /// Is a goal reached?
    pub fn reaches(&self, goal: Goal) -> bool {
        let largest = |nonlinear: bool| {
            let blocks = self.blocks.iter().filter(|b| b.nonlinear == nonlinear);
            blocks.map(|b| b.left).max().unwrap_or(0)
        };
        match goal {
            Goal::None => true,
            Goal::Each(mul, add) => self.left() == 0 && self.mul <= mul && self.add <= add,
            Goal::Sum(sum) => self.sum() <= sum && self.blocks.iter().all(|b| !b.sparse),
            Goal::Left(nonlinear, linear) => largest(true) <= nonlinear && largest(false) <= linear,
            Goal::Symmetric(n) => self.blocks.iter().any(|b| b.torn == n && b.symmetric),
        }
    }

    /// Are there at most as many operations in all as a goal gives for both kinds?
    pub fn reaches_in_sum(&self, goal: Goal) -> bool {
        matches!(goal, Goal::Each(mul, add) if self.left() == 0 && self.sum() <= mul + add)
    }

    /// For the table; a test reads it again.
    pub fn text(&self) -> String {
        let mut out = format!("{} MULT + {} ADD", self.mul, self.add);
        for (i, b) in self.blocks.iter().enumerate() {
            out.push_str(if i == 0 { "; " } else { ", " });
            out.push_str(&format!("{} → {}", b.size, b.left));
            let notes: Vec<String> = [
                (b.torn > 0 && b.torn != b.left).then(|| format!("{} torn", b.torn)),
                b.nonlinear.then(|| "nonlinear".to_owned()),
                b.symmetric.then(|| "symmetric".to_owned()),
                b.sparse.then(|| "sparse, not fully counted".to_owned()),
            ]
            .into_iter()
            .flatten()
            .collect();
            if !notes.is_empty() {
                out.push_str(&format!(" ({})", notes.join(", ")));
            }
        }
        out
    }
}

/// `examples/papers`.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers")
}

/// Translates the last model of a file, if one is given, and of a text behind it; hints are ignored if so asked.
pub fn translate(
    file: &str,
    more: &str,
    how: (Tearing, Relaxing),
    hints: bool,
) -> Result<(Session, Program), String> {
    let mut session = Session::new();
    let mut names = Vec::new();
    if !file.is_empty() {
        names = session.add_file(&folder().join(file)).unwrap_or_default();
    }
    if !more.is_empty() {
        names.extend(session.add_text("More.mo", more));
    }
    let said = |session: &mut Session| {
        let all = session.take_diagnostics();
        all.iter().filter(|d| d.is_error()).map(|d| d.message.clone()).collect::<Vec<_>>().join("; ")
    };
    let Some(name) = names.last() else { return Err(said(&mut session)) };
    let Some(mut flat) = session.flatten(name) else { return Err(said(&mut session)) };
    if !hints {
        flat.hints.clear();
    }
    let options = Options { tearing: how.0, relaxing: how.1, ..Options::default() };
    match session.translate(&flat, &options) {
        Some(program) => Ok((session, program)),
        None => Err(said(&mut session)),
    }
}

/// A figure with the paper's notation.
pub fn declared(figure: &Figure) -> Result<Measured, String> {
    translate(figure.file, "", figure.declared, true).map(|(_, program)| measure(&program))
}

/// A figure without any hint.
pub fn automatic(figure: &Figure) -> Result<Measured, String> {
    translate(figure.file, "", (Tearing::Auto, Relaxing::Auto), false).map(|(_, program)| measure(&program))
}

/// A member of a family. Of a mechanism what derivatives need is counted; forces and positions, which only results need,
/// are computed where results are wanted.
pub fn member(family: &Family, value: usize, hints: bool) -> Result<Measured, String> {
    let how = if hints { BOTH } else { (Tearing::Auto, Relaxing::Auto) };
    let more = format!("model Member extends {}({} = {value}); end Member;", family.name, family.parameter);
    let file = if family.name.contains('.') { String::new() } else { format!("{}.mo", family.name) };
    translate(&file, &more, how, hints).map(|(_, program)| {
        let counted = papers_count(&program);
        let whole = program.states.is_empty();
        measured(&program, if whole { counted.total } else { counted.derivatives })
    })
}

/// Counts and lists.
pub fn measure(program: &Program) -> Measured {
    measured(program, papers_count(program).total)
}

fn measured(program: &Program, counted: Operations) -> Measured {
    let summary = summary::of(program, Default::default());
    let blocks = summary.systems.iter().filter(|s| s.section != "initial").map(|s| Block {
        nonlinear: s.kind == "nonlinear",
        size: s.size,
        torn: s.tearing_variables.len(),
        left: s.torn,
        symmetric: s.symmetric,
        sparse: s.method == "sparse",
    });
    Measured { mul: counted.mul, add: counted.add, blocks: blocks.collect() }
}
