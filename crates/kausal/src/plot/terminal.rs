//! Plots in the terminal: braille dots, eight to a character.

use super::axis::axis;
use super::{Curve, Plot};

/// Sketches of the given size in characters, one for each unit.
pub fn write(plot: &Plot, columns: usize, rows: usize) -> String {
    let panels = plot.panels();
    // Several share the height, but none becomes too flat to see anything.
    let rows = (rows / panels.len().max(1)).max(8);
    let sketches: Vec<String> = panels
        .iter()
        .map(|panel| {
            let curves: Vec<&Curve> = panel.curves.iter().map(|c| &plot.curves[*c]).collect();
            sketch(plot, &curves, columns, rows)
        })
        .collect();
    sketches.join("\n")
}

fn sketch(plot: &Plot, curves: &[&Curve], columns: usize, rows: usize) -> String {
    let x_axis = axis(plot.curves.iter().flat_map(|c| c.x.iter().copied()), true);
    let y_axis = axis(curves.iter().flat_map(|c| c.y.iter().copied()), false);
    let (width, height) = (columns.max(8) * 2, rows.max(4) * 4);
    let mut dots = vec![false; width * height];
    for curve in curves {
        let mut last: Option<(i64, i64)> = None;
        for (&x, &y) in curve.x.iter().zip(&curve.y) {
            if !x.is_finite() || !y.is_finite() {
                last = None;
                continue;
            }
            let px = ((x - x_axis.low) / (x_axis.high - x_axis.low) * (width - 1) as f64).round() as i64;
            let py = ((y_axis.high - y) / (y_axis.high - y_axis.low) * (height - 1) as f64).round() as i64;
            let (fx, fy) = last.unwrap_or((px, py));
            let steps = (px - fx).abs().max((py - fy).abs()).max(1);
            for k in 0..=steps {
                let (cx, cy) = (fx + (px - fx) * k / steps, fy + (py - fy) * k / steps);
                if (0..width as i64).contains(&cx) && (0..height as i64).contains(&cy) {
                    dots[cy as usize * width + cx as usize] = true;
                }
            }
            last = Some((px, py));
        }
    }
    let high = y_axis.ticks.last().map_or(String::new(), |t| t.1.clone());
    let low = y_axis.ticks.first().map_or(String::new(), |t| t.1.clone());
    let margin = high.chars().count().max(low.chars().count());
    let names: Vec<String> = curves.iter().map(|c| c.label()).collect();
    let mut out = format!("{}\n", names.join(", "));
    for row in 0..height / 4 {
        let label = match row {
            0 => high.as_str(),
            r if r + 1 == height / 4 => low.as_str(),
            _ => "",
        };
        out.push_str(&format!("{label:>margin$} ┤"));
        for column in 0..width / 2 {
            out.push(cell(&dots, width, column * 2, row * 4));
        }
        out.push('\n');
    }
    let (from, to) = (short(x_axis.low), short(x_axis.high));
    let gap = (width / 2).saturating_sub(from.chars().count() + to.chars().count());
    out.push_str(&format!("{:margin$}  {from}{:gap$}{to}  {}\n", "", "", plot.x_label));
    out
}

/// The end of an axis, with as many digits as fit below it.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let plain = rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs());
    if plain { rounded.to_string() } else { format!("{rounded:e}") }
}

fn cell(dots: &[bool], width: usize, x: usize, y: usize) -> char {
    // Unicode braille: bits 0-2 and 6 go down the left side, 3-5 and 7 down the right.
    const BITS: [[u32; 4]; 2] = [[0, 1, 2, 6], [3, 4, 5, 7]];
    let mut code = 0x2800;
    for (dx, column) in BITS.iter().enumerate() {
        for (dy, bit) in column.iter().enumerate() {
            if dots[(y + dy) * width + x + dx] {
                code |= 1 << bit;
            }
        }
    }
    char::from_u32(code).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands below the ends of the curve is where it begins and ends, also between round numbers.
    #[test]
    fn the_ends_of_the_axis_are_told() {
        let curve = Curve {
            name: "x".into(),
            unit: String::new(),
            x: vec![0.0, 3600.0],
            y: vec![0.0, 1.0],
            band: Vec::new(),
        };
        let plot = Plot { x_label: "time [s]".into(), curves: vec![curve], ..Plot::default() };
        let said = write(&plot, 40, 8);
        let last = said.lines().last().unwrap();
        assert!(last.trim_start().starts_with("0 ") && last.ends_with("3600  time [s]"), "{last:?}");
        assert_eq!(
            (short(0.1 + 0.2), short(1e-7), short(-2.5e9)),
            ("0.3".into(), "1e-7".into(), "-2.5e9".into())
        );
    }
}
