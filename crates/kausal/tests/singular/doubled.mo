// expect: K0404
// One equation in two forms: structure alone does not see it.
model M
  Real x, y;
equation
  x + y = 3;
  2*x + 2*y = 6;
end M;
