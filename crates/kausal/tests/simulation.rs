//! Models with a closed form, or with a published end value, from text to result.
//!
//! Each model is a file in `simulation/`; the first part of its name is its group, one test per group. Bounds: what
//! is integrated is compared with about a hundred times the tolerance of its `experiment` annotation, because local
//! errors add up; what follows from algebraic equations, time events and counters with rounding errors. A bound that
//! differs has its reason beside it.

#[path = "support/elliptic.rs"]
mod elliptic;
#[path = "support/published.rs"]
mod published;
mod support;

use std::f64::consts::{FRAC_PI_4, PI};

use elliptic::{agm, sn};
use support::cases::{along, case, check, end, exactly, start};

/// The zero of an increasing function between two points, to rounding.
fn zero(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

#[test]
fn circuits() {
    let (wt, tau) = (2.0, 0.1);
    let follow = move |t: f64| (t.sin() - tau * t.cos() + tau * (-t / tau).exp()) / (1.0 + tau * tau);
    let peak = zero(1.0, 3.0, |t| follow(t) - t.sin());
    // Nodes of the bridge by Cramer's rule.
    let (g, h, k) = (1.0 + 0.5 + 0.25, -0.25, 1.0 / 3.0 + 0.2 + 0.25);
    let (va, vb) =
        ((10.0 * k - h * 10.0 / 3.0) / (g * k - h * h), (g * 10.0 / 3.0 - h * 10.0) / (g * k - h * h));
    let mut current = 0.0f64;
    for _ in 0..5 {
        current = (10.0 + (current - 10.0) * (-0.4f64).exp()) * (-0.6f64).exp();
    }
    check(
        "circuit_",
        vec![
            case(
                "circuit_ac",
                vec![along(
                    "v",
                    move |t| {
                        let a = 10.0 * t;
                        (a.sin() - wt * a.cos() + wt * (-t / 0.2).exp()) / (1.0 + wt * wt)
                    },
                    1e-7,
                )],
            ),
            case(
                "circuit_bridge",
                vec![end("va", va, 1e-12), end("vb", vb, 1e-12), end("i5", (va - vb) / 4.0, 1e-12)],
            ),
            case(
                "circuit_bridge_rectifier",
                // Symmetric about the middle of the source; conductances 1000, 0.001 and 0.1 of the load.
                vec![along("load", |t| t.sin().abs() * (1000.0 - 1e-3) / (1000.0 + 1e-3 + 0.2), 1e-9)],
            ),
            case("circuit_chopper", vec![end("i", current, 1e-6)]),
            case(
                "circuit_parallel_capacitors",
                vec![
                    along("c1.v", |t| 2.0 * (1.0 - (-t / 2.0).exp()), 1e-6),
                    along("c1.i", |t| (-t / 2.0).exp(), 1e-6),
                    along("c2.i", |t| 3.0 * (-t / 2.0).exp(), 1e-6),
                ],
            ),
            case(
                "circuit_peak_detector",
                vec![along("u", move |t| if t < peak { follow(t) } else { follow(peak) }, 1e-6)],
            ),
            case(
                "circuit_rc",
                vec![
                    along("capacitor.v", |t| 5.0 * (1.0 - (-2.0 * t).exp()), 1e-6),
                    along("resistor.i", |t| 2.5 * (-2.0 * t).exp(), 1e-6),
                ],
            ),
            case(
                "circuit_rectifier",
                vec![
                    along("load", |t| (5.0 * t.sin()).max(0.0), 1e-9),
                    along("diode.v", |t| (5.0 * t.sin()).min(0.0), 1e-9),
                ],
            ),
            case(
                "circuit_rlc",
                vec![
                    along("u", |t| 1.0 - (-t).exp() * ((3.0 * t).cos() + (3.0 * t).sin() / 3.0), 1e-6),
                    along("i", |t| (-t).exp() * (3.0 * t).sin() / 3.0, 1e-6),
                ],
            ),
            case(
                "circuit_series_inductors",
                vec![
                    along("b.i", |t| 2.0 * (1.0 - (-2.0 * t).exp()), 1e-6),
                    along("a.v", |t| 2.0 * (-2.0 * t).exp(), 1e-6),
                    along("b.v", |t| 6.0 * (-2.0 * t).exp(), 1e-6),
                ],
            ),
            case(
                "circuit_transformer",
                vec![
                    along("i1", |t| 1.0 - 0.5 * ((-t / 1.6).exp() + (-t / 0.4).exp()), 1e-6),
                    along("i2", |t| 0.5 * ((-t / 0.4).exp() - (-t / 1.6).exp()), 1e-6),
                ],
            ),
        ],
    );
}

#[test]
fn motion() {
    let modes = |sign: f64| move |t: f64| 0.5 * (t.cos() + sign * (1.6f64.sqrt() * t).cos());
    // A period of a pendulum with amplitude a is 2π / agm(1, cos(a/2)); it turns after half of it, and so on.
    let period = 2.0 * PI / agm(1.0, 1.0f64.cos());
    let k = 0.5f64.sin();
    let quarter = 0.5 * PI / agm(1.0, 0.5f64.cos());
    let swing = move |t: f64| 2.0 * (k * sn(t + quarter, k)).asin();
    let limit = (9.81f64 / 0.1).sqrt();
    let anomaly = |t: f64| zero(t - 1.0, t + 1.0, |e| e - 0.6 * e.sin() - t);
    check(
        "motion_",
        vec![
            case(
                "motion_crank",
                vec![
                    along("s", |t| t.cos() + (9.0 - t.sin().powi(2)).sqrt(), 1e-9),
                    along(
                        "rod",
                        |t| {
                            let (s, c, q) = (t.sin(), t.cos(), (9.0 - t.sin().powi(2)).sqrt());
                            2.0 * (-c - (c * c - s * s) / q - (s * c).powi(2) / q.powi(3))
                        },
                        1e-8,
                    ),
                ],
            ),
            case(
                "motion_damped",
                vec![along(
                    "x",
                    |t| (-t).exp() * ((8f64.sqrt() * t).cos() + (8f64.sqrt() * t).sin() / 8f64.sqrt()),
                    1e-6,
                )],
            ),
            case(
                "motion_fall_with_drag",
                vec![
                    along("v", move |t| limit * (9.81 * t / limit).tanh(), 1e-6),
                    along("x", move |t| limit * limit / 9.81 * (9.81 * t / limit).cosh().ln(), 1e-6),
                ],
            ),
            case(
                "motion_gear",
                vec![
                    along("load.phi", |t| 2.0 / 3.0 * t * t, 1e-7),
                    along("motor.w", |t| 4.0 * t, 1e-7),
                    along("load.a.tau", |_| 12.0, 1e-9),
                ],
            ),
            // Gravity turns it neither about its own axis nor about the vertical one. At the start the mass is at (L, 0, 0)
            // and moves with L (0, w3, -w2); its momentum about the vertical axis is (I2 + m L^2) w2.
            case(
                "motion_gyroscope",
                vec![
                    along("energy", |_| 0.25 * 0.13 + 0.5 * (0.02 * 900.0 + 0.05 * 0.13), 1e-4),
                    along("spin", |_| 30.0, 1e-9),
                    along("upright", |_| 0.55 * 0.3, 1e-5),
                ],
            ),
            case(
                "motion_kepler",
                vec![
                    // Errors along the orbit grow with the number of turns.
                    along("x", move |t| anomaly(t).cos() - 0.6, 1e-7),
                    along("y", move |t| 0.8 * anomaly(t).sin(), 1e-7),
                ],
            ),
            case("motion_lotka_volterra", vec![along("kept", |_| 3.0 - 2f64.ln(), 1e-7)]),
            // A hundred radians: sixteen times around.
            case("motion_oscillator", vec![along("x", f64::cos, 1e-7)]),
            case(
                "motion_pendulum_constraint",
                vec![
                    along("x", move |t| swing(t).sin(), 1e-6),
                    along("y", move |t| -swing(t).cos(), 1e-6),
                    along("energy", |_| -(1.0f64.cos()), 1e-6),
                ],
            ),
            // Parameters that have nothing to do with it must not decide which states it has.
            case("motion_pendulum_beside_others", vec![along("energy", |_| 28.125, 1e-4)]),
            // Over 100 s the relative drift stays below 1e-6.
            case("motion_pendulum_energy", vec![along("energy", |_| 24.5, 2.5e-5)]),
            // Turns for 100 s: no coordinate can be the state all the time. Errors of 1e-9 a step add up.
            case("motion_pendulum_turning", vec![along("energy", |_| 24.5 - 9.81, 1e-4)]),
            case("motion_pendulum_period", vec![end("turned", 3.5 * period, 1e-6), exactly("swings", 4.0)]),
            case("motion_resonance", vec![along("x", |t| 0.5 * t * t.sin(), 1e-6)]),
            case(
                "motion_two_masses",
                vec![along("x[1]", modes(1.0), 1e-6), along("x[2]", modes(-1.0), 1e-6)],
            ),
        ],
    );
}

/// Height and number of bounces of the ball at an instant.
fn bouncing_ball(end: f64) -> (f64, f64) {
    let (g, e) = (9.81f64, 0.95f64);
    let mut t = (2.0 / g).sqrt();
    let mut v = e * g * t;
    let mut bounces = 1.0;
    while t + 2.0 * v / g < end {
        t += 2.0 * v / g;
        v *= e;
        bounces += 1.0;
    }
    let s = end - t;
    (v * s - 0.5 * g * s * s, bounces)
}

/// The plant with the sampled proportional controller, and with the proportional-integral one.
fn sampled_control() -> (f64, f64) {
    let hold = |x: f64, u: f64, t: f64| u + (x - u) * (-t).exp();
    let mut x = 1.0;
    for _ in 0..20 {
        x = hold(x, -3.0 * x, 0.1);
    }
    let first = hold(x, -3.0 * x, 0.05);
    let (mut x, mut sum) = (0.0, 0.0);
    let mut t = 0.0;
    while t < 5.05 {
        sum += 0.5 * 0.25 * (1.0 - x);
        x = hold(x, 0.8 * (1.0 - x) + sum, if t + 0.25 > 5.1 { 5.1 - t } else { 0.25 });
        t += 0.25;
    }
    (first, x)
}

/// The angle of a mass that turns freely, whose speeds are set anew: 7 rad/s, then as its horizontal speed -2 at 0.3 says,
/// then as its vertical speed -3 at 0.9 says.
fn turning(t: f64) -> f64 {
    let first = 7.0 * 0.3;
    let second = first - 2.0 / f64::cos(first) * 0.6;
    match t {
        t if t < 0.3 => 7.0 * t,
        t if t < 0.9 => first - 2.0 / f64::cos(first) * (t - 0.3),
        t => second - 3.0 / f64::sin(second) * (t - 0.9),
    }
}

/// The branch through zero of sin(x) = 0.99 sin(5 t).
fn arcsine(t: f64) -> f64 {
    (0.99 * (5.0 * t).sin()).asin()
}

/// The largest solution of y³ - 3 y = 2 + 0.4 sin(9 t).
fn largest_root(t: f64) -> f64 {
    zero(1.0, 3.0, |y| y * y * y - 3.0 * y - 2.0 - 0.4 * (9.0 * t).sin())
}

#[test]
fn events() {
    let (height, bounces) = bouncing_ball(15.0);
    let (proportional, integrating) = sampled_control();
    // Slip: from the angle where the speed is the belt's until it is again; stick: back to the point of release.
    let slip_period = (2.0 * PI - 2.0 * FRAC_PI_4) / 2.0 + 2.0 * 0.25 / 0.5;
    let half = 1.5f64.ln();
    let rest = 10.0 - 24.0 * half;
    check(
        "event_",
        vec![
            case("event_bouncing_ball", vec![end("h", height, 1e-6), exactly("bounces", bounces)]),
            case(
                "event_collision",
                vec![end("x1", 1.0, 1e-8), end("x2", 2.0, 1e-8), exactly("hits", 3.0), exactly("v2", 0.0)],
            ),
            case(
                "event_coulomb",
                vec![
                    end("v", 0.9, 1e-7),
                    end("x", 2.9, 1e-7),
                    along("v", |t| (2.0 - t).max(0.0) + 0.1 * (t - 5.0).max(0.0).powi(2), 1e-7),
                ],
            ),
            case(
                "event_counter",
                vec![exactly("a", 21.0), exactly("b", 86.0), exactly("both", 28.0), exactly("odd", 1.0)],
            ),
            // 4y = 1 and 3v = 2 - 2u.
            case("event_linear_loop", vec![end("u", -1.5, 1e-12), end("v", 5.0 / 3.0, 1e-12)]),
            // 13*0.3 + 8*0.3 + 6*0.4
            case("event_subscript", vec![end("s", 8.7, 1e-6)]),
            // Pulses from -0.3 to 0.2, from 0.7 to 1.2; teeth from 0.3 to 1 within 0.7 and from 0 to 0.8 within 0.8.
            case(
                "event_early_pulses",
                vec![
                    start("first", 1.0, 0.0),
                    start("second", 0.3, 1e-12),
                    start("third", 1.0, 0.0),
                    start("fourth", 1.0, 0.0),
                    end("area[1]", 0.7, 1e-9),
                    end("area[2]", 0.455 + 0.32, 1e-9),
                    end("area[3]", 0.7, 1e-9),
                    end("area[4]", 0.7, 1e-9),
                ],
            ),
            case("event_edges", vec![exactly("rises", 4.0), exactly("changes", 7.0), exactly("flip", 1.0)]),
            case("event_elsewhen", vec![exactly("n", 3.0), exactly("x", 111.0)]),
            case("event_initial", vec![exactly("n", 7.0), end("at", 1.0, 1e-12), start("n", 6.0, 0.0)]),
            // At the start they were what each says; at the event they had been equal, up to sign.
            case(
                "event_fixed_aliases",
                vec![
                    start("from_a", 2.0, 0.0),
                    start("from_b", 5.0, 0.0),
                    start("from_c", 7.0, 0.0),
                    exactly("from_a", 1.0),
                    exactly("from_b", 1.0),
                    exactly("from_c", -1.0),
                    exactly("c", -3.0),
                ],
            ),
            case("event_chain", vec![exactly("last", 1.0)]),
            // x = 1 - 2 sin(4 t)
            case(
                "event_conditions_in_branches",
                vec![
                    end("x", 1.0 - 2.0 * 12f64.sin(), 1e-6),
                    exactly("y", 1.0),
                    exactly("z", (4.0 * (1.0 - 2.0 * 12f64.sin()).sqrt()).floor()),
                    exactly("b", 1.0),
                ],
            ),
            // Stairs of 1, 2, 5 and 10, a quarter each.
            case("event_function_argument", vec![end("x", 4.5, 1e-9)]),
            // sin(3 t)/3 is negative from pi/3 on: -1 until the end.
            case("event_integer_at_zero", vec![end("z", PI / 3.0 - 2.0, 1e-6), exactly("up", 0.0)]),
            case(
                "event_integer_functions",
                vec![end("stairs", 9.0, 1e-7), end("saw", 0.78125, 1e-7), exactly("n", 3.0)],
            ),
            case(
                "event_past_of_aliases",
                vec![
                    exactly("from_y", 1.0),
                    exactly("from_u", 0.0),
                    exactly("from_v", 1.0),
                    exactly("from_always", 0.0),
                    exactly("from_clause", 1.0),
                    exactly("from_heard", 0.0),
                    exactly("heard", 0.0),
                    exactly("risen", 1.0),
                ],
            ),
            // Rounding is odd; the other stairs are three above it.
            case(
                "event_together",
                vec![
                    end("area", 0.0, 1e-9),
                    end("whole", 0.0, 1e-9),
                    end("apart", 3.0, 1e-9),
                    exactly("ticks", 8.0),
                ],
            ),
            case("event_integrating_control", vec![end("x", integrating, 1e-8)]),
            case(
                "event_pulse_width",
                vec![end("charge", (2..=7).map(|n| 1.0 / f64::from(n)).sum(), 1e-7), exactly("k", 6.0)],
            ),
            case(
                "event_reinit_constrained",
                vec![
                    end("v1", 1.5 + 0.5 / 3.0, 1e-9),
                    end("w1", 2.0 + 0.25 / 3.0, 1e-9),
                    end("x1", 0.0, 1e-9),
                    end("u2", -1.0, 1e-9),
                ],
            ),
            case(
                "event_reinit_selected",
                vec![
                    along("x", |t| turning(t).sin(), 1e-6),
                    along("y", |t| -turning(t).cos(), 1e-6),
                    end("vx", -3.0 / turning(0.9).sin() * turning(3.0).cos(), 1e-5),
                ],
            ),
            case(
                "event_relay",
                vec![
                    exactly("switched", 24.0),
                    end("x", 1.0 - 0.6 * (-rest).exp(), 1e-7),
                    exactly("heats", 1.0),
                ],
            ),
            case("event_sampled_control", vec![end("x", proportional, 1e-8)]),
            case(
                "event_shift_register",
                vec![
                    exactly("x[1]", 89.0),
                    exactly("x[2]", 55.0),
                    exactly("x[3]", 34.0),
                    exactly("x[4]", 21.0),
                ],
            ),
            case(
                "event_stick_slip",
                vec![exactly("slips", 12.0), end("last", 1.0 + 11.0 * slip_period, 1e-6)],
            ),
            // It is emptied at 1e-6, so nearer than that it cannot be.
            case(
                "event_tank",
                vec![along("h", |t| (1.0 - 0.25 * t).max(0.0).powi(2), 2e-6), exactly("h", 0.0)],
            ),
            case("event_initial_action", vec![exactly("time", 0.0)]),
            case("event_terminate", vec![end("last", 3.0, 1e-9), end("time", 1.5, 1e-9)]),
            // The bounces form a geometric series.
            case(
                "event_zeno_tail",
                vec![
                    exactly("bounces", 250.0),
                    end(
                        "time",
                        (2.0 / 9.81f64).sqrt() * (1.0 + 2.0 * (0.97 - 0.97f64.powi(250)) / 0.03),
                        1e-6,
                    ),
                ],
            ),
            // The force breaks loose at t = 2/15, and 1000*(t - 2/15) is left over from then on.
            case(
                "event_at_rest",
                vec![
                    along("v", |t| if t < 2.0 / 15.0 { 0.0 } else { 500.0 * (t - 2.0 / 15.0).powi(2) }, 1e-6),
                    end("s", 1000.0 / 6.0 * (1.0_f64 / 15.0).powi(3), 1e-6),
                ],
            ),
            case("event_close_to_tick", vec![exactly("ticks", 10.0), exactly("crossings", 3.0)]),
            // Maxima at pi/2 + 2 k pi, with k up to 15.
            case("event_double_crossing", vec![exactly("n", 16.0)]),
            // Maxima at (pi/2 + 2 k pi)/30, with k up to 47.
            case("event_without_states", vec![exactly("n", 48.0)]),
            // 0 + 1 + … + 29 tenths, and half a tenth of 30.
            case(
                "event_steps_of_time",
                vec![
                    exactly("quarters", 12.0),
                    exactly("tenths", 30.0),
                    exactly("ticks", 30.0),
                    end("saw", 0.05, 1e-12),
                    end("area", 0.1 * 435.0 + 0.05 * 30.0, 1e-9),
                ],
            ),
            case("event_time", vec![end("x", 0.3 - 2.0 * 0.4 + 0.5 * 0.3, 1e-9)]),
        ],
    );
}

#[test]
fn delays() {
    // Pieces of x on [0, 1], [1, 2] and [2, 3], each the integral of the one before.
    let pieces = |t: f64| 1.0 - t + (t - 1.0).max(0.0).powi(2) / 2.0 - (t - 2.0).max(0.0).powi(3) / 6.0;
    check(
        "delay_",
        vec![
            case(
                "delay_cascade",
                vec![
                    along("y", |t| (20.0 * (t - 0.1).max(0.0)).sin(), 1e-7),
                    along("z", |t| (20.0 * (t - 0.15).max(0.0)).sin(), 1e-7),
                ],
            ),
            case("delay_equation", vec![along("x", pieces, 1e-7), end("x", -1.0 / 6.0, 1e-7)]),
            case(
                "delay_signals",
                vec![
                    along("smooth_signal", |t| (t - 0.3).max(0.0).sin(), 1e-6),
                    end("jump", 2.0, 0.0),
                    start("jump", 1.0, 0.0),
                    along("stretched", |t| (0.5 * t).powi(2), 1e-6),
                    along("echo", |_| 2.0, 1e-9),
                    exactly("arrived", 1.0),
                ],
            ),
            // der(x) = cos(sin(x)) is never below cos(1): x grows without a limit.
            case("delay_of_nothing", vec![along("same", |_| 0.0, 1e-6), start("now", 0.0, 0.0)]),
            case(
                "delay_whole_numbers",
                vec![
                    start("later", 3.0, 0.0),
                    exactly("now", 4.0),
                    exactly("before", 4.0),
                    exactly("later", 4.0),
                    exactly("rises", 1.0),
                ],
            ),
        ],
    );
}

#[test]
fn transports() {
    check(
        "transport_",
        vec![
            case(
                "transport_smooth",
                vec![
                    along("deviation", |_| 0.0, 1e-5),
                    along("same", |_| 0.0, 1e-9),
                    start("out1", 2.0, 0.0),
                ],
            ),
            // What leaves at the front entered there when the flow was at the same place: sin(pi - t) = sin(t).
            case(
                "transport_oscillating",
                vec![end("out0", 2.0 + (3.0 * (PI - 2.5)).sin(), 1e-4), end("out1", -2.0 + 5f64.cos(), 1e-9)],
            ),
            case(
                "transport_reversing",
                vec![
                    // In front of the pipe: 5 enters until it turns, and comes back; then 1, then 5 enters again.
                    end("sum0", 5.0 * 1.2 + 1.0 * 0.2 + 5.0 * 1.6, 1e-6),
                    end("sum1", 1.0 * 0.6 + 7.0 * 1.6 + 1.0 * 0.2 + 5.0 * 0.6, 1e-6),
                    end("out1", 5.0, 0.0),
                ],
            ),
            // A round takes one second: 1, 1.5, 1.75, 1.875.
            case(
                "transport_ring",
                vec![
                    start("mixed", 1.0, 0.0),
                    end("sum", 1.0 + 1.5 + 1.75 + 1.875 / 4.0, 1e-6),
                    end("mixed", 1.875, 1e-9),
                ],
            ),
            // Two halves carry like one whole.
            case(
                "transport_shared_flow",
                vec![along("deviation0", |_| 0.0, 1e-4), along("deviation1", |_| 0.0, 1e-4)],
            ),
        ],
    );
}

#[test]
fn functions() {
    check(
        "function_",
        vec![
            case("function_data_sizes", vec![exactly("n", 4.0), exactly("y", 8.0)]),
            case(
                "function_files",
                vec![
                    exactly("first", 1.0),
                    exactly("second", 1.0),
                    exactly("back[1,2]", 2.0),
                    exactly("back[2,2]", 4.0),
                ],
            ),
            case(
                "function_arrays",
                vec![
                    along("p", |t| 1.0 - 2.0 * t + 3.0 * t.powi(3), 1e-12),
                    along("y[1]", |t| 7.0 * t + 2.0, 1e-12),
                    along("y[2]", |t| 16.0 * t + 5.0, 1e-12),
                    along("z[2]", |t| 16.0 * t + 5.0, 1e-12),
                ],
            ),
            case("function_constant_output", vec![along("v", |t| t.sin() / 3.0, 1e-12), exactly("c", 0.0)]),
            case("function_derivative", vec![along("x", |t| 0.5 * t * t, 1e-12), along("v", |t| t, 1e-12)]),
            case(
                "function_no_derivative",
                vec![along("d", |t| (1.0 + t) * (2.0 + t), 1e-12), along("x", |t| 3.0 + 2.0 * t, 1e-12)],
            ),
            case("function_implicit", vec![along("x", |t| (1.0 + 7.0 * t).cbrt(), 1e-12)]),
            case(
                "function_loops",
                vec![
                    start("f", 3_628_800.0, 0.0),
                    exactly("f", 39_916_800.0),
                    // The Collatz sequence of 27 has 111 steps (OEIS A006577); 1001 = 7·11·13.
                    exactly("c", 111.0),
                    exactly("d", 7.0),
                ],
            ),
            case(
                "function_outputs",
                vec![
                    along("x1", |t| (3.0 - (1.0 - 4.0 * t).max(0.0).sqrt()) / 2.0, 1e-12),
                    along("x2", |t| (3.0 + (1.0 - 4.0 * t).max(0.0).sqrt()) / 2.0, 1e-12),
                    exactly("only", -1.0),
                    exactly("other", 0.0),
                ],
            ),
            case(
                "function_record",
                vec![along("z.re", |t| (2.0 * t).cos(), 1e-7), along("square.im", |t| (4.0 * t).sin(), 1e-7)],
            ),
            // gcd(1071, 462) = 21 and gcd(1218, 462) = 42; Ackermann's A(2, n) = 2n + 3.
            case(
                "function_recursion",
                vec![start("g", 21.0, 0.0), exactly("g", 42.0), start("a", 9.0, 0.0), exactly("a", 11.0)],
            ),
        ],
    );
}

#[test]
fn algorithms() {
    let largest = |t: f64| t.sin().max((t + 2.0).sin()).max((t + 4.0).sin());
    check(
        "algorithm_",
        vec![
            case("algorithm_section", vec![along("largest", largest, 1e-9), exactly("which", 2.0)]),
            // At the start and at four quarters; y is 2.25 from 0.7 on.
            case("algorithm_time_event", vec![exactly("count", 5.0), end("area", 2.25 * 0.4, 1e-9)]),
            // y is 1, 2, 4, 8 and 16 for a fifth each; n counts up at 0.05, 0.15, … 0.95.
            case(
                "algorithm_trace",
                vec![
                    exactly("k", 5.0),
                    end("area", 0.2 * 31.0, 1e-6),
                    exactly("n", 10.0),
                    exactly("changes", 10.0),
                    exactly("i", 3.0),
                    exactly("a[3]", 5.0),
                ],
            ),
            case("algorithm_when", vec![exactly("n", 10.0), exactly("last", 100.0), exactly("total", 385.0)]),
            // At 0.5, 0.5 + i, …
            case(
                "algorithm_when_loop",
                vec![exactly("n[1]", 5.0), exactly("n[2]", 3.0), exactly("n[3]", 2.0)],
            ),
            // The first tooth takes 1, the others 0.75.
            case("algorithm_reinit", vec![exactly("teeth", 3.0), end("y", 5.0, 1e-4)]),
        ],
    );
}

#[test]
fn arrays() {
    // x[i+1] = q x[i] - x[i-1] has the solutions r^i and r^-i with r + 1/r = q; here q = 20 + t, x[1] = 1, x[40] = 2.
    let chain = |t: f64| {
        let q = 20.0 + t;
        let r = 0.5 * (q + (q * q - 4.0).sqrt());
        let up = (2.0 - r.powi(-39)) / (r.powi(39) - r.powi(-39));
        up * r.powi(38) + (1.0 - up) * r.powi(-38)
    };
    let decay = |t: f64| (-4.0 * 41.0 * 41.0 * (PI / 82.0).sin().powi(2) * t).exp();
    check(
        "array_",
        vec![
            case(
                "array_heat_rod",
                vec![
                    along("u[1]", move |t| (PI / 41.0).sin() * decay(t), 1e-6),
                    along("u[20]", move |t| (20.0 * PI / 41.0).sin() * decay(t), 1e-6),
                ],
            ),
            // Computed from one end, errors grow by 20 and more in each of 38 equations.
            case("array_chain_of_state", vec![along("x[39]", chain, 1e-9)]),
            // The condition number of the Hilbert matrix of order 6 is 1.5e7.
            case(
                "array_linear_system",
                vec![along("x[1]", |t| 1.0 + t, 1e-8), along("x[5]", |t| 1.0 + t, 1e-8)],
            ),
            case(
                "array_rotation",
                vec![
                    along("trace", |t| 1.0 + 2.0 * (3f64.sqrt() * t).cos(), 1e-8),
                    along("length", |_| 1.0, 1e-8),
                ],
            ),
        ],
    );
}

#[test]
fn components() {
    check(
        "component_",
        vec![
            case(
                "component_arrays",
                vec![
                    along("left.p.i", |t| -(1.0 + t) / 1275.0, 1e-12),
                    // What is left after the first ten of 1 + 2 + … + 50.
                    along("r[10].n.v", |t| (1.0 + t) * (1275.0 - 55.0) / 1275.0, 1e-12),
                ],
            ),
            case("component_bound_input", vec![end("x", (-2.0f64).exp(), 1e-5)]),
            case(
                "component_replaceable",
                vec![end("soft.x", 1.5, 1e-12), end("hard.x", 2.0, 1e-9), end("third.x", 10.0, 1e-12)],
            ),
            case(
                "component_settled_record",
                vec![along("part.inside", f64::sin, 1e-12), along("part.i", |t| 8.0 * t.cos(), 1e-12)],
            ),
        ],
    );
}

#[test]
fn conditions_and_formulas() {
    let decided = |t: f64| if t < 1.0 { t } else { (1.0 - t).exp() };
    check(
        "if_",
        vec![
            case("if_equation", vec![along("x", decided, 1e-7), end("y", 2.0 * (-2.0f64).exp(), 1e-7)]),
            case(
                "if_noevent",
                vec![
                    along("y", |t| (1.0 - t).max(0.0).sqrt(), 1e-12),
                    along("z", |t| (1.0 - t) * (1.0 - t).abs(), 1e-12),
                ],
            ),
        ],
    );
    check(
        "enumeration_",
        vec![case("enumeration_states", vec![end("greens", 3.5, 1e-7), exactly("number", 2.0)])],
    );
    let numbers = [-3.0, 1.0, -1.0, 1.0, -1.0, -2.0, -1.0, -2.0, -3.0, 0.5, -1.5, -1.0, 2.0];
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];
    let whole = names.into_iter().zip(numbers).map(|(n, v)| exactly(n, v)).collect();
    check("whole_", vec![case("whole_numbers", whole)]);
    let identities = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let formulas = names.into_iter().zip(identities).map(|(n, v)| along(n, move |_| v, 4e-13)).collect();
    check("formulas", vec![case("formulas", formulas)]);
}

#[test]
fn initial_values() {
    let third = 3f64.sqrt();
    // The height h = s² fills as t = -4 (s - 2) - 16 ln((4 - s)/2).
    let s = zero(2.0, 3.9, |s| -4.0 * (s - 2.0) - 16.0 * ((4.0 - s) / 2.0).ln() - 2.0);
    check(
        "initial_",
        vec![
            case(
                "initial_algorithm",
                vec![
                    along("x", |t| 32.0 * (-t).exp(), 1e-6),
                    along("y", |t| 8.0 + 32.0 * (1.0 - (-t).exp()), 1e-6),
                ],
            ),
            case(
                "initial_constraint",
                vec![start("x", 2.0 * 0.6f64.sin(), 1e-9), start("y", -2.0 * 0.6f64.cos(), 1e-9)],
            ),
            case("initial_backwards_parameter", vec![end("x", 4.0, 1e-12)]),
            case(
                "initial_dependent_parameter",
                vec![
                    exactly("q", 6.0),
                    exactly("n", 7.0),
                    end("a", 108.0, 1e-9),
                    along("x", |t| 6.0 + 7.0 * t, 1e-6),
                ],
            ),
            case("initial_text", vec![exactly("first", 1111.0), exactly("before", 100.0)]),
            case("initial_states_of_the_model", vec![end("x", 2.0 * (-1f64).exp(), 1e-7)]),
            case("initial_pre_of_real", vec![end("a", 1.0 + 0.25f64.sin(), 1e-9), end("b", 3.5, 1e-12)]),
            case("initial_discrete", vec![exactly("n", 9.0), exactly("b", 1.0), exactly("x", 10.0)]),
            case(
                "initial_homotopy",
                vec![
                    start("x", 20.0, 1e-6),
                    end("x", zero(19.0, 22.0, |x| (x - 20.0).exp() + x - 22.0), 1e-6),
                ],
            ),
            // From the guess alone the root 0 is found; that of the simplified equation is 8, whatever is between.
            case("initial_homotopy_root", vec![along("x", |_| 8.0, 1e-9)]),
            case("initial_trigger", vec![exactly("y", -15.0), along("i", |_| 6e-3, 1e-12)]),
            case("initial_upwind", vec![along("off", |_| 0.0, 1e-9)]),
            case("initial_parameter", vec![end("c", 18.0, 1e-6), along("x", |t| (3.0 * t).cos(), 1e-6)]),
            case("initial_cancelled", vec![start("q[1]", 0.0, 1e-9), start("r[1]", 0.2, 1e-9)]),
            // The acceleration of w is twice drive - angle at the start.
            case("initial_derivative_only", vec![along("drive", |t| 3.0 * (-t).exp(), 1e-6)]),
            case(
                "initial_switched_off",
                vec![
                    along("friction", |_| 0.0, 1e-9),
                    along("drive", |_| 4.0, 1e-9),
                    along("w", |_| 0.0, 1e-9),
                ],
            ),
            case("initial_of_parameters", vec![along("x", |_| -2.0, 1e-9), along("y", |_| -2.0, 1e-9)]),
            case("initial_equal_parameters", vec![along("b", |t| 3.0 * (-t).exp(), 1e-5)]),
            // x2 = 3 at the start, so x3 = 3 t e^-t + 0.5 e^-t.
            case(
                "initial_dependent",
                vec![
                    along("x1", |t| 2.0 * (-t).exp(), 1e-5),
                    along("x2", |t| 3.0 * (-t).exp(), 1e-5),
                    along("x3", |t| (3.0 * t + 0.5) * (-t).exp(), 1e-5),
                ],
            ),
            case("initial_redundant", vec![along("sum", |t| 12.0 * (-t).exp(), 1e-4)]),
            case(
                "initial_preferred_states",
                vec![along("v_rel", |_| 0.5, 1e-9), end("v2", 0.5, 1e-9), start("v2", 1.5, 1e-9)],
            ),
            case(
                "initial_steady_state",
                vec![along("y", move |_| third, 1e-6), along("x", move |_| 1.5 / third, 1e-6)],
            ),
            case("initial_trajectory", vec![end("feed", 2.0, 1e-9), end("h", s * s, 1e-7)]),
        ],
    );
}

#[test]
fn nonlinear_systems() {
    let drop = |t: f64| {
        let source = 5.0 * (1.0 + t);
        zero(0.0, 1.0, |u| 100.0 * 1e-12 * ((u / 0.025).exp() - 1.0) + u - source)
    };
    let pressure = |t: f64| ((11.0 + t) * 6.0 / 11.0).powi(2);
    let limited = |t: f64| (4.0 * t.sin()).clamp(-1.0, 1.0);
    let amplified = |t: f64| (15000.0 * 3.0 * (6.0 * t).sin() / 1501.0).clamp(-15.0, 15.0);
    let second = move |t: f64| {
        zero(-20.0, 20.0, |v| v - (15000.0 * (amplified(t) - 2.0 * v - 0.01 * v.powi(3))).clamp(-15.0, 15.0))
    };
    check(
        "nonlinear_",
        vec![
            // The crank passes the upper dead centre at every full turn from 1 rad to 201 rad.
            case(
                "nonlinear_between_outputs",
                vec![along("x", arcsine, 1e-9), along("y", largest_root, 1e-9)],
            ),
            case("nonlinear_without_states", vec![along("x", arcsine, 1e-9), along("y", largest_root, 1e-9)]),
            case("nonlinear_dead_centre", vec![exactly("n", 31.0)]),
            // Branches end where x = 1/2 - 1/1000 and x = -(1/2 - 1/1000); a step that ends behind one is found to by its
            // error only.
            case("nonlinear_trigger", vec![exactly("y", -1.0), end("x", 2.2 - 4.0 * 0.499, 5e-3)]),
            case("nonlinear_combinations", vec![along("x", |_| -(2.0_f64.ln()), 1e-9)]),
            // Up and down with slope 1 between thresholds of 7.499 on both sides, from 1 down at first.
            case("nonlinear_thresholds", vec![end("v", 7.499 - (60.0 - 8.499 - 3.0 * 14.998), 1e-3)]),
            case("nonlinear_steep", vec![along("va", amplified, 1e-6), along("vb", second, 1e-6)]),
            case("nonlinear_diode", vec![along("u", drop, 1e-9)]),
            case(
                "nonlinear_kepler",
                vec![along("E", |t| zero(t - 1.0, t + 1.0, |e| e - 0.9 * e.sin() - t), 1e-6)],
            ),
            case(
                "nonlinear_mixed",
                vec![along("y", limited, 1e-9), along("u", move |t| 8.0 * t.sin() - limited(t), 1e-9)],
            ),
            case(
                "nonlinear_pair",
                vec![
                    along("x", |t| 0.5 * ((6.0 + t).sqrt() + (2.0 + t).sqrt()), 1e-8),
                    along("y", |t| 0.5 * ((6.0 + t).sqrt() - (2.0 + t).sqrt()), 1e-8),
                ],
            ),
            case(
                "nonlinear_pipes",
                vec![along("dp", pressure, 1e-6), along("q[3]", move |t| pressure(t).sqrt() / 3.0, 1e-6)],
            ),
        ],
    );
}

/// The corpus is as large as was promised.
#[test]
fn at_least_forty() {
    assert!(support::corpus("simulation").len() >= 40);
}
