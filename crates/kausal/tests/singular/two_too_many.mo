// expect: K0240 K0401
// Four equations for two unknowns: all four are shown, not the first three that do not fit together.
model M
  Real x, y;
equation
  x + y = 1;
  x - y = 2;
  x + 2*y = 3*time;
  x + 5*y = 4;
end M;
