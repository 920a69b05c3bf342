// expect: K0240 K0401
// Three rows for two unknowns.
model M
  parameter Real A[3, 2] = [1, 2; 3, 4; 5, 6];
  Real x[2];
equation
  A*x = {1, time, 2};
end M;
