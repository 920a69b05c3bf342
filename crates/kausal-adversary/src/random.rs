//! A small generator of random numbers (splitmix64, Steele, Lea, Flood 2014), so that a seed means the same models on
//! every machine and in every version of every dependency.

/// The generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The sequence of one model among those of a seed: it does not depend on how many came before.
    pub fn of_model(seed: u64, index: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index);
        random.bits();
        random.bits();
        random
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of `0..count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform() {
        let mut random = Random::new(1);
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        // The standard deviation of the mean is 1/sqrt(12 * 10,000) = 0.0029.
        assert!((mean - 0.5).abs() < 0.015, "{mean}");
    }
}
