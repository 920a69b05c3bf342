//! Reads the steps of the text form.

use kausal_symbolic::{FunctionId, VarId};

use super::lexer::Token;
use super::parse::{Parsed, Parser};
use super::write::{ITERATIONS, METHODS, WAYS};
use crate::program::{
    Alternative, Assert, Assign, Call, EquationRef, Form, Guard, Jacobian, Nonlinear, Solve, SolveKind, Step,
    System, When, WhenBranch,
};

impl Parser<'_> {
    pub(super) fn step(&mut self) -> Parsed<Step> {
        let is_assignment = matches!(self.peek(), Some(Token::Name(_)))
            || matches!(self.second(), Some(Token::Sign(":=" | "#")));
        if is_assignment {
            return self.assignment();
        }
        match self.word()?.as_str() {
            "linear" => self.linear(),
            "nonlinear" => self.nonlinear(),
            "mixed" => self.mixed(),
            "when" => self.when(),
            "if" => {
                let condition = self.expression()?;
                let then = self.block()?;
                self.keyword("else")?;
                let otherwise = self.block()?;
                Ok(Step::If(condition, then, otherwise))
            }
            other => {
                let step = self.simple(other)?;
                self.sign(";")?;
                Ok(step)
            }
        }
    }

    fn assignment(&mut self) -> Parsed<Step> {
        let variable = self.var()?;
        self.sign(":=")?;
        let value = self.expression()?;
        let equation = if self.take_sign("@") { Some(EquationRef(self.index()?)) } else { None };
        self.sign(";")?;
        Ok(Step::Assign(Assign { variable, value, equation }))
    }

    fn simple(&mut self, word: &str) -> Parsed<Step> {
        Ok(match word {
            "call" => {
                let function = FunctionId(self.index()?);
                let args = self.expressions()?;
                self.sign("->")?;
                let outputs = self.list(|p| if p.take_sign("_") { Ok(None) } else { p.var().map(Some) })?;
                let impure = self.take("impure");
                Step::Call(Call { function, args, outputs, impure })
            }
            "solve" => {
                let kinds = [
                    ("dense", SolveKind::Dense),
                    ("symmetric", SolveKind::Symmetric),
                    ("sparse", SolveKind::Sparse),
                ];
                let kind = self.one_of(&kinds)?;
                let constant = self.take("constant");
                let entries = self.entries()?;
                self.sign("*")?;
                let unknowns = self.vars()?;
                self.sign("=")?;
                let rhs = self.vars()?;
                Step::Solve(Solve { entries, rhs, unknowns, kind, constant })
            }
            "reinit" => {
                let variable = self.var()?;
                self.sign(":=")?;
                Step::Reinit(variable, self.expression()?)
            }
            "assert" => {
                let condition = self.expression()?;
                self.keyword("message")?;
                let message = self.expression()?;
                let holds = if self.take("holds") { Some(self.var()?) } else { None };
                let warning = self.take("warning");
                let origin = self.origin()?;
                Step::Assert(Assert { condition, holds, message, warning, origin })
            }
            "relation" => Step::Relation(self.index()?),
            "terminate" => Step::Terminate(self.expression()?),
            other => return Err(format!("there is no step {other}")),
        })
    }

    /// `((row, column) value, …)`
    fn entries(&mut self) -> Parsed<Vec<(u32, u32, VarId)>> {
        self.list(|p| {
            p.sign("(")?;
            let row = p.index()?;
            p.sign(",")?;
            let column = p.index()?;
            p.sign(")")?;
            Ok((row, column, p.var()?))
        })
    }

    fn when(&mut self) -> Parsed<Step> {
        let acts = self.take("acts");
        let origin = self.origin()?;
        self.sign("{")?;
        let mut branches = Vec::new();
        while !self.take_sign("}") {
            self.keyword("branch")?;
            let initial = self.take("initial");
            let conditions = self.vars()?;
            branches.push(WhenBranch { conditions, initial, steps: self.block()? });
        }
        Ok(Step::When(Box::new(When { branches, acts, origin })))
    }

    /// What all systems have; the form comes later.
    fn of_system(&mut self) -> Parsed<System> {
        let mixed = self.take("mixed");
        self.keyword("equations")?;
        let equations = self.references()?;
        self.keyword("unknowns")?;
        let unknowns = self.vars()?;
        let tearing_variables = if self.take("tearing") { self.vars()? } else { Vec::new() };
        let residuals = if self.take("residues") { self.references()? } else { Vec::new() };
        let mut alternatives = Vec::new();
        while self.take("way") {
            alternatives.push(self.alternative()?);
        }
        let form = Form::Nonlinear(Nonlinear::default());
        Ok(System { equations, unknowns, tearing_variables, residuals, mixed, form, alternatives })
    }

    fn alternative(&mut self) -> Parsed<Alternative> {
        let way = self.one_of(&WAYS.map(|(way, name)| (name, way)))?;
        self.keyword("left")?;
        let left = self.count()?;
        self.keyword("mul")?;
        let mul = self.count()? as u64;
        self.keyword("add")?;
        let add = self.count()? as u64;
        self.keyword("once")?;
        let once = self.count()? as u64;
        self.keyword("price")?;
        let price = self.number()?;
        let chosen = self.take("chosen");
        self.keyword("note")?;
        let note = self.text()?;
        Ok(Alternative { way, left, mul, add, once, price, chosen, note })
    }

    fn linear(&mut self) -> Parsed<Step> {
        let method = self.one_of(&METHODS.map(|(method, name)| (name, method)))?;
        let symmetric = self.take("symmetric");
        let mut system = self.of_system()?;
        let steps = self.block()?;
        let guard = if self.take("guard") { Some(Box::new(self.guard()?)) } else { None };
        system.form = Form::Linear { method, symmetric, steps, guard };
        Ok(Step::System(Box::new(system)))
    }

    fn guard(&mut self) -> Parsed<Guard> {
        let pivots = if self.take("pivots") { self.pairs()? } else { Vec::new() };
        let sums = if self.take("sums") { self.pairs()? } else { Vec::new() };
        let residuals = if self.take("residuals") { self.pairs()? } else { Vec::new() };
        let check = self.block()?;
        self.keyword("fallback")?;
        let fallback = self.block()?;
        Ok(Guard { pivots, sums, check, residuals, fallback })
    }

    fn nonlinear(&mut self) -> Parsed<Step> {
        let iteration = self.one_of(&ITERATIONS.map(|(iteration, name)| (name, iteration)))?;
        let mut system = self.of_system()?;
        self.keyword("iterate")?;
        let unknowns = self.vars()?;
        self.keyword("residuals")?;
        let residuals = self.vars()?;
        let steps = self.block()?;
        let jacobian = if self.take("jacobian") { Some(self.jacobian()?) } else { None };
        system.form = Form::Nonlinear(Nonlinear { unknowns, steps, residuals, jacobian, iteration });
        Ok(Step::System(Box::new(system)))
    }

    fn jacobian(&mut self) -> Parsed<Jacobian> {
        let entries = self.entries()?;
        let mut sensitivities = Vec::new();
        if self.take("sensitivities") {
            sensitivities = self.list(|p| {
                p.sign("(")?;
                let state = p.var()?;
                p.sign(",")?;
                let column = p.index()?;
                p.sign(")")?;
                Ok((state, column, p.var()?))
            })?;
        }
        Ok(Jacobian { steps: self.block()?, entries, sensitivities })
    }

    fn mixed(&mut self) -> Parsed<Step> {
        let mut system = self.of_system()?;
        self.keyword("relations")?;
        let relations = self.indices()?;
        self.keyword("held")?;
        let unknowns = self.vars()?;
        let continuous = self.block()?;
        self.keyword("discrete")?;
        let discrete = self.block()?;
        system.form = Form::Mixed { continuous, relations, discrete, unknowns };
        Ok(Step::System(Box::new(system)))
    }
}
