// expect: K0316
model M
  Real x[2](start = {1, 2, 3}, each fixed = true);
equation
  der(x) = -x;
end M;
