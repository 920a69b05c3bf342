// Force wrong.
// expect: K0510 K0610
// line: 12
// words: kg.m/s
model M
  parameter Real m(unit = "kg") = 2;
  Real s(unit = "m", start = 0, fixed = true);
  Real v(unit = "m/s", start = 0, fixed = true);
  Real f(unit = "N") = 10;
equation
  der(s) = v;
  m*v = f;
end M;
