//! Every listing of a class or a connect statement in the papers, typed in as printed. Only what the
//! extraction of the text had broken is repaired: `fleft cutg` is `{left cut}`, `J � relax(a)` is
//! `J * relax(a)`, `=� tr` is `/ -tr`, `w; a` is `w, a`, `V p` is `Vp`. Pieces of classes are put between
//! `model class` and `end`.
//!
//! The numbers are those of `docs/papers.md`: 000 *Relaxing*, 001 *Methods for tearing systems of
//! equations*, 003 *Tearing in bond graphs*, 004 *Inline integration*.

mod classic_support;

use classic_support::show;
use kausal_syntax::{Sources, classic, print};

/// Parses `text` together with the classes it needs and gives the Modelica it becomes, one class.
fn class(needs: &str, text: &str, name: &str) -> String {
    let mut sources = Sources::default();
    let files: Vec<_> = [("needs.dym", needs), ("listing.dym", text)]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| {
            let id = sources.add(name, text);
            (id, sources.get(id).text.clone())
        })
        .collect();
    let parses = classic::parse_many(&files);
    let messages: Vec<_> = parses.iter().flat_map(|p| p.diagnostics.clone()).collect();
    assert!(messages.is_empty(), "{}", show(&sources, &messages));
    let printed = print::modelica(&parses[parses.len() - 1].ast);
    let head = format!("model {name}\n");
    let start = printed.find(&head).unwrap_or_else(|| panic!("no {name} in\n{printed}"));
    let end = format!("end {name};\n");
    let length = printed[start..].find(&end).unwrap() + end.len();
    printed[start..start + length].to_owned()
}

const SHAFT: &str = "\
model class Shaft
parameter J
cut l (w, a / tl) {left cut}
cut r (w, a / -tr) {right cut}

J * relax(a) = tl - tr
end
";

const SHAFT_S: &str = "\
model class ShaftS
parameter J
cut l (w, a / tl)
cut r (w, a / -tr)

der(w) = a
J * a = tl - tr

end
";

const GEAR: &str = "\
model class Gear
parameter i = 1
cut l (wl, al / tl)
cut r (wr, ar / -tr)

wl = i * wr
al = i * relax(ar)
i * tl = tr

end
";

const ONE_PORT: &str = "\
model class OnePort
{superclass of all one--port elements}
cut p ( Vp / i ) {positive pin}
cut n ( Vn / -i ) {negative pin}
local u {voltage drop}

u = Vp - Vn
end
";

/// 001 names it as the superclass of `MeshCut` without printing it.
const TWO_PIN: &str = "\
model class TwoPin
  cut A (Va / i) B (Vb / -i)
  main path P <A - B>
  local u
  u = Va - Vb
end
";

/// What 001's ladder circuit is made of, and its classes `MeshCut` and `TearCut`.
const LADDER: &str = "\
model class (TwoPin) Resistor
  parameter R = 1
  u = R*i
end
model class (TwoPin) VoltageSource
  parameter U = 1
  u = -U
end
model class (TwoPin) MeshCut
  { Corresponds to very small inductor. }
    u = residue(i)
    { Cf normal inductor: u = der(i)*L }
end
model class Circuit
  submodel (VoltageSource) U0
  submodel (Resistor) R1 R2 R3 R4 R5 R6
end
";

#[test]
fn relaxing_shaft() {
    insta::assert_snapshot!(class("", SHAFT, "Shaft"));
}

#[test]
fn relaxing_shaft_with_state() {
    insta::assert_snapshot!(class("", SHAFT_S, "ShaftS"));
}

#[test]
fn relaxing_gear() {
    insta::assert_snapshot!(class("", GEAR, "Gear"));
}

#[test]
fn relaxing_shaft_with_residue() {
    let text = "\
model class ShaftS
parameter J
cut l (w, a / tl)
cut r (w, a / -tr)

der(w) = a
J * a = tl - tr + residue(a)

end
";
    insta::assert_snapshot!(class("", text, "ShaftS"));
}

#[test]
fn relaxing_one_port() {
    insta::assert_snapshot!(class("", ONE_PORT, "OnePort"));
}

#[test]
fn relaxing_resistor() {
    let text = "\
model class Resistor
inherit OnePort
parameter R {Resistance}

R * i = Vp - Vn
end
";
    insta::assert_snapshot!(class(ONE_PORT, text, "Resistor"));
}

#[test]
fn relaxing_capacitor() {
    let text = "\
model class Capacitor
inherit OnePort
parameter C {Capacitance}

C * der(u) = i
end
";
    insta::assert_snapshot!(class(ONE_PORT, text, "Capacitor"));
}

#[test]
fn relaxing_resistor_with_relaxed_potentials() {
    let text = "\
model class Resistor
inherit OnePort
parameter R {Resistance}

R * i = relax(Vp) - relax(Vn)
end
";
    insta::assert_snapshot!(class(ONE_PORT, text, "Resistor"));
}

#[test]
fn relaxing_capacitor_with_relaxed_derivative() {
    let text = "\
model class Capacitor
inherit OnePort
parameter C {Capacitance}

C * relax(der(u)) = i
end
";
    insta::assert_snapshot!(class(ONE_PORT, text, "Capacitor"));
}

/// Figure 1 of 000 is a drawing; its caption names the cuts.
#[test]
fn relaxing_drive_train() {
    let text = "\
model DriveTrain
  submodel (Shaft) shaft1 (J = 1)
  submodel (Gear) gear (i = 10)
  submodel (ShaftS) shaft2 (J = 2)
  connect shaft1.r at gear.l
  connect gear.r at shaft2.l
end
";
    insta::assert_snapshot!(class(&[SHAFT, SHAFT_S, GEAR].concat(), text, "DriveTrain"));
}

/// Equations (27) to (29) of 000, with vectors of six elements.
#[test]
fn relaxing_revolute_joint() {
    let text = "\
model class Revolute
  cut a (aa(6) / fa(6))
  cut b (ab(6) / -fb(6))
  parameter n(6) = [0, 0, 1, 0, 0, 0]
  local qdd zeta(6) tau
  ab = relax(aa) + n*qdd + zeta
  fa = fb
  n*fb = tau + residue(qdd)
end
";
    insta::assert_snapshot!(class("", text, "Revolute"));
}

#[test]
fn tearing_mesh_cut() {
    let text = "\
model class (TwoPin) MeshCut
  { Corresponds to very small inductor. }
    u = residue(i)
    { Cf normal inductor: u = der(i)*L }
end
";
    insta::assert_snapshot!(class(TWO_PIN, text, "MeshCut"));
}

#[test]
fn tearing_node_cut() {
    let text = "\
model class NodeCut
  { Corresponds to very small capacitor
    connected to ground. }
  main cut A (V / i)
    i = residue(V) { i = der(V)*C }
end
";
    insta::assert_snapshot!(class("", text, "NodeCut"));
}

#[test]
fn tearing_tear_cut() {
    let text = "\
model class TearCut
  cut A (V / i) B (V / -i)
  main path P <A - B>
  cut Res (Vres / ires)
      ires = residue(i)
end
";
    insta::assert_snapshot!(class("", text, "TearCut"));
}

#[test]
fn tearing_ladder_with_mesh_cuts() {
    let text = "\
model (Circuit) Ladder
submodel (MeshCut) MC1 MC2 MC3
connect Common - U0 - R1-MC1 -
    (R2 // (R3-MC2 - (R4 // (R5-MC3 - R6) ))) -
    Common
end
";
    insta::assert_snapshot!(class(&[TWO_PIN, LADDER].concat(), text, "Ladder"));
}

/// The circuit without tearing; 001 draws it, `docs/papers.md` writes it as T6.
#[test]
fn tearing_ladder() {
    let text = "\
model (Circuit) Ladder
connect Common - U0 - R1 - (R2 // (R3 - (R4 // (R5 - R6)))) - Common
end
";
    insta::assert_snapshot!(class(&[TWO_PIN, LADDER].concat(), text, "Ladder"));
}

#[test]
fn tearing_residue_of_one_equation() {
    let text = "model class Loop\nlocal x, f\nresidue(x) = f\nend\n";
    insta::assert_snapshot!(class("", text, "Loop"));
}

#[test]
fn tearing_revolute_joint() {
    let text = "\
model class Revolute
f = n1*t1 + n2*t2 + n3*t3 + residue(qdd)
end
";
    insta::assert_snapshot!(class("", text, "Revolute"));
}

#[test]
fn tearing_revolute_joint_of_a_loop() {
    let text = "\
model class Revolute
local tearq, tearqd
tearq = residue(q)
tearqd = residue (qd)
f = n1*t1 + n2*t2 + n3*t3 + residue (qdd)
end
";
    insta::assert_snapshot!(class("", text, "Revolute"));
}

#[test]
fn tearing_spherical_joint() {
    let text = "\
model class Spherical
constant dummyq(3)=0, dummyqd(3)=0
local fc(3), rrel(3), vrel(3), arel(3)
residue(dummyq) = rrel
residue(dummyqd) = vrel
residue(fc) = arel
end
";
    insta::assert_snapshot!(class("", text, "Spherical"));
}

/// Equations (7) and (8) of 003.
#[test]
fn bond_graph_residual_sinks() {
    let text = "\
model class rSf
main cut A (e / f)
e = residue(f)
end
model class rSfTime
main cut A (e / f)
e = Time * residue(f)
end
";
    insta::assert_snapshot!("residual_sink", class("", text, "rSf"));
    insta::assert_snapshot!("residual_sink_time", class("", text, "rSfTime"));
}

/// Equations (9.a) to (10.b) of 003.
#[test]
fn bond_graph_junctions() {
    let text = "\
model class Junctions
local e1 e2 e3 e4 e5 f3 f5
e1 = e3 + e2 + Time * residue(f3)
e3 = e5 + e4 + Time * residue(f5)
der(e1) = der(e3) + der(e2) +
residue(f3)
der(e3) = der(e5) + der(e4) +
residue(f5)
end
";
    insta::assert_snapshot!(class("", text, "Junctions"));
}

/// The equations of 004's figure 3, which can be programmed directly; its functions are chosen here.
#[test]
fn inline_feedback() {
    let text = "\
model Feedback
  parameter w = 1, D = 0.5, k = 2
  local x = 1, x1 = 0, x2 = 0, y, u
  der(x) = -x**3 + u + sin(Time)
  y = x^2
  der(x1) = x2
  der(x2) + 2*w*D*x2 + w*w*x1 =
    w*w*y
  u = -k*x1
end
";
    insta::assert_snapshot!(class("", text, "Feedback"));
}
