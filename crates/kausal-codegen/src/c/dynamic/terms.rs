//! Expressions of functions in C.
//!
//! An operation on numbers is an expression inside its user; what makes arrays or strings, or may fail, is a statement of its
//! own before it. `if`, `and` and `or` compute no more than they have to.

use kausal_symbolic::function::integers::divides_integers;
use kausal_symbolic::function::operations::{greatest, least};
use kausal_symbolic::function::{ArrayFn, LocalId, Reduction, Scalar, Subscript, Term, TermId};
use kausal_symbolic::{FunctionId, Op};

use super::{Fit, Kind, MAX_RANK, Value, Writer};
use crate::c::text::{Binding, Text, literal, string};
use crate::scalar::Binary;

/// Longer expressions are cut.
const INLINE_OPERATIONS: usize = 24;
/// A standard C compiler need not take longer literals.
const LONGEST_LITERAL: usize = 4_000;

const NUMBER: Kind = Kind { text: false, rank: 0 };
const STRING: Kind = Kind { text: true, rank: 0 };

impl Writer<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, term: TermId) -> Fit<Value> {
        let value = self.deeper(|this| this.any(term))?;
        Ok(match value {
            Value::Number(text) if text.operations > INLINE_OPERATIONS => Value::Number(self.bound(&text)),
            value => value,
        })
    }

    /// The value of an expression that is one number.
    pub(super) fn number(&mut self, term: TermId) -> Fit<Text> {
        match self.value(term)? {
            Value::Number(text) => Ok(text),
            _ => self.unfit("an array or a string where a number is expected"),
        }
    }

    /// The value of an expression that is one string.
    fn string(&mut self, term: TermId) -> Fit<String> {
        match self.value(term)? {
            Value::String(text) => Ok(text),
            _ => self.unfit("a number or an array where a string is expected"),
        }
    }

    /// The value of an expression as an array; a scalar has no dimensions.
    fn array(&mut self, term: TermId) -> Fit<String> {
        let value = self.value(term)?;
        self.as_array(&value)
    }

    pub(super) fn as_array(&mut self, value: &Value) -> Fit<String> {
        Ok(match value {
            Value::Array(name, _) => name.clone(),
            Value::Number(text) => {
                let number = text.double().text;
                self.make(&format!("kausal_one(a, {number})"))
            }
            Value::String(text) => self.make(&format!("kausal_one_text(a, {text})")),
        })
    }

    /// A variable for an array that is made; what makes it may fail.
    fn make(&mut self, made: &str) -> String {
        self.took = true;
        let name = self.temporary();
        self.push(format!("const kausal_array {name} = {made};"));
        self.check();
        name
    }

    /// A variable for a string that is made.
    fn make_text(&mut self, made: &str) -> Value {
        self.took = true;
        let name = self.temporary();
        self.push(format!("const char *const {name} = {made};"));
        self.check();
        Value::String(name)
    }

    /// A number in a variable.
    fn bound(&mut self, text: &Text) -> Text {
        let name = self.temporary();
        self.push(format!("const double {name} = {};", text.double().text));
        Text::primary(name)
    }

    /// A number that may be written several times, and stays what it is.
    pub(super) fn kept(&mut self, text: &Text) -> Text {
        let constant = text.text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        if text.operations == 0 && constant { text.clone() } else { self.bound(text) }
    }

    fn term_kind(&self, term: TermId) -> Fit<Kind> {
        let ty = self.prepared.type_of(term);
        self.kind(ty.scalar, ty.rank.map(usize::from))
    }

    fn is_text(&self, term: TermId) -> bool {
        self.prepared.type_of(term).scalar == Scalar::String
    }

    fn any(&mut self, term: TermId) -> Fit<Value> {
        let prepared = self.prepared.clone();
        match prepared.function().term(term) {
            Term::Const(value) => Ok(Value::Number(Text::number(*value))),
            Term::Text(text) => Ok(self.literal(text)),
            Term::Local(local) => self.local(*local),
            Term::Outer(_) => self.unfit("a variable of the model"),
            Term::Index(array, subscripts) => self.index(*array, subscripts),
            Term::Op(Op::If, args) => match args[..] {
                [condition, a, b] => self.choice(term, condition, a, b),
                _ => self.unfit("an if without two branches"),
            },
            Term::Op(op @ (Op::And | Op::Or), args) if prepared.type_of(term).is_number() => {
                self.logic(*op, args)
            }
            Term::Op(op, args) if self.divides_integers(*op, args) => {
                let numbers = args.iter().map(|&arg| self.number(arg)).collect::<Fit<Vec<_>>>()?;
                let numbers: Vec<Text> = numbers.iter().map(|number| self.exact(number)).collect();
                self.operator(*op, &numbers).map(Value::Number)
            }
            Term::Op(op, args) => self.element_wise(*op, args),
            Term::Array(array_fn, args) => self.array_function(term, *array_fn, args),
            Term::Call(_, _, number) => match self.outputs(term)?.into_iter().nth(*number as usize) {
                Some(value) => Ok(value),
                None => self.unfit("an output that does not exist"),
            },
            Term::For(reduction, body, iterators) => self.comprehension(*reduction, *body, iterators),
        }
    }

    fn divides_integers(&self, op: Op, args: &[TermId]) -> bool {
        let types: Vec<_> = args.iter().map(|&arg| self.prepared.type_of(arg)).collect();
        divides_integers(op, &types)
    }

    fn literal(&mut self, text: &str) -> Value {
        if text.len() <= LONGEST_LITERAL {
            return Value::String(string(text));
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let cut = rest.char_indices().map(|(k, _)| k).take_while(|k| *k < LONGEST_LITERAL).last();
            let cut = if rest.len() <= LONGEST_LITERAL { rest.len() } else { cut.unwrap_or(0).max(1) };
            let (part, more) = rest.split_at(cut);
            parts.push(string(part));
            rest = more;
        }
        self.joined(&parts)
    }

    fn local(&mut self, local: LocalId) -> Fit<Value> {
        let kind = self.kind_of(local)?;
        let home = self.home(local);
        Ok(match (kind.rank, kind.text) {
            (0, false) => Value::Number(Text::primary(home)),
            (0, true) => Value::String(home),
            _ => Value::Array(home, kind),
        })
    }

    /// An operator, element by element.
    pub(super) fn element_wise(&mut self, op: Op, args: &[TermId]) -> Fit<Value> {
        let texts = args.iter().any(|&arg| self.is_text(arg));
        let values = args.iter().map(|&arg| self.value(arg)).collect::<Fit<Vec<_>>>()?;
        if texts {
            return self.text_operator(op, &values);
        }
        self.element_wise_on(op, values)
    }

    fn element_wise_on(&mut self, op: Op, values: Vec<Value>) -> Fit<Value> {
        let arrays: Vec<String> = values
            .iter()
            .filter_map(|value| match value {
                Value::Array(name, _) => Some(name.clone()),
                _ => None,
            })
            .collect();
        let Some((first, others)) = arrays.split_first() else {
            let numbers: Vec<Text> = values
                .into_iter()
                .map(|value| match value {
                    Value::Number(text) => text,
                    _ => Text::primary("0.0"),
                })
                .collect();
            return self.operator(op, &numbers).map(Value::Number);
        };
        for other in others {
            self.push(format!("kausal_match(a, \"element-wise operator\", {first}, {other});"));
        }
        let rank = values.iter().map(|value| value.kind().rank).max().unwrap_or(0);
        // Computed once, not with every element.
        let numbers: Vec<Text> = values
            .iter()
            .map(|value| match value {
                Value::Number(text) => self.kept(text),
                other => Text::primary(format!("{}.data[k].number", other.written())),
            })
            .collect();
        let result = self.make(&format!("kausal_new(a, {first}.rank, {first}.size)"));
        let element = self.operator(op, &numbers)?.double().text;
        self.push(format!(
            "for (int k = 0, n = kausal_count({result}); k < n; k++) {result}.data[k].number = {element};"
        ));
        Ok(Value::Array(result, Kind { text: false, rank }))
    }

    fn operator(&self, op: Op, args: &[Text]) -> Fit<Text> {
        match Text::operator(op, args) {
            Some(text) => Ok(text),
            None => self.unfit(format!("the operator {op:?}")),
        }
    }

    /// An operator on strings.
    fn text_operator(&mut self, op: Op, values: &[Value]) -> Fit<Value> {
        match (op, values) {
            (Op::Add, _) => self.concat(values),
            (Op::NoEvent, [one]) => Ok(one.clone()),
            (_, [Value::String(a), Value::String(b)]) => {
                let (sign, binding) = match op {
                    Op::Equal => ("==", Binding::Equality),
                    Op::NotEqual => ("!=", Binding::Equality),
                    Op::Less => ("<", Binding::Relation),
                    Op::LessEqual => ("<=", Binding::Relation),
                    _ => return self.unfit(format!("the operator {op:?} of strings")),
                };
                let text = format!("strcmp({a}, {b}) {sign} 0");
                Ok(Value::Number(Text { text, binding, truth: true, operations: 1 }))
            }
            _ => self.unfit(format!("the operator {op:?} of strings")),
        }
    }

    fn joined(&mut self, parts: &[String]) -> Value {
        let list = self.temporary();
        self.push(format!("const char *const {list}[] = {{{}}};", parts.join(", ")));
        self.make_text(&format!("kausal_join(a, {}, {list})", parts.len()))
    }

    fn concat(&mut self, values: &[Value]) -> Fit<Value> {
        if values.iter().any(|value| !value.kind().text) {
            return self.unfit("a string and a number do not go together");
        }
        let arrays: Vec<String> = values.iter().filter(|v| v.kind().rank > 0).map(Value::written).collect();
        let Some((first, others)) = arrays.split_first() else {
            let parts: Vec<String> = values.iter().map(Value::written).collect();
            return Ok(match &parts[..] {
                [one] => Value::String(one.clone()),
                _ => self.joined(&parts),
            });
        };
        for other in others {
            self.push(format!("kausal_match(a, \"element-wise operator\", {first}, {other});"));
        }
        let rank = values.iter().map(|value| value.kind().rank).max().unwrap_or(0);
        let result = self.make(&format!("kausal_new(a, {first}.rank, {first}.size)"));
        self.push(format!("for (int k = 0, n = kausal_count({result}); k < n; k++) {{"));
        let parts: Vec<String> = values
            .iter()
            .map(|value| match value {
                Value::Array(name, _) => format!("{name}.data[k].text"),
                other => other.written(),
            })
            .collect();
        let joined = self.joined(&parts).written();
        self.push(format!("{result}.data[k].text = {joined};"));
        self.push("}");
        Ok(Value::Array(result, Kind { text: true, rank }))
    }

    /// `and`, `or`: what comes later is computed only if it counts.
    fn logic(&mut self, op: Op, args: &[TermId]) -> Fit<Value> {
        let (both, neutral) = if op == Op::And { (Binary::And, 1.0) } else { (Binary::Or, 0.0) };
        let mut so_far: Option<Text> = None;
        for &arg in args {
            let (next, lines) = self.apart(|this| this.number(arg))?;
            let Some(before) = so_far else {
                self.lines.extend(lines);
                so_far = Some(if args.len() == 1 {
                    Text::binary(both, &Text::number(neutral), &next)
                } else {
                    next
                });
                continue;
            };
            if lines.is_empty() {
                so_far = Some(Text::binary(both, &before, &next));
                continue;
            }
            let name = self.temporary();
            self.push(format!("double {name} = {};", before.condition().double().text));
            let not = if op == Op::And { "!=" } else { "==" };
            self.push(format!("if ({name} {not} 0.0) {{"));
            self.lines.extend(lines);
            self.push(format!("{name} = {};", next.condition().double().text));
            self.push("}");
            so_far = Some(Text::primary(name));
        }
        Ok(Value::Number(so_far.unwrap_or_else(|| Text::number(neutral))))
    }

    /// `if`: only the branch that counts is computed.
    fn choice(&mut self, term: TermId, condition: TermId, a: TermId, b: TermId) -> Fit<Value> {
        let condition = match self.value(condition)? {
            Value::Number(condition) => condition,
            array => {
                let values = vec![array, self.value(a)?, self.value(b)?];
                return self.element_wise_on(Op::If, values);
            }
        };
        let (a, then) = self.apart(|this| this.value(a))?;
        let (b, otherwise) = self.apart(|this| this.value(b))?;
        if let (Value::Number(a), Value::Number(b)) = (&a, &b)
            && then.is_empty()
            && otherwise.is_empty()
        {
            return Ok(Value::Number(Text::select(&condition, a, b)));
        }
        let kind = a.kind();
        if kind != b.kind() || kind != self.term_kind(term)? {
            return self.unfit("branches of different kinds");
        }
        let name = self.temporary();
        self.push(kind.declared(&name));
        self.push(format!("if ({}) {{", condition.condition().text));
        self.lines.extend(then);
        self.push(format!("{name} = {};", a.written()));
        self.push("} else {");
        self.lines.extend(otherwise);
        self.push(format!("{name} = {};", b.written()));
        self.push("}");
        Ok(made(name, kind))
    }

    /// The place of one element.
    pub(super) fn place(&mut self, array: &str, subscripts: &[Subscript]) -> Fit<String> {
        let mut place = String::new();
        for (k, subscript) in subscripts.iter().enumerate() {
            let &Subscript::Index(term) = subscript else { return self.unfit("a subscript that is not one") };
            let index = self.number(term)?.double().text;
            let name = self.temporary();
            self.push(format!(
                "const int {name} = kausal_subscript(a, {index}, {}, {array}.size[{k}]);",
                k + 1
            ));
            place = match (k, place.contains('+')) {
                (0, _) => name,
                (_, false) => format!("{place}*{array}.size[{k}] + {name}"),
                (_, true) => format!("({place})*{array}.size[{k}] + {name}"),
            };
        }
        self.check();
        Ok(place)
    }

    /// A list of subscripts.
    pub(super) fn index_list(&mut self, subscripts: &[Subscript], rank: usize) -> Fit<String> {
        if subscripts.len() > rank {
            return self.unfit("too many subscripts");
        }
        let mut entries = Vec::with_capacity(subscripts.len());
        for subscript in subscripts {
            entries.push(match subscript {
                Subscript::All => "{0, 0.0, {0}}".to_owned(),
                Subscript::Index(term) => match self.value(*term)? {
                    Value::Number(index) => format!("{{1, {}, {{0}}}}", index.double().text),
                    Value::Array(name, Kind { text: false, rank: 1 }) => format!("{{2, 0.0, {name}}}"),
                    _ => return self.unfit("a subscript that is neither a number nor a vector of numbers"),
                },
            });
        }
        let list = self.temporary();
        self.push(format!("const kausal_index {list}[] = {{{}}};", entries.join(", ")));
        Ok(list)
    }

    fn index(&mut self, array: TermId, subscripts: &[Subscript]) -> Fit<Value> {
        let value = self.value(array)?;
        if subscripts.is_empty() {
            return Ok(value);
        }
        let Value::Array(name, kind) = value else { return self.unfit("a subscript of a scalar") };
        if subscripts.len() == kind.rank && self.all_single(subscripts) {
            let place = self.place(&name, subscripts)?;
            let element = format!("{name}.data[{place}].{}", kind.field());
            return Ok(if kind.text {
                Value::String(element)
            } else {
                Value::Number(Text::primary(element))
            });
        }
        let single = subscripts.iter().filter(|subscript| match subscript {
            Subscript::All => false,
            Subscript::Index(term) => self.prepared.type_of(*term).is_number(),
        });
        let left = kind.rank - single.count().min(kind.rank);
        let index = self.index_list(subscripts, kind.rank)?;
        let chosen = self.make(&format!("kausal_select(a, {name}, {}, {index})", subscripts.len()));
        Ok(element_or_array(chosen, Kind { rank: left, ..kind }))
    }

    /// All outputs of a call; any other expression is its only output.
    pub(super) fn outputs(&mut self, term: TermId) -> Fit<Vec<Value>> {
        let prepared = self.prepared.clone();
        let Term::Call(called, args, _) = prepared.function().term(term) else {
            return Ok(vec![self.value(term)?]);
        };
        let args = args.iter().map(|&arg| self.value(arg)).collect::<Fit<Vec<_>>>()?;
        self.call(*called, &args)
    }

    fn call(&mut self, called: FunctionId, args: &[Value]) -> Fit<Vec<Value>> {
        let function = self.pool.function(called);
        if args.len() > function.inputs.len() {
            return self.unfit("too many arguments");
        }
        for (&input, arg) in function.inputs.iter().zip(args) {
            let local = function.local(input);
            if self.kind(local.scalar, Some(local.dims.len()))? != arg.kind() {
                return self
                    .unfit(format!("an argument of another kind than {} of {}", local.name, function.name));
            }
        }
        self.depth += 1;
        let at = self.dynamic.get(self.pool, called, args.len())?;
        self.depth -= 1;
        let mut passed = vec!["a".to_owned()];
        passed.extend(args.iter().map(Value::written));
        let mut results = Vec::with_capacity(function.outputs.len());
        for &output in &function.outputs {
            let local = function.local(output);
            let kind = self.kind(local.scalar, Some(local.dims.len()))?;
            let name = self.temporary();
            self.push(kind.declared(&name));
            passed.push(format!("&{name}"));
            results.push(made(name, kind));
        }
        let name = self.dynamic.name(self.pool, called, at);
        self.took = true;
        self.push(format!("{name}({});", passed.join(", ")));
        self.check();
        self.push("a->function = here;");
        Ok(results)
    }

    fn array_function(&mut self, term: TermId, array_fn: ArrayFn, args: &[TermId]) -> Fit<Value> {
        let kind = self.term_kind(term)?;
        let scalar = args.first().map_or(Scalar::Real, |first| self.prepared.type_of(*first).scalar);
        match (array_fn, args) {
            (ArrayFn::Construct, [_, ..]) => return self.construct(args, kind),
            (ArrayFn::Concat, _) => {
                let values = args.iter().map(|&arg| self.value(arg)).collect::<Fit<Vec<_>>>()?;
                return self.concat(&values);
            }
            (ArrayFn::ToString, [value, options @ ..]) => {
                return self.written_as_text(*value, scalar, options);
            }
            (ArrayFn::Product, [a, b]) => {
                let values = [self.value(*a)?, self.value(*b)?];
                if values.iter().any(|value| value.kind().rank == 0) {
                    return self.element_wise_on(Op::Mul, values.to_vec());
                }
                let [a, b] = values.map(|value| value.written());
                let product = self.make(&format!("kausal_product(a, {a}, {b})"));
                return Ok(element_or_array(product, kind));
            }
            (ArrayFn::SizeOf, [array, dimension]) => {
                let (array, dimension) = (self.array(*array)?, self.number(*dimension)?.double().text);
                let name = self.temporary();
                self.push(format!("const double {name} = kausal_size_of(a, {array}, {dimension});"));
                self.check();
                return Ok(Value::Number(Text::primary(name)));
            }
            (ArrayFn::Ndims, [array]) => {
                let rank = self.term_kind(*array)?.rank;
                return Ok(Value::Number(Text::number(rank as f64)));
            }
            (ArrayFn::Scalar, [value]) => {
                let value = self.array(*value)?;
                let name = self.temporary();
                self.push(format!("const kausal_element {name} = kausal_only(a, {value});"));
                self.check();
                let element = format!("{name}.{}", kind.field());
                return Ok(if kind.text {
                    Value::String(element)
                } else {
                    Value::Number(Text::primary(element))
                });
            }
            (ArrayFn::Sum | ArrayFn::ProductOf | ArrayFn::MinOf | ArrayFn::MaxOf, [value]) => {
                let value = self.array(*value)?;
                let text = match array_fn {
                    ArrayFn::Sum => format!("kausal_sum({value})"),
                    ArrayFn::ProductOf => format!("kausal_product_of({value})"),
                    ArrayFn::MinOf => format!("kausal_min_of({value}, {})", literal(greatest(scalar))),
                    _ => format!("kausal_max_of({value}, {})", literal(least(scalar))),
                };
                return Ok(Value::Number(self.bound(&Text::primary(text))));
            }
            _ => {}
        }
        let made = self.made_array(array_fn, args, kind)?;
        let name = self.make(&made);
        Ok(Value::Array(name, kind))
    }

    /// The call of a kernel that makes an array.
    fn made_array(&mut self, array_fn: ArrayFn, args: &[TermId], kind: Kind) -> Fit<String> {
        Ok(match (array_fn, args) {
            (ArrayFn::Cat, [dimension, parts @ ..]) if !parts.is_empty() => {
                let known = match self.prepared.function().term(*dimension) {
                    Term::Const(known) if *known >= 1.0 && *known <= MAX_RANK as f64 => *known as usize,
                    _ => return self.unfit("cat along a dimension that is not known"),
                };
                let mut promoted = Vec::with_capacity(parts.len());
                for &part in parts {
                    let part = self.array(part)?;
                    promoted.push(format!("kausal_promote({part}, {})", kind.rank));
                }
                let list = self.list_of_arrays(&promoted);
                format!("kausal_cat(a, {}, {}, {list})", known - 1, parts.len())
            }
            (ArrayFn::Range, [start, stop]) => {
                let (start, stop) = (self.number(*start)?.double().text, self.number(*stop)?.double().text);
                format!("kausal_range(a, {start}, 1.0, {stop})")
            }
            (ArrayFn::Range, [start, step, stop]) => {
                let [start, step, stop] = [self.number(*start)?, self.number(*step)?, self.number(*stop)?];
                let [start, step, stop] = [start, step, stop].map(|text| text.double().text);
                format!("kausal_range(a, {start}, {step}, {stop})")
            }
            (ArrayFn::Linspace, [first, last, count]) => {
                let [first, last, count] = [self.number(*first)?, self.number(*last)?, self.number(*count)?];
                let [first, last, count] = [first, last, count].map(|text| text.double().text);
                format!("kausal_linspace(a, {first}, {last}, {count})")
            }
            (ArrayFn::MatrixPower, [matrix, exponent]) => {
                let (matrix, exponent) = (self.array(*matrix)?, self.number(*exponent)?.double().text);
                format!("kausal_matrix_power(a, {matrix}, {exponent})")
            }
            (ArrayFn::Fill, [value, sizes @ ..]) => {
                let value = self.array(*value)?;
                if sizes.is_empty() {
                    return self.unfit("fill without a size");
                }
                let mut numbers = Vec::with_capacity(sizes.len());
                for &size in sizes {
                    numbers.push(self.number(size)?.double().text);
                }
                let list = self.temporary();
                self.push(format!("const double {list}[] = {{{}}};", numbers.join(", ")));
                format!("kausal_fill(a, {value}, {}, {list})", sizes.len())
            }
            (ArrayFn::Identity, [n]) => {
                let n = self.number(*n)?.double().text;
                let size = self.temporary();
                self.push(format!("const int {size} = kausal_size(a, \"the size of identity\", {n});"));
                self.check();
                format!("kausal_identity(a, {size})")
            }
            (ArrayFn::OuterProduct, [x, y]) => {
                let (x, y) = (self.array(*x)?, self.array(*y)?);
                format!("kausal_outer(a, {x}, {y})")
            }
            (ArrayFn::Cross, [x, y]) => {
                let (x, y) = (self.array(*x)?, self.array(*y)?);
                format!("kausal_cross(a, {x}, {y})")
            }
            (ArrayFn::Promote, [value, _]) => {
                let value = self.array(*value)?;
                format!("kausal_promote({value}, {})", kind.rank)
            }
            (_, [value]) => {
                let kernel = match array_fn {
                    ArrayFn::Transpose => "kausal_transpose",
                    ArrayFn::Size => "kausal_sizes",
                    ArrayFn::Diagonal => "kausal_diagonal",
                    ArrayFn::Symmetric => "kausal_symmetric",
                    ArrayFn::Skew => "kausal_skew",
                    ArrayFn::Vector => "kausal_as_vector",
                    ArrayFn::Matrix => "kausal_as_matrix",
                    _ => return self.unfit(format!("the function {array_fn:?}")),
                };
                let value = self.array(*value)?;
                format!("{kernel}(a, {value})")
            }
            _ => return self.unfit(format!("the function {array_fn:?} with {} arguments", args.len())),
        })
    }

    fn list_of_arrays(&mut self, arrays: &[String]) -> String {
        let list = self.temporary();
        self.push(format!("const kausal_array {list}[] = {{{}}};", arrays.join(", ")));
        list
    }

    /// `{a, b, …}`
    fn construct(&mut self, args: &[TermId], kind: Kind) -> Fit<Value> {
        let values = args.iter().map(|&arg| self.value(arg)).collect::<Fit<Vec<_>>>()?;
        let name = if values.iter().all(|value| value.kind().rank == 0) {
            let name = self.make(&format!("kausal_vector(a, {})", values.len()));
            for (k, value) in values.iter().enumerate() {
                self.push(format!("{name}.data[{k}].{} = {};", kind.field(), value.written()));
            }
            name
        } else {
            let parts = values.iter().map(|value| self.as_array(value)).collect::<Fit<Vec<_>>>()?;
            let list = self.list_of_arrays(&parts);
            self.make(&format!("kausal_construct(a, {}, {list})", parts.len()))
        };
        Ok(Value::Array(name, kind))
    }

    /// `String(value, …)`
    fn written_as_text(&mut self, value: TermId, scalar: Scalar, options: &[TermId]) -> Fit<Value> {
        let value = self.value(value)?;
        if value.kind().text {
            return Ok(value);
        }
        let written = if let [format] = options
            && self.is_text(*format)
        {
            let format = self.string(*format)?;
            format!("kausal_formatted(a, %, {format})")
        } else {
            let mut numbers = ["6.0", "0.0", "1.0"].map(str::to_owned);
            for (option, place) in options.iter().zip(&mut numbers) {
                *place = self.number(*option)?.double().text;
            }
            let [digits, width, left] = numbers;
            match scalar {
                Scalar::Boolean => format!("kausal_boolean_text(a, %, {width}, {left})"),
                Scalar::Real => format!("kausal_real_text(a, %, {digits}, {width}, {left})"),
                _ => format!("kausal_integer_text(a, %, {width}, {left})"),
            }
        };
        let Value::Array(name, kind) = value else {
            return Ok(self.make_text(&written.replacen('%', &value.written(), 1)));
        };
        let result = self.make(&format!("kausal_new(a, {name}.rank, {name}.size)"));
        self.push(format!("for (int k = 0, n = kausal_count({result}); k < n; k++) {{"));
        let element = self.make_text(&written.replacen('%', &format!("{name}.data[k].number"), 1)).written();
        self.push(format!("{result}.data[k].text = {element};"));
        self.push("}");
        Ok(Value::Array(result, Kind { text: true, ..kind }))
    }

    /// `{body for i in range, …}` and reductions; the first iterator is the innermost.
    fn comprehension(
        &mut self,
        reduction: Reduction,
        body: TermId,
        iterators: &[(LocalId, TermId)],
    ) -> Fit<Value> {
        let element = self.term_kind(body)?;
        let scalar = self.prepared.type_of(body).scalar;
        let ranges = iterators.iter().map(|(_, range)| self.rounds(*range)).collect::<Fit<Vec<_>>>()?;
        let folded = matches!(reduction, Reduction::Product | Reduction::Min | Reduction::Max);
        if (folded && element.rank > 0) || (element.text && reduction != Reduction::Array) {
            return self.unfit("a reduction of arrays or strings");
        }
        let (result, round) = (self.temporary(), self.temporary());
        let list = reduction == Reduction::Array;
        let kind = Kind { rank: element.rank + if list { iterators.len() } else { 0 }, ..element };
        self.kind(scalar, Some(kind.rank))?;
        match kind.rank {
            0 => {
                let empty = match reduction {
                    Reduction::Product => 1.0,
                    Reduction::Min => greatest(scalar),
                    Reduction::Max => least(scalar),
                    _ => 0.0,
                };
                self.push(format!("double {result} = {};", literal(empty)));
            }
            rank => {
                self.took = true;
                self.push(format!("kausal_array {result} = {{ .rank = {rank} }};"));
                if list {
                    for (k, range) in ranges.iter().rev().enumerate() {
                        self.push(format!("{result}.size[{k}] = {};", range.count));
                    }
                }
                if element.rank == 0 {
                    self.push(format!("{result} = kausal_new(a, {rank}, {result}.size);"));
                    self.check();
                }
            }
        }
        self.push(format!("int {round} = 0;"));
        let mut outside = Vec::with_capacity(iterators.len());
        for ((local, _), range) in iterators.iter().zip(&ranges).rev() {
            let counter = self.temporary();
            self.push(format!("for (int {counter} = 0; {counter} < {}; {counter}++) {{", range.count));
            outside.push((*local, self.bind_round(*local, range, &counter)));
        }
        let took = std::mem::replace(&mut self.took, false);
        let (value, lines) = self.apart(|this| this.value(body))?;
        // Strings stay where they are, and so does what the first round makes room for.
        let release = std::mem::replace(&mut self.took, took) && !element.text;
        self.took |= release || element.text;
        if release {
            self.push(format!("const size_t mark_{round} = a->used;"));
        }
        self.lines.extend(lines);
        match (&value, list) {
            (Value::Array(from, _), true) => {
                self.push(format!("kausal_gather(a, &{result}, {round}, {from});"));
                self.check();
            }
            (Value::Array(from, _), false) => {
                self.push(format!("kausal_accumulate(a, &{result}, {round}, {from});"));
                self.check();
            }
            (value, true) => {
                self.push(format!("{result}.data[{round}].{} = {};", element.field(), value.written()));
            }
            (Value::Number(text), false) => {
                let (next, last) = (self.kept(text), Text::primary(result.clone()));
                let fold = Text::binary(
                    match reduction {
                        Reduction::Product => Binary::Mul,
                        Reduction::Min => Binary::Min,
                        Reduction::Max => Binary::Max,
                        _ => Binary::Add,
                    },
                    &last,
                    &next,
                );
                let (next, fold) = (next.at_least(Binding::Or), fold.at_least(Binding::Or));
                self.push(format!("{result} = {round} == 0 ? {next} : {fold};"));
            }
            (Value::String(_), false) => return self.unfit("a reduction of strings"),
        }
        if release {
            let first = if element.rank > 0 { format!("if ({round} > 0) ") } else { String::new() };
            self.push(format!("{first}a->used = mark_{round};"));
        }
        self.push(format!("{round}++;"));
        for (local, home) in outside.into_iter().rev() {
            self.push("}");
            self.homes[local.0 as usize] = home;
        }
        Ok(made(result, kind))
    }
}

/// A variable that holds a value of this kind.
fn made(name: String, kind: Kind) -> Value {
    match kind {
        NUMBER => Value::Number(Text::primary(name)),
        STRING => Value::String(name),
        _ => Value::Array(name, kind),
    }
}

/// An array, or its element if it has no dimensions.
fn element_or_array(name: String, kind: Kind) -> Value {
    match kind {
        NUMBER => Value::Number(Text::primary(format!("{name}.data[0].number"))),
        STRING => Value::String(format!("{name}.data[0].text")),
        _ => Value::Array(name, kind),
    }
}
