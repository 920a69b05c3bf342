//! Functions as Modelica text.
//!
//! Fields of records, which are variables of their own here, get quoted names (`'r.x'`). Enumerations are printed as
//! their ordinals, since nothing else is left of them.

use super::typing::{TermType, term_types};
use super::{
    ArrayFn, Body, Dim, Function, FunctionId, LocalId, Reduction, Scalar, Stmt, Subscript, Target, Term,
    TermId,
};
use crate::node::Op;
use crate::pool::Pool;
use crate::print::print_number;

/// The annotation that keeps what Modelica has no word for (specification section 18.1).
pub const NOTE: &str = "__Kausal";
/// In [`NOTE`]: [`Notes::kept`](super::Notes::kept).
pub const KEPT: &str = "kept";

/// The text of a function. How functions are called is given.
pub fn print_function(pool: &Pool, id: FunctionId, name: &dyn Fn(FunctionId) -> String) -> String {
    let function = pool.function(id);
    let output =
        |called: FunctionId, number: u32| super::evaluator::output_type(pool.get_function(called)?, number);
    let types = term_types(function, &output).unwrap_or_default();
    let iterators = iterators(function);
    let mut printer = Printer { pool, function, types, iterators, name, text: String::new() };
    printer.whole(&name(id));
    printer.text
}

/// Which locals are variables of loops and nothing else?
fn iterators(function: &Function) -> Vec<bool> {
    let mut loops = vec![false; function.locals.len()];
    let mut assigned = vec![false; function.locals.len()];
    let mark = |list: &mut Vec<bool>, local: LocalId| {
        if let Some(flag) = list.get_mut(local.0 as usize) {
            *flag = true;
        }
    };
    for term in &function.terms {
        if let Term::For(_, _, iterators) = term {
            iterators.iter().for_each(|(local, _)| mark(&mut loops, *local));
        }
    }
    if let Body::Algorithm(statements) = &function.body {
        let mut stack: Vec<&[Stmt]> = vec![statements];
        while let Some(block) = stack.pop() {
            for statement in block {
                match statement {
                    Stmt::For(local, ..) => mark(&mut loops, *local),
                    other => other.for_each_local(&mut |local| mark(&mut assigned, local)),
                }
                stack.extend(statement.blocks());
            }
        }
    }
    let bare = |local: &super::Local| local.initial.is_none() && local.dims.is_empty();
    let flags = loops.iter().zip(&assigned).zip(&function.locals);
    flags.map(|((&found, &assigned), local)| found && !assigned && bare(local)).collect()
}

/// A name that can be read back: quoted unless it is an identifier.
pub fn quote_name(name: &str) -> String {
    let mut chars = name.chars();
    let plain = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { name.to_owned() } else { format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'")) }
}

/// How tightly something binds, weakest first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    If,
    Range,
    Or,
    And,
    Not,
    Relation,
    Sum,
    Product,
    Factor,
    Primary,
}

enum Item {
    Term(TermId, Binding, bool),
    Str(&'static str),
    Owned(String),
}

struct Printer<'a> {
    pool: &'a Pool,
    function: &'a Function,
    types: Vec<TermType>,
    /// Locals that are variables of loops and nothing else: they need no declaration.
    iterators: Vec<bool>,
    name: &'a dyn Fn(FunctionId) -> String,
    text: String,
}

impl Printer<'_> {
    fn whole(&mut self, name: &str) {
        let prefix = if self.function.notes.impure { "impure " } else { "" };
        self.text.push_str(&format!("{prefix}function {name}\n"));
        for &input in &self.function.inputs {
            self.declaration("input ", input);
        }
        for &output in &self.function.outputs {
            self.declaration("output ", output);
        }
        let mut first = true;
        for at in 0..self.function.locals.len() {
            let id = LocalId(at as u32);
            if self.function.inputs.contains(&id) || self.function.outputs.contains(&id) || self.iterators[at]
            {
                continue;
            }
            if std::mem::take(&mut first) {
                self.text.push_str("protected\n");
            }
            self.declaration("", id);
        }
        match &self.function.body {
            Body::Algorithm(statements) => {
                self.text.push_str("algorithm\n");
                self.block(statements, 1);
            }
            Body::External(external) => {
                self.text.push_str(&format!("external \"{}\" ", external.language));
                if let Some(result) = external.result {
                    let result = quote_name(&self.function.local(result).name);
                    self.text.push_str(&format!("{result} = "));
                }
                self.text.push_str(&external.name);
                self.text.push('(');
                self.list(&external.args);
                self.text.push_str(");\n");
            }
        }
        self.annotation();
        self.text.push_str(&format!("end {name};\n"));
    }

    fn declaration(&mut self, prefix: &str, id: LocalId) {
        let local = self.function.local(id);
        let kind = match local.scalar {
            Scalar::Real => "Real",
            Scalar::Integer | Scalar::Enumeration => "Integer",
            Scalar::Boolean => "Boolean",
            Scalar::String => "String",
            Scalar::External => {
                let classes = &self.function.notes.external_classes;
                let class = classes.iter().find(|(local, _)| *local == id);
                class.map_or("ExternalObject", |(_, name)| name.as_str())
            }
        };
        self.text.push_str(&format!("  {prefix}{kind} {}", quote_name(&local.name)));
        if !local.dims.is_empty() {
            self.text.push('[');
            for (k, dim) in local.dims.iter().enumerate() {
                if k > 0 {
                    self.text.push_str(", ");
                }
                match dim {
                    Dim::Known(size) => self.text.push_str(&size.to_string()),
                    Dim::Computed(size) => self.term(*size, Binding::If, false),
                    Dim::Unknown => self.text.push(':'),
                }
            }
            self.text.push(']');
        }
        if let Some(initial) = local.initial {
            self.text.push_str(" = ");
            self.term(initial, Binding::If, local.scalar == Scalar::Boolean);
        }
        self.text.push_str(";\n");
    }

    fn annotation(&mut self) {
        let notes = &self.function.notes;
        let named = |local: &LocalId| quote_name(&self.function.local(*local).name);
        let mut parts = Vec::new();
        for (name, value) in [("Inline", notes.inline), ("LateInline", notes.late_inline)] {
            if let Some(value) = value {
                parts.push(format!("{name}={value}"));
            }
        }
        if notes.inline_after_index_reduction {
            parts.push("InlineAfterIndexReduction=true".to_owned());
        }
        if notes.generate_events {
            parts.push("GenerateEvents=true".to_owned());
        }
        if notes.kept {
            parts.push(format!("{NOTE}({KEPT}=true)"));
        }
        if let Some(order) = notes.smooth_order {
            let constant: Vec<String> =
                notes.normally_constant.iter().map(|x| format!("normallyConstant={}", named(x))).collect();
            let inside =
                if constant.is_empty() { String::new() } else { format!("({})", constant.join(", ")) };
            parts.push(format!("smoothOrder{inside}={order}"));
        }
        for note in &notes.derivatives {
            let mut inside = Vec::new();
            if note.order != 1 {
                inside.push(format!("order={}", note.order));
            }
            inside.extend(note.zero.iter().map(|x| format!("zeroDerivative={}", named(x))));
            inside.extend(note.none.iter().map(|x| format!("noDerivative={}", named(x))));
            let inside = if inside.is_empty() { String::new() } else { format!("({})", inside.join(", ")) };
            parts.push(format!("derivative{inside}={}", (self.name)(note.function)));
        }
        let inverses: Vec<String> = notes
            .inverses
            .iter()
            .map(|note| {
                let args: Vec<String> = note.args.iter().map(named).collect();
                format!("{}={}({})", named(&note.input), (self.name)(note.function), args.join(", "))
            })
            .collect();
        if !inverses.is_empty() {
            parts.push(format!("inverse({})", inverses.join(", ")));
        }
        if let Body::External(external) = &self.function.body {
            parts.extend(foreign_notes(&external.annotations));
        }
        if !parts.is_empty() {
            self.text.push_str(&format!("  annotation({});\n", parts.join(", ")));
        }
    }

    fn block(&mut self, statements: &[Stmt], depth: usize) {
        for statement in statements {
            match statement {
                // All that is left of an `if` whose first condition is known to hold.
                Stmt::If(branches, otherwise) if branches.is_empty() => self.block(otherwise, depth),
                _ => self.statement(statement, depth),
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.text.push_str("  ");
        }
    }

    fn statement(&mut self, statement: &Stmt, depth: usize) {
        self.indent(depth);
        match statement {
            Stmt::Assign(target, value) => {
                self.target(target);
                self.text.push_str(" := ");
                let boolean = self.function.local(target.local).scalar == Scalar::Boolean;
                self.term(*value, Binding::If, boolean);
            }
            Stmt::AssignCall(targets, call) => {
                self.text.push('(');
                for (k, target) in targets.iter().enumerate() {
                    if k > 0 {
                        self.text.push_str(", ");
                    }
                    if let Some(target) = target {
                        self.target(target);
                    }
                }
                self.text.push_str(") := ");
                self.term(*call, Binding::If, false);
            }
            Stmt::If(branches, otherwise) => {
                for (k, (condition, body)) in branches.iter().enumerate() {
                    if k > 0 {
                        self.indent(depth);
                    }
                    self.text.push_str(if k == 0 { "if " } else { "elseif " });
                    self.term(*condition, Binding::If, true);
                    self.text.push_str(" then\n");
                    self.block(body, depth + 1);
                }
                if !otherwise.is_empty() {
                    self.indent(depth);
                    self.text.push_str("else\n");
                    self.block(otherwise, depth + 1);
                }
                self.indent(depth);
                self.text.push_str("end if");
            }
            Stmt::For(local, range, body) => {
                let local = quote_name(&self.function.local(*local).name);
                self.text.push_str(&format!("for {local} in "));
                self.term(*range, Binding::If, false);
                self.text.push_str(" loop\n");
                self.block(body, depth + 1);
                self.indent(depth);
                self.text.push_str("end for");
            }
            Stmt::While(condition, body) => {
                self.text.push_str("while ");
                self.term(*condition, Binding::If, true);
                self.text.push_str(" loop\n");
                self.block(body, depth + 1);
                self.indent(depth);
                self.text.push_str("end while");
            }
            Stmt::Break => self.text.push_str("break"),
            Stmt::Return => self.text.push_str("return"),
            Stmt::Assert(condition, message, level) => {
                self.text.push_str("assert(");
                self.term(*condition, Binding::If, true);
                self.text.push_str(", ");
                self.term(*message, Binding::If, false);
                if matches!(self.function.term(*level), Term::Const(1.0)) {
                    self.text.push_str(", AssertionLevel.warning");
                }
                self.text.push(')');
            }
            Stmt::Call(call) => self.term(*call, Binding::If, false),
        }
        self.text.push_str(";\n");
    }

    fn target(&mut self, target: &Target) {
        let name = quote_name(&self.function.local(target.local).name);
        self.text.push_str(&name);
        if !target.subscripts.is_empty() {
            let mut items = Vec::new();
            subscripts(&target.subscripts, &mut items);
            self.items(items);
        }
    }

    fn list(&mut self, terms: &[TermId]) {
        for (k, &term) in terms.iter().enumerate() {
            if k > 0 {
                self.text.push_str(", ");
            }
            self.term(term, Binding::If, false);
        }
    }

    fn term(&mut self, term: TermId, binding: Binding, boolean: bool) {
        self.items(vec![Item::Term(term, binding, boolean)]);
    }

    /// Prints items; terms inside are put on a stack, so deep ones do no harm.
    fn items(&mut self, mut stack: Vec<Item>) {
        stack.reverse();
        while let Some(item) = stack.pop() {
            match item {
                Item::Str(text) => self.text.push_str(text),
                Item::Owned(text) => self.text.push_str(&text),
                Item::Term(term, context, boolean) => {
                    let mut items = Vec::new();
                    let own = self.expand(term, boolean, &mut items);
                    if own < context {
                        items.insert(0, Item::Str("("));
                        items.push(Item::Str(")"));
                    }
                    stack.extend(items.into_iter().rev());
                }
            }
        }
    }

    fn rank(&self, term: TermId) -> u8 {
        self.types.get(term.0 as usize).and_then(|ty| ty.rank).unwrap_or(0)
    }

    fn is_boolean(&self, term: TermId) -> bool {
        self.types.get(term.0 as usize).is_some_and(|ty| ty.scalar == Scalar::Boolean)
    }

    fn expand(&self, term: TermId, boolean: bool, items: &mut Vec<Item>) -> Binding {
        match self.function.term(term) {
            Term::Const(value) if boolean => {
                items.push(Item::Str(if *value != 0.0 { "true" } else { "false" }));
                Binding::Primary
            }
            Term::Const(value) => {
                items.push(Item::Owned(number_text(*value)));
                if value.is_sign_negative() { Binding::Sum } else { Binding::Primary }
            }
            Term::Text(text) => {
                items.push(Item::Owned(quote_text(text)));
                Binding::Primary
            }
            Term::Local(local) => {
                items.push(Item::Owned(quote_name(&self.function.local(*local).name)));
                Binding::Primary
            }
            Term::Outer(var) => {
                items.push(Item::Owned(format!("'outer {}'", var.0)));
                Binding::Primary
            }
            Term::Index(array, list) => {
                items.push(Item::Term(*array, Binding::Primary, boolean));
                subscripts(list, items);
                Binding::Primary
            }
            Term::Op(op, args) => self.operator(*op, args, boolean, items),
            Term::Array(array_fn, args) => self.array(*array_fn, args, boolean, items),
            Term::Call(function, args, number) => {
                items.push(Item::Owned((self.name)(*function)));
                items.push(Item::Str("("));
                for (k, &arg) in args.iter().enumerate() {
                    if k > 0 {
                        items.push(Item::Str(", "));
                    }
                    items.push(Item::Term(arg, Binding::If, self.takes_boolean(*function, k)));
                }
                items.push(Item::Str(")"));
                if *number > 0 {
                    items.push(Item::Owned(format!(" /* output {} */", number + 1)));
                }
                Binding::Primary
            }
            Term::For(reduction, body, iterators) => {
                let (open, close) = match reduction {
                    Reduction::Array => ("{", "}"),
                    Reduction::Sum => ("sum(", ")"),
                    Reduction::Product => ("product(", ")"),
                    Reduction::Min => ("min(", ")"),
                    Reduction::Max => ("max(", ")"),
                };
                items.push(Item::Str(open));
                items.push(Item::Term(*body, Binding::If, boolean));
                items.push(Item::Str(" for "));
                for (k, (local, range)) in iterators.iter().enumerate() {
                    if k > 0 {
                        items.push(Item::Str(", "));
                    }
                    let local = quote_name(&self.function.local(*local).name);
                    items.push(Item::Owned(format!("{local} in ")));
                    items.push(Item::Term(*range, Binding::If, false));
                }
                items.push(Item::Str(close));
                Binding::Primary
            }
        }
    }

    fn arguments(&self, args: &[TermId], items: &mut Vec<Item>) {
        items.push(Item::Str("("));
        for (k, &arg) in args.iter().enumerate() {
            if k > 0 {
                items.push(Item::Str(", "));
            }
            items.push(Item::Term(arg, Binding::If, false));
        }
        items.push(Item::Str(")"));
    }

    fn chain(
        &self,
        word: &'static str,
        args: &[TermId],
        inner: Binding,
        boolean: bool,
        items: &mut Vec<Item>,
    ) {
        for (k, &arg) in args.iter().enumerate() {
            if k > 0 {
                items.push(Item::Str(word));
            }
            items.push(Item::Term(arg, inner, boolean));
        }
    }

    fn operator(&self, op: Op, args: &[TermId], boolean: bool, items: &mut Vec<Item>) -> Binding {
        let arrays = args.iter().filter(|&&arg| self.rank(arg) > 0).count();
        let compared_booleans = args.iter().any(|&arg| self.is_boolean(arg));
        match (op, args) {
            (Op::Add, _) => {
                let mixed = arrays > 0 && arrays < args.len();
                for (k, &arg) in args.iter().enumerate() {
                    match (k, self.function.term(arg)) {
                        (0, _) => items.push(Item::Term(arg, Binding::Sum, false)),
                        (_, Term::Op(Op::Neg, inner)) if inner.len() == 1 => {
                            items.push(Item::Str(if mixed { " .- " } else { " - " }));
                            items.push(Item::Term(inner[0], Binding::Product, false));
                        }
                        (_, Term::Const(value)) if value.is_sign_negative() => {
                            items.push(Item::Str(if mixed { " .- " } else { " - " }));
                            items.push(Item::Owned(number_text(-value)));
                        }
                        _ => {
                            items.push(Item::Str(if mixed { " .+ " } else { " + " }));
                            items.push(Item::Term(arg, Binding::Product, false));
                        }
                    }
                }
                Binding::Sum
            }
            (Op::Mul, _) => {
                let Some((&first, rest)) = args.split_first() else { return Binding::Product };
                items.push(Item::Term(first, Binding::Product, false));
                for &arg in rest {
                    items.push(Item::Str(if arrays > 1 { ".*" } else { "*" }));
                    items.push(Item::Term(arg, Binding::Factor, false));
                }
                Binding::Product
            }
            (Op::Neg, &[a]) => {
                items.push(Item::Str("-"));
                items.push(Item::Term(a, Binding::Product, false));
                Binding::Sum
            }
            (Op::Div, &[a, b]) => {
                items.push(Item::Term(a, Binding::Product, false));
                items.push(Item::Str(if self.rank(b) > 0 { " ./ " } else { "/" }));
                items.push(Item::Term(b, Binding::Factor, false));
                Binding::Product
            }
            (Op::Pow, &[a, b]) => {
                items.push(Item::Term(a, Binding::Primary, false));
                items.push(Item::Str(if arrays > 0 { " .^ " } else { "^" }));
                items.push(Item::Term(b, Binding::Primary, false));
                Binding::Factor
            }
            (Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual, _) => {
                let word = match op {
                    Op::Less => " < ",
                    Op::LessEqual => " <= ",
                    Op::Equal => " == ",
                    _ => " <> ",
                };
                self.chain(word, args, Binding::Sum, compared_booleans, items);
                Binding::Relation
            }
            (Op::Not, &[a]) => {
                items.push(Item::Str("not "));
                items.push(Item::Term(a, Binding::Primary, true));
                Binding::Not
            }
            (Op::And, _) => {
                self.chain(" and ", args, Binding::Not, true, items);
                Binding::And
            }
            (Op::Or, _) => {
                self.chain(" or ", args, Binding::And, true, items);
                Binding::Or
            }
            (Op::If, &[condition, a, b]) => {
                let boolean = boolean || self.is_boolean(a) || self.is_boolean(b);
                items.push(Item::Str("if "));
                items.push(Item::Term(condition, Binding::Or, true));
                items.push(Item::Str(" then "));
                items.push(Item::Term(a, Binding::Or, boolean));
                items.push(Item::Str(" else "));
                items.push(Item::Term(b, Binding::If, boolean));
                Binding::If
            }
            (Op::Time, _) => {
                items.push(Item::Str("time"));
                Binding::Primary
            }
            _ => {
                items.push(Item::Str(op.function_name().unwrap_or("?")));
                self.arguments(args, items);
                Binding::Primary
            }
        }
    }

    fn array(&self, array_fn: ArrayFn, args: &[TermId], boolean: bool, items: &mut Vec<Item>) -> Binding {
        let name = match array_fn {
            ArrayFn::Construct => {
                let boolean = boolean || args.iter().any(|&arg| self.is_boolean(arg));
                items.push(Item::Str("{"));
                self.chain(", ", args, Binding::If, boolean, items);
                items.push(Item::Str("}"));
                return Binding::Primary;
            }
            ArrayFn::Range => {
                self.chain(":", args, Binding::Or, false, items);
                return Binding::Range;
            }
            ArrayFn::Product => {
                self.chain("*", args, Binding::Factor, false, items);
                return Binding::Product;
            }
            ArrayFn::MatrixPower => {
                self.chain("^", args, Binding::Primary, false, items);
                return Binding::Factor;
            }
            ArrayFn::Concat => {
                self.chain(" + ", args, Binding::Product, false, items);
                return Binding::Sum;
            }
            ArrayFn::ToString => {
                let names: &[&'static str] = if args.len() == 2 && self.is_text(args[1]) {
                    &["", "format="]
                } else {
                    &["", "significantDigits=", "minimumLength=", "leftJustified="]
                };
                items.push(Item::Str("String("));
                for (k, (&arg, &name)) in args.iter().zip(names).enumerate() {
                    if k > 0 {
                        items.push(Item::Str(", "));
                    }
                    items.push(Item::Str(name));
                    items.push(Item::Term(arg, Binding::If, k == 3));
                }
                items.push(Item::Str(")"));
                return Binding::Primary;
            }
            ArrayFn::Cat => "cat",
            ArrayFn::Transpose => "transpose",
            ArrayFn::Size | ArrayFn::SizeOf => "size",
            ArrayFn::Ndims => "ndims",
            ArrayFn::Fill => "fill",
            ArrayFn::Identity => "identity",
            ArrayFn::Diagonal => "diagonal",
            ArrayFn::Linspace => "linspace",
            ArrayFn::Sum => "sum",
            ArrayFn::ProductOf => "product",
            ArrayFn::MinOf => "min",
            ArrayFn::MaxOf => "max",
            ArrayFn::OuterProduct => "outerProduct",
            ArrayFn::Symmetric => "symmetric",
            ArrayFn::Cross => "cross",
            ArrayFn::Skew => "skew",
            ArrayFn::Scalar => "scalar",
            ArrayFn::Vector => "vector",
            ArrayFn::Matrix => "matrix",
            ArrayFn::Promote => "promote",
        };
        items.push(Item::Str(name));
        items.push(Item::Str("("));
        for (k, &arg) in args.iter().enumerate() {
            if k > 0 {
                items.push(Item::Str(", "));
            }
            // Of `fill` the first argument is a value, of `cat` all others; the rest are numbers.
            let value = match array_fn {
                ArrayFn::Fill => k == 0,
                ArrayFn::Cat => k > 0,
                ArrayFn::Scalar | ArrayFn::Vector | ArrayFn::Matrix | ArrayFn::Transpose => true,
                _ => false,
            };
            items.push(Item::Term(arg, Binding::If, boolean && value));
        }
        items.push(Item::Str(")"));
        Binding::Primary
    }

    /// Is an input of a function a Boolean?
    fn takes_boolean(&self, id: FunctionId, input: usize) -> bool {
        let Some(function) = self.pool.get_function(id) else { return false };
        function.inputs.get(input).is_some_and(|&local| function.local(local).scalar == Scalar::Boolean)
    }

    fn is_text(&self, term: TermId) -> bool {
        self.types.get(term.0 as usize).is_some_and(|ty| ty.scalar == Scalar::String)
    }
}

fn subscripts(list: &[Subscript], items: &mut Vec<Item>) {
    items.push(Item::Str("["));
    for (k, subscript) in list.iter().enumerate() {
        if k > 0 {
            items.push(Item::Str(", "));
        }
        items.push(match subscript {
            Subscript::All => Item::Str(":"),
            Subscript::Index(index) => Item::Term(*index, Binding::If, false),
        });
    }
    items.push(Item::Str("]"));
}

/// `Include`, `Library` and so on, each once: several values are a list.
fn foreign_notes(annotations: &[(String, String)]) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in annotations {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
        .into_iter()
        .map(|name| {
            let values: Vec<String> =
                annotations.iter().filter(|(n, _)| n == name).map(|(_, v)| quote_text(v)).collect();
            match values.as_slice() {
                [one] => format!("{name}={one}"),
                many => format!("{name}={{{}}}", many.join(", ")),
            }
        })
        .collect()
}

/// A number; one without a fraction has neither point nor exponent, for it may be an `Integer`.
fn number_text(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { print_number(value) }
}

/// A string literal (specification section 2.4.5).
fn quote_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
