//! The Fourier transform of a real signal, as `Modelica.Math.FastFourierTransform` declares it.
//!
//! Decimation in time over the prime factors of the length (J. W. Cooley, J. W. Tukey, 1965): n log n for lengths with small
//! factors, and right for all others.

use crate::frame::{Frame, Outcome};
use crate::{Kind, Native, StandardExternals};

pub(crate) fn find(name: &str) -> Option<(Kind, Native)> {
    (name == "ModelicaFFT_kiss_fftr").then_some((Kind::Pure, real_fft))
}

/// `info = (u, nu, work, nwork, amplitudes, phases)`: amplitudes are divided by nu/2+1, the number of frequencies.
fn real_fft(_: &StandardExternals, f: &mut Frame<'_>) -> Outcome<()> {
    let u = f.numbers(0)?;
    if u.len() % 2 != 0 {
        return f.give_number(1.0);
    }
    let count = u.len() / 2 + 1;
    let spectrum = transform(&u.iter().map(|&x| (x, 0.0)).collect::<Vec<_>>());
    let half = || spectrum.iter().take(count);
    f.set_numbers(4, half().map(|(re, im)| re.hypot(*im) / count as f64).collect())?;
    f.set_numbers(5, half().map(|(re, im)| im.atan2(*re)).collect())?;
    f.give_number(0.0)
}

type Complex = (f64, f64);

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// The sum over k of `x[k] exp(-2 pi i j k/n)` for every j.
pub(crate) fn transform(x: &[Complex]) -> Vec<Complex> {
    let n = x.len();
    let roots: Vec<Complex> = (0..n)
        .map(|j| {
            let angle = -std::f64::consts::TAU * j as f64 / n as f64;
            (angle.cos(), angle.sin())
        })
        .collect();
    let factors = prime_factors(n);
    let mut out = vec![(0.0, 0.0); n];
    butterfly(x, 0, 1, &mut out, &factors, &roots);
    out
}

fn prime_factors(mut n: usize) -> Vec<usize> {
    let mut factors = Vec::new();
    let mut p = 2;
    while p * p <= n {
        while n.is_multiple_of(p) {
            factors.push(p);
            n /= p;
        }
        p += 1;
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

/// Transforms `x[start + stride*k]`. It calls itself once per prime factor, so the depth is below 64.
fn butterfly(
    x: &[Complex],
    start: usize,
    stride: usize,
    out: &mut [Complex],
    factors: &[usize],
    roots: &[Complex],
) {
    let Some((&p, rest)) = factors.split_first() else {
        if let (Some(out), Some(&value)) = (out.first_mut(), x.get(start)) {
            *out = value;
        }
        return;
    };
    let m = out.len() / p;
    for (r, part) in out.chunks_exact_mut(m).enumerate() {
        butterfly(x, start + r * stride, stride * p, part, rest, roots);
    }
    let mut column = vec![(0.0, 0.0); p];
    for k in 0..m {
        for (r, value) in column.iter_mut().enumerate() {
            *value = out[r * m + k];
        }
        for q in 0..p {
            let j = q * m + k;
            let mut sum = (0.0, 0.0);
            for (r, &value) in column.iter().enumerate() {
                let term = times(value, roots[r * j * stride % roots.len()]);
                sum = (sum.0 + term.0, sum.1 + term.1);
            }
            out[j] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{call, input, output};
    use crate::{Options, StandardExternals};

    #[test]
    fn agrees_with_the_sum() {
        for n in [1usize, 2, 6, 7, 12, 30, 35] {
            let x: Vec<Complex> = (0..n).map(|k| ((k * k % 11) as f64, (k % 3) as f64)).collect();
            let fast = transform(&x);
            for (j, got) in fast.iter().enumerate() {
                let mut sum = (0.0, 0.0);
                for (k, &value) in x.iter().enumerate() {
                    let angle = -std::f64::consts::TAU * (j * k) as f64 / n as f64;
                    let term = times(value, (angle.cos(), angle.sin()));
                    sum = (sum.0 + term.0, sum.1 + term.1);
                }
                // Rounding of sums of n terms of size 10.
                assert!((got.0 - sum.0).hypot(got.1 - sum.1) < 1e-11, "{n} {j}");
            }
        }
    }

    #[test]
    fn a_sine_has_one_line() {
        let n = 12;
        let u: Vec<f64> = (0..n).map(|k| (std::f64::consts::TAU * 2.0 * k as f64 / n as f64).sin()).collect();
        let externals = StandardExternals::new(Options::default());
        let zeros = vec![0.0; 7];
        let args =
            [input(u), input(12.0), output(vec![0.0; 50]), input(50.0), output(zeros.clone()), output(zeros)];
        let values = call(&externals, "ModelicaFFT_kiss_fftr", &args).unwrap();
        assert_eq!(values[0].as_scalar().unwrap(), 0.0);
        // The sum is n/2 = 6 at the second frequency, and is divided by n/2 + 1 = 7; a sine has phase -pi/2.
        let (amplitudes, phases) = (values[2].scalars(), values[3].scalars());
        for (i, &a) in amplitudes.iter().enumerate() {
            assert!((a - if i == 2 { 6.0 / 7.0 } else { 0.0 }).abs() < 1e-14);
        }
        assert!((phases[2] + std::f64::consts::FRAC_PI_2).abs() < 1e-13);
    }
}
