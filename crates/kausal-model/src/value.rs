//! What an expression of an equation is worth while a model is flattened: a type and an array of scalar
//! expressions. An array of records is a record of arrays; each field has the dimensions of the array in
//! front of its own.

use kausal_symbolic::ExprId;
use kausal_symbolic::function::{Array, ArrayResult, Index, Scalar};
use kausal_syntax::Symbol;

use crate::ids::KlassId;
use crate::prelude::{Builtin, EnumerationType};

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `Real`
    Real,
    /// `Integer`
    Integer,
    /// `Boolean`
    Boolean,
    /// `String`
    String,
    /// An enumeration
    Enumeration(EnumerationType),
    /// An external object
    External,
    /// `Clock`
    Clock,
}

impl Ty {
    /// The type of a built-in.
    pub fn of(builtin: Builtin) -> Ty {
        match builtin {
            Builtin::Real => Ty::Real,
            Builtin::Integer => Ty::Integer,
            Builtin::Boolean => Ty::Boolean,
            Builtin::String => Ty::String,
            Builtin::Clock => Ty::Clock,
            Builtin::ExternalObject => Ty::External,
            Builtin::Enumeration(e) => Ty::Enumeration(e),
        }
    }

    /// `Real` or `Integer`?
    pub fn is_number(self) -> bool {
        matches!(self, Ty::Real | Ty::Integer)
    }

    /// What to call it in messages.
    pub fn text(self) -> &'static str {
        match self {
            Ty::Real => "Real",
            Ty::Integer => "Integer",
            Ty::Boolean => "Boolean",
            Ty::String => "String",
            Ty::Enumeration(_) => "an enumeration",
            Ty::External => "an external object",
            Ty::Clock => "Clock",
        }
    }

    /// The type that both can be taken for.
    pub fn join(self, other: Ty) -> Option<Ty> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (a, b) if a.is_number() && b.is_number() => Some(Ty::Real),
            _ => None,
        }
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Scalars of one type.
    Plain(Ty, Array<ExprId>),
    /// A record, or an array of records.
    Record(Box<RecordValue>),
    /// Nothing: the missing receiver of a tuple, or a function without outputs.
    Nothing,
    /// A function as an argument, with arguments already bound.
    Function(Box<FunctionValue>),
}

/// A record, or an array of records.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordValue {
    /// Its class.
    pub klass: KlassId,
    /// The dimensions of the array.
    pub shape: Vec<usize>,
    /// The fields; their dimensions begin with `shape`.
    pub fields: Vec<(Symbol, Value)>,
}

/// A function as an argument.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionValue {
    /// Which.
    pub klass: KlassId,
    /// Arguments already bound.
    pub bound: Vec<(Symbol, Value)>,
}

impl Value {
    /// A scalar.
    pub fn scalar(ty: Ty, expr: ExprId) -> Value {
        Value::Plain(ty, Array::scalar(expr))
    }

    /// The dimensions.
    pub fn shape(&self) -> &[usize] {
        match self {
            Value::Plain(_, array) => array.shape(),
            Value::Record(record) => &record.shape,
            Value::Nothing | Value::Function(_) => &[],
        }
    }

    /// How many dimensions.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// The type of scalars.
    pub fn ty(&self) -> Option<Ty> {
        match self {
            Value::Plain(ty, _) => Some(*ty),
            _ => None,
        }
    }

    /// The single expression of a scalar.
    pub fn as_scalar(&self) -> Option<ExprId> {
        match self {
            Value::Plain(_, array) if array.rank() == 0 => array.data().first().copied(),
            _ => None,
        }
    }

    /// A field of a record.
    pub fn field(&self, name: Symbol) -> Option<&Value> {
        match self {
            Value::Record(record) => record.fields.iter().find(|(n, _)| *n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Elements; missing subscripts are `:`.
    pub fn index(&self, subscripts: &[Index]) -> ArrayResult<Value> {
        if subscripts.is_empty() {
            return Ok(self.clone());
        }
        Ok(match self {
            Value::Plain(ty, array) => Value::Plain(*ty, array.index(&padded(subscripts, array.rank()))?),
            Value::Record(record) => {
                // An array of the right shape without data checks the subscripts and gives the new shape.
                let probe = Array::filled((), &record.shape)?;
                let shape = probe.index(&padded(subscripts, record.shape.len()))?.shape().to_vec();
                let fields = record
                    .fields
                    .iter()
                    .map(|(name, value)| Ok((*name, value.index(&padded(subscripts, value.rank()))?)))
                    .collect::<ArrayResult<Vec<_>>>()?;
                Value::Record(Box::new(RecordValue { klass: record.klass, shape, fields }))
            }
            other => other.clone(),
        })
    }

    /// `{a, b, …}`
    pub fn construct(parts: &[Value]) -> ArrayResult<Option<Value>> {
        Value::combine(parts, &|arrays| Array::construct(arrays), &|shapes| {
            let mut shape = vec![shapes.len()];
            shape.extend_from_slice(shapes[0]);
            shape
        })
    }

    /// `cat(dimension, a, b, …)`
    pub fn cat(dimension: usize, parts: &[Value]) -> ArrayResult<Option<Value>> {
        Value::combine(parts, &|arrays| Array::cat(dimension, arrays), &|shapes| {
            let mut shape = shapes[0].to_vec();
            if let Some(n) = shape.get_mut(dimension - 1) {
                *n = shapes.iter().map(|s| s.get(dimension - 1).copied().unwrap_or(0)).sum();
            }
            shape
        })
    }

    /// Joins values of one type; `None` if the types do not go together.
    fn combine(
        parts: &[Value],
        arrays: &dyn Fn(&[Array<ExprId>]) -> ArrayResult<Array<ExprId>>,
        shape: &dyn Fn(&[&[usize]]) -> Vec<usize>,
    ) -> ArrayResult<Option<Value>> {
        match parts.first() {
            Some(Value::Plain(first, _)) => {
                let mut ty = *first;
                let mut list = Vec::with_capacity(parts.len());
                for part in parts {
                    let Value::Plain(t, array) = part else { return Ok(None) };
                    // An empty array takes any type.
                    match ty.join(*t) {
                        Some(joined) => ty = joined,
                        None => return Ok(None),
                    }
                    list.push(array.clone());
                }
                Ok(Some(Value::Plain(ty, arrays(&list)?)))
            }
            Some(Value::Record(first)) => {
                let shapes: Vec<&[usize]> = parts.iter().map(|p| p.shape()).collect();
                let mut fields = Vec::with_capacity(first.fields.len());
                for (name, _) in &first.fields {
                    let mut column = Vec::with_capacity(parts.len());
                    for part in parts {
                        match part.field(*name) {
                            Some(value) => column.push(value.clone()),
                            None => return Ok(None),
                        }
                    }
                    match Value::combine(&column, arrays, shape)? {
                        Some(value) => fields.push((*name, value)),
                        None => return Ok(None),
                    }
                }
                let record = RecordValue { klass: first.klass, shape: shape(&shapes), fields };
                Ok(Some(Value::Record(Box::new(record))))
            }
            _ => Ok(None),
        }
    }

    /// All scalars in order: element by element, field behind field.
    pub fn scalars(&self, out: &mut Vec<ExprId>) {
        match self {
            Value::Plain(_, array) => out.extend_from_slice(array.data()),
            Value::Record(record) => record.fields.iter().for_each(|(_, v)| v.scalars(out)),
            Value::Nothing | Value::Function(_) => {}
        }
    }

    /// The same value with every scalar replaced.
    pub fn map(&self, f: &mut dyn FnMut(ExprId) -> ExprId) -> Value {
        match self {
            Value::Plain(ty, array) => Value::Plain(*ty, array.map(|&e| f(e))),
            Value::Record(record) => Value::Record(Box::new(RecordValue {
                klass: record.klass,
                shape: record.shape.clone(),
                fields: record.fields.iter().map(|(n, v)| (*n, v.map(f))).collect(),
            })),
            other => other.clone(),
        }
    }

    /// What to call it in messages: `Real`, `Integer[2, 3]`.
    pub fn describe(&self) -> String {
        let base = match self {
            Value::Plain(ty, _) => ty.text(),
            Value::Record(_) => "a record",
            Value::Nothing => "nothing",
            Value::Function(_) => "a function",
        };
        if self.rank() == 0 {
            return base.to_owned();
        }
        let sizes: Vec<String> = self.shape().iter().map(usize::to_string).collect();
        format!("{base}[{}]", sizes.join(", "))
    }
}

fn padded(subscripts: &[Index], rank: usize) -> Vec<Index> {
    let mut all = subscripts.to_vec();
    while all.len() < rank {
        all.push(Index::All);
    }
    all
}

/// The same type among functions.
pub fn scalar_of(ty: Ty) -> Scalar {
    match ty {
        Ty::Real => Scalar::Real,
        Ty::Integer => Scalar::Integer,
        Ty::Boolean => Scalar::Boolean,
        Ty::String => Scalar::String,
        Ty::Enumeration(_) => Scalar::Enumeration,
        Ty::External | Ty::Clock => Scalar::External,
    }
}

/// A scalar value for every element.
pub fn fill(value: &Value, shape: &[usize]) -> Value {
    match value {
        Value::Plain(ty, array) => match Array::fill(array, shape) {
            Ok(array) => Value::Plain(*ty, array),
            Err(_) => value.clone(),
        },
        Value::Record(record) => {
            let fields = record.fields.iter().map(|(n, v)| (*n, fill(v, shape))).collect();
            let mut full = shape.to_vec();
            full.extend_from_slice(&record.shape);
            Value::Record(Box::new(RecordValue { klass: record.klass, shape: full, fields }))
        }
        other => other.clone(),
    }
}

/// May a value of type `from` be given to something of type `to`?
pub fn assignable(to: Ty, from: Ty) -> bool {
    to == from || (to == Ty::Real && from == Ty::Integer)
}

/// The same scalars as another type: an `Integer` given to a `Real`.
pub fn with_ty(value: Value, ty: Ty) -> Value {
    match value {
        Value::Plain(_, array) => Value::Plain(ty, array),
        other => other,
    }
}

/// Replaces the first dimension by several.
pub fn reshape_front(value: Value, shape: &[usize]) -> Value {
    match value {
        Value::Plain(ty, array) => {
            let mut full = shape.to_vec();
            full.extend_from_slice(&array.shape()[1..]);
            match array.clone().reshape(&full) {
                Ok(array) => Value::Plain(ty, array),
                Err(_) => Value::Plain(ty, array),
            }
        }
        Value::Record(record) => {
            let mut full = shape.to_vec();
            full.extend_from_slice(&record.shape[1..]);
            let fields = record.fields.into_iter().map(|(n, v)| (n, reshape_front(v, shape))).collect();
            Value::Record(Box::new(RecordValue { klass: record.klass, shape: full, fields }))
        }
        other => other,
    }
}

/// `no dimensions`, `1 dimension`, `2 dimensions`
pub fn dimensions_text(rank: usize) -> String {
    match rank {
        0 => "no dimensions".to_owned(),
        1 => "1 dimension".to_owned(),
        n => format!("{n} dimensions"),
    }
}

/// `no dimensions`, `size 3`, `size 2 x 3`
pub fn sizes_text(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "no dimensions".to_owned();
    }
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("size {}", sizes.join(" x "))
}
