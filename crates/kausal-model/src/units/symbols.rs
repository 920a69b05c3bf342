//! Units as the specification writes them (Modelica 3.6, chapter 19), in terms of the base units of the SI.
//!
//! `unit_numerator / unit_denominator`, factors joined by `.`, exponents behind their symbol: `kg.m2/s3`, `W/(m2.K)`, `1/min`.
//!
//! A value in the unit is `factor*value + offset` in base units, as FMI defines it (FMI 3.0, section 2.4.4).

/// Exponents of base units, with factor and offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Of kg, m, s, A, K, mol, cd and rad.
    pub exponents: [i32; 8],
    /// In base units.
    pub factor: f64,
    /// Of temperatures.
    pub offset: f64,
}

/// Names of the base units, in the order of [`Unit::exponents`].
pub const BASE: [&str; 8] = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];

const NONE: Unit = Unit { exponents: [0; 8], factor: 1.0, offset: 0.0 };

/// Symbol, exponents, factor, and whether it takes prefixes (the SI Brochure, 9th edition, tables 2, 4 and 8; the others are those of
/// the Modelica Standard Library).
const SYMBOLS: [(&str, [i32; 8], f64, bool); 55] = [
    ("1", [0, 0, 0, 0, 0, 0, 0, 0], 1.0, false),
    ("g", [1, 0, 0, 0, 0, 0, 0, 0], 1e-3, true),
    ("m", [0, 1, 0, 0, 0, 0, 0, 0], 1.0, true),
    ("s", [0, 0, 1, 0, 0, 0, 0, 0], 1.0, true),
    ("A", [0, 0, 0, 1, 0, 0, 0, 0], 1.0, true),
    ("K", [0, 0, 0, 0, 1, 0, 0, 0], 1.0, true),
    ("mol", [0, 0, 0, 0, 0, 1, 0, 0], 1.0, true),
    ("cd", [0, 0, 0, 0, 0, 0, 1, 0], 1.0, true),
    ("rad", [0, 0, 0, 0, 0, 0, 0, 1], 1.0, true),
    ("sr", [0, 0, 0, 0, 0, 0, 0, 2], 1.0, true),
    ("Hz", [0, 0, -1, 0, 0, 0, 0, 0], 1.0, true),
    ("N", [1, 1, -2, 0, 0, 0, 0, 0], 1.0, true),
    ("Pa", [1, -1, -2, 0, 0, 0, 0, 0], 1.0, true),
    ("J", [1, 2, -2, 0, 0, 0, 0, 0], 1.0, true),
    ("W", [1, 2, -3, 0, 0, 0, 0, 0], 1.0, true),
    ("C", [0, 0, 1, 1, 0, 0, 0, 0], 1.0, true),
    ("V", [1, 2, -3, -1, 0, 0, 0, 0], 1.0, true),
    ("F", [-1, -2, 4, 2, 0, 0, 0, 0], 1.0, true),
    ("Ohm", [1, 2, -3, -2, 0, 0, 0, 0], 1.0, true),
    ("S", [-1, -2, 3, 2, 0, 0, 0, 0], 1.0, true),
    ("Wb", [1, 2, -2, -1, 0, 0, 0, 0], 1.0, true),
    ("T", [1, 0, -2, -1, 0, 0, 0, 0], 1.0, true),
    ("H", [1, 2, -2, -2, 0, 0, 0, 0], 1.0, true),
    ("lm", [0, 0, 0, 0, 0, 0, 1, 2], 1.0, true),
    ("lx", [0, -2, 0, 0, 0, 0, 1, 2], 1.0, true),
    ("Bq", [0, 0, -1, 0, 0, 0, 0, 0], 1.0, true),
    ("Gy", [0, 2, -2, 0, 0, 0, 0, 0], 1.0, true),
    ("Sv", [0, 2, -2, 0, 0, 0, 0, 0], 1.0, true),
    ("kat", [0, 0, -1, 0, 0, 1, 0, 0], 1.0, true),
    ("degC", [0, 0, 0, 0, 1, 0, 0, 0], 1.0, false),
    ("degF", [0, 0, 0, 0, 1, 0, 0, 0], 5.0 / 9.0, false),
    ("degRk", [0, 0, 0, 0, 1, 0, 0, 0], 5.0 / 9.0, false),
    ("min", [0, 0, 1, 0, 0, 0, 0, 0], 60.0, false),
    ("h", [0, 0, 1, 0, 0, 0, 0, 0], 3600.0, false),
    ("d", [0, 0, 1, 0, 0, 0, 0, 0], 86_400.0, false),
    ("deg", [0, 0, 0, 0, 0, 0, 0, 1], std::f64::consts::PI / 180.0, false),
    ("rev", [0, 0, 0, 0, 0, 0, 0, 1], std::f64::consts::TAU, false),
    ("rpm", [0, 0, -1, 0, 0, 0, 0, 1], std::f64::consts::TAU / 60.0, false),
    ("l", [0, 3, 0, 0, 0, 0, 0, 0], 1e-3, true),
    ("L", [0, 3, 0, 0, 0, 0, 0, 0], 1e-3, true),
    ("t", [1, 0, 0, 0, 0, 0, 0, 0], 1e3, true),
    ("bar", [1, -1, -2, 0, 0, 0, 0, 0], 1e5, true),
    ("atm", [1, -1, -2, 0, 0, 0, 0, 0], 101_325.0, false),
    ("eV", [1, 2, -2, 0, 0, 0, 0, 0], 1.602_176_634e-19, true),
    ("var", [1, 2, -3, 0, 0, 0, 0, 0], 1.0, true),
    ("kn", [0, 1, -1, 0, 0, 0, 0, 0], 1852.0 / 3600.0, false),
    ("in", [0, 1, 0, 0, 0, 0, 0, 0], 0.0254, false),
    ("ft", [0, 1, 0, 0, 0, 0, 0, 0], 0.3048, false),
    ("mi", [0, 1, 0, 0, 0, 0, 0, 0], 1609.344, false),
    ("lb", [1, 0, 0, 0, 0, 0, 0, 0], 0.453_592_37, false),
    ("lbf", [1, 1, -2, 0, 0, 0, 0, 0], 4.448_221_615_260_5, false),
    ("psi", [1, -1, -2, 0, 0, 0, 0, 0], 6_894.757_293_168, false),
    ("cal", [1, 2, -2, 0, 0, 0, 0, 0], 4.184, true),
    ("%", [0, 0, 0, 0, 0, 0, 0, 0], 0.01, false),
    ("ppm", [0, 0, 0, 0, 0, 0, 0, 0], 1e-6, false),
];

const PREFIXES: [(&str, f64); 20] = [
    ("Y", 1e24),
    ("Z", 1e21),
    ("E", 1e18),
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("h", 1e2),
    ("da", 1e1),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("n", 1e-9),
    ("p", 1e-12),
    ("f", 1e-15),
    ("a", 1e-18),
    ("z", 1e-21),
    ("y", 1e-24),
];

/// What a unit is, if it is known.
pub fn parse(text: &str) -> Option<Unit> {
    let (above, below) = match text.split_once('/') {
        Some((above, below)) => (above, Some(below)),
        None => (text, None),
    };
    let mut unit = product(above)?;
    if let Some(below) = below {
        let below = match below.strip_prefix('(').and_then(|b| b.strip_suffix(')')) {
            Some(inside) => product(inside)?,
            // Only one factor may stand below without parentheses.
            None if below.contains(['.', '/']) => return None,
            None => product(below)?,
        };
        unit = combine(unit, power(below, -1));
    }
    // A temperature has an offset only by itself.
    unit.offset = match text {
        "degC" => 273.15,
        "degF" => 459.67 * 5.0 / 9.0,
        _ => 0.0,
    };
    Some(unit)
}

fn product(text: &str) -> Option<Unit> {
    let text = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    text.split('.').try_fold(NONE, |all, one| Some(combine(all, factor(one)?)))
}

/// A symbol with its exponent.
fn factor(text: &str) -> Option<Unit> {
    let exponent = text.rfind(|c: char| !(c.is_ascii_digit() || c == '-' || c == '+'));
    // `1`, and `10-3`, begin with digits.
    let (symbol, exponent) = match exponent {
        Some(at) => text.split_at(at + text[at..].chars().next()?.len_utf8()),
        None => (text, ""),
    };
    let exponent = if exponent.is_empty() { 1 } else { exponent.parse().ok()? };
    Some(power(self::symbol(symbol)?, exponent))
}

fn symbol(text: &str) -> Option<Unit> {
    let find = |symbol: &str| SYMBOLS.iter().find(|(known, ..)| *known == symbol);
    if let Some((_, exponents, factor, _)) = find(text) {
        return Some(Unit { exponents: *exponents, factor: *factor, offset: 0.0 });
    }
    PREFIXES.iter().find_map(|(prefix, size)| {
        let (_, exponents, factor, _) =
            find(text.strip_prefix(prefix)?).filter(|(.., prefixes)| *prefixes)?;
        Some(Unit { exponents: *exponents, factor: size * factor, offset: 0.0 })
    })
}

fn combine(a: Unit, b: Unit) -> Unit {
    let exponents = std::array::from_fn(|i| a.exponents[i] + b.exponents[i]);
    Unit { exponents, factor: a.factor * b.factor, offset: 0.0 }
}

fn power(unit: Unit, n: i32) -> Unit {
    let exponents = unit.exponents.map(|e| e * n);
    Unit { exponents, factor: unit.factor.powi(n), offset: 0.0 }
}

/// The derived unit of the SI with a name of its own that is made of these base units; angles count as numbers.
pub fn coherent(exponents: [i32; 8]) -> Option<&'static str> {
    if exponents[..7].iter().all(|&e| e == 0) {
        return Some(if exponents[7] == 0 { "1" } else { "rad" });
    }
    // `1/s` is said of more than frequencies.
    let named =
        SYMBOLS.iter().filter(|(name, ..)| !matches!(*name, "Hz" | "Bq" | "Gy" | "Sv" | "kat" | "var"));
    let mut fits = named.filter(|(_, e, factor, _)| *factor == 1.0 && e[..7] == exponents[..7]);
    fits.next().map(|(name, ..)| *name)
}

/// Factor and offset that make a value in `unit` one in `display`, if both measure the same: `factor*value + offset`.
pub fn display(unit: Unit, display: Unit) -> Option<(f64, f64)> {
    // An angle is a number, too.
    let same = unit.exponents[..7] == display.exponents[..7];
    same.then(|| (unit.factor / display.factor, (unit.offset - display.offset) / display.factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The SI Brochure says what derived units are made of.
    #[test]
    fn units_are_read() {
        let cases: [(&str, [i32; 8], f64); 11] = [
            ("N.m", [1, 2, -2, 0, 0, 0, 0, 0], 1.0),
            ("kg.m2/s3", [1, 2, -3, 0, 0, 0, 0, 0], 1.0),
            ("W/(m2.K)", [1, 0, -3, 0, -1, 0, 0, 0], 1.0),
            ("1/min", [0, 0, -1, 0, 0, 0, 0, 0], 1.0 / 60.0),
            ("mm2", [0, 2, 0, 0, 0, 0, 0, 0], 1e-6),
            ("s-1", [0, 0, -1, 0, 0, 0, 0, 0], 1.0),
            ("kPa", [1, -1, -2, 0, 0, 0, 0, 0], 1e3),
            ("km/h", [0, 1, -1, 0, 0, 0, 0, 0], 1000.0 / 3600.0),
            ("min", [0, 0, 1, 0, 0, 0, 0, 0], 60.0),
            ("mol/l", [0, -3, 0, 0, 0, 1, 0, 0], 1e3),
            ("rad/s", [0, 0, -1, 0, 0, 0, 0, 1], 1.0),
        ];
        for (text, exponents, factor) in cases {
            let unit = parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(unit.exponents, exponents, "{text}");
            assert!((unit.factor / factor - 1.0).abs() < 1e-14, "{text}: {}", unit.factor);
        }
        for text in ["", "foo", "m/s/s", "N.", "kmin", "m/s.kg"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    /// Water boils at 373.15 K, 100 degC and 212 degF; a right angle has 90 deg.
    #[test]
    fn display_units_have_factors_and_offsets() {
        let convert = |value: f64, from: &str, to: &str| {
            let (factor, offset) = display(parse(from).unwrap(), parse(to).unwrap()).unwrap();
            factor * value + offset
        };
        assert!((convert(373.15, "K", "degC") - 100.0).abs() < 1e-10);
        assert!((convert(373.15, "K", "degF") - 212.0).abs() < 1e-10);
        assert!((convert(100.0, "degC", "K") - 373.15).abs() < 1e-10);
        assert!((convert(std::f64::consts::FRAC_PI_2, "rad", "deg") - 90.0).abs() < 1e-12);
        assert!((convert(1e5, "Pa", "bar") - 1.0).abs() < 1e-15);
        assert_eq!(display(parse("m").unwrap(), parse("s").unwrap()), None);
    }
}
