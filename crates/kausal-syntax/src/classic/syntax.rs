//! Classic notation: the tree of a file as it was written, before names are known.
//!
//! Whether `x(3)` is an element or a call, and which cuts `A - B` joins, depends on declarations that may
//! stand further down or in another file. So the text first becomes this tree, and [`super::lower`] makes the
//! [`Ast`](crate::Ast) of it.
//!
//! **Expressions are stored children first.** An [`Expr`] is a range of [`File::nodes`]; each node names
//! only earlier nodes of the same range, and the last one is the whole expression. A sum of a hundred
//! thousand terms is lowered by a loop over the range, without recursion. A connection is stored the same way.

use crate::ast::{BinaryOp, Ident, UnaryOp};
use crate::source::Span;

/// One file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Its classes, in order.
    pub(super) classes: Vec<Class>,
    /// The expressions of all of them.
    pub(super) nodes: Vec<Node>,
}

/// `model class (Super) Name … end` or `model Name … end`.
#[derive(Debug)]
pub(super) struct Class {
    /// Its name.
    pub(super) name: Ident,
    /// What it inherits: from the head and from `inherit`.
    pub(super) bases: Vec<Ident>,
    /// What it consists of, in order.
    pub(super) items: Vec<Item>,
    /// A declaration could not be read, so that something may be missing.
    pub(super) broken: bool,
    /// From `model` to `end`.
    pub(super) span: Span,
}

/// One statement of a class.
#[derive(Debug)]
pub(super) enum Item {
    /// `parameter`, `constant`, `local`.
    Variables(Variety, Vec<Variable>),
    /// `cut`, `main cut`.
    Cuts(Vec<Cut>),
    /// `path`, `main path`.
    Paths(Vec<Path>),
    /// `node`.
    Nodes(Vec<Ident>),
    /// `submodel`.
    Submodels(Vec<Submodel>),
    /// `connect`.
    Connect(Connection),
    /// `left = right`.
    Equation(Expr, Expr),
}

/// How a variable was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variety {
    /// `parameter`
    Parameter,
    /// `constant`
    Constant,
    /// `local`, or named in a cut.
    Local,
}

impl Variety {
    /// In words, with the article.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Variety::Parameter => "a parameter",
            Variety::Constant => "a constant",
            Variety::Local => "a variable",
        }
    }
}

/// `name(dims) = value`.
#[derive(Debug)]
pub(super) struct Variable {
    /// Its name.
    pub(super) name: Ident,
    /// Empty for a scalar.
    pub(super) dims: Vec<Dim>,
    /// The value of a parameter or constant, the start value of a local variable.
    pub(super) value: Option<Expr>,
    /// The whole declaration.
    pub(super) span: Span,
}

/// One dimension of an array.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dim {
    /// A number.
    Number(u32),
    /// The name of a constant.
    Constant(Ident),
    /// Neither; already reported.
    Error,
}

/// `name (across / through)`.
#[derive(Debug)]
pub(super) struct Cut {
    /// Its name.
    pub(super) name: Ident,
    /// `main cut`
    pub(super) main: bool,
    /// Variables that are equal where cuts meet.
    pub(super) across: Vec<CutVariable>,
    /// Variables that sum to zero where cuts meet.
    pub(super) through: Vec<CutVariable>,
    /// The whole definition.
    pub(super) span: Span,
}

/// One variable of a cut.
#[derive(Clone, Debug)]
pub(super) struct CutVariable {
    /// With a minus sign: its negative is what the cut carries.
    pub(super) negative: bool,
    /// The name; one with dots reaches into a submodel.
    pub(super) path: Vec<Ident>,
    /// Dimensions, where the cut declares the variable.
    pub(super) dims: Vec<Dim>,
    /// Where it stands, with its sign.
    pub(super) span: Span,
}

/// `name <begin - end>`.
#[derive(Debug)]
pub(super) struct Path {
    /// Its name.
    pub(super) name: Ident,
    /// `main path`
    pub(super) main: bool,
    /// The cut it begins at.
    pub(super) begin: Ident,
    /// The cut it ends at.
    pub(super) end: Ident,
}

/// One instance of a class.
#[derive(Debug)]
pub(super) struct Submodel {
    /// The class.
    pub(super) class: Ident,
    /// The instance.
    pub(super) name: Ident,
    /// `(R = 2)`: names, possibly with dots, and values.
    pub(super) values: Vec<(Vec<Ident>, Expr)>,
    /// The instance with its values.
    pub(super) span: Span,
}

/// A connect statement: one side, or several with `at` between them.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// Children first.
    pub(super) nodes: Vec<ConnectNode>,
    /// Where each node stands.
    pub(super) spans: Vec<Span>,
    /// The sides: indices of `nodes`.
    pub(super) sides: Vec<usize>,
}

impl Connection {
    /// Adds a node.
    pub(super) fn push(&mut self, node: ConnectNode, span: Span) -> usize {
        self.nodes.push(node);
        self.spans.push(span);
        self.nodes.len() - 1
    }
}

/// A piece of a connection; numbers are indices of earlier pieces.
#[derive(Debug)]
pub(super) enum ConnectNode {
    /// A component, node or cut, or a cut or path of a component: `R1`, `N`, `R1.p`.
    Point(Vec<Ident>),
    /// `\A`
    Reversed(usize),
    /// `A - B`
    Series(usize, usize),
    /// `A // B`
    Parallel(usize, usize),
}

/// An expression: a range of [`File::nodes`], its root the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expr {
    /// First node.
    pub(super) start: usize,
    /// One past the last node.
    pub(super) end: usize,
}

/// One node of an expression.
#[derive(Debug)]
pub(super) struct Node {
    /// What it is.
    pub(super) kind: NodeKind,
    /// Where it stands.
    pub(super) span: Span,
}

/// The forms of an expression; numbers are indices of earlier nodes.
#[derive(Debug)]
pub(super) enum NodeKind {
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// `true`, `false`
    Boolean(bool),
    /// `x`, `C3.e`
    Name(Box<[Ident]>),
    /// `x(3)`, `sin(x)`: an element or a call.
    Apply(Box<[Ident]>, Box<[usize]>),
    /// A sign or `not`.
    Unary(UnaryOp, usize),
    /// A binary operation.
    Binary(BinaryOp, usize, usize),
    /// Conditions with their values, and the value otherwise.
    If(Box<[(usize, usize)]>, usize),
    /// `[a, b, c]` or `[a; b; c]`
    Vector(Box<[usize]>),
    /// `[a, b; c, d]`
    Matrix(Box<[Box<[usize]>]>),
}

impl Class {
    /// All declared variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = (Variety, &Variable)> {
        self.items.iter().flat_map(|item| match item {
            Item::Variables(variety, list) => list.iter().map(|v| (*variety, v)).collect(),
            _ => Vec::new(),
        })
    }

    /// All cuts.
    pub(super) fn cuts(&self) -> impl Iterator<Item = &Cut> {
        self.items.iter().flat_map(|item| match item {
            Item::Cuts(cuts) => cuts.as_slice(),
            _ => &[],
        })
    }
}
