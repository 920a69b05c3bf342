//! Writes XML, indented, attributes in the order in which they are given.

use std::borrow::Cow;
use std::fmt::Display;

use quick_xml::escape::escape;

/// A document that grows.
#[derive(Debug)]
pub struct Xml {
    text: String,
    open: Vec<&'static str>,
}

/// Attributes of an element that is being written.
#[derive(Debug, Default)]
pub struct Attributes(String);

impl Attributes {
    /// None.
    pub fn new() -> Attributes {
        Attributes::default()
    }

    /// With another one.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Attributes {
        let value = value.to_string();
        self.0.push_str(&format!(" {name}=\"{}\"", attribute(&value)));
        self
    }

    /// With another one, if it has a value.
    #[must_use]
    pub fn maybe(self, name: &str, value: Option<impl Display>) -> Attributes {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// With another one, unless it is empty.
    #[must_use]
    pub fn text(self, name: &str, value: &str) -> Attributes {
        self.maybe(name, Some(value).filter(|value| !value.is_empty()))
    }

    /// With a finite number.
    #[must_use]
    pub fn number(self, name: &str, value: Option<f64>) -> Attributes {
        self.maybe(name, value.filter(|value| value.is_finite()).map(number))
    }
}

/// A number as XML Schema writes it.
pub fn number(value: f64) -> String {
    format!("{value:?}")
}

/// What is allowed in an attribute: line ends are kept, control characters are no characters of XML 1.0.
fn attribute(text: &str) -> String {
    let allowed = |c: char| c >= ' ' && c != '\u{fffe}' && c != '\u{ffff}' || matches!(c, '\t' | '\n' | '\r');
    let text: Cow<str> = match text.chars().all(allowed) {
        true => text.into(),
        false => text.chars().filter(|c| allowed(*c)).collect::<String>().into(),
    };
    escape(&*text).replace('\n', "&#10;").replace('\t', "&#9;").replace('\r', "&#13;")
}

impl Default for Xml {
    fn default() -> Xml {
        Xml { text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), open: Vec::new() }
    }
}

impl Xml {
    /// An empty document.
    pub fn new() -> Xml {
        Xml::default()
    }

    fn line(&mut self, rest: &str) {
        let depth = self.open.len();
        self.text.extend(std::iter::repeat_n("  ", depth));
        self.text.push_str(rest);
        self.text.push('\n');
    }

    /// An element with others in it.
    pub fn element(&mut self, name: &'static str, attributes: Attributes, inside: impl FnOnce(&mut Xml)) {
        self.line(&format!("<{name}{}>", attributes.0));
        self.open.push(name);
        inside(self);
        self.open.pop();
        self.line(&format!("</{name}>"));
    }

    /// An element without any.
    pub fn empty(&mut self, name: &'static str, attributes: Attributes) {
        self.line(&format!("<{name}{}/>", attributes.0));
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_said_is_well_formed() {
        let mut xml = Xml::new();
        xml.element(
            "a",
            Attributes::new().with("b", "<\"&'>\n\u{1}ü").number("c", Some(f64::INFINITY)),
            |xml| {
                xml.empty("d", Attributes::new().number("e", Some(1e-300)).text("f", ""));
            },
        );
        let expected = "<a b=\"&lt;&quot;&amp;&apos;&gt;&#10;ü\">\n  <d e=\"1e-300\"/>\n</a>\n";
        assert_eq!(xml.finish().split_once('\n').map(|(_, rest)| rest.to_owned()), Some(expected.to_owned()));
    }
}
