//! Elliptic integrals and functions, for motions whose closed form needs them.

/// The arithmetic-geometric mean.
pub fn agm(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// Jacobi's amplitude by descending Landen transformations (Abramowitz and Stegun, 16.4): its sine and cosine are sn and cn.
pub fn amplitude(u: f64, k: f64) -> f64 {
    const N: usize = 12;
    let (mut a, mut b, mut c) = ([1.0; N + 1], (1.0 - k * k).sqrt(), [k; N + 1]);
    for n in 1..=N {
        (a[n], c[n]) = (0.5 * (a[n - 1] + b), 0.5 * (a[n - 1] - b));
        b = (a[n - 1] * b).sqrt();
    }
    let mut phi = (1u64 << N) as f64 * a[N] * u;
    for n in (1..=N).rev() {
        phi = 0.5 * (phi + (c[n] / a[n] * phi.sin()).asin());
    }
    phi
}

/// Jacobi's elliptic function sn.
pub fn sn(u: f64, k: f64) -> f64 {
    amplitude(u, k).sin()
}
