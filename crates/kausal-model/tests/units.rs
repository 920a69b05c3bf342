//! Units of equations, values, arguments and connections: what is warned of, and what is not because it may be meant.

use kausal_model::{NoFiles, Workspace};

/// The codes, units and lines of the warnings of the model `M`.
fn found(text: &str) -> Vec<String> {
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (_, errors) = workspace.add_source("units.mo", text);
    assert!(errors.is_empty(), "{errors:?}");
    let (_, diagnostics) = workspace.flatten("M");
    let said = diagnostics.iter().filter(|d| d.code.starts_with("K061"));
    let units =
        |message: &str| message.split_once(": ").map_or(String::new(), |(_, units)| format!(" {units}"));
    said.map(|d| format!("{}{}", d.code, units(&d.message))).collect()
}

/// A model with a few variables in usual units and this equation.
fn equation(text: &str) -> Vec<String> {
    found(&format!(
        "function area input Real r(unit = \"m\"); output Real a(unit = \"m2\"); algorithm a := 2*asin(1.0)*r^2; end area;
        model M
          constant Real pi = 2*asin(1.0);
          parameter Real m(unit = \"kg\") = 1; parameter Real k = 1; parameter Real eta(unit = \"1\") = 0.5;
          Real s(unit = \"m\"), v(unit = \"m/s\"), a(unit = \"m/s2\"), f(unit = \"N\"), E(unit = \"J\"), P(unit = \"W\"),
            t(unit = \"s\"), A(unit = \"m2\"), phi(unit = \"rad\"), w(unit = \"rad/s\"), n(unit = \"1/min\"), d(unit = \"deg\"),
            T(unit = \"K\"), C(unit = \"degC\"), u(unit = \"V\"), x, y(unit = \"km\");
        equation
          {text};
        end M;"
    ))
}

#[test]
fn what_fits_is_not_mentioned() {
    for text in [
        "f = m*a",
        "E = m*v^2/2",
        "E = 0.5*m*v*v",
        "der(E) = f*v",
        "P = f*v*eta",
        "v = der(s) + a*t",
        "w = der(phi)",
        "v = w*s",
        "A = pi*s^2",
        "s = sqrt(A)",
        "s = sin(phi)*s",
        "s = cos(w*time)*s",
        "x = s/t",
        "s = x*t",
        "s = 9.81*t*t/2",
        "s = k*t",
        "s = 3",
        "s = time",
        "s = 2*time",
        "s = if t > 1 then 1 else s",
        "t = 1/w",
        "T = C + 273.15",
        "C = T - 273.15",
        "y = s/1000",
        "d = phi*180/pi",
        "n = w*60/(2*pi)",
        "s = max(s, 1e-3)",
        "s = sum({s, 2*s})",
        "A = area(s)",
        "A = area(2)",
        "phi = atan2(s, s)",
        "x = exp(s/s)",
        "s = noEvent(abs(s))",
        "s = smooth(1, if s > 0 then s else -s)",
    ] {
        assert_eq!(equation(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_does_not_fit() {
    for (text, said) in [
        ("v = s", "K0610 \"m/s\" and \"m\""),
        ("v = 2*s", "K0610 \"m/s\" and \"m\""),
        ("f = m*v", "K0610 \"N\" and \"kg.m/s\""),
        ("s = s + v", "K0610 \"m\" and \"m/s\""),
        ("s = s - 2*t", "K0610 \"m\" and \"s\""),
        ("E = m*v^3/2", "K0610 \"J\" and \"kg.m3/s3\""),
        ("P = E", "K0610 \"W\" and \"J\""),
        ("v = der(v)", "K0610 \"m/s\" and \"m/s2\""),
        ("x = if s > t then 1 else 2", "K0610 \"m\" and \"s\""),
        ("s = if t > 1 then s else v", "K0610 \"m\" and \"m/s\""),
        ("s = max(s, t)", "K0610 \"m\" and \"s\""),
        ("A = area(t)", "K0610 \"s\" and \"m\""),
        ("s = area(s)", "K0610 \"m\" and \"m2\""),
        ("y = s", "K0611 \"km\" and \"m\""),
        ("d = phi", "K0611 \"deg\" and \"rad\""),
        ("n = w/phi", "K0611 \"1/min\" and \"1/s\""),
        ("T = C", "K0611 \"K\" and \"degC\""),
        ("x = sin(s)", "K0612"),
        ("x = exp(-t)", "K0612"),
        ("x = 2^s", "K0612"),
    ] {
        assert_eq!(equation(text), [said], "{text}");
    }
}

#[test]
fn values_and_attributes() {
    let said =
        found("model M parameter Real s(unit = \"m\") = 1; Real v(unit = \"m/s\", start = s) = s; end M;");
    assert_eq!(said, ["K0610 \"m\" and \"m/s\"", "K0610 \"m\" and \"m/s\""]);
    // The value of a modifier belongs to where it is written.
    let said = found(
        "model A parameter Real R(unit = \"Ohm\") = 1; end A;
         model M parameter Real L(unit = \"m\") = 1; A a(R = L); A b(R = 2); end M;",
    );
    assert_eq!(said, ["K0610 \"m\" and \"Ohm\""]);
    // What has no unit has that of its value.
    let said = found(
        "model M parameter Real s(unit = \"m\") = 1; parameter Real x = 2*s; Real t(unit = \"s\") = x; end M;",
    );
    assert_eq!(said, ["K0610 \"m\" and \"s\""]);
}

#[test]
fn connections() {
    let said = found(
        "connector A Real e(unit = \"V\"); flow Real f(unit = \"A\"); end A;
         connector B Real e(unit = \"K\"); flow Real f(unit = \"W\"); end B;
         model P A c; equation c.f = c.e; end P;
         model Q B c; equation c.e = 1; end Q;
         model M P p; Q q; equation connect(p.c, q.c); end M;",
    );
    assert_eq!(said, ["K0610 \"V\" and \"K\"", "K0610 \"A\" and \"V\""]);
}

#[test]
fn statements_and_functions() {
    let said = found(
        "function f input Real s(unit = \"m\"); input Real t(unit = \"s\"); output Real v(unit = \"m/s\");
         protected Real x(unit = \"m\");
         algorithm x := t; for i in 1:3 loop v := s*t; end for; if s > t then v := s/t; end if; end f;
         model M Real y = f(1, 2); end M;",
    );
    assert_eq!(said, ["K0610 \"m\" and \"s\"", "K0610 \"m/s\" and \"m.s\"", "K0610 \"m\" and \"s\""]);
}

#[test]
fn they_can_be_left_out_and_concern_the_own_library_only() {
    let text = "package Lib model A Real s(unit = \"m\") = 1; Real t(unit = \"s\") = s; end A; end Lib;";
    let own = "within; model M Lib.A a; end M;";
    let mut workspace = Workspace::new(Box::new(NoFiles));
    workspace.add_source("lib.mo", text);
    workspace.add_source("own.mo", own);
    let count = |(_, diagnostics): (_, Vec<kausal_syntax::Diagnostic>)| diagnostics.len();
    assert_eq!(count(workspace.flatten("M")), 0);
    assert_eq!(count(workspace.flatten("Lib.A")), 1);
    workspace.classes().check_units = false;
    assert_eq!(count(workspace.flatten("Lib.A")), 0);
}
