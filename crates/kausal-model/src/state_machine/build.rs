//! Expressions and variables of the clocked equations that state machines become.

use kausal_symbolic::function::{Function, Scalar};
use kausal_symbolic::{ExprId, FunctionId, Node, Op, VarId};
use kausal_syntax::Location;
use kausal_syntax::ast::{Causality, Variability};
use rustc_hash::FxHashMap;

use crate::builtins::operator_name;
use crate::expr::opaque::operator_function;
use crate::flat::{Equation, FlatModel, Origin, StateSelect, Type, Variable};
use crate::value::{Ty, scalar_of};

/// The flat model being extended.
pub(crate) struct Builder<'a> {
    pub flat: &'a mut FlatModel,
    previous: FxHashMap<Type, FunctionId>,
    interval: Option<FunctionId>,
}

impl<'a> Builder<'a> {
    pub fn new(flat: &'a mut FlatModel) -> Self {
        Builder { flat, previous: FxHashMap::default(), interval: None }
    }

    /// A variable of a state machine, and what it is.
    pub fn variable(
        &mut self,
        name: String,
        ty: Type,
        start: f64,
        description: String,
        location: Option<Location>,
    ) -> VarId {
        let start = match ty {
            Type::Boolean => self.flat.pool.boolean(start != 0.0),
            _ => self.flat.pool.constant(start),
        };
        let variability = if ty == Type::Real { Variability::Continuous } else { Variability::Discrete };
        self.flat.variables.push(Variable {
            name,
            ty,
            variability,
            causality: Causality::None,
            flow: false,
            protected: false,
            binding: None,
            evaluated: false,
            start: Some(start),
            fixed: None,
            min: None,
            max: None,
            nominal: None,
            state_select: StateSelect::Default,
            unbounded: false,
            unit: String::new(),
            display_unit: String::new(),
            quantity: String::new(),
            description,
            location,
            start_location: None,
        });
        VarId(self.flat.variables.len() as u32 - 1)
    }

    /// `v = value`
    pub fn define(&mut self, v: VarId, value: ExprId, origin: &Origin) {
        let lhs = self.var(v);
        self.flat.equations.push(Equation { lhs, rhs: value, origin: origin.clone() });
    }

    pub fn var(&mut self, v: VarId) -> ExprId {
        self.flat.pool.var(v)
    }

    pub fn number(&mut self, value: u32) -> ExprId {
        self.flat.pool.constant(f64::from(value))
    }

    pub fn boolean(&mut self, value: bool) -> ExprId {
        self.flat.pool.boolean(value)
    }

    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.flat.pool.op(Op::Not, &[a])
    }

    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.flat.pool.op(Op::And, &[a, b])
    }

    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.flat.pool.op(Op::Or, &[a, b])
    }

    pub fn choose(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        self.flat.pool.op(Op::If, &[condition, a, b])
    }

    pub fn plus(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.flat.pool.op(Op::Add, &[a, b])
    }

    /// `v == number`
    pub fn is(&mut self, v: VarId, number: u32) -> ExprId {
        let (v, number) = (self.var(v), self.number(number));
        self.flat.pool.op(Op::Equal, &[v, number])
    }

    /// `previous(v)`
    pub fn previous(&mut self, v: VarId) -> ExprId {
        let ty = self.flat.variables[v.index()].ty;
        let pool = &mut self.flat.pool;
        let function = *self.previous.entry(ty).or_insert_with(|| {
            let scalar = scalar_of(value_type(ty));
            pool.add_function(operator_function(&(
                "previous".to_owned(),
                vec![(scalar, Vec::new())],
                vec![scalar],
            )))
        });
        let v = pool.var(v);
        let call = pool.call(function, &[v]);
        pool.output(call, 0)
    }

    /// `interval()`
    pub fn interval(&mut self) -> ExprId {
        let pool = &mut self.flat.pool;
        let function = *self.interval.get_or_insert_with(|| {
            pool.add_function(operator_function(&("interval".to_owned(), Vec::new(), vec![Scalar::Real])))
        });
        let call = pool.call(function, &[]);
        pool.output(call, 0)
    }

    /// The operator that an expression is, with its first argument.
    pub fn operator(&self, e: ExprId) -> Option<(&str, Option<ExprId>)> {
        let Node::Output(call, _) = self.flat.pool.node(e) else { return None };
        let Node::Call(function, args) = self.flat.pool.node(call) else { return None };
        let function: &Function = self.flat.pool.function(function);
        operator_name(function).map(|name| (name, args.first().copied()))
    }
}

fn value_type(ty: Type) -> Ty {
    match ty {
        Type::Integer | Type::Enumeration(_) => Ty::Integer,
        Type::Boolean => Ty::Boolean,
        Type::String => Ty::String,
        _ => Ty::Real,
    }
}
