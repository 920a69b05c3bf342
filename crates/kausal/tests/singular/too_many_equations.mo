// expect: K0240 K0401
// One equation more than unknowns.
model M
  Real x, y;
equation
  x + y = time;
  x - y = 1;
  x*y = 2;
end M;
