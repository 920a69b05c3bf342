// expect: K0360
model M
  Real x;
  Real y;
equation
  (x, y) = sin(time);
end M;
