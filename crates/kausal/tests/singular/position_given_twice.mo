// expect: K0401 K0402
// A mass whose position is prescribed twice; its force is in no other equation.
model M
  parameter Real m = 1;
  Real s, v, f1, f2;
equation
  v = der(s);
  m*der(v) = f1 + f2;
  s = sin(time);
  s = cos(time);
end M;
