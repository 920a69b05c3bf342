// expect: K0202
package Lib
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Part
    Pin p, n;
    parameter Real a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1;
  equation
    p.v = n.v;
    p.i + n.i = 0;
  end Part;
  model M
    Part one, two;
  equation
    connect(one.plus, two.p);
  end M;
end Lib;
