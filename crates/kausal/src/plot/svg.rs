//! Plots as SVG: one picture, readable on light and dark pages and in print.

use std::fmt::Write;

use super::Plot;
use super::axis::{Axis, axis};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 48.0;
/// Distinguishable also without colour vision, on white and on black (Okabe and Ito's palette).
const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7f7f7f"];

/// The picture as text.
pub fn write(plot: &Plot) -> String {
    let x_axis = axis(plot.curves.iter().flat_map(|c| c.x.iter().copied()), true);
    let y_axis = axis(plot.curves.iter().flat_map(|c| c.y.iter().copied()), false);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <style>.bg{{fill:#fff}}.ink{{fill:#222}}.line{{stroke:#222}}.grid{{stroke:#ddd}}\
         @media (prefers-color-scheme: dark){{.bg{{fill:#16181d}}.ink{{fill:#ddd}}.line{{stroke:#ddd}}.grid{{stroke:#3a3f4a}}}}\
         @media print{{.bg{{fill:#fff}}.ink{{fill:#222}}.line{{stroke:#222}}.grid{{stroke:#ddd}}}}</style>\n\
         <rect class=\"bg\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n"
    );
    let _ = writeln!(
        out,
        "<text class=\"ink\" x=\"{LEFT}\" y=\"22\" font-size=\"15\" font-weight=\"600\">{}</text>",
        escape(&plot.title)
    );
    draw_axes(&mut out, plot, &x_axis, &y_axis);
    for (i, curve) in plot.curves.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let points = path(&curve.x, &curve.y, &x_axis, &y_axis);
        let _ = writeln!(
            out,
            "<path d=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>"
        );
    }
    legend(&mut out, plot);
    out.push_str("</svg>\n");
    out
}

fn draw_axes(out: &mut String, plot: &Plot, x_axis: &Axis, y_axis: &Axis) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for (value, label) in &x_axis.ticks {
        let x = place(*value, x_axis, LEFT, right);
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>\
             <text class=\"ink\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            bottom + 18.0
        );
    }
    for (value, label) in &y_axis.ticks {
        let y = place(*value, y_axis, bottom, TOP);
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
             <text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            y + 4.5
        );
    }
    let _ = writeln!(
        out,
        "<path class=\"line\" d=\"M{LEFT},{TOP}V{bottom}H{right}\" fill=\"none\"/>\
         <text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 10.0,
        escape(&plot.x_label)
    );
}

fn legend(out: &mut String, plot: &Plot) {
    let mut x = LEFT;
    for (i, curve) in plot.curves.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let text = if curve.unit.is_empty() {
            curve.name.clone()
        } else {
            format!("{} [{}]", curve.name, curve.unit)
        };
        let width = 34.0 + 7.4 * text.chars().count() as f64;
        if x > LEFT && x + width > WIDTH - RIGHT {
            break;
        }
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"40\" x2=\"{:.1}\" y2=\"40\" stroke=\"{color}\" stroke-width=\"3\"/>\
             <text class=\"ink\" x=\"{:.1}\" y=\"44.5\">{}</text>",
            x + 18.0,
            x + 23.0,
            escape(&text)
        );
        x += width;
    }
}

/// The curve as a path; gaps where a value is not finite, points closer than half a pixel left out.
fn path(xs: &[f64], ys: &[f64], x_axis: &Axis, y_axis: &Axis) -> String {
    let mut out = String::new();
    let mut last: Option<(f64, f64)> = None;
    let n = xs.len();
    for (i, (&x, &y)) in xs.iter().zip(ys).enumerate() {
        if !x.is_finite() || !y.is_finite() {
            last = None;
            continue;
        }
        let px = place(x, x_axis, LEFT, WIDTH - RIGHT);
        let py = place(y, y_axis, HEIGHT - BOTTOM, TOP);
        match last {
            Some((lx, ly)) if (px - lx).abs() < 0.5 && (py - ly).abs() < 0.5 && i + 1 < n => continue,
            Some(_) => {
                let _ = write!(out, "L{px:.1},{py:.1}");
            }
            None => {
                let _ = write!(out, "M{px:.1},{py:.1}");
            }
        }
        last = Some((px, py));
    }
    out
}

fn place(value: f64, axis: &Axis, from: f64, to: f64) -> f64 {
    from + (value - axis.low) / (axis.high - axis.low) * (to - from)
}

/// Text inside XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
