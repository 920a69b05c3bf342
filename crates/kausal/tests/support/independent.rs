//! Independent computations that trajectories are compared with: closed forms, energies, and differential equations written
//! down by hand and integrated by the classical Runge–Kutta formula with many small steps.
#![allow(dead_code)]

use kausal::simulate::Run;

/// A run, read by name and by the number of the output point.
pub struct Samples {
    /// For messages.
    pub file: String,
    /// What ran.
    pub run: Run,
}

impl Samples {
    /// How many output points.
    pub fn len(&self) -> usize {
        self.run.trajectory.time.len()
    }

    /// The time of one.
    pub fn time(&self, i: usize) -> f64 {
        self.run.trajectory.time[i]
    }

    /// The value of a variable there.
    pub fn at(&self, name: &str, i: usize) -> f64 {
        let values = self.run.trajectory.get(name).unwrap_or_else(|| panic!("{}: no {name}", self.file));
        values[i]
    }

    /// The three elements of a vector.
    pub fn vector(&self, name: &str, i: usize) -> [f64; 3] {
        [1, 2, 3].map(|k| self.at(&format!("{name}[{k}]"), i))
    }

    /// `name` is what the function gives, at all times.
    pub fn follows(&self, name: &str, tolerance: f64, exact: impl Fn(f64) -> f64) {
        for i in 0..self.len() {
            let t = self.time(i);
            self.is_close(name, i, exact(t), tolerance);
        }
    }

    /// `name` has a value at one point.
    pub fn is_close(&self, name: &str, i: usize, y: f64, tolerance: f64) {
        let (t, x) = (self.time(i), self.at(name, i));
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{}: {name}({t}) = {x}, not {y}", self.file);
    }

    /// What the function gives at each time stays as it was in the beginning; `scale` is how large its parts are.
    pub fn constant(&self, what: &str, scale: f64, value: impl Fn(usize) -> f64) {
        let first = value(0);
        for i in 0..self.len() {
            let now = value(i);
            let t = self.time(i);
            assert!((now - first).abs() < 1e-6 * scale, "{}: {what}({t}) = {now}, was {first}", self.file);
        }
    }

    /// The variables are the solution of a differential equation that jumps at given times only. The right side is given the
    /// time, the middle of the piece between two jumps, and the state.
    pub fn follows_ode<const N: usize>(
        &self,
        names: [&str; N],
        start: [f64; N],
        (step, jumps, tolerance): (f64, &[f64], f64),
        f: impl Fn(f64, f64, [f64; N]) -> [f64; N],
    ) {
        let (mut t, mut x) = (self.time(0), start);
        for i in 0..self.len() {
            let end = self.time(i);
            while t < end {
                let to = jumps.iter().copied().filter(|&j| j > t).fold(end, f64::min);
                let n = ((to - t) / step).ceil().max(1.0);
                let (h, middle) = ((to - t) / n, 0.5 * (t + to));
                for k in 0..n as usize {
                    x = runge_kutta_step(t + k as f64 * h, x, h, &|t, x| f(t, middle, x));
                }
                t = to;
            }
            names.iter().zip(x).for_each(|(name, y)| self.is_close(name, i, y, tolerance));
        }
    }

    /// The variables, the first ones of the state, are the solution of a differential equation that is another one in each
    /// mode.
    pub fn follows_hybrid<const N: usize>(
        &self,
        names: &[&str],
        start: ([f64; N], usize),
        (step, tolerance): (f64, f64),
        system: &Hybrid<N>,
    ) {
        let (mut t, (mut x, mut mode)) = (self.time(0), start);
        for i in 0..self.len() {
            let end = self.time(i);
            while end - t > 1e-13 * end {
                let f = |t: f64, x: [f64; N]| (system.derivative)(mode, t, x);
                let h = step.min(end - t);
                let whole = runge_kutta_step(t, x, h, &f);
                if (system.leaves)(mode, t + h, whole) <= 0.0 {
                    (t, x) = (t + h, whole);
                    continue;
                }
                let (mut low, mut high) = (0.0, h);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    let there = runge_kutta_step(t, x, middle, &f);
                    let out = (system.leaves)(mode, t + middle, there) > 0.0;
                    *(if out { &mut high } else { &mut low }) = middle;
                }
                x = runge_kutta_step(t, x, high, &f);
                t += high;
                (mode, x) = (system.next)(mode, t, x);
            }
            names.iter().zip(x).for_each(|(name, y)| self.is_close(name, i, y, tolerance));
        }
    }
}

type Function<'f, const N: usize, Y> = &'f dyn Fn(usize, f64, [f64; N]) -> Y;

/// A system with modes, which are numbers.
pub struct Hybrid<'f, const N: usize> {
    /// The right side.
    pub derivative: Function<'f, N, [f64; N]>,
    /// Becomes positive where the mode ends.
    pub leaves: Function<'f, N, f64>,
    /// The mode and the state after that.
    pub next: Function<'f, N, (usize, [f64; N])>,
}

/// The scalar product.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vector product.
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The sum.
pub fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn runge_kutta_step<const N: usize>(
    t: f64,
    x: [f64; N],
    h: f64,
    f: &dyn Fn(f64, [f64; N]) -> [f64; N],
) -> [f64; N] {
    let along = |k: [f64; N], s: f64| std::array::from_fn(|i| x[i] + s * k[i]);
    let k1 = f(t, x);
    let k2 = f(t + h / 2.0, along(k1, h / 2.0));
    let k3 = f(t + h / 2.0, along(k2, h / 2.0));
    let k4 = f(t + h, along(k3, h));
    std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

/// One step after the other of the classical Runge–Kutta formula; the state at `stop`.
pub fn runge_kutta<const N: usize>(
    x: [f64; N],
    stop: f64,
    f: impl Fn(f64, [f64; N]) -> [f64; N],
) -> [f64; N] {
    let n = 20_000;
    let h = stop / n as f64;
    (0..n).fold(x, |x, step| runge_kutta_step(step as f64 * h, x, h, &|t, x| f(t, x)))
}

/// Gaussian elimination with pivoting, for a few unknowns.
pub fn solve<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    for k in 0..N {
        let p = (k..N).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap_or(k);
        a.swap(k, p);
        b.swap(k, p);
        for i in k + 1..N {
            let factor = a[i][k] / a[k][k];
            let row = a[k];
            a[i].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..N).rev() {
        let known: f64 = (k + 1..N).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}
