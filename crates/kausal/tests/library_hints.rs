//! The hints of the library fit together: connected as users connect them, its components declare no tearing that does
//! not suffice, divides by what may be zero, or has more residue equations than variables (K0430 to K0433), and never
//! name a variable beside the loop (K0435).

use kausal::{Options, Relaxing, Session, Tearing};

/// Systems whose parts depend on each other rigidly, or stick and slide: name, declarations, connections.
const SYSTEMS: &[(&str, &str, &str)] = &[
    (
        "two inertias and a gear",
        "Kausal.Rotational.Inertia a, b; Kausal.Rotational.Gear g(ratio = 5);",
        "connect(a.b, g.a); connect(g.b, b.a);",
    ),
    (
        "the gear turned round",
        "Kausal.Rotational.Inertia a, b; Kausal.Rotational.Gear g(ratio = 0.2);",
        "connect(a.b, g.b); connect(g.a, b.b);",
    ),
    (
        "three inertias on one shaft",
        "Kausal.Rotational.Inertia a, b, c;",
        "connect(a.b, b.a); connect(b.b, c.b);",
    ),
    (
        "a gear in a housing that moves",
        "Kausal.Rotational.Inertia a, b, h; Kausal.Rotational.Gear g(ratio = 3, useHousing = true);",
        "connect(a.b, g.a); connect(g.b, b.a); connect(g.housing, h.a);",
    ),
    (
        "a planetary gear",
        "Kausal.Rotational.Inertia s, c, d, r; Kausal.Rotational.PlanetaryGear p;",
        "connect(p.sun, s.a); connect(p.carrier, c.b); connect(p.carrier, d.a); connect(p.ring, r.a);",
    ),
    (
        "a pinion and a rack",
        "Kausal.Rotational.Inertia j; Kausal.Translational.Rack r(r = 0.5); Kausal.Translational.Mass m;",
        "connect(j.b, r.pinion); connect(r.rack, m.b);",
    ),
    (
        "masses at both ends of a rod",
        "Kausal.Translational.Mass m, n; Kausal.Translational.Rod r(L = 2);",
        "connect(m.a, r.b); connect(r.a, n.a);",
    ),
    (
        "three masses at one point",
        "Kausal.Translational.Mass m, n, o;",
        "connect(m.b, n.a); connect(n.a, o.a);",
    ),
    (
        "a brake",
        "Kausal.Rotational.Inertia j; Kausal.Rotational.Brake c(u = 0.5);",
        "connect(j.b, c.a);",
    ),
    (
        "a clutch",
        "Kausal.Rotational.Inertia j, k; Kausal.Rotational.Clutch c(u = 0.5);",
        "connect(j.b, c.b); connect(c.a, k.a);",
    ),
    (
        "friction in a bearing",
        "Kausal.Rotational.Inertia j; Kausal.Rotational.BearingFriction c;",
        "connect(j.b, c.b);",
    ),
    (
        "a belt",
        "Kausal.Translational.Mass m; Kausal.Translational.BeltFriction c;",
        "connect(m.a, c.flange);",
    ),
    (
        "friction on a support",
        "Kausal.Translational.Mass m; Kausal.Translational.SupportFriction c;",
        "connect(m.b, c.a);",
    ),
    (
        "a car that starts",
        "Kausal.Rotational.Inertia e; Kausal.Rotational.Clutch c(u = 0.5); Kausal.Rotational.Gear g(ratio = 12);
         Kausal.Translational.Rack w(r = 0.3); Kausal.Translational.Mass m;",
        "connect(e.b, c.a); connect(c.b, g.a); connect(g.b, w.pinion); connect(w.rack, m.a);",
    ),
    (
        "a chain of links",
        "Kausal.MultiBody.World world; Kausal.MultiBody.Revolute j[3](n = {{1, 0.2, 0}, {0, 1, 0.3}, {0.1, 0, 1}});
         Kausal.MultiBody.Link l[3](each r = {0.5, 0.1, 0}, each I_11 = 0.1, each I_22 = 0.1, each I_33 = 0.1);",
        "connect(world.frame, j[1].a);
         for i in 1:2 loop connect(l[i].b, j[i + 1].a); end for;
         for i in 1:3 loop connect(j[i].b, l[i].a); end for;",
    ),
];

#[test]
fn declared_tearing_of_connected_components_suffices() {
    let mut wrong = Vec::new();
    for (name, declarations, connections) in SYSTEMS {
        for (tearing, relaxing) in [
            (Tearing::Declared, Relaxing::Declared),
            (Tearing::Declared, Relaxing::Off),
            (Tearing::Auto, Relaxing::Auto),
        ] {
            let mut session = Session::new();
            session.add_text("M.mo", &format!("model M\n{declarations}\nequation\n{connections}\nend M;"));
            let options = Options { tearing, relaxing, ..Options::default() };
            let program = session.flatten("M").and_then(|flat| session.translate(&flat, &options));
            let said = session.take_diagnostics();
            if program.is_none() {
                wrong.push(format!("{name}: {said:?}"));
            }
            wrong
                .extend(said.iter().filter(|d| d.code.starts_with("K043")).map(|d| format!("{name}: {d:?}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
