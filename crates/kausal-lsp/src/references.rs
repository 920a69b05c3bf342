//! All names of a file that stand for something declared, with where they are to be looked for. Declarations are names of
//! themselves, so that one list answers what is under the cursor, what refers to what, and what is not found.

use kausal_syntax::arena::List;
use kausal_syntax::ast::{
    Arg, Binding, Break, ClassBody, ClassId, ComponentId, ComponentRef, Element, Equation, EquationKind,
    Expr, ExprId, Ident, ImportKind, Iterator as LoopVariable, ModArg, ModId, Name, RefPart, Statement,
    StatementKind,
};
use kausal_syntax::{Ast, Span, Symbol};

/// How a name is to be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The name of a class definition.
    Class(ClassId),
    /// The name of a component declaration.
    Component(ComponentId),
    /// A class: of a component, a base, a constraint.
    Type,
    /// A component or constant in an expression, or a class there.
    Value,
    /// The function of a call.
    Function,
    /// In an import: seen from the top.
    Import,
    /// What a modifier modifies: an element of the class of its owner.
    Modifier(Owner, Vec<Symbol>),
    /// The name of an argument of a call.
    Argument(Vec<Part>),
    /// A loop variable, declared here.
    Loop(Span),
    /// A literal of an enumeration, declared here.
    Literal(ClassId),
}

/// Whose elements a modifier names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Those of the class of a component.
    Component(ComponentId),
    /// Those of a class.
    Base(Vec<Part>),
}

/// A part of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The identifier.
    pub name: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A name.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The class within which it is looked for; `None` in a `within` clause.
    pub scope: Option<ClassId>,
    /// With a leading dot.
    pub global: bool,
    /// Its parts, at least one.
    pub parts: Vec<Part>,
    /// How it is to be understood.
    pub kind: Kind,
    /// Is it within an annotation?
    pub in_annotation: bool,
    /// Is it assigned a value here?
    pub is_assigned: bool,
}

/// All names of a file, in the order of the text.
pub fn references(ast: &Ast) -> Vec<Reference> {
    let mut walk = Walk { ast, out: Vec::new(), locals: Vec::new(), scope: None, in_annotation: false };
    if let Some(within) = ast.within {
        walk.name(within, Kind::Import);
    }
    for &root in &ast.roots {
        walk.class(root);
    }
    walk.out.sort_by_key(|r| r.parts[0].span.start);
    walk.out
}

struct Walk<'a> {
    ast: &'a Ast,
    out: Vec<Reference>,
    locals: Vec<(Symbol, Span)>,
    scope: Option<ClassId>,
    in_annotation: bool,
}

fn part(ident: &Ident) -> Part {
    Part { name: ident.symbol, span: ident.span }
}

impl Walk<'_> {
    fn push(&mut self, global: bool, parts: Vec<Part>, kind: Kind) {
        // What the parser made up has no place in the text.
        if parts.first().is_none_or(|p| p.span.start >= p.span.end) {
            return;
        }
        let (scope, in_annotation) = (self.scope, self.in_annotation);
        self.out.push(Reference { scope, global, parts, kind, in_annotation, is_assigned: false });
    }

    fn parts(&self, name: Name) -> Vec<Part> {
        self.ast.lists.idents.get(name.parts).iter().map(part).collect()
    }

    fn name(&mut self, name: Name, kind: Kind) {
        let parts = self.parts(name);
        self.push(name.global, parts, kind);
    }

    fn declared(&mut self, ident: &Ident, kind: Kind) {
        self.push(false, vec![part(ident)], kind);
    }

    fn class(&mut self, id: ClassId) {
        let class = &self.ast.classes[id];
        self.declared(&class.name, Kind::Class(id));
        let outside = self.scope;
        match &class.body {
            ClassBody::Long(body) => {
                self.scope = Some(id);
                let base = vec![part(&class.name)];
                self.modification(body.modification, &Owner::Base(base), &[]);
                for element in &body.elements {
                    self.element(element);
                }
                for section in &body.equations {
                    self.equations(&section.equations);
                }
                for section in &body.algorithms {
                    self.statements(&section.statements);
                }
                if let Some(external) = &body.external {
                    if let Some(call) = &external.call {
                        if let Some(result) = call.result {
                            self.reference(result, Kind::Value);
                        }
                        self.list(call.args);
                    }
                    self.annotation(external.annotation);
                }
                self.annotation(class.description.annotation);
            }
            ClassBody::Short(short) => {
                self.name(short.base, Kind::Type);
                self.list(short.dims);
                let base = self.parts(short.base);
                self.modification(short.modification, &Owner::Base(base), &[]);
                self.annotation(class.description.annotation);
            }
            ClassBody::Enumeration(literals) => {
                for literal in literals.iter().flatten() {
                    self.declared(&literal.name, Kind::Literal(id));
                    self.annotation(literal.description.annotation);
                }
                self.annotation(class.description.annotation);
            }
            ClassBody::Der { function, .. } => {
                self.name(*function, Kind::Type);
                self.annotation(class.description.annotation);
            }
        }
        self.scope = outside;
        if let Some(constraint) = &class.constraint {
            self.name(constraint.base, Kind::Type);
            let base = self.parts(constraint.base);
            self.modification(constraint.modification, &Owner::Base(base), &[]);
            self.annotation(constraint.description.annotation);
        }
    }

    fn element(&mut self, element: &Element) {
        match element {
            Element::Class(id) => self.class(*id),
            Element::Component(id) => self.component(*id),
            Element::Extends(extends) => {
                self.name(extends.base, Kind::Type);
                let base = self.parts(extends.base);
                self.modification(extends.modification, &Owner::Base(base), &[]);
                for b in &extends.breaks {
                    match b {
                        Break::Component(name) => self.declared(name, Kind::Value),
                        Break::Connect(a, b) => {
                            self.reference(*a, Kind::Value);
                            self.reference(*b, Kind::Value);
                        }
                    }
                }
                self.annotation(extends.annotation);
            }
            Element::Import(import) => {
                let parts = self.parts(import.name);
                if let ImportKind::Listed(names) = &import.kind {
                    for name in names {
                        let mut all = parts.clone();
                        all.push(part(name));
                        self.push(true, all, Kind::Import);
                    }
                } else {
                    self.push(true, parts, Kind::Import);
                }
                self.annotation(import.description.annotation);
            }
        }
    }

    fn component(&mut self, id: ComponentId) {
        let c = &self.ast.components[id];
        self.name(c.type_name, Kind::Type);
        self.list(c.type_dims);
        self.declared(&c.name, Kind::Component(id));
        self.list(c.dims);
        self.modification(c.modification, &Owner::Component(id), &[]);
        if let Some(condition) = c.condition {
            self.expression(condition);
        }
        if let Some(constraint) = &c.constraint {
            self.name(constraint.base, Kind::Type);
            let base = self.parts(constraint.base);
            self.modification(constraint.modification, &Owner::Base(base), &[]);
            self.annotation(constraint.description.annotation);
        }
        self.annotation(c.description.annotation);
    }

    fn modification(&mut self, id: Option<ModId>, owner: &Owner, path: &[Symbol]) {
        let Some(id) = id else { return };
        let modification = &self.ast.modifications[id];
        for arg in &modification.args {
            match arg {
                ModArg::Modify(modify) => {
                    let parts = self.parts(modify.name);
                    let mut inside = path.to_vec();
                    inside.extend(parts.iter().map(|p| p.name));
                    self.push(false, parts, Kind::Modifier(owner.clone(), path.to_vec()));
                    self.modification(modify.modification, owner, &inside);
                }
                ModArg::Class { class, .. } => {
                    let name = self.ast.classes[*class].name;
                    self.push(false, vec![part(&name)], Kind::Modifier(owner.clone(), path.to_vec()));
                    let at = self.out.len();
                    self.class(*class);
                    self.drop_declaration(at, name.span);
                }
                ModArg::Component { component, .. } => {
                    let name = self.ast.components[*component].name;
                    self.push(false, vec![part(&name)], Kind::Modifier(owner.clone(), path.to_vec()));
                    let at = self.out.len();
                    self.component(*component);
                    self.drop_declaration(at, name.span);
                }
            }
        }
        if let Binding::Expr(expr) = modification.binding {
            self.expression(expr);
        }
    }

    /// A redeclaration names what it redeclares; it is not another declaration.
    fn drop_declaration(&mut self, from: usize, span: Span) {
        if let Some(at) = self.out[from..].iter().position(|r| r.parts.len() == 1 && r.parts[0].span == span)
        {
            self.out.remove(from + at);
        }
    }

    /// Only expressions of annotations refer to something: its names are a language of their own.
    fn annotation(&mut self, id: Option<ModId>) {
        let Some(id) = id else { return };
        let outside = std::mem::replace(&mut self.in_annotation, true);
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let modification = &self.ast.modifications[id];
            for arg in &modification.args {
                if let ModArg::Modify(modify) = arg {
                    stack.extend(modify.modification);
                }
            }
            if let Binding::Expr(expr) = modification.binding {
                self.expression(expr);
            }
        }
        self.in_annotation = outside;
    }

    fn equations(&mut self, equations: &[Equation]) {
        for equation in equations {
            match &equation.kind {
                EquationKind::Equal(a, b) => {
                    self.expression(*a);
                    self.expression(*b);
                }
                EquationKind::Connect(a, b) => {
                    self.reference(*a, Kind::Value);
                    self.reference(*b, Kind::Value);
                }
                EquationKind::Call(e) => self.expression(*e),
                EquationKind::If { branches, otherwise } => {
                    for (condition, body) in branches {
                        self.expression(*condition);
                        self.equations(body);
                    }
                    self.equations(otherwise);
                }
                EquationKind::For { iterators, body } => {
                    let mark = self.iterators(*iterators);
                    self.equations(body);
                    self.locals.truncate(mark);
                }
                EquationKind::When { branches } => {
                    for (condition, body) in branches {
                        self.expression(*condition);
                        self.equations(body);
                    }
                }
            }
            self.annotation(equation.description.annotation);
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign(target, value) => {
                    self.target(*target);
                    self.expression(*value);
                }
                StatementKind::AssignTuple { targets, call } => {
                    for target in targets.iter().flatten() {
                        self.target(*target);
                    }
                    self.expression(*call);
                }
                StatementKind::Call(e) => self.expression(*e),
                StatementKind::Break | StatementKind::Return => {}
                StatementKind::If { branches, otherwise } => {
                    for (condition, body) in branches {
                        self.expression(*condition);
                        self.statements(body);
                    }
                    self.statements(otherwise);
                }
                StatementKind::For { iterators, body } => {
                    let mark = self.iterators(*iterators);
                    self.statements(body);
                    self.locals.truncate(mark);
                }
                StatementKind::While { condition, body } => {
                    self.expression(*condition);
                    self.statements(body);
                }
                StatementKind::When { branches } => {
                    for (condition, body) in branches {
                        self.expression(*condition);
                        self.statements(body);
                    }
                }
            }
            self.annotation(statement.description.annotation);
        }
    }

    fn target(&mut self, target: ComponentRef) {
        let at = self.out.len();
        self.reference(target, Kind::Value);
        let start = self.ast.lists.parts.get(target.parts).first().map(|p| p.name.span);
        if let Some(r) = self.out[at..].iter_mut().find(|r| Some(r.parts[0].span) == start) {
            r.is_assigned = true;
        }
    }

    fn iterators(&mut self, list: List<LoopVariable>) -> usize {
        let mark = self.locals.len();
        for &LoopVariable { name, range } in self.ast.lists.iterators.get(list) {
            if let Some(range) = range {
                self.expression(range);
            }
            self.declared(&name, Kind::Loop(name.span));
            self.locals.push((name.symbol, name.span));
        }
        mark
    }

    fn list(&mut self, list: List<ExprId>) {
        for &e in self.ast.lists.exprs.get(list) {
            self.expression(e);
        }
    }

    fn reference(&mut self, reference: ComponentRef, kind: Kind) {
        let written: &[RefPart] = self.ast.lists.parts.get(reference.parts);
        let parts: Vec<Part> = written.iter().map(|p| part(&p.name)).collect();
        let local = parts.first().filter(|_| !reference.global).and_then(|first| {
            self.locals.iter().rev().find(|(name, _)| *name == first.name).map(|&(_, span)| span)
        });
        self.push(reference.global, parts, local.map_or(kind, Kind::Loop));
        for part in written {
            self.list(part.subscripts);
        }
    }

    fn args(&mut self, function: Vec<Part>, args: List<Arg>) {
        for arg in self.ast.lists.args.get(args) {
            if let Some(name) = &arg.name {
                self.declared(name, Kind::Argument(function.clone()));
            }
            self.expression(arg.value);
        }
    }

    fn expression(&mut self, id: ExprId) {
        // Chains of operators may be long: their left side is walked in a loop.
        let mut at = id;
        loop {
            match self.ast.exprs[at] {
                Expr::Binary(_, left, right) => {
                    self.expression(right);
                    at = left;
                }
                Expr::Unary(_, e) => at = e,
                _ => break,
            }
        }
        match self.ast.exprs[at] {
            Expr::Ref(reference) => self.reference(reference, Kind::Value),
            Expr::If { branches, otherwise } => {
                for &(condition, value) in self.ast.lists.branches.get(branches) {
                    self.expression(condition);
                    self.expression(value);
                }
                self.expression(otherwise);
            }
            Expr::Range { start, step, stop } => {
                self.expression(start);
                step.into_iter().for_each(|e| self.expression(e));
                self.expression(stop);
            }
            Expr::Call { function, args } => {
                self.reference(function, Kind::Function);
                let name = self.ast.lists.parts.get(function.parts).iter().map(|p| part(&p.name)).collect();
                self.args(name, args);
            }
            Expr::CallFor { function, body, iterators } => {
                self.reference(function, Kind::Function);
                let mark = self.iterators(iterators);
                self.expression(body);
                self.locals.truncate(mark);
            }
            Expr::Function { function, args } => {
                self.name(function, Kind::Function);
                let name = self.parts(function);
                self.args(name, args);
            }
            Expr::Array(list) | Expr::Tuple(list) => self.list(list),
            Expr::ArrayFor { body, iterators } => {
                let mark = self.iterators(iterators);
                self.expression(body);
                self.locals.truncate(mark);
            }
            Expr::Matrix(rows) => {
                for &row in self.ast.lists.rows.get(rows) {
                    self.list(row);
                }
            }
            Expr::Binary(..)
            | Expr::Unary(..)
            | Expr::Integer(_)
            | Expr::Real(_)
            | Expr::String(_)
            | Expr::Boolean(_)
            | Expr::Missing
            | Expr::Colon
            | Expr::End
            | Expr::Error => {}
        }
    }
}
