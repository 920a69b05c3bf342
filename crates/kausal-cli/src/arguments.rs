//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use kausal::sweep::{Device, Quantity, Sampling, Values};
use kausal::{Inline, JacobianMode, Loops, Method, Relaxing, Tearing};
use kausal_fmi::export::Version;

mod values;

/// What it is: the version, and what the program does.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (compiler and simulator for Modelica)");

/// Models of machines, circuits, robots and plants: components with equations and connections, turned into
/// fast programs.
#[derive(Debug, Parser)]
#[command(name = "kausal", version = VERSION, arg_required_else_help = true, after_help = EXAMPLES, max_term_width = 110)]
pub struct Arguments {
    #[command(flatten)]
    pub manner: Manner,
    #[command(subcommand)]
    pub command: Command,
}

/// How things are said.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Messages")]
pub struct Manner {
    /// Print only warnings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: what was decided, what it took
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Show pages that were written (.html) in the browser
    #[arg(help_heading = "Results", long, global = true)]
    pub open: bool,
    /// Colours in messages; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

/// How much a command may take.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Limits")]
pub struct Bounds {
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = values::positive)]
    pub timeout: Option<f64>,
    /// Give up with more than this many megabytes of memory; 0 for no limit (default: 80 % of the machine's)
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
}

/// When messages have colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

const EXAMPLES: &str = "First steps:
  kausal examples                                        what there is to try
  kausal examples --copy RC                              a model of the tutorial to read and change
  kausal simulate Kausal.Examples.RC --plot capacitor.v  run one and see a curve
  kausal simulate MyModel.mo -o result.csv               run your own, keep the numbers
  kausal simulate MyModel.mo --plot-file result.html     explore them in the browser

When something is wrong:
  kausal check MyModel.mo                                as many equations as unknowns?
  kausal flatten MyModel.mo                              what the components became
  kausal explain MyModel.mo                              loops, states, initial values, and why

A model is a file (its last class, or --model CLASS) or a name in a library: the built-in one, the
folders given with --library, those of MODELICAPATH. `kausal COMMAND --help` says more.";

const SIMULATE: &str = "Examples:
  kausal simulate Kausal.Examples.RC --stop 0.5 --set resistor.R=2000 --plot 'capacitor.*'
  kausal simulate Robot.mo -o robot.parquet -o robot.mat --variables 'axis[*].q' --variables '*.tau'
  kausal simulate Robot.mo --plot-file robot.html --plot 'axis[1].q,axis[2].q'

Ctrl-C ends a run after the current step; what was recorded so far is kept. So it is when the run fails.";

const SWEEP: &str = "Examples:
  kausal sweep Kausal.Examples.RC --vary resistor.R=100:1000:50 --final capacitor.v -o runs.csv
  kausal sweep Motor.mo --vary R=1,2,5 --vary 'J=uniform(0.1,1)' --runs 10000 --seed 7 --max i -o runs.parquet
  kausal sweep Motor.mo --vary 'J=normal(1,0.1)' --design sobol --runs 1024 --when 'w > 10' -o runs.parquet --resume
  kausal sweep Motor.mo --vary 'J=uniform(0.1,1)' --runs 1000000 --final w -o runs.parquet --device auto

Values: FROM:TO:COUNT, FROM:TO:COUNT,log, A,B,C, uniform(A,B), loguniform(A,B), normal(MEAN,DEVIATION). Lists are combined as a
grid, the last one changes fastest. A run that fails is a row with its reason. Ctrl-C keeps what is done; --resume goes on.";

const LINEARIZE: &str = "Examples:
  kausal linearize Motor.mo                              der(x) = A x + B u, y = C x + D u at the start
  kausal linearize Motor.mo --at 2.5 --outputs w,i --json
  kausal linearize Plant.mo --steady                     at a steady state near the start";
const EXPORT: &str = "Examples:
  kausal export Kausal.Examples.RC -o rc.fmu
  kausal export Robot.mo --fmi 2 --kind me -o robot.fmu

An FMU has the translated model as data and a library that comes with this program: no compiler is needed.";

const IMPORT: &str = "Examples:
  kausal import motor.fmu -o Motor.mo           a block Motor with the inputs, outputs and parameters of the FMU
  kausal simulate Drive.mo --allow-external     a model that uses it
  kausal simulate motor.fmu --allow-external    the FMU alone

Nothing of the FMU runs when it is imported. The block names the file of the FMU: keep that where it is.";

const PLOT: &str = "Examples:
  kausal plot result.csv                        a few signals that change, in the terminal
  kausal plot result.mat 'motor.*' --plot-file motor.png
  kausal plot result.parquet --plot-file result.html    all signals, to zoom and search";

const FORMAT: &str = "Examples:
  kausal format MyModel.mo                      in place
  kausal format --check MyLibrary               in a script: is everything in the style?

Only white space changes: a file with syntax errors is left as it is. Files in the classic notation are not formatted.";

const LINT: &str = "Exit code 1 where something was found. `// lint: allow K0601` behind a line, or on the line before it, switches a
lint off there; before the first class, in the whole file.";

const EXPLAIN: &str = "Examples:
  kausal explain Kausal.Examples.Rectifier                in words, in the terminal
  kausal explain MyModel.mo --html report.html            a page: matrices, loops, solved equations
  kausal explain MyModel.mo --matrix matrix.svg           the incidence matrix as a picture
  kausal simulate MyModel.mo --report report.html         the page, with what a run took and its curves

A model that has no solution is explained too: which equations are too many, which unknowns have none, and
what usually causes it.";

const DOC: &str = "Examples:
  kausal doc Kausal.Electrical.Resistor                   in the terminal
  kausal doc Kausal.Electrical --html electrical.html     a page, with the icon

The text of a library is cleaned: pages run nothing and load nothing.";

const DRAW: &str = "Examples:
  kausal draw Kausal.Examples.RC -o rc.svg                the diagram: components and connections
  kausal draw Kausal.Electrical.Resistor --icon -o r.png  the icon
  kausal draw Tank.mo --values tank.csv --at 5 -o t.svg   with the values of a result at an instant
  kausal draw Kausal --all --folder pictures              every class of a library";

const STUDIO: &str = "Examples:
  kausal studio                                           the models of this folder
  kausal studio models --port 8080                        at an address that stays the same

The page is served to this machine only, to whoever has the address that is printed. Files below FOLDER are changed when they are
saved; nothing else is. Ctrl-C ends it.";

const TRY: &str = "Examples:
  kausal examples --copy Resistor                         the first step of the tutorial
  kausal simulate Resistor.mo --plot 'i'
  kausal examples --copy Kausal.Examples.Rectifier        a model of the library, to change it";

const COMPLETIONS: &str = "Examples:
  kausal completions bash > ~/.local/share/bash-completion/completions/kausal
  kausal completions zsh > ~/.zfunc/_kausal
  kausal completions fish > ~/.config/fish/completions/kausal.fish";

const RECOVER: &str = "Examples:
  kausal recover result.mat
  kausal recover result.parquet

Result files are written while a run goes on. Where it was killed, `kausal plot` and `compare` read them up to the last
complete row as they are; other programs can after this. Rows that are not complete are cut off, nothing else changes.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Parse files and folders and say what is wrong with them
    Parse(Parse),
    /// Write files in one style: layout only, comments and meaning stay
    #[command(after_help = FORMAT)]
    Format(Format),
    /// Say what is no error but probably not meant: unused imports and parameters, missing or different
    /// units, shadowed names
    #[command(after_help = LINT)]
    Lint(Lint),
    /// Mend what can be mended without asking: slips such as `:=` for `=`, unused imports
    Fix(Fix),
    /// Serve an editor: diagnostics, completion, navigation over stdin and stdout
    Lsp(Lsp),
    /// Open models in the browser: diagrams, text, runs, curves, animation
    #[command(after_help = STUDIO)]
    Studio(Studio),
    /// Flatten a model and count its equations and unknowns
    Check(Check),
    /// Print the flat model as Modelica text
    Flatten(Flatten),
    /// Sort, reduce and tear a model and say what it became
    Translate(Translate),
    /// Say in words what a translation did: loops, states, initial values, and why
    #[command(after_help = EXPLAIN)]
    Explain(Explain),
    /// Say what is to be known about a class: parameters, connectors, documentation
    #[command(after_help = DOC)]
    Doc(Doc),
    /// Draw the diagram or the icon of a class
    #[command(after_help = DRAW)]
    Draw(Draw),
    /// Run a model
    #[command(after_help = SIMULATE)]
    Simulate(Simulate),
    /// Run a model many times with other values each, on all cores
    #[command(after_help = SWEEP)]
    Sweep(Sweep),
    /// Linearise a model at an instant: matrices and poles
    #[command(after_help = LINEARIZE)]
    Linearize(Linearize),
    /// Write a model as an FMU (FMI 3.0 or 2.0), for other tools
    #[command(after_help = EXPORT)]
    Export(Export),
    /// Write an FMU of another tool as a Modelica block, a component like any other
    #[command(after_help = IMPORT)]
    Import(Import),
    /// Compare a result with a reference: do they agree within a tube?
    Compare(Compare),
    /// Complete a result file that was left behind when the program was killed
    #[command(after_help = RECOVER)]
    Recover(Recover),
    /// Simulate every model that has a reference and compare
    Verify(Verify),
    /// Verify one model: what `verify` runs in a process of its own
    #[command(hide = true)]
    VerifyModel(VerifyModel),
    /// Plot signals of a result
    #[command(after_help = PLOT)]
    Plot(Plot),
    /// List what there is to try, or copy some of it
    #[command(after_help = TRY)]
    Examples(Examples),
    /// Print a shell completion script
    #[command(after_help = COMPLETIONS)]
    Completions(Completions),
    /// Print the manual page, or write those of all commands to a folder
    Man(ManPages),
}

impl Command {
    /// The limits of time, in seconds, and memory, in megabytes. `verify` has limits for each of its models.
    pub fn bounds(&self) -> (Option<f64>, Option<u64>) {
        let bounds = match self {
            Command::Parse(a) => a.bounds,
            Command::Format(a) => a.bounds,
            Command::Lint(a) => a.bounds,
            Command::Fix(a) => a.bounds,
            Command::Check(a) => a.bounds,
            Command::Flatten(a) => a.bounds,
            Command::Translate(a) => a.bounds,
            Command::Doc(a) => a.bounds,
            Command::Draw(a) => a.bounds,
            Command::Explain(a) => a.bounds,
            Command::Simulate(a) => return (a.timeout, a.memory),
            Command::Sweep(a) => a.bounds,
            Command::Linearize(a) => a.bounds,
            Command::Export(a) => a.bounds,
            Command::Import(a) => a.bounds,
            Command::Compare(a) => a.bounds,
            Command::Plot(a) => a.bounds,
            Command::Recover(a) => a.bounds,
            Command::Examples(a) => a.bounds,
            Command::Lsp(_)
            | Command::Studio(_)
            | Command::Verify(_)
            | Command::VerifyModel(_)
            | Command::Completions(_)
            | Command::Man(_) => Bounds { timeout: None, memory: Some(0) },
        };
        (bounds.timeout, bounds.memory)
    }
}

#[derive(Clone, Debug, Args)]
pub struct Parse {
    /// Files and folders; folders are read with everything below them
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Format {
    /// Files and folders; folders are formatted with everything below them; - for stdin to stdout
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write nothing; exit code 1 where a file is not in the style
    #[arg(long)]
    pub check: bool,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Lint {
    /// Files and folders; folders are looked through with everything below them
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Whether units are checked: of equations, values, arguments and connections
    #[arg(long, value_name = "CHECK", default_value = "on", action = clap::ArgAction::Set, value_parser = values::one_of(values::SWITCH))]
    pub units: bool,
    /// A folder with libraries the files use, searched before MODELICAPATH
    #[arg(long = "library", value_name = "DIR")]
    pub libraries: Vec<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Fix {
    /// Files and folders; folders are mended with everything below them
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Lsp {
    /// A folder with libraries, searched after the built-in one and before MODELICAPATH
    #[arg(long = "library", value_name = "DIR")]
    pub libraries: Vec<PathBuf>,
    /// What editors say when they start a server: it always speaks over stdin and stdout
    #[arg(long, hide = true)]
    pub stdio: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Studio {
    /// The folder whose models are opened and can be changed; the current one if none is named
    #[arg(value_name = "FOLDER", help_heading = "Arguments")]
    pub folder: Option<PathBuf>,
    /// A folder with libraries, searched before MODELICAPATH
    #[arg(long = "library", value_name = "DIR")]
    pub libraries: Vec<PathBuf>,
    /// The port of the page on this machine; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Print the address and leave the browser to others
    #[arg(long)]
    pub no_browser: bool,
    /// Serve the page from this folder: for those who work on it
    #[arg(long, value_name = "DIR", hide = true)]
    pub page: Option<PathBuf>,
}

/// A model and where to find what it uses.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Which model")]
pub struct Model {
    /// A file (its last class, or the one named by --model), a path like Kausal.Examples.RC, or an FMU
    #[arg(value_name = "MODEL", help_heading = "Arguments")]
    pub name: String,
    /// The class to take, by its full name
    #[arg(long = "model", value_name = "CLASS")]
    pub inside: Option<String>,
    /// A folder with libraries, searched after the built-in one and before MODELICAPATH
    #[arg(long = "library", value_name = "DIR")]
    pub libraries: Vec<PathBuf>,
    /// Whether units are checked: of equations, values, arguments and connections
    #[arg(long, value_name = "CHECK", default_value = "on", action = clap::ArgAction::Set, value_parser = values::one_of(values::SWITCH))]
    pub units: bool,
    /// Let the model read and list the files below this folder; may be repeated
    #[arg(long, value_name = "DIR", value_parser = values::folder)]
    pub allow_read: Vec<PathBuf>,
    /// Let the model read, write, move and remove the files below this folder; may be repeated
    #[arg(long, value_name = "DIR", value_parser = values::folder)]
    pub allow_write: Vec<PathBuf>,
    /// Trust the model like a program: run its external C code and its FMUs, with your rights; read and write any file
    #[arg(long)]
    pub allow_external: bool,
    /// How an FMU in the place of a model is used, where it offers both (default: me)
    #[arg(long, value_name = "KIND")]
    pub fmu_kind: Option<FmuKind>,
}

#[derive(Clone, Debug, Args)]
pub struct Doc {
    #[command(flatten)]
    pub model: Model,
    /// Write a page with the icon instead of text
    #[arg(long, value_name = "FILE", value_parser = values::document)]
    pub html: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Draw {
    #[command(flatten)]
    pub model: Model,
    /// The icon instead of the diagram
    #[arg(long)]
    pub icon: bool,
    /// Where the picture goes (.svg or .png); without it, SVG to stdout; may be repeated
    #[arg(short, long = "output", value_name = "FILE", value_parser = values::drawing)]
    pub output: Vec<PathBuf>,
    /// A result (.csv, .mat or .parquet) whose values are shown where the drawing depends on variables
    #[arg(long, value_name = "RESULT", requires = "at")]
    pub values: Option<PathBuf>,
    /// The instant of --values
    #[arg(long, value_name = "TIME", requires = "values", allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// Draw icon and diagram of every class of a package, as SVG into --folder if one is given, and say what it took
    #[arg(long, conflicts_with_all = ["icon", "output", "values"])]
    pub all: bool,
    /// Where the pictures of --all go
    #[arg(long, value_name = "DIR", requires = "all")]
    pub folder: Option<PathBuf>,
    /// One JSON object instead of text: what was drawn and what could not be
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub model: Model,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Flatten {
    #[command(flatten)]
    pub model: Model,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

/// How a model is translated.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Translation")]
pub struct Translation {
    /// How systems of equations are torn
    #[arg(long, default_value = "auto", value_parser = values::one_of(values::TEARING))]
    pub tearing: Tearing,
    /// Whether linear systems are eliminated in a static order
    #[arg(long, default_value = "auto", value_parser = values::one_of(values::RELAXING))]
    pub relaxing: Relaxing,
    /// Make the formula of an integration method a part of the model (inline integration)
    #[arg(long, default_value = "off", value_parser = values::inline(), value_name = "METHOD")]
    pub inline: Inline,
    /// Stiff states for --inline mixed (* and ? are wildcards); without it, those that are fast at the start
    #[arg(long, value_name = "X,Y", value_delimiter = ',')]
    pub stiff: Vec<String>,
    /// How loops are iterated
    #[arg(long, default_value = "newton", value_parser = values::one_of(values::LOOPS))]
    pub loops: Loops,
    /// Ignore residue(x) and relax(x), as if the model did not have them
    #[arg(long)]
    pub no_hints: bool,
    /// A file with translator commands (variable tear v [r], variable unknown v, set tear on, …)
    #[arg(long, value_name = "FILE")]
    pub commands: Option<PathBuf>,
    /// Give a parameter (or a start value) another value
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = values::setting)]
    pub settings: Vec<(String, String)>,
}

#[derive(Clone, Debug, Args)]
pub struct Import {
    /// The FMU
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// The file with the block (default: on stdout)
    #[arg(short, long, value_name = "FILE.mo")]
    pub output: Option<PathBuf>,
    /// How it is used, where it offers both (default: me)
    #[arg(long)]
    pub kind: Option<FmuKind>,
    /// Also its local variables, not only states, inputs, outputs and parameters
    #[arg(long)]
    pub locals: bool,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

/// What an FMU is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FmuKind {
    /// Model Exchange: the importing tool integrates
    Me,
    /// Co-Simulation: the FMU integrates
    Cs,
}

#[derive(Clone, Debug, Args)]
pub struct Export {
    #[command(flatten)]
    pub model: Model,
    #[command(flatten)]
    pub translation: Translation,
    /// The FMU (default: the name of the model, in this folder)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The version of the standard
    #[arg(long, default_value = "3", value_parser = values::one_of(values::FMI))]
    pub fmi: Version,
    /// What it is for
    #[arg(long = "kind", value_name = "KINDS", value_delimiter = ',', default_value = "me,cs")]
    pub kinds: Vec<FmuKind>,
    /// The C text of the model in the place of the library: for Co-Simulation, with a step of --inline (default: radau)
    #[arg(long)]
    pub source: bool,
    /// The largest step of the integration with --source (default: the interval of the experiment)
    #[arg(long, value_name = "S", requires = "source", value_parser = values::positive)]
    pub step: Option<f64>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Translate {
    #[command(flatten)]
    pub model: Model,
    #[command(flatten)]
    pub translation: Translation,
    /// Store the translated model in a file (NAME.kausal) that other commands read in place of a model
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print the sorted and solved equations
    #[arg(long)]
    pub listing: bool,
    /// Print the whole program as text that parses back
    #[arg(long)]
    pub program_text: bool,
    /// Write C; with --inline it has a step for real-time use
    #[arg(long, value_name = "FILE")]
    pub c: Option<PathBuf>,
    /// Order of the steps of --inline bdf in C (default: 2)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub order: Option<u8>,
    /// Newton iterations that a system may take in a step in C (default: 30)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub iterations: Option<u32>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    pub model: Model,
    #[command(flatten)]
    pub translation: Translation,
    /// Write a page with the incidence matrix, the loops and the solved equations (.html)
    #[arg(long, value_name = "FILE", value_parser = values::page)]
    pub html: Option<PathBuf>,
    /// Draw the incidence matrix: as written, sorted into blocks, torn (.svg)
    #[arg(long, value_name = "FILE", value_parser = values::picture)]
    pub matrix: Option<PathBuf>,
    /// Equations shown of each loop at most (default: 20; all with --verbose)
    #[arg(long, value_name = "N")]
    pub equations: Option<usize>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Completions {
    /// Which shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Clone, Debug, Args)]
pub struct ManPages {
    /// Where the pages of all commands go
    pub folder: Option<PathBuf>,
    /// Print the reference of all commands as Markdown instead
    #[arg(long, conflicts_with = "folder")]
    pub markdown: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Simulate {
    #[command(flatten)]
    pub model: Model,
    /// Where the run starts (default: the experiment annotation, or 0)
    #[arg(help_heading = "The run", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::instant)]
    pub start: Option<f64>,
    /// Where the run ends (default: the experiment annotation, or 1)
    #[arg(help_heading = "The run", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::instant)]
    pub stop: Option<f64>,
    /// Relative tolerance (default: the experiment annotation, or 1e-6)
    #[arg(help_heading = "The run", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::tolerance)]
    pub tolerance: Option<f64>,
    /// Integration method
    #[arg(help_heading = "The run", long, default_value = "auto", value_parser = values::method())]
    pub method: Method,
    /// Step of methods with steps of one size (euler, rk4, implicit-euler, trapezoidal, bdf, radau)
    #[arg(help_heading = "The run", long, value_name = "H", allow_negative_numbers = true, value_parser = values::positive)]
    pub step: Option<f64>,
    /// Longest step of methods that choose their steps: a pulse shorter than steps is not seen otherwise
    #[arg(help_heading = "The run", long, value_name = "H", allow_negative_numbers = true, value_parser = values::positive)]
    pub max_step: Option<f64>,
    /// Largest order of bdf (default: 5); with --step its only one (default: 2)
    #[arg(help_heading = "The run", long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub order: Option<u8>,
    /// Newton iterations that a system may take in a step of one size of an inlined method (default: 30); those with a matrix
    /// that is kept come before
    #[arg(help_heading = "The run", long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub iterations: Option<u32>,
    /// Signals for inputs of the model, from a .csv, .mat or .parquet file: FILE gives all inputs the columns of their names,
    /// NAME=FILE:COLUMN one input one column; may be repeated
    #[arg(help_heading = "The run", long = "input", value_name = "[NAME=]FILE[:COLUMN]")]
    pub inputs: Vec<String>,
    /// Where events take effect
    #[arg(help_heading = "The run", long, default_value = "located", action = clap::ArgAction::Set, value_parser = values::one_of(values::EVENTS), value_name = "WHERE")]
    pub events: bool,
    /// Where implicit methods take the Jacobian from; an inlined step has matrices of its own
    #[arg(help_heading = "The run", long, default_value = "auto", value_parser = values::one_of(values::JACOBIAN))]
    pub jacobian: JacobianMode,
    /// Give up after this many seconds
    #[arg(help_heading = "The run", long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = values::positive)]
    pub timeout: Option<f64>,
    /// Give up with more than this many megabytes of memory; 0 for no limit (default: 80 % of the machine's)
    #[arg(help_heading = "The run", long, value_name = "MB")]
    pub memory: Option<u64>,
    /// Interpret instead of making machine code
    #[arg(help_heading = "The run", long)]
    pub interpret: bool,
    /// Run a second time beside the first, with another method and a tighter tolerance, and estimate the error of every signal
    #[arg(help_heading = "The run", long)]
    pub audit: bool,
    /// Save the state of the run at its end, or where --save-state-at says, to go on from there another day
    #[arg(help_heading = "The run", long, value_name = "FILE", conflicts_with = "audit")]
    pub save_state: Option<PathBuf>,
    /// When the state is saved
    #[arg(help_heading = "The run", long, value_name = "TIME", requires = "save_state", allow_negative_numbers = true, value_parser = values::instant)]
    pub save_state_at: Option<f64>,
    /// Go on from a state that was saved, with the settings of that run; only --stop may differ
    #[arg(help_heading = "The run", long, value_name = "FILE", conflicts_with_all = ["start", "tolerance", "method", "step", "max_step", "order", "iterations", "inputs", "events", "jacobian", "audit", "output_interval", "number_of_intervals"])]
    pub from_state: Option<PathBuf>,
    /// Write the result (.csv, .mat or .parquet); may be repeated
    #[arg(help_heading = "Results", short, long, value_name = "FILE", value_parser = values::result_file)]
    pub output: Vec<PathBuf>,
    /// Distance of output points; 0: every step (default: the experiment annotation)
    #[arg(help_heading = "Results", long, value_name = "T", conflicts_with = "number_of_intervals", allow_negative_numbers = true, value_parser = values::interval)]
    pub output_interval: Option<f64>,
    /// Number of output intervals (default 500)
    #[arg(help_heading = "Results", long, value_name = "N", value_parser = values::number_of_intervals)]
    pub number_of_intervals: Option<u32>,
    /// Record only variables that match (* and ? are wildcards); may be repeated
    #[arg(help_heading = "Results", long, value_name = "GLOB")]
    pub variables: Vec<String>,
    /// Plot these variables, separated by commas (* and ? are wildcards)
    #[arg(help_heading = "Results", long, value_name = "X,Y", value_delimiter = ',')]
    pub plot: Vec<String>,
    /// Where the plot goes (.svg, .png, or .html to zoom and search); without it, to the terminal; may be repeated
    #[arg(help_heading = "Results", long, value_name = "FILE", value_parser = values::plot_file)]
    pub plot_file: Vec<PathBuf>,
    /// Write the report of `explain --html`, with what the run took and its curves (.html)
    #[arg(help_heading = "Results", long, value_name = "FILE", value_parser = values::page)]
    pub report: Option<PathBuf>,
    /// Show the bodies of the model moving, in space (.html)
    #[arg(help_heading = "Results", long, value_name = "FILE", value_parser = values::document)]
    pub animate: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(help_heading = "Results", long)]
    pub json: bool,
    #[command(flatten)]
    pub translation: Translation,
}

#[derive(Clone, Debug, Args)]
pub struct Sweep {
    #[command(flatten)]
    pub model: Model,
    /// Vary a parameter or a start value; may be repeated
    #[arg(help_heading = "Which runs", long, value_name = "NAME=VALUES", value_parser = values::varied)]
    pub vary: Vec<(String, Values)>,
    /// Vary several together: a .csv file with their names in its first line, and a row for each run
    #[arg(help_heading = "Which runs", long, value_name = "FILE")]
    pub table: Vec<PathBuf>,
    /// How many runs, where values are random
    #[arg(help_heading = "Which runs", long, value_name = "N")]
    pub runs: Option<u64>,
    /// What random values follow from
    #[arg(help_heading = "Which runs", long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How random values are spread
    #[arg(help_heading = "Which runs", long, default_value = "random", value_parser = values::one_of(values::SAMPLING))]
    pub design: Sampling,
    /// Keep the last values of these variables, separated by commas (* and ? are wildcards)
    #[arg(help_heading = "Results", long = "final", value_name = "X,Y", value_delimiter = ',')]
    pub last: Vec<String>,
    /// Keep their smallest values, at output points and events
    #[arg(help_heading = "Results", long, value_name = "X,Y", value_delimiter = ',')]
    pub min: Vec<String>,
    /// Keep their largest values, at output points and events
    #[arg(help_heading = "Results", long, value_name = "X,Y", value_delimiter = ',')]
    pub max: Vec<String>,
    /// Keep their means over time
    #[arg(help_heading = "Results", long, value_name = "X,Y", value_delimiter = ',')]
    pub mean: Vec<String>,
    /// Keep their integrals over time
    #[arg(help_heading = "Results", long, value_name = "X,Y", value_delimiter = ',')]
    pub integral: Vec<String>,
    /// Keep the first instant at which this holds: x > NUMBER, x < NUMBER, or a Boolean; may be repeated
    #[arg(help_heading = "Results", long, value_name = "CONDITION", value_parser = values::condition)]
    pub when: Vec<Quantity>,
    /// Keep the trajectories of these variables in a table of their own (--trajectory-output)
    #[arg(
        help_heading = "Results",
        long,
        value_name = "X,Y",
        value_delimiter = ',',
        requires = "trajectory_output"
    )]
    pub trajectories: Vec<String>,
    /// Where trajectories go (.csv or .parquet): a row for each run and instant
    #[arg(help_heading = "Results", long, value_name = "FILE", value_parser = values::table_file, requires = "trajectories")]
    pub trajectory_output: Option<PathBuf>,
    /// Intervals between the instants of trajectories
    #[arg(help_heading = "Results", long, value_name = "N", default_value_t = 100, value_parser = values::number_of_intervals)]
    pub trajectory_intervals: u32,
    /// Write a row for each run (.csv or .parquet)
    #[arg(help_heading = "Results", short, long, value_name = "FILE", value_parser = values::table_file)]
    pub output: Option<PathBuf>,
    /// Go on where the same sweep was interrupted
    #[arg(help_heading = "Results", long, requires = "output")]
    pub resume: bool,
    /// One JSON object instead of text
    #[arg(help_heading = "Results", long)]
    pub json: bool,
    /// Where runs start (default: the experiment annotation, or 0)
    #[arg(help_heading = "The runs", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::instant)]
    pub start: Option<f64>,
    /// Where runs end (default: the experiment annotation, or 1)
    #[arg(help_heading = "The runs", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::instant)]
    pub stop: Option<f64>,
    /// Relative tolerance (default: the experiment annotation, or 1e-6)
    #[arg(help_heading = "The runs", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::tolerance)]
    pub tolerance: Option<f64>,
    /// Integration method
    #[arg(help_heading = "The runs", long, default_value = "auto", value_parser = values::method())]
    pub method: Method,
    /// Step of methods with steps of one size
    #[arg(help_heading = "The runs", long, value_name = "H", allow_negative_numbers = true, value_parser = values::positive)]
    pub step: Option<f64>,
    /// Number of output intervals, which extremes, means and instants are taken from (default 500)
    #[arg(help_heading = "The runs", long, value_name = "N", value_parser = values::number_of_intervals)]
    pub number_of_intervals: Option<u32>,
    /// Give up a run after this many seconds
    #[arg(help_heading = "The runs", long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = values::positive)]
    pub run_timeout: Option<f64>,
    /// How many runs at a time (default: one for each core)
    #[arg(help_heading = "The runs", long, value_name = "N", value_parser = values::at_least_one)]
    pub jobs: Option<usize>,
    /// What makes the runs
    #[arg(help_heading = "The runs", long, default_value = "cpu", value_parser = values::one_of(values::DEVICE))]
    pub device: Device,
    #[command(flatten)]
    pub translation: Translation,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Linearize {
    #[command(flatten)]
    pub model: Model,
    /// The instant (default: the start)
    #[arg(help_heading = "The point", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::instant)]
    pub at: Option<f64>,
    /// Search for a steady state near there, and linearise at that
    #[arg(help_heading = "The point", long)]
    pub steady: bool,
    /// Where the run to the point starts (default: the experiment annotation, or 0)
    #[arg(help_heading = "The point", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::instant)]
    pub start: Option<f64>,
    /// Relative tolerance of that run (default: the experiment annotation, or 1e-6)
    #[arg(help_heading = "The point", long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::tolerance)]
    pub tolerance: Option<f64>,
    /// Integration method of that run
    #[arg(help_heading = "The point", long, default_value = "auto", value_parser = values::method())]
    pub method: Method,
    /// Its step, of methods with steps of one size
    #[arg(help_heading = "The point", long, value_name = "H", allow_negative_numbers = true, value_parser = values::positive)]
    pub step: Option<f64>,
    /// Inputs, separated by commas (default: those of the model)
    #[arg(help_heading = "Results", long, value_name = "U,V", value_delimiter = ',')]
    pub inputs: Option<Vec<String>>,
    /// Outputs, separated by commas: any variables (default: the outputs of the model)
    #[arg(help_heading = "Results", long, value_name = "X,Y", value_delimiter = ',')]
    pub outputs: Option<Vec<String>>,
    /// One JSON object instead of text
    #[arg(help_heading = "Results", long)]
    pub json: bool,
    #[command(flatten)]
    pub translation: Translation,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Examples {
    /// Write this one to a file of its own in this folder (Resistor, RC.dym, Kausal.Examples.RC, …); may be repeated
    #[arg(long, value_name = "NAME")]
    pub copy: Vec<String>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

/// How wide the tube is.
#[derive(Clone, Copy, Debug, Args)]
pub struct Tube {
    /// Width in value, as a share of the signal's range
    #[arg(long, value_name = "SHARE", default_value_t = 2e-3, allow_negative_numbers = true, value_parser = values::tube_width)]
    pub tolerance: f64,
    /// Added to the width in value, as a share of the signal's magnitude
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6, allow_negative_numbers = true, value_parser = values::tube_width)]
    pub floor: f64,
    /// Added to the width in value, in units of the signal: what is smaller is rounding errors
    #[arg(long, value_name = "VALUE", default_value_t = 1e-12, allow_negative_numbers = true, value_parser = values::tube_width)]
    pub noise: f64,
    /// Width in time, as a share of the time span
    #[arg(long, value_name = "SHARE", default_value_t = 1e-3, allow_negative_numbers = true, value_parser = values::tube_width)]
    pub time_tolerance: f64,
}

#[derive(Clone, Debug, Args)]
pub struct Compare {
    /// The result (.csv, .mat or .parquet)
    pub result: PathBuf,
    /// What it should be (.csv, .mat or .parquet); every signal of it is looked at
    pub reference: PathBuf,
    #[command(flatten)]
    pub tube: Tube,
    /// Only signals that match (* and ? are wildcards); may be repeated
    #[arg(long, value_name = "GLOB")]
    pub signals: Vec<String>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Verify {
    /// The folder with the references, each named <Model.Path>.csv
    #[arg(long, value_name = "DIR")]
    pub reference: PathBuf,
    /// Only models that match (* and ? are wildcards); may be repeated
    #[arg(long, value_name = "GLOB")]
    pub filter: Vec<String>,
    /// A folder with libraries, searched after the built-in one and before MODELICAPATH
    #[arg(long = "library", value_name = "DIR")]
    pub libraries: Vec<PathBuf>,
    /// A file with models, read before each; may be repeated
    #[arg(long = "load", value_name = "FILE")]
    pub load: Vec<PathBuf>,
    /// Inline this method
    #[arg(long, default_value = "off", value_parser = values::inline_with_own_steps(), value_name = "METHOD")]
    pub inline: Inline,
    /// Trust the models like programs: compile and run their external C code, with your rights
    #[arg(long)]
    pub allow_external: bool,
    /// How many models at a time (default: one for each core)
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    pub jobs: Option<usize>,
    /// Seconds for one model
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, allow_negative_numbers = true, value_parser = values::positive)]
    pub timeout: f64,
    /// Megabytes for one model; 0 for no limit
    #[arg(long, value_name = "MB", default_value_t = 4096)]
    pub memory: u64,
    #[command(flatten)]
    pub tube: Tube,
    /// Another tool's figures to put ours beside: a JSON list of objects with `model`, `equations`, `lin_torn`,
    /// `nl_torn`, `steps`, `f_evals`
    #[arg(long, value_name = "FILE")]
    pub figures: Option<PathBuf>,
    /// Keep the results, as <Model.Path>.csv
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Write a page with plots of what deviates
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the tables as Markdown
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct VerifyModel {
    #[command(flatten)]
    pub model: Model,
    /// Its reference
    #[arg(long, value_name = "FILE")]
    pub reference: PathBuf,
    /// A file with models, read before
    #[arg(long = "load", value_name = "FILE")]
    pub load: Vec<PathBuf>,
    #[command(flatten)]
    pub tube: Tube,
    /// Keep the result
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
    /// Inline this method
    #[arg(long, default_value = "off", value_parser = values::inline_with_own_steps(), value_name = "METHOD")]
    pub inline: Inline,
}

#[derive(Clone, Debug, Args)]
pub struct Recover {
    /// The result (.csv, .mat or .parquet)
    pub result: PathBuf,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bounds: Bounds,
}

#[derive(Clone, Debug, Args)]
pub struct Plot {
    /// The result (.csv, .mat or .parquet)
    pub result: PathBuf,
    /// Signals (* and ? are wildcards); without any, the first few that change
    pub signals: Vec<String>,
    /// Where the plot goes (.svg, .png, or .html to zoom and search); without it, to the terminal; may be repeated
    #[arg(long, value_name = "FILE", value_parser = values::plot_file)]
    pub plot_file: Vec<PathBuf>,
    #[command(flatten)]
    pub bounds: Bounds,
}
