//! Successive substitution `x := G(x)`, accelerated by the secants of the sweeps made so far.
//!
//! Branch tearing leaves loops of this form (*Methods for tearing systems of equations*, Elmqvist & Otter 1994), and so does
//! the relaxing iteration for very large systems (Otter, Elmqvist & Cellier 1996, §4). Plain sweeps shrink the error of a
//! grid with n nodes a side by a factor of `1 - O(1/n²)`. Anderson's method (D. G. Anderson, *Iterative procedures for
//! nonlinear integral equations*, J. ACM 12, 1965; H. F. Walker & P. Ni, *Anderson acceleration for fixed-point iterations*,
//! SIAM J. Numer. Anal. 49, 2011) combines the last sweeps so that what is left of the change is smallest, which for linear
//! equations is GMRES with the sweep as its preconditioner.
//!
//! The secants are kept as pairs `(p, q)`, where moving `x` by `p` moves the change `f = G(x) - x` by `q` and the `q` are
//! orthonormal: the combination is then a projection, and the oldest pair can be left out at any time.

use serde::{Deserialize, Serialize};

use crate::vector::add_multiple;

/// How many secants are kept. The work beside a sweep is proportional to it, and so is the memory. Sweeps that are symmetric
/// operators need two (conjugate residuals). On a grid of 60 by 60 nodes swept by Gauss and Seidel, 5 secants take 225 sweeps an
/// evaluation, 10 take 114 and 16 take 102; plain sweeps take 2,607.
const SECANTS: usize = 10;

/// A secant below this part of what it is the difference of is rounding.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// One system's iteration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Acceleration {
    /// Usual sizes of the variables.
    nominal: Vec<f64>,
    /// One over the size of each variable when the first of the secants was found: they are orthonormal in these.
    weights: Vec<f64>,
    pairs: Vec<Pair>,
    /// Where the last sweep began, and its change.
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// Norm of the last change.
    norm: f64,
    /// The most an error was seen to exceed the change it causes.
    amplification: f64,
}

/// Moving by `p` changes the change by `q`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pair {
    p: Vec<f64>,
    q: Vec<f64>,
}

/// What a sweep came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Largest change of a variable, as part of its size; not finite where a change is not.
    pub change: f64,
    /// What is still to come, estimated: the change times the most that errors were seen to exceed changes.
    pub left: f64,
}

impl Sweep {
    /// Is what is left below `tolerance`, or what the last sweep changed nothing but rounding?
    pub fn is_last(&self, tolerance: f64) -> bool {
        self.left <= tolerance || self.change <= ROUNDING
    }
}

impl Acceleration {
    /// For variables of these usual sizes, each positive; one that grows beyond is measured by itself.
    pub fn new(nominal: Vec<f64>) -> Acceleration {
        Acceleration {
            weights: Vec::new(),
            nominal,
            pairs: Vec::new(),
            last: None,
            norm: f64::INFINITY,
            amplification: 1.0,
        }
    }

    /// After a sweep from `x` with the change `f = G(x) - x`: says how large it is, and moves `x` to where the next begins.
    pub fn advance(&mut self, x: &mut [f64], f: &mut [f64]) -> Sweep {
        let sized =
            f.iter().zip(x.iter()).zip(&self.nominal).map(|((f, x), n)| f.abs() / (x + f).abs().max(*n));
        // Not `max` alone, which forgets what is not a number.
        let change = sized.fold(0.0f64, |most, f| if f > most || f.is_nan() { f } else { most });
        if !change.is_finite() || change == 0.0 {
            return Sweep { change, left: change };
        }
        if self.pairs.is_empty() {
            let sizes = x.iter().zip(f.iter()).zip(&self.nominal).map(|((x, f), n)| (x + f).abs().max(*n));
            self.weights = sizes.map(|size| 1.0 / size).collect();
        }
        // From here on everything is measured in sizes.
        x.iter_mut().zip(&self.weights).for_each(|(x, w)| *x *= w);
        f.iter_mut().zip(&self.weights).for_each(|(f, w)| *f *= w);
        let norm = dot(f, f).sqrt();
        // Secants that made it worse belong to another part of a nonlinear function.
        if norm > self.norm && !self.pairs.is_empty() {
            self.pairs.clear();
            self.last = None;
        }
        self.norm = norm;
        self.learn(x, f);
        let sweep = Sweep { change, left: change * self.amplification };
        self.last = Some((x.to_vec(), f.to_vec()));
        // f becomes what no secant explains.
        for Pair { p, q } in &self.pairs {
            let part = dot(q, f);
            add_multiple(x, p, -part);
            add_multiple(f, q, -part);
        }
        for ((x, f), w) in x.iter_mut().zip(f.iter()).zip(&self.weights) {
            *x = (*x + f) / w;
        }
        sweep
    }

    /// The secant from the sweep before to this one.
    fn learn(&mut self, x: &[f64], f: &[f64]) {
        let Some((mut p, mut q)) = self.last.take() else { return };
        p.iter_mut().zip(x).for_each(|(p, x)| *p = x - *p);
        q.iter_mut().zip(f).for_each(|(q, f)| *q = f - *q);
        let (moved, changed) = (dot(&p, &p).sqrt(), dot(&q, &q).sqrt());
        if !(changed > 0.0 && moved.is_finite()) {
            return;
        }
        if self.pairs.len() == SECANTS {
            self.pairs.remove(0);
        }
        for pair in &self.pairs {
            let part = dot(&pair.q, &q);
            add_multiple(&mut p, &pair.p, -part);
            add_multiple(&mut q, &pair.q, -part);
        }
        let left = dot(&q, &q).sqrt();
        if left <= ROUNDING * changed {
            return;
        }
        p.iter_mut().for_each(|p| *p /= left);
        q.iter_mut().for_each(|q| *q /= left);
        self.amplification = self.amplification.max(dot(&p, &p).sqrt()).max(moved / changed);
        self.pairs.push(Pair { p, q });
    }
}

/// The sum of products, in as many partial sums as fit a vector register: long sums are what a sweep waits for.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (a_lanes, b_lanes) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a_lanes.remainder().iter().zip(b_lanes.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for (a, b) in a_lanes.zip(b_lanes) {
        for k in 0..LANES {
            sums[k] += a[k] * b[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterates until nothing is left; gives the number of sweeps.
    fn solve(x: &mut [f64], tolerance: f64, map: impl Fn(&[f64], &mut [f64])) -> Option<usize> {
        let mut acceleration = Acceleration::new(vec![1.0; x.len()]);
        let mut f = vec![0.0; x.len()];
        for sweep in 1..=5000 {
            map(x, &mut f);
            f.iter_mut().zip(x.iter()).for_each(|(f, x)| *f -= x);
            let done = acceleration.advance(x, &mut f);
            if !done.change.is_finite() {
                return None;
            }
            if done.is_last(tolerance) {
                return Some(sweep);
            }
        }
        None
    }

    /// Jacobi on `-u'' = 1`: plain sweeps contract by cos(pi/(n + 1)), which needs 47,000 of them for n = 100 and 1e-10.
    /// The discrete solution is exact: `u = i (n + 1 - i) / 2`.
    #[test]
    fn a_chain_needs_few_sweeps() {
        let n = 100;
        let mut x = vec![0.0; n];
        let sweeps = solve(&mut x, 1e-8, |x, new| {
            for i in 0..n {
                let left = if i == 0 { 0.0 } else { x[i - 1] };
                let right = if i + 1 == n { 0.0 } else { x[i + 1] };
                new[i] = 0.5 * (left + right + 1.0);
            }
        });
        // In exact arithmetic a Krylov method ends after n sweeps.
        assert!(sweeps.is_some_and(|sweeps| sweeps < 10 * n), "{sweeps:?}");
        for (i, x) in x.iter().enumerate() {
            let exact = (i + 1) as f64 * (n - i) as f64 / 2.0;
            assert!((x - exact).abs() < 1e-6, "{i}: {x} instead of {exact}");
        }
    }

    #[test]
    fn a_map_that_diverges_by_itself_converges() {
        // x = 3 - 2x has the solution 1; a secant finds it at once.
        let mut x = [0.0];
        assert!(solve(&mut x, 1e-12, |x, new| new[0] = 3.0 - 2.0 * x[0]).is_some_and(|sweeps| sweeps <= 4));
        assert!((x[0] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_nonlinear_loop_converges_faster_than_plain_sweeps() {
        let map = |x: &[f64], new: &mut [f64]| {
            new[0] = x[1].cos();
            new[1] = 0.5 * x[0].sin();
        };
        let mut x = [0.0, 0.0];
        let sweeps = solve(&mut x, 1e-12, map);
        assert!((x[0] - x[1].cos()).abs() < 1e-11 && (x[1] - 0.5 * x[0].sin()).abs() < 1e-11);
        let (mut y, mut plain) = ([0.0, 0.0], 0);
        loop {
            let mut new = [0.0, 0.0];
            map(&y, &mut new);
            plain += 1;
            if (new[0] - y[0]).abs().max((new[1] - y[1]).abs()) < 1e-12 {
                break;
            }
            y = new;
        }
        assert!(sweeps.is_some_and(|sweeps| sweeps < plain), "{sweeps:?} of {plain}");
    }

    #[test]
    fn what_is_not_a_number_is_said() {
        let mut acceleration = Acceleration::new(vec![1.0, 1.0]);
        let sweep = acceleration.advance(&mut [0.0, 0.0], &mut [f64::NAN, 1.0]);
        assert!(!sweep.change.is_finite());
    }
}
