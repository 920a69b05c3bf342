// expect: K0313
model M
  Real x[3] = [1, 2, 3];
end M;
