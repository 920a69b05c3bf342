// A Hilbert matrix that must be solved: the right side makes all unknowns one.
model M
  parameter Integer n = 6;
  parameter Real A[n, n] = {{1/(i + j - 1) for j in 1:n} for i in 1:n};
  parameter Real b[n] = {sum(A[i, j] for j in 1:n) for i in 1:n};
  Real x[n];
equation
  A*x = b*(1 + time);
end M;
