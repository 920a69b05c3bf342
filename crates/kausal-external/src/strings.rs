//! Strings, as `Modelica.Utilities.Strings` and `Modelica.Utilities.Streams.error` declare them.
//!
//! Positions count bytes from 1, as they do in C. A scanning function that finds nothing gives the start position back.

use kausal_symbolic::function::{ExternalError, Value};

use crate::frame::{Frame, Outcome, failed};
use crate::{Kind, Native, StandardExternals};

/// No number that is scanned may have this many characters.
const LONGEST_NUMBER: usize = 100;

pub(crate) fn find(name: &str) -> Option<(Kind, Native)> {
    let pure: Native = match name {
        "ModelicaStrings_length" => |_, f| f.give_number(f.text(0)?.len() as f64),
        "ModelicaStrings_substring" => |_, f| {
            let part = substring(f.text(0)?, f.integer(1)?, f.integer(2)?)?;
            f.give_text(&part)
        },
        "ModelicaStrings_compare" => |_, f| {
            let ordering = compare(f.text(0)?, f.text(1)?, f.boolean(2)?);
            f.give_number(ordering as i32 as f64 + 2.0)
        },
        "ModelicaStrings_hashString" => |_, f| f.give_number(f64::from(hash(f.text(0)?.as_bytes()))),
        "ModelicaStrings_skipWhiteSpace" => |_, f| {
            let start = position(f, 1)?;
            f.give_number((skip_white_space(f.text(0)?.as_bytes(), start) + 1) as f64)
        },
        "ModelicaStrings_scanIdentifier" => scan_identifier,
        "ModelicaStrings_scanInteger" => scan_integer,
        "ModelicaStrings_scanReal" => scan_real,
        "ModelicaStrings_scanString" => scan_string,
        "ModelicaError" => |_, f| failed(f.text(0)?.trim_end()),
        _ => return message_function(name).map(|native| (Kind::State, native)),
    };
    Some((Kind::Pure, pure))
}

fn message_function(name: &str) -> Option<Native> {
    matches!(name, "ModelicaMessage" | "ModelicaWarning").then_some(|externals, f| {
        externals.state().tell(f.text(0)?.trim_end().to_owned());
        Ok(())
    })
}

/// Characters first to last, counted from 1. `Modelica.Utilities.Strings.substring` passes -999 for "one character".
fn substring(text: &str, first: i64, last: i64) -> Outcome<String> {
    let last = if last == -999 { first } else { last };
    let wrong = || {
        ExternalError::Failed(format!(
            "there is no part {first}:{last} of \"{text}\", which has {} characters",
            text.len()
        ))
    };
    if first < 1 || last < first {
        return Err(wrong());
    }
    let part = text.as_bytes().get(first as usize - 1..last as usize).ok_or_else(wrong)?;
    Ok(String::from_utf8_lossy(part).into_owned())
}

/// Byte by byte; letters of the Latin alphabet may be compared without case.
pub(crate) fn compare(a: &str, b: &str, case_sensitive: bool) -> std::cmp::Ordering {
    if case_sensitive {
        return a.cmp(b);
    }
    let lower = |text: &str| text.bytes().map(|b| b.to_ascii_lowercase()).collect::<Vec<u8>>();
    lower(a).cmp(&lower(b))
}

/// Arash Partow's hash ("AP hash") on 32 bits. The library makes seeds of random number generators with it, so the very
/// numbers matter.
pub(crate) fn hash(text: &[u8]) -> i32 {
    let mut hash = 0xAAAA_AAAAu32;
    for (i, &byte) in text.iter().enumerate() {
        let byte = u32::from(byte);
        let mixed = if i % 2 == 0 {
            (hash << 7) ^ byte.wrapping_mul(hash >> 3)
        } else {
            !(hash << 11).wrapping_add(byte ^ (hash >> 5))
        };
        hash ^= mixed;
    }
    hash as i32
}

/// An argument that is a position, counted from 0 here.
fn position(f: &Frame<'_>, i: usize) -> Outcome<usize> {
    match f.count(i)? {
        0 => failed(format!("{} counts positions from 1", f.name())),
        at => Ok(at - 1),
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0d)
}

fn skip_white_space(text: &[u8], start: usize) -> usize {
    text.iter().skip(start).position(|&b| !is_space(b)).map_or(text.len().max(start), |n| start + n)
}

/// How many characters from here on are of a kind.
fn run_of(text: &[u8], start: usize, kind: impl Fn(u8) -> bool) -> usize {
    text.iter().skip(start).take_while(|&&b| kind(b)).count()
}

fn is_one_of(text: &[u8], at: usize, set: &[u8]) -> bool {
    text.get(at).is_some_and(|b| set.contains(b))
}

fn slice(text: &[u8], start: usize, len: usize) -> String {
    String::from_utf8_lossy(text.get(start..start + len).unwrap_or(&[])).into_owned()
}

/// `(string, startIndex, nextIndex, identifier)`
fn scan_identifier(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (text, start) = (f.text(0)?.as_bytes(), position(f, 1)?);
    let begin = skip_white_space(text, start);
    let found = text.get(begin).is_some_and(u8::is_ascii_alphabetic);
    let len = if found { run_of(text, begin, |b| b.is_ascii_alphanumeric() || b == b'_') } else { 0 };
    f.set_number(2, if found { begin + len } else { start } as f64 + 1.0);
    f.set(3, Value::text(slice(text, begin, len).as_str()));
    Ok(())
}

/// `(string, startIndex, unsigned, nextIndex, number)`: an integer, not the beginning of a Real.
fn scan_integer(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (text, start, unsigned) = (f.text(0)?.as_bytes(), position(f, 1)?, f.boolean(2)?);
    let begin = skip_white_space(text, start);
    let sign = usize::from(is_one_of(text, begin, b"+-"));
    let len = sign + run_of(text, begin + sign, |b| b.is_ascii_digit());
    let real = is_one_of(text, begin + len, b".eE");
    let allowed = !(unsigned && sign == 1 || real) && len < LONGEST_NUMBER;
    let number = allowed.then(|| slice(text, begin, len).parse::<i32>().ok()).flatten();
    f.set_number(3, if number.is_some() { begin + len } else { start } as f64 + 1.0);
    f.set_number(4, f64::from(number.unwrap_or(0)));
    Ok(())
}

/// `(string, startIndex, unsigned, nextIndex, number)`
fn scan_real(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (text, start, unsigned) = (f.text(0)?.as_bytes(), position(f, 1)?, f.boolean(2)?);
    let begin = skip_white_space(text, start);
    let digits = |at: usize| run_of(text, at, |b| b.is_ascii_digit());
    let sign = is_one_of(text, begin, b"+-");
    let mut end = begin + usize::from(sign);
    end += digits(end);
    if is_one_of(text, end, b".") {
        end += 1;
        end += digits(end);
    }
    let mut complete = !(unsigned && sign);
    if is_one_of(text, end, b"eE") {
        let exponent = end + 1 + usize::from(is_one_of(text, end + 1, b"+-"));
        complete &= digits(exponent) > 0;
        end = exponent + digits(exponent);
    }
    complete &= end - begin < LONGEST_NUMBER;
    let number = complete.then(|| slice(text, begin, end - begin).parse::<f64>().ok()).flatten();
    f.set_number(3, if number.is_some() { end } else { start } as f64 + 1.0);
    f.set_number(4, number.unwrap_or(0.0));
    Ok(())
}

/// `(string, startIndex, nextIndex, string2)`: a string in quotation marks; a mark after a backslash does not end it.
fn scan_string(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let (text, start) = (f.text(0)?.as_bytes(), position(f, 1)?);
    let begin = skip_white_space(text, start);
    let mut end = None;
    if is_one_of(text, begin, b"\"") {
        end = (begin + 1..text.len()).find(|&i| text[i] == b'"' && text[i - 1] != b'\\');
    }
    match end.filter(|&end| end > begin + 1) {
        Some(end) => {
            f.set_number(2, end as f64 + 2.0);
            f.set(3, Value::text(slice(text, begin + 1, end - begin - 1).as_str()));
        }
        None => {
            f.set_number(2, start as f64 + 1.0);
            f.set(3, Value::text(""));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::test::{call, input, output, perform};

    fn number(name: &str, args: &[kausal_symbolic::function::ExternalArg]) -> f64 {
        let externals = StandardExternals::new(Options::default());
        call(&externals, name, args).unwrap()[0].as_scalar().unwrap()
    }

    #[test]
    fn lengths_parts_and_comparisons() {
        assert_eq!(number("ModelicaStrings_length", &[input("abc")]), 3.0);
        assert_eq!(substring("abcdef", 2, 4).unwrap(), "bcd");
        assert_eq!(substring("abcdef", 2, -999).unwrap(), "b");
        assert!(substring("abcdef", 0, 2).is_err());
        assert!(substring("abcdef", 3, 7).is_err());
        // Less, equal and greater are 1, 2 and 3: `Modelica.Utilities.Types.Compare`.
        let order = |a: &str, b: &str, case: f64| {
            number("ModelicaStrings_compare", &[input(a), input(b), input(case)])
        };
        assert_eq!(order("abc", "abd", 1.0), 1.0);
        assert_eq!(order("aBc", "AbC", 0.0), 2.0);
        assert_eq!(order("aBc", "AbC", 1.0), 3.0);
        assert_eq!(number("ModelicaStrings_skipWhiteSpace", &[input("ab \t c"), input(3.0)]), 6.0);
        assert_eq!(number("ModelicaStrings_skipWhiteSpace", &[input("  "), input(1.0)]), 3.0);
    }

    #[test]
    fn hash_values_follow_the_definition() {
        // By hand from the definition: the start value; then for "a" (97): h<<7 = 0x55555500, h>>3 = 0x15555555,
        // 97*0x15555555 = 0x815555535 mod 2^32 = 0x15555535, so h ^ 0x55555500 ^ 0x15555535 = 0xEAAAAA9F.
        assert_eq!(hash(b"") as u32, 0xAAAA_AAAA);
        assert_eq!(hash(b"a") as u32, 0xEAAA_AA9F);
        // Then "b" (98): (h<<11) + (98 ^ (h>>5)) = 0x5554F800 + 0x07555536 = 0x5CAA4D36, inverted and mixed in.
        assert_eq!(hash(b"ab") as u32, 0xEAAA_AA9F ^ !0x5CAA_4D36u32);
    }

    #[test]
    fn scanning() {
        let externals = StandardExternals::new(Options::default());
        let scan = |name: &str,
                    text: &str,
                    at: f64,
                    unsigned: Option<f64>,
                    out: kausal_symbolic::function::ExternalArg| {
            let mut args = vec![input(text), input(at)];
            args.extend(unsigned.map(input));
            args.extend([output(0.0), out]);
            let values = perform(&externals, name, &args).unwrap();
            (values[0].as_scalar().unwrap(), values[1].clone())
        };
        let text = |s: &str| Value::text(s);
        let real = |s, at, unsigned| scan("ModelicaStrings_scanReal", s, at, Some(unsigned), output(0.0));
        assert_eq!(real(" -1.5e+3x", 1.0, 0.0), (9.0, Value::Scalar(-1500.0)));
        assert_eq!(real("-1.5", 1.0, 1.0), (1.0, Value::Scalar(0.0)));
        assert_eq!(real("1.e", 1.0, 0.0), (1.0, Value::Scalar(0.0)));
        assert_eq!(real("ab7", 3.0, 1.0), (4.0, Value::Scalar(7.0)));
        let integer =
            |s, at, unsigned| scan("ModelicaStrings_scanInteger", s, at, Some(unsigned), output(0.0));
        assert_eq!(integer("  42,", 1.0, 0.0), (5.0, Value::Scalar(42.0)));
        assert_eq!(integer("42.0", 1.0, 0.0), (1.0, Value::Scalar(0.0)));
        assert_eq!(integer("-3", 1.0, 0.0), (3.0, Value::Scalar(-3.0)));
        let identifier = |s, at| scan("ModelicaStrings_scanIdentifier", s, at, None, output(""));
        assert_eq!(identifier("x = a_1*2", 4.0), (8.0, text("a_1")));
        assert_eq!(identifier("1a", 1.0), (1.0, text("")));
        let string = |s, at| scan("ModelicaStrings_scanString", s, at, None, output(""));
        assert_eq!(string(r#"  "a\"b" c"#, 1.0), (9.0, text(r#"a\"b"#)));
        assert_eq!(string("\"open", 1.0), (1.0, text("")));
    }

    #[test]
    fn errors_and_messages() {
        let externals = StandardExternals::new(Options::default());
        let error = perform(&externals, "ModelicaError", &[input("too hot\n")]).unwrap_err();
        assert_eq!(error, ExternalError::Failed("too hot".to_owned()));
        perform(&externals, "ModelicaMessage", &[input("warm\n")]).unwrap();
        assert_eq!(externals.take_messages(), ["warm"]);
        // What has no native version is foreign, and nobody has allowed that.
        let error = call(&externals, "nothing", &[]).unwrap_err();
        assert!(matches!(error, ExternalError::Failed(message) if message.contains("--allow-external")));
    }
}
