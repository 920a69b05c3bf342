//! The lexical units of Modelica (specification section 2 and appendix A.1), and a few that Modelica does not
//! have but people write: they get a kind of their own so that the parser can say what to write instead.

/// The kind of a [`Token`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum T {
    /// The end of the text.
    Eof,
    /// `IDENT`, plain or quoted.
    Ident,
    Integer,
    Real,
    /// `STRING`, with its quotes.
    Str,

    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Semi,
    Comma,
    Dot,
    Colon,
    /// `=`
    Eq,
    /// `:=`
    ColonEq,

    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    DotPlus,
    DotMinus,
    DotStar,
    DotSlash,
    DotCaret,
    EqEq,
    NotEq,
    Less,
    LessEq,
    Greater,
    GreaterEq,

    /// A number with letters stuck to it: `2x`, `1e`.
    BadNumber,
    /// A string that does not end; reported by the lexer.
    BadStr,
    /// Characters that begin nothing.
    BadChar,
    /// `'` right behind a name: `x'`.
    Prime,
    /// `!=`, `~=`
    BangEq,
    /// `&&`
    AndAnd,
    /// `||`
    OrOr,
    /// `!`
    Bang,
    /// `**`
    StarStar,
    /// `=<`
    EqLess,
    /// `=>`
    EqGreater,

    // The keywords, in the order of `KEYWORDS`.
    Algorithm,
    And,
    Annotation,
    Block,
    Break,
    Class,
    Connect,
    Connector,
    Constant,
    Constrainedby,
    Der,
    Discrete,
    Each,
    Else,
    Elseif,
    Elsewhen,
    Encapsulated,
    End,
    Enumeration,
    Equation,
    Expandable,
    Extends,
    External,
    False,
    Final,
    Flow,
    For,
    Function,
    If,
    Import,
    Impure,
    In,
    Initial,
    Inner,
    Input,
    Loop,
    Model,
    Not,
    Operator,
    Or,
    Outer,
    Output,
    Package,
    Parameter,
    Partial,
    Protected,
    Public,
    Pure,
    Record,
    Redeclare,
    Replaceable,
    Return,
    Stream,
    Then,
    True,
    Type,
    When,
    While,
    Within,
}

/// One lexical unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: T,
    pub start: u32,
    pub end: u32,
}

/// The keywords of Modelica 3.6 (specification section 2.3.3).
const KEYWORDS: [(&str, T); 59] = [
    ("algorithm", T::Algorithm),
    ("and", T::And),
    ("annotation", T::Annotation),
    ("block", T::Block),
    ("break", T::Break),
    ("class", T::Class),
    ("connect", T::Connect),
    ("connector", T::Connector),
    ("constant", T::Constant),
    ("constrainedby", T::Constrainedby),
    ("der", T::Der),
    ("discrete", T::Discrete),
    ("each", T::Each),
    ("else", T::Else),
    ("elseif", T::Elseif),
    ("elsewhen", T::Elsewhen),
    ("encapsulated", T::Encapsulated),
    ("end", T::End),
    ("enumeration", T::Enumeration),
    ("equation", T::Equation),
    ("expandable", T::Expandable),
    ("extends", T::Extends),
    ("external", T::External),
    ("false", T::False),
    ("final", T::Final),
    ("flow", T::Flow),
    ("for", T::For),
    ("function", T::Function),
    ("if", T::If),
    ("import", T::Import),
    ("impure", T::Impure),
    ("in", T::In),
    ("initial", T::Initial),
    ("inner", T::Inner),
    ("input", T::Input),
    ("loop", T::Loop),
    ("model", T::Model),
    ("not", T::Not),
    ("operator", T::Operator),
    ("or", T::Or),
    ("outer", T::Outer),
    ("output", T::Output),
    ("package", T::Package),
    ("parameter", T::Parameter),
    ("partial", T::Partial),
    ("protected", T::Protected),
    ("public", T::Public),
    ("pure", T::Pure),
    ("record", T::Record),
    ("redeclare", T::Redeclare),
    ("replaceable", T::Replaceable),
    ("return", T::Return),
    ("stream", T::Stream),
    ("then", T::Then),
    ("true", T::True),
    ("type", T::Type),
    ("when", T::When),
    ("while", T::While),
    ("within", T::Within),
];

/// A hash that separates the keywords; [`SLOTS`] does not compile if it does not.
const fn slot(word: &[u8]) -> usize {
    let n = word.len();
    (word[0] as usize * 3 + word[1] as usize * 38 + word[n - 1] as usize * 16 + n * 20) & 255
}

/// For each hash the index into [`KEYWORDS`], or 255.
const SLOTS: [u8; 256] = {
    let mut slots = [255; 256];
    let mut i = 0;
    while i < KEYWORDS.len() {
        let at = slot(KEYWORDS[i].0.as_bytes());
        assert!(slots[at] == 255, "two keywords with one hash");
        slots[at] = i as u8;
        i += 1;
    }
    slots
};

/// The kind of a word: a keyword or an identifier.
#[inline]
pub(super) fn word_kind(word: &[u8]) -> T {
    if word.len() < 2 {
        return T::Ident;
    }
    let index = SLOTS[slot(word)];
    match KEYWORDS.get(index as usize) {
        Some(&(keyword, kind)) if keyword.as_bytes() == word => kind,
        _ => T::Ident,
    }
}

impl T {
    /// Is it a keyword?
    pub fn is_keyword(self) -> bool {
        self as u8 >= T::Algorithm as u8
    }

    /// May a class definition begin with it?
    pub fn starts_class(self) -> bool {
        matches!(
            self,
            T::Encapsulated
                | T::Partial
                | T::Class
                | T::Model
                | T::Record
                | T::Block
                | T::Expandable
                | T::Connector
                | T::Type
                | T::Package
                | T::Pure
                | T::Impure
                | T::Function
                | T::Operator
        )
    }

    /// Is it a word that can only begin a declaration?
    pub fn starts_declaration(self) -> bool {
        matches!(
            self,
            T::Import
                | T::Extends
                | T::Redeclare
                | T::Final
                | T::Inner
                | T::Outer
                | T::Replaceable
                | T::Flow
                | T::Stream
                | T::Discrete
                | T::Parameter
                | T::Constant
                | T::Input
                | T::Output
        ) || (self.starts_class() && self != T::Pure)
    }

    /// Is it a keyword that begins an equation or a statement?
    pub fn starts_equation(self) -> bool {
        matches!(
            self,
            T::If | T::For | T::When | T::While | T::Connect | T::Der | T::Return | T::Break | T::Pure
        )
    }

    /// Does a section of a class begin or end here?
    pub fn is_section(self) -> bool {
        matches!(self, T::Equation | T::Algorithm | T::Public | T::Protected | T::External)
    }

    /// What it is, where the text itself does not say it better.
    pub fn name(self) -> &'static str {
        match self {
            T::Eof => "the end of the file",
            T::Ident => "a name",
            T::Integer | T::Real => "a number",
            T::Str => "a string",
            T::LParen => "`(`",
            T::RParen => "`)`",
            T::LBracket => "`[`",
            T::RBracket => "`]`",
            T::LBrace => "`{`",
            T::RBrace => "`}`",
            T::Semi => "`;`",
            T::Comma => "`,`",
            T::Eq => "`=`",
            T::ColonEq => "`:=`",
            T::Then => "`then`",
            T::Loop => "`loop`",
            T::If => "`if`",
            T::For => "`for`",
            T::When => "`when`",
            T::While => "`while`",
            _ => "this",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (word, kind) in KEYWORDS {
            assert_eq!(word_kind(word.as_bytes()), kind);
            assert!(kind.is_keyword());
            assert_eq!(word_kind(format!("{word}_").as_bytes()), T::Ident);
            assert_eq!(word_kind(&word.as_bytes()[..word.len() - 1]), T::Ident, "{word}");
        }
        assert_eq!(word_kind(b"x"), T::Ident);
        assert!(!T::EqGreater.is_keyword());
    }
}
