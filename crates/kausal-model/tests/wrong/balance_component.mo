// expect: K0240 K0241
package Lib
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;
  model Resistor "Ohm's law is missing"
    Pin p;
    Pin n;
    parameter Real R = 1;
    Real v = p.v - n.v;
  equation
    p.i + n.i = 0;
  end Resistor;
  model M "one component is not balanced"
    Resistor r;
    Ground g;
  equation
    connect(r.p, g.p);
  end M;
end Lib;
