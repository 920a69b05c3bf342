// expect: K0332
model M "a matrix of two columns times a vector of three"
  Real A[2, 2] = {{1, 2}, {3, 4}};
  Real x[3] = {1, 2, 3};
  Real y[2] = A*x;
end M;
