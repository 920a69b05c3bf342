// expect: K0430
// options: tearing
// A hint on one element of an array where two loops need one each.
model M
  Real x[3], y[3];
equation
  x[1] + x[2] + y[3] = time;
  x[1] - 2*x[2] + x[3] = 1 + residue(x[1]);
  x[2] + 3*x[3] - y[1] = 2;
  y[1] + y[2] = x[1];
  y[1] - y[2]*2 + y[3] = 1;
  y[2] + 3*y[3] = x[3];
end M;
