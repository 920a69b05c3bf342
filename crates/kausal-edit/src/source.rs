//! A text with its tree and its lexemes: where declarations, arguments and lines begin and end.

use std::sync::Arc;

use kausal_syntax::ast::{ClassBody, ClassDef, ClassId, Component, ComponentId, Element, LongBody, ModId};
use kausal_syntax::modelica::{Lexeme, LexemeKind, lexemes, parse};
use kausal_syntax::{Ast, SourceId, Span, Symbol};

use crate::edit::Refusal;

/// A text that is edited.
pub struct Source {
    /// The text.
    pub text: Arc<str>,
    /// Its tree.
    pub ast: Arc<Ast>,
    lexemes: Vec<Lexeme>,
    newline: &'static str,
}

impl Source {
    /// Reads a text.
    pub fn new(text: &str) -> Source {
        let text: Arc<str> = text.into();
        let ast = Arc::new(parse(SourceId(0), text.clone()).ast);
        Source::of(ast)
    }

    /// A text that was read.
    pub fn of(ast: Arc<Ast>) -> Source {
        let text = ast.text.clone();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Source { lexemes: lexemes(&text), text, ast, newline }
    }

    /// The class with this full name.
    pub fn class(&self, name: &str) -> Option<ClassId> {
        let within = self.ast.within.map(|w| self.ast.name_text(w)).unwrap_or_default();
        let rest = if within.is_empty() { name } else { name.strip_prefix(&within)?.strip_prefix('.')? };
        let mut parts = rest.split('.');
        let first = parts.next()?;
        let mut at = *self.ast.roots.iter().find(|&&c| self.ast.classes[c].name.symbol.as_str() == first)?;
        for part in parts {
            let ClassBody::Long(body) = &self.ast.classes[at].body else { return None };
            at = body.elements.iter().find_map(|e| match e {
                Element::Class(c) if self.ast.classes[*c].name.symbol.as_str() == part => Some(*c),
                _ => None,
            })?;
        }
        Some(at)
    }

    /// The full name of the innermost class around a byte.
    pub fn class_at(&self, at: u32) -> Option<String> {
        let around =
            self.ast.classes.iter().filter(|(_, c)| {
                matches!(c.body, ClassBody::Long(_)) && c.span.start <= at && at < c.span.end
            });
        let (mut id, _) = around.min_by_key(|(_, c)| c.span.end - c.span.start)?;
        let mut name = self.def(id).name.symbol.as_str().to_owned();
        while let Some(parent) = self.def(id).parent {
            name = format!("{}.{name}", self.def(parent).name.symbol);
            id = parent;
        }
        match self.ast.within.map(|w| self.ast.name_text(w)).filter(|w| !w.is_empty()) {
            Some(within) => Some(format!("{within}.{name}")),
            None => Some(name),
        }
    }

    pub(crate) fn def(&self, class: ClassId) -> &ClassDef {
        &self.ast.classes[class]
    }

    pub(crate) fn body(&self, class: ClassId) -> Result<&LongBody, Refusal> {
        match &self.def(class).body {
            ClassBody::Long(body) => Ok(body),
            _ => Err(Refusal("a short class definition has no components of its own".to_owned())),
        }
    }

    pub(crate) fn component(&self, class: ClassId, name: &str) -> Result<ComponentId, Refusal> {
        self.own(class, name)?.ok_or_else(|| {
            Refusal(format!("{} declares no component {name} itself", self.def(class).name.symbol))
        })
    }

    pub(crate) fn own(&self, class: ClassId, name: &str) -> Result<Option<ComponentId>, Refusal> {
        let name = Symbol::new(name);
        let found = self.body(class)?.elements.iter().find_map(|e| match e {
            Element::Component(c) if self.ast.components[*c].name.symbol == name => Some(*c),
            _ => None,
        });
        Ok(found)
    }

    /// The text of a place.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    pub(crate) fn word(&self, index: usize) -> &str {
        self.lexemes.get(index).map_or("", |l| self.slice(l.span))
    }

    pub(crate) fn lexeme(&self, index: usize) -> Option<Lexeme> {
        self.lexemes.get(index).copied()
    }

    /// The first lexeme that begins at a place or behind it.
    pub(crate) fn index_at(&self, at: u32) -> usize {
        self.lexemes.partition_point(|l| l.span.start < at)
    }

    pub(crate) fn is_comment(&self, index: usize) -> bool {
        let kind = self.lexemes.get(index).map(|l| l.kind);
        matches!(kind, Some(LexemeKind::LineComment | LexemeKind::BlockComment))
    }

    /// The last lexeme before a place that is no comment.
    pub(crate) fn before(&self, at: u32) -> Option<usize> {
        (0..self.index_at(at)).rev().find(|&i| !self.is_comment(i))
    }

    /// The `,` or `;` that ends what begins here, outside of brackets.
    pub(crate) fn separator(&self, from: u32) -> Option<usize> {
        let mut depth = 0;
        for i in self.index_at(from)..self.lexemes.len() {
            match self.word(i) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," | ";" if depth == 0 => return Some(i),
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        None
    }

    /// One past the `;` that ends what begins here.
    pub(crate) fn semicolon(&self, from: u32) -> Option<u32> {
        let mut at = self.separator(from)?;
        while self.word(at) == "," {
            at = self.separator(self.lexemes[at].span.end)?;
        }
        Some(self.lexemes[at].span.end)
    }

    /// The bracket that closes the one at this place.
    pub(crate) fn closing(&self, open: u32) -> Option<usize> {
        let mut depth = 0;
        for i in self.index_at(open)..self.lexemes.len() {
            match self.word(i) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The arguments between the parentheses of a modification, without the comments around them.
    pub(crate) fn arguments(&self, open: u32) -> Vec<Span> {
        let Some(close) = self.closing(open) else { return Vec::new() };
        let first = self.index_at(open) + 1;
        let (mut out, mut depth) = (Vec::new(), 0);
        let mut piece: Option<Span> = None;
        for i in first..=close {
            let word = self.word(i);
            if i == close || (depth == 0 && word == ",") {
                out.extend(piece.take());
                continue;
            }
            match word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if !self.is_comment(i) {
                let span = self.lexemes[i].span;
                piece = Some(piece.map_or(span, |p| p.to(span)));
            }
        }
        out
    }

    /// Has a modification parentheses?
    pub(crate) fn has_arguments(&self, id: ModId) -> bool {
        self.text[self.ast.modifications[id].span.start as usize..].starts_with('(')
    }

    /// The word `annotation` before its parentheses.
    pub(crate) fn annotation_keyword(&self, id: ModId) -> Option<Span> {
        let at = self.before(self.ast.modifications[id].span.start)?;
        (self.word(at) == "annotation").then(|| self.lexemes[at].span)
    }

    /// All components of one declaration: `Real x, y` has two.
    pub(crate) fn clause(&self, class: ClassId, component: ComponentId) -> Result<Vec<ComponentId>, Refusal> {
        let elements = &self.body(class)?.elements;
        let is_it = |e: &Element| matches!(e, Element::Component(c) if *c == component);
        let Some(mut first) = elements.iter().position(is_it) else {
            return Err(Refusal("the component is not declared here".to_owned()));
        };
        // All but the first of a declaration begin with their names.
        let more = |e: &Element| match e {
            Element::Component(c) => {
                let c = &self.ast.components[*c];
                c.span.start == c.name.span.start
            }
            _ => false,
        };
        while first > 0 && more(&elements[first]) {
            first -= 1;
        }
        let rest = elements[first + 1..].iter().take_while(|e| more(e));
        let all = elements[first..=first].iter().chain(rest);
        Ok(all.filter_map(|e| if let Element::Component(c) = e { Some(*c) } else { None }).collect())
    }

    /// Behind name and dimensions of a component: where its modifiers begin.
    pub(crate) fn behind_name(&self, c: &Component) -> u32 {
        let after = self.index_at(c.name.span.end);
        if self.word(after) == "["
            && let Some(close) = self.closing(self.lexemes[after].span.start)
        {
            return self.lexemes[close].span.end;
        }
        c.name.span.end
    }

    /// The end of a class: its word `end`.
    pub(crate) fn end_keyword(&self, class: ClassId) -> Option<Span> {
        let end = self.def(class).span.end;
        let name = self.before(end)?;
        let at = self.before(self.lexemes[name].span.start)?;
        (self.word(at) == "end").then(|| self.lexemes[at].span)
    }

    /// Where something can be added to a class as its last part: before its annotation, or its end, at the beginning of a line if possible.
    pub fn insertion_point(&self, class: &str) -> Option<u32> {
        let class = self.class(class)?;
        let annotation = self.def(class).description.annotation.and_then(|id| self.annotation_keyword(id));
        let at = annotation.or_else(|| self.end_keyword(class))?.start;
        Some(if self.begins_line(at) { self.line_start(at) } else { at })
    }

    pub(crate) fn newline(&self) -> &'static str {
        self.newline
    }

    /// Where the line of a place begins.
    pub(crate) fn line_start(&self, at: u32) -> u32 {
        self.text[..at as usize].rfind(['\n', '\r']).map_or(0, |i| i as u32 + 1)
    }

    /// The white space the line of a place begins with.
    pub(crate) fn indent(&self, at: u32) -> &str {
        let line = &self.text[self.line_start(at) as usize..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Is there only white space before a place in its line?
    pub(crate) fn begins_line(&self, at: u32) -> bool {
        self.text[self.line_start(at) as usize..at as usize].trim().is_empty()
    }

    /// Where the line of a place ends, if there are only comments behind it that end with the line.
    pub(crate) fn rest_of_line(&self, at: u32) -> Option<u32> {
        let end =
            self.text[at as usize..].find(['\n', '\r']).map_or(self.text.len(), |i| at as usize + i) as u32;
        let first = self.index_at(at);
        let rest = self.lexemes[first..].iter().take_while(|l| l.span.start < end);
        let all = rest.enumerate().all(|(k, l)| self.is_comment(first + k) && l.span.end <= end);
        all.then_some(end)
    }

    /// The range to take away so that no empty line stays where there was something.
    pub(crate) fn whole_lines(&self, from: u32, to: u32) -> Span {
        let bytes = self.text.as_bytes();
        let mut end = to as usize;
        while matches!(bytes.get(end), Some(b' ' | b'\t')) {
            end += 1;
        }
        let ends = matches!(bytes.get(end), None | Some(b'\n' | b'\r'));
        if self.begins_line(from) && ends {
            if bytes.get(end) == Some(&b'\r') {
                end += 1;
            }
            if bytes.get(end) == Some(&b'\n') {
                end += 1;
            }
            return Span::new(self.line_start(from), end as u32);
        }
        let mut start = from as usize;
        if !self.begins_line(from) {
            while start > 0 && matches!(bytes[start - 1], b' ' | b'\t') {
                start -= 1;
            }
        }
        Span::new(start as u32, if ends && start < from as usize { end as u32 } else { to })
    }
}
