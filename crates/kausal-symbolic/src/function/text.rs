//! `String(…)`: numbers as text (specification section 3.7.1).

use super::Scalar;
use super::array::{ArrayErrorKind, ArrayResult, MAX_TEXT};

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

/// A number as `String` writes it; an error where that would be longer than a text may be.
pub fn format_number(value: f64, kind: Scalar, format: &TextFormat<f64>) -> ArrayResult<String> {
    match format {
        TextFormat::C(format) => format_c(value, format),
        TextFormat::Options([digits, width, left]) => {
            let text = match kind {
                Scalar::Boolean => (if value != 0.0 { "true" } else { "false" }).to_owned(),
                Scalar::Real => general(value, count(*digits, 6).clamp(1, ALL_DIGITS), false),
                _ => fixed(value, 0),
            };
            pad(text, count(*width, 0), left.is_none_or(|left| left != 0.0))
        }
    }
}

/// No number has more digits than this but zeros: the smallest one has 1074 behind the point, the largest 309 before it.
const ALL_DIGITS: usize = 1400;

fn count(option: Option<f64>, default: usize) -> usize {
    option.map_or(default, |value| if value >= 0.0 { value as usize } else { 0 })
}

fn pad(text: String, width: usize, left: bool) -> ArrayResult<String> {
    if width > MAX_TEXT {
        return Err(ArrayErrorKind::TextTooLong.into());
    }
    let blanks = " ".repeat(width.saturating_sub(text.chars().count()));
    Ok(if left { text + &blanks } else { blanks + &text })
}

/// `%[flags][width][.precision]conversion`; an unknown conversion is taken as `g`.
fn format_c(value: f64, format: &str) -> ArrayResult<String> {
    let format = format.trim_start_matches('%');
    let body = format.trim_start_matches(['-', '+', ' ', '#', '0']);
    let flags = &format[..format.len() - body.len()];
    let end = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
    let (width, rest) = body.split_at(end);
    let (precision, conversion) = match rest.strip_prefix('.') {
        None => (None, rest),
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            (Some(if end == 0 { 0 } else { rest[..end].parse().unwrap_or(usize::MAX) }), &rest[end..])
        }
    };
    let width = if width.is_empty() { 0 } else { width.parse().unwrap_or(usize::MAX) };
    let digits = precision.unwrap_or(6);
    let is_general = !matches!(conversion.chars().last(), Some('f' | 'F' | 'e' | 'E'));
    if width > MAX_TEXT || digits > MAX_TEXT || (is_general && flags.contains('#') && digits > ALL_DIGITS) {
        return Err(ArrayErrorKind::TextTooLong.into());
    }
    let mut text = match conversion.chars().last().unwrap_or('g') {
        'f' => fixed(value, digits),
        'F' => fixed(value, digits).to_uppercase(),
        'e' => exponential(value, digits),
        'E' => exponential(value, digits).to_uppercase(),
        'd' | 'i' | 'u' => fixed(value, 0),
        'x' => format!("{:x}", value as i64),
        'X' => format!("{:X}", value as i64),
        'o' => format!("{:o}", value as i64),
        'G' => general(value, digits.clamp(1, ALL_DIGITS), flags.contains('#')).to_uppercase(),
        _ => general(value, digits.clamp(1, ALL_DIGITS), flags.contains('#')),
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
        text.insert_str(sign, &"0".repeat(width.saturating_sub(text.len())));
    }
    pad(text, width, flags.contains('-'))
}

/// Digits that can be other than zero, and the zeros behind them.
fn split_digits(digits: usize) -> (usize, String) {
    (digits.min(ALL_DIGITS), "0".repeat(digits.saturating_sub(ALL_DIGITS)))
}

/// `%f` with this many digits behind the point.
fn fixed(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return special(value);
    }
    let (shown, zeros) = split_digits(digits);
    format!("{value:.shown$}") + &zeros
}

/// `%e` with this many digits behind the point.
fn exponential(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return special(value);
    }
    let (shown, zeros) = split_digits(digits);
    let text = format!("{value:.shown$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}{zeros}e{sign}{:02}", exponent.abs())
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
        format_number(value, Scalar::Real, &TextFormat::Options(options)).unwrap()
    }

    fn c(value: f64, format: &str) -> String {
        format_number(value, Scalar::Real, &TextFormat::C(format.into())).unwrap()
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
        assert_eq!(format_number(1.0, Scalar::Boolean, &plain).unwrap(), "true");
        assert_eq!(format_number(0.0, Scalar::Boolean, &plain).unwrap(), "false");
        assert_eq!(format_number(1234567.0, Scalar::Integer, &plain).unwrap(), "1234567");
        assert_eq!(format_number(-3.0, Scalar::Integer, &plain).unwrap(), "-3");
        let wide = TextFormat::Options([None, Some(4.0), Some(0.0)]);
        assert_eq!(format_number(7.0, Scalar::Integer, &wide).unwrap(), "   7");
    }

    #[test]
    fn nothing_is_shortened() {
        let wide = |width: f64| TextFormat::Options([None, Some(width), None]);
        assert_eq!(format_number(7.0, Scalar::Integer, &wide(5000.0)).unwrap().len(), 5000);
        assert_eq!(c(0.5, ".70000f").len(), 70_002);
        assert_eq!(c(0.5, ".70000e").len(), 70_006);
        assert_eq!(c(1.0, "070000d").len(), 70_000);
        for format in [
            wide(1e300),
            TextFormat::C(".99999999999f".into()),
            TextFormat::C("99999999999999999999d".into()),
        ] {
            assert!(format_number(1.0, Scalar::Real, &format).is_err());
        }
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
