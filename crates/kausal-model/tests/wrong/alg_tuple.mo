// expect: K0361
model M
  Real x;
  Real y;
algorithm
  (x, y) := sin(time);
end M;
