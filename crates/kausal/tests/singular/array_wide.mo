// expect: K0240 K0402
// Two rows for three unknowns.
model M
  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];
  Real x[3];
equation
  A*x = {1, time};
end M;
