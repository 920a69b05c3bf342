//! Clocked models (specification chapter 16): every construct against a closed form, every error by its code and its places.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Diagnostic, Session, Settings};
use kausal_translate::program::Kind;

/// A model `M`: its name in messages, its text, how long it runs, and what variables must be at any time between ticks.
struct Case {
    name: &'static str,
    text: &'static str,
    stop: f64,
    wanted: &'static [(&'static str, fn(f64) -> f64)],
}

const fn case(
    name: &'static str,
    text: &'static str,
    wanted: &'static [(&'static str, fn(f64) -> f64)],
) -> Case {
    Case { name, text, stop: 2.0, wanted }
}

/// Ticks of a periodic clock up to `t`, the first one counted.
fn ticks(t: f64, interval: f64) -> f64 {
    (t / interval).floor() + 1.0
}

/// The last tick at or before `t`.
fn last(t: f64, interval: f64) -> f64 {
    (t / interval).floor() * interval
}

const CASES: &[Case] = &[
    case(
        "a counter on a rational clock",
        "Integer n(start = 0); equation when Clock(1, 10) then n = previous(n) + 1; end when;",
        &[("n", |t| ticks(t, 0.1))],
    ),
    case(
        "a counter on a clock with a Real interval",
        "Integer n(start = 5); equation when Clock(0.25) then n = previous(n) + 2; end when;",
        &[("n", |t| 5.0 + 2.0 * ticks(t, 0.25))],
    ),
    case(
        "an Integer interval is exact and in seconds",
        "Integer n(start = 0); equation when Clock(1) then n = previous(n) + 1; end when;",
        &[("n", |t| ticks(t, 1.0))],
    ),
    case(
        "the interval is a parameter",
        "parameter Real T = 0.2; Integer n(start = 0); equation when Clock(T) then n = previous(n) + 1; end when;",
        &[("n", |t| ticks(t, 0.2))],
    ),
    case(
        "named arguments of the constructor",
        "Integer n(start = 0); equation when Clock(intervalCounter = 3, resolution = 10) then n = previous(n) + 1; end when;",
        &[("n", |t| ticks(t, 0.3))],
    ),
    case(
        "sample takes the value at the tick",
        "Real u = 3*time; Real s, y; equation s = sample(u, Clock(1, 10)); y = hold(s);",
        &[("y", |t| 3.0 * last(t, 0.1))],
    ),
    case(
        "sample of an expression and of time",
        "Real s, y; equation s = sample(2*time + 1, Clock(1, 5)) + sample(time); y = hold(s);",
        &[("y", |t| 3.0 * last(t, 0.2) + 1.0)],
    ),
    case(
        "sample of a Boolean expression",
        "Boolean s; Integer n(start = 0); equation s = sample(time > 0.95, Clock(1, 10)); n = previous(n) + (if s then 1 else 0);",
        &[("n", |t| if t < 1.0 { 0.0 } else { ticks(t - 1.0, 0.1) })],
    ),
    case(
        "sample gives the left limit",
        "discrete Real u(start = 0, fixed = true); Real s, y; equation \
         when sample(0.5, 1) then u = time; end when; s = sample(u, Clock(1, 2)); y = hold(s);",
        // The jump at 0.5 is seen at the tick at 1.
        &[("y", |t| {
            if t < 1.0 {
                0.0
            } else if t < 2.0 {
                0.5
            } else {
                1.5
            }
        })],
    ),
    case(
        "sample at the start is what the initial problem gives",
        "Real x(start = 1); Real s, y; initial equation der(x) = 0; equation \
         der(x) + x = 2; s = sample(x, Clock(1, 10)); y = hold(s);",
        &[("y", |_| 2.0)],
    ),
    case(
        "hold has the start value before the first tick",
        "Real s(start = 7), y; Real u; equation u = sample(time, Clock(1, 2)); s = shiftSample(u, 1); y = hold(s);",
        &[("y", |t| if t < 0.5 { 7.0 } else { last(t, 0.5) })],
    ),
    case(
        "hold of a start value that is a parameter",
        "parameter Real p = 4; Real s(start = p), y; Real u; equation u = sample(time, Clock(1, 2)); \
         s = shiftSample(u, 2); y = hold(s);",
        &[("y", |t| if t < 1.0 { 4.0 } else { last(t, 0.5) })],
    ),
    case(
        "previous has the start value at the first tick",
        "Real u, y(start = 3), z; equation u = sample(time, Clock(1, 2)); y = u; z = previous(y);",
        &[("z", |t| if t < 0.5 { 3.0 } else { last(t, 0.5) - 0.5 })],
    ),
    case(
        "previous of a parameter is the parameter",
        "parameter Real p = 2; Real z; equation when Clock(1, 2) then z = previous(p) + sample(time); end when;",
        &[("z", |t| 2.0 + last(t, 0.5))],
    ),
    case(
        "previous twice through a second variable",
        "Real u, a(start = 0), b(start = 0), z; equation u = sample(time, Clock(1, 10)); a = u; b = previous(a); z = previous(b);",
        &[("z", |t| (last(t, 0.1) - 0.2).max(0.0))],
    ),
    case(
        "arrays and records have clocks too",
        "record R Real a; Real b; end R; R r(a(start = 0), b(start = 0)); Real v[2](start = {1, 2}); equation \
         when Clock(1, 10) then v = previous(v) + {1, 2}; r.a = previous(r.a) + 1; r.b = v[2]; end when;",
        &[
            ("v[1]", |t| 1.0 + ticks(t, 0.1)),
            ("r.b", |t| 2.0 + 2.0 * ticks(t, 0.1)),
            ("r.a", |t| ticks(t, 0.1)),
        ],
    ),
    case(
        "subSample",
        "Integer n(start = 0); Integer s; equation when Clock(1, 10) then n = previous(n) + 1; end when; s = subSample(n, 3);",
        &[("s", |t| 3.0 * (t / 0.3).floor() + 1.0)],
    ),
    case(
        "superSample keeps the last value",
        "Integer n(start = 0), s, m(start = 0); equation when Clock(1, 2) then n = previous(n) + 1; end when; \
         s = superSample(n, 5); m = previous(m) + s;",
        // m adds n at ten ticks a second.
        &[("s", |t| ticks(t, 0.5)), ("m", |t| (0..ticks(t, 0.1) as i32).map(|k| f64::from(k / 5 + 1)).sum())],
    ),
    case(
        "superSample then subSample is the same clock",
        "Real u, f, s; equation u = sample(time, Clock(3, 10)); f = superSample(u, 4); s = subSample(f, 4);",
        &[("s", |t| last(t, 0.3))],
    ),
    case(
        "shiftSample by part of the interval",
        "Integer n(start = 0), s; Real at, y; equation when Clock(3, 10) then n = previous(n) + 1; end when; \
         s = shiftSample(n, 1, 3); at = if s > -1 then sample(time) else 0; y = hold(at);",
        &[
            ("y", |t| if t < 0.1 { 0.0 } else { last(t - 0.1, 0.3) + 0.1 }),
            ("s", |t| if t < 0.1 { 0.0 } else { ticks(t - 0.1, 0.3) }),
        ],
    ),
    case(
        "backSample undoes shiftSample and begins with the start value",
        "Real u, s(start = 9), b; equation u = sample(time, Clock(1, 10)); s = shiftSample(u, 3); b = backSample(s, 2);",
        // b ticks from 0.1 on; s from 0.3 on.
        &[("b", |t| {
            if t < 0.1 {
                0.0
            } else if t < 0.3 {
                9.0
            } else {
                last(t, 0.1)
            }
        })],
    ),
    case(
        "backSample with a resolution",
        "Real u, s(start = 9), b, k; equation u = sample(time, Clock(3, 10)); s = shiftSample(u, 2, 3); \
         b = backSample(s, 1, 3); k = if b > -1 then sample(time) else 0;",
        &[("k", |t| if t < 0.1 { 0.0 } else { last(t - 0.1, 0.3) + 0.1 })],
    ),
    case(
        "noClock takes the newest value, sample of hold the one before",
        "Clock c1 = Clock(1, 10); Clock c2 = subSample(c1, 2); Real x(start = 0), y(start = 0), z(start = 0); equation \
         when c1 then x = previous(x) + 0.1; end when; \
         when c2 then y = noClock(x); z = sample(hold(x)); end when;",
        &[("y", |t| last(t, 0.2) + 0.1), ("z", |t| last(t, 0.2))],
    ),
    case(
        "interval of a periodic clock",
        "Real a, b, u; equation u = sample(time, Clock(1, 5)); a = interval(u); b = subSample(u, 3)*0.0 + interval();",
        &[("a", |_| 0.2), ("b", |_| 0.6)],
    ),
    case(
        "firstTick",
        "Integer n(start = 0); Boolean f; equation when Clock(1, 10) then f = firstTick(); n = previous(n) + (if f then 100 else 1); end when;",
        &[("n", |t| 99.0 + ticks(t, 0.1)), ("f", |t| if t < 0.1 { 1.0 } else { 0.0 })],
    ),
    case(
        "Clock() is inferred",
        "Real u, x(start = 0); equation u = sample(1, Clock(1, 4)); when Clock() then x = previous(x) + u; end when;",
        &[("x", |t| ticks(t, 0.25))],
    ),
    case(
        "a clock of zero is inferred",
        "Integer n(start = 0), m(start = 0); equation when Clock(1, 4) then n = previous(n) + 1; end when; \
         when Clock(0, 1) then m = previous(m) + n; end when;",
        &[("m", |t| ticks(t, 0.25) * (ticks(t, 0.25) + 1.0) / 2.0)],
    ),
    case(
        "factors are inferred from two exact clocks",
        "Integer n(start = 0), s, m(start = 0); equation when Clock(2, 10) then n = previous(n) + 1; end when; \
         s = superSample(n); when Clock(1, 20) then m = previous(m) + s; end when;",
        &[("m", |t| (0..ticks(t, 0.05) as i32).map(|k| f64::from(k / 4 + 1)).sum())],
    ),
    case(
        "clock variables, clock arrays, choice by a parameter",
        "parameter Boolean slow = true; Clock base = Clock(1, 10); Clock c = if slow then subSample(base, 4) else base; \
         Clock all[2] = {base, c}; Integer n(start = 0), m(start = 0); equation \
         when all[1] then n = previous(n) + 1; end when; when all[2] then m = previous(m) + 1; end when;",
        &[("n", |t| ticks(t, 0.1)), ("m", |t| ticks(t, 0.4))],
    ),
    case(
        "clocks of clocks",
        "Clock u = Clock(3, 10); Clock y = shiftSample(u, 3); Clock b = backSample(y, 2); Clock f = superSample(u, 3); \
         Integer n(start = 0), m(start = 0), k(start = 0); equation when y then n = previous(n) + 1; end when; \
         when b then m = previous(m) + 1; end when; when f then k = previous(k) + 1; end when;",
        &[
            ("n", |t| if t < 0.9 { 0.0 } else { ticks(t - 0.9, 0.3) }),
            ("m", |t| if t < 0.3 { 0.0 } else { ticks(t - 0.3, 0.3) }),
            ("k", |t| ticks(t, 0.1)),
        ],
    ),
    case(
        "an event clock ticks at rising edges",
        "Real x = sin(6.283185307179586*time); Integer n(start = 0); equation when Clock(x > 0.5) then n = previous(n) + 1; end when;",
        &[("n", |t| (t + 1.0 - 1.0 / 12.0).floor())],
    ),
    case(
        "an event clock and its interval",
        "Integer n(start = 0); Real T; Boolean b = integer(2*time) > pre(k); Integer k(start = 0, fixed = true); equation \
         when b then k = pre(k) + 1; end when; \
         when Clock(b, startInterval = 0.125) then n = previous(n) + 1; T = interval(); end when;",
        &[
            ("n", |t| (2.0 * t).floor()),
            ("T", |t| {
                if t < 0.5 {
                    0.0
                } else if t < 1.0 {
                    0.125
                } else {
                    0.5
                }
            }),
        ],
    ),
    case(
        "part of the ticks of an event clock",
        "Real x = sin(6.283185307179586*4*time); Integer n(start = 0), s; equation \
         when Clock(x > 0.5) then n = previous(n) + 1; end when; s = subSample(n, 3);",
        &[("s", |t| {
            let n = (4.0 * t + 1.0 - 1.0 / 12.0).floor();
            if n < 1.0 { 0.0 } else { ((n - 1.0) / 3.0).floor() * 3.0 + 1.0 }
        })],
    ),
    case(
        "an event clock samples values before the event",
        "Real x = time; Real s, y; equation s = sample(x, Clock(time > 0.7)); y = hold(s);",
        &[("y", |t| if t < 0.7 { 0.0 } else { 0.7 })],
    ),
    case(
        "an interval that the model computes, exact",
        "Integer next(start = 2), n(start = 0); equation when Clock(next, 10) then next = previous(next) + 1; n = previous(n) + 1; end when;",
        // 0, 0.3, 0.7, 1.2, 1.8
        &[("n", |t| [0.0, 0.3, 0.7, 1.2, 1.8].iter().filter(|&&x| x <= t).count() as f64)],
    ),
    case(
        "an interval that the model computes, Real",
        "Real next(start = 0.2), T; Integer n(start = 0); equation when Clock(next) then \
         next = previous(next) + 0.1; n = previous(n) + 1; T = interval(); end when;",
        // The distance to the next tick is the previous value: 0, 0.2, 0.5, 0.9, 1.4, 2.0
        &[
            ("n", |t| [0.0, 0.2, 0.5, 0.9, 1.4].iter().filter(|&&x| x <= t).count() as f64),
            ("T", |t| {
                if t < 0.5 {
                    0.2
                } else if t < 0.9 {
                    0.3
                } else if t < 1.4 {
                    0.4
                } else {
                    0.5
                }
            }),
        ],
    ),
    case(
        "general equations in a clocked when",
        "Real x(start = 0), y; equation when Clock(1, 10) then x + y = 3; 2*x - y = sample(time) + previous(x); end when;",
        // 3 x = 3 + t + previous(x)
        &[("x", |t| {
            let mut x = 0.0;
            for k in 0..ticks(t, 0.1) as i32 {
                x = (3.0 + 0.1 * f64::from(k) + x) / 3.0;
            }
            x
        })],
    ),
    case(
        "a nonlinear equation at ticks",
        "Real x(start = 1); equation when Clock(1, 10) then x^2 = 1 + sample(time); end when;",
        &[("x", |t| (1.0 + last(t, 0.1)).sqrt())],
    ),
    case(
        "an algorithm section on a clock",
        "Integer n(start = 0), m; Real u; equation u = sample(time, Clock(1, 10)); algorithm \
         n := previous(n) + (if u > 0.95 then 10 else 1); m := 2*n;",
        &[("m", |t| 2.0 * if t < 1.0 { ticks(t, 0.1) } else { 10.0 + 10.0 * ticks(t - 1.0, 0.1) })],
    ),
    case(
        "a function with several results on a clock",
        "function f input Integer a; output Integer b; output Integer c; algorithm b := a + 1; c := 0; \
         while c < 2*b loop c := c + 1; end while; end f; \
         Integer n(start = 0), m; equation when Clock(1, 10) then (n, m) = f(previous(n)); end when;",
        &[("n", |t| ticks(t, 0.1)), ("m", |t| 2.0 * ticks(t, 0.1))],
    ),
    case(
        "two controllers that need each other",
        "Real fast, slow, sum(start = 0), back; equation fast = sample(time, Clock(1, 10)); \
         slow = 2*subSample(fast, 2); back = superSample(slow, 2); sum = previous(sum) + back - fast;",
        &[("sum", |t| (0..ticks(t, 0.1) as i32).map(|k| 0.1 * f64::from(4 * (k / 2) - k)).sum())],
    ),
    case(
        "two base clocks that tick together are told apart",
        "Integer a(start = 0), b(start = 0), c; Real s; equation when Clock(1, 10) then a = previous(a) + 1; end when; \
         when Clock(2, 10) then s = sample(hold(a)); b = previous(b) + 1; end when; c = hold(b);",
        // s is what a was before the common tick
        &[("s", |t| 2.0 * (t / 0.2).floor()), ("b", |t| ticks(t, 0.2))],
    ),
    case(
        "what is held restarts integration",
        "Real x(start = 0, fixed = true), u(start = 0), y; equation der(x) = y; y = hold(u); \
         when Clock(1, 2) then u = previous(u) + 1; end when;",
        &[("x", |t| {
            let k = (t / 0.5).floor();
            0.5 * k * (k + 1.0) / 2.0 + (k + 1.0) * (t - 0.5 * k)
        })],
    ),
    case(
        "a sampled controller of a continuous plant",
        "Real x(start = 1, fixed = true), u(start = 0), y; equation der(x) = y; y = hold(u); u = -sample(x, Clock(1, 2));",
        // x goes linearly from tick to tick: x(k+1) = x(k)*(1 - 0.5)
        &[("x", |t| {
            let k = (t / 0.5).floor();
            0.5f64.powf(k) * (1.0 - (t - 0.5 * k))
        })],
    ),
    case(
        "relations on clocks cause no events",
        "Real u; Integer n(start = 0); equation u = sample(time, Clock(1, 10)); n = previous(n) + (if u > 0.45 and u < 0.75 then 1 else 0);",
        &[("n", |t| (ticks(t, 0.1) - 5.0).clamp(0.0, 3.0))],
    ),
    case(
        "pre and edge on a clock are those of its ticks",
        "Boolean b(start = false); Integer n(start = 0); equation b = sample(sin(10*time) > 0, Clock(1, 100)); \
         n = previous(n) + (if edge(b) then 1 else 0);",
        &[("n", |t| {
            ((last(t, 0.01) * 10.0 / std::f64::consts::TAU) + if last(t, 0.01) > 0.0 { 1.0 } else { 0.0 })
                .floor()
        })],
    ),
    case(
        "explicit Euler",
        "Real x(start = 1); equation der(x) = -x + sample(0, Clock(Clock(1, 10), solverMethod = \"ExplicitEuler\"));",
        &[("x", |t| 0.9f64.powf((t / 0.1).floor()))],
    ),
    case(
        "implicit Euler",
        "Real x(start = 1); equation der(x) = -x + sample(0, Clock(Clock(1, 10), solverMethod = \"ImplicitEuler\"));",
        &[("x", |t| (1.0f64 / 1.1).powf((t / 0.1).floor()))],
    ),
    case(
        "implicit trapezoidal rule",
        "Real x(start = 1); equation der(x) = -x + sample(0, Clock(Clock(1, 10), solverMethod = \"ImplicitTrapezoid\"));",
        &[("x", |t| (0.95f64 / 1.05).powf((t / 0.1).floor()))],
    ),
    case(
        "explicit midpoint rule",
        "Real x(start = 1); equation der(x) = -x + sample(0, Clock(Clock(1, 10), solverMethod = \"ExplicitMidPoint2\"));",
        &[("x", |t| (1.0 - 0.1 + 0.005f64).powf((t / 0.1).floor()))],
    ),
    case(
        "explicit Runge-Kutta method of order 4",
        "Real x(start = 1); equation der(x) = -x + sample(0, Clock(Clock(1, 10), solverMethod = \"ExplicitRungeKutta4\"));",
        &[("x", |t| {
            (1.0 - 0.1 + 0.1f64.powi(2) / 2.0 - 0.1f64.powi(3) / 6.0 + 0.1f64.powi(4) / 24.0)
                .powf((t / 0.1).floor())
        })],
    ),
    case(
        "stages take the mean of inputs and the time between ticks",
        "Real x(start = 0), z(start = 0), u; equation u = sample(time, Clock(Clock(1, 10), solverMethod = \"ExplicitMidPoint2\")); \
         der(x) = 2*u; der(z) = if u > -1 then 2*time else 0;",
        &[("x", |t| last(t, 0.1).powi(2)), ("z", |t| last(t, 0.1).powi(2))],
    ),
    case(
        "initial equations of differential equations on a clock",
        "Real x(start = 1), u; initial equation der(x) = 0; equation \
         u = sample(3, Clock(Clock(1, 10), solverMethod = \"ImplicitEuler\")); der(x) = u - 2*x;",
        &[("x", |_| 1.5)],
    ),
    case(
        "an event clock whose condition is true at the start ticks there",
        "Integer n(start = 0); equation when Clock(time < 0.3 or time > 1.1) then n = previous(n) + 1; end when;",
        &[("n", |t| if t < 1.1 { 1.0 } else { 2.0 })],
    ),
    case(
        "a `when` clause with a condition among clocked equations",
        "Real u; discrete Real y(start = -1); Integer n(start = 0); equation u = sample(time, Clock(1, 10)); \
         when u > 0.45 then y = u; n = previous(n) + 1; elsewhen u > 0.95 then y = 10*u; n = previous(n); end when;",
        &[
            ("y", |t| {
                if t < 0.5 {
                    -1.0
                } else if t < 1.0 {
                    0.5
                } else {
                    10.0
                }
            }),
            ("n", |t| if t < 0.5 { 0.0 } else { 1.0 }),
        ],
    ),
    case(
        "assertions and conditions of parameters on clocks",
        "parameter Integer k = 2; Integer n(start = 0); equation when Clock(1, 10) then n = previous(n) + k; \
         assert(n >= 0, \"n is negative\"); end when;",
        &[("n", |t| 2.0 * ticks(t, 0.1))],
    ),
    case(
        "a solver method is inferred from a neighbour",
        "Real x(start = 1), z(start = 0); equation \
         der(x) = sample(0, Clock(Clock(1, 10), solverMethod = \"ExplicitEuler\")); der(z) = subSample(x, 2);",
        &[("z", |t| last(t, 0.2))],
    ),
    case(
        "constraints on a clock are differentiated",
        "Real a(start = 1), b; equation b = 2*a; der(a) + der(b) = 3 + sample(0, Clock(Clock(1, 10), \"ImplicitEuler\"));",
        &[("b", |t| 2.0 * (1.0 + last(t, 0.1)))],
    ),
    case(
        "an inverse model on a clock",
        "Real u, f(start = 0, fixed = true), x, v; equation u = sample(1, Clock(Clock(1, 10), \"ImplicitEuler\")); \
         der(f) = u - f; x = f; v = der(x);",
        &[("v", |t| (1.0f64 / 1.1).powf((t / 0.1).floor()))],
    ),
];

/// The program of a model, and what is said about it.
fn translated(text: &str) -> (Session, Option<kausal::Program>, Vec<Diagnostic>) {
    let mut session = Session::new();
    session.add_text("M.mo", &format!("model M {text} end M;"));
    let flat = session.flatten("M");
    let program = flat.and_then(|flat| session.translate(&flat, &Default::default()));
    let said = session.take_diagnostics();
    (session, program, said)
}

fn words(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| format!("{} {}; ", d.code, d.message)).collect()
}

fn run(text: &str, stop: f64) -> Result<Run, String> {
    let (mut session, program, said) = translated(text);
    let program = program.ok_or_else(|| words(&said))?;
    let model = session.compile(program, Backend::Interpreter).ok_or("no code")?;
    let settings = Settings { stop, interval: 0.05, tolerance: 1e-9, ..Settings::default() };
    Ok(simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true))
}

/// What a variable is at an instant: the value of the last row at or before it.
fn at(run: &Run, name: &str, t: f64) -> Option<f64> {
    let row = run.trajectory.time.iter().rposition(|&time| time <= t)?;
    run.trajectory.get(name).map(|values| values[row])
}

#[test]
fn closed_forms() {
    let mut wrong = Vec::new();
    for case in CASES {
        let run = match run(case.text, case.stop) {
            Ok(run) => run,
            Err(said) => {
                wrong.push(format!("{}: {said}", case.name));
                continue;
            }
        };
        if let Some(d) = run.diagnostics.iter().find(|d| d.is_error()) {
            wrong.push(format!("{}: {} {}", case.name, d.code, d.message));
            continue;
        }
        for (name, wanted) in case.wanted {
            for k in 0..38 {
                // On the grid of results, off the ticks: each tick below is a multiple of 0.01.
                let t = 0.05 * f64::from(k) + 0.0313;
                let Some(is) = at(&run, name, t) else {
                    wrong.push(format!("{}: there is no {name}", case.name));
                    break;
                };
                let row = run.trajectory.time.iter().rposition(|&time| time <= t).unwrap_or(0);
                let should = wanted(run.trajectory.time[row] + 1e-7);
                // What integration and the moment behind the tick may do.
                if (is - should).abs() > 1e-6 * should.abs().max(1.0) {
                    wrong.push(format!("{}: {name} is {is} at {t}, not {should}", case.name));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Drives a model in steps of a thousandth, at whose ends its events take effect, and prints what it is told to, between ticks.
const MAIN: &str = r#"
#include <stdio.h>
int main(void)
{
    static model m;
    model_start(&m);
    if (model_begin(&m, 0.0)) { fprintf(stderr, "%s", m.message); return 1; }
    for (long i = 1; i < 1900; i++) {
        if (model_advance(&m, 0.001)) { fprintf(stderr, "%s", m.message); return 2; }
        if (i % 50 != 30) continue;
        if (model_outputs(&m)) { fprintf(stderr, "%s", m.message); return 3; }
        for (int k = 0; k < SHOWN; k++) printf("%.17g %.17g\n", m.time, sign[k]*m.v[shown[k]]);
    }
    return 0;
}
"#;

/// Compiles strictly and runs; `None` where there is no compiler.
fn compiled(source: &str) -> Option<Result<String, String>> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("main.c"), source).expect("a file");
    let compiler = std::process::Command::new("cc")
        .args(["-O0", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.c", "-lm", "-o", "main"])
        .current_dir(folder.path())
        .output()
        .ok()?;
    if !compiler.status.success() {
        return Some(Err(String::from_utf8_lossy(&compiler.stderr).into_owned()));
    }
    let run = std::process::Command::new(folder.path().join("main")).output().expect("a run");
    Some(match run.status.success() {
        true => Ok(String::from_utf8_lossy(&run.stdout).into_owned()),
        false => Err(format!("{:?} {}", run.status, String::from_utf8_lossy(&run.stderr))),
    })
}

/// The C text makes the same ticks: models without continuous states, against their closed forms.
#[test]
fn c_text_makes_the_same_ticks() {
    let (mut wrong, mut made) = (Vec::new(), 0);
    for case in CASES {
        let (_, program, said) = translated(case.text);
        let Some(program) = program else {
            wrong.push(format!("{}: {}", case.name, words(&said)));
            continue;
        };
        if !program.states.is_empty() {
            continue;
        }
        let c = kausal::c_code(&program).expect("C");
        assert!(c.contains("static int model_clock_1_"), "{}: no function for a clock", case.name);
        let slots: Vec<(u32, &str)> = case
            .wanted
            .iter()
            .map(|(name, _)| {
                let at = program.variables.iter().position(|v| v.name == *name).expect("a variable");
                match program.variables[at].kind {
                    Kind::Alias(alias) => (alias.target.0, if alias.negated { "-1.0" } else { "1.0" }),
                    _ => (at as u32, "1.0"),
                }
            })
            .collect();
        let shown: Vec<String> = slots.iter().map(|(slot, _)| slot.to_string()).collect();
        let sign: Vec<&str> = slots.iter().map(|(_, sign)| *sign).collect();
        let main = MAIN.replace("SHOWN", &slots.len().to_string());
        let source = format!(
            "{c}\nstatic const int shown[] = {{{}}};\nstatic const double sign[] = {{{}}};\n{main}",
            shown.join(", "),
            sign.join(", ")
        );
        let lines = match compiled(&source) {
            None => return,
            Some(Ok(lines)) => lines,
            Some(Err(said)) => {
                wrong.push(format!("{}: {said}", case.name));
                continue;
            }
        };
        made += 1;
        for (line, (name, wanted)) in lines.lines().zip(case.wanted.iter().cycle()) {
            let numbers: Vec<f64> = line.split(' ').map(|n| n.parse().expect("a number")).collect();
            let (t, is) = (numbers[0], numbers[1]);
            let should = wanted(t + 1e-7);
            if (is - should).abs() > 1e-6 * should.abs().max(1.0) {
                wrong.push(format!("{}: {name} is {is} at {t}, not {should}", case.name));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(made > CASES.len() / 2, "{made} of {}", CASES.len());
}

/// Code, how many places are shown (one where what disagrees stands in one equation), text.
const ERRORS: &[(&str, usize, &str)] = &[
    (
        "K0461",
        2,
        "Real x(start = 0), y;\n equation when Clock(1, 10) then x = previous(x) + y;\n end when;\n y = hold(x) + time;",
    ),
    ("K0461", 2, "Real x, y, z;\n equation x = sample(time, Clock(1, 10));\n y = x;\n z = sample(y);"),
    (
        "K0461",
        2,
        "Real x(start = 0), y, w;\n equation x = previous(x) + y;\n y = hold(w);\n w = sample(time, Clock(1, 10));",
    ),
    (
        "K0461",
        2,
        "Real x(start = 0), c;\n Integer n(start = 0);\n equation c = sample(time, Clock(1, 10));\n when Clock(c > 0.5) then n = previous(n) + 1;\n end when;",
    ),
    (
        "K0463",
        2,
        "Integer n(start = 0), m;\n equation when Clock(1, 10) then n = previous(n) + 1;\n end when;\n when Clock(2, 10) then m = n;\n end when;",
    ),
    (
        "K0463",
        2,
        "Real u, y;\n equation u = sample(time, Clock(1, 10));\n y = subSample(u, 2) + sample(time, Clock(1, 3));",
    ),
    (
        "K0463",
        2,
        "Real u, y;\n equation u = sample(time, Clock(2, 10));\n y = superSample(u) + sample(time, Clock(3, 20));",
    ),
    ("K0463", 2, "Real u, y;\n equation u = sample(time, Clock(0.1));\n y = u + sample(time, Clock(0.2));"),
    ("K0463", 2, "Real u, y;\n equation u = sample(time, Clock(0.1));\n y = u + sample(time, Clock(1, 10));"),
    (
        "K0463",
        1,
        "Real u, y;\n equation u = sample(time, Clock(1, 10));\n y = subSample(u, 2) + subSample(u, 3);",
    ),
    (
        "K0463",
        1,
        "Real u, y;\n equation u = sample(time, Clock(1, 10));\n y = subSample(u, 2) + shiftSample(u, 1);",
    ),
    (
        "K0463",
        2,
        "Real x(start = 3), y(start = 0), z(start = 0);\n equation der(x) = -x + sample(1, Clock(Clock(1, 10), solverMethod = \"ExplicitEuler\"));\n der(y) = subSample(x, 2) + sample(1, Clock(Clock(2, 10), solverMethod = \"ImplicitEuler\"));\n der(z) = subSample(x, 4) + 1 + subSample(y, 2);",
    ),
    (
        "K0464",
        1,
        "Real u, y(start = 0);\n equation u = sample(time, Clock(1, 10));\n y = previous(y) + subSample(u);",
    ),
    (
        "K0464",
        1,
        "Real u, y(start = 0);\n equation u = sample(time, Clock(1, 10));\n y = previous(y) + noClock(u);",
    ),
    ("K0465", 1, "Integer n(start = 0);\n equation n = previous(n) + 1;"),
    (
        "K0466",
        1,
        "Real u, y, z;\n equation u = sample(time, Clock(3, 10));\n y = shiftSample(u, 3);\n z = backSample(y, 4);",
    ),
    ("K0467", 1, "Real u, y;\n equation u = sample(time, Clock(time > 0.5));\n y = superSample(u, 2);"),
    ("K0467", 1, "Real u, y;\n equation u = sample(time, Clock(time > 0.5));\n y = shiftSample(u, 2, 3);"),
    ("K0468", 1, "Real u, y;\n equation u = sample(time, Clock(1, 10));\n y = u + delay(u, 0.1);"),
    (
        "K0358",
        1,
        "Real u;\n equation u = sample(time, Clock(1, 10));\n when u > 0.5 then reinit(u, 0);\n end when;",
    ),
    (
        "K0469",
        1,
        "Real u, x(start = 0);\n initial equation x = 3;\n equation u = sample(time, Clock(1, 10));\n x = previous(x) + u;",
    ),
    (
        "K0470",
        1,
        "Real a, b;\n equation a = sample(time, Clock(1, 10)) + superSample(b, 2);\n b = 2*subSample(a, 2);",
    ),
    ("K0471", 1, "Real x(start = 0);\n equation der(x) = sample(1, Clock(1, 10));"),
    (
        "K0471",
        1,
        "Real x(start = 0);\n equation der(x) = sample(1, Clock(Clock(1, 10), solverMethod = \"External\"));",
    ),
    (
        "K0462",
        1,
        "Real u, y;\n parameter Integer f(fixed = false);\n initial equation f = 3;\n equation u = sample(time, Clock(1, 10));\n y = subSample(u, f);",
    ),
    ("K0401", 1, "Real u;\n equation u = sample(time, Clock(1, 10));\n u = previous(u) + 1;"),
    ("K0402", 1, "Real u, v;\n equation when Clock(1, 10) then u = v + 1;\n end when;"),
    ("K0351", 1, "Real u, y;\n equation u = sample(time, Clock(1, 10));\n y = previous(2*u);"),
    ("K0351", 1, "Real u, y;\n equation u = sample(time, Clock(1, 10));\n y = subSample(u, -1);"),
];

#[test]
fn errors_have_their_codes_and_places() {
    let mut wrong = Vec::new();
    for (code, places, text) in ERRORS {
        let (_, program, said) = translated(text);
        match said.iter().find(|d| d.code == *code) {
            None => wrong.push(format!("{code} is not said about {text}, but {}", words(&said))),
            Some(d) if d.labels.len() < *places => {
                wrong.push(format!("{code} shows {} places: {text}", d.labels.len()));
            }
            Some(d) if d.is_error() && program.is_some() => {
                wrong.push(format!("{code} and a program: {text}"))
            }
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
