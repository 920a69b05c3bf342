//! Shared by the tests: reproducible random numbers (SplitMix64) and error measures.
#![allow(dead_code)]

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn symmetric(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// Largest row-wise backward error |b - A x| / (|A| |x| + |b|) of a column-major system.
pub fn backward_error(n: usize, a: &[f64], x: &[f64], b: &[f64]) -> f64 {
    (0..n)
        .map(|i| {
            let (mut sum, mut size) = (b[i], b[i].abs());
            for j in 0..n {
                sum -= a[i + n * j] * x[j];
                size += (a[i + n * j] * x[j]).abs();
            }
            if size > 0.0 { sum.abs() / size } else { 0.0 }
        })
        .fold(0.0, f64::max)
}
