// expect: K0349
model M
  Real x = time;
  Real y = der(x > 1);
end M;
