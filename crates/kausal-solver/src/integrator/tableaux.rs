//! Published coefficients. Tests check the order conditions of every one of them.

// As many digits as were published.
#![allow(clippy::excessive_precision)]

/// An explicit Runge–Kutta pair whose last stage is the derivative at the end of the step.
#[derive(Debug)]
pub(crate) struct Explicit {
    pub order: usize,
    pub c: &'static [f64],
    /// Rows below the diagonal; the last row is the solution.
    pub a: &'static [&'static [f64]],
    /// Weights of the solution less those of the embedded one.
    pub error: &'static [f64],
    /// For each stage the coefficients of `θ, θ², θ³, θ⁴` of the continuous extension.
    pub dense: &'static [[f64; 4]],
    /// Where the stability region ends on the negative real axis.
    pub stability: f64,
}

/// Dormand & Prince, *A family of embedded Runge–Kutta formulae*, J. Comput. Appl. Math. 6 (1980), with the
/// continuous extension of Hairer, Nørsett & Wanner I, §II.6, here expanded in powers of θ.
pub(crate) static DORMAND_PRINCE: Explicit = Explicit {
    order: 5,
    c: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    a: &[
        &[],
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    ],
    error: &[
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ],
    dense: &[
        expand(35.0 / 384.0, -12715105075.0 / 11282082432.0, 1.0, 0.0),
        [0.0; 4],
        expand(500.0 / 1113.0, 87487479700.0 / 32700410799.0, 0.0, 0.0),
        expand(125.0 / 192.0, -10690763975.0 / 1880347072.0, 0.0, 0.0),
        expand(-2187.0 / 6784.0, 701980252875.0 / 199316789632.0, 0.0, 0.0),
        expand(11.0 / 84.0, -1453857185.0 / 822651844.0, 0.0, 0.0),
        expand(0.0, 69997945.0 / 29380423.0, 0.0, 1.0),
    ],
    stability: 3.3,
};

/// `b θ + (first - b) θ(1-θ) + (2b - first - last) θ²(1-θ) + d θ²(1-θ)²` in powers of θ.
const fn expand(b: f64, d: f64, first: f64, last: f64) -> [f64; 4] {
    let q = first - b;
    let r = 2.0 * b - first - last;
    [b + q, -q + r + d, -r - 2.0 * d, d]
}

/// Tsitouras, *Runge–Kutta pairs of order 5(4) satisfying only the first column simplifying assumption*,
/// Comput. Math. Appl. 62 (2011), with its continuous extension.
pub(crate) static TSITOURAS: Explicit = Explicit {
    order: 5,
    c: &[0.0, 0.161, 0.327, 0.9, 0.980_025_540_904_509_7, 1.0, 1.0],
    a: &[
        &[],
        &[0.161],
        &[-0.008_480_655_492_356_989, 0.335_480_655_492_357],
        &[2.897_153_057_105_493_5, -6.359_448_489_975_075, 4.362_295_432_869_581_5],
        &[5.325_864_828_439_257, -11.748_883_564_062_828, 7.495_539_342_889_836_5, -0.092_495_066_361_755_25],
        &[
            5.861_455_442_946_42,
            -12.920_969_317_847_11,
            8.159_367_898_576_159,
            -0.071_584_973_281_401,
            -0.028_269_050_394_068_383,
        ],
        &[
            0.096_460_766_818_065_23,
            0.01,
            0.479_889_650_414_499_6,
            1.379_008_574_103_742,
            -3.290_069_515_436_081,
            2.324_710_524_099_774,
        ],
    ],
    error: &[
        0.001_780_011_052_225_777_1,
        0.000_816_434_459_656_746_9,
        -0.007_880_878_010_261_995,
        0.144_711_007_173_262_9,
        -0.582_357_165_452_555_2,
        0.458_082_105_929_186_97,
        -1.0 / 66.0,
    ],
    dense: &[
        [1.0, -2.763_706_197_274_826, 2.913_255_461_821_912_6, -1.053_088_497_729_021_6],
        [0.0, 0.131_7, -0.223_4, 0.101_7],
        [0.0, 3.930_296_236_894_751_6, -5.941_033_872_131_505, 2.490_627_285_651_253],
        [0.0, -12.411_077_166_933_676, 30.338_188_630_282_32, -16.548_102_889_244_902],
        [0.0, 37.509_313_416_511_04, -88.178_904_894_766_4, 47.379_521_962_819_28],
        [0.0, -27.896_526_289_197_286, 65.091_894_674_793_66, -34.870_657_861_496_61],
        [0.0, 1.5, -4.0, 2.5],
    ],
    stability: 3.0,
};

/// A singly diagonally implicit Runge–Kutta pair with explicit first stage, stiffly accurate.
#[derive(Debug)]
pub(crate) struct Esdirk {
    pub order: usize,
    pub gamma: f64,
    pub c: &'static [f64],
    /// Rows below the diagonal; the last row and `gamma` are the solution.
    pub a: &'static [&'static [f64]],
    /// Weights of the embedded solution.
    pub embedded: &'static [f64],
}

impl Esdirk {
    /// The last stage inside the step.
    pub fn middle(&self) -> usize {
        self.c.iter().rposition(|&c| c < 1.0).unwrap_or(0)
    }
}

const SQRT2: f64 = std::f64::consts::SQRT_2;
const A3_31: f64 = 9.0 * (1.0 + SQRT2) / 80.0;
const A3_41: f64 = (22.0 + 15.0 * SQRT2) / (80.0 * (1.0 + SQRT2));
const A3_51: f64 = (2398.0 + 1205.0 * SQRT2) / (2835.0 * (4.0 + 3.0 * SQRT2));
const B3_1: f64 = 4555948517383.0 / 24713416420891.0;

/// ESDIRK3(2)5L\[2\]SA: Kennedy & Carpenter, *Diagonally implicit Runge–Kutta methods for ordinary
/// differential equations. A review*, NASA/TM-2016-219173.
pub(crate) static ESDIRK3: Esdirk = Esdirk {
    order: 3,
    gamma: 9.0 / 40.0,
    c: &[0.0, 9.0 / 20.0, 9.0 * (2.0 + SQRT2) / 40.0, 3.0 / 5.0, 1.0],
    a: &[
        &[],
        &[9.0 / 40.0],
        &[A3_31, A3_31],
        &[A3_41, A3_41, -7.0 / (40.0 * (1.0 + SQRT2))],
        &[A3_51, A3_51, -2374.0 * (1.0 + 2.0 * SQRT2) / (2835.0 * (5.0 + 3.0 * SQRT2)), 5827.0 / 7560.0],
    ],
    embedded: &[B3_1, B3_1, -7107561914881.0 / 25547637784726.0, 30698249.0 / 44052120.0, 49563.0 / 233080.0],
};

const A4_31: f64 = -360286518617.0 / 7014585480527.0;
const A4_41: f64 = -506388693497.0 / 5937754990171.0;
const A4_51: f64 = -7628305438933.0 / 11061539393788.0;
const A4_61: f64 = -12917657251.0 / 5222094901039.0;
const A4_63: f64 = 5602338284630.0 / 15643096342197.0;
const A4_64: f64 = 9002339615474.0 / 18125249312447.0;
const A4_65: f64 = -2420307481369.0 / 24731958684496.0;

/// ESDIRK4(3)6L\[2\]SA₂: Kennedy & Carpenter, *Diagonally implicit Runge–Kutta methods for stiff ODEs*, Appl.
/// Numer. Math. 146 (2019).
pub(crate) static ESDIRK4: Esdirk = Esdirk {
    order: 4,
    gamma: 31.0 / 125.0,
    c: &[0.0, 62.0 / 125.0, 486119545908.0 / 3346201505189.0, 1043.0 / 1706.0, 1361.0 / 1300.0, 1.0],
    a: &[
        &[],
        &[31.0 / 125.0],
        &[A4_31, A4_31],
        &[A4_41, A4_41, 7149918333491.0 / 13390931526268.0],
        &[A4_51, A4_51, 21592626537567.0 / 14352247503901.0, 11630056083252.0 / 17263101053231.0],
        &[A4_61, A4_61, A4_63, A4_64, A4_65],
    ],
    embedded: &[
        A4_61 + 5106873525203549881053916.0 / 63280437666689274586070553.0,
        A4_61 + 5106873525203549881053916.0 / 63280437666689274586070553.0,
        A4_63 - 25162027003603428150355757.0 / 187362381104177276978781327.0,
        A4_64 - 4098711186040344850920813.0 / 204021751328880889263048263.0,
        A4_65 - 2403006641348284599749077.0 / 92621941821407359153398928.0,
        31.0 / 125.0 + 20990421664717.0 / 1109114971657125.0,
    ],
};

/// A Rosenbrock method in the form without matrix-vector products:
/// `(I/(hγ) - J) u_i = f(x + Σ a_ij u_j) + Σ c_ij u_j / h + h d_i f_t`.
#[derive(Debug)]
pub(crate) struct Rosenbrock {
    pub order: usize,
    pub gamma: f64,
    pub a: &'static [&'static [f64]],
    pub c: &'static [&'static [f64]],
    /// Times of the stages.
    pub alpha: [f64; 6],
    /// Factors of the derivative by time.
    pub d: [f64; 6],
    /// Two rows of coefficients of the continuous extension.
    pub dense: [[f64; 5]; 2],
}

/// RODASP: Steinebach, *Order reduction of ROW methods for DAEs and method of lines applications*, preprint
/// 1741, TH Darmstadt (1995): the coefficients of RODAS (Hairer & Wanner II, §VI.4) with the conditions that
/// keep the order on stiff problems. The last stage is the error estimate.
pub(crate) static RODASP: Rosenbrock = Rosenbrock {
    order: 4,
    gamma: 0.25,
    a: &[
        &[],
        &[3.0],
        &[1.831_036_793_486_759, 0.495_518_396_743_379_5],
        &[2.304_376_582_692_669, -0.052_492_752_457_430_01, -1.176_798_761_832_782],
        &[-7.170_454_962_423_024, -4.741_636_671_481_785, -16.310_026_313_309_71, -1.062_004_044_111_401],
        &[
            -7.170_454_962_423_024,
            -4.741_636_671_481_785,
            -16.310_026_313_309_71,
            -1.062_004_044_111_401,
            1.0,
        ],
    ],
    c: &[
        &[],
        &[-12.0],
        &[-8.791_795_173_947_035, -2.207_865_586_973_518],
        &[10.817_930_568_571_53, 6.780_270_611_428_266, 19.534_859_446_424_1],
        &[34.190_950_067_496_76, 15.496_711_537_259_63, 54.747_608_759_641_3, 14.160_053_921_485_34],
        &[
            34.626_058_309_305_32,
            15.300_849_761_144_73,
            56.999_555_786_626_67,
            18.408_070_097_930_95,
            -5.714_285_714_285_717,
        ],
    ],
    alpha: [0.0, 0.75, 0.21, 0.63, 1.0, 1.0],
    d: [0.25, -0.5, -0.023_504, -0.036_2, 0.0, 0.0],
    dense: [
        [25.098_767_037_085_89, 11.620_131_043_618_67, 28.491_483_077_146_26, -5.664_021_568_594_133, 0.0],
        [
            1.638_054_557_396_973,
            -0.737_361_980_667_874_8,
            8.477_918_219_238_99,
            15.992_531_487_795_2,
            -1.882_352_941_176_471,
        ],
    ],
};

/// The coefficients of Radau IIA with three stages, and the transformation that splits its system.
#[derive(Debug)]
pub struct RadauIia {
    /// Times of the stages.
    pub c: [f64; 3],
    /// Coefficients of the stages; the last row is the solution.
    pub a: [[f64; 3]; 3],
    /// The inverse of `a`.
    pub a_inverse: [[f64; 3]; 3],
    /// Transformation of `a_inverse` to one real and one complex pair of eigenvalues.
    pub t: [[f64; 3]; 3],
    /// The inverse of `t`.
    pub t_inverse: [[f64; 3]; 3],
    /// The real eigenvalue of `a_inverse`.
    pub gamma: f64,
    /// Real part of the complex pair.
    pub alpha: f64,
    /// Imaginary part of the complex pair.
    pub beta: f64,
    /// Coefficients of the error estimate, to be divided by the step.
    pub error: [f64; 3],
}

const SQRT6: f64 = 2.449_489_742_783_178;

/// Radau IIA of order 5: Hairer & Wanner, *Solving Ordinary Differential Equations II*, §IV.5 and §IV.8.
pub static RADAU_IIA: RadauIia = RadauIia {
    c: [(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0],
    a: [
        [(88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0, (-2.0 + 3.0 * SQRT6) / 225.0],
        [(296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0, (-2.0 - 3.0 * SQRT6) / 225.0],
        [(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0],
    ],
    a_inverse: [
        [2.0 + SQRT6 / 2.0, -1.2 + 29.0 * SQRT6 / 30.0, 0.4 - 4.0 * SQRT6 / 15.0],
        [-1.2 - 29.0 * SQRT6 / 30.0, 2.0 - SQRT6 / 2.0, 0.4 + 4.0 * SQRT6 / 15.0],
        [-1.0 + 8.0 * SQRT6 / 3.0, -1.0 - 8.0 * SQRT6 / 3.0, 5.0],
    ],
    t: [
        [9.123_239_487_089_294_3e-2, -0.141_255_295_020_954_2, -3.002_919_410_514_742_4e-2],
        [0.241_717_932_707_107_02, 0.204_129_352_293_799_93, 0.382_942_112_757_261_94],
        [0.966_048_182_615_092_9, 1.0, 0.0],
    ],
    t_inverse: [
        [4.325_579_890_063_155, 0.339_199_251_815_809_87, 0.541_770_539_935_874_9],
        [-4.178_718_591_551_905, -0.327_682_820_761_062_4, 0.476_623_554_500_550_44],
        [-0.502_872_634_945_786_9, 2.571_926_949_855_605_4, -0.596_039_204_828_224_9],
    ],
    gamma: 3.637_834_252_744_496,
    alpha: 2.681_082_873_627_752,
    beta: 3.050_430_199_247_411,
    error: [-(13.0 + 7.0 * SQRT6) / 3.0, (-13.0 + 7.0 * SQRT6) / 3.0, -1.0 / 3.0],
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ over rooted trees: the order conditions up to order five in matrix form, with `A` including the
    /// diagonal.
    fn check_order(a: &[Vec<f64>], b: &[f64], c: &[f64], order: usize) {
        let s = b.len();
        let power = |k: i32| -> Vec<f64> { c.iter().map(|c| c.powi(k)).collect() };
        let times =
            |v: &[f64]| -> Vec<f64> { (0..s).map(|i| (0..s).map(|j| a[i][j] * v[j]).sum()).collect() };
        let product = |u: &[f64], v: &[f64]| -> Vec<f64> { u.iter().zip(v).map(|(u, v)| u * v).collect() };
        let check = |v: &[f64], expected: f64| {
            let sum: f64 = b.iter().zip(v).map(|(b, v)| b * v).sum();
            assert!((sum - expected).abs() < 5e-13, "{sum} instead of {expected}");
        };
        let one = power(0);
        assert!(times(&one).iter().zip(c).all(|(row, c)| (row - c).abs() < 1e-13), "row sums");
        check(&one, 1.0);
        if order >= 2 {
            check(c, 1.0 / 2.0);
        }
        if order >= 3 {
            check(&power(2), 1.0 / 3.0);
            check(&times(c), 1.0 / 6.0);
        }
        if order >= 4 {
            check(&power(3), 1.0 / 4.0);
            check(&product(c, &times(c)), 1.0 / 8.0);
            check(&times(&power(2)), 1.0 / 12.0);
            check(&times(&times(c)), 1.0 / 24.0);
        }
        if order >= 5 {
            check(&power(4), 1.0 / 5.0);
            check(&product(&power(2), &times(c)), 1.0 / 10.0);
            check(&product(c, &times(&power(2))), 1.0 / 15.0);
            check(&product(c, &times(&times(c))), 1.0 / 30.0);
            check(&product(&times(c), &times(c)), 1.0 / 20.0);
            check(&times(&power(3)), 1.0 / 20.0);
            check(&times(&product(c, &times(c))), 1.0 / 40.0);
            check(&times(&times(&power(2))), 1.0 / 60.0);
            check(&times(&times(&times(c))), 1.0 / 120.0);
        }
    }

    fn square(rows: &[&[f64]], diagonal: f64) -> Vec<Vec<f64>> {
        let s = rows.len();
        let mut a = vec![vec![0.0; s]; s];
        for (i, row) in rows.iter().enumerate() {
            a[i][..row.len()].copy_from_slice(row);
            if i > 0 {
                a[i][i] += diagonal;
            }
        }
        a
    }

    #[test]
    fn explicit_pairs_have_orders_five_and_four() {
        for tableau in [&DORMAND_PRINCE, &TSITOURAS] {
            let a = square(tableau.a, 0.0);
            let b = a[6].clone();
            check_order(&a, &b, tableau.c, 5);
            let embedded: Vec<f64> = b.iter().zip(tableau.error).map(|(b, e)| b - e).collect();
            check_order(&a, &embedded, tableau.c, 4);
            // The continuous extension: the solution at θ = 1, order four for all θ.
            for theta in [0.3f64, 0.75, 1.0] {
                let weights: Vec<f64> = tableau
                    .dense
                    .iter()
                    .map(|d| (1..=4).map(|k| d[k as usize - 1] * theta.powi(k)).sum::<f64>())
                    .collect();
                for (k, expected) in [(0, 1.0), (1, 0.5), (2, 1.0 / 3.0), (3, 0.25)] {
                    let sum: f64 = weights.iter().zip(tableau.c).map(|(w, c)| w * c.powi(k)).sum();
                    assert!((sum - expected * theta.powi(k + 1)).abs() < 1e-12, "θ = {theta}, c^{k}: {sum}");
                }
                if theta == 1.0 {
                    assert!(weights.iter().zip(&b).all(|(w, b)| (w - b).abs() < 1e-13));
                }
            }
        }
    }

    #[test]
    fn diagonally_implicit_pairs_have_their_orders() {
        for tableau in [&ESDIRK3, &ESDIRK4] {
            let a = square(tableau.a, tableau.gamma);
            let b = a[tableau.a.len() - 1].clone();
            check_order(&a, &b, tableau.c, tableau.order);
            check_order(&a, tableau.embedded, tableau.c, tableau.order - 1);
        }
    }

    /// Consistency of the transformed form: with `f = 1` all stages are constant and the solution moves by
    /// `h`.
    #[test]
    fn rosenbrock_is_consistent() {
        let r = &RODASP;
        let mut u = [0.0; 6];
        for i in 0..6 {
            let sum: f64 = r.c[i].iter().zip(&u).map(|(c, u)| c * u).sum();
            u[i] = r.gamma * (1.0 + sum);
        }
        let step: f64 = r.a[5].iter().zip(&u).map(|(a, u)| a * u).sum::<f64>() + u[5];
        assert!((step - 1.0).abs() < 1e-13);
        assert!(u[5].abs() < 1e-13);
        for i in 0..6 {
            let x: f64 = r.a[i].iter().zip(&u).map(|(a, u)| a * u).sum();
            assert!((x - r.alpha[i]).abs() < 1e-13, "stage {i}: {x}");
        }
    }
}

/// Explicit methods are stored by their places in a list.
pub(crate) mod explicit_by_place {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use super::{DORMAND_PRINCE, Explicit, TSITOURAS};

    static ALL: [&Explicit; 2] = [&DORMAND_PRINCE, &TSITOURAS];

    pub(crate) fn serialize<S: Serializer>(tableau: &&'static Explicit, to: S) -> Result<S::Ok, S::Error> {
        let place = ALL.iter().position(|known| std::ptr::eq(*known, *tableau)).unwrap_or(ALL.len());
        to.serialize_u8(place as u8)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Explicit, D::Error> {
        let place = usize::from(u8::deserialize(from)?);
        ALL.get(place).copied().ok_or_else(|| de::Error::custom("there is no such method"))
    }
}

/// Likewise for those with an explicit first stage.
pub(crate) mod esdirk_by_place {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use super::{ESDIRK3, ESDIRK4, Esdirk};

    static ALL: [&Esdirk; 2] = [&ESDIRK3, &ESDIRK4];

    pub(crate) fn serialize<S: Serializer>(tableau: &&'static Esdirk, to: S) -> Result<S::Ok, S::Error> {
        let place = ALL.iter().position(|known| std::ptr::eq(*known, *tableau)).unwrap_or(ALL.len());
        to.serialize_u8(place as u8)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Esdirk, D::Error> {
        let place = usize::from(u8::deserialize(from)?);
        ALL.get(place).copied().ok_or_else(|| de::Error::custom("there is no such method"))
    }
}
