//! Functions that are lowered, by what makes them different.

use std::sync::Arc;

use kausal_symbolic::function::calls::Calls;
use kausal_symbolic::function::evaluator::Limits;
use kausal_symbolic::function::{Scalar, TermId};
use kausal_symbolic::{ExprId, FunctionId};
use kausal_syntax::Symbol;
use rustc_hash::FxHashMap;

use crate::class::{ComponentInfo, Res};
use crate::functions::kept;
use crate::ids::KlassId;
use crate::value::{Ty, Value};

/// Steps that functions may take while a model is flattened, all their runs together. The examples of the standard library
/// need at most 37,000.
pub(crate) const FOLD_STEPS: u64 = 10_000_000;

/// Functions lowered so far.
#[derive(Debug, Default)]
pub struct Functions {
    /// Small functions that make strings.
    pub texts: FxHashMap<(String, Vec<Scalar>), FunctionId>,
    /// Functions that stand for operators.
    pub kept: kept::KeptFunctions,
    /// The last call made, for calls without outputs.
    pub last_call: Option<ExprId>,
    pub(crate) lowered: FxHashMap<FunctionKey, Res<FunctionId>>,
    pub(crate) signatures: FxHashMap<KlassId, Res<Arc<Signature>>>,
    pub(crate) calls: Calls,
    /// Functions declared impure, as far as somebody asked.
    pub(crate) impure: FxHashMap<KlassId, bool>,
    /// Calls of impure functions in equations, and where they are.
    pub(crate) impure_calls: FxHashMap<ExprId, (KlassId, kausal_syntax::Location)>,
    /// The model is flat text: its calls were found to be in the right places before.
    pub(crate) placed: bool,
    /// Inside `pure(…)`.
    pub(crate) in_pure: bool,
    /// Classes of external objects that something makes.
    pub(crate) constructed: Vec<KlassId>,
    pub(crate) inlinable: FxHashMap<FunctionId, bool>,
    pub(crate) run: FxHashMap<(FunctionId, Vec<ExprId>), Result<Vec<ExprId>, String>>,
    /// Steps taken in all these runs.
    pub(crate) steps: u64,
}

impl Functions {
    /// How long the next run may take.
    pub(crate) fn limits_left(&self) -> Limits {
        Limits { steps: FOLD_STEPS.saturating_sub(self.steps), ..Limits::default() }
    }

    pub(crate) fn count_steps(&mut self, steps: u64) {
        self.steps += steps;
    }
}

/// What a lowered function is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    /// The class.
    pub klass: KlassId,
    /// For every function among its arguments: its name, the function given, and the names and types of the
    /// arguments bound to it.
    pub functions: Vec<FunctionArgument>,
}

/// A function given as an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionArgument {
    /// The input.
    pub input: Symbol,
    /// What is given.
    pub klass: KlassId,
    /// Bound arguments.
    pub bound: Vec<(Symbol, BoundType)>,
}

/// What an argument bound to a function is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BoundType {
    /// Scalars of one type, with so many dimensions.
    Plain(Ty, usize),
    /// A record, or an array of records with so many dimensions.
    Record(KlassId, usize, Vec<(Symbol, BoundType)>),
}

impl BoundType {
    pub(crate) fn of_value(value: &Value) -> Option<BoundType> {
        match value {
            Value::Plain(ty, array) => Some(BoundType::Plain(*ty, array.rank())),
            Value::Record(record) => {
                let fields = record.fields.iter().map(|(n, v)| Some((*n, BoundType::of_value(v)?)));
                Some(BoundType::Record(record.klass, record.shape.len(), fields.collect::<Option<_>>()?))
            }
            Value::Nothing | Value::Function(_) => None,
        }
    }

    pub(crate) fn of_term(value: &TVal) -> Option<BoundType> {
        match value {
            TVal::Plain { ty, rank, .. } => Some(BoundType::Plain(*ty, *rank)),
            TVal::Record { klass, rank, fields } => {
                let fields = fields.iter().map(|(n, v)| Some((*n, BoundType::of_term(v)?)));
                Some(BoundType::Record(*klass, *rank, fields.collect::<Option<_>>()?))
            }
            TVal::Function { .. } | TVal::Nothing => None,
        }
    }
}

/// The inputs and outputs of a function.
#[derive(Debug, Default)]
pub struct Signature {
    /// Inputs, in order.
    pub inputs: Vec<Arc<ComponentInfo>>,
    /// Outputs, in order.
    pub outputs: Vec<Arc<ComponentInfo>>,
    /// Everything else.
    pub locals: Vec<Arc<ComponentInfo>>,
}

/// What an expression of a function is worth.
#[derive(Clone, Debug)]
pub enum TVal {
    /// Scalars of one type.
    Plain {
        /// The type.
        ty: Ty,
        /// How many dimensions.
        rank: usize,
        /// The term.
        term: TermId,
    },
    /// A record, or an array of records.
    Record {
        /// Its class.
        klass: KlassId,
        /// How many dimensions the array has.
        rank: usize,
        /// The fields, each with the dimensions of the array in front of its own.
        fields: Vec<(Symbol, TVal)>,
    },
    /// A function with arguments bound to it.
    Function {
        /// Which.
        klass: KlassId,
        /// Bound arguments.
        bound: Vec<(Symbol, TVal)>,
    },
    /// Nothing.
    Nothing,
}

impl TVal {
    /// How many dimensions.
    pub fn rank(&self) -> usize {
        match self {
            TVal::Plain { rank, .. } | TVal::Record { rank, .. } => *rank,
            _ => 0,
        }
    }

    /// A field.
    pub fn field(&self, name: Symbol) -> Option<&TVal> {
        match self {
            TVal::Record { fields, .. } => fields.iter().find(|(n, _)| *n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// All terms: field behind field.
    pub fn terms(&self, out: &mut Vec<TermId>) {
        match self {
            TVal::Plain { term, .. } => out.push(*term),
            TVal::Record { fields, .. } => fields.iter().for_each(|(_, v)| v.terms(out)),
            _ => {}
        }
    }

    /// Any one term with the dimensions of the array, for asking sizes.
    pub fn any_term(&self) -> Option<TermId> {
        let mut terms = Vec::new();
        self.terms(&mut terms);
        terms.first().copied()
    }

    /// What to call a type and rank in messages.
    pub fn describe_parts(ty: Ty, rank: usize) -> String {
        match rank {
            0 => ty.text().to_owned(),
            _ => format!("{}[{}]", ty.text(), vec![":"; rank].join(", ")),
        }
    }

    /// What to call it in messages.
    pub fn describe(&self) -> String {
        match self {
            TVal::Plain { ty, rank, .. } => TVal::describe_parts(*ty, *rank),
            TVal::Record { .. } => "a record".to_owned(),
            TVal::Function { .. } => "a function".to_owned(),
            TVal::Nothing => "nothing".to_owned(),
        }
    }

    /// The same with every term replaced; `grow` dimensions more.
    pub fn map(&self, grow: isize, f: &mut dyn FnMut(TermId, usize) -> TermId) -> TVal {
        let grown = |rank: usize| (rank as isize + grow).max(0) as usize;
        match self {
            TVal::Plain { ty, rank, term } => {
                TVal::Plain { ty: *ty, rank: grown(*rank), term: f(*term, *rank) }
            }
            TVal::Record { klass, rank, fields } => TVal::Record {
                klass: *klass,
                rank: grown(*rank),
                fields: fields.iter().map(|(n, v)| (*n, v.map(grow, f))).collect(),
            },
            other => other.clone(),
        }
    }
}
