//! Models with overdetermined connectors of their own (specification sections 4.7, 9.3 and 9.4): what a connector has more than
//! the residue of `equalityConstraint` is decided by the surroundings, once for each tree of connections without a root.

use kausal_model::{NoFiles, Workspace, check};

/// Planar mechanics: an orientation is a point on the unit circle, two numbers for one degree of freedom.
const LIBRARY: &str = "package P
  record Orientation
    Real c, s;
    function equalityConstraint
      input Orientation a, b; output Real residue[1];
    algorithm
      residue := {a.c*b.s - a.s*b.c};
    end equalityConstraint;
  end Orientation;
  connector Frame Real x; flow Real f; Orientation R; flow Real t; end Frame;
  model Rod
    Frame a, b; parameter Real length = 1;
  equation
    Connections.branch(a.R, b.R);
    b.R = a.R; b.x = a.x + length*a.R.c; a.f + b.f = 0; a.t + b.t + length*a.R.s*b.f = 0;
  end Rod;
  model Spring
    Frame a, b;
  equation
    a.f + b.f = 0; a.f = 10*(a.x - b.x); a.t = 0; b.t = 0;
  end Spring;
  model Body
    Frame a; Real v, w, phi;
  equation
    Connections.potentialRoot(a.R);
    if Connections.isRoot(a.R) then a.R.c = cos(phi); a.R.s = sin(phi); else phi = atan2(a.R.s, a.R.c); end if;
    v = der(a.x); w = der(phi); der(v) = a.f; der(w) = a.t;
  end Body;
  model Ground
    Frame a;
  equation
    Connections.root(a.R);
    a.x = 0; a.R.c = 1; a.R.s = 0;
  end Ground;
  model Arm
    Frame a, b; Rod first, second;
  equation
    connect(a, first.a); connect(first.b, second.a); connect(second.b, b);
  end Arm;
  model ArmWithBody
    Frame a; Rod rod; Body body;
  equation
    connect(a, rod.a); connect(rod.b, body.a);
  end ArmWithBody;
  model Several
    Frame a[3]; Rod rod[2]; Spring spring;
  equation
    connect(a[1], rod[1].a); connect(a[2], rod[2].a); connect(rod[1].b, spring.a); connect(spring.b, a[3]);
  end Several;
  model Whole
    Ground ground; ArmWithBody arm; Spring spring; Body free;
  equation
    connect(ground.a, arm.a); connect(spring.a, ground.a); connect(spring.b, free.a);
  end Whole;
  model Loop
    Arm first, second; Ground ground;
  equation
    connect(ground.a, first.a); connect(ground.a, second.a); connect(first.b, second.b);
  end Loop;
end P;";

#[test]
fn parts_are_balanced() {
    let parts = ["Rod", "Spring", "Body", "Ground", "Arm", "ArmWithBody", "Several", "Whole", "Loop"];
    for part in parts {
        let mut workspace = Workspace::new(Box::new(NoFiles));
        workspace.add_source("p.mo", LIBRARY);
        let (flat, diagnostics) = workspace.flatten(&format!("P.{part}"));
        assert!(diagnostics.is_empty(), "{part}: {diagnostics:?}");
        let flat = flat.unwrap_or_else(|| panic!("{part} is not flattened"));
        let counts = check::count(&flat);
        assert!(counts.balanced(), "{part}: {counts:?}");
    }
}

/// The rod decides nothing about its first end: of the five variables there two are flows, which are given, one is the residue,
/// and so one of two of the orientation is left to the surroundings. The ends of the spring are two trees.
#[test]
fn each_tree_counts_once() {
    for (part, outside) in [("Rod", 1), ("Arm", 1), ("Spring", 2), ("Several", 3), ("Body", 0), ("Ground", 0)]
    {
        let mut workspace = Workspace::new(Box::new(NoFiles));
        workspace.add_source("p.mo", LIBRARY);
        let flat = workspace.flatten(&format!("P.{part}")).0.unwrap_or_else(|| panic!("{part}"));
        assert_eq!(flat.outside, outside, "{part}");
    }
}
