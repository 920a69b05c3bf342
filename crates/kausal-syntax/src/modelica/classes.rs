//! Files, classes and declarations (specification appendix A.2.1 to A.2.4).

use crate::arena::List;
use crate::ast::{
    AlgorithmSection, Causality, ClassBody, ClassDef, ClassId, ClassKind, Component, ComponentId, Constraint,
    Description, Element, ElementPrefixes, EnumLiteral, EquationSection, Extends, External, ExternalCall,
    FlowPrefix, Ident, Import, ImportKind, LongBody, Name, Purity, ShortBody, Variability,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

use super::parser::{Bail, Block, Parser, Res};
use super::token::T;

/// What the lines of a class being read are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Elements,
    Equations,
    Algorithms,
}

/// `encapsulated partial pure model`
struct ClassPrefixes {
    encapsulated: bool,
    partial: bool,
    purity: Purity,
    kind: ClassKind,
    keyword: T,
}

/// `flow parameter input`
#[derive(Clone, Copy, Default)]
pub(super) struct TypePrefix {
    pub flow: FlowPrefix,
    pub variability: Variability,
    pub causality: Causality,
}

impl Parser<'_> {
    /// A whole file.
    pub fn stored_definition(&mut self) {
        if self.at(T::Within) {
            self.within();
        }
        while !self.at(T::Eof) {
            let before = self.pos;
            self.root();
            if self.pos == before {
                self.bump();
            }
        }
        if self.ast.roots.is_empty() && !self.has_reports() {
            let here = self.location(self.span());
            self.report(
                Diagnostic::error("K0130", "this file has no class")
                    .at(here, "the file ends here")
                    .help("a Modelica file holds a class, for example `model M … end M;`"),
            );
        }
    }

    fn within(&mut self) {
        let mark = self.mark();
        let start = self.start();
        self.bump();
        let name = if matches!(self.kind(), T::Ident | T::Dot) {
            self.type_specifier("the name of a package")
        } else {
            Ok(Name { span: self.span_from(start), ..Name::default() })
        };
        let done = name.and_then(|name| {
            self.ast.within = Some(name);
            self.semicolon("`;`")
        });
        if done.is_err() {
            self.recover(mark);
        }
    }

    /// One class at the top of a file.
    fn root(&mut self) {
        let mark = self.mark();
        let start = self.start();
        let mut prefixes = ElementPrefixes::default();
        if self.at(T::Final) && self.peek(1).starts_class() {
            prefixes.is_final = true;
            self.bump();
        }
        if !self.kind().starts_class() {
            return self.no_class_here();
        }
        match self.class_definition(prefixes, start) {
            Ok(class) => {
                self.ast.roots.push(class);
                if self.semicolon("`;`").is_err() {
                    self.recover(mark);
                }
            }
            Err(_) => self.recover(mark),
        }
    }

    /// `encapsulated … model M … end M`, from the first word that [`T::starts_class`].
    pub fn class_definition(&mut self, prefixes: ElementPrefixes, start: u32) -> Res<ClassId> {
        self.enter_part()?;
        let words = self.class_prefixes()?;
        let class_extends = self.eat(T::Extends);
        let name = self.class_name();
        let id = self.ast.classes.push(ClassDef {
            name,
            kind: words.kind,
            prefixes,
            encapsulated: words.encapsulated,
            partial: words.partial,
            purity: words.purity,
            body: ClassBody::Enumeration(None),
            constraint: None,
            description: Description::default(),
            parent: self.class,
            span: self.span_from(start),
        });
        if !class_extends && self.at_short_class(words.kind) {
            self.short_class(id)?;
        } else {
            self.long_class(id, words.keyword, class_extends);
        }
        self.leave_part();
        self.ast.classes[id].span = self.span_from(start);
        Ok(id)
    }

    /// Does a short definition follow the name? A `=` may have been forgotten where nothing else is possible.
    fn at_short_class(&self, kind: ClassKind) -> bool {
        match self.kind() {
            T::Eq | T::EqEq | T::ColonEq | T::Enumeration => true,
            T::Ident => kind == ClassKind::Type && self.same_line(self.pos) || !self.brackets.is_empty(),
            _ => false,
        }
    }

    fn class_prefixes(&mut self) -> Res<ClassPrefixes> {
        let mut words = ClassPrefixes {
            encapsulated: false,
            partial: false,
            purity: Purity::Unspecified,
            kind: ClassKind::Class,
            keyword: T::Class,
        };
        loop {
            match self.kind() {
                T::Encapsulated => words.encapsulated = true,
                T::Partial => words.partial = true,
                T::Pure => words.purity = Purity::Pure,
                T::Impure => words.purity = Purity::Impure,
                _ => break,
            }
            self.bump();
        }
        words.keyword = self.kind();
        words.kind = match self.kind() {
            T::Class => ClassKind::Class,
            T::Model => ClassKind::Model,
            T::Record => ClassKind::Record,
            T::Block => ClassKind::Block,
            T::Connector => ClassKind::Connector,
            T::Type => ClassKind::Type,
            T::Package => ClassKind::Package,
            T::Function => ClassKind::Function,
            T::Expandable if self.peek(1) == T::Connector => {
                self.bump();
                words.keyword = T::Connector;
                ClassKind::ExpandableConnector
            }
            T::Operator if self.peek(1) == T::Record => {
                self.bump();
                ClassKind::OperatorRecord
            }
            T::Operator if self.peek(1) == T::Function => {
                self.bump();
                ClassKind::OperatorFunction
            }
            T::Operator => ClassKind::Operator,
            T::Expandable => {
                self.bump();
                self.unexpected("`connector`");
                if !self.kind().starts_class() {
                    return Err(Bail);
                }
                words.keyword = self.kind();
                ClassKind::ExpandableConnector
            }
            _ => {
                self.unexpected("`model`, `package`, `function` or another kind of class");
                if !matches!(self.kind(), T::Ident | T::Extends) {
                    return Err(Bail);
                }
                return Ok(words);
            }
        };
        self.bump();
        if words.purity != Purity::Unspecified
            && !matches!(words.kind, ClassKind::Function | ClassKind::OperatorFunction)
        {
            let here = self.location(self.previous());
            self.report(
                Diagnostic::error("K0101", "only a `function` can be `pure` or `impure`")
                    .at(here, "this is no function"),
            );
        }
        Ok(words)
    }

    /// `IDENT "=" …`
    fn short_class(&mut self, id: ClassId) -> Res<()> {
        if matches!(self.kind(), T::Ident | T::Enumeration) {
            self.missing_equals();
        } else {
            self.expect_equals()?;
        }
        let body = match self.kind() {
            T::Enumeration => self.enumeration()?,
            T::Der => self.der_class()?,
            _ => {
                let causality = match self.kind() {
                    T::Input => Causality::Input,
                    T::Output => Causality::Output,
                    _ => Causality::None,
                };
                if causality != Causality::None {
                    self.bump();
                }
                let base = self.type_specifier("the name of a class")?;
                let dims = self.subscripts()?;
                let modification = self.optional_class_modification()?;
                ClassBody::Short(Box::new(ShortBody { causality, base, dims, modification }))
            }
        };
        self.ast.classes[id].body = body;
        self.ast.classes[id].description = self.description()?;
        Ok(())
    }

    /// `enumeration ( a "first", b "second" )` or `enumeration ( : )`
    fn enumeration(&mut self) -> Res<ClassBody> {
        self.bump();
        self.expect_open("`(` and the literals")?;
        if self.eat(T::Colon) {
            self.close(T::RParen)?;
            return Ok(ClassBody::Enumeration(None));
        }
        let mut literals = Vec::new();
        if !self.at(T::RParen) {
            loop {
                let name = self.ident("the name of a literal")?;
                let description = self.description()?;
                literals.push(EnumLiteral { name, description });
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.close(T::RParen)?;
        Ok(ClassBody::Enumeration(Some(literals.into())))
    }

    /// `der ( f, x, y )`
    fn der_class(&mut self) -> Res<ClassBody> {
        self.bump();
        self.expect_open("`(` and the name of a function")?;
        let function = self.type_specifier("the name of a function")?;
        let mut variables = Vec::new();
        while self.eat(T::Comma) {
            variables.push(self.ident("the name of an input")?);
        }
        if variables.is_empty() {
            return Err(self.unexpected("`,` and the input to differentiate by"));
        }
        self.close(T::RParen)?;
        Ok(ClassBody::Der { function, variables: variables.into() })
    }

    /// From behind the name to `end Name`. Whatever is wrong within is dealt with within.
    fn long_class(&mut self, id: ClassId, keyword: T, class_extends: bool) {
        let name: Ident = self.ast.classes[id].name;
        let outer = self.class.replace(id);
        self.blocks.push(Block { keyword, name: Some(name.symbol), span: name.span, else_if: None });
        let mut body = LongBody { class_extends, ..LongBody::default() };
        let mark = self.mark();
        if class_extends {
            match self.optional_class_modification() {
                Ok(modification) => body.modification = modification,
                Err(_) => self.recover(mark),
            }
        }
        self.check_class_head();
        let mut description = Description { strings: self.description_string(), annotation: None };
        self.composition(&mut body, &mut description);
        self.blocks.pop();
        self.class = outer;
        body.elements.shrink_to_fit();
        let class = &mut self.ast.classes[id];
        class.body = ClassBody::Long(Box::new(body));
        class.description = description;
    }

    /// Declarations and sections up to and with `end Name`.
    fn composition(&mut self, body: &mut LongBody, description: &mut Description) {
        let mut section = Section::Elements;
        // The section was entered by a slip: nobody wrote its keyword.
        let mut implied = false;
        let mut protected = false;
        loop {
            let before = self.pos;
            let start = self.start();
            if self.kind().is_section() || self.at(T::Initial) {
                implied = false;
            }
            match self.kind() {
                T::Eof | T::End => {
                    if self.end_of_class() {
                        return;
                    }
                }
                T::Else | T::Elseif | T::Elsewhen => self.stray_branch(),
                T::RBrace if self.braces => self.bump(),
                T::Ident if self.peek(1) == T::Semi && self.end_without_end() => return,
                T::Public | T::Protected => {
                    protected = self.at(T::Protected);
                    section = Section::Elements;
                    self.bump();
                }
                T::Initial if matches!(self.peek(1), T::Equation | T::Algorithm) => {
                    self.bump();
                    section = self.open_section(body, true, start);
                }
                T::Equation | T::Algorithm => section = self.open_section(body, false, start),
                T::External => self.external(body),
                T::Annotation => self.class_annotation(description),
                T::Semi => self.stray_semicolon(),
                _ => {
                    if section != Section::Elements && self.class_ended_before_this() {
                        return;
                    }
                    let checked = self.check_section(section, implied, body);
                    implied |= checked != section;
                    section = checked;
                    match section {
                        Section::Elements => self.recovering(|p| p.element(body, protected)),
                        Section::Equations => {
                            if let Some(section) = body.equations.last_mut() {
                                self.item(&mut section.equations);
                            }
                        }
                        Section::Algorithms => {
                            if let Some(section) = body.algorithms.last_mut() {
                                self.item(&mut section.statements);
                                section.span.end = self.previous().end;
                            }
                        }
                    }
                }
            }
            if self.pos == before && !self.at(T::Eof) {
                // What no production wants and nobody complained about.
                if !self.reported_since(start) {
                    self.unexpected("a declaration");
                }
                self.bump();
            }
        }
    }

    fn open_section(&mut self, body: &mut LongBody, initial: bool, start: u32) -> Section {
        let algorithm = self.at(T::Algorithm);
        self.bump();
        self.push_section(body, algorithm, initial, start)
    }

    pub fn push_section(
        &mut self,
        body: &mut LongBody,
        algorithm: bool,
        initial: bool,
        start: u32,
    ) -> Section {
        if algorithm {
            let span = self.span_from(start);
            body.algorithms.push(AlgorithmSection { initial, statements: Vec::new(), span });
            Section::Algorithms
        } else {
            body.equations.push(EquationSection { initial, equations: Vec::new() });
            Section::Equations
        }
    }

    /// `annotation ( … ) ;` of the class. The specification has one, at the end; others write several.
    fn class_annotation(&mut self, description: &mut Description) {
        let mark = self.mark();
        let read = self.annotation_clause().and_then(|annotation| {
            match description.annotation {
                None => description.annotation = Some(annotation),
                Some(first) => {
                    let more = std::mem::take(&mut self.ast.modifications[annotation].args);
                    let args = std::mem::take(&mut self.ast.modifications[first].args);
                    self.ast.modifications[first].args = args.into_iter().chain(more).collect();
                }
            }
            self.semicolon("`;`")
        });
        if read.is_err() {
            self.recover(mark);
        }
    }

    /// `external "C" y = f(x) annotation ( … ) ;`
    fn external(&mut self, body: &mut LongBody) {
        let mark = self.mark();
        let start = self.start();
        self.bump();
        let language = match self.kind() {
            T::Str => Some(crate::ast::StringLiteral { span: self.span() }),
            _ => None,
        };
        if matches!(self.kind(), T::Str | T::BadStr) {
            self.bump();
        }
        let read = self.external_call().and_then(|call| {
            let span = self.span_from(start);
            let annotation = if self.at(T::Annotation) { Some(self.annotation_clause()?) } else { None };
            body.external = Some(Box::new(External { language, call, annotation, span }));
            self.semicolon("`;`")
        });
        if read.is_err() {
            self.recover(mark);
        }
    }

    fn external_call(&mut self) -> Res<Option<ExternalCall>> {
        if !matches!(self.kind(), T::Ident | T::Dot) {
            return Ok(None);
        }
        let result = match (self.kind(), self.peek(1)) {
            (T::Ident, T::LParen) => None,
            _ => {
                let result = self.component_reference("the name of a function")?;
                self.expect_equals()?;
                Some(result)
            }
        };
        let function = self.ident("the name of a function")?;
        self.expect_open("`(` and the arguments")?;
        let base = self.scratch.exprs.len();
        if !self.at(T::RParen) {
            loop {
                let arg = self.expression()?;
                self.scratch.exprs.push(arg);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.close(T::RParen)?;
        let args = self.ast.lists.exprs.add(self.scratch.exprs.drain(base..));
        Ok(Some(ExternalCall { result, function, args }))
    }

    /// One `element ";"`.
    fn element(&mut self, body: &mut LongBody, protected: bool) -> Res<()> {
        let start = self.start();
        let mut end = "`;`";
        match self.kind() {
            T::Import => {
                let import = self.import(protected)?;
                body.elements.push(Element::Import(import));
            }
            T::Extends => {
                let extends = self.extends(protected)?;
                body.elements.push(Element::Extends(extends));
            }
            _ => {
                let mut prefixes = self.element_prefixes();
                prefixes.protected = protected;
                if self.kind().starts_class() {
                    let class = self.class_definition(prefixes, start)?;
                    body.elements.push(Element::Class(class));
                    if let Some(constraint) = self.constraint()? {
                        self.ast.classes[class].constraint = Some(Box::new(constraint));
                    }
                } else {
                    self.component_clause(start, prefixes, body)?;
                    end = "`,` or `;`";
                }
            }
        }
        self.semicolon(end)
    }

    fn element_prefixes(&mut self) -> ElementPrefixes {
        let mut prefixes = ElementPrefixes::default();
        loop {
            match self.kind() {
                T::Redeclare => prefixes.redeclare = true,
                T::Final => prefixes.is_final = true,
                T::Inner => prefixes.inner = true,
                T::Outer => prefixes.outer = true,
                T::Replaceable => prefixes.replaceable = true,
                _ => return prefixes,
            }
            self.bump();
        }
    }

    /// `import D = A.B;` `import A.B;` `import A.*;` `import A.{B, C};`
    fn import(&mut self, protected: bool) -> Res<Import> {
        let start = self.start();
        self.bump();
        let alias = if self.at(T::Ident) && self.peek(1) == T::Eq {
            let alias = self.take_ident();
            self.bump();
            Some(alias)
        } else {
            None
        };
        let name = self.type_specifier("the name of a package or class")?;
        let kind = match (alias, self.kind()) {
            (Some(alias), _) => ImportKind::Renamed(alias),
            (None, T::DotStar) => {
                self.bump();
                ImportKind::Unqualified
            }
            (None, T::Dot) => {
                self.bump();
                if self.eat(T::Star) { ImportKind::Unqualified } else { self.import_list()? }
            }
            _ => ImportKind::Qualified,
        };
        let span = self.span_from(start);
        Ok(Import { kind, name, protected, description: self.description()?, span })
    }

    fn import_list(&mut self) -> Res<ImportKind> {
        self.open();
        let mut names = Vec::new();
        loop {
            names.push(self.ident("the name of a class")?);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.close(T::RBrace)?;
        Ok(ImportKind::Listed(names.into()))
    }

    /// `extends B(…)`
    fn extends(&mut self, protected: bool) -> Res<Extends> {
        let start = self.start();
        self.bump();
        let base = self.type_specifier("the name of a class")?;
        let (modification, breaks) = self.inheritance_modification()?;
        let span = self.span_from(start);
        let annotation = if self.at(T::Annotation) { Some(self.annotation_clause()?) } else { None };
        Ok(Extends { base, modification, breaks, annotation, protected, span })
    }

    /// `[ constrainedby T(…) "text" ]`
    pub fn constraint(&mut self) -> Res<Option<Constraint>> {
        if !self.eat(T::Constrainedby) {
            return Ok(None);
        }
        let base = self.type_specifier("the name of a class")?;
        let modification = self.optional_class_modification()?;
        Ok(Some(Constraint { base, modification, description: self.description()? }))
    }

    pub fn type_prefix(&mut self) -> TypePrefix {
        let mut words = TypePrefix::default();
        loop {
            match self.kind() {
                T::Flow => words.flow = FlowPrefix::Flow,
                T::Stream => words.flow = FlowPrefix::Stream,
                T::Discrete => words.variability = Variability::Discrete,
                T::Parameter => words.variability = Variability::Parameter,
                T::Constant => words.variability = Variability::Constant,
                T::Input => words.causality = Causality::Input,
                T::Output => words.causality = Causality::Output,
                _ => return words,
            }
            self.bump();
        }
    }

    /// `parameter Real x(start = 1) = 2 "text", y`
    fn component_clause(&mut self, start: u32, prefixes: ElementPrefixes, body: &mut LongBody) -> Res<()> {
        let words = self.type_prefix();
        let type_name = self.type_specifier("a declaration")?;
        let type_dims = self.subscripts()?;
        let first = body.elements.len();
        let mut from = start;
        loop {
            let component = self.component(from, prefixes, words, type_name, type_dims)?;
            body.elements.push(Element::Component(component));
            if self.at(T::Comma) && self.decimal_comma() {
                self.description()?;
            }
            if !self.eat(T::Comma) && !self.missing_comma() {
                break;
            }
            from = self.start();
        }
        if let Some(constraint) = self.constraint()? {
            for element in &body.elements[first..] {
                if let Element::Component(id) = element {
                    self.ast.components[*id].constraint = Some(Box::new(constraint.clone()));
                }
            }
        }
        Ok(())
    }

    /// `x[3](start = 1) = 2 if c "text"`
    fn component(
        &mut self,
        start: u32,
        prefixes: ElementPrefixes,
        words: TypePrefix,
        type_name: Name,
        type_dims: List<crate::ast::ExprId>,
    ) -> Res<ComponentId> {
        let name = self.component_name()?;
        let dims = self.subscripts()?;
        let modification = self.optional_modification()?;
        let condition = if self.eat(T::If) { Some(self.expression()?) } else { None };
        let span: Span = self.span_from(start);
        let description = self.description()?;
        Ok(self.ast.components.push(Component {
            name,
            prefixes,
            flow: words.flow,
            variability: words.variability,
            causality: words.causality,
            type_name,
            type_dims,
            dims,
            modification,
            condition,
            constraint: None,
            description,
            span,
        }))
    }

    /// `component-clause1` of a modification: one component, no dimensions on its type.
    pub fn single_component(&mut self, start: u32, prefixes: ElementPrefixes) -> Res<ComponentId> {
        let words = self.type_prefix();
        let type_name = self.type_specifier("a class or a type")?;
        let type_dims = self.subscripts()?;
        self.component(start, prefixes, words, type_name, type_dims)
    }
}
