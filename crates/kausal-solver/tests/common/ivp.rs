//! Initial value problems with published end values.
//!
//! Unless said otherwise, definitions and reference solutions are those of the *Test Set for Initial Value
//! Problem Solvers*, release 2.4 (F. Mazzia & C. Magherini, Department of Mathematics, University of Bari,
//! 2008), where they were computed in extended or tight double precision. The problems are written down here
//! from their definitions.
#![allow(dead_code, clippy::excessive_precision, clippy::needless_range_loop)]

use std::f64::consts::PI;

use kausal_solver::linear::Pattern;
use kausal_solver::{ModelError, OdeModel};

/// A problem: `dx = f(t, x)` from `x0` at 0 to the reference at `t_end`.
pub struct Problem {
    pub name: &'static str,
    pub t_end: f64,
    pub x0: Vec<f64>,
    pub f: fn(f64, &[f64], &mut [f64]),
    /// Dense column-major Jacobian.
    pub jacobian: Option<fn(f64, &[f64], &mut [f64])>,
    pub pattern: Option<Pattern>,
    pub reference: Vec<f64>,
    /// Components the error is measured in; empty means all.
    pub measured: Vec<usize>,
    /// Sizes of the states that absolute tolerances are relative to.
    pub nominal: Vec<f64>,
}

impl Problem {
    fn new(
        name: &'static str,
        t_end: f64,
        x0: &[f64],
        f: fn(f64, &[f64], &mut [f64]),
        jacobian: Option<fn(f64, &[f64], &mut [f64])>,
        reference: &[f64],
    ) -> Self {
        Problem {
            name,
            t_end,
            x0: x0.to_vec(),
            f,
            jacobian,
            pattern: None,
            reference: reference.to_vec(),
            measured: Vec::new(),
            nominal: vec![1.0; x0.len()],
        }
    }

    /// Largest relative error in units of significant digits lost: |x - ref| / (|ref| + floor).
    pub fn relative_error(&self, x: &[f64], floor: f64) -> f64 {
        self.compared()
            .map(|(i, r)| (x[i] - r).abs() / (r.abs() + floor * self.nominal[i]))
            .fold(0.0, f64::max)
    }

    /// Root mean square of the error in units of a tolerance.
    pub fn weighted_error(&self, x: &[f64], rtol: f64, atol: f64) -> f64 {
        let sum: f64 = self
            .compared()
            .map(|(i, r)| ((x[i] - r) / (rtol * r.abs() + atol * self.nominal[i])).powi(2))
            .sum();
        (sum / self.compared().count() as f64).sqrt()
    }

    fn compared(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.reference
            .iter()
            .enumerate()
            .map(|(k, &r)| (if self.measured.is_empty() { k } else { self.measured[k] }, r))
    }
}

impl OdeModel for &Problem {
    fn n(&self) -> usize {
        self.x0.len()
    }
    fn rhs(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), ModelError> {
        (self.f)(t, x, dx);
        Ok(())
    }
    fn jacobian_pattern(&self) -> Option<Pattern> {
        self.pattern.clone()
    }
    fn has_jacobian(&self) -> bool {
        self.jacobian.is_some()
    }
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Result<(), ModelError> {
        match self.jacobian {
            Some(jacobian) => {
                jacobian(t, x, values);
                Ok(())
            }
            None => Err(ModelError::fatal("no Jacobian")),
        }
    }
    fn nominal(&self, i: usize) -> f64 {
        self.nominal[i]
    }
}

/// Robertson's chemical reaction: the classical stiff problem, over sixteen decades of time.
pub fn robertson() -> Problem {
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        let (slow, fast, back) = (0.04 * x[0], 3e7 * x[1] * x[1], 1e4 * x[1] * x[2]);
        dx[0] = -slow + back;
        dx[1] = slow - fast - back;
        dx[2] = fast;
    }
    fn jacobian(_: f64, x: &[f64], j: &mut [f64]) {
        j.copy_from_slice(&[
            -0.04,
            0.04,
            0.0,
            1e4 * x[2],
            -6e7 * x[1] - 1e4 * x[2],
            6e7 * x[1],
            1e4 * x[1],
            -1e4 * x[1],
            0.0,
        ]);
    }
    let reference = [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050];
    let mut p = Problem::new("robertson", 1e11, &[1.0, 0.0, 0.0], f, Some(jacobian), &reference);
    // The second species never exceeds 4e-5 and ends at 1e-13; the first ends at 2e-8.
    p.nominal = vec![1e-4, 1e-10, 1.0];
    p
}

/// HIRES: high irradiance responses of photomorphogenesis.
pub fn hires() -> Problem {
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        dx[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
        dx[1] = 1.71 * x[0] - 8.75 * x[1];
        dx[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
        dx[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
        dx[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
        dx[5] = -280.0 * x[5] * x[7] + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
        dx[6] = 280.0 * x[5] * x[7] - 1.81 * x[6];
        dx[7] = -dx[6];
    }
    fn jacobian(_: f64, x: &[f64], j: &mut [f64]) {
        j.fill(0.0);
        let mut set = |i: usize, k: usize, v: f64| j[i + 8 * k] = v;
        set(0, 0, -1.71);
        set(0, 1, 0.43);
        set(0, 2, 8.32);
        set(1, 0, 1.71);
        set(1, 1, -8.75);
        set(2, 2, -10.03);
        set(2, 3, 0.43);
        set(2, 4, 0.035);
        set(3, 1, 8.32);
        set(3, 2, 1.71);
        set(3, 3, -1.12);
        set(4, 4, -1.745);
        set(4, 5, 0.43);
        set(4, 6, 0.43);
        set(5, 3, 0.69);
        set(5, 4, 1.71);
        set(5, 5, -280.0 * x[7] - 0.43);
        set(5, 6, 0.69);
        set(5, 7, -280.0 * x[5]);
        set(6, 5, 280.0 * x[7]);
        set(6, 6, -1.81);
        set(6, 7, 280.0 * x[5]);
        set(7, 5, -280.0 * x[7]);
        set(7, 6, 1.81);
        set(7, 7, -280.0 * x[5]);
    }
    let x0 = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
    let reference = [
        0.7371312573325668e-3,
        0.1442485726316185e-3,
        0.5888729740967575e-4,
        0.1175651343283149e-2,
        0.2386356198831331e-2,
        0.6238968252742796e-2,
        0.2849998395185769e-2,
        0.2850001604814231e-2,
    ];
    let mut p = Problem::new("hires", 321.8122, &x0, f, Some(jacobian), &reference);
    p.nominal = vec![1e-2; 8];
    p
}

/// Van der Pol's oscillator in its singularly perturbed form, ε = 1e-6. Definition and end value: Hairer &
/// Wanner II, §IV.10.
pub fn van_der_pol() -> Problem {
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        dx[0] = x[1];
        dx[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
    }
    fn jacobian(_: f64, x: &[f64], j: &mut [f64]) {
        j.copy_from_slice(&[0.0, (-2.0 * x[0] * x[1] - 1.0) / 1e-6, 1.0, (1.0 - x[0] * x[0]) / 1e-6]);
    }
    let reference = [0.1706167732170483e1, -0.8928097010247975];
    Problem::new("vdpol", 2.0, &[2.0, 0.0], f, Some(jacobian), &reference)
}

/// The Oregonator.
pub fn orego() -> Problem {
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        dx[0] = 77.27 * (x[1] + x[0] * (1.0 - 8.375e-6 * x[0] - x[1]));
        dx[1] = (x[2] - (1.0 + x[0]) * x[1]) / 77.27;
        dx[2] = 0.161 * (x[0] - x[2]);
    }
    fn jacobian(_: f64, x: &[f64], j: &mut [f64]) {
        j.copy_from_slice(&[
            77.27 * (1.0 - 2.0 * 8.375e-6 * x[0] - x[1]),
            -x[1] / 77.27,
            0.161,
            77.27 * (1.0 - x[0]),
            -(1.0 + x[0]) / 77.27,
            0.0,
            0.0,
            1.0 / 77.27,
            -0.161,
        ]);
    }
    let reference = [0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3];
    Problem::new("orego", 360.0, &[1.0, 2.0, 3.0], f, Some(jacobian), &reference)
}

/// E5 of the stiff DETEST problems: concentrations down to 1e-22.
pub fn e5() -> Problem {
    const A: f64 = 7.89e-10;
    const B: f64 = 1.1e7;
    const C: f64 = 1.13e3;
    const M: f64 = 1e6;
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        let (p, q, r, s) = (A * x[0], B * x[0] * x[2], M * C * x[1] * x[2], C * x[3]);
        dx[0] = -p - q;
        dx[1] = p - r;
        dx[3] = q - s;
        // Not p - q - r + s: the difference keeps the invariant x1 = x2 + x3 that the last decades of time
        // depend on.
        dx[2] = dx[1] - dx[3];
    }
    fn jacobian(_: f64, x: &[f64], j: &mut [f64]) {
        let (q1, q3, r2, r3) = (B * x[2], B * x[0], M * C * x[2], M * C * x[1]);
        j.copy_from_slice(&[
            -A - q1,
            A,
            A - q1,
            q1,
            0.0,
            -r2,
            -r2,
            0.0,
            -q3,
            -r3,
            -q3 - r3,
            q3,
            0.0,
            0.0,
            C,
            -C,
        ]);
    }
    let reference = [0.8867655517642120e-22, 0.8854814626268838e-22];
    let mut p = Problem::new("e5", 1e13, &[1.76e-3, 0.0, 0.0, 0.0], f, Some(jacobian), &reference);
    // The test set prescribes an absolute tolerance of 1.7e-24.
    p.nominal = vec![1.7e-18; 4];
    // The first species is at 1e-291 and the last at zero: far below any tolerance.
    p.measured = vec![1, 2];
    p
}

/// The chemical part of an air pollution model: 20 species, 25 reactions.
pub fn pollution() -> Problem {
    const K: [f64; 25] = [
        0.35, 26.6, 12300.0, 0.00086, 0.00082, 15000.0, 0.00013, 24000.0, 16500.0, 9000.0, 0.022, 12000.0,
        1.88, 16300.0, 4.8e6, 3.5e-4, 0.0175, 1e8, 4.44e11, 1240.0, 2.1, 5.78, 0.0474, 1780.0, 3.12,
    ];
    /// The one or two species that react, counted from one; zero for none.
    const REACTANTS: [(usize, usize); 25] = [
        (1, 0),
        (2, 4),
        (5, 2),
        (7, 0),
        (7, 0),
        (7, 6),
        (9, 0),
        (9, 6),
        (11, 2),
        (11, 1),
        (13, 0),
        (10, 2),
        (14, 0),
        (1, 6),
        (3, 0),
        (4, 0),
        (4, 0),
        (16, 0),
        (16, 0),
        (17, 6),
        (19, 0),
        (19, 0),
        (1, 4),
        (19, 1),
        (20, 0),
    ];
    /// For each species the reactions that feed it (positive) and consume it (negative).
    const BALANCE: [&[i32]; 20] = [
        &[-1, -10, -14, -23, -24, 2, 3, 9, 11, 12, 22, 25],
        &[-2, -3, -9, -12, 1, 21],
        &[-15, 1, 17, 19, 22],
        &[-2, -16, -17, -23, 15],
        &[-3, 4, 4, 6, 7, 13, 20],
        &[-6, -8, -14, -20, 3, 18, 18],
        &[-4, -5, -6, 13],
        &[4, 5, 6, 7],
        &[-7, -8],
        &[-12, 7, 9],
        &[-9, -10, 8, 11],
        &[9],
        &[-11, 10],
        &[-13, 12],
        &[14],
        &[-18, -19, 16],
        &[-20],
        &[20],
        &[-21, -22, -24, 23, 25],
        &[-25, 24],
    ];
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        let mut rate = [0.0; 25];
        for (r, (k, (a, b))) in rate.iter_mut().zip(K.iter().zip(REACTANTS)) {
            *r = k * x[a - 1] * if b > 0 { x[b - 1] } else { 1.0 };
        }
        for (dx, balance) in dx.iter_mut().zip(BALANCE) {
            *dx = balance
                .iter()
                .map(|&r| if r > 0 { rate[r as usize - 1] } else { -rate[(-r) as usize - 1] })
                .sum();
        }
    }
    fn jacobian(_: f64, x: &[f64], j: &mut [f64]) {
        j.fill(0.0);
        for (i, balance) in BALANCE.iter().enumerate() {
            for &r in *balance {
                let index = r.unsigned_abs() as usize - 1;
                let k = K[index] * f64::from(r.signum());
                let (a, b) = REACTANTS[index];
                j[i + 20 * (a - 1)] += k * if b > 0 { x[b - 1] } else { 1.0 };
                if b > 0 {
                    j[i + 20 * (b - 1)] += k * x[a - 1];
                }
            }
        }
    }
    let mut x0 = [0.0; 20];
    for (i, v) in [(2, 0.2), (4, 0.04), (7, 0.1), (8, 0.3), (9, 0.01), (17, 0.007)] {
        x0[i - 1] = v;
    }
    let reference = [
        0.5646255480022769e-01,
        0.1342484130422339,
        0.4139734331099427e-08,
        0.5523140207484359e-02,
        0.2018977262302196e-06,
        0.1464541863493966e-06,
        0.7784249118997964e-01,
        0.3245075353396018,
        0.7494013383880406e-02,
        0.1622293157301561e-07,
        0.1135863833257075e-07,
        0.2230505975721359e-02,
        0.2087162882798630e-03,
        0.1396921016840158e-04,
        0.8964884856898295e-02,
        0.4352846369330103e-17,
        0.6899219696263405e-02,
        0.1007803037365946e-03,
        0.1772146513969984e-05,
        0.5682943292316392e-04,
    ];
    Problem::new("pollution", 60.0, &x0, f, Some(jacobian), &reference)
}

/// The ring modulator with parasitic capacitances of 2e-12 F: stiff and oscillating.
pub fn ring_modulator() -> Problem {
    fn f(t: f64, x: &[f64], dx: &mut [f64]) {
        let (c, cs, cp, lh) = (1.6e-8, 2e-12, 1e-8, 4.45);
        let (ls1, ls2, ls3) = (2e-3, 5e-4, 5e-4);
        let (r, rp, rg1, rg2, rg3, ri, rc) = (25e3, 50.0, 36.3, 17.3, 17.3, 50.0, 600.0);
        let (gamma, delta) = (40.67286402e-9, 17.7493332);
        let (in1, in2) = (0.5 * (2e3 * PI * t).sin(), 2.0 * (2e4 * PI * t).sin());
        let diode = |u: f64| gamma * ((delta * u).exp() - 1.0);
        let q1 = diode(x[2] - x[4] - x[6] - in2);
        let q2 = diode(-x[3] + x[5] - x[6] - in2);
        let q3 = diode(x[3] + x[4] + x[6] + in2);
        let q4 = diode(-x[2] - x[5] + x[6] + in2);
        dx[0] = (x[7] - 0.5 * x[9] + 0.5 * x[10] + x[13] - x[0] / r) / c;
        dx[1] = (x[8] - 0.5 * x[11] + 0.5 * x[12] + x[14] - x[1] / r) / c;
        dx[2] = (x[9] - q1 + q4) / cs;
        dx[3] = (-x[10] + q2 - q3) / cs;
        dx[4] = (x[11] + q1 - q3) / cs;
        dx[5] = (-x[12] - q2 + q4) / cs;
        dx[6] = (-x[6] / rp + q1 + q2 - q3 - q4) / cp;
        dx[7] = -x[0] / lh;
        dx[8] = -x[1] / lh;
        dx[9] = (0.5 * x[0] - x[2] - rg2 * x[9]) / ls2;
        dx[10] = (-0.5 * x[0] + x[3] - rg3 * x[10]) / ls3;
        dx[11] = (0.5 * x[1] - x[4] - rg2 * x[11]) / ls2;
        dx[12] = (-0.5 * x[1] + x[5] - rg3 * x[12]) / ls3;
        dx[13] = (-x[0] + in1 - (ri + rg1) * x[13]) / ls1;
        dx[14] = (-x[1] - (rc + rg1) * x[14]) / ls1;
    }
    let reference = [
        -0.2339057358486745e-001,
        -0.7367485485540825e-002,
        0.2582956709291169,
        -0.4064465721283450,
        -0.4039455665149794,
        0.2607966765422943,
        0.1106761861269975,
        0.2939904342435596e-006,
        -0.2840029933642329e-007,
        0.7267198267264553e-003,
        0.7929487196960840e-003,
        -0.7255283495698965e-003,
        -0.7941401968526521e-003,
        0.7088495416976114e-004,
        0.2390059075236570e-004,
    ];
    let mut p = Problem::new("ring", 1e-3, &[0.0; 15], f, None, &reference);
    p.nominal = vec![1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1e-4, 1e-4, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3];
    p
}

/// Pleiades: seven stars in the plane with two close encounters. Not stiff.
pub fn pleiades() -> Problem {
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        dx[..14].copy_from_slice(&x[14..]);
        for i in 0..7 {
            let (mut ax, mut ay) = (0.0, 0.0);
            for j in (0..7).filter(|&j| j != i) {
                let (rx, ry) = (x[j] - x[i], x[7 + j] - x[7 + i]);
                let mass = (j + 1) as f64 / (rx * rx + ry * ry).powf(1.5);
                ax += mass * rx;
                ay += mass * ry;
            }
            dx[14 + i] = ax;
            dx[21 + i] = ay;
        }
    }
    let x0 = [
        3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0, 3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        1.75, -1.5, 0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0,
    ];
    let reference = [
        0.3706139143970502,
        3.237284092057233,
        -3.222559032418324,
        0.6597091455775310,
        0.3425581707156584,
        1.562172101400631,
        -0.7003092922212495,
        -3.943437585517392,
        -3.271380973972550,
        5.225081843456543,
        -2.590612434977470,
        1.198213693392275,
        -0.2429682344935824,
        1.091449240428980,
        3.417003806314313,
        1.354584501625501,
        -2.590065597810775,
        2.025053734714242,
        -1.155815100160448,
        -0.8072988170223021,
        0.5952396354208710,
        -3.741244961234010,
        0.3773459685750630,
        0.9386858869551073,
        0.3667922227200571,
        -0.3474046353808490,
        2.344915448180937,
        -1.947020434263292,
    ];
    Problem::new("pleiades", 3.0, &x0, f, None, &reference)
}

/// The elastic beam: 40 segments, large imaginary eigenvalues.
pub fn beam() -> Problem {
    const N: usize = 40;
    fn f(t: f64, x: &[f64], dx: &mut [f64]) {
        let n2 = (N * N) as f64;
        let n4 = n2 * n2;
        let (theta, omega) = x.split_at(N);
        // Differences of neighbouring angles; index i is between segments i and i+1.
        let mut sin = [0.0; N];
        let mut cos = [0.0; N];
        for i in 0..N - 1 {
            (sin[i], cos[i]) = (theta[i + 1] - theta[i]).sin_cos();
        }
        let force = if t <= PI { 1.5 * t.sin() * t.sin() } else { 0.0 };
        let mut v = [0.0; N];
        for i in 0..N {
            let bending = if i == 0 {
                -3.0 * theta[0] + theta[1]
            } else if i == N - 1 {
                theta[i - 1] - theta[i]
            } else {
                theta[i - 1] - 2.0 * theta[i] + theta[i + 1]
            };
            v[i] = n4 * bending + n2 * force * (theta[i].cos() + theta[i].sin());
        }
        let mut w = [0.0; N];
        for i in 0..N {
            let before = if i > 0 { -sin[i - 1] * v[i - 1] } else { 0.0 };
            let after = if i + 1 < N { sin[i] * v[i + 1] } else { 0.0 };
            w[i] = before + after + omega[i] * omega[i];
        }
        // A tridiagonal system with diagonal 1, 2, …, 2, 3 and -cos beside it.
        let mut diagonal = [2.0; N];
        diagonal[0] = 1.0;
        diagonal[N - 1] = 3.0;
        for i in (0..N - 1).rev() {
            let q = -cos[i] / diagonal[i + 1];
            w[i] -= w[i + 1] * q;
            diagonal[i] += cos[i] * q;
        }
        w[0] /= diagonal[0];
        for i in 1..N {
            w[i] = (w[i] + cos[i - 1] * w[i - 1]) / diagonal[i];
        }
        for i in 0..N {
            let middle = if i == 0 {
                1.0
            } else if i == N - 1 {
                3.0
            } else {
                2.0
            };
            let mut u = middle * v[i];
            if i > 0 {
                u -= cos[i - 1] * v[i - 1] + sin[i - 1] * w[i - 1];
            }
            if i + 1 < N {
                u += sin[i] * w[i + 1] - cos[i] * v[i + 1];
            }
            dx[i] = omega[i];
            dx[N + i] = u;
        }
    }
    // Every tenth of the 80 published values.
    let measured = vec![0, 9, 19, 29, 39, 40, 49, 59, 69, 79];
    let reference = [
        -0.5792366591285007e-2,
        -0.9119134654647947e-1,
        -0.1483595472463012,
        -0.1725821847462537,
        -0.1767201761075488,
        0.3747362681329794e-1,
        0.5987609702624270,
        0.9868747821728363,
        0.1156792132004482e1,
        0.1186724615113034e1,
    ];
    let mut p = Problem::new("beam", 5.0, &[0.0; 2 * N], f, None, &reference);
    p.measured = measured;
    p
}

/// An Arenstorf orbit of the restricted three-body problem: periodic. Hairer, Nørsett & Wanner I, §II.0.
pub fn arenstorf() -> Problem {
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        const MU: f64 = 0.012277471;
        let d1 = ((x[0] + MU).powi(2) + x[1] * x[1]).powf(1.5);
        let d2 = ((x[0] - 1.0 + MU).powi(2) + x[1] * x[1]).powf(1.5);
        dx[0] = x[2];
        dx[1] = x[3];
        dx[2] = x[0] + 2.0 * x[3] - (1.0 - MU) * (x[0] + MU) / d1 - MU * (x[0] - 1.0 + MU) / d2;
        dx[3] = x[1] - 2.0 * x[2] - (1.0 - MU) * x[1] / d1 - MU * x[1] / d2;
    }
    let x0 = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
    Problem::new("arenstorf", 17.065_216_560_157_964, &x0, f, None, &x0)
}

/// The Brusselator with diffusion in one dimension, 500 cells: sparse. Hairer & Wanner II, §IV.1 and their
/// test set.
pub fn brusselator() -> Problem {
    const N: usize = 500;
    fn f(_: f64, x: &[f64], dx: &mut [f64]) {
        let gamma = ((N + 1) * (N + 1)) as f64 / 50.0;
        for i in 0..N {
            let (u, v) = (x[2 * i], x[2 * i + 1]);
            let (ul, vl) = if i > 0 { (x[2 * i - 2], x[2 * i - 1]) } else { (1.0, 3.0) };
            let (ur, vr) = if i + 1 < N { (x[2 * i + 2], x[2 * i + 3]) } else { (1.0, 3.0) };
            let reaction = u * u * v;
            dx[2 * i] = 1.0 + reaction - 4.0 * u + gamma * (ul - 2.0 * u + ur);
            dx[2 * i + 1] = 3.0 * u - reaction + gamma * (vl - 2.0 * v + vr);
        }
    }
    fn jacobian(_: f64, x: &[f64], values: &mut [f64]) {
        let gamma = ((N + 1) * (N + 1)) as f64 / 50.0;
        let mut k = 0;
        let mut put = |v: f64| {
            values[k] = v;
            k += 1;
        };
        for i in 0..N {
            let (u, v) = (x[2 * i], x[2 * i + 1]);
            if i > 0 {
                put(gamma);
            }
            put(2.0 * u * v - 4.0 - 2.0 * gamma);
            put(3.0 - 2.0 * u * v);
            if i + 1 < N {
                put(gamma);
            }
            if i > 0 {
                put(gamma);
            }
            put(u * u);
            put(-u * u - 2.0 * gamma);
            if i + 1 < N {
                put(gamma);
            }
        }
    }
    let entries = (0..N).flat_map(|i| {
        let (u, v) = (2 * i, 2 * i + 1);
        let mut list = vec![(u, u), (v, u), (u, v), (v, v)];
        if i > 0 {
            list.extend([(u - 2, u), (v - 2, v)]);
        }
        if i + 1 < N {
            list.extend([(u + 2, u), (v + 2, v)]);
        }
        list
    });
    let mut x0 = vec![3.0; 2 * N];
    for i in 0..N {
        x0[2 * i] = 1.0 + 0.5 * (2.0 * PI * (i + 1) as f64 / (N + 1) as f64).sin();
    }
    // The first ten of the published values, every seventh component.
    let reference = [
        0.9949197002317599,
        3.0213845767604077,
        0.9594350193986054,
        3.0585989778165419,
        0.9243010095428502,
        3.0952478919989637,
        0.8897959106772672,
        3.1310118289054731,
        0.8561653620284367,
        3.1656101198770159,
    ];
    let mut p = Problem::new("brusselator", 10.0, &x0, f, Some(jacobian), &reference);
    p.pattern = Some(Pattern::new(2 * N, entries));
    p.measured = (0..10).map(|k| 7 * k).collect();
    p
}

/// All of them.
pub fn all() -> Vec<Problem> {
    vec![
        robertson(),
        hires(),
        van_der_pol(),
        orego(),
        e5(),
        pollution(),
        ring_modulator(),
        pleiades(),
        beam(),
        arenstorf(),
        brusselator(),
    ]
}
