// expect: K0420
// An initial equation about what is known already.
model M
  Real x(start = 0, fixed = true), y;
initial equation
  y = 3;
equation
  der(x) = 1;
  y = 2 + time;
end M;
