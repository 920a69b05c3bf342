// expect: K0351
model M
  Real x[2] = linspace(1, 2);
end M;
