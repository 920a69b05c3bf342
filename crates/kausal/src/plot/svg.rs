//! Plots as SVG: one picture, readable on light and dark pages and in print.

use std::fmt::Write;

use super::Plot;
use super::scene::{Anchor, Ink, Item, TEXT_SIZE, scene};

/// Distinguishable also without colour vision, on white and on black (Okabe and Ito's palette).
pub const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7f7f7f"];

/// Curves differ in their dashes, too: lengths of ink and gap in pixels, as in the page.
pub const DASHES: [&[f64]; 4] = [&[], &[7.0, 4.0], &[2.0, 3.0], &[10.0, 3.0, 2.0, 3.0]];

/// The picture as text.
pub fn write(plot: &Plot) -> String {
    let scene = scene(plot);
    let (width, height) = (scene.width, scene.height);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"system-ui, sans-serif\" font-size=\"{TEXT_SIZE}\">\n\
         <style>.bg{{fill:#fff}}.ink{{fill:#222}}.line{{stroke:#222}}.grid{{stroke:#ddd}}.event{{stroke:#999;stroke-dasharray:2 3}}.mark{{stroke:#8a93a0}}\
         @media (prefers-color-scheme: dark){{.bg{{fill:#16181d}}.ink{{fill:#ddd}}.line{{stroke:#ddd}}.grid{{stroke:#3a3f4a}}.event{{stroke:#777}}}}\
         @media print{{.bg{{fill:#fff}}.ink{{fill:#222}}.line{{stroke:#222}}.grid{{stroke:#ddd}}}}</style>\n\
         <rect class=\"bg\" width=\"{width}\" height=\"{height}\"/>\n"
    );
    for item in &scene.items {
        match item {
            Item::Line { points, ink, width } => line(&mut out, points, *ink, *width),
            Item::Area { points, curve } => {
                let color = COLORS[curve % COLORS.len()];
                let _ = writeln!(
                    out,
                    "<path d=\"{}Z\" fill=\"{color}\" fill-opacity=\"0.22\" stroke=\"none\"/>",
                    path(points)
                );
            }
            Item::Marks { at, top, bottom } => {
                let marks: String = at.iter().map(|x| format!("M{x:.1},{top:.1}V{bottom:.1}")).collect();
                let _ = writeln!(out, "<path d=\"{marks}\" fill=\"none\" class=\"mark\"/>");
            }
            Item::Text { at: (x, y), anchor, text, title } => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let title = if *title { " font-size=\"15\" font-weight=\"600\"" } else { "" };
                let _ = writeln!(
                    out,
                    "<text class=\"ink\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}{title}>{}</text>",
                    escape(text)
                );
            }
        }
    }
    out.push_str("</svg>\n");
    out
}

fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{x:.1},{y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    path
}

fn line(out: &mut String, points: &[(f64, f64)], ink: Ink, width: f64) {
    let path = path(points);
    let look = match ink {
        Ink::Front => "class=\"line\"".to_owned(),
        Ink::Grid => "class=\"grid\"".to_owned(),
        Ink::Event => "class=\"event\"".to_owned(),
        Ink::Curve(i) => {
            let dashes: Vec<String> = DASHES[i % DASHES.len()].iter().map(f64::to_string).collect();
            let dashes = match dashes.is_empty() {
                true => String::new(),
                false => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
            };
            format!(
                "stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dashes}",
                COLORS[i % COLORS.len()]
            )
        }
    };
    let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" {look}/>");
}

/// Text inside XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{of, tests::ball};

    /// Curves can be told apart without their colours.
    #[test]
    fn curves_differ_in_their_dashes() {
        let picture = write(&of(&ball(), "Ball", &["h".into(), "depth".into(), "v".into()]).unwrap());
        let dashes = |color: &str| {
            let line =
                picture.lines().find(|l| l.contains(&format!("stroke=\"{color}\" stroke-width=\"1.8\"")));
            line.expect("a curve").split("stroke-dasharray=").nth(1).map(str::to_owned)
        };
        let all = [0, 1, 2].map(|i| dashes(COLORS[i]));
        assert!(all[0].is_none() && all[1].is_some() && all[2].is_some() && all[1] != all[2], "{all:?}");
    }
}
