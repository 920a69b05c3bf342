//! The tree as indented text: one line for each element, equation and statement, expressions in prefix form.
//! Nothing of the tree is left out except places, so two trees with one dump are the same tree.

use std::fmt::Write;

use crate::arena::List;
use crate::ast::{
    Arg, Ast, Binding, Break, Causality, ClassBody, ClassId, Component, ComponentRef, Constraint,
    Description, Element, ElementPrefixes, Equation, EquationKind, Expr, ExprId, FlowPrefix, ImportKind,
    Iterator as ForIndex, ModArg, ModId, Name, Purity, Statement, StatementKind, StringLiteral, Variability,
};

use super::expression::{binary_text, real_text, unary_text};
use super::text::kind_text;

/// The dump of a file.
pub(super) fn file(ast: &Ast) -> String {
    let mut dump = Dump { ast, out: String::new(), indent: 0 };
    if let Some(within) = ast.within {
        dump.line("within");
        dump.space();
        dump.name(within);
    }
    for &root in &ast.roots {
        dump.line("");
        dump.class(root);
    }
    dump.out.push('\n');
    dump.out.trim_start_matches('\n').to_owned()
}

struct Dump<'a> {
    ast: &'a Ast,
    out: String,
    indent: usize,
}

impl Dump<'_> {
    fn line(&mut self, text: &str) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
        self.out.push_str(text);
    }

    fn space(&mut self) {
        self.out.push(' ');
    }

    fn word(&mut self, set: bool, word: &str) {
        if set {
            self.out.push_str(word);
            self.space();
        }
    }

    fn name(&mut self, name: Name) {
        self.out.push_str(&self.ast.name_text(name));
    }

    fn strings(&mut self, strings: &[StringLiteral]) {
        for &s in strings {
            let _ = write!(self.out, " {:?}", self.ast.string(s));
        }
    }

    fn description(&mut self, description: &Description) {
        self.strings(&description.strings);
        if let Some(annotation) = description.annotation {
            self.out.push_str(" annotation");
            self.modification(Some(annotation));
        }
    }

    fn class(&mut self, id: ClassId) {
        let class = &self.ast.classes[id];
        self.prefixes(class.prefixes);
        self.word(class.encapsulated, "encapsulated");
        self.word(class.partial, "partial");
        self.word(class.purity == Purity::Pure, "pure");
        self.word(class.purity == Purity::Impure, "impure");
        self.word(true, kind_text(class.kind));
        self.out.push_str(class.name.symbol.as_str());
        if let Some(parent) = class.parent {
            let _ = write!(self.out, " in {}", self.ast.classes[parent].name.symbol);
        }
        match &class.body {
            ClassBody::Long(body) => {
                self.out.push_str(if body.class_extends { " extends" } else { "" });
                self.modification(body.modification);
                self.description(&class.description);
                self.indent += 1;
                for element in &body.elements {
                    self.element(element);
                }
                for section in &body.equations {
                    self.line(if section.initial { "initial equation" } else { "equation" });
                    self.equations(&section.equations);
                }
                for section in &body.algorithms {
                    self.line(if section.initial { "initial algorithm" } else { "algorithm" });
                    self.statements(&section.statements);
                }
                if let Some(external) = &body.external {
                    self.line("external");
                    self.strings(external.language.as_slice());
                    if let Some(call) = &external.call {
                        if let Some(result) = call.result {
                            self.space();
                            self.reference(result);
                            self.out.push_str(" =");
                        }
                        let _ = write!(self.out, " ({}", call.function.symbol);
                        self.expressions(call.args);
                        self.out.push(')');
                    }
                    if external.annotation.is_some() {
                        self.out.push_str(" annotation");
                        self.modification(external.annotation);
                    }
                }
                self.indent -= 1;
            }
            ClassBody::Short(body) => {
                self.out.push_str(" = ");
                self.causality(body.causality);
                self.name(body.base);
                self.dims(body.dims);
                self.modification(body.modification);
                self.description(&class.description);
            }
            ClassBody::Enumeration(literals) => {
                self.out.push_str(" = enumeration");
                match literals {
                    None => self.out.push_str(" :"),
                    Some(literals) => {
                        for literal in literals {
                            let _ = write!(self.out, " ({}", literal.name.symbol);
                            self.description(&literal.description);
                            self.out.push(')');
                        }
                    }
                }
                self.description(&class.description);
            }
            ClassBody::Der { function, variables } => {
                self.out.push_str(" = der ");
                self.name(*function);
                for variable in variables {
                    let _ = write!(self.out, " {}", variable.symbol);
                }
                self.description(&class.description);
            }
        }
        self.constraint(class.constraint.as_deref());
    }

    fn prefixes(&mut self, prefixes: ElementPrefixes) {
        self.word(prefixes.protected, "protected");
        self.word(prefixes.redeclare, "redeclare");
        self.word(prefixes.is_final, "final");
        self.word(prefixes.inner, "inner");
        self.word(prefixes.outer, "outer");
        self.word(prefixes.replaceable, "replaceable");
    }

    fn causality(&mut self, causality: Causality) {
        self.word(causality == Causality::Input, "input");
        self.word(causality == Causality::Output, "output");
    }

    fn constraint(&mut self, constraint: Option<&Constraint>) {
        if let Some(constraint) = constraint {
            self.out.push_str(" constrainedby ");
            self.name(constraint.base);
            self.modification(constraint.modification);
            self.description(&constraint.description);
        }
    }

    fn element(&mut self, element: &Element) {
        self.line("");
        match element {
            Element::Import(import) => {
                self.word(import.protected, "protected");
                self.out.push_str("import ");
                match &import.kind {
                    ImportKind::Qualified => self.name(import.name),
                    ImportKind::Renamed(alias) => {
                        let _ = write!(self.out, "{} = ", alias.symbol);
                        self.name(import.name);
                    }
                    ImportKind::Unqualified => {
                        self.name(import.name);
                        self.out.push_str(".*");
                    }
                    ImportKind::Listed(names) => {
                        self.name(import.name);
                        self.out.push_str(".{");
                        for name in names {
                            let _ = write!(self.out, " {}", name.symbol);
                        }
                        self.out.push_str(" }");
                    }
                }
                self.description(&import.description);
            }
            Element::Extends(extends) => {
                self.word(extends.protected, "protected");
                self.out.push_str("extends ");
                self.name(extends.base);
                for deselected in &extends.breaks {
                    self.out.push_str(" break ");
                    match *deselected {
                        Break::Component(name) => self.out.push_str(name.symbol.as_str()),
                        Break::Connect(a, b) => {
                            self.reference(a);
                            self.out.push_str(" - ");
                            self.reference(b);
                        }
                    }
                }
                self.modification(extends.modification);
                if extends.annotation.is_some() {
                    self.out.push_str(" annotation");
                    self.modification(extends.annotation);
                }
            }
            Element::Class(id) => self.class(*id),
            Element::Component(id) => self.component(&self.ast.components[*id]),
        }
    }

    fn component(&mut self, component: &Component) {
        self.prefixes(component.prefixes);
        self.word(component.flow == FlowPrefix::Flow, "flow");
        self.word(component.flow == FlowPrefix::Stream, "stream");
        self.word(component.variability == Variability::Discrete, "discrete");
        self.word(component.variability == Variability::Parameter, "parameter");
        self.word(component.variability == Variability::Constant, "constant");
        self.causality(component.causality);
        self.name(component.type_name);
        self.dims(component.type_dims);
        self.space();
        self.out.push_str(component.name.symbol.as_str());
        self.dims(component.dims);
        self.modification(component.modification);
        if let Some(condition) = component.condition {
            self.out.push_str(" if ");
            self.expr(condition);
        }
        self.description(&component.description);
        self.constraint(component.constraint.as_deref());
    }

    fn dims(&mut self, dims: List<ExprId>) {
        if !dims.is_empty() {
            self.out.push('[');
            for (i, &dim) in self.ast.lists.exprs.get(dims).iter().enumerate() {
                if i > 0 {
                    self.space();
                }
                self.expr(dim);
            }
            self.out.push(']');
        }
    }

    /// ` (arg arg) = binding`; nothing if there is none.
    fn modification(&mut self, id: Option<ModId>) {
        let Some(id) = id else { return };
        let modification = &self.ast.modifications[id];
        if !modification.args.is_empty() || modification.binding == Binding::None {
            self.out.push_str(" (");
            for (i, arg) in modification.args.iter().enumerate() {
                if i > 0 {
                    self.out.push_str("; ");
                }
                match arg {
                    ModArg::Modify(modify) => {
                        self.word(modify.each, "each");
                        self.word(modify.is_final, "final");
                        self.name(modify.name);
                        self.modification(modify.modification);
                        self.strings(&modify.description);
                    }
                    ModArg::Class { each, class } => {
                        self.word(*each, "each");
                        self.class(*class);
                    }
                    ModArg::Component { each, component } => {
                        self.word(*each, "each");
                        self.component(&self.ast.components[*component]);
                    }
                }
            }
            self.out.push(')');
        }
        match modification.binding {
            Binding::None => {}
            Binding::Break => self.out.push_str(" = break"),
            Binding::Expr(value) => {
                self.out.push_str(" = ");
                self.expr(value);
            }
        }
    }

    // ---- equations and statements ----

    fn equations(&mut self, equations: &[Equation]) {
        self.indent += 1;
        for equation in equations {
            self.line("");
            match &equation.kind {
                EquationKind::Equal(a, b) => {
                    self.expr(*a);
                    self.out.push_str(" = ");
                    self.expr(*b);
                    self.description(&equation.description);
                }
                EquationKind::Connect(a, b) => {
                    self.out.push_str("connect ");
                    self.reference(*a);
                    self.space();
                    self.reference(*b);
                    self.description(&equation.description);
                }
                EquationKind::Call(call) => {
                    self.expr(*call);
                    self.description(&equation.description);
                }
                EquationKind::If { branches, otherwise } => {
                    self.branches("if", &equation.description, branches, otherwise, Self::equations);
                }
                EquationKind::For { iterators, body } => {
                    self.out.push_str("for");
                    self.iterators(*iterators);
                    self.description(&equation.description);
                    self.equations(body);
                }
                EquationKind::When { branches } => {
                    self.branches("when", &equation.description, branches, &[], Self::equations);
                }
            }
        }
        self.indent -= 1;
    }

    fn statements(&mut self, statements: &[Statement]) {
        self.indent += 1;
        for statement in statements {
            self.line("");
            match &statement.kind {
                StatementKind::Assign(target, value) => {
                    self.reference(*target);
                    self.out.push_str(" := ");
                    self.expr(*value);
                    self.description(&statement.description);
                }
                StatementKind::AssignTuple { targets, call } => {
                    self.out.push('(');
                    for target in targets {
                        match target {
                            Some(target) => self.reference(*target),
                            None => self.out.push('_'),
                        }
                        self.space();
                    }
                    self.out.push_str(") := ");
                    self.expr(*call);
                    self.description(&statement.description);
                }
                StatementKind::Call(call) => {
                    self.expr(*call);
                    self.description(&statement.description);
                }
                StatementKind::Break => {
                    self.out.push_str("break");
                    self.description(&statement.description);
                }
                StatementKind::Return => {
                    self.out.push_str("return");
                    self.description(&statement.description);
                }
                StatementKind::If { branches, otherwise } => {
                    self.branches("if", &statement.description, branches, otherwise, Self::statements);
                }
                StatementKind::For { iterators, body } => {
                    self.out.push_str("for");
                    self.iterators(*iterators);
                    self.description(&statement.description);
                    self.statements(body);
                }
                StatementKind::While { condition, body } => {
                    self.out.push_str("while ");
                    self.expr(*condition);
                    self.description(&statement.description);
                    self.statements(body);
                }
                StatementKind::When { branches } => {
                    self.branches("when", &statement.description, branches, &[], Self::statements);
                }
            }
        }
        self.indent -= 1;
    }

    fn branches<I>(
        &mut self,
        word: &str,
        description: &Description,
        branches: &[(ExprId, Vec<I>)],
        otherwise: &[I],
        items: fn(&mut Self, &[I]),
    ) {
        self.out.push_str(word);
        self.description(description);
        for (condition, body) in branches {
            self.line("- ");
            self.expr(*condition);
            items(self, body);
        }
        if !otherwise.is_empty() {
            self.line("- else");
            items(self, otherwise);
        }
    }

    // ---- expressions ----

    fn reference(&mut self, reference: ComponentRef) {
        for (i, part) in self.ast.lists.parts.get(reference.parts).iter().enumerate() {
            if i > 0 || reference.global {
                self.out.push('.');
            }
            self.out.push_str(part.name.symbol.as_str());
            self.dims(part.subscripts);
        }
    }

    fn iterators(&mut self, iterators: List<ForIndex>) {
        for iterator in self.ast.lists.iterators.get(iterators) {
            let _ = write!(self.out, " {}", iterator.name.symbol);
            if let Some(range) = iterator.range {
                self.out.push_str(" in ");
                self.expr(range);
            }
        }
    }

    fn expressions(&mut self, items: List<ExprId>) {
        for &item in self.ast.lists.exprs.get(items) {
            self.space();
            self.expr(item);
        }
    }

    fn args(&mut self, args: List<Arg>) {
        for arg in self.ast.lists.args.get(args) {
            self.space();
            if let Some(name) = arg.name {
                let _ = write!(self.out, "{}=", name.symbol);
            }
            self.expr(arg.value);
        }
    }

    fn expr(&mut self, id: ExprId) {
        // Chains of operators are as long as the text: down their left side in a loop.
        let mut rights = Vec::new();
        let mut at = id;
        while let Expr::Binary(op, left, right) = self.ast.exprs[at] {
            let _ = write!(self.out, "({} ", binary_text(op));
            rights.push(right);
            at = left;
        }
        self.plain(at);
        for right in rights.into_iter().rev() {
            self.space();
            self.expr(right);
            self.out.push(')');
        }
    }

    fn plain(&mut self, id: ExprId) {
        match self.ast.exprs[id] {
            Expr::Integer(value) => {
                let _ = write!(self.out, "{value}");
            }
            Expr::Real(value) => self.out.push_str(&real_text(value)),
            Expr::String(s) => {
                let _ = write!(self.out, "{:?}", self.ast.string(s));
            }
            Expr::Boolean(value) => {
                let _ = write!(self.out, "{value}");
            }
            Expr::Ref(reference) => self.reference(reference),
            Expr::Unary(op, operand) => {
                let _ = write!(self.out, "({} ", unary_text(op));
                self.expr(operand);
                self.out.push(')');
            }
            Expr::Binary(..) => self.expr(id),
            Expr::If { branches, otherwise } => {
                self.out.push_str("(if");
                for &(condition, value) in self.ast.lists.branches.get(branches) {
                    self.space();
                    self.expr(condition);
                    self.space();
                    self.expr(value);
                }
                self.out.push_str(" else ");
                self.expr(otherwise);
                self.out.push(')');
            }
            Expr::Range { start, step, stop } => {
                self.out.push_str("(: ");
                self.expr(start);
                if let Some(step) = step {
                    self.space();
                    self.expr(step);
                }
                self.space();
                self.expr(stop);
                self.out.push(')');
            }
            Expr::Call { function, args } => {
                self.out.push_str("(call ");
                self.reference(function);
                self.args(args);
                self.out.push(')');
            }
            Expr::CallFor { function, body, iterators } => {
                self.out.push_str("(call ");
                self.reference(function);
                self.space();
                self.expr(body);
                self.out.push_str(" for");
                self.iterators(iterators);
                self.out.push(')');
            }
            Expr::Function { function, args } => {
                self.out.push_str("(function ");
                self.name(function);
                self.args(args);
                self.out.push(')');
            }
            Expr::Array(items) => {
                self.out.push_str("(array");
                self.expressions(items);
                self.out.push(')');
            }
            Expr::ArrayFor { body, iterators } => {
                self.out.push_str("(array ");
                self.expr(body);
                self.out.push_str(" for");
                self.iterators(iterators);
                self.out.push(')');
            }
            Expr::Matrix(rows) => {
                self.out.push_str("(matrix");
                for &row in self.ast.lists.rows.get(rows) {
                    self.out.push_str(" (row");
                    self.expressions(row);
                    self.out.push(')');
                }
                self.out.push(')');
            }
            Expr::Tuple(items) => {
                self.out.push_str("(tuple");
                self.expressions(items);
                self.out.push(')');
            }
            Expr::Missing => self.out.push('_'),
            Expr::Colon => self.out.push(':'),
            Expr::End => self.out.push_str("end"),
            Expr::Error => self.out.push_str("<error>"),
        }
    }
}
