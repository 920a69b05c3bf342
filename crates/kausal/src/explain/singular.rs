//! The page of a model without a unique solution: which equations are too many, which unknowns have too few, as small
//! matrices with names; what was said about it; what usually causes it.
//!
//! Writing to a string cannot fail: results of `write!` are dropped throughout.

use std::fmt::Write;

use kausal_syntax::{Diagnostic, Sources};
use kausal_translate::program::SingularPart;

use super::html::STYLE;
use super::{advice, counted, place};
use crate::plot::svg::escape;
use crate::render;

const PAGE: &str = include_str!("page/singular.html");
const MATH: &str = include_str!("page/math.js");
/// Larger parts are lists, and longer lists are cut.
const COLUMNS: usize = 32;
const ROWS: usize = 400;

/// The page.
pub fn page(model: &str, parts: &[SingularPart], diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for part in parts {
        one(&mut out, part, sources);
    }
    let mut codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let causes: String = codes
        .iter()
        .filter_map(|code| advice(code))
        .map(|text| format!("<p>{}</p>\n", escape(text)))
        .collect();
    let mut help: Vec<String> = diagnostics.iter().filter_map(|d| d.help.clone()).collect();
    help.dedup();
    let help: String =
        help.iter().map(|text| format!("<p class=\"advice\">{}</p>\n", escape(text))).collect();
    let said = render::text(diagnostics, sources, false);
    let braces = |text: &str| text.replace("{{", "{&#123;");
    PAGE.replace("{{title}}", &braces(&escape(model)))
        .replace("{{style}}", STYLE)
        .replace("{{script}}", MATH)
        .replace("{{help}}", &braces(&help))
        .replace("{{parts}}", &braces(&out))
        .replace("{{causes}}", &braces(&causes))
        .replace("{{said}}", &braces(&escape(&said)))
}

fn one(out: &mut String, part: &SingularPart, sources: &Sources) {
    let (equations, unknowns) = (part.equations.len(), part.unknowns.len());
    let title = match (part.is_too_many(), unknowns, equations) {
        _ if part.dependent > 0 => format!("{} that depend on each other", counted(equations, "equation")),
        (true, 0, 1) => "1 equation without an unknown".to_owned(),
        (true, 0, n) => format!("{n} equations without an unknown"),
        (true, ..) => format!("{} for only {}", counted(equations, "equation"), counted(unknowns, "unknown")),
        (false, 1, 0) => "1 unknown without an equation".to_owned(),
        (false, n, 0) => format!("{n} unknowns without an equation"),
        (false, ..) => {
            format!("Only {} for {}", counted(equations, "equation"), counted(unknowns, "unknown"))
        }
    };
    let verdict = match (part.is_too_many(), equations.abs_diff(unknowns)) {
        _ if part.dependent > 0 => {
            let (verb, other) = if part.dependent == 1 { ("says", "others") } else { ("say", "rest") };
            format!(
                "{} of them {verb} nothing that does not follow from the {other}, or contradicts it, so that nothing \
                 determines the unknowns in the columns.",
                part.dependent
            )
        }
        (true, 1) => {
            "One equation is too many. All that is in it, or in the others, is determined already.".into()
        }
        (true, n) => format!("{n} equations are too many."),
        (false, 1) => "One equation is missing.".to_owned(),
        (false, n) => format!("{n} equations are missing."),
    };
    let class = if part.is_too_many() || part.dependent > 0 { "over" } else { "under" };
    let _ = writeln!(out, "<section class=\"part {class}\"><h2>{title}</h2><p>{verdict}</p>");
    let as_matrix = equations > 0 && unknowns > 0 && unknowns <= COLUMNS;
    if equations > 0 {
        table(out, part, sources, as_matrix);
    }
    if !as_matrix && unknowns > 0 {
        let names: Vec<String> =
            part.unknowns.iter().take(ROWS).map(|n| format!("<code>{}</code>", escape(n))).collect();
        let more = if unknowns > ROWS { format!(" … and {} more", unknowns - ROWS) } else { String::new() };
        let _ = writeln!(out, "<p>The unknowns: {}{more}</p>", names.join(", "));
    }
    out.push_str("</section>\n");
}

/// The equations, each with its place, and where there is room a column for each unknown.
fn table(out: &mut String, part: &SingularPart, sources: &Sources, as_matrix: bool) {
    out.push_str("<table class=\"incidence\">");
    if as_matrix {
        out.push_str("<thead><tr><th></th>");
        for name in &part.unknowns {
            let _ = write!(out, "<th class=\"up\"><span>{}</span></th>", escape(name));
        }
        out.push_str("<th></th></tr></thead>");
    }
    for ((text, origin), entries) in part.equations.iter().zip(&part.entries).take(ROWS) {
        let _ = write!(out, "<tr><td><span class=\"formula\">{}</span></td>", escape(text));
        if as_matrix {
            for column in 0..part.unknowns.len() {
                let there = entries.contains(&(column as u32));
                let (mark, words) = if there { ("●", " class=\"there\"") } else { ("", "") };
                let _ = write!(out, "<td{words}>{mark}</td>");
            }
        }
        let _ = write!(out, "<td class=\"soft\">{}</td></tr>", escape(&place(sources, origin)));
    }
    out.push_str("</table>\n");
    if part.equations.len() > ROWS {
        let _ = write!(out, "<p>… and {} more</p>", part.equations.len() - ROWS);
    }
}

#[cfg(test)]
mod tests {
    use crate::session::Session;

    fn page(text: &str) -> String {
        let mut session = Session::new();
        session.add_text("M.mo", text);
        let flat = session.flatten("M").expect("a flat model");
        session.take_diagnostics();
        assert!(session.translate(&flat, &Default::default()).is_none());
        let said = session.take_diagnostics();
        super::page("M", session.singular(), &said, session.sources())
    }

    #[test]
    fn all_that_is_too_many_is_shown() {
        let page =
            page("model M Real x, y; equation x + y = 1; x - y = 2; x + 2*y = 3*time; x + 5*y = 4; end M;");
        assert!(
            page.contains("4 equations for only 2 unknowns") && page.contains("2 equations are too many")
        );
        assert_eq!(page.matches("class=\"formula\"").count(), 4);
        assert_eq!(page.matches("class=\"there\"").count(), 8);
        assert!(page.contains("Usual causes") && page.contains("M.mo:1"));
        assert!(!page.contains("{{") && !page.contains("http"));
    }

    #[test]
    fn what_says_the_same_is_shown() {
        let page = page("model M Real x, y; equation x + y = 1; 2*x + 2*y = 2; end M;");
        assert!(page.contains("2 equations that depend on each other"), "{page}");
        assert_eq!(page.matches("class=\"there\"").count(), 4);
    }

    #[test]
    fn what_is_missing_is_shown() {
        let page = page("model M Real x, y, z; equation x + y = 1; z = time; end M;");
        assert!(page.contains("Only 1 equation for 2 unknowns"), "{page}");
        assert!(page.contains("One equation is missing."));
    }
}
