//! The built-in operators and functions (specification sections 3.7 and 10.3): one table that equations and functions ask.
//!
//! A row says how many arguments there are, what each must be, how they go together, and the type of the result. Both
//! elaborators ([`expr::builtin`](crate::expr::builtin) for equations, `functions::term_call` for functions) ask
//! [`Entry::check`] before they build anything, so that a call is right in both or wrong in both. Sizes are known in
//! equations only: there what is said about dimensions comes from the arrays themselves.

use kausal_symbolic::function::{Body, Function};

use crate::value::Ty;

/// A built-in operator or function.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The smallest number of arguments.
    pub least: usize,
    /// The greatest number of arguments.
    pub most: usize,
    /// What the arguments must be, in order; the last one holds for all that follow.
    pub needs: &'static [Need],
    /// What they must be to each other.
    pub rule: Rule,
    /// The type of the result.
    pub gives: Gives,
    /// Where it has a meaning.
    pub place: Place,
    /// Can arguments be given by name?
    pub named: bool,
    /// How it is called, for messages.
    pub usage: Option<&'static str>,
}

/// What an argument must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Any value.
    Any,
    /// Numbers with any dimensions.
    Numbers,
    /// One number.
    Number,
    /// One number that is a size or the number of a dimension.
    Size,
    /// One Integer.
    Order,
    /// What has an order: numbers, truth values, enumerations.
    Ordered,
    /// Truth values with any dimensions.
    Booleans,
    /// What can be made an `Integer`, a `Real` or a `Boolean` by the conversion of that name.
    Convertible(Ty),
    /// A vector of numbers.
    Vector,
    /// A matrix of numbers.
    Matrix,
    /// Something with at least two dimensions.
    Rows,
    /// An array of numbers, or of records that can be added.
    Terms,
    /// An array of numbers.
    Factors,
}

/// What arguments must be to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Nothing.
    Free,
    /// Element by element: those that are arrays have equal dimensions.
    Broadcast,
    /// Those from this position on are of one type.
    Alike(usize),
    /// One array, or two values of one type; only numbers are compared element by element.
    Extreme,
    /// All have the same dimensions.
    SameRank,
}

/// The type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Always this one.
    Always(Ty),
    /// That of an argument.
    Of(usize),
    /// The one all arguments can be taken for.
    Joined,
}

/// Where an operator has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Everywhere.
    Anywhere,
    /// In models only: it stands for something of a variable or of the run, not for a function of values.
    Models,
    /// It is a statement or an equation, not a value.
    Statement,
}

/// What is known of an argument.
#[derive(Clone, Debug)]
pub struct Actual {
    /// The type of scalars; `None` of records and functions.
    pub ty: Option<Ty>,
    /// Is it a record, or an array of records?
    pub record: bool,
    /// How many dimensions.
    pub rank: usize,
    /// What to call it in messages.
    pub text: String,
}

/// Why a call is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The number of arguments, or one that must be a scalar.
    Arguments,
    /// The same, in words.
    Said(String),
    /// The type of an argument.
    Type(String),
    /// The dimensions of an argument.
    Dimensions(String),
    /// What cannot be converted.
    Conversion(String),
    /// Parts of an array of different types.
    Parts(String),
}

impl Misfit {
    /// The code of the diagnostic.
    pub fn code(&self) -> &'static str {
        match self {
            Misfit::Arguments | Misfit::Said(_) => "K0351",
            Misfit::Type(_) => "K0349",
            Misfit::Dimensions(_) => "K0332",
            Misfit::Conversion(_) => "K0348",
            Misfit::Parts(_) => "K0331",
        }
    }

    /// The message for a call of `name`.
    pub fn message(self, name: &str) -> String {
        match self {
            Misfit::Arguments => format!("{name} cannot be called with these arguments"),
            Misfit::Said(text)
            | Misfit::Type(text)
            | Misfit::Dimensions(text)
            | Misfit::Conversion(text)
            | Misfit::Parts(text) => text,
        }
    }
}

/// Any number of arguments.
const MANY: usize = usize::MAX;

const fn row(name: &'static str, least: usize, most: usize, needs: &'static [Need], gives: Gives) -> Entry {
    let (rule, place) = (Rule::Free, Place::Anywhere);
    Entry { name, least, most, needs, rule, gives, place, named: false, usage: None }
}

/// A function of numbers, element by element.
const fn map(name: &'static str, count: usize, gives: Gives) -> Entry {
    Entry { rule: Rule::Broadcast, ..row(name, count, count, &[Need::Numbers], gives) }
}

impl Entry {
    const fn rule(self, rule: Rule) -> Entry {
        Entry { rule, ..self }
    }

    const fn called(self, usage: &'static str) -> Entry {
        Entry { usage: Some(usage), ..self }
    }

    const fn models(self) -> Entry {
        Entry { place: Place::Models, ..self }
    }

    const fn statement(self) -> Entry {
        Entry { place: Place::Statement, named: true, ..self }
    }

    const fn named(self) -> Entry {
        Entry { named: true, ..self }
    }
}

const REAL: Gives = Gives::Always(Ty::Real);
const INTEGER: Gives = Gives::Always(Ty::Integer);
const BOOLEAN: Gives = Gives::Always(Ty::Boolean);
const STRING: Gives = Gives::Always(Ty::String);
const FIRST: Gives = Gives::Of(0);

/// All of them. Clocked operators and those of state machines have a list of their own (`expr::opaque`).
pub static TABLE: &[Entry] = &[
    map("sqrt", 1, REAL),
    map("exp", 1, REAL),
    map("log", 1, REAL),
    map("log10", 1, REAL),
    map("sin", 1, REAL),
    map("cos", 1, REAL),
    map("tan", 1, REAL),
    map("asin", 1, REAL),
    map("acos", 1, REAL),
    map("atan", 1, REAL),
    map("sinh", 1, REAL),
    map("cosh", 1, REAL),
    map("tanh", 1, REAL),
    map("atan2", 2, REAL).called("a function of two numbers"),
    map("abs", 1, FIRST),
    map("sign", 1, INTEGER),
    map("floor", 1, REAL),
    map("ceil", 1, REAL),
    map("integer", 1, INTEGER),
    map("div", 2, Gives::Joined).called("a function of two numbers"),
    map("mod", 2, Gives::Joined).called("a function of two numbers"),
    map("rem", 2, Gives::Joined).called("a function of two numbers"),
    map("semiLinear", 3, REAL).called("semiLinear(x, positiveSlope, negativeSlope)"),
    row("min", 1, 2, &[Need::Ordered], Gives::Joined)
        .rule(Rule::Extreme)
        .called("a function of one array or of two numbers"),
    row("max", 1, 2, &[Need::Ordered], Gives::Joined)
        .rule(Rule::Extreme)
        .called("a function of one array or of two numbers"),
    row("sum", 1, 1, &[Need::Terms], FIRST),
    row("product", 1, 1, &[Need::Factors], FIRST),
    row("size", 1, 2, &[Need::Any, Need::Size], INTEGER).called("size(array) or size(array, dimension)"),
    row("ndims", 1, 1, &[Need::Any], INTEGER).called("ndims(array)"),
    row("scalar", 1, 1, &[Need::Any], FIRST),
    row("vector", 1, 1, &[Need::Any], FIRST),
    row("matrix", 1, 1, &[Need::Any], FIRST),
    row("transpose", 1, 1, &[Need::Rows], FIRST),
    row("symmetric", 1, 1, &[Need::Matrix], FIRST),
    row("diagonal", 1, 1, &[Need::Vector], FIRST).called("a function of one vector"),
    row("skew", 1, 1, &[Need::Vector], FIRST).called("a function of one vector"),
    row("cross", 2, 2, &[Need::Vector], Gives::Joined).called("a function of two vectors"),
    row("outerProduct", 2, 2, &[Need::Vector], Gives::Joined).called("a function of two vectors"),
    row("identity", 1, 1, &[Need::Size], INTEGER).called("identity(size)"),
    row("zeros", 1, MANY, &[Need::Size], INTEGER).called("a function of one or more sizes"),
    row("ones", 1, MANY, &[Need::Size], INTEGER).called("a function of one or more sizes"),
    row("fill", 2, MANY, &[Need::Any, Need::Size], FIRST).called("fill(value, size, …)"),
    row("linspace", 3, 3, &[Need::Number, Need::Number, Need::Size], REAL)
        .called("linspace(first, last, count)"),
    row("cat", 2, MANY, &[Need::Size, Need::Any], Gives::Of(1))
        .rule(Rule::Alike(1))
        .called("cat(dimension, array, array, …)"),
    row("promote", 2, 2, &[Need::Any, Need::Size], FIRST).called("promote(array, dimensions)"),
    row("array", 1, MANY, &[Need::Any], Gives::Joined).rule(Rule::Alike(0)),
    row("Integer", 1, 1, &[Need::Convertible(Ty::Integer)], INTEGER),
    row("Real", 1, 1, &[Need::Convertible(Ty::Real)], REAL),
    row("Boolean", 1, 1, &[Need::Convertible(Ty::Boolean)], BOOLEAN),
    row("String", 1, MANY, &[Need::Any], STRING)
        .named()
        .called("String(value), with minimumLength, leftJustified, significantDigits or format behind it"),
    row("noEvent", 1, 1, &[Need::Any], FIRST).called("a function of one expression"),
    row("pure", 1, 1, &[Need::Any], FIRST),
    row("smooth", 2, 2, &[Need::Order, Need::Any], Gives::Of(1)).called("smooth(order, expression)"),
    row("homotopy", 2, 2, &[Need::Any], FIRST)
        .rule(Rule::SameRank)
        .named()
        .called("homotopy(actual, simplified)"),
    row("getInstanceName", 0, 0, &[], STRING).called("a function without arguments"),
    row("der", 1, 1, &[Need::Any], REAL).models().called("der(expression)"),
    row("pre", 1, 1, &[Need::Any], FIRST).models().called("a function of one expression"),
    row("edge", 1, 1, &[Need::Booleans], BOOLEAN).models().called("a function of one expression"),
    row("change", 1, 1, &[Need::Any], BOOLEAN).models().called("a function of one expression"),
    row("initial", 0, 0, &[], BOOLEAN).models().called("a function without arguments"),
    row("terminal", 0, 0, &[], BOOLEAN).models().called("a function without arguments"),
    row("sample", 1, 2, &[Need::Any], BOOLEAN).models().named().called("sample(start, interval)"),
    row("delay", 2, 3, &[Need::Any, Need::Number], FIRST)
        .models()
        .called("delay(expression, time) or delay(expression, time, maximum)"),
    row("cardinality", 1, 1, &[Need::Any], INTEGER).models(),
    row("inStream", 1, 1, &[Need::Numbers], REAL).models(),
    row("actualStream", 1, 1, &[Need::Numbers], REAL).models(),
    row("residue", 1, 1, &[Need::Numbers], FIRST).models(),
    row("relax", 1, 1, &[Need::Numbers], FIRST).models(),
    row("spatialDistribution", 0, MANY, &[Need::Any], REAL)
        .models()
        .named()
        .called("spatialDistribution(in0, in1, x, positiveVelocity, initialPoints, initialValues)"),
    row("assert", 2, 3, &[Need::Any], BOOLEAN)
        .statement()
        .called("assert(condition, message) or assert(condition, message, level)"),
    row("terminate", 1, 1, &[Need::Any], BOOLEAN).statement().called("terminate(message)"),
    row("reinit", 2, 2, &[Need::Any], BOOLEAN)
        .statement()
        .called("reinit(state, value), both of the same size"),
];

/// Which option of `String` an argument is: 0 `significantDigits`, 1 `minimumLength`, 2 `leftJustified`, 3 `format`
/// (specification section 3.7.1.3). `at` is its position, the value is at 0; `of` is the type of the value. `None` if there
/// is no such option, or if the argument is not what it must be.
pub fn string_option(at: usize, name: Option<&str>, of: Option<Ty>, arg: &Actual) -> Option<usize> {
    let option = match name {
        Some("significantDigits") => 0,
        Some("minimumLength") => 1,
        Some("leftJustified") => 2,
        Some("format") => 3,
        Some(_) => return None,
        None if at == 1 && arg.ty == Some(Ty::String) => 3,
        None if of == Some(Ty::Real) => at - 1,
        // Integers, Booleans and enumerations have no significant digits.
        None => at,
    };
    let ty = match option {
        0 | 1 => Ty::Integer,
        2 => Ty::Boolean,
        3 => Ty::String,
        _ => return None,
    };
    (arg.ty == Some(ty) && arg.rank == 0).then_some(option)
}

/// The names of all of them.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|entry| entry.name)
}

/// The row of a name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name)
}

impl Entry {
    /// Can it be called with so many arguments?
    pub fn takes(&self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }

    /// What the argument at a position must be.
    pub fn need(&self, at: usize) -> Need {
        self.needs.get(at).or(self.needs.last()).copied().unwrap_or(Need::Any)
    }

    /// Is the call right, as far as types and numbers of dimensions tell?
    pub fn check(&self, args: &[Actual]) -> Result<(), Misfit> {
        if !self.takes(args.len()) {
            return Err(Misfit::Arguments);
        }
        for (i, arg) in args.iter().enumerate() {
            self.check_one(self.need(i), arg)?;
        }
        self.check_rule(args)
    }

    fn check_one(&self, need: Need, arg: &Actual) -> Result<(), Misfit> {
        let (name, text) = (self.name, &arg.text);
        let number = arg.ty.is_some_and(Ty::is_number);
        let numbers = || match number {
            true => Ok(()),
            false => Err(Misfit::Type(format!("{name} needs numbers, not {text}"))),
        };
        let when = |right: bool, misfit: Misfit| if right { Ok(()) } else { Err(misfit) };
        match need {
            Need::Any => when(arg.ty.is_some() || arg.record, Misfit::Arguments),
            Need::Numbers => numbers(),
            Need::Number | Need::Size => when(number && arg.rank == 0, Misfit::Arguments),
            Need::Order => {
                let message = format!("the order of {name} must be an Integer parameter");
                when(arg.ty == Some(Ty::Integer) && arg.rank == 0, Misfit::Said(message))
            }
            Need::Ordered => match arg.ty {
                Some(Ty::Real | Ty::Integer | Ty::Boolean | Ty::Enumeration(_)) => Ok(()),
                _ => numbers(),
            },
            Need::Booleans => {
                let message = format!("{name} needs a Boolean, not {text}");
                when(arg.ty == Some(Ty::Boolean), Misfit::Type(message))
            }
            Need::Convertible(ty) => {
                let right = match arg.ty {
                    Some(Ty::Enumeration(_)) => ty == Ty::Integer,
                    Some(Ty::Integer) => ty == Ty::Integer || ty == Ty::Real,
                    Some(other) => other == ty,
                    None => false,
                };
                when(right, Misfit::Conversion(format!("{} cannot be made of {text}", ty.text())))
            }
            Need::Vector => {
                numbers()?;
                when(arg.rank == 1, Misfit::Dimensions(format!("{name} needs a vector, not {text}")))
            }
            Need::Matrix => {
                numbers()?;
                when(arg.rank == 2, Misfit::Dimensions(format!("{name} needs a square matrix, not {text}")))
            }
            Need::Rows => {
                when(arg.ty.is_some() || (arg.record && arg.rank >= 2), Misfit::Arguments)?;
                let message = format!("{name} needs at least two dimensions, not {text}");
                when(arg.rank >= 2, Misfit::Dimensions(message))
            }
            Need::Terms | Need::Factors => {
                let message = format!("{name} needs an array, not {text}");
                when(arg.rank > 0, Misfit::Said(message))?;
                if need == Need::Terms && arg.record { Ok(()) } else { numbers() }
            }
        }
    }

    fn check_rule(&self, args: &[Actual]) -> Result<(), Misfit> {
        match self.rule {
            Rule::Free => Ok(()),
            Rule::Extreme => match args {
                [a, b] => {
                    let ty = a.ty.and_then(|ty| ty.join(b.ty?)).ok_or(Misfit::Arguments)?;
                    if !ty.is_number() && a.rank + b.rank > 0 {
                        return Err(Misfit::Arguments);
                    }
                    self.check_dimensions(args)
                }
                _ => Ok(()),
            },
            Rule::Broadcast => self.check_dimensions(args),
            Rule::SameRank => {
                let first = args.first().map(|a| a.rank);
                if args.iter().all(|a| Some(a.rank) == first) { Ok(()) } else { Err(Misfit::Arguments) }
            }
            Rule::Alike(from) => {
                let mut parts = args.iter().skip(from);
                let Some(first) = parts.next() else { return Ok(()) };
                let mut ty = first.ty;
                for part in parts {
                    ty = match (ty, part.ty) {
                        (Some(a), Some(b)) if a.join(b).is_some() => a.join(b),
                        (None, None) if first.record == part.record => None,
                        _ => {
                            let what = if from == 0 { "elements" } else { "parts" };
                            let message = format!("the {what} of an array have different types");
                            return Err(Misfit::Parts(message));
                        }
                    };
                }
                // What `array` is made of has one dimension less.
                match from == 0 && args.iter().any(|arg| arg.rank != first.rank) {
                    true => {
                        Err(Misfit::Dimensions("the elements of an array have different sizes".to_owned()))
                    }
                    false => Ok(()),
                }
            }
        }
    }

    /// Element by element: what is not a scalar has the same dimensions.
    fn check_dimensions(&self, args: &[Actual]) -> Result<(), Misfit> {
        let mut ranks = args.iter().map(|a| a.rank).filter(|&rank| rank > 0);
        let first = ranks.next();
        if ranks.all(|rank| Some(rank) == first) {
            return Ok(());
        }
        let texts: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
        Err(Misfit::Dimensions(format!("{}: the sizes of {} differ", self.name, texts.join(" and "))))
    }

    /// The type of the result for arguments of these types.
    pub fn result(&self, types: &[Option<Ty>]) -> Ty {
        match self.gives {
            Gives::Always(ty) => ty,
            Gives::Of(at) => types.get(at).copied().flatten().unwrap_or(Ty::Real),
            Gives::Joined => {
                let joined = types.iter().copied().reduce(|a, b| a?.join(b?)).flatten();
                joined.unwrap_or(Ty::Real)
            }
        }
    }
}

/// The language of functions that stand for an operator.
pub const LANGUAGE: &str = "builtin";

/// The operator a function stands for.
pub fn operator_name(function: &Function) -> Option<&str> {
    match &function.body {
        Body::External(external) if external.language == LANGUAGE && is_kept(&external.name) => {
            Some(&external.name)
        }
        _ => None,
    }
}

/// Is it an operator that is kept?
pub fn is_kept(name: &str) -> bool {
    is_clocked(name) || is_state_machine(name) || matches!(name, "sample" | "spatialDistribution")
}

/// Operators of clocked models, `sample` left out, which has a meaning without clocks too.
pub fn is_clocked(name: &str) -> bool {
    matches!(
        name,
        "previous"
            | "hold"
            | "subSample"
            | "superSample"
            | "shiftSample"
            | "backSample"
            | "noClock"
            | "Clock"
            | "interval"
            | "firstTick"
    )
}

/// Operators of state machines (specification chapter 17).
pub fn is_state_machine(name: &str) -> bool {
    matches!(name, "transition" | "activeState" | "ticksInState" | "timeInState" | "initialState")
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn names_are_written_once_and_needs_fit_the_numbers_of_arguments() {
        for (i, entry) in TABLE.iter().enumerate() {
            assert!(TABLE[..i].iter().all(|other| other.name != entry.name), "{}", entry.name);
            assert!(entry.least <= entry.most && entry.needs.len() <= entry.most, "{}", entry.name);
            assert!(entry.most == 0 || !entry.needs.is_empty(), "{}", entry.name);
        }
    }
}
