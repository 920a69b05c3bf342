//! The slopes of smooth curves through points: each curve is a cubic between neighbouring points with these slopes there.
//!
//! - H. Akima, *A new method of interpolation and smooth curve fitting based on local procedures*, J. ACM 17(4), 1970
//! - C. Ionita, *Makima piecewise cubic interpolation*, 2019 (the modified Akima formula)
//! - F. N. Fritsch, J. Butland, *A method for constructing local monotone piecewise cubic interpolants*,
//!   SIAM J. Sci. Stat. Comput. 5(2), 1984
//! - M. Steffen, *A simple method for monotonic interpolation in one dimension*, Astron. Astrophys. 239, 1990

use super::Smoothness;

/// The slopes at the points; none where the curve is not smooth. At least three points, strictly increasing.
pub(crate) fn slopes(kind: Smoothness, x: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    match kind {
        Smoothness::Linear | Smoothness::Constant => None,
        Smoothness::Akima => Some(akima(x, y, akima_weight)),
        Smoothness::ModifiedAkima => Some(akima(x, y, modified_weight)),
        Smoothness::FritschButland => Some(monotone(x, y, fritsch_butland)),
        Smoothness::Steffen => Some(monotone(x, y, steffen)),
    }
}

fn differences(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.windows(2).zip(y.windows(2)).map(|(x, y)| (y[1] - y[0]) / (x[1] - x[0])).collect()
}

fn akima_weight(a: f64, b: f64) -> f64 {
    (b - a).abs()
}

fn modified_weight(a: f64, b: f64) -> f64 {
    (b - a).abs() + 0.5 * (b + a).abs()
}

/// The slope between two secants on the left and two on the right, each inner one weighted by how much the two secants
/// of the other side differ. Beyond the ends the secants are continued linearly.
fn akima(x: &[f64], y: &[f64], weight: fn(f64, f64) -> f64) -> Vec<f64> {
    let inner = differences(x, y);
    let n = inner.len();
    let (first, second) = (inner[0], inner[1.min(n - 1)]);
    let (last, before) = (inner[n - 1], inner[n.saturating_sub(2)]);
    let mut d = vec![3.0 * first - 2.0 * second, 2.0 * first - second];
    d.extend(inner);
    d.extend([2.0 * last - before, 3.0 * last - 2.0 * before]);
    d.windows(4)
        .map(|d| {
            let (left, right) = (weight(d[0], d[1]), weight(d[2], d[3]));
            if left + right > 0.0 {
                let part = left / (left + right);
                (1.0 - part) * d[1] + part * d[2]
            } else {
                0.5 * (d[1] + d[2])
            }
        })
        .collect()
}

/// Zero at extrema, the secants' slopes at the ends, and otherwise from the widths and slopes of the two neighbours.
fn monotone(x: &[f64], y: &[f64], between: fn([f64; 2], [f64; 2]) -> f64) -> Vec<f64> {
    let d = differences(x, y);
    let mut slopes = vec![d[0]];
    for i in 1..d.len() {
        let (widths, secants) = ([x[i] - x[i - 1], x[i + 1] - x[i]], [d[i - 1], d[i]]);
        slopes.push(if secants[0] * secants[1] > 0.0 { between(widths, secants) } else { 0.0 });
    }
    slopes.push(d[d.len() - 1]);
    slopes
}

/// A weighted harmonic mean.
fn fritsch_butland([h0, h1]: [f64; 2], [d0, d1]: [f64; 2]) -> f64 {
    3.0 * (h0 + h1) / ((h0 + 2.0 * h1) / d0 + (h1 + 2.0 * h0) / d1)
}

/// The slope of the parabola, at most twice that of either secant.
fn steffen([h0, h1]: [f64; 2], [d0, d1]: [f64; 2]) -> f64 {
    let parabola = (d0 * h1 + d1 * h0) / (h0 + h1);
    let limit = 2.0 * d0.abs().min(d1.abs());
    if parabola.abs() > limit { limit.copysign(d0) } else { parabola }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 1e-13, "{a} instead of {b}");
        }
    }

    #[test]
    fn akima_by_hand() {
        // y = x^2 at 0..3: secants 1, 3, 5, continued -3, -1 and 7, 9. All differ by 2: the mean of the inner two.
        let (x, y) = ([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0]);
        close(&slopes(Smoothness::Akima, &x, &y).unwrap(), &[0.0, 2.0, 4.0, 6.0]);
        // A corner between two lines, secants 0, 0, 1, 1: at the corner both weights are zero, the mean; elsewhere the line.
        let (x, y) = ([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0, 2.0]);
        close(&slopes(Smoothness::Akima, &x, &y).unwrap(), &[0.0, 0.0, 0.5, 1.0, 1.0]);
        // The modified one prefers the flat side: weights |0-0| + |0+0|/2 = 0 on the left, |1-1| + |1+1|/2 = 1 on the right.
        close(&slopes(Smoothness::ModifiedAkima, &x, &y).unwrap(), &[0.0, 0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn monotone_curves_by_hand() {
        // Widths 1 and 2, secants 1 and 3: Fritsch-Butland 3*3/(5/1 + 4/3) = 27/19; Steffen (1*2 + 3*1)/3 = 5/3 < 2.
        let (x, y) = ([0.0, 1.0, 3.0], [0.0, 1.0, 7.0]);
        close(&slopes(Smoothness::FritschButland, &x, &y).unwrap(), &[1.0, 27.0 / 19.0, 3.0]);
        close(&slopes(Smoothness::Steffen, &x, &y).unwrap(), &[1.0, 5.0 / 3.0, 3.0]);
        // Secants -1 and -9: the parabola -11/3 is steeper than twice the flatter secant.
        let y = [0.0, -1.0, -19.0];
        close(&slopes(Smoothness::Steffen, &x, &y).unwrap(), &[-1.0, -2.0, -9.0]);
        // An extremum is flat.
        let y = [0.0, 1.0, 0.0];
        close(&slopes(Smoothness::Steffen, &x, &y).unwrap(), &[1.0, 0.0, -0.5]);
    }
}
