//! Ideal diodes and thyristors without any resistance: at the instant of a commutation the old and the new one could both conduct, and
//! nothing would say how they share the current. Truths are the same circuits with formulas instead of the valves.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Session, Settings, method_of};

const PARTS: &str = "
connector P Real v; flow Real i; end P;
partial model Two P p, n; Real v, i; equation v = p.v - n.v; i = p.i; p.i + n.i = 0; end Two;
model R extends Two; parameter Real R = 10; equation v = R*i; end R;
model L extends Two; parameter Real L = 0.05; equation L*der(i) = v; end L;
model C extends Two; parameter Real C = 1e-3; equation C*der(v) = i; end C;
model G P p; equation p.v = 0; end G;
model D extends Two; Real s(start = 0); Boolean off(start = true);
equation off = s < 0; v = s*(if off then 1 else 0); i = s*(if off then 0 else 1); end D;
model T extends Two; input Boolean fire; Real s(start = 0); Boolean off(start = true, fixed = true);
equation off = s < 0 or pre(off) and not fire; v = s*(if off then 1 else 0); i = s*(if off then 0 else 1); end T;
model V extends Two; parameter Real A = 100, w = 314.159265358979, ph = 0;
equation v = A*sin(w*time + ph); end V;
";

/// Simulates the model `M` for 0.1 s.
fn run(text: &str, inline: Inline, method: Method, tolerance: f64) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", &format!("{PARTS}{text}"));
    let flat = session.flatten("M").expect("a correct model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a regular model");
    let compiled = session.compile(program, Backend::Jit).expect("code");
    let method = method_of(inline, false).unwrap_or(method);
    let settings = Settings { stop: 0.1, interval: 1e-3, method, tolerance, ..Settings::default() };
    simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true)
}

/// `a` and `b` are the same at all points, to the errors that both add up over ten commutations, with all methods and without a word.
fn agree(text: &str, a: &str, b: &str) {
    let ways = [
        (Inline::Off, Method::Auto),
        (Inline::Off, Method::Bdf),
        (Inline::Off, Method::Radau),
        (Inline::Off, Method::Esdirk4),
        (Inline::Off, Method::Rosenbrock),
        (Inline::Bdf, Method::Auto),
        (Inline::Radau, Method::Auto),
    ];
    for (inline, method) in ways {
        for tolerance in [1e-4, 1e-7] {
            let run = run(text, inline, method, tolerance);
            let way = format!("{inline:?}, {method} at {tolerance:e}");
            assert!(run.diagnostics.is_empty(), "{way}: {:?}", run.diagnostics);
            let column = |name: &str| run.trajectory.get(name).expect("a variable");
            let size = column(b).iter().fold(0.0f64, |most, v| most.max(v.abs()));
            let (a, b) = (column(a), column(b));
            for ((a, b), t) in a.iter().zip(&b[..]).zip(&run.trajectory.time) {
                assert!((a - b).abs() < 100.0 * tolerance * size, "{way}: {a} instead of {b} at {t}");
            }
        }
    }
}

#[test]
fn a_bridge_of_six_ideal_diodes() {
    let text = "model M V a, b(ph = -2.0943951023932), c(ph = 2.0943951023932); D d[6]; R r; L l(i(start = 0, fixed = true)); G g;
        Real i(start = 0, fixed = true);
      equation
        connect(a.n, g.p); connect(b.n, g.p); connect(c.n, g.p);
        connect(a.p, d[1].p); connect(b.p, d[2].p); connect(c.p, d[3].p);
        connect(d[1].n, d[2].n); connect(d[2].n, d[3].n); connect(d[3].n, r.p); connect(r.n, l.p);
        connect(a.p, d[4].n); connect(b.p, d[5].n); connect(c.p, d[6].n);
        connect(d[4].p, d[5].p); connect(d[5].p, d[6].p); connect(d[6].p, l.n);
        l.L*der(i) + r.R*i = max(max(a.v, b.v), c.v) - min(min(a.v, b.v), c.v);
      end M;";
    agree(text, "l.i", "i");
}

#[test]
fn a_bridge_of_four_ideal_diodes_with_a_smoothing_capacitor() {
    let text = "model M V a(ph = 0.4); D d[4]; L l(i(start = 0.5, fixed = true), L = 0.5); R r(R = 5); G g;
        C c(v(start = 0, fixed = true)); Real i(start = 0.5, fixed = true), u(start = 0, fixed = true);
      equation
        connect(a.n, g.p); connect(a.p, d[1].p); connect(a.n, d[2].p); connect(a.p, d[3].n); connect(a.n, d[4].n);
        connect(d[1].n, d[2].n); connect(d[3].p, d[4].p); connect(d[1].n, l.p); connect(l.n, r.p); connect(l.n, c.p);
        connect(r.n, d[3].p); connect(c.n, d[3].p);
        l.L*der(i) = (if a.v > 0 then a.v else -a.v) - u; c.C*der(u) = i - u/r.R;
      end M;";
    agree(text, "c.v", "u");
}

#[test]
fn one_ideal_diode_with_a_freewheeling_one() {
    let text =
        "model M V a; D d, f; R r; L l(i(start = 0, fixed = true)); G g; Real i(start = 0, fixed = true);
      equation
        connect(a.n, g.p); connect(a.p, d.p); connect(d.n, f.n); connect(f.p, g.p); connect(d.n, r.p);
        connect(r.n, l.p); connect(l.n, g.p);
        l.L*der(i) + r.R*i = max(a.v, 0);
      end M;";
    agree(text, "l.i", "i");
}

/// Two thyristors in turn, fired 1 ms behind the zeros of the voltage, and a diode that takes the current over between.
#[test]
fn ideal_thyristors_are_fired() {
    let text = "model M V a; V b(ph = 3.14159265358979); T t[2]; D f; R r; L l(i(start = 0, fixed = true)); G g;
        Boolean on[2] = {sample(0.001, 0.02), sample(0.011, 0.02)}; Boolean positive(start = false, fixed = true);
        Real i(start = 0, fixed = true), u;
      equation
        t.fire = on;
        connect(a.n, g.p); connect(b.n, g.p); connect(a.p, t[1].p); connect(b.p, t[2].p);
        connect(t[1].n, f.n); connect(t[2].n, f.n); connect(f.p, g.p); connect(f.n, r.p); connect(r.n, l.p); connect(l.n, g.p);
        when {on[1], on[2], a.v < 0, a.v > 0} then positive = on[1] or on[2]; end when;
        u = if positive then abs(a.v) else 0;
        l.L*der(i) + r.R*i = u;
      end M;";
    agree(text, "l.i", "i");
}

/// A diode with nearly no resistance charges a capacitor: while it conducts, the capacitor's voltage is that of the source but for
/// far less than a tolerance, and what is left of the difference decides when it stops. Between the ends of a step a curve that
/// passes by may say anything of that. In closed form: the voltage of the source up to where the current would turn, then what the
/// load leaves of it, until the source is larger again.
#[test]
fn a_diode_straight_at_a_capacitor() {
    let text = "model M V a(A = 10); C c(v(start = 0, fixed = true)); R r(R = 100); G g; D0 d;
      equation connect(a.n, g.p); connect(a.p, d.p); connect(d.n, c.p); connect(c.n, g.p); connect(r.p, c.p); connect(r.n, g.p);
      end M;
      model D0 extends Two; Real s(start = 0); Boolean off(start = true);
      equation off = s < 0; v = s*(if off then 1 else 1e-5); i = s*(if off then 1e-9 else 1); end D0;";
    let (w, period, time) = (314.159265358979_f64, 0.02, 0.1);
    let turn = (std::f64::consts::PI - (time * w).atan()) / w;
    let wanted = |t: f64| {
        let source = 10.0 * (w * t).sin();
        let since = (t - turn).rem_euclid(period);
        let kept = if t < turn { 0.0 } else { 10.0 * (w * turn).sin() * (-since / time).exp() };
        source.max(kept)
    };
    // When the current turns is not said by the error of the voltage: one tolerance of it is a million times that of the current.
    // So at tolerances in between, the diode may stop later than here, with each method at others.
    for (method, tolerances) in [(Method::Bdf, [1e-3, 1e-4, 1e-6]), (Method::Esdirk4, [1e-3, 1e-5, 1e-6])] {
        for tolerance in tolerances {
            let run = run(text, Inline::Off, method, tolerance);
            assert!(run.diagnostics.is_empty(), "{method} at {tolerance:e}: {:?}", run.diagnostics);
            let voltage = run.trajectory.get("c.v").expect("a variable");
            for (v, &t) in voltage.iter().zip(&run.trajectory.time) {
                let off = (v - wanted(t)).abs() / 10.0;
                assert!(
                    off < 100.0 * tolerance,
                    "{method} at {tolerance:e}: {v} instead of {} at {t}",
                    wanted(t)
                );
            }
        }
    }
}
