// expect: K0510
// says: contradict
// Four equations, of which the last is the sum of the first two but for its right side.
model M
  parameter Real A[4, 4] = {{3, 1, 2, 5}, {1, 4, 1, 2}, {2, 7, 3, 1}, {4, 5, 3, 7}};
  Real x[4];
equation
  A*x = {1, 2, time, 4};
end M;
