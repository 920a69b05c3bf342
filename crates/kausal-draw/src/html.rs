//! Documentation as a page that can do no harm, and as text for a terminal.
//!
//! The HTML of a library is material of strangers: ammonia keeps what formats text and leaves out scripts, styles, forms and
//! frames. Addresses lead to `http`, `https` and `mailto` only; pictures of libraries are put into the page. The page forbids
//! the browser to run or load anything.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use base64::Engine;
use kausal_model::view::View;

use crate::document::{Document, Entry, is_html};
use crate::graphics::Reader;
use crate::picture;
use crate::svg::escape;

/// The documentation text as safe HTML; pictures are read with `files`.
pub fn safe(view: &mut View<'_>, info: &str, files: Reader<'_>) -> String {
    if !is_html(info) {
        return if info.is_empty() { String::new() } else { format!("<pre>{}</pre>", escape(info)) };
    }
    let pictures: HashMap<String, String> = addresses(info)
        .into_iter()
        .filter_map(|address| {
            let data = files(view, &address)?;
            let kind = picture::kind(&data)?;
            let coded = base64::engine::general_purpose::STANDARD.encode(data);
            Some((address, format!("data:{kind};base64,{coded}")))
        })
        .collect();
    cleaned(info, pictures)
}

/// What takes a text of a library as it is, where it has more marks than this: elements in elements cost the square of their
/// number, and the largest text of the standard library has a quarter of them.
const MOST_MARKS: usize = 20_000;

fn cleaned(info: &str, pictures: HashMap<String, String>) -> String {
    if info.bytes().filter(|b| *b == b'<').count() > MOST_MARKS {
        return format!("<pre>{}</pre>", escape(info));
    }
    let mut builder = ammonia::Builder::default();
    builder
        .url_schemes(["http", "https", "mailto", "modelica"].into())
        .url_relative(ammonia::UrlRelative::Deny)
        .add_tag_attributes("td", ["colspan", "rowspan", "align", "valign"])
        .add_tag_attributes("th", ["colspan", "rowspan", "align", "valign"])
        .add_tag_attributes("table", ["border", "cellspacing", "cellpadding"])
        .attribute_filter(move |tag, attribute, value| match (tag, attribute) {
            ("img", "src") => pictures.get(value).map(|data| Cow::Owned(data.clone())),
            // Classes of libraries are not on this page; nothing is loaded from elsewhere.
            _ if value.trim_start().to_ascii_lowercase().starts_with("modelica:") => None,
            _ => Some(Cow::Borrowed(value)),
        });
    builder.clean(info).to_string()
}

/// The `modelica://` addresses in a text.
fn addresses(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("modelica://") {
        rest = &rest[at..];
        let end = rest.find(['"', '\'', '>', ' ', '\n']).unwrap_or(rest.len());
        let address = &rest[..end];
        let ending = address.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        if matches!(ending.as_str(), "png" | "svg" | "jpg" | "jpeg" | "gif" | "bmp") {
            out.push(address.to_owned());
        }
        rest = &rest[end..];
    }
    out.sort();
    out.dedup();
    out
}

/// A whole page: icon, description, tables and text. `info` is what [`safe`] gave.
pub fn page(document: &Document, icon: &str, info: &str) -> String {
    let mut out = String::new();
    let title = escape(&document.class);
    let _ = write!(
        out,
        r#"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>{STYLE}</style></head><body>
<header><div class="icon">{icon}</div><div><h1>{title}</h1><p class="kind">{}</p><p>{}</p></div></header>
"#,
        document.kind,
        escape(&document.description)
    );
    for (name, list) in tables(document) {
        if list.is_empty() {
            continue;
        }
        let _ = writeln!(out, "<h2>{name}</h2>\n<table class=\"list\">");
        let mut group = String::new();
        for entry in list {
            let next = heading(entry);
            if next != group {
                let _ = writeln!(out, "<tr><th colspan=\"4\">{}</th></tr>", escape(&next));
                group = next;
            }
            let _ = writeln!(
                out,
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td class=\"type\">{}</td></tr>",
                escape(&entry.name),
                escape(&shown(entry)),
                escape(&entry.description),
                escape(&entry.class)
            );
        }
        out.push_str("</table>\n");
    }
    if !document.classes.is_empty() {
        out.push_str("<h2>Contents</h2>\n<table class=\"list\">\n");
        for (name, kind, description) in &document.classes {
            let (name, description) = (escape(name), escape(description));
            let _ = writeln!(
                out,
                "<tr><td><code>{name}</code></td><td>{description}</td><td class=\"type\">{kind}</td></tr>"
            );
        }
        out.push_str("</table>\n");
    }
    if !info.is_empty() {
        let _ = writeln!(out, "<h2>Information</h2>\n<section>{info}</section>");
    }
    out.push_str("</body></html>\n");
    out
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#222;background:#fff}header{display:flex;gap:1.5rem;align-items:center}.icon svg{width:8rem;height:auto}\
h1{font-size:1.4rem;margin:0;overflow-wrap:anywhere}.kind,.type{color:#666}table{border-collapse:collapse}\
td,th{padding:.2rem .8rem .2rem 0;vertical-align:top;text-align:left}.list tr{border-bottom:1px solid #ddd}\
.list{width:100%}img{max-width:100%;background:#fff}pre{overflow:auto}";

fn tables(document: &Document) -> [(&'static str, &[Entry]); 4] {
    [
        ("Parameters", &document.parameters),
        ("Connectors", &document.connectors),
        ("Inputs", &document.inputs),
        ("Outputs", &document.outputs),
    ]
}

/// Where an entry stands in the parameter dialog.
fn heading(entry: &Entry) -> String {
    let parts = [&entry.tab, &entry.group];
    parts.iter().filter(|p| !p.is_empty()).map(|p| p.as_str()).collect::<Vec<_>>().join(" – ")
}

/// The value, or the unit where there is none.
fn shown(entry: &Entry) -> String {
    match (entry.value.is_empty(), entry.unit.is_empty()) {
        (false, _) => entry.value.clone(),
        (true, false) => format!("[{}]", entry.unit),
        (true, true) => String::new(),
    }
}

/// Everything as text, for a terminal that is so many columns wide.
pub fn text(document: &Document, columns: usize) -> String {
    let mut out = format!("{} {}\n", document.kind, document.class);
    if !document.description.is_empty() {
        let _ = writeln!(out, "{}", document.description);
    }
    if !document.bases.is_empty() {
        let _ = writeln!(out, "extends {}", document.bases.join(", "));
    }
    for (name, list) in tables(document) {
        if list.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{name}");
        let width =
            |f: &dyn Fn(&Entry) -> String| list.iter().map(|e| f(e).chars().count()).max().unwrap_or(0);
        let (names, values) = (width(&|e| e.name.clone()).min(32), width(&shown).min(28));
        let mut group = String::new();
        for entry in list {
            let next = heading(entry);
            if next != group {
                let _ = writeln!(out, "  [{next}]");
                group = next;
            }
            let what = match name {
                "Connectors" => format!("{} ({})", entry.description, entry.class),
                _ => entry.description.clone(),
            };
            let line = format!("  {:names$}  {:values$}  {}", entry.name, shown(entry), what);
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    if !document.classes.is_empty() {
        let names = document.classes.iter().map(|c| c.0.chars().count()).max().unwrap_or(0).min(32);
        out.push_str("\nContents\n");
        for (name, kind, description) in &document.classes {
            let line = format!("  {name:names$}  {kind}: {description}");
            let _ = writeln!(out, "{}", line.trim_end().trim_end_matches(':'));
        }
    }
    let info = match is_html(&document.info) {
        true => plain(&cleaned(&document.info, HashMap::new()), columns),
        false => document.info.trim().to_owned(),
    };
    if !info.is_empty() {
        let _ = write!(out, "\n{info}\n");
    }
    // Control characters could give orders to a terminal.
    out.chars().filter(|c| !c.is_control() || *c == '\n').collect()
}

/// Text of HTML that was cleaned: paragraphs filled, lists and rows on lines of their own.
fn plain(html: &str, columns: usize) -> String {
    let mut out = Lines { text: String::new(), line: String::new(), columns, indent: 0, fixed: false };
    let mut rest = html;
    while !rest.is_empty() {
        let Some(start) = rest.find('<') else {
            out.words(&decoded(rest));
            break;
        };
        out.words(&decoded(&rest[..start]));
        let end = rest[start..].find('>').map_or(rest.len(), |e| start + e + 1);
        let tag = rest[start..end].trim_matches(['<', '>', '/']).split([' ', '/']).next().unwrap_or_default();
        let closes = rest[start..].starts_with("</");
        rest = &rest[end..];
        match (tag, closes) {
            (
                "p" | "table" | "ul" | "ol" | "dl" | "blockquote" | "div" | "h1" | "h2" | "h3" | "h4" | "h5",
                _,
            ) => {
                if matches!(tag, "ul" | "ol" | "blockquote") {
                    out.end();
                    out.indent = if closes { out.indent.saturating_sub(2) } else { out.indent + 2 };
                }
                out.blank();
            }
            ("pre", closes) => {
                out.blank();
                out.fixed = !closes;
            }
            ("br" | "tr" | "dt" | "dd", _) => out.end(),
            ("li", false) => {
                out.end();
                out.line.push_str("- ");
            }
            ("li", true) => out.end(),
            ("td" | "th", true) => out.line.push_str("  "),
            _ => {}
        }
    }
    out.end();
    out.text.trim().to_owned()
}

struct Lines {
    text: String,
    line: String,
    columns: usize,
    indent: usize,
    /// Blanks and line ends are kept.
    fixed: bool,
}

impl Lines {
    fn words(&mut self, text: &str) {
        if self.fixed {
            for (i, line) in text.split('\n').enumerate() {
                if i > 0 {
                    self.end();
                }
                self.line.push_str(line);
            }
            return;
        }
        if text.starts_with(char::is_whitespace) && !self.line.is_empty() && !self.line.ends_with(' ') {
            self.line.push(' ');
        }
        for word in text.split_whitespace() {
            let length = self.indent + self.line.chars().count() + word.chars().count();
            if length > self.columns && !self.line.trim().is_empty() {
                self.end();
            }
            self.line.push_str(word);
            self.line.push(' ');
        }
        if !text.ends_with(char::is_whitespace) && self.line.ends_with(' ') && !text.trim().is_empty() {
            self.line.pop();
        }
    }

    fn end(&mut self) {
        if !self.line.trim().is_empty() {
            let _ = writeln!(self.text, "{}{}", " ".repeat(self.indent), self.line.trim_end());
        }
        self.line.clear();
    }

    fn blank(&mut self) {
        self.end();
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }
}

/// The entities that cleaned HTML has.
fn decoded(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&nbsp;", " ")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_stays() {
        let bad = r#"<html><p onclick="steal()">a<script>steal()</script><iframe src="https://x"></iframe>
<a href="javascript:steal()">b</a><img src="https://x/track.png"><img src="modelica://A/b.png">
<form action="https://x"><input></form><style>p{background:url(https://x)}</style>
<a href="file:///etc/passwd">c</a><svg onload="steal()"></svg></p></html>"#;
        let clean =
            cleaned(bad, HashMap::from([("modelica://A/b.png".into(), "data:image/png;base64,AA==".into())]));
        for word in
            ["steal", "script", "iframe", "track", "form", "style", "file:", "onload", "onclick", "modelica"]
        {
            assert!(!clean.contains(word), "{word}: {clean}");
        }
        assert!(clean.contains("data:image/png;base64,AA=="), "{clean}");
    }

    #[test]
    fn html_becomes_readable_text() {
        let html =
            "<p>One <b>two</b>,\n three &lt; four.</p><ul><li>a</li><li>b</li></ul><pre>x  y\n z</pre>";
        assert_eq!(plain(html, 80), "One two, three < four.\n\n  - a\n  - b\n\nx  y\n z");
    }

    #[test]
    fn lines_are_filled() {
        assert_eq!(plain("<p>aaa bbb ccc</p>", 8), "aaa bbb\nccc");
    }
}
