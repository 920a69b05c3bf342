//! The style, by example: what is written, and what becomes of it.

use kausal_format::format;

#[track_caller]
fn check(text: &str, expected: &str) {
    let formatted = format(text).unwrap();
    assert_eq!(formatted, expected.trim_start_matches('\n'));
    assert_eq!(format(&formatted).unwrap(), formatted, "formatted twice");
}

#[test]
fn spaces() {
    check(
        "model M parameter Real a(start=- 1,min = - 2)=2 ;Real[ 3 ]x=a .* {1,2 , 3};import A .*;import B . * ;equation x [1+1]= a ^2*a-(-b)/c;y=.A.f( a,b=c );end M ;",
        "
model M
  parameter Real a(start = -1, min = -2) = 2;
  Real[3] x = a .* {1, 2, 3};
  import A.*;
  import B. *;
equation
  x[1 + 1] = a^2*a - (-b)/c;
  y = .A.f(a, b = c);
end M;
",
    );
}

#[test]
fn blocks_and_blank_lines() {
    check(
        "within ;\n\n\n\npackage P\n\n\nmodel M \"m\" equation\n\n for i in 1:3 loop if if a then b else c then x=1; elseif d then\n\n x=2; else x=3;end if;\n\n\nend for;\n\nend M;\nfunction f=g(a=1);end P;",
        "
within;

package P
  model M \"m\"
  equation
    for i in 1:3 loop
      if if a then b else c then
        x = 1;
      elseif d then
        x = 2;
      else
        x = 3;
      end if;
    end for;
  end M;
  function f = g(a = 1);
end P;
",
    );
}

#[test]
fn comments() {
    check(
        "// first\nmodel M // head\n// own\nReal x; /* behind */ Real y /* within */ = 1 // cut\n+ 2;\n\n  // last\nequation // section\nend M; // end\n\n\n// very last",
        "
// first
model M // head
  // own
  Real x; /* behind */
  Real y /* within */ = 1 // cut
    + 2;

  // last
equation // section
end M; // end

// very last
",
    );
}

#[test]
fn long_lines() {
    check(
        "model M Resistor resistor(redeclare package Medium = Medium, final resistance=1000.0, useHeatPort=false, start=1) \"A resistor with a description that is rather long\" annotation(Placement(transformation(extent={{-10,-10},{10,10}}))); equation x = if condition and otherCondition or yetAnotherCondition then firstValue + secondValue*thirdValue else fourthValue + fifthValue; end M;",
        "
model M
  Resistor resistor(
    redeclare package Medium = Medium,
    final resistance = 1000.0,
    useHeatPort = false,
    start = 1) \"A resistor with a description that is rather long\"
    annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
equation
  x = if condition and otherCondition or yetAnotherCondition then firstValue + secondValue*thirdValue
    else fourthValue + fifthValue;
end M;
",
    );
}

#[test]
fn errors_leave_the_text() {
    assert!(format("model M Real x = ; end M;").is_err());
    assert!(format("// only a comment").is_err());
}
