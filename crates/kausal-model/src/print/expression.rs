//! Expressions with types: where a Boolean is wanted, 1 is `true`, where an enumeration is wanted, it is a literal.
//!
//! Terms and factors are ordered by their first variable and then by their text, whatever the order in the pool.

use kausal_symbolic::function::Scalar;
use kausal_symbolic::function::layout::Layout;
use kausal_symbolic::print::print_number;
use kausal_symbolic::{ExprId, Node, Op, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::builtins::operator_name;
use crate::flat::{FlatModel, Type};
use crate::print::functions::Functions;
use crate::print::names::{Kind, free_identifier, identifier, kind_of_scalar, nested, nested_name, string};

/// A number too large to be finite.
const INFINITE: &str = "1e999";
const MINUS_INFINITE: &str = "-1e999";

/// How tightly something binds, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    If,
    Or,
    And,
    Not,
    Relation,
    Sum,
    Product,
    Factor,
    Primary,
}

#[derive(Clone, Debug)]
struct Piece {
    text: String,
    binding: Binding,
}

impl Piece {
    fn new(text: String, binding: Binding) -> Self {
        Piece { text, binding }
    }

    fn within(&self, context: Binding) -> String {
        if self.binding < context { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// Prints the expressions of one model.
pub struct Expressions<'a> {
    flat: &'a FlatModel,
    /// The names of the variables.
    pub names: Vec<String>,
    /// The names of the enumerations.
    pub enumerations: Vec<String>,
    /// Functions met so far.
    pub functions: Functions,
    kinds: Vec<Kind>,
    /// The first variable below every expression.
    first: Vec<u32>,
    variables: FxHashMap<VarId, ExprId>,
    /// A variable to be printed as `relax(x)`.
    pub relaxed: Option<ExprId>,
}

impl<'a> Expressions<'a> {
    /// For a model.
    pub fn new(flat: &'a FlatModel) -> Self {
        let mut taken = FxHashSet::default();
        let names = flat.variables.iter().map(|v| free_identifier(&v.name, &mut taken)).collect();
        let enumerations = flat.enumerations.iter().map(|e| nested_name(flat, &e.name, &mut taken)).collect();
        let functions = Functions::new(flat, &mut taken);
        let mut this = Expressions {
            flat,
            names,
            enumerations,
            functions,
            kinds: Vec::with_capacity(flat.pool.len()),
            first: Vec::with_capacity(flat.pool.len()),
            variables: FxHashMap::default(),
            relaxed: None,
        };
        // Ids ascend from the leaves to the roots.
        for id in (0..flat.pool.len() as u32).map(ExprId) {
            let kind = this.infer(id);
            let below = flat.pool.children(id).iter().map(|c| this.first[c.0 as usize]).min();
            let first = match flat.pool.node(id) {
                Node::Var(var) => {
                    this.variables.insert(var, id);
                    var.0
                }
                _ => below.unwrap_or(u32::MAX),
            };
            this.kinds.push(kind);
            this.first.push(first);
        }
        this
    }

    /// What an expression is.
    pub fn kind(&self, id: ExprId) -> Kind {
        self.kinds[id.0 as usize]
    }

    /// What a variable of this type is.
    pub fn kind_of_type(&self, ty: Type) -> Kind {
        match ty {
            Type::Real | Type::External(_) | Type::Clock => Kind::Real,
            Type::Integer => Kind::Integer,
            Type::Boolean => Kind::Boolean,
            Type::String => Kind::Text,
            Type::Enumeration(e) => Kind::Enumeration(e),
        }
    }

    /// The expression that is this variable, if it occurs.
    pub fn variable(&self, var: VarId) -> Option<ExprId> {
        self.variables.get(&var).copied()
    }

    fn infer(&self, id: ExprId) -> Kind {
        let of = |e: &ExprId| self.kinds[e.0 as usize];
        match self.flat.pool.node(id) {
            Node::Const(x) if x.fract() == 0.0 => Kind::Unknown,
            Node::Const(_) => Kind::Real,
            Node::Text(_) => Kind::Text,
            Node::Var(var) => self.kind_of_type(self.flat.variable(var).ty),
            Node::Call(..) => Kind::Real,
            Node::Output(call, k) => match self.flat.pool.node(call) {
                Node::Call(function, args) => {
                    let called = self.flat.pool.function(function);
                    let entry = Layout::of_outputs(called).and_then(|l| Some(l.find(k as usize)?.0.scalar));
                    match (entry, args.first()) {
                        (Some(Scalar::Enumeration), Some(u)) if operator_name(called).is_some() => of(u),
                        (Some(scalar), _) => kind_of_scalar(scalar),
                        (None, _) => Kind::Real,
                    }
                }
                _ => Kind::Real,
            },
            Node::Op(op, args) => match (op, args) {
                (Op::If, [_, a, b]) => of(a).join(of(b)),
                (Op::Pre | Op::NoEvent | Op::Delay | Op::Homotopy, [a, ..]) => of(a),
                (Op::Smooth, [_, a]) => of(a),
                (Op::Min | Op::Max, [a, b]) => of(a).join(of(b)),
                (Op::Add | Op::Mul | Op::Neg | Op::Abs | Op::IntegerDiv | Op::Mod | Op::Rem, args) => {
                    args.iter().fold(Kind::Unknown, |k, a| k.join(of(a).number()))
                }
                (Op::Sign | Op::Integer, _) => Kind::Integer,
                (op, _) if op.is_boolean() => Kind::Boolean,
                _ => Kind::Real,
            },
        }
    }

    /// The text of an expression where a value of this kind is wanted.
    pub fn text(&mut self, id: ExprId, want: Kind) -> String {
        self.piece(id, want).text
    }

    /// As [`text`](Self::text), in parentheses unless something may be added behind it, or it stands alone.
    pub fn operand(&mut self, id: ExprId, want: Kind, alone: bool) -> String {
        self.piece(id, want).within(if alone { Binding::If } else { Binding::Sum })
    }

    /// The text of a call with all its arguments.
    pub fn call(&mut self, call: ExprId) -> String {
        if let Node::Call(function, _) = self.flat.pool.node(call) {
            self.functions.call(function);
        }
        self.text(call, Kind::Real)
    }

    fn piece(&mut self, root: ExprId, want: Kind) -> Piece {
        if matches!(self.flat.pool.node(root), Node::Const(_) | Node::Text(_) | Node::Var(_)) {
            return self.make(root, want, &[]);
        }
        let mut done: FxHashMap<(ExprId, Kind), Piece> = FxHashMap::default();
        let mut stack = vec![(root, want)];
        while let Some(&(id, want)) = stack.last() {
            if done.contains_key(&(id, want)) {
                stack.pop();
                continue;
            }
            let wanted = self.wanted(id, want);
            let before = stack.len();
            stack.extend(wanted.iter().filter(|w| !done.contains_key(w)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let parts: Vec<&Piece> = wanted.iter().filter_map(|w| done.get(w)).collect();
            let piece = self.make(id, want, &parts);
            done.insert((id, want), piece);
        }
        done.remove(&(root, want)).unwrap_or(Piece::new(String::new(), Binding::Primary))
    }

    /// The parts of an expression and what is wanted of them.
    fn wanted(&self, id: ExprId, want: Kind) -> Vec<(ExprId, Kind)> {
        let all = |args: &[ExprId], kind: Kind| args.iter().map(|&a| (a, kind)).collect();
        let joined = |args: &[ExprId]| args.iter().fold(Kind::Unknown, |k, &a| k.join(self.kind(a)));
        match self.flat.pool.node(id) {
            Node::Const(_) | Node::Text(_) | Node::Var(_) => Vec::new(),
            Node::Output(call, _) => vec![(call, Kind::Real)],
            Node::Call(function, args) => {
                let called = self.flat.pool.function(function);
                let layout = Layout::of_inputs(called);
                let operator = operator_name(called).is_some();
                let kind = |i: usize| match layout.as_ref().and_then(|l| l.find(i)) {
                    Some((entry, _)) if operator && entry.scalar == Scalar::Enumeration => self.kind(args[i]),
                    Some((entry, _)) => kind_of_scalar(entry.scalar),
                    None => Kind::Real,
                };
                args.iter().enumerate().map(|(i, &a)| (a, kind(i))).collect()
            }
            Node::Op(op, args) => match (op, args) {
                (Op::If, &[c, a, b]) => {
                    let own = if want == Kind::Unknown { self.kind(id) } else { want };
                    vec![(c, Kind::Boolean), (a, own), (b, own)]
                }
                (Op::Pre | Op::NoEvent | Op::Homotopy, args) => {
                    all(args, if self.kind(id) == Kind::Unknown { want } else { self.kind(id) })
                }
                (Op::Smooth, &[p, a]) => vec![(p, Kind::Integer), (a, Kind::Real.join(self.kind(a)))],
                (Op::Min | Op::Max, args) => {
                    all(args, if want == Kind::Integer { want } else { joined(args) })
                }
                (Op::Less | Op::LessEqual | Op::Equal | Op::NotEqual, args) => all(args, joined(args)),
                (Op::Not | Op::And | Op::Or, args) => all(args, Kind::Boolean),
                (Op::Add | Op::Mul | Op::Neg | Op::Abs | Op::IntegerDiv | Op::Mod | Op::Rem, args) => {
                    let number = if want == Kind::Integer { want } else { self.kind(id).number() };
                    all(args, number)
                }
                (_, args) => all(args, Kind::Real),
            },
        }
    }

    fn make(&mut self, id: ExprId, want: Kind, parts: &[&Piece]) -> Piece {
        let primary = |text: String| Piece::new(text, Binding::Primary);
        let piece = match self.flat.pool.node(id) {
            Node::Const(x) => return self.number(x, want),
            Node::Text(text) => return primary(string(self.flat.pool.text_of(text))),
            Node::Var(var) if self.relaxed == Some(id) => {
                primary(format!("relax({})", self.names[var.index()]))
            }
            Node::Var(var) => primary(self.names[var.index()].clone()),
            Node::Call(function, _) => {
                let mut texts: Vec<String> = parts.iter().map(|p| p.text.clone()).collect();
                if operator_name(self.flat.pool.function(function)).is_some() {
                    self.mark_reals(function, &mut texts);
                }
                let arguments = self.arguments(function, &texts);
                primary(format!("{}({arguments})", self.functions.name(function)))
            }
            Node::Output(call, k) => {
                let Node::Call(function, _) = self.flat.pool.node(call) else { return parts[0].clone() };
                // The call is printed with the name of the function: put the one that selects in its place.
                let name = self.functions.name(function).len();
                match self.functions.selector(function, k) {
                    Some(selector) => primary(format!("{selector}{}", &parts[0].text[name..])),
                    None => {
                        self.functions.call(function);
                        parts[0].clone()
                    }
                }
            }
            Node::Op(op, args) => {
                let piece = self.operator(op, args, parts);
                if passes_on(op) && want == Kind::Integer || op == Op::If {
                    return piece;
                }
                piece
            }
        };
        self.converted(piece, self.kind(id), want)
    }

    /// Enumerations are no numbers.
    fn converted(&self, piece: Piece, kind: Kind, want: Kind) -> Piece {
        match (kind, want) {
            (Kind::Enumeration(_), Kind::Integer | Kind::Real) => {
                Piece::new(format!("Integer({})", piece.text), Binding::Primary)
            }
            // `integer(ceil(x))` is `ceil(x)` after simplification, which is no Integer.
            (Kind::Real, Kind::Integer) => Piece::new(format!("integer({})", piece.text), Binding::Primary),
            (Kind::Integer, Kind::Enumeration(e)) => {
                let name = &self.enumerations[e as usize];
                Piece::new(format!("{name}({})", piece.text), Binding::Primary)
            }
            _ => piece,
        }
    }

    fn number(&self, x: f64, want: Kind) -> Piece {
        let text = match want {
            Kind::Boolean => (if x != 0.0 { "true" } else { "false" }).to_owned(),
            Kind::Enumeration(e) => {
                let name = &self.enumerations[e as usize];
                let literals = &self.flat.enumerations[e as usize].literals;
                match literals.get((x as usize).wrapping_sub(1)) {
                    Some(literal) => format!("{name}.{}", identifier(literal)),
                    None => format!("{name}({x})"),
                }
            }
            Kind::Integer if x.fract() == 0.0 && x.abs() < 1e15 => format!("{x:.0}"),
            _ if x.is_infinite() => (if x > 0.0 { INFINITE } else { MINUS_INFINITE }).to_owned(),
            _ => print_number(x),
        };
        let binding = if text.starts_with('-') { Binding::Sum } else { Binding::Primary };
        Piece::new(text, binding)
    }

    /// What an operator means may depend on the types of its arguments: `Clock(1)` is not `Clock(1.0)`.
    fn mark_reals(&self, function: kausal_symbolic::FunctionId, texts: &mut [String]) {
        let Some(layout) = Layout::of_inputs(self.flat.pool.function(function)) else { return };
        for (i, text) in texts.iter_mut().enumerate() {
            let real = layout.find(i).is_some_and(|(entry, _)| entry.scalar == Scalar::Real);
            if real && text.chars().all(|c| c.is_ascii_digit() || c == '-') {
                text.push_str(".0");
            }
        }
    }

    fn arguments(&self, function: kausal_symbolic::FunctionId, texts: &[String]) -> String {
        let Some(layout) = Layout::of_inputs(self.flat.pool.function(function)) else {
            return texts.join(", ");
        };
        let list: Vec<String> = layout
            .entries
            .iter()
            .filter_map(|entry| {
                let scalars = texts.get(entry.offset..entry.offset + entry.len)?;
                Some(nested(scalars, &entry.shape, entry.scalar))
            })
            .collect();
        list.join(", ")
    }

    fn operator(&self, op: Op, args: &[ExprId], parts: &[&Piece]) -> Piece {
        let pair = |word: &str, left: Binding, right: Binding, own: Binding| {
            Piece::new(format!("{}{word}{}", parts[0].within(left), parts[1].within(right)), own)
        };
        match op {
            Op::Add => self.sum(args, parts),
            Op::Mul => {
                let mut order: Vec<usize> = (0..args.len()).collect();
                order.sort_by_key(|&i| self.order(args[i], &parts[i].text, false));
                let texts: Vec<String> = order
                    .iter()
                    .enumerate()
                    .map(|(n, &i)| parts[i].within(if n == 0 { Binding::Product } else { Binding::Factor }))
                    .collect();
                Piece::new(texts.join("*"), Binding::Product)
            }
            Op::Neg => Piece::new(format!("-{}", parts[0].within(Binding::Product)), Binding::Sum),
            Op::Div => pair("/", Binding::Product, Binding::Factor, Binding::Product),
            Op::Pow => pair("^", Binding::Primary, Binding::Primary, Binding::Factor),
            Op::Less => pair(" < ", Binding::Sum, Binding::Sum, Binding::Relation),
            Op::LessEqual => pair(" <= ", Binding::Sum, Binding::Sum, Binding::Relation),
            Op::Equal | Op::NotEqual => {
                let word = if op == Op::Equal { " == " } else { " <> " };
                let texts = self.sorted(args, parts).map(|i| parts[i].within(Binding::Sum));
                Piece::new(texts.join(word), Binding::Relation)
            }
            Op::Min | Op::Max => {
                let texts = self.sorted(args, parts).map(|i| parts[i].text.clone());
                let name = if op == Op::Min { "min" } else { "max" };
                Piece::new(format!("{name}({})", texts.join(", ")), Binding::Primary)
            }
            Op::Not => Piece::new(format!("not {}", parts[0].within(Binding::Primary)), Binding::Not),
            Op::And | Op::Or => {
                let (word, inner, own) = match op {
                    Op::And => (" and ", Binding::Not, Binding::And),
                    _ => (" or ", Binding::And, Binding::Or),
                };
                let texts: Vec<String> = parts.iter().map(|p| p.within(inner)).collect();
                Piece::new(texts.join(word), own)
            }
            Op::If => {
                let (condition, then) = (parts[0].within(Binding::Or), parts[1].within(Binding::Or));
                // `else` and `if …` make `elseif …`.
                let space = if parts[2].binding == Binding::If { "" } else { " " };
                let text = format!("if {condition} then {then} else{space}{}", parts[2].text);
                Piece::new(text, Binding::If)
            }
            Op::Time => Piece::new("time".to_owned(), Binding::Primary),
            _ => {
                let texts: Vec<String> = parts.iter().map(|p| p.text.clone()).collect();
                let name = op.function_name().unwrap_or("?");
                Piece::new(format!("{name}({})", texts.join(", ")), Binding::Primary)
            }
        }
    }

    /// The order of two arguments that may be exchanged: a number last.
    fn sorted(&self, args: &[ExprId], parts: &[&Piece]) -> [usize; 2] {
        let key = |i: usize| self.order(args[i], &parts[i].text, true);
        if key(1) < key(0) { [1, 0] } else { [0, 1] }
    }

    fn order<'t>(&self, id: ExprId, text: &'t str, numbers_last: bool) -> (bool, u32, &'t str) {
        let number = matches!(self.flat.pool.node(id), Node::Const(_));
        (number == numbers_last, self.first[id.0 as usize], text)
    }

    /// Something positive first, if there is; minus signs become subtractions.
    fn sum(&self, args: &[ExprId], parts: &[&Piece]) -> Piece {
        let mut order: Vec<usize> = (0..args.len()).collect();
        order.sort_by_key(|&i| {
            self.order(args[i], parts[i].text.strip_prefix('-').unwrap_or(&parts[i].text), true)
        });
        let lead = order.iter().position(|&i| !parts[i].text.starts_with('-')).unwrap_or(0);
        let first = order.remove(lead);
        let mut text = parts[first].within(Binding::Sum);
        for i in order {
            match self.flat.pool.node(args[i]) {
                Node::Op(Op::Neg, _) | Node::Const(_) if parts[i].text.starts_with('-') => {
                    text.push_str(" - ");
                    text.push_str(&parts[i].text[1..]);
                }
                _ => {
                    text.push_str(" + ");
                    text.push_str(&parts[i].within(Binding::Product));
                }
            }
        }
        Piece::new(text, Binding::Sum)
    }
}

/// Is it an Integer when its arguments are?
fn passes_on(op: Op) -> bool {
    matches!(
        op,
        Op::Add | Op::Mul | Op::Neg | Op::Abs | Op::IntegerDiv | Op::Mod | Op::Rem | Op::Min | Op::Max
    )
}
