// expect: K0532
// says: a, b
// A product and the sum of its logarithms are the same: every point of a curve is a solution.
model M
  Real x(start = 1, fixed = true);
  Real a(start = 2), b(start = 0.6);
equation
  der(x) = -x;
  a*b = 1 + x;
  log(a) + log(b) = log(1 + x);
end M;
