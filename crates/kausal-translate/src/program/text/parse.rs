//! Reads the text form of a program. Ids of variables and equations follow from the order in the text; what the program then
//! must be, [`Program::verify`] says.

use std::fmt;

use kausal_model::flat::{self, Origin, Type};
use kausal_symbolic::{ExprId, FunctionId, Op, Pool, VarId};
use kausal_syntax::Location;
use kausal_syntax::source::{SourceId, Span, line_column};
use rustc_hash::FxHashMap;

use super::expression::operator_name;
use super::lexer::{Token, tokens};
use super::write::ORIGINS;
use crate::program::{
    Alias, Bounds, Check, Delay, Discretized, EquationInfo, EquationRef, Kind, Pre, Program, Relation,
    Sample, Stage, State, StateSet, Step, TimeEvent, Transport, Trivial, Variable,
};

/// Where a text is not what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl std::error::Error for ParseError {}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// What is wrong; the place is that of the token at hand.
pub(super) type Parsed<T> = Result<T, String>;

/// Parts of a text stand in each other at most so deep.
const MAX_DEPTH: usize = 200;

/// Operators by the names they are written with.
const OPERATORS: [Op; 46] = [
    Op::Add,
    Op::Mul,
    Op::Neg,
    Op::Div,
    Op::Pow,
    Op::Sqrt,
    Op::Exp,
    Op::Log,
    Op::Log10,
    Op::Sin,
    Op::Cos,
    Op::Tan,
    Op::Asin,
    Op::Acos,
    Op::Atan,
    Op::Atan2,
    Op::Sinh,
    Op::Cosh,
    Op::Tanh,
    Op::Abs,
    Op::Sign,
    Op::Min,
    Op::Max,
    Op::Floor,
    Op::Ceil,
    Op::Integer,
    Op::IntegerDiv,
    Op::Mod,
    Op::Rem,
    Op::Less,
    Op::LessEqual,
    Op::Equal,
    Op::NotEqual,
    Op::Not,
    Op::And,
    Op::Or,
    Op::If,
    Op::Der,
    Op::Pre,
    Op::Initial,
    Op::Terminal,
    Op::Sample,
    Op::Delay,
    Op::NoEvent,
    Op::Smooth,
    Op::Homotopy,
];

/// The program of a text.
///
/// # Errors
/// Where the text is not in the form of [`super`].
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let error = |message: String, at: usize| {
        let (line, column) = line_column(text, at as u32);
        ParseError { line, column, message }
    };
    let tokens = tokens(text).map_err(|(message, at)| error(message, at))?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        depth: 0,
        names: FxHashMap::default(),
        shared: Vec::new(),
        program: Program::default(),
        functions: 0,
    };
    parser.program().map_err(|message| {
        let at = tokens.get(parser.at).map_or(text.len(), |(_, at)| *at);
        error(message, at)
    })?;
    Ok(parser.program)
}

pub(super) struct Parser<'a> {
    tokens: &'a [(Token, usize)],
    at: usize,
    depth: usize,
    /// Variables by name; `None` where several have it.
    names: FxHashMap<String, Option<VarId>>,
    shared: Vec<ExprId>,
    pub(super) program: Program,
    functions: usize,
}

impl Parser<'_> {
    fn program(&mut self) -> Parsed<()> {
        self.collect_names();
        while self.at < self.tokens.len() {
            self.statement()?;
        }
        Ok(())
    }

    /// Variables may be named before they are declared.
    fn collect_names(&mut self) {
        let mut count = 0;
        let mut before: Option<&Token> = None;
        for (i, (token, _)) in self.tokens.iter().enumerate() {
            let starts = matches!(before, None | Some(Token::Sign(";" | "}")));
            if starts && *token == Token::Word("variable".to_owned()) {
                if let Some((Token::Word(name) | Token::Name(name), _)) = self.tokens.get(i + 1) {
                    let id = Some(VarId(count));
                    self.names.entry(name.clone()).and_modify(|known| *known = None).or_insert(id);
                }
                count += 1;
            }
            before = Some(token);
        }
    }

    fn statement(&mut self) -> Parsed<()> {
        let word = self.word()?;
        match word.as_str() {
            "parameters" => self.program.parameters = self.block()?,
            "initial" => self.program.initial = self.block()?,
            "dynamics" => self.program.dynamics = self.block()?,
            "outputs" => self.program.outputs = self.block()?,
            "discrete" => self.program.discrete = self.block()?,
            "discretized" => self.program.discretized = Some(self.discretized()?),
            _ => {
                self.declaration(&word)?;
                self.sign(";")?;
            }
        }
        Ok(())
    }

    fn declaration(&mut self, word: &str) -> Parsed<()> {
        match word {
            "program" => self.program.name = self.text()?,
            "experiment" => self.experiment()?,
            "enumeration" => {
                let (name, mut literals) = (self.text()?, Vec::new());
                while let Some(Token::Text(_)) = self.peek() {
                    literals.push(self.text()?);
                }
                self.program.enumerations.push(flat::Enumeration { name, literals });
            }
            "function" => self.function()?,
            "variable" => self.variable()?,
            "expression" => {
                self.sign("$")?;
                if self.count()? != self.shared.len() {
                    return Err("expressions are numbered one by one".to_owned());
                }
                self.sign("=")?;
                let e = self.expression()?;
                self.shared.push(e);
            }
            "equation" => self.equation()?,
            "check" => self.check()?,
            "report" => {
                self.keyword("equations")?;
                self.program.report.equations = self.count()?;
                self.keyword("unknowns")?;
                self.program.report.unknowns = self.count()?;
                self.keyword("aliases")?;
                self.program.report.aliases = self.count()?;
            }
            "trivial" => {
                let equation = self.index()?;
                let kinds = [
                    ("same", Trivial::Same),
                    ("number", Trivial::Number),
                    ("derivative", Trivial::Derivative),
                ];
                let kind = self.one_of(&kinds)?;
                self.program.report.trivial.push((equation, kind));
            }
            "reduced" => {
                let text = self.text()?;
                self.program.report.index_reduced.push(text);
            }
            "decision" => {
                let text = self.text()?;
                self.program.report.decisions.push(text);
            }
            "valueless" => {
                let text = self.text()?;
                self.program.report.valueless.push(text);
            }
            "stiffness" => self.program.report.stiffness = Some(self.text()?),
            _ => self.table(word)?,
        }
        Ok(())
    }

    fn experiment(&mut self) -> Parsed<()> {
        while !self.is_sign(";") {
            let word = self.word()?;
            let value = Some(self.number()?);
            let experiment = &mut self.program.experiment;
            match word.as_str() {
                "start" => experiment.start = value,
                "stop" => experiment.stop = value,
                "tolerance" => experiment.tolerance = value,
                "interval" => experiment.interval = value,
                _ => return Err(format!("an experiment has no {word}")),
            }
        }
        Ok(())
    }

    fn function(&mut self) -> Parsed<()> {
        if self.count()? != self.functions {
            return Err("functions are numbered one by one".to_owned());
        }
        let _name = self.text()?;
        let data = self.text()?;
        let byte = |i: usize| data.get(i..i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes: Option<Vec<u8>> = (0..data.len()).step_by(2).map(byte).collect();
        let function = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        self.program.pool.add_function(function.ok_or("this is no function")?);
        self.functions += 1;
        Ok(())
    }

    fn variable(&mut self) -> Parsed<()> {
        let name = match self.next()? {
            Token::Word(name) | Token::Name(name) => name,
            _ => return Err("a name is expected".to_owned()),
        };
        if self.take_sign("#") && self.count()? != self.program.variables.len() {
            return Err("variables are numbered one by one".to_owned());
        }
        self.sign(":")?;
        let ty = self.ty()?;
        let kind = self.kind()?;
        let mut v = Variable {
            name,
            kind,
            ty,
            value: 0.0,
            start_said: false,
            nominal: 1.0,
            nominal_said: false,
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
            unit: String::new(),
            description: String::new(),
            protected: false,
        };
        if self.take_sign("=") {
            (v.value, v.start_said) = (self.number()?, true);
        }
        while !self.is_sign(";") {
            match self.word()?.as_str() {
                "nominal" => (v.nominal, v.nominal_said) = (self.number()?, true),
                "assumed" => v.nominal = self.number()?,
                "min" => v.min = self.number()?,
                "max" => v.max = self.number()?,
                "unit" => v.unit = self.text()?,
                "text" => v.description = self.text()?,
                "protected" => v.protected = true,
                other => return Err(format!("a variable has no {other}")),
            }
        }
        self.program.variables.push(v);
        Ok(())
    }

    fn ty(&mut self) -> Parsed<Type> {
        Ok(match self.word()?.as_str() {
            "Real" => Type::Real,
            "Integer" => Type::Integer,
            "Boolean" => Type::Boolean,
            "String" => Type::String,
            "Clock" => Type::Clock,
            "enumeration" => Type::Enumeration(self.index()?),
            "external" => Type::External(self.index()?),
            other => return Err(format!("there is no type {other}")),
        })
    }

    fn kind(&mut self) -> Parsed<Kind> {
        Ok(match self.word()?.as_str() {
            "parameter" => Kind::Parameter,
            "state" => Kind::State,
            "derivative" => Kind::Derivative,
            "algebraic" => Kind::Algebraic,
            "discrete" => Kind::Discrete,
            "helper" => Kind::Helper,
            "alias" => {
                let negated = self.take_sign("-");
                Kind::Alias(Alias { target: self.var()?, negated })
            }
            other => return Err(format!("a variable cannot be {other}")),
        })
    }

    /// `in "component" from kind at 0:1:2`, each if it is there.
    pub(super) fn origin(&mut self) -> Parsed<Origin> {
        let mut origin = Origin::default();
        if self.take("in") {
            origin.component = self.text()?;
        }
        if self.take("from") {
            let name = self.word()?;
            let found = ORIGINS.iter().find(|(_, n)| *n == name);
            origin.kind = found.ok_or(format!("there is no origin {name}"))?.0;
        }
        origin.location = self.location()?;
        Ok(origin)
    }

    fn location(&mut self) -> Parsed<Option<Location>> {
        if !self.take("at") {
            return Ok(None);
        }
        let source = SourceId(self.index()?);
        self.sign(":")?;
        let start = self.index()?;
        self.sign(":")?;
        let span = Span { start, end: self.index()? };
        Ok(Some(Location { source, span }))
    }

    fn equation(&mut self) -> Parsed<()> {
        let lhs = self.expression()?;
        self.sign("=")?;
        let rhs = self.expression()?;
        let differentiated = if self.take("differentiated") { self.index()? } else { 0 };
        let model = if self.take("model") { Some(self.index()?) } else { None };
        let origin = self.origin()?;
        self.program.equations.push(EquationInfo { lhs, rhs, origin, differentiated, model });
        Ok(())
    }

    fn check(&mut self) -> Parsed<()> {
        let lhs = self.expression()?;
        self.sign("=")?;
        let rhs = self.expression()?;
        self.keyword("text")?;
        let text = self.text()?;
        let fixed = if self.take("fixed") { Some(self.var()?) } else { None };
        let settled = if self.take("settled") { self.location()? } else { None };
        let unconnected = self.take("unconnected");
        let origin = self.origin()?;
        self.program.checks.push(Check { lhs, rhs, text, origin, fixed, settled, unconnected });
        Ok(())
    }

    fn table(&mut self, word: &str) -> Parsed<()> {
        match word {
            "state" => {
                let state = State { variable: self.var()?, derivative: self.var()? };
                self.program.states.push(state);
            }
            "stateset" => {
                let states = self.vars()?;
                self.keyword("of")?;
                let candidates = self.vars()?;
                self.keyword("settled")?;
                let settled = self.count()?;
                self.keyword("jacobian")?;
                let jacobian = self.expressions()?;
                let mut selection = Vec::new();
                while self.take("row") {
                    selection.push(self.vars()?);
                }
                self.program.state_sets.push(StateSet { candidates, states, selection, settled, jacobian });
            }
            "relation" => {
                let variable = self.var()?;
                self.sign("=")?;
                let difference = self.var()?;
                let or_equal = self.take_sign("<=");
                if !or_equal {
                    self.sign("<")?;
                }
                self.number()?;
                let trace = self.take("trace");
                let timed = if self.take("timed") { Some(self.index()?) } else { None };
                self.program.relations.push(Relation { variable, difference, or_equal, trace, timed });
            }
            "timeevent" => {
                let instant = self.expression()?;
                self.keyword("slope")?;
                let slope = self.expression()?;
                self.program.time_events.push(TimeEvent { instant, slope });
            }
            "sample" => {
                let variable = self.var()?;
                self.keyword("start")?;
                let start = self.expression()?;
                self.keyword("interval")?;
                let interval = self.expression()?;
                self.program.samples.push(Sample { variable, start, interval });
            }
            "delay" => {
                let variable = self.var()?;
                self.keyword("of")?;
                let input = self.var()?;
                self.keyword("by")?;
                let delay = self.expression()?;
                self.keyword("max")?;
                let maximum = self.expression()?;
                self.program.delays.push(Delay { variable, input, delay, maximum });
            }
            "transport" => self.transport()?,
            "held" => self.program.discrete_variables = self.vars()?,
            "past" => {
                let slot = self.var()?;
                self.keyword("of")?;
                let variable = self.var()?;
                self.program.pre.push(Pre { variable, slot });
            }
            "flag" => {
                let what = self.word()?;
                let flag = Some(self.var()?);
                match what.as_str() {
                    "initial" => self.program.initial_flag = flag,
                    "terminal" => self.program.terminal_flag = flag,
                    "homotopy" => self.program.homotopy = flag,
                    _ => return Err(format!("there is no flag {what}")),
                }
            }
            "bounds" => {
                let variable = self.var()?;
                let min = if self.take("min") { Some(self.expression()?) } else { None };
                let max = if self.take("max") { Some(self.expression()?) } else { None };
                let location = self.location()?;
                self.program.bounds.push(Bounds { variable, min, max, location });
            }
            _ => return Err(format!("a program has no {word}")),
        }
        Ok(())
    }

    fn transport(&mut self) -> Parsed<()> {
        let pair = |list: Vec<VarId>| <[VarId; 2]>::try_from(list).map_err(|_| "two are expected".to_owned());
        let outputs = pair(self.vars()?)?;
        self.keyword("of")?;
        let inputs = pair(self.vars()?)?;
        self.keyword("position")?;
        let position = self.expression()?;
        self.keyword("forward")?;
        let forward = self.expression()?;
        self.keyword("points")?;
        let points = self.expressions()?;
        self.keyword("values")?;
        let values = self.expressions()?;
        self.keyword("arrivals")?;
        let arrivals = pair(self.vars()?)?;
        self.keyword("relations")?;
        let relations: [u32; 2] = self.indices()?.try_into().map_err(|_| "two are expected".to_owned())?;
        let transport = Transport { outputs, inputs, position, forward, points, values, arrivals, relations };
        self.program.transports.push(transport);
        Ok(())
    }

    fn discretized(&mut self) -> Parsed<Discretized> {
        let mut d = Discretized { method: self.text()?, ..Discretized::default() };
        self.sign("{")?;
        while !self.take_sign("}") {
            let word = self.word()?;
            match word.as_str() {
                "factors" => d.factors = self.block()?,
                "steps" => d.steps = self.block()?,
                "crossings" => d.crossings = Some(self.block()?),
                "filter" => d.filter = Some(Box::new(self.nested(Self::discretized)?)),
                _ => {
                    match word.as_str() {
                        "h" => d.h = Some(self.var()?),
                        "old" => d.old = self.vars()?,
                        "substituted" => d.substituted = self.indices()?,
                        "stage" => {
                            let stage = self.stage()?;
                            d.stages.push(stage);
                        }
                        _ => return Err(format!("an inlined step has no {word}")),
                    }
                    self.sign(";")?;
                }
            }
        }
        Ok(d)
    }

    fn stage(&mut self) -> Parsed<Stage> {
        let time = if self.take("time") { Some(self.var()?) } else { None };
        let states = if self.take("states") { self.pairs()? } else { Vec::new() };
        let states =
            states.into_iter().map(|(variable, derivative)| State { variable, derivative }).collect();
        let copies = if self.take("copies") { self.pairs()? } else { Vec::new() };
        Ok(Stage { time, states, copies })
    }

    pub(super) fn block(&mut self) -> Parsed<Vec<Step>> {
        self.nested(|parser| {
            parser.sign("{")?;
            let mut steps = Vec::new();
            while !parser.take_sign("}") {
                steps.push(parser.step()?);
            }
            Ok(steps)
        })
    }

    /// A part that may contain others of its kind.
    pub(super) fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("parts stand in each other too deep".to_owned());
        }
        let result = part(self);
        self.depth -= 1;
        result
    }
}

/// Expressions.
impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        self.nested(|p| {
            if !p.take("if") {
                return p.either();
            }
            let condition = p.either()?;
            p.keyword("then")?;
            let then = p.either()?;
            p.keyword("else")?;
            let otherwise = p.expression()?;
            p.operator(Op::If, &[condition, then, otherwise])
        })
    }

    fn either(&mut self) -> Parsed<ExprId> {
        let mut parts = vec![self.both()?];
        while self.take("or") {
            parts.push(self.both()?);
        }
        self.joined(Op::Or, parts)
    }

    fn both(&mut self) -> Parsed<ExprId> {
        let mut parts = vec![self.negation()?];
        while self.take("and") {
            parts.push(self.negation()?);
        }
        self.joined(Op::And, parts)
    }

    fn negation(&mut self) -> Parsed<ExprId> {
        if self.take("not") {
            let a = self.relation()?;
            return self.operator(Op::Not, &[a]);
        }
        self.relation()
    }

    fn relation(&mut self) -> Parsed<ExprId> {
        let a = self.sum()?;
        let signs = [("<=", Op::LessEqual), ("<>", Op::NotEqual), ("==", Op::Equal), ("<", Op::Less)];
        for (sign, op) in signs {
            if self.take_sign(sign) {
                let b = self.sum()?;
                return self.operator(op, &[a, b]);
            }
        }
        Ok(a)
    }

    fn sum(&mut self) -> Parsed<ExprId> {
        let mut negative = self.take_sign("-");
        let mut terms = Vec::new();
        loop {
            let term = self.term(negative)?;
            terms.push(term);
            if self.take_sign("+") {
                negative = false;
            } else if self.take_sign("-") {
                negative = true;
            } else {
                return self.joined(Op::Add, terms);
            }
        }
    }

    /// A product; with a minus before it a number is a negative number, anything else is negated.
    fn term(&mut self, negative: bool) -> Parsed<ExprId> {
        if negative && let Some(Token::Number(value)) = self.peek() {
            let value = -*value;
            let ends = !matches!(self.tokens.get(self.at + 1), Some((Token::Sign("*" | "/" | "^"), _)));
            if ends {
                self.at += 1;
                return Ok(self.program.pool.constant(value));
            }
        }
        if negative && self.take("infinity") {
            return Ok(self.program.pool.constant(f64::NEG_INFINITY));
        }
        let product = self.product()?;
        if negative { self.operator(Op::Neg, &[product]) } else { Ok(product) }
    }

    fn product(&mut self) -> Parsed<ExprId> {
        let mut factors = vec![self.power()?];
        if self.take_sign("/") {
            let divisor = self.power()?;
            return self.operator(Op::Div, &[factors[0], divisor]);
        }
        while self.take_sign("*") {
            factors.push(self.power()?);
        }
        self.joined(Op::Mul, factors)
    }

    fn power(&mut self) -> Parsed<ExprId> {
        let base = self.primary()?;
        if self.take_sign("^") {
            let exponent = self.primary()?;
            return self.operator(Op::Pow, &[base, exponent]);
        }
        Ok(base)
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let token = self.peek().ok_or("the text ends inside an expression")?.clone();
        match token {
            Token::Number(value) => {
                self.at += 1;
                Ok(self.program.pool.constant(value))
            }
            Token::Text(text) => {
                self.at += 1;
                Ok(self.program.pool.text(&text))
            }
            Token::Sign("(") => {
                self.at += 1;
                let e = self.expression()?;
                self.sign(")")?;
                Ok(e)
            }
            Token::Sign("$") => {
                self.at += 1;
                let number = self.count()?;
                self.shared.get(number).copied().ok_or(format!("there is no expression ${number}"))
            }
            Token::Word(word) => self.of_word(&word),
            Token::Name(_) => {
                let v = self.var()?;
                Ok(self.program.pool.var(v))
            }
            Token::Sign(sign) => Err(format!("no expression begins with {sign}")),
        }
    }

    fn of_word(&mut self, word: &str) -> Parsed<ExprId> {
        match word {
            "time" => {
                self.at += 1;
                return self.operator(Op::Time, &[]);
            }
            "infinity" => {
                self.at += 1;
                return Ok(self.program.pool.constant(f64::INFINITY));
            }
            "nan" => {
                self.at += 1;
                return Ok(self.program.pool.constant(f64::NAN));
            }
            "call" => {
                self.at += 1;
                let function = self.index()?;
                if function as usize >= self.functions {
                    return Err(format!("there is no function {function}"));
                }
                let args = self.expressions()?;
                return Ok(self.program.pool.call(FunctionId(function), &args));
            }
            "output" => {
                self.at += 1;
                let k = self.index()?;
                self.keyword("of")?;
                let call = self.primary()?;
                return Ok(self.program.pool.output(call, k));
            }
            _ => {}
        }
        let is_call = matches!(self.tokens.get(self.at + 1), Some((Token::Sign("("), _)));
        if is_call && let Some(&op) = OPERATORS.iter().find(|op| operator_name(**op) == word) {
            self.at += 1;
            let args = self.expressions()?;
            return self.operator(op, &args);
        }
        let v = self.var()?;
        Ok(self.program.pool.var(v))
    }

    /// An operator as it is written: nothing is simplified.
    fn operator(&mut self, op: Op, args: &[ExprId]) -> Parsed<ExprId> {
        let pool: &mut Pool = &mut self.program.pool;
        pool.op_as_is(op, args)
            .ok_or_else(|| format!("{} cannot have {} arguments", operator_name(op), args.len()))
    }

    /// One part is itself.
    fn joined(&mut self, op: Op, parts: Vec<ExprId>) -> Parsed<ExprId> {
        if parts.len() == 1 { Ok(parts[0]) } else { self.operator(op, &parts) }
    }
}

/// Tokens.
impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    /// The token behind the next one.
    pub(super) fn second(&self) -> Option<&Token> {
        self.tokens.get(self.at + 1).map(|(token, _)| token)
    }

    pub(super) fn next(&mut self) -> Parsed<Token> {
        let token = self.peek().ok_or("the text ends too early")?.clone();
        self.at += 1;
        Ok(token)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(s)) if *s == sign)
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is = self.is_sign(sign);
        self.at += usize::from(is);
        is
    }

    pub(super) fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(format!("{sign} is expected")) }
    }

    pub(super) fn take(&mut self, keyword: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Word(w)) if w == keyword);
        self.at += usize::from(is);
        is
    }

    pub(super) fn keyword(&mut self, keyword: &str) -> Parsed<()> {
        if self.take(keyword) { Ok(()) } else { Err(format!("{keyword} is expected")) }
    }

    pub(super) fn word(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => Err("a word is expected".to_owned()),
        }
    }

    pub(super) fn one_of<T: Copy>(&mut self, list: &[(&str, T)]) -> Parsed<T> {
        let word = self.word()?;
        let found = list.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
            format!("{word} is none of {}", names.join(", "))
        })
    }

    pub(super) fn text(&mut self) -> Parsed<String> {
        match self.next()? {
            Token::Text(text) => Ok(text),
            _ => Err("a string is expected".to_owned()),
        }
    }

    pub(super) fn number(&mut self) -> Parsed<f64> {
        let sign = if self.take_sign("-") { -1.0 } else { 1.0 };
        match self.next()? {
            Token::Number(value) => Ok(sign * value),
            Token::Word(word) if word == "infinity" => Ok(sign * f64::INFINITY),
            Token::Word(word) if word == "nan" => Ok(f64::NAN),
            _ => Err("a number is expected".to_owned()),
        }
    }

    pub(super) fn count(&mut self) -> Parsed<usize> {
        let value = self.number()?;
        // Larger ones are not exact.
        let is_count = value >= 0.0 && value == value.trunc() && value < 9e15;
        if is_count { Ok(value as usize) } else { Err("a count is expected".to_owned()) }
    }

    pub(super) fn index(&mut self) -> Parsed<u32> {
        u32::try_from(self.count()?).map_err(|_| "the number is too large".to_owned())
    }

    pub(super) fn var(&mut self) -> Parsed<VarId> {
        let (Token::Word(name) | Token::Name(name)) = self.next()? else {
            return Err("a variable is expected".to_owned());
        };
        if self.take_sign("#") {
            return self.index().map(VarId);
        }
        match self.names.get(&name) {
            Some(Some(id)) => Ok(*id),
            Some(None) => Err(format!("several variables are called {name}: write {name}# and a number")),
            None => Err(format!("there is no variable {name}")),
        }
    }

    /// `(a, b, …)`
    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.sign("(")?;
        let mut out = Vec::new();
        if self.take_sign(")") {
            return Ok(out);
        }
        loop {
            out.push(item(self)?);
            if self.take_sign(")") {
                return Ok(out);
            }
            self.sign(",")?;
        }
    }

    pub(super) fn vars(&mut self) -> Parsed<Vec<VarId>> {
        self.list(Self::var)
    }

    pub(super) fn expressions(&mut self) -> Parsed<Vec<ExprId>> {
        self.list(Self::expression)
    }

    pub(super) fn indices(&mut self) -> Parsed<Vec<u32>> {
        self.list(Self::index)
    }

    pub(super) fn references(&mut self) -> Parsed<Vec<EquationRef>> {
        self.list(|p| p.index().map(EquationRef))
    }

    pub(super) fn pairs(&mut self) -> Parsed<Vec<(VarId, VarId)>> {
        self.list(|p| {
            p.sign("(")?;
            let first = p.var()?;
            p.sign(",")?;
            let second = p.var()?;
            p.sign(")")?;
            Ok((first, second))
        })
    }
}
