//! Modifiers, annotations and descriptions (specification appendix A.2.5).

use crate::ast::{Binding, Break, Description, ElementPrefixes, ModArg, ModId, Modification, Modify};
use crate::diagnostic::Diagnostic;

use super::parser::{Parser, Res};
use super::token::T;

impl Parser<'_> {
    /// `[ "text" ] [ annotation ( … ) ]`
    pub fn description(&mut self) -> Res<Description> {
        let strings = self.description_string();
        let annotation = if self.at(T::Annotation) { Some(self.annotation_clause()?) } else { None };
        Ok(Description { strings, annotation })
    }

    /// `annotation ( … )`
    pub fn annotation_clause(&mut self) -> Res<ModId> {
        self.bump();
        if !self.at(T::LParen) {
            return Err(self.unexpected("`(` behind `annotation`"));
        }
        self.class_modification()
    }

    pub fn optional_class_modification(&mut self) -> Res<Option<ModId>> {
        if self.at(T::LParen) { Ok(Some(self.class_modification()?)) } else { Ok(None) }
    }

    /// `( … )`
    fn class_modification(&mut self) -> Res<ModId> {
        let start = self.start();
        let args = self.modification_arguments(None)?;
        let span = self.span_from(start);
        Ok(self.ast.modifications.push(Modification { args, binding: Binding::None, span }))
    }

    /// `( … )` of an extends clause, where `break` may stand.
    pub fn inheritance_modification(&mut self) -> Res<(Option<ModId>, Box<[Break]>)> {
        if !self.at(T::LParen) {
            return Ok((None, Box::default()));
        }
        let start = self.start();
        let mut breaks = Vec::new();
        let args = self.modification_arguments(Some(&mut breaks))?;
        let span = self.span_from(start);
        let id = self.ast.modifications.push(Modification { args, binding: Binding::None, span });
        Ok((Some(id), breaks.into()))
    }

    /// `[ ( … ) ] [ = … ]`
    pub fn optional_modification(&mut self) -> Res<Option<ModId>> {
        let start = self.start();
        let args = match self.kind() {
            T::LParen => self.modification_arguments(None)?,
            T::Eq | T::ColonEq | T::EqEq => Box::default(),
            _ => return Ok(None),
        };
        let mut binding = Binding::None;
        if matches!(self.kind(), T::Eq | T::ColonEq | T::EqEq) {
            if self.at(T::EqEq) {
                self.wrong_equals("K0112", "a value is given with `=`, not `==`", "`=`");
            }
            self.bump();
            binding = if self.at(T::Break) && self.peek(1) != T::LParen {
                self.bump();
                Binding::Break
            } else {
                Binding::Expr(self.expression()?)
            };
        }
        let span = self.span_from(start);
        Ok(Some(self.ast.modifications.push(Modification { args, binding, span })))
    }

    fn modification_arguments(&mut self, mut breaks: Option<&mut Vec<Break>>) -> Res<Box<[ModArg]>> {
        self.enter_part()?;
        self.open();
        let base = self.scratch.mod_args.len();
        if !self.at(T::RParen) {
            loop {
                match &mut breaks {
                    Some(breaks) if self.at(T::Break) => {
                        let deselected = self.break_argument()?;
                        breaks.push(deselected);
                    }
                    _ => {
                        let arg = self.modification_argument()?;
                        self.scratch.mod_args.push(arg);
                    }
                }
                if self.at(T::Comma) {
                    self.decimal_comma();
                }
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.close(T::RParen)?;
        self.leave_part();
        Ok(self.scratch.mod_args.drain(base..).collect())
    }

    /// `break x` or `break connect(a, b)`
    fn break_argument(&mut self) -> Res<Break> {
        self.bump();
        if self.at(T::Connect) {
            let (a, b) = self.connect_clause()?;
            return Ok(Break::Connect(a, b));
        }
        Ok(Break::Component(self.ident("the name of a component, or `connect`")?))
    }

    fn modification_argument(&mut self) -> Res<ModArg> {
        let start = self.start();
        let mut prefixes = ElementPrefixes::default();
        let mut each = false;
        loop {
            match self.kind() {
                T::Each => each = true,
                T::Final => prefixes.is_final = true,
                T::Redeclare => prefixes.redeclare = true,
                T::Replaceable => prefixes.replaceable = true,
                _ => break,
            }
            self.bump();
        }
        if prefixes.redeclare || prefixes.replaceable {
            return self.redeclaration(start, prefixes, each);
        }
        if self.kind().starts_declaration() {
            let here = self.location(self.span());
            self.report(
                Diagnostic::error(
                    "K0134",
                    format!("expected a modifier, found {}, the beginning of a declaration", self.found()),
                )
                .at(here, "a modifier is written `name = value`")
                .help("to replace an element by another declaration, write `redeclare` before it"),
            );
            return self.redeclaration(start, ElementPrefixes { redeclare: true, ..prefixes }, each);
        }
        if !self.at(T::Ident) {
            return Err(self.no_modifier());
        }
        let name = self.name("the name of what is modified")?;
        if self.at(T::LBracket) {
            return Err(self.subscripted_modifier());
        }
        let modification = self.optional_modification()?;
        if modification.is_none()
            && matches!(
                self.kind(),
                T::Integer | T::Real | T::Ident | T::Minus | T::True | T::False | T::LBrace
            )
        {
            return Err(self.unexpected("`=` and a value"));
        }
        let description = self.description_string();
        Ok(ModArg::Modify(Modify { each, is_final: prefixes.is_final, name, modification, description }))
    }

    fn redeclaration(&mut self, start: u32, prefixes: ElementPrefixes, each: bool) -> Res<ModArg> {
        if self.kind().starts_class() {
            let class = self.class_definition(prefixes, start)?;
            self.check_short_class(class);
            if let Some(constraint) = self.constraint()? {
                self.ast.classes[class].constraint = Some(Box::new(constraint));
            }
            return Ok(ModArg::Class { each, class });
        }
        let component = self.single_component(start, prefixes)?;
        if let Some(constraint) = self.constraint()? {
            self.ast.components[component].constraint = Some(Box::new(constraint));
        }
        Ok(ModArg::Component { each, component })
    }
}
