//! Classic notation: building blocks of the [`Ast`], and the classes that stand in no text.
//!
//! A name of the classic notation that is a word of Modelica is quoted (`flow` becomes `'flow'`), so that
//! what is printed can be read again.

use super::interface::{COMMON, Shape, Signature};
use crate::arena::List;
use crate::ast::{
    Arg, Ast, Binding, Causality, ClassBody, ClassDef, ClassId, ClassKind, Component, ComponentId,
    ComponentRef, Description, Element, ElementPrefixes, Equation, EquationKind, EquationSection, Expr,
    ExprId, FlowPrefix, Ident, LongBody, ModArg, ModId, Modification, Modify, Name, Purity, RefPart, UnaryOp,
    Variability,
};
use crate::source::Span;
use crate::symbol::Symbol;

/// The words a Modelica identifier cannot be, and the predefined names that must not be hidden.
#[rustfmt::skip]
const MODELICA_WORDS: [&str; 67] = [
    "algorithm", "and", "annotation", "block", "break", "class", "connect", "connector", "constant",
    "constrainedby", "der", "discrete", "each", "else", "elseif", "elsewhen", "encapsulated", "end",
    "enumeration", "equation", "expandable", "extends", "external", "false", "final", "flow", "for",
    "function", "if", "import", "impure", "in", "initial", "inner", "input", "loop", "model", "not",
    "operator", "or", "outer", "output", "package", "parameter", "partial", "protected", "public", "pure",
    "record", "redeclare", "replaceable", "return", "stream", "then", "true", "type", "when", "while",
    "within", "Real", "Integer", "Boolean", "String", "time", "residue", "relax", "fill",
];

/// A name as it stands in the tree.
pub(super) fn ident(symbol: Symbol, span: Span) -> Ident {
    let text = symbol.as_str();
    let symbol = if MODELICA_WORDS.contains(&text) { Symbol::new(&format!("'{text}'")) } else { symbol };
    Ident { symbol, span }
}

/// What a component is declared with.
pub(super) struct Declaration {
    /// Its name.
    pub(super) name: Ident,
    /// Its type.
    pub(super) type_name: Name,
    /// Its dimensions.
    pub(super) shape: Shape,
    /// Modifiers and binding.
    pub(super) modification: Option<ModId>,
    /// `parameter`, `constant`
    pub(super) variability: Variability,
    /// `flow`
    pub(super) flow: FlowPrefix,
    /// Where it stands.
    pub(super) span: Span,
}

/// A name of one word.
pub(super) fn simple_name(ast: &mut Ast, global: bool, name: Ident) -> Name {
    Name { global, parts: ast.lists.idents.add([name]), span: name.span }
}

/// The type `Real`.
pub(super) fn real(ast: &mut Ast, span: Span) -> Name {
    simple_name(ast, false, Ident { symbol: Symbol::new("Real"), span })
}

/// A reference without subscripts.
pub(super) fn reference(ast: &mut Ast, path: &[Ident], span: Span) -> ComponentRef {
    let parts = path.iter().map(|name| RefPart { name: *name, subscripts: List::EMPTY });
    ComponentRef { global: false, parts: ast.lists.parts.add(parts), span }
}

/// A reference as an expression.
pub(super) fn reference_expr(ast: &mut Ast, path: &[Ident], span: Span) -> ExprId {
    let reference = reference(ast, path, span);
    ast.add_expr(Expr::Ref(reference), span)
}

/// A call of a function of one word.
pub(super) fn call(ast: &mut Ast, function: Ident, args: &[ExprId], span: Span) -> ExprId {
    let function = reference(ast, &[function], function.span);
    let args = ast.lists.args.add(args.iter().map(|value| Arg { name: None, value: *value }));
    ast.add_expr(Expr::Call { function, args }, span)
}

/// An array of this shape with one value everywhere.
pub(super) fn fill(ast: &mut Ast, value: ExprId, shape: &Shape, span: Span) -> ExprId {
    let mut args = vec![value];
    args.extend(shape.iter().map(|n| ast.add_expr(Expr::Integer(i64::from(*n)), span)));
    call(ast, Ident { symbol: Symbol::new("fill"), span }, &args, span)
}

/// Adds a component.
pub(super) fn component(ast: &mut Ast, made: Declaration) -> ComponentId {
    let sizes: Vec<ExprId> =
        made.shape.iter().map(|n| ast.add_expr(Expr::Integer(i64::from(*n)), made.span)).collect();
    let dims = ast.lists.exprs.add(sizes);
    ast.components.push(Component {
        name: made.name,
        prefixes: ElementPrefixes::default(),
        flow: made.flow,
        variability: made.variability,
        causality: Causality::None,
        type_name: made.type_name,
        type_dims: List::EMPTY,
        dims,
        modification: made.modification,
        condition: None,
        constraint: None,
        description: Description::default(),
        span: made.span,
    })
}

/// `= value`.
pub(super) fn binding(ast: &mut Ast, value: ExprId) -> ModId {
    let span = ast.span(value);
    ast.modifications.push(Modification { args: [].into(), binding: Binding::Expr(value), span })
}

/// `(start = value, fixed = true)`, `each` where a scalar is meant for every element of an array.
pub(super) fn start(ast: &mut Ast, value: ExprId, each_start: bool, each_fixed: bool) -> ModId {
    let span = ast.span(value);
    let yes = ast.add_expr(Expr::Boolean(true), span);
    let mut attribute = |each, name: &str, value| {
        let name = Ident { symbol: Symbol::new(name), span };
        let modification = Some(binding(ast, value));
        modify(simple_name(ast, false, name), each, modification)
    };
    let args = [attribute(each_start, "start", value), attribute(each_fixed, "fixed", yes)];
    ast.modifications.push(Modification { args: args.into(), binding: Binding::None, span })
}

/// One argument of a modification.
pub(super) fn modify(name: Name, each: bool, modification: Option<ModId>) -> ModArg {
    ModArg::Modify(Modify { each, is_final: false, name, modification, description: [].into() })
}

/// `(arguments)`.
pub(super) fn modification(ast: &mut Ast, args: Vec<ModArg>, span: Span) -> Option<ModId> {
    if args.is_empty() {
        return None;
    }
    Some(ast.modifications.push(Modification { args: args.into(), binding: Binding::None, span }))
}

/// `left = right`.
pub(super) fn equal(left: ExprId, right: ExprId, span: Span) -> Equation {
    Equation { kind: EquationKind::Equal(left, right), description: Description::default(), span }
}

/// Adds a class at the top of the file.
pub(super) fn class(
    ast: &mut Ast,
    name: Ident,
    kind: ClassKind,
    elements: Vec<Element>,
    equations: Vec<Equation>,
    span: Span,
) -> ClassId {
    let sections =
        if equations.is_empty() { Vec::new() } else { vec![EquationSection { initial: false, equations }] };
    let body = LongBody { elements, equations: sections, ..LongBody::default() };
    ast.classes.push(ClassDef {
        name,
        kind,
        prefixes: ElementPrefixes::default(),
        encapsulated: false,
        partial: false,
        purity: Purity::Unspecified,
        body: ClassBody::Long(Box::new(body)),
        constraint: None,
        description: Description::default(),
        parent: None,
        span,
    })
}

/// The equation between a member of a connector and a variable: `p.t1 = -i`.
pub(super) fn cut_equation(
    ast: &mut Ast,
    cut: Ident,
    member: &str,
    variable: &[Ident],
    negative: bool,
    span: Span,
) -> Equation {
    let left = reference_expr(ast, &[cut, Ident { symbol: Symbol::new(member), span }], span);
    let mut right = reference_expr(ast, variable, span);
    if negative {
        right = ast.add_expr(Expr::Unary(UnaryOp::Minus, right), span);
    }
    equal(left, right, span)
}

/// The connector class of a signature: across variables `a1`, `a2`, …, through variables `t1`, `t2`, ….
pub(super) fn connector(ast: &mut Ast, signature: &Signature, span: Span) -> ClassId {
    let mut elements = Vec::new();
    for (letter, flow, side) in
        [('a', FlowPrefix::None, &signature.across), ('t', FlowPrefix::Flow, &signature.through)]
    {
        for (i, shape) in side.iter().enumerate() {
            let name = Ident { symbol: Symbol::new(&format!("{letter}{}", i + 1)), span };
            let type_name = real(ast, span);
            let made = Declaration {
                name,
                type_name,
                shape: shape.clone(),
                modification: None,
                variability: Variability::Continuous,
                flow,
                span,
            };
            elements.push(Element::Component(component(ast, made)));
        }
    }
    let name = Ident { symbol: signature.class_name(), span };
    class(ast, name, ClassKind::Connector, elements, Vec::new(), span)
}

/// The built-in class `Common`: `main cut A (V / i)` and `V = 0`. The connector of its cut must be there.
pub(super) fn common(ast: &mut Ast, signature: &Signature, span: Span) -> ClassId {
    let word = |text: &str| Ident { symbol: Symbol::new(text), span };
    let mut elements = Vec::new();
    for name in ["V", "i", "A"] {
        let type_name = match name {
            "A" => simple_name(ast, false, Ident { symbol: signature.class_name(), span }),
            _ => real(ast, span),
        };
        let made = Declaration {
            name: word(name),
            type_name,
            shape: Shape::new(),
            modification: None,
            variability: Variability::Continuous,
            flow: FlowPrefix::None,
            span,
        };
        elements.push(Element::Component(component(ast, made)));
    }
    let zero = ast.add_expr(Expr::Integer(0), span);
    let v = reference_expr(ast, &[word("V")], span);
    let equations = vec![
        cut_equation(ast, word("A"), "a1", &[word("V")], false, span),
        cut_equation(ast, word("A"), "t1", &[word("i")], false, span),
        equal(v, zero, span),
    ];
    class(ast, word(COMMON), ClassKind::Model, elements, equations, span)
}
