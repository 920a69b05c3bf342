//! Prints a tree back.
//!
//! [`modelica`] gives well-formed, indented Modelica text that parses into the same tree, whichever notation the
//! tree came from; [`expr`] the text of one expression, for messages; [`dump`] the tree itself, without places and
//! with strings decoded, so that equal dumps mean equal trees.
//!
//! A tree with errors prints as well, but its text need not parse: a broken expression is printed as `…`.

mod dump;
mod expression;
mod text;

use crate::ast::{Ast, ComponentRef, ExprId};

/// The whole file as Modelica text.
///
/// ```
/// use kausal_syntax::{SourceId, modelica, print};
/// let text = "model M Real x(start=1); equation der(x)=-x; end M;";
/// let ast = modelica::parse(SourceId(0), text.into()).ast;
/// let printed = print::modelica(&ast);
/// assert_eq!(printed, "model M\n  Real x(start = 1);\nequation\n  der(x) = -x;\nend M;\n");
/// assert!(print::same_tree(&ast, &modelica::parse(SourceId(0), printed.into()).ast));
/// ```
pub fn modelica(ast: &Ast) -> String {
    let mut printer = text::Printer::new(ast);
    printer.file();
    printer.out
}

/// One expression as Modelica text.
pub fn expr(ast: &Ast, id: ExprId) -> String {
    let mut printer = text::Printer::new(ast);
    printer.expression(id);
    printer.out
}

/// A component reference as Modelica text.
pub fn reference(ast: &Ast, reference: ComponentRef) -> String {
    let mut printer = text::Printer::new(ast);
    printer.reference(reference);
    printer.out
}

/// The tree as indented text, without places.
pub fn dump(ast: &Ast) -> String {
    dump::file(ast)
}

/// Are the trees the same, apart from where they stand in their texts?
pub fn same_tree(a: &Ast, b: &Ast) -> bool {
    dump(a) == dump(b)
}
