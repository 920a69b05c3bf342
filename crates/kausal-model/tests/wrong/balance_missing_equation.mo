// expect: K0240
model M "one equation is missing"
  Real x;
  Real y;
equation
  x = 2*y;
end M;
