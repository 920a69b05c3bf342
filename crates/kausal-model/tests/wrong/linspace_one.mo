// expect: K0332
model M
  Real x[1] = linspace(0, 1, 1);
end M;
