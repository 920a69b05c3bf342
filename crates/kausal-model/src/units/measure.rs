//! Units of values, and how operators combine them.

use super::symbols::{self, BASE};

/// What is known of the unit of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unit {
    /// Nothing: it goes with every unit.
    Any,
    /// A number that is written down: any unit in a sum, none in a product.
    Number,
    /// This one.
    Of(Measure),
}

/// A unit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measure {
    /// Of the base units in the order of [`BASE`].
    exponents: [f64; 8],
    /// Its size in base units, as long as no number could have converted it.
    factor: Option<f64>,
    /// Of temperatures.
    offset: f64,
    /// As it was written, if it was.
    text: String,
}

/// The exponent of angles, which are numbers as well.
const ANGLE: usize = 7;

/// Exponents and factors closer than this are equal: they come from products of a few rounded numbers.
const ROUNDING: f64 = 1e-9;

/// How two units do not go together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Clash {
    /// They measure different things.
    Dimension,
    /// They measure the same on different scales: one of the first is so many of the second; of temperatures that
    /// count from different points, nothing.
    Scale(Option<f64>),
}

impl Measure {
    /// Without dimension.
    pub(super) fn one() -> Measure {
        Measure { exponents: [0.0; 8], factor: Some(1.0), offset: 0.0, text: "1".to_owned() }
    }

    fn parse(text: &str) -> Option<Measure> {
        let unit = symbols::parse(text)?;
        Some(Measure {
            exponents: unit.exponents.map(f64::from),
            factor: Some(unit.factor),
            offset: unit.offset,
            text: text.to_owned(),
        })
    }

    /// Angles are numbers, too.
    pub(super) fn is_number(&self) -> bool {
        self.exponents[..ANGLE].iter().all(|e| e.abs() < ROUNDING)
    }

    fn combine(&self, other: &Measure, sign: f64) -> Measure {
        let exponents = std::array::from_fn(|i| self.exponents[i] + sign * other.exponents[i]);
        let factor = self.factor.zip(other.factor).map(|(a, b)| a * b.powf(sign));
        Measure { exponents, factor, offset: 0.0, text: String::new() }
    }

    fn power(&self, n: f64) -> Measure {
        let exponents = self.exponents.map(|e| e * n);
        Measure { exponents, factor: self.factor.map(|f| f.powf(n)), offset: 0.0, text: String::new() }
    }

    fn unscaled(&self) -> Measure {
        Measure { factor: None, ..self.clone() }
    }

    /// As people write it.
    pub(super) fn text(&self) -> String {
        if !self.text.is_empty() {
            return self.text.clone();
        }
        let whole = self.exponents.map(|e| e.round() as i32);
        let is_whole = whole.iter().zip(&self.exponents).all(|(&w, e)| (f64::from(w) - e).abs() < 1e-6);
        if is_whole && let Some(name) = symbols::coherent(whole) {
            return name.to_owned();
        }
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (name, &e) in BASE.iter().zip(&self.exponents) {
            let size = e.abs();
            if size < ROUNDING {
                continue;
            }
            let power = if (size - 1.0).abs() < 1e-6 {
                String::new()
            } else if (size - size.round()).abs() < 1e-6 {
                format!("{}", size.round())
            } else {
                format!("^{:.4}", size).trim_end_matches('0').to_owned()
            };
            if e > 0.0 { &mut above } else { &mut below }.push(format!("{name}{power}"));
        }
        let above = if above.is_empty() { "1".to_owned() } else { above.join(".") };
        match below.len() {
            0 => above,
            1 => format!("{above}/{}", below[0]),
            _ => format!("{above}/({})", below.join(".")),
        }
    }
}

impl Unit {
    /// Without dimension.
    pub(super) fn one() -> Unit {
        Unit::Of(Measure::one())
    }

    /// As a declaration says it. A gain or a factor in "1" is a number: what it belongs to may have any unit.
    pub(super) fn parse(text: &str) -> Unit {
        match Measure::parse(text) {
            Some(_) if text == "1" => Unit::Number,
            Some(measure) => Unit::Of(measure),
            None => Unit::Any,
        }
    }

    /// Is it a temperature, or a difference of temperatures?
    pub(super) fn is_temperature(&self) -> bool {
        let kelvin = |m: &Measure| m.exponents.iter().zip(BASE).all(|(&e, name)| e == f64::from(name == "K"));
        self.measure().is_some_and(kelvin)
    }

    /// The same without a certain scale.
    pub(super) fn unscaled(&self) -> Unit {
        match self {
            Unit::Of(measure) => Unit::Of(measure.unscaled()),
            other => other.clone(),
        }
    }

    /// The unit, if it is known.
    pub(super) fn measure(&self) -> Option<&Measure> {
        match self {
            Unit::Of(measure) => Some(measure),
            _ => None,
        }
    }

    /// `a*b`, or `a/b`.
    pub(super) fn times(&self, other: &Unit, divided: bool) -> Unit {
        let sign = if divided { -1.0 } else { 1.0 };
        match (self, other) {
            (Unit::Any, _) | (_, Unit::Any) => Unit::Any,
            (Unit::Number, Unit::Number) => Unit::Number,
            (Unit::Of(a), Unit::Of(b)) => Unit::Of(a.combine(b, sign)),
            (Unit::Of(a), Unit::Number) => Unit::Of(Measure { offset: 0.0, ..a.unscaled() }),
            // Of `1/x` nobody knows what the 1 stands for.
            (Unit::Number, Unit::Of(b)) if divided && !b.is_number() => Unit::Any,
            (Unit::Number, Unit::Of(b)) => Unit::Of(Measure { offset: 0.0, ..b.unscaled() }),
        }
    }

    /// `a^n`
    pub(super) fn power(&self, n: Option<f64>) -> Unit {
        match (self, n) {
            (Unit::Of(a), Some(n)) => Unit::Of(a.power(n)),
            (Unit::Of(a), None) if a.is_number() => Unit::one(),
            (Unit::Of(_), None) => Unit::Any,
            (other, _) => other.clone(),
        }
    }

    /// What both are, where they go together: of a sum, or of the branches of `if`.
    pub(super) fn join(&self, other: &Unit) -> Unit {
        match (self, other) {
            (Unit::Of(a), Unit::Of(b)) => {
                let same = a.offset == b.offset && a.factor.is_some() && a.factor == b.factor;
                // Of an angle and a number the sum is either.
                let first = if a.exponents[ANGLE] == 0.0 { b } else { a };
                Unit::Of(if same { first.clone() } else { first.unscaled() })
            }
            (Unit::Of(a), _) | (_, Unit::Of(a)) => Unit::Of(a.unscaled()),
            (Unit::Any, _) | (_, Unit::Any) => Unit::Any,
            (Unit::Number, Unit::Number) => Unit::Number,
        }
    }

    /// The unit that elements of an array have in common.
    pub(super) fn common(&self, other: &Unit) -> Unit {
        match self.clash(other, true) {
            None => self.join(other),
            Some(_) => Unit::Any,
        }
    }

    /// Do they not go together? In sums, a difference of temperatures may be added to a temperature.
    pub(super) fn clash(&self, other: &Unit, is_sum: bool) -> Option<Clash> {
        let (Unit::Of(a), Unit::Of(b)) = (self, other) else { return None };
        let is_equal = |i: usize| (a.exponents[i] - b.exponents[i]).abs() < 1e-6;
        if !(0..ANGLE).all(is_equal) {
            return Some(Clash::Dimension);
        }
        // `1/min` and `rev/min` are both said of the same.
        let (fa, fb) = a.factor.zip(b.factor).filter(|_| is_equal(ANGLE))?;
        if (fa / fb - 1.0).abs() > ROUNDING {
            return Some(Clash::Scale(Some(fa / fb)));
        }
        (!is_sum && a.offset != b.offset).then_some(Clash::Scale(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(text: &str) -> Unit {
        Unit::parse(text)
    }

    #[test]
    fn products_and_powers() {
        let work = unit("N").times(&unit("m"), false);
        assert_eq!(work.clash(&unit("J"), false), None);
        assert_eq!(work.measure().map(Measure::text).as_deref(), Some("J"));
        let area = unit("m").power(Some(2.0));
        assert_eq!(area.measure().map(Measure::text).as_deref(), Some("m2"));
        let root = unit("m").power(Some(0.5));
        assert_eq!(root.measure().map(Measure::text).as_deref(), Some("m^0.5"));
        assert_eq!(root.power(Some(2.0)).clash(&unit("m"), false), None);
        assert_eq!(Unit::one().times(&unit("s"), true).clash(&unit("Hz"), false), None);
        assert_eq!(Unit::Number.times(&unit("s"), true), Unit::Any);
        assert_eq!(unit("1"), Unit::Number);
        assert_eq!(unit("m").times(&Unit::Any, false), Unit::Any);
    }

    #[test]
    fn scales() {
        assert_eq!(unit("km").clash(&unit("m"), false), Some(Clash::Scale(Some(1000.0))));
        // A number may convert.
        assert_eq!(unit("km").times(&Unit::Number, false).clash(&unit("m"), false), None);
        assert_eq!(unit("degC").clash(&unit("K"), false), Some(Clash::Scale(None)));
        assert_eq!(unit("degC").clash(&unit("K"), true), None);
        assert_eq!(unit("degC").join(&Unit::Number).clash(&unit("K"), false), None);
        assert_eq!(unit("1/min").clash(&unit("rev/min"), false), None);
        assert_eq!(unit("rad/s").clash(&unit("Hz"), false), None);
        assert_eq!(unit("m").clash(&unit("s"), true), Some(Clash::Dimension));
    }
}
