//! `String(…)`: numbers as text (specification section 3.7.1).

use super::Scalar;

/// How a number is written.
#[derive(Clone, Debug, PartialEq)]
pub enum TextFormat<T> {
    /// `significantDigits`, `minimumLength`, `leftJustified`; 6, 0 and true where missing.
    Options([Option<T>; 3]),
    /// A conversion of the C language without the leading `%`: `.3f`.
    C(Box<str>),
}

impl<T: Copy> TextFormat<T> {
    /// No options at all.
    pub fn plain() -> Self {
        TextFormat::Options([None; 3])
    }

    /// Every option changed, or nothing if one cannot be.
    pub fn map<U: Copy>(&self, mut option: impl FnMut(T) -> Option<U>) -> Option<TextFormat<U>> {
        Some(match self {
            TextFormat::C(format) => TextFormat::C(format.clone()),
            TextFormat::Options(options) => {
                let mut mapped = [None; 3];
                for (from, to) in options.iter().zip(&mut mapped) {
                    if let Some(value) = from {
                        *to = Some(option(*value)?);
                    }
                }
                TextFormat::Options(mapped)
            }
        })
    }
}

/// A number as `String` writes it.
pub fn format_number(value: f64, kind: Scalar, format: &TextFormat<f64>) -> String {
    match format {
        TextFormat::C(format) => format_c(value, format),
        TextFormat::Options([digits, width, left]) => {
            let text = match kind {
                Scalar::Boolean => (if value != 0.0 { "true" } else { "false" }).to_owned(),
                Scalar::Real => general(value, count(*digits, 6).max(1), false),
                _ => fixed(value, 0),
            };
            pad(text, count(*width, 0), left.is_none_or(|left| left != 0.0))
        }
    }
}

fn count(option: Option<f64>, default: usize) -> usize {
    option.map_or(default, |value| if value >= 0.0 { (value as usize).min(1000) } else { 0 })
}

fn pad(text: String, width: usize, left: bool) -> String {
    if left { format!("{text:<width$}") } else { format!("{text:>width$}") }
}

/// `%[flags][width][.precision]conversion`; an unknown conversion is taken as `g`.
fn format_c(value: f64, format: &str) -> String {
    let format = format.trim_start_matches('%');
    let body = format.trim_start_matches(['-', '+', ' ', '#', '0']);
    let flags = &format[..format.len() - body.len()];
    let end = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
    let (width, rest) = body.split_at(end);
    let (precision, conversion) = match rest.strip_prefix('.') {
        None => (None, rest),
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            (Some(rest[..end].parse().unwrap_or(0usize)), &rest[end..])
        }
    };
    let width = width.parse().unwrap_or(0usize).min(1000);
    let digits = precision.unwrap_or(6).min(1000);
    let mut text = match conversion.chars().last().unwrap_or('g') {
        'f' => fixed(value, digits),
        'F' => fixed(value, digits).to_uppercase(),
        'e' => exponential(value, digits),
        'E' => exponential(value, digits).to_uppercase(),
        'd' | 'i' | 'u' => fixed(value, 0),
        'x' => format!("{:x}", value as i64),
        'X' => format!("{:X}", value as i64),
        'o' => format!("{:o}", value as i64),
        'G' => general(value, digits.max(1), flags.contains('#')).to_uppercase(),
        _ => general(value, digits.max(1), flags.contains('#')),
    };
    if !text.starts_with('-') {
        if flags.contains('+') {
            text.insert(0, '+');
        } else if flags.contains(' ') {
            text.insert(0, ' ');
        }
    }
    if flags.contains('0') && !flags.contains('-') && value.is_finite() {
        let sign = usize::from(text.starts_with(['-', '+', ' ']));
        while text.len() < width {
            text.insert(sign, '0');
        }
    }
    pad(text, width, flags.contains('-'))
}

/// `%f` with this many digits behind the point.
fn fixed(value: f64, digits: usize) -> String {
    if value.is_finite() { format!("{value:.digits$}") } else { special(value) }
}

/// `%e` with this many digits behind the point.
fn exponential(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return special(value);
    }
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.abs())
        }
        None => text,
    }
}

/// `%g` with this many significant digits.
fn general(value: f64, digits: usize, keep_zeros: bool) -> String {
    if !value.is_finite() {
        return special(value);
    }
    let scientific = exponential(value, digits - 1);
    let exponent: i32 =
        scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    if exponent < -4 || exponent >= digits as i32 {
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{exponent}", if keep_zeros { mantissa } else { without_zeros(mantissa) });
    }
    let behind = (digits as i32 - 1 - exponent).max(0) as usize;
    let fixed = format!("{value:.behind$}");
    if keep_zeros { fixed } else { without_zeros(&fixed).to_owned() }
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn special(value: f64) -> String {
    (if value.is_nan() {
        "nan"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    })
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(value: f64, options: [Option<f64>; 3]) -> String {
        format_number(value, Scalar::Real, &TextFormat::Options(options))
    }

    fn c(value: f64, format: &str) -> String {
        format_number(value, Scalar::Real, &TextFormat::C(format.into()))
    }

    // Expected texts are those of printf in the C library.
    #[test]
    fn significant_digits() {
        let plain = |value| real(value, [None; 3]);
        assert_eq!(plain(12.3456), "12.3456");
        assert_eq!(plain(0.0123456), "0.0123456");
        assert_eq!(plain(12345600.0), "1.23456e+07");
        assert_eq!(plain(1.23456e-10), "1.23456e-10");
        assert_eq!(plain(4.0), "4");
        assert_eq!(plain(0.0), "0");
        assert_eq!(plain(-0.5), "-0.5");
        assert_eq!(plain(100000.0), "100000");
        assert_eq!(plain(999999.5), "1e+06");
        assert_eq!(plain(f64::INFINITY), "inf");
        assert_eq!(real(std::f64::consts::PI, [Some(3.0), None, None]), "3.14");
        assert_eq!(real(std::f64::consts::PI, [Some(3.0), Some(6.0), Some(0.0)]), "  3.14");
        assert_eq!(real(std::f64::consts::PI, [Some(3.0), Some(6.0), None]), "3.14  ");
    }

    #[test]
    fn other_types() {
        let plain = TextFormat::plain();
        assert_eq!(format_number(1.0, Scalar::Boolean, &plain), "true");
        assert_eq!(format_number(0.0, Scalar::Boolean, &plain), "false");
        assert_eq!(format_number(1234567.0, Scalar::Integer, &plain), "1234567");
        assert_eq!(format_number(-3.0, Scalar::Integer, &plain), "-3");
        let wide = TextFormat::Options([None, Some(4.0), Some(0.0)]);
        assert_eq!(format_number(7.0, Scalar::Integer, &wide), "   7");
    }

    #[test]
    fn c_conversions() {
        assert_eq!(c(4.0, ".3f"), "4.000");
        assert_eq!(c(4.0, "g"), "4");
        assert_eq!(c(-1.5, "8.2f"), "   -1.50");
        assert_eq!(c(1.5, "-8.2f"), "1.50    ");
        assert_eq!(c(1.5, "08.2f"), "00001.50");
        assert_eq!(c(-1.5, "+08.2f"), "-0001.50");
        assert_eq!(c(12345.678, ".2e"), "1.23e+04");
        assert_eq!(c(0.00012, "E"), "1.200000E-04");
        assert_eq!(c(255.0, "x"), "ff");
        assert_eq!(c(7.0, "+d"), "+7");
        assert_eq!(c(f64::NAN, ".2f"), "nan");
        assert_eq!(c(f64::INFINITY, "+F"), "+INF");
        assert_eq!(c(2.5, "#.3g"), "2.50");
        assert_eq!(c(2.5, ""), "2.5");
    }
}
