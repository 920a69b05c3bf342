// expect: K0412
// A constraint through an external function without a derivative.
function measured
  input Real t;
  output Real y;
  external "C" y = j0(t) annotation(Include = "#include <math.h>");
end measured;
model M
  Real x, v;
equation
  x = measured(time);
  v = der(x);
end M;
