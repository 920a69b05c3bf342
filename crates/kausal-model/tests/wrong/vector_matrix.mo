// expect: K0332
model M
  Real x[4] = vector([1, 2; 3, 4]);
end M;
