// expect: K0351
model M
  Real x = time;
  Real y = der(x, x);
end M;
