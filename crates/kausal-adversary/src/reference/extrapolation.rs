//! Extrapolation of the modified midpoint rule in h² (Gragg; Hairer, Nørsett, Wanner I, section II.9): order 12, no tables.

/// Steps of the midpoint rule in the columns of the tableau.
const STEPS: [usize; 6] = [2, 4, 6, 8, 10, 12];

/// One step of length `h` of `x' = f(t, x)`; the state and an estimate of its error, component by component.
pub fn step(f: &dyn Fn(f64, &[f64], &mut [f64]), t: f64, x: &[f64], h: f64) -> (Vec<f64>, Vec<f64>) {
    let n = x.len();
    let mut slope = vec![0.0; n];
    f(t, x, &mut slope);
    let mut tableau: Vec<Vec<f64>> = Vec::new();
    let mut error = vec![f64::INFINITY; n];
    let mut now = vec![0.0; n];
    for (j, &count) in STEPS.iter().enumerate() {
        let part = h / count as f64;
        let mut before = x.to_vec();
        let mut here: Vec<f64> = x.iter().zip(&slope).map(|(x, s)| x + part * s).collect();
        for k in 1..count {
            f(t + part * k as f64, &here, &mut now);
            for i in 0..n {
                let next = before[i] + 2.0 * part * now[i];
                before[i] = here[i];
                here[i] = next;
            }
        }
        // Row j of the tableau, from right to left of the previous one.
        let mut left = here;
        for k in 0..j {
            let ratio = (count as f64 / STEPS[j - 1 - k] as f64).powi(2) - 1.0;
            let better: Vec<f64> =
                left.iter().zip(&tableau[k]).map(|(l, old)| l + (l - old) / ratio).collect();
            if k + 1 == j {
                error = better.iter().zip(&left).map(|(a, b)| (a - b).abs()).collect();
            }
            tableau[k] = std::mem::replace(&mut left, better);
        }
        tableau.push(left);
    }
    (tableau.pop().unwrap_or_default(), error)
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_oscillator_returns() {
        let f = |_: f64, x: &[f64], dx: &mut [f64]| {
            dx[0] = x[1];
            dx[1] = -x[0];
        };
        let mut x = vec![1.0, 0.0];
        let h = std::f64::consts::TAU / 12.0;
        for k in 0..12 {
            x = super::step(&f, h * f64::from(k), &x, h).0;
        }
        assert!((x[0] - 1.0).abs() < 1e-12 && x[1].abs() < 1e-12, "{x:?}");
    }
}
