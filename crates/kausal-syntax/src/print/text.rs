//! Classes, declarations, equations and statements as Modelica text.

use crate::ast::{
    Ast, Binding, Break, Causality, ClassBody, ClassDef, ClassId, ClassKind, Component, Constraint,
    Description, Element, ElementPrefixes, Equation, EquationKind, ExprId, Extends, External, FlowPrefix,
    Import, ImportKind, LongBody, ModArg, ModId, Name, Purity, Statement, StatementKind, StringLiteral,
    Variability,
};

/// The text so far and how far the line is indented.
pub(super) struct Printer<'a> {
    pub ast: &'a Ast,
    pub out: String,
    indent: usize,
}

/// `model`, `operator record`, …
pub(super) fn kind_text(kind: ClassKind) -> &'static str {
    match kind {
        ClassKind::Class => "class",
        ClassKind::Model => "model",
        ClassKind::Record => "record",
        ClassKind::OperatorRecord => "operator record",
        ClassKind::Block => "block",
        ClassKind::Connector => "connector",
        ClassKind::ExpandableConnector => "expandable connector",
        ClassKind::Type => "type",
        ClassKind::Package => "package",
        ClassKind::Function => "function",
        ClassKind::OperatorFunction => "operator function",
        ClassKind::Operator => "operator",
    }
}

impl<'a> Printer<'a> {
    pub fn new(ast: &'a Ast) -> Self {
        Printer { ast, out: String::new(), indent: 0 }
    }

    pub fn file(&mut self) {
        if let Some(within) = self.ast.within {
            self.out.push_str("within");
            if !within.parts.is_empty() {
                self.out.push(' ');
                self.name(within);
            }
            self.out.push_str(";\n");
        }
        for &root in &self.ast.roots {
            self.class(root, false);
            self.out.push_str(";\n");
        }
    }

    // ---- small pieces ----

    fn line(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    fn words(&mut self, words: &[(bool, &str)]) {
        for &(set, word) in words {
            if set {
                self.out.push_str(word);
                self.out.push(' ');
            }
        }
    }

    pub fn name(&mut self, name: Name) {
        for (i, part) in self.ast.lists.idents.get(name.parts).iter().enumerate() {
            if i > 0 || name.global {
                self.out.push('.');
            }
            self.out.push_str(part.symbol.as_str());
        }
    }

    /// A string literal: as it was written, if it was written in Modelica.
    pub fn string(&mut self, s: StringLiteral) {
        let raw = self.ast.text.get(s.span.start as usize..s.span.end as usize).unwrap_or("");
        if raw.len() >= 2 && raw.starts_with('"') && raw.ends_with('"') {
            self.out.push_str(raw);
        } else {
            self.out.push('"');
            for c in self.ast.string(s).chars() {
                if matches!(c, '"' | '\\') {
                    self.out.push('\\');
                }
                self.out.push(c);
            }
            self.out.push('"');
        }
    }

    fn strings(&mut self, strings: &[StringLiteral]) {
        for (i, &s) in strings.iter().enumerate() {
            self.out.push_str(if i > 0 { " + " } else { " " });
            self.string(s);
        }
    }

    fn description(&mut self, description: &Description) {
        self.strings(&description.strings);
        self.annotation(description.annotation);
    }

    fn annotation(&mut self, annotation: Option<ModId>) {
        if let Some(annotation) = annotation {
            self.out.push_str(" annotation");
            self.arguments_of(annotation);
        }
    }

    // ---- classes ----

    fn class(&mut self, id: ClassId, each: bool) {
        let class = &self.ast.classes[id];
        self.element_prefixes(class.prefixes, each);
        self.words(&[
            (class.encapsulated, "encapsulated"),
            (class.partial, "partial"),
            (class.purity == Purity::Pure, "pure"),
            (class.purity == Purity::Impure, "impure"),
            (true, kind_text(class.kind)),
        ]);
        match &class.body {
            ClassBody::Long(body) => self.long_class(class, body),
            ClassBody::Short(body) => {
                self.out.push_str(class.name.symbol.as_str());
                self.out.push_str(" = ");
                self.causality(body.causality);
                self.name(body.base);
                self.subscripts(body.dims);
                self.modification(body.modification);
                self.description(&class.description);
            }
            ClassBody::Enumeration(literals) => {
                self.out.push_str(class.name.symbol.as_str());
                self.out.push_str(" = enumeration(");
                match literals {
                    None => self.out.push(':'),
                    Some(literals) => {
                        for (i, literal) in literals.iter().enumerate() {
                            if i > 0 {
                                self.out.push_str(", ");
                            }
                            self.out.push_str(literal.name.symbol.as_str());
                            self.description(&literal.description);
                        }
                    }
                }
                self.out.push(')');
                self.description(&class.description);
            }
            ClassBody::Der { function, variables } => {
                self.out.push_str(class.name.symbol.as_str());
                self.out.push_str(" = der(");
                self.name(*function);
                for variable in variables {
                    self.out.push_str(", ");
                    self.out.push_str(variable.symbol.as_str());
                }
                self.out.push(')');
                self.description(&class.description);
            }
        }
        self.constraint(class.constraint.as_deref());
    }

    fn element_prefixes(&mut self, prefixes: ElementPrefixes, each: bool) {
        self.words(&[
            (prefixes.redeclare, "redeclare"),
            (each, "each"),
            (prefixes.is_final, "final"),
            (prefixes.inner, "inner"),
            (prefixes.outer, "outer"),
            (prefixes.replaceable, "replaceable"),
        ]);
    }

    fn causality(&mut self, causality: Causality) {
        self.words(&[(causality == Causality::Input, "input"), (causality == Causality::Output, "output")]);
    }

    fn constraint(&mut self, constraint: Option<&Constraint>) {
        if let Some(constraint) = constraint {
            self.out.push_str(" constrainedby ");
            self.name(constraint.base);
            self.modification(constraint.modification);
            self.description(&constraint.description);
        }
    }

    fn long_class(&mut self, class: &ClassDef, body: &LongBody) {
        if body.class_extends {
            self.out.push_str("extends ");
        }
        self.out.push_str(class.name.symbol.as_str());
        self.modification(body.modification);
        self.strings(&class.description.strings);
        self.out.push('\n');
        self.indent += 1;
        self.elements(&body.elements);
        for section in &body.equations {
            self.heading(if section.initial { "initial equation" } else { "equation" });
            self.equations(&section.equations);
        }
        for section in &body.algorithms {
            self.heading(if section.initial { "initial algorithm" } else { "algorithm" });
            self.statements(&section.statements);
        }
        if let Some(external) = &body.external {
            self.external(external);
        }
        if let Some(annotation) = class.description.annotation {
            self.line();
            self.out.push_str("annotation");
            self.arguments_of(annotation);
            self.out.push_str(";\n");
        }
        self.indent -= 1;
        self.line();
        self.out.push_str("end ");
        self.out.push_str(class.name.symbol.as_str());
    }

    /// A line that stands out by one level.
    fn heading(&mut self, text: &str) {
        self.indent -= 1;
        self.line();
        self.indent += 1;
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn elements(&mut self, elements: &[Element]) {
        let mut protected = false;
        for element in elements {
            let own = match element {
                Element::Import(import) => import.protected,
                Element::Extends(extends) => extends.protected,
                Element::Class(id) => self.ast.classes[*id].prefixes.protected,
                Element::Component(id) => self.ast.components[*id].prefixes.protected,
            };
            if own != protected {
                self.heading(if own { "protected" } else { "public" });
                protected = own;
            }
            self.line();
            match element {
                Element::Import(import) => self.import(import),
                Element::Extends(extends) => self.extends(extends),
                Element::Class(id) => self.class(*id, false),
                Element::Component(id) => self.component(&self.ast.components[*id], false),
            }
            self.out.push_str(";\n");
        }
    }

    fn import(&mut self, import: &Import) {
        self.out.push_str("import ");
        if let ImportKind::Renamed(alias) = import.kind {
            self.out.push_str(alias.symbol.as_str());
            self.out.push_str(" = ");
        }
        self.name(import.name);
        match &import.kind {
            ImportKind::Unqualified => self.out.push_str(".*"),
            ImportKind::Listed(names) => {
                let names: Vec<&str> = names.iter().map(|n| n.symbol.as_str()).collect();
                self.out.push_str(".{");
                self.out.push_str(&names.join(", "));
                self.out.push('}');
            }
            ImportKind::Qualified | ImportKind::Renamed(_) => {}
        }
        self.description(&import.description);
    }

    fn extends(&mut self, extends: &Extends) {
        self.out.push_str("extends ");
        self.name(extends.base);
        if extends.modification.is_some() || !extends.breaks.is_empty() {
            self.out.push('(');
            let mut first = true;
            for deselected in &extends.breaks {
                self.comma(&mut first);
                self.out.push_str("break ");
                match *deselected {
                    Break::Component(name) => self.out.push_str(name.symbol.as_str()),
                    Break::Connect(a, b) => {
                        self.out.push_str("connect(");
                        self.reference(a);
                        self.out.push_str(", ");
                        self.reference(b);
                        self.out.push(')');
                    }
                }
            }
            if let Some(id) = extends.modification {
                self.arguments(&self.ast.modifications[id].args, &mut first);
            }
            self.out.push(')');
        }
        self.annotation(extends.annotation);
    }

    fn component(&mut self, component: &Component, each: bool) {
        self.element_prefixes(component.prefixes, each);
        self.words(&[
            (component.flow == FlowPrefix::Flow, "flow"),
            (component.flow == FlowPrefix::Stream, "stream"),
            (component.variability == Variability::Discrete, "discrete"),
            (component.variability == Variability::Parameter, "parameter"),
            (component.variability == Variability::Constant, "constant"),
        ]);
        self.causality(component.causality);
        self.name(component.type_name);
        self.subscripts(component.type_dims);
        self.out.push(' ');
        self.out.push_str(component.name.symbol.as_str());
        self.subscripts(component.dims);
        self.modification(component.modification);
        if let Some(condition) = component.condition {
            self.out.push_str(" if ");
            self.expression(condition);
        }
        self.description(&component.description);
        self.constraint(component.constraint.as_deref());
    }

    fn external(&mut self, external: &External) {
        self.heading_start("external");
        if let Some(language) = external.language {
            self.out.push(' ');
            self.string(language);
        }
        if let Some(call) = &external.call {
            self.out.push(' ');
            if let Some(result) = call.result {
                self.reference(result);
                self.out.push_str(" = ");
            }
            self.out.push_str(call.function.symbol.as_str());
            self.out.push('(');
            self.expressions(call.args);
            self.out.push(')');
        }
        self.annotation(external.annotation);
        self.out.push_str(";\n");
    }

    fn heading_start(&mut self, text: &str) {
        self.indent -= 1;
        self.line();
        self.indent += 1;
        self.out.push_str(text);
    }

    // ---- modifiers ----

    fn comma(&mut self, first: &mut bool) {
        if !*first {
            self.out.push_str(", ");
        }
        *first = false;
    }

    /// `(args) = binding`, or nothing.
    fn modification(&mut self, id: Option<ModId>) {
        let Some(id) = id else { return };
        let modification = &self.ast.modifications[id];
        // `x()` and `x` differ in the tree, `x() = 1` and `x = 1` do not.
        if !modification.args.is_empty() || modification.binding == Binding::None {
            self.arguments_of(id);
        }
        match modification.binding {
            Binding::None => {}
            Binding::Break => self.out.push_str(" = break"),
            Binding::Expr(value) => {
                self.out.push_str(" = ");
                self.expression(value);
            }
        }
    }

    fn arguments_of(&mut self, id: ModId) {
        self.out.push('(');
        self.arguments(&self.ast.modifications[id].args, &mut true);
        self.out.push(')');
    }

    fn arguments(&mut self, args: &[ModArg], first: &mut bool) {
        for arg in args {
            self.comma(first);
            match arg {
                ModArg::Modify(modify) => {
                    self.words(&[(modify.each, "each"), (modify.is_final, "final")]);
                    self.name(modify.name);
                    self.modification(modify.modification);
                    self.strings(&modify.description);
                }
                ModArg::Class { each, class } => self.class(*class, *each),
                ModArg::Component { each, component } => {
                    self.component(&self.ast.components[*component], *each);
                }
            }
        }
    }

    // ---- equations and statements ----

    fn equations(&mut self, equations: &[Equation]) {
        for equation in equations {
            self.line();
            self.equation(equation);
            self.description(&equation.description);
            self.out.push_str(";\n");
        }
    }

    fn equation(&mut self, equation: &Equation) {
        match &equation.kind {
            EquationKind::Equal(a, b) => {
                self.simple_expression(*a);
                self.out.push_str(" = ");
                self.expression(*b);
            }
            EquationKind::Connect(a, b) => {
                self.out.push_str("connect(");
                self.reference(*a);
                self.out.push_str(", ");
                self.reference(*b);
                self.out.push(')');
            }
            EquationKind::Call(call) => self.simple_expression(*call),
            EquationKind::If { branches, otherwise } => {
                self.branches("if", "elseif", branches, Self::equations);
                if !otherwise.is_empty() {
                    self.otherwise(otherwise, Self::equations);
                }
                self.end("if");
            }
            EquationKind::For { iterators, body } => {
                self.out.push_str("for ");
                self.iterators(*iterators);
                self.body(" loop\n", body, Self::equations);
                self.end("for");
            }
            EquationKind::When { branches } => {
                self.branches("when", "elsewhen", branches, Self::equations);
                self.end("when");
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.line();
            self.statement(statement);
            self.description(&statement.description);
            self.out.push_str(";\n");
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign(target, value) => {
                self.reference(*target);
                self.out.push_str(" := ");
                self.expression(*value);
            }
            StatementKind::AssignTuple { targets, call } => {
                self.out.push('(');
                for (i, target) in targets.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    if let Some(target) = target {
                        self.reference(*target);
                    }
                }
                self.out.push_str(") := ");
                self.expression(*call);
            }
            StatementKind::Call(call) => self.simple_expression(*call),
            StatementKind::Break => self.out.push_str("break"),
            StatementKind::Return => self.out.push_str("return"),
            StatementKind::If { branches, otherwise } => {
                self.branches("if", "elseif", branches, Self::statements);
                if !otherwise.is_empty() {
                    self.otherwise(otherwise, Self::statements);
                }
                self.end("if");
            }
            StatementKind::For { iterators, body } => {
                self.out.push_str("for ");
                self.iterators(*iterators);
                self.body(" loop\n", body, Self::statements);
                self.end("for");
            }
            StatementKind::While { condition, body } => {
                self.out.push_str("while ");
                self.expression(*condition);
                self.body(" loop\n", body, Self::statements);
                self.end("while");
            }
            StatementKind::When { branches } => {
                self.branches("when", "elsewhen", branches, Self::statements);
                self.end("when");
            }
        }
    }

    fn branches<I>(
        &mut self,
        first: &str,
        next: &str,
        branches: &[(ExprId, Vec<I>)],
        print: fn(&mut Self, &[I]),
    ) {
        for (i, (condition, items)) in branches.iter().enumerate() {
            if i > 0 {
                self.line();
            }
            self.out.push_str(if i > 0 { next } else { first });
            self.out.push(' ');
            self.expression(*condition);
            self.body(" then\n", items, print);
        }
    }

    fn otherwise<I>(&mut self, items: &[I], print: fn(&mut Self, &[I])) {
        self.line();
        self.body("else\n", items, print);
    }

    fn body<I>(&mut self, head: &str, items: &[I], print: fn(&mut Self, &[I])) {
        self.out.push_str(head);
        self.indent += 1;
        print(self, items);
        self.indent -= 1;
    }

    fn end(&mut self, word: &str) {
        self.line();
        self.out.push_str("end ");
        self.out.push_str(word);
    }
}
