// expect: K0412
// A pendulum on a rod whose length only a C function knows.
function measured
  input Real t;
  output Real y;
  external "C" y = j0(t) annotation(Include = "#include <math.h>");
end measured;
model M
  Real x(start = 1), y, vx, vy, f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x;
  der(vy) = -f*y - 9.81;
  x^2 + y^2 = measured(time);
end M;
