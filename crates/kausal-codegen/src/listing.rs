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
use kausal_symbolic::{ExprId, VarId};
use kausal_translate::program::{
    Assign, Discretized, EquationRef, Form, Guard, LinearMethod, Nonlinear, Solve, SolveKind, Step, System,
};
use kausal_translate::{Program, flow};
use rustc_hash::{FxHashMap, FxHashSet};

/// Incidence matrices and numerical systems of more equations are left out.
const LARGEST_MATRIX: usize = 60;
/// Longer expressions are cut off with `…`.
const LONGEST_EXPRESSION: usize = 4_000;
/// Steps nested deeper are left out.
const DEPTH: usize = 100;
/// Bounds of the width of the column of components.
const PREFIX: std::ops::RangeInclusive<usize> = 8..=24;

/// What is computed when the step size changes, for readers that predict nothing.
pub(crate) fn needed_factors(program: &Program, section: &Discretized) -> Vec<Step> {
    let superfluous = flow::only_predicts(&program.pool, section);
    let needed = |step: &&Step| !matches!(step, Step::Assign(a) if superfluous.contains(&a.variable));
    section.factors.iter().filter(needed).cloned().collect()
}

/// Writes the listing of a program.
pub fn write(program: &Program) -> String {
    let widest = program.equations.iter().map(|equation| equation.origin.component.chars().count() + 1).max();
    let prefix = widest.unwrap_or(0).clamp(*PREFIX.start(), *PREFIX.end());
    let mut listing = Listing { program, text: String::new(), depth: 0, prefix };
    listing.title("SORTED AND SOLVED EQUATIONS");
    listing.section("PARAMETERS", &program.parameters);
    listing.section("INITIAL", &program.initial);
    listing.section("DYNAMICS", &program.dynamics);
    listing.section("OUTPUTS", &program.outputs);
    listing.section("DISCRETE", &program.discrete);
    if let Some(discretized) = &program.discretized {
        listing.section("COMPUTED WHEN h CHANGES", &needed_factors(program, discretized));
        listing.section(&format!("DISCRETIZED ({})", discretized.method), &discretized.steps);
    }
    listing.clocks();
    listing.title("END OF SORTED AND SOLVED EQUATIONS");
    listing.text
}

struct Listing<'p> {
    program: &'p Program,
    text: String,
    depth: usize,
    /// Width of the column of components.
    prefix: usize,
}

impl Listing<'_> {
    fn title(&mut self, title: &str) {
        self.line(&format!("! {title}"));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// What is computed at ticks of clocks, base clock by base clock.
    fn clocks(&mut self) {
        let program = self.program;
        for base in &program.clocks {
            self.line("!");
            self.title(&base.name.to_uppercase());
            for sampled in &base.sampled {
                let (slot, source) = (self.name(sampled.slot), self.name(sampled.source));
                self.title(&format!("BEFORE THE EVENT {slot} := {source}"));
            }
            for piece in &base.pieces {
                let ticks = base.ticks(piece.clock, &program.pool, &|v| self.name(v));
                let clock = &base.clocks[piece.clock as usize];
                let method = clock.method.as_ref().map_or_else(String::new, |m| format!(", {m}"));
                self.line("!");
                self.title(&format!("AT TICKS OF {} ({ticks}{method})", clock.name));
                self.line("!");
                self.steps(&piece.steps);
            }
        }
    }

    fn section(&mut self, name: &str, steps: &[Step]) {
        if steps.is_empty() {
            return;
        }
        self.line("!");
        self.title(name);
        self.line("!");
        self.steps(steps);
    }

    fn steps(&mut self, steps: &[Step]) {
        self.depth += 1;
        match self.depth <= DEPTH {
            true => steps.iter().for_each(|step| self.step(step)),
            false => self.title("…"),
        }
        self.depth -= 1;
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Assign(assign) => self.assign(assign),
            Step::Call(call) => {
                let args: Vec<String> = call.args.iter().map(|&arg| self.print(arg)).collect();
                let outputs: Vec<String> = call
                    .outputs
                    .iter()
                    .map(|output| output.map_or_else(String::new, |v| self.name(v)))
                    .collect();
                let function = &self.program.pool.function(call.function).name;
                let text = format!("({}) = {function}({})", outputs.join(", "), args.join(", "));
                self.plain(&text);
            }
            Step::Solve(solve) => self.solve(solve),
            Step::System(system) => self.system(system),
            Step::When(when) => {
                for (k, branch) in when.branches.iter().enumerate() {
                    let mut conditions: Vec<String> =
                        branch.conditions.iter().map(|&v| self.name(v)).collect();
                    conditions.extend(branch.initial.then(|| "initial()".to_owned()));
                    let word = if k == 0 { "WHEN" } else { "ELSEWHEN" };
                    self.title(&format!("{word} {}", conditions.join(", ")));
                    self.steps(&branch.steps);
                }
                self.title("END OF WHEN");
            }
            Step::Reinit(state, value) => {
                let text = format!("reinit({}, {})", self.name(*state), self.print(*value));
                self.plain(&text);
            }
            Step::Assert(assert) => {
                let text =
                    format!("assert({}, {})", self.print(assert.condition), self.print(assert.message));
                self.plain(&text);
            }
            Step::Relation(index) => {
                let relation = self.program.relations[*index as usize];
                let sign = if relation.or_equal { "<=" } else { "<" };
                let (variable, difference) = (self.name(relation.variable), self.name(relation.difference));
                self.plain(&format!("{variable} = {difference} {sign} 0"));
            }
            Step::Terminate(message) => {
                let text = format!("terminate({})", self.print(*message));
                self.plain(&text);
            }
            Step::If(condition, then, otherwise) => {
                let condition = self.print(*condition);
                self.title(&format!("IF {condition}"));
                self.steps(then);
                if !otherwise.is_empty() {
                    self.title("ELSE");
                    self.steps(otherwise);
                }
                self.title("END OF IF");
            }
        }
    }

    /// Something computed that comes from no equation.
    fn plain(&mut self, text: &str) {
        let width = self.prefix;
        self.line(&format!("{:width$} {text}", ""));
    }

    fn system(&mut self, system: &System) {
        self.head(system);
        match &system.form {
            Form::Linear { steps, method, guard, .. } => {
                self.title(match method {
                    LinearMethod::ClosedForm | LinearMethod::Torn => "SOLVED SYSTEM OF EQUATIONS",
                    LinearMethod::Relaxed => "SOLVED SYSTEM OF EQUATIONS (ELIMINATED IN A STATIC ORDER)",
                    LinearMethod::Sparse => "SOLVED SYSTEM OF EQUATIONS (SPARSE)",
                });
                let torn = self.torn(system, steps);
                self.steps(&steps[..torn]);
                if torn < steps.len() {
                    self.title("NON-TORN VARIABLES");
                    self.steps(&steps[torn..]);
                }
                if let Some(guard) = guard {
                    self.guard(guard);
                }
            }
            Form::Nonlinear(nonlinear) => self.nonlinear(nonlinear),
            Form::Mixed { continuous, relations, discrete, .. } => {
                self.title("CONTINUOUS PART");
                self.steps(continuous);
                self.title("DISCRETE PART");
                for &relation in relations {
                    if let Some(relation) = self.program.relations.get(relation as usize) {
                        let sign = if relation.or_equal { "<=" } else { "<" };
                        let (variable, difference) =
                            (self.name(relation.variable), self.name(relation.difference));
                        self.plain(&format!("{variable} = {difference} {sign} 0"));
                    }
                }
                self.steps(discrete);
            }
        }
        self.title("END OF SYSTEM OF SIMULTANEOUS EQUATIONS");
    }

    /// What a straight-line solution is held against.
    fn guard(&mut self, guard: &Guard) {
        let mut pivots: Vec<String> = guard.pivots.iter().map(|&(pivot, _)| self.name(pivot)).collect();
        pivots.dedup();
        if !pivots.is_empty() {
            self.title(&format!("SOLVED WITH PIVOTING WHERE ONE OF THESE IS ZERO: {}", pivots.join(", ")));
        }
        if !guard.residuals.is_empty() {
            self.title("SOLVED WITH PIVOTING ONCE RESIDUALS SHOW THAT DIGITS ARE LOST");
        }
    }

    /// How many steps there are until all tearing variables are known; all of them if nothing is torn.
    fn torn(&self, system: &System, steps: &[Step]) -> usize {
        let mut missing: FxHashSet<VarId> = system.tearing_variables.iter().copied().collect();
        if missing.is_empty() {
            return steps.len();
        }
        for (k, step) in steps.iter().enumerate() {
            match step {
                Step::Assign(assign) => _ = missing.remove(&assign.variable),
                Step::Solve(solve) => solve.unknowns.iter().for_each(|v| _ = missing.remove(v)),
                _ => {}
            }
            if missing.is_empty() {
                return k + 1;
            }
        }
        steps.len()
    }

    fn nonlinear(&mut self, nonlinear: &Nonlinear) {
        self.title("TORN NONLINEAR EQUATIONS");
        self.steps(&nonlinear.steps);
        self.title("END OF TORN NONLINEAR EQUATIONS");
        let residuals: Vec<String> = nonlinear.residuals.iter().map(|&v| self.name(v)).collect();
        self.title(&format!("TO BECOME ZERO: {}", residuals.join(", ")));
        if let Some(jacobian) = &nonlinear.jacobian {
            self.title("JACOBIAN");
            self.steps(&jacobian.steps);
            for &(row, column, value) in &jacobian.entries {
                let text = format!("J[{}, {}] = {}", row + 1, column + 1, self.name(value));
                self.plain(&text);
            }
        }
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
        let width = self.prefix;
        format!("{:width$}", format!("{component}."))
    }

    fn assign(&mut self, assign: &Assign) {
        let (variable, value) = (self.name(assign.variable), self.print(assign.value));
        match assign.equation {
            Some(equation) => {
                let prefix = self.prefix(equation);
                self.line(&format!("{prefix} [{variable}] = {value}"));
            }
            None => self.plain(&format!("{variable} = {value}")),
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
        self.alternatives(system);
    }

    /// The ways the system could have been solved, with their prices.
    fn alternatives(&mut self, system: &System) {
        if system.alternatives.is_empty() {
            return;
        }
        self.title("WAYS TO SOLVE IT (OPERATIONS OF EACH EVALUATION + ONCE, UNKNOWNS LEFT TO A SOLVER)");
        for a in &system.alternatives {
            let mark = if a.chosen { '*' } else { ' ' };
            let text = if a.price.is_finite() {
                let note = if a.note.is_empty() { String::new() } else { format!(" ({})", a.note) };
                format!("{} MULT + {} ADD + {} ONCE, {} LEFT{note}", a.mul, a.add, a.once, a.left)
            } else {
                a.note.clone()
            };
            self.line(&format!("! {mark} {:20} {text}", a.way.name()));
        }
        self.line("!");
    }

    fn incidence(&mut self, system: &System) {
        let (rows, columns) = (system.equations.len(), system.unknowns.len());
        if rows > LARGEST_MATRIX || columns > LARGEST_MATRIX {
            return;
        }
        let column: FxHashMap<VarId, usize> =
            system.unknowns.iter().enumerate().map(|(k, &v)| (v, k)).collect();
        self.title("INCIDENCE MATRIX");
        self.line("!");
        for &equation in &system.equations {
            let mut row = vec![' '; columns];
            if let Some(info) = self.program.equations.get(equation.0 as usize) {
                let variables = [info.lhs, info.rhs].map(|side| self.program.pool.variables_of(side));
                for k in variables.iter().flatten().filter_map(|v| column.get(v)) {
                    row[*k] = 'X';
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
