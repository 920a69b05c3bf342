//! Programs made by hand.

use kausal_model::flat::{Origin, Type};
use kausal_symbolic::{ExprId, VarId};
use kausal_translate::Program;
use kausal_translate::program::{Assign, EquationInfo, EquationRef, Kind, Step, Variable};

/// A program under construction.
#[derive(Default)]
pub struct Builder {
    pub program: Program,
}

impl Builder {
    pub fn new(name: &str) -> Self {
        Builder { program: Program { name: name.to_owned(), ..Program::default() } }
    }

    /// A variable with its value before anything is computed.
    pub fn variable(&mut self, name: &str, kind: Kind, value: f64) -> VarId {
        self.program.variables.push(Variable {
            name: name.to_owned(),
            kind,
            ty: Type::Real,
            value,
            start_said: true,
            nominal: 1.0,
            nominal_said: false,
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
            unit: String::new(),
            description: String::new(),
            protected: false,
        });
        VarId(self.program.variables.len() as u32 - 1)
    }

    /// A helper variable.
    pub fn helper(&mut self, name: &str) -> VarId {
        self.variable(name, Kind::Helper, 0.0)
    }

    /// The expression that reads a variable.
    pub fn var(&mut self, v: VarId) -> ExprId {
        self.program.pool.var(v)
    }

    /// An equation of a component.
    pub fn equation(&mut self, component: &str, lhs: ExprId, rhs: ExprId) -> EquationRef {
        let origin = Origin { component: component.to_owned(), ..Origin::default() };
        self.program.equations.push(EquationInfo { lhs, rhs, origin, differentiated: 0, model: None });
        EquationRef(self.program.equations.len() as u32 - 1)
    }
}

/// `variable := value` as a step.
pub fn set(variable: VarId, value: ExprId) -> Step {
    Step::Assign(Assign { variable, value, equation: None })
}

/// `variable := value`, solved from an equation.
pub fn solved(variable: VarId, value: ExprId, equation: EquationRef) -> Step {
    Step::Assign(Assign { variable, value, equation: Some(equation) })
}
