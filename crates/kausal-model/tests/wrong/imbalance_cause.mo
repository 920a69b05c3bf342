// expect: K0240
model M
  Real x;
  Real y;
  Real z;
equation
  x = time;
  z = 2*x;
end M;
