//! Components may be connected either way round: turned round, with parameters that mean the same, they give the same
//! motion of everything else.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Session, Settings};

/// A component in a small system. `A` and `B` stand for the two connectors of the component `x`.
struct Case {
    /// Its declaration, and the declaration with which it does the same turned round.
    ways: [&'static str; 2],
    /// The connectors.
    ports: (&'static str, &'static str),
    /// Declarations and equations around it.
    system: &'static str,
    /// What must be the same.
    same: &'static str,
    /// What must be the negative, if anything.
    opposite: &'static str,
}

const CIRCUIT: &str = "Kausal.Electrical.Sources.SineVoltage u(V = 1, f = 2);
  Kausal.Electrical.Resistor R(R = 2);
  Kausal.Electrical.Capacitor C(C = 0.1, v(start = 0.5, fixed = true));
  Kausal.Electrical.Ground g;
equation
  connect(u.p, R.p); connect(R.n, x.A); connect(x.B, C.p); connect(C.n, u.n); connect(u.n, g.p);";
const SHAFT: &str = "Kausal.Rotational.Sources.Torque motor(tau = 3*sin(2*time));
  Kausal.Rotational.Inertia J1(J = 0.5), J2(J = 2, phi(start = 0, fixed = true), w(start = 1, fixed = true));
  Kausal.Rotational.SpringDamper spring(c = 20, d = 0.5);
initial equation
  spring.phi_rel = 0; spring.w_rel = 0;
equation
  connect(motor.flange, J1.a); connect(J1.b, spring.a); connect(spring.b, x.A); connect(x.B, J2.a);";
const FLEXIBLE: &str = "Kausal.Rotational.Sources.Torque motor(tau = 3*sin(2*time));
  Kausal.Rotational.Inertia J1(J = 0.5, phi(start = 0, fixed = true), w(start = 1, fixed = true)),
    J2(J = 2, phi(start = 0, fixed = true), w(start = 0, fixed = true));
equation
  connect(motor.flange, J1.a); connect(J1.b, x.A); connect(x.B, J2.a);";
const SLIDE: &str = "Kausal.Translational.Sources.Force push(f = sin(3*time));
  Kausal.Translational.Mass m1(m = 0.5, s(start = 0, fixed = true), v(start = 0, fixed = true)),
    m2(m = 2, s(start = 0, fixed = true), v(start = 1, fixed = true));
equation
  connect(push.flange, m1.a); connect(m1.b, x.A); connect(x.B, m2.a);";
const RIGID: &str = "Kausal.Translational.Sources.Force push(f = sin(3*time));
  Kausal.Translational.Mass m1(m = 0.5, s(start = 0, fixed = true), v(start = 1, fixed = true)), m2(m = 2);
equation
  connect(push.flange, m1.a); connect(m1.b, x.A); connect(x.B, m2.a);";
const HEAT: &str = "Kausal.Thermal.HeatCapacitor hot(C = 10, T(start = 400, fixed = true)),
    cold(C = 20, T(start = 300, fixed = true));
equation
  connect(hot.port, x.A); connect(x.B, cold.port);";
const BONDS: &str = "Kausal.BondGraph.Se source(E = 1);
  Kausal.BondGraph.Junction1 one(n = 3);
  Kausal.BondGraph.I inertia(I = 0.5, f(start = 0, fixed = true));
  Kausal.BondGraph.R load(R = 2);
equation
  connect(source.p, one.p[1]); connect(one.p[2], inertia.p); connect(one.p[3], x.A); connect(x.B, load.p);";
/// The component between two swinging links.
const SPACE: &str = "inner Kausal.MultiBody.World world;
  Kausal.MultiBody.Revolute j(n = {0.2, 1, 0}, q(start = 0.3, fixed = true), qd(start = 1, fixed = true));
  Kausal.MultiBody.Link l(r = {0.5, 0.1, 0}, m = 1, I_11 = 0.01, I_22 = 0.02, I_33 = 0.02);
  Kausal.MultiBody.Body body(m = 2, r_CM = {0.2, 0, 0.1}, I_11 = 0.02, I_22 = 0.03, I_33 = 0.03);
equation
  connect(world.frame, j.a); connect(j.b, l.a); connect(l.b, x.A); connect(x.B, body.a);";
const PLANE: &str = "inner Kausal.MultiBody.Planar.World world;
  Kausal.MultiBody.Planar.Revolute j(q(start = 0.3, fixed = true), qd(start = 1, fixed = true));
  Kausal.MultiBody.Planar.Link l(r = {0.5, 0.1}, m = 1, I = 0.02);
  Kausal.MultiBody.Planar.Body body(m = 2, I = 0.03);
equation
  connect(world.frame, j.a); connect(j.b, l.a); connect(l.b, x.A); connect(x.B, body.a);";
const HUNG: &str = "inner Kausal.MultiBody.World world;
  Kausal.MultiBody.FreeMotion free(r_start = {0.5, 0, -1}, v_start = {0, 0.5, 0});
  Kausal.MultiBody.Body body(m = 1, I_11 = 0.01, I_22 = 0.01, I_33 = 0.01);
equation
  connect(world.frame, free.a); connect(free.b, body.a); connect(world.frame, x.A); connect(x.B, free.b);";

/// Two connectors called `a` and `b`.
const AB: (&str, &str) = ("a", "b");
const PN: (&str, &str) = ("p", "n");

const fn case(
    ways: [&'static str; 2],
    ports: (&'static str, &'static str),
    system: &'static str,
    same: &'static str,
    opposite: &'static str,
) -> Case {
    Case { ways, ports, system, same, opposite }
}

/// The same declaration for both ways.
const fn plain(
    way: &'static str,
    ports: (&'static str, &'static str),
    system: &'static str,
    same: &'static str,
    opposite: &'static str,
) -> Case {
    Case { ways: [way, way], ports, system, same, opposite }
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    plain("Kausal.Electrical.Resistor x(R = 3)", PN, CIRCUIT, "C.v", "x.v"),
    plain("Kausal.Electrical.Conductor x(G = 3)", PN, CIRCUIT, "C.v", "x.i"),
    case(["Kausal.Electrical.Capacitor x(C = 0.2, v(start = 0.4, fixed = true))", "Kausal.Electrical.Capacitor x(C = 0.2, v(start = -0.4, fixed = true))"], PN, CIRCUIT, "C.v", "x.v"),
    plain("Kausal.Electrical.Inductor x(L = 0.2, i(start = 0, fixed = true))", PN, CIRCUIT, "C.v", "x.i"),
    case(["Kausal.Electrical.Sources.ConstantVoltage x(V = 2)", "Kausal.Electrical.Sources.ConstantVoltage x(V = -2)"], PN, CIRCUIT, "C.v", "x.i"),
    plain("Kausal.Electrical.NegativeResistor x(Ga = 2, Gb = 1)", PN, CIRCUIT, "C.v", "x.v"),
    plain("Kausal.Rotational.Inertia x(J = 0.7)", AB, SHAFT, "J2.w", ""),
    case(["Kausal.Rotational.Gear x(ratio = 3)", "Kausal.Rotational.Gear x(ratio = 1/3)"], AB, SHAFT, "J2.w", ""),
    plain("Kausal.Rotational.BearingFriction x(tau_c = 0.3, d = 0.1)", AB, SHAFT, "J2.w", ""),
    plain("Kausal.Rotational.Spring x(c = 5)", AB, FLEXIBLE, "J2.w", "x.phi_rel"),
    plain("Kausal.Rotational.Damper x(d = 0.5)", AB, FLEXIBLE, "J2.w", "x.w_rel"),
    plain("Kausal.Rotational.SpringDamper x(c = 5, d = 0.5)", AB, FLEXIBLE, "J2.w", "x.phi_rel"),
    plain("Kausal.Rotational.ElasticBacklash x(c = 50, d = 0.5, backlash = 0.1)", AB, FLEXIBLE, "J2.w", "x.phi_rel"),
    plain("Kausal.Rotational.Clutch x(fn_max = 30, u = 0.8)", AB, FLEXIBLE, "J2.w", "x.phi_rel"),
    plain("Kausal.Translational.Mass x(m = 0.7)", AB, RIGID, "m2.v", ""),
    plain("Kausal.Translational.SupportFriction x(f_c = 0.2)", AB, RIGID, "m2.v", ""),
    case(["Kausal.Translational.Rod x(L = 0.5)", "Kausal.Translational.Rod x(L = -0.5)"], AB, RIGID, "m2.s", ""),
    plain("Kausal.Translational.Spring x(c = 5)", AB, SLIDE, "m2.v", "x.s_rel"),
    plain("Kausal.Translational.Damper x(d = 0.5)", AB, SLIDE, "m2.v", "x.v_rel"),
    plain("Kausal.Translational.SpringDamper x(c = 5, d = 0.5)", AB, SLIDE, "m2.v", "x.s_rel"),
    plain("Kausal.Thermal.ThermalConductor x(G = 2)", AB, HEAT, "cold.T", "x.Q_flow"),
    plain("Kausal.Thermal.ThermalResistor x(R = 2)", AB, HEAT, "cold.T", "x.Q_flow"),
    plain("Kausal.Thermal.Radiation x(Gr = 2)", AB, HEAT, "cold.T", "x.Q_flow"),
    plain("Kausal.MultiBody.Forces.Spring x(c = 100, s0 = 1)", AB, HUNG, "body.a.m.r[3]", ""),
    plain("Kausal.MultiBody.Forces.SpringDamper x(c = 100, d = 1, s0 = 1)", AB, HUNG, "body.a.m.r[3]", ""),
    case(["Kausal.MultiBody.Bar x(r = {0.3, 0, 0.1})", "Kausal.MultiBody.Bar x(r = {-0.3, 0, -0.1})"], AB, SPACE, "j.q", ""),
    case(["Kausal.MultiBody.Link x(r = {0.3, 0, 0.1}, m = 1, I_22 = 0.1)", "Kausal.MultiBody.Link x(r = {-0.3, 0, -0.1}, m = 1, I_22 = 0.1)"], AB, SPACE, "j.q", ""),
    case(["Kausal.MultiBody.FixedRotation x(n = {1, 2, 3}, angle = 0.7)", "Kausal.MultiBody.FixedRotation x(n = {1, 2, 3}, angle = -0.7)"], AB, SPACE, "j.q", ""),
    case(["Kausal.MultiBody.Revolute x(n = {1, 2, 3}, q(start = 0.4, fixed = true), qd(start = 2, fixed = true))", "Kausal.MultiBody.Revolute x(n = {1, 2, 3}, q(start = -0.4, fixed = true), qd(start = -2, fixed = true))"], AB, SPACE, "j.q", "x.q"),
    case(["Kausal.MultiBody.Prismatic x(n = {1, 2, 3}, q(start = 0.4, fixed = true), qd(start = 2, fixed = true))", "Kausal.MultiBody.Prismatic x(n = {1, 2, 3}, q(start = -0.4, fixed = true), qd(start = -2, fixed = true))"], AB, SPACE, "j.q", "x.q"),
    case(["Kausal.MultiBody.Planar.Revolute x(q(start = 0.4, fixed = true), qd(start = 2, fixed = true))", "Kausal.MultiBody.Planar.Revolute x(q(start = -0.4, fixed = true), qd(start = -2, fixed = true))"], AB, PLANE, "j.q", "x.q"),
    case(["Kausal.MultiBody.Planar.Prismatic x(n = {1, 2}, q(start = 0.4, fixed = true), qd(start = 2, fixed = true))", "Kausal.MultiBody.Planar.Prismatic x(n = {1, 2}, q(start = -0.4, fixed = true), qd(start = -2, fixed = true))"], AB, PLANE, "j.q", "x.q"),
    case(["Kausal.MultiBody.Planar.Bar x(r = {0.3, 0.1})", "Kausal.MultiBody.Planar.Bar x(r = {-0.3, -0.1})"], AB, PLANE, "j.q", ""),
    case(["Kausal.MultiBody.Planar.Link x(r = {0.3, 0.1}, m = 1, I = 0.1)", "Kausal.MultiBody.Planar.Link x(r = {-0.3, -0.1}, m = 1, I = 0.1)"], AB, PLANE, "j.q", ""),
    case(["Kausal.BondGraph.TF x(m = 3)", "Kausal.BondGraph.TF x(m = 1/3)"], AB, BONDS, "inertia.f", ""),
    case(["Kausal.BondGraph.GY x(r = 3)", "Kausal.BondGraph.GY x(r = -3)"], AB, BONDS, "inertia.f", ""),
];

fn run(declaration: &str, (first, second): (&str, &str), system: &str) -> Run {
    let system = system.replace("x.A", &format!("x.{first}")).replace("x.B", &format!("x.{second}"));
    let mut session = Session::new();
    session.add_text("M.mo", &format!("model M\n  {declaration};\n  {system}\nend M;"));
    let flat =
        session.flatten("M").unwrap_or_else(|| panic!("{declaration}: {:?}", session.take_diagnostics()));
    let program = session.translate(&flat, &Default::default());
    let program = program.unwrap_or_else(|| panic!("{declaration}: {:?}", session.take_diagnostics()));
    let model = session.compile(program, Backend::Jit).expect("code");
    let settings = Settings { stop: 2.0, interval: 0.1, tolerance: 1e-9, ..Settings::default() };
    let run = simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true);
    assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{declaration}: {:?}", run.diagnostics);
    run
}

/// The values of a variable at the output points.
fn values(run: &Run, name: &str) -> Vec<f64> {
    let values = run.trajectory.get(name).unwrap_or_else(|| panic!("there is no {name}"));
    let at = |t: f64| run.trajectory.time.iter().rposition(|x| (x - t).abs() < 1e-9);
    (0..=20).filter_map(|k| at(0.1 * f64::from(k))).map(|i| values[i]).collect()
}

#[test]
fn components_do_the_same_turned_round() {
    for case in CASES {
        let (a, b) = case.ports;
        let forward = run(case.ways[0], (a, b), case.system);
        let turned = run(case.ways[1], (b, a), case.system);
        for (name, sign) in [(case.same, 1.0), (case.opposite, -1.0)] {
            if name.is_empty() {
                continue;
            }
            let (one, other) = (values(&forward, name), values(&turned, name));
            let size = one.iter().fold(1e-3, |m: f64, x| m.max(x.abs()));
            assert!(one.len() == 21 && one.iter().any(|x| (x - one[0]).abs() > 1e-3 * size), "{name} rests");
            for (k, (x, y)) in one.iter().zip(&other).enumerate() {
                let gap = (x - sign * y).abs();
                assert!(gap < 1e-6 * size, "{}: {name} at {k}: {x} and {y}", case.ways[0]);
            }
        }
    }
}
