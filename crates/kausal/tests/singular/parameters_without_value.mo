// expect: K0415 K0416
// Parameters that nobody gives a value: zero, or the start value, and a warning of each kind.
model M
  model Part
    parameter Real a, b, c(start = 2);
    Real y = a + b*c;
  end Part;
  Part p[2], q(a = 1);
end M;
