//! The two vector operations all methods are made of.

/// `y += by x`.
#[inline]
pub(crate) fn add_multiple(y: &mut [f64], x: &[f64], by: f64) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += by * x;
    }
}

/// `out = x + by y`.
#[inline]
pub(crate) fn combine(out: &mut [f64], x: &[f64], y: &[f64], by: f64) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out = x + by * y;
    }
}
