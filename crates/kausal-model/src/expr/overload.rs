//! Operators of operator records (specification chapter 14): `Complex` and its like.
//!
//! The functions of an operator are tried in order; a number is converted with the constructor if no function
//! takes it as it is. Products of vectors and matrices are made of `'*'` and `'+'` of the elements.

use kausal_symbolic::function::Index;
use kausal_syntax::Symbol;
use kausal_syntax::ast::{self, BinaryOp, UnaryOp};

use super::builtin::Call;
use super::call::{ValueArg, flatten_record_array};
use super::operator::operator_text;
use crate::class::{KlassId, Reported, Res};
use crate::flattener::{Flattener, Scope, reshape_front};
use crate::lookup::Found;
use crate::value::{Ty, Value};

/// The type of an argument.
#[derive(Clone, Copy, Debug)]
pub struct ArgType {
    /// Of scalars.
    pub ty: Option<Ty>,
    /// The class of a record.
    pub record: Option<KlassId>,
    /// How many dimensions.
    pub rank: usize,
}

impl Flattener<'_> {
    fn operator_of(&mut self, k: KlassId, name: &str) -> Option<KlassId> {
        match self.cx.step(k, Symbol::new(name))? {
            Found::Class(op) => Some(op),
            Found::Component { .. } => None,
        }
    }

    fn no_operator(&mut self, scope: Scope, at: ast::ExprId, op: &str, values: &[&Value]) -> Reported {
        let kinds: Vec<String> = values.iter().map(|v| self.describe(v)).collect();
        let message = format!("{op} cannot be applied to {}", kinds.join(" and "));
        self.at_expr(scope, at, "K0340", message)
    }

    /// What to call a value in messages, records by their class.
    pub fn describe(&self, value: &Value) -> String {
        match value {
            Value::Record(record) => {
                let text = value.describe();
                text.replacen("a record", &self.cx.name(record.klass), 1)
            }
            other => other.describe(),
        }
    }

    pub(super) fn overloaded_unary(
        &mut self,
        scope: Scope,
        at: ast::ExprId,
        op: UnaryOp,
        value: Value,
    ) -> Res<Value> {
        let Value::Record(record) = &value else {
            return Err(self.no_operator(scope, at, "a sign", &[&value]));
        };
        if matches!(op, UnaryOp::Plus | UnaryOp::ElementPlus) {
            return Ok(value);
        }
        let name = if op == UnaryOp::Not { "'not'" } else { "'-'" };
        let Some(operator) = self.operator_of(record.klass, name) else {
            return Err(self.no_operator(scope, at, name, &[&value]));
        };
        self.map_elements(scope, at, &value, &mut |this, item| {
            this.apply_operator(scope, at, operator, name, vec![item])
        })
    }

    fn map_elements(
        &mut self,
        scope: Scope,
        at: ast::ExprId,
        value: &Value,
        f: &mut dyn FnMut(&mut Self, Value) -> Res<Value>,
    ) -> Res<Value> {
        if value.rank() == 0 {
            return f(self, value.clone());
        }
        let items = self.elements(scope, at, value)?;
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            out.push(f(self, item)?);
        }
        if out.is_empty() {
            return Ok(value.clone());
        }
        let joined = self.construct(scope, at, out)?;
        Ok(reshape_front(joined, value.shape()))
    }

    /// The elements of an array of any rank, in order.
    pub fn elements(&mut self, scope: Scope, at: ast::ExprId, value: &Value) -> Res<Vec<Value>> {
        let flat = flatten_record_array(value);
        let count = flat.shape().first().copied().unwrap_or(0);
        let mut items = Vec::with_capacity(count);
        for i in 1..=count {
            match flat.index(&[Index::One(i)]) {
                Ok(item) => items.push(item),
                Err(e) => return Err(self.at_expr(scope, at, "K0332", e.to_string())),
            }
        }
        Ok(items)
    }

    pub(super) fn overloaded_binary(
        &mut self,
        scope: Scope,
        at: ast::ExprId,
        op: BinaryOp,
        a: Value,
        b: Value,
    ) -> Res<Value> {
        match (op, a.rank(), b.rank()) {
            (_, 0, 0) => self.overloaded_scalars(scope, at, op, a, b),
            (BinaryOp::Mul, 1, 1) => {
                let (x, y) = (self.elements(scope, at, &a)?, self.elements(scope, at, &b)?);
                self.inner_product(scope, at, &x, &y)
            }
            (BinaryOp::Mul, m, n) if m + n >= 3 => self.overloaded_product(scope, at, &a, &b),
            (_, 0, _) => self.map_elements(scope, at, &b, &mut |this, y| {
                this.overloaded_scalars(scope, at, op, a.clone(), y)
            }),
            (_, _, 0) => self.map_elements(scope, at, &a, &mut |this, x| {
                this.overloaded_scalars(scope, at, op, x, b.clone())
            }),
            _ if a.shape() == b.shape() => {
                let ys = self.elements(scope, at, &b)?;
                let mut ys = ys.into_iter();
                self.map_elements(scope, at, &a, &mut |this, x| match ys.next() {
                    Some(y) => this.overloaded_scalars(scope, at, op, x, y),
                    None => Err(Reported),
                })
            }
            _ => Err(self.no_operator(scope, at, operator_text(op), &[&a, &b])),
        }
    }

    fn overloaded_product(&mut self, scope: Scope, at: ast::ExprId, a: &Value, b: &Value) -> Res<Value> {
        let (sa, sb) = (a.shape().to_vec(), b.shape().to_vec());
        let (n, inner) = if sa.len() == 2 { (sa[0], sa[1]) } else { (1, sa[0]) };
        let (inner_b, m) = if sb.len() == 2 { (sb[0], sb[1]) } else { (sb[0], 1) };
        if inner != inner_b {
            return Err(self.no_operator(scope, at, "*", &[a, b]));
        }
        let (xs, ys) = (self.elements(scope, at, a)?, self.elements(scope, at, b)?);
        let mut out = Vec::with_capacity(n * m);
        for i in 0..n {
            let row = &xs[i * inner..(i + 1) * inner];
            for j in 0..m {
                let column: Vec<Value> = (0..inner).map(|k| ys[k * m + j].clone()).collect();
                out.push(self.inner_product(scope, at, row, &column)?);
            }
        }
        let mut shape = Vec::new();
        if sa.len() == 2 {
            shape.push(n);
        }
        if sb.len() == 2 {
            shape.push(m);
        }
        let joined = self.construct(scope, at, out)?;
        Ok(reshape_front(joined, &shape))
    }

    fn inner_product(&mut self, scope: Scope, at: ast::ExprId, x: &[Value], y: &[Value]) -> Res<Value> {
        let mut total: Option<Value> = None;
        for (a, b) in x.iter().zip(y) {
            let product = self.overloaded_scalars(scope, at, BinaryOp::Mul, a.clone(), b.clone())?;
            total = Some(match total {
                None => product,
                Some(sum) => self.binary(scope, at, BinaryOp::Add, sum, product)?,
            });
        }
        total.ok_or_else(|| self.at_expr(scope, at, "K0354", "a product of empty arrays of records"))
    }

    fn overloaded_scalars(
        &mut self,
        scope: Scope,
        at: ast::ExprId,
        op: BinaryOp,
        a: Value,
        b: Value,
    ) -> Res<Value> {
        let text = operator_text(op).trim_start_matches('.');
        let name = format!("'{text}'");
        let klass = match (&a, &b) {
            (Value::Record(record), _) | (_, Value::Record(record)) => record.klass,
            _ => return self.binary(scope, at, op, a, b),
        };
        let Some(operator) = self.operator_of(klass, &name) else {
            return Err(self.no_operator(scope, at, text, &[&a, &b]));
        };
        self.apply_operator(scope, at, operator, text, vec![a, b])
    }

    /// The first function of an operator that takes these values.
    fn apply_operator(
        &mut self,
        scope: Scope,
        at: ast::ExprId,
        operator: KlassId,
        text: &str,
        values: Vec<Value>,
    ) -> Res<Value> {
        let functions = self.operator_functions(operator);
        for &f in &functions {
            if self.accepts(f, &values) {
                return self.call_one(scope, at, f, values);
            }
        }
        // A number becomes a record with the constructor.
        let klass = values.iter().find_map(|v| match v {
            Value::Record(record) => Some(record.klass),
            _ => None,
        });
        if let Some(klass) = klass
            && values.iter().any(|v| !matches!(v, Value::Record(_)))
        {
            let mut converted = Vec::with_capacity(values.len());
            for value in &values {
                converted.push(match value {
                    Value::Record(_) => value.clone(),
                    _ => self.construct_operator_record(
                        scope,
                        at,
                        klass,
                        vec![ValueArg { name: None, value: value.clone() }],
                    )?,
                });
            }
            for &f in &functions {
                if self.accepts(f, &converted) {
                    return self.call_one(scope, at, f, converted);
                }
            }
        }
        let refs: Vec<&Value> = values.iter().collect();
        Err(self.no_operator(scope, at, text, &refs))
    }

    fn call_one(&mut self, scope: Scope, at: ast::ExprId, f: KlassId, values: Vec<Value>) -> Res<Value> {
        let args = values.into_iter().map(|value| ValueArg { name: None, value }).collect();
        let outputs = self.call_function(scope, at, f, args)?;
        outputs.into_iter().next().ok_or(Reported)
    }

    /// Can a function be called with these values, as they are?
    fn accepts(&mut self, f: KlassId, values: &[Value]) -> bool {
        let types: Vec<ArgType> = values
            .iter()
            .map(|v| ArgType {
                ty: v.ty(),
                record: match v {
                    Value::Record(record) => Some(record.klass),
                    _ => None,
                },
                rank: v.rank(),
            })
            .collect();
        self.accepts_types(f, &types)
    }

    /// Can a function be called with values of these types, as they are?
    pub fn accepts_types(&mut self, f: KlassId, types: &[ArgType]) -> bool {
        let Ok(signature) = self.signature(f) else { return false };
        let inputs = &signature.inputs;
        if inputs.len() < types.len() || inputs[types.len()..].iter().any(|i| i.binding.is_none()) {
            return false;
        }
        inputs.iter().zip(types).all(|(input, value)| {
            if input.dims.len() != value.rank {
                return false;
            }
            match (value.ty, value.record, input.leaf) {
                (Some(ty), _, Some(leaf)) => crate::flattener::assignable(Ty::of(leaf.builtin), ty),
                (_, Some(record), None) => self.same_record(record, input.klass),
                _ => false,
            }
        })
    }

    fn same_record(&mut self, a: KlassId, b: KlassId) -> bool {
        self.base_def(a) == self.base_def(b)
    }

    /// The definition at the end of a chain of short class definitions.
    fn base_def(&mut self, k: KlassId) -> crate::library::DefId {
        let mut at = k;
        loop {
            let def = self.cx.key(at).def;
            if !matches!(self.cx.lib.class(def).body, ast::ClassBody::Short(_)) {
                return def;
            }
            match self.cx.members(at).ok().and_then(|m| m.bases.first().copied()) {
                Some(base) => at = base,
                None => return def,
            }
        }
    }

    /// `R(…)` of an operator record: one of its constructors, or field by field.
    pub(super) fn construct_operator_record(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<ValueArg>,
    ) -> Res<Value> {
        if let Some(operator) = self.operator_of(k, "'constructor'") {
            let positional: Vec<Value> =
                args.iter().take_while(|a| a.name.is_none()).map(|a| a.value.clone()).collect();
            for f in self.operator_functions(operator) {
                let named = args.len() > positional.len();
                if named && self.takes_named(f, &args) || !named && self.accepts(f, &positional) {
                    let outputs = self.call_function(scope, expr, f, args)?;
                    return outputs.into_iter().next().ok_or(Reported);
                }
            }
        }
        self.construct_record(scope, expr, k, args)
    }

    fn takes_named(&mut self, f: KlassId, args: &[ValueArg]) -> bool {
        let Ok(members) = self.cx.members(f) else { return false };
        args.iter().all(|a| a.name.is_none_or(|n| members.index.contains_key(&n)))
    }

    /// `String(r)` of an operator record.
    pub(super) fn overloaded_string(&mut self, c: Call<'_>, value: Value) -> Res<Value> {
        let Value::Record(record) = &value else { return Err(self.wrong_args(c)) };
        let Some(operator) = self.operator_of(record.klass, "'String'") else {
            return Err(self.wrong_args(c));
        };
        self.apply_operator(c.scope, c.expr, operator, "String", vec![value])
    }

    /// A call of an operator by name.
    pub(super) fn call_operator(
        &mut self,
        scope: Scope,
        expr: ast::ExprId,
        k: KlassId,
        args: Vec<ValueArg>,
    ) -> Res<Vec<Value>> {
        let values = args.into_iter().map(|a| a.value).collect();
        let name = self.cx.name(k);
        self.apply_operator(scope, expr, k, &name, values).map(|v| vec![v])
    }
}
