//! Models with a published end value. See `simulation.rs`, whose group `ivp_` they are.

use super::support::cases::{Check, case, check, end};

/// A published value at the end, with a relative bound.
fn published(variable: &'static str, value: f64, relative: f64) -> Check {
    end(variable, value, relative * value.abs())
}

/// End values of the Test Set for Initial Value Problem Solvers, release 2.4 (F. Mazzia and C. Magherini, University
/// of Bari, 2008); Van der Pol, the Brusselator and the satellite from E. Hairer, S. P. Nørsett and G. Wanner,
/// *Solving Ordinary Differential Equations* I (section II.0) and II (section IV.10 and their test set). Bounds are
/// relative; stiff problems lose two to four digits of the tolerance on the way.
#[test]
#[allow(clippy::excessive_precision)]
fn ivp_test_set() {
    let all = |names: &[&'static str], values: &[f64], bound: f64| {
        names.iter().zip(values).map(|(n, v)| published(n, *v, bound)).collect::<Vec<_>>()
    };
    check(
        "ivp_",
        vec![
            case(
                "ivp_akzo_nobel",
                all(
                    &["y[1]", "y[2]", "y[3]", "y[4]", "y[5]", "y[6]"],
                    &[
                        0.1150794920661702,
                        0.1203831471567715e-2,
                        0.1611562887407974,
                        0.3656156421249283e-3,
                        0.1708010885264404e-1,
                        0.4873531310307455e-2,
                    ],
                    1e-6,
                ),
            ),
            case(
                "ivp_andrews",
                all(
                    &[
                        "beta",
                        "theta",
                        "gamma",
                        "phi",
                        "delta",
                        "omega",
                        "epsilon",
                        "w[1]",
                        "w[3]",
                        "lambda[1]",
                    ],
                    &[
                        0.1581077119629904e2,
                        -0.1575637105984298e2,
                        0.4082224013073101e-1,
                        -0.5347301163226948,
                        0.5244099658805304,
                        0.5347301163226948,
                        0.1048080741042263e1,
                        0.1139920302151208e4,
                        0.1103291221937134e2,
                        0.1991753333731910e3,
                    ],
                    1e-4,
                ),
            ),
            // It passes the moon at a small distance: what is lost there is lost.
            case("ivp_arenstorf", vec![end("x", 0.994, 2e-4), end("y", 0.0, 2e-4)]),
            case(
                "ivp_brusselator",
                // Every seventh of the components u1, v1, u2, v2, …
                all(
                    &["u[1]", "v[4]", "u[8]", "v[11]", "u[15]", "v[18]", "u[22]", "v[25]", "u[29]", "v[32]"],
                    &[
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
                    ],
                    1e-5,
                ),
            ),
            case(
                "ivp_car_axis",
                all(
                    &["xl", "yl", "xr", "yr", "ul", "vl", "ur", "vr", "lambda[1]", "lambda[2]"],
                    &[
                        0.493455784275402809122e-1,
                        0.496989460230171153861,
                        0.104174252488542151681e1,
                        0.373911027265361256927,
                        -0.770583684040972357970e-1,
                        0.744686658723778553466e-2,
                        0.175568157537232222276e-1,
                        0.770341043779251976443,
                        -0.473688659084893324729e-2,
                        -0.110468033125734368808e-2,
                    ],
                    1e-4,
                ),
            ),
            // At rest the exponential is 2; the start is over after 1e-17.
            case("ivp_from_zero", vec![end("v", 0.025 * 2f64.ln(), 1e-6)]),
            case(
                "ivp_hires",
                all(
                    &["y[1]", "y[2]", "y[3]", "y[4]", "y[5]", "y[6]", "y[7]", "y[8]"],
                    &[
                        0.7371312573325668e-3,
                        0.1442485726316185e-3,
                        0.5888729740967575e-4,
                        0.1175651343283149e-2,
                        0.2386356198831331e-2,
                        0.6238968252742796e-2,
                        0.2849998395185769e-2,
                        0.2850001604814231e-2,
                    ],
                    1e-5,
                ),
            ),
            case(
                "ivp_oregonator",
                all(
                    &["x", "y", "z"],
                    &[0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3],
                    1e-5,
                ),
            ),
            case(
                "ivp_pleiades",
                all(
                    &["x[1]", "x[7]", "y[1]", "y[7]", "vx[1]", "vx[7]", "vy[1]", "vy[7]"],
                    &[
                        0.3706139143970502,
                        -0.7003092922212495,
                        -3.943437585517392,
                        1.091449240428980,
                        3.417003806314313,
                        0.5952396354208710,
                        -3.741244961234010,
                        -1.947020434263292,
                    ],
                    1e-5,
                ),
            ),
            case(
                "ivp_pollution",
                // The sixteenth species, at 4e-18, is far below any absolute tolerance.
                all(
                    &[
                        "y[1]", "y[2]", "y[4]", "y[7]", "y[8]", "y[9]", "y[12]", "y[13]", "y[15]", "y[17]",
                        "y[18]",
                    ],
                    &[
                        0.5646255480022769e-01,
                        0.1342484130422339,
                        0.5523140207484359e-02,
                        0.7784249118997964e-01,
                        0.3245075353396018,
                        0.7494013383880406e-02,
                        0.2230505975721359e-02,
                        0.2087162882798630e-03,
                        0.8964884856898295e-02,
                        0.6899219696263405e-02,
                        0.1007803037365946e-03,
                    ],
                    1e-5,
                ),
            ),
            // Parasitic oscillations that BDF does not damp well: three to four digits remain of nine.
            case(
                "ivp_ring_modulator",
                all(
                    &["u[1]", "u[2]", "u[3]", "u[4]", "u[5]", "u[6]", "u[7]", "i[3]", "i[7]", "i[8]"],
                    &[
                        -0.2339057358486745e-1,
                        -0.7367485485540825e-2,
                        0.2582956709291169,
                        -0.4064465721283450,
                        -0.4039455665149794,
                        0.2607966765422943,
                        0.1106761861269975,
                        0.7267198267264553e-3,
                        0.7088495416976114e-4,
                        0.2390059075236570e-4,
                    ],
                    5e-4,
                ),
            ),
            case(
                "ivp_robertson",
                all(
                    &["y1", "y2", "y3"],
                    &[0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050],
                    1e-3,
                ),
            ),
            case(
                "ivp_transistor_amplifier",
                all(
                    &["y[1]", "y[2]", "y[3]", "y[4]", "y[5]", "y[6]", "y[7]", "y[8]"],
                    &[
                        -0.5562145012262709e-2,
                        0.3006522471903042e1,
                        0.2849958788608128e1,
                        0.2926422536206241e1,
                        0.2704617865010554e1,
                        0.2761837778393145e1,
                        0.4770927631616772e1,
                        0.1236995868091548e1,
                    ],
                    1e-5,
                ),
            ),
            case("ivp_van_der_pol", all(&["x", "v"], &[0.1706167732170483e1, -0.8928097010247975], 1e-5)),
        ],
    );
}
