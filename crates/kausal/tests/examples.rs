//! Every example of the library and every model of the tutorial runs, and its trajectory is that of an independent
//! computation: a closed form, an energy, or the same system written down by hand.

#[path = "support/independent.rs"]
mod independent;

use std::f64::consts::PI;
use std::path::Path;
use std::sync::Arc;

use independent::{Hybrid, Samples, add, cross, dot, solve};
use kausal::simulate;
use kausal::{Backend, Session, Settings};

const G: f64 = 9.80665;
const SIGMA: f64 = 5.670374419e-8;

/// What is checked, and how.
const CHECKS: &[(&str, fn())] = &[
    ("RC", rc),
    ("Divider", divider),
    ("Ladder", ladders),
    ("LadderMeshCut", ladders),
    ("LadderNodeCut", ladders),
    ("LadderTearCut", ladders),
    ("SeriesResonance", series_resonance),
    ("Rectifier", rectifier),
    ("DiodeRectifier", diode_rectifier),
    ("BuckConverter", buck_converter),
    ("ActiveFilter", active_filter),
    ("TransmissionLine", transmission_line),
    ("Chua", chua),
    ("VanDerPol", van_der_pol),
    ("Reaction", reaction),
    ("TwoFilters", two_filters),
    ("MotorControl", motor_control),
    ("SampledControl", sampled_control),
    ("Thermostat", thermostat),
    ("HeatedRod", heated_rod),
    ("CoolingBody", cooling_body),
    ("BouncingBall", bouncing_ball),
    ("HangingMass", hanging_mass),
    ("FrictionOscillator", friction_oscillator),
    ("StickSlip", stick_slip),
    ("Stops", stops),
    ("DriveTrain", drive_train),
    ("ElasticDriveTrain", elastic_drive_train),
    ("CoupledClutches", coupled_clutches),
    ("BondTwoCapacitors", bond_two_capacitors),
    ("BondNetwork", bond_network),
    ("BondRing", bond_ring),
    ("BondMotor", bond_motor),
    ("Pendulum", pendulums),
    ("PlanarPendulum", pendulums),
    ("DoublePendulum", double_pendulum),
    ("FurutaPendulum", furuta_pendulum),
    ("SpinningTop", spinning_top),
    ("TumblingBody", tumbling_body),
    ("SpringPendulum", spring_pendulum),
    ("FourBar", four_bars),
    ("FourBarReduced", four_bars),
    ("Chain", chain),
    ("SliderCrank", slider_crank),
    ("Robot", robot),
    ("RobotArm", robot_arm),
];

/// The models of the tutorial.
const TUTORIAL: &[(&str, fn())] = &[
    ("Resistor", tutorial_resistor),
    ("Oscillator", tutorial_oscillator),
    ("RC", tutorial_rc),
    ("LowPass", tutorial_low_pass),
    ("Motor", tutorial_motor),
    ("SpeedControl", tutorial_speed_control),
    ("BouncingBall", tutorial_bouncing_ball),
    ("Clutch", tutorial_clutch),
    ("HouseHeating", tutorial_house_heating),
    ("Pendulum", tutorial_pendulum),
    ("FourBar", tutorial_four_bar),
    ("Robot", tutorial_robot),
];

#[test]
fn nothing_is_left_out() {
    for (name, _) in kausal::examples::examples() {
        let short = name.strip_prefix("Kausal.Examples.").unwrap_or(&name);
        assert!(CHECKS.iter().any(|(known, _)| *known == short), "{name} is not checked");
    }
    for (name, _) in kausal::examples::tutorial() {
        assert!(TUTORIAL.iter().any(|(known, _)| *known == name), "{name} is not checked");
    }
}

/// Every fourth of all checks, each function once.
fn part(k: usize) {
    let mut done: Vec<fn()> = Vec::new();
    let all = CHECKS.iter().chain(TUTORIAL).enumerate().filter(|(i, _)| i % 4 == k);
    for (_, &(name, check)) in all {
        let first = CHECKS.iter().find(|(_, other)| std::ptr::fn_addr_eq(*other, check));
        if first.is_none_or(|(other, _)| *other == name)
            && !done.iter().any(|d| std::ptr::fn_addr_eq(*d, check))
        {
            check();
            done.push(check);
        }
    }
}

#[test]
fn examples_of_the_first_part() {
    part(0);
}

#[test]
fn examples_of_the_second_part() {
    part(1);
}

#[test]
fn examples_of_the_third_part() {
    part(2);
}

#[test]
fn examples_of_the_fourth_part() {
    part(3);
}

/// Runs a model until `stop` with a small tolerance; `body` is what a model that extends it has in addition.
fn example(name: &str, stop: f64, body: &str) -> Samples {
    run(Session::new(), &format!("Kausal.Examples.{name}"), stop, body, 1e-9)
}

fn tutorial(file: &str, stop: f64, body: &str) -> Samples {
    let mut session = Session::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tutorial").join(file);
    let name = session.add_file(&path).and_then(|names| names.last().cloned());
    let name = name.unwrap_or_else(|| panic!("{file}: {:?}", session.take_diagnostics()));
    run(session, &name, stop, body, 1e-9)
}

fn run(mut session: Session, name: &str, stop: f64, body: &str, tolerance: f64) -> Samples {
    let mut model = name.to_owned();
    if !body.is_empty() {
        session.add_text("Checked.mo", &format!("model Checked extends {name}; {body} end Checked;"));
        model = "Checked".to_owned();
    }
    let flat = session.flatten(&model).unwrap_or_else(|| panic!("{name}: {:?}", session.take_diagnostics()));
    let program = session.translate(&flat, &Default::default());
    let program = program.unwrap_or_else(|| panic!("{name}: {:?}", session.take_diagnostics()));
    let compiled = session.compile(program, Backend::Jit).expect("code");
    let settings = Settings { start: 0.0, stop, interval: stop / 50.0, tolerance, ..Settings::default() };
    let run = simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{name}: {:?}", run.diagnostics);
    assert!(run.trajectory.time.last().is_some_and(|t| (t - stop).abs() < 1e-9 * stop), "{name} ends early");
    Samples { file: name.to_owned(), run }
}

fn rc() {
    example("RC", 5.0, "").follows("capacitor.v", 1e-7, |t| 10.0 * (1.0 - (-t).exp()));
}

fn divider() {
    example("Divider", 1.0, "").follows("lower.v", 1e-12, |_| 12.0 * 2.0 / 3.0);
}

/// The resistance of the ladder from its far end.
fn ladders() {
    let parallel = |a: f64, b: f64| a * b / (a + b);
    let end = 300.0 + parallel(400.0, 1100.0);
    let current = 10.0 / (100.0 + parallel(200.0, end));
    for name in ["Ladder", "LadderMeshCut", "LadderNodeCut", "LadderTearCut"] {
        let s = example(name, 1.0, "");
        s.follows("R1.i", 1e-12, |_| current);
        s.follows("R6.v", 1e-12, |_| {
            (10.0 - 100.0 * current) * parallel(400.0, 1100.0) / end * 600.0 / 1100.0
        });
    }
}

fn series_resonance() {
    let (decay, w): (f64, f64) = (500.0, (1e8_f64 - 250_000.0).sqrt());
    example("SeriesResonance", 0.01, "").follows("capacitor.v", 1e-6, |t| {
        let t = (t - 0.001).max(0.0);
        1.0 - (-decay * t).exp() * ((w * t).cos() + decay / w * (w * t).sin())
    });
}

/// Two diodes at a time carry what the source has more than the capacitor; leakage is left out.
fn rectifier() {
    let s = example("Rectifier", 0.1, "");
    s.follows_ode(["capacitor.v"], [0.0], (2e-6, &[], 1e-4), |t, _, [v]| {
        let i = ((12.0 * (100.0 * PI * t).sin()).abs() - v).max(0.0) / (0.5 + 2e-5);
        [(i - v / 20.0) / 2e-3]
    });
}

/// The voltage of the diode by Newton's method.
fn diode_rectifier() {
    let current = |u: f64| {
        let mut v = u.min(0.5);
        for _ in 0..100 {
            let e = if v > 0.6 { 15_f64.exp() * (1.0 + v / 0.04 - 15.0) } else { (v / 0.04).exp() };
            let slope = if v > 0.6 { 15_f64.exp() } else { e };
            let i = 1e-8 * v + 1e-9 * (e - 1.0);
            let change = (u - v - i) / (1.0 + 1e-8 + 1e-9 * slope / 0.04);
            v += change;
            if change.abs() < 1e-14 {
                break;
            }
        }
        u - v
    };
    let s = example("DiodeRectifier", 0.1, "");
    s.follows_ode(["capacitor.v"], [0.0], (2e-6, &[], 1e-5), |t, _, [v]| {
        [(current(5.0 * (100.0 * PI * t).sin() - v) - v / 500.0) / 1e-4]
    });
}

/// Three modes in each period: switch closed, diode conducting, no current. Resistances and leakage are left out.
fn buck_converter() {
    const PERIOD: f64 = 2e-5;
    let s = example("BuckConverter", 0.002, "");
    let on = |mode: usize| mode.is_multiple_of(3);
    let end = |mode: usize| (mode / 3) as f64 * PERIOD + if on(mode) { 0.4 * PERIOD } else { PERIOD };
    let system = Hybrid {
        derivative: &|mode, _, [i, v]| {
            let u = if on(mode) { 12.0 } else { 0.0 };
            let slope = if mode % 3 == 2 { 0.0 } else { (u - v) / 1e-4 };
            [slope, (i - v / 2.0) / 1e-4]
        },
        leaves: &|mode, t, [i, _]| if mode % 3 == 1 { (t - end(mode)).max(-i * 1e-6) } else { t - end(mode) },
        next: &|mode, t, [i, v]| match (mode % 3, t >= end(mode)) {
            (0, _) => (mode + 1, [i, v]),
            (1, false) => (mode + 1, [0.0, v]),
            _ => (3 * (mode / 3 + 1), [i, v]),
        },
    };
    s.follows_hybrid(&["inductor.i", "capacitor.v"], ([0.0, 0.0], 0), (2e-7, 2e-3), &system);
}

fn active_filter() {
    example("ActiveFilter", 0.02, "")
        .follows("load.v", 1e-7, |t| -2.0 * (1.0 - (-(t - 0.001).max(0.0) / 0.002).exp()));
}

/// Currents and voltages of the sections in turn.
fn transmission_line() {
    const N: usize = 60;
    let names: Vec<String> =
        (1..=30).flat_map(|k| [format!("coil[{k}].i"), format!("capacitor[{k}].v")]).collect();
    let names: [&str; N] = std::array::from_fn(|k| names[k].as_str());
    let s = example("TransmissionLine", 1e-4, "");
    let z = 1e6_f64.sqrt();
    s.follows_ode(names, [0.0; N], (2e-8, &[1e-6, 4.1e-5], 1e-6), |_, middle, x: [f64; N]| {
        let source = if (1e-6..4.1e-5).contains(&middle) { 1.0 } else { 0.0 };
        std::array::from_fn(|k| match k {
            0 => (source - z * x[0] - x[1]) / 1e-3,
            k if k % 2 == 0 => (x[k - 1] - x[k + 1]) / 1e-3,
            59 => (x[58] - x[59] / z) / 1e-9,
            k => (x[k - 1] - x[k + 1]) / 1e-9,
        })
    });
}

/// Chaos doubles errors again and again: compared in the beginning.
fn chua() {
    let s = example("Chua", 10.0, "");
    s.follows_ode(["C1.v", "C2.v", "inductor.i"], [0.7, 0.0, 0.0], (1e-4, &[], 1e-4), |_, _, [v1, v2, i]| {
        let diode = -5.0 / 7.0 * v1 - 3.0 / 14.0 * ((v1 + 1.0).abs() - (v1 - 1.0).abs());
        [15.6 * (v2 - v1 - diode), v1 - v2 - i, 28.0 * v2]
    });
}

/// On the slow parts of the cycle; steps are so small that the explicit formula is stable.
fn van_der_pol() {
    let s = example("VanDerPol", 1000.0, "");
    let (mut t, mut x) = (0.0, [2.0, 0.0]);
    for i in 0..s.len() {
        let n = ((s.time(i) - t) / 1e-4).ceil() as usize;
        let h = if n == 0 { 0.0 } else { (s.time(i) - t) / n as f64 };
        let f = |[x, y]: [f64; 2]| [y, 1000.0 * (1.0 - x * x) * y - x];
        for _ in 0..n {
            let k1 = f(x);
            let k2 = f([x[0] + h / 2.0 * k1[0], x[1] + h / 2.0 * k1[1]]);
            let k3 = f([x[0] + h / 2.0 * k2[0], x[1] + h / 2.0 * k2[1]]);
            let k4 = f([x[0] + h * k3[0], x[1] + h * k3[1]]);
            x = [0, 1].map(|j| x[j] + h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]));
        }
        t = s.time(i);
        if x[1].abs() < 0.01 {
            s.is_close("x", i, x[0], 1e-5);
        }
    }
    // One jump, at about 807.
    assert!(x[0] < -1.0);
}

/// By an L-stable formula of two stages with steps that grow with time.
fn reaction() {
    let s = example("Reaction", 1e5, "");
    let f = |[a, b]: [f64; 2]| {
        let c = 1.0 - a - b;
        [-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b * b]
    };
    let gamma = 1.0 - 0.5_f64.sqrt();
    // k = f(x + gamma*h*k)
    let stage = |x: [f64; 2], h: f64, guess: [f64; 2]| {
        let mut k = guess;
        for _ in 0..50 {
            let y = [x[0] + gamma * h * k[0], x[1] + gamma * h * k[1]];
            let r = f(y);
            let c = 1.0 - y[0] - y[1];
            let (g, p, q) = (gamma * h, 1e4 * (c - y[1]), 1e4 * y[1]);
            let j = [[-0.04 - q, p], [0.04 + q, -p - 6e7 * y[1]]];
            let m = [[1.0 - g * j[0][0], -g * j[0][1]], [-g * j[1][0], 1.0 - g * j[1][1]]];
            let d = solve(m, [r[0] - k[0], r[1] - k[1]]);
            k = [k[0] + d[0], k[1] + d[1]];
            if d[0].abs() + d[1].abs() < 1e-15 * (k[0].abs() + k[1].abs()) {
                break;
            }
        }
        k
    };
    let (mut t, mut x) = (0.0_f64, [1.0, 0.0]);
    for i in 0..s.len() {
        while t < s.time(i) {
            let h = (1e-9 + 1e-3 * t).min(s.time(i) - t);
            let k1 = stage(x, h, f(x));
            let y = [0, 1].map(|j| x[j] + (1.0 - gamma) * h * k1[j]);
            let k2 = stage(y, h, k1);
            x = [0, 1].map(|j| x[j] + h * ((1.0 - gamma) * k1[j] + gamma * k2[j]));
            t = if s.time(i) - t <= h { s.time(i) } else { t + h };
        }
        s.is_close("A", i, x[0], 1e-6);
        let b = s.at("B", i);
        assert!((b - x[1]).abs() < 1e-5 * x[1] + 1e-10, "B({t}) = {b}, not {}", x[1]);
    }
}

fn two_filters() {
    example("TwoFilters", 5.0, "").follows("fast.y", 1e-6, |t| {
        let t = (t - 0.5).max(0.0);
        1.0 - ((-t).exp() - 0.001 * (-t / 0.001).exp()) / 0.999
    });
}

/// Controller, current, rotor, twist of the shaft, load.
fn motor_control() {
    let s = example("MotorControl", 2.0, "");
    let names = ["controller.I", "inductor.i", "rotor.w", "shaft.phi_rel", "load.w"];
    s.follows_ode(names, [0.0; 5], (5e-5, &[0.1, 1.0], 1e-5), |_, middle, [integral, i, w1, twist, w2]| {
        let (wanted, torque) =
            (if middle > 0.1 { 100.0 } else { 0.0 }, if middle > 1.0 { -0.5 } else { 0.0 });
        let v = 0.5 * (wanted - w1) + integral;
        let y = v.clamp(-24.0, 24.0);
        // The angle of the load relative to the rotor; the torque on the load.
        let spring = -50.0 * twist - 0.05 * (w2 - w1);
        [
            0.5 * (wanted - w1) / 0.1 + (y - v) / 0.05,
            (y - 0.5 * i - 0.15 * w1) / 1e-3,
            (0.15 * i - spring) / 1e-3,
            w2 - w1,
            (spring + torque) / 2e-3,
        ]
    });
}

/// The plant between two samples, and the controller at each.
fn sampled_control() {
    let s = example("SampledControl", 10.0, "");
    let out = std::cell::Cell::new((0.0_f64, 0.0_f64));
    let sample = |k: usize, y: f64| {
        let u = if k >= 5 { 1.0 - y } else { -y };
        let (integral, _) = out.get();
        let now = (2.0 * u + integral).clamp(-2.5, 2.5);
        let inside = now > -2.5 && now < 2.5;
        out.set((if inside { integral + 2.0 * 0.1 / 0.8 * u } else { integral }, now));
    };
    sample(0, 0.0);
    let system = Hybrid {
        derivative: &|_, _, [y, v]| [v, 4.0 * (out.get().1 - y) - 2.0 * 0.7 * 2.0 * v],
        leaves: &|mode, t, _| t - (mode + 1) as f64 * 0.1,
        next: &|mode, _, [y, v]| {
            sample(mode + 1, y);
            (mode + 1, [y, v])
        },
    };
    s.follows_hybrid(&["plant.y"], ([0.0, 0.0], 0), (1e-3, 1e-6), &system);
}

/// Heating, mode 1, until 21 degrees; not heating until 20.
fn thermostat() {
    let s = example("Thermostat", 86_400.0, "");
    let system = Hybrid {
        derivative: &|mode, t, [room]| {
            let outside = 273.15 + 5.0 * (2.0 * PI * t / 86_400.0).sin();
            [(5000.0 * mode as f64 - 150.0 * (room - outside)) / 2e6]
        },
        leaves: &|mode, _, [room]| if mode == 1 { room - 294.15 } else { 293.15 - room },
        next: &|mode, _, x| (1 - mode, x),
    };
    s.follows_hybrid(&["room.T"], ([288.15], 1), (10.0, 1e-7), &system);
}

/// The eigenvectors of the discretized rod are sine functions.
fn heated_rod() {
    let s = example("HeatedRod", 1000.0, "");
    let n = 20.0;
    for piece in [1, 7, 20] {
        let place = f64::from(piece) - 0.5;
        s.follows(&format!("piece[{piece}].T"), 1e-8, |t| {
            let mut value = 373.15 - 100.0 * place / n;
            for k in 1..=20 {
                let mode = |x: f64| (f64::from(k) * PI * x / n).sin();
                // The beginning minus the line, as a sum of modes.
                let project = (1..=20).map(|j| {
                    let x = f64::from(j) - 0.5;
                    (293.15 - 373.15 + 100.0 * x / n) * mode(x)
                });
                let norm = (1..=20).map(|j| mode(f64::from(j) - 0.5).powi(2)).sum::<f64>();
                let rate = n * 2.0 / (400.0 / n) * 4.0 * (f64::from(k) * PI / (2.0 * n)).sin().powi(2);
                value += project.sum::<f64>() / norm * mode(place) * (-rate * t).exp();
            }
            value
        });
    }
}

fn cooling_body() {
    example("CoolingBody", 2000.0, "")
        .follows("body.T", 1e-8, |t| (1200_f64.powi(-3) + 3.0 * 0.05 * SIGMA * t / 500.0).powf(-1.0 / 3.0));
}

/// The height after all flights that are over.
fn bounced(t: f64) -> f64 {
    let (mut begin, mut v) = (0.0, 0.0_f64);
    let mut height = 1.0;
    loop {
        let duration = (v + (v * v + 2.0 * G * height).sqrt()) / G;
        if t < begin + duration {
            let t = t - begin;
            return height + v * t - 0.5 * G * t * t;
        }
        begin += duration;
        v = 0.8 * (duration * G - v);
        height = 0.0;
        if v < 1e-3 {
            return 0.0;
        }
    }
}

fn bouncing_ball() {
    example("BouncingBall", 5.0, "").follows("h", 1e-6, bounced);
}

fn swing(t: f64, decay: f64, w: f64) -> f64 {
    (-decay * t).exp() * ((w * t).cos() + decay / w * (w * t).sin())
}

fn hanging_mass() {
    let rest = -G / 100.0;
    let w = (100.0_f64 - 0.04).sqrt();
    example("HangingMass", 20.0, "").follows("mass.s", 1e-6, |t| rest + (-0.2 - rest) * swing(t, 0.2, w));
}

/// Each half swing is one about a point two centimetres from the middle.
fn friction_oscillator() {
    example("FrictionOscillator", 6.0, "").follows("mass.s", 1e-6, |t| {
        let n = ((10.0 * t / PI) as usize).min(12);
        let side = if n.is_multiple_of(2) { 1.0 } else { -1.0 };
        let far = 0.49 - 0.04 * n as f64;
        let phase = if n == 12 { 0.0 } else { 10.0 * t - n as f64 * PI };
        side * (0.02 + (far - 0.02) * phase.cos())
    });
}

/// Sticking, mode 0, until the spring has four newtons; sliding until the belt is caught up with.
fn stick_slip() {
    let s = example("StickSlip", 10.0, "");
    let system = Hybrid {
        derivative: &|mode, _, [x, v]| {
            let friction = 2.0 + 2.0 * (-(v - 0.1_f64).abs() / 0.05).exp();
            if mode == 0 { [0.1, 0.0] } else { [v, friction - 50.0 * x] }
        },
        leaves: &|mode, _, [x, v]| if mode == 0 { 50.0 * x - 4.0 } else { v - 0.1 - 1e-12 },
        next: &|mode, _, [x, _]| (1 - mode, [x, 0.1]),
    };
    s.follows_hybrid(&["mass.s", "mass.v"], ([0.0, 0.1], 0), (2e-4, 1e-5), &system);
}

/// Flying, mode 0; touching a stop, mode 1; leaving it, which does not pull, mode 2.
fn stops() {
    let s = example("Stops", 10.0, "");
    let push = |x: f64, v: f64| 1e5 * (x.abs() - 1.0) + 50.0 * v * x.signum();
    let system = Hybrid {
        derivative: &|mode, _, [x, v]| [v, if mode == 1 { -push(x, v) * x.signum() } else { 0.0 }],
        leaves: &|mode, _, [x, v]| match mode {
            0 => x.abs() - 1.0,
            1 => -push(x, v) - 1e-9,
            _ => 1.0 - x.abs(),
        },
        next: &|mode, _, x| ((mode + 1) % 3, x),
    };
    s.follows_hybrid(&["mass.s", "mass.v"], ([0.0, 2.0], 0), (1e-5, 1e-4), &system);
}

fn drive_train() {
    let s = example("DriveTrain", 1.0, "");
    s.follows("shaft2.w", 1e-8, |t| 2.0 * t);
    s.follows("shaft1.phi", 1e-8, |t| 4.0 * t * t);
}

/// What the motor gives is in the inertias, in the shaft, or lost.
fn elastic_drive_train() {
    let body = "Real W(start = 0, fixed = true) \"Work done\"; equation
      der(W) = pulse.y*rotor.w - 5*(load.w - rotor.w/5)^2 - bearing.loss;";
    let s = example("ElasticDriveTrain", 8.0, body);
    s.constant("energy", 50.0, |i| {
        let (rotor, load, twist) = (s.at("rotor.w", i), s.at("load.w", i), s.at("shaft.phi_rel", i));
        0.05 * rotor * rotor + 2.5 * load * load + 1000.0 * twist * twist - s.at("W", i)
    });
    for i in 0..s.len() {
        let (w, torque) = (s.at("load.w", i), s.at("bearing.loss", i));
        assert!((torque - (25.0 * w.abs() + w * w)).abs() < 1e-4 * (1.0 + torque), "{w}, {torque}");
    }
}

/// Momentum and energy.
fn coupled_clutches() {
    let body = "Real W(start = 0, fixed = true); equation
      der(W) = 6*sin(Kausal.Constants.pi/2*time)*J1.w - clutch1.loss - clutch2.loss - clutch3.loss;";
    let s = example("CoupledClutches", 3.0, body);
    let parts = [("J1.w", 1.2), ("J2.w", 0.8), ("J3.w", 0.6), ("J4.w", 0.9)];
    s.constant("momentum", 20.0, |i| {
        let given = 6.0 / (0.5 * PI) * (1.0 - (0.5 * PI * s.time(i)).cos());
        parts.iter().map(|(name, inertia)| inertia * s.at(name, i)).sum::<f64>() - given
    });
    s.constant("energy", 100.0, |i| {
        parts.iter().map(|(name, inertia)| 0.5 * inertia * s.at(name, i).powi(2)).sum::<f64>() - s.at("W", i)
    });
    // The second and the third clutch stick in the end.
    let last = s.len() - 1;
    s.is_close("J4.w", last, s.at("J3.w", last), 1e-6);
}

fn bond_two_capacitors() {
    let s = example("BondTwoCapacitors", 2.0, "");
    s.follows("C1.e", 1e-7, |t| 1.0 - (-t / 0.3).exp());
    s.follows("C2.e", 1e-7, |t| 1.0 - (-t / 0.3).exp());
}

/// Capacitances in series and parallel, from the far end.
fn bond_network() {
    let series = |a: f64, b: f64| a * b / (a + b);
    let whole = 1.0 + series(2.0, 3.0 + series(4.0, 5.0));
    let s = example("BondNetwork", 10.0, "");
    let e1 = |t: f64| 1.0 - (-t / whole).exp();
    let e3 = 2.0 / (2.0 + 3.0 + series(4.0, 5.0));
    s.follows("C1.e", 1e-7, e1);
    s.follows("C3.e", 1e-7, |t| e3 * e1(t));
    s.follows("C5.e", 1e-7, |t| e3 * 4.0 / 9.0 * e1(t));
}

/// The ring is between source and ground: the flow of R1 is constant, and the rest of F charges both.
fn bond_ring() {
    let s = example("BondRing", 10.0, "");
    s.follows("R1.f", 1e-9, |_| (1.0 - 2.0 * 0.1) / 3.0);
    s.follows("C1.e", 1e-7, |t| 0.1 / 3.0 * t);
    s.follows("C2.e", 1e-7, |t| 1.0 - 0.1 / 3.0 * t);
}

fn bond_motor() {
    let s = example("BondMotor", 1.0, "");
    let mass = 10.0 + 5e-4 / (0.02 * 0.02);
    s.follows_ode(["L.f", "m.f"], [0.0, 0.0], (1e-5, &[], 1e-6), |_, _, [i, v]| {
        [(24.0 - 0.8 * i - 0.2 * v / 0.02) / 2e-3, (0.2 * i / 0.02 - 98.0665) / mass]
    });
}

fn pendulums() {
    for (name, sign) in [("Pendulum", 1.0), ("PlanarPendulum", -1.0)] {
        let s = example(name, 5.0, "");
        let f = |_, _, [q, w]: [f64; 2]| [w, sign * 1.5 * G * q.cos()];
        s.follows_ode(["joint.q", "joint.qd"], [0.0, 0.0], (1e-4, &[], 1e-6), f);
    }
}

/// The equations of Lagrange with the angles of the two rods, measured downwards from the horizontal.
fn double_pendulum() {
    let s = example("DoublePendulum", 3.0, "");
    let f = |_, _, [q1, q2, w1, w2]: [f64; 4]| {
        let (a, b, wa, wb) = (q1, q1 + q2, w1, w1 + w2);
        let (l, c, m, j) = (0.5, 0.25, 1.0, 0.02);
        let coupling = m * l * c * (a - b).cos();
        let matrix = [[j + m * c * c + m * l * l, coupling], [coupling, j + m * c * c]];
        let turning = m * l * c * (a - b).sin();
        let right =
            [(m * c + m * l) * G * a.cos() - turning * wb * wb, m * c * G * b.cos() + turning * wa * wa];
        let [za, zb] = solve(matrix, right);
        [w1, w2, za, zb - za]
    };
    let names = ["joint1.q", "joint2.q", "joint1.qd", "joint2.qd"];
    s.follows_ode(names, [0.0, 0.5, 0.0, 0.0], (1e-4, &[], 1e-5), f);
}

/// Kinetic and potential energy of a body whose motion is resolved in its own frame.
fn body_energy(s: &Samples, body: &str, i: usize) -> f64 {
    let (velocity, omega, place) =
        ["vel", "omega", "r"].map(|n| s.vector(&format!("{body}.a.m.{n}"), i)).into();
    let centre = s.vector(&format!("{body}.r_CM"), i);
    let v = add(velocity, cross(omega, centre));
    let height = place[2] + dot(vertical(s, body, i), centre);
    let m = s.at(&format!("{body}.m"), i);
    0.5 * m * dot(v, v) + 0.5 * dot(omega, momentum(s, body, omega, i)) + m * G * height
}

/// The vertical direction in the frame of a body.
fn vertical(s: &Samples, body: &str, i: usize) -> [f64; 3] {
    [1, 2, 3].map(|k| s.at(&format!("{body}.a.m.S[{k},3]"), i))
}

fn momentum(s: &Samples, body: &str, omega: [f64; 3], i: usize) -> [f64; 3] {
    [1, 2, 3].map(|r| dot([1, 2, 3].map(|c| s.at(&format!("{body}.I[{r},{c}]"), i)), omega))
}

fn energy(s: &Samples, bodies: &[&str], i: usize) -> f64 {
    bodies.iter().map(|body| body_energy(s, body, i)).sum()
}

fn furuta_pendulum() {
    let body = "Real W(start = 0, fixed = true); equation der(W) = -0.002*turn.qd^2 - 0.001*swing.qd^2;";
    let s = example("FurutaPendulum", 10.0, body);
    s.constant("energy", 3.0, |i| energy(&s, &["arm.body", "pendulum.body"], i) - s.at("W", i));
}

/// Energy, momentum about the vertical, and momentum about the axis of the top.
fn spinning_top() {
    let s = example("SpinningTop", 2.0, "");
    s.constant("energy", 5.0, |i| body_energy(&s, "top", i));
    s.constant("vertical momentum", 0.05, |i| {
        let (omega, centre) = (s.vector("top.a.m.omega", i), s.vector("top.r_CM", i));
        let m = s.at("top.m", i);
        let orbital = cross(centre, cross(omega, centre)).map(|x| m * x);
        dot(vertical(&s, "top", i), add(momentum(&s, "top", omega, i), orbital))
    });
    s.constant("spin", 150.0, |i| s.at("top.a.m.omega[3]", i));
}

fn tumbling_body() {
    let s = example("TumblingBody", 4.0, "");
    s.follows("body.a.m.r[3]", 1e-7, |t| 20.0 * t - 0.5 * G * t * t);
    s.follows("body.a.m.r[1]", 1e-7, |t| t);
    let turning = |i| momentum(&s, "body", s.vector("body.a.m.omega", i), i);
    s.constant("energy of the rotation", 1.0, |i| dot(turning(i), s.vector("body.a.m.omega", i)));
    s.constant("momentum", 0.05, |i| dot(turning(i), turning(i)));
}

/// A point mass: the force goes through the centre of mass.
fn spring_pendulum() {
    let s = example("SpringPendulum", 10.0, "");
    let names = ["free.r_rel[1]", "free.r_rel[2]", "free.r_rel[3]"];
    let system = |_, _, [x, y, z, u, v, w]: [f64; 6]| {
        let length = (x * x + y * y + z * z).sqrt();
        let rate = (x * u + y * v + z * w) / length;
        let pull = (100.0 * (length - 1.0) + 0.1 * rate) / length;
        [u, v, w, -pull * x, -pull * y, -pull * z - G]
    };
    let all = [names[0], names[1], names[2], "free.v_rel[1]", "free.v_rel[2]", "free.v_rel[3]"];
    s.follows_ode(all, [0.5, 0.0, -1.0, 0.0, 0.5, 0.0], (1e-4, &[], 1e-5), system);
}

/// Energy, and the place of the slider from the angle of the crank: its pin is 0.8 m from that of the slider.
fn four_bars() {
    for name in ["FourBar", "FourBarReduced"] {
        let s = example(name, 5.0, "");
        s.constant("energy", 20.0, |i| energy(&s, &["crank.body", "slider", "coupler.body"], i));
        for i in 0..s.len() {
            let q = s.at("j1.q", i);
            let across = (0.2 * q.cos() - 0.1).powi(2) + (0.2 * q.sin()).powi(2);
            s.is_close("j4.q", i, (0.64 - across).sqrt(), 1e-6);
        }
    }
}

fn chain() {
    let s = example("Chain", 1.0, "");
    let bodies: Vec<String> = (1..=6).map(|k| format!("link[{k}].body")).collect();
    s.constant("energy", 20.0, |i| bodies.iter().map(|body| body_energy(&s, body, i)).sum());
}

/// Energy, and the place of the piston from the angle of the crank.
fn slider_crank() {
    let s = example("SliderCrank", 2.0, "");
    let part = |body: &str, i: usize| {
        let [m, inertia, u, v, w, y] =
            ["m", "I", "v[1]", "v[2]", "w", "a.r[2]"].map(|n| s.at(&format!("{body}.{n}"), i));
        0.5 * m * (u * u + v * v) + 0.5 * inertia * w * w + m * G * y
    };
    s.constant("energy", 2.0, |i| ["crank.body", "rod.body", "piston"].iter().map(|b| part(b, i)).sum());
    for i in 0..s.len() {
        let q = s.at("bearing.q", i);
        s.is_close("guide.q", i, 0.1 * q.cos() + (0.09 - (0.1 * q.sin()).powi(2)).sqrt(), 1e-6);
    }
}

const ROBOT: [&str; 7] = ["b1.body", "b2.body", "b3.body", "b4.body", "b5.body", "b6", "payload"];

fn robot_energy(s: &Samples, i: usize) -> f64 {
    ROBOT.iter().map(|part| body_energy(s, &format!("mechanics.{part}"), i)).sum()
}

fn robot_arm() {
    let s = example("RobotArm", 1.0, "");
    s.constant("energy", 3000.0, |i| robot_energy(&s, i));
}

/// The energy of the mechanics is the work of the drives, and the axes arrive.
fn moving_robot(s: &Samples, end: [f64; 6]) {
    s.constant("energy", 3000.0, |i| robot_energy(s, i) - s.at("W", i));
    for (k, q) in end.iter().enumerate() {
        s.is_close(&format!("mechanics.r{}.q", k + 1), s.len() - 1, *q, 2e-2);
    }
}

const DRIVES: &str = "Real W(start = 0, fixed = true) \"Work of the drives\"; equation
  der(W) = mechanics.axis1.tau*mechanics.r1.qd + mechanics.axis2.tau*mechanics.r2.qd +
    mechanics.axis3.tau*mechanics.r3.qd + mechanics.axis4.tau*mechanics.r4.qd +
    mechanics.axis5.tau*mechanics.r5.qd + mechanics.axis6.tau*mechanics.r6.qd;";

fn robot() {
    let s = run(Session::new(), "Kausal.Examples.Robot", 2.0, DRIVES, 1e-7);
    moving_robot(&s, [1.0, -0.3, 1.5, 1.2, -0.4, 1.0]);
}

fn tutorial_robot() {
    let mut session = Session::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tutorial/Robot.mo");
    session.add_file(&path).expect("the file");
    let s = run(session, "Robot", 2.0, DRIVES, 1e-7);
    moving_robot(&s, [1.5, 0.8, 0.6, -0.8, 0.9, 1.6]);
}

fn tutorial_resistor() {
    let s = tutorial("Resistor.mo", 1.0, "");
    s.follows("i", 1e-12, |_| 0.03);
    s.follows("P", 1e-12, |_| 0.27);
}

fn tutorial_oscillator() {
    let w = (40.0_f64 - 0.04).sqrt();
    tutorial("Oscillator.mo", 10.0, "").follows("x", 1e-7, |t| 0.1 * swing(t, 0.2, w));
}

fn tutorial_rc() {
    tutorial("RC.mo", 5.0, "").follows("capacitor.v", 1e-7, |t| 10.0 * (1.0 - (-t).exp()));
    tutorial("RC.dym", 5.0, "").follows("C.u", 1e-7, |t| 10.0 * (1.0 - (-t).exp()));
}

fn tutorial_low_pass() {
    let s = tutorial("LowPass.mo", 0.5, "");
    s.follows_ode(["C1.v", "C2.v"], [0.0, 0.0], (1e-5, &[], 1e-6), |t, _, [v1, v2]| {
        let u = (10.0 * PI * t).sin() + 0.3 * (400.0 * PI * t).sin();
        let (i1, i2) = ((u - v1) / 1000.0, (v1 - v2) / 1000.0);
        [(i1 - i2) / 4e-6, i2 / 4e-6]
    });
}

/// Rotor and load are one inertia, seen from the load.
const LOAD: f64 = 0.05 + 100.0 * 2e-4;

fn tutorial_motor() {
    let s = tutorial("Motor.mo", 1.0, "");
    s.follows_ode(["inductance.i", "load.w"], [0.0, 0.0], (1e-5, &[0.1], 1e-6), |_, middle, [i, w]| {
        let u = if middle > 0.1 { 24.0 } else { 0.0 };
        [(u - 0.8 * i - 0.12 * 10.0 * w) / 3e-3, (10.0 * 0.12 * i - 0.1 * w) / LOAD]
    });
}

fn tutorial_speed_control() {
    let s = tutorial("SpeedControl.mo", 2.0, "");
    let names = ["controller.I", "inductance.i", "load.w"];
    s.follows_ode(names, [0.0; 3], (2e-5, &[0.1, 0.4, 1.0], 1e-5), |t, middle, [integral, i, w]| {
        let wanted = 8.0 * ((t - 0.1) / 0.3).clamp(0.0, 1.0);
        let torque = if middle > 1.0 { -5.0 } else { 0.0 };
        let v = 3.0 * (wanted - w) + integral;
        let y = v.clamp(-24.0, 24.0);
        [
            3.0 * (wanted - w) / 0.15 + (y - v) / 0.075,
            (y - 0.8 * i - 1.2 * w) / 3e-3,
            (1.2 * i + torque) / LOAD,
        ]
    });
}

fn tutorial_bouncing_ball() {
    tutorial("BouncingBall.mo", 5.0, "").follows("h", 1e-6, bounced);
}

/// Sliding, mode 0, until engine and car are equally fast; then one inertia.
fn tutorial_clutch() {
    let s = tutorial("Clutch.mo", 4.0, "Real shaft; equation shaft = 12/0.3*car.v;");
    let car = 1200.0 * (0.3_f64 / 12.0).powi(2);
    let system = Hybrid {
        derivative: &|mode, t, _| {
            if mode == 1 {
                return [100.0 / (0.3 + car); 2];
            }
            let pressed = (t - 0.1).clamp(0.0, 1.0);
            let torque = 0.4 * 0.2 * 3000.0 * pressed;
            [(100.0 - torque) / 0.3, torque / car]
        },
        leaves: &|mode, _, [engine, wheel]| if mode == 0 { wheel - engine } else { -1.0 },
        next: &|_, _, [engine, _]| (1, [engine; 2]),
    };
    s.follows_hybrid(&["engine.w", "shaft"], ([100.0, 0.0], 0), (1e-4, 1e-5), &system);
}

/// The air and eight layers; heating, mode 1, until 20.5 degrees, not heating until 19.5.
fn tutorial_house_heating() {
    let s = tutorial("HouseHeating.mo", 86_400.0, "");
    let system = Hybrid {
        derivative: &|mode, _, x: [f64; 9]| {
            let inside = 800.0 * (x[0] - x[1]);
            std::array::from_fn(|k| match k {
                0 => (12_000.0 * mode as f64 - inside) / 4e6,
                k => {
                    let before = if k == 1 { inside } else { 2400.0 * (x[k - 1] - x[k]) };
                    let after = if k == 8 { 1500.0 * (x[8] - 268.15) } else { 2400.0 * (x[k] - x[k + 1]) };
                    (before - after) / 2.5e6
                }
            })
        },
        leaves: &|mode, _, x| if mode == 1 { x[0] - 293.65 } else { 292.65 - x[0] },
        next: &|mode, _, x| (1 - mode, x),
    };
    let mut start = [283.15; 9];
    start[0] = 285.15;
    let names = [
        "air.T",
        "layer[1].T",
        "layer[2].T",
        "layer[3].T",
        "layer[4].T",
        "layer[5].T",
        "layer[6].T",
        "layer[7].T",
        "layer[8].T",
    ];
    s.follows_hybrid(&names, (start, 1), (10.0, 1e-7), &system);
}

fn tutorial_pendulum() {
    let s = tutorial("Pendulum.mo", 5.0, "");
    s.constant("energy", 10.0, |i| energy(&s, &["rod1.body", "rod2.body"], i));
}

/// What the motor gives is in the links or in the damper; coupler and rocker stay together.
fn tutorial_four_bar() {
    let body = "Real W(start = 0, fixed = true); equation
      der(W) = 2*crankBearing.qd - 0.1*crankBearing.qd^2;";
    let s = tutorial("FourBar.mo", 3.0, body);
    s.constant("energy", 10.0, |i| {
        energy(&s, &["crank.body", "coupler.body", "rocker.body"], i) - s.at("W", i)
    });
    for i in 0..s.len() {
        let (a, b) = (s.vector("coupler.b.m.r", i), s.vector("rocker.b.m.r", i));
        assert!((a[0] - b[0]).abs() + (a[2] - b[2]).abs() < 1e-7, "{a:?}, {b:?}");
    }
}
