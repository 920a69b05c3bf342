//! The tree both notations are parsed into: Modelica 3.6 as in appendix A of its specification.
//!
//! One [`Ast`] is one stored file. Nodes live in arenas and are named by typed ids; short lists live in pools.
//! Nothing here is resolved: names are as written. Annotations are ordinary modifications.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

use crate::arena::{Arena, Id, List, Pool};
use crate::source::{SourceId, Span};
use crate::symbol::Symbol;

/// Names a class definition of one file.
pub type ClassId = Id<ClassDef>;
/// Names an expression of one file.
pub type ExprId = Id<Expr>;
/// Names a component declaration of one file.
pub type ComponentId = Id<Component>;
/// Names a modification of one file.
pub type ModId = Id<Modification>;

/// One parsed file.
#[derive(Clone, Debug)]
pub struct Ast {
    /// The text it was parsed from.
    pub source: SourceId,
    /// That text; string literals point into it.
    pub text: Arc<str>,
    /// The `within` clause, if there is one; its name may be empty (`within;`).
    pub within: Option<Name>,
    /// The classes at the top of the file, in order.
    pub roots: Vec<ClassId>,
    /// All class definitions, also nested and redeclared ones.
    pub classes: Arena<ClassDef>,
    /// All component declarations, also redeclared ones.
    pub components: Arena<Component>,
    /// All modifications.
    pub modifications: Arena<Modification>,
    /// All expressions.
    pub exprs: Arena<Expr>,
    /// Where each expression stands, by the same index.
    pub expr_spans: Vec<Span>,
    /// Pooled lists.
    pub lists: Lists,
}

/// The pools of an [`Ast`].
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// Lists of identifiers: names.
    pub idents: Pool<Ident>,
    /// Parts of component references.
    pub parts: Pool<RefPart>,
    /// Lists of expressions.
    pub exprs: Pool<ExprId>,
    /// Lists of expression lists: the rows of a matrix.
    pub rows: Pool<List<ExprId>>,
    /// Arguments of calls.
    pub args: Pool<Arg>,
    /// Condition and value of `if` expressions.
    pub branches: Pool<(ExprId, ExprId)>,
    /// Loop variables.
    pub iterators: Pool<Iterator>,
}

impl Ast {
    /// An empty tree over `text`.
    pub fn new(source: SourceId, text: Arc<str>) -> Self {
        Ast {
            source,
            text,
            within: None,
            roots: Vec::new(),
            classes: Arena::default(),
            components: Arena::default(),
            modifications: Arena::default(),
            exprs: Arena::default(),
            expr_spans: Vec::new(),
            lists: Lists::default(),
        }
    }

    /// Adds an expression.
    pub fn add_expr(&mut self, expr: Expr, span: Span) -> ExprId {
        self.expr_spans.push(span);
        self.exprs.push(expr)
    }

    /// Where an expression stands.
    pub fn span(&self, id: ExprId) -> Span {
        self.expr_spans[id.index()]
    }

    /// The value of a string literal, escapes decoded (specification section 2.4.5).
    pub fn string(&self, s: StringLiteral) -> Cow<'_, str> {
        let raw = &self.text[s.span.start as usize + 1..s.span.end as usize - 1];
        if raw.contains('\\') { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }
    }

    /// The value of a description: the concatenation of its literals.
    pub fn description(&self, d: &Description) -> String {
        d.strings.iter().map(|&s| self.string(s)).collect()
    }

    /// A name with dots, for messages.
    pub fn name_text(&self, name: Name) -> String {
        let mut out = String::new();
        for (i, part) in self.lists.idents.get(name.parts).iter().enumerate() {
            if i > 0 || name.global {
                out.push('.');
            }
            out.push_str(part.symbol.as_str());
        }
        out
    }

    /// Gives back the memory the parser did not need.
    pub fn shrink_to_fit(&mut self) {
        self.classes.shrink_to_fit();
        self.components.shrink_to_fit();
        self.modifications.shrink_to_fit();
        self.exprs.shrink_to_fit();
        self.expr_spans.shrink_to_fit();
        self.lists.idents.shrink_to_fit();
        self.lists.parts.shrink_to_fit();
        self.lists.exprs.shrink_to_fit();
        self.lists.rows.shrink_to_fit();
        self.lists.args.shrink_to_fit();
        self.lists.branches.shrink_to_fit();
        self.lists.iterators.shrink_to_fit();
    }
}

/// Decodes the escapes of a Modelica string; an unknown escape stays as it is.
pub fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('v') => out.push('\u{b}'),
            Some(c @ ('\'' | '"' | '?' | '\\')) => out.push(c),
            Some(c) => {
                out.push('\\');
                out.push(c);
            }
            None => out.push('\\'),
        }
    }
    out
}

/// An identifier as written.
#[derive(Clone, Copy, Debug)]
pub struct Ident {
    /// The name; a quoted identifier keeps its quotes.
    pub symbol: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A dotted name: `A.B.C` or, global, `.A.B.C`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Name {
    /// With a leading dot.
    pub global: bool,
    /// At least one identifier, except in an empty `within`.
    pub parts: List<Ident>,
    /// Where it stands.
    pub span: Span,
}

/// A string literal: the range of its text with the quotes.
#[derive(Clone, Copy, Debug)]
pub struct StringLiteral {
    /// From quote to quote.
    pub span: Span,
}

/// `"text" + "more"` behind a declaration, and the annotation that may follow.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The literals, to be concatenated.
    pub strings: Box<[StringLiteral]>,
    /// `annotation (…)`.
    pub annotation: Option<ModId>,
}

/// `model`, `block`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// `class`
    Class,
    /// `model`
    Model,
    /// `record`
    Record,
    /// `operator record`
    OperatorRecord,
    /// `block`
    Block,
    /// `connector`
    Connector,
    /// `expandable connector`
    ExpandableConnector,
    /// `type`
    Type,
    /// `package`
    Package,
    /// `function`
    Function,
    /// `operator function`
    OperatorFunction,
    /// `operator`
    Operator,
}

/// `pure`, `impure`, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purity {
    /// Nothing said.
    #[default]
    Unspecified,
    /// `pure`
    Pure,
    /// `impure`
    Impure,
}

/// What may stand before any element: classes, components and redeclarations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementPrefixes {
    /// Below `protected`.
    pub protected: bool,
    /// `redeclare`
    pub redeclare: bool,
    /// `final`
    pub is_final: bool,
    /// `inner`
    pub inner: bool,
    /// `outer`
    pub outer: bool,
    /// `replaceable`
    pub replaceable: bool,
}

/// `constrainedby T (mods)`.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The constraining type.
    pub base: Name,
    /// Its modifiers.
    pub modification: Option<ModId>,
    /// Description and annotation behind it.
    pub description: Description,
}

/// A class definition.
#[derive(Clone, Debug)]
pub struct ClassDef {
    /// Its name; of `class extends X`, that is `X`.
    pub name: Ident,
    /// The kind.
    pub kind: ClassKind,
    /// `redeclare`, `final`, …
    pub prefixes: ElementPrefixes,
    /// `encapsulated`
    pub encapsulated: bool,
    /// `partial`
    pub partial: bool,
    /// `pure` or `impure`
    pub purity: Purity,
    /// What it is made of.
    pub body: ClassBody,
    /// `constrainedby` of a replaceable class.
    pub constraint: Option<Box<Constraint>>,
    /// Description string and annotation of the class.
    pub description: Description,
    /// The class it stands in, if that is in this file.
    pub parent: Option<ClassId>,
    /// From the first prefix to the end.
    pub span: Span,
}

/// The forms of a class definition.
#[derive(Clone, Debug)]
pub enum ClassBody {
    /// `… end Name`.
    Long(Box<LongBody>),
    /// `= Base[dims](mods)`.
    Short(Box<ShortBody>),
    /// `= enumeration(a, b)`; `None` for `enumeration(:)`.
    Enumeration(Option<Box<[EnumLiteral]>>),
    /// `= der(f, x, y)`.
    Der {
        /// The function differentiated.
        function: Name,
        /// With respect to these, in order.
        variables: Box<[Ident]>,
    },
}

/// `IDENT "description" annotation(…)` in an enumeration.
#[derive(Clone, Debug)]
pub struct EnumLiteral {
    /// Its name.
    pub name: Ident,
    /// What it says about itself.
    pub description: Description,
}

/// A short class definition.
#[derive(Clone, Debug)]
pub struct ShortBody {
    /// `input` or `output`
    pub causality: Causality,
    /// The class it is based on.
    pub base: Name,
    /// Array dimensions.
    pub dims: List<ExprId>,
    /// Modifiers.
    pub modification: Option<ModId>,
}

/// The composition of a long class definition.
#[derive(Clone, Debug, Default)]
pub struct LongBody {
    /// `extends Name(mods)` in place of a name (`redeclare model extends`).
    pub class_extends: bool,
    /// The modifiers of a class extension.
    pub modification: Option<ModId>,
    /// Declarations, in order.
    pub elements: Vec<Element>,
    /// Equation sections, in order.
    pub equations: Vec<EquationSection>,
    /// Algorithm sections, in order.
    pub algorithms: Vec<AlgorithmSection>,
    /// `external …`
    pub external: Option<Box<External>>,
}

/// One declaration of a class.
#[derive(Clone, Debug)]
pub enum Element {
    /// `import …`
    Import(Import),
    /// `extends …`
    Extends(Extends),
    /// A nested class.
    Class(ClassId),
    /// A component.
    Component(ComponentId),
}

/// An import clause.
#[derive(Clone, Debug)]
pub struct Import {
    /// Which form.
    pub kind: ImportKind,
    /// The package or class.
    pub name: Name,
    /// Below `protected`.
    pub protected: bool,
    /// What it says about itself.
    pub description: Description,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an import clause.
#[derive(Clone, Debug)]
pub enum ImportKind {
    /// `import A.B.C;`
    Qualified,
    /// `import D = A.B.C;`
    Renamed(Ident),
    /// `import A.B.*;`
    Unqualified,
    /// `import A.B.{C, D};`
    Listed(Box<[Ident]>),
}

/// An extends clause.
#[derive(Clone, Debug)]
pub struct Extends {
    /// The base class.
    pub base: Name,
    /// Modifiers.
    pub modification: Option<ModId>,
    /// `break` modifiers: what is deselected (specification section 7.4).
    pub breaks: Box<[Break]>,
    /// Its annotation.
    pub annotation: Option<ModId>,
    /// Below `protected`.
    pub protected: bool,
    /// Where it stands.
    pub span: Span,
}

/// `break x` or `break connect(a, b)` in an extends clause.
#[derive(Clone, Debug)]
pub enum Break {
    /// A component is deselected.
    Component(Ident),
    /// A connection is deselected.
    Connect(ComponentRef, ComponentRef),
}

/// `constant`, `parameter`, …
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Variability {
    /// `constant`
    Constant,
    /// `parameter`
    Parameter,
    /// `discrete`
    Discrete,
    /// Nothing said.
    #[default]
    Continuous,
}

/// `input`, `output`, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Causality {
    /// Nothing said.
    #[default]
    None,
    /// `input`
    Input,
    /// `output`
    Output,
}

/// `flow`, `stream`, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FlowPrefix {
    /// Nothing said.
    #[default]
    None,
    /// `flow`
    Flow,
    /// `stream`
    Stream,
}

/// One declared component; `Real x, y` makes two.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its name.
    pub name: Ident,
    /// `redeclare`, `final`, …
    pub prefixes: ElementPrefixes,
    /// `flow` or `stream`
    pub flow: FlowPrefix,
    /// `constant`, `parameter`, `discrete`
    pub variability: Variability,
    /// `input`, `output`
    pub causality: Causality,
    /// Its type.
    pub type_name: Name,
    /// Dimensions behind the type: `Real[3] x`.
    pub type_dims: List<ExprId>,
    /// Dimensions behind the name: `Real x[3]`. Those of the type follow them.
    pub dims: List<ExprId>,
    /// Modifiers and binding.
    pub modification: Option<ModId>,
    /// `if condition`
    pub condition: Option<ExprId>,
    /// `constrainedby` of a replaceable component.
    pub constraint: Option<Box<Constraint>>,
    /// What it says about itself.
    pub description: Description,
    /// From the first prefix (of `Real x, y`, for `y`: from its name) to before the description.
    pub span: Span,
}

/// `(arguments) = binding`.
#[derive(Clone, Debug, Default)]
pub struct Modification {
    /// The class modification in parentheses.
    pub args: Box<[ModArg]>,
    /// The binding.
    pub binding: Binding,
    /// Where it stands.
    pub span: Span,
}

/// What stands behind `=` of a modification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// Nothing.
    #[default]
    None,
    /// An expression.
    Expr(ExprId),
    /// `break`: an inherited binding is taken away.
    Break,
}

/// One argument of a class modification.
#[derive(Clone, Debug)]
pub enum ModArg {
    /// `each final a.b(mods) = e "text"`.
    Modify(Modify),
    /// `redeclare model M = N`, or `replaceable model M = N`.
    Class {
        /// `each`
        each: bool,
        /// The short class definition; its prefixes say `redeclare`, `final`, `replaceable`.
        class: ClassId,
    },
    /// `redeclare R r(mods)`, or `replaceable R r(mods)`.
    Component {
        /// `each`
        each: bool,
        /// The declaration; its prefixes say `redeclare`, `final`, `replaceable`.
        component: ComponentId,
    },
}

/// An element modification.
#[derive(Clone, Debug)]
pub struct Modify {
    /// `each`
    pub each: bool,
    /// `final`
    pub is_final: bool,
    /// What is modified.
    pub name: Name,
    /// How.
    pub modification: Option<ModId>,
    /// What it says about itself.
    pub description: Box<[StringLiteral]>,
}

/// `external "C" y = f(x) annotation(…)`.
#[derive(Clone, Debug)]
pub struct External {
    /// `"C"`, `"builtin"`, …
    pub language: Option<StringLiteral>,
    /// The function called, if written.
    pub call: Option<ExternalCall>,
    /// Library, include and so on.
    pub annotation: Option<ModId>,
    /// Where it stands.
    pub span: Span,
}

/// `y = f(x, z)` of an external clause.
#[derive(Clone, Debug)]
pub struct ExternalCall {
    /// Where the result goes.
    pub result: Option<ComponentRef>,
    /// The foreign name.
    pub function: Ident,
    /// The arguments.
    pub args: List<ExprId>,
}

/// `equation` or `initial equation`.
#[derive(Clone, Debug)]
pub struct EquationSection {
    /// `initial`
    pub initial: bool,
    /// The equations.
    pub equations: Vec<Equation>,
}

/// `algorithm` or `initial algorithm`.
#[derive(Clone, Debug)]
pub struct AlgorithmSection {
    /// `initial`
    pub initial: bool,
    /// The statements.
    pub statements: Vec<Statement>,
    /// The keyword and all behind it.
    pub span: Span,
}

/// One equation.
#[derive(Clone, Debug)]
pub struct Equation {
    /// Which form.
    pub kind: EquationKind,
    /// What it says about itself.
    pub description: Description,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an equation.
#[derive(Clone, Debug)]
pub enum EquationKind {
    /// `a = b`
    Equal(ExprId, ExprId),
    /// `connect(a, b)`
    Connect(ComponentRef, ComponentRef),
    /// A call without a result: `assert(…)`, `reinit(…)`, `f(x)`.
    Call(ExprId),
    /// `if … then … elseif … else … end if`
    If {
        /// Conditions with their equations.
        branches: Vec<(ExprId, Vec<Equation>)>,
        /// Behind `else`.
        otherwise: Vec<Equation>,
    },
    /// `for … loop … end for`
    For {
        /// The loop variables, outermost first.
        iterators: List<Iterator>,
        /// The body.
        body: Vec<Equation>,
    },
    /// `when … then … elsewhen … end when`
    When {
        /// Conditions with their equations.
        branches: Vec<(ExprId, Vec<Equation>)>,
    },
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Which form.
    pub kind: StatementKind,
    /// What it says about itself.
    pub description: Description,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a statement.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `a := b`
    Assign(ComponentRef, ExprId),
    /// `(a, , b) := f(x)`; a missing receiver is `None`.
    AssignTuple {
        /// The receivers.
        targets: Box<[Option<ComponentRef>]>,
        /// The call.
        call: ExprId,
    },
    /// A call without a result.
    Call(ExprId),
    /// `break`
    Break,
    /// `return`
    Return,
    /// `if … end if`
    If {
        /// Conditions with their statements.
        branches: Vec<(ExprId, Vec<Statement>)>,
        /// Behind `else`.
        otherwise: Vec<Statement>,
    },
    /// `for … end for`
    For {
        /// The loop variables, outermost first.
        iterators: List<Iterator>,
        /// The body.
        body: Vec<Statement>,
    },
    /// `while … end while`
    While {
        /// As long as this holds.
        condition: ExprId,
        /// The body.
        body: Vec<Statement>,
    },
    /// `when … end when`
    When {
        /// Conditions with their statements.
        branches: Vec<(ExprId, Vec<Statement>)>,
    },
}

/// `i in range`; without a range it is deduced from the body.
#[derive(Clone, Copy, Debug)]
pub struct Iterator {
    /// The loop variable.
    pub name: Ident,
    /// The values it takes.
    pub range: Option<ExprId>,
}

/// `a.b[1].c`, or global `.a.b`.
#[derive(Clone, Copy, Debug)]
pub struct ComponentRef {
    /// With a leading dot.
    pub global: bool,
    /// At least one part.
    pub parts: List<RefPart>,
    /// Where it stands.
    pub span: Span,
}

/// One part of a component reference.
#[derive(Clone, Copy, Debug)]
pub struct RefPart {
    /// Its name.
    pub name: Ident,
    /// Subscripts; a bare `:` is [`Expr::Colon`].
    pub subscripts: List<ExprId>,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `^`
    Pow,
    /// `.+`
    ElementAdd,
    /// `.-`
    ElementSub,
    /// `.*`
    ElementMul,
    /// `./`
    ElementDiv,
    /// `.^`
    ElementPow,
    /// `==`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `and`
    And,
    /// `or`
    Or,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `.-`
    ElementMinus,
    /// `.+`
    ElementPlus,
    /// `not`
    Not,
}

/// One argument of a call.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// `name = value`, or positional.
    pub name: Option<Ident>,
    /// The value; a function as argument is [`Expr::Function`].
    pub value: ExprId,
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub enum Expr {
    /// An unsigned integer literal.
    Integer(i64),
    /// An unsigned real literal.
    Real(f64),
    /// A string literal.
    String(StringLiteral),
    /// `true`, `false`
    Boolean(bool),
    /// A component reference.
    Ref(ComponentRef),
    /// A unary operation.
    Unary(UnaryOp, ExprId),
    /// A binary operation.
    Binary(BinaryOp, ExprId, ExprId),
    /// `if c then a elseif d then b else e`
    If {
        /// Conditions with their values.
        branches: List<(ExprId, ExprId)>,
        /// Behind `else`.
        otherwise: ExprId,
    },
    /// `start : stop` or `start : step : stop`
    Range {
        /// First value.
        start: ExprId,
        /// Distance.
        step: Option<ExprId>,
        /// Last value.
        stop: ExprId,
    },
    /// `f(a, b, c = d)`; `der`, `initial` and `pure` are names like any other here.
    Call {
        /// The function.
        function: ComponentRef,
        /// Its arguments.
        args: List<Arg>,
    },
    /// `f(e for i in r)`: a reduction.
    CallFor {
        /// The reduction function: `sum`, `product`, `min`, `max`, `array`, …
        function: ComponentRef,
        /// What is collected.
        body: ExprId,
        /// Over these.
        iterators: List<Iterator>,
    },
    /// `function f(a = b)` as an argument: a partial application.
    Function {
        /// The function.
        function: Name,
        /// Named arguments that are bound.
        args: List<Arg>,
    },
    /// `{a, b, c}`
    Array(List<ExprId>),
    /// `{e for i in r}`
    ArrayFor {
        /// What is collected.
        body: ExprId,
        /// Over these.
        iterators: List<Iterator>,
    },
    /// `[a, b; c, d]`
    Matrix(List<List<ExprId>>),
    /// `(a, , b)`: two or more, or a missing, receivers; a missing one is [`Expr::Missing`].
    Tuple(List<ExprId>),
    /// Nothing between two commas of a tuple.
    Missing,
    /// `:` as a subscript or dimension.
    Colon,
    /// `end` in a subscript.
    End,
    /// The text was broken here.
    Error,
}
