//! Classic notation: the statements of a class.

use super::diagnose::{self, code, error};
use super::lexer::{Kind, STATEMENT_WORDS, Word};
use super::parser::{Failed, Parsed, Parser};
use super::syntax::{Class, Cut, CutVariable, Dim, Expr, Item, NodeKind, Path, Submodel, Variable, Variety};
use crate::ast::{BinaryOp, Ident};
use crate::source::Span;
use crate::spelling::closest;

impl Parser<'_> {
    /// Reads a statement.
    pub(super) fn parse_item(&mut self, class: &mut Class) -> Parsed<()> {
        let Kind::Word(word) = self.peek() else {
            return self.parse_equation(class);
        };
        let item = match word {
            Word::Parameter => Item::Variables(Variety::Parameter, self.parse_variables()?),
            Word::Constant => Item::Variables(Variety::Constant, self.parse_variables()?),
            Word::Local => Item::Variables(Variety::Local, self.parse_variables()?),
            Word::Cut => Item::Cuts(self.parse_cuts(false)?),
            Word::Path => Item::Paths(self.parse_paths(false)?),
            Word::Main => {
                self.bump();
                match self.peek() {
                    Kind::Word(Word::Cut) => Item::Cuts(self.parse_cuts(true)?),
                    Kind::Word(Word::Path) => Item::Paths(self.parse_paths(true)?),
                    _ => return Err(self.fail("`cut` or `path`")),
                }
            }
            Word::Node => Item::Nodes(self.parse_list(|p| p.parse_ident("the name of a node"))?),
            Word::Submodel => Item::Submodels(self.parse_submodels()?),
            Word::Inherit => {
                let bases = self.parse_list(|p| p.parse_ident("the class that is inherited"))?;
                class.bases.extend(bases);
                return self.end_statement("the end of the line");
            }
            Word::Connect => Item::Connect(self.parse_connection()?),
            Word::If | Word::Not => return self.parse_equation(class),
            _ => {
                let message = format!("`{}` cannot begin a statement", self.word_here());
                let place = self.location(self.here());
                self.report(error(code::EXPECTED, message).at(place, ""));
                return Err(Failed);
            }
        };
        class.items.push(item);
        self.end_statement("the end of the line")
    }

    /// A word, then one or more things; commas between them are optional.
    fn parse_list<T>(&mut self, mut parse_one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.bump();
        let mut list = vec![parse_one(self)?];
        while self.eat(Kind::Comma) || self.peek() == Kind::Ident {
            list.push(parse_one(self)?);
        }
        Ok(list)
    }

    fn parse_variables(&mut self) -> Parsed<Vec<Variable>> {
        self.parse_list(Parser::parse_variable)
    }

    fn parse_variable(&mut self) -> Parsed<Variable> {
        let name = self.parse_ident("the name of a variable")?;
        let is_type = matches!(name.symbol.as_str(), "Real" | "Integer" | "Boolean" | "String");
        if is_type && self.peek() == Kind::Ident {
            let message = format!("declarations have no types, but here is `{}`", name.symbol);
            let place = self.location(name.span);
            self.report(error(code::FOREIGN, message).at(place, "").help("leave the type out"));
            return self.parse_variable();
        }
        let dims = self.parse_dims()?;
        let value = match self.peek() {
            Kind::Equal => {
                self.bump();
                Some(self.parse_expr("a value")?)
            }
            Kind::Assign => {
                self.report_assign();
                self.bump();
                Some(self.parse_expr("a value")?)
            }
            _ => None,
        };
        Ok(Variable { name, dims, value, span: name.span.to(self.last()) })
    }

    /// `(3)`, `(3,3)`, `(n)`, or nothing.
    fn parse_dims(&mut self) -> Parsed<Vec<Dim>> {
        if !self.eat(Kind::LeftParen) {
            return Ok(Vec::new());
        }
        let mut dims = Vec::new();
        loop {
            dims.push(match self.peek() {
                Kind::Number => {
                    let span = self.bump();
                    match self.slice(span).parse::<u32>() {
                        Ok(n) if n > 0 => Dim::Number(n),
                        _ => {
                            let message = format!("`{}` is no size of an array", self.slice(span));
                            let place = self.location(span);
                            self.report(
                                error(code::DIMENSION, message)
                                    .at(place, "")
                                    .help("a dimension is a positive whole number or a constant"),
                            );
                            Dim::Error
                        }
                    }
                }
                Kind::Ident => Dim::Constant(self.parse_ident("a dimension")?),
                _ => return Err(self.fail("a dimension: a positive whole number or a constant")),
            });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::RightParen, "`,` or `)`")?;
        Ok(dims)
    }

    fn parse_cuts(&mut self, main: bool) -> Parsed<Vec<Cut>> {
        self.parse_list(|p| p.parse_cut(main))
    }

    /// `name (across / through)`.
    fn parse_cut(&mut self, main: bool) -> Parsed<Cut> {
        let name = self.parse_ident("the name of a cut")?;
        if self.peek() == Kind::LeftBracket {
            let place = self.location(self.here());
            self.report(
                error(code::FOREIGN, "cuts made of other cuts are not supported")
                    .at(place, "")
                    .help("list the variables: `cut A (V / i)`"),
            );
            return Err(Failed);
        }
        self.expect(Kind::LeftParen, "`(` and the variables of the cut: `(across / through)`")?;
        let across = self.parse_cut_variables()?;
        let through = match self.peek() {
            Kind::Slash => {
                self.bump();
                self.parse_cut_variables()?
            }
            Kind::Parallel => {
                let place = self.location(self.here());
                self.report(
                    error(code::EXPECTED, "expected `/`, found `//`")
                        .at(place, "")
                        .help("one `/` stands between across and through variables"),
                );
                self.bump();
                self.parse_cut_variables()?
            }
            _ => Vec::new(),
        };
        self.expect(Kind::RightParen, "`,`, `/` or `)`")?;
        Ok(Cut { name, main, across, through, span: name.span.to(self.last()) })
    }

    fn parse_cut_variables(&mut self) -> Parsed<Vec<CutVariable>> {
        let mut list = Vec::new();
        loop {
            let start = self.here();
            let negative = match self.peek() {
                Kind::Minus => {
                    self.bump();
                    true
                }
                Kind::Plus => {
                    self.bump();
                    false
                }
                Kind::Ident | Kind::Word(_) => false,
                _ if list.is_empty() => return Ok(list),
                _ => return Err(self.fail("a variable of the cut")),
            };
            let path = self.parse_dotted("a variable of the cut")?;
            let dims = self.parse_dims()?;
            list.push(CutVariable { negative, path, dims, span: start.to(self.last()) });
            if !self.eat(Kind::Comma) && self.peek() != Kind::Ident {
                return Ok(list);
            }
        }
    }

    fn parse_paths(&mut self, main: bool) -> Parsed<Vec<Path>> {
        self.parse_list(|p| p.parse_path(main))
    }

    /// `name <begin - end>`.
    fn parse_path(&mut self, main: bool) -> Parsed<Path> {
        let name = self.parse_ident("the name of a path")?;
        self.expect(Kind::Less, "`<` and the two cuts of the path: `<A - B>`")?;
        let begin = self.parse_ident("the cut the path begins at")?;
        self.expect(Kind::Minus, "`-` between the two cuts of the path")?;
        let end = self.parse_ident("the cut the path ends at")?;
        self.expect(Kind::Greater, "`>`")?;
        Ok(Path { name, main, begin, end })
    }

    /// `submodel (Class) a, b (R = 2) c`, or `submodel Class`.
    fn parse_submodels(&mut self) -> Parsed<Vec<Submodel>> {
        if self.peek_second() != Kind::LeftParen {
            return self.parse_list(|p| p.parse_submodel(None));
        }
        self.bump();
        self.bump();
        let class = self.parse_ident("the class of the submodels")?;
        self.expect(Kind::RightParen, "`)`")?;
        let mut list = vec![self.parse_submodel(Some(class))?];
        while self.eat(Kind::Comma) || self.peek() == Kind::Ident {
            list.push(self.parse_submodel(Some(class))?);
        }
        Ok(list)
    }

    fn parse_submodel(&mut self, class: Option<Ident>) -> Parsed<Submodel> {
        let name = self.parse_ident("the name of a submodel")?;
        let mut values = Vec::new();
        if self.eat(Kind::LeftParen) && !self.eat(Kind::RightParen) {
            loop {
                values.push(self.parse_value()?);
                if !self.eat(Kind::Comma) && self.peek() != Kind::Ident {
                    break;
                }
            }
            self.expect(Kind::RightParen, "`,` or `)`")?;
        }
        Ok(Submodel { class: class.unwrap_or(name), name, values, span: name.span.to(self.last()) })
    }

    /// `R = 2`.
    fn parse_value(&mut self) -> Parsed<(Vec<Ident>, Expr)> {
        if !matches!(self.peek(), Kind::Ident | Kind::Junk) && !self.at_new_statement() {
            let (found, place) = self.found();
            let message = format!("expected the name of a parameter, found {found}");
            let place = self.location(place);
            self.report(
                error(code::EXPECTED, message)
                    .at(place, "")
                    .help("values are given by name: `submodel (Resistor) R1 (R = 2)`"),
            );
            return Err(Failed);
        }
        let path = self.parse_dotted("the name of a parameter")?;
        match self.peek() {
            Kind::Assign => {
                self.report_assign();
                self.bump();
            }
            _ => {
                self.expect(Kind::Equal, "`=` and the value of the parameter")?;
            }
        }
        Ok((path, self.parse_expr("a value")?))
    }

    fn parse_equation(&mut self, class: &mut Class) -> Parsed<()> {
        if self.peek() == Kind::Ident {
            self.check_first_word()?;
        }
        let left = self.parse_expr("a declaration or an equation")?;
        match self.peek() {
            Kind::Equal => {
                self.bump();
            }
            Kind::Assign => {
                self.report_assign();
                self.bump();
            }
            _ => {
                let root = &self.file.nodes[left.end - 1];
                if let NodeKind::Binary(BinaryOp::Equal, a, b) = root.kind {
                    let between = Span::new(self.file.nodes[a].span.end, self.file.nodes[b].span.start);
                    let sign = self.slice(between).find("==").map_or(between, |i| {
                        let start = between.start + i as u32;
                        Span::new(start, start + 2)
                    });
                    let place = self.location(sign);
                    self.report(
                        error(code::EQUAL_EQUAL, "an equation is written with `=`, not with `==`")
                            .at(place, "")
                            .help("`==` compares two values in the condition of an `if`"),
                    );
                    return Err(Failed);
                }
                return Err(self.fail_equation());
            }
        }
        let right = self.parse_expr("the right-hand side of the equation")?;
        class.items.push(Item::Equation(left, right));
        self.end_statement("an operator or the end of the line")
    }

    /// No `=` behind what should be the left-hand side of an equation.
    fn fail_equation(&mut self) -> Failed {
        let first = self.first_of_statement();
        let word = self.slice(first.span);
        let help = match first.kind {
            Kind::Plus | Kind::Minus => {
                "does this line go on with the one above? Then put the operator at the end of that one"
                    .to_owned()
            }
            Kind::Ident => match (diagnose::foreign_statement(word), closest(word, STATEMENT_WORDS)) {
                (Some(help), _) => help.to_owned(),
                (None, Some(close)) => format!("did you mean `{close}`?"),
                (None, None) => return self.fail("`=`"),
            },
            _ => return self.fail("`=`"),
        };
        if self.peek() != Kind::Junk {
            let (found, place) = self.found();
            let place = self.location(place);
            self.report(
                error(code::EXPECTED, format!("expected `=`, found {found}")).at(place, "").help(help),
            );
        }
        Failed
    }

    /// A first word that begins no equation: Modelica, or misspelt.
    fn check_first_word(&mut self) -> Parsed<()> {
        let second = self.peek_second();
        let place = self.location(self.here());
        let word = self.word_here().to_owned();
        let alone = matches!(second, Kind::Ident | Kind::Word(_) | Kind::LineEnd | Kind::EndOfText);
        if !alone && second != Kind::Semicolon {
            return Ok(());
        }
        if let Some(help) = diagnose::foreign_statement(&word) {
            let message = format!("the classic notation has no `{word}`");
            self.report(error(code::FOREIGN, message).at(place, "").help(help));
            return Err(Failed);
        }
        if let Some(close) = closest(&word, STATEMENT_WORDS)
            && matches!(second, Kind::Ident | Kind::Word(_))
        {
            let message = format!("`{word}` begins no declaration");
            self.report(
                error(code::EXPECTED, message).at(place, "").help(format!("did you mean `{close}`?")),
            );
            return Err(Failed);
        }
        Ok(())
    }

    fn report_assign(&mut self) {
        let place = self.location(self.here());
        self.report(
            error(code::ASSIGN, "a value or an equation is written with `=`, not with `:=`")
                .at(place, "")
                .help("write `=`"),
        );
    }

    /// Is the next token the `at` between two sides of a connection?
    pub(super) fn peek_at(&self) -> bool {
        self.peek() == Kind::Ident && self.word_here() == "at"
    }
}
