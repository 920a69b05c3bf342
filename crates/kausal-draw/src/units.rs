//! Units as people read them: conversion to display units, and the symbols of the SI brochure (`Ohm` is Ω, `m2` is m²).
//!
//! Unit expressions are those of the Modelica specification, chapter 19: factors with exponents, `.` between them, one `/`.

/// Exponents of m, kg, s, A, K, mol, cd.
type Dimension = [i8; 7];

#[derive(Clone, Copy, Debug, PartialEq)]
struct Unit {
    factor: f64,
    offset: f64,
    dimension: Dimension,
}

const ONE: Unit = Unit { factor: 1.0, offset: 0.0, dimension: [0; 7] };

/// Symbol, factor to coherent SI units, exponents, may have a prefix.
const ATOMS: &[(&str, f64, Dimension, bool)] = &[
    ("m", 1.0, [1, 0, 0, 0, 0, 0, 0], true),
    ("g", 1e-3, [0, 1, 0, 0, 0, 0, 0], true),
    ("s", 1.0, [0, 0, 1, 0, 0, 0, 0], true),
    ("A", 1.0, [0, 0, 0, 1, 0, 0, 0], true),
    ("K", 1.0, [0, 0, 0, 0, 1, 0, 0], true),
    ("mol", 1.0, [0, 0, 0, 0, 0, 1, 0], true),
    ("cd", 1.0, [0, 0, 0, 0, 0, 0, 1], true),
    ("rad", 1.0, [0; 7], true),
    ("sr", 1.0, [0; 7], false),
    ("Hz", 1.0, [0, 0, -1, 0, 0, 0, 0], true),
    ("N", 1.0, [1, 1, -2, 0, 0, 0, 0], true),
    ("Pa", 1.0, [-1, 1, -2, 0, 0, 0, 0], true),
    ("J", 1.0, [2, 1, -2, 0, 0, 0, 0], true),
    ("W", 1.0, [2, 1, -3, 0, 0, 0, 0], true),
    ("C", 1.0, [0, 0, 1, 1, 0, 0, 0], true),
    ("V", 1.0, [2, 1, -3, -1, 0, 0, 0], true),
    ("F", 1.0, [-2, -1, 4, 2, 0, 0, 0], true),
    ("Ohm", 1.0, [2, 1, -3, -2, 0, 0, 0], true),
    ("S", 1.0, [-2, -1, 3, 2, 0, 0, 0], true),
    ("Wb", 1.0, [2, 1, -2, -1, 0, 0, 0], true),
    ("T", 1.0, [0, 1, -2, -1, 0, 0, 0], true),
    ("H", 1.0, [2, 1, -2, -2, 0, 0, 0], true),
    ("lm", 1.0, [0, 0, 0, 0, 0, 0, 1], true),
    ("lx", 1.0, [-2, 0, 0, 0, 0, 0, 1], true),
    ("Bq", 1.0, [0, 0, -1, 0, 0, 0, 0], true),
    ("Gy", 1.0, [2, 0, -2, 0, 0, 0, 0], true),
    ("Sv", 1.0, [2, 0, -2, 0, 0, 0, 0], true),
    ("kat", 1.0, [0, 0, -1, 0, 0, 1, 0], true),
    ("min", 60.0, [0, 0, 1, 0, 0, 0, 0], false),
    ("h", 3600.0, [0, 0, 1, 0, 0, 0, 0], false),
    ("d", 86400.0, [0, 0, 1, 0, 0, 0, 0], false),
    ("l", 1e-3, [3, 0, 0, 0, 0, 0, 0], true),
    ("L", 1e-3, [3, 0, 0, 0, 0, 0, 0], true),
    ("t", 1e3, [0, 1, 0, 0, 0, 0, 0], true),
    ("eV", 1.602_176_634e-19, [2, 1, -2, 0, 0, 0, 0], true),
    ("bar", 1e5, [-1, 1, -2, 0, 0, 0, 0], true),
    ("deg", std::f64::consts::PI / 180.0, [0; 7], false),
    ("rev", std::f64::consts::TAU, [0; 7], false),
    ("rpm", std::f64::consts::TAU / 60.0, [0, 0, -1, 0, 0, 0, 0], false),
    ("var", 1.0, [2, 1, -3, 0, 0, 0, 0], true),
    ("VA", 1.0, [2, 1, -3, 0, 0, 0, 0], true),
    ("Wh", 3600.0, [2, 1, -2, 0, 0, 0, 0], true),
    ("1", 1.0, [0; 7], false),
    ("%", 0.01, [0; 7], false),
];

const PREFIXES: &[(&str, f64)] = &[
    ("da", 1e1),
    ("Y", 1e24),
    ("Z", 1e21),
    ("E", 1e18),
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("h", 1e2),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("n", 1e-9),
    ("p", 1e-12),
    ("f", 1e-15),
    ("a", 1e-18),
];

/// The value in another unit, if both are of one kind.
pub fn convert(value: f64, from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(value);
    }
    let (a, b) = (parse(from)?, parse(to)?);
    (a.dimension == b.dimension).then(|| (value * a.factor + a.offset - b.offset) / b.factor)
}

fn parse(text: &str) -> Option<Unit> {
    let kelvin = [0, 0, 0, 0, 1, 0, 0];
    match text.trim() {
        "degC" => return Some(Unit { factor: 1.0, offset: 273.15, dimension: kelvin }),
        "degF" => {
            return Some(Unit { factor: 5.0 / 9.0, offset: 459.67 * 5.0 / 9.0, dimension: kelvin });
        }
        _ => {}
    }
    let (above, below) = match text.split_once('/') {
        Some((above, below)) => (above, Some(below)),
        None => (text, None),
    };
    let mut unit = product(above, ONE, 1)?;
    if let Some(below) = below {
        unit = product(below, unit, -1)?;
    }
    Some(unit)
}

fn product(text: &str, mut unit: Unit, sign: i32) -> Option<Unit> {
    let text = text.trim();
    let text = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    for factor in text.split('.') {
        let (name, exponent) = split_exponent(factor)?;
        let (size, dimension) = atom(name)?;
        let power = sign * exponent;
        unit.factor *= size.powi(power);
        for (d, own) in unit.dimension.iter_mut().zip(dimension) {
            *d = d.checked_add(own.checked_mul(i8::try_from(power).ok()?)?)?;
        }
    }
    Some(unit)
}

/// `m2` is `m` and 2.
fn split_exponent(factor: &str) -> Option<(&str, i32)> {
    if factor == "1" {
        return Some(("1", 1));
    }
    let at = factor.find(|c: char| c.is_ascii_digit() || c == '-' || c == '+').unwrap_or(factor.len());
    let (name, exponent) = factor.split_at(at);
    let exponent = if exponent.is_empty() { 1 } else { exponent.parse().ok()? };
    Some((name, exponent))
}

fn atom(name: &str) -> Option<(f64, Dimension)> {
    if let Some(&(_, factor, dimension, _)) = ATOMS.iter().find(|a| a.0 == name) {
        return Some((factor, dimension));
    }
    PREFIXES.iter().find_map(|(prefix, size)| {
        let rest = name.strip_prefix(prefix)?;
        let &(_, factor, dimension, _) = ATOMS.iter().find(|a| a.0 == rest && a.3)?;
        Some((size * factor, dimension))
    })
}

/// A unit with its usual symbols; empty for a number without one.
pub fn pretty(unit: &str) -> String {
    if unit.is_empty() || unit == "1" {
        return String::new();
    }
    let mut out = String::new();
    let mut word = String::new();
    for c in unit.chars() {
        if c.is_ascii_alphabetic() {
            word.push(c);
            continue;
        }
        let after_word = !word.is_empty();
        flush(&mut out, &mut word);
        match c {
            '.' => out.push('·'),
            '0'..='9' | '-' | '+' if after_word || out.ends_with(SUPERSCRIPTS) => {
                out.extend(superscript(c));
            }
            c => out.push(c),
        }
    }
    flush(&mut out, &mut word);
    out
}

const SUPERSCRIPTS: [char; 11] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁻'];

fn superscript(c: char) -> Option<char> {
    match c {
        '-' => Some('⁻'),
        _ => c.to_digit(10).map(|d| SUPERSCRIPTS[d as usize]),
    }
}

fn flush(out: &mut String, word: &mut String) {
    match word.as_str() {
        "degC" => out.push_str("°C"),
        "degF" => out.push_str("°F"),
        "deg" => out.push('°'),
        w => {
            let (prefix, rest) = match w.strip_suffix("Ohm") {
                Some(prefix) => (prefix, "Ω"),
                None => match w.strip_prefix('u') {
                    Some(rest) if atom(w).is_some() && atom(rest).is_some() => ("u", rest),
                    _ => ("", w),
                },
            };
            out.push_str(if prefix == "u" { "µ" } else { prefix });
            out.push_str(rest);
        }
    }
    word.clear();
}

/// A number with six significant digits, as short as it can be.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if (1e-4..1e6).contains(&size) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// A number with its unit, shown in the display unit.
pub fn quantity(value: f64, unit: &str, display: &str) -> String {
    let display = if display.is_empty() { unit } else { display };
    let (value, unit) = match convert(value, unit, display) {
        Some(converted) => (converted, display),
        None => (value, unit),
    };
    let unit = pretty(unit);
    match unit.as_str() {
        "" => number(value),
        "°" => format!("{}°", number(value)),
        unit => format!("{} {unit}", number(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_display_units() {
        assert_eq!(quantity(0.1, "s", "ms"), "100 ms");
        assert_eq!(quantity(293.15, "K", "degC"), "20 °C");
        assert_eq!(quantity(std::f64::consts::PI, "rad", "deg"), "180°");
        assert_eq!(quantity(101_325.0, "Pa", "bar"), "1.01325 bar");
        assert_eq!(quantity(std::f64::consts::TAU * 50.0, "rad/s", "rev/min"), "3000 rev/min");
        assert_eq!(quantity(1e-6, "F", ""), "1e-6 F");
        assert_eq!(quantity(10.0, "Ohm", ""), "10 Ω");
        assert_eq!(quantity(2.0, "1", ""), "2");
        assert_eq!(quantity(3.6e6, "J", "kW.h"), "1 kW·h");
    }

    #[test]
    fn what_does_not_fit_stays() {
        assert_eq!(convert(1.0, "m", "s"), None);
        assert_eq!(quantity(1.0, "m", "s"), "1 m");
        assert_eq!(quantity(1.0, "foo", "bar"), "1 foo");
    }

    #[test]
    fn units_get_their_symbols() {
        assert_eq!(pretty("kg.m2"), "kg·m²");
        assert_eq!(pretty("W/(m2.K)"), "W/(m²·K)");
        assert_eq!(pretty("kOhm"), "kΩ");
        assert_eq!(pretty("uF"), "µF");
        assert_eq!(pretty("s-1"), "s⁻¹");
        assert_eq!(pretty("1/s"), "1/s");
    }
}
