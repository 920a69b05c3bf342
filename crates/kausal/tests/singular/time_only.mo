// expect: K0240 K0401
// An equation about time alone.
model M
  Real x;
equation
  x = time;
  sin(time)^2 + cos(time)^2 = 1;
end M;
