//! The listing: sorted and solved equations, in the form the papers print.
//!
//! Lines that are computed stand plain, everything that explains them begins with `!`. An equation is preceded by
//! the component it comes from, and the variable it was solved for stands in brackets, as in figures 2 and 4 of
//! *Tearing in bond graphs with dependent storage elements*; nonlinear systems follow the C listing of *Inline
//! integration*.
//!
//! ```text
//! ! SORTED AND SOLVED EQUATIONS
//! one1.    [R.e] = Cnet.E - C1.e
//! R.       [one1.f1] = R.e/R.R
//! ! END OF SORTED AND SOLVED EQUATIONS
//! ```

use kausal_symbolic::print::print_limited;
use kausal_symbolic::visit::reachable;
use kausal_symbolic::{ExprId, Node, VarId};
use kausal_translate::Program;
use kausal_translate::program::{
    Assign, EquationRef, Form, LinearMethod, Nonlinear, Solve, SolveKind, Step, System,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Incidence matrices and numerical systems of more equations are left out.
const LARGEST_MATRIX: usize = 60;
/// Longer expressions are cut off with `…`.
const LONGEST_EXPRESSION: usize = 4_000;
/// Width of the column of components.
const PREFIX: usize = 8;

/// Writes the listing of a program.
pub fn write(program: &Program) -> String {
    let mut listing = Listing { program, text: String::new() };
    listing.title("SORTED AND SOLVED EQUATIONS");
    listing.section("PARAMETERS", &program.parameters);
    listing.section("INITIAL", &program.initial);
    listing.section("DYNAMICS", &program.dynamics);
    listing.section("OUTPUTS", &program.outputs);
    listing.section("DISCRETE", &program.discrete);
    if let Some(discretized) = &program.discretized {
        listing.section(&format!("DISCRETIZED ({})", discretized.method), &discretized.steps);
    }
    listing.title("END OF SORTED AND SOLVED EQUATIONS");
    listing.text
}

struct Listing<'p> {
    program: &'p Program,
    text: String,
}

/// What is still to be written, the next one last.
enum Item<'p> {
    Step(&'p Step, Option<&'p Torn>),
    Line(String),
}

/// The variables of the system around, to tell when its tearing variables are known.
struct Torn {
    tearing: FxHashSet<VarId>,
    unknowns: FxHashSet<VarId>,
}

impl<'p> Listing<'p> {
    fn title(&mut self, title: &str) {
        self.line(&format!("! {title}"));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn section(&mut self, name: &str, steps: &'p [Step]) {
        if steps.is_empty() {
            return;
        }
        self.line("!");
        self.title(name);
        self.line("!");
        self.steps(steps);
    }

    /// Writes steps and all steps inside them, with a stack of its own.
    fn steps(&mut self, steps: &'p [Step]) {
        let mut arena: Vec<Box<Torn>> = Vec::new();
        let mut stack: Vec<(&'p Step, usize)> = Vec::new();
        let _ = (&mut arena, &mut stack);
        let mut writer = StepWriter { listing: self, torn: Vec::new(), separated: Vec::new() };
        writer.run(steps);
    }

    fn name(&self, variable: VarId) -> String {
        match self.program.variables.get(variable.index()) {
            Some(variable) => variable.name.clone(),
            None => format!("v{}", variable.0),
        }
    }

    fn print(&self, expression: ExprId) -> String {
        print_limited(&self.program.pool, expression, &|v| self.name(v), LONGEST_EXPRESSION)
    }

    /// An equation with one variable in brackets.
    fn equation(&self, equation: EquationRef, solved: Option<VarId>) -> String {
        let Some(info) = self.program.equations.get(equation.0 as usize) else { return String::new() };
        let name = |v: VarId| if Some(v) == solved { format!("[{}]", self.name(v)) } else { self.name(v) };
        let side = |side: ExprId| print_limited(&self.program.pool, side, &name, LONGEST_EXPRESSION);
        format!("{} {} = {}", self.prefix(equation), side(info.lhs), side(info.rhs))
    }

    /// The component an equation comes from; the model itself has its name.
    fn prefix(&self, equation: EquationRef) -> String {
        let component = match self.program.equations.get(equation.0 as usize) {
            Some(info) if !info.origin.component.is_empty() => info.origin.component.as_str(),
            _ => self.program.name.rsplit('.').next().unwrap_or(""),
        };
        format!("{:PREFIX$}", format!("{component}."))
    }

    fn assign(&mut self, assign: &Assign) {
        let (variable, value) = (self.name(assign.variable), self.print(assign.value));
        match assign.equation {
            Some(equation) => {
                let prefix = self.prefix(equation);
                self.line(&format!("{prefix} [{variable}] = {value}"));
            }
            None => self.line(&format!("{:PREFIX$} {variable} = {value}", "")),
        }
    }

    /// Unknowns, equations, incidence and tearing of a system.
    fn head(&mut self, system: &System) {
        let kind = match system.form {
            Form::Linear { .. } => "",
            Form::Nonlinear(_) => "NONLINEAR ",
            Form::Mixed { .. } => "MIXED ",
        };
        self.title(&format!("SYSTEM OF {} SIMULTANEOUS {kind}EQUATIONS", system.equations.len()));
        self.title("UNKNOWN VARIABLES");
        for &unknown in &system.unknowns {
            let name = self.name(unknown);
            self.line(&format!("!   {name}"));
        }
        self.line("!");
        self.title("EQUATIONS");
        for (k, &equation) in system.equations.iter().enumerate() {
            let text = self.equation(equation, system.unknowns.get(k).copied());
            self.line(&format!("! {text}"));
        }
        self.line("!");
        self.incidence(system);
        if !system.tearing_variables.is_empty() {
            let nonlinear = if matches!(system.form, Form::Nonlinear(_)) { "NONLINEAR " } else { "" };
            self.title(&format!("{nonlinear}TEARING VARIABLES AND RESIDUES"));
            for (k, &variable) in system.tearing_variables.iter().enumerate() {
                let residue = system.residuals.get(k).map_or_else(String::new, |&r| self.equation(r, None));
                let name = self.name(variable);
                self.line(&format!("!   {name}    {residue}"));
            }
            self.line("!");
        }
    }

    fn incidence(&mut self, system: &System) {
        let (rows, columns) = (system.equations.len(), system.unknowns.len());
        if rows > LARGEST_MATRIX || columns > LARGEST_MATRIX {
            return;
        }
        let column: FxHashMap<VarId, usize> = system.unknowns.iter().enumerate().map(|(k, &v)| (v, k)).collect();
        self.title("INCIDENCE MATRIX");
        self.line("!");
        for &equation in &system.equations {
            let mut row = vec![' '; columns];
            if let Some(info) = self.program.equations.get(equation.0 as usize) {
                for id in reachable(&self.program.pool, &[info.lhs, info.rhs], |_| true) {
                    if let Node::Var(v) = self.program.pool.node(id)
                        && let Some(&k) = column.get(&v)
                    {
                        row[k] = 'X';
                    }
                }
            }
            self.line(&format!("! {}", row.iter().collect::<String>()));
        }
        self.line("!");
    }

    /// A numerical linear system, one equation a row.
    fn solve(&mut self, solve: &Solve) {
        let how = match solve.kind {
            SolveKind::Dense => "LU WITH PIVOTING",
            SolveKind::Symmetric => "SYMMETRIC",
            SolveKind::Sparse => "SPARSE",
        };
        let once = if solve.constant { ", FACTORISED ONCE" } else { "" };
        let n = solve.unknowns.len();
        self.title(&format!("SOLVE {n} LINEAR EQUATIONS NUMERICALLY ({how}{once})"));
        if n > LARGEST_MATRIX {
            return;
        }
        let mut rows: Vec<Vec<String>> = vec![Vec::new(); n];
        for &(row, column, value) in &solve.entries {
            let (row, column) = (row as usize, column as usize);
            let mut add = |row: usize, column: usize| {
                if let (Some(terms), Some(&unknown)) = (rows.get_mut(row), solve.unknowns.get(column)) {
                    terms.push(format!("{}*[{}]", self.name(value), self.name(unknown)));
                }
            };
            add(row, column);
            if solve.kind == SolveKind::Symmetric && row != column {
                add(column, row);
            }
        }
        for (terms, &rhs) in rows.iter().zip(&solve.rhs) {
            let rhs = self.name(rhs);
            self.line(&format!("!   {} = {rhs}", terms.join(" + ")));
        }
    }
}
