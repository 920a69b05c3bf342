//! Points of the unit cube, one for each run of a sweep.
//!
//! The number for a run and a parameter is a function of the seed, the run and the parameter alone: it does not depend on which
//! thread asks, in which order, or on other runs. Random numbers are SplitMix64 of a counter (Steele, Lea and Flood 2014), Latin
//! hypercubes place one point in each of as many slices as there are runs (McKay, Beckman and Conover 1979), Sobol's sequence
//! has the direction numbers of Joe and Kuo (2008), shifted by random bits (Lemieux 2009, section 6.2.2).

/// How points are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sampling {
    /// Each by itself.
    #[default]
    Random,
    /// In each parameter one run in each of as many slices as there are runs.
    LatinHypercube,
    /// Sobol's sequence: evenly in all parameters together. Best with a power of two runs.
    Sobol,
}

impl Sampling {
    /// All, by name.
    pub const ALL: [(Sampling, &'static str); 3] = [
        (Sampling::Random, "random"),
        (Sampling::LatinHypercube, "latin-hypercube"),
        (Sampling::Sobol, "sobol"),
    ];

    /// The most parameters it can spread.
    pub fn most_parameters(self) -> usize {
        match self {
            Sampling::Sobol => POLYNOMIALS.len() + 1,
            _ => usize::MAX,
        }
    }
}

/// Points for a number of runs.
#[derive(Clone, Debug)]
pub(super) struct Cube {
    seed: u64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Random,
    /// Which slice each run has, by parameter.
    Latin(Vec<Vec<u32>>),
    /// Direction numbers and shift, by parameter.
    Sobol(Vec<([u32; BITS], u32)>),
}

const BITS: usize = 32;

impl Cube {
    /// For at most 2³² runs.
    pub fn new(sampling: Sampling, seed: u64, runs: u64, parameters: usize) -> Cube {
        let axes = 0..parameters as u64;
        let kind = match sampling {
            Sampling::Random => Kind::Random,
            Sampling::LatinHypercube => Kind::Latin(axes.map(|axis| slices(seed, axis, runs)).collect()),
            Sampling::Sobol => Kind::Sobol(
                axes.map(|axis| (directions(axis as usize), (bits(seed, axis, u64::MAX) >> 32) as u32))
                    .collect(),
            ),
        };
        Cube { seed, kind }
    }

    /// The coordinate of a run: greater than zero, less than one.
    pub fn point(&self, run: u64, axis: usize) -> f64 {
        match &self.kind {
            Kind::Random => unit(bits(self.seed, axis as u64, run)),
            Kind::Latin(slices) => {
                let of = &slices[axis];
                let inside = unit(bits(self.seed, axis as u64, run));
                (f64::from(of[run as usize]) + inside) / of.len() as f64
            }
            Kind::Sobol(axes) => {
                let (directions, shift) = &axes[axis];
                // The Gray code of the index changes one bit a point; the points are the same in another order.
                let gray = run ^ (run >> 1);
                let set = (0..BITS).filter(|k| gray >> k & 1 == 1);
                let number = set.fold(*shift, |number, k| number ^ directions[k]);
                (f64::from(number) + 0.5) / (1u64 << BITS) as f64
            }
        }
    }
}

/// A random order of the slices: Fisher and Yates with numbers of the axis.
fn slices(seed: u64, axis: u64, runs: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..runs as u32).collect();
    for i in (1..order.len()).rev() {
        // A stream of its own beside that of the places inside of slices.
        let random = bits(seed ^ 0x5851_F42D_4C95_7F2D, axis, i as u64);
        let below = (u128::from(random) * (i as u128 + 1)) >> 64;
        order.swap(i, below as usize);
    }
    order
}

/// 64 random bits for a place in a stream.
fn bits(seed: u64, stream: u64, place: u64) -> u64 {
    mix(mix(mix(seed).wrapping_add(stream)).wrapping_add(place))
}

/// The output function of SplitMix64, behind its increment.
fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The middle of one of 2⁵³ parts of the unit interval.
fn unit(bits: u64) -> f64 {
    ((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Degree, inner coefficients and first direction numbers of the primitive polynomials of the second parameter and on: Joe and
/// Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), table D(6).
const POLYNOMIALS: [(u32, u32, &[u32]); 20] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
    (6, 19, &[1, 1, 1, 15, 7, 5]),
    (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]),
    (7, 1, &[1, 3, 7, 11, 23, 15, 103]),
    (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// Direction numbers of a parameter, as fractions of 2³².
fn directions(axis: usize) -> [u32; BITS] {
    let mut v = [0; BITS];
    let Some(&(degree, inner, first)) = axis.checked_sub(1).and_then(|i| POLYNOMIALS.get(i)) else {
        (0..BITS).for_each(|k| v[k] = 1 << (BITS - 1 - k));
        return v;
    };
    let s = degree as usize;
    for k in 0..BITS {
        v[k] = match k < s {
            true => first[k] << (BITS - 1 - k),
            false => {
                let start = v[k - s] ^ (v[k - s] >> s);
                (1..s).filter(|j| inner >> (s - 1 - j) & 1 == 1).fold(start, |v_k, j| v_k ^ v[k - j])
            }
        };
    }
    v
}

/// The inverse of the normal distribution: Wichura, algorithm AS 241 (1988), PPND16, to about 1e-16.
// The coefficients are those of the paper, digit by digit.
#[allow(clippy::excessive_precision)]
pub(super) fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 8] = [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ];
    const B: [f64; 8] = [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ];
    const C: [f64; 8] = [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ];
    const D: [f64; 8] = [
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ];
    const E: [f64; 8] = [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ];
    const F: [f64; 8] = [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ];
    let polynomial = |c: &[f64; 8], r: f64| c.iter().rev().fold(0.0, |sum, c| sum * r + c);
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * polynomial(&A, r) / polynomial(&B, r);
    }
    let r = (-(if q < 0.0 { p } else { 1.0 - p }).ln()).sqrt();
    let x = match r <= 5.0 {
        true => polynomial(&C, r - 1.6) / polynomial(&D, r - 1.6),
        false => polynomial(&E, r - 5.0) / polynomial(&F, r - 5.0),
    };
    if q < 0.0 { -x } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In each axis every one of 2^k equal parts has one of 2^k points; shifted or not (property A of the sequence).
    #[test]
    fn sobol_is_stratified_in_every_axis() {
        let axes = Sampling::Sobol.most_parameters();
        for seed in [0, 7] {
            let cube = Cube::new(Sampling::Sobol, seed, 256, axes);
            for axis in 0..axes {
                let mut seen = [0; 256];
                (0..256).for_each(|run| seen[(cube.point(run, axis) * 256.0) as usize] += 1);
                assert!(seen.iter().all(|n| *n == 1), "axis {axis}");
            }
        }
    }

    /// Points of the unshifted sequence in 21 dimensions as SciPy 1.17 (`qmc.Sobol(21, scramble=False)`) gives them, in 256ths.
    #[test]
    fn sobol_is_that_of_joe_and_kuo() {
        let number = |run: u64, axis: usize| {
            let gray = run ^ (run >> 1);
            let v = directions(axis);
            (0..BITS).filter(|k| gray >> k & 1 == 1).fold(0, |n, k| n ^ v[k]) >> 24
        };
        let row = |run: u64| (0..21).map(|axis| number(run, axis)).collect::<Vec<u32>>();
        assert_eq!(row(1), vec![128; 21]);
        assert_eq!(row(SCIPY.0), SCIPY.1);
        assert_eq!(row(SCIPY_LATER.0), SCIPY_LATER.1);
    }

    const SCIPY: (u64, [u32; 21]) = (
        37,
        [236, 164, 148, 236, 196, 76, 44, 204, 156, 44, 4, 20, 148, 220, 28, 124, 204, 108, 12, 36, 244],
    );
    const SCIPY_LATER: (u64, [u32; 21]) = (
        201,
        [181, 227, 233, 23, 81, 15, 135, 121, 213, 31, 127, 23, 207, 23, 153, 49, 35, 89, 63, 173, 221],
    );

    #[test]
    fn latin_hypercubes_have_one_run_in_each_slice() {
        let cube = Cube::new(Sampling::LatinHypercube, 3, 1000, 3);
        for axis in 0..3 {
            let mut seen = vec![0; 1000];
            (0..1000).for_each(|run| seen[(cube.point(run, axis) * 1000.0) as usize] += 1);
            assert!(seen.iter().all(|n| *n == 1));
        }
        assert_ne!(cube.point(0, 0), Cube::new(Sampling::LatinHypercube, 4, 1000, 3).point(0, 0));
    }

    /// Mean and variance of the uniform distribution within four standard errors, and no correlation between neighbours.
    #[test]
    fn random_numbers_are_uniform() {
        let (n, cube) = (100_000u64, Cube::new(Sampling::Random, 1, 100_000, 2));
        let mean = |f: &dyn Fn(u64) -> f64| (0..n).map(f).sum::<f64>() / n as f64;
        let four = 4.0 / (n as f64).sqrt();
        assert!((mean(&|k| cube.point(k, 0)) - 0.5).abs() < four * (1.0f64 / 12.0).sqrt());
        assert!(
            (mean(&|k| (cube.point(k, 0) - 0.5).powi(2)) - 1.0 / 12.0).abs() < four * (1.0f64 / 180.0).sqrt()
        );
        let product = |k: u64, other: f64| (cube.point(k, 0) - 0.5) * (other - 0.5);
        assert!(mean(&|k| product(k, cube.point(k, 1))).abs() < four / 12.0);
        assert!(mean(&|k| product(k, cube.point(k + 1, 0))).abs() < four / 12.0);
    }

    /// Quantiles of tables (Abramowitz and Stegun, table 26.1 and its inverse).
    #[test]
    fn quantiles_of_the_normal_distribution() {
        for (p, x) in
            [(0.5, 0.0), (0.975, 1.959963984540054), (0.841344746068543, 1.0), (1e-9, -5.997807015007774)]
        {
            assert!((normal_quantile(p) - x).abs() < 1e-13 * (1.0 + f64::abs(x)), "{p}");
            assert!((normal_quantile(1.0 - p) + x).abs() < 1e-7 * (1.0 + f64::abs(x)), "{p}");
        }
    }
}
