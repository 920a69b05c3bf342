//! Rational numbers for clocks: periods and shifts are exact, so that ticks coincide exactly (specification section 16.7.5).

use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rational {
    pub num: i64,
    pub den: i64,
}

impl Rational {
    pub const ZERO: Rational = Rational { num: 0, den: 1 };
    pub const ONE: Rational = Rational { num: 1, den: 1 };

    /// `num/den`; `None` where the denominator is zero or a number does not fit 64 bits.
    pub fn new(num: i128, den: i128) -> Option<Rational> {
        if den == 0 {
            return None;
        }
        let divisor = gcd(num.unsigned_abs(), den.unsigned_abs()).max(1) as i128;
        let sign = if den < 0 { -1 } else { 1 };
        let (num, den) = (sign * num / divisor, sign * den / divisor);
        Some(Rational { num: i64::try_from(num).ok()?, den: i64::try_from(den).ok()? })
    }

    pub fn times(self, other: Rational) -> Option<Rational> {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        Rational::new(product(self.num, other.num), product(self.den, other.den))
    }

    pub fn over(self, other: Rational) -> Option<Rational> {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        Rational::new(product(self.num, other.den), product(self.den, other.num))
    }

    pub fn plus(self, other: Rational) -> Option<Rational> {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        let sum = product(self.num, other.den).checked_add(product(other.num, self.den))?;
        Rational::new(sum, product(self.den, other.den))
    }

    pub fn negative(self) -> Rational {
        Rational { num: -self.num, ..self }
    }

    pub fn is_whole(self) -> bool {
        self.den == 1
    }

    pub fn compare(self, other: Rational) -> Ordering {
        let left = i128::from(self.num) * i128::from(other.den);
        left.cmp(&(i128::from(other.num) * i128::from(self.den)))
    }
}

impl std::fmt::Display for Rational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.den {
            1 => write!(f, "{}", self.num),
            den => write!(f, "{}/{den}", self.num),
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least common multiple of positive numbers; `None` where it does not fit.
pub(crate) fn least_common_multiple(numbers: impl IntoIterator<Item = i64>) -> Option<i64> {
    numbers.into_iter().try_fold(1i64, |sofar, n| {
        let divisor = gcd(sofar.unsigned_abs().into(), n.unsigned_abs().into()).max(1) as i64;
        sofar.checked_mul(n / divisor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact_and_in_lowest_terms() {
        let third = Rational::new(2, 6).unwrap();
        assert_eq!((third.num, third.den), (1, 3));
        assert_eq!(third.plus(third).unwrap().plus(third), Some(Rational::ONE));
        assert_eq!(third.over(third), Some(Rational::ONE));
        assert_eq!(Rational::new(1, -2).unwrap().to_string(), "-1/2");
        assert_eq!(Rational::new(1, 0), None);
        let large = Rational::new(1 << 62, 1).unwrap();
        assert_eq!(large.times(large), None);
        assert_eq!(least_common_multiple([4, 6, 10]), Some(60));
        assert_eq!(Rational::new(1, 3).unwrap().compare(Rational::new(1, 2).unwrap()), Ordering::Less);
    }
}
